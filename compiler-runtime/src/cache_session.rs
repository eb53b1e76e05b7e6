//! Cache sessions: database files, for one target and application.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use api_sys::compatibility::Verdict;
use ddi_sys::{D3D12DDI_COMPILER_CACHE_VALUE_TYPE, E_INVALIDARG, HRESULT};
use plugin_host::session::{self, Found, Misuse, VALUE_TYPES, Want};
use plugin_host::{ApplicationDesc, Engine, Target, U16CString};
use shader_db::psdb::{self, Access, Application, Options, Psdb, ValueType, ValueTypes};

use crate::claim::Claims;
use crate::desc::target::Capabilities;
use crate::open_files::{self, Place, Share};
use crate::{Error, Factory, TargetDesc, file_names};

/// Database files, for one target and application: `ID3D12CompilerCacheSession`. Clones share it. What
/// it has stored is in the files when the last clone and every compiler over it are gone. Sessions on the
/// same files share them, and they are finished and closed when the last one is gone.
#[derive(Clone, Debug)]
pub struct CacheSession(Arc<Open>);

#[derive(Debug)]
struct Open {
    factory: Factory,
    target: Target,
    application: ApplicationDesc,
    capabilities: Capabilities,
    files: Arc<Files>,
}

/// What the plugin's callbacks reach, and all sessions of this library on the same files share.
#[derive(Debug)]
pub(crate) struct Files {
    psdb: Psdb,
    /// What is stored goes there, if not to the files.
    outbox: Option<Arc<dyn Outbox>>,
    /// The keys whose values plugins found before the session had begun to store, with the types of these: another process
    /// may have removed them since.
    found: Mutex<HashMap<Box<[u8]>, ValueTypes>>,
    // After the files, which are closed by then.
    _claims: Claims,
    /// If others may share them.
    place: Option<Place>,
}

