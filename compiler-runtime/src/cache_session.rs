//! Cache sessions: database files for one target and application.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api_sys::compatibility::Verdict;
use ddi_sys::{D3D12DDI_COMPILER_CACHE_VALUE_TYPE, E_INVALIDARG, HRESULT};
use plugin_host::session::{self, Found, Misuse, VALUE_TYPES, Want};
use plugin_host::{ApplicationDesc, Engine, Target, U16CString};
use shader_db::file_name;
use shader_db::psdb::{self, Application, Options, Psdb, ValueType, ValueTypes};

use crate::desc::target::Capabilities;
use crate::open_files::{self, Place, Share};
use crate::{Error, Factory, TargetDesc};

/// Database files, or another [`Store`], for one target and application: `ID3D12CompilerCacheSession`. Clones share it. Its
/// values and groups are in the files when the last clone and every compiler over it are gone. Sessions on the same files
/// share them; the last one finishes and closes them.
#[derive(Clone, Debug)]
pub struct CacheSession(Arc<Open>);

#[derive(Debug)]
struct Open {
    factory: Factory,
    target: Target,
    application: ApplicationDesc,
    capabilities: Capabilities,
    store: Arc<dyn Store>,
    /// The same store, if it is files.
    files: Option<Arc<Files>>,
}

/// The place where a session finds and stores values and groups: a [`Psdb`], or a connection to one in another process. Any
/// thread may call, several at a time.
pub trait Store: fmt::Debug + Send + Sync {
    /// The types of value that it stores.
    fn types(&self) -> ValueTypes;

    /// Hands over the wanted values, or their sizes, of a key, by the number of their type: those that exist, in the order of
    /// the types. `found` copies what it gets and does nothing else.
    ///
    /// # Errors
    ///
    /// The error of reading; [`Corrupt`](shader_db::Error::Corrupt) for a damaged value, even if only its size is wanted:
    /// another group must not name it.
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(ValueType, Found<'_>),
    ) -> shader_db::Result<()>;

    /// Whether a key has a value of the type.
    ///
    /// # Errors
    ///
    /// As for [`find`](Self::find).
    fn has_value(&self, key: &[u8], kind: ValueType) -> shader_db::Result<bool>;

    /// Stores values of a key, each of another type: all, or none on failure.
    ///
    /// # Errors
    ///
    /// As for [`Psdb::store_value`].
    fn store(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<()>;

    /// The version of a group, if it exists.
    ///
    /// # Errors
    ///
    /// The error of reading.
    fn find_group(&self, key: &[u8]) -> shader_db::Result<Option<u32>>;

    /// Stores a group all of whose keys have their values.
    ///
    /// # Errors
    ///
    /// As for [`Psdb::store_group`].
    fn store_group(&self, key: &[u8], version: u32, value_keys: &[&[u8]]) -> shader_db::Result<()>;
}

impl Store for Psdb {
    fn types(&self) -> ValueTypes {
        self.types()
    }

    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(ValueType, Found<'_>),
    ) -> shader_db::Result<()> {
        for (kind, want) in ValueType::ALL.into_iter().zip(wants) {
            let mut sink = |value: &[u8]| match want {
                Want::Value => found(kind, Found::Value(value)),
                _ => found(kind, Found::Size(value.len())),
            };
            if want != Want::Nothing {
                self.find_value(key, kind, &mut sink)?;
            }
        }
        Ok(())
    }

    fn has_value(&self, key: &[u8], kind: ValueType) -> shader_db::Result<bool> {
        Ok(self.value_size(key, kind)?.is_some())
    }

