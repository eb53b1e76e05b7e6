//! What the plugin does with the host's callbacks besides what the base does. H-09 and H-13 to H-18.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use base_plugin::call;
use conformance_catalogue::Rule;
use conformance_catalogue::rules::{H_09, H_13, H_14, H_15, H_16, H_17, H_18};
use conformance_protocol::record::{
    EARLIER_HANDLE, LACKING_EMPTY, LACKING_NOT_FOUND, NULL_ALLOCATION, NULL_HANDLE, OWN_KEY,
    SECOND_KEYS, TWO_TYPES, WRONG_ARGUMENTS,
};
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_CALLBACKS, D3D12DDI_COMPILER_CACHE_CONST_VALUE,
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE, D3D12DDI_COMPILER_CACHE_TYPED_VALUE,
    D3D12DDI_COMPILER_CACHE_VALUE, D3D12DDI_COMPILER_CACHE_VALUE_KEY,
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID,
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS, D3D12DDI_HRTCOMPILERCACHESESSION,
    DXGI_ERROR_ALREADY_EXISTS, DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_INVALIDARG,
    E_OUTOFMEMORY, E_UNEXPECTED, HRESULT, PFND3D12DDI_COMPILER_ALLOCATION, S_OK, UINT,
};

use crate::session;
use crate::writer::{broken, called};

type Kind = D3D12DDI_COMPILER_CACHE_VALUE_TYPE;
type Entry = D3D12DDI_COMPILER_CACHE_TYPED_VALUE;
type Session = D3D12DDI_HRTCOMPILERCACHESESSION;

/// What is stored.
const VALUE: &[u8] = b"the checking plugin was here";
/// As the value of a second type.
const OTHER: &[u8] = b"and here";
/// What memory holds that nobody has written to.
const BLANK: u8 = 0xA5;

/// The types of a compile call.
fn kinds(flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS) -> Vec<Kind> {
    let all =
        (0..D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID.0).map(D3D12DDI_COMPILER_CACHE_VALUE_TYPE);
    all.filter(|kind| flags.0 & (1 << kind.0) != 0).collect()
}

/// A key that nothing else has: a database may hold those of other processes.
fn fresh_key() -> Vec<u8> {
    static KEYS: AtomicUsize = AtomicUsize::new(0);
    let number = KEYS.fetch_add(1, Ordering::Relaxed);
    let (process, now) = (std::process::id(), std::time::SystemTime::now());
    format!("{OWN_KEY} {process} {number} {now:?}").into_bytes()
}

fn raw_key(key: &[u8]) -> D3D12DDI_COMPILER_CACHE_VALUE_KEY {
    D3D12DDI_COMPILER_CACHE_VALUE_KEY {
        pKey: key.as_ptr().cast(),
        KeySize: count(key),
    }
}

fn count<T>(array: &[T]) -> UINT {
    UINT::try_from(array.len()).unwrap_or(UINT::MAX)
}

fn const_value(kind: Kind, value: &[u8]) -> D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
    D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE {
        Type: kind,
        Value: D3D12DDI_COMPILER_CACHE_CONST_VALUE {
            pValue: value.as_ptr().cast(),
            ValueSize: value.len(),
        },
    }
}

fn entry(kind: Kind, value: *mut c_void, size: usize) -> Entry {
    Entry {
        Type: kind,
        Value: D3D12DDI_COMPILER_CACHE_VALUE {
            pValue: value,
            ValueSize: size,
        },
    }
}

/// An entry that asks for the size.
fn size_check(kind: Kind) -> Entry {
    entry(kind, ptr::null_mut(), 0)
}

/// An entry that asks for an allocation. The specification has hosts allocate where pValue is not null.
fn allocated(kind: Kind) -> Entry {
    entry(kind, ptr::dangling_mut::<c_void>(), 0)
}

/// An entry with a buffer.
fn buffer(kind: Kind, memory: &mut [u8]) -> Entry {
    entry(kind, memory.as_mut_ptr().cast(), memory.len())
}

fn sizes<const N: usize>(entries: [Entry; N]) -> [usize; N] {
    entries.map(|entry| entry.Value.ValueSize)
}

/// The memory of the allocation callback, and what it was asked for.
struct Allocations {
    /// So often is there memory.
    left: usize,
    asked: Vec<usize>,
    memory: Vec<Vec<u128>>,
}

