//! The application that the objects are for.

use std::path::Path;

use compiler_runtime::{ApplicationDesc, Engine, U16CString};
use shader_db::sodb::{Application, Sodb};

use super::options::ApplicationChanges;
use crate::{Dotted, Error, Result};

/// The application identity of the SODB with the changes of the command line.
pub fn of(
    sodb: &Sodb,
    path: &Path,
    changes: &ApplicationChanges,
    warnings: &mut Vec<String>,
) -> Result<Application> {
    let mut stored = sodb.application()?;
    if let Some(stored) = &mut stored
        && stored.engine_name.is_none()
        && stored.engine_version != 0
    {
        warnings.push(format!(
            "{} has the version {} of an engine without a name, which is taken for 0",
            path.display(),
            Dotted(stored.engine_version)
        ));
        stored.engine_version = 0;
    }
    let base = stored.clone().unwrap_or(Application {
        exe: String::new(),
        name: String::new(),
        version: 0,
        engine_name: None,
        engine_version: 0,
    });
    let application = Application {
        exe: changes.exe_filename.clone().unwrap_or(base.exe),
        name: changes.name.clone().unwrap_or(base.name),
        version: changes.version.unwrap_or(base.version),
        engine_name: changes.engine.clone().or(base.engine_name),
        engine_version: changes.engine_version.unwrap_or(base.engine_version),
    };
    if application.name.is_empty() || application.exe.is_empty() {
        return Err(Error::Usage(format!(
            "{} does not say what application it is of: give --name and --exe-filename, or use set-identity",
            path.display()
        )));
    }
    if application.engine_name.is_none() && application.engine_version != 0 {
        return Err(Error::Usage(format!(
            "--engine-version is that of no engine: {} names none, so give --engine as well",
            path.display()
        )));
    }
    if stored.is_some_and(|stored| stored != application) {
        warnings.push(format!(
            "the application identity differs from that of {}, by which a runtime finds the objects",
            path.display()
        ));
    }
    Ok(application)
}

/// An application in the form that plugins get.
pub fn to_desc(application: &Application) -> Result<ApplicationDesc> {
    let engine = match &application.engine_name {
        Some(name) => Some(Engine {
            name: wide(name)?,
            version: application.engine_version,
        }),
        None => None,
    };
    Ok(ApplicationDesc {
        exe_filename: wide(&application.exe)?,
        name: wide(&application.name)?,
        version: application.version,
        engine,
    })
}

/// Text in the form that plugins get.
fn wide(text: &str) -> Result<U16CString> {
    U16CString::from_str(text).map_err(|_| Error::Usage(format!("{text:?} has a NUL in it")))
}
