//! Makes a [`Model`] of a description: reads libraries and collections, finds the shaders of hit groups, and resolves
//! associations.

use std::collections::{BTreeMap, HashMap, HashSet};

use api_desc::{HitGroup, SubobjectPlace};
use api_sys::{
    D3D12_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE, D3D12_HIT_GROUP_TYPE_TRIANGLES,
    D3D12_RAYTRACING_PIPELINE_CONFIG1, D3D12_RAYTRACING_SHADER_CONFIG,
    D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS,
};
use ddi_sys::{
    D3D12DDI_EXPORT_SUMMARY_FLAGS, D3D12DDI_STATE_OBJECT_TYPE,
    D3D12DDI_STATE_OBJECT_TYPE_COLLECTION, D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE,
    D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
};
use dxil::ShaderKind;
use dxil::rdat::{HitGroupType, SubobjectKind};

use super::association::{
    self, Associated, Association, ExportKind, Kind, Scope, Subobject, Target,
};
use super::check::{
    check_config, check_hit_group, check_pipeline_config, check_shader_config, newest,
};
use super::library::{Library, renamed};
use super::model::{Declared, Model, Origin, content_of, numbers_of};
use super::object::{Collection, Content, Description, StateObject};
use super::record::{Export, Record, What};
use crate::desc::Invalid;
use crate::desc::root_signature::{self, Scope as RootSignatureScope};

/// The shader kinds of the imports of a hit group, and the names of the fields.
const IMPORTS: [(ShaderKind, &str); 3] = [
    (ShaderKind::AnyHit, "AnyHitShaderImport"),
    (ShaderKind::ClosestHit, "ClosestHitShaderImport"),
    (ShaderKind::Intersection, "IntersectionShaderImport"),
];

/// Resolves the names of a description, and its associations.
pub(super) fn resolve<'a>(description: &'a Description<'a>) -> Result<Model<'a>, Invalid> {
    let mut builder = Builder {
        model: Model {
            kind: D3D12DDI_STATE_OBJECT_TYPE(description.kind),
            flags: 0,
            libraries: BTreeMap::new(),
            collections: BTreeMap::new(),
            subobjects: Vec::new(),
            exports: Vec::new(),
            pending: Vec::new(),
        },
        associations: Vec::new(),
        api_places: HashMap::new(),
        embedded: Vec::new(),
    };
    for (place, content) in description.placed() {
        builder
            .add(place.index, place, content)
            .map_err(|error| error.at(place))?;
    }
    for (place, content) in description.placed() {
        builder.associate(place, content);
    }
    builder.import()?;
    builder.check_names()?;
    builder.resolve()?;
    builder.take_embedded()?;
    Ok(builder.model)
}

fn refuse<T>(text: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}

struct Builder<'a> {
    model: Model<'a>,
    associations: Vec<Association>,
    /// The place in the model, by the place in the description.
    api_places: HashMap<usize, usize>,
    /// The embedded root signatures: the subobject, and the exports of the shaders that have it.
    embedded: Vec<(usize, Vec<usize>)>,
}

