//! Signatures: what a shader takes in and puts out.

mod compare;

use std::fmt;

use crate::numbers::number;
use crate::read::{table, word_at};
use crate::{Error, ErrorKind};

const HEADER_LEN: usize = 8;

// Where the header's fields are.
const COUNT: usize = 0;
const ELEMENTS: usize = 4;

/// Words of an element.
const STRIDE: usize = 8;

/// Where an element's name offset is.
const NAME: usize = 4;

/// An unpacked element's register.
const NO_REGISTER: u32 = u32::MAX;

/// A signature: the payload of the parts `ISG1`, `OSG1` and `PSG1`.
///
/// Parsing checks that the elements and their names lie in the part, and takes time linear in its
/// length. What the elements say is not judged.
///
/// ```
/// use dxil::{Container, FourCc, SystemValue};
///
/// let shader = include_bytes!("../corpus/dxil/forward_lit_ps.dxil");
/// let outputs = Container::parse(shader)?.signature(FourCc::OSG1)?.unwrap();
/// for element in outputs.elements() {
///     assert_eq!(element.name(), b"SV_Target");
///     assert_eq!(element.system_value(), SystemValue::TARGET);
///     assert_eq!((element.register(), element.mask()), (Some(0), 0b1111));
/// }
/// # Ok::<(), dxil::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature<'a> {
    bytes: &'a [u8],
    elements: &'a [[[u8; 4]; STRIDE]],
}

impl<'a> Signature<'a> {
    /// Reads the payload of a signature part.
    ///
    /// # Errors
    ///
    /// The elements or one of their names are not inside `bytes`.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
            let available = bytes.len();
            return Err(ErrorKind::SignatureCut { available }.at(0));
        };
        let [count, offset] = [COUNT, ELEMENTS].map(|at| word_at(header, at));
        let Some(words) = table(bytes, offset, count, STRIDE) else {
            let kind = ErrorKind::SignatureElementsPastEnd {
                count,
                offset,
                signature: bytes.len(),
            };
            return Err(kind.at(COUNT));
        };
        let signature = Self {
            bytes,
            elements: words.as_chunks().0,
        };
        signature.check_names(offset as usize)?;
        Ok(signature)
    }

    /// Each name has an end. Looks for the last one only: elements may share names, so that
    /// looking for each name's own could take time quadratic in the length of the signature.
    fn check_names(&self, elements_at: usize) -> Result<(), Error> {
        let last_end = self.bytes.iter().rposition(|&byte| byte == 0);
        for (index, element) in self.elements().enumerate() {
            let offset = element.name_offset();
            let kind = if offset as usize >= self.bytes.len() {
                ErrorKind::SignatureNamePastEnd {
                    index,
                    offset,
                    signature: self.bytes.len(),
                }
            } else if last_end < Some(offset as usize) {
                ErrorKind::SignatureNameEndless { index, offset }
            } else {
                continue;
            };
            return Err(kind.at(elements_at + 4 * STRIDE * index + NAME));
        }
        Ok(())
    }

    /// The elements, in the order of the part. An element of several rows, such as an array, is
    /// here one for each row.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = SignatureElement<'a>> + use<'a> {
        let bytes = self.bytes;
        self.elements
            .iter()
            .map(move |words| SignatureElement { bytes, words })
    }
}

impl fmt::Debug for Signature<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.elements()).finish()
    }
}

/// An element of a signature: one row of an input or output.
#[derive(Clone, Copy)]
pub struct SignatureElement<'a> {
    bytes: &'a [u8],
    words: &'a [[u8; 4]; STRIDE],
}

impl<'a> SignatureElement<'a> {
    fn word(&self, index: usize) -> u32 {
        u32::from_le_bytes(self.words[index])
    }

    /// The stream of a geometry shader's output, 0 to 3; else 0.
    pub fn stream(&self) -> u32 {
        self.word(0)
    }

    fn name_offset(&self) -> u32 {
        self.word(1)
    }

    /// The semantic name without its index, such as `TEXCOORD`.
    pub fn name(&self) -> &'a [u8] {
        let from_start = self.bytes.get(self.name_offset() as usize..);
        from_start
            .and_then(|bytes| bytes.split(|&byte| byte == 0).next())
            .unwrap_or_default()
    }

    /// The semantic index, such as the 1 of `TEXCOORD1`.
    pub fn semantic_index(&self) -> u32 {
        self.word(2)
    }

    /// What the element means to the pipeline.
    pub fn system_value(&self) -> SystemValue {
        SystemValue(self.word(3))
    }

    /// The type of each component.
    pub fn component_type(&self) -> ComponentType {
        ComponentType(self.word(4))
    }

    /// The register; `None` where the element is not packed into one, as with depth outputs.
    pub fn register(&self) -> Option<u32> {
        Some(self.word(5)).filter(|&register| register != NO_REGISTER)
    }

    /// The components of the register that the element takes: bit 0 is x, bit 3 is w.
    pub fn mask(&self) -> u8 {
        self.words[6][0]
    }

    /// Of an input, the components that are always read (DXC leaves out some that are, such as a
    /// geometry shader's `SV_PrimitiveID`); of an output, those that are never written.
    pub fn rw_mask(&self) -> u8 {
        self.words[6][1]
    }

    /// The precision that is enough, where the source asked for less than the component type has.
    pub fn min_precision(&self) -> MinPrecision {
        MinPrecision(self.word(7))
    }
}

