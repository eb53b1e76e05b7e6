//! A state object's description in canonical order, for keys.

use std::collections::BTreeMap;

use ddi_sys::D3D12DDI_STATE_OBJECT_TYPE;
use widestring::U16Str;

use super::fields::{AsField, Describe, Field, Fields, each};
use super::{
    Association, Export, ShaderCode, StateObjectDesc, Subobject, WorkGraph, WorkGraphNode,
};
use crate::key::{Key, KeyBuilder};

/// What [`StateObjectDesc::canonical`] makes.
pub struct CanonicalStateObject<'d> {
    kind: D3D12DDI_STATE_OBJECT_TYPE,
    /// Sorted, each once.
    parts: Vec<Part<'d>>,
}

/// What [`WorkGraph::canonical`] makes.
pub struct CanonicalWorkGraph<'d> {
    graph: &'d WorkGraph<'d>,
    /// Sorted, each once.
    nodes: Vec<&'d WorkGraphNode<'d>>,
}

type Part<'d> = Box<dyn Describe + 'd>;

impl<S> StateObjectDesc<'_, S> {
    /// The description in canonical order: descriptions that mean the same give the same key.
    ///
    /// A state object database keeps the subobjects of a kind together and equal ones once. So the compiler that makes a
    /// precompiled shader database gets another order than the driver gets from the game, and only a key that does not depend on
    /// the order finds what was stored. To a canonical description it is all the same
    ///
    /// - in which order subobjects, exports, associations, nodes, and the state and the exports of a generic program come, and
    ///   whether one comes twice,
    /// - whether exports of one library, or of one collection, are in one subobject or in several,
    /// - whether two generic programs share a subobject or have equal ones, and which state no program lists.
    ///
    /// The order of a work graph's entry points counts, because the driver deduces their indices from it; that of what has
    /// indices, registers or slots of its own kind counts too: outputs of nodes, root parameters, input elements, stream output
    /// entries, render targets, view instances.
    ///
    /// `key_of` gives the key that stands for everything in an existing collection.
    pub fn canonical<'d>(&'d self, key_of: impl Fn(&'d S) -> Key) -> CanonicalStateObject<'d> {
        let mut libraries = BTreeMap::<_, Library<'d>>::new();
        let mut collections = BTreeMap::<Key, Vec<Exported<'d>>>::new();
        let mut parts: Vec<Part<'d>> = Vec::new();
        let content = |places: &[Option<usize>]| {
            let of = |place: &Option<usize>| {
                let subobject = self.subobjects().get((*place)?)?;
                Some(hash(subobject))
            };
            sorted(places.iter().map(of).collect(), Clone::clone)
        };
        for subobject in self.subobjects() {
            match subobject {
                Subobject::DxilLibrary(library) => libraries
                    .entry(library.code.program_hash())
                    .or_insert_with(|| Library(library.code, Vec::new()))
                    .1
                    .extend(Exported::of(&library.exports)),
                Subobject::ExistingCollection { state, exports } => collections
                    .entry(key_of(state))
                    .or_default()
                    .extend(Exported::of(exports)),
                Subobject::GenericProgram(program) => parts.push(Box::new(Program {
                    name: program.name,
                    exports: sorted(program.exports.clone(), |name| *name),
                    state: content(&program.subobjects),
                })),
                Subobject::WorkGraph(graph) => parts.push(Box::new(graph.canonical())),
                Subobject::ExportSummary {
                    associations,
                    flags,
                } => {
                    parts.extend(associations.iter().map(|association| -> Part<'d> {
                        let subobjects = content(&association.subobjects);
                        Box::new(Associated(association, subobjects))
                    }));
                    parts.push(Box::new(One("OverallFlags", flags.as_field())));
                }
                // The generic programs that list it have it.
                state if state.is_of_generic_programs() => {}
                other => parts.push(Box::new(Same(other))),
            }
        }
        parts = sorted(parts, |part| hash(&**part));
        parts.extend(libraries.into_values().map(|library| -> Part<'d> {
            Box::new(Library(library.0, sorted(library.1, |e| hash(e))))
        }));
        parts.extend(collections.into_iter().map(|(key, exports)| -> Part<'d> {
            Box::new(Collection(key, sorted(exports, |e| hash(e))))
        }));
        CanonicalStateObject {
            kind: self.kind(),
            parts,
        }
    }
}

impl WorkGraph<'_> {
    /// The graph with its nodes in canonical order, as in [`StateObjectDesc::canonical`].
    pub fn canonical(&self) -> CanonicalWorkGraph<'_> {
        CanonicalWorkGraph {
            graph: self,
            nodes: sorted(self.nodes.iter().collect(), |node| hash(*node)),
        }
    }
}

