//! The plugin DDI itself: handles, versions, descs, cache values and function tables.

use core::ffi::c_void;
use core::fmt;

use bytemuck::Zeroable;

use crate::base::{BOOL, HANDLE, PCWSTR, SIZE_T, UINT, UINT16, UINT32, UINT64, WCHAR};
use crate::caps::D3D12DDIARG_GETCAPS;
use crate::dxgi::DXGI_FORMAT;
use crate::hresult::HRESULT;
use crate::pipeline_state::D3D12DDIARG_CREATE_PIPELINE_STATE_0099;
use crate::state_object::D3D12DDIARG_CREATE_STATE_OBJECT_0054;

/// The plugin's object for one open; versions are negotiated on it, and its tables end with it.
///
/// Specification: ShaderCompilerPlugin.md, "Handle: D3D12DDI_HCOMPILERDDI".
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HCOMPILERDDI {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The host's object for one open; kept for callbacks to come.
///
/// Specification: ShaderCompilerPlugin.md, "Callback Handle: D3D12DDI_HRTCOMPILERDDI".
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTCOMPILERDDI {
    /// The host's value, opaque to the plugin.
    pub handle: HANDLE,
}

/// The plugin's compiler object, in memory that the host allocated.
///
/// Specification: ShaderCompilerPlugin.md, "Handle: D3D12DDI_HCOMPILER".
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HCOMPILER {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

/// The host's compiler object.
///
/// Specification: ShaderCompilerPlugin.md, "Callback Handle: D3D12DDI_HRTCOMPILER".
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTCOMPILER {
    /// The host's value, opaque to the plugin.
    pub handle: HANDLE,
}

/// The host's cache session, alive for a single compile call.
///
/// Specification: ShaderCompilerPlugin.md, "Callback Handle: D3D12DDI_HRTCOMPILERCACHESESSION".
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HRTCOMPILERCACHESESSION {
    /// The host's value, opaque to the plugin.
    pub handle: HANDLE,
}

/// The plugin's state object, in memory that the host allocated.
///
/// Specification: ShaderCompilerPlugin.md, "Handle: D3D12DDI_HCOMPILERSTATEOBJECT".
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable)]
pub struct D3D12DDI_HCOMPILERSTATEOBJECT {
    /// Points at the object.
    pub pDrvPrivate: *mut c_void,
}

ddi_enum! {
    /// Which table `pfnFillDDITable` fills.
    ///
    /// Specification: ShaderCompilerPlugin.md, "Enumeration: D3D12DDI_COMPILER_TABLE_TYPE".
    pub enum D3D12DDI_COMPILER_TABLE_TYPE {
        /// [`D3D12DDI_COMPILER_CAPABILITIES_FUNCS`].
        D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES = 0,
        /// [`D3D12DDI_COMPILER_FUNCS`].
        D3D12DDI_COMPILER_TABLE_TYPE_COMPILER = 1,
        /// Number of types; marked internal in the specification, never a valid input.
        D3D12DDI_COMPILER_TABLE_TYPE_MAX = 2,
    }
}

ddi_enum! {
    /// Which table `pfnSetCallbackDDITable` sets.
    ///
    /// Specification: ShaderCompilerPlugin.md, "Enumeration: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE".
    pub enum D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE {
        /// [`D3D12DDI_COMPILER_CACHE_CALLBACKS`].
        D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE = 0,
        /// Number of types; marked internal in the specification, never a valid input.
        D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_MAX = 1,
    }
}

ddi_enum! {
    /// Type of one value.
    ///
    /// Specification: ShaderCompilerPlugin.md, "Enumeration: D3D12DDI_COMPILER_CACHE_VALUE_TYPE".
    pub enum D3D12DDI_COMPILER_CACHE_VALUE_TYPE {
        /// The code that runs on the GPU.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_OBJECT_CODE = 0,
        /// What the compiler wants to note about the compile, such as its version.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_METADATA = 1,
        /// Debug information for the object code, opaque to the host.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB = 2,
        /// Statistics of the compile or its output, opaque to the host.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_PERFORMANCE_DATA = 3,
        /// Number of types; marked internal in the specification, never a valid input.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID = 4,
    }
}

