//! A host of one plugin, for tests.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use api_desc::{
    DxilLibrary, PipelineStateDesc, RecordPlaces, StateObjectDesc, Subobject, SubobjectPlace,
};
use api_sys::{
    D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS,
    D3D12_STATE_OBJECT_TYPE_COLLECTION,
};
use compiler_runtime::desc::pipeline_state::PipelineState;
use compiler_runtime::desc::target::Capabilities;
use compiler_runtime::desc::{Invalid, state_object};
use compiler_runtime::message::Messages;
use ddi_sys::{D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS, VersionNumber};
use dxil::ShaderKind;
use plugin_host::session::{MemoryCache, SessionScope};
use plugin_host::{ApplicationDesc, CallError, Compiler, Library, Plugin, U16CString};
use plugin_sdk::CompilerPlugin;

use crate::cache::Call;
use crate::{Compiled, Error, StateObject, description, log, pipeline_desc};

/// What a host compiles for.
///
/// ```
/// use plugin_testing::{Host, Settings};
/// # use sample_plugin::SamplePlugin as MyPlugin;
///
/// let mut settings = Settings::default();
/// settings.abi_version = Some(1);
/// let host = Host::<MyPlugin>::open_for(&settings)?;
/// assert_eq!(host.abi_version(), 1);
/// # Ok::<(), plugin_testing::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The place of the adapter family in the plugin's list.
    pub family: u32,
    /// One of the family's ABI versions; the newest, if `None`.
    pub abi_version: Option<u64>,
    /// The application.
    pub application: ApplicationDesc,
}

/// The first family, its newest ABI version, and the application "Test", `test.exe`, version 1.0.0.0.
impl Default for Settings {
    fn default() -> Self {
        let text = |text| U16CString::from_str_truncate(text);
        Self {
            family: 0,
            abi_version: None,
            application: ApplicationDesc {
                exe_filename: text("test.exe"),
                name: text("Test"),
                version: VersionNumber::new(1, 0, 0, 0).bits(),
                engine: None,
            },
        }
    }
}

/// A host that has opened the plugin `P`, with one compiler and one cache in memory. Compile calls request every type of value.
///
/// Threads may share it. Each host is an open of its own, of which a process can have
/// 1,024 at a time.
pub struct Host<P> {
    compiler: Compiler,
    capabilities: Capabilities,
    cache: Arc<MemoryCache>,
    plugin: PhantomData<fn() -> P>,
}

impl<P: CompilerPlugin> Host<P> {
    /// Opens the plugin, and makes a compiler with the default [`Settings`].
    ///
    /// # Errors
    ///
    /// As for [`open_for`](Self::open_for).
    pub fn open() -> Result<Self, Error> {
        Self::open_for(&Settings::default())
    }

    /// Opens the plugin, and makes a compiler.
    ///
    /// # Errors
    ///
    /// [`Error::Open`] and [`Error::Call`] for a step that fails, or an ABI version that the family does not have;
    /// [`Error::NoFamily`].
    pub fn open_for(settings: &Settings) -> Result<Self, Error> {
        // SAFETY: `PluginEntry`: this is D3D12OpenCompilerDDI of the plugin, which keeps the DDI.
        let library = unsafe { Library::from_entry(P::entry_point()) };
        let (plugin, log) = log::collect(|| Plugin::open(&library));
        let plugin = plugin.map_err(|error| Error::Open { error, log })?;
        let families = called(|| plugin.adapter_families())?;
        let Settings {
            family,
            abi_version,
            ref application,
        } = *settings;
        let count = families.len();
        if family as usize >= count {
            return Err(Error::NoFamily { family, count });
        }
        let target = called(|| {
            let newest = || Ok(plugin.abi_versions(family)?.first().copied().unwrap_or(0));
            let abi_version = abi_version.map_or_else(newest, Ok)?;
            plugin.target(family, abi_version)
        })?;
        let compiler = called(|| plugin.create_compiler(target, application))?;
        Ok(Self {
            compiler,
            capabilities: Capabilities::new(plugin, target, application.clone()),
            cache: Arc::default(),
            plugin: PhantomData,
        })
    }

    /// The ABI version that it compiles for.
    pub fn abi_version(&self) -> u64 {
        self.compiler.target().abi_version()
    }

    /// Compiles a pipeline of a compute shader: a container, signed or not, or a program alone. A program alone does not say
    /// what it binds, so it gets an empty root signature.
    ///
    /// # Errors
    ///
    /// As for [`compile_pipeline`](Self::compile_pipeline) and [`pipeline_desc`]; [`Error::Shader`] for another kind of shader.
    pub fn compile_compute(&self, shader: &[u8]) -> Result<Compiled, Error> {
        expect(ShaderKind::Compute, &description::container(shader)?)?;
        self.compile_pipeline(&pipeline_desc(&[shader])?)
    }

    /// Compiles a graphics pipeline of these shaders, in any order, with the state that [`pipeline_desc`] makes for them.
    ///
    /// # Errors
    ///
    /// As for [`compile_pipeline`](Self::compile_pipeline) and [`pipeline_desc`].
    pub fn compile_graphics(&self, shaders: &[&[u8]]) -> Result<Compiled, Error> {
        self.compile_pipeline(&pipeline_desc(shaders)?)
    }

