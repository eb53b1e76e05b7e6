//! A plugin of two adapter families. It compiles each stage of a pipeline under a key of its own, so that pipelines share
//! stages; its code is the program's bitcode behind the ABI version.
//!
//! `cargo build --example first_plugin` makes the DLL.
#![forbid(unsafe_code)]

use std::borrow::Cow;

use plugin_sdk::desc::{ApplicationDesc, Describe, PipelineStateDesc, unknown_values};
use plugin_sdk::{
    AdapterFamily, Compiler, CompilerPlugin, Error, KeyBuilder, ObjectValueKeys, Result, Session,
    Target, ValueType, VersionNumber,
};

struct FirstPlugin;

impl CompilerPlugin for FirstPlugin {
    type Compiler = Stages;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        let version = VersionNumber::new(1, 0, 0, 0);
        vec![
            AdapterFamily::new("First GPU", vec![2, 1], version),
            AdapterFamily::new("Second GPU", vec![1], version),
        ]
    }

    fn create_compiler(&self, target: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<Stages> {
        Ok(Stages {
            family: target.family.name.clone(),
            abi_version: target.abi_version,
        })
    }
}

struct Stages {
    family: Cow<'static, str>,
    abi_version: u64,
}

impl Compiler for Stages {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        let mut receipts = Vec::new();
        for shader in desc.shaders() {
            let Some(program) = shader.program()? else {
                continue;
            };
            understood(shader)?;
            // All that the values depend on, and no more: the description of the shader has its root signature too.
            let key = KeyBuilder::new("first.stage")
                .text("family", &self.family)
                .u64("abi", self.abi_version)
                .bytes("program", program.bytes());
            receipts.push(session.find_or_store(key.finish(), |missing| {
                let value = |kind| match kind {
                    ValueType::ObjectCode => {
                        [&self.abi_version.to_le_bytes(), program.bitcode()].concat()
                    }
                    _ => format!("{} bytes of bitcode", program.bitcode().len()).into(),
                };
                Ok(missing.types().map(|kind| (kind, value(kind))).collect())
            })?);
        }
        Ok(session.finish(receipts))
    }
}

/// Refuses what a later DDI has a meaning for, and this compiler has not.
fn understood(description: &dyn Describe) -> Result<()> {
    match unknown_values(description).first() {
        Some(unknown) => Err(Error::unsupported(format!(
            "{} is {}",
            unknown.path, unknown.value
        ))),
        None => Ok(()),
    }
}

plugin_sdk::export_plugin!(FirstPlugin);
