//! The `!dx.` metadata: what a program takes in, puts out and binds.
//!
//! Its form is that of `DxilMetadataHelper.h` of DirectXShaderCompiler.

use super::graph::{Metadata, Node};
use super::walk::Walk;
use crate::numbers::number;
use crate::psv0::{InterpolationMode, SemanticKind};
use crate::rdat::{NodeIoFlags, NodeLaunch, ResourceFlags};
use crate::{Error, ErrorKind, Program, ResourceClass, ResourceKind, ShaderKind, Version};

/// A function that the API starts, or in a library any that it can name.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryPoint {
    /// The name. In a library it is the name in the module, mangled if the function's is.
    pub name: String,
    /// The place in [`Module::functions`](crate::Module::functions).
    pub function: Option<usize>,
    /// The kind of shader.
    pub kind: ShaderKind,
    /// The input signature.
    pub inputs: Vec<SignatureEntry>,
    /// The output signature.
    pub outputs: Vec<SignatureEntry>,
    /// The patch-constant signature of hull and domain shaders, the per-primitive one of mesh
    /// shaders.
    pub patch_or_primitive: Vec<SignatureEntry>,
    /// `numthreads`.
    pub thread_group: Option<[u32; 3]>,
    /// `WaveSize`.
    pub wave_size: Option<WaveSize>,
    /// What only this kind of shader of the pipeline has.
    pub stage: Stage,
    /// What shaders that are called for a ray have.
    pub ray: Option<RaySizes>,
    /// What nodes of a work graph have.
    pub node: Option<Box<NodeAttributes>>,
}

/// `WaveSize`: how many lanes a wave may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaveSize {
    /// The fewest.
    pub min: u32,
    /// The most; equal to `min` where there is only one size.
    pub max: u32,
    /// The best, or 0.
    pub preferred: u32,
}

/// What only one kind of shader of the pipeline has. Numbers are those of D3D12 where no other source is named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stage {
    /// Geometry shader.
    Geometry {
        /// `D3D_PRIMITIVE` of the input.
        input_primitive: u32,
        /// `maxvertexcount`.
        max_vertices: u32,
        /// The streams that are written to, one bit each.
        streams: u32,
        /// `D3D_PRIMITIVE_TOPOLOGY` of the output.
        topology: u32,
        /// `instance`.
        instances: u32,
    },
    /// Domain shader.
    Domain {
        /// `D3D_TESSELLATOR_DOMAIN`.
        domain: u32,
        /// Control points that come in.
        input_points: u32,
    },
    /// Hull shader.
    Hull {
        /// The patch-constant function: its place in
        /// [`Module::functions`](crate::Module::functions).
        patch_function: Option<usize>,
        /// Control points that come in.
        input_points: u32,
        /// Control points that go out.
        output_points: u32,
        /// `D3D_TESSELLATOR_DOMAIN`.
        domain: u32,
        /// `D3D_TESSELLATOR_PARTITIONING`.
        partitioning: u32,
        /// `D3D_TESSELLATOR_OUTPUT_PRIMITIVE`.
        output_primitive: u32,
        /// `maxtessfactor`.
        max_factor: f32,
    },
    /// Mesh shader.
    Mesh {
        /// The most vertices.
        max_vertices: u32,
        /// The most primitives.
        max_primitives: u32,
        /// 1 for lines, 2 for triangles.
        topology: u32,
        /// Bytes of the payload that comes in.
        payload: u32,
    },
    /// Amplification shader.
    Amplification {
        /// Bytes of the payload that goes out.
        payload: u32,
    },
    /// The other kinds of shader.
    Other,
}

/// How many bytes the shaders of a ray pass on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RaySizes {
    /// The payload; for callable shaders, the parameter.
    pub payload: u32,
    /// The hit attributes.
    pub attributes: u32,
}

/// What is said of a node of a work graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeAttributes {
    /// `NodeLaunch`.
    pub launch: NodeLaunch,
    /// Whether work can enter the graph here.
    pub is_program_entry: bool,
    /// The node's id.
    pub id: Option<NodeId>,
    /// Place among the local root arguments; -1 as 0xffffffff for none.
    pub local_root_arguments: u32,
    /// `NodeShareInputOf`.
    pub shares_input_of: Option<NodeId>,
    /// `NodeDispatchGrid`.
    pub dispatch_grid: Option<[u32; 3]>,
    /// `NodeMaxDispatchGrid`.
    pub max_dispatch_grid: Option<[u32; 3]>,
    /// `NodeMaxRecursionDepth`.
    pub max_recursion: u32,
    /// What comes in.
    pub inputs: Vec<NodeIo>,
    /// Where records go.
    pub outputs: Vec<NodeIo>,
}

