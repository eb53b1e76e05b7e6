//! A host without manners: it calls the plugin's tables with whatever a test wants to pass, and lends
//! memory that tells what was written where. Its cache is that of plugin-host.

pub mod description;
pub mod log;
pub mod memory;
pub mod pipeline;
pub mod plugin;
pub mod session;
pub mod state_object;

use std::ffi::c_void;
use std::ptr;

use ddi_sys::*;
use plugin_sdk::{CompilerPlugin, EntryPoint, PluginEntry};

pub use plugin_host::{PLUGIN_DDI_VERSION_2 as PLUGIN_DDI_VERSION, USERMODE_DDI_VERSION};

use memory::{Arena, Guarded};
use plugin::TestPlugin;
use session::Session;

/// A null pointer in the shape of a handle.
pub const NULL_COMPILER: D3D12DDI_HCOMPILER = D3D12DDI_HCOMPILER {
    pDrvPrivate: ptr::null_mut(),
};

/// The target that tests use when they do not care.
pub static TARGET: D3D12DDI_COMPILER_TARGET = D3D12DDI_COMPILER_TARGET {
    AdapterFamilyIndex: 0,
    ABIVersion: 3,
};

/// All of them; under Miri, which is slow, some.
pub fn some<I: IntoIterator>(all: I) -> impl Iterator<Item = I::Item> {
    all.into_iter().step_by(if cfg!(miri) { 9 } else { 1 })
}

/// An open and its first table.
pub struct Open {
    pub handle: D3D12DDI_HCOMPILERDDI,
    pub funcs: D3D12DDI_COMPILER_DDI_FUNCS,
}

impl Open {
    pub fn new(entry: EntryPoint) -> Result<Self, HRESULT> {
        log::listen();
        let mut funcs = D3D12DDI_COMPILER_DDI_FUNCS::default();
        let mut argument = D3D12DDIARG_COMPILER_OPEN_DDI {
            hRTCompilerDDI: D3D12DDI_HRTCOMPILERDDI {
                handle: ptr::without_provenance_mut(0x5157),
            },
            hCompilerDDI: D3D12DDI_HCOMPILERDDI {
                pDrvPrivate: ptr::null_mut(),
            },
            pDDIFuncs: &raw mut funcs,
        };
        // SAFETY: the argument and its table are valid for reads and writes.
        let hresult = unsafe { entry(&raw mut argument) };
        let handle = argument.hCompilerDDI;
        if hresult == S_OK {
            Ok(Self { handle, funcs })
        } else {
            assert!(handle.pDrvPrivate.is_null() && funcs.pfnDestroyCompilerDDI.is_none());
            Err(hresult)
        }
    }

    pub fn destroy(&self, handle: D3D12DDI_HCOMPILERDDI) {
        // SAFETY: any handle may be passed: the SDK never follows it.
        unsafe { self.funcs.pfnDestroyCompilerDDI.unwrap()(handle) }
    }

    pub fn supported_versions(&self, count: *mut u32, versions: *mut u64) -> HRESULT {
        // SAFETY: the caller's arguments, null or as large as they say.
        unsafe { self.funcs.pfnGetSupportedVersions.unwrap()(self.handle, count, versions) }
    }

    pub fn select(&self, plugin: u64, usermode: u64) -> HRESULT {
        // SAFETY: no pointers.
        unsafe { self.funcs.pfnSetSelectedVersion.unwrap()(self.handle, plugin, usermode) }
    }

    pub fn fill(
        &self,
        kind: D3D12DDI_COMPILER_TABLE_TYPE,
        table: *mut c_void,
        size: usize,
    ) -> HRESULT {
        // SAFETY: the caller's buffer, null or as large as it says.
        unsafe { self.funcs.pfnFillDDITable.unwrap()(self.handle, kind, table, size) }
    }

    pub fn set_callbacks(
        &self,
        kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
        table: *const c_void,
        size: usize,
    ) -> HRESULT {
        // SAFETY: the caller's buffer, null or as large as it says.
        unsafe { self.funcs.pfnSetCallbackDDITable.unwrap()(self.handle, kind, table, size) }
    }

