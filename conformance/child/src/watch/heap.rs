//! The heap that a plugin in this process sees: its allocations in a compile call are counted, and those that a fault
//! plan names fail.
//!
//! The bin's `allocator` asks here before it allocates. What the host allocates in a callback does not count.

use std::cell::Cell;

use conformance_protocol::{FaultPlan, On, Which};

use crate::watch::process_change::CLOCK_IS_OURS;

/// Whether the bin's functions are those that a plugin in its process allocates with: where its clock is, too.
pub const HEAP_IS_OURS: bool = CLOCK_IS_OURS;

thread_local! {
    /// How many allocations the plugin has made on this thread in the call in progress; `None` where the host is in
    /// control.
    static MADE: Cell<Option<usize>> = const { Cell::new(None) };
    /// Which of them fail.
    static FAILING: Cell<Option<Which>> = const { Cell::new(None) };
}

/// Counts an allocation on this thread, and says whether it fails.
pub fn allocation_fails() -> bool {
    let Some(number) = MADE.get() else {
        return false;
    };
    MADE.set(Some(number + 1));
    match FAILING.get() {
        Some(Which::Number(failing)) => failing == number,
        Some(Which::All) => true,
        Some(Which::FirstOfEachKey) | None => false,
    }
}

/// Makes a call of the plugin, in which allocations fail as the plan says. Also says how many it made.
pub(crate) fn of_plugin<R>(plan: &FaultPlan, call: impl FnOnce() -> R) -> (R, usize) {
    let mut faults = plan.faults().iter();
    let failing = faults.find(|fault| fault.on == On::Alloc);
    FAILING.set(failing.map(|fault| fault.which));
    MADE.set(Some(0));
    let result = call();
    (result, MADE.take().unwrap_or_default())
}

/// A callback of the host: until its end no allocation counts.
pub(crate) struct OfHost {
    made: Option<usize>,
}

impl OfHost {
    pub(crate) fn begin() -> Self {
        Self { made: pause() }
    }
}

impl Drop for OfHost {
    fn drop(&mut self) {
        go_on(self.made);
    }
}

/// From here on no allocation of this thread counts; gives how many did.
pub(crate) fn pause() -> Option<usize> {
    MADE.take()
}

/// From here on they count again, where they did before.
pub(crate) fn go_on(made: Option<usize>) {
    MADE.set(made);
}

#[cfg(test)]
mod tests {
    use super::{OfHost, allocation_fails, of_plugin};

    #[test]
    fn the_plugins_allocations_count() {
        let plan = "alloc#1=null".parse().unwrap();
        assert!(!allocation_fails());
        let (failed, made) = of_plugin(&plan, || {
            let first = allocation_fails();
            let host = OfHost::begin();
            let of_host = allocation_fails();
            drop(host);
            [first, of_host, allocation_fails(), allocation_fails()]
        });
        assert_eq!((failed, made), ([false, false, true, false], 3));
        assert!(!allocation_fails());
        let all = "alloc#*=null".parse().unwrap();
        assert_eq!(of_plugin(&all, allocation_fails), (true, 1));
    }
}
