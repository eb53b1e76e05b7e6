//! Faults inside watched memory become a verdict instead of a crash.
//!
//! While a call is watched, a memory fault at an address of one of its ranges ends the process with
//! what belongs to the range, written to the journal as if the test had returned it. Where several
//! ranges hold the address, the narrowest counts, and of equal ones the outermost. Every other fault
//! is a crash as before. What the handler writes is made before the call, so that
//! it does nothing but compare addresses, write once and exit.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::Rule;
use crate::journal::{Entry, Journal};
use crate::verdict::{Failure, Stop};

/// A range of addresses, and what a fault there means.
pub(crate) struct Watch {
    addresses: Range<usize>,
    report: Vec<u8>,
}

impl Watch {
    pub(crate) fn new(addresses: Range<usize>, failure: Failure) -> Self {
        Self::stop(addresses, Stop::Broken(failure))
    }

    /// A fault at any address means that another rule does not hold.
    pub(crate) fn needs(rule: Rule) -> Self {
        Self::stop(0..usize::MAX, Stop::FaultOf(rule))
    }

    fn stop(addresses: Range<usize>, stop: Stop) -> Self {
        let report = [Entry::Outcome(Some(stop)), Entry::End]
            .iter()
            .flat_map(Entry::line)
            .collect();
        Self { addresses, report }
    }

    /// Addresses that a null pointer leads to: what no system maps.
    pub(crate) fn null(failure: Failure) -> Self {
        Self::new(0..0x1_0000, failure)
    }

    /// Any address.
    pub(crate) fn anywhere(failure: Failure) -> Self {
        Self::new(0..usize::MAX, failure)
    }
}

/// The watches in force. Lists are never freed: a thread of the plugin may be in the handler.
static WATCHES: AtomicPtr<List> = AtomicPtr::new(ptr::null_mut());

struct List {
    watches: Vec<Watch>,
    outer: *mut List,
}

/// Makes `call` while `watches` are in force. Calls may be nested.
pub(crate) fn watched<R>(watches: Vec<Watch>, call: impl FnOnce() -> R) -> R {
    let outer = WATCHES.load(Ordering::Acquire);
    WATCHES.store(
        Box::into_raw(Box::new(List { watches, outer })),
        Ordering::Release,
    );
    let result = call();
    WATCHES.store(outer, Ordering::Release);
    result
}

/// The report for a fault at `address`, if it is watched.
fn report(address: usize) -> Option<&'static [u8]> {
    let mut list = WATCHES.load(Ordering::Acquire);
    let mut narrowest: Option<&Watch> = None;
    // SAFETY: a list that was published is never freed or changed.
    while let Some(current) = unsafe { list.as_ref() } {
        for watch in &current.watches {
            if watch.addresses.contains(&address)
                && narrowest.is_none_or(|other| watch.addresses.len() <= other.addresses.len())
            {
                narrowest = Some(watch);
            }
        }
        list = current.outer;
    }
    narrowest.map(|watch| watch.report.as_slice())
}

/// Installs the handler; reports go to the journal.
pub(crate) fn install(journal: &Journal) {
    system::install(journal);
}

#[cfg(unix)]
mod system {
    use crate::journal::Journal;
    use std::mem;
    use std::os::fd::AsRawFd;
    use std::ptr;
    use std::sync::atomic::{AtomicI32, Ordering};

    static JOURNAL: AtomicI32 = AtomicI32::new(-1);

    pub(super) fn install(journal: &Journal) {
        JOURNAL.store(journal.file().as_raw_fd(), Ordering::Release);
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            // SAFETY: zero is a value of every field.
            let mut action: libc::sigaction = unsafe { mem::zeroed() };
            action.sa_sigaction = handler as *const () as usize;
            // The standard library gives its threads an alternate stack, so that an overflown one
            // does not matter.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            // SAFETY: the action is valid, and the handler keeps to what a handler may do.
            unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
        }
    }

    extern "C" fn handler(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
        // SAFETY: with SA_SIGINFO the system passes a valid structure; it is that of a fault.
        let address = unsafe { (*info).si_addr() }.addr();
        if let Some(report) = super::report(address) {
            let journal = JOURNAL.load(Ordering::Acquire);
            // SAFETY: the bytes are valid, and both calls are allowed in a handler. The journal's
            // descriptor is open as long as the process.
            unsafe {
                libc::write(journal, report.as_ptr().cast(), report.len());
                libc::_exit(0);
            }
        }
        // The fault happens again when this returns, and ends the process.
        // SAFETY: allowed in a handler; the default action needs no function.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

#[cfg(windows)]
mod system {
    use crate::journal::Journal;
    use std::os::windows::io::AsRawHandle;
    use std::ptr;
    use std::sync::atomic::{AtomicPtr, Ordering};
    use windows_sys::Win32::Foundation::EXCEPTION_ACCESS_VIOLATION;
    use windows_sys::Win32::Storage::FileSystem::WriteFile;
    use windows_sys::Win32::System::Diagnostics::Debug::{
        EXCEPTION_EXECUTE_HANDLER, EXCEPTION_POINTERS, SetUnhandledExceptionFilter,
    };
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

    static JOURNAL: AtomicPtr<std::ffi::c_void> = AtomicPtr::new(ptr::null_mut());

    /// The filter is asked last: a plugin may probe memory and handle the exception itself.
    pub(super) fn install(journal: &Journal) {
        JOURNAL.store(journal.file().as_raw_handle(), Ordering::Release);
        // SAFETY: the filter keeps to what a filter may do, and stays for the whole process.
        unsafe { SetUnhandledExceptionFilter(Some(filter)) };
    }

    unsafe extern "system" fn filter(pointers: *const EXCEPTION_POINTERS) -> i32 {
        // SAFETY: the system passes valid structures.
        let record = unsafe { &*(*pointers).ExceptionRecord };
        // An access violation has the address as its second parameter.
        if record.ExceptionCode == EXCEPTION_ACCESS_VIOLATION
            && record.NumberParameters >= 2
            && let Some(report) = super::report(record.ExceptionInformation[1])
        {
            let length = u32::try_from(report.len()).unwrap_or(u32::MAX);
            let mut written = 0;
            // SAFETY: the bytes are valid; the journal's handle is open as long as the process.
            unsafe {
                WriteFile(
                    JOURNAL.load(Ordering::Acquire),
                    report.as_ptr(),
                    length,
                    &raw mut written,
                    ptr::null_mut(),
                );
                TerminateProcess(GetCurrentProcess(), 0);
            }
        }
        // The process ends with the exception's code, and no debugger or dialog is asked for.
        EXCEPTION_EXECUTE_HANDLER
    }
}
