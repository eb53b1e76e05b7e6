//! The plan of a run: its objects, plugin, target and files.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use compiler_runtime::{Factory, ValueType, ValueTypes};
use shader_db::psdb::{self, Target};
use shader_db::sodb::{Access, Application, Entry, Kind, Sodb};

use super::application;
use super::ask::ask;
use super::options::{Listener, Options, Selection, Workers};
use super::renewal::{Aged, Now, Outputs};
use crate::key::FoundKey;
use crate::question::Question as _;
use crate::question::target::TargetQuestion;
use crate::{Error, Result};

/// Where the plugin runs.
#[derive(Clone)]
pub enum Place<'a> {
    Here(Factory),
    Workers(&'a Workers),
}

pub struct Plan<'a> {
    pub options: &'a Options,
    pub sodb: Sodb,
    pub place: Place<'a>,
    pub family_index: u32,
    pub target: Target,
    pub application: Application,
    pub outputs: Outputs,
    /// All objects of the SODB.
    pub entries: Vec<Entry>,
    /// For each of them, whether the run stores it.
    pub selected: Vec<bool>,
    /// The only object, if the selection has a key.
    pub key: Option<FoundKey>,
    pub warnings: Vec<String>,
    /// The warnings about files that would be better compiled again.
    pub aged: Vec<String>,
}

impl<'a> Plan<'a> {
    /// Plans to compile the selected objects, or of them `only` these. This writes nothing.
    pub fn new(
        options: &'a Options,
        only: Option<&HashSet<&[u8]>>,
        listener: &dyn Listener,
    ) -> Result<Self> {
        let mut warnings = Vec::new();
        let sodb = Sodb::open(&options.sodb, Access::Read)?;
        let application =
            application::of(&sodb, &options.sodb, &options.application, &mut warnings)?;
        if psdb::exists(&options.output) {
            // Before the run loads a plugin.
            psdb::File::open(&options.output)?;
        }
        let question = TargetQuestion {
            adapter_family: options.adapter_family.clone(),
            abi: options.abi,
            application,
        };
        let (place, answer) = match &options.workers {
            None => {
                let factory = options.plugin.open()?;
                let answer = question.ask(&factory)?;
                (Place::Here(factory), answer)
            }
            Some(workers) => {
                let interrupts = || listener.interrupts();
                let answer = ask(&question, &options.plugin, workers, &interrupts)?;
                (Place::Workers(workers), answer)
            }
        };
        let application = question.application;
        let now = Now {
            origin: answer.target.origin(&application),
            abi_versions: &answer.abi_versions,
        };
        let mut outputs =
            Outputs::choose(outputs(options), &now, options.recompile, &mut warnings)?;
        check_together(&outputs.files)?;
        // Both read every row.
        let (entries, counts) = thread::scope(|scope| {
            let counts = thread::Builder::new().spawn_scoped(scope, || sodb.counts());
            let entries = sodb.entries();
            // Where there is no thread, this one does it.
            let counts = match counts {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(_) => sodb.counts(),
            };
            (entries, counts)
        });
        let entries = entries?;
        let (mut selected, key) = options.selection.of(&sodb, &entries)?;
        select_renewed(
            options,
            &mut outputs,
            &entries,
            &mut selected,
            &mut warnings,
        )?;
        let aged = aged(&outputs, &entries)?;
        if let Some(only) = only {
            for (selected, entry) in selected.iter_mut().zip(&entries) {
                *selected &= only.contains(&*entry.key);
            }
        }
        if options.selection.key.is_some() && !selected.contains(&true) {
            warnings.push(match options.selection.shard {
                Some(shard) => format!("nothing is compiled: the object of this key is not in shard {shard}, or is left out"),
                None => "nothing is compiled: the object of this key is of a kind that is left out".into(),
            });
        }
        let unnamed = counts?.unnamed;
        if unnamed != 0 {
            warnings.push(format!(
                "{unnamed} objects of {} have no key and are not compiled",
                options.sodb.display()
            ));
        }
        Ok(Self {
            options,
            sodb,
            place,
            family_index: answer.family_index,
            target: answer.target,
            application,
            outputs,
            entries,
            selected,
            key,
            warnings,
            aged,
        })
    }
}

