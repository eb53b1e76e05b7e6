//! What `xtask` makes and checks but the headers, and the plugins and programs of `headers/examples`.

mod cpp_sdk;
mod dlls;
mod examples;
mod import_libs;
mod layout;
mod new_plugin;
mod run_test;
