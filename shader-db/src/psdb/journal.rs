//! The journal of a session: what is stored and perhaps not yet in the files, for the session that opens them after a
//! crash. docs/psdb.md has the layout.
//!
//! The system keeps what was written when a process is killed, so nothing is synced. The two segments take turns: while
//! the batch of one is committed, stores go to the other. So a record is overwritten only when it is in the files.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use twox_hash::XxHash3_64;

use super::pending::{self, Buffers, Content, Item, Kind};
use super::{ValueType, ValueTypes, batches, digest, schema};
use crate::{Error, Result};

/// The most bytes of a segment.
pub const SEGMENT: usize = 16 << 20;

/// Bytes of a record before its key.
pub const HEAD: usize = 116;

/// Stands in a journal's name between the main file's and a number.
const PENDING: &str = "-pending-";

const MAGIC: [u8; 8] = *b"PSDBpend";
const VERSION: u32 = 2;

/// Bytes of the header at the beginning of the file.
const HEADER: usize = 80;

/// Where the first segment begins.
const START: u64 = 4096;

/// A new part of a segment is filled with this many bytes before records come: written at once, they take half of the
/// system's time, and lie in larger pages.
static FILL: [u8; 256 << 10] = [0; 256 << 10];

/// The most bytes of records that are held back, to be written together with the next one.
const HELD: usize = 256 << 10;

/// What a record needs of the session that stores it.
#[derive(Clone, Copy)]
pub struct Owner {
    /// The types that the session has files for.
    pub types: ValueTypes,
    /// `digest::metadata` of the main file: records of a file that was replaced by another one are not for this one.
    pub metadata: u128,
    /// By type the [name](side_file) of the side file that has its values; 0 if that is the main file, or none.
    pub side_files: [u64; ValueType::ALL.len()],
}

/// What a journal calls a side file: a hash of its path as seen from the main file's folder, so that files of one folder
/// can be moved together.
pub fn side_file(path: &Path, folder: &Path) -> u64 {
    let path = path.strip_prefix(folder).unwrap_or(path);
    XxHash3_64::oneshot_with_seed(0, path.as_os_str().as_encoded_bytes())
}

fn header(owner: Owner, id: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&owner.types.bits().to_le_bytes());
    header[16..32].copy_from_slice(&owner.metadata.to_le_bytes());
    header[32..40].copy_from_slice(&id.to_le_bytes());
    for (bytes, name) in header[40..].chunks_exact_mut(8).zip(owner.side_files) {
        bytes.copy_from_slice(&name.to_le_bytes());
    }
    let checksum = XxHash3_64::oneshot_with_seed(0, &header[..72]);
    header[72..].copy_from_slice(&checksum.to_le_bytes());
    header
}

fn side_files_of(header: &[u8; HEADER]) -> [u64; ValueType::ALL.len()] {
    ValueType::ALL.map(|kind| {
        let name = &header[40 + 8 * kind as usize..][..8];
        u64::from_le_bytes(name.try_into().expect("eight bytes"))
    })
}

/// The head covers the rest of the record too: it has the digests of key and content.
fn head(item: &Item, id: u64, number: u64, rows: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    let size = |bytes: &[u8]| u32::try_from(bytes.len()).expect("a segment is below 4 GiB");
    let mut number_at = |at: usize, number: u32| {
        head[at..at + 4].copy_from_slice(&number.to_le_bytes());
    };
    number_at(24, size(item.key()));
    let mut digests = [0; ValueType::ALL.len()];
    match item.content {
        Content::Values(_) => {
            for kind in ValueType::ALL {
                if let Some((value, digest)) = item.value(kind) {
                    number_at(36 + 4 * kind as usize, size(value));
                    digests[kind as usize] = digest;
                }
            }
        }
        Content::Group { version, digest } => {
            number_at(28, 1);
            number_at(32, version);
            number_at(36, size(item.list()));
            digests[0] = digest;
        }
    }
    head[8..16].copy_from_slice(&number.to_le_bytes());
    head[16..24].copy_from_slice(&rows.to_le_bytes());
    for (bytes, digest) in head[52..].chunks_exact_mut(16).zip(digests) {
        bytes.copy_from_slice(&digest.to_le_bytes());
    }
    let checksum = XxHash3_64::oneshot_with_seed(id, &head[8..]);
    head[..8].copy_from_slice(&checksum.to_le_bytes());
    head
}

/// The journal that a session writes.
pub struct Journal {
    file: File,
    path: PathBuf,
    id: u64,
    /// The number of the next record.
    next: u64,
    /// The one in use: 0 or 1.
    segment: usize,
    /// Where in it the next record goes.
    at: usize,
    /// How much of each segment has been written to.
    filled: [usize; 2],
    /// The last records, which are not yet written.
    held: Vec<u8>,
}

