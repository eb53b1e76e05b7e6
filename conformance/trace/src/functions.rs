//! The functions of the DDI: one table, from which come the layer's functions, what a trace says of a call, and the call that is
//! made again.

use std::ffi::c_void;
use std::ptr;

use ddi_schema::{Count, Described, Field, Item, Kind, Member, Target, Type, Way};
#[allow(
    clippy::wildcard_imports,
    reason = "the table has every function of the DDI"
)]
use ddi_sys::*;

use crate::record;

/// What a function takes, and what it returns.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) function: Function,
    /// The arguments as a structure: a word for each.
    pub(crate) arguments: Type,
    pub(crate) returns: Returns,
}

/// The size of an argument in the structure of them.
const WORD: usize = size_of::<u64>();

/// The arguments of a function as a structure.
const fn arguments(name: &'static str, fields: &'static [Field]) -> Type {
    Type {
        name,
        size: fields.len() * WORD,
        align: WORD,
        fields,
    }
}

/// The members of that structure.
const fn members<const N: usize>(parameters: [(&'static str, Kind); N]) -> [Field; N] {
    let mut fields = [Field {
        name: "",
        offset: 0,
        kind: Kind::Function,
    }; N];
    let mut index = 0;
    while index < N {
        let (name, kind) = parameters[index];
        fields[index] = Field {
            name,
            offset: index * WORD,
            kind,
        };
        index += 1;
    }
    fields
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    Nothing,
    Result,
    Bool,
    Size,
    Address,
}

/// The functions of one open, and those of its host.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tables {
    pub(crate) ddi: D3D12DDI_COMPILER_DDI_FUNCS,
    pub(crate) capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    pub(crate) compiler: D3D12DDI_COMPILER_FUNCS,
    pub(crate) host: D3D12DDI_COMPILER_CACHE_CALLBACKS,
}

/// A value that a function takes or returns, as the number that it is in a register.
trait Word {
    fn to_word(self) -> u64;
    fn from_word(word: u64) -> Self;
}

macro_rules! numbers {
    ($($type:ty)*) => {
        $(impl Word for $type {
            #[allow(clippy::cast_lossless, reason = "one of the types is as large as a pointer")]
            fn to_word(self) -> u64 {
                self as u64
            }

            #[allow(clippy::cast_possible_truncation, reason = "it was of this type before it was a word")]
            fn from_word(word: u64) -> Self {
                word as Self
            }
        })*
    };
}
numbers! { u32 u64 usize }

macro_rules! integers {
    ($($type:ident)*) => {
        $(impl Word for $type {
            fn to_word(self) -> u64 {
                self.0.cast_unsigned().into()
            }

            fn from_word(word: u64) -> Self {
                Self(u32::from_word(word).cast_signed())
            }
        })*
    };
}
integers! {
    HRESULT DXGI_FORMAT D3D12DDI_COMPILER_TABLE_TYPE D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS
}

impl Word for BOOL {
    fn to_word(self) -> u64 {
        self.cast_unsigned().into()
    }

    fn from_word(word: u64) -> Self {
        u32::from_word(word).cast_signed()
    }
}

impl Word for () {
    fn to_word(self) -> u64 {
        0
    }

    fn from_word(_: u64) -> Self {}
}

impl<T> Word for *mut T {
    fn to_word(self) -> u64 {
        self.expose_provenance() as u64
    }

    fn from_word(word: u64) -> Self {
        ptr::with_exposed_provenance_mut(usize::from_word(word))
    }
}

impl<T> Word for *const T {
    fn to_word(self) -> u64 {
        self.expose_provenance() as u64
    }

    fn from_word(word: u64) -> Self {
        ptr::with_exposed_provenance(usize::from_word(word))
    }
}

macro_rules! handles {
    ($($type:ident.$field:ident)*) => {
        $(impl Word for $type {
            fn to_word(self) -> u64 {
                self.$field.to_word()
            }

            fn from_word(word: u64) -> Self {
                Self { $field: Word::from_word(word) }
            }
        })*
    };
}
handles! {
    D3D12DDI_HCOMPILERDDI.pDrvPrivate D3D12DDI_HCOMPILER.pDrvPrivate D3D12DDI_HCOMPILERSTATEOBJECT.pDrvPrivate
    D3D12DDI_HRTCOMPILER.handle D3D12DDI_HRTCOMPILERCACHESESSION.handle
}

impl Word for PFND3D12DDI_COMPILER_ALLOCATION {
    fn to_word(self) -> u64 {
        self.map_or(0, |function| function as usize as u64)
    }

    fn from_word(word: u64) -> Self {
        let function: *const c_void = ptr::with_exposed_provenance(usize::from_word(word));
        // SAFETY: null, or the function that the word was made of.
        unsafe { std::mem::transmute(function) }
    }
}

/// The type of what a function returns, where it is no HRESULT.
macro_rules! returns {
    (HRESULT) => {
        Returns::Result
    };
    (BOOL) => {
        Returns::Bool
    };
    (SIZE_T) => {
        Returns::Size
    };
    (()) => {
        Returns::Nothing
    };
}

macro_rules! functions {
    ($($table:ident $type:ident {
        $($name:ident($($parameter:ident: $ptype:ty $(= $kind:expr)?),* $(,)?) -> $result:tt;)*
    })*) => {
        /// A function of the DDI, by its C name.
        #[allow(non_camel_case_types, clippy::enum_variant_names, reason = "the names are C's")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Function {
            D3D12OpenCompilerDDI,
            /// PFND3D12DDI_COMPILER_ALLOCATION, which has no name in a table.
            Allocation,
            $($($name,)*)*
        }

        impl Function {
            const NAMES: &[(Self, &'static str)] = &[
                (Self::D3D12OpenCompilerDDI, "D3D12OpenCompilerDDI"),
                (Self::Allocation, "PFND3D12DDI_COMPILER_ALLOCATION"),
                $($((Self::$name, stringify!($name)),)*)*
            ];

            pub(crate) const SIGNATURES: &[&'static Signature] = &[&OPEN, &ALLOCATION, $($(&Signature {
                function: Self::$name,
                arguments: arguments(stringify!($name), &const { members([$((
                    stringify!($parameter),
                    functions!(@kind $ptype $(= $kind)?),
                )),*]) }),
                returns: returns!($result),
            },)*)*];
        }

        /// Calls a function of the tables with words for its arguments.
        ///
        /// # Safety
        ///
        /// The table has this function of the DDI, and the words are arguments that it takes.
        ///
        /// `None` where the entry is null, or the function is in no table.
        #[allow(non_snake_case, reason = "the names are C's")]
        pub(crate) unsafe fn invoke(function: Function, tables: &Tables, words: &[u64]) -> Option<u64> {
            match (function, words) {
                $($((Function::$name, &[$($parameter),*]) => {
                    let function = tables.$table.$name?;
                    // SAFETY: a function of the DDI, and what it takes (`# Safety`).
                    Some(unsafe { function($(Word::from_word($parameter)),*) }.to_word())
                })*)*
                _ => None,
            }
        }

        /// The layer's functions for an open: what they are called with goes to [`record::through`].
        #[allow(non_snake_case, reason = "the names are C's")]
        mod layer {
            use super::*;

            $($(
                /// # Safety
                ///
                /// That of the DDI's function of this name.
                pub(super) unsafe extern "system" fn $name<const SLOT: usize>($($parameter: $ptype),*) -> $result {
                    let words = [$($parameter.to_word()),*];
                    // SAFETY: the caller keeps the DDI, and the words are its arguments.
                    Word::from_word(unsafe { record::through(SLOT, Function::$name, &words) })
                }
            )*)*
        }

        $(
            /// The layer's table of an open.
            pub(crate) const fn $table<const SLOT: usize>() -> $type {
                $type { $($name: Some(layer::$name::<SLOT>)),* }
            }
        )*

        /// The layer's entries where there are any under them.
        pub(crate) mod masked {
            use super::*;

            $(#[allow(dead_code, reason = "the first table is masked where it is filled")]
            pub(crate) fn $table(under: &$type, layer: &$type) -> $type {
                $type { $($name: under.$name.and(layer.$name)),* }
            })*
        }
    };
    (@kind $type:ty) => { <$type as Member>::KIND };
    (@kind $type:ty = $kind:expr) => { $kind };
}

