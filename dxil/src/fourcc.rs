//! Four-character codes: the names of container parts.

use std::fmt;

/// The name of a container part: four characters of ASCII.
///
/// It need not be a known one: a reader keeps parts that it does not know. The constants are the
/// parts that DXC writes for shader model 6 (`DxilContainer.h` of DirectXShaderCompiler), and those
/// by which a container of shader models 4 and 5 is recognized.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FourCc(pub [u8; 4]);

impl FourCc {
    /// Not a part: the first word of a container.
    pub const DXBC: Self = Self(*b"DXBC");

    /// The program that drivers compile: a program header and LLVM bitcode.
    pub const DXIL: Self = Self(*b"DXIL");
    /// Feature flags of the shader, 64 bits.
    pub const SFI0: Self = Self(*b"SFI0");
    /// Input signature.
    pub const ISG1: Self = Self(*b"ISG1");
    /// Output signature.
    pub const OSG1: Self = Self(*b"OSG1");
    /// Patch-constant signature of hull and domain shaders, per-primitive signature of mesh
    /// shaders.
    pub const PSG1: Self = Self(*b"PSG1");
    /// Pipeline state validation data.
    pub const PSV0: Self = Self(*b"PSV0");
    /// Runtime data of a library: exports, resources, subobjects.
    pub const RDAT: Self = Self(*b"RDAT");
    /// Serialized root signature.
    pub const RTS0: Self = Self(*b"RTS0");
    /// Version of the compiler.
    pub const VERS: Self = Self(*b"VERS");
    /// Reflection: a program without function bodies.
    pub const STAT: Self = Self(*b"STAT");
    /// The program with debug information.
    pub const ILDB: Self = Self(*b"ILDB");
    /// File name of the PDB.
    pub const ILDN: Self = Self(*b"ILDN");
    /// Hash of the program's bitcode; not the container hash.
    pub const HASH: Self = Self(*b"HASH");
    /// Data of the application.
    pub const PRIV: Self = Self(*b"PRIV");
    /// Sources, in PDBs.
    pub const SRCI: Self = Self(*b"SRCI");
    /// Compiler arguments, in PDBs.
    pub const PDBI: Self = Self(*b"PDBI");

    /// Shader models 4 and 5: resource definitions.
    pub const RDEF: Self = Self(*b"RDEF");
    /// Shader models 4 and 5: input signature.
    pub const ISGN: Self = Self(*b"ISGN");
    /// Shader models 4 and 5: output signature.
    pub const OSGN: Self = Self(*b"OSGN");
    /// Shader model 4: the token stream.
    pub const SHDR: Self = Self(*b"SHDR");
    /// Shader model 5: the token stream.
    pub const SHEX: Self = Self(*b"SHEX");

    pub(crate) fn is_printable(self) -> bool {
        self.0.iter().all(|byte| matches!(byte, b' '..=b'~'))
    }
}

/// The four characters; bytes that are not printable ASCII are escaped as in a Rust byte string.
impl fmt::Display for FourCc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.escape_ascii().fmt(f)
    }
}

impl fmt::Debug for FourCc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FourCc({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::FourCc;

    #[test]
    fn text_is_readable_whatever_the_bytes() {
        assert_eq!(FourCc::DXIL.to_string(), "DXIL");
        assert_eq!(FourCc([0, b'a', 0xff, b'\\']).to_string(), r"\x00a\xff\\");
        assert_eq!(format!("{:?}", FourCc::PSV0), "FourCc(PSV0)");
    }
}
