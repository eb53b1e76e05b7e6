//! State objects of every kind, as the DDI has them: the runtime translates what the API describes.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::{iter, ptr};

use compiler_runtime::desc::state_object::{self, Collection, StateObject as Translated};
use compiler_runtime::message::Messages;
use conformance_catalogue::rules;
use conformance_catalogue::verdict::Stop;
use ddi_sys::{
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_NONE, D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_HCOMPILERSTATEOBJECT,
    D3D12DDI_HRTCOMPILERCACHESESSION, D3D12DDI_STATE_SUBOBJECT_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, D3D12DDIARG_CREATE_STATE_OBJECT_0054, HRESULT,
};
use plugin_host::session::MemoryCache;
use region::Protection;

use crate::inputs::arena::Piece;
use crate::inputs::generated::Changes;
use crate::inputs::shaders::{
    Shader, fullscreen_ps, fullscreen_vs, rt_pipeline_lib63, rt_subobjects_lib63, wg_nodes_lib68,
};
use crate::plugin::compiler::{self, Compiler};
use crate::plugin::function_table::entry;
use crate::plugin::recorder::{self, Recording};
use crate::runtime::StateObjectDesc;
use crate::watch::memory::{Guarded, Place};

mod apart;
mod changes;
mod reversed;
mod state;

pub(crate) use reversed::reversed;
use state::State;

/// What a target must offer for a kind of state object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Raytracing,
    RaytracingAdditions,
    GenericPrograms,
    WorkGraphs,
}

/// What a state object is made from, besides its description.
#[derive(Clone, Copy, Debug)]
enum From {
    Nothing,
    Collection(&'static Kind),
    Parent(&'static Kind),
}

/// A kind of state object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Its libraries, which `describe` has.
    pub(crate) libraries: &'static [&'static Shader],
    /// What it needs before its changes.
    feature: Feature,
    describe: fn(State) -> StateObjectDesc,
    /// How its program is called, or the shader in it.
    program: &'static str,
    from: From,
    /// What is off its default.
    changes: Changes<Self>,
}

pub(crate) static RAYTRACING: Kind = Kind {
    name: "raytracing pipeline",
    libraries: &[&rt_pipeline_lib63],
    feature: Feature::Raytracing,
    describe: State::raytracing_pipeline,
    program: "first",
    from: From::Nothing,
    changes: &[],
};

static ADDABLE: Kind = Kind {
    name: "raytracing pipeline that can be added to",
    libraries: &[&rt_pipeline_lib63],
    feature: Feature::RaytracingAdditions,
    describe: State::raytracing_pipeline,
    program: "first",
    from: From::Nothing,
    changes: &[],
};

static COLLECTION: Kind = Kind {
    name: "collection",
    libraries: &[&rt_pipeline_lib63],
    feature: Feature::Raytracing,
    describe: State::collection,
    program: "second",
    from: From::Nothing,
    changes: &[],
};

pub(crate) static ADDITION: Kind = Kind {
    name: "addition",
    libraries: &[&rt_pipeline_lib63],
    feature: Feature::RaytracingAdditions,
    describe: State::raytracing_pipeline,
    program: "third",
    from: From::Parent(&ADDABLE),
    changes: &[],
};

static GENERIC_PROGRAM: Kind = Kind {
    name: "generic program",
    libraries: &[&fullscreen_vs, &fullscreen_ps],
    feature: Feature::GenericPrograms,
    describe: State::generic_program,
    program: "program",
    from: From::Nothing,
    changes: &[],
};

static WORK_GRAPH: Kind = Kind {
    name: "work graph",
    libraries: &[&wg_nodes_lib68],
    feature: Feature::WorkGraphs,
    describe: State::work_graph,
    program: "graph",
    from: From::Nothing,
    changes: &[],
};

/// Every kind of state object.
pub(crate) static KINDS: [&Kind; 9] = [
    &RAYTRACING,
    &ADDABLE,
    &Kind {
        name: "raytracing pipeline of a library with subobjects",
        libraries: &[&rt_subobjects_lib63],
        feature: Feature::Raytracing,
        describe: |_| StateObjectDesc::of_library(),
        program: "",
        from: From::Nothing,
        changes: &[],
    },
    &COLLECTION,
    &Kind {
        name: "raytracing pipeline with a collection",
        libraries: &[&rt_pipeline_lib63],
        feature: Feature::Raytracing,
        describe: State::raytracing_pipeline,
        program: "fourth",
        from: From::Collection(&COLLECTION),
        changes: &[],
    },
    &ADDITION,
    &Kind {
        name: "addition to an addition",
        libraries: &[&rt_pipeline_lib63],
        feature: Feature::RaytracingAdditions,
        describe: State::raytracing_pipeline,
        program: "fifth",
        from: From::Parent(&ADDITION),
        changes: &[],
    },
    &GENERIC_PROGRAM,
    &WORK_GRAPH,
];

