//! What a defect needs of the plugin underneath to show, where a plugin need not have it: `where` in a row.
//!
//! The layer notes it when it meets it, so that nobody takes a defect for unnoticed that never came to act.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::defect::selected;

/// What a plugin need not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    HostsTable,
    SecondFamily,
    OtherFamilysAbi,
    TwoVersions,
    TwoAbiVersions,
    ThreeAbiVersions,
    TwoTargets,
    NoProfile,
    Mesh,
    StateObject,
    Addition,
    Collection,
    Graph,
    GenericProgram,
    Field,
    Find,
    FindSeveral,
    Found,
    FoundInPart,
    FoundAndStored,
    SecondStore,
    ThirdStore,
    FourthStore,
}

impl Need {
    fn words(self) -> &'static str {
        match self {
            Self::HostsTable => "an open that fills the host's table",
            Self::SecondFamily => "a second family",
            Self::OtherFamilysAbi => "an ABI version of one family that another lacks",
            Self::TwoVersions => "two DDI versions",
            Self::TwoAbiVersions => "two ABI versions of a family",
            Self::ThreeAbiVersions => "three ABI versions of a family",
            Self::TwoTargets => "two targets",
            Self::NoProfile => "an application without a profile",
            Self::Mesh => "mesh shaders",
            Self::StateObject => "state objects",
            Self::Addition => "additions to state objects",
            Self::Collection => "collections",
            Self::Graph => "work graphs",
            Self::GenericProgram => "generic programs",
            Self::Field => "an object with that field off its default",
            Self::Find => "a call of pfnCompilerCacheFindValue",
            Self::FindSeveral => "a call of pfnCompilerCacheFindValue for several values",
            Self::Found => "a compile that takes what it finds in the cache",
            Self::FoundInPart => {
                "a call of pfnCompilerCacheFindValue for several values, some of which are there"
            }
            Self::FoundAndStored => "a compile that finds object code and stores more",
            Self::SecondStore => "a compile with two calls of pfnCompilerCacheStoreValue",
            Self::ThirdStore => "a compile with three calls of pfnCompilerCacheStoreValue",
            Self::FourthStore => "a compile with four calls of pfnCompilerCacheStoreValue",
        }
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }

    fn is_met(self) -> bool {
        MET.load(Ordering::Relaxed) & self.bit() != 0
    }
}

/// The bits of what the layer has met in this process.
static MET: AtomicU32 = AtomicU32::new(0);

/// Notes that the plugin has something.
pub(crate) fn met(need: Need) {
    MET.fetch_or(need.bit(), Ordering::Relaxed);
}

/// Notes it if it is so.
pub(crate) fn met_if(is_so: bool, need: Need) {
    if is_so {
        met(need);
    }
}

/// The needs of the defects, by their names.
macro_rules! needs {
    ($(
        $(#[doc = $place:literal])*
        $group:ident {
            $($defect:ident = $name:literal $expected:ident $($rule:ident)* $($words:literal)?: $what:literal
                $(, where $need:ident)*
                $(, also $other:ident because $reason:literal)*
                $(, sometimes $chance:ident because $luck:literal)*;)*
        }
    )*) => {
        &[$($(($name, &[$(Need::$need),*] as &[Need]),)*)*] as &[(&str, &[Need])]
    };
}

/// What the defect of this process needs of the plugin and has not met so far, in words; `None` where it could
/// act.
pub fn unmet() -> Option<&'static str> {
    let selected = selected()?;
    let (name, _) = crate::defect::Defect::all().find(|(_, defect)| *defect == selected)?;
    let mut rows = crate::all_defects!(needs).into_iter().flatten();
    let (_, needs) = rows.find(|(known, _)| *known == name)?;
    needs
        .iter()
        .find(|need| !need.is_met())
        .map(|need| need.words())
}
