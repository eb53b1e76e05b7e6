//! A container or program, and every part of it by its reader.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dxil_fuzz::walk::all(bytes));
