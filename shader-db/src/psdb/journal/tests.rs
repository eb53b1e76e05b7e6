//! What killed sessions leave, made without killing any. `tests/crash.rs` kills them.

use std::ops::ControlFlow;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::psdb::{Access, Application, Options, Psdb, Target};

fn options() -> Options {
    Options {
        target: Some(Target {
            family: "GPU".into(),
            abi: 1,
            compiler_version: 7,
            profile_version: 0,
        }),
        application: Some(Application {
            exe: "game.exe".into(),
            name: "Game".into(),
            version: 1,
            engine_name: None,
            engine_version: 0,
        }),
        access: Access::Create,
    }
}

fn owner() -> Owner {
    let options = options();
    Owner {
        types: ValueTypes::ALL,
        metadata: digest::metadata(&options.target.unwrap(), &options.application.unwrap()),
        side_files: [0; 4],
    }
}

const CODE: ValueType = ValueType::ObjectCode;

/// The main file, and side files for the other types.
fn split<'a>(main: &'a Path, debug: &'a Path, rest: &'a Path) -> [(ValueTypes, &'a Path); 3] {
    let others = [ValueType::Metadata, ValueType::PerformanceData];
    [
        (ValueType::DebugPdb.into(), debug),
        (CODE.into(), main),
        (others.into_iter().collect(), rest),
    ]
}

/// Of a session over these files beside the main file, in the order of [`split`].
fn owner_of_split(debug: &str, rest: &str) -> Owner {
    let [debug, rest] = [debug, rest].map(|name| side_file(name.as_ref(), "".as_ref()));
    Owner {
        side_files: [0, rest, debug, rest],
        ..owner()
    }
}

fn open(path: &Path) -> Psdb {
    Psdb::open(&[(ValueTypes::ALL, path)], &options()).unwrap()
}

/// A folder with a closed file in it, which has one value.
fn database() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap().join("a.psdb");
    let psdb = open(&path);
    psdb.store_value(b"old", &[(ValueType::ObjectCode, b"old")])
        .unwrap();
    psdb.close().unwrap();
    (folder, path)
}

fn beside(path: &Path) -> Vec<String> {
    let names = fs::read_dir(path.parent().unwrap()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != "a.psdb").collect();
    names.sort();
    names
}

/// Its own two values, which are a function of the number.
fn values(number: u32) -> Item {
    let (key, code) = (number.to_le_bytes(), code(number));
    let values = [
        (ValueType::ObjectCode, &code[..]),
        (ValueType::DebugPdb, &key),
    ];
    Item::values(
        pending::hash(Kind::Values, &key),
        &key,
        &values,
        &Buffers::default(),
    )
}

fn code(number: u32) -> Vec<u8> {
    vec![number.to_le_bytes()[0]; 1 + number as usize * 77 % 5000]
}

/// A group of the two values before it.
fn group(number: u32) -> Item {
    let key = number.to_le_bytes();
    let keys = [(number - 1).to_le_bytes(), (number - 2).to_le_bytes()];
    Item::group(
        pending::hash(Kind::Group, &key),
        &key,
        3,
        &[&keys[0], &keys[1]],
    )
}

/// Every third one is a group.
fn item(number: u32) -> Item {
    if number % 3 == 2 {
        group(number)
    } else {
        values(number)
    }
}

/// Whether the session has the item of this number, which is then the right one.
fn has(psdb: &Psdb, number: u32) -> bool {
    let key = number.to_le_bytes();
    if number % 3 == 2 {
        let mut keys = Vec::new();
        let found = psdb.group_value_keys(&key, 3, &mut |key| keys.push(key.to_vec()));
        if found.unwrap() {
            assert_eq!(
                keys,
                [(number - 1).to_le_bytes(), (number - 2).to_le_bytes()]
            );
            assert!(
                has(psdb, number - 1) && has(psdb, number - 2),
                "no group without values"
            );
        }
        return !keys.is_empty();
    }
    let found = [
        (ValueType::ObjectCode, code(number)),
        (ValueType::DebugPdb, key.to_vec()),
    ]
    .map(|(kind, expected)| {
        psdb.find_value(&key, kind, &mut |value| assert_eq!(value, expected))
            .unwrap()
    });
    assert_eq!(found[0], found[1], "all of a record or nothing");
    found[0]
}

