//! Safe views of the DDI's descriptions.
//!
//! A view is made once, at the start of a call, and checks everything then: null pointers that the
//! DDI does not allow, counts without arrays, misaligned or absurd arrays, strings without an end,
//! shader code whose sizes contradict themselves. After that reading it cannot fail. What cannot be
//! checked from inside, whether the host's memory really is there, is the host's promise.
//!
//! Values of enumerations are kept as they are; [`unknown_values`] lists those that have no name.

mod application;
mod canonical;
mod fields;
mod fixed_function;
mod pipeline_state;
pub mod reading;
mod root_signature;
mod shader;
mod state_object;
mod work_graph;

pub use application::ApplicationDesc;
pub use canonical::{CanonicalStateObject, CanonicalWorkGraph};
pub use fields::{Describe, Field, Fields, UnknownValue, unknown_values};
pub use fixed_function::{InputLayout, StreamOutput};
pub use pipeline_state::PipelineStateDesc;
pub use reading::DescError;
pub use root_signature::{RootParameter, RootSignature, StaticSamplers};
pub use shader::{Shader, ShaderCode, ShaderStage, Signature};
pub(crate) use state_object::Collections;
pub use state_object::{
    Association, DxilLibrary, Export, GenericProgram, HitGroup, StateObjectDesc, Subobject,
};
pub use work_graph::{NodeId, NodeLaunch, NodeOutput, WorkGraph, WorkGraphNode};
