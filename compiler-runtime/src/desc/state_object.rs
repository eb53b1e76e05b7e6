//! State objects: from a `D3D12_STATE_OBJECT_DESC` to D3D12DDIARG_CREATE_STATE_OBJECT_0054.
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
//! The rules are those of Raytracing.md and WorkGraphs.md; docs/runtime-validation-state-objects.md
//! lists them, the choices where the documents leave one, and what is not validated.

mod association;
mod bindings;
mod check;
mod emit;
mod function;
mod generic_program;
mod library;
mod link;
mod model;
mod resolve;
mod rules;
mod work_graph;

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::iter;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use api_desc::{CollectionName, CollectionOfCaller, StateObjectDesc};
use api_sys::{
    D3D12_STATE_OBJECT_DESC, D3D12_STATE_SUBOBJECT_TYPE,
    D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
    D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
    D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY,
    D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
};
use ddi_sys::{
    D3D12DDI_HCOMPILERSTATEOBJECT, D3D12DDI_NODE_LIST_ENTRY_0108,
    D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
};

use self::emit::GraphMemory;
use self::model::Record;
use super::arena::Arena;
use super::target::Capabilities;
use super::{Invalid, validate};
use crate::message::{MessageId, Messages};

/// A translated state object, or an addition to one: the DDI's description, and the memory of what it
/// points to. Nothing in it is the caller's.
///
/// A plugin may refer to the description as long as the state object lives, and to those of the
/// objects that it was grown from and of the collections in it (Raytracing.md, "State object lifetimes
/// as seen by driver"). So whoever owns a plugin's state object keeps this until that one is
/// destroyed; what else has to stay alive, this does.
///
/// Work graphs are the exception to what stays as it is: when a graph is added to, its nodes are
/// linked with the new ones, by the rules of WorkGraphs.md for drivers, until the addition is dropped.
/// So additions to a state object of type EXECUTABLE form a line, and no plugin is called for an object
/// of the line while an addition to it is translated or dropped.
pub struct StateObject {
    arg: NonNull<D3D12DDIARG_CREATE_STATE_OBJECT_0054>,
    record: Record,
    /// The work graphs, with those that were inherited.
    graphs: Vec<Arc<GraphMemory>>,
    /// The names of its programs, inherited ones too.
    programs: Vec<String>,
    /// Whether something living was added to it, of the types that can be added to once.
    grown: AtomicBool,
    // In the order in which they are dropped: links go first, memory last.
    growth: Option<Growth>,
    collections: Vec<Collection>,
    _arena: Arena,
}

// SAFETY: the pointers are into the arena, and into those of the parent and the collections, which
// `growth` and `collections` keep alive. What they point at changes in `Growth` only, which see. Handles
// are of a plugin's objects, which are free-threaded.
unsafe impl Send for StateObject {}
// SAFETY: through `&StateObject` only `grown` changes, an atomic; no plugin reads while `Growth` links, as `new` demands.
unsafe impl Sync for StateObject {}

/// An existing collection: a state object of type COLLECTION that a plugin has compiled.
#[derive(Clone)]
pub struct Collection {
    /// Its translated description.
    pub desc: Arc<StateObject>,
    /// The plugin's object.
    pub handle: D3D12DDI_HCOMPILERSTATEOBJECT,
    /// Keeps the plugin's object from being destroyed.
    pub keep_alive: Arc<dyn Any + Send + Sync>,
}

impl CollectionName for Collection {
    fn subobject_type(&self) -> D3D12_STATE_SUBOBJECT_TYPE {
        D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION
    }
}

/// A description whose existing collections are compiled ones.
pub type Description<'a> = StateObjectDesc<Collection, &'a [u8]>;

type Content<'a> = api_desc::Subobject<Collection, &'a [u8]>;

/// Reads a caller's description. `find` knows the collections by their addresses, as they are in
/// `D3D12_COMPILER_EXISTING_COLLECTION_DESC`.
///
/// # Errors
///
/// It is no description ([`StateObjectDesc::from_raw`]), or has a form of subobject that a compiler does not take, or a
/// collection that is not found.
///
/// # Safety
///
/// As [`StateObjectDesc::from_raw`]; `find` is given addresses as they are.
pub unsafe fn read<'a, C>(
    desc: *const D3D12_STATE_OBJECT_DESC,
    mut find: impl FnMut(*mut c_void) -> Option<C>,
) -> Result<StateObjectDesc<C, &'a [u8]>, Invalid> {
    // SAFETY: the caller's contract is that of `from_raw`.
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

