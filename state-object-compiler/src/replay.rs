//! `replay`: creates the objects of an SODB on a device of an adapter's user-mode driver, with PSDBs as its shader cache.

use std::fmt;
use std::path::PathBuf;

use compiler_runtime::message::{Message, Messages};
use mock_runtime::adapters::Adapter;
use mock_runtime::device::{Device, DeviceOptions};
use mock_runtime::objects::Objects;
use serde::Serialize;
use shader_db::sodb::{Access, Object, Sodb};

use crate::Result;
use crate::adapters::{Support, open};
use crate::check::State;
use crate::compile::{ApplicationChanges, Selection, application_of};
use crate::key::shown;
use crate::report::{one_line, path_text};
use crate::schedule::{Graph, Schedule};

/// What to replay, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The SODB. It is not changed.
    pub sodb: PathBuf,
    /// The adapter.
    pub adapter: Adapter,
    /// PSDBs in which the driver finds values, in the order in which they answer.
    pub caches: Vec<PathBuf>,
    /// What to replace in the application identity of the SODB.
    pub application: ApplicationChanges,
    /// Which objects are created.
    pub selection: Selection,
}

/// What became of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Everything was in the PSDBs.
    Hit,
    /// Something was not in the PSDBs, and the driver had it from an object before.
    Shared,
    /// The driver compiled something.
    Compiled,
    /// The driver looked nothing up.
    Unknown,
    /// It was not created.
    Failed,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Hit => "hit",
            Self::Shared => "shared",
            Self::Compiled => "compiled",
            Self::Unknown => "no lookup",
            Self::Failed => "failed",
        })
    }
}

/// The result of a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    adapter: String,
    ddi_build: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<Support>,
    caches: Vec<Cache>,
    objects: Vec<Replayed>,
    /// Objects that were created.
    pub created: usize,
    /// Of these, objects of which everything was in the PSDBs.
    pub hits: usize,
    /// Of these, objects of which a part was not in the PSDBs, and the driver had it from an object before.
    pub shared: usize,
    /// Of these, objects for which the driver compiled something.
    pub compiled: usize,
    /// Objects that were not created.
    pub failed: usize,
    /// How often the driver asked for the description of an object.
    asked_descriptions: u64,
    /// What the driver did wrong in its calls of the runtime.
    pub driver_faults: Vec<String>,
    /// What may surprise.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Cache {
    file: String,
    used: bool,
    /// As of `check`; none where the driver reports no ABI support.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Replayed {
    /// In hexadecimal digits.
    key: String,
    #[serde(skip)]
    shown: String,
    outcome: Outcome,
    /// Value keys that the PSDBs have.
    from_psdb: u64,
    /// Value keys that the driver had stored.
    from_driver: u64,
    missed: u64,
    stored: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Report {
    /// What the first PSDB means to the driver, and why; `None` without one, or where the driver reports no ABI support.
    pub fn first_cache(&self) -> Option<(State, Option<&str>)> {
        let cache = self.caches.first()?;
        Some((cache.verdict?, cache.reason.as_deref()))
    }

    /// Whether every object was created, and the driver made no mistake.
    pub fn is_complete(&self) -> bool {
        self.failed == 0 && self.driver_faults.is_empty()
    }
}

/// Creates the selected objects, each after those that it is made from. The driver runs in this process. `message` gets the
/// messages of the validation of each object.
///
/// # Errors
///
/// [`Error::Database`](crate::Error::Database), [`Error::Usage`](crate::Error::Usage);
/// [`Error::Runtime`](crate::Error::Runtime) if there is no device.
pub fn replay(options: &Options, message: &mut dyn FnMut(&[u8], &Message)) -> Result<Report> {
    let mut warnings = Vec::new();
    let sodb = Sodb::open(&options.sodb, Access::Read)?;
    let application = application_of(&sodb, &options.sodb, &options.application, &mut warnings)?;
    let adapter = open(&options.adapter, Some(&application))?;
    let device_options = DeviceOptions {
        caches: options.caches.clone(),
        ..DeviceOptions::default()
    };
    let objects = Objects::new(Device::new(&adapter, &device_options)?);
    let entries = sodb.entries()?;
    let (selected, _) = options.selection.of(&sodb, &entries)?;
    let graph = Graph::new(&entries);
    let mut set = selected;
    graph.close(&mut set);
    let mut replayed: Vec<Option<Replayed>> = vec![None; entries.len()];
    let failed = |place: usize, reason: String| Replayed {
        outcome: Outcome::Failed,
        reason: Some(one_line(&reason)),
        ..Replayed::new(&entries[place].key)
    };
    for place in Schedule::remove_cycles(&graph, &mut set) {
        replayed[place] = Some(failed(place, "it is made from itself".into()));
    }
    let mut schedule = Schedule::new(&graph, &set, 1);
    while let Some(place) = schedule.take(0) {
        let key = &*entries[place].key;
        let mut messages = Messages::default();
        replayed[place] = Some(match create(&sodb, &objects, key, &mut messages) {
            Ok(outcome) => Replayed::created(key, outcome),
            Err(reason) => failed(place, reason),
        });
        for told in messages.as_slice() {
            message(key, told);
        }
        schedule.finish(&graph, &set, place, 0);
    }
    let replayed: Vec<Replayed> = replayed.into_iter().flatten().collect();
    let count =
        |is: &dyn Fn(Outcome) -> bool| replayed.iter().filter(|object| is(object.outcome)).count();
    let device = objects.device();
    Ok(Report {
        adapter: one_line(&options.adapter.name),
        ddi_build: device.build(),
        driver: device.support().map(Support::from),
        caches: device.cache().databases().iter().map(Cache::from).collect(),
        created: count(&|outcome| outcome != Outcome::Failed),
        hits: count(&|outcome| outcome == Outcome::Hit),
        shared: count(&|outcome| outcome == Outcome::Shared),
        compiled: count(&|outcome| outcome == Outcome::Compiled),
        failed: count(&|outcome| outcome == Outcome::Failed),
        asked_descriptions: device.asked_descs(),
        driver_faults: device
            .faults()
            .iter()
            .map(|fault| one_line(fault))
            .collect(),
        objects: replayed,
        warnings,
    })
}

