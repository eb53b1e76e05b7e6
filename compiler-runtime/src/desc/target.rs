//! The capabilities of a target, as its plugin reports them.
//!
//! This asks the plugin when a description first needs an answer, once in the life of a session, and later reads the answer
//! without a lock. Not every plugin answers. If a call fails, or the answers deny what every Direct3D 12 device has (as those
//! of a plugin do that leaves its output untouched), this does not ask the plugin again, and no description is refused for lack
//! of a capability.

use std::fmt;
use std::sync::OnceLock;

use ddi_sys::{
    D3D12DDI_FORMAT_SUPPORT_RENDERTARGET, D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER, DXGI_FORMAT,
    DXGI_FORMAT_A4B4G4R4_UNORM, DXGI_FORMAT_D16_UNORM, DXGI_FORMAT_D24_UNORM_S8_UINT,
    DXGI_FORMAT_D32_FLOAT, DXGI_FORMAT_D32_FLOAT_S8X24_UINT, DXGI_FORMAT_R8G8B8A8_UNORM,
    DXGI_FORMAT_UNKNOWN, UINT,
};
use dxil::Version;
use plugin_host::{ApplicationDesc, Plugin, Target};

/// One more than the largest value of DXGI_FORMAT.
const FORMATS: usize = DXGI_FORMAT_A4B4G4R4_UNORM.0 as usize + 1;

/// The sample counts whose answers are kept: 2, 4, 8, 16, 32.
const COUNTS: usize = 5;

/// Every device can render to this format, fetch vertices from it, and use it with 4 samples.
const UNIVERSAL: DXGI_FORMAT = DXGI_FORMAT_R8G8B8A8_UNORM;

/// The capabilities of a target for an application.
pub struct Capabilities {
    plugin: Plugin,
    target: Target,
    application: ApplicationDesc,
    /// D3D12DDI_FORMAT_SUPPORT, by format; `None` if the call failed.
    formats: [OnceLock<Option<UINT>>; FORMATS],
    /// Whether the target supports a sample count for a format, at quality level 0.
    samples: [[OnceLock<bool>; COUNTS]; FORMATS],
    shader_model: OnceLock<Option<Version>>,
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capabilities")
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}

impl Capabilities {
    /// Does not ask the plugin yet. The target is one that the plugin reports.
    pub fn new(plugin: Plugin, target: Target, application: ApplicationDesc) -> Self {
        Self {
            plugin,
            target,
            application,
            formats: [const { OnceLock::new() }; FORMATS],
            samples: [const { [const { OnceLock::new() }; COUNTS] }; FORMATS],
            shader_model: OnceLock::new(),
        }
    }

    /// Whether the target can render to a format.
    pub fn renders_to(&self, format: DXGI_FORMAT) -> bool {
        self.supports(format, D3D12DDI_FORMAT_SUPPORT_RENDERTARGET)
    }

    /// What a pipeline has in place of the format of a render target: UNKNOWN for one that the target cannot render to.
    pub fn usable_render_target(&self, format: DXGI_FORMAT) -> DXGI_FORMAT {
        if self.renders_to(format) {
            format
        } else {
            DXGI_FORMAT_UNKNOWN
        }
    }

    /// What a pipeline has in place of the format of a depth-stencil buffer: UNKNOWN for all but the four that every device has.
    pub fn usable_depth_stencil(format: DXGI_FORMAT) -> DXGI_FORMAT {
        match format {
            DXGI_FORMAT_D16_UNORM
            | DXGI_FORMAT_D24_UNORM_S8_UINT
            | DXGI_FORMAT_D32_FLOAT
            | DXGI_FORMAT_D32_FLOAT_S8X24_UINT => format,
            _ => DXGI_FORMAT_UNKNOWN,
        }
    }

    /// Whether the target can fetch vertices of a format.
    pub fn fetches(&self, format: DXGI_FORMAT) -> bool {
        self.supports(format, D3D12DDI_FORMAT_SUPPORT_VERTEX_BUFFER)
    }

    fn supports(&self, format: DXGI_FORMAT, feature: UINT) -> bool {
        let has = |format| Some(self.format(format)? & feature != 0);
        has(UNIVERSAL) != Some(true) || has(format) != Some(false)
    }

    fn format(&self, format: DXGI_FORMAT) -> Option<UINT> {
        let Some(known) = usize::try_from(format.0)
            .ok()
            .and_then(|format| self.formats.get(format))
        else {
            // Not a format.
            return Some(0);
        };
        *known.get_or_init(|| {
            let support = self.plugin.check_format_support(self.target, format);
            support
                .inspect_err(|error| tracing::debug!(%error, ?format, "not judged"))
                .ok()
        })
    }

    /// Whether the target supports `count` samples, more than one, of a format at a quality level.
    pub fn has_samples(&self, format: DXGI_FORMAT, count: UINT, quality: UINT) -> bool {
        !self.asks_samples(UNIVERSAL, 4, 0) || self.asks_samples(format, count, quality)
    }

    fn asks_samples(&self, format: DXGI_FORMAT, count: UINT, quality: UINT) -> bool {
        let ask = || {
            let (plugin, target) = (&self.plugin, self.target);
            plugin
                .check_multisample_quality_levels(target, format, count, quality)
                .unwrap_or(false)
        };
        let known = usize::try_from(format.0)
            .ok()
            .and_then(|format| self.samples.get(format))
            .filter(|_| quality == 0 && count.is_power_of_two())
            .and_then(|counts| counts.get((count.trailing_zeros() as usize).checked_sub(1)?));
        // Other counts and levels are rare, so their answers are not kept.
        known.map_or_else(ask, |known| *known.get_or_init(ask))
    }

    /// The highest shader model; `None` if the plugin reports none.
    pub fn shader_model(&self) -> Option<Version> {
        *self.shader_model.get_or_init(|| {
            let models = self.plugin.shader_models(self.target, &self.application);
            let models = models.inspect_err(|error| tracing::debug!(%error, "not judged"));
            let versions = models.ok()?.into_iter().filter_map(|model| {
                // For example 0x60085 is shader model 6.8 of a release.
                let number = u32::try_from(model.0).ok()?;
                Some(Version {
                    major: number >> 16,
                    minor: number >> 4 & 0xFFF,
                })
            });
            versions.max()
        })
    }
}
