//! Fault plans: what goes wrong in one compile call.
//!
//! A plan is a list, as in `find#2=E_OUTOFMEMORY; store#0=ALREADY_EXISTS; find#*=grow`. Each entry names a
//! callback of the host (or `alloc`, an allocation on the plugin's heap), which of its calls, and the answer. Of
//! two entries that are about one call the first counts.

use std::fmt;
use std::str::FromStr;

use conformance_catalogue::{Rule, rules};
use ddi_sys::{DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_NOT_FOUND, HRESULT};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What goes wrong in one compile call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan(Vec<Fault>);

/// One entry of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is answered.
    pub on: On,
    /// Which calls of it.
    pub which: Which,
    /// The answer.
    pub answer: Answer,
}

impl From<Fault> for FaultPlan {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

impl Fault {
    /// Whether it is how a callback answers when another thread stores the value meanwhile.
    fn is_race(&self) -> bool {
        match self.on {
            On::Find => {
                [Answer::Failure(DXGI_ERROR_NOT_FOUND), Answer::Partial].contains(&self.answer)
            }
            On::Store => self.answer == Answer::Failure(DXGI_ERROR_ALREADY_EXISTS),
            On::Keys | On::Alloc => false,
        }
    }
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// pfnCompilerCacheFindValue.
    Find,
    /// pfnCompilerCacheStoreValue.
    Store,
    /// pfnCompilerCacheSetObjectValueKeys.
    Keys,
    /// The functions that allocate on the heap, when the plugin calls them on the thread of the compile call.
    Alloc,
}

/// Which calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The one of this number, from 0.
    Number(usize),
    /// The first for each key.
    FirstOfEachKey,
    /// Every one.
    All,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This failure, and nothing is done. A store that is answered DXGI_ERROR_ALREADY_EXISTS is done, as another
    /// thread would have done it just before.
    Failure(HRESULT),
    /// No memory.
    Null,
    /// A size check gets more than twice the size, and a buffer that is smaller than that is too small.
    Grow,
    /// A size check gets half the size.
    Shrink,
    /// One of the types that are there is not there.
    Partial,
}

const CALLBACKS: [(On, &str); 4] = [
    (On::Find, "find"),
    (On::Store, "store"),
    (On::Keys, "keys"),
    (On::Alloc, "alloc"),
];

/// The answers that have words, each with what gives it.
const WORDS: [(Answer, &str, On); 4] = [
    (Answer::Null, "null", On::Alloc),
    (Answer::Grow, "grow", On::Find),
    (Answer::Shrink, "shrink", On::Find),
    (Answer::Partial, "partial", On::Find),
];

/// Names of results are given without it.
const PREFIX: &str = "DXGI_ERROR_";

impl FaultPlan {
    /// Nothing goes wrong.
    pub const NONE: Self = Self(Vec::new());

    /// A plan of these entries.
    pub fn new(faults: impl Into<Vec<Fault>>) -> Self {
        Self(faults.into())
    }

    /// A plan of one entry.
    pub fn of(on: On, which: Which, answer: Answer) -> Self {
        Fault { on, which, answer }.into()
    }

    /// Its entries.
    pub fn faults(&self) -> &[Fault] {
        &self.0
    }

    /// Whether the test of a rule makes its compile calls under a plan like this one.
    pub fn is_for(&self, rule: Rule) -> bool {
        let all = |wanted: fn(&Fault) -> bool| self.0.iter().all(wanted);
        if [rules::P_PSO_12, rules::P_PSO_14].contains(&rule) {
            all(|fault| fault.on != On::Alloc)
        } else if rule == rules::P_PSO_13 {
            all(Fault::is_race)
        } else {
            rule == rules::P_BND_02 && all(|fault| fault.on == On::Alloc)
        }
    }

    /// Its entries that are only races.
    #[must_use]
    pub fn races(&self) -> Self {
        Self(self.0.iter().copied().filter(Fault::is_race).collect())
    }

    /// The answer to a call of this number, if it is another than usual.
    pub fn answer(&self, on: On, number: usize, first_of_its_key: bool) -> Option<Answer> {
        let mut faults = self.0.iter();
        let fault = faults.find(|fault| {
            fault.on == on
                && match fault.which {
                    Which::Number(meant) => meant == number,
                    Which::FirstOfEachKey => first_of_its_key,
                    Which::All => true,
                }
        });
        fault.map(|fault| fault.answer)
    }
}

