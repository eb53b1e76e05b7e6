//! Creates pipeline states and state objects in a driver.
//!
//! `compiler_runtime::desc` translates and validates a description, as for a compiler plugin: in a translated pipeline state
//! the handles point at create arguments. To realize it is to create the object of each of these arguments in the driver, and
//! to put the driver's handles in their place. The driver's parts are destroyed once the pipeline exists, in reverse order.

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use api_desc::{CollectionName, PipelineStateDesc, RecordPlaces, StateObjectDesc};
use api_sys::D3D12_STATE_SUBOBJECT_TYPE;
use compiler_runtime::desc::pipeline_state::PipelineState as TranslatedPipeline;
use compiler_runtime::desc::state_object::{self, Collection};
use compiler_runtime::message::Messages;
use ddi_sys::{
    D3D12DDI_BLEND_DESC_0010, D3D12DDI_DEPTH_STENCIL_DESC_0095, D3D12DDI_HBLENDSTATE,
    D3D12DDI_HCOMMANDPOOL_0040, D3D12DDI_HCOMMANDRECORDER_0040, D3D12DDI_HCOMPILERSTATEOBJECT,
    D3D12DDI_HDEPTHSTENCILSTATE, D3D12DDI_HDEVICE, D3D12DDI_HELEMENTLAYOUT,
    D3D12DDI_HPIPELINESTATE, D3D12DDI_HRASTERIZERSTATE, D3D12DDI_HROOTSIGNATURE,
    D3D12DDI_HRTPIPELINESTATE, D3D12DDI_HRTSTATEOBJECT_0054, D3D12DDI_HSHADER,
    D3D12DDI_HSTATEOBJECT_0054, D3D12DDI_RASTERIZER_DESC_0102,
    D3D12DDIARG_ADD_TO_STATE_OBJECT_0072,
    D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026,
    D3D12DDIARG_CREATE_PIPELINE_STATE_0099, D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100,
    D3D12DDIARG_CREATE_SHADER_0026, D3D12DDIARG_CREATEELEMENTLAYOUT_0010, HRESULT, SIZE_T,
};

use crate::Error;
use crate::adapter::{call, check};
use crate::callbacks::Creating;
use crate::device::{Device, Kind, Shared};
use crate::object::Object;
use crate::registry::Registered;
use crate::shader_cache::{OfObject, Outcome};

type Calculate<A> = Option<unsafe extern "system" fn(D3D12DDI_HDEVICE, *const A) -> SIZE_T>;
type Create<A, H> = Option<unsafe extern "system" fn(D3D12DDI_HDEVICE, *const A, H)>;
type CreateWithResult<A, H> =
    Option<unsafe extern "system" fn(D3D12DDI_HDEVICE, *const A, H) -> HRESULT>;
type Destroy<H> = Option<unsafe extern "system" fn(D3D12DDI_HDEVICE, H)>;

/// An object of the driver, which is destroyed when this is dropped.
pub(crate) struct Part {
    destroy: Box<dyn FnMut()>,
    object: Object,
}

// SAFETY: objects of the DDI are free-threaded.
unsafe impl Send for Part {}
// SAFETY: nothing is done through a shared reference.
unsafe impl Sync for Part {}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.fmt(f)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        (self.destroy)();
    }
}

/// The driver's objects for one pipeline.
struct Parts<'a> {
    device: &'a Shared,
    made: Vec<Part>,
}

impl Drop for Parts<'_> {
    fn drop(&mut self) {
        while self.made.pop().is_some() {}
    }
}

/// How to create an object, with a result or without one: then the driver reports errors by a callback.
pub(crate) enum Way<A, H> {
    Silent(Create<A, H>),
    WithResult(CreateWithResult<A, H>),
}

/// A handle of the driver.
pub(crate) trait Handle: Copy + 'static {
    fn of(object: &Object) -> Self;
}

macro_rules! handles {
    ($($name:ident),*) => {$(
        impl Handle for $name {
            fn of(object: &Object) -> Self {
                Self { pDrvPrivate: object.driver() }
            }
        }
    )*};
}

