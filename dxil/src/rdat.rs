//! Runtime data, the part `RDAT` of libraries: what a library exports, and what its functions and
//! the state objects made of it need.
//!
//! [`RuntimeData`] is the part; the other types are the records of its tables. Reading one is a
//! matter of a few loads, and follows the references to other tables.
//!
//! ```
//! use dxil::Container;
//! use dxil::rdat::SubobjectKind;
//!
//! let library = include_bytes!("../corpus/dxil/rt_subobjects_lib63.dxil");
//! let library = Container::parse(library)?;
//! let runtime_data = library.runtime_data()?.unwrap();
//! for function in runtime_data.functions() {
//!     println!("{} {}", function.kind, function.unmangled_name);
//!     for resource in function.resources.iter() {
//!         println!("    {:?} {} in space {}", resource.class, resource.name, resource.space);
//!     }
//! }
//! let hit_groups = runtime_data.subobjects().filter_map(|subobject| match subobject.kind {
//!     SubobjectKind::HitGroup { closest_hit, .. } => Some((subobject.name, closest_hit)),
//!     _ => None,
//! });
//! let expected = [("tri_group", "closest"), ("box_group", "closest")];
//! assert!(hit_groups.eq(expected));
//! # Ok::<(), dxil::Error>(())
//! ```

mod compare;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::numbers::{flags, number};
use crate::read::Numbers;
use crate::{FeatureFlags, ResourceClass, ResourceKind, ShaderKind, Version};

pub use parse::Fault;

/// No string, array or row.
const NONE: u32 = u32::MAX;

// Types of tables.
const STRINGS: usize = 1;
const INDICES: usize = 2;
const RESOURCES: usize = 3;
const FUNCTIONS: usize = 4;
const RAW_BYTES: usize = 5;
const SUBOBJECTS: usize = 6;
const NODE_IDS: usize = 7;
const NODE_IO_ATTRIBUTES: usize = 8;
const NODE_ATTRIBUTES: usize = 9;
const NODE_IOS: usize = 10;
const NODES: usize = 11;

/// Runtime data: the payload of an `RDAT` part.
///
/// Parsing checks that all tables lie in the part and that every reference of a record to another
/// table leads to something, and takes little more than time linear in the length of the part.
/// Tables of unknown types are left out, and so are fields of records that are newer than this
/// crate.
#[derive(Clone, Copy)]
pub struct RuntimeData<'a> {
    bytes: &'a [u8],
    strings: &'a str,
    indices: &'a [[u8; 4]],
    raw_bytes: &'a [u8],
    /// Where those are in the part.
    strings_at: usize,
    indices_at: usize,
    raw_bytes_at: usize,
    /// There are tables of types that are newer than this crate.
    has_unknown_tables: bool,
    /// By type.
    tables: [Table; NODES + 1],
}

/// A table of records: where it is in the part. Parsing has checked that it is.
#[derive(Clone, Copy, Default)]
struct Table {
    at: usize,
    count: u32,
    stride: usize,
}

/// The words of a record.
#[derive(Clone, Copy)]
struct Record<'a>(&'a [[u8; 4]]);

impl Record<'_> {
    fn get(self, word: usize) -> Option<u32> {
        self.0.get(word).copied().map(u32::from_le_bytes)
    }

    /// A word that every record of the table has, because parsing has checked the stride.
    fn word(self, word: usize) -> u32 {
        self.get(word).unwrap_or_default()
    }
}

