//! Arguments in memory of our own: everything a call points to lies in one block, and we decide what
//! is in the padding of the structures and between them; or each piece of it lies between guard pages of its own.

use std::any::type_name;
use std::cell::{Cell, RefCell};
use std::mem::offset_of;
use std::ops::Range;
use std::ptr;

use conformance_catalogue::verdict::{Failure, Stop};
use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_BLEND_DESC_0010, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_DESCRIPTOR_RANGE_0013,
    D3D12DDI_RASTERIZER_DESC_0102, D3D12DDI_ROOT_PARAMETER_0013,
    D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE, D3D12DDI_ROOT_SIGNATURE_0100,
    D3D12DDI_STATIC_SAMPLER_0100, D3D12DDI_VIEW_INSTANCE_LOCATION,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    D3D12DDIARG_CREATE_SHADER_0026, D3D12DDIARG_CREATEELEMENTLAYOUT_0010,
    D3D12DDIARG_INPUT_ELEMENT_DESC, D3D12DDIARG_MESH_IO_SIGNATURES,
    D3D12DDIARG_SIGNATURE_ENTRY_0012, D3D12DDIARG_STAGE_IO_SIGNATURES,
    D3D12DDIARG_TESSELLATION_IO_SIGNATURES,
};
use region::Protection;

use crate::watch::fault::Watch;
use crate::watch::memory::{Guarded, Place};

/// How an arena's memory looks where no input is. A plugin must not see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// What is in the padding of structures, and between them.
    pub(crate) filler: u8,
    /// How many bytes lie between two structures, at least; what lies before the first.
    pub(crate) gap: usize,
    /// Where each piece lies between guard pages of its own, if it does.
    pub(crate) guarded: Option<Place>,
    /// Whether equal structures, arrays and strings are one, at one address, where they are not guarded.
    pub(crate) shared: bool,
}

impl Surroundings {
    pub(crate) const USUAL: Self = Self {
        filler: 0,
        gap: 16,
        guarded: None,
        shared: false,
    };
    /// Other addresses and other bytes than the usual ones.
    pub(crate) const OTHER: Self = Self {
        filler: 0xB7,
        gap: 208,
        ..Self::USUAL
    };

    /// Each structure, array, string and program has pages of its own.
    pub(crate) const fn guarded(place: Place) -> Self {
        Self {
            guarded: Some(place),
            ..Self::USUAL
        }
    }
}

/// Something of a description, in pages of its own.
pub(crate) struct Piece {
    what: String,
    memory: Guarded,
}

impl Piece {
    /// `what` of `bytes`, aligned to `align` and no more where `place` is the end.
    pub(crate) fn new(
        what: String,
        bytes: &[u8],
        align: usize,
        place: Place,
    ) -> Result<Self, Stop> {
        let memory = Guarded::new(bytes.len(), align, place, 0)?;
        memory.write(bytes);
        Ok(Self { what, memory })
    }

    /// `what` of so many values, aligned as they are and no more where `place` is the end.
    ///
    /// # Safety
    ///
    /// There are as many values. Padding between them may have no value.
    pub(crate) unsafe fn copied<T: Copy>(
        what: String,
        values: *const T,
        count: usize,
        place: Place,
    ) -> Result<Self, Stop> {
        let memory = Guarded::new(count * size_of::<T>(), align_of::<T>(), place, 0)?;
        // SAFETY: as this function demands; the memory is new, and has the size.
        unsafe { memory.ptr::<T>().copy_from_nonoverlapping(values, count) };
        Ok(Self { what, memory })
    }

    pub(crate) fn ptr<T>(&self) -> *mut T {
        self.memory.ptr()
    }

    pub(crate) fn memory(&self) -> &Guarded {
        &self.memory
    }

    /// A watch of it and of what is beside it.
    pub(crate) fn watch(&self, failure: &Failure) -> Watch {
        Watch::of(&self.memory, self.what.as_str(), failure.clone())
    }
}

/// A string as the DDI has it, with its terminator.
pub(crate) fn units(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().chain([0]);
    units.flat_map(u16::to_ne_bytes).collect()
}

