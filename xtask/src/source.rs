//! What `ddi-sys` and `api-sys` declare of C, read from their source.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{
    Attribute, Expr, Fields, FnArg, Item, ItemConst, ItemEnum, Lit, Meta, Pat, ReturnType,
    TraitItem, Type,
};

use crate::Error;
use crate::ctype::to_c;
use crate::input::Input;
use crate::names::{Named, Signature, find, named};

/// Modules that declare nothing of C: the proof that is generated from the facts; functions and what Rust alone has;
/// structures without members, which the header declares by name alone.
const NOT_OF_C: [&str; 7] = [
    "api_handle",
    "assumed",
    "layout",
    "newer_versions",
    "opaque",
    "stream",
    "version",
];

/// All declarations, each kind in the order of the source.
#[derive(Debug)]
pub struct Declarations {
    /// What was read.
    pub input: Input,
    /// Structures and unions.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enums: Vec<Enum>,
    /// Windows base types, as Rust has them.
    pub base_types: Vec<Alias>,
    /// Other names of types.
    pub aliases: Vec<Alias>,
    /// Function pointer types.
    pub functions: Vec<Function>,
    /// Interfaces that are written by hand.
    pub interfaces: Vec<Interface>,
    /// Constants that are GUIDs.
    pub guids: Vec<Guid>,
    /// Constants outside enumerations.
    pub constants: Vec<Constant>,
}

/// Documentation, a line each.
pub type Docs = Vec<String>;

/// A structure or a union.
#[derive(Debug)]
pub struct Record {
    /// C name.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
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
    /// C name; `Anonymous` and perhaps a number for an anonymous union.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// C type.
    pub ty: String,
}

/// An enumeration.
#[derive(Debug)]
pub struct Enum {
    /// C name.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// Whether its enumerators are flags.
    pub is_flags: bool,
    /// Whether Rust has a type of its own for it, not an integer.
    pub is_newtype: bool,
    /// Enumerators in order.
    pub enumerators: Vec<Enumerator>,
}

/// An enumerator.
#[derive(Debug)]
pub struct Enumerator {
    /// C name.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// The number as C spells it.
    pub literal: String,
}

/// Another name of a type.
#[derive(Debug)]
pub struct Alias {
    /// C name.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// The type it names.
    pub ty: String,
}

/// A function pointer type, or a method.
#[derive(Clone, Debug)]
pub struct Function {
    /// C name.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// Calling convention: `system` is right.
    pub abi: String,
    /// Parameters and result, of a method without `This`.
    pub signature: Signature,
}

/// An interface.
#[derive(Debug)]
pub struct Interface {
    /// C name.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// IID.
    pub iid: u128,
    /// What it extends; nothing when it is not even an `IUnknown`.
    pub base: Option<String>,
    /// Its own methods in order.
    pub methods: Vec<Function>,
}

/// A constant that is a GUID.
#[derive(Debug)]
pub struct Guid {
    /// C name.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// The GUID.
    pub value: u128,
}

/// A constant outside enumerations.
#[derive(Debug)]
pub struct Constant {
    /// C name.
    pub name: String,
    /// Documentation.
    pub docs: Docs,
    /// C type.
    pub ty: String,
    /// The value as the source spells it, without underscores in numbers.
    pub value: String,
}

named!(
    Record, Enum, Enumerator, Alias, Function, Interface, Guid, Constant
);

impl Declarations {
    /// Reads the declarations of an input, of the crate whose `lib.rs` is in `source`.
    ///
    /// # Errors
    ///
    /// A file cannot be read or parsed, or declares something that this module does not know.
    pub fn read(source: &Path, input: Input) -> Result<Self, Error> {
        let mut declarations = Self {
            input,
            records: Vec::new(),
            enums: Vec::new(),
            base_types: Vec::new(),
            aliases: Vec::new(),
            functions: Vec::new(),
            interfaces: Vec::new(),
            guids: Vec::new(),
            constants: Vec::new(),
        };
        declarations.read_modules(&source.join("lib.rs"), source)?;
        if input == Input::Usermode {
            declarations.read_modules(&source.join("umd.rs"), &source.join("umd"))?;
        }
        Ok(declarations)
    }

