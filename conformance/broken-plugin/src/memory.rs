//! Defects in what is read of arguments, and how long they are remembered.

use std::mem::offset_of;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};

use ddi_sys::*;
use defects::{Place as _, follow, given, read, rewrite, rows, write};
use parking_lot::Mutex;

use crate::about::*;
use crate::compile::Compile;
use crate::compiler::{change, shaders};
use crate::need;
use crate::places::*;
use crate::session::words;
use crate::state_object::{Make, content, library_of, subobjects};

rows! {
    Hook, About;

    "memory-reads-past-program" breaks P_MEM_01: "the word behind the program of a pipeline that compiled is read",
        also P_PSO_17: "a program with damaged bitcode compiles, and ends at a guard page there",
        at Pipeline |call| call.after(|call, result| if result.is_ok() {
            given(call.desc).into_iter().flat_map(shaders).for_each(|(_, code)| past_program(code));
        });
    "memory-reads-before-program" breaks P_MEM_01: "the word in front of a program is read",
        at Pipeline |call| pipeline(call, |desc| shaders(desc).for_each(|(_, code)| read(code.wrapping_sub(1), 4)));
    "memory-reads-past-library" breaks P_MEM_01: "the word behind the program of a library that compiled is read",
        needs need::STATE_OBJECT, where NO_ADDITION,
        at Make |call| made(call, |desc| library_of(desc).into_iter().for_each(|it| past_program(it.pDXILLibrary)));
    "memory-reads-past-library-of-addition" breaks P_MEM_01:
        "the word behind the program of an addition's library that compiled is read",
        where ADDITION,
        at Make |call| made(call, |desc| library_of(desc).into_iter().for_each(|it| past_program(it.pDXILLibrary)));
    "memory-reads-past-exports" breaks P_MEM_01: "the export after the last one of a library is read",
        needs need::STATE_OBJECT,
        at Make |call| made(call, |desc| if let Some(library) = library_of(desc) {
            past(library.pExports, library.NumExports, 4);
        });
    "memory-reads-past-export-name" breaks P_MEM_01: "64 WCHARs of an export's name are copied, however long it is",
        needs need::STATE_OBJECT,
        at Make |call| made(call, |desc| {
            if let Some(library) = library_of(desc).filter(|library| library.NumExports > 0) {
                // SAFETY: there are as many exports as it says.
                read(unsafe { *library.pExports }.Name, 64 * size_of::<u16>());
            }
        });
    "memory-reads-past-state-object-desc" breaks P_MEM_01:
        "the description of a state object is copied as that of a newer version, which is larger",
        needs need::STATE_OBJECT, at Make |call| made(call, past_structure);
    "memory-reads-past-subobjects" breaks P_MEM_01: "the subobject after the last one of a state object is read",
        needs need::STATE_OBJECT,
        at Make |call| made(call, |desc| {
            // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the description is valid.
            read(unsafe { subobjects(desc) }.as_ptr_range().end, 4);
        });
    "memory-reads-past-summaries" breaks P_MEM_01:
        "the summary after that of the last export of a state object is read",
        needs need::STATE_OBJECT,
        at Make |call| made(call, |desc| {
            let summary = D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY;
            // SAFETY: PFND3D12DDI_COMPILER_COMPILE_CREATE_STATE_OBJECT: the content of that type.
            let summary: Option<D3D12DDI_FUNCTION_SUMMARY_0054> = unsafe { content(desc, summary) };
            summary.into_iter().for_each(|summary| past(summary.pSummaries, summary.NumExportedFunctions, 4));
        });
    "memory-reads-past-desc" breaks P_MEM_01:
        "a pipeline description is copied as that of a newer version, which is larger",
        at Pipeline |call| pipeline(call, |desc| past_structure(desc));
    "memory-reads-past-root-parameters" breaks P_MEM_01: "the root parameter after the last one is read",
        at Pipeline |call| pipeline(call, |desc| if let Some(content) = root_signature(desc) {
            let parameters = content.pRootParameters;
            past(parameters, content.NumParameters, size_of_val(&parameters));
        });
    "memory-reads-past-signature" breaks P_MEM_01:
        "the entry after the last one of a vertex shader's input signature is read",
        at Pipeline |call| pipeline(call, past_signature);
    "memory-reads-past-elements" breaks P_MEM_01: "the element after the last one of an input layout is read",
        at Pipeline |call| pipeline(call, |desc| {
            let layout = given::<D3D12DDIARG_CREATEELEMENTLAYOUT_0010>(desc.hElementLayout.pDrvPrivate.cast());
            layout.into_iter().for_each(|layout| past(layout.pVertexElements, layout.NumElements, 4));
        });
    "memory-reads-past-target" breaks P_MEM_01:
        "pfnCheckFormatSupport copies a target as that of a newer version, which is larger",
        at CheckFormat |call| call.before(|call| past_structure(call.target));
    "memory-reads-before-target" breaks P_MEM_01: "pfnCalcPrivateCompilerSize reads what is in front of the target",
        at CalcSize |call| call.before(|call| if !call.target.is_null() {
            read(call.target.wrapping_byte_sub(4), 4);
        });
    "memory-reads-past-application" breaks P_MEM_01:
        "pfnGetCaps copies an application as that of a newer version, which is larger",
        at GetCaps |call| call.before(|call| past_structure(call.application));
    "memory-reads-past-exe" breaks P_MEM_01: "pfnGetApplicationProfileVersion copies 260 WCHARs of pExeFilename",
        at GetProfile |call| call.before(|call| given(call.application).into_iter().for_each(|it| read(it.pExeFilename, 260 * size_of::<u16>())));
    "memory-reads-past-name" breaks P_MEM_01: "pfnCreateCompiler reads the WCHAR behind the terminator of pName",
        at Create past_name;
    "memory-keeps-target-of-formats" breaks P_MEM_02: "pfnCheckFormatSupport reads the target of the call before",
        at CheckFormat |call| call.before(|call| keep(call.target));
    "memory-keeps-engine-of-caps" breaks P_MEM_02: "pfnGetCaps reads pEngineName of the call before",
        at GetCaps |call| call.before(|call| given(call.application).into_iter().for_each(|application| keep(application.pEngineName)));
    "memory-keeps-name-of-profile" breaks P_MEM_02: "pfnGetApplicationProfileVersion reads pName of the call before",
        at GetProfile |call| call.before(|call| given(call.application).into_iter().for_each(|application| keep(application.pName)));
    "memory-keeps-target-of-size" breaks P_MEM_02: "pfnCalcPrivateCompilerSize reads the target of the call before",
        at CalcSize |call| call.before(|call| keep(call.target));
    "memory-keeps-desc" breaks P_MEM_02: "a compile reads the pipeline description of the compile before",
        at Pipeline |call| pipeline(call, |desc| keep(desc));
    "memory-keeps-program" breaks P_MEM_02: "a compile reads the program of the compile before",
        at Pipeline |call| pipeline(call, |desc| shaders(desc).take(1).for_each(|(_, code)| keep(code)));
    "memory-keeps-root-signature" breaks P_MEM_02: "a compile reads the root signature of the compile before",
        at Pipeline |call| pipeline(call, |desc| keep(desc.hRootSignature.pDrvPrivate));
    "memory-target-by-address" breaks P_MEM_03: "pfnGetCaps takes the target for what was first at its address",
        at GetCaps target_by_address;
    "memory-compiler-by-address" breaks P_MEM_03: "a compiler compiles for the target of the first one in its memory",
        needs need::TWO_TARGETS,
        also P_CMP_09: "its compilers are in memory that held others",
        at Create |call| call.after(|call, _| {
            let memory = call.compiler.pDrvPrivate.addr();
            let (family, abi) = call.about().unwrap_or_default().family_and_abi();
            let content = [family.into(), abi].map(u64::to_ne_bytes).concat();
            let is_another = was_another(memory, &content);
            change(memory, |own| own.kept = is_another.into());
        }),
        at Compile |call| if call.own.kept == 1 { call.store_anything() } else { call.pass() };
    "memory-desc-by-address" breaks P_MEM_03: "a pipeline description is taken for the first one at its address",
        at Compile |call| by_address(call, |desc| was_another(ptr::from_ref(desc).addr(), bytes_of(desc)));
    "memory-shader-by-address" breaks P_MEM_03: "a shader is taken for the first one that its handle was of",
        at Compile |call| by_address(call, |desc| {
            [desc.hVertexShader, desc.hPixelShader, desc.hComputeShader].into_iter().any(|handle| {
                let shader = given::<D3D12DDIARG_CREATE_SHADER_0026>(handle.pDrvPrivate.cast());
                shader.is_some_and(|shader| was_another(handle.pDrvPrivate.addr(), &shader.ShaderCodeHash.Hash))
            })
        });
    "memory-program-by-address" breaks P_MEM_03: "a program is taken for the first one at its address",
        at Compile |call| by_address(call, |desc| shaders(desc).any(|(_, code)| {
            let program = words(code).iter().flat_map(|word| word.to_ne_bytes());
            was_another(code.addr(), &program.collect::<Vec<_>>())
        }));
    "memory-root-signature-by-address" breaks P_MEM_03:
        "a root signature is taken for the first one that its handle was of",
        at Compile |call| by_address(call, |desc| {
            let root = given::<D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100>(desc.hRootSignature.pDrvPrivate.cast());
            root.is_some_and(|root| was_another(ptr::from_ref(root).addr(), bytes_of(root)))
        });
    "memory-aligns-without-room" breaks P_MEM_04:
        "a compiler begins at the next multiple of 16 in its memory, which has no room for that",
        at Create |call| {
            let memory = call.compiler.pDrvPrivate;
            let offset = memory.addr().next_multiple_of(16) - memory.addr();
            if offset != 0 {
                write(memory.wrapping_byte_add(offset + call.size() - 1), 0_u8);
            }
            call.pass()
        };
    "memory-refuses-unaligned" notes P_MEM_04 "aligned to 8 is refused":
        "private memory that is not aligned to 16 bytes gets E_INVALIDARG",
        at Create |call| call.answer_if(!call.compiler.pDrvPrivate.addr().is_multiple_of(16), E_INVALIDARG);
    "memory-faults-unaligned" notes P_MEM_04 "a host has to align it to 16":
        "private memory that is not aligned to 16 bytes is a fault of the processor",
        at Create |call| call.before(|call| if !call.compiler.pDrvPrivate.addr().is_multiple_of(16) {
            follow(ptr::null::<u8>());
        });
    "memory-count-of-versions" breaks P_MEM_05: "pfnGetSupportedVersions writes its count as 64 bits",
        at GetVersions |call| call.before(|call| write_behind(call.count));
    "memory-count-of-abi-versions" breaks P_MEM_05: "pfnGetAdapterFamilyABIVersions writes its count as 64 bits",
        at GetAbiVersions |call| call.before(|call| write_behind(call.count));
    "memory-writes-past-compiler-version" breaks P_MEM_05: "pfnGetCompilerVersion writes behind the version",
        at GetCompilerVersion |call| call.before(|call| write_behind(call.version));
    "memory-writes-past-profile-version" breaks P_MEM_05: "pfnGetApplicationProfileVersion writes behind the version",
        at GetProfile |call| call.before(|call| write_behind(call.version));
    "memory-profile-writes-target" breaks P_MEM_05: "pfnGetApplicationProfileVersion writes to its target",
        at GetProfile |call| call.before(|call| rewrite(call.target));
    "memory-samples-write-target" breaks P_MEM_05: "pfnCheckMultisampleQualityLevels writes to its target",
        at CheckSamples |call| call.before(|call| rewrite(call.target));
}

