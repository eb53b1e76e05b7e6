//! State objects as the schema holds them: subobjects by type, in their order, and the parts that programs list.

use std::collections::HashSet;
use std::ffi::c_void;

use api_desc::{
    ApiObjects, Blob, CollectionOfCaller, DxilAssociation, DxilLibrary, ExistingCollection,
    FixedFunction, HitGroup, Invalid, RawStateObject, State, Subobject, SubobjectPlace, WorkGraph,
};
use api_sys::{
    D3D12_RAYTRACING_PIPELINE_CONFIG, D3D12_RAYTRACING_PIPELINE_CONFIG1,
    D3D12_RAYTRACING_SHADER_CONFIG, D3D12_STATE_OBJECT_DESC, D3D12_STATE_OBJECT_FLAGS,
    D3D12_STATE_OBJECT_TYPE, D3D12_STATE_SUBOBJECT_TYPE,
    D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
    D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
};

use crate::{Error, Result};

/// A state object: the content that a row of `state_objects` and the rows below it can hold.
///
/// State subobjects that no generic program lists are not part of it: the schema has no place for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateObjectDesc {
    /// `Type`.
    pub kind: D3D12_STATE_OBJECT_TYPE,
    /// `STATE_OBJECT_CONFIG`.
    pub config: Option<D3D12_STATE_OBJECT_FLAGS>,
    /// `NODE_MASK`.
    pub node_mask: Option<u32>,
    /// `GLOBAL_SERIALIZED_ROOT_SIGNATURE`.
    pub global_root_signatures: Vec<Blob>,
    /// `LOCAL_SERIALIZED_ROOT_SIGNATURE`.
    pub local_root_signatures: Vec<Blob>,
    /// `DXIL_LIBRARY`.
    pub libraries: Vec<DxilLibrary>,
    /// `EXISTING_COLLECTION_BY_KEY`.
    pub collections: Vec<ExistingCollection>,
    /// `HIT_GROUP`.
    pub hit_groups: Vec<HitGroup>,
    /// `RAYTRACING_SHADER_CONFIG`.
    pub shader_configs: Vec<D3D12_RAYTRACING_SHADER_CONFIG>,
    /// `RAYTRACING_PIPELINE_CONFIG`, and `CONFIG1` with flags.
    pub pipeline_configs: Vec<D3D12_RAYTRACING_PIPELINE_CONFIG1>,
    /// `GENERIC_PROGRAM`, with the subobjects that they list.
    pub generic_programs: Vec<GenericProgram>,
    /// `WORK_GRAPH`.
    pub work_graphs: Vec<WorkGraph>,
    /// `SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
    pub associations: Vec<Association>,
    /// `DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION`.
    pub dxil_associations: Vec<DxilAssociation>,
}

/// A generic program with its state.
pub type GenericProgram = api_desc::GenericProgram<FixedFunction>;

/// An association of a subobject by its type and place.
pub type Association = api_desc::Association<Associated>;

/// A subobject of the same description that can be associated with exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Associated {
    /// [`StateObjectDesc::config`].
    Config,
    /// [`StateObjectDesc::node_mask`].
    NodeMask,
    /// The place in [`StateObjectDesc::global_root_signatures`].
    GlobalRootSignature(usize),
    /// The place in [`StateObjectDesc::local_root_signatures`].
    LocalRootSignature(usize),
    /// The place in [`StateObjectDesc::shader_configs`].
    ShaderConfig(usize),
    /// The place in [`StateObjectDesc::pipeline_configs`].
    PipelineConfig(usize),
}

/// Returns the key of the row in which a state object of the API is stored.
pub type RowOf<'r> = dyn Fn(*mut c_void) -> Result<Vec<u8>> + 'r;

fn invalid<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::InvalidArgument(text.into()))
}

/// Adds the place to an error.
fn at(place: SubobjectPlace, error: Error) -> Error {
    match error {
        Error::InvalidArgument(text) => Error::InvalidArgument(format!("{place}: {text}")),
        error => error,
    }
}

/// Adds an item; returns its place.
fn add<T>(items: &mut Vec<T>, item: T) -> usize {
    items.push(item);
    items.len() - 1
}

