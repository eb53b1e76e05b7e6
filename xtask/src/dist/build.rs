//! What an archive is built from: the packages, the settings of Cargo, and what Cargo made.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Message, Metadata, MetadataCommand, Package, PackageId};

use super::platform::Platform;
use super::{error, output_of};
use crate::toolchain::rustc;
use crate::{Error, workspace};

/// The packages with the programs: their folders, the programs, and the features that these need.
pub const PROGRAMS: [(&str, &str, &[&str]); 3] = [
    ("conformance", "ddi-conformance", &[]),
    ("state-object-compiler", "D3D12StateObjectCompiler", &[]),
    ("dxil", "dxil-tool", &["tool"]),
];

/// The packages with the libraries: their folders, and the libraries.
pub const LIBRARIES: [(&str, &str); 7] = [
    ("compiler-runtime", "compiler_runtime"),
    ("conformance/c-api", "ddi_conformance_c"),
    ("conformance/checking-plugin", "checking_plugin"),
    ("conformance/trace-plugin", "trace_plugin"),
    ("mock-runtime", "mock_runtime"),
    ("mock-umd", "mock_umd"),
    ("sample-plugin", "sample_plugin"),
];

/// How the variables of the environment begin that would change a build.
const FOREIGN: [&str; 4] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_INCREMENTAL",
    "CARGO_PROFILE_RELEASE_",
];

/// What was built.
pub struct Built {
    /// The packages, and how they depend on each other for the platform.
    pub metadata: Metadata,
    /// The packages whose code is in the programs and libraries.
    pub linked: BTreeSet<PackageId>,
    /// The programs and libraries, with their names without a system's prefix and ending.
    pub files: Vec<(&'static str, PathBuf)>,
}

/// The folders of this machine, which must be in no file, and what stands for them in messages of the programs.
pub struct Folders(Vec<(PathBuf, String)>);

impl Folders {
    /// Asks Cargo and the compiler.
    ///
    /// # Errors
    ///
    /// One of them cannot be asked.
    pub fn new(metadata: &Metadata) -> Result<Self, Error> {
        let sysroot = output_of(Command::new(rustc()).args(["--print", "sysroot"]))?;
        let version = output_of(Command::new(rustc()).arg("-vV"))?;
        let commit = version
            .lines()
            .find_map(|line| line.strip_prefix("commit-hash: "));
        let commit = commit.ok_or_else(|| error("rustc -vV names no commit"))?;
        let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from);
        let cargo_home = cargo_home
            .or_else(|| Some(env::home_dir()?.join(".cargo")))
            .ok_or_else(|| error("no folder of Cargo: set CARGO_HOME"))?;
        // Of two that fit rustc takes the later one.
        Ok(Self(vec![
            (cargo_home, "/cargo".into()),
            // As the library itself was built, whether its source is installed or not.
            (
                ["lib", "rustlib", "src", "rust"]
                    .iter()
                    .fold(PathBuf::from(sysroot), |path, name| path.join(name)),
                format!("/rustc/{commit}"),
            ),
            (metadata.workspace_root.clone().into(), "/kit".into()),
            (
                metadata.target_directory.clone().into(),
                "/kit/target".into(),
            ),
        ]))
    }

    /// The folders, but for those that have the name that stands for them.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let other = |(path, name): &&(PathBuf, String)| path != Path::new(name);
        self.0.iter().filter(other).map(|(path, _)| &**path)
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Folders {
    fn from(folders: [(&str, &str); N]) -> Self {
        Self(
            folders
                .map(|(path, name)| (path.into(), name.into()))
                .into(),
        )
    }
}

/// What Cargo knows of the packages.
///
/// # Errors
///
/// Cargo cannot be asked.
pub fn metadata(platform: &Platform) -> Result<Metadata, Error> {
    MetadataCommand::new()
        .current_dir(workspace())
        .other_options(["--locked", "--filter-platform", platform.triple].map(String::from))
        .exec()
        .map_err(|cause| error(cause.to_string()))
}

/// The package in a folder of the workspace.
pub fn package<'a>(metadata: &'a Metadata, folder: &str) -> Result<&'a Package, Error> {
    let manifest = metadata.workspace_root.join(folder).join("Cargo.toml");
    let found = metadata
        .packages
        .iter()
        .find(|package| package.manifest_path == manifest);
    found.ok_or_else(|| error(format!("{manifest}: no package of the workspace")))
}

