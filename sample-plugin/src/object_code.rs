//! Object code: what a driver of Fabrikam would load.
//!
//! It is a function of what was compiled, of the instruction set and of the ABI version. Names of
//! applications, versions of compilers and profiles, and times are not in it: they are in the
//! metadata, so that object code of two compilers can be compared byte by byte.
//!
//! # Layout
//! Little-endian, without padding. A *list* is a 64-bit count and as many records.
//!
//! | offset | bytes | member |
//! |---|---|---|
//! | 0 | 4 | `FBOC` |
//! | 4 | 4 | container version, 2 |
//! | 8 | 8 | size of the container in bytes |
//! | 16 | 8 | ABI version |
//! | 24 | 4 | instruction set: 30 Aurora, 21 Borealis, 14 Cirrus |
//! | 28 | 4 | kind of content: 1 program, 2 root signature, 3 link, 4 specialization |
//! | 32 | | content |
//!
//! A [`Program`] is one shader, or a library of them:
//!
//! | bytes | member |
//! |---|---|
//! | 4 | kind of shader, as in DXIL's program version |
//! | 4 | shader model: major << 16, minor |
//! | 4 | switches: 1 unfused multiply-add, 2 zeroed group-shared memory, 4 unoptimized, 8 tracing |
//! | 8 | shader flags of the module |
//! | list of 84 | [entry points](EntryPoint) |
//! | list of 44 | [attributes](Attribute) of the entry points |
//! | list of 24 | input [elements](Element) |
//! | list of 24 | output elements |
//! | list of 24 | patch-constant elements, or those of a mesh shader's primitives |
//! | list of 60 | [resources](Resource), and where they are bound |
//! | list of 56 | static [samplers](Sampler) that they are bound to |
//! | list of 8 | [literals](Literal) that are left open; a program that has some is a *template* |
//! | the rest | instructions |
//!
//! A [`Specialization`] gives the literals of a template their values; [`ObjectCode::specialize`] puts
//! the two together:
//!
//! | bytes | member |
//! |---|---|
//! | 4 | kind of shader |
//! | 32 | key of the template |
//! | list of 8 | values, in the order of the template's literals |
//!
//! A [`RootLayout`] tells the driver where root arguments go:
//!
//! | bytes | member |
//! |---|---|
//! | 4 | D3D12DDI_ROOT_SIGNATURE_FLAGS |
//! | 4 | size of all root arguments in 32-bit words |
//! | list of 36 | arguments |
//! | list of 56 | static samplers |
//!
//! A [`Link`] puts values together:
//!
//! | bytes | member |
//! |---|---|
//! | 4 | [kind](LinkKind) |
//! | list of 36 | [parts](Part): role (0 to 15 program of that kind of shader or specialization of one, 16 root signature, 17 link) and key |
//! | list of 4 | state, in the order of its description |

use std::borrow::Cow;

use dxil::{ShaderKind, Version};

const MAGIC: &[u8; 4] = b"FBOC";
const VERSION: u32 = 2;

/// Object code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectCode<'a> {
    /// Instruction set.
    pub isa: u32,
    /// ABI version.
    pub abi_version: u64,
    /// What is in it.
    pub content: Content<'a>,
}

