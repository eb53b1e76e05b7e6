//! Arguments as a recording keeps them: JSON values, with everything that a pointer leads to in its place. An
//! object is its number, an enumeration, a handle of a descriptor or an address of the GPU a number. The host's
//! own addresses are nowhere, so that two recordings of equal calls are equal.

#[allow(clippy::wildcard_imports)] // The structures are the DDI's own.
use ddi_sys::*;
use serde_json::{Map, Value, json};

use crate::boundary::{self, Error, Result};
use crate::handles::{ObjectId, Owner};
use crate::memory::Resource;

/// What has all of its content in itself.
pub(crate) trait Json {
    fn json(&self) -> Value;
}

/// What may lead to more: pointers, handles and unions.
pub(crate) trait Recorded {
    /// A copy of everything, as a value.
    ///
    /// # Errors
    ///
    /// A handle is of no object of the call's device, or an array cannot be.
    ///
    /// # Safety
    ///
    /// What it points to lives, with as many elements as it says; its union has the arm that it says.
    unsafe fn recorded(&self, owner: &Owner) -> Result<Value>;
}

impl<T: Json> Recorded for T {
    unsafe fn recorded(&self, _owner: &Owner) -> Result<Value> {
        Ok(self.json())
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Json for $number {
            fn json(&self) -> Value {
                (*self).into()
            }
        }
    )*};
}

numbers!(bool, u8, i8, u16, u32, i32, u64, usize);

impl Json for f32 {
    /// JSON has no infinities and no NaN: those are their names.
    fn json(&self) -> Value {
        if self.is_finite() {
            (*self).into()
        } else {
            self.to_string().into()
        }
    }
}

macro_rules! enumerations {
    ($($enumeration:ty),* $(,)?) => {$(
        impl Json for $enumeration {
            fn json(&self) -> Value {
                self.0.into()
            }
        }
    )*};
}

enumerations! {
    D3D12DDI_BARRIER_ACCESS,
    D3D12DDI_BARRIER_LAYOUT,
    D3D12DDI_BARRIER_SYNC,
    D3D12DDI_BARRIER_TYPE,
    D3D12DDI_BUFFER_SRV_FLAGS,
    D3D12DDI_BUFFER_UAV_FLAGS,
    D3D12DDI_COMPARISON_FUNC,
    D3D12DDI_CREATE_DEPTH_STENCIL_VIEW_FLAGS,
    D3D12DDI_DISPATCH_MODE_0108,
    D3D12DDI_ELEMENTS_LAYOUT,
    D3D12DDI_FILTER,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    D3D12DDI_PREDICATION_OP,
    D3D12DDI_PRIMITIVE_TOPOLOGY,
    D3D12DDI_PROGRAM_TYPE_0108,
    D3D12DDI_QUERY_TYPE,
    D3D12DDI_RANGED_BARRIER_FLAGS_0094,
    D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS,
    D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE,
    D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE,
    D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE,
    D3D12DDI_RAYTRACING_GEOMETRY_FLAGS,
    D3D12DDI_RAYTRACING_GEOMETRY_TYPE,
    D3D12DDI_RESOURCE_BARRIER_FLAGS,
    D3D12DDI_RESOURCE_BARRIER_TYPE,
    D3D12DDI_RESOURCE_DIMENSION,
    D3D12DDI_RESOURCE_LAYOUT,
    D3D12DDI_RESOURCE_STATES,
    D3D12DDI_SAMPLER_FLAGS_0096,
    D3D12DDI_SET_WORK_GRAPH_FLAGS_0108,
    D3D12DDI_SHADING_RATE_0062,
    D3D12DDI_SHADING_RATE_COMBINER_0062,
    D3D12DDI_TEXTURE_ADDRESS_MODE,
    D3D12DDI_TEXTURE_BARRIER_FLAGS_0088,
    D3D12DDI_TILE_COPY_FLAGS,
    D3D12DDI_WRITEBUFFERIMMEDIATE_MODE_0032,
    DXGI_DDI_FLIP_INTERVAL_TYPE,
    DXGI_DDI_MODE_ROTATION,
    DXGI_FORMAT,
}

