//! What is tested, and how.

use std::env::consts::EXE_SUFFIX;
use std::ffi::c_char;
use std::path::PathBuf;
use std::time::Duration;

use conformance_runner::{Options, Session, Set, Tested, checking_plugin, rules};

use crate::api::ddi_conformance_status::{FileError, ToolError, UnknownRule};
use crate::api::{
    ddi_conformance_options, ddi_conformance_result, ddi_conformance_set, ddi_conformance_tested,
};
use crate::last_error::Error;
use crate::own_path::own_path;
use crate::result;
use crate::text::from_c;

/// A run in progress.
pub(crate) struct Suite {
    session: Session,
    strict: bool,
}

impl Suite {
    /// Begins a run.
    ///
    /// # Safety
    ///
    /// The texts of `options` are null or end with a NUL.
    pub(crate) unsafe fn new(options: &ddi_conformance_options) -> Result<Self, Error> {
        // SAFETY: each of them is null or ends with a NUL (`# Safety`).
        let path = |name: &str, text: *const c_char| unsafe { path(name, text) };
        let runner = path("runner", options.runner)?.map_or_else(beside_this, Ok)?;
        if !runner.is_file() {
            let what = format!(
                "{} does not exist: put ddi-conformance, of the package conformance, there, or name it as runner",
                runner.display()
            );
            return Err(Error::new(FileError, what));
        }
        let library = path("library", options.library)?;
        let plugin = path("plugin", options.plugin)?;
        let tested = if options.tested == ddi_conformance_tested::Plugin as i32 {
            if plugin.is_some() {
                return Err(Error::invalid(
                    "plugin goes with a runtime or a driver: the plugin that is tested is library",
                ));
            }
            Tested::Plugin(library)
        } else if options.tested == ddi_conformance_tested::Runtime as i32 {
            let plugin = plugin.map_or_else(|| checking_plugin(&runner), Ok)?;
            Tested::Runtime { library, plugin }
        } else if options.tested == ddi_conformance_tested::Driver as i32 {
            Tested::Driver { library, plugin }
        } else {
            return Err(Error::invalid(format!("tested is {}", options.tested)));
        };
        let mut run = Options::new(runner, None);
        run.tested = tested;
        run.settings.set = if options.set == ddi_conformance_set::Full as i32 {
            Set::Full
        } else if options.set == ddi_conformance_set::Smoke as i32 {
            Set::Smoke
        } else if options.set == ddi_conformance_set::Soak as i32 {
            Set::Soak
        } else {
            return Err(Error::invalid(format!("set is {}", options.set)));
        };
        run.settings.seed = options.seed;
        run.settings.corpus = path("corpus", options.corpus)?;
        if options.timeout_seconds != 0 {
            run.timeout = Duration::from_secs(options.timeout_seconds.into());
        }
        run.journal = path("journal", options.journal)?;
        Ok(Self {
            session: Session::new(run)?,
            strict: options.strict != 0,
        })
    }

    /// Tests a rule.
    pub(crate) fn run(&self, id: &str) -> Result<*mut ddi_conformance_result, Error> {
        let rule = rules::find(id);
        let rule = rule.map_err(|error| Error::new(UnknownRule, error.to_string()))?;
        let result = self.session.run_rule(rule)?;
        let result = result.ok_or_else(|| Error::new(ToolError, "the run was ended"))?;
        Ok(result::given(&self.session, &result, self.strict))
    }

    /// Ends the run.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.session.finish()?;
        Ok(())
    }
}

/// A path, absolute, as the program may change its folder; `None` for a null pointer.
///
/// # Safety
///
/// `text` is null or ends with a NUL.
unsafe fn path(name: &str, text: *const c_char) -> Result<Option<PathBuf>, Error> {
    // SAFETY: as this function's (`# Safety`).
    let path = unsafe { from_c(name, text) }?.map(std::path::absolute);
    let path = path.transpose();
    path.map_err(|error| Error::invalid(format!("{name}: {error}")))
}

/// The runner in the folder of this library.
fn beside_this() -> Result<PathBuf, Error> {
    let own = own_path().map_err(|error| {
        let what = format!("where this library is: {error}: name ddi-conformance as runner");
        Error::new(ToolError, what)
    })?;
    Ok(own.with_file_name(format!("ddi-conformance{EXE_SUFFIX}")))
}
