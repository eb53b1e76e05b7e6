//! Copies of what a host lends, at addresses that stay: the compiler may keep pointers to a state object's description as long
//! as the object, and a host that lets go of it too early must not make that undefined.

mod state_object;
mod work_graph;

use std::collections::HashMap;
use std::ptr;
use std::sync::Arc;

#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use plugin_host::arena::Arena;
use plugin_sdk::desc::{DescError, ShaderCode, reading};

use crate::boundary::{Error, Result};
use crate::handles::Owner;
use crate::objects::RootSignature;
use crate::pipeline::StateObject;

/// A structure in an [`Arena`] or in memory that its owner keeps alive and unchanged.
#[derive(Debug)]
pub(crate) struct Kept<T>(*const T);

impl<T> Kept<T> {
    /// # Safety
    ///
    /// The structure, and all that it points to, lives unchanged as long as this value's owner.
    pub(crate) const unsafe fn new(place: *const T) -> Self {
        Self(place)
    }

    pub(crate) const fn as_ptr(&self) -> *const T {
        self.0
    }

    pub(crate) fn get(&self) -> &T {
        // SAFETY: by `new`: the owner, of which `self` is a part, keeps it.
        unsafe { &*self.0 }
    }
}

// SAFETY: what it points to is only read.
unsafe impl<T> Send for Kept<T> {}
// SAFETY: through `&Kept` what it points to is only read.
unsafe impl<T> Sync for Kept<T> {}

/// Copies a description into an arena, in the plugin's form: handles are those of the plugin's DDI.
pub(crate) struct Copier {
    owner: Owner,
    pub(crate) arena: Arena,
    /// What handles in it stand for.
    pub(crate) root_signatures: Vec<Arc<RootSignature>>,
    pub(crate) collections: Vec<Arc<StateObject>>,
    /// Nodes of work graphs that have a copy, and it.
    nodes: HashMap<usize, *mut D3D12DDI_NODE_0108>,
    /// Of these the copies whose pointers are still the original's.
    unfinished: Vec<*mut D3D12DDI_NODE_0108>,
    /// How many entries of node lists there are.
    entries: usize,
}