impl Json for () {
    fn json(&self) -> Value {
        Value::Null
    }
}

impl Json for Value {
    fn json(&self) -> Value {
        self.clone()
    }
}

impl Json for ObjectId {
    fn json(&self) -> Value {
        self.get().into()
    }
}

impl<T: Json + ?Sized> Json for Box<T> {
    fn json(&self) -> Value {
        (**self).json()
    }
}

impl<T: Json> Json for Option<T> {
    fn json(&self) -> Value {
        self.as_ref().map_or(Value::Null, Json::json)
    }
}

impl<T: Json> Json for [T] {
    fn json(&self) -> Value {
        self.iter().map(Json::json).collect()
    }
}

impl<T: Json, const N: usize> Json for [T; N] {
    fn json(&self) -> Value {
        self[..].json()
    }
}

/// Structures of numbers alone; all members.
macro_rules! plain {
    ($($structure:ident { $($member:ident),* $(,)? })*) => {$(
        impl Json for $structure {
            fn json(&self) -> Value {
                let Self { $($member),* } = self;
                let mut map = Map::new();
                $(map.insert(stringify!($member).into(), $member.json());)*
                map.into()
            }
        }
    )*};
}

plain! {
    D3D12DDI_BARRIER_SUBRESOURCE_RANGE_0088 {
        IndexOrFirstMipLevel, NumMipLevels, FirstArraySlice, NumArraySlices, FirstPlane, NumPlanes,
    }
    D3D12DDI_BOX { Left, Top, Front, Right, Bottom, Back }
    D3D12DDI_CONSTANT_BUFFER_VIEW_DESC { BufferLocation, SizeInBytes, Padding }
    D3D12DDI_CPU_DESCRIPTOR_HANDLE { ptr }
    D3D12DDI_GLOBAL_BARRIER_0088 { SyncBefore, SyncAfter, AccessBefore, AccessAfter }
    D3D12DDI_GPU_DESCRIPTOR_HANDLE { ptr }
    D3D12DDI_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress, StrideInBytes }
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE { StartAddress, SizeInBytes }
    D3D12DDI_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE { StartAddress, SizeInBytes, StrideInBytes }
    D3D12DDI_INDEX_BUFFER_VIEW { BufferLocation, SizeInBytes, Format }
    D3D12DDI_PROGRAM_IDENTIFIER_0108 { OpaqueData }
    D3D12DDI_RANGE { Begin, End }
    D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC_0054 { DestBuffer, InfoType }
    D3D12DDI_RAYTRACING_GEOMETRY_AABBS_DESC_0054 { AABBCount, AABBs }
    D3D12DDI_RAYTRACING_GEOMETRY_TRIANGLES_DESC_0054 {
        ColumnMajorTransform3x4, IndexFormat, VertexFormat, IndexCount, VertexCount, IndexBuffer, VertexBuffer,
    }
    D3D12DDI_SAMPLE_POSITION { X, Y }
    D3D12DDI_SET_GENERIC_PIPELINE_DESC_0108 { ProgramIdentifier }
    D3D12DDI_SET_RAYTRACING_PIPELINE_DESC_0108 { ProgramIdentifier }
    D3D12DDI_SET_WORK_GRAPH_DESC_0108 { ProgramIdentifier, Flags, BackingMemory, NodeLocalRootArgumentsTable }
    D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW { BufferLocation, SizeInBytes, BufferFilledSizeLocation }
    D3D12DDI_TILED_RESOURCE_COORDINATE { X, Y, Z, Subresource }
    D3D12DDI_TILE_REGION_SIZE { NumTiles, UseBox, Width, Height, Depth }
    D3D12DDI_VERTEX_BUFFER_VIEW { BufferLocation, SizeInBytes, StrideInBytes }
    D3D12DDI_VIEWPORT { TopLeftX, TopLeftY, Width, Height, MinDepth, MaxDepth }
    D3D12DDI_WRITEBUFFERIMMEDIATE_PARAMETER_0032 { Dst, Value }
    D3D12DDIARG_BUFFER_RENDER_TARGET_VIEW { FirstElement, NumElements }
    D3D12DDIARG_BUFFER_SHADER_RESOURCE_VIEW { FirstElement, NumElements, StructureByteStride, Flags }
    D3D12DDIARG_COPY_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
        DestAccelerationStructureData, SourceAccelerationStructureData, Mode,
    }
    D3D12DDIARG_DISPATCH_RAYS_0054 {
        RayGenerationShaderRecord, MissShaderTable, HitGroupTable, CallableShaderTable, Width, Height, Depth,
    }
    D3D12DDIARG_PHYSICAL_SUBRESOURCE_PITCHED_LAYOUT {
        Format, PhysicalWidth, PhysicalHeight, PhysicalDepth, Pitch, SlicePitch,
    }
    D3D12DDIARG_RAYTRACING_ACCELERATION_STRUCTURE_SHADER_RESOURCE_VIEW_0042 { Location }
    D3D12DDIARG_TEX1D_DEPTH_STENCIL_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEX1D_RENDER_TARGET_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEX1D_SHADER_RESOURCE_VIEW {
        MostDetailedMip, FirstArraySlice, MipLevels, ArraySize, ResourceMinLODClamp,
    }
    D3D12DDIARG_TEX1D_UNORDERED_ACCESS_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEX2D_DEPTH_STENCIL_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEX2D_RENDER_TARGET_VIEW_0002 { MipSlice, FirstArraySlice, ArraySize, PlaneSlice }
    D3D12DDIARG_TEX2D_SHADER_RESOURCE_VIEW_0002 {
        MostDetailedMip, FirstArraySlice, MipLevels, ArraySize, PlaneSlice, ResourceMinLODClamp,
    }
    D3D12DDIARG_TEX2D_UNORDERED_ACCESS_VIEW_0002 { MipSlice, FirstArraySlice, ArraySize, PlaneSlice }
    D3D12DDIARG_TEX3D_RENDER_TARGET_VIEW { MipSlice, FirstW, WSize }
    D3D12DDIARG_TEX3D_SHADER_RESOURCE_VIEW { MostDetailedMip, MipLevels, ResourceMinLODClamp }
    D3D12DDIARG_TEX3D_UNORDERED_ACCESS_VIEW { MipSlice, FirstW, WSize }
    D3D12DDIARG_TEXCUBE_DEPTH_STENCIL_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEXCUBE_RENDER_TARGET_VIEW { MipSlice, FirstArraySlice, ArraySize }
    D3D12DDIARG_TEXCUBE_SHADER_RESOURCE_VIEW {
        MostDetailedMip, MipLevels, First2DArrayFace, NumCubes, ResourceMinLODClamp,
    }
    D3D12DDIARG_VIRTUAL_SUBRESOURCE_PITCHED_LAYOUT {
        Format, VirtualWidth, VirtualHeight, VirtualDepth, PhysicalWidth, PhysicalHeight, PhysicalDepth, Pitch, SlicePitch,
    }
    DXGI_DDI_ARG_BLT_FLAGS { Value }
    DXGI_DDI_PRESENT_FLAGS { Value }
    RECT { left, top, right, bottom }
}

