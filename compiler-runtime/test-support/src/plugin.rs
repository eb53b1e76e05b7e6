//! A factory over the plugin that a test scripts, whose script says no more than what the runtime's tests need.

use std::rc::Rc;

use compiler_runtime::Factory;
use ddi_sys::{DXGI_ERROR_NOT_FOUND, E_INVALIDARG, HRESULT};
use plugin_host_test_support::{self as scripted, Script, entry, families, list, units};

pub use plugin_host_test_support::{Compile, alive};

pub const FAMILIES: [&str; 2] = ["Gen1", "Gen2"];
/// Not in order, one twice, and the reserved ones.
pub const ABI_VERSIONS: [u64; 6] = [2, 3, 0, 1, 3, u64::MAX];
pub const COMPILER_VERSION: u64 = 0x0001_0002_0003_0004;
pub const PROFILE_VERSION: u64 = 0x0005_0000_0000_0000;

/// Of a plugin that says nothing of what it can: nothing is refused for it.
fn script() -> Script {
    Script {
        fail: Some(("pfnGetCaps", E_INVALIDARG)),
        family: families(&FAMILIES),
        abi_versions: list(&ABI_VERSIONS),
        compiler_version: Rc::new(|_| COMPILER_VERSION),
        profile_version: PROFILE_VERSION,
        format_support: |_, _| 0,
        compile: Rc::new(|compile| compile.set_keys(&[])),
        is_logged: false,
        ..Script::default()
    }
}

/// A factory over this plugin.
pub fn factory() -> Factory {
    scripted::set_default(script);
    // SAFETY: the plugin keeps the DDI, but for what a test has it do wrong in compile calls, which a
    // host must stand.
    unsafe { Factory::from_entry(entry()) }.unwrap()
}

fn change(body: impl FnOnce(&mut Script)) {
    scripted::set_default(script);
    scripted::change(body);
}

/// What the compile calls of this thread do from now on.
pub fn on_compile(compile: impl Fn(&Compile) -> HRESULT + 'static) {
    change(|script| script.compile = Rc::new(compile));
}

/// What is done on this thread while a compiler is made.
pub fn on_create(create: impl Fn() + 'static) {
    change(|script| script.create = Rc::new(create));
}

/// The names of the adapter families on this thread; of 128 units, they have no NUL.
pub fn name_families(names: Vec<Vec<u16>>) {
    change(|script| {
        script.family = Rc::new(move |index| {
            let name = names.get(index as usize).ok_or(DXGI_ERROR_NOT_FOUND)?;
            Ok(units(name.iter().copied(), 0))
        });
    });
}

/// Which version of the compiler, and of the application's profile, the plugin has on this thread from now on.
pub fn set_versions(compiler: u64, profile: u64) {
    change(|script| {
        script.compiler_version = Rc::new(move |_| compiler);
        script.profile_version = profile;
    });
}
