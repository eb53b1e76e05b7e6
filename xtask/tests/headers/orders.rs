//! The headers compile before and after Microsoft's, in every order, on Windows and on Linux.

use std::path::Path;

use xtask::toolchain::Target;

use crate::{MICROSOFTS, api, check, ddi, for_each_compiler, generated};

/// Where Debian's `directx-headers-dev` has what stands in for `<windows.h>`.
const STUBS: &str = "/usr/include/wsl/stubs";

const MICROSOFTS_FOR_LINUX: &str = "#include <wsl/winadapter.h>\n#include <directx/d3d12.h>\n";

/// Our headers, and whether C has them too.
const OURS: [(&str, bool); 7] = [
    ("d3d12_compiler_ddi.h", true),
    ("d3d12_umd_ddi.h", true),
    ("d3d12_compiler_api.h", true),
    ("d3d12_mock_runtime.h", true),
    ("d3d12_mock_umd.h", true),
    ("ddi_conformance.h", true),
    ("d3d12_compiler_plugin.hpp", false),
];

/// What holds with Microsoft's headers in any place: their types are as they declare them, and our strings are UTF-16.
const USE: &str = r#"
#include <assert.h>
#ifdef __cplusplus
extern "C++" {
#endif
#ifndef _WIN32
static_assert(sizeof(WCHAR) == sizeof(wchar_t), "WCHAR is Microsoft's");
static_assert(sizeof(*(LPCWSTR)0) == sizeof(wchar_t), "LPCWSTR is Microsoft's");
#endif
#ifdef D3D12_COMPILER_BASE_TYPES
static_assert(sizeof(D3D12_COMPILER_WCHAR) == 2, "strings are UTF-16");
static_assert(sizeof(*D3D12_COMPILER_TEXT("text")) == 2, "literals are UTF-16");
#endif
#ifdef __cplusplus
}
#endif
ULONG reference(ID3D12Device *device);
ULONG reference(ID3D12Device *device)
{
#ifdef __cplusplus
    return device->AddRef();
#else
    return device->lpVtbl->AddRef(device);
#endif
}
"#;

/// Microsoft's headers for a target, and the options for each way to compile with them; nothing where they are not here.
fn microsofts(target: &Target) -> Option<(&'static str, &'static [&'static [&'static str]])> {
    if target.is_windows {
        return Some((MICROSOFTS, &[&[]]));
    }
    if !Path::new(STUBS).is_dir() {
        println!("skipped {}: install directx-headers-dev", target.triple);
        return None;
    }
    Some((
        MICROSOFTS_FOR_LINUX,
        &[&["-isystem", STUBS], &["-isystem", STUBS, "-fshort-wchar"]],
    ))
}

fn include(header: &str) -> String {
    format!("#include \"{header}\"\n")
}

#[test]
fn the_headers_go_before_and_after_microsofts() {
    for_each_compiler(|target, compiler| {
        let Some((theirs, ways)) = microsofts(target) else {
            return;
        };
        let is_cpp = compiler.1.contains("++");
        let ours = OURS.iter().filter(|(_, is_c)| is_cpp || *is_c);
        let ours: Vec<String> = ours.map(|(header, _)| include(header)).collect();
        let all: String = ours.concat();
        let backwards: String = ours.iter().rev().map(String::as_str).collect();
        let with_use = [ddi::USE, ddi::USERMODE_USE, api::USE].concat();
        let alone = ours.iter().map(|header| (header, ""));
        let together = [&all, &backwards].map(|headers| (headers, with_use.as_str()));
        for (headers, use_of_ours) in alone.chain(together) {
            for includes in [format!("{headers}{theirs}"), format!("{theirs}{headers}")] {
                for way in ways {
                    let text = format!("{includes}{USE}{use_of_ours}");
                    if let Err(messages) = check(compiler, &text, way) {
                        panic!("{includes}{way:?}\n{messages}");
                    }
                }
            }
        }
    });
}

#[test]
fn beside_microsofts_headers_for_linux_the_layout_is_that_of_windows() {
    // The stubs' BOOL and, in C++, their DXGI_FORMAT are unsigned, and Debian's release is older than one format.
    let adapted = |file: &str| {
        let text = generated(file).replace("BASE_SIGNED(BOOL,", "BASE(BOOL,");
        let lines = text.lines().filter(|line| {
            !line.contains("DXGI_FORMAT_A4B4G4R4_UNORM") && *line != "DXGI_ENUM(DXGI_FORMAT)"
        });
        lines.collect::<Vec<_>>().join("\n") + "\n"
    };
    let (plugin, client) = (adapted("layout_check.cpp"), adapted("api_layout_check.c"));
    // What holds of the types of strings, holds of ours.
    let utf16 = "#define WCHAR D3D12_COMPILER_WCHAR\n#define PCWSTR D3D12_COMPILER_PCWSTR\n\
                 #define LPCWSTR D3D12_COMPILER_PCWSTR\n";
    for_each_compiler(|target, compiler| {
        let Some((theirs, ways)) = microsofts(target).filter(|_| !target.is_windows) else {
            return;
        };
        for way in ways {
            let is_wide = !way.contains(&"-fshort-wchar");
            let (header, assertions) = match compiler.1 {
                "c++17" => ("d3d12_compiler_ddi.h", &plugin),
                _ => ("d3d12_compiler_api.h", &client),
            };
            let utf16 = if is_wide { utf16 } else { "" };
            let text = format!("{}{theirs}{utf16}{assertions}", include(header));
            check(compiler, &text, way).unwrap();
        }
    });
}
