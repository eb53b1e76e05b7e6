//! The numeric constants of a program: what each is worth, where it stands, and how it is encoded.
//!
//! [`Module::constants`](crate::Module::constants) finds them. LLVM keeps each number once for each
//! function, and those that metadata or initializers use once for the module, so a [`Constant`]
//! stands for every use of its value in its [`Scope`]. Zero has an encoding of its own, without a
//! number in it, and is not listed.
//!
//! ```
//! use dxil::bitstream::Encoding;
//! use dxil::constants::{Scalar, Scope};
//! use dxil::{Container, Module};
//!
//! let shader = include_bytes!("../corpus/dxil/spec_types_cs.dxil");
//! let module = Module::parse(&Container::parse(shader)?.program()?)?;
//! let bits = (-98765.4321_f64).to_bits();
//! let [constant] = module.find(Scalar::Double, bits).collect::<Vec<_>>()[..] else {
//!     panic!("the shader has this number once")
//! };
//! assert_eq!(constant.scope, Scope::Function(0));
//! assert_eq!(module.functions()[0].name, "main");
//! assert_eq!(constant.field.encoding, Encoding::Vbr(6));
//! assert_eq!((constant.field.bit, constant.field.len), (12618, 78));
//! # Ok::<(), dxil::Error>(())
//! ```

use std::fmt;

use crate::bitstream::{Encoding, Operand};

/// The type of a numeric constant. Vectors and arrays are taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// An integer of so many bits, 1 to 64. Its sign is in the instructions that use it.
    Integer(u32),
    /// IEEE 754 binary16.
    Half,
    /// IEEE 754 binary32.
    Float,
    /// IEEE 754 binary64.
    Double,
}

impl Scalar {
    /// How many bits a value has.
    pub fn width(self) -> u32 {
        match self {
            Self::Integer(width) => width,
            Self::Half => 16,
            Self::Float => 32,
            Self::Double => 64,
        }
    }

    /// As many low bits as a value has.
    pub(crate) fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width().clamp(1, 64))
    }

    /// The low bits of `bits` as an integer with a sign.
    #[expect(clippy::cast_possible_wrap, reason = "the sign is in the highest bit")]
    pub(crate) fn sign_extended(self, bits: u64) -> i64 {
        let unused = 64 - self.width().clamp(1, 64);
        (bits << unused) as i64 >> unused
    }
}

/// As LLVM spells it: `i32`, `half`, `float`, `double`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(width) => write!(f, "i{width}"),
            Self::Half => f.pad("half"),
            Self::Float => f.pad("float"),
            Self::Double => f.pad("double"),
        }
    }
}

/// Where a constant is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// In the whole module: used by metadata, by an initializer, or both; functions may use it too.
    Module,
    /// In the function of that place in [`Module::functions`](crate::Module::functions).
    Function(usize),
}

/// A number in the constants of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constant {
    /// The type.
    pub ty: Scalar,
    /// The value: as many low bits as the type has, the others 0.
    pub bits: u64,
    /// Who can use it.
    pub scope: Scope,
    /// Its place, where it is an element of a constant array or vector.
    pub element: Option<u32>,
    /// Whether metadata says the same number, debug information left aside. Who changes it there
    /// changes what the program says of itself, and the container no longer agrees with it.
    pub in_metadata: bool,
    /// Where it stands.
    pub field: Field,
}

/// Where a constant stands in the bitcode, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The first bit, from the start of the bitcode.
    pub bit: u64,
    /// How many bits it takes; none where the encoding is [`Encoding::Literal`].
    pub len: u64,
    /// How the number is encoded.
    pub encoding: Encoding,
    /// Whether the number has its sign in bit 0 and its magnitude above, as LLVM writes integers;
    /// else it is the value itself.
    pub signed: bool,
}

impl Field {
    pub(crate) fn new(operand: &Operand, signed: bool) -> Self {
        Self {
            bit: operand.bit,
            len: operand.len,
            encoding: operand.encoding,
            signed,
        }
    }

    /// The greatest number that the field holds without becoming longer; `None` where it cannot
    /// hold another, because it is part of an abbreviation or stands for a letter.
    pub fn capacity(&self) -> Option<u64> {
        match self.encoding {
            Encoding::Literal(_) | Encoding::Char6 => None,
            Encoding::Fixed(_) => Some(low_bits(self.len)),
            Encoding::Vbr(width) => {
                let chunks = self.len / u64::from(width.max(1));
                Some(low_bits(chunks * u64::from(width.saturating_sub(1))))
            }
        }
    }

    /// What stands in the field for the value `bits` of type `ty`.
    pub(crate) fn encode(&self, ty: Scalar, bits: u64) -> u64 {
        if !self.signed {
            return bits & ty.mask();
        }
        let value = ty.sign_extended(bits);
        // The magnitude of the least value of 64 bits does not fit, and is left out: "minus zero".
        value.unsigned_abs() << 1 | u64::from(value < 0)
    }

    /// The value of type `ty` for which `number` stands in the field.
    pub(crate) fn decode(&self, ty: Scalar, number: u64) -> u64 {
        let value = match (self.signed, number) {
            (false, number) => number,
            (true, 1) => 1 << 63,
            (true, number) if number & 1 == 0 => number >> 1,
            (true, number) => (number >> 1).wrapping_neg(),
        };
        value & ty.mask()
    }
}

/// So many ones, or as many as there is room for.
fn low_bits(count: u64) -> u64 {
    u32::try_from(count)
        .ok()
        .and_then(|count| 1_u64.checked_shl(count))
        .map_or(u64::MAX, |power| power - 1)
}

#[cfg(test)]
mod tests {
    use super::{Field, Scalar};
    use crate::bitstream::Encoding;

    fn field(encoding: Encoding, len: u64, signed: bool) -> Field {
        Field {
            bit: 0,
            len,
            encoding,
            signed,
        }
    }

    #[test]
    fn capacity_is_what_the_chunks_hold() {
        let capacity = |encoding, len| field(encoding, len, false).capacity();
        assert_eq!(capacity(Encoding::Vbr(8), 8), Some(0x7f));
        assert_eq!(capacity(Encoding::Vbr(8), 40), Some((1 << 35) - 1));
        assert_eq!(capacity(Encoding::Vbr(6), 42), Some((1 << 35) - 1));
        assert_eq!(capacity(Encoding::Vbr(6), 13 * 6), Some(u64::MAX));
        assert_eq!(capacity(Encoding::Vbr(1), 1), Some(0));
        assert_eq!(capacity(Encoding::Fixed(3), 3), Some(7));
        assert_eq!(capacity(Encoding::Char6, 6), None);
        assert_eq!(capacity(Encoding::Literal(5), 0), None);
    }

    #[test]
    fn integers_have_their_sign_at_the_bottom() {
        let field = field(Encoding::Vbr(8), 80, true);
        let cases = [
            (32, 0, 0),
            (32, 5, 10),
            (32, 0xffff_ffff, 3),
            (32, 0x7fff_ffff, 0xffff_fffe),
            (32, 0x8000_0000, 0x1_0000_0001),
            (16, 0x8000, 0x1_0001),
            (1, 1, 3),
            (64, 1 << 63, 1),
            (64, u64::MAX, 3),
        ];
        for (width, bits, number) in cases {
            let ty = Scalar::Integer(width);
            assert_eq!(field.encode(ty, bits), number, "i{width} {bits:#x}");
            assert_eq!(field.decode(ty, number), bits, "i{width} {number:#x}");
        }
    }
}