/// A pointer to so many.
const fn pointer(item: Item, count: Count, way: Way) -> Kind {
    Kind::Pointer(Target {
        way,
        ..Target::new(item, count)
    })
}

/// A pointer to an array.
const fn array<T: Described>(count: Count, way: Way) -> Kind {
    pointer(Item::Of(T::of), count, way)
}

/// A pointer to one.
const fn one<T: Described>(way: Way) -> Kind {
    array::<T>(Count::Is(1), way)
}

/// A count: room for so many in, so many there are out.
const COUNT: Kind = one::<UINT>(Way::InOut);

static OPEN: Signature = Signature {
    function: Function::D3D12OpenCompilerDDI,
    arguments: arguments(
        "D3D12OpenCompilerDDI",
        &const {
            members([(
                "pOpenDDIArg",
                one::<D3D12DDIARG_COMPILER_OPEN_DDI>(Way::InOut),
            )])
        },
    ),
    returns: Returns::Result,
};

static ALLOCATION: Signature = Signature {
    function: Function::Allocation,
    arguments: arguments(
        "PFND3D12DDI_COMPILER_ALLOCATION",
        &const {
            members([
                ("SizeInBytes", SIZE_T::KIND),
                ("pContext", <*mut c_void>::KIND),
            ])
        },
    ),
    returns: Returns::Address,
};

