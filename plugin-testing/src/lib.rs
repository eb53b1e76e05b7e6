//! Compile DXIL with a plugin in a unit test, without a host.
//!
//! A [`Host`] opens a plugin of `plugin-sdk` in the test's own process, through the entry point that its DLL exports. It takes
//! shaders as DXC writes them, describes a pipeline or a state object around them, translates that to the DDI with the code of
//! `compiler-runtime`, and keeps what the plugin stores in memory. [`Compiled`] has the keys and values of an object, and how
//! much of it the plugin found or stored.
//!
//! ```
//! use plugin_sdk::ValueType;
//! use plugin_testing::Host;
//! # use sample_plugin::SamplePlugin as MyPlugin;
//! # fn main() -> Result<(), plugin_testing::Error> {
//!
//! let shader = include_bytes!("../../dxil/corpus/dxil/raw_copy_cs.dxil");
//! let host = Host::<MyPlugin>::open()?;
//! let compiled = host.compile_compute(shader)?;
//! assert_eq!(compiled.object_code().count(), 3);
//! assert!(compiled.values(ValueType::Metadata).all(|value| !value.is_empty()));
//!
//! // The second compile finds everything under the same keys.
//! let again = host.compile_compute(shader)?;
//! assert!(again.keys().eq(compiled.keys()));
//! assert_eq!((again.found(), again.stored()), (compiled.stored(), 0));
//! # Ok(())
//! # }
//! ```
//!
//! A test that changes one field of a description shows what a key depends on:
//!
//! ```
//! use plugin_testing::{Host, pipeline_desc};
//! # use sample_plugin::SamplePlugin as MyPlugin;
//! # fn main() -> Result<(), plugin_testing::Error> {
//!
//! let vertex = include_bytes!("../../dxil/corpus/dxil/forward_plain_vs.dxil");
//! let pixel = include_bytes!("../../dxil/corpus/dxil/forward_plain_ps.dxil");
//! let host = Host::<MyPlugin>::open()?;
//! let mut desc = pipeline_desc(&[vertex, pixel])?;
//! let before = host.compile_pipeline(&desc)?;
//! desc.fixed_function.sample_mask = Some(1);
//! let after = host.compile_pipeline(&desc)?;
//! assert!(after.stored() < before.stored(), "the stages are shared");
//! # Ok(())
//! # }
//! ```
//!
//! What the kit's runtime refuses (`docs/runtime-validation.md`), the host refuses too, in the same words, and does not call the
//! plugin; that includes what the plugin's [capabilities](plugin_sdk::Capabilities) deny. If the plugin fails, the [`Error`] has
//! the HRESULT and what the SDK logged.
//!
//! This is a crate for `[dev-dependencies]`, and no part of the SDK: it links the runtime, whose exports a plugin's DLL must not
//! have. It does not replace the conformance suite, which calls the DLL.

mod cache;
mod compiled;
mod description;
mod error;
mod host;
mod log;
mod state_object;

/// The descriptions of the API.
pub use api_desc as desc;
/// The API's own types and constants, for the fields of descriptions.
pub use api_sys as api;
pub use plugin_host::{ApplicationDesc, Engine, U16CString};

pub use compiled::Compiled;
pub use description::pipeline_desc;
pub use error::Error;
pub use host::{Host, Settings};
pub use state_object::StateObject;

/// The examples in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