/// The content of object code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// A shader, or a library of shaders.
    Program(Program<'a>),
    /// A root signature.
    RootSignature(Cow<'a, RootLayout>),
    /// What puts other values together.
    Link(Cow<'a, Link>),
    /// The values that a template lacks.
    Specialization(Cow<'a, Specialization>),
}

/// A shader, or a library of shaders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<'a> {
    /// Kind of shader.
    pub kind: ShaderKind,
    /// Shader model; each half fits 16 bits.
    pub shader_model: Version,
    /// Switches of code generation.
    pub switches: u32,
    /// What it exchanges with other stages and with the driver.
    pub interface: Cow<'a, Interface>,
    /// The literals among its instructions that have no value yet, by offset. Where there are any, the
    /// program is a template, and only [`ObjectCode::specialize`] makes code of it that can run.
    pub literals: Vec<Literal>,
    /// Instructions.
    pub instructions: Cow<'a, [u8]>,
}

/// The values of a template's literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// Kind of shader.
    pub kind: ShaderKind,
    /// Key of the template.
    pub template: [u8; 32],
    /// As many as the template has literals, in their order; each in as many low bits as its literal
    /// has.
    pub values: Vec<u64>,
}

/// What a program exchanges with other stages and with the driver.
///
/// Entry points, attributes and resources are what the module's metadata says; inputs, outputs and
/// patch constants are the arrays of the DDI, which come with a pipeline's shaders only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Shader flags of the module.
    pub flags: u64,
    /// Entry points: one, or those of a library.
    pub entry_points: Vec<EntryPoint>,
    /// What the entry points take in and put out, with what the DDI's arrays do not say.
    pub attributes: Vec<Attribute>,
    /// Inputs.
    pub inputs: Vec<Element>,
    /// Outputs; of a mesh shader those of vertices.
    pub outputs: Vec<Element>,
    /// Patch constants; of a mesh shader outputs of primitives.
    pub patch_constants: Vec<Element>,
    /// What it binds. Functions of a library find their root arguments when they are linked.
    pub resources: Vec<Resource>,
    /// The static samplers that resources are bound to.
    pub samplers: Vec<Sampler>,
}

/// Where root arguments go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootLayout {
    /// D3D12DDI_ROOT_SIGNATURE_FLAGS.
    pub flags: u32,
    /// Size of all root arguments in 32-bit words.
    pub size: u32,
    /// Each constant, descriptor, and range of a table.
    pub arguments: Vec<Argument>,
    /// Static samplers.
    pub samplers: Vec<Sampler>,
}

/// What puts other values together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it makes of them.
    pub kind: LinkKind,
    /// The other values.
    pub parts: Vec<Part>,
    /// State that is no value of its own.
    pub state: Vec<u32>,
}

/// A value that a link refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub role: Role,
    /// Its key.
    pub key: [u8; 32],
}

/// What a part of a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A program.
    Program(ShaderKind),
    /// A root signature.
    RootSignature,
    /// Another link.
    Link,
}

impl Role {
    fn number(self) -> u32 {
        match self {
            Self::Program(kind) => kind as u32,
            Self::RootSignature => 16,
            Self::Link => 17,
        }
    }

    fn from_number(number: u32) -> Result<Self, ObjectCodeError> {
        match number {
            16 => Ok(Self::RootSignature),
            17 => Ok(Self::Link),
            kind => shader_kind(kind).map(Self::Program),
        }
    }
}

/// What a link makes of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// 0: a graphics pipeline.
    Graphics,
    /// 1: a compute pipeline.
    Compute,
    /// 2: a hit group.
    HitGroup,
    /// 3: a work graph.
    WorkGraph,
    /// 4: a generic program.
    GenericProgram,
    /// 5: a state object, or an addition to one.
    StateObject,
}

impl LinkKind {
    /// Every kind; the place is the number.
    pub const ALL: [Self; 6] = [
        Self::Graphics,
        Self::Compute,
        Self::HitGroup,
        Self::WorkGraph,
        Self::GenericProgram,
        Self::StateObject,
    ];
}

/// Declares a record of 32-bit words.
macro_rules! record {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $member:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* pub $member: u32,)*
        }

        impl Record for $name {
            const LEN: usize = 4 * [$(stringify!($member)),*].len();

            fn write(&self, to: &mut Vec<u8>) {
                $(self.$member.write(to);)*
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, ObjectCodeError> {
                Ok(Self { $($member: from.word()?,)* })
            }
        }
    };
}

record! {
    /// An element of a signature: the members of D3D12DDIARG_SIGNATURE_ENTRY_0012.
    Element {
        /// SystemValue.
        system_value,
        /// Register.
        register,
        /// Mask.
        mask,
        /// Stream.
        stream,
        /// RegisterComponentType.
        component_type,
        /// MinPrecision.
        min_precision,
    }
}

