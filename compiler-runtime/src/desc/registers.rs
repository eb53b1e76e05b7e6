//! Checks that root signatures define the registers that a shader uses.
//!
//! A shader of a state object has a global and a local root signature, which together define each of its resources exactly once
//! (Raytracing.md, "D3D12_GLOBAL_ROOT_SIGNATURE"). All other shaders have one root signature.

use std::fmt;

use dxil::psv0::ResourceType;
use dxil::rdat::ResourceFlags;
use dxil::{
    Container, DescriptorRange, DescriptorRangeType, Module, ResourceClass, ResourceKind,
    RootParameterKind, RootSignature, RootSignatureFlags, ShaderVisibility, psv0, rdat,
};

use super::known::CheckedBytes;

/// How a root signature defines registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Definition {
    /// A range of a descriptor table.
    Range,
    RootDescriptor,
    RootConstants,
    StaticSampler,
}

/// Registers that a root signature defines, and the stages that see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Defined {
    by: Definition,
    visibility: ShaderVisibility,
    class: ResourceClass,
    space: u32,
    first: u32,
    last: u32,
}

/// The registers that a root signature defines, and its flags.
#[derive(Clone, Debug)]
pub(crate) struct Registers(Vec<Defined>, RootSignatureFlags);

/// The registers of a missing root signature.
impl Default for Registers {
    fn default() -> Self {
        Self(Vec::new(), RootSignatureFlags::NONE)
    }
}

impl Registers {
    pub(crate) fn of(root_signature: &RootSignature<'_>) -> Self {
        let mut all = Vec::new();
        for parameter in root_signature.parameters() {
            let mut define = |by, class, space, first, last| {
                all.push(Defined {
                    by,
                    visibility: parameter.shader_visibility,
                    class,
                    space,
                    first,
                    last,
                });
            };
            let (by, class, space, register) = match parameter.kind {
                RootParameterKind::DescriptorTable(table) => {
                    for range in table.ranges() {
                        let first = range.base_shader_register;
                        let last = match range.num_descriptors {
                            DescriptorRange::UNBOUNDED => u32::MAX,
                            count => first.saturating_add(count.saturating_sub(1)),
                        };
                        let class = class_of(range.range_type);
                        define(Definition::Range, class, range.register_space, first, last);
                    }
                    continue;
                }
                RootParameterKind::Constants(c) => (
                    Definition::RootConstants,
                    ResourceClass::CBV,
                    c.register_space,
                    c.shader_register,
                ),
                RootParameterKind::Cbv(d) => (
                    Definition::RootDescriptor,
                    ResourceClass::CBV,
                    d.register_space,
                    d.shader_register,
                ),
                RootParameterKind::Srv(d) => (
                    Definition::RootDescriptor,
                    ResourceClass::SRV,
                    d.register_space,
                    d.shader_register,
                ),
                RootParameterKind::Uav(d) => (
                    Definition::RootDescriptor,
                    ResourceClass::UAV,
                    d.register_space,
                    d.shader_register,
                ),
            };
            define(by, class, space, register, register);
        }
        all.extend(root_signature.static_samplers().map(|sampler| Defined {
            by: Definition::StaticSampler,
            visibility: sampler.shader_visibility,
            class: ResourceClass::SAMPLER,
            space: sampler.register_space,
            first: sampler.shader_register,
            last: sampler.shader_register,
        }));
        Self(all, root_signature.flags())
    }

    pub(crate) fn flags(&self) -> RootSignatureFlags {
        self.1
    }

    pub(crate) fn have_root_constants(&self) -> bool {
        let mut all = self.0.iter();
        all.any(|defined| defined.by == Definition::RootConstants)
    }

    /// The definitions that overlap a binding, as far as the stage sees them.
    fn seen(&self, binding: &Binding, stage: ShaderVisibility) -> impl Iterator<Item = &Defined> {
        let (class, space) = (binding.class, binding.space);
        let (first, last) = binding.needed();
        self.0.iter().filter(move |defined| {
            (defined.visibility == ShaderVisibility::ALL || defined.visibility == stage)
                && (defined.class, defined.space) == (class, space)
                && defined.first <= last
                && first <= defined.last
        })
    }
}

