//! `ID3D12CompilerFactory`.

use std::ffi::c_void;

use api_sys::{
    D3D12_ADAPTER_FAMILY, D3D12_APPLICATION_DESC, D3D12_COMPILER_DATABASE_PATH,
    D3D12_COMPILER_TARGET, D3D12_VERSION_NUMBER, DXGI_ERROR_MORE_DATA, ID3D12CompilerCacheSession,
    ID3D12CompilerFactory, ID3D12CompilerFactory_Impl, S_OK,
};
use windows_core::{ComObject, GUID, HRESULT, IUnknown, IUnknownImpl, Interface, Ref, implement};

use super::cache_session::ComCacheSession;
use super::compiler::ComCompiler;
use super::{Owned, arguments, call, give, own};
use crate::{Error, Factory};

#[implement(ID3D12CompilerFactory)]
pub(crate) struct ComFactory(Owned<Factory>);

impl ComFactory {
    pub(crate) const IIDS: [GUID; 2] = [IUnknown::IID, ID3D12CompilerFactory::IID];

    pub(crate) fn new(factory: Factory) -> Self {
        Self(Owned::new(factory))
    }
}

/// The factory as a COM object.
impl From<Factory> for ID3D12CompilerFactory {
    fn from(factory: Factory) -> Self {
        ComFactory::new(factory).into()
    }
}

impl ID3D12CompilerFactory_Impl for ComFactory_Impl {
    unsafe fn EnumerateAdapterFamilies(
        &self,
        AdapterFamilyIndex: u32,
        pAdapterFamily: *mut D3D12_ADAPTER_FAMILY,
    ) -> HRESULT {
        call("EnumerateAdapterFamilies", || {
            // SAFETY: `pAdapterFamily` is null or to the place for one D3D12_ADAPTER_FAMILY.
            let place = unsafe { arguments::place("pAdapterFamily", pAdapterFamily) }?;
            let name = match self.0.adapter_family(AdapterFamilyIndex) {
                // This ends an enumeration, so it is not logged as a failure.
                Err(error @ Error::NoSuchFamily { .. }) => return Ok(HRESULT(error.result().0)),
                name => name?,
            };
            let mut family = D3D12_ADAPTER_FAMILY::default();
            // A name of a plugin has at most 127 units: the last one stays NUL.
            for (slot, unit) in family.szAdapterFamily[..127]
                .iter_mut()
                .zip(name.encode_utf16())
            {
                *slot = unit;
            }
            place.write(family);
            Ok(S_OK)
        })
    }

    unsafe fn EnumerateAdapterFamilyABIVersions(
        &self,
        AdapterFamilyIndex: u32,
        pNumABIVersions: *mut u32,
        pABIVersions: *mut u64,
    ) -> HRESULT {
        call("EnumerateAdapterFamilyABIVersions", || {
            // SAFETY: `pNumABIVersions` is null or to a number, which is an input too: it is initialised.
            let count =
                unsafe { arguments::place("pNumABIVersions", pNumABIVersions)?.assume_init_mut() };
            let capacity = std::mem::take(count) as usize;
            let versions = self.0.abi_versions(AdapterFamilyIndex)?;
            *count = u32::try_from(versions.len()).unwrap_or(u32::MAX);
            if pABIVersions.is_null() {
                return Ok(S_OK);
            }
            let fits = capacity.min(versions.len());
            // SAFETY: `pABIVersions` is not null and has as many elements as `*pNumABIVersions` said, at least `fits`. Bytes need
            // no alignment.
            unsafe {
                let bytes = fits * size_of::<u64>();
                pABIVersions
                    .cast::<u8>()
                    .copy_from_nonoverlapping(versions.as_ptr().cast(), bytes);
            }
            Ok(if fits < versions.len() {
                DXGI_ERROR_MORE_DATA
            } else {
                S_OK
            })
        })
    }

    unsafe fn EnumerateAdapterFamilyCompilerVersion(
        &self,
        AdapterFamilyIndex: u32,
        pCompilerVersion: *mut D3D12_VERSION_NUMBER,
    ) -> HRESULT {
        call("EnumerateAdapterFamilyCompilerVersion", || {
            // SAFETY: `pCompilerVersion` is null or to the place for one D3D12_VERSION_NUMBER.
            let place = unsafe { arguments::place("pCompilerVersion", pCompilerVersion) }?;
            let version = self.0.compiler_version(AdapterFamilyIndex)?;
            place.write(D3D12_VERSION_NUMBER::from_bits(version));
            Ok(S_OK)
        })
    }

    unsafe fn GetApplicationProfileVersion(
        &self,
        pTarget: *const D3D12_COMPILER_TARGET,
        pApplicationDesc: *const D3D12_APPLICATION_DESC,
        pApplicationProfileVersion: *mut D3D12_VERSION_NUMBER,
    ) -> HRESULT {
        call("GetApplicationProfileVersion", || {
            // SAFETY: the pointers are null or to one value of their types; the application's strings are null or end with NUL.
            let (place, target, application) = unsafe {
                (
                    arguments::place("pApplicationProfileVersion", pApplicationProfileVersion)?,
                    arguments::target(pTarget)?,
                    arguments::application(pApplicationDesc)?,
                )
            };
            let (Some(target), Some(application)) = (target, application) else {
                return Err(Error::argument("the target or the application is null").into());
            };
            let version = self.0.application_profile_version(target, &application)?;
            place.write(D3D12_VERSION_NUMBER::from_bits(version));
            Ok(S_OK)
        })
    }

    unsafe fn CreateCompilerCacheSession(
        &self,
        pPaths: *const D3D12_COMPILER_DATABASE_PATH,
        NumPaths: u32,
        pTarget: *const D3D12_COMPILER_TARGET,
        pApplicationDesc: *const D3D12_APPLICATION_DESC,
        riid: *const GUID,
        ppCompilerCacheSession: *mut *mut c_void,
    ) -> HRESULT {
        call("CreateCompilerCacheSession", || {
            let make = || {
                // SAFETY: `pPaths` is null or to `NumPaths` elements, the others null or to one; all strings are null or end with NUL.
                let (files, target, application) = unsafe {
                    (
                        arguments::database_paths(pPaths, NumPaths)?,
                        arguments::target(pTarget)?,
                        arguments::application(pApplicationDesc)?,
                    )
                };
                let session = self
                    .0
                    .cache_session()
                    .files(files)
                    .target(target)
                    .application(application.as_ref())
                    .open()?;
                Ok(ComCacheSession::new(session, self.to_object()))
            };
            // SAFETY: `riid` is null or to a GUID, `ppCompilerCacheSession` null or to a pointer.
            unsafe { give(riid, ppCompilerCacheSession, &ComCacheSession::IIDS, make) }
        })
    }

    unsafe fn CreateCompiler(
        &self,
        pCompilerCacheSession: Ref<ID3D12CompilerCacheSession>,
        riid: *const GUID,
        ppCompiler: *mut *mut c_void,
    ) -> HRESULT {
        call("CreateCompiler", || {
            let make = || {
                let session = pCompilerCacheSession.as_ref();
                let session: ComObject<ComCacheSession> = session
                    .and_then(own)
                    .ok_or_else(|| Error::argument("the session is null or not of this library"))?;
                let compiler = self.0.create_compiler(session.session())?;
                Ok(ComCompiler::new(compiler, self.to_object(), session))
            };
            // SAFETY: `riid` is null or to a GUID, `ppCompiler` null or to a pointer.
            unsafe { give(riid, ppCompiler, &ComCompiler::IIDS, make) }
        })
    }
}
