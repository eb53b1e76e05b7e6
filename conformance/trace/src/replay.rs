//! Makes the calls of a trace again, of any plugin, and says what is different.
//!
//! The calls are made one after the other, in the order in which they began, on one thread. The host's side is `plugin-host`'s,
//! with the answers of the trace: a callback that was made in the same call with the same key and types gets the recorded answer,
//! another one what the cache of the replay has.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base_plugin::EntryPoint;
use ddi_schema::{Content, Graph, Layout, Placed, Pointer, Value};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    D3D12DDI_COMPILER_DDI_FUNCS, D3D12DDI_COMPILER_FUNCS,
    D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, D3D12DDI_COMPILER_TABLE_TYPE_COMPILER,
    D3D12DDI_HCOMPILERDDI, D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDI_HRTCOMPILERDDI,
    D3D12DDIARG_COMPILER_OPEN_DDI, DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, HRESULT, S_OK, UINT,
};
use plugin_host::session::{
    CacheSession, Found, MemoryCache, Misuse, SessionScope, VALUE_TYPES, Want, callbacks,
};
use serde::{Deserialize, Serialize};

use crate::blocks::arguments;
use crate::file::{Process, Recorded};
use crate::functions::{Function, Returns, Tables, invoke};
use crate::record;
use crate::show;

/// What is different in a call that was made again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The call's number in its process.
    pub call: u64,
    /// The function's name.
    pub function: String,
    /// What is different, such as the result.
    pub what: String,
    /// What it was.
    pub recorded: String,
    /// What it is now.
    pub now: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            call,
            function,
            what,
            recorded,
            now,
        } = self;
        write!(
            f,
            "call {call}, {function}: {what}: was {recorded}, is {now}"
        )
    }
}

/// What a replay tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The call of this number comes now.
    Call(u64, String),
    /// It is not as it was.
    Differs(Difference),
    /// It cannot be made, for this reason.
    NotMade(u64, String, String),
}

/// Makes the calls of a process again. `each` is told of every call before it is made, and of what is different after it.
///
/// # Safety
///
/// The plugin keeps the DDI wherever the recorded host kept it; a host that broke it breaks it again.
pub unsafe fn replay(process: &Process, plugin: EntryPoint, mut each: impl FnMut(Step)) {
    let mut replay = Replay {
        process,
        plugin,
        opens: BTreeMap::new(),
        handles: BTreeMap::new(),
        kept: Vec::new(),
        memory: Vec::new(),
        cache: Arc::default(),
    };
    for (index, recorded) in process.calls.iter().enumerate() {
        if recorded.within.is_some()
            || recorded.function.is_callback()
            || recorded.function == Function::Allocation
        {
            continue;
        }
        let (number, name) = (recorded.call.number, recorded.function.name());
        each(Step::Call(number, name.to_owned()));
        match replay.make(index, recorded) {
            Ok(differences) => differences
                .into_iter()
                .map(Step::Differs)
                .for_each(&mut each),
            Err(reason) => each(Step::NotMade(number, name.to_owned(), reason)),
        }
    }
}

struct Replay<'t> {
    process: &'t Process,
    plugin: EntryPoint,
    /// The living opens of the trace.
    opens: BTreeMap<usize, Open>,
    /// What the handles of the trace are now.
    handles: BTreeMap<u64, u64>,
    /// Arguments that live as long as their object.
    kept: Vec<Placed>,
    /// Memory for objects and tables.
    memory: Vec<Box<[u128]>>,
    cache: Arc<MemoryCache>,
}

/// An open, or several where the recorded plugin had one handle for them.
#[derive(Default)]
struct Open {
    tables: Tables,
    /// The handle in the trace.
    of_trace: u64,
    /// The handles here.
    handles: Vec<u64>,
}

/// The parameter that is the handle of an open.
const OWN: &str = "hCompilerDDI";

/// More than a table or an object needs that means what it says.
const MOST: u64 = 1 << 26;

