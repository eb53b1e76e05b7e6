//! What the driver says of its compiler (D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA): the sample plugin's own numbers, unless a
//! switch says otherwise.

use compatibility::Driver;
#[allow(clippy::wildcard_imports)] // The functions are written in the DDI's own types.
use ddi_sys::*;
use plugin_host::{ApplicationDesc, CallError};
use sample_plugin::metadata::digest;
use sample_plugin::object_code::ObjectCode;

use crate::boundary::{self, Error, Result, checked, device_slots, raw};
use crate::{sample, switches};

/// The adapter family and versions of the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AbiSupport {
    pub(crate) name: String,
    /// The ABI versions that the driver reads, the newest first; never empty.
    pub(crate) abi_versions: Vec<u64>,
    pub(crate) compiler: u64,
    pub(crate) profile: u64,
    /// The ABI versions that the compiler is asked for, the newest first; never empty. They are those above, unless a switch
    /// names one that the plugin does not have: then the newest is compiled under that number.
    pub(crate) compiled: Vec<u64>,
    /// Whether the values that the driver compiles get its numbers in the place of the plugin's.
    is_pretended: bool,
}

impl AbiSupport {
    /// The numbers of an adapter family, by its index, for an application. `captured` is the version that its profile had
    /// where a blob of application-specific state was captured.
    ///
    /// # Errors
    ///
    /// There is no such family.
    pub(crate) fn of(
        family: u32,
        application: &ApplicationDesc,
        captured: Option<u64>,
    ) -> Result<Self> {
        let failed = |error: CallError| Error::new(E_FAIL, error.to_string());
        let (plugin, settings) = (sample::plugin(), switches::settings()?);
        let name = plugin.adapter_family(family).map_err(failed)?;
        let name = name.ok_or_else(|| Error::invalid(format!("no adapter family {family}")))?;
        let profile = plugin
            .application_profile_version(sample::target(family)?, application)
            .map_err(failed)?;
        let known = plugin.abi_versions(family).map_err(failed)?;
        let own = Self {
            name,
            abi_versions: known.clone(),
            compiler: plugin.compiler_version(family).map_err(failed)?,
            profile,
            compiled: known.clone(),
            is_pretended: false,
        };
        let mut support = Self {
            name: settings.family.clone().unwrap_or_else(|| own.name.clone()),
            abi_versions: settings.abi.map_or(known, |abi| vec![abi]),
            compiler: settings.compiler.unwrap_or(own.compiler),
            profile: captured.or(settings.profile).unwrap_or(own.profile),
            ..own.clone()
        };
        if let Some(abi) = settings.abi {
            support.compiled = vec![if own.compiled.contains(&abi) {
                abi
            } else {
                own.compiled[0]
            }];
        }
        support.is_pretended = support.driver()
            != Driver {
                abi: support.driver().abi,
                ..own.driver()
            }
            || support.compiled[0] != support.abi_versions[0];
        Ok(support)
    }

    /// The ABI version that object code has which was compiled for one of [`compiled`](Self::compiled).
    pub(crate) fn abi_of_code(&self, compiled: u64) -> u64 {
        if self.abi_versions.contains(&compiled) {
            compiled
        } else {
            self.abi_versions[0]
        }
    }

    /// Object code and metadata of the driver's compiler: the plugin's, with the numbers that the driver says it has.
    pub(crate) fn labelled(
        &self,
        compiled: u64,
        code: &[u8],
        metadata: &[u8],
    ) -> (Vec<u8>, Vec<u8>) {
        if !self.is_pretended {
            return (code.to_vec(), metadata.to_vec());
        }
        let abi_version = self.abi_of_code(compiled);
        let code = ObjectCode::parse(code).map_or_else(
            |_| code.to_vec(),
            |parsed| {
                ObjectCode {
                    abi_version,
                    ..parsed
                }
                .to_bytes()
            },
        );
        let version = |version| VersionNumber::from_bits(version).to_string();
        let labels = [
            ("family: ", self.name.clone()),
            ("compiler: ", version(self.compiler)),
            ("abi: ", abi_version.to_string()),
            ("profile: ", version(self.profile)),
            ("code: ", digest(&code)),
        ];
        let text = String::from_utf8_lossy(metadata);
        let lines = text.split_inclusive('\n').map(|line| {
            let label = labels.iter().find(|(name, _)| line.starts_with(name));
            label.map_or_else(
                || line.to_owned(),
                |(name, value)| format!("{name}{value}\n"),
            )
        });
        (code, lines.collect::<String>().into_bytes())
    }

    /// As the rules of compatibility take it.
    pub(crate) fn driver(&self) -> Driver {
        let (newest, oldest) = (
            self.abi_versions[0],
            self.abi_versions[self.abi_versions.len() - 1],
        );
        Driver {
            family: self.name.clone(),
            abi: oldest..=newest,
            compiler: self.compiler,
            profile: self.profile,
        }
    }
}

device_slots! {
    shader_cache_get_caps = "pfnShaderCacheGetCaps"(device, input caps: D3D12DDIARG_SHADERCACHE_GETCAPS) -> HRESULT {
        if caps.Type != D3D12DDICAPS_TYPE_SHADERCACHE_ABI_SUPPORT {
            return Err(Error::invalid(format!("shader cache capability {:?}", caps.Type)));
        }
        let support = device.compiled.support(device.adapter.family)?;
        let driver = support.driver();
        let mut name = [0; 128];
        for (place, unit) in name[..127].iter_mut().zip(support.name.encode_utf16()) {
            *place = unit;
        }
        let size = usize::try_from(caps.DataSize).unwrap_or(usize::MAX);
        if size == size_of::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118>() {
            // SAFETY: the DDI: the data has the size that the host says.
            let data = unsafe { boundary::output(caps.pData.cast::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0118>(), "pData") }?;
            data.szAdapterFamily = name;
            data.MinimumABISupportVersion = *driver.abi.start();
            data.MaximumABISupportVersion = *driver.abi.end();
            data.CompilerVersion = D3D12DDI_VERSION_NUMBER::from_bits(support.compiler);
            data.ApplicationProfileVersion = D3D12DDI_VERSION_NUMBER::from_bits(support.profile);
        } else if size == size_of::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114>() {
            // SAFETY: the DDI: the data has the size that the host says.
            let data = unsafe { boundary::optional(caps.pData.cast::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114>(), "pData") }?;
            if data.is_none() {
                return Err(Error::invalid("pData is null"));
            }
            let narrow = |version: u64| u32::try_from(version).unwrap_or(u32::MAX);
            let data = D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114 {
                szAdapterFamily: name,
                MinimumABISupportVersion: narrow(*driver.abi.start()),
                MaximumABISupportVersion: narrow(*driver.abi.end()),
            };
            // SAFETY: the DDI: the data has the size that the host says; `optional` found it not null and aligned.
            unsafe { caps.pData.cast::<D3D12DDI_SHADERCACHE_ABI_SUPPORT_DATA_0114>().write(data) };
        } else {
            return Err(Error::invalid(format!("DataSize is {size}")));
        }
        S_OK
    }
}