impl<'a> RuntimeData<'a> {
    /// The functions that the library exports.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = Function<'a>> + use<'a> {
        self.rows(FUNCTIONS, Function::read)
    }

    /// The resources that its functions use.
    pub fn resources(&self) -> impl ExactSizeIterator<Item = Resource<'a>> + use<'a> {
        self.rows(RESOURCES, Resource::read)
    }

    /// The subobjects that it declares for state objects.
    pub fn subobjects(&self) -> impl ExactSizeIterator<Item = Subobject<'a>> + use<'a> {
        self.rows(SUBOBJECTS, Subobject::read)
    }

    fn rows<T>(
        &self,
        table: usize,
        read: fn(&Self, u32) -> T,
    ) -> impl ExactSizeIterator<Item = T> + use<'a, T> {
        let data = *self;
        (0..self.tables[table].count).map(move |row| read(&data, row))
    }

    /// A row of a table; no words where there is none.
    fn record(&self, table: usize, row: u32) -> Record<'a> {
        let Table { at, count, stride } = self.tables[table];
        if row >= count {
            return Record(&[]);
        }
        let bytes = self.bytes.get(at + row as usize * stride..);
        let bytes = bytes.and_then(|bytes| bytes.get(..stride));
        Record(bytes.unwrap_or_default().as_chunks().0)
    }

    fn string(&self, offset: u32) -> &'a str {
        string(self.strings, offset)
    }

    fn names(&self, index: u32) -> Names<'a> {
        Names {
            strings: self.strings,
            offsets: self.array(index),
        }
    }

    fn raw(&self, offset: u32, size: u32) -> &'a [u8] {
        let from_start = self.raw_bytes.get(offset as usize..);
        from_start
            .and_then(|bytes| bytes.get(..size as usize))
            .unwrap_or_default()
    }

    fn array(&self, index: u32) -> Numbers<'a> {
        let read = || {
            let (count, rest) = self.indices.get(index as usize..)?.split_first()?;
            rest.get(..u32::from_le_bytes(*count) as usize)
        };
        Numbers(read().unwrap_or_default())
    }

    fn list<T>(&self, index: u32, read: fn(&Self, u32) -> T) -> List<'a, T> {
        List {
            data: *self,
            indices: self.array(index),
            read,
        }
    }
}

impl fmt::Debug for RuntimeData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeData")
            .field("functions", &self.functions().collect::<Vec<_>>())
            .field("resources", &self.resources().collect::<Vec<_>>())
            .field("subobjects", &self.subobjects().collect::<Vec<_>>())
            .finish()
    }
}

/// The string at an offset of the table of strings.
fn string(strings: &str, offset: u32) -> &str {
    let from_start = strings.get(offset as usize..);
    from_start
        .and_then(|text| text.split('\0').next())
        .unwrap_or_default()
}

/// Names, in the order of the part.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    strings: &'a str,
    offsets: Numbers<'a>,
}

impl<'a> Names<'a> {
    /// The names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        let strings = self.strings;
        self.offsets
            .iter()
            .map(move |offset| string(strings, offset))
    }
}

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Records, in the order of the part.
#[derive(Clone, Copy)]
pub struct List<'a, T> {
    data: RuntimeData<'a>,
    indices: Numbers<'a>,
    read: fn(&RuntimeData<'a>, u32) -> T,
}

impl<'a, T> List<'a, T> {
    /// The records.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + use<'a, T> {
        let Self { data, read, .. } = *self;
        self.indices.iter().map(move |index| read(&data, index))
    }
}

impl<T: fmt::Debug> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A function that the library exports: an entry point, or one for other libraries to call.
#[derive(Debug, Clone, Copy)]
pub struct Function<'a> {
    /// The name in the program. Entry points of ray tracing and plain functions are mangled, and
    /// start with a byte of 1; other entry points are not. It is unique in the library.
    pub name: &'a str,
    /// The name in the source, by which exports are chosen. Overloads share it.
    pub unmangled_name: &'a str,
    /// The kind of shader; [`ShaderKind::Library`] for a plain function.
    pub kind: ShaderKind,
    /// The resources that it uses, or that what it calls uses.
    pub resources: List<'a, Resource<'a>>,
    /// The functions that it calls and that are not in the library, by mangled name.
    pub dependencies: Names<'a>,
    /// Bytes of the ray payload, or of the parameters of a callable shader.
    pub payload_size_in_bytes: u32,
    /// Bytes of the attributes of an intersection.
    pub attribute_size_in_bytes: u32,
    /// What the function needs the device to support.
    pub features: FeatureFlags,
    /// The kinds of shader that the function can be called from: bit `1 << kind`.
    pub stages: u32,
    /// The least shader model that the function needs.
    pub min_shader_model: Version,
    /// The sizes of a wave that the function asks for, least and most; 0 where it does not.
    /// `None` from compilers of before validator version 1.8.
    pub wave_sizes: Option<[u8; 2]>,
    /// A node that the application can start from, marked as an entry of its program.
    pub is_program_entry: bool,
    /// What the function is in a work graph; of nodes only.
    pub node: Option<Node<'a>>,
}