/// The warnings about files that would be better compiled again, with the way where the run can compile all of a file.
fn aged(outputs: &Outputs, entries: &[Entry]) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    if outputs.aged.is_empty() {
        return Ok(warnings);
    }
    let keys: HashSet<&[u8]> = entries.iter().map(|entry| &*entry.key).collect();
    for Aged { path, reason } in &outputs.aged {
        let groups = psdb::File::open(path)?.groups()?;
        let way = if groups.iter().all(|group| keys.contains(&*group.key)) {
            "; --recompile should compiles it again"
        } else {
            ""
        };
        let path = path.display();
        warnings.push(format!("{path}: {reason}: what it has stays{way}"));
    }
    Ok(warnings)
}

/// Also selects what the files to replace have.
fn select_renewed(
    options: &Options,
    outputs: &mut Outputs,
    entries: &[Entry],
    selected: &mut [bool],
    warnings: &mut Vec<String>,
) -> Result<()> {
    let mut renewed = outputs.renewed()?;
    for (selected, entry) in selected.iter_mut().zip(entries) {
        if let Some(version) = renewed.remove(&entry.key) {
            *selected = true;
            if version == Some(entry.version) {
                outputs.keep(entry.key.clone());
            }
        }
    }
    if renewed.is_empty() {
        return Ok(());
    }
    let text = format!(
        "{} objects that {} has are not in {}, and",
        renewed.len(),
        options.output.display(),
        options.sodb.display()
    );
    if outputs.is_optional() {
        return Err(Error::Usage(format!(
            "{text} would be lost: --recompile should compiles a file again only if it can compile all of it. Without it the run adds to \
             the file"
        )));
    }
    warnings.push(format!("{text} cannot be compiled again"));
    Ok(())
}

/// The files of the output, each for the types of value in its set.
pub fn outputs(options: &Options) -> Vec<(ValueTypes, PathBuf)> {
    let mut files = vec![(
        ValueTypes::from(ValueType::ObjectCode) | ValueType::Metadata.into(),
        options.output.clone(),
    )];
    let more = [
        (ValueType::DebugPdb, &options.pdb),
        (ValueType::PerformanceData, &options.perf),
    ];
    for (kind, path) in more {
        files.extend(path.clone().map(|path| (kind.into(), path)));
    }
    files
}

/// Checks that a run can write the files together: no side file has objects if the output is new.
fn check_together(files: &[(ValueTypes, PathBuf)]) -> Result<()> {
    let output = &files[0].1;
    if !psdb::exists(output) {
        for (_, path) in files.iter().filter(|(_, path)| psdb::exists(path)) {
            if !psdb::File::open(path)?.groups()?.is_empty() {
                return Err(Error::Usage(format!(
                    "{} exists, and {} does not: give the output of the run that made it, or new files",
                    path.display(),
                    output.display()
                )));
            }
        }
    }
    Ok(())
}

impl Selection {
    /// Which entries of an SODB the selection has, and how it took a key.
    pub(crate) fn of(
        &self,
        sodb: &Sodb,
        entries: &[Entry],
    ) -> Result<(Vec<bool>, Option<FoundKey>)> {
        let only = match &self.key {
            None => None,
            Some(key) => {
                let exists = |key: &[u8]| entries.iter().any(|entry| entry.key == key);
                Some(key.find(|key| Ok(exists(key)))?)
            }
        };
        let is_selected = |entry: &Entry| {
            only.is_none_or(|(_, key)| key == entry.key)
                && match (entry.kind, &entry.parent) {
                    (Kind::PipelineState, _) => self.psos,
                    (Kind::StateObject(_), None) => self.state_objects,
                    (Kind::StateObject(_), Some(_)) => self.add_to_state_objects,
                    (Kind::Nothing, _) => true,
                }
        };
        let mut selected: Vec<bool> = entries.iter().map(is_selected).collect();
        if let Some(shard) = self.shard {
            let members = shard.members(sodb, entries)?;
            for (selected, is_member) in selected.iter_mut().zip(members) {
                *selected &= is_member;
            }
        }
        Ok((selected, only.map(FoundKey::from)))
    }
}