fn has_old(psdb: &Psdb) -> bool {
    psdb.find_value(b"old", ValueType::ObjectCode, &mut |value| {
        assert_eq!(value, b"old");
    })
    .unwrap()
}

/// A journal as a killed process leaves it: the numbers from one to before another in a segment of their own.
fn leave(path: &Path, turns: &[(u32, u32)]) -> PathBuf {
    leave_of(owner(), path, turns)
}

fn leave_of(owner: Owner, path: &Path, turns: &[(u32, u32)]) -> PathBuf {
    let mut journal = Journal::create(path, owner).unwrap();
    for (turn, (first, end)) in turns.iter().enumerate() {
        if turn > 0 {
            journal.turn();
        }
        for number in *first..*end {
            journal.append(&mut item(number), 0, false).unwrap();
        }
    }
    journal.path.clone()
}

/// The numbers of the items that the journal has.
fn left(path: &Path) -> Vec<u32> {
    let orphan = orphans(path).next().unwrap();
    let items = orphan.items(owner(), 1, &Buffers::default()).unwrap();
    let items = items.unwrap().into_iter();
    items
        .map(|item| u32::from_le_bytes(item.key().try_into().unwrap()))
        .collect()
}

#[test]
fn what_a_killed_session_left_is_found_and_written() {
    let (_folder, path) = database();
    let journal = leave(&path, &[(0, 30), (30, 90)]);
    let bytes = fs::read(&journal).unwrap();
    assert_eq!(left(&path), (0..90).collect::<Vec<_>>());
    // Killed before the journal was removed, in the second round; in the third, when all of it was there for long.
    for round in 0..3 {
        let psdb = open(&path);
        assert_eq!(
            beside(&path)
                .iter()
                .filter(|name| name.contains("pending"))
                .count(),
            0
        );
        assert!(has_old(&psdb) && (0..90).all(|number| has(&psdb, number)));
        if round == 0 {
            fs::write(&journal, &bytes).unwrap();
            drop(psdb);
        } else {
            psdb.close().unwrap();
            fs::write(&journal, &bytes).unwrap();
        }
    }
    fs::remove_file(&journal).unwrap();
    let file = crate::psdb::File::open(&path).unwrap();
    assert!(file.is_finished());
    assert_eq!(file.check_structure().unwrap(), [""; 0]);
    let counts = file.counts().unwrap();
    assert_eq!(
        (counts.keys, counts.values, counts.groups),
        (61, [61, 0, 60, 0], 30)
    );
    assert_eq!(beside(&path), [""; 0]);
}

