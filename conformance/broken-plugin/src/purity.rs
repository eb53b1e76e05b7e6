//! What keys and object code depend on besides their input.

use std::cell::Cell;
use std::env;
use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HSHADER, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_SHADER_0026,
};

use crate::defect::{Defect, selected};
use crate::session::{Compiler, What};
use base_plugin::defects;

/// The defects of this file.
#[macro_export]
macro_rules! purity_defects {
    ($take:ident) => {
        $take! {
            /// In what keys and object code are made of.
            Purity {
                KeyFromFolder = "key-from-folder" breaks P_PSO_07:
                    "keys depend on the current folder";
                KeyFromVariable = "key-from-variable" breaks P_PSO_07:
                    "keys depend on PATH";
                CodeFromHome = "code-from-home" breaks P_PSO_07:
                    "object code depends on the user's home";
                KeyFromUser = "key-from-user" breaks P_PSO_07:
                    "keys depend on the user's name";
                KeyFromComputer = "key-from-computer" breaks P_PSO_07:
                    "keys depend on the computer's name";
                CodeFromTemporaryFolder = "code-from-temporary-folder" breaks P_PSO_07:
                    "object code depends on the folder for temporary files";
                CodeFromTimeZone = "code-from-time-zone" breaks P_PSO_07:
                    "object code depends on the time zone";
                KeyFromLanguage = "key-from-language" breaks P_PSO_07:
                    "keys depend on the user's language";
                CodeFromDecimalPoint = "code-from-decimal-point" breaks P_PSO_07:
                    "object code has numbers in it as the locale writes them";
                KeyFromEnvironment = "key-from-environment" breaks P_PSO_07:
                    "keys depend on how large the environment is";
                KeyFromStack = "key-from-stack" breaks P_PSO_07:
                    "keys depend on the address of the stack";
                KeyFromThread = "key-from-thread" breaks P_PSO_07:
                    "keys of the first thread differ from those of others";
                KeyFromIdentity = "key-from-identity" breaks P_PSO_07:
                    "keys depend on whether equal signatures have one address";
                CodeFromOneString = "code-from-one-string" breaks P_PSO_07:
                    "object code depends on whether pName and pEngineName have one address";
                CodeFromFound = "code-from-found" breaks P_PSO_07:
                    "object code depends on whether the session has other values of the object",
                    where FoundAndStored,
                    also P_PSO_14 because "what a failed compile stored is in the session of the next";
                CodeFromTypesOfAddition = "code-from-types-of-addition" breaks P_PSO_15:
                    "object code of an addition depends on whether debug information is requested",
                    where Addition;
                CodeHasExecutable = "code-has-executable" breaks P_PSO_11:
                    "keys and object code have pExeFilename in them";
                CodeHasEngineOfProfile = "code-has-engine-of-profile" breaks P_PSO_11:
                    "for an application with a profile keys and object code have pEngineName in them, as UTF-8";
                CodeHasVersion = "code-has-version" breaks P_PSO_11:
                    "keys and object code have the application's version in them";
                KeyWithoutExecutable = "key-without-executable" breaks P_PSO_08:
                    "object code has pExeFilename in it, keys have not";
                KeyWithoutProfile = "key-without-profile" breaks P_PSO_08:
                    "an application with a profile has other object code under the same keys";
                KeyWithoutEngine = "key-without-engine" breaks P_PSO_08:
                    "an application without an engine has other object code under the same keys";
                KeyWithoutAbiOfPixel = "key-without-abi-of-pixel" breaks P_PSO_08:
                    "keys of pipelines with a pixel shader are the same for all ABI versions, object code is not",
                    where TwoAbiVersions;
                KeyWithoutAbiOfStateObjects = "key-without-abi-of-state-objects" breaks P_PSO_08:
                    "keys of state objects are the same for all ABI versions, object code is not",
                    where TwoAbiVersions, where StateObject;
            }
        }
    };
}

purity_defects!(defects);

pub(crate) fn defect() -> Option<Purity> {
    match selected() {
        Some(Defect::Purity(defect)) => Some(defect),
        _ => None,
    }
}

/// What is put behind keys, and behind object code.
#[derive(Default)]
pub(crate) struct Suffixes {
    pub(crate) key: Vec<u8>,
    pub(crate) code: Vec<u8>,
}

