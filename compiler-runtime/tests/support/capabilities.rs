//! What a plugin that is linked in can do.

use compiler_runtime::desc::target::Capabilities;
use compiler_runtime::{ApplicationDesc, U16CString};
use plugin_host::{Library, Plugin};
use plugin_sdk::CompilerPlugin;

/// Of an adapter family, in its newest ABI version.
pub fn capabilities<P: CompilerPlugin>(family: usize) -> Capabilities {
    let family = u32::try_from(family).unwrap();
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
    Capabilities::new(plugin, target, application)
}
