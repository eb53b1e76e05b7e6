//! What `ddi-sys` declares, read from its source.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Fields, Item, ItemConst, ItemEnum, Lit, Meta, Type};

use crate::Error;

/// Which declarations of `ddi-sys` a header has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The compiler plugin DDI, and what it reaches.
    Plugin,
    /// The usermode DDI around it too: the modules in `umd`, the tables in `facts/usermode`.
    Usermode,
}

impl Scope {
    /// The header's file name.
    pub fn header(self) -> &'static str {
        match self {
            Self::Plugin => "d3d12_compiler_ddi.h",
            Self::Usermode => "d3d12_umd_ddi.h",
        }
    }
}

/// Modules that declare nothing of C: the proof that is generated from the facts; functions, which the header has in its own
/// words; structures without members, which it declares by name alone.
const NOT_OF_C: [&str; 5] = ["layout", "api_handle", "assumed", "opaque", "version"];

/// All declarations, each kind in the order of the source.
#[derive(Debug, Default)]
pub struct Ddi {
    /// Structures and unions.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// Windows base types.
    pub base_types: Vec<Alias>,
    /// Other names of types.
    pub aliases: Vec<Alias>,
    /// Function pointer types.
    pub functions: Vec<Function>,
    /// Constants outside enumerations.
    pub constants: Vec<Constant>,
}

/// A structure or a union.
#[derive(Debug)]
pub struct Record {
    /// C name.
    pub name: String,
    /// Documentation, a line each.
    pub docs: Vec<String>,
    /// What its `repr` attribute says; `C` is right.
    pub repr: String,
    /// Whether it is a union.
    pub is_union: bool,
    /// Members in order.
    pub fields: Vec<Field>,
}

/// A member of a record.
#[derive(Debug)]
pub struct Field {
    /// C name; `Anonymous` and a number for an anonymous union.
    pub name: String,
    /// Documentation, a line each.
    pub docs: Vec<String>,
    /// Rust type.
    pub ty: Type,
}

/// An enumeration.
#[derive(Debug)]
pub struct Enum {
    /// C name.
    pub name: String,
    /// Documentation, a line each.
    pub docs: Vec<String>,
    /// Whether its enumerators are flags.
    pub is_flags: bool,
    /// Enumerators in order.
    pub enumerators: Vec<Enumerator>,
}

/// An enumerator.
#[derive(Debug)]
pub struct Enumerator {
    /// C name.
    pub name: String,
    /// Documentation, a line each.
    pub docs: Vec<String>,
    /// The number as the source spells it, without underscores.
    pub literal: String,
}

/// Another name of a type.
#[derive(Debug)]
pub struct Alias {
    /// C name.
    pub name: String,
    /// Documentation, a line each.
    pub docs: Vec<String>,
    /// The type it names.
    pub ty: Type,
}

/// A function pointer type.
#[derive(Debug)]
pub struct Function {
    /// C name.
    pub name: String,
    /// Documentation, a line each.
    pub docs: Vec<String>,
    /// Calling convention: `system` is right.
    pub abi: String,
    /// Names and types of the parameters.
    pub parameters: Vec<(String, Type)>,
    /// Type of the result; `None` for void.
    pub result: Option<Type>,
    /// The whole type, `Option<unsafe extern "system" fn(...) -> ...>`.
    pub ty: Type,
}

/// A constant outside enumerations.
#[derive(Debug)]
pub struct Constant {
    /// C name.
    pub name: String,
    /// Documentation, a line each.
    pub docs: Vec<String>,
    /// Type: `UINT`, `BOOL` or `HRESULT`.
    pub ty: String,
    /// The value as the source spells it, without underscores in numbers.
    pub value: String,
}

impl Ddi {
    /// Reads the crate whose `lib.rs` is in `source`.
    ///
    /// # Errors
    /// A file cannot be read or parsed, or declares something that this module does not know.
    pub fn read(source: &Path, scope: Scope) -> Result<Self, Error> {
        let mut ddi = Self::default();
        ddi.read_modules(&source.join("lib.rs"), source)?;
        if scope == Scope::Usermode {
            ddi.read_modules(&source.join("umd.rs"), &source.join("umd"))?;
        }
        Ok(ddi)
    }

    /// Reads the modules that `parent` declares, whose files are in `folder`.
    fn read_modules(&mut self, parent: &Path, folder: &Path) -> Result<(), Error> {
        for item in parse(parent.to_owned())?.items {
            let Item::Mod(module) = item else { continue };
            let name = module.ident.to_string();
            if name == "umd" || NOT_OF_C.contains(&name.as_str()) {
                continue;
            }
            for item in parse(folder.join(format!("{name}.rs")))?.items {
                self.add(&name, item).map_err(|what| Error::Unsupported {
                    module: name.clone(),
                    what,
                })?;
            }
        }
        Ok(())
    }