impl Replay<'_> {
    /// Memory that stays.
    fn memory(&mut self, size: u64) -> u64 {
        let size = usize::try_from(size.min(MOST)).unwrap_or_default();
        self.memory
            .push(vec![0_u128; size.div_ceil(16).max(1)].into());
        self.memory
            .last_mut()
            .map_or(0, |memory| memory.as_mut_ptr().expose_provenance() as u64)
    }

    fn handle(&self, recorded: u64) -> u64 {
        self.handles.get(&recorded).copied().unwrap_or(recorded)
    }

    /// Makes a call; says what is different.
    fn make(&mut self, index: usize, recorded: &Recorded) -> Result<Vec<Difference>, String> {
        if recorded.function == Function::D3D12OpenCompilerDDI {
            return Ok(self.open(recorded));
        }
        let function = recorded.function;
        let open = recorded.call.open.unwrap_or_default();
        let of = self
            .opens
            .get(&open)
            .ok_or("its open did not succeed here")?;
        let tables = of.tables;
        let own = match function {
            Function::pfnDestroyCompilerDDI => of.handles.first(),
            _ => of.handles.last(),
        };
        // A handle that the plugin never gave stays what it was.
        let (of_trace, own) = (Some(of.of_trace), own.copied());
        let recorded_own = recorded.arguments.bits(OWN);
        let mut graph = recorded.arguments.clone();
        graph.fill_rooms();
        let _: Result<(), Infallible> = graph.map_handles(|_, handle| Ok(self.handle(handle)));
        let placed = graph
            .place(&Layout::HEAP)
            .map_err(|error| error.to_string())?;
        let mut words = words_of(function, &placed);
        let signature = function.signature();
        if let Some(place) = signature.place(OWN).filter(|_| recorded_own == of_trace) {
            words[place] = own.unwrap_or_default();
        }
        self.prepare(function, recorded, &tables, &mut words)?;
        let answers = Arc::new(Answers::new(self, index));
        let place = signature.place("hrtCompilerCacheSession");
        let scope = SessionScope::new(Arc::clone(&answers) as Arc<dyn CacheSession>);
        if let Some(place) = place.filter(|place| words[*place] != 0) {
            words[place] = scope.handle().handle.expose_provenance() as u64;
        }
        KEYS_ANSWER.store(answers.keys_answer().0, Ordering::Relaxed);
        // SAFETY: the tables are the plugin's, and the arguments those that the host gave (`# Safety` of `replay`).
        let result = unsafe { invoke(function, &tables, &words) };
        let result = result.ok_or("the plugin left this entry of its table null")?;
        let keys = scope.end();
        let differences = compare(recorded, &words, result, &answers, keys.as_ref());
        self.take(function, open, &words, result);
        let lives_on = matches!(
            function,
            Function::pfnCompileCreateStateObject | Function::pfnCompileAddToStateObject
        );
        if lives_on {
            self.kept.push(placed);
        }
        Ok(differences)
    }

    fn open(&mut self, recorded: &Recorded) -> Vec<Difference> {
        let mut table = Box::new(D3D12DDI_COMPILER_DDI_FUNCS::default());
        let field = |name: &str| recorded.arguments.bits(format!("pOpenDDIArg.{name}"));
        let has_argument = recorded.arguments.content("pOpenDDIArg").is_some();
        let mut argument = D3D12DDIARG_COMPILER_OPEN_DDI {
            hRTCompilerDDI: D3D12DDI_HRTCOMPILERDDI {
                handle: ptr::without_provenance_mut(
                    usize::try_from(field("hRTCompilerDDI").unwrap_or_default())
                        .unwrap_or_default(),
                ),
            },
            hCompilerDDI: D3D12DDI_HCOMPILERDDI {
                pDrvPrivate: ptr::null_mut(),
            },
            pDDIFuncs: match field("pDDIFuncs") {
                None | Some(0) => ptr::null_mut(),
                Some(_) => &raw mut *table,
            },
        };
        let given = if has_argument {
            &raw mut argument
        } else {
            ptr::null_mut()
        };
        let plugin = self.plugin;
        // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: null, or an argument with a table that is null or the host's.
        let result = unsafe { plugin(given) };
        let was = recorded.returned.as_ref();
        if result.is_ok() && !argument.pDDIFuncs.is_null() {
            // SAFETY: the open succeeded: the host's table, or one of the plugin's own.
            let table = unsafe { argument.pDDIFuncs.read_unaligned() };
            let handle = was.and_then(|(_, outputs)| outputs.bits(format!("pOpenDDIArg.{OWN}")));
            if let (Some(open), Some(handle)) = (was.and_then(|(was, _)| was.open), handle) {
                let now = argument.hCompilerDDI.pDrvPrivate.expose_provenance() as u64;
                let of = self.opens.entry(open).or_default();
                of.of_trace = handle;
                of.tables.ddi = table;
                of.handles.push(now);
            }
        }
        // A plugin may keep the host's table.
        Box::leak(table);
        of_result(recorded, result.0.cast_unsigned().into())
            .into_iter()
            .collect()
    }

    /// The memory that a call needs and that a trace has not: tables, and memory for objects.
    fn prepare(
        &mut self,
        function: Function,
        recorded: &Recorded,
        tables: &Tables,
        words: &mut [u64],
    ) -> Result<(), String> {
        let (calculate, arguments, handle) = match function {
            Function::pfnFillDDITable => {
                if words[2] != 0 {
                    // What a host says of its memory can be more than there ever was.
                    let whole = size_of::<D3D12DDI_COMPILER_FUNCS>() as u64;
                    words[2] = self.memory(words[3].clamp(whole, 1 << 16));
                }
                return Ok(());
            }
            Function::pfnSetCallbackDDITable => {
                if words[2] != 0 {
                    words[2] = self.callback_table(recorded, words[3]);
                }
                return Ok(());
            }
            Function::pfnCreateCompiler => (Function::pfnCalcPrivateCompilerSize, vec![0, 1], 2),
            Function::pfnCompileCreateStateObject => {
                (Function::pfnCalcPrivateStateObjectSize, vec![0, 3], 4)
            }
            Function::pfnCompileAddToStateObject => (
                Function::pfnCalcPrivateAddToStateObjectSize,
                vec![0, 3, 4],
                5,
            ),
            _ => return Ok(()),
        };
        if words[handle] == 0 {
            return Ok(());
        }
        let arguments: Vec<_> = arguments
            .into_iter()
            .map(|place: usize| words[place])
            .collect();
        // SAFETY: as the call that follows.
        let size = unsafe { invoke(calculate, tables, &arguments) };
        let size = size.ok_or_else(|| format!("the plugin left {} null", calculate.name()))?;
        if size > MOST {
            return Err(format!(
                "the plugin asks for {size} bytes of private memory"
            ));
        }
        let memory = self.memory(size.max(16));
        let name = function.signature().parameters()[handle].name;
        if let Some(was) = recorded.arguments.bits(name) {
            self.handles.insert(was, memory);
        }
        words[handle] = memory;
        Ok(())
    }

    /// A table of the replay's callbacks, where the host had some.
    fn callback_table(&mut self, recorded: &Recorded, size: u64) -> u64 {
        let has = |name: &str| {
            let function = recorded.arguments.bits(format!("pTable.{name}"));
            function.is_some_and(|function| function != 0)
        };
        let known = callbacks();
        let table = D3D12DDI_COMPILER_CACHE_CALLBACKS {
            pfnCompilerCacheFindValue: known
                .pfnCompilerCacheFindValue
                .filter(|_| has("pfnCompilerCacheFindValue")),
            pfnCompilerCacheStoreValue: known
                .pfnCompilerCacheStoreValue
                .filter(|_| has("pfnCompilerCacheStoreValue")),
            pfnCompilerCacheSetObjectValueKeys: has("pfnCompilerCacheSetObjectValueKeys")
                .then_some(set_keys),
        };
        let memory = self.memory(size.clamp(size_of_val(&table) as u64, 1 << 16));
        let to: *mut D3D12DDI_COMPILER_CACHE_CALLBACKS =
            ptr::with_exposed_provenance_mut(usize::try_from(memory).unwrap_or_default());
        // SAFETY: the memory has just been made, as large as the table or larger.
        unsafe { to.write(table) };
        memory
    }

    /// Keeps what later calls need of a call.
    fn take(&mut self, function: Function, open: usize, words: &[u64], result: u64) {
        match function {
            Function::pfnFillDDITable if is_ok(result) && words[2] != 0 => {
                let is = |kind: i32| words[1] == u64::from(kind.cast_unsigned());
                let tables = &mut self.opens.entry(open).or_default().tables;
                let address = usize::try_from(words[2]).unwrap_or_default();
                if is(D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES.0) {
                    let table: *const D3D12DDI_COMPILER_CAPABILITIES_FUNCS =
                        ptr::with_exposed_provenance(address);
                    // SAFETY: memory of the replay's, larger than every table; null where nothing was written.
                    tables.capabilities = unsafe { table.read() };
                }
                if is(D3D12DDI_COMPILER_TABLE_TYPE_COMPILER.0) {
                    let table: *const D3D12DDI_COMPILER_FUNCS =
                        ptr::with_exposed_provenance(address);
                    // SAFETY: memory of the replay's, larger than every table; null where nothing was written.
                    tables.compiler = unsafe { table.read() };
                }
            }
            Function::pfnDestroyCompilerDDI => {
                if let Some(of) = self.opens.get_mut(&open) {
                    if let Some(ended) = of.handles.iter().position(|handle| *handle == words[0]) {
                        of.handles.remove(ended);
                    }
                    if of.handles.is_empty() {
                        self.opens.remove(&open);
                    }
                }
            }
            _ => {}
        }
    }
}

