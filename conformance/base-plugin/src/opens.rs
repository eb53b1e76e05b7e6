//! What a layer keeps of each living open of the base.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ddi_sys::D3D12DDI_HCOMPILERDDI;

use crate::SLOTS;

/// One open of the base.
#[derive(Clone, Copy)]
struct Open<T> {
    /// The address in its handle, which is not followed.
    handle: usize,
    /// How many opens came before it.
    number: usize,
    /// How many living opens have its handle: a base may have one for all.
    living: usize,
    kept: T,
}

struct State<T> {
    slots: [Option<Open<T>>; SLOTS],
    /// How many there have been.
    count: usize,
}

/// What a layer keeps of each open, in a slot of its own, of which there are [`SLOTS`].
pub struct Opens<T>(Mutex<State<T>>);

impl<T: Copy> Opens<T> {
    /// None yet.
    #[allow(clippy::new_without_default, reason = "for a static")]
    pub const fn new() -> Self {
        Self(Mutex::new(State {
            slots: [None; SLOTS],
            count: 0,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for an open, and keeps what `keep` makes of the number of opens before it. A handle that a living open has
    /// shares that one's slot. `None` when all are taken.
    pub fn insert(
        &self,
        handle: D3D12DDI_HCOMPILERDDI,
        keep: impl FnOnce(usize) -> T,
    ) -> Option<T> {
        let mut state = self.state();
        let (handle, number) = (handle.pDrvPrivate.addr(), state.count);
        let mut living = state.slots.iter_mut().flatten();
        if let Some(same) = living.find(|open| open.handle == handle) {
            same.living += 1;
            return Some(same.kept);
        }
        let free = state.slots.iter_mut().find(|slot| slot.is_none())?;
        let kept = keep(number);
        *free = Some(Open {
            handle,
            number,
            living: 1,
            kept,
        });
        state.count += 1;
        Some(kept)
    }

    /// The slot of the open with this handle, and what is kept.
    pub fn of(&self, handle: D3D12DDI_HCOMPILERDDI) -> Option<(usize, T)> {
        let address = handle.pDrvPrivate.addr();
        let state = self.state();
        let mut slots = (0..).zip(&state.slots);
        slots.find_map(|(slot, open)| {
            open.filter(|open| open.handle == address)
                .map(|open| (slot, open.kept))
        })
    }

    /// The same of the open that came last.
    pub fn newest(&self) -> Option<(usize, T)> {
        let state = self.state();
        let slots = (0..).zip(&state.slots);
        let opens = slots.filter_map(|(slot, open)| Some((slot, (*open)?)));
        let (slot, open) = opens.max_by_key(|(_, open)| open.number)?;
        Some((slot, open.kept))
    }

    /// What is kept in a slot.
    pub fn in_slot(&self, slot: usize) -> Option<T> {
        Some(self.state().slots[slot]?.kept)
    }

    /// Changes what is kept in a slot.
    pub fn update(&self, slot: usize, change: impl FnOnce(&mut T)) {
        if let Some(open) = &mut self.state().slots[slot] {
            change(&mut open.kept);
        }
    }

    /// Frees the slot of the opens with this handle, when this is the last of them. A handle that is none ends nothing.
    pub fn remove(&self, handle: D3D12DDI_HCOMPILERDDI) {
        let address = handle.pDrvPrivate.addr();
        let mut state = self.state();
        let mut slots = state.slots.iter_mut();
        let Some(slot) = slots.find(|slot| slot.is_some_and(|open| open.handle == address)) else {
            return;
        };
        match slot {
            Some(open) if open.living > 1 => open.living -= 1,
            _ => *slot = None,
        }
    }

    /// What is kept of every open.
    pub fn all(&self) -> Vec<T> {
        let state = self.state();
        let opens = state.slots.iter().flatten();
        opens.map(|open| open.kept).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Opens;
    use crate::SLOTS;
    use ddi_sys::D3D12DDI_HCOMPILERDDI;
    use std::ptr;

    fn handle(address: usize) -> D3D12DDI_HCOMPILERDDI {
        D3D12DDI_HCOMPILERDDI {
            pDrvPrivate: ptr::without_provenance_mut(address),
        }
    }

    #[test]
    fn opens_with_one_handle_live_as_long_as_the_last() {
        let opens = Opens::new();
        assert_eq!(opens.insert(handle(0x1000), |number| number), Some(0));
        assert_eq!(opens.insert(handle(0x1000), |number| number), Some(0));
        opens.remove(handle(0x1000));
        opens.remove(handle(0x2000));
        assert!(opens.of(handle(0x1000)).is_some());
        opens.remove(handle(0x1000));
        assert!(opens.of(handle(0x1000)).is_none());
    }

    #[test]
    fn a_slot_is_free_again_and_a_number_is_not() {
        let opens = Opens::new();
        for address in 0..SLOTS {
            assert_eq!(
                opens.insert(handle(address), |number| number),
                Some(address)
            );
        }
        assert_eq!(opens.insert(handle(SLOTS), |number| number), None);
        opens.remove(handle(3));
        assert_eq!(opens.insert(handle(SLOTS), |number| number), Some(SLOTS));
        assert_eq!(opens.of(handle(SLOTS)), Some((3, SLOTS)));
        assert_eq!(opens.newest(), Some((3, SLOTS)));
        opens.update(3, |kept| *kept = 7);
        assert_eq!(opens.in_slot(3), Some(7));
        assert_eq!(opens.all().len(), SLOTS);
    }
}
