//! The plugin underneath: it conforms, and every defect of the broken plugin is a change to what it says
//! or does. The checking plugin has it behind its checks.

use std::sync::OnceLock;

use plugin_sdk::ddi::{
    D3D12DDI_3DPIPELINELEVEL_12_0, D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_1,
    D3D12DDI_EXECUTE_INDIRECT_TIER_1_0, D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET,
    D3D12DDI_FORMAT_SUPPORT_RENDERTARGET, D3D12DDI_FORMAT_SUPPORT_SHADER_SAMPLE,
    D3D12DDI_MESH_SHADER_TIER_1, D3D12DDI_RAYTRACING_TIER_1_1, D3D12DDI_RESOURCE_BINDING_TIER_3,
    D3D12DDI_RESOURCE_HEAP_TIER_2, D3D12DDI_VIEW_INSTANCING_TIER_1, D3D12DDI_WORK_GRAPHS_TIER_1_0,
    DXGI_FORMAT, DXGI_FORMAT_R8G8B8A8_UNORM, TRUE,
};
use plugin_sdk::desc::{
    ApplicationDesc, Describe, PipelineStateDesc, Shader, StateObjectDesc, Subobject,
    unknown_values,
};
use plugin_sdk::{
    AdapterFamily, Capabilities, Compiler, CompilerPlugin, Error, Key, KeyBuilder, ObjectValueKeys,
    Receipt, Result, Session, Target, ValueType, ValueTypes, Values, VersionNumber, plugin_entry,
    shader_models_up_to,
};

/// The plugin of one open.
pub struct Base;

plugin_entry!(Base);

/// Whom each compile call shows its description; the checking plugin sets it.
pub static OBSERVER: OnceLock<fn(&dyn Describe)> = OnceLock::new();

fn observe(desc: &dyn Describe) {
    if let Some(observer) = OBSERVER.get() {
        observer(desc);
    }
}

const COMPILER_VERSION: VersionNumber = VersionNumber::new(3, 1, 4, 0);

/// The only format that it knows anything about.
const FORMAT: DXGI_FORMAT = DXGI_FORMAT_R8G8B8A8_UNORM;

impl CompilerPlugin for Base {
    type Compiler = BaseCompiler;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        vec![
            AdapterFamily::new("Base One", vec![4, 3, 2, 1], COMPILER_VERSION),
            AdapterFamily::new("Base Two", vec![7, 6, 5], COMPILER_VERSION),
        ]
    }

    fn capabilities(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Capabilities {
        let mut can = Capabilities::default();
        can.shader.WaveOps = TRUE;
        can.shader.WaveLaneCountMin = 32;
        can.shader.WaveLaneCountMax = 64;
        can.shader.TotalLaneCount = 1024;
        can.options.ResourceBindingTier = D3D12DDI_RESOURCE_BINDING_TIER_3;
        can.options.ResourceHeapTier = D3D12DDI_RESOURCE_HEAP_TIER_2;
        can.options.ConservativeRasterizationTier = D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER_1;
        can.options.OutputMergerLogicOp = TRUE;
        can.options.DepthBoundsTestSupported = TRUE;
        can.options.ViewInstancingTier = D3D12DDI_VIEW_INSTANCING_TIER_1;
        can.options.MeshShaderTier = D3D12DDI_MESH_SHADER_TIER_1;
        can.options.RaytracingTier = D3D12DDI_RAYTRACING_TIER_1_1;
        can.options1_0103.WorkGraphsTier = D3D12DDI_WORK_GRAPHS_TIER_1_0;
        can.options_0110.ExecuteIndirectTier = D3D12DDI_EXECUTE_INDIRECT_TIER_1_0;
        // It looks into no program, so all of them.
        can.shader_models = shader_models_up_to(6, 8).into();
        can.highest_feature_level = D3D12DDI_3DPIPELINELEVEL_12_0;
        can
    }

    fn application_profile_version(
        &self,
        _: &Target<'_>,
        application: &ApplicationDesc<'_>,
    ) -> VersionNumber {
        if application.exe_filename.to_string_lossy() == "ContosoRally.exe" {
            VersionNumber::new(1, 2, 3, 4)
        } else {
            VersionNumber::default()
        }
    }

    fn format_support(&self, _: &Target<'_>, format: DXGI_FORMAT) -> u32 {
        if format == FORMAT {
            D3D12DDI_FORMAT_SUPPORT_SHADER_SAMPLE
                | D3D12DDI_FORMAT_SUPPORT_RENDERTARGET
                | D3D12DDI_FORMAT_SUPPORT_MULTISAMPLE_RENDERTARGET
        } else {
            0
        }
    }

    fn multisample_quality_levels(&self, _: &Target<'_>, format: DXGI_FORMAT, samples: u32) -> u32 {
        u32::from(format == FORMAT && samples <= 8)
    }

    fn create_compiler(
        &self,
        target: &Target<'_>,
        _: &ApplicationDesc<'_>,
    ) -> Result<BaseCompiler> {
        Ok(BaseCompiler {
            family: target.family_index as u64,
            abi: target.abi_version,
        })
    }
}

