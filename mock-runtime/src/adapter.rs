//! Adapters as a driver opens them, and what the runtime answers it meanwhile.

use std::ffi::c_void;
use std::sync::Arc;
use std::{fmt, mem, ptr, slice};

use bytemuck::Zeroable;
use ddi_sys::{
    D3D12DDI_ADAPTERFUNCS, D3D12DDI_HADAPTER, D3D12DDI_HRTADAPTER, D3D12DDI_HRTTABLE,
    D3D12DDI_TABLE_TYPE, D3D12DDIARG_OPENADAPTER, D3DDDI_ADAPTERCALLBACKS, D3DDDI_QUERYADAPTERTYPE,
    D3DDDI_QUERYADAPTERTYPE_APPLICATIONDESC, D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB,
    D3DDDICB_QUERYADAPTERINFO, D3DDDICB_QUERYADAPTERINFO2, D3DDDIERR_NOTAVAILABLE, E_INVALIDARG,
    E_NOT_SUFFICIENT_BUFFER, HANDLE, HRESULT, S_OK, UINT,
};
use parking_lot::Mutex;
use plugin_host::ApplicationDesc;

use crate::Error;
use crate::registry::{self, Registered};
use crate::umd::Umd;

/// What the runtime has for a driver that asks for its application specific state: ApplicationSpecificDriverState.md.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DriverState {
    /// The runtime is one that does not know the question: E_INVALIDARG.
    OldRuntime,
    /// Nobody has set a state: D3DDDIERR_NOTAVAILABLE.
    #[default]
    NotAvailable,
    /// What a tool has set.
    Blob(Vec<u8>),
}

/// A driver's question to the runtime, and the answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// What was asked.
    pub kind: D3DDDI_QUERYADAPTERTYPE,
    /// The bytes that there was room for.
    pub room: u32,
    /// The answer.
    pub result: HRESULT,
}

/// What a driver can ask about an adapter.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    state: DriverState,
    application: Option<ApplicationDesc>,
    queries: Mutex<Vec<Query>>,
}

impl Answers {
    /// Answers `pfnQueryAdapterInfoCb2`.
    ///
    /// # Safety
    ///
    /// The buffer of the question is writable for its size.
    unsafe fn answer(&self, query: &mut D3DDDICB_QUERYADAPTERINFO2) -> HRESULT {
        let room = query.PrivateDriverDataSize;
        let result = match (query.QueryType, &self.state, &self.application) {
            (D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB, DriverState::Blob(blob), _) => {
                // SAFETY: the buffer of the question is writable for its size (`# Safety`).
                unsafe { fill(query, blob) }
            }
            (D3DDDI_QUERYADAPTERTYPE_APPLICATIONDESC, _, Some(application)) => {
                let desc = application.raw();
                // SAFETY: the structure is plain data without padding that was never written: it was made of zeros or whole.
                let bytes = unsafe {
                    slice::from_raw_parts((&raw const desc).cast::<u8>(), size_of_val(&desc))
                };
                // SAFETY: the buffer of the question is writable for its size (`# Safety`).
                unsafe { fill(query, bytes) }
            }
            (
                D3DDDI_QUERYADAPTERTYPE_APPLICATIONSPECIFICDRIVERBLOB,
                DriverState::NotAvailable,
                _,
            )
            | (D3DDDI_QUERYADAPTERTYPE_APPLICATIONDESC, _, None) => D3DDDIERR_NOTAVAILABLE,
            _ => E_INVALIDARG,
        };
        let mut queries = self.queries.lock();
        queries.push(Query {
            kind: query.QueryType,
            room,
            result,
        });
        result
    }
}

/// Copies an answer, if there is room for it, and says how large it is.
///
/// # Safety
///
/// The buffer of the question is writable for its size.
unsafe fn fill(query: &mut D3DDDICB_QUERYADAPTERINFO2, answer: &[u8]) -> HRESULT {
    let Ok(size) = UINT::try_from(answer.len()) else {
        return E_INVALIDARG;
    };
    let room = mem::replace(&mut query.PrivateDriverDataSize, size);
    if room < size {
        return E_NOT_SUFFICIENT_BUFFER;
    }
    if size != 0 && query.pPrivateDriverData.is_null() {
        return E_INVALIDARG;
    }
    // SAFETY: the buffer has room for the answer.
    unsafe {
        ptr::copy_nonoverlapping(
            answer.as_ptr(),
            query.pPrivateDriverData.cast(),
            answer.len(),
        );
    }
    S_OK
}

unsafe extern "system" fn query_adapter_info(
    _adapter: HANDLE,
    _query: *const D3DDDICB_QUERYADAPTERINFO,
) -> HRESULT {
    // The kernel's part of the driver would answer. There is none.
    E_INVALIDARG
}

unsafe extern "system" fn query_adapter_info2(
    adapter: HANDLE,
    query: *mut D3DDDICB_QUERYADAPTERINFO2,
) -> HRESULT {
    let Some(answers) = registry::find::<Answers>(adapter) else {
        return E_INVALIDARG;
    };
    // SAFETY: null, or a question of the driver's..
    let Some(query) = (unsafe { query.as_mut() }) else {
        return E_INVALIDARG;
    };
    // SAFETY: the driver's buffer is writable for the size that it states.
    unsafe { answers.answer(query) }
}

/// An adapter that a driver has opened. Clones share it.
#[derive(Clone, Debug)]
pub struct OpenAdapter(pub(crate) Arc<Opened>);

pub(crate) struct Opened {
    handle: D3D12DDI_HADAPTER,
    functions: D3D12DDI_ADAPTERFUNCS,
    answers: Arc<Answers>,
    _callbacks: Box<D3DDDI_ADAPTERCALLBACKS>,
    _registered: Registered<Answers>,
    // Last: its code is needed until here.
    umd: Umd,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAdapter")
            .field("umd", &self.umd)
            .finish_non_exhaustive()
    }
}

