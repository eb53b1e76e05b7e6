//! Makes `example.sodb`.
//!
//! ```text
//! cargo run -p state-object-compiler --example make_example [FILE]
//! ```

use std::path::{Path, PathBuf};

use shader_db::sodb::{Access, Sodb};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/example.sodb");
    let path = std::env::args_os().nth(1).map_or(here, PathBuf::from);
    let sodb = Sodb::open(&path, Access::Create)?;
    example_sodb::fill(&sodb)?;
    sodb.close()?;
    println!("{}", path.display());
    Ok(())
}