handles!(
    D3D12DDI_HROOTSIGNATURE,
    D3D12DDI_HSHADER,
    D3D12DDI_HBLENDSTATE,
    D3D12DDI_HRASTERIZERSTATE,
    D3D12DDI_HDEPTHSTENCILSTATE,
    D3D12DDI_HELEMENTLAYOUT,
    D3D12DDI_HPIPELINESTATE,
    D3D12DDI_HSTATEOBJECT_0054,
    D3D12DDI_HCOMMANDPOOL_0040,
    D3D12DDI_HCOMMANDRECORDER_0040
);

impl Part {
    /// Creates the object of an argument.
    ///
    /// # Safety
    ///
    /// The argument is one of the driver's DDI, complete, with handles of the driver; the functions belong together. What the
    /// driver makes from the object is destroyed first, and the device last.
    pub(crate) unsafe fn new<A, H: Handle>(
        device: &Shared,
        name: &'static str,
        argument: &A,
        calculate: Calculate<A>,
        create: &Way<A, H>,
        destroy: Destroy<H>,
    ) -> Result<(Self, H), Error> {
        let (calculate, destroy) = (call(name, calculate)?, call(name, destroy)?);
        let own = device.handle;
        // SAFETY: the argument is one of the driver's DDI, complete (`# Safety`).
        let size = unsafe { calculate(own, argument) };
        let object = Object::new(name, size)?;
        let handle = H::of(&object);
        match *create {
            Way::Silent(create) => {
                let create = call(name, create)?;
                // SAFETY: the argument is complete (`# Safety`); the memory is as large as was calculated.
                device.reported(name, || unsafe { create(own, argument, handle) })?;
            }
            Way::WithResult(create) => {
                let create = call(name, create)?;
                // SAFETY: the argument is complete (`# Safety`); the memory is as large as was calculated.
                check(name, unsafe { create(own, argument, handle) })?;
            }
        }
        let part = Self {
            // SAFETY: it was created, and what the driver made from it is destroyed first (`# Safety`).
            destroy: Box::new(move || unsafe { destroy(own, handle) }),
            object,
        };
        Ok((part, handle))
    }

    /// The driver's address of it.
    pub(crate) fn driver(&self) -> *mut c_void {
        self.object.driver()
    }
}

