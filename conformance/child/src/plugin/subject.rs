//! The plugin under test, step by step: load, open, select, fill.
//!
//! Every step that a test takes on its way to its own subject says which rule it needs; when that
//! rule does not hold, the tested one is left undecided with its name. The steps lend roomy memory and destroy
//! nothing, so that a defect which is another rule's shows in that rule's test only. The process
//! ends with the test, and what is open ends with it.

use std::cell::{Cell, OnceCell};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr;

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop};
use conformance_protocol::journal::Journal;
use conformance_protocol::{FaultPlan, Settings, calls};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
    D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE, D3D12DDI_COMPILER_DDI_FUNCS,
    D3D12DDI_COMPILER_TABLE_TYPE, D3D12DDI_HCOMPILERDDI, D3D12DDI_HRTCOMPILERDDI,
    D3D12DDIARG_COMPILER_OPEN_DDI, HRESULT, S_OK, VersionNumber,
};
use plugin_host::{DdiVersion, DdiVersions, EntryPoint, Library, LoadError};

use crate::plugin::capabilities::{Capabilities, NO_END};
use crate::plugin::corpus::Corpus;
use crate::plugin::function_table::{FilledTable, Table, entry};
use crate::plugin::layer::in_front_of;
use crate::plugin::linked_in;
use crate::watch::memory::{Array, Guarded, Place};

/// What a handle of the host holds: a number that leads nowhere.
pub(crate) const HOST_HANDLE: usize = 0x5E55_1000;

/// The plugin under test, and the journal of its test.
pub(crate) struct Subject<'j> {
    plugin: Option<PathBuf>,
    journal: &'j Journal,
    settings: Settings,
    corpus: OnceCell<&'static Corpus>,
    /// How many opens have succeeded.
    opens: Cell<u32>,
}

impl<'j> Subject<'j> {
    pub(crate) fn new(plugin: Option<PathBuf>, journal: &'j Journal, settings: Settings) -> Self {
        Self {
            plugin,
            journal,
            settings,
            corpus: OnceCell::new(),
            opens: Cell::new(0),
        }
    }

