//! Pipeline state validation data, the part `PSV0` of shaders that are not libraries: what the
//! runtime has to know of a shader to fit it into a pipeline.
//!
//! ```
//! use dxil::psv0::StageInfo;
//! use dxil::Container;
//!
//! let shader = Container::parse(include_bytes!("../corpus/dxil/meshlet_ms.dxil"))?;
//! let psv0 = shader.pipeline_state_validation()?.unwrap();
//! assert_eq!(psv0.num_threads, Some([128, 1, 1]));
//! let Some(StageInfo::Mesh { max_output_vertices, .. }) = psv0.stage_info else {
//!     panic!("{psv0:?}")
//! };
//! assert_eq!(max_output_vertices, 64);
//! for resource in psv0.resources() {
//!     println!("{:?} {} in space {}", resource.resource_type, resource.lower_bound, resource.space);
//! }
//! # Ok::<(), dxil::Error>(())
//! ```

mod compare;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::numbers::{flags, number};
use crate::read::Numbers;
use crate::{ComponentType, Error, ErrorKind, ResourceKind, ShaderKind};

/// Lengths of the runtime info, by revision. Each begins with the one before.
const INFO_LEN: [u32; 5] = [24, 36, 48, 52, 56];

/// Least lengths of a resource, and of a signature element.
const RESOURCE_LEN: u32 = 16;
const ELEMENT_LEN: u32 = 16;

/// What is wrong with pipeline state validation data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Something does not fit into the part.
    #[error("{section} of {len} bytes, but the part has {available} from there on")]
    PastEnd {
        /// What it is.
        section: &'static str,
        /// How many bytes it takes.
        len: u64,
        /// Bytes to the end of the part.
        available: usize,
    },
    /// The runtime info, a resource or an element is shorter than it ever was.
    #[error("{section} of {len} bytes, {least} is the least")]
    TooShort {
        /// What it is.
        section: &'static str,
        /// Its length.
        len: u32,
        /// The least length.
        least: u32,
    },
    /// The stage does not exist.
    #[error("stage {stage} does not exist, stages are 0 to 15")]
    Stage {
        /// The stage.
        stage: u8,
    },
    /// The strings are not UTF-8.
    #[error("the strings are not UTF-8")]
    StringsNotUtf8,
    /// A string does not start or end in the table of strings.
    #[error("no string is at offset {offset:#x}, the table of strings has {strings} bytes")]
    String {
        /// The offset.
        offset: u32,
        /// Length of the table of strings.
        strings: usize,
    },
    /// The semantic indices of an element are not inside their table.
    #[error("{rows} semantic indices at {index}, their table has {indices}")]
    SemanticIndices {
        /// Where they start.
        index: u32,
        /// How many the element has.
        rows: u8,
        /// Length of the table.
        indices: usize,
    },
    /// Bytes are left over.
    #[error("{len} bytes are left over behind the last table")]
    Trailing {
        /// How many.
        len: usize,
    },
}

impl Fault {
    fn at(self, offset: usize) -> Error {
        ErrorKind::PipelineStateValidation(self).at(offset)
    }
}

