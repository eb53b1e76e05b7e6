//! What a state object is made of once names are resolved: its exports, its subobjects, which of
//! them belong together, and what each export still lacks. No DDI structures yet.

use std::collections::{BTreeMap, HashSet};
use std::ffi::c_void;
use std::sync::Arc;

use api_sys::{
    D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS,
    D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS,
    D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS,
};
use ddi_sys::{
    D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_ASSOCIATIONS, D3D12DDI_EXPORT_SUMMARY_FLAGS,
    D3D12DDI_STATE_OBJECT_TYPE, D3D12DDI_STATE_OBJECT_TYPE_COLLECTION,
    D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE, D3D12DDI_STATE_SUBOBJECT_0054,
};
use dxil::{ShaderKind, Version};

use super::association::{Associated, Association, Kind, Scope, Subobject, Target, is_raytracing};
use super::function::Function;
use super::library::Library;
use super::link::Linker;
use super::read::{Description, HitGroup, Place};
use super::resolve::resolve;
use super::{Collection, StateObject};
use crate::desc::Invalid;

/// From this shader model on, payloads can have access qualifiers, which put them above the shader
/// config; runtime data does not say which have.
const PAYLOAD_QUALIFIERS: Version = Version { major: 6, minor: 6 };

/// A state object whose names are resolved.
pub(super) struct Model<'a> {
    pub(super) kind: D3D12DDI_STATE_OBJECT_TYPE,
    /// `D3D12_STATE_OBJECT_FLAGS`.
    pub(super) flags: u32,
    /// By place of the API's subobject.
    pub(super) libraries: BTreeMap<usize, Library<'a>>,
    /// Likewise.
    pub(super) collections: BTreeMap<usize, Collection>,
    pub(super) subobjects: Vec<Declared>,
    pub(super) exports: Vec<Export>,
    /// What exports outside of a collection are associated with in it.
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
    /// The description, by place.
    Description(usize),
    /// A library; so does a root signature that is embedded in a shader.
    Library,
    /// A collection, whose DDI description has it there.
    Collection(*const D3D12DDI_STATE_SUBOBJECT_0054),
}

/// An export of a state object.
#[derive(Clone, Debug)]
pub(super) struct Export {
    pub(super) name: String,
    pub(super) mangled: String,
    /// The names in the library or in the collection.
    pub(super) internal_name: String,
    pub(super) internal_mangled: String,
    /// Whether only what comes from the same collection can refer to it: it was not listed, but what was
    /// listed needs it.
    pub(super) is_hidden: bool,
    pub(super) scope: Scope,
    pub(super) what: What,
    /// What it is associated with, by place in the model.
    pub(super) associated: Associated,
    pub(super) lacks: D3D12DDI_EXPORT_SUMMARY_FLAGS,
}

/// What an export is.
#[derive(Clone, Debug)]
pub(super) enum What {
    Function(Arc<Function>),
    HitGroup {
        desc: HitGroup,
        /// The exports that it is made of, by place, in the order of the imports.
        shaders: [Option<usize>; 3],
        /// Where it is declared, for messages.
        label: String,
    },
}

impl Export {
    /// Whether it is a shader or a hit group, not a function that shaders call.
    pub(super) fn is_entry(&self) -> bool {
        match &self.what {
            What::Function(function) => function.kind != ShaderKind::Library,
            What::HitGroup { .. } => true,
        }
    }

    /// Whether the state object has it as a shader or a hit group by its name.
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

/// What is kept of a state object for those that contain it or grow from it.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) kind: D3D12DDI_STATE_OBJECT_TYPE,
    pub(super) flags: u32,
    pub(super) exports: Vec<Export>,
    /// Subobjects, with their places in the DDI's description.
    pub(super) subobjects: Vec<(Subobject, *const D3D12DDI_STATE_SUBOBJECT_0054)>,
    pub(super) pending: Vec<Association>,
}

impl Record {
    /// Whether a containing object may refer to what is in a collection.
    pub(super) fn is_open(&self) -> bool {
        self.flags & D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS != 0
    }
}