impl fmt::Debug for SignatureElement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignatureElement")
            .field("stream", &self.stream())
            .field("name", &format_args!("{}", self.name().escape_ascii()))
            .field("semantic_index", &self.semantic_index())
            .field("system_value", &self.system_value())
            .field("component_type", &self.component_type())
            .field("register", &self.register())
            .field("mask", &format_args!("{:#06b}", self.mask()))
            .field("rw_mask", &format_args!("{:#06b}", self.rw_mask()))
            .field("min_precision", &self.min_precision())
            .finish()
    }
}

number! {
    /// What an element of a signature means to the pipeline, in the numbering of `D3D_NAME`.
    SystemValue {
        /// Nothing: the element is the shaders' own.
        UNDEFINED = 0,
        /// `SV_Position`.
        POSITION = 1,
        /// `SV_ClipDistance`.
        CLIP_DISTANCE = 2,
        /// `SV_CullDistance`.
        CULL_DISTANCE = 3,
        /// `SV_RenderTargetArrayIndex`.
        RENDER_TARGET_ARRAY_INDEX = 4,
        /// `SV_ViewportArrayIndex`.
        VIEWPORT_ARRAY_INDEX = 5,
        /// `SV_VertexID`.
        VERTEX_ID = 6,
        /// `SV_PrimitiveID`.
        PRIMITIVE_ID = 7,
        /// `SV_InstanceID`.
        INSTANCE_ID = 8,
        /// `SV_IsFrontFace`.
        IS_FRONT_FACE = 9,
        /// `SV_SampleIndex`.
        SAMPLE_INDEX = 10,
        /// `SV_TessFactor` of a quad.
        FINAL_QUAD_EDGE_TESSFACTOR = 11,
        /// `SV_InsideTessFactor` of a quad.
        FINAL_QUAD_INSIDE_TESSFACTOR = 12,
        /// `SV_TessFactor` of a triangle.
        FINAL_TRI_EDGE_TESSFACTOR = 13,
        /// `SV_InsideTessFactor` of a triangle.
        FINAL_TRI_INSIDE_TESSFACTOR = 14,
        /// `SV_TessFactor` of an isoline: segments of each line.
        FINAL_LINE_DETAIL_TESSFACTOR = 15,
        /// `SV_TessFactor` of an isoline: number of lines.
        FINAL_LINE_DENSITY_TESSFACTOR = 16,
        /// `SV_Barycentrics`.
        BARYCENTRICS = 23,
        /// `SV_ShadingRate`.
        SHADINGRATE = 24,
        /// `SV_CullPrimitive`.
        CULLPRIMITIVE = 25,
        /// `SV_Target`.
        TARGET = 64,
        /// `SV_Depth`.
        DEPTH = 65,
        /// `SV_Coverage`.
        COVERAGE = 66,
        /// `SV_DepthGreaterEqual`.
        DEPTH_GREATER_EQUAL = 67,
        /// `SV_DepthLessEqual`.
        DEPTH_LESS_EQUAL = 68,
        /// `SV_StencilRef`.
        STENCIL_REF = 69,
        /// `SV_InnerCoverage`.
        INNER_COVERAGE = 70,
    }
}

number! {
    /// The type of a component, in the numbering of `D3D_REGISTER_COMPONENT_TYPE`.
    ComponentType {
        /// Not known.
        UNKNOWN = 0,
        /// Unsigned integer of 32 bits, also `bool`.
        UINT32 = 1,
        /// Signed integer of 32 bits.
        SINT32 = 2,
        /// Floating point of 32 bits.
        FLOAT32 = 3,
        /// Unsigned integer of 16 bits.
        UINT16 = 4,
        /// Signed integer of 16 bits.
        SINT16 = 5,
        /// Floating point of 16 bits.
        FLOAT16 = 6,
        /// Unsigned integer of 64 bits.
        UINT64 = 7,
        /// Signed integer of 64 bits.
        SINT64 = 8,
        /// Floating point of 64 bits.
        FLOAT64 = 9,
    }
}

number! {
    /// The precision that is enough for an element, in the numbering of `D3D_MIN_PRECISION`.
    MinPrecision {
        /// That of the component type.
        DEFAULT = 0,
        /// `min16float`.
        FLOAT_16 = 1,
        /// `min10float`.
        FLOAT_2_8 = 2,
        /// `min16int` and `min12int`.
        SINT_16 = 4,
        /// `min16uint`.
        UINT_16 = 5,
        /// Any type of 16 bits.
        ANY_16 = 0xf0,
        /// Any type of 10 bits.
        ANY_10 = 0xf1,
    }
}

