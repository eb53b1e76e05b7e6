//! Command lists whose v-table can be the driver's: RuntimeBypass.md.
//!
//! A list begins with the header of the specification, whose first member is its v-table: a
//! [`D3D12DDI_COMMAND_LIST_FUNCS_3D_0114`], in the order of the DDI, not of `ID3D12GraphicsCommandList`. In it are the functions
//! that can bypass the runtime; what cannot is no part of it. A caller reads the v-table for each call, and calls with the
//! address of the list.
//!
//! | mode | the functions are |
//! |---|---|
//! | [`Mode::Direct`] | the driver's: the runtime sees nothing |
//! | [`Mode::Intercepted`] | the runtime's: each validates, notes the call, and calls the driver's |
//!
//! Drivers before build 0114 know nothing of the header: their lists are always intercepted, and get the driver's handles.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Weak};

use bytemuck::Zeroable;
use ddi_sys::{
    BOOL, D3D12DDI_API_HCOMMANDLIST, D3D12DDI_API_HPIPELINESTATE, D3D12DDI_API_HROOTSIGNATURE,
    D3D12DDI_API_HSTATEOBJECT, D3D12DDI_COMMAND_LIST_FUNCS_3D_0114, D3D12DDI_CPU_DESCRIPTOR_HANDLE,
    D3D12DDI_DISPATCH_GRAPH_DESC_0108, D3D12DDI_GPU_DESCRIPTOR_HANDLE,
    D3D12DDI_GPU_VIRTUAL_ADDRESS, D3D12DDI_HCOMMANDLIST, D3D12DDI_HCOMMANDPOOL_0040,
    D3D12DDI_HCOMMANDRECORDER_0040, D3D12DDI_HRTCOMMANDLIST, D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE,
    D3D12DDI_INDEX_BUFFER_VIEW, D3D12DDI_PRIMITIVE_TOPOLOGY, D3D12DDI_RECT,
    D3D12DDI_RUNTIME_BYPASS_HEADER, D3D12DDI_SAMPLE_POSITION, D3D12DDI_SET_PROGRAM_DESC_0108,
    D3D12DDI_SHADING_RATE_0062, D3D12DDI_SHADING_RATE_COMBINER_0062,
    D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW, D3D12DDI_VERTEX_BUFFER_VIEW, D3D12DDI_VIEWPORT,
    D3D12DDIARG_CREATE_COMMAND_LIST_0040, D3D12DDIARG_CREATE_COMMAND_POOL_0040,
    D3D12DDIARG_CREATE_COMMAND_RECORDER_0040, D3D12DDIARG_DISPATCH_RAYS_0054,
    D3D12DDIARG_RESETCOMMANDLIST_0040, E_INVALIDARG, E_NOTIMPL, FLOAT, HRESULT, INT, UINT,
};
use parking_lot::{Mutex, MutexGuard, RwLock};

use crate::Error;
use crate::adapter::{call, check};
use crate::device::Device;
use crate::object::Object;
use crate::realize::{Part, PipelineState, StateObject, Way};
use crate::registry::Registered;

/// The first DDI build whose drivers take the API's handles.
pub const BYPASS_BUILD: u16 = 114;

/// Whose functions a list's v-table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The driver's.
    Direct,
    /// The runtime's.
    Intercepted,
}

/// The errors of a list that its driver reports.
#[derive(Debug, Default)]
pub(crate) struct ListErrors(Mutex<Vec<HRESULT>>);

impl ListErrors {
    pub(crate) fn set(&self, error: HRESULT) {
        self.lock().push(error);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<HRESULT>> {
        self.0.lock()
    }
}

/// A command list. Clones share it; one thread at a time records.
#[derive(Clone, Debug)]
pub struct CommandList(Arc<List>);

#[derive(Debug)]
struct List {
    object: Object,
    state: Mutex<State>,
    errors: Arc<ListErrors>,
    direct: Option<Box<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114>>,
    _registered: Registered<ListErrors>,
    // In the order in which they are destroyed, after the list.
    recorder: Part,
    pool: Part,
    device: Device,
}

#[derive(Debug, Default)]
struct State {
    is_open: bool,
    trace: Vec<&'static str>,
}

/// Lists by their addresses, for the runtime's functions.
static LISTS: RwLock<BTreeMap<usize, Weak<List>>> = RwLock::new(BTreeMap::new());

fn find(list: D3D12DDI_API_HCOMMANDLIST) -> Option<Arc<List>> {
    LISTS.read().get(&list.pDrvPrivate.addr())?.upgrade()
}

/// An argument of a call.
trait Argument: Copy {
    /// Whether the driver may get it.
    fn is_valid(self) -> bool {
        true
    }

