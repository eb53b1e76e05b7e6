//! What the checking plugin wrote about the runtime.

use conformance_catalogue::Rule;
use conformance_catalogue::verdict::{Failure, Outcome, Stop};
use conformance_protocol::record::{Broken, Call, Entry, PLUGIN, VARIABLE};

/// The calls that the runtime made, and the rules that it broke.
#[derive(Default)]
pub(crate) struct Record {
    calls: Vec<Call>,
    described: Vec<(String, String)>,
    broken: Vec<Broken>,
}

impl Record {
    /// What the plugin of this process has written so far.
    pub(crate) fn read() -> Result<Self, Stop> {
        let file =
            std::env::var_os(VARIABLE).ok_or_else(|| Stop::Tool(format!("no {VARIABLE}")))?;
        let Ok(text) = std::fs::read_to_string(file) else {
            return Err(Stop::Undecided(
                "the plugin that the runtime is given does not record what its host does, as the checking plugin does".into(),
            ));
        };
        let mut record = Record::default();
        for line in text.lines() {
            match serde_json::from_str(line) {
                Ok(Entry::Call(call)) => record.calls.push(call),
                Ok(Entry::Described(fields)) => record.described.extend(fields),
                Ok(Entry::Broken(broken)) => record.broken.push(broken),
                Err(error) => return Err(Stop::Tool(format!("the record of the host: {error}"))),
            }
        }
        Ok(record)
    }

    /// The calls of a name.
    pub(crate) fn calls(&self, name: &str) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(move |call| call.name == name)
    }

    /// What the descriptions say of all compile calls, one after the other: paths and values.
    pub(crate) fn described(&self) -> Result<&[(String, String)], Stop> {
        if std::env::var_os(PLUGIN).is_some_and(|path| !path.is_empty()) {
            return Err(Stop::Undecided(format!(
                "the plugin of {PLUGIN} does not show what it is given, as the checking plugin's own one does"
            )));
        }
        Ok(&self.described)
    }

    /// Whether a rule was kept.
    pub(crate) fn judge(&self, rule: Rule) -> Outcome {
        match self.broken.iter().find(|broken| broken.rule == rule) {
            Some(broken) => Err(Stop::Broken(Failure {
                call: broken.call.clone(),
                expected: broken.expected.clone(),
                got: broken.got.clone(),
            })),
            None => Ok(()),
        }
    }
}
