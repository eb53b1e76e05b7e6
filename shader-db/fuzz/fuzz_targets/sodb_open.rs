//! A file that says that it is an SODB: everything in it is found, and merged into a new one.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shader_db_fuzz::sodb(bytes));