functions! {
    ddi D3D12DDI_COMPILER_DDI_FUNCS {
        pfnDestroyCompilerDDI(hCompilerDDI: D3D12DDI_HCOMPILERDDI) -> ();
        pfnGetSupportedVersions(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            puEntries: *mut UINT32 = COUNT,
            pSupportedPluginDDIVersions: *mut UINT64 =
                array::<D3D12DDI_VERSION_NUMBER>(Count::SaysAt("puEntries"), Way::Out),
        ) -> HRESULT;
        pfnSetSelectedVersion(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            PluginDDIVersion: UINT64 = D3D12DDI_VERSION_NUMBER::KIND,
            UsermodeDDIVersion: UINT64 = D3D12DDI_VERSION_NUMBER::KIND,
        ) -> HRESULT;
        pfnFillDDITable(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            tableType: D3D12DDI_COMPILER_TABLE_TYPE,
            pTable: *mut c_void = pointer(Item::Bytes, Count::Says("tableSize"), Way::Out),
            tableSize: SIZE_T,
        ) -> HRESULT;
        pfnSetCallbackDDITable(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            tableType: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
            pTable: *const c_void = one::<D3D12DDI_COMPILER_CACHE_CALLBACKS>(Way::In),
            TableSize: SIZE_T,
        ) -> HRESULT;
    }
    capabilities D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
        pfnGetCaps(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            pTarget: *const D3D12DDI_COMPILER_TARGET,
            pApplicationDesc: *const D3D12DDI_APPLICATION_DESC,
            pCaps: *const D3D12DDIARG_GETCAPS = one::<D3D12DDIARG_GETCAPS>(Way::InOut),
        ) -> HRESULT;
        pfnEnumerateAdapterFamilies(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            AdapterFamilyIndex: UINT,
            pAdapterFamily: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY = one::<D3D12DDI_COMPILER_ADAPTER_FAMILY>(Way::Out),
        ) -> HRESULT;
        pfnGetAdapterFamilyABIVersions(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            AdapterFamilyIndex: UINT,
            pNumABIVersions: *mut UINT = COUNT,
            pABIVersions: *mut UINT64 = array::<UINT64>(Count::SaysAt("pNumABIVersions"), Way::Out),
        ) -> HRESULT;
        pfnGetCompilerVersion(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            AdapterFamilyIndex: UINT,
            pCompilerVersion: *mut D3D12DDI_VERSION_NUMBER = one::<D3D12DDI_VERSION_NUMBER>(Way::Out),
        ) -> HRESULT;
        pfnGetApplicationProfileVersion(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            pTarget: *const D3D12DDI_COMPILER_TARGET,
            pApplicationDesc: *const D3D12DDI_APPLICATION_DESC,
            pApplicationProfileVersion: *mut D3D12DDI_VERSION_NUMBER = one::<D3D12DDI_VERSION_NUMBER>(Way::Out),
        ) -> HRESULT;
        pfnCheckFormatSupport(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            pTarget: *const D3D12DDI_COMPILER_TARGET,
            Format: DXGI_FORMAT,
            pFormatSupport: *mut UINT = one::<UINT>(Way::Out),
        ) -> HRESULT;
        pfnCheckMultisampleQualityLevels(
            hCompilerDDI: D3D12DDI_HCOMPILERDDI,
            pTarget: *const D3D12DDI_COMPILER_TARGET,
            Format: DXGI_FORMAT,
            SampleCount: UINT,
            QualityLevel: UINT,
        ) -> BOOL;
    }
    compiler D3D12DDI_COMPILER_FUNCS {
        pfnCalcPrivateCompilerSize(
            pTarget: *const D3D12DDI_COMPILER_TARGET,
            pApplicationDesc: *const D3D12DDI_APPLICATION_DESC,
        ) -> SIZE_T;
        pfnCreateCompiler(
            pTarget: *const D3D12DDI_COMPILER_TARGET,
            pApplicationDesc: *const D3D12DDI_APPLICATION_DESC,
            hCompiler: D3D12DDI_HCOMPILER,
            hRTCompiler: D3D12DDI_HRTCOMPILER,
        ) -> HRESULT;
        pfnDestroyCopiler(hCompiler: D3D12DDI_HCOMPILER) -> ();
        pfnCompilePipelineState(
            hCompiler: D3D12DDI_HCOMPILER,
            hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
            ValueTypeFlags: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
            pPipelineStateArg: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
        ) -> HRESULT;
        pfnCalcPrivateStateObjectSize(
            hCompiler: D3D12DDI_HCOMPILER,
            pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        ) -> SIZE_T;
        pfnCompileCreateStateObject(
            hCompiler: D3D12DDI_HCOMPILER,
            hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
            ValueTypeFlags: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
            pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
            hStateObject: D3D12DDI_HCOMPILERSTATEOBJECT,
        ) -> HRESULT;
        pfnCalcPrivateAddToStateObjectSize(
            hCompiler: D3D12DDI_HCOMPILER,
            pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
            StateObjectToGrowFrom: D3D12DDI_HCOMPILERSTATEOBJECT,
        ) -> SIZE_T;
        pfnCompileAddToStateObject(
            hCompiler: D3D12DDI_HCOMPILER,
            hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
            ValueTypeFlags: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
            pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
            StateObjectToGrowFrom: D3D12DDI_HCOMPILERSTATEOBJECT,
            hStateObject: D3D12DDI_HCOMPILERSTATEOBJECT,
        ) -> HRESULT;
        pfnDestroyStateObject(
            hCompiler: D3D12DDI_HCOMPILER,
            hStateObject: D3D12DDI_HCOMPILERSTATEOBJECT,
        ) -> ();
    }
    host D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheFindValue(
            hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
            pValueKey: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
            pValues: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE =
                array::<D3D12DDI_COMPILER_CACHE_TYPED_VALUE>(Count::Says("NumValues"), Way::InOut),
            NumValues: UINT,
            pCallbackFunc: PFND3D12DDI_COMPILER_ALLOCATION = Kind::Function,
            pContext: *mut c_void,
        ) -> HRESULT;
        pfnCompilerCacheStoreValue(
            hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
            pValueKey: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
            pValues: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE =
                array::<D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE>(Count::Says("NumValues"), Way::In),
            NumValues: UINT,
        ) -> HRESULT;
        pfnCompilerCacheSetObjectValueKeys(
            hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
            pValueKeys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY =
                array::<D3D12DDI_COMPILER_CACHE_VALUE_KEY>(Count::Says("NumValueKeys"), Way::In),
            NumValueKeys: UINT,
        ) -> HRESULT;
    }
}

