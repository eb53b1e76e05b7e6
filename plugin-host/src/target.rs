//! Targets: the families and ABI versions that a plugin reports, to compile for.

use std::sync::atomic::{AtomicU64, Ordering};

use ddi_sys::D3D12DDI_COMPILER_TARGET;

use crate::{CallError, CallFailure, Plugin};

/// An adapter family and one of the ABI versions that a plugin reports for it.
///
/// The specification has the host check the ABI version, so a plugin may rely on it.
/// [`Plugin::target`] checks, and is the only way to make a target; only the open that made it, in
/// any of its clones, takes it.
///
/// Specification: ShaderCompilerPlugin.md, "Struct: D3D12DDI_COMPILER_TARGET".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    open: OpenId,
    adapter_family_index: u32,
    abi_version: u64,
}

/// Distinguishes the opens of this process; unlike a handle's number, it never repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OpenId(u64);

impl OpenId {
    pub(crate) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Target {
    /// The family's place in [`Plugin::adapter_families`].
    pub fn adapter_family_index(self) -> u32 {
        self.adapter_family_index
    }

    /// One of [`Plugin::abi_versions`].
    pub fn abi_version(self) -> u64 {
        self.abi_version
    }

    /// The structure of the DDI.
    pub fn raw(self) -> D3D12DDI_COMPILER_TARGET {
        D3D12DDI_COMPILER_TARGET {
            AdapterFamilyIndex: self.adapter_family_index,
            ABIVersion: self.abi_version,
        }
    }
}

impl Plugin {
    /// A target for calls of this plugin. Calls [`abi_versions`](Self::abi_versions).
    ///
    /// # Errors
    ///
    /// The plugin has no such family, or does not report the ABI version for it, or the ABI version is
    /// 0 or `u64::MAX`, which are reserved. For the latest, take the first of
    /// [`abi_versions`](Self::abi_versions).
    pub fn target(&self, adapter_family_index: u32, abi_version: u64) -> Result<Target, CallError> {
        let reported = self.abi_versions(adapter_family_index)?;
        if matches!(abi_version, 0 | u64::MAX) || !reported.contains(&abi_version) {
            let failure = CallFailure::NoSuchAbiVersion {
                adapter_family_index,
                abi_version,
                reported,
            };
            return Err(self.error("pfnGetAdapterFamilyABIVersions", failure));
        }
        Ok(Target {
            open: self.id(),
            adapter_family_index,
            abi_version,
        })
    }

    /// The structure for a `call` to this plugin.
    pub(crate) fn own(
        &self,
        call: &'static str,
        target: Target,
    ) -> Result<D3D12DDI_COMPILER_TARGET, CallError> {
        if target.open == self.id() {
            Ok(target.raw())
        } else {
            Err(self.error(call, CallFailure::ForeignTarget))
        }
    }
}
