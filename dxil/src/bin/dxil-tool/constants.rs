//! `constants` and `patch`: specialization constants.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use dxil::bitstream::Encoding;
use dxil::constants::Scalar;
use dxil::patch::{PatchTable, Patchable, Pattern, Site, Value};
use dxil::{Container, Form};
use serde_json::json;

use crate::failure::{Failure, exit_code};
use crate::limit::Limit;
use crate::text::{BOLD, cell, items, write_problems, write_table};
use crate::{Format, file, table};

pub const SET: &str = "\
The value of a constant; can be given again. ID is the id, decimal or 0x and hexadecimal. VALUE is \
`true` or `false`, an integer (`-4`, `0xff`), or a number (`0.5`, `1e-3`, `inf`, `nan`) for a constant \
of floating-point type. `half:0.5`, `float:0.5`, `double:0.5` and `bits:0x3f000000` give the bits of \
a value, for integers that the shader reinterprets, as `asfloat` does";

pub const SENTINEL: &str = "\
What the sentinels look like, for a shader that has others than those of \
docs/specialization-constants.md; can be given again. BASE is the sentinel of constant 0. MASK has \
the bits that all sentinels have in common, the others are the id: `0x45678900:0xffffff00` has ids 0 \
to 255. Without MASK all zeros at the end of BASE are the id. A BASE of up to 16 bits is looked for \
among numbers of 16 bits, one of up to 32 among those of 32, a longer one among those of 64; integers \
and floating-point numbers";

/// The form of sentinels: an integer and a floating-point type of the same width.
#[derive(Debug, Clone, Copy)]
pub struct Sentinel([Pattern; 2]);

impl FromStr for Sentinel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bits = |text: &str| {
            let bits = integer(text).and_then(|bits| u64::try_from(bits).ok());
            bits.ok_or_else(|| format!("`{text}` is not a number of up to 64 bits"))
        };
        let (magic, mask) = match text.split_once(':') {
            Some((base, mask)) => (bits(base)?, Some(bits(mask)?)),
            None => (bits(text)?, None),
        };
        let (integer, float) = match magic {
            0 => return Err("BASE is 0, which is too common in a shader".to_owned()),
            1..0x1_0000 => (Scalar::Integer(16), Scalar::Half),
            0x1_0000..0x1_0000_0000 => (Scalar::Integer(32), Scalar::Float),
            _ => (Scalar::Integer(64), Scalar::Double),
        };
        let all = u64::MAX >> (64 - integer.width());
        let id = match mask {
            Some(mask) => !mask & all,
            None => (1 << magic.trailing_zeros()) - 1,
        };
        if id & id.wrapping_add(1) != 0 {
            return Err(format!("the id {id:#x} that MASK leaves is not at the end"));
        }
        if magic & id != 0 {
            return Err(format!("BASE has bits of the id, {:#x}", magic & id));
        }
        if id > u32::MAX.into() {
            return Err(format!("the id {id:#x} has more than 32 bits"));
        }
        let id_bits = id.count_ones();
        Ok(Self([integer, float].map(|ty| Pattern {
            ty,
            magic,
            id_bits,
        })))
    }
}

/// A value, and the id of its constant.
#[derive(Debug, Clone, Copy)]
pub struct Set {
    id: u32,
    value: Value,
    /// The bits of a value of this type.
    bits_of: Option<Scalar>,
    /// A decimal integer is also a value of floating-point types.
    float: Option<f64>,
}

/// An integer, decimal or hexadecimal. One that exceeds 127 bits becomes the greatest or the least that fits: no type can have
/// either.
fn integer(text: &str) -> Option<i128> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hexadecimal = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    let (digits, radix) = hexadecimal.map_or((digits, 10), |digits| (digits, 16));
    if digits.is_empty() || !digits.chars().all(|it| it.is_digit(radix)) {
        return None;
    }
    let magnitude = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    Some(if is_negative { -magnitude } else { magnitude })
}