/// A block of memory that arguments are placed in, one after another; or pages for each of them.
pub(crate) struct Arena {
    /// The block, where the surroundings are not guarded.
    pub(crate) memory: Guarded,
    used: Cell<usize>,
    /// Where what lies here was placed.
    placed: RefCell<Vec<Range<usize>>>,
    surroundings: Surroundings,
    pieces: RefCell<Vec<Piece>>,
}

impl Arena {
    /// For any description, without programs that are not built in.
    pub(crate) const SIZE: usize = 256 * 1024;
    const ALIGN: usize = 16;

    /// With room for so many bytes where the surroundings are not guarded.
    pub(crate) fn new(size: usize, surroundings: Surroundings) -> Result<Self, Stop> {
        let size = if surroundings.guarded.is_some() {
            0
        } else {
            size
        };
        let memory = Guarded::new(size, Self::ALIGN, Place::Roomy, surroundings.filler)?;
        Ok(Self {
            memory,
            used: Cell::new(0),
            placed: RefCell::default(),
            surroundings,
            pieces: RefCell::default(),
        })
    }

    /// Watches of everything that was placed, where the surroundings are guarded.
    pub(crate) fn watches(&self, failure: &Failure) -> Vec<Watch> {
        let pieces = self.pieces.borrow();
        pieces.iter().map(|piece| piece.watch(failure)).collect()
    }

    /// Changes what may be done with what was placed, where the surroundings are guarded.
    pub(crate) fn protect(&self, protection: Protection) -> Result<(), Stop> {
        let pieces = self.pieces.borrow();
        let mut pieces = pieces.iter();
        pieces.try_for_each(|piece| piece.memory.protect(protection))
    }

    /// Room for `len` bytes of `what`.
    fn room(&self, len: usize, align: usize, what: impl FnOnce() -> String) -> *mut u8 {
        if let Some(place) = self.surroundings.guarded {
            let (what, zeros) = (what(), vec![0; len]);
            let piece = Piece::new(what, &zeros, align, place).expect("memory for every test");
            let room = piece.ptr();
            self.pieces.borrow_mut().push(piece);
            return room;
        }
        let start = (self.used.get() + self.surroundings.gap).next_multiple_of(Self::ALIGN);
        self.used.set(start + len);
        assert!(
            start + len <= self.memory.len(),
            "the arena is large enough for every test"
        );
        self.memory.ptr::<u8>().wrapping_add(start)
    }

    fn bytes(&self, bytes: &[u8], align: usize, what: impl FnOnce() -> String) -> *mut u8 {
        let place = self.room(bytes.len(), align, what);
        // SAFETY: `room` gave that much of our own memory.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        self.settled(place, bytes.len())
    }

    /// Where the `len` bytes are to be used that were placed last: where equal ones are, if these are to be
    /// one.
    fn settled(&self, place: *mut u8, len: usize) -> *mut u8 {
        if !self.surroundings.shared || self.surroundings.guarded.is_some() || len == 0 {
            return place;
        }
        let base = self.memory.ptr::<u8>();
        let start = place.addr() - base.addr();
        let all = self.memory.bytes();
        let mut placed = self.placed.borrow_mut();
        let equal = |other: &&Range<usize>| all[(*other).clone()] == all[start..start + len];
        if let Some(other) = placed.iter().find(equal) {
            return base.wrapping_add(other.start);
        }
        placed.push(start..start + len);
        place
    }

    /// Places a program.
    pub(crate) fn program(&self, program: &[u8]) -> *const u32 {
        self.bytes(program, align_of::<u32>(), || "the program".into())
            .cast()
    }

    /// Places a string with its terminator.
    pub(crate) fn string(&self, text: &str) -> *const u16 {
        let what = || format!("the string {text:?}");
        self.bytes(&units(text), align_of::<u16>(), what).cast()
    }

    /// Places one structure.
    pub(crate) fn put<T: Leaves>(&self, value: T) -> *mut T {
        self.array(&[value])
    }

