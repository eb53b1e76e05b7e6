//! Capabilities: a structure that the vendor fills, and the query protocol that the SDK speaks.

use std::borrow::Cow;

use bytemuck::{Zeroable, bytes_of};
use ddi_sys::{
    D3D12DDI_3DPIPELINELEVEL, D3D12DDI_3DPIPELINELEVEL_11_0, D3D12DDI_3DPIPELINESUPPORT1_DATA_0081,
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDI_D3D12_SHADER_MODELS_DATA_0011,
    D3D12DDI_EXECUTE_INDIRECT_TIER_1_0, D3D12DDI_OPTIONS_DATA_0090, D3D12DDI_OPTIONS_DATA_0091,
    D3D12DDI_OPTIONS_DATA_0093, D3D12DDI_OPTIONS_DATA_0098, D3D12DDI_OPTIONS_DATA_0101,
    D3D12DDI_OPTIONS_DATA_0102, D3D12DDI_OPTIONS_DATA_0109, D3D12DDI_OPTIONS_DATA_0110,
    D3D12DDI_OPTIONS1_DATA_0103, D3D12DDI_RESOURCE_BINDING_TIER_1, D3D12DDI_RESOURCE_HEAP_TIER_1,
    D3D12DDI_SHADER_CAPS_0084, D3D12DDI_SHADER_MODEL, D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110,
    D3D12DDIARG_GETCAPS, D3D12DDICAPS_TYPE_0011_SHADER_MODELS,
    D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1, D3D12DDICAPS_TYPE_D3D12_OPTIONS,
    D3D12DDICAPS_TYPE_OPTIONS_0090, D3D12DDICAPS_TYPE_OPTIONS_0091, D3D12DDICAPS_TYPE_OPTIONS_0093,
    D3D12DDICAPS_TYPE_OPTIONS_0098, D3D12DDICAPS_TYPE_OPTIONS_0101, D3D12DDICAPS_TYPE_OPTIONS_0102,
    D3D12DDICAPS_TYPE_OPTIONS_0109, D3D12DDICAPS_TYPE_OPTIONS_0110,
    D3D12DDICAPS_TYPE_OPTIONS1_0103, D3D12DDICAPS_TYPE_SHADER,
    D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110,
};

use crate::error::{Error, Result};
use crate::shader_models::shader_models_up_to;
use crate::two_call;

/// What a target can do: the answers to every capability that a plugin may be asked for
/// (PFND3D12DDI_COMPILER_GET_CAPS) at the usermode DDI version of this SDK. "This is expected to match
/// UMD implementation for adapter drivers in the same adapter family."
///
/// The default is the least that a target can have: the lowest tiers, shader model 6.0, feature level 11.0.
///
/// A later usermode DDI adds members; a later form of a structure is a member of its own. So begin with the default:
///
/// ```
/// use plugin_sdk::Capabilities;
/// use plugin_sdk::ddi::D3D12DDI_WORK_GRAPHS_TIER_1_0;
///
/// let mut capabilities = Capabilities::default();
/// capabilities.options1_0103.WorkGraphsTier = D3D12DDI_WORK_GRAPHS_TIER_1_0;
/// ```
///
/// and name no full list, which a new member would break:
///
/// ```compile_fail
/// use plugin_sdk::Capabilities;
///
/// let capabilities = Capabilities { ..Capabilities::default() };
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(missing_docs)] // Each member is the C structure of that name.
pub struct Capabilities {
    pub shader: D3D12DDI_SHADER_CAPS_0084,
    pub options: D3D12DDI_D3D12_OPTIONS_DATA_0089,
    pub options_0090: D3D12DDI_OPTIONS_DATA_0090,
    pub options_0091: D3D12DDI_OPTIONS_DATA_0091,
    pub options_0093: D3D12DDI_OPTIONS_DATA_0093,
    pub options_0098: D3D12DDI_OPTIONS_DATA_0098,
    pub options_0101: D3D12DDI_OPTIONS_DATA_0101,
    pub options_0102: D3D12DDI_OPTIONS_DATA_0102,
    pub options1_0103: D3D12DDI_OPTIONS1_DATA_0103,
    pub options_0109: D3D12DDI_OPTIONS_DATA_0109,
    pub options_0110: D3D12DDI_OPTIONS_DATA_0110,
    pub shader_model_6_8_options: D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110,
    /// Every shader model that shaders may have.
    pub shader_models: Cow<'static, [D3D12DDI_SHADER_MODEL]>,
    /// The highest feature level. The SDK never answers above what the runtime says that it knows.
    pub highest_feature_level: D3D12DDI_3DPIPELINELEVEL,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            shader: Zeroable::zeroed(),
            options: D3D12DDI_D3D12_OPTIONS_DATA_0089 {
                ResourceBindingTier: D3D12DDI_RESOURCE_BINDING_TIER_1,
                ResourceHeapTier: D3D12DDI_RESOURCE_HEAP_TIER_1,
                ..Zeroable::zeroed()
            },
            options_0090: Zeroable::zeroed(),
            options_0091: Zeroable::zeroed(),
            options_0093: Zeroable::zeroed(),
            options_0098: Zeroable::zeroed(),
            options_0101: Zeroable::zeroed(),
            options_0102: Zeroable::zeroed(),
            options1_0103: Zeroable::zeroed(),
            options_0109: Zeroable::zeroed(),
            options_0110: D3D12DDI_OPTIONS_DATA_0110 {
                ExecuteIndirectTier: D3D12DDI_EXECUTE_INDIRECT_TIER_1_0,
            },
            shader_model_6_8_options: Zeroable::zeroed(),
            shader_models: shader_models_up_to(6, 0).into(),
            highest_feature_level: D3D12DDI_3DPIPELINELEVEL_11_0,
        }
    }
}

