//! Import libraries for the names under which programs know the compiler runtime.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use ar_archive_writer::{COFFShortExport, MachineTypes, write_import_library};

use crate::Error;

/// Microsoft's DLLs that the runtime can stand for, and what of them programs call.
pub const DLLS: [(&str, &[&str]); 2] = [
    (
        "D3D12StateObjectCompiler",
        &[
            "D3D12CompilerCreateFactory",
            "D3D12CompilerGetInterface",
            "D3D12CompilerSerializeVersionedRootSignature",
            "D3D12CreateCompilerFactory",
        ],
    ),
    ("D3D12Core", &["D3D12GetInterface"]),
];

/// Folders, and the processors of their libraries.
pub const PROCESSORS: [(&str, MachineTypes); 2] =
    [("x64", MachineTypes::AMD64), ("x86", MachineTypes::I386)];

/// What each of the functions takes from the stack of a 32-bit program: three pointers.
pub const STACK: usize = 12;

/// Writes the libraries into folders of `folder`, for MinGW's linker and Visual Studio's.
///
/// # Errors
///
/// A file or a folder cannot be written.
pub fn write(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut written = Vec::new();
    for (processor, machine) in PROCESSORS {
        let folder = folder.join(processor);
        fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
        for (dll, functions) in DLLS {
            let path = folder.join(format!("{dll}.lib"));
            let library =
                library(dll, functions, machine, Some(STACK)).map_err(Error::file(&path))?;
            fs::write(&path, library).map_err(Error::file(&path))?;
            written.push(path);
        }
    }
    Ok(written)
}

/// The import library of a DLL, for functions that take so many bytes from the stack of a 32-bit program; without a number its
/// caller does.
///
/// # Errors
///
/// The library is too large for its format.
pub fn library(
    dll: &str,
    functions: &[impl AsRef<str>],
    machine: MachineTypes,
    stack: Option<usize>,
) -> std::io::Result<Vec<u8>> {
    let exports = functions.iter().map(|function| {
        let function = function.as_ref();
        COFFShortExport {
            // The DLL exports the plain name everywhere; programs of 32 bits call a decorated one.
            name: match (machine, stack) {
                (MachineTypes::I386, Some(stack)) => format!("_{function}@{stack}"),
                (MachineTypes::I386, None) => format!("_{function}"),
                _ => function.to_owned(),
            },
            import_name: Some(function.to_owned()),
            ext_name: None,
            symbol_name: None,
            export_as: None,
            ordinal: 0,
            noname: false,
            data: false,
            private: false,
            constant: false,
        }
    });
    let exports: Vec<_> = exports.collect();
    let mut library = Cursor::new(Vec::new());
    write_import_library(
        &mut library,
        &format!("{dll}.dll"),
        &exports,
        machine,
        false,
        false,
        &[],
    )?;
    Ok(library.into_inner())
}
