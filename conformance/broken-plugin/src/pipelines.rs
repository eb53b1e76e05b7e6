//! `pfnCompilePipelineState`, and what compiles refuse.

use ddi_sys::*;
use defects::{Place as _, given, read, rewrite, rows};

use crate::about::*;
use crate::compile::Compile;
use crate::compiler::shaders;
use crate::layer;
use crate::need;
use crate::places::*;
use crate::state_object::has;

rows! {
    Hook, About;

    "compile-accepts-other-stage" breaks P_PSO_17: "a program of another stage is stored as it is",
        at Compile |call| accepts(call, |stage, header| header[0] >> 16 != stage);
    "compile-accepts-other-magic" breaks P_PSO_17: "a program without its magic is stored as it is",
        at Compile |call| accepts(call, |_, header| header[2] != MAGIC);
    "compile-accepts-any-size" breaks P_PSO_17: "a program whose size is less than its header is stored as it is",
        at Compile |call| accepts(call, |_, header| header[1] < 6);
    "compile-accepts-other-bitcode" passes:
        "a program whose bitcode is none, or has a size that is no multiple of 4, is stored as it is",
        at Compile |call| accepts(call, |_, header| {
            header[5] % 4 != 0 || (header[4] == 16 && header[6] != BITCODE_MAGIC)
        });
    "compile-accepts-malformed-library" breaks P_PSO_17:
        "a state object with a library that is no program is stored as it is",
        needs need::STATE_OBJECT, where NO_ADDITION,
        also P_PSO_14: "whatever a compile fails for is stored as it is",
        at Make |call| call.after(|call, result| if !result.is_ok() {
            *result = call.compile().store_anything();
        });
    "compile-keys-for-malformed" notes P_PSO_24 "calls that failed set value keys":
        "the value keys are set for a program that is refused as it lacks its magic",
        at Compile |call| keys_for_malformed(call, 1);
    "compile-keys-twice-for-malformed" breaks P_PSO_24:
        "the value keys are set twice for a program that is refused as it lacks its magic",
        at Compile |call| keys_for_malformed(call, 2);
    "compile-trusts-bitcode-size" breaks P_PSO_17: "bitcode is read as far as the program's header says",
        at Pipeline |call| call.before(|call| given(call.desc).into_iter().flat_map(shaders).for_each(|(_, code)| trust_size(code)));
    "compile-pixel-required" breaks P_PSO_18: "graphics pipelines without a pixel shader are refused",
        at Pipeline |call| {
            let lacks_pixels = given(call.desc).is_none_or(|desc| {
                desc.hPixelShader.pDrvPrivate.is_null() && desc.hComputeShader.pDrvPrivate.is_null()
            });
            call.answer_if(lacks_pixels, E_INVALIDARG)
        };
    "compile-no-tessellation" breaks P_PSO_18: "pipelines with a hull shader are refused",
        where TESSELLATION, at Pipeline |_| DXGI_ERROR_UNSUPPORTED;
    "compile-no-tessellation-of-family" breaks P_PSO_18:
        "the second family refuses pipelines with a hull shader, which its caps offer",
        where SECOND_FAMILY, where TESSELLATION, at Pipeline |_| DXGI_ERROR_UNSUPPORTED;
    "compile-none-of-oldest" breaks P_PSO_18: "pipelines are refused for the oldest ABI version",
        needs need::TWO_ABI_VERSIONS, where OLDEST_ABI, at Pipeline |_| DXGI_ERROR_UNSUPPORTED;
    "compile-no-additions" breaks P_SO_07: "additions are refused, which the caps offer",
        where ADDITION, at Addition |_| DXGI_ERROR_UNSUPPORTED;
    "compile-no-generic-programs" breaks P_SO_07: "generic programs are refused, which shader model 6.8 brings",
        needs need::GENERIC_PROGRAM,
        at Object |call| {
            let is_it = has(call.desc, D3D12DDI_STATE_SUBOBJECT_TYPE_GENERIC_PROGRAM);
            need::GENERIC_PROGRAM.met_if(is_it);
            call.answer_if(is_it, DXGI_ERROR_UNSUPPORTED)
        };
    "compile-no-mesh" breaks P_PSO_18: "pipelines with a mesh shader are refused",
        where MESH, at Pipeline |_| DXGI_ERROR_UNSUPPORTED;
    "compile-vertex-required" breaks P_PSO_18: "the vertex shader of a mesh pipeline is read",
        where MESH,
        at Pipeline |call| match given(call.desc) {
            Some(desc) => call.following(desc.hVertexShader.pDrvPrivate),
            None => call.pass(),
        };
    "compile-leaves-memory" breaks P_CMP_08: "each compile of a pipeline leaves 4 KiB behind",
        at Pipeline |call| call.before(|_| layer::leave_memory(4096));
    "compile-writes-desc" breaks P_PSO_20: "the pipeline description is written to",
        at Pipeline |call| call.before(|call| rewrite(call.desc));
    "compile-writes-code" breaks P_PSO_20: "shader code is patched in place",
        at Pipeline |call| call.before(|call| given(call.desc).into_iter().flat_map(shaders).for_each(|(_, code)| rewrite(code)));
    "compile-null-accepted" breaks P_PSO_21: "a null pPipelineStateArg gets S_OK",
        at Pipeline |call| call.answer_if(call.desc.is_null(), S_OK);
    "compile-null-addition-accepted" breaks P_PSO_21: "an addition with a null description gets S_OK",
        where ADDITION, at Addition |call| call.answer_if(call.desc.is_null(), S_OK);
    "compile-null-followed" breaks P_PSO_21: "a null pPipelineStateArg is read",
        at Pipeline |call| call.following(call.desc);
}

/// The magic of a program, `DXIL`.
pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"DXIL");

/// The magic of the bitcode in it.
const BITCODE_MAGIC: u32 = u32::from_le_bytes([b'B', b'C', 0xC0, 0xDE]);

/// Whether the first words of a shader's code are as `is_wrong` says of a stage's program.
fn has_wrong(call: &Compile, is_wrong: fn(u32, &[u32; 7]) -> bool) -> bool {
    let about = call.about().unwrap_or_default();
    let mut shaders = about.pipeline().into_iter().flat_map(shaders);
    // SAFETY: the host's code is as long as its header says, which is longer than this.
    shaders.any(|(stage, code)| is_wrong(stage, unsafe { &*code.cast() }))
}

/// Lets what the base refuses pass.
fn accepts(call: &mut Compile, is_wrong: fn(u32, &[u32; 7]) -> bool) -> HRESULT {
    call.after(|call, result| {
        if !result.is_ok() && has_wrong(call, is_wrong) {
            *result = call.store_anything();
        }
    })
}

fn keys_for_malformed(call: &mut Compile, times: usize) -> HRESULT {
    call.after(|call, result| {
        if !result.is_ok() && has_wrong(call, |_, header| header[2] != MAGIC) {
            for _ in 0..times {
                let _ = call.store_anything();
            }
        }
    })
}

/// Reads the last byte of a program's bitcode, as its header has the size.
pub(crate) fn trust_size(code: *const u32) {
    // SAFETY: a header of 24 bytes, of which the last word is the size.
    let size = unsafe { code.add(5).read() } as usize;
    read(code.wrapping_byte_add(24 + size - 1), 1);
}