/// The id of a node: a name and a place in an array of nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct NodeId {
    /// The name.
    pub name: String,
    /// The place in the array.
    pub index: u32,
}

/// An input or output of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeIo {
    /// What it is.
    pub flags: NodeIoFlags,
    /// The node that an output goes to.
    pub node: Option<NodeId>,
    /// Bytes of a record.
    pub record_size: u32,
    /// Alignment of a record, in bytes; 0 where it is not said.
    pub record_alignment: u32,
    /// The member `SV_DispatchGrid` of the record: offset in bytes, type, number of components.
    pub dispatch_grid: Option<(u32, ElementType, u32)>,
    /// `MaxRecords`.
    pub max_records: u32,
    /// `MaxRecordsSharedWith`: the place of the other output.
    pub shares_records_with: Option<u32>,
    /// `NodeArraySize`; 0xffffffff for unbounded.
    pub array_size: u32,
    /// `AllowSparseNodes`.
    pub allows_sparse: bool,
}

/// A resource that a program binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// How it is bound.
    pub class: ResourceClass,
    /// Its number in its class, by which the instructions name it.
    pub id: u32,
    /// The name. DXC leaves it to reflection, except in libraries.
    pub name: String,
    /// The register space.
    pub space: u32,
    /// The first register.
    pub lower_bound: u32,
    /// How many registers; 0xffffffff for unbounded.
    pub range_size: u32,
    /// The shape.
    pub kind: ResourceKind,
    /// Type of a component, of textures and typed buffers.
    pub element: Option<ElementType>,
    /// Bytes of an element of structured buffers.
    pub stride: Option<u32>,
    /// Samples of multisampled SRVs; 0 where it is not said.
    pub samples: u32,
    /// Bytes of a constant buffer.
    pub size: u32,
    /// Whether a constant buffer contains an array. Beside a matrix, an array of up to four vectors
    /// does not count: DXC writes matrices so.
    pub has_array: bool,
    /// Kind of a sampler: 0 default, 1 comparison, 2 mono.
    pub sampler: u32,
    /// What is special about a UAV.
    pub flags: ResourceFlags,
}

/// An element of a signature, as the metadata has it: rows are together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureEntry {
    /// Its number in the signature, by which the instructions name it.
    pub id: u32,
    /// The semantic name, without the index.
    pub name: String,
    /// What the name means.
    pub semantic: SemanticKind,
    /// The semantic index of each row.
    pub indices: Vec<u32>,
    /// Type of a component.
    pub ty: ElementType,
    /// How it is interpolated.
    pub interpolation: InterpolationMode,
    /// How many rows.
    pub rows: u32,
    /// How many components in a row.
    pub columns: u32,
    /// The first row; 0xffffffff where it is not in a register.
    pub start_row: u32,
    /// The first component; 0xff where it is not in a register.
    pub start_column: u32,
    /// The stream of geometry shaders that it goes to.
    pub stream: u32,
    /// The components, from the element's first on, that are read or written.
    pub usage_mask: u32,
    /// The components, from the element's first on, that are indexed by something other than a
    /// constant.
    pub dynamic_index_mask: u32,
}

number! {
    /// Type of a component (`DXIL::ComponentType` of DirectXShaderCompiler).
    ElementType {
        /// Boolean.
        I1 = 1,
        /// Signed, 16 bits.
        I16 = 2,
        /// Unsigned, 16 bits.
        U16 = 3,
        /// Signed, 32 bits.
        I32 = 4,
        /// Unsigned, 32 bits.
        U32 = 5,
        /// Signed, 64 bits.
        I64 = 6,
        /// Unsigned, 64 bits.
        U64 = 7,
        /// binary16.
        F16 = 8,
        /// binary32.
        F32 = 9,
        /// binary64.
        F64 = 10,
        /// Normalized, signed, read as binary16.
        SNORM_F16 = 11,
        /// Normalized, unsigned, read as binary16.
        UNORM_F16 = 12,
        /// Normalized, signed, read as binary32.
        SNORM_F32 = 13,
        /// Normalized, unsigned, read as binary32.
        UNORM_F32 = 14,
        /// Normalized, signed, read as binary64.
        SNORM_F64 = 15,
        /// Normalized, unsigned, read as binary64.
        UNORM_F64 = 16,
        /// Four signed bytes.
        PACKED_S8X32 = 17,
        /// Four unsigned bytes.
        PACKED_U8X32 = 18,
    }
}

