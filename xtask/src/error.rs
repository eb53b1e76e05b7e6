use std::path::PathBuf;

/// Why a header could not be generated or a check could not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A source file is not Rust.
    #[error("{}: {source}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        source: syn::Error,
    },
    /// A source file holds something that has no C form here.
    #[error("{module}.rs: {what}")]
    Unsupported {
        /// The module of `ddi-sys` or `api-sys`.
        module: String,
        /// The item, and why it has no C form.
        what: String,
    },
    /// A crate declares a name that its tables do not have, or the other way round.
    #[error("{crate_name}/facts: {what}")]
    Names {
        /// The crate.
        crate_name: &'static str,
        /// The name, and what to do.
        what: String,
    },
    /// A line of a table of recorded facts does not fit the columns of its first line.
    #[error("{}:{line}: {what}", path.display())]
    Facts {
        /// The table.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// cbindgen refused the source.
    #[error("cbindgen: {0}")]
    Cbindgen(String),
    /// A compiler could not be started.
    #[error("{program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A compiler refused a file for a reason that no single item explains.
    #[error("{program} does not compile {file}:\n{output}")]
    Compile {
        /// The program.
        program: String,
        /// The file to compile.
        file: String,
        /// What it wrote to its standard error.
        output: String,
    },
    /// A file is not a report of `ddi-conformance`.
    #[error("{what}")]
    Report {
        /// The file or its system, and what is wrong with it.
        what: String,
    },
    /// A plugin cannot be started as asked.
    #[error("{what}")]
    Project {
        /// The name or the folder, and what to do.
        what: String,
    },
    /// A release archive cannot be made.
    #[error("{what}")]
    Dist {
        /// What is wrong, and what to do.
        what: String,
    },
    /// An object file or a DLL does not hold the table that it should.
    #[error("{file}: {what}")]
    Object {
        /// The object file.
        file: String,
        /// What is missing.
        what: String,
    },
}

impl Error {
    pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::File { path, source }
    }
}