    /// The library's path; `None` when the plugin is linked in.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.plugin.as_deref()
    }

    /// What the corpus of the run has; nothing where there is none.
    pub(crate) fn corpus(&self) -> Result<&'static Corpus, Stop> {
        if let Some(corpus) = self.corpus.get() {
            return Ok(corpus);
        }
        let corpus = Corpus::read(&self.settings)?;
        Ok(self.corpus.get_or_init(|| corpus))
    }

    /// How thorough the test is, and what it takes by chance.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The journal of the test, in a folder for its files.
    pub(crate) fn journal(&self) -> &Journal {
        self.journal
    }

    /// Notes in the journal what comes next.
    pub(crate) fn at(&self, what: impl Into<String>) {
        self.journal.at(what);
    }

    /// Notes in the journal the fault plan of what comes next.
    pub(crate) fn under(&self, plan: Option<&FaultPlan>) {
        self.journal.under(plan);
    }

    /// Adds to what the report says of the rule if it holds.
    pub(crate) fn note(&self, what: impl Into<String>) {
        self.journal.note(what);
    }

    /// Loads the library.
    pub(crate) fn load(&self) -> Result<Library, LoadError> {
        match &self.plugin {
            Some(path) => {
                self.at("loading the library");
                let _noted = calls::call("loading the library");
                // SAFETY: whether the library keeps the DDI is what is tested, in a process that
                // exists for this test.
                unsafe { Library::load(path) }
            }
            // SAFETY: the sample plugin is written with the SDK, which keeps the DDI.
            None => Ok(unsafe { Library::from_entry(linked_in::entry_point()) }),
        }
    }

    /// The library's entry point. Needs P-OPEN-01.
    pub(crate) fn entry_point(&self) -> Result<EntryPoint, Stop> {
        let library = self.load().map_err(|_| Stop::needs(rules::P_OPEN_01))?;
        let entry = in_front_of(library.entry_point(), self.path())?;
        std::mem::forget(library);
        Ok(entry)
    }

    /// Opens the plugin. Needs P-OPEN-02 and P-OPEN-03.
    pub(crate) fn open(&self) -> Result<Open, Stop> {
        self.open_with(self.entry_point()?)
    }

    /// As [`open`](Self::open), through an entry point that is known already. Needs P-OPEN-06 when the
    /// first open of the process succeeded and a later one does not.
    pub(crate) fn open_with(&self, entry: EntryPoint) -> Result<Open, Stop> {
        let number = self.opens.get() + 1;
        self.at("D3D12OpenCompilerDDI");
        let needs = |rule, got: String| {
            let rule = if number == 1 { rule } else { rules::P_OPEN_06 };
            Stop::needs_but_got(rule, format!("open {number} of this process {got}"))
        };
        let arg = OpenArg::new(Place::Roomy)?;
        let result = arg.call(entry);
        if result != S_OK {
            return Err(needs(rules::P_OPEN_02, format!("returned {result}")));
        }
        let handle = arg.handle();
        if handle.pDrvPrivate.is_null() {
            return Err(needs(rules::P_OPEN_02, "left hCompilerDDI null".into()));
        }
        let Some(funcs) = arg.funcs() else {
            return Err(needs(rules::P_OPEN_02, "set pDDIFuncs to null".into()));
        };
        if let Some((entry, _)) = funcs.entries().iter().find(|(_, address)| *address == 0) {
            return Err(needs(rules::P_OPEN_03, format!("left {entry} null")));
        }
        self.opens.set(number);
        Ok(Open { handle, funcs })
    }

    /// Makes `test` in an open for each version that both sides know; it is told which one is selected.
    /// Needs P-VER-07.
    pub(crate) fn for_each_version(&self, mut test: impl FnMut(Open, &str) -> Outcome) -> Outcome {
        for version in self.open()?.known_versions()? {
            let open = self.open()?;
            open.select_version(version)?;
            test(open, &dotted(version.plugin))?;
        }
        Ok(())
    }

    /// An open in which the oldest version is selected that both sides know. Needs P-VER-07.
    pub(crate) fn open_oldest(&self) -> Result<Open, Stop> {
        let open = self.open()?;
        open.select_version(open.known_versions()?[0])?;
        Ok(open)
    }
}

/// The argument of an open and the table that belongs to it.
pub(crate) struct OpenArg {
    arg: Guarded,
    table: Guarded,
}

impl OpenArg {
    pub(crate) fn new(place: Place) -> Result<Self, Stop> {
        Self::over(place, 0)
    }

    /// As [`new`](Self::new), with `fill` in every byte of the table.
    pub(crate) fn over(place: Place, fill: u8) -> Result<Self, Stop> {
        let this = Self {
            arg: Guarded::new(size_of::<D3D12DDIARG_COMPILER_OPEN_DDI>(), ALIGN, place, 0)?,
            table: Guarded::new(size_of::<D3D12DDI_COMPILER_DDI_FUNCS>(), ALIGN, place, fill)?,
        };
        this.reset();
        Ok(this)
    }

    pub(crate) fn call(&self, entry: EntryPoint) -> HRESULT {
        let entry = calls::Noted::new("D3D12OpenCompilerDDI", entry);
        // SAFETY: argument and table are valid and writable.
        unsafe { entry(self.arg.ptr()) }
    }

    /// Makes it what it was in the beginning.
    pub(crate) fn reset(&self) {
        self.arg.put(D3D12DDIARG_COMPILER_OPEN_DDI {
            hRTCompilerDDI: D3D12DDI_HRTCOMPILERDDI {
                handle: ptr::without_provenance_mut(HOST_HANDLE),
            },
            hCompilerDDI: D3D12DDI_HCOMPILERDDI {
                pDrvPrivate: ptr::null_mut(),
            },
            pDDIFuncs: self.table.ptr(),
        });
    }

    /// Makes pDDIFuncs null.
    pub(crate) fn without_table(&self) {
        self.arg.put(D3D12DDIARG_COMPILER_OPEN_DDI {
            pDDIFuncs: ptr::null_mut(),
            ..self.arg()
        });
    }