ddi_flags! {
    /// A set of value types: bit n is type n. The specification also calls it
    /// D3D12DDI_COMPILER_VALUE_TYPE_FLAGS.
    ///
    /// Specification: ShaderCompilerPlugin.md, "Enumeration: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS".
    pub enum D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS {
        /// Value 0.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_NONE = 0,
        /// Value 1.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE = 1,
        /// Value 2.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA = 2,
        /// Value 4.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_DEBUG_PDB = 4,
        /// Value 8.
        D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_PERFORMANCE_DATA = 8,
    }
}

/// The name that the specification uses in function signatures.
pub type D3D12DDI_COMPILER_VALUE_TYPE_FLAGS = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS;

/// A four-part version, major in the most significant 16 bits.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_VERSION_NUMBER".
#[repr(C)]
#[derive(Clone, Copy)]
pub union D3D12DDI_VERSION_NUMBER {
    /// All four parts; 1.93.1 is 0x0001005D00010000. x64 offset 0, x86 offset 0.
    pub Version: UINT64,
    /// The parts; on a little-endian machine the major number is at index 3. x64 offset 0, x86
    /// offset 0.
    pub VersionParts: [UINT16; 4],
}

impl D3D12DDI_VERSION_NUMBER {
    /// The number with these 64 bits.
    pub const fn from_bits(version: UINT64) -> Self {
        Self { Version: version }
    }

    /// All 64 bits.
    pub const fn bits(self) -> UINT64 {
        // SAFETY: both members cover all 8 bytes and accept any bits.
        unsafe { self.Version }
    }
}

// SAFETY: zero is a value of both members.
unsafe impl Zeroable for D3D12DDI_VERSION_NUMBER {}

impl fmt::Debug for D3D12DDI_VERSION_NUMBER {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#018x}", self.bits())
    }
}

/// The application that the shaders belong to.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_APPLICATION_DESC".
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_APPLICATION_DESC {
    /// Executable name with extension, NUL-terminated UTF-16, required. x64 offset 0, x86 offset 0.
    pub pExeFilename: PCWSTR,
    /// Title, NUL-terminated UTF-16, required. x64 offset 8, x86 offset 4.
    pub pName: PCWSTR,
    /// The application's version. x64 offset 16, x86 offset 8.
    pub Version: D3D12DDI_VERSION_NUMBER,
    /// Engine name, or null when none is given. x64 offset 24, x86 offset 16.
    pub pEngineName: PCWSTR,
    /// The engine's version; ignored without an engine name. x64 offset 32, x86 offset 24.
    pub EngineVersion: D3D12DDI_VERSION_NUMBER,
}

/// Argument of `D3D12OpenCompilerDDI`: the host's handle in, the plugin's handle and first function
/// table out.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDIARG_COMPILER_OPEN_DDI".
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_COMPILER_OPEN_DDI {
    /// In: the host's handle. x64 offset 0, x86 offset 0.
    pub hRTCompilerDDI: D3D12DDI_HRTCOMPILERDDI,
    /// Out: the plugin's handle, the plugin's own allocation. x64 offset 8, x86 offset 4.
    pub hCompilerDDI: D3D12DDI_HCOMPILERDDI,
    /// In: a table in host memory, which the plugin fills. x64 offset 16, x86 offset 8.
    pub pDDIFuncs: *mut D3D12DDI_COMPILER_DDI_FUNCS,
}

/// The name of one adapter family: adapters that share compiled output for one ABI version.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_ADAPTER_FAMILY".
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMPILER_ADAPTER_FAMILY {
    /// NUL-terminated UTF-16, unique within the plugin. x64 offset 0, x86 offset 0.
    pub szAdapterFamily: [WCHAR; 128],
}

/// What to compile for: an adapter family and one of its ABI versions.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_TARGET".
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMPILER_TARGET {
    /// Index into the families that the plugin enumerates. x64 offset 0, x86 offset 0.
    pub AdapterFamilyIndex: UINT,
    /// One of the family's ABI versions; never 0 at the DDI. x64 offset 8, x86 offset 8.
    pub ABIVersion: UINT64,
}

/// The key of a cached value: bytes that identify it in the database.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_CACHE_VALUE_KEY".
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMPILER_CACHE_VALUE_KEY {
    /// The key's bytes. x64 offset 0, x86 offset 0.
    pub pKey: *const c_void,
    /// Size in bytes; a UINT, although values have SIZE_T sizes. x64 offset 8, x86 offset 4.
    pub KeySize: UINT,
}