/// Pipeline state validation data: the payload of a `PSV0` part, revisions 0 to 4.
///
/// Parsing checks that everything lies in the part and that there is nothing else in it, and takes
/// time linear in its length. Of a later revision, what this crate knows is read, and more may
/// follow.
#[derive(Clone, Copy)]
pub struct PipelineStateValidation<'a> {
    /// The revision of the part: 0 to 4.
    pub revision: usize,
    /// The kind of shader; from revision 1 on.
    pub stage: Option<ShaderKind>,
    /// What is particular to the kind of shader; for kinds with particulars, from revision 1 on.
    pub stage_info: Option<StageInfo>,
    /// The least number of lanes in a wave that the shader works with; 0 if any.
    pub minimum_expected_wave_lane_count: u32,
    /// The greatest number of lanes in a wave that the shader works with; `u32::MAX` if any.
    pub maximum_expected_wave_lane_count: u32,
    /// `SV_ViewID` is used.
    pub uses_view_id: bool,
    /// The size of a group in x, y and z, 0 for shaders without groups; from revision 2 on.
    pub num_threads: Option<[u32; 3]>,
    /// The name of the entry point; from revision 3 on.
    pub entry_name: Option<&'a str>,
    /// Bytes of group-shared memory; from revision 4 on.
    pub num_bytes_group_shared_memory: Option<u32>,
    info: &'a [u8],
    resources: Records<'a>,
    strings: &'a str,
    /// Where those are in the part.
    strings_at: usize,
    indices: &'a [[u8; 4]],
    /// Inputs, outputs, and patch constants or primitives.
    elements: [Records<'a>; 3],
    view_id_outputs: [ComponentMask<'a>; 4],
    view_id_patch_constants: ComponentMask<'a>,
    input_outputs: [Dependencies<'a>; 4],
    input_patch_constants: Dependencies<'a>,
    patch_constant_outputs: Dependencies<'a>,
}

/// Records of the same length.
#[derive(Clone, Copy)]
struct Records<'a> {
    bytes: &'a [u8],
    /// At least 1.
    stride: usize,
    /// Where the first one is in the part.
    at: usize,
}

impl<'a> Records<'a> {
    const NONE: Self = Self {
        bytes: &[],
        stride: 1,
        at: 0,
    };

    fn iter(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + use<'a> {
        self.bytes.chunks_exact(self.stride)
    }
}

/// Takes one section of the part after the other.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Takes `len` bytes; `at` is where that length comes from.
    fn bytes(&mut self, section: &'static str, len: u64, at: usize) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.at..];
        let bytes = usize::try_from(len).ok().and_then(|len| rest.get(..len));
        let Some(bytes) = bytes else {
            let available = rest.len();
            let fault = Fault::PastEnd {
                section,
                len,
                available,
            };
            return Err(fault.at(at));
        };
        self.at += bytes.len();
        Ok(bytes)
    }

    fn words(
        &mut self,
        section: &'static str,
        count: u64,
        at: usize,
    ) -> Result<&'a [[u8; 4]], Error> {
        let bytes = self.bytes(section, count.saturating_mul(4), at)?;
        Ok(bytes.as_chunks().0)
    }

    fn word(&mut self, section: &'static str) -> Result<u32, Error> {
        Ok(word(self.bytes(section, 4, self.at)?, 0))
    }

    /// The length of something, which follows.
    fn len(&mut self, section: &'static str, least: u32) -> Result<u32, Error> {
        let at = self.at;
        let len = self.word(section)?;
        if len < least {
            let fault = Fault::TooShort {
                section,
                len,
                least,
            };
            return Err(fault.at(at));
        }
        Ok(len)
    }

    /// A table of `count` records, which starts with their length; nothing at all if there are none.
    /// `at` is where the count comes from.
    fn records(
        &mut self,
        section: &'static str,
        count: u32,
        least: u32,
        at: usize,
    ) -> Result<Records<'a>, Error> {
        if count == 0 {
            return Ok(Records::NONE);
        }
        let stride = self.len(section, least)?;
        let bytes = self.bytes(section, u64::from(count) * u64::from(stride), at)?;
        Ok(Records {
            bytes,
            stride: stride as usize,
            at: self.at - bytes.len(),
        })
    }

    /// Masks of `width` words of what depends on each of `rows` components.
    fn dependencies(&mut self, rows: u32, width: u32) -> Result<Dependencies<'a>, Error> {
        let words = u64::from(rows) * u64::from(width);
        Ok(Dependencies {
            words: self.words("dependencies", words, VECTOR_COUNTS)?,
            width: width as usize,
        })
    }
}

/// The word at byte `at` of a record; 0 where it is shorter.
fn word(record: &[u8], at: usize) -> u32 {
    let word = record.get(at..).and_then(<[u8]>::first_chunk);
    u32::from_le_bytes(word.copied().unwrap_or_default())
}