    fn store(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<()> {
        self.store_value(key, values)
    }

    fn find_group(&self, key: &[u8]) -> shader_db::Result<Option<u32>> {
        self.find_group(key)
    }

    fn store_group(&self, key: &[u8], version: u32, value_keys: &[&[u8]]) -> shader_db::Result<()> {
        self.store_group(key, version, value_keys)
    }
}

/// The state that all sessions of this library on the same files share.
#[derive(Debug)]
pub(crate) struct Files {
    psdb: Psdb,
    /// The keys whose values plugins found before the session had begun to store, with the types of these: another process
    /// may have removed the values since.
    found: Mutex<HashMap<Box<[u8]>, ValueTypes>>,
    place: Place,
}

impl Factory {
    /// Opens a session on files, each for the types of value in its set. It creates a file that does not exist, for which it
    /// needs target and application; those of an existing file must agree with them. Without a target it takes that of an
    /// existing file.
    ///
    /// The versions decide whether the plugin may add to a file ([`verdict`](api_sys::compatibility::verdict)). The log warns
    /// of a file that it would be better to compile again.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], with [`Stale`](shader_db::Error::Stale) for a file that must be compiled again;
    /// [`Error::Name`]; [`Error::Argument`] for a missing or ill-formed argument, and where the plugin no longer offers the
    /// target of a file; the errors of [`Factory::target`].
    pub fn create_cache_session<P: AsRef<Path>>(
        &self,
        files: &[(ValueTypes, P)],
        target: Option<TargetDesc>,
        application: Option<&ApplicationDesc>,
    ) -> Result<CacheSession, Error> {
        let target = target.map(|desc| self.target(desc)).transpose()?;
        let asked = (target, application);
        for (_, path) in files {
            file_name::check(path.as_ref())?;
        }
        let (files, verdict) = match open_files::share(files) {
            Share::Open(files) => {
                let of_file = (files.psdb.target(), files.psdb.application());
                let verdict = files.psdb.share(&self.options(asked, Some(of_file))?)?;
                (files, verdict)
            }
            Share::New(place) => {
                // Before the session creates a file beside it.
                let existing = files.iter().map(|(_, path)| path.as_ref());
                let existing = existing
                    .filter(|path| psdb::exists(path))
                    .map(psdb::File::open);
                let existing = { existing }.next().transpose()?;
                let of_file = existing
                    .as_ref()
                    .map(|file| (file.target(), file.application()));
                let options = self.options(asked, of_file)?;
                drop(existing);
                let files = Arc::new(Files {
                    psdb: Psdb::open(files, &options)?,
                    found: Mutex::default(),
                    place,
                });
                files.place.fill(&files);
                let verdict = files.psdb.verdict().clone();
                (files, verdict)
            }
        };
        if let Verdict::ShouldRecompile(reason) = verdict {
            tracing::warn!(
                "{:?}: {reason}: they are used, and would be better compiled again",
                files.psdb
            );
        }
        let target = self.target_of(files.psdb.target())?;
        let application = from_database(files.psdb.application())?;
        let store = Arc::clone(&files) as _;
        Ok(self.session(target, application, store, Some(files)))
    }

    /// Opens a session on another store, for a target and an application that the caller has compared with those of the
    /// files.
    ///
    /// # Errors
    ///
    /// As for [`Factory::target`].
    pub fn create_session_over(
        &self,
        store: Arc<dyn Store>,
        target: TargetDesc,
        application: &ApplicationDesc,
    ) -> Result<CacheSession, Error> {
        let target = self.target(target)?;
        Ok(self.session(target, application.clone(), store, None))
    }

    fn session(
        &self,
        target: Target,
        application: ApplicationDesc,
        store: Arc<dyn Store>,
        files: Option<Arc<Files>>,
    ) -> CacheSession {
        CacheSession(Arc::new(Open {
            factory: self.clone(),
            target,
            capabilities: Capabilities::new(self.plugin().clone(), target, application.clone()),
            application,
            store,
            files,
        }))
    }

    /// The options to open files with, for a target and an application, or else those of an existing file.
    fn options(
        &self,
        (target, application): (Option<Target>, Option<&ApplicationDesc>),
        of_file: Option<(&psdb::Target, &Application)>,
    ) -> Result<Options, Error> {
        let target = match (target, of_file) {
            (None, Some((of_file, _))) => Some(self.target_of(of_file)?),
            (target, _) => target,
        };
        let its;
        let whom = match (application, of_file) {
            (None, Some((_, of_file))) => {
                its = from_database(of_file)?;
                Some(&its)
            }
            (application, _) => application,
        };
        let target = target.map(|target| {
            let index = target.adapter_family_index();
            Ok::<_, Error>(psdb::Target {
                family: self.adapter_family(index)?,
                abi: target.abi_version(),
                compiler_version: self.plugin().compiler_version(index)?,
                profile_version: match whom {
                    Some(application) => self
                        .plugin()
                        .application_profile_version(target, application)?,
                    None => 0,
                },
            })
        });
        Ok(Options {
            target: target.transpose()?,
            application: application.map(to_database).transpose()?,
            ..Options::default()
        })
    }

