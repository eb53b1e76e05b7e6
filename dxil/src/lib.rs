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
//! - [`bitstream`] reads the records of the bitcode.
//! - [`container_hash`] is the hash that the runtime checks.
//!
//! Everything borrows from the bytes it was parsed from; nothing is copied. Any input is safe to
//! read: every offset, size and count is checked when it is parsed, in arithmetic that cannot
//! overflow, and what is wrong comes back as an [`Error`] that names the part and the byte. There
//! is no `unsafe` code in this crate.
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
#![forbid(unsafe_code)]

pub mod bitstream;
mod container;
mod error;
mod form;
mod fourcc;
mod hash;
mod numbers;
mod program;
mod read;
mod root_signature;
mod signature;

pub use container::{Container, Part};
pub use error::{BitstreamFault, Error, ErrorKind};
pub use form::Form;
pub use fourcc::FourCc;
pub use hash::{StoredHash, container_hash};
pub use program::{Program, ShaderKind, Version};
pub use root_signature::{
    DescriptorRange, DescriptorRangeFlags, DescriptorRangeType, DescriptorTable, RootConstants,
    RootDescriptor, RootDescriptorFlags, RootParameter, RootParameterKind, RootSignature,
    RootSignatureFlags, SamplerFlags, ShaderVisibility, StaticSampler,
};
pub use signature::{ComponentType, MinPrecision, Signature, SignatureElement, SystemValue};
