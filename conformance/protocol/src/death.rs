//! Where a process died, in words.

use std::path::Path;

use crate::journal::{Access, Place};

/// What a null pointer with an offset leads to: what no system maps.
const NEAR_NULL: usize = 0x1_0000;
/// Beside the end of the stack so far lies what a function pushes that has no room.
const BESIDE_STACK: usize = 0x1_0000;

/// What the names of modules begin with that the process has without a plugin.
const OWN: [&str; 6] = [
    "ddi-conformance",
    "libc.so",
    "ld-linux",
    "ntdll.dll",
    "kernel32.dll",
    "kernelbase.dll",
];

/// A death of which a handler could say where it was.
#[derive(Debug, PartialEq, Eq)]
pub struct Death {
    place: Place,
    frames: Vec<usize>,
    modules: Vec<Module>,
}

/// A part of a library or program in memory.
#[derive(Debug, PartialEq, Eq)]
struct Module {
    start: usize,
    end: usize,
    /// Where the file begins that is here.
    base: usize,
    name: String,
}

/// What a process died of, and where, if a handler could say it.
pub fn with_place(how: String, death: Option<&Death>) -> String {
    let place = death.map(Death::words).unwrap_or_default();
    if place.is_empty() {
        how
    } else {
        format!("{how}: {place}")
    }
}

impl Death {
    /// One at a place; the functions on the stack are the innermost first.
    pub fn new(place: Place, frames: Vec<usize>) -> Self {
        Self {
            place,
            frames,
            modules: Vec::new(),
        }
    }

    /// Reads what the system says of the modules, in lines as `/proc/self/maps` has them.
    pub fn read_modules(&mut self, path: &Path) {
        let text = std::fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        self.modules = text.lines().filter_map(Module::parse).collect();
        for index in 1..self.modules.len() {
            // The parts of a file are one after another.
            if self.modules[index].name == self.modules[index - 1].name {
                self.modules[index].base = self.modules[index - 1].base;
            }
        }
    }

    /// The module of an address, and how far it is from where that begins.
    fn named(&self, address: usize) -> Option<String> {
        let module = self.modules.iter();
        let module = module
            .clone()
            .find(|module| (module.start..module.end).contains(&address))?;
        let (name, offset) = (&module.name, address - module.base);
        Some(format!("{name}+{offset:#x}"))
    }

    /// What it was about to do, and where: nothing where neither is known.
    fn words(&self) -> String {
        let Place {
            access,
            address,
            code,
            stack,
        } = self.place;
        let beside = address.abs_diff(stack) < BESIDE_STACK;
        let access = access.map(|access| {
            let access = match access {
                Access::Read => "a read at",
                Access::Write => "a write to",
                Access::Jump => "a jump to",
                Access::Any => "an access at",
            };
            match address {
                ..NEAR_NULL => format!("{access} {address:#x}, by a null pointer"),
                _ if beside && stack != 0 => {
                    format!("{access} {address:#x}, where the stack ends: a stack overflow")
                }
                _ => format!("{access} {address:#x}"),
            }
        });
        let code = self.named(code).map(|code| format!("in {code}"));
        access
            .into_iter()
            .chain(code)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The functions on the stack, the innermost first.
    pub fn backtrace(&self) -> Vec<String> {
        // The first ones are the handler's.
        let first = self.frames.iter();
        let first = first.clone().position(|frame| *frame == self.place.code);
        let frames = self.frames.iter().skip(first.unwrap_or_default());
        let mut names: Vec<_> = frames.filter_map(|frame| self.named(*frame)).collect();
        // What called the plugin is this tool.
        let is_own = |name: &String| {
            let name = name.to_ascii_lowercase();
            OWN.iter().any(|own| name.starts_with(own))
        };
        if let Some(last) = names.iter().rposition(|name| !is_own(name)) {
            names.truncate(last + 1);
        }
        let runs = names.chunk_by(|one, other| one == other);
        runs.map(|run| match run.len() {
            1 => run[0].clone(),
            times => format!("{} ({times} times)", run[0]),
        })
        .collect()
    }
}

impl Module {
    /// `start-end permissions offset device inode path`, where there is a path.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let path = fields.nth(4)?;
        let path = &line[line.find(path)?..];
        let number = |text| usize::from_str_radix(text, 16).ok();
        let name = Path::new(path).file_name()?.to_str()?;
        let start = number(start)?;
        Some(Self {
            start,
            end: number(end)?,
            base: start,
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Death;
    use crate::journal::{Access, Place};

    const MAPS: &str = "\
1000-2000 r--p 00000000 00:00 1 /lib/a plugin.so
2000-5000 r-xp 00001000 00:00 1 /lib/a plugin.so
8000-9000 rw-p 00000000 00:00 0
a000-b000 r-xp 00000000 00:00 2 /bin/ddi-conformance
";

    fn death(access: Option<Access>, address: usize) -> Death {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("modules");
        std::fs::write(&path, MAPS).unwrap();
        let place = Place {
            access,
            address,
            code: 0x2010,
            stack: 0x7f00_0000,
        };
        let mut death = Death::new(place, vec![0xa001, 0x2010, 0x3000, 0x3000, 0x8001, 0xa002]);
        death.read_modules(&path);
        death
    }

    #[test]
    fn words_tell_a_null_pointer_from_a_stack_overflow() {
        let words = |access, address| death(access, address).words();
        let place = ", in a plugin.so+0x1010";
        let expected = format!("a read at 0x8, by a null pointer{place}");
        assert_eq!(words(Some(Access::Read), 8), expected);
        let expected =
            format!("a write to 0x7efffff8, where the stack ends: a stack overflow{place}");
        assert_eq!(words(Some(Access::Write), 0x7eff_fff8), expected);
        let expected = format!("a jump to 0x12345678{place}");
        assert_eq!(words(Some(Access::Jump), 0x1234_5678), expected);
        assert_eq!(words(None, 0), "in a plugin.so+0x1010");
    }

    #[test]
    fn a_backtrace_begins_where_the_process_died() {
        let expected = ["a plugin.so+0x1010", "a plugin.so+0x2000 (2 times)"];
        assert_eq!(death(None, 0).backtrace(), expected);
    }
}
