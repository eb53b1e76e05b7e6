//! Plugins that are linked in: one that writes down what it is given, and the sample plugin.

use std::fmt::Write as _;
use std::sync::Arc;

use compiler_runtime::desc::state_object::{Collection, StateObject};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE, D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
};
use plugin_host::session::{MemoryCache, SessionScope};
use plugin_sdk::desc::{
    ApplicationDesc, Describe, Field, Fields, PipelineStateDesc, StateObjectDesc, Subobject,
};
use plugin_sdk::{
    AdapterFamily, Compiler, CompilerPlugin, KeyBuilder, ObjectValueKeys, Result, Session, Target,
    ValueType, Values, VersionNumber,
};
use runtime_test_support::linked_in;

struct Reader;
struct ReadingCompiler;

impl CompilerPlugin for Reader {
    type Compiler = ReadingCompiler;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        vec![AdapterFamily::new(
            "Reader",
            vec![1],
            VersionNumber::new(1, 0, 0, 0),
        )]
    }

    fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<ReadingCompiler> {
        Ok(ReadingCompiler)
    }
}

impl Compiler for ReadingCompiler {
    /// What it was made of.
    type StateObject = String;

    fn compile_pipeline_state<'call>(
        &self,
        _: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        Ok(session.finish([]))
    }

    fn compile_state_object<'call>(
        &self,
        desc: &StateObjectDesc<'call, String>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, String)> {
        finish(written(desc), session)
    }

    fn compile_add_to_state_object<'call>(
        &self,
        _: &String,
        addition: &StateObjectDesc<'call, String>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, String)> {
        finish(written(addition), session)
    }
}

/// The text is the object code.
fn finish(text: String, session: Session<'_>) -> Result<(ObjectValueKeys<'_>, String)> {
    let key = KeyBuilder::new("reader").text("text", &text).finish();
    let values = Values::new().with(ValueType::ObjectCode, text.clone().into_bytes());
    let receipt = session.store(key, &values)?;
    Ok((session.finish([receipt]), text))
}

plugin_sdk::plugin_entry!(Reader);

fn written(desc: &StateObjectDesc<'_, String>) -> String {
    let mut text = Text::default();
    desc.describe(&mut text);
    // What is associated is not among the fields by name of subobject.
    for subobject in desc.subobjects() {
        if let Subobject::ExportSummary { associations, .. } = subobject {
            for association in associations {
                let name = association.name_unmangled.unwrap().to_string_lossy();
                let _ = writeln!(text.lines, "{name}: {:?}", association.subobjects);
            }
        }
    }
    text.lines
}

/// Fields, one in a line.
#[derive(Default)]
struct Text {
    path: Vec<String>,
    lines: String,
}

impl Fields for Text {
    fn field(&mut self, name: &'static str, value: Field<'_>) {
        let value = match value {
            Field::Unsigned(value) => value.to_string(),
            Field::Float(value) => format!("{value:?}"),
            Field::Bool(value) => value.to_string(),
            Field::Enumeration {
                name: Some(name), ..
            } => name.to_owned(),
            Field::Enumeration { value, .. } => format!("{value}?"),
            Field::Flags { bits, .. } => format!("{bits:#x}"),
            Field::Text(text) => format!("{:?}", text.to_string_lossy()),
            Field::Bytecode(code) => format!("{} bytes, {:?}", code.bytes().len(), code.form()),
            Field::Absent => "-".to_owned(),
            _ => "?".to_owned(),
        };
        let _ = writeln!(
            self.lines,
            "{}{name} = {value}",
            "  ".repeat(self.path.len())
        );
    }

    fn group(&mut self, name: &'static str, index: Option<usize>, content: &dyn Describe) {
        let index = index.map_or_else(String::new, |index| format!("[{index}]"));
        let _ = writeln!(self.lines, "{}{name}{index}", "  ".repeat(self.path.len()));
        self.path.push(String::new());
        content.describe(self);
        self.path.pop();
    }
}

const OBJECT_CODE: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;

/// A plugin with a compiler.
pub struct Host {
    compiler: plugin_host::Compiler,
}

impl Host {
    pub fn reader() -> Self {
        Self::new::<Reader>()
    }

    pub fn sample() -> Self {
        Self::new::<sample_plugin::SamplePlugin>()
    }

    fn new<P: CompilerPlugin>() -> Self {
        Self {
            compiler: linked_in::compiler::<P>(),
        }
    }

    /// Compiles a state object, or an addition.
    #[track_caller]
    pub fn compile(&self, desc: &Arc<StateObject>, parent: Option<&Compiled>) -> Compiled {
        let cache = Arc::new(MemoryCache::default());
        let session = SessionScope::new(cache.clone());
        // SAFETY: the description lives as long as the object, which holds it.
        let compiled = unsafe {
            match parent {
                None => self
                    .compiler
                    .create_state_object(session, OBJECT_CODE, desc.arg()),
                Some(parent) => parent.object.add_to(session, OBJECT_CODE, desc.arg()),
            }
        };
        let (object, keys) = compiled.unwrap();
        assert!(cache.misuses().is_empty());
        Compiled {
            object,
            keys,
            cache,
            desc: desc.clone(),
        }
    }
}

/// What came of it.
pub struct Compiled {
    object: plugin_host::StateObject,
    pub keys: Vec<Vec<u8>>,
    cache: Arc<MemoryCache>,
    pub desc: Arc<StateObject>,
}

impl Compiled {
    /// What the reader wrote.
    pub fn text(&self) -> String {
        let values = self.cache.values();
        let text = values[&self.keys[0]][0].as_ref().unwrap().to_vec();
        String::from_utf8(text).unwrap()
    }

    /// As an existing collection.
    pub fn collection(&self) -> Collection {
        Collection {
            desc: self.desc.clone(),
            handle: self.object.handle(),
            keep_alive: Arc::new(self.object.clone()),
        }
    }
}

/// What a plugin reads of a state object.
#[track_caller]
pub fn read(object: StateObject) -> String {
    Host::reader().compile(&Arc::new(object), None).text()
}

/// The lines of a text that hold a word.
pub fn lines<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines()
        .filter(|line| line.contains(word))
        .map(str::trim)
        .collect()
}

/// The associations of a text: `export: subobjects`.
pub fn associations(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains(": [")).collect()
}
