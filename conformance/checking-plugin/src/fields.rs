//! What a description says, field by field, for the record. H-20 to H-22.

use base_plugin::OBSERVER;
use ddi_sys::{D3D12DDIARG_CREATE_PIPELINE_STATE_0099, D3D12DDIARG_CREATE_SHADER_0026};
use plugin_sdk::desc::{Describe, Field, Fields};

use crate::writer::{described, records};

/// Has the descriptions of all compile calls recorded.
pub(crate) fn observe() {
    // An open after the first finds it set.
    let _ = OBSERVER.set(|description| {
        if records() {
            let mut lines = Lines::default();
            description.describe(&mut lines);
            described(lines.lines);
        }
    });
}

/// Records what is no field to the SDK: the node mask, and the hashes of shaders.
///
/// # Safety
///
/// `desc` is null or what the DDI says.
pub(crate) unsafe fn pipeline(desc: *const D3D12DDIARG_CREATE_PIPELINE_STATE_0099) {
    // SAFETY: `desc` is null or what the DDI says, as this function demands.
    let Some(desc) = (unsafe { desc.as_ref() }) else {
        return;
    };
    if !records() {
        return;
    }
    let mut lines = vec![("NodeMask".into(), desc.NodeMask.to_string())];
    for (stage, shader) in [
        ("hComputeShader", desc.hComputeShader),
        ("hVertexShader", desc.hVertexShader),
        ("hPixelShader", desc.hPixelShader),
        ("hDomainShader", desc.hDomainShader),
        ("hHullShader", desc.hHullShader),
        ("hGeometryShader", desc.hGeometryShader),
        ("hMeshShader", desc.hMeshShader),
        ("hAmplificationShader", desc.hAmplificationShader),
    ] {
        let shader = shader.pDrvPrivate.cast::<D3D12DDIARG_CREATE_SHADER_0026>();
        // SAFETY: the handle is null or to create-arguments (docs/spec-notes.md).
        if let Some(shader) = unsafe { shader.as_ref() } {
            let hash = hex::encode(shader.ShaderCodeHash.Hash);
            lines.push((format!("{stage}.ShaderCodeHash"), hash));
        }
    }
    described(lines);
}

/// Paths and values.
#[derive(Default)]
struct Lines {
    path: Vec<String>,
    lines: Vec<(String, String)>,
}

impl Fields for Lines {
    fn field(&mut self, name: &'static str, value: Field<'_>) {
        let path = self.path.iter().map(String::as_str).chain([name]);
        let value = match value {
            Field::Unsigned(value) => value.to_string(),
            Field::Float(value) => format!("{value:?}"),
            Field::Bool(value) => value.to_string(),
            Field::Enumeration { value, .. } | Field::Flags { bits: value, .. } => {
                value.to_string()
            }
            Field::Text(text) => text.to_string_lossy(),
            Field::Bytecode(code) => hex::encode(code.program_hash()),
            Field::Absent => "absent".into(),
            other => format!("{other:?}"),
        };
        self.lines.push((path.collect::<Vec<_>>().join("."), value));
    }

    fn group(&mut self, name: &'static str, index: Option<usize>, content: &dyn Describe) {
        let index = index.map_or_else(String::new, |index| format!("[{index}]"));
        self.path.push(format!("{name}{index}"));
        content.describe(self);
        self.path.pop();
    }
}
