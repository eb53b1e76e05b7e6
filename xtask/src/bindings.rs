//! `api-sys/src/d3d12.rs`: what windows-bindgen makes of Microsoft's metadata, which is part of it.

use std::fs;
use std::path::Path;

use crate::Error;

/// Enumerators that later headers spell or number otherwise; `d3d12_since_metadata.rs` has them.
const STALE: [&str; 2] = [
    "D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISITING_COLLECTION",
    "D3D12_STATE_SUBOBJECT_TYPE_MAX_VALID",
];

/// Members of later headers: what they come after, and they.
const LATER_MEMBERS: [(&str, &str); 1] = [(
    "pub union D3D12_VERSION_NUMBER {\n    pub Version: u64,\n",
    "    pub Components: crate::D3D12_VERSION_NUMBER_COMPONENTS,\n",
)];

/// The text of the file, of the names in `filter`.
///
/// # Errors
///
/// The metadata no longer has something that this removes or changes.
///
/// # Panics
///
/// windows-bindgen panics when the filter names something that the metadata does not have.
pub fn generate(filter: &Path) -> Result<String, Error> {
    let folder = tempfile::tempdir().map_err(Error::file("temporary folder".as_ref()))?;
    let file = folder.path().join("d3d12.rs");
    windows_bindgen::builder()
        .input_default()
        .output(&file)
        .flat()
        .filter_file(filter)
        .write();
    let mut text = fs::read_to_string(&file).map_err(Error::file(&file))?;
    for name in STALE {
        let start = text.find(&format!("pub const {name}:"));
        let range = start.and_then(|start| Some(start..start + text[start..].find(";\n")? + 2));
        let range = range.ok_or_else(|| Error::Unsupported {
            module: "d3d12".into(),
            what: format!(
                "the metadata no longer has {name}: remove it from xtask/src/bindings.rs"
            ),
        })?;
        text.replace_range(range, "");
    }
    for (before, members) in LATER_MEMBERS {
        let start = text.find(before).ok_or_else(|| Error::Unsupported {
            module: "d3d12".into(),
            what: format!("the metadata no longer has {before:?}: change what xtask/src/bindings.rs adds to it"),
        })?;
        text.insert_str(start + before.len(), members);
    }
    Ok(text)
}
