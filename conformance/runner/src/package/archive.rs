//! The ZIP archive of a package, which is written and read in memory: nothing is ever extracted to a disk.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write as _};

use zip::read::read_zipfile_from_stream;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipArchive, ZipWriter};

/// The files of a package, by name.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// So many bytes has an archive at most, and its files together. The largest report of a run has some megabytes.
pub(super) const MOST_BYTES: u64 = 64 << 20;
/// So many files has a package at most.
const MOST_FILES: usize = 1000;

/// An archive with these files. It has no time of its own, so that the same files make the same archive.
pub(super) fn write(files: &Files) -> Result<Vec<u8>, ZipError> {
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::DEFAULT)
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(name.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// The files of an archive, or what is wrong with it.
pub(super) fn read(bytes: &[u8]) -> Result<Files, String> {
    read_up_to(bytes, MOST_BYTES)
}

fn read_up_to(bytes: &[u8], most: u64) -> Result<Files, String> {
    if bytes.len() as u64 > most {
        return Err(format!("it has more than {most} bytes"));
    }
    let (in_order, end) = in_order(bytes, most)?;
    let by_directory = by_directory(bytes, most)?;
    // Programs read an archive by one or by the other, so where they differ, each person sees another package.
    if in_order != by_directory {
        return Err("its directory does not have the files that are in it".into());
    }
    let names = in_order.keys().map(|name| DIRECTORY_ENTRY + name.len());
    let directory = names.sum::<usize>();
    if bytes
        .get(end..)
        .is_none_or(|rest| !is_directory(rest, end, directory))
    {
        return Err("it has more than files and their directory".into());
    }
    Ok(in_order)
}

/// The size of an entry of the directory but for the name.
const DIRECTORY_ENTRY: usize = 46;
/// The size of the header of a file but for the name.
const FILE_HEADER: u64 = 30;

/// Whether `rest`, which begins at `begin`, is a directory of `size` bytes and the end of the archive, and nothing else.
fn is_directory(rest: &[u8], begin: usize, size: usize) -> bool {
    let Some((directory, [b'P', b'K', 5, 6, end @ ..])) = rest.split_last_chunk::<22>() else {
        return false;
    };
    let number = |at: usize| u32::from_le_bytes([end[at], end[at + 1], end[at + 2], end[at + 3]]);
    let no_comment = end[16..] == [0, 0];
    directory.len() == size
        && [number(8), number(12)].map(usize::try_from) == [Ok(size), Ok(begin)]
        && no_comment
}

/// The files from the front of the archive on, and where they end if nothing is between them.
fn in_order(bytes: &[u8], most: u64) -> Result<(Files, usize), String> {
    let mut files = Files::new();
    let (mut left, mut end) = (most, 0_u64);
    let mut from = Cursor::new(bytes);
    while let Some(mut file) =
        read_zipfile_from_stream(&mut from).map_err(|error| unreadable(&error))?
    {
        let name = plain(file.name_raw())?;
        let content = content(&name, &mut file, &mut left)?;
        add(&mut files, &name, content)?;
        let size = FILE_HEADER + name.len() as u64;
        end = size
            .saturating_add(file.compressed_size())
            .saturating_add(end);
    }
    Ok((files, usize::try_from(end).unwrap_or(usize::MAX)))
}

/// The files that the directory at the end of the archive names.
fn by_directory(bytes: &[u8], most: u64) -> Result<Files, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| unreadable(&error))?;
    let mut files = Files::new();
    let mut left = most;
    for index in 0..archive.len() {
        let mut file = archive
            .by_index(index)
            .map_err(|error| unreadable(&error))?;
        let name = plain(file.name_raw())?;
        let content = content(&name, &mut file, &mut left)?;
        add(&mut files, &name, content)?;
    }
    Ok(files)
}

fn unreadable(error: &ZipError) -> String {
    format!("it is no whole ZIP archive: {error}")
}

