//! `d3dshadercacheregistration.h`: what an installer registers, for which drivers databases fit.

use core::ffi::c_void;

use windows_core::{GUID, HRESULT, IUnknown, PCWSTR, Ref, interface, w};

/// `D3D12GetInterface` gives an [`ID3DShaderCacheInstallerFactory`] for it.
pub const CLSID_D3DShaderCacheInstallerFactory: GUID =
    GUID::from_u128(0x16195a0b_607c_41f1_bf03_c7694d60a8d4);

/// For whom an installer registers.
pub type D3D_SHADER_CACHE_APP_REGISTRATION_SCOPE = i32;
/// For one user.
pub const D3D_SHADER_CACHE_APP_REGISTRATION_SCOPE_USER: D3D_SHADER_CACHE_APP_REGISTRATION_SCOPE = 0;
/// For the system.
pub const D3D_SHADER_CACHE_APP_REGISTRATION_SCOPE_SYSTEM: D3D_SHADER_CACHE_APP_REGISTRATION_SCOPE =
    1;

/// Which targets are asked for.
pub type D3D_SHADER_CACHE_TARGET_FLAGS = u32;
/// All.
pub const D3D_SHADER_CACHE_TARGET_FLAG_NONE: D3D_SHADER_CACHE_TARGET_FLAGS = 0;

/// In the place of a path, where a component has no state object database: an empty string. Of preview 1.721.1.
pub const D3D_SHADER_CACHE_NO_SODB: PCWSTR = w!("");

/// Handle of a service.
pub type SC_HANDLE = *mut c_void;

/// A precompiled shader database.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D_SHADER_CACHE_PSDB_PROPERTIES {
    /// Name of the adapter family.
    pub pAdapterFamily: PCWSTR,
    /// Where the database is.
    pub pPsdbPath: PCWSTR,
}

/// Four numbers, as [`D3D12_VERSION_NUMBER`](crate::D3D12_VERSION_NUMBER).
#[repr(C)]
#[derive(Clone, Copy)]
pub union D3D_VERSION_NUMBER {
    /// All four, the major part in the highest 16 bits.
    pub Version: u64,
    /// Revision, build, minor, major.
    pub VersionParts: [u16; 4],
}

impl Default for D3D_VERSION_NUMBER {
    fn default() -> Self {
        Self::from_bits(0)
    }
}

/// What an adapter's driver accepts.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct D3D_SHADER_CACHE_COMPILER_PROPERTIES {
    /// Name of the adapter family, NUL-terminated.
    pub szAdapterFamily: [u16; 128],
    /// First ABI version that it accepts.
    pub MinimumABISupportVersion: u64,
    /// Last ABI version that it accepts.
    pub MaximumABISupportVersion: u64,
    /// Version of its compiler.
    pub CompilerVersion: D3D_VERSION_NUMBER,
    /// Version of what it knows about the application.
    pub ApplicationProfileVersion: D3D_VERSION_NUMBER,
}

impl Default for D3D_SHADER_CACHE_COMPILER_PROPERTIES {
    fn default() -> Self {
        Self {
            szAdapterFamily: [0; 128],
            MinimumABISupportVersion: 0,
            MaximumABISupportVersion: 0,
            CompilerVersion: D3D_VERSION_NUMBER::default(),
            ApplicationProfileVersion: D3D_VERSION_NUMBER::default(),
        }
    }
}

/// An application, as [`D3D12_APPLICATION_DESC`](crate::D3D12_APPLICATION_DESC).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D_SHADER_CACHE_APPLICATION_DESC {
    /// File name of the executable, with its extension.
    pub pExeFilename: PCWSTR,
    /// Its name.
    pub pName: PCWSTR,
    /// Its version.
    pub Version: D3D_VERSION_NUMBER,
    /// Name of its engine; null when it says none.
    pub pEngineName: PCWSTR,
    /// Version of the engine; 0 without an engine.
    pub EngineVersion: D3D_VERSION_NUMBER,
}

