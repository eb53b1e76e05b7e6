//! The tables of `api-sys/facts`.

use std::path::Path;

use crate::Error;
use crate::facts::{Bits, number, table};

/// Everything that the tables record.
#[derive(Debug)]
pub struct Facts {
    /// Structures and unions.
    pub records: Vec<Record>,
    /// Enumerations: 32 bits and signed, all of them.
    pub enums: Vec<Enum>,
    /// Function pointer types; all are stdcall.
    pub functions: Vec<Function>,
    /// Interfaces.
    pub interfaces: Vec<Interface>,
    /// Names of classes.
    pub guids: Vec<Guid>,
    /// Constants outside enumerations.
    pub constants: Vec<Constant>,
}

/// Where Microsoft declares a name, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The header, without `.h`.
    pub header: String,
    /// The first SDK version.
    pub since: Since,
    /// The first release of mingw-w64 that declares it, when one does.
    pub mingw: Option<u32>,
}

/// A version of Microsoft's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// `D3D12_SDK_VERSION`.
    Retail(u32),
    /// `D3D12_PREVIEW_SDK_VERSION` of a preview.
    Preview(u32),
}

/// A structure or a union.
#[derive(Debug)]
pub struct Record {
    /// C name.
    pub name: String,
    /// Size in bytes.
    pub size: Bits,
    /// Alignment in bytes.
    pub align: Bits,
    /// Where it is declared.
    pub origin: Origin,
    /// Whether it is declared inside the record that has a member of it.
    pub is_inner: bool,
    /// Members in order, those of anonymous unions included.
    pub fields: Vec<Field>,
}

/// A member of a record.
#[derive(Debug)]
pub struct Field {
    /// C name.
    pub name: String,
    /// C type.
    pub ty: String,
    /// Offset in bytes.
    pub offset: Bits,
}

/// An enumeration.
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
    pub value: i32,
    /// Where it is declared.
    pub origin: Origin,
}

/// A function pointer type.
#[derive(Debug)]
pub struct Function {
    /// C name.
    pub name: String,
    /// What it is.
    pub signature: Signature,
    /// Where it is declared.
    pub origin: Origin,
}

/// Result and parameters.
#[derive(Debug)]
pub struct Signature {
    /// C type of the result.
    pub result: String,
    /// C types and names of the parameters.
    pub parameters: Vec<(String, String)>,
}

/// An interface.
#[derive(Debug)]
pub struct Interface {
    /// C name.
    pub name: String,
    /// IID, in the usual form.
    pub iid: String,
    /// What it extends.
    pub base: Option<String>,
    /// Where it is declared.
    pub origin: Origin,
    /// Its own methods in order.
    pub methods: Vec<Method>,
}

/// A method of an interface.
#[derive(Debug)]
pub struct Method {
    /// Index in the table, from 0.
    pub slot: u32,
    /// C name.
    pub name: String,
    /// What it is, without `This`.
    pub signature: Signature,
}

/// A named GUID.
#[derive(Debug)]
pub struct Guid {
    /// C name.
    pub name: String,
    /// In the usual form.
    pub value: String,
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
}

