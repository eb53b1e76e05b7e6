//! The log that an environment variable switches on, of a plugin that is exported as in a DLL.

use std::env;
use std::path::Path;
use std::process::Command;

use ddi_sys::{D3D12DDIARG_COMPILER_OPEN_DDI, E_INVALIDARG, HRESULT};
use plugin_sdk::desc::{ApplicationDesc, PipelineStateDesc};
use plugin_sdk::{
    AdapterFamily, Compiler, CompilerPlugin, ObjectValueKeys, Result, Session, Target,
};

struct NoPlugin;

impl CompilerPlugin for NoPlugin {
    type Compiler = NoCompiler;
    fn open() -> Result<Self> {
        Ok(Self)
    }
    fn adapter_families(&self) -> Vec<AdapterFamily> {
        Vec::new()
    }
    fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<NoCompiler> {
        Ok(NoCompiler)
    }
}

struct NoCompiler;

impl Compiler for NoCompiler {
    type StateObject = ();
    fn compile_pipeline_state<'call>(
        &self,
        _: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        Ok(session.finish([]))
    }
}

plugin_sdk::export_plugin!(NoPlugin);

unsafe extern "system" {
    fn D3D12OpenCompilerDDI(argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI) -> HRESULT;
}

const CHILD: &str = "OPENS_THE_PLUGIN";

/// Fails two opens, in the process that a test starts.
#[test]
fn child() {
    if env::var_os(CHILD).is_some() {
        for _ in 0..2 {
            // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: a null argument is refused.
            let opened = unsafe { D3D12OpenCompilerDDI(std::ptr::null_mut()) };
            assert_eq!(opened, E_INVALIDARG);
        }
    }
}

/// What the process writes to standard error.
fn failed_opens(level: Option<&str>, file: Option<&Path>) -> String {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "child", "--nocapture"]);
    child.env(CHILD, "1");
    for (name, value) in [
        ("D3D12_COMPILER_PLUGIN_LOG", level.map(AsRef::as_ref)),
        ("D3D12_COMPILER_PLUGIN_LOG_FILE", file.map(Path::as_os_str)),
    ] {
        match value {
            Some(value) => child.env(name, value),
            None => child.env_remove(name),
        };
    }
    let output = child.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
#[cfg_attr(miri, ignore = "starts processes")]
fn what_fails_is_on_standard_error_if_asked_for() {
    assert_eq!(failed_opens(None, None), "");
    assert_eq!(failed_opens(Some(""), None), "");
    let log = failed_opens(Some("error"), None);
    assert_eq!(log.lines().count(), 2, "{log}");
    for part in ["ERROR", "D3D12OpenCompilerDDI", "E_INVALIDARG"] {
        assert!(log.lines().all(|line| line.contains(part)), "{log}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "starts processes")]
fn the_log_is_appended_to_the_file_that_is_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("log");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, opens) in [("all.log", [2, 4]), ("of-{pid}.log", [2, 2])] {
        for lines in opens {
            let before = files(&folder);
            assert_eq!(failed_opens(Some("error"), Some(&folder.join(name))), "");
            let mut after = files(&folder);
            after.retain(|file| !before.contains(file));
            assert_eq!(after.len(), 1, "{name}: one file is new, or longer");
            assert_eq!(after[0].1.lines().count(), lines, "{}", after[0].1);
        }
    }
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap());
    let content = |path: &Path| std::fs::read_to_string(path).unwrap();
    entries
        .map(|entry| (entry.path().display().to_string(), content(&entry.path())))
        .collect()
}

#[test]
#[cfg_attr(miri, ignore = "starts processes")]
fn a_log_that_cannot_be_started_says_why() {
    let log = failed_opens(Some("loud"), None);
    assert!(
        log.starts_with("D3D12_COMPILER_PLUGIN_LOG=loud: error, warn"),
        "{log}"
    );
    assert_eq!(log.lines().count(), 1, "{log}");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no such folder/of.log");
    let log = failed_opens(Some("error"), Some(&file));
    let begins = format!("D3D12_COMPILER_PLUGIN_LOG_FILE={}: ", file.display());
    assert!(log.starts_with(&begins), "{log}");
    assert_eq!(log.lines().count(), 1, "{log}");
}
