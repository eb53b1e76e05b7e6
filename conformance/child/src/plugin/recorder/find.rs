//! A find whose answer is another than the session's.

use conformance_protocol::Answer;
use ddi_sys::{D3D12DDI_COMPILER_CACHE_TYPED_VALUE, DXGI_ERROR_MORE_DATA, HRESULT, UINT};

/// Where the values of a find are, of which any may be unaligned.
#[derive(Clone, Copy)]
pub(super) struct Values {
    first: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    count: usize,
    /// Whether the host allocates buffers for values that have none.
    allocates: bool,
}

/// A value as the plugin passed it.
#[derive(Clone, Copy)]
struct Asked {
    is_null: bool,
    capacity: usize,
}

impl Values {
    /// # Safety
    ///
    /// `first` is null, or leads to so many values for as long as this is used.
    pub(super) unsafe fn new(
        first: *mut D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
        count: UINT,
        allocates: bool,
    ) -> Self {
        let count = if super::is_array(first, count) {
            count as usize
        } else {
            0
        };
        Self {
            first,
            count,
            allocates,
        }
    }

    fn asked(self) -> Vec<Asked> {
        let asked = |index| {
            // SAFETY: one of the values.
            let value = unsafe { self.first.add(index).read_unaligned() }.Value;
            Asked {
                is_null: value.pValue.is_null(),
                capacity: value.ValueSize,
            }
        };
        (0..self.count).map(asked).collect()
    }

    fn size(self, index: usize) -> usize {
        // SAFETY: one of the values.
        unsafe { self.first.add(index).read_unaligned() }
            .Value
            .ValueSize
    }

    fn set_size(self, index: usize, size: usize) {
        // SAFETY: one of the values.
        unsafe { (&raw mut (*self.first.add(index)).Value.ValueSize).write_unaligned(size) };
    }

    /// Makes the call by `find`, and changes what comes of it as `answer` says.
    pub(super) fn answered(self, answer: Answer, find: impl Fn() -> HRESULT) -> HRESULT {
        match answer {
            // The buffer that the host asks for is as large as the value that it copies.
            _ if self.allocates => find(),
            Answer::Grow => self.grown(find),
            Answer::Shrink => self.shrunk(&find),
            Answer::Partial => self.in_part(&find),
            Answer::Failure(_) | Answer::Null => find(),
        }
    }

    fn grown(self, find: impl Fn() -> HRESULT) -> HRESULT {
        let asked = self.asked();
        let buffers = asked.iter().enumerate();
        let buffers: Vec<_> = buffers
            .filter(|(_, asked)| !asked.is_null && asked.capacity > 0)
            .collect();
        // No value but one of a byte fits, so that no buffer is written to.
        for (index, _) in &buffers {
            self.set_size(*index, 1);
        }
        let result = find();
        let grown: Vec<_> = (0..asked.len())
            .map(|index| grown(self.size(index)))
            .collect();
        let is_short = |(index, asked): &(usize, &Asked)| asked.capacity < grown[*index];
        let is_found = result.is_ok() || result == DXGI_ERROR_MORE_DATA;
        if !is_found || (!buffers.is_empty() && !buffers.iter().any(is_short)) {
            for (index, asked) in buffers {
                self.set_size(index, asked.capacity);
            }
            return if is_found { find() } else { result };
        }
        for (index, grown) in grown.into_iter().enumerate() {
            self.set_size(index, grown);
        }
        if buffers.is_empty() {
            result
        } else {
            DXGI_ERROR_MORE_DATA
        }
    }

    fn shrunk(self, find: impl Fn() -> HRESULT) -> HRESULT {
        let asked = self.asked();
        let result = find();
        if result.is_ok() {
            for (index, _) in (0..).zip(&asked).filter(|(_, asked)| asked.capacity == 0) {
                self.set_size(index, self.size(index).div_ceil(2));
            }
        }
        result
    }

    fn in_part(self, find: impl Fn() -> HRESULT) -> HRESULT {
        let result = find();
        if result.is_ok() {
            let there = (0..self.count).rev().find(|index| self.size(*index) != 0);
            if let Some(index) = there {
                self.set_size(index, 0);
            }
        }
        result
    }
}

/// The size of a value that has grown; 0 for one that is not there.
fn grown(size: usize) -> usize {
    if size == 0 { 0 } else { 2 * size + 16 }
}
