//! A receipt counts in its own call only.

use plugin_sdk::{Key, ObjectValueKeys, Result, Session, Values};

fn mix<'first, 'second>(
    first: Session<'first>,
    second: Session<'second>,
    key: Key,
) -> Result<ObjectValueKeys<'second>> {
    let receipt = first.find_or_store(key, |_| Ok(Values::new()))?;
    Ok(second.finish([receipt]))
}

fn main() {}
