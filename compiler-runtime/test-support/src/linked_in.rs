//! Plugins that are linked in, opened for an application in their newest ABI version.

use compiler_runtime::desc::target::Capabilities;
use compiler_runtime::{ApplicationDesc, U16CString};
use plugin_host::{Compiler, Library, Plugin, Target};
use plugin_sdk::CompilerPlugin;

fn open<P: CompilerPlugin>(family: u32) -> (Plugin, Target, ApplicationDesc) {
    // SAFETY: a plugin that is made with the SDK keeps the DDI.
    let library = unsafe { Library::from_entry(P::entry_point()) };
    let plugin = Plugin::open(&library).unwrap();
    let newest = plugin.abi_versions(family).unwrap()[0];
    let target = plugin.target(family, newest).unwrap();
    let text = |text| U16CString::from_str(text).unwrap();
    let application = ApplicationDesc {
        exe_filename: text("Game.exe"),
        name: text("Game"),
        version: 1,
        engine: None,
    };
    (plugin, target, application)
}

/// What an adapter family can do.
pub fn capabilities<P: CompilerPlugin>(family: usize) -> Capabilities {
    let (plugin, target, application) = open::<P>(u32::try_from(family).unwrap());
    Capabilities::new(plugin, target, application)
}

/// A compiler for the first adapter family.
pub fn compiler<P: CompilerPlugin>() -> Compiler {
    let (plugin, target, application) = open::<P>(0);
    plugin.create_compiler(target, &application).unwrap()
}
