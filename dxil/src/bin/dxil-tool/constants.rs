//! `constants` and `patch`: specialization constants.

use crate::failure::{Failure, exit_code};
use crate::text::{BOLD, printable, write_table};
use crate::{Format, file};
use dxil::bitstream::Encoding;
use dxil::constants::Scalar;
use dxil::patch::{PatchTable, Patchable, Pattern, Site, Value};
use dxil::{Container, Form};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::str::FromStr;

pub const SET: &str = "\
The value of a constant; can be given again. ID is the id, decimal or 0x and hexadecimal. VALUE is \
`true` or `false`, an integer (`-4`, `0xff`), or a number (`0.5`, `1e-3`, `inf`, `nan`) for a constant \
of floating-point type. `half:0.5`, `float:0.5`, `double:0.5` and `bits:0x3f000000` give the bits of \
a value, for integers that the shader reinterprets, as `asfloat` does";

/// A value and the constant that it is for.
#[derive(Debug, Clone, Copy)]
pub struct Set {
    id: u32,
    value: Value,
    /// Whether the bits of the value are meant, as one of this type.
    bits_of: Option<Scalar>,
    /// A decimal integer is a value of floating-point types, too.
    float: Option<f64>,
}

/// An integer, decimal or hexadecimal.
fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let hexadecimal = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    let magnitude = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    // `u64` takes a plus sign, which has no place behind another sign or a prefix.
    let is_plain = !digits.contains('+');
    magnitude
        .ok()
        .filter(|_| is_plain)
        .map(|it| sign * i128::from(it))
}

/// A number; one that is too large for its type is not taken for infinity.
fn number<T: FromStr + Into<f64> + Copy>(text: &str) -> Result<T, String> {
    let number: T = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    if number.into().is_infinite() && text.contains(|it: char| it.is_ascii_digit()) {
        return Err(format!("`{text}` is out of range"));
    }
    Ok(number)
}

impl FromStr for Set {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, value) = text
            .split_once('=')
            .ok_or("it has the form ID=VALUE, such as 3=0.5")?;
        let id = integer(id).and_then(|id| u32::try_from(id).ok());
        let id = id.ok_or("the id is a number from 0 to 4294967295")?;
        let mut set = Self {
            id,
            value: Value::Bool(false),
            bits_of: None,
            float: None,
        };
        if let Some((ty, value)) = value.split_once(':') {
            (set.bits_of, set.value) = match ty {
                "half" => (Some(Scalar::Half), Value::Float(number(value)?)),
                // Rounded once, not to a double first.
                "float" => {
                    let float: f32 = number(value)?;
                    (Some(Scalar::Float), Value::Float(float.into()))
                }
                "double" => (Some(Scalar::Double), Value::Float(number(value)?)),
                "bits" => {
                    let bits = integer(value).and_then(|bits| u64::try_from(bits).ok());
                    let bits = bits.ok_or_else(|| format!("`{value}` is not bits"))?;
                    (None, Value::Bits(bits))
                }
                other => {
                    let types = "half, float, double and bits";
                    return Err(format!(
                        "`{other}` is not a type of value; there are {types}"
                    ));
                }
            };
        } else if let Ok(value) = value.parse() {
            set.value = Value::Bool(value);
        } else if let Some(value) = integer(value) {
            set.value = Value::Integer(value);
        } else {
            set.value = Value::Float(number(value)?);
        }
        if let (Value::Integer(_), Ok(float)) = (set.value, value.parse()) {
            set.float = Some(float);
        }
        Ok(set)
    }
}

impl Set {
    /// The value for these constants, which have the id.
    fn value_of(&self, constants: &[&Patchable]) -> Result<Value, String> {
        let Self { id, value, .. } = *self;
        if let Some(ty) = self.bits_of {
            let is_other = |constant: &&&Patchable| constant.ty.width() != ty.width();
            if let Some(constant) = constants.iter().find(is_other) {
                let planted = constant.ty;
                return Err(format!(
                    "constant {id} is of type {planted}, which is not as wide as {ty}"
                ));
            }
            let bits = value.bits(id, ty).map_err(|error| error.to_string())?;
            return Ok(Value::Bits(bits));
        }
        let is_float = |constant: &&Patchable| !matches!(constant.ty, Scalar::Integer(_));
        match self.float {
            Some(float) if !constants.is_empty() && constants.iter().all(is_float) => {
                Ok(Value::Float(float))
            }
            _ => Ok(value),
        }
    }
}

fn find(path: &Path, shader: &[u8]) -> Result<PatchTable, Failure> {
    let table = PatchTable::find(shader, |constant| Pattern::id(&Pattern::DEFAULT, constant));
    table.map_err(|error| Failure::Damaged {
        file: path.to_owned(),
        error,
    })
}

pub fn patch(input: &Path, output: &Path, sets: &[Set]) -> Result<u8, Failure> {
    let mut shader = file::read(input)?;
    let table = find(input, &shader)?;
    let refused = |what| Failure::Value {
        file: input.to_owned(),
        what,
    };
    let mut given = BTreeSet::new();
    let mut values = Vec::new();
    for set in sets {
        if !given.insert(set.id) {
            return Err(refused(format!("constant {} is given two values", set.id)));
        }
        let constants = table.constants().iter();
        let constants: Vec<_> = constants.filter(|constant| constant.id == set.id).collect();
        values.push((set.id, set.value_of(&constants).map_err(refused)?));
    }
    let patched = table.patch(&mut shader, &values);
    patched.map_err(|error| Failure::Patch {
        file: input.to_owned(),
        error,
    })?;
    let damaged = |error| Failure::Damaged {
        file: input.to_owned(),
        error,
    };
    let first = shader.first_chunk().copied().unwrap_or_default();
    if Form::sniff(first) == Form::Container {
        let signing = Container::parse(&shader).map_err(damaged)?.hash().signing();
        dxil::sign(&mut shader, signing).map_err(damaged)?;
    }
    file::write(output, &shader)?;
    Ok(exit_code::DONE)
}