impl Function {
    /// The function of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let known = Self::NAMES.iter().find(|(_, known)| *known == name);
        known.map(|(function, _)| *function)
    }

    /// Its C name.
    pub(crate) fn name(self) -> &'static str {
        let known = Self::NAMES.iter().find(|(function, _)| *function == self);
        known.map_or("", |(_, name)| *name)
    }

    pub(crate) fn signature(self) -> &'static Signature {
        let known = Self::SIGNATURES.iter().find(|known| known.function == self);
        known.copied().unwrap_or(&OPEN)
    }

    /// Whether the plugin calls it.
    pub(crate) fn is_callback(self) -> bool {
        matches!(
            self,
            Self::pfnCompilerCacheFindValue
                | Self::pfnCompilerCacheStoreValue
                | Self::pfnCompilerCacheSetObjectValueKeys
        )
    }
}

impl Signature {
    /// Which of the parameters has this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.arguments.field(name).map(|(place, _)| place)
    }

    pub(crate) fn parameters(&self) -> &'static [Field] {
        self.arguments.fields
    }
}

#[cfg(test)]
mod tests {
    use super::{Function, Signature};
    use ddi_schema::{Count, Kind};

    #[test]
    fn every_function_has_a_name_and_a_signature_of_its_own() {
        assert_eq!(Function::NAMES.len(), Function::SIGNATURES.len());
        for (function, name) in Function::NAMES {
            assert_eq!(Function::named(name), Some(*function));
            assert_eq!(function.signature().function, *function);
        }
        assert_eq!(Function::NAMES.len(), 2 + 5 + 7 + 9 + 3);
    }

    #[test]
    fn what_a_count_depends_on_is_a_parameter() {
        let of = |signature: &Signature| {
            for parameter in signature.parameters() {
                if let Kind::Pointer(target) = parameter.kind
                    && let Count::Says(other) | Count::SaysAt(other) = target.count
                {
                    assert!(signature.place(other).is_some(), "{}", parameter.name);
                }
            }
        };
        Function::SIGNATURES.iter().copied().for_each(of);
    }
}
