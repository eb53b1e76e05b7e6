//! The build script of libraries that stay loaded where a host unloads them.
//!
//! The standard library leaves a destructor in each thread that asks for its own `Thread`: pthread calls it when the thread
//! ends, also if the library with the destructor is gone by then. On Windows the loader finds such destructors, and none in a
//! library that it has unloaded.

fn main() {
    println!("cargo::rerun-if-env-changed=CARGO_CFG_TARGET_OS");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-link-arg=-Wl,-z,nodelete");
    }
}
