//! The tables of recorded facts, in `ddi-sys/facts` and `api-sys/facts`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::input::Input;
use crate::names::{Signature, named};

/// Everything that the tables record.
#[derive(Debug, Default)]
pub struct Facts {
    /// Structures and unions.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// Other names of types.
    pub aliases: Vec<Alias>,
    /// Function pointer types.
    pub functions: Vec<Function>,
    /// Interfaces.
    pub interfaces: Vec<Interface>,
    /// Names of classes.
    pub guids: Vec<Guid>,
    /// Constants outside enumerations.
    pub constants: Vec<Constant>,
    /// Windows base types.
    pub base_types: Vec<BaseType>,
}

/// Where a name is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// A header of the API.
    Api(ApiHeader),
}

/// A header of the API that declares a name, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiHeader {
    /// The header, without `.h`.
    pub name: String,
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

/// A number for 64-bit and one for 32-bit targets.
pub type Bits = (u32, u32);

/// A structure or a union.
#[derive(Debug)]
pub struct Record {
    /// C name.
    pub name: String,
    /// Whether it is a union.
    pub is_union: bool,
    /// Whether it is declared inside the record that has a member of it.
    pub is_inner: bool,
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
    /// Its 32 bits.
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

/// A function pointer type; all have the convention APIENTRY, which is stdcall.
#[derive(Debug)]
pub struct Function {
    /// C name.
    pub name: String,
    /// Parameters and result.
    pub signature: Signature,
    /// Where it is declared.
    pub origin: Origin,
}

/// An interface.
#[derive(Debug)]
pub struct Interface {
    /// C name.
    pub name: String,
    /// IID.
    pub iid: u128,
    /// What it extends; nothing when it is not even an `IUnknown`.
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
    /// Parameters and result, without `This`.
    pub signature: Signature,
}

/// A named GUID.
#[derive(Debug)]
pub struct Guid {
    /// C name.
    pub name: String,
    /// The GUID.
    pub value: u128,
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

named!(
    Record, Field, Enum, Enumerator, Alias, Function, Constant, BaseType
);

impl Facts {
    /// Reads the tables of an input in `folder`; for the usermode DDI also those in `usermode` beside them.
    ///
    /// # Errors
    ///
    /// A table is missing, or a line does not have the columns that the first line names.
    pub fn read(folder: &Path, input: Input) -> Result<Self, Error> {
        let mut facts = Self::default();
        facts.add(folder, input)?;
        if input == Input::Usermode {
            facts.add(&folder.join("usermode"), input)?;
        }
        Ok(facts)
    }

