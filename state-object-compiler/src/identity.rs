//! `get-identity` and `set-identity`: the application of an SODB.

use std::path::Path;

use shader_db::file_name;
use shader_db::sodb::{Access, Sodb};

use crate::report;
use crate::{Error, Result};

pub use crate::report::Application as Identity;
pub use shader_db::sodb::Application;

/// The application of an SODB.
///
/// # Errors
///
/// [`Error::Usage`] if the SODB has none; [`Error::Database`].
pub fn get(path: &Path) -> Result<Identity> {
    let application = Sodb::open(path, Access::Read)?.application()?;
    let application = application.ok_or_else(|| {
        Error::Usage(format!(
            "{}: no application identity is set; set-identity sets one",
            report::path_text(path)
        ))
    })?;
    Ok(Identity::from(&application))
}

/// Sets the application of an existing SODB, in place of the present one.
///
/// # Errors
///
/// [`Error::Database`].
pub fn set(path: &Path, application: &Application) -> Result<()> {
    file_name::check_companion(path)?;
    let sodb = Sodb::open(path, Access::Write)?;
    sodb.set_application(application)?;
    Ok(sodb.close()?)
}
