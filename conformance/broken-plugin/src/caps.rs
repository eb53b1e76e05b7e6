//! `pfnGetCaps`: what the plugin says that it can do.

use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use ddi_sys::*;
use ddi_sys::{
    D3D12DDICAPS_TYPE_0011_SHADER_MODELS as MODELS,
    D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1 as LEVEL, D3D12DDICAPS_TYPE_D3D12_OPTIONS as OPTIONS,
    D3D12DDICAPS_TYPE_SHADER as SHADER,
    D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110 as OPTIONS_OF_MODEL,
};
use defects::{Place as _, given, rewrite, rows, write};

use crate::about::*;
use crate::fields;
use crate::layer;
use crate::list::{Mistake, answer, repeat_first};
use crate::memory::padding;
use crate::need;
use crate::places::*;
use crate::targets::{exists, of_known_abi};

rows! {
    Hook, About;

    "caps-no-mesh-of-family" notes P_PSO_18 "6 of 8 kinds for family 1, whose caps offer no mesh shaders":
        "the second family does not offer mesh shaders",
        where SECOND_FAMILY,
        at GetCaps |call| options(call, |options, _| options.MeshShaderTier = D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED);
    "caps-no-state-objects" leaves P_SO_01 P_SO_03 P_SO_04 P_SO_06 P_SO_07 P_SO_08 P_SO_09:
        "neither raytracing nor work graphs nor shader model 6.8 are offered",
        at GetCaps no_state_objects;
    "caps-lowest-level-refused" passes: "a runtime that supports no feature level of the plugin's gets E_INVALIDARG",
        at GetCaps |call| {
            let is_lower = runtimes_level(call).is_some_and(|level| level < D3D12DDI_3DPIPELINELEVEL_11_0);
            refused_if(call, LEVEL, is_lower)
        };
    "caps-shader-unanswered" breaks P_CAPS_01: "D3D12DDICAPS_TYPE_SHADER gets E_INVALIDARG",
        at GetCaps |call| unanswered(call, SHADER);
    "caps-shader-unwritten" breaks P_CAPS_01: "Int64Ops is left as it was",
        at GetCaps |call| kept(call, SHADER, offset_of!(D3D12DDI_SHADER_CAPS_0084, Int64Ops));
    "caps-shader-from-padding" breaks P_CAPS_01: "Int64Ops depends on the padding of pTarget",
        at GetCaps |call| shader(call, |shader, call| shader.Int64Ops = (padding(call.target) != 0).into());
    "caps-shader-per-open" breaks P_CAPS_01: "every second open has Int64Ops",
        at GetCaps |call| shader(call, |shader, call| shader.Int64Ops = (layer::of(call.handle).number % 2 == 1).into());
    "caps-options-unanswered" breaks P_CAPS_02: "D3D12DDICAPS_TYPE_D3D12_OPTIONS gets E_INVALIDARG",
        sometimes P_SO_03: "it is that cap which offers raytracing",
        at GetCaps |call| unanswered(call, OPTIONS);
    "caps-no-tier-of-family" breaks P_CAPS_02: "the second family has a resource heap tier that does not exist",
        where SECOND_FAMILY,
        at GetCaps |call| options(call, |options, _| options.ResourceHeapTier = D3D12DDI_RESOURCE_HEAP_TIER(3));
    "caps-options-with-zeros" breaks P_CAPS_02: "for the oldest ABI version the answer is all zeros",
        where OLDEST_ABI, at GetCaps |call| zeroed(call, OPTIONS);
    "caps-later-unanswered" breaks P_CAPS_03: "D3D12DDICAPS_TYPE_OPTIONS_0101 gets E_INVALIDARG",
        at GetCaps |call| unanswered(call, D3D12DDICAPS_TYPE_OPTIONS_0101);
    "caps-later-unanswered-of-oldest" breaks P_CAPS_03:
        "for the oldest ABI version D3D12DDICAPS_TYPE_OPTIONS_0093 gets E_INVALIDARG",
        where OLDEST_ABI, at GetCaps |call| unanswered(call, D3D12DDICAPS_TYPE_OPTIONS_0093);
    "caps-later-no-tier" breaks P_CAPS_03: "the tier of ExecuteIndirect is 0",
        at GetCaps |call| zeroed(call, D3D12DDICAPS_TYPE_OPTIONS_0110);
    "caps-later-per-call" breaks P_CAPS_03:
        "every second answer to D3D12DDICAPS_TYPE_OPTIONS_0091 has another member",
        at GetCaps |call| answered(call, D3D12DDICAPS_TYPE_OPTIONS_0091, |members: &mut [u32; 2], _| {
            static CALLS: AtomicU32 = AtomicU32::new(0);
            members[1] = CALLS.fetch_add(1, Ordering::Relaxed) % 2;
        });
    "caps-shader-model-unanswered" breaks P_CAPS_04:
        "with the oldest DDI version D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110 gets E_INVALIDARG",
        where OLDEST_DDI, at GetCaps |call| unanswered(call, OPTIONS_OF_MODEL);
    "caps-shader-model-half" breaks P_CAPS_04: "ExtendedCommandInfoSupported is left as it was",
        at GetCaps |call| kept(
            call, OPTIONS_OF_MODEL, offset_of!(D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110, ExtendedCommandInfoSupported)
        );
    "caps-overrun" breaks P_CAPS_05: "a byte behind the answer is written",
        at GetCaps |call| call.after(|call, result| {
            if let (true, Some(caps)) = (result.is_ok(), asked(call, D3D12DDICAPS_TYPE_OPTIONS_0098)) {
                write(caps.pData.wrapping_byte_add(caps.DataSize as usize), 0_u8);
            }
        });
    "caps-short-overrun" breaks P_CAPS_05: "of a DataSize that is too small the whole structure is cleared",
        also P_CAPS_20: "the cleared bytes are those of a call that fails",
        at GetCaps |call| call.after(|call, result| {
            if let (false, Some(caps)) = (result.is_ok(), of_other_size(call, |size, whole| size < whole)) {
                write(caps.pData, [0_u8; size_of::<D3D12DDI_SHADER_CAPS_0084>()]);
            }
        });
    "caps-writes-argument" breaks P_CAPS_05: "pCaps is written to",
        at GetCaps |call| call.before(|call| rewrite(call.caps));
    "caps-second-family-writes-target" breaks P_CAPS_05: "pTarget of the second family is written to",
        where SECOND_FAMILY, at GetCaps |call| call.before(|call| rewrite(call.target));
    "caps-from-name" breaks P_CAPS_06: "Int64Ops depends on how long pName is",
        at GetCaps |call| shader(call, |shader, call| {
            // SAFETY: the call succeeded, so there is an application, whose name is a string that is not empty.
            let is_short = unsafe { (*call.application).pName.add(1).read() == 0 };
            shader.Int64Ops = is_short.into();
        });
    "caps-models-from-version" breaks P_CAPS_06: "an application of version 0 gets one shader model less",
        at GetCaps |call| {
            // SAFETY: any bits of the union are a number.
            let is_zero = given(call.application).is_some_and(|it| unsafe { it.Version.Version == 0 });
            models(call, None, |list| if is_zero {
                list.truncate(list.len() - 1);
            })
        };
    "caps-short-accepted" breaks P_CAPS_20: "a DataSize that is too small gets S_OK",
        at GetCaps |call| call.after(|call, result| if of_other_size(call, |size, whole| size < whole).is_some() {
            *result = S_OK;
        });
    "caps-large-accepted" breaks P_CAPS_20: "a DataSize that is a byte too large gets S_OK",
        at GetCaps |call| call.after(|call, result| if of_other_size(call, |size, whole| size > whole).is_some() {
            *result = S_OK;
        });
    "caps-no-type-accepted" breaks P_CAPS_20: "a type that does not exist gets S_OK",
        at GetCaps |call| call.answer_if(of_no_type(call).is_some(), S_OK);
    "caps-no-type-cleared" breaks P_CAPS_20: "the data of a type that does not exist is cleared",
        at GetCaps |call| call.before(|call| if let Some(caps) = of_no_type(call).filter(|caps| !caps.pData.is_null()) {
            // SAFETY: PFND3D12DDI_COMPILER_GET_CAPS: as many bytes as the size are there.
            unsafe { caps.pData.write_bytes(0, caps.DataSize as usize) };
        });
    "caps-null-data-followed" breaks P_CAPS_20: "a null pData is read",
        at GetCaps |call| match given(call.caps) {
            Some(caps) => call.following(caps.pData),
            None => call.pass(),
        };
    "caps-null-accepted" breaks P_CAPS_20: "a null pCaps gets S_OK",
        at GetCaps |call| call.answer_if(call.caps.is_null(), S_OK);
    "caps-null-target-followed" breaks P_CAPS_20: "a null pTarget is read for OPTIONS_0102",
        at GetCaps |call| match asked(call, D3D12DDICAPS_TYPE_OPTIONS_0102) {
            Some(_) => call.following(call.target),
            None => call.pass(),
        };
    "caps-null-count-followed" breaks P_CAPS_20: "a null pNumShaderModelsSupported is read",
        at GetCaps |call| models(call, Some(Mistake::NullCountFollowed), |_| ());
    "caps-unknown-abi" breaks P_CAPS_20: "an unknown ABI version has caps",
        at GetCaps |call| {
            let open = layer::of(call.handle);
            let known = given(call.target).map(|target| of_known_abi(&open, *target));
            call.target = known.as_ref().map_or(ptr::null(), ptr::from_ref);
            call.pass()
        };
    "caps-models-uncounted" breaks P_CAPS_21: "the size query of shader models leaves the count as it was",
        also P_CAPS_20: "a null count is as good as one that is left",
        at GetCaps |call| {
            let is_size_query = models_asked(call).is_some_and(|models| models.pShaderModelsSupported.is_null());
            call.answer_if(is_size_query, S_OK)
        };
    "caps-models-count-is-capacity" breaks P_CAPS_21: "the count of a larger array stays its capacity",
        at GetCaps |call| models(call, Some(Mistake::CountIsCapacity), |_| ());
    "caps-models-tail-cleared" breaks P_CAPS_21: "the entries of a larger array past the models are cleared",
        at GetCaps |call| models(call, Some(Mistake::TailCleared), |_| ());
    "caps-models-overrun" breaks P_CAPS_21: "an array of one less than there are is written as if it had room for all",
        at GetCaps |call| models(call, Some(Mistake::Overrun), |_| ());
    "caps-models-twice" breaks P_CAPS_21: "the second family has a model twice",
        where SECOND_FAMILY, at GetCaps |call| models(call, None, repeat_first);
    "caps-no-model" breaks P_CAPS_21: "for the oldest ABI version a model is none of the enumeration",
        where OLDEST_ABI, at GetCaps |call| models(call, None, |list| list.push(D3D12DDI_SHADER_MODEL(0x6_0006)));
    "caps-level-above" breaks P_CAPS_22: "the feature level is the plugin's own, whatever the runtime supports",
        at GetCaps |call| level(call, |answer| *answer = D3D12DDI_3DPIPELINELEVEL_12_0);
    "caps-level-above-of-family" breaks P_CAPS_22:
        "for the second family and a runtime of level 11_1 the feature level is 12_0",
        where SECOND_FAMILY,
        at GetCaps |call| if runtimes_level(call) == Some(D3D12DDI_3DPIPELINELEVEL_11_1) {
            level(call, |answer| *answer = D3D12DDI_3DPIPELINELEVEL_12_0)
        } else {
            call.pass()
        };
    "caps-level-refused" breaks P_CAPS_22: "a runtime whose level is above the plugin's gets E_INVALIDARG",
        at GetCaps |call| {
            let is_above = runtimes_level(call).is_some_and(|level| level > D3D12DDI_3DPIPELINELEVEL_12_0);
            refused_if(call, LEVEL, is_above)
        };
    "caps-level-unwritten" breaks P_CAPS_22: "where the runtime's level is the plugin's own the answer is not written",
        at GetCaps |call| if runtimes_level(call) == Some(D3D12DDI_3DPIPELINELEVEL_12_0) {
            let answer = offset_of!(D3D12DDI_3DPIPELINESUPPORT1_DATA_0081, MaximumDriverSupportedFeatureLevel);
            kept(call, LEVEL, answer)
        } else {
            call.pass()
        };
    "caps-bool-two" breaks P_CAPS_23: "Int64Ops is 2",
        at GetCaps |call| shader(call, |shader, _| shader.Int64Ops = 2);
    "caps-wave-sizes" breaks P_CAPS_23: "the second family has more lanes at least than at most",
        where SECOND_FAMILY,
        at GetCaps |call| shader(call, |shader, _| (shader.WaveLaneCountMin, shader.WaveLaneCountMax) = (64, 32));
    "caps-mesh-without-model" breaks P_CAPS_23:
        "for the oldest ABI version shader models end with 6.4, and mesh shaders are offered",
        needs need::MESH, where OLDEST_ABI,
        at GetCaps |call| models(call, None, |list| {
            list.retain(|model| *model <= D3D12DDI_SHADER_MODEL_6_4_RELEASE_0062);
        });
}