/// What is different in a call.
fn compare(
    recorded: &Recorded,
    words: &[u64],
    result: u64,
    answers: &Answers,
    keys: Option<&Vec<Vec<u8>>>,
) -> Vec<Difference> {
    let mut differences: Vec<_> = of_result(recorded, result).into_iter().collect();
    let Some((_, was)) = &recorded.returned else {
        return differences;
    };
    let differs = |what: &str, was: String, is: String| Difference {
        call: recorded.call.number,
        function: recorded.function.name().into(),
        what: what.into(),
        recorded: was,
        now: is,
    };
    let is = record::outputs(recorded.function, words, rooms(recorded, words), result);
    for (before, after) in arguments(was).zip(arguments(&is)) {
        let (field, value) = after;
        if !record::is_written(field, value) {
            continue;
        }
        let was = was.lines_of(field.kind, before.1);
        let is = is.lines_of(field.kind, value);
        if let Some((was, is)) = first_difference(&was, &is) {
            differences.push(differs(field.name, was, is));
        }
    }
    let of_call =
        |call: &&(Asked, HRESULT)| call.0.function != Function::pfnCompilerCacheSetObjectValueKeys;
    let was: Vec<_> = answers
        .recorded
        .iter()
        .filter(of_call)
        .map(|(asked, _)| asked.to_string())
        .collect();
    let is: Vec<_> = answers.asked().iter().map(ToString::to_string).collect();
    // What is only in the other one; a plugin may ask in any order.
    let without = |all: &[String], other: &[String]| {
        let mut left: VecDeque<_> = all.iter().cloned().collect();
        for one in other {
            if let Some(place) = left.iter().position(|all| all == one) {
                left.remove(place);
            }
        }
        left
    };
    let (mut was_only, mut is_only) = (without(&was, &is), without(&is, &was));
    let callbacks = was_only.len() + is_only.len();
    if callbacks > 0 {
        let or_nothing = |one: Option<String>| one.unwrap_or_else(|| "nothing".into());
        let (was, is) = (
            or_nothing(was_only.pop_front()),
            or_nothing(is_only.pop_front()),
        );
        let what = format!("{callbacks} of the callbacks, the first");
        differences.push(differs(&what, was, is));
    }
    let shown = |keys: Option<&Vec<Vec<u8>>>| match keys {
        None => "no list of keys".to_owned(),
        Some(keys) => {
            let keys: Vec<_> = keys.iter().map(hex::encode).collect();
            format!("the keys [{}]", keys.join(", "))
        }
    };
    let was = answers.keys.as_ref();
    if was != keys {
        differences.push(differs("the object's value keys", shown(was), shown(keys)));
    }
    differences
}

