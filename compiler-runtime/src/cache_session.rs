//! Cache sessions: database files, for one target and application.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ddi_sys::{D3D12DDI_COMPILER_CACHE_VALUE_TYPE, E_INVALIDARG, HRESULT};
use plugin_host::session::{self, Found, Misuse, VALUE_TYPES, Want};
use plugin_host::{ApplicationDesc, Engine, Target, U16CString};
use shader_db::psdb::{self, Access, Application, Options, Psdb, ValueType, ValueTypes};

use crate::claim::Claims;
use crate::{Error, Factory, TargetDesc};

/// Database files, for one target and application: `ID3D12CompilerCacheSession`. Clones share it. The
/// files are finished and closed when the last clone and every compiler over it are gone.
#[derive(Clone, Debug)]
pub struct CacheSession(Arc<Open>);

#[derive(Debug)]
struct Open {
    factory: Factory,
    target: Target,
    application: ApplicationDesc,
    files: Arc<Files>,
}

/// What the plugin's callbacks reach.
#[derive(Debug)]
struct Files {
    psdb: Psdb,
    /// What is stored goes there, if not to the files.
    outbox: Option<Arc<dyn Outbox>>,
    // After the files, which are closed by then.
    _claims: Claims,
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
    /// with them.
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; [`Error::OtherCopy`]; [`Error::Argument`] for a missing or ill-formed argument, and where the
    /// plugin no longer offers what a file is for; as for [`Factory::target`].
    pub fn create_cache_session<P: AsRef<Path>>(
        &self,
        files: &[(ValueTypes, P)],
        target: Option<TargetDesc>,
        application: Option<&ApplicationDesc>,
    ) -> Result<CacheSession, Error> {
        let has_file = files.iter().any(|(_, path)| path.as_ref().exists());
        let mut options = Options {
            application: application.map(to_database).transpose()?,
            ..Options::default()
        };
        if let Some(desc) = target {
            let resolved = self.target(desc)?;
            let index = desc.adapter_family_index;
            options.target = Some(psdb::Target {
                family: self.adapter_family(index)?,
                // To a file that exists, 0 is the version that it has.
                abi: if has_file {
                    desc.abi_version
                } else {
                    resolved.abi_version()
                },
                compiler_version: self.plugin().compiler_version(index)?,
                profile_version: match application {
                    Some(application) => self
                        .plugin()
                        .application_profile_version(resolved, application)?,
                    None => 0,
                },
            });
        }
        self.session_over(files, &options, None)
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
        let options = Options {
            access: Access::Watch,
            ..Options::default()
        };
        self.session_over(files, &options, Some(outbox))
    }

    fn session_over<P: AsRef<Path>>(
        &self,
        files: &[(ValueTypes, P)],
        options: &Options,
        outbox: Option<Arc<dyn Outbox>>,
    ) -> Result<CacheSession, Error> {
        let claims = Claims::new(files.iter().map(|(_, path)| path.as_ref()))?;
        let psdb = Psdb::open(files, options)?;
        let of_file = psdb.target();
        let index = self
            .adapter_families()?
            .iter()
            .position(|family| *family == of_file.family);
        let index = index
            .and_then(|index| u32::try_from(index).ok())
            .ok_or_else(|| {
                let family = &of_file.family;
                Error::argument(format!(
                    "the plugin has no adapter family {family:?} any more"
                ))
            })?;
        Ok(CacheSession(Arc::new(Open {
            factory: self.clone(),
            target: self.plugin().target(index, of_file.abi)?,
            application: from_database(psdb.application())?,
            files: Arc::new(Files {
                psdb,
                outbox,
                _claims: claims,
            }),
        })))
    }
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

    /// The files.
    pub fn database(&self) -> &Psdb {
        &self.0.files.psdb
    }

    pub(crate) fn store_group(
        &self,
        key: &[u8],
        version: u32,
        value_keys: &[&[u8]],
    ) -> shader_db::Result<()> {
        let Files { psdb, outbox, .. } = &*self.0.files;
        match outbox {
            None => psdb.store_group(key, version, value_keys),
            Some(outbox) => {
                outbox.store_group(key, version, value_keys);
                Ok(())
            }
        }
    }

    /// The cache that a compile call gets.
    pub(crate) fn cache(&self) -> Arc<dyn session::CacheSession> {
        Arc::clone(&self.0.files) as _
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

fn failure(error: shader_db::Error) -> HRESULT {
    Error::from(error).result()
}

impl Files {
    /// Before the plugin looks for what its object may name: it is not to be gone when that is stored.
    fn begin(&self) -> Result<(), HRESULT> {
        match &self.outbox {
            None => self.psdb.begin().map_err(failure),
            // Who has the files open to store has begun.
            Some(_) => Ok(()),
        }
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

    fn value_size(&self, key: &[u8], kind: ValueType) -> shader_db::Result<Option<u32>> {
        let mut size = None;
        if let Some(outbox) = &self.outbox {
            outbox.find_value(key, kind, &mut |value| {
                size = u32::try_from(value.len()).ok();
            });
        }
        match size {
            None => self.psdb.value_size(key, kind),
            size => Ok(size),
        }
    }

    fn store_value(&self, key: &[u8], values: &[(ValueType, &[u8])]) -> shader_db::Result<()> {
        let Some(outbox) = &self.outbox else {
            // A compile call that succeeds ends with a group, or settles.
            return self.psdb.hold_value(key, values);
        };
        for (kind, _) in values {
            if !self.psdb.types().contains(*kind) {
                return Err(shader_db::Error::InvalidArgument(format!(
                    "the session has no file for {kind:?} values"
                )));
            }
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

impl session::CacheSession for Files {
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> Result<bool, HRESULT> {
        self.begin()?;
        let mut has_any = false;
        for (kind, want) in ValueType::ALL.into_iter().zip(wants) {
            let number = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(kind as i32);
            has_any |= match want {
                Want::Nothing => false,
                Want::Size => {
                    let size = self.value_size(key, kind).map_err(failure)?;
                    size.inspect(|size| found(number, Found::Size(*size as usize)))
                        .is_some()
                }
                Want::Value => {
                    let mut sink = |value: &[u8]| found(number, Found::Value(value));
                    self.find_value(key, kind, &mut sink).map_err(failure)?
                }
            };
        }
        for (kind, want) in ValueType::ALL.into_iter().zip(wants) {
            if !has_any && want == Want::Nothing {
                has_any = self.value_size(key, kind).map_err(failure)?.is_some();
            }
        }
        Ok(has_any)
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
        self.begin()?;
        self.store_value(key, typed).map_err(failure)
    }

    fn misuse(&self, call: &'static str, misuse: &Misuse) {
        tracing::warn!(call, %misuse, "the plugin misused a cache callback");
    }
}