record! {
    /// A function that the driver can start.
    EntryPoint {
        /// Hash of the name, as in the state of links; without mangling.
        name_low,
        /// The other half.
        name_high,
        /// Kind of shader.
        kind,
        /// `numthreads`; 0 where there is none.
        threads_x,
        /// See `threads_x`.
        threads_y,
        /// See `threads_x`.
        threads_z,
        /// The fewest lanes of a wave; 0 for any.
        wave_min,
        /// The most.
        wave_max,
        /// The best; 0 for any.
        wave_preferred,
        /// Bytes of the payload: of a ray, or of mesh and amplification shaders.
        payload,
        /// Bytes of hit attributes.
        hit_attributes,
        /// Of geometry, domain and hull shaders: D3D_PRIMITIVE that comes in, or number of control points.
        input,
        /// Of geometry and mesh shaders the most vertices, of hull shaders the control points.
        output,
        /// Of mesh shaders the most primitives.
        primitives,
        /// What comes out: D3D_PRIMITIVE_TOPOLOGY, D3D_TESSELLATOR_OUTPUT_PRIMITIVE, or of mesh
        /// shaders 1 lines, 2 triangles.
        topology,
        /// Of geometry shaders the streams that are written to, one bit each.
        streams,
        /// Of geometry shaders the number of instances.
        instances,
        /// D3D_TESSELLATOR_DOMAIN.
        domain,
        /// D3D_TESSELLATOR_PARTITIONING.
        partitioning,
        /// Bits of a float: `maxtessfactor`.
        max_factor,
        /// How a node is launched: 1 broadcasting, 2 coalescing, 3 thread; 0 for no node.
        launch,
    }
}

record! {
    /// An element of an entry point's signature, in the numbers of DXIL. 0xFFFFFFFF and 0xFF are the
    /// row and column of what is in no register.
    Attribute {
        /// The place of the entry point.
        entry_point,
        /// 0 input, 1 output, 2 patch constant or output of a primitive.
        direction,
        /// What it means, in the numbering of `DXIL::SemanticKind`.
        semantic,
        /// Type of a component.
        component_type,
        /// How it is interpolated.
        interpolation,
        /// How many rows.
        rows,
        /// How many components.
        columns,
        /// The first row.
        start_row,
        /// The first component.
        start_column,
        /// Stream of a geometry shader.
        stream,
        /// The semantic index of the first row, by which arbitrary elements of a stage are told apart.
        semantic_index,
    }
}

record! {
    /// A resource of a program, and where it is bound.
    Resource {
        /// 0 SRV, 1 UAV, 2 CBV, 3 sampler.
        class,
        /// Its number in its class, by which instructions name it.
        id,
        /// Its shape, in the numbering of `DXIL::ResourceKind`.
        kind,
        /// Register space.
        space,
        /// The first shader register.
        register,
        /// Number of shader registers, 0xFFFFFFFF for no end.
        count,
        /// Type of a component of textures and typed buffers, else 0.
        element,
        /// Bytes of a constant buffer, or of an element of a structured buffer.
        size,
        /// 1 globally coherent, 2 counter, 4 rasterizer-ordered, 8 64-bit atomics.
        flags,
        /// Samples of a multisampled SRV, kind of a sampler.
        variant,
        /// What is in its place: 0 the constants, 1 an address of 64 bits, 2 the address of a table, 3
        /// nothing yet, 4 a static sampler.
        access,
        /// The hardware's register; from 0x80000000 on, the 32-bit word in memory. Of a static sampler
        /// its place among the samplers.
        place,
        /// Descriptors from the start of the table.
        offset,
        /// D3D12DDI_DESCRIPTOR_RANGE_FLAGS or D3D12DDI_ROOT_DESCRIPTOR_FLAGS of the root argument.
        descriptor_flags,
        /// Number of 32-bit constants, where it is bound to constants.
        constants,
    }
}

record! {
    /// A literal among the instructions, little-endian: 4 bytes, or 8 if it has 64 bits.
    Literal {
        /// Bytes from the start of the instructions.
        offset,
        /// How many bits of it are the value: 16, 32 or 64.
        bits,
    }
}

