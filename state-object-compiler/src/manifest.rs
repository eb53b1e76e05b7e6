//! `compile --manifest`: a record of a run's inputs and outputs, which shows the next run that it has nothing to do.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use shader_db::temporary::Temporary;
use shader_db::{file_name, psdb};

use crate::compile::{self, ApplicationChanges, Failure, Options, Recompile, Report, Selection};
use crate::plugin::PluginChoice;
use crate::report::{Application, Target, one_line, path_text};
use crate::shard::Shard;
use crate::{Dotted, Error, Result, exit_code};

/// The name of the format in a manifest.
const FORMAT: &str = "D3D12StateObjectCompiler manifest";

/// The version of the fields' names and meaning.
const FORMAT_VERSION: u32 = 1;

/// How many bytes of a file this reads before it knows that it is a manifest; if another program has changed the order of a
/// manifest's fields, these bytes may have to hold all of it.
const BEGINNING: u64 = 1 << 20;

const PROGRAM_VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Serialize, Deserialize)]
struct Manifest {
    format: String,
    format_version: u32,
    program_version: String,
    /// Whether the output has every object that the run had to compile.
    complete: bool,
    exit_code: u8,
    counts: Counts,
    failures: Vec<Failure>,
    warnings: Vec<String>,
    target: Target,
    application: Application,
    settings: Settings,
    files: Vec<FileState>,
}

#[derive(Serialize, Deserialize)]
struct Counts {
    /// The sum of the counts below.
    total: usize,
    compiled: usize,
    up_to_date: usize,
    failed: usize,
    needed: usize,
    not_done: usize,
}

/// The settings of the command line for the objects and the target. Files have a list of their own.
#[derive(PartialEq, Serialize, Deserialize)]
struct Settings {
    adapter_family: Option<String>,
    abi: u64,
    #[serde(default)]
    recompile: Recompile,
    name: Option<String>,
    exe_filename: Option<String>,
    app_version: Option<Dotted>,
    engine: Option<String>,
    engine_version: Option<Dotted>,
    key: Option<String>,
    psos: bool,
    state_objects: bool,
    add_to_state_objects: bool,
    shard: Option<Shard>,
}

impl From<&Options> for Settings {
    fn from(options: &Options) -> Self {
        let ApplicationChanges {
            name,
            exe_filename,
            version,
            engine,
            engine_version,
        } = options.application.clone();
        let Selection {
            key,
            psos,
            state_objects,
            add_to_state_objects,
            shard,
        } = &options.selection;
        Self {
            adapter_family: options.adapter_family.clone(),
            abi: options.abi,
            recompile: options.recompile,
            name,
            exe_filename,
            app_version: version.map(Dotted),
            engine,
            engine_version: engine_version.map(Dotted),
            key: key.as_ref().map(|key| key.text().into()),
            psos: *psos,
            state_objects: *state_objects,
            add_to_state_objects: *add_to_state_objects,
            shard: *shard,
        }
    }
}

/// The role of a file in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Role {
    Sodb,
    /// The WAL of the SODB, if it has content.
    SodbWal,
    /// The plugin's DLL; for the linked-in plugin, this program.
    Plugin,
    Output,
    Pdb,
    Perf,
}

impl Role {
    fn is_input(self) -> bool {
        matches!(self, Self::Sodb | Self::SodbWal | Self::Plugin)
    }
}

#[derive(Serialize, Deserialize)]
struct FileState {
    role: Role,
    /// Absolute.
    path: String,
    /// In bytes.
    size: u64,
    sha256: String,
}

impl FileState {
    fn of(role: Role, path: &Path) -> Result<Self> {
        let failed = |error| Error::file(path, error);
        let metadata = fs::metadata(path).map_err(failed)?;
        if !metadata.is_file() {
            // Reading a FIFO or a device can take for ever.
            return Err(Error::Usage(format!(
                "{}: not a regular file",
                path.display()
            )));
        }
        let sha256 = sha256(path).map_err(failed)?;
        Ok(Self {
            role,
            path: text(path)?,
            size: metadata.len(),
            sha256,
        })
    }

    /// Reads every file of this size: SQLite keeps the size of a file when a row changes, and archives and image layers give all
    /// files one time.
    fn is_unchanged(&self) -> bool {
        let path = Path::new(&self.path);
        let has_size = |metadata: fs::Metadata| metadata.is_file() && metadata.len() == self.size;
        fs::metadata(path).is_ok_and(has_size)
            && sha256(path).is_ok_and(|sha256| sha256 == self.sha256)
            // The WAL of an input is in the list.
            && (self.role.is_input() || wal(path).is_none())
    }
}

