//! Files in an archive, which is the same bytes each time.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use chrono::{DateTime, Datelike, Timelike, Utc};
use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A file.
#[derive(Debug)]
pub enum Entry {
    /// That can be run, or is loaded by what runs.
    Code(Vec<u8>),
    /// Any other.
    Data(Vec<u8>),
    /// A link to another one, by a path from its own folder.
    Link(String),
}

/// Files by their paths, with `/`.
pub type Tree = BTreeMap<String, Entry>;

impl Entry {
    /// The bytes of a file that is no link.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Code(bytes) | Self::Data(bytes) => Some(bytes),
            Self::Link(_) => None,
        }
    }

    fn mode(&self) -> u32 {
        match self {
            Self::Code(_) => 0o755,
            Self::Data(_) => 0o644,
            Self::Link(_) => 0o777,
        }
    }
}

/// The files below a folder as a compressed tape archive, all changed at one time.
///
/// # Errors
///
/// A path is too long.
pub fn tar_gz(folder: &str, tree: &Tree, time: DateTime<Utc>) -> std::io::Result<Vec<u8>> {
    let seconds = time.timestamp().cast_unsigned();
    // No name and no time of its own: the compressed bytes depend on the files alone.
    let gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    let mut tar = tar::Builder::new(gzip);
    for (path, entry) in tree {
        let mut header = Header::new_gnu();
        header.set_mode(entry.mode());
        header.set_mtime(seconds);
        header.set_uid(0);
        header.set_gid(0);
        let path = format!("{folder}/{path}");
        match entry {
            Entry::Link(to) => {
                header.set_entry_type(EntryType::Symlink);
                header.set_size(0);
                tar.append_link(&mut header, path, to)?;
            }
            Entry::Code(bytes) | Entry::Data(bytes) => {
                header.set_entry_type(EntryType::Regular);
                header.set_size(bytes.len() as u64);
                tar.append_data(&mut header, path, &**bytes)?;
            }
        }
    }
    tar.into_inner()?.finish()
}

/// The files below a prefix as a zip file, all changed at one time.
///
/// # Errors
///
/// The time is before 1980, or there is a link.
pub fn zip(prefix: &str, tree: &Tree, time: DateTime<Utc>) -> std::io::Result<Vec<u8>> {
    let small = |number: u32| u8::try_from(number).unwrap_or_default();
    let time = zip::DateTime::from_date_and_time(
        u16::try_from(time.year()).unwrap_or_default(),
        small(time.month()),
        small(time.day()),
        small(time.hour()),
        small(time.minute()),
        small(time.second()),
    );
    let time = time.map_err(std::io::Error::other)?;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, entry) in tree {
        let bytes = entry
            .bytes()
            .ok_or_else(|| std::io::Error::other(format!("{path} is a link")))?;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(time)
            .unix_permissions(entry.mode());
        zip.start_file(format!("{prefix}{path}"), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn tree() -> Tree {
        let files = [
            ("bin/tool", Entry::Code(b"program".repeat(100))),
            ("README.md", Entry::Data(b"text".to_vec())),
        ];
        files.map(|(path, entry)| (path.to_owned(), entry)).into()
    }

    fn time(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn a_tape_archive_has_the_files_in_order_with_fixed_owners_and_times() {
        let mut tree = tree();
        tree.insert("lib/tool".into(), Entry::Link("../bin/tool".into()));
        let bytes = tar_gz("kit", &tree, time(1_700_000_001)).unwrap();
        assert_eq!(bytes, tar_gz("kit", &tree, time(1_700_000_001)).unwrap());
        // No name and no time in the head of gzip.
        assert_eq!(bytes[3..8], [0; 5]);

        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&*bytes));
        let entries = archive.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let mut content = String::new();
            entry.read_to_string(&mut content).unwrap();
            let header = entry.header();
            assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
            assert_eq!(header.mtime().unwrap(), 1_700_000_001);
            let link = entry
                .link_name()
                .unwrap()
                .map(|link| link.display().to_string());
            (
                entry.path().unwrap().display().to_string(),
                header.mode().unwrap(),
                content.len(),
                link,
            )
        });
        let entries: Vec<_> = entries.collect();
        let expected = [
            ("kit/README.md", 0o644, 4, None),
            ("kit/bin/tool", 0o755, 700, None),
            ("kit/lib/tool", 0o777, 0, Some("../bin/tool")),
        ];
        let expected = expected
            .map(|(path, mode, size, link)| (path.to_owned(), mode, size, link.map(String::from)));
        assert_eq!(entries, expected);
    }

    #[test]
    fn a_zip_file_has_the_files_in_order_with_fixed_modes_and_times() {
        let bytes = zip("kit/", &tree(), time(1_700_000_001)).unwrap();
        assert_eq!(bytes, zip("kit/", &tree(), time(1_700_000_001)).unwrap());
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut read = |index| {
            let file = archive.by_index(index).unwrap();
            // Zip files count in steps of two seconds.
            let time = file.last_modified().unwrap().to_string();
            (
                file.name().unwrap().into_owned(),
                file.unix_mode().unwrap() & 0o777,
                file.size(),
                time,
            )
        };
        assert_eq!(
            read(0),
            (
                "kit/README.md".into(),
                0o644,
                4,
                "2023-11-14 22:13:20".into()
            )
        );
        assert_eq!(
            read(1),
            (
                "kit/bin/tool".into(),
                0o755,
                700,
                "2023-11-14 22:13:20".into()
            )
        );
    }

    #[test]
    fn a_zip_file_cannot_have_a_link_or_a_time_before_zip() {
        assert!(zip("", &tree(), time(0)).is_err());
        let link = [("a".to_owned(), Entry::Link("b".into()))].into();
        assert!(zip("", &link, time(1_700_000_001)).is_err());
    }
}
