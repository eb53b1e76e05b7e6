//! The result for people: a table with both builds side by side, and what the versions do not tell.

use std::io::{self, Write};

use super::{Comparison, Severity, UpgradeReport};
use crate::report::text::{BAD, BOLD, FAINT, GOOD, ODD, name, write_lines};

impl UpgradeReport {
    /// Writes the result, with colours; a writer that wants none removes them.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_text(&self, strict: bool, to: &mut impl Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(to, "ddi-conformance {version} upgrade-check")?;
        writeln!(to, "old  {}", name(Some(&self.old), ""))?;
        writeln!(to, "new  {}", name(Some(&self.new), ""))?;
        self.write_table(to)?;
        for finding in &self.findings {
            let (style, word) = match finding.severity {
                Severity::Failure => (BAD, "failure"),
                Severity::Warning => (ODD, "warning"),
                Severity::Note => (FAINT, "note"),
            };
            let first = finding.of.first().map_or("", String::as_str);
            writeln!(to, "\n{style}{word}{style:#} {BOLD}{first}{BOLD:#}")?;
            let mut lines = vec![
                ("expected", finding.expected.clone()),
                ("got", finding.got.clone()),
            ];
            if let [_, others @ ..] = finding.of.as_slice()
                && !others.is_empty()
            {
                lines.push(("also", others.join("\n")));
            }
            write_lines(lines, to)?;
        }
        let style = if self.holds(strict) { GOOD } else { BAD };
        writeln!(to, "\n{style}{}{style:#}", self.result(strict))
    }

    /// One row for all applications of a target whose versions are the same.
    fn write_table(&self, to: &mut impl Write) -> io::Result<()> {
        let mut rows: Vec<Vec<&Comparison>> = Vec::new();
        for comparison in &self.comparisons {
            match rows.iter_mut().find(|row| row[0].goes_with(comparison)) {
                Some(row) => row.push(comparison),
                None => rows.push(vec![comparison]),
            }
        }
        let mut cells = vec![
            [
                "family", "ABI", "for", "compiler", "profile", "cache", "objects", "same", "keys",
                "code", "results", "ms", "code KB",
            ]
            .map(str::to_owned),
        ];
        cells.extend(rows.iter().map(|row| cells_of(row)));
        let widths: Vec<_> = (0..cells[0].len())
            .map(|column| cells.iter().map(|row| row[column].chars().count()).max())
            .map(Option::unwrap_or_default)
            .collect();
        writeln!(to)?;
        for (number, row) in cells.iter().enumerate() {
            let padded = row.iter().zip(&widths).map(|(cell, &width)| {
                let is_number = cell.starts_with(|first: char| first.is_ascii_digit());
                if is_number {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            });
            let line = padded.collect::<Vec<_>>().join("  ");
            if number == 0 {
                writeln!(to, "{FAINT}{}{FAINT:#}", line.trim_end())?;
            } else {
                writeln!(to, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }
}

impl Comparison {
    /// Whether both are of one target, with the same versions.
    fn goes_with(&self, other: &Self) -> bool {
        let versions = |of: &Self| {
            [&of.old, &of.new]
                .map(|side| (side.compiler_version.clone(), side.profile_version.clone()))
        };
        (&self.family, self.abi_version) == (&other.family, other.abi_version)
            && versions(self) == versions(other)
    }
}

/// An old text and a new one, once where they are the same.
fn pair(old: String, new: &str) -> String {
    if old == new {
        old
    } else {
        format!("{old} → {new}")
    }
}

fn cells_of(row: &[&Comparison]) -> [String; 13] {
    let first = row[0];
    let sum = |of: fn(&Comparison) -> usize| row.iter().map(|one| of(one)).sum::<usize>();
    let both = |of: fn(&Comparison) -> [f64; 2]| {
        let [old, new] = [0, 1].map(|side| row.iter().map(|one| of(one)[side]).sum::<f64>());
        let times = if old > 0.0 { new / old } else { 1.0 };
        format!("{old:.1} → {new:.1} (×{times:.2})")
    };
    [
        first.family.clone(),
        first.abi_version.to_string(),
        match row.len() {
            1 => first.application.clone(),
            count => format!("{count} applications"),
        },
        pair(
            first.old.compiler_version.clone(),
            &first.new.compiler_version,
        ),
        pair(
            first.old.profile_version.clone(),
            &first.new.profile_version,
        ),
        first.cache.to_owned(),
        sum(|one| one.old.objects.max(one.new.objects)).to_string(),
        sum(|one| one.same).to_string(),
        sum(|one| one.other_keys).to_string(),
        sum(|one| one.other_code).to_string(),
        sum(|one| one.other_result).to_string(),
        both(|one| [&one.old, &one.new].map(|side| side.elapsed.as_secs_f64() * 1000.0)),
        #[allow(clippy::cast_precision_loss, reason = "for people")]
        both(|one| [&one.old, &one.new].map(|side| side.code_bytes as f64 / 1000.0)),
    ]
}
