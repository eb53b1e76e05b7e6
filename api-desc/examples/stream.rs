//! Prints the records of the stream that a description becomes, and why a stream without its end is refused.

use api_desc::{InputElement, Invalid, PipelineStateDesc, ShaderStage};
use api_sys::{D3D12_PIPELINE_STATE_STREAM_DESC, DXGI_FORMAT_R32G32B32A32_FLOAT};

fn main() -> Result<(), Invalid> {
    let mut desc = PipelineStateDesc::default();
    desc.shaders[ShaderStage::Vertex] = Some((*b"a DXIL container").into());
    desc.shaders[ShaderStage::Pixel] = Some((*b"another").into());
    desc.fixed_function.sample_mask = Some(!0);
    desc.fixed_function.input_layout = Some(vec![InputElement {
        semantic_name: "POSITION".into(),
        semantic_index: 0,
        format: DXGI_FORMAT_R32G32B32A32_FLOAT,
        input_slot: 0,
        aligned_byte_offset: 0,
        input_slot_class: 0,
        instance_data_step_rate: 0,
    }]);

    let raw = desc.to_raw();
    // SAFETY: all that the structure reaches lives as long as `raw` and `desc`.
    let (_, places) = unsafe { PipelineStateDesc::borrow_raw(raw.desc()) }?;
    println!("{places:#?}");

    let short = D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: raw.desc().SizeInBytes - 4,
        ..*raw.desc()
    };
    // SAFETY: as above; the size is smaller.
    let refused = unsafe { PipelineStateDesc::borrow_raw(&raw const short) };
    println!("refused: {}", refused.expect_err("a record is cut off"));
    Ok(())
}
