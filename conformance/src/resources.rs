//! What this process uses, as the system counts it. A number is `None` where the system does not say.

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

/// By how many bytes this process grows in each of three rounds at least; none where the system does not say. Memory that leaks
/// is gone in every round; what the allocator does differs between them.
pub(crate) fn least_growth<E>(mut round: impl FnMut() -> Result<(), E>) -> Result<Option<u64>, E> {
    let mut before = Resources::now().memory;
    let mut least = None;
    for number in 0..3 {
        round()?;
        let now = Resources::now().memory;
        let growth = now.zip(before).map(|(now, then)| now.saturating_sub(then));
        least = if number == 0 {
            growth
        } else {
            least.min(growth)
        };
        before = now;
    }
    Ok(least)
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
