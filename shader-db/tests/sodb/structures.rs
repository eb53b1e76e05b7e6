//! Descriptions as callers may write them: records and subobjects in any order, in older versions, and with what is not
//! stored.

use std::any::Any;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::{ptr, slice};

#[allow(clippy::wildcard_imports, reason = "the structures of descriptions")]
use api_sys::*;
use arbitrary_descriptions::{
    bool32, depth_stencil, keys, pipeline_state, rasterizer, state_object,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use shader_db::sodb::{Associated, PipelineStateDesc, ShaderStage, StateObjectDesc};

/// An older version of a structure.
#[derive(Clone, Copy, Debug)]
enum Older<First, Second> {
    First(First),
    Second(Second),
}

impl<First, Second> Older<First, Second> {
    fn newest<Newest: From<First> + From<Second>>(self) -> Newest {
        match self {
            Self::First(desc) => desc.into(),
            Self::Second(desc) => desc.into(),
        }
    }
}

fn older_rasterizer() -> impl Strategy<Value = Older<D3D12_RASTERIZER_DESC, D3D12_RASTERIZER_DESC1>>
{
    (rasterizer(), any::<(i32, bool)>(), bool32(), bool32()).prop_map(
        |(newest, (bias, is_first), multisample, antialiased)| {
            let second = D3D12_RASTERIZER_DESC1 {
                FillMode: newest.FillMode,
                CullMode: newest.CullMode,
                FrontCounterClockwise: newest.FrontCounterClockwise,
                DepthBias: newest.DepthBias,
                DepthBiasClamp: newest.DepthBiasClamp,
                SlopeScaledDepthBias: newest.SlopeScaledDepthBias,
                DepthClipEnable: newest.DepthClipEnable,
                MultisampleEnable: multisample,
                AntialiasedLineEnable: antialiased,
                ForcedSampleCount: newest.ForcedSampleCount,
                ConservativeRaster: newest.ConservativeRaster,
            };
            if !is_first {
                return Older::Second(second);
            }
            Older::First(D3D12_RASTERIZER_DESC {
                FillMode: second.FillMode,
                CullMode: second.CullMode,
                FrontCounterClockwise: second.FrontCounterClockwise,
                DepthBias: bias,
                DepthBiasClamp: second.DepthBiasClamp,
                SlopeScaledDepthBias: second.SlopeScaledDepthBias,
                DepthClipEnable: second.DepthClipEnable,
                MultisampleEnable: second.MultisampleEnable,
                AntialiasedLineEnable: second.AntialiasedLineEnable,
                ForcedSampleCount: second.ForcedSampleCount,
                ConservativeRaster: second.ConservativeRaster,
            })
        },
    )
}

fn older_depth_stencil()
-> impl Strategy<Value = Older<D3D12_DEPTH_STENCIL_DESC, D3D12_DEPTH_STENCIL_DESC1>> {
    (depth_stencil(), any::<bool>()).prop_map(|(newest, is_first)| {
        let face = |face: D3D12_DEPTH_STENCILOP_DESC1| D3D12_DEPTH_STENCILOP_DESC {
            StencilFailOp: face.StencilFailOp,
            StencilDepthFailOp: face.StencilDepthFailOp,
            StencilPassOp: face.StencilPassOp,
            StencilFunc: face.StencilFunc,
        };
        let first = D3D12_DEPTH_STENCIL_DESC {
            DepthEnable: newest.DepthEnable,
            DepthWriteMask: newest.DepthWriteMask,
            DepthFunc: newest.DepthFunc,
            StencilEnable: newest.StencilEnable,
            StencilReadMask: newest.FrontFace.StencilReadMask,
            StencilWriteMask: newest.FrontFace.StencilWriteMask,
            FrontFace: face(newest.FrontFace),
            BackFace: face(newest.BackFace),
        };
        if is_first {
            return Older::First(first);
        }
        Older::Second(D3D12_DEPTH_STENCIL_DESC1 {
            DepthBoundsTestEnable: newest.DepthBoundsTestEnable,
            ..first.into()
        })
    })
}

/// What a stream is made of.
type Unit = MaybeUninit<usize>;

fn record<T: Copy>(kind: i32, payload: T) -> Vec<Unit> {
    let record = PipelineStateSubobject::new(kind, payload);
    let count = size_of_val(&record) / size_of::<Unit>();
    // SAFETY: a record is aligned as units and made of whole ones, which need not be initialized.
    unsafe { slice::from_raw_parts((&raw const record).cast::<Unit>(), count) }.to_vec()
}

/// The parts of a description, each as one of its own, which is a stream of one record.
fn parts(desc: &PipelineStateDesc) -> Vec<PipelineStateDesc> {
    let mut parts = Vec::new();
    macro_rules! part {
        ($($($field:ident).+;)*) => {
            $(if desc.$($field).+.is_some() {
                let mut part = PipelineStateDesc::default();
                part.$($field).+.clone_from(&desc.$($field).+);
                parts.push(part);
            })*
        };
    }
    part! {
        root_signature;
        fixed_function.stream_output;
        fixed_function.blend;
        fixed_function.sample_mask;
        fixed_function.rasterizer;
        fixed_function.depth_stencil;
        fixed_function.input_layout;
        fixed_function.ib_strip_cut_value;
        fixed_function.primitive_topology;
        fixed_function.render_target_formats;
        fixed_function.depth_stencil_format;
        fixed_function.sample_desc;
        fixed_function.view_instancing;
        fixed_function.flags;
        node_mask;
    }
    for stage in ShaderStage::ALL {
        if desc.shaders[stage].is_some() {
            let mut part = PipelineStateDesc::default();
            part.shaders[stage].clone_from(&desc.shaders[stage]);
            parts.push(part);
        }
    }
    parts
}

/// The types of the records of the stages.
const SHADERS: [(ShaderStage, i32); 8] = [
    (ShaderStage::Vertex, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_VS),
    (ShaderStage::Pixel, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_PS),
    (ShaderStage::Hull, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_HS),
    (ShaderStage::Domain, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DS),
    (
        ShaderStage::Geometry,
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_GS,
    ),
    (
        ShaderStage::Amplification,
        D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_AS,
    ),
    (ShaderStage::Mesh, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS),
    (ShaderStage::Compute, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS),
];

/// Sorts by random numbers.
fn shuffle<T>(items: Vec<T>, by: &[u32]) -> Vec<T> {
    let mut numbered: Vec<(u32, T)> = by.iter().copied().cycle().zip(items).collect();
    numbered.sort_by_key(|(number, _)| *number);
    numbered.into_iter().map(|(_, item)| item).collect()
}

/// The types of subobjects that generic programs list.
const LISTED: [i32; 15] = [
    D3D12_STATE_SUBOBJECT_TYPE_STREAM_OUTPUT,
    D3D12_STATE_SUBOBJECT_TYPE_BLEND,
    D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_MASK,
    D3D12_STATE_SUBOBJECT_TYPE_RASTERIZER,
    D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
    D3D12_STATE_SUBOBJECT_TYPE_INPUT_LAYOUT,
    D3D12_STATE_SUBOBJECT_TYPE_IB_STRIP_CUT_VALUE,
    D3D12_STATE_SUBOBJECT_TYPE_PRIMITIVE_TOPOLOGY,
    D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS,
    D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL_FORMAT,
    D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC,
    D3D12_STATE_SUBOBJECT_TYPE_FLAGS,
    D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1,
    D3D12_STATE_SUBOBJECT_TYPE_VIEW_INSTANCING,
    D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2,
];

/// What subobjects point at. It does not move.
#[derive(Default)]
struct Memory(Vec<Box<dyn Any>>);

impl Memory {
    fn array<T: 'static>(&mut self, items: Vec<T>) -> *const T {
        let first = items.as_ptr();
        self.0.push(Box::new(items));
        first
    }

    fn put<T: 'static>(&mut self, item: T) -> *const c_void {
        self.array(vec![item]).cast()
    }
}

