//! `d3d12compiler.h`: factories, cache sessions, compilers.
//!
//! ShaderCompilerPlugin.md, "Microsoft API", has a section for each item under the item's name, and
//! for each method under `INTERFACE::METHOD`. `GetFactory`, `GetCompiler`, `GetCacheSession` and
//! [`D3D12_COMPILER_EXISTING_COLLECTION_DESC`] are in the header only; where the two differ, this is
//! the header. [`ID3D12Compiler1`] is of its preview 1.721.1, everything else of 1.619.

use core::ffi::c_void;
use core::mem::ManuallyDrop;

use windows_core::{GUID, HRESULT, IUnknown, PCWSTR, Ref, interface};

use crate::{
    D3D12_APPLICATION_DESC, D3D12_EXPORT_DESC, D3D12_PIPELINE_STATE_STREAM_DESC,
    D3D12_STATE_OBJECT_DESC, D3D12_VERSION_NUMBER,
};

/// What a value holds.
pub type D3D12_COMPILER_VALUE_TYPE = i32;
/// Code that the driver runs.
pub const D3D12_COMPILER_VALUE_TYPE_OBJECT_CODE: D3D12_COMPILER_VALUE_TYPE = 0;
/// What the driver needs beside the code.
pub const D3D12_COMPILER_VALUE_TYPE_METADATA: D3D12_COMPILER_VALUE_TYPE = 1;
/// Debug information.
pub const D3D12_COMPILER_VALUE_TYPE_DEBUG_PDB: D3D12_COMPILER_VALUE_TYPE = 2;
/// What a tool shows of the code's performance.
pub const D3D12_COMPILER_VALUE_TYPE_PERFORMANCE_DATA: D3D12_COMPILER_VALUE_TYPE = 3;

/// A set of [`D3D12_COMPILER_VALUE_TYPE`]s: 1 shifted left by each.
pub type D3D12_COMPILER_VALUE_TYPE_FLAGS = u32;
/// No type.
pub const D3D12_COMPILER_VALUE_TYPE_FLAGS_NONE: D3D12_COMPILER_VALUE_TYPE_FLAGS = 0;
/// [`D3D12_COMPILER_VALUE_TYPE_OBJECT_CODE`].
pub const D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE: D3D12_COMPILER_VALUE_TYPE_FLAGS = 1;
/// [`D3D12_COMPILER_VALUE_TYPE_METADATA`].
pub const D3D12_COMPILER_VALUE_TYPE_FLAGS_METADATA: D3D12_COMPILER_VALUE_TYPE_FLAGS = 2;
/// [`D3D12_COMPILER_VALUE_TYPE_DEBUG_PDB`].
pub const D3D12_COMPILER_VALUE_TYPE_FLAGS_DEBUG_PDB: D3D12_COMPILER_VALUE_TYPE_FLAGS = 4;
/// [`D3D12_COMPILER_VALUE_TYPE_PERFORMANCE_DATA`].
pub const D3D12_COMPILER_VALUE_TYPE_FLAGS_PERFORMANCE_DATA: D3D12_COMPILER_VALUE_TYPE_FLAGS = 8;

/// A family of adapters that share compiled values.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct D3D12_ADAPTER_FAMILY {
    /// Its name, NUL-terminated.
    pub szAdapterFamily: [u16; 128],
}

impl Default for D3D12_ADAPTER_FAMILY {
    fn default() -> Self {
        Self {
            szAdapterFamily: [0; 128],
        }
    }
}

/// A database file of a session.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_COMPILER_DATABASE_PATH {
    /// The types of value that it holds.
    pub Types: D3D12_COMPILER_VALUE_TYPE_FLAGS,
    /// Where it is.
    pub pPath: PCWSTR,
}

/// The application's key of what it had compiled.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_COMPILER_CACHE_GROUP_KEY {
    /// Its bytes.
    pub pKey: *const c_void,
    /// Their number.
    pub KeySize: u32,
}

/// The compiler's key of what it produced.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_COMPILER_CACHE_VALUE_KEY {
    /// Its bytes.
    pub pKey: *const c_void,
    /// Their number.
    pub KeySize: u32,
}

/// A value to be read into.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_COMPILER_CACHE_VALUE {
    /// Its bytes.
    pub pValue: *mut c_void,
    /// Their number.
    pub ValueSize: u32,
}