/// Sets a subobject that a state object can have only once.
fn only(place: &mut Option<u32>, value: u32) -> Result<()> {
    match place.replace(value) {
        Some(before) if before != value => invalid(format!(
            "it is {value:#x}, but one before is {before:#x}; the schema has a place for one"
        )),
        _ => Ok(()),
    }
}

impl StateObjectDesc {
    /// Copies a description.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidArgument`]: no description ([`api_desc::StateObjectDesc::from_raw`]), or one that the schema cannot
    /// hold: an object of the API, two different configurations or node masks, a program with two subobjects of one kind.
    ///
    /// # Safety
    ///
    /// As [`api_desc::StateObjectDesc::from_raw`], for the call.
    pub unsafe fn from_raw(desc: *const D3D12_STATE_OBJECT_DESC) -> Result<Self> {
        // SAFETY: `desc` is null, or all that is reached from there is readable for the call (`# Safety`); the result holds copies.
        let desc = unsafe { api_desc::StateObjectDesc::from_raw(desc, only_keys) }?;
        let none = |_| invalid("there are only keys");
        Self::new(&desc, &none).map(|(desc, _)| desc)
    }

    /// Copies a description that may have collections as objects of the API: `row_of` returns the key of the row in which
    /// such an object is stored. Such a collection has no key in the description; the key of its row is at its place of the
    /// list, which is that of [`Origins::collections`](super::Origins::collections).
    ///
    /// # Errors
    ///
    /// As [`from_raw`](Self::from_raw), and the errors of `row_of`.
    ///
    /// # Safety
    ///
    /// As [`from_raw`](Self::from_raw).
    pub unsafe fn from_raw_with(
        desc: *const D3D12_STATE_OBJECT_DESC,
        row_of: &RowOf<'_>,
    ) -> Result<(Self, Vec<Option<Vec<u8>>>)> {
        // SAFETY: `desc` is null, or all that is reached from there is readable for the call (`# Safety`).
        let desc = unsafe { api_desc::StateObjectDesc::from_raw(desc, |_| None) }?;
        Self::new(&desc, row_of)
    }

    fn new(
        desc: &api_desc::StateObjectDesc<CollectionOfCaller, &[u8]>,
        row_of: &RowOf<'_>,
    ) -> Result<(Self, Vec<Option<Vec<u8>>>)> {
        let mut read = Self {
            kind: desc.kind,
            ..Self::default()
        };
        let mut rows = Vec::new();
        // For each place, what an association with it means.
        let mut targets = Vec::with_capacity(desc.subobjects.len());
        for (place, subobject) in desc.placed() {
            let target = match subobject {
                Subobject::Collection(collection) => {
                    let taken = take_collection(collection, row_of);
                    let (collection, row) = taken.map_err(|error| at(place, error))?;
                    read.collections.push(collection);
                    rows.push(row);
                    None
                }
                Subobject::GenericProgram(program) => {
                    let program = GenericProgram {
                        name: program.name.clone(),
                        exports: program.exports.clone(),
                        state: state_of(desc, &program.state).map_err(|error| at(place, error))?,
                    };
                    read.generic_programs.push(program);
                    None
                }
                subobject => read.take(subobject).map_err(|error| at(place, error))?,
            };
            targets.push(target);
        }
        // A subobject can come after its association.
        let mut associated = HashSet::new();
        for subobject in &desc.subobjects {
            if let Subobject::Association(association) = subobject {
                let Some(&Some(subobject)) = targets.get(association.subobject) else {
                    return invalid("an association with what cannot be associated");
                };
                associated.insert(association.subobject);
                read.associations.push(Association {
                    subobject,
                    exports: association.exports.clone(),
                });
            }
        }
        for subobject in [Associated::Config, Associated::NodeMask] {
            let mut lists = (read.associations.iter())
                .filter(|association| association.subobject == subobject)
                .map(|association| association.exports.is_empty());
            let is_default = |place: &SubobjectPlace| {
                targets[place.index] == Some(subobject) && !associated.contains(&place.index)
            };
            let mut places = desc.placed().map(|(place, _)| place);
            // One row stands for all. With an empty list it stays the default.
            if lists.clone().next().is_some()
                && !lists.any(|is_empty| is_empty)
                && let Some(place) = places.find(is_default)
            {
                return Err(at(
                    place,
                    Error::InvalidArgument(
                        "it is a default, and an association names an equal one; the schema has a place \
                         for one: associate neither, or give one an association with an empty list"
                            .into(),
                    ),
                ));
            }
        }
        Ok((read, rows))
    }

