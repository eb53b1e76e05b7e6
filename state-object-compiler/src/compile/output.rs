//! The files in which a run stores: it opens them with their content, and gives them their canonical form at the end.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use compiler_runtime::ValueTypes;
use shader_db::psdb::{self, Psdb};
use shader_db::short_hex;
use shader_db::sodb::{Entry, Kind};

use super::batches::Batches;
use super::own_files::OwnFiles;
use super::plan::Plan;
use super::{completeness, same_run};
use crate::key::shown;
use crate::report::{type_name, unverified};
use crate::{Error, Result};

pub struct Output {
    pub database: Arc<Batches>,
    files: Vec<(ValueTypes, PathBuf)>,
    /// For each entry of the SODB, whether the output has it.
    pub there: Vec<bool>,
    /// Whether it had no values when the run opened it.
    pub is_new: bool,
    /// The keys of values that others have stored for no group.
    kept: HashSet<Vec<u8>>,
    /// The files, once the run has begun to write.
    own: OnceLock<OwnFiles>,
}

impl Output {
    /// Opens the files, and removes groups of planned objects that have another version or have lost values.
    pub fn open(plan: &mut Plan) -> Result<Self> {
        let files = plan.outputs.files.clone();
        let mut existing = Vec::new();
        let mut finished = Vec::new();
        for (_, path) in files.iter().filter(|(_, path)| psdb::exists(path)) {
            existing.push(path.as_path());
            let file = psdb::File::open(path)?;
            let unverified = unverified(&file)?;
            plan.warnings
                .extend(unverified.map(|line| format!("{}: {line}", path.display())));
            if file.is_finished() {
                finished.push(path);
            }
        }
        let is_there = psdb::exists(&files[0].1);
        if is_there {
            // A session removes from the side files what the main file lacks.
            same_run::check(&existing)?;
        }
        let mut output = Self {
            database: open(&files, plan)?,
            there: vec![false; plan.entries.len()],
            is_new: existing.is_empty(),
            kept: HashSet::new(),
            own: OnceLock::new(),
            files: files.clone(),
        };
        if is_there {
            let looked = look(output.database.psdb(), &plan.entries, &plan.selected)?;
            let lost = completeness::lost(&files)?;
            output = output.without_damage(looked, lost, plan)?;
        }
        let mut planned = plan.selected.iter().zip(&output.there);
        if planned.any(|(is_selected, there)| *is_selected && !there) {
            for path in finished {
                output.kept.extend(psdb::unnamed_keys(path)?);
            }
        }
        Ok(output)
    }

    /// Removes groups of another version, and the `lost` groups, which have lost values.
    fn without_damage(
        self,
        looked: Looked,
        lost: Option<HashSet<Vec<u8>>>,
        plan: &mut Plan,
    ) -> Result<Self> {
        let Looked {
            mut there,
            stale,
            incomplete,
        } = looked;
        if stale.is_empty() && incomplete.is_empty() && lost.is_none() {
            return Ok(Self { there, ..self });
        }
        let Self {
            database, files, ..
        } = self;
        drop(database);
        let path = plan.options.output.display();
        if !stale.is_empty() {
            plan.warnings.push(format!(
                "{} objects had another version in {path}: they are compiled again",
                stale.len()
            ));
        }
        let has_lost = lost.is_some();
        let mut damaged = lost.unwrap_or_default();
        damaged.extend(incomplete);
        for (there, entry) in there.iter_mut().zip(&plan.entries) {
            *there &= !damaged.contains(&entry.key);
        }
        if !damaged.is_empty() {
            plan.warnings.push(format!(
                "{} objects had lost values in {path}: they are removed, and compiled again if they are selected",
                damaged.len()
            ));
        }
        let mut removed: Vec<&[u8]> = stale.iter().map(Vec::as_slice).collect();
        removed.extend(damaged.iter().map(Vec::as_slice));
        let paths: Vec<&PathBuf> = files.iter().map(|(_, path)| path).collect();
        psdb::remove_groups(&paths, &removed)?;
        if has_lost {
            paths.iter().try_for_each(|path| psdb::remove_loose(path))?;
        }
        Ok(Self {
            database: open(&files, plan)?,
            files,
            there,
            ..self
        })
    }

    /// Puts the files in WAL mode: from here on nobody can remove what the run finds in them.
    pub fn begin(&self) -> Result<()> {
        let nothing = |_: &mut psdb::Transaction| Ok::<_, shader_db::Error>(());
        self.database.psdb().transaction(nothing)?;
        let paths = self.files.iter().map(|(_, path)| path.clone());
        self.own.get_or_init(|| OwnFiles::new(paths));
        Ok(())
    }