/// # Safety
///
/// As [`Recorded::recorded`].
pub(crate) unsafe fn values<T: Recorded>(items: &[T], owner: &Owner) -> Result<Value> {
    // SAFETY: as `Recorded::recorded` wants of each (`# Safety`).
    let values = items.iter().map(|item| unsafe { item.recorded(owner) });
    values.collect::<Result<Vec<_>>>().map(Value::Array)
}

/// A member of a structure that leads to more: `object()`, `array(COUNT)` and `bytes(COUNT)` by the member that
/// says how many, `arms(TYPE: ENUMERATOR => ARM, ...)` of a union; others have a value themselves.
macro_rules! member {
    ($self:ident $owner:ident $map:ident $member:ident) => {
        $map.insert(stringify!($member).into(), $self.$member.recorded($owner)?);
    };
    ($self:ident $owner:ident $map:ident $member:ident object ()) => {
        let object = $owner.optional_id_of::<Resource>($self.$member.pDrvPrivate)?;
        $map.insert(stringify!($member).into(), object.json());
    };
    ($self:ident $owner:ident $map:ident $member:ident array ($count:ident)) => {
        let items = boundary::array($self.$member, $self.$count, stringify!($member))?;
        $map.insert(stringify!($member).into(), values(items, $owner)?);
    };
    ($self:ident $owner:ident $map:ident $member:ident bytes ($count:ident)) => {
        let bytes = $self.$member.cast_const().cast::<u8>();
        let bytes = boundary::array(bytes, $self.$count, stringify!($member))?;
        $map.insert(stringify!($member).into(), bytes.json());
    };
    ($self:ident $owner:ident $map:ident $member:ident arms (
        $kind:ident: $($enumerator:ident => $arm:ident),* $(,)?
    )) => {
        match $self.$kind {
            $($enumerator => {
                $map.insert(stringify!($arm).into(), $self.$member.$arm.recorded($owner)?);
            })*
            // What a type that the DDI does not define has is unknown.
            _ => {}
        }
    };
}

