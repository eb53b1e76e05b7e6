//! The plugin under test: it does what the thread's script says.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

use ddi_sys::DXGI_FORMAT;
use plugin_sdk::desc::{ApplicationDesc, PipelineStateDesc, StateObjectDesc};
use plugin_sdk::{
    AdapterFamily, Capabilities, Compiler, CompilerPlugin, KeyBuilder, ObjectValueKeys, Result,
    Session, Target, ValueType, ValueTypes, Values, VersionNumber, plugin_entry,
};

/// The vendor methods that a script can make panic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    Open,
    AdapterFamilies,
    Capabilities,
    FormatSupport,
    QualityLevels,
    ProfileVersion,
    CreateCompiler,
    CompilePipeline,
    CompileStateObject,
    CompileAddition,
    DropPlugin,
    DropCompiler,
    DropStateObject,
}

type CreateCompiler = dyn Fn(&Target<'_>, &ApplicationDesc<'_>) -> Result<()>;

type CompilePipeline =
    dyn for<'call> Fn(&PipelineStateDesc<'call>, Session<'call>) -> Result<ObjectValueKeys<'call>>;

type CompileStateObject = dyn for<'call> Fn(
    Option<&TestState>,
    &StateObjectDesc<'call, TestState>,
    Session<'call>,
) -> Result<(ObjectValueKeys<'call>, String)>;

/// What the plugin does on this thread.
pub struct Script {
    pub open: fn() -> Result<()>,
    pub families: Vec<AdapterFamily>,
    pub capabilities: Capabilities,
    pub format_support: u32,
    pub quality_levels: u32,
    pub profile: VersionNumber,
    /// Which method panics, and how.
    pub panic_in: Option<(Method, fn())>,
    /// What `create_compiler` does before it succeeds.
    pub create: Box<CreateCompiler>,
    pub compile: Box<CompilePipeline>,
    /// Returns the state object's name.
    pub compile_state_object: Box<CompileStateObject>,
}

impl Default for Script {
    fn default() -> Self {
        let version = VersionNumber::new(1, 2, 3, 4);
        Self {
            open: || Ok(()),
            families: vec![
                AdapterFamily::new("First", vec![3, 2, 1], version),
                AdapterFamily::new("Second \u{1F3AE}", vec![7], version),
            ],
            capabilities: Capabilities::default(),
            format_support: 0,
            quality_levels: 0,
            profile: VersionNumber::ZERO,
            panic_in: None,
            create: Box::new(|_, _| Ok(())),
            compile: Box::new(compile_each_shader),
            compile_state_object: Box::new(|_, desc, session| {
                let key = KeyBuilder::new("test.state")
                    .describe("desc", desc)
                    .finish();
                let receipt = session.find_or_store(key, |missing| Ok(made(missing)))?;
                Ok((session.finish([receipt]), "made by default".into()))
            }),
        }
    }
}

/// A value of each type, which says what it is.
pub fn made(types: ValueTypes) -> Values<'static> {
    types.types().map(|kind| (kind, value_of(kind))).collect()
}

pub fn value_of(kind: ValueType) -> Vec<u8> {
    format!("{kind:?}").into_bytes()
}

/// One value for each shader, or one for the whole when there is none.
fn compile_each_shader<'call>(
    desc: &PipelineStateDesc<'call>,
    session: Session<'call>,
) -> Result<ObjectValueKeys<'call>> {
    let mut receipts = Vec::new();
    for shader in desc.shaders() {
        let key = KeyBuilder::new("test.shader")
            .describe("shader", shader)
            .finish();
        receipts.push(session.find_or_store(key, |missing| Ok(made(missing)))?);
    }
    if receipts.is_empty() {
        let key = KeyBuilder::new("test.pipeline")
            .describe("desc", desc)
            .finish();
        receipts.push(session.find_or_store(key, |missing| Ok(made(missing)))?);
    }
    Ok(session.finish(receipts))
}

thread_local! {
    static SCRIPT: RefCell<Rc<Script>> = RefCell::default();
    static ALIVE: Arc<AtomicIsize> = Arc::default();
}

fn script() -> Rc<Script> {
    SCRIPT.with_borrow(Rc::clone)
}

/// Puts the default back when it is dropped.
#[must_use]
pub struct Installed(());