impl Facts {
    /// Reads the tables in `folder`.
    ///
    /// # Errors
    /// A table is missing, or a line does not have the columns that the first line names.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let fields = table(folder, "fields.tsv", |row: [&str; 5]| {
            let offset = (number(row[3])?, number(row[4])?);
            let (name, ty) = (row[1].into(), row[2].into());
            Some((row[0].to_owned(), Field { name, ty, offset }))
        })?;
        let mut fields = Owned::new(fields);
        let records = table(folder, "records.tsv", |row: [&str; 9]| {
            Some(Record {
                name: row[0].into(),
                size: (number(row[2])?, number(row[4])?),
                align: (number(row[3])?, number(row[5])?),
                origin: Origin::new(row[6], row[7], row[8])?,
                is_inner: row[1] == "inner",
                fields: fields.of(row[0]),
            })
        })?;

        let enumerators = table(folder, "enumerators.tsv", |row: [&str; 5]| {
            let enumerator = Enumerator {
                name: row[1].into(),
                value: row[2].parse().ok()?,
                origin: Origin::new("", row[3], row[4])?,
            };
            Some((row[0].to_owned(), enumerator))
        })?;
        let mut enumerators = Owned::new(enumerators);
        let enums = table(folder, "enums.tsv", |row: [&str; 4]| {
            Some(Enum {
                name: row[0].into(),
                origin: Origin::new(row[1], row[2], row[3])?,
                enumerators: enumerators.of(row[0]),
            })
        })?;

        let methods = table(folder, "methods.tsv", |row: [&str; 5]| {
            let method = Method {
                slot: number(row[1])?,
                name: row[2].into(),
                signature: Signature::new(row[3], row[4])?,
            };
            Some((row[0].to_owned(), method))
        })?;
        let mut methods = Owned::new(methods);
        let interfaces = table(folder, "interfaces.tsv", |row: [&str; 6]| {
            Some(Interface {
                name: row[0].into(),
                iid: row[1].into(),
                base: (row[2] != "-").then(|| row[2].into()),
                origin: Origin::new(row[3], row[4], row[5])?,
                methods: methods.of(row[0]),
            })
        })?;

        for (file, orphan) in [
            ("fields.tsv", fields.orphan()),
            ("enumerators.tsv", enumerators.orphan()),
            ("methods.tsv", methods.orphan()),
        ] {
            if let Some(owner) = orphan {
                return Err(Error::Facts {
                    path: folder.join(file),
                    line: 0,
                    what: format!("{owner} is in no other table"),
                });
            }
        }

        Ok(Self {
            records,
            enums,
            interfaces,
            functions: table(folder, "functions.tsv", |row: [&str; 6]| {
                Some(Function {
                    name: row[0].into(),
                    signature: Signature::new(row[1], row[2])?,
                    origin: Origin::new(row[3], row[4], row[5])?,
                })
            })?,
            guids: table(folder, "guids.tsv", |row: [&str; 5]| {
                Some(Guid {
                    name: row[0].into(),
                    value: row[1].into(),
                    origin: Origin::new(row[2], row[3], row[4])?,
                })
            })?,
            constants: table(folder, "constants.tsv", |row: [&str; 6]| {
                Some(Constant {
                    name: row[0].into(),
                    ty: row[1].into(),
                    value: number(row[2])?,
                })
            })?,
        })
    }
}

/// Rows that belong to rows of another table.
struct Owned<T>(Vec<(String, T)>);

impl<T> Owned<T> {
    fn new(rows: Vec<(String, T)>) -> Self {
        Self(rows)
    }

    fn of(&mut self, owner: &str) -> Vec<T> {
        let own = self.0.extract_if(.., |(name, _)| name == owner);
        own.map(|(_, row)| row).collect()
    }

    fn orphan(&self) -> Option<&str> {
        self.0.first().map(|(owner, _)| owner.as_str())
    }
}

impl Origin {
    fn new(header: &str, since: &str, mingw: &str) -> Option<Self> {
        Some(Self {
            header: header.into(),
            since: match since.strip_prefix("preview-") {
                Some(version) => Since::Preview(number(version)?),
                None => Since::Retail(number(since)?),
            },
            mingw: match mingw {
                "-" => None,
                release => Some(number(release)?),
            },
        })
    }
}

impl Signature {
    fn new(result: &str, parameters: &str) -> Option<Self> {
        let parameters = parameters.split(", ").filter(|text| !text.is_empty());
        let parameters = parameters.map(|parameter| {
            let (ty, name) = parameter.rsplit_once(' ')?;
            Some((ty.to_owned(), name.to_owned()))
        });
        Some(Self {
            result: result.into(),
            parameters: parameters.collect::<Option<_>>()?,
        })
    }
}
