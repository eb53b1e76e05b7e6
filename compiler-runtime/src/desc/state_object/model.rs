//! A state object after its names are resolved: its exports, its subobjects, which of them belong together, and what each
//! export still lacks. There are no DDI structures yet.

use std::collections::BTreeMap;

use api_sys::D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS;
use ddi_sys::{
    D3D12DDI_STATE_OBJECT_TYPE, D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
    D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE, D3D12DDI_STATE_SUBOBJECT_0054,
};

use super::association::{Association, Kind, Subobject, is_raytracing};
use super::library::Library;
use super::object::Collection;
use super::record::Export;

/// A state object whose names are resolved.
pub(super) struct Model<'a> {
    pub(super) kind: D3D12DDI_STATE_OBJECT_TYPE,
    /// `D3D12_STATE_OBJECT_FLAGS`.
    pub(super) flags: u32,
    /// By the index of the API's subobject.
    pub(super) libraries: BTreeMap<usize, Library<'a>>,
    /// By the index of the API's subobject.
    pub(super) collections: BTreeMap<usize, Collection>,
    pub(super) subobjects: Vec<Declared>,
    pub(super) exports: Vec<Export>,
    /// The associations that are left to a containing object, because this one lacks their subobject or their export.
    pub(super) pending: Vec<Association>,
}

/// A subobject that can be associated.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) subobject: Subobject,
    pub(super) origin: Origin,
}

/// Where a subobject comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The description, by index.
    Description(usize),
    /// A library, or a shader that has the root signature embedded.
    Library,
    /// A collection: the address in its DDI description.
    Collection(*const D3D12DDI_STATE_SUBOBJECT_0054),
}

impl Model<'_> {
    /// The content of the subobject of a kind that an export is associated with.
    pub(super) fn content(&self, export: &Export, kind: Kind) -> Option<&[u8]> {
        let place = export.associated.get(kind)?;
        Some(&self.subobjects[place].subobject.content)
    }

    pub(super) fn label(&self, export: &Export, kind: Kind) -> &str {
        let place = export.associated.get(kind);
        place.map_or("nothing", |place| &self.subobjects[place].subobject.label)
    }

    pub(super) fn is_collection(&self) -> bool {
        self.kind == D3D12DDI_STATE_OBJECT_TYPE_COLLECTION
    }

    /// Whether the object must have everything that its exports need.
    pub(super) fn is_closed(&self) -> bool {
        !self.is_collection()
            || self.flags & D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS
                == 0
    }

    /// Whether an export needs the two raytracing configs.
    pub(super) fn needs_raytracing_config(&self, export: &Export) -> bool {
        self.kind != D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE
            && export
                .function()
                .is_some_and(|function| is_raytracing(function.kind))
    }
}

/// Content, which can be compared, from numbers.
pub(super) fn content_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The first numbers of content.
pub(super) fn numbers_of<const N: usize>(content: &[u8]) -> [u32; N] {
    let (words, _) = content.as_chunks();
    let mut words = words.iter().copied().map(u32::from_le_bytes);
    std::array::from_fn(|_| words.next().unwrap_or_default())
}
