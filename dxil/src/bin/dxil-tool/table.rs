//! Tables of `constants --save`, for `patch --table`: JSON, which the README of the crate describes.

use std::path::Path;

use dxil::FourCc;
use dxil::bitstream::Encoding;
use dxil::constants::{Field, Scalar};
use dxil::patch::{PatchTable, Patchable, Site};
use serde::{Deserialize, Serialize};

use crate::constants::encoding;
use crate::failure::Failure;
use crate::file;

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    /// The version; this tool knows only one.
    version: u32,
    shader_size: usize,
    template_hash: String,
    constants: Vec<SavedConstant>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedConstant {
    id: u32,
    #[serde(rename = "type")]
    ty: String,
    value_bits: String,
    sites: Vec<SavedSite>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedSite {
    part: Option<String>,
    bit: u64,
    bits: u64,
    encoding: String,
    signed: bool,
    in_metadata: bool,
}

/// Saves the table of a shader.
pub fn write(path: &Path, input: &Path, shader: &[u8], table: &PatchTable) -> Result<(), Failure> {
    let template_hash = table.template_hash(shader);
    let template_hash = template_hash.map_err(|error| Failure::Patch {
        file: input.to_owned(),
        error,
    })?;
    let constants = table.constants().iter().map(|constant| SavedConstant {
        id: constant.id,
        ty: constant.ty.to_string(),
        value_bits: format!("{:#x}", constant.bits),
        sites: constant.sites.iter().map(saved_site).collect(),
    });
    let saved = Saved {
        version: VERSION,
        shader_size: table.shader_len(),
        template_hash: hex::encode(template_hash),
        constants: constants.collect(),
    };
    let mut text = serde_json::to_string_pretty(&saved).map_err(std::io::Error::from)?;
    text.push('\n');
    file::write(path, text.as_bytes())
}

fn saved_site(site: &Site) -> SavedSite {
    SavedSite {
        part: site.part.map(|part| part.to_string()),
        bit: site.field.bit,
        bits: site.field.len,
        encoding: encoding(site),
        signed: site.field.signed,
        in_metadata: site.in_metadata,
    }
}

/// Reads a table for `shader`, the file `input`: the shader that the table was made from, or a patched copy of it.
pub fn read(path: &Path, input: &Path, shader: &[u8]) -> Result<PatchTable, Failure> {
    let damaged = |what| Failure::Table {
        file: path.to_owned(),
        what,
    };
    let text = file::read(path)?;
    let saved: Saved =
        serde_json::from_slice(&text).map_err(|error| damaged(format!("not a table: {error}")))?;
    if saved.version != VERSION {
        let version = saved.version;
        return Err(damaged(format!(
            "a table of version {version}; this tool knows version {VERSION}"
        )));
    }
    let constants = saved.constants.into_iter().map(patchable);
    let constants = constants.collect::<Result<_, _>>().map_err(damaged)?;
    let table = PatchTable::new(saved.shader_size, constants);
    let table = table.map_err(|error| damaged(error.to_string()))?;
    if table.template_hash(shader).map(hex::encode) != Ok(saved.template_hash) {
        let table = path.display();
        return Err(Failure::Value {
            file: input.to_owned(),
            what: format!(
                "neither the shader that {table} was made from, nor a patched copy of it"
            ),
        });
    }
    Ok(table)
}

fn patchable(saved: SavedConstant) -> Result<Patchable, String> {
    let SavedConstant { id, ty, .. } = saved;
    let wrong = |what: &str, is: &str| format!("constant {id}: `{is}` is not {what}");
    let bits = saved.value_bits.strip_prefix("0x");
    let bits = bits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let sites = saved.sites.into_iter().map(|site| {
        let part = site.part.as_deref().map(|part| {
            let name = part.as_bytes().try_into().map(FourCc);
            name.map_err(|_| wrong("the name of a part", part))
        });
        let encoding = encoding_of(&site.encoding);
        Ok(Site {
            part: part.transpose()?,
            function: None,
            in_metadata: site.in_metadata,
            field: Field {
                bit: site.bit,
                len: site.bits,
                encoding: encoding.ok_or_else(|| wrong("an encoding", &site.encoding))?,
                signed: site.signed,
            },
        })
    });
    Ok(Patchable {
        id,
        ty: scalar_of(&ty).ok_or_else(|| wrong("a type", &ty))?,
        bits: bits.ok_or_else(|| wrong("bits", &saved.value_bits))?,
        sites: sites.collect::<Result<_, String>>()?,
    })
}

/// The reverse of [`encoding`]. A table does not keep the number of a literal, which cannot be patched.
fn encoding_of(text: &str) -> Option<Encoding> {
    Some(match text {
        "literal" => Encoding::Literal(0),
        "char6" => Encoding::Char6,
        _ => match text.strip_prefix("vbr") {
            Some(width) => Encoding::Vbr(width.parse().ok()?),
            None => Encoding::Fixed(text.strip_prefix("fixed")?.parse().ok()?),
        },
    })
}

/// The reverse of the type's `Display`.
fn scalar_of(text: &str) -> Option<Scalar> {
    Some(match text {
        "half" => Scalar::Half,
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        _ => Scalar::Integer(text.strip_prefix('i')?.parse().ok()?),
    })
}
