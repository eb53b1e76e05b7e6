//! Hosts compile on several threads at once: a compiler must bear it.

use std::cell::Cell;

use plugin_sdk::desc::PipelineStateDesc;
use plugin_sdk::{Compiler, ObjectValueKeys, Result, Session};

struct MyCompiler {
    compiled: Cell<u32>,
}

impl Compiler for MyCompiler {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        _: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        self.compiled.set(self.compiled.get() + 1);
        Ok(session.finish([]))
    }
}

fn main() {}
