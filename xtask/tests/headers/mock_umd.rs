//! The header of mock-umd's exports compiles everywhere, and each declaration has the type of its pointer.

use crate::{check, for_each_compiler};

const USE: &str = r#"
#include "d3d12_mock_umd.h"
#include "d3d12_mock_umd.h"

HRESULT first(void *list, char *text, SIZE_T *size, UINT32 *count)
{
    PFN_MockUmdSet set = MockUmdSet;
    PFN_MockUmdStatistics statistics = MockUmdStatistics;
    PFN_MockUmdCommandList commands = MockUmdCommandList;
    PFN_MockUmdCommandCount number = MockUmdCommandCount;
    *count = number(list);
    if (FAILED(set("MOCK_UMD_BUILD", "113")) || FAILED(statistics(text, size)))
        return E_INVALIDARG;
    return commands(list, text, size);
}
"#;

#[test]
fn the_header_compiles_alone() {
    for_each_compiler(|_, compiler| check(compiler, USE, &[]).unwrap());
}
