//! Compiles a shader with a plugin, and prints what the plugin stored.

use plugin_sdk::desc::{ApplicationDesc, PipelineStateDesc};
use plugin_sdk::{
    AdapterFamily, Compiler, CompilerPlugin, KeyBuilder, ObjectValueKeys, Result, Session, Target,
    VersionNumber,
};
use plugin_testing::{Error, Host};

struct Plugin;

impl CompilerPlugin for Plugin {
    type Compiler = Self;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        let version = VersionNumber::new(1, 0, 0, 0);
        vec![AdapterFamily::new("GPU", vec![1], version)]
    }

    fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<Self> {
        Ok(Self)
    }
}

impl Compiler for Plugin {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        let mut receipts = Vec::new();
        for shader in desc.shaders() {
            if let Some(program) = shader.program()? {
                let key = KeyBuilder::new("stage").bytes("program", program.bytes());
                receipts.push(session.find_or_store(key.finish(), |missing| {
                    let code = program.bitcode();
                    Ok(missing.types().map(|kind| (kind, code)).collect())
                })?);
            }
        }
        Ok(session.finish(receipts))
    }
}

plugin_sdk::plugin_entry!(Plugin);

fn main() -> Result<(), Error> {
    let host = Host::<Plugin>::open()?;
    let shader = include_bytes!("raw_copy_cs.dxil");
    for times in ["first", "second"] {
        let compiled = host.compile_compute(shader)?;
        let (found, stored) = (compiled.found(), compiled.stored());
        println!("{times} time: {found} values found, {stored} stored");
        for (key, code) in compiled.keys().zip(compiled.object_code()) {
            println!("    {}: {} bytes of code", hex::encode(key), code.len());
        }
    }
    Ok(())
}
