//! U-ABI-05: the keys that the driver looks up, against those that the plugin names for the same objects.

use std::sync::Arc;

use plugin_host::session::{MemoryCache, SessionScope};
use plugin_host::{ApplicationDesc, CallError, Compiler, Engine, Plugin, U16CString};

use super::{BUILD, U_ABI_02, U_ABI_03, U_ABI_04, enable_shader_cache, of_family, unable};
use crate::arena::Surroundings;
use crate::compiler::{USUAL_TYPES, short_hex};
use crate::driver::objects::{Header, PipelineState, StateObject};
use crate::driver::{Device, Driver, shader_cache};
use crate::inputs::Application;
use crate::object::Object;
use crate::pipeline::{self, Pipeline};
use crate::state_object::{self, Description};
use crate::subject::dotted;
use crate::verdict::{Outcome, Stop, broken};

/// The keys that the plugin names for an object.
type Keys = Vec<Vec<u8>>;

/// Another application that nobody has a profile for.
const OTHER: Application = Application {
    exe: "Other.exe",
    name: "Other",
    ..Application::USUAL
};

pub(super) fn u_abi_05_the_keys_are_the_plugins(driver: &Driver) -> Outcome {
    let (support, plugin, family) = of_family(driver)?;
    // What keys may depend on besides the description is the same on both sides.
    if let Some((compiler, profile)) = support.versions {
        let of_plugin = plugin.compiler_version(family);
        if compiler != of_plugin.map_err(|error| unable(&error))? {
            return Err(Stop::needs(U_ABI_03));
        }
        if profile != 0 {
            return Err(Stop::needs(U_ABI_04));
        }
    }
    let (min, max) = support.abi;
    let known = plugin.abi_versions(family);
    let mut common = known.map_err(|error| unable(&error))?;
    common.retain(|version| (min..=max).contains(version));
    common.sort_unstable();
    let newest = common.pop().filter(|newest| *newest == max);
    let newest = newest.ok_or_else(|| Stop::needs(U_ABI_02))?;
    for abi_version in [Some(newest), common.first().copied()]
        .into_iter()
        .flatten()
    {
        let compiler = |application| compiler(&plugin, family, abi_version, application);
        of_abi(driver, &compiler(&Application::USUAL)?, &compiler(&OTHER)?)?;
    }
    Ok(())
}

/// A compiler of the plugin for an application without a profile.
fn compiler(
    plugin: &Plugin,
    family: u32,
    abi_version: u64,
    application: &Application,
) -> Result<Compiler, Stop> {
    let text = |text| U16CString::from_str(text).expect("no NUL");
    let exe = application.exe;
    let application = ApplicationDesc {
        exe_filename: text(exe),
        name: text(application.name),
        version: application.version,
        engine: application.engine.map(|(name, version)| Engine {
            name: text(name),
            version,
        }),
    };
    let make = || {
        let target = plugin.target(family, abi_version)?;
        let profile = plugin.application_profile_version(target, &application)?;
        Ok((profile, plugin.create_compiler(target, &application)?))
    };
    let (profile, compiler) = make().map_err(|error| unable(&error))?;
    if profile != 0 {
        let profile = dotted(profile);
        let reason = format!("the plugin applies profile {profile} to {exe}, the driver none");
        return Err(Stop::Undecided(reason));
    }
    Ok(compiler)
}

