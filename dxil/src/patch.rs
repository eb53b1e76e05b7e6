//! Specialization constants: numbers of a compiled shader that are given their value later.
//!
//! The author of the shader plants a *sentinel* for each: a number that appears nowhere else, made
//! of a magic and an id. A [`PatchTable`] is made once, by looking for them; from then on
//! [`patch`](PatchTable::patch) writes values into copies of the shader. It overwrites the numbers
//! where they are and moves nothing, so it costs next to nothing; hashing the container anew is all
//! that takes time.
//!
//! How sentinels have to be planted so that the compiler leaves them alone, with examples for every
//! type and stage, is in `docs/specialization-constants.md`. What is checked here: that a value is
//! one of the type, that the number at its place has room for it, and that the number is not one
//! with which the program also says something of itself, such as the size of its thread group.
//!
//! ```
//! use dxil::Container;
//! use dxil::patch::{PatchTable, Pattern, Value};
//!
//! let shader = include_bytes!("../corpus/dxil/spec_stages_ps.dxil");
//! let table = PatchTable::find(shader, |constant| Pattern::id(&Pattern::DEFAULT, constant))?;
//! for constant in table.constants() {
//!     println!("{} {} in {} places", constant.id, constant.ty, constant.sites.len());
//! }
//!
//! let mut variant = shader.to_vec();
//! table.patch(&mut variant, &[(1, Value::Integer(1)), (4, Value::Bits(2.5_f32.to_bits().into()))])?;
//! let hash = dxil::container_hash(&variant[0x14..]);
//! variant[0x04..0x14].copy_from_slice(&hash);
//! assert_eq!(Container::parse(&variant)?.verify(), Ok(()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::bitstream::Encoding;
use crate::constants::{Constant, Field, Scalar, Scope};
use crate::{Container, Error, Form, FourCc, Module, Program, container_hash, hash};

/// What the sentinels of a type look like: the high bits are a magic, the low ones the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// The type.
    pub ty: Scalar,
    /// The magic: a value of the type whose id bits are 0.
    pub magic: u64,
    /// How many bits the id has, at most 32.
    pub id_bits: u32,
}

impl Pattern {
    /// The sentinels of `docs/specialization-constants.md`. Each is encoded with room for every
    /// value of its type.
    pub const DEFAULT: [Self; 6] = [
        Self::new(Scalar::Integer(16), 0xc500, 8),
        Self::new(Scalar::Half, 0xc500, 8),
        Self::new(Scalar::Integer(32), 0x4567_0000, 16),
        Self::new(Scalar::Float, 0x4567_0000, 16),
        Self::new(Scalar::Integer(64), 0x4567_4567_4567_0000, 16),
        Self::new(Scalar::Double, 0x4567_4567_4567_0000, 16),
    ];

    const fn new(ty: Scalar, magic: u64, id_bits: u32) -> Self {
        Self { ty, magic, id_bits }
    }

    /// The id of `constant`, if it is a sentinel by one of `patterns`.
    pub fn id(patterns: &[Self], constant: &Constant) -> Option<u32> {
        patterns.iter().find_map(|pattern| {
            let ids = (1_u64 << pattern.id_bits.min(32)) - 1;
            let id = constant.bits ^ pattern.magic;
            let is_sentinel = constant.ty == pattern.ty && id <= ids;
            is_sentinel.then(|| u32::try_from(id).ok()).flatten()
        })
    }
}

/// Where the specialization constants of a shader are: what is needed to patch it, and any copy of
/// it that is already patched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchTable {
    /// How long the shader is.
    len: usize,
    /// Sorted by id.
    constants: Vec<Patchable>,
}

/// A constant that can be patched. An id that was planted as several types makes several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patchable {
    /// The id.
    pub id: u32,
    /// The type that it has in the program.
    pub ty: Scalar,
    /// The value in the shader that the table was made of: as many low bits as the type has.
    pub bits: u64,
    /// All places of it: one for each function that uses it, and the same again in a copy of the
    /// program with debug information.
    pub sites: Vec<Site>,
}

/// A place at which a constant stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The part, `DXIL` or `ILDB`; `None` in a bare program.
    pub part: Option<FourCc>,
    /// The name of the function; `None` where the whole module uses the constant.
    pub function: Option<Arc<str>>,
    /// Whether metadata uses the same number, so that it must not be patched.
    pub in_metadata: bool,
    /// Where it stands: the bit counts from the start of the shader, container or program.
    pub field: Field,
}

