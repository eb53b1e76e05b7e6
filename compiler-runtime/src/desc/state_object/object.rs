//! A translated state object, and the types that refer to one. The steps of a translation share them.

use std::any::Any;
use std::fmt;
use std::iter;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use api_desc::{CollectionName, StateObjectDesc};
use api_sys::{
    D3D12_STATE_SUBOBJECT_TYPE, D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
};
use ddi_sys::{
    D3D12DDI_HCOMPILERSTATEOBJECT, D3D12DDI_NODE_0108, D3D12DDI_NODE_LIST_ENTRY_0108,
    D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
};

use super::record::Record;
use super::work_graph::Graph;
use crate::desc::Invalid;
use crate::desc::arena::Arena;

/// A translated state object, or an addition to one: the DDI's description, and the memory of what it points to. It does not
/// point into the caller's memory.
///
/// A plugin may refer to the description as long as its state object lives, and also to the descriptions of the objects that it
/// was grown from and of its collections (Raytracing.md, "State object lifetimes as seen by driver"). So the owner of the
/// plugin's state object must keep this until it has destroyed that. This in turn keeps the other descriptions alive.
///
/// All of this stays unchanged, except for work graphs. An addition to a graph links the graph's nodes with the new ones, by
/// the rules of WorkGraphs.md for drivers, until the addition is dropped. So additions to a state object of type EXECUTABLE
/// form a line, and nobody may call a plugin for an object of the line while an addition to it is translated or dropped.
pub struct StateObject {
    pub(super) arg: NonNull<D3D12DDIARG_CREATE_STATE_OBJECT_0054>,
    pub(super) record: Record,
    /// The work graphs, inherited ones too.
    pub(super) graphs: Vec<Arc<GraphMemory>>,
    /// The names of its programs, inherited ones too.
    pub(super) programs: Vec<String>,
    /// Whether an addition to it lives. Only a state object of type EXECUTABLE, which takes one addition at a time, sets this.
    pub(super) grown: AtomicBool,
    // The order of the drops matters: the links first, the memory last.
    pub(super) growth: Option<Growth>,
    pub(super) collections: Vec<Collection>,
    pub(super) arena: Arena,
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

/// A description whose existing collections are compiled.
pub type Description<'a> = StateObjectDesc<Collection, &'a [u8]>;

pub(super) type Content<'a> = api_desc::Subobject<Collection, &'a [u8]>;

impl Collection {
    /// Whether a containing object may refer to what is in it.
    pub(super) fn is_open(&self) -> bool {
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
    /// The description for the plugin.
    pub fn arg(&self) -> &D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
        // SAFETY: it is in the arena, and nothing writes to it.
        unsafe { self.arg.as_ref() }
    }

    /// The addresses of all that is its own, in whole pages: where it refers to its parent and its collections, those have
    /// theirs.
    pub fn pages(&self) -> impl Iterator<Item = Range<*const u8>> {
        self.arena.pages()
    }

    /// The collections in it, in the order of their subobjects.
    pub fn collections(&self) -> &[Collection] {
        &self.collections
    }

    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    fn parent(&self) -> Option<&StateObject> {
        self.growth.as_ref()?.parent.as_deref()
    }

    /// The object, the one that it was grown from, and so on.
    pub(super) fn lineage(&self) -> impl Iterator<Item = &StateObject> {
        iter::successors(Some(self), |object| object.parent())
    }
}

/// A work graph, and the addresses of its DDI structures.
pub(super) struct GraphMemory {
    pub(super) graph: Graph,
    /// By node.
    pub(super) nodes: Vec<NodeMemory>,
    /// The lists of all nodes and of the entry points.
    pub(super) all: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    pub(super) entry_points: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
}

// SAFETY: the pointers are into arenas of the objects that the graph belongs to, which hold it; what
// they point at changes in `Growth` only.
unsafe impl Send for GraphMemory {}
// SAFETY: through `&GraphMemory` nothing is written; behind its pointers `Growth` alone writes, of one addition at a time.
unsafe impl Sync for GraphMemory {}

/// The address of a node's DDI structure, and the heads of the lists that additions prepend nodes to.
#[derive(Clone)]
pub(super) struct NodeMemory {
    pub(super) node: *mut D3D12DDI_NODE_0108,
    pub(super) inputs: *mut *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    pub(super) outputs: Vec<*mut *mut D3D12DDI_NODE_LIST_ENTRY_0108>,
}

/// What ties an addition to the state object that it was added to.
pub(super) struct Growth {
    /// `None` only during the drop.
    pub(super) parent: Option<Arc<StateObject>>,
    /// The heads of older nodes' lists that now start with new nodes, and their values before.
    links: Vec<Link>,
    /// Whether the parent takes only one addition at a time.
    is_only: bool,
}

/// The head of a list, and its value before.
struct Link {
    head: *mut *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    before: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
}

impl Growth {
    /// Claims the parent. Additions to an EXECUTABLE form a line, so that nobody else writes to its graphs.
    pub(super) fn new(parent: &Arc<StateObject>) -> Result<Self, Invalid> {
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
    pub(super) unsafe fn link(
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
    /// Removes the links and releases the claim on the parent; only the reference to it remains.
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
        // Drops ancestors that nothing else holds in a loop: dropping the fields of a long chain of additions would recurse
        // once for each.
        let mut ancestor = self.end();
        while let Some(mut last) = ancestor.and_then(Arc::into_inner) {
            ancestor = last.growth.take().and_then(|mut growth| growth.end());
        }
    }
}
