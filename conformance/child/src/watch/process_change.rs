//! Makes what is different around a second process.

use std::io;
use std::path::Path;
use std::process::Command;

use conformance_protocol::ProcessChange;
use plugin_host::DdiVersions;

/// Whether the clock that a plugin sees can be set in a process of ours: the module `clock` of the executable says how.
/// Where it cannot, another time is a little later.
pub const CLOCK_IS_OURS: bool = cfg!(all(
    target_os = "linux",
    target_env = "gnu",
    target_pointer_width = "64"
));

/// Variables that Windows needs to load libraries.
const SYSTEM_VARIABLES: [&str; 4] = ["SystemRoot", "SystemDrive", "windir", "TEMP"];
/// Variables with this prefix are the tool's own, or its user's for the plugin under test.
const OWN_PREFIX: &str = "DDI_";
/// The locale that [`ProcessChange::Locale`] sets.
const LOCALE: &str = "de_DE.UTF-8";

/// Has `command` start in a folder or an environment that is different. What else a change needs is
/// made in `folder`.
pub(crate) fn prepare(
    change: ProcessChange,
    command: &mut Command,
    folder: &Path,
) -> io::Result<()> {
    match change {
        ProcessChange::Variables => {
            command.env_clear();
            command.envs(std::env::vars_os().filter(|(name, _)| {
                let name = name.to_string_lossy();
                let system = SYSTEM_VARIABLES
                    .iter()
                    .any(|known| name.eq_ignore_ascii_case(known));
                system || name.starts_with(OWN_PREFIX) || name == DdiVersions::VARIABLE
            }));
        }
        ProcessChange::Folder => {
            let empty = folder.join("empty");
            std::fs::create_dir(&empty)?;
            command.current_dir(empty);
        }
        ProcessChange::User => {
            let home = folder.join("home");
            std::fs::create_dir(&home)?;
            for name in ["USER", "USERNAME", "LOGNAME", "HOSTNAME", "COMPUTERNAME"] {
                command.env(name, "somebody-else");
            }
            for name in [
                "HOME",
                "USERPROFILE",
                "APPDATA",
                "LOCALAPPDATA",
                "TMPDIR",
                "TMP",
                "TEMP",
            ] {
                command.env(name, &home);
            }
        }
        ProcessChange::TimeZone => {
            command.env("TZ", "DDI-11:37");
        }
        ProcessChange::Locale => {
            command.env("LANG", LOCALE).env("LC_ALL", LOCALE);
            #[cfg(all(target_os = "linux", target_env = "gnu"))]
            locale::prepare(command, folder)?;
        }
        ProcessChange::Layout => {
            // As large as Windows lets a variable be.
            command.env("DDI_ROOM", "-".repeat(30_000));
            #[cfg(target_os = "linux")]
            layout::prepare(command);
        }
        // The clock is set in the process itself.
        ProcessChange::Time => {}
    }
    Ok(())
}

