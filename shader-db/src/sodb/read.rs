//! Reading a description from rows, which any program may have written.
//!
//! Lists have the order of the rows that link. A missing row, another storage class or a number out of range is an error of
//! the object to which it belongs. The memory for one object is limited, because rows can name the same row many times.

use std::cell::{Cell as Counter, RefCell};
use std::collections::HashMap;

use api_sys::{
    D3D12_BLEND_DESC, D3D12_BLEND_ONE, D3D12_BLEND_OP_ADD, D3D12_BLEND_ZERO,
    D3D12_COLOR_WRITE_ENABLE_ALL, D3D12_DEPTH_STENCIL_DESC2, D3D12_DEPTH_STENCILOP_DESC1,
    D3D12_LOGIC_OP_NOOP, D3D12_NODE_TYPE_SHADER, D3D12_RASTERIZER_DESC2,
    D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_SHADER_CONFIG,
    D3D12_RENDER_TARGET_BLEND_DESC, D3D12_RT_FORMAT_ARRAY,
    D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, D3D12_VIEW_INSTANCE_LOCATION, DXGI_SAMPLE_DESC,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use windows_core::BOOL;

use super::cache::{Cache, Kept, Tables};
use super::rows::{COLUMNS, MadeFrom, check_node};
use super::schema::{Definition, Table};
use super::{
    Associated, Association, Blob, DxilAssociation, DxilLibrary, ExistingCollection, Export,
    FixedFunction, GenericProgram, HitGroup, InputElement, NodeId, OutputOverrides,
    PipelineStateDesc, ShaderNode, ShaderStage, StateObjectDesc, StreamOutput, StreamOutputEntry,
    ViewInstancing, WorkGraph,
};
use crate::short_hex;

/// The most bytes of rows for one object.
const MAX_OBJECT: usize = 1 << 30;

/// The memory of a row in addition to its strings and blobs.
const ROW_COST: usize = 256;

/// The reason why an object cannot be read.
pub enum Fault {
    Sqlite(rusqlite::Error),
    /// A row contradicts the schema.
    Wrong(String),
    /// A row names a state object that no group names, so that it has no key.
    Unnamed(&'static str),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

type Result<T, E = Fault> = std::result::Result<T, E>;

fn wrong<T>(text: impl Into<String>) -> Result<T> {
    Err(Fault::Wrong(text.into()))
}

/// Returns the key by which a description names a state object, from the key of its row and its role in the description.
type Naming<'n> = dyn FnMut(&[u8], &'static str) -> Result<Vec<u8>> + 'n;

/// The keys of the rows that a state object names, where the API has objects for them, in the order of the description.
pub struct StateObjectKeys {
    pub global_root_signatures: Vec<Vec<u8>>,
    pub local_root_signatures: Vec<Vec<u8>>,
    pub made_from: MadeFrom,
}

/// Reads the rows of one object.
pub struct Reader<'c> {
    connection: &'c Connection,
    cache: &'c RefCell<Cache>,
    left: Counter<usize>,
}

/// The columns of a row, from left to right.
struct Cells<'r> {
    reader: &'r Reader<'r>,
    row: &'r Row<'r>,
    at: usize,
    table: &'static Definition,
    /// Where the table's first column is, or would be.
    first: isize,
}