impl Allocations {
    fn new(left: usize) -> Self {
        Self {
            left,
            asked: Vec::new(),
            memory: Vec::new(),
        }
    }

    unsafe extern "system" fn allocate(size: usize, context: *mut c_void) -> *mut c_void {
        // More than any value that is stored here; a host may ask for anything.
        const LIMIT: usize = 1 << 16;
        // SAFETY: the context of `Callbacks::find`, which waits for the call.
        let this = unsafe { &mut *context.cast::<Self>() };
        this.asked.push(size);
        if this.left == 0 || size > LIMIT {
            return ptr::null_mut();
        }
        this.left -= 1;
        let mut block = vec![0; size.div_ceil(16).max(4)];
        let memory = block.as_mut_ptr();
        this.memory.push(block);
        memory.cast()
    }

    /// Whether an entry has the allocation of this number, which begins with a value.
    fn holds(&self, number: usize, entry: &Entry, value: &[u8]) -> bool {
        self.memory.get(number).is_some_and(|block| {
            let bytes: Vec<u8> = block.iter().flat_map(|word| word.to_ne_bytes()).collect();
            entry.Value.pValue.cast_const().cast() == block.as_ptr() && bytes.starts_with(value)
        })
    }
}

/// What a call has to return.
#[derive(Clone, Copy)]
enum Wanted {
    Exactly(HRESULT),
    Failure,
}

use Wanted::{Exactly, Failure};

/// Notes that a rule is broken, unless a call returned what it has to, and all else is `right`, which
/// is `what`.
fn expect(rule: Rule, call: &str, got: HRESULT, wanted: Wanted, right: bool, what: &str) {
    let returned = match wanted {
        Exactly(result) => got == result,
        Failure => !got.is_ok(),
    };
    let and = if what.is_empty() { "" } else { ", and " };
    let expected = match wanted {
        Exactly(result) => format!("{result}{and}{what}"),
        Failure => "a failure, best E_INVALIDARG".into(),
    };
    if !returned {
        broken(rule, call, &expected, format!("returned {got}"));
    } else if !right {
        broken(
            rule,
            call,
            &expected,
            format!("returned {got}, and not {what}"),
        );
    }
}

/// What a find of a type that is not there came to.
struct Absent {
    how: &'static str,
    got: HRESULT,
    /// ValueSize.
    size: usize,
    /// Whether the allocation callback was called.
    asked: bool,
}

/// The callbacks of a compile call.
struct Callbacks<'h> {
    host: &'h D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: Session,
}

