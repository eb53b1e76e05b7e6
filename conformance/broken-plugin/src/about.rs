//! What a call is about, and the conditions on it that rows name.

use std::ptr;

use ddi_sys::*;
use defects::{Where, given};

use crate::compile::{Handle, Key, in_progress};
use crate::compiler::{known, shaders};
use crate::layer::{self, Open};
use crate::need;
use crate::places::{
    Addition, CalcSize, CheckFormat, CheckSamples, Create, Destroy, DestroyDdi, DestroyObject,
    EnumerateFamilies, FillTable, Find, GetAbiVersions, GetCaps, GetProfile, GetVersions, Object,
    Pipeline, SetKeys, SetVersion, Store,
};
use crate::state_object::{self, has};
use crate::targets::is_oldest;

/// What a call is about, as far as it says.
#[derive(Clone, Copy, Default)]
pub(crate) struct About {
    pub(crate) open: Open,
    pub(crate) target: Option<D3D12DDI_COMPILER_TARGET>,
    /// Whether there is an application, and it has no engine.
    pub(crate) lacks_engine: bool,
    pub(crate) what: What,
}

/// What is compiled.
#[derive(Clone, Copy, Default)]
pub(crate) enum What {
    #[default]
    Nothing,
    Pipeline(*const D3D12DDIARG_CREATE_PIPELINE_STATE_0099),
    StateObject(*const D3D12DDIARG_CREATE_STATE_OBJECT_0054),
    Addition(*const D3D12DDIARG_CREATE_STATE_OBJECT_0054),
}

// SAFETY: the pointers are followed during the compile call alone, while the host's thread waits for it.
unsafe impl Send for What {}

impl About {
    pub(crate) fn family(&self) -> Option<u32> {
        self.target.map(|target| target.AdapterFamilyIndex)
    }

    /// The family and the ABI version; zeros where there is no target.
    pub(crate) fn family_and_abi(&self) -> (u32, u64) {
        let of = |target: D3D12DDI_COMPILER_TARGET| (target.AdapterFamilyIndex, target.ABIVersion);
        self.target.map(of).unwrap_or_default()
    }

    /// The description of a pipeline that is compiled.
    pub(crate) fn pipeline(&self) -> Option<&D3D12DDIARG_CREATE_PIPELINE_STATE_0099> {
        match self.what {
            What::Pipeline(desc) => given(desc),
            _ => None,
        }
    }

    /// The description of a state object or an addition that is compiled.
    pub(crate) fn state_object(&self) -> *const D3D12DDIARG_CREATE_STATE_OBJECT_0054 {
        match self.what {
            What::StateObject(desc) | What::Addition(desc) => desc,
            _ => ptr::null(),
        }
    }

    /// Whether it is a pipeline that has a shader.
    pub(crate) fn has(
        &self,
        shader: fn(&D3D12DDIARG_CREATE_PIPELINE_STATE_0099) -> D3D12DDI_HSHADER,
    ) -> bool {
        let pipeline = self.pipeline();
        pipeline.is_some_and(|desc| !shader(desc).pDrvPrivate.is_null())
    }
}

pub(crate) const SEVERAL_STAGES: Where<About> = Where::new(|about| {
    about
        .pipeline()
        .is_some_and(|desc| shaders(desc).count() > 1)
});
pub(crate) const GEOMETRY: Where<About> =
    Where::new(|about| about.has(|desc| desc.hGeometryShader));
pub(crate) const NO_PIXELS: Where<About> =
    Where::new(|about| about.pipeline().is_some() && !about.has(|desc| desc.hPixelShader));
pub(crate) const TESSELLATION: Where<About> =
    Where::new(|about| about.has(|desc| desc.hHullShader));
pub(crate) const MESH: Where<About> =
    Where::needing(&need::MESH, |about| about.has(|desc| desc.hMeshShader));
/// A compute shader of model 6.6 or later: the first word of a program has the model in its lowest byte.
pub(crate) const NEW_MODEL: Where<About> = Where::new(|about| {
    // SAFETY: a program has its first word, even a malformed one.
    let is_new =
        |(kind, code): (u32, *const u32)| kind == 5 && unsafe { code.read() } & 0xFF >= 0x66;
    about
        .pipeline()
        .is_some_and(|desc| shaders(desc).any(is_new))
});