/// A writable value buffer.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_CACHE_VALUE".
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMPILER_CACHE_VALUE {
    /// The buffer, or null. x64 offset 0, x86 offset 0.
    pub pValue: *mut c_void,
    /// In: the buffer's size in bytes; out: the value's. x64 offset 8, x86 offset 4.
    pub ValueSize: SIZE_T,
}

/// A value to store.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_CACHE_CONST_VALUE".
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMPILER_CACHE_CONST_VALUE {
    /// The value's bytes. x64 offset 0, x86 offset 0.
    pub pValue: *const c_void,
    /// Size in bytes, not 0. x64 offset 8, x86 offset 4.
    pub ValueSize: SIZE_T,
}

/// A writable value buffer and the type of value it is for.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_CACHE_TYPED_VALUE".
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMPILER_CACHE_TYPED_VALUE {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    /// x64 offset 8, x86 offset 4.
    pub Value: D3D12DDI_COMPILER_CACHE_VALUE,
}

/// A value to store and its type.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE".
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    /// x64 offset 8, x86 offset 4.
    pub Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE,
}

/// The plugin's first table: versions, further tables, the end. None of its five entries is
/// optional.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_DDI_FUNCS".
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct D3D12DDI_COMPILER_DDI_FUNCS {
    /// x64 offset 0, x86 offset 0.
    pub pfnDestroyCompilerDDI: PFND3D12DDI_COMPILER_DESTROY_DDI,
    /// x64 offset 8, x86 offset 4.
    pub pfnGetSupportedVersions: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS,
    /// x64 offset 16, x86 offset 8.
    pub pfnSetSelectedVersion: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION,
    /// x64 offset 24, x86 offset 12.
    pub pfnFillDDITable: PFND3D12DDI_COMPILER_FILL_DDI_TABLE,
    /// x64 offset 32, x86 offset 16.
    pub pfnSetCallbackDDITable: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE,
}

/// Table type [`D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES`]: what the plugin can compile for. Seven
/// entries.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_CAPABILITIES_FUNCS".
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
    /// x64 offset 0, x86 offset 0.
    pub pfnGetCaps: PFND3D12DDI_COMPILER_GET_CAPS,
    /// x64 offset 8, x86 offset 4.
    pub pfnEnumerateAdapterFamilies: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES,
    /// x64 offset 16, x86 offset 8.
    pub pfnGetAdapterFamilyABIVersions: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS,
    /// x64 offset 24, x86 offset 12.
    pub pfnGetCompilerVersion: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION,
    /// x64 offset 32, x86 offset 16.
    pub pfnGetApplicationProfileVersion: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION,
    /// x64 offset 40, x86 offset 20.
    pub pfnCheckFormatSupport: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT,
    /// x64 offset 48, x86 offset 24.
    pub pfnCheckMultisampleQualityLevels: PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS,
}

/// Table type [`D3D12DDI_COMPILER_TABLE_TYPE_COMPILER`]: compilers and what they compile. Nine
/// entries.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_FUNCS".
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct D3D12DDI_COMPILER_FUNCS {
    /// x64 offset 0, x86 offset 0.
    pub pfnCalcPrivateCompilerSize: PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE,
    /// x64 offset 8, x86 offset 4.
    pub pfnCreateCompiler: PFND3D12DDI_COMPILER_CREATE_COMPILER,
    /// Spelt like this in the specification. x64 offset 16, x86 offset 8.
    pub pfnDestroyCopiler: PFND3D12DDI_COMPILER_DESTROY_COMPILER,
    /// x64 offset 24, x86 offset 12.
    pub pfnCompilePipelineState: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE,
    /// x64 offset 32, x86 offset 16.
    pub pfnCalcPrivateStateObjectSize: PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE,
    /// x64 offset 40, x86 offset 20.
    pub pfnCompileCreateStateObject: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT,
    /// x64 offset 48, x86 offset 24.
    pub pfnCalcPrivateAddToStateObjectSize:
        PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE,
    /// x64 offset 56, x86 offset 28.
    pub pfnCompileAddToStateObject: PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT,
    /// x64 offset 64, x86 offset 32.
    pub pfnDestroyStateObject: PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT,
}

