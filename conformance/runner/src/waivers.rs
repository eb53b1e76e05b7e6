//! Failures that are known and let pass for a time: the file of `--waivers`.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use chrono::{NaiveDate, Utc};
use conformance_catalogue::{Rule, rules};
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::value::Datetime;

/// Lets the failure of a rule pass until a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiver {
    /// The rule.
    #[serde(skip)]
    pub rule: Rule,
    /// Why.
    pub reason: String,
    /// Where the work on it is.
    pub link: String,
    /// The last day, by UTC.
    pub expires: NaiveDate,
    /// Whether that day is over.
    #[serde(skip)]
    pub(crate) has_expired: bool,
    #[serde(skip)]
    place: Place,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    path: PathBuf,
    line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.line)
    }
}

/// What is wrong with a file of waivers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaiverError {
    /// It cannot be read.
    #[error("cannot read the waivers {}: {source}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It has something else than waivers.
    #[error("{place}: {what}")]
    Content {
        /// The file and the line.
        place: String,
        /// What, and what to do.
        what: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    waiver: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: Spanned<String>,
    reason: Spanned<String>,
    link: Spanned<String>,
    expires: Spanned<Datetime>,
}

impl Waiver {
    /// The waivers of a file, as they are today.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not of this form, or names a rule that does not exist, or one twice.
    pub fn read(path: &Path) -> Result<Vec<Self>, WaiverError> {
        let text = std::fs::read_to_string(path).map_err(|source| WaiverError::File {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(path, &text, Utc::now().date_naive())
    }

    /// The waivers of a text, as they are on a day; `path` is what they and the errors say of where they are.
    pub(crate) fn parse(
        path: &Path,
        text: &str,
        today: NaiveDate,
    ) -> Result<Vec<Self>, WaiverError> {
        let place = |offset: usize| Place {
            path: path.to_owned(),
            line: text[..offset].matches('\n').count() + 1,
        };
        let wrong = |offset: usize, what: String| WaiverError::Content {
            place: place(offset).to_string(),
            what,
        };
        let file: File = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            let form = "a waiver is [[waiver]] with rule, reason, link and expires = YYYY-MM-DD";
            wrong(offset, format!("{}; {form}", error.message()))
        })?;
        let mut waivers: Vec<Self> = Vec::new();
        for entry in file.waiver {
            let at = entry.rule.span().start;
            let rule =
                rules::find(entry.rule.get_ref()).map_err(|error| wrong(at, error.to_string()))?;
            if let Some(other) = waivers.iter().find(|waiver| waiver.rule == rule) {
                let what = format!(
                    "{rule} has a waiver in line {} already: remove one",
                    other.place.line
                );
                return Err(wrong(at, what));
            }
            for (name, text) in [("reason", &entry.reason), ("link", &entry.link)] {
                if text.get_ref().trim().is_empty() {
                    return Err(wrong(text.span().start, format!("say the {name}")));
                }
            }
            let day = entry.expires.get_ref();
            let expires = match (day.date, day.time) {
                (Some(date), None) => {
                    NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
                }
                _ => None,
            };
            let expires = expires.ok_or_else(|| {
                wrong(
                    entry.expires.span().start,
                    format!("{day} is no day: write YYYY-MM-DD"),
                )
            })?;
            waivers.push(Self {
                rule,
                reason: entry.reason.into_inner(),
                link: entry.link.into_inner(),
                expires,
                has_expired: expires < today,
                place: place(at),
            });
        }
        Ok(waivers)
    }

    /// Why it is no good any more, and what to do; `passes` says whether its rule does.
    pub(crate) fn objection(&self, passes: bool) -> Option<String> {
        let Self {
            rule,
            place,
            expires,
            ..
        } = self;
        if self.has_expired {
            Some(format!(
                "{place}: the waiver of {rule} expired on {expires}: remove it, or set a later day"
            ))
        } else if passes {
            Some(format!("{place}: {rule} passes: remove its waiver"))
        } else {
            None
        }
    }
}

impl fmt::Display for Waiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "until {}: {} ({})", self.expires, self.reason, self.link)
    }
}

#[cfg(test)]
mod tests {
    use super::Waiver;
    use conformance_catalogue::rules;
    use std::path::Path;

    fn parsed(text: &str) -> Result<Vec<Waiver>, String> {
        let today = "2026-03-31".parse().unwrap();
        Waiver::parse(Path::new("w.toml"), text, today).map_err(|error| error.to_string())
    }

    fn entry(rule: &str, expires: &str) -> String {
        format!(
            "[[waiver]]\nrule = \"{rule}\"\nreason = \"why\"\nlink = \"L-1\"\nexpires = {expires}\n"
        )
    }

    #[test]
    fn a_waiver_is_good_through_its_last_day() {
        let text = entry("p-abi-05", "2026-03-31") + &entry("P-ABI-06", "2026-03-30");
        let waivers = parsed(&text).unwrap();
        assert_eq!(waivers[0].rule, rules::P_ABI_05);
        assert_eq!(waivers[0].to_string(), "until 2026-03-31: why (L-1)");
        assert_eq!(waivers[0].objection(false), None);
        let passes = "w.toml:2: P-ABI-05 passes: remove its waiver";
        assert_eq!(waivers[0].objection(true).unwrap(), passes);
        let expired =
            "w.toml:7: the waiver of P-ABI-06 expired on 2026-03-30: remove it, or set a later day";
        for passes in [false, true] {
            assert_eq!(waivers[1].objection(passes).unwrap(), expired);
        }
        assert_eq!(parsed("").unwrap(), []);
    }

    #[test]
    fn what_is_no_waiver_is_refused_with_its_line() {
        let good = entry("P-ABI-05", "2026-03-31");
        for (text, expected) in [
            (
                entry("P-ABI-99", "2026-03-31"),
                "w.toml:2: no rule has the id \"P-ABI-99\"; `ddi-conformance list` shows them all",
            ),
            (
                good.repeat(2),
                "w.toml:7: P-ABI-05 has a waiver in line 2 already: remove one",
            ),
            (good.replace("why", " "), "w.toml:3: say the reason"),
            (good.replace("L-1", ""), "w.toml:4: say the link"),
            (
                good.replace("2026-03-31", "07:32:00"),
                "w.toml:5: 07:32:00 is no day: write YYYY-MM-DD",
            ),
            (
                good.replace("2026-03-31", "2026-03-31T07:32:00Z"),
                "w.toml:5: 2026-03-31T07:32:00Z is no day: write YYYY-MM-DD",
            ),
        ] {
            assert_eq!(parsed(&text).unwrap_err(), expected);
        }
        for (text, line) in [
            (good.replace("link", "lnk"), 4),
            (good.replace("expires = 2026-03-31", ""), 1),
            (good.replace("2026-03-31", "2026-02-30"), 5),
            (good.replace("2026-03-31", "\"2026-03-31\""), 5),
            (good.replace("[[waiver]]", "[[waivers]]"), 1),
            (good.replace("\"why\"", "why"), 3),
        ] {
            let error = parsed(&text).unwrap_err();
            let place = format!("w.toml:{line}: ");
            assert!(
                error.starts_with(&place) && error.contains("expires = YYYY-MM-DD"),
                "{error}"
            );
        }
    }
}