#[cfg(test)]
mod tests {
    use super::{ComponentType, MinPrecision, Signature, SystemValue};
    use crate::ErrorKind;

    /// Two elements and their names, 84 bytes; fields of the first at byte 8, of the second at 40.
    fn two() -> Vec<u8> {
        let words: [u32; 18] = [
            2, 8, // header
            1, 72, 4, 0, 6, 2, 0x0c03, 1, // stream 1, AB, index 4
            0, 75, 0, 65, 3, !0, 0x0e01, 0xf2, // SV_Depth, not packed
        ];
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.extend(b"AB\0SV_Depth\0");
        bytes
    }

    #[test]
    fn fields() {
        let bytes = two();
        let signature = Signature::parse(&bytes).unwrap();
        let [a, b] = signature.elements().collect::<Vec<_>>()[..] else {
            panic!("{signature:?}")
        };
        assert_eq!(
            (a.stream(), a.name(), a.semantic_index()),
            (1, &b"AB"[..], 4)
        );
        assert_eq!(a.system_value(), SystemValue::UNDEFINED);
        assert_eq!(a.component_type(), ComponentType::FLOAT16);
        assert_eq!(
            (a.register(), a.mask(), a.rw_mask()),
            (Some(2), 0b0011, 0b1100)
        );
        assert_eq!(a.min_precision(), MinPrecision::FLOAT_16);
        assert_eq!(
            (b.stream(), b.name(), b.semantic_index()),
            (0, &b"SV_Depth"[..], 0)
        );
        assert_eq!(b.system_value(), SystemValue::DEPTH);
        assert_eq!(
            (b.register(), b.mask(), b.rw_mask()),
            (None, 0b0001, 0b1110)
        );
        assert_eq!(b.min_precision(), MinPrecision(0xf2));
        assert_eq!(
            format!("{a:?}"),
            "SignatureElement { stream: 1, name: AB, semantic_index: 4, system_value: UNDEFINED, \
             component_type: FLOAT16, register: Some(2), mask: 0b0011, rw_mask: 0b1100, \
             min_precision: FLOAT_16 }"
        );
    }

    #[test]
    fn elements_may_come_behind_the_names() {
        let mut bytes = two();
        let elements = bytes[8..72].to_vec();
        bytes.extend(elements);
        bytes[4] = 84;
        assert_eq!(Signature::parse(&bytes).unwrap().elements().len(), 2);
    }

    #[test]
    fn a_name_may_be_empty() {
        let mut bytes = two();
        bytes[44] = 83;
        let signature = Signature::parse(&bytes).unwrap();
        assert_eq!(signature.elements().last().unwrap().name(), b"");
    }

    #[test]
    fn no_elements_are_nowhere() {
        let bytes = [[0; 4], [0xff; 4]].concat();
        assert_eq!(Signature::parse(&bytes).unwrap().elements().len(), 0);
    }

    /// One field wrong at a time, at the edge of what is allowed.
    #[test]
    fn each_field_is_checked() {
        use ErrorKind as E;
        let past_end = |count, offset| E::SignatureElementsPastEnd {
            count,
            offset,
            signature: 84,
        };
        let name_past_end = |index, offset| E::SignatureNamePastEnd {
            index,
            offset,
            signature: 84,
        };
        let cases = [
            (0, 3, past_end(3, 8), 0),
            (0, 0x0800_0001, past_end(0x0800_0001, 8), 0),
            (4, 21, past_end(2, 21), 0),
            (4, 85, past_end(2, 85), 0),
            (12, 84, name_past_end(0, 84), 12),
            (44, 0xffff_ffff, name_past_end(1, 0xffff_ffff), 44),
        ];
        for (at, value, kind, offset) in cases {
            let mut bytes = two();
            bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
            assert_eq!(
                Signature::parse(&bytes),
                Err(kind.at(offset)),
                "{value:#x} at {at}"
            );
        }
        let mut bytes = two();
        bytes[83] = b'!';
        let index = 1;
        assert_eq!(
            Signature::parse(&bytes),
            Err(E::SignatureNameEndless { index, offset: 75 }.at(44))
        );
        assert_eq!(
            Signature::parse(&bytes[..7]),
            Err(E::SignatureCut { available: 7 }.at(0))
        );
    }

    /// Elements may share a name. Looking for its end once for each would take minutes here.
    #[test]
    fn many_elements_with_one_long_name_parse_in_reasonable_time() {
        let count = 200_000_u32;
        let name_at = 8 + 32 * count;
        let mut bytes = [count, 8].map(u32::to_le_bytes).concat();
        for _ in 0..count {
            bytes.extend(
                [0, name_at, 0, 0, 0, 0, 0, 0]
                    .map(u32::to_le_bytes)
                    .concat(),
            );
        }
        bytes.resize(bytes.len() + 6_400_000, b'A');
        bytes.push(0);
        let signature = Signature::parse(&bytes).unwrap();
        assert_eq!(signature.elements().len(), 200_000);
        assert_eq!(signature.elements().last().unwrap().name().len(), 6_400_000);
    }
}