/// The byte at `at` of a record; 0 where it is shorter.
fn byte(record: &[u8], at: usize) -> u8 {
    record.get(at).copied().unwrap_or_default()
}

/// Words of a mask of the components of `vectors`, four to a vector.
fn mask_words(vectors: u8) -> u32 {
    u32::from(vectors).div_ceil(8)
}

// Where the fields of the runtime info are; what is particular to the stage comes first.
const WAVE_LANES: usize = 0x10;
const STAGE: usize = 0x18;
const USES_VIEW_ID: usize = 0x19;
/// A geometry shader's `maxvertexcount`; else vectors of patch constants or primitives.
const MAX_VERTICES_OR_VECTORS: usize = 0x1a;
const MESH_TOPOLOGY: usize = 0x1b;
const ELEMENT_COUNTS: usize = 0x1c;
const INPUT_VECTORS: usize = 0x1f;
const OUTPUT_VECTORS: usize = 0x20;
const NUM_THREADS: usize = 0x24;
const ENTRY_NAME: usize = 0x30;
const GROUP_SHARED: usize = 0x34;

/// The length of the runtime info stands in front of it.
const INFO: usize = 4;

/// Where in the part the numbers are that say how long the dependencies are.
const VECTOR_COUNTS: usize = INFO + INPUT_VECTORS;

impl<'a> PipelineStateValidation<'a> {
    /// Reads the payload of a `PSV0` part.
    ///
    /// # Errors
    ///
    /// Something is not inside `bytes`, or left over; [`Fault`] lists how.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader { bytes, at: 0 };
        let info_len = reader.len("runtime info", INFO_LEN[0])?;
        let info = reader.bytes("runtime info", info_len.into(), 0)?;
        let revision = INFO_LEN.iter().filter(|&&len| len <= info_len).count() - 1;

        let at = reader.at;
        let count = reader.word("the resource count")?;
        let resources = reader.records("resources", count, RESOURCE_LEN, at)?;

