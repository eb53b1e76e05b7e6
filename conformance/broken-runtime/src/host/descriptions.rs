//! Descriptions of state objects that do not live as long as these, or are not the application's: copies, of
//! which the defect clears a part after the compile call, or in which it changes one thing before.

use std::{mem, ptr, slice};

use ddi_sys::*;
use defects::{Place, given, given_array, rows};
use parking_lot::Mutex;

use super::Asked;
use crate::LIBRARY;
use crate::places::*;

rows! {
    Hook, Asked;

    "host-changes-desc" breaks H_10: "the description of a state object is cleared after the call",
        at Describe |it| clear_later(&mut it.cleared, slice::from_mut(it.desc));
    "host-frees-names" breaks H_10: "the names of a library's exports are cleared after the call",
        at Describe |it| it.names.iter_mut().for_each(|name| clear_later(&mut it.cleared, name));
    "host-frees-programs" breaks H_10: "the programs of libraries are cleared after the call",
        at Describe |it| it.programs.iter_mut().for_each(|program| clear_later(&mut it.cleared, program));
    "host-frees-configs" breaks H_10: "the raytracing configs are cleared after the call",
        at Describe |it| it.sizes.iter_mut().for_each(|sizes| clear_later(&mut it.cleared, slice::from_mut(*sizes)));
    "host-frees-root-signatures" breaks H_10: "root signatures are cleared after the call",
        at Describe |it| it.root_signatures.iter_mut().for_each(|root| clear_later(&mut it.cleared, slice::from_mut(*root)));
    "host-frees-nodes" breaks H_10: "the first node of a work graph is cleared after the call",
        at Describe |it| it.first_nodes.iter_mut().for_each(|node| clear_later(&mut it.cleared, node));
    "host-other-type" breaks H_21: "a collection becomes a raytracing pipeline",
        at Describe |it| it.desc.Type = D3D12DDI_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE;
    "host-no-state-flags" breaks H_21: "the flags of a state object are left out",
        at Describe |it| it.configs.iter_mut().for_each(|config| config.Flags = D3D12DDI_STATE_OBJECT_FLAGS(0));
    "host-loses-rename" breaks H_21: "an export loses the name that it has inside its library",
        at Describe |it| it.exports.iter_mut().flat_map(|all| &mut **all).for_each(|export| export.ExportToRename = ptr::null());
    "host-loses-exports" breaks H_21: "a library loses its list of exports",
        at Describe |it| it.libraries.iter_mut().for_each(|library| library.NumExports = 0);
    "host-swapped-sizes" breaks H_21: "the sizes of payload and attributes are swapped",
        at Describe |it| it.sizes.iter_mut().for_each(|sizes| {
            mem::swap(&mut sizes.MaxPayloadSizeInBytes, &mut sizes.MaxAttributeSizeInBytes);
        });
    "host-no-recursion" breaks H_21: "MaxTraceRecursionDepth is 1",
        at Describe |it| it.rays.iter_mut().for_each(|rays| rays.MaxTraceRecursionDepth = 1);
    "host-no-parameters" breaks H_21: "a serialized global root signature loses its parameters",
        at Describe |it| it.root_signatures.iter_mut().for_each(|root| root.NumParameters = 0);
    "host-graph-name" breaks H_21: "a work graph loses the first letter of its name",
        at Describe |it| it.graphs.iter_mut().for_each(|graph| graph.ProgramName = graph.ProgramName.wrapping_add(1));
}

type Desc = D3D12DDIARG_CREATE_STATE_OBJECT_0054;

/// A copy of a description, which is never freed, so that the plugin may read it.
pub(crate) struct Describe {
    desc: &'static mut Desc,
    libraries: Vec<&'static mut D3D12DDI_DXIL_LIBRARY_DESC_0054>,
    programs: Vec<&'static mut [u32]>,
    exports: Vec<&'static mut [D3D12DDI_EXPORT_DESC_0054]>,
    names: Vec<&'static mut [u16]>,
    sizes: Vec<&'static mut D3D12DDI_RAYTRACING_SHADER_CONFIG_0054>,
    rays: Vec<&'static mut D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075>,
    configs: Vec<&'static mut D3D12DDI_STATE_OBJECT_CONFIG_0054>,
    root_signatures: Vec<&'static mut D3D12DDI_ROOT_SIGNATURE_0100>,
    graphs: Vec<&'static mut D3D12DDI_WORK_GRAPH_DESC_0108>,
    first_nodes: Vec<&'static mut [D3D12DDI_NODE_0108]>,
    /// What is cleared after the compile call.
    cleared: Vec<Cleared>,
}

