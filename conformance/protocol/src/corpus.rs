//! The DXIL containers of a folder of the vendor's.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// What the names of containers end with.
const EXTENSIONS: [&str; 3] = ["dxil", "cso", "dxbc"];

/// The containers of a folder and of those inside it, in the order of their names; at least one.
///
/// # Errors
///
/// The folder cannot be read, or has none.
pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
            let is_container = |known: &str| extension.eq_ignore_ascii_case(known);
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && EXTENSIONS.into_iter().any(is_container) {
                files.push(path);
            }
        }
    }
    files.sort();
    if files.is_empty() {
        let names = EXTENSIONS
            .map(|extension| format!("*.{extension}"))
            .join(", ");
        return Err(io::Error::other(format!("there is none of {names}")));
    }
    Ok(files)
}

/// SHA-256 over the names and the content of the containers of a folder, in hexadecimal.
///
/// # Errors
///
/// Those of [`files`], or a file cannot be read.
pub fn digest(folder: &Path) -> io::Result<String> {
    let mut digest = Sha256::new();
    for path in files(folder)? {
        digest.update(path.as_os_str().as_encoded_bytes());
        digest.update(Sha256::digest(std::fs::read(&path)?));
    }
    Ok(hex::encode(digest.finalize()))
}

#[cfg(test)]
mod tests {
    use super::{digest, files};

    #[test]
    fn the_digest_is_of_names_and_content() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &str| {
            std::fs::write(folder.path().join(name), content).unwrap();
            digest(folder.path()).unwrap()
        };
        let one = write("a.dxil", "1");
        assert_eq!(one, digest(folder.path()).unwrap());
        let other = write("a.dxil", "2");
        let more = write("b.dxil", "1");
        assert!(one != other && other != more && one != more);
    }

    #[test]
    fn a_folder_without_containers_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.hlsl"), "").unwrap();
        let error = files(folder.path()).unwrap_err().to_string();
        assert!(error.contains("*.dxil"), "{error}");
    }
}