        let mut psv = Self {
            revision,
            stage: None,
            stage_info: None,
            minimum_expected_wave_lane_count: word(info, WAVE_LANES),
            maximum_expected_wave_lane_count: word(info, WAVE_LANES + 4),
            uses_view_id: false,
            num_threads: (revision >= 2)
                .then(|| [0, 4, 8].map(|axis| word(info, NUM_THREADS + axis))),
            entry_name: None,
            num_bytes_group_shared_memory: (revision >= 4).then(|| word(info, GROUP_SHARED)),
            info,
            resources,
            strings: "",
            strings_at: 0,
            indices: &[],
            elements: [Records::NONE; 3],
            view_id_outputs: [ComponentMask::default(); 4],
            view_id_patch_constants: ComponentMask::default(),
            input_outputs: [Dependencies::default(); 4],
            input_patch_constants: Dependencies::default(),
            patch_constant_outputs: Dependencies::default(),
        };
        if revision >= 1 {
            psv.read_revision_1(&mut reader, info)?;
        }
        let known = INFO_LEN[INFO_LEN.len() - 1];
        if reader.at < bytes.len() && info_len <= known {
            let len = bytes.len() - reader.at;
            return Err(Fault::Trailing { len }.at(reader.at));
        }
        Ok(psv)
    }

    /// What came with revision 1: the stage, the signatures and the dependencies.
    fn read_revision_1(&mut self, reader: &mut Reader<'a>, info: &'a [u8]) -> Result<(), Error> {
        let stage = byte(info, STAGE);
        let Some(&kind) = ShaderKind::ALL.get(usize::from(stage)) else {
            return Err(Fault::Stage { stage }.at(INFO + STAGE));
        };
        self.stage = Some(kind);
        self.stage_info = StageInfo::read(kind, info);
        self.uses_view_id = byte(info, USES_VIEW_ID) != 0;

        let at = reader.at;
        let len = reader.word("the length of the strings")?;
        self.strings_at = reader.at;
        self.strings = str::from_utf8(reader.bytes("strings", len.into(), at)?)
            .map_err(|error| Fault::StringsNotUtf8.at(at + 4 + error.valid_up_to()))?;
        let at = reader.at;
        let count = reader.word("the number of semantic indices")?;
        self.indices = reader.words("semantic indices", count.into(), at)?;
        if self.revision >= 3 {
            let offset = word(info, ENTRY_NAME);
            let name = self.string(offset);
            self.entry_name = Some(name.map_err(|fault| fault.at(INFO + ENTRY_NAME))?);
        }
        self.read_elements(reader, info)?;
        self.read_dependencies(reader, info, kind)
    }

    fn read_elements(&mut self, reader: &mut Reader<'a>, info: &[u8]) -> Result<(), Error> {
        let counts = [0, 1, 2].map(|which| byte(info, ELEMENT_COUNTS + which));
        let total = counts.into_iter().map(u32::from).sum();
        let all = reader.records(
            "signature elements",
            total,
            ELEMENT_LEN,
            INFO + ELEMENT_COUNTS,
        )?;
        let (mut rest, mut at) = (all.bytes, all.at);
        for (elements, count) in self.elements.iter_mut().zip(counts) {
            let (bytes, behind) = rest.split_at(all.stride * usize::from(count));
            *elements = Records { bytes, at, ..all };
            rest = behind;
            at += bytes.len();
        }
        for (index, element) in all.iter().enumerate() {
            let at = all.at + index * all.stride;
            self.string(word(element, 0))
                .map_err(|fault| fault.at(at))?;
            self.semantic_indices(element)
                .map_err(|fault| fault.at(at + 4))?;
        }
        Ok(())
    }

    fn read_dependencies(
        &mut self,
        reader: &mut Reader<'a>,
        info: &[u8],
        stage: ShaderKind,
    ) -> Result<(), Error> {
        let streams = if stage == ShaderKind::Geometry { 4 } else { 1 };
        let inputs = 4 * u32::from(byte(info, INPUT_VECTORS));
        let outputs = [0, 1, 2, 3].map(|stream| mask_words(byte(info, OUTPUT_VECTORS + stream)));
        let vectors = byte(info, MAX_VERTICES_OR_VECTORS);
        let patch_constants = mask_words(vectors);
        if self.uses_view_id {
            for (stream, &words) in outputs[..streams].iter().enumerate() {
                let section = "outputs that depend on SV_ViewID";
                let mask = reader.words(section, words.into(), VECTOR_COUNTS)?;
                self.view_id_outputs[stream] = ComponentMask(mask);
            }
            if matches!(stage, ShaderKind::Hull | ShaderKind::Mesh) {
                let section = "patch constants or primitives that depend on SV_ViewID";
                let mask = reader.words(section, patch_constants.into(), VECTOR_COUNTS)?;
                self.view_id_patch_constants = ComponentMask(mask);
            }
        }
        if stage != ShaderKind::Mesh {
            for (stream, &words) in outputs[..streams].iter().enumerate() {
                self.input_outputs[stream] = reader.dependencies(inputs, words)?;
            }
        }
        if stage == ShaderKind::Hull {
            self.input_patch_constants = reader.dependencies(inputs, patch_constants)?;
        }
        if stage == ShaderKind::Domain {
            let rows = 4 * u32::from(vectors);
            self.patch_constant_outputs = reader.dependencies(rows, outputs[0])?;
        }
        Ok(())
    }

    fn string(&self, offset: u32) -> Result<&'a str, Fault> {
        let from_start = self.strings.get(offset as usize..);
        let string = from_start.and_then(|text| Some(text.split_once('\0')?.0));
        string.ok_or(Fault::String {
            offset,
            strings: self.strings.len(),
        })
    }

    fn semantic_indices(&self, element: &[u8]) -> Result<Numbers<'a>, Fault> {
        let index = word(element, 4);
        let rows = byte(element, 8);
        let from_start = self.indices.get(index as usize..);
        let indices = from_start.and_then(|indices| indices.get(..usize::from(rows)));
        indices.map(Numbers).ok_or(Fault::SemanticIndices {
            index,
            rows,
            indices: self.indices.len(),
        })
    }

    /// The resources that the shader uses through the root signature; not those that it takes from
    /// a heap by itself.
    pub fn resources(&self) -> impl ExactSizeIterator<Item = Resource> + use<'a> {
        self.resources.iter().map(|record| Resource {
            resource_type: ResourceType(word(record, 0)),
            space: word(record, 4),
            lower_bound: word(record, 8),
            upper_bound: word(record, 12),
            kind: (record.len() >= 24).then(|| ResourceKind(word(record, 16))),
            flags: (record.len() >= 24).then(|| ResourceFlags(word(record, 20))),
        })
    }

    /// The inputs; from revision 1 on.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = Element<'a>> + use<'a> {
        self.elements(0)
    }

    /// The outputs; from revision 1 on.
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = Element<'a>> + use<'a> {
        self.elements(1)
    }

    /// The patch constants of hull and domain shaders, the outputs for each primitive of mesh
    /// shaders; from revision 1 on.
    pub fn patch_constants_or_primitives(
        &self,
    ) -> impl ExactSizeIterator<Item = Element<'a>> + use<'a> {
        self.elements(2)
    }

    fn elements(&self, which: usize) -> impl ExactSizeIterator<Item = Element<'a>> + use<'a> {
        let psv = *self;
        self.elements[which].iter().map(move |record| {
            let [columns, dynamic] = [0x0a, 0x0e].map(|at| byte(record, at));
            Element {
                semantic_name: psv.string(word(record, 0)).unwrap_or_default(),
                semantic_indices: psv.semantic_indices(record).unwrap_or(Numbers(&[])),
                start: (columns >> 6 & 1 != 0).then(|| Start {
                    row: byte(record, 0x09),
                    column: columns >> 4 & 3,
                }),
                columns: columns & 0xf,
                semantic_kind: SemanticKind(byte(record, 0x0b).into()),
                component_type: ComponentType(byte(record, 0x0c).into()),
                interpolation_mode: InterpolationMode(byte(record, 0x0d).into()),
                dynamic_index_mask: dynamic & 0xf,
                output_stream: dynamic >> 4 & 3,
            }
        })
    }

    /// The outputs of a stream, 0 to 3, that depend on `SV_ViewID`. All streams but the first are
    /// for geometry shaders.
    pub fn view_id_outputs(&self, stream: usize) -> ComponentMask<'a> {
        self.view_id_outputs
            .get(stream)
            .copied()
            .unwrap_or_default()
    }

    /// The patch constants of a hull shader, or primitive outputs of a mesh shader, that depend on
    /// `SV_ViewID`.
    pub fn view_id_patch_constants_or_primitives(&self) -> ComponentMask<'a> {
        self.view_id_patch_constants
    }

    /// The outputs of a stream, 0 to 3, that depend on each component of the inputs. Mesh shaders
    /// have none.
    pub fn input_outputs(&self, stream: usize) -> Dependencies<'a> {
        self.input_outputs.get(stream).copied().unwrap_or_default()
    }

    /// The patch constants of a hull shader that depend on each component of its inputs.
    pub fn input_patch_constants(&self) -> Dependencies<'a> {
        self.input_patch_constants
    }

    /// The outputs of a domain shader that depend on each component of its patch constants.
    pub fn patch_constant_outputs(&self) -> Dependencies<'a> {
        self.patch_constant_outputs
    }
}