impl<'r> Cells<'r> {
    fn next(&mut self) -> Result<ValueRef<'r>> {
        let value = self.row.get_ref(self.at)?;
        self.at += 1;
        if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = value {
            self.reader.charge(bytes.len())?;
        }
        Ok(value)
    }

    /// The error that the column just read holds something else.
    fn not<T>(&self, what: &str) -> Result<T> {
        let column = (self.at - 1).checked_add_signed(-self.first);
        let column = column.and_then(|at| self.table.columns.get(at));
        let column = column.map_or("a link", |column| column.name);
        wrong(format!("{}.{column} holds no {what}", self.table.name))
    }

    /// 32 bits; other writers may have extended their sign.
    fn optional_number(&mut self) -> Result<Option<u32>> {
        match self.next()? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(number) => match number_of(number) {
                Some(number) => Ok(Some(number)),
                None => self.not("number of 32 bits"),
            },
            _ => self.not("number"),
        }
    }

    fn number(&mut self) -> Result<u32> {
        match self.optional_number()? {
            Some(number) => Ok(number),
            None => self.not("number"),
        }
    }

    /// An enumeration.
    fn value(&mut self) -> Result<i32> {
        self.number().map(u32::cast_signed)
    }

    fn byte(&mut self) -> Result<u8> {
        match u8::try_from(self.number()?) {
            Ok(byte) => Ok(byte),
            Err(_) => self.not("number of 8 bits"),
        }
    }

    fn bool(&mut self) -> Result<BOOL> {
        self.number().map(|number| BOOL::from(number != 0))
    }

    fn optional_bool(&mut self) -> Result<Option<bool>> {
        self.optional_number().map(|number| Some(number? != 0))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "the structure's field has 32 bits"
    )]
    fn real(&mut self) -> Result<f32> {
        match self.next()? {
            ValueRef::Real(real) => Ok(real as f32),
            ValueRef::Integer(number) => Ok(number as f32),
            _ => self.not("number"),
        }
    }

    fn optional_text(&mut self) -> Result<Option<String>> {
        match self.next()? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) if !text.contains('\0') => Ok(Some(text.to_owned())),
                _ => self.not("string that the API could have"),
            },
            _ => self.not("string"),
        }
    }

    fn text(&mut self) -> Result<String> {
        match self.optional_text()? {
            Some(text) => Ok(text),
            None => self.not("string"),
        }
    }

    fn optional_bytes(&mut self) -> Result<Option<&'r [u8]>> {
        match self.next()? {
            ValueRef::Null => Ok(None),
            ValueRef::Blob(bytes) => Ok(Some(bytes)),
            _ => self.not("blob"),
        }
    }

    fn bytes(&mut self) -> Result<&'r [u8]> {
        match self.optional_bytes()? {
            Some(bytes) => Ok(bytes),
            None => self.not("blob"),
        }
    }

    fn skip(&mut self) {
        self.at += 1;
    }
}

/// The 32-bit number of a column.
pub fn number_of(stored: i64) -> Option<u32> {
    u32::try_from(stored)
        .ok()
        .or_else(|| Some(i32::try_from(stored).ok()?.cast_unsigned()))
}

impl<'c> Reader<'c> {
    /// With a cache of the rows that this transaction reads.
    pub fn new(connection: &'c Connection, cache: &'c RefCell<Cache>) -> Self {
        Self {
            connection,
            cache,
            left: Counter::new(MAX_OBJECT),
        }
    }

    /// The bytes counted so far.
    pub fn charged(&self) -> usize {
        MAX_OBJECT - self.left.get()
    }

