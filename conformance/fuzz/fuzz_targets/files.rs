//! The journal of a package and its manifest, with a zero byte between them, in an archive that is whole.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (journal, manifest) = conformance_fuzz::parts(bytes);
    conformance_fuzz::verify(&conformance_fuzz::package(journal, manifest));
});