/// Words of the record in the table of functions.
const FUNCTION_SIZE: usize = 11;
const FUNCTION_KIND: usize = 4;
const FUNCTION_NODE: usize = 12;

impl<'a> Function<'a> {
    fn read(data: &RuntimeData<'a>, row: u32) -> Self {
        let record = data.record(FUNCTIONS, row);
        let [wave_min, wave_max, flags, _] = record.get(FUNCTION_SIZE).unwrap_or(0).to_le_bytes();
        let target = record.word(10);
        let kind = function_kind(record).unwrap_or(ShaderKind::Library);
        Self {
            name: data.string(record.word(0)),
            unmangled_name: data.string(record.word(1)),
            kind,
            resources: data.list(record.word(2), Resource::read),
            dependencies: data.names(record.word(3)),
            payload_size_in_bytes: record.word(5),
            attribute_size_in_bytes: record.word(6),
            features: FeatureFlags(u64::from(record.word(8)) << 32 | u64::from(record.word(7))),
            stages: record.word(9),
            min_shader_model: Version {
                major: (target & 0xffff) >> 4,
                minor: target & 0xf,
            },
            wave_sizes: record.get(FUNCTION_SIZE).map(|_| [wave_min, wave_max]),
            is_program_entry: flags & 1 != 0,
            node: node_row(record).map(|row| Node::read(data, row)),
        }
    }
}

fn function_kind(record: Record<'_>) -> Option<ShaderKind> {
    ShaderKind::ALL
        .get(record.word(FUNCTION_KIND) as usize)
        .copied()
}

/// The row of the node that a function is.
fn node_row(function: Record<'_>) -> Option<u32> {
    let row = function.get(FUNCTION_NODE).filter(|&row| row != NONE)?;
    (function_kind(function) == Some(ShaderKind::Node)).then_some(row)
}

/// A resource that functions of the library use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource<'a> {
    /// How it is bound.
    pub class: ResourceClass,
    /// Its shape.
    pub kind: ResourceKind,
    /// Its number among the resources of its class.
    pub id: u32,
    /// The register space.
    pub space: u32,
    /// The first register.
    pub lower_bound: u32,
    /// The last register, itself included; `u32::MAX` where there is no end.
    pub upper_bound: u32,
    /// The name in the source.
    pub name: &'a str,
    /// What is special about it.
    pub flags: ResourceFlags,
}

impl<'a> Resource<'a> {
    fn read(data: &RuntimeData<'a>, row: u32) -> Self {
        let record = data.record(RESOURCES, row);
        Self {
            class: ResourceClass(record.word(0)),
            kind: ResourceKind(record.word(1)),
            id: record.word(2),
            space: record.word(3),
            lower_bound: record.word(4),
            upper_bound: record.word(5),
            name: data.string(record.word(6)),
            flags: ResourceFlags(record.word(7)),
        }
    }
}