/// Callback table type [`D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE`]: the host's cache session.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_CACHE_CALLBACKS".
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct D3D12DDI_COMPILER_CACHE_CALLBACKS {
    /// x64 offset 0, x86 offset 0.
    pub pfnCompilerCacheFindValue: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB,
    /// x64 offset 8, x86 offset 4.
    pub pfnCompilerCacheStoreValue: PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB,
    /// x64 offset 16, x86 offset 8.
    pub pfnCompilerCacheSetObjectValueKeys: PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB,
}

ddi_enum! {
    /// Capability queries of the driver's shader cache. ShaderCompilerPlugin.md names the enumerator
    /// without a value.
    ///
    /// Source: bindings generated from the WDK 10.0.28000 header; named, but not printed, in
    /// ShaderCompilerPlugin.md.
    pub enum D3D12DDICAPS_TYPE_SHADERCACHE {
        /// Value 0.
        D3D12DDICAPS_TYPE_SHADERCACHE_ABI_SUPPORT = 0,
    }
}

/// Argument of the driver's shader-cache capability query.
///
/// Source: bindings generated from the WDK 10.0.28000 header; named, but not printed, in
/// ShaderCompilerPlugin.md.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDIARG_SHADERCACHE_GETCAPS {
    /// x64 offset 0, x86 offset 0.
    pub Type: D3D12DDICAPS_TYPE_SHADERCACHE,
    /// x64 offset 8, x86 offset 4.
    pub pInfo: *mut c_void,
    /// x64 offset 16, x86 offset 8.
    pub pData: *mut c_void,
    /// x64 offset 24, x86 offset 12.
    pub DataSize: UINT,
}

/// The driver's side of the ABI check: the family and ABI range that its adapter accepts. The
/// specification prints the name as CHAR; see docs/spec-notes.md.
///
/// Source: bindings generated from the WDK 10.0.28000 header. ShaderCompilerPlugin.md prints the
/// members without the suffix 0118, the public DirectX headers the API's twin
/// D3D12_FEATURE_DATA_SHADERCACHE_ABI_SUPPORT.
#[repr(C)]
#[derive(Clone, Copy, Debug, Zeroable)]
pub struct D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118 {
    /// x64 offset 0, x86 offset 0.
    pub szAdapterFamily: [WCHAR; 128],
    /// x64 offset 256, x86 offset 256.
    pub MinimumABISupportVersion: UINT64,
    /// x64 offset 264, x86 offset 264.
    pub MaximumABISupportVersion: UINT64,
    /// x64 offset 272, x86 offset 272.
    pub CompilerVersion: D3D12DDI_VERSION_NUMBER,
    /// x64 offset 280, x86 offset 280.
    pub ApplicationProfileVersion: D3D12DDI_VERSION_NUMBER,
}

/// The name that the specification prints.
pub type D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA = D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118;

/// The one export of a plugin library, under the name `D3D12OpenCompilerDDI`: opens the DDI.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_OPEN_DDI".
pub type PFND3D12DDI_COMPILER_OPEN_DDI =
    Option<unsafe extern "system" fn(pOpenDDIArg: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT>;

/// Ends an open; its tables are invalid afterwards.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_DESTROY_DDI".
pub type PFND3D12DDI_COMPILER_DESTROY_DDI =
    Option<unsafe extern "system" fn(hCompilerDDI: D3D12DDI_HCOMPILERDDI)>;

/// The name that [`D3D12DDI_COMPILER_DDI_FUNCS`] uses in the specification.
pub type PFND3D12DDI_COMPILER_DESTROY_COMPILER_DDI = PFND3D12DDI_COMPILER_DESTROY_DDI;

/// Lists the plugin DDI versions. A null array with a count of 0 asks for the size; on return the
/// count is the true number.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS".
pub type PFND3D12DDI_COMPILER_GET_SUPPORTED_VERSIONS = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        puEntries: *mut UINT32,
        pSupportedPluginDDIVersions: *mut UINT64,
    ) -> HRESULT,
>;

/// Tells the plugin which of its versions the host chose, and the usermode DDI version that belongs
/// to it. Comes before any `pfnFillDDITable`.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_SET_SELECTED_VERSION".
pub type PFND3D12DDI_COMPILER_SET_SELECTED_VERSION = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        PluginDDIVersion: UINT64,
        UsermodeDDIVersion: UINT64,
    ) -> HRESULT,
>;

/// Copies a function table into the host's buffer of `tableSize` bytes.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_FILL_DDI_TABLE".
pub type PFND3D12DDI_COMPILER_FILL_DDI_TABLE = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        tableType: D3D12DDI_COMPILER_TABLE_TYPE,
        pTable: *mut c_void,
        tableSize: SIZE_T,
    ) -> HRESULT,
