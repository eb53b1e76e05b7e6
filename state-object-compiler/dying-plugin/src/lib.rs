//! A plugin that ends its process on some objects, in every way in which a process can end.
//!
//! An object has a number: a pipeline's is its sample mask, a state object's is behind the last `_` of the first name that
//! its first library exports. The environment says what happens to objects whose number leaves 3 when it is divided by 7:
//!
//! | variable | |
//! |---|---|
//! | `DYING_HOW` | one of [`WAYS`]; without it nothing happens. Or `open`: every open but the first of all processes. Or `ask`: it looks for a value for ever |
//! | `DYING_OPEN` | one of [`WAYS`]; what happens when the plugin is opened; with `DYING_ONCE`, once |
//! | `DYING_BELOW` | only to numbers below this one |
//! | `DYING_ONCE` | a folder; only if it has no file named after the number, which is then made |
//! | `DYING_BURN` | so many microseconds each object takes, whatever its number |
//! | `DYING_READY` | pipelines are not looked at: each gets a ready value of so many bytes, under its number |
//!
//! What it compiles is otherwise right: the value of a shader is its bitcode, and objects share it.

use std::fs::File;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use std::{env, process, ptr, thread};

use plugin_sdk::ddi::{
    D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET, D3D12DDI_FORMAT_SUPPORT_RENDERTARGET,
    D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER, DXGI_FORMAT,
};
use plugin_sdk::desc::{ApplicationDesc, PipelineStateDesc, ShaderCode, StateObjectDesc};
use plugin_sdk::{
    AdapterFamily, Capabilities, Compiler, CompilerPlugin, Error, Key, KeyBuilder, ObjectValueKeys,
    Receipt, Result, Session, Target, ValueType, VersionNumber, export_plugin, shader_models_up_to,
};

/// A way for a process to end, or for a plugin to fail.
pub type Way = fn() -> Result<()>;

/// The values of `DYING_HOW`.
pub const WAYS: [(&str, Way); 17] = [
    ("segv", || {
        // SAFETY: none: that is what it is for.
        unsafe { ptr::without_provenance_mut::<u32>(16).write_volatile(1) };
        Ok(())
    }),
    ("abort", || process::abort()),
    ("exit 0", || process::exit(0)),
    ("exit 3", || process::exit(3)),
    ("kill", || kill()),
    ("stack", || {
        black_box(recurse(0));
        Ok(())
    }),
    ("memory", || {
        let mut all = Vec::new();
        loop {
            all.push(vec![0_u8; 16 << 20]);
        }
    }),
    ("hang", || sleep()),
    ("thread", || {
        // The object is done, or hangs, before its thread has done what it does.
        let ended = thread::spawn(|| process::exit(4)).join();
        ended.map_err(|_| Error::failed("the thread panicked"))
    }),
    ("scribble", || {
        scribble();
        Err(Error::failed("after it has written to every file"))
    }),
    ("close", || {
        for descriptor in 3..64 {
            // SAFETY: none: it does not own what it closes.
            unsafe { libc::close(descriptor) };
        }
        sleep()
    }),
    ("redirect", || {
        redirect();
        sleep()
    }),
    ("cut", || {
        let files = std::fs::read_dir(".").map_err(|error| Error::failed(error.to_string()))?;
        for file in files.flatten() {
            let name = file.file_name();
            if name.to_string_lossy().ends_with("-shm") {
                let opened = File::options().write(true).open(file.path());
                opened
                    .and_then(|file| file.set_len(0))
                    .map_err(|error| Error::failed(error.to_string()))?;
            }
        }
        Ok(())
    }),
    ("escape", || {
        escape();
        process::exit(6)
    }),
    ("panic", || panic!("as it was told")),
    ("fail", || Err(Error::failed("as it was told"))),
    ("print", || {
        println!("00:00:01: 998 / 999\n7:");
        eprintln!("8:");
        // SAFETY: a text with its NUL, and the stream of all of them.
        unsafe {
            libc::printf(c"00:00:02: 999 / 999\n".as_ptr());
            libc::fflush(ptr::null_mut());
        }
        let mut input = String::new();
        let read = std::io::stdin().read_line(&mut input);
        read.map_err(|error| Error::failed(error.to_string()))?;
        Ok(())
    }),
];

