//! What the driver does otherwise than by default, so that its host can be tested: one table of
//! switches. Each is an environment variable `MOCK_UMD_…`, read when the library is first used, and can be set later by
//! [`set`] or the export `MockUmdSet`, for devices and calls after that.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::{File, OpenOptions};
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use ddi_sys::{D3D12DDICAPS_TYPE, HRESULT};
use parking_lot::{Mutex, RwLock};
use thiserror::Error;

use crate::version::{self, Build};
use crate::{sample, tables};

/// The values of all switches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// Index of the adapter family that the adapter is of.
    pub(crate) adapter: u32,
    /// Newest DDI build that is shown to the host.
    pub(crate) build: Option<Build>,
    /// How long the creation of each object takes.
    pub(crate) slow: Duration,
    /// Slots that fail.
    pub(crate) fail: Vec<Failure>,
    /// Bytes of GPU memory, for all devices together.
    pub(crate) memory: Option<u64>,
    /// The ExecuteCommandLists call of a device that removes it, from 1.
    pub(crate) removed: Option<NonZeroU32>,
    /// What is done for the application, one a bit.
    pub(crate) workarounds: u32,
    /// Where each call is written to.
    pub(crate) trace: Option<Arc<File>>,
    /// The adapter family that the driver says it is of.
    pub(crate) family: Option<String>,
    /// The ABI version that the driver reads.
    pub(crate) abi: Option<u64>,
    /// The version of the driver's compiler.
    pub(crate) compiler: Option<u64>,
    /// The version of the driver's profile of the application.
    pub(crate) profile: Option<u64>,
    /// Answers of capabilities, of which these words are the beginning.
    pub(crate) caps: Vec<(D3D12DDICAPS_TYPE, Vec<u32>)>,
}

/// A slot that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The table's member, such as `pfnCreateHeapAndResource`.
    pub(crate) slot: String,
    pub(crate) result: HRESULT,
    /// The call of the slot that fails, from 1; all when there is none.
    pub(crate) nth: Option<NonZeroU32>,
}

/// One switch.
pub(crate) struct Switch {
    /// The environment variable.
    pub(crate) name: &'static str,
    /// The form of its value.
    pub(crate) value: &'static str,
    /// What it is for.
    pub(crate) meaning: &'static str,
    set: fn(&mut Settings, &str) -> Result<(), String>,
}

/// A switch that there is not, or a value that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidSwitch {
    /// No switch has the name.
    #[error("no switch is called {0}; there are {1}")]
    Name(String, String),
    /// The value is not one of the switch's.
    #[error("{name}={value}: {problem}; expected {expected}")]
    Value {
        /// The switch.
        name: &'static str,
        /// The value.
        value: String,
        /// What is wrong.
        problem: String,
        /// The form of its values.
        expected: &'static str,
    },
}

macro_rules! switches {
    ($($name:literal, $value:literal, $meaning:literal, $member:ident = $parse:expr;)*) => {
        /// All of them.
        pub(crate) static SWITCHES: &[Switch] = &[$(Switch {
            name: $name,
            value: $value,
            meaning: $meaning,
            set: |settings, value| {
                settings.$member = if value.is_empty() {
                    Settings::default().$member
                } else {
                    let parse: fn(&str) -> Result<_, String> = $parse;
                    parse(value)?
                };
                Ok(())
            },
        }),*];
    };
}

