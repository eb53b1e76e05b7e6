//! Conformance tests for D3D12 compiler plugins, compiler runtimes and user-mode drivers.
//!
//! [`rules`] has every obligation of a plugin or a runtime that ShaderCompilerPlugin.md states or
//! implies: a [`Rule`] with its level, its section and our reading of it. Each rule that can be decided from
//! outside has one test, which fails for that rule only: where a test needs another rule to hold and
//! it does not, the rule is left undecided, with that rule's name.
//!
//! [`run`] runs tests and makes a [`Report`]. Every test has a process of its own, in which the library
//! is loaded, so that one that crashes, hangs or exits costs one verdict and nothing else. The
//! command `ddi-conformance` is the same for people; its README documents options, exit codes and
//! the JSON report.
//!
//! A harness that has tests and an order of its own, such as GoogleTest, takes a [`Session`] and asks for one rule after the
//! other. The package `conformance-c` has that for C.
//!
//! [`selftest`] shows on a plugin that the tests would notice its defects.
//!
//! ```no_run
//! use conformance::{Event, Options, Verdict, run};
//!
//! let mut options = Options::new("target/debug/ddi-conformance", Some("plugin.dll".into()));
//! options.filter = "P-ABI".parse()?;
//! let report = run(&options, |event| {
//!     if let Event::Decided(result) = event {
//!         println!("{}: {}", result.rule, result.verdict.word());
//!     }
//! })?;
//! assert!(report.rules.iter().all(|result| result.verdict == Verdict::Pass));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arena;
mod capabilities;
mod caps;
mod compiler;
mod corpus;
mod debugger;
mod driver;
mod elsewhere;
mod fault;
mod filter;
mod function_table;
mod gate;
mod generated;
mod heap;
mod inputs;
mod layer;
mod limits;
mod linked_in;
mod machine;
mod malformed;
mod memory;
mod object;
pub mod package;
mod pipeline;
mod process;
mod process_change;
mod recorder;
mod replay;
mod replay_child;
mod report;
mod request;
mod resources;
pub mod rules;
mod run_journal;
mod runner;
mod runtime;
mod schedule;
mod selftest;
mod session;
mod shaders;
mod shard;
mod signatures;
mod state_object;
mod subject;
mod sweep;
mod upgrade;
mod waivers;

pub use conformance_catalogue::verdict::{Failure, Verdict};
pub use conformance_catalogue::{Level, Party, Rule};
pub use conformance_protocol::{FaultPlan, FaultPlanError, Set, Settings};
pub use ddi_trace::{Difference, Process as RecordedProcess, Trace, TraceError};
pub use debugger::Debugger;
pub use filter::{Filter, FilterError};
pub use gate::is_gate;
pub use machine::Machine;
pub use replay::{Replay, ReplayError, ReplayedProcess, Selected, replay, write_trace};
pub use report::{
    Effect, Format, Identities, Identity, Report, Reporter, RuleReport, Totals, exit_code,
};
pub use run_journal::{JournalError, read as journal_report};
pub use runner::{Event, Options, RunError, Tested, checking_plugin, plan, run};
pub use selftest::{Defect, Noticed, Score, Selftest, Trial, selftest, selftest_steps};
pub use session::Session;
pub use shard::{Shard, ShardError};
pub use upgrade::{
    Comparison, Finding, Severity, Side, UpgradeError, UpgradeReport, upgrade_check,
};
pub use waivers::{Waiver, WaiverError};

/// What the processes do that [`run`] starts; only `ddi-conformance` calls this.
#[doc(hidden)]
pub mod process_of_a_test {
    pub use crate::elsewhere::CLOCK_IS_OURS;
    pub use crate::heap::{HEAP_IS_OURS, allocation_fails};
    pub use crate::request::run;
}
