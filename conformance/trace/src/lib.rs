//! Traces of the calls between a host and a compiler plugin.
//!
//! [`in_front_of`] puts a layer before a plugin's entry point that appends every call and callback to a file, with deep copies of
//! what their pointers lead to. [`Trace`] reads the file and shows it; [`replay`] makes its calls again, of the same plugin or
//! of another one, and says what is different.
//!
//! A trace is lines of JSON. `begin` says which process the lines of this `process` are of; `call` is a call or a callback with
//! its arguments, by their C names; `return` is its result and what it has written; `bytes` are bytes that come after it by their
//! SHA-256. A pointer is `null`, a `block` of the call's `memory` (and an `item` in it), the `room` that the caller has for
//! what the callee writes, or an address as text where nothing can be read or nobody knows what is there. Numbers are as
//! they are in memory, so that a FLOAT is its bits; `ddi-conformance trace show` prints them as they read.

mod blocks;
mod file;
mod functions;
mod record;
mod replay;
mod show;

pub use file::{Begin, Process, Trace, TraceError};
pub use record::{Apart, in_front_of};
pub use replay::{Difference, Step, replay};