flags! {
    /// What is special about a resource (`RDAT::DxilResourceFlag` of DirectXShaderCompiler).
    ResourceFlags: u32 {
        /// `globallycoherent`.
        UAV_GLOBALLY_COHERENT = 0x1,
        /// The buffer has a counter, and it is used.
        UAV_COUNTER = 0x2,
        /// Rasterizer ordered.
        UAV_RASTERIZER_ORDERED_VIEW = 0x4,
        /// It is indexed by something other than a constant.
        DYNAMIC_INDEXING = 0x8,
        /// 64-bit atomics are used on it.
        ATOMICS_64_USE = 0x10,
        /// `reordercoherent`.
        UAV_REORDER_COHERENT = 0x20,
    }
}

/// A subobject that the library declares for the state objects that it becomes part of.
#[derive(Debug, Clone, Copy)]
pub struct Subobject<'a> {
    /// The name in the source.
    pub name: &'a str,
    /// What it is.
    pub kind: SubobjectKind<'a>,
}

/// What a subobject is (`D3D12_STATE_SUBOBJECT_TYPE`).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum SubobjectKind<'a> {
    /// `D3D12_STATE_OBJECT_CONFIG`.
    StateObjectConfig {
        /// `D3D12_STATE_OBJECT_FLAGS`.
        flags: u32,
    },
    /// A global root signature, for [`RootSignature::parse`](crate::RootSignature::parse).
    GlobalRootSignature(&'a [u8]),
    /// A local root signature, for [`RootSignature::parse`](crate::RootSignature::parse).
    LocalRootSignature(&'a [u8]),
    /// `D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
    SubobjectToExportsAssociation {
        /// The name of the subobject.
        subobject: &'a str,
        /// The exports by unmangled name; without any it is the default association.
        exports: Names<'a>,
    },
    /// `D3D12_RAYTRACING_SHADER_CONFIG`.
    RaytracingShaderConfig {
        /// Most bytes of a ray payload.
        max_payload_size_in_bytes: u32,
        /// Most bytes of the attributes of an intersection.
        max_attribute_size_in_bytes: u32,
    },
    /// `D3D12_RAYTRACING_PIPELINE_CONFIG`.
    RaytracingPipelineConfig {
        /// How deep rays may cast rays.
        max_trace_recursion_depth: u32,
    },
    /// `D3D12_HIT_GROUP_DESC`. A shader that there is not has an empty name.
    HitGroup {
        /// What is hit.
        hit_group_type: HitGroupType,
        /// The any-hit shader, by unmangled name.
        any_hit: &'a str,
        /// The closest-hit shader, by unmangled name.
        closest_hit: &'a str,
        /// The intersection shader, by unmangled name.
        intersection: &'a str,
    },
    /// `D3D12_RAYTRACING_PIPELINE_CONFIG1`.
    RaytracingPipelineConfig1 {
        /// How deep rays may cast rays.
        max_trace_recursion_depth: u32,
        /// `D3D12_RAYTRACING_PIPELINE_FLAGS`.
        flags: u32,
    },
    /// Something newer than this crate.
    Other {
        /// The number in the part.
        number: u32,
    },
}

impl<'a> Subobject<'a> {
    fn read(data: &RuntimeData<'a>, row: u32) -> Self {
        let record = data.record(SUBOBJECTS, row);
        let bytes = || {
            let [offset, size] = [2, 3].map(|word| record.word(word));
            data.raw(offset, size)
        };
        let string = |word| data.string(record.word(word));
        let kind = match record.word(0) {
            0 => SubobjectKind::StateObjectConfig {
                flags: record.word(2),
            },
            1 => SubobjectKind::GlobalRootSignature(bytes()),
            2 => SubobjectKind::LocalRootSignature(bytes()),
            8 => SubobjectKind::SubobjectToExportsAssociation {
                subobject: string(2),
                exports: data.names(record.word(3)),
            },
            9 => SubobjectKind::RaytracingShaderConfig {
                max_payload_size_in_bytes: record.word(2),
                max_attribute_size_in_bytes: record.word(3),
            },
            10 => SubobjectKind::RaytracingPipelineConfig {
                max_trace_recursion_depth: record.word(2),
            },
            11 => SubobjectKind::HitGroup {
                hit_group_type: HitGroupType(record.word(2)),
                any_hit: string(3),
                closest_hit: string(4),
                intersection: string(5),
            },
            12 => SubobjectKind::RaytracingPipelineConfig1 {
                max_trace_recursion_depth: record.word(2),
                flags: record.word(3),
            },
            number => SubobjectKind::Other { number },
        };
        Self {
            name: string(1),
            kind,
        }
    }
}

number! {
    /// `D3D12_HIT_GROUP_TYPE`: what is hit.
    HitGroupType {
        /// Triangles.
        TRIANGLES = 0,
        /// What an intersection shader says.
        PROCEDURAL_PRIMITIVE = 1,
    }
}

/// What a function is in a work graph.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    /// How it is launched.
    pub launch: NodeLaunch,
    /// Bytes of group-shared memory.
    pub group_shared_bytes: u32,
    /// The attributes in front of the function.
    pub attributes: List<'a, NodeAttribute<'a>>,
    /// The nodes that it writes records for.
    pub outputs: List<'a, NodeIo<'a>>,
    /// The records that it is given: none or one.
    pub inputs: List<'a, NodeIo<'a>>,
}

