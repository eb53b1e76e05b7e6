//! A state object that a plugin has compiled.

use std::fmt;
use std::sync::Arc;

use api_desc::CollectionName;
use api_sys::{
    D3D12_STATE_SUBOBJECT_TYPE, D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
};
use compiler_runtime::desc::state_object::{self, Collection};

use crate::Compiled;

/// A compiled state object: to look at its values, to add to, to use as an existing collection. Clones share it.
#[derive(Clone)]
pub struct StateObject(Arc<Shared>);

// In the order of the drops: the plugin's object may point at its description, and at that of its parent.
struct Shared {
    object: plugin_host::StateObject,
    desc: Arc<state_object::StateObject>,
    _parent: Option<StateObject>,
    compiler: plugin_host::Compiler,
    compiled: Compiled,
}

impl StateObject {
    pub(crate) fn new(
        object: plugin_host::StateObject,
        desc: state_object::StateObject,
        parent: Option<&Self>,
        compiler: &plugin_host::Compiler,
        compiled: Compiled,
    ) -> Self {
        Self(Arc::new(Shared {
            object,
            desc: Arc::new(desc),
            _parent: parent.cloned(),
            compiler: compiler.clone(),
            compiled,
        }))
    }

    /// Its keys and values.
    pub fn compiled(&self) -> &Compiled {
        &self.0.compiled
    }

    pub(crate) fn object(&self) -> &plugin_host::StateObject {
        &self.0.object
    }

    pub(crate) fn desc(&self) -> &Arc<state_object::StateObject> {
        &self.0.desc
    }

    /// Whether the compiler made it.
    pub(crate) fn is_of(&self, compiler: &plugin_host::Compiler) -> bool {
        // Both are alive, so their handles differ unless they are one.
        self.0.compiler.handle().pDrvPrivate == compiler.handle().pDrvPrivate
    }

    pub(crate) fn into_collection(self) -> Collection {
        Collection {
            desc: Arc::clone(&self.0.desc),
            handle: self.0.object.handle(),
            keep_alive: Arc::new(self),
        }
    }
}

impl fmt::Debug for StateObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StateObject").field(self.compiled()).finish()
    }
}

impl CollectionName for StateObject {
    fn subobject_type(&self) -> D3D12_STATE_SUBOBJECT_TYPE {
        D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION
    }
}
