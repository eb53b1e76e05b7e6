//! Arrays that the host asks for in two calls: first the size, then the content.

use ddi_sys::{DXGI_ERROR_MORE_DATA, E_INVALIDARG};

use crate::error::{Error, Result};

/// Answers a two-call array query: `count` is the capacity of `array` on entry and the true number
/// on return, whatever the result. A null array asks for the number only.
///
/// # Errors
///
/// DXGI_ERROR_MORE_DATA when the array is short (what fits is written), E_INVALIDARG for a null
/// count or more items than a `u32` counts.
///
/// # Safety
///
/// `count` is null or valid for reads and writes; `array` is null or valid for writes of the `count`
/// elements that it states.
pub(crate) unsafe fn fill<T: Copy>(items: &[T], count: *mut u32, array: *mut T) -> Result<()> {
    let total = u32::try_from(items.len())
        .map_err(|_| Error::new(E_INVALIDARG, "more items than a count can say"))?;
    if count.is_null() {
        return Err(Error::invalid_argument("the count pointer is null"));
    }
    // SAFETY: `count` was found not null, and is valid for reads and writes (`# Safety`).
    let capacity = unsafe { count.replace(total) };
    if array.is_null() {
        return Ok(());
    }
    let fits = items.len().min(capacity as usize);
    // SAFETY: `fits` is within the capacity that the caller promises, and the host's array cannot
    // overlap our own list.
    unsafe { array.copy_from_nonoverlapping(items.as_ptr(), fits) };
    if fits < items.len() {
        return Err(Error::new(
            DXGI_ERROR_MORE_DATA,
            format!("{total} items, room for {capacity}"),
        )
        .into_answer());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn count_is_true_prefix_is_written_tail_is_untouched(
            items in prop::collection::vec(any::<u64>(), 0..20),
            capacity in 0u32..24,
            null in any::<bool>(),
        ) {
            let mut buffer = [0xEEu64; 24];
            let mut count = capacity;
            let array = if null { std::ptr::null_mut() } else { buffer.as_mut_ptr() };
            // SAFETY: the buffer has room for every capacity of this test.
            let result = unsafe { fill(&items, &raw mut count, array) };
            let fits = if null { 0 } else { items.len().min(capacity as usize) };
            prop_assert_eq!(count as usize, items.len());
            prop_assert_eq!(&buffer[..fits], &items[..fits]);
            prop_assert!(buffer[fits..].iter().all(|&b| b == 0xEE));
            prop_assert_eq!(result.is_ok(), null || fits == items.len());
        }
    }

    #[test]
    fn a_null_count_is_refused() {
        // SAFETY: null is allowed.
        let result = unsafe { fill(&[1u64], std::ptr::null_mut(), std::ptr::null_mut()) };
        assert_eq!(result.unwrap_err().hresult(), E_INVALIDARG);
    }
}