/// Why a compiler takes no subobject of a type.
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

/// Adds why a description is refused to `messages`, unless it is there, with the number that it has in the call.
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

impl Collection {
    /// Whether others may refer to what is in it.
    fn is_open(&self) -> bool {
        self.desc.record.is_open()
    }
}

impl fmt::Debug for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collection")
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for StateObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateObject")
            .field("arg", self.arg())
            .finish_non_exhaustive()
    }
}

impl StateObject {
    /// Translates a description; with a `parent`, of an addition to it. Without a `target`, what
    /// depends on it is not checked.
    ///
    /// # Errors
    ///
    /// The description is not valid. The reason is in `messages` too.
    ///
    /// # Safety
    ///
    /// With a parent of type EXECUTABLE, no plugin is in a call for an object of its line, here and when
    /// the addition is dropped.
    pub unsafe fn new(
        desc: &Description<'_>,
        parent: Option<&Arc<StateObject>>,
        target: Option<&Capabilities>,
        messages: &mut Messages,
    ) -> Result<Self, Invalid> {
        // SAFETY: the caller's contract is that of `translate`.
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

    /// The description for the plugin.
    pub fn arg(&self) -> &D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
        // SAFETY: it is in the arena, and nothing writes to it.
        unsafe { self.arg.as_ref() }
    }

    /// The collections in it, in the order of their subobjects.
    pub fn collections(&self) -> &[Collection] {
        &self.collections
    }

    fn record(&self) -> &Record {
        &self.record
    }

    fn parent(&self) -> Option<&StateObject> {
        self.growth.as_ref()?.parent.as_deref()
    }

    /// The object, the one that it was grown from, and so on.
    fn lineage(&self) -> impl Iterator<Item = &StateObject> {
        iter::successors(Some(self), |object| object.parent())
    }
}

/// What ties an addition to the state object that it was added to.
struct Growth {
    /// Always there but while it is dropped.
    parent: Option<Arc<StateObject>>,
    /// Heads of lists of older nodes that now start with new nodes, and what they were before.
    links: Vec<Link>,
    /// Whether the parent can be added to once only.
    is_only: bool,
}

/// The head of a list, and what it was before.
struct Link {
    head: *mut *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    before: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
}

impl Growth {
    /// Claims the parent: additions to an EXECUTABLE form a line, so that nobody else writes to its
    /// graphs.
    fn new(parent: &Arc<StateObject>) -> Result<Self, Invalid> {
        let is_only = parent.record.kind == D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE;
        if is_only && parent.grown.swap(true, Ordering::AcqRel) {
            return Err(Invalid::other(
                "the state object has been added to already; additions to a state object of type \
                 EXECUTABLE are made to the latest one",
            ));
        }
        Ok(Self {
            parent: Some(parent.clone()),
            links: Vec::new(),
            is_only,
        })
    }

    /// Puts an entry in front of a list of older nodes.
    ///
    /// # Safety
    ///
    /// `head` is in memory of the parent's lineage, and `entry` in memory that lives until this is
    /// dropped.
    unsafe fn link(
        &mut self,
        head: *mut *mut D3D12DDI_NODE_LIST_ENTRY_0108,
        entry: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    ) {
        // SAFETY: `head` is in memory of the parent's lineage, which the parent keeps alive (`# Safety`); only the one that
        // claimed the parent writes here, and no plugin reads meanwhile, as `StateObject::new` demands.
        unsafe {
            self.links.push(Link {
                head,
                before: *head,
            });
            *head = entry;
        }
    }
}

impl Growth {
    /// Takes the links out and gives the parent free; what is left is its reference.
    fn end(&mut self) -> Option<Arc<StateObject>> {
        let parent = self.parent.take()?;
        for link in self.links.drain(..).rev() {
            // SAFETY: as when it was linked: the parent still lives, and is still claimed.
            unsafe { *link.head = link.before };
        }
        if self.is_only {
            parent.grown.store(false, Ordering::Release);
        }
        Some(parent)
    }
}

impl Drop for Growth {
    fn drop(&mut self) {
        // Ancestors that nothing else holds end here, one after the other: left to the fields, a long
        // chain of additions would recurse once for each.
        let mut ancestor = self.end();
        while let Some(mut last) = ancestor.and_then(Arc::into_inner) {
            ancestor = last.growth.take().and_then(|mut growth| growth.end());
        }
    }
}
