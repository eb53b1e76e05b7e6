//! Translates state objects from a `D3D12_STATE_OBJECT_DESC` to D3D12DDIARG_CREATE_STATE_OBJECT_0054.
//!
//! | step | module |
//! |---|---|
//! | reads the caller's structures | [`read`], `api_desc` |
//! | checks what needs nothing but the description | `check` |
//! | resolves names and associations to a `model`: every export and what belongs to it | `resolve`, with `library`, `function`, `association` |
//! | finds what exports lack | `link`, with `bindings` |
//! | checks exports against each other, collections and the parent | `rules` |
//! | resolves work graphs and generic programs, and puts the DDI's structures into an arena | `emit`, with `work_graph`, `generic_program` |
//!
//! `object` and `record` have the types that the steps share: the translated object, and what later objects need to know of it.
//!
//! The rules are those of Raytracing.md and WorkGraphs.md. docs/runtime-validation-state-objects.md lists them, the decisions
//! where those documents are silent, and what this does not validate.

mod association;
mod check;
mod emit;
mod function;
mod generic_program;
mod library;
mod link;
mod model;
mod object;
mod record;
mod resolve;
mod rules;
#[cfg(test)]
mod tests;
mod work_graph;

use std::ffi::c_void;
use std::sync::Arc;

use api_desc::{CollectionName as _, CollectionOfCaller, StateObjectDesc};
use api_sys::{
    D3D12_STATE_OBJECT_DESC, D3D12_STATE_SUBOBJECT_TYPE,
    D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
    D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
    D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
};

use self::object::Growth;
use super::target::Capabilities;
use super::{Invalid, validate};
use crate::message::{MessageId, Messages};

pub use self::object::{Collection, Description, StateObject};

/// Reads a caller's description. `find` looks up a collection by the address in `D3D12_COMPILER_EXISTING_COLLECTION_DESC`.
///
/// # Errors
///
/// [`StateObjectDesc::from_raw`] refuses it, or it has a form of subobject that a compiler does not take, or `find` does not
/// know a collection.
///
/// # Safety
///
/// As [`StateObjectDesc::from_raw`]. `find` gets the addresses unchecked.
pub unsafe fn read<'a, C>(
    desc: *const D3D12_STATE_OBJECT_DESC,
    mut find: impl FnMut(*mut c_void) -> Option<C>,
) -> Result<StateObjectDesc<C, &'a [u8]>, Invalid> {
    // SAFETY: `desc` is null, or all that is reached from there is readable for the call (`# Safety`).
    let desc = unsafe { StateObjectDesc::from_raw(desc, refused) }?;
    desc.with_collections(|place, collection| {
        let object = match collection {
            CollectionOfCaller::Compiled(object) => object,
            other => {
                let why = refused(other.subobject_type()).unwrap_or_default();
                return Err(Invalid::other(why).at(place));
            }
        };
        if object.is_null() {
            return Err(Invalid::other("pExistingCollection is null").at(place));
        }
        find(object).ok_or_else(|| foreign_collection().at(place))
    })
}

/// A collection is of another compiler.
pub(crate) fn foreign_collection() -> Invalid {
    Invalid::other("pExistingCollection is no state object of this compiler")
}

/// The reason why a compiler does not take subobjects of a type.
fn refused(kind: D3D12_STATE_SUBOBJECT_TYPE) -> Option<&'static str> {
    match kind {
        D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE
        | D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE => {
            Some("use the SERIALIZED form: a compiler has no ID3D12RootSignature")
        }
        D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION => Some(
            "use COMPILER_EXISTING_COLLECTION (33) and an ID3D12CompilerStateObject: a compiler has no \
             ID3D12StateObject",
        ),
        D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY => Some(
            "only databases know keys; use COMPILER_EXISTING_COLLECTION (33) and the collection",
        ),
        _ => None,
    }
}

/// Adds the reason to refuse a description to `messages`, unless it is there already, with the message number of the call.
pub fn refuse(invalid: Invalid, is_addition: bool, messages: &mut Messages) -> Invalid {
    let invalid = invalid.or_id(if is_addition {
        MessageId::ADD_TO_STATE_OBJECT_ERROR
    } else {
        MessageId::CREATE_STATE_OBJECT_ERROR
    });
    let known = messages
        .as_slice()
        .iter()
        .any(|message| message.text == invalid.text);
    if known {
        invalid
    } else {
        messages.refuse(invalid)
    }
}

impl StateObject {
    /// Translates a description. With a `parent`, it describes an addition to that. Without a `target`, this skips the checks
    /// that depend on one.
    ///
    /// # Errors
    ///
    /// The description is not valid. The reason is in `messages` too.
    ///
    /// # Safety
    ///
    /// With a parent of type EXECUTABLE, no plugin may be in a call for an object of its line, both during this call and while
    /// the addition is dropped.
    pub unsafe fn new(
        desc: &Description<'_>,
        parent: Option<&Arc<StateObject>>,
        target: Option<&Capabilities>,
        messages: &mut Messages,
    ) -> Result<Self, Invalid> {
        // SAFETY: no plugin is in a call for an object of the parent's line, if that is executable (`# Safety`).
        let translated = unsafe { Self::translate(desc, parent, target, messages) };
        translated.map_err(|invalid| refuse(invalid, parent.is_some(), messages))
    }

    /// # Safety
    ///
    /// As [`new`](Self::new).
    unsafe fn translate(
        desc: &Description<'_>,
        parent: Option<&Arc<StateObject>>,
        target: Option<&Capabilities>,
        messages: &mut Messages,
    ) -> Result<Self, Invalid> {
        check::check(desc)?;
        let mut model = resolve::resolve(desc)?;
        rules::check_uniform(&model)?;
        link::find_lacks(&mut model)?;
        rules::check_collections(&model)?;
        if let Some(parent) = parent {
            rules::check_addition(&model, parent)?;
        }
        if let Some(target) = target {
            for (place, _) in desc.placed() {
                if let Some(library) = model.libraries.get(&place.index) {
                    validate::check_shader_model(library.program.shader_model(), target)
                        .map_err(|invalid| invalid.at(place))?;
                }
            }
        }
        let growth = parent.map(Growth::new).transpose()?;
        emit::emit(desc, model, growth, target, messages)
    }
}
