//! The CAPABILITIES table.

use std::mem::offset_of;
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use base_plugin::{call, defects, follow};
use ddi_sys::{
    BOOL, D3D12DDI_3DPIPELINELEVEL, D3D12DDI_3DPIPELINELEVEL_11_0, D3D12DDI_3DPIPELINELEVEL_11_1,
    D3D12DDI_3DPIPELINELEVEL_12_0, D3D12DDI_3DPIPELINESUPPORT1_DATA_0081,
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_ADAPTER_FAMILY,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDI_D3D12_SHADER_MODELS_DATA_0011,
    D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER, D3D12DDI_HCOMPILERDDI,
    D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED, D3D12DDI_OPTIONS1_DATA_0103,
    D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED, D3D12DDI_RESOURCE_HEAP_TIER, D3D12DDI_SHADER_CAPS_0084,
    D3D12DDI_SHADER_MODEL, D3D12DDI_SHADER_MODEL_6_4_RELEASE_0062,
    D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110, D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108,
    D3D12DDI_VERSION_NUMBER, D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED, D3D12DDIARG_GETCAPS,
    D3D12DDICAPS_TYPE, D3D12DDICAPS_TYPE_0011_SHADER_MODELS,
    D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1, D3D12DDICAPS_TYPE_D3D12_OPTIONS,
    D3D12DDICAPS_TYPE_OPTIONS_0091, D3D12DDICAPS_TYPE_OPTIONS_0093, D3D12DDICAPS_TYPE_OPTIONS_0098,
    D3D12DDICAPS_TYPE_OPTIONS_0101, D3D12DDICAPS_TYPE_OPTIONS_0102, D3D12DDICAPS_TYPE_OPTIONS_0110,
    D3D12DDICAPS_TYPE_OPTIONS1_0103, D3D12DDICAPS_TYPE_SHADER,
    D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110, DXGI_ERROR_NOT_FOUND, DXGI_FORMAT,
    DXGI_FORMAT_R8G8B8A8_UNORM, E_INVALIDARG, E_UNEXPECTED, FALSE, HRESULT, S_OK, TRUE, UINT,
};

use crate::defect::{Defect, Engine, selected};
use crate::fields;
use crate::layer::{self, Open};
use crate::list::{self, Mistake};
use crate::memory::{self, Number, Of};
use crate::need::{Need, met_if};
use crate::purity;

