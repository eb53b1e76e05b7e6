//! Making the rows of a description, with their keys; this writes nothing.
//!
//! A key is the first 16 bytes of a SHA-256 over the table's name, the row with keys in the place of the rows that it names,
//! and the lists that belong to it. Equal content has equal keys and so one row in a file. But a list names each row at most
//! once, so what a list has again gets another key (see [`Listed`]). Readers follow keys and never compute them: other writers
//! compute theirs in another way.

use std::collections::{HashMap, HashSet};

use api_sys::{
    D3D12_BLEND_DESC, D3D12_DEPTH_STENCIL_DESC2, D3D12_DEPTH_STENCILOP_DESC1,
    D3D12_RASTERIZER_DESC2, D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
};
use rusqlite::types::{ToSqlOutput, ValueRef};
use sha2::{Digest, Sha256};
use windows_core::BOOL;

use super::schema::Table;
use super::{
    Associated, Export, FixedFunction, InputElement, NodeId, PipelineStateDesc, ShaderNode,
    ShaderStage, StateObjectDesc, StreamOutput, ViewInstancing, WorkGraph,
};
use crate::{Error, Result, short_hex};

/// A key that this writer gives a row.
pub type Key = [u8; 16];

/// The most strides, and the most views, for which a row has columns.
pub const COLUMNS: usize = 4;

/// A value of a row.
#[derive(Clone, Copy)]
pub enum Cell<'a> {
    Null,
    Number(u32),
    Real(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
    Key(Key),
}

impl Cell<'_> {
    fn value(&self) -> ValueRef<'_> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Number(number) => ValueRef::Integer((*number).into()),
            Self::Real(real) => ValueRef::Real(*real),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Key(key) => ValueRef::Blob(key),
        }
    }

    pub fn as_sql(&self) -> ToSqlOutput<'_> {
        ToSqlOutput::Borrowed(self.value())
    }
}

impl From<u32> for Cell<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl From<u8> for Cell<'_> {
    fn from(number: u8) -> Self {
        Self::Number(number.into())
    }
}

impl From<i32> for Cell<'_> {
    fn from(number: i32) -> Self {
        Self::Number(number.cast_unsigned())
    }
}

impl From<bool> for Cell<'_> {
    fn from(is: bool) -> Self {
        Self::Number(is.into())
    }
}

impl From<BOOL> for Cell<'_> {
    fn from(is: BOOL) -> Self {
        is.as_bool().into()
    }
}

impl From<f32> for Cell<'_> {
    fn from(real: f32) -> Self {
        // SQLite does not keep the sign of a zero.
        Self::Real(f64::from(real) + 0.0)
    }
}

impl From<Key> for Cell<'_> {
    fn from(key: Key) -> Self {
        Self::Key(key)
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Values of any types as the cells of a row.
macro_rules! cells {
    ($($value:expr),* $(,)?) => { vec![$(Cell::from($value)),*] };
}

fn invalid<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::InvalidArgument(text.into()))
}