/// A value to patch in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// 0 or 1; for integer types.
    Bool(bool),
    /// For integer types. Signed and unsigned values of the width fit.
    Integer(i128),
    /// For floating-point types; rounded to the nearest value of the type.
    Float(f64),
    /// The bits of a value, for all types: to write a `float` where the program has an `i32` that
    /// it reinterprets.
    Bits(u64),
}

/// Why a value was not patched in. Nothing was changed then.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// There is no such constant.
    #[error("the shader has no constant {id}: it was not planted, or optimized away")]
    UnknownId {
        /// The id.
        id: u32,
    },
    /// The value is of another kind than the constant.
    #[error("constant {id} is of type {ty}: {value} is none, give a value of the type or its bits")]
    Type {
        /// The id.
        id: u32,
        /// The type of the constant.
        ty: Scalar,
        /// The value.
        value: Value,
    },
    /// The type of the constant has no such value.
    #[error("constant {id} is of type {ty}: {value} is out of range, which is {}", range(*ty, value))]
    Range {
        /// The id.
        id: u32,
        /// The type of the constant.
        ty: Scalar,
        /// The value.
        value: Value,
    },
    /// The number that stands in the shader is encoded too short.
    #[error(
        "constant {id} is encoded at bit {bit} with room for numbers up to {capacity:#x}, {value} needs {number:#x}; \
         plant a sentinel of greater magnitude"
    )]
    NoRoom {
        /// The id.
        id: u32,
        /// Where it is encoded.
        bit: u64,
        /// The value.
        value: Value,
        /// The greatest number that there is room for; 0 where the number cannot be changed.
        capacity: u64,
        /// The number that would stand for the value.
        number: u64,
    },
    /// Metadata uses the same number.
    #[error(
        "constant {id}, at bit {bit}, is the same number as one in the metadata, which would change with it; \
         plant a sentinel that is nowhere else"
    )]
    InMetadata {
        /// The id.
        id: u32,
        /// Where it is encoded.
        bit: u64,
    },
    /// The shader is not the one that the table was made of, nor a patched one.
    #[error("this is not the shader that the table was made of: see byte {offset:#x}")]
    OtherShader {
        /// Where it differs; the length, where it is shorter or longer.
        offset: usize,
    },
}

/// Why there is no [`PatchTable`] of constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Programs have no such type.
    #[error("constant {id} is of type {ty}, which programs do not have")]
    Type {
        /// The id.
        id: u32,
        /// The type.
        ty: Scalar,
    },
    /// A number cannot be encoded so, or not in a shader of that length.
    #[error(
        "constant {id}, at bit {bit}: no number of the shader can be encoded there in that way"
    )]
    Place {
        /// The id.
        id: u32,
        /// Where it is encoded.
        bit: u64,
    },
    /// Two numbers share bits.
    #[error("constant {id}, at bit {bit}: another constant is in the same place")]
    Overlap {
        /// The id.
        id: u32,
        /// Where it is encoded.
        bit: u64,
    },
}

impl PatchTable {
    /// The table of a shader of `shader_len` bytes with these constants: one that was found earlier, and
    /// kept. That they are those of a shader, [`template_hash`](Self::template_hash) tells.
    ///
    /// # Errors
    ///
    /// [`TableError`]: no shader of that length has such constants.
    pub fn new(shader_len: usize, mut constants: Vec<Patchable>) -> Result<Self, TableError> {
        constants.sort_by_key(|constant| (constant.id, constant.ty));
        let mut places = Vec::new();
        for &Patchable {
            id, ty, ref sites, ..
        } in &constants
        {
            if !(1..=64).contains(&ty.width()) {
                return Err(TableError::Type { id, ty });
            }
            for Site { field, .. } in sites {
                let bit = field.bit;
                let end = bit.checked_add(field.len);
                let end = end.filter(|end| *end <= 8 * shader_len as u64 && is_number(field));
                places.push((bit, end.ok_or(TableError::Place { id, bit })?, id));
            }
        }
        places.sort_unstable();
        for pair in places.windows(2) {
            let ((_, end, _), (bit, _, id)) = (pair[0], pair[1]);
            if bit < end {
                return Err(TableError::Overlap { id, bit });
            }
        }
        Ok(Self {
            len: shader_len,
            constants,
        })
    }

