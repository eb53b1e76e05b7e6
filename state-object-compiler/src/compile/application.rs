//! The application that the objects are for.

use std::path::Path;

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
            "{} has the version {} of an engine without a name; 0 is used",
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
            "{} does not say which application it is for: give --name and --exe-filename, or use set-identity",
            path.display()
        )));
    }
    if application.engine_name.is_none() && application.engine_version != 0 {
        return Err(Error::Usage(format!(
            "--engine-version needs an engine: {} names none, so give --engine as well",
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
