//! A process that is killed while it compiles. `COMPILER_CRASH_ROUNDS=50 cargo test -p d3d12-compiler-runtime --test com crash` kills
//! more often.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use api_sys::*;
use runtime_test_support::api::*;
use runtime_test_support::plugin::on_compile;

/// The folder that the child compiles into.
const FOLDER: &str = "COMPILER_RUNTIME_TEST_FOLDER";

fn files(folder: &Path) -> [(u32, PathBuf); 2] {
    [
        (4, folder.join("pdb.psdb")),
        (1 | 2, folder.join("code.psdb")),
    ]
}

#[test]
#[ignore = "the child process of the test below"]
fn child() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let factory = scripted();
    let session = try_session(
        &factory,
        &files(&folder),
        Some(TARGET),
        Some(&Application::default()),
    );
    let session = session.unwrap();
    let compiler = compiler(&factory, &session);
    let pipeline = ComputePipeline::default();
    // Goes on from what an earlier child has left.
    for number in 0_u32.. {
        let key = number.to_le_bytes();
        on_compile(move |compile| {
            use ddi_sys::D3D12DDI_COMPILER_CACHE_VALUE_TYPE as Type;
            let value = [key[0]; 9000];
            let values = [(Type(0), &value[..]), (Type(1), b"meta"), (Type(2), b"pdb")];
            let [first, second] = [b'a', b'b'].map(|half| [&[half][..], &key].concat());
            // Stored already if the child before was killed between values and group.
            let _ = (
                compile.store(&first, &values),
                compile.store(&second, &values),
            );
            compile.set_keys(&[&first, &second])
        });
        let result = compile(&compiler, &key, 1, &pipeline);
        assert!(
            [S_OK, DXGI_ERROR_ALREADY_EXISTS].contains(&result),
            "{result:?}"
        );
        println!("compiled {number}");
    }
}

fn rounds() -> u64 {
    std::env::var("COMPILER_CRASH_ROUNDS").map_or(6, |rounds| rounds.parse().unwrap())
}

#[test]
fn what_a_killed_process_has_in_its_files_is_whole() {
    let mut folder = tempfile::tempdir().unwrap();
    let (mut groups, mut said, mut lost, mut checked) = (0, 0, 0, 0);
    for round in 0..rounds() {
        if round % 6 == 0 {
            folder = tempfile::tempdir().unwrap();
            groups = 0;
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::child", "--ignored", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let (compiling, is_compiling) = mpsc::channel();
        let reader = thread::spawn(move || {
            let mut returned = Vec::new();
            let mut line = String::new();
            // A line that was cut off has not been said.
            while lines.read_line(&mut line).unwrap() > 0 && line.ends_with('\n') {
                if let Some((_, number)) = line.trim_end().rsplit_once("compiled ") {
                    returned.push(number.parse::<u32>().unwrap());
                    let _ = compiling.send(());
                }
                line.clear();
            }
            returned
        });
        is_compiling.recv().expect("the child compiles");
        // Somewhere in the middle of a transaction, or between two.
        thread::sleep(Duration::from_millis(300 + 43 * (round % 6)));
        child.kill().unwrap();
        child.wait().unwrap();
        let returned = reader.join().unwrap();

        let session = try_session(&scripted(), &files(folder.path()), None, None).unwrap();
        said += returned.len();
        for number in returned {
            // The last ones were not yet in the files.
            let values = group_values(&session, &number.to_le_bytes(), Some(1), ALL);
            match values.map(|values| values.len()) {
                Ok(values) => assert_eq!(values, 6, "{number}"),
                Err(error) => {
                    assert_eq!(error, DXGI_ERROR_NOT_FOUND, "{number}");
                    lost += 1;
                }
            }
        }
        let code = rusqlite::Connection::open(folder.path().join("code.psdb")).unwrap();
        let keys: Vec<Vec<u8>> = code
            .prepare("SELECT key FROM groupkeys")
            .and_then(|mut keys| keys.query_map([], |row| row.get(0))?.collect())
            .unwrap();
        for key in &keys {
            let values = group_values(&session, key, Some(1), ALL).unwrap();
            assert_eq!(values.len(), 6, "{key:?}");
        }
        assert!(keys.len() >= groups, "{} after {groups}", keys.len());
        groups = keys.len();
        checked += groups;
        for (_, path) in files(folder.path()) {
            let file = rusqlite::Connection::open(path).unwrap();
            let check: String = file
                .query_row("PRAGMA integrity_check", [], |row| row.get(0))
                .unwrap();
            assert_eq!(check, "ok");
        }
    }
    assert!(checked > 0);
    println!(
        "{} kills: the files opened, integrity_check said ok, {said} compiles had returned, the last \
         {lost} of them were not yet in the files, {checked} groups had all their values",
        rounds()
    );
}
