//! One walk through a description, for every use of its fields: keys, reports, dumps.

use ddi_sys::{
    BOOL, D3D10_SB_NAME, D3D10_SB_REGISTER_COMPONENT_TYPE, D3D11_SB_OPERAND_MIN_PRECISION,
    D3D12DDI_BLEND, D3D12DDI_BLEND_OP, D3D12DDI_COMPARISON_FUNC,
    D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE, D3D12DDI_CREATE_SHADER_FLAGS, D3D12DDI_CULL_MODE,
    D3D12DDI_DEPTH_WRITE_MASK, D3D12DDI_DESCRIPTOR_RANGE_FLAGS, D3D12DDI_DESCRIPTOR_RANGE_TYPE,
    D3D12DDI_EXPORT_FLAGS, D3D12DDI_EXPORT_SUMMARY_FLAGS, D3D12DDI_FILL_MODE, D3D12DDI_FILTER,
    D3D12DDI_HIT_GROUP_TYPE, D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12DDI_INPUT_CLASSIFICATION,
    D3D12DDI_LINE_RASTERIZATION_MODE, D3D12DDI_LOGIC_OP, D3D12DDI_NODE_IO_FLAGS_0108,
    D3D12DDI_NODE_IO_KIND_0108, D3D12DDI_NODE_PROPERTIES_TYPE_0108, D3D12DDI_NODE_TYPE_0108,
    D3D12DDI_PIPELINE_STATE_FLAGS, D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12DDI_RAYTRACING_PIPELINE_FLAGS, D3D12DDI_ROOT_DESCRIPTOR_FLAGS,
    D3D12DDI_ROOT_PARAMETER_TYPE, D3D12DDI_ROOT_SIGNATURE_FLAGS, D3D12DDI_ROOT_SIGNATURE_VERSION,
    D3D12DDI_SAMPLER_FLAGS_0096, D3D12DDI_SHADER_VISIBILITY, D3D12DDI_STATE_OBJECT_FLAGS,
    D3D12DDI_STATE_OBJECT_TYPE, D3D12DDI_STATE_SUBOBJECT_TYPE, D3D12DDI_STATIC_BORDER_COLOR,
    D3D12DDI_STENCIL_OP, D3D12DDI_TEXTURE_ADDRESS_MODE, D3D12DDI_VIEW_INSTANCING_FLAGS,
    D3D12DDI_WORK_GRAPH_FLAGS_0108, DXGI_FORMAT, Enumeration, Flags,
};
use widestring::U16Str;

use super::ShaderCode;

/// The value of one field.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Field<'a> {
    /// A number.
    Unsigned(u64),
    /// A number with a fraction.
    Float(f32),
    /// A BOOL; anything but 0 is true.
    Bool(bool),
    /// An enumerator, with its C name if it has one.
    Enumeration {
        /// The value.
        value: i32,
        /// The enumerator's C name.
        name: Option<&'static str>,
    },
    /// Flags.
    Flags {
        /// All bits.
        bits: i32,
        /// The bits that have no name.
        unknown: i32,
    },
    /// A name.
    Text(&'a U16Str),
    /// Shader code.
    Bytecode(ShaderCode<'a>),
    /// Something optional that is not there.
    Absent,
}

/// Takes the fields of a description, in a fixed order.
pub trait Fields {
    /// One field, under its C name.
    fn field(&mut self, name: &'static str, value: Field<'_>);
    /// Fields that belong together; `index` counts the elements of an array.
    fn group(&mut self, name: &'static str, index: Option<usize>, content: &dyn Describe);
}

/// A description that can be walked through, field by field. Object handles, library references,
/// cache hashes and node masks are not among the fields: they say where something is, not what.
pub trait Describe {
    /// Hands every field to `to`.
    fn describe(&self, to: &mut dyn Fields);
}

/// A value whose enumeration has no name for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    /// The path to the field, such as `BlendState.RenderTarget[2].SrcBlend`.
    pub path: String,
    /// The value, or the unknown bits of flags.
    pub value: i32,
}

/// The enumerators and flags of a description that the DDI does not define: newer than this SDK, or
/// a mistake of the host. A compiler refuses what it would have to understand, and no more: a blend
/// factor means nothing while blending is off, so a whole description can hold unknown values and be
/// valid.
pub fn unknown_values(description: &dyn Describe) -> Vec<UnknownValue> {
    #[derive(Default)]
    struct Search {
        path: Vec<String>,
        found: Vec<UnknownValue>,
    }
    impl Fields for Search {
        fn field(&mut self, name: &'static str, value: Field<'_>) {
            let value = match value {
                Field::Enumeration { value, name: None } => value,
                Field::Flags { unknown, .. } if unknown != 0 => unknown,
                _ => return,
            };
            let mut path = self.path.join(".");
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
            self.found.push(UnknownValue { path, value });
        }

        fn group(&mut self, name: &'static str, index: Option<usize>, content: &dyn Describe) {
            let index = index.map_or_else(String::new, |i| format!("[{i}]"));
            self.path.push(format!("{name}{index}"));
            content.describe(self);
            self.path.pop();
        }
    }
    let mut search = Search::default();
    description.describe(&mut search);
    search.found
}

/// How a C type appears as a field.
pub(super) trait AsField {
    fn as_field(&self) -> Field<'_>;
}

macro_rules! unsigned {
    ($($type:ty),*) => {
        $(impl AsField for $type {
            fn as_field(&self) -> Field<'_> {
                Field::Unsigned((*self).into())
            }
        })*
    };
}
unsigned!(u8, u16, u32, u64);

