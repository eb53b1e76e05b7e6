//! Reads DXIL: the container in which the API takes shaders, and the program inside, which drivers
//! compile.
//!
//! - [`Container`] is a DXBC container: parts and a hash. Its [`program`](Container::program) is in
//!   the `DXIL` part.
//! - [`Program`] is a shader kind, a shader model and LLVM bitcode.
//! - [`Form`] tells which of the two some shader code is, for callers such as the DDI that do not
//!   know.
//! - [`Signature`] is what a shader takes in or puts out, [`RootSignature`] where its resources come
//!   from: parts of the container.
//! - [`psv0`] is what the runtime knows of a shader, [`rdat`] what it knows of a library: exports,
//!   resources, subobjects. [`Part::content`] reads any part, [`Container::check`] all of them.
//! - [`Module`] is what a program says of itself, for those who get it without the parts: entry
//!   points, resources, [`constants`].
//! - [`patch`] gives specialization constants their value in a compiled shader.
//! - [`bitstream`] reads the records of the bitcode.
//! - [`ContainerBuilder`] writes containers, [`RootSignatureDesc`] root signatures; [`sign`] puts in
//!   the [`container_hash`], which the runtime checks.
//!
//! Containers, programs and parts borrow from the bytes they were parsed from; nothing is copied.
//! Any input is safe to read: every offset, size and count is checked when it is parsed, in
//! arithmetic that cannot overflow, and what is wrong comes back as an [`Error`] that names the part
//! and the byte. There is no `unsafe` code in this crate.
//!
//! The format is defined by Microsoft's DirectXShaderCompiler (`docs/DXIL.rst`, `DxilContainer.h`).
//! All numbers are little-endian, all offsets and sizes in bytes unless a name says otherwise.
//!
//! ```
//! use dxil::{Container, FourCc, ShaderKind, StoredHash};
//!
//! let bytes = include_bytes!("../corpus/dxil/raw_copy_cs.dxil");
//! let container = Container::parse(bytes)?;
//! for part in container.parts() {
//!     println!("{:#06x} {} {:5} bytes", part.offset(), part.fourcc(), part.bytes().len());
//! }
//! assert!(container.part(FourCc::RTS0).is_some());
//! assert!(matches!(container.hash(), StoredHash::Hash(_)));
//! container.verify()?;
//!
//! let program = container.program()?;
//! assert_eq!(program.kind(), ShaderKind::Compute);
//! assert_eq!(program.shader_model().to_string(), "6.0");
//! assert_eq!(&program.bitcode()[..2], b"BC");
//! # Ok::<(), dxil::Error>(())
//! ```
//!
//! # Features
//!
//! - `tool`, off by default: the program `dxil-tool`, and the crates that it alone needs. The library is the same without it.
#![forbid(unsafe_code)]

pub mod bitstream;
mod builder;
mod check;
pub mod constants;
mod container;
mod error;
mod foreign;
mod form;
mod fourcc;
mod hash;
pub mod module;
mod numbers;
pub mod patch;
mod pdb;
mod program;
pub mod psv0;
pub mod rdat;
mod read;
mod resource;
mod root_signature;
mod root_signature_desc;
mod root_signature_text;
mod signature;
mod small_parts;

pub use builder::ContainerBuilder;
pub use check::PartContent;
pub use container::{Container, Part};
pub use error::{BitstreamFault, Error, ErrorKind, PartRecord};
pub use foreign::Foreign;
pub use form::Form;
pub use fourcc::FourCc;
pub use hash::{Signing, StoredHash, container_hash, sign};
pub use module::Module;
pub use pdb::pdb_container;
pub use program::{Program, ShaderKind, Version};
pub use read::Numbers;
pub use resource::{ResourceClass, ResourceKind};
pub use root_signature::{
    DescriptorRange, DescriptorRangeFlags, DescriptorRangeType, DescriptorTable, RootConstants,
    RootDescriptor, RootDescriptorFlags, RootParameter, RootParameterKind, RootSignature,
    RootSignatureFlags, SamplerFlags, ShaderVisibility, StaticSampler,
};
pub use root_signature_desc::{
    RootParameterDesc, RootParameterKindDesc, RootSignatureDesc, RootSignatureError,
    RootSignatureFault, RootSignaturePlace, SamplerValue,
};
pub use signature::{ComponentType, MinPrecision, Signature, SignatureElement, SystemValue};
pub use small_parts::{
    CompilerFlags, CompilerVersion, DebugName, FeatureFlags, ShaderHash, ShaderHashFlags,
};

/// The examples in the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
