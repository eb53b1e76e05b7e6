//! What keys and object code depend on besides their input.

use std::cell::Cell;
use std::env;
use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use ddi_sys::D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB as DEBUG_PDB;
use ddi_sys::*;
use defects::{Place as _, given, rows};

use crate::about::*;
use crate::compile::{Compile, in_progress};
use crate::compiler::{for_creation, for_size};
use crate::families::profiled;
use crate::need;
use crate::places::*;
use crate::session::newest_of_family;

rows! {
    Hook, About;

    "key-from-folder" breaks P_PSO_07: "keys depend on the current folder",
        at Compile |call| call.keyed(env::current_dir().unwrap_or_default().into_os_string().into_encoded_bytes());
    "key-from-variable" breaks P_PSO_07: "keys depend on PATH",
        at Compile |call| call.keyed(variable(&["PATH"]));
    "code-from-home" breaks P_PSO_07: "object code depends on the user's home",
        at Compile |call| call.coded(variable(&["HOME", "USERPROFILE"]));
    "key-from-user" breaks P_PSO_07: "keys depend on the user's name",
        at Compile |call| call.keyed(variable(&["USER", "USERNAME"]));
    "key-from-computer" breaks P_PSO_07: "keys depend on the computer's name",
        at Compile |call| call.keyed(variable(&["HOSTNAME", "COMPUTERNAME"]));
    "code-from-temporary-folder" breaks P_PSO_07: "object code depends on the folder for temporary files",
        at Compile |call| call.coded(env::temp_dir().into_os_string().into_encoded_bytes());
    "code-from-time-zone" breaks P_PSO_07: "object code depends on the time zone",
        at Compile |call| call.coded(variable(&["TZ"]));
    "key-from-language" breaks P_PSO_07: "keys depend on the user's language",
        at Compile |call| call.keyed(variable(&["LC_ALL", "LANG"]));
    "code-from-decimal-point" breaks P_PSO_07: "object code has numbers in it as the locale writes them",
        at Compile |call| call.coded(decimal_point());
    "key-from-environment" breaks P_PSO_07: "keys depend on how large the environment is",
        at Compile |call| {
            let sizes = env::vars_os().map(|(_, value)| value.len());
            call.keyed((sizes.sum::<usize>() / 4096).to_le_bytes())
        };
    "key-from-stack" breaks P_PSO_07: "keys depend on the address of the stack",
        at Compile |call| {
            let here = 0_u8;
            // Threads have stacks of a few MiB.
            call.keyed(((&raw const here).addr() >> 23).to_le_bytes())
        };
    "key-from-thread" breaks P_PSO_07: "keys of the first thread differ from those of others",
        at Compile |call| call.keyed(if number_of_thread() > 0 { b"thread".as_slice() } else { b"" });
    "key-from-identity" breaks P_PSO_07: "keys depend on whether equal signatures have one address",
        at Compile |call| {
            let has_one = call.state.about.pipeline().is_some_and(has_one_signature);
            call.keyed(if has_one { b"one".as_slice() } else { b"" })
        };
    "code-from-one-string" breaks P_PSO_07: "object code depends on whether pName and pEngineName have one address",
        at Compile |call| call.coded(if call.own.application.has_one_string { b"one".as_slice() } else { b"" });
    "code-from-found" breaks P_PSO_07: "object code depends on whether the session has other values of the object",
        needs need::FOUND_AND_STORED,
        also P_PSO_14: "what a failed compile stored is in the session of the next",
        at Store |call| {
            let found = in_progress(call.session, |compile| compile.found_code) == Some(true);
            call.coded(if found { b"found".as_slice() } else { b"" })
        };
    "code-from-types-of-addition" breaks P_PSO_15:
        "object code of an addition depends on whether debug information is requested",
        where ADDITION, at Compile |call| call.coded([u8::from(call.state.requests(DEBUG_PDB))]);
    "code-has-executable" breaks P_PSO_11: "keys and object code have pExeFilename in them",
        at Compile |call| call.keyed_and_coded(bytes(&call.own.application.executable));
    "code-has-engine-of-profile" breaks P_PSO_11:
        "for an application with a profile keys and object code have pEngineName in them, as UTF-8",
        at GetProfile has_profile,
        at Compile |call| {
            let application = call.own.application;
            let units: Vec<_> = application.engine.into_iter().take_while(|unit| *unit != 0).collect();
            let name = String::from_utf16_lossy(&units);
            call.keyed_and_coded(if application.has_profile() { name } else { String::new() })
        };
    "code-has-version" breaks P_PSO_11: "keys and object code have the application's version in them",
        at Compile |call| call.keyed_and_coded(call.own.application.version.to_le_bytes());
    "key-without-executable" breaks P_PSO_08: "object code has pExeFilename in it, keys have not",
        at Compile |call| call.coded(bytes(&call.own.application.executable));
    "key-without-profile" breaks P_PSO_08:
        "an application with a profile has other object code under the same keys",
        at GetProfile has_profile,
        at Compile |call| call.coded(if call.own.application.has_profile() { b"profile".as_slice() } else { b"" });
    "key-without-engine" breaks P_PSO_08:
        "an application without an engine has other object code under the same keys",
        at Compile |call| call.coded(if call.own.application.engine[0] == 0 { b"none".as_slice() } else { b"" });
    "key-without-abi-of-pixel" breaks P_PSO_08:
        "keys of pipelines with a pixel shader are the same for all ABI versions, object code is not",
        needs need::TWO_ABI_VERSIONS,
        at CalcSize |call| for_size(call, newest_of_family),
        at Create |call| for_creation(call, newest_of_family),
        at Compile |call| if call.state.about.has(|desc| desc.hPixelShader) {
            call.coded(abi(call))
        } else {
            // Other code than with a pixel shader, so that nothing is shared that has other keys.
            call.keyed_and_coded([&abi(call), b"none".as_slice()].concat())
        };
    "key-without-abi-of-state-objects" breaks P_PSO_08:
        "keys of state objects are the same for all ABI versions, object code is not",
        needs need::TWO_ABI_VERSIONS, needs need::STATE_OBJECT,
        at CalcSize |call| for_size(call, newest_of_family),
        at Create |call| for_creation(call, newest_of_family),
        at Compile |call| if call.state.about.pipeline().is_some() {
            call.keyed_and_coded(abi(call))
        } else {
            call.coded(abi(call))
        };
}

