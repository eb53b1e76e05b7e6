//! Checks that root signatures define the registers that a function uses. A function has a global and a local root signature;
//! together they must define each of its resources exactly once (Raytracing.md, "D3D12_GLOBAL_ROOT_SIGNATURE").

use dxil::{
    DescriptorRange, DescriptorRangeType, ResourceClass, RootParameterKind, RootSignature,
    RootSignatureFlags, ShaderVisibility,
};

use super::function::Binding;

/// Registers that a root signature defines, and the stages that see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Defined {
    visibility: ShaderVisibility,
    class: ResourceClass,
    space: u32,
    first: u32,
    last: u32,
}

/// The registers that a root signature defines, and its flags.
#[derive(Clone, Debug)]
pub(super) struct Registers(Vec<Defined>, RootSignatureFlags);

/// The registers of a missing root signature.
impl Default for Registers {
    fn default() -> Self {
        Self(Vec::new(), RootSignatureFlags::NONE)
    }
}

impl Registers {
    pub(super) fn of(root_signature: &RootSignature<'_>) -> Self {
        let mut all = Vec::new();
        for parameter in root_signature.parameters() {
            let mut define = |class, space, first, last| {
                all.push(Defined {
                    visibility: parameter.shader_visibility,
                    class,
                    space,
                    first,
                    last,
                });
            };
            match parameter.kind {
                RootParameterKind::DescriptorTable(table) => {
                    for range in table.ranges() {
                        let first = range.base_shader_register;
                        let last = match range.num_descriptors {
                            DescriptorRange::UNBOUNDED => u32::MAX,
                            count => first.saturating_add(count.saturating_sub(1)),
                        };
                        define(class(range.range_type), range.register_space, first, last);
                    }
                }
                RootParameterKind::Constants(c) => {
                    define(
                        ResourceClass::CBV,
                        c.register_space,
                        c.shader_register,
                        c.shader_register,
                    );
                }
                RootParameterKind::Cbv(d) => {
                    define(
                        ResourceClass::CBV,
                        d.register_space,
                        d.shader_register,
                        d.shader_register,
                    );
                }
                RootParameterKind::Srv(d) => {
                    define(
                        ResourceClass::SRV,
                        d.register_space,
                        d.shader_register,
                        d.shader_register,
                    );
                }
                RootParameterKind::Uav(d) => {
                    define(
                        ResourceClass::UAV,
                        d.register_space,
                        d.shader_register,
                        d.shader_register,
                    );
                }
            }
        }
        all.extend(root_signature.static_samplers().map(|sampler| Defined {
            visibility: sampler.shader_visibility,
            class: ResourceClass::SAMPLER,
            space: sampler.register_space,
            first: sampler.shader_register,
            last: sampler.shader_register,
        }));
        Self(all, root_signature.flags())
    }

    pub(super) fn flags(&self) -> RootSignatureFlags {
        self.1
    }

    /// The registers that overlap a binding, as far as the stage sees them.
    fn seen<'a>(
        &'a self,
        binding: &'a Binding,
        stage: ShaderVisibility,
    ) -> impl Iterator<Item = &'a Defined> {
        self.0.iter().filter(move |defined| {
            (defined.visibility == ShaderVisibility::ALL || defined.visibility == stage)
                && (defined.class, defined.space) == (binding.class, binding.space)
                && defined.first <= binding.last
                && binding.first <= defined.last
        })
    }
}

fn class(range: DescriptorRangeType) -> ResourceClass {
    match range {
        DescriptorRangeType::SRV => ResourceClass::SRV,
        DescriptorRangeType::UAV => ResourceClass::UAV,
        DescriptorRangeType::CBV => ResourceClass::CBV,
        DescriptorRangeType::SAMPLER => ResourceClass::SAMPLER,
        // The reader refuses other types.
        other => ResourceClass(other.0),
    }
}

/// The fault of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// No root signature defines this register.
    Missing(u32),
    /// Both root signatures define a register.
    Twice,
}

