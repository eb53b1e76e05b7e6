//! The tables of the published schema: the `CREATE` texts and every statement on the tables come from one list.

use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension};

use crate::psdb;

/// `PRAGMA application_id` of an SODB.
pub const APPLICATION_ID: u32 = 0x0D3D_50DB;

/// `PRAGMA user_version`: the version of the schema.
pub const USER_VERSION: u32 = 2;

macro_rules! tables {
    ($($table:ident $name:ident $columns:literal;)*) => {
        /// A table, by its place in the schema.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Table { $($table,)* }

        impl Table {
            const ALL: &[Self] = &[$(Self::$table,)*];
        }

        const TABLES: &[(&str, &str)] = &[$((stringify!($name), $columns),)*];
    };
}

// `*` is the primary key, `!` NOT NULL, `->` a foreign key. A table without a primary key is UNIQUE over all of its columns.
// The order is that of the document; other programs may rely on it.
tables! {
    RootSignatures root_signatures "Key BLOB*, value BLOB!";
    InputElementDescs input_element_descs "Key BLOB*, SemanticName TEXT!, SemanticIndex INTEGER!, Format INTEGER!, InputSlot INTEGER!, AlignedByteOffset INTEGER!, InputSlotClass INTEGER!, InstanceDataStepRate INTEGER!";
    StateObjects state_objects "Key BLOB*, Type INTEGER, NodeMask INTEGER, Flags INTEGER, AddToStateObjectParent BLOB->state_objects";
    ShaderBytecode shader_bytecode "Key BLOB*, Type TEXT, Bytecode BLOB";
    Exports exports "Key BLOB*, Name TEXT!, ExportToRename TEXT, Flags INTEGER!";
    DepthStencilOpDescs depth_stencil_op_descs "Key BLOB*, StencilFailOp INTEGER!, StencilDepthFailOp INTEGER!, StencilPassOp INTEGER!, StencilFunc INTEGER!, StencilReadMask INTEGER!, StencilWriteMask INTEGER!";
    DepthStencilDescs depth_stencil_descs "Key BLOB*, DepthEnable INTEGER!, DepthWriteMask INTEGER!, DepthFunc INTEGER!, StencilEnable INTEGER!, FrontFace BLOB!->depth_stencil_op_descs, BackFace BLOB!->depth_stencil_op_descs, DepthBoundsTestEnable INTEGER!";
    RenderTargetFormats render_target_formats "Key BLOB*, RTFormat0 INTEGER!, RTFormat1 INTEGER!, RTFormat2 INTEGER!, RTFormat3 INTEGER!, RTFormat4 INTEGER!, RTFormat5 INTEGER!, RTFormat6 INTEGER!, RTFormat7 INTEGER!, NumRenderTargets INTEGER!";
    RenderTargetBlendDescs render_target_blend_descs "Key BLOB*, BlendEnable INTEGER!, LogicOpEnable INTEGER!, SrcBlend INTEGER!, DestBlend INTEGER!, BlendOp INTEGER!, SrcBlendAlpha INTEGER!, DestBlendAlpha INTEGER!, BlendOpAlpha INTEGER!, LogicOp INTEGER!, RenderTargetWriteMask INTEGER!";
    BlendDescs blend_descs "Key BLOB*, AlphaToCoverageEnable INTEGER!, IndependentBlendEnable INTEGER!, RenderTarget0 BLOB->render_target_blend_descs, RenderTarget1 BLOB->render_target_blend_descs, RenderTarget2 BLOB->render_target_blend_descs, RenderTarget3 BLOB->render_target_blend_descs, RenderTarget4 BLOB->render_target_blend_descs, RenderTarget5 BLOB->render_target_blend_descs, RenderTarget6 BLOB->render_target_blend_descs, RenderTarget7 BLOB->render_target_blend_descs";
    RasterizerDescs rasterizer_descs "Key BLOB*, FillMode INTEGER!, CullMode INTEGER!, FrontCounterClockwise INTEGER!, DepthBias REAL!, DepthBiasClamp REAL!, SlopeScaledDepthBias REAL!, DepthClipEnable INTEGER!, LineRasterizationMode INTEGER!, ForcedSampleCount INTEGER!, ConservativeRaster INTEGER!";
    ViewInstancingDescs view_instancing_descs "Key BLOB*, ViewInstanceCount INTEGER!, RenderFlags INTEGER!, ViewportArrayIndex0 INTEGER, RenderTargetArrayIndex0 INTEGER, ViewportArrayIndex1 INTEGER, RenderTargetArrayIndex1 INTEGER, ViewportArrayIndex2 INTEGER, RenderTargetArrayIndex2 INTEGER, ViewportArrayIndex3 INTEGER, RenderTargetArrayIndex3 INTEGER";
    SoDeclarations so_declarations "Key BLOB*, Stream INTEGER!, SemanticName TEXT!, SemanticIndex INTEGER!, StartComponent INTEGER!, ComponentCount INTEGER!, OutputSlot INTEGER!";
    StreamOutDescs stream_out_descs "Key BLOB*, BufferStride0 INTEGER!, BufferStride1 INTEGER!, BufferStride2 INTEGER!, BufferStride3 INTEGER!, NumStrides INTEGER!, RasterizedStream INTEGER!";
    RtHitGroups rt_hit_groups "Key BLOB*, HitGroupExport TEXT!, Type INTEGER!, AnyHitShaderImport TEXT, ClosestHitShaderImport TEXT, IntersectionShaderImport TEXT";
    RtShaderConfig rt_shader_config "Key BLOB*, MaxPayloadSizeInBytes INTEGER!, MaxAttributeSizeInBytes INTEGER!";
    RtPipelineConfig rt_pipeline_config "Key BLOB*, MaxTraceRecursionDepth INTEGER!, Flags INTEGER!";
    DxilSubobjectToExports dxil_subobject_to_exports_associations "Key BLOB*, SubobjectToAssociate TEXT!";
    SubobjectToExports subobject_to_exports_associations "Key BLOB*, SubobjectType INTEGER!, SubobjectKey BLOB!";
    GenericPrograms generic_programs "Key BLOB*, ProgramName TEXT, InputLayout BLOB, DepthStencilDesc BLOB->depth_stencil_descs, RenderTargetFormats BLOB->render_target_formats, BlendDesc BLOB->blend_descs, RasterizerDesc BLOB->rasterizer_descs, ViewInstancingDesc BLOB->view_instancing_descs, StreamOutDesc BLOB->stream_out_descs, SampleDesc_Count INTEGER, SampleDesc_Quality INTEGER, SampleMask INTEGER, IBStripCutValue INTEGER, PrimitiveTopology INTEGER, DSVFormat INTEGER, NodeMask INTEGER, Flags INTEGER";
    PipelineStates pipeline_states "Key BLOB*, RootSignature BLOB->root_signatures, InputLayout BLOB, ByteCode_VS BLOB->shader_bytecode, ByteCode_PS BLOB->shader_bytecode, ByteCode_HS BLOB->shader_bytecode, ByteCode_DS BLOB->shader_bytecode, ByteCode_GS BLOB->shader_bytecode, ByteCode_AS BLOB->shader_bytecode, ByteCode_MS BLOB->shader_bytecode, ByteCode_CS BLOB->shader_bytecode, DepthStencilDesc BLOB->depth_stencil_descs, RenderTargetFormats BLOB->render_target_formats, BlendDesc BLOB->blend_descs, RasterizerDesc BLOB->rasterizer_descs, ViewInstancingDesc BLOB->view_instancing_descs, StreamOutDesc BLOB->stream_out_descs, SampleDesc_Count INTEGER, SampleDesc_Quality INTEGER, SampleMask INTEGER, IBStripCutValue INTEGER, PrimitiveTopology INTEGER, DSVFormat INTEGER, NodeMask INTEGER, Flags INTEGER";
    WorkGraphs work_graphs "Key BLOB*, ProgramName TEXT!, Flags INTEGER!";
    NodeIds node_ids "Key BLOB*, Name TEXT!, ArrayIndex INTEGER!";
    NodeOutputOverrides node_output_overrides "Key BLOB*, OutputIndex INTEGER!, NewName BLOB->node_ids, AllowSparseNodes INTEGER, MaxRecords INTEGER, MaxRecordsSharedWithOutputIndex INTEGER";
    ShaderNodes shader_nodes "Key BLOB*, ShaderOrProgram TEXT!, NodeType INTEGER!, OverridesType INTEGER!, LocalRootArgumentsTableIndex INTEGER, ProgramEntry INTEGER, NewName BLOB->node_ids, ShareInputOf BLOB->node_ids, DispatchGridX INTEGER, DispatchGridY INTEGER, DispatchGridZ INTEGER, MaxDispatchGridX INTEGER, MaxDispatchGridY INTEGER, MaxDispatchGridZ INTEGER, MaxInputRecordsPerGraphEntryRecord_RecordCount INTEGER, MaxInputRecordsPerGraphEntryRecord_bCountSharedAcrossNodeArray INTEGER";
    InputLayoutElements input_layout_to_input_element_associations "InputLayoutKey BLOB!, InputElementKey BLOB!->input_element_descs";
    StreamOutDeclarations stream_output_desc_to_stream_output_decl_associations "StreamOutDescKey BLOB!->stream_out_descs, StreamOutDeclKey BLOB!->so_declarations";
    GlobalRootSignatures so_to_global_rs_associations "StateObjectKey BLOB!->state_objects, RootSignatureKey BLOB!->root_signatures";
    LocalRootSignatures so_to_local_rs_associations "StateObjectKey BLOB!->state_objects, RootSignatureKey BLOB!->root_signatures";
    DxilLibs so_to_dxil_lib_associations "StateObjectKey BLOB!->state_objects, DxilLibKey BLOB!->shader_bytecode, ExportKey BLOB->exports";
    ExistingSos so_to_existing_so_associations "StateObjectKey BLOB!->state_objects, ExistingStateObjectKey BLOB!->state_objects, ExportKey BLOB->exports";
    HitGroups so_to_hit_group_associations "StateObjectKey BLOB!->state_objects, HitGroupKey BLOB!->rt_hit_groups";
    ShaderConfigs so_to_rt_shader_config_associations "StateObjectKey BLOB!->state_objects, ShaderConfigKey BLOB!->rt_shader_config";
    PipelineConfigs so_to_rt_pipeline_config_associations "StateObjectKey BLOB!->state_objects, PipelineConfigKey BLOB!->rt_pipeline_config";
    DxilAssociations so_to_dxil_subobject_to_exports_associations "StateObjectKey BLOB!->state_objects, DxilSubobjectToExportsAssociationKey BLOB!->dxil_subobject_to_exports_associations";
    Associations so_to_subobject_to_exports_associations "StateObjectKey BLOB!->state_objects, SubobjectToExportsAssociationKey BLOB!->subobject_to_exports_associations";
    Programs so_to_generic_program_associations "StateObjectKey BLOB!->state_objects, GenericProgramKey BLOB!->generic_programs";
    Graphs so_to_work_graph_associations "StateObjectKey BLOB!->state_objects, WorkGraphKey BLOB!->work_graphs";
    GraphEntryPoints work_graph_to_entrypoint_node_id_associations "WorkGraphKey BLOB!->work_graphs, NodeIDKey BLOB!->node_ids";
    NodeOutputs workgraph_node_to_node_output_overrides_associations "WorkGraphNodeKey BLOB!->shader_nodes, NodeOutputOverridesKey BLOB!->node_output_overrides";
    GraphNodes work_graph_to_work_graph_node_associations "WorkGraphKey BLOB!->work_graphs, WorkGraphNodeKey BLOB!->shader_nodes";
    Strings string_associations "OwningTableKey BLOB, Value TEXT!";
    Groups groups "Key BLOB*, Version INTEGER!, PSOKey BLOB->pipeline_states, SOKey BLOB->state_objects";
    AppId app_id "id INTEGER*, exe TEXT!, app_name TEXT!, engine_name TEXT, app_version INTEGER!, engine_version INTEGER!";
}