/// In the form that is parsed.
impl Serialize for FaultPlan {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FaultPlan {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for FaultPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, fault) in self.0.iter().enumerate() {
            write!(f, "{}{fault}", if number == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = CALLBACKS.iter().find(|(on, _)| *on == self.on);
        write!(f, "{}#", on.map_or("", |(_, name)| name))?;
        match self.which {
            Which::Number(number) => write!(f, "{number}=")?,
            Which::FirstOfEachKey => write!(f, "?=")?,
            Which::All => write!(f, "*=")?,
        }
        match self.answer {
            Answer::Failure(result) => match result.name() {
                Some(name) => f.write_str(name.strip_prefix(PREFIX).unwrap_or(name)),
                None => write!(f, "{:#010X}", result.0),
            },
            answer => {
                let word = WORDS.iter().find(|(known, ..)| *known == answer);
                f.write_str(word.map_or("", |(_, word, _)| word))
            }
        }
    }
}

/// Why a text is no fault plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: {what}")]
pub struct FaultPlanError {
    /// The number of the first character that does not fit, from 1.
    pub at: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl FromStr for FaultPlan {
    type Err = FaultPlanError;

    fn from_str(text: &str) -> Result<Self, FaultPlanError> {
        let parser = Parser { text };
        let faults = text.split(';').map(|entry| parser.entry(entry));
        faults.collect::<Result<_, _>>().map(Self)
    }
}

struct Parser<'t> {
    text: &'t str,
}

impl Parser<'_> {
    fn entry(&self, entry: &str) -> Result<Fault, FaultPlanError> {
        let form = "an entry is CALLBACK#CALL=ANSWER, as in store#0=E_FAIL";
        let Some((call, answer)) = entry.split_once('=') else {
            return Err(self.error(entry, format!("no '=': {form}")));
        };
        let Some((on, which)) = call.split_once('#') else {
            return Err(self.error(call, format!("no '#': {form}")));
        };
        let on = self.on(on)?;
        let which = self.which(which, on)?;
        let answer = self.answer(answer, on)?;
        Ok(Fault { on, which, answer })
    }

    fn on(&self, text: &str) -> Result<On, FaultPlanError> {
        let known = CALLBACKS.iter().find(|(_, name)| *name == text.trim());
        known.map(|(on, _)| *on).ok_or_else(|| {
            let what = format!(
                "'{}' is no callback: it is find, store, keys or alloc",
                text.trim()
            );
            self.error(text, what)
        })
    }

    fn which(&self, text: &str, on: On) -> Result<Which, FaultPlanError> {
        match text.trim() {
            "*" => Ok(Which::All),
            "?" if matches!(on, On::Find | On::Store) => Ok(Which::FirstOfEachKey),
            "?" => {
                let what = "only find and store have a key: '?' is the first call for each key";
                Err(self.error(text, what.into()))
            }
            number => number.parse().map(Which::Number).map_err(|_| {
                let what =
                    format!("'{number}' is no call: it is a number from 0, '*' for all, or '?'");
                self.error(text, what)
            }),
        }
    }

    fn answer(&self, text: &str, on: On) -> Result<Answer, FaultPlanError> {
        let word = text.trim();
        if let Some((answer, _, of)) = WORDS.iter().find(|(_, known, _)| *known == word) {
            if *of == on {
                return Ok(*answer);
            }
            let of = CALLBACKS.iter().find(|(on, _)| on == of);
            let of = of.map_or("", |(_, name)| name);
            return Err(self.error(text, format!("only {of} is answered '{word}'")));
        }
        if on == On::Alloc {
            return Err(self.error(text, "alloc is answered null".into()));
        }
        let hexadecimal = word.strip_prefix("0x");
        let number = hexadecimal.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let named =
            || HRESULT::from_name(word).or_else(|| HRESULT::from_name(&[PREFIX, word].concat()));
        match number
            .map(|bits| HRESULT(bits.cast_signed()))
            .or_else(named)
        {
            Some(result) if !result.is_ok() => Ok(Answer::Failure(result)),
            Some(result) => Err(self.error(text, format!("{result} is no failure"))),
            None => {
                let what = format!(
                    "'{word}' is no answer: it is a failure by its name or as 0x80004005, \
                     or grow, shrink, partial of find, or null of alloc"
                );
                Err(self.error(text, what))
            }
        }
    }

