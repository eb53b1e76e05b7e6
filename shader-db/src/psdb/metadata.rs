//! What a file says about all of its content, and whether that fits what a session is to store.

use std::path::Path;

use compatibility::{Origin, Verdict, compiler_of_both, verdict};
use rusqlite::{Connection, OptionalExtension, params};

use super::schema::Opened;
use super::{Application, Options, Target, ValueTypes, digest};
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
}

/// Reads a file's metadata and compares it with its digest.
pub fn read(connection: &Connection, path: &Path) -> Result<Metadata> {
    let read = read_rows(connection).map_err(|error| Error::sqlite(path, &error))?;
    let (target, application) = read.ok_or_else(|| Error::Corrupt {
        path: path.to_owned(),
        reason: "no target or application".into(),
    })?;
    let verified = check_seal(connection, path, &target, &application)?;
    Ok(Metadata {
        target,
        application,
        verified,
    })
}

#[expect(
    clippy::cast_sign_loss,
    reason = "the columns hold unsigned numbers bit by bit"
)]
fn read_rows(connection: &Connection) -> rusqlite::Result<Option<(Target, Application)>> {
    let target = connection
        .query_row(
            "SELECT abi, version, family FROM compiler_id ORDER BY id LIMIT 1",
            [],
            |row| {
                Ok(Target {
                    abi: row.get::<_, i64>(0)? as u64,
                    compiler_version: row.get::<_, i64>(1)? as u64,
                    family: row.get(2)?,
                    profile_version: 0,
                })
            },
        )
        .optional()?;
    let application = connection
        .query_row(
            "SELECT exe_path, app_name, engine_name, app_version, engine_version, app_profile_version \
             FROM app_id ORDER BY id LIMIT 1",
            [],
            |row| {
                let application = Application {
                    exe: row.get(0)?,
                    name: row.get(1)?,
                    engine_name: row.get(2)?,
                    version: row.get::<_, i64>(3)? as u64,
                    engine_version: row.get::<_, i64>(4)? as u64,
                };
                Ok((application, row.get::<_, i64>(5)? as u64))
            },
        )
        .optional()?;
    Ok(target
        .zip(application)
        .map(|(mut target, (application, profile_version))| {
            target.profile_version = profile_version;
            (target, application)
        }))
}

/// Whether the file has digests. Row 0 of `value_digests` is the digest of the metadata, so a file with digests never has an
/// empty table, and a table without this row is either empty or damaged.
fn check_seal(
    connection: &Connection,
    path: &Path,
    target: &Target,
    application: &Application,
) -> Result<bool> {
    let sqlite = |error| Error::sqlite(path, &error);
    let corrupt = |reason: &str| {
        Err(Error::Corrupt {
            path: path.to_owned(),
            reason: reason.into(),
        })
    };
    let seal = "SELECT digest FROM value_digests WHERE id = 0";
    let seal: Option<Vec<u8>> = connection
        .query_row(seal, [], |row| row.get(0))
        .optional()
        .map_err(sqlite)?;
    match seal {
        Some(stored) if stored == digest::metadata(target, application).to_be_bytes() => Ok(true),
        Some(_) => corrupt("the target or the application does not match its digest"),
        None => {
            let rest =
                "SELECT EXISTS(SELECT 1 FROM value_digests) OR EXISTS(SELECT 1 FROM group_digests)";
            if connection
                .query_row(rest, [], |row| row.get(0))
                .map_err(sqlite)?
            {
                return corrupt("digests are missing");
            }
            Ok(false)
        }
    }
}

/// Writes the rows into a file that has no metadata.
#[expect(
    clippy::cast_possible_wrap,
    reason = "the columns hold unsigned numbers bit by bit"
)]
pub fn write(
    connection: &Connection,
    target: &Target,
    application: &Application,
) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO compiler_id(id, abi, version, family) VALUES(0, ?1, ?2, ?3)",
        params![
            target.abi as i64,
            target.compiler_version as i64,
            target.family
        ],
    )?;
    connection.execute(
        "INSERT INTO app_id(id, exe_path, app_name, engine_name, app_version, engine_version, app_profile_version) \
         VALUES(0, ?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            application.exe,
            application.name,
            application.engine_name,
            application.version as i64,
            application.engine_version as i64,
            target.profile_version as i64
        ],
    )?;
    let seal = digest::metadata(target, application).to_be_bytes();
    connection.execute(
        "INSERT INTO value_digests(id, digest) VALUES(0, ?1)",
        [&seal[..]],
    )?;
    Ok(())
}

/// Has a file say that it contains something of this version of the compiler, unless it names an older one. Part of a
/// transaction.
#[expect(
    clippy::cast_possible_wrap,
    reason = "the columns hold unsigned numbers bit by bit"
)]
pub fn lower_compiler_version(connection: &Connection, version: u64) -> rusqlite::Result<()> {
    let Some((mut target, application)) = read_rows(connection)? else {
        return Err(rusqlite::Error::QueryReturnedNoRows);
    };
    let lowest = compiler_of_both(target.compiler_version, version);
    if lowest == target.compiler_version {
        return Ok(());
    }
    target.compiler_version = lowest;
    let seal = digest::metadata(&target, &application).to_be_bytes();
    connection.execute("UPDATE compiler_id SET version = ?1", [lowest as i64])?;
    connection.execute(
        "UPDATE value_digests SET digest = ?1 WHERE id = 0",
        [&seal[..]],
    )?;
    Ok(())
}

/// The metadata of the session: that on which all existing files agree, or else that of the options; and the verdict of the
/// options on it.
pub fn agree<P: AsRef<Path>>(
    files: &[(ValueTypes, P)],
    opened: &[Option<Opened>],
    options: &Options,
) -> Result<(Metadata, Verdict)> {
    let mut agreed: Option<Metadata> = None;
    for ((_, path), file) in files.iter().zip(opened) {
        let Some(Opened { metadata, .. }) = file else {
            continue;
        };
        let path = path.as_ref();
        let Some(agreed) = &mut agreed else {
            check(path, metadata, options)?;
            agreed = Some(metadata.clone());
            continue;
        };
        check_beside(path, metadata, agreed)?;
        let compiler = &mut agreed.target.compiler_version;
        *compiler = compiler_of_both(*compiler, metadata.target.compiler_version);
    }
    if let Some(agreed) = agreed {
        let verdict = check(files[0].1.as_ref(), &agreed, options)?;
        return Ok((agreed, verdict));
    }
    let missing = |what| Error::InvalidArgument(format!("a new file needs {what}"));
    let target = options.target.clone().ok_or_else(|| missing("a target"))?;
    if target.abi == 0 {
        return Err(missing("an ABI version other than 0"));
    }
    let application = options
        .application
        .clone()
        .ok_or_else(|| missing("an application"))?;
    let metadata = Metadata {
        target,
        application,
        verified: true,
    };
    Ok((metadata, Verdict::Usable))
}

/// Compares a file's metadata with the options.
pub fn check(path: &Path, of_file: &Metadata, options: &Options) -> Result<Verdict> {
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
