//! The shader cache of a device: precompiled shader databases, and what the driver stores beside them.
//!
//! Before a database is used its target is judged against what the driver reports as its ABI support, by the table that
//! `D3D12StateObjectCompiler check` uses too ([`verdict_of_driver`]). A database that must be compiled again, or is for
//! another family or ABI version, answers nothing; the driver then compiles, as with a game that was just updated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use compatibility::{Driver, Verdict, verdict_of_driver};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE,
    D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED,
    D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY, D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS,
    DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_CACHE_CORRUPT, E_INVALIDARG, HRESULT,
};
use parking_lot::Mutex;
use plugin_host::session::{CacheSession, Found, Misuse, VALUE_TYPES, Values, Want};
use shader_db::psdb::{self, Access, Options, Psdb, ValueType, ValueTypes};

/// Where a device finds the values of objects. Any thread may use it, several at a time.
#[derive(Debug, Default)]
pub struct ShaderCache {
    databases: Vec<Database>,
    /// What the driver stored. It answers before the databases: a driver that refuses a database's value compiles another.
    stored: Mutex<BTreeMap<Vec<u8>, Values>>,
    stores: AtomicU64,
    faults: Mutex<Vec<String>>,
}

/// A database, and what the driver can do with it.
#[derive(Debug)]
pub struct Database {
    /// The file.
    pub path: PathBuf,
    /// What its target means to the driver; `None` if the driver reports no ABI support.
    pub verdict: Option<Verdict>,
    psdb: Option<Psdb>,
}

impl Database {
    /// Opens a file and judges it.
    fn open(path: &Path, driver: Option<&Driver>) -> shader_db::Result<Self> {
        let file = psdb::File::open(path)?;
        let verdict = driver.map(|driver| verdict_of_driver(&file.origin(), driver));
        drop(file);
        let psdb = match verdict {
            Some(Verdict::Usable | Verdict::ShouldRecompile(_)) => {
                let options = Options {
                    access: Access::Read,
                    ..Options::default()
                };
                Some(Psdb::open(&[(ValueTypes::ALL, path)], &options)?)
            }
            Some(Verdict::MustRecompile(_)) | None => None,
        };
        Ok(Self {
            path: path.to_owned(),
            verdict,
            psdb,
        })
    }

    /// Whether it answers the driver.
    pub fn is_used(&self) -> bool {
        self.psdb.is_some()
    }
}

impl ShaderCache {
    /// Opens databases for a driver that reports this as its ABI support. Of two that have a key the first one answers.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or is no PSDB.
    pub fn open<P: AsRef<Path>>(paths: &[P], driver: Option<&Driver>) -> shader_db::Result<Self> {
        let open = |path: &P| Database::open(path.as_ref(), driver);
        Ok(Self {
            databases: paths.iter().map(open).collect::<Result<_, _>>()?,
            ..Self::default()
        })
    }

    /// The databases, in the order in which they answer.
    pub fn databases(&self) -> &[Database] {
        &self.databases
    }

    /// How many stores of the driver succeeded.
    pub fn stores(&self) -> u64 {
        self.stores.load(Ordering::Relaxed)
    }

    /// The keys and values that the driver stored.
    pub fn stored(&self) -> BTreeMap<Vec<u8>, Values> {
        self.stored.lock().clone()
    }

    /// What the driver did wrong in its calls of the cache, and what in the databases could not be read.
    pub fn faults(&self) -> Vec<String> {
        self.faults.lock().clone()
    }

    fn add_fault(&self, fault: String) {
        self.faults.lock().push(fault);
    }

    /// What answers: whether anything did, and where from.
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        stored_only: bool,
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> Result<Source, HRESULT> {
        // Values are large: they are copied without the lock.
        let stored = self.stored.lock().get(key).cloned();
        if let Some(values) = stored {
            for ((number, want), value) in (0..).zip(wants).zip(values) {
                let kind = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(number);
                match (want, value) {
                    (Want::Nothing, _) | (_, None) => {}
                    (Want::Size, Some(value)) => found(kind, Found::Size(value.len())),
                    (Want::Value, Some(value)) => found(kind, Found::Value(&value)),
                }
            }
            return Ok(Source::Stored);
        }
        if stored_only {
            return Ok(Source::Nowhere);
        }
        for (database, psdb) in self
            .databases
            .iter()
            .filter_map(|it| Some((it, it.psdb.as_ref()?)))
        {
            let mut has_any = false;
            for (kind, want) in ValueType::ALL.into_iter().zip(wants) {
                let number = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(kind as i32);
                let mut sink = |value: &[u8]| match want {
                    Want::Value => found(number, Found::Value(value)),
                    _ => found(number, Found::Size(value.len())),
                };
                if want != Want::Nothing {
                    let found = psdb.find_value(key, kind, &mut sink).map_err(|error| {
                        self.add_fault(format!("{}: {error}", database.path.display()));
                        DXGI_ERROR_CACHE_CORRUPT
                    })?;
                    has_any |= found.is_some();
                }
            }
            if has_any {
                return Ok(Source::Database);
            }
        }
        Ok(Source::Nowhere)
    }

