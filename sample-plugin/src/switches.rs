//! Switches of code generation.

use std::ops::BitOr;

use dxil::ShaderKind;
use plugin_sdk::ddi::{
    D3D12DDI_CREATE_SHADER_FLAG_DISABLE_OPTIMIZATION_0024,
    D3D12DDI_CREATE_SHADER_FLAG_ENABLE_SHADER_TRACING, D3D12DDI_CREATE_SHADER_FLAGS,
};
use plugin_sdk::{Error, Result};

/// What code generation does otherwise than by default, from the application's profile and the
/// shader's flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches(u32);

impl Switches {
    pub(crate) const NONE: Self = Self(0);
    /// `a * b + c` is rounded twice.
    pub(crate) const UNFUSED_MULTIPLY_ADD: Self = Self(1);
    /// Group-shared memory starts as zero.
    pub(crate) const ZERO_GROUP_SHARED: Self = Self(2);
    /// No optimization.
    pub(crate) const UNOPTIMIZED: Self = Self(4);
    /// Code that can be traced.
    pub(crate) const TRACING: Self = Self(8);

    /// As object code has them: UNFUSED_MULTIPLY_ADD 1, ZERO_GROUP_SHARED 2, UNOPTIMIZED 4, TRACING 8.
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    /// The switches that a shader's flags stand for.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG for flags that the DDI does not define.
    pub(crate) fn from_flags(flags: D3D12DDI_CREATE_SHADER_FLAGS) -> Result<Self> {
        let unknown = flags & !D3D12DDI_CREATE_SHADER_FLAGS::KNOWN;
        if unknown.0 != 0 {
            return Err(Error::invalid_argument(format!("shader flags {unknown:?}")));
        }
        let set = |flag, switch| {
            if flags.contains(flag) {
                switch
            } else {
                Self::NONE
            }
        };
        Ok(set(
            D3D12DDI_CREATE_SHADER_FLAG_DISABLE_OPTIMIZATION_0024,
            Self::UNOPTIMIZED,
        ) | set(
            D3D12DDI_CREATE_SHADER_FLAG_ENABLE_SHADER_TRACING,
            Self::TRACING,
        ))
    }

    /// The switches that matter to code of a kind: the others must not split its values.
    pub(crate) fn read_by(self, kind: ShaderKind) -> Self {
        let groups = matches!(
            kind,
            ShaderKind::Compute
                | ShaderKind::Mesh
                | ShaderKind::Amplification
                | ShaderKind::Library
        );
        let all = Self::UNFUSED_MULTIPLY_ADD | Self::UNOPTIMIZED | Self::TRACING;
        let read = if groups {
            all | Self::ZERO_GROUP_SHARED
        } else {
            all
        };
        Self(self.0 & read.0)
    }
}

impl BitOr for Switches {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_with_groups_reads_the_switch_of_groups() {
        let both = Switches::UNFUSED_MULTIPLY_ADD | Switches::ZERO_GROUP_SHARED;
        assert_eq!(
            both.read_by(ShaderKind::Vertex),
            Switches::UNFUSED_MULTIPLY_ADD
        );
        assert_eq!(both.read_by(ShaderKind::Compute), both);
    }

    #[test]
    fn flags_become_switches_and_unknown_ones_are_refused() {
        let from = |bits| Switches::from_flags(D3D12DDI_CREATE_SHADER_FLAGS(bits));
        assert_eq!(from(0).unwrap(), Switches::NONE);
        assert_eq!(from(1).unwrap(), Switches::TRACING);
        assert_eq!(from(2).unwrap(), Switches::UNOPTIMIZED);
        assert!(from(4).is_err());
    }
}