/// A value to be read into, and of which type.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_COMPILER_CACHE_TYPED_VALUE {
    /// What it holds.
    pub Type: D3D12_COMPILER_VALUE_TYPE,
    /// The value.
    pub Value: D3D12_COMPILER_CACHE_VALUE,
}

/// A value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_COMPILER_CACHE_CONST_VALUE {
    /// Its bytes.
    pub pValue: *const c_void,
    /// Their number.
    pub ValueSize: u32,
}

/// A value and its type.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_COMPILER_CACHE_TYPED_CONST_VALUE {
    /// What it holds.
    pub Type: D3D12_COMPILER_VALUE_TYPE,
    /// The value.
    pub Value: D3D12_COMPILER_CACHE_CONST_VALUE,
}

/// What to compile for.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_COMPILER_TARGET {
    /// Index of the adapter family.
    pub AdapterFamilyIndex: u32,
    /// ABI version; 0 is the latest.
    pub ABIVersion: u64,
}

/// Payload of `D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION`.
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct D3D12_COMPILER_EXISTING_COLLECTION_DESC {
    /// The collection.
    pub pExistingCollection: ManuallyDrop<Option<ID3D12CompilerStateObject>>,
    /// Number of exports taken from it; 0 takes all.
    pub NumExports: u32,
    /// The exports.
    pub pExports: *const D3D12_EXPORT_DESC,
}

/// Allocates memory for a value, aligned for any type; null when there is none.
pub type D3D12CompilerCacheSessionAllocationFunc =
    Option<unsafe extern "system" fn(SizeInBytes: usize, pContext: *mut c_void) -> *mut c_void>;

/// Takes one value key of a group; the key is valid during the call.
pub type D3D12CompilerCacheSessionGroupValueKeysFunc = Option<
    unsafe extern "system" fn(
        pValueKey: *const D3D12_COMPILER_CACHE_VALUE_KEY,
        pContext: *mut c_void,
    ),
>;

/// Takes one value of a group; the value is valid during the call.
pub type D3D12CompilerCacheSessionGroupValuesFunc = Option<
    unsafe extern "system" fn(
        ValueKeyIndex: u32,
        pTypedValue: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
        pContext: *mut c_void,
    ),
>;

/// What a factory makes.
#[interface("e0d06420-9f31-47e8-ae9a-dd2ba25ac0bc")]
pub unsafe trait ID3D12CompilerFactoryChild: IUnknown {
    /// The factory that made the object, as `riid`.
    pub unsafe fn GetFactory(
        &self,
        riid: *const GUID,
        ppCompilerFactory: *mut *mut c_void,
    ) -> HRESULT;
}

/// A compiler plugin.
#[interface("c1ee4b59-3f59-47a5-9b4e-a855c858a878")]
pub unsafe trait ID3D12CompilerFactory: IUnknown {
    /// The adapter family of an index; DXGI_ERROR_NOT_FOUND after the last.
    pub unsafe fn EnumerateAdapterFamilies(
        &self,
        AdapterFamilyIndex: u32,
        pAdapterFamily: *mut D3D12_ADAPTER_FAMILY,
    ) -> HRESULT;

    /// The ABI versions of a family; with a null array, their number.
    pub unsafe fn EnumerateAdapterFamilyABIVersions(
        &self,
        AdapterFamilyIndex: u32,
        pNumABIVersions: *mut u32,
        pABIVersions: *mut u64,
    ) -> HRESULT;

    /// The version of a family's compiler.
    pub unsafe fn EnumerateAdapterFamilyCompilerVersion(
        &self,
        AdapterFamilyIndex: u32,
        pCompilerVersion: *mut D3D12_VERSION_NUMBER,
    ) -> HRESULT;

    /// The version of what the compiler knows about an application.
    pub unsafe fn GetApplicationProfileVersion(
        &self,
        pTarget: *const D3D12_COMPILER_TARGET,
        pApplicationDesc: *const D3D12_APPLICATION_DESC,
        pApplicationProfileVersion: *mut D3D12_VERSION_NUMBER,
    ) -> HRESULT;

    /// Opens or creates database files.
    pub unsafe fn CreateCompilerCacheSession(
        &self,
        pPaths: *const D3D12_COMPILER_DATABASE_PATH,
        NumPaths: u32,
        pTarget: *const D3D12_COMPILER_TARGET,
        pApplicationDesc: *const D3D12_APPLICATION_DESC,
        riid: *const GUID,
        ppCompilerCacheSession: *mut *mut c_void,
    ) -> HRESULT;