impl fmt::Debug for PipelineStateValidation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PipelineStateValidation")
            .field("revision", &self.revision)
            .field("stage", &self.stage)
            .field("stage_info", &self.stage_info)
            .field(
                "wave_lanes",
                &[
                    self.minimum_expected_wave_lane_count,
                    self.maximum_expected_wave_lane_count,
                ],
            )
            .field("uses_view_id", &self.uses_view_id)
            .field("num_threads", &self.num_threads)
            .field("entry_name", &self.entry_name)
            .field(
                "num_bytes_group_shared_memory",
                &self.num_bytes_group_shared_memory,
            )
            .field("resources", &self.resources().collect::<Vec<_>>())
            .field("inputs", &self.inputs().collect::<Vec<_>>())
            .field("outputs", &self.outputs().collect::<Vec<_>>())
            .field(
                "patch_constants_or_primitives",
                &self.patch_constants_or_primitives().collect::<Vec<_>>(),
            )
            .finish_non_exhaustive()
    }
}

/// What is particular to a kind of shader. Enumerations are numbered as in `d3dcommon.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StageInfo {
    /// Of a vertex shader.
    Vertex {
        /// `SV_Position` is an output.
        output_position_present: bool,
    },
    /// Of a hull shader.
    Hull {
        /// Points of a patch that goes in.
        input_control_point_count: u32,
        /// Points of a patch that comes out.
        output_control_point_count: u32,
        /// `D3D_TESSELLATOR_DOMAIN`.
        tessellator_domain: u32,
        /// `D3D_TESSELLATOR_OUTPUT_PRIMITIVE`.
        tessellator_output_primitive: u32,
    },
    /// Of a domain shader.
    Domain {
        /// Points of a patch.
        input_control_point_count: u32,
        /// `SV_Position` is an output.
        output_position_present: bool,
        /// `D3D_TESSELLATOR_DOMAIN`.
        tessellator_domain: u32,
    },
    /// Of a geometry shader.
    Geometry {
        /// `D3D_PRIMITIVE`.
        input_primitive: u32,
        /// `D3D_PRIMITIVE_TOPOLOGY`.
        output_topology: u32,
        /// The streams that are written: bit 0 is stream 0.
        output_stream_mask: u32,
        /// `SV_Position` is an output.
        output_position_present: bool,
        /// Most vertices that an invocation writes, `[maxvertexcount]`.
        max_vertex_count: u16,
    },
    /// Of a pixel shader.
    Pixel {
        /// Depth is an output.
        depth_output: bool,
        /// The shader runs for each sample.
        sample_frequency: bool,
    },
    /// Of a mesh shader.
    Mesh {
        /// Bytes of group-shared memory.
        group_shared_bytes_used: u32,
        /// Bytes of it that depend on `SV_ViewID`.
        group_shared_bytes_dependent_on_view_id: u32,
        /// Bytes of the payload.
        payload_size_in_bytes: u32,
        /// Most vertices.
        max_output_vertices: u16,
        /// Most primitives.
        max_output_primitives: u16,
        /// `[outputtopology]`: 1 is lines, 2 triangles.
        output_topology: u8,
    },
    /// Of an amplification shader.
    Amplification {
        /// Bytes of the payload.
        payload_size_in_bytes: u32,
    },
}

