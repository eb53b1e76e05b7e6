//! What a worker's plugin stores, until the supervisor has written it.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use compiler_runtime::{Outbox as Interface, ValueType};
use serde_bytes::Bytes;
use shader_db::psdb::Psdb;

use super::protocol::Stored;
use crate::Result;

/// So many bytes are kept to be found, while the supervisor writes them to the files.
const KEPT: usize = 16 << 20;

type Typed = [Option<Box<[u8]>>; ValueType::ALL.len()];

/// Values for the report of the object that is being compiled, and the values of those before it.
#[derive(Default)]
pub struct Outbox(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    values: HashMap<Box<[u8]>, Typed>,
    /// Keys in the order in which their values came.
    order: VecDeque<Box<[u8]>>,
    size: usize,
    /// For the next report: keys, and types of their values.
    new: Vec<(Box<[u8]>, Vec<ValueType>)>,
    group: Option<Vec<Vec<u8>>>,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands over, for a report, the values that were stored since the last one, and the keys of the group.
    pub fn take<T>(&self, report: impl FnOnce(Vec<Stored>, Option<Vec<&Bytes>>) -> T) -> T {
        let mut inner = self.lock();
        let (new, group) = (mem::take(&mut inner.new), inner.group.take());
        let stored = new.iter().map(|(key, kinds)| {
            let typed = inner.values.get(key);
            let values = kinds.iter().filter_map(|kind| {
                let value = typed?[*kind as usize].as_deref()?;
                Some((*kind as u32, Bytes::new(value)))
            });
            Stored {
                key: Bytes::new(key),
                values: values.collect(),
            }
        });
        let group = group.as_ref();
        let group = group.map(|keys| keys.iter().map(|key| Bytes::new(key)).collect());
        report(stored.collect(), group)
    }

    /// Lets go of values, the earliest first, while there are more than are to be kept; but not of those that the files have not
    /// yet, or that were not reported.
    pub fn forget(&self, files: &Psdb) -> Result<()> {
        let mut inner = self.lock();
        while inner.size > KEPT
            && let Some(key) = inner.order.front()
        {
            let kept = inner.values.get(key).into_iter().flatten();
            for (kind, value) in ValueType::ALL.into_iter().zip(kept) {
                // What is not there yet will be soon: then more than planned is kept.
                if value.is_some() && files.value_size(key, kind)?.is_none() {
                    return Ok(());
                }
            }
            if let Some(key) = inner.order.pop_front()
                && let Some(values) = inner.values.remove(&key)
            {
                inner.size -= values
                    .iter()
                    .flatten()
                    .map(|value| value.len())
                    .sum::<usize>();
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").finish_non_exhaustive()
    }
}

impl Interface for Outbox {
    fn find_value(&self, key: &[u8], kind: ValueType, sink: &mut dyn FnMut(&[u8])) -> bool {
        let inner = self.lock();
        let value = inner
            .values
            .get(key)
            .and_then(|typed| typed[kind as usize].as_ref());
        value.map(|value| sink(value)).is_some()
    }

    fn store_value(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> bool {
        let mut inner = self.lock();
        let inner = &mut *inner;
        if let Some(typed) = inner.values.get(key)
            && values
                .iter()
                .any(|(kind, _)| typed[*kind as usize].is_some())
        {
            return false;
        }
        let kinds = values.iter().map(|(kind, _)| *kind).collect();
        inner.new.push((key.into(), kinds));
        let typed = inner.values.entry(key.into()).or_default();
        if typed.iter().all(Option::is_none) {
            inner.order.push_back(key.into());
        }
        for (kind, value) in values {
            typed[*kind as usize] = Some((*value).into());
            inner.size += value.len();
        }
        true
    }

    fn store_group(&self, _key: &[u8], _version: u32, value_keys: &[&[u8]]) {
        // Of the object that is being compiled: the supervisor knows which that is.
        self.lock().group = Some(value_keys.iter().map(|key| (*key).to_vec()).collect());
    }
}

#[cfg(test)]
mod tests {
    use shader_db::psdb::{Application, Options, Target, ValueTypes};

    use super::*;

    #[test]
    fn what_the_files_have_is_kept_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            target: Some(Target {
                family: "GPU".into(),
                abi: 1,
                compiler_version: 1,
                profile_version: 0,
            }),
            application: Some(Application {
                exe: "a.exe".into(),
                name: "a".into(),
                version: 1,
                engine_name: None,
                engine_version: 0,
            }),
            ..Options::default()
        };
        let path = folder.path().join("a.psdb");
        let files = Psdb::open(&[(ValueTypes::ALL, path)], &options).unwrap();
        let outbox = Outbox::default();
        let value = vec![1; KEPT / 4];
        let keys: Vec<[u8; 1]> = (1..=9).map(|key| [key]).collect();
        let store = |key: &[u8]| outbox.store_value(key, &[(ValueType::Metadata, &value)]);
        let kept = || {
            let found = |key: &&[u8; 1]| outbox.find_value(*key, ValueType::Metadata, &mut |_| {});
            keys.iter().filter(found).count()
        };
        let put = || {
            let reported = outbox.take(|values, _| values.iter().map(Stored::size).sum::<usize>());
            outbox.forget(&files).unwrap();
            reported / value.len()
        };
        for key in &keys[..8] {
            assert!(store(key) && !store(key));
        }
        // The files have none of them.
        assert_eq!((put(), kept()), (8, 8));
        for key in &keys[..6] {
            files
                .store_value(key, &[(ValueType::Metadata, &value)])
                .unwrap();
        }
        assert!(store(&keys[8]));
        assert_eq!((put(), kept()), (1, 4));
    }
}
