//! A process with everything that it starts: a job object on Windows, the descendants of a keeper process on Linux, a process
//! group on other systems. A caller can kill all of it, and learns what the process died of by the system's name for it.
//!
//! Programs that run plugins start a child of their own for each thing that a plugin may spoil.

#[cfg(target_os = "linux")]
mod keeper;

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::Duration;

/// A child process and its descendants.
pub struct Tree(system::Tree);

impl Tree {
    /// Starts a process with its standard streams as `command` has them. Ctrl-C does not reach it.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
        let (child, tree) = system::spawn(command)?;
        Ok((child, Self(tree)))
    }

    /// Whether the child ended in time.
    pub fn wait(&self, timeout: Duration) -> bool {
        self.0.wait(timeout)
    }

    /// Kills what is left of the child and its descendants, and waits for a moment until they are dead. The caller must not
    /// have called [`Child::wait`].
    ///
    /// On Windows, and on Linux if the child has called [`behave`], this includes descendants that have left the child's
    /// process group.
    pub fn kill(&self) {
        self.0.kill();
    }
}

/// Starts a process; tries twice more after an error other than `NotFound`, as the system may lack a resource for a moment.
///
/// # Errors
///
/// The error of the last try.
pub fn patiently<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for pause in [50, 500] {
        match start() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                thread::sleep(Duration::from_millis(pause));
            }
            result => return result,
        }
    }
    start()
}

/// What a process that ended by itself died of; `None` when it exited with a code.
pub fn death(status: ExitStatus) -> Option<String> {
    system::death(status)
}

/// Makes this process a good child: it dies with the thread that started it and takes its descendants along, and has no core
/// file or dialog. To be called first of all, while the process has one thread.
///
/// On Linux this process becomes its keeper: it goes on in a child, and what that leaves behind when it ends is killed.
pub fn behave() {
    system::behave();
}

/// On Windows, has every process that this one starts from now on die with it, however it ends: also one that [`Tree::spawn`]
/// has started and not yet put into its job. For a program, before it starts others; a library would kill what its host
/// wants to leave running. Where the system refuses it, as Windows before 8 in a process that has a job already, nothing
/// changes. On Linux a child that calls [`behave`] sees to it itself.
pub fn take_children_along() {
    #[cfg(windows)]
    let _ = system::take_children_along();
}

/// On Windows, has an exception that nothing handles end this process at once, with its code, and no debugger started. On
/// other systems a signal does that anyway.
pub fn die_of_exceptions() {
    #[cfg(windows)]
    system::die_of_exceptions();
}

/// Ends this process with an exit code, without running what a plugin may have registered for its end.
pub fn exit_now(code: u8) -> ! {
    system::exit_now(code)
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus};
    use std::time::{Duration, Instant};
    use std::{mem, thread};

    /// How long a keeper may take to kill what it keeps.
    const PATIENCE: Duration = Duration::from_secs(2);

    pub(super) struct Tree {
        /// The child's number, and that of the process group that it leads.
        id: libc::pid_t,
    }

    pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Tree)> {
        let child = command.process_group(0).spawn()?;
        let id = child.id().cast_signed();
        Ok((child, Tree { id }))
    }

    impl Tree {
        /// Whether the child ended in time. It stays a zombie, which keeps its number and its
        /// group's from being used again.
        pub(super) fn wait(&self, timeout: Duration) -> bool {
            let deadline = Instant::now() + timeout;
            let mut pause = Duration::from_micros(500);
            while !self.ended() {
                if Instant::now() >= deadline {
                    return false;
                }
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            true
        }

        /// A keeper takes the first signal for the order to kill what it keeps.
        pub(super) fn kill(&self) {
            if !self.ended() {
                // SAFETY: the process is the child, which has not been waited for.
                unsafe { libc::kill(self.id, libc::SIGTERM) };
                self.wait(PATIENCE);
            }
            // SAFETY: the group is the child's, which has not been waited for.
            unsafe { libc::killpg(self.id, libc::SIGKILL) };
        }

        fn ended(&self) -> bool {
            // SAFETY: zero is a value of every field.
            let mut info: libc::siginfo_t = unsafe { mem::zeroed() };
            let options = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
            let id = self.id.cast_unsigned();
            // SAFETY: `info` is writable; the child has not been waited for.
            let result = unsafe { libc::waitid(libc::P_PID, id, &raw mut info, options) };
            // Where this process ignores SIGCHLD the system has waited already.
            let is_gone =
                result != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ECHILD);
            // SAFETY: `waitid` filled it, or it is zero.
            is_gone || result == 0 && unsafe { info.si_pid() } != 0
        }
    }

    pub(super) fn death(status: ExitStatus) -> Option<String> {
        let signal = status.signal()?;
        let name = match signal {
            libc::SIGABRT => "SIGABRT",
            libc::SIGBUS => "SIGBUS",
            libc::SIGFPE => "SIGFPE",
            libc::SIGILL => "SIGILL",
            libc::SIGKILL => "SIGKILL",
            libc::SIGPIPE => "SIGPIPE",
            libc::SIGSEGV => "SIGSEGV",
            libc::SIGSYS => "SIGSYS",
            libc::SIGTERM => "SIGTERM",
            libc::SIGTRAP => "SIGTRAP",
            _ => return Some(format!("signal {signal}")),
        };
        Some(format!("{name} (signal {signal})"))
    }

    pub(super) fn behave() {
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the limit is a valid structure.
        unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
        #[cfg(target_os = "linux")]
        crate::keeper::begin();
    }

    pub(super) fn exit_now(code: u8) -> ! {
        // SAFETY: ends the process.
        unsafe { libc::_exit(code.into()) }
    }
}

