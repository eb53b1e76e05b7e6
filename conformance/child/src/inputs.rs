//! What a compiler is for: a target and an application, as the DDI takes them.

pub(crate) mod arena;
pub(crate) mod generated;
pub(crate) mod pipeline;
pub(crate) mod shaders;
pub(crate) mod signatures;

use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr;

use conformance_catalogue::verdict::Stop;
use conformance_catalogue::{Rule, rules};
use ddi_sys::{D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_TARGET, D3D12DDI_VERSION_NUMBER};
use region::Protection;

use crate::inputs::arena::{Arena, Surroundings};
use crate::watch::fault::{Watch, watched};
use crate::watch::memory::Place;

/// A family and an ABI version, whether the plugin reports them or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) adapter_family_index: u32,
    pub(crate) abi_version: u64,
}

impl Target {
    /// The structure of the DDI.
    pub(crate) fn raw(self) -> D3D12DDI_COMPILER_TARGET {
        D3D12DDI_COMPILER_TARGET {
            AdapterFamilyIndex: self.adapter_family_index,
            ABIVersion: self.abi_version,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (family, version) = (self.adapter_family_index, self.abi_version);
        write!(f, "family {family}, ABI version {version}")
    }
}

/// An application.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Application {
    pub(crate) exe: &'static str,
    pub(crate) name: &'static str,
    pub(crate) version: u64,
    pub(crate) engine: Option<(&'static str, u64)>,
}

impl Application {
    /// What the tests compile for.
    pub(crate) const USUAL: Self = Self {
        exe: "Conformance.exe",
        name: "Conformance",
        version: 0x0001_0002_0003_0004,
        engine: Some(("Engine", 0x0005_0000_0000_0000)),
    };

    /// One with marker words, which nothing has by chance.
    pub(crate) const MARKED: Self = Self {
        exe: "Exe-q7Wx-Marker.exe",
        name: "Name-k3Vz-Marker",
        version: 0x5A17_C0DE_B2D4_9E63,
        engine: Some(("Engine-j9Qp-Marker", 0xD1B6_3F58_27EC_A049)),
    };
}

impl Application {
    /// The rule that calls for it succeed, where that is `rule` for an application with an engine.
    pub(crate) fn rule(&self, rule: Rule) -> Rule {
        if self.engine.is_some() {
            rule
        } else {
            rules::P_PROF_03
        }
    }

    /// Makes a call for it. Without an engine a memory fault in the call is P-PROF-03's.
    pub(crate) fn watched<R>(&self, call: impl FnOnce() -> R) -> R {
        let watch = || Watch::needs(rules::P_PROF_03);
        watched(
            self.engine.is_none().then(watch).into_iter().collect(),
            call,
        )
    }
}

/// Applications with an engine; those without are P-PROF-03's.
pub(crate) static APPLICATIONS: [Application; 5] = [
    Application::USUAL,
    Application::MARKED,
    Application {
        exe: "Code.exe",
        name: "Visual Studio Code",
        version: 0x0001_005D_0001_0000,
        engine: Some(("Electron", u64::MAX)),
    },
    Application {
        exe: "игра.exe",
        name: "日本語 𝄞 \u{1F680}",
        version: u64::MAX,
        engine: Some(("Движок", 0)),
    },
    Application {
        exe: "a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-\
              a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-\
              a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-\
              a-long-name-a-long-name-a-long-name-a-long-name-a-long-name-a-long-name.exe",
        name: "?*\"<>|%s%n\\..\\..",
        version: 0,
        engine: Some(("", 1)),
    },
];

/// The usual application with one field off.
pub(crate) static NEARLY_USUAL: [Application; 6] = [
    Application {
        exe: "Other.exe",
        ..Application::USUAL
    },
    Application {
        name: "Other",
        ..Application::USUAL
    },
    Application {
        version: 0x0001_0002_0003_0005,
        ..Application::USUAL
    },
    Application {
        engine: Some(("Other", 0x0005_0000_0000_0000)),
        ..Application::USUAL
    },
    Application {
        engine: Some(("Engine", 0x0005_0000_0000_0001)),
        ..Application::USUAL
    },
    Application {
        engine: None,
        ..Application::USUAL
    },
];

/// What a compiler is for: target, application and strings, in an arena of their own. They stay until the process ends: that a
/// plugin uses them longer than their call is one rule's business.
pub(crate) struct Inputs {
    pub(crate) target: *const D3D12DDI_COMPILER_TARGET,
    pub(crate) application: *const D3D12DDI_APPLICATION_DESC,
    arena: ManuallyDrop<Arena>,
}

impl Inputs {
    pub(crate) fn new(
        target: Target,
        application: &Application,
        surroundings: Surroundings,
    ) -> Result<Self, Stop> {
        // Room for the longest of the names, many times: there is one of these for each compiler.
        let arena = Arena::new(16 * 1024, surroundings)?;
        let engine = application.engine;
        let desc = D3D12DDI_APPLICATION_DESC {
            pExeFilename: arena.string(application.exe),
            pName: arena.string(application.name),
            Version: D3D12DDI_VERSION_NUMBER::from_bits(application.version),
            pEngineName: engine.map_or(ptr::null(), |(name, _)| arena.string(name)),
            EngineVersion: D3D12DDI_VERSION_NUMBER::from_bits(engine.map_or(0, |(_, v)| v)),
        };
        Ok(Self {
            target: arena.put(target.raw()),
            application: arena.put(desc),
            arena: ManuallyDrop::new(arena),
        })
    }

    /// Those of the usual application, each in read-only pages of its own.
    pub(crate) fn read_only(target: Target) -> Result<Self, Stop> {
        let surroundings = Surroundings::guarded(Place::Roomy);
        let inputs = Self::new(target, &Application::USUAL, surroundings)?;
        inputs.arena.protect(Protection::READ)?;
        Ok(inputs)
    }

    /// Puts another target where the target is.
    pub(crate) fn set_target(&self, target: Target) {
        // SAFETY: it lies in the arena, which is ours and writable.
        unsafe { self.target.cast_mut().write(target.raw()) };
    }

    pub(crate) fn arena(&self) -> &Arena {
        &self.arena
    }
}
