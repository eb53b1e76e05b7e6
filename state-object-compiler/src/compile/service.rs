//! The supervisor's immediate answers to a worker that compiles: it finds values for the worker, and stores those that come
//! with an object, in the order of the reports. So a worker finds what it has stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use compiler_runtime::{Found, Store as _, VALUE_TYPES, ValueType, Want};
use parking_lot::Mutex;
use serde_bytes::Bytes;

use super::batches::Batches;
use super::process::Heard;
use super::protocol::{
    self, Command, Content, Find, Made, Malformed, Report, Stored, TypeBits, hash_of, parse, push,
};
use crate::Result;

/// A report for the worker's thread.
pub struct Taken {
    pub frame: Vec<u8>,
    /// The error of storing what the report brings, or of finding what it asks for.
    pub failed: Option<shader_db::Error>,
}

/// The hashes of the keys under which a run has stored values, in their order.
#[derive(Default)]
pub struct StoredKeys(Mutex<Vec<u64>>);

impl StoredKeys {
    fn extend(&self, keys: impl Iterator<Item = u64>) {
        let mut hashes = self.0.lock();
        hashes.extend(keys);
    }

    /// The hashes that came after the first `known`.
    pub fn since(&self, known: usize) -> Vec<u64> {
        let hashes = self.0.lock();
        hashes[known..].to_vec()
    }
}

pub struct Service {
    pub database: Arc<Batches>,
    /// The keys of all workers.
    pub stored_keys: Arc<StoredKeys>,
    /// How many objects the worker has got and not reported.
    pub under_way: Arc<AtomicUsize>,
}

impl Service {
    pub fn hear(&self, frame: Vec<u8>) -> Result<Heard<Taken>, Malformed> {
        let failed = match parse(&frame)? {
            Report::Find(find) => {
                if self.under_way.load(Ordering::Acquire) == 0 {
                    return Err(Malformed);
                }
                match self.find(&find)? {
                    Ok(answer) => return Ok(Heard::Answer(answer)),
                    Err(error) => Some(error),
                }
            }
            Report::Done(done) => {
                let one_less = |count: usize| count.checked_sub(1);
                self.under_way
                    .fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less)
                    .map_err(|_| Malformed)?;
                match done.result {
                    // A new worker that may do better tries the object again.
                    Made::Broken(_) => None,
                    _ => self.store(&done.values)?.err(),
                }
            }
            _ => None,
        };
        Ok(Heard::Report(Taken { frame, failed }))
    }

    /// Answers a question, or returns the error that prevents an answer.
    fn find(&self, find: &Find) -> Result<shader_db::Result<Vec<u8>>, Malformed> {
        let (TypeBits(values), TypeBits(sizes)) = (find.values, find.sizes);
        if find.key.is_empty() || (values | sizes).is_empty() || values.bits() & sizes.bits() != 0 {
            return Err(Malformed);
        }
        let wants = ValueType::ALL.map(|kind| match kind {
            _ if values.has(kind) => Want::Value,
            _ if sizes.has(kind) => Want::Size,
            _ => Want::Nothing,
        });
        let mut there = [const { None }; VALUE_TYPES];
        let mut take = |kind: ValueType, found: Found<'_>| {
            there[kind as usize] = Some(match found {
                Found::Size(size) => (size, None),
                Found::Value(value) => (value.len(), Some(value.to_vec())),
            });
        };
        let found = match self.database.find(find.key, wants, &mut take) {
            Ok(()) => protocol::Found::Values(there.each_ref().map(|there| {
                let (size, value) = there.as_ref()?;
                Some(match value {
                    None => Content::Size(u32::try_from(*size).unwrap_or(u32::MAX)),
                    Some(value) => Content::Value(Bytes::new(value)),
                })
            })),
            // Only the object fails.
            Err(shader_db::Error::Corrupt { path, reason }) => {
                protocol::Found::Damaged { path, reason }
            }
            Err(error) => return Ok(Err(error)),
        };
        Ok(Ok(push(Vec::new(), 0, &Command::Found(found))))
    }

    /// Stores the values of an object; another worker can have stored some of them meanwhile.
    fn store(&self, values: &[Stored]) -> Result<shader_db::Result<()>, Malformed> {
        let mut stored = Ok(());
        for of_key in values {
            let typed = of_key.typed()?;
            stored = stored.and_then(|()| self.database.add_values(of_key.key, &typed));
        }
        let hashes = values.iter().map(|of_key| hash_of(of_key.key));
        self.stored_keys.extend(hashes);
        Ok(stored)
    }
}

