//! Types of value that the user asks for later: a PDB file, or one for performance data, lacks objects that the output has.
//!
//! A compilation of its own makes the missing values, into files that the run removes again: a plugin that found its object
//! code in the output would not make it once more, and would not show whether it makes the same.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use compatibility::differences;
use shader_db::psdb::{self, Access, File, Psdb, ValueType, ValueTypes};
use shader_db::temporary::Folder;

use super::batches::Batches;
use super::once::{self, Compiled};
use super::options::{Listener, Options, Selection};
use super::output::{leave_to_others, rewrite, unsteady};
use super::plan;
use super::report::Failure;
use crate::{Error, Result};

/// A file that lacks groups of the main file.
struct Side<'a> {
    types: ValueTypes,
    path: &'a Path,
    lacking: HashSet<Vec<u8>>,
}

/// Completes the files of a run. The first is the main file, and has all objects that the run had to compile.
pub fn complete(options: &Options, compiled: &mut Compiled, listener: &dyn Listener) -> Result<()> {
    let files = compiled.outputs.files.clone();
    let files = &files[..];
    let [(_, main_path), sides @ ..] = files else {
        return Ok(());
    };
    let stored: HashSet<Vec<u8>> = compiled.stored.iter().map(|(key, _)| key.clone()).collect();
    let mut groups = HashSet::new();
    groups.extend(
        File::open(main_path)?
            .groups()?
            .into_iter()
            .map(|group| group.key),
    );
    let mut lacking = Vec::new();
    for (types, path) in sides {
        let mut side = Side {
            types: *types,
            path,
            lacking: groups.clone(),
        };
        for group in File::open(path)?.groups()? {
            side.lacking.remove(&group.key);
        }
        // Not the objects that other runs have to compile.
        side.lacking.retain(|key| stored.contains(key));
        if !side.lacking.is_empty() {
            lacking.push(side);
        }
    }
    if lacking.is_empty() {
        return Ok(());
    }

    let temporary = std::env::temp_dir();
    let folder = Folder::new().map_err(|error| Error::file(&temporary, error))?;
    let path_of = |path: &Option<PathBuf>, name| path.as_ref().map(|_| folder.path().join(name));
    let again_options = Options {
        output: folder.path().join("again.psdb"),
        pdb: path_of(&options.pdb, "pdb.psdb"),
        perf: path_of(&options.perf, "perf.psdb"),
        abi: compiled.report.abi_version,
        // Of all objects those that lack something, whatever the selection.
        selection: Selection::default(),
        ..options.clone()
    };
    let only: HashSet<&[u8]> = lacking
        .iter()
        .flat_map(|side| side.lacking.iter().map(Vec::as_slice))
        .collect();
    let again = once::compile(&again_options, Some(&only), listener)?;
    let report = &mut compiled.report;
    for warning in again.report.warnings {
        if !report.warnings.contains(&warning) {
            report.warnings.push(warning);
        }
    }
    report.not_done = again.report.not_done;

    let before = Made::open(files)?;
    let made = Made::open(&plan::outputs(&again_options))?;
    let mut failures = again.report.failures;
    let mut same = Vec::new();
    for (key, version) in again.stored {
        match made.compare(&before, &key, version)? {
            Ok(keys) => same.push(Same { key, version, keys }),
            Err(reason) => failures.push(Failure::new(&key, &reason)),
        }
    }
    for side in &lacking {
        let files = [(side.types, side.path)];
        let database = Batches::new(Psdb::open(&files, &psdb::Options::default())?);
        for object in &same {
            if side.lacking.contains(&object.key) && object.keys == Keys::OfBefore {
                let keys = before.value_keys(&object.key, object.version)?;
                made.copy(&keys, side.types, &database)?;
                store_group(&database, object, &keys)?;
            }
        }
        database.flush()?;
        report.warnings.extend(unsteady(database.psdb()));
    }
    extend(files, &same, before, &made)?;
    for (_, path) in files {
        leave_to_others(rewrite(path), path, &mut report.warnings)?;
    }
    // Also the failures of the objects that these are made from, which may have failed before.
    let known: HashSet<String> = report.failures.iter().map(Failure::hex).collect();
    failures.retain(|failure| !known.contains(&failure.hex()));
    let failed: HashSet<String> = failures.iter().map(Failure::hex).collect();
    let before = compiled.stored.len();
    compiled
        .stored
        .retain(|(key, _)| !failed.contains(&hex::encode(key)));
    // The run counted them as up to date.
    report.compiled += same.len();
    let again = same.len() + (before - compiled.stored.len());
    report.up_to_date = report.up_to_date.saturating_sub(again);
    report.failures.extend(failures);
    Ok(())
}

/// An object that the plugin made again with the same code.
struct Same {
    key: Vec<u8>,
    version: u32,
    keys: Keys,
}

