use plugin_sdk::{desc::{ApplicationDesc, PipelineStateDesc}, *};

struct MyPlugin;
struct MyCompiler { abi_version: u64 }

impl CompilerPlugin for MyPlugin {
    type Compiler = MyCompiler;
    fn open() -> Result<Self> { Ok(Self) }
    fn adapter_families(&self) -> Vec<AdapterFamily> {
        vec![AdapterFamily::new("My GPU", vec![2, 1], VersionNumber::new(1, 0, 0, 0))]
    }
    fn create_compiler(&self, target: &Target, _: &ApplicationDesc) -> Result<MyCompiler> {
        Ok(MyCompiler { abi_version: target.abi_version })
    }
}

impl Compiler for MyCompiler {
    type StateObject = ();
    fn compile_pipeline_state<'call>(&self, desc: &PipelineStateDesc<'call>, session: Session<'call>) -> Result<ObjectValueKeys<'call>> {
        let mut receipts = Vec::new();
        for shader in desc.shaders() {
            let Some(program) = shader.program()? else { continue };
            // All that the code depends on: with a compiler that reads it, the root signature too.
            let key = KeyBuilder::new("my.stage").u64("abi", self.abi_version).bytes("program", program.bytes()).finish();
            receipts.push(session.find_or_store(key, |missing| {
                let code = program.bitcode(); // Here is where a real compiler begins.
                Ok(missing.types().map(|kind| (kind, code)).collect())
            })?);
        }
        Ok(session.finish(receipts))
    }
}

plugin_sdk::export_plugin!(MyPlugin);

#[cfg(test)]
mod tests {
    use super::MyPlugin;
    use plugin_testing::{Error, Host};

    #[test]
    fn a_compute_shader_is_compiled_and_found_again() -> Result<(), Error> {
        let shader = include_bytes!("cs.dxil");
        let host = Host::<MyPlugin>::open()?;
        let compiled = host.compile_compute(shader)?;
        assert_eq!(compiled.object_code().count(), 1);
        assert_eq!(host.compile_compute(shader)?.stored(), 0);
        Ok(())
    }
}