/// The defects of this file.
#[macro_export]
macro_rules! capabilities_defects {
    ($take:ident) => {
        $take! {
            /// In `pfnEnumerateAdapterFamilies`.
            Families {
                FromOne = "families-from-one" breaks P_FAM_01:
                    "the first family has the index 1";
                Hole = "families-hole" breaks P_FAM_01:
                    "the second family has the index 5",
                    where SecondFamily;
                InOrder = "families-in-order" breaks P_FAM_01:
                    "a family is found only right after the one before it, or again",
                    where SecondFamily;
                NeedPath = "families-need-path" breaks P_OPEN_05:
                    "the second family is there only where PATH is set",
                    where SecondFamily,
                    also P_PSO_07 because "for that family a process without variables compiles nothing";
                PastEndInvalid = "families-past-end-invalid" breaks P_FAM_02:
                    "an index past the end gets E_INVALIDARG";
                MaxWraps = "families-max-wraps" breaks P_FAM_02:
                    "the index UINT_MAX is taken for the first family";
                EmptyName = "families-empty-name" breaks P_FAM_03:
                    "a name is empty";
                Unterminated = "families-unterminated" breaks P_FAM_03:
                    "a name fills all 128 WCHARs";
                Surrogate = "families-surrogate" breaks P_FAM_03:
                    "a name ends with half of a surrogate pair";
                NameOverrun = "families-name-overrun" breaks P_FAM_03:
                    "a terminator is written behind the 128 WCHARs";
                SameNames = "families-same-names" breaks P_FAM_04:
                    "two families have one name",
                    where SecondFamily;
                Leftovers = "families-leftovers" breaks P_FAM_05:
                    "what follows the terminator of a name is not zero";
                PerOpen = "families-per-open" breaks P_FAM_05:
                    "every second open has the families in another order",
                    where SecondFamily;
                PerVersion = "families-per-version" breaks P_FAM_05:
                    "with the oldest version selected the families have another order",
                    where SecondFamily, where TwoVersions;
                NullAccepted = "families-null-accepted" breaks P_FAM_06:
                    "a null pAdapterFamily gets S_OK";
                NullFollowed = "families-null-followed" breaks P_FAM_06:
                    "a null pAdapterFamily is read";
                SecondNullFollowed = "families-second-null-followed" breaks P_FAM_06:
                    "a null pAdapterFamily is read for the second family",
                    where SecondFamily;
            }

            /// In `pfnGetAdapterFamilyABIVersions`.
            AbiVersions {
                SizeQueryFails = "abi-size-query-fails" breaks P_ABI_01:
                    "the size query returns DXGI_ERROR_MORE_DATA";
                None = "abi-none" breaks P_ABI_01:
                    "a family has no ABI version";
                ExactRefused = "abi-exact-refused" breaks P_ABI_02:
                    "an array of the exact size gets DXGI_ERROR_MORE_DATA";
                CountIsCapacity = "abi-count-is-capacity" breaks P_ABI_02:
                    "the count of a larger array stays its capacity";
                TailCleared = "abi-tail-cleared" breaks P_ABI_02:
                    "the entries of a larger array past the list are cleared";
                OldestFirst = "abi-oldest-first" breaks P_ABI_03:
                    "the list starts with the oldest version",
                    where TwoAbiVersions;
                Twice = "abi-twice" breaks P_ABI_03:
                    "the newest version is listed twice";
                Zero = "abi-zero" breaks P_ABI_04:
                    "version 0 is listed";
                Max = "abi-max" breaks P_ABI_04:
                    "version UINT64_MAX is listed";
                ShortFails = "abi-short-fails" breaks P_ABI_05:
                    "an array that is too small gets E_FAIL";
                ShortSucceeds = "abi-short-succeeds" breaks P_ABI_05:
                    "an array that is too small gets S_OK";
                ShortFromOldest = "abi-short-from-oldest" breaks P_ABI_05:
                    "an array that is too small gets the oldest versions",
                    where TwoAbiVersions;
                ShortUnwritten = "abi-short-unwritten" breaks P_ABI_05:
                    "an array that is too small is left as it was",
                    where TwoAbiVersions;
                Overrun = "abi-overrun" breaks P_ABI_05:
                    "one entry more is written than an array that is too small has";
                EmptyIsSizeQuery = "abi-empty-is-size-query" breaks P_ABI_05:
                    "an array of length 0 that is not null is taken for the size query";
                NullCountAccepted = "abi-null-count-accepted" breaks P_ABI_06:
                    "a null count gets S_OK";
                NullCountFollowed = "abi-null-count-followed" breaks P_ABI_06:
                    "a null count is read";
                UnknownNullCountFollowed = "abi-unknown-null-count-followed" breaks P_ABI_11:
                    "a null count is written for an unknown family";
                UnknownNullCountAccepted = "abi-unknown-null-count-accepted" breaks P_ABI_11:
                    "a null count for an unknown family gets S_OK";
                UnknownNullCountNotFound = "abi-unknown-null-count-not-found" notes P_ABI_11
                    "DXGI_ERROR_NOT_FOUND":
                    "a null count for an unknown family gets DXGI_ERROR_NOT_FOUND";
                UnknownCountKept = "abi-unknown-count-kept" breaks P_ABI_07:
                    "the count of an unknown family is left as it was";
                UnknownInvalid = "abi-unknown-invalid" breaks P_ABI_07:
                    "an unknown family gets E_INVALIDARG";
                CountKeptWhenShort = "abi-count-kept-when-short" breaks P_ABI_08:
                    "the count stays the capacity of an array that is too small";
                CountKeptWhenNull = "abi-count-kept-when-null" breaks P_ABI_08:
                    "the count of a null array is left as it was when it is not 0";
                ShortNullFollowed = "abi-short-null-followed" breaks P_ABI_08:
                    "a null array is written as far as the count goes, if that is short",
                    where TwoAbiVersions;
                Hole = "abi-hole" breaks P_ABI_09:
                    "a version inside the list is missing",
                    where ThreeAbiVersions,
                    also P_PROF_05 because "a target of the missing version is as good as others",
                    also P_CMP_05 because "a target of the missing version is as good as others",
                    also P_CAPS_20 because "a target of the missing version is as good as others",
                    also P_FMT_02 because "a target of the missing version is as good as others",
                    also P_MSAA_03 because "a target of the missing version is as good as others";
                PerOpen = "abi-per-open" breaks P_ABI_10:
                    "every second open lacks the oldest version",
                    where TwoAbiVersions;
                PerVersion = "abi-per-version" breaks P_ABI_10:
                    "with the oldest DDI version selected the oldest ABI version is missing",
                    where TwoVersions;
            }

            /// In `pfnGetCompilerVersion`.
            CompilerVersion {
                PerCall = "compiler-version-per-call" breaks P_CVER_01:
                    "the version counts the calls";
                PerProcess = "compiler-version-per-process" breaks P_CVER_01:
                    "the version has the number of the process in it";
                PastEndInvalid = "compiler-version-past-end-invalid" breaks P_CVER_01:
                    "a family past the end gets E_INVALIDARG";
                PastEndAccepted = "compiler-version-past-end-accepted" breaks P_CVER_01:
                    "a family past the end has a version";
                PastEndWraps = "compiler-version-past-end-wraps" breaks P_CVER_01:
                    "of the family's index the lowest 8 bits count";
                Zero = "compiler-version-zero" breaks P_CVER_02:
                    "the version is 0.0.0.0";
                NullAccepted = "compiler-version-null-accepted" breaks P_CVER_02:
                    "a null pCompilerVersion gets S_OK";
                NullFollowed = "compiler-version-null-followed" breaks P_CVER_02:
                    "a null pCompilerVersion is read";
            }

            /// In `pfnGetApplicationProfileVersion`.
            Profile {
                AbsentFails = "profile-absent-fails" breaks P_PROF_01:
                    "an application without a profile gets DXGI_ERROR_NOT_FOUND";
                PerOpen = "profile-per-open" breaks P_PROF_01:
                    "every second open has another version";
                FromPadding = "profile-from-padding" breaks P_PROF_01:
                    "the version depends on the padding of pTarget";
                AbsentNotZero = "profile-absent-not-zero" breaks P_PROF_02:
                    "an application without a profile gets version 1.0.0.0";
                EngineRequired = "profile-engine-required" breaks P_PROF_03:
                    "an application without an engine gets E_INVALIDARG";
                EngineFollowed = "profile-engine-followed" breaks P_PROF_03:
                    "a null pEngineName is read";
                NullTargetAccepted = "profile-null-target-accepted" breaks P_PROF_04:
                    "a null pTarget gets S_OK";
                NullApplicationFollowed = "profile-null-application-followed" breaks P_PROF_04:
                    "a null pApplicationDesc is read";
                SecondNullFollowed = "profile-second-null-followed" breaks P_PROF_04:
                    "a null pApplicationDesc is read for the second family",
                    where SecondFamily;
                NullVersionFollowed = "profile-null-version-followed" breaks P_PROF_04:
                    "a null pApplicationProfileVersion is read";
                UnknownFamily = "profile-unknown-family" breaks P_PROF_05:
                    "an unknown family has a profile version";
                UnknownAbi = "profile-unknown-abi" breaks P_PROF_05:
                    "an unknown ABI version has a profile version";
                OtherFamilysAbi = "profile-other-familys-abi" breaks P_PROF_05:
                    "an ABI version of another family has a profile version",
                    where OtherFamilysAbi;
            }

            /// In what `pfnGetCaps` says that the plugin can do.
            Caps {
                NoMeshOfFamily = "caps-no-mesh-of-family" notes P_PSO_18 "6 of 8 kinds for family 1, whose caps offer no mesh shaders":
                    "the second family does not offer mesh shaders";
                NoStateObjects = "caps-no-state-objects" leaves P_SO_01 P_SO_03 P_SO_04 P_SO_06 P_SO_07 P_SO_08 P_SO_09:
                    "neither raytracing nor work graphs nor shader model 6.8 are offered";
                LowestLevelRefused = "caps-lowest-level-refused" passes:
                    "a runtime that supports no feature level of the plugin's gets E_INVALIDARG";
                ShaderUnanswered = "caps-shader-unanswered" breaks P_CAPS_01:
                    "D3D12DDICAPS_TYPE_SHADER gets E_INVALIDARG";
                ShaderUnwritten = "caps-shader-unwritten" breaks P_CAPS_01:
                    "Int64Ops is left as it was";
                ShaderFromPadding = "caps-shader-from-padding" breaks P_CAPS_01:
                    "Int64Ops depends on the padding of pTarget";
                ShaderPerOpen = "caps-shader-per-open" breaks P_CAPS_01:
                    "every second open has Int64Ops";
                OptionsUnanswered = "caps-options-unanswered" breaks P_CAPS_02:
                    "D3D12DDICAPS_TYPE_D3D12_OPTIONS gets E_INVALIDARG",
                    sometimes P_SO_03 because "it is that cap which offers raytracing";
                NoTierOfFamily = "caps-no-tier-of-family" breaks P_CAPS_02:
                    "the second family has a resource heap tier that does not exist",
                    where SecondFamily;
                OptionsWithZeros = "caps-options-with-zeros" breaks P_CAPS_02:
                    "for the oldest ABI version the answer is all zeros";
                LaterUnanswered = "caps-later-unanswered" breaks P_CAPS_03:
                    "D3D12DDICAPS_TYPE_OPTIONS_0101 gets E_INVALIDARG";
                LaterUnansweredOfOldest = "caps-later-unanswered-of-oldest" breaks P_CAPS_03:
                    "for the oldest ABI version D3D12DDICAPS_TYPE_OPTIONS_0093 gets E_INVALIDARG";
                LaterNoTier = "caps-later-no-tier" breaks P_CAPS_03:
                    "the tier of ExecuteIndirect is 0";
                LaterPerCall = "caps-later-per-call" breaks P_CAPS_03:
                    "every second answer to D3D12DDICAPS_TYPE_OPTIONS_0091 has another member";
                ShaderModelUnanswered = "caps-shader-model-unanswered" breaks P_CAPS_04:
                    "with the oldest DDI version D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110 gets E_INVALIDARG";
                ShaderModelHalf = "caps-shader-model-half" breaks P_CAPS_04:
                    "ExtendedCommandInfoSupported is left as it was";
                Overrun = "caps-overrun" breaks P_CAPS_05:
                    "a byte behind the answer is written";
                ShortOverrun = "caps-short-overrun" breaks P_CAPS_05:
                    "of a DataSize that is too small the whole structure is cleared",
                    also P_CAPS_20 because "the cleared bytes are those of a call that fails";
                WritesArgument = "caps-writes-argument" breaks P_CAPS_05:
                    "pCaps is written to";
                SecondWritesTarget = "caps-second-family-writes-target" breaks P_CAPS_05:
                    "pTarget of the second family is written to",
                    where SecondFamily;
                FromName = "caps-from-name" breaks P_CAPS_06:
                    "Int64Ops depends on how long pName is";
                ModelsFromVersion = "caps-models-from-version" breaks P_CAPS_06:
                    "an application of version 0 gets one shader model less";
                ShortAccepted = "caps-short-accepted" breaks P_CAPS_20:
                    "a DataSize that is too small gets S_OK";
                LargeAccepted = "caps-large-accepted" breaks P_CAPS_20:
                    "a DataSize that is a byte too large gets S_OK";
                NoTypeAccepted = "caps-no-type-accepted" breaks P_CAPS_20:
                    "a type that does not exist gets S_OK";
                NoTypeCleared = "caps-no-type-cleared" breaks P_CAPS_20:
                    "the data of a type that does not exist is cleared";
                NullDataFollowed = "caps-null-data-followed" breaks P_CAPS_20:
                    "a null pData is read";
                NullCapsAccepted = "caps-null-accepted" breaks P_CAPS_20:
                    "a null pCaps gets S_OK";
                NullTargetFollowed = "caps-null-target-followed" breaks P_CAPS_20:
                    "a null pTarget is read for OPTIONS_0102";
                NullCountFollowed = "caps-null-count-followed" breaks P_CAPS_20:
                    "a null pNumShaderModelsSupported is read";
                UnknownAbi = "caps-unknown-abi" breaks P_CAPS_20:
                    "an unknown ABI version has caps";
                ModelsUncounted = "caps-models-uncounted" breaks P_CAPS_21:
                    "the size query of shader models leaves the count as it was",
                    also P_CAPS_20 because "a null count is as good as one that is left";
                ModelsCountIsCapacity = "caps-models-count-is-capacity" breaks P_CAPS_21:
                    "the count of a larger array stays its capacity";
                ModelsTailCleared = "caps-models-tail-cleared" breaks P_CAPS_21:
                    "the entries of a larger array past the models are cleared";
                ModelsOverrun = "caps-models-overrun" breaks P_CAPS_21:
                    "an array of one less than there are is written as if it had room for all";
                ModelsTwice = "caps-models-twice" breaks P_CAPS_21:
                    "the second family has a model twice",
                    where SecondFamily;
                NoModel = "caps-no-model" breaks P_CAPS_21:
                    "for the oldest ABI version a model is none of the enumeration";
                LevelAbove = "caps-level-above" breaks P_CAPS_22:
                    "the feature level is the plugin's own, whatever the runtime supports";
                LevelAboveOfFamily = "caps-level-above-of-family" breaks P_CAPS_22:
                    "for the second family and a runtime of level 11_1 the feature level is 12_0",
                    where SecondFamily;
                LevelRefused = "caps-level-refused" breaks P_CAPS_22:
                    "a runtime whose level is above the plugin's gets E_INVALIDARG";
                LevelUnwritten = "caps-level-unwritten" breaks P_CAPS_22:
                    "where the runtime's level is the plugin's own the answer is not written";
                BoolTwo = "caps-bool-two" breaks P_CAPS_23:
                    "Int64Ops is 2";
                WaveSizes = "caps-wave-sizes" breaks P_CAPS_23:
                    "the second family has more lanes at least than at most",
                    where SecondFamily;
                MeshWithoutModel = "caps-mesh-without-model" breaks P_CAPS_23:
                    "for the oldest ABI version shader models end with 6.4, and mesh shaders are offered",
                    where Mesh;
            }

            /// In `pfnCheckFormatSupport`.
            Formats {
                OtherBit = "format-other-bit" breaks P_FMT_01:
                    "a format of the second family has a bit that does not exist",
                    where SecondFamily;
                Unwritten = "format-unwritten" breaks P_FMT_01:
                    "where a format has no support nothing is written";
                Fails = "format-fails" breaks P_FMT_01:
                    "a format without support gets E_INVALIDARG";
                LastFails = "format-last-fails" breaks P_FMT_01:
                    "the format with the greatest number gets E_INVALIDARG";
                AfterOther = "format-after-other" breaks P_FMT_01:
                    "the bits are those of the format before, if that is the one with the next smaller number";
                PerOpen = "format-per-open" breaks P_FMT_01:
                    "every second open has another bit";
                Indexes = "format-indexes" breaks P_FMT_01:
                    "a value that is no format is used as an index";
                NullTargetFollowed = "format-null-target-followed" breaks P_FMT_02:
                    "a null pTarget is read";
                NullAccepted = "format-null-accepted" breaks P_FMT_02:
                    "a null pFormatSupport gets S_OK for a format without support";
                UnknownFamily = "format-unknown-family" breaks P_FMT_02:
                    "an unknown family has support";
                UnknownAbi = "format-unknown-abi" breaks P_FMT_02:
                    "an unknown ABI version has support";
                Overrun = "format-overrun" breaks P_FMT_03:
                    "64 bits are written";
                OverrunOfFamily = "format-overrun-of-family" breaks P_FMT_03:
                    "for one format of the second family 64 bits are written",
                    where SecondFamily;
                WritesTarget = "format-writes-target" breaks P_FMT_03:
                    "pTarget is written to";
            }

            /// In `pfnCheckMultisampleQualityLevels`.
            Samples {
                MinusOne = "samples-minus-one" breaks P_MSAA_01:
                    "the answer of more than one sample is -1 instead of TRUE";
                Levels = "samples-levels" breaks P_MSAA_01:
                    "for the oldest ABI version the answer is the number of levels, of which 8 samples have two";
                Three = "samples-three" breaks P_MSAA_01:
                    "for 3 samples the answer is that for 4";
                Zero = "samples-zero" breaks P_MSAA_01:
                    "for 0 samples the answer is that for 1";
                OneOfFamily = "samples-one-of-family" breaks P_MSAA_01:
                    "for the second family one sample is not supported",
                    where SecondFamily;
                LowByte = "samples-low-byte" breaks P_MSAA_01:
                    "of a format's number the lowest 8 bits count";
                PerCall = "samples-per-call" breaks P_MSAA_01:
                    "every second answer for 8 samples is FALSE";
                NoneOfOldest = "samples-none-of-oldest" breaks P_MSAA_02:
                    "for the oldest ABI version only one sample is supported";
                SecondLevelOnly = "samples-second-level-only" breaks P_MSAA_02:
                    "8 samples have a second quality level, and no first one";
                NullTargetFollowed = "samples-null-target-followed" breaks P_MSAA_03:
                    "a null pTarget is read for 8 samples";
                NullTargetAccepted = "samples-null-target-accepted" breaks P_MSAA_03:
                    "a null pTarget gets TRUE";
                UnknownFamily = "samples-unknown-family" breaks P_MSAA_03:
                    "an unknown family has samples";
            }
        }
    };
}

