//! The payload of an RTS0 part; what is valid is written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dxil_fuzz::walk::rts0(bytes));