#[cfg(unix)]
fn kill() -> ! {
    // SAFETY: takes numbers.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    unreachable!("this process was killed")
}

#[cfg(not(unix))]
fn kill() -> ! {
    process::abort()
}

fn sleep() -> ! {
    loop {
        thread::sleep(Duration::from_secs(1));
    }
}

/// Has descriptors that it does not own lead to nowhere.
#[cfg(unix)]
fn redirect() {
    // SAFETY: a path with its NUL, and numbers; what is at the descriptors is what this is about.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        for descriptor in (3..64).filter(|descriptor| *descriptor != nowhere) {
            libc::dup2(nowhere, descriptor);
        }
    }
}

#[cfg(not(unix))]
fn redirect() {}

/// Leaves a process behind that has the pipes of its host, in a session of its own, an orphan with an empty environment.
#[cfg(unix)]
fn escape() {
    // SAFETY: the child has one thread, and calls nothing but the system.
    unsafe {
        if libc::fork() != 0 {
            return;
        }
        libc::setsid();
        if libc::fork() != 0 {
            libc::_exit(0);
        }
        for descriptor in 3..64 {
            libc::fcntl(descriptor, libc::F_SETFD, 0);
        }
        let args = [c"sleep".as_ptr(), c"600".as_ptr(), ptr::null()];
        let environment = [ptr::null()];
        libc::execve(c"/bin/sleep".as_ptr(), args.as_ptr(), environment.as_ptr());
        libc::_exit(1);
    }
}

#[cfg(not(unix))]
fn escape() {}

/// Writes to descriptors that it does not own, among them those of its host's files and pipes.
fn scribble() {
    // The type of a size differs between systems.
    const SIZE: u8 = 35;
    let text: &[u8; SIZE as usize] = b"scribble scribble scribble scribble";
    for descriptor in 3..64 {
        // SAFETY: the text has its size; what is at the descriptor is what this is about.
        unsafe { libc::write(descriptor, text.as_ptr().cast(), SIZE.into()) };
    }
}

#[expect(unconditional_recursion, reason = "it is to end with the stack")]
fn recurse(depth: u64) -> u64 {
    let page = black_box([depth; 512]);
    recurse(depth + 1) + page[7]
}

/// Does to an object what the environment says.
fn compile(number: u32, session: &Session<'_>) -> Result<()> {
    let variable = |name| env::var(name).ok();
    let parsed = |name| variable(name)?.parse().ok();
    if let Some(burn) = parsed("DYING_BURN") {
        let until = Instant::now() + Duration::from_micros(burn);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
    }
    let Some(how) = variable("DYING_HOW") else {
        return Ok(());
    };
    let below = parsed("DYING_BELOW").unwrap_or(u64::MAX);
    if number % 7 != 3 || u64::from(number) >= below {
        return Ok(());
    }
    if how == "ask" {
        let key = KeyBuilder::new("dying.ask").finish();
        loop {
            session.find_size(&key, ValueType::ObjectCode)?;
        }
    }
    go(&how, &number.to_string())
}

/// Goes a way, unless that is to be once and there is a file of this name.
fn go(how: &str, name: &str) -> Result<()> {
    if let Ok(folder) = env::var("DYING_ONCE")
        && File::create_new(Path::new(&folder).join(name))
            .and_then(|mut file| file.write_all(b"once"))
            .is_err()
    {
        return Ok(());
    }
    let way = WAYS.iter().find(|(name, _)| *name == how);
    let (_, way) = way.ok_or_else(|| Error::failed(format!("there is no way {how:?}")))?;
    way()
}

/// The plugin.
pub struct DyingPlugin;

export_plugin!(DyingPlugin);

impl CompilerPlugin for DyingPlugin {
    type Compiler = DyingCompiler;

