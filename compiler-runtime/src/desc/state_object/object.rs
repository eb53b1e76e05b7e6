//! A translated state object, and what can refer to one: the types that the steps of a translation share.

use std::any::Any;
use std::fmt;
use std::iter;
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
    pub(super) arg: NonNull<D3D12DDIARG_CREATE_STATE_OBJECT_0054>,
    pub(super) record: Record,
    /// The work graphs, with those that were inherited.
    pub(super) graphs: Vec<Arc<GraphMemory>>,
    /// The names of its programs, inherited ones too.
    pub(super) programs: Vec<String>,
    /// Whether something living was added to it, of the types that can be added to once.
    pub(super) grown: AtomicBool,
    // In the order in which they are dropped: links go first, memory last.
    pub(super) growth: Option<Growth>,
    pub(super) collections: Vec<Collection>,
    pub(super) _arena: Arena,
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

pub(super) type Content<'a> = api_desc::Subobject<Collection, &'a [u8]>;

impl Collection {
    /// Whether others may refer to what is in it.
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

/// A work graph and where the DDI has it.
pub(super) struct GraphMemory {
    pub(super) graph: Graph,
    /// Of each node.
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

/// Where the DDI has a node, and the heads of the lists that additions put nodes in front of.
#[derive(Clone)]
pub(super) struct NodeMemory {
    pub(super) node: *mut D3D12DDI_NODE_0108,
    pub(super) inputs: *mut *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    pub(super) outputs: Vec<*mut *mut D3D12DDI_NODE_LIST_ENTRY_0108>,
}

/// What ties an addition to the state object that it was added to.
pub(super) struct Growth {
    /// Always there but while it is dropped.
    pub(super) parent: Option<Arc<StateObject>>,
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