    /// Takes a subobject that needs no other; returns what an association with it means.
    fn take(
        &mut self,
        subobject: &Subobject<CollectionOfCaller, &[u8]>,
    ) -> Result<Option<Associated>> {
        match subobject {
            Subobject::Config(flags) => {
                only(&mut self.config, *flags)?;
                return Ok(Some(Associated::Config));
            }
            Subobject::NodeMask(mask) => {
                only(&mut self.node_mask, *mask)?;
                return Ok(Some(Associated::NodeMask));
            }
            Subobject::GlobalRootSignature(bytes) => {
                let place = add(&mut self.global_root_signatures, Blob::from(*bytes));
                return Ok(Some(Associated::GlobalRootSignature(place)));
            }
            Subobject::LocalRootSignature(bytes) => {
                let place = add(&mut self.local_root_signatures, Blob::from(*bytes));
                return Ok(Some(Associated::LocalRootSignature(place)));
            }
            Subobject::ShaderConfig(config) => {
                let place = add(&mut self.shader_configs, *config);
                return Ok(Some(Associated::ShaderConfig(place)));
            }
            Subobject::PipelineConfig(config) => {
                let config = D3D12_RAYTRACING_PIPELINE_CONFIG1 {
                    MaxTraceRecursionDepth: config.MaxTraceRecursionDepth,
                    Flags: 0,
                };
                let place = add(&mut self.pipeline_configs, config);
                return Ok(Some(Associated::PipelineConfig(place)));
            }
            Subobject::PipelineConfig1(config) => {
                let place = add(&mut self.pipeline_configs, *config);
                return Ok(Some(Associated::PipelineConfig(place)));
            }
            Subobject::Library(library) => {
                if library.exports.iter().any(|export| export.name.is_empty()) {
                    return invalid("Name is empty");
                }
                self.libraries.push(DxilLibrary {
                    bytecode: library.bytecode.into(),
                    exports: library.exports.clone(),
                });
            }
            Subobject::HitGroup(group) => self.hit_groups.push(group.clone()),
            Subobject::WorkGraph(graph) => self.work_graphs.push(graph.clone()),
            Subobject::DxilAssociation(association) => {
                self.dxil_associations.push(association.clone());
            }
            // Other code takes these with the subobjects that they need, or that need them.
            Subobject::Collection(_)
            | Subobject::GenericProgram(_)
            | Subobject::State(_)
            | Subobject::Association(_) => {}
        }
        Ok(None)
    }

    /// The description in the form of the API.
    pub fn to_api(&self) -> api_desc::StateObjectDesc<Vec<u8>, &[u8]> {
        self.convert(|blob| &**blob)
    }