#[test]
fn what_is_held_is_written_in_order_with_what_follows() {
    let (_folder, path) = database();
    let mut journal = Journal::create(&path, owner()).unwrap();
    let mut count = 0;
    let mut append = |journal: &mut Journal, hold| {
        journal.append(&mut item(count), 0, hold).unwrap();
        count += 1;
        count
    };
    // What is left when the process is killed here: another one looks, and the journal is locked.
    let bytes = |journal: &Journal| fs::read(&journal.path);
    append(&mut journal, false);
    append(&mut journal, true);
    append(&mut journal, true);
    let held = bytes(&journal);
    append(&mut journal, false);
    let written = bytes(&journal);
    append(&mut journal, true);
    journal.turn();
    append(&mut journal, true);
    let turned = bytes(&journal);
    journal.write_held().unwrap();
    // More than is held back.
    while append(&mut journal, true) < 2000 {}
    journal.write_held().unwrap();
    let file = journal.path.clone();
    drop(journal);
    assert_eq!(left(&path), (0..2000).collect::<Vec<_>>());
    for (bytes, count) in [(held, 1), (written, 4), (turned, 5)] {
        // Windows reads no locked file.
        if let Ok(bytes) = bytes {
            fs::write(&file, bytes).unwrap();
            assert_eq!(left(&path), (0..count).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_session_that_only_reads_leaves_it() {
    let (_folder, path) = database();
    leave(&path, &[(0, 3)]);
    let options = Options {
        access: Access::Read,
        ..Options::default()
    };
    let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &options).unwrap();
    assert!(has_old(&psdb) && !has(&psdb, 0));
    drop(psdb);
    assert_eq!(beside(&path), ["a.psdb-pending-0"]);
    assert!(has(&open(&path), 2));
}

#[test]
fn a_journal_is_there_from_the_first_store_to_the_end() {
    let (_folder, path) = database();
    drop(open(&path));
    assert_eq!(beside(&path), [""; 0]);
    let psdb = open(&path);
    assert!(has_old(&psdb));
    assert_eq!(
        beside(&path)
            .iter()
            .filter(|name| name.contains("pending"))
            .count(),
        0
    );
    psdb.store_group(b"g", 1, &[]).unwrap();
    assert!(beside(&path).contains(&"a.psdb-pending-0".to_owned()));
    psdb.close().unwrap();
    assert_eq!(beside(&path), [""; 0]);
    // Killed before its first record.
    fs::write(schema::beside(&path, "-pending-7"), b"").unwrap();
    open(&path).close().unwrap();
    assert_eq!(beside(&path), [""; 0]);
}

#[test]
fn a_torn_record_is_none() {
    let (_folder, path) = database();
    let journal = leave(&path, &[(0, 5)]);
    let whole = fs::read(&journal).unwrap();
    let sizes = (0..4).map(|number| HEAD + item(number).size());
    let last = usize::try_from(START).unwrap() + sizes.sum::<usize>();
    let end = last + HEAD + item(4).size();
    for cut in (last..end).step_by(41).chain([last, end - 1]) {
        // The system writes page by page; what it has not written is as it was.
        let mut torn = whole.clone();
        torn[cut..end].fill(0xaa);
        fs::write(&journal, &torn).unwrap();
        assert_eq!(left(&path), [0, 1, 2, 3], "{cut}");
        fs::write(&journal, &whole[..cut]).unwrap();
        assert_eq!(left(&path), [0, 1, 2, 3], "{cut}");
    }
    for at in (last..end).step_by(7).chain(last..last + HEAD) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&journal, &damaged).unwrap();
        assert_eq!(left(&path), [0, 1, 2, 3], "{at}");
    }
    let psdb = open(&path);
    assert!(has(&psdb, 3) && !has(&psdb, 4));
}

#[test]
fn records_of_an_earlier_turn_are_none() {
    let (_folder, path) = database();
    let journal = leave(&path, &[(0, 30), (30, 60), (0, 6)]);
    assert_eq!(left(&path), (30..60).chain(0..6).collect::<Vec<_>>());
    // Turned, and killed before the next store.
    fs::remove_file(&journal).unwrap();
    let journal = leave(&path, &[(0, 30), (30, 60), (0, 0)]);
    assert_eq!(left(&path), (0..60).collect::<Vec<_>>());
    // In between a batch with nothing that was in the journal.
    fs::remove_file(&journal).unwrap();
    leave(&path, &[(0, 30), (0, 0), (30, 60)]);
    assert_eq!(left(&path), (0..60).collect::<Vec<_>>());
}

#[test]
fn a_record_inside_a_value_is_none() {
    let (_folder, path) = database();
    // As another journal had it: the number is right, the place as well, the identity is not.
    let mut other = Journal::create(&path, owner()).unwrap();
    other.append(&mut item(0), 0, false).unwrap();
    other.append(&mut item(1), 0, false).unwrap();
    let forged_at = usize::try_from(START).unwrap() + HEAD + item(0).size();
    let other_path = other.path.clone();
    drop(other);
    let bytes = fs::read(&other_path).unwrap();
    let forged = &bytes[forged_at..][..HEAD + item(1).size()];
    assert!(read_record(forged, id_of(&bytes), 1, &Buffers::default()).is_some());
    fs::remove_file(other_path).unwrap();

    let mut journal = Journal::create(&path, owner()).unwrap();
    let mut value = vec![0; item(0).size()];
    value.extend_from_slice(forged);
    let key = u32::MAX.to_le_bytes();
    let hash = pending::hash(Kind::Values, &key);
    let values = [(ValueType::ObjectCode, &value[4..])];
    let mut hiding = Item::values(hash, &key, &values, &Buffers::default());
    journal.append(&mut hiding, 0, false).unwrap();
    // In a later turn the record is where the one after the first is expected.
    journal.at = 0;
    journal.next = 0;
    journal.append(&mut item(0), 0, false).unwrap();
    let bytes = fs::read(&journal.path);
    drop(journal);
    if let Ok(bytes) = bytes {
        assert_eq!(bytes[forged_at..][..forged.len()], *forged);
    }
    assert_eq!(left(&path), [0]);
}

fn id_of(journal: &[u8]) -> u64 {
    u64::from_le_bytes(journal[32..40].try_into().unwrap())
}

#[test]
fn what_does_not_continue_the_file_or_the_older_half_is_dropped() {
    let (_folder, path) = database();
    let second = usize::try_from(START).unwrap() + SEGMENT;
    let start = usize::try_from(START).unwrap();
    // Where the bytes are damaged, and what is left.
    let cases: [(usize, &[u32]); 4] = [
        // The first record of the older half, its head; a later one.
        (start + 9, &[]),
        (start + HEAD + item(0).size() + HEAD + 1, &[0]),
        // The newer half.
        (second + 9, &[0, 1, 2]),
        (second + HEAD + 1, &[0, 1, 2]),
    ];
    let journal = leave(&path, &[(0, 3), (3, 6)]);
    let whole = fs::read(&journal).unwrap();
    for (at, expected) in cases {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&journal, &damaged).unwrap();
        assert_eq!(left(&path), expected, "{at}");
    }
    fs::remove_file(&journal).unwrap();

    // The file that it belongs to had more than this one, or is for another target.
    for (rows, metadata) in [(2, owner().metadata), (0, 1)] {
        let owner = Owner {
            metadata,
            ..owner()
        };
        let mut journal = Journal::create(&path, owner).unwrap();
        journal.append(&mut item(0), rows, false).unwrap();
        drop(journal);
        assert!(!has(&open(&path), 0));
        assert_eq!(beside(&path), [""; 0]);
    }
}