impl From<DescError> for Error {
    fn from(error: DescError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl Copier {
    pub(crate) fn new(owner: Owner) -> Self {
        Self {
            owner,
            arena: Arena::new(),
            root_signatures: Vec::new(),
            collections: Vec::new(),
            nodes: HashMap::new(),
            unfinished: Vec::new(),
            entries: 0,
        }
    }

    /// # Safety
    ///
    /// As [`reading::array`].
    pub(crate) unsafe fn array<T: Copy>(
        &mut self,
        what: &'static str,
        pointer: *const T,
        count: UINT,
    ) -> Result<*mut T> {
        // SAFETY: `pointer` is null or to `count` elements (`# Safety`).
        Ok(self
            .arena
            .array(unsafe { reading::array(what, pointer, count) }?))
    }

    /// # Safety
    ///
    /// As [`reading::optional`].
    pub(crate) unsafe fn optional<T: Copy>(
        &mut self,
        what: &'static str,
        pointer: *const T,
    ) -> Result<*mut T> {
        // SAFETY: `pointer` is null or to a `T` (`# Safety`).
        let value = unsafe { reading::optional(what, pointer) }?;
        Ok(value.map_or(ptr::null_mut(), |value| self.arena.put(*value)))
    }

    /// # Safety
    ///
    /// As [`reading::optional_text`].
    pub(crate) unsafe fn text(&mut self, what: &'static str, text: LPCWSTR) -> Result<LPCWSTR> {
        // SAFETY: `text` is null or ends with a NUL (`# Safety`).
        let text = unsafe { reading::optional_text(what, text) }?;
        Ok(text.map_or(ptr::null(), |text| self.arena.string(text.as_slice())))
    }

    /// # Safety
    ///
    /// As [`ShaderCode::new`].
    pub(crate) unsafe fn code(
        &mut self,
        what: &'static str,
        code: *const UINT,
    ) -> Result<*const UINT> {
        // SAFETY: `code` is null or to shader code (`# Safety`).
        let code = unsafe { ShaderCode::new(what, code) }?;
        Ok(self.arena.array(code.bytes()).cast_const().cast())
    }

    /// # Safety
    ///
    /// What `layout` points at is valid.
    pub(crate) unsafe fn element_layout(
        &mut self,
        layout: &D3D12DDIARG_CREATEELEMENTLAYOUT_0010,
    ) -> Result<D3D12DDIARG_CREATEELEMENTLAYOUT_0010> {
        let (elements, count) = (layout.pVertexElements, layout.NumElements);
        Ok(D3D12DDIARG_CREATEELEMENTLAYOUT_0010 {
            // SAFETY: there are as many elements as it says (`# Safety`).
            pVertexElements: unsafe { self.array("pVertexElements", elements, count) }?,
            ..*layout
        })
    }

    /// # Safety
    ///
    /// What `arguments` points at is valid; the version says what that is.
    pub(crate) unsafe fn root_signature(
        &mut self,
        arguments: &D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    ) -> Result<D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100> {
        let mut copy = *arguments;
        // SAFETY: the version says which of the two structures, alike but for their samplers, the pointer
        // means; it is valid with all that it points at (`# Safety`).
        unsafe {
            let content = arguments.Anonymous.pRootSignature_1_2;
            copy.Anonymous.pRootSignature_1_2 = match arguments.Version {
                D3D12DDI_ROOT_SIGNATURE_VERSION_1_1 => {
                    let content: *const D3D12DDI_ROOT_SIGNATURE_0013 = content.cast();
                    let mut content = *reading::required("pRootSignature_1_1", content)?;
                    content.pRootParameters =
                        self.root_parameters(content.pRootParameters, content.NumParameters)?;
                    let (samplers, count) = (content.pStaticSamplers, content.NumStaticSamplers);
                    content.pStaticSamplers = self.array("pStaticSamplers", samplers, count)?;
                    self.arena.put(content).cast_const().cast()
                }
                D3D12DDI_ROOT_SIGNATURE_VERSION_1_2 => {
                    let mut content: D3D12DDI_ROOT_SIGNATURE_0100 =
                        *reading::required("pRootSignature_1_2", content)?;
                    content.pRootParameters =
                        self.root_parameters(content.pRootParameters, content.NumParameters)?;
                    let (samplers, count) = (content.pStaticSamplers, content.NumStaticSamplers);
                    content.pStaticSamplers = self.array("pStaticSamplers", samplers, count)?;
                    self.arena.put(content).cast_const()
                }
                version => {
                    return Err(DescError::RootSignatureVersion { version: version.0 }.into());
                }
            };
        }
        Ok(copy)
    }

    /// # Safety
    ///
    /// The parameters, and the ranges of the tables among them, are valid.
    unsafe fn root_parameters(
        &mut self,
        parameters: *const D3D12DDI_ROOT_PARAMETER_0013,
        count: UINT,
    ) -> Result<*const D3D12DDI_ROOT_PARAMETER_0013> {
        // SAFETY: there are `count` parameters, and as many ranges as a table says (`# Safety`); the type
        // says whether the table arm is the one that is set.
        unsafe {
            let mut parameters = reading::array("pRootParameters", parameters, count)?.to_vec();
            for parameter in &mut parameters {
                if parameter.ParameterType == D3D12DDI_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE {
                    let table = parameter.Anonymous.DescriptorTable;
                    let (ranges, count) = (table.pDescriptorRanges, table.NumDescriptorRanges);
                    let ranges = self.array("pDescriptorRanges", ranges, count)?;
                    parameter.Anonymous.DescriptorTable.pDescriptorRanges = ranges;
                }
            }
            Ok(self.arena.array(&parameters))
        }
    }
}