record! {
    /// Where code finds what is bound to shader registers.
    Argument {
        /// 0 SRV, 1 UAV, 2 CBV, 3 sampler, 4 constants.
        class,
        /// D3D12DDI_SHADER_VISIBILITY.
        visibility,
        /// Register space.
        space,
        /// The first shader register.
        register,
        /// Number of shader registers, 0xFFFFFFFF for no end; of constants, number of 32-bit words.
        count,
        /// D3D12DDI_DESCRIPTOR_RANGE_FLAGS or D3D12DDI_ROOT_DESCRIPTOR_FLAGS.
        flags,
        /// What is in its place: 0 the constants, 1 an address of 64 bits, 2 the address of a table.
        access,
        /// The hardware's register; from 0x80000000 on, the 32-bit word in memory.
        place,
        /// Descriptors from the start of the table.
        offset,
    }
}

record! {
    /// A static sampler, without the members that do not matter to its filter and address modes.
    Sampler {
        /// D3D12DDI_SHADER_VISIBILITY.
        visibility,
        /// Register space.
        space,
        /// Shader register.
        register,
        /// D3D12DDI_FILTER.
        filter,
        /// D3D12DDI_TEXTURE_ADDRESS_MODE.
        address_u,
        /// D3D12DDI_TEXTURE_ADDRESS_MODE.
        address_v,
        /// D3D12DDI_TEXTURE_ADDRESS_MODE.
        address_w,
        /// Bits of a float.
        mip_lod_bias,
        /// 0 unless the filter is anisotropic.
        max_anisotropy,
        /// D3D12DDI_COMPARISON_FUNC; 0 unless the filter compares.
        comparison,
        /// D3D12DDI_STATIC_BORDER_COLOR; 0 unless an address mode has a border.
        border_color,
        /// Bits of a float.
        min_lod,
        /// Bits of a float.
        max_lod,
        /// D3D12DDI_SAMPLER_FLAGS_0096.
        flags,
    }
}

/// Why bytes are no object code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectCodeError {
    /// The magic is another.
    #[error("not object code: it does not start with FBOC")]
    Magic,
    /// Another container version.
    #[error("container version {0}, this reader knows {VERSION}")]
    Version(u32),
    /// The size is not that of the bytes.
    #[error("the container states {stated} bytes, there are {available}")]
    Size {
        /// What the header says.
        stated: u64,
        /// Length of the input.
        available: usize,
    },
    /// A number that stands for nothing.
    #[error("{what} {number} is unknown")]
    Unknown {
        /// What it is the number of.
        what: &'static str,
        /// The number.
        number: u32,
    },
    /// The content goes on past the end.
    #[error("the content is cut at its end, byte {end}")]
    Cut {
        /// Length of the container.
        end: usize,
    },
    /// The content ends before the end.
    #[error("{left} bytes are left after the content")]
    Trailing {
        /// How many.
        left: usize,
    },
}

/// Why a specialization does not fit a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecializationError {
    /// The object code is no program of that kind with open literals.
    #[error("the object code is no template of that kind of shader")]
    NoTemplate,
    /// There are more or fewer values than literals.
    #[error("{values} values for {literals} literals")]
    Count {
        /// Of the template.
        literals: usize,
        /// Of the specialization.
        values: usize,
    },
    /// A value has more bits than its literal.
    #[error("value {index}, {value:#x}, has more bits than the literal")]
    Value {
        /// Its place.
        index: usize,
        /// The value.
        value: u64,
    },
    /// A literal is outside of the instructions.
    #[error("literal {index} is outside of the instructions")]
    Offset {
        /// Its place.
        index: usize,
    },
}

