//! Sessions on the same files.

use std::fs;

use api_sys::*;
use runtime_test_support::api::*;
use runtime_test_support::plugin::on_compile;

use crate::threads::{Shared, at_once};

#[test]
fn what_one_session_has_stored_every_other_one_has() {
    let folder = tempfile::tempdir().unwrap();
    let [path, again] = ["a.psdb", "./a.psdb"].map(|name| folder.path().join(name));
    let [one, other] = [session(&scripted(), &path), session(&scripted(), &again)];
    assert_eq!(store_group(&one, b"group", 1, &[b"value"]), S_OK);
    assert_eq!(
        store_group(&other, b"group", 2, &[]),
        DXGI_ERROR_ALREADY_EXISTS
    );
    assert_eq!(group_version(&other, b"group"), Ok(1));
    let code = |code| [const_value(OBJECT_CODE, code)];
    assert_eq!(store(&other, b"value", &code(b"first")), S_OK);
    assert_eq!(
        store(&one, b"value", &code(b"second")),
        DXGI_ERROR_ALREADY_EXISTS
    );
    for session in [&one, &other] {
        assert_eq!(find_one(session, b"value", OBJECT_CODE).unwrap(), b"first");
    }
    // What a session stores is in the file when it is gone, and the other one goes on.
    drop(one);
    let file = rusqlite::Connection::open(&path).unwrap();
    let groups: u32 = file
        .query_row("SELECT count(*) FROM groupkeys", [], |row| row.get(0))
        .unwrap();
    assert_eq!(groups, 1);
    drop(file);
    assert_eq!(store_group(&other, b"more", 1, &[b"value"]), S_OK);
    drop(other);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn of_one_group_one_session_wins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    // Some open the files while others close them.
    for _ in 0..20 {
        let results = at_once(|thread| {
            let factory = scripted();
            let session = Shared::new(session(&factory, &path));
            let compiler = compiler(&factory, session.get());
            (0..20_u8)
                .filter(|number| {
                    let key = [*number];
                    on_compile(move |compile| compile.store_object(&key, b"code"));
                    let version = u32::try_from(thread).unwrap();
                    let compiled = compile(&compiler, &key, version, &ComputePipeline::default());
                    assert!([S_OK, DXGI_ERROR_ALREADY_EXISTS].contains(&compiled));
                    compiled == S_OK
                })
                .count()
        });
        assert_eq!(results.iter().sum::<usize>(), 20, "{results:?}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn another_target_or_application_does_not_share() {
    let folder = tempfile::tempdir().unwrap();
    let files = [(ALL, folder.path().join("a.psdb"))];
    let factory = scripted();
    let usual = Application::default();
    let _open = try_session(&factory, &files, Some(TARGET), Some(&usual)).unwrap();
    let other = Application {
        name: wide("Other"),
        ..Application::default()
    };
    let refused = try_session(&factory, &files, Some(TARGET), Some(&other));
    assert_eq!(refused.unwrap_err(), E_INVALIDARG);
    assert!(try_session(&factory, &files, None, None).is_ok());
}

#[test]
fn a_store_that_failed_is_a_failure_and_stores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let failed = session(&scripted(), &path);
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch(
        "CREATE TRIGGER t BEFORE INSERT ON groupkeys BEGIN SELECT RAISE(ABORT, 'no more'); END",
    )
    .unwrap();
    assert_ne!(store_group(&failed, b"lost", 1, &[]), S_OK);
    file.execute_batch("DROP TRIGGER t").unwrap();
    drop(file);
    let next = session(&scripted(), &path);
    assert_eq!(group_version(&next, b"lost"), Err(DXGI_ERROR_NOT_FOUND));
    // It was one failure.
    assert_eq!(store_group(&failed, b"group", 1, &[]), S_OK);
    assert_eq!(group_version(&next, b"group"), Ok(1));
}

#[test]
fn of_two_sessions_for_other_types_the_first_to_store_wins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let factory = scripted();
    let open = |types| {
        let usual = Application::default();
        let files = [(types, path.clone())];
        try_session(&factory, &files, Some(TARGET), Some(&usual)).unwrap()
    };
    // Object code alone, and everything.
    let [code, all] = [open(1), open(ALL)];
    assert_eq!(store_group(&code, b"group", 1, &[]), S_OK);
    assert_eq!(
        store_group(&all, b"group", 2, &[]),
        DXGI_ERROR_ALREADY_EXISTS
    );
    assert_eq!(group_version(&all, b"group"), Ok(1));
}

/// Not a test of its own: what `an_exit_without_a_release_loses_nothing` starts.
#[test]
fn leaver() {
    let Some(path) = std::env::var_os("SESSION_LEFT") else {
        return;
    };
    let factory = scripted();
    let session = session(&factory, std::path::Path::new(&path));
    let compiler = compiler(&factory, &session);
    on_compile(|compile| compile.store_object(b"value", b"code"));
    assert_eq!(
        compile(&compiler, b"compiled", 1, &ComputePipeline::default()),
        S_OK
    );
    assert_eq!(store_group(&session, b"stored", 1, &[b"value"]), S_OK);
    std::process::exit(0);
}

#[test]
fn an_exit_without_a_release_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "shared_files::leaver"])
        .env("SESSION_LEFT", &path)
        .status()
        .unwrap();
    assert!(status.success());
    let session = session(&scripted(), &path);
    for group in [&b"compiled"[..], b"stored"] {
        assert_eq!(group_version(&session, group), Ok(1));
    }
    assert_eq!(find_one(&session, b"value", OBJECT_CODE).unwrap(), b"code");
}

#[cfg(unix)]
#[test]
fn a_file_that_was_removed_is_not_shared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.psdb");
    let removed = session(&scripted(), &path);
    assert_eq!(store_group(&removed, b"group", 1, &[]), S_OK);
    drop(session(&scripted(), &path));
    for file in fs::read_dir(folder.path()).unwrap() {
        fs::remove_file(file.unwrap().path()).unwrap();
    }
    let new = session(&scripted(), &path);
    assert_eq!(group_version(&new, b"group"), Err(DXGI_ERROR_NOT_FOUND));
    assert_eq!(store_group(&new, b"group", 2, &[]), S_OK);
    drop((removed, new));
    assert_eq!(group_version(&session(&scripted(), &path), b"group"), Ok(2));
}