/// Structures that lead to more; all members.
macro_rules! structures {
    ($($structure:ident { $($member:ident $(: $kind:ident ($($of:tt)*))?),* $(,)? })*) => {$(
        impl Recorded for $structure {
            unsafe fn recorded(&self, owner: &Owner) -> Result<Value> {
                let Self { $($member: _),* } = self;
                let mut map = Map::new();
                #[allow(unused_unsafe, reason = "some lead to objects alone, which are looked up")]
                // SAFETY: arrays have their counts, and the union its arm (`# Safety`).
                unsafe { $(member!(self owner map $member $($kind ($($of)*))?);)* }
                Ok(map.into())
            }
        }
    )*};
}

structures! {
    D3D12DDI_ARG_PRESENTSURFACE { hSurface: object(), SubResourceIndex }
    D3D12DDI_BUFFER_BARRIER_0088 {
        SyncBefore, SyncAfter, AccessBefore, AccessAfter, hResource: object(),
    }
    D3D12DDI_RANGED_BARRIER_0094 { Flags, hResource: object(), Subresource, Range }
    D3D12DDI_RAYTRACING_GEOMETRY_DESC_0054 {
        Type, Flags, Anonymous: arms(Type:
            D3D12DDI_RAYTRACING_GEOMETRY_TYPE_TRIANGLES => Triangles,
            D3D12DDI_RAYTRACING_GEOMETRY_TYPE_PROCEDURAL_PRIMITIVE_AABBS => AABBs,
        ),
    }
    D3D12DDI_RESOURCE_RANGED_BARRIER_0022 { hResource: object(), Subresource, Range }
    D3D12DDI_RESOURCE_TRANSITION_BARRIER_0003 { hResource: object(), Subresource, StateBefore, StateAfter }
    D3D12DDI_RESOURCE_UAV_BARRIER { hResource: object() }
    D3D12DDI_SET_PROGRAM_DESC_0108 {
        Type, Anonymous: arms(Type:
            D3D12DDI_PROGRAM_TYPE_GENERIC_PIPELINE_0108 => GenericPipeline,
            D3D12DDI_PROGRAM_TYPE_RAYTRACING_PIPELINE_0108 => RaytracingPipeline,
            D3D12DDI_PROGRAM_TYPE_WORK_GRAPH_0108 => WorkGraph,
        ),
    }
    D3D12DDI_TEXTURE_BARRIER_0088 {
        SyncBefore, SyncAfter, AccessBefore, AccessAfter, LayoutBefore, LayoutAfter, hResource: object(), Subresources,
        Flags,
    }
    D3D12DDI_DISPATCH_GRAPH_DESC_0108 {
        Mode, Anonymous: arms(Mode:
            D3D12DDI_DISPATCH_MODE_NODE_CPU_INPUT_0108 => NodeCPUInput,
            D3D12DDI_DISPATCH_MODE_NODE_GPU_INPUT_0108 => NodeGPUInput,
            D3D12DDI_DISPATCH_MODE_MULTI_NODE_CPU_INPUT_0108 => MultiNodeCPUInput,
            D3D12DDI_DISPATCH_MODE_MULTI_NODE_GPU_INPUT_0108 => MultiNodeGPUInput,
        ),
    }
    D3D12DDIARG_BARRIER_0094 {
        Type, Anonymous: arms(Type:
            D3D12DDI_BARRIER_TYPE_GLOBAL => GlobalBarrier,
            D3D12DDI_BARRIER_TYPE_TEXTURE => TextureBarrier,
            D3D12DDI_BARRIER_TYPE_BUFFER => BufferBarrier,
            D3D12DDI_BARRIER_TYPE_RANGED => RangedBarrier,
        ),
    }
    D3D12DDIARG_BLT {
        hDstResource: object(), DstSubresource, DstLeft, DstTop, DstRight, DstBottom, hSrcResource: object(), SrcSubresource,
        SrcLeft, SrcTop, SrcRight, SrcBottom, Flags, Rotate,
    }
    D3D12DDIARG_BUFFER_UNORDERED_ACCESS_VIEW {
        hDrvCounterResource: object(), FirstElement, NumElements, StructureByteStride, CounterOffsetInBytes, Flags,
    }
    D3D12DDIARG_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_0054 {
        DestAccelerationStructureData, Inputs, SourceAccelerationStructureData, ScratchAccelerationStructureData,
        NumPostbuildInfoDescs, pPostbuildInfoDescs: array(NumPostbuildInfoDescs),
    }
    D3D12DDIARG_CREATE_DEPTH_STENCIL_VIEW {
        hDrvResource: object(), Format, ResourceDimension, Flags, Anonymous: arms(ResourceDimension:
            D3D12DDI_RD_TEXTURE1D => Tex1D,
            D3D12DDI_RD_TEXTURE2D => Tex2D,
            D3D12DDI_RD_TEXTURECUBE => TexCube,
        ),
    }
    D3D12DDIARG_CREATE_RENDER_TARGET_VIEW_0002 {
        hDrvResource: object(), Format, ResourceDimension, Anonymous: arms(ResourceDimension:
            D3D12DDI_RD_BUFFER => Buffer,
            D3D12DDI_RD_TEXTURE1D => Tex1D,
            D3D12DDI_RD_TEXTURE2D => Tex2D,
            D3D12DDI_RD_TEXTURE3D => Tex3D,
            D3D12DDI_RD_TEXTURECUBE => TexCube,
        ),
    }
    D3D12DDIARG_CREATE_SHADER_RESOURCE_VIEW_0002 {
        hDrvResource: object(), Format, ResourceDimension, Shader4ComponentMapping, Anonymous: arms(ResourceDimension:
            D3D12DDI_RD_BUFFER => Buffer,
            D3D12DDI_RD_TEXTURE1D => Tex1D,
            D3D12DDI_RD_TEXTURE2D => Tex2D,
            D3D12DDI_RD_TEXTURE3D => Tex3D,
            D3D12DDI_RD_TEXTURECUBE => TexCube,
            D3D12DDI_RD_RAYTRACING_ACCELERATION_STRUCTURE_0042 => RaytracingAccelerationStructure,
        ),
    }
    D3D12DDIARG_CREATE_UNORDERED_ACCESS_VIEW_0002 {
        hDrvResource: object(), Format, ResourceDimension, Anonymous: arms(ResourceDimension:
            D3D12DDI_RD_BUFFER => Buffer,
            D3D12DDI_RD_TEXTURE1D => Tex1D,
            D3D12DDI_RD_TEXTURE2D => Tex2D,
            D3D12DDI_RD_TEXTURE3D => Tex3D,
        ),
    }
    D3D12DDIARG_DISCARD_RESOURCE_0003 {
        NumRects, pRects: array(NumRects), FirstSubresource, NumSubresources,
    }
    D3D12DDIARG_EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_0054 {
        Desc, NumSourceAccelerationStructures, pSourceAccelerationStructureData: array(NumSourceAccelerationStructures),
    }
    D3D12DDIARG_PRESENT_0001 {
        phSurfacesToPresent: array(SurfacesToPresent), SurfacesToPresent, hDstResource: object(), DstSubResourceIndex, Flags,
        FlipInterval, VidPnSourceID, pDirtyRects: array(DirtyRects), DirtyRects, PrivateDriverDataSize,
        pPrivateDriverData: bytes(PrivateDriverDataSize), OptimizeForComposition,
    }
    D3D12DDIARG_RESOURCE_BARRIER_0022 {
        Type, Flags, Anonymous: arms(Type:
            D3D12DDI_RESOURCE_BARRIER_TYPE_TRANSITION => Transition,
            D3D12DDI_RESOURCE_BARRIER_TYPE_UAV => UAV,
            D3D12DDI_RESOURCE_BARRIER_TYPE_0022_RANGED => Ranged,
        ),
    }
}

