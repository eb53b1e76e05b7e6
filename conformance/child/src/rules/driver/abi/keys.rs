//! U-ABI-05: the keys that the driver looks up, against those that the plugin names for the same objects.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken};
use conformance_protocol::Task;
use plugin_host::session::{MemoryCache, SessionScope};
use plugin_host::{ApplicationDesc, CallError, Compiler, Engine, Plugin, U16CString};

use super::{BUILD, enable_shader_cache, of_family, unable};
use crate::driver::objects::{Header, PipelineState, StateObject};
use crate::driver::shader_cache::{self, ShaderCache};
use crate::driver::{Device, Driver};
use crate::inputs::Application;
use crate::inputs::arena::Surroundings;
use crate::inputs::pipeline::{self, Pipeline};
use crate::plugin::compiler::{Product, USUAL_TYPES, short_hex};
use crate::plugin::object::Object;
use crate::plugin::state_object::{self, Description};
use crate::plugin::subject::dotted;

/// The keys that the plugin names for an object.
type Keys = Vec<Vec<u8>>;

/// Other applications that nobody has a profile for: each field is another one, and one has no engine.
const OTHERS: [Application; 2] = [
    Application::MARKED,
    Application {
        engine: None,
        ..Application::USUAL
    },
];

/// How long a driver may take to look up what it has not looked up when creation returns: it may do so on a thread of
/// its own.
const PATIENCE: Duration = Duration::from_secs(2);
/// With a plugin or a driver that is slow, not all descriptions are tried.
const LONG_ENOUGH: Duration = Duration::from_secs(15);

pub(super) fn u_abi_05_the_keys_are_the_plugins(driver: &Driver) -> Outcome {
    let (support, plugin, family) = of_family(driver)?;
    // What keys may depend on besides the description is the same on both sides.
    if let Some((compiler, profile)) = support.versions {
        let of_plugin = plugin.compiler_version(family);
        if compiler != of_plugin.map_err(|error| unable(&error))? {
            return Err(Stop::needs(rules::U_ABI_03));
        }
        if profile != 0 {
            return Err(Stop::needs(rules::U_ABI_04));
        }
    }
    let (min, max) = support.abi;
    let known = plugin.abi_versions(family);
    let mut common = known.map_err(|error| unable(&error))?;
    common.retain(|version| (min..=max).contains(version));
    common.sort_unstable();
    let newest = common.pop().filter(|newest| *newest == max);
    let newest = newest.ok_or_else(|| Stop::needs(rules::U_ABI_02))?;
    // A driver may keep what it has found for its process: each version has its own.
    let mut undecided = None;
    for abi_version in [Some(newest), common.first().copied()]
        .into_iter()
        .flatten()
    {
        match driver.ask::<String>(Task::DriverKeys(abi_version)) {
            Ok(seen) => driver.note(seen),
            Err(stop @ Stop::Undecided(_)) => {
                undecided.get_or_insert(stop);
            }
            Err(stop) => return Err(stop),
        }
    }
    undecided.map_or(Ok(()), Err)
}

/// Compilers of the plugin for one target.
struct Compilers {
    usual: Compiler,
    others: Vec<Compiler>,
}

impl Compilers {
    fn new(plugin: &Plugin, family: u32, abi_version: u64) -> Result<Self, Stop> {
        let compiler = |application| compiler(plugin, family, abi_version, application);
        Ok(Self {
            usual: compiler(&Application::USUAL)?,
            others: OTHERS.iter().map(compiler).collect::<Result<_, Stop>>()?,
        })
    }

