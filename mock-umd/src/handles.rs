//! Driver handles: the addresses of the host's private memory, and the objects that they stand for.
//!
//! A handle is looked up, never dereferenced: one that is null, of a destroyed object, of another kind or
//! of another device is refused, whatever the memory behind it is by then. An object that another thread is
//! using lives until that use ends.
//!
//! [`get`] and [`with`] take the handle that a call begins with, which decides the device of the call. All
//! other handles go through the [`Owner`] of the call, which compares devices.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;
use std::ffi::c_void;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::RwLock;
use thiserror::Error;

use crate::trace::Subject;

/// The private memory that every object asks its host for, in bytes: enough for [`Mark`].
pub(crate) const PRIVATE_SIZE: usize = size_of::<Mark>();

/// An object that a handle can stand for.
pub(crate) trait Object: Any + Send + Sync {
    /// What messages call it.
    const KIND: &'static str;
}

/// An object whose handle a call can begin with.
pub(crate) trait First: Object {}

/// The number of an object: its device counts the objects that are created on it from 1 on. Two devices
/// with the same objects have the same numbers, so that their recordings can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(NonZeroU64);

impl ObjectId {
    /// The number.
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}

/// The number of a device: no other of the process has or had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceId(NonZeroU64);

impl DeviceId {
    pub(crate) const fn get(self) -> u64 {
        self.0.get()
    }
}

/// Numbers the objects of a device.
pub(crate) struct Numbers {
    pub(crate) device: DeviceId,
    objects: AtomicU64,
}

impl Numbers {
    /// Those of a new device.
    pub(crate) fn new() -> Self {
        static DEVICES: AtomicU64 = AtomicU64::new(0);
        Self {
            device: DeviceId(next(&DEVICES)),
            objects: AtomicU64::new(0),
        }
    }
}