#[test]
fn live_sessions_keep_theirs() {
    let (_folder, path) = database();
    let live = [open(&path), open(&path)];
    for (number, psdb) in (0..).zip(&live) {
        psdb.store_value(&[9, number], &[(ValueType::Metadata, b"live")])
            .unwrap();
    }
    let orphan = leave(&path, &[(0, 3)]);
    assert!(orphan.ends_with("a.psdb-pending-2"));
    let psdb = open(&path);
    assert!((0..3).all(|number| has(&psdb, number)));
    let names = beside(&path);
    let pending: Vec<_> = names
        .iter()
        .filter(|name| name.contains("pending"))
        .collect();
    assert_eq!(pending, ["a.psdb-pending-0", "a.psdb-pending-1"]);
    psdb.store_group(b"third", 1, &[]).unwrap();
    assert!(beside(&path).contains(&"a.psdb-pending-2".to_owned()));
    for psdb in live {
        psdb.close().unwrap();
    }
    psdb.close().unwrap();
    assert_eq!(beside(&path), [""; 0]);
    let psdb = open(&path);
    for number in 0..2 {
        assert_eq!(
            psdb.value_size(&[9, number], ValueType::Metadata),
            Ok(Some(4))
        );
    }
}

#[test]
fn a_name_that_was_removed_is_no_lock() {
    let (_folder, path) = database();
    let name = schema::beside(&path, "-pending-0");
    let first = lock(&name, true).unwrap().unwrap();
    assert!(lock(&name, true).unwrap().is_none());
    if cfg!(unix) {
        // Opened before it was removed, locked after.
        let late = File::open(&name).unwrap();
        remove(first, &name);
        late.try_lock().unwrap();
        assert!(!is_at(&late, &name).unwrap());
        let second = lock(&name, true).unwrap().unwrap();
        assert!(!is_at(&late, &name).unwrap() && is_at(&second, &name).unwrap());
    } else {
        fs::remove_file(&name).unwrap_err();
        remove(first, &name);
        assert!(!name.exists());
    }
}