    /// What a driver gets that knows nothing of the header.
    fn for_legacy(self) -> Self {
        self
    }
}

macro_rules! plain {
    ($($kind:ty),*) => { $(impl Argument for $kind {})* };
}

plain!(u32, i32, f32, u64);
plain!(
    D3D12DDI_PRIMITIVE_TOPOLOGY,
    D3D12DDI_GPU_DESCRIPTOR_HANDLE,
    D3D12DDI_SHADING_RATE_0062,
    D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE
);
impl<T> Argument for *const T {}
impl<T> Argument for *mut T {}

macro_rules! objects {
    ($($kind:ident: $may_be_null:literal),*) => {$(
        impl Argument for $kind {
            fn is_valid(self) -> bool {
                $may_be_null || !self.pDrvPrivate.is_null()
            }

            fn for_legacy(self) -> Self {
                Self { pDrvPrivate: driver_object(self.pDrvPrivate) }
            }
        }
    )*};
}

// A null root signature takes the current one away.
objects!(
    D3D12DDI_API_HPIPELINESTATE: false,
    D3D12DDI_API_HSTATEOBJECT: false,
    D3D12DDI_API_HROOTSIGNATURE: true
);

/// The driver's object behind an API handle.
fn driver_object(object: *mut c_void) -> *mut c_void {
    if object.is_null() {
        return object;
    }
    // SAFETY: a handle of the API is the address of an object, which begins with its header; the caller of the API vouches for
    // it, as everywhere in C++.
    unsafe { (*object.cast::<D3D12DDI_RUNTIME_BYPASS_HEADER>()).pDriverObject }
}

macro_rules! bypass {
    ($($slot:ident, $function:ident ($($argument:ident: $kind:ty),*);)*) => {
        $(
            unsafe extern "system" fn $function(list: D3D12DDI_API_HCOMMANDLIST $(, $argument: $kind)*) {
                let Some(found) = find(list) else { return };
                let is_valid = true $(&& Argument::is_valid($argument))*;
                if !found.begin(stringify!($slot), is_valid) {
                    return;
                }
                let Some(driver) = found.device.0.list.$slot else {
                    found.errors.set(E_NOTIMPL);
                    return;
                };
                if found.is_legacy() {
                    let list = D3D12DDI_API_HCOMMANDLIST { pDrvPrivate: found.object.driver() };
                    // SAFETY: the function is the driver's for this call; it takes its own handles, which are structures of
                    // one pointer as the API's are. The arguments are the caller's.
                    unsafe { driver(list $(, Argument::for_legacy($argument))*) }
                } else {
                    // SAFETY: the function is the driver's for this call, and the arguments are the caller's.
                    unsafe { driver(list $(, $argument)*) }
                }
            }
        )*

        /// The runtime's functions.
        fn intercepted() -> D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 {
            D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 {
                $($slot: Some($function),)*
                ..Zeroable::zeroed()
            }
        }

        /// The driver's functions that can bypass the runtime.
        fn direct(driver: &D3D12DDI_COMMAND_LIST_FUNCS_3D_0114) -> D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 {
            D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 {
                $($slot: driver.$slot,)*
                ..Zeroable::zeroed()
            }
        }

        /// The functions of a list's v-table, in the order of the table.
        pub const BYPASSED: &[&str] = &[$(stringify!($slot)),*];
    };
}

bypass! {
    pfnDrawInstanced, draw_instanced(a: UINT, b: UINT, c: UINT, d: UINT);
    pfnDrawIndexedInstanced, draw_indexed_instanced(a: UINT, b: UINT, c: UINT, d: INT, e: UINT);
    pfnDispatch, dispatch(a: UINT, b: UINT, c: UINT);
    pfnIaSetTopology, set_topology(a: D3D12DDI_PRIMITIVE_TOPOLOGY);
    pfnRsSetViewports, set_viewports(a: UINT, b: *const D3D12DDI_VIEWPORT);
    pfnRsSetScissorRects, set_scissor_rects(a: UINT, b: *const D3D12DDI_RECT);
    pfnOmSetBlendFactor, set_blend_factor(a: *const FLOAT);
    pfnOmSetStencilRef, set_stencil_ref(a: UINT);
    pfnSetPipelineState, set_pipeline_state(a: D3D12DDI_API_HPIPELINESTATE);
    pfnSetComputeRootSignature, set_compute_root_signature(a: D3D12DDI_API_HROOTSIGNATURE);
    pfnSetGraphicsRootSignature, set_graphics_root_signature(a: D3D12DDI_API_HROOTSIGNATURE);
    pfnSetComputeRootDescriptorTable, set_compute_root_descriptor_table(a: UINT, b: D3D12DDI_GPU_DESCRIPTOR_HANDLE);
    pfnSetGraphicsRootDescriptorTable, set_graphics_root_descriptor_table(a: UINT, b: D3D12DDI_GPU_DESCRIPTOR_HANDLE);
    pfnSetComputeRoot32BitConstant, set_compute_root_constant(a: UINT, b: UINT, c: UINT);
    pfnSetGraphicsRoot32BitConstant, set_graphics_root_constant(a: UINT, b: UINT, c: UINT);
    pfnSetComputeRoot32BitConstants, set_compute_root_constants(a: UINT, b: UINT, c: *const c_void, d: UINT);
    pfnSetGraphicsRoot32BitConstants, set_graphics_root_constants(a: UINT, b: UINT, c: *const c_void, d: UINT);
    pfnSetComputeRootConstantBufferView, set_compute_root_cbv(a: UINT, b: D3D12DDI_GPU_VIRTUAL_ADDRESS);
    pfnSetGraphicsRootConstantBufferView, set_graphics_root_cbv(a: UINT, b: D3D12DDI_GPU_VIRTUAL_ADDRESS);
    pfnSetComputeRootShaderResourceView, set_compute_root_srv(a: UINT, b: D3D12DDI_GPU_VIRTUAL_ADDRESS);
    pfnSetGraphicsRootShaderResourceView, set_graphics_root_srv(a: UINT, b: D3D12DDI_GPU_VIRTUAL_ADDRESS);
    pfnSetComputeRootUnorderedAccessView, set_compute_root_uav(a: UINT, b: D3D12DDI_GPU_VIRTUAL_ADDRESS);
    pfnSetGraphicsRootUnorderedAccessView, set_graphics_root_uav(a: UINT, b: D3D12DDI_GPU_VIRTUAL_ADDRESS);
    pfnIASetIndexBuffer, set_index_buffer(a: *const D3D12DDI_INDEX_BUFFER_VIEW);
    pfnIASetVertexBuffers, set_vertex_buffers(a: UINT, b: UINT, c: *const D3D12DDI_VERTEX_BUFFER_VIEW);
    pfnSOSetTargets, set_stream_output_targets(a: UINT, b: UINT, c: *const D3D12DDI_STREAM_OUTPUT_BUFFER_VIEW);
    pfnOMSetRenderTargets, set_render_targets(a: UINT, b: *const D3D12DDI_CPU_DESCRIPTOR_HANDLE, c: BOOL, d: *const D3D12DDI_CPU_DESCRIPTOR_HANDLE);
    pfnOMSetDepthBounds, set_depth_bounds(a: FLOAT, b: FLOAT);
    pfnSetSamplePositions, set_sample_positions(a: UINT, b: UINT, c: *mut D3D12DDI_SAMPLE_POSITION);
    pfnSetViewInstanceMask, set_view_instance_mask(a: UINT);
    pfnSetPipelineState1, set_state_object(a: D3D12DDI_API_HSTATEOBJECT);
    pfnDispatchRays, dispatch_rays(a: *const D3D12DDIARG_DISPATCH_RAYS_0054);
    pfnRSSetShadingRate, set_shading_rate(a: D3D12DDI_SHADING_RATE_0062, b: *const D3D12DDI_SHADING_RATE_COMBINER_0062);
    pfnDispatchMesh, dispatch_mesh(a: UINT, b: UINT, c: UINT);
    pfnOmSetFrontAndBackStencilRef, set_front_and_back_stencil_ref(a: UINT, b: UINT);
    pfnRSSetDepthBias, set_depth_bias(a: FLOAT, b: FLOAT, c: FLOAT);
    pfnIASetIndexBufferStripCutValue, set_strip_cut_value(a: D3D12DDI_INDEX_BUFFER_STRIP_CUT_VALUE);
    pfnSetProgram, set_program(a: *const D3D12DDI_SET_PROGRAM_DESC_0108);
    pfnDispatchGraph, dispatch_graph(a: *const D3D12DDI_DISPATCH_GRAPH_DESC_0108);
}

/// The table of lists that are intercepted.
static INTERCEPTED: LazyLock<D3D12DDI_COMMAND_LIST_FUNCS_3D_0114> = LazyLock::new(intercepted);

impl List {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn is_legacy(&self) -> bool {
        self.direct.is_none()
    }

