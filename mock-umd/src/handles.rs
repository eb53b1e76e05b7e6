//! Driver handles: the addresses of the host's private memory, and the objects that they stand for.
//!
//! A handle is looked up, never dereferenced: one that is null, of a destroyed object, or of another
//! kind is refused, whatever the memory behind it is by then. An object that another thread is using
//! lives until that use ends.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;
use std::ffi::c_void;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use thiserror::Error;

/// The private memory that every object asks its host for, in bytes: enough for [`Mark`].
pub(crate) const PRIVATE_SIZE: usize = size_of::<Mark>();

/// An object that a handle can stand for.
pub(crate) trait Object: Any + Send + Sync {
    /// What messages call it.
    const KIND: &'static str;
}

/// The number of an object: no other of the process has or had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(NonZeroU64);

impl ObjectId {
    /// The number.
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}

/// Why there is no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum HandleError {
    #[error("the handle of a {0} is null")]
    Null(&'static str),
    #[error("no object has the handle {1:#x}; a {0} is expected")]
    Unknown(&'static str, usize),
    #[error("the handle {address:#x} is of a {found}; a {expected} is expected")]
    OtherKind {
        expected: &'static str,
        found: &'static str,
        address: usize,
    },
    #[error("the private memory {1:#x} of a new {0} is that of a {2}")]
    InUse(&'static str, usize, &'static str),
    #[error("the private memory {1:#x} of a new {0} is not aligned to a pointer")]
    Unaligned(&'static str, usize),
}

/// What a private block holds: for people with a debugger. The driver never reads it.
#[repr(C)]
struct Mark {
    magic: [u8; 8],
    id: u64,
}

const MAGIC: [u8; 8] = *b"FABRIKAM";

struct Entry {
    id: ObjectId,
    kind: &'static str,
    /// The device that the object dies with.
    device: Option<ObjectId>,
    object: Arc<dyn Any + Send + Sync>,
}

static OBJECTS: LazyLock<RwLock<HashMap<usize, Entry>>> = LazyLock::new(RwLock::default);
static NEXT_ID: AtomicU64 = AtomicU64::new(1);
/// Goes up when an object loses its handle: what a thread remembers of handles is then void.
static EPOCH: AtomicU64 = AtomicU64::new(0);

fn read() -> RwLockReadGuard<'static, HashMap<usize, Entry>> {
    OBJECTS.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, HashMap<usize, Entry>> {
    OBJECTS.write().unwrap_or_else(PoisonError::into_inner)
}

/// The number of the next object.
pub(crate) fn new_id() -> ObjectId {
    let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
    ObjectId(NonZeroU64::new(id).expect("64 bits do not overflow"))
}

/// Registers an object under the address of its private memory. It loses its handle by [`remove`], or
/// with `device`.
///
/// # Errors
///
/// The address is null, misaligned or taken.
///
/// # Safety
///
/// Unless it is null, `address` is of [`PRIVATE_SIZE`] bytes that the caller may write.
pub(crate) unsafe fn insert<T: Object>(
    address: *mut c_void,
    id: ObjectId,
    device: Option<ObjectId>,
    object: Arc<T>,
) -> Result<(), HandleError> {
    if address.is_null() {
        return Err(HandleError::Null(T::KIND));
    }
    if !address.cast::<usize>().is_aligned() {
        return Err(HandleError::Unaligned(T::KIND, address.addr()));
    }
    match write().entry(address.addr()) {
        MapEntry::Occupied(taken) => {
            let kind = taken.get().kind;
            return Err(HandleError::InUse(T::KIND, address.addr(), kind));
        }
        MapEntry::Vacant(vacant) => vacant.insert(Entry {
            id,
            kind: T::KIND,
            device,
            object,
        }),
    };
    let mark = Mark {
        magic: MAGIC,
        id: id.get(),
    };
    // SAFETY: the caller promises the memory; it may be less aligned than `Mark`.
    unsafe { address.cast::<Mark>().write_unaligned(mark) };
    Ok(())
}

fn find<T: Object>(
    objects: &HashMap<usize, Entry>,
    address: *mut c_void,
) -> Result<&Entry, HandleError> {
    if address.is_null() {
        return Err(HandleError::Null(T::KIND));
    }
    let address = address.addr();
    let entry = objects
        .get(&address)
        .ok_or(HandleError::Unknown(T::KIND, address))?;
    if !entry.object.is::<T>() {
        return Err(HandleError::OtherKind {
            expected: T::KIND,
            found: entry.kind,
            address,
        });
    }
    Ok(entry)
}

fn downcast<T: Object>(object: Arc<dyn Any + Send + Sync>) -> Arc<T> {
    object.downcast().unwrap_or_else(|_| unreachable!())
}

/// The object of a handle.
///
/// # Errors
///
/// There is none of this kind.
pub(crate) fn get<T: Object>(address: *mut c_void) -> Result<Arc<T>, HandleError> {
    let objects = read();
    find::<T>(&objects, address).map(|entry| downcast(Arc::clone(&entry.object)))
}

/// The object of a handle, which it loses.
///
/// # Errors
///
/// There is none of this kind.
pub(crate) fn remove<T: Object>(address: *mut c_void) -> Result<Arc<T>, HandleError> {
    let mut objects = write();
    find::<T>(&objects, address)?;
    let entry = objects.remove(&address.addr());
    drop(objects);
    EPOCH.fetch_add(1, Ordering::Release);
    Ok(downcast(entry.unwrap_or_else(|| unreachable!()).object))
}

/// Takes the handles of all objects of a device; their kinds, for a message.
pub(crate) fn remove_of_device(device: ObjectId) -> Vec<&'static str> {
    let mut objects = write();
    let removed: Vec<Entry> = objects
        .extract_if(|_, entry| entry.device == Some(device))
        .map(|(_, entry)| entry)
        .collect();
    drop(objects);
    EPOCH.fetch_add(1, Ordering::Release);
    removed.into_iter().map(|entry| entry.kind).collect()
}

/// What a thread remembers of one handle.
struct Remembered {
    epoch: u64,
    address: usize,
    id: ObjectId,
    object: Arc<dyn Any + Send + Sync>,
}

/// Each thread remembers so many sets of handles, by address: frames have many calls on few objects.
const SETS: usize = 16;
/// So many handles of one set: the objects of a call may meet there.
const WAYS: usize = 4;

type Set = [Option<Remembered>; WAYS];

thread_local! {
    static CACHE: RefCell<[Set; SETS]> =
        const { RefCell::new([const { [const { None }; WAYS] }; SETS]) };
}

/// Calls `body` with the object of a handle and its number. Faster than [`get`] for a thread that uses
/// a handle again; the thread may keep a destroyed object's memory until it uses another handle in its
/// place.
///
/// # Errors
///
/// There is none of this kind.
#[inline]
pub(crate) fn with<T: Object, R>(
    address: *mut c_void,
    body: impl FnOnce(&T, ObjectId) -> R,
) -> Result<R, HandleError> {
    // Before the look-up: if the handle is lost after it, the epoch differs at the next use.
    let epoch = EPOCH.load(Ordering::Acquire);
    CACHE.with(|cache| {
        // A body that comes here again finds the cache borrowed.
        let Ok(mut cache) = cache.try_borrow_mut() else {
            let (id, object) = look_up::<T>(address)?;
            return Ok(body(&object, id));
        };
        let set = &mut cache[set_of(address)];
        let known = |r: &Option<Remembered>| {
            r.as_ref()
                .is_some_and(|r| r.epoch == epoch && r.address == address.addr())
        };
        if let Some(way) = set.iter().position(known)
            && let Some(r) = &set[way]
            && let Some(object) = r.object.downcast_ref::<T>()
        {
            return Ok(body(object, r.id));
        }
        let (id, object) = remember::<T>(set, epoch, address)?;
        Ok(body(&object, id))
    })
}

fn set_of(address: *mut c_void) -> usize {
    // Private memory is aligned to 16 by hosts, and seldom smaller than 64 bytes with its object.
    (address.addr() >> 4 ^ address.addr() >> 9) % SETS
}

fn look_up<T: Object>(address: *mut c_void) -> Result<(ObjectId, Arc<T>), HandleError> {
    let objects = read();
    let entry = find::<T>(&objects, address)?;
    Ok((entry.id, downcast(Arc::clone(&entry.object))))
}

#[cold]
fn remember<T: Object>(
    set: &mut Set,
    epoch: u64,
    address: *mut c_void,
) -> Result<(ObjectId, Arc<T>), HandleError> {
    let (id, object) = look_up::<T>(address)?;
    // The oldest goes.
    set.rotate_right(1);
    drop(set[0].replace(Remembered {
        epoch,
        address: address.addr(),
        id,
        object: Arc::<T>::clone(&object),
    }));
    Ok((id, object))
}

/// The number of a handle's object.
///
/// # Errors
///
/// There is none of this kind.
pub(crate) fn id_of<T: Object>(address: *mut c_void) -> Result<ObjectId, HandleError> {
    with::<T, _>(address, |_, id| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Apple(u32);
    impl Object for Apple {
        const KIND: &'static str = "apple";
    }
    struct Pear;
    impl Object for Pear {
        const KIND: &'static str = "pear";
    }

    fn block() -> Mark {
        Mark {
            magic: [0; 8],
            id: 0,
        }
    }

    fn address(block: &mut Mark) -> *mut c_void {
        std::ptr::from_mut(block).cast()
    }

    fn put<T: Object>(block: &mut Mark, object: T, device: Option<ObjectId>) -> ObjectId {
        let id = new_id();
        // SAFETY: a block has the size.
        unsafe { insert(address(block), id, device, Arc::new(object)) }.unwrap();
        id
    }

    #[test]
    fn a_handle_stands_for_its_object_until_that_is_removed() {
        let mut block = block();
        let at = address(&mut block);
        let id = put(&mut block, Apple(3), None);
        assert_eq!((block.magic, block.id), (MAGIC, id.get()));
        assert_eq!(*get::<Apple>(at).unwrap(), Apple(3));
        assert_eq!(with::<Apple, _>(at, |apple, id| (apple.0, id)), Ok((3, id)));
        assert_eq!(*remove::<Apple>(at).unwrap(), Apple(3));
        let stale = Err(HandleError::Unknown("apple", at.addr()));
        assert_eq!(get::<Apple>(at).map(|_| ()), stale);
        assert_eq!(remove::<Apple>(at).map(|_| ()), stale);
        // It was remembered.
        assert_eq!(with::<Apple, _>(at, |_, _| ()), stale);
    }

    #[test]
    fn null_foreign_and_taken_handles_are_refused() {
        let null = std::ptr::null_mut();
        assert_eq!(get::<Apple>(null), Err(HandleError::Null("apple")));
        assert_eq!(id_of::<Apple>(null), Err(HandleError::Null("apple")));
        let mut block = block();
        let at = address(&mut block);
        put(&mut block, Pear, None);
        let other = HandleError::OtherKind {
            expected: "apple",
            found: "pear",
            address: at.addr(),
        };
        id_of::<Pear>(at).unwrap();
        assert_eq!(get::<Apple>(at), Err(other));
        assert_eq!(id_of::<Apple>(at), Err(other));
        assert_eq!(remove::<Apple>(at), Err(other));
        // SAFETY: the addresses are refused.
        let insert = |at| unsafe { insert(at, new_id(), None, Arc::new(Apple(1))) };
        assert_eq!(
            insert(at),
            Err(HandleError::InUse("apple", at.addr(), "pear"))
        );
        assert_eq!(insert(null), Err(HandleError::Null("apple")));
        let odd = at.wrapping_byte_add(1);
        assert_eq!(
            insert(odd),
            Err(HandleError::Unaligned("apple", odd.addr()))
        );
        remove::<Pear>(at).unwrap();
    }

    #[test]
    fn memory_can_be_used_again() {
        let mut block = block();
        let at = address(&mut block);
        for round in 0..3 {
            let id = put(&mut block, Apple(round), None);
            assert_eq!(with::<Apple, _>(at, |a, id| (a.0, id)), Ok((round, id)));
            remove::<Apple>(at).unwrap();
        }
    }

    #[test]
    fn a_device_takes_the_handles_of_its_objects_and_no_others() {
        let device = new_id();
        let (mut a, mut b, mut c) = (block(), block(), block());
        put(&mut a, Apple(1), Some(device));
        put(&mut b, Pear, Some(device));
        put(&mut c, Apple(2), Some(new_id()));
        let mut kinds = remove_of_device(device);
        kinds.sort_unstable();
        assert_eq!(kinds, ["apple", "pear"]);
        get::<Apple>(address(&mut a)).unwrap_err();
        assert_eq!(*remove::<Apple>(address(&mut c)).unwrap(), Apple(2));
    }

    #[test]
    fn a_body_can_use_handles() {
        let mut block = block();
        let at = address(&mut block);
        put(&mut block, Apple(7), None);
        let inner = with::<Apple, _>(at, |_, _| with::<Apple, _>(at, |apple, _| apple.0));
        assert_eq!(inner, Ok(Ok(7)));
        remove::<Apple>(at).unwrap();
    }

    #[test]
    fn many_handles_are_told_apart() {
        let mut blocks: Vec<Mark> = (0..500).map(|_| block()).collect();
        let ids: Vec<ObjectId> = blocks
            .iter_mut()
            .zip(0..)
            .map(|(block, number)| put(block, Apple(number), None))
            .collect();
        for _ in 0..2 {
            for ((block, id), number) in blocks.iter_mut().zip(&ids).zip(0..) {
                let found = with::<Apple, _>(address(block), |apple, id| (apple.0, id));
                assert_eq!(found, Ok((number, *id)));
            }
        }
        for block in &mut blocks {
            remove::<Apple>(address(block)).unwrap();
        }
    }

    #[test]
    fn an_object_in_use_outlives_its_handle() {
        let mut block = block();
        let at = address(&mut block);
        put(&mut block, Apple(9), None);
        let held = get::<Apple>(at).unwrap();
        std::thread::scope(|scope| {
            let at = at.addr();
            scope.spawn(move || remove::<Apple>(std::ptr::without_provenance_mut(at)).map(|_| ()));
        });
        assert_eq!(held.0, 9);
        get::<Apple>(at).unwrap_err();
    }
}
