//! Reading what a caller's pointers promise. Pointers are checked as far as pointers can be: null,
//! alignment, counts, ends. What cannot be checked is that memory of that size is readable and stays
//! as it is: that is the contract of the `unsafe` functions here.

use std::ffi::CStr;
use std::slice;

use api_sys::{D3D12_PIPELINE_STATE_STREAM_DESC, PipelineStateSubobject};

/// Why a pointer is not followed: what it is, and what is wrong with it, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// The longest string that is read, terminator included.
const MAX_STRING: usize = 1 << 16;

/// One structure.
///
/// # Errors
///
/// It is null or not aligned.
///
/// # Safety
///
/// `pointer` is null, not aligned, or points at a `T` that is valid and unchanged for `'a`.
pub unsafe fn required<'a, T>(what: &str, pointer: *const T) -> Result<&'a T, Refused> {
    check_pointer(what, pointer)?;
    // SAFETY: `pointer` is not null and aligned, and so to a `T` that is valid and unchanged for `'a` (`# Safety`).
    Ok(unsafe { &*pointer })
}

/// An array of `count` elements; null is no elements where `count` is 0.
///
/// # Errors
///
/// It is null or not aligned, or `count` is above `limit`.
///
/// # Safety
///
/// `pointer` is null, not aligned, or points at as many elements, valid and unchanged for `'a`, as
/// `count` says, unless that is more than `limit`.
pub unsafe fn array<'a, T>(
    what: &str,
    pointer: *const T,
    count: usize,
    limit: usize,
) -> Result<&'a [T], Refused> {
    if count == 0 {
        return Ok(&[]);
    }
    if count > limit || count > isize::MAX.cast_unsigned() / size_of::<T>().max(1) {
        let text = format!("{what} has {count} elements, {limit} is the limit");
        return Err(Refused(text));
    }
    check_pointer(what, pointer)?;
    // SAFETY: `pointer` is not null and aligned, and `count` within the limit and `isize::MAX` bytes, so that as many elements
    // are valid and unchanged for `'a` (`# Safety`).
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// A NUL-terminated string of the API's UTF-16, without its NUL.
///
/// # Errors
///
/// It is null or not aligned, or longer than 65,535 units.
///
/// # Safety
///
/// `pointer` is null, not aligned, or points at code units, valid and unchanged for `'a`, up to and
/// with a NUL.
pub unsafe fn wide_string<'a>(what: &str, pointer: *const u16) -> Result<&'a [u16], Refused> {
    check_pointer(what, pointer)?;
    for len in 0..MAX_STRING {
        // SAFETY: no NUL came before this unit, so it belongs to the caller's string.
        if unsafe { *pointer.add(len) } == 0 {
            // SAFETY: these units were just read.
            return Ok(unsafe { slice::from_raw_parts(pointer, len) });
        }
    }
    Err(endless(what))
}

/// A NUL-terminated semantic name, without its NUL.
///
/// # Errors
///
/// It is null, or longer than 65,535 bytes.
///
/// # Safety
///
/// As [`wide_string`].
pub unsafe fn string<'a>(what: &str, pointer: *const u8) -> Result<&'a [u8], Refused> {
    check_pointer(what, pointer)?;
    // SAFETY: `pointer` is not null, and so to bytes that are valid and unchanged for `'a`, up to and with a NUL (`# Safety`).
    let text = unsafe { CStr::from_ptr(pointer.cast()) }.to_bytes();
    if text.len() >= MAX_STRING {
        return Err(endless(what));
    }
    Ok(text)
}

fn endless(what: &str) -> Refused {
    Refused(format!("{what} has no NUL within {MAX_STRING} characters"))
}

fn check_pointer<T>(what: &str, pointer: *const T) -> Result<(), Refused> {
    if pointer.is_null() {
        return Err(Refused(format!("{what} is null")));
    }
    if !pointer.is_aligned() {
        let text = format!("{what} is not aligned to {} bytes", align_of::<T>());
        return Err(Refused(text));
    }
    Ok(())
}

/// Goes through a pipeline state stream, record by record.
#[derive(Debug)]
pub struct StreamWalk {
    /// The stream.
    first: *const u8,
    /// Bytes of the stream.
    size: usize,
    /// Where the next record begins.
    offset: usize,
}

impl StreamWalk {
    /// At the first record.
    ///
    /// # Errors
    ///
    /// The stream is empty, null, or not aligned as a pointer.
    pub fn new(desc: &D3D12_PIPELINE_STATE_STREAM_DESC) -> Result<Self, Refused> {
        let first = desc.pPipelineStateSubobjectStream.cast_const();
        let size = desc.SizeInBytes;
        if size == 0 {
            return Err(Refused("the stream has no bytes".into()));
        }
        check_pointer("pPipelineStateSubobjectStream", first.cast::<usize>())?;
        if size > isize::MAX.cast_unsigned() {
            return Err(Refused(format!("a stream of {size} bytes cannot be")));
        }
        Ok(Self {
            first: first.cast(),
            size,
            offset: 0,
        })
    }

    /// Bytes from the start of the stream to the record.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether there is no further record.
    pub fn is_at_end(&self) -> bool {
        self.offset >= self.size
    }

    /// The type of the record.
    ///
    /// # Errors
    ///
    /// The stream ends before.
    ///
    /// # Safety
    ///
    /// The stream has as many readable bytes as its description says.
    pub unsafe fn kind(&self) -> Result<i32, Refused> {
        // SAFETY: the stream has `size` readable bytes (`# Safety`), any bits are an `i32`, and it is copied before this
        // returns.
        unsafe { self.field(0) }.copied()
    }

