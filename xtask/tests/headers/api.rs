//! The API's header: alone and beside others, and with the recorded layout and slots.

use std::fs;
use std::path::Path;
use std::process::Command;

use object::{Object, ObjectSection, ObjectSymbol};
use xtask::facts::{Facts, Interface};
use xtask::input::Input;
use xtask::source::{Declarations, Docs};
use xtask::toolchain::{TARGETS, Target};
use xtask::workspace;

use crate::{MICROSOFTS, check, compile, for_each_compiler, generated, headers};

const OURS: &str = "#include \"d3d12_compiler_api.h\"\n";
const ALONE: &str = "#define D3D12_COMPILER_API_ALONE\n#include \"d3d12_compiler_api.h\"\n";
const DDI: &str = "#include \"d3d12_compiler_ddi.h\"\n";

fn facts() -> Facts {
    Facts::read(&Input::Api.tables(), Input::Api).unwrap()
}

/// The compiler cannot ask for it: `interface` leaves what it generates undocumented.
#[test]
fn what_is_written_by_hand_has_documentation() {
    let source = Input::Api.source();
    let api = Declarations::read(&source, Input::Api).unwrap();
    let generated = fs::read_to_string(source.join("d3d12.rs")).unwrap();
    let mut items: Vec<(String, &Docs)> = Vec::new();
    for record in &api.records {
        items.push((record.name.clone(), &record.docs));
        let fields = record.fields.iter();
        items.extend(fields.map(|field| (format!("{}.{}", record.name, field.name), &field.docs)));
    }
    for interface in &api.interfaces {
        let name = &interface.name;
        items.push((name.clone(), &interface.docs));
        let methods = interface.methods.iter();
        items.extend(methods.map(|method| (format!("{name}::{}", method.name), &method.docs)));
    }
    for item in &api.enums {
        items.push((item.name.clone(), &item.docs));
        let enumerators = item.enumerators.iter();
        items.extend(enumerators.map(|own| (own.name.clone(), &own.docs)));
    }
    let functions = api.functions.iter();
    items.extend(functions.map(|item| (item.name.clone(), &item.docs)));
    let guids = api.guids.iter();
    items.extend(guids.map(|item| (item.name.clone(), &item.docs)));
    let constants = api.constants.iter();
    items.extend(constants.map(|item| (item.name.clone(), &item.docs)));

    let owner = |name: &str| name.split(['.', ':']).next().unwrap_or_default().to_owned();
    items.retain(|(name, _)| !generated.contains(&format!(" {}", owner(name))));
    let bare = items.iter().filter(|(_, docs)| docs.is_empty());
    let bare: Vec<&String> = bare.map(|(name, _)| name).collect();
    assert!(bare.is_empty(), "{bare:?}");
    assert!(items.len() > 200, "{}", items.len());
}

/// What a client does, in C and in C++.
pub const USE: &str = r"
#if defined(__cplusplus) && !defined(CINTERFACE)
HRESULT open(PFN_D3D12_COMPILER_CREATE_FACTORY create, D3D12_COMPILER_PCWSTR path, ID3D12Compiler **compiler)
{
    ID3D12CompilerFactory *factory;
    HRESULT result = create(path, D3D12_COMPILER_IID_PPV_ARGS(&factory));
    if (FAILED(result))
        return result;
    D3D12_ADAPTER_FAMILY family;
    result = factory->EnumerateAdapterFamilies(0, &family);
    ID3D12CompilerCacheSession *session;
    D3D12_COMPILER_DATABASE_PATH database = {D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE, path};
    D3D12_COMPILER_TARGET target = {0, 0};
    if (SUCCEEDED(result))
        result = factory->CreateCompilerCacheSession(
            &database, 1, &target, nullptr, D3D12_COMPILER_IID_PPV_ARGS(&session));
    if (SUCCEEDED(result))
    {
        target = D3D12CompilerCacheSessionTarget(session);
        result = factory->CreateCompiler(session, D3D12_COMPILER_IID_PPV_ARGS(compiler));
        session->Release();
    }
    factory->Release();
    return result;
}
#else
HRESULT open(PFN_D3D12_COMPILER_CREATE_FACTORY create, D3D12_COMPILER_PCWSTR path, ID3D12Compiler **compiler);
HRESULT open(PFN_D3D12_COMPILER_CREATE_FACTORY create, D3D12_COMPILER_PCWSTR path, ID3D12Compiler **compiler)
{
    ID3D12CompilerFactory *factory;
    ID3D12CompilerCacheSession *session;
    D3D12_COMPILER_DATABASE_PATH database = {D3D12_COMPILER_VALUE_TYPE_FLAGS_OBJECT_CODE, path};
    D3D12_COMPILER_TARGET target = {0, 0};
#ifdef __cplusplus
#define IID_AS_ARGUMENT(iid) iid
#else
#define IID_AS_ARGUMENT(iid) &iid
#endif
    HRESULT result = create(path, IID_AS_ARGUMENT(IID_ID3D12CompilerFactory), (void **)&factory);
    if (FAILED(result))
        return result;
    result = ID3D12CompilerFactory_CreateCompilerCacheSession(
        factory, &database, 1, &target, NULL, IID_AS_ARGUMENT(IID_ID3D12CompilerCacheSession),
        (void **)&session);
    if (SUCCEEDED(result))
    {
        target = D3D12CompilerCacheSessionTarget(session);
        result = ID3D12CompilerFactory_CreateCompiler(
            factory, session, IID_AS_ARGUMENT(IID_ID3D12Compiler), (void **)compiler);
        ID3D12CompilerCacheSession_Release(session);
    }
    ID3D12CompilerFactory_Release(factory);
    return result;
}
#endif

