//! The compiler runtime under test, step by step: load it, make a factory, a session, a compiler.
//!
//! Nothing but the export and the COM interfaces is used. As with plugins, a step that a test takes on
//! its way says which rule it needs, and the rule is left undecided with that name where it does not
//! hold. For the same reason an object that a step makes is [kept](kept): only tests that are about
//! releasing release it, and the process ends with the test.

mod cache;
mod compile;
mod descriptions;
mod record;
mod stream;

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::{mem, ptr};

use api_sys::{
    D3D12_APPLICATION_DESC, D3D12_COMPILER_DATABASE_PATH, D3D12_COMPILER_TARGET,
    D3D12_VERSION_NUMBER, ID3D12Compiler, ID3D12CompilerCacheSession, ID3D12CompilerFactory,
};
use conformance_catalogue::rules;
use conformance_catalogue::verdict::Stop;
use conformance_protocol::journal::Journal;
use ddi_sys::{HRESULT, S_OK};
use libloading::Library;
use plugin_host::Plugin;
use windows_core::{GUID, Interface, PCWSTR};

use crate::inputs::{Application, Target};

pub(crate) use cache::{Allocator, Kind, buffer, group_key, size_query, value_key};
pub(crate) use compile::returned;
pub(crate) use descriptions::{Owned, Pipeline, StateObjectDesc};
pub(crate) use record::Record;
pub(crate) use stream::{Stream, covering};

/// The type of `D3D12CompilerCreateFactory`.
pub(crate) type CreateFactory =
    unsafe extern "system" fn(PCWSTR, *const GUID, *mut *mut c_void) -> windows_core::HRESULT;

/// Its name in d3d12compiler.h, and in the specification.
const EXPORTS: [&str; 2] = ["D3D12CompilerCreateFactory", "D3D12CreateCompilerFactory"];

/// An IID that nothing has.
pub(crate) const NO_IID: GUID = GUID::from_u128(0x5e55_1000_c0de_4e5a_b1ed_0d15_ea5e_d000);

/// Every value type.
pub(crate) const ALL_TYPES: u32 = 15;

/// The runtime under test, the plugin that it is given, and the journal of the test.
pub(crate) struct Runtime<'j> {
    library: Option<PathBuf>,
    plugin: PathBuf,
    journal: &'j Journal,
}

/// What a plugin reports of a family.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) name: String,
    pub(crate) index: u32,
    /// Newest first.
    pub(crate) abi_versions: Vec<u64>,
    pub(crate) compiler_version: u64,
}

impl<'j> Runtime<'j> {
    pub(crate) fn new(library: Option<&Path>, plugin: &Path, journal: &'j Journal) -> Self {
        Self {
            library: library.map(absolute),
            plugin: absolute(plugin),
            journal,
        }
    }

