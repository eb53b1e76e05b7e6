//! Writes what the fuzz targets start from, a good package, into the folder `corpus` of this crate.

use std::fs;
use std::path::Path;

use conformance_fuzz::{FILES, GOOD};

fn main() -> std::io::Result<()> {
    let (package, files) = &*GOOD;
    let parts = [&files[FILES[0]], &[0][..], &files[FILES[1]]].concat();
    for (target, seed) in [("archive", package), ("files", &parts)] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("good"), seed)?;
    }
    Ok(())
}