    fn open() -> Result<Self> {
        let variables = ["DYING_HOW", "DYING_ONCE"].map(|name| env::var(name).ok());
        if let [Some(how), Some(folder)] = variables
            && how == "open"
            && File::create_new(Path::new(&folder).join(how)).is_err()
        {
            process::exit(5);
        }
        if let Ok(how) = env::var("DYING_OPEN") {
            go(&how, "DYING_OPEN")?;
        }
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        let version = VersionNumber::new(1, 0, 0, 0);
        vec![AdapterFamily::new("Dying", vec![1], version)]
    }

    /// It compiles anything.
    fn capabilities(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Capabilities {
        let mut can = Capabilities::default();
        can.shader_models = shader_models_up_to(6, 8).into();
        can
    }

    fn format_support(&self, _: &Target<'_>, _: DXGI_FORMAT) -> u32 {
        D3D12DDI_FORMAT_SUPPORT_RENDERTARGET
            | D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET
            | D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER
    }

    fn multisample_quality_levels(&self, _: &Target<'_>, _: DXGI_FORMAT, _: u32) -> u32 {
        1
    }

    fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<DyingCompiler> {
        Ok(DyingCompiler)
    }
}

/// The ready value.
static READY: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| {
    let size = env::var("DYING_READY").ok()?.parse().ok()?;
    Some(vec![0x5a; size])
});

/// The compiler.
pub struct DyingCompiler;

impl Compiler for DyingCompiler {
    /// The key of its value.
    type StateObject = Key;

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        if let Some(value) = &*READY {
            compile(desc.sample_mask(), &session)?;
            let key = KeyBuilder::new("dying.ready").u64("number", desc.sample_mask().into());
            let receipt = store_value(key.finish(), value, &session)?;
            return Ok(session.finish([receipt]));
        }
        let mut receipts = Vec::new();
        for shader in desc.shaders() {
            receipts.extend(
                shader
                    .code
                    .map(|code| store_code(code, &session))
                    .transpose()?,
            );
        }
        // Half of it is stored.
        compile(desc.sample_mask(), &session)?;
        let key = KeyBuilder::new("dying.pipeline").describe("desc", desc);
        receipts.push(store(key.finish(), b"pipeline", &session)?);
        Ok(session.finish(receipts))
    }

    fn compile_state_object<'call>(
        &self,
        desc: &StateObjectDesc<'call, Key>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Key)> {
        state_object(None, desc, session)
    }

    fn compile_add_to_state_object<'call>(
        &self,
        parent: &Key,
        addition: &StateObjectDesc<'call, Key>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Key)> {
        state_object(Some(parent), addition, session)
    }
}

fn state_object<'call>(
    parent: Option<&Key>,
    desc: &StateObjectDesc<'call, Key>,
    session: Session<'call>,
) -> Result<(ObjectValueKeys<'call>, Key)> {
    let mut receipts = Vec::new();
    for library in desc.libraries() {
        receipts.push(store_code(library.code, &session)?);
    }
    let library = desc.libraries().next();
    let name = library.and_then(|library| library.exports.first()?.name.to_string().ok());
    let number = name.and_then(|name| name.rsplit('_').next()?.parse().ok());
    compile(number.unwrap_or(0), &session)?;
    let mut key = KeyBuilder::new("dying.state object").describe("desc", desc);
    for earlier in parent.into_iter().chain(desc.collections()) {
        key = key.key("earlier", earlier);
    }
    let key = key.finish();
    receipts.push(store(key.clone(), b"state object", &session)?);
    Ok((session.finish(receipts), key))
}

fn store_code<'call>(code: ShaderCode<'_>, session: &Session<'call>) -> Result<Receipt<'call>> {
    let key = KeyBuilder::new("dying.code").bytecode("code", code);
    store(key.finish(), code.program()?.bitcode(), session)
}

fn store<'call>(key: Key, content: &[u8], session: &Session<'call>) -> Result<Receipt<'call>> {
    let mut value = key.as_bytes().to_vec();
    value.extend(content);
    store_value(key, &value, session)
}

fn store_value<'call>(key: Key, value: &[u8], session: &Session<'call>) -> Result<Receipt<'call>> {
    let value = |kind| match kind {
        ValueType::Metadata => b"metadata",
        _ => value,
    };
    session.find_or_store(key, |missing| {
        Ok(missing.types().map(|kind| (kind, value(kind))).collect())
    })
}
