//! A plugin that conforms, and chooses otherwise wherever the specification leaves a choice. The conformance suite
//! has to pass it: what the suite says against it is a false alarm.
//!
//! Compared with the sample plugin and with `headers/examples/minimal_plugin.cpp`, it
//!
//! - sets `pDDIFuncs` to a table of its own, whatever the host had there, and gives handles that are no addresses;
//! - reports one plugin DDI version, the oldest, and three adapter families with names of 127 WCHARs; one of them has
//!   one ABI version, one has many, and one makes the same code for all of its own;
//! - returns S_FALSE where a success is all that is asked for, and failures other than E_INVALIDARG for what it refuses;
//! - needs one byte of private memory for a compiler or a state object, and has what it knows of them elsewhere;
//! - makes the real compiler at the first compile, with the callbacks that are set then;
//! - stores from several threads in the compile call, in each family in another way (`family::Cache`);
//! - has keys of 1 to 700 bytes, and names them in the order of their bytes;
//! - refuses a compile without value types;
//! - has a profile for one application, which changes the code.

mod capabilities;
mod compiler;
mod family;
mod object;
mod open;
mod program;
mod session;

pub use open::D3D12OpenCompilerDDI;
