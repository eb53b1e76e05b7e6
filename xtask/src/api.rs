//! What `api-sys` declares, read from its source.

pub mod bindings;
pub mod facts;
pub mod header;
pub mod layout;
pub mod layout_check;

use std::collections::BTreeMap;
use std::path::Path;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Expr, Fields, FnArg, GenericArgument, Item, Lit, Pat, PathArguments, ReturnType,
    TraitItem, Type,
};

use crate::Error;
use crate::ddi::{docs, function_pointer, parse};

/// All declarations by name.
#[derive(Debug, Default)]
pub struct Api {
    /// Structures and unions, those that windows-bindgen makes of anonymous unions included.
    pub records: BTreeMap<String, Record>,
    /// Enumerations: aliases of an integer that constants are of.
    pub enums: BTreeMap<String, Enum>,
    /// Function pointer types.
    pub functions: BTreeMap<String, Function>,
    /// Interfaces that are written by hand.
    pub interfaces: BTreeMap<String, Interface>,
    /// Constants that are GUIDs: documentation and value.
    pub guids: BTreeMap<String, (Docs, u128)>,
    /// Other constants: documentation, C type, value as the source spells it.
    pub constants: BTreeMap<String, (Docs, String, String)>,
}

/// Documentation, a line each.
pub type Docs = Vec<String>;

/// A structure or a union.
#[derive(Debug)]
pub struct Record {
    /// Documentation.
    pub docs: Docs,
    /// Whether it is a union.
    pub is_union: bool,
    /// Names, documentation and C types of the members.
    pub fields: Vec<(String, Docs, String)>,
}

/// An enumeration.
#[derive(Debug)]
pub struct Enum {
    /// Documentation.
    pub docs: Docs,
    /// Whether its enumerators are flags.
    pub is_flags: bool,
}

/// A function pointer type, or a method.
#[derive(Clone, Debug)]
pub struct Function {
    /// Documentation.
    pub docs: Docs,
    /// Names and C types of the parameters.
    pub parameters: Vec<(String, String)>,
    /// C type of the result.
    pub result: String,
}

/// An interface.
#[derive(Debug)]
pub struct Interface {
    /// Documentation.
    pub docs: Docs,
    /// IID.
    pub iid: u128,
    /// What it extends; nothing when it is not even an `IUnknown`.
    pub base: Option<String>,
    /// Its own methods in order: names, and what they are without `This`.
    pub methods: Vec<(String, Function)>,
}

impl Api {
    /// Reads the crate whose `lib.rs` is in `source`.
    ///
    /// # Errors
    /// A file cannot be read or parsed, or declares something that this module does not know.
    pub fn read(source: &Path) -> Result<Self, Error> {
        let mut api = Self::default();
        for item in parse(source.join("lib.rs"))?.items {
            let Item::Mod(module) = item else { continue };
            let name = module.ident.to_string();
            // The proof that is generated from the facts, and what Rust alone has.
            if ["compatibility", "layout", "stream", "version"].contains(&name.as_str()) {
                continue;
            }
            let items = parse(source.join(format!("{name}.rs")))?.items;
            api.add(&items)
                .map_err(|what| Error::Unsupported { module: name, what })?;
        }
        Ok(api)
    }

