//! What the structures of the DDI have in them: one table, with which [`graph`](crate::graph) copies what a pointer leads to, and
//! builds it again.
//!
//! The compiler checks that a structure's fields are all there; where a pointer leads is said in words of the table. What the
//! handles inside create-arguments point at is docs/spec-notes.md, "Handles inside create arguments".

use std::mem::offset_of;

#[allow(
    clippy::wildcard_imports,
    reason = "the table has every structure of the DDI"
)]
use ddi_sys::*;

/// What memory has in it: a structure, or a single value.
#[derive(Debug)]
pub(crate) struct Type {
    /// Its C name.
    pub(crate) name: &'static str,
    pub(crate) size: usize,
    /// In the order of the declaration; a single value is one field without a name.
    pub(crate) fields: &'static [Field],
}

#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) offset: usize,
    pub(crate) kind: Kind,
}

/// What a field is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Number(Number),
    /// An object of the host or the plugin: a number to everybody else.
    Handle,
    /// A function of the host: there or null.
    Function,
    /// So many of a type.
    Array(&'static Type, usize),
    /// One of several types, by the value of another field.
    By(&'static str, &'static [(i32, &'static Type)]),
    Pointer(Target),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub(crate) size: usize,
    pub(crate) meaning: Meaning,
}

/// How a number reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    Unsigned,
    Bool,
    Float,
    Version,
    /// A value of an enumeration, of which this gives the name.
    Enumeration(fn(i32) -> Option<&'static str>),
    /// Flags, of which this gives the names.
    Flags(fn(i32) -> String),
}

/// Where a pointer leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) item: Item,
    pub(crate) count: Count,
    pub(crate) way: Way,
}

/// What is there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    Of(&'static Type),
    /// By the value of another field.
    By(&'static str, &'static [(i32, &'static Type)]),
    /// By the value of another field, where the count in bytes is that type's size; else bytes.
    SizedBy(&'static str, &'static [(i32, &'static Type)]),
    /// The create-arguments of a geometry shader, with or without stream output as the root signature says.
    GeometryShader,
    /// UTF-16 up to a NUL.
    Text,
    /// A DXIL program or container, which says itself how long it is.
    Code,
    /// Bytes without a type.
    Bytes,
}

/// How many are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Is(usize),
    /// What another field, or another argument of the call, says.
    Says(&'static str),
    /// What the number says that another argument points at.
    SaysAt(&'static str),
}

/// Who writes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Nobody.
    In,
    /// Whoever is called.
    Out,
    /// Both.
    InOut,
}

/// The type of a field that is a number.
pub(crate) trait Plain {
    const KIND: Kind;
}

const fn kind_of<S, T: Plain>(_: fn(&S) -> &T) -> Kind {
    T::KIND
}

const fn number(size: usize, meaning: Meaning) -> Kind {
    Kind::Number(Number { size, meaning })
}

macro_rules! plain {
    ($($type:ty = $meaning:ident)*) => {
        $(impl Plain for $type {
            const KIND: Kind = number(size_of::<$type>(), Meaning::$meaning);
        })*
    };
}
plain! {
    u8 = Unsigned
    u16 = Unsigned
    u32 = Unsigned
    u64 = Unsigned
    BOOL = Bool
    FLOAT = Float
    D3D12DDI_VERSION_NUMBER = Version
}

impl Plain for usize {
    const KIND: Kind = number(size_of::<usize>(), Meaning::Unsigned);
}

macro_rules! enumerations {
    ($($type:ident)*) => {
        $(impl Plain for $type {
            const KIND: Kind = number(4, Meaning::Enumeration(|value| $type(value).name()));
        })*
    };
}
enumerations! {
    D3D10_SB_NAME
    D3D10_SB_REGISTER_COMPONENT_TYPE
    D3D11_SB_OPERAND_MIN_PRECISION
    D3D12DDICAPS_TYPE
    D3D12DDI_3DPIPELINELEVEL
    D3D12DDI_BLEND
    D3D12DDI_BLEND_OP
    D3D12DDI_COMPARISON_FUNC
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE
    D3D12DDI_COMPILER_TABLE_TYPE
    D3D12DDI_CONSERVATIVE_RASTERIZATION_MODE
    D3D12DDI_CULL_MODE
    D3D12DDI_DEPTH_WRITE_MASK
    D3D12DDI_DESCRIPTOR_RANGE_TYPE
    D3D12DDI_FILL_MODE
    D3D12DDI_FILTER
    D3D12DDI_HIT_GROUP_TYPE
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE
    D3D12DDI_INPUT_CLASSIFICATION
    D3D12DDI_LINE_RASTERIZATION_MODE
    D3D12DDI_LOGIC_OP
    D3D12DDI_NODE_IO_KIND_0108
    D3D12DDI_NODE_PROPERTIES_TYPE_0108
    D3D12DDI_NODE_TYPE_0108
    D3D12DDI_PRIMITIVE_TOPOLOGY_TYPE
    D3D12DDI_ROOT_PARAMETER_TYPE
    D3D12DDI_ROOT_SIGNATURE_VERSION
    D3D12DDI_SHADER_VISIBILITY
    D3D12DDI_STATE_OBJECT_TYPE
    D3D12DDI_STATE_SUBOBJECT_TYPE
    D3D12DDI_STATIC_BORDER_COLOR
    D3D12DDI_STENCIL_OP
    D3D12DDI_TEXTURE_ADDRESS_MODE
    D3D12DDI_CONSERVATIVE_RASTERIZATION_TIER
    D3D12DDI_CROSS_NODE_SHARING_TIER
    D3D12DDI_EXECUTE_INDIRECT_TIER
    D3D12DDI_MESH_SHADER_TIER
    D3D12DDI_PROGRAMMABLE_SAMPLE_POSITIONS_TIER
    D3D12DDI_RAYTRACING_TIER
    D3D12DDI_RECREATE_AT_TIER
    D3D12DDI_RENDER_PASS_TIER
    D3D12DDI_RESOURCE_BINDING_TIER
    D3D12DDI_RESOURCE_HEAP_TIER
    D3D12DDI_SAMPLER_FEEDBACK_TIER
    D3D12DDI_SHADER_MODEL
    D3D12DDI_TILED_RESOURCES_TIER
    D3D12DDI_VARIABLE_SHADING_RATE_TIER
    D3D12DDI_VIEW_INSTANCING_TIER
    D3D12DDI_WAVE_MMA_TIER
    D3D12DDI_WORK_GRAPHS_TIER
    DXGI_FORMAT
}

macro_rules! flags {
    ($($type:ident)*) => {
        $(impl Plain for $type {
            const KIND: Kind = number(4, Meaning::Flags(|value| format!("{:?}", $type(value))));
        })*
    };
}
flags! {
    D3D12DDI_COMMAND_QUEUE_FLAGS
    D3D12DDI_SHADER_MIN_PRECISION
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS
    D3D12DDI_CREATE_SHADER_FLAGS
    D3D12DDI_DESCRIPTOR_RANGE_FLAGS
    D3D12DDI_EXPORT_FLAGS
    D3D12DDI_EXPORT_SUMMARY_FLAGS
    D3D12DDI_PIPELINE_STATE_FLAGS
    D3D12DDI_RAYTRACING_PIPELINE_FLAGS
    D3D12DDI_ROOT_DESCRIPTOR_FLAGS
    D3D12DDI_ROOT_SIGNATURE_FLAGS
    D3D12DDI_SAMPLER_FLAGS_0096
    D3D12DDI_STATE_OBJECT_FLAGS
    D3D12DDI_VIEW_INSTANCING_FLAGS
    D3D12DDI_WORK_GRAPH_FLAGS_0108
}

/// What an argument of this type is, that is passed by value.
pub(crate) const fn argument<T: Plain>() -> Kind {
    T::KIND
}

pub(crate) const fn to(item: &'static Type) -> Kind {
    array(item, Count::Is(1))
}

const fn counted(item: &'static Type, count: &'static str) -> Kind {
    array(item, Count::Says(count))
}

const fn array(item: &'static Type, count: Count) -> Kind {
    let item = Item::Of(item);
    pointer(item, count, Way::In)
}

const fn to_one_of(field: &'static str, types: &'static [(i32, &'static Type)]) -> Kind {
    pointer(Item::By(field, types), Count::Is(1), Way::In)
}

pub(crate) const fn pointer(item: Item, count: Count, way: Way) -> Kind {
    Kind::Pointer(Target { item, count, way })
}

pub(crate) const TEXT: Kind = pointer(Item::Text, Count::Is(1), Way::In);
const CODE: Kind = pointer(Item::Code, Count::Is(1), Way::In);

/// A structure by value.
const fn inline(item: &'static Type) -> Kind {
    Kind::Array(item, 1)
}

macro_rules! single {
    ($($name:ident: $text:literal, $type:ty, $kind:expr;)*) => {
        $(
            pub(crate) static $name: Type = Type {
                name: $text,
                size: size_of::<$type>(),
                fields: &[Field { name: "", offset: 0, kind: $kind }],
            };
        )*
        const SINGLE: &[&Type] = &[$(&$name),*];
    };
}
single! {
    NUMBER8: "UINT8", u8, u8::KIND;
    NUMBER: "UINT", u32, u32::KIND;
    NUMBER64: "UINT64", u64, u64::KIND;
    CHARACTER: "WCHAR", u16, u16::KIND;
    SHADER_MODEL: "D3D12DDI_SHADER_MODEL", D3D12DDI_SHADER_MODEL, D3D12DDI_SHADER_MODEL::KIND;
    FORMAT: "DXGI_FORMAT", DXGI_FORMAT, DXGI_FORMAT::KIND;
    VERSION: "D3D12DDI_VERSION_NUMBER", D3D12DDI_VERSION_NUMBER, D3D12DDI_VERSION_NUMBER::KIND;
    STRIP_CUT: "D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE", D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
        D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE::KIND;
    PIPELINE_FLAGS: "D3D12DDI_PIPELINE_STATE_FLAGS", D3D12DDI_PIPELINE_STATE_FLAGS, D3D12DDI_PIPELINE_STATE_FLAGS::KIND;
    STRING: "LPCWSTR", *const u16, TEXT;
    SUBOBJECT_POINTER: "const D3D12DDI_STATE_SUBOBJECT_0054 *", *const D3D12DDI_STATE_SUBOBJECT_0054, to(&SUBOBJECT);
}

macro_rules! types {
    ($($name:ident: $type:ident $(as $text:literal)? { $($field:ident $(= $kind:expr)?),* $(,)? })*) => {
        $(
            pub(crate) static $name: Type = Type {
                name: types!(@name $type $($text)?),
                size: size_of::<$type>(),
                fields: &[$(Field {
                    name: stringify!($field),
                    offset: offset_of!($type, $field),
                    kind: types!(@kind $type $field $($kind)?),
                }),*],
            };
            // No field is left out.
            const _: fn($type) = |$type { $($field: _),* }| ();
        )*
        const STRUCTURES: &[&Type] = &[$(&$name),*];
    };
    (@name $type:ident) => { stringify!($type) };
    (@name $type:ident $text:literal) => { $text };
    (@kind $type:ident $field:ident) => { kind_of::<$type, _>(|it| &it.$field) };
    (@kind $type:ident $field:ident $kind:expr) => { $kind };
}
types! {
    APPLICATION: D3D12DDI_APPLICATION_DESC {
        pExeFilename = TEXT, pName = TEXT, Version, pEngineName = TEXT, EngineVersion,
    }
    TARGET: D3D12DDI_COMPILER_TARGET { AdapterFamilyIndex, ABIVersion }
    ADAPTER_FAMILY: D3D12DDI_COMPILER_ADAPTER_FAMILY { szAdapterFamily = Kind::Array(&CHARACTER, 128) }
    OPEN: D3D12DDIARG_COMPILER_OPEN_DDI {
        hRTCompilerDDI = Kind::Handle, hCompilerDDI = Kind::Handle, pDDIFuncs = Kind::Handle,
    }
    CALLBACKS: D3D12DDI_COMPILER_CACHE_CALLBACKS {
        pfnCompilerCacheFindValue = Kind::Function,
        pfnCompilerCacheStoreValue = Kind::Function,
        pfnCompilerCacheSetObjectValueKeys = Kind::Function,
    }
    GETCAPS: D3D12DDIARG_GETCAPS {
        Type,
        pInfo = Kind::Handle,
        pData = pointer(Item::SizedBy("Type", &[
            (D3D12DDICAPS_TYPE_SHADER.0, &SHADER_CAPS_0084),
            (D3D12DDICAPS_TYPE_D3D12_OPTIONS.0, &D3D12_OPTIONS_DATA_0089),
            (D3D12DDICAPS_TYPE_0011_SHADER_MODELS.0, &D3D12_SHADER_MODELS_DATA_0011),
            (D3D12DDICAPS_TYPE_OPTIONS1_0103.0, &OPTIONS1_DATA_0103),
            (D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1.0, &PIPELINESUPPORT1_DATA_0081),
            (D3D12DDICAPS_TYPE_OPTIONS_0090.0, &OPTIONS_DATA_0090),
            (D3D12DDICAPS_TYPE_OPTIONS_0091.0, &OPTIONS_DATA_0091),
            (D3D12DDICAPS_TYPE_OPTIONS_0093.0, &OPTIONS_DATA_0093),
            (D3D12DDICAPS_TYPE_OPTIONS_0098.0, &OPTIONS_DATA_0098),
            (D3D12DDICAPS_TYPE_OPTIONS_0101.0, &OPTIONS_DATA_0101),
            (D3D12DDICAPS_TYPE_OPTIONS_0102.0, &OPTIONS_DATA_0102),
            (D3D12DDICAPS_TYPE_OPTIONS_0109.0, &OPTIONS_DATA_0109),
            (D3D12DDICAPS_TYPE_OPTIONS_0110.0, &OPTIONS_DATA_0110),
            (D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110.0, &SHADER_MODEL_6_8_OPTIONS_0110),
            (D3D12DDICAPS_TYPE_OPTIONS_0118.0, &OPTIONS_DATA_0118),
        ]), Count::Says("DataSize"), Way::InOut),
        DataSize,
    }
    SHADER_CAPS_0084: D3D12DDI_SHADER_CAPS_0084 {
        MinPrecision, DoubleOps, ShaderSpecifiedStencilRef, TypedUAVLoadAdditionalFormats, ROVs, WaveOps, WaveLaneCountMin, WaveLaneCountMax, TotalLaneCount, Int64Ops, Native16BitOps, AtomicInt64OnTypedResource, AtomicInt64OnGroupShared, DerivativesInMeshAndAmplificationShaders, WaveMMATier, AtomicInt64OnDescriptorHeapResource,
    }
    D3D12_OPTIONS_DATA_0089: D3D12DDI_D3D12_OPTIONS_DATA_0089 {
        ResourceBindingTier, ConservativeRasterizationTier, TiledResourcesTier, CrossNodeSharingTier, VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation, OutputMergerLogicOp, ResourceHeapTier, DepthBoundsTestSupported, ProgrammableSamplePositionsTier, CopyQueueTimestampQueriesSupported, WriteBufferImmediateQueueFlags, ViewInstancingTier, BarycentricsSupported, ReservedBufferPlacementSupported, Deterministic64KBUndefinedSwizzle, SRVOnlyTiledResourceTier3, RenderPassTier, RaytracingTier, VariableShadingRateTier, PerPrimitiveShadingRateSupportedWithViewportIndexing, AdditionalShadingRatesSupported, ShadingRateImageTileSize, BackgroundProcessingSupported, MeshShaderTier, SamplerFeedbackTier, DriverManagedShaderCachePresent, MeshShaderSupportsFullRangeRenderTargetArrayIndex, VariableRateShadingSumCombinerSupported, MeshShaderPerPrimitiveShadingRateSupported, MSPrimitivesPipelineStatisticIncludesCulledPrimitives, EnhancedBarriersSupported,
    }
    OPTIONS1_DATA_0103: D3D12DDI_OPTIONS1_DATA_0103 {
        WorkGraphsTier,
    }
    PIPELINESUPPORT1_DATA_0081: D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 {
        HighestRuntimeSupportedFeatureLevel, MaximumDriverSupportedFeatureLevel,
    }
    OPTIONS_DATA_0090: D3D12DDI_OPTIONS_DATA_0090 {
        RelaxedFormatCastingSupported,
    }
    OPTIONS_DATA_0091: D3D12DDI_OPTIONS_DATA_0091 {
        UnrestrictedBufferTextureCopyPitchSupported, UnrestrictedVertexElementAlignmentSupported, InvertedViewportHeightFlipsYSupported, InvertedViewportDepthFlipsZSupported,
    }
    OPTIONS_DATA_0093: D3D12DDI_OPTIONS_DATA_0093 {
        AdvancedTextureOpsSupported, WriteableMSAATexturesSupported,
    }
    OPTIONS_DATA_0098: D3D12DDI_OPTIONS_DATA_0098 {
        L1MemoryFullyCpuAccessible,
    }
    OPTIONS_DATA_0101: D3D12DDI_OPTIONS_DATA_0101 {
        ComputeOnlyCustomHeapSupported,
    }
    OPTIONS_DATA_0102: D3D12DDI_OPTIONS_DATA_0102 {
        SupportedSampleCountsWithNoOutputs, MaxSamplerDescriptorHeapSize, MaxSamplerDescriptorHeapSizeWithStaticSamplers, MaxViewDescriptorHeapSize,
    }
    OPTIONS_DATA_0109: D3D12DDI_OPTIONS_DATA_0109 {
        RecreateAtTier,
    }
    OPTIONS_DATA_0110: D3D12DDI_OPTIONS_DATA_0110 {
        ExecuteIndirectTier,
    }
    SHADER_MODEL_6_8_OPTIONS_0110: D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110 {
        SampleCmpGradientAndBiasSupported, ExtendedCommandInfoSupported,
    }
    OPTIONS_DATA_0118: D3D12DDI_OPTIONS_DATA_0118 {
        ShaderExecutionReorderingActuallyReorders,
    }
    D3D12_SHADER_MODELS_DATA_0011: D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
        pNumShaderModelsSupported = pointer(Item::Of(&NUMBER), Count::Is(1), Way::InOut),
        pShaderModelsSupported =
            pointer(Item::Of(&SHADER_MODEL), Count::SaysAt("pNumShaderModelsSupported"), Way::Out),
    }
    KEY: D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey = pointer(Item::Bytes, Count::Says("KeySize"), Way::In), KeySize,
    }
    VALUE: D3D12DDI_COMPILER_CACHE_VALUE {
        pValue = pointer(Item::Bytes, Count::Says("ValueSize"), Way::Out), ValueSize,
    }
    CONST_VALUE: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
        pValue = pointer(Item::Bytes, Count::Says("ValueSize"), Way::In), ValueSize,
    }
    TYPED_VALUE: D3D12DDI_COMPILER_CACHE_TYPED_VALUE { Type, Value = inline(&VALUE) }
    TYPED_CONST_VALUE: D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE { Type, Value = inline(&CONST_VALUE) }

    PIPELINE_STATE: D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        hComputeShader = to(&SHADER_WITHOUT_SIGNATURES),
        hVertexShader = to(&SHADER),
        hPixelShader = to(&SHADER),
        hDomainShader = to(&TESSELLATION_SHADER),
        hHullShader = to(&TESSELLATION_SHADER),
        hGeometryShader = pointer(Item::GeometryShader, Count::Is(1), Way::In),
        hRootSignature = to(&ROOT_SIGNATURE_ARGUMENTS),
        hBlendState = to(&BLEND),
        SampleMask,
        hRasterizerState = to(&RASTERIZER),
        hDepthStencilState = to(&DEPTH_STENCIL),
        hElementLayout = to(&ELEMENT_LAYOUT),
        IBStripCutValue,
        PrimitiveTopologyType,
        NumRenderTargets,
        RTVFormats = Kind::Array(&FORMAT, 8),
        DSVFormat,
        SampleDesc = inline(&SAMPLE_DESC),
        NodeMask,
        LibraryReference = inline(&LIBRARY_REFERENCE),
        ViewInstancingDesc = inline(&VIEW_INSTANCING),
        hMeshShader = to(&MESH_SHADER),
        hAmplificationShader = to(&SHADER_WITHOUT_SIGNATURES),
        Flags,
    }
    LIBRARY_REFERENCE: D3D12DDI_LIBRARY_REFERENCE_0010 { hLibrary = Kind::Handle, PipelineIndex }
    SAMPLE_DESC: DXGI_SAMPLE_DESC { Count, Quality }
    VIEW_INSTANCING: D3D12DDI_VIEW_INSTANCING_DESC {
        ViewInstanceCount, pViewInstanceLocations = counted(&VIEW_INSTANCE, "ViewInstanceCount"), Flags,
    }
    VIEW_INSTANCE: D3D12DDI_VIEW_INSTANCE_LOCATION { ViewportArrayIndex, RenderTargetArrayIndex }

    SHADER: D3D12DDIARG_CREATE_SHADER_0026 as "D3D12DDIARG_CREATE_SHADER_0026 (Standard)" {
        hRootSignature = to(&ROOT_SIGNATURE_ARGUMENTS), pShaderCode = CODE, IOSignatures = to(&STAGE_SIGNATURES), Flags,
        LibraryReference = inline(&LIBRARY_REFERENCE), ShaderCodeHash = inline(&HASH),
    }
    TESSELLATION_SHADER: D3D12DDIARG_CREATE_SHADER_0026 as "D3D12DDIARG_CREATE_SHADER_0026 (Tessellation)" {
        hRootSignature = to(&ROOT_SIGNATURE_ARGUMENTS), pShaderCode = CODE, IOSignatures = to(&TESSELLATION_SIGNATURES), Flags,
        LibraryReference = inline(&LIBRARY_REFERENCE), ShaderCodeHash = inline(&HASH),
    }
    MESH_SHADER: D3D12DDIARG_CREATE_SHADER_0026 as "D3D12DDIARG_CREATE_SHADER_0026 (Mesh)" {
        hRootSignature = to(&ROOT_SIGNATURE_ARGUMENTS), pShaderCode = CODE, IOSignatures = to(&MESH_SIGNATURES), Flags,
        LibraryReference = inline(&LIBRARY_REFERENCE), ShaderCodeHash = inline(&HASH),
    }
    SHADER_WITHOUT_SIGNATURES: D3D12DDIARG_CREATE_SHADER_0026 {
        hRootSignature = to(&ROOT_SIGNATURE_ARGUMENTS), pShaderCode = CODE, IOSignatures = Kind::Handle, Flags,
        LibraryReference = inline(&LIBRARY_REFERENCE), ShaderCodeHash = inline(&HASH),
    }
    GEOMETRY_SHADER: D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026 {
        CreateShader = inline(&SHADER),
        pOutputStreamDecl = counted(&STREAM_OUTPUT_ENTRY, "NumEntries"),
        NumEntries,
        BufferStridesInBytes = counted(&NUMBER, "NumStrides"),
        NumStrides,
        RasterizedStream,
    }
    STREAM_OUTPUT_ENTRY: D3D12DDIARG_STREAM_OUTPUT_DECLARATION_ENTRY { Stream, OutputSlot, RegisterIndex, RegisterMask }
    HASH: D3D12DDI_SHADERCACHE_HASH { Hash = Kind::Array(&NUMBER8, 16) }
    STAGE_SIGNATURES: D3D12DDIARG_STAGE_IO_SIGNATURES {
        Anonymous1 = counted(&SIGNATURE_ENTRY, "NumInputSignatureEntries"), NumInputSignatureEntries,
        Anonymous2 = counted(&SIGNATURE_ENTRY, "NumOutputSignatureEntries"), NumOutputSignatureEntries,
    }
    TESSELLATION_SIGNATURES: D3D12DDIARG_TESSELLATION_IO_SIGNATURES {
        Anonymous1 = counted(&SIGNATURE_ENTRY, "NumInputSignatureEntries"), NumInputSignatureEntries,
        Anonymous2 = counted(&SIGNATURE_ENTRY, "NumOutputSignatureEntries"), NumOutputSignatureEntries,
        Anonymous3 = counted(&SIGNATURE_ENTRY, "NumPatchConstantSignatureEntries"), NumPatchConstantSignatureEntries,
    }
    MESH_SIGNATURES: D3D12DDIARG_MESH_IO_SIGNATURES {
        pPrimitiveOutputSignature = counted(&SIGNATURE_ENTRY, "NumPrimitiveOutputSignatureEntries"),
        NumPrimitiveOutputSignatureEntries,
        pVertexOutputSignature = counted(&SIGNATURE_ENTRY, "NumVertexOutputSignatureEntries"),
        NumVertexOutputSignatureEntries,
    }
    SIGNATURE_ENTRY: D3D12DDIARG_SIGNATURE_ENTRY_0012 {
        SystemValue, Register, Mask, Stream, RegisterComponentType, MinPrecision,
    }

    BLEND: D3D12DDI_BLEND_DESC_0010 {
        AlphaToCoverageEnable, IndependentBlendEnable, RenderTarget = Kind::Array(&RENDER_TARGET_BLEND, 8),
        LibraryReference = inline(&LIBRARY_REFERENCE),
    }
    RENDER_TARGET_BLEND: D3D12DDI_RENDER_TARGET_BLEND_DESC {
        BlendEnable, LogicOpEnable, SrcBlend, DestBlend, BlendOp, SrcBlendAlpha, DestBlendAlpha, BlendOpAlpha, LogicOp,
        RenderTargetWriteMask,
    }
    RASTERIZER: D3D12DDI_RASTERIZER_DESC_0102 {
        FillMode, CullMode, FrontCounterClockwise, DepthBias, DepthBiasClamp, SlopeScaledDepthBias, DepthClipEnable,
        ScissorEnable, LineRasterizationMode, ForcedSampleCount, ConservativeRasterizationMode,
        LibraryReference = inline(&LIBRARY_REFERENCE),
    }
    DEPTH_STENCIL: D3D12DDI_DEPTH_STENCIL_DESC_0095 {
        DepthEnable, DepthWriteMask, DepthFunc, StencilEnable, FrontEnable, BackEnable, FrontFaceStencilReadMask,
        FrontFaceStencilWriteMask, FrontFace = inline(&STENCIL_OPERATIONS), BackFace = inline(&STENCIL_OPERATIONS),
        LibraryReference = inline(&LIBRARY_REFERENCE), DepthBoundsTestEnable, BackFaceStencilReadMask,
        BackFaceStencilWriteMask,
    }
    STENCIL_OPERATIONS: D3D12DDI_DEPTH_STENCILOP_DESC { StencilFailOp, StencilDepthFailOp, StencilPassOp, StencilFunc }
    ELEMENT_LAYOUT: D3D12DDIARG_CREATEELEMENTLAYOUT_0010 {
        pVertexElements = counted(&INPUT_ELEMENT, "NumElements"), NumElements,
        LibraryReference = inline(&LIBRARY_REFERENCE),
    }
    INPUT_ELEMENT: D3D12DDIARG_INPUT_ELEMENT_DESC {
        InputSlot, AlignedByteOffset, Format, InputSlotClass, InstanceDataStepRate, InputRegister,
    }

    ROOT_SIGNATURE_ARGUMENTS: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 {
        Version,
        Anonymous = to_one_of("Version", &[
            (D3D12DDI_ROOT_SIGNATURE_VERSION_1_1.0, &ROOT_SIGNATURE_1_1),
            (D3D12DDI_ROOT_SIGNATURE_VERSION_1_2.0, &ROOT_SIGNATURE_1_2),
        ]),
        NodeMask,
    }
    ROOT_SIGNATURE_1_1: D3D12DDI_ROOT_SIGNATURE_0013 {
        NumParameters, pRootParameters = counted(&ROOT_PARAMETER, "NumParameters"),
        NumStaticSamplers, pStaticSamplers = counted(&STATIC_SAMPLER_1_1, "NumStaticSamplers"), Flags,
    }
    ROOT_SIGNATURE_1_2: D3D12DDI_ROOT_SIGNATURE_0100 {
        NumParameters, pRootParameters = counted(&ROOT_PARAMETER, "NumParameters"),
        NumStaticSamplers, pStaticSamplers = counted(&STATIC_SAMPLER_1_2, "NumStaticSamplers"), Flags,
    }
    ROOT_PARAMETER: D3D12DDI_ROOT_PARAMETER_0013 {
        ParameterType,
        Anonymous = Kind::By("ParameterType", &[
            (D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE.0, &DESCRIPTOR_TABLE),
            (D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS.0, &ROOT_CONSTANTS),
            (D3D12DDI_ROOT_PARAMETER_TYPE_CBV.0, &ROOT_DESCRIPTOR),
            (D3D12DDI_ROOT_PARAMETER_TYPE_SRV.0, &ROOT_DESCRIPTOR),
            (D3D12DDI_ROOT_PARAMETER_TYPE_UAV.0, &ROOT_DESCRIPTOR),
        ]),
        ShaderVisibility,
    }
    DESCRIPTOR_TABLE: D3D12DDI_ROOT_DESCRIPTOR_TABLE_0013 {
        NumDescriptorRanges, pDescriptorRanges = counted(&DESCRIPTOR_RANGE, "NumDescriptorRanges"),
    }
    DESCRIPTOR_RANGE: D3D12DDI_DESCRIPTOR_RANGE_0013 {
        RangeType, NumDescriptors, BaseShaderRegister, RegisterSpace, Flags, OffsetInDescriptorsFromTableStart,
    }
    ROOT_CONSTANTS: D3D12DDI_ROOT_CONSTANTS { ShaderRegister, RegisterSpace, Num32BitValues }
    ROOT_DESCRIPTOR: D3D12DDI_ROOT_DESCRIPTOR_0013 { ShaderRegister, RegisterSpace, Flags }
    STATIC_SAMPLER_1_1: D3D12DDI_STATIC_SAMPLER {
        Filter, AddressU, AddressV, AddressW, MipLODBias, MaxAnisotropy, ComparisonFunc, BorderColor, MinLOD, MaxLOD,
        ShaderRegister, RegisterSpace, ShaderVisibility,
    }
    STATIC_SAMPLER_1_2: D3D12DDI_STATIC_SAMPLER_0100 {
        Filter, AddressU, AddressV, AddressW, MipLODBias, MaxAnisotropy, ComparisonFunc, BorderColor, MinLOD, MaxLOD,
        ShaderRegister, RegisterSpace, ShaderVisibility, Flags,
    }

    STATE_OBJECT: D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
        Type, NumSubobjects, pSubobjects = counted(&SUBOBJECT, "NumSubobjects"),
    }
    SUBOBJECT: D3D12DDI_STATE_SUBOBJECT_0054 {
        Type,
        pDesc = to_one_of("Type", &[
            (D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG.0, &STATE_OBJECT_CONFIG),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE.0, &GLOBAL_ROOT_SIGNATURE),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE.0, &LOCAL_ROOT_SIGNATURE),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_NODE_MASK.0, &NODE_MASK),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY.0, &DXIL_LIBRARY),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION.0, &EXISTING_COLLECTION),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG.0, &RAYTRACING_SHADER_CONFIG),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG.0, &RAYTRACING_PIPELINE_CONFIG),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_HIT_GROUP.0, &HIT_GROUP),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH.0, &WORK_GRAPH),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT.0, &STREAM_OUTPUT),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_BLEND.0, &BLEND),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_MASK.0, &SAMPLE_MASK),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_RASTERIZER.0, &RASTERIZER),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL.0, &DEPTH_STENCIL),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT.0, &ELEMENT_LAYOUT),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE.0, &STRIP_CUT),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY.0, &PRIMITIVE_TOPOLOGY),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS.0, &RENDER_TARGET_FORMATS),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT.0, &DEPTH_STENCIL_FORMAT),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_SAMPLE_DESC.0, &SAMPLE_DESC),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_FLAGS.0, &PIPELINE_FLAGS),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING.0, &VIEW_INSTANCING),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM.0, &GENERIC_PROGRAM),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE.0, &GLOBAL_SERIALIZED_ROOT_SIGNATURE),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_LOCAL_SERIALIZED_ROOT_SIGNATURE.0, &LOCAL_SERIALIZED_ROOT_SIGNATURE),
            (D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY.0, &FUNCTION_SUMMARY),
        ]),
    }
    STATE_OBJECT_CONFIG: D3D12DDI_STATE_OBJECT_CONFIG_0054 { Flags }
    GLOBAL_ROOT_SIGNATURE: D3D12DDI_GLOBAL_ROOT_SIGNATURE_0054 { hGlobalRootSignature = to(&ROOT_SIGNATURE_ARGUMENTS) }
    LOCAL_ROOT_SIGNATURE: D3D12DDI_LOCAL_ROOT_SIGNATURE_0054 { hLocalRootSignature = to(&ROOT_SIGNATURE_ARGUMENTS) }
    GLOBAL_SERIALIZED_ROOT_SIGNATURE: D3D12DDI_GLOBAL_SERIALIZED_ROOT_SIGNATURE_0114 {
        RootSignature = inline(&ROOT_SIGNATURE_ARGUMENTS),
    }
    LOCAL_SERIALIZED_ROOT_SIGNATURE: D3D12DDI_LOCAL_SERIALIZED_ROOT_SIGNATURE_0114 {
        RootSignature = inline(&ROOT_SIGNATURE_ARGUMENTS),
    }
    NODE_MASK: D3D12DDI_NODE_MASK_0054 { NodeMask }
    DXIL_LIBRARY: D3D12DDI_DXIL_LIBRARY_DESC_0054 {
        pDXILLibrary = CODE, NumExports, pExports = counted(&EXPORT, "NumExports"),
    }
    EXPORT: D3D12DDI_EXPORT_DESC_0054 { Name = TEXT, ExportToRename = TEXT, Flags }
    EXISTING_COLLECTION: D3D12DDI_EXISTING_COLLECTION_DESC_0054 {
        hExistingCollection = Kind::Handle, NumExports, pExports = counted(&EXPORT, "NumExports"),
    }
    RAYTRACING_SHADER_CONFIG: D3D12DDI_RAYTRACING_SHADER_CONFIG_0054 { MaxPayloadSizeInBytes, MaxAttributeSizeInBytes }
    RAYTRACING_PIPELINE_CONFIG: D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075 { MaxTraceRecursionDepth, Flags }
    HIT_GROUP: D3D12DDI_HIT_GROUP_DESC_0054 {
        HitGroupExport = TEXT, Type, AnyHitShaderImport = TEXT, ClosestHitShaderImport = TEXT,
        IntersectionShaderImport = TEXT, SummaryFlags,
    }
    FUNCTION_SUMMARY: D3D12DDI_FUNCTION_SUMMARY_0054 {
        NumExportedFunctions, pSummaries = counted(&FUNCTION_SUMMARY_NODE, "NumExportedFunctions"), OverallFlags,
    }
    FUNCTION_SUMMARY_NODE: D3D12DDI_FUNCTION_SUMMARY_NODE_0054 {
        ExportNameUnmangled = TEXT, ExportNameMangled = TEXT, NumAssociatedSubobjects,
        ppAssociatedSubobjects = counted(&SUBOBJECT_POINTER, "NumAssociatedSubobjects"), Flags,
    }
    GENERIC_PROGRAM: D3D12DDI_GENERIC_PROGRAM_DESC_0108 {
        ProgramName = TEXT, NumExports, pExports = counted(&STRING, "NumExports"), NumSubobjects,
        pSubobjects = counted(&SUBOBJECT_POINTER, "NumSubobjects"),
    }
    STREAM_OUTPUT: D3D12DDI_STREAM_OUTPUT_DESC_0108 {
        pSODeclaration = counted(&STREAM_OUTPUT_ENTRY, "NumEntries"), NumEntries,
        pBufferStrides = counted(&NUMBER, "NumStrides"), NumStrides, RasterizedStream,
    }
    SAMPLE_MASK: D3D12DDI_SAMPLE_MASK_0084 { SampleMask }
    PRIMITIVE_TOPOLOGY: D3D12DDI_PRIMITIVE_TOPOLOGY_DESC_0084 { PrimitiveTopology }
    RENDER_TARGET_FORMATS: D3D12DDI_RT_FORMAT_ARRAY { RTFormats = Kind::Array(&FORMAT, 8), NumRenderTargets }
    DEPTH_STENCIL_FORMAT: D3D12DDI_DEPTH_STENCIL_FORMAT_0084 { DepthStencilFormat }

    WORK_GRAPH: D3D12DDI_WORK_GRAPH_DESC_0108 {
        ProgramName = TEXT, Version, Flags, NumNodes, pNodes = to(&NODE_LIST_ENTRY), NumEntrypoints,
        pEntrypoints = to(&NODE_LIST_ENTRY),
    }
    NODE_LIST_ENTRY: D3D12DDI_NODE_LIST_ENTRY_0108 { pNode = to(&NODE), pNext = to(&NODE_LIST_ENTRY) }
    NODE: D3D12DDI_NODE_0108 {
        VersionAdded, NodeType,
        Anonymous = Kind::By("NodeType", &[(D3D12DDI_NODE_TYPE_SHADER_0108.0, &SHADER_NODE)]),
    }
    SHADER_NODE: D3D12DDI_SHADER_NODE_0108 {
        Shader = TEXT,
        PropertiesType,
        Anonymous = to_one_of("PropertiesType", &[
            (D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108.0, &BROADCASTING_LAUNCH),
            (D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108.0, &COALESCING_LAUNCH),
            (D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108.0, &THREAD_LAUNCH),
        ]),
    }
    NODE_ID: D3D12DDI_NODE_ID_0108 { Name = TEXT, ArrayIndex }
    BROADCASTING_LAUNCH: D3D12DDI_BROADCASTING_LAUNCH_NODE_PROPERTIES_0108 {
        FinalName = inline(&NODE_ID), bProgramEntry, InputNodeIOKind, InputNodeIOFlags, InputRecordSizeInBytes,
        GroupSharedUsageInBytes, MaxRecursionDepth, pLocalRootArgumentsTableIndex = to(&NUMBER),
        pShareInputOfNode = to(&NODE), pDispatchGrid = array(&NUMBER, Count::Is(3)),
        pMaxDispatchGrid = array(&NUMBER, Count::Is(3)), pRecordDispatchGrid = to(&RECORD_DISPATCH_GRID),
        pInputNodes = to(&NODE_LIST_ENTRY), pNodesSharingInputWithThisNode = to(&NODE_LIST_ENTRY), NumOutputs,
        pOutputs = counted(&NODE_OUTPUT, "NumOutputs"),
    }
    COALESCING_LAUNCH: D3D12DDI_COALESCING_LAUNCH_NODE_PROPERTIES_0108 {
        FinalName = inline(&NODE_ID), bProgramEntry, InputNodeIOKind, InputNodeIOFlags, InputRecordSizeInBytes,
        InputMaxRecordArraySize, GroupSharedUsageInBytes, MaxRecursionDepth, pLocalRootArgumentsTableIndex = to(&NUMBER),
        pShareInputOfNode = to(&NODE), pInputNodes = to(&NODE_LIST_ENTRY),
        pNodesSharingInputWithThisNode = to(&NODE_LIST_ENTRY), NumOutputs,
        pOutputs = counted(&NODE_OUTPUT, "NumOutputs"),
    }
    THREAD_LAUNCH: D3D12DDI_THREAD_LAUNCH_NODE_PROPERTIES_0108 {
        FinalName = inline(&NODE_ID), bProgramEntry, InputNodeIOKind, InputNodeIOFlags, InputRecordSizeInBytes,
        GroupSharedUsageInBytes, MaxRecursionDepth, pLocalRootArgumentsTableIndex = to(&NUMBER),
        pShareInputOfNode = to(&NODE), pInputNodes = to(&NODE_LIST_ENTRY),
        pNodesSharingInputWithThisNode = to(&NODE_LIST_ENTRY), NumOutputs,
        pOutputs = counted(&NODE_OUTPUT, "NumOutputs"),
    }
    NODE_OUTPUT: D3D12DDI_NODE_OUTPUT_0108 {
        FinalName = inline(&NODE_ID), OutputIndex, NodeIOKind, NodeIOFlags, RecordSizeInBytes, bAllowSparseNodes,
        pRecordDispatchGrid = to(&RECORD_DISPATCH_GRID), pMaxRecords = to(&NUMBER),
        pMaxRecordsSharedWithOutputIndex = to(&NUMBER), ArraySize, pOutputs = to(&NODE_LIST_ENTRY),
    }
    RECORD_DISPATCH_GRID: D3D12DDI_RECORD_DISPATCH_GRID_0108 { ByteOffset, NumComponents, b16BitsPerComponent }
}

