//! Documents that name what the code has.

use std::fs;
use std::path::Path;

#[test]
fn every_switch_and_the_form_of_its_value_is_in_the_document_for_runtime_developers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/testing-a-runtime.md");
    let text = fs::read_to_string(path).unwrap();
    let missing: Vec<_> = mock_umd::inspect::switches()
        .map(|(name, value, _)| format!("| `{name}` | {value} |"))
        .filter(|cells| !text.contains(cells))
        .collect();
    assert_eq!(missing, [""; 0]);
}
