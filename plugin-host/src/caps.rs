//! `pfnGetCaps`: each capability with its structure.

use std::ptr;

use bytemuck::Pod;
use ddi_sys::{
    D3D12DDI_3DPIPELINELEVEL, D3D12DDI_3DPIPELINESUPPORT1_DATA_0081, D3D12DDI_COMPILER_TARGET,
    D3D12DDI_D3D12_OPTIONS_DATA_0089, D3D12DDI_D3D12_SHADER_MODELS_DATA_0011,
    D3D12DDI_OPTIONS_DATA_0090, D3D12DDI_OPTIONS_DATA_0091, D3D12DDI_OPTIONS_DATA_0093,
    D3D12DDI_OPTIONS_DATA_0098, D3D12DDI_OPTIONS_DATA_0101, D3D12DDI_OPTIONS_DATA_0102,
    D3D12DDI_OPTIONS_DATA_0109, D3D12DDI_OPTIONS_DATA_0110, D3D12DDI_OPTIONS1_DATA_0103,
    D3D12DDI_SHADER_CAPS_0084, D3D12DDI_SHADER_MODEL, D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110,
    D3D12DDIARG_GETCAPS, D3D12DDICAPS_TYPE, D3D12DDICAPS_TYPE_0011_SHADER_MODELS,
    D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1, D3D12DDICAPS_TYPE_D3D12_OPTIONS,
    D3D12DDICAPS_TYPE_OPTIONS_0090, D3D12DDICAPS_TYPE_OPTIONS_0091, D3D12DDICAPS_TYPE_OPTIONS_0093,
    D3D12DDICAPS_TYPE_OPTIONS_0098, D3D12DDICAPS_TYPE_OPTIONS_0101, D3D12DDICAPS_TYPE_OPTIONS_0102,
    D3D12DDICAPS_TYPE_OPTIONS_0109, D3D12DDICAPS_TYPE_OPTIONS_0110,
    D3D12DDICAPS_TYPE_OPTIONS1_0103, D3D12DDICAPS_TYPE_SHADER,
    D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110, HRESULT,
};

use crate::open::two_call;
use crate::{ApplicationDesc, CallError, Plugin, Target};

/// The data of one capability, for [`Plugin::get_caps`]: a structure without pointers and inputs, as
/// the usermode DDI version of [`SUPPORTED`](crate::SUPPORTED) has it.
///
/// ```compile_fail
/// fn is_caps<T: plugin_host::Caps>() {}
/// // D3D12DDICAPS_TYPE_0011_SHADER_MODELS would take these for two pointers to write through.
/// is_caps::<[u64; 2]>();
/// ```
pub trait Caps: Pod + sealed::Sealed {
    /// The capability.
    const TYPE: D3D12DDICAPS_TYPE;
}

mod sealed {
    pub trait Sealed {
        const CALL: &'static str;
    }
}

macro_rules! caps {
    ($($data:ident: $caps_type:ident,)*) => {
        $(impl sealed::Sealed for $data {
            const CALL: &'static str = concat!("pfnGetCaps(", stringify!($caps_type), ")");
        }

        impl Caps for $data {
            const TYPE: D3D12DDICAPS_TYPE = $caps_type;
        })*
    };
}

caps! {
    D3D12DDI_SHADER_CAPS_0084: D3D12DDICAPS_TYPE_SHADER,
    D3D12DDI_D3D12_OPTIONS_DATA_0089: D3D12DDICAPS_TYPE_D3D12_OPTIONS,
    D3D12DDI_OPTIONS_DATA_0090: D3D12DDICAPS_TYPE_OPTIONS_0090,
    D3D12DDI_OPTIONS_DATA_0091: D3D12DDICAPS_TYPE_OPTIONS_0091,
    D3D12DDI_OPTIONS_DATA_0093: D3D12DDICAPS_TYPE_OPTIONS_0093,
    D3D12DDI_OPTIONS_DATA_0098: D3D12DDICAPS_TYPE_OPTIONS_0098,
    D3D12DDI_OPTIONS_DATA_0101: D3D12DDICAPS_TYPE_OPTIONS_0101,
    D3D12DDI_OPTIONS_DATA_0102: D3D12DDICAPS_TYPE_OPTIONS_0102,
    D3D12DDI_OPTIONS1_DATA_0103: D3D12DDICAPS_TYPE_OPTIONS1_0103,
    D3D12DDI_OPTIONS_DATA_0109: D3D12DDICAPS_TYPE_OPTIONS_0109,
    D3D12DDI_OPTIONS_DATA_0110: D3D12DDICAPS_TYPE_OPTIONS_0110,
    D3D12DDI_SHADER_MODEL_6_8_OPTIONS_0110: D3D12DDICAPS_TYPE_SHADER_MODEL_6_8_OPTIONS_0110,
}

impl Plugin {
    /// Calls `pfnGetCaps` for the capability whose data is `T`, such as D3D12DDI_SHADER_CAPS_0084.
    /// Fields that the plugin does not write are 0.
    ///
    /// # Errors
    ///
    /// The call fails, or the target belongs to another open.
    pub fn get_caps<T: Caps>(
        &self,
        target: Target,
        application: &ApplicationDesc,
    ) -> Result<T, CallError> {
        let mut data = T::zeroed();
        // SAFETY: `T` is the structure of the capability; it has no pointers and no inputs.
        unsafe { self.get_caps_into(T::CALL, target, application, T::TYPE, &mut data) }?;
        Ok(data)
    }

