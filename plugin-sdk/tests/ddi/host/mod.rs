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

/// Calls of a table's functions with whatever a test passes.
macro_rules! calls {
    ($table:ident: $(
        $name:ident($self:ident $(, $argument:ident: $type:ty)*) $(-> $result:ty)? = $slot:ident($($value:expr),*);
    )*) => {$(
        pub fn $name(&$self $(, $argument: $type)*) $(-> $result)? {
            // SAFETY: a pointer is null, or to what the DDI says of it; the SDK follows no handle but that of memory that a test
            // lends.
            unsafe { $self.$table.$slot.unwrap()($($value),*) }
        }
    )*};
}

/// What state objects are compiled for.
const CODE: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;

fn state_object(memory: *mut c_void) -> D3D12DDI_HCOMPILERSTATEOBJECT {
    D3D12DDI_HCOMPILERSTATEOBJECT {
        pDrvPrivate: memory,
    }
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

    calls! { funcs:
        destroy(self, handle: D3D12DDI_HCOMPILERDDI) = pfnDestroyCompilerDDI(handle);
        supported_versions(self, count: *mut u32, versions: *mut u64) -> HRESULT
            = pfnGetSupportedVersions(self.handle, count, versions);
        select(self, plugin: u64, usermode: u64) -> HRESULT = pfnSetSelectedVersion(self.handle, plugin, usermode);
        fill(self, kind: D3D12DDI_COMPILER_TABLE_TYPE, table: *mut c_void, size: usize) -> HRESULT
            = pfnFillDDITable(self.handle, kind, table, size);
        set_callbacks(self, kind: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE, table: *const c_void, size: usize) -> HRESULT
            = pfnSetCallbackDDITable(self.handle, kind, table, size);
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

    calls! { capabilities:
        get_caps(
            self, open: D3D12DDI_HCOMPILERDDI, target: *const D3D12DDI_COMPILER_TARGET,
            application: *const D3D12DDI_APPLICATION_DESC, query: *const D3D12DDIARG_GETCAPS
        ) -> HRESULT = pfnGetCaps(open, target, application, query);
        family(
            self, open: D3D12DDI_HCOMPILERDDI, index: u32, family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY
        ) -> HRESULT = pfnEnumerateAdapterFamilies(open, index, family);
        abi_versions(
            self, open: D3D12DDI_HCOMPILERDDI, index: u32, count: *mut u32, versions: *mut u64
        ) -> HRESULT = pfnGetAdapterFamilyABIVersions(open, index, count, versions);
        compiler_version(
            self, open: D3D12DDI_HCOMPILERDDI, index: u32, version: *mut D3D12DDI_VERSION_NUMBER
        ) -> HRESULT = pfnGetCompilerVersion(open, index, version);
        profile_version(
            self, open: D3D12DDI_HCOMPILERDDI, target: *const D3D12DDI_COMPILER_TARGET,
            application: *const D3D12DDI_APPLICATION_DESC, version: *mut D3D12DDI_VERSION_NUMBER
        ) -> HRESULT = pfnGetApplicationProfileVersion(open, target, application, version);
        format_support(
            self, open: D3D12DDI_HCOMPILERDDI, target: *const D3D12DDI_COMPILER_TARGET, format: DXGI_FORMAT,
            support: *mut u32
        ) -> HRESULT = pfnCheckFormatSupport(open, target, format, support);
        quality_level(
            self, open: D3D12DDI_HCOMPILERDDI, target: *const D3D12DDI_COMPILER_TARGET, format: DXGI_FORMAT,
            samples: u32, level: u32
        ) -> BOOL = pfnCheckMultisampleQualityLevels(open, target, format, samples, level);
    }

    calls! { compiler:
        calc_compiler_size(
            self, target: *const D3D12DDI_COMPILER_TARGET, application: *const D3D12DDI_APPLICATION_DESC
        ) -> usize = pfnCalcPrivateCompilerSize(target, application);
        create_compiler_in(
            self, target: *const D3D12DDI_COMPILER_TARGET, application: *const D3D12DDI_APPLICATION_DESC,
            memory: *mut c_void
        ) -> HRESULT = pfnCreateCompiler(
            target, application, D3D12DDI_HCOMPILER { pDrvPrivate: memory }, D3D12DDI_HRTCOMPILER { handle: ptr::null_mut() }
        );
        destroy_compiler(self, compiler: D3D12DDI_HCOMPILER) = pfnDestroyCopiler(compiler);
        compile_pipeline(
            self, compiler: D3D12DDI_HCOMPILER, session: &Session, flags: i32,
            desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099
        ) -> HRESULT = pfnCompilePipelineState(
            compiler, session.handle(), D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(flags), desc
        );
        calc_state_object_size(self, compiler: D3D12DDI_HCOMPILER) -> usize
            = pfnCalcPrivateStateObjectSize(compiler, ptr::null());
        create_state_object_in(
            self, compiler: D3D12DDI_HCOMPILER, session: &Session, desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
            memory: *mut c_void
        ) -> HRESULT = pfnCompileCreateStateObject(compiler, session.handle(), CODE, desc, state_object(memory));
        calc_add_size(self, compiler: D3D12DDI_HCOMPILER, parent: *mut c_void) -> usize
            = pfnCalcPrivateAddToStateObjectSize(compiler, ptr::null(), state_object(parent));
        add_to_state_object_in(
            self, compiler: D3D12DDI_HCOMPILER, session: &Session, desc: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
            parent: *mut c_void, memory: *mut c_void
        ) -> HRESULT = pfnCompileAddToStateObject(
            compiler, session.handle(), CODE, desc, state_object(parent), state_object(memory)
        );
        destroy_state_object(self, compiler: D3D12DDI_HCOMPILER, memory: *mut c_void)
            = pfnDestroyStateObject(compiler, state_object(memory));
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
