//! Defects in what is read of arguments, and how long they are remembered.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use base_plugin::{defects, follow};
use ddi_sys::{
    D3D12DDI_APPLICATION_DESC, D3D12DDI_COMPILER_TARGET, D3D12DDI_FUNCTION_SUMMARY_0054,
    D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY, D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100, D3D12DDIARG_CREATE_SHADER_0026,
    D3D12DDIARG_CREATEELEMENTLAYOUT_0010, E_INVALIDARG, HRESULT,
};

use crate::compiler::shaders;
use crate::defect::{Defect, selected};
use crate::state_object::{Desc, content, library, subobjects};

/// The defects of this file.
#[macro_export]
macro_rules! memory_defects {
    ($take:ident) => {
        $take! {
            /// In what is read beside arguments, in pointers that are kept, in what is known by its address, and in the
            /// alignment of private memory.
            Memory {
                PastProgram = "memory-reads-past-program" breaks P_MEM_01:
                    "the word behind the program of a pipeline that compiled is read",
                    also P_PSO_17 because "a program with damaged bitcode compiles, and ends at a guard page there";
                BeforeProgram = "memory-reads-before-program" breaks P_MEM_01:
                    "the word in front of a program is read";
                PastLibrary = "memory-reads-past-library" breaks P_MEM_01:
                    "the word behind the program of a library that compiled is read",
                    where StateObject;
                PastLibraryOfAddition = "memory-reads-past-library-of-addition" breaks P_MEM_01:
                    "the word behind the program of an addition's library that compiled is read",
                    where Addition;
                PastExports = "memory-reads-past-exports" breaks P_MEM_01:
                    "the export after the last one of a library is read",
                    where StateObject;
                PastExportName = "memory-reads-past-export-name" breaks P_MEM_01:
                    "64 WCHARs of an export's name are copied, however long it is",
                    where StateObject;
                PastStateObject = "memory-reads-past-state-object-desc" breaks P_MEM_01:
                    "the description of a state object is copied as that of a newer version, which is larger",
                    where StateObject;
                PastSubobjects = "memory-reads-past-subobjects" breaks P_MEM_01:
                    "the subobject after the last one of a state object is read",
                    where StateObject;
                PastSummaries = "memory-reads-past-summaries" breaks P_MEM_01:
                    "the summary after that of the last export of a state object is read",
                    where StateObject;
                PastDesc = "memory-reads-past-desc" breaks P_MEM_01:
                    "a pipeline description is copied as that of a newer version, which is larger";
                PastRootParameters = "memory-reads-past-root-parameters" breaks P_MEM_01:
                    "the root parameter after the last one is read";
                PastSignature = "memory-reads-past-signature" breaks P_MEM_01:
                    "the entry after the last one of a vertex shader's input signature is read";
                PastElements = "memory-reads-past-elements" breaks P_MEM_01:
                    "the element after the last one of an input layout is read";
                PastTarget = "memory-reads-past-target" breaks P_MEM_01:
                    "pfnCheckFormatSupport copies a target as that of a newer version, which is larger";
                BeforeTarget = "memory-reads-before-target" breaks P_MEM_01:
                    "pfnCalcPrivateCompilerSize reads what is in front of the target";
                PastApplication = "memory-reads-past-application" breaks P_MEM_01:
                    "pfnGetCaps copies an application as that of a newer version, which is larger";
                PastExe = "memory-reads-past-exe" breaks P_MEM_01:
                    "pfnGetApplicationProfileVersion copies 260 WCHARs of pExeFilename";
                PastName = "memory-reads-past-name" breaks P_MEM_01:
                    "pfnCreateCompiler reads the WCHAR behind the terminator of pName";
                KeepsTargetOfFormats = "memory-keeps-target-of-formats" breaks P_MEM_02:
                    "pfnCheckFormatSupport reads the target of the call before";
                KeepsEngineOfCaps = "memory-keeps-engine-of-caps" breaks P_MEM_02:
                    "pfnGetCaps reads pEngineName of the call before";
                KeepsNameOfProfile = "memory-keeps-name-of-profile" breaks P_MEM_02:
                    "pfnGetApplicationProfileVersion reads pName of the call before";
                KeepsTargetOfSize = "memory-keeps-target-of-size" breaks P_MEM_02:
                    "pfnCalcPrivateCompilerSize reads the target of the call before";
                KeepsDesc = "memory-keeps-desc" breaks P_MEM_02:
                    "a compile reads the pipeline description of the compile before";
                KeepsProgram = "memory-keeps-program" breaks P_MEM_02:
                    "a compile reads the program of the compile before";
                KeepsRootSignature = "memory-keeps-root-signature" breaks P_MEM_02:
                    "a compile reads the root signature of the compile before";
                TargetByAddress = "memory-target-by-address" breaks P_MEM_03:
                    "pfnGetCaps takes the target for what was first at its address";
                CompilerByAddress = "memory-compiler-by-address" breaks P_MEM_03:
                    "a compiler compiles for the target of the first one in its memory",
                    where TwoTargets,
                    also P_CMP_09 because "its compilers are in memory that held others";
                DescByAddress = "memory-desc-by-address" breaks P_MEM_03:
                    "a pipeline description is taken for the first one at its address";
                ShaderByAddress = "memory-shader-by-address" breaks P_MEM_03:
                    "a shader is taken for the first one that its handle was of";
                ProgramByAddress = "memory-program-by-address" breaks P_MEM_03:
                    "a program is taken for the first one at its address";
                RootSignatureByAddress = "memory-root-signature-by-address" breaks P_MEM_03:
                    "a root signature is taken for the first one that its handle was of";
                AlignsWithoutRoom = "memory-aligns-without-room" breaks P_MEM_04:
                    "a compiler begins at the next multiple of 16 in its memory, which has no room for that";
                RefusesUnaligned = "memory-refuses-unaligned" notes P_MEM_04 "aligned to 8 is refused":
                    "private memory that is not aligned to 16 bytes gets E_INVALIDARG";
                FaultsUnaligned = "memory-faults-unaligned" notes P_MEM_04 "a host has to align it to 16":
                    "private memory that is not aligned to 16 bytes is a fault of the processor";
                CountOfVersions = "memory-count-of-versions" breaks P_MEM_05:
                    "pfnGetSupportedVersions writes its count as 64 bits";
                CountOfAbiVersions = "memory-count-of-abi-versions" breaks P_MEM_05:
                    "pfnGetAdapterFamilyABIVersions writes its count as 64 bits";
                PastCompilerVersion = "memory-writes-past-compiler-version" breaks P_MEM_05:
                    "pfnGetCompilerVersion writes behind the version";
                PastProfileVersion = "memory-writes-past-profile-version" breaks P_MEM_05:
                    "pfnGetApplicationProfileVersion writes behind the version";
                ProfileWritesTarget = "memory-profile-writes-target" breaks P_MEM_05:
                    "pfnGetApplicationProfileVersion writes to its target";
                SamplesWriteTarget = "memory-samples-write-target" breaks P_MEM_05:
                    "pfnCheckMultisampleQualityLevels writes to its target";
            }
        }
    };
}

