//! What the driver does otherwise than by default, so that its host can be tested: one table of
//! switches. Each is an environment variable `MOCK_UMD_…`, read when the library is first used, and can be set later by
//! [`set`] or the export `MockUmdSet`, for devices and calls after that.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};
use std::time::Duration;

use ddi_sys::{D3D12DDICAPS_TYPE, HRESULT};
use thiserror::Error;

use crate::tables;

/// The values of all switches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// Index of the adapter family that the adapter is of.
    pub(crate) adapter: u32,
    /// Newest DDI build that is shown to the host.
    pub(crate) build: Option<u16>,
    /// How long the creation of each object takes.
    pub(crate) slow: Duration,
    /// Slots that fail.
    pub(crate) fail: Vec<Failure>,
    /// Bytes of GPU memory, for all devices together.
    pub(crate) memory: Option<u64>,
    /// The ExecuteCommandLists call of a device that removes it, from 1.
    pub(crate) removed: Option<u32>,
    /// What is done for the application, one a bit.
    pub(crate) workarounds: u32,
    /// Where each call is written to.
    pub(crate) trace: Option<PathBuf>,
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
    pub(crate) nth: Option<u32>,
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
    "MOCK_UMD_ADAPTER", "a number",
        "index of the adapter family that the adapter is of: 0 Aurora, 1 Borealis, 2 Cirrus",
        adapter = number;
    "MOCK_UMD_BUILD", "a DDI build, such as 109",
        "the newest DDI build that the driver shows",
        build = |text| number(text).map(Some);
    "MOCK_UMD_SLOW", "milliseconds",
        "the creation of each object takes so long",
        slow = |text| number(text).map(Duration::from_millis);
    "MOCK_UMD_FAIL", "SLOT:HRESULT or SLOT:HRESULT:NTH, several with commas, such as pfnCreateHeapAndResource:E_OUTOFMEMORY:3",
        "these slots fail without doing anything: each call, or the NTH alone",
        fail = failures;
    "MOCK_UMD_MEMORY", "bytes",
        "so much GPU memory there is; a heap that goes beyond it gets E_OUTOFMEMORY",
        memory = |text| number(text).map(Some);
    "MOCK_UMD_REMOVED", "a number",
        "this ExecuteCommandLists call of a device removes it: DXGI_ERROR_DEVICE_REMOVED",
        removed = |text| number(text).map(Some);
    "MOCK_UMD_WORKAROUNDS", "a number, one workaround a bit",
        "what the driver does for the application: its application-specific state",
        workarounds = number;
    "MOCK_UMD_TRACE", "a file name",
        "each call but those that a list records is written there, a JSON object a line",
        trace = |text| Ok(Some(text.into()));
    "MOCK_UMD_FAMILY", "a name",
        "the adapter family that the driver says it is of",
        family = |text| Ok(Some(text.into()));
    "MOCK_UMD_ABI", "a version",
        "the one ABI version that the driver reads",
        abi = |text| version(text).map(Some);
    "MOCK_UMD_COMPILER", "a version, such as 4.2.118.0",
        "the version of the driver's compiler",
        compiler = |text| version(text).map(Some);
    "MOCK_UMD_PROFILE", "a version",
        "the version of the driver's profile of every application",
        profile = |text| version(text).map(Some);
    "MOCK_UMD_CAPS", "CAP:WORD, more words with colons, several caps with commas, such as D3D12DDICAPS_TYPE_OPTIONS_0109:0",
        "the answers of these capabilities begin with these 32-bit words",
        caps = caps;
}