impl Type {
    /// Every type.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        SINGLE.iter().chain(STRUCTURES).copied()
    }

    /// The type of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        Self::all().find(|known| known.name == name)
    }

    pub(crate) fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The number in a field of this name, in the bytes of a structure.
    pub(crate) fn number_in(&self, name: &str, bytes: &[u8]) -> Option<u64> {
        let field = self.field(name)?;
        let Kind::Number(number) = field.kind else {
            return None;
        };
        read(bytes.get(field.offset..)?, number.size)
    }
}

/// An unsigned number of `size` bytes at the beginning of `bytes`.
pub(crate) fn read(bytes: &[u8], size: usize) -> Option<u64> {
    let mut whole = [0; 8];
    whole.get_mut(..size)?.copy_from_slice(bytes.get(..size)?);
    Some(u64::from_le_bytes(whole))
}

impl Kind {
    /// How many bytes it has.
    #[cfg(test)]
    fn size(self) -> usize {
        match self {
            Self::Number(number) => number.size,
            Self::Array(item, count) => item.size * count,
            Self::Handle | Self::Function | Self::Pointer(_) => size_of::<usize>(),
            Self::By(_, types) => types
                .iter()
                .map(|(_, of)| of.size)
                .max()
                .unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, Item, Kind, Type};
    use std::collections::BTreeSet;

    #[test]
    fn names_are_of_one_type_each_and_fields_do_not_overlap() {
        let names: BTreeSet<_> = Type::all().map(|of| of.name).collect();
        assert_eq!(names.len(), Type::all().count());
        for of in Type::all() {
            let mut end = 0;
            for field in of.fields {
                let name = (of.name, field.name);
                assert!(field.offset >= end, "{name:?} overlaps");
                // Padding before it is less than its alignment, which is that of a pointer or less.
                assert!(
                    field.offset < end + 8,
                    "something is left out before {name:?}"
                );
                end = field.offset + field.kind.size();
            }
            assert!(end <= of.size && of.size < end + 8, "{}", of.name);
        }
    }

    #[test]
    fn what_a_field_depends_on_is_a_number_of_its_structure() {
        for of in Type::all() {
            for field in of.fields {
                let mut others = Vec::new();
                match field.kind {
                    Kind::By(other, types) => others.push((other, types.len())),
                    Kind::Pointer(target) => {
                        if let Count::Says(other) = target.count {
                            others.push((other, 1));
                        }
                        if let Item::By(other, types) | Item::SizedBy(other, types) = target.item {
                            others.push((other, types.len()));
                        }
                    }
                    _ => {}
                }
                for (other, types) in others {
                    let other = of.field(other).map(|field| field.kind);
                    assert!(
                        matches!(other, Some(Kind::Number(_))),
                        "{} {}",
                        of.name,
                        field.name
                    );
                    assert!(types > 0);
                }
            }
        }
    }

    /// What a pointer leads to is cut where its count is forgotten, and no other test sees that.
    #[test]
    fn every_count_counts_what_a_pointer_leads_to() {
        let plain = [
            "D3D12DDIARG_CREATE_PIPELINE_STATE_0099.NumRenderTargets",
            "D3D12DDI_DESCRIPTOR_RANGE_0013.NumDescriptors",
            "D3D12DDI_RECORD_DISPATCH_GRID_0108.NumComponents",
            "D3D12DDI_ROOT_CONSTANTS.Num32BitValues",
            "D3D12DDI_RT_FORMAT_ARRAY.NumRenderTargets",
            // Lists, whose links lead on.
            "D3D12DDI_WORK_GRAPH_DESC_0108.NumEntrypoints",
            "D3D12DDI_WORK_GRAPH_DESC_0108.NumNodes",
        ];
        let mut others = BTreeSet::new();
        for of in Type::all() {
            for field in of.fields {
                let is_count = [
                    "Num",
                    "ViewInstanceCount",
                    "KeySize",
                    "ValueSize",
                    "DataSize",
                ]
                .iter()
                .any(|start| field.name.starts_with(start));
                let counts = |other: &super::Field| match other.kind {
                    Kind::Pointer(target) => target.count == Count::Says(field.name),
                    _ => false,
                };
                if is_count && !of.fields.iter().any(counts) {
                    others.insert(format!("{}.{}", of.name, field.name));
                }
            }
        }
        assert_eq!(others, plain.map(str::to_owned).into());
    }
}