    /// Places an array; an empty one is null.
    pub(crate) fn array<T: Leaves>(&self, values: &[T]) -> *mut T {
        const { assert!(align_of::<T>() <= Self::ALIGN) };
        if values.is_empty() {
            return ptr::null_mut();
        }
        let what = || {
            let name = type_name::<T>().rsplit("::").next().unwrap_or_default();
            match values.len() {
                1 => name.to_owned(),
                count => format!("the array of {count} {name}"),
            }
        };
        let room = self.room(size_of_val(values), align_of::<T>(), what);
        let first = room.cast::<T>();
        for (index, value) in values.iter().enumerate() {
            let place = first.wrapping_add(index);
            // SAFETY: `room` gave enough for the array, and its start is aligned.
            unsafe { place.write(*value) };
            let mut padding = vec![true; size_of::<T>()];
            for leaf in value.leaves() {
                padding[leaf].fill(false);
            }
            for (at, _) in padding.iter().enumerate().filter(|(_, padding)| **padding) {
                // SAFETY: inside the structure that was just written.
                unsafe { place.cast::<u8>().add(at).write(self.surroundings.filler) };
            }
        }
        self.settled(first.cast(), size_of_val(values)).cast()
    }
}

/// A structure that is placed in an arena.
pub(crate) trait Leaves: Copy {
    /// The bytes that have a meaning; all others are padding.
    fn leaves(&self) -> Vec<Range<usize>>;
}

/// The size of the field that a function picks.
const fn size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}

macro_rules! leaves {
    ($($structure:ident { $($($field:ident).+,)* })*) => {$(
        impl Leaves for $structure {
            fn leaves(&self) -> Vec<Range<usize>> {
                vec![$({
                    let start = offset_of!($structure, $($field).+);
                    start..start + size_of_field(|value: &$structure| &value.$($field).+)
                },)*]
            }
        }
    )*};
}

leaves! {
    D3D12DDI_VIEW_INSTANCE_LOCATION { ViewportArrayIndex, RenderTargetArrayIndex, }
    D3D12DDI_COMPILER_TARGET { AdapterFamilyIndex, ABIVersion, }
    D3D12DDI_APPLICATION_DESC { pExeFilename, pName, Version, pEngineName, EngineVersion, }
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099 {
        hComputeShader, hVertexShader, hPixelShader, hDomainShader, hHullShader, hGeometryShader,
        hRootSignature, hBlendState, SampleMask, hRasterizerState, hDepthStencilState,
        hElementLayout, IBStripCutValue, PrimitiveTopologyType, NumRenderTargets, RTVFormats,
        DSVFormat, SampleDesc, NodeMask, LibraryReference.hLibrary, LibraryReference.PipelineIndex,
        ViewInstancingDesc.ViewInstanceCount, ViewInstancingDesc.pViewInstanceLocations,
        ViewInstancingDesc.Flags, hMeshShader, hAmplificationShader, Flags,
    }
    D3D12DDIARG_CREATE_SHADER_0026 {
        hRootSignature, pShaderCode, IOSignatures, Flags, LibraryReference.hLibrary,
        LibraryReference.PipelineIndex, ShaderCodeHash,
    }
    D3D12DDIARG_STAGE_IO_SIGNATURES {
        Anonymous1, NumInputSignatureEntries, Anonymous2, NumOutputSignatureEntries,
    }
    D3D12DDIARG_TESSELLATION_IO_SIGNATURES {
        Anonymous1, NumInputSignatureEntries, Anonymous2, NumOutputSignatureEntries, Anonymous3,
        NumPatchConstantSignatureEntries,
    }
    D3D12DDIARG_MESH_IO_SIGNATURES {
        pPrimitiveOutputSignature, NumPrimitiveOutputSignatureEntries, pVertexOutputSignature,
        NumVertexOutputSignatureEntries,
    }
    D3D12DDIARG_SIGNATURE_ENTRY_0012 {
        SystemValue, Register, Mask, Stream, RegisterComponentType, MinPrecision,
    }
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 { Version, Anonymous, NodeMask, }
    D3D12DDI_ROOT_SIGNATURE_0100 {
        NumParameters, pRootParameters, NumStaticSamplers, pStaticSamplers, Flags,
    }
    D3D12DDI_DESCRIPTOR_RANGE_0013 {
        RangeType, NumDescriptors, BaseShaderRegister, RegisterSpace, Flags,
        OffsetInDescriptorsFromTableStart,
    }
    D3D12DDI_STATIC_SAMPLER_0100 {
        Filter, AddressU, AddressV, AddressW, MipLODBias, MaxAnisotropy, ComparisonFunc,
        BorderColor, MinLOD, MaxLOD, ShaderRegister, RegisterSpace, ShaderVisibility, Flags,
    }
    D3D12DDI_RASTERIZER_DESC_0102 {
        FillMode, CullMode, FrontCounterClockwise, DepthBias, DepthBiasClamp, SlopeScaledDepthBias,
        DepthClipEnable, ScissorEnable, LineRasterizationMode, ForcedSampleCount,
        ConservativeRasterizationMode, LibraryReference.hLibrary, LibraryReference.PipelineIndex,
    }
    D3D12DDI_DEPTH_STENCIL_DESC_0095 {
        DepthEnable, DepthWriteMask, DepthFunc, StencilEnable, FrontEnable, BackEnable,
        FrontFaceStencilReadMask, FrontFaceStencilWriteMask, FrontFace, BackFace,
        LibraryReference.hLibrary, LibraryReference.PipelineIndex, DepthBoundsTestEnable,
        BackFaceStencilReadMask, BackFaceStencilWriteMask,
    }
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010 {
        pVertexElements, NumElements, LibraryReference.hLibrary, LibraryReference.PipelineIndex,
    }
    D3D12DDIARG_INPUT_ELEMENT_DESC {
        InputSlot, AlignedByteOffset, Format, InputSlotClass, InstanceDataStepRate, InputRegister,
    }
}

