//! What the threads inside one compile call share, and send to each other.

use plugin_sdk::desc::{
    ApplicationDesc, Association, DxilLibrary, GenericProgram, HitGroup, InputLayout, PipelineStateDesc, RootParameter,
    RootSignature, Shader, ShaderCode, StateObjectDesc, StreamOutput, Subobject, WorkGraph, WorkGraphNode,
};
use plugin_sdk::dxil::Program;
use plugin_sdk::{ObjectValueKeys, Receipt, Session, Target, ValueBuffer, Values};

fn shared<T: Send + Sync>() {}

fn main() {
    shared::<Session<'_>>();
    shared::<Receipt<'_>>();
    shared::<ObjectValueKeys<'_>>();
    shared::<Values<'_>>();
    shared::<ValueBuffer>();
    shared::<PipelineStateDesc<'_>>();
    shared::<StateObjectDesc<'_, ()>>();
    shared::<ApplicationDesc<'_>>();
    shared::<Association<'_>>();
    shared::<DxilLibrary<'_>>();
    shared::<GenericProgram<'_>>();
    shared::<HitGroup<'_>>();
    shared::<InputLayout<'_>>();
    shared::<RootParameter<'_>>();
    shared::<RootSignature<'_>>();
    shared::<Shader<'_>>();
    shared::<ShaderCode<'_>>();
    shared::<StreamOutput<'_>>();
    shared::<Subobject<'_, ()>>();
    shared::<WorkGraph<'_>>();
    shared::<WorkGraphNode<'_>>();
    shared::<Program<'_>>();
    shared::<Target<'_>>();
}