/// Takes what a session stores in the place of its files, so that another process can write it to them.
pub trait Outbox: fmt::Debug + Send + Sync {
    /// Hands over a value that was stored and that the files need not have yet; false if there is none.
    fn find_value(&self, key: &[u8], kind: ValueType, sink: &mut dyn FnMut(&[u8])) -> bool;
    /// Takes values that the files have not. Takes none, and returns false, if it has one of these types of the key.
    fn store_value(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> bool;
    /// Takes a group.
    fn store_group(&self, key: &[u8], version: u32, value_keys: &[&[u8]]);
}

impl Factory {
    /// Opens a session on files, each for the types of value in its set. A file that does not exist
    /// is created, for which target and application are needed; what an existing file has must agree
    /// with them. Without a target it is that of an existing file.
    ///
    /// Whether the plugin may add to what a file has, its versions say
    /// ([`verdict`](api_sys::compatibility::verdict)). That it would be better compiled again is a warning in the log.
    ///
    /// # Errors
    ///
    /// [`Error::Database`], with [`Stale`](shader_db::Error::Stale) for a file that must be compiled again;
    /// [`Error::FileName`]; [`Error::OtherCopy`]; [`Error::Argument`] for a missing or ill-formed argument, and where the plugin no longer
    /// offers what a file is for; as for [`Factory::target`].
    pub fn create_cache_session<P: AsRef<Path>>(
        &self,
        files: &[(ValueTypes, P)],
        target: Option<TargetDesc>,
        application: Option<&ApplicationDesc>,
    ) -> Result<CacheSession, Error> {
        let target = target.map(|desc| self.target(desc)).transpose()?;
        let asked = (target, application);
        for (_, path) in files {
            file_names::check(path.as_ref(), file_names::OF_PSDB)?;
        }
        let (files, verdict) = match open_files::share(files) {
            Share::Open(files) => {
                let of_file = (files.psdb.target(), files.psdb.application());
                let verdict = files.psdb.check(&self.options(asked, Some(of_file))?)?;
                (files, verdict)
            }
            Share::New(place) => {
                let claims = Claims::new(files.iter().map(|(_, path)| path.as_ref()))?;
                // Before a file is created beside it.
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
                let files = open_files(files, &options, claims, None, Some(place))?;
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
        self.session_over(files)
    }

    /// What files are opened with, for a target and an application, or else those of a file that is there.
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

    /// Opens a session on files that a session of another process has open to store. This one only reads them: what is
    /// stored goes to `outbox`, and is found there.
    ///
    /// # Errors
    ///
    /// As for [`create_cache_session`](Self::create_cache_session).
    pub fn create_watching_session<P: AsRef<Path>>(
        &self,
        files: &[(ValueTypes, P)],
        outbox: Arc<dyn Outbox>,
    ) -> Result<CacheSession, Error> {
        // The session that stores has asked what the versions say.
        let options = Options {
            access: Access::Watch,
            ..Options::default()
        };
        let claims = Claims::new(files.iter().map(|(_, path)| path.as_ref()))?;
        self.session_over(open_files(files, &options, claims, Some(outbox), None)?)
    }

    fn session_over(&self, files: Arc<Files>) -> Result<CacheSession, Error> {
        let target = self.target_of(files.psdb.target())?;
        let application = from_database(files.psdb.application())?;
        Ok(CacheSession(Arc::new(Open {
            factory: self.clone(),
            target,
            capabilities: Capabilities::new(self.plugin().clone(), target, application.clone()),
            application,
            files,
        })))
    }

    /// What a file is for, if the plugin still offers it.
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

fn open_files<P: AsRef<Path>>(
    files: &[(ValueTypes, P)],
    options: &Options,
    claims: Claims,
    outbox: Option<Arc<dyn Outbox>>,
    place: Option<Place>,
) -> Result<Arc<Files>, Error> {
    let files = Arc::new(Files {
        psdb: Psdb::open(files, options)?,
        outbox,
        found: Mutex::default(),
        _claims: claims,
        place,
    });
    if let Some(place) = &files.place {
        place.fill(&files);
    }
    Ok(files)
}

impl CacheSession {
    /// The factory that made it.
    pub fn factory(&self) -> &Factory {
        &self.0.factory
    }

    /// What its values are for.
    pub fn target(&self) -> Target {
        self.0.target
    }

    /// Whom its values are for.
    pub fn application(&self) -> &ApplicationDesc {
        &self.0.application
    }

    /// What its target can do.
    pub(crate) fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    /// The files, which other sessions may share.
    pub fn database(&self) -> &Psdb {
        &self.0.files.psdb
    }

    /// Before groups of these keys are stored: what was found of them is there, and stays.
    pub(crate) fn keep_found(&self, value_keys: &[&[u8]]) -> Result<(), Error> {
        match self.0.files.outbox {
            None => self.0.files.keep_found(value_keys),
            Some(_) => Ok(()),
        }
    }

    pub(crate) fn store_group(
        &self,
        key: &[u8],
        version: u32,
        value_keys: &[&[u8]],
    ) -> Result<(), Error> {
        let Files { psdb, outbox, .. } = &*self.0.files;
        match outbox {
            None => psdb.store_group(key, version, value_keys)?,
            Some(outbox) => outbox.store_group(key, version, value_keys),
        }
        Ok(())
    }

    /// Whether a key has a value of the type.
    pub(crate) fn has_value(&self, key: &[u8], kind: ValueType) -> Result<bool, Error> {
        Ok(self.0.files.has_value(key, kind)?)
    }

    /// The cache for one compile call.
    pub(crate) fn cache(&self) -> Arc<Cache> {
        Arc::new(Cache {
            files: Arc::clone(&self.0.files),
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
        // Other sessions may have the files for long, and readers elsewhere wait for what this one has stored. If it
        // fails, those are told so, or else the end of the files logs it.
        let _ = self.files.psdb.flush();
    }
}

impl Files {
    /// Whether everything that is stored can be written.
    pub(crate) fn can_store(&self) -> bool {
        self.psdb.flush().is_ok()
    }

    /// Whether what is found may be removed by another process before a group names it. A session over files that
    /// another process has open to store relies on that one.
    fn may_be_removed(&self) -> bool {
        self.outbox.is_none() && !self.psdb.has_begun()
    }

    fn note_found(&self, key: &[u8], kind: ValueType) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        // Most are found more than once.
        if let Some(types) = found.get_mut(key) {
            *types = *types | kind.into();
        } else {
            found.insert(key.into(), kind.into());
        }
    }

    /// Before a group is stored: what was found of its keys is there, and stays. Only now are files changed that nothing
    /// may ever be stored in.
    fn keep_found(&self, value_keys: &[&[u8]]) -> Result<(), Error> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.is_empty() {
            return Ok(());
        }
        self.psdb.begin()?;
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

    fn find_value(
        &self,
        key: &[u8],
        kind: ValueType,
        sink: &mut dyn FnMut(&[u8]),
    ) -> shader_db::Result<bool> {
        let outbox = self.outbox.as_ref();
        if outbox.is_some_and(|outbox| outbox.find_value(key, kind, sink)) {
            return Ok(true);
        }
        self.psdb.find_value(key, kind, sink)
    }

    fn has_value(&self, key: &[u8], kind: ValueType) -> shader_db::Result<bool> {
        let outbox = self.outbox.as_ref();
        Ok(
            outbox.is_some_and(|outbox| outbox.find_value(key, kind, &mut |_| {}))
                || self.psdb.value_size(key, kind)?.is_some(),
        )
    }

    fn store_value(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<()> {
        let Some(outbox) = &self.outbox else {
            // A compile call that succeeds ends with a group, or settles.
            return self.psdb.hold_value(key, values);
        };
        self.psdb.check_values(key, values)?;
        for (kind, _) in values {
            if self.psdb.value_size(key, *kind)?.is_some() {
                return Err(shader_db::Error::AlreadyExists);
            }
        }
        if outbox.store_value(key, values) {
            Ok(())
        } else {
            Err(shader_db::Error::AlreadyExists)
        }
    }
}

/// What one compile call reaches of the files.
pub(crate) struct Cache {
    files: Arc<Files>,
    /// Why they failed it first.
    failure: Mutex<Option<shader_db::Error>>,
}

impl Cache {
    /// Why the plugin could not do its work, if that is the files' fault: it was told with a number only.
    pub(crate) fn failure(&self) -> Option<shader_db::Error> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    /// Looks for a value that the plugin is then going to name.
    fn look(
        &self,
        key: &[u8],
        kind: ValueType,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<(), HRESULT> {
        // Before it is found: what is found from then on stays.
        let may_be_removed = self.files.may_be_removed();
        let found = self.files.find_value(key, kind, sink);
        if found.map_err(|error| self.fail(error))? && may_be_removed {
            self.files.note_found(key, kind);
        }
        Ok(())
    }

    /// What the plugin gets, which cannot say more.
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
        for (kind, want) in ValueType::ALL.into_iter().zip(wants) {
            let number = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(kind as i32);
            // Also for its size: a value that is damaged must not be named by another group.
            let mut sink = |value: &[u8]| match want {
                Want::Value => found(number, Found::Value(value)),
                _ => found(number, Found::Size(value.len())),
            };
            if want != Want::Nothing {
                self.look(key, kind, &mut sink)?;
            }
        }
        Ok(())
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
        let stored = self.files.store_value(key, typed);
        if stored == Err(shader_db::Error::AlreadyExists) {
            // The plugin is going to name it, as if it had found it.
            for (kind, _) in &*typed {
                self.look(key, *kind, &mut |_| {})?;
            }
        }
        stored.map_err(|error| self.fail(error))
    }

    fn misuse(&self, call: &'static str, misuse: &Misuse) {
        tracing::warn!(call, %misuse, "the plugin misused a cache callback");
    }
}