impl Recorded for D3D12DDI_SAMPLER_DESC_0096 {
    unsafe fn recorded(&self, _owner: &Owner) -> Result<Value> {
        // SAFETY: both arms are four words, which the flags say how to read; any bits are such words.
        let color = unsafe {
            if self.Flags.contains(D3D12DDI_SAMPLER_FLAG_UINT_BORDER_COLOR) {
                self.Anonymous.UintBorderColor.json()
            } else {
                self.Anonymous.FloatBorderColor.json()
            }
        };
        Ok(json!({
            "Filter": self.Filter.json(),
            "AddressU": self.AddressU.json(),
            "AddressV": self.AddressV.json(),
            "AddressW": self.AddressW.json(),
            "MipLODBias": self.MipLODBias.json(),
            "MaxAnisotropy": self.MaxAnisotropy,
            "ComparisonFunc": self.ComparisonFunc.json(),
            "BorderColor": color,
            "MinLOD": self.MinLOD.json(),
            "MaxLOD": self.MaxLOD.json(),
            "Flags": self.Flags.json(),
        }))
    }
}

impl Recorded for D3D12DDIARG_PLACED_RESOURCE {
    unsafe fn recorded(&self, _owner: &Owner) -> Result<Value> {
        let layout = self.pLayout;
        // SAFETY: the layout says what the pointer leads to (`# Safety`).
        let layout = unsafe {
            match self.Layout {
                D3D12DDI_RL_PLACED_PHYSICAL_SUBRESOURCE_PITCHED => boundary::input(
                    layout.cast::<D3D12DDIARG_PHYSICAL_SUBRESOURCE_PITCHED_LAYOUT>(),
                    "pLayout",
                )?
                .json(),
                D3D12DDI_RL_PLACED_VIRTUAL_SUBRESOURCE_PITCHED => boundary::input(
                    layout.cast::<D3D12DDIARG_VIRTUAL_SUBRESOURCE_PITCHED_LAYOUT>(),
                    "pLayout",
                )?
                .json(),
                D3D12DDI_RL_SELECT_SUBRESOURCE => {
                    boundary::input(layout.cast::<UINT>(), "pLayout")?.json()
                }
                _ => Value::Null,
            }
        };
        Ok(json!({ "Layout": self.Layout.json(), "pLayout": layout }))
    }
}

