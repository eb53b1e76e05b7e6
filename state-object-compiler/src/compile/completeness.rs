//! Which values the objects of an output have.

use shader_db::psdb::{Psdb, ValueType, ValueTypes};

use crate::Result;

/// The types of value that have to be there when they are asked for. Metadata is what a compiler may provide.
const ASKED_FOR: [ValueType; 3] = [
    ValueType::ObjectCode,
    ValueType::DebugPdb,
    ValueType::PerformanceData,
];

/// The types of value that are asked for in a session, and of which no value key of the object has one.
pub fn lacking(database: &Psdb, group: &[u8], version: u32) -> Result<ValueTypes> {
    let asked_for = ASKED_FOR.map(ValueTypes::from);
    let asked_for = asked_for
        .into_iter()
        .fold(ValueTypes::NONE, |all, kind| all | kind);
    let mut keys = Vec::new();
    database.group_value_keys(group, version, &mut |key| keys.push(key.to_vec()))?;
    let mut lacking = ValueTypes::NONE;
    for kind in database
        .types()
        .iter()
        .filter(|kind| asked_for.contains(*kind))
    {
        let mut has_one = false;
        for key in &keys {
            has_one = has_one || database.value_size(key, kind)?.is_some();
        }
        if !has_one {
            lacking = lacking | kind.into();
        }
    }
    Ok(lacking)
}