    /// Counts bytes that stay in memory.
    pub fn charge(&self, bytes: usize) -> Result<()> {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => wrong(format!(
                "what its rows name adds up to more than {MAX_OBJECT} bytes, which is the limit"
            )),
        }
    }

    /// Reads the row of a key.
    fn one<T>(
        &self,
        table: Table,
        key: &[u8],
        read: impl FnOnce(&mut Cells<'_>) -> Result<T>,
    ) -> Result<T> {
        let definition = table.definition();
        self.charge(ROW_COST)?;
        let mut select = self.connection.prepare_cached(&definition.select)?;
        let mut rows = select.query([key])?;
        let Some(row) = rows.next()? else {
            return wrong(format!(
                "{} has no row {}, which another one names",
                definition.name,
                short_hex(key)
            ));
        };
        read(&mut Cells {
            reader: self,
            row,
            at: 0,
            table: definition,
            first: -1,
        })
    }

    /// The content of a key, from the cache or from its rows; both count the same.
    fn kept<T: Clone>(
        &self,
        table: fn(&mut Tables) -> &mut Kept<T>,
        key: &[u8],
        read: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if let Some((value, bytes)) = self.cache.borrow_mut().get(table, key) {
            self.charge(bytes)?;
            return Ok(value);
        }
        let before = self.left.get();
        let value = read()?;
        let bytes = before - self.left.get();
        let mut cache = self.cache.borrow_mut();
        cache.keep(table, key, value.clone(), bytes);
        Ok(value)
    }

    /// Reads the rows of an owner, in order: `read` starts at the column that names another row.
    fn list<T>(
        &self,
        table: Table,
        owner: &[u8],
        mut read: impl FnMut(&mut Cells<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let definition = table.definition();
        let selected = definition.selects.definition();
        let first = match definition.columns.last().and_then(|last| last.references) {
            Some(_) => definition.columns.len().cast_signed() - 1,
            None => -1,
        };
        let mut select = self.connection.prepare_cached(&definition.select)?;
        let mut rows = select.query([owner])?;
        let mut list = Vec::new();
        while let Some(row) = rows.next()? {
            self.charge(ROW_COST)?;
            list.push(read(&mut Cells {
                reader: self,
                row,
                at: 0,
                table: selected,
                first,
            })?);
        }
        Ok(list)
    }

    /// Reads the rows that an owner's rows name: `read` gets the key and the columns after it.
    fn children<T>(
        &self,
        table: Table,
        owner: &[u8],
        mut read: impl FnMut(&[u8], &mut Cells<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.list(table, owner, |cells| {
            let key = cells.bytes()?;
            child(table, key, cells)?;
            read(key, cells)
        })
    }

    fn strings(&self, owner: &[u8]) -> Result<Vec<String>> {
        self.list(Table::Strings, owner, text)
    }

    fn root_signature(&self, key: &[u8]) -> Result<Blob> {
        self.kept(
            |kept| &mut kept.root_signatures,
            key,
            || self.one(Table::RootSignatures, key, blob),
        )
    }

    fn bytecode(&self, key: &[u8]) -> Result<Blob> {
        self.kept(
            |kept| &mut kept.bytecode,
            key,
            || {
                self.one(Table::ShaderBytecode, key, |cells| {
                    // Skip the type: a blob keeps that of its first use.
                    cells.skip();
                    blob(cells)
                })
            },
        )
    }

    /// A pipeline state and the key of its root signature's row.
    pub fn pipeline_state(&self, key: &[u8]) -> Result<(PipelineStateDesc, Option<Vec<u8>>)> {
        self.one(Table::PipelineStates, key, |cells| {
            let mut desc = PipelineStateDesc::default();
            let root_signature = cells.optional_bytes()?;
            desc.root_signature = root_signature
                .map(|key| self.root_signature(key))
                .transpose()?;
            let input_layout = cells.optional_bytes()?;
            for stage in ShaderStage::ALL {
                let key = cells.optional_bytes()?;
                desc.shaders[stage] = key.map(|key| self.bytecode(key)).transpose()?;
            }
            desc.fixed_function = self.fixed_function(input_layout, cells)?;
            desc.node_mask = cells.optional_number()?;
            desc.fixed_function.flags = cells.optional_number()?;
            Ok((desc, root_signature.map(<[u8]>::to_vec)))
        })
    }

    /// The columns `DepthStencilDesc` to `DSVFormat`.
    fn fixed_function(
        &self,
        input_layout: Option<&[u8]>,
        cells: &mut Cells<'_>,
    ) -> Result<FixedFunction> {
        let mut key = || cells.optional_bytes();
        let depth_stencil = key()?.map(|key| self.depth_stencil(key));
        let render_target_formats = key()?.map(|key| self.render_target_formats(key));
        let blend = key()?.map(|key| self.blend(key));
        let rasterizer = key()?.map(|key| self.rasterizer(key));
        let view_instancing = key()?.map(|key| self.view_instancing(key));
        let stream_output = key()?.map(|key| self.stream_output(key));
        let input_layout = input_layout.map(|key| self.input_layout(key));
        let count = cells.optional_number()?;
        let quality = cells.optional_number()?;
        Ok(FixedFunction {
            stream_output: stream_output.transpose()?,
            blend: blend.transpose()?,
            rasterizer: rasterizer.transpose()?,
            depth_stencil: depth_stencil.transpose()?,
            input_layout: input_layout.transpose()?,
            render_target_formats: render_target_formats.transpose()?,
            view_instancing: view_instancing.transpose()?,
            sample_desc: (count.is_some() || quality.is_some()).then(|| DXGI_SAMPLE_DESC {
                Count: count.unwrap_or(1),
                Quality: quality.unwrap_or(0),
            }),
            sample_mask: cells.optional_number()?,
            ib_strip_cut_value: cells.optional_number()?.map(u32::cast_signed),
            primitive_topology: cells.optional_number()?.map(u32::cast_signed),
            depth_stencil_format: cells.optional_number()?.map(u32::cast_signed),
            flags: None,
        })
    }

    fn input_layout(&self, key: &[u8]) -> Result<Vec<InputElement>> {
        let element = |_: &[u8], cells: &mut Cells<'_>| {
            Ok(InputElement {
                semantic_name: cells.text()?,
                semantic_index: cells.number()?,
                format: cells.value()?,
                input_slot: cells.number()?,
                aligned_byte_offset: cells.number()?,
                input_slot_class: cells.value()?,
                instance_data_step_rate: cells.number()?,
            })
        };
        self.kept(
            |kept| &mut kept.input_layouts,
            key,
            || self.children(Table::InputLayoutElements, key, element),
        )
    }

    fn depth_stencil(&self, key: &[u8]) -> Result<D3D12_DEPTH_STENCIL_DESC2> {
        let desc = |cells: &mut Cells<'_>| {
            Ok(D3D12_DEPTH_STENCIL_DESC2 {
                DepthEnable: cells.bool()?,
                DepthWriteMask: cells.value()?,
                DepthFunc: cells.value()?,
                StencilEnable: cells.bool()?,
                FrontFace: self.stencil(cells.bytes()?)?,
                BackFace: self.stencil(cells.bytes()?)?,
                DepthBoundsTestEnable: cells.bool()?,
            })
        };
        self.kept(
            |kept| &mut kept.depth_stencils,
            key,
            || self.one(Table::DepthStencilDescs, key, desc),
        )
    }

    fn stencil(&self, key: &[u8]) -> Result<D3D12_DEPTH_STENCILOP_DESC1> {
        self.one(Table::DepthStencilOpDescs, key, |cells| {
            Ok(D3D12_DEPTH_STENCILOP_DESC1 {
                StencilFailOp: cells.value()?,
                StencilDepthFailOp: cells.value()?,
                StencilPassOp: cells.value()?,
                StencilFunc: cells.value()?,
                StencilReadMask: cells.byte()?,
                StencilWriteMask: cells.byte()?,
            })
        })
    }

    fn render_target_formats(&self, key: &[u8]) -> Result<D3D12_RT_FORMAT_ARRAY> {
        let desc = |cells: &mut Cells<'_>| {
            let mut formats = D3D12_RT_FORMAT_ARRAY::default();
            for format in &mut formats.RTFormats {
                *format = cells.value()?;
            }
            formats.NumRenderTargets = cells.number()?;
            if formats.NumRenderTargets as usize > formats.RTFormats.len() {
                return cells.not("number of render targets");
            }
            Ok(formats)
        };
        self.kept(
            |kept| &mut kept.formats,
            key,
            || self.one(Table::RenderTargetFormats, key, desc),
        )
    }

    fn blend(&self, key: &[u8]) -> Result<D3D12_BLEND_DESC> {
        let desc = |cells: &mut Cells<'_>| {
            let mut desc = D3D12_BLEND_DESC {
                AlphaToCoverageEnable: cells.bool()?,
                IndependentBlendEnable: cells.bool()?,
                RenderTarget: [DEFAULT_BLEND; 8],
            };
            for target in &mut desc.RenderTarget {
                if let Some(key) = cells.optional_bytes()? {
                    *target = self.render_target_blend(key)?;
                }
            }
            Ok(desc)
        };
        self.kept(
            |kept| &mut kept.blends,
            key,
            || self.one(Table::BlendDescs, key, desc),
        )
    }

    fn render_target_blend(&self, key: &[u8]) -> Result<D3D12_RENDER_TARGET_BLEND_DESC> {
        self.one(Table::RenderTargetBlendDescs, key, |cells| {
            Ok(D3D12_RENDER_TARGET_BLEND_DESC {
                BlendEnable: cells.bool()?,
                LogicOpEnable: cells.bool()?,
                SrcBlend: cells.value()?,
                DestBlend: cells.value()?,
                BlendOp: cells.value()?,
                SrcBlendAlpha: cells.value()?,
                DestBlendAlpha: cells.value()?,
                BlendOpAlpha: cells.value()?,
                LogicOp: cells.value()?,
                RenderTargetWriteMask: cells.byte()?,
            })
        })
    }

    fn rasterizer(&self, key: &[u8]) -> Result<D3D12_RASTERIZER_DESC2> {
        let desc = |cells: &mut Cells<'_>| {
            Ok(D3D12_RASTERIZER_DESC2 {
                FillMode: cells.value()?,
                CullMode: cells.value()?,
                FrontCounterClockwise: cells.bool()?,
                DepthBias: cells.real()?,
                DepthBiasClamp: cells.real()?,
                SlopeScaledDepthBias: cells.real()?,
                DepthClipEnable: cells.bool()?,
                LineRasterizationMode: cells.value()?,
                ForcedSampleCount: cells.number()?,
                ConservativeRaster: cells.value()?,
            })
        };
        self.kept(
            |kept| &mut kept.rasterizers,
            key,
            || self.one(Table::RasterizerDescs, key, desc),
        )
    }

    fn view_instancing(&self, key: &[u8]) -> Result<ViewInstancing> {
        self.kept(
            |kept| &mut kept.views,
            key,
            || self.one(Table::ViewInstancingDescs, key, view_instancing),
        )
    }

    fn stream_output(&self, key: &[u8]) -> Result<StreamOutput> {
        let desc = |cells: &mut Cells<'_>| {
            let strides: Vec<u32> = (0..COLUMNS)
                .map(|_| cells.number())
                .collect::<Result<_>>()?;
            let count = cells.number()?;
            let Some(strides) = strides.get(..count as usize) else {
                return cells.not("number of strides");
            };
            Ok(StreamOutput {
                entries: Vec::new(),
                strides: strides.to_vec(),
                rasterized_stream: cells.number()?,
            })
        };
        let entry = |_: &[u8], cells: &mut Cells<'_>| {
            let stream = cells.number()?;
            // A gap has no name, but the column is NOT NULL; its number only distinguishes it from other gaps.
            let semantic: (String, _) = (cells.text()?, cells.number()?);
            let semantic = Some(semantic).filter(|(name, _)| !name.is_empty()).unzip();
            Ok(StreamOutputEntry {
                stream,
                semantic_name: semantic.0,
                semantic_index: semantic.1.unwrap_or(0),
                start_component: cells.byte()?,
                component_count: cells.byte()?,
                output_slot: cells.byte()?,
            })
        };
        self.kept(
            |kept| &mut kept.stream_outputs,
            key,
            || {
                Ok(StreamOutput {
                    entries: self.children(Table::StreamOutDeclarations, key, entry)?,
                    ..self.one(Table::StreamOutDescs, key, desc)?
                })
            },
        )
    }

    /// A state object and the keys of the rows that it names.
    pub fn state_object(
        &self,
        key: &[u8],
        name: &mut Naming<'_>,
    ) -> Result<(StateObjectDesc, StateObjectKeys)> {
        let mut parent = None;
        let mut desc = self.one(Table::StateObjects, key, |cells| {
            let desc = StateObjectDesc {
                kind: cells.value()?,
                node_mask: cells.optional_number()?,
                config: cells.optional_number()?,
                ..StateObjectDesc::default()
            };
            parent = cells.optional_bytes()?.map(<[u8]>::to_vec);
            Ok(desc)
        })?;

        let root_signatures =
            |table| self.children(table, key, |key, cells| Ok((key.to_vec(), blob(cells)?)));
        let (global, bytes): (Vec<_>, _) = root_signatures(Table::GlobalRootSignatures)?
            .into_iter()
            .unzip();
        desc.global_root_signatures = bytes;
        let (local, bytes): (Vec<_>, _) = root_signatures(Table::LocalRootSignatures)?
            .into_iter()
            .unzip();
        desc.local_root_signatures = bytes;
        for (library, exports) in self.exports(Table::DxilLibs, key)? {
            desc.libraries.push(DxilLibrary {
                bytecode: self.bytecode(&library)?,
                exports,
            });
        }
        let mut collections = Vec::new();
        for (collection, exports) in self.exports(Table::ExistingSos, key)? {
            desc.collections.push(ExistingCollection {
                collection: name(&collection, "collection")?,
                exports,
            });
            collections.push(collection);
        }
        desc.hit_groups = self.children(Table::HitGroups, key, |_, cells| {
            Ok(HitGroup {
                export: cells.text()?,
                kind: cells.value()?,
                any_hit: cells.optional_text()?,
                closest_hit: cells.optional_text()?,
                intersection: cells.optional_text()?,
            })
        })?;
        let configs = self.children(Table::ShaderConfigs, key, |key, cells| {
            let config = D3D12_RAYTRACING_SHADER_CONFIG {
                MaxPayloadSizeInBytes: cells.number()?,
                MaxAttributeSizeInBytes: cells.number()?,
            };
            Ok((key.to_vec(), config))
        })?;
        let (shader_configs, configs): (Vec<_>, _) = configs.into_iter().unzip();
        desc.shader_configs = configs;
        let configs = self.children(Table::PipelineConfigs, key, |key, cells| {
            let config = D3D12_RAYTRACING_PIPELINE_CONFIG1 {
                MaxTraceRecursionDepth: cells.number()?,
                Flags: cells.number()?,
            };
            Ok((key.to_vec(), config))
        })?;
        let (pipeline_configs, configs): (Vec<_>, _) = configs.into_iter().unzip();
        desc.pipeline_configs = configs;
        desc.generic_programs = self.children(Table::Programs, key, |key, cells| {
            let name = cells.optional_text()?;
            let input_layout = cells.optional_bytes()?;
            let mut state = self.fixed_function(input_layout, cells)?;
            // NodeMask: no generic program lists such a subobject.
            cells.skip();
            state.flags = cells.optional_number()?;
            Ok(GenericProgram {
                name,
                exports: self.strings(key)?,
                state,
            })
        })?;
        desc.work_graphs = self.children(Table::Graphs, key, |key, cells| {
            Ok(WorkGraph {
                name: cells.text()?,
                flags: cells.number()?,
                entry_points: self
                    .children(Table::GraphEntryPoints, key, |_, cells| node_id(cells))?,
                nodes: self.children(Table::GraphNodes, key, |key, cells| {
                    self.shader_node(key, cells)
                })?,
            })
        })?;
        let all = [&global, &local, &shader_configs, &pipeline_configs].map(|keys| places(keys));
        let [globals, locals, shader_configs, pipeline_configs] = all;
        let place = |places: &HashMap<&[u8], usize>, key: &[u8]| places.get(key).copied();
        desc.associations = self.children(Table::Associations, key, |owner, cells| {
            let kind = cells.value()?;
            let target = cells.bytes()?;
            let subobject = match kind {
                // These two have no row, so their key has no meaning.
                D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => {
                    desc.config.map(|_| Associated::Config)
                }
                D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK => {
                    desc.node_mask.map(|_| Associated::NodeMask)
                }
                D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE
                | D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE => {
                    place(&globals, target).map(Associated::GlobalRootSignature)
                }
                D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE
                | D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE => {
                    place(&locals, target).map(Associated::LocalRootSignature)
                }
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG => {
                    place(&shader_configs, target).map(Associated::ShaderConfig)
                }
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG
                | D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1 => {
                    place(&pipeline_configs, target).map(Associated::PipelineConfig)
                }
                _ => {
                    return wrong(format!(
                        "subobjects of type {kind} cannot be associated with exports"
                    ));
                }
            };
            let Some(subobject) = subobject else {
                return wrong(format!(
                    "an association names a subobject of type {kind} that it does not have"
                ));
            };
            Ok(Association {
                subobject,
                exports: self.strings(owner)?,
            })
        })?;
        desc.dxil_associations = self.children(Table::DxilAssociations, key, |owner, cells| {
            Ok(DxilAssociation {
                subobject: cells.text()?,
                exports: self.strings(owner)?,
            })
        })?;
        let keys = StateObjectKeys {
            global_root_signatures: global,
            local_root_signatures: local,
            made_from: MadeFrom {
                collections,
                parent,
            },
        };
        Ok((desc, keys))
    }

    /// Libraries or collections with their exports. One that exports everything and also something by name comes twice: the
    /// name may be a new one.
    fn exports(&self, table: Table, key: &[u8]) -> Result<Vec<(Vec<u8>, Vec<Export>)>> {
        let rows = self.list(table, key, |cells| {
            let owner = cells.bytes()?.to_vec();
            let Some(key) = cells.optional_bytes()? else {
                return Ok((owner, None));
            };
            child(table, key, cells)?;
            let export = Export {
                name: cells.text()?,
                export_to_rename: cells.optional_text()?,
                flags: cells.number()?,
            };
            Ok((owner, Some(export)))
        })?;
        let mut places = HashMap::new();
        let mut owners: Vec<(Vec<u8>, Vec<Export>)> = Vec::new();
        for (owner, export) in rows {
            let place = *places
                .entry((owner.clone(), export.is_some()))
                .or_insert_with(|| {
                    owners.push((owner, Vec::new()));
                    owners.len() - 1
                });
            owners[place].1.extend(export);
        }
        Ok(owners)
    }

    fn node_id(&self, key: Option<&[u8]>) -> Result<Option<NodeId>> {
        key.map(|key| self.one(Table::NodeIds, key, node_id))
            .transpose()
    }

    fn shader_node(&self, key: &[u8], cells: &mut Cells<'_>) -> Result<ShaderNode> {
        let shader = cells.text()?;
        if cells.value()? != D3D12_NODE_TYPE_SHADER {
            return cells.not("type of node that is known");
        }
        let overrides_type = cells.value()?;
        let local_root_arguments_table_index = cells.optional_number()?;
        let program_entry = cells.optional_bool()?;
        let new_name = self.node_id(cells.optional_bytes()?)?;
        let share_input_of = self.node_id(cells.optional_bytes()?)?;
        let mut grid = || {
            let grid = [
                cells.optional_number()?,
                cells.optional_number()?,
                cells.optional_number()?,
            ];
            match grid {
                [Some(x), Some(y), Some(z)] => Ok(Some([x, y, z])),
                [None, None, None] => Ok(None),
                _ => cells.not("number, as the other two of the grid do"),
            }
        };
        let (dispatch_grid, max_dispatch_grid) = (grid()?, grid()?);
        if cells.optional_number()?.is_some() || cells.optional_number()?.is_some() {
            return cells.not("NULL, and the API has no place for it");
        }
        let outputs = self.children(Table::NodeOutputs, key, |_, cells| {
            Ok(OutputOverrides {
                output_index: cells.number()?,
                new_name: self.node_id(cells.optional_bytes()?)?,
                allow_sparse_nodes: cells.optional_bool()?,
                max_records: cells.optional_number()?,
                max_records_shared_with_output_index: cells.optional_number()?,
            })
        })?;
        let node = ShaderNode {
            shader,
            overrides_type,
            local_root_arguments_table_index,
            program_entry,
            new_name,
            share_input_of,
            dispatch_grid,
            max_dispatch_grid,
            outputs,
        };
        check_node(&node).map_err(Fault::Wrong)?;
        Ok(node)
    }
}