/// How a number is encoded.
fn encoding(site: &Site) -> String {
    match site.field.encoding {
        Encoding::Literal(_) => "literal".to_owned(),
        Encoding::Fixed(width) => format!("fixed{width}"),
        Encoding::Vbr(width) => format!("vbr{width}"),
        Encoding::Char6 => "char6".to_owned(),
    }
}

/// Why not every value of the type can be patched in at a site, if so.
fn obstacle(constant: &Patchable, site: &Site) -> Option<String> {
    if site.in_metadata {
        return Some("no: metadata uses the same number".to_owned());
    }
    let Some(capacity) = site.field.capacity() else {
        return Some("no: the number is not in the record".to_owned());
    };
    // Where the sign is in bit 0, the least value needs a bit more than the type has.
    let width = constant.ty.width();
    let most = if site.field.signed && width < 64 {
        (1_u64 << width) | 1
    } else {
        u64::MAX >> 64_u32.saturating_sub(width).min(63)
    };
    (capacity < most).then(|| format!("encoded numbers up to {capacity:#x} only"))
}

pub fn list(path: &Path, format: Format, out: &mut impl Write) -> Result<u8, Failure> {
    let shader = file::read(path)?;
    let table = find(path, &shader)?;
    match format {
        Format::Text => {
            let name = printable(&path.to_string_lossy());
            writeln!(out, "{BOLD}{name}{BOLD:#}")?;
            if table.constants().is_empty() {
                writeln!(out, "  no specialization constants")?;
                return Ok(exit_code::DONE);
            }
            let titles = [
                "id",
                "type",
                "value",
                "times",
                "part",
                "function",
                "bit",
                "bits",
                "encoding",
                "patchable",
            ];
            let mut rows = vec![titles.map(str::to_owned).to_vec()];
            for constant in table.constants() {
                for (index, site) in constant.sites.iter().enumerate() {
                    let value = Value::of(constant.ty, constant.bits);
                    let first = |text: String| if index == 0 { text } else { String::new() };
                    rows.push(vec![
                        first(constant.id.to_string()),
                        first(constant.ty.to_string()),
                        first(value.to_string()),
                        first(constant.sites.len().to_string()),
                        site.part.map_or_else(String::new, |part| part.to_string()),
                        printable(site.function.as_deref().unwrap_or("(the module)")),
                        site.field.bit.to_string(),
                        site.field.len.to_string(),
                        encoding(site),
                        obstacle(constant, site).unwrap_or_else(|| "yes".to_owned()),
                    ]);
                }
            }
            write_table(out, &rows)?;
        }
        Format::Json => {
            let constants: Vec<_> = table
                .constants()
                .iter()
                .map(|constant| {
                    let sites: Vec<_> = constant
                        .sites
                        .iter()
                        .map(|site| {
                            json!({
                                "part": site.part.map(|part| part.to_string()),
                                "function": site.function.as_deref(),
                                "bit": site.field.bit,
                                "bits": site.field.len,
                                "encoding": encoding(site),
                                "obstacle": obstacle(constant, site),
                            })
                        })
                        .collect();
                    json!({
                        "id": constant.id,
                        "type": constant.ty.to_string(),
                        "value": Value::of(constant.ty, constant.bits).to_string(),
                        "value_bits": format!("{:#x}", constant.bits),
                        "sites": sites,
                    })
                })
                .collect();
            let file = path.to_string_lossy();
            writeln!(out, "{:#}", json!({ "file": file, "constants": constants }))?;
        }
    }
    Ok(exit_code::DONE)
}

#[cfg(test)]
mod tests {
    use super::obstacle;
    use dxil::bitstream::Encoding;
    use dxil::constants::{Field, Scalar};
    use dxil::patch::{Patchable, Site};

    /// The widths of `docs/specialization-constants.md`: none of these is in the way, and a chunk
    /// less is.
    #[test]
    fn sentinels_of_the_documentation_have_room() {
        let cases = [
            (Scalar::Integer(16), 8, 3),
            (Scalar::Integer(32), 8, 5),
            (Scalar::Integer(64), 8, 10),
            (Scalar::Half, 6, 4),
            (Scalar::Float, 6, 7),
            (Scalar::Double, 6, 13),
        ];
        for (ty, width, chunks) in cases {
            let constant = Patchable {
                id: 0,
                ty,
                bits: 0,
                sites: vec![],
            };
            let site = |encoding, chunks: u64, in_metadata| Site {
                part: None,
                function: None,
                in_metadata,
                field: Field {
                    bit: 0,
                    len: u64::from(width) * chunks,
                    encoding,
                    signed: matches!(ty, Scalar::Integer(_)),
                },
            };
            let says = |site: Site| obstacle(&constant, &site).unwrap_or_default();
            let vbr = Encoding::Vbr(width);
            assert_eq!(says(site(vbr, chunks, false)), "", "{ty}");
            assert!(says(site(vbr, chunks - 1, false)).starts_with("encoded numbers up to 0x"));
            assert!(says(site(vbr, chunks, true)).contains("metadata"));
            assert!(says(site(Encoding::Literal(1), 0, false)).starts_with("no: "));
        }
    }
}