// Tags of entry points' properties.
const FLAGS: u32 = 0;
const GEOMETRY: u32 = 1;
const DOMAIN: u32 = 2;
const HULL: u32 = 3;
const THREAD_GROUP: u32 = 4;
const RAY_PAYLOAD: u32 = 6;
const RAY_ATTRIBUTES: u32 = 7;
const KIND: u32 = 8;
const MESH: u32 = 9;
const AMPLIFICATION: u32 = 10;
const WAVE_SIZE: u32 = 11;
const NODE_LAUNCH: u32 = 13;
const NODE_IS_PROGRAM_ENTRY: u32 = 14;
const NODE_ID: u32 = 15;
const NODE_LOCAL_ROOT_ARGUMENTS: u32 = 16;
const NODE_SHARES_INPUT: u32 = 17;
const NODE_DISPATCH_GRID: u32 = 18;
const NODE_MAX_RECURSION: u32 = 19;
const NODE_INPUTS: u32 = 20;
const NODE_OUTPUTS: u32 = 21;
const NODE_MAX_DISPATCH_GRID: u32 = 22;
const WAVE_SIZE_RANGE: u32 = 23;

/// What the `!dx.` metadata says.
#[derive(Debug)]
pub(super) struct Interface {
    pub(super) profile: Option<(String, Version)>,
    pub(super) dxil_version: Option<Version>,
    pub(super) validator_version: Option<Version>,
    pub(super) flags: u64,
    pub(super) view_id_state: Vec<u32>,
    pub(super) entry_points: Vec<EntryPoint>,
    pub(super) resources: Vec<Resource>,
}

impl Interface {
    pub(super) fn read(walk: &Walk, program: &Program<'_>) -> Result<Self, Error> {
        let metadata = Metadata {
            graph: &walk.graph,
            values: &walk.values,
            constants: &walk.constants,
        };
        let limit = 32 * program.bitcode().len();
        let mut reader = Reader { limit, left: limit };
        let first = |name| metadata.named(name).next().transpose();
        let mut interface = Self {
            profile: None,
            dxil_version: None,
            validator_version: None,
            flags: 0,
            view_id_state: Vec::new(),
            entry_points: Vec::new(),
            resources: Vec::new(),
        };
        if let Some(node) = first("dx.version")? {
            interface.dxil_version = Some(version(node, 0)?);
        }
        if let Some(node) = first("dx.valver")? {
            interface.validator_version = Some(version(node, 0)?);
        }
        if let Some(node) = first("dx.shaderModel")? {
            let name = node.string(0, "the short name of a profile")?;
            interface.profile = Some((name, version(node, 1)?));
        }
        if let Some(lists) = first("dx.resources")? {
            for (index, class) in (0..).zip(CLASSES) {
                let Some(list) = lists.node(index, "a list of resources")? else {
                    continue;
                };
                let resources = reader.list(list, "a resource", |reader, node| {
                    reader.resource(class, node, walk)
                })?;
                interface.resources.extend(resources);
            }
        }
        if let Some(node) = first("dx.viewIdState")? {
            interface.view_id_state = node.sequence(0, "an array of integers")?;
        }
        for (place, node) in metadata.named("dx.entryPoints").enumerate() {
            let node = node?;
            let properties = node.node(4, "properties of an entry point")?;
            reader.count(1 + properties.map_or(0, Node::len))?;
            if let (0, Some(node)) = (place, properties) {
                for tag in node.tags(TAG) {
                    let (tag, value) = tag?;
                    if tag == FLAGS {
                        interface.flags = node.long(value, "shader flags")?;
                    }
                }
            }
            // The first one of a library stands for the library itself.
            let is_library = program.kind() == ShaderKind::Library;
            if is_library && node.is_null(0) {
                continue;
            }
            let kind = program.kind();
            interface
                .entry_points
                .push(reader.entry_point(kind, node, properties)?);
        }
        Ok(interface)
    }
}

/// The order of the lists in `!dx.resources`.
const CLASSES: [ResourceClass; 4] = [
    ResourceClass::SRV,
    ResourceClass::UAV,
    ResourceClass::CBV,
    ResourceClass::SAMPLER,
];