/// Reads the key column of the row that a link names; it is `NULL` if the row is missing.
fn child(table: Table, key: &[u8], cells: &mut Cells<'_>) -> Result<()> {
    if cells.next()? == ValueRef::Null {
        return wrong(format!(
            "{} has no row {}, which {} names",
            cells.table.name,
            short_hex(key),
            table.definition().name
        ));
    }
    Ok(())
}

/// The place of each key; of equal keys the first.
fn places(keys: &[Vec<u8>]) -> HashMap<&[u8], usize> {
    let places = keys.iter().enumerate().rev();
    places.map(|(place, key)| (&key[..], place)).collect()
}

fn text(cells: &mut Cells<'_>) -> Result<String> {
    cells.text()
}

fn blob(cells: &mut Cells<'_>) -> Result<Blob> {
    cells.bytes().map(Blob::from)
}

fn node_id(cells: &mut Cells<'_>) -> Result<NodeId> {
    Ok(NodeId {
        name: cells.text()?,
        array_index: cells.number()?,
    })
}

fn view_instancing(cells: &mut Cells<'_>) -> Result<ViewInstancing> {
    let count = cells.number()?;
    if count as usize > COLUMNS {
        return cells.not("number of views");
    }
    let flags = cells.number()?;
    let location = |_| {
        Ok(D3D12_VIEW_INSTANCE_LOCATION {
            ViewportArrayIndex: cells.number()?,
            RenderTargetArrayIndex: cells.number()?,
        })
    };
    Ok(ViewInstancing {
        locations: (0..count).map(location).collect::<Result<_>>()?,
        flags,
    })
}

