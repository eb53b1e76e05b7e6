//! The places of the DDI, at which hooks are.

use crate::follow;

/// A call at a place.
pub trait Place {
    /// Its answer.
    type Answer;

    /// Passes it on, as it is now.
    fn pass(&mut self) -> Self::Answer;

    /// Passes it on, or where something is so gives an answer instead.
    fn answer_if(&mut self, is_so: bool, answer: Self::Answer) -> Self::Answer {
        if is_so { answer } else { self.pass() }
    }

    /// Changes it, or does something, and passes it on.
    fn before(&mut self, act: impl FnOnce(&mut Self)) -> Self::Answer {
        act(self);
        self.pass()
    }

    /// Passes it on, and changes the answer, or what the call gave.
    fn after(&mut self, change: impl FnOnce(&mut Self, &mut Self::Answer)) -> Self::Answer {
        let mut answer = self.pass();
        change(self, &mut answer);
        answer
    }

    /// Uses a pointer without a check, and passes the call on.
    fn following<T>(&mut self, pointer: *const T) -> Self::Answer {
        follow(pointer);
        self.pass()
    }
}

/// An answer, or another one where it is `from`.
pub fn changed<T: Copy + PartialEq>(answer: T, from: T, to: T) -> T {
    if answer == from { to } else { answer }
}

/// An entry of a table.
pub trait Entry<F> {
    /// The function that takes its place, where there is one.
    #[must_use]
    fn replaced(self, by: F) -> Self;
}

impl<F> Entry<F> for F {
    fn replaced(self, by: F) -> Self {
        by
    }
}

impl<F> Entry<F> for Option<F> {
    fn replaced(self, by: F) -> Self {
        self.and(Some(by))
    }
}

/// Makes the places of a library: for each a structure of the call, which has its arguments, and for each table a function that
/// puts the places into it. A call that nobody hooks is passed on by `caller!(table.function(arguments))`, or by the function after `via`,
/// which may use `base` for that. What it is about, for the conditions of rows, says the function after `of`.
///
/// The `inner` places, which come first, are in no table: they have a structure of their own, which is a [`Place`]. The functions
/// of a `slotted` table are told no handle, so each slot has functions of its own, which know its number.
#[macro_export]
macro_rules! places {
    (
        $library:path;
        inner { $($inner:ident $(-> $inner_answer:ty)? $(, of $inner_of:path)?;)* }
        $($kind:tt $layer:ident($table:ty) by $caller:ident $path:tt {
            $($place:ident: $($function:ident).+($($argument:ident: $type:ty),* $(,)?) $(-> $answer:ty)?
                $(, via $pass:path)? $(, of $of:path)?;)*
        })*
    ) => {
        /// What a defect does at a place.
        #[derive(Debug)]
        pub(crate) enum Hook {
            $($inner(fn(&mut $inner) $(-> $inner_answer)?),)*
            $($($place(fn(&mut $place) $(-> $answer)?),)*)*
        }

        $($crate::places!(@hooked $library, $inner $($inner_of)?);)*

        $(
            $crate::places!(@layer $kind $layer $table {
                $($place $($function).+ ($($type),*) $($answer)?;)*
            });

            $(
                $crate::places!(@call $kind $place concat!("A call of `", stringify!($($function).+), "`."), {
                    $($argument: $type),*
                } $($answer)?);

                impl $place {
                    /// Calls the library underneath.
                    pub(crate) fn base(&mut self) $(-> $answer)? {
                        $crate::places!(@base $kind self, $caller $path ($($function).+) ($(self.$argument),*))
                    }
                }

                impl $crate::Place for $place {
                    type Answer = $crate::places!(@answer $($answer)?);

                    fn pass(&mut self) -> Self::Answer {
                        $crate::places!(@pass self $($pass)?)
                    }
                }

                $crate::places!(@hooked $library, $place $($of)?);
            )*
        )*
    };
    (@layer fn $layer:ident $table:ty {
        $($place:ident $($function:ident).+ ($($type:ty),*) $($answer:ty)?;)*
    }) => {
        /// Puts the places of this table into it.
        pub(crate) fn $layer(table: &mut $table) {
            $(table.$($function).+ = $crate::Entry::replaced(
                table.$($function).+,
                $place::entry as unsafe extern "system" fn($($type),*) $(-> $answer)?,
            );)*
        }
    };
    (@layer slotted $layer:ident $table:ty {
        $($place:ident $($function:ident).+ ($($type:ty),*) $($answer:ty)?;)*
    }) => {
        /// Puts the places of this table into it, for a slot.
        pub(crate) fn $layer<const SLOT: usize>(table: &mut $table) {
            $(table.$($function).+ = $crate::Entry::replaced(
                table.$($function).+,
                $place::entry::<SLOT> as unsafe extern "system" fn($($type),*) $(-> $answer)?,
            );)*
        }
    };
    (@call fn $place:ident $doc:expr, { $($argument:ident: $type:ty),* } $($answer:ty)?) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        #[allow(clippy::struct_field_names, reason = "the names are those of the arguments")]
        pub(crate) struct $place {
            $(pub(crate) $argument: $type,)*
        }

        impl $place {
            unsafe extern "system" fn entry($($argument: $type),*) $(-> $answer)? {
                Self { $($argument),* }.hooked()
            }
        }
    };
    (@call slotted $place:ident $doc:expr, { $($argument:ident: $type:ty),* } $($answer:ty)?) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        #[allow(clippy::struct_field_names, reason = "the names are those of the arguments")]
        pub(crate) struct $place {
            pub(crate) slot: usize,
            $(pub(crate) $argument: $type,)*
        }

        impl $place {
            unsafe extern "system" fn entry<const SLOT: usize>($($argument: $type),*) $(-> $answer)? {
                Self { slot: SLOT, $($argument),* }.hooked()
            }
        }
    };
    (@base fn $call:ident, $caller:ident ($($table:ident)?) ($($function:tt)*) ($($argument:expr),*)) => {
        $caller!($($table.)?$($function)*($($argument),*))
    };
    (@base slotted $call:ident, $caller:ident ($($table:ident)?) ($($function:tt)*) ($($argument:expr),*)) => {
        $caller!($call.slot, $($table.)?$($function)*($($argument),*))
    };
    (@hooked $library:path, $place:ident $($of:path)?) => {
        impl $place {
            /// The answer, with the defect of this process.
            pub(crate) fn hooked(&mut self) -> <Self as $crate::Place>::Answer {
                let pick = |hook: &Hook| match hook {
                    Hook::$place(hook) => Some(*hook),
                    _ => None,
                };
                let about = || $crate::places!(@about self $($of)?);
                match $library.hook(pick, about) {
                    Some(hook) => hook(self),
                    None => $crate::Place::pass(self),
                }
            }
        }
    };
    (@answer) => { () };
    (@answer $answer:ty) => { $answer };
    (@pass $call:ident) => { $call.base() };
    (@pass $call:ident $pass:path) => { $pass($call) };
    (@about $call:ident) => { None };
    (@about $call:ident $of:path) => { $of($call) };
}