#[test]
fn a_session_without_the_types_or_the_files_leaves_it_to_one_with_them() {
    let (folder, path) = database();
    let side = |name: &str| path.with_file_name(name);
    let [debug, rest, other] = ["debug.psdb", "rest.psdb", "other.psdb"].map(side);
    let journal = leave_of(owner_of_split("debug.psdb", "rest.psdb"), &path, &[(0, 3)]);
    let open = |files: &[(ValueTypes, &Path)]| Psdb::open(files, &options()).unwrap();
    let elsewhere = [
        &[(CODE.into(), &*path)][..],
        &[(ValueTypes::ALL, &path)],
        &split(&path, &other, &rest),
        &split(&path, &rest, &debug),
    ];
    for (number, files) in (0_u8..).zip(elsewhere) {
        let psdb = open(files);
        for number in [0_u32, 1] {
            assert_eq!(psdb.value_size(&number.to_le_bytes(), CODE), Ok(None));
        }
        assert_eq!(psdb.find_group(&2_u32.to_le_bytes()), Ok(None));
        psdb.store_value(&[9, number], &[(CODE, b"new")]).unwrap();
        assert!(beside(&path).contains(&"a.psdb-pending-1".to_owned()));
        psdb.close().unwrap();
        assert!(journal.exists());
        for file in [&debug, &rest, &other] {
            let _ = fs::remove_file(file);
        }
    }
    assert_eq!(beside(&path), ["a.psdb-pending-0"]);

    // All of them were moved together.
    let moved = folder.path().join("moved");
    fs::create_dir(&moved).unwrap();
    let [path, journal, debug, rest] =
        [&path, &journal, &debug, &rest].map(|path| moved.join(path.file_name().unwrap()));
    for name in ["a.psdb", "a.psdb-pending-0"] {
        fs::rename(folder.path().join(name), moved.join(name)).unwrap();
    }
    let psdb = open(&split(&path, &debug, &rest));
    assert!((0..3).all(|number| has(&psdb, number)));
    psdb.close().unwrap();
    assert!(!journal.exists());
    assert_eq!(beside(&path), ["debug.psdb", "rest.psdb"]);
    // Every file has every group.
    for (file, values) in [
        (&path, [7, 0, 0, 0]),
        (&debug, [0, 0, 2, 0]),
        (&rest, [0; 4]),
    ] {
        let counts = crate::psdb::File::open(file).unwrap().counts().unwrap();
        assert_eq!((counts.values, counts.groups), (values, 1));
    }
}

#[test]
fn side_files_get_the_groups_of_the_main_file() {
    let (_folder, path) = database();
    let [debug, rest] = ["debug.psdb", "rest.psdb"].map(|name| path.with_file_name(name));
    let files = split(&path, &debug, &rest);
    let key = 2_u32.to_le_bytes();
    let psdb = Psdb::open(&files, &options()).unwrap();
    psdb.store_group(&key, 1, &[b"old"]).unwrap();
    psdb.close().unwrap();
    // Of a session that has not seen that group.
    let owner = owner_of_split("debug.psdb", "rest.psdb");
    leave_of(owner, &path, &[(0, 6)]);
    Psdb::open(&files, &options()).unwrap().close().unwrap();
    for (types, path) in files {
        let psdb = Psdb::open(&[(types, path)], &Options::default()).unwrap();
        let mut keys = Vec::new();
        let found = psdb.group_value_keys(&key, 1, &mut |key| keys.push(key.to_vec()));
        assert_eq!((found, keys), (Ok(true), vec![b"old".to_vec()]));
        assert_eq!(psdb.find_group(&5_u32.to_le_bytes()), Ok(Some(3)));
        drop(psdb);
        let file = crate::psdb::File::open(path).unwrap();
        assert_eq!(file.check_structure().unwrap(), [""; 0]);
    }
}

#[test]
fn nobody_can_tell_that_a_finished_file_got_a_journal() {
    let (_folder, path) = database();
    leave(&path, &[(0, 30), (30, 90)]);
    open(&path).close().unwrap();
    let (_other, other) = database();
    fs::remove_file(&other).unwrap();
    let psdb = open(&other);
    for number in (0_u32..90).rev() {
        let key = number.to_le_bytes();
        if number % 3 == 2 {
            let keys = [(number - 1).to_le_bytes(), (number - 2).to_le_bytes()];
            psdb.store_group(&key, 3, &[&keys[0], &keys[1]]).unwrap();
        } else {
            let code = code(number);
            let values = [(CODE, &code[..]), (ValueType::DebugPdb, &key)];
            psdb.store_value(&key, &values).unwrap();
        }
    }
    psdb.store_value(b"old", &[(CODE, b"old")]).unwrap();
    psdb.close().unwrap();
    assert!(fs::read(&path).unwrap() == fs::read(&other).unwrap());
}

