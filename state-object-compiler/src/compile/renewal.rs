//! What the versions of a plugin mean for an existing output: the run adds to it, or compiles everything in it again into new
//! files, which take the places of the old ones at the end of the run.
//!
//! Until then the old files stay as they are, so that no end of the run loses anything; and the next run continues with the
//! new ones, `<output>.next`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use compatibility::{Origin, Reason, Verdict, differences, verdict};
use serde::{Deserialize, Serialize};
use shader_db::file_name;
use shader_db::psdb::{self, File, ValueTypes};
use twox_hash::XxHash3_64;

use super::report::Stored;
use crate::{Error, Result};

/// The suffix of a file that is to take another's place.
const NEXT: &str = ".next";

/// What a run compiles again although an output has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recompile {
    /// What must be: another major or minor version of the compiler compiled it, or it has another version of the
    /// application's profile.
    #[default]
    Must,
    /// Also what should be: another build of the compiler compiled it.
    Should,
}

/// The files that a run writes.
pub struct Outputs {
    /// The files, each for the types of value in its set.
    pub files: Vec<(ValueTypes, PathBuf)>,
    /// The files that take the place of another one, in their order, with its path.
    places: Vec<(PathBuf, PathBuf)>,
    /// The existing files that the new ones replace.
    old: Vec<PathBuf>,
    /// Whether the content of the old files is usable, and a new compilation would only be better.
    is_optional: bool,
    /// The keys of the objects that usable old files have in the version of the SODB: the old files stay unless the run compiles
    /// all of these again.
    kept: HashSet<Vec<u8>>,
    /// The files that stay, though another build of the compiler would make them better.
    pub aged: Vec<Aged>,
    /// Keeps other runs from compiling the same again.
    _lock: Option<Lock>,
}

impl Outputs {
    /// Chooses the files that a run writes for the files of the user, the output first.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if a file is for another target or application; [`Error::Renewed`]; [`Error::Database`].
    pub fn choose(
        outputs: Vec<(ValueTypes, PathBuf)>,
        now: &Now,
        recompile: Recompile,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let mut said = Said::default();
        let mut decide = || {
            said = Said::default();
            let paths: Vec<&Path> = outputs.iter().map(|(_, path)| &**path).collect();
            let whys = paths
                .iter()
                .map(|path| why_renewed(path, &paths, now, recompile, &mut said));
            whys.collect::<Result<Vec<_>>>()
        };
        let mut whys = decide()?;
        let mut lock = None;
        if whys.iter().any(Option::is_some) {
            lock = Some(Lock::take(&outputs[0].1)?);
            // Another run may just have put its files in their places.
            whys = decide()?;
        }
        warnings.append(&mut said.warnings);
        let is_renewal = whys.iter().any(Option::is_some);
        let mut chosen = Self {
            files: outputs,
            places: Vec::new(),
            old: Vec::new(),
            is_optional: !whys.contains(&Some(Why::Must)),
            kept: HashSet::new(),
            aged: said.aged,
            _lock: lock.filter(|_| is_renewal),
        };
        if !is_renewal {
            return Ok(chosen);
        }
        let renewed = whys.iter().map(Option::is_some);
        for ((_, path), is_renewed) in chosen.files.iter_mut().zip(renewed) {
            let next = next(path);
            // A run that was killed at its end has already put some of them in their places.
            if psdb::exists(path) && !is_renewed && !next.exists() {
                continue;
            }
            if next.exists() && !differences(&File::open(&next)?.origin(), &now.origin).is_empty() {
                psdb::discard(&next)?;
            }
            if psdb::exists(path) {
                chosen.old.push(path.clone());
            }
            chosen.places.push((next.clone(), path.clone()));
            *path = next;
        }
        Ok(chosen)
    }

    /// Whether some of the files take the place of another one.
    pub fn is_renewal(&self) -> bool {
        !self.places.is_empty()
    }

