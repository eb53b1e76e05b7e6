//! `ddi-sys`, the C header and the recorded facts agree; a copy with one fault does not.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use tempfile::TempDir;
use xtask::check::{Checker, Report};
use xtask::facts::Facts;
use xtask::input::Input;
use xtask::toolchain::{TARGETS, Target};
use xtask::workspace;

fn checker(input: Input) -> Checker {
    let facts = Facts::read(&input.tables(), input).unwrap();
    Checker::new(input, facts).unwrap()
}

#[test]
fn rust_c_and_facts_agree() {
    let root = workspace();
    let targets: Vec<&Target> = TARGETS.iter().collect();
    for input in [Input::Plugin, Input::Usermode] {
        let report = checker(input)
            .check(&root.join("ddi-sys/src"), &root.join("headers"), &targets)
            .unwrap();
        for line in &report.compared {
            println!("{line}");
        }
        let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
        assert!(!report.compared.is_empty());
    }
}

/// One fault: in `file`, `old` becomes `new`; the checker must name `item` and only its `owner`.
struct Fault {
    file: &'static str,
    old: &'static str,
    new: &'static str,
    owner: &'static str,
    item: &'static str,
}

const SOURCE_FAULTS: [Fault; 14] = [
    Fault {
        file: "compiler.rs",
        old: "not 0. x64 offset 8, x86 offset 4.",
        new: "not 0. x64 offset 8, x86 offset 8.",
        owner: "D3D12DDI_COMPILER_CACHE_CONST_VALUE",
        item: "D3D12DDI_COMPILER_CACHE_CONST_VALUE.ValueSize",
    },
    Fault {
        file: "pipeline_state.rs",
        old: "pub ViewportArrayIndex: UINT,\n    /// x64 offset 4, x86 offset 4.\n    pub RenderTargetArrayIndex: UINT,",
        new: "pub RenderTargetArrayIndex: UINT,\n    pub ViewportArrayIndex: UINT,",
        owner: "D3D12DDI_VIEW_INSTANCE_LOCATION",
        item: "D3D12DDI_VIEW_INSTANCE_LOCATION.ViewportArrayIndex",
    },
    Fault {
        file: "compiler.rs",
        old: "pub KeySize: UINT,",
        new: "pub KeySize: UINT64,",
        owner: "D3D12DDI_COMPILER_CACHE_VALUE_KEY",
        item: "D3D12DDI_COMPILER_CACHE_VALUE_KEY.KeySize",
    },
    Fault {
        file: "compiler.rs",
        old: "pub pKey: *const c_void,",
        new: "pub pKey: *mut c_void,",
        owner: "D3D12DDI_COMPILER_CACHE_VALUE_KEY",
        item: "D3D12DDI_COMPILER_CACHE_VALUE_KEY.pKey",
    },
    Fault {
        file: "compiler.rs",
        old: "#[repr(C)]\n#[derive(Clone, Copy, Debug, Zeroable)]\npub struct D3D12DDI_COMPILER_TARGET {",
        new: "#[repr(C, packed)]\n#[derive(Clone, Copy, Debug, Zeroable)]\npub struct D3D12DDI_COMPILER_TARGET {",
        owner: "D3D12DDI_COMPILER_TARGET",
        item: "D3D12DDI_COMPILER_TARGET.ABIVersion",
    },
    Fault {
        file: "shader.rs",
        old: "pub pInputSignature: *mut D3D12DDIARG_SIGNATURE_ENTRY_0012,\n}\n\n/// Union member `Anonymous2` of [`D3D12DDIARG_STAGE_IO_SIGNATURES`].",
        new: "pub pInputSignature: *const D3D12DDIARG_SIGNATURE_ENTRY_0012,\n}\n\n///",
        owner: "D3D12DDIARG_STAGE_IO_SIGNATURES",
        item: "D3D12DDIARG_STAGE_IO_SIGNATURES.pInputSignature",
    },
    Fault {
        file: "compiler.rs",
        old: "D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB = 2,",
        new: "D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB = 3,",
        owner: "D3D12DDI_COMPILER_CACHE_VALUE_TYPE",
        item: "D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB",
    },
    Fault {
        file: "caps.rs",
        old: "        /// Value 10.\n        D3D12DDI_MESH_SHADER_TIER_1 = 10,\n",
        new: "",
        owner: "D3D12DDI_MESH_SHADER_TIER",
        item: "D3D12DDI_MESH_SHADER_TIER",
    },
    Fault {
        file: "fixed_function.rs",
        old: "ddi_enum! {\n    /// Per vertex or per instance.",
        new: "macro_rules! ddi_enum {
                  ($(#[$meta:meta])* pub enum $name:ident { $($(#[$v:meta])* $variant:ident = $value:literal,)* }) => {
                      #[repr(transparent)] #[derive(Clone, Copy, Debug)] pub struct $name(pub i64);
                      $(pub const $variant: $name = $name($value);)*
                  };
              }
              ddi_enum! {\n    /// Per vertex or per instance.",
        owner: "D3D12DDI_INPUT_CLASSIFICATION",
        item: "D3D12DDI_INPUT_CLASSIFICATION",
    },
    Fault {
        file: "hresult.rs",
        old: "DXGI_ERROR_ALREADY_EXISTS: HRESULT = 0x887A_0036;",
        new: "DXGI_ERROR_ALREADY_EXISTS: HRESULT = 0x887A_0037;",
        owner: "DXGI_ERROR_ALREADY_EXISTS",
        item: "DXGI_ERROR_ALREADY_EXISTS",
    },
    Fault {
        file: "compiler.rs",
        old: "        SampleCount: UINT,\n        QualityLevel: UINT,\n",
        new: "        SampleCount: UINT,\n",
        owner: "PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS",
        item: "PFND3D12DDI_COMPILER_CHECK_MULTISAMPLE_QUALITY_LEVELS.QualityLevel",
    },
    Fault {
        file: "compiler.rs",
        old: "tableSize: SIZE_T,",
        new: "tableSize: UINT,",
        owner: "PFND3D12DDI_COMPILER_FILL_DDI_TABLE",
        item: "PFND3D12DDI_COMPILER_FILL_DDI_TABLE.tableSize",
    },
    Fault {
        file: "compiler.rs",
        old: "pTable: *const c_void,",
        new: "pTable: *mut c_void,",
        owner: "PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE",
        item: "PFND3D12DDI_COMPILER_SET_CALLBACK_DDI_TABLE.pTable",
    },
    Fault {
        file: "compiler.rs",
        old: "Option<unsafe extern \"system\" fn(hCompiler: D3D12DDI_HCOMPILER)>",
        new: "Option<unsafe extern \"C\" fn(hCompiler: D3D12DDI_HCOMPILER)>",
        owner: "PFND3D12DDI_COMPILER_DESTROY_COMPILER",
        item: "PFND3D12DDI_COMPILER_DESTROY_COMPILER",
    },
];

const USERMODE_SOURCE_FAULTS: [Fault; 3] = [
    Fault {
        file: "command_list.rs",
        old: "pub MinDepth: FLOAT,",
        new: "pub MinDepth: UINT64,",
        owner: "D3D12DDI_VIEWPORT",
        item: "D3D12DDI_VIEWPORT.MinDepth",
    },
    Fault {
        file: "bypass.rs",
        old: "pub pInterfaceVtable: *const c_void,",
        new: "pub pInterfaceVtable: *mut c_void,",
        owner: "D3D12DDI_RUNTIME_BYPASS_HEADER",
        item: "D3D12DDI_RUNTIME_BYPASS_HEADER.pInterfaceVtable",
    },
    Fault {
        file: "driver_state.rs",
        old: "D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED = 2,",
        new: "D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED = 0,",
        owner: "D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS",
        item: "D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_USED",
    },
];

const HEADER_FAULTS: [Fault; 4] = [
    Fault {
        file: "d3d12_compiler_ddi.h",
        old: "    UINT ViewportArrayIndex;\n    UINT RenderTargetArrayIndex;\n",
        new: "    UINT RenderTargetArrayIndex;\n    UINT ViewportArrayIndex;\n",
        owner: "D3D12DDI_VIEW_INSTANCE_LOCATION",
        item: "D3D12DDI_VIEW_INSTANCE_LOCATION.ViewportArrayIndex",
    },
    Fault {
        file: "d3d12_compiler_ddi.h",
        old: "D3D12DDI_ENUM(D3D12DDI_INPUT_CLASSIFICATION)",
        new: "typedef UINT64 D3D12DDI_INPUT_CLASSIFICATION; enum",
        owner: "D3D12DDI_INPUT_CLASSIFICATION",
        item: "D3D12DDI_INPUT_CLASSIFICATION",
    },
    Fault {
        file: "d3d12_compiler_ddi.h",
        old: "D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB = 2,",
        new: "D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB = 3,",
        owner: "D3D12DDI_COMPILER_CACHE_VALUE_TYPE",
        item: "D3D12DDI_COMPILER_CACHE_VALUE_TYPE_DEBUG_PDB",
    },
    Fault {
        file: "d3d12_compiler_ddi.h",
        old: "(D3D12DDI_APIENTRY *PFND3D12DDI_COMPILER_GET_CAPS)",
        new: "(*PFND3D12DDI_COMPILER_GET_CAPS)",
        owner: "PFND3D12DDI_COMPILER_GET_CAPS",
        item: "PFND3D12DDI_COMPILER_GET_CAPS",
    },
];

const USERMODE_HEADER_FAULTS: [Fault; 2] = [
    Fault {
        file: "d3d12_umd_ddi.h",
        old: "    UINT64 CreateAtVirtualAddress;",
        new: "    UINT CreateAtVirtualAddress;",
        owner: "D3D12DDIARG_CREATERESOURCE_0109",
        item: "D3D12DDIARG_CREATERESOURCE_0109.CreateAtVirtualAddress",
    },
    Fault {
        file: "d3d12_umd_ddi.h",
        old: "(D3D12DDI_APIENTRY *PFND3D12DDI_DISPATCH_0114)",
        new: "(*PFND3D12DDI_DISPATCH_0114)",
        owner: "PFND3D12DDI_DISPATCH_0114",
        item: "PFND3D12DDI_DISPATCH_0114",
    },
];

/// A copy of the files of `folder` with one fault.
fn copy(folder: &Path, fault: &Fault) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    copy_into(copy.path(), folder, fault);
    copy
}