    /// Compiles a pipeline.
    ///
    /// # Errors
    ///
    /// [`Error::Description`]; [`Error::Call`] if the plugin fails.
    pub fn compile_pipeline(&self, desc: &PipelineStateDesc) -> Result<Compiled, Error> {
        let (desc, places) = (desc.borrowed(), RecordPlaces::default());
        let target = Some(&self.capabilities);
        let desc = PipelineState::new(&desc, &places, target, &mut Messages::default())?;
        let ((), compiled) = self.compile(|session, types| {
            // SAFETY: `desc` is a translation for the usermode DDI, and lives through the call.
            let keys = unsafe {
                self.compiler
                    .compile_pipeline_state(session, types, desc.arg())
            }?;
            Ok(((), keys))
        })?;
        Ok(compiled)
    }

    /// Compiles a library, with everything that it exports, as a collection that may lack what its shaders refer to.
    ///
    /// # Errors
    ///
    /// As for [`compile_state_object`](Self::compile_state_object); [`Error::Shader`] for code that is no library.
    pub fn compile_library(&self, library: &[u8]) -> Result<StateObject, Error> {
        let library = description::container(library)?;
        expect(ShaderKind::Library, &library)?;
        let flags = D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS;
        self.compile_state_object(StateObjectDesc {
            kind: D3D12_STATE_OBJECT_TYPE_COLLECTION,
            subobjects: vec![
                Subobject::Config(flags),
                Subobject::Library(DxilLibrary {
                    bytecode: &library[..],
                    exports: Vec::new(),
                }),
            ],
        })
    }

    /// Compiles a state object. Its collections are this host's.
    ///
    /// # Errors
    ///
    /// As for [`compile_pipeline`](Self::compile_pipeline).
    pub fn compile_state_object(
        &self,
        desc: StateObjectDesc<StateObject, &[u8]>,
    ) -> Result<StateObject, Error> {
        self.compile_object(desc, None)
    }

    /// Compiles an addition to a state object of this host; the result is the whole.
    ///
    /// # Errors
    ///
    /// As for [`compile_pipeline`](Self::compile_pipeline).
    pub fn add_to_state_object(
        &self,
        parent: &StateObject,
        addition: StateObjectDesc<StateObject, &[u8]>,
    ) -> Result<StateObject, Error> {
        self.check(parent)?;
        self.compile_object(addition, Some(parent))
    }

    fn compile_object(
        &self,
        desc: StateObjectDesc<StateObject, &[u8]>,
        parent: Option<&StateObject>,
    ) -> Result<StateObject, Error> {
        let desc = desc.with_collections(|place: SubobjectPlace, object: StateObject| {
            self.check(&object).map_err(|invalid| invalid.at(place))?;
            Ok::<_, Invalid>(object.into_collection())
        })?;
        let (parent_desc, target) = (parent.map(StateObject::desc), Some(&self.capabilities));
        // SAFETY: once an object is made, the plugin is called for it only to make an addition to it, and to destroy it. An
        // addition claims its parent first and gives it free when the plugin's object of the addition is gone
        // (`StateObject`), so no other call for an object of the line is under way.
        let desc = unsafe {
            state_object::StateObject::new(&desc, parent_desc, target, &mut Messages::default())
        }?;
        let (object, compiled) = self.compile(|session, types| {
            // SAFETY: `desc` is a translation for the usermode DDI. It does not move what it points to, and the result holds it
            // and the parent until the plugin's object is gone; the collections, which are this plugin's, are kept by `desc`.
            unsafe {
                match parent {
                    None => self
                        .compiler
                        .create_state_object(session, types, desc.arg()),
                    Some(parent) => parent.object().add_to(session, types, desc.arg()),
                }
            }
        })?;
        Ok(StateObject::new(
            object,
            desc,
            parent,
            &self.compiler,
            compiled,
        ))
    }

    /// Checks that the state object is this host's.
    fn check(&self, object: &StateObject) -> Result<(), Invalid> {
        if object.is_of(&self.compiler) {
            return Ok(());
        }
        Err(Invalid::other("the state object is one of another host"))
    }

    /// Does the work of every compile call around the plugin's call.
    fn compile<T>(
        &self,
        call: impl FnOnce(
            SessionScope,
            D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        ) -> Result<(T, Vec<Vec<u8>>), CallError>,
    ) -> Result<(T, Compiled), Error> {
        const ALL: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS =
            D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS(15);
        let session = Arc::new(Call::new(Arc::clone(&self.cache)));
        let scope = SessionScope::new(Arc::clone(&session) as _);
        let (made, keys) = called(|| call(scope, ALL))?;
        let compiled = Compiled::new(keys, &self.cache.values(), &session.seen());
        Ok((made, compiled))
    }
}

impl<P> fmt::Debug for Host<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("target", &self.compiler.target())
            .finish_non_exhaustive()
    }
}

/// Makes a call to the plugin, whose error gets the log.
fn called<T>(call: impl FnOnce() -> Result<T, CallError>) -> Result<T, Error> {
    let (result, log) = log::collect(call);
    result.map_err(|error| Error::Call { error, log })
}

fn expect(kind: ShaderKind, container: &[u8]) -> Result<(), Error> {
    match description::kind(container)? {
        found if found == kind => Ok(()),
        found => Err(Error::Shader(format!(
            "the code is of kind {found}, not {kind}"
        ))),
    }
}