#[cfg(test)]
pub mod tests {
    use shader_db::psdb::ValueTypes;
    use tempfile::TempDir;

    use super::*;
    use crate::compile::tests::open;

    /// The service of a worker that has one object, and the folder of its files.
    pub fn service() -> (Service, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let service = Service {
            database: Arc::new(Batches::new(open(folder.path()))),
            stored_keys: Arc::default(),
            under_way: Arc::new(AtomicUsize::new(1)),
        };
        (service, folder)
    }

    fn find(service: &Service, key: &[u8], values: u32, sizes: u32) -> Result<(), Malformed> {
        let types = |bits| TypeBits(ValueTypes::from_bits(bits).unwrap());
        let find = Report::Find(Find {
            key: Bytes::new(key),
            values: types(values),
            sizes: types(sizes),
        });
        let heard = service.hear(postcard::to_stdvec(&find).unwrap())?;
        assert!(matches!(heard, Heard::Answer(_)));
        Ok(())
    }

    fn done(service: &Service, result: Made, values: &[(&[u8], u32)]) -> Result<Taken, Malformed> {
        let stored = values.iter().map(|(key, kind)| Stored {
            key: Bytes::new(key),
            values: vec![(*kind, Bytes::new(b"value"))],
        });
        let done = Report::Done(protocol::Done {
            result,
            messages: Vec::new(),
            values: stored.collect(),
            group: None,
        });
        match service.hear(postcard::to_stdvec(&done).unwrap())? {
            Heard::Report(taken) => Ok(taken),
            Heard::Answer(_) => panic!("a report has no answer"),
        }
    }

    #[test]
    fn only_what_makes_sense_is_answered() {
        let (service, _folder) = service();
        assert_eq!(find(&service, b"key", 1, 2), Ok(()));
        assert_eq!(find(&service, b"", 1, 2), Err(Malformed));
        assert_eq!(find(&service, b"key", 0, 0), Err(Malformed));
        assert_eq!(find(&service, b"key", 3, 2), Err(Malformed));
        assert!(service.hear(b"scribble".to_vec()).is_err());
        // Then the worker has nothing to compile.
        assert!(done(&service, Made::Well, &[]).is_ok());
        assert_eq!(find(&service, b"key", 1, 2), Err(Malformed));
    }

    #[test]
    fn values_are_stored_for_an_object_that_was_given_out() {
        let (service, _folder) = service();
        let has = |key| {
            let kind = ValueType::PerformanceData;
            service.database.flush().unwrap();
            service
                .database
                .psdb()
                .value_size(key, kind)
                .unwrap()
                .is_some()
        };
        assert!(done(&service, Made::Well, &[(b"bad", 9)]).is_err());
        service.under_way.store(2, Ordering::Release);
        let broken = done(&service, Made::Broken("why".into()), &[(b"broken", 3)]);
        assert!(broken.is_ok_and(|taken| taken.failed.is_none()));
        assert!(!has(b"broken"));
        let twice: &[(&[u8], u32)] = &[(b"one", 3), (b"one", 3), (b"two", 3)];
        let well = done(&service, Made::Well, twice);
        assert!(well.is_ok_and(|taken| taken.failed.is_none()));
        assert!(has(b"one") && has(b"two"));
        let one = hash_of(b"one");
        assert_eq!(service.stored_keys.since(0), [one, one, hash_of(b"two")]);
        assert!(service.stored_keys.since(3).is_empty());
        assert!(done(&service, Made::Well, &[(b"more", 3)]).is_err());
        assert!(!has(b"more"));
    }

    #[test]
    fn what_cannot_be_stored_is_told() {
        let (service, _folder) = service();
        let taken = done(&service, Made::Well, &[(b"", 0)]).ok().unwrap();
        assert!(matches!(
            taken.failed,
            Some(shader_db::Error::InvalidArgument(_))
        ));
    }
}
