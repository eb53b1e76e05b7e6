//! The SDK as a host sees it: every slot of every table, called through the C ABI with right and wrong
//! arguments. One file for each subject.

mod capabilities;
mod compile;
mod compilers;
mod families;
mod formats;
mod host;
mod keys;
mod open;
mod panics;
mod pipeline_descs;
mod root_signatures;
mod shader_code;
mod state_object_descs;
mod state_objects;
mod tables;
mod versions;
