//! The shaders that pipelines are made of, and the programs that are broken on purpose.
//!
//! They come from the corpus of the crate `dxil`, and are part of the executable.

use crate::pipeline::Stage;
use crate::verdict::Stop;
use dxil::{Container, FourCc};

/// At an address that suits code.
#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

/// A container of the corpus.
#[derive(Debug)]
pub(crate) struct Shader {
    pub(crate) name: &'static str,
    bytes: &'static [u8],
}

impl Shader {
    pub(crate) fn container(&self) -> Result<Container<'static>, Stop> {
        Container::parse(self.bytes).map_err(|error| self.unreadable(&error))
    }

    /// The program that crosses the DDI.
    pub(crate) fn program(&self) -> Result<&'static [u8], Stop> {
        let program = self
            .container()?
            .program()
            .map_err(|error| self.unreadable(&error))?;
        Ok(program.bytes())
    }

    pub(crate) fn bytes(&self) -> &'static [u8] {
        self.bytes
    }

    pub(crate) fn unreadable(&self, error: &dyn std::fmt::Display) -> Stop {
        Stop::Tool(format!("the built-in shader {}: {error}", self.name))
    }
}

macro_rules! shaders {
    ($($name:ident,)*) => {$(
        pub(crate) static $name: Shader = Shader {
            name: stringify!($name),
            bytes: {
                static FILE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(
                    "../../dxil/corpus/dxil/",
                    stringify!($name),
                    ".dxil"
                )));
                &FILE.0
            },
        };
    )*};
}

#[allow(non_upper_case_globals, reason = "the names of the files")]
mod corpus {
    use super::{Aligned, Shader};

    shaders! {
        forward_plain_vs,
        forward_plain_ps,
        fullscreen_vs,
        fullscreen_ps,
        layers_gs,
        mesh_lines_ms,
        meshlet_as,
        meshlet_ms,
        meshlet_ps,
        raw_copy_cs,
        rs_volatility_1_1,
        rt_pipeline_lib63,
        rt_subobjects_lib63,
        tess_tri_vs,
        tess_tri_hs,
        tess_tri_ds,
        wg_nodes_lib68,
    }
}

pub(crate) use corpus::*;

/// A program that is not one.
pub(crate) struct Malformed {
    pub(crate) what: &'static str,
    /// The stage that gets it; a compute shader makes a compute pipeline, any other a graphics one.
    pub(crate) stage: Stage,
    pub(crate) bytes: Vec<u8>,
    /// Whether the header alone gives it away. A plugin that does not look into the bitcode may take
    /// the others for good.
    pub(crate) obvious: bool,
}

/// Containers of the corpus whose program is broken; the rest of them is sound.
const MALFORMED_CONTAINERS: [(&str, &[u8]); 9] = [
    (
        "a header magic that is not DXIL",
        include_bytes!("../../dxil/corpus/malformed/prog_magic.dxil"),
    ),
    (
        "a shader kind that does not exist",
        include_bytes!("../../dxil/corpus/malformed/prog_kind.dxil"),
    ),
    (
        "a compute shader whose header says vertex",
        include_bytes!("../../dxil/corpus/malformed/prog_kind_lies.dxil"),
    ),
    (
        "a bitcode offset far outside of the program",
        include_bytes!("../../dxil/corpus/malformed/prog_code_offset.dxil"),
    ),
    (
        "a bitcode size that wraps in 32 bits",
        include_bytes!("../../dxil/corpus/malformed/prog_code_size.dxil"),
    ),
    (
        "a bitcode size that is no multiple of 4",
        include_bytes!("../../dxil/corpus/malformed/prog_code_size_odd.dxil"),
    ),
    (
        "bitcode whose magic is damaged",
        include_bytes!("../../dxil/corpus/malformed/bitcode_magic.dxil"),
    ),
    (
        NOISE,
        include_bytes!("../../dxil/corpus/malformed/bitcode_garbage.dxil"),
    ),
    (
        LONG_BLOCK,
        include_bytes!("../../dxil/corpus/malformed/bitcode_block_len.dxil"),
    ),
];
const NOISE: &str = "noise in the middle of the bitcode";
const LONG_BLOCK: &str = "a block of bitcode that is longer than the bitcode";

/// Where the fields of a program header are (`DxilProgramHeader` of DirectXShaderCompiler).
mod header {
    pub(super) const SIZE_IN_WORDS: usize = 0x04;
    pub(super) const BITCODE_OFFSET: usize = 0x10;
    pub(super) const BITCODE_SIZE: usize = 0x14;
    /// The length of the header, where the bitcode starts.
    pub(super) const LEN: usize = 0x18;
}