/// A table with its columns, and the statements on it.
pub struct Definition {
    pub name: &'static str,
    pub columns: Vec<Column>,
    /// Adds a row unless its key, or the whole row, exists.
    pub insert: String,
    /// The columns without the key of the row with a key. Of a table without keys, for the rows of an owner (the first
    /// column) in their order: the key column of the row that they name, `NULL` if it is missing, and its columns.
    pub select: String,
    /// The table whose columns `select` ends with.
    pub selects: Table,
}

/// A column.
pub struct Column {
    pub name: &'static str,
    kind: &'static str,
    is_key: bool,
    is_required: bool,
    pub references: Option<&'static str>,
}

impl Column {
    fn parse(text: &'static str) -> Self {
        let (text, references) = match text.split_once("->") {
            Some((text, table)) => (text, Some(table)),
            None => (text, None),
        };
        let (name, kind) = text.split_once(' ').expect("a name and a type");
        Self {
            name,
            kind: kind.trim_end_matches(['*', '!']),
            is_key: kind.ends_with('*'),
            is_required: kind.ends_with('!'),
            references,
        }
    }
}

static DEFINITIONS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let columns_of = |columns: &'static str| columns.split(", ").map(Column::parse).collect();
    let place_of = |table: &str| TABLES.iter().position(|(name, _)| *name == table);
    let mut definitions = Vec::new();
    for (place, (name, columns)) in TABLES.iter().enumerate() {
        let columns: Vec<Column> = columns_of(columns);
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        let parameters: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
        let insert = format!(
            "INSERT OR IGNORE INTO {name} ({}) VALUES ({})",
            names.join(", "),
            parameters.join(", ")
        );
        let last = columns.last().expect("columns");
        let (select, selects) = match last.references {
            _ if columns[0].is_key => {
                let select = format!(
                    "SELECT {} FROM {name} WHERE {} = ?1",
                    names[1..].join(", "),
                    names[0]
                );
                (select, place)
            }
            Some(table) => {
                let child = place_of(table).expect("a table of the schema");
                let children: Vec<Column> = columns_of(TABLES[child].1);
                let mut selected: Vec<String> = names[1..]
                    .iter()
                    .map(|name| format!("link.{name}"))
                    .collect();
                selected.extend(children.iter().map(|column| format!("row.{}", column.name)));
                // This sorts only the links: many can name one large row, which the sorter would hold once for each. With a
                // limit they stay a query of their own.
                let select = format!(
                    "SELECT {} FROM (SELECT {} FROM {name} WHERE {} = ?1 ORDER BY rowid LIMIT -1) link \
                     LEFT JOIN {table} row ON row.Key = link.{}",
                    selected.join(", "),
                    names.join(", "),
                    names[0],
                    last.name
                );
                (select, child)
            }
            None => {
                let select = format!(
                    "SELECT {} FROM {name} WHERE {} = ?1 ORDER BY rowid",
                    last.name, names[0]
                );
                (select, place)
            }
        };
        definitions.push(Definition {
            name,
            columns,
            insert,
            select,
            selects: Table::ALL[selects],
        });
    }
    definitions
});