impl Recorded for D3D12DDI_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS_0054 {
    unsafe fn recorded(&self, owner: &Owner) -> Result<Value> {
        let mut inputs = json!({
            "Type": self.Type.json(),
            "Flags": self.Flags.json(),
            "NumDescs": self.NumDescs,
            "DescsLayout": self.DescsLayout.json(),
        });
        let is_array = self.DescsLayout == D3D12DDI_ELEMENTS_LAYOUT_ARRAY;
        // SAFETY: type and layout say which arm there is, and that `NumDescs` descriptions are there (`# Safety`). Instances
        // are in the memory of the GPU: their address is a number.
        unsafe {
            match self.Type {
                D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL => {
                    inputs["InstanceDescs"] = self.Anonymous.InstanceDescs.into();
                }
                D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL if is_array => {
                    let descs = self.Anonymous.pGeometryDescs;
                    let descs = boundary::array(descs, self.NumDescs, "pGeometryDescs")?;
                    inputs["pGeometryDescs"] = values(descs, owner)?;
                }
                D3D12DDI_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL => {
                    let descs = self.Anonymous.ppGeometryDescs;
                    let descs = boundary::array(descs, self.NumDescs, "ppGeometryDescs")?;
                    let descs = descs
                        .iter()
                        .map(|desc| boundary::input(*desc, "ppGeometryDescs")?.recorded(owner));
                    inputs["ppGeometryDescs"] = descs.collect::<Result<Vec<_>>>()?.into();
                }
                _ => {}
            }
        }
        Ok(inputs)
    }
}