fn caps(text: &str) -> Result<Vec<(D3D12DDICAPS_TYPE, Vec<u32>)>, String> {
    let cap = |text: &str| {
        let mut parts = text.trim().split(':');
        let name = parts.next().unwrap_or_default();
        let known = D3D12DDICAPS_TYPE::ENUMERATORS.iter();
        let cap = known.clone().find(|(_, known)| *known == name);
        let (cap, _) = cap.ok_or_else(|| format!("no capability is called {name}"))?;
        let words = parts.map(number).collect::<Result<Vec<_>, _>>()?;
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

/// The settings, or what is wrong with the environment.
static SETTINGS: LazyLock<RwLock<Result<Arc<Settings>, InvalidSwitch>>> = LazyLock::new(|| {
    let value = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let settings = from_values(value).inspect(note_failing);
    RwLock::new(settings.map(Arc::new))
});

fn from_values(value: impl Fn(&str) -> Option<String>) -> Result<Settings, InvalidSwitch> {
    let mut settings = Settings::default();
    for switch in SWITCHES {
        if let Some(value) = value(switch.name) {
            apply(&mut settings, switch, &value)?;
        }
    }
    Ok(settings)
}

fn note_failing(settings: &Settings) {
    FAILING.store(!settings.fail.is_empty(), Ordering::Relaxed);
    CALLS.lock().unwrap_or_else(PoisonError::into_inner).clear();
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
/// The environment has a value that a switch cannot have.
pub(crate) fn settings() -> Result<Arc<Settings>, InvalidSwitch> {
    SETTINGS
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
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
    let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let number = calls.entry(slot).or_default();
    *number += 1;
    failure
        .nth
        .is_none_or(|nth| nth == *number)
        .then_some(failure.result)
}

/// Sets a switch, by the name of its environment variable, for the process; an empty value is its
/// default.
///
/// # Errors
///
/// There is no such switch, or it cannot have the value.
pub fn set(name: &str, value: &str) -> Result<(), InvalidSwitch> {
    let switch = SWITCHES
        .iter()
        .find(|switch| switch.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = SWITCHES.iter().map(|switch| switch.name).collect();
            InvalidSwitch::Name(name.into(), names.join(", "))
        })?;
    let mut shared = SETTINGS.write().unwrap_or_else(PoisonError::into_inner);
    let mut settings = match &*shared {
        Ok(settings) => Settings::clone(settings),
        Err(error) => return Err(error.clone()),
    };
    apply(&mut settings, switch, value)?;
    note_failing(&settings);
    *shared = Ok(Arc::new(settings));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ddi_sys::{D3D12DDICAPS_TYPE_OPTIONS_0109, E_OUTOFMEMORY};

    fn with(name: &str, value: &str) -> Result<Settings, InvalidSwitch> {
        assert!(SWITCHES.iter().any(|switch| switch.name == name), "{name}");
        from_values(|asked| (asked == name).then(|| value.into()))
    }

    #[test]
    fn values_are_read_as_documented() {
        assert_eq!(with("MOCK_UMD_ADAPTER", "2").unwrap().adapter, 2);
        assert_eq!(with("MOCK_UMD_BUILD", "109").unwrap().build, Some(109));
        let slow = with("MOCK_UMD_SLOW", "250").unwrap().slow;
        assert_eq!(slow, Duration::from_millis(250));
        assert_eq!(
            with("MOCK_UMD_MEMORY", "65536").unwrap().memory,
            Some(65536)
        );
        assert_eq!(with("MOCK_UMD_REMOVED", "1").unwrap().removed, Some(1));
        assert_eq!(with("MOCK_UMD_WORKAROUNDS", "5").unwrap().workarounds, 5);
        let trace = with("MOCK_UMD_TRACE", "calls.jsonl").unwrap().trace;
        assert_eq!(trace, Some("calls.jsonl".into()));
        let family = with("MOCK_UMD_FAMILY", "Contoso").unwrap().family;
        assert_eq!(family.as_deref(), Some("Contoso"));
        assert_eq!(with("MOCK_UMD_ABI", "7").unwrap().abi, Some(7));
        let compiler = with("MOCK_UMD_COMPILER", "4.2.118.0").unwrap().compiler;
        assert_eq!(compiler, Some(0x0004_0002_0076_0000));
        let profile = with("MOCK_UMD_PROFILE", "1.3").unwrap().profile;
        assert_eq!(profile, Some(0x0001_0003_0000_0000));
        let caps = "D3D12DDICAPS_TYPE_OPTIONS_0109:0, D3D12DDICAPS_TYPE_MEMORY_ARCHITECTURE:1:1";
        let caps = with("MOCK_UMD_CAPS", caps).unwrap().caps;
        assert_eq!(caps[0], (D3D12DDICAPS_TYPE_OPTIONS_0109, vec![0]));
        assert_eq!(caps[1].1, [1, 1]);
        let fail = with(
            "MOCK_UMD_FAIL",
            "pfnMapHeap:E_OUTOFMEMORY, OpenAdapter12:0x80004005:3",
        );
        let fail = fail.unwrap().fail;
        assert_eq!(
            (&*fail[0].slot, fail[0].result, fail[0].nth),
            ("pfnMapHeap", E_OUTOFMEMORY, None)
        );
        assert_eq!((&*fail[1].slot, fail[1].nth), ("OpenAdapter12", Some(3)));
    }

    #[test]
    fn other_values_are_refused_by_name() {
        for (name, value) in [
            ("MOCK_UMD_ADAPTER", "Aurora"),
            ("MOCK_UMD_BUILD", "70000"),
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
        let unknown = set("MOCK_UMD_NOTHING", "1").unwrap_err().to_string();
        assert!(unknown.contains("MOCK_UMD_ADAPTER"), "{unknown}");
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
