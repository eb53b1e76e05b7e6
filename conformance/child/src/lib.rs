//! The child of a runner: a process that loads what is tested and makes one test.
//!
//! [`run`] does what a request asks, and writes a journal. From the top: `rules` has the tests, `elsewhere` the second processes of
//! some; `driver`, `plugin` and `runtime` are hosts of what is tested; `inputs` are what they are given; and `watch` notices what a
//! call does besides.

mod build;
mod driver;
mod elsewhere;
mod inputs;
mod plugin;
mod replay;
mod request;
mod rules;
mod runtime;
mod watch;

pub use request::run;
pub use watch::heap::{HEAP_IS_OURS, allocation_fails};
pub use watch::process_change::CLOCK_IS_OURS;
