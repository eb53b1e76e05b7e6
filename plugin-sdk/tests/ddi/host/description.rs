//! Descriptions in memory of their own, and where each of their pointers and enumerations is, so that
//! a test can break one after the other.

use std::ffi::c_void;
use std::ptr;

use bytemuck::Zeroable;
use ddi_sys::Enumeration;
use plugin_sdk::desc::DescError;

use super::memory::Arena;

/// How a pointer of a description can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An array and its count.
    Array { count: *mut u32, len: u32 },
    /// A structure or a string; null is allowed or not.
    Single { optional: bool },
    /// Shader code, which is read byte by byte: any alignment will do.
    Code,
}

pub const OPTIONAL: Kind = Kind::Single { optional: true };
pub const REQUIRED: Kind = Kind::Single { optional: false };

/// A pointer somewhere in a description.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Its C name, as errors say it.
    pub what: &'static str,
    pub field: *mut *const c_void,
    pub kind: Kind,
    /// The pointer through which this one is reached.
    pub parent: Option<usize>,
}

/// What can be done to a [`Point`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damage {
    None,
    Null,
    Misaligned,
    /// The largest count, which is refused without a look at the array.
    Huge,
    /// An array that is null and has no elements, which is right.
    Empty,
}

pub const DAMAGES: [Damage; 4] = [
    Damage::Null,
    Damage::Misaligned,
    Damage::Huge,
    Damage::Empty,
];

impl Point {
    /// Does what the damage means for this kind of pointer; whether it means anything.
    pub fn apply(&self, damage: Damage) -> bool {
        // SAFETY: the fields belong to the description's arena, and no reference to them is alive.
        unsafe {
            match (damage, self.kind) {
                (Damage::Null, _) => *self.field = ptr::null(),
                (Damage::Misaligned, Kind::Array { .. } | Kind::Single { .. }) => {
                    *self.field = (*self.field).wrapping_byte_add(1);
                }
                (Damage::Huge, Kind::Array { count, .. }) => *count = u32::MAX,
                (Damage::Empty, Kind::Array { count, .. }) => {
                    *self.field = ptr::null();
                    *count = 0;
                }
                _ => return false,
            }
        }
        true
    }

    /// What the SDK must say to a damage that was applied; `None` when it is right.
    pub fn error(&self, damage: Damage) -> Option<DescError> {
        let what = self.what;
        match (damage, self.kind) {
            (Damage::Null, Kind::Array { len, .. }) => {
                Some(DescError::NullArray { what, count: len })
            }
            (Damage::Null, Kind::Code | REQUIRED) => Some(DescError::Null { what }),
            (Damage::Misaligned, _) => Some(DescError::Misaligned { what }),
            (Damage::Huge, _) => Some(DescError::TooMany {
                what,
                count: u32::MAX,
                limit: 1 << 20,
            }),
            (Damage::None | Damage::Null | Damage::Empty, _) => None,
        }
    }
}

/// A description under construction. What is put into it is registered as a [`Point`] at once.
pub struct Description<T> {
    pub arena: Arena,
    pub raw: *mut T,
    pub points: Vec<Point>,
    /// Enumerations and flags: the path as `unknown_values` says it, and where it is.
    pub values: Vec<(String, *mut i32)>,
}

/// The address of a member behind a raw pointer into the arena.
macro_rules! at {
    ($structure:expr, $($member:tt)+) => {{
        let structure = $structure;
        // SAFETY: the structure is the arena's, as large as its type says.
        unsafe { &raw mut (*structure).$($member)+ }
    }};
}
pub(crate) use at;

/// Registers enumerations and flags: the path's beginning, a structure, its members.
macro_rules! values {
    ($description:expr, $prefix:expr, $structure:expr, $($member:ident),* $(,)?) => {{
        let prefix: &str = &$prefix;
        $($description.value(format!("{prefix}{}", stringify!($member)), at!($structure, $member));)*
    }};
}
pub(crate) use values;

impl<T: Zeroable + 'static> Description<T> {
    pub fn zeroed() -> Self {
        let mut arena = Arena::default();
        let raw = arena.put(T::zeroed());
        Self {
            arena,
            raw,
            points: Vec::new(),
            values: Vec::new(),
        }
    }

    #[allow(
        clippy::mut_from_ref,
        reason = "it is the arena's, behind a raw pointer"
    )]
    pub fn get(&self) -> &mut T {
        // SAFETY: the arena owns it; a test keeps no reference while it calls the plugin.
        unsafe { &mut *self.raw }
    }

    /// Registers a pointer and sets it.
    pub fn point<F, P>(
        &mut self,
        what: &'static str,
        field: *mut F,
        kind: Kind,
        value: *const P,
        parent: Option<usize>,
    ) -> usize {
        assert_eq!(size_of::<F>(), size_of::<*const c_void>());
        let field: *mut *const c_void = field.cast();
        // SAFETY: a pointer, or a handle of one, in a structure of the arena.
        unsafe { *field = value.cast() };
        self.points.push(Point {
            what,
            field,
            kind,
            parent,
        });
        self.points.len() - 1
    }

    /// Puts a structure behind a pointer.
    pub fn structure<F, V: 'static>(
        &mut self,
        what: &'static str,
        field: *mut F,
        kind: Kind,
        value: V,
        parent: Option<usize>,
    ) -> (*mut V, usize) {
        let value = self.arena.put(value);
        (value, self.point(what, field, kind, value, parent))
    }

    /// Puts a string behind a pointer.
    pub fn text<F>(
        &mut self,
        what: &'static str,
        field: *mut F,
        kind: Kind,
        value: &str,
        parent: usize,
    ) {
        let value = self.arena.text(value);
        self.point(what, field, kind, value, Some(parent));
    }

    /// Puts an array behind a pointer and its length into a count.
    pub fn array<F, V: 'static>(
        &mut self,
        what: &'static str,
        (field, count): (*mut F, *mut u32),
        values: Vec<V>,
        parent: Option<usize>,
    ) -> (*mut V, usize) {
        let len = u32::try_from(values.len()).unwrap();
        let values = self.arena.slice(values);
        // SAFETY: a count of the arena.
        unsafe { *count = len };
        let kind = Kind::Array { count, len };
        (values, self.point(what, field, kind, values, parent))
    }

    pub fn value<E: Enumeration>(&mut self, path: impl Into<String>, field: *mut E) {
        assert_eq!(size_of::<E>(), size_of::<i32>());
        self.values.push((path.into(), field.cast()));
    }

    /// Flags that C declares as a plain number.
    pub fn flags(&mut self, path: String, field: *mut u32) {
        self.values.push((path, field.cast()));
    }
}
