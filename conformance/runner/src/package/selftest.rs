//! The result of `selftest --format json`, as a package has it.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::manifest::Tool;
use crate::report::Report;
use crate::selftest::Score;
use crate::tested::Identities;

/// What the self-test of a plugin says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelftestFacts {
    /// Its result in words.
    pub result: String,
    /// How many defects were tried in front of the plugin, and what came of them.
    pub score: Score,
}

/// What is read of the document.
#[derive(Deserialize)]
struct Document {
    tool: ToolOfRun,
    plugin: Option<Plugin>,
    result: String,
    score: Score,
    defects: Vec<Trial>,
}

#[derive(Deserialize)]
struct ToolOfRun {
    version: String,
    rule_set: String,
}

#[derive(Deserialize)]
struct Plugin {
    sha256: String,
}

#[derive(Deserialize)]
struct Trial {
    name: String,
    result: String,
}

impl SelftestFacts {
    /// Reads the document of a self-test, which must be of the plugin of a run and by the same tool.
    pub(super) fn read(document: &[u8], run: &Report, by: &Tool) -> Result<Self, String> {
        let document: Document = serde_json::from_slice(document)
            .map_err(|error| format!("it is no result of `selftest --format json`: {error}"))?;
        let Identities::Plugin(tested) = &run.tested else {
            return Err("it is of a plugin, and the run is of something else".into());
        };
        let tested = tested.as_ref().map(|plugin| plugin.sha256.as_str());
        let plugin = document.plugin.as_ref();
        let plugin = plugin.map(|plugin| plugin.sha256.as_str());
        if plugin != tested {
            let named = |plugin: Option<&str>| match plugin {
                None => "the sample plugin that is linked in".to_owned(),
                Some(sha256) => format!("the one with SHA-256 {sha256}"),
            };
            return Err(format!(
                "it is of another plugin: {}, not {}",
                named(plugin),
                named(tested)
            ));
        }
        by.made("it", &document.tool.version, Some(&document.tool.rule_set))?;
        let mut score = Score::default();
        for trial in &document.defects {
            score.defects += 1;
            *match trial.result.as_str() {
                "noticed" => &mut score.noticed,
                "not-noticed" => &mut score.not_noticed,
                "not-applicable" => &mut score.not_applicable,
                "left-out" => &mut score.left_out,
                "tool-error" => &mut score.tool_error,
                other => return Err(format!("a defect has the result {other:?}")),
            } += 1;
        }
        if score != document.score {
            return Err("its score is not the sum of its defects".into());
        }
        let names: HashSet<_> = document.defects.iter().map(|trial| &trial.name).collect();
        if names.len() < document.defects.len() {
            return Err("it has a defect twice".into());
        }
        if document.result != score.result() {
            return Err(format!(
                "its score says {:?}, not {:?}",
                score.result(),
                document.result
            ));
        }
        Ok(Self {
            result: document.result,
            score,
        })
    }
}
