//! Compiles a compute pipeline with a plugin into a database, and prints what the plugin stored.
//!
//! `compile PLUGIN OUT.psdb`

use std::error::Error;
use std::path::Path;

use api_desc::{PipelineStateDesc, RecordPlaces, ShaderStage};
use compiler_runtime::message::Messages;
use compiler_runtime::{ApplicationDesc, Factory, Group, TargetDesc, U16CString, ValueTypes};
use shader_db::psdb::File;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [plugin, out] = &*arguments else {
        return Err("usage: compile PLUGIN OUT.psdb".into());
    };

    // SAFETY: whoever names a library says that it is a plugin, which keeps the DDI.
    let factory = unsafe { Factory::load(Path::new(plugin)) }?;
    let newest = TargetDesc {
        adapter_family_index: 0,
        abi_version: 0,
    };
    let application = ApplicationDesc {
        exe_filename: U16CString::from_str("game.exe")?,
        name: U16CString::from_str("Game")?,
        version: 1,
        engine: None,
    };
    let session = factory
        .cache_session()
        .files([(ValueTypes::ALL, out)])
        .target(newest)
        .application(&application)
        .open()?;
    let compiler = factory.create_compiler(&session)?;

    let shader: &[u8] = include_bytes!("raw_copy_cs.dxil");
    let mut desc = PipelineStateDesc::default();
    desc.shaders[ShaderStage::Compute] = Some(shader);
    let mut messages = Messages::default();
    let group: Group<'_> = (b"copy", 1);
    let compiled =
        compiler.compile_pipeline_state(&[group], &desc, &RecordPlaces::default(), &mut messages);
    for message in messages.take() {
        println!("{message}");
    }
    compiled?;

    // The file is complete when nobody writes to it any more.
    drop((compiler, session));
    let file = File::open(Path::new(out))?;
    for group in file.groups()? {
        println!("group {}", String::from_utf8_lossy(&group.key));
    }
    println!("{:?}", file.counts()?);
    Ok(())
}
