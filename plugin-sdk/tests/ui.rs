//! What a vendor must not write does not compile, and the compiler says why.

#[test]
#[cfg_attr(miri, ignore = "runs the compiler")]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/*.rs");
}