impl<'a> ObjectCode<'a> {
    /// Reads object code.
    ///
    /// # Errors
    ///
    /// When `bytes` are not exactly one container of this layout.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ObjectCodeError> {
        if !bytes.starts_with(MAGIC) {
            return Err(ObjectCodeError::Magic);
        }
        let mut from = Reader {
            bytes,
            at: MAGIC.len(),
        };
        let version = from.word()?;
        if version != VERSION {
            return Err(ObjectCodeError::Version(version));
        }
        let stated = from.long()?;
        if stated != bytes.len() as u64 {
            let available = bytes.len();
            return Err(ObjectCodeError::Size { stated, available });
        }
        let abi_version = from.long()?;
        let isa = from.word()?;
        let content = match from.word()? {
            1 => Content::Program(Program::read(&mut from)?),
            2 => Content::RootSignature(Cow::Owned(RootLayout {
                flags: from.word()?,
                size: from.word()?,
                arguments: from.list()?,
                samplers: from.list()?,
            })),
            3 => Content::Link(Cow::Owned(Link {
                kind: numbered("link kind", &LinkKind::ALL, from.word()?)?,
                parts: from.list()?,
                state: from.list()?,
            })),
            4 => Content::Specialization(Cow::Owned(Specialization {
                kind: shader_kind(from.word()?)?,
                template: from.bytes()?,
                values: from.list()?,
            })),
            number => {
                let what = "kind of content";
                return Err(ObjectCodeError::Unknown { what, number });
            }
        };
        match from.rest().len() {
            0 => Ok(Self {
                isa,
                abi_version,
                content,
            }),
            left => Err(ObjectCodeError::Trailing { left }),
        }
    }

    /// Writes the container.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Vec::with_capacity(match &self.content {
            Content::Program(program) => program.instructions.len() + 1024,
            _ => 1024,
        });
        to.extend_from_slice(MAGIC);
        VERSION.write(&mut to);
        0u64.write(&mut to);
        self.abi_version.write(&mut to);
        self.isa.write(&mut to);
        match &self.content {
            Content::Program(program) => {
                1u32.write(&mut to);
                program.write(&mut to);
            }
            Content::RootSignature(layout) => {
                2u32.write(&mut to);
                layout.write(&mut to);
            }
            Content::Link(link) => {
                3u32.write(&mut to);
                (link.kind as u32).write(&mut to);
                list(&mut to, &link.parts);
                list(&mut to, &link.state);
            }
            Content::Specialization(specialization) => {
                4u32.write(&mut to);
                (specialization.kind as u32).write(&mut to);
                to.extend_from_slice(&specialization.template);
                list(&mut to, &specialization.values);
            }
        }
        let size = to.len() as u64;
        to[8..16].copy_from_slice(&size.to_le_bytes());
        to
    }

    /// The code of a template whose literals have the values of a specialization: what compiling the
    /// specialized shader in full would give. The caller has found the template by the
    /// [key](Specialization::template) that the specialization states.
    ///
    /// # Errors
    ///
    /// When `self` is no template, or the values are not those of its literals. Of damaged object code
    /// also when a literal is outside of the instructions.
    pub fn specialize(
        &self,
        specialization: &Specialization,
    ) -> Result<ObjectCode<'a>, SpecializationError> {
        let Content::Program(template) = &self.content else {
            return Err(SpecializationError::NoTemplate);
        };
        let (literals, values) = (&template.literals, &specialization.values);
        if literals.is_empty() || template.kind != specialization.kind {
            return Err(SpecializationError::NoTemplate);
        }
        if literals.len() != values.len() {
            return Err(SpecializationError::Count {
                literals: literals.len(),
                values: values.len(),
            });
        }
        let mut instructions = template.instructions.to_vec();
        for (index, (literal, &value)) in literals.iter().zip(values).enumerate() {
            let fits = value.checked_shr(literal.bits).is_none_or(|rest| rest == 0);
            let place = usize::try_from(literal.offset)
                .ok()
                .and_then(|offset| instructions.get_mut(offset..)?.get_mut(..literal.len()));
            match place {
                Some(place) if fits => place.copy_from_slice(&value.to_le_bytes()[..literal.len()]),
                Some(_) => return Err(SpecializationError::Value { index, value }),
                None => return Err(SpecializationError::Offset { index }),
            }
        }
        Ok(ObjectCode {
            content: Content::Program(Program {
                literals: Vec::new(),
                instructions: instructions.into(),
                ..template.clone()
            }),
            ..*self
        })
    }
}

