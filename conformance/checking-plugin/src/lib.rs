//! A plugin that checks its host: a small plugin behind a layer that compares every call of the host
//! with the H rules, which are in `conformance-catalogue`.
//!
//! What it sees it appends to the file that the environment variable [`record::VARIABLE`] names; see
//! [`record::Entry`] for the lines. A call that the small plugin could not stand, such as one with a
//! handle that is not alive, is refused with E_INVALIDARG and not passed on. Another plugin takes the place of the small
//! one where the environment variable [`record::PLUGIN`] names it.
//!
//! In each compile call, and only while it records, it tries the host's callbacks with values of its
//! own, which stay in the session. What a host may not survive, or what changes the result of the call,
//! it tries only for applications with a name of [`record`].
//!
//! [`record`]: conformance_protocol::record
//! [`record::PLUGIN`]: conformance_protocol::record::PLUGIN
//! [`record::VARIABLE`]: conformance_protocol::record::VARIABLE
//! [`record::Entry`]: conformance_protocol::record::Entry

mod capabilities;
mod compiler;
mod description;
mod fields;
mod open;
mod opens;
mod session;
mod trials;
mod underneath;
mod work_graph;
mod writer;

pub use open::D3D12OpenCompilerDDI;