fn next(counter: &AtomicU64) -> NonZeroU64 {
    let last = counter.fetch_add(1, Ordering::Relaxed);
    NonZeroU64::MIN.saturating_add(last)
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
    #[error("{0}: the handle {1:#x} is of another device")]
    OtherDevice(&'static str, usize),
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
    /// The device that the object belongs to and dies with; none for a device.
    device: Option<DeviceId>,
    object: Arc<dyn Any + Send + Sync>,
}

static OBJECTS: LazyLock<RwLock<HashMap<usize, Entry>>> = LazyLock::new(RwLock::default);
/// Goes up when an object loses its handle: what a thread remembers of handles is then void.
static EPOCH: AtomicU64 = AtomicU64::new(0);

/// Registers an object under the address of its private memory: a device, or an object with a number of its
/// device. It loses its handle by [`remove`] or [`Owner::remove`], or with its device.
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
    numbers: Option<&Numbers>,
    object: Arc<T>,
) -> Result<ObjectId, HandleError> {
    if address.is_null() {
        return Err(HandleError::Null(T::KIND));
    }
    if !address.cast::<usize>().is_aligned() {
        return Err(HandleError::Unaligned(T::KIND, address.addr()));
    }
    let id = match OBJECTS.write().entry(address.addr()) {
        MapEntry::Occupied(taken) => {
            let kind = taken.get().kind;
            return Err(HandleError::InUse(T::KIND, address.addr(), kind));
        }
        // Only here: a creation that fails takes no number.
        MapEntry::Vacant(vacant) => {
            let id = numbers.map_or(NonZeroU64::MIN, |numbers| next(&numbers.objects));
            let entry = Entry {
                id: ObjectId(id),
                kind: T::KIND,
                device: numbers.map(|numbers| numbers.device),
                object,
            };
            vacant.insert(entry).id
        }
    };
    let mark = Mark {
        magic: MAGIC,
        id: id.get(),
    };
    // SAFETY: the caller promises the memory; it may be less aligned than `Mark`.
    unsafe { address.cast::<Mark>().write_unaligned(mark) };
    Ok(id)
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

fn get_entry<T: Object>(
    address: *mut c_void,
) -> Result<(Arc<T>, ObjectId, Option<DeviceId>), HandleError> {
    let objects = OBJECTS.read();
    let entry = find::<T>(&objects, address)?;
    Ok((downcast(Arc::clone(&entry.object)), entry.id, entry.device))
}

/// The object of the handle that a call begins with.
///
/// # Errors
///
/// There is none of this kind.
pub(crate) fn get<T: First>(address: *mut c_void) -> Result<Arc<T>, HandleError> {
    get_entry(address).map(|(object, ..)| object)
}

/// The object of the handle that a call begins with, which it loses.
///
/// # Errors
///
/// There is none of this kind.
pub(crate) fn remove<T: First>(address: *mut c_void) -> Result<Arc<T>, HandleError> {
    Owner::default().remove(address)
}

/// Takes the handles of all objects of a device.
pub(crate) fn remove_of_device(device: DeviceId) {
    let mut objects = OBJECTS.write();
    let removed: Vec<Entry> = objects
        .extract_if(|_, entry| entry.device == Some(device))
        .map(|(_, entry)| entry)
        .collect();
    drop(objects);
    EPOCH.fetch_add(1, Ordering::Release);
    // Without the lock: the end of an object may be the end of others.
    drop(removed);
}

/// The device that all objects of a call belong to: that of the handle that it begins with or, while that is
/// not looked up yet, that of the first object.
#[derive(Debug, Default)]
pub(crate) struct Owner(Cell<Option<DeviceId>>);

impl Owner {
    /// The objects of a device.
    pub(crate) fn of(device: DeviceId) -> Self {
        Self(Cell::new(Some(device)))
    }

    /// # Errors
    ///
    /// The object is another device's.
    #[inline]
    pub(crate) fn check<T: Object>(
        &self,
        device: Option<DeviceId>,
        address: *mut c_void,
    ) -> Result<(), HandleError> {
        if self.0.get().is_none() {
            self.0.set(device);
        }
        if self.0.get() == device {
            Ok(())
        } else {
            Err(HandleError::OtherDevice(T::KIND, address.addr()))
        }
    }

    /// The object of a handle.
    ///
    /// # Errors
    ///
    /// There is none of this kind, or it is another device's.
    pub(crate) fn get<T: Object>(&self, address: *mut c_void) -> Result<Arc<T>, HandleError> {
        let (object, _, device) = get_entry(address)?;
        self.check::<T>(device, address)?;
        Ok(object)
    }

    /// The number of a handle's object.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    #[inline]
    pub(crate) fn id_of<T: Object>(&self, address: *mut c_void) -> Result<ObjectId, HandleError> {
        let (id, device) = remembered::<T, _>(address, |_, id, device| (id, device))?;
        self.check::<T>(device, address)?;
        Ok(id)
    }

    /// The object of a handle that may be null.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub(crate) fn optional<T: Object>(
        &self,
        address: *mut c_void,
    ) -> Result<Option<Arc<T>>, HandleError> {
        if address.is_null() {
            return Ok(None);
        }
        self.get(address).map(Some)
    }

    /// The number of the object of a handle that may be null.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    #[inline]
    pub(crate) fn optional_id_of<T: Object>(
        &self,
        address: *mut c_void,
    ) -> Result<Option<ObjectId>, HandleError> {
        if address.is_null() {
            return Ok(None);
        }
        self.id_of::<T>(address).map(Some)
    }

    /// The object of a handle, which it loses.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub(crate) fn remove<T: Object>(&self, address: *mut c_void) -> Result<Arc<T>, HandleError> {
        let mut objects = OBJECTS.write();
        let device = find::<T>(&objects, address)?.device;
        self.check::<T>(device, address)?;
        let entry = objects.remove(&address.addr());
        drop(objects);
        EPOCH.fetch_add(1, Ordering::Release);
        Ok(downcast(entry.unwrap_or_else(|| unreachable!()).object))
    }
}

