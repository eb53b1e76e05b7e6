//! Shader models, by their numbers.

use ddi_sys::{
    D3D12DDI_SHADER_MODEL, D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011,
    D3D12DDI_SHADER_MODEL_6_1_RELEASE_0033, D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042,
    D3D12DDI_SHADER_MODEL_6_3_RELEASE_0054, D3D12DDI_SHADER_MODEL_6_4_RELEASE_0062,
    D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071, D3D12DDI_SHADER_MODEL_6_6_RELEASE_0082,
    D3D12DDI_SHADER_MODEL_6_7_RELEASE_0093, D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108,
};

use crate::capabilities::Capabilities;

/// The released shader models that are DXIL, oldest first.
static RELEASED: [D3D12DDI_SHADER_MODEL; 9] = [
    D3D12DDI_SHADER_MODEL_6_0_RELEASE_0011,
    D3D12DDI_SHADER_MODEL_6_1_RELEASE_0033,
    D3D12DDI_SHADER_MODEL_6_2_RELEASE_0042,
    D3D12DDI_SHADER_MODEL_6_3_RELEASE_0054,
    D3D12DDI_SHADER_MODEL_6_4_RELEASE_0062,
    D3D12DDI_SHADER_MODEL_6_5_RELEASE_0071,
    D3D12DDI_SHADER_MODEL_6_6_RELEASE_0082,
    D3D12DDI_SHADER_MODEL_6_7_RELEASE_0093,
    D3D12DDI_SHADER_MODEL_6_8_RELEASE_0108,
];

/// The numbers of a value of the DDI: major in bits 16 and up, minor in bits 4 to 15.
fn numbers(model: D3D12DDI_SHADER_MODEL) -> (u32, u32) {
    let model = model.0.cast_unsigned();
    (model >> 16, model >> 4 & 0xFFF)
}

/// The released shader models from 6.0 to the highest, for [`Capabilities::shader_models`]. A model above 6.8 has no value in
/// the usermode DDI of this SDK, and is not among them.
///
/// ```
/// use plugin_sdk::{Capabilities, shader_models_up_to};
///
/// let mut capabilities = Capabilities::default();
/// capabilities.shader_models = shader_models_up_to(6, 8).into();
/// assert!(capabilities.has_shader_model(6, 8));
/// ```
pub fn shader_models_up_to(major: u32, minor: u32) -> &'static [D3D12DDI_SHADER_MODEL] {
    let after = RELEASED.partition_point(|&model| numbers(model) <= (major, minor));
    &RELEASED[..after]
}

impl Capabilities {
    /// Whether shaders may have this shader model, such as that of a
    /// [program](dxil::Program::shader_model), released or experimental.
    pub fn has_shader_model(&self, major: u32, minor: u32) -> bool {
        let wanted = (major, minor);
        self.shader_models.iter().any(|&m| numbers(m) == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_end_at_the_highest() {
        let highest = |major, minor| {
            shader_models_up_to(major, minor)
                .last()
                .copied()
                .map(numbers)
        };
        for (asked, ends_at) in [
            ((5, 1), None),
            ((6, 0), Some((6, 0))),
            ((6, 5), Some((6, 5))),
            ((6, 8), Some((6, 8))),
            ((6, 9), Some((6, 8))),
            ((7, 0), Some((6, 8))),
        ] {
            assert_eq!(highest(asked.0, asked.1), ends_at, "{asked:?}");
        }
        let models = shader_models_up_to(6, 8);
        assert!(
            models
                .iter()
                .zip(0..)
                .all(|(&model, minor)| numbers(model) == (6, minor))
        );
    }
}
