//! The payload of a PSV0 part.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dxil_fuzz::walk::psv0(bytes));