fn is_ok(result: u64) -> bool {
    u32::try_from(result).is_ok_and(|result| HRESULT(result.cast_signed()).is_ok())
}

/// The arguments of a call, as words.
fn words_of(function: Function, placed: &Placed) -> Vec<u64> {
    let words: *const u64 = placed.ptr();
    let count = function.signature().parameters().len();
    // SAFETY: a graph begins with the arguments, a word for each; it has just been placed.
    unsafe { std::slice::from_raw_parts(words, count) }.to_vec()
}

/// How much room there was for what is written, by its address now.
fn rooms(recorded: &Recorded, words: &[u64]) -> BTreeMap<usize, u64> {
    let rooms = arguments(&recorded.arguments).zip(words);
    let rooms = rooms.filter_map(|((_, value), word)| {
        let Value::Pointer(pointer) = value else {
            return None;
        };
        let room = match pointer {
            Pointer::Room(room) => *room,
            Pointer::To { block, .. } => match &recorded.arguments.blocks()[*block].content {
                Content::Items { items, .. } => items.len() as u64,
                _ => return None,
            },
            _ => return None,
        };
        Some((usize::try_from(*word).ok()?, room))
    });
    rooms.collect()
}

fn of_result(recorded: &Recorded, now: u64) -> Option<Difference> {
    let returns = recorded.function.signature().returns;
    let shown = |result| show::result(returns, result);
    let (was, is) = match &recorded.returned {
        Some((was, _)) if was.result == now || returns == Returns::Nothing => return None,
        Some((was, _)) => (shown(was.result), shown(now)),
        None => ("no return".into(), shown(now)),
    };
    Some(Difference {
        call: recorded.call.number,
        function: recorded.function.name().into(),
        what: "the result".into(),
        recorded: was,
        now: is,
    })
}

