//! The state objects that a caller made of what it stored, by which later descriptions name them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use windows_core::{IUnknown, Interface};

use crate::Error;

/// An object by the pointer that is the same for all of its interfaces.
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

/// The keys of their rows. The objects are held, so that no other one comes to be where one was.
#[derive(Default)]
pub(super) struct CreatedObjects(Mutex<HashMap<usize, (Identity, Vec<u8>)>>);

impl CreatedObjects {
    pub(super) fn add(&self, object: Identity, row: Vec<u8>) {
        let mut objects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = objects.insert(object.address(), (object, row));
        drop(objects);
        // A release is the caller's code, which may come back here.
        drop(before);
    }

    /// The key of the row that an object was made of.
    pub(super) fn row_of(&self, object: &IUnknown) -> Result<Option<Vec<u8>>, Error> {
        let object = Identity::of(object)?;
        let objects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(objects.get(&object.address()).map(|(_, row)| row.clone()))
    }
}
