//! Whether the files of an output are of one run, and so may be written together.

use std::cmp::Ordering;
use std::path::PathBuf;

use shader_db::psdb::{File, Group, ValueTypes};

use crate::{Error, Result};

/// Checks that each file has the groups of the first, the main file. A run that was killed can have left two differences,
/// which the next one mends:
///
/// - the side files have a batch that the main file has not: a session puts it back when it opens the files
/// - the main file still has groups that were removed because they are of another version now, which `is_stale` says
///
/// # Errors
///
/// [`Error::Usage`] for another difference, [`Error::Database`].
pub fn check(files: &[(ValueTypes, PathBuf)], is_stale: &dyn Fn(&Group) -> bool) -> Result<()> {
    // At about one time, as another session may be storing: so a side file is a batch ahead at most.
    let mut opened = Vec::new();
    for (_, path) in files {
        opened.push((path, File::open(path)?));
    }
    let Some(((main_path, main), sides)) = opened.split_first() else {
        return Ok(());
    };
    let of_main = main.groups()?;
    for (path, side) in sides {
        let is_ahead = side.is_batch_ahead_of(main)?;
        for difference in differences(&of_main, &side.groups()?) {
            let is_of_killed_run = match difference {
                Difference::Removed(group) => is_stale(group),
                Difference::Added => is_ahead,
                Difference::Other => false,
            };
            if !is_of_killed_run {
                return Err(Error::Usage(format!(
                    "{} has not the objects of {}: it is of another run, or one of them was added to without the other. Name \
                     new files for all of them, and they are compiled again",
                    path.display(),
                    main_path.display()
                )));
            }
        }
    }
    Ok(())
}

/// How a key's group in a side file differs from that in the main file.
enum Difference<'a> {
    /// It is in the main file only.
    Removed(&'a Group),
    /// It is in the side file only.
    Added,
    Other,
}

/// Of groups that are sorted by key.
fn differences<'a>(
    of_main: &'a [Group],
    of_side: &'a [Group],
) -> impl Iterator<Item = Difference<'a>> {
    let (mut of_main, mut of_side) = (of_main.iter().peekable(), of_side.iter().peekable());
    std::iter::from_fn(move || {
        loop {
            let order = match (of_main.peek(), of_side.peek()) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(main), Some(side)) => main.key.cmp(&side.key),
            };
            let main = of_main.next_if(|_| order.is_le());
            let side = of_side.next_if(|_| order.is_ge());
            match (main, side) {
                (Some(main), Some(side)) if main.is_same_as(side) => {}
                (Some(_), Some(_)) => return Some(Difference::Other),
                (Some(main), None) => return Some(Difference::Removed(main)),
                (None, _) => return Some(Difference::Added),
            }
        }
    })
}
