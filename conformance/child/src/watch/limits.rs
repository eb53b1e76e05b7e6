//! The limits of this process, which what is tested can lower: what the tool then cannot do is no error of the tool.

#[cfg(unix)]
const LIMITS: [(&str, Resource); 6] = [
    ("RLIMIT_NOFILE", libc::RLIMIT_NOFILE),
    ("RLIMIT_NPROC", libc::RLIMIT_NPROC),
    ("RLIMIT_AS", libc::RLIMIT_AS),
    ("RLIMIT_DATA", libc::RLIMIT_DATA),
    ("RLIMIT_STACK", libc::RLIMIT_STACK),
    ("RLIMIT_FSIZE", libc::RLIMIT_FSIZE),
];

#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(all(unix, not(all(target_os = "linux", target_env = "gnu"))))]
type Resource = libc::c_int;

/// The limits at one time, by name.
pub(crate) struct Limits(Vec<(&'static str, u64)>);

impl Limits {
    pub(crate) fn now() -> Self {
        #[cfg(unix)]
        let limits = LIMITS.map(|(name, resource)| (name, soft(resource))).into();
        // A process of Windows has none that it could lower.
        #[cfg(not(unix))]
        let limits = Vec::new();
        Self(limits)
    }

    /// The names of those that are lower now.
    pub(crate) fn lowered(&self) -> Vec<&'static str> {
        let both = self.0.iter().zip(Self::now().0);
        let lower = both.filter(|((_, before), (_, now))| now < before);
        lower.map(|((name, _), _)| *name).collect()
    }
}

#[cfg(unix)]
#[allow(clippy::useless_conversion, reason = "32-bit systems have 32 bits")]
fn soft(resource: Resource) -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure is writable.
    unsafe { libc::getrlimit(resource, &raw mut limit) };
    limit.rlim_cur.into()
}