/// Each is one of its statics.
impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

impl Eq for Kind {}

impl Kind {
    /// What a target must offer for it.
    pub(crate) fn feature(&self) -> Feature {
        State::of(self).feature
    }

    /// The function that compiles it.
    pub(crate) fn function(&self) -> &'static str {
        if self.is_addition() {
            "pfnCompileAddToStateObject"
        } else {
            "pfnCompileCreateStateObject"
        }
    }

    /// Whether it adds to what it is made from.
    pub(crate) fn is_addition(&self) -> bool {
        matches!(self.from, From::Parent(_))
    }
}

/// A state object of the plugin. It, its memory and its description stay until the process ends, unless a
/// test destroys it or takes them away.
#[derive(Clone)]
pub(crate) struct Object {
    desc: Description,
    pub(crate) memory: &'static Guarded,
    /// What it was made from.
    pub(crate) from: Option<Box<Object>>,
}

/// A description of a state object, in pages of its own. It stays until the process ends, as a plugin may
/// keep a pointer to it as long as the object lives; what it does with it later is other rules' business.
#[derive(Clone)]
pub(crate) struct Description {
    translated: Arc<Translated>,
    /// Each part of it in pages of its own; none where it is the translation itself.
    pieces: &'static [Piece],
    /// The translation's own, or that of the pieces.
    arg: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
}

// SAFETY: the argument and the pieces stay until the process ends, whatever thread reads them.
unsafe impl Send for Description {}

impl Description {
    fn new(translated: Arc<Translated>) -> Self {
        std::mem::forget(Arc::clone(&translated));
        let arg = ptr::from_ref(translated.arg());
        Self {
            translated,
            pieces: &[],
            arg,
        }
    }

    pub(crate) fn arg(&self) -> *const D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
        self.arg
    }

    /// Where it is, and what it is a copy of.
    pub(crate) fn addresses(&self) -> Vec<Range<usize>> {
        let pages = self.translated.pages();
        let pages = pages.map(|of| of.start.addr()..of.end.addr());
        let pieces = self.pieces.iter().map(|piece| piece.memory().addresses());
        pages.chain(pieces).collect()
    }

    /// Changes what may be done with its memory, and that of what it is a copy of.
    pub(crate) fn protect(&self, protection: Protection) -> Result<(), Stop> {
        for piece in self.pieces {
            piece.memory().protect(protection)?;
        }
        for pages in self.translated.pages() {
            let size = pages.end.addr() - pages.start.addr();
            // SAFETY: nothing else is in these pages, which are never freed.
            unsafe { region::protect(pages.start, size, protection) }
                .map_err(|error| Stop::Tool(format!("cannot protect memory: {error}")))?;
        }
        Ok(())
    }
}

impl Object {
    /// What a compile made in `memory`.
    pub(crate) fn new(desc: Description, memory: &'static Guarded, from: Option<&Self>) -> Self {
        let from = from.cloned().map(Box::new);
        Self { desc, memory, from }
    }

    fn handle(&self) -> D3D12DDI_HCOMPILERSTATEOBJECT {
        handle(self.memory)
    }

    pub(crate) fn description(&self) -> &Description {
        &self.desc
    }

    /// It and what it was made from.
    pub(crate) fn line(&self) -> impl Iterator<Item = &Self> {
        iter::successors(Some(self), |object| object.from.as_deref())
    }
}

fn handle(memory: &Guarded) -> D3D12DDI_HCOMPILERSTATEOBJECT {
    D3D12DDI_HCOMPILERSTATEOBJECT {
        pDrvPrivate: memory.ptr(),
    }
}

impl Kind {
    /// What it is made from.
    pub(crate) fn base(&self) -> Option<&'static Self> {
        match self.from {
            From::Nothing => None,
            From::Collection(other) | From::Parent(other) => Some(other),
        }
    }

    /// It, and before it what it is made from.
    pub(crate) fn line(&'static self) -> Vec<&'static Self> {
        let mut line: Vec<_> = iter::successors(Some(self), |kind| kind.base()).collect();
        line.reverse();
        line
    }

    /// What it adds to, of what it is made from.
    pub(crate) fn parent<'o>(&self, from: Option<&'o Object>) -> Option<&'o Object> {
        from.filter(|_| self.is_addition())
    }

    /// A description of it, made from `from`, for one object.
    pub(crate) fn described(&'static self, from: Option<&Object>) -> Result<Description, Stop> {
        self.described_from(from.map(|from| (&from.desc, from.handle().pDrvPrivate)))
    }

    /// As [`described`](Self::described), made from an object of anybody's with this description and handle.
    pub(crate) fn described_from(
        &'static self,
        from: Option<(&Description, *mut c_void)>,
    ) -> Result<Description, Stop> {
        translate(self, from).map(Description::new)
    }
}

