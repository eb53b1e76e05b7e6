//! Faults inside watched memory become a verdict instead of a crash.
//!
//! While a call is watched, a memory fault at an address of one of its ranges ends the process with
//! what belongs to the range, written to the journal as if the test had returned it. Where several
//! ranges hold the address, the narrowest counts, and of equal ones the outermost. Every other fault
//! is a crash as before, and the journal says where it was. What the handler writes is made before the call, but for the address and the kind of
//! the access, so that it does nothing but compare addresses, write and exit. The reader of the journal says in
//! words where in the watched memory the fault was.

use std::fmt::{self, Write as _};
use std::ops::Range;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::{Failure, Stop};
use conformance_protocol::journal::{Access, Entry, Journal, Place, Watched};

use crate::watch::memory::Guarded;

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
    bytes: [u8; 1024],
    len: usize,
}

/// So many functions of a backtrace are noted, of which a line has room for the addresses.
const FRAMES: usize = 32;

impl Line {
    const EMPTY: Self = Self {
        bytes: [0; 1024],
        len: 0,
    };

    /// [`Entry::Fault`], as [`Entry::line`] has it.
    fn of_fault(access: Access, address: usize) -> Self {
        let mut line = Self::EMPTY;
        // It has room for the longest.
        let _ = writeln!(
            line,
            "{{\"Fault\":{{\"access\":\"{access:?}\",\"address\":{address}}}}}"
        );
        line
    }

