//! Running a process with everything that it starts, under a time limit.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// An environment variable that every process of one [`run`] inherits, with a value of its own.
const MARK: &str = "DDI_CONFORMANCE_PROCESS";

/// So much of what a process prints is kept.
const TAIL: usize = 16 * 1024;

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` when it took too long and was killed.
    pub(crate) status: Option<ExitStatus>,
    /// The end of what it printed, on both streams.
    pub(crate) output: String,
    pub(crate) elapsed: Duration,
}

/// Runs `command` until it ends or `timeout` is over; then kills what is left of it and of
/// everything that it started. `mark` must be unlike that of any other run in progress.
pub(crate) fn run(command: &mut Command, mark: &OsStr, timeout: Duration) -> io::Result<Ended> {
    command
        .env(MARK, mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let start = Instant::now();
    let (mut child, tree) = patiently(|| system::spawn(command))?;
    let tail = Arc::new(Mutex::new(VecDeque::new()));
    let readers = [
        child
            .stdout
            .take()
            .map(|stream| keep_tail(stream, Arc::clone(&tail))),
        child
            .stderr
            .take()
            .map(|stream| keep_tail(stream, Arc::clone(&tail))),
    ];
    let in_time = tree.wait(timeout);
    let elapsed = start.elapsed();
    tree.kill(mark);
    let status = child.wait()?;
    // The pipes end with their last writer. One that escaped the kill must not hold us up.
    let patience = Instant::now() + Duration::from_secs(1);
    for reader in readers.into_iter().flatten() {
        while !reader.is_finished() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    let output = String::from_utf8_lossy(tail.make_contiguous()).into_owned();
    Ok(Ended {
        status: in_time.then_some(status),
        // What the plugin prints must not steer the terminal.
        output: output
            .trim()
            .replace(|c: char| c.is_control() && c != '\n', " "),
        elapsed,
    })
}

/// Starts a process, also on a system that is short of something for a moment.
pub(crate) fn patiently<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
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

fn keep_tail(
    mut stream: impl Read + Send + 'static,
    tail: Arc<Mutex<VecDeque<u8>>>,
) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = [0; TAIL];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.extend(&buffer[..count]);
            let excess = tail.len().saturating_sub(TAIL);
            tail.drain(..excess);
        }
    })
}

/// What a process that ended by itself died of; `None` when it exited with a code.
pub(crate) fn death(status: ExitStatus) -> Option<String> {
    system::death(status)
}

/// Makes this process a good child: it dies with its parent, and without a core file or a dialog.
pub(crate) fn behave() {
    system::behave();
}

/// Ends this process without running what the plugin may have registered for its end.
pub(crate) fn exit_now() -> ! {
    system::exit_now()
}

#[cfg(unix)]
mod system {
    use std::ffi::OsStr;
    use std::io;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus};
    use std::time::{Duration, Instant};
    use std::{mem, thread};

    /// The process group that a child leads, by the child's number.
    pub(super) struct Tree(u32);

    pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Tree)> {
        command.process_group(0);
        let child = command.spawn()?;
        let tree = Tree(child.id());
        Ok((child, tree))
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

        pub(super) fn kill(&self, mark: &OsStr) {
            // SAFETY: the group is the child's, which has not been waited for.
            unsafe { libc::killpg(self.0.cast_signed(), libc::SIGKILL) };
            #[cfg(target_os = "linux")]
            kill_marked(mark);
            #[cfg(not(target_os = "linux"))]
            let _ = mark;
        }

        fn ended(&self) -> bool {
            // SAFETY: zero is a value of every field.
            let mut info: libc::siginfo_t = unsafe { mem::zeroed() };
            let options = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG;
            // SAFETY: `info` is writable; the child has not been waited for.
            let result = unsafe { libc::waitid(libc::P_PID, self.0, &raw mut info, options) };
            // SAFETY: `waitid` filled it, or it is zero.
            result == 0 && unsafe { info.si_pid() } != 0
        }
    }

    /// Kills descendants that left the group: the environment of each has the mark.
    #[cfg(target_os = "linux")]
    fn kill_marked(mark: &OsStr) {
        use std::os::unix::ffi::OsStrExt;
        let wanted = [super::MARK.as_bytes(), b"=", mark.as_bytes()].concat();
        // One that forks while we look is found by the next look.
        for _ in 0..10 {
            let Ok(processes) = std::fs::read_dir("/proc") else {
                return;
            };
            let mut found = false;
            for process in processes.flatten() {
                let Some(id) = process
                    .file_name()
                    .to_str()
                    .and_then(|name| name.parse().ok())
                else {
                    continue;
                };
                let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
                if environment
                    .split(|&byte| byte == 0)
                    .any(|variable| variable == wanted)
                {
                    found = true;
                    // SAFETY: the process is a descendant; should it have ended just now, its
                    // number is not given out again within this moment.
                    unsafe { libc::kill(id, libc::SIGKILL) };
                }
            }
            if !found {
                return;
            }
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
        // A runner that is killed takes its tests along.
        #[cfg(target_os = "linux")]
        // SAFETY: takes numbers.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the limit is a valid structure.
        unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
    }

    pub(super) fn exit_now() -> ! {
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) }
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::OsStr;
    use std::io;
    use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle};
    use std::os::windows::process::CommandExt;
    use std::process::{Child, Command, ExitStatus};
    use std::time::Duration;
    use std::{mem, ptr};
    use windows_sys::Win32::Foundation::{INVALID_HANDLE_VALUE, WAIT_OBJECT_0};
    use windows_sys::Win32::System::Diagnostics::Debug::{
        SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SEM_NOOPENFILEERRORBOX, SetErrorMode,
    };
    use windows_sys::Win32::System::Diagnostics::ToolHelp::{
        CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
    };
    use windows_sys::Win32::System::ErrorReporting::{WER_FAULT_REPORTING_NO_UI, WerSetFlags};
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
        JobObjectExtendedLimitInformation, SetInformationJobObject, TerminateJobObject,
    };
    use windows_sys::Win32::System::Threading::{
        CREATE_SUSPENDED, GetCurrentProcess, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
        TerminateProcess, WaitForSingleObject,
    };

    /// The job that a child and its descendants belong to. Closing it kills them.
    pub(super) struct Tree {
        job: OwnedHandle,
        process: OwnedHandle,
    }

    /// Starts the process suspended, so that it is in the job before it can start another.
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Tree)> {
        let job = new_job()?;
        let mut child = command.creation_flags(CREATE_SUSPENDED).spawn()?;
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

    fn new_job() -> io::Result<OwnedHandle> {
        // SAFETY: both parameters are optional.
        let job = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new handle that nobody else has.
        let job = unsafe { OwnedHandle::from_raw_handle(job) };
        // SAFETY: zero is a value of every field.
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = unsafe { mem::zeroed() };
        limits.BasicLimitInformation.LimitFlags =
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
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
            // SAFETY: as above.
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

        pub(super) fn kill(&self, _mark: &OsStr) {
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

    pub(super) fn exit_now() -> ! {
        // SAFETY: ends the process.
        unsafe { TerminateProcess(GetCurrentProcess(), 0) };
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