    /// How many bytes the shader has.
    pub fn shader_len(&self) -> usize {
        self.len
    }

    /// A hash of everything that patching leaves as it is: the same for the shader that the table was made
    /// of and all that were patched out of it, however they are signed, and another for other shaders.
    ///
    /// # Errors
    ///
    /// [`PatchError::OtherShader`]: the shader is shorter, or has other numbers at the places of the
    /// constants.
    pub fn template_hash(&self, shader: &[u8]) -> Result<[u8; 16], PatchError> {
        let mut template = self.shader_in(shader)?.to_vec();
        let sites = self.constants.iter().flat_map(|constant| &constant.sites);
        for Site { field, .. } in sites.filter(|site| !site.in_metadata) {
            if !is_shaped(&template, field) {
                return Err(other_shader(field));
            }
            write(&mut template, field, 0);
        }
        let first = template.first_chunk().copied().unwrap_or_default();
        if Form::sniff(first) == Form::Container
            && let Some(hash) = template.get_mut(hash::HASH..hash::HASHED_FROM)
        {
            hash.fill(0);
        }
        Ok(container_hash(&template))
    }

    /// As much of `shader` as the table's is long.
    fn shader_in<'s>(&self, shader: &'s [u8]) -> Result<&'s [u8], PatchError> {
        let offset = shader.len();
        shader
            .get(..self.len)
            .ok_or(PatchError::OtherShader { offset })
    }

    /// Looks for the sentinels of `shader`, a container or a bare program. `id_of` says which
    /// constants are sentinels, and their ids: by [`Pattern::id`], or by comparing them with values
    /// that are known.
    ///
    /// In a container, `ILDB` is a copy of the program with debug information. What is found in
    /// `DXIL` is looked for there, too, so that both are patched; what is only there was optimized
    /// away.
    ///
    /// # Errors
    ///
    /// Those of [`Container::parse`], [`Container::program`] and [`Module::parse`].
    pub fn find(shader: &[u8], id_of: impl Fn(&Constant) -> Option<u32>) -> Result<Self, Error> {
        let first = shader.first_chunk().copied().unwrap_or_default();
        let mut found = BTreeMap::new();
        let len = match Form::sniff(first) {
            Form::Container => {
                let container = Container::parse(shader)?;
                container.program()?;
                let parts = [FourCc::DXIL, FourCc::ILDB];
                for part in parts.into_iter().filter_map(|part| container.part(part)) {
                    let payload = part.offset() + 8;
                    let located = |error: Error| error.in_part(part.fourcc(), payload);
                    let program = part.program()?;
                    let module = Module::parse(&program).map_err(located)?;
                    let bitcode = payload + program.bitcode_offset();
                    collect(&mut found, &module, bitcode, Some(part.fourcc()), &id_of);
                }
                container.bytes().len()
            }
            Form::Program => {
                let program = Program::parse(shader)?;
                let module = Module::parse(&program)?;
                collect(&mut found, &module, program.bitcode_offset(), None, &id_of);
                program.bytes().len()
            }
        };
        let constants = found.into_values().collect();
        Ok(Self { len, constants })
    }

    /// What was found, sorted by id.
    pub fn constants(&self) -> &[Patchable] {
        &self.constants
    }

    /// Writes values into `shader`: the one that the table was made of, or a copy of it, patched
    /// or not. All places of each id are written to. Where an id is given twice, the later value
    /// counts. That it is the right shader is checked as far as it costs nothing: it is as long, and
    /// has numbers that are as long at the places that are written to.
    ///
    /// The hash of a container is not touched: compute it anew with
    /// [`container_hash`].
    ///
    /// # Errors
    ///
    /// [`PatchError`]; then nothing is written.
    pub fn patch(&self, shader: &mut [u8], values: &[(u32, Value)]) -> Result<(), PatchError> {
        self.shader_in(shader)?;
        for &(id, value) in values {
            for (constant, site) in self.sites(id)? {
                constant.number(site, value)?;
                if !is_shaped(shader, &site.field) {
                    return Err(other_shader(&site.field));
                }
            }
        }
        for &(id, value) in values {
            for (constant, site) in self.sites(id)? {
                write(shader, &site.field, constant.number(site, value)?);
            }
        }
        Ok(())
    }

    /// All places of an id.
    fn sites(&self, id: u32) -> Result<impl Iterator<Item = (&Patchable, &Site)>, PatchError> {
        let start = self.constants.partition_point(|constant| constant.id < id);
        let rest = &self.constants[start..];
        let len = rest.partition_point(|constant| constant.id == id);
        if len == 0 {
            return Err(PatchError::UnknownId { id });
        }
        let constants = rest[..len].iter();
        Ok(constants.flat_map(|constant| constant.sites.iter().map(move |site| (constant, site))))
    }
}