    /// [`Entry::Died`], as [`Entry::line`] has it.
    fn of_death(place: &Place, frames: &[usize]) -> Self {
        let mut line = Self::EMPTY;
        let Place {
            access,
            address,
            code,
            stack,
        } = place;
        let _ = write!(line, "{{\"Died\":{{\"place\":{{\"access\":");
        let _ = match access {
            Some(access) => write!(line, "\"{access:?}\""),
            None => write!(line, "null"),
        };
        let _ = write!(
            line,
            ",\"address\":{address},\"code\":{code},\"stack\":{stack}}},\"frames\":["
        );
        for (number, frame) in frames.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let _ = write!(line, "{comma}{frame}");
        }
        let _ = writeln!(line, "]}}}}");
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
    use super::{FRAMES, Line, NO_ADDRESS};
    use conformance_protocol::journal::{self, Access, Journal, Place};
    use std::ffi::CString;
    use std::mem;
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt as _;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicI32, Ordering};

    /// What a process dies of by itself.
    const SIGNALS: [i32; 6] = [
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGILL,
        libc::SIGFPE,
        libc::SIGABRT,
        libc::SIGTRAP,
    ];

    static JOURNAL: AtomicI32 = AtomicI32::new(-1);
    /// The file for the modules of the process.
    static MODULES: OnceLock<CString> = OnceLock::new();

    pub(super) fn install(journal: &Journal) {
        JOURNAL.store(journal.file().as_raw_fd(), Ordering::Release);
        let modules = journal::modules(journal.folder());
        if let Ok(modules) = CString::new(modules.as_os_str().as_bytes()) {
            let _ = MODULES.set(modules);
        }
        // The first time it loads what it needs.
        frames();
        have_room();
        for signal in SIGNALS {
            // SAFETY: zero is a value of every field.
            let mut action: libc::sigaction = unsafe { mem::zeroed() };
            action.sa_sigaction = handler as *const () as usize;
            // An overflown stack does not matter.
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

    /// The addresses of the instruction and of the end of the stack.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    unsafe fn code_and_stack(context: *const libc::c_void) -> (usize, usize) {
        let context: *const libc::ucontext_t = context.cast();
        // SAFETY: with SA_SIGINFO the system passes this structure.
        let registers = unsafe { &(*context).uc_mcontext.gregs };
        let of = |register: i32| registers[register.cast_unsigned() as usize];
        let address = |value: i64| usize::try_from(value.cast_unsigned()).unwrap_or_default();
        (address(of(libc::REG_RIP)), address(of(libc::REG_RSP)))
    }

    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    unsafe fn code_and_stack(_: *const libc::c_void) -> (usize, usize) {
        (0, 0)
    }

    /// Where the functions on the stack return to, and how many there are.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn frames() -> ([usize; FRAMES], usize) {
        let mut frames = [0; FRAMES];
        let most = i32::try_from(FRAMES).unwrap_or_default();
        // SAFETY: the array has as many entries.
        let count = unsafe { libc::backtrace(frames.as_mut_ptr().cast(), most) };
        (frames, usize::try_from(count).unwrap_or_default())
    }

    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    fn frames() -> ([usize; FRAMES], usize) {
        ([0; FRAMES], 0)
    }

    /// The alternate stack that a backtrace has room on.
    const ROOM: usize = 128 * 1024;

    /// Gives this thread such a stack: that of the standard library is small.
    fn have_room() {
        let stack = libc::stack_t {
            ss_sp: Vec::<u8>::leak(vec![0; ROOM]).as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: ROOM,
        };
        // SAFETY: the memory stays, and nothing else uses it.
        unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) };
    }

    /// Whether the handler runs where there is room: on that stack, or on one that is no alternate one.
    unsafe fn has_room(context: *const libc::c_void) -> bool {
        let context: *const libc::ucontext_t = context.cast();
        // SAFETY: with SA_SIGINFO the system passes this structure.
        let stack = unsafe { (*context).uc_stack };
        stack.ss_flags & libc::SS_DISABLE != 0 || stack.ss_size >= ROOM
    }

    /// Copies what the system says of the modules in memory; of systems without such a file nothing.
    fn write_modules() {
        let Some(path) = MODULES.get() else { return };
        let mut bytes = [0_u8; 512];
        // SAFETY: allowed in a handler; the strings end with a NUL, and the buffer is as large as it says.
        unsafe {
            let from = libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY);
            let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
            let to = libc::open(path.as_ptr(), flags, 0o600);
            if from < 0 || to < 0 {
                return;
            }
            while let Ok(count @ 1..) =
                usize::try_from(libc::read(from, bytes.as_mut_ptr().cast(), bytes.len()))
            {
                libc::write(to, bytes.as_ptr().cast(), count);
            }
        }
    }

    /// Notes where the process dies. What it needs for that may be broken too: then it dies in here.
    unsafe fn note_death(place: &Place, has_room: bool) {
        /// So long may it take.
        const SECONDS: u32 = 2;
        let journal = JOURNAL.load(Ordering::Acquire);
        let write = |line: &Line| {
            // SAFETY: the bytes are valid.
            unsafe { libc::write(journal, line.bytes().as_ptr().cast(), line.bytes().len()) };
        };
        // SAFETY: allowed in a handler. A fault in here is not handled again, and an alarm ends the process.
        unsafe {
            for signal in SIGNALS.into_iter().chain([libc::SIGALRM]) {
                libc::signal(signal, libc::SIG_DFL);
            }
            libc::alarm(SECONDS);
        }
        // The rest may be broken.
        write(&Line::of_death(place, &[]));
        write_modules();
        let (frames, count) = match place.access {
            // The unwinder finds no function there, but the call has put on the stack where it returns to.
            Some(Access::Jump) if place.stack != 0 => {
                let mut frames = [0; FRAMES];
                // SAFETY: none, if the stack is broken too: then the process dies in here.
                frames[0] = unsafe { ptr::with_exposed_provenance::<usize>(place.stack).read() };
                (frames, 1)
            }
            _ if has_room => frames(),
            _ => ([0; FRAMES], 0),
        };
        write(&Line::of_death(place, &frames[..count]));
        // SAFETY: allowed in a handler.
        unsafe { libc::alarm(0) };
    }

    extern "C" fn handler(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: with SA_SIGINFO the system passes a valid structure.
        let (is_of_processor, address) = unsafe { ((*info).si_code > 0, (*info).si_addr().addr()) };
        // What a process sends is no fault, and has no address.
        let is_of_memory = is_of_processor && [libc::SIGSEGV, libc::SIGBUS].contains(&signal);
        // SAFETY: the system passes what SA_SIGINFO promises.
        let access = unsafe { access(context) }.filter(|_| is_of_memory);
        let address = access.map_or(NO_ADDRESS, |_| address);
        // SAFETY: the same.
        let (code, stack) = unsafe { code_and_stack(context) };
        let place = Place {
            access,
            address,
            code,
            stack,
        };
        // SAFETY: this is a handler, with a valid context.
        unsafe { note_death(&place, has_room(context)) };
        if let Some(report) = super::report(address).filter(|_| is_of_memory) {
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
        // It ends the process when this returns: its action is the default now.
        // SAFETY: allowed in a handler.
        unsafe { libc::raise(signal) };
    }
}

