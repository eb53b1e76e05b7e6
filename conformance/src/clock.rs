//! The clock that a plugin in this process sees.
//!
//! With glibc a library finds a function in the executable first, and in the C library only where the
//! executable has none. So the functions that ask for the time of day are here, and add what the clock
//! was set by. Elsewhere the clock stays as it is.

/// Sets the clock by so much, for this process.
pub(crate) fn set_by(seconds: i64) {
    imp::set_by(seconds);
}

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod imp {
    use libc::{
        CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_TAI, SYS_clock_gettime, c_int, c_void,
        clockid_t, time_t, timespec, timeval,
    };
    use std::sync::atomic::{AtomicI64, Ordering};

    static SET_BY: AtomicI64 = AtomicI64::new(0);

    pub(super) fn set_by(seconds: i64) {
        SET_BY.store(seconds, Ordering::Relaxed);
    }

    /// # Safety
    ///
    /// That of the C library's function.
    // SAFETY: it does what the C library's function of this name does.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
        // SAFETY: clock_gettime(2): `time` is valid for writes; the system call writes one
        // timespec.
        let result = unsafe { libc::syscall(SYS_clock_gettime, clock, time) };
        if result == 0 && matches!(clock, CLOCK_REALTIME | CLOCK_REALTIME_COARSE | CLOCK_TAI) {
            // SAFETY: the system call has written it.
            unsafe { (*time).tv_sec += SET_BY.load(Ordering::Relaxed) as time_t };
        }
        c_int::try_from(result).unwrap_or(-1)
    }

    fn now() -> timespec {
        let mut now = timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: one timespec of ours.
        unsafe { clock_gettime(CLOCK_REALTIME, &raw mut now) };
        now
    }

    /// # Safety
    ///
    /// That of the C library's function.
    // SAFETY: the C library's own name, with its type: what follows does what the C library's function does.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn gettimeofday(time: *mut timeval, _zone: *mut c_void) -> c_int {
        let now = now();
        // SAFETY: gettimeofday(2): `time` is null or valid for writes.
        if let Some(time) = unsafe { time.as_mut() } {
            time.tv_sec = now.tv_sec;
            time.tv_usec = now.tv_nsec / 1000;
        }
        0
    }

    /// # Safety
    ///
    /// That of the C library's function.
    // SAFETY: the C library's own name, with its type: what follows does what the C library's function does.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn timespec_get(time: *mut timespec, base: c_int) -> c_int {
        const TIME_UTC: c_int = 1;
        if base != TIME_UTC {
            return 0;
        }
        // SAFETY: timespec_get(3): `time` is valid for writes.
        unsafe { time.write(now()) };
        base
    }

    /// # Safety
    ///
    /// That of the C library's function.
    // SAFETY: the C library's own name, with its type: what follows does what the C library's function does.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn time(time: *mut time_t) -> time_t {
        let now = now().tv_sec;
        // SAFETY: time(2): `time` is null or valid for writes.
        if let Some(time) = unsafe { time.as_mut() } {
            *time = now;
        }
        now
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")))]
mod imp {
    pub(super) fn set_by(_seconds: i64) {}
}
