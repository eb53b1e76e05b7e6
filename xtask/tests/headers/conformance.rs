//! The header of the conformance suite compiles everywhere, as old C and C++ too.

use xtask::toolchain::TARGETS;

use crate::{check, for_each_compiler};

const USE: &str = r#"
#include "ddi_conformance.h"
#include "ddi_conformance.h"

ddi_conformance_status first(const char *plugin, ddi_conformance_result **result)
{
    const ddi_conformance_rule *rule = ddi_conformance_rule_at(0);
    ddi_conformance_options options = {0};
    ddi_conformance_suite *suite = NULL;
    ddi_conformance_status status;
    options.struct_size = sizeof options;
    options.library = plugin;
    options.tested = DDI_CONFORMANCE_TESTED_PLUGIN;
    options.set = DDI_CONFORMANCE_SET_SMOKE;
    status = ddi_conformance_suite_create(&options, &suite);
    if (status == DDI_CONFORMANCE_STATUS_OK && rule != NULL && rule->untestable == NULL)
        status = ddi_conformance_suite_run(suite, rule->id, result);
    ddi_conformance_suite_free(suite);
    return status;
}
"#;

#[test]
fn the_header_compiles_alone() {
    for_each_compiler(|_, (compiler, standard)| {
        let (oldest, in_use) = match standard {
            "c11" => ("c89", USE.to_owned()),
            // Some compilers warn there of the members that {0} leaves out.
            _ => (
                "c++98",
                USE.replace("options = {0}", "options = ddi_conformance_options()"),
            ),
        };
        for standard in [oldest, standard] {
            check((compiler, standard), &in_use, &[]).unwrap();
        }
    });
    let clang = &TARGETS[0].compilers[1];
    if clang.is_here() {
        // Clang has no headers of Visual C++, but those of its own.
        for target in [
            "--target=x86_64-pc-windows-msvc",
            "--target=i686-pc-windows-msvc",
        ] {
            check((clang.c, "c89"), USE, &[target, "-ffreestanding"]).unwrap();
        }
    }
}