impl<'a> Builder<'a> {
    fn add(
        &mut self,
        index: usize,
        place: SubobjectPlace,
        content: &'a Content<'a>,
    ) -> Result<(), Invalid> {
        let kind = self.model.kind;
        match content {
            Content::Config(flags) => {
                self.declare(index, place, Kind::StateObjectConfig, content_of(&[*flags]));
            }
            Content::NodeMask(mask) => {
                self.declare(index, place, Kind::NodeMask, content_of(&[*mask]));
            }
            Content::ShaderConfig(config) => {
                let content = shader_config(*config);
                self.declare(index, place, Kind::RaytracingShaderConfig, content);
            }
            Content::PipelineConfig(config) => {
                let content = pipeline_config(newest(config.MaxTraceRecursionDepth));
                self.declare(index, place, Kind::RaytracingPipelineConfig, content);
            }
            Content::PipelineConfig1(config) => {
                let content = pipeline_config(*config);
                self.declare(index, place, Kind::RaytracingPipelineConfig, content);
            }
            Content::GlobalRootSignature(bytes) => {
                let content = root_signature_content(bytes, RootSignatureScope::Global)?;
                self.declare(index, place, Kind::GlobalRootSignature, content);
            }
            Content::LocalRootSignature(bytes) => {
                let content = root_signature_content(bytes, RootSignatureScope::Local)?;
                self.declare(index, place, Kind::LocalRootSignature, content);
            }
            Content::Library(library) => {
                let library = Library::read(library.bytecode, &library.exports)?;
                self.add_library(index, place, &library)?;
                self.model.libraries.insert(index, library);
            }
            Content::Collection(existing) => {
                if self.model.is_collection() {
                    return refuse("a collection cannot contain a collection");
                }
                let collection = &existing.collection;
                self.add_collection(index, &collection.desc, &existing.exports)?;
                self.model.collections.insert(index, collection.clone());
            }
            Content::HitGroup(desc) => {
                if kind == D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE {
                    return refuse(
                        "ray tracing has its own type of state object, RAYTRACING_PIPELINE; an \
                         EXECUTABLE has no hit groups",
                    );
                }
                let mut desc = desc.clone();
                // HLSL writes an empty name for no shader.
                for import in desc.imports_mut() {
                    *import = import.take().filter(|name| !name.is_empty());
                }
                self.add_hit_group(Scope::Object, desc, place.to_string());
            }
            Content::WorkGraph(_) | Content::GenericProgram(_)
                if kind != D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE =>
            {
                return refuse("only a state object of type EXECUTABLE has programs");
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a subobject of the description.
    fn declare(&mut self, index: usize, place: SubobjectPlace, kind: Kind, content: Vec<u8>) {
        self.api_places.insert(index, self.model.subobjects.len());
        self.model.subobjects.push(Declared {
            subobject: Subobject {
                kind,
                scope: Scope::Object,
                name: None,
                content,
                label: place.to_string(),
            },
            origin: Origin::Description(index),
        });
    }

    fn add_library(
        &mut self,
        index: usize,
        place: SubobjectPlace,
        library: &Library<'_>,
    ) -> Result<(), Invalid> {
        let scope = Scope::Library(index);
        let is_shader = library.program.kind() != ShaderKind::Library;
        if is_shader && self.model.kind == D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE {
            return refuse(format!(
                "a raytracing pipeline takes libraries, and this is a {} shader",
                library.program.kind()
            ));
        }
        let first = self.model.exports.len();
        for export in &library.exports {
            self.model.exports.push(Export {
                name: export.name.clone(),
                mangled: export.mangled.clone(),
                internal_name: export.internal_name.clone(),
                internal_mangled: export.mangled.clone(),
                is_hidden: false,
                scope,
                what: What::Function(export.function.clone()),
                associated: Associated::default(),
                lacks: D3D12DDI_EXPORT_SUMMARY_FLAGS(0),
            });
        }
        let label = |name: &str| format!("{name} of {place}");
        let mut declare = |kind, name: Option<&str>, content| {
            self.model.subobjects.push(Declared {
                subobject: Subobject {
                    kind,
                    scope,
                    name: name.map(str::to_owned),
                    content,
                    label: label(name.unwrap_or("the root signature")),
                },
                origin: Origin::Library,
            });
            self.model.subobjects.len() - 1
        };
        if let Some(bytes) = library.root_signature {
            let subobject = declare(Kind::GlobalRootSignature, None, bytes.to_vec());
            let exports = (first..self.model.exports.len()).collect();
            self.embedded.push((subobject, exports));
        }
        for subobject in &library.subobjects {
            let name = subobject.name;
            let at = |error: Invalid| error.at(format_args!("subobject {name}"));
            match subobject.kind {
                SubobjectKind::StateObjectConfig { flags } => {
                    check_config(flags).map_err(at)?;
                    declare(Kind::StateObjectConfig, Some(name), content_of(&[flags]));
                }
                SubobjectKind::GlobalRootSignature(bytes) => {
                    let scope = RootSignatureScope::Global;
                    let content = root_signature_content(bytes, scope).map_err(at)?;
                    declare(Kind::GlobalRootSignature, Some(name), content);
                }
                SubobjectKind::LocalRootSignature(bytes) => {
                    let scope = RootSignatureScope::Local;
                    let content = root_signature_content(bytes, scope).map_err(at)?;
                    declare(Kind::LocalRootSignature, Some(name), content);
                }
                SubobjectKind::RaytracingShaderConfig {
                    max_payload_size_in_bytes,
                    max_attribute_size_in_bytes,
                } => {
                    let config = D3D12_RAYTRACING_SHADER_CONFIG {
                        MaxPayloadSizeInBytes: max_payload_size_in_bytes,
                        MaxAttributeSizeInBytes: max_attribute_size_in_bytes,
                    };
                    check_shader_config(config).map_err(at)?;
                    let content = shader_config(config);
                    declare(Kind::RaytracingShaderConfig, Some(name), content);
                }
                SubobjectKind::RaytracingPipelineConfig {
                    max_trace_recursion_depth,
                } => {
                    let config = newest(max_trace_recursion_depth);
                    check_pipeline_config(config).map_err(at)?;
                    let content = pipeline_config(config);
                    declare(Kind::RaytracingPipelineConfig, Some(name), content);
                }
                SubobjectKind::RaytracingPipelineConfig1 {
                    max_trace_recursion_depth,
                    flags,
                } => {
                    let config = D3D12_RAYTRACING_PIPELINE_CONFIG1 {
                        MaxTraceRecursionDepth: max_trace_recursion_depth,
                        Flags: flags,
                    };
                    check_pipeline_config(config).map_err(at)?;
                    let content = pipeline_config(config);
                    declare(Kind::RaytracingPipelineConfig, Some(name), content);
                }
                SubobjectKind::SubobjectToExportsAssociation { subobject, exports } => {
                    self.associations.push(Association {
                        scope,
                        target: Target::Named(subobject.to_owned()),
                        exports: exports.iter().map(str::to_owned).collect(),
                        label: label(name),
                    });
                }
                SubobjectKind::HitGroup { .. } => {}
                SubobjectKind::Other { number } => {
                    return refuse(format!(
                        "subobject {name} is of type {number}, which is unknown"
                    ));
                }
                _ => return refuse(format!("subobject {name} is of an unknown type")),
            }
        }
        for subobject in &library.subobjects {
            if let SubobjectKind::HitGroup {
                hit_group_type,
                any_hit,
                closest_hit,
                intersection,
            } = subobject.kind
            {
                let some = |name: &str| (!name.is_empty()).then(|| name.to_owned());
                let kind = match hit_group_type {
                    HitGroupType::TRIANGLES => D3D12_HIT_GROUP_TYPE_TRIANGLES,
                    HitGroupType::PROCEDURAL_PRIMITIVE => D3D12_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE,
                    HitGroupType(unknown) => {
                        let name = subobject.name;
                        return refuse(format!(
                            "hit group {name} is of type {unknown}, which is unknown"
                        ));
                    }
                };
                let desc = HitGroup {
                    export: subobject.name.to_owned(),
                    kind,
                    any_hit: some(any_hit),
                    closest_hit: some(closest_hit),
                    intersection: some(intersection),
                };
                check_hit_group(&desc)?;
                self.add_hit_group(scope, desc, label(subobject.name));
            }
        }
        Ok(())
    }

    fn add_hit_group(&mut self, scope: Scope, desc: HitGroup, label: String) {
        self.model.exports.push(Export {
            name: desc.export.clone(),
            mangled: desc.export.clone(),
            internal_name: desc.export.clone(),
            internal_mangled: desc.export.clone(),
            is_hidden: false,
            scope,
            what: What::HitGroup {
                desc,
                shaders: [None; 3],
                label,
            },
            associated: Associated::default(),
            lacks: D3D12DDI_EXPORT_SUMMARY_FLAGS(0),
        });
    }

    fn add_collection(
        &mut self,
        index: usize,
        collection: &StateObject,
        descs: &[api_desc::Export],
    ) -> Result<(), Invalid> {
        let record = collection.record();
        if record.kind != D3D12DDI_STATE_OBJECT_TYPE_COLLECTION {
            return refuse("pExistingCollection is a state object of another type");
        }
        let scope = Scope::Collection(index);
        let first = self.model.subobjects.len();
        for (subobject, place) in &record.subobjects {
            self.model.subobjects.push(Declared {
                subobject: Subobject {
                    scope,
                    label: format!(
                        "{} of the collection in pSubobjects[{index}]",
                        subobject.label
                    ),
                    ..subobject.clone()
                },
                origin: Origin::Collection(*place),
            });
        }
        // The exports by their places in the collection, with their names outside.
        let mut chosen: Vec<(usize, &str)> = Vec::new();
        for desc in descs {
            let source = desc.export_to_rename.as_deref().unwrap_or(&desc.name);
            let before = chosen.len();
            let found = record.exports.iter().enumerate();
            chosen.extend(
                found
                    .filter(|(_, export)| export.name == source || export.mangled == source)
                    .map(|(place, export)| {
                        let new = desc.export_to_rename.as_ref().map(|_| &*desc.name);
                        (place, new.unwrap_or(&export.name))
                    }),
            );
            if chosen.len() == before {
                return refuse(format!("the collection has no export {source}"));
            }
        }
        if descs.is_empty() {
            chosen = record
                .exports
                .iter()
                .enumerate()
                .map(|(p, e)| (p, &*e.name))
                .collect();
        }
        let mut new_places = HashMap::new();
        for (new, (old, _)) in (self.model.exports.len()..).zip(&chosen) {
            new_places.entry(*old).or_insert(new);
        }
        // The collection was resolved when it was made. The list hides the other exports from the rest of the object, but not
        // from the listed exports.
        let listed = chosen.len();
        for old in needed(record, chosen.iter().map(|(old, _)| *old)) {
            let new = self.model.exports.len() + chosen.len();
            new_places.entry(old).or_insert_with(|| {
                chosen.push((old, &record.exports[old].name));
                new
            });
        }
        for (count, (old, name)) in chosen.into_iter().enumerate() {
            let mut export = record.exports[old].clone();
            export.internal_name = std::mem::replace(&mut export.name, name.to_owned());
            let mangled = renamed(&export.mangled, &export.internal_name, name);
            export.internal_mangled = std::mem::replace(&mut export.mangled, mangled);
            export.is_hidden = count >= listed;
            export.scope = scope;
            let mut associated = Associated::default();
            for kind in Kind::ALL {
                associated.set(kind, export.associated.get(kind).map(|place| first + place));
            }
            export.associated = associated;
            if let What::HitGroup { shaders, .. } = &mut export.what {
                *shaders = shaders.map(|old| new_places.get(&old?).copied());
            }
            self.model.exports.push(export);
        }
        // Whether an export was taken, by name.
        let mut own: HashMap<&str, bool> = HashMap::new();
        for (place, export) in record.exports.iter().enumerate() {
            *own.entry(&export.name).or_default() |= new_places.contains_key(&place);
        }
        for association in &record.pending {
            let mut exports = association.exports.clone();
            exports.retain(|name| own.get(&**name) != Some(&false));
            if exports.is_empty() && !association.exports.is_empty() {
                continue;
            }
            self.associations.push(Association {
                scope,
                target: match &association.target {
                    Target::Subobject(place) => Target::Subobject(first + place),
                    named @ Target::Named(_) => named.clone(),
                },
                exports,
                label: format!(
                    "{} of the collection in pSubobjects[{index}]",
                    association.label
                ),
            });
        }
        Ok(())
    }

    /// Adds an association of the description, which names its subobject by place.
    fn associate(&mut self, place: SubobjectPlace, content: &Content<'_>) {
        let (target, exports) = match content {
            // `check` has refused subobjects that cannot be associated.
            Content::Association(association) => {
                let Some(&subobject) = self.api_places.get(&association.subobject) else {
                    return;
                };
                (Target::Subobject(subobject), &association.exports)
            }
            Content::DxilAssociation(association) => (
                Target::Named(association.subobject.clone()),
                &association.exports,
            ),
            _ => return,
        };
        self.associations.push(Association {
            scope: Scope::Object,
            target,
            exports: exports.clone(),
            label: place.to_string(),
        });
    }

    /// Finds the shaders of hit groups.
    fn import(&mut self) -> Result<(), Invalid> {
        let mut found = Vec::new();
        let names = Entries::new(&self.model.exports);
        for (place, export) in self.model.exports.iter().enumerate() {
            let What::HitGroup {
                desc,
                label,
                shaders,
            } = &export.what
            else {
                continue;
            };
            let mut found_shaders = *shaders;
            for ((shader, name), import) in
                found_shaders.iter_mut().zip(desc.imports()).zip(IMPORTS)
            {
                // The shaders of a collection's hit group were found when the collection was made, if it has them.
                if let (None, Some(name)) = (&shader, name) {
                    let place = self.find_import(&names, export.scope, name, import);
                    *shader = place.map_err(|error| error.at(label))?;
                }
            }
            found.push((place, found_shaders));
        }
        for (place, found) in found {
            let names = found.map(|shader| Some(self.model.exports[shader?].name.clone()));
            if let What::HitGroup { desc, shaders, .. } = &mut self.model.exports[place].what {
                *shaders = found;
                for (import, name) in desc.imports_mut().into_iter().zip(names) {
                    if name.is_some() {
                        *import = name;
                    }
                }
            }
        }
        Ok(())
    }

    /// The export that a hit group names: one of the same library by its name there, else any.
    fn find_import(
        &self,
        names: &Entries<'_>,
        scope: Scope,
        name: &str,
        (kind, what): (ShaderKind, &str),
    ) -> Result<Option<usize>, Invalid> {
        let exports = &self.model.exports;
        let own = names
            .inside
            .get(&scope)
            .filter(|_| matches!(scope, Scope::Library(_)));
        let place = match own.and_then(|own| own.get(name)).map(Vec::as_slice) {
            Some([place]) => *place,
            // If the shader is exported under several names, the name itself wins.
            Some(places) => match places.iter().find(|&&place| exports[place].name == name) {
                Some(place) => *place,
                None => {
                    return refuse(format!(
                        "{what} {name} is exported under several other names"
                    ));
                }
            },
            None => match names.outside.get(name) {
                Some(place) => *place,
                None => return Ok(None),
            },
        };
        let export = &exports[place];
        match export.function() {
            Some(function) if function.kind == kind => {}
            Some(function) => {
                return refuse(format!("{what} {name} is a {} shader", function.kind));
            }
            None => return refuse(format!("{what} {name} is a hit group")),
        }
        if let Scope::Collection(index) = export.scope
            && scope != export.scope
            && !self.is_open(index)
        {
            return refuse(format!(
                "{what} {name} is in a collection that lacks \
                 ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS"
            ));
        }
        Ok(Some(place))
    }

    fn is_open(&self, collection: usize) -> bool {
        self.model
            .collections
            .get(&collection)
            .is_some_and(Collection::is_open)
    }

    /// Checks that shaders and hit groups are unique by name, and functions by mangled name.
    fn check_names(&self) -> Result<(), Invalid> {
        let mut names = HashSet::new();
        for export in self.model.exports.iter().filter(|e| !e.is_hidden) {
            let (name, what) = if export.is_entry() {
                (&export.name, "export")
            } else {
                (&export.mangled, "function")
            };
            if export.name.is_empty() {
                return refuse("an export has an empty name");
            }
            if !names.insert((export.is_entry(), name)) {
                return refuse(format!(
                    "{what} {} is there twice; export one of them under another name",
                    name.trim_start_matches('\u{1}')
                ));
            }
        }
        Ok(())
    }

    fn resolve(&mut self) -> Result<(), Invalid> {
        // Embedded root signatures apply only where nothing else does, so they take no part here.
        let mut subobjects: Vec<_> = self
            .model
            .subobjects
            .iter()
            .map(|declared| declared.subobject.clone())
            .collect();
        for (subobject, _) in &self.embedded {
            subobjects[*subobject].scope = Scope::Library(usize::MAX);
        }
        let export = |export: &Export| association::Export {
            name: export.name.clone(),
            internal_name: export.internal_name.clone(),
            is_hidden: export.is_hidden,
            scope: export.scope,
            kind: match &export.what {
                What::Function(function) if function.kind == ShaderKind::Library => {
                    ExportKind::Function
                }
                What::Function(function) => ExportKind::Entry(function.kind),
                What::HitGroup { shaders, .. } => {
                    ExportKind::HitGroup(shaders.iter().flatten().copied().collect())
                }
            },
            made_with: match export.scope {
                Scope::Collection(_) => export.associated,
                _ => Associated::default(),
            },
        };
        let exports: Vec<_> = self.model.exports.iter().map(export).collect();
        let resolution = association::resolve(&subobjects, &self.associations, &exports)
            .map_err(|fault| Invalid::other(fault.to_string()))?;
        for (export, associated) in self.model.exports.iter_mut().zip(&resolution.exports) {
            export.associated = *associated;
        }
        let config = resolution.config;
        let config =
            config.map(|place| numbers_of(&self.model.subobjects[place].subobject.content));
        [self.model.flags] = config.unwrap_or_default();
        let closed = self.model.is_closed();
        let open = self.model.is_collection()
            && self.model.flags
                & D3D12_STATE_OBJECT_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS
                != 0;
        for &place in &resolution.without_subobject {
            let association = &self.associations[place];
            let Target::Named(name) = &association.target else {
                continue;
            };
            if closed {
                return refuse(format!(
                    "{}: no library declares a subobject {name}",
                    association.label
                ));
            }
            self.model.pending.push(association.clone());
        }
        for (place, name) in &resolution.without_export {
            let association = &self.associations[*place];
            // A library's association may name an export that was not taken.
            if let Scope::Library(index) = association.scope
                && self
                    .model
                    .libraries
                    .get(&index)
                    .is_some_and(|l| l.hidden.contains(name))
            {
                continue;
            }
            if !open {
                let hint = if self.model.is_collection() {
                    "; a collection that lacks ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS is \
                     associated with its own exports only"
                } else {
                    ""
                };
                return refuse(format!(
                    "{}: there is no export {name}{hint}",
                    association.label
                ));
            }
            self.model.pending.push(Association {
                exports: vec![name.clone()],
                ..association.clone()
            });
        }
        Ok(())
    }

    /// Associates embedded root signatures with the exports of their shaders. Refuses one that differs from the associated one.
    fn take_embedded(&mut self) -> Result<(), Invalid> {
        for (subobject, exports) in std::mem::take(&mut self.embedded) {
            for place in exports {
                let export = &self.model.exports[place];
                let embedded = &self.model.subobjects[subobject].subobject;
                let content = self.model.content(export, Kind::GlobalRootSignature);
                if content.is_some_and(|content| content != embedded.content) {
                    return refuse(format!(
                        "export {}: the root signature in the shader differs from the one that is \
                         associated with it, {}",
                        export.name,
                        self.model.label(export, Kind::GlobalRootSignature)
                    ));
                }
                if content.is_none() {
                    let export = &mut self.model.exports[place];
                    export
                        .associated
                        .set(Kind::GlobalRootSignature, Some(subobject));
                }
            }
        }
        Ok(())
    }
}

/// The exports that others need, directly or indirectly: the shaders of hit groups, and called functions.
fn needed(record: &Record, exports: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut functions = HashMap::new();
    for (place, export) in record.exports.iter().enumerate() {
        if !export.is_entry() {
            functions.entry(&*export.mangled).or_insert(place);
        }
    }
    let mut needed = Vec::new();
    let mut seen: HashSet<usize> = HashSet::new();
    let mut waiting: Vec<usize> = exports.collect();
    while let Some(place) = waiting.pop() {
        if !seen.insert(place) {
            continue;
        }
        needed.push(place);
        match &record.exports[place].what {
            What::HitGroup { shaders, .. } => waiting.extend(shaders.iter().flatten()),
            What::Function(function) => {
                let called = function.dependencies.iter();
                waiting.extend(called.filter_map(|name| functions.get(&**name)));
            }
        }
    }
    needed
}

/// Shaders and hit groups by their names, and by their names in their libraries.
struct Entries<'a> {
    outside: HashMap<&'a str, usize>,
    inside: HashMap<Scope, HashMap<&'a str, Vec<usize>>>,
}

impl<'a> Entries<'a> {
    fn new(exports: &'a [Export]) -> Self {
        let mut entries = Self {
            outside: HashMap::new(),
            inside: HashMap::new(),
        };
        for (place, export) in exports.iter().enumerate().filter(|(_, e)| e.is_entry()) {
            if !export.is_hidden {
                entries.outside.entry(&export.name).or_insert(place);
            }
            let inside = entries.inside.entry(export.scope).or_default();
            inside.entry(&export.internal_name).or_default().push(place);
        }
        entries
    }
}

fn shader_config(config: D3D12_RAYTRACING_SHADER_CONFIG) -> Vec<u8> {
    content_of(&[config.MaxPayloadSizeInBytes, config.MaxAttributeSizeInBytes])
}

fn pipeline_config(config: D3D12_RAYTRACING_PIPELINE_CONFIG1) -> Vec<u8> {
    content_of(&[config.MaxTraceRecursionDepth, config.Flags])
}

/// The payload of `RTS0`, which identifies a root signature independent of its container.
fn root_signature_content(bytes: &[u8], scope: RootSignatureScope) -> Result<Vec<u8>, Invalid> {
    let payload = root_signature::payload(bytes, scope)?;
    root_signature::read(payload, scope)?;
    Ok(payload.to_vec())
}