#[cfg(windows)]
mod system {
    use super::{FRAMES, Line, NO_ADDRESS};
    use conformance_protocol::journal::{self, Access, Journal, Place};
    use std::fs::File;
    use std::io::Write as _;
    use std::os::windows::io::AsRawHandle;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicPtr, Ordering};
    use windows_sys::Win32::Foundation::{
        EXCEPTION_ACCESS_VIOLATION, EXCEPTION_STACK_OVERFLOW, HMODULE, MAX_PATH,
    };
    use windows_sys::Win32::Storage::FileSystem::WriteFile;
    use windows_sys::Win32::System::Diagnostics::Debug::{
        EXCEPTION_EXECUTE_HANDLER, EXCEPTION_POINTERS, RtlCaptureStackBackTrace,
        SetUnhandledExceptionFilter,
    };
    use windows_sys::Win32::System::LibraryLoader::{
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
        GetModuleFileNameW, GetModuleHandleExW,
    };
    use windows_sys::Win32::System::ProcessStatus::{K32GetModuleInformation, MODULEINFO};
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

    static JOURNAL: AtomicPtr<std::ffi::c_void> = AtomicPtr::new(ptr::null_mut());
    /// The file for the modules of the process.
    static MODULES: OnceLock<File> = OnceLock::new();

    /// The filter is asked last: a plugin may probe memory and handle the exception itself.
    pub(super) fn install(journal: &Journal) {
        JOURNAL.store(journal.file().as_raw_handle(), Ordering::Release);
        if let Ok(modules) = File::create(journal::modules(journal.folder())) {
            let _ = MODULES.set(modules);
        }
        // SAFETY: the filter keeps to what a filter may do, and stays for the whole process.
        unsafe { SetUnhandledExceptionFilter(Some(filter)) };
    }

    /// Writes the module of an address, as `/proc/self/maps` has it.
    fn write_module(address: usize) {
        let Some(mut file) = MODULES.get() else {
            return;
        };
        let flags =
            GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
        let mut module: HMODULE = ptr::null_mut();
        // SAFETY: zero is a value of every field.
        let mut of_module: MODULEINFO = unsafe { std::mem::zeroed() };
        let mut path = [0_u16; MAX_PATH as usize];
        let size = u32::try_from(size_of::<MODULEINFO>()).unwrap_or_default();
        // SAFETY: the places are ours, as large as they are said to be.
        let length = unsafe {
            let place = ptr::without_provenance(address);
            if GetModuleHandleExW(flags, place, &raw mut module) == 0 {
                return;
            }
            K32GetModuleInformation(GetCurrentProcess(), module, &raw mut of_module, size);
            GetModuleFileNameW(module, path.as_mut_ptr(), MAX_PATH)
        };
        let (start, path) = (module.addr(), &path[..length as usize]);
        let end = start + of_module.SizeOfImage as usize;
        let _ = write!(file, "{start:x}-{end:x} r-xp 0 00:00 0 ");
        for character in char::decode_utf16(path.iter().copied()) {
            let _ = write!(file, "{}", character.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let _ = writeln!(file);
    }

    /// Notes where the process dies. Nothing here allocates.
    fn note_death(place: &Place, has_room: bool) {
        let mut frames = [ptr::null_mut(); FRAMES];
        let mut count = 0;
        // The rest may be broken.
        write(Line::of_death(place, &[]).bytes());
        if has_room {
            let most = u32::try_from(FRAMES).unwrap_or_default();
            // SAFETY: the array has as many entries.
            count =
                unsafe { RtlCaptureStackBackTrace(0, most, frames.as_mut_ptr(), ptr::null_mut()) };
        }
        let frames = frames.map(<*mut _>::addr);
        let frames = &frames[..usize::from(count)];
        write_module(place.code);
        for frame in frames {
            write_module(*frame);
        }
        write(Line::of_death(place, frames).bytes());
    }

    fn write(bytes: &[u8]) {
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

    unsafe extern "system" fn filter(pointers: *const EXCEPTION_POINTERS) -> i32 {
        // SAFETY: the system passes valid structures.
        let record = unsafe { &*(*pointers).ExceptionRecord };
        // The parameters of an access violation are the kind of the access and the address.
        let address = record.ExceptionInformation[1].min(NO_ADDRESS);
        let is_violation =
            record.ExceptionCode == EXCEPTION_ACCESS_VIOLATION && record.NumberParameters >= 2;
        let access = is_violation.then(|| match record.ExceptionInformation[0] {
            0 => Access::Read,
            1 => Access::Write,
            8 => Access::Jump,
            _ => Access::Any,
        });
        let place = Place {
            access,
            address: if is_violation { address } else { 0 },
            code: record.ExceptionAddress.addr(),
            stack: 0,
        };
        note_death(&place, record.ExceptionCode != EXCEPTION_STACK_OVERFLOW);
        if let (Some(access), Some(report)) = (access, super::report(address)) {
            write(Line::of_fault(access, address).bytes());
            write(report);
            // SAFETY: ends this process.
            unsafe { TerminateProcess(GetCurrentProcess(), 0) };
        }
        // The process ends with the exception's code, and no debugger or dialog is asked for.
        EXCEPTION_EXECUTE_HANDLER
    }
}

#[cfg(test)]
mod tests {
    use super::{FRAMES, Line, NO_ADDRESS};
    use conformance_protocol::journal::{Access, Entry, Place};

    #[test]
    fn the_handler_writes_lines_of_the_journal() {
        for access in [None, Some(Access::Jump)] {
            let place = Place {
                access,
                address: usize::MAX,
                code: usize::MAX,
                stack: usize::MAX,
            };
            for count in [0, 1, FRAMES] {
                let frames = vec![usize::MAX; count];
                let line = Line::of_death(&place, &frames).bytes().to_vec();
                assert_eq!(line, Entry::Died { place, frames }.line());
            }
        }
        for access in [Access::Read, Access::Write, Access::Jump, Access::Any] {
            for address in [0, 4096, NO_ADDRESS] {
                let entry = Entry::Fault { access, address };
                assert_eq!(Line::of_fault(access, address).bytes(), entry.line());
            }
        }
    }
}
