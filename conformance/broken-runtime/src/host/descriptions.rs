//! Descriptions of state objects that do not live as long as these, or are not the application's: copies, of
//! which the defect clears a part after the compile call, or in which it changes one thing before.

use std::sync::Mutex;
use std::{mem, ptr, slice};

use base_plugin::defects;
use ddi_sys::{
    D3D12DDI_DXIL_LIBRARY_DESC_0054, D3D12DDI_EXISTING_COLLECTION_DESC_0054,
    D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075, D3D12DDI_RAYTRACING_SHADER_CONFIG_0054,
    D3D12DDI_STATE_OBJECT_CONFIG_0054, D3D12DDI_STATE_OBJECT_FLAGS,
    D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, D3D12DDI_STATE_SUBOBJECT_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION,
    D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG,
    D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG, D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
    D3D12DDI_WORK_GRAPH_DESC_0108, D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    D3D12DDIARG_CREATE_STATE_OBJECT_0054,
};

use super::lock;
use crate::defect::{Defect, SELECTED, has};

/// The defects of this file.
#[macro_export]
macro_rules! description_defects {
    ($take:ident) => {
        $take! {
            /// In the descriptions of state objects that the plugin gets.
            Descriptions {
                ChangesDesc = "host-changes-desc" breaks H_10:
                    "the description of a state object is cleared after the call";
                FreesNames = "host-frees-names" breaks H_10:
                    "the names of a library's exports are cleared after the call";
                FreesPrograms = "host-frees-programs" breaks H_10:
                    "the programs of libraries are cleared after the call";
                FreesConfigs = "host-frees-configs" breaks H_10:
                    "the raytracing configs are cleared after the call";
                FreesRootSignatures = "host-frees-root-signatures" breaks H_10:
                    "root signatures are cleared after the call";
                FreesNodes = "host-frees-nodes" breaks H_10:
                    "the first node of a work graph is cleared after the call";
                OtherType = "host-other-type" breaks H_21:
                    "a collection becomes a raytracing pipeline";
                NoStateFlags = "host-no-state-flags" breaks H_21:
                    "the flags of a state object are left out";
                LosesRename = "host-loses-rename" breaks H_21:
                    "an export loses the name that it has inside its library";
                LosesExports = "host-loses-exports" breaks H_21:
                    "a library loses its list of exports";
                SwappedSizes = "host-swapped-sizes" breaks H_21:
                    "the sizes of payload and attributes are swapped";
                NoRecursion = "host-no-recursion" breaks H_21:
                    "MaxTraceRecursionDepth is 1";
                NoParameters = "host-no-parameters" breaks H_21:
                    "a serialized global root signature loses its parameters";
                GraphName = "host-graph-name" breaks H_21:
                    "a work graph loses the first letter of its name";
            }
        }
    };
}

description_defects!(defects);

type Desc = D3D12DDIARG_CREATE_STATE_OBJECT_0054;

/// What the plugin gets for a description, and what of it is cleared: addresses and sizes. The copies
/// are never freed, so that the plugin may read them.
#[derive(Clone)]
pub(super) struct Lent {
    pub(super) desc: *const Desc,
    cleared: Vec<(*mut u8, usize)>,
}

// SAFETY: the memory is the process's; one compile call at a time clears it.
unsafe impl Send for Lent {}

/// By the addresses of the runtime's descriptions.
static COPIES: Mutex<Vec<(usize, Lent)>> = Mutex::new(Vec::new());

/// A copy of an array, which stays.
///
/// # Safety
///
/// `first` has `count` elements.
pub(super) unsafe fn leaked<T: Clone>(first: *const T, count: usize) -> &'static mut [T] {
    // SAFETY: `first` has `count` elements, as this function demands.
    unsafe { slice::from_raw_parts(first, count) }
        .to_vec()
        .leak()
}

