//! State objects.

use std::ffi::c_void;
use std::ptr;

use bytemuck::Zeroable;
use ddi_sys::*;

use super::description::{Description, Kind, OPTIONAL, REQUIRED, at, values};
use super::pipeline::{LIBRARY, blend, depth_stencil, program, rasterizer};

pub type StateObject = Description<D3D12DDIARG_CREATE_STATE_OBJECT_0054>;

/// Every subobject type, in order; an existing collection needs a collection.
const TYPES: [D3D12DDI_STATE_SUBOBJECT_TYPE; 26] = [
    D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP,
    D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
    D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
    D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
    D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
    D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
    D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS,
    D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY,
];

impl StateObject {
    /// A state object of these subobjects, whose descriptions are null.
    pub fn of(types: &[D3D12DDI_STATE_SUBOBJECT_TYPE]) -> Self {
        let mut d = Self::zeroed();
        let subobjects = types.iter().map(|&kind| D3D12DDI_STATE_SUBOBJECT_0054 {
            Type: kind,
            pDesc: ptr::null(),
        });
        let field = (at!(d.raw, pSubobjects), at!(d.raw, NumSubobjects));
        d.array("pSubobjects", field, subobjects.collect(), None);
        d.get().Type = D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE;
        d
    }

    /// The subobjects, to be changed.
    #[allow(
        clippy::mut_from_ref,
        reason = "they are the arena's, behind a raw pointer"
    )]
    pub fn subobjects(&self) -> &mut [D3D12DDI_STATE_SUBOBJECT_0054] {
        let raw = self.get();
        if raw.NumSubobjects == 0 {
            return &mut [];
        }
        let (pointer, count) = (raw.pSubobjects.cast_mut(), raw.NumSubobjects as usize);
        // SAFETY: the description's own array; a test keeps no reference while it calls the plugin.
        unsafe { std::slice::from_raw_parts_mut(pointer, count) }
    }

    fn index(&self, kind: D3D12DDI_STATE_SUBOBJECT_TYPE) -> usize {
        let mut subobjects = self.subobjects().iter();
        subobjects
            .position(|subobject| subobject.Type == kind)
            .unwrap()
    }

    /// What the subobject of that type points at.
    pub fn content<V>(&self, kind: D3D12DDI_STATE_SUBOBJECT_TYPE) -> *mut V {
        self.subobjects()[self.index(kind)].pDesc.cast_mut().cast()
    }

    /// Describes the subobject of that type; its path, the description, and its point.
    fn describe<V: Zeroable + 'static>(
        &mut self,
        kind: D3D12DDI_STATE_SUBOBJECT_TYPE,
        value: V,
    ) -> (String, *mut V, usize) {
        let index = self.index(kind);
        let subobject = self.get().pSubobjects.cast_mut().wrapping_add(index);
        let field = at!(subobject, pDesc);
        let (desc, point) = self.structure("pDesc", field, REQUIRED, value, Some(0));
        (format!("pSubobjects[{index}]."), desc, point)
    }

    /// A raytracing pipeline: a library and its configuration.
    pub fn raytracing() -> Self {
        let config = D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG;
        let mut d = Self::of(&[D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, config]);
        d.library();
        let value = D3D12DDI_RAYTRACING_SHADER_CONFIG_0054 {
            MaxPayloadSizeInBytes: 32,
            MaxAttributeSizeInBytes: 8,
        };
        d.describe(config, value);
        d
    }

    /// Refers to a collection of the plugin's.
    pub fn with_collection(collection: *mut c_void) -> Self {
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION;
        let mut d = Self::of(&[kind]);
        let value = D3D12DDI_EXISTING_COLLECTION_DESC_0054 {
            hExistingCollection: D3D12DDI_HSTATEOBJECT_0054 {
                pDrvPrivate: collection,
            },
            NumExports: 0,
            pExports: ptr::null_mut(),
        };
        d.describe(kind, value);
        d
    }

    /// Every subobject type but existing collections, with every pointer set.
    pub fn full() -> Self {
        let mut d = Self::of(&TYPES);
        let raw = d.raw;
        values!(d, "", raw, Type);

        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG;
        let (at, config, _) = d.describe(kind, D3D12DDI_STATE_OBJECT_CONFIG_0054::zeroed());
        d.value(at + "Config", at!(config, Flags));
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE;
        let (at, root, point) = d.describe(kind, D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054::zeroed());
        let field = at!(root, hGlobalRootSignature);
        d.root_signature_1_2(field, &(at + "GlobalRootSignature."), Some(point));
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE;
        let (at, root, point) = d.describe(kind, D3D12DDI_LOCAL_ROOT_SIGNATURE_0054::zeroed());
        let field = at!(root, hLocalRootSignature);
        d.root_signature_1_1(field, &(at + "LocalRootSignature."), Some(point));
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE;
        let (at, root, point) = d.describe(kind, Zeroable::zeroed());
        d.root_signature_1_2_in(root, &(at + "GlobalRootSignature."), point);
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE;
        let (at, root, point) = d.describe(kind, Zeroable::zeroed());
        d.root_signature_1_1_in(root, &(at + "LocalRootSignature."), point);

        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK;
        d.describe(kind, D3D12DDI_NODE_MASK_0054 { NodeMask: 1 });
        d.library();
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG;
        d.describe(kind, D3D12DDI_RAYTRACING_SHADER_CONFIG_0054::zeroed());
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG;
        let (at, config, _) = d.describe(kind, D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075::zeroed());
        values!(d, at, config, Flags);
        d.hit_group();
        d.work_graph();

        d.stream_output();
        let (at, blend, _) = d.describe(D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND, blend());
        d.blend_values(&(at + "Blend."), blend);
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK;
        d.describe(kind, D3D12DDI_SAMPLE_MASK_0084 { SampleMask: 1 });
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER;
        let (at, rasterizer, _) = d.describe(kind, rasterizer());
        d.rasterizer_values(&(at + "Rasterizer."), rasterizer);
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL;
        let (at, depth_stencil, _) = d.describe(kind, depth_stencil());
        d.depth_stencil_values(&(at + "DepthStencil."), depth_stencil);
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT;
        let (at, layout, point) = d.describe(kind, Zeroable::zeroed());
        d.input_layout(&(at + "InputLayout."), layout, point);
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE;
        let (at, cut, _) = d.describe(kind, D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE::default());
        d.value(at + "IBStripCutValue", cut);
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY;
        let (at, topology, _) = d.describe(kind, D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084::zeroed());
        values!(d, at, topology, PrimitiveTopology);
        let formats = D3D12DDI_RT_FORMAT_ARRAY {
            NumRenderTargets: 2,
            ..Zeroable::zeroed()
        };
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS;
        let (at, formats, _) = d.describe(kind, formats);
        d.value(at + "RTFormats", at!(formats, RTFormats[1]));
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT;
        let (at, format, _) = d.describe(kind, D3D12DDI_DEPTH_STENCIL_FORMAT_0084::zeroed());
        values!(d, at, format, DepthStencilFormat);
        let samples = DXGI_SAMPLE_DESC {
            Count: 4,
            Quality: 2,
        };
        d.describe(D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, samples);
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS;
        let (at, flags, _) = d.describe(kind, D3D12DDI_PIPELINE_STATE_FLAG_NONE);
        d.value(at + "Flags", flags);
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING;
        let (at, instancing, point) = d.describe(kind, Zeroable::zeroed());
        d.view_instancing(instancing, Some(point));
        d.value(at + "ViewInstancing.Flags", at!(instancing, Flags));

        d.generic_program();
        d.export_summary();
        d
    }

    fn library(&mut self) {
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY;
        let (at, library, point) = self.describe(kind, D3D12DDI_DXIL_LIBRARY_DESC_0054::zeroed());
        let code = self.arena.slice(program(LIBRARY));
        let field = at!(library, pDXILLibrary);
        self.point("pDXILLibrary", field, Kind::Code, code, Some(point));
        let field = (at!(library, pExports), at!(library, NumExports));
        let exports = vec![D3D12DDI_EXPORT_DESC_0054::zeroed(); 2];
        let (exports, point) = self.array("pExports", field, exports, Some(point));
        for (index, (name, rename)) in [("RayGen", "Primary"), ("Miss", "Sky")].iter().enumerate() {
            let export = exports.wrapping_add(index);
            self.text("Name", at!(export, Name), REQUIRED, name, point);
            let field = at!(export, ExportToRename);
            self.text("ExportToRename", field, OPTIONAL, rename, point);
            let prefix = format!("{at}DxilLibrary.pExports[{index}].");
            values!(self, prefix, export, Flags);
        }
    }

    fn hit_group(&mut self) {
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP;
        let (at, group, point) = self.describe(kind, D3D12DDI_HIT_GROUP_DESC_0054::zeroed());
        let export = at!(group, HitGroupExport);
        self.text("HitGroupExport", export, REQUIRED, "Group", point);
        for (what, field) in [
            ("AnyHitShaderImport", at!(group, AnyHitShaderImport)),
            ("ClosestHitShaderImport", at!(group, ClosestHitShaderImport)),
            (
                "IntersectionShaderImport",
                at!(group, IntersectionShaderImport),
            ),
        ] {
            self.text(what, field, OPTIONAL, what, point);
        }
        values!(self, at + "HitGroup.", group, Type, SummaryFlags);
    }

    fn stream_output(&mut self) {
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT;
        let (_, streams, point) = self.describe(kind, D3D12DDI_STREAM_OUTPUT_DESC_0108::zeroed());
        let declaration = vec![D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY::zeroed(); 2];
        let field = (at!(streams, pSODeclaration), at!(streams, NumEntries));
        self.array("pOutputStreamDecl", field, declaration, Some(point));
        let field = (at!(streams, pBufferStrides), at!(streams, NumStrides));
        self.array("BufferStridesInBytes", field, vec![16, 32, 48], Some(point));
    }

    /// The second subobject, one from elsewhere, and the first.
    fn associated(&mut self) -> Vec<*const D3D12DDI_STATE_SUBOBJECT_0054> {
        let own = self.get().pSubobjects;
        let outside = self.arena.put(D3D12DDI_STATE_SUBOBJECT_0054::zeroed());
        vec![own.wrapping_add(1), outside, own]
    }

    fn generic_program(&mut self) {
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM;
        let (_, p, point) = self.describe(kind, D3D12DDI_GENERIC_PROGRAM_DESC_0108::zeroed());
        self.text(
            "ProgramName",
            at!(p, ProgramName),
            OPTIONAL,
            "Program",
            point,
        );
        let field = (at!(p, pExports), at!(p, NumExports));
        let exports: Vec<LPCWSTR> = vec![ptr::null(); 2];
        let (names, exports) = self.array("pExports", field, exports, Some(point));
        self.text("pExports", names, REQUIRED, "Vertex", exports);
        self.text(
            "pExports",
            names.wrapping_add(1),
            REQUIRED,
            "Pixel",
            exports,
        );
        let subobjects = self.associated();
        let field = (at!(p, pSubobjects), at!(p, NumSubobjects));
        self.array("ppAssociatedSubobjects", field, subobjects, Some(point));
    }

    fn export_summary(&mut self) {
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY;
        let (at, summary, point) = self.describe(kind, D3D12DDI_FUNCTION_SUMMARY_0054::zeroed());
        let nodes = vec![D3D12DDI_FUNCTION_SUMMARY_NODE_0054::zeroed()];
        let field = (at!(summary, pSummaries), at!(summary, NumExportedFunctions));
        let (node, point) = self.array("pSummaries", field, nodes, Some(point));
        let name = at!(node, ExportNameUnmangled);
        self.text("ExportNameUnmangled", name, OPTIONAL, "Miss", point);
        let name = at!(node, ExportNameMangled);
        self.text("ExportNameMangled", name, OPTIONAL, "?Miss@@YAXXZ", point);
        let subobjects = self.associated();
        let field = (
            at!(node, ppAssociatedSubobjects),
            at!(node, NumAssociatedSubobjects),
        );
        self.array("ppAssociatedSubobjects", field, subobjects, Some(point));
        values!(self, at, summary, OverallFlags);
        values!(self, at + "pSummaries[0].", node, Flags);
    }

    /// Three nodes, one for each mode of launching; a fourth is the entry point.
    fn work_graph(&mut self) {
        let kind = D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH;
        let (at, graph, point) = self.describe(kind, D3D12DDI_WORK_GRAPH_DESC_0108::zeroed());
        let at = at + "WorkGraph.";
        self.text(
            "ProgramName",
            at!(graph, ProgramName),
            REQUIRED,
            "Graph",
            point,
        );
        values!(self, at, graph, Flags);
        // SAFETY: the arena's.
        unsafe {
            (*graph).Version = 1;
            (*graph).NumNodes = 3;
            (*graph).NumEntrypoints = 1;
        }
        let (field, zeroed) = (at!(graph, pEntrypoints), Zeroable::zeroed());
        let (list, link) = self.structure("pEntrypoints", field, OPTIONAL, zeroed, Some(point));
        let prefix = format!("{at}pEntrypoints[0].");
        let (shader, entry_point) = self.node(list, "Entry", &prefix, link);
        let mode = D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108;
        let thread = D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108::zeroed();
        let what = "pThreadLaunchNodeProperties";
        let (p, properties) = self.properties(shader, mode, what, thread, entry_point);
        self.node_id(at!(p, FinalName), ("entry", 7), properties);

        let mut field = at!(graph, pNodes);
        let mut parent = point;
        let mut shaders = Vec::new();
        for (index, name) in ["Broadcasting", "Coalescing", "Thread"]
            .into_iter()
            .enumerate()
        {
            let zeroed = D3D12DDI_NODE_LIST_ENTRY_0108::zeroed();
            let (list, link) = self.structure("pNodes", field, OPTIONAL, zeroed, Some(parent));
            let prefix = format!("{at}pNodes[{index}].");
            let (shader, point) = self.node(list, name, &prefix, link);
            shaders.push((shader, point));
            (field, parent) = (at!(list, pNext), link);
        }
        let (shader, point) = shaders[0];
        self.broadcasting(shader, &format!("{at}pNodes[0].Properties."), point);
        let (shader, point) = shaders[1];
        let mode = D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108;
        let coalescing = D3D12DDI_COALESCING_LAUNCH_NODE_PROPERTIES_0108 {
            InputMaxRecordArraySize: 12,
            ..Zeroable::zeroed()
        };
        let what = "pCoalescingLaunchNodeProperties";
        let (p, properties) = self.properties(shader, mode, what, coalescing, point);
        self.node_id(at!(p, FinalName), ("coalescing", 4), properties);
        let (shader, point) = shaders[2];
        let mode = D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108;
        let what = "pThreadLaunchNodeProperties";
        let (p, properties) = self.properties(shader, mode, what, thread, point);
        self.node_id(at!(p, FinalName), ("thread", 0), properties);
    }

    /// Puts a shader node into an entry of a list.
    fn node(
        &mut self,
        list: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
        name: &str,
        prefix: &str,
        parent: usize,
    ) -> (*mut D3D12DDI_SHADER_NODE_0108, usize) {
        let (field, zeroed) = (at!(list, pNode), D3D12DDI_NODE_0108::zeroed());
        let (node, point) = self.structure("pNode", field, REQUIRED, zeroed, Some(parent));
        let shader = at!(node, Anonymous.Shader);
        self.text("Shader", at!(shader, Shader), OPTIONAL, name, point);
        values!(self, prefix, node, NodeType);
        values!(self, format!("{prefix}Properties."), shader, PropertiesType);
        (shader, point)
    }

    fn properties<V: 'static>(
        &mut self,
        shader: *mut D3D12DDI_SHADER_NODE_0108,
        mode: D3D12DDI_NODE_PROPERTIES_TYPE_0108,
        what: &'static str,
        properties: V,
        parent: usize,
    ) -> (*mut V, usize) {
        // SAFETY: the arena's.
        unsafe { (*shader).PropertiesType = mode };
        let field = at!(shader, Anonymous);
        self.structure(what, field, REQUIRED, properties, Some(parent))
    }

    fn node_id(&mut self, id: *mut D3D12DDI_NODE_ID_0108, name: (&str, u32), parent: usize) {
        self.text("FinalName.Name", at!(id, Name), REQUIRED, name.0, parent);
        // SAFETY: the arena's.
        unsafe { (*id).ArrayIndex = name.1 };
    }

    fn broadcasting(
        &mut self,
        shader: *mut D3D12DDI_SHADER_NODE_0108,
        prefix: &str,
        parent: usize,
    ) {
        let properties = D3D12DDI_BROADCASTING_LAUNCH_NODE_PROPERTIES_0108 {
            bProgramEntry: TRUE,
            ..Zeroable::zeroed()
        };
        let mode = D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108;
        let what = "pBroadcastingLaunchNodeProperties";
        let (p, point) = self.properties(shader, mode, what, properties, parent);
        self.node_id(at!(p, FinalName), ("broadcasting", 0), point);
        let point = Some(point);
        values!(self, prefix, p, InputNodeIOKind);
        self.flags(
            format!("{prefix}InputNodeIOFlags"),
            at!(p, InputNodeIOFlags),
        );
        let (what, field) = (
            "pLocalRootArgumentsTableIndex",
            at!(p, pLocalRootArgumentsTableIndex),
        );
        self.structure(what, field, OPTIONAL, 9_u32, point);
        let mut shared = D3D12DDI_NODE_0108::zeroed();
        let mut thread = D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108::zeroed();
        thread.FinalName.Name = self.arena.text("shared");
        thread.FinalName.ArrayIndex = 7;
        shared.Anonymous.Shader = D3D12DDI_SHADER_NODE_0108 {
            Shader: ptr::null(),
            PropertiesType: D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108,
            Anonymous: D3D12DDI_SHADER_NODE_0108_0 {
                pThreadLaunchNodeProperties: self.arena.put(thread),
            },
        };
        let (field, shared) = (at!(p, pShareInputOfNode), self.arena.put(shared));
        self.point("pShareInputOfNode", field, OPTIONAL, shared, point);
        let field = at!(p, pDispatchGrid);
        self.structure("pDispatchGrid", field, OPTIONAL, [1_u32, 2, 3], point);
        let field = at!(p, pMaxDispatchGrid);
        self.structure("pMaxDispatchGrid", field, OPTIONAL, [4_u32, 5, 6], point);
        let (field, grid) = (
            at!(p, pRecordDispatchGrid),
            D3D12DDI_RECORD_DISPATCH_GRID_0108::zeroed(),
        );
        self.structure("pRecordDispatchGrid", field, OPTIONAL, grid, point);

        let outputs = vec![D3D12DDI_NODE_OUTPUT_0108::zeroed()];
        let field = (at!(p, pOutputs), at!(p, NumOutputs));
        let (output, array) = self.array("pOutputs", field, outputs, point);
        self.node_id(at!(output, FinalName), ("thread", 0), array);
        values!(self, format!("{prefix}pOutputs[0]."), output, NodeIOKind);
        self.flags(
            format!("{prefix}pOutputs[0].NodeIOFlags"),
            at!(output, NodeIOFlags),
        );
        let field = at!(output, pRecordDispatchGrid);
        self.structure("pRecordDispatchGrid", field, OPTIONAL, grid, Some(array));
        let field = at!(output, pMaxRecords);
        self.structure("pMaxRecords", field, OPTIONAL, 64_u32, Some(array));
        let (what, field) = (
            "pMaxRecordsSharedWithOutputIndex",
            at!(output, pMaxRecordsSharedWithOutputIndex),
        );
        self.structure(what, field, OPTIONAL, 0_u32, Some(array));
    }
}