    /// Makes a compiler that stores into a session.
    pub unsafe fn CreateCompiler(
        &self,
        pCompilerCacheSession: Ref<ID3D12CompilerCacheSession>,
        riid: *const GUID,
        ppCompiler: *mut *mut c_void,
    ) -> HRESULT;
}

/// `GetCompilerTarget` returns a structure by value, which is a different call on each system; the
/// rest of the interface is the same.
macro_rules! cache_session {
    ($($GetCompilerTarget:tt)*) => {
        /// Database files.
        #[interface("5704e5e6-054b-4738-b661-7b0d68d8dde2")]
        pub unsafe trait ID3D12CompilerCacheSession: ID3D12CompilerFactoryChild {
            /// Whether a group exists, and its version.
            pub unsafe fn FindGroup(
                &self,
                pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
                pGroupVersion: *mut u32,
            ) -> HRESULT;

            /// Calls back with each value key of a group.
            pub unsafe fn FindGroupValueKeys(
                &self,
                pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
                pExpectedGroupVersion: *const u32,
                CallbackFunc: D3D12CompilerCacheSessionGroupValueKeysFunc,
                pContext: *mut c_void,
            ) -> HRESULT;

            /// Calls back with each value of a group.
            pub unsafe fn FindGroupValues(
                &self,
                pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
                pExpectedGroupVersion: *const u32,
                ValueTypeFlags: D3D12_COMPILER_VALUE_TYPE_FLAGS,
                CallbackFunc: D3D12CompilerCacheSessionGroupValuesFunc,
                pContext: *mut c_void,
            ) -> HRESULT;

            /// Copies values of a key, or tells their sizes.
            pub unsafe fn FindValue(
                &self,
                pValueKey: *const D3D12_COMPILER_CACHE_VALUE_KEY,
                pTypedValues: *mut D3D12_COMPILER_CACHE_TYPED_VALUE,
                NumTypedValues: u32,
                pCallbackFunc: D3D12CompilerCacheSessionAllocationFunc,
                pContext: *mut c_void,
            ) -> HRESULT;

            /// The application; valid as long as the session.
            pub unsafe fn GetApplicationDesc(&self) -> *const D3D12_APPLICATION_DESC;

            $($GetCompilerTarget)*

            /// The types of value that the session stores.
            pub unsafe fn GetValueTypes(&self) -> D3D12_COMPILER_VALUE_TYPE_FLAGS;

            /// Stores a group: the keys of its values.
            pub unsafe fn StoreGroupValueKeys(
                &self,
                pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
                GroupVersion: u32,
                pValueKeys: *const D3D12_COMPILER_CACHE_VALUE_KEY,
                NumValueKeys: u32,
            ) -> HRESULT;

            /// Stores values under a key.
            pub unsafe fn StoreValue(
                &self,
                pValueKey: *const D3D12_COMPILER_CACHE_VALUE_KEY,
                pTypedValues: *const D3D12_COMPILER_CACHE_TYPED_CONST_VALUE,
                NumTypedValues: u32,
            ) -> HRESULT;
        }
    };
}

#[cfg(windows)]
cache_session! {
    /// What the session's values are for, written to `RetVal`, which is also the result:
    /// [`compiler_target`](ID3D12CompilerCacheSession::compiler_target) is the same on every system.
    pub unsafe fn GetCompilerTarget(
        &self,
        RetVal: *mut D3D12_COMPILER_TARGET,
    ) -> *mut D3D12_COMPILER_TARGET;
}

#[cfg(not(windows))]
cache_session! {
    /// What the session's values are for.
    pub unsafe fn GetCompilerTarget(&self) -> D3D12_COMPILER_TARGET;
}

impl ID3D12CompilerCacheSession {
    /// Calls `GetCompilerTarget`: what the session's values are for.
    ///
    /// # Safety
    ///
    /// As for every method: the object is what its type says.
    pub unsafe fn compiler_target(&self) -> D3D12_COMPILER_TARGET {
        #[cfg(windows)]
        {
            let mut target = D3D12_COMPILER_TARGET::default();
            // SAFETY: COM: `self` is a live object of its type (`# Safety`); `RetVal` is to one D3D12_COMPILER_TARGET,
            // `target`.
            unsafe { self.GetCompilerTarget(&raw mut target) };
            target
        }
        #[cfg(not(windows))]
        // SAFETY: COM: `self` is a live object of its type (`# Safety`), and the method takes no pointer.
        unsafe {
            self.GetCompilerTarget()
        }
    }
}

