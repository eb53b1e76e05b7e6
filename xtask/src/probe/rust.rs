//! The Rust compiler's side.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::object_file::{function_symbols, table};
use super::{Answer, Entry, FUNCTION, TABLE, refusals, refused, scratch};
use crate::facts::Facts;
use crate::toolchain::{Target, run, rustc};
use crate::{Error, ctype};

/// Compiles a copy of `ddi-sys` and the probes that use it.
#[derive(Debug)]
pub struct Rust {
    folder: TempDir,
}

impl Rust {
    /// Prepares a `bytemuck` of empty traits and derives: derives add items and cannot change the
    /// layout of what they are put on, and so every target can be asked without building the real
    /// one for it.
    pub fn new() -> Result<Self, Error> {
        let rust = Self { folder: scratch()? };
        let text = "#[proc_macro_derive(Pod)] \
                    pub fn pod(_: proc_macro::TokenStream) -> proc_macro::TokenStream \
                    { proc_macro::TokenStream::new() } \
                    #[proc_macro_derive(Zeroable)] \
                    pub fn zeroable(_: proc_macro::TokenStream) -> proc_macro::TokenStream \
                    { proc_macro::TokenStream::new() }";
        let source = rust.write("derives.rs", text)?;
        let mut command = Command::new(rustc());
        command.args([
            "--edition=2024",
            "--crate-type=proc-macro",
            "--extern=proc_macro",
        ]);
        command.arg("--out-dir").arg(rust.folder.path()).arg(source);
        Self::expect(&mut command, "the derives")?;
        Ok(rust)
    }

    /// Asks about the crate whose `lib.rs` is in `source`.
    pub fn ask(
        &self,
        target: &Target,
        source: &Path,
        entries: &[Entry],
        facts: &Facts,
    ) -> Result<Answer, Error> {
        let derives = self.folder.path().join(format!(
            "{}derives{}",
            std::env::consts::DLL_PREFIX,
            std::env::consts::DLL_SUFFIX
        ));
        let text = "#![no_std] pub use derives::{Pod, Zeroable}; \
                    pub unsafe trait Pod {} pub unsafe trait Zeroable {}";
        let bytemuck = self.write("bytemuck.rs", text)?;
        // Nothing that flags do has a layout, and what the crate asserts of itself is what is asked here.
        let text = "#![no_std] \
                    #[macro_export] macro_rules! bitflags { ($($t:tt)*) => {} } \
                    pub mod parser { pub fn to_writer<T>(_: &T, _: &mut core::fmt::Formatter<'_>) \
                    -> core::fmt::Result { Ok(()) } }";
        let bitflags = self.write("bitflags.rs", text)?;
        let text = "#![no_std] #[macro_export] macro_rules! const_assert_eq { ($($t:tt)*) => {} }";
        let static_assertions = self.write("static_assertions.rs", text)?;
        let library = |name: &str, source: &Path, dependencies: &[(&str, &Path)]| {
            let mut command = self.rustc(target, "metadata", name);
            for (extern_name, path) in dependencies {
                command.arg(format!("--extern={extern_name}={}", path.display()));
            }
            command.arg(source);
            Self::expect(&mut command, name)?;
            Ok::<_, Error>(self.folder.path().join(format!("lib{name}.rmeta")))
        };
        let bytemuck = library("bytemuck", &bytemuck, &[("derives", &derives)])?;
        let bitflags = library("bitflags", &bitflags, &[])?;
        let static_assertions = library("static_assertions", &static_assertions, &[])?;
        let dependencies: &[(&str, &Path)] = &[
            ("bitflags", &bitflags),
            ("bytemuck", &bytemuck),
            ("static_assertions", &static_assertions),
        ];
        let ddi_sys = library("ddi_sys", &source.join("lib.rs"), dependencies)?;
        let object = |name: &str, text: &str| {
            let source = self.write(&format!("{name}.rs"), text)?;
            let mut command = self.rustc(target, "obj", name);
            command
                .arg(format!("--extern=ddi_sys={}", ddi_sys.display()))
                .arg(source);
            let output = run(&mut command)?;
            let messages = String::from_utf8_lossy(&output.stderr).into_owned();
            let object = self.folder.path().join(format!("{name}.o"));
            Ok::<_, Error>((object, output.status.success(), messages))
        };

        let mut text = format!(
            "#![no_std]\nuse core::mem::{{MaybeUninit, offset_of}};\nuse ddi_sys::*;\n\
             const fn size_of_pointee<T>(_: *const T) -> usize {{ size_of::<T>() }}\n\
             #[unsafe(no_mangle)]\npub static {TABLE}: [u32; {}] = [\n",
            entries.len()
        );
        for entry in entries {
            writeln!(text, "({}) as u32,", entry.rust).unwrap();
        }
        text.push_str("];\n");
        let (path, ok, messages) = object("numbers", &text)?;
        if !ok {
            return Err(refused("rustc", "the Rust numbers", messages));
        }
        let mut answer = Answer {
            numbers: table(&path, entries.len())?.into_iter().map(Some).collect(),
            ..Answer::default()
        };

        let mut text = "#![no_std]\nuse core::ffi::c_void;\nuse ddi_sys::*;\n".to_owned();
        let first = text.lines().count() + 1;
        for function in &facts.functions {
            let name = &function.name;
            let parameters = function.signature.parameters.iter();
            let parameters = parameters.map(|(_, ty)| format!("_: {}", ctype::to_rust(ty)));
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            let result = match function.signature.result.as_str() {
                "void" => String::new(),
                result => format!(" -> {}", ctype::to_rust(result)),
            };
            writeln!(
                text,
                "#[unsafe(no_mangle)] pub unsafe extern \"system\" fn {FUNCTION}{name}\
                 ({parameters}){result} {{ loop {{}} }} \
                 pub static POINTER_{name}: {name} = Some({FUNCTION}{name});"
            )
            .unwrap();
        }
        let (path, ok, messages) = object("signatures", &text)?;
        if ok {
            answer.symbols = function_symbols(&path)?;
        } else {
            answer.refusals = refusals("rustc", "signatures.rs", first, &messages, facts)?;
        }
        Ok(answer)
    }

    fn rustc(&self, target: &Target, emit: &str, name: &str) -> Command {
        let mut command = Command::new(rustc());
        command
            .args(["--edition=2024", "--crate-type=lib", "--cap-lints=allow"])
            .args(["--error-format=short", "--target", target.triple])
            .args(["--emit", emit, "--crate-name", name, "-L"])
            .arg(self.folder.path())
            .arg("--out-dir")
            .arg(self.folder.path());
        command
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let path = self.folder.path().join(name);
        fs::write(&path, text).map_err(Error::file(&path))?;
        Ok(path)
    }

    fn expect(command: &mut Command, what: &str) -> Result<(), Error> {
        let output = run(command)?;
        if output.status.success() {
            return Ok(());
        }
        Err(refused(
            "rustc",
            what,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ))
    }
}