    fn store(
        &self,
        key: &[u8],
        values: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> Result<(), HRESULT> {
        let mut new = Values::default();
        for (kind, value) in values {
            let number = usize::try_from(kind.0).map_err(|_| E_INVALIDARG)?;
            *new.get_mut(number).ok_or(E_INVALIDARG)? = Some(Arc::from(*value));
        }
        let mut stored = self.stored.lock();
        let there = stored.entry(key.to_vec()).or_default();
        if there
            .iter()
            .zip(&new)
            .any(|(there, new)| there.is_some() && new.is_some())
        {
            return Err(DXGI_ERROR_ALREADY_EXISTS);
        }
        for (there, new) in there.iter_mut().zip(new) {
            if new.is_some() {
                *there = new;
            }
        }
        drop(stored);
        self.stores.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// What answered a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Database,
    Stored,
    Nowhere,
}

/// The lookups that a driver makes for one object: what answered the first one of each key.
#[derive(Debug, Default)]
struct Lookups {
    sources: Mutex<BTreeMap<Vec<u8>, Source>>,
    stores: AtomicU64,
}

/// What the cache did for one object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Keys that a database has.
    pub from_database: u64,
    /// Keys that the driver had stored before.
    pub from_stored: u64,
    /// Keys that were nowhere.
    pub missed: u64,
    /// Keys for which the driver stored values.
    pub stores: u64,
}

impl Outcome {
    /// The driver looked for nothing: `NumCacheUnknown`.
    pub fn is_unknown(&self) -> bool {
        self.from_database + self.from_stored + self.missed == 0
    }

    /// Something was not in a database: `NumPSDBCacheMissed`, where an object of which a part was found is a miss too.
    pub fn has_missed_database(&self) -> bool {
        self.from_stored + self.missed != 0
    }

    /// Something was nowhere: `NumTotalCacheMissed`.
    pub fn has_missed(&self) -> bool {
        self.missed != 0
    }

    /// All came from databases, and nothing was compiled and stored.
    pub fn is_hit(&self) -> bool {
        !self.is_unknown() && !self.has_missed_database() && self.stores == 0
    }
}

/// The cache as the driver sees it while it creates one object.
#[derive(Clone, Debug)]
pub(crate) struct OfObject {
    cache: Arc<ShaderCache>,
    lookups: Arc<Lookups>,
    /// Databases do not answer: `D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY`.
    stored_only: bool,
    /// A miss does not count: `D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED`.
    expects_miss: bool,
}

impl OfObject {
    pub(crate) fn new(cache: Arc<ShaderCache>) -> Self {
        Self {
            cache,
            lookups: Arc::default(),
            stored_only: false,
            expects_miss: false,
        }
    }

    /// The same for lookups with flags.
    pub(crate) fn with(&self, flags: D3D12DDI_SHADERCACHE_GET_VALUE_FLAGS) -> Self {
        Self {
            stored_only: flags.contains(D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY),
            expects_miss: flags
                .contains(D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED),
            ..self.clone()
        }
    }

    /// What happened so far.
    pub(crate) fn outcome(&self) -> Outcome {
        let mut outcome = Outcome {
            stores: self.lookups.stores.load(Ordering::Relaxed),
            ..Outcome::default()
        };
        for source in self.lookups.sources.lock().values() {
            match source {
                Source::Database => outcome.from_database += 1,
                Source::Stored => outcome.from_stored += 1,
                Source::Nowhere => outcome.missed += 1,
            }
        }
        outcome
    }
}

impl CacheSession for OfObject {
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> Result<(), HRESULT> {
        let source = self.cache.find(key, wants, self.stored_only, found)?;
        if !(self.expects_miss && source == Source::Nowhere) {
            self.lookups
                .sources
                .lock()
                .entry(key.to_vec())
                .or_insert(source);
        }
        Ok(())
    }