pub(crate) fn get_caps(call: &mut GetCaps) -> HRESULT {
    let result = call.base();
    if let Some(options) = answer_to::<D3D12DDI_D3D12_OPTIONS_DATA_0089>(call, OPTIONS, result) {
        need::MESH.met_if(options.MeshShaderTier != D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED);
    }
    // SAFETY: PFND3D12DDI_COMPILER_GET_CAPS: the query is null or valid for the call.
    unsafe { fields::after_caps(call.caps, result) };
    result
}

/// The query, if it is of this type.
fn asked(call: &GetCaps, kind: D3D12DDICAPS_TYPE) -> Option<D3D12DDIARG_GETCAPS> {
    given(call.caps).copied().filter(|caps| caps.Type == kind)
}

/// The query, if its type does not exist.
fn of_no_type(call: &GetCaps) -> Option<D3D12DDIARG_GETCAPS> {
    let exists = |kind| {
        D3D12DDICAPS_TYPE::ENUMERATORS
            .iter()
            .any(|(known, _)| *known == kind)
    };
    given(call.caps).copied().filter(|caps| !exists(caps.Type))
}

/// The query for the caps of shaders, if its size is so, compared with the structure's.
fn of_other_size(call: &GetCaps, is_so: fn(usize, usize) -> bool) -> Option<D3D12DDIARG_GETCAPS> {
    let whole = size_of::<D3D12DDI_SHADER_CAPS_0084>();
    asked(call, SHADER).filter(|caps| !caps.pData.is_null() && is_so(caps.DataSize as usize, whole))
}

