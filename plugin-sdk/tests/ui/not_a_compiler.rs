//! The plugin names a compiler that is none.

use plugin_sdk::desc::ApplicationDesc;
use plugin_sdk::{AdapterFamily, CompilerPlugin, Result, Target};

struct MyPlugin;
struct MyCompiler;

impl CompilerPlugin for MyPlugin {
    type Compiler = MyCompiler;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        Vec::new()
    }

    fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<MyCompiler> {
        Ok(MyCompiler)
    }
}

plugin_sdk::export_plugin!(MyPlugin);

fn main() {}