/// What a thread remembers of one handle.
struct Remembered {
    epoch: u64,
    address: usize,
    id: ObjectId,
    device: Option<DeviceId>,
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

/// Calls `body` with the object of the handle that a call begins with, its number and its device. Faster than
/// [`get`] for a thread that uses a handle again; the thread may keep a destroyed object's memory until it uses
/// another handle in its place.
///
/// # Errors
///
/// There is none of this kind.
#[inline]
pub(crate) fn with<T: First, R>(
    address: *mut c_void,
    body: impl FnOnce(&T, ObjectId, Option<DeviceId>) -> R,
) -> Result<R, HandleError> {
    remembered(address, body)
}

#[inline]
fn remembered<T: Object, R>(
    address: *mut c_void,
    body: impl FnOnce(&T, ObjectId, Option<DeviceId>) -> R,
) -> Result<R, HandleError> {
    // Before the look-up: if the handle is lost after it, the epoch differs at the next use.
    let epoch = EPOCH.load(Ordering::Acquire);
    CACHE.with(|cache| {
        // A body that comes here again finds the cache borrowed.
        let Ok(mut cache) = cache.try_borrow_mut() else {
            let (object, id, device) = get_entry::<T>(address)?;
            return Ok(body(&object, id, device));
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
            return Ok(body(object, r.id, r.device));
        }
        let (object, id, device) = remember::<T>(set, epoch, address)?;
        Ok(body(&object, id, device))
    })
}

fn set_of(address: *mut c_void) -> usize {
    // Private memory is aligned to 16 by hosts, and seldom smaller than 64 bytes with its object.
    (address.addr() >> 4 ^ address.addr() >> 9) % SETS
}

#[cold]
fn remember<T: Object>(
    set: &mut Set,
    epoch: u64,
    address: *mut c_void,
) -> Result<(Arc<T>, ObjectId, Option<DeviceId>), HandleError> {
    let (object, id, device) = get_entry::<T>(address)?;
    // The oldest goes.
    set.rotate_right(1);
    drop(set[0].replace(Remembered {
        epoch,
        address: address.addr(),
        id,
        device,
        object: Arc::<T>::clone(&object),
    }));
    Ok((object, id, device))
}

/// The number of the object whose handle a call begins with.
///
/// # Errors
///
/// There is none of this kind.
pub(crate) fn id_of<T: First>(address: *mut c_void) -> Result<ObjectId, HandleError> {
    with::<T, _>(address, |_, id, _| id)
}

/// The object whose handle a call begins with, for the trace.
pub(crate) fn subject<T: First>(address: *mut c_void) -> Subject {
    match with::<T, _>(address, |_, id, device| (id, device)) {
        Ok((id, Some(device))) => Subject::Object(device, id),
        _ => Subject::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Apple(u32);
    impl Object for Apple {
        const KIND: &'static str = "apple";
    }
    impl First for Apple {}
    struct Pear;
    impl Object for Pear {
        const KIND: &'static str = "pear";
    }
    impl First for Pear {}

    fn block() -> Mark {
        Mark {
            magic: [0; 8],
            id: 0,
        }
    }

    fn address(block: &mut Mark) -> *mut c_void {
        std::ptr::from_mut(block).cast()
    }

    fn put<T: Object>(block: &mut Mark, object: T, numbers: Option<&Numbers>) -> ObjectId {
        // SAFETY: a block has the size.
        unsafe { insert(address(block), numbers, Arc::new(object)) }.unwrap()
    }

    #[test]
    fn a_handle_stands_for_its_object_until_that_is_removed() {
        let mut block = block();
        let at = address(&mut block);
        let id = put(&mut block, Apple(3), None);
        assert_eq!((block.magic, block.id), (MAGIC, id.get()));
        assert_eq!(*get::<Apple>(at).unwrap(), Apple(3));
        assert_eq!(
            with::<Apple, _>(at, |apple, id, _| (apple.0, id)),
            Ok((3, id))
        );
        assert_eq!(*remove::<Apple>(at).unwrap(), Apple(3));
        let stale = Err(HandleError::Unknown("apple", at.addr()));
        assert_eq!(get::<Apple>(at).map(|_| ()), stale);
        assert_eq!(remove::<Apple>(at).map(|_| ()), stale);
        // It was remembered.
        assert_eq!(with::<Apple, _>(at, |_, _, _| ()), stale);
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
        let insert = |at| unsafe { insert(at, None, Arc::new(Apple(1))) };
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
            assert_eq!(with::<Apple, _>(at, |a, id, _| (a.0, id)), Ok((round, id)));
            remove::<Apple>(at).unwrap();
        }
    }

    #[test]
    fn a_device_takes_the_handles_of_its_objects_and_no_others() {
        let (device, other) = (Numbers::new(), Numbers::new());
        let (mut a, mut b, mut c) = (block(), block(), block());
        put(&mut a, Apple(1), Some(&device));
        put(&mut b, Pear, Some(&device));
        put(&mut c, Apple(2), Some(&other));
        remove_of_device(device.device);
        get::<Apple>(address(&mut a)).unwrap_err();
        get::<Pear>(address(&mut b)).map(|_| ()).unwrap_err();
        assert_eq!(*remove::<Apple>(address(&mut c)).unwrap(), Apple(2));
    }

    #[test]
    fn an_object_has_one_device_and_a_number_there() {
        let (device, other) = (Numbers::new(), Numbers::new());
        let mut blocks = [block(), block(), block()];
        let [a, b, c] = &mut blocks;
        let numbers = [
            put(a, Apple(1), Some(&device)),
            put(b, Apple(2), Some(&other)),
            put(c, Apple(3), Some(&device)),
        ];
        assert_eq!(numbers.map(ObjectId::get), [1, 1, 2]);
        let [a, b, c] = blocks.each_mut().map(address);
        let foreign = HandleError::OtherDevice("apple", b.addr());
        // A call that knows its device, and one that learns it from its first object.
        for owner in [Owner::of(device.device), Owner::default()] {
            for _ in 0..2 {
                assert_eq!(owner.id_of::<Apple>(a).map(ObjectId::get), Ok(1));
                assert_eq!(owner.id_of::<Apple>(c).map(ObjectId::get), Ok(2));
                assert_eq!(owner.id_of::<Apple>(b), Err(foreign));
            }
            assert_eq!(owner.get::<Apple>(b), Err(foreign));
            assert_eq!(owner.remove::<Apple>(b), Err(foreign));
        }
        assert_eq!(*remove::<Apple>(b).unwrap(), Apple(2));
        remove_of_device(device.device);
    }

    #[test]
    fn a_body_can_use_handles() {
        let mut block = block();
        let at = address(&mut block);
        put(&mut block, Apple(7), None);
        let inner = with::<Apple, _>(at, |_, _, _| with::<Apple, _>(at, |apple, _, _| apple.0));
        assert_eq!(inner, Ok(Ok(7)));
        remove::<Apple>(at).unwrap();
    }

    #[test]
    fn many_handles_are_told_apart() {
        let numbers = Numbers::new();
        let mut blocks: Vec<Mark> = (0..500).map(|_| block()).collect();
        let ids: Vec<ObjectId> = blocks
            .iter_mut()
            .zip(0..)
            .map(|(block, number)| put(block, Apple(number), Some(&numbers)))
            .collect();
        for _ in 0..2 {
            for ((block, id), number) in blocks.iter_mut().zip(&ids).zip(0..) {
                let found = with::<Apple, _>(address(block), |apple, id, _| (apple.0, id));
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
