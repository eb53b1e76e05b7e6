//! The GPU's virtual address space: who has which addresses.
//!
//! Addresses are given out in pages of [`PAGE`]. The host may reserve any ranges before the first
//! allocation (RecreateAtGpuva-public.md): "not processed in any way", so they may be unaligned, empty,
//! overlap, or reach beyond the space. Every page that they touch is reserved: only an allocation at a
//! given address gets it.

use std::collections::BTreeMap;
use std::ops::Range;

use thiserror::Error;

/// Smallest unit of the space.
pub(crate) const PAGE: u64 = 64 * 1024;
/// Bits of an address.
pub(crate) const ADDRESS_BITS: u32 = 44;

/// The addresses that allocations can have. The lowest are left out, so that 0 and small offsets from it
/// are faults.
const SPACE: Range<u64> = 0x1_0000_0000..1 << ADDRESS_BITS;

/// Why there is no allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum AddressError {
    #[error("an allocation of 0 bytes")]
    Empty,
    #[error("{0:#x} is not aligned to {1:#x}")]
    Unaligned(u64, u64),
    #[error("an alignment of {0:#x} is not a power of two")]
    Alignment(u64),
    #[error("{start:#x} and {size:#x} bytes from there are not in the address space")]
    Outside { start: u64, size: u64 },
    #[error("{start:#x} and {size:#x} bytes from there were not reserved at device creation")]
    NotReserved { start: u64, size: u64 },
    #[error("{start:#x} and {size:#x} bytes from there overlap the allocation at {other:#x}")]
    Taken { start: u64, size: u64, other: u64 },
    #[error("no {size:#x} addresses are free that are aligned to {alignment:#x}")]
    Full { size: u64, alignment: u64 },
}

/// The space of one device.
#[derive(Debug, Default)]
pub(crate) struct AddressSpace {
    /// Start and end of ranges of whole pages that neither overlap nor touch.
    reserved: BTreeMap<u64, u64>,
    /// Start and end of allocations, whole pages.
    allocated: BTreeMap<u64, u64>,
    /// Where the search for free addresses begins: after the last that was found.
    next: u64,
}

/// The first range of a map that ends after `address`.
fn first_after(ranges: &BTreeMap<u64, u64>, address: u64) -> Option<(u64, u64)> {
    let before = ranges.range(..=address).next_back();
    let after = || ranges.range(address..).next();
    before
        .filter(|(_, end)| **end > address)
        .or_else(after)
        .map(|(start, end)| (*start, *end))
}

fn pages(size: u64) -> Option<u64> {
    size.checked_next_multiple_of(PAGE)
}

impl AddressSpace {
    /// Reserves every page of the space that a range touches.
    pub(crate) fn reserve(&mut self, start: u64, size: u64) {
        if size == 0 {
            return;
        }
        let end = start.saturating_add(size).min(SPACE.end);
        let mut start = start.max(SPACE.start) / PAGE * PAGE;
        if start >= end {
            return;
        }
        let mut end = pages(end).unwrap_or(SPACE.end);
        // One that overlaps or touches becomes part of the new one.
        while let Some((other, other_end)) =
            first_after(&self.reserved, start - 1).filter(|(other, _)| *other <= end)
        {
            self.reserved.remove(&other);
            start = start.min(other);
            end = end.max(other_end);
        }
        self.reserved.insert(start, end);
    }

    /// Addresses that nobody has reserved or allocated.
    ///
    /// # Errors
    ///
    /// The size is 0, the alignment not a power of two, or there are none.
    pub(crate) fn allocate(&mut self, size: u64, alignment: u64) -> Result<u64, AddressError> {
        let alignment = check(size, alignment)?;
        let full = AddressError::Full { size, alignment };
        let size = pages(size).ok_or(full)?;
        let from = self.next.max(SPACE.start);
        let start = self
            .free(from, size, alignment)
            .or_else(|| self.free(SPACE.start, size, alignment))
            .ok_or(full)?;
        self.allocated.insert(start, start + size);
        self.next = start + size;
        Ok(start)
    }

    /// The first free addresses from `from` on.
    fn free(&self, from: u64, size: u64, alignment: u64) -> Option<u64> {
        let mut start = from.checked_next_multiple_of(alignment)?;
        loop {
            let end = start.checked_add(size).filter(|end| *end <= SPACE.end)?;
            let obstacle = [&self.reserved, &self.allocated]
                .into_iter()
                .filter_map(|ranges| first_after(ranges, start))
                .find(|(other, _)| *other < end);
            match obstacle {
                None => return Some(start),
                Some((_, end)) => start = end.checked_next_multiple_of(alignment)?,
            }
        }
    }

