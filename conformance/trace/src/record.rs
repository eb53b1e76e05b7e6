//! The layer between host and plugin that records what goes through it, and changes nothing else.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{io, ptr};

use base_plugin::{EntryPoint, Opens, SLOTS, open_behind, per_slot, put_in_front};
use ddi_schema::{Copier, Field, Graph, Kind, Pointer, Value, Way, memory};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE,
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
    D3D12DDI_HCOMPILERDDI, D3D12DDIARG_COMPILER_OPEN_DDI, DXGI_ERROR_MORE_DATA, E_FAIL,
    E_UNEXPECTED, HRESULT, PFND3D12DDI_COMPILER_ALLOCATION, SIZE_T,
};

use crate::blocks;
use crate::file::{Begin, Call, FORMAT, Return, Writer};
use crate::functions::{self, Function, Returns, Tables, invoke, masked};

/// How who records keeps its own work apart from the plugin's, where somebody counts that: `begin` before each piece of it, and
/// `end` after it with what `begin` gave.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// Before.
    pub begin: fn() -> Option<usize>,
    /// After.
    pub end: fn(Option<usize>),
}

/// What is recorded, and where to.
struct Recorder {
    writer: Writer,
    plugin: EntryPoint,
    apart: Option<Apart>,
    calls: AtomicU64,
}

static RECORDER: OnceLock<Recorder> = OnceLock::new();

/// Puts a layer before a plugin's entry point that appends every call and callback to the file at `path`. A process has one.
/// `rule` is what the process tests, if it does.
///
/// # Errors
///
/// The file cannot be written, the system does not let a process read its own memory safely, or there is a layer already.
pub fn in_front_of(
    plugin: EntryPoint,
    path: &Path,
    library: Option<&Path>,
    rule: Option<&str>,
    apart: Option<Apart>,
) -> io::Result<EntryPoint> {
    if !memory::is_readable() {
        let reason =
            "the system refuses process_vm_readv, without which a trace cannot be recorded";
        return Err(io::Error::other(reason));
    }
    let begin = Begin {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").into(),
        os: std::env::consts::OS.into(),
        arch: std::env::consts::ARCH.into(),
        pointer: size_of::<usize>(),
        pid: std::process::id(),
        plugin: library.map(Path::to_owned),
        rule: rule.map(str::to_owned),
    };
    let recorder = Recorder {
        writer: Writer::append(path, begin)?,
        plugin,
        apart,
        calls: AtomicU64::new(0),
    };
    let is_first = RECORDER.set(recorder).is_ok();
    is_first
        .then_some(open_compiler_ddi as EntryPoint)
        .ok_or_else(|| io::Error::other("this process records already"))
}

/// Work of the layer's own, until it is dropped.
struct Own(Option<(Apart, Option<usize>)>);

impl Own {
    fn begin(recorder: &Recorder) -> Self {
        Self(recorder.apart.map(|apart| (apart, (apart.begin)())))
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some((apart, state)) = self.0 {
            (apart.end)(state);
        }
    }
}

/// A number for each thread.
fn thread() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static THREAD: Cell<u64> = const { Cell::new(0) };
    }
    // A thread that ends may call still.
    let known = THREAD.try_with(Cell::get).unwrap_or_default();
    if known != 0 {
        return known;
    }
    let new = THREADS.fetch_add(1, Ordering::Relaxed);
    let _ = THREAD.try_with(|thread| thread.set(new));
    new
}

/// A call that has begun.
struct Begun {
    function: Function,
    number: u64,
    /// How much room the caller has for what is written, by address.
    rooms: BTreeMap<usize, u64>,
}

impl Recorder {
    fn begin(&self, open: Option<usize>, function: Function, words: &[u64]) -> Begun {
        let mut copier = Copier::checked();
        let graph = copy(&mut copier, function, words);
        let (arguments, memory, blobs) = blocks::written(&graph, |_, _| true);
        let number = 1 + self.calls.fetch_add(1, Ordering::Relaxed);
        let call = Call {
            number,
            thread: thread(),
            nanoseconds: self.writer.nanoseconds(),
            open,
            function: function.name().into(),
            arguments,
            memory,
        };
        self.writer.call(call, &blobs);
        Begun {
            function,
            number,
            rooms: copier.rooms().clone(),
        }
    }

    fn end(&self, begun: Begun, words: &[u64], open: Option<usize>, result: u64) {
        let graph = outputs(begun.function, words, begun.rooms, result);
        let (outputs, memory, blobs) = blocks::written(&graph, is_written);
        let returned = Return {
            of: begun.number,
            nanoseconds: self.writer.nanoseconds(),
            open,
            result,
            outputs,
            memory,
        };
        self.writer.returned(returned, &blobs);
    }

