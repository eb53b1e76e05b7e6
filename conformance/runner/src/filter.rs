//! Which rules a run is about.

use std::str::FromStr;

use conformance_catalogue::Rule;

/// A selection of rules by id.
///
/// A comma-separated list of patterns; a rule is selected when one of them matches. `=P-ABI-05`
/// matches that id only, a pattern with `*`, `?` or `[` is a glob over the whole id, and anything
/// else matches where it occurs in the id. Upper and lower case are the same.
///
/// ```
/// let filter: conformance_runner::Filter = "fam,=P-ABI-05,p-ver-0[1-3]".parse()?;
/// assert!(filter.selects(conformance_runner::rules::P_FAM_04));
/// assert!(filter.selects(conformance_runner::rules::P_VER_02));
/// assert!(!filter.selects(conformance_runner::rules::P_ABI_06));
/// # Ok::<(), conformance_runner::FilterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filter(Vec<Pattern>);

#[derive(Clone, Debug)]
enum Pattern {
    Exact(String),
    Glob(glob::Pattern),
    Substring(String),
}

/// A pattern that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// Nothing between two commas.
    #[error("the filter has an empty pattern")]
    Empty,
    /// Not a glob.
    #[error("\"{pattern}\" is not a glob pattern: {source}")]
    Glob {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        source: glob::PatternError,
    },
}

impl Filter {
    /// The filter that selects every rule.
    pub fn all() -> Self {
        Self(vec![Pattern::Substring(String::new())])
    }

    /// Whether the filter selects `rule`.
    pub fn selects(&self, rule: Rule) -> bool {
        let id = rule.id();
        self.0.iter().any(|pattern| match pattern {
            Pattern::Exact(exact) => exact == id,
            Pattern::Glob(glob) => glob.matches(id),
            Pattern::Substring(part) => id.contains(part.as_str()),
        })
    }
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(patterns: &str) -> Result<Self, FilterError> {
        patterns
            .split(',')
            .map(|pattern| pattern.trim().parse())
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl FromStr for Pattern {
    type Err = FilterError;

    fn from_str(pattern: &str) -> Result<Self, FilterError> {
        let upper = pattern.to_ascii_uppercase();
        match upper.strip_prefix('=') {
            _ if upper.is_empty() => Err(FilterError::Empty),
            Some("") => Err(FilterError::Empty),
            Some(exact) => Ok(Self::Exact(exact.to_owned())),
            None if upper.contains(['*', '?', '[']) => match glob::Pattern::new(&upper) {
                Ok(glob) => Ok(Self::Glob(glob)),
                Err(source) => Err(FilterError::Glob {
                    pattern: pattern.to_owned(),
                    source,
                }),
            },
            None => Ok(Self::Substring(upper)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Filter;
    use conformance_catalogue::{Rule, rules};

    fn selected(filter: &str) -> Vec<&'static str> {
        let filter: Filter = filter.parse().unwrap();
        rules::all()
            .filter(|rule| filter.selects(*rule))
            .map(Rule::id)
            .collect()
    }

    #[test]
    fn patterns() {
        assert_eq!(selected("=P-ABI-05"), ["P-ABI-05"]);
        assert_eq!(selected("=p-abi-05"), ["P-ABI-05"]);
        assert!(selected("=P-ABI").is_empty());
        assert_eq!(selected("CVER"), ["P-CVER-01", "P-CVER-02", "P-CVER-03"]);
        assert_eq!(
            selected("P-*-10"),
            ["P-OPEN-10", "P-VER-10", "P-ABI-10", "P-PSO-10"]
        );
        assert_eq!(
            selected("p-tbl-0[12], =P-FAM-01"),
            ["P-TBL-01", "P-TBL-02", "P-FAM-01"]
        );
        assert!(selected("P-?").is_empty(), "a glob is about the whole id");
        assert_eq!(
            rules::all().count(),
            rules::all()
                .filter(|rule| Filter::all().selects(*rule))
                .count()
        );
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for bad in ["", ",", "P-FAM,", "=", "[", "P-[*"] {
            assert!(bad.parse::<Filter>().is_err(), "{bad:?}");
        }
    }
}