impl Patchable {
    /// The number that stands for `value` at `site`.
    fn number(&self, site: &Site, value: Value) -> Result<u64, PatchError> {
        let Self { id, ty, .. } = *self;
        let Field { bit, .. } = site.field;
        let bits = value.bits(id, ty)?;
        if site.in_metadata {
            return Err(PatchError::InMetadata { id, bit });
        }
        let number = site.field.encode(ty, bits);
        match site.field.capacity() {
            Some(capacity) if number <= capacity => Ok(number),
            capacity => Err(PatchError::NoRoom {
                id,
                bit,
                value,
                capacity: capacity.unwrap_or(0),
                number,
            }),
        }
    }
}

impl Value {
    /// The value that `bits` are one of type `ty`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the bits of a type fit into it"
    )]
    pub fn of(ty: Scalar, bits: u64) -> Self {
        match ty {
            Scalar::Integer(_) => Self::Integer(ty.sign_extended(bits).into()),
            Scalar::Half => Self::Float(half_to_f64(bits as u16)),
            Scalar::Float => Self::Float(f32::from_bits(bits as u32).into()),
            Scalar::Double => Self::Float(f64::from_bits(bits)),
        }
    }

    /// The bits of the value as one of type `ty`, for constant `id`.
    ///
    /// ```
    /// use dxil::constants::Scalar;
    /// use dxil::patch::Value;
    ///
    /// // What to patch into an `i32` of the shader that goes through `asfloat`.
    /// let bits = Value::Float(0.5).bits(4, Scalar::Float)?;
    /// assert_eq!(Value::Bits(bits), Value::Bits(0x3f00_0000));
    /// # Ok::<(), dxil::patch::PatchError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PatchError::Type`] and [`PatchError::Range`].
    pub fn bits(self, id: u32, ty: Scalar) -> Result<u64, PatchError> {
        let value = self;
        let range = PatchError::Range { id, ty, value };
        match (self, ty) {
            (Self::Bool(value), Scalar::Integer(_)) => Ok(u64::from(value)),
            (Self::Integer(integer), Scalar::Integer(_)) => {
                let values = i128::from(ty.mask()) + 1;
                if !(-values / 2..values).contains(&integer) {
                    return Err(range);
                }
                u64::try_from(integer.rem_euclid(values)).map_err(|_| range)
            }
            (Self::Float(float), Scalar::Half | Scalar::Float | Scalar::Double) => {
                #[expect(clippy::cast_possible_truncation, reason = "rounding is wanted")]
                let single = float as f32;
                let (bits, is_infinite) = match ty {
                    Scalar::Half => {
                        let half = f64_to_half(float);
                        (half.into(), half & 0x7fff == 0x7c00)
                    }
                    Scalar::Float => (single.to_bits().into(), single.is_infinite()),
                    _ => (float.to_bits(), float.is_infinite()),
                };
                if is_infinite && float.is_finite() {
                    return Err(range);
                }
                Ok(bits)
            }
            (Self::Bits(bits), _) if bits <= ty.mask() => Ok(bits),
            (Self::Bits(_), _) => Err(range),
            (Self::Bool(_) | Self::Integer(_) | Self::Float(_), _) => {
                Err(PatchError::Type { id, ty, value })
            }
        }
    }
}

/// The range of `ty` in the words of `value`, for [`PatchError::Range`].
fn range(ty: Scalar, value: &Value) -> String {
    let (least, greatest) = match (ty, value) {
        (_, Value::Bits(_)) => (Value::Bits(0), Value::Bits(ty.mask())),
        (Scalar::Integer(_), _) => {
            let mask = i128::from(ty.mask());
            (Value::Integer(-(mask / 2) - 1), Value::Integer(mask))
        }
        (Scalar::Half, _) => (Value::Float(-65504.0), Value::Float(65504.0)),
        // Its shortest decimal, which as a double is a long one.
        (Scalar::Float, _) => return format!("{:?} to {:?}", f32::MIN, f32::MAX),
        (Scalar::Double, _) => (Value::Float(f64::MIN), Value::Float(f64::MAX)),
    };
    format!("{least} to {greatest}")
}