    /// Whether the keys of an object are the same for all applications.
    fn agree_on(&self, object: Object, keys: &Keys) -> Result<bool, Stop> {
        for other in &self.others {
            let of_other = compiled(other, &Arc::default(), object)?;
            if !of_other.is_ok_and(|of_other| of_other == *keys) {
                return Ok(false);
            }
        }
        Ok(true)
    }
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

/// Creates objects on a device whose shader cache has what the plugin compiled of them for one ABI version; in words how many.
pub(crate) fn keys_of_abi(driver: &Driver, abi_version: u64) -> Result<String, Stop> {
    let (_, plugin, family) = of_family(driver)?;
    let compilers = Compilers::new(&plugin, family, abi_version)?;
    let device = driver.device(BUILD)?;
    let (version, features) = enable_shader_cache(driver, &device)?;
    driver.at("pfnSetExtendedFeatureCallbacks(SHADERCACHE_CALLBACKS)");
    shader_cache::set_callbacks(&device, &features, version)?;
    let cache = &device.adapter.host.shader_cache;
    let (mut created, mut refused, mut undecided) = (0, Vec::new(), None);
    let objects = objects();
    let (all, since) = (objects.len(), Instant::now());
    for (number, object) in objects.into_iter().enumerate() {
        if object.is_generated() && since.elapsed() > LONG_ENOUGH {
            let left = all - number;
            refused.push(format!(
                "{left} with fields off their defaults (plugin or driver is slow)"
            ));
            break;
        }
        let name = object.name();
        driver.at(format!("compiling {name}"));
        let keys = match compiled(&compilers.usual, &cache.values, object)? {
            Ok(keys) => keys,
            Err(error) => {
                refused.push(format!("{name} (the plugin: {error})"));
                continue;
            }
        };
        let before = cache.looked_up();
        match create(driver, &device, object) {
            Ok(()) => created += 1,
            Err(Stop::Undecided(reason)) => {
                refused.push(format!("{name} (the driver: {reason})"));
                continue;
            }
            Err(stop) => return Err(stop),
        }
        if missing(cache, &keys).is_empty() {
            continue;
        }
        if !compilers.agree_on(object, &keys)? {
            let reason = format!(
                "{name}: the plugin names other keys for another application, and the driver is told of none"
            );
            undecided.get_or_insert(Stop::Undecided(reason));
            continue;
        }
        let missing = still_missing(cache, &keys);
        let Some(first) = missing.first() else {
            continue;
        };
        let (count, all) = (missing.len(), keys.len());
        let values = cache.values.values();
        let looked_up = cache.looked_up();
        let mut new = looked_up.difference(&before);
        let vain = new.find(|key| !values.contains_key(*key));
        let vain = vain.map_or_else(String::new, |key| {
            format!("; a key that it looked up in vain: {}", short_hex(key))
        });
        broken!(
            call: "creating {name}, compiled by the plugin for ABI version {abi_version}",
            expected: "a look-up of each of the {all} keys that the plugin named",
            got: "no look-up of {count} of them, such as {first}{vain}",
        );
    }
    let count = refused.len();
    let refused = refused.first().map_or_else(String::new, |first| {
        format!("; refused {count}, such as {first}")
    });
    if created == 0 {
        let reason = format!("ABI version {abi_version}: no object is created{refused}");
        return Err(Stop::Undecided(reason));
    }
    if let Some(undecided) = undecided {
        return Err(undecided);
    }
    let stored = cache.stored();
    Ok(format!(
        "ABI version {abi_version}: {created} objects created, {stored} values stored{refused}"
    ))
}

/// Of these keys those that have object code, which a driver needs, and that it has not looked up. It may keep what it has
/// found for an object before.
fn missing(cache: &ShaderCache, keys: &Keys) -> Vec<String> {
    let with_code = Product::of(keys.clone(), &cache.values).code;
    let looked_up = cache.looked_up();
    let is_needed = |key: &&Vec<u8>| with_code.iter().any(|(of_code, _)| of_code == *key);
    let missing = keys.iter().filter(is_needed);
    let missing = missing.filter(|key| !looked_up.contains(*key));
    missing.map(|key| short_hex(key)).collect()
}

/// Of these keys those that it does not look up for a while either.
fn still_missing(cache: &ShaderCache, keys: &Keys) -> Vec<String> {
    let since = Instant::now();
    loop {
        let missing = missing(cache, keys);
        if missing.is_empty() || since.elapsed() > PATIENCE {
            return missing;
        }
        thread::sleep(PATIENCE / 100);
    }
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