capabilities_defects!(defects);

/// The table, which is in front of the base's.
pub(crate) fn table(
    base: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
) -> D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS {
        pfnGetCaps: base.pfnGetCaps.and(Some(get_caps)),
        pfnEnumerateAdapterFamilies: base
            .pfnEnumerateAdapterFamilies
            .and(Some(enumerate_adapter_families)),
        pfnGetAdapterFamilyABIVersions: base
            .pfnGetAdapterFamilyABIVersions
            .and(Some(get_adapter_family_abi_versions)),
        pfnGetCompilerVersion: base.pfnGetCompilerVersion.and(Some(get_compiler_version)),
        pfnGetApplicationProfileVersion: base
            .pfnGetApplicationProfileVersion
            .and(Some(get_application_profile_version)),
        pfnCheckFormatSupport: base.pfnCheckFormatSupport.and(Some(check_format_support)),
        pfnCheckMultisampleQualityLevels: base
            .pfnCheckMultisampleQualityLevels
            .and(Some(check_multisample_quality_levels)),
    }
}

/// Whether there is an application, and it has no engine.
///
/// # Safety
///
/// `application` is null or valid.
pub(crate) unsafe fn lacks_engine(application: *const D3D12DDI_APPLICATION_DESC) -> bool {
    // SAFETY: `application` is null or valid, as this function demands.
    unsafe { application.as_ref() }.is_some_and(|application| application.pEngineName.is_null())
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_CAPS: the pointers are null or valid for the call, and `caps` leads to as many
/// bytes as it says.
unsafe extern "system" fn get_caps(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    caps: *const D3D12DDIARG_GETCAPS,
) -> HRESULT {
    let Some((_, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_GET_CAPS demands of a host.
    let other = unsafe {
        memory::inputs(Of::Caps, target, application);
        memory::target_by_address(target)
    };
    let target = other.as_ref().map_or(target, ptr::from_ref);
    // SAFETY: the same.
    if unsafe { lacks_engine(application) } {
        match selected() {
            Some(Defect::Engine(Engine::CapsFollow)) => follow(ptr::null::<u16>()),
            Some(Defect::Engine(Engine::CapsRequire)) => return E_INVALIDARG,
            _ => {}
        }
    }
    let base = |target: *const D3D12DDI_COMPILER_TARGET, caps: *const D3D12DDIARG_GETCAPS| call!(open.capabilities.pfnGetCaps(handle, target, application, caps) else E_UNEXPECTED);
    if let Some(Defect::Caps(defect)) = selected() {
        // SAFETY: the arguments are as PFND3D12DDI_COMPILER_GET_CAPS demands of a host.
        return unsafe { caps_with(defect, &open, target, application, caps, base) };
    }
    let result = base(target, caps);
    // SAFETY: the same.
    unsafe { fields::after_caps(caps, result) };
    result
}

/// What `pfnGetCaps` does with a defect.
///
/// # Safety
///
/// As [`get_caps`].
unsafe fn caps_with(
    defect: Caps,
    open: &Open,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    caps: *const D3D12DDIARG_GETCAPS,
    base: impl Fn(*const D3D12DDI_COMPILER_TARGET, *const D3D12DDIARG_GETCAPS) -> HRESULT,
) -> HRESULT {
    if caps.is_null() && defect == Caps::NullCapsAccepted {
        return S_OK;
    }
    // SAFETY: PFND3D12DDI_COMPILER_GET_CAPS: a pointer that is not null is valid for the call.
    let (known_target, known_caps, known_application) =
        unsafe { (target.as_ref(), caps.as_ref(), application.as_ref()) };
    let Some(query) = known_caps.copied() else {
        return base(target, caps);
    };
    let (kind, data, size) = (query.Type, query.pData, query.DataSize as usize);
    let is_second = known_target.is_some_and(|target| target.AdapterFamilyIndex == 1);
    let is_oldest = known_target.is_some_and(|target| is_oldest(open, *target));
    let exists = D3D12DDICAPS_TYPE::ENUMERATORS
        .iter()
        .any(|(known, _)| *known == kind);
    let before = match defect {
        Caps::ShaderUnanswered => kind == D3D12DDICAPS_TYPE_SHADER,
        Caps::OptionsUnanswered => kind == D3D12DDICAPS_TYPE_D3D12_OPTIONS,
        Caps::LaterUnanswered => kind == D3D12DDICAPS_TYPE_OPTIONS_0101,
        Caps::LaterUnansweredOfOldest => kind == D3D12DDICAPS_TYPE_OPTIONS_0093 && is_oldest,
        Caps::ShaderModelUnanswered => {
            kind == D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110 && open.is_oldest
        }
        _ => false,
    };
    if before {
        return E_INVALIDARG;
    }
    // SAFETY: none where a defect follows or writes what it may not; else
    // PFND3D12DDI_COMPILER_GET_CAPS.
    unsafe {
        match defect {
            Caps::WritesArgument => {
                let size = (&raw const (*caps).DataSize).cast_mut();
                size.write_volatile(size.read());
            }
            Caps::SecondWritesTarget if is_second => {
                let version = (&raw const (*target).ABIVersion).cast_mut();
                version.write_volatile(version.read());
            }
            Caps::NullDataFollowed => follow(data),
            Caps::NullTargetFollowed if kind == D3D12DDICAPS_TYPE_OPTIONS_0102 => {
                follow(target);
            }
            Caps::NoTypeAccepted if !exists => return S_OK,
            Caps::NoTypeCleared if !exists && !data.is_null() => {
                data.cast::<u8>().write_bytes(0, size);
            }
            _ => {}
        }
    }
    // What is in the data before, where the answer of the base must not replace it.
    let kept = |at: usize| {
        let there = !data.is_null() && size >= at + 4;
        // SAFETY: as long as the host says.
        there.then(|| unsafe { data.cast::<u8>().add(at).cast::<u32>().read_unaligned() })
    };
    let (int64, info) = (
        kept(offset_of!(D3D12DDI_SHADER_CAPS_0084, Int64Ops)),
        kept(offset_of!(
            D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110,
            ExtendedCommandInfoSupported
        )),
    );
    let runtime = kept(0).map(|level| D3D12DDI_3DPIPELINELEVEL(level.cast_signed()));
    let answer_before = kept(4);
    if kind == D3D12DDICAPS_TYPE_0011_SHADER_MODELS
        && size == size_of::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>()
        && !data.is_null()
        && known_application.is_some()
        && known_target.is_some_and(|target| self::exists(open, *target))
    {
        let is_version_0 = known_application.is_some_and(|application| {
            // SAFETY: any bits of the union are a number.
            unsafe { application.Version.Version == 0 }
        });
        let mut list = models_of_base(|caps| base(target, caps));
        // SAFETY: as long as the host says, which is that structure.
        let models = unsafe {
            data.cast::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>()
                .read_unaligned()
        };
        let (count, array) = (
            models.pNumShaderModelsSupported,
            models.pShaderModelsSupported,
        );
        let mistake = match defect {
            Caps::ModelsUncounted if array.is_null() => return S_OK,
            Caps::ModelsCountIsCapacity => Some(Mistake::CountIsCapacity),
            Caps::ModelsTailCleared => Some(Mistake::TailCleared),
            Caps::ModelsOverrun => Some(Mistake::Overrun),
            Caps::NullCountFollowed => Some(Mistake::NullCountFollowed),
            _ => None,
        };
        match defect {
            Caps::ModelsTwice if is_second => list::repeat_first(&mut list),
            Caps::NoModel if is_oldest => list.push(D3D12DDI_SHADER_MODEL(0x6_0006)),
            Caps::MeshWithoutModel if is_oldest => {
                list.retain(|model| *model <= D3D12DDI_SHADER_MODEL_6_4_RELEASE_0062);
            }
            Caps::NoStateObjects => {
                list.retain(|model| *model < D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108);
            }
            Caps::ModelsFromVersion if is_version_0 => list.truncate(list.len() - 1),
            _ => {}
        }
        // SAFETY: the pointers are null or as the host says.
        return unsafe { list::answer(&list, mistake, count, array) };
    }
    let known = known_target.map(|target| nearest(open, *target, false));
    let target = match (defect, &known) {
        (Caps::UnknownAbi, Some(known)) => ptr::from_ref(known),
        _ => target,
    };
    let mut result = base(target, caps);
    if !result.is_ok() {
        let whole = size_of::<D3D12DDI_SHADER_CAPS_0084>();
        let is_shader = kind == D3D12DDICAPS_TYPE_SHADER && !data.is_null();
        return match defect {
            Caps::ShortOverrun if is_shader && size < whole => {
                // SAFETY: none, as there are fewer bytes; that is the defect.
                unsafe { data.cast::<u8>().write_bytes(0, whole) };
                result
            }
            Caps::ShortAccepted if is_shader && size < whole => S_OK,
            Caps::LargeAccepted if is_shader && size > whole => S_OK,
            _ => result,
        };
    }
    // SAFETY: the base succeeded, so the arguments and the answer of their type are there; what is written
    // past it is a defect's.
    unsafe {
        let options = data.cast::<D3D12DDI_D3D12_OPTIONS_DATA_0089>();
        let options1 = data.cast::<D3D12DDI_OPTIONS1_DATA_0103>();
        let shader = data.cast::<D3D12DDI_SHADER_CAPS_0084>();
        if kind == D3D12DDICAPS_TYPE_D3D12_OPTIONS {
            let tier = (*options).MeshShaderTier;
            met_if(tier != D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED, Need::Mesh);
        }
        match (defect, kind) {
            (Caps::NoMeshOfFamily, D3D12DDICAPS_TYPE_D3D12_OPTIONS) if is_second => {
                (*options).MeshShaderTier = D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED;
            }
            (Caps::NoStateObjects, D3D12DDICAPS_TYPE_D3D12_OPTIONS) => {
                (*options).RaytracingTier = D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED;
            }
            (Caps::NoStateObjects, D3D12DDICAPS_TYPE_OPTIONS1_0103) => {
                (*options1).WorkGraphsTier = D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED;
            }
            (Caps::ShaderUnwritten, D3D12DDICAPS_TYPE_SHADER) => {
                (*shader).Int64Ops = int64.unwrap_or_default().cast_signed();
            }
            (Caps::ShaderFromPadding, D3D12DDICAPS_TYPE_SHADER) => {
                (*shader).Int64Ops = (padding(target) != 0).into();
            }
            (Caps::ShaderPerOpen, D3D12DDICAPS_TYPE_SHADER) => {
                (*shader).Int64Ops = (open.number % 2 == 1).into();
            }
            (Caps::BoolTwo, D3D12DDICAPS_TYPE_SHADER) => (*shader).Int64Ops = 2,
            (Caps::FromName, D3D12DDICAPS_TYPE_SHADER) => {
                let name = (*application).pName;
                (*shader).Int64Ops = (name.add(1).read() == 0).into();
            }
            (Caps::WaveSizes, D3D12DDICAPS_TYPE_SHADER) if is_second => {
                (*shader).WaveLaneCountMin = 64;
                (*shader).WaveLaneCountMax = 32;
            }
            (Caps::NoTierOfFamily, D3D12DDICAPS_TYPE_D3D12_OPTIONS) if is_second => {
                (*options).ResourceHeapTier = D3D12DDI_RESOURCE_HEAP_TIER(3);
            }
            (Caps::OptionsWithZeros, D3D12DDICAPS_TYPE_D3D12_OPTIONS) if is_oldest => {
                data.cast::<u8>().write_bytes(0, size);
            }
            (Caps::LaterNoTier, D3D12DDICAPS_TYPE_OPTIONS_0110) => {
                data.cast::<u8>().write_bytes(0, size);
            }
            (Caps::LaterPerCall, D3D12DDICAPS_TYPE_OPTIONS_0091) => {
                static CALLS: AtomicU32 = AtomicU32::new(0);
                let calls = CALLS.fetch_add(1, Ordering::Relaxed);
                data.cast::<u32>().add(1).write_unaligned(calls % 2);
            }
            (Caps::ShaderModelHalf, D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110) => {
                data.cast::<u32>()
                    .add(1)
                    .write_unaligned(info.unwrap_or_default());
            }
            (Caps::Overrun, D3D12DDICAPS_TYPE_OPTIONS_0098) => data.cast::<u8>().add(size).write(0),
            (_, D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1) => {
                let support = data.cast::<D3D12DDI_3DPIPELINESUPPORT1_DATA_0081>();
                let own = D3D12DDI_3DPIPELINELEVEL_12_0;
                let runtime = runtime.unwrap_or_default();
                let answer = &raw mut (*support).MaximumDriverSupportedFeatureLevel;
                match defect {
                    Caps::LevelAbove => *answer = own,
                    Caps::LevelAboveOfFamily
                        if is_second && runtime == D3D12DDI_3DPIPELINELEVEL_11_1 =>
                    {
                        *answer = own;
                    }
                    Caps::LevelUnwritten if runtime == own => {
                        let before = answer_before.unwrap_or_default().cast_signed();
                        *answer = D3D12DDI_3DPIPELINELEVEL(before);
                    }
                    Caps::LevelRefused if runtime > own => result = E_INVALIDARG,
                    Caps::LowestLevelRefused if runtime < D3D12DDI_3DPIPELINELEVEL_11_0 => {
                        result = E_INVALIDARG;
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    result
}

/// The shader models of the base, which `ask` asks for a target that it has.
fn models_of_base(
    ask: impl Fn(*const D3D12DDIARG_GETCAPS) -> HRESULT,
) -> Vec<D3D12DDI_SHADER_MODEL> {
    let (mut count, mut models) = (64, vec![D3D12DDI_SHADER_MODEL::default(); 64]);
    let mut data = D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
        pNumShaderModelsSupported: &raw mut count,
        pShaderModelsSupported: models.as_mut_ptr(),
    };
    let caps = D3D12DDIARG_GETCAPS {
        Type: D3D12DDICAPS_TYPE_0011_SHADER_MODELS,
        pInfo: ptr::null_mut(),
        pData: (&raw mut data).cast(),
        DataSize: UINT::try_from(size_of::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>())
            .unwrap_or_default(),
    };
    let _ = ask(&raw const caps);
    models.truncate(count as usize);
    models
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT: the pointers are null or valid for the call.
unsafe extern "system" fn check_format_support(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    support: *mut UINT,
) -> HRESULT {
    static BEFORE: AtomicI32 = AtomicI32::new(0);
    let Some((_, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    // SAFETY: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT: the target is null or valid for the call.
    unsafe { memory::inputs(Of::Formats, target, ptr::null()) };
    let base = |target: *const D3D12DDI_COMPILER_TARGET, format: DXGI_FORMAT| {
        call!(open.capabilities.pfnCheckFormatSupport(handle, target, format, support)
            else E_UNEXPECTED)
    };
    let Some(Defect::Formats(defect)) = selected() else {
        return base(target, format);
    };
    // SAFETY: PFND3D12DDI_COMPILER_CHECK_FORMAT_SUPPORT: a pointer that is not null is valid for the call.
    let (known, before) = unsafe { (target.as_ref(), support.as_ref().copied()) };
    let of_second = known.is_some_and(|target| target.AdapterFamilyIndex == 1);
    let (last, _) = DXGI_FORMAT::ENUMERATORS[DXGI_FORMAT::ENUMERATORS.len() - 1];
    let instead = |families| {
        let known = known.map(|target| nearest(&open, *target, families));
        base(known.as_ref().map_or(ptr::null(), ptr::from_ref), format)
    };
    match defect {
        Formats::LastFails if format == last => return E_INVALIDARG,
        Formats::AfterOther => {
            let before = BEFORE.swap(format.0, Ordering::Relaxed);
            let is_next = before == DXGI_FORMAT_R8G8B8A8_UNORM.0 && format.0 == before + 1;
            return base(target, if is_next { DXGI_FORMAT(before) } else { format });
        }
        Formats::Indexes if !(0..=last.0).contains(&format.0) => follow(ptr::null::<u32>()),
        Formats::NullTargetFollowed => follow(target),
        Formats::NullAccepted if support.is_null() && format != DXGI_FORMAT_R8G8B8A8_UNORM => {
            return S_OK;
        }
        Formats::UnknownFamily => return instead(true),
        Formats::UnknownAbi => return instead(false),
        Formats::WritesTarget if !target.is_null() => {
            // SAFETY: none, as it is const; that is the defect.
            unsafe {
                let version = (&raw const (*target).ABIVersion).cast_mut();
                version.write_volatile(version.read());
            }
        }
        _ => {}
    }
    let result = base(target, format);
    let (true, Some(before)) = (result.is_ok(), before) else {
        return result;
    };
    // SAFETY: the base succeeded, so the number is there; what is written past it is a defect's.
    unsafe {
        let bits = *support;
        match defect {
            Formats::OtherBit if of_second && bits != 0 => *support |= 0x4_0000,
            Formats::Unwritten if bits == 0 => *support = before,
            Formats::Fails if bits == 0 => return E_INVALIDARG,
            Formats::PerOpen if open.number % 2 == 1 && bits != 0 => {
                *support |= D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER;
            }
            Formats::Overrun => support.cast::<u64>().write_unaligned(bits.into()),
            Formats::OverrunOfFamily if of_second && bits != 0 => {
                support.cast::<u64>().write_unaligned(bits.into());
            }
            _ => {}
        }
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS: the target is null or valid for the call.
unsafe extern "system" fn check_multisample_quality_levels(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    format: DXGI_FORMAT,
    samples: UINT,
    level: UINT,
) -> BOOL {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let Some((_, open)) = layer::OPENS.of(handle) else {
        return FALSE;
    };
    let base = |target: *const D3D12DDI_COMPILER_TARGET, format, samples, level| {
        call!(open.capabilities.pfnCheckMultisampleQualityLevels(
            handle, target, format, samples, level
        ) else FALSE)
    };
    let answer = base(target, format, samples, level);
    // SAFETY: PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS: the target is null or valid for the call.
    unsafe { memory::inputs(Of::Samples, target, ptr::null()) };
    let Some(Defect::Samples(defect)) = selected() else {
        return answer;
    };
    // SAFETY: PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS: not null, it is valid for the call.
    let known = unsafe { target.as_ref() };
    let is_second = known.is_some_and(|target| target.AdapterFamilyIndex == 1);
    let is_oldest = || known.is_some_and(|target| is_oldest(&open, *target));
    match defect {
        Samples::MinusOne if samples > 1 => -answer,
        Samples::Levels if samples == 8 && is_oldest() => 2 * answer,
        Samples::Three if samples == 3 => base(target, format, 4, level),
        Samples::Zero if samples == 0 => base(target, format, 1, level),
        Samples::OneOfFamily if is_second && samples == 1 => FALSE,
        Samples::LowByte => base(target, DXGI_FORMAT(format.0 & 0xFF), samples, level),
        Samples::PerCall if samples == 8 && CALLS.fetch_add(1, Ordering::Relaxed) % 2 == 1 => FALSE,
        Samples::NoneOfOldest if samples > 1 && is_oldest() => FALSE,
        Samples::SecondLevelOnly if samples == 8 => match level {
            0 => FALSE,
            level => base(target, format, samples, level - 1),
        },
        Samples::NullTargetFollowed if samples == 8 => {
            follow(target);
            answer
        }
        Samples::NullTargetAccepted if target.is_null() => TRUE,
        Samples::UnknownFamily => {
            let known = known.map(|target| nearest(&open, *target, true));
            let known = known.as_ref().map_or(ptr::null(), ptr::from_ref);
            base(known, format, samples, level)
        }
        _ => answer,
    }
}

/// The padding of a target; there is none in 32-bit processes.
///
/// # Safety
///
/// The target is null or valid.
unsafe fn padding(target: *const D3D12DDI_COMPILER_TARGET) -> u64 {
    let (start, end) = (
        offset_of!(D3D12DDI_COMPILER_TARGET, AdapterFamilyIndex) + size_of::<UINT>(),
        offset_of!(D3D12DDI_COMPILER_TARGET, ABIVersion),
    );
    if target.is_null() {
        return 0;
    }
    // SAFETY: inside the host's structure, which it initialised as bytes.
    let byte = |at| unsafe { target.cast::<u8>().add(at).read_volatile() };
    (start..end).map(|at| u64::from(byte(at))).sum()
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES: `family` is null or valid for writes.
unsafe extern "system" fn enumerate_adapter_families(
    handle: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY,
) -> HRESULT {
    let Some((_, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    let base = |index: UINT| {
        let result = call!(open.capabilities.pfnEnumerateAdapterFamilies(handle, index, family)
            else E_UNEXPECTED);
        met_if(index == 1 && result.is_ok(), Need::SecondFamily);
        result
    };
    let Some(Defect::Families(defect)) = selected() else {
        return base(index);
    };
    // Changes the name of the second family, or of the only one: its 128 WCHARs and how many of them the base
    // uses.
    let renamed = |change: fn(*mut u16, usize)| {
        let result = base(index);
        if result.is_ok() && index == second_or_only(&open) {
            // SAFETY: the base succeeded, so the name is there.
            let name = unsafe { &raw mut (*family).szAdapterFamily }.cast::<u16>();
            // SAFETY: inside the 128 WCHARs, as the base terminates its names.
            let used = (0..128).find(|&i| unsafe { name.add(i).read() } == 0);
            change(name, used.unwrap_or(128));
        }
        result
    };
    match defect {
        Families::FromOne | Families::Hole => base(family_of_base(index)),
        Families::NeedPath if index == 1 && std::env::var_os("PATH").is_none() => {
            DXGI_ERROR_NOT_FOUND
        }
        Families::PastEndInvalid => match base(index) {
            DXGI_ERROR_NOT_FOUND => E_INVALIDARG,
            result => result,
        },
        Families::MaxWraps => base(index.wrapping_add(1).saturating_sub(1)),
        Families::EmptyName => renamed(|name, _| {
            // SAFETY: inside the 128 WCHARs.
            unsafe { name.write_bytes(0, 128) };
        }),
        Families::Unterminated => renamed(|name, used| {
            for index in used..128 {
                // SAFETY: inside the 128 WCHARs.
                unsafe { name.add(index).write(u16::from(b'x')) };
            }
        }),
        Families::Surrogate => renamed(|name, used| {
            // SAFETY: inside the 128 WCHARs, as the name and its terminator are shorter.
            unsafe { name.add(used).write(0xD83C) };
        }),
        Families::NameOverrun => renamed(|name, _| {
            // SAFETY: none; that is the defect.
            unsafe { name.add(128).write(0) };
        }),
        Families::SameNames => match base(index) {
            S_OK => base(0),
            failure => failure,
        },
        Families::Leftovers => renamed(|name, used| {
            // SAFETY: inside the 128 WCHARs, as the name and its terminator are shorter.
            unsafe { name.add(used + 1).write(u16::from(b'?')) };
        }),
        Families::PerOpen if open.number % 2 == 1 && index < 2 => base(1 - index),
        Families::PerVersion if open.is_oldest && index < 2 => base(1 - index),
        Families::InOrder => {
            static BEFORE: AtomicU32 = AtomicU32::new(0);
            let before = BEFORE.swap(index, Ordering::Relaxed);
            if index == 0 || index == before || index == before.wrapping_add(1) {
                base(index)
            } else {
                DXGI_ERROR_NOT_FOUND
            }
        }
        Families::SecondNullFollowed => {
            if index == 1 {
                follow(family);
            }
            base(index)
        }
        Families::NullAccepted if family.is_null() => S_OK,
        Families::NullFollowed => {
            follow(family);
            base(index)
        }
        Families::NeedPath | Families::PerOpen | Families::PerVersion | Families::NullAccepted => {
            base(index)
        }
    }
}

/// The base's index of a family, which is another one where a defect numbers them otherwise.
fn family_of_base(index: UINT) -> UINT {
    const NONE: UINT = UINT::MAX;
    match (selected(), index) {
        (Some(Defect::Families(Families::FromOne)), _) => index.checked_sub(1).unwrap_or(NONE),
        (Some(Defect::Families(Families::Hole)), 5) => 1,
        (Some(Defect::Families(Families::Hole)), 1..) => NONE,
        _ => index,
    }
}

/// A family's ABI versions, from the base; `None` for an unknown family.
fn abi_versions(open: &Open, family: UINT) -> Option<Vec<u64>> {
    let mut count = 0;
    let result = call!(open.capabilities.pfnGetAdapterFamilyABIVersions(
        open.handle(),
        family,
        &raw mut count,
        ptr::null_mut(),
    ) else E_UNEXPECTED);
    let mut versions = vec![0; count as usize];
    let all = call!(open.capabilities.pfnGetAdapterFamilyABIVersions(
        open.handle(),
        family,
        &raw mut count,
        versions.as_mut_ptr(),
    ) else E_UNEXPECTED);
    met_if(versions.len() > 1, Need::TwoAbiVersions);
    met_if(versions.len() > 2, Need::ThreeAbiVersions);
    (result.is_ok() && all.is_ok()).then_some(versions)
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS: `count` is null or valid for reads and
/// writes, `array` null or as long as it says.
unsafe extern "system" fn get_adapter_family_abi_versions(
    handle: D3D12DDI_HCOMPILERDDI,
    family: UINT,
    count: *mut UINT,
    array: *mut u64,
) -> HRESULT {
    let Some((_, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    let family = family_of_base(family);
    let base = || {
        call!(open.capabilities.pfnGetAdapterFamilyABIVersions(handle, family, count, array)
            else E_UNEXPECTED)
    };
    // SAFETY: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS: the count is null or valid for the call.
    unsafe { memory::number(Number::AbiVersions, count) };
    let Some(Defect::AbiVersions(defect)) = selected() else {
        return base();
    };
    let Some(mut list) = abi_versions(&open, family) else {
        return match defect {
            AbiVersions::UnknownCountKept if !count.is_null() => DXGI_ERROR_NOT_FOUND,
            AbiVersions::UnknownNullCountFollowed => {
                follow(count);
                base()
            }
            AbiVersions::UnknownNullCountAccepted if count.is_null() => S_OK,
            AbiVersions::UnknownNullCountNotFound if count.is_null() => DXGI_ERROR_NOT_FOUND,
            AbiVersions::UnknownInvalid => {
                let _ = base();
                E_INVALIDARG
            }
            _ => base(),
        };
    };
    let mistake = match defect {
        AbiVersions::SizeQueryFails => Some(Mistake::SizeQueryFails),
        AbiVersions::None => {
            if family == second_or_only(&open) {
                list.clear();
            }
            None
        }
        AbiVersions::ExactRefused => Some(Mistake::ExactRefused),
        AbiVersions::CountIsCapacity => Some(Mistake::CountIsCapacity),
        AbiVersions::TailCleared => Some(Mistake::TailCleared),
        AbiVersions::OldestFirst => {
            list.reverse();
            None
        }
        AbiVersions::Twice => {
            list::repeat_first(&mut list);
            None
        }
        AbiVersions::Zero => {
            list.push(0);
            None
        }
        AbiVersions::Max => {
            list.insert(0, u64::MAX);
            None
        }
        AbiVersions::ShortFails => Some(Mistake::ShortFails),
        AbiVersions::ShortSucceeds => Some(Mistake::ShortSucceeds),
        AbiVersions::ShortFromOldest => Some(Mistake::ShortFromEnd),
        AbiVersions::ShortUnwritten => Some(Mistake::ShortUnwritten),
        AbiVersions::Overrun => Some(Mistake::Overrun),
        AbiVersions::EmptyIsSizeQuery => Some(Mistake::EmptyIsSizeQuery),
        AbiVersions::NullCountAccepted => Some(Mistake::NullCountAccepted),
        AbiVersions::NullCountFollowed => Some(Mistake::NullCountFollowed),
        AbiVersions::UnknownCountKept
        | AbiVersions::UnknownInvalid
        | AbiVersions::UnknownNullCountAccepted
        | AbiVersions::UnknownNullCountFollowed
        | AbiVersions::UnknownNullCountNotFound => None,
        AbiVersions::ShortNullFollowed => Some(Mistake::ShortNullFollowed),
        AbiVersions::CountKeptWhenShort => Some(Mistake::CountKeptWhenShort),
        AbiVersions::CountKeptWhenNull => Some(Mistake::CountKeptWhenNull),
        AbiVersions::Hole => {
            if list.len() > 2 {
                list.remove(1);
            }
            None
        }
        AbiVersions::PerVersion => {
            if open.is_oldest {
                list.pop();
            }
            None
        }
        AbiVersions::PerOpen => {
            if open.number % 2 == 1 {
                list.pop();
            }
            None
        }
    };
    // SAFETY: the arguments are as PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS demands of
    // a host.
    unsafe { list::answer(&list, mistake, count, array) }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_COMPILER_VERSION: `version` is null or valid for writes.
unsafe extern "system" fn get_compiler_version(
    handle: D3D12DDI_HCOMPILERDDI,
    family: UINT,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let Some((_, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    let family = family_of_base(family);
    let base = |family: UINT| call!(open.capabilities.pfnGetCompilerVersion(handle, family, version) else E_UNEXPECTED);
    // SAFETY: PFND3D12DDI_COMPILER_GET_COMPILER_VERSION: the version is null or valid for the call.
    unsafe { memory::number(Number::CompilerVersion, version) };
    let Some(Defect::CompilerVersion(defect)) = selected() else {
        return base(family);
    };
    // The base's answer with another version.
    let answered = |bits: u64| {
        let result = base(family);
        if result.is_ok() {
            // SAFETY: the base succeeded, so the version is there.
            unsafe { version.write(D3D12DDI_VERSION_NUMBER::from_bits(bits)) };
        }
        result
    };
    match defect {
        CompilerVersion::PerCall => answered(1 + CALLS.fetch_add(1, Ordering::Relaxed)),
        CompilerVersion::PastEndInvalid => match base(family) {
            DXGI_ERROR_NOT_FOUND => E_INVALIDARG,
            result => result,
        },
        CompilerVersion::PastEndAccepted => match base(family) {
            DXGI_ERROR_NOT_FOUND => base(0),
            result => result,
        },
        CompilerVersion::PastEndWraps => base(family & 0xFF),
        CompilerVersion::PerProcess => answered(1 << 48 | u64::from(process::id())),
        CompilerVersion::Zero => answered(0),
        CompilerVersion::NullAccepted if version.is_null() => S_OK,
        CompilerVersion::NullFollowed => {
            follow(version);
            base(family)
        }
        CompilerVersion::NullAccepted => base(family),
    }
}

/// What [`get_compiler_version`] does, at another address.
///
/// # Safety
///
/// As [`get_compiler_version`].
pub(crate) unsafe extern "system" fn get_compiler_version_again(
    handle: D3D12DDI_HCOMPILERDDI,
    family: UINT,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    // SAFETY: the arguments are what pfnGetCompilerVersion takes (`# Safety`).
    unsafe { get_compiler_version(handle, family, version) }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: the pointers are null or valid for the call,
/// the strings terminated.
unsafe extern "system" fn get_application_profile_version(
    handle: D3D12DDI_HCOMPILERDDI,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
    version: *mut D3D12DDI_VERSION_NUMBER,
) -> HRESULT {
    let Some((_, open)) = layer::OPENS.of(handle) else {
        return E_INVALIDARG;
    };
    // SAFETY: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: the pointers are null or valid for the call.
    unsafe {
        memory::inputs(Of::Profile, target, application);
        memory::number(Number::ProfileVersion, version);
    }
    let base = |target: *const D3D12DDI_COMPILER_TARGET| {
        let result = call!(open.capabilities.pfnGetApplicationProfileVersion(
            handle,
            target,
            application,
            version,
        ) else E_UNEXPECTED);
        // SAFETY: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: a pointer that is not null is
        // valid for the call.
        let version = unsafe { version.as_ref() }.filter(|_| result.is_ok());
        met_if(
            version.is_some_and(|version| version.bits() == 0),
            Need::NoProfile,
        );
        result
    };
    // SAFETY: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: a pointer that is not null is valid for
    // the call, and strings end with a NUL.
    let names = unsafe {
        application
            .as_ref()
            .map(|known| purity::Application::new(known))
    };
    let has_profile = names.is_some_and(|names| names.has_profile());
    let Some(Defect::Profile(defect)) = selected() else {
        let result = base(target);
        if has_profile && result.is_ok() {
            // SAFETY: the base succeeded, so the version is there.
            unsafe { version.write(D3D12DDI_VERSION_NUMBER::from_bits(1)) };
        }
        return result;
    };
    // The base's answer with another version.
    let answered = |bits: u64| {
        let result = base(target);
        if result.is_ok() {
            // SAFETY: the base succeeded, so the version is there.
            unsafe { version.write(D3D12DDI_VERSION_NUMBER::from_bits(bits)) };
        }
        result
    };
    // SAFETY: PFND3D12DDI_COMPILER_GET_APPLICATION_PROFILE_VERSION: a pointer that is not null is
    // valid for the call.
    let engine = unsafe { application.as_ref() }.map(|application| application.pEngineName);
    // SAFETY: so is the target.
    let known_target = unsafe { target.as_ref() };
    match defect {
        Profile::AbsentFails => match base(target) {
            S_OK => DXGI_ERROR_NOT_FOUND,
            failure => failure,
        },
        Profile::PerOpen => answered((open.number % 2) as u64),
        Profile::AbsentNotZero => answered(1 << 48),
        Profile::EngineRequired if engine.is_some_and(<*const u16>::is_null) => E_INVALIDARG,
        Profile::EngineFollowed => {
            if let Some(engine) = engine {
                follow(engine);
            }
            base(target)
        }
        Profile::NullTargetAccepted if target.is_null() => S_OK,
        Profile::FromPadding => {
            // SAFETY: the target is null or valid for the call.
            answered(unsafe { padding(target) })
        }
        Profile::SecondNullFollowed => {
            if known_target.is_some_and(|target| target.AdapterFamilyIndex == 1) {
                follow(application);
            }
            base(target)
        }
        Profile::OtherFamilysAbi => {
            let known = known_target.map(|target| nearest_of_others(&open, *target));
            base(known.as_ref().map_or(ptr::null(), ptr::from_ref))
        }
        Profile::NullApplicationFollowed => {
            follow(application);
            base(target)
        }
        Profile::NullVersionFollowed => {
            follow(version);
            base(target)
        }
        Profile::UnknownFamily | Profile::UnknownAbi => {
            let known = known_target
                .map(|target| nearest(&open, *target, defect == Profile::UnknownFamily));
            base(known.as_ref().map_or(ptr::null(), ptr::from_ref))
        }
        Profile::EngineRequired | Profile::NullTargetAccepted => base(target),
    }
}

/// The second family, or the only one.
fn second_or_only(open: &Open) -> UINT {
    abi_versions(open, 1).is_some().into()
}

/// Whether a target has the oldest ABI version of the first family.
pub(crate) fn is_oldest(open: &Open, target: D3D12DDI_COMPILER_TARGET) -> bool {
    let versions = abi_versions(open, 0).unwrap_or_default();
    target.AdapterFamilyIndex == 0 && versions.into_iter().min() == Some(target.ABIVersion)
}

/// Whether the base has a target.
pub(crate) fn exists(open: &Open, target: D3D12DDI_COMPILER_TARGET) -> bool {
    abi_versions(open, target.AdapterFamilyIndex)
        .is_some_and(|versions| versions.contains(&target.ABIVersion))
}

/// The newest target of a family.
pub(crate) fn newest(open: &Open, family: UINT) -> D3D12DDI_COMPILER_TARGET {
    let versions = abi_versions(open, family).unwrap_or_default();
    D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: family,
        ABIVersion: versions.first().copied().unwrap_or_default(),
    }
}

/// A target that the base has, for one that it has not: the first family for an unknown one with
/// `families`, else the newest ABI version for an unknown one.
pub(crate) fn nearest(
    open: &Open,
    mut target: D3D12DDI_COMPILER_TARGET,
    families: bool,
) -> D3D12DDI_COMPILER_TARGET {
    let versions = abi_versions(open, target.AdapterFamilyIndex);
    if families == versions.is_some() || exists(open, target) {
        return target;
    }
    if families {
        target.AdapterFamilyIndex = 0;
    }
    let newest = abi_versions(open, target.AdapterFamilyIndex).and_then(|v| v.first().copied());
    target.ABIVersion = newest.unwrap_or_default();
    target
}

/// As [`nearest`] for an unknown ABI version, if another family has it.
pub(crate) fn nearest_of_others(
    open: &Open,
    target: D3D12DDI_COMPILER_TARGET,
) -> D3D12DDI_COMPILER_TARGET {
    let others = [0, 1].map(|family| D3D12DDI_COMPILER_TARGET {
        AdapterFamilyIndex: family,
        ..target
    });
    if others.into_iter().any(|other| exists(open, other)) {
        let nearest = nearest(open, target, false);
        met_if(
            nearest.ABIVersion != target.ABIVersion,
            Need::OtherFamilysAbi,
        );
        nearest
    } else {
        target
    }
}