impl Place for Describe {
    type Answer = ();

    fn pass(&mut self) {}
}

/// An address and a size.
type Cleared = (usize, usize);

fn clear_later<T>(cleared: &mut Vec<Cleared>, part: &mut [T]) {
    let address = part.as_mut_ptr().expose_provenance();
    cleared.push((address, size_of_val(part)));
}

/// Copies by the addresses of the runtime's descriptions, and what of them is cleared.
static COPIES: Mutex<Vec<(usize, usize, Vec<Cleared>)>> = Mutex::new(Vec::new());

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

/// A copy of a structure, which stays.
///
/// # Safety
///
/// `pointer` is to a `T`.
unsafe fn leaked_one<T: Clone>(pointer: *const T) -> &'static mut T {
    // SAFETY: `pointer` is to a `T`, as this function demands.
    unsafe { &mut leaked(pointer, 1)[0] }
}

impl Describe {
    /// # Safety
    ///
    /// `desc` is the runtime's.
    unsafe fn new(desc: *const Desc) -> Self {
        // SAFETY: `desc` is the runtime's, as this function demands.
        let desc = unsafe { leaked_one(desc) };
        // SAFETY: it has as many subobjects as it says.
        let subobjects = unsafe { leaked(desc.pSubobjects, desc.NumSubobjects as usize) };
        desc.pSubobjects = subobjects.as_ptr();
        let mut copy = Self {
            desc,
            libraries: Vec::new(),
            programs: Vec::new(),
            exports: Vec::new(),
            names: Vec::new(),
            sizes: Vec::new(),
            rays: Vec::new(),
            configs: Vec::new(),
            root_signatures: Vec::new(),
            graphs: Vec::new(),
            first_nodes: Vec::new(),
            cleared: Vec::new(),
        };
        for subobject in subobjects {
            // SAFETY: it is one of the runtime's.
            unsafe { copy.copy(subobject) };
        }
        copy
    }

