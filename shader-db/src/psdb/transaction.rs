//! A transaction over the files of a session.

use parking_lot::MutexGuard;

use super::batch::{Batch, Item};
use super::file_writer::{FileWriter, Share};
use super::session::Psdb;
use super::tables::Added;
use super::{ValueType, ValueTypes};
use crate::{Error, Result};

/// The transaction of one [`Psdb::transaction`] call: it sees what it has added itself, and what was committed before it began.
///
/// The main file decides, so it is locked first and committed last: no file has a group before its values, and one of several
/// sessions is first.
pub struct Transaction<'a> {
    psdb: &'a Psdb,
    writers: MutexGuard<'a, Vec<FileWriter>>,
    /// Whether it has neither committed nor rolled back.
    is_open: bool,
}

/// Values of items, by their types.
type Values<'b> = Vec<(&'b Item, ValueType)>;

impl<'a> Transaction<'a> {
    /// Waits for the other transactions on the files, of all processes.
    pub(super) fn begin(psdb: &'a Psdb) -> Result<Self> {
        let mut writers = psdb.writers.lock();
        // A lock of one file while another one is to change its mode would keep its readers out for long.
        for writer in &mut *writers {
            writer.use_wal()?;
        }
        let mut this = Self {
            psdb,
            writers,
            is_open: true,
        };
        this.writers[psdb.main].begin_present()?;
        for side in this.sides() {
            this.writers[side].begin_present()?;
        }
        Ok(this)
    }

    fn sides(&self) -> impl Iterator<Item = usize> + use<> {
        let main = self.psdb.main;
        (0..self.writers.len()).filter(move |file| *file != main)
    }

    /// Adds what the files do not have, and keeps what they have. Returns the keys of which they had a group.
    ///
    /// # Errors
    ///
    /// The errors of writing a file.
    pub fn add<'b>(&mut self, batch: &'b Batch) -> Result<Vec<&'b [u8]>> {
        let items = batch.sorted();
        let (groups, values) = self.add_items(&items)?;
        for (item, kind) in values {
            self.compare(item, kind)?;
        }
        Ok(groups)
    }

    /// Returns the keys of groups and the values that the files had.
    fn add_items<'b>(&mut self, items: &[&'b Item]) -> Result<(Vec<&'b [u8]>, Values<'b>)> {
        let share = |file: usize| Share {
            types: self.psdb.files[file].types,
            is_main: file == self.psdb.main,
            compiler: self.psdb.compiler,
        };
        let (main, main_share) = (self.psdb.main, share(self.psdb.main));
        let side_shares: Vec<_> = self.sides().map(|side| (side, share(side))).collect();
        let in_main = self.writers[main].run(|main| main.add(items, main_share))?;
        let refused = in_main.had.iter().filter(|(_, kind)| kind.is_none());
        let groups = refused.map(|(place, _)| items[*place].key()).collect();
        let mut had = Vec::new();
        let mut note = |items: &[&'b Item], added: &Added| {
            had.extend(
                added
                    .had
                    .iter()
                    .filter_map(|(place, kind)| Some((items[*place], (*kind)?))),
            );
        };
        note(items, &in_main);
        if side_shares.is_empty() {
            return Ok((groups, had));
        }
        // A group that the main file refuses does not get into the side files.
        let is_refused = |place: usize| in_main.had.contains(&(place, None));
        let kept = (0..items.len()).filter(|place| !is_refused(*place));
        let kept: Vec<(&'b Item, bool)> = kept
            .map(|place| (items[place], in_main.are_new[place]))
            .collect();
        let items: Vec<&'b Item> = kept.iter().map(|(item, _)| *item).collect();
        for (side, share) in side_shares {
            let in_side = self.writers[side].run(|side| {
                side.remove_others(&kept)?;
                side.add(&items, share)
            })?;
            note(&items, &in_side);
        }
        Ok((groups, had))
    }

    /// Notes a value that differs from that of the file.
    fn compare(&self, item: &Item, kind: ValueType) -> Result<()> {
        let Some((value, _)) = item.value(kind) else {
            return Ok(());
        };
        let mut is_same = true;
        let file = self.psdb.file_of[kind as usize].unwrap_or(self.psdb.main);
        let writer = &self.writers[file];
        let found = writer
            .lookup()
            .value(item.key(), kind, &mut |stored| is_same = stored == value);
        // A damaged value does not count as differing.
        let _ = found.map_err(|error| Error::sqlite(&writer.path, &error))?;
        if !is_same {
            self.psdb.note_differing(item.key(), kind);
        }
        Ok(())
    }

    /// Whether a key has a value of a type.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn has_value(&self, key: &[u8], kind: ValueType) -> Result<bool> {
        let Some(file) = self.psdb.file_of[kind as usize] else {
            return Ok(false);
        };
        let writer = &self.writers[file];
        let size = writer.lookup().value_size(key, kind);
        Ok(size
            .map_err(|error| Error::sqlite(&writer.path, &error))?
            .is_some())
    }

    /// Whether a key has a value of one of the types.
    ///
    /// # Errors
    ///
    /// The errors of reading a file.
    pub fn has_any(&self, key: &[u8], types: ValueTypes) -> Result<bool> {
        for kind in types.iter() {
            if self.has_value(key, kind)? && self.has_key(key)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the main file has a key. A side file may have values from another main file that is gone.
    fn has_key(&self, key: &[u8]) -> Result<bool> {
        let main = &self.writers[self.psdb.main];
        let found = main.lookup().has_key(key);
        found.map_err(|error| Error::sqlite(&main.path, &error))
    }

    pub(super) fn commit(mut self) -> Result<()> {
        let committed = self.commit_all();
        self.is_open = false;
        if committed.is_err() {
            self.writers.iter_mut().for_each(FileWriter::roll_back);
            // If this fails, the next session on the files does it.
            let _ = put_back(&mut self.writers, self.psdb.main);
        }
        committed
    }

    fn commit_all(&mut self) -> Result<()> {
        for side in self.sides() {
            self.writers[side].run(|side| side.commit())?;
        }
        self.writers[self.psdb.main].run(|main| main.commit())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            self.writers.iter_mut().for_each(FileWriter::roll_back);
        }
    }
}

/// Removes from the side files what a killed process committed to them and not to the main file.
pub fn put_back(writers: &mut [FileWriter], main: usize) -> Result<()> {
    let is_left = |(file, writer): (usize, &FileWriter)| file != main && writer.wal;
    if !writers.iter().enumerate().any(is_left) {
        return Ok(());
    }
    // The lock keeps every session from committing to any of the files meanwhile.
    writers[main].begin_anew()?;
    let put_back = (0..writers.len())
        .filter(|file| is_left((*file, &writers[*file])))
        .try_for_each(|file| {
            let (side, main) = (&writers[file], &writers[main]);
            side.remove_unknown_to(main)
                .map_err(|error| Error::sqlite(&side.path, &error))
        });
    // After a failure a side file's transaction is open too.
    writers.iter_mut().for_each(FileWriter::roll_back);
    put_back
}