    /// Checks that the files that the run writes are still those that it has opened.
    pub fn check_there(&self) -> Result<()> {
        self.own.get().map_or(Ok(()), OwnFiles::check)
    }

    /// Closes the files, and gives them their canonical form, with `tried` if there was something to compile. Returns
    /// warnings, and the version of the oldest compiler that has made something in the main file.
    pub fn finish(self, tried: bool) -> Result<(Vec<String>, u64)> {
        let flushed = self.database.flush();
        self.check_there()?;
        let mut warnings = unsteady(self.database.psdb());
        for key in flushed? {
            warnings.push(format!(
                "another run has stored object {} meanwhile: the file keeps that one",
                shown(&key)
            ));
        }
        // The last user of the database closes the files, without a result: the files themselves show a failure.
        drop(self.database);
        let compiler = psdb::File::open(&self.files[0].1)?
            .target()
            .compiler_version;
        for (_, path) in &self.files {
            let done = put_in_order(path, tried, &self.kept);
            leave_to_others(done, path, &mut warnings)?;
        }
        Ok((warnings, compiler))
    }
}

fn open(files: &[(ValueTypes, PathBuf)], plan: &Plan) -> Result<Arc<Batches>> {
    let options = psdb::Options {
        target: Some(plan.target.clone()),
        application: Some(plan.application.clone()),
        commits_batches: true,
        ..psdb::Options::default()
    };
    Ok(Arc::new(Batches::new(Psdb::open(files, &options)?)))
}

/// What the output has of the selected entries.
struct Looked {
    /// For each entry, whether the output has it in the version of the SODB.
    there: Vec<bool>,
    /// The keys of the entries that it has in another version.
    stale: Vec<Vec<u8>>,
    /// The keys of the entries that have lost values.
    incomplete: Vec<Vec<u8>>,
}

fn look(output: &Psdb, entries: &[Entry], selected: &[bool]) -> Result<Looked> {
    let mut looked = Looked {
        there: vec![false; entries.len()],
        stale: Vec::new(),
        incomplete: Vec::new(),
    };
    for (place, entry) in entries
        .iter()
        .enumerate()
        // An entry whose row is damaged can be neither up to date nor another version.
        .filter(|(place, entry)| selected[*place] && entry.kind != Kind::Nothing)
    {
        let found = match output.find_group(&entry.key) {
            Err(shader_db::Error::Corrupt { .. }) => {
                looked.incomplete.push(entry.key.clone());
                continue;
            }
            found => found?,
        };
        match found {
            None => {}
            Some(version) if version != entry.version => looked.stale.push(entry.key.clone()),
            Some(_) if completeness::is_whole(output, entry)? => looked.there[place] = true,
            Some(_) => looked.incomplete.push(entry.key.clone()),
        }
    }
    Ok(looked)
}

/// Makes a failure to put a complete file in order a warning if the file is in use: the program that has it open closes it
/// last.
pub fn leave_to_others(done: Result<()>, path: &Path, warnings: &mut Vec<String>) -> Result<()> {
    match done {
        Err(Error::Database(shader_db::Error::Busy { .. })) => {
            warnings.push(format!(
                "{} is complete, but another run or program has it open: the last one to close it gives it its canonical form",
                path.display()
            ));
            Ok(())
        }
        done => done,
    }
}

/// Removes from a file what the run left in it that belongs to no object, and gives the file its canonical form: also one that
/// a killed run has completed, and not yet rewritten.
fn put_in_order(path: &Path, tried: bool, kept: &HashSet<Vec<u8>>) -> Result<()> {
    if tried {
        // Values of objects that failed, or from which others are made.
        let mut unnamed = psdb::unnamed_keys(path)?;
        unnamed.retain(|key| !kept.contains(key));
        if !unnamed.is_empty() {
            psdb::remove_unnamed(path, &unnamed)?;
        }
    }
    rewrite(path)
}

/// Gives a file its canonical form, unless it has it.
pub fn rewrite(path: &Path) -> Result<()> {
    if !psdb::File::open(path)?.is_canonical() {
        psdb::rewrite(path)?;
    }
    Ok(())
}

/// A warning names at most this many values that the plugin made with different bytes.
const TOLD: usize = 20;

/// The warning about a plugin that does not make the same values from the same input.
pub fn unsteady(database: &Psdb) -> Vec<String> {
    let values = database.differing_values();
    let told = values.iter().take(TOLD).map(|(key, kind)| {
        let (kind, key) = (type_name(*kind), short_hex(key));
        format!(
            "the plugin is not deterministic: {kind} of value key {key} was made again with different bytes; the file keeps the first"
        )
    });
    let mut told: Vec<String> = told.collect();
    if values.len() > TOLD {
        told.push(format!(
            "at least {} values were made again with different bytes",
            values.len()
        ));
    }
    told
}