/// Where a subobject of an array stands.
fn position(all: &[D3D12_STATE_SUBOBJECT], of: *const D3D12_STATE_SUBOBJECT) -> usize {
    (of.addr() - all.as_ptr().addr()) / size_of::<D3D12_STATE_SUBOBJECT>()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 300 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn streams(
        mut desc in pipeline_state(),
        old_rasterizer in option::of(older_rasterizer()),
        old_depth_stencil in option::of(older_depth_stencil()),
        (has_cached, has_object, has_nulls) in any::<(bool, bool, bool)>(),
        order in vec(any::<u32>(), 40),
    ) {
        let mut records = Vec::new();
        if let Some(old) = old_rasterizer {
            desc.fixed_function.rasterizer = None;
            records.push(match old {
                Older::First(desc) => record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER, desc),
                Older::Second(desc) => record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER1, desc),
            });
        }
        if let Some(old) = old_depth_stencil {
            desc.fixed_function.depth_stencil = None;
            records.push(match old {
                Older::First(desc) => record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL, desc),
                Older::Second(desc) => record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1, desc),
            });
        }
        if has_cached {
            let cached = D3D12_CACHED_PIPELINE_STATE { pCachedBlob: c"blob".as_ptr().cast(), CachedBlobSizeInBytes: 4 };
            records.push(record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CACHED_PSO, cached));
            desc.has_cached_blob = true;
        }
        if has_object {
            records.push(record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE, ptr::null::<c_void>()));
        }
        if has_nulls {
            for (_, kind) in SHADERS.into_iter().filter(|(stage, _)| desc.shaders[*stage].is_none()) {
                records.push(record(kind, D3D12_SHADER_BYTECODE::default()));
            }
            if desc.root_signature.is_none() {
                let kind = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE;
                records.push(record(kind, D3D12_SERIALIZED_ROOT_SIGNATURE_DESC::default()));
            }
        }
        let parts = parts(&desc);
        let raw: Vec<_> = parts.iter().map(PipelineStateDesc::to_raw).collect();
        for part in &raw {
            let D3D12_PIPELINE_STATE_STREAM_DESC { SizeInBytes: size, pPipelineStateSubobjectStream: stream } = *part.desc();
            // SAFETY: the stream is alive and made of whole units.
            let units = unsafe { slice::from_raw_parts(stream.cast::<Unit>(), size / size_of::<Unit>()) };
            records.push(units.to_vec());
        }
        prop_assume!(!records.is_empty());
        let mut stream = shuffle(records, &order).concat();
        let stream = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size_of_val(&stream[..]),
            pPipelineStateSubobjectStream: stream.as_mut_ptr().cast(),
        };
        // SAFETY: the stream was just made, and what it points at is alive.
        let read = unsafe { PipelineStateDesc::from_raw(&raw const stream) };
        if let Some(old) = old_rasterizer {
            desc.fixed_function.rasterizer = Some(old.newest());
        }
        if let Some(old) = old_depth_stencil {
            desc.fixed_function.depth_stencil = Some(old.newest());
        }
        prop_assert_eq!(read.unwrap(), desc);
    }

    /// One after the other is refused, whichever versions they are of.
    #[test]
    fn versions_of_one_thing(
        (rasterizer, old_rasterizer) in (rasterizer(), older_rasterizer()),
        (depth_stencil, old_depth_stencil) in (depth_stencil(), older_depth_stencil()),
        order in vec(any::<u32>(), 2),
    ) {
        let rasterizers = [
            record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER2, rasterizer),
            match old_rasterizer {
                Older::First(desc) => record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER, desc),
                Older::Second(desc) => record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_RASTERIZER1, desc),
            },
        ];
        let depth_stencils = [
            record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2, depth_stencil),
            match old_depth_stencil {
                Older::First(desc) => record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL, desc),
                Older::Second(desc) => record(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1, desc),
            },
        ];
        for records in [rasterizers, depth_stencils] {
            let mut stream = shuffle(records.into(), &order).concat();
            let stream = D3D12_PIPELINE_STATE_STREAM_DESC {
                SizeInBytes: size_of_val(&stream[..]),
                pPipelineStateSubobjectStream: stream.as_mut_ptr().cast(),
            };
            // SAFETY: the stream was just made, and points at nothing.
            let read = unsafe { PipelineStateDesc::from_raw(&raw const stream) };
            prop_assert!(read.is_err());
        }
    }

    #[test]
    fn subobjects(
        mut desc in state_object(keys()),
        old_depth_stencils in vec(option::of(older_depth_stencil()), 3),
        (has_newer_configs, has_doubles) in any::<(bool, bool)>(),
        loose in vec(0..LISTED.len(), 0..6),
        order in vec(any::<u32>(), 100),
    ) {
        for (program, old) in desc.generic_programs.iter_mut().zip(&old_depth_stencils) {
            program.state.depth_stencil = old.map(Older::newest).or(program.state.depth_stencil);
        }
        let raw = desc.to_raw();
        let raw = raw.desc();
        // SAFETY: the description was just made and is alive.
        let given = unsafe { slice::from_raw_parts(raw.pSubobjects, raw.NumSubobjects as usize) };
        let mut memory = Memory::default();
        let mut more: Vec<D3D12_STATE_SUBOBJECT> = loose
            .into_iter()
            // What no program lists is not stored.
            .map(|at| D3D12_STATE_SUBOBJECT { Type: LISTED[at], pDesc: memory.put(D3D12_BLEND_DESC::default()) })
            .collect();
        if has_doubles {
            // A second one is a default; the schema cannot say that if the first one is none.
            let stays_default = |subobject| {
                let associations = desc.associations.iter().filter(|of| of.subobject == subobject);
                let lists: Vec<_> = associations.map(|of| of.exports.is_empty()).collect();
                lists.is_empty() || lists.contains(&true)
            };
            let is_double = |subobject: &&D3D12_STATE_SUBOBJECT| match subobject.Type {
                D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK => stays_default(Associated::NodeMask),
                D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => stays_default(Associated::Config),
                _ => false,
            };
            more.extend(given.iter().filter(is_double));
        }

        // Any order of kinds; those of one kind stay in theirs, which is what is stored of it.
        let class = |kind| match kind {
            D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1 => D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
            kind => kind,
        };
        let mut all = given.to_vec();
        all.extend(more);
        let places = shuffle((0..all.len()).collect(), &order);
        let mut subobjects = vec![D3D12_STATE_SUBOBJECT::default(); all.len()];
        let mut moved = vec![0; all.len()];
        for (at, subobject) in all.iter().enumerate() {
            let of_kind = |place: &&usize| class(all[**place].Type) == class(subobject.Type);
            let before = all[..at].iter().filter(|other| class(other.Type) == class(subobject.Type)).count();
            let mut free = places.iter().enumerate().filter(|(_, place)| of_kind(place));
            let (place, _) = free.nth(before).unwrap();
            subobjects[place] = *subobject;
            moved[at] = place;
        }
        let first = subobjects.as_mut_ptr();
        let moved_to = |pointer| first.wrapping_add(moved[position(given, pointer)]).cast_const();
        let mut programs = 0;
        for (at, subobject) in given.iter().enumerate() {
            let place = moved[at];
            match subobject.Type {
                D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                    // SAFETY: the type says what it is.
                    let mut association = unsafe { *subobject.pDesc.cast::<D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION>() };
                    association.pSubobjectToAssociate = moved_to(association.pSubobjectToAssociate);
                    subobjects[place].pDesc = memory.put(association);
                }
                D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG if has_newer_configs => {
                    // SAFETY: the type says what it is.
                    let config = unsafe { *subobject.pDesc.cast::<D3D12_RAYTRACING_PIPELINE_CONFIG>() };
                    subobjects[place] = D3D12_STATE_SUBOBJECT {
                        Type: D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1,
                        pDesc: memory.put(D3D12_RAYTRACING_PIPELINE_CONFIG1 {
                            MaxTraceRecursionDepth: config.MaxTraceRecursionDepth,
                            Flags: D3D12_RAYTRACING_PIPELINE_FLAG_NONE,
                        }),
                    };
                }
                D3D12_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => {
                    // SAFETY: the type says what it is.
                    let mut program = unsafe { *subobject.pDesc.cast::<D3D12_GENERIC_PROGRAM_DESC>() };
                    let mut listed = Vec::new();
                    for item in 0..program.NumSubobjects as usize {
                        // SAFETY: the description was just made, with an array of so many.
                        let pointer = unsafe { *program.ppSubobjects.add(item) };
                        listed.push(moved_to(pointer));
                        let listed = moved[position(given, pointer)];
                        if subobjects[listed].Type != D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL2 {
                            continue;
                        }
                        match old_depth_stencils.get(programs).copied().flatten() {
                            None => {}
                            Some(Older::First(desc)) => subobjects[listed] = D3D12_STATE_SUBOBJECT {
                                Type: D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL,
                                pDesc: memory.put(desc),
                            },
                            Some(Older::Second(desc)) => subobjects[listed] = D3D12_STATE_SUBOBJECT {
                                Type: D3D12_STATE_SUBOBJECT_TYPE_DEPTH_STENCIL1,
                                pDesc: memory.put(desc),
                            },
                        }
                    }
                    programs += 1;
                    program.ppSubobjects = memory.array(shuffle(listed, &order));
                    subobjects[place].pDesc = memory.put(program);
                }
                _ => {}
            }
        }
        let raw = D3D12_STATE_OBJECT_DESC {
            Type: raw.Type,
            NumSubobjects: subobjects.len().try_into().unwrap(),
            pSubobjects: subobjects.as_ptr(),
        };
        // SAFETY: the description was just made, and what it points at is alive.
        prop_assert_eq!(unsafe { StateObjectDesc::from_raw(&raw const raw) }.unwrap(), desc);
    }
}
