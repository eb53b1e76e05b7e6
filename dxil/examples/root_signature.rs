//! Makes a root signature, puts it into a signed container, and prints what a reader sees of it.

use std::error::Error;

use dxil::{
    Container, ContainerBuilder, FourCc, RootConstants, RootParameterDesc, RootParameterKindDesc,
    RootSignatureDesc, RootSignatureFlags, ShaderVisibility, Signing, Version,
};

fn main() -> Result<(), Box<dyn Error>> {
    let desc = RootSignatureDesc {
        version: Version { major: 1, minor: 1 },
        parameters: vec![RootParameterDesc {
            shader_visibility: ShaderVisibility::ALL,
            kind: RootParameterKindDesc::Constants(RootConstants {
                shader_register: 0,
                register_space: 0,
                num_32bit_values: 4,
            }),
        }],
        static_samplers: vec![],
        flags: RootSignatureFlags::CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED,
    };
    let mut builder = ContainerBuilder::new();
    builder.set(FourCc::RTS0, desc.serialize()?);
    builder.sign(Signing::Hash);
    let bytes = builder.build()?;

    let container = Container::parse(&bytes)?;
    container.verify()?;
    for part in container.parts() {
        println!("{} {} bytes", part.fourcc(), part.bytes().len());
    }
    let root_signature = container.root_signature()?;
    println!("{}", root_signature.ok_or("no root signature")?);
    Ok(())
}