    /// Exactly these addresses, which must have been reserved.
    ///
    /// # Errors
    ///
    /// The size is 0, the address not aligned, not reserved, or taken.
    pub(crate) fn allocate_at(
        &mut self,
        start: u64,
        size: u64,
        alignment: u64,
    ) -> Result<(), AddressError> {
        let alignment = check(size, alignment)?;
        if !start.is_multiple_of(alignment) {
            return Err(AddressError::Unaligned(start, alignment));
        }
        let end = pages(size).and_then(|size| start.checked_add(size));
        let end = end
            .filter(|end| start >= SPACE.start && *end <= SPACE.end)
            .ok_or(AddressError::Outside { start, size })?;
        if first_after(&self.reserved, start)
            .is_none_or(|(first, last)| first > start || last < end)
        {
            return Err(AddressError::NotReserved { start, size });
        }
        if let Some((other, _)) =
            first_after(&self.allocated, start).filter(|(other, _)| *other < end)
        {
            return Err(AddressError::Taken { start, size, other });
        }
        self.allocated.insert(start, end);
        Ok(())
    }

    /// Frees the allocation that starts here; whether there was one.
    pub(crate) fn free_at(&mut self, start: u64) -> bool {
        self.allocated.remove(&start).is_some()
    }
}

/// The alignment that an allocation has: at least a page.
fn check(size: u64, alignment: u64) -> Result<u64, AddressError> {
    if size == 0 {
        return Err(AddressError::Empty);
    }
    match alignment {
        0 => Ok(PAGE),
        alignment if alignment.is_power_of_two() => Ok(alignment.max(PAGE)),
        alignment => Err(AddressError::Alignment(alignment)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: u64 = SPACE.start;

    fn reserved(ranges: &[(u64, u64)]) -> AddressSpace {
        let mut space = AddressSpace::default();
        for &(start, size) in ranges {
            space.reserve(start, size);
        }
        space
    }

    #[test]
    fn odd_ranges_reserve_the_pages_that_they_touch() {
        let ranges = |ranges: &[_]| reserved(ranges).reserved.into_iter().collect::<Vec<_>>();
        assert_eq!(ranges(&[(START, 0), (0, 0), (u64::MAX, 0)]), []);
        assert_eq!(ranges(&[(START + 1, 1)]), [(START, START + PAGE)]);
        assert_eq!(
            ranges(&[(START + PAGE - 1, 2)]),
            [(START, START + 2 * PAGE)]
        );
        // Overlapping, touching, within each other, in any order.
        let whole = [(START, START + 4 * PAGE)];
        assert_eq!(
            ranges(&[(START, 3 * PAGE), (START + PAGE, 3 * PAGE)]),
            whole
        );
        assert_eq!(
            ranges(&[(START + 2 * PAGE, 2 * PAGE), (START, 2 * PAGE)]),
            whole
        );
        assert_eq!(ranges(&[(START + PAGE, PAGE), (START, 4 * PAGE)]), whole);
        assert_eq!(ranges(&[(START, 4 * PAGE), (START + PAGE, PAGE)]), whole);
        // Outside, across the ends, around.
        assert_eq!(ranges(&[(0, START), (SPACE.end, PAGE), (u64::MAX, 9)]), []);
        assert_eq!(ranges(&[(0, START + 1)]), [(START, START + PAGE)]);
        assert_eq!(
            ranges(&[(SPACE.end - 1, u64::MAX)]),
            [(SPACE.end - PAGE, SPACE.end)]
        );
        assert_eq!(ranges(&[(0, u64::MAX)]), [(START, SPACE.end)]);
    }

    #[test]
    fn an_address_is_honoured_or_refused() {
        let mut space = reserved(&[(START, 2 * PAGE), (START + 8 * PAGE, 2 * PAGE)]);
        let mut at = |start, size| space.allocate_at(start, size, 0);
        assert_eq!(at(START, 0), Err(AddressError::Empty));
        assert_eq!(
            at(START + 1, 1),
            Err(AddressError::Unaligned(START + 1, PAGE))
        );
        let size = 1;
        assert_eq!(
            at(START + 2 * PAGE, 1),
            Err(AddressError::NotReserved {
                start: START + 2 * PAGE,
                size
            })
        );
        assert_eq!(
            at(START + PAGE, PAGE + 1),
            Err(AddressError::NotReserved {
                start: START + PAGE,
                size: PAGE + 1
            })
        );
        assert_eq!(
            at(u64::MAX / PAGE * PAGE, u64::MAX),
            Err(AddressError::Outside {
                start: u64::MAX / PAGE * PAGE,
                size: u64::MAX
            })
        );
        assert_eq!(at(START + PAGE, 1), Ok(()));
        assert_eq!(
            at(START, PAGE + 1),
            Err(AddressError::Taken {
                start: START,
                size: PAGE + 1,
                other: START + PAGE
            })
        );
        assert_eq!(at(START, PAGE), Ok(()));
        assert!(space.free_at(START));
        assert!(!space.free_at(START));
        assert_eq!(space.allocate_at(START, 1, 0), Ok(()));
    }

    #[test]
    fn alignments_that_are_none_and_full_spaces_are_refused() {
        let mut space = AddressSpace::default();
        assert_eq!(space.allocate(1, 3), Err(AddressError::Alignment(3)));
        assert_eq!(space.allocate(0, 0), Err(AddressError::Empty));
        for size in [1 << ADDRESS_BITS, u64::MAX] {
            let full = AddressError::Full {
                size,
                alignment: PAGE,
            };
            assert_eq!(space.allocate(size, 0), Err(full));
        }
        space.reserve(0, u64::MAX);
        space.allocate(1, 0).unwrap_err();
    }

    fn ranges() -> impl Strategy<Value = Vec<(u64, u64)>> {
        let near = (0..64 * PAGE).prop_map(|offset| START + offset);
        let start = prop_oneof![8 => near, 1 => any::<u64>(), 1 => Just(0)];
        let size = prop_oneof![8 => 0..8 * PAGE, 1 => any::<u64>()];
        prop::collection::vec((start, size), 0..8)
    }

    fn sizes() -> impl Strategy<Value = Vec<(u64, u64)>> {
        let alignment = prop::sample::select(vec![0, 1, PAGE, 4 * PAGE, 64 * PAGE]);
        prop::collection::vec((1..8 * PAGE, alignment), 1..24)
    }

    proptest! {
        #[test]
        fn allocations_overlap_neither_each_other_nor_reserved_ranges(
            ranges in ranges(), sizes in sizes(), freed in any::<u32>(),
        ) {
            let mut space = reserved(&ranges);
            let mut live: Vec<(u64, u64)> = Vec::new();
            for (i, &(size, alignment)) in sizes.iter().enumerate() {
                let Ok(start) = space.allocate(size, alignment) else { continue };
                prop_assert_eq!(start % alignment.max(PAGE), 0);
                prop_assert!(SPACE.contains(&start) && start + size <= SPACE.end);
                for &(other, other_size) in ranges.iter().chain(&live) {
                    let other_end = other.saturating_add(other_size);
                    prop_assert!(
                        other_size == 0 || start + size <= other || other_end <= start,
                        "{start:#x} {size:#x} and {other:#x} {other_size:#x}"
                    );
                }
                live.push((start, size));
                if freed >> i & 1 == 1 {
                    let (start, _) = live.swap_remove(live.len() / 2);
                    prop_assert!(space.free_at(start));
                }
            }
        }

        /// What is recorded in one process can be had again in another, in any order, whatever else is
        /// allocated there in between.
        #[test]
        fn recorded_addresses_can_be_had_again_in_any_order(
            sizes in sizes(),
            seed in any::<u64>(),
        ) {
            let mut record = AddressSpace::default();
            let mut recorded: Vec<(u64, u64, u64)> = Vec::new();
            for (size, alignment) in sizes {
                let start = record.allocate(size, alignment).unwrap();
                recorded.push((start, size, alignment));
            }
            let mut replay = AddressSpace::default();
            for &(start, size, _) in &recorded {
                replay.reserve(start, size);
            }
            recorded.sort_by_key(|(start, ..)| (start ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            for (start, size, alignment) in recorded {
                replay.allocate(size, alignment).unwrap();
                prop_assert_eq!(replay.allocate_at(start, size, alignment), Ok(()));
            }
        }

        /// The same answers as of a table of pages.
        #[test]
        fn an_address_is_refused_exactly_when_a_page_of_it_is_not_reserved_or_taken(
            ranges in ranges(),
            wanted in prop::collection::vec((0_u64..64, 1_u64..6), 1..24),
        ) {
            let mut space = reserved(&ranges);
            let touched = |page: u64| ranges.iter().any(|&(start, size)| {
                let page = START + page * PAGE;
                start < page + PAGE && start.saturating_add(size) > page && size > 0
            });
            let mut taken = [false; 72];
            for (page, count) in wanted {
                let pages = page..page + count;
                let expected = pages.clone().all(|page| {
                    touched(page) && !taken[usize::try_from(page).unwrap()]
                });
                let got = space.allocate_at(START + page * PAGE, count * PAGE, 0);
                prop_assert_eq!(got.is_ok(), expected, "{:?}", got);
                if expected {
                    for page in pages {
                        taken[usize::try_from(page).unwrap()] = true;
                    }
                }
            }
        }
    }
}
