//! The types of the arguments: value types, targets, applications, options.

use bitflags::bitflags;
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

bitflags! {
    /// A set of value types: `D3D12_COMPILER_VALUE_TYPE_FLAGS`, by its bits.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct ValueTypes: u32 {
        /// [`ValueType::ObjectCode`].
        const OBJECT_CODE = 1;
        /// [`ValueType::Metadata`].
        const METADATA = 2;
        /// [`ValueType::DebugPdb`].
        const DEBUG_PDB = 4;
        /// [`ValueType::PerformanceData`].
        const PERFORMANCE_DATA = 8;
        /// All types.
        const ALL = 15;
    }
}

impl ValueTypes {
    /// No type.
    pub const NONE: Self = Self::empty();

    /// Whether the set has the type.
    pub fn has(self, kind: ValueType) -> bool {
        self.contains(kind.into())
    }

    /// The types of the set, by number.
    pub fn kinds(self) -> impl Iterator<Item = ValueType> {
        ValueType::ALL
            .into_iter()
            .filter(move |kind| self.has(*kind))
    }
}

impl From<ValueType> for ValueTypes {
    fn from(kind: ValueType) -> Self {
        Self::from_bits_retain(1 << kind as u32)
    }
}

impl FromIterator<ValueType> for ValueTypes {
    fn from_iter<I: IntoIterator<Item = ValueType>>(types: I) -> Self {
        types.into_iter().map(Self::from).collect()
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
    /// Whether the session commits many objects at a time. A file that it creates then has pages of [`PAGE_SIZE`](super::PAGE_SIZE)
    /// at once: with 9 KiB in a value, a batch takes 25 % less time.
    pub commits_batches: bool,
}
