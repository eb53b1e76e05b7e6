//! What the versions of a plugin mean for an output that exists: it is added to, or everything in it is compiled again into
//! new files, which take the places of the old ones when the run has come to its end.
//!
//! Until then the old files are as they were, so that nothing is lost whatever ends the run; and the new ones, `<output>.next`,
//! are what the next run goes on with.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use api_sys::compatibility::{Origin, Verdict, differences, verdict};
use serde::{Deserialize, Serialize};
use shader_db::psdb::{self, File, ValueTypes};

use crate::{Error, Result};

/// What is compiled again although an output has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recompile {
    /// What has to be, as another major or minor version of the compiler compiled it, or it has another version of the
    /// application's profile.
    #[default]
    Must,
    /// Also what should be, as another build of the compiler compiled it.
    Should,
}

/// The files that a run writes.
pub struct Outputs {
    /// Each for the types of value in its set.
    pub files: Vec<(ValueTypes, PathBuf)>,
    /// Of those that are to take the place of another one, in their order, its path.
    places: Vec<(PathBuf, PathBuf)>,
    /// Those that are replaced and are there.
    old: Vec<PathBuf>,
    /// Whether what the old ones have can be used, and would only be better compiled again.
    is_optional: bool,
}

impl Outputs {
    /// Chooses them for the files of the user, the output first.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if one is for another target or application; [`Error::Database`].
    pub fn choose(
        outputs: Vec<(ValueTypes, PathBuf)>,
        now: &Origin,
        recompile: Recompile,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let mut renewed = Vec::new();
        let mut is_optional = true;
        for (_, path) in &outputs {
            let why = if psdb::exists(path) {
                why_renewed(path, now, recompile, warnings)?
            } else {
                None
            };
            is_optional &= why != Some(Why::Must);
            renewed.push(why.is_some());
        }
        let mut chosen = Self {
            files: outputs,
            places: Vec::new(),
            old: Vec::new(),
            is_optional,
        };
        if !renewed.contains(&true) {
            return Ok(chosen);
        }
        for ((_, path), is_renewed) in chosen.files.iter_mut().zip(renewed) {
            let next = next(path);
            // A run that was killed in the end has put some of them in their places already.
            if psdb::exists(path) && !is_renewed && !next.exists() {
                continue;
            }
            if next.exists() && !differences(&File::open(&next)?.origin(), now).is_empty() {
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

    /// Whether there are some that take the place of another one.
    pub fn is_renewal(&self) -> bool {
        !self.places.is_empty()
    }

    /// Whether there are some, and what the old ones have can be used: then they stay unless all of it is compiled again.
    pub fn is_optional(&self) -> bool {
        self.is_renewal() && self.is_optional
    }

    /// The keys of what is compiled again: of the groups of the old files.
    pub fn renewed(&self) -> Result<HashSet<Vec<u8>>> {
        let mut keys = HashSet::new();
        for old in &self.old {
            keys.extend(
                File::open(old)?
                    .groups()?
                    .into_iter()
                    .map(|group| group.key),
            );
        }
        Ok(keys)
    }

    /// Puts the new files in the places of the old ones, the output last: as long as that is the old one, they are looked for.
    pub fn take_places(&self) -> Result<()> {
        for (next, path) in self.places.iter().rev() {
            psdb::take_place(next, path)?;
        }
        Ok(())
    }
}

/// Why everything that a file has is compiled again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    Should,
    Must,
}

/// Whether everything that a file has is to be compiled again, and why.
fn why_renewed(
    path: &Path,
    now: &Origin,
    recompile: Recompile,
    warnings: &mut Vec<String>,
) -> Result<Option<Why>> {
    let file = File::open(path)?;
    let shown = path.display();
    let verdict = verdict(&file.origin(), now);
    let why = match verdict {
        Verdict::MustRecompile(_) => Why::Must,
        _ => Why::Should,
    };
    match verdict {
        Verdict::Usable => Ok(None),
        Verdict::ShouldRecompile(reason) if recompile == Recompile::Must => {
            warnings.push(format!(
                "{shown}: {reason}: what it has is kept, and would be better compiled again, as with --recompile should"
            ));
            Ok(None)
        }
        Verdict::MustRecompile(reason) if reason.is_conflict() => {
            let abi = file.target().abi;
            let way = if reason.what == "ABI version" {
                format!("--abi {abi} adds to it, and a new file can be for another one")
            } else {
                "what is for another one goes to a new file".into()
            };
            Err(Error::Usage(format!("{shown}: {reason}: {way}")))
        }
        Verdict::ShouldRecompile(reason) | Verdict::MustRecompile(reason) => {
            warnings.push(format!(
                "{shown}: {reason}: everything in it is compiled again, into {}, which takes its place at the end",
                next(path).display()
            ));
            Ok(Some(why))
        }
    }
}

/// The name of what is to take a file's place, beside the file itself if the path is that of a link.
fn next(path: &Path) -> PathBuf {
    let file = if path.is_symlink() {
        psdb::path_of_file(path)
    } else {
        path.to_owned()
    };
    let mut name = file.into_os_string();
    name.push(".next");
    name.into()
}