impl Journal {
    /// Creates a journal beside a session's main file, under the first name that is free.
    pub fn create(main: &Path, owner: Owner) -> Result<Self> {
        for number in 0_u64.. {
            let path = schema::beside(main, &format!("{PENDING}{number}"));
            let file = match lock(&path, true) {
                Ok(Some(file)) => file,
                Ok(None) => continue,
                Err(error) => return Err(Error::io(&path, &error)),
            };
            // Left by a crash: for the next session that opens the files.
            if file.metadata().map_or(true, |metadata| metadata.len() != 0) {
                continue;
            }
            let id = batches::new_id();
            let journal = Self {
                file,
                path,
                id: u64::from_le_bytes(*id.first_chunk().expect("16 bytes")),
                next: 0,
                segment: 0,
                at: 0,
                filled: [0; 2],
                held: Vec::new(),
            };
            if let Err(error) = write_at(&journal.file, &header(owner, journal.id), 0) {
                let error = Error::io(&journal.path, &error);
                journal.remove();
                return Err(error);
            }
            return Ok(journal);
        }
        unreachable!("there are fewer files than numbers")
    }

    /// Appends an item, which is no larger than a segment less what is in it. If `hold`, it can be written as late as the
    /// next one. `rows` are those of the main file when a batch was last committed. If this fails, it is as if it had not
    /// been called.
    pub fn append(&mut self, item: &mut Item, rows: u64, hold: bool) -> Result<()> {
        let head = head(item, self.id, self.next, rows);
        let record = item.record(&head);
        let end = self.at + record.len();
        if end > SEGMENT {
            // It was not turned.
            return Err(Error::Full {
                path: self.path.clone(),
            });
        }
        let held = self.held.len();
        if hold && held + record.len() <= HELD {
            self.held.extend_from_slice(record);
        } else if held == 0 {
            self.write(record, self.at)?;
        } else {
            let at = self.at - held;
            let mut records = std::mem::take(&mut self.held);
            records.extend_from_slice(record);
            let written = self.write(&records, at);
            records.truncate(if written.is_ok() { 0 } else { held });
            self.held = records;
            written?;
        }
        self.at = end;
        self.next += 1;
        Ok(())
    }