impl Callbacks<'_> {
    fn store_raw(
        &self,
        key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
        values: *const D3D12DDI_COMPILER_CACHE_TYPED_CONST_VALUE,
        count: UINT,
    ) -> HRESULT {
        let host = self.host;
        call!(host.pfnCompilerCacheStoreValue(self.session, key, values, count) else E_UNEXPECTED)
    }

    /// Stores copies, which a host can write to.
    fn store(&self, key: &[u8], values: &[(Kind, &[u8])]) -> HRESULT {
        let own_key = key.to_vec();
        let own: Vec<_> = values.iter().map(|(_, value)| value.to_vec()).collect();
        let raw: Vec<_> = values
            .iter()
            .zip(&own)
            .map(|((kind, _), value)| const_value(*kind, value))
            .collect();
        let raw_key = raw_key(&own_key);
        // SAFETY: the key and the values are the copies.
        unsafe {
            session::unchanged(&raw const raw_key, raw.as_ptr(), count(&raw), || {
                self.store_raw(&raw const raw_key, raw.as_ptr(), count(&raw))
            })
        }
    }

    fn find_raw(
        &self,
        key: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY,
        values: *mut Entry,
        count: UINT,
        allocations: Option<&mut Allocations>,
    ) -> HRESULT {
        let host = self.host;
        let function: PFND3D12DDI_COMPILER_ALLOCATION = match allocations {
            Some(_) => Some(Allocations::allocate),
            None => None,
        };
        let context = allocations.map_or(ptr::null_mut(), |it| ptr::from_mut(it).cast());
        call!(host.pfnCompilerCacheFindValue(self.session, key, values, count, function, context)
            else E_UNEXPECTED)
    }

    fn find(
        &self,
        key: &[u8],
        entries: &mut [Entry],
        allocations: Option<&mut Allocations>,
    ) -> HRESULT {
        let (key, count) = (raw_key(key), count(entries));
        self.find_raw(&raw const key, entries.as_mut_ptr(), count, allocations)
    }

    fn set_keys(&self, keys: *const D3D12DDI_COMPILER_CACHE_VALUE_KEY, count: UINT) -> HRESULT {
        let host = self.host;
        call!(host.pfnCompilerCacheSetObjectValueKeys(self.session, keys, count)
            else E_UNEXPECTED)
    }

    /// Finds a type that is not there, in every way.
    fn find_absent(&self, key: &[u8], kind: Kind) -> [Absent; 3] {
        let (mut memory, mut allocations) = ([BLANK; 64], Allocations::new(1));
        let ways = [
            ("the size check", size_check(kind), None),
            ("a buffer", buffer(kind, &mut memory), None),
            ("an allocation", allocated(kind), Some(&mut allocations)),
        ];
        let mut absent = ways.map(|(how, entry, allocations)| {
            let mut entries = [entry];
            let got = self.find(key, &mut entries, allocations);
            let size = entries[0].Value.ValueSize;
            Absent {
                how,
                got,
                size,
                asked: false,
            }
        });
        absent[2].asked = !allocations.asked.is_empty();
        absent
    }

    /// Storing values of one type.
    fn stores(&self, kind: Kind) {
        const RULE: Rule = H_09;
        let key = fresh_key();
        let (raw, value) = (raw_key(&key), const_value(kind, VALUE));
        let invalid = Exactly(E_INVALIDARG);
        for (call, values, count) in [
            ("StoreValue(null)", ptr::null(), 1),
            ("StoreValue(no values)", &raw const value, 0),
        ] {
            let got = self.store_raw(&raw const raw, values, count);
            expect(RULE, call, got, invalid, true, "");
        }
        let (good, empty) = ((kind, VALUE), (kind, &[][..]));
        for (call, values) in [
            ("StoreValue(a value of size 0)", &[empty][..]),
            ("StoreValue(two values of one type)", &[good, (kind, OTHER)]),
        ] {
            let got = self.store(&key, values);
            expect(RULE, call, got, Failure, true, "");
        }
        let got = self.store(&key, &[good]);
        expect(RULE, "StoreValue(a value)", got, Exactly(S_OK), true, "");
        for (call, value) in [
            ("StoreValue(the same value)", VALUE),
            ("StoreValue(another value under the same key)", OTHER),
        ] {
            let got = self.store(&key, &[(kind, value)]);
            let mut memory = [BLANK; 64];
            let found = self.find(&key, &mut [buffer(kind, &mut memory)], None);
            let right = found == S_OK && memory.starts_with(VALUE);
            let what = "the value that was stored first stays";
            let exists = Exactly(DXGI_ERROR_ALREADY_EXISTS);
            expect(RULE, call, got, exists, right, what);
        }
    }

    /// Finding a value of one type.
    fn finds(&self, kind: Kind) {
        const RULE: Rule = H_09;
        let key = fresh_key();
        for Absent {
            how, got, asked, ..
        } in self.find_absent(&key, kind)
        {
            let call = format!("FindValue(a key that is not cached, {how})");
            let what = if how == "an allocation" {
                "no call of the allocation callback"
            } else {
                ""
            };
            expect(
                RULE,
                &call,
                got,
                Exactly(DXGI_ERROR_NOT_FOUND),
                !asked,
                what,
            );
        }
        let got = self.store(&key, &[(kind, VALUE)]);
        expect(RULE, "StoreValue(a value)", got, Exactly(S_OK), true, "");

        let size = VALUE.len();
        let mut entries = [size_check(kind)];
        let got = self.find(&key, &mut entries, None);
        let right = sizes(entries) == [size] && entries[0].Value.pValue.is_null();
        let what = "the size, with pValue null";
        let call = "FindValue(the size check)";
        expect(RULE, call, got, Exactly(S_OK), right, what);
        for capacity in [1, size - 1] {
            let mut memory = [BLANK; 64];
            let mut entries = [buffer(kind, &mut memory[..capacity])];
            let got = self.find(&key, &mut entries, None);
            let right = sizes(entries) == [size] && memory[capacity..].iter().all(|b| *b == BLANK);
            let what = "the size, with nothing behind the buffer";
            let call = format!("FindValue(a buffer of {capacity} bytes for a value of {size})");
            expect(RULE, &call, got, Exactly(DXGI_ERROR_MORE_DATA), right, what);
        }
        for capacity in [size, 60] {
            let mut memory = [BLANK; 64];
            let mut entries = [buffer(kind, &mut memory[..capacity])];
            let got = self.find(&key, &mut entries, None);
            let right = sizes(entries) == [size]
                && memory.starts_with(VALUE)
                && memory[size..].iter().all(|b| *b == BLANK);
            let what = "the value and its size, with nothing behind it";
            let call = format!("FindValue(a buffer of {capacity} bytes for a value of {size})");
            expect(RULE, &call, got, Exactly(S_OK), right, what);
        }
        for (rule, pointer, entry) in [
            (RULE, "not null", allocated(kind)),
            (H_18, "null", size_check(kind)),
        ] {
            if pointer == "null" {
                called(NULL_ALLOCATION);
            }
            let mut allocations = Allocations::new(1);
            let mut entries = [entry];
            let got = self.find(&key, &mut entries, Some(&mut allocations));
            let right = allocations.asked == [size]
                && sizes(entries) == [size]
                && allocations.holds(0, &entries[0], VALUE);
            let what = "the value in memory of its size from the allocation callback";
            let call = format!("FindValue(an allocation, pValue {pointer})");
            expect(rule, &call, got, Exactly(S_OK), right, what);
            if got != S_OK || !right {
                break;
            }
        }
        let mut allocations = Allocations::new(0);
        let got = self.find(&key, &mut [allocated(kind)], Some(&mut allocations));
        let call = "FindValue(an allocation that fails)";
        expect(RULE, call, got, Exactly(E_OUTOFMEMORY), true, "");
    }

    /// Finding values of two types in one call.
    fn finds_several(&self, kinds: [Kind; 2]) {
        const RULE: Rule = H_09;
        let (key, values) = (fresh_key(), [VALUE, OTHER]);
        let lengths = values.map(<[u8]>::len);
        let [first, second] = kinds;
        let got = self.store(&key, &[(first, VALUE), (second, OTHER)]);
        expect(RULE, "StoreValue(two types)", got, Exactly(S_OK), true, "");

        let mut entries = kinds.map(size_check);
        let got = self.find(&key, &mut entries, None);
        let (right, call) = (
            sizes(entries) == lengths,
            "FindValue(the size check of two types)",
        );
        expect(RULE, call, got, Exactly(S_OK), right, "both sizes");

        for short in [0, 1] {
            let mut memory = [[BLANK; 64]; 2];
            let [a, b] = &mut memory;
            let mut capacities = [60; 2];
            capacities[short] = lengths[short] - 1;
            let mut entries = [
                buffer(first, &mut a[..capacities[0]]),
                buffer(second, &mut b[..capacities[1]]),
            ];
            let got = self.find(&key, &mut entries, None);
            let fits = 1 - short;
            let right = sizes(entries) == lengths
                && memory[fits].starts_with(values[fits])
                && memory[short][capacities[short]..]
                    .iter()
                    .all(|b| *b == BLANK);
            let what = "both sizes and the value that fits, with nothing behind the short buffer";
            let call = format!("FindValue(two buffers, that of entry {short} too small)");
            expect(RULE, &call, got, Exactly(DXGI_ERROR_MORE_DATA), right, what);
        }

        let mut memory = [BLANK; 64];
        let mut allocations = Allocations::new(2);
        let mut entries = [buffer(first, &mut memory), allocated(second)];
        let given = entries[0].Value.pValue;
        let got = self.find(&key, &mut entries, Some(&mut allocations));
        let right = sizes(entries) == lengths
            && entries[0].Value.pValue == given
            && memory.starts_with(VALUE)
            && allocations.asked == [OTHER.len()]
            && allocations.holds(0, &entries[1], OTHER);
        let what = "the first value in the buffer, with memory asked for the second one only";
        let call = "FindValue(a buffer and an allocation)";
        expect(RULE, call, got, Exactly(S_OK), right, what);

        let mut allocations = Allocations::new(1);
        let mut entries = kinds.map(allocated);
        let got = self.find(&key, &mut entries, Some(&mut allocations));
        let right = allocations.holds(0, &entries[0], &[]);
        let what = "the first allocation in its pValue";
        let call = "FindValue(two allocations, the second of which fails)";
        expect(RULE, call, got, Exactly(E_OUTOFMEMORY), right, what);
    }

    /// What is said of a type that a key lacks, which has another: one of the readings in every way.
    fn tells_of(&self, key: &[u8], lacking: Kind) {
        let answers = self.find_absent(key, lacking);
        let all = |is: &dyn Fn(&Absent) -> bool| answers.iter().all(is);
        if all(&|answer| !answer.asked && answer.got == DXGI_ERROR_NOT_FOUND) {
            called(LACKING_NOT_FOUND);
        } else if all(&|answer| !answer.asked && answer.got == S_OK && answer.size == 0) {
            called(LACKING_EMPTY);
        } else {
            let said = answers.iter().map(|answer| {
                let asked = if answer.asked {
                    ", and the allocation callback was called"
                } else {
                    ""
                };
                let Absent { how, got, size, .. } = answer;
                format!("{how}: {got} and a ValueSize of {size}{asked}")
            });
            broken(
                H_13,
                "FindValue(a type that the key lacks)",
                "DXGI_ERROR_NOT_FOUND, or S_OK with a ValueSize of 0, the same in every way to ask, and no call of the allocation callback",
                said.collect::<Vec<_>>().join("; "),
            );
        }
    }

    /// Finding a type that a key lacks, which has another.
    fn lacks(&self, [there, lacking]: [Kind; 2]) {
        let key = fresh_key();
        let got = self.store(&key, &[(there, VALUE)]);
        expect(H_09, "StoreValue(a value)", got, Exactly(S_OK), true, "");
        self.tells_of(&key, lacking);
        for kinds in [[there, lacking], [lacking, there]] {
            let lengths = kinds.map(|kind| if kind == there { VALUE.len() } else { 0 });
            let mut memory = [[BLANK; 64]; 2];
            let [a, b] = &mut memory;
            let buffers = [buffer(kinds[0], a), buffer(kinds[1], b)];
            let mut allocations = Allocations::new(2);
            for (how, mut entries, allocations) in [
                ("the size check", kinds.map(size_check), None),
                ("buffers", buffers, None),
                ("allocations", kinds.map(allocated), Some(&mut allocations)),
            ] {
                let got = self.find(&key, &mut entries, allocations);
                let got_sizes = sizes(entries);
                let of_lacking = got_sizes[usize::from(kinds[1] == lacking)];
                let right = got_sizes == lengths || (how != "the size check" && of_lacking == 0);
                let what = "a ValueSize of 0 for the type that the key lacks";
                let call = format!("FindValue({how}, a type that is there and one that is not)");
                expect(H_14, &call, got, Exactly(S_OK), right, what);
            }
        }
    }
}

