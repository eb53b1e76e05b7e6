//! Only a session makes receipts.

use plugin_sdk::{Key, Receipt};

fn forge<'call>(key: Key) -> Receipt<'call> {
    Receipt { key }
}

fn main() {}