fn first_difference(was: &[String], is: &[String]) -> Option<(String, String)> {
    let at = (0..was.len().max(is.len())).find(|at| was.get(*at) != is.get(*at))?;
    let line = |lines: &[String]| {
        lines
            .get(at)
            .map_or_else(|| "nothing".into(), |line| line.trim().to_owned())
    };
    Some((line(was), line(is)))
}

/// What a plugin asks of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    function: Function,
    key: Vec<u8>,
    /// For each type what is wanted of it, or the value to store.
    values: BTreeMap<i32, Wanted>,
}

impl Asked {
    /// A call that the DDI does not allow.
    fn misuse(function: Function) -> Self {
        Self {
            function,
            key: Vec::new(),
            values: BTreeMap::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    Size,
    Value,
    Store(Vec<u8>),
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.key.is_empty() {
            return write!(
                f,
                "{} with arguments that the DDI does not allow",
                self.function.name()
            );
        }
        let key = hex::encode(&self.key);
        let key = key
            .get(..16)
            .map_or_else(|| key.clone(), |start| format!("{start}.."));
        write!(f, "{}(key {key}", self.function.name())?;
        for (kind, wanted) in &self.values {
            let kind = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(*kind);
            match wanted {
                Wanted::Size => write!(f, ", size of {kind:?}")?,
                Wanted::Value => write!(f, ", {kind:?}")?,
                Wanted::Store(value) => write!(
                    f,
                    ", {kind:?} of {} bytes {}",
                    value.len(),
                    show::digest(value)
                )?,
            }
        }
        f.write_str(")")
    }
}

/// By type: the size of a value, and all of it where there was room.
type Values = BTreeMap<i32, (u64, Option<Vec<u8>>)>;

/// The host's side of one call.
struct Answers {
    recorded: Vec<(Asked, HRESULT)>,
    /// The values that the recorded finds gave.
    found: Vec<Values>,
    keys: Option<Vec<Vec<u8>>>,
    state: Mutex<State>,
    cache: Arc<MemoryCache>,
}

#[derive(Default)]
struct State {
    used: Vec<bool>,
    asked: Vec<Asked>,
}

impl Answers {
    fn new(replay: &Replay<'_>, index: usize) -> Self {
        let (mut recorded, mut found, mut keys) = (Vec::new(), Vec::new(), None);
        let calls = &replay.process.calls;
        for call in calls[index].callbacks.iter().map(|index| &calls[*index]) {
            let result = call.returned.as_ref().map_or(S_OK, |(returned, _)| {
                HRESULT(
                    u32::try_from(returned.result)
                        .unwrap_or_default()
                        .cast_signed(),
                )
            });
            let view = View(&call.arguments);
            if call.function == Function::pfnCompilerCacheSetObjectValueKeys {
                if result.is_ok() {
                    keys = keys.or_else(|| view.keys());
                }
                recorded.push((
                    Asked {
                        function: call.function,
                        key: Vec::new(),
                        values: BTreeMap::new(),
                    },
                    result,
                ));
                found.push(BTreeMap::new());
                continue;
            }
            // What a host refuses for its arguments it refuses whatever it has.
            let asked = view
                .asked(call.function)
                .unwrap_or_else(|| Asked::misuse(call.function));
            recorded.push((asked, result));
            let outputs = call.returned.as_ref().map(|(_, outputs)| View(outputs));
            found.push(outputs.map(|outputs| outputs.found()).unwrap_or_default());
        }
        let state = State {
            used: vec![false; recorded.len()],
            asked: Vec::new(),
        };
        Self {
            recorded,
            found,
            keys,
            state: Mutex::new(state),
            cache: Arc::clone(&replay.cache),
        }
    }