/// A file for Cargo's option `--config`: with it a build for the platform has the same bytes in every folder.
pub fn config(platform: &Platform, folders: &Folders) -> Result<String, Error> {
    let remaps = folders.0.iter().map(|(path, name)| {
        let path = path
            .to_str()
            .ok_or_else(|| error(format!("{}: no Unicode", path.display())))?;
        Ok(format!("--remap-path-prefix={path}={name}"))
    });
    let link_args = platform
        .link_args
        .iter()
        .map(|argument| Ok(format!("-Clink-arg={argument}")));
    let flags: Vec<String> = remaps.chain(link_args).collect::<Result<_, Error>>()?;
    // JSON's strings are strings of TOML.
    let flags = serde_json::Value::from(flags);
    Ok(format!(
        "[target.{}]\nrustflags = {flags}\n",
        platform.triple
    ))
}

/// Builds everything.
///
/// # Errors
///
/// Cargo fails.
pub fn build(platform: &Platform) -> Result<Built, Error> {
    let metadata = metadata(platform)?;
    let target = metadata.target_directory.join(platform.triple);
    fs::create_dir_all(&target).map_err(Error::file(target.as_std_path()))?;
    let config_file = target.join("dist.toml");
    let text = config(platform, &Folders::new(&metadata)?)?;
    fs::write(&config_file, text).map_err(Error::file(config_file.as_std_path()))?;

    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(&metadata.workspace_root)
        .args(["build", "--release", "--locked", "--lib", "--bins"])
        .args([
            "--message-format=json-render-diagnostics",
            "--target",
            platform.triple,
            "--config",
        ])
        .arg(&config_file)
        .stdout(Stdio::piped());
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        // Of a target: CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS.
        let of_target = text.starts_with("CARGO_TARGET_") && text.ends_with("_RUSTFLAGS");
        if of_target || FOREIGN.iter().any(|foreign| text.starts_with(foreign)) {
            cargo.env_remove(&name);
        }
    }
    let programs = PROGRAMS
        .iter()
        .map(|(folder, _, features)| (*folder, *features));
    let libraries = LIBRARIES.iter().map(|(folder, _)| (*folder, [].as_slice()));
    for (folder, features) in programs.chain(libraries) {
        let name = &package(&metadata, folder)?.name;
        cargo.args(["-p", name]);
        for feature in features {
            cargo.arg(format!("--features={name}/{feature}"));
        }
    }
    let output = cargo
        .spawn()
        .and_then(std::process::Child::wait_with_output);
    let output = output.map_err(|source| Error::Start {
        program: "cargo".into(),
        source,
    })?;
    if !output.status.success() {
        return Err(error("cargo build failed"));
    }

    let mut linked = BTreeSet::new();
    let mut made = BTreeSet::new();
    for message in Message::parse_stream(&*output.stdout) {
        let message = message.map_err(|cause| error(format!("cargo's messages: {cause}")))?;
        if let Message::CompilerArtifact(artifact) = message {
            // What runs at compile time, as build scripts and macros, is in the folder of no target.
            if artifact
                .filenames
                .iter()
                .any(|file| file.starts_with(&target))
            {
                linked.insert(artifact.package_id);
                made.extend(artifact.filenames);
            }
        }
    }
    let programs = PROGRAMS
        .iter()
        .map(|(_, name, _)| (*name, platform.program(name)));
    let libraries = LIBRARIES
        .iter()
        .map(|(_, name)| (*name, platform.library(name)));
    let files = programs.chain(libraries).map(|(name, file)| {
        let path = target.join("release").join(&file);
        if made.contains(&path) {
            Ok((name, path.into()))
        } else {
            Err(error(format!("cargo built no {file}")))
        }
    });
    let files = files.collect::<Result<_, Error>>()?;
    Ok(Built {
        metadata,
        linked,
        files,
    })
}
