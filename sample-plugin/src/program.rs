//! From shader code to units.

use std::borrow::Cow;

use dxil::{Container, Form, FourCc, ShaderKind};
use plugin_sdk::ddi::D3D12DDIARG_SIGNATURE_ENTRY_0012;
use plugin_sdk::desc::{Shader, ShaderCode};
use plugin_sdk::{Capabilities, Error, Result};

use crate::families::Machine;
use crate::object_code::{Element, Interface, RootLayout};
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

/// The unit of a pipeline's shader; `None` for a geometry stage that passes through.
///
/// # Errors
/// E_INVALIDARG for a program that is malformed or of another stage, DXGI_ERROR_UNSUPPORTED for one that
/// the target cannot run.
pub(crate) fn shader<'a>(
    environment: Environment<'_>,
    shader: &Shader<'a>,
    root: Option<&RootLayout>,
) -> Result<Option<Unit<'a>>> {
    let (Some(code), Some(program)) = (shader.code, shader.program()?) else {
        return Ok(None);
    };
    let (arguments, samplers) = root
        .map(|root| root.seen_by(shader.stage))
        .unwrap_or_default();
    let interface = Interface {
        inputs: shader.input.iter().map(element).collect(),
        outputs: shader.output.iter().map(element).collect(),
        patch_constants: shader
            .patch_constant_or_primitive
            .iter()
            .map(element)
            .collect(),
        arguments,
        samplers,
    };
    let switches = environment.switches | Switches::from_flags(shader.flags)?;
    unit(environment, code, program, switches, interface).map(Some)
}

/// The unit of a library, or of a single shader in a library's place. Its functions find their root
/// arguments when they are linked.
///
/// # Errors
/// As [`shader`].
pub(crate) fn library<'a>(environment: Environment<'_>, code: ShaderCode<'a>) -> Result<Unit<'a>> {
    let interface = Interface::default();
    unit(
        environment,
        code,
        code.program()?,
        environment.switches,
        interface,
    )
}

fn unit<'a>(
    environment: Environment<'_>,
    code: ShaderCode<'a>,
    program: dxil::Program<'a>,
    switches: Switches,
    interface: Interface,
) -> Result<Unit<'a>> {
    let (kind, shader_model) = (program.kind(), program.shader_model());
    let capabilities = environment.capabilities;
    // D3D12DDI_SHADER_MODEL: major in bits 16 and up, minor in bits 4 to 15.
    let known = capabilities.shader_models.iter().any(|model| {
        let model = model.0.cast_unsigned();
        (model >> 16, model >> 4 & 0xFFF) == (shader_model.major, shader_model.minor)
    });
    let mesh = matches!(kind, ShaderKind::Mesh | ShaderKind::Amplification);
    if !known || mesh && capabilities.options.MeshShaderTier.0 == 0 {
        let message = format!("the target has no {kind} shaders of model {shader_model}");
        return Err(Error::unsupported(message));
    }
    program.check_bitcode()?;
    let source = ProgramSource {
        kind,
        shader_model,
        switches: switches.read_by(kind),
        interface,
        bitcode: Cow::Borrowed(program.bitcode()),
        debug: debug_info(code)?,
    };
    Ok(Unit::program(
        environment.machine,
        &code.program_hash(),
        source,
    ))
}

/// The debug information in the shader's container, if it came in one.
fn debug_info(code: ShaderCode<'_>) -> Result<DebugInfo<'_>> {
    if code.form() != Form::Container {
        return Ok(DebugInfo::default());
    }
    let container = Container::parse(code.bytes())?;
    // ILDN: 16 bits of flags, length of the name in 16 bits, name.
    let name = container.part(FourCc::ILDN).and_then(|part| {
        let (header, rest) = part.bytes().split_first_chunk::<4>()?;
        rest.get(..u16::from_le_bytes([header[2], header[3]]).into())
    });
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

/// Generates code. This is a stand-in for a compiler's back end: each word of the bitcode, in the
/// encoding of the ABI and with the opcodes of the instruction set and the switches. It is as long as
/// the bitcode, depends on all that real code would depend on, and costs next to nothing.
pub(crate) fn instructions(machine: Machine, source: &ProgramSource<'_>) -> Vec<u8> {
    let opcodes = machine.isa.wrapping_mul(0x9E37_79B9) ^ source.switches.bits();
    let (words, _) = source.bitcode.as_chunks();
    words
        .iter()
        .flat_map(|&word| {
            let word = u32::from_le_bytes(word).rotate_left(machine.abi.encoding);
            (word ^ opcodes).to_le_bytes()
        })
        .collect()
}