    /// Reads the modules that `parent` declares, whose files are in `folder`.
    fn read_modules(&mut self, parent: &Path, folder: &Path) -> Result<(), Error> {
        for item in parse(parent.to_owned())?.items {
            let Item::Mod(module) = item else { continue };
            let name = module.ident.to_string();
            if name == "umd" || NOT_OF_C.contains(&name.as_str()) {
                continue;
            }
            let items = parse(folder.join(format!("{name}.rs")))?.items;
            self.add(&name, items)
                .and_then(|()| self.sort_enumerators())
                .map_err(|what| Error::Unsupported { module: name, what })?;
        }
        Ok(())
    }

    /// The names of the structures without members.
    ///
    /// # Errors
    ///
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
        find(&self.records, name).is_some()
            || find(&self.enums, name).is_some()
            || find(&self.base_types, name).is_some()
            || find(&self.aliases, name).is_some()
            || find(&self.functions, name).is_some()
            || find(&self.constants, name).is_some()
    }

    /// The record that has the union `name` as its only use and gives it its name: in C the union
    /// is declared in place.
    pub fn owner_of(&self, name: &str) -> Option<&Record> {
        find(&self.records, name).filter(|record| record.is_union)?;
        self.records.iter().find(|record| {
            name.strip_prefix(&record.name)
                .is_some_and(|rest| rest.starts_with('_'))
                && record.fields.iter().any(|field| field.ty == name)
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
            let union = find(&self.records, &field.ty);
            match union.filter(|union| self.owner_of(&union.name).is_some()) {
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

    fn add(&mut self, module: &str, items: Vec<Item>) -> Result<(), String> {
        let mut templates = BTreeMap::new();
        for item in items {
            match item {
                Item::Struct(item) => {
                    let (name, attrs) = (item.ident.to_string(), &item.attrs);
                    match item.fields {
                        Fields::Named(fields) => match name.strip_suffix("_Vtbl") {
                            Some(interface) => self.table_of_methods(interface, fields.named)?,
                            None => self.record(name, attrs, false, fields.named)?,
                        },
                        // A newtype is its content: `HRESULT`.
                        Fields::Unnamed(fields)
                            if fields.unnamed.len() == 1 && repr(attrs) == "transparent" =>
                        {
                            self.base_types.push(Alias {
                                name,
                                docs: docs(attrs),
                                ty: spelt(fields.unnamed[0].ty.to_token_stream()),
                            });
                        }
                        // An interface that is only passed on.
                        _ if self.input == Input::Api => {}
                        _ => return Err(format!("{name}: not a structure of C")),
                    }
                }
                Item::Union(item) => {
                    let (name, attrs) = (item.ident.to_string(), &item.attrs);
                    self.record(name, attrs, true, item.fields.named)?;
                }
                Item::Type(item) => self.alias(module, &item)?,
                Item::Const(item) if is_public(&item.vis) => self.constant(&item)?,
                Item::Trait(item) => {
                    // Not those that windows-bindgen makes for implementations.
                    if let Some(attribute) = find_attribute(&item.attrs, "interface") {
                        self.interface(&item, attribute)?;
                    }
                }
                Item::Macro(item) => {
                    let name = item.mac.path.to_token_stream().to_string();
                    let error = |error: syn::Error| format!("{name}!: {error}");
                    let tokens = item.mac.tokens.clone();
                    match (name.as_str(), &item.ident) {
                        (_, Some(ident)) => {
                            templates.insert(ident.to_string(), tokens);
                        }
                        ("ddi_enum" | "ddi_flags", _) => {
                            let item = syn::parse2(tokens).map_err(error)?;
                            self.enums.push(enumeration(&item, name == "ddi_flags")?);
                        }
                        ("hresults", _) => {
                            let constants = |input: ParseStream<'_>| {
                                let mut constants = Vec::<ItemConst>::new();
                                while !input.is_empty() {
                                    constants.push(input.parse()?);
                                }
                                Ok(constants)
                            };
                            for item in constants.parse2(tokens).map_err(error)? {
                                self.constant(&item)?;
                            }
                        }
                        _ => {
                            if let Some(template) = templates.get(&name) {
                                if is_for_others_than_windows(&item.attrs) {
                                    let tokens = expanded(template, &tokens);
                                    let file: syn::File = syn::parse2(tokens).map_err(error)?;
                                    self.add(module, file.items)?;
                                }
                            } else if !name.starts_with("windows_core ::") {
                                return Err(format!("{name}! is not known"));
                            }
                        }
                    }
                }
                Item::Impl(_) | Item::Use(_) | Item::Mod(_) => {}
                other => {
                    return Err(format!(
                        "not a declaration of C: {}",
                        other.to_token_stream()
                    ));
                }
            }
        }
        Ok(())
    }

    fn alias(&mut self, module: &str, item: &syn::ItemType) -> Result<(), String> {
        let (name, docs) = (item.ident.to_string(), docs(&item.attrs));
        if let Some(function) = function_pointer(&item.ty)? {
            let function = self.pointer(name, docs, function, 0)?;
            self.functions.push(function);
            return Ok(());
        }
        let spelling = spelt(item.ty.to_token_stream());
        match (module, spelling.as_str()) {
            ("base", _) => self.base_types.push(Alias {
                name,
                docs,
                ty: spelling,
            }),
            (_, "i32" | "u32") => self.enums.push(Enum {
                name,
                docs,
                is_flags: spelling == "u32",
                is_newtype: false,
                enumerators: Vec::new(),
            }),
            _ => self.aliases.push(Alias {
                ty: self.c_type(&name, &item.ty)?,
                name,
                docs,
            }),
        }
        Ok(())
    }

    fn constant(&mut self, item: &ItemConst) -> Result<(), String> {
        let (name, docs) = (item.ident.to_string(), docs(&item.attrs));
        let ty = self.c_type(&name, &item.ty)?;
        if ty == "GUID" {
            let value = guid_literal(&item.expr);
            let value = value.ok_or_else(|| format!("{name} is no GUID literal"))?;
            self.guids.push(Guid { name, docs, value });
        } else {
            self.constants.push(Constant {
                name,
                docs,
                ty,
                value: spelt(item.expr.to_token_stream()),
            });
        }
        Ok(())
    }

    /// Moves the constants whose type is an enumeration to it, with a decimal number.
    fn sort_enumerators(&mut self) -> Result<(), String> {
        let enums = &mut self.enums;
        let is_enumerator = |constant: &mut Constant| find(enums, &constant.ty).is_some();
        let enumerators: Vec<_> = self.constants.extract_if(.., is_enumerator).collect();
        for constant in enumerators {
            let Constant {
                name,
                docs,
                ty,
                value,
            } = constant;
            // 32 bits, whatever sign Rust's type gives them.
            let text = value.replace(' ', "");
            let number = match text.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16).map(u32::cast_signed),
                None => text.parse().or_else(|_| text.parse().map(u32::cast_signed)),
            };
            let number = number.map_err(|error| format!("{name} = {value}: {error}"))?;
            let owner = enums.iter_mut().find(|item| item.name == ty);
            owner
                .expect("extracted for it")
                .enumerators
                .push(Enumerator {
                    name,
                    docs,
                    literal: number.to_string(),
                });
        }
        Ok(())
    }

    fn interface(&mut self, item: &syn::ItemTrait, attribute: &Attribute) -> Result<(), String> {
        let name = item.ident.to_string();
        let error = |error: &dyn ToString| format!("{name}: {}", error.to_string());
        let iid: syn::LitStr = attribute.parse_args().map_err(|e| error(&e))?;
        let iid = iid.value().replace('-', "");
        let mut methods = Vec::new();
        for method in &item.items {
            let TraitItem::Verbatim(tokens) = method else {
                return Err(error(&"not a public method"));
            };
            // The methods have a visibility, which no method of a trait has in Rust.
            let method: syn::ForeignItemFn = syn::parse2(tokens.clone()).map_err(|e| error(&e))?;
            let parameters = method.sig.inputs.iter().filter_map(|input| match input {
                FnArg::Receiver(_) => None,
                FnArg::Typed(input) => Some(match &*input.pat {
                    Pat::Ident(name) => Ok((name.ident.to_string(), &*input.ty)),
                    _ => Err(error(&"a parameter without a name")),
                }),
            });
            methods.push(Function {
                name: method.sig.ident.to_string(),
                docs: docs(&method.attrs),
                abi: "system".into(),
                signature: self
                    .signature(parameters.collect::<Result<_, _>>()?, &method.sig.output)?,
            });
        }
        let base = item.supertraits.first();
        let interface = Interface {
            docs: docs(&item.attrs),
            iid: u128::from_str_radix(&iid, 16).map_err(|e| error(&e))?,
            base: base.map(|base| base.to_token_stream().to_string()),
            methods,
            name,
        };
        self.interfaces.push(interface);
        Ok(())
    }

    /// An interface that is not an `IUnknown` is written as C writes it: `X` with a pointer to
    /// `X_Vtbl`. Those that windows-bindgen writes are only passed on, and not read.
    fn table_of_methods(
        &mut self,
        name: &str,
        fields: impl IntoIterator<Item = syn::Field>,
    ) -> Result<(), String> {
        let Some(guid) = find(&self.guids, &format!("IID_{name}")) else {
            return Ok(());
        };
        let mut interface = Interface {
            name: name.into(),
            docs: Vec::new(),
            iid: guid.value,
            base: None,
            methods: Vec::new(),
        };
        if let Some(index) = self.records.iter().position(|record| record.name == name) {
            interface.docs = self.records.remove(index).docs;
        }
        for field in fields {
            let Type::BareFn(method) = &field.ty else {
                return Err(format!("{name}_Vtbl: not only methods"));
            };
            let own = field
                .ident
                .as_ref()
                .map_or(String::new(), ToString::to_string);
            let method = self.pointer(own, docs(&field.attrs), method, 1)?;
            interface.methods.push(method);
        }
        self.interfaces.push(interface);
        Ok(())
    }

    fn record(
        &mut self,
        name: String,
        attrs: &[Attribute],
        is_union: bool,
        fields: impl IntoIterator<Item = syn::Field>,
    ) -> Result<(), String> {
        let fields = fields.into_iter().map(|field| {
            let own = field.ident.as_ref().map(ToString::to_string);
            let own = own.ok_or_else(|| name.clone())?;
            Ok(Field {
                ty: self.c_type(&own, &field.ty)?,
                name: own,
                docs: docs(&field.attrs),
            })
        });
        let fields = fields.collect::<Result<_, String>>()?;
        self.records.push(Record {
            fields,
            docs: docs(attrs),
            repr: repr(attrs),
            name,
            is_union,
        });
        Ok(())
    }

    /// A pointer to a function, without the first `skipped` parameters.
    fn pointer(
        &self,
        name: String,
        docs: Docs,
        function: &syn::TypeBareFn,
        skipped: usize,
    ) -> Result<Function, String> {
        let parameters = function.inputs.iter().skip(skipped).map(|input| {
            let parameter = input.name.as_ref();
            let (own, _) =
                parameter.ok_or_else(|| format!("{name}: a parameter without a name"))?;
            Ok((own.to_string(), &input.ty))
        });
        let parameters = parameters.collect::<Result<_, String>>()?;
        Ok(Function {
            docs,
            abi: match &function.abi {
                Some(abi) => abi.name.as_ref().map_or("C".into(), syn::LitStr::value),
                None => "Rust".into(),
            },
            signature: self.signature(parameters, &function.output)?,
            name,
        })
    }

    fn signature(
        &self,
        parameters: Vec<(String, &Type)>,
        result: &ReturnType,
    ) -> Result<Signature, String> {
        let parameters = parameters.into_iter().map(|(name, ty)| {
            let ty = match self.c_type(&name, ty)?.as_str() {
                // A pointer in C, a reference in C++; Microsoft has a name for each use.
                "const GUID*" => match name.as_str() {
                    "riid" => "REFIID",
                    "rclsid" => "REFCLSID",
                    _ => "REFGUID",
                }
                .into(),
                ty => ty.to_owned(),
            };
            Ok((name, ty))
        });
        Ok(Signature {
            parameters: parameters.collect::<Result<_, String>>()?,
            result: match result {
                ReturnType::Default => "void".into(),
                ReturnType::Type(_, ty) => self.c_type("", ty)?,
            },
        })
    }

    fn c_type(&self, name: &str, ty: &Type) -> Result<String, String> {
        to_c(self.input, name, ty)
            .ok_or_else(|| format!("{name}: {} has no C form here", ty.to_token_stream()))
    }
}