    /// The target of a file, if the plugin still offers it.
    fn target_of(&self, of_file: &psdb::Target) -> Result<Target, Error> {
        let family = &of_file.family;
        let index = self.find_adapter_family(family)?.ok_or_else(|| {
            Error::argument(format!(
                "the plugin has no adapter family {family:?} any more"
            ))
        })?;
        Ok(self.plugin().target(index, of_file.abi)?)
    }
}

impl CacheSession {
    /// The factory that made the session.
    pub fn factory(&self) -> &Factory {
        &self.0.factory
    }

    /// The target of its values.
    pub fn target(&self) -> Target {
        self.0.target
    }

    /// The application of its values.
    pub fn application(&self) -> &ApplicationDesc {
        &self.0.application
    }

    /// The capabilities of its target.
    pub(crate) fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    /// The store of its values and groups.
    pub fn store(&self) -> &dyn Store {
        &*self.0.store
    }

    /// The files, which other sessions may share; none for another store.
    pub fn database(&self) -> Option<&Psdb> {
        self.0.files.as_ref().map(|files| &files.psdb)
    }

    /// Call it before storing groups of these keys: the values that the plugin found under them exist, and stay.
    pub(crate) fn keep_found(&self, value_keys: &[&[u8]]) -> Result<(), Error> {
        match &self.0.files {
            Some(files) => files.keep_found(value_keys),
            None => Ok(()),
        }
    }

    /// The cache for one compile call.
    pub(crate) fn cache(&self) -> Arc<Cache> {
        Arc::new(Cache {
            store: Arc::clone(&self.0.store),
            failure: Mutex::default(),
        })
    }
}

pub(crate) fn to_database(application: &ApplicationDesc) -> Result<Application, Error> {
    let text = |what: &str, text: &U16CString| {
        text.to_string().map_err(|_| {
            Error::argument(format!(
                "the application's {what} is not well-formed UTF-16"
            ))
        })
    };
    let engine = application.engine.as_ref();
    Ok(Application {
        exe: text("executable name", &application.exe_filename)?,
        name: text("name", &application.name)?,
        version: application.version,
        engine_name: engine
            .map(|engine| text("engine name", &engine.name))
            .transpose()?,
        engine_version: engine.map_or(0, |engine| engine.version),
    })
}

pub(crate) fn from_database(application: &Application) -> Result<ApplicationDesc, Error> {
    let text = |text: &str| {
        U16CString::from_str(text)
            .map_err(|_| Error::argument(format!("the file's application has a NUL in {text:?}")))
    };
    let engine = application.engine_name.as_deref().map(|name| {
        Ok::<_, Error>(Engine {
            name: text(name)?,
            version: application.engine_version,
        })
    });
    Ok(ApplicationDesc {
        exe_filename: text(&application.exe)?,
        name: text(&application.name)?,
        version: application.version,
        engine: engine.transpose()?,
    })
}

fn value_type(kind: D3D12DDI_COMPILER_CACHE_VALUE_TYPE) -> Result<ValueType, HRESULT> {
    let number = u32::try_from(kind.0).map_err(|_| E_INVALIDARG)?;
    ValueType::from_number(number).ok_or(E_INVALIDARG)
}

impl Drop for Open {
    fn drop(&mut self) {
        // Other sessions may keep the files open for long, and readers elsewhere wait for what this one has stored. If the
        // flush fails, those sessions get the error, or else the end of the files logs it.
        if let Some(files) = &self.files {
            let _ = files.psdb.flush();
        }
    }
}

impl Files {
    /// Whether the files can still take everything that is stored.
    pub(crate) fn can_store(&self) -> bool {
        self.psdb.flush().is_ok()
    }

    fn found(&self) -> MutexGuard<'_, HashMap<Box<[u8]>, ValueTypes>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_found(&self, key: &[u8], kind: ValueType) {
        let mut found = self.found();
        // Plugins find most values more than once.
        if let Some(types) = found.get_mut(key) {
            *types = *types | kind.into();
        } else {
            found.insert(key.into(), kind.into());
        }
    }

