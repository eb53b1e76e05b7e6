#![forbid(unsafe_code)]
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
//! use conformance_runner::{Event, Options, Verdict, run};
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

pub mod child;
mod debugger;
mod error;
mod filter;
mod gate;
mod machine;
mod options;
pub mod package;
mod parallel;
mod process;
pub mod report;
mod run;
mod run_journal;
mod selftest;
mod session;
mod shard;
mod test;
mod tested;
mod upgrade;
mod waivers;

pub use conformance_catalogue::rules::{self, UnknownRule};
pub use conformance_catalogue::verdict::{Failure, Verdict};
pub use conformance_catalogue::{Defect, Level, Party, Rule};
pub use conformance_protocol::{FaultPlan, FaultPlanError, Set, Settings};
pub use debugger::Debugger;
pub use error::{JournalError, RunError};
pub use filter::{Filter, FilterError};
pub use gate::is_gate;
pub use machine::Machine;
pub use options::{Options, plan};
pub use parallel::in_parallel;
pub use process::Ended;
pub use report::{Effect, Event, Format, Report, Reporter, RuleReport, Totals, exit_code};
pub use run::run;
pub use run_journal::read as journal_report;
pub use selftest::{Layer, Noticed, Score, Selftest, Trial, selftest, selftest_steps};
pub use session::Session;
pub use shard::{Shard, ShardError};
pub use tested::{Identities, Identity, Tested, checking_plugin};
pub use upgrade::{
    Comparison, Finding, Severity, Side, UpgradeError, UpgradeReport, upgrade_check,
};
pub use waivers::{Waiver, WaiverError};