// SAFETY: the adapter's functions are free-threaded, as every function of the DDI of a D3D12 device; what is here is plain data.
unsafe impl Send for Opened {}
// SAFETY: several threads may call the adapter's functions at once; what is here is plain data.
unsafe impl Sync for Opened {}

impl OpenAdapter {
    /// Has a driver open its adapter, for an application that the driver may ask for.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`]; [`Error::Contract`] for a driver that leaves functions out.
    pub fn open(
        umd: &Umd,
        state: DriverState,
        application: Option<ApplicationDesc>,
    ) -> Result<Self, Error> {
        const CALL: &str = "OpenAdapter12";
        let answers = Arc::new(Answers {
            state,
            application,
            ..Answers::default()
        });
        let registered = Registered::new(Arc::clone(&answers));
        let callbacks = Box::new(D3DDDI_ADAPTERCALLBACKS {
            pfnQueryAdapterInfoCb: Some(query_adapter_info),
            pfnQueryAdapterInfoCb2: Some(query_adapter_info2),
            ..Zeroable::zeroed()
        });
        let mut functions = D3D12DDI_ADAPTERFUNCS::zeroed();
        let mut argument = D3D12DDIARG_OPENADAPTER {
            hRTAdapter: D3D12DDI_HRTADAPTER {
                handle: registered.handle(),
            },
            pAdapterCallbacks: &raw const *callbacks,
            pAdapterFuncs: &raw mut functions,
            ..Zeroable::zeroed()
        };
        // SAFETY: the argument is complete, and what it points to lives as long as the adapter.
        let result = unsafe { umd.entry_point()(&raw mut argument) };
        check(CALL, result)?;
        let is_complete = functions.pfnCalcPrivateDeviceSize.is_some()
            && functions.pfnCreateDevice.is_some()
            && functions.pfnCloseAdapter.is_some()
            && functions.pfnGetSupportedVersions.is_some()
            && functions.pfnGetCaps.is_some()
            && functions.pfnFillDDITable.is_some()
            && functions.pfnDestroyDevice.is_some();
        if !is_complete {
            let text = "a function of the adapter is null".into();
            return Err(Error::Contract { call: CALL, text });
        }
        Ok(Self(Arc::new(Opened {
            handle: argument.hAdapter,
            functions,
            answers,
            _callbacks: callbacks,
            _registered: registered,
            umd: umd.clone(),
        })))
    }

    /// The DDI versions that the driver has.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`]; [`Error::Contract`] for a count that changes or cannot be.
    pub fn supported_versions(&self) -> Result<Vec<u64>, Error> {
        const CALL: &str = "pfnGetSupportedVersions";
        const MOST: u32 = 4096;
        let get = call(CALL, self.0.functions.pfnGetSupportedVersions)?;
        let mut count = 0;
        // SAFETY: a question for the count, as the DDI has it.
        check(CALL, unsafe {
            get(self.0.handle, &raw mut count, ptr::null_mut())
        })?;
        if count > MOST {
            let text = format!("the driver has {count} versions");
            return Err(Error::Contract { call: CALL, text });
        }
        let mut versions = vec![0; count as usize];
        let mut written = count;
        // SAFETY: there is room for `written` versions.
        let result = unsafe { get(self.0.handle, &raw mut written, versions.as_mut_ptr()) };
        check(CALL, result)?;
        if written > count {
            let text = format!("the driver had {count} versions and now has {written}");
            return Err(Error::Contract { call: CALL, text });
        }
        versions.truncate(written as usize);
        Ok(versions)
    }

    /// The driver's questions so far.
    pub fn queries(&self) -> Vec<Query> {
        self.0.answers.queries.lock().clone()
    }

    /// The application that the driver may ask for.
    pub(crate) fn application(&self) -> Option<&ApplicationDesc> {
        self.0.answers.application.as_ref()
    }

    pub(crate) fn handle(&self) -> D3D12DDI_HADAPTER {
        self.0.handle
    }

    pub(crate) fn functions(&self) -> &D3D12DDI_ADAPTERFUNCS {
        &self.0.functions
    }

    /// Has the driver fill a table.
    pub(crate) fn fill_table<T: Zeroable>(
        &self,
        kind: D3D12DDI_TABLE_TYPE,
        size: usize,
        number: u32,
        own: D3D12DDI_HRTTABLE,
    ) -> Result<T, Error> {
        const CALL: &str = "pfnFillDDITable";
        let fill = call(CALL, self.0.functions.pfnFillDDITable)?;
        let mut table = T::zeroed();
        let size = size.min(size_of::<T>());
        let place = (&raw mut table).cast::<c_void>();
        // SAFETY: the table has room for `size` bytes, and every bit pattern of a table of functions that the driver fills is
        // a function of the slot's type.
        check(CALL, unsafe {
            fill(self.0.handle, kind, place, size, number, own)
        })?;
        Ok(table)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(close) = self.functions.pfnCloseAdapter {
            // SAFETY: nothing uses the adapter any more. There is nothing to do about a failure.
            let _ = unsafe { close(self.handle) };
        }
    }
}

/// The function of a slot.
///
/// # Errors
///
/// [`Error::Contract`] if the slot is empty.
pub(crate) fn call<F>(call: &'static str, slot: Option<F>) -> Result<F, Error> {
    slot.ok_or_else(|| Error::Contract {
        call,
        text: "the driver has no such function".into(),
    })
}

/// The result of a call.
pub(crate) fn check(call: &'static str, result: HRESULT) -> Result<(), Error> {
    if result.is_ok() {
        Ok(())
    } else {
        Err(Error::Driver { call, result })
    }
}
