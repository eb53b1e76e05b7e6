//! A trace as text.

use std::fmt::Write as _;

use ddi_schema::{Graph, named};
use ddi_sys::HRESULT;
use serde_json::Map;
use sha2::{Digest, Sha256};

use crate::blocks::arguments;
use crate::file::{Process, Recorded};
use crate::functions::Returns;

impl Process {
    /// What was called, a line for each call with its callbacks below it.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.calls.iter().map(|call| self.line(call));
        lines.map(harmless).collect()
    }

    /// Every argument of one call, every field of it, and what came of it; `None` where there is no call of this number.
    pub fn call(&self, number: u64) -> Option<Vec<String>> {
        let recorded = self.calls.iter().find(|call| call.call.number == number)?;
        let mut out = vec![self.line(recorded)];
        let all = |graph: &Graph, names: &Names| -> Vec<String> {
            let all = arguments(graph).filter(|(field, _)| names.contains_key(field.name));
            let lines =
                all.flat_map(|(field, value)| named(field.name, graph.lines_of(field.kind, value)));
            lines.map(|line| format!("  {line}")).collect()
        };
        out.push("arguments".into());
        out.extend(all(&recorded.arguments, &recorded.call.arguments));
        if let Some((returned, outputs)) = &recorded.returned
            && !returned.outputs.is_empty()
        {
            out.push("written".into());
            out.extend(all(outputs, &returned.outputs));
        }
        Some(out.into_iter().map(harmless).collect())
    }

    fn depth(&self, call: &Recorded) -> usize {
        let mut depth = 0;
        let mut within = call.within;
        while let Some(outer) = within {
            depth += 1;
            within = self.calls[outer].within;
        }
        depth
    }

    fn line(&self, recorded: &Recorded) -> String {
        let call = &recorded.call;
        let all = |graph: &Graph, names: &Names| {
            let all = arguments(graph).filter(|(field, _)| names.contains_key(field.name));
            let all = all.map(|(field, value)| {
                let value = graph.short(field.kind, value);
                format!("{}: {value}", field.name)
            });
            all.collect::<Vec<_>>().join(", ")
        };
        let mut line = format!(
            "{:>6} {}{}({})",
            call.number,
            "  ".repeat(self.depth(recorded)),
            call.function,
            all(&recorded.arguments, &call.arguments)
        );
        match &recorded.returned {
            None => line.push_str("  has not returned"),
            Some((returned, outputs)) => {
                let result = result(recorded.function.signature().returns, returned.result);
                if !result.is_empty() {
                    let _ = write!(line, " -> {result}");
                }
                let outputs = all(outputs, &returned.outputs);
                if !outputs.is_empty() {
                    let _ = write!(line, ", {outputs}");
                }
                let elapsed = returned.nanoseconds.saturating_sub(call.nanoseconds);
                let _ = write!(line, "  {}", time(elapsed));
            }
        }
        if call.thread != 1 {
            let _ = write!(line, "  thread {}", call.thread);
        }
        line
    }
}

/// Arguments as the trace has them.
type Names = Map<String, serde_json::Value>;

/// A line that does not steer a terminal: a trace may come from anywhere.
fn harmless(line: impl AsRef<str>) -> String {
    line.as_ref().replace(char::is_control, " ")
}

fn time(nanoseconds: u64) -> String {
    match nanoseconds {
        0..10_000 => format!("{nanoseconds} ns"),
        10_000..10_000_000 => format!("{} us", nanoseconds / 1000),
        _ => format!("{} ms", nanoseconds / 1_000_000),
    }
}

/// What a function returned.
pub(crate) fn result(returns: Returns, result: u64) -> String {
    match returns {
        Returns::Nothing => String::new(),
        Returns::Result => {
            HRESULT(u32::try_from(result).unwrap_or_default().cast_signed()).to_string()
        }
        Returns::Bool => match result {
            0 => "FALSE".into(),
            1 => "TRUE".into(),
            other => format!("TRUE ({other})"),
        },
        Returns::Size => result.to_string(),
        Returns::Address => format!("{result:#x}"),
    }
}

/// The beginning of a SHA-256.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..4])
}