struct stream
{
    D3D12_PIPELINE_STATE_SUBOBJECT_TYPE type;
    D3D12_SERIALIZED_ROOT_SIGNATURE_DESC desc;
};
int descriptions(const D3D12_SHADER_NODE *node, const D3D12_APPLICATION_DESC *application);
int descriptions(const D3D12_SHADER_NODE *node, const D3D12_APPLICATION_DESC *application)
{
    struct stream stream = {D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_SERIALIZED_ROOT_SIGNATURE, {NULL, 0}};
    D3D12_STATE_SUBOBJECT subobject = {
        D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION_BY_KEY, &stream.desc};
    return node->pThreadLaunchOverrides != NULL && application->Version.VersionParts[3] == 1
        && subobject.pDesc != NULL;
}
";

#[test]
fn the_header_compiles_alone_and_beside_others() {
    for_each_compiler(|target, compiler| {
        let mut orders = vec![
            OURS.to_owned(),
            ALONE.to_owned(),
            format!("{OURS}{OURS}"),
            format!("{DDI}{OURS}"),
            format!("{OURS}{DDI}"),
            format!("#define CINTERFACE\n{OURS}"),
        ];
        if target.is_windows {
            // It has no type of d3d12.h, and the blob too.
            orders.push(format!("{OURS}#include <d3d11.h>\n"));
            orders.push(format!("#define CINTERFACE\n{MICROSOFTS}{OURS}"));
        }
        for includes in orders {
            let text = format!("{includes}{USE}");
            check(compiler, &text, &[]).unwrap();
        }
    });
}

/// What only Microsoft's preview has: `D3D12_VERSION_NUMBER` has it where that is this header's own.
const PREVIEW: &str = r"
int preview(D3D12_VERSION_NUMBER version);
int preview(D3D12_VERSION_NUMBER version)
{
    D3D12_PIPELINE_STATE_FLAGS halt = D3D12_PIPELINE_STATE_FLAG_DEBUG_BREAK_ALWAYS_HALT;
    D3D12_PIPELINE_STATE_FLAGS nop = D3D12_PIPELINE_STATE_FLAG_DEBUG_BREAK_FORCE_NOP;
    D3D12_NODE_TYPE type = D3D12_NODE_TYPE_PROGRAM;
    D3D12_WORK_GRAPH_FLAGS flags =
        D3D12_WORK_GRAPH_FLAG_ENTRYPOINT_GRAPHICS_NODES_RASTERIZE_IN_ORDER;
    UINT16 major = version.VersionParts[D3D12_VERSION_PART_MAJOR];
#if D3D12_COMPILER_API_SDK == 0
    major = version.Components.Major;
#endif
    version.Version = D3D12_MAKE_VERSION_NUMBER(major, 2, 3, 4);
    return (int)halt + (int)nop + (int)type + (int)flags + version.VersionParts[0];
}
";

