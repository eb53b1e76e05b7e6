//! The systems that there are archives for.

use ar_archive_writer::MachineTypes;

/// A system and processor, and how things are called and linked there.
pub struct Platform {
    /// Rust's name for it.
    pub triple: &'static str,
    /// Ours, in the name of an archive.
    pub name: &'static str,
    /// CMake's name for the system.
    pub system: &'static str,
    /// What the README says that it needs, but for a C library.
    pub needs: &'static str,
    /// How many bytes a pointer has.
    pub pointer: &'static str,
    /// The processor in import libraries, where there are such.
    pub machine: Option<MachineTypes>,
    /// NuGet's name for the processor, where there is a package.
    pub nuget: Option<&'static str>,
    /// The C compiler whose runtime is linked in, where that is one.
    pub mingw: Option<&'static str>,
    /// What the linker needs so that it writes the same bytes each time.
    pub link_args: &'static [&'static str],
}

/// Of what rustc makes for `raw-dylib`, the names of symbols begin with a folder of random name: no symbols.
const MINGW: &[&str] = &["-Wl,--no-insert-timestamp", "-Wl,--strip-all"];

/// Every platform.
pub const PLATFORMS: [Platform; 5] = [
    Platform {
        triple: "x86_64-unknown-linux-gnu",
        name: "linux-x64",
        system: "Linux",
        needs: "Linux for x86-64",
        pointer: "8",
        machine: None,
        nuget: None,
        mingw: None,
        link_args: &[],
    },
    Platform {
        triple: "x86_64-pc-windows-gnu",
        name: "windows-x64",
        system: "Windows",
        needs: "64-bit Windows 10 or newer; it was tried under Wine alone",
        pointer: "8",
        machine: Some(MachineTypes::AMD64),
        nuget: Some("x64"),
        mingw: Some("x86_64-w64-mingw32-gcc"),
        link_args: MINGW,
    },
    Platform {
        triple: "x86_64-pc-windows-msvc",
        name: "windows-x64",
        system: "Windows",
        needs: "64-bit Windows 10 or newer",
        pointer: "8",
        machine: Some(MachineTypes::AMD64),
        nuget: Some("x64"),
        mingw: None,
        link_args: &["/Brepro"],
    },
    Platform {
        triple: "i686-pc-windows-gnu",
        name: "windows-x86",
        system: "Windows",
        needs: "Windows 10 or newer; it was tried under Wine alone",
        pointer: "4",
        machine: Some(MachineTypes::I386),
        nuget: None,
        mingw: Some("i686-w64-mingw32-gcc"),
        link_args: MINGW,
    },
    Platform {
        triple: "i686-pc-windows-msvc",
        name: "windows-x86",
        system: "Windows",
        needs: "Windows 10 or newer",
        pointer: "4",
        machine: Some(MachineTypes::I386),
        nuget: None,
        mingw: None,
        link_args: &["/Brepro"],
    },
];

impl Platform {
    /// The platform of a triple.
    pub fn of(triple: &str) -> Option<&'static Self> {
        PLATFORMS.iter().find(|platform| platform.triple == triple)
    }

    /// Whether it is Windows.
    pub fn is_windows(&self) -> bool {
        self.machine.is_some()
    }

    /// How the file names of programs end.
    pub fn end_of_programs(&self) -> &'static str {
        if self.is_windows() { ".exe" } else { "" }
    }

    /// The file name of a program.
    pub fn program(&self, name: &str) -> String {
        format!("{name}{}", self.end_of_programs())
    }

    /// The file name of a shared library.
    pub fn library(&self, name: &str) -> String {
        if self.is_windows() {
            format!("{name}.dll")
        } else {
            format!("lib{name}.so")
        }
    }
}
