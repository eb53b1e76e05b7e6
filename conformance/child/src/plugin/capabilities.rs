//! The CAPABILITIES table of one open: its calls, and the lists that tests build on.

use std::collections::BTreeSet;
use std::ptr;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::Stop;
use conformance_protocol::journal::Journal;
use ddi_sys::{
    BOOL, D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_ADAPTER_FAMILY,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDI_D3D12_SHADER_MODELS_DATA_0011,
    D3D12DDI_HCOMPILERDDI, D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED, D3D12DDI_OPTIONS1_DATA_0103,
    D3D12DDI_RAYTRACING_TIER_1_1, D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED, D3D12DDI_SHADER_MODEL,
    D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108, D3D12DDI_VERSION_NUMBER,
    D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED, D3D12DDIARG_GETCAPS, D3D12DDICAPS_TYPE,
    D3D12DDICAPS_TYPE_0011_SHADER_MODELS, D3D12DDICAPS_TYPE_D3D12_OPTIONS,
    D3D12DDICAPS_TYPE_OPTIONS1_0103, DXGI_FORMAT, HRESULT, S_OK,
};

use crate::inputs::arena::Surroundings;
use crate::inputs::{Application, Inputs, Target};
use crate::plugin::function_table::entry;
use crate::watch::memory::{Array, Guarded, Place, Plain};

/// So many versions, families or ABI versions are taken for a list without an end.
pub(crate) const NO_END: u32 = 4096;

/// So far past the first index that fails do we look for families behind a hole.
pub(crate) const HOLE: u32 = 64;

/// So many targets are tested at most where each costs compiles.
const MOST_TARGETS: usize = 8;

/// ABI versions that no family has.
pub(crate) const RESERVED_ABI_VERSIONS: [u64; 2] = [0, u64::MAX];

/// Bytes of an adapter family's name.
pub(crate) const FAMILY_SIZE: usize = size_of::<D3D12DDI_COMPILER_ADAPTER_FAMILY>();

type Options = D3D12DDI_D3D12_OPTIONS_DATA_0089;

/// An array for the shader models of a target.
pub(crate) type Models = Array<D3D12DDI_SHADER_MODEL>;

/// What an array of models holds before: no model.
pub(crate) const NO_MODEL: u8 = 0x7A;

/// The CAPABILITIES table of one open.
#[derive(Clone, Copy)]
pub(crate) struct Capabilities {
    pub(crate) handle: D3D12DDI_HCOMPILERDDI,
    pub(crate) funcs: D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
}

// The calls: see `subject` for their arguments.