/// Makes what of the change a process makes for itself, before it loads what is tested; whether it can.
pub(crate) fn begin(change: ProcessChange) -> bool {
    change != ProcessChange::Locale || locale::begin()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod locale {
    use super::LOCALE;
    use std::ffi::CString;
    use std::path::Path;
    use std::process::Command;
    use std::{io, ptr};

    /// Few systems have a locale whose decimal point is a comma. The C library finds others in the folder that LOCPATH
    /// names, and only those.
    pub(super) fn prepare(command: &mut Command, folder: &Path) -> io::Result<()> {
        let name = CString::new(LOCALE).expect("no NUL");
        // With LOCPATH this process finds others than the one that is started.
        let installed = if std::env::var_os("LOCPATH").is_none() {
            // SAFETY: a string that ends with a NUL, and no locale to change.
            unsafe { libc::newlocale(libc::LC_ALL_MASK, name.as_ptr(), ptr::null_mut()) }
        } else {
            ptr::null_mut()
        };
        if !installed.is_null() {
            // SAFETY: it is a locale, which nobody uses.
            unsafe { libc::freelocale(installed) };
            return Ok(());
        }
        let locales = folder.join("locales");
        let ours = locales.join(LOCALE);
        std::fs::create_dir_all(&ours)?;
        std::fs::write(ours.join("LC_NUMERIC"), numeric())?;
        command.env("LOCPATH", locales);
        Ok(())
    }

    /// The file of a locale's category LC_NUMERIC, as localedef(1) writes it: a magic number, the number of
    /// fields, the place of each, and the fields.
    fn numeric() -> Vec<u8> {
        const MAGIC: u32 = 0x2003_1115;
        let wide = |character: char| u32::from(character).to_ne_bytes().to_vec();
        let fields = [
            b",\0\0\0".to_vec(),
            b".\0\0\0".to_vec(),
            b"\x03\x03\0\0".to_vec(),
            wide(','),
            wide('.'),
            b"UTF-8\0".to_vec(),
        ];
        let numbers = 2 + fields.len();
        let category = u32::try_from(libc::LC_NUMERIC).unwrap_or_default();
        let mut head = vec![MAGIC ^ category, 6];
        let mut place = 4 * numbers;
        for field in &fields {
            head.push(u32::try_from(place).unwrap_or_default());
            place += field.len();
        }
        let head = head.into_iter().flat_map(u32::to_ne_bytes);
        head.chain(fields.into_iter().flatten()).collect()
    }

    /// The decimal comma is what there is in any case.
    pub(super) fn begin() -> bool {
        // One by one, as a system may have some and not all. Of the last one the result counts.
        let set = [
            libc::LC_CTYPE,
            libc::LC_COLLATE,
            libc::LC_TIME,
            libc::LC_NUMERIC,
        ]
        // SAFETY: an empty string that ends with a NUL; no other thread runs yet.
        .map(|category| unsafe { libc::setlocale(category, c"".as_ptr()) });
        set.last().is_some_and(|set| !set.is_null())
    }

    #[cfg(test)]
    mod tests {
        use super::numeric;

        #[test]
        fn every_field_is_inside_the_file() {
            let file = numeric();
            let number = |at: usize| {
                let bytes = file[4 * at..4 * at + 4].try_into().expect("four bytes");
                u32::from_ne_bytes(bytes) as usize
            };
            assert_eq!(number(1), 6);
            let places: Vec<_> = (2..8).map(number).collect();
            assert!(places.is_sorted() && places.iter().all(|place| *place < file.len()));
            assert!(places[3].is_multiple_of(4) && places[4].is_multiple_of(4));
            assert_eq!(file[places[0]], b',');
        }
    }
}

#[cfg(windows)]
mod locale {
    use std::ffi::{c_char, c_int};

    /// The C library of Windows takes no locale from the environment.
    pub(super) fn begin() -> bool {
        const LC_ALL: c_int = 0;
        unsafe extern "C" {
            fn setlocale(category: c_int, locale: *const c_char) -> *mut c_char;
        }
        // SAFETY: a string that ends with a NUL; no other thread runs yet.
        let set = unsafe { setlocale(LC_ALL, c"German_Germany".as_ptr()) };
        !set.is_null()
    }
}

#[cfg(not(any(windows, all(target_os = "linux", target_env = "gnu"))))]
mod locale {
    pub(super) fn begin() -> bool {
        false
    }
}

#[cfg(target_os = "linux")]
mod layout {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    pub(super) fn prepare(command: &mut Command) {
        let fixed = || {
            let flags = libc::c_ulong::try_from(libc::ADDR_NO_RANDOMIZE).unwrap_or_default();
            // A system may refuse it: then the layout is as random as it was.
            // SAFETY: takes a number.
            unsafe { libc::personality(flags) };
            Ok(())
        };
        // SAFETY: between fork and exec the closure makes one system call.
        unsafe { command.pre_exec(fixed) };
    }
}
