//! The table: every structure of both DDIs, in the files of `ddi-sys` that declare them.
//!
//! A row has the structure's members. The compiler sees to it that they are all there, and finds out from their types what most
//! of them are; the row says the rest:
//!
//! | word | the member is |
//! |---|---|
//! | `text`, `code`, `bytes(COUNT)` | a pointer to a string, a DXIL program, bytes |
//! | `array(COUNT)`, `array(COUNT by STRIDE)` | a pointer to so many of its type |
//! | `out(..)`, `inout(..)`, `required(..)` | as what is in it, but written to; but null only where there is nothing |
//! | `arguments(TYPE)` | a handle that leads to create-arguments of this type |
//! | `one_of(FIELD: VALUE => TYPE, ..)` | a pointer without a type, which another field says |
//! | `sized(SIZE; FIELD: VALUE => TYPE, ..)` | as `one_of`, and bytes where the size is not that of the type |
//! | `union(ARM(..) if CONDITION, ..)` | one of several |
//! | `structure(TYPE)`, `is(KIND)`, `signed`, `characters(COUNT)`, `function`, `handle` | what its type does not tell |
//!
//! A COUNT is a number, a field, a field that points at the number (`*FIELD`), or two fields multiplied.
#![allow(
    clippy::wildcard_imports,
    reason = "the table has every type of the DDI"
)]

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::types::Type;

mod kinds;
mod values;

pub use kinds::{Described, Member};

/// How many, in words of a row.
macro_rules! count {
    ($type:ident $number:literal) => { $crate::types::Count::Is($number) };
    ($type:ident $field:ident) => { $crate::types::Count::Says(known!($type $field)) };
    ($type:ident * $field:ident) => { $crate::types::Count::SaysAt(known!($type $field)) };
    ($type:ident $one:ident * $other:ident) => {
        $crate::types::Count::Product(known!($type $one), known!($type $other))
    };
}

/// The name of a member that is there.
macro_rules! known {
    ($type:ident $field:ident) => {{
        let _: fn(&$type) = |it| {
            let _ = &it.$field;
        };
        stringify!($field)
    }};
}

/// A member, or an arm of a union that is one.
macro_rules! place {
    ($it:ident [$field:ident]) => { $it.$field };
    ($it:ident [$at:tt $arm:ident]) => { place!($it $at).$arm };
}

/// What a member is, in words of a row.
macro_rules! kind {
    ($type:ident $at:tt) => {
        $crate::table::kinds::member(|it: &$type| &raw const place!(it $at))
    };
    ($type:ident $at:tt text) => { $crate::table::kinds::TEXT };
    ($type:ident $at:tt code) => { $crate::table::kinds::CODE };
    ($type:ident $at:tt signed) => { $crate::table::values::INT };
    ($type:ident $at:tt characters($count:literal)) => {
        $crate::types::Kind::Array(&$crate::table::values::WCHAR, $count)
    };
    ($type:ident $at:tt function) => { $crate::types::Kind::Function };
    ($type:ident $at:tt handle) => { $crate::types::Kind::Handle("VOID *") };
    ($type:ident $at:tt bytes($($count:tt)+)) => {
        $crate::table::kinds::pointer($crate::types::Item::Bytes, count!($type $($count)+))
    };
    ($type:ident $at:tt array($count:ident by $stride:ident)) => {
        $crate::table::kinds::strided(
            |it: &$type| &raw const place!(it $at), count!($type $count), known!($type $stride),
        )
    };
    ($type:ident $at:tt array($($count:tt)+)) => {
        $crate::table::kinds::array(|it: &$type| &raw const place!(it $at), count!($type $($count)+))
    };
    ($type:ident $at:tt out($($how:tt)*)) => {
        kind!($type $at $($how)*).written($crate::types::Way::Out)
    };
    ($type:ident $at:tt inout($($how:tt)*)) => {
        kind!($type $at $($how)*).written($crate::types::Way::InOut)
    };
    ($type:ident $at:tt required($($how:tt)*)) => { kind!($type $at $($how)*).required() };
    ($type:ident $at:tt structure($of:expr)) => { $crate::types::Kind::Structure($of) };
    ($type:ident $at:tt is($kind:expr)) => { $kind };
    ($type:ident $at:tt arguments($of:expr)) => {
        $crate::table::kinds::create_arguments(|it: &$type| &raw const place!(it $at), $of)
    };
    ($type:ident $at:tt one_of($field:ident: $($value:ident => $of:ty $(as $name:ident)?),* $(,)?)) => {
        $crate::types::Kind::Union(&[$($crate::types::Arm {
            name: concat!($(stringify!($name))?),
            when: &[condition!($type $field is $value)],
            kind: $crate::table::kinds::to(<$of as $crate::table::Described>::of).required(),
        }),*])
    };
    // Of a type where the size is that of the type; else bytes.
    ($type:ident $at:tt sized($size:ident; $field:ident: $($value:ident => $of:ty),* $(,)?)) => {
        $crate::types::Kind::Union(&[$($crate::types::Arm {
            name: "",
            when: &[
                condition!($type $field is $value),
                $crate::types::When {
                    path: &[known!($type $size)],
                    test: $crate::table::kinds::is_of_size::<$of>(),
                },
            ],
            kind: $crate::table::kinds::to(<$of as $crate::table::Described>::of).written($crate::types::Way::InOut),
        },)* $crate::types::Arm {
            name: "",
            when: &[],
            kind: kind!($type $at inout(bytes($size))),
        }])
    };
    ($type:ident $at:tt union(
        $($arm:ident $(($($how:tt)*))? $(if $($field:ident $test:ident $value:ident)and+)?),* $(,)?
    )) => {
        $crate::types::Kind::Union(&[$($crate::types::Arm {
            name: stringify!($arm),
            when: &[$($(condition!($type $field $test $value)),+)?],
            kind: kind!($type [$at $arm] $($($how)*)?),
        }),*])
    };
}