    /// The library's path; `None` when the runtime is linked in.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.library.as_deref()
    }

    /// The plugin's path.
    pub(crate) fn plugin(&self) -> &Path {
        &self.plugin
    }

    /// Notes in the journal what comes next.
    pub(crate) fn at(&self, what: impl Into<String>) {
        self.journal.at(what);
    }

    /// Adds to what the report says of a rule that holds.
    pub(crate) fn note(&self, what: impl Into<String>) {
        self.journal.note(what);
    }

    /// A path for a file of the test.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.journal.folder().join(name)
    }

    /// Loads the library and looks its export up; why not, where it cannot be.
    pub(crate) fn load(&self) -> Result<CreateFactory, String> {
        let Some(path) = &self.library else {
            return Ok(compiler_runtime::exports::D3D12CompilerCreateFactory);
        };
        self.at("loading the library");
        // SAFETY: what the library does when it is loaded is tested too, in a process that exists
        // for this test.
        let library = unsafe { load(path) }.map_err(|error| error.to_string())?;
        let export = EXPORTS.iter().find_map(|name| {
            // SAFETY: in a compiler runtime the export of this name has this type.
            unsafe { library.get::<CreateFactory>(name.as_bytes()) }
                .ok()
                .map(|symbol| *symbol)
        });
        // It stays loaded.
        mem::forget(library);
        export.ok_or_else(|| format!("exports neither {} nor {}", EXPORTS[0], EXPORTS[1]))
    }

    /// The export. Needs R-FAC-01.
    pub(crate) fn export(&self) -> Result<CreateFactory, Stop> {
        self.load().map_err(|_| Stop::needs(rules::R_FAC_01))
    }

    /// Makes a factory for a plugin.
    pub(crate) fn create_factory(
        &self,
        export: CreateFactory,
        plugin: &Path,
    ) -> Result<Factory, HRESULT> {
        self.at("D3D12CompilerCreateFactory");
        let plugin = wide(&absolute(plugin).to_string_lossy());
        // SAFETY: a string with a NUL, and the IID of the place for the result.
        get(|iid, place| unsafe { export(PCWSTR(plugin.as_ptr()), iid, place) }).map(Factory)
    }

    /// A factory for the plugin, which the caller releases. Needs R-FAC-01.
    pub(crate) fn own_factory(&self) -> Result<Factory, Stop> {
        let factory = self.create_factory(self.export()?, &self.plugin);
        factory.map_err(|_| Stop::needs(rules::R_FAC_01))
    }

    /// A factory for the plugin. Needs R-FAC-01.
    pub(crate) fn factory(&self) -> Result<Factory, Stop> {
        let factory = self.own_factory()?;
        kept(&factory.0);
        Ok(factory)
    }

    /// A session on one new file with every value type, for the usual target and application. Needs
    /// R-FAC-01 and R-SES-01.
    pub(crate) fn session(&self) -> Result<(Factory, Session), Stop> {
        let factory = self.factory()?;
        let session = factory.session_on(&self.file("all.psdb"), self.target()?)?;
        kept(&session.0);
        Ok((factory, session))
    }

    /// The plugin, opened without the runtime.
    pub(crate) fn vendor(&self) -> Result<Plugin, Stop> {
        // SAFETY: the plugin is no subject of the test; it keeps the DDI.
        let library = unsafe { plugin_host::Library::load(&self.plugin) };
        let library = library.map_err(|error| Stop::Tool(error.to_string()))?;
        Plugin::open(&library).map_err(|error| Stop::Tool(format!("the plugin: {error}")))
    }

    /// What the plugin itself reports of its families: at least one, each with an ABI version.
    pub(crate) fn families(&self) -> Result<Vec<Family>, Stop> {
        let plugin = self.vendor()?;
        let unable = |error| Stop::Tool(format!("the plugin: {error}"));
        let mut families = Vec::new();
        for (index, name) in (0..).zip(plugin.adapter_families().map_err(unable)?) {
            let mut abi_versions = plugin.abi_versions(index).map_err(unable)?;
            abi_versions.sort_unstable_by(|a, b| b.cmp(a));
            families.push(Family {
                name,
                index,
                abi_versions,
                compiler_version: plugin.compiler_version(index).map_err(unable)?,
            });
        }
        with_targets(families)
    }

    /// The first family with its latest ABI version.
    pub(crate) fn target(&self) -> Result<Target, Stop> {
        Ok(self.families()?[0].latest())
    }
}

impl Family {
    /// The family with its latest ABI version.
    pub(crate) fn latest(&self) -> Target {
        Target {
            adapter_family_index: self.index,
            abi_version: self.abi_versions[0],
        }
    }

    /// The family with its oldest ABI version.
    pub(crate) fn oldest(&self) -> Target {
        Target {
            abi_version: self.abi_versions[self.abi_versions.len() - 1],
            ..self.latest()
        }
    }
}

/// Families that something can be compiled for; without one a test of them would look at nothing.
fn with_targets(families: Vec<Family>) -> Result<Vec<Family>, Stop> {
    if families.is_empty() {
        return Err(Stop::Undecided("the plugin has no adapter family".into()));
    }
    if let Some(family) = families.iter().find(|it| it.abi_versions.is_empty()) {
        let name = &family.name;
        let reason = format!("the plugin's family \"{name}\" has no ABI version");
        return Err(Stop::Undecided(reason));
    }
    Ok(families)
}

/// Loads a library by its absolute path, what it depends on from beside it.
///
/// # Safety
///
/// What the library does when it is loaded is sound.
#[cfg(windows)]
pub(crate) unsafe fn load(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::windows::{
        LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, Library,
    };
    let flags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
    // SAFETY: what the library does when it is loaded is sound, as this function demands.
    unsafe { Library::load_with_flags(path, flags) }.map(Into::into)
}

/// Loads a library by its absolute path, with every symbol bound.
///
/// # Safety
///
/// What the library does when it is loaded is sound.
#[cfg(unix)]
pub(crate) unsafe fn load(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: what the library does when it is loaded is sound, as this function demands.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
}

/// A path as it is, from the root.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A string with a NUL.
pub(crate) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

/// Adds a reference that nobody releases, to an object or to what a call may have made.
pub(crate) fn kept<I: Clone>(object: &I) {
    mem::forget(object.clone());
}

/// The result of a call, as the DDI's type, which knows its name.
pub(crate) fn result(result: windows_core::HRESULT) -> HRESULT {
    HRESULT(result.0)
}

/// What a call gives in its last two parameters. A success without an object is an error too: S_OK.
pub(crate) fn get<I: Interface>(
    call: impl FnOnce(*const GUID, *mut *mut c_void) -> windows_core::HRESULT,
) -> Result<I, HRESULT> {
    taken(give(&I::IID, call))
}

