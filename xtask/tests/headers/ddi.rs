//! The headers of the DDI compile everywhere.

use std::fs;

use xtask::toolchain::{TARGETS, Target};

use crate::{check, for_each_compiler, generated};

/// What code written for Microsoft's headers does with the types, in C and in C++.
pub const USE: &str = r#"
const D3D12_COMPILER_WCHAR *text(void) { return D3D12DDI_TEXT("text"); }

int members(const D3D12DDIARG_CREATE_SHADER_0026 *shader,
            const D3D12DDIARG_STAGE_IO_SIGNATURES *signatures,
            const D3D12DDI_ROOT_PARAMETER_0013 *parameter)
{
    return shader->IOSignatures.Standard == signatures && signatures->pInputSignature != NULL
        && parameter->Constants.Num32BitValues == parameter->DescriptorTable.NumDescriptorRanges;
}

int flags(D3D12DDI_COMPILER_VALUE_TYPE_FLAGS set)
{
    D3D12DDI_COMPILER_VALUE_TYPE_FLAGS more =
        set | D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA;
    more &= ~D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_DEBUG_PDB;
    return (more & D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_METADATA) != 0 && FAILED(E_FAIL);
}

HRESULT D3D12DDI_APIENTRY select_version(D3D12DDI_HCOMPILERDDI ddi, UINT64 plugin, UINT64 usermode)
{
    return ddi.pDrvPrivate != NULL && plugin == usermode ? S_OK : DXGI_ERROR_NOT_FOUND;
}

PFND3D12DDI_COMPILER_SET_SELECTED_VERSION pointer = select_version;
PFND3D12DDI_COMPILER_OPEN_DDI open_pointer = D3D12OpenCompilerDDI;
"#;

#[test]
fn the_header_compiles_alone() {
    const OURS: &str = "#include \"d3d12_compiler_ddi.h\"\n";
    for_each_compiler(|_, compiler| {
        for includes in [OURS.to_owned(), format!("{OURS}{OURS}")] {
            check(compiler, &format!("{includes}{USE}"), &[]).unwrap();
        }
    });
}

/// What a driver does with the usermode DDI, in C and in C++.
pub const USERMODE_USE: &str = r"
HRESULT D3D12DDI_APIENTRY OpenAdapter12(D3D12DDIARG_OPENADAPTER *arguments)
{
    return arguments->pAdapterFuncs != NULL ? S_OK : E_INVALIDARG;
}

void D3D12DDI_APIENTRY dispatch(D3D12DDI_API_HCOMMANDLIST list, UINT x, UINT y, UINT z)
{
    D3D12DDI_HCOMMANDLIST driver = GetDriverCommandListHandle(list);
    *(UINT *)driver.pDrvPrivate = x + y + z;
}

void fill(D3D12DDI_COMMAND_LIST_FUNCS_3D_0114 *table) { table->pfnDispatch = dispatch; }
";

#[test]
fn the_usermode_header_compiles_alone() {
    const OURS: &str = "#include \"d3d12_umd_ddi.h\"\n";
    const PLUGIN: &str = "#include \"d3d12_compiler_ddi.h\"\n";
    for_each_compiler(|_, compiler| {
        for includes in [OURS.to_owned(), format!("{PLUGIN}{OURS}{OURS}")] {
            let text = format!("{includes}{USE}{USERMODE_USE}");
            check(compiler, &text, &[]).unwrap();
        }
    });
}

#[test]
fn the_header_leaves_out_what_d3d12umddi_declares() {
    let header = generated("d3d12_compiler_ddi.h");
    let header = header.replace("D3D12_COMPILER_DDI_H", "STAND_IN_H");
    let (usermode, _) = header.split_once("// The plugin DDI.").unwrap();
    let wdk = usermode
        .find("// Usermode DDI types that d3d12umddi.h of the WDK")
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let include = folder.path().to_str().unwrap();
    let sdk_26100 = "#define D3D12DDI_SUPPORTED_0110 0x000C0050006E0000\n";
    let wdk_28000 = format!("{sdk_26100}#define D3D12DDI_SUPPORTED_0118 0x000C005000760000\n");
    for (declarations, versions) in [(&usermode[..wdk], sdk_26100), (usermode, &wdk_28000)] {
        let stand_in = format!(
            "{declarations}\n#ifdef __cplusplus\n}}\n#endif\n#endif\n\
             #define D3D10_SB_TOKENIZED_PROGRAM_TYPE_MASK 0xffff0000\n\
             #define __dxgiformat_h__\n#define __dxgicommon_h__\n{versions}"
        );
        fs::write(folder.path().join("d3d12umddi.h"), stand_in).unwrap();
        let text = format!("#include <d3d12umddi.h>\n#include \"d3d12_compiler_ddi.h\"\n{USE}");
        for_each_compiler(|_, compiler| {
            check(compiler, &text, &["-isystem", include]).unwrap();
        });
    }
}

#[test]
fn layout_check_accepts_the_header() {
    let assertions = generated("layout_check.cpp");
    for_each_compiler(|_, compiler| {
        if compiler.1 == "c++17" {
            check(compiler, &assertions, &[]).unwrap();
        }
    });
}

#[test]
fn layout_check_refuses_another_header_with_a_fault() {
    let assertions = generated("layout_check.cpp");
    let header = generated("d3d12_compiler_ddi.h");
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("theirs.h");
    let refusal = |target: &Target, old: &str, new: &str| {
        assert!(old.is_empty() || header.matches(old).count() == 1, "{old}");
        let text = match old {
            "" => header.clone(),
            _ => header.replace(old, new),
        };
        fs::write(&theirs, text).unwrap();
        let compiler = target.compilers[0].cpp;
        let switches = [
            &*format!("-DD3D12DDI_CHECK_HEADER=\"{}\"", theirs.display()),
            "-DD3D12DDI_CHECK_PLUGIN_DDI",
        ];
        check((compiler, "c++17"), &assertions, &switches)
            .err()
            .unwrap_or_default()
    };

    let everyday = &TARGETS[0];
    if everyday.compilers[0].is_here() {
        assert_eq!(refusal(everyday, "", ""), "");
        for (old, new, named) in [
            (
                "    UINT KeySize;\n",
                "    UINT64 KeySize;\n",
                "type of D3D12DDI_COMPILER_CACHE_VALUE_KEY.KeySize",
            ),
            (
                "    UINT ViewportArrayIndex;\n    UINT RenderTargetArrayIndex;\n",
                "    UINT RenderTargetArrayIndex;\n    UINT ViewportArrayIndex;\n",
                "offset of D3D12DDI_VIEW_INSTANCE_LOCATION.ViewportArrayIndex",
            ),
            (
                "D3D12DDI_MESH_SHADER_TIER_1 = 10,",
                "D3D12DDI_MESH_SHADER_TIER_1 = 11,",
                "D3D12DDI_MESH_SHADER_TIER_1",
            ),
            (
                "    UINT SampleCount,\n    UINT QualityLevel);",
                "    UINT SampleCount);",
                "PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS",
            ),
        ] {
            let messages = refusal(everyday, old, new);
            assert!(messages.contains(&format!("failed: {named}")), "{messages}");
        }
    }

    let windows_32 = &TARGETS[2];
    if windows_32.compilers[0].is_here() {
        let named = "PFND3D12DDI_COMPILER_GET_CAPS";
        let with = format!("(D3D12DDI_APIENTRY *{named})");
        let messages = refusal(windows_32, &with, &format!("(*{named})"));
        assert!(messages.contains(&format!("failed: {named}")), "{messages}");
    }
}