    /// The names of the structures without members.
    ///
    /// # Errors
    /// The file cannot be read or parsed.
    pub fn opaque(source: &Path) -> Result<Vec<String>, Error> {
        let items = parse(source.join("umd/opaque.rs"))?.items;
        let names = items.into_iter().filter_map(|item| match item {
            Item::Struct(item) => Some(item.ident.to_string()),
            _ => None,
        });
        Ok(names.collect())
    }

    /// Whether a name of any kind is declared.
    pub fn has(&self, name: &str) -> bool {
        let records = self.records.iter().map(|item| &item.name);
        let enums = self.enums.iter().map(|item| &item.name);
        let base_types = self.base_types.iter().map(|item| &item.name);
        let aliases = self.aliases.iter().map(|item| &item.name);
        let functions = self.functions.iter().map(|item| &item.name);
        let constants = self.constants.iter().map(|item| &item.name);
        let types = records.chain(enums).chain(base_types).chain(aliases);
        types
            .chain(functions)
            .chain(constants)
            .any(|item| item == name)
    }

    /// The record that has the union `name` as its only use and gives it its name: in C the union
    /// is declared in place.
    pub fn owner_of(&self, name: &str) -> Option<&Record> {
        let mut unions = self.records.iter().filter(|record| record.is_union);
        unions.find(|union| union.name == name)?;
        self.records.iter().find(|record| {
            name.strip_prefix(&record.name)
                .is_some_and(|rest| rest.starts_with('_'))
                && record.fields.iter().any(|field| field.is(name))
        })
    }

    /// The records that C has by name.
    pub fn named_records(&self) -> impl Iterator<Item = &Record> {
        self.records
            .iter()
            .filter(|record| self.owner_of(&record.name).is_none())
    }

    /// The members of a record as C code reaches them, those of unions declared in place included.
    pub fn members<'a>(&'a self, record: &'a Record) -> Vec<Member<'a>> {
        let mut members = Vec::new();
        for field in &record.fields {
            let union = self
                .records
                .iter()
                .find(|union| field.is(&union.name) && self.owner_of(&union.name).is_some());
            match union {
                Some(union) => members.extend(union.fields.iter().map(|arm| {
                    let path = format!("{}.{}", field.name, arm.name);
                    let anonymous = field.is_anonymous();
                    Member {
                        c: if anonymous {
                            arm.name.clone()
                        } else {
                            path.clone()
                        },
                        rust: path,
                        ty: &arm.ty,
                        docs: &arm.docs,
                    }
                })),
                None => members.push(Member {
                    c: field.name.clone(),
                    rust: field.name.clone(),
                    ty: &field.ty,
                    docs: &field.docs,
                }),
            }
        }
        members
    }

    fn add(&mut self, module: &str, item: Item) -> Result<(), String> {
        match item {
            Item::Struct(item) => match item.fields {
                Fields::Named(fields) => {
                    let (name, attrs) = (item.ident.to_string(), &item.attrs);
                    self.records.push(record(name, attrs, false, fields.named)?);
                }
                // A newtype is its content: `HRESULT`.
                Fields::Unnamed(fields)
                    if fields.unnamed.len() == 1 && repr(&item.attrs) == "transparent" =>
                {
                    self.base_types.push(Alias {
                        name: item.ident.to_string(),
                        docs: docs(&item.attrs),
                        ty: fields.unnamed[0].ty.clone(),
                    });
                }
                _ => return Err(format!("{}: not a structure of C", item.ident)),
            },
            Item::Union(item) => {
                let (name, attrs) = (item.ident.to_string(), &item.attrs);
                self.records
                    .push(record(name, attrs, true, item.fields.named)?);
            }
            Item::Type(item) => {
                let (name, docs) = (item.ident.to_string(), docs(&item.attrs));
                if let Some((abi, parameters, result)) = function_pointer(&item.ty)? {
                    self.functions.push(Function {
                        name,
                        docs,
                        abi,
                        parameters,
                        result,
                        ty: *item.ty,
                    });
                    return Ok(());
                }
                let ty = *item.ty;
                match module {
                    "base" => self.base_types.push(Alias { name, docs, ty }),
                    _ => self.aliases.push(Alias { name, docs, ty }),
                }
            }
            Item::Const(item) if is_public(&item.vis) => self.constants.push(constant(&item)),
            Item::Macro(item) if item.ident.is_none() => {
                let name = item.mac.path.to_token_stream().to_string();
                let error = |error: syn::Error| format!("{name}!: {error}");
                match name.as_str() {
                    "ddi_enum" | "ddi_flags" => {
                        let tokens = item.mac.tokens.clone();
                        self.enums.push(enumeration(
                            &syn::parse2(tokens).map_err(error)?,
                            name == "ddi_flags",
                        )?);
                    }
                    "hresults" => {
                        let constants = |input: ParseStream| {
                            let mut constants = Vec::new();
                            while !input.is_empty() {
                                constants.push(constant(&input.parse::<ItemConst>()?));
                            }
                            Ok(constants)
                        };
                        let constants = constants.parse2(item.mac.tokens.clone());
                        self.constants.extend(constants.map_err(error)?);
                    }
                    _ => return Err(format!("{name}! is not known")),
                }
            }
            Item::Impl(_) | Item::Use(_) | Item::Mod(_) | Item::Trait(_) | Item::Macro(_) => {}
            other => {
                return Err(format!(
                    "not a declaration of C: {}",
                    other.to_token_stream()
                ));
            }
        }
        Ok(())
    }
}