/// A condition, in words of a row.
macro_rules! condition {
    ($type:ident $field:ident is $value:ident) => {
        $crate::types::When { path: &[known!($type $field)], test: $crate::types::Test::Is($value.0) }
    };
    ($type:ident $field:ident has $value:ident) => {
        $crate::types::When { path: &[known!($type $field)], test: $crate::types::Test::Has($value.0) }
    };
}

/// Structures, with all of their members.
macro_rules! structures {
    ($($type:ident $([$name:ident $text:literal])? {
        $($field:ident $(: $how:ident $(($($of:tt)*))?)?),* $(,)?
    })*) => {
        $(
            one!($type $([$name $text])? &[$($crate::types::Field {
                name: stringify!($field),
                offset: core::mem::offset_of!($type, $field),
                kind: kind!($type [$field] $($how $(($($of)*))?)?),
            }),*]);
            // No member is left out.
            const _: fn($type) = |$type { $($field: _),* }| ();
        )*
        pub(super) const ALL: &[&$crate::types::Type] = &[$(the!($type $([$name])?)),*];
    };
}

/// The description of a structure, or one of several of it.
macro_rules! one {
    (@of $type:ident $text:expr, $fields:expr) => {
        $crate::types::Type {
            name: $text,
            size: size_of::<$type>(),
            align: align_of::<$type>(),
            fields: $fields,
        }
    };
    ($type:ident [$name:ident $text:literal] $fields:expr) => {
        #[doc = concat!("[`", stringify!($type), "`], ", $text, ".")]
        pub static $name: $crate::types::Type =
    one!(@of $type concat!(stringify!($type), " (", $text, ")"), $fields);
    };
    ($type:ident $fields:expr) => {
        impl $crate::table::kinds::Described for $type {
            const TYPE: &'static $crate::types::Type = {
                static TYPE: $crate::types::Type = one!(@of $type stringify!($type), $fields);
                &TYPE
            };
        }
        impl $crate::table::kinds::Member for $type {
            const KIND: $crate::types::Kind =
                $crate::types::Kind::Structure(<Self as $crate::table::kinds::Described>::TYPE);
        }
    };
}

macro_rules! the {
    ($type:ident) => {
        <$type as $crate::table::kinds::Described>::TYPE
    };
    ($type:ident [$name:ident]) => {
        &$name
    };
}

mod caps;
mod compiler;
mod dxgi;
mod fixed_function;
mod pipeline_state;
mod root_signature;
pub mod shader;
mod state_object;
mod umd;
mod work_graph;

impl Type {
    /// Every type of both DDIs.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        let values = [
            values::NUMBERS,
            values::ENUMERATIONS,
            values::FLAGS,
            values::HANDLES,
            values::POINTERS,
        ];
        let structures = [
            caps::ALL,
            compiler::ALL,
            dxgi::ALL,
            fixed_function::ALL,
            pipeline_state::ALL,
            root_signature::ALL,
            shader::ALL,
            state_object::ALL,
            work_graph::ALL,
        ];
        let all = values
            .into_iter()
            .chain(structures)
            .chain(umd::ALL.iter().copied());
        all.flatten().copied()
    }

    /// The type of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        static NAMES: LazyLock<HashMap<&str, &Type>> =
            LazyLock::new(|| Type::all().map(|of| (of.name, of)).collect());
        NAMES.get(name).copied()
    }
}