/// Only the arm of the union that the type names has a meaning.
impl Leaves for D3D12DDI_ROOT_PARAMETER_0013 {
    fn leaves(&self) -> Vec<Range<usize>> {
        let arm = offset_of!(Self, Anonymous);
        let visibility = offset_of!(Self, ShaderVisibility);
        let mut leaves = vec![0..4, visibility..visibility + 4];
        if self.ParameterType == D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE {
            let pointer = arm + size_of::<*const ()>();
            leaves.extend([arm..arm + 4, pointer..pointer + size_of::<*const ()>()]);
        } else {
            leaves.push(arm..arm + 12);
        }
        leaves
    }
}

/// Each render target has three bytes of padding behind its write mask.
impl Leaves for D3D12DDI_BLEND_DESC_0010 {
    fn leaves(&self) -> Vec<Range<usize>> {
        let target = size_of_val(&self.RenderTarget[0]);
        let meaning = offset_of!(
            ddi_sys::D3D12DDI_RENDER_TARGET_BLEND_DESC,
            RenderTargetWriteMask
        ) + 1;
        let targets = offset_of!(Self, RenderTarget);
        let library = offset_of!(Self, LibraryReference);
        let index = offset_of!(Self, LibraryReference.PipelineIndex);
        let mut leaves = vec![
            0..8,
            library..library + size_of::<*const ()>(),
            index..index + 4,
        ];
        leaves.extend((0..self.RenderTarget.len()).map(|i| {
            let start = targets + i * target;
            start..start + meaning
        }));
        leaves
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, Leaves, Surroundings};
    use crate::watch::memory::Place;
    use bytemuck::Zeroable;
    use ddi_sys::*;

    fn padding<T: Leaves>(value: T) -> usize {
        let mut meaning = vec![0_u8; size_of::<T>()];
        for leaf in value.leaves() {
            meaning[leaf].iter_mut().for_each(|byte| *byte += 1);
        }
        assert!(meaning.iter().all(|times| *times <= 1), "a leaf twice");
        meaning.into_iter().filter(|times| *times == 0).count()
    }