/// A number. Refuses one above `max`, the greatest of its type, instead of making it infinity.
fn number<T: FromStr + Into<f64> + Copy + Debug>(text: &str, max: T) -> Result<T, String> {
    let number: T = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    if number.into().is_infinite() && text.contains(|it: char| it.is_ascii_digit()) {
        let range = format!("-{max:?} to {max:?}");
        return Err(format!("`{text}` is out of range, which is {range}"));
    }
    Ok(number)
}

impl FromStr for Set {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, value) = text
            .split_once('=')
            .ok_or("expected ID=VALUE, for example 3=0.5")?;
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
                "half" => (Some(Scalar::Half), Value::Float(number(value, 65504.0)?)),
                // This rounds once; a detour by double would round twice.
                "float" => {
                    let float = number(value, f32::MAX)?;
                    (Some(Scalar::Float), Value::Float(float.into()))
                }
                "double" => (Some(Scalar::Double), Value::Float(number(value, f64::MAX)?)),
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
            set.value = Value::Float(number(value, f64::MAX)?);
        }
        if let (Value::Integer(_), Ok(float)) = (set.value, value.parse()) {
            set.float = Some(float);
        }
        Ok(set)
    }
}

impl Set {
    /// The bits of the value for these constants, which have the id.
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

/// How to find the constants of a shader.
#[derive(Clone, Copy)]
pub enum From<'a> {
    /// By sentinels of these forms; by the documented ones if empty.
    Sentinels(&'a [Sentinel]),
    /// By a saved table.
    Table(&'a Path),
}

fn find(path: &Path, shader: &[u8], sentinels: &[Sentinel]) -> Result<PatchTable, Failure> {
    let given: Vec<Pattern> = sentinels.iter().flat_map(|sentinel| sentinel.0).collect();
    let patterns = match &given[..] {
        [] => &Pattern::DEFAULT,
        given => given,
    };
    let table = PatchTable::find(shader, |constant| Pattern::id(patterns, constant));
    table.map_err(|error| Failure::Damaged {
        file: path.to_owned(),
        error,
    })
}

pub fn patch(input: &Path, output: &Path, sets: &[Set], from: From<'_>) -> Result<u8, Failure> {
    let table = match from {
        From::Sentinels(_) => None,
        From::Table(path) => Some(path),
    };
    file::check_standard_input([input].into_iter().chain(table))?;
    let mut shader = file::read(input)?;
    let table = match from {
        From::Sentinels(sentinels) => find(input, &shader, sentinels)?,
        From::Table(path) => table::read(path, input, &shader)?,
    };
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

/// The encoding of a number.
pub fn encoding(site: &Site) -> String {
    match site.field.encoding {
        Encoding::Literal(_) => "literal".to_owned(),
        Encoding::Fixed(width) => format!("fixed{width}"),
        Encoding::Vbr(width) => format!("vbr{width}"),
        Encoding::Char6 => "char6".to_owned(),
    }
}

/// The reason why not every value of the type can be patched in at a site, if there is one.
fn obstacle(constant: &Patchable, site: &Site) -> Option<String> {
    if site.in_metadata {
        return Some("no: metadata uses the same number".to_owned());
    }
    let Some(capacity) = site.field.capacity() else {
        return Some("no: the number is not in the record".to_owned());
    };
    // With the sign in bit 0, the least value needs one bit more than the type has.
    let width = constant.ty.width();
    let most = if site.field.signed && width < 64 {
        (1_u64 << width) | 1
    } else {
        u64::MAX >> 64_u32.saturating_sub(width).min(63)
    };
    (capacity < most).then(|| format!("encoded numbers up to {capacity:#x} only"))
}

/// What `constants` shows of a shader; `problems` says why something is missing.
fn listing(path: &Path, constants: &[Patchable]) -> serde_json::Value {
    let limit = Limit::new();
    let constants = limit.list(constants, |constant| {
        let sites = limit.list(&constant.sites, |site| {
            json!({
                "part": site.part.map(|part| part.to_string()),
                "function": site.function.as_ref().map(|name| limit.text(name)),
                "bit": site.field.bit,
                "bits": site.field.len,
                "encoding": encoding(site),
                "obstacle": obstacle(constant, site),
            })
        });
        json!({
            "id": constant.id,
            "type": constant.ty.to_string(),
            "value": Value::of(constant.ty, constant.bits).to_string(),
            "value_bits": format!("{:#x}", constant.bits),
            "sites": sites,
        })
    });
    json!({
        "file": path.to_string_lossy(),
        "constants": constants,
        "problems": limit.problem().as_slice(),
    })
}

fn write_constants(listing: &serde_json::Value, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}", cell(&listing["file"]))?;
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
    for constant in items(&listing["constants"]) {
        let sites = items(&constant["sites"]);
        for (index, site) in sites.iter().enumerate() {
            let mut row = vec![String::new(); 4];
            if index == 0 {
                row = ["id", "type", "value"].map(|it| cell(&constant[it])).into();
                row.push(sites.len().to_string());
            }
            row.push(cell(&site["part"]));
            row.push(match &site["function"] {
                serde_json::Value::Null => "(the module)".to_owned(),
                name => cell(name),
            });
            row.extend(["bit", "bits", "encoding"].map(|it| cell(&site[it])));
            row.push(match &site["obstacle"] {
                serde_json::Value::Null => "yes".to_owned(),
                obstacle => cell(obstacle),
            });
            rows.push(row);
        }
    }
    if rows.len() == 1 {
        writeln!(out, "  no specialization constants")?;
    } else {
        write_table(out, &rows)?;
    }
    write_problems(listing, out)
}

pub fn list(
    path: &Path,
    format: Format,
    sentinels: &[Sentinel],
    save: Option<&Path>,
    out: &mut impl Write,
) -> Result<u8, Failure> {
    let shader = file::read(path)?;
    let table = find(path, &shader, sentinels)?;
    if let Some(save) = save {
        table::write(save, path, &shader, &table)?;
        if file::is_standard(save) {
            return Ok(exit_code::DONE);
        }
    }
    let listing = listing(path, table.constants());
    match format {
        Format::Text => write_constants(&listing, out)?,
        Format::Json => writeln!(out, "{listing:#}")?,
    }
    Ok(if listing["problems"] == json!([]) {
        exit_code::DONE
    } else {
        exit_code::NO
    })
}

#[cfg(test)]
mod tests {
    use super::{listing, obstacle, write_constants};
    use dxil::bitstream::Encoding;
    use dxil::constants::{Field, Scalar};
    use dxil::patch::{Patchable, Site};
    use std::path::Path;

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

    /// The places of a constant share the name of their function: a short file can have a long one
    /// and many of them.
    #[test]
    fn a_name_is_not_shown_forever() {
        let site = Site {
            part: None,
            function: Some("f".repeat(100_000).into()),
            in_metadata: false,
            field: Field {
                bit: 0,
                len: 40,
                encoding: Encoding::Vbr(8),
                signed: true,
            },
        };
        let constant = |sites| Patchable {
            id: 1,
            ty: Scalar::Integer(32),
            bits: 0x4567_0001,
            sites: vec![site.clone(); sites],
        };
        for (sites, problems) in [(100, 0), (10_000, 1)] {
            let listing = listing(Path::new("a.dxil"), &[constant(sites)]);
            let mut text = Vec::new();
            write_constants(&listing, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(text.matches("too often to show").count(), problems);
            assert_eq!(listing["problems"].as_array().unwrap().len(), problems);
            let json = listing.to_string();
            assert!(json.len() < 40 << 20 && text.len() < 40 << 20);
        }
    }
}
