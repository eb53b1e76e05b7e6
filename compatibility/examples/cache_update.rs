//! Prints what becomes of a cache when the compiler changes.

use compatibility::{Application, Origin, Verdict, verdict};
use ddi_sys::VersionNumber;

fn main() {
    let application = Application {
        exe: "game.exe".into(),
        name: "Game".into(),
        version: 1,
        engine_name: None,
        engine_version: 0,
    };
    let version = |[major, minor, build, revision]: [u16; 4]| {
        VersionNumber::new(major, minor, build, revision).bits()
    };
    let stored = Origin {
        family: "GPU",
        abi: 3,
        compiler: version([4, 2, 118, 0]),
        profile: 0,
        application: &application,
    };
    let changes = [
        ("revision", [4, 2, 118, 1], 3),
        ("build", [4, 2, 119, 0], 3),
        ("minor", [4, 3, 0, 0], 3),
        ("ABI", [4, 2, 118, 0], 4),
    ];
    for (name, compiler, abi) in changes {
        let now = Origin {
            compiler: version(compiler),
            abi,
            ..stored
        };
        let becomes = match verdict(&stored, &now) {
            Verdict::Usable => "is usable".into(),
            Verdict::ShouldRecompile(reason) => format!("should be compiled again: {reason}"),
            Verdict::MustRecompile(reason) => format!("must be compiled again: {reason}"),
        };
        println!("{name:8}  {becomes}");
    }
}
