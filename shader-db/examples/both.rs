//! Describes a pipeline in a state object database, puts what a compiler made of it into a precompiled shader database, and
//! reads both.

use std::error::Error;

use shader_db::psdb::{Application, File, Options, Psdb, Target, ValueType, ValueTypes};
use shader_db::sodb::{Access, PipelineStateDesc, ShaderStage, Sodb};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (what, made) = (
        folder.path().join("game.sodb"),
        folder.path().join("game.psdb"),
    );
    let application = Application {
        exe: "game.exe".into(),
        name: "Game".into(),
        version: 1,
        engine_name: None,
        engine_version: 0,
    };

    let sodb = Sodb::open(&what, Access::Create)?;
    sodb.set_application(&application)?;
    let mut desc = PipelineStateDesc::default();
    desc.shaders[ShaderStage::Compute] = Some((*b"a DXIL container").into());
    sodb.store_pipeline_state(b"copy", 1, &desc)?;
    sodb.close()?;

    let options = Options {
        target: Some(Target {
            family: "GPU".into(),
            abi: 1,
            compiler_version: 1 << 48,
            profile_version: 0,
        }),
        application: Some(application),
        ..Options::default()
    };
    let psdb = Psdb::open(&[(ValueTypes::ALL, &made)], &options)?;
    for entry in Sodb::open(&what, Access::Read)?.entries()? {
        let key = String::from_utf8_lossy(&entry.key);
        println!("to compile: {key}, version {}", entry.version);
        psdb.store_value(b"code of copy", &[(ValueType::ObjectCode, b"object code")])?;
        psdb.store_group(&entry.key, entry.version, &[b"code of copy"])?;
    }
    psdb.close()?;

    for group in File::open(&made)?.groups()? {
        println!("compiled: {}", String::from_utf8_lossy(&group.key));
    }
    Ok(())
}
