//! How a library with defects is made: a plugin, a runtime, a driver.
//!
//! - A defect is a row of a table ([`rows!`]): its name, the rule that it breaks, what the library does, what it needs, where it
//!   acts, and its hooks.
//! - A hook is a function at one place of the DDI ([`places!`]). It gets the call, which it may pass on, changed or not, once or
//!   several times or never; what it returns is the answer. Where the defect has no hook, the call is passed on.
//! - A process has one defect ([`Library`]), which the environment variable [`VARIABLE`] names.

mod library;
mod memory;
mod need;
mod place;
mod row;

pub use library::{Library, NONE, VARIABLE};
pub use memory::{follow, given, given_array, given_room, read, rewrite, write};
pub use need::Need;
pub use place::{Entry, Place, changed};
pub use row::{Defect, Expected, Row, Where};
