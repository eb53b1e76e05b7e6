//! What a rule says.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rules;

/// How strong an obligation is; the strongest is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The specification demands it. Breaking it is a failure.
    Must,
    /// The specification implies it, or a good plugin does it. Breaking it is a warning, and a
    /// failure when strictness is asked for.
    Should,
    /// The specification can be read in more than one way. A library that keeps to one of the readings
    /// passes, and the report says which one it is.
    Ambiguous,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::Ambiguous => "AMBIGUOUS",
        })
    }
}

/// Who has the obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// The compiler plugin.
    Plugin,
    /// The compiler runtime, towards the program that calls its API.
    Runtime,
    /// The compiler runtime, as the host of a plugin.
    Host,
    /// The user-mode driver.
    Driver,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Plugin => "plugin",
            Self::Runtime => "runtime",
            Self::Host => "host",
            Self::Driver => "driver",
        })
    }
}

/// What there is to say of one rule.
#[derive(Debug)]
pub(crate) struct Text {
    /// It never changes its meaning and is never used again.
    pub(crate) id: &'static str,
    pub(crate) level: Level,
    pub(crate) section: &'static str,
    pub(crate) reading: &'static str,
    pub(crate) why: &'static str,
    pub(crate) hint: &'static str,
    pub(crate) untestable: Option<&'static str>,
}

/// A rule: what the specifications oblige a plugin, a compiler runtime or a driver to. Two are equal when their
/// ids are.
#[derive(Clone, Copy)]
pub struct Rule(&'static Text);

impl Rule {
    /// The rule with this text. An id that begins with the letter of no party is an error of the compiler.
    pub(crate) const fn new(text: &'static Text) -> Self {
        assert!(
            matches!(text.id.as_bytes(), [b'P' | b'R' | b'H' | b'U', b'-', ..]),
            "an id begins with P-, R-, H- or U-"
        );
        Self(text)
    }

    /// The id: `P-ABI-05`.
    pub const fn id(self) -> &'static str {
        self.0.id
    }

    /// How strong the obligation is.
    pub const fn level(self) -> Level {
        self.0.level
    }

    /// The id but for its number: `P-ABI`.
    pub fn family(self) -> &'static str {
        self.id()
            .rsplit_once('-')
            .map_or(self.id(), |(family, _)| family)
    }

    /// Who has the obligation, which the id's first letter says.
    pub const fn party(self) -> Party {
        match self.0.id.as_bytes() {
            [b'P', ..] => Party::Plugin,
            [b'R', ..] => Party::Runtime,
            [b'U', ..] => Party::Driver,
            _ => Party::Host,
        }
    }

    /// Whether it is of the plugin DDI, on either side.
    pub const fn is_of_the_plugin_ddi(self) -> bool {
        matches!(self.party(), Party::Plugin | Party::Host)
    }

    /// The heading of ShaderCompilerPlugin.md that the rule is found under; for drivers the document, then the heading.
    pub const fn section(self) -> &'static str {
        self.0.section
    }

    /// The obligation as we read it, in one sentence.
    pub const fn reading(self) -> &'static str {
        self.0.reading
    }

    /// What goes wrong in the field when the rule is broken.
    pub const fn why(self) -> &'static str {
        self.0.why
    }

    /// How to repair a plugin or a runtime that breaks the rule.
    pub const fn hint(self) -> &'static str {
        self.0.hint
    }

    /// Why no test can decide the rule from outside; `None` for a rule that has a test.
    pub const fn untestable(self) -> Option<&'static str> {
        self.0.untestable
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Rule {}

impl Hash for Rule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// As its id.
impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.id())
    }
}

/// From an id.
impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        rules::find(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}