fn copy_into(copy: &Path, folder: &Path, fault: &Fault) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if !entry.file_type().unwrap().is_file() {
            let folder = copy.join(entry.file_name());
            fs::create_dir(&folder).unwrap();
            copy_into(&folder, &entry.path(), fault);
            continue;
        }
        let mut text = fs::read_to_string(entry.path())
            .unwrap()
            .replace("\r\n", "\n");
        if entry.file_name() == fault.file {
            assert_eq!(text.matches(fault.old).count(), 1, "{}", fault.old);
            text = text.replace(fault.old, fault.new);
        }
        fs::write(copy.join(entry.file_name()), text).unwrap();
    }
}

fn assert_found(report: &Report, fault: &Fault) {
    let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    let findings = findings.join("\n");
    assert!(
        report
            .findings
            .iter()
            .any(|finding| finding.item == fault.item)
            && report
                .findings
                .iter()
                .all(|finding| finding.owner == fault.owner),
        "expected {} alone:\n{findings}",
        fault.item
    );
    println!("{findings}\n");
}

/// Each fault with the checker of its input.
fn with_checkers(
    faults: [(Input, &'static [Fault]); 2],
) -> impl Iterator<Item = (Rc<Checker>, &'static Fault)> {
    faults.into_iter().flat_map(|(input, faults)| {
        let checker = Rc::new(checker(input));
        faults.iter().map(move |fault| (Rc::clone(&checker), fault))
    })
}

#[test]
fn a_fault_in_the_source_is_named() {
    let root = workspace();
    let everyday = TARGETS.iter().find(|target| target.has_rust()).unwrap();
    let faults = [
        (Input::Plugin, &SOURCE_FAULTS[..]),
        (Input::Usermode, &USERMODE_SOURCE_FAULTS[..]),
    ];
    for (checker, fault) in with_checkers(faults) {
        let source = copy(&root.join("ddi-sys/src"), fault);
        let report = checker
            .check(source.path(), &root.join("headers"), &[everyday])
            .unwrap();
        assert_found(&report, fault);
    }
}

#[test]
fn a_fault_in_the_header_is_named() {
    let root = workspace();
    let faults = [
        (Input::Plugin, &HEADER_FAULTS[..]),
        (Input::Usermode, &USERMODE_HEADER_FAULTS[..]),
    ];
    for (checker, fault) in with_checkers(faults) {
        // Only 32-bit Windows has more than one calling convention.
        let is_convention = fault.new.starts_with("(*");
        let target = TARGETS.iter().find(|target| {
            let has_c = target.compilers_here().next().is_some();
            has_c && target.has_rust() && !(is_convention && target.is_64_bit)
        });
        let Some(target) = target else {
            println!("skipped {}: no C compiler can tell", fault.item);
            continue;
        };
        let header = copy(&root.join("headers"), fault);
        let report = checker
            .check(&root.join("ddi-sys/src"), header.path(), &[target])
            .unwrap();
        assert_found(&report, fault);
    }
}
