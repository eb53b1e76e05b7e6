//! Whether what a compiler made is still good: ShaderCompilerPlugin.md, "Adapter Family Compiler Version", "Adapter
//! Family ABI Version", "Application Profile Version" and "Example Cache Update Flow".
//!
//! Everything that asks this asks here: no other code compares versions.

use std::fmt;
use std::ops::RangeInclusive;

use ddi_sys::VersionNumber;

/// Whom something is compiled for: `D3D12_APPLICATION_DESC`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// File name of the executable.
    pub exe: String,
    /// Title.
    pub name: String,
    /// Its version.
    pub version: u64,
    /// Name of the engine.
    pub engine_name: Option<String>,
    /// Version of the engine.
    pub engine_version: u64,
}

/// What something was compiled by and for, or would be now. Versions are numbers, as in [`VersionNumber`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// Name of the adapter family.
    pub family: &'a str,
    /// ABI version; never 0.
    pub abi: u64,
    /// Version of the compiler.
    pub compiler: u64,
    /// Version of what the compiler knows about the application.
    pub profile: u64,
    /// Whom for.
    pub application: &'a Application,
}

/// What a driver says it can use: `D3D12_FEATURE_DATA_SHADERCACHE_ABI_SUPPORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Name of the adapter family.
    pub family: String,
    /// The ABI versions that it takes.
    pub abi: RangeInclusive<u64>,
    /// Version of its compiler.
    pub compiler: u64,
    /// Version of its profile of the application.
    pub profile: u64,
}

/// What is to be done with what is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing: it can be used, and added to.
    Usable,
    /// It can be used, and added to, but would be better.
    ShouldRecompile(Reason),
    /// It is not to be used, or added to.
    MustRecompile(Reason),
}

/// A difference between what is stored and what would be made now: what it is in, and what is on either side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What differs, in words.
    pub what: &'static str,
    stored: String,
    now: String,
    effect: Effect,
}

/// What a difference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Nothing,
    Should,
    Must,
    /// What is stored is for something else, and would not be replaced by what is made now.
    Conflict,
}

struct Rule {
    what: &'static str,
    effect: Effect,
    is_same: fn(&Origin, &Origin) -> bool,
    show: fn(&Origin) -> String,
}

/// What may differ. Of differences with one effect the first is told.
const RULES: [Rule; 11] = [
    Rule {
        what: "adapter family",
        effect: Effect::Conflict,
        is_same: |stored, now| stored.family == now.family,
        show: |origin| format!("{:?}", origin.family),
    },
    Rule {
        what: "ABI version",
        effect: Effect::Conflict,
        is_same: |stored, now| stored.abi == now.abi,
        show: |origin| origin.abi.to_string(),
    },
    Rule {
        what: "executable",
        effect: Effect::Conflict,
        is_same: |stored, now| stored.application.exe == now.application.exe,
        show: |origin| format!("{:?}", origin.application.exe),
    },
    Rule {
        what: "application",
        effect: Effect::Conflict,
        is_same: |stored, now| stored.application.name == now.application.name,
        show: |origin| format!("{:?}", origin.application.name),
    },
    Rule {
        what: "application's version",
        effect: Effect::Conflict,
        is_same: |stored, now| stored.application.version == now.application.version,
        show: |origin| dotted(origin.application.version),
    },
    Rule {
        what: "engine",
        effect: Effect::Conflict,
        is_same: |stored, now| stored.application.engine_name == now.application.engine_name,
        show: |origin| match &origin.application.engine_name {
            Some(name) => format!("{name:?}"),
            None => "none".into(),
        },
    },
    Rule {
        what: "engine's version",
        effect: Effect::Conflict,
        is_same: |stored, now| stored.application.engine_version == now.application.engine_version,
        show: |origin| dotted(origin.application.engine_version),
    },
    // "Major/Minor version change for 'must' recompile such as security or major fixes."
    Rule {
        what: "compiler version",
        effect: Effect::Must,
        is_same: |stored, now| stored.compiler >> 32 == now.compiler >> 32,
        show: |origin| dotted(origin.compiler),
    },
    // Settings that changed for this application alone. No text says how badly, and they cost no other one its cache.
    Rule {
        what: "application profile version",
        effect: Effect::Must,
        is_same: |stored, now| stored.profile == now.profile,
        show: |origin| dotted(origin.profile),
    },
    // "Build for 'should' recompile such as performance."
    Rule {
        what: "compiler version",
        effect: Effect::Should,
        is_same: |stored, now| stored.compiler >> 16 == now.compiler >> 16,
        show: |origin| dotted(origin.compiler),
    },
    // "Revision for less consequential changes that shouldn't invalidate caches."
    Rule {
        what: "compiler version",
        effect: Effect::Nothing,
        is_same: |stored, now| stored.compiler == now.compiler,
        show: |origin| dotted(origin.compiler),
    },
];

