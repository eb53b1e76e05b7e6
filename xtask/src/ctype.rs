//! C spelling of types, and back.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use crate::input::Input;

/// The members with the parts of a version.
const VERSION_PARTS: [&str; 5] = ["VersionParts", "Revision", "Build", "Minor", "Major"];

/// The C spelling of the Rust type of what is called `name`: `*const UINT` is `const UINT*`,
/// `[WCHAR; 128]` is `WCHAR[128]`. `None` for a type that has no C form here.
///
/// ```
/// use xtask::{ctype::to_c, input::Input};
///
/// let c = |rust| to_c(Input::Plugin, "", &syn::parse_str(rust).unwrap());
/// assert_eq!(c("*const *const T").as_deref(), Some("const T*const*"));
/// assert_eq!(c("*mut c_void").as_deref(), Some("void*"));
/// assert_eq!(c("[DXGI_FORMAT; 8]").as_deref(), Some("DXGI_FORMAT[8]"));
/// assert_eq!(c("[[FLOAT; 4]; 3]").as_deref(), Some("FLOAT[3][4]"));
/// assert_eq!(c("&u8"), None);
///
/// let c = |name, rust| to_c(Input::Api, name, &syn::parse_str(rust).unwrap());
/// assert_eq!(c("ppBlob", "*mut Option<ID3DBlob>").as_deref(), Some("ID3DBlob**"));
/// assert_eq!(c("szName", "*const u16").as_deref(), Some("const WCHAR*"));
/// assert_eq!(c("Major", "u16").as_deref(), Some("UINT16"));
/// ```
pub fn to_c(input: Input, name: &str, ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            let ident = last.ident.to_string();
            match &last.arguments {
                PathArguments::None if ident == "c_void" => "void".into(),
                PathArguments::None if input == Input::Api => c_name(name, &ident).into(),
                PathArguments::None => ident,
                PathArguments::AngleBracketed(arguments) => {
                    let GenericArgument::Type(argument) = arguments.args.first()? else {
                        return None;
                    };
                    let argument = to_c(input, name, argument)?;
                    match ident.as_str() {
                        // A pointer to an interface: given, held, and a place for one.
                        "Ref" | "Option" => format!("{argument}*"),
                        "ManuallyDrop" => argument,
                        _ => return None,
                    }
                }
                PathArguments::Parenthesized(_) => return None,
            }
        }
        Type::Ptr(pointer) => {
            let pointee = to_c(input, name, &pointer.elem)?;
            match (pointer.mutability, pointee.ends_with('*')) {
                (Some(_), _) => format!("{pointee}*"),
                (None, true) => format!("{pointee}const*"),
                (None, false) => format!("const {pointee}*"),
            }
        }
        Type::Array(array) => {
            // C has the outer length first.
            let element = to_c(input, name, &array.elem)?;
            let (element, inner) = element.split_at(element.find('[').unwrap_or(element.len()));
            format!("{element}[{}]{inner}", array.len.to_token_stream())
        }
        _ => return None,
    })
}

/// C's name of a type that windows-bindgen and windows-core call `ident`; what is called `name` is of it.
fn c_name<'a>(name: &str, ident: &'a str) -> &'a str {
    match ident {
        "u64" => "UINT64",
        "u32" => "UINT",
        "i32" => "INT",
        // What are numbers, not characters: the parts of a version.
        "u16" if VERSION_PARTS.contains(&name) => "UINT16",
        "u16" => "WCHAR",
        "u8" => "UINT8",
        "usize" => "SIZE_T",
        "f32" => "FLOAT",
        "PCWSTR" => "LPCWSTR",
        "PCSTR" => "LPCSTR",
        _ => ident,
    }
}

/// The Rust spelling of a C type as [`to_c`] writes it.
///
/// ```
/// assert_eq!(xtask::ctype::to_rust("const T*const*"), "*const *const T");
/// assert_eq!(xtask::ctype::to_rust("void*"), "*mut c_void");
/// assert_eq!(xtask::ctype::to_rust("UINT16[4]"), "[UINT16; 4]");
/// assert_eq!(xtask::ctype::to_rust("FLOAT[3][4]"), "[[FLOAT; 4]; 3]");
/// ```
pub fn to_rust(c: &str) -> String {
    if let Some((element, lens)) = c.strip_suffix(']').and_then(|c| c.split_once('[')) {
        let (len, inner) = lens.split_once("][").unwrap_or((lens, ""));
        let element = match inner {
            "" => element.to_owned(),
            inner => format!("{element}[{inner}]"),
        };
        return format!("[{}; {len}]", to_rust(&element));
    }
    let Some(pointee) = c.strip_suffix('*') else {
        return if c == "void" { "c_void" } else { c }.to_owned();
    };
    match (
        pointee.strip_suffix("*const"),
        pointee.strip_prefix("const "),
    ) {
        (Some(inner), _) => format!("*const {}", to_rust(&format!("{inner}*"))),
        (None, Some(inner)) if !inner.ends_with('*') => format!("*const {}", to_rust(inner)),
        _ => format!("*mut {}", to_rust(pointee)),
    }
}