    /// Fills a table at its exact size.
    pub fn table<T: Default>(&self, kind: D3D12DDI_COMPILER_TABLE_TYPE) -> Result<T, HRESULT> {
        let mut table = T::default();
        match self.fill(kind, (&raw mut table).cast(), size_of::<T>()) {
            S_OK => Ok(table),
            hresult => Err(hresult),
        }
    }

    pub fn set_cache_callbacks(&self, table: &D3D12DDI_COMPILER_CACHE_CALLBACKS) -> HRESULT {
        self.set_callbacks(
            D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
            ptr::from_ref(table).cast(),
            size_of_val(table),
        )
    }
}

/// An open after the whole negotiation; ends with it.
pub struct Host {
    pub open: Open,
    pub capabilities: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    pub compiler: D3D12DDI_COMPILER_FUNCS,
}

impl Host {
    pub fn new() -> Self {
        Self::of::<TestPlugin>().unwrap()
    }

    pub fn of<P: CompilerPlugin + PluginEntry>() -> Result<Self, HRESULT> {
        Self::with_callbacks(P::entry_point(), &session::callbacks::<0>())
    }

    pub fn with_callbacks(
        entry: EntryPoint,
        callbacks: &D3D12DDI_COMPILER_CACHE_CALLBACKS,
    ) -> Result<Self, HRESULT> {
        let open = Open::new(entry)?;
        assert_eq!(open.select(PLUGIN_DDI_VERSION, USERMODE_DDI_VERSION), S_OK);
        let capabilities = open.table(D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES)?;
        let compiler = open.table(D3D12DDI_COMPILER_TABLE_TYPE_COMPILER)?;
        assert_eq!(open.set_cache_callbacks(callbacks), S_OK);
        Ok(Self {
            open,
            capabilities,
            compiler,
        })
    }

    pub fn calc_compiler_size(
        &self,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
    ) -> usize {
        // SAFETY: the caller's arguments, null or valid.
        unsafe { self.compiler.pfnCalcPrivateCompilerSize.unwrap()(target, application) }
    }

    pub fn create_compiler_in(
        &self,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
        memory: *mut c_void,
    ) -> HRESULT {
        let runtime = D3D12DDI_HRTCOMPILER {
            handle: ptr::null_mut(),
        };
        let compiler = D3D12DDI_HCOMPILER {
            pDrvPrivate: memory,
        };
        // SAFETY: the caller's arguments, null or valid; the memory as large as was calculated.
        unsafe { self.compiler.pfnCreateCompiler.unwrap()(target, application, compiler, runtime) }
    }