/// What is to be done with what is stored, where a compiler of the other origin is there now.
///
/// ```
/// use compatibility::{Application, Origin, Verdict, verdict};
///
/// let application = Application {
///     exe: "game.exe".into(),
///     name: "Game".into(),
///     version: 1,
///     engine_name: None,
///     engine_version: 0,
/// };
/// let stored = Origin { family: "GPU", abi: 3, compiler: 0x0001_0000_0000_0000, profile: 0, application: &application };
/// let revision = Origin { compiler: 0x0001_0000_0000_0001, ..stored };
/// assert_eq!(verdict(&stored, &revision), Verdict::Usable);
/// let Verdict::MustRecompile(reason) = verdict(&stored, &Origin { compiler: 2 << 48, ..stored }) else {
///     panic!("the major version differs");
/// };
/// assert_eq!(reason.to_string(), "its compiler version is 1.0.0.0, not 2.0.0.0");
/// ```
pub fn verdict(stored: &Origin, now: &Origin) -> Verdict {
    let mut worst: Option<Reason> = None;
    for difference in differences(stored, now) {
        if worst
            .as_ref()
            .is_none_or(|worst| worst.effect < difference.effect)
        {
            worst = Some(difference);
        }
    }
    match worst {
        None => Verdict::Usable,
        Some(reason) => match reason.effect {
            Effect::Nothing => Verdict::Usable,
            Effect::Should => Verdict::ShouldRecompile(reason),
            Effect::Must | Effect::Conflict => Verdict::MustRecompile(reason),
        },
    }
}

/// Everything in which two origins differ, each once, also what changes no verdict.
pub fn differences(stored: &Origin, now: &Origin) -> Vec<Reason> {
    let mut differences: Vec<Reason> = Vec::new();
    for rule in RULES {
        let is_told = differences.iter().any(|told| told.what == rule.what);
        if !is_told && !(rule.is_same)(stored, now) {
            differences.push(Reason {
                what: rule.what,
                stored: (rule.show)(stored),
                now: (rule.show)(now),
                effect: rule.effect,
            });
        }
    }
    differences
}

/// What a driver can do with what is stored: "is my cache older" than what there is for it. What a newer compiler made for
/// an ABI that the driver takes is good.
pub fn verdict_of_driver(stored: &Origin, driver: &Driver) -> Verdict {
    if stored.family == driver.family && !driver.abi.contains(&stored.abi) {
        return Verdict::MustRecompile(Reason {
            what: "ABI version",
            stored: stored.abi.to_string(),
            now: format!("one from {} to {}", driver.abi.start(), driver.abi.end()),
            effect: Effect::Conflict,
        });
    }
    let now = Origin {
        family: &driver.family,
        compiler: driver.compiler.max(stored.compiler),
        profile: driver.profile.max(stored.profile),
        ..*stored
    };
    verdict(stored, &now)
}

/// The compiler version of what has objects of both, which must not differ in what must be recompiled: nothing in it is
/// older than that.
pub fn compiler_of_both(one: u64, other: u64) -> u64 {
    one.min(other)
}

impl Reason {
    /// Whether what is stored is for another adapter family, ABI version or application: what would be made now is no newer
    /// state of it, and goes elsewhere.
    pub fn is_conflict(&self) -> bool {
        self.effect == Effect::Conflict
    }
}

/// `its compiler version is 1.0.0.0, not 2.0.0.0`.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what, stored, now, ..
        } = self;
        write!(f, "its {what} is {stored}, not {now}")
    }
}

fn dotted(version: u64) -> String {
    VersionNumber::from_bits(version).to_string()
}

