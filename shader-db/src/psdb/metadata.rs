//! What a file says about all of its content, and whether that fits what a session is to store.

use std::path::Path;

use compatibility::{Origin, Verdict, compiler_of_both, verdict};
use rusqlite::{Connection, OptionalExtension, params};

use super::open::Opened;
use super::{Application, Options, Target, digest};
use crate::error::At as _;
use crate::{Error, Result};

/// What a file says about all of its content.
#[derive(Clone)]
pub struct Metadata {
    pub target: Target,
    pub application: Application,
    /// Whether the file has digests.
    pub verified: bool,
}

impl Metadata {
    pub fn origin(&self) -> Origin<'_> {
        self.target.origin(&self.application)
    }

    /// Names the compiler of another file too, if it is the older one.
    pub fn add(&mut self, other: &Self) {
        let compiler = &mut self.target.compiler_version;
        *compiler = compiler_of_both(*compiler, other.target.compiler_version);
    }
}

/// Reads a file's metadata and compares it with its digest.
pub fn read(connection: &Connection, path: &Path) -> Result<Metadata> {
    let (target, application) = read_rows(connection)
        .at(path)?
        .ok_or_else(|| Error::corrupt(path, "no target or application"))?;
    let seal = "SELECT digest FROM value_digests WHERE id = 0";
    let seal = connection.query_row(seal, [], |row| row.get(0));
    let seal: Option<Vec<u8>> = seal.optional().at(path)?;
    let is_sealed = digest::matches(seal.as_deref(), digest::metadata(&target, &application));
    if !is_sealed {
        let reason = "the target or the application does not match its digest";
        return Err(Error::corrupt(path, reason));
    }
    // A file with digests has this one, so that without it there is no other, or the file is damaged.
    let rest = "SELECT EXISTS(SELECT 1 FROM value_digests) OR EXISTS(SELECT 1 FROM group_digests)";
    let has_digests: bool = connection.query_row(rest, [], |row| row.get(0)).at(path)?;
    if has_digests && seal.is_none() {
        return Err(Error::corrupt(path, "digests are missing"));
    }
    Ok(Metadata {
        target,
        application,
        verified: has_digests,
    })
}

/// The columns hold unsigned numbers bit by bit.
fn read_rows(connection: &Connection) -> rusqlite::Result<Option<(Target, Application)>> {
    let select = "SELECT * FROM (SELECT abi, version, family FROM compiler_id ORDER BY id LIMIT 1), \
                  (SELECT app_profile_version, exe_path, app_name, app_version, engine_name, engine_version \
                  FROM app_id ORDER BY id LIMIT 1)";
    let read = connection.query_row(select, [], |row| {
        let number = |column: usize| row.get(column).map(i64::cast_unsigned);
        let target = Target {
            abi: number(0)?,
            compiler_version: number(1)?,
            family: row.get(2)?,
            profile_version: number(3)?,
        };
        let application = Application {
            exe: row.get(4)?,
            name: row.get(5)?,
            version: number(6)?,
            engine_name: row.get(7)?,
            engine_version: number(8)?,
        };
        Ok((target, application))
    });
    read.optional()
}

/// Writes the rows into a file that has no metadata.
pub fn write(connection: &Connection, metadata: &Metadata) -> rusqlite::Result<()> {
    let (target, of) = (&metadata.target, &metadata.application);
    let number = u64::cast_signed;
    let compiler = "INSERT INTO compiler_id(id, abi, version, family) VALUES(0, ?1, ?2, ?3)";
    let (abi, version) = (number(target.abi), number(target.compiler_version));
    connection.execute(compiler, params![abi, version, target.family])?;
    let app = "INSERT INTO app_id(id, exe_path, app_name, engine_name, app_version, engine_version, app_profile_version) \
               VALUES(0, ?1, ?2, ?3, ?4, ?5, ?6)";
    let versions = [of.version, of.engine_version, target.profile_version];
    let [version, engine, profile] = versions.map(number);
    let row = params![of.exe, of.name, of.engine_name, version, engine, profile];
    connection.execute(app, row)?;
    let seal = digest::metadata(target, of).to_be_bytes();
    let insert = "INSERT INTO value_digests(id, digest) VALUES(0, ?1)";
    connection.execute(insert, [&seal[..]]).map(drop)
}

/// Has a file say that it contains something of this version of the compiler, unless it names an older one. Part of a
/// transaction.
pub fn lower_compiler_version(connection: &Connection, version: u64) -> rusqlite::Result<()> {
    let (mut target, application) =
        read_rows(connection)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let lowest = compiler_of_both(target.compiler_version, version);
    if lowest == target.compiler_version {
        return Ok(());
    }
    target.compiler_version = lowest;
    let seal = digest::metadata(&target, &application).to_be_bytes();
    let lower = "UPDATE compiler_id SET version = ?1";
    connection.execute(lower, [lowest.cast_signed()])?;
    let update = "UPDATE value_digests SET digest = ?1 WHERE id = 0";
    connection.execute(update, [&seal[..]]).map(drop)
}

/// The metadata of the session: that on which all existing files agree, or else that of the options; and the verdict of the
/// options on it.
pub fn agree(opened: &[Option<Opened>], options: &Options) -> Result<(Metadata, Verdict)> {
    let mut opened = opened.iter().flatten();
    if let Some(Opened { path, metadata, .. }) = opened.next() {
        check(path, metadata, options)?;
        let mut agreed = metadata.clone();
        for Opened { path, metadata, .. } in opened {
            check_beside(path, metadata, &agreed)?;
            agreed.add(metadata);
        }
        let verdict = check(path, &agreed, options)?;
        return Ok((agreed, verdict));
    }
    let missing = |what| Error::InvalidArgument(format!("a new file needs {what}"));
    let target = options.target.clone().ok_or_else(|| missing("a target"))?;
    if target.abi == 0 {
        return Err(missing("an ABI version other than 0"));
    }
    let application = options.application.clone();
    let application = application.ok_or_else(|| missing("an application"))?;
    let metadata = Metadata {
        target,
        application,
        verified: true,
    };
    Ok((metadata, Verdict::Usable))
}

/// Compares a file's metadata with the options.
fn check(path: &Path, of_file: &Metadata, options: &Options) -> Result<Verdict> {
    let target = options.target.as_ref().unwrap_or(&of_file.target);
    let application = options.application.as_ref();
    let now = target.origin(application.unwrap_or(&of_file.application));
    allow(path, verdict(&of_file.origin(), &now))
}

/// Whether the content of a file can be beside that of another file.
pub fn check_beside(path: &Path, of_file: &Metadata, other: &Metadata) -> Result<Verdict> {
    allow(path, verdict(&of_file.origin(), &other.origin()))
}

/// A verdict that lets a session add something to a file.
fn allow(path: &Path, verdict: Verdict) -> Result<Verdict> {
    match verdict {
        Verdict::MustRecompile(reason) if reason.is_conflict() => Err(Error::InvalidArgument(
            format!("{}: {reason}", path.display()),
        )),
        Verdict::MustRecompile(reason) => Err(Error::Stale {
            path: path.to_owned(),
            reason,
        }),
        verdict => Ok(verdict),
    }
}