    /// A call that is made and returns here.
    fn around(
        &self,
        open: Option<usize>,
        function: Function,
        words: &[u64],
        call: impl FnOnce() -> u64,
    ) -> u64 {
        let own = Own::begin(self);
        let begun = self.begin(open, function, words);
        drop(own);
        let result = call();
        let _own = Own::begin(self);
        self.end(begun, words, None, result);
        result
    }
}

/// A copy of the arguments of a call, with what they lead to.
fn copy(copier: &mut Copier, function: Function, words: &[u64]) -> Graph {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    copier.copy_bytes(&function.signature().arguments, bytes, 0)
}

/// Whether an argument is something that a call has written.
pub(crate) fn is_written(field: &Field, value: &Value) -> bool {
    match field.kind {
        Kind::Pointer(target) => target.way != Way::In && *value != Value::Pointer(Pointer::Null),
        _ => false,
    }
}

/// What a call has written: its arguments without those that nobody writes to. `rooms` is how much room the caller has, by address.
pub(crate) fn outputs(
    function: Function,
    words: &[u64],
    rooms: BTreeMap<usize, u64>,
    result: u64,
) -> Graph {
    let signature = function.signature();
    let says = match (function, signature.returns) {
        // Of a table the addresses say nothing.
        (Function::pfnFillDDITable, _) => false,
        (_, Returns::Result) => code(result).is_ok() || code(result) == DXGI_ERROR_MORE_DATA,
        _ => true,
    };
    let words = signature.parameters().iter().zip(words);
    let words = words.map(|(parameter, word)| match parameter.kind {
        Kind::Pointer(target) if !says || target.way == Way::In => 0,
        _ => *word,
    });
    let mut copier = Copier::checked().after(rooms);
    copy(&mut copier, function, &words.collect::<Vec<_>>())
}

fn code(result: u64) -> HRESULT {
    HRESULT(u32::try_from(result).unwrap_or_default().cast_signed())
}

/// An open of the plugin.
#[derive(Clone, Copy)]
struct Open {
    number: usize,
    tables: Tables,
}

static OPENS: Opens<Open> = Opens::new();

/// The handle in the first argument of a call.
fn handle(words: &[u64]) -> D3D12DDI_HCOMPILERDDI {
    let address = usize::try_from(words[0]).unwrap_or_default();
    D3D12DDI_HCOMPILERDDI {
        pDrvPrivate: ptr::without_provenance_mut(address),
    }
}

/// Instead of a slot: the handle says which.
pub(crate) const BY_HANDLE: usize = usize::MAX;

const DDI: D3D12DDI_COMPILER_DDI_FUNCS = functions::ddi::<BY_HANDLE>();
const CAPABILITIES: D3D12DDI_COMPILER_CAPABILITIES_FUNCS = functions::capabilities::<BY_HANDLE>();

const fn compiler<const SLOT: usize>() -> D3D12DDI_COMPILER_FUNCS {
    functions::compiler::<SLOT>()
}
static COMPILER: [D3D12DDI_COMPILER_FUNCS; SLOTS] = per_slot!(compiler);

const fn host<const SLOT: usize>() -> D3D12DDI_COMPILER_CACHE_CALLBACKS {
    functions::host::<SLOT>()
}
static HOST: [D3D12DDI_COMPILER_CACHE_CALLBACKS; SLOTS] = per_slot!(host);

/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid for reads and writes, and so is the table that it points at.
unsafe extern "system" fn open_compiler_ddi(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    let Some(recorder) = RECORDER.get() else {
        return E_FAIL;
    };
    let words = [argument.expose_provenance() as u64];
    let own = Own::begin(recorder);
    let begun = recorder.begin(None, Function::D3D12OpenCompilerDDI, &words);
    drop(own);
    let mut number = None;
    let layer = |table: &mut _| put_in_front(table, &DDI);
    // SAFETY: the host's argument, for the plugin's entry point.
    let result = unsafe {
        open_behind(recorder.plugin, layer, argument, |handle, table| {
            let _own = Own::begin(recorder);
            let keep = |number| Open {
                number,
                tables: Tables {
                    ddi: table,
                    ..Tables::default()
                },
            };
            number = Some(OPENS.insert(handle, keep)?.number);
            Some(())
        })
    };
    let _own = Own::begin(recorder);
    recorder.end(begun, &words, number, result.0.cast_unsigned().into());
    result
}