pub(crate) const NO_ADDITION: Where<About> =
    Where::new(|about| !matches!(about.what, What::Addition(_)));
pub(crate) const ADDITION: Where<About> = Where::needing(&need::ADDITION, |about| {
    matches!(about.what, What::Addition(_))
});
pub(crate) const COLLECTION: Where<About> = Where::needing(&need::COLLECTION, |about| {
    let desc = given(about.state_object());
    desc.is_some_and(|desc| desc.Type == D3D12DDI_STATE_OBJECT_TYPE_COLLECTION)
});
pub(crate) const GRAPH: Where<About> = Where::needing(&need::GRAPH, |about| {
    has(
        about.state_object(),
        D3D12DDI_STATE_SUBOBJECT_TYPE_WORK_GRAPH,
    )
});

pub(crate) const SECOND_FAMILY: Where<About> =
    Where::needing(&need::SECOND_FAMILY, |about| about.family() == Some(1));
/// The second family is asked for, which the plugin need not have.
pub(crate) const INDEX_1: Where<About> = Where::new(|about| about.family() == Some(1));
/// The oldest ABI version of the first family.
pub(crate) const OLDEST_ABI: Where<About> = Where::new(|about| {
    about
        .target
        .is_some_and(|target| is_oldest(&about.open, target))
});
/// The oldest version of the plugin DDI is selected.
pub(crate) const OLDEST_DDI: Where<About> = Where::new(|about| about.open.is_oldest);
pub(crate) const NO_ENGINE: Where<About> = Where::new(|about| about.lacks_engine);
pub(crate) const SECOND_OPEN: Where<About> = Where::new(|about| about.open.number % 2 == 1);
pub(crate) const UNSELECTED: Where<About> = Where::new(|about| !about.open.is_selected());

impl About {
    fn of(open: Open) -> Option<Self> {
        Some(Self {
            open,
            ..Self::default()
        })
    }

    fn of_target(
        open: Open,
        target: *const D3D12DDI_COMPILER_TARGET,
        application: *const D3D12DDI_APPLICATION_DESC,
    ) -> Option<Self> {
        let lacks_engine = given(application).is_some_and(|it| it.pEngineName.is_null());
        Some(Self {
            open,
            target: given(target).copied(),
            lacks_engine,
            what: What::Nothing,
        })
    }

    fn of_family(open: Open, family: u32) -> Option<Self> {
        let target = D3D12DDI_COMPILER_TARGET {
            AdapterFamilyIndex: family,
            ABIVersion: 0,
        };
        Self::of_target(open, &raw const target, ptr::null())
    }

    /// What a call with a living compiler is about.
    pub(crate) fn of_compiler(compiler: D3D12DDI_HCOMPILER, what: What) -> Option<Self> {
        let about = known(compiler)?.about;
        Some(Self { what, ..about })
    }
}

macro_rules! about {
    ($($($place:ident)*: |$call:ident| $about:expr;)*) => {
        $($(impl $place {
            pub(crate) fn about(&self) -> Option<About> {
                let $call = self;
                $about
            }
        })*)*
    };
}

about! {
    DestroyDdi GetVersions SetVersion FillTable: |call| About::of(layer::of(call.handle));
    EnumerateFamilies GetAbiVersions: |call| About::of_family(layer::of(call.handle), call.family);
    CheckFormat CheckSamples: |call| About::of_target(layer::of(call.handle), call.target, ptr::null());
    GetCaps GetProfile: |call| About::of_target(layer::of(call.handle), call.target, call.application);
    CalcSize Create: |call| About::of_target(layer::in_slot(call.slot), call.target, call.application);
    Destroy: |call| About::of_compiler(call.compiler, What::Nothing);
    Pipeline: |call| About::of_compiler(call.compiler, What::Pipeline(call.desc));
    Object: |call| About::of_compiler(call.compiler, What::StateObject(call.desc));
    Addition: |call| About::of_compiler(call.compiler, What::Addition(call.desc));
    DestroyObject: |call| state_object::known(call.object)?.about;
    Find Store SetKeys Key Handle: |call| in_progress(call.session, |compile| compile.about);
}
