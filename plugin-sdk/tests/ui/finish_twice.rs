//! An object's keys are set once.

use plugin_sdk::{ObjectValueKeys, Receipt, Session};

fn finish_twice<'call>(
    session: Session<'call>,
    first: Receipt<'call>,
    second: Receipt<'call>,
) -> [ObjectValueKeys<'call>; 2] {
    [session.finish([first]), session.finish([second])]
}

fn main() {}