impl StageInfo {
    fn read(stage: ShaderKind, info: &[u8]) -> Option<Self> {
        let at = |at| word(info, at);
        let is = |at| byte(info, at) != 0;
        let half = |at| u16::from_le_bytes([byte(info, at), byte(info, at + 1)]);
        Some(match stage {
            ShaderKind::Vertex => Self::Vertex {
                output_position_present: is(0x00),
            },
            ShaderKind::Hull => Self::Hull {
                input_control_point_count: at(0x00),
                output_control_point_count: at(0x04),
                tessellator_domain: at(0x08),
                tessellator_output_primitive: at(0x0c),
            },
            ShaderKind::Domain => Self::Domain {
                input_control_point_count: at(0x00),
                output_position_present: is(0x04),
                tessellator_domain: at(0x08),
            },
            ShaderKind::Geometry => Self::Geometry {
                input_primitive: at(0x00),
                output_topology: at(0x04),
                output_stream_mask: at(0x08),
                output_position_present: is(0x0c),
                max_vertex_count: half(MAX_VERTICES_OR_VECTORS),
            },
            ShaderKind::Pixel => Self::Pixel {
                depth_output: is(0x00),
                sample_frequency: is(0x01),
            },
            ShaderKind::Mesh => Self::Mesh {
                group_shared_bytes_used: at(0x00),
                group_shared_bytes_dependent_on_view_id: at(0x04),
                payload_size_in_bytes: at(0x08),
                max_output_vertices: half(0x0c),
                max_output_primitives: half(0x0e),
                output_topology: byte(info, MESH_TOPOLOGY),
            },
            ShaderKind::Amplification => Self::Amplification {
                payload_size_in_bytes: at(0x00),
            },
            _ => return None,
        })
    }
}