impl Literal {
    /// How many bytes it takes among the instructions.
    pub(crate) fn len(self) -> usize {
        if self.bits > 32 { 8 } else { 4 }
    }
}

impl<'a> Program<'a> {
    fn read(from: &mut Reader<'a>) -> Result<Self, ObjectCodeError> {
        let kind = shader_kind(from.word()?)?;
        let model = from.word()?;
        Ok(Self {
            kind,
            shader_model: Version {
                major: model >> 16,
                minor: model & 0xFFFF,
            },
            switches: from.word()?,
            interface: Cow::Owned(Interface {
                flags: from.long()?,
                entry_points: from.list()?,
                attributes: from.list()?,
                inputs: from.list()?,
                outputs: from.list()?,
                patch_constants: from.list()?,
                resources: from.list()?,
                samplers: from.list()?,
            }),
            literals: from.list()?,
            instructions: from.rest().into(),
        })
    }

    fn write(&self, to: &mut Vec<u8>) {
        (self.kind as u32).write(to);
        (self.shader_model.major << 16 | self.shader_model.minor & 0xFFFF).write(to);
        self.switches.write(to);
        self.interface.write(to);
        list(to, &self.literals);
        to.extend_from_slice(&self.instructions);
    }
}

impl Interface {
    /// As object code has it.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        self.flags.write(to);
        list(to, &self.entry_points);
        list(to, &self.attributes);
        list(to, &self.inputs);
        list(to, &self.outputs);
        list(to, &self.patch_constants);
        list(to, &self.resources);
        list(to, &self.samplers);
    }
}

impl RootLayout {
    /// As object code has it.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        self.flags.write(to);
        self.size.write(to);
        list(to, &self.arguments);
        list(to, &self.samplers);
    }
}

fn list<T: Record>(to: &mut Vec<u8>, records: &[T]) {
    (records.len() as u64).write(to);
    for record in records {
        record.write(to);
    }
}

/// Something of a fixed length.
trait Record: Sized {
    const LEN: usize;
    fn write(&self, to: &mut Vec<u8>);
    fn read(from: &mut Reader<'_>) -> Result<Self, ObjectCodeError>;
}

impl Record for u32 {
    const LEN: usize = 4;

    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_le_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ObjectCodeError> {
        from.word()
    }
}

impl Record for u64 {
    const LEN: usize = 8;

    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_le_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ObjectCodeError> {
        from.long()
    }
}

impl Record for Part {
    const LEN: usize = 36;

    fn write(&self, to: &mut Vec<u8>) {
        self.role.number().write(to);
        to.extend_from_slice(&self.key);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ObjectCodeError> {
        Ok(Self {
            role: Role::from_number(from.word()?)?,
            key: from.bytes()?,
        })
    }
}

fn shader_kind(number: u32) -> Result<ShaderKind, ObjectCodeError> {
    numbered("kind of shader", &ShaderKind::ALL, number)
}

fn numbered<T: Copy>(what: &'static str, all: &[T], number: u32) -> Result<T, ObjectCodeError> {
    all.get(number as usize)
        .copied()
        .ok_or(ObjectCodeError::Unknown { what, number })
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], ObjectCodeError> {
        let cut = ObjectCodeError::Cut {
            end: self.bytes.len(),
        };
        let found = self.bytes[self.at..].first_chunk().ok_or(cut)?;
        self.at += N;
        Ok(*found)
    }

    fn word(&mut self) -> Result<u32, ObjectCodeError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn long(&mut self) -> Result<u64, ObjectCodeError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    fn list<T: Record>(&mut self) -> Result<Vec<T>, ObjectCodeError> {
        let count = self.long()?;
        // Checked before anything is allocated.
        if count > ((self.bytes.len() - self.at) / T::LEN) as u64 {
            return Err(ObjectCodeError::Cut {
                end: self.bytes.len(),
            });
        }
        (0..count).map(|_| T::read(self)).collect()
    }

