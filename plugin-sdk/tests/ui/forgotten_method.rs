//! The compiler does not say how it compiles, nor the plugin how it makes one.

use plugin_sdk::{AdapterFamily, Compiler, CompilerPlugin, Result};

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
}

impl Compiler for MyCompiler {
    type StateObject = ();
}

plugin_sdk::export_plugin!(MyPlugin);

fn main() {}
