//! A plugin for tests, whose results can be made to depend on more than its input.
//!
//! It compiles pipelines by copying their shaders. A PDB has a key of its own, besides. Environment variables change what it does:
//!
//! | variable | |
//! |---|---|
//! | `UNSTEADY` | has `code`: values have the process's id and a count in them; `keys`: value keys have; `fails`: every compile fails; `nowhere`: the object's keys name a value that is not there; `codeonly`: nothing but object code is stored; `huge`: object code has one byte more than a PSDB takes; `together`: none goes on before another thread or process has come as far |
//! | `UNSTEADY_TOGETHER` | the file that is for |
//! | `UNSTEADY_REFUSES` | numbers with spaces: compiles of pipelines with these sample masks fail |
//! | `UNSTEADY_COMPILER`, `UNSTEADY_PROFILE` | its versions, four numbers with periods; they are then in values too |
//! | `UNSTEADY_ABIS` | the ABI versions of its family, with spaces; without a number it has none |
//! | `UNSTEADY_MISNAMED` | it has a family before its own whose name is wrong: `utf16`: it is not UTF-16; `empty`: it has no characters; `same`: it is that of its own |
//! | `UNSTEADY_LOG` | a file that gets a line for each open |

use std::ffi::c_void;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use plugin_sdk::ddi::{
    D3D12DDI_COMPILER_ADAPTER_FAMILY, D3D12DDI_COMPILER_CAPABILITIES_FUNCS,
    D3D12DDI_COMPILER_TABLE_TYPE, D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES, D3D12DDI_HCOMPILERDDI,
    D3D12DDIARG_COMPILER_OPEN_DDI, E_INVALIDARG, E_UNEXPECTED, HRESULT,
    PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES, PFND3D12DDI_COMPILER_FILL_DDI_TABLE, S_OK,
    SIZE_T, UINT, UINT64,
};
use plugin_sdk::desc::{ApplicationDesc, PipelineStateDesc};
use plugin_sdk::{
    AdapterFamily, Capabilities, Compiler, CompilerPlugin, Error, KeyBuilder, ObjectValueKeys,
    PluginEntry as _, Result, Session, Target, ValueType, ValueTypes, Values, VersionNumber,
    plugin_entry, shader_models_up_to,
};

/// Calls that were to differ.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// What a PSDB takes, and one byte more.
const HUGE: usize = 999_995_904 + 1;

struct Unsteady;

struct UnsteadyCompiler {
    mode: String,
}

plugin_entry!(Unsteady);

/// The functions of the SDK.
static FILL: OnceLock<PFND3D12DDI_COMPILER_FILL_DDI_TABLE> = OnceLock::new();
static ENUMERATE: OnceLock<PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES> = OnceLock::new();

