//! The runtime's handles: numbers that a driver holds, and the objects that they stand for.
//!
//! A handle is looked up, never dereferenced, so a driver that uses one too late, or another one, does no harm.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{mem, ptr};

use parking_lot::RwLock;

type Object = Arc<dyn Any + Send + Sync>;

static OBJECTS: RwLock<BTreeMap<usize, Object>> = RwLock::new(BTreeMap::new());
static NEXT: AtomicUsize = AtomicUsize::new(1);

/// The handle of an object, valid until this is dropped.
#[derive(Debug)]
pub(crate) struct Registered<T> {
    number: usize,
    kind: PhantomData<fn() -> T>,
}

impl<T: Any + Send + Sync> Registered<T> {
    /// Gives an object a handle that no other object has or had.
    pub(crate) fn new(object: Arc<T>) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut objects = OBJECTS.write();
        objects.insert(number, object);
        Self {
            number,
            kind: PhantomData,
        }
    }

    /// The handle.
    pub(crate) fn handle(&self) -> *mut c_void {
        ptr::without_provenance_mut(self.number)
    }
}

impl<T> Drop for Registered<T> {
    fn drop(&mut self) {
        let mut objects = OBJECTS.write();
        let object = objects.remove(&self.number);
        drop(objects);
        drop(object);
    }
}

/// Gives an object a handle that is valid until it is [released](release).
pub(crate) fn keep<T: Any + Send + Sync>(object: T) -> *mut c_void {
    let registered = Registered::new(Arc::new(object));
    let handle = registered.handle();
    mem::forget(registered);
    handle
}

/// Ends a handle, if it is that of an object of this type.
pub(crate) fn release<T: Any + Send + Sync>(handle: *mut c_void) -> Option<Arc<T>> {
    let object = find(handle)?;
    let mut objects = OBJECTS.write();
    let removed = objects.remove(&handle.addr());
    drop(objects);
    removed.and(Some(object))
}

/// The object of a handle, if it is one of this type.
pub(crate) fn find<T: Any + Send + Sync>(handle: *mut c_void) -> Option<Arc<T>> {
    let objects = OBJECTS.read();
    let object = Arc::clone(objects.get(&handle.addr())?);
    drop(objects);
    object.downcast().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_finds_its_object_until_it_ends() {
        let first = Registered::new(Arc::new(1_u32));
        let second = Registered::new(Arc::new(2_u64));
        assert_eq!(find::<u32>(first.handle()).as_deref(), Some(&1));
        assert_eq!(find::<u32>(second.handle()), None);
        let stale = first.handle();
        drop(first);
        assert_eq!(find::<u32>(stale), None);
        assert_eq!(find::<u32>(ptr::null_mut()), None);
        assert_eq!(find::<u64>(second.handle()).as_deref(), Some(&2));

        let kept = keep(3_u16);
        assert_eq!(release::<u32>(kept), None);
        assert_eq!(release::<u16>(kept).as_deref(), Some(&3));
        assert_eq!(release::<u16>(kept), None);
    }
}