/// Checks one binding of a shader of a stage.
pub(super) fn check(
    binding: &Binding,
    global: &Registers,
    local: &Registers,
    stage: ShaderVisibility,
) -> Result<(), Fault> {
    for g in global.seen(binding, stage) {
        let overlaps = |l: &Defined| {
            g.first.max(l.first).max(binding.first) <= g.last.min(l.last).min(binding.last)
        };
        if local.seen(binding, stage).any(overlaps) {
            return Err(Fault::Twice);
        }
    }
    let mut next = binding.first;
    loop {
        let mut all = global
            .seen(binding, stage)
            .chain(local.seen(binding, stage));
        let Some(defined) = all.find(|d| d.first <= next && next <= d.last) else {
            return Err(Fault::Missing(next));
        };
        if defined.last >= binding.last {
            return Ok(());
        }
        next = defined.last + 1;
    }
}

/// The register's letter.
pub(super) fn letter(class: ResourceClass) -> char {
    match class {
        ResourceClass::SRV => 't',
        ResourceClass::UAV => 'u',
        ResourceClass::SAMPLER => 's',
        _ => 'b',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined(visibility: ShaderVisibility, first: u32, last: u32) -> Registers {
        Registers(
            vec![Defined {
                visibility,
                class: ResourceClass::SRV,
                space: 1,
                first,
                last,
            }],
            RootSignatureFlags::NONE,
        )
    }

    fn binding(first: u32, last: u32) -> Binding {
        Binding {
            class: ResourceClass::SRV,
            space: 1,
            first,
            last,
        }
    }

    #[test]
    fn global_and_local_together_and_neither_twice() {
        let all = ShaderVisibility::ALL;
        let (none, low, high) = (Registers::default(), defined(all, 0, 3), defined(all, 4, 7));
        let check = |b: &Binding, g, l| check(b, g, l, all);
        assert_eq!(check(&binding(0, 3), &low, &none), Ok(()));
        assert_eq!(check(&binding(0, 3), &none, &low), Ok(()));
        assert_eq!(check(&binding(0, 4), &low, &none), Err(Fault::Missing(4)));
        assert_eq!(check(&binding(2, 2), &none, &none), Err(Fault::Missing(2)));
        assert_eq!(check(&binding(1, 1), &low, &low), Err(Fault::Twice));
        assert_eq!(check(&binding(1, 6), &low, &high), Ok(()));
        assert_eq!(
            check(&binding(5, u32::MAX), &high, &none),
            Err(Fault::Missing(8))
        );
        let endless = defined(all, 5, u32::MAX);
        assert_eq!(check(&binding(5, u32::MAX), &endless, &none), Ok(()));
        let mut both = low.clone();
        both.0.extend(&high.0);
        assert_eq!(check(&binding(1, 6), &both, &none), Ok(()));
    }

    #[test]
    fn a_stage_sees_its_own() {
        let vertex = ShaderVisibility::VERTEX;
        let (own, none) = (defined(vertex, 0, 0), Registers::default());
        assert_eq!(check(&binding(0, 0), &own, &none, vertex), Ok(()));
        let missing = Err(Fault::Missing(0));
        assert_eq!(
            check(&binding(0, 0), &own, &none, ShaderVisibility::ALL),
            missing
        );
        assert_eq!(
            check(&binding(0, 0), &own, &none, ShaderVisibility::PIXEL),
            missing
        );
    }

    #[test]
    fn of_a_serialized_root_signature() {
        let container = include_bytes!("../../../../dxil/corpus/dxil/raw_copy_cs.dxil");
        let container = dxil::Container::parse(container).unwrap();
        let registers = Registers::of(&container.root_signature().unwrap().unwrap());
        let classes: Vec<_> = registers.0.iter().map(|d| letter(d.class)).collect();
        assert_eq!(classes, ['b', 't', 'u']);
    }
}