impl Compiler {
    /// Compiles a state object, after what it is made from, in sessions over `cache`: its own compile,
    /// and the object if that succeeded. Needs P-SO-07 for what it is made from.
    pub(crate) fn compile_state_object(
        &self,
        cache: &Arc<MemoryCache>,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        kind: &'static Kind,
    ) -> Result<(Recording, Option<Object>), Stop> {
        self.compile_changed_state_object(cache, types, kind, |arg| arg)
    }

    /// As [`compile_state_object`](Self::compile_state_object), with a description that was changed
    /// after its translation.
    pub(crate) fn compile_changed_state_object(
        &self,
        cache: &Arc<MemoryCache>,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        kind: &'static Kind,
        change: impl FnOnce(
            *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        ) -> *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    ) -> Result<(Recording, Option<Object>), Stop> {
        let from = match kind.base() {
            None => None,
            Some(other) => {
                // A plugin may refuse a compile without value types, and this one has to succeed.
                let has_types = types != D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_NONE;
                let types = if has_types {
                    types
                } else {
                    compiler::USUAL_TYPES
                };
                let (recording, object) = self.compile_state_object(cache, types, other)?;
                Some(Box::new(made(other, &recording, object)?))
            }
        };
        let desc = translated(kind, from.as_deref())?;
        let arg = change(desc.arg());
        let parent = kind.parent(from.as_deref());
        let size = self.private_state_object_size(arg, parent);
        if size > compiler::ABSURD_SIZE {
            // The size functions have no other way to refuse a description.
            return Ok((Recording::refused(), None));
        }
        let memory = leaked(Guarded::new(
            size,
            compiler::PRIVATE_ALIGN,
            Place::Roomy,
            0,
        )?);
        let recording = self.compile_state_object_in(cache, types, arg, parent, memory);
        let object = recording
            .result
            .is_ok()
            .then_some(Object { desc, memory, from });
        Ok((recording, object))
    }

    /// The size of a state object, or of an addition to `parent`.
    pub(crate) fn private_state_object_size(
        &self,
        arg: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        parent: Option<&Object>,
    ) -> usize {
        match parent {
            None => {
                let calc = entry!(self.funcs, pfnCalcPrivateStateObjectSize);
                // SAFETY: the compiler exists, the description is ours and valid.
                unsafe { calc(self.handle(), arg) }
            }
            Some(parent) => {
                let calc = entry!(self.funcs, pfnCalcPrivateAddToStateObjectSize);
                // SAFETY: the compiler and the parent live, the description is ours and valid.
                unsafe { calc(self.handle(), arg, parent.handle()) }
            }
        }
    }

    /// Compiles a state object in `memory`, as an addition to `parent` if there is one.
    fn compile_state_object_in(
        &self,
        cache: &Arc<MemoryCache>,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        arg: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        parent: Option<&Object>,
        memory: &Guarded,
    ) -> Recording {
        recorder::record(cache, |session| {
            self.call_state_object(session, types, arg, parent, memory)
        })
    }

    /// Compiles a state object in a session that lives, as an addition to `parent` if there is one.
    pub(crate) fn call_state_object(
        &self,
        session: D3D12DDI_HRTCOMPILERCACHESESSION,
        types: D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAGS,
        arg: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
        parent: Option<&Object>,
        memory: &Guarded,
    ) -> HRESULT {
        match parent {
            None => {
                let call = entry!(self.funcs, pfnCompileCreateStateObject);
                // SAFETY: the compiler and the session live for this call, the memory has the size
                // that was asked for.
                unsafe { call(self.handle(), session, types, arg, handle(memory)) }
            }
            Some(parent) => {
                let call = entry!(self.funcs, pfnCompileAddToStateObject);
                let (parent, object) = (parent.handle(), handle(memory));
                // SAFETY: the compiler, the parent and the session live for this call, the memory
                // has the size that was asked for.
                unsafe { call(self.handle(), session, types, arg, parent, object) }
            }
        }
    }