/// The answer to a query of a type that succeeded.
fn answer_to<T>(
    call: &mut GetCaps,
    kind: D3D12DDICAPS_TYPE,
    result: HRESULT,
) -> Option<&'static mut T> {
    let caps = asked(call, kind).filter(|_| result.is_ok())?;
    // SAFETY: the base succeeded, so the answer of the type is there, which is at least as large as that.
    Some(unsafe { &mut *caps.pData.cast::<T>() })
}

/// Changes the answer to a query of a type.
fn answered<T>(call: &mut GetCaps, kind: D3D12DDICAPS_TYPE, change: fn(&mut T, &GetCaps)) -> HRESULT
where
    T: 'static,
{
    call.after(|call, result| {
        if let Some(answer) = answer_to(call, kind, *result) {
            change(answer, call);
        }
    })
}

fn shader(call: &mut GetCaps, change: fn(&mut D3D12DDI_SHADER_CAPS_0084, &GetCaps)) -> HRESULT {
    answered(call, SHADER, change)
}

fn options(
    call: &mut GetCaps,
    change: fn(&mut D3D12DDI_D3D12_OPTIONS_DATA_0089, &GetCaps),
) -> HRESULT {
    answered(call, OPTIONS, change)
}

fn refused_if(call: &mut GetCaps, kind: D3D12DDICAPS_TYPE, is_so: bool) -> HRESULT {
    let is_asked = asked(call, kind).is_some();
    call.answer_if(is_so && is_asked, E_INVALIDARG)
}