impl Parts<'_> {
    /// Creates a part of the pipeline.
    ///
    /// # Safety
    ///
    /// As for [`Part::new`].
    unsafe fn make<A, H: Handle>(
        &mut self,
        name: &'static str,
        argument: &A,
        calculate: Calculate<A>,
        create: &Way<A, H>,
        destroy: Destroy<H>,
    ) -> Result<H, Error> {
        // SAFETY: the argument is one of the driver's DDI, complete, and the functions belong together (`# Safety`).
        let (part, handle) =
            unsafe { Part::new(self.device, name, argument, calculate, create, destroy) }?;
        self.made.push(part);
        Ok(handle)
    }

    /// Puts the driver's handles in the places of a translated description's.
    ///
    /// # Safety
    ///
    /// The handles point at create arguments that live.
    unsafe fn realize(
        &mut self,
        argument: &mut D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    ) -> Result<(), Error> {
        let core = self.device.core;
        macro_rules! put {
            ($field:ident: $argument:ty, $name:literal, $calculate:ident, $way:ident($create:ident), $destroy:ident) => {
                // SAFETY: the handle points at the argument, or is null.
                if let Some(part) = unsafe { argument.$field.pDrvPrivate.cast::<$argument>().as_ref() } {
                    // SAFETY: the argument is complete, has no handles, and goes to the functions of its type.
                    argument.$field = unsafe {
                        self.make($name, part, core.$calculate, &Way::$way(core.$create), core.$destroy)
                    }?;
                }
            };
        }
        put!(hRootSignature: D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, "pfnCreateRootSignature", pfnCalcPrivateRootSignatureSize, WithResult(pfnCreateRootSignature), pfnDestroyRootSignature);
        put!(hBlendState: D3D12DDI_BLEND_DESC_0010, "pfnCreateBlendState", pfnCalcPrivateBlendStateSize, Silent(pfnCreateBlendState), pfnDestroyBlendState);
        put!(hRasterizerState: D3D12DDI_RASTERIZER_DESC_0102, "pfnCreateRasterizerState", pfnCalcPrivateRasterizerStateSize, Silent(pfnCreateRasterizerState), pfnDestroyRasterizerState);
        put!(hDepthStencilState: D3D12DDI_DEPTH_STENCIL_DESC_0095, "pfnCreateDepthStencilState", pfnCalcPrivateDepthStencilStateSize, Silent(pfnCreateDepthStencilState), pfnDestroyDepthStencilState);
        put!(hElementLayout: D3D12DDIARG_CREATEELEMENTLAYOUT_0010, "pfnCreateElementLayout", pfnCalcPrivateElementLayoutSize, Silent(pfnCreateElementLayout), pfnDestroyElementLayout);
        let root = argument.hRootSignature;
        macro_rules! shader {
            ($field:ident, $name:literal, $calculate:ident, $create:ident) => {
                // SAFETY: the handle points at the argument, or is null.
                if let Some(part) = unsafe {
                    argument
                        .$field
                        .pDrvPrivate
                        .cast::<D3D12DDIARG_CREATE_SHADER_0026>()
                        .as_ref()
                } {
                    let part = D3D12DDIARG_CREATE_SHADER_0026 {
                        hRootSignature: root,
                        ..*part
                    };
                    // SAFETY: `part` is the translated argument with the driver's root signature, complete; the functions belong together.
                    argument.$field = unsafe {
                        self.make(
                            $name,
                            &part,
                            core.$calculate,
                            &Way::Silent(core.$create),
                            core.pfnDestroyShader,
                        )
                    }?;
                }
            };
        }
        shader!(
            hVertexShader,
            "pfnCreateVertexShader",
            pfnCalcPrivateShaderSize,
            pfnCreateVertexShader
        );
        shader!(
            hHullShader,
            "pfnCreateHullShader",
            pfnCalcPrivateTessellationShaderSize,
            pfnCreateHullShader
        );
        shader!(
            hDomainShader,
            "pfnCreateDomainShader",
            pfnCalcPrivateTessellationShaderSize,
            pfnCreateDomainShader
        );
        shader!(
            hPixelShader,
            "pfnCreatePixelShader",
            pfnCalcPrivateShaderSize,
            pfnCreatePixelShader
        );
        shader!(
            hComputeShader,
            "pfnCreateComputeShader",
            pfnCalcPrivateShaderSize,
            pfnCreateComputeShader
        );
        shader!(
            hAmplificationShader,
            "pfnCreateAmplificationShader",
            pfnCalcPrivateMeshShaderSize,
            pfnCreateAmplificationShader
        );
        shader!(
            hMeshShader,
            "pfnCreateMeshShader",
            pfnCalcPrivateMeshShaderSize,
            pfnCreateMeshShader
        );
        // SAFETY: the handle points at the argument, or is null; a translated geometry shader is always the larger structure.
        if let Some(part) = unsafe {
            argument
                .hGeometryShader
                .pDrvPrivate
                .cast::<D3D12DDIARG_CREATE_GEOMETRY_SHADER_WITH_STREAM_OUTPUT_0026>()
                .as_ref()
        } {
            let mut part = *part;
            part.CreateShader.hRootSignature = root;
            let has_streams = part.NumEntries != 0 || part.NumStrides != 0;
            // SAFETY: `part` is the translated argument with the driver's root signature, complete; the functions belong together.
            argument.hGeometryShader = unsafe {
                if has_streams || part.CreateShader.pShaderCode.is_null() {
                    self.make(
                        "pfnCreateGeometryShaderWithStreamOutput",
                        &part,
                        core.pfnCalcPrivateGeometryShaderWithStreamOutput,
                        &Way::Silent(core.pfnCreateGeometryShaderWithStreamOutput),
                        core.pfnDestroyShader,
                    )
                } else {
                    self.make(
                        "pfnCreateGeometryShader",
                        &part.CreateShader,
                        core.pfnCalcPrivateShaderSize,
                        &Way::Silent(core.pfnCreateGeometryShader),
                        core.pfnDestroyShader,
                    )
                }
            }?;
        }
        Ok(())
    }
}

/// A pipeline state of the driver. Clones share it.
#[derive(Clone, Debug)]
pub struct PipelineState(Arc<Pipeline>);

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) object: Object,
    outcome: Outcome,
    device: Device,
}