    /// Call it before storing a group: the values that the plugin found under its keys exist, and stay. Only here the session
    /// changes files: without a group it may never store anything in them.
    fn keep_found(&self, value_keys: &[&[u8]]) -> Result<(), Error> {
        if self.found().is_empty() {
            return Ok(());
        }
        // Not under the lock: beginning waits for the end of queries, and a query that finds something waits for the lock.
        self.psdb.begin()?;
        let mut found = self.found();
        let mut failed = Ok(());
        found.retain(|key, types| {
            types
                .iter()
                .any(|kind| match self.psdb.value_size(key, kind) {
                    Ok(size) => size.is_none(),
                    Err(error) => {
                        failed = Err(error);
                        true
                    }
                })
        });
        failed?;
        if found.keys().any(|key| value_keys.contains(&&**key)) {
            return Err(Error::Removed);
        }
        Ok(())
    }
}

/// Notes the values that the plugin may name and that another process may remove before it does.
impl Store for Files {
    fn types(&self) -> ValueTypes {
        self.psdb.types()
    }

    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(ValueType, Found<'_>),
    ) -> shader_db::Result<()> {
        // Ask before finding: what the plugin finds after the session has begun stays.
        let may_be_removed = !self.psdb.has_begun();
        self.psdb.find(key, wants, &mut |kind, value| {
            if may_be_removed {
                self.note_found(key, kind);
            }
            found(kind, value);
        })
    }

    fn has_value(&self, key: &[u8], kind: ValueType) -> shader_db::Result<bool> {
        self.psdb.has_value(key, kind)
    }

    fn store(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<()> {
        let stored = self.psdb.store(key, values);
        if stored == Err(shader_db::Error::AlreadyExists) {
            // As if the plugin had found the value.
            let mut wants = [Want::Nothing; VALUE_TYPES];
            for (kind, _) in values {
                wants[*kind as usize] = Want::Size;
            }
            self.find(key, wants, &mut |_, _| {})?;
        }
        stored
    }

    fn find_group(&self, key: &[u8]) -> shader_db::Result<Option<u32>> {
        self.psdb.find_group(key)
    }

    fn store_group(&self, key: &[u8], version: u32, value_keys: &[&[u8]]) -> shader_db::Result<()> {
        self.psdb.store_group(key, version, value_keys)
    }
}

/// The state behind the plugin's callbacks in one compile call.
pub(crate) struct Cache {
    store: Arc<dyn Store>,
    /// The first error of these callbacks.
    failure: Mutex<Option<shader_db::Error>>,
}

impl Cache {
    /// The reason why the plugin failed, if the files are at fault: the plugin got only a number.
    pub(crate) fn failure(&self) -> Option<shader_db::Error> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    /// Keeps the error, and returns the number that the plugin gets.
    fn fail(&self, error: shader_db::Error) -> HRESULT {
        use shader_db::Error as Database;
        let result = Error::from(error.clone()).result();
        if error != Database::AlreadyExists {
            tracing::error!(%error, "a cache callback fails");
        }
        if !matches!(
            error,
            Database::AlreadyExists | Database::InvalidArgument(_)
        ) {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        }
        result
    }
}

impl session::CacheSession for Cache {
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> Result<(), HRESULT> {
        let mut found = |kind: ValueType, value: Found<'_>| {
            found(D3D12DDI_COMPILER_CACHE_VALUE_TYPE(kind as i32), value);
        };
        let done = self.store.find(key, wants, &mut found);
        done.map_err(|error| self.fail(error))
    }

    fn store(
        &self,
        key: &[u8],
        values: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> Result<(), HRESULT> {
        let mut typed = [(ValueType::ObjectCode, &[][..]); VALUE_TYPES];
        let typed = typed.get_mut(..values.len()).ok_or(E_INVALIDARG)?;
        for (typed, (kind, value)) in typed.iter_mut().zip(values) {
            *typed = (value_type(*kind)?, value);
        }
        let stored = self.store.store(key, typed);
        stored.map_err(|error| self.fail(error))
    }

    fn misuse(&self, call: &'static str, misuse: &Misuse) {
        tracing::warn!(call, %misuse, "the plugin misused a cache callback");
    }
}