/// A member of a record, as each language reaches it.
#[derive(Debug)]
pub struct Member<'a> {
    /// `pInputSignature`, `IOSignatures.Standard`.
    pub c: String,
    /// `Anonymous1.pInputSignature`, `IOSignatures.Standard`.
    pub rust: String,
    /// Rust type.
    pub ty: &'a Type,
    /// Documentation, a line each.
    pub docs: &'a [String],
}

impl Field {
    /// Whether C declares its union without a name.
    pub fn is_anonymous(&self) -> bool {
        self.name
            .strip_prefix("Anonymous")
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    fn is(&self, name: &str) -> bool {
        matches!(&self.ty, Type::Path(path) if path.path.is_ident(name))
    }
}

pub(crate) fn parse(path: PathBuf) -> Result<syn::File, Error> {
    let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
    syn::parse_file(&text).map_err(|source| Error::Parse { path, source })
}

fn record(
    name: String,
    attrs: &[Attribute],
    is_union: bool,
    fields: impl IntoIterator<Item = syn::Field>,
) -> Result<Record, String> {
    let fields = fields
        .into_iter()
        .map(|field| {
            Ok(Field {
                name: field
                    .ident
                    .as_ref()
                    .map(ToString::to_string)
                    .ok_or_else(|| name.clone())?,
                docs: docs(&field.attrs),
                ty: field.ty,
            })
        })
        .collect::<Result<_, String>>()?;
    Ok(Record {
        docs: docs(attrs),
        repr: repr(attrs),
        name,
        is_union,
        fields,
    })
}

fn enumeration(item: &ItemEnum, is_flags: bool) -> Result<Enum, String> {
    let enumerators = item.variants.iter().map(|variant| {
        let (_, value) = variant
            .discriminant
            .as_ref()
            .ok_or_else(|| format!("{} has no value", variant.ident))?;
        Ok(Enumerator {
            name: variant.ident.to_string(),
            docs: docs(&variant.attrs),
            literal: spelt(value.to_token_stream()),
        })
    });
    Ok(Enum {
        name: item.ident.to_string(),
        docs: docs(&item.attrs),
        is_flags,
        enumerators: enumerators.collect::<Result<_, String>>()?,
    })
}

fn constant(item: &ItemConst) -> Constant {
    Constant {
        name: item.ident.to_string(),
        docs: docs(&item.attrs),
        ty: item.ty.to_token_stream().to_string(),
        value: spelt(item.expr.to_token_stream()),
    }
}

/// Calling convention, parameters and result of `Option<unsafe extern "..." fn(...) -> ...>`.
pub(crate) type Signature = (String, Vec<(String, Type)>, Option<Type>);

pub(crate) fn function_pointer(ty: &Type) -> Result<Option<Signature>, String> {
    let Type::Path(path) = ty else {
        return Ok(None);
    };
    let Some(option) = path
        .path
        .segments
        .last()
        .filter(|last| last.ident == "Option")
    else {
        return Ok(None);
    };
    let odd = || format!("not a nullable function pointer: {}", ty.to_token_stream());
    let syn::PathArguments::AngleBracketed(arguments) = &option.arguments else {
        return Err(odd());
    };
    let Some(syn::GenericArgument::Type(Type::BareFn(function))) = arguments.args.first() else {
        return Err(odd());
    };
    let abi = match &function.abi {
        Some(abi) => abi.name.as_ref().map_or("C".into(), syn::LitStr::value),
        None => "Rust".into(),
    };
    let parameters = function.inputs.iter().map(|input| {
        let (name, _) = input.name.as_ref().ok_or_else(odd)?;
        Ok((name.to_string(), input.ty.clone()))
    });
    let result = match &function.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) => Some((**ty).clone()),
    };
    Ok(Some((
        abi,
        parameters.collect::<Result<_, String>>()?,
        result,
    )))
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn repr(attrs: &[Attribute]) -> String {
    let reprs = attrs.iter().filter(|attr| attr.path().is_ident("repr"));
    let arguments = reprs.filter_map(|attr| match &attr.meta {
        Meta::List(list) => Some(list.tokens.to_string()),
        _ => None,
    });
    arguments.collect::<Vec<_>>().join(", ")
}

pub(crate) fn docs(attrs: &[Attribute]) -> Vec<String> {
    let docs = attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    docs.filter_map(|attr| match &attr.meta {
        Meta::NameValue(doc) => match &doc.value {
            Expr::Lit(doc) => match &doc.lit {
                Lit::Str(doc) => Some(doc.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
    .collect()
}

fn spelt(tokens: TokenStream) -> String {
    let words = tokens.into_iter().map(|token| match token {
        TokenTree::Literal(literal) => literal.to_string().replace('_', ""),
        other => other.to_string(),
    });
    words.collect::<Vec<_>>().join(" ")
}
