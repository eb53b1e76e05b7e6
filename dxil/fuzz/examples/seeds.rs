//! Writes what the fuzz targets start from, taken from the containers of the test corpus, into the
//! folder `corpus` of this crate.

use dxil::{Container, FourCc};
use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut written = 0;
    for folder in ["dxil", "malformed"] {
        for file in fs::read_dir(here.join("../corpus").join(folder))? {
            let file = file?;
            if file.path().extension().is_none_or(|it| it != "dxil") {
                continue;
            }
            let bytes = fs::read(file.path())?;
            let mut seeds = vec![("container", bytes.as_slice())];
            if let Ok(container) = Container::parse(&bytes) {
                for (target, part) in [
                    ("rdat", FourCc::RDAT),
                    ("psv0", FourCc::PSV0),
                    ("rts0", FourCc::RTS0),
                ] {
                    seeds.extend(container.part(part).map(|part| (target, part.bytes())));
                }
                let program = container.program().ok();
                seeds.extend(program.map(|program| ("bitstream", program.bitcode())));
            }
            for (target, seed) in seeds {
                let folder = here.join("corpus").join(target);
                fs::create_dir_all(&folder)?;
                fs::write(folder.join(file.file_name()), seed)?;
                written += 1;
            }
        }
    }
    println!("{written} seeds");
    Ok(())
}