/// IID of [`ID3DShaderCacheInstallerClient`].
pub const IID_ID3DShaderCacheInstallerClient: GUID =
    GUID::from_u128(0xa16ee930_d9f6_4222_a514_244473e5d266);

/// The installer itself. Not an [`IUnknown`]: nobody counts its references, and slot 0 is a method.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ID3DShaderCacheInstallerClient {
    /// Its methods.
    pub lpVtbl: *const ID3DShaderCacheInstallerClient_Vtbl,
}

/// The methods of [`ID3DShaderCacheInstallerClient`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ID3DShaderCacheInstallerClient_Vtbl {
    /// The installer's name; with a null array, its length with the NUL.
    pub GetInstallerName: unsafe extern "system" fn(
        this: *mut c_void,
        pNameLength: *mut usize,
        pName: *mut u16,
    ) -> HRESULT,
    /// For whom it registers.
    pub GetInstallerScope:
        unsafe extern "system" fn(this: *mut c_void) -> D3D_SHADER_CACHE_APP_REGISTRATION_SCOPE,
    /// A driver was updated.
    pub HandleDriverUpdate: unsafe extern "system" fn(
        this: *mut c_void,
        pInstaller: Ref<ID3DShaderCacheInstaller>,
    ) -> HRESULT,
}

/// A part of an application that has databases.
#[interface("eed1bf00-f5c7-4cf7-885c-d0f9c0cb4828")]
pub unsafe trait ID3DShaderCacheComponent: IUnknown {
    /// Its name.
    pub unsafe fn GetComponentName(&self, pName: *mut PCWSTR) -> HRESULT;

    /// Where its state object database is.
    pub unsafe fn GetStateObjectDatabasePath(&self, pPath: *mut PCWSTR) -> HRESULT;

    /// Where the database of an adapter family is.
    pub unsafe fn GetPrecompiledCachePath(
        &self,
        pAdapterFamily: PCWSTR,
        pPath: *mut PCWSTR,
    ) -> HRESULT;

    /// The number of its precompiled databases.
    pub unsafe fn GetPrecompiledShaderDatabaseCount(&self) -> u32;

    /// Its precompiled databases.
    pub unsafe fn GetPrecompiledShaderDatabases(
        &self,
        ArraySize: u32,
        pPSDBs: *mut D3D_SHADER_CACHE_PSDB_PROPERTIES,
    ) -> HRESULT;
}

/// A registered application.
#[interface("fc688ee2-1b35-4913-93be-1ca3fa7df39e")]
pub unsafe trait ID3DShaderCacheApplication: IUnknown {
    /// Where its executable is.
    pub unsafe fn GetExePath(&self, pExePath: *mut PCWSTR) -> HRESULT;

    /// What application it is.
    pub unsafe fn GetDesc(
        &self,
        pApplicationDesc: *mut D3D_SHADER_CACHE_APPLICATION_DESC,
    ) -> HRESULT;

    /// Registers a component and its databases.
    pub unsafe fn RegisterComponent(
        &self,
        pName: PCWSTR,
        pStateObjectDBPath: PCWSTR,
        NumPSDB: u32,
        pPSDBs: *const D3D_SHADER_CACHE_PSDB_PROPERTIES,
        riid: *const GUID,
        ppvComponent: *mut *mut c_void,
    ) -> HRESULT;

    /// Removes a component.
    pub unsafe fn RemoveComponent(&self, pComponent: Ref<ID3DShaderCacheComponent>) -> HRESULT;

    /// The number of components.
    pub unsafe fn GetComponentCount(&self) -> u32;

    /// The component of an index.
    pub unsafe fn GetComponent(
        &self,
        index: u32,
        riid: *const GUID,
        ppvComponent: *mut *mut c_void,
    ) -> HRESULT;

    /// The number of targets worth compiling for.
    pub unsafe fn GetPrecompileTargetCount(&self, flags: D3D_SHADER_CACHE_TARGET_FLAGS) -> u32;

