//! The state objects that a caller created from stored descriptions. Later descriptions refer to a row by its object.

use std::collections::HashMap;

use parking_lot::Mutex;
use windows_core::{IUnknown, Interface};

use crate::Error;

/// An object's IUnknown, which identifies it: QueryInterface returns the same pointer from each of its interfaces.
pub(super) struct Identity(IUnknown);

// SAFETY: a state object is free-threaded: any thread may release it.
unsafe impl Send for Identity {}

impl Identity {
    pub(super) fn of(object: &IUnknown) -> Result<Self, Error> {
        let identity = object.cast();
        identity
            .map(Self)
            .map_err(|_| Error::argument("an object has no IUnknown"))
    }

    fn address(&self) -> usize {
        self.0.as_raw().addr()
    }
}

/// The keys of the rows, by object. Holds a reference to each object, so that no new object can get the address of an old one.
#[derive(Default)]
pub(super) struct CreatedObjects(Mutex<HashMap<usize, (Identity, Vec<u8>)>>);

impl CreatedObjects {
    pub(super) fn add(&self, object: Identity, row: Vec<u8>) {
        let mut objects = self.0.lock();
        let before = objects.insert(object.address(), (object, row));
        drop(objects);
        // A release runs the caller's code, which may call this again.
        drop(before);
    }

    /// The key of the row that an object was created from.
    pub(super) fn row_of(&self, object: &IUnknown) -> Result<Option<Vec<u8>>, Error> {
        let object = Identity::of(object)?;
        let objects = self.0.lock();
        Ok(objects.get(&object.address()).map(|(_, row)| row.clone()))
    }
}