// What belongs in several places, for errors.
const TAG: &str = "a tag";
const INTEGER: &str = "an integer";
const NAME: &str = "a name";

fn version(node: Node<'_>, index: usize) -> Result<Version, Error> {
    Ok(Version {
        major: node.int(index, "a major version")?,
        minor: node.int(index + 1, "a minor version")?,
    })
}

/// Nodes can be used many times, so what is read is counted: operands that are looked at, and bytes of
/// what is made of them.
struct Reader {
    limit: usize,
    left: usize,
}

impl Reader {
    fn count(&mut self, length: usize) -> Result<(), Error> {
        let limit = self.limit;
        let too_long = ErrorKind::MetadataTooLong { limit };
        self.left = self.left.checked_sub(length).ok_or(too_long.at(0))?;
        Ok(())
    }

    /// What the nodes of a list say.
    fn list<'a, T>(
        &mut self,
        list: Node<'a>,
        expected: &'static str,
        read: impl Fn(&mut Self, Node<'a>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        self.count(list.len())?;
        let nodes = list.nodes(expected);
        nodes
            .map(|node| {
                self.count(size_of::<T>())?;
                read(self, node?)
            })
            .collect()
    }

    fn name(&mut self, node: Node<'_>, index: usize) -> Result<String, Error> {
        self.count(1 + node.string_len(index))?;
        node.string(index, NAME)
    }

    fn entry_point(
        &mut self,
        kind: ShaderKind,
        node: Node<'_>,
        properties: Option<Node<'_>>,
    ) -> Result<EntryPoint, Error> {
        self.count(size_of::<EntryPoint>())?;
        let mut entry = EntryPoint {
            name: self.name(node, 1)?,
            function: node.function(0),
            kind,
            inputs: Vec::new(),
            outputs: Vec::new(),
            patch_or_primitive: Vec::new(),
            thread_group: None,
            wave_size: None,
            stage: Stage::Other,
            ray: None,
            node: None,
        };
        if let Some(signatures) = node.node(2, "signatures")? {
            entry.inputs = self.signature(signatures, 0)?;
            entry.outputs = self.signature(signatures, 1)?;
            entry.patch_or_primitive = self.signature(signatures, 2)?;
        }
        if let Some(node) = properties {
            for tag in node.tags(TAG) {
                let (tag, value) = tag?;
                self.count(1)?;
                self.property(&mut entry, tag, node, value)?;
            }
        }
        Ok(entry)
    }