    /// Writes what is held back.
    pub fn write_held(&mut self) -> Result<()> {
        if !self.held.is_empty() {
            let records = std::mem::take(&mut self.held);
            if let Err(error) = self.write(&records, self.at - records.len()) {
                self.held = records;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Writes records at a place in the segment.
    fn write(&mut self, records: &[u8], at: usize) -> Result<()> {
        let start = START + (self.segment * SEGMENT) as u64;
        let filled = &mut self.filled[self.segment];
        while *filled < at + records.len() {
            let part = &FILL[..FILL.len().min(SEGMENT - *filled)];
            // If this fails and it matters, the record fails too.
            let _ = write_at(&self.file, part, start + *filled as u64);
            *filled += part.len();
        }
        write_at(&self.file, records, start + at as u64)
            .map_err(|error| Error::io(&self.path, &error))
    }

    /// Goes on in the other segment, of which every record is in the files. Neither is left without records, so that one
    /// that has none was lost.
    ///
    /// If what is held back cannot be written, the segment stays in use: the next store, which may name it, tries that again.
    pub fn turn(&mut self) {
        if let Err(error) = self.write_held() {
            tracing::warn!(%error, "what was stored is not yet in the journal");
        } else if self.at > 0 {
            self.segment = 1 - self.segment;
            self.at = 0;
        }
    }

    /// Removes the file, of which every record is in the files.
    pub fn remove(self) {
        remove(self.file, &self.path);
    }
}

/// A journal that a session has left.
pub struct Orphan {
    file: File,
    path: PathBuf,
}

impl Orphan {
    /// The records in the order of the stores; none if the session, which has files for these types, is to leave them to
    /// another one. `rows` are those of its main file.
    pub fn items(
        &self,
        owner: Owner,
        rows: u64,
        buffers: &Buffers,
    ) -> io::Result<Option<Vec<Item>>> {
        let dropped = |reason: &str| {
            tracing::warn!(path = %self.path.display(), "what a killed session had stored is dropped: {reason}");
            Ok(Some(Vec::new()))
        };
        let stored = self.read(0, HEADER)?;
        if stored.is_empty() {
            // It was killed before it stored.
            return Ok(Some(Vec::new()));
        }
        // A crash of the system can leave zeros.
        if !stored.starts_with(&MAGIC) && stored.iter().any(|byte| *byte != 0) {
            tracing::warn!(path = %self.path.display(), "a file with the name of a journal is left as it is");
            return Ok(None);
        }
        let Some(stored) = stored
            .first_chunk::<HEADER>()
            .filter(|header| header.starts_with(&MAGIC))
        else {
            return dropped("it is damaged");
        };
        let number = |at: usize| u32::from_le_bytes(stored[at..at + 4].try_into().expect("four"));
        if number(8) != VERSION {
            tracing::warn!(path = %self.path.display(), "another version's journal is left as it is");
            return Ok(None);
        }
        let id = u64::from_le_bytes(stored[32..40].try_into().expect("eight bytes"));
        let types = ValueTypes::from_bits(number(12)).unwrap_or_default();
        let side_files = side_files_of(stored);
        let of_journal = Owner {
            types,
            side_files,
            ..owner
        };
        if *stored != header(of_journal, id) {
            return dropped("it is damaged, or another file's");
        }
        if types.iter().any(|kind| !owner.types.contains(kind)) {
            tracing::warn!(
                path = %self.path.display(),
                "what a killed session had stored is left to a session with files for the same types"
            );
            return Ok(None);
        }
        let is_elsewhere =
            |kind: &ValueType| side_files[*kind as usize] != owner.side_files[*kind as usize];
        if let Some(kind) = types.iter().find(is_elsewhere) {
            tracing::warn!(
                path = %self.path.display(),
                "what a killed session had stored is left to a session with the same file for {kind:?} values"
            );
            return Ok(None);
        }

        let mut segments = Vec::new();
        for segment in 0..2 {
            let bytes = self.read(START + segment * SEGMENT as u64, SEGMENT)?;
            segments.extend(Segment::new(bytes, id));
        }
        segments.sort_by_key(|segment| segment.first);
        let Some(newest) = segments.last() else {
            return Ok(Some(Vec::new()));
        };
        // A killed process leaves neither: the system has crashed, and lost part of what was written.
        if newest.rows > rows {
            return dropped("the file has lost what was stored before it");
        }
        if segments.len() == 1 && newest.first != 0 {
            return dropped("its older half is lost");
        }
        let mut items = Vec::new();
        let mut next = segments[0].first;
        for segment in &segments {
            // A record that could not be written whole may be there under a number that was used again.
            if segment.first > next {
                dropped("its older half is damaged")?;
                break;
            }
            next = segment.read(id, buffers, &mut items);
        }
        Ok(Some(items))
    }

    /// The bytes from a place on, as many as there are.
    fn read(&self, at: u64, size: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&self.file).seek(SeekFrom::Start(at))?;
        (&self.file).take(size as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file when its records are in the session's files.
    pub fn remove(self) {
        remove(self.file, &self.path);
    }
}

/// The name of a journal's main file, if the path is that of a journal.
fn main_of(journal: &Path) -> Option<&[u8]> {
    let name = journal.file_name()?.as_encoded_bytes();
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let (main, number) = name.split_at(name.len() - digits.count());
    main.strip_suffix(PENDING.as_bytes())
        .filter(|_| !number.is_empty())
}

/// The paths in a folder that are those of journals.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut journals: Vec<PathBuf> = paths.filter(|path| main_of(path).is_some()).collect();
    journals.sort();
    journals
}

/// The journals beside a session's main file whose sessions are gone, locked one after the other.
pub fn orphans(main: &Path) -> impl Iterator<Item = Orphan> {
    let name = main
        .file_name()
        .map(|name| name.as_encoded_bytes().to_vec());
    let mut paths = in_folder(main.parent().unwrap_or(Path::new("")));
    paths.retain(|path| main_of(path) == name.as_deref());
    paths.into_iter().filter_map(|path| match lock(&path, false) {
        Ok(file) => file.map(|file| Orphan { file, path }),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "what a killed session may have stored is not read");
            None
        }
    })
}

/// That no killed session has left a journal for a file, the main file or another one: what it has is perhaps not yet there.
/// Of a side file only journals in its own folder are found.
///
/// # Errors
///
/// [`Error::InvalidArgument`], with the journal and what to do; [`Error::NotFound`] and what else the system says of the
/// file.
pub fn check_recovered(path: &Path) -> Result<()> {
    let file = fs::canonicalize(path).map_err(|error| Error::io(path, &error))?;
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        return Ok(());
    };
    let side = side_file(&file, folder);
    for journal in in_folder(folder) {
        let is_of_file = |header: &[u8; HEADER]| {
            main_of(&journal) == Some(name.as_encoded_bytes())
                || side_files_of(header).contains(&side)
        };
        if left_header(&journal).is_some_and(|header| is_of_file(&header)) {
            return Err(Error::InvalidArgument(format!(
                "{}: what a killed session stored is perhaps not yet in it, but in {}. Open the files of that session once \
                 to store, as the same run does again; or remove that file to do without it",
                path.display(),
                journal.display()
            )));
        }
    }
    Ok(())
}