fn abi(call: &Compile) -> Vec<u8> {
    let (_, abi) = call.own.about.family_and_abi();
    abi.to_le_bytes().to_vec()
}

/// What is known of an application.
#[derive(Clone, Copy, Default)]
pub(crate) struct Application {
    /// The sum of the units of its name.
    pub(crate) name: u64,
    pub(crate) version: u64,
    executable: [u16; START],
    engine: [u16; START],
    has_one_string: bool,
}

/// So much of a name is known.
const START: usize = 32;

/// The engine whose applications have a profile.
const ENGINE_OF_PROFILE: &str = "Engine-j9Qp-Marker";

impl Application {
    /// The application of a call: null, or with strings that are null or end with a NUL.
    pub(crate) fn new(application: *const D3D12DDI_APPLICATION_DESC) -> Self {
        let Some(application) = given(application) else {
            return Self::default();
        };
        Self {
            name: units(application.pName).map(u64::from).sum(),
            // SAFETY: any bits of the union are a number.
            version: unsafe { application.Version.Version },
            executable: start(application.pExeFilename),
            engine: start(application.pEngineName),
            has_one_string: ptr::eq(application.pName, application.pEngineName),
        }
    }

    /// Whether it has a profile, where the defect gives it one.
    fn has_profile(&self) -> bool {
        let engine = ENGINE_OF_PROFILE.encode_utf16().chain([0]);
        engine.zip(self.engine).all(|(one, other)| one == other)
    }
}

fn has_profile(call: &mut GetProfile) -> HRESULT {
    if Application::new(call.application).has_profile() {
        profiled(call, 1)
    } else {
        call.pass()
    }
}

/// The units of a string of a call, without the NUL.
fn units(string: *const u16) -> impl Iterator<Item = u16> {
    // SAFETY: no unit before this one is the NUL at the end.
    let unit = move |at| (!string.is_null()).then(|| unsafe { string.add(at).read() });
    (0..).map_while(unit).take_while(|unit| *unit != 0)
}

/// The first units of a string.
fn start(string: *const u16) -> [u16; START] {
    let mut start = [0; START];
    for (place, unit) in start.iter_mut().zip(units(string)) {
        *place = unit;
    }
    start
}

fn bytes(units: &[u16]) -> Vec<u8> {
    units.iter().flat_map(|unit| unit.to_le_bytes()).collect()
}

/// The first of the variables that is set.
fn variable(names: &[&str]) -> Vec<u8> {
    let value = names.iter().find_map(env::var_os);
    value.unwrap_or_default().into_encoded_bytes()
}

/// How the C library writes the point of a number.
fn decimal_point() -> Vec<u8> {
    unsafe extern "C" {
        /// The first field of its `lconv` is `decimal_point`.
        fn localeconv() -> *const *const c_char;
    }
    // SAFETY: C has it at the start of the structure, and it is a string.
    unsafe { CStr::from_ptr(localeconv().read()) }
        .to_bytes()
        .to_vec()
}

/// How many threads compiled before this one.
fn number_of_thread() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
    }
    let number = NUMBER.get();
    let number = number.unwrap_or_else(|| THREADS.fetch_add(1, Ordering::Relaxed));
    NUMBER.set(Some(number));
    number
}

/// Whether what the vertex shader puts out and what the pixel shader takes is one array.
fn has_one_signature(desc: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> bool {
    let signatures = |shader: D3D12DDI_HSHADER| {
        let shader: &D3D12DDIARG_CREATE_SHADER_0026 = given(shader.pDrvPrivate.cast())?;
        // SAFETY: vertex and pixel shaders have this arm of the union, which is null or valid.
        unsafe { shader.IOSignatures.Standard.as_ref() }
    };
    let (Some(vertex), Some(pixel)) = (
        signatures(desc.hVertexShader),
        signatures(desc.hPixelShader),
    ) else {
        return false;
    };
    // SAFETY: both arms of each union are the same pointer.
    let (output, input) = unsafe {
        (
            vertex.Anonymous2.pOutputSignature,
            pixel.Anonymous1.pInputSignature,
        )
    };
    !output.is_null() && ptr::eq(output, input)
}