    fn asked(&self) -> Vec<Asked> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.asked.clone()
    }

    /// What the host answered to a list of keys, where it refused one.
    fn keys_answer(&self) -> HRESULT {
        let of_keys = |call: &&(Asked, HRESULT)| {
            call.0.function == Function::pfnCompilerCacheSetObjectValueKeys
        };
        self.recorded
            .iter()
            .find(of_keys)
            .map_or(S_OK, |(_, result)| *result)
    }

    /// Notes what is asked; the recorded call that was the same, if there is one left.
    fn take(&self, asked: Asked) -> Option<usize> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let same = self
            .recorded
            .iter()
            .zip(&state.used)
            .position(|((known, _), used)| !used && *known == asked);
        state.asked.push(asked);
        if let Some(same) = same {
            state.used[same] = true;
        }
        same
    }
}

impl CacheSession for Answers {
    fn find(
        &self,
        key: &[u8],
        wants: [Want; VALUE_TYPES],
        found: &mut dyn FnMut(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, Found<'_>),
    ) -> Result<(), HRESULT> {
        let kinds = (0..).zip(&wants).filter_map(|(kind, want)| match want {
            Want::Nothing => None,
            Want::Size => Some((kind, Wanted::Size)),
            Want::Value => Some((kind, Wanted::Value)),
        });
        let values: BTreeMap<_, _> = kinds.collect();
        let asked = Asked {
            function: Function::pfnCompilerCacheFindValue,
            key: key.to_vec(),
            values: values.clone(),
        };
        let Some(same) = self.take(asked) else {
            return self.cache.find(key, wants, found);
        };
        match self.recorded[same].1 {
            DXGI_ERROR_NOT_FOUND => return Ok(()),
            result if !result.is_ok() && result != DXGI_ERROR_MORE_DATA => return Err(result),
            _ => {}
        }
        for (kind, (size, bytes)) in &self.found[same] {
            let size = usize::try_from((*size).min(MOST)).unwrap_or_default();
            let of = D3D12DDI_COMPILER_CACHE_VALUE_TYPE(*kind);
            match (values.get(kind), bytes) {
                _ if size == 0 => {}
                (Some(Wanted::Value), Some(bytes)) => found(of, Found::Value(bytes)),
                // The host had more than there was room for: how much is what counts.
                (Some(Wanted::Value), None) => found(of, Found::Value(&vec![0; size])),
                (Some(_), _) => found(of, Found::Size(size)),
                (None, _) => {}
            }
        }
        Ok(())
    }

    fn store(
        &self,
        key: &[u8],
        values: &[(D3D12DDI_COMPILER_CACHE_VALUE_TYPE, &[u8])],
    ) -> Result<(), HRESULT> {
        let stored = values
            .iter()
            .map(|(kind, value)| (kind.0, Wanted::Store(value.to_vec())));
        let asked = Asked {
            function: Function::pfnCompilerCacheStoreValue,
            key: key.to_vec(),
            values: stored.collect(),
        };
        let Some(same) = self.take(asked) else {
            return self.cache.store(key, values);
        };
        let result = self.recorded[same].1;
        if !result.is_ok() {
            return Err(result);
        }
        // It was there for the recorded host, or was not: its answer counts.
        let _ = self.cache.store(key, values);
        Ok(())
    }

    fn misuse(&self, call: &'static str, _: &Misuse) {
        // A second list of keys shows in the list.
        let function = Function::named(call)
            .filter(|function| *function != Function::pfnCompilerCacheSetObjectValueKeys);
        if let Some(function) = function {
            self.take(Asked::misuse(function));
        }
    }
}

/// The answer to a list of keys in the call in progress.
static KEYS_ANSWER: AtomicI32 = AtomicI32::new(0);

/// # Safety
///
/// PFND3D12DDI_COMPILER_CACHE_SET_OBJECT_VALUE_KEYS_CB.
unsafe extern "system" fn set_keys(
    session: D3D12DDI_HRTCOMPILERCACHESESSION,
    keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    count: UINT,
) -> HRESULT {
    let refused = HRESULT(KEYS_ANSWER.load(Ordering::Relaxed));
    match callbacks().pfnCompilerCacheSetObjectValueKeys {
        // SAFETY: the plugin's arguments.
        Some(set) if refused.is_ok() => unsafe { set(session, keys, count) },
        _ => refused,
    }
}

/// The arguments of a callback, or what it has written.
struct View<'t>(&'t Graph);

