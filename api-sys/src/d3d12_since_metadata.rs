//! Of `d3d12.h`: what descriptions are made of and Microsoft's metadata does not have yet.
//!
//! Without another word an item is of the header of SDK version 619.

use core::ffi::c_void;

use crate::{
    D3D12_EXPORT_DESC, D3D12_NODE_TYPE, D3D12_PIPELINE_STATE_FLAGS, D3D12_STATE_OBJECT_FLAGS,
    D3D12_STATE_SUBOBJECT_TYPE, D3D12_WORK_GRAPH_FLAGS, ID3D10Blob,
};

/// A block of memory with a length.
pub type ID3DBlob = ID3D10Blob;
pub use crate::ID3D10Blob_Impl as ID3DBlob_Impl;

/// Asks that the pipeline give no cached blob.
pub const D3D12_PIPELINE_STATE_FLAG_DISABLE_CACHED_BLOB: D3D12_PIPELINE_STATE_FLAGS = 0x10;
/// Preview 1.721.1.
pub const D3D12_PIPELINE_STATE_FLAG_DEBUG_BREAK_ALWAYS_HALT: D3D12_PIPELINE_STATE_FLAGS = 0x20;
/// Preview 1.721.1.
pub const D3D12_PIPELINE_STATE_FLAG_DEBUG_BREAK_FORCE_NOP: D3D12_PIPELINE_STATE_FLAGS = 0x40;

/// Preview 1.721.1: a node that is a program of several shaders.
pub const D3D12_NODE_TYPE_PROGRAM: D3D12_NODE_TYPE = 1;
/// Preview 1.721.1: entry nodes that are graphics programs rasterize in the order of their records.
pub const D3D12_WORK_GRAPH_FLAG_ENTRYPOINT_GRAPHICS_NODES_RASTERIZE_IN_ORDER:
    D3D12_WORK_GRAPH_FLAGS = 0x2;

/// Index of the major part in [`D3D12_VERSION_NUMBER::VersionParts`](crate::D3D12_VERSION_NUMBER).
pub const D3D12_VERSION_PART_MAJOR: i32 = 3;
/// Index of the minor part.
pub const D3D12_VERSION_PART_MINOR: i32 = 2;
/// Index of the build.
pub const D3D12_VERSION_PART_BUILD: i32 = 1;
/// Index of the revision.
pub const D3D12_VERSION_PART_REVISION: i32 = 0;

/// The parts of a [`D3D12_VERSION_NUMBER`](crate::D3D12_VERSION_NUMBER), of preview 1.721.1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_VERSION_NUMBER_COMPONENTS {
    /// The lowest 16 bits.
    pub Revision: u16,
    /// Those above.
    pub Build: u16,
    /// Those above.
    pub Minor: u16,
    /// The highest 16 bits.
    pub Major: u16,
}

/// [`D3D12_COMPILER_EXISTING_COLLECTION_DESC`](crate::D3D12_COMPILER_EXISTING_COLLECTION_DESC).
pub const D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION: D3D12_STATE_SUBOBJECT_TYPE = 33;
/// [`D3D12_API_EXTENSION_DESC`], of preview 1.721.1.
pub const D3D12_STATE_SUBOBJECT_TYPE_API_EXTENSION: D3D12_STATE_SUBOBJECT_TYPE = 35;
/// [`D3D12_EXISTING_COLLECTION_BY_KEY_DESC`].
pub const D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY: D3D12_STATE_SUBOBJECT_TYPE = 36;
/// One more than the last type; the preview 1.721.1 uses the number otherwise.
pub const D3D12_STATE_SUBOBJECT_TYPE_MAX_VALID: D3D12_STATE_SUBOBJECT_TYPE = 37;
/// Preview 1.721.1: PartialGraphicsPrograms.md.
pub const D3D12_STATE_SUBOBJECT_TYPE_PARTIAL_GRAPHICS_PROGRAM: D3D12_STATE_SUBOBJECT_TYPE = 37;
/// Preview 1.721.1: PartialGraphicsPrograms.md.
pub const D3D12_STATE_SUBOBJECT_TYPE_OUTPUT_LINKAGE_SIGNATURE: D3D12_STATE_SUBOBJECT_TYPE = 38;
/// Preview 1.721.1: PartialGraphicsPrograms.md.
pub const D3D12_STATE_SUBOBJECT_TYPE_PRERASTERIZATION_OUTPUT_LINKAGE_SIGNATURE:
    D3D12_STATE_SUBOBJECT_TYPE = 39;
/// Preview 1.721.1: PartialGraphicsPrograms.md.
pub const D3D12_STATE_SUBOBJECT_TYPE_PRERASTERIZATION_SHADERS_PARTIAL_PROGRAM_FIELDS:
    D3D12_STATE_SUBOBJECT_TYPE = 40;
/// Preview 1.721.1: PartialGraphicsPrograms.md.
pub const D3D12_STATE_SUBOBJECT_TYPE_PIXEL_SHADER_PARTIAL_PROGRAM_FIELDS:
    D3D12_STATE_SUBOBJECT_TYPE = 41;
/// Preview 1.721.1.
pub const D3D12_STATE_SUBOBJECT_TYPE_MLIR_PROGRAM: D3D12_STATE_SUBOBJECT_TYPE = 42;

/// Preview 1.721.1.
pub const D3D12_STATE_OBJECT_FLAG_FULL_SPECIALIZATION: D3D12_STATE_OBJECT_FLAGS = 0x8;
/// Preview 1.721.1.
pub const D3D12_STATE_OBJECT_FLAG_WORK_GRAPHS_USE_GRAPHICS_STATE_FOR_GLOBAL_ROOT_SIGNATURE:
    D3D12_STATE_OBJECT_FLAGS = 0x40;
/// Preview 1.721.1.
pub const D3D12_STATE_OBJECT_FLAG_DEBUG_BREAK_ALWAYS_HALT: D3D12_STATE_OBJECT_FLAGS = 0x80;
/// Preview 1.721.1.
pub const D3D12_STATE_OBJECT_FLAG_DEBUG_BREAK_FORCE_NOP: D3D12_STATE_OBJECT_FLAGS = 0x100;
/// Preview 1.721.1: PartialGraphicsPrograms.md, where its number is another.
pub const D3D12_STATE_OBJECT_FLAG_PREFER_MINIMAL_LINK: D3D12_STATE_OBJECT_FLAGS = 0x200;
/// Preview 1.721.1: PartialGraphicsPrograms.md, where its number is another.
pub const D3D12_STATE_OBJECT_FLAG_PREFER_MINIMAL_LINK_BACKGROUND_SPECIALIZE:
    D3D12_STATE_OBJECT_FLAGS = 0x400;

/// An extension of a device: an interface that is only passed on.
#[repr(C)]
#[derive(Debug)]
pub struct ID3D12Extension([u8; 0]);

/// Payload of [`D3D12_STATE_SUBOBJECT_TYPE_API_EXTENSION`], of preview 1.721.1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_API_EXTENSION_DESC {
    /// The extension, of the device that makes the state object.
    pub pExtension: *mut ID3D12Extension,
}

/// Payload of [`D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY`]; only databases know it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D3D12_EXISTING_COLLECTION_BY_KEY_DESC {
    /// Bytes of the collection's key.
    pub pKey: *const c_void,
    /// Their number.
    pub KeySize: u32,
    /// Number of exports taken from it; 0 takes all.
    pub NumExports: u32,
    /// The exports.
    pub pExports: *const D3D12_EXPORT_DESC,
}
