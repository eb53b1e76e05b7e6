//! A container, or the kind of a program in a byte and its bitcode, with every constant patched.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dxil_fuzz::module::patch(bytes));
