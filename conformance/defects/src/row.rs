//! A defect, as a row of a table.

use crate::Need;

/// What the suite has to say of a library with a defect. A rule has the name of its constant, `P_ABI_05`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// This rule is broken.
    Breaks(&'static str),
    /// Every rule holds, and of this one the report says these words.
    Notes(&'static str, &'static str),
    /// Every rule holds, as the specification leaves the choice.
    Passes,
    /// These rules do not apply, and every other one holds.
    Leaves(&'static [&'static str]),
    /// No rule is broken, those of level MUST are left undecided, and these do not apply.
    Undecided(&'static [&'static str]),
}

/// What is known of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Its name.
    pub name: &'static str,
    /// What the library does.
    pub what: &'static str,
    /// What the suite has to say of it.
    pub expected: Expected,
    /// Other rules that notice it too, each with the reason why that cannot be helped.
    pub also: &'static [(&'static str, &'static str)],
    /// Rules that notice it now and then, by chance, each with the reason.
    pub sometimes: &'static [(&'static str, &'static str)],
}

/// A condition on what a call is about.
#[derive(Debug)]
pub struct Where<A: 'static> {
    holds: fn(&A) -> bool,
    need: Option<&'static Need>,
}

impl<A> Where<A> {
    /// A condition that any library can meet.
    pub const fn new(holds: fn(&A) -> bool) -> Self {
        Self { holds, need: None }
    }

    /// One that a library can meet which has what is needed.
    pub const fn needing(need: &'static Need, holds: fn(&A) -> bool) -> Self {
        Self {
            holds,
            need: Some(need),
        }
    }

    fn holds(&self, about: &A) -> bool {
        let holds = (self.holds)(about);
        if let Some(need) = self.need {
            need.met_if(holds);
        }
        holds
    }
}

/// A defect with what makes it: `H` is the hooks of the library, `A` what its calls are about.
#[derive(Debug)]
pub struct Row<H: 'static, A: 'static> {
    /// What is known of it.
    pub defect: Defect,
    /// What it needs of the library underneath.
    pub needs: &'static [&'static Need],
    /// The conditions under which its hooks act, at places that are about something.
    pub wheres: &'static [Where<A>],
    /// The hooks. A defect that has none is a library of its own.
    pub hooks: &'static [H],
}

impl<H, A> Row<H, A> {
    /// The hook that `pick` finds, if the conditions hold for what the call is about; that is asked only where it matters.
    pub fn hook<F>(
        &self,
        pick: impl Fn(&H) -> Option<F>,
        about: impl FnOnce() -> Option<A>,
    ) -> Option<F> {
        let hook = self.hooks.iter().find_map(pick)?;
        self.holds(about).then_some(hook)
    }

    /// Whether all conditions hold for what a call is about.
    pub fn holds(&self, about: impl FnOnce() -> Option<A>) -> bool {
        self.wheres.is_empty()
            || about().is_none_or(|about| self.wheres.iter().all(|it| it.holds(&about)))
    }

    /// What it needs and the layer has not met so far, in words.
    pub(crate) fn unmet(&self) -> Option<&'static str> {
        let of_wheres = self.wheres.iter().filter_map(|it| it.need);
        let mut needs = self.needs.iter().copied().chain(of_wheres);
        needs.find_map(Need::unmet)
    }
}

/// Makes a table of defects, `ROWS`, for the hooks and the conditions of a library. A row is
/// `"name" expected: "what the library does", at Place |call| ...;`, where `expected` is one of
///
/// - `breaks RULE`: the rule is broken;
/// - `notes RULE "words"`: every rule holds, and the report says these words of this one;
/// - `passes`: every rule holds, as the specification leaves the choice;
/// - `leaves RULE RULE`: these rules do not apply, and every other one holds;
/// - `undecided RULE`: no rule is broken, those of level MUST are left undecided, and these do not apply.
///
/// Between what it does and its hooks may come, in this order: what it needs of the library underneath, `needs NEED`; the
/// conditions under which its hooks act, `where WHERE`; other rules that notice the defect, with the reason why that cannot be
/// helped, `also RULE RULE: "reason"`; rules that notice it by chance, `sometimes RULE: "reason"`.
#[macro_export]
macro_rules! rows {
    (
        $hook:ident, $about:ty;
        $($name:literal $expected:ident $($rule:ident)* $($words:literal)?: $what:literal
            $(, needs $need:expr)*
            $(, where $condition:expr)*
            $(, also $($other:ident)+: $reason:literal)*
            $(, sometimes $($chance:ident)+: $luck:literal)*
            $(, at $place:ident $action:expr)*;)*
    ) => {
        /// The defects of this file.
        pub(crate) const ROWS: &[$crate::Row<$hook, $about>] = &[$($crate::Row {
            defect: $crate::Defect {
                name: $name,
                what: $what,
                expected: $crate::rows!(@expected $expected $($rule)* $($words)?),
                also: &[$($((stringify!($other), $reason)),+),*],
                sometimes: &[$($((stringify!($chance), $luck)),+),*],
            },
            needs: &[$(&$need),*],
            wheres: &[$($condition),*],
            hooks: &[$($hook::$place($action)),*],
        }),*];
    };
    (@expected breaks $rule:ident) => {
        $crate::Expected::Breaks(stringify!($rule))
    };
    (@expected notes $rule:ident $words:literal) => {
        $crate::Expected::Notes(stringify!($rule), $words)
    };
    (@expected passes) => {
        $crate::Expected::Passes
    };
    (@expected leaves $($rule:ident)+) => {
        $crate::Expected::Leaves(&[$(stringify!($rule)),+])
    };
    (@expected undecided $($rule:ident)*) => {
        $crate::Expected::Undecided(&[$(stringify!($rule)),*])
    };
}