#[test]
fn what_reads_whole_files_refuses_what_a_killed_session_left() {
    let (_folder, path) = database();
    let [debug, rest] = ["debug.psdb", "rest.psdb"].map(|name| path.with_file_name(name));
    let files = split(&path, &debug, &rest);
    let psdb = Psdb::open(&files, &options()).unwrap();
    psdb.store_group(b"g", 1, &[]).unwrap();
    // That of a session that goes on is none.
    psdb.flush().unwrap();
    let paths = || files.iter().map(|(_, path)| path);
    for path in paths() {
        check_recovered(path).unwrap();
    }
    psdb.close().unwrap();

    let owner = owner_of_split("debug.psdb", "rest.psdb");
    let journal = leave_of(owner, &path, &[(0, 3)]);
    let merged = path.with_file_name("merged.psdb");
    let merge = |path: &Path| crate::psdb::merge(&[path], &merged, &mut |_| {}).map(drop);
    let remove = |path: &Path| crate::psdb::remove_groups(&[path], &[b"g"]);
    for path in paths() {
        for result in [check_recovered(path), merge(path), remove(path)] {
            let Err(Error::InvalidArgument(text)) = result else {
                panic!("{result:?}");
            };
            let journal = journal.file_name().unwrap().to_str().unwrap();
            assert!(text.contains(journal), "{text}");
        }
    }
    assert!(!merged.exists());
    // Another file in the folder.
    let alone = path.with_file_name("alone.psdb");
    open(&alone).close().unwrap();
    check_recovered(&alone).unwrap();
    // Its content cannot be known.
    fs::write(&journal, b"somebody else's").unwrap();
    check_recovered(&path).unwrap();
    fs::remove_file(&journal).unwrap();
    leave_of(owner, &path, &[(0, 3)]);
    Psdb::open(&files, &options()).unwrap().close().unwrap();
    merge(&path).unwrap();
}

#[test]
fn a_store_that_the_journal_refuses_fails_and_is_not_seen() {
    let (_folder, path) = database();
    let psdb = open(&path);
    psdb.store_group(b"before", 1, &[]).unwrap();
    // A file that must not be written stands for a full disk.
    let other = schema::beside(&path, ".other");
    fs::write(&other, b"").unwrap();
    let mut broken = File::open(&other).unwrap();
    psdb.shared
        .with_journal(|journal| std::mem::swap(&mut journal.file, &mut broken));
    let value = [(ValueType::ObjectCode, &b"code"[..])];
    for _ in 0..2 {
        psdb.store_value(b"key", &value).unwrap_err();
        psdb.store_group(b"group", 1, &[b"key"]).unwrap_err();
        assert_eq!(psdb.value_size(b"key", ValueType::ObjectCode), Ok(None));
        assert_eq!(psdb.find_group(b"group"), Ok(None));
    }
    // There is room again.
    psdb.shared
        .with_journal(|journal| std::mem::swap(&mut journal.file, &mut broken));
    drop(broken);
    fs::remove_file(&other).unwrap();
    psdb.store_value(b"key", &value).unwrap();
    psdb.store_group(b"group", 1, &[b"key"]).unwrap();
    psdb.close().unwrap();
    assert_eq!(beside(&path), [""; 0]);
    let psdb = open(&path);
    for key in [&b"before"[..], b"group"] {
        assert_eq!(psdb.find_group(key), Ok(Some(1)));
    }
}

#[test]
fn what_is_held_is_in_the_journal_before_anybody_builds_on_it() {
    let (_folder, path) = database();
    let psdb = open(&path);
    let is_held = || psdb.shared.with_journal(|journal| !journal.held.is_empty());
    let value = [(ValueType::ObjectCode, &b"code"[..])];
    psdb.store_value(b"0", &value).unwrap();
    let exists = || psdb.store_value(b"1", &value);
    let builds: [(&[u8], &dyn Fn() -> _, _); 3] = [
        (b"1", &exists, Err(Error::AlreadyExists)),
        (b"2", &|| psdb.settle(), Ok(())),
        (b"3", &|| psdb.store_group(b"3", 1, &[b"3"]), Ok(())),
    ];
    for (key, build, expected) in builds {
        psdb.hold_value(key, &value).unwrap();
        // The writer's thread may take it as a batch, which writes it too, but seldom at once.
        let was_held = is_held();
        assert_eq!(build(), expected);
        assert!(!is_held(), "{key:?}, {was_held}");
    }
}

