//! Compiles one object.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use api_sys::ID3D12CompilerStateObject;
use compiler_runtime::message::Messages;
use compiler_runtime::{Compiler, StateObject};
use plugin_sdk::ddi::{DXGI_ERROR_DRIVER_INTERNAL_ERROR, HRESULT};
use shader_db::sodb::Sodb;
use windows_core::Interface as _;

use crate::key::shown;
use crate::token::Token;
use crate::{Error, Result};

/// What a plugin returns that does not know its own state.
const BROKEN: HRESULT = DXGI_ERROR_DRIVER_INTERNAL_ERROR;

/// An object to compile.
pub struct Object<'a> {
    pub key: &'a [u8],
    pub is_pipeline: bool,
    /// The version to store it in, if it is to be stored.
    pub version: Option<u32>,
}

/// Why there is no object.
pub struct Failure {
    pub reason: String,
    /// Whether the plugin says that it is broken: it may refuse everything from now on, as the SDK does after a panic.
    pub is_broken: bool,
}

/// Compiles an object from what was made of its parent and its collections, by key. A state object comes back.
///
/// # Errors
///
/// Outside, what ends the run; inside, why there is no such object.
pub fn compile(
    sodb: &Sodb,
    compiler: &Compiler,
    object: &Object,
    made: &dyn Fn(&[u8]) -> Option<StateObject>,
    messages: &mut Messages,
) -> Result<Result<Option<StateObject>, Failure>> {
    let call = || {
        if object.is_pipeline {
            pipeline_state(sodb, compiler, object, messages).map(|()| None)
        } else {
            state_object(sodb, compiler, object, made, messages).map(Some)
        }
    };
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Err(error)) if error.is_worth_a_retry() => Err(error),
        Ok(result) => Ok(result.map_err(|error| Failure {
            is_broken: matches!(&error, Error::Plugin(error) if error.result() == BROKEN),
            reason: error.to_string(),
        })),
        Err(panic) => Ok(Err(Failure {
            reason: format!("the compiler panicked: {}", text_of(&*panic)),
            is_broken: true,
        })),
    }
}

fn gone() -> Error {
    Error::Usage("it is not in the SODB any more".into())
}

fn pipeline_state(
    sodb: &Sodb,
    compiler: &Compiler,
    object: &Object,
    messages: &mut Messages,
) -> Result<()> {
    let found = sodb.find_pipeline_state(object.key)?;
    let desc = found.ok_or_else(gone)?.desc;
    let raw = desc.to_raw();
    let group = object.version.map(|version| (object.key, version));
    // SAFETY: the description is of live memory, as the API wants it.
    unsafe { compiler.compile_pipeline_state(group.as_slice(), raw.desc(), messages) }?;
    Ok(())
}

fn state_object(
    sodb: &Sodb,
    compiler: &Compiler,
    object: &Object,
    made: &dyn Fn(&[u8]) -> Option<StateObject>,
    messages: &mut Messages,
) -> Result<StateObject> {
    let found = sodb.find_state_object(object.key)?.ok_or_else(gone)?;
    let made = |key: &[u8]| {
        made(key).ok_or_else(|| {
            Error::Usage(format!(
                "it is made from object {}, which is absent",
                shown(key)
            ))
        })
    };
    let mut tokens = Vec::new();
    let mut objects = HashMap::new();
    for collection in &found.desc.collections {
        let object = made(&collection.key)?;
        let token = ID3D12CompilerStateObject::from(Token);
        objects.insert(token.as_raw(), object);
        tokens.push(token);
    }
    let raw = found.desc.to_compiler_raw(&tokens);
    let mut find = |pointer: *mut c_void| objects.get(&pointer).cloned();
    let group = object.version.map(|version| (object.key, version));
    let group = group.as_slice();
    let compiled = match &found.parent {
        // SAFETY: the description is of live memory, as the API wants it.
        None => unsafe { compiler.compile_state_object(group, raw.desc(), &mut find, messages) },
        Some(parent) => {
            let parent = made(parent)?;
            // SAFETY: as above.
            unsafe {
                compiler.compile_add_to_state_object(
                    group,
                    raw.desc(),
                    &parent,
                    &mut find,
                    messages,
                )
            }
        }
    };
    Ok(compiled?)
}

/// What a panic says.
fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}
