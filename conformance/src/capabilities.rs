//! The CAPABILITIES table of one open: its calls, and the lists that tests build on.

use crate::Rule;
use crate::arena::Surroundings;
use crate::function_table::entry;
use crate::inputs::{Application, Inputs, Target};
use crate::memory::{Array, Guarded, Place, Plain};
use crate::subject::NO_END;
use crate::verdict::Stop;
use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_ADAPTER_FAMILY,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDI_HCOMPILERDDI,
    D3D12DDI_MESH_SHADER_TIER_NOT_SUPPORTED, D3D12DDI_OPTIONS1_DATA_0103,
    D3D12DDI_RAYTRACING_TIER_1_1, D3D12DDI_RAYTRACING_TIER_NOT_SUPPORTED, D3D12DDI_VERSION_NUMBER,
    D3D12DDI_WORK_GRAPHS_TIER_NOT_SUPPORTED, D3D12DDIARG_GETCAPS, D3D12DDICAPS_TYPE,
    D3D12DDICAPS_TYPE_D3D12_OPTIONS, D3D12DDICAPS_TYPE_OPTIONS1_0103, HRESULT, S_OK,
};
use std::ptr;

/// So far past the first index that fails do we look for families behind a hole.
pub(crate) const HOLE: u32 = 64;

/// ABI versions that no family has.
pub(crate) const RESERVED_ABI_VERSIONS: [u64; 2] = [0, u64::MAX];

/// Bytes of an adapter family's name.
pub(crate) const FAMILY_SIZE: usize = size_of::<D3D12DDI_COMPILER_ADAPTER_FAMILY>();

type Options = D3D12DDI_D3D12_OPTIONS_DATA_0089;

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
        // SAFETY: see above.
        unsafe { call(self.handle, index, family) }
    }

    pub(crate) fn get_adapter_family_abi_versions(
        self,
        family: u32,
        count: Option<&Array<u32>>,
        versions: Option<&Array<u64>>,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnGetAdapterFamilyABIVersions);
        // SAFETY: see above.
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
        // SAFETY: see above.
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
        // SAFETY: see above.
        unsafe { call(self.handle, target, application, version) }
    }

    /// How many families there are: the indices from 0 that succeed, when none does behind them.
    /// Needs P-FAM-01.
    pub(crate) fn families(self) -> Result<u32, Stop> {
        let name = Guarded::new(FAMILY_SIZE, 2, Place::Roomy, 0)?;
        let named = |index: &u32| self.enumerate_adapter_families(*index, Some(&name)).is_ok();
        match (0..NO_END).find(|index| !named(index)) {
            Some(count @ 1..) if !(count + 1..count + HOLE).any(|index| named(&index)) => Ok(count),
            _ => Err(Stop::needs(Rule::P_FAM_01)),
        }
    }

    /// How many ABI versions a family has, by the size query. Needs P-ABI-01.
    pub(crate) fn abi_count(self, family: u32) -> Result<u32, Stop> {
        let count = Array::one(0, Place::Roomy)?;
        let result = self.get_adapter_family_abi_versions(family, Some(&count), None);
        if result == S_OK && (1..=NO_END).contains(&count.get(0)) {
            Ok(count.get(0))
        } else {
            Err(Stop::needs(Rule::P_ABI_01))
        }
    }

    /// A family's ABI versions. Needs P-ABI-01 and P-ABI-02.
    pub(crate) fn abi_versions(self, family: u32) -> Result<Vec<u64>, Stop> {
        let count = Array::one(self.abi_count(family)?, Place::Roomy)?;
        let versions = Array::blank(count.get(0) as usize)?;
        let result = self.get_adapter_family_abi_versions(family, Some(&count), Some(&versions));
        match versions.written() {
            Some(versions) if result == S_OK => Ok(versions),
            _ => Err(Stop::needs(Rule::P_ABI_02)),
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
                return Err(Stop::needs(Rule::P_ABI_04));
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

    /// Targets that the plugin does not report: no such family, or no such ABI version of a family.
    /// Needs what [`targets`](Self::targets) needs.
    pub(crate) fn unknown_targets(self) -> Result<Vec<Target>, Stop> {
        let known = self.targets()?;
        let families = self.families()?;
        let newest = known
            .iter()
            .map(|target| target.abi_version)
            .max()
            .unwrap_or_default();
        let no_family = [families, u32::MAX].map(|family| (family, known[0].abi_version));
        let no_version = [0, newest + 1, u64::MAX].map(|version| (0, version));
        let unknown = no_family
            .into_iter()
            .chain(no_version)
            .map(|(family, version)| Target {
                adapter_family_index: family,
                abi_version: version,
            });
        Ok(unknown.collect())
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

    /// Whether the answer to a cap says so. A target that does not answer lacks nothing.
    fn lacks<T: Plain>(
        self,
        target: Target,
        cap: D3D12DDICAPS_TYPE,
        says_so: fn(&T) -> bool,
    ) -> Result<bool, Stop> {
        let inputs = Inputs::new(target, &Application::USUAL, Surroundings::USUAL)?;
        let answer = Guarded::new(size_of::<T>(), align_of::<T>(), Place::Roomy, 0xFF)?;
        let caps = D3D12DDIARG_GETCAPS {
            Type: cap,
            pInfo: ptr::null_mut(),
            pData: answer.ptr(),
            DataSize: u32::try_from(size_of::<T>()).expect("a small structure"),
        };
        let call = entry!(self.funcs, pfnGetCaps);
        // SAFETY: see above.
        let result = unsafe {
            call(
                self.handle,
                inputs.target,
                inputs.application,
                &raw const caps,
            )
        };
        Ok(result.is_ok() && says_so(&answer.get::<T>()))
    }
}