impl<'a> Model<'a> {
    /// Resolves a description.
    pub(super) fn new(
        description: &Description<'a>,
        places: &[Place],
        parent: Option<&StateObject>,
        find_collection: &mut dyn FnMut(*mut c_void) -> Option<Collection>,
    ) -> Result<Self, Invalid> {
        let mut model = resolve(description, places, find_collection)?;
        model.flags = model.find_flags();
        model.check_uniform()?;
        model.find_lacks()?;
        model.check_collections()?;
        if let Some(parent) = parent {
            model.check_addition(parent)?;
        }
        Ok(model)
    }

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

    /// Whether everything must be there that is needed.
    pub(super) fn is_closed(&self) -> bool {
        !self.is_collection()
            || self.flags & D3D12_STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS
                == 0
    }

    /// The flags of the config that the exports are associated with; of an object without exports, of
    /// the config that is there.
    pub(super) fn find_flags(&self) -> u32 {
        let own = |export: &&Export| !matches!(export.scope, Scope::Collection(_));
        let of_export = (self.exports.iter().filter(own))
            .find_map(|e| self.content(e, Kind::StateObjectConfig));
        let declared = || {
            let config = |d: &&Declared| {
                d.subobject.kind == Kind::StateObjectConfig
                    && !matches!(d.subobject.scope, Scope::Collection(_))
            };
            self.subobjects
                .iter()
                .find(config)
                .map(|d| &d.subobject.content[..])
        };
        let content = of_export.or_else(declared);
        content.map_or(0, |content| numbers_of::<1>(content)[0])
    }

    /// Kinds that are the same for all exports.
    fn check_uniform(&self) -> Result<(), Invalid> {
        for kind in [
            Kind::StateObjectConfig,
            Kind::NodeMask,
            Kind::RaytracingShaderConfig,
            Kind::RaytracingPipelineConfig,
        ] {
            let concerned = |e: &&Export| match kind {
                Kind::StateObjectConfig => e.is_entry() && !matches!(e.scope, Scope::Collection(_)),
                Kind::NodeMask => e.is_entry(),
                _ => self.needs_raytracing_config(e),
            };
            let mut exports = self.exports.iter().filter(concerned);
            let Some(first) = exports
                .clone()
                .find(|export| self.content(export, kind).is_some())
            else {
                continue;
            };
            let differs = |export: &&Export| match self.content(export, kind) {
                Some(content) => Some(content) != self.content(first, kind),
                // What a raytracing shader lacks is another matter.
                None => matches!(kind, Kind::StateObjectConfig | Kind::NodeMask),
            };
            if let Some(other) = exports.find(differs) {
                return refuse(format!(
                    "all exports have the same {kind}, but {} has {} and {} has {}",
                    first.name,
                    self.label(first, kind),
                    other.name,
                    self.label(other, kind)
                ));
            }
        }
        self.check_sizes()
    }

    /// Whether an export needs the two configs of ray tracing.
    pub(super) fn needs_raytracing_config(&self, export: &Export) -> bool {
        self.kind != D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE
            && export
                .function()
                .is_some_and(|function| is_raytracing(function.kind))
    }

    /// Payloads and attributes against the shader config.
    fn check_sizes(&self) -> Result<(), Invalid> {
        for export in &self.exports {
            let Some(function) = export.function() else {
                continue;
            };
            let content = self.content(export, Kind::RaytracingShaderConfig);
            let Some([payload, attributes]) = content.map(numbers_of) else {
                continue;
            };
            let name = &export.name;
            if function.attribute_size > attributes {
                return refuse(format!(
                    "export {name}: its attributes have {} bytes, MaxAttributeSizeInBytes is {attributes}",
                    function.attribute_size
                ));
            }
            let counts =
                function.kind != ShaderKind::Callable && function.shader_model < PAYLOAD_QUALIFIERS;
            if counts && function.payload_size > payload {
                return refuse(format!(
                    "export {name}: its payload has {} bytes, MaxPayloadSizeInBytes is {payload}",
                    function.payload_size
                ));
            }
        }
        Ok(())
    }