memory_defects!(defects);

fn defect() -> Option<Memory> {
    match selected() {
        Some(Defect::Memory(defect)) => Some(defect),
        _ => None,
    }
}

/// Reads a byte of each 4 of an array, where the array has so many bytes or not.
///
/// # Safety
///
/// None can be given: that the bytes are read is the defect.
unsafe fn read<T>(first: *const T, bytes: usize) {
    for at in (0..bytes).step_by(4) {
        // SAFETY: none; that is the defect.
        unsafe { first.cast::<u8>().wrapping_add(at).read_volatile() };
    }
}

/// What the call before left, as an address; 0 for nothing.
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// Reads what the call before left, and leaves something for the next one.
fn keep<T>(pointer: *const T) {
    let before = KEPT.swap(pointer.expose_provenance(), Ordering::Relaxed);
    if before != 0 {
        // SAFETY: none, as the call that it was for is over; that is the defect.
        unsafe { ptr::with_exposed_provenance::<u8>(before).read_volatile() };
    }
}

/// Whether something else was at this address when it was first seen there.
fn was_another(address: usize, content: &[u8]) -> bool {
    static FIRST: Mutex<Vec<(usize, Vec<u8>)>> = Mutex::new(Vec::new());
    let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = first.iter().find(|(at, _)| *at == address) {
        return known != content;
    }
    first.push((address, content.to_vec()));
    false
}