impl Table {
    pub fn definition(self) -> &'static Definition {
        &DEFINITIONS[self as usize]
    }
}

impl Definition {
    /// The texts of the table and of its index, as in the document.
    fn create(&self) -> Vec<String> {
        let name = self.name;
        let mut key = String::new();
        let mut parts = Vec::new();
        for column in &self.columns {
            let Column { name, kind, .. } = column;
            if column.is_key {
                key = format!("{name} {kind} NOT NULL PRIMARY KEY , ");
            } else {
                let constraint = if column.is_required { "NOT NULL" } else { "" };
                parts.push(format!("{name} {kind} {constraint} "));
            }
        }
        for Column {
            name, references, ..
        } in &self.columns
        {
            if let Some(table) = references {
                parts.push(format!("FOREIGN KEY({name}) REFERENCES {table}(Key)"));
            }
        }
        let names = |columns: &mut dyn Iterator<Item = &Column>, separator: &str| {
            let names: Vec<&str> = columns.map(|column| column.name).collect();
            names.join(separator)
        };
        let is_link = key.is_empty();
        if is_link {
            let all = names(&mut self.columns.iter(), ", ");
            parts.push(format!("UNIQUE({all})"));
        }
        let mut texts = vec![format!("CREATE TABLE {name} ({key}{})", parts.join(","))];
        // UNIQUE ignores rows with a NULL.
        if is_link && let Some(nullable) = self.columns.iter().find(|column| !column.is_required) {
            let required = names(&mut self.columns.iter().filter(|c| c.is_required), ",");
            texts.push(format!(
                "CREATE UNIQUE INDEX {name}_partial_index ON {name}({required}) WHERE {} IS NULL",
                nullable.name
            ));
        }
        texts
    }
}