    fn convert<'a, B>(
        &'a self,
        blob: impl Fn(&'a Blob) -> B,
    ) -> api_desc::StateObjectDesc<Vec<u8>, B> {
        let mut subobjects = Vec::new();
        subobjects.extend(self.config.map(Subobject::Config));
        let node_mask = subobjects.len();
        subobjects.extend(self.node_mask.map(Subobject::NodeMask));
        let global = subobjects.len();
        let root_signatures = self.global_root_signatures.iter().map(&blob);
        subobjects.extend(root_signatures.map(Subobject::GlobalRootSignature));
        let local = subobjects.len();
        let root_signatures = self.local_root_signatures.iter().map(&blob);
        subobjects.extend(root_signatures.map(Subobject::LocalRootSignature));
        subobjects.extend(self.libraries.iter().map(|library| {
            Subobject::Library(DxilLibrary {
                bytecode: blob(&library.bytecode),
                exports: library.exports.clone(),
            })
        }));
        subobjects.extend(self.collections.iter().cloned().map(Subobject::Collection));
        subobjects.extend(self.hit_groups.iter().cloned().map(Subobject::HitGroup));
        let shader_configs = subobjects.len();
        let configs = self.shader_configs.iter().copied();
        subobjects.extend(configs.map(Subobject::ShaderConfig));
        let pipeline_configs = subobjects.len();
        let configs = self.pipeline_configs.iter();
        subobjects.extend(configs.map(|config| match config.Flags {
            0 => Subobject::PipelineConfig(D3D12_RAYTRACING_PIPELINE_CONFIG {
                MaxTraceRecursionDepth: config.MaxTraceRecursionDepth,
            }),
            _ => Subobject::PipelineConfig1(*config),
        }));
        for program in &self.generic_programs {
            let first = subobjects.len();
            subobjects.extend(program.state.states().map(Subobject::State));
            subobjects.push(Subobject::GenericProgram(api_desc::GenericProgram {
                name: program.name.clone(),
                exports: program.exports.clone(),
                state: (first..subobjects.len()).collect(),
            }));
        }
        subobjects.extend(self.work_graphs.iter().cloned().map(Subobject::WorkGraph));
        for association in &self.associations {
            subobjects.push(Subobject::Association(api_desc::Association {
                subobject: match association.subobject {
                    Associated::Config => 0,
                    Associated::NodeMask => node_mask,
                    Associated::GlobalRootSignature(index) => global + index,
                    Associated::LocalRootSignature(index) => local + index,
                    Associated::ShaderConfig(index) => shader_configs + index,
                    Associated::PipelineConfig(index) => pipeline_configs + index,
                },
                exports: association.exports.clone(),
            }));
        }
        let associations = self.dxil_associations.iter().cloned();
        subobjects.extend(associations.map(Subobject::DxilAssociation));
        api_desc::StateObjectDesc {
            kind: self.kind,
            subobjects,
        }
    }

    /// The description as structures of the API: collections by their keys. Where the API has no such description (a NUL
    /// inside a string, an association with an absent subobject), the result differs.
    pub fn to_raw(&self) -> RawStateObject {
        self.convert(Blob::clone).to_raw()
    }

    /// The same structures, with objects of the API where `objects` has them.
    pub fn to_raw_with(&self, objects: &ApiObjects) -> RawStateObject {
        self.convert(Blob::clone).to_raw_with(objects)
    }
}

/// The reason to refuse a state subobject in a database that knows collections by their keys.
fn only_keys(kind: D3D12_STATE_SUBOBJECT_TYPE) -> Option<&'static str> {
    let is_object = [
        D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
        D3D12_STATE_SUBOBJECT_TYPE_COMPILER_EXISTING_COLLECTION,
    ]
    .contains(&kind);
    is_object.then_some(
        "a collection that is an object cannot be stored: use EXISTING_COLLECTION_BY_KEY",
    )
}

/// A collection by its key, or by its row without a key.
fn take_collection(
    collection: &ExistingCollection<CollectionOfCaller>,
    row_of: &RowOf<'_>,
) -> Result<(ExistingCollection, Option<Vec<u8>>)> {
    if collection
        .exports
        .iter()
        .any(|export| export.name.is_empty())
    {
        return invalid("Name is empty");
    }
    let (key, row) = match &collection.collection {
        CollectionOfCaller::Key(key) => (key.clone(), None),
        CollectionOfCaller::StateObject(object) | CollectionOfCaller::Compiled(object) => {
            (Vec::new(), Some(row_of(*object)?))
        }
    };
    let collection = ExistingCollection {
        collection: key,
        exports: collection.exports.clone(),
    };
    Ok((collection, row))
}

/// The state that the subobjects of a program's list form together.
fn state_of(
    desc: &api_desc::StateObjectDesc<CollectionOfCaller, &[u8]>,
    listed: &[usize],
) -> Result<FixedFunction> {
    let mut all = FixedFunction::default();
    for &index in listed {
        let Some(subobject @ Subobject::State(state)) = desc.subobjects.get(index) else {
            return invalid("ppSubobjects lists what no program does");
        };
        if all.set(State::clone(state)) {
            let kind = subobject.subobject_type();
            let place = SubobjectPlace { index, kind };
            return invalid(format!(
                "ppSubobjects lists {place} beside another of its kind"
            ));
        }
    }
    Ok(all)
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        Self::InvalidArgument(invalid.text)
    }
}