fn unanswered(call: &mut GetCaps, kind: D3D12DDICAPS_TYPE) -> HRESULT {
    refused_if(call, kind, true)
}

fn zeroed(call: &mut GetCaps, kind: D3D12DDICAPS_TYPE) -> HRESULT {
    call.after(|call, result| {
        if let Some(caps) = asked(call, kind).filter(|_| result.is_ok()) {
            // SAFETY: the base succeeded, so the answer has the size.
            unsafe { caps.pData.write_bytes(0, caps.DataSize as usize) };
        }
    })
}

/// Leaves a member of the answer as it was.
fn kept(call: &mut GetCaps, kind: D3D12DDICAPS_TYPE, member: usize) -> HRESULT {
    let caps = asked(call, kind)
        .filter(|caps| !caps.pData.is_null() && caps.DataSize as usize >= member + 4);
    let place = caps.map(|caps| caps.pData.wrapping_byte_add(member).cast::<u32>());
    // SAFETY: inside the data, which is as long as the host says.
    let before = place.map(|place| unsafe { place.read_unaligned() });
    call.after(|_, result| {
        if let (true, Some((place, before))) = (result.is_ok(), place.zip(before)) {
            // SAFETY: inside the data, which is as long as the host says.
            unsafe { place.write_unaligned(before) };
        }
    })
}