impl<'a> Node<'a> {
    fn read(data: &RuntimeData<'a>, row: u32) -> Self {
        let record = data.record(NODES, row);
        Self {
            launch: NodeLaunch(record.word(0)),
            group_shared_bytes: record.word(1),
            attributes: data.list(record.word(2), NodeAttribute::read),
            outputs: data.list(record.word(3), NodeIo::read),
            inputs: data.list(record.word(4), NodeIo::read),
        }
    }
}

number! {
    /// How a node is launched, `[NodeLaunch]`.
    NodeLaunch {
        /// A grid of groups for each record.
        BROADCASTING = 1,
        /// A group for several records.
        COALESCING = 2,
        /// A thread for each record.
        THREAD = 3,
    }
}

/// The name of a node in a work graph, `[NodeID]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeId<'a> {
    /// The name.
    pub name: &'a str,
    /// The place in the array of nodes of that name.
    pub index: u32,
}

impl<'a> NodeId<'a> {
    fn read(data: &RuntimeData<'a>, row: u32) -> Self {
        let record = data.record(NODE_IDS, row);
        Self {
            name: data.string(record.word(0)),
            index: record.word(1),
        }
    }
}

/// An attribute of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeAttribute<'a> {
    /// `[NodeID]`.
    Id(NodeId<'a>),
    /// `[NumThreads]`: x, y and z.
    NumThreads(Numbers<'a>),
    /// `[NodeShareInputOf]`.
    ShareInputOf(NodeId<'a>),
    /// `[NodeDispatchGrid]`: x, y and z.
    DispatchGrid(Numbers<'a>),
    /// `[NodeMaxRecursionDepth]`.
    MaxRecursionDepth(u32),
    /// `[NodeLocalRootArgumentsTableIndex]`.
    LocalRootArgumentsTableIndex(u32),
    /// `[NodeMaxDispatchGrid]`: x, y and z.
    MaxDispatchGrid(Numbers<'a>),
    /// Something newer than this crate.
    Other {
        /// The number in the part.
        number: u32,
        /// What stands behind it.
        value: u32,
    },
}

impl<'a> NodeAttribute<'a> {
    fn read(data: &RuntimeData<'a>, row: u32) -> Self {
        let record = data.record(NODE_ATTRIBUTES, row);
        let value = record.word(1);
        match record.word(0) {
            1 => Self::Id(NodeId::read(data, value)),
            2 => Self::NumThreads(data.array(value)),
            3 => Self::ShareInputOf(NodeId::read(data, value)),
            4 => Self::DispatchGrid(data.array(value)),
            5 => Self::MaxRecursionDepth(value),
            6 => Self::LocalRootArgumentsTableIndex(value),
            7 => Self::MaxDispatchGrid(data.array(value)),
            number => Self::Other { number, value },
        }
    }
}

/// An input or output of a node.
#[derive(Debug, Clone, Copy)]
pub struct NodeIo<'a> {
    /// What it is.
    pub flags: NodeIoFlags,
    /// The attributes in front of it.
    pub attributes: List<'a, NodeIoAttribute<'a>>,
}

impl<'a> NodeIo<'a> {
    fn read(data: &RuntimeData<'a>, row: u32) -> Self {
        let record = data.record(NODE_IOS, row);
        Self {
            flags: NodeIoFlags(record.word(0)),
            attributes: data.list(record.word(1), NodeIoAttribute::read),
        }
    }
}

flags! {
    /// What an input or output of a node is (`DXIL::NodeIOFlags` of DirectXShaderCompiler).
    NodeIoFlags: u32 {
        /// An input.
        INPUT = 0x1,
        /// An output.
        OUTPUT = 0x2,
        /// It can be read and written.
        READ_WRITE = 0x4,
        /// It has no records.
        EMPTY_RECORD = 0x8,
        /// An array of nodes.
        NODE_ARRAY = 0x10,
        /// A record for a thread.
        THREAD_RECORD = 0x20,
        /// Records for a group.
        GROUP_RECORD = 0x40,
        /// A record for a dispatch grid. Not the two before: the two bits are one number.
        DISPATCH_RECORD = 0x60,
        /// `TrackRWInputSharing`.
        TRACK_RW_INPUT_SHARING = 0x100,
        /// `globallycoherent`.
        GLOBALLY_COHERENT = 0x200,
    }
}

/// An attribute of an input or output of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeIoAttribute<'a> {
    /// The node that an output goes to.
    OutputId(NodeId<'a>),
    /// `[MaxRecords]`.
    MaxRecords(u32),
    /// `[MaxRecordsSharedWith]`: the place of another output.
    MaxRecordsSharedWith(u32),
    /// Bytes of a record.
    RecordSizeInBytes(u32),
    /// Where the size of the grid is in a record, `SV_DispatchGrid`.
    RecordDispatchGrid {
        /// The offset in the record, in bytes.
        byte_offset: u16,
        /// How many components: 1 to 3.
        component_count: u8,
        /// The type of each (`DXIL::ComponentType` of DirectXShaderCompiler: 3 is `uint16_t`, 5
        /// `uint`).
        component_type: u16,
    },
    /// `[NodeArraySize]`; 0 where the output is no array, `u32::MAX` where it has no end.
    OutputArraySize(u32),
    /// `[AllowSparseNodes]`.
    AllowSparseNodes(bool),
    /// Alignment of a record in bytes.
    RecordAlignmentInBytes(u32),
    /// Something newer than this crate.
    Other {
        /// The number in the part.
        number: u32,
        /// What stands behind it.
        value: u32,
    },
}

impl<'a> NodeIoAttribute<'a> {
    fn read(data: &RuntimeData<'a>, row: u32) -> Self {
        let record = data.record(NODE_IO_ATTRIBUTES, row);
        let value = record.word(1);
        let [a, b, c, d] = value.to_le_bytes();
        match record.word(0) {
            1 => Self::OutputId(NodeId::read(data, value)),
            2 => Self::MaxRecords(value),
            3 => Self::MaxRecordsSharedWith(value),
            4 => Self::RecordSizeInBytes(value),
            5 => Self::RecordDispatchGrid {
                byte_offset: u16::from_le_bytes([a, b]),
                component_count: c & 3,
                component_type: u16::from_le_bytes([c, d]) >> 2,
            },
            6 => Self::OutputArraySize(value),
            7 => Self::AllowSparseNodes(value != 0),
            8 => Self::RecordAlignmentInBytes(value),
            number => Self::Other { number, value },
        }
    }
}
