//! What the probes' object files hold.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use object::{Object, ObjectSection, ObjectSymbol};

use super::{FUNCTION, TABLE};
use crate::Error;

/// Reads the table's numbers out of an object file.
pub fn table(path: &Path, len: usize) -> Result<Vec<u32>, Error> {
    let bytes = fs::read(path).map_err(Error::file(path))?;
    let odd = |what: &str| Error::Object {
        file: path.display().to_string(),
        what: what.into(),
    };
    let file = object::File::parse(&*bytes).map_err(|error| odd(&error.to_string()))?;
    let symbol = file
        .symbols()
        .find(|symbol| {
            symbol
                .name()
                .is_ok_and(|name| name.trim_start_matches('_') == TABLE)
        })
        .ok_or_else(|| odd("no table"))?;
    let section = symbol
        .section_index()
        .and_then(|index| file.section_by_index(index).ok())
        .ok_or_else(|| odd("the table is in no section"))?;
    let data = section.data().map_err(|error| odd(&error.to_string()))?;
    let start = usize::try_from(symbol.address() - section.address());
    let table = start
        .ok()
        .and_then(|start| data.get(start..start + 4 * len))
        .ok_or_else(|| odd("the table is cut off"))?;
    let (words, _) = table.as_chunks::<4>();
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// The functions' symbols by the name of their type.
pub fn function_symbols(path: &Path) -> Result<BTreeMap<String, String>, Error> {
    let bytes = fs::read(path).map_err(Error::file(path))?;
    let file = object::File::parse(&*bytes).map_err(|error| Error::Object {
        file: path.display().to_string(),
        what: error.to_string(),
    })?;
    let names = file
        .symbols()
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    Ok(names
        .filter_map(|symbol| {
            let function = symbol.trim_start_matches('_').strip_prefix(FUNCTION)?;
            let function = function.split('@').next()?.to_owned();
            Some((function, symbol))
        })
        .collect())
}
