//! Root signatures.

use ddi_sys::{
    D3D12DDI_DESCRIPTOR_RANGE_0013, D3D12DDI_HROOTSIGNATURE, D3D12DDI_ROOT_CONSTANTS,
    D3D12DDI_ROOT_DESCRIPTOR_0013, D3D12DDI_ROOT_PARAMETER_0013, D3D12DDI_ROOT_PARAMETER_TYPE,
    D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS, D3D12DDI_ROOT_PARAMETER_TYPE_CBV,
    D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE, D3D12DDI_ROOT_PARAMETER_TYPE_SRV,
    D3D12DDI_ROOT_PARAMETER_TYPE_UAV, D3D12DDI_ROOT_SIGNATURE_0013, D3D12DDI_ROOT_SIGNATURE_0100,
    D3D12DDI_ROOT_SIGNATURE_FLAGS, D3D12DDI_ROOT_SIGNATURE_VERSION,
    D3D12DDI_ROOT_SIGNATURE_VERSION_1_1, D3D12DDI_ROOT_SIGNATURE_VERSION_1_2,
    D3D12DDI_SHADER_VISIBILITY, D3D12DDI_STATIC_SAMPLER, D3D12DDI_STATIC_SAMPLER_0100,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
};

use super::fields::{AsField, Describe, Field, Fields, each, fields};
use super::reading::{self, DescError};

/// D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100: versions 1.1 and 1.2, which differ in their samplers only.
#[derive(Clone, Copy)]
pub struct RootSignature<'a> {
    version: D3D12DDI_ROOT_SIGNATURE_VERSION,
    parameters: &'a [D3D12DDI_ROOT_PARAMETER_0013],
    samplers: StaticSamplers<'a>,
    flags: D3D12DDI_ROOT_SIGNATURE_FLAGS,
}

/// The static samplers of a root signature, in the shape of its version.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum StaticSamplers<'a> {
    /// Version 1.1.
    V1_1(&'a [D3D12DDI_STATIC_SAMPLER]),
    /// Version 1.2.
    V1_2(&'a [D3D12DDI_STATIC_SAMPLER_0100]),
}

/// One root parameter and the stages that see it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[allow(missing_docs)] // The members are named by their types.
pub enum RootParameter<'a> {
    /// A descriptor table.
    Table(&'a [D3D12DDI_DESCRIPTOR_RANGE_0013]),
    /// Constants.
    Constants(&'a D3D12DDI_ROOT_CONSTANTS),
    /// A constant buffer's address.
    Cbv(&'a D3D12DDI_ROOT_DESCRIPTOR_0013),
    /// A read-only buffer's address.
    Srv(&'a D3D12DDI_ROOT_DESCRIPTOR_0013),
    /// A writable buffer's address.
    Uav(&'a D3D12DDI_ROOT_DESCRIPTOR_0013),
    /// A type that the DDI does not define.
    Unknown(D3D12DDI_ROOT_PARAMETER_TYPE),
}

// SAFETY: what it points at is unchanged for `'a` (`from_handle`), on whatever thread it is read.
unsafe impl Send for RootSignature<'_> {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for RootSignature<'_> {}

impl<'a> RootSignature<'a> {
    /// # Safety
    ///
    /// The handle is null or points at create-arguments (docs/spec-notes.md, "Handles inside create
    /// arguments") that are valid and unchanged, with all that they point at, for `'a`.
    pub(super) unsafe fn from_handle(
        handle: D3D12DDI_HROOTSIGNATURE,
    ) -> Result<Option<Self>, DescError> {
        // SAFETY: `handle` is null or points at create-arguments, valid for `'a` with all that they point at (`# Safety`).
        unsafe {
            let arguments: *const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 =
                handle.pDrvPrivate.cast();
            reading::optional("hRootSignature", arguments)?
                .map(|a| Self::new(a))
                .transpose()
        }
    }

    /// # Safety
    ///
    /// What `arguments` points at is valid and unchanged for `'a`.
    pub(super) unsafe fn new(
        arguments: &D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    ) -> Result<Self, DescError> {
        let version = arguments.Version;
        // SAFETY: what `arguments` points at is valid for `'a` (`# Safety`). The version says which of the two structures,
        // alike but for the element type of their samplers, the one pointer means.
        let signature = unsafe {
            let content = arguments.Anonymous.pRootSignature_1_2;
            match version {
                D3D12DDI_ROOT_SIGNATURE_VERSION_1_1 => {
                    let content: *const D3D12DDI_ROOT_SIGNATURE_0013 = content.cast();
                    let r = reading::required("pRootSignature_1_1", content)?;
                    let samplers =
                        reading::array("pStaticSamplers", r.pStaticSamplers, r.NumStaticSamplers)?;
                    Self {
                        version,
                        parameters: parameters(r.pRootParameters, r.NumParameters)?,
                        samplers: StaticSamplers::V1_1(samplers),
                        flags: r.Flags,
                    }
                }
                D3D12DDI_ROOT_SIGNATURE_VERSION_1_2 => {
                    let r: &D3D12DDI_ROOT_SIGNATURE_0100 =
                        reading::required("pRootSignature_1_2", content)?;
                    let samplers =
                        reading::array("pStaticSamplers", r.pStaticSamplers, r.NumStaticSamplers)?;
                    Self {
                        version,
                        parameters: parameters(r.pRootParameters, r.NumParameters)?,
                        samplers: StaticSamplers::V1_2(samplers),
                        flags: r.Flags,
                    }
                }
                _ => return Err(DescError::RootSignatureVersion { version: version.0 }),
            }
        };
        Ok(signature)
    }

    /// The version.
    pub fn version(&self) -> D3D12DDI_ROOT_SIGNATURE_VERSION {
        self.version
    }

    /// The parameters, in root order.
    pub fn parameters(
        &self,
    ) -> impl ExactSizeIterator<Item = (RootParameter<'a>, D3D12DDI_SHADER_VISIBILITY)> + use<'a>
    {
        self.parameters
            .iter()
            .map(|p| (parameter(p), p.ShaderVisibility))
    }

    /// The static samplers.
    pub fn static_samplers(&self) -> StaticSamplers<'a> {
        self.samplers
    }

    /// Flags.
    pub fn flags(&self) -> D3D12DDI_ROOT_SIGNATURE_FLAGS {
        self.flags
    }
}

/// The parameters, with every table's ranges checked.
///
/// # Safety
///
/// As [`reading::array`], for the parameters and for the ranges of each table.
unsafe fn parameters<'a>(
    pointer: *const D3D12DDI_ROOT_PARAMETER_0013,
    count: u32,
) -> Result<&'a [D3D12DDI_ROOT_PARAMETER_0013], DescError> {
    // SAFETY: `pointer` has `count` parameters, and each table its ranges, valid for `'a` (`# Safety`); the type says that the
    // table arm is the one that is set.
    unsafe {
        let parameters: &[D3D12DDI_ROOT_PARAMETER_0013] =
            reading::array("pRootParameters", pointer, count)?;
        for parameter in parameters {
            if parameter.ParameterType == D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE {
                let table = parameter.Anonymous.DescriptorTable;
                let (ranges, count) = (table.pDescriptorRanges, table.NumDescriptorRanges);
                reading::array("pDescriptorRanges", ranges, count)?;
            }
        }
        Ok(parameters)
    }
}

fn parameter(parameter: &D3D12DDI_ROOT_PARAMETER_0013) -> RootParameter<'_> {
    // SAFETY: the type says which arm is set; `parameters` checked the ranges of a table.
    unsafe {
        let content = &parameter.Anonymous;
        match parameter.ParameterType {
            D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE => {
                let table = content.DescriptorTable;
                let (ranges, count) = (table.pDescriptorRanges, table.NumDescriptorRanges);
                let ranges = reading::array("pDescriptorRanges", ranges, count);
                RootParameter::Table(ranges.unwrap_or_default())
            }
            D3D12DDI_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS => {
                RootParameter::Constants(&content.Constants)
            }
            D3D12DDI_ROOT_PARAMETER_TYPE_CBV => RootParameter::Cbv(&content.Descriptor),
            D3D12DDI_ROOT_PARAMETER_TYPE_SRV => RootParameter::Srv(&content.Descriptor),
            D3D12DDI_ROOT_PARAMETER_TYPE_UAV => RootParameter::Uav(&content.Descriptor),
            unknown => RootParameter::Unknown(unknown),
        }
    }
}

impl std::fmt::Debug for RootSignature<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RootSignature")
            .field("version", &self.version)
            .field("parameters", &self.parameters().collect::<Vec<_>>())
            .field("static_samplers", &self.samplers)
            .field("flags", &self.flags)
            .finish()
    }
}