    fn rest(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        self.at = self.bytes.len();
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER_LEN: usize = 32;

    /// A list of records of arbitrary words.
    fn records<T: Record + std::fmt::Debug>() -> impl Strategy<Value = Vec<T>> {
        let record = prop::collection::vec(any::<u8>(), T::LEN);
        let record = record.prop_map(|bytes| {
            T::read(&mut Reader {
                bytes: &bytes,
                at: 0,
            })
            .unwrap()
        });
        prop::collection::vec(record, 0..4)
    }

    fn program() -> impl Strategy<Value = Content<'static>> {
        let module = (any::<u64>(), records(), records(), records());
        let interface = (module, records(), records(), records(), records()).prop_map(
            |(
                (flags, entry_points, attributes, resources),
                inputs,
                outputs,
                patch_constants,
                samplers,
            )| {
                Interface {
                    flags,
                    entry_points,
                    attributes,
                    inputs,
                    outputs,
                    patch_constants,
                    resources,
                    samplers,
                }
            },
        );
        let head = (
            prop::sample::select(ShaderKind::ALL.to_vec()),
            any::<[u16; 2]>(),
            any::<u32>(),
        );
        let code = prop::collection::vec(any::<u8>(), 0..64);
        (head, interface, records(), code).prop_map(
            |((kind, [major, minor], switches), interface, literals, code)| {
                Content::Program(Program {
                    kind,
                    shader_model: Version {
                        major: major.into(),
                        minor: minor.into(),
                    },
                    switches,
                    interface: Cow::Owned(interface),
                    literals,
                    instructions: code.into(),
                })
            },
        )
    }

    fn root_layout() -> impl Strategy<Value = Content<'static>> {
        (any::<u32>(), any::<u32>(), records(), records()).prop_map(
            |(flags, size, arguments, samplers)| {
                Content::RootSignature(Cow::Owned(RootLayout {
                    flags,
                    size,
                    arguments,
                    samplers,
                }))
            },
        )
    }

