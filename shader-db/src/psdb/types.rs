//! The types of the arguments: value types, targets, applications, options.

use std::ops::{BitAnd, BitOr};

use compatibility::Origin;

pub use compatibility::Application;

/// The type of a value: `D3D12_COMPILER_VALUE_TYPE`, by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ValueType {
    /// The code that the driver runs.
    ObjectCode = 0,
    /// The plugin's data about object code.
    Metadata = 1,
    /// Debug information.
    DebugPdb = 2,
    /// The data that performance tools read.
    PerformanceData = 3,
}

impl ValueType {
    /// All types, by number.
    pub const ALL: [Self; 4] = [
        Self::ObjectCode,
        Self::Metadata,
        Self::DebugPdb,
        Self::PerformanceData,
    ];

    /// The type with a number.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }
}

/// A set of value types: `D3D12_COMPILER_VALUE_TYPE_FLAGS`, by its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValueTypes(u8);

impl ValueTypes {
    /// No type.
    pub const NONE: Self = Self(0);
    /// All types.
    pub const ALL: Self = Self(0b1111);

    /// The set of these flags; none if a bit has no type.
    pub fn from_bits(bits: u32) -> Option<Self> {
        u8::try_from(bits)
            .ok()
            .filter(|bits| bits & !Self::ALL.0 == 0)
            .map(Self)
    }

    /// The flags.
    pub fn bits(self) -> u32 {
        self.0.into()
    }

    /// Whether the set has the type.
    pub fn contains(self, kind: ValueType) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// Whether the set has no type.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The types of the set, by number.
    pub fn iter(self) -> impl Iterator<Item = ValueType> {
        ValueType::ALL
            .into_iter()
            .filter(move |kind| self.contains(*kind))
    }
}

impl From<ValueType> for ValueTypes {
    fn from(kind: ValueType) -> Self {
        Self(1 << kind as u8)
    }
}

impl BitOr for ValueTypes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for ValueTypes {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl FromIterator<ValueType> for ValueTypes {
    fn from_iter<I: IntoIterator<Item = ValueType>>(types: I) -> Self {
        types
            .into_iter()
            .fold(Self::NONE, |set, kind| set | kind.into())
    }
}

/// The target that the values are compiled for, and the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Name of the adapter family.
    pub family: String,
    /// ABI version, never 0.
    pub abi: u64,
    /// Version of the compiler. For a file, the oldest that has compiled something in it.
    pub compiler_version: u64,
    /// Version of the application profile.
    pub profile_version: u64,
}

impl Target {
    /// Target and application together, for comparison with those of a file.
    pub fn origin<'a>(&'a self, application: &'a Application) -> Origin<'a> {
        Origin {
            family: &self.family,
            abi: self.abi,
            compiler: self.compiler_version,
            profile: self.profile_version,
            application,
        }
    }
}

/// How a session opens its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// For finding only; a missing file is an error. Files of another maker with the same tables can be read.
    Read,
    /// For finding and storing; a missing file is an error.
    Write,
    /// For finding and storing; a missing file is created.
    #[default]
    Create,
}

/// The options of a session.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The session compares it with that of an existing file. Needed if every file is new.
    pub application: Option<Application>,
    /// The session compares it with that of an existing file, by the table of [`verdict`](compatibility::verdict).
    /// Needed if every file is new.
    pub target: Option<Target>,
    /// How the session opens the files.
    pub access: Access,
}