    fn add(&mut self, folder: &Path, input: Input) -> Result<(), Error> {
        let table = |file: &str| Table::read(folder.join(file));

        let mut fields = Owned::read(table("fields.tsv")?, |row| {
            Some(Field {
                name: row.text("field")?,
                ty: row.text("type")?,
                offset: (row.number("x64_offset")?, row.number("x86_offset")?),
            })
        })?;
        self.records.extend(table("records.tsv")?.rows(|row| {
            Some(Record {
                name: row.text("record")?,
                is_union: row.get("kind")? == "union",
                is_inner: row.get("kind")? == "inner",
                size: (row.number("x64_size")?, row.number("x86_size")?),
                align: (row.number("x64_align")?, row.number("x86_align")?),
                origin: row.origin()?,
                fields: fields.of(row.get("record")?),
            })
        })?);
        fields.all_are_taken()?;

        let mut enumerators = Owned::read(table("enumerators.tsv")?, |row| {
            Some(Enumerator {
                name: row.text("enumerator")?,
                value: row.number("value")?,
                origin: row.origin()?,
            })
        })?;
        self.enums.extend(table("enums.tsv")?.rows(|row| {
            let origin = row.origin()?;
            let mut enumerators = enumerators.of(row.get("enum")?);
            // Their table has no column for the header.
            if let Origin::Api(header) = &origin {
                for enumerator in &mut enumerators {
                    if let Origin::Api(own) = &mut enumerator.origin {
                        own.name.clone_from(&header.name);
                    }
                }
            }
            Some(Enum {
                name: row.text("enum")?,
                origin,
                enumerators,
            })
        })?);
        enumerators.all_are_taken()?;

        self.functions.extend(table("functions.tsv")?.rows(|row| {
            Some(Function {
                name: row.text("function")?,
                signature: row.signature()?,
                origin: row.origin()?,
            })
        })?);
        self.constants.extend(table("constants.tsv")?.rows(|row| {
            Some(Constant {
                name: row.text("constant")?,
                ty: row.text("type")?,
                value: row.number("value")?,
                origin: row.origin()?,
            })
        })?);

        if input == Input::Api {
            let mut methods = Owned::read(table("methods.tsv")?, |row| {
                Some(Method {
                    slot: row.number("slot")?,
                    name: row.text("method")?,
                    signature: row.signature()?,
                })
            })?;
            self.interfaces.extend(table("interfaces.tsv")?.rows(|row| {
                Some(Interface {
                    name: row.text("interface")?,
                    iid: row.guid("iid")?,
                    base: row.text("base").filter(|base| base != "-"),
                    origin: row.origin()?,
                    methods: methods.of(row.get("interface")?),
                })
            })?);
            methods.all_are_taken()?;
            self.guids.extend(table("guids.tsv")?.rows(|row| {
                Some(Guid {
                    name: row.text("guid")?,
                    value: row.guid("value")?,
                    origin: row.origin()?,
                })
            })?);
        } else {
            self.aliases.extend(table("aliases.tsv")?.rows(|row| {
                Some(Alias {
                    name: row.text("alias")?,
                    ty: row.text("type")?,
                    origin: row.origin()?,
                })
            })?);
            self.base_types.extend(table("base_types.tsv")?.rows(|row| {
                Some(BaseType {
                    name: row.text("type")?,
                    size: (row.number("x64_size")?, row.number("x86_size")?),
                    class: row.text("class")?,
                })
            })?);
        }
        Ok(())
    }

    /// Names of everything that has a size, an offset or a value, those of members after the name of their record.
    pub fn items(&self) -> impl Iterator<Item = String> {
        let records = self.records.iter().flat_map(|record| {
            let fields = record.fields.iter();
            fields.map(|field| format!("{}.{}", record.name, field.name))
        });
        let enumerators = self.enums.iter().flat_map(|item| &item.enumerators);
        let enumerators = enumerators.map(|enumerator| enumerator.name.clone());
        let constants = self.constants.iter().map(|constant| constant.name.clone());
        let functions = self.functions.iter().map(|function| function.name.clone());
        records.chain(enumerators).chain(constants).chain(functions)
    }

    /// Where the declaration of `name` is, for any kind of name of the DDI but base types and enumerators.
    pub fn origin(&self, name: &str) -> Option<&Origin> {
        let records = self.records.iter().map(|item| (&item.name, &item.origin));
        let enums = self.enums.iter().map(|item| (&item.name, &item.origin));
        let aliases = self.aliases.iter().map(|item| (&item.name, &item.origin));
        let functions = self.functions.iter().map(|item| (&item.name, &item.origin));
        let constants = self.constants.iter().map(|item| (&item.name, &item.origin));
        let types = records.chain(enums).chain(aliases).chain(functions);
        let mut all = types.chain(constants);
        all.find_map(|(item, origin)| (item == name).then_some(origin))
    }
}

/// A table: the first line names the columns.
struct Table {
    path: PathBuf,
    text: String,
}

/// A line of a table.
struct Row<'a> {
    /// From 1.
    line: usize,
    columns: &'a [&'a str],
    cells: Vec<&'a str>,
}

impl Table {
    fn read(path: PathBuf) -> Result<Self, Error> {
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        Ok(Self { path, text })
    }

