//! Cache sessions: database files for one target and application.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use compatibility::Verdict;
use ddi_sys::{D3D12DDI_COMPILER_CACHE_VALUE_TYPE, E_INVALIDARG, HRESULT};
use parking_lot::Mutex;
use plugin_host::session::{self, Found, Misuse, VALUE_TYPES, Want};
use plugin_host::{ApplicationDesc, Engine, Target, U16CString};
use shader_db::file_name;
use shader_db::psdb::{self, Application, Batch, Options, Psdb, ValueType, ValueTypes};

use crate::desc::target::Capabilities;
use crate::{Error, Factory, Group, TargetDesc};

/// Database files, or another [`Store`], for one target and application: `ID3D12CompilerCacheSession`. Clones share it. The last
/// clone, and every compiler over it, finish and close the files when they are gone.
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
    files: Option<Arc<Psdb>>,
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

    /// Refuses the values of a compile call if the key has a value of one of the types.
    ///
    /// # Errors
    ///
    /// As for [`find`](Self::find).
    fn refuses(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<bool>;

    /// The version of a group, if it exists.
    ///
    /// # Errors
    ///
    /// The error of reading.
    fn find_group(&self, key: &[u8]) -> shader_db::Result<Option<u32>>;

    /// Stores what a compile call made: all of it, or nothing. Values that another call has stored meanwhile stay.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], with `AlreadyExists` if one of the groups exists; those of [`Made::check`].
    fn commit(&self, made: Made<'_>) -> Result<(), Error>;
}

/// The result of a compile call, for a [`Store`].
pub struct Made<'a> {
    /// The values that the plugin stored.
    pub values: Batch,
    /// The groups to store.
    pub groups: &'a [Group<'a>],
    /// The keys that the plugin named, for each of the groups.
    pub value_keys: &'a [&'a [u8]],
    /// One of the keys must have object code, if the store has that type.
    pub needs_code: bool,
}

impl Made<'_> {
    /// Checks that each key that the plugin named has a value (docs/spec-notes.md, "Cache sessions"). `has_value` tells whether
    /// the store has one.
    ///
    /// # Errors
    ///
    /// [`Error::NoValue`], [`Error::NoObjectCode`]; that of `has_value`.
    pub fn check(
        &self,
        types: ValueTypes,
        mut has_value: impl FnMut(&[u8], ValueType) -> shader_db::Result<bool>,
    ) -> Result<(), Error> {
        let mut has_code = false;
        for key in self.value_keys {
            let mut has_any = false;
            // Object code comes first, and most keys have it.
            for kind in types.kinds() {
                has_any = self.values.value(key, kind).is_some() || has_value(key, kind)?;
                has_code |= has_any && kind == ValueType::ObjectCode;
                if has_any {
                    break;
                }
            }
            if !has_any {
                return Err(Error::NoValue { key: key.to_vec() });
            }
        }
        let is_checked = self.needs_code && types.has(ValueType::ObjectCode);
        if is_checked && !self.value_keys.is_empty() && !has_code {
            return Err(Error::NoObjectCode);
        }
        Ok(())
    }
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
        for (kind, mut want) in ValueType::ALL.into_iter().zip(wants) {
            if want != Want::Nothing {
                let answer = |value: &[u8]| want.answer(value, &mut |value| found(kind, value));
                self.find_value(key, kind, answer)?;
            }
        }
        Ok(())
    }

    fn refuses(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<bool> {
        let types: ValueTypes = values.iter().map(|(kind, _)| *kind).collect();
        let refuses = self.has_any(key, types)?;
        if refuses {
            self.compare(key, values)?;
        }
        Ok(refuses)
    }

    fn find_group(&self, key: &[u8]) -> shader_db::Result<Option<u32>> {
        self.find_group(key)
    }

    fn commit(&self, made: Made<'_>) -> Result<(), Error> {
        if made.values.is_empty() && made.groups.is_empty() {
            return made.check(self.types(), |key, kind| {
                Ok(self.value_size(key, kind)?.is_some())
            });
        }
        let mut groups = self.batch();
        for (key, version) in made.groups {
            groups.add_group(key, *version, made.value_keys)?;
        }
        // One transaction: no other session can remove a value between the check and the store of a group that names it.
        self.transaction(|transaction| {
            transaction.add(&made.values)?;
            made.check(self.types(), |key, kind| transaction.has_value(key, kind))?;
            match transaction.add(&groups)?[..] {
                [] => Ok(()),
                [..] => Err(shader_db::Error::AlreadyExists.into()),
            }
        })
    }
}

/// A [`CacheSession`] on files that is not open yet: [`Factory::cache_session`].
#[derive(Debug)]
#[must_use = "it is opened by `open`"]
pub struct CacheSessionBuilder<'a> {
    factory: &'a Factory,
    files: Vec<(ValueTypes, PathBuf)>,
    target: Option<TargetDesc>,
    application: Option<&'a ApplicationDesc>,
}

impl<'a> CacheSessionBuilder<'a> {
    /// Adds files, each for the types of value in its set.
    pub fn files<P: Into<PathBuf>>(
        mut self,
        files: impl IntoIterator<Item = (ValueTypes, P)>,
    ) -> Self {
        let files = files.into_iter().map(|(types, path)| (types, path.into()));
        self.files.extend(files);
        self
    }

    /// The target. Without it the session takes that of an existing file.
    pub fn target(mut self, target: impl Into<Option<TargetDesc>>) -> Self {
        self.target = target.into();
        self
    }

