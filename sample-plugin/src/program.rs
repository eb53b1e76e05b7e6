//! From shader code to units.

use std::borrow::Cow;

use dxil::{Container, Form, FourCc, Module, ShaderKind};
use plugin_sdk::ddi::D3D12DDIARG_SIGNATURE_ENTRY_0012;
use plugin_sdk::desc::{Shader, ShaderCode, Signature};
use plugin_sdk::{Capabilities, Error, Result};

use crate::families::Machine;
use crate::interface;
use crate::literals;
use crate::object_code::{Element, Interface, Literal, RootLayout};
use crate::switches::Switches;
use crate::unit::{DebugInfo, ProgramSource, Unit};

/// What programs are compiled for.
#[derive(Clone, Copy)]
pub(crate) struct Environment<'a> {
    pub(crate) machine: Machine,
    pub(crate) capabilities: &'a Capabilities,
    /// The switches of the application's profile.
    pub(crate) switches: Switches,
}

/// The units of a pipeline's shader: one, or a template and its specialization; none for a geometry stage
/// that passes through.
///
/// # Errors
///
/// E_INVALIDARG for a program that is malformed, of another stage or without an entry point,
/// DXGI_ERROR_UNSUPPORTED for one that the target cannot run.
pub(crate) fn shader<'a>(
    environment: Environment<'_>,
    shader: &Shader<'a>,
    root: Option<&RootLayout>,
) -> Result<Vec<Unit<'a>>> {
    let (Some(code), Some(program)) = (shader.code, shader.program()?) else {
        return Ok(Vec::new());
    };
    let switches = environment.switches | Switches::from_flags(shader.flags)?;
    units(environment, code, program, switches, |interface| {
        let elements = |signature: Signature<'_>| signature.iter().map(element).collect();
        interface.inputs = elements(shader.input);
        interface.outputs = elements(shader.output);
        interface.patch_constants = elements(shader.patch_constant_or_primitive);
        if let Some(root) = root {
            interface.bind(root.seen_by(shader.stage));
        }
    })
}

/// The units of a library, or of a single shader in a library's place. Its functions find their root
/// arguments when they are linked.
///
/// # Errors
///
/// As [`shader`].
pub(crate) fn library<'a>(
    environment: Environment<'_>,
    code: ShaderCode<'a>,
) -> Result<Vec<Unit<'a>>> {
    let switches = environment.switches;
    units(environment, code, code.program()?, switches, |_| ())
}

/// The units of a program. `complete` adds to the interface what the module does not say.
fn units<'a>(
    environment: Environment<'_>,
    code: ShaderCode<'a>,
    program: dxil::Program<'a>,
    switches: Switches,
    complete: impl FnOnce(&mut Interface),
) -> Result<Vec<Unit<'a>>> {
    let (kind, shader_model) = (program.kind(), program.shader_model());
    let capabilities = environment.capabilities;
    let known = capabilities.has_shader_model(shader_model.major, shader_model.minor);
    let mesh = matches!(kind, ShaderKind::Mesh | ShaderKind::Amplification);
    if !known || mesh && capabilities.options.MeshShaderTier.0 == 0 {
        let message = format!("the target has no {kind} shaders of model {shader_model}");
        return Err(Error::unsupported(message));
    }
    let module = Module::parse(&program)?;
    interface::check(&program, &module)?;
    let lanes = (
        capabilities.shader.WaveLaneCountMin,
        capabilities.shader.WaveLaneCountMax,
    );
    let mut sizes = module.entry_points().iter().filter_map(|e| e.wave_size);
    // The most is 0 where there is only one size.
    if let Some(size) = sizes.find(|s| s.min > lanes.1 || s.min.max(s.max) < lanes.0) {
        let message = format!("{size:?} where the target has waves of {lanes:?} lanes");
        return Err(Error::unsupported(message));
    }
    let mut interface = interface::of(&module);
    complete(&mut interface);
    let (literals, values) = literals::find(module.constants());
    let source = ProgramSource {
        kind,
        shader_model,
        switches: switches.read_by(kind),
        interface,
        bitcode: Cow::Borrowed(program.bitcode()),
        literals,
        values,
    };
    let debug = debug_info(code)?;
    let machine = environment.machine;
    if !literals::are_left_open(source.values.len()) {
        return Ok(vec![Unit::program(machine, source, debug)]);
    }
    let values = source.values.clone();
    let template = Unit::template(machine, source);
    let specialization = Unit::specialization(machine, &template, kind, values, debug);
    Ok(vec![template, specialization])
}

/// The debug information in the shader's container, if it came in one.
fn debug_info(code: ShaderCode<'_>) -> Result<DebugInfo<'_>> {
    if code.form() != Form::Container {
        return Ok(DebugInfo::default());
    }
    let container = Container::parse(code.bytes())?;
    let name = container.debug_name()?.map(|name| name.name);
    let program = container.part(FourCc::ILDB).map(|part| part.bytes());
    Ok(DebugInfo {
        name: name.unwrap_or_default().into(),
        program: program.unwrap_or_default().into(),
    })
}

fn element(e: &D3D12DDIARG_SIGNATURE_ENTRY_0012) -> Element {
    Element {
        system_value: e.SystemValue.0.cast_unsigned(),
        register: e.Register,
        mask: e.Mask.into(),
        stream: e.Stream.into(),
        component_type: e.RegisterComponentType.0.cast_unsigned(),
        min_precision: e.MinPrecision.0.cast_unsigned(),
    }
}

/// Generates code, and says where its literals are. This is a stand-in for a compiler's back end: each
/// word of the bitcode, in the encoding of the ABI and with the opcodes of the instruction set and the
/// switches, and behind it the literals that start in it. Code is about as long as the bitcode, depends
/// on all that real code would depend on, and costs next to nothing.
///
/// As on real GPUs, a literal is a whole word or two behind an instruction, so code for one value becomes
/// code for another by writing these.
pub(crate) fn instructions(
    machine: Machine,
    source: &ProgramSource<'_>,
) -> (Vec<u8>, Vec<Literal>) {
    let opcodes = machine.isa.wrapping_mul(0x9E37_79B9) ^ source.switches.bits();
    let (words, _) = source.bitcode.as_chunks();
    let mut code = Vec::with_capacity(source.bitcode.len() + 8 * source.literals.len());
    let mut places = Vec::with_capacity(source.literals.len());
    let mut literals = source.literals.iter().zip(&source.values).peekable();
    for (index, &word) in (0..).zip(words) {
        let word = u32::from_le_bytes(word).rotate_left(machine.abi.encoding);
        code.extend((word ^ opcodes).to_le_bytes());
        while let Some((field, value)) = literals.next_if(|(field, _)| field.bit / 32 == index) {
            let literal = Literal {
                // Programs have 2^31 bytes at most.
                offset: u32::try_from(code.len()).unwrap_or(u32::MAX),
                bits: field.width,
            };
            code.extend_from_slice(&value.to_le_bytes()[..literal.len()]);
            places.push(literal);
        }
    }
    (code, places)
}
