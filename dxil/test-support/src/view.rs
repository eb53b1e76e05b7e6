//! What this crate reads of a container, in the words of the DirectX Shader Compiler (DXC):
//! `scripts/dxil-compare` says what the lines are.

mod disassembly;
mod entry_points;
mod reflection;

use dxil::module::{EntryPoint, Resource, Stage};
use dxil::{Container, Error, FourCc, Module, PartContent, ResourceClass, ShaderHashFlags};

/// The lines of a container, which is that of a PDB if there is a `shader`: DXC finds in the
/// bitcode which outputs depend on which inputs, this crate in PSV0, which PDBs do not have.
pub fn lines(
    container: &Container<'_>,
    shader: Option<&Container<'_>>,
) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    for part in container.parts() {
        let (name, bytes) = (part.fourcc(), part.bytes());
        lines.push(format!("part {name} {} {:016x}", bytes.len(), fnv1a(bytes)));
    }
    let program = |names: &[FourCc]| {
        let part = names.iter().find_map(|&name| container.part(name));
        part.map(|part| Module::parse(&part.program()?)).transpose()
    };
    // DXC reflects the part for it, and disassembles with debug information.
    let reflected = program(&[FourCc::STAT, FourCc::ILDB, FourCc::DXIL])?;
    let disassembled = program(&[FourCc::ILDB, FourCc::DXIL])?;
    let runtime_data = container.runtime_data()?;
    // A driver has the program alone. It must say the same.
    if let (Some(reflected), Some(program)) = (&reflected, program(&[FourCc::DXIL])?) {
        let [reflected, program] = [reflected, &program].map(interface);
        if reflected != program {
            lines.push(format!(
                "program DXIL has {program:?}, the reflection {reflected:?}"
            ));
        }
    }
    if let Some(module) = &reflected {
        match &runtime_data {
            Some(data) => reflection::library(&mut lines, module, data),
            None => reflection::shader(&mut lines, container, module)?,
        }
    }
    let Some(module) = &disassembled else {
        return Ok(lines);
    };
    for part in container.parts() {
        match part.content()? {
            PartContent::DebugName(debug) => lines.push(format!("debug name {}", debug.name)),
            PartContent::ShaderHash(hash) => {
                let digest = hex::encode(hash.digest);
                let has_source = hash.flags.contains(ShaderHashFlags::INCLUDES_SOURCE);
                let source = if has_source { " (includes source)" } else { "" };
                lines.push(format!("hash {digest}{source}"));
            }
            _ => {}
        }
    }
    let entry = match module.entry_points() {
        [entry] if runtime_data.is_none() => Some(entry),
        _ => None,
    };
    let psv0 = container.pipeline_state_validation()?;
    if let Some(psv0) = &psv0 {
        lines.extend(
            disassembly::pipeline_state(psv0)
                .iter()
                .map(|line| format!("psv {line}")),
        );
    }
    if let Some(entry) = entry {
        disassembly::interpolation(&mut lines, entry);
    }
    let names = reflected.as_ref().unwrap_or(module);
    lines.extend(in_order(names.resources(), BY_CLASS).map(disassembly::binding));
    let of_shader = shader
        .map(Container::pipeline_state_validation)
        .transpose()?;
    if let (Some(entry), Some(psv0)) = (entry, psv0.or(of_shader.flatten())) {
        lines.extend(
            disassembly::dependencies(entry, &psv0)
                .iter()
                .map(|line| format!("view {line}")),
        );
    }
    if let Some(data) = &runtime_data {
        lines.extend(
            data.subobjects()
                .map(|it| format!("subobject {}", disassembly::subobject(&it))),
        );
        lines.push(format!("entry \"\" 0={}", module.flags()));
    }
    for entry in module.entry_points() {
        let flags = runtime_data.is_none().then(|| module.flags());
        entry_points::properties(&mut lines, module, entry, flags.filter(|&flags| flags != 0));
    }
    Ok(lines)
}

/// What a module says that does not depend on the part: resources have names in reflection and
/// libraries only, and each part has functions of its own.
fn interface(module: &Module) -> (Vec<EntryPoint>, Vec<Resource>) {
    let mut entry_points = module.entry_points().to_vec();
    for entry in &mut entry_points {
        entry.function = None;
        if let Stage::Hull { patch_function, .. } = &mut entry.stage {
            *patch_function = None;
        }
    }
    let mut resources = module.resources().to_vec();
    for resource in &mut resources {
        resource.name.clear();
    }
    (entry_points, resources)
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// In quotes, what cannot be shown in hexadecimal.
fn quoted(name: &[u8]) -> String {
    let escape = |&byte: &u8| match byte {
        b' '..=b'~' if byte != b'"' && byte != b'\\' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    format!("\"{}\"", name.iter().map(escape).collect::<String>())
}

/// The order in which DXC lists resources.
const BY_CLASS: [ResourceClass; 4] = [
    ResourceClass::CBV,
    ResourceClass::SAMPLER,
    ResourceClass::SRV,
    ResourceClass::UAV,
];

fn in_order(
    resources: &[Resource],
    classes: [ResourceClass; 4],
) -> impl Iterator<Item = &Resource> {
    let of_class = move |class| resources.iter().filter(move |it| it.class == class);
    classes.into_iter().flat_map(of_class)
}
