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

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use dxil::FourCc;

use failure::Failure;

const EXIT_CODES: &str = "\
FILE and IN can be `-` for standard input, OUT for standard output.

Exit codes:
  0  done; verify: the files are in order; diff: the files are the same
  1  the input is damaged, or does not allow the operation;
     verify: a file is not in order; diff: the files differ
  2  the command line is wrong, or a file cannot be read or written;
     diff: or a file is damaged";

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
    /// Check the hash, every part, the bitcode, and whether the parts agree with the program
    ///
    /// The tool compares with the metadata of the program: the signatures, PSV0, SFI0, RDAT, the program headers, the resources
    /// that RTS0 must bind, and which parts there are and in what order. docs/dxil-verify.md lists every field.
    ///
    /// It does not read instructions, so it does not check the program itself. Nor does it check, of RDAT: the resources and
    /// callees of functions, subobjects, tables of types 12 and up, and features and shader model beyond their limits; and the
    /// contents of HASH, ILDN, VERS and PRIV, and of ILDB and STAT beyond their headers.
    ///
    /// Warnings, for example about bytes after the container or about BYPASS or PREVIEW_BYPASS in place of the hash, do not
    /// count. A missing hash is an error, because the runtime refuses the shader.
    #[command(after_help = EXIT_CODES)]
    Verify {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Write the correct hash into a container
    ///
    /// Refuses a container in which `verify` finds a part that is damaged, missing, or does not agree with the program.
    #[command(after_help = EXIT_CODES)]
    Sign {
        #[command(flatten)]
        files: InAndOut,
    },
    /// Remove parts from a container; by default the debug information
    ///
    /// Signs the output as the input was signed: with a hash, with BYPASS, or not at all. Ignores parts that the container does
    /// not have.
    #[command(after_help = EXIT_CODES)]
    Strip {
        #[command(flatten)]
        files: InAndOut,
        #[command(flatten)]
        parts: Parts,
    },
    /// List the specialization constants of a shader
    #[command(after_help = EXIT_CODES)]
    Constants {
        file: PathBuf,
        /// `json` is one object; the README of the crate describes it
        #[arg(long, default_value = "text")]
        format: Format,
        #[arg(long, value_name = "BASE[:MASK]", help = constants::SENTINEL)]
        sentinel: Vec<constants::Sentinel>,
        /// Write a table of the constants' places to this file, for `patch --table`; `-` prints only the table
        #[arg(long, value_name = "TABLE")]
        save: Option<PathBuf>,
    },
    /// Set the values of specialization constants
    ///
    /// Signs a container as the input was signed: with a hash, with BYPASS, or not at all.
    ///
    /// The new values replace the sentinels. To patch a shader again, give a table from `constants --save`.
    #[command(after_help = EXIT_CODES)]
    Patch {
        #[command(flatten)]
        files: InAndOut,
        #[arg(long, required = true, value_name = "ID=VALUE", help = constants::SET)]
        set: Vec<constants::Set>,
        #[arg(long, value_name = "BASE[:MASK]", help = constants::SENTINEL)]
        sentinel: Vec<constants::Sentinel>,
        /// A table that `constants --save` wrote for the same shader before it was patched. The tool then does not search for
        /// sentinels
        #[arg(long, value_name = "TABLE", conflicts_with = "sentinel")]
        table: Option<PathBuf>,
    },
    /// Compare two files: their parts, and the content of the parts
    #[command(after_help = EXIT_CODES)]
    Diff { a: PathBuf, b: PathBuf },
}

#[derive(Args)]
struct InAndOut {
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file for the result; it may be IN. The tool replaces an existing file once the result is complete
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each option")]
struct Parts {
    /// ILDB, the program with debug information. ILDN, by which a debugger finds the PDB, stays, as with -Qstrip_debug of DXC
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
    /// A part, by its name; can be given several times
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
    name.map_err(|_| "the name of a part has four characters, for example STAT".to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Standard output. If the reader has closed it, a write does nothing, and the exit code stays the same.
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
