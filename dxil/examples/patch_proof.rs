//! Writes the shaders that `scripts/dxil-patch-proof` shows to the DirectX Shader Compiler: into
//! the folder that is the argument, before and after patching, and `plan.json`, which says what
//! was patched.

use std::path::PathBuf;

use dxil::Container;
use dxil_test_support::plan;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).expect("an argument: a folder");
    let folder = PathBuf::from(folder);
    let mut rows = Vec::new();
    for (index, (variant, before, after)) in plan::variants().into_iter().enumerate() {
        for (name, container) in [("before", before), ("after", after)] {
            let program = Container::parse(&container)
                .and_then(|it| it.program().map(|it| it.bitcode().to_vec()));
            let bitcode = program.expect("the corpus is sound");
            std::fs::write(folder.join(format!("{index}.{name}.dxil")), &container)?;
            std::fs::write(folder.join(format!("{index}.{name}.bc")), bitcode)?;
        }
        rows.push(variant);
    }
    std::fs::write(
        folder.join("plan.json"),
        serde_json::to_string_pretty(&rows)?,
    )
}
