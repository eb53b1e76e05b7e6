//! A package.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| conformance_fuzz::verify(bytes));
