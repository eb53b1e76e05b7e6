//! Why there is no report.

use std::io;
use std::path::PathBuf;

use conformance_catalogue::Rule;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A library is not there or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// No plugin is named for a runtime, and the checking plugin is not beside the executable.
    #[error("{} does not exist: build the package checking-plugin, or name another plugin, as with --plugin", path.display())]
    CheckingPlugin {
        /// Where it should be.
        path: PathBuf,
    },
    /// The corpus is not there, cannot be read or has no container, or what is tested takes none.
    #[error("the corpus {}: {source}", path.display())]
    Corpus {
        /// Its folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The filter selects no rule that has a test.
    #[error("the filter selects no test; `ddi-conformance list` shows the rules")]
    NoTests,
    /// There is a fault plan, and no selected rule is tested under one like this.
    #[error(
        "no selected rule is tested under such a fault plan: the rules P-PSO-12 and P-PSO-14 of `run` take any of find, store and keys, P-PSO-13 one in which values are there too late, P-BND-02 one of alloc"
    )]
    NoFaultPlan,
    /// The tool could not do its work.
    #[error("cannot make a folder for the results: {0}")]
    Folder(#[source] io::Error),
    /// A rule is not about what is under test, or was not selected, or no test can decide it.
    #[error("{0} is not one of the rules that are tested here")]
    NotPlanned(Rule),
    /// The journal cannot be written, or is of another run.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The trace cannot be written.
    #[error("the trace {}: {source}", path.display())]
    Trace {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The results are not those of the plan.
    #[error("{planned} tests were planned, but {done} have a result")]
    Accounting {
        /// Tests in the plan.
        planned: usize,
        /// Tests with a result.
        done: usize,
    },
}

/// What is wrong with a journal.
#[derive(Debug, thiserror::Error)]
#[error("the journal {}: {source}", path.display())]
pub struct JournalError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}