fn create(
    sodb: &Sodb,
    objects: &Objects,
    key: &[u8],
    messages: &mut Messages,
) -> Result<mock_runtime::shader_cache::Outcome, String> {
    let found = sodb
        .find_objects(&[key])
        .map_err(|error| error.to_string())?;
    let object: Option<Object> = match found.into_iter().next() {
        Some(found) => found.map_err(|error| error.to_string())?,
        None => None,
    };
    let object = object.ok_or("it is no longer in the SODB")?;
    let made = objects.create(key, &object, messages);
    made.map(|made| made.outcome())
        .map_err(|error| error.to_string())
}

impl Replayed {
    fn new(key: &[u8]) -> Self {
        Self {
            key: hex::encode(key),
            shown: shown(key),
            outcome: Outcome::Unknown,
            from_psdb: 0,
            from_driver: 0,
            missed: 0,
            stored: 0,
            reason: None,
        }
    }

    fn created(key: &[u8], outcome: mock_runtime::shader_cache::Outcome) -> Self {
        Self {
            outcome: if outcome.is_unknown() {
                Outcome::Unknown
            } else if outcome.has_missed() || outcome.stores != 0 {
                Outcome::Compiled
            } else if outcome.has_missed_database() {
                Outcome::Shared
            } else {
                Outcome::Hit
            },
            from_psdb: outcome.from_database,
            from_driver: outcome.from_stored,
            missed: outcome.missed,
            stored: outcome.stores,
            ..Self::new(key)
        }
    }
}

impl From<&mock_runtime::shader_cache::Database> for Cache {
    fn from(database: &mock_runtime::shader_cache::Database) -> Self {
        let told = database.verdict.clone().map(State::of);
        let (verdict, reason) = match told {
            None => (None, Some("the driver reports no ABI support".into())),
            Some((verdict, reason)) => (Some(verdict), reason),
        };
        Self {
            file: path_text(&database.path),
            used: database.is_used(),
            verdict,
            reason: reason.as_deref().map(one_line),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Adapter: {}", self.adapter)?;
        writeln!(f, "    Usermode DDI Build: {:04}", self.ddi_build)?;
        if let Some(driver) = &self.driver {
            write!(f, "    ABI Support:\n{driver}")?;
        }
        for cache in &self.caches {
            let verdict = match cache.verdict {
                Some(verdict) => verdict.to_string(),
                None => "not used".into(),
            };
            write!(f, "Cache: {}: {verdict}", cache.file)?;
            match &cache.reason {
                None => writeln!(f)?,
                Some(reason) => writeln!(f, ": {reason}")?,
            }
        }
        writeln!(
            f,
            "{:<10} {:>4} {:>6} {:>6} {:>6}  Object",
            "Outcome", "PSDB", "Driver", "Missed", "Stored"
        )?;
        for object in &self.objects {
            writeln!(
                f,
                "{:<10} {:>4} {:>6} {:>6} {:>6}  {}",
                object.outcome,
                object.from_psdb,
                object.from_driver,
                object.missed,
                object.stored,
                object.shown
            )?;
            if let Some(reason) = &object.reason {
                writeln!(f, "           {reason}")?;
            }
        }
        writeln!(
            f,
            "Created: {} of {}: {} hits, {} shared, {} compiled",
            self.created,
            self.objects.len(),
            self.hits,
            self.shared,
            self.compiled
        )
    }
}