/// The method `GetCompilerTarget` of an implementation of [`ID3D12CompilerCacheSession`], on every
/// system: `GetCompilerTarget! { self => self.target }` in the `impl` block.
#[macro_export]
macro_rules! GetCompilerTarget {
    ($this:ident => $target:expr) => {
        #[cfg(windows)]
        unsafe fn GetCompilerTarget(
            &$this,
            RetVal: *mut $crate::D3D12_COMPILER_TARGET,
        ) -> *mut $crate::D3D12_COMPILER_TARGET {
            let target: $crate::D3D12_COMPILER_TARGET = $target;
            // SAFETY: the caller's compiler reserves the place of the result.
            unsafe { RetVal.write(target) };
            RetVal
        }

        #[cfg(not(windows))]
        unsafe fn GetCompilerTarget(&$this) -> $crate::D3D12_COMPILER_TARGET {
            $target
        }
    };
}

/// A compiled state object, for additions and collections.
#[interface("5981cca4-e8ae-44ca-9b92-4fa86f5a3a3a")]
pub unsafe trait ID3D12CompilerStateObject: IUnknown {
    /// The compiler that made it, as `riid`.
    pub unsafe fn GetCompiler(&self, riid: *const GUID, ppCompiler: *mut *mut c_void) -> HRESULT;
}

/// Compiles into a session.
#[interface("8c403c12-993b-4583-80f1-6824138fa68e")]
pub unsafe trait ID3D12Compiler: ID3D12CompilerFactoryChild {
    /// Compiles a pipeline and stores it as a group.
    pub unsafe fn CompilePipelineState(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        GroupVersion: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT;

    /// Compiles a state object and stores it as a group.
    pub unsafe fn CompileStateObject(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        GroupVersion: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        riid: *const GUID,
        ppCompilerStateObject: *mut *mut c_void,
    ) -> HRESULT;

    /// Compiles an addition to a state object and stores the result as a group.
    pub unsafe fn CompileAddToStateObject(
        &self,
        pGroupKey: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        GroupVersion: u32,
        pAddition: *const D3D12_STATE_OBJECT_DESC,
        pCompilerStateObjectToGrowFrom: Ref<ID3D12CompilerStateObject>,
        riid: *const GUID,
        ppNewCompilerStateObject: *mut *mut c_void,
    ) -> HRESULT;

    /// The session that the compiler stores into, as `riid`.
    pub unsafe fn GetCacheSession(
        &self,
        riid: *const GUID,
        ppCompilerCacheSession: *mut *mut c_void,
    ) -> HRESULT;
}

/// Compiles for several group keys at once. Preview 1.721.1 of d3d12compiler.h.
#[interface("e524f9f2-497e-43e2-9386-02d53bdc2d52")]
pub unsafe trait ID3D12Compiler1: ID3D12Compiler {
    /// Compiles a pipeline and stores it as each group.
    pub unsafe fn CompilePipelineState1(
        &self,
        pGroupKeys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pDesc: *const D3D12_PIPELINE_STATE_STREAM_DESC,
    ) -> HRESULT;

    /// Compiles a state object and stores it as each group.
    pub unsafe fn CompileStateObject1(
        &self,
        pGroupKeys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pDesc: *const D3D12_STATE_OBJECT_DESC,
        riid: *const GUID,
        ppCompilerStateObject: *mut *mut c_void,
    ) -> HRESULT;

    /// Compiles an addition to a state object and stores the result as each group.
    pub unsafe fn CompileAddToStateObject1(
        &self,
        pGroupKeys: *const D3D12_COMPILER_CACHE_GROUP_KEY,
        pVersions: *const u32,
        NumGroupKeys: u32,
        pAddition: *const D3D12_STATE_OBJECT_DESC,
        pCompilerStateObjectToGrowFrom: Ref<ID3D12CompilerStateObject>,
        riid: *const GUID,
        ppNewCompilerStateObject: *mut *mut c_void,
    ) -> HRESULT;
}