    pub(crate) fn arg(&self) -> D3D12DDIARG_COMPILER_OPEN_DDI {
        self.arg.get()
    }

    pub(crate) fn handle(&self) -> D3D12DDI_HCOMPILERDDI {
        self.arg().hCompilerDDI
    }

    /// The table that pDDIFuncs points to: the one that was passed, or the plugin's own (P-OPEN-11).
    /// `None` where the pointer is null.
    pub(crate) fn funcs(&self) -> Option<D3D12DDI_COMPILER_DDI_FUNCS> {
        let funcs = self.arg().pDDIFuncs;
        if self.is_given(funcs) {
            return Some(self.table.get());
        }
        // SAFETY: a pointer that the plugin set in an open that succeeded. It may lead nowhere; then the
        // fault is the verdict of this process.
        (!funcs.is_null()).then(|| unsafe { funcs.read_unaligned() })
    }

    /// Whether a pointer leads to the table that was passed.
    pub(crate) fn is_given(&self, funcs: *const D3D12DDI_COMPILER_DDI_FUNCS) -> bool {
        ptr::eq(funcs, self.table.ptr())
    }

    /// The table that was passed, whatever pDDIFuncs is now.
    pub(crate) fn given_table(&self) -> &Guarded {
        &self.table
    }

    /// The memory of the argument structure and of the table.
    pub(crate) fn memory(&self) -> [(&'static str, &Guarded); 2] {
        [
            ("the argument structure", &self.arg),
            ("the table", &self.table),
        ]
    }
}

/// Tables and arguments hold pointers and 64-bit numbers.
const ALIGN: usize = 8;

/// One open of the plugin.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    pub(crate) handle: D3D12DDI_HCOMPILERDDI,
    pub(crate) funcs: D3D12DDI_COMPILER_DDI_FUNCS,
}

// The calls. Their arguments are null or memory of ours, and a count is never larger than the memory
// that it is about; what a plugin does with them is what is tested, in a process that exists for it.

impl Open {
    pub(crate) fn destroy(self) {
        let call = entry!(self.funcs, pfnDestroyCompilerDDI);
        // SAFETY: the handle is the plugin's.
        unsafe { call(self.handle) };
    }