type Desc = D3D12DDIARG_CREATE_PIPELINE_STATE_0099;

/// Uses the description of a pipeline, and compiles it.
fn pipeline(call: &mut Pipeline, use_it: fn(&Desc)) -> HRESULT {
    given(call.desc).into_iter().for_each(use_it);
    call.pass()
}

/// Makes a state object, and uses the description if that succeeded.
fn made(call: &mut Make, use_it: fn(crate::state_object::Desc)) -> HRESULT {
    call.after(|call, result| {
        if result.is_ok() {
            use_it(call.desc);
        }
    })
}

/// Reads so many bytes behind the last entry of an array that is not empty.
fn past<T>(first: *const T, count: UINT, bytes: usize) {
    if count > 0 {
        read(first.wrapping_add(count as usize), bytes);
    }
}

/// Reads a structure as a larger one.
fn past_structure<T>(structure: *const T) {
    if !structure.is_null() {
        read(structure, size_of::<T>() + 8);
    }
}

/// Reads the word behind a program, whose second word is its length.
fn past_program(code: *const u32) {
    read(words(code).as_ptr_range().end, 4);
}

fn root_signature(desc: &Desc) -> Option<&D3D12DDI_ROOT_SIGNATURE_0100> {
    let root: &D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 =
        given(desc.hRootSignature.pDrvPrivate.cast())?;
    // SAFETY: the host's root signatures have version 1.2.
    given(unsafe { root.Anonymous.pRootSignature_1_2 })
}