/// What the defect puts behind the keys and the object code of a compile.
///
/// # Safety
/// The description is that of PFND3D12DDI_COMPILER_COMPILE_PIPELINE_STATE.
pub(crate) unsafe fn suffixes(
    compiler: &Compiler,
    what: What,
    desc: Option<&D3D12DDIARG_CREATE_PIPELINE_STATE_0099>,
    requested: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) -> Suffixes {
    let Some(defect) = defect() else {
        return Suffixes::default();
    };
    let key = |key: Vec<u8>| Suffixes {
        key,
        ..Suffixes::default()
    };
    let code = |code: Vec<u8>| Suffixes {
        code,
        ..Suffixes::default()
    };
    let both = |bytes: Vec<u8>| Suffixes {
        key: bytes.clone(),
        code: bytes,
    };
    let application = compiler.application.names;
    let abi = compiler.abi.to_le_bytes().to_vec();
    match (defect, desc) {
        (Purity::KeyFromFolder, _) => {
            let folder = env::current_dir().unwrap_or_default();
            key(folder.into_os_string().into_encoded_bytes())
        }
        (Purity::KeyFromVariable, _) => key(variable(&["PATH"])),
        (Purity::CodeFromHome, _) => code(variable(&["HOME", "USERPROFILE"])),
        (Purity::KeyFromUser, _) => key(variable(&["USER", "USERNAME"])),
        (Purity::KeyFromComputer, _) => key(variable(&["HOSTNAME", "COMPUTERNAME"])),
        (Purity::CodeFromTemporaryFolder, _) => {
            code(env::temp_dir().into_os_string().into_encoded_bytes())
        }
        (Purity::CodeFromTimeZone, _) => code(variable(&["TZ"])),
        (Purity::KeyFromLanguage, _) => key(variable(&["LC_ALL", "LANG"])),
        (Purity::CodeFromDecimalPoint, _) => code(decimal_point()),
        (Purity::KeyFromEnvironment, _) => {
            let sizes = env::vars_os().map(|(_, value)| value.len());
            key((sizes.sum::<usize>() / 4096).to_le_bytes().to_vec())
        }
        (Purity::KeyFromStack, _) => {
            let here = 0_u8;
            // Threads have stacks of a few MiB.
            key(((&raw const here).addr() >> 23).to_le_bytes().to_vec())
        }
        (Purity::KeyFromThread, _) if number_of_thread() > 0 => key(b"thread".to_vec()),
        // SAFETY: the description is valid, as this function demands.
        (Purity::KeyFromIdentity, Some(desc)) if unsafe { has_one_signature(desc) } => {
            key(b"one".to_vec())
        }
        (Purity::CodeFromOneString, _) if application.has_one_string => code(b"one".to_vec()),
        (Purity::CodeFromTypesOfAddition, _) if matches!(what, What::Addition(_)) => {
            let debug = 1 << D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB.0;
            code((requested.0 & debug).to_le_bytes().to_vec())
        }
        (Purity::CodeHasExecutable, _) => both(bytes(&application.executable)),
        (Purity::KeyWithoutExecutable, _) => code(bytes(&application.executable)),
        (Purity::CodeHasEngineOfProfile, _) if application.has_profile() => {
            let units = application.engine.into_iter().take_while(|unit| *unit != 0);
            both(String::from_utf16_lossy(&units.collect::<Vec<_>>()).into_bytes())
        }
        (Purity::CodeHasVersion, _) => both(compiler.application.version.to_le_bytes().to_vec()),
        (Purity::KeyWithoutEngine, _) if application.engine[0] == 0 => code(b"none".to_vec()),
        (Purity::KeyWithoutAbiOfPixel, Some(desc)) if !desc.hPixelShader.pDrvPrivate.is_null() => {
            code(abi)
        }
        (Purity::KeyWithoutProfile, _) if application.has_profile() => code(b"profile".to_vec()),
        (Purity::KeyWithoutAbiOfStateObjects, None) => code(abi),
        (Purity::KeyWithoutAbiOfStateObjects, Some(_)) => both(abi),
        // Other code than with a pixel shader, so that nothing is shared that has other keys.
        (Purity::KeyWithoutAbiOfPixel, _) => both([&abi, b"none".as_slice()].concat()),
        _ => Suffixes::default(),
    }
}

/// What is known of the names of an application.
#[derive(Clone, Copy, Default)]
pub(crate) struct Application {
    executable: [u16; START],
    engine: [u16; START],
    has_one_string: bool,
}

/// So much of a name is known.
const START: usize = 32;

/// The engine whose applications have a profile.
const ENGINE_OF_PROFILE: &str = "Engine-j9Qp-Marker";

impl Application {
    /// # Safety
    /// Its strings are null or end with a NUL.
    pub(crate) unsafe fn new(application: &D3D12DDI_APPLICATION_DESC) -> Self {
        Self {
            // SAFETY: null or ending with a NUL, as this function demands.
            executable: unsafe { start(application.pExeFilename) },
            // SAFETY: so is this one.
            engine: unsafe { start(application.pEngineName) },
            has_one_string: ptr::eq(application.pName, application.pEngineName),
        }
    }

    /// Whether it has a profile, where the defect gives it one.
    pub(crate) fn has_profile(&self) -> bool {
        let engine = ENGINE_OF_PROFILE.encode_utf16().chain([0]);
        let gives_it = [Purity::KeyWithoutProfile, Purity::CodeHasEngineOfProfile];
        defect().is_some_and(|defect| gives_it.contains(&defect))
            && engine.zip(self.engine).all(|(one, other)| one == other)
    }
}

/// The first units of a string.
///
/// # Safety
/// It is null or ends with a NUL.
unsafe fn start(string: *const u16) -> [u16; START] {
    let mut units = [0; START];
    for (at, unit) in units.iter_mut().enumerate() {
        // SAFETY: no unit before this one is the NUL at the end.
        match (!string.is_null()).then(|| unsafe { string.add(at).read() }) {
            None | Some(0) => break,
            Some(read) => *unit = read,
        }
    }
    units
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
///
/// # Safety
/// The handles of the description are null or point at create-arguments.
unsafe fn has_one_signature(desc: &D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> bool {
    let signatures = |shader: D3D12DDI_HSHADER| {
        let shader: *const D3D12DDIARG_CREATE_SHADER_0026 = shader.pDrvPrivate.cast();
        // SAFETY: null or pointing at create-arguments, as this function demands.
        let shader = unsafe { shader.as_ref() }?;
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