    /// As [`compile_state_object`](Self::compile_state_object), with a description of its own, from what is
    /// there already, in memory that `memory` makes of a size. Needs P-SO-01 for the size.
    pub(crate) fn make_state_object(
        &self,
        cache: &Arc<MemoryCache>,
        kind: &'static Kind,
        (desc, from): (Description, Option<&Object>),
        memory: impl FnOnce(usize) -> Result<&'static Guarded, Stop>,
    ) -> Result<(Recording, Option<Object>), Stop> {
        let parent = kind.parent(from);
        let size = self.private_state_object_size(desc.arg(), parent);
        if size > compiler::ABSURD_SIZE {
            return Err(Stop::needs(rules::P_SO_01));
        }
        Ok(self.make_state_object_in(cache, kind, (desc, from), memory(size)?))
    }

    /// As [`make_state_object`](Self::make_state_object), in memory of the size that was calculated.
    pub(crate) fn make_state_object_in(
        &self,
        cache: &Arc<MemoryCache>,
        kind: &'static Kind,
        (desc, from): (Description, Option<&Object>),
        memory: &'static Guarded,
    ) -> (Recording, Option<Object>) {
        let (parent, types) = (kind.parent(from), compiler::USUAL_TYPES);
        let recording = self.compile_state_object_in(cache, types, desc.arg(), parent, memory);
        let is_made = recording.result.is_ok();
        let object = is_made.then(|| Object::new(desc, memory, from));
        (recording, object)
    }

    /// Destroys a state object, then what it was made from.
    pub(crate) fn destroy_state_object(&self, object: &Object) {
        for object in object.line() {
            self.end_state_object(object);
        }
    }

    /// Destroys a state object, and nothing of what it was made from.
    pub(crate) fn end_state_object(&self, object: &Object) {
        let call = entry!(self.funcs, pfnDestroyStateObject);
        // SAFETY: the object lives, and what was made from it is destroyed already.
        unsafe { call(self.handle(), object.handle()) };
    }
}

/// Memory that stays until the process ends.
pub(crate) fn leaked(memory: Guarded) -> &'static Guarded {
    Box::leak(Box::new(memory))
}

/// What was made, which must have succeeded for the test to go on. Needs P-SO-07.
pub(crate) fn made(
    kind: &Kind,
    recording: &Recording,
    object: Option<Object>,
) -> Result<Object, Stop> {
    object.ok_or_else(|| {
        let (function, result) = (kind.function(), recording.result);
        let got = format!("{function} ({}) returned {result}", kind.name);
        Stop::needs_but_got(rules::P_SO_07, got)
    })
}

/// The description with another program in its library. It stays until the process ends.
pub(crate) fn with_library(
    arg: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    program: *const u32,
) -> *const D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
    // SAFETY: a description that `translate` made, with an array of as many subobjects as it says.
    let (arg, subobjects) = unsafe {
        let arg = *arg;
        let count = arg.NumSubobjects as usize;
        (arg, std::slice::from_raw_parts(arg.pSubobjects, count))
    };
    let subobjects: Vec<_> = subobjects
        .iter()
        .map(|&subobject| {
            if subobject.Type != D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY {
                return subobject;
            }
            let library: *const D3D12DDI_DXIL_LIBRARY_DESC_0054 = subobject.pDesc.cast();
            let changed = D3D12DDI_DXIL_LIBRARY_DESC_0054 {
                pDXILLibrary: program,
                // SAFETY: a subobject of this type has this description.
                ..unsafe { *library }
            };
            D3D12DDI_STATE_SUBOBJECT_0054 {
                pDesc: ptr::from_ref(Box::leak(Box::new(changed))).cast(),
                ..subobject
            }
        })
        .collect();
    Box::leak(Box::new(D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
        pSubobjects: subobjects.leak().as_ptr(),
        ..arg
    }))
}

/// What was translated already: with a collection in it a description is one for that object, all others
/// serve for every object of their kind.
static TRANSLATED: Mutex<Vec<(&Kind, Description)>> = Mutex::new(Vec::new());

fn translated(kind: &'static Kind, from: Option<&Object>) -> Result<Description, Stop> {
    if let From::Collection(_) = kind.from {
        return kind.described(from);
    }
    let mut known = TRANSLATED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, translated)) = known.iter().find(|(of, _)| *of == kind) {
        return Ok(translated.clone());
    }
    let translated = kind.described(from)?;
    known.push((kind, translated.clone()));
    Ok(translated)
}