    /// Whether some do, and the old ones are usable.
    pub fn is_optional(&self) -> bool {
        self.is_renewal() && self.is_optional
    }

    /// The objects to compile again, those of the groups of the old files: their keys and versions.
    pub fn renewed(&self) -> Result<HashMap<Vec<u8>, Option<u32>>> {
        let mut objects = HashMap::new();
        for old in &self.old {
            let groups = File::open(old)?.groups()?.into_iter();
            objects.extend(groups.map(|group| {
                let version = group.version;
                (group.key, version)
            }));
        }
        Ok(objects)
    }

    /// Notes an object that the old files have in the version of the SODB.
    pub fn keep(&mut self, key: Vec<u8>) {
        self.kept.insert(key);
    }

    /// Whether the new files lack an object that usable old ones have.
    pub fn would_lose(&self, stored: &[Stored]) -> bool {
        let stored: HashSet<&Vec<u8>> = stored.iter().map(|(key, _)| key).collect();
        self.is_optional() && self.kept.iter().any(|key| !stored.contains(key))
    }

    /// Removes the new files; the old ones stay. A new file that another program has open stays too, for a later run.
    pub fn discard(&self) -> Result<()> {
        for (next, _) in self.places.iter().filter(|(next, _)| next.exists()) {
            match psdb::discard(next) {
                Err(shader_db::Error::Busy { .. }) => {}
                done => done?,
            }
        }
        Ok(())
    }

    /// Puts the new files in the places of the old ones, the output last: as long as it is the old one, a run looks for them.
    pub fn take_places(&self) -> Result<()> {
        for (next, path) in self.places.iter().rev() {
            psdb::take_place(next, path)?;
        }
        Ok(())
    }
}

/// The reason why a run compiles everything in a file again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    Should,
    Must,
}

/// What a plugin compiles for.
pub struct Now<'a> {
    pub origin: Origin<'a>,
    /// The ABI versions of the adapter family.
    pub abi_versions: &'a [u64],
}

/// A file that another build of the compiler made.
pub struct Aged {
    pub path: PathBuf,
    pub reason: Reason,
}

/// The findings on existing files.
#[derive(Default)]
struct Said {
    warnings: Vec<String>,
    aged: Vec<Aged>,
}

/// Whether and why a run must compile everything in a file again; `paths` are all files of the run.
fn why_renewed(
    path: &Path,
    paths: &[&Path],
    now: &Now,
    recompile: Recompile,
    said: &mut Said,
) -> Result<Option<Why>> {
    if !psdb::exists(path) {
        return Ok(None);
    }
    let file = File::open(path)?;
    let shown = path.display();
    let verdict = verdict(&file.origin(), &now.origin);
    let why = match verdict {
        Verdict::MustRecompile(_) => Why::Must,
        _ => Why::Should,
    };
    match verdict {
        Verdict::Usable => Ok(None),
        Verdict::ShouldRecompile(reason) if recompile == Recompile::Must => {
            let path = path.to_owned();
            said.aged.push(Aged { path, reason });
            Ok(None)
        }
        Verdict::MustRecompile(reason) if reason.is_conflict() => {
            let abi = file.target().abi;
            let way = if now.fits_with_abi(abi, paths) {
                format!("give --abi {abi} to use it, or a new file for another ABI version")
            } else {
                "give a new file".into()
            };
            Err(Error::Usage(format!("{shown}: {reason}: {way}")))
        }
        Verdict::ShouldRecompile(reason) | Verdict::MustRecompile(reason) => {
            said.warnings.push(format!(
                "{shown}: {reason}: everything in it is compiled again, into {}, which replaces it at the end",
                next(path).display()
            ));
            Ok(Some(why))
        }
    }
}