/// The bytes of a structure.
///
/// # Safety
///
/// It is valid, and there are no uninitialised bytes in it.
unsafe fn bytes_of<'a, T>(structure: *const T) -> &'a [u8] {
    // SAFETY: as this function demands.
    unsafe { std::slice::from_raw_parts(structure.cast(), size_of::<T>()) }
}

/// Which call of those that take a target and an application.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Profile,
    Caps,
    Formats,
    Samples,
    Size,
    Creation,
}

/// What a defect does with the inputs of a call.
///
/// # Safety
///
/// The pointers are null or valid for the call, the strings terminated.
pub(crate) unsafe fn inputs(
    of: Of,
    target: *const D3D12DDI_COMPILER_TARGET,
    application: *const D3D12DDI_APPLICATION_DESC,
) {
    let Some(defect) = defect() else {
        return;
    };
    // SAFETY: null or valid, as this function demands.
    let application = unsafe { application.as_ref() };
    // SAFETY: none where a defect reads more than there is, or what is not there any more; else as this function
    // demands.
    unsafe {
        match (defect, of, application) {
            (Memory::PastTarget, Of::Formats, _) if !target.is_null() => {
                read(target, size_of_val(&*target) + 8);
            }
            (Memory::BeforeTarget, Of::Size, _) if !target.is_null() => {
                read(target.wrapping_byte_sub(4), 4);
            }
            (Memory::PastApplication, Of::Caps, Some(application)) => {
                read(application, size_of_val(application) + 8);
            }
            (Memory::PastExe, Of::Profile, Some(application)) => {
                read(application.pExeFilename, 260 * size_of::<u16>());
            }
            (Memory::PastName, Of::Creation, Some(application)) => {
                let mut end = application.pName;
                while !end.is_null() && *end != 0 {
                    end = end.add(1);
                }
                if !end.is_null() {
                    read(end.wrapping_add(1), 1);
                }
            }
            (Memory::ProfileWritesTarget, Of::Profile, _)
            | (Memory::SamplesWriteTarget, Of::Samples, _)
                if !target.is_null() =>
            {
                let version = (&raw const (*target).ABIVersion).cast_mut();
                version.write_volatile(version.read());
            }
            (Memory::KeepsTargetOfFormats, Of::Formats, _)
            | (Memory::KeepsTargetOfSize, Of::Size, _) => keep(target),
            (Memory::KeepsEngineOfCaps, Of::Caps, Some(application)) => {
                keep(application.pEngineName);
            }
            (Memory::KeepsNameOfProfile, Of::Profile, Some(application)) => keep(application.pName),
            _ => {}
        }
    }
}

/// Which number a call answers with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Versions,
    AbiVersions,
    CompilerVersion,
    ProfileVersion,
}

/// What a defect writes behind a number.
///
/// # Safety
///
/// The number is null or valid for writes.
pub(crate) unsafe fn number<T>(which: Number, number: *mut T) {
    let writes = match defect() {
        Some(Memory::CountOfVersions) => which == Number::Versions,
        Some(Memory::CountOfAbiVersions) => which == Number::AbiVersions,
        Some(Memory::PastCompilerVersion) => which == Number::CompilerVersion,
        Some(Memory::PastProfileVersion) => which == Number::ProfileVersion,
        _ => false,
    };
    if writes && !number.is_null() {
        // SAFETY: none, as it is outside of the number; that is the defect.
        unsafe { number.add(1).cast::<u32>().write_volatile(0) };
    }
}