    /// The members of a record as each language reaches them: those of a union that has no name in C
    /// by their own name there, through `Anonymous` in Rust.
    pub fn members(&self, record: &str) -> Vec<Member<'_>> {
        let mut members = Vec::new();
        for (name, docs, ty) in &self.records[record].fields {
            match self.records.get(ty).filter(|_| name == "Anonymous") {
                Some(union) => members.extend(union.fields.iter().map(|(arm, docs, ty)| Member {
                    c: arm,
                    rust: format!("{name}.{arm}"),
                    docs,
                    ty,
                })),
                None => members.push(Member {
                    c: name,
                    rust: name.clone(),
                    docs,
                    ty,
                }),
            }
        }
        members
    }

    fn add(&mut self, items: &[Item]) -> Result<(), String> {
        let mut templates = BTreeMap::new();
        for item in items {
            match item {
                Item::Struct(item) => {
                    let name = item.ident.to_string();
                    let Fields::Named(fields) = &item.fields else {
                        continue;
                    };
                    if let Some(interface) = name.strip_suffix("_Vtbl") {
                        self.table_of_methods(interface, &fields.named)?;
                    } else {
                        let record = record(&item.attrs, false, &fields.named)?;
                        self.records.insert(name, record);
                    }
                }
                Item::Union(item) => {
                    let record = record(&item.attrs, true, &item.fields.named)?;
                    self.records.insert(item.ident.to_string(), record);
                }
                Item::Type(item) => {
                    let (name, docs) = (item.ident.to_string(), docs(&item.attrs));
                    if let Some((_, parameters, result)) = function_pointer(&item.ty)? {
                        let function = function(docs, parameters, result)?;
                        self.functions.insert(name, function);
                    } else if let ty @ ("i32" | "u32") =
                        item.ty.to_token_stream().to_string().as_str()
                    {
                        let is_flags = ty == "u32";
                        self.enums.insert(name, Enum { docs, is_flags });
                    }
                }
                Item::Const(item) => {
                    let (name, docs) = (item.ident.to_string(), docs(&item.attrs));
                    let value = item.expr.to_token_stream().to_string();
                    match to_c("", &item.ty)?.as_str() {
                        "GUID" => {
                            let guid = guid_literal(&item.expr);
                            let guid = guid.ok_or_else(|| format!("{name} is no GUID literal"))?;
                            self.guids.insert(name, (docs, guid));
                        }
                        ty => {
                            self.constants.insert(name, (docs, ty.into(), value));
                        }
                    }
                }
                Item::Trait(item) => {
                    // Not those that windows-bindgen makes for implementations.
                    if let Some(attribute) = find(&item.attrs, "interface") {
                        self.interface(item, attribute)?;
                    }
                }
                Item::Macro(item) => {
                    let name = item.mac.path.to_token_stream().to_string();
                    if let Some(ident) = &item.ident {
                        templates.insert(ident.to_string(), item.mac.tokens.clone());
                    } else if let Some(template) = templates.get(&name)
                        && is_for_others_than_windows(&item.attrs)
                    {
                        let tokens = expanded(template, &item.mac.tokens);
                        let file: syn::File =
                            syn::parse2(tokens).map_err(|error| error.to_string())?;
                        self.add(&file.items)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn interface(&mut self, item: &syn::ItemTrait, attribute: &Attribute) -> Result<(), String> {
        let iid: syn::LitStr = attribute.parse_args().map_err(|error| error.to_string())?;
        let iid = u128::from_str_radix(&iid.value().replace('-', ""), 16);
        let mut methods = Vec::new();
        for method in &item.items {
            let TraitItem::Verbatim(tokens) = method else {
                return Err(format!("{}: not a public method", item.ident));
            };
            // The methods have a visibility, which no method of a trait has in Rust.
            let method: syn::ForeignItemFn =
                syn::parse2(tokens.clone()).map_err(|error| format!("{}: {error}", item.ident))?;
            let parameters = method.sig.inputs.iter().filter_map(|input| match input {
                FnArg::Receiver(_) => None,
                FnArg::Typed(input) => Some(match &*input.pat {
                    Pat::Ident(name) => Ok((name.ident.to_string(), (*input.ty).clone())),
                    _ => Err(format!("{}: a parameter without a name", method.sig.ident)),
                }),
            });
            let result = match &method.sig.output {
                ReturnType::Default => None,
                ReturnType::Type(_, ty) => Some((**ty).clone()),
            };
            let parameters = parameters.collect::<Result<_, _>>()?;
            let signature = function(docs(&method.attrs), parameters, result)?;
            methods.push((method.sig.ident.to_string(), signature));
        }
        let interface = Interface {
            docs: docs(&item.attrs),
            iid: iid.map_err(|error| format!("{}: {error}", item.ident))?,
            base: item
                .supertraits
                .first()
                .map(|base| base.to_token_stream().to_string()),
            methods,
        };
        self.interfaces.insert(item.ident.to_string(), interface);
        Ok(())
    }

    /// An interface that is not an `IUnknown` is written as C writes it: `X` with a pointer to
    /// `X_Vtbl`. Those that windows-bindgen writes are only passed on, and not read.
    fn table_of_methods<'a>(
        &mut self,
        name: &str,
        fields: impl IntoIterator<Item = &'a syn::Field>,
    ) -> Result<(), String> {
        let Some(&(_, iid)) = self.guids.get(&format!("IID_{name}")) else {
            return Ok(());
        };
        let record = self.records.remove(name);
        let mut interface = Interface {
            docs: record.map(|record| record.docs).unwrap_or_default(),
            iid,
            base: None,
            methods: Vec::new(),
        };
        for field in fields {
            let Type::BareFn(method) = &field.ty else {
                return Err(format!("{name}_Vtbl: not only methods"));
            };
            let own = field.ident.as_ref().map(ToString::to_string);
            let parameters = method.inputs.iter().skip(1).filter_map(|input| {
                let (name, _) = input.name.as_ref()?;
                Some((name.to_string(), input.ty.clone()))
            });
            let result = match &method.output {
                ReturnType::Default => None,
                ReturnType::Type(_, ty) => Some((**ty).clone()),
            };
            let method = function(docs(&field.attrs), parameters.collect(), result)?;
            interface.methods.push((own.unwrap_or_default(), method));
        }
        self.interfaces.insert(name.into(), interface);
        Ok(())
    }
}

/// A member of a record, as each language reaches it.
#[derive(Debug)]
pub struct Member<'a> {
    /// `pGenericProgram`.
    pub c: &'a str,
    /// `Anonymous.pGenericProgram`.
    pub rust: String,
    /// Documentation.
    pub docs: &'a Docs,
    /// C type.
    pub ty: &'a str,
}

fn record<'a>(
    attrs: &[Attribute],
    is_union: bool,
    fields: impl IntoIterator<Item = &'a syn::Field>,
) -> Result<Record, String> {
    let fields = fields.into_iter().map(|field| {
        let name = field.ident.as_ref().map(ToString::to_string);
        let name = name.unwrap_or_default();
        let ty = to_c(&name, &field.ty)?;
        Ok((name, docs(&field.attrs), ty))
    });
    Ok(Record {
        docs: docs(attrs),
        is_union,
        fields: fields.collect::<Result<_, String>>()?,
    })
}

fn function(
    docs: Docs,
    parameters: Vec<(String, Type)>,
    result: Option<Type>,
) -> Result<Function, String> {
    let parameters = parameters.into_iter().map(|(name, ty)| {
        let ty = match to_c(&name, &ty)?.as_str() {
            "const GUID*" => reference_to_guid(&name).into(),
            ty => ty.to_owned(),
        };
        Ok((name, ty))
    });
    Ok(Function {
        docs,
        parameters: parameters.collect::<Result<_, String>>()?,
        result: match result {
            Some(ty) => to_c("", &ty)?,
            None => "void".into(),
        },
    })
}

/// A pointer in C, a reference in C++; Microsoft has a name for each use.
fn reference_to_guid(name: &str) -> &'static str {
    match name {
        "riid" => "REFIID",
        "rclsid" => "REFCLSID",
        _ => "REFGUID",
    }
}

