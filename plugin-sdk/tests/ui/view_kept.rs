//! A description is the host's, for the call: what is needed later must be copied.

use std::sync::Mutex;

use plugin_sdk::desc::{PipelineStateDesc, ShaderCode};
use plugin_sdk::{Compiler, ObjectValueKeys, Result, Session};

struct MyCompiler {
    last: Mutex<Option<ShaderCode<'static>>>,
}

impl Compiler for MyCompiler {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        *self.last.lock().unwrap() = desc.shaders().next().and_then(|shader| shader.code);
        Ok(session.finish([]))
    }
}

fn main() {}