    /// Finds what each export lacks; in a closed object nothing may.
    fn find_lacks(&mut self) -> Result<(), Invalid> {
        let linker = Linker::new(self);
        let mut lacks = vec![D3D12DDI_EXPORT_SUMMARY_FLAGS(0); self.exports.len()];
        for (place, export) in self.exports.iter().enumerate() {
            if !export.is_entry() {
                continue;
            }
            for (flag, why) in linker.lacks_of(place)? {
                if self.is_closed() {
                    let hint = if self.is_collection() {
                        "; or set ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS"
                    } else {
                        ""
                    };
                    return refuse(format!("export {}: {why}{hint}", export.name));
                }
                lacks[place].0 |= flag;
            }
        }
        let flag = D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_ASSOCIATIONS.0;
        let unresolved = self
            .pending
            .iter()
            .filter(|p| matches!(p.target, Target::Named(_)));
        for association in unresolved {
            for (export, lacks) in self.exports.iter().zip(&mut lacks) {
                let is_meant =
                    association.exports.is_empty() || association.exports.contains(&export.name);
                if export.is_entry() && is_meant {
                    lacks.0 |= flag;
                }
            }
        }
        // A hit group lacks what its shaders lack.
        for place in 0..self.exports.len() {
            if let What::HitGroup { shaders, .. } = &self.exports[place].what {
                for &shader in shaders.iter().flatten() {
                    lacks[place].0 |= lacks[shader].0;
                }
            }
        }
        for (export, lacks) in self.exports.iter_mut().zip(lacks) {
            export.lacks = lacks;
        }
        Ok(())
    }

    fn check_collections(&self) -> Result<(), Invalid> {
        if self.flags & D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS == 0 {
            return Ok(());
        }
        for (index, collection) in &self.collections {
            if collection.desc.record().flags & D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS
                == 0
            {
                return refuse(format!(
                    "pSubobjects[{index}]: the collection lacks ALLOW_STATE_OBJECT_ADDITIONS, which \
                     the state object has"
                ));
            }
        }
        Ok(())
    }

    /// Against the state object that this one is added to, and all that that one was added to.
    fn check_addition(&self, parent: &StateObject) -> Result<(), Invalid> {
        let record = parent.record();
        if record.kind == D3D12DDI_STATE_OBJECT_TYPE_COLLECTION {
            return refuse("a collection cannot be added to");
        }
        if self.kind != record.kind {
            return refuse(format!(
                "an addition of type {} to a state object of type {}",
                self.kind.0, record.kind.0
            ));
        }
        for (flags, which) in [
            (record.flags, "state object that is added to"),
            (self.flags, "addition"),
        ] {
            if flags & D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS == 0 {
                return refuse(format!("the {which} lacks ALLOW_STATE_OBJECT_ADDITIONS"));
            }
        }
        let own: HashSet<&str> = self
            .exports
            .iter()
            .filter(|e| e.is_visible_entry())
            .map(|e| &*e.name)
            .collect();
        for ancestor in parent.lineage() {
            let record = ancestor.record();
            let mut entries = record.exports.iter().filter(|e| e.is_visible_entry());
            if let Some(export) = entries.find(|export| own.contains(&*export.name)) {
                return refuse(format!(
                    "export {}: the state object that is added to has an export of this name",
                    export.name
                ));
            }
            for kind in [
                Kind::RaytracingShaderConfig,
                Kind::RaytracingPipelineConfig,
                Kind::NodeMask,
            ] {
                let theirs = record
                    .exports
                    .iter()
                    .find_map(|export| Some(&record.subobjects[export.associated.get(kind)?].0));
                let ours = self.exports.iter().find_map(|export| {
                    Some(&self.subobjects[export.associated.get(kind)?].subobject)
                });
                if let (Some(theirs), Some(ours)) = (theirs, ours)
                    && theirs.content != ours.content
                {
                    return refuse(format!(
                        "{}: the state object that is added to has another {kind}",
                        ours.label
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Numbers as content that can be compared.
pub(super) fn content_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The first numbers of such content.
pub(super) fn numbers_of<const N: usize>(content: &[u8]) -> [u32; N] {
    let (words, _) = content.as_chunks();
    let mut words = words.iter().copied().map(u32::from_le_bytes);
    std::array::from_fn(|_| words.next().unwrap_or_default())
}

fn refuse<T>(text: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}