/// The header of a journal that nobody has locked.
fn left_header(path: &Path) -> Option<[u8; HEADER]> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    file.try_lock_shared().ok()?;
    let mut header = [0; HEADER];
    file.read_exact(&mut header).ok()?;
    header.starts_with(&MAGIC).then_some(header)
}

/// A segment whose first record has a whole head. A killed process leaves it so from the first record on, because what
/// fits in a page of memory is written in one piece.
struct Segment {
    bytes: Vec<u8>,
    /// The first record's number, and how many rows the main file had when it was stored.
    first: u64,
    rows: u64,
}

impl Segment {
    fn new(bytes: Vec<u8>, id: u64) -> Option<Self> {
        let head: &[u8; HEAD] = bytes.first_chunk()?;
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("eight"));
        let (first, rows) = (number(8), number(16));
        let is_sound = number(0) == XxHash3_64::oneshot_with_seed(id, &head[8..]);
        is_sound.then_some(Self { bytes, first, rows })
    }

    /// Adds the items up to the first record that is not whole or not of this turn; returns the number that would be next.
    fn read(&self, id: u64, buffers: &Buffers, items: &mut Vec<Item>) -> u64 {
        let mut rest = &self.bytes[..];
        let mut number = self.first;
        while let Some(item) = read_record(rest, id, number, buffers) {
            rest = &rest[HEAD + item.size()..];
            items.push(item);
            number += 1;
        }
        number
    }
}

fn read_record(bytes: &[u8], id: u64, number: u64, buffers: &Buffers) -> Option<Item> {
    let (stored, rest) = bytes.split_first_chunk::<HEAD>()?;
    let field = |at: usize| u32::from_le_bytes(stored[at..at + 4].try_into().expect("four bytes"));
    let (key, mut rest) = rest.split_at_checked(field(24) as usize)?;
    let mut parts = Vec::new();
    for kind in ValueType::ALL {
        let (part, after) = rest.split_at_checked(field(36 + 4 * kind as usize) as usize)?;
        parts.push((kind, part));
        rest = after;
    }
    let rows = u64::from_le_bytes(stored[16..24].try_into().expect("eight bytes"));
    let item = if field(28) == 0 {
        parts.retain(|(_, value)| !value.is_empty());
        let hash = pending::hash(Kind::Values, key);
        Item::values(hash, key, &parts, buffers)
    } else {
        let keys: Vec<&[u8]> = digest::keys_of(parts[0].1).collect();
        let hash = pending::hash(Kind::Group, key);
        Item::group(hash, key, field(32), &keys)
    };
    // Digests, checksum and number are compared all at once.
    let is_same = head(&item, id, number, rows) == *stored;
    (is_same && !key.is_empty()).then_some(item)
}

/// Opens a file, perhaps a new one, and locks it; none if somebody else has locked it, or removed it meanwhile.
fn lock(path: &Path, create: bool) -> io::Result<Option<File>> {
    // Somebody else's; above all no link is followed.
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        return Ok(None);
    }
    let mut options = File::options();
    options.read(true).write(true).create(create);
    // Others may open it, but not remove it.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 3);
    let mut failure = None;
    for _ in 0..100 {
        let file = match options.open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !create => return Ok(None),
            // Somebody else's file; the next name may be free.
            Err(_) if create && path.exists() => return Ok(None),
            Err(error) if cfg!(windows) => {
                // Windows opens no file that is just being removed.
                failure = Some(error);
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            Ok(()) => return Ok(is_at(&file, path)?.then_some(file)),
            // Who shares the lock reads the header, and is done in a moment.
            Err(TryLockError::WouldBlock) if file.try_lock_shared().is_ok() => {
                drop(file);
                thread::sleep(Duration::from_millis(1));
            }
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    failure.map_or(Ok(None), Err)
}

/// Whether the path names the file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let file = file.metadata()?;
    match fs::metadata(path) {
        Ok(at) => Ok((at.dev(), at.ino()) == (file.dev(), file.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Removes a journal that is locked. What is left if this fails has no records.
fn remove(file: File, path: &Path) {
    let emptied = file.set_len(0);
    if cfg!(windows) {
        // Whoever opens it before it is removed keeps it.
        drop(file);
        let _ = fs::remove_file(path);
    } else if let Err(error) = emptied.and(fs::remove_file(path)) {
        tracing::warn!(path = %path.display(), %error, "a journal is not removed");
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        at += written as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
