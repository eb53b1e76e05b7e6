//! What this process uses, as the system counts it. A number is `None` where the system does not say.

use conformance_catalogue::verdict::{Outcome, Stop, ensure};

/// Memory, threads and handles of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resources {
    /// Bytes of memory that belong to this process alone.
    pub(crate) memory: Option<u64>,
    pub(crate) threads: Option<u64>,
    /// Open files and other handles.
    pub(crate) handles: Option<u64>,
}

impl Resources {
    pub(crate) fn now() -> Self {
        system::now()
    }
}

/// A round after which there is less than this more memory is no leak.
const NOISE: u64 = 96 * 1024;

/// Looks for handles and memory that what is done again and again leaves behind. `round` does it so many times at most, and says
/// how many it were: `few` show whether each leaves a handle open, `most` whether each leaves more memory than `noise_each`.
pub(crate) fn leaves_nothing(
    what: &str,
    (few, most): (u32, u32),
    noise_each: u64,
    round: impl Fn(u32) -> Result<u32, Stop>,
) -> Outcome {
    let before = Resources::now().handles;
    let few = round(few)?;
    if let (Some(now), Some(before)) = (Resources::now().handles, before) {
        let left = now.saturating_sub(before);
        // Fewer may have any other reason.
        ensure!(
            left <= u64::from(few / 2),
            call: "{what} {few} times",
            expected: "no handles left open",
            got: "{left} more handles than before",
        );
    }
    let times = round(most)?.max(1);
    let mut before = Resources::now().memory;
    let mut growths = [None; 3];
    for growth in &mut growths {
        round(times)?;
        let now = Resources::now().memory;
        *growth = now.zip(before).map(|(now, then)| now.saturating_sub(then));
        before = now;
    }
    // Memory that leaks is gone in every round; what the allocator does differs between them.
    if let Some(least) = growths.into_iter().min().flatten() {
        let limit = NOISE.max(noise_each * u64::from(times));
        ensure!(
            least <= limit,
            call: "{what} {times} times, and again, and again",
            expected: "at most {limit} bytes more memory after a round than before it",
            got: "{least} bytes more after each round",
        );
    }
    Ok(())
}

#[cfg(target_os = "linux")]
mod system {
    use super::Resources;
    use std::fs;

    pub(super) fn now() -> Resources {
        let count = |folder| {
            fs::read_dir(folder)
                .ok()
                .map(|entries| entries.count() as u64)
        };
        Resources {
            memory: private_memory(),
            threads: count("/proc/self/task"),
            handles: count("/proc/self/fd"),
        }
    }

    /// Resident pages less those that are shared with files.
    fn private_memory() -> Option<u64> {
        let text = fs::read_to_string("/proc/self/statm").ok()?;
        let mut fields = text
            .split(' ')
            .skip(1)
            .map(|field| field.parse::<u64>().ok());
        let (resident, shared) = (fields.next()??, fields.next()??);
        Some(resident.saturating_sub(shared) * region::page::size() as u64)
    }
}

#[cfg(windows)]
mod system {
    use super::Resources;
    use std::mem;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::ptr;
    use windows_sys::Win32::Foundation::{GetHandleInformation, INVALID_HANDLE_VALUE};
    use windows_sys::Win32::System::Diagnostics::ToolHelp::{
        CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
    };
    use windows_sys::Win32::System::ProcessStatus::{
        K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS, PROCESS_MEMORY_COUNTERS_EX,
    };
    use windows_sys::Win32::System::Threading::{
        GetCurrentProcess, GetCurrentProcessId, GetProcessHandleCount,
    };

    pub(super) fn now() -> Resources {
        Resources {
            memory: private_memory(),
            threads: threads(),
            handles: handles(),
        }
    }

    fn private_memory() -> Option<u64> {
        // SAFETY: zero is a value of every field.
        let mut counters: PROCESS_MEMORY_COUNTERS_EX = unsafe { mem::zeroed() };
        counters.cb = u32::try_from(size_of_val(&counters)).ok()?;
        let basic = (&raw mut counters).cast::<PROCESS_MEMORY_COUNTERS>();
        // SAFETY: the structure says its size; the longer one begins with the shorter.
        let known = unsafe { K32GetProcessMemoryInfo(GetCurrentProcess(), basic, counters.cb) };
        // Wine knows the second number only.
        let numbers = [counters.PrivateUsage, counters.WorkingSetSize];
        let number = numbers.into_iter().find(|number| *number != 0)?;
        (known != 0).then_some(number as u64)
    }

    fn threads() -> Option<u64> {
        // SAFETY: takes numbers.
        let (process, snapshot) = unsafe {
            (
                GetCurrentProcessId(),
                CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0),
            )
        };
        if snapshot == INVALID_HANDLE_VALUE {
            return None;
        }
        // SAFETY: a new handle that nobody else has.
        let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
        // SAFETY: zero is a value of every field.
        let mut entry: THREADENTRY32 = unsafe { mem::zeroed() };
        entry.dwSize = u32::try_from(size_of_val(&entry)).ok()?;
        let mut count = 0;
        // SAFETY: the entry says its size.
        let mut more = unsafe { Thread32First(snapshot.as_raw_handle(), &raw mut entry) };
        while more != 0 {
            count += u64::from(entry.th32OwnerProcessID == process);
            // SAFETY: the entry says its size.
            more = unsafe { Thread32Next(snapshot.as_raw_handle(), &raw mut entry) };
        }
        Some(count)
    }

    fn handles() -> Option<u64> {
        let mut count = 0;
        // SAFETY: the count is writable.
        let known = unsafe { GetProcessHandleCount(GetCurrentProcess(), &raw mut count) };
        // No process is without. Wine says so, and does not count them.
        (known != 0).then(|| match count {
            0 => handles_by_trial(),
            _ => u64::from(count),
        })
    }

    /// Handles are small multiples of four.
    fn handles_by_trial() -> u64 {
        let open = |number: &usize| {
            let mut flags = 0;
            // SAFETY: the flags are writable; any number may be asked about.
            unsafe {
                GetHandleInformation(ptr::without_provenance_mut(*number), &raw mut flags) != 0
            }
        };
        (4..4 * 2048).step_by(4).filter(open).count() as u64
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod system {
    use super::Resources;

    pub(super) fn now() -> Resources {
        Resources {
            memory: None,
            threads: None,
            handles: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Resources;
    use std::hint::black_box;
    use std::sync::mpsc::channel;
    use std::{fs, thread};

    /// Other tests run in this process at the same time, so only large changes are looked for.
    #[test]
    fn what_is_used_is_counted() {
        const MANY: u64 = 200;
        const BYTES: usize = 256 << 20;
        let before = Resources::now();
        let memory = black_box(vec![1_u8; BYTES]);
        let files: Vec<_> = (0..MANY)
            .map(|_| fs::File::open(std::env::current_exe().unwrap()).unwrap())
            .collect();
        let (end, wait) = channel::<()>();
        let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
        let threads: Vec<_> = (0..MANY)
            .map(|_| {
                let wait = wait.clone();
                thread::spawn(move || wait.lock().unwrap().recv())
            })
            .collect();
        let now = Resources::now();
        drop((memory, files, end));
        for thread in threads {
            let _ = thread.join();
        }
        let more = |now: Option<u64>, before: Option<u64>| Some(now?.saturating_sub(before?));
        assert!(more(now.memory, before.memory).is_none_or(|more| more > BYTES as u64 / 2));
        assert!(more(now.handles, before.handles).is_none_or(|more| more > MANY / 2));
        assert!(more(now.threads, before.threads).is_none_or(|more| more > MANY / 2));
    }
}
