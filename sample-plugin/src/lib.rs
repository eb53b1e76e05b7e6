//! A believable compiler plugin of a vendor that does not exist: Fabrikam, with three generations of
//! GPUs. It is written with `plugin-sdk` alone, and `dxil` for what is in the shaders, and shows how the
//! parts of a plugin fit together.
//!
//! What is invented: the GPUs ([`object_code`] is their code, made by a stand-in for a back end that
//! costs next to nothing) and two titles with profiles. What is not: real answers to every capability,
//! format and sample count, and the rules of ShaderCompilerPlugin.md on keys, values and sessions.
//!
//! | index | family | feature level | shader model | ABI versions |
//! |---|---|---|---|---|
//! | 0 | Fabrikam Aurora | 12_2, work graphs | 6.8 | 3, 2, 1 |
//! | 1 | Fabrikam Borealis | 12_2 | 6.7 | 5, 4, 3 |
//! | 2 | Fabrikam Cirrus | 12_1 | 6.6 | 1 |
//!
//! # Subdivision
//! An object is divided into values ("IHV Dependent Object Subdivision"), each with a key of its own:
//!
//! ```text
//!  pipeline A                       pipeline B
//!  ┌────────┐                       ┌────────┐
//!  │ link A │                       │ link B │
//!  └─┬─┬─┬──┘                       └──┬─┬─┬─┘
//!    │ │ └──────► vertex shader ◄──────┘ │ │
//!    │ └────────► root signature ◄───────┘ │
//!    ▼                                     ▼
//!  pixel shader 1                 pixel shader 2
//! ```
//!
//! | value | is a function of | shared by |
//! |---|---|---|
//! | program | program, signatures, shader flags and profile switches that its stage reads, root arguments and static samplers that its resources are bound to | pipelines with that shader |
//! | library | program, profile switches | state objects with that library |
//! | template | the same as a program or library, without the values of its literals | all specializations of a shader |
//! | specialization | key of its template, values of the literals | pipelines with that shader and these values |
//! | root signature | its content, without what no hardware reads | all objects with that root signature |
//! | link of a pipeline or generic program | keys of the values above, fixed-function state that is read | equal pipelines |
//! | link of a hit group or work graph | keys of libraries and root signatures, and of the links of its object's collections and parent, its description | |
//! | link of a state object | its description, keys of its own values, and of the links of its collections and its parent, which stand for theirs | |
//!
//! and each also of instruction set and ABI version. A program or library is a single value, or, where it
//! has specialization constants, a template and a specialization: see below. A description is first
//! reduced to units of compilation; key and object code are made of the same unit, so that different
//! code cannot have the same key. Each unit is stored in the types that were asked for and are missing:
//!
//! | type | content |
//! |---|---|
//! | object code | [`object_code`]; no names, versions or times |
//! | metadata | text: who compiled what with which compiler and profile |
//! | debug PDB | the DXIL program with debug information, where the host passed one |
//! | performance data | estimates of instructions, registers and waves |
//!
//! State objects keep their units, so that an addition, in whatever session it is compiled, can name
//! its parent's keys first and store what that session lacks.
//!
//! # What is read from the program
//! The DDI passes a bare program, with signatures as arrays and the root signature as a structure of its
//! own. Entry points, attributes and resources are read from the module's metadata, and resources are
//! bound to root arguments and static samplers. Refused are a program whose bitcode does not walk, whose
//! module is of another kind or shader model than its header, or whose entry point is missing.
//!
//! # Specialization constants
//! The DDI has none. An application that wants some has planted sentinels in a shader, and writes values
//! over them before it makes a pipeline: to the plugin, each specialization is another program. But they
//! differ in numbers alone, and each of these has the room that the sentinel had. The plugin leaves
//! numbers with such room out of the code, which is then a *template* with a list of the places where
//! they belong, and the same for all specializations. What each of these adds is a value of a hundred
//! bytes: the template's key and the numbers. Whoever loads the object puts the two together with
//! [`ObjectCode::specialize`](object_code::ObjectCode::specialize), which costs a copy.
#![forbid(unsafe_code)]

mod caps;
mod compiler;
mod families;
mod fixed_function;
mod formats;
mod interface;
mod link;
mod literals;
pub mod metadata;
pub mod object_code;
mod pdb;
mod performance;
mod profiles;
mod program;
mod root_layout;
mod state_object;
mod switches;
mod unit;

use plugin_sdk::ddi::DXGI_FORMAT;
use plugin_sdk::desc::ApplicationDesc;
use plugin_sdk::{
    AdapterFamily, Capabilities, CompilerPlugin, Result, Target, VersionNumber, export_plugin,
};

use families::{FAMILIES, Family};

pub use compiler::SampleCompiler;
pub use state_object::StateObject;

/// Fabrikam's plugin.
pub struct SamplePlugin;

export_plugin!(SamplePlugin);

impl CompilerPlugin for SamplePlugin {
    type Compiler = SampleCompiler;

    fn open() -> Result<Self> {
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        FAMILIES.iter().map(Family::adapter_family).collect()
    }

    fn capabilities(&self, target: &Target<'_>, _: &ApplicationDesc<'_>) -> Capabilities {
        caps::capabilities(Family::of(target).generation)
    }

    fn format_support(&self, target: &Target<'_>, format: DXGI_FORMAT) -> u32 {
        formats::support(Family::of(target).generation, format)
    }

    fn multisample_quality_levels(
        &self,
        target: &Target<'_>,
        format: DXGI_FORMAT,
        sample_count: u32,
    ) -> u32 {
        formats::quality_levels(Family::of(target).generation, format, sample_count)
    }

    fn application_profile_version(
        &self,
        _: &Target<'_>,
        application: &ApplicationDesc<'_>,
    ) -> VersionNumber {
        profiles::find(application).0
    }

    fn create_compiler(
        &self,
        target: &Target<'_>,
        application: &ApplicationDesc<'_>,
    ) -> Result<SampleCompiler> {
        SampleCompiler::new(target, application)
    }
}
