//! The plugins at the other end: the sample plugin, and one that writes down what it is given.

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use compiler_runtime::desc::pipeline_state::PipelineState;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
};
use plugin_host::session::{MemoryCache, SessionScope};
use plugin_host::{CallError, Compiler};
use plugin_sdk::desc::{Describe, Field, Fields, PipelineStateDesc};
use plugin_sdk::{Error, ObjectValueKeys, Session};
use runtime_test_support::linked_in::compiler;
use sample_plugin::SamplePlugin;

use crate::target::Limited;

const TYPES: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;

static SAMPLE: LazyLock<Compiler> = LazyLock::new(compiler::<SamplePlugin>);
static RECORDER: LazyLock<Compiler> = LazyLock::new(compiler::<Limited>);

fn compile_with(compiler: &Compiler, state: &PipelineState<'_>) -> Result<Vec<Vec<u8>>, CallError> {
    let scope = SessionScope::new(Arc::new(MemoryCache::default()));
    // SAFETY: the description is translated, and its stream is alive.
    unsafe { compiler.compile_pipeline_state(scope, TYPES, state.arg()) }
}

/// The keys that the sample plugin gives to the parts of the pipeline.
pub fn compile(state: &PipelineState<'_>) -> Result<Vec<Vec<u8>>, CallError> {
    compile_with(&SAMPLE, state)
}

/// A field of a description: its path and its value.
pub type Recorded = Vec<(String, String)>;

thread_local! {
    static RECORDED: RefCell<Recorded> = const { RefCell::new(Vec::new()) };
}

/// What a plugin sees of the pipeline.
pub fn record(state: &PipelineState<'_>) -> Recorded {
    // The recorder compiles nothing.
    compile_with(&RECORDER, state).unwrap_err();
    let recorded = RECORDED.take();
    assert!(!recorded.is_empty(), "the description could not be read");
    recorded
}

/// The compiler of [`Limited`], which writes down what it is given.
pub struct Recorder;

impl plugin_sdk::Compiler for Recorder {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        _: Session<'call>,
    ) -> plugin_sdk::Result<ObjectValueKeys<'call>> {
        let mut lines = Lines::default();
        desc.describe(&mut lines);
        for shader in desc.shaders() {
            // Kind and header are right.
            shader.program()?;
        }
        RECORDED.set(lines.lines);
        Err(Error::unsupported("recorded"))
    }
}

#[derive(Default)]
struct Lines {
    path: Vec<String>,
    lines: Recorded,
}

impl Fields for Lines {
    fn field(&mut self, name: &'static str, value: Field<'_>) {
        let path = self.path.iter().map(String::as_str).chain([name]);
        let value = match value {
            Field::Unsigned(value) => value.to_string(),
            Field::Float(value) => format!("{value:?}"),
            Field::Bool(value) => value.to_string(),
            Field::Enumeration { value, .. } | Field::Flags { bits: value, .. } => {
                value.to_string()
            }
            Field::Absent => "absent".into(),
            Field::Bytecode(code) => format!("{} bytes", code.bytes().len()),
            other => format!("{other:?}"),
        };
        self.lines.push((path.collect::<Vec<_>>().join("."), value));
    }

    fn group(&mut self, name: &'static str, index: Option<usize>, content: &dyn Describe) {
        let index = index.map_or_else(String::new, |index| format!("[{index}]"));
        self.path.push(format!("{name}{index}"));
        content.describe(self);
        self.path.pop();
    }
}

/// The value of a field.
pub fn value<'a>(recorded: &'a Recorded, path: &str) -> &'a str {
    let field = recorded.iter().find(|(name, _)| name == path);
    field.map_or_else(|| panic!("no {path} in {recorded:#?}"), |(_, value)| value)
}