/// As a number; bits in hexadecimal.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => fmt::Debug::fmt(value, f),
            Self::Bits(bits) => write!(f, "{bits:#x}"),
        }
    }
}

/// Adds the sentinels of a module whose bitcode starts at byte `bitcode` of the shader.
fn collect(
    found: &mut BTreeMap<(u32, Scalar), Patchable>,
    module: &Module,
    bitcode: usize,
    part: Option<FourCc>,
    id_of: impl Fn(&Constant) -> Option<u32>,
) {
    // Constants have the order of the functions, and the sites of one share its name.
    let mut last: Option<(usize, Arc<str>)> = None;
    for constant in module.constants() {
        let Some(id) = id_of(constant) else {
            continue;
        };
        let key = (id, constant.ty);
        if part == Some(FourCc::ILDB) && !found.contains_key(&key) {
            continue;
        }
        let function = match constant.scope {
            Scope::Module => None,
            Scope::Function(function) => {
                if last.as_ref().is_none_or(|(of, _)| *of != function) {
                    let name = module.functions()[function].name.as_str();
                    last = Some((function, name.into()));
                }
                last.as_ref().map(|(_, name)| Arc::clone(name))
            }
        };
        let field = Field {
            bit: 8 * bitcode as u64 + constant.field.bit,
            ..constant.field
        };
        let patchable = found.entry(key).or_insert_with(|| Patchable {
            id,
            ty: constant.ty,
            bits: constant.bits,
            sites: Vec::new(),
        });
        patchable.sites.push(Site {
            part,
            function,
            in_metadata: constant.in_metadata,
            field,
        });
    }
}

/// A piece of a number: where it starts, how many bits of it there are, the first of which is bit
/// `shift` of the number, and, in VBR, whether another piece follows.
struct Chunk {
    bit: u64,
    digits: u32,
    shift: u64,
    follows: Option<bool>,
}

fn chunks(field: &Field) -> impl Iterator<Item = Chunk> {
    let (width, digits, is_vbr) = match field.encoding {
        Encoding::Vbr(width) => (width, width.saturating_sub(1), true),
        Encoding::Fixed(width) => (width, width, false),
        Encoding::Literal(_) | Encoding::Char6 => (0, 0, false),
    };
    let count = field.len.checked_div(width.into()).unwrap_or(0);
    let start = field.bit;
    (0..count).map(move |k| Chunk {
        bit: start + k * u64::from(width),
        digits,
        shift: k * u64::from(digits),
        follows: is_vbr.then_some(k + 1 < count),
    })
}

/// The error for a shader that has no such number there.
fn other_shader(field: &Field) -> PatchError {
    let offset = usize::try_from(field.bit / 8).unwrap_or(usize::MAX);
    PatchError::OtherShader { offset }
}

/// Whether LLVM writes numbers so: no more than 64 bits, in chunks of up to 32.
fn is_number(field: &Field) -> bool {
    match field.encoding {
        // Chunks without digits.
        Encoding::Vbr(1) => field.len > 0,
        Encoding::Vbr(width @ 2..=32) => {
            let chunks = 1..=u64::from(64_u32.div_ceil(width - 1));
            field.len.is_multiple_of(width.into())
                && chunks.contains(&(field.len / u64::from(width)))
        }
        Encoding::Fixed(width @ 1..=32) => field.len == u64::from(width),
        Encoding::Vbr(_) | Encoding::Fixed(_) => false,
        Encoding::Literal(_) => field.len == 0,
        Encoding::Char6 => field.len == 6,
    }
}

/// Whether a number as long as `field` is there.
fn is_shaped(shader: &[u8], field: &Field) -> bool {
    chunks(field).all(|chunk| {
        let last = chunk.bit + u64::from(chunk.digits);
        let byte = usize::try_from(last / 8).ok().and_then(|at| shader.get(at));
        let is_set = byte.map(|byte| byte >> (last % 8) & 1 == 1);
        chunk.follows.is_none() || chunk.follows == is_set
    })
}

