//! A receipt is given away once.

use plugin_sdk::Receipt;

fn copy<'call>(receipt: &Receipt<'call>) -> Receipt<'call> {
    *receipt
}

fn main() {}