/// The value keys to store for an object.
#[derive(PartialEq, Eq)]
enum Keys {
    /// The keys that it has.
    OfBefore,
    /// More keys, of values that it has only in the types asked for later.
    Extended(Vec<Vec<u8>>),
}

/// Replaces groups by those with more value keys. A run that is killed meanwhile leaves objects that the next run compiles.
fn extend(files: &[(ValueTypes, PathBuf)], same: &[Same], before: Made, made: &Made) -> Result<()> {
    let mut extended = Vec::new();
    for object in same {
        let Keys::Extended(keys) = &object.keys else {
            continue;
        };
        // Values of the group that this compilation does not make again, such as types that this run does not ask for.
        let of_made: HashSet<_> = made
            .value_keys(&object.key, object.version)?
            .into_iter()
            .collect();
        let mut kept = Vec::new();
        for key in keys.iter().filter(|key| !of_made.contains(*key)) {
            for kind in before.0.types().kinds() {
                if let Some(value) = before.value(key, kind)? {
                    kept.push((key, kind, value));
                }
            }
        }
        extended.push((object, keys, kept));
    }
    drop(before);
    if extended.is_empty() {
        return Ok(());
    }
    let paths: Vec<&PathBuf> = files.iter().map(|(_, path)| path).collect();
    let groups: Vec<&Vec<u8>> = extended.iter().map(|(object, ..)| &object.key).collect();
    psdb::remove_groups(&paths, &groups)?;
    let database = Batches::new(Psdb::open(files, &psdb::Options::default())?);
    for (object, keys, kept) in &extended {
        made.copy(keys, database.psdb().types(), &database)?;
        for (key, kind, value) in kept {
            database.add_values(key, &[(*kind, value)])?;
        }
        store_group(&database, object, keys)?;
    }
    database.flush()?;
    Ok(())
}

/// Accepts a group that another run has stored meanwhile.
fn store_group(to: &Batches, object: &Same, keys: &[Vec<u8>]) -> Result<()> {
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    match to.add_group(&object.key, object.version, &keys) {
        Err(shader_db::Error::AlreadyExists) => Ok(()),
        stored => Ok(stored?),
    }
}

/// The files of a run, open to read.
struct Made(Psdb);

impl Made {
    fn open(files: &[(ValueTypes, PathBuf)]) -> Result<Self> {
        let options = psdb::Options {
            access: Access::Read,
            ..psdb::Options::default()
        };
        Ok(Self(Psdb::open(files, &options)?))
    }

    fn value(&self, key: &[u8], kind: ValueType) -> Result<Option<Vec<u8>>> {
        Ok(self.0.find_value(key, kind, <[u8]>::to_vec)?)
    }

    fn value_keys(&self, group: &[u8], version: u32) -> Result<Vec<Vec<u8>>> {
        let keys = self.0.group_value_keys(group, version)?;
        Ok(keys.unwrap_or_default())
    }

    /// The value keys to store for an object, or how the new compilation differs from the one before. Only object code must
    /// be the same each time, and the order of the keys does not count.
    fn compare(
        &self,
        before: &Self,
        group: &[u8],
        version: u32,
    ) -> Result<std::result::Result<Keys, String>> {
        let [old, new] = [before, self].map(|files| files.value_keys(group, version));
        let (old, new) = (old?, new?);
        let [of_old, of_new] = [&old, &new].map(|keys| keys.iter().collect::<HashSet<_>>());
        for key in of_old.union(&of_new) {
            let [was, is] = [before, self].map(|files| files.value(key, ValueType::ObjectCode));
            let what = match (was?, is?) {
                (was, is) if was == is => continue,
                (Some(_), Some(_)) => "different object code under the value key",
                (Some(_), None) => "no object code under the value key",
                (None, _) => "object code under another value key,",
            };
            let [before, now] =
                [before, self].map(|files| files.0.target().origin(files.0.application()));
            let why = match differences(&before, &now).first() {
                None => "the plugin is not deterministic".into(),
                Some(difference) => format!("the output is of another version: {difference}"),
            };
            return Ok(Err(format!(
                "{why}: compiled again for the types that were not asked for before, it has {what} {}. What the output has \
                 stays",
                hex::encode(key)
            )));
        }
        Ok(Ok(if of_new.is_subset(&of_old) {
            Keys::OfBefore
        } else if of_old.is_subset(&of_new) {
            Keys::Extended(new)
        } else {
            let more = new.iter().filter(|key| !of_old.contains(key)).cloned();
            Keys::Extended(old.iter().cloned().chain(more).collect())
        }))
    }

    /// Stores values of these keys and types in other files.
    fn copy(&self, keys: &[Vec<u8>], types: ValueTypes, to: &Batches) -> Result<()> {
        for key in keys {
            for kind in types.kinds() {
                if let Some(value) = self.value(key, kind)? {
                    to.add_values(key, &[(kind, &value)])?;
                }
            }
        }
        Ok(())
    }
}