fn translate(
    kind: &'static Kind,
    from: Option<(&Description, *mut c_void)>,
) -> Result<Arc<Translated>, Stop> {
    let parent = from.filter(|_| kind.is_addition());
    let collection = from.filter(|_| !kind.is_addition());
    let mut api = (kind.describe)(State::of(kind));
    if let Some((_, address)) = collection {
        api = api.with_address(address);
    }
    let desc = api.desc();
    let known = |at: *mut c_void| {
        let (desc, address) = collection.filter(|(_, address)| *address == at)?;
        Some(Collection {
            desc: Arc::clone(&desc.translated),
            handle: D3D12DDI_HCOMPILERSTATEOBJECT {
                pDrvPrivate: address,
            },
            keep_alive: Arc::new(()),
        })
    };
    let parent = parent.map(|(desc, _)| &desc.translated);
    let unable = |error| {
        Stop::Tool(format!(
            "the built-in description of a {}: {error}",
            kind.name
        ))
    };
    // SAFETY: the description and what it points at live until `api` ends.
    let desc = unsafe { state_object::read(&raw const desc, known) }.map_err(unable)?;
    // SAFETY: no work graph has additions here.
    let translated = unsafe { Translated::new(&desc, parent, None, &mut Messages::default()) };
    translated.map(Arc::new).map_err(unable)
}

#[cfg(test)]
mod tests {
    use ddi_sys::{
        D3D12DDI_FUNCTION_SUMMARY_0054, D3D12DDI_GENERIC_PROGRAM_DESC_0108,
        D3D12DDI_STATE_SUBOBJECT_0054, D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM,
        D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY, D3D12DDIARG_CREATE_STATE_OBJECT_0054,
    };

    use super::{Description, From, KINDS, reversed, translate};
    use crate::inputs::generated::{pairs, random, walk};

    #[test]
    fn descriptions_are_valid() {
        let kinds = KINDS.into_iter().chain(KINDS.into_iter().flat_map(walk));
        let kinds = kinds.chain(KINDS.into_iter().flat_map(|kind| pairs(kind, 0)));
        for kind in kinds.chain(random(&KINDS, 0).take(200)) {
            if let From::Nothing = kind.from {
                assert!(translate(kind, None).is_ok(), "{}", kind.name);
            }
        }
    }

    #[test]
    fn reversed_descriptions_name_the_same_subobjects() {
        for kind in KINDS {
            if let From::Nothing = kind.from {
                let one = Description::new(translate(kind, None).unwrap()).arg();
                let other = reversed(one);
                let twice = reversed(other);
                // SAFETY: all are descriptions, which stay.
                let [one, other, twice] = [one, other, twice].map(|arg| unsafe { named(arg) });
                assert_eq!(one, twice, "{}", kind.name);
                assert_eq!(one.1, other.1, "{}", kind.name);
                assert!(one.0.into_iter().rev().eq(other.0), "{}", kind.name);
            }
        }
    }

    /// The types of the subobjects, and of those that each export has.
    ///
    /// # Safety
    ///
    /// A description, with as many subobjects as it says.
    unsafe fn named(arg: *const D3D12DDIARG_CREATE_STATE_OBJECT_0054) -> (Vec<i32>, Vec<Vec<i32>>) {
        // SAFETY: as this function demands; a subobject has the description of its type.
        unsafe {
            let count = (*arg).NumSubobjects as usize;
            let subobjects = std::slice::from_raw_parts((*arg).pSubobjects, count);
            let mut lists = Vec::new();
            let mut list = |pointers: *const *const D3D12DDI_STATE_SUBOBJECT_0054, count: u32| {
                let listed = (0..count as usize).map(|at| *pointers.add(at));
                let own = listed.map(|listed| {
                    assert!(subobjects.as_ptr_range().contains(&listed));
                    (*listed).Type.0
                });
                lists.push(own.collect());
            };
            for subobject in subobjects {
                match subobject.Type {
                    D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM => {
                        let program: *const D3D12DDI_GENERIC_PROGRAM_DESC_0108 =
                            subobject.pDesc.cast();
                        list((*program).pSubobjects, (*program).NumSubobjects);
                    }
                    D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY => {
                        let summary: *const D3D12DDI_FUNCTION_SUMMARY_0054 = subobject.pDesc.cast();
                        for at in 0..(*summary).NumExportedFunctions as usize {
                            let of = (*summary).pSummaries.add(at);
                            list((*of).ppAssociatedSubobjects, (*of).NumAssociatedSubobjects);
                        }
                    }
                    _ => {}
                }
            }
            lists.sort();
            (subobjects.iter().map(|own| own.Type.0).collect(), lists)
        }
    }
}