/// The interface of what [`give`] gave. A success without an object is an error too: S_OK.
fn taken<I: Interface>((result, place): (HRESULT, *mut c_void)) -> Result<I, HRESULT> {
    if result.is_ok() && !place.is_null() {
        // SAFETY: the call gave an interface of this IID.
        Ok(unsafe { I::from_raw(place) })
    } else {
        Err(result)
    }
}

/// What a call returns for an IID, and what the place, which is not null before, holds after it.
pub(crate) fn give(
    iid: *const GUID,
    call: impl FnOnce(*const GUID, *mut *mut c_void) -> windows_core::HRESULT,
) -> (HRESULT, *mut c_void) {
    let mut place = ptr::dangling_mut::<c_void>();
    (result(call(iid, &raw mut place)), place)
}

/// A factory of the runtime.
#[derive(Clone)]
pub(crate) struct Factory(pub(crate) ID3D12CompilerFactory);

/// A cache session of the runtime.
#[derive(Clone)]
pub(crate) struct Session(pub(crate) ID3D12CompilerCacheSession);

/// A compiler of the runtime.
#[derive(Clone)]
pub(crate) struct Compiler(pub(crate) ID3D12Compiler);

/// A target as the API has it.
pub(crate) fn raw_target(target: Target) -> D3D12_COMPILER_TARGET {
    D3D12_COMPILER_TARGET {
        AdapterFamilyIndex: target.adapter_family_index,
        ABIVersion: target.abi_version,
    }
}

/// An application as the API has it, and its strings.
pub(crate) struct RawApplication {
    pub(crate) exe: Vec<u16>,
    pub(crate) name: Vec<u16>,
    pub(crate) engine: Option<Vec<u16>>,
    pub(crate) desc: D3D12_APPLICATION_DESC,
}

impl RawApplication {
    pub(crate) fn new(application: &Application) -> Self {
        let (exe, name) = (wide(application.exe), wide(application.name));
        let engine = application.engine.map(|(name, _)| wide(name));
        let desc = D3D12_APPLICATION_DESC {
            pExeFilename: PCWSTR(exe.as_ptr()),
            pName: PCWSTR(name.as_ptr()),
            Version: D3D12_VERSION_NUMBER::from_bits(application.version),
            pEngineName: engine
                .as_ref()
                .map_or(PCWSTR::null(), |engine| PCWSTR(engine.as_ptr())),
            EngineVersion: D3D12_VERSION_NUMBER::from_bits(
                application.engine.map_or(0, |(_, version)| version),
            ),
        };
        Self {
            exe,
            name,
            engine,
            desc,
        }
    }
}

impl RawApplication {
    /// The usual application without one of the strings that it must have, and which.
    pub(crate) fn nameless() -> [(&'static str, Self); 2] {
        let mut raw = [0, 1].map(|_| Self::new(&Application::USUAL));
        raw[0].desc.pExeFilename = PCWSTR::null();
        raw[1].desc.pName = PCWSTR::null();
        let [without_exe, without_name] = raw;
        [("pExeFilename", without_exe), ("pName", without_name)]
    }
}

/// Null, or where the value is.
pub(crate) fn or_null<T>(value: Option<&T>) -> *const T {
    value.map_or(ptr::null(), ptr::from_ref)
}

// The calls. Their arguments are null or memory of ours, and a count is never larger than the memory
// that it is about; what a runtime does with them is what is tested, in a process that exists for it.

impl Factory {
    pub(crate) fn enumerate_adapter_families(&self, index: u32) -> (HRESULT, [u16; 128]) {
        let mut family = api_sys::D3D12_ADAPTER_FAMILY {
            szAdapterFamily: [0xA5A5; 128],
        };
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        let returned = unsafe { self.0.EnumerateAdapterFamilies(index, &raw mut family) };
        (result(returned), family.szAdapterFamily)
    }

    pub(crate) fn enumerate_abi_versions(
        &self,
        family: u32,
        count: *mut u32,
        versions: *mut u64,
    ) -> HRESULT {
        let method = |count, versions| {
            // SAFETY: the arguments are null or memory of ours, as large as the counts say.
            unsafe {
                self.0
                    .EnumerateAdapterFamilyABIVersions(family, count, versions)
            }
        };
        result(method(count, versions))
    }

    pub(crate) fn compiler_version(&self, family: u32) -> (HRESULT, u64) {
        let mut version = D3D12_VERSION_NUMBER::from_bits(u64::MAX);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        let returned = unsafe {
            self.0
                .EnumerateAdapterFamilyCompilerVersion(family, &raw mut version)
        };
        (result(returned), version.bits())
    }

    pub(crate) fn profile_version(
        &self,
        target: Option<Target>,
        application: Option<&Application>,
    ) -> (HRESULT, u64) {
        let application = application.map(RawApplication::new);
        self.profile_version_raw(target, application.as_ref().map(|raw| &raw.desc))
    }