/// A resource that the shader uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    /// How it is bound and read.
    pub resource_type: ResourceType,
    /// The register space.
    pub space: u32,
    /// The first register.
    pub lower_bound: u32,
    /// The last register, itself included; `u32::MAX` where there is no end.
    pub upper_bound: u32,
    /// Its shape; from revision 2 on.
    pub kind: Option<ResourceKind>,
    /// What is special about it; from revision 2 on.
    pub flags: Option<ResourceFlags>,
}

number! {
    /// How a resource is bound and read (`PSVResourceType` of DirectXShaderCompiler).
    ResourceType {
        /// Nothing valid.
        INVALID = 0,
        /// Sampler.
        SAMPLER = 1,
        /// Constant buffer.
        CBV = 2,
        /// Texture or typed buffer.
        SRV_TYPED = 3,
        /// Buffer of bytes.
        SRV_RAW = 4,
        /// Buffer of structures.
        SRV_STRUCTURED = 5,
        /// Texture or typed buffer that is written.
        UAV_TYPED = 6,
        /// Buffer of bytes that is written.
        UAV_RAW = 7,
        /// Buffer of structures that is written.
        UAV_STRUCTURED = 8,
        /// Buffer of structures that is written and has a counter.
        UAV_STRUCTURED_WITH_COUNTER = 9,
    }
}

flags! {
    /// What is special about a resource (`PSVResourceFlag` of DirectXShaderCompiler).
    ResourceFlags: u32 {
        /// 64-bit atomics are used on it.
        USED_BY_ATOMIC_64 = 0x1,
    }
}

/// An input or output, with all of its rows.
#[derive(Debug, Clone, Copy)]
pub struct Element<'a> {
    /// The semantic name without index; empty for system values.
    pub semantic_name: &'a str,
    /// The semantic index of each row.
    pub semantic_indices: Numbers<'a>,
    /// The place of the first component in the registers; `None` if it is not in them.
    pub start: Option<Start>,
    /// Components of a row.
    pub columns: u8,
    /// What it means to the pipeline.
    pub semantic_kind: SemanticKind,
    /// The type of each component.
    pub component_type: ComponentType,
    /// How it is interpolated.
    pub interpolation_mode: InterpolationMode,
    /// The components that are indexed by something other than a constant.
    pub dynamic_index_mask: u8,
    /// The stream of a geometry shader's output, 0 to 3; else 0.
    pub output_stream: u8,
}

/// A place in the registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The register.
    pub row: u8,
    /// The component: 0 is x, 3 is w.
    pub column: u8,
}