impl PipelineState {
    /// What the shader cache did for it.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    pub(crate) fn object(&self) -> &Object {
        &self.0.object
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if let Some(destroy) = self.device.0.core.pfnDestroyPipelineState {
            // SAFETY: it was created, and nothing uses it any more.
            unsafe {
                destroy(
                    self.device.0.handle,
                    D3D12DDI_HPIPELINESTATE::of(&self.object),
                );
            };
        }
    }
}

/// A state object of the driver. Clones share it.
#[derive(Clone, Debug)]
pub struct StateObject(Arc<RayOrGraph>);

#[derive(Debug)]
pub(crate) struct RayOrGraph {
    pub(crate) object: Object,
    outcome: Outcome,
    /// The driver may refer to it as long as the object lives (Raytracing.md, "State object lifetimes as seen by driver").
    desc: Option<Arc<state_object::StateObject>>,
    parent: Option<StateObject>,
    device: Device,
}

impl CollectionName for StateObject {
    fn subobject_type(&self) -> D3D12_STATE_SUBOBJECT_TYPE {
        api_sys::D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION
    }
}

impl StateObject {
    /// What the shader cache did for it.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    pub(crate) fn object(&self) -> &Object {
        &self.0.object
    }

    fn driver_handle(&self) -> D3D12DDI_HSTATEOBJECT_0054 {
        D3D12DDI_HSTATEOBJECT_0054::of(&self.0.object)
    }
}

impl Drop for RayOrGraph {
    fn drop(&mut self) {
        if let Some(destroy) = self.device.0.core.pfnDestroyStateObject {
            // SAFETY: it was created, and nothing uses it any more: what was made from it holds it.
            unsafe {
                destroy(
                    self.device.0.handle,
                    D3D12DDI_HSTATEOBJECT_0054::of(&self.object),
                );
            };
        }
        // The description links itself out of its parent's, which has to live.
        self.desc = None;
        // Ancestors that nothing else holds end here one after the other: a long chain of additions would recurse.
        let mut ancestor = self.parent.take();
        while let Some(mut last) = ancestor.and_then(|parent| Arc::into_inner(parent.0)) {
            ancestor = last.parent.take();
        }
    }
}

impl Device {
    /// Creates a pipeline state. `messages` gets the errors and warnings of the description.
    ///
    /// # Errors
    ///
    /// [`Error::Description`] for what the D3D12 runtime refuses before it calls a driver; [`Error::Driver`] and
    /// [`Error::Contract`].
    pub fn create_pipeline_state(
        &self,
        desc: &PipelineStateDesc<&[u8]>,
        messages: &mut Messages,
    ) -> Result<PipelineState, Error> {
        const CREATE: &str = "pfnCreatePipelineState";
        let places = RecordPlaces::default();
        let translated = TranslatedPipeline::new(desc, &places, None, messages)?;
        let device = &*self.0;
        let mut parts = Parts {
            device,
            made: Vec::new(),
        };
        let mut argument = *translated.arg();
        // SAFETY: the translated description lives until the end, and its handles point at create arguments.
        unsafe { parts.realize(&mut argument) }?;
        let calculate = call(CREATE, device.core.pfnCalcPrivatePipelineStateSize)?;
        let create = call(CREATE, device.core.pfnCreatePipelineState)?;
        // SAFETY: the argument is complete, with handles of the driver.
        let size = unsafe { calculate(device.handle, &raw const argument) };
        let object = Object::new(CREATE, size)?;
        let creating = Arc::new(Creating::new(OfObject::new(Arc::clone(self.cache())), None));
        let registered = Registered::new(Arc::clone(&creating));
        let own = D3D12DDI_HRTPIPELINESTATE {
            handle: registered.handle(),
        };
        let handle = D3D12DDI_HPIPELINESTATE::of(&object);
        // SAFETY: the argument is complete, with handles of the driver; the memory is as large as was calculated.
        check(CREATE, unsafe {
            create(device.handle, &raw const argument, handle, own)
        })?;
        drop(registered);
        drop(parts);
        let outcome = creating.outcome();
        device.add(Kind::PipelineState, &outcome);
        Ok(PipelineState(Arc::new(Pipeline {
            object,
            outcome,
            device: self.clone(),
        })))
    }

