//! Root signatures to be written: what `D3D12SerializeVersionedRootSignature` does.

#[cfg(test)]
mod tests;
mod validate;

use crate::{
    Container, DescriptorRange, Error, ErrorKind, RootConstants, RootDescriptor, RootParameterKind,
    RootSignature, RootSignatureFlags, ShaderVisibility, StaticSampler, Version,
};

pub use validate::{RootSignatureError, RootSignatureFault, RootSignaturePlace, SamplerValue};

/// A root signature that owns what it consists of (`D3D12_VERSIONED_ROOT_SIGNATURE_DESC`): to be
/// made or changed, checked and written.
///
/// ```
/// use dxil::{
///     RootConstants, RootParameterDesc, RootParameterKindDesc, RootSignature, RootSignatureDesc,
///     RootSignatureFlags, ShaderVisibility, Version,
/// };
///
/// let constants = RootParameterDesc {
///     shader_visibility: ShaderVisibility::ALL,
///     kind: RootParameterKindDesc::Constants(RootConstants {
///         shader_register: 0,
///         register_space: 0,
///         num_32bit_values: 4,
///     }),
/// };
/// let mut desc = RootSignatureDesc {
///     version: Version { major: 1, minor: 1 },
///     parameters: vec![constants.clone()],
///     static_samplers: vec![],
///     flags: RootSignatureFlags::CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED,
/// };
/// let bytes = desc.serialize()?;
/// let read = RootSignature::parse(&bytes).unwrap();
/// assert_eq!(RootSignatureDesc::try_from(&read), Ok(desc.clone()));
///
/// desc.parameters.push(constants);
/// assert_eq!(
///     desc.serialize().unwrap_err().to_string(),
///     "root parameter 1: register b0 in space 0 is already taken by root parameter 0"
/// );
/// # Ok::<(), dxil::RootSignatureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RootSignatureDesc {
    /// 1.0, 1.1 or 1.2.
    pub version: Version,
    /// The parameters; the place is the root parameter index.
    pub parameters: Vec<RootParameterDesc>,
    /// The static samplers.
    pub static_samplers: Vec<StaticSampler>,
    /// `D3D12_ROOT_SIGNATURE_FLAGS`.
    pub flags: RootSignatureFlags,
}

/// A root parameter (`D3D12_ROOT_PARAMETER1`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootParameterDesc {
    /// The shader stages that see the parameter.
    pub shader_visibility: ShaderVisibility,
    /// What the parameter is.
    pub kind: RootParameterKindDesc,
}

/// What a root parameter is. The variants are those of [`RootParameterKind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootParameterKindDesc {
    /// The ranges of a table of descriptors in the heap.
    DescriptorTable(Vec<DescriptorRange>),
    /// Constants in the root arguments themselves.
    Constants(RootConstants),
    /// The address of a constant buffer.
    Cbv(RootDescriptor),
    /// The address of a buffer to read from.
    Srv(RootDescriptor),
    /// The address of a buffer to write to.
    Uav(RootDescriptor),
}

/// Descriptor ranges that are copied from a serialized root signature.
const MAX_RANGES: usize = 1 << 20;

/// Copies the content.
///
/// # Errors
///
/// There are more than 2^20 descriptor ranges, which a short root signature can have: its tables may
/// share them.
impl TryFrom<&RootSignature<'_>> for RootSignatureDesc {
    type Error = Error;

    fn try_from(read: &RootSignature<'_>) -> Result<Self, Error> {
        let ranges = |parameter: &crate::RootParameter<'_>| match parameter.kind {
            RootParameterKind::DescriptorTable(table) => table.ranges().len() as u64,
            _ => 0,
        };
        if read.parameters().iter().map(ranges).sum::<u64>() > MAX_RANGES as u64 {
            return Err(ErrorKind::DescriptorRangesTooMany { limit: MAX_RANGES }.at(0));
        }
        let parameters = read.parameters().iter().map(|parameter| {
            use RootParameterKindDesc as Desc;
            let kind = match parameter.kind {
                RootParameterKind::DescriptorTable(table) => {
                    Desc::DescriptorTable(table.ranges().collect())
                }
                RootParameterKind::Constants(constants) => Desc::Constants(constants),
                RootParameterKind::Cbv(cbv) => Desc::Cbv(cbv),
                RootParameterKind::Srv(srv) => Desc::Srv(srv),
                RootParameterKind::Uav(uav) => Desc::Uav(uav),
            };
            RootParameterDesc {
                shader_visibility: parameter.shader_visibility,
                kind,
            }
        });
        Ok(Self {
            version: read.version(),
            parameters: parameters.collect(),
            static_samplers: read.static_samplers().collect(),
            flags: read.flags(),
        })
    }
}