impl Now<'_> {
    /// Whether the plugin, asked for this ABI version, compiles for the target and the application of all files.
    fn fits_with_abi(&self, abi: u64, paths: &[&Path]) -> bool {
        let origin = Origin { abi, ..self.origin };
        let fits = |path: &&Path| {
            let verdict = File::open(path).map(|file| verdict(&file.origin(), &origin));
            !matches!(verdict, Ok(Verdict::MustRecompile(reason)) if reason.is_conflict())
        };
        let mut existing = paths.iter().filter(|path| psdb::exists(path));
        self.abi_versions.contains(&abi) && existing.all(fits)
    }
}

/// The path of the file that takes another's place, beside the file itself if the path is that of a link: `<name>.next`, or,
/// where that is too long for a database, a name as long as the file's own.
fn next(path: &Path) -> PathBuf {
    let file = if path.is_symlink() {
        psdb::path_of_file(path)
    } else {
        path.to_owned()
    };
    let name = file.file_name().unwrap_or_default();
    let mut next = name.to_owned();
    next.push(NEXT);
    let next = file.with_file_name(next);
    if file_name::check(&next).is_ok() {
        return next;
    }
    let hash = format!("-{:016x}", XxHash3_64::oneshot(name.as_encoded_bytes()));
    let mut short = name.to_string_lossy().into_owned();
    let most = name.len().saturating_sub(hash.len() + NEXT.len());
    short.truncate(short.floor_char_boundary(most));
    file.with_file_name(short + &hash + NEXT)
}

/// The path of the lock file of the run that compiles an output again.
fn lock_of(output: &Path) -> PathBuf {
    let mut path = next(output).into_os_string();
    path.push("-lock");
    path.into()
}

/// The paths, without links, of what a run can make beside an output.
pub fn reserved(output: &Path) -> [PathBuf; 2] {
    [next(output), lock_of(output)].map(|path| psdb::path_of_file(&path))
}

/// A lock file of the run that compiles an output again; the run removes it at its end.
struct Lock {
    path: PathBuf,
    /// Closed, and so unlocked, after its removal.
    _file: same_file::Handle,
}

impl Lock {
    /// # Errors
    ///
    /// [`Error::Renewed`] if another run has the lock; [`Error::File`].
    fn take(output: &Path) -> Result<Self> {
        let path = lock_of(output);
        let taken = || {
            let mut options = fs::File::options();
            let file = options
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            let is_locked = file.try_lock().is_ok();
            let file = same_file::Handle::from_file(file)?;
            // The run that had it may have removed the file before this run locked it.
            let is_there = same_file::Handle::from_path(&path).is_ok_and(|there| there == file);
            Ok((is_locked && is_there).then_some(file))
        };
        match taken() {
            Ok(Some(file)) => Ok(Self { path, _file: file }),
            Ok(None) => Err(Error::Renewed {
                path: output.to_owned(),
            }),
            Err(error) => Err(Error::file(&path, error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A run that finds the file can lock it all the same.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_file_of_a_long_name_has_a_name_that_is_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| {
            let next = next(&folder.path().join(name));
            next.file_name().unwrap().to_str().unwrap().to_owned()
        };
        assert_eq!(of("a.psdb"), "a.psdb.next");
        let mut long = vec!["n".repeat(245), format!("{}m", "n".repeat(244))];
        // Windows counts UTF-16 units.
        if cfg!(unix) {
            long.push("й".repeat(122));
        }
        let of_long: Vec<String> = long.iter().map(|name| of(name)).collect();
        assert_ne!(of_long[0], of_long[1]);
        for name in of_long {
            assert!(name.len() <= 245 && name.ends_with(NEXT), "{name}");
        }
    }

    #[test]
    fn one_run_at_a_time_compiles_again() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("a.psdb");
        let lock = Lock::take(&output).unwrap();
        let refused = Lock::take(&output).err().unwrap();
        assert!(matches!(refused, Error::Renewed { .. }), "{refused}");
        drop(lock);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        drop(Lock::take(&output).unwrap());
    }
}