    /// The targets worth compiling for.
    pub unsafe fn GetPrecompileTargets(
        &self,
        ArraySize: u32,
        pArray: *mut D3D_SHADER_CACHE_COMPILER_PROPERTIES,
        flags: D3D_SHADER_CACHE_TARGET_FLAGS,
    ) -> HRESULT;

    /// Name of the installer that registered it.
    pub unsafe fn GetInstallerName(&self, pInstallerName: *mut PCWSTR) -> HRESULT;
}

/// Registers applications.
#[interface("bbe30de1-6318-4526-ae17-776693191bb4")]
pub unsafe trait ID3DShaderCacheInstaller: IUnknown {
    /// Asks for calls to `HandleDriverUpdate`.
    pub unsafe fn RegisterDriverUpdateListener(&self) -> HRESULT;

    /// Ends them.
    pub unsafe fn UnregisterDriverUpdateListener(&self) -> HRESULT;

    /// Asks that a service be started when a driver is updated.
    pub unsafe fn RegisterServiceDriverUpdateTrigger(&self, hServiceHandle: SC_HANDLE) -> HRESULT;

    /// Ends that.
    pub unsafe fn UnregisterServiceDriverUpdateTrigger(&self, hServiceHandle: SC_HANDLE)
    -> HRESULT;

    /// Registers an application.
    pub unsafe fn RegisterApplication(
        &self,
        pExePath: PCWSTR,
        pApplicationDesc: *const D3D_SHADER_CACHE_APPLICATION_DESC,
        riid: *const GUID,
        ppvApp: *mut *mut c_void,
    ) -> HRESULT;

    /// Removes an application.
    pub unsafe fn RemoveApplication(
        &self,
        pApplication: Ref<ID3DShaderCacheApplication>,
    ) -> HRESULT;

    /// The number of applications.
    pub unsafe fn GetApplicationCount(&self) -> u32;

    /// The application of an index.
    pub unsafe fn GetApplication(
        &self,
        index: u32,
        riid: *const GUID,
        ppvApp: *mut *mut c_void,
    ) -> HRESULT;

    /// Removes everything that the installer registered.
    pub unsafe fn ClearAllState(&self) -> HRESULT;

    /// The largest number of targets that there can be.
    pub unsafe fn GetMaxPrecompileTargetCount(&self) -> u32;

    /// The targets worth compiling an application for.
    pub unsafe fn GetPrecompileTargets(
        &self,
        pApplicationDesc: *const D3D_SHADER_CACHE_APPLICATION_DESC,
        pArraySize: *mut u32,
        pArray: *mut D3D_SHADER_CACHE_COMPILER_PROPERTIES,
        flags: D3D_SHADER_CACHE_TARGET_FLAGS,
    ) -> HRESULT;
}

/// Finds what is registered.
#[interface("90432322-32f5-487f-9264-e9390fa58b2a")]
pub unsafe trait ID3DShaderCacheExplorer: IUnknown {
    /// The application of an executable.
    pub unsafe fn GetApplicationFromExePath(
        &self,
        pFullExePath: PCWSTR,
        riid: *const GUID,
        ppvApp: *mut *mut c_void,
    ) -> HRESULT;
}

/// Makes installers and explorers.
#[interface("09b2dfe4-840f-401a-804c-0dd8aadc9e9f")]
pub unsafe trait ID3DShaderCacheInstallerFactory: IUnknown {
    /// Makes the one installer of a name.
    pub unsafe fn CreateInstaller(
        &self,
        pClient: *mut ID3DShaderCacheInstallerClient,
        riid: *const GUID,
        ppvInstaller: *mut *mut c_void,
    ) -> HRESULT;

    /// Makes an explorer for a device or an adapter.
    pub unsafe fn CreateExplorer(
        &self,
        pUnknown: Ref<IUnknown>,
        riid: *const GUID,
        ppvExplorer: *mut *mut c_void,
    ) -> HRESULT;
}