    /// # Safety
    ///
    /// It is one of the runtime's subobjects.
    unsafe fn copy(&mut self, subobject: &mut D3D12DDI_STATE_SUBOBJECT_0054) {
        /// Has a subobject lead to a copy of its content, and gives that.
        macro_rules! own {
            ($kind:ty) => {{
                // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: `pDesc` is to the structure of the type.
                let copy = unsafe { leaked_one::<$kind>(subobject.pDesc.cast()) };
                subobject.pDesc = ptr::from_ref(copy).cast();
                copy
            }};
        }
        match subobject.Type {
            D3D12DDI_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY => {
                let library = own!(D3D12DDI_DXIL_LIBRARY_DESC_0054);
                // SAFETY: the runtime's library.
                unsafe { self.copy_library(library) };
                self.libraries.push(library);
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG => {
                self.sizes
                    .push(own!(D3D12DDI_RAYTRACING_SHADER_CONFIG_0054));
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG => {
                self.rays
                    .push(own!(D3D12DDI_RAYTRACING_PIPELINE_CONFIG_0075));
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG => {
                self.configs.push(own!(D3D12DDI_STATE_OBJECT_CONFIG_0054));
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_GLOBAL_SERIALIZED_ROOT_SIGNATURE => {
                let arguments = own!(D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100);
                // SAFETY: the runtime's root signatures have version 1.2.
                let content = unsafe { leaked_one(arguments.Anonymous.pRootSignature_1_2) };
                arguments.Anonymous.pRootSignature_1_2 = content;
                self.root_signatures.push(content);
            }
            D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH => {
                let graph = own!(D3D12DDI_WORK_GRAPH_DESC_0108);
                // SAFETY: the graphs of the tests have nodes, of which the first is copied.
                let first = unsafe { leaked_one(graph.pNodes) };
                // SAFETY: the same.
                let node = unsafe { leaked(first.pNode, 1) };
                first.pNode = node.as_mut_ptr();
                graph.pNodes = first;
                self.first_nodes.push(node);
                self.graphs.push(graph);
            }
            _ => {}
        }
    }

    /// # Safety
    ///
    /// It is one of the runtime's libraries.
    unsafe fn copy_library(&mut self, library: &mut D3D12DDI_DXIL_LIBRARY_DESC_0054) {
        // SAFETY: the second word of a program is its length in words.
        let program = unsafe {
            let words = library.pDXILLibrary.add(1).read();
            leaked(library.pDXILLibrary, words as usize)
        };
        library.pDXILLibrary = program.as_ptr();
        self.programs.push(program);
        if library.NumExports == 0 {
            return;
        }
        // SAFETY: there are as many exports.
        let exports = unsafe { leaked(library.pExports, library.NumExports as usize) };
        for export in &mut *exports {
            // SAFETY: the name ends with a NUL.
            let name = unsafe {
                let units = (0..usize::MAX).find(|at| *export.Name.add(*at) == 0);
                leaked(export.Name, units.unwrap_or(0) + 1)
            };
            export.Name = name.as_ptr();
            self.names.push(name);
        }
        library.pExports = exports.as_mut_ptr();
        self.exports.push(exports);
    }
}

/// A new copy of the runtime's description, which is [`copy`]'s from now on, or the description where
/// the defect is none of this file.
pub(super) fn copied(desc: *const Desc) -> *const Desc {
    let is_here = |hook: &Hook| matches!(hook, Hook::Describe(_));
    if !LIBRARY
        .row()
        .is_some_and(|row| row.hooks.iter().any(is_here))
    {
        return desc;
    }
    // SAFETY: PFND3D12DDI_COMPILER_CALC_PRIVATE_STATE_OBJECT_SIZE: the runtime's description.
    let mut copy = unsafe { Describe::new(desc) };
    copy.hooked();
    let own = ptr::from_ref(copy.desc);
    let mut copies = COPIES.lock();
    copies.retain(|(of, ..)| *of != desc.addr());
    copies.push((desc.addr(), own.expose_provenance(), copy.cleared));
    own
}

/// What [`copied`] gave for the runtime's description when its size was calculated.
pub(super) fn copy(desc: *const Desc) -> *const Desc {
    let copies = COPIES.lock();
    let own = copies.iter().find(|(of, ..)| *of == desc.addr());
    own.map_or(desc, |(_, copy, _)| ptr::with_exposed_provenance(*copy))
}

/// Clears what the defect clears of the copy that [`copied`] gave for the runtime's description.
pub(super) fn clear(desc: *const Desc) {
    let copies = COPIES.lock();
    let own = copies.iter().find(|(of, ..)| *of == desc.addr());
    for (address, size) in own.iter().flat_map(|(_, _, cleared)| cleared) {
        let memory = ptr::with_exposed_provenance_mut::<u8>(*address);
        // SAFETY: memory of a copy, which stays.
        unsafe { memory.write_bytes(0, *size) };
    }
}

fn subobjects(desc: *const Desc) -> &'static [D3D12DDI_STATE_SUBOBJECT_0054] {
    given(desc).map_or(&[], |desc| {
        given_array(desc.pSubobjects, desc.NumSubobjects)
    })
}

/// Whether a description has a work graph.
pub(super) fn has_work_graph(desc: *const Desc) -> bool {
    let mut subobjects = subobjects(desc).iter();
    subobjects.any(|it| it.Type == D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH)
}

/// The existing collections of a description, as addresses.
pub(super) fn collections(desc: *const Desc) -> Vec<usize> {
    let of_type = D3D12DDI_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION;
    let subobjects = subobjects(desc).iter().filter(|it| it.Type == of_type);
    let collections = subobjects.map(|it| {
        let desc: *const D3D12DDI_EXISTING_COLLECTION_DESC_0054 = it.pDesc.cast();
        // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: `pDesc` is to the structure of the type.
        unsafe { (*desc).hExistingCollection.pDrvPrivate.expose_provenance() }
    });
    collections.collect()
}
