//! Files that are neither containers nor programs.

use std::fmt;

use crate::{FourCc, Program};

/// What a file is that was taken for a container or a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Foreign {
    /// There are no bytes.
    Empty,
    /// A program, where a container was expected.
    Program,
    /// A container, where a program was expected.
    Container,
    /// LLVM bitcode without the header of a program.
    Bitcode,
    /// LLVM bitcode in LLVM's own wrapper.
    WrappedBitcode,
    /// A PDB.
    Pdb,
    /// Text.
    Text,
    /// The disassembly of a program.
    Disassembly,
    /// A gzip file.
    Gzip,
    /// A ZIP archive.
    Zip,
    /// A Zstandard file.
    Zstandard,
    /// A SPIR-V module.
    SpirV,
    /// A database of SQLite.
    Sqlite,
    /// An ELF file.
    Elf,
    /// A Windows program or DLL.
    Pe,
}

/// How files start.
const MAGICS: [(&[u8], Foreign); 15] = [
    (b"DXBC", Foreign::Container),
    (b"BC\xc0\xde", Foreign::Bitcode),
    (b"\xde\xc0\x17\x0b", Foreign::WrappedBitcode),
    (b"Microsoft C/C++ MSF 7.00", Foreign::Pdb),
    (b"\x1f\x8b", Foreign::Gzip),
    (b"PK\x03\x04", Foreign::Zip),
    (b"PK\x05\x06", Foreign::Zip),
    (b"\x28\xb5\x2f\xfd", Foreign::Zstandard),
    (b"\x03\x02\x23\x07", Foreign::SpirV),
    (b"\x07\x23\x02\x03", Foreign::SpirV),
    (b"SQLite format 3\0", Foreign::Sqlite),
    (b"\x7fELF", Foreign::Elf),
    (b"MZ", Foreign::Pe),
    (b"\xff\xfe", Foreign::Text),
    (b"\xfe\xff", Foreign::Text),
];

/// How many bytes tell whether a file is text.
const TEXT_LEN: usize = 512;

impl Foreign {
    /// Tells from the first bytes what `bytes` are, if it is a kind of file that is easily taken for
    /// shader code.
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::Empty);
        }
        let found = MAGICS.iter().find(|(magic, _)| bytes.starts_with(magic));
        if let Some(&(_, found)) = found {
            return Some(found);
        }
        let has_header = bytes
            .get(8..)
            .is_some_and(|rest| rest.starts_with(&FourCc::DXIL.0));
        if has_header && Program::parse(bytes).is_ok() {
            return Some(Self::Program);
        }
        let start = &bytes[..bytes.len().min(TEXT_LEN)];
        let text = match str::from_utf8(start) {
            Ok(text) => text,
            // The last character may be cut.
            Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
                str::from_utf8(&start[..error.valid_up_to()]).ok()?
            }
            Err(_) => return None,
        };
        let is_text = |char: char| !char.is_control() || matches!(char, '\t' | '\n' | '\r');
        if text.len() < FourCc::DXBC.0.len() || !text.chars().all(is_text) {
            return None;
        }
        // A comment of LLVM, with which DXC begins; no line of HLSL starts so.
        Some(if text.starts_with(';') {
            Self::Disassembly
        } else {
            Self::Text
        })
    }
}

/// What the file is, and what can be done with it.
impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "there are no bytes",
            Self::Program => "this is a program without a container",
            Self::Container => "this is a container",
            Self::Bitcode => "this is LLVM bitcode without the header of a program",
            Self::WrappedBitcode => {
                "this is LLVM bitcode in LLVM's wrapper, without the header of a program"
            }
            Self::Pdb => "this is a PDB; `dxil-tool info` reads the container in it",
            Self::Text => "this is text, perhaps the source of a shader",
            Self::Disassembly => "this is text, perhaps the disassembly of a program",
            Self::Gzip => "this is a gzip file: unpack it first",
            Self::Zip => "this is a ZIP archive: unpack it first",
            Self::Zstandard => "this is a Zstandard file: unpack it first",
            Self::SpirV => "this is a SPIR-V module",
            Self::Sqlite => "this is a database of SQLite, perhaps a PSDB or SODB",
            Self::Elf => "this is an ELF file",
            Self::Pe => "this is a Windows program or DLL",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Foreign, MAGICS};
    use crate::{Container, ErrorKind, Program};

    /// Both readers say what the file is.
    #[test]
    fn each_kind_is_named() {
        let mut cases: Vec<(Vec<u8>, Foreign)> = MAGICS
            .iter()
            .map(|&(magic, what)| ([magic, &[0; 64]].concat(), what))
            .collect();
        cases.extend([
            (b"".to_vec(), Foreign::Empty),
            (b"struct V { float4 p; };\n".to_vec(), Foreign::Text),
            ("\u{feff}// Größe\r\n".into(), Foreign::Text),
            ("ß".repeat(400).into(), Foreign::Text),
            (b"; shader debug name: x\n".to_vec(), Foreign::Disassembly),
            (b";\n; Input signature:\n;".to_vec(), Foreign::Disassembly),
        ]);
        for (bytes, what) in cases {
            assert_eq!(Foreign::sniff(&bytes), Some(what), "{bytes:?}");
            let expected = ErrorKind::Foreign { what };
            if what != Foreign::Container {
                let error = Container::parse(&bytes).unwrap_err();
                assert_eq!((error.kind, error.offset), (expected, 0));
            }
            assert_eq!(Program::parse(&bytes).unwrap_err().kind, expected);
        }
    }

    #[test]
    fn bytes_that_are_nothing_known_stay_unknown() {
        for bytes in [
            &[0; 64][..],
            b"abc",
            b"dxbc\x01\0\0\0",
            b"\xe2\x82",
            &[0xff; 40],
        ] {
            assert_eq!(Foreign::sniff(bytes), None, "{bytes:?}");
        }
    }
}