impl View<'_> {
    fn keys(&self) -> Option<Vec<Vec<u8>>> {
        if self.0.bits("NumValueKeys") == Some(0) {
            return Some(Vec::new());
        }
        let count = self.0.len("pValueKeys")?;
        let key = |index| self.0.bytes_at(format!("pValueKeys[{index}].pKey"));
        (0..count).map(|index| Some(key(index)?.to_vec())).collect()
    }

    /// What is asked; `None` for what the DDI does not allow.
    fn asked(&self, function: Function) -> Option<Asked> {
        let key = self.0.bytes_at("pValueKey.pKey");
        let key = key.filter(|key| !key.is_empty())?.to_vec();
        let allocates = self
            .0
            .bits("pCallbackFunc")
            .is_some_and(|function| function != 0);
        let is_store = function == Function::pfnCompilerCacheStoreValue;
        let mut values = BTreeMap::new();
        for index in 0..self.0.len("pValues")? {
            let (kind, size) = self.typed(index)?;
            let index_of = usize::try_from(kind).ok();
            index_of.filter(|kind| *kind < VALUE_TYPES)?;
            let value = format!("pValues[{index}].Value.pValue");
            let wanted = match function {
                _ if is_store => {
                    let value = self.0.bytes_at(value)?;
                    Wanted::Store(Some(value.to_vec()).filter(|value| !value.is_empty())?)
                }
                _ if size > 0 && self.0.bits(value) == Some(0) => return None,
                _ if size > 0 || allocates => Wanted::Value,
                _ => Wanted::Size,
            };
            // A find may ask for a type twice; the larger wish counts.
            match values.insert(kind, wanted) {
                Some(_) if is_store => return None,
                Some(Wanted::Value) => {
                    values.insert(kind, Wanted::Value);
                }
                _ => {}
            }
        }
        (!values.is_empty()).then_some(Asked {
            function,
            key,
            values,
        })
    }

    /// The type and size of a value.
    fn typed(&self, index: usize) -> Option<(i32, u64)> {
        let kind = self.0.bits(format!("pValues[{index}].Type"))?;
        let size = self.0.bits(format!("pValues[{index}].Value.ValueSize"))?;
        Some((i32::try_from(kind).ok()?, size))
    }

    /// What a find has given, by type.
    fn found(&self) -> Values {
        let count = self.0.len("pValues").unwrap_or_default();
        let value = |index| {
            let (kind, size) = self.typed(index)?;
            let bytes = self.0.bytes_at(format!("pValues[{index}].Value.pValue"));
            Some((kind, (size, bytes.map(|bytes| bytes.to_vec()))))
        };
        (0..count).filter_map(value).collect()
    }
}
