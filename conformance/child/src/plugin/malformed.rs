//! Programs that are broken on purpose.

use conformance_catalogue::verdict::Stop;
use dxil::{Container, FourCc};

use crate::inputs::pipeline::{self, COMPUTE, GRAPHICS, Stage};
use crate::inputs::shaders::{forward_plain_ps, forward_plain_vs, raw_copy_cs, rt_pipeline_lib63};
use crate::plugin::object::Object;
use crate::watch::memory::{Guarded, Place};

/// What gets a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Stage(&'static pipeline::Kind, Stage),
    /// The library of a raytracing pipeline.
    Library,
}

/// A program that is not one.
pub(crate) struct Malformed {
    pub(crate) what: String,
    pub(crate) part: Part,
    pub(crate) bytes: Vec<u8>,
    /// Whether its header gives it away. A plugin that does not look into the bitcode may take the others
    /// for good, and one that reads less of the bitcode than there is need not mind a size that is no
    /// multiple of 4.
    pub(crate) obvious: bool,
}

impl Malformed {
    /// Whether an object can have it.
    pub(crate) fn is_of(&self, object: Object) -> bool {
        match self.part {
            Part::Stage(kind, _) => object == Object::Pipeline(kind),
            Part::Library => matches!(object, Object::StateObject(_)),
        }
    }

    /// It in memory of its own, aligned as a program is.
    pub(crate) fn placed(&self, place: Place) -> Result<Guarded, Stop> {
        let program = Guarded::new(self.bytes.len(), align_of::<u32>(), place, 0)?;
        program.write(&self.bytes);
        Ok(program)
    }
}

/// Containers of the corpus whose program is broken, and whether that is obvious; the rest of them is
/// sound.
const MALFORMED_CONTAINERS: [(&str, bool, &[u8]); 9] = [
    (
        "a header magic that is not DXIL",
        true,
        include_bytes!("../../../../dxil/corpus/malformed/prog_magic.dxil"),
    ),
    (
        "a shader kind that does not exist",
        true,
        include_bytes!("../../../../dxil/corpus/malformed/prog_kind.dxil"),
    ),
    (
        "a compute shader whose header says vertex",
        true,
        include_bytes!("../../../../dxil/corpus/malformed/prog_kind_lies.dxil"),
    ),
    (
        "a bitcode offset far outside of the program",
        true,
        include_bytes!("../../../../dxil/corpus/malformed/prog_code_offset.dxil"),
    ),
    (
        "a bitcode size that wraps in 32 bits",
        true,
        include_bytes!("../../../../dxil/corpus/malformed/prog_code_size.dxil"),
    ),
    (
        "a bitcode size that is no multiple of 4",
        false,
        include_bytes!("../../../../dxil/corpus/malformed/prog_code_size_odd.dxil"),
    ),
    (
        "bitcode whose magic is damaged",
        false,
        include_bytes!("../../../../dxil/corpus/malformed/bitcode_magic.dxil"),
    ),
    (
        "noise in the middle of the bitcode",
        false,
        include_bytes!("../../../../dxil/corpus/malformed/bitcode_garbage.dxil"),
    ),
    (
        "a block of bitcode that is longer than the bitcode",
        false,
        include_bytes!("../../../../dxil/corpus/malformed/bitcode_block_len.dxil"),
    ),
];

/// Where the fields of a program header are (`DxilProgramHeader` of DirectXShaderCompiler).
mod header {
    pub(super) const SIZE_IN_WORDS: usize = 0x04;
    pub(super) const MAGIC: usize = 0x08;
    pub(super) const BITCODE_OFFSET: usize = 0x10;
    pub(super) const BITCODE_SIZE: usize = 0x14;
    /// The length of the header, where the bitcode starts.
    pub(super) const LEN: usize = 0x18;
}

fn word(program: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(program[at..at + 4].try_into().expect("four bytes"))
}

