//! The lists that a host asks for by count and array: versions and ABI versions.

use ddi_sys::*;
use defects::follow;

/// A mistake in the protocol.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mistake {
    /// The size query gets DXGI_ERROR_MORE_DATA.
    SizeQueryFails,
    /// So does an array of the exact size.
    ExactRefused,
    /// The last entry of an array of the exact size is not written.
    LastUnwritten,
    /// The count of a larger array stays its capacity.
    CountIsCapacity,
    /// The rest of a larger array is cleared.
    TailCleared,
    /// One entry past a short array is written.
    Overrun,
    /// The first entry is written to an array of length 0.
    EmptyOverrun,
    /// A null array is written, as far as a short count goes.
    ShortNullFollowed,
    /// A short array gets S_OK.
    ShortSucceeds,
    /// A short array gets E_FAIL.
    ShortFails,
    /// A short array gets the end of the list.
    ShortFromEnd,
    /// A short array gets nothing.
    ShortUnwritten,
    /// An array of length 0 that is not null gets S_OK.
    EmptyIsSizeQuery,
    /// The count of a short array stays its capacity.
    CountKeptWhenShort,
    /// The count of a null array is not written unless it is 0.
    CountKeptWhenNull,
    /// A null count gets S_OK.
    NullCountAccepted,
    /// A null count is read.
    NullCountFollowed,
}

/// Lists the first one twice.
pub(crate) fn repeat_first<T: Copy>(list: &mut Vec<T>) {
    if let Some(first) = list.first().copied() {
        list.insert(0, first);
    }
}

/// Answers a call with `list`, rightly or with one mistake: the count is null or valid, the array null or as long as it says.
pub(crate) fn answer<T: Copy>(
    list: &[T],
    mistake: Option<Mistake>,
    count: *mut u32,
    array: *mut T,
) -> HRESULT {
    let has = |m| mistake == Some(m);
    if has(Mistake::NullCountFollowed) {
        follow(count);
    }
    // SAFETY: null or valid for the call, as the DDI demands of a host.
    let Some(count) = (unsafe { count.as_mut() }) else {
        return if has(Mistake::NullCountAccepted) {
            S_OK
        } else {
            E_INVALIDARG
        };
    };
    let capacity = *count as usize;
    let total = list.len();
    let short = !array.is_null() && capacity < total;
    let larger = !array.is_null() && capacity > total;
    let exact = !array.is_null() && capacity == total;
    let keeps_count = (has(Mistake::CountIsCapacity) && larger)
        || (has(Mistake::CountKeptWhenShort) && short)
        || (has(Mistake::CountKeptWhenNull) && array.is_null() && capacity != 0);
    if !keeps_count {
        *count = u32::try_from(total).unwrap_or(u32::MAX);
    }
    if array.is_null() {
        if has(Mistake::ShortNullFollowed) && (1..total).contains(&capacity) {
            follow(array);
        }
        return if has(Mistake::SizeQueryFails) {
            DXGI_ERROR_MORE_DATA
        } else {
            S_OK
        };
    }
    let writes = match mistake {
        Some(Mistake::LastUnwritten) if exact => total - 1,
        Some(Mistake::Overrun) if short => capacity + 1,
        Some(Mistake::EmptyOverrun) if short && capacity == 0 => 1,
        Some(Mistake::ShortUnwritten) if short => 0,
        _ => total.min(capacity),
    };
    let first = if has(Mistake::ShortFromEnd) {
        total - writes
    } else {
        0
    };
    // SAFETY: as long as the host says; one entry more is a defect's.
    unsafe { array.copy_from_nonoverlapping(list[first..].as_ptr(), writes) };
    if has(Mistake::TailCleared) && larger {
        // SAFETY: as long as the host says.
        unsafe { array.add(total).write_bytes(0, capacity - total) };
    }
    match mistake {
        Some(Mistake::ExactRefused) if exact => DXGI_ERROR_MORE_DATA,
        Some(Mistake::ShortSucceeds) if short => S_OK,
        Some(Mistake::ShortFails) if short => E_FAIL,
        Some(Mistake::EmptyIsSizeQuery) if short && capacity == 0 => S_OK,
        _ if short => DXGI_ERROR_MORE_DATA,
        _ => S_OK,
    }
}