    fn handle(&self) -> D3D12DDI_HCOMMANDLIST {
        D3D12DDI_HCOMMANDLIST {
            pDrvPrivate: self.object.driver(),
        }
    }

    /// Notes a call; whether the driver gets it. A call that it must not get is an error of the list.
    fn begin(&self, call: &'static str, is_valid: bool) -> bool {
        let mut state = self.lock();
        let passes = state.is_open && is_valid;
        if passes {
            state.trace.push(call);
        } else {
            self.errors.set(E_INVALIDARG);
        }
        passes
    }
}

impl CommandList {
    /// Creates a list with a pool and a recorder of its own, closed, and with the runtime's functions.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] and [`Error::Contract`].
    pub fn new(device: &Device) -> Result<Self, Error> {
        let (shared, core) = (&device.0, &device.0.core);
        let argument = D3D12DDIARG_CREATE_COMMAND_POOL_0040::zeroed();
        // SAFETY: the argument is complete, and the functions belong together; the list is destroyed first.
        let (pool, _) = unsafe {
            Part::new::<_, D3D12DDI_HCOMMANDPOOL_0040>(
                shared,
                "pfnCreateCommandPool",
                &argument,
                core.pfnCalcPrivateCommandPoolSize,
                &Way::WithResult(core.pfnCreateCommandPool),
                core.pfnDestroyCommandPool,
            )
        }?;
        let argument = D3D12DDIARG_CREATE_COMMAND_RECORDER_0040::zeroed();
        // SAFETY: the argument is complete, and the functions belong together; the list is destroyed first.
        let (recorder, _) = unsafe {
            Part::new::<_, D3D12DDI_HCOMMANDRECORDER_0040>(
                shared,
                "pfnCreateCommandRecorder",
                &argument,
                core.pfnCalcPrivateCommandRecorderSize,
                &Way::WithResult(core.pfnCreateCommandRecorder),
                core.pfnDestroyCommandRecorder,
            )
        }?;
        let errors = Arc::new(ListErrors::default());
        let registered = Registered::new(Arc::clone(&errors));
        let name = "pfnCreateCommandList";
        let argument = D3D12DDIARG_CREATE_COMMAND_LIST_0040 {
            NodeMask: 1,
            ..Zeroable::zeroed()
        };
        let calculate = call(name, core.pfnCalcPrivateCommandListSize)?;
        let create = call(name, core.pfnCreateCommandList)?;
        // SAFETY: the argument is complete.
        let object = Object::new(name, unsafe {
            calculate(shared.handle, &raw const argument)
        })?;
        let handle = D3D12DDI_HCOMMANDLIST {
            pDrvPrivate: object.driver(),
        };
        let own = D3D12DDI_HRTCOMMANDLIST {
            handle: registered.handle(),
        };
        // SAFETY: the memory is as large as was calculated.
        check(name, unsafe {
            create(shared.handle, &raw const argument, handle, own)
        })?;
        let list = Arc::new(List {
            direct: (device.build() >= BYPASS_BUILD).then(|| Box::new(direct(&shared.list))),
            object,
            state: Mutex::default(),
            errors,
            _registered: registered,
            recorder,
            pool,
            device: device.clone(),
        });
        let mut lists = LISTS.write();
        lists.insert(list.object.api().addr(), Arc::downgrade(&list));
        drop(lists);
        let list = Self(list);
        list.set_mode(Mode::Intercepted)?;
        Ok(list)
    }