impl Capabilities {
    pub(crate) fn enumerate_adapter_families(
        self,
        index: u32,
        family: Option<&Guarded>,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnEnumerateAdapterFamilies);
        let family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY =
            family.map_or(ptr::null_mut(), Guarded::ptr);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe { call(self.handle, index, family) }
    }

    pub(crate) fn get_adapter_family_abi_versions(
        self,
        family: u32,
        count: Option<&Array<u32>>,
        versions: Option<&Array<u64>>,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnGetAdapterFamilyABIVersions);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe {
            call(
                self.handle,
                family,
                Array::or_null(count),
                Array::or_null(versions),
            )
        }
    }

    pub(crate) fn get_compiler_version(self, family: u32, version: Option<&Array<u64>>) -> HRESULT {
        let call = entry!(self.funcs, pfnGetCompilerVersion);
        // A version number is a union of one 64-bit number and its parts.
        let version: *mut D3D12DDI_VERSION_NUMBER = Array::or_null(version).cast();
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe { call(self.handle, family, version) }
    }

    pub(crate) fn get_application_profile_version(
        self,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
        version: Option<&Array<u64>>,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnGetApplicationProfileVersion);
        let version: *mut D3D12DDI_VERSION_NUMBER = Array::or_null(version).cast();
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe { call(self.handle, target, application, version) }
    }

    /// How many families there are: the indices from 0 that succeed, when none does behind them.
    /// Needs P-FAM-01.
    pub(crate) fn families(self) -> Result<u32, Stop> {
        let name = Guarded::new(FAMILY_SIZE, 2, Place::Roomy, 0)?;
        let named = |index: &u32| self.enumerate_adapter_families(*index, Some(&name)).is_ok();
        match (0..NO_END).find(|index| !named(index)) {
            Some(count @ 1..) if !(count + 1..count + HOLE).any(|index| named(&index)) => Ok(count),
            _ => Err(Stop::needs(rules::P_FAM_01)),
        }
    }

    /// How many ABI versions a family has, by the size query. Needs P-ABI-01.
    pub(crate) fn abi_count(self, family: u32) -> Result<u32, Stop> {
        let count = Array::one(0, Place::Roomy)?;
        let result = self.get_adapter_family_abi_versions(family, Some(&count), None);
        if result == S_OK && (1..=NO_END).contains(&count.get(0)) {
            Ok(count.get(0))
        } else {
            Err(Stop::needs(rules::P_ABI_01))
        }
    }

    /// A family's ABI versions. Needs P-ABI-01 and P-ABI-02.
    pub(crate) fn abi_versions(self, family: u32) -> Result<Vec<u64>, Stop> {
        let count = Array::one(self.abi_count(family)?, Place::Roomy)?;
        let versions = Array::blank(count.get(0) as usize)?;
        let result = self.get_adapter_family_abi_versions(family, Some(&count), Some(&versions));
        match versions.written() {
            Some(versions) if result == S_OK => Ok(versions),
            _ => Err(Stop::needs(rules::P_ABI_02)),
        }
    }

    /// Every family with every ABI version that a target may have. Needs P-FAM-01, P-ABI-01,
    /// P-ABI-02 and P-ABI-04.
    pub(crate) fn targets(self) -> Result<Vec<Target>, Stop> {
        let mut targets = Vec::new();
        for family in 0..self.families()? {
            let versions = self.abi_versions(family)?;
            if versions
                .iter()
                .all(|version| RESERVED_ABI_VERSIONS.contains(version))
            {
                return Err(Stop::needs(rules::P_ABI_04));
            }
            targets.extend(
                versions
                    .into_iter()
                    .filter(|version| !RESERVED_ABI_VERSIONS.contains(version))
                    .map(|abi_version| Target {
                        adapter_family_index: family,
                        abi_version,
                    }),
            );
        }
        Ok(targets)
    }

    /// The newest and the oldest target of every family, [`MOST_TARGETS`] at most; the report says how
    /// many of all they are. Needs what [`targets`](Self::targets) needs.
    pub(crate) fn some_targets(self, journal: &Journal) -> Result<Vec<Target>, Stop> {
        let all = self.targets()?;
        let families = all.chunk_by(|a, b| a.adapter_family_index == b.adapter_family_index);
        let families: Vec<_> = families.collect();
        let step = families.len().div_ceil(MOST_TARGETS);
        let spread = || families.iter().step_by(step);
        let newest = spread().map(|family| family[0]);
        let oldest = spread().filter_map(|family| family[1..].last().copied());
        let some: Vec<_> = newest.chain(oldest).take(MOST_TARGETS).collect();
        journal.note(format!("for {} of {} targets", some.len(), all.len()));
        Ok(some)
    }

    /// Indices past the last family. Needs P-FAM-01.
    pub(crate) fn past_the_end(self) -> Result<impl Iterator<Item = u32>, Stop> {
        const FAR: [u32; 8] = [
            0xFF,
            0x100,
            0xFFFF,
            0x1_0000,
            0x7FFF_FFFF,
            0x8000_0000,
            u32::MAX - 1,
            u32::MAX,
        ];
        let families = self.families()?;
        let far = FAR.into_iter().filter(move |far| *far >= families + HOLE);
        Ok((families..families + HOLE).chain(far))
    }

    /// Targets that the plugin does not report: no such family; of the first and the last family, no
    /// such ABI version. Needs what [`targets`](Self::targets) needs.
    pub(crate) fn unknown_targets(self) -> Result<Vec<Target>, Stop> {
        let known = self.targets()?;
        let last = known[known.len() - 1].adapter_family_index;
        let target = |family, version| Target {
            adapter_family_index: family,
            abi_version: version,
        };
        let families = [last + 1, last + 2, 0x100 + last, 0x1_0000 + last, u32::MAX];
        let no_family = families.map(|family| target(family, known[0].abi_version));
        let mut unknown: Vec<_> = no_family
            .into_iter()
            .filter(|target| target.adapter_family_index > last)
            .collect();
        for family in BTreeSet::from([0, last]) {
            // Next to what the family has, and what only other families have.
            let mut versions = BTreeSet::from(RESERVED_ABI_VERSIONS);
            for known in &known {
                let version = known.abi_version;
                if known.adapter_family_index == family {
                    versions.extend([version - 1, version + 1]);
                } else {
                    versions.insert(version);
                }
            }
            let no_version = versions
                .into_iter()
                .map(|version| target(family, version))
                .filter(|target| !known.contains(target));
            // As many as there are may be tried, from both ends.
            let no_version: Vec<_> = no_version.collect();
            let (first, rest) = no_version.split_at(no_version.len().min(MOST_TARGETS / 2));
            unknown.extend(first);
            unknown.extend(rest.iter().rev().take(MOST_TARGETS / 2));
        }
        Ok(unknown)
    }

    /// Whether the target says that it has no mesh shaders.
    pub(crate) fn lacks_mesh_shaders(self, target: Target) -> Result<bool, Stop> {
        self.lacks(
            target,
            D3D12DDICAPS_TYPE_D3D12_OPTIONS,
            |options: &Options| options.MeshShaderTier == D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED,
        )
    }

    /// Whether the target says that it has no raytracing.
    pub(crate) fn lacks_raytracing(self, target: Target) -> Result<bool, Stop> {
        self.lacks(
            target,
            D3D12DDICAPS_TYPE_D3D12_OPTIONS,
            |options: &Options| options.RaytracingTier == D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED,
        )
    }

    /// Whether the target says that nothing can be added to raytracing pipelines (Raytracing.md, "Tier
    /// 1.1").
    pub(crate) fn lacks_raytracing_additions(self, target: Target) -> Result<bool, Stop> {
        self.lacks(
            target,
            D3D12DDICAPS_TYPE_D3D12_OPTIONS,
            |options: &Options| options.RaytracingTier < D3D12DDI_RAYTRACING_TIER_1_1,
        )
    }

    /// Whether the target says that it has no work graphs.
    pub(crate) fn lacks_work_graphs(self, target: Target) -> Result<bool, Stop> {
        type Options = D3D12DDI_OPTIONS1_DATA_0103;
        self.lacks(
            target,
            D3D12DDICAPS_TYPE_OPTIONS1_0103,
            |options: &Options| options.WorkGraphsTier == D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED,
        )
    }

    /// Asks how many shader models a target has, or for as many as there is room for.
    pub(crate) fn ask_models(
        self,
        inputs: &Inputs,
        count: &Array<u32>,
        models: Option<&Models>,
    ) -> Result<HRESULT, Stop> {
        let data = D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
            pNumShaderModelsSupported: count.ptr(),
            pShaderModelsSupported: Array::or_null(models),
        };
        let memory = Guarded::new(size_of_val(&data), align_of_val(&data), Place::Roomy, 0)?;
        memory.put(data);
        Ok(self.get_caps_into(inputs, D3D12DDICAPS_TYPE_0011_SHADER_MODELS, &memory))
    }

    /// The shader models of a target. Needs P-CAPS-21.
    pub(crate) fn shader_models(self, inputs: &Inputs) -> Result<Vec<D3D12DDI_SHADER_MODEL>, Stop> {
        let count = Array::one(0, Place::Roomy)?;
        let asked = self.ask_models(inputs, &count, None)?;
        let models = Models::new(count.get(0).min(NO_END) as usize, Place::Roomy, NO_MODEL)?;
        let result = self.ask_models(inputs, &count, Some(&models))?;
        if asked == S_OK && result == S_OK && !models.values().is_empty() {
            Ok(models.values())
        } else {
            Err(Stop::needs(rules::P_CAPS_21))
        }
    }

    /// Whether the target says that it has no generic programs: they come with shader model 6.8.
    pub(crate) fn lacks_generic_programs(self, target: Target) -> Result<bool, Stop> {
        let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
        Ok(match self.shader_models(&inputs) {
            Ok(models) => !models.contains(&D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108),
            Err(Stop::Needs { .. }) => true,
            Err(other) => return Err(other),
        })
    }

    /// Whether the target does not say that it has an optional feature.
    pub(crate) fn lacks_option(
        self,
        target: Target,
        is_offered: fn(&Options) -> bool,
    ) -> Result<bool, Stop> {
        self.lacks(target, D3D12DDICAPS_TYPE_D3D12_OPTIONS, |options| {
            !is_offered(options)
        })
    }

    /// Whether the answer to a cap says so. A target that does not answer offers nothing.
    fn lacks<T: Plain>(
        self,
        target: Target,
        cap: D3D12DDICAPS_TYPE,
        says_so: impl Fn(&T) -> bool,
    ) -> Result<bool, Stop> {
        let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
        let (result, answer) = self.get_caps(&inputs, cap)?;
        Ok(!result.is_ok() || says_so(&answer))
    }

    /// Asks for a cap whose answer is a `T`.
    pub(crate) fn get_caps<T: Plain>(
        self,
        inputs: &Inputs,
        cap: D3D12DDICAPS_TYPE,
    ) -> Result<(HRESULT, T), Stop> {
        let answer = Guarded::new(size_of::<T>(), align_of::<T>(), Place::Roomy, 0xFF)?;
        let result = self.get_caps_into(inputs, cap, &answer);
        Ok((result, answer.get()))
    }

    /// Asks for a cap, with memory of any size for the answer.
    pub(crate) fn get_caps_into(
        self,
        inputs: &Inputs,
        cap: D3D12DDICAPS_TYPE,
        answer: &Guarded,
    ) -> HRESULT {
        let caps = D3D12DDIARG_GETCAPS {
            Type: cap,
            pInfo: ptr::null_mut(),
            pData: answer.ptr(),
            DataSize: u32::try_from(answer.len()).expect("a small structure"),
        };
        self.get_caps_raw(inputs.target, inputs.application, &raw const caps)
    }

    pub(crate) fn get_caps_raw(
        self,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
        caps: *const D3D12DDIARG_GETCAPS,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnGetCaps);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe { call(self.handle, target, application, caps) }
    }

    pub(crate) fn check_format_support(
        self,
        target: *const D3D12DDI_COMPILER_TARGET,
        format: DXGI_FORMAT,
        support: Option<&Array<u32>>,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnCheckFormatSupport);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe { call(self.handle, target, format, Array::or_null(support)) }
    }

    pub(crate) fn check_multisample_quality_levels(
        self,
        target: *const D3D12DDI_COMPILER_TARGET,
        format: DXGI_FORMAT,
        samples: u32,
        level: u32,
    ) -> BOOL {
        let call = entry!(self.funcs, pfnCheckMultisampleQualityLevels);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe { call(self.handle, target, format, samples, level) }
    }
}
