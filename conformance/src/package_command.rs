//! The command `package`: what it takes, and what it says.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use conformance::defects;
use conformance_runner::exit_code;
use conformance_runner::package::{self, PackageError, Sources};

use crate::{TextOrJson, WAIVERS, exits};

const EXIT_CODES: &str = "\
Exit codes:
   0  the package was made, whatever the result of its run
   2  the command line is wrong
   3  a file is missing, exists already, or cannot be read or written, the run
      is not finished, or what was given does not go together
  70  the tool itself failed";

const VERIFY_EXIT_CODES: &str = "\
Exit codes:
   0  everything holds, whatever the result of the run
   1  something does not hold
   2  the command line is wrong
   3  a file is missing or cannot be read
   5  the files are whole, but a tool of another version or with other rules made
      the package, so that the rest cannot be checked
  70  the tool itself failed";

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXIT_CODES)]
pub struct PackageArgs {
    #[command(subcommand)]
    command: Option<PackageCommand>,
    #[command(flatten)]
    make: Option<Make>,
}

#[derive(Subcommand)]
enum PackageCommand {
    /// Verify a package, without the plugin and without a network
    #[command(after_help = VERIFY_EXIT_CODES)]
    Verify {
        /// The package
        package: PathBuf,
        /// A library that must be the one that was tested: the plugin, of `run-runtime` the runtime, of `run-umd` the driver
        #[arg(long, value_name = "LIBRARY")]
        plugin: Option<PathBuf>,
        /// The format of the result
        #[arg(long, default_value = "text")]
        format: TextOrJson,
    },
}

#[derive(Args)]
struct Make {
    /// What a finished run wrote with --journal; of --shard those of all parts
    #[arg(required = true, value_name = "JOURNAL")]
    journals: Vec<PathBuf>,
    /// The new file
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    #[arg(long, value_name = "FILE", help = WAIVERS)]
    waivers: Option<PathBuf>,
    /// What `selftest --format json` wrote of the same plugin
    #[arg(long, value_name = "FILE")]
    selftest: Option<PathBuf>,
    /// In the reports, count a warning as a failure, and any undecided rule as incomplete
    #[arg(long)]
    strict: bool,
}

/// Makes or verifies a package.
pub fn package(args: PackageArgs) -> ExitCode {
    match (args.command, args.make) {
        (
            Some(PackageCommand::Verify {
                package,
                plugin,
                format,
            }),
            _,
        ) => verify(&package, plugin.as_deref(), format),
        (None, Some(make)) => create(make),
        // The command line has one or the other.
        (None, None) => exit_code::USAGE.into(),
    }
}

fn create(make: Make) -> ExitCode {
    let sources = Sources {
        journals: make.journals,
        waivers: make.waivers,
        selftest: make.selftest,
        strict: make.strict,
    };
    match package::create(&sources, &defects::counts(), &make.output) {
        Ok(package) => exits(
            exit_code::CONFORMANT,
            writeln!(
                anstream::stdout(),
                "{}: {} files, {} bytes\nsha256 {}",
                make.output.display(),
                package.files,
                package.size,
                package.sha256
            ),
        ),
        Err(error) => {
            eprintln!("ddi-conformance: {error}");
            match error {
                PackageError::Tool(_) => exit_code::TOOL_ERROR,
                _ => exit_code::PLUGIN_FILE,
            }
            .into()
        }
    }
}

fn verify(package: &Path, plugin: Option<&Path>, format: TextOrJson) -> ExitCode {
    match package::verify_file(package, plugin, &defects::counts()) {
        Ok(result) => format.ends_with(
            result.exit_code(),
            |out| result.write_text(out),
            || result.to_json(),
        ),
        Err(error) => crate::failed(&error),
    }
}