/// What every compile call tries, each with the next of its types.
pub(crate) fn usual(
    host: &D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: Session,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let callbacks = Callbacks { host, session };
    let mut kinds = kinds(flags);
    let calls = CALLS.fetch_add(1, Ordering::Relaxed);
    if let Some(turn) = calls.checked_rem(kinds.len()) {
        // All types in one call would take too long.
        kinds.rotate_left(turn);
    }
    if let [first, ..] = kinds[..] {
        callbacks.stores(first);
        callbacks.finds(first);
    }
    if let [first, second, ..] = kinds[..] {
        called(TWO_TYPES);
        callbacks.finds_several([first, second]);
        callbacks.lacks([first, second]);
    }
}

/// Session handles that are not this call's: null, and that of an earlier call unless this one has the
/// same. H-15.
pub(crate) fn other_handles(
    host: &D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: Session,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) {
    static EARLIER: Mutex<Option<usize>> = Mutex::new(None);
    let mut earlier = EARLIER.lock().unwrap_or_else(PoisonError::into_inner);
    let current = session.handle.expose_provenance();
    let others = [(Some(0), NULL_HANDLE), (*earlier, EARLIER_HANDLE)];
    *earlier = Some(current);
    drop(earlier);
    let Some(kind) = kinds(flags).first().copied() else {
        return;
    };
    for (other, what) in others {
        let Some(other) = other.filter(|other| *other != current) else {
            continue;
        };
        called(what);
        let session = D3D12DDI_HRTCOMPILERCACHESESSION {
            handle: ptr::with_exposed_provenance_mut(other),
        };
        let callbacks = Callbacks { host, session };
        let key = fresh_key();
        let raw = raw_key(&key);
        for (name, got) in [
            (
                "FindValue",
                callbacks.find(&key, &mut [size_check(kind)], None),
            ),
            ("StoreValue", callbacks.store(&key, &[(kind, VALUE)])),
            ("SetObjectValueKeys", callbacks.set_keys(&raw const raw, 1)),
        ] {
            let call = format!("{name}({what})");
            expect(H_15, &call, got, Exactly(E_INVALIDARG), true, "");
        }
    }
}

