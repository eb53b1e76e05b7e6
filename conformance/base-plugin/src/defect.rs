//! What the libraries with defects have in common: how a defect is declared and selected.
//!
//! A file that deviates has the rows of its defects in a macro of its own, which gives them to another
//! macro: to [`defects!`](crate::defects) in the library, and to `rows!` in the tests of the suite, where
//! the rules are known.

use std::env;
use std::ffi::OsStr;

/// The environment variable that selects a defect by its name; unset, or [`NONE`], selects none.
pub const VARIABLE: &str = "DDI_DEFECT";

/// The name of the library without a defect.
pub const NONE: &str = "none";

/// The defect of this process among `all`.
///
/// # Errors
///
/// The selected name, which none of them has.
pub fn select<D>(all: impl Iterator<Item = (&'static str, D)>) -> Result<Option<D>, String> {
    named(&env::var_os(VARIABLE).unwrap_or_else(|| NONE.into()), all)
}

/// The defect of a name among `all`, which for [`NONE`] is none.
///
/// # Errors
///
/// The name, which none of them has.
pub fn named<D>(
    name: &OsStr,
    mut all: impl Iterator<Item = (&'static str, D)>,
) -> Result<Option<D>, String> {
    if name == NONE {
        return Ok(None);
    }
    match all.find(|(known, _)| name == *known) {
        Some((_, defect)) => Ok(Some(defect)),
        None => Err(name.to_string_lossy().into_owned()),
    }
}

/// What comes of using `pointer` without a check: a fault of the processor if it is null.
pub fn follow<T>(pointer: *const T) {
    if pointer.is_null() {
        // Not at 0 itself, which Rust's own checks would catch.
        // SAFETY: none; that is the defect.
        unsafe { pointer.cast::<u8>().wrapping_add(1).read_volatile() };
    }
}

/// Makes an enumeration of each group of rows. A row is
/// `Variant = "name" expected RULE: "what the library does";`, where `expected RULE` is one of
///
/// - `breaks RULE`: the rule is broken;
/// - `notes RULE "words"`: every rule holds, and the report says these words of this one;
/// - `passes`: every rule holds, as the specification leaves the choice;
/// - `leaves RULE RULE`: these rules do not apply, and every other one holds;
/// - `undecided RULE`: no rule is broken, those of level MUST are left undecided, and these do not apply.
///
/// `, where NEED` names what the defect needs of the plugin to show; `broken-plugin` reads that.
/// At its end may come other rules that notice the defect, each with the reason why that cannot be helped:
/// `, also RULE because "reason"`; and rules that notice it by chance: `, sometimes RULE because "reason"`.
#[macro_export]
macro_rules! defects {
    ($(
        $(#[doc = $place:literal])*
        $group:ident {
            $($defect:ident = $name:literal $expected:ident $($rule:ident)* $($words:literal)?: $what:literal
                $(, where $need:ident)*
                $(, also $other:ident because $reason:literal)*
                $(, sometimes $chance:ident because $luck:literal)*;)*
        }
    )*) => {
        $(
            $(#[doc = $place])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub(crate) enum $group {
                $(#[doc = $what] $defect,)*
            }

            impl $group {
                /// Every one with its name.
                pub(crate) const ALL: &[(&'static str, Self)] = &[$(($name, Self::$defect)),*];
            }
        )*
    };
}

/// Makes one enumeration, `Defect`, of all groups.
#[macro_export]
macro_rules! defect {
    ($($group:ident),* $(,)?) => {
        /// One defect, by its group.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Defect {
            $($group($group),)*
        }

        $(impl From<$group> for Defect {
            fn from(defect: $group) -> Self {
                Self::$group(defect)
            }
        })*

        impl Defect {
            /// Every one with its name.
            pub(crate) fn all() -> impl Iterator<Item = (&'static str, Self)> {
                std::iter::empty()
                    $(.chain($group::ALL.iter().map(|(name, one)| (*name, Self::$group(*one)))))*
            }
        }
    };
}