switches! {
    "MOCK_UMD_ADAPTER", "0 Aurora, 1 Borealis or 2 Cirrus",
        "the adapter family that the adapter is of",
        adapter = family;
    "MOCK_UMD_BUILD", "a DDI build from 109 to 115",
        "the newest DDI build that the driver shows",
        build = build;
    "MOCK_UMD_SLOW", "milliseconds, a decimal number",
        "the creation of each object of a device takes so long more; a resource with a heap of its own is two objects, a view and the device are none",
        slow = |text| number(text).map(Duration::from_millis);
    "MOCK_UMD_FAIL", "SLOT:HRESULT or SLOT:HRESULT:NTH, several with commas, such as pfnCreateHeapAndResource:E_OUTOFMEMORY:3; HRESULT is a name or 0x and hexadecimal digits, NTH a decimal number from 1 on",
        "these slots fail without doing anything: each call, or the NTH alone",
        fail = failures;
    "MOCK_UMD_MEMORY", "bytes, a decimal number",
        "so much GPU memory there is; a heap that goes beyond it gets E_OUTOFMEMORY",
        memory = |text| number(text).map(Some);
    "MOCK_UMD_REMOVED", "a decimal number from 1 on",
        "this ExecuteCommandLists call of a device removes it: DXGI_ERROR_DEVICE_REMOVED",
        removed = |text| number(text).map(Some);
    "MOCK_UMD_WORKAROUNDS", "32 bits, one a workaround, as a decimal number or 0x and hexadecimal digits",
        "what the driver does for the application: its application-specific state",
        workarounds = word;
    "MOCK_UMD_TRACE", "the name of a file",
        "each call but those that a list records is written behind what is there, a JSON object a line",
        trace = |text| {
            let file = OpenOptions::new().create(true).append(true).open(text);
            file.map(|file| Some(Arc::new(file))).map_err(|error| error.to_string())
        };
    "MOCK_UMD_FAMILY", "a name of at most 127 UTF-16 units",
        "the adapter family that the driver says it is of",
        family = |text| match text.encode_utf16().count() {
            ..=127 => Ok(Some(text.into())),
            units => Err(format!("{units} UTF-16 units")),
        };
    "MOCK_UMD_ABI", "a 64-bit decimal number, or two to four 16-bit parts with points",
        "the one ABI version that the driver reads",
        abi = |text| version(text).map(Some);
    "MOCK_UMD_COMPILER", "two to four 16-bit parts with points, such as 4.2.118.0, or a 64-bit decimal number",
        "the version of the driver's compiler",
        compiler = |text| version(text).map(Some);
    "MOCK_UMD_PROFILE", "two to four 16-bit parts with points, such as 1.3.0.0, or a 64-bit decimal number",
        "the version of the driver's profile of every application",
        profile = |text| version(text).map(Some);
    "MOCK_UMD_CAPS", "CAP:WORD, more words with colons, several caps with commas, such as D3D12DDICAPS_TYPE_OPTIONS_0109:0; a WORD is a decimal number or 0x and hexadecimal digits",
        "the answers of these capabilities begin with these 32-bit words",
        caps = caps;
}

fn family(text: &str) -> Result<u32, String> {
    let index = number(text)?;
    match sample::plugin().adapter_family(index) {
        Ok(Some(_)) => Ok(index),
        Ok(None) => Err("the vendor has no such adapter family".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn build(text: &str) -> Result<Option<Build>, String> {
    let build = Build(number(text)?);
    if (version::OLDEST..=version::NEWEST).contains(&build) {
        Ok(Some(build))
    } else {
        Err("the driver has no such build".into())
    }
}

/// 32 bits.
fn word(text: &str) -> Result<u32, String> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).map_err(|error| error.to_string()),
        None => number(text),
    }
}

fn caps(text: &str) -> Result<Vec<(D3D12DDICAPS_TYPE, Vec<u32>)>, String> {
    let cap = |text: &str| {
        let mut parts = text.trim().split(':');
        let name = parts.next().unwrap_or_default();
        let known = D3D12DDICAPS_TYPE::ENUMERATORS.iter();
        let cap = known.clone().find(|(_, known)| *known == name);
        let (cap, _) = cap.ok_or_else(|| format!("no capability is called {name}"))?;
        let words = parts.map(word).collect::<Result<Vec<_>, _>>()?;
        if words.is_empty() {
            return Err(format!("{name} has no word"));
        }
        Ok((*cap, words))
    };
    text.split(',').map(cap).collect()
}