/// The feature level that the runtime supports, of a query for levels.
fn runtimes_level(call: &GetCaps) -> Option<D3D12DDI_3DPIPELINELEVEL> {
    let caps = asked(call, LEVEL).filter(|caps| !caps.pData.is_null() && caps.DataSize >= 4)?;
    // SAFETY: the data is as long as the host says, and begins with the level.
    Some(unsafe {
        caps.pData
            .cast::<D3D12DDI_3DPIPELINELEVEL>()
            .read_unaligned()
    })
}

fn level(call: &mut GetCaps, change: fn(&mut D3D12DDI_3DPIPELINELEVEL)) -> HRESULT {
    call.after(|call, result| {
        let support = answer_to::<D3D12DDI_3DPIPELINESUPPORT1_DATA_0081>(call, LEVEL, *result);
        if let Some(support) = support {
            change(&mut support.MaximumDriverSupportedFeatureLevel);
        }
    })
}

/// The query for shader models, if the base would answer it.
fn models_asked(call: &GetCaps) -> Option<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011> {
    let size = size_of::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>();
    let caps = asked(call, MODELS)?;
    let target = given(call.target).filter(|_| !call.application.is_null())?;
    let is_good = caps.DataSize as usize == size
        && !caps.pData.is_null()
        && exists(&layer::of(call.handle), *target);
    // SAFETY: as long as the host says, which is that structure.
    is_good.then(|| unsafe {
        caps.pData
            .cast::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>()
            .read_unaligned()
    })
}

/// Answers with shader models, rightly or with a mistake.
fn models(
    call: &mut GetCaps,
    mistake: Option<Mistake>,
    change: impl FnOnce(&mut Vec<D3D12DDI_SHADER_MODEL>),
) -> HRESULT {
    let Some(asked) = models_asked(call) else {
        return call.pass();
    };
    let mut list = models_of_base(call);
    change(&mut list);
    let (count, array) = (
        asked.pNumShaderModelsSupported,
        asked.pShaderModelsSupported,
    );
    answer(&list, mistake, count, array)
}

/// The shader models that the base has for a target.
fn models_of_base(call: &GetCaps) -> Vec<D3D12DDI_SHADER_MODEL> {
    let (mut count, mut models) = (64, vec![D3D12DDI_SHADER_MODEL::default(); 64]);
    let mut data = D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
        pNumShaderModelsSupported: &raw mut count,
        pShaderModelsSupported: models.as_mut_ptr(),
    };
    let caps = D3D12DDIARG_GETCAPS {
        Type: MODELS,
        pInfo: ptr::null_mut(),
        pData: (&raw mut data).cast(),
        DataSize: UINT::try_from(size_of_val(&data)).unwrap_or_default(),
    };
    let _ = GetCaps {
        handle: call.handle,
        target: call.target,
        application: call.application,
        caps: &raw const caps,
    }
    .base();
    models.truncate(count as usize);
    models
}

fn no_state_objects(call: &mut GetCaps) -> HRESULT {
    if models_asked(call).is_some() {
        return models(call, None, |list| {
            list.retain(|model| *model < D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108);
        });
    }
    call.after(|call, result| {
        let options: Option<&mut D3D12DDI_D3D12_OPTIONS_DATA_0089> =
            answer_to(call, OPTIONS, *result);
        if let Some(options) = options {
            options.RaytracingTier = D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED;
        }
        let later: Option<&mut D3D12DDI_OPTIONS1_DATA_0103> =
            answer_to(call, D3D12DDICAPS_TYPE_OPTIONS1_0103, *result);
        if let Some(later) = later {
            later.WorkGraphsTier = D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED;
        }
    })
}
