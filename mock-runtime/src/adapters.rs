//! Adapters: each a user-mode driver and the compiler plugin that belongs to it.
//!
//! Where a system registers drivers and their plugins is not publicly documented. So an adapter is an entry of a directory
//! here, which the environment variable [`VARIABLE`] names: a file `NAME.json` like
//!
//! ```json
//! { "name": "My GPU", "umd": "my_umd.dll", "plugin": "my_plugin.dll" }
//! ```
//!
//! Relative paths are relative to the directory. Before the entries, which are in the order of their file names, there is
//! always the [mock adapter](MOCK): `mock-umd` and the sample plugin, which are linked in.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde::Deserialize;

use crate::Error;

/// The environment variable with the directory of adapters.
pub const VARIABLE: &str = "D3D12_MOCK_ADAPTERS";

/// The name of the adapter that is always there.
pub const MOCK: &str = "mock";

/// An adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// Its name.
    pub name: String,
    /// The file of its user-mode driver, which exports `OpenAdapter12`; `None` for the linked-in one.
    pub umd: Option<PathBuf>,
    /// The file of its compiler plugin; `None` for the linked-in one.
    pub plugin: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    umd: PathBuf,
    plugin: PathBuf,
}

impl Adapter {
    /// The mock adapter.
    pub fn mock() -> Self {
        Self {
            name: MOCK.into(),
            umd: None,
            plugin: None,
        }
    }

    /// Reads an entry.
    fn read(path: &Path) -> Result<Self, Error> {
        let invalid = |text: String| Error::Adapter {
            path: path.to_owned(),
            text,
        };
        let text = fs::read(path).map_err(|error| Error::file(path, error))?;
        let entry: Entry =
            serde_json::from_slice(&text).map_err(|error| invalid(error.to_string()))?;
        if entry.name.is_empty() {
            return Err(invalid("the name is empty".into()));
        }
        let place = path.parent().unwrap_or(Path::new(""));
        Ok(Self {
            name: entry.name,
            umd: Some(place.join(entry.umd)),
            plugin: Some(place.join(entry.plugin)),
        })
    }
}

/// All adapters: the mock one, and those of the directory that the environment names.
///
/// # Errors
///
/// As [`in_directory`].
pub fn all() -> Result<Vec<Adapter>, Error> {
    in_directory(env::var_os(VARIABLE).as_deref().map(Path::new))
}

/// All adapters: the mock one, and those of a directory.
///
/// # Errors
///
/// The directory or an entry cannot be read; an entry is not as above; two have one name.
pub fn in_directory(directory: Option<&Path>) -> Result<Vec<Adapter>, Error> {
    let mut adapters = vec![Adapter::mock()];
    let Some(directory) = directory else {
        return Ok(adapters);
    };
    let failed = |error| Error::file(directory, error);
    let entries: io::Result<Vec<PathBuf>> = fs::read_dir(directory)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let mut entries = entries.map_err(failed)?;
    entries.retain(|path| path.extension() == Some(OsStr::new("json")));
    entries.sort();
    for path in entries {
        let adapter = Adapter::read(&path)?;
        if adapters.iter().any(|other| other.name == adapter.name) {
            let text = format!("there is another adapter with the name {:?}", adapter.name);
            return Err(Error::Adapter { path, text });
        }
        adapters.push(adapter);
    }
    Ok(adapters)
}

/// The adapter of a name, or else of an index.
///
/// # Errors
///
/// [`Error::NoAdapter`], which has the names that there are.
pub fn find<'a>(adapters: &'a [Adapter], wanted: &str) -> Result<&'a Adapter, Error> {
    let named = adapters.iter().find(|adapter| adapter.name == wanted);
    let indexed = || adapters.get(wanted.parse::<usize>().ok()?);
    named.or_else(indexed).ok_or_else(|| Error::NoAdapter {
        wanted: wanted.to_owned(),
        names: adapters
            .iter()
            .map(|adapter| adapter.name.clone())
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_adds_adapters_behind_the_mock_one() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write(
            "2.json",
            r#"{"name":"Two","umd":"two.dll","plugin":"sub/p.dll"}"#,
        );
        write(
            "1.json",
            r#"{"name":"One","umd":"one.dll","plugin":"p.dll"}"#,
        );
        write("notes.txt", "no adapter");
        let adapters = in_directory(Some(folder.path())).unwrap();
        let names: Vec<&str> = adapters.iter().map(|adapter| &*adapter.name).collect();
        assert_eq!(names, ["mock", "One", "Two"]);
        assert_eq!(find(&adapters, "2").unwrap().name, "Two");
        let two = find(&adapters, "Two").unwrap();
        assert_eq!(two.plugin, Some(folder.path().join("sub/p.dll")));
        let error = find(&adapters, "3").unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no adapter \"3\"; there are: mock, One, Two"
        );
    }

    #[test]
    fn entries_that_are_wrong_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        for (text, part) in [
            ("{", "EOF"),
            (r#"{"name":"","umd":"a","plugin":"b"}"#, "the name is empty"),
            (r#"{"name":"a","umd":"a"}"#, "missing field `plugin`"),
            (
                r#"{"name":"a","umd":"a","plugin":"b","x":1}"#,
                "unknown field `x`",
            ),
            (
                r#"{"name":"mock","umd":"a","plugin":"b"}"#,
                "another adapter",
            ),
        ] {
            fs::write(&path, text).unwrap();
            let error = in_directory(Some(folder.path())).unwrap_err().to_string();
            assert!(error.contains("a.json") && error.contains(part), "{error}");
        }
        assert!(in_directory(Some(&folder.path().join("none"))).is_err());
    }
}