/// A name that a package can have: of one letter case, and nowhere but in it.
fn plain(name: &[u8]) -> Result<String, String> {
    let is_plain = |part: &[u8]| {
        let of_a_name = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-');
        part.first().is_some_and(|byte| *byte != b'.') && part.iter().all(of_a_name)
    };
    let text = String::from_utf8_lossy(name).into_owned();
    if name.len() <= 100 && name.split(|byte| *byte == b'/').all(is_plain) {
        Ok(text)
    } else {
        Err(format!("{text:?} is no name of a file of a package"))
    }
}

fn content(name: &str, file: &mut impl Read, left: &mut u64) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    let limit = *left + 1;
    let read = file.take(limit).read_to_end(&mut content);
    read.map_err(|error| format!("{name} cannot be read: {error}"))?;
    *left = left
        .checked_sub(content.len() as u64)
        .ok_or("its files have more bytes than a package may have")?;
    Ok(content)
}

fn add(files: &mut Files, name: &str, content: Vec<u8>) -> Result<(), String> {
    if files.len() == MOST_FILES {
        return Err(format!("it has more than {MOST_FILES} files"));
    }
    match files.insert(name.to_owned(), content) {
        None => Ok(()),
        Some(_) => Err(format!("it has {name} twice")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Files, read, read_up_to, write};

    fn files(files: &[(&str, &[u8])]) -> Files {
        let files = files.iter();
        files
            .map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec()))
            .collect()
    }

    #[test]
    fn what_is_written_is_read_back_and_is_always_the_same() {
        let some = files(&[
            ("package.json", b"{}"),
            ("journals/001.jsonl", &[b'a'; 9999]),
        ]);
        let bytes = write(&some).unwrap();
        assert_eq!(read(&bytes).unwrap(), some);
        assert_eq!(write(&some).unwrap(), bytes);
        assert_eq!(read(&write(&files(&[])).unwrap()).unwrap(), files(&[]));
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_refused() {
        for name in [
            "../a", "/a", "a/../b", "a//b", "a/", "", "C:/a", "a\\b", ".a", "A", "a b", "\u{e4}",
            "con\u{0}",
        ] {
            let bytes = write(&files(&[(name, b"")])).unwrap();
            let error = read(&bytes).unwrap_err();
            assert!(error.contains("is no name of a file"), "{name:?}: {error}");
        }
    }

    #[test]
    fn an_archive_that_grows_without_end_is_refused() {
        let zeros = vec![0; 1 << 18];
        let names = ["a", "b", "c", "d", "e"];
        let bytes = write(&files(&names.map(|name| (name, zeros.as_slice())))).unwrap();
        assert!(bytes.len() < 1 << 13);
        assert_eq!(read(&bytes).unwrap().len(), 5);
        let error = read_up_to(&bytes, 1 << 20).unwrap_err();
        assert!(error.contains("its files have more bytes"), "{error}");
        let error = read_up_to(&bytes, 100).unwrap_err();
        assert!(error.contains("more than 100 bytes"), "{error}");
    }

    #[test]
    fn nothing_is_hidden_between_before_or_behind_the_files() {
        let bytes = write(&files(&[("a", b"one"), ("b", b"two")])).unwrap();
        for at in 0..=bytes.len() {
            for hidden in [&b"?"[..], b"PK\x03\x04"] {
                let with = [&bytes[..at], hidden, &bytes[at..]].concat();
                assert!(read(&with).is_err(), "at {at}");
            }
        }
    }

    /// Renames the entry `b` of an archive, in its file, in its directory, or in both.
    #[test]
    fn two_files_of_one_name_are_refused() {
        let bytes = write(&files(&[("a", b"one"), ("b", b"two")])).unwrap();
        let places: Vec<_> = (30..bytes.len())
            .filter(|at| {
                bytes[*at] == b'b'
                    && (bytes[at - 30..].starts_with(b"PK\x03\x04")
                        || *at >= 46 && bytes[at - 46..].starts_with(b"PK\x01\x02"))
            })
            .collect();
        let [in_file, in_directory] = places[..] else {
            panic!("{places:?}");
        };
        for (places, expected) in [
            (vec![in_file, in_directory], "it has a twice"),
            (vec![in_file], "it has a twice"),
            (vec![in_directory], "its directory does not have the files"),
        ] {
            let mut bytes = bytes.clone();
            for at in places {
                bytes[at] = b'a';
            }
            let error = read(&bytes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
