//! The catalogue of the conformance suite: the [`rules`] with their texts, the sentences of the specification that they come
//! from, and the [`verdict`]s on them. It is data: it tests nothing, and does not know who uses it.

mod defect;
pub mod page;
mod rule;
pub mod rules;
mod sentences;
pub mod verdict;

pub use defect::Defect;
pub use rule::{Level, Party, Rule};
