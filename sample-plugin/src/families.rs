//! The adapter families of Fabrikam, an invented vendor, and what each ABI version means for the code.

use plugin_sdk::{AdapterFamily, Error, Result, Target, VersionNumber};

/// A generation of GPUs; the columns of the tables of capabilities and formats, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// The newest.
    Aurora,
    /// The one before.
    Borealis,
    /// The oldest that is still sold: no mesh shaders, no raytracing.
    Cirrus,
}

/// An adapter family: the GPUs of one generation.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) generation: Generation,
    /// The instruction set of its object code.
    pub(crate) isa: u32,
    pub(crate) compiler_version: VersionNumber,
    /// Newest first.
    pub(crate) abis: &'static [Abi],
}

/// What drivers and object code agree on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Abi {
    pub(crate) version: u64,
    /// The first register of root arguments; those below are the driver's.
    pub(crate) first_argument_register: u32,
    /// How many 32-bit words of root arguments are in registers; the others are in memory.
    pub(crate) argument_registers: u32,
    /// How instructions are encoded.
    pub(crate) encoding: u32,
}

const fn abi(version: u64, first: u32, registers: u32, encoding: u32) -> Abi {
    Abi {
        version,
        first_argument_register: first,
        argument_registers: registers,
        encoding,
    }
}

/// The families, in the order of their index.
pub(crate) static FAMILIES: [Family; 3] = [
    Family {
        name: "Fabrikam Aurora",
        generation: Generation::Aurora,
        isa: 30,
        compiler_version: VersionNumber::new(4, 2, 118, 0),
        abis: &[abi(3, 4, 32, 3), abi(2, 4, 16, 3), abi(1, 2, 16, 2)],
    },
    // ABI versions 1 and 2 went with the drivers that needed them.
    Family {
        name: "Fabrikam Borealis",
        generation: Generation::Borealis,
        isa: 21,
        compiler_version: VersionNumber::new(9, 7, 2041, 3),
        abis: &[abi(5, 2, 16, 2), abi(4, 2, 12, 2), abi(3, 0, 12, 1)],
    },
    Family {
        name: "Fabrikam Cirrus",
        generation: Generation::Cirrus,
        isa: 14,
        compiler_version: VersionNumber::new(12, 0, 77, 1),
        abis: &[abi(1, 0, 8, 0)],
    },
];

impl Family {
    /// The family of a target, whose index the SDK has checked.
    pub(crate) fn of(target: &Target<'_>) -> &'static Self {
        &FAMILIES[target.family_index]
    }

    /// What the SDK reports of the family.
    pub(crate) fn adapter_family(&self) -> AdapterFamily {
        let abi_versions: Vec<u64> = self.abis.iter().map(|abi| abi.version).collect();
        AdapterFamily::new(self.name, abi_versions, self.compiler_version)
    }
}

/// What code is generated for: an instruction set and an ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub(crate) isa: u32,
    pub(crate) abi: &'static Abi,
}

impl Machine {
    /// The machine of a target.
    ///
    /// # Errors
    ///
    /// E_INVALIDARG for a target of another plugin.
    pub(crate) fn of(target: &Target<'_>) -> Result<Self> {
        let family = Family::of(target);
        let abi = family.abis.iter().find(|a| a.version == target.abi_version);
        Ok(Self {
            isa: family.isa,
            abi: abi.ok_or_else(|| Error::invalid_argument("no ABI version of this family"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_families_can_be_reported() {
        let families: Vec<_> = FAMILIES.iter().map(Family::adapter_family).collect();
        assert_eq!(plugin_sdk::check_families(&families), Ok(()));
    }

    #[test]
    fn generations_are_family_indices() {
        for (index, family) in FAMILIES.iter().enumerate() {
            assert_eq!(family.generation as usize, index);
        }
    }

    #[test]
    fn every_abi_version_changes_something() {
        for family in &FAMILIES {
            for (i, a) in family.abis.iter().enumerate() {
                for b in &family.abis[i + 1..] {
                    let meaning =
                        |a: &Abi| (a.first_argument_register, a.argument_registers, a.encoding);
                    assert_ne!(meaning(a), meaning(b), "{}", family.name);
                }
            }
        }
    }
}