/// The blend state of a render target whose column is `NULL`.
const DEFAULT_BLEND: D3D12_RENDER_TARGET_BLEND_DESC = D3D12_RENDER_TARGET_BLEND_DESC {
    BlendEnable: BOOL(0),
    LogicOpEnable: BOOL(0),
    SrcBlend: D3D12_BLEND_ONE,
    DestBlend: D3D12_BLEND_ZERO,
    BlendOp: D3D12_BLEND_OP_ADD,
    SrcBlendAlpha: D3D12_BLEND_ONE,
    DestBlendAlpha: D3D12_BLEND_ZERO,
    BlendOpAlpha: D3D12_BLEND_OP_ADD,
    LogicOp: D3D12_LOGIC_OP_NOOP,
    RenderTargetWriteMask: 15,
};
const _: () = assert!(D3D12_COLOR_WRITE_ENABLE_ALL == 15);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sodb::schema;

    /// One row of 1,000 bytes that is named 1,000 times.
    #[test]
    fn what_is_named_often_counts_often() {
        let connection = Connection::open_in_memory().unwrap();
        schema::write(&connection).unwrap();
        connection
            .execute_batch(
                "PRAGMA foreign_keys = OFF; \
                 INSERT INTO input_element_descs VALUES (x'01', printf('%.1000c', 'a'), 0, 0, 0, 0, 0, 0); \
                 DROP TABLE input_layout_to_input_element_associations; \
                 CREATE TABLE input_layout_to_input_element_associations (InputLayoutKey, InputElementKey); \
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) \
                   INSERT INTO input_layout_to_input_element_associations SELECT x'02', x'01' FROM n; \
                 INSERT INTO pipeline_states (Key, InputLayout) VALUES (x'03', x'02');",
            )
            .unwrap();
        // The second read finds the layout in the cache, where it counts as much.
        let cache = RefCell::new(Cache::new(1 << 30));
        let reader = |left| Reader {
            connection: &connection,
            cache: &cache,
            left: Counter::new(left),
        };
        let read = reader(MAX_OBJECT).pipeline_state(&[3]);
        let layout = read
            .ok()
            .and_then(|(desc, _)| desc.fixed_function.input_layout);
        assert_eq!(layout.unwrap().len(), 1000);
        let Err(Fault::Wrong(text)) = reader(1_000_000).pipeline_state(&[3]) else {
            panic!("a million bytes are more than a million");
        };
        assert!(text.contains("limit"), "{text}");
    }
}