number! {
    /// What an element means to the pipeline (`PSVSemanticKind` of DirectXShaderCompiler).
    SemanticKind {
        /// Nothing: the element is the shaders' own.
        ARBITRARY = 0,
        /// `SV_VertexID`.
        VERTEX_ID = 1,
        /// `SV_InstanceID`.
        INSTANCE_ID = 2,
        /// `SV_Position`.
        POSITION = 3,
        /// `SV_RenderTargetArrayIndex`.
        RENDER_TARGET_ARRAY_INDEX = 4,
        /// `SV_ViewportArrayIndex`.
        VIEWPORT_ARRAY_INDEX = 5,
        /// `SV_ClipDistance`.
        CLIP_DISTANCE = 6,
        /// `SV_CullDistance`.
        CULL_DISTANCE = 7,
        /// `SV_OutputControlPointID`.
        OUTPUT_CONTROL_POINT_ID = 8,
        /// `SV_DomainLocation`.
        DOMAIN_LOCATION = 9,
        /// `SV_PrimitiveID`.
        PRIMITIVE_ID = 10,
        /// `SV_GSInstanceID`.
        GS_INSTANCE_ID = 11,
        /// `SV_SampleIndex`.
        SAMPLE_INDEX = 12,
        /// `SV_IsFrontFace`.
        IS_FRONT_FACE = 13,
        /// `SV_Coverage`.
        COVERAGE = 14,
        /// `SV_InnerCoverage`.
        INNER_COVERAGE = 15,
        /// `SV_Target`.
        TARGET = 16,
        /// `SV_Depth`.
        DEPTH = 17,
        /// `SV_DepthLessEqual`.
        DEPTH_LESS_EQUAL = 18,
        /// `SV_DepthGreaterEqual`.
        DEPTH_GREATER_EQUAL = 19,
        /// `SV_StencilRef`.
        STENCIL_REF = 20,
        /// `SV_DispatchThreadID`.
        DISPATCH_THREAD_ID = 21,
        /// `SV_GroupID`.
        GROUP_ID = 22,
        /// `SV_GroupIndex`.
        GROUP_INDEX = 23,
        /// `SV_GroupThreadID`.
        GROUP_THREAD_ID = 24,
        /// `SV_TessFactor`.
        TESS_FACTOR = 25,
        /// `SV_InsideTessFactor`.
        INSIDE_TESS_FACTOR = 26,
        /// `SV_ViewID`.
        VIEW_ID = 27,
        /// `SV_Barycentrics`.
        BARYCENTRICS = 28,
        /// `SV_ShadingRate`.
        SHADING_RATE = 29,
        /// `SV_CullPrimitive`.
        CULL_PRIMITIVE = 30,
    }
}

number! {
    /// How an element is interpolated (`DXIL::InterpolationMode` of DirectXShaderCompiler).
    InterpolationMode {
        /// Not.
        UNDEFINED = 0,
        /// `nointerpolation`.
        CONSTANT = 1,
        /// `linear`.
        LINEAR = 2,
        /// `centroid`.
        LINEAR_CENTROID = 3,
        /// `noperspective`.
        LINEAR_NOPERSPECTIVE = 4,
        /// `noperspective centroid`.
        LINEAR_NOPERSPECTIVE_CENTROID = 5,
        /// `sample`.
        LINEAR_SAMPLE = 6,
        /// `noperspective sample`.
        LINEAR_NOPERSPECTIVE_SAMPLE = 7,
    }
}

/// A set of components of inputs or outputs: number `4 * register + component`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct ComponentMask<'a>(&'a [[u8; 4]]);

impl<'a> ComponentMask<'a> {
    /// Whether a component is in the set.
    pub fn contains(&self, component: usize) -> bool {
        let byte = self.0.as_flattened().get(component / 8);
        byte.is_some_and(|byte| byte >> (component % 8) & 1 != 0)
    }

    /// The components in the set, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<'a> {
        let mask = *self;
        (0..32 * mask.0.len()).filter(move |&component| mask.contains(component))
    }
}

impl fmt::Debug for ComponentMask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What depends on each of some components.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Dependencies<'a> {
    words: &'a [[u8; 4]],
    /// Words of a mask.
    width: usize,
}

impl<'a> Dependencies<'a> {
    /// For each component, in order, what depends on it; nothing if there is nothing that could.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ComponentMask<'a>> + use<'a> {
        self.words
            .chunks_exact(self.width.max(1))
            .map(ComponentMask)
    }
}

impl fmt::Debug for Dependencies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
