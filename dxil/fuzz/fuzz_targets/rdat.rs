//! The payload of an RDAT part.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dxil_fuzz::walk::rdat(bytes));