#[cfg(windows)]
mod system {
    use std::io;
    use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle};
    use std::os::windows::process::CommandExt;
    use std::process::{Child, Command, ExitStatus};
    use std::time::Duration;
    use std::{mem, ptr};
    use windows_sys::Win32::Foundation::{INVALID_HANDLE_VALUE, WAIT_OBJECT_0};
    use windows_sys::Win32::System::Diagnostics::Debug::{
        EXCEPTION_EXECUTE_HANDLER, EXCEPTION_POINTERS, SEM_FAILCRITICALERRORS,
        SEM_NOGPFAULTERRORBOX, SEM_NOOPENFILEERRORBOX, SetErrorMode, SetUnhandledExceptionFilter,
    };
    use windows_sys::Win32::System::Diagnostics::ToolHelp::{
        CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
    };
    use windows_sys::Win32::System::ErrorReporting::{WER_FAULT_REPORTING_NO_UI, WerSetFlags};
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT,
        JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
        SetInformationJobObject, TerminateJobObject,
    };
    use windows_sys::Win32::System::Threading::{
        CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED, GetCurrentProcess, OpenThread, ResumeThread,
        THREAD_SUSPEND_RESUME, TerminateProcess, WaitForSingleObject,
    };

    /// The job that a child and its descendants belong to. Closing it kills them.
    pub(super) struct Tree {
        job: OwnedHandle,
        process: OwnedHandle,
    }

    /// Starts the process suspended, so that it is in the job before it can start another, and in a group of its own, which
    /// Ctrl-C does not reach.
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Tree)> {
        let job = new_job(
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
        )?;
        let mut child = command
            .creation_flags(CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP)
            .spawn()?;
        // SAFETY: both handles are open.
        let assigned =
            unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) };
        let resumed = if assigned == 0 {
            Err(io::Error::last_os_error())
        } else {
            resume(child.id())
        };
        match resumed.and_then(|()| child.as_handle().try_clone_to_owned()) {
            Ok(process) => Ok((child, Tree { job, process })),
            Err(error) => {
                let _ = child.kill();
                Err(error)
            }
        }
    }

    /// Children are born in the job of their parent. The system closes the handle when the process ends, which kills them.
    pub(super) fn take_children_along() -> io::Result<()> {
        let job = new_job(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)?;
        // SAFETY: both handles are good; the second means this process.
        let assigned =
            unsafe { AssignProcessToJobObject(job.as_raw_handle(), GetCurrentProcess()) };
        if assigned == 0 {
            return Err(io::Error::last_os_error());
        }
        mem::forget(job);
        Ok(())
    }

    fn new_job(flags: JOB_OBJECT_LIMIT) -> io::Result<OwnedHandle> {
        // SAFETY: both parameters are optional.
        let job = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new handle that nobody else has.
        let job = unsafe { OwnedHandle::from_raw_handle(job) };
        // SAFETY: zero is a value of every field.
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { mem::zeroed() };
        limits.BasicLimitInformation.LimitFlags = flags;
        // SAFETY: the structure belongs to the class and has the size that is given.
        let set = unsafe {
            SetInformationJobObject(
                job.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_u32::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>(),
            )
        };
        if set == 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(job)
        }
    }

    /// Lets the one thread of a process that was started suspended run.
    fn resume(process: u32) -> io::Result<()> {
        // SAFETY: takes numbers.
        let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) };
        if snapshot == INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new handle that nobody else has.
        let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
        // SAFETY: zero is a value of every field.
        let mut entry: THREADENTRY32 = unsafe { mem::zeroed() };
        entry.dwSize = size_of_u32::<THREADENTRY32>();
        // SAFETY: the entry says its size.
        let mut more = unsafe { Thread32First(snapshot.as_raw_handle(), &raw mut entry) };
        while more != 0 {
            if entry.th32OwnerProcessID == process {
                // SAFETY: takes numbers.
                let thread = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) };
                if thread.is_null() {
                    return Err(io::Error::last_os_error());
                }
                // SAFETY: a new handle that nobody else has.
                let thread = unsafe { OwnedHandle::from_raw_handle(thread) };
                // SAFETY: the handle allows it.
                let resumed = unsafe { ResumeThread(thread.as_raw_handle()) };
                return if resumed == u32::MAX {
                    Err(io::Error::last_os_error())
                } else {
                    Ok(())
                };
            }
            // SAFETY: Thread32Next: the snapshot is open, and `entry` is writable and says its size in `dwSize`.
            more = unsafe { Thread32Next(snapshot.as_raw_handle(), &raw mut entry) };
        }
        Err(io::Error::other("the new process has no thread"))
    }

    const fn size_of_u32<T>() -> u32 {
        const { assert!(size_of::<T>() <= u32::MAX as usize) };
        #[allow(clippy::cast_possible_truncation, reason = "asserted above")]
        {
            size_of::<T>() as u32
        }
    }

    impl Tree {
        pub(super) fn wait(&self, timeout: Duration) -> bool {
            let milliseconds = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX - 1);
            // SAFETY: the handle is open.
            unsafe {
                WaitForSingleObject(self.process.as_raw_handle(), milliseconds) == WAIT_OBJECT_0
            }
        }

        pub(super) fn kill(&self) {
            // SAFETY: the handle is open.
            unsafe { TerminateJobObject(self.job.as_raw_handle(), 1) };
        }
    }

    /// An unhandled exception's code becomes the exit code of its process.
    pub(super) fn death(status: ExitStatus) -> Option<String> {
        let code = status.code()?.cast_unsigned();
        let name = match code {
            0x8000_0002 => "STATUS_DATATYPE_MISALIGNMENT",
            0x8000_0003 => "STATUS_BREAKPOINT",
            0xC000_0005 => "STATUS_ACCESS_VIOLATION",
            0xC000_0006 => "STATUS_IN_PAGE_ERROR",
            0xC000_0008 => "STATUS_INVALID_HANDLE",
            0xC000_001D => "STATUS_ILLEGAL_INSTRUCTION",
            0xC000_0025 => "STATUS_NONCONTINUABLE_EXCEPTION",
            0xC000_0026 => "STATUS_INVALID_DISPOSITION",
            0xC000_008C => "STATUS_ARRAY_BOUNDS_EXCEEDED",
            0xC000_0094 => "STATUS_INTEGER_DIVIDE_BY_ZERO",
            0xC000_0096 => "STATUS_PRIVILEGED_INSTRUCTION",
            0xC000_00FD => "STATUS_STACK_OVERFLOW",
            0xC000_0135 => "STATUS_DLL_NOT_FOUND",
            0xC000_0138 => "STATUS_ORDINAL_NOT_FOUND",
            0xC000_0139 => "STATUS_ENTRYPOINT_NOT_FOUND",
            0xC000_0142 => "STATUS_DLL_INIT_FAILED",
            0xC000_0374 => "STATUS_HEAP_CORRUPTION",
            // The code of every __fastfail, whatever its reason.
            0xC000_0409 => "STATUS_STACK_BUFFER_OVERRUN, or abort",
            0xC000_0417 => "STATUS_INVALID_CRUNTIME_PARAMETER",
            0xC000_0420 => "STATUS_ASSERTION_FAILURE",
            0xC000_0602 => "STATUS_FAIL_FAST_EXCEPTION",
            0xE06D_7363 => "C++ exception",
            // The other errors among the status codes.
            0xC000_0000..=0xCFFF_FFFF => "exception",
            _ => return None,
        };
        Some(format!("{name} ({code:#010X})"))
    }

    /// The job sees to it that this process dies with its parent.
    pub(super) fn behave() {
        // SAFETY: takes numbers.
        unsafe {
            SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
            // A fail-fast exception goes past the error mode.
            WerSetFlags(WER_FAULT_REPORTING_NO_UI);
        }
    }

    pub(super) fn die_of_exceptions() {
        unsafe extern "system" fn die(exception: *const EXCEPTION_POINTERS) -> i32 {
            // SAFETY: the system says what the exception is; the rest ends the process.
            unsafe {
                let code = (*(*exception).ExceptionRecord).ExceptionCode;
                TerminateProcess(GetCurrentProcess(), code.cast_unsigned());
            }
            EXCEPTION_EXECUTE_HANDLER
        }
        // SAFETY: the function is one for this.
        unsafe { SetUnhandledExceptionFilter(Some(die)) };
    }

    pub(super) fn exit_now(code: u8) -> ! {
        // SAFETY: ends the process.
        unsafe { TerminateProcess(GetCurrentProcess(), code.into()) };
        unreachable!("the process is ended")
    }
}

#[cfg(all(test, windows))]
mod tests {
    use std::os::windows::process::ExitStatusExt;
    use std::process::ExitStatus;

    #[test]
    fn exceptions_are_told_from_exit_codes() {
        let death = |code| super::death(ExitStatus::from_raw(code));
        for (code, name) in [
            (0xC000_0005, "STATUS_ACCESS_VIOLATION (0xC0000005)"),
            (0xE06D_7363, "C++ exception (0xE06D7363)"),
            (0xC000_0001, "exception (0xC0000001)"),
        ] {
            assert_eq!(death(code).as_deref(), Some(name));
        }
        // The last are what exit(-1) and exit(E_FAIL) give.
        for code in [0, 1, 3, u32::MAX, 0x8000_4005] {
            assert_eq!(death(code), None, "{code:#X}");
        }
    }
}