fn class_of(range: DescriptorRangeType) -> ResourceClass {
    match range {
        DescriptorRangeType::SRV => ResourceClass::SRV,
        DescriptorRangeType::UAV => ResourceClass::UAV,
        DescriptorRangeType::CBV => ResourceClass::CBV,
        DescriptorRangeType::SAMPLER => ResourceClass::SAMPLER,
        // The reader refuses other types.
        other => ResourceClass(other.0),
    }
}

/// A resource that a shader uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    /// Empty where the container does not name it.
    pub(crate) name: String,
    pub(crate) class: ResourceClass,
    pub(crate) space: u32,
    pub(crate) first: u32,
    /// The last register of the range, not the one after it; `u32::MAX` for an unbounded array.
    pub(crate) last: u32,
    /// Whether an address is all that the resource needs: it is a constant buffer, a raw buffer, a structured buffer without a
    /// counter or an acceleration structure.
    pub(crate) is_addressable: bool,
    /// Whether it is a constant buffer that contains an array.
    pub(crate) has_array: bool,
}

/// The space and the first register of a constant buffer.
pub(crate) type ConstantBuffer = (u32, u32);

impl Binding {
    /// `None` for a type that this crate does not know.
    pub(crate) fn of_shader(
        resource: &psv0::Resource,
        with_arrays: &[ConstantBuffer],
    ) -> Option<Self> {
        let (class, is_addressable) = match resource.resource_type {
            ResourceType::SAMPLER => (ResourceClass::SAMPLER, false),
            ResourceType::CBV => (ResourceClass::CBV, true),
            ResourceType::SRV_TYPED => (ResourceClass::SRV, false),
            ResourceType::SRV_RAW | ResourceType::SRV_STRUCTURED => (ResourceClass::SRV, true),
            ResourceType::UAV_TYPED | ResourceType::UAV_STRUCTURED_WITH_COUNTER => {
                (ResourceClass::UAV, false)
            }
            ResourceType::UAV_RAW | ResourceType::UAV_STRUCTURED => (ResourceClass::UAV, true),
            _ => return None,
        };
        Some(Self {
            name: String::new(),
            class,
            space: resource.space,
            first: resource.lower_bound,
            last: resource.upper_bound,
            is_addressable: is_addressable
                || resource.kind == Some(ResourceKind::ACCELERATION_STRUCTURE),
            has_array: class == ResourceClass::CBV
                && with_arrays.contains(&(resource.space, resource.lower_bound)),
        })
    }

    pub(crate) fn of_library(
        resource: &rdat::Resource<'_>,
        with_arrays: &[ConstantBuffer],
    ) -> Self {
        Self {
            name: resource.name.to_owned(),
            class: resource.class,
            space: resource.space,
            first: resource.lower_bound,
            last: resource.upper_bound,
            is_addressable: matches!(
                resource.kind,
                ResourceKind::CONSTANT_BUFFER
                    | ResourceKind::RAW_BUFFER
                    | ResourceKind::STRUCTURED_BUFFER
                    | ResourceKind::ACCELERATION_STRUCTURE
            ) && !resource.flags.contains(ResourceFlags::UAV_COUNTER),
            has_array: resource.class == ResourceClass::CBV
                && with_arrays.contains(&(resource.space, resource.lower_bound)),
        }
    }

    /// The registers that a root signature has to define: of an unbounded array the first, since the array ends where its range
    /// ends.
    fn needed(&self) -> (u32, u32) {
        match self.last {
            u32::MAX => (self.first, self.first),
            last => (self.first, last),
        }
    }

    fn is_unassigned(&self) -> bool {
        self.first == u32::MAX
    }
}

/// The name and the registers, as HLSL writes them.
impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letter, first, last, space) = (letter(self.class), self.first, self.last, self.space);
        if self.is_unassigned() {
            let name = if self.name.is_empty() {
                "a resource"
            } else {
                &self.name
            };
            return f.write_str(name);
        }
        if !self.name.is_empty() {
            write!(f, "{} at ", self.name)?;
        }
        match last {
            _ if first == last => write!(f, "{letter}{first}")?,
            u32::MAX => write!(f, "{letter}{first} and up")?,
            _ => write!(f, "{letter}{first} to {letter}{last}")?,
        }
        write!(f, " in space {space}")
    }
}

