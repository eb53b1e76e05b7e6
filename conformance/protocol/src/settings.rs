//! How thorough a run is, and what its tests take by chance.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::{FaultPlan, path};

/// How thorough a run is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Set {
    /// The ordinary objects only: an answer in seconds, for every build
    Smoke,
    /// Descriptions that vary every field too
    #[default]
    Full,
    /// Many times as many descriptions: for a night
    Soak,
}

/// How the tests of a run are made.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// How thorough the tests are
    #[arg(long, value_name = "SET", default_value = "full")]
    pub set: Set,
    /// What the tests take by chance follows from this number: the same seed makes the same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Test only the rules about faults of the host, under this plan, such as the one that a failure names: what each callback
    /// answers in one compile call, as in find#2=E_OUTOFMEMORY; store#0=ALREADY_EXISTS
    #[arg(long, value_name = "PLAN")]
    pub fault_plan: Option<FaultPlan>,
    /// A folder of DXIL containers (*.dxil, *.cso, *.dxbc) that the P-PSO rules compile too; --set smoke takes none
    #[arg(long, value_name = "FOLDER", value_parser = PathBufValueParser::new().try_map(std::path::absolute))]
    #[serde(with = "path")]
    pub corpus: Option<PathBuf>,
}

impl Set {
    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Full => "full",
            Self::Soak => "soak",
        }
    }
}

impl Settings {
    /// The options of a command line that has these settings; none for what is a default.
    pub fn options(&self) -> Vec<OsString> {
        let mut options = Vec::new();
        if self.set != Set::default() {
            options.extend(["--set".to_owned(), self.set.name().to_owned()]);
        }
        if self.seed != 0 {
            options.extend(["--seed".to_owned(), self.seed.to_string()]);
        }
        if let Some(plan) = &self.fault_plan {
            options.extend(["--fault-plan".to_owned(), plan.to_string()]);
        }
        let mut options: Vec<_> = options.into_iter().map(OsString::from).collect();
        if let Some(corpus) = &self.corpus {
            options.extend(["--corpus".into(), corpus.into()]);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::{Set, Settings};
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        settings: Settings,
    }

    #[test]
    fn options_are_read_back() {
        for set in [Set::Smoke, Set::Full, Set::Soak] {
            for (seed, plan) in [
                (0, None),
                (7, Some("store#2=E_FAIL; find#*=grow")),
                (u64::MAX, None),
            ] {
                let settings = Settings {
                    set,
                    seed,
                    fault_plan: plan.map(|plan| plan.parse().unwrap()),
                    corpus: plan.map(|_| std::env::temp_dir().join("a corpus")),
                };
                let options = settings.options();
                assert_eq!(options.is_empty(), settings == Settings::default());
                let line = [vec!["line".into()], options].concat();
                assert_eq!(Line::parse_from(line).settings, settings);
            }
        }
    }
}