    /// What the property `tag` says, which stands at `value` in `node`.
    fn property(
        &mut self,
        entry: &mut EntryPoint,
        tag: u32,
        node: Node<'_>,
        value: usize,
    ) -> Result<(), Error> {
        let state = || {
            let state = node.node(value, "a list")?;
            state.ok_or_else(|| node.error("a list"))
        };
        let group = |node: Node<'_>| {
            let group = node.node(0, THREADS)?;
            group.ok_or_else(|| node.error(THREADS))?.ints(THREADS)
        };
        match tag {
            GEOMETRY => {
                let [input_primitive, max_vertices, streams, topology, instances] =
                    state()?.ints("the five properties of a geometry shader")?;
                entry.stage = Stage::Geometry {
                    input_primitive,
                    max_vertices,
                    streams,
                    topology,
                    instances,
                };
            }
            DOMAIN => {
                let [domain, input_points] =
                    state()?.ints("the two properties of a domain shader")?;
                entry.stage = Stage::Domain {
                    domain,
                    input_points,
                };
            }
            HULL => {
                let hull = state()?;
                let int = |index| hull.int(index, "a property of a hull shader");
                entry.stage = Stage::Hull {
                    patch_function: hull.function(0),
                    input_points: int(1)?,
                    output_points: int(2)?,
                    domain: int(3)?,
                    partitioning: int(4)?,
                    output_primitive: int(5)?,
                    max_factor: f32::from_bits(int(6)?),
                };
            }
            MESH => {
                let mesh = state()?;
                let int = |index| mesh.int(index, "a property of a mesh shader");
                entry.thread_group = Some(group(mesh)?);
                entry.stage = Stage::Mesh {
                    max_vertices: int(1)?,
                    max_primitives: int(2)?,
                    topology: int(3)?,
                    payload: int(4)?,
                };
            }
            AMPLIFICATION => {
                let amplification = state()?;
                entry.thread_group = Some(group(amplification)?);
                entry.stage = Stage::Amplification {
                    payload: amplification.int(1, "the size of a payload")?,
                };
            }
            RAY_PAYLOAD => {
                entry.ray.get_or_insert_default().payload =
                    node.int(value, "the size of a payload")?;
            }
            RAY_ATTRIBUTES => {
                entry.ray.get_or_insert_default().attributes =
                    node.int(value, "the size of attributes")?;
            }
            KIND => {
                let kind = ShaderKind::ALL.get(node.int(value, KIND_NAME)? as usize);
                entry.kind = *kind.ok_or_else(|| node.error(KIND_NAME))?;
            }
            THREAD_GROUP => entry.thread_group = Some(state()?.ints(THREADS)?),
            WAVE_SIZE => {
                let [size] = state()?.ints("a wave size")?;
                entry.wave_size = Some(WaveSize {
                    min: size,
                    max: size,
                    preferred: size,
                });
            }
            WAVE_SIZE_RANGE => {
                let [min, max, preferred] = state()?.ints("a range of wave sizes")?;
                entry.wave_size = Some(WaveSize {
                    min,
                    max,
                    preferred,
                });
            }
            NODE_LAUNCH => {
                entry.node.get_or_insert_default().launch = NodeLaunch(node.int(value, INTEGER)?);
            }
            NODE_IS_PROGRAM_ENTRY => {
                entry.node.get_or_insert_default().is_program_entry =
                    node.int(value, INTEGER)? != 0;
            }
            NODE_ID => entry.node.get_or_insert_default().id = Some(self.node_id(state()?)?),
            NODE_LOCAL_ROOT_ARGUMENTS => {
                entry.node.get_or_insert_default().local_root_arguments =
                    node.int(value, INTEGER)?;
            }
            NODE_SHARES_INPUT => {
                entry.node.get_or_insert_default().shares_input_of = Some(self.node_id(state()?)?);
            }
            NODE_DISPATCH_GRID => {
                entry.node.get_or_insert_default().dispatch_grid = Some(state()?.ints(GRID)?);
            }
            NODE_MAX_DISPATCH_GRID => {
                entry.node.get_or_insert_default().max_dispatch_grid = Some(state()?.ints(GRID)?);
            }
            NODE_MAX_RECURSION => {
                entry.node.get_or_insert_default().max_recursion = node.int(value, INTEGER)?;
            }
            NODE_INPUTS => entry.node.get_or_insert_default().inputs = self.node_ios(state()?)?,
            NODE_OUTPUTS => entry.node.get_or_insert_default().outputs = self.node_ios(state()?)?,
            // Those that say nothing about compiling, and those that are newer.
            _ => {}
        }
        Ok(())
    }

    fn node_id(&mut self, node: Node<'_>) -> Result<NodeId, Error> {
        Ok(NodeId {
            name: self.name(node, 0)?,
            index: node.int(1, INTEGER)?,
        })
    }

    fn node_ios(&mut self, list: Node<'_>) -> Result<Vec<NodeIo>, Error> {
        self.list(list, "an input or output of a node", Self::node_io)
    }

    fn node_io(&mut self, node: Node<'_>) -> Result<NodeIo, Error> {
        self.count(node.len())?;
        let mut io = NodeIo::default();
        for tag in node.tags(TAG) {
            let (tag, value) = tag?;
            let list = || {
                let list = node.node(value, "a list")?;
                list.ok_or_else(|| node.error("a list"))
            };
            match tag {
                0 => io.node = Some(self.node_id(list()?)?),
                1 => io.flags = NodeIoFlags(node.int(value, INTEGER)?),
                2 => {
                    let record = list()?;
                    self.count(record.len())?;
                    for tag in record.tags(TAG) {
                        let (tag, value) = tag?;
                        match tag {
                            0 => io.record_size = record.int(value, INTEGER)?,
                            1 => {
                                let grid = record.node(value, GRID)?;
                                let grid = grid.ok_or_else(|| record.error(GRID))?;
                                let [offset, ty, components] = grid.ints(GRID)?;
                                io.dispatch_grid = Some((offset, ElementType(ty), components));
                            }
                            2 => io.record_alignment = record.int(value, INTEGER)?,
                            _ => {}
                        }
                    }
                }
                3 => io.max_records = node.int(value, INTEGER)?,
                4 => io.shares_records_with = Some(node.int(value, INTEGER)?),
                5 => io.array_size = node.int(value, INTEGER)?,
                6 => io.allows_sparse = node.int(value, INTEGER)? != 0,
                _ => {}
            }
        }
        Ok(io)
    }

    fn resource(
        &mut self,
        class: ResourceClass,
        node: Node<'_>,
        walk: &Walk,
    ) -> Result<Resource, Error> {
        let int = |index| node.int(index, "a number of a resource");
        let mut resource = Resource {
            class,
            id: int(0)?,
            name: self.name(node, 2)?,
            space: int(3)?,
            lower_bound: int(4)?,
            range_size: int(5)?,
            kind: ResourceKind(0),
            element: None,
            stride: None,
            samples: 0,
            size: 0,
            has_array: false,
            sampler: 0,
            flags: ResourceFlags::NONE,
        };
        let tags = match class {
            ResourceClass::CBV => {
                resource.kind = ResourceKind::CONSTANT_BUFFER;
                resource.size = int(6)?;
                let pointer = node.value_type(1);
                resource.has_array =
                    pointer.is_some_and(|pointer| walk.has_array(pointer, resource.size));
                7
            }
            ResourceClass::SAMPLER => {
                resource.kind = ResourceKind::SAMPLER;
                resource.sampler = int(6)?;
                7
            }
            ResourceClass::SRV => {
                resource.kind = ResourceKind(int(6)?);
                resource.samples = int(7)?;
                8
            }
            _ => {
                resource.kind = ResourceKind(int(6)?);
                for (index, flag) in [
                    (7, ResourceFlags::UAV_GLOBALLY_COHERENT),
                    (8, ResourceFlags::UAV_COUNTER),
                    (9, ResourceFlags::UAV_RASTERIZER_ORDERED_VIEW),
                ] {
                    if int(index)? != 0 {
                        resource.flags = resource.flags | flag;
                    }
                }
                10
            }
        };
        if let Some(tags) = node.node(tags, "tags of a resource")? {
            self.count(tags.len())?;
            for tag in tags.tags(TAG) {
                let (tag, value) = tag?;
                match tag {
                    0 => resource.element = Some(ElementType(tags.int(value, INTEGER)?)),
                    1 => resource.stride = Some(tags.int(value, INTEGER)?),
                    3 if tags.int(value, INTEGER)? != 0 => {
                        resource.flags = resource.flags | ResourceFlags::ATOMICS_64_USE;
                    }
                    4 if tags.int(value, INTEGER)? != 0 => {
                        resource.flags = resource.flags | ResourceFlags::UAV_REORDER_COHERENT;
                    }
                    _ => {}
                }
            }
        }
        Ok(resource)
    }

    fn signature(
        &mut self,
        signatures: Node<'_>,
        index: usize,
    ) -> Result<Vec<SignatureEntry>, Error> {
        let Some(list) = signatures.node(index, "a signature")? else {
            return Ok(Vec::new());
        };
        self.list(list, "an element of a signature", Self::signature_entry)
    }

    fn signature_entry(&mut self, node: Node<'_>) -> Result<SignatureEntry, Error> {
        let int = |index| node.int(index, "a number of an element of a signature");
        let mut entry = SignatureEntry {
            id: int(0)?,
            name: self.name(node, 1)?,
            semantic: SemanticKind(int(3)?),
            indices: Vec::new(),
            ty: ElementType(int(2)?),
            interpolation: InterpolationMode(int(5)?),
            rows: int(6)?,
            columns: int(7)?,
            start_row: int(8)?,
            start_column: int(9)?,
            stream: 0,
            usage_mask: 0,
            dynamic_index_mask: 0,
        };
        if let Some(indices) = node.node(4, "semantic indices")? {
            self.count(indices.len() * size_of::<u32>())?;
            let index = |place| indices.int(place, "a semantic index");
            entry.indices = (0..indices.len()).map(index).collect::<Result<_, _>>()?;
        }
        if let Some(tags) = node.node(10, "tags of an element of a signature")? {
            self.count(tags.len())?;
            for tag in tags.tags(TAG) {
                let (tag, value) = tag?;
                match tag {
                    0 => entry.stream = tags.int(value, INTEGER)?,
                    2 => entry.dynamic_index_mask = tags.int(value, INTEGER)?,
                    3 => entry.usage_mask = tags.int(value, INTEGER)?,
                    _ => {}
                }
            }
        }
        Ok(entry)
    }
}

const THREADS: &str = "a thread group size of three numbers";
const GRID: &str = "three numbers";
const KIND_NAME: &str = "a shader kind, 0 to 15";