fn number<T: FromStr<Err: ToString>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// Up to four parts: `4.2.118.0`; a number alone is the whole 64-bit value, as ABI versions are.
fn version(text: &str) -> Result<u64, String> {
    if !text.contains('.') {
        return number(text);
    }
    let parts = text
        .split('.')
        .map(number::<u16>)
        .collect::<Result<Vec<_>, _>>()?;
    if parts.len() > 4 {
        return Err(format!("{} parts", parts.len()));
    }
    Ok((0..4).fold(0, |version, part| {
        version << 16 | u64::from(parts.get(part).copied().unwrap_or(0))
    }))
}

fn failures(text: &str) -> Result<Vec<Failure>, String> {
    text.split(',')
        .map(|failure| {
            let mut parts = failure.trim().split(':');
            let slot = parts.next().filter(|slot| !slot.is_empty());
            let result = parts.next().ok_or("no HRESULT")?;
            let nth = parts.next().map(number).transpose()?;
            if parts.next().is_some() {
                return Err("too many colons".into());
            }
            let slot = slot.ok_or("no slot")?;
            if !tables::is_slot(slot) {
                return Err(format!("no table has a slot {slot}"));
            }
            Ok(Failure {
                slot: slot.into(),
                result: hresult(result)?,
                nth,
            })
        })
        .collect()
}

/// A failure by name or number.
fn hresult(text: &str) -> Result<HRESULT, String> {
    let by_number = || {
        let digits = text.strip_prefix("0x")?;
        let bits = u32::from_str_radix(digits, 16).ok()?;
        Some(HRESULT(bits.cast_signed()))
    };
    HRESULT::from_name(text)
        .or_else(by_number)
        .filter(|result| !result.is_ok())
        .ok_or_else(|| format!("{text} is not a failure"))
}

/// The values of all switches, and the first one that is wrong in the environment.
struct Environment {
    settings: Arc<Settings>,
    wrong: Option<InvalidSwitch>,
}

static ENVIRONMENT: LazyLock<RwLock<Environment>> = LazyLock::new(|| {
    let variables = env::vars_os().map(|(name, value)| {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        (text(name), text(value))
    });
    let environment = Environment::of(variables);
    note_failing(&environment.settings);
    RwLock::new(environment)
});

impl Environment {
    /// Each switch that is right counts, so that the trace has what is wrong with the others.
    fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut settings = Settings::default();
        let mut wrong = None;
        let ours = variables
            .into_iter()
            .filter(|(name, _)| name.starts_with("MOCK_UMD_"));
        for (name, value) in ours.collect::<BTreeSet<_>>() {
            let applied = find(&name).and_then(|switch| apply(&mut settings, switch, &value));
            wrong = wrong.or(applied.err());
        }
        Self {
            settings: Arc::new(settings),
            wrong,
        }
    }
}

fn find(name: &str) -> Result<&'static Switch, InvalidSwitch> {
    SWITCHES
        .iter()
        .find(|switch| switch.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = SWITCHES.iter().map(|switch| switch.name).collect();
            InvalidSwitch::Name(name.into(), names.join(", "))
        })
}

fn note_failing(settings: &Settings) {
    FAILING.store(!settings.fail.is_empty(), Ordering::Relaxed);
    CALLS.lock().clear();
}

fn apply(
    settings: &mut Settings,
    switch: &'static Switch,
    value: &str,
) -> Result<(), InvalidSwitch> {
    (switch.set)(settings, value).map_err(|problem| InvalidSwitch::Value {
        name: switch.name,
        value: value.into(),
        problem,
        expected: switch.value,
    })
}

/// The settings of now.
///
/// # Errors
///
/// The environment has a switch that there is not, or a value that a switch cannot have.
pub(crate) fn settings() -> Result<Arc<Settings>, InvalidSwitch> {
    let environment = ENVIRONMENT.read();
    match &environment.wrong {
        None => Ok(Arc::clone(&environment.settings)),
        Some(wrong) => Err(wrong.clone()),
    }
}

/// Where calls are written to, whatever is wrong with other switches.
pub(crate) fn trace() -> Option<Arc<File>> {
    let environment = ENVIRONMENT.read();
    environment.settings.trace.clone()
}

