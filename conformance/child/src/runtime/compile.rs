//! The calls of a compiler.

use api_sys::ID3D12CompilerStateObject;
use conformance_catalogue::rules;
use conformance_catalogue::verdict::Stop;
use ddi_sys::{HRESULT, S_OK};

use super::{Compiler, Pipeline, Runtime, Session, StateObjectDesc, get, group_key, kept, result};
use crate::runtime::{Factory, Kind};

// See the note on calls in the parent module.

impl Compiler {
    pub(crate) fn compile_pipeline(
        &self,
        key: &[u8],
        version: u32,
        pipeline: &Pipeline,
    ) -> HRESULT {
        let (key, desc) = (group_key(key), pipeline.desc());
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        result(unsafe {
            self.0
                .CompilePipelineState(&raw const key, version, &raw const desc)
        })
    }

    pub(crate) fn compile_state_object(
        &self,
        key: &[u8],
        version: u32,
        desc: &StateObjectDesc,
    ) -> Result<ID3D12CompilerStateObject, HRESULT> {
        let (key, desc) = (group_key(key), desc.desc());
        let (key, desc) = (&raw const key, &raw const desc);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        get(|iid, place| unsafe { self.0.CompileStateObject(key, version, desc, iid, place) })
    }

    pub(crate) fn compile_addition(
        &self,
        key: &[u8],
        version: u32,
        addition: &StateObjectDesc,
        parent: &ID3D12CompilerStateObject,
    ) -> Result<ID3D12CompilerStateObject, HRESULT> {
        let (key, desc) = (group_key(key), addition.desc());
        let (key, desc) = (&raw const key, &raw const desc);
        // SAFETY: the arguments are null or memory of ours, as large as the counts say.
        get(|iid, place| unsafe {
            self.0
                .CompileAddToStateObject(key, version, desc, parent, iid, place)
        })
    }

    /// A state object that the test needs. Needs R-CMP-10.
    pub(crate) fn state_object(
        &self,
        key: &[u8],
        desc: &StateObjectDesc,
    ) -> Result<ID3D12CompilerStateObject, Stop> {
        let object = self.compile_state_object(key, 1, desc);
        let object = object.map_err(|_| Stop::needs(rules::R_CMP_10))?;
        kept(&object);
        Ok(object)
    }
}

impl Runtime<'_> {
    /// A compiler over a [`session`](Runtime::session). Needs R-CMP-01 and what that needs.
    pub(crate) fn compiler(&self) -> Result<(Factory, Session, Compiler), Stop> {
        let (factory, session) = self.session()?;
        let compiler = factory.compiler(&session)?;
        Ok((factory, session, compiler))
    }
}

impl Session {
    /// What is missing of a group that a compile should have stored, in words. Needs R-GRP-01,
    /// R-GRP-03 and R-VAL-09.
    pub(crate) fn incomplete(&self, key: &[u8], version: u32) -> Result<Option<String>, Stop> {
        match self.group_version(key)? {
            None => return Ok(Some("no group".into())),
            Some(stored) if stored != version => {
                return Ok(Some(format!("a group of version {stored}")));
            }
            Some(_) => {}
        }
        let keys = self.group_keys(key)?;
        if keys.is_empty() {
            return Ok(Some("a group without value keys".into()));
        }
        let mut coded = 0;
        for key in &keys {
            let mut any = false;
            for kind in Kind::ALL {
                any |= self.read(key, kind)?.is_some();
            }
            if !any {
                return Ok(Some("a group with a key that has no value".into()));
            }
            coded += u32::from(self.read(key, Kind::ObjectCode)?.is_some());
        }
        Ok((coded == 0).then(|| "a group whose values have no object code".into()))
    }
}

/// Whether a compile call that gives an object succeeded.
pub(crate) fn returned<T>(object: &Result<T, HRESULT>) -> HRESULT {
    object.as_ref().err().copied().unwrap_or(S_OK)
}