    fn store(
        &self,
        key: &[u8],
        values: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> Result<(), HRESULT> {
        self.cache.store(key, values)?;
        self.lookups.stores.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn misuse(&self, call: &'static str, misuse: &Misuse) {
        self.cache.add_fault(format!("{call}: {misuse}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use shader_db::psdb::{Application, Target};
    use tempfile::TempDir;

    const OBJECT_CODE: D3D12DDI_COMPILER_CACHE_VALUE_TYPE = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(0);
    const WANTS: [Want; VALUE_TYPES] = [Want::Value, Want::Nothing, Want::Nothing, Want::Nothing];

    fn make(folder: &TempDir, name: &str, code: &[u8]) -> PathBuf {
        let path = folder.path().join(name);
        let options = Options {
            target: Some(Target {
                family: "GPU".into(),
                abi: 3,
                compiler_version: 0x0001_0002_0003_0004,
                profile_version: 5,
            }),
            application: Some(Application {
                exe: "game.exe".into(),
                name: "Game".into(),
                version: 1,
                engine_name: None,
                engine_version: 0,
            }),
            ..Options::default()
        };
        let psdb = Psdb::open(&[(ValueTypes::ALL, &path)], &options).unwrap();
        psdb.store_value(b"key", &[(ValueType::ObjectCode, code)])
            .unwrap();
        psdb.close().unwrap();
        path
    }

    fn driver() -> Driver {
        Driver {
            family: "GPU".into(),
            abi: 1..=3,
            compiler: 0x0001_0002_0003_0004,
            profile: 5,
        }
    }

    fn found(object: &OfObject, key: &[u8]) -> Option<Vec<u8>> {
        let mut code = None;
        let mut sink = |_, value: Found<'_>| {
            if let Found::Value(value) = value {
                code = Some(value.to_vec());
            }
        };
        object.find(key, WANTS, &mut sink).unwrap();
        code
    }

    #[test]
    fn databases_are_judged_before_they_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = make(&folder, "a.psdb", b"code");
        let is_used = |driver: Option<Driver>| {
            let cache = ShaderCache::open(&[&path], driver.as_ref()).unwrap();
            let object = OfObject::new(Arc::new(cache));
            let found = found(&object, b"key").is_some();
            assert_eq!(found, object.cache.databases()[0].is_used());
            assert_eq!(object.outcome().is_hit(), found);
            found
        };
        let with = |change: fn(&mut Driver)| {
            let mut driver = driver();
            change(&mut driver);
            is_used(Some(driver))
        };
        assert!(with(|_| {}));
        assert!(with(|driver| driver.compiler += 1));
        assert!(with(|driver| driver.compiler += 1 << 16));
        assert!(!with(|driver| driver.compiler += 1 << 32));
        assert!(!with(|driver| driver.compiler += 1 << 48));
        assert!(!with(|driver| driver.profile += 1));
        assert!(!with(|driver| driver.abi = 4..=4));
        assert!(!with(|driver| driver.family = "Other".into()));
        assert!(!is_used(None));
    }

    #[test]
    fn the_first_database_answers_and_what_the_driver_stored_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [make(&folder, "a.psdb", b"a"), make(&folder, "b.psdb", b"b")];
        let cache = Arc::new(ShaderCache::open(&paths, Some(&driver())).unwrap());
        let first = OfObject::new(Arc::clone(&cache));
        assert_eq!(found(&first, b"key").as_deref(), Some(&b"a"[..]));
        let stored_only = first.with(D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_STORED_VALUES_ONLY);
        assert_eq!(found(&stored_only, b"key"), None);
        let expects = first.with(D3D12DDI_SHADERCACHE_GET_VALUE_FLAG_0118_PSDB_MISS_EXPECTED);
        assert_eq!(found(&expects, b"other"), None);
        assert_eq!(first.outcome().missed, 0);
        first.store(b"key", &[(OBJECT_CODE, b"c")]).unwrap();
        let again = first.store(b"key", &[(OBJECT_CODE, b"d")]);
        assert_eq!(again, Err(DXGI_ERROR_ALREADY_EXISTS));
        let outcome = first.outcome();
        assert_eq!((outcome.from_database, outcome.stores), (1, 1));
        assert!(!outcome.has_missed() && !outcome.is_hit());

        let second = OfObject::new(cache);
        assert_eq!(found(&second, b"key").as_deref(), Some(&b"c"[..]));
        let outcome = second.outcome();
        assert!(outcome.has_missed_database() && !outcome.has_missed() && !outcome.is_unknown());
        assert!(OfObject::new(Arc::default()).outcome().is_unknown());
    }
}
