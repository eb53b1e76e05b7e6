//! The defects of a library, of which a process has one.

use std::env;
use std::ffi::OsStr;
use std::sync::OnceLock;

use crate::{Defect, Row};

/// The environment variable that selects a defect by its name; unset, or [`NONE`], selects none.
pub const VARIABLE: &str = "DDI_DEFECT";

/// The name of the library without a defect.
pub const NONE: &str = "none";

/// The tables of a library, with what is selected of them: a row, none, or a name that no row has.
pub struct Library<H: 'static, A: 'static> {
    tables: &'static [&'static [Row<H, A>]],
    selected: OnceLock<Result<Option<&'static Row<H, A>>, String>>,
}

impl<H, A> Library<H, A> {
    /// With the tables of its files.
    pub const fn new(tables: &'static [&'static [Row<H, A>]]) -> Self {
        Self {
            tables,
            selected: OnceLock::new(),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &'static Row<H, A>> {
        self.tables.iter().copied().flatten()
    }

    /// Every defect, in the order of the tables.
    pub fn defects(&self) -> impl Iterator<Item = &'static Defect> {
        self.rows().map(|row| &row.defect)
    }

    /// The row of a name that the library is known to have.
    ///
    /// # Panics
    ///
    /// It has no such row.
    pub fn row_of(&self, name: &str) -> &'static Row<H, A> {
        let row = self.rows().find(|row| row.defect.name == name);
        row.unwrap_or_else(|| panic!("no row has the name {name}"))
    }

    /// Selects the defect of a name for this process: only the first selection counts.
    pub fn select(&self, name: &OsStr) {
        self.selected.get_or_init(|| self.named(name));
    }

    fn named(&self, name: &OsStr) -> Result<Option<&'static Row<H, A>>, String> {
        if name == NONE {
            return Ok(None);
        }
        let row = self.rows().find(|row| name == row.defect.name);
        row.map(Some)
            .ok_or_else(|| name.to_string_lossy().into_owned())
    }

    /// The row that is selected; the first call selects what [`VARIABLE`] names, if nothing is selected yet.
    ///
    /// # Errors
    ///
    /// The name that is selected, which no row has.
    pub fn selected(&self) -> Result<Option<&'static Row<H, A>>, &str> {
        let by_variable = || self.named(&env::var_os(VARIABLE).unwrap_or_else(|| NONE.into()));
        let selected = self.selected.get_or_init(by_variable).as_ref();
        selected.copied().map_err(String::as_str)
    }

    /// The row that this process has.
    pub fn row(&self) -> Option<&'static Row<H, A>> {
        self.selected().ok().flatten()
    }

    /// The hook of this process that `pick` finds, if it acts where a call is about that.
    pub fn hook<F>(
        &self,
        pick: impl Fn(&H) -> Option<F>,
        about: impl FnOnce() -> Option<A>,
    ) -> Option<F> {
        self.row()?.hook(pick, about)
    }

    /// What the selected defect needs and the layer has not met so far, in words; `None` where it could act.
    pub fn unmet(&self) -> Option<&'static str> {
        self.row()?.unmet()
    }
}
