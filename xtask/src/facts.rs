//! The tables of `ddi-sys/facts`.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use crate::Error;
use crate::ddi::Scope;

/// Everything that the tables record.
#[derive(Debug)]
pub struct Facts {
    /// Structures and unions.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// Other names of types.
    pub aliases: Vec<Alias>,
    /// Function pointer types.
    pub functions: Vec<Function>,
    /// Constants outside enumerations.
    pub constants: Vec<Constant>,
    /// Windows base types.
    pub base_types: Vec<BaseType>,
}

/// Where Microsoft declares a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A public header of the Windows SDK: DXGI, tokenized programs, result codes.
    Microsoft,
    /// As before, but newer than the headers of mingw-w64 10.
    MicrosoftRecent,
    /// `d3d12umddi.h` of the SDK 10.0.26100.
    Sdk26100,
    /// `d3d12umddi.h` of the WDK 10.0.28000.
    Wdk28000,
    /// ShaderCompilerPlugin.md.
    Specification,
    /// ShaderCompilerPlugin.md, where it is marked internal to Microsoft.
    Internal,
    /// Another document of DirectX-Specs, not yet in a header.
    Document,
    /// Nowhere: this project's own.
    Project,
}

/// A number for 64-bit and one for 32-bit targets.
pub type Bits = (u32, u32);

/// A structure or a union.
#[derive(Debug)]
pub struct Record {
    /// C name.
    pub name: String,
    /// Whether it is a union.
    pub is_union: bool,
    /// Size in bytes.
    pub size: Bits,
    /// Alignment in bytes.
    pub align: Bits,
    /// Where it is declared.
    pub origin: Origin,
    /// Members in order, those of unions declared in place included.
    pub fields: Vec<Field>,
}

/// A member of a record.
#[derive(Debug)]
pub struct Field {
    /// As C code reaches it.
    pub name: String,
    /// C type.
    pub ty: String,
    /// Offset in bytes.
    pub offset: Bits,
}

/// An enumeration: 32 bits and signed, all of them.
#[derive(Debug)]
pub struct Enum {
    /// C name.
    pub name: String,
    /// Where it is declared.
    pub origin: Origin,
    /// Enumerators in order.
    pub enumerators: Vec<Enumerator>,
}

/// An enumerator.
#[derive(Debug)]
pub struct Enumerator {
    /// C name.
    pub name: String,
    /// Its number.
    pub value: u32,
    /// Where it is declared.
    pub origin: Origin,
}

/// Another name of a type.
#[derive(Debug)]
pub struct Alias {
    /// C name.
    pub name: String,
    /// C type.
    pub ty: String,
    /// Where it is declared.
    pub origin: Origin,
}

/// A function pointer type; all have the convention APIENTRY.
#[derive(Debug)]
pub struct Function {
    /// C name.
    pub name: String,
    /// C type of the result.
    pub result: String,
    /// C types and names of the parameters.
    pub parameters: Vec<(String, String)>,
    /// Where it is declared.
    pub origin: Origin,
}

/// A constant outside enumerations.
#[derive(Debug)]
pub struct Constant {
    /// C name.
    pub name: String,
    /// C type.
    pub ty: String,
    /// Its 32 bits.
    pub value: u32,
    /// Where it is declared.
    pub origin: Origin,
}

/// A Windows base type.
#[derive(Debug)]
pub struct BaseType {
    /// C name.
    pub name: String,
    /// Size in bytes, which is the alignment too.
    pub size: Bits,
    /// `signed`, `unsigned`, `float`, or the type that it is a name of.
    pub class: String,
}

impl Facts {
    /// Reads the tables in `folder`, and for the usermode DDI those in `usermode` beside them.
    ///
    /// # Errors
    /// A table is missing, or a line does not have the columns that the first line names.
    pub fn read(folder: &Path, scope: Scope) -> Result<Self, Error> {
        let mut facts = Self::read_tables(folder)?;
        if scope == Scope::Usermode {
            let more = Self::read_tables(&folder.join("usermode"))?;
            facts.records.extend(more.records);
            facts.enums.extend(more.enums);
            facts.aliases.extend(more.aliases);
            facts.functions.extend(more.functions);
            facts.constants.extend(more.constants);
            facts.base_types.extend(more.base_types);
        }
        Ok(facts)
    }