#[test]
fn names_of_the_preview_are_there_without_it() {
    for_each_compiler(|target, compiler| {
        let mut orders = vec![OURS.to_owned(), ALONE.to_owned()];
        if target.is_windows {
            orders.push(format!("{MICROSOFTS}{OURS}"));
        }
        for includes in orders {
            let text = format!("{includes}{PREVIEW}");
            check(compiler, &text, &[]).unwrap();
        }
    });
}

/// What the lines of docs/differences.md use.
const LINES: &str = "
void lines(
    ID3D12CompilerFactory *factory, ID3D12CompilerCacheSession *session, ID3D12Compiler *compiler,
    ID3D12CompilerStateObject *parent, ID3D12StateObjectDatabase *database,
    D3D12CompilerCacheSessionAllocationFunc allocate, LPCWSTR path, REFIID iid, void **place,
    const void *bytes, UINT size, D3D12_COMPILER_VALUE_TYPE_FLAGS types)
{
    D3D12_COMPILER_CACHE_GROUP_KEY key = {};
    D3D12_COMPILER_CACHE_VALUE_KEY value = {};
    D3D12_COMPILER_CACHE_TYPED_VALUE values[2] = {};
    D3D12_COMPILER_CACHE_CONST_VALUE constant = {};
    D3D12_PIPELINE_STATE_STREAM_DESC stream = {};
    D3D12_STATE_OBJECT_DESC object = {};
    D3D12_APPLICATION_DESC application = {};
    D3D12_COMPILER_TARGET target = {};
    D3D12_ADAPTER_FAMILY family = {};
    D3D12_VERSION_NUMBER version = {};
";

/// The lines of docs/differences.md: the header's compile, the specification's do not.
#[test]
fn the_differences_are_as_documented() {
    let text = fs::read_to_string(workspace().join("docs/differences.md")).unwrap();
    let refused = |line: &str| {
        let text = format!("{OURS}{LINES}    {line}\n}}\n");
        let compiler = TARGETS[0].compilers_here().next()?;
        // Not everything is used.
        check((compiler.cpp, "c++17"), &text, &["-w"]).err()
    };
    let section = |title: &str| {
        let (_, section) = text.split_once(&format!("## {title}\n")).expect(title);
        section.split("\n## ").next().unwrap_or_default().to_owned()
    };
    let lines = |section: &str| {
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.map(|row| {
            let cells = row
                .split('|')
                .map(|cell| cell.trim().trim_matches('`').to_owned());
            cells.collect::<Vec<String>>()
        });
        cells.collect::<Vec<_>>()
    };
    let (differences, aliases) = {
        let section = section("Line by line");
        let (differences, aliases) = section.split_once("Both of these").unwrap();
        (lines(differences), lines(aliases))
    };
    assert_eq!((differences.len(), aliases.len()), (13, 1));
    for row in differences {
        assert_eq!(refused(&row[2]), None);
        if TARGETS[0].compilers_here().next().is_some() {
            assert!(refused(&row[1]).is_some(), "{}", row[1]);
        }
    }
    let additions = lines(&section("What only the header has"));
    assert_eq!(additions.len(), 8);
    for row in additions {
        assert_eq!(refused(&row[1]), None);
    }
    for line in &aliases[0][1..3] {
        assert_eq!(refused(line), None);
    }
}

/// A header as Microsoft's begins.
const LATER: &str = "#ifndef __d3d12_h__
#define __d3d12_h__
typedef enum D3D12_COMMAND_LIST_TYPE {
    D3D12_COMMAND_LIST_TYPE_DIRECT = 0
} D3D12_COMMAND_LIST_TYPE;
typedef enum D3D12_FILL_MODE { D3D12_FILL_MODE_WIREFRAME = 2 } D3D12_FILL_MODE;
typedef struct D3D12_SHADER_BYTECODE { const void *pShaderBytecode; } D3D12_SHADER_BYTECODE;
#endif
";

#[test]
fn a_wrong_order_of_headers_is_named_first() {
    const MESSAGE: &str = "d3d12.h must be included before d3d12_compiler_api.h";
    let folder = tempfile::tempdir().unwrap();
    let later = folder.path();
    fs::write(later.join("d3d12.h"), LATER).unwrap();
    let later = later.to_str().unwrap();
    for_each_compiler(|target, compiler| {
        for include in ["<d3d12.h>", "\"d3d12.h\""] {
            let text = format!("{ALONE}#include {include}\n");
            let options = ["-I", later];
            let refused = check(compiler, &text, &options).unwrap_err();
            let mut errors = refused.lines().filter(|line| line.contains("error: "));
            let first = errors.next().unwrap_or_default();
            assert!(first.contains(MESSAGE), "{refused}");
            // GCC goes on.
            assert!(
                !compiler.0.contains("clang") || errors.next().is_none(),
                "{refused}"
            );
        }
        if target.is_windows {
            let text = format!("{ALONE}{MICROSOFTS}");
            let refused = check(compiler, &text, &[]).unwrap_err();
            assert!(refused.contains(MESSAGE), "{refused}");
        }
    });
}

/// Clang as Visual Studio's compiler, which has no `_Pragma` for errors but another way.
#[test]
fn a_wrong_order_of_headers_is_all_that_visual_studio_says() {
    let here = TARGETS.iter().flat_map(Target::compilers_here);
    if !here
        .into_iter()
        .any(|compiler| compiler.c.contains("clang"))
    {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("directx")).unwrap();
    for name in ["d3d12.h", "directx/d3d12.h"] {
        fs::write(folder.path().join(name), LATER).unwrap();
    }
    for name in ["windows.h", "unknwn.h", "dxgicommon.h", "dxgiformat.h"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    for include in [
        "<d3d12.h>",
        "\"d3d12.h\"",
        "<directx/d3d12.h>",
        "\"directx/d3d12.h\"",
    ] {
        // Only the preprocessor: there is no windows.h.
        let source = folder.path().join("test.cpp");
        fs::write(&source, format!("{ALONE}#include {include}\n")).unwrap();
        let output = Command::new("clang++")
            .args(["--target=x86_64-pc-windows-msvc", "-E", "-I"])
            .arg(headers())
            .arg("-I")
            .args([folder.path(), &source])
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{include}: {messages}");
        assert!(
            messages.contains("'d3d12.h must be included before d3d12_compiler_api.h'"),
            "{messages}"
        );
        assert_eq!(messages.matches("error: ").count(), 1, "{messages}");
    }
}

#[test]
fn the_layout_is_as_recorded() {
    let assertions = generated("api_layout_check.c");
    for_each_compiler(|target, compiler| {
        check(compiler, &assertions, &[]).unwrap();
        if target.is_windows {
            let beside = format!("{MICROSOFTS}{assertions}");
            check(compiler, &beside, &[]).unwrap();
            check(compiler, &assertions, &["-DD3D12_COMPILER_API_ALONE"]).unwrap();
        }
    });
}

/// What is wrong with the header, and what the compiler's message must say; whether C or C++ sees it.
const FAULTS: [(&str, &str, &str, &str); 7] = [
    (
        "    UINT AdapterFamilyIndex;\n",
        "    UINT64 AdapterFamilyIndex;\n",
        "type of D3D12_COMPILER_TARGET.AdapterFamilyIndex",
        "c++17",
    ),
    (
        "    UINT ViewportArrayIndex;\n    UINT RenderTargetArrayIndex;\n",
        "    UINT RenderTargetArrayIndex;\n    UINT ViewportArrayIndex;\n",
        "offset of D3D12_VIEW_INSTANCE_LOCATION.ViewportArrayIndex",
        "c11",
    ),
    (
        "    D3D12_COMPILER_VALUE_TYPE_DEBUG_PDB = 2,\n",
        "    D3D12_COMPILER_VALUE_TYPE_DEBUG_PDB = 3,\n",
        "D3D12_COMPILER_VALUE_TYPE_DEBUG_PDB",
        "c11",
    ),
    (
        "{0x8c403c12, 0x993b,",
        "{0x8c403c12, 0x993c,",
        "ID3D12Compiler",
        "c++17",
    ),
    (
        "    virtual HRESULT D3D12_COMPILER_APIENTRY FindGroup(\n        const D3D12_COMPILER_CACHE_GROUP_KEY *pGroupKey,\n        UINT *pGroupVersion)",
        "    virtual HRESULT D3D12_COMPILER_APIENTRY FindGroup(\n        const D3D12_COMPILER_CACHE_GROUP_KEY *pGroupKey,\n        const UINT *pGroupVersion)",
        "ID3D12CompilerCacheSession::FindGroup",
        "c++17",
    ),
    (
        "(D3D12_COMPILER_APIENTRY *D3D12CompilerCacheSessionAllocationFunc)(\n    SIZE_T SizeInBytes,",
        "(D3D12_COMPILER_APIENTRY *D3D12CompilerCacheSessionAllocationFunc)(\n    const UINT *SizeInBytes,",
        "D3D12CompilerCacheSessionAllocationFunc",
        "c++17",
    ),
    (
        "typedef struct ID3D12CompilerStateObjectVtbl\n{\n",
        "typedef struct ID3D12CompilerStateObjectVtbl\n{\n    void *first;\n",
        "slot of ID3D12CompilerStateObject::GetCompiler",
        "c11",
    ),
];

#[test]
fn a_fault_in_the_header_is_named() {
    let assertions = generated("api_layout_check.c");
    let header = generated("d3d12_compiler_api.h");
    for (old, new, message, seen_by) in FAULTS {
        assert!(header.contains(old), "{old}");
        let folder = tempfile::tempdir().unwrap();
        let faulty = header.replace(old, new);
        fs::write(folder.path().join("d3d12_compiler_api.h"), faulty).unwrap();
        let mut targets = TARGETS.iter();
        let Some(compiler) = targets.find_map(|target| target.compilers_here().next()) else {
            return;
        };
        let program = if seen_by == "c11" {
            compiler.c
        } else {
            compiler.cpp
        };
        let result = compile(
            (program, seen_by),
            folder.path(),
            &assertions,
            &["-fsyntax-only"],
        );
        let messages = result.expect_err(message);
        assert!(messages.contains(message), "{messages}");
    }
}

/// The slots that a C++ compiler gives the methods of the abstract classes. In its ABI a pointer to a
/// virtual method is one more than the method's offset in the table.
#[test]
fn the_slots_of_cpp_are_as_recorded() {
    let facts = facts();
    let methods: Vec<(&Interface, _)> = facts
        .interfaces
        .iter()
        .flat_map(|interface| {
            interface
                .methods
                .iter()
                .map(move |method| (interface, method))
        })
        .collect();
    let names = methods.iter().enumerate();
    let names: Vec<(String, String)> = names
        .map(|(at, (interface, method))| {
            let pointer = format!("&{}::{}", interface.name, method.name);
            (format!("decltype({pointer}) m{at};"), pointer)
        })
        .collect();
    let (types, values): (Vec<_>, Vec<_>) = names.into_iter().unzip();
    let text = format!(
        "{OURS}struct Slots {{ {} }};\nextern const Slots slots;\nconst Slots slots = {{ {} }};\n",
        types.join(" "),
        values.join(", ")
    );
    for target in &TARGETS {
        for compiler in target.compilers_here() {
            let folder = tempfile::tempdir().unwrap();
            let object = folder.path().join("slots.o");
            let arguments = ["-c", "-o", object.to_str().unwrap()];
            compile((compiler.cpp, "c++17"), &headers(), &text, &arguments).unwrap();

            let word = if target.is_64_bit { 8 } else { 4 };
            let pointers = words(&object, word, 2 * methods.len());
            for ((interface, method), pointer) in methods.iter().zip(pointers.chunks(2)) {
                assert_eq!(
                    pointer,
                    [u64::from(method.slot) * word as u64 + 1, 0],
                    "{}: {}::{}",
                    compiler.cpp,
                    interface.name,
                    method.name
                );
            }
        }
    }
}

/// The numbers of the table `slots` in an object file.
fn words(object: &Path, word: usize, len: usize) -> Vec<u64> {
    let bytes = fs::read(object).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let symbol = file.symbols().find(|symbol| {
        let name = symbol.name().unwrap_or_default();
        name.trim_start_matches('_').starts_with("slots") || name.ends_with("slots")
    });
    let symbol = symbol.expect("a table");
    let section = file
        .section_by_index(symbol.section_index().unwrap())
        .unwrap();
    let start = usize::try_from(symbol.address() - section.address()).unwrap();
    let data = &section.data().unwrap()[start..start + word * len];
    data.chunks(word)
        .map(|word| {
            word.iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte))
        })
        .collect()
}
