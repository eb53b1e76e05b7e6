//! What the DLLs of this repository export and import: plugins and the compiler runtime.

use object::{File, Object};

/// All exports of a plugin, and all of the compiler runtime, without the decoration that `__stdcall`
/// has on 32-bit Windows.
const EXPORTS: [(&str, &[&str]); 2] = [
    ("a plugin", &["D3D12OpenCompilerDDI"]),
    (
        "the compiler runtime",
        &[
            "D3D12CompilerCreateFactory",
            "D3D12CompilerGetInterface",
            "D3D12CompilerSerializeVersionedRootSignature",
            "D3D12CreateCompilerFactory",
            "D3D12GetInterface",
        ],
    ),
];

/// Libraries of Windows that they need; those of an API set begin with `api-ms-win-`.
const SYSTEM: [&str; 15] = [
    "advapi32.dll",
    "bcrypt.dll",
    "bcryptprimitives.dll",
    "gdi32.dll",
    "kernel32.dll",
    "msvcrt.dll",
    "ntdll.dll",
    "ole32.dll",
    "oleaut32.dll",
    "rpcrt4.dll",
    "shell32.dll",
    "ucrtbase.dll",
    "user32.dll",
    "userenv.dll",
    "ws2_32.dll",
];

/// The exports of a DLL, and the libraries that it imports from.
#[derive(Debug, PartialEq, Eq)]
pub struct Dll {
    /// In the order of the export table.
    pub exports: Vec<String>,
    /// Sorted, each once.
    pub imports: Vec<String>,
}

impl Dll {
    /// Reads a DLL's file.
    ///
    /// # Errors
    ///
    /// The file is no library, or its tables are damaged.
    pub fn read(bytes: &[u8]) -> object::Result<Self> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let file = File::parse(bytes)?;
        let exports = file.exports()?;
        let exports = exports.iter().map(|export| text(export.name())).collect();
        let imports = file.imports()?;
        let mut imports: Vec<_> = imports
            .iter()
            .map(|import| text(import.library()))
            .collect();
        imports.sort();
        imports.dedup();
        Ok(Self { exports, imports })
    }

    /// The reasons why the DLL is not a plugin, or the compiler runtime, that needs nothing but Windows; empty if it is one.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut exports: Vec<_> = self.exports.iter().map(String::as_str).collect();
        exports.sort_unstable();
        if !EXPORTS.iter().any(|(_, expected)| exports == **expected) {
            let expected = EXPORTS.map(|(what, names)| format!("{what} {}", names.join(", ")));
            let (exports, expected) = (exports.join(", "), expected.join("; "));
            faults.push(format!(
                "exports {exports}; a DLL exports one of these alone: {expected}"
            ));
        }
        for import in &self.imports {
            let name = import.to_ascii_lowercase();
            if !SYSTEM.contains(&&*name) && !name.starts_with("api-ms-win-") {
                faults.push(format!("imports {import}, which is not part of Windows"));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::Dll;

    fn dll(exports: &[&str], imports: &[&str]) -> Dll {
        let strings = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        Dll {
            exports: strings(exports),
            imports: strings(imports),
        }
    }

    #[test]
    fn a_dll_needs_nothing_but_windows() {
        let good = dll(
            &["D3D12OpenCompilerDDI"],
            &["KERNEL32.dll", "api-ms-win-core-synch-l1-2-0.dll"],
        );
        assert_eq!(good.faults(), [""; 0]);
        let runtime = [
            "D3D12GetInterface",
            "D3D12CreateCompilerFactory",
            "D3D12CompilerGetInterface",
            "D3D12CompilerSerializeVersionedRootSignature",
            "D3D12CompilerCreateFactory",
        ];
        assert_eq!(dll(&runtime, &["kernel32.dll"]).faults(), [""; 0]);
        assert_eq!(dll(&runtime[1..], &[]).faults().len(), 1);
        for (exports, imports, named) in [
            (&["D3D12OpenCompilerDDI@4"][..], &[][..], "@4"),
            (&["D3D12OpenCompilerDDI", "main"], &[], "main"),
            (&[], &[], "alone"),
            (
                &["D3D12OpenCompilerDDI"],
                &["VCRUNTIME140.dll"],
                "VCRUNTIME140",
            ),
            (
                &["D3D12OpenCompilerDDI"],
                &["libstdc++-6.dll"],
                "libstdc++-6",
            ),
        ] {
            let faults = dll(exports, imports).faults();
            assert!(faults.len() == 1 && faults[0].contains(named), "{faults:?}");
        }
    }
}