/// Whether any slot is to fail: calls look no further otherwise.
static FAILING: AtomicBool = AtomicBool::new(false);
/// How often each slot that is to fail was called.
static CALLS: Mutex<BTreeMap<&'static str, u32>> = Mutex::new(BTreeMap::new());

/// The failure that a slot is to have now.
#[inline]
pub(crate) fn failure_of(slot: &'static str) -> Option<HRESULT> {
    FAILING.load(Ordering::Relaxed).then(|| chosen(slot))?
}

#[cold]
fn chosen(slot: &'static str) -> Option<HRESULT> {
    let settings = settings().ok()?;
    let failure = settings.fail.iter().find(|failure| failure.slot == slot)?;
    let mut calls = CALLS.lock();
    let number = calls.entry(slot).or_default();
    *number += 1;
    failure
        .nth
        .is_none_or(|nth| nth.get() == *number)
        .then_some(failure.result)
}

/// Sets a switch, by the name of its environment variable, for the process; an empty value is its
/// default.
///
/// # Errors
///
/// There is no such switch, or it cannot have the value.
pub fn set(name: &str, value: &str) -> Result<(), InvalidSwitch> {
    let switch = find(name)?;
    let mut shared = ENVIRONMENT.write();
    if let Some(wrong) = &shared.wrong {
        return Err(wrong.clone());
    }
    let mut settings = Settings::clone(&shared.settings);
    apply(&mut settings, switch, value)?;
    note_failing(&settings);
    shared.settings = Arc::new(settings);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ddi_sys::{D3D12DDICAPS_TYPE_OPTIONS_0109, E_OUTOFMEMORY};

    fn with(name: &str, value: &str) -> Result<Settings, InvalidSwitch> {
        let environment = Environment::of([(name.into(), value.into())]);
        match environment.wrong {
            None => Ok(Settings::clone(&environment.settings)),
            Some(wrong) => Err(wrong),
        }
    }

    #[test]
    fn values_are_read_as_documented() {
        assert_eq!(with("MOCK_UMD_ADAPTER", "2").unwrap().adapter, 2);
        let build = with("MOCK_UMD_BUILD", "109").unwrap().build;
        assert_eq!(build, Some(Build(109)));
        let slow = with("MOCK_UMD_SLOW", "250").unwrap().slow;
        assert_eq!(slow, Duration::from_millis(250));
        assert_eq!(
            with("MOCK_UMD_MEMORY", "65536").unwrap().memory,
            Some(65536)
        );
        let removed = with("MOCK_UMD_REMOVED", "1").unwrap().removed;
        assert_eq!(removed, NonZeroU32::new(1));
        for (text, bits) in [("5", 5), ("0xFFFFFFFF", u32::MAX)] {
            let workarounds = with("MOCK_UMD_WORKAROUNDS", text).unwrap().workarounds;
            assert_eq!(workarounds, bits);
        }
        let family = with("MOCK_UMD_FAMILY", "Contoso").unwrap().family;
        assert_eq!(family.as_deref(), Some("Contoso"));
        assert_eq!(with("MOCK_UMD_ABI", "7").unwrap().abi, Some(7));
        let compiler = with("MOCK_UMD_COMPILER", "4.2.118.0").unwrap().compiler;
        assert_eq!(compiler, Some(0x0004_0002_0076_0000));
        let profile = with("MOCK_UMD_PROFILE", "1.3").unwrap().profile;
        assert_eq!(profile, Some(0x0001_0003_0000_0000));
        let caps = "D3D12DDICAPS_TYPE_OPTIONS_0109:0, D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE:1:0xA";
        let caps = with("MOCK_UMD_CAPS", caps).unwrap().caps;
        assert_eq!(caps[0], (D3D12DDICAPS_TYPE_OPTIONS_0109, vec![0]));
        assert_eq!(caps[1].1, [1, 10]);
        let fail = with(
            "MOCK_UMD_FAIL",
            "pfnMapHeap:E_OUTOFMEMORY, OpenAdapter12:0x80004005:3",
        );
        let fail = fail.unwrap().fail;
        assert_eq!(
            (&*fail[0].slot, fail[0].result, fail[0].nth),
            ("pfnMapHeap", E_OUTOFMEMORY, None)
        );
        assert_eq!(
            (&*fail[1].slot, fail[1].nth),
            ("OpenAdapter12", NonZeroU32::new(3))
        );
    }

    #[test]
    fn other_values_are_refused_by_name() {
        for (name, value) in [
            ("MOCK_UMD_ADAPTER", "Aurora"),
            ("MOCK_UMD_ADAPTER", "3"),
            ("MOCK_UMD_BUILD", "70000"),
            ("MOCK_UMD_BUILD", "108"),
            ("MOCK_UMD_BUILD", "116"),
            ("MOCK_UMD_REMOVED", "0"),
            ("MOCK_UMD_WORKAROUNDS", "0x"),
            ("MOCK_UMD_WORKAROUNDS", "0x100000000"),
            ("MOCK_UMD_TRACE", "no such folder/calls.jsonl"),
            ("MOCK_UMD_FAIL", "pfnMapHeap:E_FAIL:0"),
            ("MOCK_UMD_CAPS", "D3D12DDICAPS_TYPE_OPTIONS_0109"),
            ("MOCK_UMD_CAPS", "D3D12DDICAPS_TYPE_NOTHING:1"),
            ("MOCK_UMD_SLOW", "-1"),
            ("MOCK_UMD_FAIL", "pfnA:E_FAIL"),
            ("MOCK_UMD_FAIL", "pfnMapHeap"),
            ("MOCK_UMD_FAIL", ":E_FAIL"),
            ("MOCK_UMD_FAIL", "pfnMapHeap:S_OK"),
            ("MOCK_UMD_FAIL", "pfnMapHeap:E_NOTHING"),
            ("MOCK_UMD_FAIL", "pfnMapHeap:E_FAIL:1:2"),
            ("MOCK_UMD_FAIL", "pfnMapHeap:E_FAIL,"),
            ("MOCK_UMD_COMPILER", "4.2.118.0.1"),
            ("MOCK_UMD_COMPILER", "4.2.70000"),
        ] {
            let error = with(name, value).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{name}={value}: ")), "{error}");
        }
        let long = "x".repeat(128);
        with("MOCK_UMD_FAMILY", &long[1..]).unwrap();
        with("MOCK_UMD_FAMILY", &long).unwrap_err();
        for unknown in [
            set("MOCK_UMD_NOTHING", "1").err(),
            with("MOCK_UMD_NOTHING", "1").err(),
        ] {
            let unknown = unknown.unwrap().to_string();
            assert!(unknown.contains("MOCK_UMD_NOTHING"), "{unknown}");
            assert!(unknown.contains("MOCK_UMD_ADAPTER"), "{unknown}");
        }
        with("MOCK_RUNTIME", "1").unwrap();
    }

    #[test]
    fn a_wrong_switch_leaves_the_others() {
        let variables = [("MOCK_UMD_BUILD", "new"), ("MOCK_UMD_MEMORY", "7")];
        let variables = variables.map(|(name, value)| (name.to_string(), value.to_string()));
        let environment = Environment::of(variables);
        assert_eq!(environment.settings.memory, Some(7));
        let wrong = environment.wrong.unwrap().to_string();
        assert!(wrong.starts_with("MOCK_UMD_BUILD=new: "), "{wrong}");
    }

    #[test]
    fn every_switch_is_documented() {
        let text = include_str!("lib.rs");
        for Switch {
            name,
            value,
            meaning,
            ..
        } in SWITCHES
        {
            let row = format!("//! | `{name}` | {value} | {meaning} |\n");
            assert!(text.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_switch_can_be_set_and_set_back() {
        set("MOCK_UMD_PROFILE", "9").unwrap();
        assert_eq!(settings().unwrap().profile, Some(9));
        set("MOCK_UMD_PROFILE", "x").unwrap_err();
        assert_eq!(settings().unwrap().profile, Some(9));
        set("MOCK_UMD_PROFILE", "").unwrap();
        assert_eq!(settings().unwrap().profile, None);
    }
}