    pub(crate) fn profile_version_raw(
        &self,
        target: Option<Target>,
        application: Option<&D3D12_APPLICATION_DESC>,
    ) -> (HRESULT, u64) {
        let mut version = D3D12_VERSION_NUMBER::from_bits(u64::MAX);
        let target = target.map(raw_target);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        let returned = unsafe {
            self.0.GetApplicationProfileVersion(
                or_null(target.as_ref()),
                or_null(application),
                &raw mut version,
            )
        };
        (result(returned), version.bits())
    }

    /// Creates a session; `None` is a null argument.
    pub(crate) fn create_session(
        &self,
        files: &[(u32, &Path)],
        target: Option<Target>,
        application: Option<&Application>,
    ) -> Result<Session, HRESULT> {
        let application = application.map(RawApplication::new);
        let application = application.as_ref().map(|raw| &raw.desc);
        self.create_session_raw(files, target, application)
    }

    pub(crate) fn create_session_raw(
        &self,
        files: &[(u32, &Path)],
        target: Option<Target>,
        application: Option<&D3D12_APPLICATION_DESC>,
    ) -> Result<Session, HRESULT> {
        taken(self.give_session(files, target, application)).map(Session)
    }

    /// What CreateCompilerCacheSession returns, and what is in the place for the session.
    pub(crate) fn give_session(
        &self,
        files: &[(u32, &Path)],
        target: Option<Target>,
        application: Option<&D3D12_APPLICATION_DESC>,
    ) -> (HRESULT, *mut c_void) {
        let strings: Vec<_> = files
            .iter()
            .map(|(_, path)| wide(&absolute(path).to_string_lossy()))
            .collect();
        let paths: Vec<_> = files
            .iter()
            .zip(&strings)
            .map(|((types, _), string)| D3D12_COMPILER_DATABASE_PATH {
                Types: *types,
                pPath: PCWSTR(string.as_ptr()),
            })
            .collect();
        let target = target.map(raw_target);
        let count = count(&paths);
        give(&ID3D12CompilerCacheSession::IID, |iid, place| {
            let (paths, target) = (paths.as_ptr(), or_null(target.as_ref()));
            let application = or_null(application);
            // SAFETY: the arguments are null or memory of ours, as large as the counts say.
            unsafe {
                self.0
                    .CreateCompilerCacheSession(paths, count, target, application, iid, place)
            }
        })
    }

    /// A session on one file with every value type, for the usual application. Needs R-SES-01.
    pub(crate) fn session_on(&self, file: &Path, target: Target) -> Result<Session, Stop> {
        self.create_session(
            &[(ALL_TYPES, file)],
            Some(target),
            Some(&Application::USUAL),
        )
        .map_err(|_| Stop::needs(rules::R_SES_01))
    }

    pub(crate) fn create_compiler(&self, session: Option<&Session>) -> Result<Compiler, HRESULT> {
        taken(self.give_compiler(session)).map(Compiler)
    }

    /// What CreateCompiler returns, and what is in the place for the compiler.
    pub(crate) fn give_compiler(&self, session: Option<&Session>) -> (HRESULT, *mut c_void) {
        let session = session.map(|session| &session.0);
        give(&ID3D12Compiler::IID, |iid, place| {
            // SAFETY: the arguments are null or memory of ours, as large as the counts say.
            unsafe { self.0.CreateCompiler(session, iid, place) }
        })
    }

    /// A compiler. Needs R-CMP-01.
    pub(crate) fn compiler(&self, session: &Session) -> Result<Compiler, Stop> {
        let compiler = self.create_compiler(Some(session));
        let compiler = compiler.map_err(|_| Stop::needs(rules::R_CMP_01))?;
        kept(&compiler.0);
        Ok(compiler)
    }
}

/// The number of elements of an array of ours.
pub(crate) fn count<T>(array: &[T]) -> u32 {
    u32::try_from(array.len()).expect("a small array")
}

/// The outcome of a call that makes an object, in words.
pub(crate) fn made<T>(object: &Result<T, HRESULT>) -> String {
    match object {
        Ok(_) => "S_OK and an object".into(),
        Err(S_OK) => "S_OK and no object".into(),
        Err(failure) => failure.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Family, with_targets};
    use conformance_catalogue::verdict::Stop;

    #[test]
    fn a_plugin_without_targets_leaves_rules_undecided() {
        let family = |abi_versions| Family {
            name: "One".into(),
            index: 0,
            abi_versions,
            compiler_version: 1,
        };
        let undecided = |families| matches!(with_targets(families), Err(Stop::Undecided(_)));
        assert!(undecided(vec![]));
        assert!(undecided(vec![family(vec![2]), family(vec![])]));
        assert!(!undecided(vec![family(vec![2])]));
    }
}