/// The members with the parts of a version.
const VERSION_PARTS: [&str; 5] = ["VersionParts", "Revision", "Build", "Minor", "Major"];

/// The C spelling of a type; what is called `name` is of it.
fn to_c(name: &str, ty: &Type) -> Result<String, String> {
    let odd = || format!("{name}: {} has no C form here", ty.to_token_stream());
    Ok(match ty {
        Type::Path(path) => {
            let last = path.path.segments.last().ok_or_else(odd)?;
            let argument = match &last.arguments {
                PathArguments::None => None,
                PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                    Some(GenericArgument::Type(ty)) => Some(ty),
                    _ => return Err(odd()),
                },
                PathArguments::Parenthesized(_) => return Err(odd()),
            };
            match (last.ident.to_string().as_str(), argument) {
                // A pointer to an interface: given, held, and a place for one.
                ("Ref" | "Option", Some(interface)) => format!("{}*", to_c(name, interface)?),
                ("ManuallyDrop", Some(option)) => to_c(name, option)?,
                ("c_void", None) => "void".into(),
                ("u64", None) => "UINT64".into(),
                ("u32", None) => "UINT".into(),
                ("i32", None) => "INT".into(),
                // What are numbers, not characters: the parts of a version.
                ("u16", None) if VERSION_PARTS.contains(&name) => "UINT16".into(),
                ("u16", None) => "WCHAR".into(),
                ("u8", None) => "UINT8".into(),
                ("usize", None) => "SIZE_T".into(),
                ("f32", None) => "FLOAT".into(),
                ("PCWSTR", None) => "LPCWSTR".into(),
                ("PCSTR", None) => "LPCSTR".into(),
                (ident, None) => ident.into(),
                _ => return Err(odd()),
            }
        }
        Type::Ptr(pointer) => {
            let pointee = to_c(name, &pointer.elem)?;
            match (pointer.mutability, pointee.ends_with('*')) {
                (Some(_), _) => format!("{pointee}*"),
                (None, true) => format!("{pointee}const*"),
                (None, false) => format!("const {pointee}*"),
            }
        }
        Type::Array(array) => {
            let element = to_c(name, &array.elem)?;
            format!("{element}[{}]", array.len.to_token_stream())
        }
        _ => return Err(odd()),
    })
}

fn find<'a>(attrs: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attrs.iter().find(|attr| attr.path().is_ident(name))
}

/// Whether an item is `#[cfg(not(windows))]`.
fn is_for_others_than_windows(attrs: &[Attribute]) -> bool {
    find(attrs, "cfg").is_some_and(|cfg| {
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