/// That of the SDK, but that it goes on with functions of this file.
///
/// # Safety
///
/// PFND3D12DDI_COMPILER_OPEN_DDI: the argument is null or valid for reads and writes, and so is its table.
// SAFETY: the DDI's own name, which nothing else in this library has.
#[unsafe(no_mangle)]
unsafe extern "system" fn D3D12OpenCompilerDDI(
    argument: *mut D3D12DDIARG_COMPILER_OPEN_DDI,
) -> HRESULT {
    // SAFETY: PFND3D12DDI_COMPILER_OPEN_DDI: `argument` is null or valid, and so is its table (`# Safety`).
    let result = unsafe { Unsteady::entry_point()(argument) };
    if result.is_ok() {
        // SAFETY: the SDK has found the argument good, and has filled the table.
        let fill = unsafe { &mut (*(*argument).pDDIFuncs).pfnFillDDITable };
        FILL.get_or_init(|| fill.replace(fill_table));
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_FILL_DDI_TABLE: the table is null or has so many bytes.
unsafe extern "system" fn fill_table(
    handle: D3D12DDI_HCOMPILERDDI,
    kind: D3D12DDI_COMPILER_TABLE_TYPE,
    table: *mut c_void,
    size: SIZE_T,
) -> HRESULT {
    let Some(Some(fill)) = FILL.get() else {
        return E_UNEXPECTED;
    };
    // SAFETY: PFND3D12DDI_COMPILER_FILL_DDI_TABLE: `table` is null or has `size` bytes (`# Safety`).
    let result = unsafe { fill(handle, kind, table, size) };
    if result.is_ok() && kind == D3D12DDI_COMPILER_TABLE_TYPE_CAPABILITIES {
        // SAFETY: the SDK has found the table large enough, and has filled it.
        let table = unsafe { &mut *table.cast::<D3D12DDI_COMPILER_CAPABILITIES_FUNCS>() };
        let enumerate = &mut table.pfnEnumerateAdapterFamilies;
        ENUMERATE.get_or_init(|| *enumerate);
        *enumerate = Some(enumerate_adapter_families);
        if abi_versions().is_some_and(|abis| abis.is_empty()) {
            table.pfnGetAdapterFamilyABIVersions = Some(get_no_abi_versions);
        }
    }
    result
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES: the family is null or writable.
unsafe extern "system" fn enumerate_adapter_families(
    handle: D3D12DDI_HCOMPILERDDI,
    index: UINT,
    family: *mut D3D12DDI_COMPILER_ADAPTER_FAMILY,
) -> HRESULT {
    let Some(Some(enumerate)) = ENUMERATE.get() else {
        return E_UNEXPECTED;
    };
    // SAFETY: PFND3D12DDI_COMPILER_ENUMERATE_ADAPTER_FAMILIES: `family` is null or writable (`# Safety`).
    let result = unsafe { enumerate(handle, index, family) };
    if result.is_ok()
        && index == 0
        && let Some(name) = misnamed()
    {
        // SAFETY: the SDK has written to it.
        let units = unsafe { &mut (*family).szAdapterFamily };
        for (unit, wrong) in units.iter_mut().zip(name.into_iter().chain([0])) {
            *unit = wrong;
        }
    }
    result
}

/// The wrong name.
fn misnamed() -> Option<Vec<u16>> {
    match &*std::env::var("UNSTEADY_MISNAMED").ok()? {
        "empty" => Some(Vec::new()),
        "same" => Some("Unsteady".encode_utf16().collect()),
        _ => Some(vec![0xd800]),
    }
}

/// # Safety
///
/// PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS: the count is null or writable.
unsafe extern "system" fn get_no_abi_versions(
    _: D3D12DDI_HCOMPILERDDI,
    _: UINT,
    count: *mut UINT,
    _: *mut UINT64,
) -> HRESULT {
    // SAFETY: PFND3D12DDI_COMPILER_GET_ADAPTER_FAMILY_ABI_VERSIONS: `count` is null or writable (`# Safety`).
    match unsafe { count.as_mut() } {
        None => E_INVALIDARG,
        Some(count) => {
            *count = 0;
            S_OK
        }
    }
}

/// The ABI versions that a variable has.
fn abi_versions() -> Option<Vec<u64>> {
    let text = std::env::var("UNSTEADY_ABIS").ok()?;
    let versions = text.split_whitespace();
    Some(versions.map(|abi| abi.parse().expect("a number")).collect())
}

impl CompilerPlugin for Unsteady {
    type Compiler = UnsteadyCompiler;

    fn open() -> Result<Self> {
        if let Some(log) = std::env::var_os("UNSTEADY_LOG") {
            let log = OpenOptions::new().append(true).create(true).open(log);
            let written = log.and_then(|mut log| writeln!(log, "opened"));
            written.map_err(|error| Error::failed(error.to_string()))?;
        }
        Ok(Self)
    }

    fn adapter_families(&self) -> Vec<AdapterFamily> {
        let version = version("UNSTEADY_COMPILER").unwrap_or(VersionNumber::new(1, 0, 0, 0));
        let misnamed = misnamed().map(|_| "Misnamed");
        let names = misnamed.into_iter().chain(["Unsteady"]);
        // The SDK takes no family without one.
        let abis = abi_versions().filter(|abis| !abis.is_empty());
        let abis = abis.unwrap_or_else(|| vec![2, 1]);
        let family = |name| AdapterFamily::new(name, abis.clone(), version);
        names.map(family).collect()
    }

    fn capabilities(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Capabilities {
        let mut can = Capabilities::default();
        can.shader_models = shader_models_up_to(6, 8).into();
        can
    }

    fn application_profile_version(
        &self,
        _: &Target<'_>,
        _: &ApplicationDesc<'_>,
    ) -> VersionNumber {
        version("UNSTEADY_PROFILE").unwrap_or(VersionNumber::ZERO)
    }

    fn create_compiler(&self, _: &Target<'_>, _: &ApplicationDesc<'_>) -> Result<UnsteadyCompiler> {
        let mode = std::env::var("UNSTEADY").unwrap_or_default();
        Ok(UnsteadyCompiler { mode })
    }
}

/// The version that a variable has.
fn version(variable: &str) -> Option<VersionNumber> {
    let text = std::env::var(variable).ok()?;
    let mut parts = text.split('.').map(|part| part.parse().expect("a number"));
    let mut part = || parts.next().expect("four numbers");
    Some(VersionNumber::new(part(), part(), part(), part()))
}

/// Writes a line to a file, and waits until there are two.
fn wait_for_another() -> Result<()> {
    let path = std::env::var_os("UNSTEADY_TOGETHER").unwrap_or_default();
    let meet = || {
        let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
        writeln!(file, "here")?;
        let patience = Instant::now() + Duration::from_mins(1);
        while std::fs::read_to_string(&path)?.lines().count() < 2 && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok::<_, std::io::Error>(())
    };
    meet().map_err(|error| Error::failed(error.to_string()))
}

impl Compiler for UnsteadyCompiler {
    type StateObject = ();

    fn compile_pipeline_state<'call>(
        &self,
        desc: &PipelineStateDesc<'call>,
        session: Session<'call>,
    ) -> Result<ObjectValueKeys<'call>> {
        let refused = std::env::var("UNSTEADY_REFUSES").unwrap_or_default();
        let mask = desc.sample_mask().to_string();
        if self.mode.contains("fails") || refused.split(' ').any(|refused| refused == mask) {
            return Err(Error::failed("it is to fail"));
        }
        let noise = |mode| {
            if self.mode.contains(mode) {
                u64::from(std::process::id()) << 32 | COUNT.fetch_add(1, Ordering::Relaxed)
            } else {
                0
            }
        };
        let key = |domain| {
            let key = KeyBuilder::new(domain).u64("noise", noise("keys"));
            key.describe("desc", desc).finish()
        };
        let mut code = noise("code").to_le_bytes().to_vec();
        for variable in ["UNSTEADY_COMPILER", "UNSTEADY_PROFILE"] {
            code.extend(
                version(variable)
                    .into_iter()
                    .flat_map(|version| version.bits().to_le_bytes()),
            );
        }
        for shader in desc.shaders() {
            if let Some(shader) = shader.code {
                code.extend(shader.program()?.bitcode());
            }
        }
        let make = |missing: ValueTypes| {
            if self.mode.contains("together") {
                wait_for_another()?;
            }
            let value = |kind| (kind, code.clone());
            Ok(missing.types().map(value).collect())
        };
        if self.mode.contains("nowhere") {
            // Nobody asks for it here, and the SDK names a key that holds nothing if there is no other.
            let perf = ValueTypes::PERFORMANCE_DATA;
            let nothing = session.find_or_store_only(key("unsteady"), perf, make)?;
            return Ok(session.finish([nothing]));
        }
        if self.mode.contains("codeonly") || self.mode.contains("huge") {
            let make = |_| {
                let code = if self.mode.contains("huge") {
                    vec![0; HUGE]
                } else {
                    code.clone()
                };
                Ok(Values::new().with(ValueType::ObjectCode, code))
            };
            let code = ValueTypes::OBJECT_CODE;
            let code = session.find_or_store_only(key("unsteady"), code, make)?;
            return Ok(session.finish([code]));
        }
        let all = session.find_or_store(key("unsteady"), make)?;
        let pdb = session.find_or_store_only(key("unsteady pdb"), ValueTypes::DEBUG_PDB, make)?;
        Ok(session.finish([all, pdb]))
    }
}