>;

/// Hands the plugin a table of host callbacks of `TableSize` bytes; always before any compiler is
/// created.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE".
pub type PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        tableType: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
        pTable: *const c_void,
        TableSize: SIZE_T,
    ) -> HRESULT,
>;

/// Answers one capability query through `pCaps->pData`.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_GET_CAPS".
pub type PFND3D12DDI_COMPILER_GET_CAPS = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        pTarget: *const D3D12DDI_COMPILER_TARGET,
        pApplicationDesc: *const D3D12DDI_APPLICATION_DESC,
        pCaps: *const D3D12DDIARG_GETCAPS,
    ) -> HRESULT,
>;

/// Names the family at an index, contiguous from 0; DXGI_ERROR_NOT_FOUND past the end.
///
/// Specification: ShaderCompilerPlugin.md, "Function:
/// PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES".
pub type PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        AdapterFamilyIndex: UINT,
        pAdapterFamily: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY,
    ) -> HRESULT,
>;

/// Lists a family's ABI versions, newest first. A null array asks for the size; a short one gets
/// what fits and DXGI_ERROR_MORE_DATA.
///
/// Specification: ShaderCompilerPlugin.md, "Function:
/// PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS".
pub type PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        AdapterFamilyIndex: UINT,
        pNumABIVersions: *mut UINT,
        pABIVersions: *mut UINT64,
    ) -> HRESULT,
>;

/// The compiler version of a family.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION".
pub type PFND3D12DDI_COMPILER_GET_COMPILER_VERSION = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        AdapterFamilyIndex: UINT,
        pCompilerVersion: *mut D3D12DDI_VERSION_NUMBER,
    ) -> HRESULT,
>;

/// The version of the profile that a target has for an application.
///
/// Specification: ShaderCompilerPlugin.md, "Function:
/// PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION".
pub type PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        pTarget: *const D3D12DDI_COMPILER_TARGET,
        pApplicationDesc: *const D3D12DDI_APPLICATION_DESC,
        pApplicationProfileVersion: *mut D3D12DDI_VERSION_NUMBER,
    ) -> HRESULT,
>;

/// Optional uses of a format, as D3D12DDI_FORMAT_SUPPORT bits.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT".
pub type PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        pTarget: *const D3D12DDI_COMPILER_TARGET,
        Format: DXGI_FORMAT,
        pFormatSupport: *mut UINT,
    ) -> HRESULT,
>;

/// Whether a format supports a sample count at a quality level: TRUE or FALSE.
///
/// Specification: ShaderCompilerPlugin.md, "Function:
/// PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS".
pub type PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS = Option<
    unsafe extern "system" fn(
        hCompilerDDI: D3D12DDI_HCOMPILERDDI,
        pTarget: *const D3D12DDI_COMPILER_TARGET,
        Format: DXGI_FORMAT,
        SampleCount: UINT,
        QualityLevel: UINT,
    ) -> BOOL,
>;

/// How many bytes the host must allocate for a compiler object.
///
/// Specification: ShaderCompilerPlugin.md, "Function:
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE".
pub type PFND3D12DDI_COMPILER_CALC_PRIVATE_COMPILER_SIZE = Option<
    unsafe extern "system" fn(
        pTarget: *const D3D12DDI_COMPILER_TARGET,
        pApplicationDesc: *const D3D12DDI_APPLICATION_DESC,
    ) -> SIZE_T,
>;

/// Creates a compiler object in the host's memory.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_CREATE_COMPILER".
pub type PFND3D12DDI_COMPILER_CREATE_COMPILER = Option<
    unsafe extern "system" fn(
        pTarget: *const D3D12DDI_COMPILER_TARGET,
        pApplicationDesc: *const D3D12DDI_APPLICATION_DESC,
        hCompiler: D3D12DDI_HCOMPILER,
        hRTCompiler: D3D12DDI_HRTCOMPILER,
    ) -> HRESULT,
>;

/// Ends a compiler object; the memory stays the host's.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_DESTROY_COMPILER".
pub type PFND3D12DDI_COMPILER_DESTROY_COMPILER =
    Option<unsafe extern "system" fn(hCompiler: D3D12DDI_HCOMPILER)>;

