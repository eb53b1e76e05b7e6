//! Faults inside watched memory become a verdict instead of a crash.
//!
//! While a call is watched, a memory fault at an address of one of its ranges ends the process with
//! what belongs to the range, written to the journal as if the test had returned it. Where several
//! ranges hold the address, the narrowest counts, and of equal ones the outermost. Every other fault
//! is a crash as before. What the handler writes is made before the call, but for the address and the kind of
//! the access, so that it does nothing but compare addresses, write and exit. The reader of the journal says in
//! words where in the watched memory the fault was.

use std::fmt::{self, Write as _};
use std::ops::Range;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::Rule;
use crate::journal::{Access, Entry, Journal, Watched};
use crate::memory::Guarded;
use crate::verdict::{Failure, Stop};

/// A range of addresses, and what a fault there means.
#[derive(Clone)]
pub(crate) struct Watch {
    addresses: Range<usize>,
    report: Arc<[u8]>,
}

impl Watch {
    pub(crate) fn new(addresses: Range<usize>, failure: Failure) -> Self {
        Self::stop(addresses, None, Stop::Broken(failure))
    }

    /// Memory and its guard pages. The failure also says where in `what` lies in the memory the fault was.
    pub(crate) fn of(memory: &Guarded, what: impl Into<String>, failure: Failure) -> Self {
        let addresses = memory.addresses();
        let watched = Watched {
            what: what.into(),
            start: addresses.start,
            len: addresses.len(),
        };
        Self::stop(memory.all_addresses(), Some(watched), Stop::Broken(failure))
    }

    /// A fault at any address means that another rule does not hold.
    pub(crate) fn needs(rule: Rule) -> Self {
        Self::stop(0..usize::MAX, None, Stop::FaultOf(rule))
    }

    fn stop(addresses: Range<usize>, watched: Option<Watched>, stop: Stop) -> Self {
        let entries = watched.map(Entry::Watched).into_iter();
        let report = entries
            .chain([Entry::Outcome(Some(stop)), Entry::End])
            .flat_map(|entry| entry.line())
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

/// Makes a call that may touch nothing beside `memory`, in which `what` lies.
pub(crate) fn within<R>(
    memory: &Guarded,
    what: &str,
    failure: &Failure,
    call: impl FnOnce() -> R,
) -> Result<R, Stop> {
    let watch = Watch::of(memory, what, failure.clone());
    let result = watched(vec![watch], call);
    memory.untouched(what, failure)?;
    Ok(result)
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
    narrowest.map(|watch| &*watch.report)
}

/// The address of a fault for which the processor tells none: one that is not aligned, or not canonical.
const NO_ADDRESS: usize = usize::MAX - 1;

/// A line of the journal that is made in the handler, where nothing can be allocated.
struct Line {
    bytes: [u8; 96],
    len: usize,
}

impl Line {
    /// [`Entry::Fault`], as [`Entry::line`] has it.
    fn of_fault(access: Access, address: usize) -> Self {
        let mut line = Self {
            bytes: [0; 96],
            len: 0,
        };
        // It has room for the longest.
        let _ = writeln!(
            line,
            "{{\"Fault\":{{\"access\":\"{access:?}\",\"address\":{address}}}}}"
        );
        line
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let place = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// Installs the handler; reports go to the journal.
pub(crate) fn install(journal: &Journal) {
    system::install(journal);
}

#[cfg(unix)]
mod system {
    use super::{Line, NO_ADDRESS};
    use crate::journal::{Access, Journal};
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

    /// What a fault was about to do; `None` where it is none of an address.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    unsafe fn access(context: *const libc::c_void) -> Option<Access> {
        const PAGE_FAULT: i64 = 14;
        let context: *const libc::ucontext_t = context.cast();
        // SAFETY: with SA_SIGINFO the system passes this structure.
        let registers = unsafe { &(*context).uc_mcontext.gregs };
        let of = |register: i32| registers[register.cast_unsigned() as usize];
        let error = of(libc::REG_ERR);
        (of(libc::REG_TRAPNO) == PAGE_FAULT).then_some(match error {
            _ if error & 0x10 != 0 => Access::Jump,
            _ if error & 2 != 0 => Access::Write,
            _ => Access::Read,
        })
    }

    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    unsafe fn access(_: *const libc::c_void) -> Option<Access> {
        Some(Access::Any)
    }

    extern "C" fn handler(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the system passes what SA_SIGINFO promises.
        let access = unsafe { access(context) };
        // SAFETY: with SA_SIGINFO the system passes a valid structure; it is that of a fault.
        let address = unsafe { (*info).si_addr() }.addr();
        let address = access.map_or(NO_ADDRESS, |_| address);
        if let Some(report) = super::report(address) {
            let journal = JOURNAL.load(Ordering::Acquire);
            let line = Line::of_fault(access.unwrap_or(Access::Any), address);
            // SAFETY: the bytes are valid, and both calls are allowed in a handler. The journal's
            // descriptor is open as long as the process.
            unsafe {
                for bytes in [line.bytes(), report] {
                    libc::write(journal, bytes.as_ptr().cast(), bytes.len());
                }
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
    use super::{Line, NO_ADDRESS};
    use crate::journal::{Access, Journal};
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
        // The parameters of an access violation are the kind of the access and the address.
        let address = record.ExceptionInformation[1].min(NO_ADDRESS);
        if record.ExceptionCode == EXCEPTION_ACCESS_VIOLATION
            && record.NumberParameters >= 2
            && let Some(report) = super::report(address)
        {
            let access = match record.ExceptionInformation[0] {
                0 => Access::Read,
                1 => Access::Write,
                8 => Access::Jump,
                _ => Access::Any,
            };
            let line = Line::of_fault(access, address);
            for bytes in [line.bytes(), report] {
                let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                let mut written = 0;
                // SAFETY: the bytes are valid; the journal's handle is open as long as the process.
                unsafe {
                    WriteFile(
                        JOURNAL.load(Ordering::Acquire),
                        bytes.as_ptr(),
                        length,
                        &raw mut written,
                        ptr::null_mut(),
                    );
                }
            }
            // SAFETY: ends this process.
            unsafe { TerminateProcess(GetCurrentProcess(), 0) };
        }
        // The process ends with the exception's code, and no debugger or dialog is asked for.
        EXCEPTION_EXECUTE_HANDLER
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, NO_ADDRESS};
    use crate::journal::{Access, Entry};

    #[test]
    fn the_handler_writes_lines_of_the_journal() {
        for access in [Access::Read, Access::Write, Access::Jump, Access::Any] {
            for address in [0, 4096, NO_ADDRESS] {
                let entry = Entry::Fault { access, address };
                assert_eq!(Line::of_fault(access, address).bytes(), entry.line());
            }
        }
    }
}
