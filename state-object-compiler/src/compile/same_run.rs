//! Checks that the files of an output belong to one run, so that a run may write them together.

use std::collections::HashMap;
use std::path::Path;

use shader_db::psdb::{File, Group};

use crate::{Error, Result};

/// Checks that each file has no group that the first, the main file, lacks or has differently. The run compiles again what a
/// side file lacks ([`later`](super::later)).
///
/// A run that was killed can have left more in a side file than in the main file: a session removes that when it opens the
/// files.
///
/// # Errors
///
/// [`Error::Usage`] for another difference, [`Error::Database`].
pub fn check(files: &[&Path]) -> Result<()> {
    if files.len() == 1 {
        return Ok(());
    }
    let mut opened = Vec::new();
    for path in files {
        opened.push((path, File::open(path)?));
    }
    let Some(((main_path, main), sides)) = opened.split_first() else {
        return Ok(());
    };
    let of_main = main.groups()?;
    let of_main: HashMap<&[u8], &Group> =
        of_main.iter().map(|group| (&*group.key, group)).collect();
    for (path, side) in sides {
        let is_of_run = |group: &Group| match of_main.get(&*group.key) {
            Some(of_main) => group.is_same_as(of_main),
            None => !side.is_finished(),
        };
        if !side.groups()?.iter().all(is_of_run) {
            return Err(Error::Usage(format!(
                "{} has objects that {} has not, or other ones: it is of another run. Name a new file, and what it has to \
                 have is compiled again",
                path.display(),
                main_path.display()
            )));
        }
    }
    Ok(())
}
