//! What must hold for every file of an archive.

use std::path::Path;

use memchr::memmem::Finder;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, Sym};
use object::{Endianness, elf};

use super::archive::Tree;
use super::build::Folders;
use super::error;
use crate::Error;

/// Fails if a folder of this machine is in a file: a path in a message of a program, or one that is looked for at run time.
pub fn has_no_folder(tree: &Tree, folders: &Folders) -> Result<(), Error> {
    let folders: Vec<(&Path, Finder)> = folders
        .paths()
        .map(|path| (path, Finder::new(path.as_os_str().as_encoded_bytes())))
        .collect();
    for (path, entry) in tree {
        let bytes = entry.bytes().unwrap_or_default();
        for (folder, finder) in &folders {
            let found = finder.find_iter(bytes).find(|&at| {
                let end = at + finder.needle().len();
                // `/src` is no folder of `/kit/dxil/src/lib.rs`.
                let begins = at == 0 || !is_of_path(bytes[at - 1]);
                begins && bytes.get(end).is_none_or(|byte| !is_of_name(*byte))
            });
            if let Some(at) = found {
                let rest = bytes[at..]
                    .iter()
                    .take(120)
                    .take_while(|byte| (b' '..0x7f).contains(*byte));
                let text: String = rest.map(|byte| char::from(*byte)).collect();
                return Err(error(format!(
                    "{path} has the folder {} at byte {at}: {text}",
                    folder.display()
                )));
            }
        }
    }
    Ok(())
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)
}

fn is_of_path(byte: u8) -> bool {
    is_of_name(byte) || b"/\\".contains(&byte)
}

/// The lowest version of the GNU C library with every function that the files import, if they import from it.
pub fn glibc(tree: &Tree) -> Result<Option<(u32, u32)>, Error> {
    let mut least = None;
    for (path, entry) in tree {
        let bytes = entry.bytes().unwrap_or_default();
        if bytes.starts_with(&elf::ELFMAG) {
            least = least.max(of_file(bytes).map_err(|cause| error(format!("{path}: {cause}")))?);
        }
    }
    Ok(least)
}

fn of_file(bytes: &[u8]) -> object::Result<Option<(u32, u32)>> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let symbols = sections.symbols(endian, bytes, elf::SHT_DYNSYM)?;
    let Some(versions) = sections.versions(endian, bytes)? else {
        return Ok(None);
    };
    let mut least = None;
    for (index, symbol) in symbols.enumerate() {
        if !symbol.is_undefined(endian) {
            continue;
        }
        let version = versions.version(versions.version_index(endian, index))?;
        let name = version.and_then(|version| std::str::from_utf8(version.name()).ok());
        let number = name.and_then(|name| name.strip_prefix("GLIBC_"));
        let parsed = number.and_then(|number| {
            let mut parts = number.split('.').map(str::parse);
            Some((parts.next()?.ok()?, parts.next()?.ok()?))
        });
        least = least.max(parsed);
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::super::archive::Entry;
    use super::super::build::metadata;
    use super::super::platform::PLATFORMS;
    use super::*;

    #[test]
    fn a_file_with_a_folder_of_this_machine_is_refused() {
        let metadata = metadata(&PLATFORMS[0]).unwrap();
        let folders = Folders::new(&metadata).unwrap();
        let tree =
            |text: String| Tree::from([("bin/tool".to_owned(), Entry::Code(text.into_bytes()))]);
        has_no_folder(&tree("\0/kit/dxil/src/lib.rs\0".into()), &folders).unwrap();
        let source = format!("\0{}/dxil/src/lib.rs\0rest", metadata.workspace_root);
        let error = has_no_folder(&tree(source), &folders)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("bin/tool has the folder "), "{error}");
        assert!(error.ends_with("/dxil/src/lib.rs"), "{error}");
    }

    #[test]
    fn a_part_of_another_path_is_no_folder() {
        let folders = Folders::from([("/src", "/kit")]);
        for (text, is_there) in [
            ("/kit/dxil/src/lib.rs", false),
            ("/src-of-another/lib.rs", false),
            ("at /src/lib.rs", true),
            ("/src", true),
        ] {
            let entry = Entry::Data(text.into());
            let tree = Tree::from([("file".to_owned(), entry)]);
            assert_eq!(has_no_folder(&tree, &folders).is_err(), is_there, "{text}");
        }
    }

    #[test]
    fn the_version_of_the_c_library_is_that_of_the_newest_function() {
        let data = Tree::from([("README.md".to_owned(), Entry::Data(b"text".to_vec()))]);
        assert_eq!(glibc(&data).unwrap(), None);
        if cfg!(all(target_os = "linux", target_env = "gnu")) {
            let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
            let tree = Tree::from([("tool".to_owned(), Entry::Code(own))]);
            // What Rust's standard library needs at least.
            assert!(glibc(&tree).unwrap() >= Some((2, 17)));
        }
    }
}
