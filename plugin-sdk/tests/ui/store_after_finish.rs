//! Nothing is stored after the object's keys are set.

use plugin_sdk::{Key, ObjectValueKeys, Receipt, Result, Session, Values};

fn store_late<'call>(
    session: Session<'call>,
    receipt: Receipt<'call>,
    key: Key,
) -> Result<ObjectValueKeys<'call>> {
    let keys = session.finish([receipt]);
    session.find_or_store(key, |_| Ok(Values::new()))?;
    Ok(keys)
}

fn main() {}
