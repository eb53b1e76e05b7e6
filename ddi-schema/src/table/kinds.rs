//! From the type of a Rust field to what the field is.

use std::ffi::c_void;

use crate::types::{Count, Item, Kind, Role, Target, Test, Type};

/// What a pointer may lead to.
pub trait Described: Copy + 'static {
    /// What the table says of it.
    const TYPE: &'static Type;

    /// The same.
    fn of() -> &'static Type {
        Self::TYPE
    }
}

/// What a structure may have as a member that needs no more words.
pub trait Member {
    /// What it is.
    const KIND: Kind;
}

/// A type that something leads to.
type Of = fn() -> &'static Type;

/// A pointer to something that the table describes.
pub trait PointerTo {
    /// That.
    const ITEM: Item;
}

impl<T: Described> PointerTo for *const T {
    const ITEM: Item = Item::Of(T::of);
}

impl<T: Described> PointerTo for *mut T {
    const ITEM: Item = Item::Of(T::of);
}

impl<T: Described> Member for *const T {
    const KIND: Kind = to(T::of);
}

impl<T: Described> Member for *mut T {
    const KIND: Kind = to(T::of);
}

impl<T: Described, const N: usize> Member for [T; N] {
    const KIND: Kind = Kind::Array(T::TYPE, N);
}

/// An address of whoever made it, without more words.
impl Member for *mut c_void {
    const KIND: Kind = Kind::Handle("VOID *");
}

impl Member for *const c_void {
    const KIND: Kind = Kind::Handle("const VOID *");
}

/// The member that a function picks.
pub const fn member<S, M: Member>(_: fn(&S) -> *const M) -> Kind {
    M::KIND
}

/// So many of what the member leads to that a function picks.
pub const fn array<S, P: PointerTo>(_: fn(&S) -> *const P, count: Count) -> Kind {
    pointer(P::ITEM, count)
}

/// As [`array`], with a field that says how far apart they are.
pub const fn strided<S, P: PointerTo>(
    _: fn(&S) -> *const P,
    count: Count,
    stride: &'static str,
) -> Kind {
    Kind::Pointer(Target {
        stride: Some(stride),
        ..Target::new(P::ITEM, count)
    })
}

/// The handle that a function picks, which leads to create-arguments.
pub const fn create_arguments<S, H: Member>(_: fn(&S) -> *const H, of: Of) -> Kind {
    match H::KIND {
        Kind::Handle(name) => handle(name, of),
        other => other,
    }
}

/// A handle that leads to create-arguments.
pub const fn handle(name: &'static str, of: Of) -> Kind {
    Kind::Pointer(Target {
        role: Role::Handle(name),
        ..Target::new(Item::Of(of), Count::Is(1))
    })
}

/// A pointer to one.
pub const fn to(of: Of) -> Kind {
    pointer(Item::Of(of), Count::Is(1))
}

/// An optional pointer to what nobody writes.
pub const fn pointer(item: Item, count: Count) -> Kind {
    Kind::Pointer(Target::new(item, count))
}

/// A string.
pub const TEXT: Kind = pointer(Item::Text, Count::Is(1));

/// A DXIL program or container.
pub const CODE: Kind = pointer(Item::Code, Count::Is(1));

/// The size of a type, as another field says it.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "no type of the DDI is as large"
)]
pub const fn is_of_size<T>() -> Test {
    Test::Is(size_of::<T>() as i32)
}