/// The target that pfnGetCaps answers for, where it is another than the host's.
///
/// # Safety
///
/// The target is null or valid.
pub(crate) unsafe fn target_by_address(
    target: *const D3D12DDI_COMPILER_TARGET,
) -> Option<D3D12DDI_COMPILER_TARGET> {
    static FIRST: Mutex<Vec<(usize, D3D12DDI_COMPILER_TARGET)>> = Mutex::new(Vec::new());
    if defect() != Some(Memory::TargetByAddress) {
        return None;
    }
    // SAFETY: null or valid, as this function demands.
    let now = unsafe { target.as_ref() }?;
    let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = first.iter().find(|(at, _)| *at == target.addr()) {
        return Some(*known);
    }
    first.push((target.addr(), *now));
    None
}

/// What the creation of a compiler in `memory` returns instead of the base's result.
pub(crate) fn refused(memory: *mut u8, size: impl FnOnce() -> usize) -> Option<HRESULT> {
    const ALIGN: usize = 16;
    let offset = memory.addr().next_multiple_of(ALIGN) - memory.addr();
    match defect()? {
        _ if offset == 0 => None,
        Memory::RefusesUnaligned => Some(E_INVALIDARG),
        Memory::FaultsUnaligned => {
            follow(ptr::null::<u8>());
            None
        }
        Memory::AlignsWithoutRoom => {
            // SAFETY: none, as it is outside of the memory; that is the defect.
            unsafe { memory.add(offset + size() - 1).write_volatile(0) };
            None
        }
        _ => None,
    }
}

/// Whether a compiler that was created in `memory` compiles for another target, as another one was there.
pub(crate) fn is_another_compiler(memory: usize, family: u32, abi: u64) -> bool {
    let content = [u64::from(family).to_ne_bytes(), abi.to_ne_bytes()].concat();
    defect() == Some(Memory::CompilerByAddress) && was_another(memory, &content)
}

/// What a defect does before the compile of a pipeline; whether it takes it for another one.
///
/// # Safety
///
/// The description is null or valid.
pub(crate) unsafe fn is_another_pipeline(
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
) -> bool {
    let Some(defect) = defect() else {
        return false;
    };
    // SAFETY: null or valid, as this function demands.
    let Some(known) = (unsafe { desc.as_ref() }) else {
        return false;
    };
    let root: *const D3D12DDIARG_CREATE_ROOT_SIGNATURE_0100 =
        known.hRootSignature.pDrvPrivate.cast();
    let mut programs = shaders(known).map(|(_, code)| code);
    // SAFETY: none where a defect reads more than there is, or what is not there any more; else a handle is null or
    // leads to the structure of its kind, an array has as many entries as its count says, and the second word of a
    // program is its length in words.
    unsafe {
        match defect {
            Memory::PastDesc => read(desc, size_of_val(known) + 8),
            Memory::BeforeProgram => programs.for_each(|code| read(code.wrapping_sub(1), 4)),
            Memory::PastRootParameters => {
                if let Some(content) = root.as_ref() {
                    let content = content.Anonymous.pRootSignature_1_2.as_ref();
                    if let Some(content) = content.filter(|content| content.NumParameters > 0) {
                        let past = content
                            .pRootParameters
                            .wrapping_add(content.NumParameters as usize);
                        read(past, size_of_val(&*past));
                    }
                }
            }
            Memory::PastSignature => {
                let vertex: *const D3D12DDIARG_CREATE_SHADER_0026 =
                    known.hVertexShader.pDrvPrivate.cast();
                let io = vertex
                    .as_ref()
                    .and_then(|v| v.IOSignatures.Standard.as_ref());
                if let Some(io) = io.filter(|io| io.NumInputSignatureEntries > 0) {
                    let entries = io.Anonymous1.pInputSignature;
                    read(
                        entries.wrapping_add(io.NumInputSignatureEntries as usize),
                        4,
                    );
                }
            }
            Memory::PastElements => {
                let layout: *const D3D12DDIARG_CREATEELEMENTLAYOUT_0010 =
                    known.hElementLayout.pDrvPrivate.cast();
                if let Some(layout) = layout.as_ref().filter(|layout| layout.NumElements > 0) {
                    let elements = layout.pVertexElements;
                    read(elements.wrapping_add(layout.NumElements as usize), 4);
                }
            }
            Memory::KeepsDesc => keep(desc),
            Memory::KeepsProgram => {
                if let Some(code) = programs.next() {
                    keep(code);
                }
            }
            Memory::KeepsRootSignature => keep(root),
            Memory::DescByAddress => return was_another(desc.addr(), bytes_of(desc)),
            Memory::ProgramByAddress => {
                return programs.any(|code| {
                    let words = code.add(1).read().max(6) as usize;
                    was_another(
                        code.addr(),
                        std::slice::from_raw_parts(code.cast(), words * 4),
                    )
                });
            }
            Memory::ShaderByAddress => {
                let handles = [
                    known.hVertexShader,
                    known.hPixelShader,
                    known.hComputeShader,
                ];
                let handles = handles.map(|handle| handle.pDrvPrivate);
                return handles.into_iter().any(|shader| {
                    let shader: *const D3D12DDIARG_CREATE_SHADER_0026 = shader.cast();
                    !shader.is_null() && was_another(shader.addr(), &(*shader).ShaderCodeHash.Hash)
                });
            }
            Memory::RootSignatureByAddress => {
                return !root.is_null() && was_another(root.addr(), bytes_of(root));
            }
            _ => {}
        }
    }
    false
}