/// Passes a call on to whoever it is for, and records it.
///
/// # Safety
///
/// The caller keeps the DDI, and the words are its arguments.
pub(crate) unsafe fn through(slot: usize, function: Function, words: &[u64]) -> u64 {
    let refused = || match function.signature().returns {
        Returns::Result => E_UNEXPECTED.0.cast_unsigned().into(),
        _ => 0,
    };
    let Some(recorder) = RECORDER.get() else {
        return refused();
    };
    let own = Own::begin(recorder);
    let found = match slot {
        // Of a handle that is none, the last open, whose plugin is asked.
        BY_HANDLE => OPENS.of(handle(words)).or_else(|| OPENS.newest()),
        slot => OPENS.in_slot(slot).map(|open| (slot, open)),
    };
    // An open that has ended has no functions any more.
    let Some((slot, open)) = found else {
        return refused();
    };
    let begun = recorder.begin(Some(open.number), function, words);
    let mut passed = words.to_vec();
    let allocation = Allocation::of(function, &mut passed, open.number);
    if function == Function::pfnSetCallbackDDITable {
        pass_callbacks(slot, &mut passed);
    }
    drop(own);
    // SAFETY: the caller's arguments, with functions and tables of the layer for those that it passes.
    let result = unsafe { invoke(function, &open.tables, &passed) }.unwrap_or_else(refused);
    let _own = Own::begin(recorder);
    drop(allocation);
    let is_ok = code(result).is_ok();
    match function {
        Function::pfnFillDDITable if is_ok => take_table(slot, words),
        Function::pfnSetCallbackDDITable if is_ok => take_callbacks(slot, words),
        Function::pfnDestroyCompilerDDI => {
            OPENS.remove(handle(words));
        }
        _ => {}
    }
    recorder.end(begun, words, None, result);
    result
}

/// Puts the layer's table in the place of the plugin's, and gives that.
fn exchange<T: Copy>(address: usize, layer: impl FnOnce(&T) -> T) -> Option<T> {
    let table: *mut T = ptr::with_exposed_provenance_mut(address);
    // SAFETY: PFND3D12DDI_COMPILER_FILL_DDI_TABLE: the host's buffer is as large as it says, which is as large as the table, and
    // the plugin has just filled it.
    unsafe {
        let under = table.read_unaligned();
        let layer = layer(&under);
        // A table that a plugin has left as it was may be the layer's own, from an earlier call.
        let is_own = addresses(&under)
            .iter()
            .zip(addresses(&layer))
            .any(|(under, layer)| under == layer && *under != 0);
        if is_own {
            return None;
        }
        table.write_unaligned(layer);
        Some(under)
    }
}

/// The entries of a table of functions.
fn addresses<T>(table: &T) -> &[usize] {
    // SAFETY: the tables of the DDI are pointers to functions and nothing else, which are as large as a usize.
    unsafe {
        std::slice::from_raw_parts(
            ptr::from_ref(table).cast(),
            size_of::<T>() / size_of::<usize>(),
        )
    }
}

/// Keeps the plugin's table that it has filled, and puts the layer's in its place.
fn take_table(slot: usize, words: &[u64]) {
    let &[_, kind, table, size] = words else {
        return;
    };
    let (Ok(address), Ok(size)) = (usize::try_from(table), usize::try_from(size)) else {
        return;
    };
    let is = |known: i32| kind == u64::from(known.cast_unsigned());
    if address == 0 {
        return;
    }
    OPENS.update(slot, |open| {
        if is(D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES.0) && size >= size_of_val(&CAPABILITIES) {
            let under = exchange(address, |under| masked::capabilities(under, &CAPABILITIES));
            open.tables.capabilities = under.unwrap_or(open.tables.capabilities);
        }
        if is(D3D12DDI_COMPILER_TABLE_TYPE_COMPILER.0)
            && size >= size_of::<D3D12DDI_COMPILER_FUNCS>()
        {
            let under = exchange(address, |under| masked::compiler(under, &COMPILER[slot]));
            open.tables.compiler = under.unwrap_or(open.tables.compiler);
        }
    });
}

/// The host's callbacks, where a call has them all.
fn callbacks_of(words: &[u64]) -> Option<(D3D12DDI_COMPILER_CACHE_CALLBACKS, usize, usize)> {
    let &[_, kind, table, size] = words else {
        return None;
    };
    let (address, size) = (usize::try_from(table).ok()?, usize::try_from(size).ok()?);
    let cache = D3D12DDI_COMPILER_CALLBACK_TABLE_TYPE_CACHE
        .0
        .cast_unsigned();
    let whole = size_of::<D3D12DDI_COMPILER_CACHE_CALLBACKS>();
    if kind != u64::from(cache) || size < whole || memory::read_all(address, whole).is_none() {
        return None;
    }
    let table: *const D3D12DDI_COMPILER_CACHE_CALLBACKS = ptr::with_exposed_provenance(address);
    // SAFETY: PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE: a table of this type; it has just been read.
    Some((unsafe { table.read_unaligned() }, address, size))
}