/// Creates objects on a device whose shader cache has what the plugin compiled of them for one ABI version. `other` is a
/// compiler for another application.
fn of_abi(driver: &Driver, compiler: &Compiler, other: &Compiler) -> Outcome {
    let device = driver.device(BUILD)?;
    let (version, features) = enable_shader_cache(driver, &device)?;
    driver.at("pfnSetExtendedFeatureCallbacks(SHADERCACHE_CALLBACKS)");
    shader_cache::set_callbacks(&device, &features, version)?;
    let cache = &device.adapter.host.shader_cache;
    let abi_version = compiler.target().abi_version();
    let (mut created, mut refused) = (0, Vec::new());
    for object in objects() {
        let name = match object {
            Object::Pipeline(kind) => kind.name,
            Object::StateObject(kind) => kind.name,
        };
        driver.at(format!("compiling {name}"));
        let keys = match compiled(compiler, &cache.values, object)? {
            Ok(keys) => keys,
            Err(error) => {
                refused.push(format!("{name} (the plugin: {error})"));
                continue;
            }
        };
        match create(driver, &device, object) {
            Ok(()) => created += 1,
            Err(Stop::Undecided(reason)) => {
                refused.push(format!("{name} (the driver: {reason})"));
                continue;
            }
            Err(stop) => return Err(stop),
        }
        // The driver may keep what it has found for an object before.
        let looked_up = cache.looked_up();
        let missing = keys.iter().filter(|key| !looked_up.contains(*key));
        let missing: Vec<_> = missing.map(|key| short_hex(key)).collect();
        if let Some(first) = missing.first() {
            let for_other = compiled(other, &Arc::default(), object)?;
            if !for_other.is_ok_and(|of_other| of_other == keys) {
                let reason = format!(
                    "{name}: the plugin names other keys for another application, and the driver is told of none"
                );
                return Err(Stop::Undecided(reason));
            }
            let (count, all) = (missing.len(), keys.len());
            let values = cache.values.values();
            let vain = looked_up.iter().find(|key| !values.contains_key(*key));
            let vain = vain.map_or_else(String::new, |key| {
                format!("; a key that it looked up in vain: {}", short_hex(key))
            });
            broken!(
                call: "creating {name}, compiled by the plugin for ABI version {abi_version}",
                expected: "a look-up of each of the {all} keys that the plugin named",
                got: "no look-up of {count} of them, such as {first}{vain}",
            );
        }
    }
    let count = refused.len();
    let refused = refused.first().map_or_else(String::new, |first| {
        format!("; refused {count}, such as {first}")
    });
    if created == 0 {
        let reason = format!("ABI version {abi_version}: no object is created{refused}");
        return Err(Stop::Undecided(reason));
    }
    let stored = cache.stored();
    driver.note(format!(
        "ABI version {abi_version}: {created} objects created, {stored} values stored{refused}"
    ));
    Ok(())
}

/// Every kind of object, and those that have one field off its default.
fn objects() -> Vec<Object> {
    let mut objects = Object::all();
    objects.extend(pipeline::VARIANTS.map(Object::Pipeline));
    objects.extend(Object::walked(&pipeline::WALKED));
    objects
}

/// Creates an object in the driver; undecided where the driver refuses it.
fn create(driver: &Driver, device: &Device, object: Object) -> Outcome {
    match object {
        Object::Pipeline(kind) => {
            PipelineState::new(driver, device, kind, Header::Elsewhere).map(drop)
        }
        Object::StateObject(kind) => StateObject::new(driver, device, kind).map(drop),
    }
}

/// Compiles an object into `cache`; the inner error is the plugin's, which may refuse it.
fn compiled(
    compiler: &Compiler,
    cache: &Arc<MemoryCache>,
    object: Object,
) -> Result<Result<Keys, CallError>, Stop> {
    Ok(match object {
        Object::Pipeline(kind) => {
            let pipeline = Pipeline::new(kind, Surroundings::USUAL)?;
            let session = session(cache);
            // SAFETY: the description is ours, and lives during the call.
            let keys =
                unsafe { compiler.compile_pipeline_state(session, USUAL_TYPES, &*pipeline.arg) };
            pipeline.keep(kind);
            keys
        }
        Object::StateObject(kind) => {
            compiled_state_object(compiler, cache, kind)?.map(|compiled| compiled.keys)
        }
    })
}

/// A state object of the plugin's, which is destroyed before what it is made from.
struct Compiled {
    object: plugin_host::StateObject,
    desc: Description,
    keys: Keys,
    _from: Option<Box<Compiled>>,
}

/// As [`compiled`], after what it is made from.
fn compiled_state_object(
    compiler: &Compiler,
    cache: &Arc<MemoryCache>,
    kind: &'static state_object::Kind,
) -> Result<Result<Compiled, CallError>, Stop> {
    let base = kind.base();
    let from = base.map(|base| compiled_state_object(compiler, cache, base));
    let from = match from.transpose()?.transpose() {
        Ok(from) => from,
        Err(error) => return Ok(Err(error)),
    };
    let address = |from: &Compiled| from.object.handle().pDrvPrivate;
    let desc = kind.described_from(from.as_ref().map(|from| (&from.desc, address(from))))?;
    let session = session(cache);
    // SAFETY: the description is ours, and stays until the process ends.
    let compiled = unsafe {
        match from.as_ref().filter(|_| kind.is_addition()) {
            Some(parent) => parent.object.add_to(session, USUAL_TYPES, &*desc.arg()),
            None => compiler.create_state_object(session, USUAL_TYPES, &*desc.arg()),
        }
    };
    Ok(compiled.map(|(object, keys)| Compiled {
        object,
        desc,
        keys,
        _from: from.map(Box::new),
    }))
}

fn session(cache: &Arc<MemoryCache>) -> SessionScope {
    SessionScope::new(Arc::<MemoryCache>::clone(cache))
}
