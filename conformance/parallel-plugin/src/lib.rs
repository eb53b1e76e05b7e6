//! A plugin that compiles the libraries of a state object on several threads, has its compilers share what is slow to make,
//! and finds the first half of a stage's compile in the host's cache. docs/vendor-guide.md explains it.

#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use plugin_sdk::ddi::D3D12DDI_RAYTRACING_TIER_1_1;
use plugin_sdk::desc::{
    ApplicationDesc, Describe, PipelineStateDesc, RootSignature, ShaderCode, StateObjectDesc,
    Subobject, unknown_values,
};
use plugin_sdk::dxil::Program;
use plugin_sdk::{
    AdapterFamily, Capabilities, Compiler, CompilerPlugin, Error, Key, KeyBuilder, ObjectValueKeys,
    Receipt, Result, Session, Target, ValueType, ValueTypes, Values, VersionNumber,
    shader_models_up_to,
};

/// What all compilers of an open use.
struct Shared {
    intrinsics: Vec<u8>,
}

struct ParallelPlugin {
    shared: Arc<Shared>,
}

impl CompilerPlugin for ParallelPlugin {
    type Compiler = ParallelCompiler;

    fn open() -> Result<Self> {
        let intrinsics = b"what takes long to load".to_vec();
        Ok(Self {
            shared: Arc::new(Shared { intrinsics }),
        })
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        vec![AdapterFamily::new(
            "Parallel",
            vec![2, 1],
            VersionNumber::new(1, 0, 0, 0),
        )]
    }

    fn capabilities(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.shader_models = shader_models_up_to(6, 8).into();
        capabilities.options.RaytracingTier = D3D12DDI_RAYTRACING_TIER_1_1;
        capabilities
    }

    fn create_compiler(
        &self,
        target: &Target<'_>,
        _: &ApplicationDesc<'_>,
    ) -> Result<ParallelCompiler> {
        Ok(ParallelCompiler {
            abi_version: target.abi_version,
            shared: Arc::clone(&self.shared),
        })
    }
}

struct ParallelCompiler {
    abi_version: u64,
    shared: Arc<Shared>,
}

/// The bitcode of every library, with the key that its values have.
#[derive(Clone)]
struct Libraries(Vec<(Key, Vec<u8>)>);

impl Compiler for ParallelCompiler {
    type StateObject = Libraries;

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        let mut receipts = Vec::new();
        for shader in desc.shaders() {
            let (Some(code), Some(program)) = (shader.code, shader.program()?) else {
                continue;
            };
            understood(shader)?;
            receipts.extend(self.compile_stage(code, &program, desc.root_signature(), &session)?);
        }
        Ok(session.finish(receipts))
    }

    fn compile_state_object<'call>(
        &self,
        desc: &StateObjectDesc<'call, Libraries>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Libraries)> {
        self.compile_libraries(Vec::new(), desc, session)
    }

    fn compile_add_to_state_object<'call>(
        &self,
        parent: &Libraries,
        addition: &StateObjectDesc<'call, Libraries>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Libraries)> {
        self.compile_libraries(parent.0.clone(), addition, session)
    }
}

impl ParallelCompiler {
    /// A stage in two halves: the first depends on the shader alone, so that pipelines with other root signatures share it.
    fn compile_stage<'call>(
        &self,
        code: ShaderCode<'call>,
        program: &Program<'_>,
        root_signature: Option<&RootSignature<'call>>,
        session: &Session<'call>,
    ) -> Result<[Receipt<'call>; 2]> {
        let first_key = self.first_key(code);
        let mut first_half = None;
        let first = session.find_or_store(first_key.clone(), |missing| {
            let made = first_half.insert(self.first_half(program));
            Ok(values(made.clone(), missing))
        })?;
        let bindings = bindings(root_signature)?;
        let key = KeyBuilder::new("my.stage")
            .key("first half", &first_key)
            .key("bindings", &bindings)
            .finish();
        let second = session.find_or_store(key, |missing| {
            let first_half = match first_half {
                Some(made) => made,
                None => match session.find(&first_key, ValueType::ObjectCode)? {
                    Some(found) => found.to_vec(),
                    // The host did not ask for code, or has lost it.
                    None => self.first_half(program),
                },
            };
            Ok(values([bindings.as_bytes(), &first_half].concat(), missing))
        })?;
        Ok([first, second])
    }

    fn first_key(&self, code: ShaderCode<'_>) -> Key {
        KeyBuilder::new("my.first-half")
            .u64("abi", self.abi_version)
            .bytecode("program", code)
            .finish()
    }

    /// Where the slow part of a real compiler is.
    fn first_half(&self, program: &Program<'_>) -> Vec<u8> {
        [&self.shared.intrinsics, program.bitcode()].concat()
    }

    fn compile_libraries<'call>(
        &self,
        mut parts: Vec<(Key, Vec<u8>)>,
        desc: &StateObjectDesc<'call, Libraries>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Libraries)> {
        for subobject in desc.subobjects() {
            if let Subobject::Unknown(kind) = subobject {
                return Err(Error::unsupported(format!("a subobject of type {kind:?}")));
            }
        }
        parts.extend(
            desc.collections()
                .flat_map(|collection| collection.0.clone()),
        );
        for library in desc.libraries() {
            // All that this compiler reads; most would read the subobjects of its exports too.
            let code = self.first_half(&library.code.program()?);
            parts.push((self.first_key(library.code), code));
        }
        let receipts = thread::scope(|scope| {
            let compile = |(key, code): &(Key, Vec<u8>)| {
                session.find_or_store(key.clone(), |missing| Ok(values(code, missing)))
            };
            let threads: Vec<_> = parts
                .iter()
                .map(|part| scope.spawn(move || compile(part)))
                .collect();
            // In the order of the libraries, whichever was done first.
            let results = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            results.collect::<Result<Vec<_>>>()
        })?;
        Ok((session.finish(receipts), Libraries(parts)))
    }
}

fn values<'v>(code: impl Into<Cow<'v, [u8]>>, missing: ValueTypes) -> Values<'v> {
    let code = code.into();
    let bytes = code.len();
    let value = |kind| match kind {
        ValueType::ObjectCode => code.clone(),
        kind => format!("{kind:?} of {bytes} bytes").into_bytes().into(),
    };
    missing.types().map(|kind| (kind, value(kind))).collect()
}

/// What stands for the code that the root signature makes necessary.
fn bindings(root_signature: Option<&RootSignature<'_>>) -> Result<Key> {
    let mut bindings = KeyBuilder::new("my.bindings");
    if let Some(root_signature) = root_signature {
        understood(root_signature)?;
        bindings = bindings.describe("root signature", root_signature);
    }
    Ok(bindings.finish())
}

/// Refuses values that this compiler would have to understand, and does not.
fn understood(description: &dyn Describe) -> Result<()> {
    match unknown_values(description).first() {
        Some(unknown) => Err(Error::unsupported(format!(
            "{} is {}",
            unknown.path, unknown.value
        ))),
        None => Ok(()),
    }
}

plugin_sdk::export_plugin!(ParallelPlugin);
