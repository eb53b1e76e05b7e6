//! Descriptions of pipeline states and state objects, safe and without pointers.
//!
//! They use the API's own structures where those have no pointers. Lists keep their order. Strings have no NUL inside.
//!
//! [`PipelineStateDesc::borrow_raw`] and [`StateObjectDesc::from_raw`] read a C++ caller's structures. They check pointers as
//! far as pointers can be checked: null, alignment, sizes, counts, types. They do not judge what a structure means. `to_raw`
//! makes the API's structures from a description.

pub mod caller;
mod desc;
mod error;
mod from_raw;
mod place;
mod to_raw;

pub use desc::{
    Association, Blob, CollectionName, CollectionOfCaller, DxilAssociation, DxilLibrary,
    ExistingCollection, Export, FixedFunction, GenericProgram, HitGroup, InputElement, NodeId,
    OutputOverrides, PipelineStateDesc, ShaderNode, ShaderStage, Shaders, State, StateObjectDesc,
    StreamOutput, StreamOutputEntry, Subobject, ViewInstancing, WorkGraph,
};
pub use error::{Invalid, Reason};
pub use place::{RecordPlace, RecordPlaces, SubobjectPlace, subobject_name};
pub use to_raw::{ApiCollection, ApiObjects, RawPipelineState, RawStateObject};

/// The examples in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