impl AsField for f32 {
    fn as_field(&self) -> Field<'_> {
        Field::Float(*self)
    }
}

/// The DDI's descriptions have no signed numbers: 32 signed bits are a BOOL.
impl AsField for BOOL {
    fn as_field(&self) -> Field<'_> {
        Field::Bool(*self != 0)
    }
}

macro_rules! enumerations {
    ($($type:ident),* $(,)?) => {
        $(impl AsField for $type {
            fn as_field(&self) -> Field<'_> {
                Field::Enumeration { value: self.value(), name: Enumeration::name(*self) }
            }
        })*
    };
}
enumerations!(
    D3D10_SB_NAME,
    D3D10_SB_REGISTER_COMPONENT_TYPE,
    D3D11_SB_OPERAND_MIN_PRECISION,
    D3D12DDI_BLEND,
    D3D12DDI_BLEND_OP,
    D3D12DDI_COMPARISON_FUNC,
    D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE,
    D3D12DDI_CULL_MODE,
    D3D12DDI_DEPTH_WRITE_MASK,
    D3D12DDI_DESCRIPTOR_RANGE_TYPE,
    D3D12DDI_FILL_MODE,
    D3D12DDI_FILTER,
    D3D12DDI_HIT_GROUP_TYPE,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    D3D12DDI_INPUT_CLASSIFICATION,
    D3D12DDI_LINE_RASTERIZATION_MODE,
    D3D12DDI_LOGIC_OP,
    D3D12DDI_NODE_IO_KIND_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_0108,
    D3D12DDI_NODE_TYPE_0108,
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE,
    D3D12DDI_ROOT_PARAMETER_TYPE,
    D3D12DDI_ROOT_SIGNATURE_VERSION,
    D3D12DDI_SHADER_VISIBILITY,
    D3D12DDI_STATE_OBJECT_TYPE,
    D3D12DDI_STATE_SUBOBJECT_TYPE,
    D3D12DDI_STATIC_BORDER_COLOR,
    D3D12DDI_STENCIL_OP,
    D3D12DDI_TEXTURE_ADDRESS_MODE,
    DXGI_FORMAT,
);

macro_rules! flags {
    ($($type:ident),* $(,)?) => {
        $(impl AsField for $type {
            fn as_field(&self) -> Field<'_> {
                Field::Flags { bits: self.value(), unknown: self.value() & !<$type as Flags>::KNOWN }
            }
        })*
    };
}
flags!(
    D3D12DDI_CREATE_SHADER_FLAGS,
    D3D12DDI_DESCRIPTOR_RANGE_FLAGS,
    D3D12DDI_EXPORT_FLAGS,
    D3D12DDI_EXPORT_SUMMARY_FLAGS,
    D3D12DDI_NODE_IO_FLAGS_0108,
    D3D12DDI_PIPELINE_STATE_FLAGS,
    D3D12DDI_RAYTRACING_PIPELINE_FLAGS,
    D3D12DDI_ROOT_DESCRIPTOR_FLAGS,
    D3D12DDI_ROOT_SIGNATURE_FLAGS,
    D3D12DDI_SAMPLER_FLAGS_0096,
    D3D12DDI_STATE_OBJECT_FLAGS,
    D3D12DDI_VIEW_INSTANCING_FLAGS,
    D3D12DDI_WORK_GRAPH_FLAGS_0108,
);

impl AsField for U16Str {
    fn as_field(&self) -> Field<'_> {
        Field::Text(self)
    }
}

impl AsField for Option<&U16Str> {
    fn as_field(&self) -> Field<'_> {
        self.map_or(Field::Absent, Field::Text)
    }
}

impl AsField for Option<u32> {
    fn as_field(&self) -> Field<'_> {
        self.map_or(Field::Absent, |value| Field::Unsigned(value.into()))
    }
}

/// Hands the named members of a structure over as fields.
macro_rules! fields {
    ($to:expr, $structure:expr, $($member:ident),* $(,)?) => {{
        $($to.field(
            stringify!($member),
            crate::desc::fields::AsField::as_field(&$structure.$member),
        );)*
    }};
}
pub(super) use fields;

/// Hands every element of an array over as a group, and first how many there are.
pub(super) fn each<T: Describe>(to: &mut dyn Fields, name: &'static str, items: &[T]) {
    to.field(name, Field::Unsigned(items.len() as u64));
    for (index, item) in items.iter().enumerate() {
        to.group(name, Some(index), item);
    }
}

/// Hands something optional over.
pub(super) fn optional(to: &mut dyn Fields, name: &'static str, item: Option<&dyn Describe>) {
    match item {
        Some(item) => to.group(name, None, item),
        None => to.field(name, Field::Absent),
    }
}