/// Puts a number in place of another; the bits that say where it ends stay as they are.
fn write(shader: &mut [u8], field: &Field, number: u64) {
    for chunk in chunks(field) {
        let shift = u32::try_from(chunk.shift).unwrap_or(u32::MAX);
        let digits = number.checked_shr(shift).unwrap_or(0);
        // At most 32 bits from within a byte on, so they fit.
        let mask = ((1_u64 << chunk.digits) - 1) << (chunk.bit % 8);
        let digits = digits << (chunk.bit % 8) & mask;
        let start = usize::try_from(chunk.bit / 8).unwrap_or(usize::MAX);
        let bytes = shader.get_mut(start..).unwrap_or_default();
        for (byte, (mask, digits)) in bytes
            .iter_mut()
            .zip(mask.to_le_bytes().into_iter().zip(digits.to_le_bytes()))
            .take(5)
        {
            *byte = *byte & !mask | digits;
        }
    }
}

/// The nearest binary16, ties to even.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the significand is a whole number from 0 to 2048"
)]
fn f64_to_half(value: f64) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let magnitude = value.abs();
    if value.is_nan() {
        return sign | 0x7e00;
    }
    // The power of two of the number, of those that a half can have.
    let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
    let exponent = exponent.clamp(-14, 16);
    let significand = (magnitude * 2_f64.powi(10 - exponent)).round_ties_even();
    if exponent == 16 || significand * 2_f64.powi(exponent - 10) >= 65536.0 {
        return sign | 0x7c00;
    }
    // The implicit bit of the significand adds one to the exponent.
    sign | ((((exponent + 14) as u16) << 10) + significand as u16)
}

fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match i32::from(bits >> 10 & 0x1f) {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::{PatchError, Pattern, Value, chunks, f64_to_half, half_to_f64, is_shaped, write};
    use crate::bitstream::Encoding;
    use crate::constants::{Constant, Field, Scalar, Scope};

    fn field(bit: u64, len: u64, encoding: Encoding) -> Field {
        Field {
            bit,
            len,
            encoding,
            signed: false,
        }
    }

    /// Every half, and the numbers half-way to the next, which go to the even one.
    #[test]
    fn halves_are_rounded_to_the_nearest() {
        for bits in 0..0x7c00_u16 {
            let value = half_to_f64(bits);
            for (sign, value) in [(0, value), (0x8000, -value)] {
                assert_eq!(f64_to_half(value), sign | bits, "{bits:#06x}");
            }
            let next = if bits == 0x7bff {
                65536.0
            } else {
                half_to_f64(bits + 1)
            };
            let middle = f64::midpoint(value, next);
            assert_eq!(f64_to_half(middle), bits + (bits & 1), "{bits:#06x}");
            assert_eq!(f64_to_half(middle.next_up()), bits + 1, "{bits:#06x}");
            assert_eq!(f64_to_half(middle.next_down()), bits, "{bits:#06x}");
        }
        for (value, bits) in [
            (f64::INFINITY, 0x7c00),
            (f64::NEG_INFINITY, 0xfc00),
            (f64::MAX, 0x7c00),
            (f64::MIN_POSITIVE / 2.0, 0),
            (-f64::MIN_POSITIVE, 0x8000),
        ] {
            assert_eq!(f64_to_half(value), bits, "{value:?}");
        }
        assert!(half_to_f64(f64_to_half(f64::NAN)).is_nan());
        assert_eq!(half_to_f64(0xfc00).to_bits(), f64::NEG_INFINITY.to_bits());
    }

    #[test]
    fn values_have_bits_if_the_type_has_them() {
        use Scalar::{Double, Float, Half, Integer};
        let bits = |value: Value, ty| value.bits(0, ty).ok();
        assert_eq!(bits(Value::Bool(true), Integer(1)), Some(1));
        assert_eq!(bits(Value::Integer(-1), Integer(1)), Some(1));
        assert_eq!(bits(Value::Integer(2), Integer(1)), None);
        assert_eq!(bits(Value::Integer(-2), Integer(1)), None);
        assert_eq!(bits(Value::Integer(-32768), Integer(16)), Some(0x8000));
        assert_eq!(bits(Value::Integer(65535), Integer(16)), Some(0xffff));
        assert_eq!(bits(Value::Integer(65536), Integer(16)), None);
        assert_eq!(
            bits(Value::Integer(u64::MAX.into()), Integer(64)),
            Some(u64::MAX)
        );
        assert_eq!(
            bits(Value::Integer(i64::MIN.into()), Integer(64)),
            Some(1 << 63)
        );
        assert_eq!(bits(Value::Integer(1 << 64), Integer(64)), None);
        // There are none so wide, but anyone can ask.
        assert_eq!(bits(Value::Integer(1 << 64), Integer(200)), None);
        assert_eq!(
            bits(Value::Float(0.1), Float),
            Some(0.1_f32.to_bits().into())
        );
        assert_eq!(bits(Value::Float(0.1), Double), Some(0.1_f64.to_bits()));
        assert_eq!(bits(Value::Float(65519.0), Half), Some(0x7bff));
        assert_eq!(bits(Value::Float(65520.0), Half), None);
        assert_eq!(bits(Value::Float(1e39), Float), None);
        for ty in [Half, Float, Double] {
            let infinity = bits(Value::Float(f64::INFINITY), ty).unwrap();
            assert_eq!(Value::of(ty, infinity), Value::Float(f64::INFINITY));
        }
        assert_eq!(bits(Value::Bits(0xffff), Half), Some(0xffff));
        assert_eq!(bits(Value::Bits(0x1_0000), Half), None);
        let (id, ty, value) = (7, Integer(32), Value::Float(1.0));
        assert_eq!(value.bits(id, ty), Err(PatchError::Type { id, ty, value }));
    }

    #[test]
    fn patterns_are_a_magic_and_an_id() {
        let constant = |ty, bits| Constant {
            ty,
            bits,
            scope: Scope::Module,
            element: None,
            in_metadata: false,
            field: field(0, 40, Encoding::Vbr(8)),
        };
        let id = |ty, bits| Pattern::id(&Pattern::DEFAULT, &constant(ty, bits));
        assert_eq!(id(Scalar::Integer(32), 0x4567_0000), Some(0));
        assert_eq!(id(Scalar::Integer(32), 0x4567_ffff), Some(0xffff));
        assert_eq!(id(Scalar::Integer(32), 0x4568_0000), None);
        assert_eq!(id(Scalar::Integer(32), 0x4566_ffff), None);
        assert_eq!(id(Scalar::Float, 0x4567_0102), Some(0x102));
        assert_eq!(id(Scalar::Half, 0xc5ff), Some(0xff));
        assert_eq!(id(Scalar::Half, 0xc600), None);
        assert_eq!(id(Scalar::Integer(64), 0x4567_0000), None);
        assert_eq!(id(Scalar::Double, 0x4567_4567_4567_0003), Some(3));
        // Any width, though ids have 32 bits.
        let all = Pattern {
            ty: Scalar::Integer(64),
            magic: 0,
            id_bits: 64,
        };
        let bits = u64::from(u32::MAX);
        assert_eq!(Pattern::id(&[all], &constant(all.ty, bits)), Some(u32::MAX));
        assert_eq!(Pattern::id(&[all], &constant(all.ty, bits + 1)), None);
    }

    #[test]
    fn numbers_are_written_between_what_says_where_they_end() {
        // Two chunks of 3 bits at bit 5: .1dd_0dd.
        let vbr = field(5, 6, Encoding::Vbr(3));
        let mut bytes = [0b1000_0000, 0b1111_1011];
        assert!(is_shaped(&bytes, &vbr));
        write(&mut bytes, &vbr, 0b1101);
        assert_eq!(bytes, [0b1010_0000, 0b1111_1011]);
        write(&mut bytes, &vbr, 0b0010);
        assert_eq!(bytes, [0b1100_0000, 0b1111_1000]);
        assert!(!is_shaped(&[0, 0b1111_1011], &vbr));
        assert!(!is_shaped(&[0b1000_0000, 0b1111_1111], &vbr));
        assert!(!is_shaped(&bytes[..1], &vbr));

        let fixed = field(4, 8, Encoding::Fixed(8));
        let mut bytes = [0xff; 2];
        write(&mut bytes, &fixed, 0x81);
        assert_eq!(bytes, [0x1f, 0xf8]);
        for encoding in [Encoding::Literal(1), Encoding::Char6, Encoding::Vbr(0)] {
            assert_eq!(chunks(&field(0, 6, encoding)).count(), 0);
        }
    }
}
