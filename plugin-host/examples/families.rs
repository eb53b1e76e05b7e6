//! Prints what a plugin compiles for: its adapter families, their versions, and the shader models of the newest ABI.
//!
//! `families PLUGIN`

use std::error::Error;
use std::path::PathBuf;

use ddi_sys::VersionNumber;
use plugin_host::{ApplicationDesc, Library, Plugin, U16CString};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: families PLUGIN")?;
    // SAFETY: whoever names a library says that it is a plugin, which keeps the DDI.
    let library = unsafe { Library::load(&PathBuf::from(path)) }?;
    let plugin = Plugin::open(&library)?;
    let application = ApplicationDesc {
        exe_filename: U16CString::from_str("game.exe")?,
        name: U16CString::from_str("Game")?,
        version: VersionNumber::new(1, 0, 0, 0).bits(),
        engine: None,
    };
    for (index, family) in (0..).zip(plugin.adapter_families()?) {
        let compiler = VersionNumber::from_bits(plugin.compiler_version(index)?);
        let abi_versions = plugin.abi_versions(index)?;
        println!("{family}: compiler {compiler}, ABI versions {abi_versions:?}");
        let newest = *abi_versions.first().ok_or("a family without an ABI")?;
        let target = plugin.target(index, newest)?;
        for model in plugin.shader_models(target, &application)? {
            println!("    {model:?}");
        }
    }
    Ok(())
}