impl Capabilities {
    /// The answer that is plain data, by cap type.
    fn data(&self, kind: ddi_sys::D3D12DDICAPS_TYPE) -> Option<&[u8]> {
        Some(match kind {
            D3D12DDICAPS_TYPE_SHADER => bytes_of(&self.shader),
            D3D12DDICAPS_TYPE_D3D12_OPTIONS => bytes_of(&self.options),
            D3D12DDICAPS_TYPE_OPTIONS_0090 => bytes_of(&self.options_0090),
            D3D12DDICAPS_TYPE_OPTIONS_0091 => bytes_of(&self.options_0091),
            D3D12DDICAPS_TYPE_OPTIONS_0093 => bytes_of(&self.options_0093),
            D3D12DDICAPS_TYPE_OPTIONS_0098 => bytes_of(&self.options_0098),
            D3D12DDICAPS_TYPE_OPTIONS_0101 => bytes_of(&self.options_0101),
            D3D12DDICAPS_TYPE_OPTIONS_0102 => bytes_of(&self.options_0102),
            D3D12DDICAPS_TYPE_OPTIONS1_0103 => bytes_of(&self.options1_0103),
            D3D12DDICAPS_TYPE_OPTIONS_0109 => bytes_of(&self.options_0109),
            D3D12DDICAPS_TYPE_OPTIONS_0110 => bytes_of(&self.options_0110),
            D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110 => {
                bytes_of(&self.shader_model_6_8_options)
            }
            _ => return None,
        })
    }

    /// Answers a query: writes `DataSize` bytes, or nothing.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG for null data, a size that is not the structure's, or a cap type that plugins are
    /// not asked for.
    ///
    /// # Safety
    ///
    /// `pData` is null or valid for reads and writes of `DataSize` bytes; in a shader model query its
    /// pointers are as [`two_call::fill`] needs them.
    pub(crate) unsafe fn answer(&self, query: &D3D12DDIARG_GETCAPS) -> Result<()> {
        let size = query.DataSize as usize;
        let sized = |expected: usize| {
            if query.pData.is_null() {
                return Err(Error::invalid_argument("pData is null"));
            }
            if size != expected {
                return Err(Error::invalid_argument(format!(
                    "{:?}: DataSize is {size}, the structure has {expected} bytes",
                    query.Type
                )));
            }
            Ok(())
        };
        match query.Type {
            D3D12DDICAPS_TYPE_0011_SHADER_MODELS => {
                sized(size_of::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>())?;
                // SAFETY: `pData` is not null and has `DataSize` readable bytes (`# Safety`), the structure's size: see
                // `sized`.
                let data: D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 = unsafe {
                    query
                        .pData
                        .cast::<D3D12DDI_D3D12_SHADER_MODELS_DATA_0011>()
                        .read_unaligned()
                };
                let (count, models) = (data.pNumShaderModelsSupported, data.pShaderModelsSupported);
                // SAFETY: `count` and `models` are as `fill` needs them in a shader model query (`# Safety`).
                unsafe { two_call::fill(&self.shader_models, count, models) }
            }
            D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1 => {
                sized(size_of::<D3D12DDI_3DPIPELINESUPPORT1_DATA_0081>())?;
                let data = query.pData.cast::<D3D12DDI_3DPIPELINESUPPORT1_DATA_0081>();
                // SAFETY: `pData` is not null, and the structure's size is `DataSize`, to read and write (`# Safety`).
                unsafe {
                    let mut support = data.read_unaligned();
                    support.MaximumDriverSupportedFeatureLevel = self
                        .highest_feature_level
                        .min(support.HighestRuntimeSupportedFeatureLevel);
                    data.write_unaligned(support);
                }
                Ok(())
            }
            kind => {
                let Some(answer) = self.data(kind) else {
                    return Err(Error::invalid_argument(format!(
                        "{kind:?} is not a capability that plugins are asked for"
                    )));
                };
                sized(answer.len())?;
                // SAFETY: `pData` is not null, and `DataSize`, for which it is writable (`# Safety`), is the answer's length:
                // `sized` checked. The answer is this object's, so they do not overlap.
                unsafe {
                    query
                        .pData
                        .cast::<u8>()
                        .copy_from_nonoverlapping(answer.as_ptr(), answer.len());
                }
                Ok(())
            }
        }
    }
}