    /// Counted by hand from the 64-bit layouts.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn padding_is_what_the_layout_says() {
        assert_eq!(padding(D3D12DDI_COMPILER_TARGET::zeroed()), 4);
        assert_eq!(padding(D3D12DDI_APPLICATION_DESC::zeroed()), 0);
        assert_eq!(
            padding(D3D12DDIARG_CREATE_PIPELINE_STATE_0099::zeroed()),
            24
        );
        assert_eq!(padding(D3D12DDIARG_CREATE_SHADER_0026::zeroed()), 8);
        assert_eq!(padding(D3D12DDIARG_STAGE_IO_SIGNATURES::zeroed()), 8);
        assert_eq!(
            padding(D3D12DDIARG_TESSELLATION_IO_SIGNATURES::zeroed()),
            12
        );
        assert_eq!(padding(D3D12DDIARG_MESH_IO_SIGNATURES::zeroed()), 8);
        assert_eq!(padding(D3D12DDIARG_SIGNATURE_ENTRY_0012::zeroed()), 2);
        assert_eq!(padding(D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100::zeroed()), 8);
        assert_eq!(padding(D3D12DDI_ROOT_SIGNATURE_0100::zeroed()), 12);
        assert_eq!(padding(D3D12DDI_DESCRIPTOR_RANGE_0013::zeroed()), 0);
        assert_eq!(padding(D3D12DDI_STATIC_SAMPLER_0100::zeroed()), 0);
        assert_eq!(padding(D3D12DDI_RASTERIZER_DESC_0102::zeroed()), 8);
        assert_eq!(padding(D3D12DDI_DEPTH_STENCIL_DESC_0095::zeroed()), 12);
        assert_eq!(padding(D3D12DDIARG_CREATEELEMENTLAYOUT_0010::zeroed()), 8);
        assert_eq!(padding(D3D12DDIARG_INPUT_ELEMENT_DESC::zeroed()), 0);
        assert_eq!(padding(D3D12DDI_BLEND_DESC_0010::zeroed()), 8 * 3 + 4);
        let mut parameter = D3D12DDI_ROOT_PARAMETER_0013::zeroed();
        assert_eq!(padding(parameter), 4 + 4 + 4);
        parameter.ParameterType = D3D12DDI_ROOT_PARAMETER_TYPE_CBV;
        assert_eq!(padding(parameter), 4 + 4 + 4);
    }

    #[test]
    fn guarded_pieces_touch_their_guards() {
        for place in Place::TIGHT {
            let arena = Arena::new(Arena::SIZE, Surroundings::guarded(place)).unwrap();
            let target = arena.put(D3D12DDI_COMPILER_TARGET::zeroed()).addr();
            let at = [arena.program(&[1; 20]).addr(), arena.string("abc").addr()];
            let lengths = [size_of::<D3D12DDI_COMPILER_TARGET>(), 20, 8];
            let pieces = arena.pieces.into_inner();
            let page = region::page::size();
            for ((at, len), piece) in [target, at[0], at[1]].into_iter().zip(lengths).zip(&pieces) {
                assert_eq!(piece.ptr::<u8>().addr(), at);
                let touching = if place == Place::End { at + len } else { at };
                assert_eq!(touching % page, 0, "{}", piece.what);
            }
            assert_eq!(pieces.len(), 3);
        }
    }

    #[test]
    fn the_filler_is_in_the_padding_and_between() {
        for surroundings in [Surroundings::USUAL, Surroundings::OTHER] {
            let arena = Arena::new(Arena::SIZE, surroundings).unwrap();
            let target = D3D12DDI_COMPILER_TARGET {
                AdapterFamilyIndex: !0,
                ABIVersion: !0,
            };
            let first = arena.put(target);
            assert!(first.is_aligned());
            let start = first.addr() - arena.memory.addresses().start;
            let mut expected = vec![surroundings.filler; arena.memory.len()];
            expected[start..start + size_of_val(&target)].fill(0xFF);
            expected[start + 4..start + 8].fill(surroundings.filler);
            assert!(arena.memory.bytes() == expected);
            assert!(arena.array::<D3D12DDI_COMPILER_TARGET>(&[]).is_null());
        }
    }

    #[test]
    fn what_is_equal_is_one_where_it_is_shared() {
        for shared in [false, true] {
            let surroundings = Surroundings {
                shared,
                ..Surroundings::OTHER
            };
            let arena = Arena::new(Arena::SIZE, surroundings).unwrap();
            let target = D3D12DDI_COMPILER_TARGET::zeroed();
            let other = D3D12DDI_COMPILER_TARGET {
                ABIVersion: 1,
                ..target
            };
            let first = arena.put(target);
            assert_eq!(arena.put(target) == first, shared);
            assert_ne!(arena.put(other), first);
            assert_eq!(arena.string("a") == arena.string("a"), shared);
            assert_ne!(arena.string("a"), arena.string("b"));
        }
    }
}