fn patched(program: &[u8], patches: &[(usize, u32)]) -> Vec<u8> {
    let mut bytes = program.to_vec();
    for (at, value) in patches {
        bytes[*at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

/// The damages to a good program that its header gives away. None states a size that its memory does not
/// have: a plugin knows the end of a program from nothing else.
fn damaged_headers(program: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let words = word(program, header::SIZE_IN_WORDS);
    let bitcode = word(program, header::BITCODE_SIZE);
    let one = |at, value| patched(program, &[(at, value)]);
    vec![
        ("a size of 0 words", one(header::SIZE_IN_WORDS, 0)),
        ("a size of 1 word", one(header::SIZE_IN_WORDS, 1)),
        (
            "a size of 5 words, less than the header",
            one(header::SIZE_IN_WORDS, 5),
        ),
        (
            "a size that ends inside the bitcode",
            one(header::SIZE_IN_WORDS, words - 4),
        ),
        (
            "a magic that is another one by one bit",
            one(header::MAGIC, word(program, header::MAGIC) ^ 0x80),
        ),
        (
            "a bitcode offset that wraps in 32 bits",
            one(header::BITCODE_OFFSET, !7),
        ),
        (
            "a bitcode offset inside the header",
            one(header::BITCODE_OFFSET, 0),
        ),
        ("a bitcode size of 0", one(header::BITCODE_SIZE, 0)),
        (
            "a bitcode size larger than the program",
            one(header::BITCODE_SIZE, bitcode + 4),
        ),
    ]
}

/// Every malformed program: the header damaged in each stage of each pipeline and in a library, and what
/// is broken elsewhere or in the wrong place.
pub(crate) fn malformed() -> Result<Vec<Malformed>, Stop> {
    let mut all = Vec::new();
    let mut add = |what: String, part, bytes, obvious| {
        all.push(Malformed {
            what,
            part,
            bytes,
            obvious,
        });
    };
    for kind in pipeline::KINDS {
        for (stage, shader) in kind.shaders {
            for (what, bytes) in damaged_headers(shader.program()?) {
                add(
                    format!("{what}, {stage:?} shader"),
                    Part::Stage(kind, *stage),
                    bytes,
                    true,
                );
            }
        }
    }
    for (what, bytes) in damaged_headers(rt_pipeline_lib63.program()?) {
        add(format!("{what}, library"), Part::Library, bytes, true);
    }
    let compute = Part::Stage(&COMPUTE, Stage::Compute);
    for (what, obvious, bytes) in MALFORMED_CONTAINERS {
        let unreadable = |error| Stop::Tool(format!("the built-in program with {what}: {error}"));
        let container = Container::parse(bytes).map_err(unreadable)?;
        let program = container
            .part(FourCc::DXIL)
            .map(|part| part.bytes())
            .unwrap_or_default();
        add(what.into(), compute, program.to_vec(), obvious);
    }
    let program = raw_copy_cs.program()?;
    let half = word(program, header::BITCODE_SIZE) / 8 * 4;
    let half_words = u32::try_from(header::LEN / 4).expect("a small header") + half / 4;
    let mut cut = patched(
        program,
        &[
            (header::SIZE_IN_WORDS, half_words),
            (header::BITCODE_SIZE, half),
        ],
    );
    cut.truncate(half_words as usize * 4);
    add("bitcode that is cut in half".into(), compute, cut, false);
    let mut zeros = program.to_vec();
    zeros[header::LEN + 4..].fill(0);
    let what = "zeros behind the magic of the bitcode";
    add(what.into(), compute, zeros, false);

    let vertex = Part::Stage(&GRAPHICS, Stage::Vertex);
    let pixel = Part::Stage(&GRAPHICS, Stage::Pixel);
    for (what, part, shader) in [
        (
            "a vertex shader as the compute shader",
            compute,
            &forward_plain_vs,
        ),
        (
            "a compute shader as the vertex shader",
            vertex,
            &raw_copy_cs,
        ),
        (
            "a pixel shader as the vertex shader",
            vertex,
            &forward_plain_ps,
        ),
        (
            "a vertex shader as the pixel shader",
            pixel,
            &forward_plain_vs,
        ),
    ] {
        add(what.into(), part, shader.program()?.to_vec(), true);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::{Part, malformed};
    use crate::inputs::pipeline::Stage;
    use dxil::{Program, ShaderKind};

    #[test]
    fn obviously_malformed_programs_are_refused_by_a_strict_reader() {
        for broken in malformed().unwrap() {
            let kind = match broken.part {
                Part::Stage(_, Stage::Vertex) => ShaderKind::Vertex,
                Part::Stage(_, Stage::Hull) => ShaderKind::Hull,
                Part::Stage(_, Stage::Domain) => ShaderKind::Domain,
                Part::Stage(_, Stage::Geometry) => ShaderKind::Geometry,
                Part::Stage(_, Stage::Pixel) => ShaderKind::Pixel,
                Part::Stage(_, Stage::Compute) => ShaderKind::Compute,
                Part::Stage(_, Stage::Amplification) => ShaderKind::Amplification,
                Part::Stage(_, Stage::Mesh) => ShaderKind::Mesh,
                Part::Library => ShaderKind::Library,
            };
            let read = Program::parse(&broken.bytes);
            let accepted = read.is_ok_and(|program| program.kind() == kind);
            assert!(!(accepted && broken.obvious), "{}", broken.what);
        }
    }

    #[test]
    fn no_malformed_program_states_more_than_it_has() {
        for broken in malformed().unwrap() {
            let words = u32::from_le_bytes(broken.bytes[4..8].try_into().unwrap());
            assert!(words as usize * 4 <= broken.bytes.len(), "{}", broken.what);
        }
    }
}