impl Lent {
    /// A copy of a structure.
    ///
    /// # Safety
    ///
    /// `pointer` is to a `T`.
    unsafe fn one<T: Clone>(&mut self, pointer: *const T, cleared: bool) -> &'static mut T {
        // SAFETY: `pointer` is to a `T`, as this function demands.
        unsafe { &mut self.array(pointer, 1, cleared)[0] }
    }

    /// A copy of an array.
    ///
    /// # Safety
    ///
    /// As [`leaked`].
    unsafe fn array<T: Clone>(
        &mut self,
        first: *const T,
        count: usize,
        cleared: bool,
    ) -> &'static mut [T] {
        // SAFETY: `first` has `count` elements, as this function demands.
        let copy = unsafe { leaked(first, count) };
        if cleared {
            let memory = copy.as_mut_ptr().cast();
            self.cleared.push((memory, size_of_val(copy)));
        }
        copy
    }

    /// The subobject with what the defect clears copied.
    ///
    /// # Safety
    ///
    /// It is one of the runtime's.
    unsafe fn subobject(&mut self, subobject: &mut D3D12DDI_STATE_SUBOBJECT_0054) {
        let desc = subobject.pDesc;
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: `pDesc` is to the structure of
        // the type.
        unsafe {
            match subobject.Type {
                D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => {
                    let library: *const D3D12DDI_DXIL_LIBRARY_DESC_0054 = desc.cast();
                    let library = self.one(library, false);
                    let words = *library.pDXILLibrary.add(1) as usize;
                    let cleared = has(Descriptions::FreesPrograms);
                    library.pDXILLibrary =
                        self.array(library.pDXILLibrary, words, cleared).as_ptr();
                    if library.NumExports != 0 {
                        let count = library.NumExports as usize;
                        let exports = self.array(library.pExports, count, false);
                        for export in &mut *exports {
                            let name = export.Name;
                            let mut units = 0;
                            while *name.add(units) != 0 {
                                units += 1;
                            }
                            let cleared = has(Descriptions::FreesNames);
                            export.Name = self.array(name, units + 1, cleared).as_ptr();
                            if has(Descriptions::LosesRename) {
                                export.ExportToRename = ptr::null();
                            }
                        }
                        library.pExports = exports.as_mut_ptr();
                    }
                    if has(Descriptions::LosesExports) {
                        library.NumExports = 0;
                    }
                    subobject.pDesc = ptr::from_ref(library).cast();
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG => {
                    let config: *const D3D12DDI_RAYTRACING_SHADER_CONFIG_0054 = desc.cast();
                    let config = self.one(config, has(Descriptions::FreesConfigs));
                    if has(Descriptions::SwappedSizes) {
                        let (payload, attribute) = (
                            &mut config.MaxPayloadSizeInBytes,
                            &mut config.MaxAttributeSizeInBytes,
                        );
                        mem::swap(payload, attribute);
                    }
                    subobject.pDesc = ptr::from_ref(config).cast();
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG => {
                    let config: *const D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075 = desc.cast();
                    let config = self.one(config, false);
                    if has(Descriptions::NoRecursion) {
                        config.MaxTraceRecursionDepth = 1;
                    }
                    subobject.pDesc = ptr::from_ref(config).cast();
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => {
                    let config: *const D3D12DDI_STATE_OBJECT_CONFIG_0054 = desc.cast();
                    let config = self.one(config, false);
                    if has(Descriptions::NoStateFlags) {
                        config.Flags = D3D12DDI_STATE_OBJECT_FLAGS(0);
                    }
                    subobject.pDesc = ptr::from_ref(config).cast();
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE => {
                    let arguments: *const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 = desc.cast();
                    let arguments = self.one(arguments, false);
                    let content = arguments.Anonymous.pRootSignature_1_2;
                    let cleared = has(Descriptions::FreesRootSignatures);
                    let content = self.one(content, cleared);
                    if has(Descriptions::NoParameters) {
                        content.NumParameters = 0;
                    }
                    arguments.Anonymous.pRootSignature_1_2 = content;
                    subobject.pDesc = ptr::from_ref(arguments).cast();
                }
                D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH => {
                    let graph: *const D3D12DDI_WORK_GRAPH_DESC_0108 = desc.cast();
                    let graph = self.one(graph, false);
                    let first = self.one(graph.pNodes, false);
                    first.pNode = self.one(first.pNode, has(Descriptions::FreesNodes));
                    graph.pNodes = first;
                    if has(Descriptions::GraphName) {
                        graph.ProgramName = graph.ProgramName.add(1);
                    }
                    subobject.pDesc = ptr::from_ref(graph).cast();
                }
                _ => {}
            }
        }
    }

    /// Clears what the defect clears.
    pub(super) fn clear(&self) {
        for (memory, size) in &self.cleared {
            // SAFETY: memory of a copy, which stays.
            unsafe { memory.write_bytes(0, *size) };
        }
    }
}

/// A new copy of the runtime's description, which is [`copy`]'s from now on, or the description where
/// the defect is none of this file.
///
/// # Safety
///
/// `desc` is the runtime's.
pub(super) unsafe fn copied(desc: *const Desc) -> *const Desc {
    if !matches!(*SELECTED, Ok(Some(Defect::Descriptions(_)))) {
        return desc;
    }
    let mut copy = Lent {
        desc,
        cleared: Vec::new(),
    };
    // SAFETY: `desc` is the runtime's, as this function demands.
    unsafe {
        let top = copy.one(desc, has(Descriptions::ChangesDesc));
        let subobjects = copy.array(top.pSubobjects, top.NumSubobjects as usize, false);
        for subobject in &mut *subobjects {
            copy.subobject(subobject);
        }
        top.pSubobjects = subobjects.as_ptr();
        if has(Descriptions::OtherType) {
            top.Type = D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE;
        }
        copy.desc = top;
    }
    let mut copies = lock(&COPIES);
    copies.retain(|(of, _)| *of != desc.addr());
    copies.push((desc.addr(), copy.clone()));
    copy.desc
}

/// What [`copied`] gave for the runtime's description when its size was calculated.
pub(super) fn copy(desc: *const Desc) -> Lent {
    let copies = lock(&COPIES);
    let own = copies.iter().find(|(of, _)| *of == desc.addr());
    own.map_or_else(
        || Lent {
            desc,
            cleared: Vec::new(),
        },
        |(_, copy)| copy.clone(),
    )
}

/// Whether a description has a work graph.
///
/// # Safety
///
/// `desc` is the runtime's.
pub(super) unsafe fn has_work_graph(desc: *const Desc) -> bool {
    // SAFETY: `desc` is the runtime's, as this function demands.
    let subobjects =
        unsafe { slice::from_raw_parts((*desc).pSubobjects, (*desc).NumSubobjects as usize) };
    let is_graph =
        |it: &D3D12DDI_STATE_SUBOBJECT_0054| it.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH;
    subobjects.iter().any(is_graph)
}

/// The existing collections of a description, as addresses.
///
/// # Safety
///
/// `desc` is the runtime's.
pub(super) unsafe fn collections(desc: *const Desc) -> Vec<usize> {
    // SAFETY: `desc` is the runtime's, as this function demands.
    let subobjects =
        unsafe { slice::from_raw_parts((*desc).pSubobjects, (*desc).NumSubobjects as usize) };
    subobjects
        .iter()
        .filter(|it| it.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION)
        .map(|it| {
            let desc: *const D3D12DDI_EXISTING_COLLECTION_DESC_0054 = it.pDesc.cast();
            // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: `pDesc` is to the structure
            // of the type.
            unsafe { (*desc).hExistingCollection.pDrvPrivate.expose_provenance() }
        })
        .collect()
}
