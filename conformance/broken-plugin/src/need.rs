//! What a defect needs of the plugin underneath to show, where a plugin need not have it.

use defects::Need as Words;

macro_rules! needs {
    ($($need:ident $words:literal;)*) => {
        $(pub(crate) static $need: Words = Words::new($words);)*
    };
}

needs! {
    HOSTS_TABLE "an open that fills the host's table";
    SECOND_FAMILY "a second family";
    OTHER_FAMILYS_ABI "an ABI version of one family that another lacks";
    TWO_VERSIONS "two DDI versions";
    TWO_ABI_VERSIONS "two ABI versions of a family";
    THREE_ABI_VERSIONS "three ABI versions of a family";
    TWO_TARGETS "two targets";
    NO_PROFILE "an application without a profile";
    MESH "mesh shaders";
    STATE_OBJECT "state objects";
    ADDITION "additions to state objects";
    COLLECTION "collections";
    GRAPH "work graphs";
    GENERIC_PROGRAM "generic programs";
    FIELD "an object with that field off its default";
    FIND "a call of pfnCompilerCacheFindValue";
    FIND_SEVERAL "a call of pfnCompilerCacheFindValue for several values";
    FOUND "a compile that takes what it finds in the cache";
    FOUND_IN_PART "a call of pfnCompilerCacheFindValue for several values, some of which are there";
    FOUND_AND_STORED "a compile that finds object code and stores more";
    SECOND_STORE "a compile with two calls of pfnCompilerCacheStoreValue";
    THIRD_STORE "a compile with three calls of pfnCompilerCacheStoreValue";
    FOURTH_STORE "a compile with four calls of pfnCompilerCacheStoreValue";
}

/// What a defect of a field needs.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    Field,
}

/// Notes it if it is so.
pub(crate) fn met_if(is_so: bool, need: Need) {
    match need {
        Need::Field => FIELD.met_if(is_so),
    }
}
