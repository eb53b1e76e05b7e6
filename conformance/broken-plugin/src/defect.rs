//! The defects of this library, and the plugin that they are in front of.

use std::cell::Cell;
use std::ffi::OsStr;

use base_plugin::{Base, EntryPoint, PluginEntry as _};
use defects::Row;
use parking_lot::RwLock;

use crate::LIBRARY;
use crate::about::*;
use crate::fields::Fields;
use crate::places::*;
use crate::subobjects::Subobjects;

/// The plugin underneath; [`Base`] unless [`in_front_of`] sets another.
static UNDERNEATH: RwLock<Option<EntryPoint>> = RwLock::new(None);

pub(crate) fn underneath() -> EntryPoint {
    UNDERNEATH.read().unwrap_or_else(Base::entry_point)
}

/// Puts the layer with the defect of this name in front of another plugin, and gives the entry point of both:
/// [`open_compiler_ddi`](crate::open_compiler_ddi). A process has one defect: only the first name counts.
pub fn in_front_of(plugin: EntryPoint, defect: &OsStr) -> EntryPoint {
    *UNDERNEATH.write() = Some(plugin);
    LIBRARY.select(defect);
    crate::open_compiler_ddi
}

/// A defect that shows where a field is off its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defect {
    Fields(Fields),
    Subobjects(Subobjects),
}

/// The defect of this process, if it is one of a field.
pub(crate) fn selected() -> Option<Defect> {
    let name = LIBRARY.row()?.defect.name;
    let mut fields = Fields::ALL.iter();
    let mut subobjects = Subobjects::ALL.iter();
    let of_field = fields.find(|(known, _)| *known == name);
    let of_subobject = subobjects.find(|(known, _)| *known == name);
    of_field
        .map(|(_, defect)| Defect::Fields(*defect))
        .or_else(|| of_subobject.map(|(_, defect)| Defect::Subobjects(*defect)))
}

/// Makes an enumeration of the defects of fields, and their rows, which have no hooks.
macro_rules! of_fields {
    ($(#[doc = $place:literal])* $group:ident {
        $($defect:ident = $name:literal $expected:ident $($rule:ident)* $($words:literal)?: $what:literal
            $(, where $need:ident)*;)*
    }) => {
        $(#[doc = $place])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $group {
            $(#[doc = $what] $defect,)*
        }

        impl $group {
            /// Every one with its name.
            pub(crate) const ALL: &[(&'static str, Self)] = &[$(($name, Self::$defect)),*];
        }

        use $crate::places::Hook;

        defects::rows! {
            Hook, $crate::about::About;
            $($name $expected $($rule)* $($words)?: $what $(, needs $crate::defect::of_fields!(@need $need))*;)*
        }
    };
    (@need Field) => { $crate::need::FIELD };
    (@need Find) => { $crate::need::FIND };
    (@need FoundInPart) => { $crate::need::FOUND_IN_PART };
    (@need NoProfile) => { $crate::need::NO_PROFILE };
}

pub(crate) use of_fields;

/// Makes an enumeration of the defects that one of a field can have where the field is off its default.
macro_rules! sessions {
    ($($session:ident = $name:literal;)*) => {
        /// A defect that one of a field has where the field is off its default.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Session {
            $($session,)*
        }

        impl Session {
            fn name(self) -> &'static str {
                match self {
                    $(Self::$session => $name,)*
                }
            }
        }
    };
}

sessions! {
    KeysTwice = "session-keys-twice";
    KeyOfNoValue = "session-key-of-no-value";
    Unrequested = "session-unrequested";
    LeavesOut = "session-leaves-out";
    EmptyValue = "session-empty-value";
    SameType = "session-same-type";
    NullKey = "session-null-key";
    Previous = "session-previous";
    KeysOfStored = "session-keys-of-stored";
    KeyFromAddress = "session-key-from-address";
    KeyFromPadding = "session-key-from-padding";
    KeyFromOpen = "session-key-from-open";
    KeyWithTargets = "session-key-with-targets";
    KeyIsLong = "session-key-is-long";
    CodeFromTime = "session-code-from-time";
    CodeFromName = "session-code-from-name";
    FindsNoKey = "session-finds-no-key";
    RaceLost = "session-race-lost";
    StoreFailureIgnored = "session-store-failure-ignored";
    LaterSkipped = "session-later-skipped";
    NoTypesUnnamed = "session-no-types-unnamed";
    UnnamedOfGeometry = "session-unnamed-of-geometry";
}

/// The defect that acts: that of the process, or the one that a defect of a field has now.
pub(crate) struct Acting;

pub(crate) static ACTING: Acting = Acting;

thread_local! {
    static OF_FIELD: Cell<Option<&'static Row<Hook, About>>> = const { Cell::new(None) };
}

/// Compiles with another defect than that of the process, whatever its conditions.
pub(crate) fn as_in<R>(other: Session, compile: impl FnOnce() -> R) -> R {
    OF_FIELD.set(Some(LIBRARY.row_of(other.name())));
    let result = compile();
    OF_FIELD.set(None);
    result
}

impl Acting {
    /// The hook that acts where a call is about that.
    pub(crate) fn hook<F>(
        &self,
        pick: impl Fn(&Hook) -> Option<F>,
        about: impl FnOnce() -> Option<About>,
    ) -> Option<F> {
        match OF_FIELD.get() {
            Some(row) => row.hook(pick, || None),
            None => LIBRARY.hook(pick, about),
        }
    }
}
