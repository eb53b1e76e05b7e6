//! The result for people: a table of the families, each defect that was not noticed, and the score.

use std::io::{self, Write};

use conformance_catalogue::verdict::Verdict;
use conformance_catalogue::{Rule, rules};

use super::{Noticed, Score, Selftest, Trial, score};
use crate::report::exit_code;
use crate::report::text::{BAD, BOLD, FAINT, GOOD, ODD, name, write_lines};

impl Selftest {
    /// Writes the result, with colours; a writer that wants none removes them.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_text(&self, to: &mut impl Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let plugin = name(self.plugin.as_ref(), "the sample plugin");
        writeln!(to, "ddi-conformance {version} selftest: {plugin}\n")?;
        self.write_table(to)?;
        for trial in &self.trials {
            let Noticed::No(verdict) = &trial.noticed else {
                continue;
            };
            let (name, rule) = (trial.defect.name, trial.defect.rule);
            let got = match verdict {
                Verdict::Undecided {
                    needs: Some(needs), ..
                } => {
                    format!("undecided: needs {needs}, which does not hold with the defect")
                }
                other => other.word().to_owned(),
            };
            writeln!(to, "\n{BAD}not noticed{BAD:#} {BOLD}{name}{BOLD:#}")?;
            write_lines(
                vec![
                    ("plugin", trial.defect.what.to_owned()),
                    ("rule", format!("{rule}: {}", rule.reading())),
                    ("got", got),
                    ("repeat", trial.repeat.clone()),
                ],
                to,
            )?;
        }
        self.write_reasons("not applicable", to, |noticed| match noticed {
            Noticed::NotApplicable(reason) => Some(reason),
            _ => None,
        })?;
        self.write_reasons("left out", to, |noticed| match noticed {
            Noticed::LeftOut(reason) => Some(reason),
            _ => None,
        })?;
        self.write_reasons("tool error", to, |noticed| match noticed {
            Noticed::ToolError(reason) => Some(reason),
            _ => None,
        })?;
        let score = self.score();
        let style = match self.exit_code() {
            exit_code::CONFORMANT => GOOD,
            exit_code::NOT_CONFORMANT => BAD,
            _ => ODD,
        };
        writeln!(
            to,
            "\n{style}{}{style:#}: {} of the {} defects that apply were noticed, in {:.1} s",
            self.result(),
            score.noticed,
            score.noticed + score.not_noticed,
            self.elapsed.as_secs_f32(),
        )
    }

    fn write_table(&self, to: &mut impl Write) -> io::Result<()> {
        writeln!(
            to,
            "{FAINT}family  defects  noticed  not noticed  not applicable  left out{FAINT:#}"
        )?;
        let mut families: Vec<_> = rules::all().map(Rule::family).collect();
        families.dedup();
        for name in families {
            let of_it = |trial: &&Trial| trial.defect.rule.family() == name;
            let score = score(self.trials.iter().filter(of_it));
            if score.defects > 0 {
                write_row(name, score, to)?;
            }
        }
        write_row("all", self.score(), to)
    }

    /// Writes the defects that were not tried, once for each reason.
    fn write_reasons(
        &self,
        heading: &str,
        to: &mut impl Write,
        reason: impl Fn(&Noticed) -> Option<&String>,
    ) -> io::Result<()> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for trial in &self.trials {
            let Some(reason) = reason(&trial.noticed) else {
                continue;
            };
            let name = trial.defect.name;
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, names)) => names.push(name),
                None => reasons.push((reason, vec![name])),
            }
        }
        for (reason, names) in reasons {
            let count = names.len();
            writeln!(
                to,
                "\n{ODD}{heading}{ODD:#} {BOLD}{count}{BOLD:#}: {reason}"
            )?;
            write_lines(vec![("defects", names.join(" "))], to)?;
        }
        Ok(())
    }
}

fn write_row(name: &str, score: Score, to: &mut impl Write) -> io::Result<()> {
    let Score {
        defects,
        noticed,
        not_noticed,
        not_applicable,
        left_out,
        ..
    } = score;
    let style = if not_noticed > 0 { BAD } else { GOOD };
    writeln!(
        to,
        "{name:<7} {defects:>7}  {style}{noticed:>7}  {not_noticed:>11}{style:#}  {not_applicable:>14}  {left_out:>8}"
    )
}