    /// The application. Without it the session takes that of an existing file.
    pub fn application(mut self, application: impl Into<Option<&'a ApplicationDesc>>) -> Self {
        self.application = application.into();
        self
    }

    /// Opens the files. It creates one that does not exist, for which it needs target and application; those of an existing file
    /// must agree with them.
    ///
    /// The versions decide whether the plugin may add to a file ([`verdict`](compatibility::verdict)). The log warns of a file that
    /// it would be better to compile again.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], with [`Stale`](shader_db::Error::Stale) for a file that must be compiled again;
    /// [`Error::Name`]; [`Error::Argument`] for a missing or ill-formed argument, and where the plugin no longer offers the
    /// target of a file; the errors of [`Factory::target`].
    pub fn open(self) -> Result<CacheSession, Error> {
        let Self {
            factory,
            files,
            target,
            application,
        } = self;
        let target = target.map(|desc| factory.target(desc)).transpose()?;
        for (_, path) in &files {
            file_name::check(path)?;
        }
        // Before the session creates a file beside it.
        let mut existing = files.iter().map(|(_, path)| &**path);
        let existing = existing.find(|path| psdb::exists(path));
        let existing = existing.map(psdb::File::open).transpose()?;
        let of_file = existing
            .as_ref()
            .map(|file| (file.target(), file.application()));
        let options = factory.options((target, application), of_file)?;
        drop(existing);
        let files = Arc::new(Psdb::open(&files, &options)?);
        if let Verdict::ShouldRecompile(reason) = files.verdict() {
            tracing::warn!(
                "{files:?}: {reason}: they are used, and would be better compiled again"
            );
        }
        let target = factory.target_of(files.target())?;
        let application = from_database(files.application())?;
        let store = Arc::clone(&files) as _;
        Ok(factory.session(target, application, store, Some(files)))
    }
}

impl Factory {
    /// A session on files, to be given them, the target and the application.
    pub fn cache_session(&self) -> CacheSessionBuilder<'_> {
        CacheSessionBuilder {
            factory: self,
            files: Vec::new(),
            target: None,
            application: None,
        }
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
        files: Option<Arc<Psdb>>,
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

    /// The files; none for another store.
    pub fn database(&self) -> Option<&Psdb> {
        self.0.files.as_deref()
    }

    /// The cache for one compile call.
    pub(crate) fn cache(&self) -> Arc<Cache> {
        Arc::new(Cache {
            values: Mutex::new(Batch::new(self.store().types())),
            store: Arc::clone(&self.0.store),
            found: Mutex::default(),
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

/// Hands over what a batch has of the wanted values of a key, so that only the others are still wanted.
pub fn answer_from(
    batch: &Batch,
    key: &[u8],
    wants: &mut [Want; VALUE_TYPES],
    found: &mut dyn FnMut(ValueType, Found<'_>),
) {
    for (kind, want) in ValueType::ALL.into_iter().zip(wants) {
        if let Some(value) = batch.value(key, kind) {
            want.answer(value, &mut |value| found(kind, value));
        }
    }
}

/// The cache that the plugin sees in one compile call: the values of the session, and those that the call has stored. The latter
/// become visible to others when the call succeeds, all at once.
pub(crate) struct Cache {
    store: Arc<dyn Store>,
    /// The values that the call has stored.
    values: Mutex<Batch>,
    /// The keys whose values the plugin knows to be in the store.
    found: Mutex<HashSet<Box<[u8]>>>,
    /// The first error of the callbacks.
    failure: Mutex<Option<shader_db::Error>>,
}

impl Cache {
    /// The cause of an error: the plugin got only the number of a failure of the files, and does not hear of values that another
    /// process removes.
    pub(crate) fn cause(&self, error: Error) -> Error {
        let failure = self.failure.lock().take();
        match (failure, error) {
            (Some(failure), Error::Plugin(_) | Error::NoValue { .. } | Error::NoObjectCode) => {
                failure.into()
            }
            (None, Error::NoValue { key }) if self.found.lock().contains(&*key) => Error::Removed,
            (_, error) => error,
        }
    }

    /// Takes the values that the call has stored.
    pub(crate) fn take(&self) -> Batch {
        let empty = Batch::new(self.store.types());
        std::mem::replace(&mut *self.values.lock(), empty)
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
            self.failure.lock().get_or_insert(error);
        }
        result
    }

    fn find(
        &self,
        key: &[u8],
        mut wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(ValueType, Found<'_>),
    ) -> shader_db::Result<()> {
        answer_from(&self.values.lock(), key, &mut wants, found);
        if wants == [Want::Nothing; VALUE_TYPES] {
            return Ok(());
        }
        self.store.find(key, wants, &mut |kind, value| {
            self.found.lock().insert(key.into());
            found(kind, value);
        })
    }

    fn store(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<()> {
        // Of two threads that store the same, the second is refused.
        let mut own = self.values.lock();
        own.check(key, values)?;
        if self.store.refuses(key, values)? {
            self.found.lock().insert(key.into());
            return Err(shader_db::Error::AlreadyExists);
        }
        own.add_values(key, values)
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
        self.find(key, wants, &mut found)
            .map_err(|error| self.fail(error))
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
        self.store(key, typed).map_err(|error| self.fail(error))
    }

    fn misuse(&self, call: &'static str, misuse: &Misuse) {
        tracing::warn!(call, %misuse, "the plugin misused a cache callback");
    }
}