/// A member of a record, as each language reaches it.
#[derive(Debug)]
pub struct Member<'a> {
    /// `pInputSignature`, `IOSignatures.Standard`.
    pub c: String,
    /// `Anonymous1.pInputSignature`, `IOSignatures.Standard`.
    pub rust: String,
    /// C type.
    pub ty: &'a str,
    /// Documentation.
    pub docs: &'a Docs,
}

impl Named for Member<'_> {
    fn name(&self) -> &str {
        &self.c
    }
}

impl Field {
    /// Whether C declares its union without a name.
    pub fn is_anonymous(&self) -> bool {
        self.name
            .strip_prefix("Anonymous")
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

fn parse(path: PathBuf) -> Result<syn::File, Error> {
    let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
    syn::parse_file(&text).map_err(|source| Error::Parse { path, source })
}

fn enumeration(item: &ItemEnum, is_flags: bool) -> Result<Enum, String> {
    let enumerators = item.variants.iter().map(|variant| {
        let value = variant.discriminant.as_ref();
        let (_, value) = value.ok_or_else(|| format!("{} has no value", variant.ident))?;
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
        is_newtype: true,
        enumerators: enumerators.collect::<Result<_, String>>()?,
    })
}

/// The function of `Option<unsafe extern "..." fn(...) -> ...>`.
fn function_pointer(ty: &Type) -> Result<Option<&syn::TypeBareFn>, String> {
    let Type::Path(path) = ty else {
        return Ok(None);
    };
    let last = path.path.segments.last();
    let Some(option) = last.filter(|last| last.ident == "Option") else {
        return Ok(None);
    };
    if let syn::PathArguments::AngleBracketed(arguments) = &option.arguments
        && let Some(syn::GenericArgument::Type(Type::BareFn(function))) = arguments.args.first()
    {
        return Ok(Some(function));
    }
    let ty = ty.to_token_stream();
    Err(format!("not a nullable function pointer: {ty}"))
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn find_attribute<'a>(attrs: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attrs.iter().find(|attr| attr.path().is_ident(name))
}

fn repr(attrs: &[Attribute]) -> String {
    let reprs = attrs.iter().filter(|attr| attr.path().is_ident("repr"));
    let arguments = reprs.filter_map(|attr| match &attr.meta {
        Meta::List(list) => Some(list.tokens.to_string()),
        _ => None,
    });
    arguments.collect::<Vec<_>>().join(", ")
}

fn docs(attrs: &[Attribute]) -> Docs {
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

/// Whether an item is `#[cfg(not(windows))]`.
fn is_for_others_than_windows(attrs: &[Attribute]) -> bool {
    find_attribute(attrs, "cfg").is_some_and(|cfg| {
        let condition = cfg.meta.to_token_stream().to_string().replace(' ', "");
        condition == "cfg(not(windows))"
    })
}

/// The body of a macro whose only parameter is `$($name:tt)*`, with `tokens` for it.
fn expanded(template: &TokenStream, tokens: &TokenStream) -> TokenStream {
    let body = template
        .clone()
        .into_iter()
        .filter_map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                Some(group.stream())
            }
            _ => None,
        });
    body.map(|body| substituted(body, tokens)).collect()
}

/// `stream` with `tokens` in place of `$($name)*`.
fn substituted(stream: TokenStream, tokens: &TokenStream) -> TokenStream {
    let mut result = TokenStream::new();
    let mut stream = stream.into_iter();
    while let Some(token) = stream.next() {
        match token {
            TokenTree::Punct(dollar) if dollar.as_char() == '$' => {
                // The parameter in parentheses, and the star.
                stream.nth(1);
                result.extend(tokens.clone());
            }
            TokenTree::Group(group) => {
                let inner = substituted(group.stream(), tokens);
                result.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
            }
            other => result.extend([other]),
        }
    }
    result
}

/// The number in `GUID::from_u128(0x...)`.
fn guid_literal(expression: &Expr) -> Option<u128> {
    let Expr::Call(call) = expression else {
        return None;
    };
    match call.args.first()? {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