    /// Puts the driver's functions, or the runtime's, into the v-table. It can be done at any time, also while the list is
    /// recorded.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for [`Mode::Direct`] with a driver that does not know the header.
    pub fn set_mode(&self, mode: Mode) -> Result<(), Error> {
        let table: *const D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 = match (mode, &self.0.direct) {
            (Mode::Intercepted, _) => &raw const *INTERCEPTED,
            (Mode::Direct, Some(direct)) => &raw const **direct,
            (Mode::Direct, None) => {
                return Err(Error::Argument(format!(
                    "the driver has DDI build {:04} and takes its own handles: {BYPASS_BUILD:04} is needed",
                    self.0.device.build()
                )));
            }
        };
        self.0.object.set_vtable(table.cast());
        Ok(())
    }

    /// The list for calls through its v-table: the API's `this`.
    pub fn handle(&self) -> D3D12DDI_API_HCOMMANDLIST {
        D3D12DDI_API_HCOMMANDLIST {
            pDrvPrivate: self.0.object.api(),
        }
    }

    /// The v-table as it is now, as a caller of the API reads it.
    pub fn table(&self) -> &D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 {
        // SAFETY: it is one of the two tables, which live as long as the list.
        unsafe { &*self.0.object.vtable().cast() }
    }

    /// The driver's handle of the list.
    pub fn driver_handle(&self) -> D3D12DDI_HCOMMANDLIST {
        self.0.handle()
    }