/// Compiles by copying: the object code of a shader is its target and its bitcode.
pub struct BaseCompiler {
    family: u64,
    abi: u64,
}

impl Compiler for BaseCompiler {
    /// The key of the state object's value, which additions build on.
    type StateObject = Key;

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        observe(desc);
        refuse_unknown(desc)?;
        let mut receipts = Vec::new();
        for shader in desc.shaders() {
            receipts.push(self.shader(desc, shader, &session)?);
        }
        if receipts.is_empty() {
            return Err(Error::invalid_argument("the pipeline has no shader"));
        }
        let key = self.key("base.state").describe("desc", desc).finish();
        receipts.push(self.store(key, Vec::new(), &session)?);
        Ok(session.finish(receipts))
    }

    fn compile_state_object<'call>(
        &self,
        desc: &StateObjectDesc<'call, Key>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Key)> {
        self.state_object(None, desc, session)
    }

    fn compile_add_to_state_object<'call>(
        &self,
        parent: &Key,
        addition: &StateObjectDesc<'call, Key>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Key)> {
        self.state_object(Some(parent), addition, session)
    }
}

impl BaseCompiler {
    fn key(&self, domain: &str) -> KeyBuilder {
        KeyBuilder::new(domain)
            .u64("family", self.family)
            .u64("abi", self.abi)
    }

    fn shader<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        shader: &Shader<'call>,
        session: &Session<'call>,
    ) -> Result<Receipt<'call>> {
        let bitcode = match shader.code {
            None => &[],
            Some(code) => {
                let program = code.program()?;
                if program.kind() != shader.stage.kind() {
                    return Err(Error::invalid_argument(format!(
                        "a {} program for the {} stage",
                        program.kind(),
                        shader.stage.kind()
                    )));
                }
                program.bitcode()
            }
        };
        let mut key = self
            .key("base.shader")
            .u64("stage", shader.stage as u64)
            .describe("shader", shader);
        if let Some(root_signature) = desc.root_signature() {
            key = key.describe("root signature", root_signature);
        }
        self.store(key.finish(), bitcode.to_vec(), session)
    }

    fn state_object<'call>(
        &self,
        parent: Option<&Key>,
        desc: &StateObjectDesc<'call, Key>,
        session: Session<'call>,
    ) -> Result<(ObjectValueKeys<'call>, Key)> {
        observe(desc);
        refuse_unknown(desc)?;
        let unknown = |s: &Subobject<'_, Key>| matches!(s, Subobject::Unknown(_));
        if desc.subobjects().iter().any(unknown) {
            return Err(Error::unsupported("a subobject of an unknown type"));
        }
        let mut bitcode = Vec::new();
        for library in desc.libraries() {
            bitcode.extend_from_slice(library.code.program()?.bitcode());
        }
        let mut key = self.key("base.state object").describe("desc", desc);
        for earlier in parent.into_iter().chain(desc.collections()) {
            key = key.key("earlier", earlier);
        }
        let key = key.finish();
        let receipt = self.store(key.clone(), bitcode, &session)?;
        Ok((session.finish([receipt]), key))
    }

    fn store<'call>(
        &self,
        key: Key,
        bitcode: Vec<u8>,
        session: &Session<'call>,
    ) -> Result<Receipt<'call>> {
        let mut code = key.as_bytes().to_vec();
        code.extend([self.family, self.abi].iter().flat_map(|n| n.to_le_bytes()));
        code.extend(bitcode);
        session.find_or_store(key, |missing| Ok(values(missing, &code)))
    }
}

fn values(missing: ValueTypes, code: &[u8]) -> Values<'static> {
    let size = code.len();
    let value = |kind| match kind {
        ValueType::ObjectCode => Some(code.to_vec()),
        ValueType::Metadata => Some(format!("compiler {COMPILER_VERSION}").into_bytes()),
        ValueType::DebugPdb => Some(format!("debug information for {size} bytes").into_bytes()),
        ValueType::PerformanceData => Some(format!("{size} bytes").into_bytes()),
        // A later type.
        _ => None,
    };
    missing
        .types()
        .filter_map(|kind| Some((kind, value(kind)?)))
        .collect()
}

fn refuse_unknown(desc: &dyn Describe) -> Result<()> {
    match unknown_values(desc).first() {
        None => Ok(()),
        Some(unknown) => Err(Error::unsupported(format!(
            "{} has the unknown value {}",
            unknown.path, unknown.value
        ))),
    }
}