    pub(crate) fn get_supported_versions(
        self,
        count: Option<&Array<u32>>,
        versions: Option<&Array<u64>>,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnGetSupportedVersions);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe { call(self.handle, Array::or_null(count), Array::or_null(versions)) }
    }

    pub(crate) fn set_selected_version(self, plugin: u64, usermode: u64) -> HRESULT {
        let call = entry!(self.funcs, pfnSetSelectedVersion);
        // SAFETY: takes numbers.
        unsafe { call(self.handle, plugin, usermode) }
    }

    pub(crate) fn fill_ddi_table(
        self,
        table_type: D3D12DDI_COMPILER_TABLE_TYPE,
        table: Option<&Guarded>,
        size: usize,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnFillDDITable);
        let table: *mut c_void = table.map_or(ptr::null_mut(), Guarded::ptr);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe { call(self.handle, table_type, table, size) }
    }

    pub(crate) fn set_callback_ddi_table(
        self,
        table_type: D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE,
        table: Option<&Guarded>,
        size: usize,
    ) -> HRESULT {
        let call = entry!(self.funcs, pfnSetCallbackDDITable);
        let table: *mut c_void = table.map_or(ptr::null_mut(), Guarded::ptr);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        unsafe { call(self.handle, table_type, table, size) }
    }

    /// The reported versions. Needs P-VER-01 and P-VER-02.
    pub(crate) fn versions(self) -> Result<Vec<u64>, Stop> {
        let count = Array::one(0, Place::Roomy)?;
        let result = self.get_supported_versions(Some(&count), None);
        if result != S_OK || !(1..=NO_END).contains(&count.get(0)) {
            let got = format!(
                "the size query returned {result}, with a count of {}",
                count.get(0)
            );
            return Err(Stop::needs_but_got(rules::P_VER_01, got));
        }
        let versions = Array::blank(count.get(0) as usize)?;
        let result = self.get_supported_versions(Some(&count), Some(&versions));
        match versions.written() {
            Some(versions) if result == S_OK => Ok(versions),
            written => Err(Stop::needs_but_got(
                rules::P_VER_02,
                format!(
                    "pfnGetSupportedVersions returned {result}, every entry written: {}",
                    written.is_some()
                ),
            )),
        }
    }

    /// The versions that are reported and that this tool knows. Needs P-VER-01 and P-VER-02.
    pub(crate) fn known_versions(self) -> Result<Vec<DdiVersion>, Stop> {
        let reported = self.versions()?;
        let versions = DdiVersions::of_process().map_err(|error| Stop::Tool(error.to_string()))?;
        let known: Vec<_> = versions.common(&reported).collect();
        if known.is_empty() {
            let reported: Vec<String> = reported.into_iter().map(dotted).collect();
            return Err(Stop::Undecided(format!(
                "this tool knows none of the reported plugin DDI versions {}: allow one with --ddi-versions",
                reported.join(", ")
            )));
        }
        Ok(known)
    }

    /// Selects the newest version that both sides know. Needs P-VER-07.
    pub(crate) fn select(self) -> Result<(), Stop> {
        let known = self.known_versions()?;
        self.select_version(*known.last().expect("at least one"))
    }

    /// Selects a version. Needs P-VER-07.
    pub(crate) fn select_version(self, version: DdiVersion) -> Result<(), Stop> {
        let result = self.set_selected_version(version.plugin, version.usermode);
        if result.is_ok() {
            Ok(())
        } else {
            let (plugin, usermode) = (dotted(version.plugin), dotted(version.usermode));
            let got = format!("pfnSetSelectedVersion({plugin}, {usermode}) returned {result}");
            Err(Stop::needs_but_got(rules::P_VER_07, got))
        }
    }

    /// A filled table without null entries. Needs P-TBL-01 or P-TBL-02.
    pub(crate) fn table<T: FilledTable>(self) -> Result<T, Stop> {
        let memory = Guarded::new(size_of::<T>(), ALIGN, Place::Roomy, 0)?;
        let result = self.fill_ddi_table(T::TYPE, Some(&memory), size_of::<T>());
        let table = memory.get::<T>();
        if result.is_ok() && table.entries().iter().all(|(_, address)| *address != 0) {
            Ok(table)
        } else {
            let word = T::WORD;
            let got = format!("pfnFillDDITable({word}) returned {result}, or left an entry null");
            Err(Stop::needs_but_got(T::RULE, got))
        }
    }

    /// Sets the CACHE callback table. Needs P-CBT-01.
    pub(crate) fn set_callbacks(
        self,
        callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    ) -> Result<(), Stop> {
        let memory = callback_table(callbacks, Place::Roomy)?;
        let cache = D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE;
        let result = self.set_callback_ddi_table(cache, Some(&memory), memory.len());
        // Whether the plugin copies the table is P-CBT-02's business.
        std::mem::forget(memory);
        if result.is_ok() {
            Ok(())
        } else {
            let got = format!("pfnSetCallbackDDITable(CACHE) returned {result}");
            Err(Stop::needs_but_got(rules::P_CBT_01, got))
        }
    }

    /// Selects a version and fills the CAPABILITIES table.
    pub(crate) fn capabilities(self) -> Result<Capabilities, Stop> {
        self.select()?;
        self.selected_capabilities()
    }

    /// Fills the CAPABILITIES table; a version is selected already.
    pub(crate) fn selected_capabilities(self) -> Result<Capabilities, Stop> {
        Ok(Capabilities {
            handle: self.handle,
            funcs: self.table()?,
        })
    }
}

/// A callback table in memory of its own.
pub(crate) fn callback_table(
    callbacks: D3D12DDI_COMPILER_CACHE_CALLBACKS,
    place: Place,
) -> Result<Guarded, Stop> {
    let memory = Guarded::new(size_of_val(&callbacks), ALIGN, place, 0)?;
    memory.put(callbacks);
    Ok(memory)
}

/// A version's four parts.
pub(crate) fn dotted(version: u64) -> String {
    VersionNumber::from_bits(version).to_string()
}