    /// Opens the list.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if it is open; [`Error::Contract`].
    pub fn reset(&self) -> Result<(), Error> {
        let mut state = self.0.lock();
        if state.is_open {
            return Err(Error::Argument("the command list is open".into()));
        }
        let (device, core) = (self.0.device.0.handle, &self.0.device.0.core);
        let recorder = D3D12DDI_HCOMMANDRECORDER_0040 {
            pDrvPrivate: self.0.recorder.driver(),
        };
        let pool = D3D12DDI_HCOMMANDPOOL_0040 {
            pDrvPrivate: self.0.pool.driver(),
        };
        let name = "pfnCommandRecorderSetCommandPoolAsTarget";
        let set = call(name, core.pfnCommandRecorderSetCommandPoolAsTarget)?;
        // SAFETY: both are the driver's objects.
        unsafe { set(device, recorder, pool) };
        let reset = call(
            "pfnResetCommandList",
            self.0.device.0.list.pfnResetCommandList,
        )?;
        let argument = D3D12DDIARG_RESETCOMMANDLIST_0040 {
            hDrvCommandRecorder: recorder,
            ..Zeroable::zeroed()
        };
        self.0.errors.lock().clear();
        // SAFETY: the list is the driver's object, and closed.
        unsafe { reset(self.0.handle(), &raw const argument) };
        *state = State {
            is_open: true,
            ..State::default()
        };
        Ok(())
    }

    /// Closes the list.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if it is closed; [`Error::Driver`] with the first error since it was opened.
    pub fn close(&self) -> Result<(), Error> {
        let name = "pfnCloseCommandList";
        let mut state = self.0.lock();
        if !state.is_open {
            return Err(Error::Argument("the command list is closed".into()));
        }
        state.is_open = false;
        let close = call(name, self.0.device.0.list.pfnCloseCommandList)?;
        // SAFETY: the list is the driver's object, and open.
        unsafe { close(self.0.handle()) };
        let first = self.0.errors.lock().first().copied();
        first.map_or(Ok(()), |result| check(name, result))
    }

    /// The calls that the runtime saw since the list was opened: none of those that bypassed it.
    pub fn trace(&self) -> Vec<&'static str> {
        self.0.lock().trace.clone()
    }
}

impl PipelineState {
    /// The pipeline for calls through a list's v-table: the API's `this`.
    pub fn handle(&self) -> D3D12DDI_API_HPIPELINESTATE {
        D3D12DDI_API_HPIPELINESTATE {
            pDrvPrivate: self.object().api(),
        }
    }
}

impl StateObject {
    /// The state object for calls through a list's v-table: the API's `this`.
    pub fn handle(&self) -> D3D12DDI_API_HSTATEOBJECT {
        D3D12DDI_API_HSTATEOBJECT {
            pDrvPrivate: self.object().api(),
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let mut lists = LISTS.write();
        lists.remove(&self.object.api().addr());
        drop(lists);
        let (device, core) = (self.device.0.handle, &self.device.0.core);
        if let Some(destroy) = core.pfnDestroyCommandList {
            // SAFETY: it was created, and nothing uses it any more.
            unsafe { destroy(device, self.handle()) };
        }
    }
}