/// A second list of value keys, of one that has a value, so that a host may take it. H-16.
pub(crate) fn other_keys(
    host: &D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: Session,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) {
    let Some(kind) = kinds(flags).first().copied() else {
        return;
    };
    let callbacks = Callbacks { host, session };
    let key = fresh_key();
    let got = callbacks.store(&key, &[(kind, VALUE)]);
    expect(H_09, "StoreValue(a value)", got, Exactly(S_OK), true, "");
    called(SECOND_KEYS);
    let raw = raw_key(&key);
    let got = callbacks.set_keys(&raw const raw, 1);
    expect(H_16, SECOND_KEYS, got, Failure, true, "");
}

/// Arguments that no plugin may pass. H-17.
pub(crate) fn mistakes(
    host: &D3D12DDI_COMPILER_CACHE_CALLBACKS,
    session: Session,
    flags: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS,
) {
    let Some(kind) = kinds(flags).first().copied() else {
        return;
    };
    called(WRONG_ARGUMENTS);
    let callbacks = Callbacks { host, session };
    let invalid = |call: &str, got| expect(H_17, call, got, Exactly(E_INVALIDARG), true, "");
    let key = fresh_key();
    let (good, value) = (raw_key(&key), const_value(kind, VALUE));
    let (mut empty, mut null) = (good, good);
    empty.KeySize = 0;
    null.pKey = ptr::null();
    for (what, key) in [
        ("a null pValueKey", ptr::null()),
        ("a key of size 0", &raw const empty),
        ("a null pKey", &raw const null),
    ] {
        let mut entries = [size_check(kind)];
        let found = callbacks.find_raw(key, entries.as_mut_ptr(), 1, None);
        invalid(&format!("FindValue({what})"), found);
        let stored = callbacks.store_raw(key, &raw const value, 1);
        invalid(&format!("StoreValue({what})"), stored);
    }
    for (what, keys) in [
        ("null", ptr::null()),
        ("a key of size 0", &raw const empty),
        ("a null pKey", &raw const null),
    ] {
        let call = format!("SetObjectValueKeys({what})");
        invalid(&call, callbacks.set_keys(keys, 1));
    }

    let unknown = D3D12DDI_COMPILER_CACHE_VALUE_TYPE_MAX_VALID;
    let stored = callbacks.store(&key, &[(kind, VALUE), (unknown, OTHER)]);
    invalid("StoreValue(a type that does not exist)", stored);
    let mut nothing = [value, const_value(kind, VALUE)];
    nothing[1].Value.pValue = ptr::null();
    nothing[1].Type = kinds(flags).last().copied().unwrap_or(kind);
    let stored = callbacks.store_raw(&raw const good, nothing.as_ptr(), count(&nothing));
    invalid("StoreValue(a null value that has a size)", stored);
    let stored = callbacks.store(&key, &[(kind, VALUE)]);
    let call = "StoreValue(a value that was refused with another one)";
    expect(H_17, call, stored, Exactly(S_OK), true, "");

    let mut entries = [size_check(kind)];
    let found = callbacks.find_raw(&raw const good, ptr::null_mut(), 1, None);
    invalid("FindValue(null pValues)", found);
    let found = callbacks.find_raw(&raw const good, entries.as_mut_ptr(), 0, None);
    invalid("FindValue(no values)", found);
    let found = callbacks.find(&key, &mut [size_check(unknown)], None);
    invalid("FindValue(a type that does not exist)", found);
    let found = callbacks.find(&key, &mut [entry(kind, ptr::null_mut(), 64)], None);
    invalid("FindValue(a null buffer that has a size)", found);
}
