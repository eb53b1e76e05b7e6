//! The kind of a program in a byte, and its bitcode, read as a module.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dxil_fuzz::module::module(bytes));