    /// One value for each line after the first.
    fn rows<T>(&self, mut value: impl FnMut(&Row<'_>) -> Option<T>) -> Result<Vec<T>, Error> {
        let mut lines = self.text.lines().enumerate();
        let columns = lines.next().map_or("", |(_, line)| line);
        let columns: Vec<&str> = columns.split('\t').collect();
        lines
            .map(|(index, line)| {
                let cells: Vec<&str> = line.split('\t').collect();
                let row = Row {
                    line: index + 1,
                    columns: &columns,
                    cells,
                };
                let value = (row.cells.len() == columns.len()).then(|| value(&row));
                value.flatten().ok_or_else(|| Error::Facts {
                    path: self.path.clone(),
                    line: row.line,
                    what: format!("not a valid line of this table: {line}"),
                })
            })
            .collect()
    }
}

impl Row<'_> {
    fn get(&self, column: &str) -> Option<&str> {
        let index = self.columns.iter().position(|own| *own == column)?;
        Some(self.cells[index])
    }

    fn text(&self, column: &str) -> Option<String> {
        self.get(column).map(str::to_owned)
    }

    /// 32 bits.
    fn number(&self, column: &str) -> Option<u32> {
        number(self.get(column)?)
    }

    fn guid(&self, column: &str) -> Option<u128> {
        u128::from_str_radix(&self.get(column)?.replace('-', ""), 16).ok()
    }

    fn signature(&self) -> Option<Signature> {
        let parameters = self.get("parameters")?.split(", ");
        let parameters = parameters.filter(|text| !text.is_empty()).map(|parameter| {
            let (ty, name) = parameter.rsplit_once(' ')?;
            Some((name.to_owned(), ty.to_owned()))
        });
        Some(Signature {
            parameters: parameters.collect::<Option<_>>()?,
            result: self.text("result")?,
        })
    }

    fn origin(&self) -> Option<Origin> {
        let Some(word) = self.get("origin") else {
            let since = self.get("since")?;
            return Some(Origin::Api(ApiHeader {
                name: self.text("header").unwrap_or_default(),
                since: match since.strip_prefix("preview-") {
                    Some(version) => Since::Preview(number(version)?),
                    None => Since::Retail(number(since)?),
                },
                mingw: match self.get("mingw")? {
                    "-" => None,
                    release => Some(number(release)?),
                },
            }));
        };
        Some(match word {
            "microsoft" => Origin::Microsoft,
            "microsoft-recent" => Origin::MicrosoftRecent,
            "sdk-26100" => Origin::Sdk26100,
            "wdk-28000" => Origin::Wdk28000,
            "specification" => Origin::Specification,
            "internal" => Origin::Internal,
            "document" => Origin::Document,
            "project" => Origin::Project,
            _ => return None,
        })
    }
}

/// 32 bits: hexadecimal, or a decimal number with or without a sign.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text
            .parse()
            .or_else(|_| text.parse().map(i32::cast_unsigned))
            .ok(),
    }
}

/// Rows that belong to rows of another table, which the first column names.
struct Owned<T> {
    table: PathBuf,
    /// Line, owner and value.
    rows: Vec<(usize, String, T)>,
}

impl<T> Owned<T> {
    fn read(table: Table, value: impl Fn(&Row<'_>) -> Option<T>) -> Result<Self, Error> {
        let rows = table.rows(|row| Some((row.line, row.cells[0].to_owned(), value(row)?)))?;
        let table = table.path;
        Ok(Self { table, rows })
    }

    fn of(&mut self, owner: &str) -> Vec<T> {
        let own = self.rows.extract_if(.., |(_, name, _)| name == owner);
        own.map(|(_, _, row)| row).collect()
    }

    fn all_are_taken(self) -> Result<(), Error> {
        match self.rows.first() {
            None => Ok(()),
            Some((line, owner, _)) => Err(Error::Facts {
                path: self.table,
                line: *line,
                what: format!("no other table has {owner}, which this line belongs to"),
            }),
        }
    }
}
