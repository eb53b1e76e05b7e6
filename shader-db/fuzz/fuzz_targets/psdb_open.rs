//! A file that says that it is a PSDB: everything in it is verified, and a copy rewritten.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| shader_db_fuzz::psdb(bytes));