/// Passes a table of the layer's instead of the host's.
fn pass_callbacks(slot: usize, words: &mut [u64]) {
    /// A larger table than this is passed as it is.
    const LARGEST: usize = 1 << 20;
    let Some((callbacks, address, size)) = callbacks_of(words).filter(|table| table.2 <= LARGEST)
    else {
        return;
    };
    let Some(mut bytes) = memory::read_all(address, size) else {
        return;
    };
    let layer = masked::host(&callbacks, &HOST[slot]);
    bytes.resize(size.next_multiple_of(size_of::<usize>()), 0);
    let words_of_table = bytes.chunks_exact(size_of::<usize>()).map(|word| {
        let word = memory::number(word, word.len()).unwrap_or_default();
        usize::try_from(word).unwrap_or_default()
    });
    let table = table_of(slot, words_of_table.collect());
    let to: *mut D3D12DDI_COMPILER_CACHE_CALLBACKS = ptr::with_exposed_provenance_mut(table);
    // SAFETY: the table is as large as the host's, which is as large as this or larger.
    unsafe { to.write_unaligned(layer) };
    words[2] = table as u64;
}

/// The layer's table of a slot, with this in it. It stays where it is: a plugin must not keep the address, and one that does
/// finds the table of the open that came last.
fn table_of(slot: usize, content: Vec<usize>) -> usize {
    type Tables = BTreeMap<(usize, usize), usize>;
    static TABLES: Mutex<Tables> = Mutex::new(Tables::new());
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    let len = content.len();
    if let Some(known) = tables.get(&(slot, len)) {
        let to: *mut usize = ptr::with_exposed_provenance_mut(*known);
        // SAFETY: a table of this length that was leaked below; the open before in this slot has ended, or sets its own again.
        unsafe { to.copy_from_nonoverlapping(content.as_ptr(), len) };
        return *known;
    }
    let new = content.leak().as_mut_ptr().expose_provenance();
    tables.insert((slot, len), new);
    new
}

/// Keeps the host's callbacks.
fn take_callbacks(slot: usize, words: &[u64]) {
    if let Some((callbacks, ..)) = callbacks_of(words) {
        OPENS.update(slot, |open| open.tables.host = callbacks);
    }
}

/// The plugin's function for memory, with the layer's before it for as long as the find.
struct Allocation {
    function: PFND3D12DDI_COMPILER_ALLOCATION,
    context: u64,
    open: usize,
}

impl Allocation {
    fn of(function: Function, words: &mut [u64], open: usize) -> Option<Box<Self>> {
        if function != Function::pfnCompilerCacheFindValue {
            return None;
        }
        let [.., plugins, context] = words else {
            return None;
        };
        if *plugins == 0 {
            return None;
        }
        let address: *const c_void = ptr::with_exposed_provenance(usize::try_from(*plugins).ok()?);
        let this = Box::new(Self {
            // SAFETY: PFND3D12DDI_COMPILER_CACHE_FIND_VALUE_CB: what is passed here is null or a function of this type.
            function: unsafe {
                std::mem::transmute::<*const c_void, PFND3D12DDI_COMPILER_ALLOCATION>(address)
            },
            context: *context,
            open,
        });
        let layer: unsafe extern "system" fn(SIZE_T, *mut c_void) -> *mut c_void = allocate;
        *plugins = layer as usize as u64;
        *context = ptr::from_ref(&*this).expose_provenance() as u64;
        Some(this)
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_ALLOCATION: `context` is what was passed with the function, which is an [`Allocation`] that lives.
unsafe extern "system" fn allocate(size: SIZE_T, context: *mut c_void) -> *mut c_void {
    // SAFETY: the layer's context (`# Safety`).
    let this = unsafe { &*context.cast::<Allocation>() };
    let (Some(recorder), Some(function)) = (RECORDER.get(), this.function) else {
        return ptr::null_mut();
    };
    let own: *mut c_void =
        ptr::with_exposed_provenance_mut(usize::try_from(this.context).unwrap_or_default());
    let words = [size as u64, this.context];
    let result = recorder.around(Some(this.open), Function::Allocation, &words, || {
        // SAFETY: the plugin's function and context, which it passed to the find in progress.
        unsafe { function(size, own) }.expose_provenance() as u64
    });
    ptr::with_exposed_provenance_mut(usize::try_from(result).unwrap_or_default())
}
