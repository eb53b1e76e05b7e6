//! What is exported is no plugin.

struct MyPlugin;

plugin_sdk::export_plugin!(MyPlugin);

fn main() {}