/// The 47 statements of the schema, byte for byte as `sqlite_schema` has them, in the order of the document.
///
/// The text is part of the format: other programs read it literally.
pub fn statements() -> Vec<String> {
    DEFINITIONS.iter().flat_map(Definition::create).collect()
}

/// Creates the tables in an empty database.
pub fn write(connection: &Connection) -> rusqlite::Result<()> {
    for statement in statements() {
        connection.execute_batch(&statement)?;
    }
    connection.execute_batch(&format!(
        "PRAGMA user_version = {USER_VERSION}; PRAGMA application_id = {APPLICATION_ID};"
    ))
}

/// The fault that keeps a database from being a usable SODB. This checks structure, not text: other writers format it
/// differently.
pub fn fault(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let number = |pragma: &str| {
        connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0))
    };
    let application = number("application_id")?;
    if application == i64::from(psdb::APPLICATION_ID) {
        let kind = "it is a precompiled shader database (PSDB), not a state object database (SODB)";
        return Ok(Some(kind.into()));
    }
    if application != i64::from(APPLICATION_ID) {
        return Ok(Some(format!(
            "its application_id is {application:#010x}, that of an SODB is {APPLICATION_ID:#010x}"
        )));
    }
    let version = number("user_version")?;
    if version != i64::from(USER_VERSION) {
        return Ok(Some(format!(
            "it has version {version} of the SODB's schema; version {USER_VERSION} is the one that is known"
        )));
    }
    let mut find = connection.prepare(
        "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ?1 COLLATE NOCASE",
    )?;
    let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    for Definition {
        name,
        columns: wanted,
        ..
    } in DEFINITIONS.iter()
    {
        let found = find.query_row([name], |row| Ok((row.get(0)?, row.get(1)?)));
        let found: Option<(String, bool)> = found.optional()?;
        match found {
            None => return Ok(Some(format!("table {name} is missing"))),
            Some((kind, _)) if kind != "table" => {
                return Ok(Some(format!("{name} is a {kind}, not a table")));
            }
            Some((_, true)) => return Ok(Some(format!("table {name} has no rowid"))),
            Some(_) => {}
        }
        let has: Vec<String> = columns
            .query_map([name], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let is_missing =
            |column: &&Column| !has.iter().any(|has| has.eq_ignore_ascii_case(column.name));
        if let Some(column) = wanted.iter().find(is_missing) {
            return Ok(Some(format!("table {name} has no column {}", column.name)));
        }
    }
    let trigger = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
    let trigger: Option<String> = connection
        .query_row(trigger, [], |row| row.get(0))
        .optional()?;
    Ok(trigger.map(|name| format!("it has a trigger ({name}), which no SODB has")))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use sha2::{Digest, Sha256};

    use super::{DEFINITIONS, statements, write};
    use crate::short_hex;

    /// A sort over a file of 6 MB could take 12 GB, where many rows name one of 6 MB.
    #[test]
    fn what_rows_name_is_not_sorted_with_them() {
        let connection = Connection::open_in_memory().unwrap();
        write(&connection).unwrap();
        for definition in &*DEFINITIONS {
            let mut plan = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {}", definition.select))
                .unwrap();
            let steps: Vec<(i64, String)> = plan
                .query_map([b"owner"], |row| {
                    Ok((row.get("parent")?, row.get("detail")?))
                })
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap();
            let is_joined = steps.iter().any(|(_, detail)| detail.contains(" row "));
            let is_sorted =
                |(parent, detail): &(i64, String)| *parent == 0 && detail.contains("TEMP B-TREE");
            assert!(
                !is_joined || !steps.iter().any(is_sorted),
                "{}: {steps:?}",
                definition.select
            );
        }
    }

    /// Over the text that StateObjectDatabase.md publishes, without semicolons, joined by line feeds.
    #[test]
    fn statements_are_those_of_the_document() {
        let statements = statements();
        assert_eq!(statements.len(), 47);
        let digest = Sha256::digest(statements.join("\n").as_bytes());
        assert_eq!(
            short_hex(&digest),
            "0d186515fcffda070b3bea2d9724b8506414fc75364168f6638c72eafc463b99"
        );
    }
}