#[test]
fn a_journal_that_cannot_be_written_when_a_batch_is_taken_is_tried_again() {
    let (_folder, path) = database();
    let psdb = open(&path);
    let value = [(ValueType::ObjectCode, &b"code"[..])];
    psdb.store_value(b"0", &value).unwrap();
    psdb.flush().unwrap();
    let other = schema::beside(&path, ".other");
    fs::write(&other, b"").unwrap();
    let mut broken = File::open(&other).unwrap();
    let swap = |broken: &mut File| {
        psdb.shared
            .with_journal(|journal| std::mem::swap(&mut journal.file, broken));
    };
    swap(&mut broken);
    psdb.hold_value(b"1", &value).unwrap();
    // The batch is committed all the same.
    psdb.flush().unwrap();
    psdb.store_group(b"group", 1, &[b"1"]).unwrap_err();
    swap(&mut broken);
    psdb.store_group(b"group", 1, &[b"1"]).unwrap();
    psdb.close().unwrap();
    assert_eq!(open(&path).find_group(b"group"), Ok(Some(1)));
}

#[test]
fn a_large_value_is_in_the_file_when_its_store_returns() {
    let (_folder, path) = database();
    let psdb = open(&path);
    for size in [SEGMENT - 1000, SEGMENT, 3 * SEGMENT] {
        let key = size.to_le_bytes();
        psdb.store_value(&key, &[(ValueType::ObjectCode, &vec![7; size])])
            .unwrap();
        let file = crate::psdb::File::open(&path).unwrap();
        let mut found = false;
        let all = file.for_each_key(&mut |found_key| {
            found |= found_key == key;
            ControlFlow::Continue(())
        });
        all.unwrap();
        assert!(found || size < SEGMENT, "{size}");
    }
    psdb.close().unwrap();
    assert_eq!(beside(&path), [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_harm_the_database(
        random in prop::collection::vec(any::<u8>(), 0..2000),
        changes in prop::collection::vec((0_usize..4, any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let (_folder, path) = database();
        let journal = leave(&path, &[(0, 9), (9, 18)]);
        let mut bytes = fs::read(&journal).unwrap();
        let starts = [0, usize::try_from(START).unwrap(), usize::try_from(START).unwrap() + SEGMENT];
        for (part, index, byte) in changes {
            match starts.get(part) {
                // Somewhere in what counts; another version's journal would stay.
                Some(start) if !(start + 8..start + 12).contains(&index.index(2000)) => {
                    bytes[start + index.index(2000)] = byte;
                }
                Some(_) => {}
                None => bytes.truncate(index.index(bytes.len()).max(1)),
            }
            if bytes.len() < starts[2] + 2000 {
                break;
            }
        }
        fs::write(schema::beside(&path, "-pending-1"), &random).unwrap();
        fs::write(schema::beside(&path, "-pending-2"), [&MAGIC[..], &VERSION.to_le_bytes(), &random].concat()).unwrap();
        fs::write(&journal, &bytes).unwrap();
        let psdb = open(&path);
        prop_assert!(has_old(&psdb));
        // Each is whole or not there, and nothing follows one that is not there.
        let found: Vec<bool> = (0..18).map(|number| has(&psdb, number)).collect();
        prop_assert!(found.is_sorted_by(|earlier, later| earlier >= later), "{:?}", found);
        psdb.close().unwrap();
        let file = crate::psdb::File::open(&path).unwrap();
        prop_assert_eq!(file.check_structure().unwrap(), [""; 0]);
        // What is no journal is not this session's to remove.
        for name in beside(&path) {
            let left = fs::read(path.with_file_name(&name)).unwrap();
            prop_assert!(!left.starts_with(&MAGIC), "{}", name);
        }
    }
}