    fn link() -> impl Strategy<Value = Content<'static>> {
        let role = prop_oneof![
            prop::sample::select(ShaderKind::ALL.to_vec()).prop_map(Role::Program),
            Just(Role::RootSignature),
            Just(Role::Link),
        ];
        let part = (role, any::<[u8; 32]>()).prop_map(|(role, key)| Part { role, key });
        let kind = prop::sample::select(LinkKind::ALL.to_vec());
        (kind, prop::collection::vec(part, 0..4), records())
            .prop_map(|(kind, parts, state)| Content::Link(Cow::Owned(Link { kind, parts, state })))
    }

    fn specialization() -> impl Strategy<Value = Content<'static>> {
        let kind = prop::sample::select(ShaderKind::ALL.to_vec());
        (kind, any::<[u8; 32]>(), records()).prop_map(|(kind, template, values)| {
            Content::Specialization(Cow::Owned(Specialization {
                kind,
                template,
                values,
            }))
        })
    }

    fn object_code() -> impl Strategy<Value = ObjectCode<'static>> {
        let content = prop_oneof![program(), root_layout(), link(), specialization()];
        (any::<u32>(), any::<u64>(), content).prop_map(|(isa, abi_version, content)| ObjectCode {
            isa,
            abi_version,
            content,
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(code in object_code()) {
            let bytes = code.to_bytes();
            prop_assert_eq!(ObjectCode::parse(&bytes), Ok(code));
        }

        /// Also the size field is true, so that what follows is reached.
        #[test]
        fn garbage_is_refused_or_read_and_never_panics(
            code in object_code(),
            cut in any::<prop::sample::Index>(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        ) {
            let mut bytes = code.to_bytes();
            for (at, value) in changes {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            bytes.truncate(cut.index(bytes.len()) + 1);
            let _ = ObjectCode::parse(&bytes);
            if bytes.len() >= HEADER_LEN {
                let size = bytes.len() as u64;
                bytes[8..16].copy_from_slice(&size.to_le_bytes());
                if let Ok(read) = ObjectCode::parse(&bytes) {
                    prop_assert_eq!(read.to_bytes(), bytes);
                }
            }
        }
    }

    #[test]
    fn each_fault_has_its_error() {
        let code = ObjectCode {
            isa: 30,
            abi_version: 3,
            content: Content::RootSignature(Cow::Owned(RootLayout::default())),
        };
        let good = code.to_bytes();
        assert_eq!(good.len(), HEADER_LEN + 24);
        let with = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            ObjectCode::parse(&bytes).unwrap_err()
        };
        assert_eq!(with(0, b'f'), ObjectCodeError::Magic);
        assert_eq!(with(4, 1), ObjectCodeError::Version(1));
        let size = ObjectCodeError::Size {
            stated: 55,
            available: 56,
        };
        assert_eq!(with(8, 55), size);
        let unknown = |what, number| ObjectCodeError::Unknown { what, number };
        assert_eq!(with(28, 5), unknown("kind of content", 5));
        assert_eq!(with(28, 1), ObjectCodeError::Cut { end: 56 });
        assert_eq!(with(47, 0xFF), ObjectCodeError::Cut { end: 56 });
        let mut long = good.clone();
        long.push(0);
        long[8] = 57;
        assert_eq!(
            ObjectCode::parse(&long),
            Err(ObjectCodeError::Trailing { left: 1 })
        );
    }

    fn template(literals: &[(u32, u32)], instructions: usize) -> ObjectCode<'static> {
        let literals = literals
            .iter()
            .map(|&(offset, bits)| Literal { offset, bits });
        ObjectCode {
            isa: 30,
            abi_version: 3,
            content: Content::Program(Program {
                kind: ShaderKind::Pixel,
                shader_model: Version { major: 6, minor: 0 },
                switches: 0,
                interface: Cow::Owned(Interface::default()),
                literals: literals.collect(),
                instructions: vec![0x11; instructions].into(),
            }),
        }
    }

    fn values(values: &[u64]) -> Specialization {
        Specialization {
            kind: ShaderKind::Pixel,
            template: [0; 32],
            values: values.to_vec(),
        }
    }

    #[test]
    fn values_are_written_to_their_literals_and_nowhere_else() {
        let template = template(&[(0, 16), (6, 32), (12, 64)], 21);
        let values = values(&[0x1234, u32::MAX.into(), u64::MAX - 1]);
        let Content::Program(program) = template.specialize(&values).unwrap().content else {
            unreachable!("a program was specialized")
        };
        let mut expected = vec![0x11; 21];
        expected[..4].copy_from_slice(&[0x34, 0x12, 0, 0]);
        expected[6..10].fill(0xFF);
        expected[12..20].fill(0xFF);
        expected[12] = 0xFE;
        assert_eq!(*program.instructions, expected);
        assert!(program.literals.is_empty());
    }

    #[test]
    fn a_specialization_that_does_not_fit_is_refused() {
        let good = template(&[(4, 32)], 8);
        let refused = |code: &ObjectCode<'_>, values| code.specialize(&values).unwrap_err();
        let no_template = SpecializationError::NoTemplate;
        assert_eq!(refused(&template(&[], 8), values(&[])), no_template);
        let other = Specialization {
            kind: ShaderKind::Vertex,
            ..values(&[1])
        };
        assert_eq!(refused(&good, other), no_template);
        let root = ObjectCode {
            content: Content::RootSignature(Cow::Owned(RootLayout::default())),
            ..good.clone()
        };
        assert_eq!(refused(&root, values(&[1])), no_template);
        let count = SpecializationError::Count {
            literals: 1,
            values: 2,
        };
        assert_eq!(refused(&good, values(&[1, 2])), count);
        let value = 1 << 32;
        let too_big = SpecializationError::Value { index: 0, value };
        assert_eq!(refused(&good, values(&[value])), too_big);
        for (offset, bits) in [(5, 32), (1, 64), (u32::MAX, 16)] {
            let damaged = template(&[(offset, bits)], 8);
            let outside = SpecializationError::Offset { index: 0 };
            assert_eq!(refused(&damaged, values(&[1])), outside);
        }
    }
}