impl Recorded for D3D12DDI_NODE_CPU_INPUT_0108 {
    unsafe fn recorded(&self, _owner: &Owner) -> Result<Value> {
        let stride = usize::try_from(self.RecordStrideInBytes).unwrap_or(usize::MAX);
        let size = stride.checked_mul(self.NumRecords as usize);
        // Empty records are nowhere. What is repeated, with a stride of 0, has a size that the graph alone knows.
        let records = if self.pRecords.is_null() || stride == 0 {
            Value::Null
        } else {
            let records = self.pRecords.cast::<u8>();
            // SAFETY: there are as many records, each as long as the stride (`# Safety`).
            let records =
                unsafe { boundary::array(records, size.unwrap_or(usize::MAX), "pRecords") }?;
            records.chunks(stride).map(Json::json).collect()
        };
        Ok(json!({
            "EntrypointIndex": self.EntrypointIndex,
            "NumRecords": self.NumRecords,
            "pRecords": records,
            "RecordStrideInBytes": self.RecordStrideInBytes,
        }))
    }
}

impl Recorded for D3D12DDI_MULTI_NODE_CPU_INPUT_0108 {
    unsafe fn recorded(&self, owner: &Owner) -> Result<Value> {
        let stride = usize::try_from(self.NodeInputStrideInBytes).unwrap_or(usize::MAX);
        if self.NumNodeInputs > 1 && stride < size_of::<D3D12DDI_NODE_CPU_INPUT_0108>() {
            return Err(Error::invalid(format!(
                "NodeInputStrideInBytes is {stride}: the inputs overlap"
            )));
        }
        let inputs = (0..self.NumNodeInputs as usize).map(|index| {
            let at = self
                .pNodeInputs
                .wrapping_byte_add(index.wrapping_mul(stride));
            // SAFETY: there are as many inputs, each by the stride after the one before (`# Safety`).
            unsafe { boundary::input(at, "pNodeInputs")?.recorded(owner) }
        });
        Ok(json!({
            "NumNodeInputs": self.NumNodeInputs,
            "pNodeInputs": inputs.collect::<Result<Vec<_>>>()?,
            "NodeInputStrideInBytes": self.NodeInputStrideInBytes,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_is_a_number_where_json_has_one() {
        let floats = [0.5_f32, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let text = floats.json().to_string();
        assert_eq!(text, r#"[0.5,-0.0,"NaN","inf","-inf"]"#);
    }
}