    /// A compiler in memory of its own.
    pub fn create_compiler(&self) -> Compiler<'_> {
        self.create_compiler_for(&TARGET)
    }

    pub fn create_compiler_for(&self, target: &D3D12DDI_COMPILER_TARGET) -> Compiler<'_> {
        let application = Application::new();
        let memory = Guarded::new(self.calc_compiler_size(target, application.desc), 0);
        let hresult = self.create_compiler_in(target, application.desc, memory.at().cast());
        assert_eq!(hresult, S_OK);
        Compiler { host: self, memory }
    }

    pub fn destroy_compiler(&self, compiler: D3D12DDI_HCOMPILER) {
        // SAFETY: the memory is the caller's, live or garbage.
        unsafe { self.compiler.pfnDestroyCopiler.unwrap()(compiler) }
    }

    pub fn compile_pipeline(
        &self,
        compiler: D3D12DDI_HCOMPILER,
        session: &Session,
        flags: i32,
        desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> HRESULT {
        let flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(flags);
        // SAFETY: the caller's memory and description, null or valid.
        unsafe {
            self.compiler.pfnCompilePipelineState.unwrap()(compiler, session.handle(), flags, desc)
        }
    }

    pub fn create_state_object_in(
        &self,
        compiler: D3D12DDI_HCOMPILER,
        session: &Session,
        desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        memory: *mut c_void,
    ) -> HRESULT {
        let state_object = D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: memory,
        };
        let flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;
        // SAFETY: the caller's memory and description, null or valid.
        unsafe {
            self.compiler.pfnCompileCreateStateObject.unwrap()(
                compiler,
                session.handle(),
                flags,
                desc,
                state_object,
            )
        }
    }

    pub fn add_to_state_object_in(
        &self,
        compiler: D3D12DDI_HCOMPILER,
        session: &Session,
        desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        parent: *mut c_void,
        memory: *mut c_void,
    ) -> HRESULT {
        let [parent, state_object] =
            [parent, memory].map(|at| D3D12DDI_HCOMPILERSTATEOBJECT { pDrvPrivate: at });
        let flags = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;
        // SAFETY: the caller's memory and description, null or valid.
        unsafe {
            self.compiler.pfnCompileAddToStateObject.unwrap()(
                compiler,
                session.handle(),
                flags,
                desc,
                parent,
                state_object,
            )
        }
    }

    pub fn calc_state_object_size(&self, compiler: D3D12DDI_HCOMPILER) -> usize {
        // SAFETY: the caller's compiler; the description is null.
        unsafe { self.compiler.pfnCalcPrivateStateObjectSize.unwrap()(compiler, ptr::null()) }
    }

    pub fn calc_add_size(&self, compiler: D3D12DDI_HCOMPILER, parent: *mut c_void) -> usize {
        let parent = D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: parent,
        };
        // SAFETY: the caller's objects; the description is null.
        unsafe {
            self.compiler.pfnCalcPrivateAddToStateObjectSize.unwrap()(compiler, ptr::null(), parent)
        }
    }

    pub fn destroy_state_object(&self, compiler: D3D12DDI_HCOMPILER, memory: *mut c_void) {
        let state_object = D3D12DDI_HCOMPILERSTATEOBJECT {
            pDrvPrivate: memory,
        };
        // SAFETY: the memory is the caller's, live or garbage.
        unsafe { self.compiler.pfnDestroyStateObject.unwrap()(compiler, state_object) }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.open.destroy(self.open.handle);
    }
}

/// A compiler; ends with it.
pub struct Compiler<'h> {
    host: &'h Host,
    memory: Guarded,
}

impl Compiler<'_> {
    pub fn handle(&self) -> D3D12DDI_HCOMPILER {
        D3D12DDI_HCOMPILER {
            pDrvPrivate: self.memory.at().cast(),
        }
    }

    /// Compiles a pipeline for object code alone.
    pub fn compile(
        &self,
        session: &Session,
        desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> HRESULT {
        self.compile_types(session, 1, desc)
    }

    pub fn compile_types(
        &self,
        session: &Session,
        flags: i32,
        desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> HRESULT {
        self.host
            .compile_pipeline(self.handle(), session, flags, desc)
    }
}

impl Drop for Compiler<'_> {
    fn drop(&mut self) {
        self.host.destroy_compiler(self.handle());
        self.memory.check();
    }
}

/// The application that tests use, in memory of its own.
pub struct Application {
    pub arena: Arena,
    pub desc: *mut D3D12DDI_APPLICATION_DESC,
}

impl Application {
    pub fn new() -> Self {
        let mut arena = Arena::default();
        let desc = D3D12DDI_APPLICATION_DESC {
            pExeFilename: arena.text("Game.exe"),
            pName: arena.text("The Game"),
            Version: D3D12DDI_VERSION_NUMBER::from_bits(0x0001_0002_0003_0004),
            pEngineName: arena.text("Engine"),
            EngineVersion: D3D12DDI_VERSION_NUMBER::from_bits(0x0005_0000_0000_0000),
        };
        let desc = arena.put(desc);
        Self { arena, desc }
    }

    /// What the host may change about it.
    #[allow(clippy::mut_from_ref)] // The description is the arena's, behind a raw pointer.
    pub fn raw(&self) -> &mut D3D12DDI_APPLICATION_DESC {
        // SAFETY: the arena owns it, and no other reference is alive: the plugin's end with its call.
        unsafe { &mut *self.desc }
    }
}
