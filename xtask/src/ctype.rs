//! C spelling of the DDI's types, and back.

use syn::{Expr, Lit, Type};

/// The C spelling of a Rust type as the DDI uses it: `*const UINT` is `const UINT*`,
/// `[WCHAR; 128]` is `WCHAR[128]`. `None` for a type that has no C form here.
///
/// ```
/// let c = |rust| xtask::ctype::to_c(&syn::parse_str(rust).unwrap());
/// assert_eq!(c("*const *const T").as_deref(), Some("const T*const*"));
/// assert_eq!(c("*mut c_void").as_deref(), Some("void*"));
/// assert_eq!(c("[DXGI_FORMAT; 8]").as_deref(), Some("DXGI_FORMAT[8]"));
/// assert_eq!(c("[[FLOAT; 4]; 3]").as_deref(), Some("FLOAT[3][4]"));
/// assert_eq!(c("&u8"), None);
/// ```
pub fn to_c(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) if path.qself.is_none() => {
            let name = path.path.get_ident()?.to_string();
            Some(if name == "c_void" {
                "void".into()
            } else {
                name
            })
        }
        Type::Ptr(pointer) => {
            let pointee = to_c(&pointer.elem)?;
            Some(match (pointer.mutability, pointee.ends_with('*')) {
                (Some(_), _) => format!("{pointee}*"),
                (None, true) => format!("{pointee}const*"),
                (None, false) => format!("const {pointee}*"),
            })
        }
        Type::Array(array) => match &array.len {
            Expr::Lit(len) => match &len.lit {
                Lit::Int(len) => {
                    // C has the outer length first.
                    let element = to_c(&array.elem)?;
                    let (element, inner) =
                        element.split_at(element.find('[').unwrap_or(element.len()));
                    Some(format!("{element}[{len}]{inner}"))
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
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
