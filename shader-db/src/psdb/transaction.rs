//! A transaction over the files of a session.

use parking_lot::MutexGuard;

use super::batch::Batch;
use super::file_writer::FileWriter;
use super::item::Item;
use super::session::Psdb;
use super::tables::Share;
use super::{ValueType, side};
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

/// The groups and the values of a batch that the files had.
type Had<'b> = (Vec<&'b Item>, Vec<(&'b Item, ValueType)>);

impl<'a> Transaction<'a> {
    /// Waits for the other transactions on the files, of all processes.
    pub(super) fn begin(psdb: &'a Psdb) -> Result<Self> {
        let mut writers = psdb.writers.lock();
        // A lock of one file while another one is to change its mode would keep its readers out for long.
        writers.iter_mut().try_for_each(FileWriter::use_wal)?;
        let is_open = true;
        let mut this = Self {
            psdb,
            writers,
            is_open,
        };
        this.writers[psdb.main].begin(true)?;
        for side in this.sides() {
            this.writers[side].begin(true)?;
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
        let (groups, values) = self.add_items(&batch.items())?;
        for (item, kind) in values {
            self.compare(item, kind)?;
        }
        Ok(groups.into_iter().map(Item::key).collect())
    }

    /// Adds a batch of which the files must have nothing.
    pub(super) fn add_new(&mut self, batch: &Batch) -> Result<()> {
        let (groups, values) = self.add_items(&batch.items())?;
        if groups.is_empty() && values.is_empty() {
            Ok(())
        } else {
            Err(Error::AlreadyExists)
        }
    }

    fn add_items<'b>(&mut self, items: &[&'b Item]) -> Result<Had<'b>> {
        let (main, compiler) = (self.psdb.main, self.psdb.compiler);
        let share = |file: usize| Share {
            types: self.psdb.files[file].types,
            is_main: file == main,
        };
        let side_shares: Vec<_> = self.sides().map(|side| (side, share(side))).collect();
        let in_main = self.writers[main].add(items, share(main), compiler)?;
        let had = in_main.had.into_iter();
        let mut values: Vec<_> = had.map(|(place, kind)| (items[place], kind)).collect();
        // A group that the main file refuses does not get into the side files.
        let (groups, kept): (Vec<_>, Vec<_>) = items
            .iter()
            .copied()
            .zip(in_main.are_new)
            .partition(|(item, is_new)| item.group.is_some() && !is_new);
        let items: Vec<&'b Item> = kept.iter().map(|(item, _)| *item).collect();
        for (side, share) in side_shares {
            let writer = &mut self.writers[side];
            writer.file.run(|side| side::remove_others(side, &kept))?;
            let had = writer.add(&items, share, compiler)?.had.into_iter();
            values.extend(had.map(|(place, kind)| (items[place], kind)));
        }
        Ok((groups.into_iter().map(|(item, _)| item).collect(), values))
    }

    /// Notes a value that differs from that of the file.
    fn compare(&self, item: &Item, kind: ValueType) -> Result<()> {
        let Some(((value, _), file)) = item.value(kind).zip(self.psdb.file_of[kind as usize])
        else {
            return Ok(());
        };
        let is_same = &mut |stored: &[u8]| stored == value;
        let found = self.writers[file].look(|lookup| lookup.value(item.key(), kind, is_same))?;
        // A damaged value does not count as differing.
        if found == Ok(Some(false)) {
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
        let size = self.writers[file].look(|lookup| lookup.value_size(key, kind))?;
        Ok(size.is_some())
    }

    pub(super) fn commit(mut self) -> Result<()> {
        let sides = self.sides().map(|side| self.writers[side].commit());
        let committed = { sides }
            .collect::<Result<()>>()
            .and_then(|()| self.writers[self.psdb.main].commit());
        self.is_open = false;
        if committed.is_err() {
            self.writers.iter_mut().for_each(FileWriter::roll_back);
            // If this fails, the next session on the files does it.
            let _ = put_back(&mut self.writers, self.psdb.main);
        }
        committed
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
    writers[main].begin(false)?;
    let mut left = writers.iter().enumerate().filter(|writer| is_left(*writer));
    let put_back = left.try_for_each(|(_, side)| {
        let removed = side.file.run(|of_side| side::remove_unknown(of_side, &writers[main].file.connection))?;
        if removed != [0, 0] {
            let [groups, keys] = removed;
            tracing::info!(
                path = %side.file.path.display(), groups, keys,
                "what the main file does not have is removed: a process was killed while it stored it"
            );
        }
        Ok(())
    });
    // After a failure a side file's transaction is open too.
    writers.iter_mut().for_each(FileWriter::roll_back);
    put_back
}