/// What a defect does after the compile of a pipeline.
///
/// # Safety
///
/// The description is null or valid.
pub(crate) unsafe fn after_pipeline(
    desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099,
    result: HRESULT,
) {
    if defect() != Some(Memory::PastProgram) || !result.is_ok() {
        return;
    }
    // SAFETY: null or valid, as this function demands.
    for (_, code) in unsafe { desc.as_ref() }.into_iter().flat_map(shaders) {
        // SAFETY: the second word of a program is its length; that more is read is the defect.
        unsafe { read(code.wrapping_add(code.add(1).read() as usize), 4) };
    }
}

/// What a defect does after the compile of a state object.
///
/// # Safety
///
/// The description is null or valid.
pub(crate) unsafe fn after_state_object(desc: Desc, is_addition: bool, result: HRESULT) {
    // SAFETY: null or valid, as this function demands; that more is read is the defect.
    unsafe {
        match (defect(), desc.as_ref().filter(|_| result.is_ok())) {
            (Some(Memory::PastStateObject), Some(known)) => read(desc, size_of_val(known) + 8),
            (Some(Memory::PastSubobjects), Some(_)) => {
                read(subobjects(desc).as_ptr_range().end, 4);
            }
            (Some(Memory::PastSummaries), Some(_)) => {
                let summary = D3D12DDI_STATE_SUBOBJECT_TYPE_SHADER_EXPORT_SUMMARY;
                let summary: Option<D3D12DDI_FUNCTION_SUMMARY_0054> = content(desc, summary);
                if let Some(summary) = summary.filter(|known| known.NumExportedFunctions > 0) {
                    let count = summary.NumExportedFunctions as usize;
                    read(summary.pSummaries.wrapping_add(count), 4);
                }
            }
            _ => {}
        }
    }
    // SAFETY: null or valid, as this function demands.
    let Some(library) = (unsafe { library(desc) }).filter(|_| result.is_ok()) else {
        return;
    };
    let (program, exports) = (library.pDXILLibrary, library.pExports);
    // SAFETY: the second word of a program is its length, and there are as many exports as it says; that more is read is
    // the defect.
    unsafe {
        let past_program = || read(program.wrapping_add(program.add(1).read() as usize), 4);
        match defect() {
            Some(Memory::PastLibrary) if !is_addition => past_program(),
            Some(Memory::PastLibraryOfAddition) if is_addition => past_program(),
            Some(Memory::PastExports) if library.NumExports > 0 => {
                read(exports.wrapping_add(library.NumExports as usize), 4);
            }
            Some(Memory::PastExportName) if library.NumExports > 0 => {
                read((*exports).Name, 64 * size_of::<u16>());
            }
            _ => {}
        }
    }
}