fn hash(item: &dyn Describe) -> Key {
    struct Item<'t>(&'t dyn Describe);
    impl Describe for Item<'_> {
        fn describe(&self, to: &mut dyn Fields) {
            self.0.describe(to);
        }
    }
    KeyBuilder::new("canonical")
        .describe("item", &Item(item))
        .finish()
}

/// The items by what `by` gives, those for which it gives the same once.
fn sorted<T, K: Ord>(mut items: Vec<T>, by: impl Fn(&T) -> K) -> Vec<T> {
    items.sort_by_cached_key(&by);
    items.dedup_by_key(|item| by(item));
    items
}

/// A subobject as it is.
struct Same<'d, 'a, S>(&'d Subobject<'a, S>);

/// One field.
struct One<'d>(&'static str, Field<'d>);

/// An export of a library or a collection, or all that it has.
struct Exported<'d>(Option<&'d Export<'d>>);

/// What is exported of a library.
struct Library<'d>(ShaderCode<'d>, Vec<Exported<'d>>);

/// What is exported of the collection that a key stands for.
struct Collection<'d>(Key, Vec<Exported<'d>>);

/// A generic program, with its state by content; of state elsewhere nothing is known.
struct Program<'d> {
    name: Option<&'d U16Str>,
    exports: Vec<&'d U16Str>,
    state: Vec<Option<Key>>,
}

/// An export, with what is associated with it by content; of what stands elsewhere nothing is known.
struct Associated<'d>(&'d Association<'d>, Vec<Option<Key>>);

impl<'d> Exported<'d> {
    /// Of a list, which when it is empty stands for everything.
    fn of(exports: &'d [Export<'d>]) -> Vec<Self> {
        match exports {
            [] => vec![Self(None)],
            exports => exports.iter().map(|export| Self(Some(export))).collect(),
        }
    }
}

impl Describe for CanonicalStateObject<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("Type", self.kind.as_field());
        to.field("NumSubobjects", Field::Unsigned(self.parts.len() as u64));
        for part in &self.parts {
            to.group("pSubobjects", None, &**part);
        }
    }
}

impl Describe for CanonicalWorkGraph<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        let graph = self.graph;
        to.field("ProgramName", graph.name.as_field());
        to.field("Version", graph.version.as_field());
        to.field("Flags", graph.flags.as_field());
        to.field("NumNodes", Field::Unsigned(self.nodes.len() as u64));
        for node in &self.nodes {
            to.group("pNodes", None, *node);
        }
        each(to, "pEntrypoints", &graph.entry_points);
    }
}

impl<S> Describe for Same<'_, '_, S> {
    fn describe(&self, to: &mut dyn Fields) {
        self.0.describe(to);
    }
}

impl Describe for One<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field(self.0, self.1);
    }
}

impl Describe for Exported<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        match self.0 {
            Some(export) => export.describe(to),
            None => to.field("Name", Field::Absent),
        }
    }
}

impl Describe for Library<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("pDXILLibrary", Field::Bytecode(self.0));
        each(to, "pExports", &self.1);
    }
}

impl Describe for Collection<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        key(to, "hExistingCollection", Some(&self.0));
        each(to, "pExports", &self.1);
    }
}

impl Describe for Program<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        to.field("ProgramName", self.name.as_field());
        to.field("NumExports", Field::Unsigned(self.exports.len() as u64));
        for export in &self.exports {
            to.field("pExports", export.as_field());
        }
        keys(to, "pSubobjects", &self.state);
    }
}

impl Describe for Associated<'_> {
    fn describe(&self, to: &mut dyn Fields) {
        let Self(
            Association {
                name_unmangled,
                name_mangled,
                flags,
                ..
            },
            subobjects,
        ) = self;
        to.field("ExportNameUnmangled", name_unmangled.as_field());
        to.field("ExportNameMangled", name_mangled.as_field());
        keys(to, "ppAssociatedSubobjects", subobjects);
        to.field("Flags", flags.as_field());
    }
}

fn keys(to: &mut dyn Fields, name: &'static str, keys: &[Option<Key>]) {
    to.field(name, Field::Unsigned(keys.len() as u64));
    for content in keys {
        key(to, name, content.as_ref());
    }
}

/// A key as numbers of 32 bits.
fn key(to: &mut dyn Fields, name: &'static str, key: Option<&Key>) {
    let Some(key) = key else {
        return to.field(name, Field::Absent);
    };
    for word in key.as_bytes().chunks(4) {
        let value = word
            .iter()
            .fold(0, |value, &byte| value << 8 | u64::from(byte));
        to.field(name, Field::Unsigned(value));
    }
}
