//! Only a session, at its end, makes an object's keys.

use plugin_sdk::{ObjectValueKeys, Receipt};

fn forge<'call>(receipts: Vec<Receipt<'call>>) -> ObjectValueKeys<'call> {
    ObjectValueKeys { receipts }
}

fn main() {}