    fn read_tables(folder: &Path) -> Result<Self, Error> {
        let mut records: Vec<Record> = table(folder, "records.tsv", |row: [&str; 9]| {
            Some(Record {
                name: row[0].into(),
                is_union: row[1] == "union",
                size: (number(row[2])?, number(row[4])?),
                align: (number(row[3])?, number(row[5])?),
                origin: row[6].parse().ok()?,
                fields: Vec::new(),
            })
        })?;
        let mut fields = table(folder, "fields.tsv", |row: [&str; 5]| {
            let offset = (number(row[3])?, number(row[4])?);
            let (name, ty) = (row[1].into(), row[2].into());
            Some((row[0].to_owned(), Field { name, ty, offset }))
        })?;
        for record in &mut records {
            let own = fields.extract_if(.., |(owner, _)| *owner == record.name);
            record.fields = own.map(|(_, field)| field).collect();
        }

        let mut enums: Vec<Enum> = table(folder, "enums.tsv", |row: [&str; 4]| {
            Some(Enum {
                name: row[0].into(),
                origin: row[1].parse().ok()?,
                enumerators: Vec::new(),
            })
        })?;
        let mut enumerators = table(folder, "enumerators.tsv", |row: [&str; 4]| {
            let enumerator = Enumerator {
                name: row[1].into(),
                value: number(row[2])?,
                origin: row[3].parse().ok()?,
            };
            Some((row[0].to_owned(), enumerator))
        })?;
        for item in &mut enums {
            let own = enumerators.extract_if(.., |(owner, _)| *owner == item.name);
            item.enumerators = own.map(|(_, enumerator)| enumerator).collect();
        }

        let orphan_field = fields.first().map(|(owner, _)| ("fields.tsv", owner));
        let orphan_enumerator = enumerators
            .first()
            .map(|(owner, _)| ("enumerators.tsv", owner));
        if let Some((file, owner)) = orphan_field.or(orphan_enumerator) {
            return Err(Error::Facts {
                path: folder.join(file),
                line: 0,
                what: format!("{owner} is in no other table"),
            });
        }

        Ok(Self {
            records,
            enums,
            aliases: table(folder, "aliases.tsv", |row: [&str; 4]| {
                Some(Alias {
                    name: row[0].into(),
                    ty: row[1].into(),
                    origin: row[2].parse().ok()?,
                })
            })?,
            functions: table(folder, "functions.tsv", |row: [&str; 6]| {
                let parameters = row[2].split(", ").filter(|text| !text.is_empty());
                let parameters = parameters.map(|parameter| {
                    let (ty, name) = parameter.rsplit_once(' ')?;
                    Some((ty.to_owned(), name.to_owned()))
                });
                Some(Function {
                    name: row[0].into(),
                    result: row[1].into(),
                    parameters: parameters.collect::<Option<_>>()?,
                    origin: row[3].parse().ok()?,
                })
            })?,
            constants: table(folder, "constants.tsv", |row: [&str; 6]| {
                Some(Constant {
                    name: row[0].into(),
                    ty: row[1].into(),
                    value: number(row[2])?,
                    origin: row[3].parse().ok()?,
                })
            })?,
            base_types: table(folder, "base_types.tsv", |row: [&str; 4]| {
                Some(BaseType {
                    name: row[0].into(),
                    size: (number(row[1])?, number(row[2])?),
                    class: row[3].into(),
                })
            })?,
        })
    }

    /// Where the declaration of `name` is, for any kind of name but base types and enumerators.
    pub fn origin(&self, name: &str) -> Option<Origin> {
        let records = self.records.iter().map(|item| (&item.name, item.origin));
        let enums = self.enums.iter().map(|item| (&item.name, item.origin));
        let aliases = self.aliases.iter().map(|item| (&item.name, item.origin));
        let functions = self.functions.iter().map(|item| (&item.name, item.origin));
        let constants = self.constants.iter().map(|item| (&item.name, item.origin));
        records
            .chain(enums)
            .chain(aliases)
            .chain(functions)
            .chain(constants)
            .find_map(|(item, origin)| (item == name).then_some(origin))
    }
}

impl FromStr for Origin {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Ok(match word {
            "microsoft" => Self::Microsoft,
            "microsoft-recent" => Self::MicrosoftRecent,
            "sdk-26100" => Self::Sdk26100,
            "wdk-28000" => Self::Wdk28000,
            "specification" => Self::Specification,
            "internal" => Self::Internal,
            "document" => Self::Document,
            "project" => Self::Project,
            _ => return Err(()),
        })
    }
}

pub(crate) fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// One value for each line of a table after the first, which names the columns.
pub(crate) fn table<T, const N: usize>(
    folder: &Path,
    file: &str,
    mut row: impl FnMut([&str; N]) -> Option<T>,
) -> Result<Vec<T>, Error> {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
    let lines = text.lines().enumerate().skip(1);
    lines
        .map(|(index, line)| {
            let columns: Vec<&str> = line.split('\t').collect();
            let value = <[&str; N]>::try_from(columns).ok().and_then(&mut row);
            value.ok_or_else(|| Error::Facts {
                path: path.clone(),
                line: index + 1,
                what: format!("not a line of this table: {line}"),
            })
        })
        .collect()
}