impl Script {
    pub fn install(self) -> Installed {
        SCRIPT.set(Rc::new(self));
        Installed(())
    }

    /// A script whose pipelines are compiled so.
    pub fn compiling(
        compile: impl for<'call> Fn(
            &PipelineStateDesc<'call>,
            Session<'call>,
        ) -> Result<ObjectValueKeys<'call>>
        + 'static,
    ) -> Installed {
        let script = Self {
            compile: Box::new(compile),
            ..Self::default()
        };
        script.install()
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        SCRIPT.set(Rc::default());
    }
}

/// How many of the vendor's objects, made on this thread, are alive.
pub fn alive() -> isize {
    ALIVE.with(|alive| alive.load(Ordering::SeqCst))
}

/// Part of every vendor object: counts it, and panics in its drop if the script says so.
struct Alive(Arc<AtomicIsize>, Method);

impl Alive {
    fn new(drop: Method) -> Self {
        let alive = ALIVE.with(Arc::clone);
        alive.fetch_add(1, Ordering::SeqCst);
        Self(alive, drop)
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
        enter(self.1);
    }
}

fn enter(method: Method) {
    if let Some((panicking, panic)) = script().panic_in
        && panicking == method
    {
        panic();
    }
}

pub struct TestPlugin {
    _alive: Alive,
}

plugin_entry!(TestPlugin);

impl CompilerPlugin for TestPlugin {
    type Compiler = TestCompiler;

    fn open() -> Result<Self> {
        enter(Method::Open);
        (script().open)()?;
        Ok(Self {
            _alive: Alive::new(Method::DropPlugin),
        })
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        enter(Method::AdapterFamilies);
        script().families.clone()
    }

    fn capabilities(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Capabilities {
        enter(Method::Capabilities);
        script().capabilities.clone()
    }

    fn format_support(&self, _: &Target<'_>, _: DXGI_FORMAT) -> u32 {
        enter(Method::FormatSupport);
        script().format_support
    }

    fn multisample_quality_levels(&self, _: &Target<'_>, _: DXGI_FORMAT, _: u32) -> u32 {
        enter(Method::QualityLevels);
        script().quality_levels
    }

    fn application_profile_version(
        &self,
        _: &Target<'_>,
        _: &ApplicationDesc<'_>,
    ) -> VersionNumber {
        enter(Method::ProfileVersion);
        script().profile
    }

    fn create_compiler(
        &self,
        target: &Target<'_>,
        application: &ApplicationDesc<'_>,
    ) -> Result<TestCompiler> {
        enter(Method::CreateCompiler);
        (script().create)(target, application)?;
        Ok(TestCompiler {
            _alive: Alive::new(Method::DropCompiler),
        })
    }
}

pub struct TestCompiler {
    _alive: Alive,
}

pub struct TestState {
    pub name: String,
    _alive: Alive,
}

impl Compiler for TestCompiler {
    type StateObject = TestState;

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        enter(Method::CompilePipeline);
        (script().compile)(desc, session)
    }

    fn compile_state_object<'call>(
        &self,
        desc: &StateObjectDesc<'call, TestState>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, TestState)> {
        enter(Method::CompileStateObject);
        state_object(None, desc, session)
    }

    fn compile_add_to_state_object<'call>(
        &self,
        parent: &TestState,
        addition: &StateObjectDesc<'call, TestState>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, TestState)> {
        enter(Method::CompileAddition);
        state_object(Some(parent), addition, session)
    }
}

fn state_object<'call>(
    parent: Option<&TestState>,
    desc: &StateObjectDesc<'call, TestState>,
    session: Session<'call>,
) -> Result<(ObjectValueKeys<'call>, TestState)> {
    let (keys, name) = (script().compile_state_object)(parent, desc, session)?;
    let state = TestState {
        name,
        _alive: Alive::new(Method::DropStateObject),
    };
    Ok((keys, state))
}

/// Another plugin in the same process, all defaults.
pub struct OtherPlugin;

plugin_entry!(OtherPlugin);

impl CompilerPlugin for OtherPlugin {
    type Compiler = OtherCompiler;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        Script::default().families
    }

    fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<OtherCompiler> {
        Ok(OtherCompiler)
    }
}

pub struct OtherCompiler;

impl Compiler for OtherCompiler {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        compile_each_shader(desc, session)
    }
}