/// The key of a row and of the lists that belong to it.
fn hash(domain: &str, cells: &[Cell<'_>], lists: &[&[Key]]) -> Key {
    let mut hasher = Sha256::new();
    let mut part = |tag: u8, bytes: &[u8]| {
        hasher.update([tag]);
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(b'T', domain.as_bytes());
    for cell in cells {
        match cell.value() {
            ValueRef::Null => part(b'N', &[]),
            ValueRef::Integer(number) => part(b'I', &number.to_le_bytes()),
            ValueRef::Real(real) => part(b'R', &real.to_le_bytes()),
            ValueRef::Text(text) => part(b'S', text),
            ValueRef::Blob(bytes) => part(b'B', bytes),
        }
    }
    for list in lists {
        part(b'L', list.as_flattened());
    }
    let digest = hasher.finalize();
    let mut key = [0; 16];
    key.copy_from_slice(&digest[..16]);
    key
}

/// How often a list has each row so far, by the row's first key.
///
/// An item that is there again is not always redundant: of two equal root signatures, one can be the default and the other one
/// associated with exports, and a library has a scope of its own each time it is listed.
#[derive(Default)]
struct Listed(HashMap<Key, u32>);

impl Listed {
    /// Adds an item to the list; returns the key of its row.
    fn add(&mut self, first: Key) -> Key {
        let before = self.0.entry(first).or_default();
        *before += 1;
        match *before {
            1 => first,
            count => hash("again", &[first.into(), count.into()], &[]),
        }
    }
}

/// The keys of the rows of the state objects from which another one is made: those of its collections, in their order, and
/// that of its parent.
pub struct MadeFrom {
    pub collections: Vec<Vec<u8>>,
    pub parent: Option<Vec<u8>>,
}

/// Rows to insert in this order: each after those that it names.
#[derive(Default)]
pub struct Rows<'a> {
    pub rows: Vec<(Table, Vec<Cell<'a>>)>,
}

impl<'a> Rows<'a> {
    /// Adds a row with the key of its content.
    fn keyed(&mut self, table: Table, cells: Vec<Cell<'a>>, lists: &[&[Key]]) -> Result<Key> {
        self.listed(&mut Listed::default(), table, cells, lists)
    }

    /// Adds the row of an item of a list.
    fn listed(
        &mut self,
        listed: &mut Listed,
        table: Table,
        cells: Vec<Cell<'a>>,
        lists: &[&[Key]],
    ) -> Result<Key> {
        let key = listed.add(hash(table.definition().name, &cells, lists));
        self.add(table, key, cells)?;
        Ok(key)
    }

    fn add(&mut self, table: Table, key: Key, mut cells: Vec<Cell<'a>>) -> Result<()> {
        cells.insert(0, key.into());
        self.push(table, cells)
    }

    fn push(&mut self, table: Table, cells: Vec<Cell<'a>>) -> Result<()> {
        let definition = table.definition();
        debug_assert_eq!(cells.len(), definition.columns.len());
        for (cell, column) in cells.iter().zip(&definition.columns) {
            let place = || format!("{}.{}", definition.name, column.name);
            match cell {
                Cell::Text(text) if text.contains('\0') => {
                    return invalid(format!("{}: a NUL inside a string", place()));
                }
                Cell::Real(real) if real.is_nan() => {
                    return invalid(format!("{}: not a number", place()));
                }
                _ => {}
            }
            if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = cell.value()
                && bytes.len() > super::MAX_SIZE
            {
                return Err(Error::TooBig {
                    size: bytes.len(),
                    limit: super::MAX_SIZE,
                });
            }
        }
        self.rows.push((table, cells));
        Ok(())
    }

    /// The rows that name an owner's rows.
    fn link(&mut self, table: Table, owner: Key, keys: &[Key]) -> Result<()> {
        keys.iter()
            .try_for_each(|key| self.push(table, cells![owner, *key]))
    }

    fn root_signature(&mut self, listed: &mut Listed, bytes: &'a [u8]) -> Result<Key> {
        if bytes.is_empty() {
            return invalid("a root signature of no bytes");
        }
        self.listed(listed, Table::RootSignatures, vec![Cell::Bytes(bytes)], &[])
    }

    /// A blob has one row for all its uses: its type is not part of the key.
    fn bytecode(
        &mut self,
        listed: &mut Listed,
        kind: &'static str,
        bytes: &'a [u8],
    ) -> Result<Key> {
        if bytes.is_empty() {
            return invalid(format!("{kind}: a shader of no bytes"));
        }
        let table = Table::ShaderBytecode;
        let key = listed.add(hash(table.definition().name, &[Cell::Bytes(bytes)], &[]));
        self.add(table, key, vec![Cell::Text(kind), Cell::Bytes(bytes)])?;
        Ok(key)
    }

    /// Adds the rows of a pipeline state; returns the key of its own.
    pub fn pipeline_state(&mut self, desc: &'a PipelineStateDesc) -> Result<Key> {
        if desc.has_root_signature_object {
            return invalid(
                "an ID3D12RootSignature cannot be stored: give a SERIALIZED_ROOT_SIGNATURE in its place",
            );
        }
        let root_signature = desc.root_signature.as_deref();
        let root_signature =
            root_signature.map(|bytes| self.root_signature(&mut Listed::default(), bytes));
        let mut cells = cells![root_signature.transpose()?];
        let (input_layout, state) = self.fixed_function(&desc.fixed_function)?;
        cells.push(input_layout);
        for stage in ShaderStage::ALL {
            let bytes = desc.shaders[stage].as_deref();
            let key = bytes.map(|bytes| self.bytecode(&mut Listed::default(), stage.name(), bytes));
            cells.push(key.transpose()?.into());
        }
        cells.extend(state);
        cells.extend(cells![desc.node_mask, desc.fixed_function.flags]);
        self.keyed(Table::PipelineStates, cells, &[])
    }

    /// The columns `InputLayout`, and `DepthStencilDesc` to `DSVFormat`.
    fn fixed_function(&mut self, state: &'a FixedFunction) -> Result<(Cell<'a>, Vec<Cell<'a>>)> {
        let input_layout = state.input_layout.as_deref();
        let input_layout = input_layout.map(|elements| self.input_layout(elements));
        let depth_stencil = state.depth_stencil.as_ref();
        let depth_stencil = depth_stencil.map(|desc| self.depth_stencil(desc));
        let formats = state.render_target_formats.map(|formats| {
            if formats.NumRenderTargets as usize > formats.RTFormats.len() {
                return invalid(format!("{} render targets", formats.NumRenderTargets));
            }
            let mut cells: Vec<_> = formats.RTFormats.into_iter().map(Cell::from).collect();
            cells.push(formats.NumRenderTargets.into());
            self.keyed(Table::RenderTargetFormats, cells, &[])
        });
        let formats = formats.transpose()?;
        let blend = state.blend.as_ref().map(|desc| self.blend(desc));
        let blend = blend.transpose()?;
        let rasterizer = state.rasterizer.as_ref().map(|desc| self.rasterizer(desc));
        let rasterizer = rasterizer.transpose()?;
        let views = state.view_instancing.as_ref();
        let views = views.map(|desc| self.view_instancing(desc)).transpose()?;
        let stream_output = state.stream_output.as_ref();
        let stream_output = stream_output.map(|desc| self.stream_output(desc));
        let cells = cells![
            depth_stencil.transpose()?,
            formats,
            blend,
            rasterizer,
            views,
            stream_output.transpose()?,
            state.sample_desc.map(|desc| desc.Count),
            state.sample_desc.map(|desc| desc.Quality),
            state.sample_mask,
            state.ib_strip_cut_value,
            state.primitive_topology,
            state.depth_stencil_format,
        ];
        Ok((input_layout.transpose()?.into(), cells))
    }

    /// A layout has no row of its own, only those that link its elements.
    fn input_layout(&mut self, elements: &'a [InputElement]) -> Result<Key> {
        let mut distinct = HashSet::new();
        let mut keys = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let cells = cells![
                &element.semantic_name,
                element.semantic_index,
                element.format,
                element.input_slot,
                element.aligned_byte_offset,
                element.input_slot_class,
                element.instance_data_step_rate,
            ];
            let key = self.keyed(Table::InputElementDescs, cells, &[])?;
            if !distinct.insert(key) {
                return invalid(format!("input element {index} is there twice"));
            }
            keys.push(key);
        }
        let table = Table::InputLayoutElements;
        let layout = hash(table.definition().name, &[], &[&keys]);
        self.link(table, layout, &keys)?;
        Ok(layout)
    }

    fn stream_output(&mut self, desc: &'a StreamOutput) -> Result<Key> {
        let mut gaps = HashMap::new();
        let mut distinct = HashSet::new();
        let mut keys = Vec::with_capacity(desc.entries.len());
        for (index, entry) in desc.entries.iter().enumerate() {
            let shape = (
                entry.stream,
                entry.start_component,
                entry.component_count,
                entry.output_slot,
            );
            let (name, number) = match &entry.semantic_name {
                Some(name) if !name.is_empty() => (name.as_str(), entry.semantic_index),
                // A list cannot hold a row twice, and gaps are often equal: the number, which has no meaning without a name,
                // distinguishes them.
                _ => {
                    let next = gaps.entry(shape).or_insert(0_u32);
                    *next += 1;
                    ("", *next - 1)
                }
            };
            let cells = vec![
                entry.stream.into(),
                Cell::Text(name),
                number.into(),
                entry.start_component.into(),
                entry.component_count.into(),
                entry.output_slot.into(),
            ];
            let key = self.keyed(Table::SoDeclarations, cells, &[])?;
            if !distinct.insert(key) {
                return invalid(format!("stream output entry {index} is there twice"));
            }
            keys.push(key);
        }
        if desc.strides.len() > COLUMNS {
            return invalid(format!("{} strides of stream output", desc.strides.len()));
        }
        let stride = |index| desc.strides.get(index).copied().unwrap_or(0);
        let mut cells: Vec<Cell<'_>> = (0..COLUMNS).map(|index| stride(index).into()).collect();
        cells.push(number_of(desc.strides.len()));
        cells.push(desc.rasterized_stream.into());
        let key = self.keyed(Table::StreamOutDescs, cells, &[&keys])?;
        self.link(Table::StreamOutDeclarations, key, &keys)?;
        Ok(key)
    }

    fn blend(&mut self, desc: &D3D12_BLEND_DESC) -> Result<Key> {
        let used = if desc.IndependentBlendEnable.as_bool() {
            desc.RenderTarget.len()
        } else {
            1
        };
        let mut cells = cells![desc.AlphaToCoverageEnable, desc.IndependentBlendEnable];
        for target in &desc.RenderTarget[..used] {
            let target = cells![
                target.BlendEnable,
                target.LogicOpEnable,
                target.SrcBlend,
                target.DestBlend,
                target.BlendOp,
                target.SrcBlendAlpha,
                target.DestBlendAlpha,
                target.BlendOpAlpha,
                target.LogicOp,
                target.RenderTargetWriteMask,
            ];
            cells.push(
                self.keyed(Table::RenderTargetBlendDescs, target, &[])?
                    .into(),
            );
        }
        cells.resize(2 + desc.RenderTarget.len(), Cell::Null);
        self.keyed(Table::BlendDescs, cells, &[])
    }

    fn rasterizer(&mut self, desc: &D3D12_RASTERIZER_DESC2) -> Result<Key> {
        let cells = cells![
            desc.FillMode,
            desc.CullMode,
            desc.FrontCounterClockwise,
            desc.DepthBias,
            desc.DepthBiasClamp,
            desc.SlopeScaledDepthBias,
            desc.DepthClipEnable,
            desc.LineRasterizationMode,
            desc.ForcedSampleCount,
            desc.ConservativeRaster,
        ];
        self.keyed(Table::RasterizerDescs, cells, &[])
    }

    fn depth_stencil(&mut self, desc: &D3D12_DEPTH_STENCIL_DESC2) -> Result<Key> {
        let front = self.stencil(&desc.FrontFace)?;
        let back = self.stencil(&desc.BackFace)?;
        let cells = cells![
            desc.DepthEnable,
            desc.DepthWriteMask,
            desc.DepthFunc,
            desc.StencilEnable,
            front,
            back,
            desc.DepthBoundsTestEnable,
        ];
        self.keyed(Table::DepthStencilDescs, cells, &[])
    }

    fn stencil(&mut self, desc: &D3D12_DEPTH_STENCILOP_DESC1) -> Result<Key> {
        let cells = cells![
            desc.StencilFailOp,
            desc.StencilDepthFailOp,
            desc.StencilPassOp,
            desc.StencilFunc,
            desc.StencilReadMask,
            desc.StencilWriteMask,
        ];
        self.keyed(Table::DepthStencilOpDescs, cells, &[])
    }

    fn view_instancing(&mut self, desc: &ViewInstancing) -> Result<Key> {
        if desc.locations.len() > COLUMNS {
            return invalid(format!("{} view instances", desc.locations.len()));
        }
        let mut cells = vec![number_of(desc.locations.len()), desc.flags.into()];
        for index in 0..COLUMNS {
            let location = desc.locations.get(index);
            cells.push(location.map(|location| location.ViewportArrayIndex).into());
            cells.push(
                location
                    .map(|location| location.RenderTargetArrayIndex)
                    .into(),
            );
        }
        self.keyed(Table::ViewInstancingDescs, cells, &[])
    }

    /// Adds the rows of a state object; returns the key of its own. After the first key there are `behind_the_first` others:
    /// an existing row may have changed what it is made from and keeps its key.
    pub fn state_object(
        &mut self,
        desc: &'a StateObjectDesc,
        made_from: &'a MadeFrom,
        behind_the_first: u32,
    ) -> Result<Key> {
        let global = self.each(&desc.global_root_signatures, |rows, listed, bytes| {
            rows.root_signature(listed, bytes)
        })?;
        let local = self.each(&desc.local_root_signatures, |rows, listed, bytes| {
            rows.root_signature(listed, bytes)
        })?;
        // A row can be linked with exports and without any: a reader takes that for two libraries or collections.
        let mut libraries = Vec::new();
        let mut listed = [Listed::default(), Listed::default()];
        for library in &desc.libraries {
            let listed = &mut listed[usize::from(library.exports.is_empty())];
            let key = self.bytecode(listed, "LIB", &library.bytecode)?;
            libraries.extend(pairs(key.into(), self.exports(&library.exports)?));
        }
        let mut existing = Vec::new();
        let mut distinct_collections = HashSet::new();
        for (collection, key) in desc.collections.iter().zip(&made_from.collections) {
            if !distinct_collections.insert((key, collection.exports.is_empty())) {
                return invalid(format!(
                    "collection {} is listed twice; the schema has a place for one list of its exports, so \
                     list them all at once",
                    short_hex(key)
                ));
            }
            existing.extend(pairs(Cell::Bytes(key), self.exports(&collection.exports)?));
        }
        let hit_groups = self.each(&desc.hit_groups, |rows, listed, group| {
            let cells = cells![
                &group.export,
                group.kind,
                group.any_hit.as_ref(),
                group.closest_hit.as_ref(),
                group.intersection.as_ref(),
            ];
            rows.listed(listed, Table::RtHitGroups, cells, &[])
        })?;
        let shader_configs = self.each(&desc.shader_configs, |rows, listed, config| {
            let cells = cells![config.MaxPayloadSizeInBytes, config.MaxAttributeSizeInBytes];
            rows.listed(listed, Table::RtShaderConfig, cells, &[])
        })?;
        let pipeline_configs = self.each(&desc.pipeline_configs, |rows, listed, config| {
            let cells = cells![config.MaxTraceRecursionDepth, config.Flags];
            rows.listed(listed, Table::RtPipelineConfig, cells, &[])
        })?;
        let programs = self.each(&desc.generic_programs, |rows, listed, program| {
            let mut distinct = HashSet::new();
            if let Some(twice) = program.exports.iter().find(|name| !distinct.insert(*name)) {
                return invalid(format!("a generic program lists export {twice} twice"));
            }
            let (input_layout, state) = rows.fixed_function(&program.state)?;
            let mut cells = cells![program.name.as_ref()];
            cells.push(input_layout);
            cells.extend(state);
            cells.extend([Cell::Null, program.state.flags.into()]);
            rows.named(listed, Table::GenericPrograms, cells, &program.exports)
        })?;
        let graphs = self.each(&desc.work_graphs, Self::work_graph)?;
        let associations = self.each(&desc.associations, |rows, listed, association| {
            let find = |keys: &[Key], index: usize| match keys.get(index) {
                Some(key) => Ok(*key),
                None => invalid(format!(
                    "{:?} is associated, but not there",
                    association.subobject
                )),
            };
            // These two have no row that a key could name.
            let value = |value: Option<u32>| match value {
                Some(value) => Ok(hash("state_objects value", &[value.into()], &[])),
                None => find(&[], 0),
            };
            let (kind, key) = match association.subobject {
                Associated::Config => (
                    D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
                    value(desc.config)?,
                ),
                Associated::NodeMask => {
                    (D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK, value(desc.node_mask)?)
                }
                Associated::GlobalRootSignature(index) => (
                    D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
                    find(&global, index)?,
                ),
                Associated::LocalRootSignature(index) => (
                    D3D12_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
                    find(&local, index)?,
                ),
                Associated::ShaderConfig(index) => (
                    D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
                    find(&shader_configs, index)?,
                ),
                Associated::PipelineConfig(index) => {
                    let key = find(&pipeline_configs, index)?;
                    let kind = match desc.pipeline_configs[index].Flags {
                        0 => D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
                        _ => D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
                    };
                    (kind, key)
                }
            };
            rows.named(
                listed,
                Table::SubobjectToExports,
                cells![kind, key],
                &association.exports,
            )
        })?;
        let dxil_associations =
            self.each(&desc.dxil_associations, |rows, listed, association| {
                let cells = cells![&association.subobject];
                rows.named(
                    listed,
                    Table::DxilSubobjectToExports,
                    cells,
                    &association.exports,
                )
            })?;

        let mut cells = cells![desc.kind, desc.node_mask, desc.config];
        let parent = made_from.parent.as_deref();
        cells.push(parent.map_or(Cell::Null, Cell::Bytes));
        let lists = [
            (Table::GlobalRootSignatures, global),
            (Table::LocalRootSignatures, local),
            (Table::HitGroups, hit_groups),
            (Table::ShaderConfigs, shader_configs),
            (Table::PipelineConfigs, pipeline_configs),
            (Table::Programs, programs),
            (Table::Graphs, graphs),
            (Table::Associations, associations),
            (Table::DxilAssociations, dxil_associations),
        ];
        let flat = |pairs: &[[Cell<'_>; 2]]| hash("exports", pairs.as_flattened(), &[]);
        let exported = [flat(&libraries), flat(&existing)];
        let mut all: Vec<&[Key]> = lists.iter().map(|(_, keys)| &keys[..]).collect();
        all.push(&exported);
        let other = [hash("state_objects key", &[behind_the_first.into()], &[])];
        if behind_the_first > 0 {
            all.push(&other);
        }
        let key = self.keyed(Table::StateObjects, cells, &all)?;
        for (table, keys) in &lists {
            self.link(*table, key, keys)?;
        }
        for (table, pairs) in [(Table::DxilLibs, libraries), (Table::ExistingSos, existing)] {
            for [owner, export] in pairs {
                self.push(table, vec![key.into(), owner, export])?;
            }
        }
        Ok(key)
    }

    fn each<T>(
        &mut self,
        items: &'a [T],
        row: impl Fn(&mut Self, &mut Listed, &'a T) -> Result<Key>,
    ) -> Result<Vec<Key>> {
        let mut listed = Listed::default();
        let items = items.iter();
        items.map(|item| row(self, &mut listed, item)).collect()
    }

    /// Adds the row of an item of a list, which owns strings: each once.
    fn named(
        &mut self,
        listed: &mut Listed,
        table: Table,
        cells: Vec<Cell<'a>>,
        strings: &'a [String],
    ) -> Result<Key> {
        let mut distinct = HashSet::new();
        let strings = strings.iter().filter(|string| distinct.insert(*string));
        let strings: Vec<&String> = strings.collect();
        let texts: Vec<Cell<'_>> = strings.iter().copied().map(Cell::from).collect();
        let lists: [&[Key]; 1] = [&[hash("strings", &texts, &[])]];
        let key = self.listed(listed, table, cells, &lists)?;
        for string in strings {
            self.push(Table::Strings, cells![key, string])?;
        }
        Ok(key)
    }

    fn exports(&mut self, exports: &'a [Export]) -> Result<Vec<Key>> {
        self.each(exports, |rows, listed, export| {
            let cells = cells![&export.name, export.export_to_rename.as_ref(), export.flags];
            rows.listed(listed, Table::Exports, cells, &[])
        })
    }

    fn work_graph(&mut self, listed: &mut Listed, graph: &'a WorkGraph) -> Result<Key> {
        if graph.entry_points.iter().any(|id| id.name.is_empty()) {
            return invalid(format!(
                "work graph {}: an entry point has no name",
                graph.name
            ));
        }
        let entry_points = self.each(&graph.entry_points, Self::node_id)?;
        let nodes = self.each(&graph.nodes, Self::shader_node)?;
        let cells = cells![&graph.name, graph.flags];
        let lists: [&[Key]; 2] = [&entry_points, &nodes];
        let key = self.listed(listed, Table::WorkGraphs, cells, &lists)?;
        self.link(Table::GraphEntryPoints, key, &entry_points)?;
        self.link(Table::GraphNodes, key, &nodes)?;
        Ok(key)
    }

    fn node_id(&mut self, listed: &mut Listed, id: &'a NodeId) -> Result<Key> {
        self.listed(
            listed,
            Table::NodeIds,
            cells![&id.name, id.array_index],
            &[],
        )
    }

    fn optional_id(&mut self, id: Option<&'a NodeId>) -> Result<Cell<'a>> {
        let key = id.map(|id| self.node_id(&mut Listed::default(), id));
        Ok(key.transpose()?.into())
    }

    fn shader_node(&mut self, listed: &mut Listed, node: &'a ShaderNode) -> Result<Key> {
        check_node(node).map_err(Error::InvalidArgument)?;
        let outputs = self.each(&node.outputs, |rows, listed, output| {
            let cells = vec![
                output.output_index.into(),
                rows.optional_id(output.new_name.as_ref())?,
                output.allow_sparse_nodes.into(),
                output.max_records.into(),
                output.max_records_shared_with_output_index.into(),
            ];
            rows.listed(listed, Table::NodeOutputOverrides, cells, &[])
        })?;
        let mut cells = vec![
            Cell::from(&node.shader),
            api_sys::D3D12_NODE_TYPE_SHADER.into(),
            node.overrides_type.into(),
            node.local_root_arguments_table_index.into(),
            node.program_entry.into(),
            self.optional_id(node.new_name.as_ref())?,
            self.optional_id(node.share_input_of.as_ref())?,
        ];
        for grid in [node.dispatch_grid, node.max_dispatch_grid] {
            cells.extend((0..3).map(|axis| Cell::from(grid.map(|grid| grid[axis]))));
        }
        // MaxInputRecordsPerGraphEntryRecord belongs to a structure that the API does not have.
        cells.extend([Cell::Null, Cell::Null]);
        let key = self.listed(listed, Table::ShaderNodes, cells, &[&outputs])?;
        self.link(Table::NodeOutputs, key, &outputs)?;
        Ok(key)
    }
}

/// A library or a collection with each of its exports, or alone if it exports everything.
fn pairs(owner: Cell<'_>, exports: Vec<Key>) -> impl Iterator<Item = [Cell<'_>; 2]> {
    let all = exports.is_empty().then_some(Cell::Null);
    let exports = exports.into_iter().map(Cell::Key);
    all.into_iter()
        .chain(exports)
        .map(move |export| [owner, export])
}

/// A count of no more than [`COLUMNS`].
fn number_of(count: usize) -> Cell<'static> {
    Cell::Number(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Checks that the overrides are allowed for their type.
pub(super) fn check_node(node: &ShaderNode) -> std::result::Result<(), String> {
    use api_sys::{
        D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH, D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE,
        D3D12_NODE_OVERRIDES_TYPE_NONE,
    };
    let kind = node.overrides_type;
    let name = &node.shader;
    if !(D3D12_NODE_OVERRIDES_TYPE_NONE..=D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE).contains(&kind)
    {
        return Err(format!("node {name}: OverridesType {kind} is unknown"));
    }
    let has_grids = node.dispatch_grid.is_some() || node.max_dispatch_grid.is_some();
    if has_grids && kind != D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH {
        return Err(format!(
            "node {name}: only overrides of a broadcasting launch have dispatch grids"
        ));
    }
    let has_any = node.local_root_arguments_table_index.is_some()
        || node.program_entry.is_some()
        || node.new_name.is_some()
        || node.share_input_of.is_some()
        || !node.outputs.is_empty();
    if has_any && kind == D3D12_NODE_OVERRIDES_TYPE_NONE {
        return Err(format!(
            "node {name}: it has overrides, but OverridesType says that it has none"
        ));
    }
    let is_empty = |id: &Option<NodeId>| id.as_ref().is_some_and(|id| id.name.is_empty());
    if is_empty(&node.new_name) || node.outputs.iter().any(|output| is_empty(&output.new_name)) {
        return Err(format!("node {name}: pNewName has no name"));
    }
    Ok(())
}
