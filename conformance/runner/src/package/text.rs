//! The result of a verification for people: what the package says, then each check.

use std::io::{self, Write};

use super::{Manifest, Outcome, Verification};
use crate::report::exit_code;
use crate::report::text::{BAD, BOLD, GOOD, ODD, write_lines};

impl Verification {
    /// Writes the result, with colours; a writer that wants none removes them.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_text(&self, to: &mut impl Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(to, "ddi-conformance {version} package verify")?;
        writeln!(to, "{} bytes, sha256 {}", self.size, self.sha256)?;
        if let Some(manifest) = &self.manifest {
            writeln!(to, "\n{BOLD}What the package says{BOLD:#}")?;
            let lines = manifest.lines().into_iter();
            write_lines(
                lines.map(|(name, text)| (name, harmless(&text))).collect(),
                to,
            )?;
        }
        writeln!(to, "\n{BOLD}What holds of it{BOLD:#}")?;
        for check in &self.checks {
            let (style, word) = match check.result {
                Outcome::Ok => (GOOD, "ok"),
                Outcome::Failed => (BAD, "failed"),
                Outcome::Skipped => (ODD, "skipped"),
            };
            let what = harmless(&check.what.join("\n")).replace('\n', "\n                     ");
            writeln!(to, "  {:<9}  {style}{word:<7}{style:#}  {what}", check.name)?;
        }
        let style = match self.exit_code() {
            exit_code::CONFORMANT => GOOD,
            exit_code::INCOMPLETE => ODD,
            _ => BAD,
        };
        writeln!(to, "\n{style}{}{style:#}", self.result())
    }
}

/// A text from outside without what a terminal obeys.
fn harmless(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}

impl Manifest {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let run = &self.run;
        let (kind, library, _) = run.tested.parts();
        let mut lines = vec![
            (
                "made",
                format!(
                    "on {} by {} {}",
                    self.day, self.tool.name, self.tool.version
                ),
            ),
            ("rules", format!("rule set {}", self.tool.rule_set)),
        ];
        if library.is_none() {
            lines.push((kind, run.tested.name()));
        }
        for library in &self.libraries {
            let role = ["runtime", "driver"]
                .into_iter()
                .find(|role| library.role == *role);
            let image = library.image.as_ref().map_or_else(
                || "no PE or ELF file".to_owned(),
                |image| format!("{} {} {}", image.format, image.machine, image.kind),
            );
            let text = format!(
                "{}\nsha256 {}\n{} bytes, {image}",
                library.path, library.sha256, library.size
            );
            lines.push((role.unwrap_or("plugin"), text));
        }
        let totals = serde_json::to_value(run.totals).unwrap_or_default();
        let totals = totals.as_object().into_iter().flatten();
        let totals: Vec<_> = totals
            .filter(|(_, count)| **count != 0)
            .map(|(verdict, count)| format!("{count} {verdict}"))
            .collect();
        lines.extend([
            ("result", run.result.clone()),
            (
                "verdicts",
                format!(
                    "{} of {} rules, of {} in all",
                    totals.join(", "),
                    run.planned,
                    run.rules_in_all
                ),
            ),
            (
                "set",
                format!(
                    "{}, seed {}, strict {}",
                    run.settings.set.name(),
                    run.settings.seed,
                    run.strict
                ),
            ),
        ]);
        let env = run
            .env
            .iter()
            .map(|(name, value)| ("env", format!("{name}={value}")));
        lines.extend(env);
        lines.push(match &self.selftest {
            None => ("selftest", "none".into()),
            Some(selftest) => {
                let score = selftest.score;
                let text = format!(
                    "{}: {} noticed, {} not noticed, {} not applicable, {} left out, of {} defects",
                    selftest.result,
                    score.noticed,
                    score.not_noticed,
                    score.not_applicable,
                    score.left_out,
                    score.defects
                );
                ("selftest", text)
            }
        });
        for waiver in self.waivers.iter().flat_map(|file| &file.waivers) {
            let text = format!(
                "{} until {}: {} ({})",
                waiver.rule, waiver.expires, waiver.reason, waiver.link
            );
            lines.push(("waiver", text));
        }
        for machine in &run.machines {
            let kernel = machine
                .kernel
                .iter()
                .map(|kernel| format!(", kernel {kernel}"));
            let wine = machine.wine.iter().map(|wine| format!(", Wine {wine}"));
            let more: String = kernel.chain(wine).collect();
            let tool = machine.tool_sha256.as_deref().unwrap_or("unknown");
            let text = format!(
                "{}{more}, {}, {} processors\ntool sha256 {tool}",
                machine.os, machine.arch, machine.cpus
            );
            lines.push(("machine", text));
        }
        lines
    }
}
