//! Nor can it have a view of the host's description.

use plugin_sdk::desc::PipelineStateDesc;

fn send(desc: &PipelineStateDesc<'_>) {
    let desc = *desc;
    std::thread::spawn(move || desc.flags());
}

fn main() {}