/// The examples in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    const fn version(major: u16, minor: u16, build: u16, revision: u16) -> u64 {
        VersionNumber::new(major, minor, build, revision).bits()
    }

    fn application() -> Application {
        Application {
            exe: "game.exe".into(),
            name: "Game".into(),
            version: 1,
            engine_name: Some("Engine".into()),
            engine_version: 2,
        }
    }

    fn kind(verdict: &Verdict) -> &'static str {
        match verdict {
            Verdict::Usable => "usable",
            Verdict::ShouldRecompile(_) => "should",
            Verdict::MustRecompile(reason) if reason.is_conflict() => "conflict",
            Verdict::MustRecompile(_) => "must",
        }
    }

    /// Stored, now, the verdict where a plugin is there now, and where it is a driver's compiler.
    const COMPILERS: [(u64, u64, &str, &str); 11] = [
        (version(1, 2, 3, 4), version(1, 2, 3, 4), "usable", "usable"),
        (version(1, 2, 3, 4), version(1, 2, 3, 5), "usable", "usable"),
        (version(1, 2, 3, 4), version(1, 2, 3, 0), "usable", "usable"),
        (version(1, 2, 3, 4), version(1, 2, 4, 0), "should", "should"),
        (version(1, 2, 3, 4), version(1, 2, 2, 9), "should", "usable"),
        (version(1, 2, 3, 4), version(1, 3, 0, 0), "must", "must"),
        (version(1, 2, 3, 4), version(1, 1, 9, 9), "must", "usable"),
        (version(1, 2, 3, 4), version(2, 2, 3, 4), "must", "must"),
        (version(1, 2, 3, 4), version(0, 9, 9, 9), "must", "usable"),
        (version(0, 0, 0, 0), version(1, 0, 0, 0), "must", "must"),
        (
            version(0x8000, 0, 0, 0),
            version(1, 0, 0, 0),
            "must",
            "usable",
        ),
    ];

    const PROFILES: [(u64, u64, &str, &str); 4] = [
        (0, 0, "usable", "usable"),
        (0, version(1, 0, 0, 0), "must", "must"),
        (version(1, 0, 0, 0), version(1, 0, 0, 1), "must", "must"),
        (version(1, 0, 0, 1), version(1, 0, 0, 0), "must", "usable"),
    ];

    type Change = fn(&mut Application);

    #[test]
    fn each_pair_of_versions_has_its_verdict() {
        let application = application();
        let check = |stored: Origin, now: Origin, plugin, driver| {
            assert_eq!(kind(&verdict(&stored, &now)), plugin, "{stored:?} {now:?}");
            let asks = Driver {
                family: now.family.into(),
                abi: now.abi..=now.abi,
                compiler: now.compiler,
                profile: now.profile,
            };
            let answer = verdict_of_driver(&stored, &asks);
            assert_eq!(kind(&answer), driver, "{stored:?} {asks:?}");
        };
        let base = Origin {
            family: "GPU",
            abi: 3,
            compiler: version(1, 2, 3, 4),
            profile: 0,
            application: &application,
        };
        for (stored, now, plugin, driver) in COMPILERS {
            let [stored, now] = [stored, now].map(|compiler| Origin { compiler, ..base });
            check(stored, now, plugin, driver);
        }
        for (stored, now, plugin, driver) in PROFILES {
            let [stored, now] = [stored, now].map(|profile| Origin { profile, ..base });
            check(stored, now, plugin, driver);
        }
        check(
            base,
            Origin {
                family: "gpu",
                ..base
            },
            "conflict",
            "conflict",
        );
        for abi in [2, 4, u64::MAX] {
            check(base, Origin { abi, ..base }, "conflict", "conflict");
        }
        let changes: [Change; 5] = [
            |other| other.exe = "other.exe".into(),
            |other| other.name = "Other".into(),
            |other| other.version = 2,
            |other| other.engine_name = None,
            |other| other.engine_version = 3,
        ];
        for change in changes {
            let mut other = application.clone();
            change(&mut other);
            let now = Origin {
                application: &other,
                ..base
            };
            // A driver does not say for which application.
            check(base, now, "conflict", "usable");
        }
    }

    #[test]
    fn a_driver_takes_the_abi_versions_of_its_range() {
        let application = application();
        let of_abi = |abi| Origin {
            family: "GPU",
            abi,
            compiler: 0,
            profile: 0,
            application: &application,
        };
        let driver = Driver {
            family: "GPU".into(),
            abi: 3..=5,
            compiler: 0,
            profile: 0,
        };
        let verdicts = [2, 3, 4, 5, 6].map(|abi| kind(&verdict_of_driver(&of_abi(abi), &driver)));
        assert_eq!(
            verdicts,
            ["conflict", "usable", "usable", "usable", "conflict"]
        );
        let Verdict::MustRecompile(reason) = verdict_of_driver(&of_abi(6), &driver) else {
            panic!("it is outside");
        };
        assert_eq!(
            reason.to_string(),
            "its ABI version is 6, not one from 3 to 5"
        );
    }

    #[test]
    fn the_worst_difference_is_told() {
        let application = application();
        let stored = Origin {
            family: "GPU",
            abi: 3,
            compiler: version(1, 0, 0, 0),
            profile: 0,
            application: &application,
        };
        let now = Origin {
            compiler: version(1, 0, 1, 0),
            profile: version(1, 0, 0, 0),
            ..stored
        };
        let told = |now: &Origin| match verdict(&stored, now) {
            Verdict::Usable => String::new(),
            Verdict::ShouldRecompile(reason) | Verdict::MustRecompile(reason) => reason.to_string(),
        };
        assert_eq!(
            told(&now),
            "its application profile version is 0.0.0.0, not 1.0.0.0"
        );
        assert_eq!(
            told(&Origin { abi: 4, ..now }),
            "its ABI version is 3, not 4"
        );
        let all: Vec<_> = differences(&stored, &now).iter().map(|d| d.what).collect();
        assert_eq!(all, ["application profile version", "compiler version"]);
    }
}