/// Compiles a pipeline. Everything is stored, and the value keys are set once, before it returns.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE".
pub type PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE = Option<
    unsafe extern "system" fn(
        hCompiler: D3D12DDI_HCOMPILER,
        hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
        ValueTypeFlags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        pPipelineStateArg: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> HRESULT,
>;

/// How many bytes the host must allocate for a state object.
///
/// Specification: ShaderCompilerPlugin.md, "Function:
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE".
pub type PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE = Option<
    unsafe extern "system" fn(
        hCompiler: D3D12DDI_HCOMPILER,
        pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> SIZE_T,
>;

/// Compiles a state object and places the plugin's object for it. The create arguments stay valid
/// until it is destroyed.
///
/// Specification: ShaderCompilerPlugin.md, "Function:
/// PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT".
pub type PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT = Option<
    unsafe extern "system" fn(
        hCompiler: D3D12DDI_HCOMPILER,
        hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
        ValueTypeFlags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        hStateObject: D3D12DDI_HCOMPILERSTATEOBJECT,
    ) -> HRESULT,
>;

/// How many bytes the host must allocate for an addition to a state object.
///
/// Specification: ShaderCompilerPlugin.md, "Function:
/// PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE".
pub type PFND3D12DDI_COMPILER_CALC_PRIVATE_ADD_TO_STATE_OBJECT_SIZE = Option<
    unsafe extern "system" fn(
        hCompiler: D3D12DDI_HCOMPILER,
        pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        StateObjectToGrowFrom: D3D12DDI_HCOMPILERSTATEOBJECT,
    ) -> SIZE_T,
>;

/// Compiles an addition to a state object. Arguments and parent stay valid until it is destroyed.
///
/// Specification: ShaderCompilerPlugin.md, "Function:
/// PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT".
pub type PFND3D12DDI_COMPILER_COMPILE_ADD_TO_STATE_OBJECT = Option<
    unsafe extern "system" fn(
        hCompiler: D3D12DDI_HCOMPILER,
        hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
        ValueTypeFlags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
        pCreateStateObject: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        StateObjectToGrowFrom: D3D12DDI_HCOMPILERSTATEOBJECT,
        hStateObject: D3D12DDI_HCOMPILERSTATEOBJECT,
    ) -> HRESULT,
>;

/// Ends a state object; the memory stays the host's.
///
/// Specification: ShaderCompilerPlugin.md, "Function: PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT".
pub type PFND3D12DDI_COMPILER_DESTROY_STATE_OBJECT = Option<
    unsafe extern "system" fn(
        hCompiler: D3D12DDI_HCOMPILER,
        hStateObject: D3D12DDI_HCOMPILERSTATEOBJECT,
    ),
>;

/// Finds values of a key: asks for sizes, copies into buffers, or allocates through the callback.
///
/// Specification: ShaderCompilerPlugin.md, "Callback Function:
/// PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB".
pub type PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB = Option<
    unsafe extern "system" fn(
        hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
        pValueKey: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
        pValues: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
        NumValues: UINT,
        pCallbackFunc: PFND3D12DDI_COMPILER_ALLOCATION,
        pContext: *mut c_void,
    ) -> HRESULT,
>;

/// Stores values under a key, one for each type, none of size 0.
///
/// Specification: ShaderCompilerPlugin.md, "Callback Function:
/// PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB".
pub type PFND3D12DDI_COMPILER_CACHE_STORE_VALUE_CB = Option<
    unsafe extern "system" fn(
        hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
        pValueKey: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
        pValues: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
        NumValues: UINT,
    ) -> HRESULT,
>;

/// Names the values that make up the object being compiled; called once for each compile.
///
/// Specification: ShaderCompilerPlugin.md, "Callback Function:
/// PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB".
pub type PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB = Option<
    unsafe extern "system" fn(
        hrtCompilerCacheSession: D3D12DDI_HRTCOMPILERCACHESESSION,
        pValueKeys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
        NumValueKeys: UINT,
    ) -> HRESULT,
>;

/// Allocates `SizeInBytes` bytes for a found value; null means out of memory.
///
/// The specification uses this type and never declares it; shape and reason are in
/// docs/spec-notes.md.
pub type PFND3D12DDI_COMPILER_ALLOCATION =
    Option<unsafe extern "system" fn(SizeInBytes: SIZE_T, pContext: *mut c_void) -> *mut c_void>;
