//! Programs that are linked with the import libraries import from Microsoft's DLLs, by plain names.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use object::Object;
use xtask::dll::Dll;
use xtask::import_libs::{DLLS, write};
use xtask::toolchain::TARGETS;
use xtask::workspace;

#[test]
fn a_program_imports_plain_names_of_microsofts_dlls() {
    let folder = tempfile::tempdir().unwrap();
    let written = write(folder.path()).unwrap();
    assert_eq!(written.len(), 4);
    assert!(written.iter().all(|path| path.exists()));
    let headers = workspace().join("headers");
    for target in TARGETS.iter().filter(|target| target.is_windows) {
        for compiler in target.compilers_here() {
            let processor = if target.is_64_bit { "x64" } else { "x86" };
            let libraries = folder.path().join(processor);
            let program = libraries.join("drop_in.exe");
            let output = Command::new(compiler.c)
                .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-municode", "-I"])
                .arg(&headers)
                .arg(headers.join("examples/drop_in.c"))
                .args(DLLS.map(|(dll, _)| libraries.join(format!("{dll}.lib"))))
                .arg("-o")
                .arg(&program)
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {errors}", compiler.c);

            let bytes = fs::read(&program).unwrap();
            let file = object::File::parse(&*bytes).unwrap();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let imports = file.imports().unwrap();
            let imports = imports
                .iter()
                .map(|import| (text(import.library()), text(import.name())))
                .filter(|(library, _)| library.starts_with("D3D12"));
            let expected = [
                ("D3D12Core.dll", "D3D12GetInterface"),
                ("D3D12StateObjectCompiler.dll", "D3D12CompilerCreateFactory"),
            ];
            let expected = expected.map(|(dll, name)| (dll.to_owned(), name.to_owned()));
            assert_eq!(
                imports.collect::<BTreeSet<_>>(),
                expected.into(),
                "{}",
                compiler.c
            );
        }
    }
}

/// The two DLLs together have what the runtime exports, so nothing of it lacks a library.
#[test]
fn the_libraries_have_all_exports_of_the_runtime() {
    let mut exports: Vec<String> = Vec::new();
    exports.extend(
        DLLS.iter()
            .flat_map(|(_, names)| *names)
            .map(|&name| name.to_owned()),
    );
    let imports = Vec::new();
    let runtime = Dll { exports, imports };
    assert_eq!(runtime.faults(), [""; 0]);
}
