//! Sessions on files of another version of the plugin.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use api_sys::*;
use ddi_sys::VersionNumber;
use parking_lot::Mutex;
use runtime_test_support::api::*;
use runtime_test_support::plugin::set_versions;
use windows_core::HRESULT;

/// `D3D12_ERROR_DRIVER_VERSION_MISMATCH`.
const VERSION_MISMATCH: HRESULT = HRESULT(0x887E_0002_u32.cast_signed());

const fn version(major: u16, minor: u16, build: u16, revision: u16) -> u64 {
    VersionNumber::new(major, minor, build, revision).bits()
}

fn open(
    path: &Path,
    target: Option<D3D12_COMPILER_TARGET>,
    application: Option<&Application>,
) -> Result<ID3D12CompilerCacheSession, HRESULT> {
    try_session(&scripted(), &[(ALL, path.into())], target, application)
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut log = self.0.lock();
        log.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What the log gets.
fn logged<T>(run: impl FnOnce() -> T) -> (T, String) {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let result = tracing::subscriber::with_default(subscriber, run);
    let log = log.0.lock();
    (result, String::from_utf8_lossy(&log).into_owned())
}

#[test]
fn versions_say_whether_a_file_is_added_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("a.psdb");
    let application = Application::default();
    let (compiler, profile) = (version(1, 2, 3, 4), version(1, 0, 0, 0));
    set_versions(compiler, profile);
    drop(open(path, Some(TARGET), Some(&application)).unwrap());
    let before = fs::read(path).unwrap();

    let mismatch = Err(VERSION_MISMATCH);
    for (compiler, profile, expected, says) in [
        (version(1, 2, 3, 4), profile, Ok(()), None),
        (version(1, 2, 3, 5), profile, Ok(()), None),
        (
            version(1, 2, 4, 0),
            profile,
            Ok(()),
            Some("its compiler version is 1.2.3.4, not 1.2.4.0"),
        ),
        (
            version(1, 3, 0, 0),
            profile,
            mismatch,
            Some("its compiler version is 1.2.3.4, not 1.3.0.0"),
        ),
        (
            version(2, 0, 0, 0),
            profile,
            mismatch,
            Some("its compiler version is 1.2.3.4, not 2.0.0.0"),
        ),
        (
            version(0, 9, 0, 0),
            profile,
            mismatch,
            Some("its compiler version is 1.2.3.4, not 0.9.0.0"),
        ),
        (
            compiler,
            version(1, 0, 0, 1),
            mismatch,
            Some("its application profile version is 1.0.0.0, not 1.0.0.1"),
        ),
        (
            compiler,
            0,
            mismatch,
            Some("its application profile version is 1.0.0.0, not 0.0.0.0"),
        ),
    ] {
        set_versions(compiler, profile);
        // What the caller leaves out is that of the file.
        for (target, application) in [
            (Some(TARGET), Some(&application)),
            (Some(TARGET), None),
            (None, Some(&application)),
            (None, None),
        ] {
            let (result, log) = logged(|| open(path, target, application).map(drop));
            assert_eq!(result, expected, "{compiler:x} {profile:x}");
            match says {
                None => assert_eq!(log, "", "{compiler:x} {profile:x}"),
                Some(says) => assert!(
                    log.contains(says) && log.contains("a.psdb"),
                    "{says}: {log}"
                ),
            }
        }
    }
    assert!(fs::read(path).unwrap() == before);
}

#[test]
fn a_session_of_another_version_is_not_mixed_with_an_open_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("a.psdb");
    let application = Application::default();
    set_versions(version(1, 0, 0, 0), 0);
    let first = open(path, Some(TARGET), Some(&application)).unwrap();
    set_versions(version(1, 0, 1, 0), 0);
    let (second, log) = logged(|| open(path, None, None));
    assert!(
        second.is_ok() && log.contains("would be better compiled again"),
        "{log}"
    );
    set_versions(version(2, 0, 0, 0), 0);
    assert_eq!(open(path, None, None).unwrap_err(), VERSION_MISMATCH);
    drop((first, second));
}

#[test]
fn abi_version_0_is_the_newest_also_for_a_file_that_exists() {
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("a.psdb");
    let application = Application::default();
    let of_abi = |abi| D3D12_COMPILER_TARGET {
        ABIVersion: abi,
        ..TARGET
    };
    drop(open(path, Some(of_abi(2)), Some(&application)).unwrap());
    let (result, log) = logged(|| open(path, Some(of_abi(0)), None).map(drop));
    assert_eq!(result, Err(E_INVALIDARG));
    assert!(log.contains("its ABI version is 2, not 3"), "{log}");
    for target in [None, Some(of_abi(2))] {
        let session = open(path, target, None).unwrap();
        // SAFETY: the session is alive.
        assert_eq!(unsafe { session.compiler_target() }.ABIVersion, 2);
    }
}