/// The WAL beside a database, if it has content.
fn wal(database: &Path) -> Option<PathBuf> {
    let mut log = database.to_owned().into_os_string();
    log.push("-wal");
    let log = PathBuf::from(log);
    fs::metadata(&log)
        .is_ok_and(|log| log.len() != 0)
        .then_some(log)
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hex::encode(hash.finalize())),
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A path as JSON text.
fn text(path: &Path) -> Result<String> {
    path.to_str().map(Into::into).ok_or_else(|| {
        let path = path_text(path);
        Error::Usage(format!(
            "{path}: a manifest cannot hold this path: it is not Unicode text"
        ))
    })
}

/// The files of a run, by absolute paths.
fn files(options: &Options) -> Result<Vec<(Role, PathBuf)>> {
    let absolute =
        |path: &Path| std::path::absolute(path).map_err(|error| Error::file(path, error));
    let sodb = absolute(&options.sodb)?;
    let log = wal(&sodb);
    let mut files = vec![(Role::Sodb, sodb)];
    files.extend(log.map(|log| (Role::SodbWal, log)));
    let plugin = match &options.plugin {
        PluginChoice::File(path) => absolute(path)?,
        PluginChoice::Sample => {
            std::env::current_exe().map_err(|error| Error::file(Path::new("sample"), error))?
        }
    };
    files.push((Role::Plugin, plugin));
    files.push((Role::Output, absolute(&options.output)?));
    for (role, path) in [(Role::Pdb, &options.pdb), (Role::Perf, &options.perf)] {
        if let Some(path) = path {
            files.push((role, absolute(path)?));
        }
    }
    Ok(files)
}

/// The result of [`begin`].
pub enum Begun {
    /// The run has nothing to do.
    LeftAlone(Unchanged),
    /// The run has work to do.
    Run(Recorder),
}

/// The output of a run that found everything done and unchanged.
#[derive(Clone, Debug, Serialize)]
pub struct Unchanged {
    left_alone: bool,
    manifest: String,
    /// The report of the run that wrote the manifest, with everything up to date.
    #[serde(flatten)]
    pub report: Report,
}

impl fmt::Display for Unchanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Nothing to do: nothing has changed since {}",
            self.manifest
        )?;
        self.report.fmt(f)
    }
}

/// Writes the manifest of a run at its end.
pub struct Recorder {
    path: PathBuf,
    settings: Settings,
    inputs: Vec<FileState>,
    /// The first is the file for object code.
    outputs: Vec<(Role, PathBuf)>,
    /// The reason why the run does not use the manifest at its path, if that is no manifest.
    pub warning: Option<String>,
}

/// Reads the manifest, if there is one, before the run opens anything else: if nothing has changed, it does not load the
/// plugin.
///
/// # Errors
///
/// [`Error::Usage`]: the manifest is one of the run's own files, another file or none at all, or the path of one of these is
/// no text. [`Error::Name`]: SQLite gives such a name. [`Error::File`]: a file cannot be read, the manifest's directory does not exist, or nothing can be written to it.
pub fn begin(path: &Path, options: &Options) -> Result<Begun> {
    let settings = Settings::from(options);
    let files = files(options)?;
    let absolute = std::path::absolute(path).map_err(|error| Error::file(path, error))?;
    let real = fs::canonicalize(&absolute).ok();
    let is_same =
        |file: &Path| *file == absolute || (real.is_some() && fs::canonicalize(file).ok() == real);
    if files.iter().any(|(_, file)| is_same(file)) {
        let path = path_text(path);
        return Err(Error::Usage(format!(
            "{path} cannot be the manifest and another file at once"
        )));
    }
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let path = path_text(path);
        return Err(Error::Usage(format!(
            "{path} cannot be the manifest: it is not a file"
        )));
    }
    file_name::check_companion(path)?;
    compile::check_reserved(options, &absolute)?;
    let folder = absolute.parent().unwrap_or(&absolute);
    fs::metadata(folder).map_err(|error| Error::file(folder, error))?;
    let mut is_there = false;
    let warning = match read_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Error::file(path, error)),
        Ok(bytes) => match read(&bytes) {
            Ok(manifest) if manifest.is_of(&settings, &files) => {
                return Ok(Begun::LeftAlone(manifest.left_alone(path, options)));
            }
            Ok(_) => {
                is_there = true;
                None
            }
            Err(reason) if bytes.is_empty() || begins_as_manifest(&bytes) => Some(format!(
                "{} is not a complete manifest of this program and will be replaced: {reason}",
                path.display()
            )),
            // Most likely the user meant another file.
            Err(_) => {
                return Err(Error::Usage(format!(
                    "{} cannot be the manifest: it is another file. Remove it, or give another name",
                    path.display()
                )));
            }
        },
    };
    // The user must learn before hours of compiling that the manifest cannot be written.
    Temporary::beside(path).map_err(|error| Error::file(path, error))?;
    if is_there {
        // Until the end of this run no file may say that it is complete.
        fs::remove_file(path).map_err(|error| Error::file(path, error))?;
    }
    let (inputs, outputs): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|(role, _)| role.is_input());
    let inputs = inputs.iter().map(|(role, path)| FileState::of(*role, path));
    Ok(Begun::Run(Recorder {
        path: absolute,
        settings,
        inputs: inputs.collect::<Result<_>>()?,
        outputs,
        warning,
    }))
}

