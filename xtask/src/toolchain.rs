//! The targets that the header is for, and the compilers for them.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};

use crate::Error;

/// A system and processor.
#[derive(Debug)]
pub struct Target {
    /// Rust's name for it.
    pub triple: &'static str,
    /// Whether pointers have 64 bits.
    pub is_64_bit: bool,
    /// Whether it is Windows.
    pub is_windows: bool,
    /// C and C++ compiler, a pair for each vendor.
    pub compilers: &'static [Compiler],
}

/// A C and a C++ compiler of one vendor.
#[derive(Debug)]
pub struct Compiler {
    /// C compiler.
    pub c: &'static str,
    /// C++ compiler.
    pub cpp: &'static str,
    /// What to install for it.
    pub package: &'static str,
}

/// Every target, the everyday one first. Where no C compiler is listed, Rust is compared with the
/// facts alone.
pub const TARGETS: [Target; 5] = [
    Target {
        triple: "x86_64-unknown-linux-gnu",
        is_64_bit: true,
        is_windows: false,
        compilers: &[
            Compiler {
                c: "cc",
                cpp: "c++",
                package: "gcc and g++",
            },
            Compiler {
                c: "clang",
                cpp: "clang++",
                package: "clang",
            },
        ],
    },
    Target {
        triple: "x86_64-pc-windows-gnu",
        is_64_bit: true,
        is_windows: true,
        compilers: &[Compiler {
            c: "x86_64-w64-mingw32-gcc",
            cpp: "x86_64-w64-mingw32-g++",
            package: "g++-mingw-w64-x86-64",
        }],
    },
    Target {
        triple: "i686-pc-windows-gnu",
        is_64_bit: false,
        is_windows: true,
        compilers: &[Compiler {
            c: "i686-w64-mingw32-gcc",
            cpp: "i686-w64-mingw32-g++",
            package: "g++-mingw-w64-i686",
        }],
    },
    Target {
        triple: "x86_64-pc-windows-msvc",
        is_64_bit: true,
        is_windows: true,
        compilers: &[],
    },
    Target {
        triple: "i686-pc-windows-msvc",
        is_64_bit: false,
        is_windows: true,
        compilers: &[],
    },
];

impl Compiler {
    /// Whether both compilers start; prints what to install when they do not.
    ///
    /// # Panics
    ///
    /// On Linux when there is no `cc`: without it nothing would be tested.
    pub fn is_here(&self) -> bool {
        let starts = |program| {
            let output = Command::new(program).arg("--version").output();
            output.is_ok_and(|output| output.status.success())
        };
        let here = starts(self.c) && starts(self.cpp);
        assert!(
            here || self.c != "cc" || !cfg!(target_os = "linux"),
            "cc and c++ are needed: install {}",
            self.package
        );
        if !here {
            println!("skipped {}: install {}", self.c, self.package);
        }
        here
    }
}

impl Target {
    /// Those of its compilers that are here.
    ///
    /// # Panics
    ///
    /// As [`Compiler::is_here`].
    pub fn compilers_here(&self) -> impl Iterator<Item = &'static Compiler> {
        self.compilers.iter().filter(|compiler| compiler.is_here())
    }

    /// Whether Rust's `core` is there for the target; prints what to install when it is not.
    pub fn has_rust(&self) -> bool {
        let mut rustc = Command::new(rustc());
        rustc.args(["--print", "target-libdir", "--target", self.triple]);
        let libdir = rustc
            .output()
            .ok()
            .and_then(|output| String::from_utf8(output.stdout).ok());
        let here = libdir.is_some_and(|libdir| Path::new(libdir.trim()).is_dir());
        if !here {
            println!("skipped {}: rustup target add {0}", self.triple);
        }
        here
    }
}

/// The Rust compiler of the build.
pub(crate) fn rustc() -> OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// Runs a compiler; a failure to start is an error, a failure to compile is not.
pub(crate) fn run(command: &mut Command) -> Result<Output, Error> {
    command.output().map_err(|source| Error::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })
}