fn past_signature(desc: &Desc) {
    let vertex = given::<D3D12DDIARG_CREATE_SHADER_0026>(desc.hVertexShader.pDrvPrivate.cast());
    // SAFETY: a vertex shader has this arm of the union, which is null or valid.
    let io = vertex.and_then(|vertex| given(unsafe { vertex.IOSignatures.Standard }));
    if let Some(io) = io {
        // SAFETY: both arms of the union are the same pointer.
        let entries = unsafe { io.Anonymous1.pInputSignature };
        past(entries, io.NumInputSignatureEntries, 4);
    }
}

fn past_name(call: &mut Create) -> HRESULT {
    if let Some(application) = given(call.application).filter(|it| !it.pName.is_null()) {
        // SAFETY: the name ends with a NUL.
        let is_end = |at: &usize| unsafe { *application.pName.add(*at) } == 0;
        let end = (0..usize::MAX).find(is_end).unwrap_or_default();
        read(application.pName.wrapping_add(end + 1), 1);
    }
    call.pass()
}

/// Reads what the call before left, and leaves something for the next one.
fn keep<T>(pointer: *const T) {
    /// As an address; 0 for nothing.
    static KEPT: AtomicUsize = AtomicUsize::new(0);
    let before = KEPT.swap(pointer.expose_provenance(), Ordering::Relaxed);
    if before != 0 {
        read(ptr::with_exposed_provenance::<u8>(before), 1);
    }
}

