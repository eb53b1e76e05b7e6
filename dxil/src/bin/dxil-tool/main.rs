//! `dxil-tool`: shows, checks and changes DXIL containers.
#![forbid(unsafe_code)]

mod constants;
mod diff;
mod failure;
mod file;
mod info;
mod limit;
mod names;
mod rewrite;
mod table;
mod text;
mod verify;

use clap::{Args, Parser, Subcommand, ValueEnum};
use dxil::FourCc;
use failure::Failure;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

const EXIT_CODES: &str = "\
FILE and IN can be `-` for standard input, OUT for standard output.

Exit codes:
  0  done; of verify: nothing is wrong; of diff: no difference
  1  what was read is damaged, or does not allow what was asked for;
     of verify: something is wrong; of diff: there is a difference
  2  the command line is wrong, or a file cannot be read or written;
     of diff: or is damaged";

/// Shows, checks and changes DXIL: containers, and programs without one.
#[derive(Parser)]
#[command(name = "dxil-tool", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show what files hold: parts, program, entry points, signatures, resources, exports, root
    /// signature
    ///
    /// Reads containers, bare programs, and the containers in PDBs.
    #[command(after_help = EXIT_CODES)]
    Info {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// `json` is an array with an object for each file; the README of the crate describes it
        #[arg(long, default_value = "text")]
        format: Format,
    },
    /// Check the hash, every part, the bitcode, and whether they agree
    ///
    /// Warnings, such as bytes behind the container, do not count as wrong. A hash that is replaced
    /// by BYPASS or PREVIEW_BYPASS is one; a missing hash is an error, because the runtime refuses
    /// the shader.
    #[command(after_help = EXIT_CODES)]
    Verify {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Put the right hash into a container
    #[command(after_help = EXIT_CODES)]
    Sign {
        #[command(flatten)]
        files: InAndOut,
    },
    /// Take parts out of a container; without a choice of parts, debug information
    ///
    /// What remains is signed as the input was: with a hash, with BYPASS, or not. Parts that are
    /// not there are not missed.
    #[command(after_help = EXIT_CODES)]
    Strip {
        #[command(flatten)]
        files: InAndOut,
        #[command(flatten)]
        parts: Parts,
    },
    /// List the specialization constants that were planted in a shader
    #[command(after_help = EXIT_CODES)]
    Constants {
        file: PathBuf,
        /// `json` is one object; the README of the crate describes it
        #[arg(long, default_value = "text")]
        format: Format,
        #[arg(long, value_name = "BASE[:MASK]", help = constants::SENTINEL)]
        sentinel: Vec<constants::Sentinel>,
        /// Writes where the constants are, for `patch --table`; `-` prints that alone
        #[arg(long, value_name = "TABLE")]
        save: Option<PathBuf>,
    },
    /// Give specialization constants their values
    ///
    /// A container is signed as the input was: with a hash, with BYPASS, or not.
    ///
    /// A shader that was patched has no sentinels any more at the places of the constants that were
    /// given a value. With a table from `constants --save` it can be patched again.
    #[command(after_help = EXIT_CODES)]
    Patch {
        #[command(flatten)]
        files: InAndOut,
        #[arg(long, required = true, value_name = "ID=VALUE", help = constants::SET)]
        set: Vec<constants::Set>,
        #[arg(long, value_name = "BASE[:MASK]", help = constants::SENTINEL)]
        sentinel: Vec<constants::Sentinel>,
        /// Where the constants are, from `constants --save` of the same shader, before it was patched;
        /// sentinels are not looked for
        #[arg(long, value_name = "TABLE", conflicts_with = "sentinel")]
        table: Option<PathBuf>,
    },
    /// Compare two files: parts, and what they say
    #[command(after_help = EXIT_CODES)]
    Diff { a: PathBuf, b: PathBuf },
}

#[derive(Args)]
struct InAndOut {
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Where the result goes. A file that is there is replaced once the result is complete; it may
    /// be IN
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each option")]
struct Parts {
    /// ILDB, the program with debug information; as -Qstrip_debug of DXC does, ILDN stays, by which
    /// a debugger finds the PDB
    #[arg(long)]
    debug: bool,
    /// STAT, and RDEF of shader models 4 and 5
    #[arg(long)]
    reflection: bool,
    /// RTS0
    #[arg(long)]
    root_signature: bool,
    /// PRIV
    #[arg(long)]
    private: bool,
    /// A part by its name; can be given again
    #[arg(long, value_name = "NAME", value_parser = part_name)]
    part: Vec<FourCc>,
}

impl Parts {
    fn names(self) -> Vec<FourCc> {
        let groups: [(bool, &[FourCc]); 4] = [
            (self.debug, &[FourCc::ILDB]),
            (self.reflection, &[FourCc::STAT, FourCc::RDEF]),
            (self.root_signature, &[FourCc::RTS0]),
            (self.private, &[FourCc::PRIV]),
        ];
        let chosen = groups.into_iter().filter(|&(is_chosen, _)| is_chosen);
        let mut names: Vec<FourCc> = chosen.flat_map(|(_, parts)| parts).copied().collect();
        names.extend(self.part);
        if names.is_empty() {
            names.push(FourCc::ILDB);
        }
        names
    }
}

fn part_name(text: &str) -> Result<FourCc, String> {
    let name = text.as_bytes().try_into().map(FourCc);
    name.map_err(|_| "a part has a name of four characters, such as STAT".to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Standard output. Who stops reading has seen enough, and the exit code is right all the same.
struct Output(anstream::AutoStream<io::StdoutLock<'static>>);

impl Output {
    fn unless_closed<T>(result: io::Result<T>, done: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(done),
            result => result,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Self::unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Self::unless_closed(self.0.flush(), ())
    }
}

fn main() -> ExitCode {
    let mut out = Output(anstream::stdout().lock());
    let result = match Cli::parse().command {
        Command::Info { files, format } => info::command(&files, format, &mut out),
        Command::Verify { files } => verify::command(&files, &mut out),
        Command::Sign { files } => rewrite::sign(&files.input, &files.output),
        Command::Strip { files, parts } => {
            rewrite::strip(&files.input, &files.output, &parts.names())
        }
        Command::Constants {
            file,
            format,
            sentinel,
            save,
        } => constants::list(&file, format, &sentinel, save.as_deref(), &mut out),
        Command::Patch {
            files,
            set,
            sentinel,
            table,
        } => {
            let table = match &table {
                Some(table) => constants::From::Table(table),
                None => constants::From::Sentinels(&sentinel),
            };
            constants::patch(&files.input, &files.output, &set, table)
        }
        Command::Diff { a, b } => diff::command(&a, &b, &mut out),
    };
    match result.and_then(|code| out.flush().map(|()| code).map_err(Failure::Print)) {
        Ok(code) => code.into(),
        Err(failure) => {
            failure.report();
            failure.exit_code().into()
        }
    }
}
