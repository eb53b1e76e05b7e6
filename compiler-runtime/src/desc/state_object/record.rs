//! The exports of a state object, and what the objects need of it that contain it or grow from it.

use std::sync::Arc;

use api_desc::HitGroup;
use api_sys::D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS;
use ddi_sys::{
    D3D12DDI_EXPORT_SUMMARY_FLAGS, D3D12DDI_STATE_OBJECT_TYPE, D3D12DDI_STATE_SUBOBJECT_0054,
};
use dxil::ShaderKind;

use super::association::{Associated, Association, Scope, Subobject};
use super::function::Function;

/// An export of a state object.
#[derive(Clone, Debug)]
pub(super) struct Export {
    pub(super) name: String,
    pub(super) mangled: String,
    /// The names in the library or in the collection.
    pub(super) internal_name: String,
    pub(super) internal_mangled: String,
    /// Whether only exports of the same collection can refer to it: the description does not list it, but a listed export needs
    /// it.
    pub(super) is_hidden: bool,
    pub(super) scope: Scope,
    pub(super) what: What,
    /// Its associated subobjects, by their places in the model.
    pub(super) associated: Associated,
    pub(super) lacks: D3D12DDI_EXPORT_SUMMARY_FLAGS,
}

/// What an export is made of.
#[derive(Clone, Debug)]
pub(super) enum What {
    Function(Arc<Function>),
    HitGroup {
        desc: HitGroup,
        /// The exports of its shaders, by place, in the order of the imports.
        shaders: [Option<usize>; 3],
        /// The place of its declaration, for messages.
        label: String,
    },
}

impl Export {
    /// Whether it is a shader or a hit group, and not a function that shaders call.
    pub(super) fn is_entry(&self) -> bool {
        match &self.what {
            What::Function(function) => function.kind != ShaderKind::Library,
            What::HitGroup { .. } => true,
        }
    }

    /// Whether it is a shader or a hit group that others can name.
    pub(super) fn is_visible_entry(&self) -> bool {
        self.is_entry() && !self.is_hidden
    }

    pub(super) fn function(&self) -> Option<&Arc<Function>> {
        match &self.what {
            What::Function(function) => Some(function),
            What::HitGroup { .. } => None,
        }
    }
}

/// What the objects need of a state object that contain it or grow from it.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) kind: D3D12DDI_STATE_OBJECT_TYPE,
    pub(super) flags: u32,
    pub(super) exports: Vec<Export>,
    /// The subobjects, with their addresses in the DDI's description.
    pub(super) subobjects: Vec<(Subobject, *const D3D12DDI_STATE_SUBOBJECT_0054)>,
    pub(super) pending: Vec<Association>,
}

impl Record {
    /// Whether a containing object may refer to what is in a collection.
    pub(super) fn is_open(&self) -> bool {
        self.flags & D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS != 0
    }
}
