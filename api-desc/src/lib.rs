//! Descriptions of pipeline states and state objects, safe and without pointers.
//!
//! Structures of the API that have no pointers are used as they are. Lists keep their order. Strings have no NUL inside.
//!
//! [`PipelineStateDesc::borrow_raw`] and [`StateObjectDesc::from_raw`] make them of a C++ caller's structures. They check
//! pointers as far as pointers can be checked: null, alignment, sizes, counts, types. They do not judge what a structure
//! means. `to_raw` makes the API's structures again.

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