/// Every malformed program: those of the corpus, and some made from a good one. None states a size
/// that its memory does not have: a plugin knows the end of a program from nothing else.
pub(crate) fn malformed() -> Result<Vec<Malformed>, Stop> {
    let compute = |what, bytes, obvious| Malformed {
        what,
        stage: Stage::Compute,
        bytes,
        obvious,
    };
    let program = raw_copy_cs.program()?;
    let word = |at: usize| u32::from_le_bytes(program[at..at + 4].try_into().expect("four bytes"));
    let patched = |patches: &[(usize, u32)]| {
        let mut bytes = program.to_vec();
        for (at, value) in patches {
            bytes[*at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    };
    let (words, bitcode) = (word(header::SIZE_IN_WORDS), word(header::BITCODE_SIZE));
    let one = |at, value| patched(&[(at, value)]);
    let mut all = vec![
        compute("a size of 0 words", one(header::SIZE_IN_WORDS, 0), true),
        compute("a size of 1 word", one(header::SIZE_IN_WORDS, 1), true),
        compute(
            "a size of 5 words, less than the header",
            one(header::SIZE_IN_WORDS, 5),
            true,
        ),
        compute(
            "a size that ends inside the bitcode",
            one(header::SIZE_IN_WORDS, words - 4),
            true,
        ),
        compute(
            "a bitcode offset that wraps in 32 bits",
            one(header::BITCODE_OFFSET, !7),
            true,
        ),
        compute(
            "a bitcode offset inside the header",
            one(header::BITCODE_OFFSET, 0),
            true,
        ),
        compute("a bitcode size of 0", one(header::BITCODE_SIZE, 0), true),
        compute(
            "a bitcode size larger than the program",
            one(header::BITCODE_SIZE, bitcode + 4),
            true,
        ),
    ];
    for (what, bytes) in MALFORMED_CONTAINERS {
        let unreadable = |error| Stop::Tool(format!("the built-in program with {what}: {error}"));
        let container = Container::parse(bytes).map_err(unreadable)?;
        let program = container
            .part(FourCc::DXIL)
            .map(|part| part.bytes())
            .unwrap_or_default();
        all.push(compute(
            what,
            program.to_vec(),
            ![NOISE, LONG_BLOCK].contains(&what),
        ));
    }
    let half = bitcode / 8 * 4;
    let half_words = u32::try_from(header::LEN / 4).expect("a small header") + half / 4;
    let cut = patched(&[
        (header::SIZE_IN_WORDS, half_words),
        (header::BITCODE_SIZE, half),
    ]);
    all.push(compute(
        "bitcode that is cut in half",
        cut[..half_words as usize * 4].to_vec(),
        false,
    ));
    let mut zeros = program.to_vec();
    zeros[header::LEN + 4..].fill(0);
    all.push(compute(
        "zeros behind the magic of the bitcode",
        zeros,
        false,
    ));

    for (what, stage, shader) in [
        (
            "a vertex shader as the compute shader",
            Stage::Compute,
            &forward_plain_vs,
        ),
        (
            "a compute shader as the vertex shader",
            Stage::Vertex,
            &raw_copy_cs,
        ),
        (
            "a pixel shader as the vertex shader",
            Stage::Vertex,
            &forward_plain_ps,
        ),
        (
            "a vertex shader as the pixel shader",
            Stage::Pixel,
            &forward_plain_vs,
        ),
    ] {
        all.push(Malformed {
            what,
            stage,
            bytes: shader.program()?.to_vec(),
            obvious: true,
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::{malformed, raw_copy_cs};
    use crate::pipeline::Stage;
    use dxil::{Program, ShaderKind};

    #[test]
    fn obviously_malformed_programs_are_refused_by_a_strict_reader() {
        for broken in malformed().unwrap() {
            let stage = match broken.stage {
                Stage::Compute => ShaderKind::Compute,
                Stage::Vertex => ShaderKind::Vertex,
                Stage::Pixel => ShaderKind::Pixel,
                other => panic!("{other:?} is not used"),
            };
            let read = Program::parse(&broken.bytes);
            let accepted = read.is_ok_and(|program| program.kind() == stage);
            assert_eq!(accepted, !broken.obvious, "{}", broken.what);
        }
        assert!(Program::parse(raw_copy_cs.program().unwrap()).is_ok());
    }

    #[test]
    fn no_malformed_program_states_more_than_it_has() {
        for broken in malformed().unwrap() {
            let words = u32::from_le_bytes(broken.bytes[4..8].try_into().unwrap());
            assert!(words as usize * 4 <= broken.bytes.len(), "{}", broken.what);
        }
    }
}