impl Describe for RootSignature<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("Version", self.version.as_field());
        each(to, "pRootParameters", self.parameters);
        match self.samplers {
            StaticSamplers::V1_1(samplers) => each(to, "pStaticSamplers", samplers),
            StaticSamplers::V1_2(samplers) => each(to, "pStaticSamplers", samplers),
        }
        to.field("Flags", self.flags.as_field());
    }
}

impl Describe for D3D12DDI_ROOT_PARAMETER_0013 {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(to, self, ParameterType, ShaderVisibility);
        match parameter(self) {
            RootParameter::Table(ranges) => each(to, "pDescriptorRanges", ranges),
            RootParameter::Constants(c) => {
                fields!(to, c, ShaderRegister, RegisterSpace, Num32BitValues);
            }
            RootParameter::Cbv(d) | RootParameter::Srv(d) | RootParameter::Uav(d) => {
                fields!(to, d, ShaderRegister, RegisterSpace, Flags);
            }
            RootParameter::Unknown(_) => to.field("Parameter", Field::Absent),
        }
    }
}

impl Describe for D3D12DDI_DESCRIPTOR_RANGE_0013 {
    fn describe(&self, to: &mut dyn Fields) {
        fields!(
            to,
            self,
            RangeType,
            NumDescriptors,
            BaseShaderRegister,
            RegisterSpace,
            Flags,
            OffsetInDescriptorsFromTableStart,
        );
    }
}

macro_rules! describe_sampler {
    ($type:ty $(, $flags:ident)?) => {
        impl Describe for $type {
            fn describe(&self, to: &mut dyn Fields) {
                fields!(
                    to,
                    self,
                    Filter,
                    AddressU,
                    AddressV,
                    AddressW,
                    MipLODBias,
                    MaxAnisotropy,
                    ComparisonFunc,
                    BorderColor,
                    MinLOD,
                    MaxLOD,
                    ShaderRegister,
                    RegisterSpace,
                    ShaderVisibility,
                    $($flags,)?
                );
            }
        }
    };
}
describe_sampler!(D3D12DDI_STATIC_SAMPLER);
describe_sampler!(D3D12DDI_STATIC_SAMPLER_0100, Flags);