/// Reads a file; but only the beginning of one that is too large for a manifest and does not begin as one.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut bytes)?;
    if begins_as_manifest(&bytes) {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Whether a text begins like a manifest of this program, of any version.
fn begins_as_manifest(bytes: &[u8]) -> bool {
    let beginning = format!("{{\"format\":\"{FORMAT}\"").into_bytes();
    let in_format = |byte: &u8| !byte.is_ascii_whitespace();
    let beginning = beginning.iter().filter(|byte| in_format(byte));
    let bytes = bytes.iter().filter(|byte| in_format(byte));
    bytes.take(beginning.clone().count()).eq(beginning)
}

fn read(bytes: &[u8]) -> Result<Manifest, String> {
    let manifest: Manifest = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if (manifest.format.as_str(), manifest.format_version) != (FORMAT, FORMAT_VERSION) {
        return Err(format!("it is not {FORMAT:?}, version {FORMAT_VERSION}"));
    }
    Ok(manifest)
}

impl Manifest {
    /// Whether a run with these settings and files would change nothing.
    fn is_of(&self, settings: &Settings, files: &[(Role, PathBuf)]) -> bool {
        self.complete
            && self.program_version == PROGRAM_VERSION
            && self.settings == *settings
            && self.files.len() == files.len()
            && self.files.iter().zip(files).all(|(state, (role, path))| {
                state.role == *role && Path::new(&state.path) == path && state.is_unchanged()
            })
    }

    fn left_alone(self, path: &Path, options: &Options) -> Unchanged {
        Unchanged {
            left_alone: true,
            manifest: path_text(path),
            report: Report {
                output: path_text(&options.output),
                shard: options.selection.shard,
                key: None,
                adapter_family: one_line(&self.target.adapter_family),
                abi_version: self.target.abi_version,
                compiler_version: self.target.compiler_version,
                compiled: 0,
                up_to_date: self.counts.compiled.saturating_add(self.counts.up_to_date),
                needed: 0,
                not_done: 0,
                in_use: false,
                without: BTreeMap::new(),
                never_stored: Vec::new(),
                failures: Vec::new(),
                warnings: self.warnings.iter().map(|text| one_line(text)).collect(),
            },
        }
    }
}

impl Recorder {
    /// Writes the manifest of a run that has ended, in place of an earlier one, so that there is always a whole manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], [`Error::File`].
    pub fn finish(self, report: &Report) -> Result<()> {
        let complete = report.is_complete();
        let outputs = self.outputs.iter();
        let outputs = outputs.map(|(role, path)| FileState::of(*role, path));
        let mut files = self.inputs;
        files.extend(outputs.collect::<Result<Vec<_>>>()?);
        let (_, output) = &self.outputs[0];
        let output = psdb::File::open(output)?;
        let Report {
            compiled,
            up_to_date,
            needed,
            not_done,
            ..
        } = *report;
        let failed = report.failures.len();
        let manifest = Manifest {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            program_version: PROGRAM_VERSION.into(),
            complete,
            exit_code: match report.is_to_be_repeated() {
                true => exit_code::TRY_AGAIN,
                false if complete => exit_code::COMPLETE,
                false => exit_code::LISTED,
            },
            counts: Counts {
                total: compiled + up_to_date + failed + needed + not_done,
                compiled,
                up_to_date,
                failed,
                needed,
                not_done,
            },
            failures: report.failures.clone(),
            warnings: report.warnings.clone(),
            target: output.target().into(),
            application: output.application().into(),
            settings: self.settings,
            files,
        };
        replace(&self.path, |file| {
            serde_json::to_writer_pretty(&mut *file, &manifest)?;
            file.write_all(b"\n")
        })
        .map_err(|error| Error::file(&self.path, error))
    }
}

/// Writes a file under another name, and renames it when it is on the disk.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut io::BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    let part = Temporary::beside(path)?;
    let to = File::options().write(true).open(part.path())?;
    let mut file = io::BufWriter::new(&to);
    write(&mut file)?;
    file.into_inner()?.sync_all()?;
    part.rename(path)?;
    // Windows cannot open directories.
    #[cfg(unix)]
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(())
}
