//! What a target cannot do, by its plugin's word.

use api_sys::*;
use compiler_runtime::desc::Invalid;
use runtime_test_support::linked_in::capabilities;
use runtime_test_support::state_object::*;
use sample_plugin::SamplePlugin;

use crate::generic_programs::{formats, fullscreen};
use crate::work_graphs::nodes;

fn refusal(desc: Description, family: usize) -> Option<Invalid> {
    let target = capabilities::<SamplePlugin>(family);
    desc.translate_for(None, &[], Some(&target)).err()
}

#[test]
fn a_library_of_a_shader_model_that_the_family_has_not() {
    assert_eq!(refusal(nodes(), 0), None);
    let refused = refusal(nodes(), 2).unwrap();
    assert_eq!(refused.id.0, 1194);
    assert_eq!(
        refused.text,
        "pSubobjects[0] (DXIL_LIBRARY): the program is of shader model 6.8, the adapter family has \
         6.6 at most"
    );
}

#[test]
fn a_program_with_samples_that_the_family_has_not() {
    let program = |format, count| {
        let targets = D3D12_STATE_SUBOBJECT_TYPE_RENDER_TARGET_FORMATS;
        let samples = DXGI_SAMPLE_DESC {
            Count: count,
            Quality: 0,
        };
        fullscreen()
            .put(targets, formats(format))
            .put(D3D12_STATE_SUBOBJECT_TYPE_SAMPLE_DESC, samples)
            .program(Some("p"), &["vs", "ps"], &[2, 5, 6])
    };
    let color = DXGI_FORMAT_R8G8B8A8_UNORM;
    assert_eq!(refusal(program(color, 4), 2), None);
    let refused = refusal(program(color, 32), 2).unwrap();
    assert_eq!(refused.id.0, 685);
    assert!(refused.text.contains("32 samples"), "{}", refused.text);
    // The family cannot render to that format, which is no fault.
    assert_eq!(refusal(program(DXGI_FORMAT_B5G5R5A1_UNORM, 1), 2), None);
}
