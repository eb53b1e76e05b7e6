//! Writes what the fuzz targets start from, taken from the containers of the test corpus, into the
//! folder `corpus` of this crate.

use std::fs;
use std::path::Path;

use dxil::{Container, FourCc};

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
            let mut seeds = vec![("container", bytes.as_slice()), ("patch", bytes.as_slice())];
            let of_module;
            if let Ok(container) = Container::parse(&bytes) {
                for (target, part) in [
                    ("rdat", FourCc::RDAT),
                    ("psv0", FourCc::PSV0),
                    ("rts0", FourCc::RTS0),
                ] {
                    seeds.extend(container.part(part).map(|part| (target, part.bytes())));
                }
                if let Ok(program) = container.program() {
                    of_module = [&[program.kind() as u8], program.bitcode()].concat();
                    seeds.push(("bitstream", program.bitcode()));
                    seeds.extend([("module", &of_module[..]), ("patch", &of_module)]);
                }
            }
            let name = file.file_name();
            for (number, (target, seed)) in seeds.into_iter().enumerate() {
                let folder = here.join("corpus").join(target);
                fs::create_dir_all(&folder)?;
                fs::write(folder.join(format!("{number}-{}", name.display())), seed)?;
                written += 1;
            }
        }
    }
    println!("{written} seeds");
    Ok(())
}
