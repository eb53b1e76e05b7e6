//! A session ends with its call: nothing that outlives the call can be made of it.

use plugin_sdk::Session;

fn outlive<'call>(session: Session<'call>) -> Session<'static> {
    session
}

fn main() {}