/// Whether something else was at this address when it was first seen there.
fn was_another(address: usize, content: &[u8]) -> bool {
    static FIRST: Mutex<Vec<(usize, Vec<u8>)>> = Mutex::new(Vec::new());
    let mut first = FIRST.lock();
    if let Some((_, known)) = first.iter().find(|(at, _)| *at == address) {
        return known != content;
    }
    first.push((address, content.to_vec()));
    false
}

/// The bytes of a structure of the host's, which it initialised as bytes.
fn bytes_of<T>(structure: &T) -> &[u8] {
    // SAFETY: there are no uninitialised bytes in it.
    unsafe { slice::from_raw_parts(ptr::from_ref(structure).cast(), size_of::<T>()) }
}

/// Takes a pipeline for another one, and stores something else.
fn by_address(call: &mut Compile, is_another: fn(&Desc) -> bool) -> HRESULT {
    if call.state.about.pipeline().is_some_and(is_another) {
        call.store_anything()
    } else {
        call.pass()
    }
}

fn target_by_address(call: &mut GetCaps) -> HRESULT {
    static FIRST: Mutex<Vec<(usize, D3D12DDI_COMPILER_TARGET)>> = Mutex::new(Vec::new());
    let Some(target) = given(call.target).copied() else {
        return call.pass();
    };
    let (address, mut first) = (call.target.addr(), FIRST.lock());
    let known = first.iter().find(|(at, _)| *at == address).copied();
    let (_, known) = known.unwrap_or((address, target));
    first.push((address, known));
    call.target = &raw const known;
    call.pass()
}

/// Writes behind a number that a call answers with.
fn write_behind<T>(number: *mut T) {
    if !number.is_null() {
        write(number.wrapping_add(1), 0_u32);
    }
}

/// The padding of a target; there is none in 32-bit processes.
pub(crate) fn padding(target: *const D3D12DDI_COMPILER_TARGET) -> u64 {
    let start = offset_of!(D3D12DDI_COMPILER_TARGET, AdapterFamilyIndex) + size_of::<UINT>();
    let end = offset_of!(D3D12DDI_COMPILER_TARGET, ABIVersion);
    if target.is_null() {
        return 0;
    }
    // SAFETY: inside the host's structure, which it initialised as bytes.
    let byte = |at| unsafe { target.cast::<u8>().add(at).read_volatile() };
    (start..end).map(|at| u64::from(byte(at))).sum()
}