    /// The payload of the record. Goes on to the next one.
    ///
    /// # Errors
    ///
    /// The stream ends before.
    ///
    /// # Safety
    ///
    /// As [`kind`](Self::kind), unchanged for `'a`; any bits are a `T`.
    pub unsafe fn payload<'a, T>(&mut self) -> Result<&'a T, Refused> {
        const { assert!(align_of::<T>() <= align_of::<usize>()) };
        // SAFETY: the stream has `size` readable bytes, unchanged for `'a`, and any bits are a `T` (`# Safety`).
        let payload = unsafe { self.field(size_of::<i32>().next_multiple_of(align_of::<T>())) };
        self.offset += size_of::<PipelineStateSubobject<T>>();
        payload
    }

    /// # Safety
    ///
    /// As [`payload`](Self::payload).
    unsafe fn field<'a, T>(&self, at: usize) -> Result<&'a T, Refused> {
        let end = self.offset + at + size_of::<T>();
        if end > self.size {
            return Err(Refused(format!(
                "it ends at byte {end}, but the stream has {} bytes",
                self.size
            )));
        }
        // SAFETY: `end` is inside the stream, which is valid and unchanged for `'a` (`# Safety`); the place is aligned because
        // the stream and the size of each record are.
        Ok(unsafe { &*self.first.add(self.offset + at).cast::<T>() })
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    fn refused<T>(result: Result<T, Refused>) -> String {
        result.err().map_or_else(String::new, |refused| refused.0)
    }

    #[test]
    fn pointers() {
        let numbers = [1_u32, 2, 3];
        let first = numbers.as_ptr();
        let odd = first.wrapping_byte_add(1);
        // SAFETY: null, not aligned, or to the numbers.
        unsafe {
            assert_eq!(required("p", first), Ok(&1));
            assert_eq!(refused(required::<u32>("p", ptr::null())), "p is null");
            assert_eq!(refused(required("p", odd)), "p is not aligned to 4 bytes");
            assert_eq!(array("p", first, 3, 3), Ok(&numbers[..]));
            assert_eq!(array("p", ptr::null::<u32>(), 0, 3), Ok(&[][..]));
            assert_eq!(refused(array::<u32>("p", ptr::null(), 1, 3)), "p is null");
            let text = "p has 4 elements, 3 is the limit";
            assert_eq!(refused(array("p", first, 4, 3)), text);
            let absurd = array("p", first, usize::MAX / 4, usize::MAX);
            assert!(refused(absurd).starts_with("p has "));
        }
    }

    #[test]
    fn strings() {
        let units: Vec<u16> = "aé\0b\0".encode_utf16().collect();
        let long = [vec![1_u16; MAX_STRING], vec![0]].concat();
        let bytes = [vec![1_u8; MAX_STRING], vec![0]].concat();
        let endless = "s has no NUL within 65536 characters";
        // SAFETY: null, not aligned, or with a NUL.
        unsafe {
            assert_eq!(wide_string("s", units.as_ptr()), Ok(&units[..2]));
            assert_eq!(
                wide_string("s", long[1..].as_ptr()),
                Ok(&long[1..MAX_STRING])
            );
            assert_eq!(refused(wide_string("s", long.as_ptr())), endless);
            assert_eq!(refused(wide_string("s", ptr::null())), "s is null");
            assert_eq!(string("s", c"ab".as_ptr().cast()), Ok(&b"ab"[..]));
            assert_eq!(string("s", bytes[1..].as_ptr()), Ok(&bytes[1..MAX_STRING]));
            assert_eq!(refused(string("s", bytes.as_ptr())), endless);
        }
    }

    #[test]
    fn streams() {
        #[repr(C)]
        struct Stream(
            PipelineStateSubobject<u32>,
            PipelineStateSubobject<*const ()>,
        );
        let mut stream = Stream(
            PipelineStateSubobject::new(4, 7),
            PipelineStateSubobject::new(5, ptr::dangling()),
        );
        let mut desc = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size_of::<Stream>(),
            pPipelineStateSubobjectStream: (&raw mut stream).cast(),
        };
        // SAFETY: the stream has as many bytes, of these types.
        unsafe {
            let mut walk = StreamWalk::new(&desc).unwrap();
            assert_eq!((walk.offset(), walk.kind()), (0, Ok(4)));
            assert_eq!(walk.payload::<u32>(), Ok(&7));
            assert_eq!((walk.offset(), walk.kind()), (8, Ok(5)));
            assert!(!walk.is_at_end());
            assert_eq!(walk.payload::<*const ()>(), Ok(&ptr::dangling()));
            assert!(walk.is_at_end());

            desc.SizeInBytes -= 1;
            let mut walk = StreamWalk::new(&desc).unwrap();
            walk.payload::<u32>().unwrap();
            let (end, size) = (size_of::<Stream>(), desc.SizeInBytes);
            let text = format!("it ends at byte {end}, but the stream has {size} bytes");
            assert_eq!(refused(walk.payload::<*const ()>()), text);
        }
        let with = |size, stream| {
            refused(StreamWalk::new(&D3D12_PIPELINE_STATE_STREAM_DESC {
                SizeInBytes: size,
                pPipelineStateSubobjectStream: stream,
            }))
        };
        let odd = ptr::without_provenance_mut(1);
        assert_eq!(with(0, odd), "the stream has no bytes");
        let null = "pPipelineStateSubobjectStream is null";
        assert_eq!(with(8, ptr::null_mut()), null);
        assert!(with(8, odd).ends_with(" bytes"));
        let large = with(usize::MAX, ptr::without_provenance_mut(8));
        assert!(large.ends_with("cannot be"), "{large}");
    }
}
