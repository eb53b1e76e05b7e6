//! Everything that a plugin must have, exported from a DLL, in a crate without unsafe code.

#![forbid(unsafe_code)]

use plugin_sdk::desc::{ApplicationDesc, PipelineStateDesc};
use plugin_sdk::{
    AdapterFamily, Compiler, CompilerPlugin, ObjectValueKeys, Result, Session, Target,
};

struct MyPlugin;
struct MyCompiler;

impl CompilerPlugin for MyPlugin {
    type Compiler = MyCompiler;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        Vec::new()
    }

    fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<MyCompiler> {
        Ok(MyCompiler)
    }
}

impl Compiler for MyCompiler {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        _: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        Ok(session.finish([]))
    }
}

plugin_sdk::export_plugin!(MyPlugin);

fn main() {}