    /// Creates a state object; with a parent, by an addition to it. Collections and the parent are of this device.
    /// `messages` gets the errors and warnings of the description.
    ///
    /// # Errors
    ///
    /// As for [`create_pipeline_state`](Self::create_pipeline_state); [`Error::Argument`] for objects of another device.
    pub fn create_state_object(
        &self,
        desc: StateObjectDesc<StateObject, &[u8]>,
        parent: Option<&StateObject>,
        messages: &mut Messages,
    ) -> Result<StateObject, Error> {
        let is_own = |object: &StateObject| Arc::ptr_eq(&object.0.device.0, &self.0);
        let desc = desc.with_collections(|place, object| {
            if !is_own(&object) {
                return Err(Error::Argument(format!("{place}: it is of another device")));
            }
            let desc = object.0.desc.clone();
            Ok(Collection {
                desc: desc.ok_or_else(|| Error::Argument(format!("{place}: it is gone")))?,
                handle: D3D12DDI_HCOMPILERSTATEOBJECT {
                    pDrvPrivate: object.0.object.driver(),
                },
                keep_alive: Arc::new(object) as Arc<dyn Any + Send + Sync>,
            })
        })?;
        if parent.is_some_and(|parent| !is_own(parent)) {
            return Err(Error::Argument("the parent is of another device".into()));
        }
        let parent_desc = parent.and_then(|parent| parent.0.desc.as_ref());
        // SAFETY: once an object is made, the driver is called for it only to make an addition to it, and to destroy it. An
        // addition claims its parent first, and gives it free when the driver's object of the addition is gone.
        let translated =
            unsafe { state_object::StateObject::new(&desc, parent_desc, None, messages) }?;
        let translated = Arc::new(translated);
        let device = &*self.0;
        let argument = translated.arg();
        let creating = Arc::new(Creating::new(
            OfObject::new(Arc::clone(self.cache())),
            Some(Arc::clone(&translated)),
        ));
        let registered = Registered::new(Arc::clone(&creating));
        let own = D3D12DDI_HRTSTATEOBJECT_0054 {
            handle: registered.handle(),
        };
        let object = if let Some(parent) = parent {
            const CREATE: &str = "pfnAddToStateObject";
            let calculate = call(CREATE, device.core.pfnCalcPrivateAddToStateObjectSize)?;
            let create = call(CREATE, device.core.pfnAddToStateObject)?;
            let argument = D3D12DDIARG_ADD_TO_STATE_OBJECT_0072 {
                Type: argument.Type,
                NumSubobjects: argument.NumSubobjects,
                pSubobjects: argument.pSubobjects,
                StateObjectToGrowFrom: parent.driver_handle(),
            };
            // SAFETY: the description is of the driver's DDI, and lives as long as the object, as does the parent.
            let size = unsafe { calculate(device.handle, &raw const argument) };
            let object = Object::new(CREATE, size)?;
            let handle = D3D12DDI_HSTATEOBJECT_0054::of(&object);
            // SAFETY: the description and the parent live as long as the object; the memory is as large as was calculated.
            check(CREATE, unsafe {
                create(device.handle, &raw const argument, handle, own)
            })?;
            object
        } else {
            const CREATE: &str = "pfnCreateStateObject";
            let calculate = call(CREATE, device.core.pfnCalcPrivateStateObjectSize)?;
            let create = call(CREATE, device.core.pfnCreateStateObject)?;
            // SAFETY: the description is of the driver's DDI, and lives as long as the object.
            let size = unsafe { calculate(device.handle, argument) };
            let object = Object::new(CREATE, size)?;
            let handle = D3D12DDI_HSTATEOBJECT_0054::of(&object);
            // SAFETY: the description lives as long as the object; the memory is as large as was calculated.
            check(CREATE, unsafe {
                create(device.handle, argument, handle, own)
            })?;
            object
        };
        drop(registered);
        let outcome = creating.outcome();
        device.add(Kind::StateObject, &outcome);
        Ok(StateObject(Arc::new(RayOrGraph {
            object,
            outcome,
            desc: Some(translated),
            parent: parent.cloned(),
            device: self.clone(),
        })))
    }
}