/// Words of the header, and of a parameter.
const HEADER: usize = 6;
const PARAMETER: usize = 3;

impl RootSignatureDesc {
    /// Writes the payload of an `RTS0` part, laid out as DXC does it: header, parameters, what they
    /// consist of in the same order, static samplers.
    ///
    /// # Errors
    ///
    /// Those of [`validate`](Self::validate), and [`RootSignatureFault::TooLong`].
    pub fn serialize(&self) -> Result<Vec<u8>, RootSignatureError> {
        self.validate()?;
        // What does not fit into 32 bits makes the whole too long, which is found in the end.
        let at = |words: &Vec<u32>| u32::try_from(4 * words.len()).unwrap_or(u32::MAX);
        let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);

        let mut words = vec![0; HEADER + PARAMETER * self.parameters.len()];
        for (index, parameter) in self.parameters.iter().enumerate() {
            let record = [
                parameter.kind.number(),
                parameter.shader_visibility.0,
                at(&words),
            ];
            words[HEADER + PARAMETER * index..][..PARAMETER].copy_from_slice(&record);
            match &parameter.kind {
                RootParameterKindDesc::DescriptorTable(ranges) => {
                    let first = at(&words).saturating_add(8);
                    words.extend([count(ranges.len()), first]);
                    words.extend(ranges.iter().flat_map(|range| {
                        [
                            Some(range.range_type.0),
                            Some(range.num_descriptors),
                            Some(range.base_shader_register),
                            Some(range.register_space),
                            range.flags.map(|flags| flags.0),
                            Some(range.offset_in_descriptors_from_table_start),
                        ]
                        .into_iter()
                        .flatten()
                    }));
                }
                RootParameterKindDesc::Constants(constants) => words.extend([
                    constants.shader_register,
                    constants.register_space,
                    constants.num_32bit_values,
                ]),
                RootParameterKindDesc::Cbv(descriptor)
                | RootParameterKindDesc::Srv(descriptor)
                | RootParameterKindDesc::Uav(descriptor) => {
                    words.extend([descriptor.shader_register, descriptor.register_space]);
                    words.extend(descriptor.flags.map(|flags| flags.0));
                }
            }
        }
        let header = [
            self.version.minor + 1,
            count(self.parameters.len()),
            count(4 * HEADER),
            count(self.static_samplers.len()),
            at(&words),
            self.flags.0,
        ];
        words[..HEADER].copy_from_slice(&header);
        for sampler in &self.static_samplers {
            words.extend([
                sampler.filter,
                sampler.address_u,
                sampler.address_v,
                sampler.address_w,
                sampler.mip_lod_bias.to_bits(),
                sampler.max_anisotropy,
                sampler.comparison_func,
                sampler.border_color,
                sampler.min_lod.to_bits(),
                sampler.max_lod.to_bits(),
                sampler.shader_register,
                sampler.register_space,
                sampler.shader_visibility.0,
            ]);
            words.extend(sampler.flags.map(|flags| flags.0));
        }
        let len = 4 * words.len() as u64;
        if len > Container::MAX_LEN.into() {
            return Err(RootSignatureFault::TooLong { len }.at(RootSignaturePlace::Whole));
        }
        Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }
}

impl RootParameterKindDesc {
    /// `D3D12_ROOT_PARAMETER_TYPE`.
    fn number(&self) -> u32 {
        match self {
            Self::DescriptorTable(_) => 0,
            Self::Constants(_) => 1,
            Self::Cbv(_) => 2,
            Self::Srv(_) => 3,
            Self::Uav(_) => 4,
        }
    }
}