    /// `part` is a part of the text.
    fn error(&self, part: &str, what: String) -> FaultPlanError {
        let spaces = part.len() - part.trim_start().len();
        let offset = part.as_ptr().addr() - self.text.as_ptr().addr() + spaces;
        let before = self.text.get(..offset).unwrap_or(self.text);
        let at = before.chars().count() + 1;
        FaultPlanError { at, what }
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, CALLBACKS, Fault, FaultPlan, On, WORDS, Which};
    use ddi_sys::{DXGI_ERROR_NOT_FOUND, E_FAIL, HRESULT};
    use proptest::prelude::*;

    fn fault() -> impl Strategy<Value = Fault> {
        let on = prop::sample::select(CALLBACKS.map(|(on, _)| on).to_vec());
        on.prop_flat_map(|on| {
            let mut which = vec![any::<usize>().prop_map(Which::Number).boxed()];
            which.push(Just(Which::All).boxed());
            if matches!(on, On::Find | On::Store) {
                which.push(Just(Which::FirstOfEachKey).boxed());
            }
            let words = WORDS.iter().filter(move |(_, _, of)| *of == on);
            let mut answers: Vec<_> = words.map(|(answer, ..)| Just(*answer).boxed()).collect();
            if on != On::Alloc {
                let failures = [E_FAIL, DXGI_ERROR_NOT_FOUND];
                let named = prop::sample::select(failures.to_vec());
                let any = (i32::MIN..0).prop_map(HRESULT);
                let failure = prop_oneof![named, any].prop_map(Answer::Failure);
                answers.push(failure.boxed());
            }
            let (which, answers) = (
                prop::strategy::Union::new(which),
                prop::strategy::Union::new(answers),
            );
            (which, answers).prop_map(move |(which, answer)| Fault { on, which, answer })
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_is_parsed(faults in prop::collection::vec(fault(), 1..5)) {
            let plan = FaultPlan::new(faults);
            prop_assert_eq!(plan.to_string().parse(), Ok(plan));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[a-z#*?=; 0-9äE_]{0,40}") {
            let _ = text.parse::<FaultPlan>();
        }
    }

    #[test]
    fn plans_of_people_are_understood() {
        for (text, printed) in [
            ("find#2=E_OUTOFMEMORY", "find#2=E_OUTOFMEMORY"),
            (
                " store # 0 = ALREADY_EXISTS ;keys#*=0x80004005",
                "store#0=ALREADY_EXISTS; keys#*=E_FAIL",
            ),
            ("find#?=DXGI_ERROR_NOT_FOUND", "find#?=NOT_FOUND"),
            ("find#*=grow; alloc#1=null", "find#*=grow; alloc#1=null"),
            ("store#1=0x80070070", "store#1=0x80070070"),
        ] {
            assert_eq!(text.parse::<FaultPlan>().unwrap().to_string(), printed);
        }
    }

    #[test]
    fn errors_say_where_and_what() {
        for (text, at, what) in [
            ("", 1, "no '='"),
            ("find#0=E_FAIL;", 15, "no '='"),
            ("find=E_FAIL", 1, "no '#'"),
            (
                "find#0=E_FAIL; fetch#0=E_FAIL",
                16,
                "'fetch' is no callback",
            ),
            ("find#first=E_FAIL", 6, "'first' is no call"),
            ("keys#?=E_FAIL", 6, "only find and store have a key"),
            ("find#0=E_FOO", 8, "'E_FOO' is no answer"),
            ("find#0=null", 8, "only alloc is answered 'null'"),
            ("store#0= grow", 10, "only find is answered 'grow'"),
            ("alloc#0=E_FAIL", 9, "alloc is answered null"),
            ("find#0=S_OK", 8, "is no failure"),
            ("find#0=ü", 8, "'ü' is no answer"),
        ] {
            let error = text.parse::<FaultPlan>().unwrap_err();
            assert_eq!(error.at, at, "{text}: {error}");
            assert!(
                error.what.starts_with(what) || error.what.ends_with(what),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn the_first_entry_that_is_meant_counts() {
        let plan: FaultPlan = "find#1=grow; find#?=E_FAIL; find#*=shrink".parse().unwrap();
        assert_eq!(plan.answer(On::Find, 1, true), Some(Answer::Grow));
        assert_eq!(
            plan.answer(On::Find, 0, true),
            Some(Answer::Failure(E_FAIL))
        );
        assert_eq!(plan.answer(On::Find, 2, false), Some(Answer::Shrink));
        assert_eq!(plan.answer(On::Store, 1, true), None);
    }
}