/// The register's letter.
fn letter(class: ResourceClass) -> char {
    match class {
        ResourceClass::SRV => 't',
        ResourceClass::UAV => 'u',
        ResourceClass::SAMPLER => 's',
        _ => 'b',
    }
}

/// The fault of a binding, which a relative clause describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The compiler was not told its registers.
    #[error(
        "which has no register: the author of the library has to give it one, by register() in HLSL or by the option \
         -auto-binding-space of DXC"
    )]
    Unassigned,
    /// No range, root descriptor, root constants or static sampler has all of its registers.
    #[error("which no root signature of the shader defines")]
    Missing,
    /// Both root signatures define a register.
    #[error("which both its global and its local root signature define")]
    Twice,
    /// It is in a root descriptor, but needs a descriptor table.
    #[error(
        "which is in a root descriptor: those take constant buffers, raw buffers, structured buffers without a counter and \
         acceleration structures"
    )]
    NotAddressable,
    /// It contains an array, but is in root constants.
    #[error(
        "which contains an array and is in root constants, where nothing can be indexed: use a root CBV or a descriptor table, \
         or members without arrays"
    )]
    ArrayInRootConstants,
}

/// Checks one binding of a shader of a stage.
pub(crate) fn check(
    binding: &Binding,
    global: &Registers,
    local: &Registers,
    stage: ShaderVisibility,
) -> Result<(), Fault> {
    if binding.is_unassigned() {
        return Err(Fault::Unassigned);
    }
    let (first, last) = binding.needed();
    for g in global.seen(binding, stage) {
        let overlaps =
            |l: &Defined| g.first.max(l.first).max(first) <= g.last.min(l.last).min(last);
        if local.seen(binding, stage).any(overlaps) {
            return Err(Fault::Twice);
        }
    }
    let mut all = global
        .seen(binding, stage)
        .chain(local.seen(binding, stage));
    let defined = all.find(|defined| defined.first <= first && last <= defined.last);
    match defined.ok_or(Fault::Missing)?.by {
        Definition::RootDescriptor if !binding.is_addressable => Err(Fault::NotAddressable),
        Definition::RootConstants if binding.has_array => Err(Fault::ArrayInRootConstants),
        _ => Ok(()),
    }
}

/// The constant buffers of a program that contain an array. None where the bitcode is damaged,
/// which the plugin finds.
pub(crate) fn constant_buffers_with_arrays(container: &Container<'_>) -> Vec<ConstantBuffer> {
    let mut found = Vec::new();
    // The error is that there are some.
    let _ = WITHOUT_ARRAYS.check(container.bytes(), || {
        let module = container
            .program()
            .and_then(|program| Module::parse(&program));
        let resources = module.iter().flat_map(Module::resources);
        let with_arrays = resources.filter(|resource| resource.has_array);
        found.extend(with_arrays.map(|resource| (resource.space, resource.lower_bound)));
        if found.is_empty() { Ok(()) } else { Err(()) }
    });
    found
}

/// Containers whose constant buffers contain no arrays.
pub(super) static WITHOUT_ARRAYS: CheckedBytes = CheckedBytes::new();

#[cfg(test)]
mod tests {
    use super::*;

    const SRV: ResourceClass = ResourceClass::SRV;

    fn defined(by: Definition, visibility: ShaderVisibility, first: u32, last: u32) -> Registers {
        Registers(
            vec![Defined {
                by,
                visibility,
                class: SRV,
                space: 1,
                first,
                last,
            }],
            RootSignatureFlags::NONE,
        )
    }

    fn binding(first: u32, last: u32) -> Binding {
        Binding {
            name: String::new(),
            class: SRV,
            space: 1,
            first,
            last,
            is_addressable: false,
            has_array: false,
        }
    }