    /// Calls `pfnGetCaps` for D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1: the highest feature level of
    /// the target that is not above that of the runtime.
    ///
    /// # Errors
    ///
    /// The call fails, or the target belongs to another open.
    pub fn feature_level(
        &self,
        target: Target,
        application: &ApplicationDesc,
        highest_of_runtime: D3D12DDI_3DPIPELINELEVEL,
    ) -> Result<D3D12DDI_3DPIPELINELEVEL, CallError> {
        let call = "pfnGetCaps(D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1)";
        let caps_type = D3D12DDICAPS_TYPE_0081_3DPIPELINESUPPORT1;
        let mut data = D3D12DDI_3DPIPELINESUPPORT1_DATA_0081 {
            HighestRuntimeSupportedFeatureLevel: highest_of_runtime,
            ..Default::default()
        };
        // SAFETY: the structure of this capability, with its input; it has no pointers.
        unsafe { self.get_caps_into(call, target, application, caps_type, &mut data) }?;
        Ok(data.MaximumDriverSupportedFeatureLevel)
    }

    /// Calls `pfnGetCaps` for D3D12DDICAPS_TYPE_0011_SHADER_MODELS, count first, then the array.
    ///
    /// # Errors
    ///
    /// The call fails, its counts never agree, or the target belongs to another open.
    pub fn shader_models(
        &self,
        target: Target,
        application: &ApplicationDesc,
    ) -> Result<Vec<D3D12DDI_SHADER_MODEL>, CallError> {
        let call = "pfnGetCaps(D3D12DDICAPS_TYPE_0011_SHADER_MODELS)";
        let target = self.own(call, target)?;
        two_call(self.library(), call, |count, models| {
            let mut data = D3D12DDI_D3D12_SHADER_MODELS_DATA_0011 {
                pNumShaderModelsSupported: count,
                pShaderModelsSupported: models,
            };
            let arg = get_caps_arg(D3D12DDICAPS_TYPE_0011_SHADER_MODELS, &mut data);
            // SAFETY: the structure of this capability; `two_call` lends a count and an array of that
            // many.
            unsafe { self.call_get_caps(&target, application, &arg) }
        })
    }

    /// Calls `pfnGetCaps` with an argument of the caller's own: any capability, any size.
    ///
    /// # Errors
    ///
    /// The call fails, or the target belongs to another open.
    ///
    /// # Safety
    ///
    /// `pData` is writable for `DataSize` bytes and aligned for the data of the capability, whose
    /// inputs and pointers are what the usermode DDI version of [`Plugin::version`] wants; or the
    /// plugin refuses the argument.
    pub unsafe fn get_caps_raw(
        &self,
        target: Target,
        application: &ApplicationDesc,
        arg: &D3D12DDIARG_GETCAPS,
    ) -> Result<(), CallError> {
        let call = "pfnGetCaps";
        let target = self.own(call, target)?;
        // SAFETY: `pData` is writable and what the DDI version wants, or the plugin refuses it (`# Safety`); `own` found the target of
        // this open.
        let result = unsafe { self.call_get_caps(&target, application, arg) };
        self.check(call, result)
    }

    /// # Safety
    ///
    /// `T` is the structure of the capability, without pointers; its inputs are set.
    unsafe fn get_caps_into<T: Pod>(
        &self,
        call: &'static str,
        target: Target,
        application: &ApplicationDesc,
        caps_type: D3D12DDICAPS_TYPE,
        data: &mut T,
    ) -> Result<(), CallError> {
        let target = self.own(call, target)?;
        let arg = get_caps_arg(caps_type, data);
        // SAFETY: `data` is writable for its size, is the capability's structure with its inputs set (`# Safety`), and any bytes are a
        // value of it.
        let result = unsafe { self.call_get_caps(&target, application, &arg) };
        self.check(call, result)
    }

    /// # Safety
    ///
    /// As for [`get_caps_raw`](Self::get_caps_raw); the target is one of this open.
    unsafe fn call_get_caps(
        &self,
        target: &D3D12DDI_COMPILER_TARGET,
        application: &ApplicationDesc,
        arg: &D3D12DDIARG_GETCAPS,
    ) -> HRESULT {
        let application = application.raw();
        // SAFETY: the handle is valid; so are the structures, for the call, and what `arg` points at (`# Safety`).
        unsafe {
            (self.capabilities_funcs().pfnGetCaps)(
                self.handle(),
                target,
                &raw const application,
                arg,
            )
        }
    }
}

fn get_caps_arg<T>(caps_type: D3D12DDICAPS_TYPE, data: &mut T) -> D3D12DDIARG_GETCAPS {
    const { assert!(size_of::<T>() <= u32::MAX as usize) };
    D3D12DDIARG_GETCAPS {
        Type: caps_type,
        pInfo: ptr::null_mut(),
        pData: ptr::from_mut(data).cast(),
        #[allow(clippy::cast_possible_truncation, reason = "asserted above")]
        DataSize: size_of::<T>() as u32,
    }
}