    #[test]
    fn one_definition_of_the_global_or_the_local_root_signature() {
        let range = |first, last| defined(Definition::Range, ShaderVisibility::ALL, first, last);
        let (none, low, high) = (Registers::default(), range(0, 3), range(4, 7));
        let mut both = low.clone();
        both.0.extend(&high.0);
        let endless = range(5, u32::MAX);
        for (first, last, global, local, expected) in [
            (0, 3, &low, &none, Ok(())),
            (0, 3, &none, &low, Ok(())),
            (1, 2, &both, &none, Ok(())),
            (0, 4, &low, &none, Err(Fault::Missing)),
            (2, 2, &none, &none, Err(Fault::Missing)),
            // An array does not reach from one definition into the next.
            (1, 6, &both, &none, Err(Fault::Missing)),
            (1, 6, &low, &high, Err(Fault::Missing)),
            (1, 1, &low, &low, Err(Fault::Twice)),
            // An unbounded array is as long as its range, which must have its first register.
            (5, u32::MAX, &high, &none, Ok(())),
            (7, u32::MAX, &none, &high, Ok(())),
            (5, u32::MAX, &endless, &none, Ok(())),
            (8, u32::MAX, &high, &none, Err(Fault::Missing)),
            (3, u32::MAX, &high, &none, Err(Fault::Missing)),
            (5, u32::MAX, &endless, &high, Err(Fault::Twice)),
            (3, u32::MAX, &low, &high, Ok(())),
            (u32::MAX, u32::MAX, &endless, &none, Err(Fault::Unassigned)),
        ] {
            let found = check(&binding(first, last), global, local, ShaderVisibility::ALL);
            assert_eq!(found, expected, "{first} to {last}");
        }
    }

    #[test]
    fn a_root_descriptor_defines_one_buffer() {
        let root = defined(Definition::RootDescriptor, ShaderVisibility::ALL, 5, 5);
        let none = Registers::default();
        let buffer = |last| Binding {
            is_addressable: true,
            ..binding(5, last)
        };
        let check = |binding: &Binding| check(binding, &root, &none, ShaderVisibility::ALL);
        assert_eq!(check(&buffer(5)), Ok(()));
        assert_eq!(check(&buffer(u32::MAX)), Ok(()));
        assert_eq!(check(&buffer(6)), Err(Fault::Missing));
        assert_eq!(check(&binding(5, 5)), Err(Fault::NotAddressable));
        assert_eq!(check(&binding(5, u32::MAX)), Err(Fault::NotAddressable));
    }

    #[test]
    fn root_constants_have_no_arrays() {
        let constants = defined(Definition::RootConstants, ShaderVisibility::ALL, 5, 5);
        let range = defined(Definition::Range, ShaderVisibility::ALL, 5, 5);
        let none = Registers::default();
        let array = Binding {
            has_array: true,
            ..binding(5, 5)
        };
        let check = |binding: &Binding, by| check(binding, by, &none, ShaderVisibility::ALL);
        assert_eq!(check(&array, &range), Ok(()));
        assert_eq!(check(&binding(5, 5), &constants), Ok(()));
        assert_eq!(check(&array, &constants), Err(Fault::ArrayInRootConstants));
    }

    #[test]
    fn a_stage_sees_its_own() {
        let vertex = ShaderVisibility::VERTEX;
        let own = defined(Definition::Range, vertex, 0, 0);
        let none = Registers::default();
        let check = |stage| check(&binding(0, 0), &own, &none, stage);
        assert_eq!(check(vertex), Ok(()));
        assert_eq!(check(ShaderVisibility::ALL), Err(Fault::Missing));
        assert_eq!(check(ShaderVisibility::PIXEL), Err(Fault::Missing));
    }

    #[test]
    fn of_a_serialized_root_signature() {
        let container = include_bytes!("../../../dxil/corpus/dxil/raw_copy_cs.dxil");
        let container = Container::parse(container).unwrap();
        let registers = Registers::of(&container.root_signature().unwrap().unwrap());
        let classes: Vec<_> = registers.0.iter().map(|d| letter(d.class)).collect();
        assert_eq!(classes, ['b', 't', 'u']);
    }
}
