//! Shader code, which comes without a length: as a program or in its container.

use std::cell::RefCell;
use std::rc::Rc;

use plugin_sdk::desc::{DescError, ShaderCode};
use plugin_sdk::{Error, KeyBuilder};

use crate::host::Host;
use crate::host::log::capture;
use crate::host::memory::Guarded;
use crate::host::pipeline::{
    AMPLIFICATION, COMPUTE, DOMAIN, GEOMETRY, HULL, LIBRARY, MESH, PIXEL, Pipeline, VERTEX,
    program, words,
};
use crate::host::plugin::Script;
use crate::host::session::Session;

/// What a vendor sees of code at this address, or what the log says.
fn look<T: 'static>(
    code: *const u32,
    body: impl Fn(ShaderCode<'_>) -> T + 'static,
) -> Result<T, String> {
    let mut pipeline = Pipeline::zeroed();
    let shader = pipeline.shader(vec![]);
    // SAFETY: the arena's.
    unsafe { (*shader).pShaderCode = code };
    pipeline.get().hComputeShader.pDrvPrivate = shader.cast();
    let seen = Rc::new(RefCell::new(None));
    let sink = seen.clone();
    let _script = Script::compiling(move |desc, _| {
        *sink.borrow_mut() = desc
            .shaders()
            .next()
            .and_then(|shader| shader.code)
            .map(&body);
        Err(Error::unsupported("only looking"))
    });
    let host = Host::new();
    let (compiler, session) = (host.create_compiler(), Session::default());
    let (_, lines) = capture(|| compiler.compile(&session, pipeline.raw));
    seen.take().ok_or_else(|| lines[0].text.clone())
}

fn key(code: ShaderCode<'_>) -> Vec<u8> {
    KeyBuilder::new("test")
        .bytecode("code", code)
        .finish()
        .as_bytes()
        .to_vec()
}

#[test]
fn a_container_and_its_program_are_the_same_code() {
    for container in [
        COMPUTE,
        VERTEX,
        PIXEL,
        DOMAIN,
        HULL,
        GEOMETRY,
        MESH,
        AMPLIFICATION,
        LIBRARY,
    ] {
        let (whole, bare) = (words(container), program(container));
        let len = bare.len() * 4;
        let in_container = look(whole.as_ptr(), move |code| {
            assert_eq!(
                (code.form(), code.bytes()),
                (dxil::Form::Container, container)
            );
            (key(code), code.program().unwrap().bytes().to_vec())
        });
        let as_program = look(bare.as_ptr(), move |code| {
            assert_eq!(
                (code.form(), code.bytes().len()),
                (dxil::Form::Program, len)
            );
            (key(code), code.program().unwrap().bytes().to_vec())
        });
        assert!(as_program.is_ok());
        assert_eq!(in_container, as_program);
    }
}

#[test]
fn code_may_lie_at_any_address() {
    let bare = program(COMPUTE);
    let expected = look(bare.as_ptr(), key).unwrap();
    for offset in 1..8 {
        let len = bare.len() * 4;
        let memory = Guarded::new(len, offset);
        let at = memory.at();
        // SAFETY: as many bytes.
        unsafe { at.copy_from_nonoverlapping(bare.as_ptr().cast(), len) };
        assert_eq!(
            look(memory.at().cast_const().cast(), key).as_ref(),
            Ok(&expected)
        );
    }
}

/// The length comes from the header, so a header that cannot be one must stop the reading there.
#[test]
fn headers_that_cannot_be_are_refused() {
    type Break = fn(&mut [u32]);
    let cases: [(&[u8], Break); 8] = [
        // Programs: no such kind, shorter than its header, longer than any.
        (COMPUTE, |code| code[0] = 16 << 16 | 0x60),
        (COMPUTE, |code| code[0] = u32::MAX),
        (COMPUTE, |code| code[1] = 0),
        (COMPUTE, |code| code[1] = 5),
        (COMPUTE, |code| code[1] = u32::MAX),
        // Containers: version 2, shorter than its header, longer than any.
        (&[], |code| code[5] = 2),
        (&[], |code| code[6] = 31),
        (&[], |code| code[6] = 0x8000_0001),
    ];
    for (index, (source, break_it)) in cases.into_iter().enumerate() {
        let is_program = !source.is_empty();
        let mut code = if is_program {
            program(source)
        } else {
            words(COMPUTE)
        };
        break_it(&mut code);
        let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let error = if is_program {
            dxil::Program::declared_len(bytes.first_chunk().unwrap())
        } else {
            dxil::Container::declared_len(bytes.first_chunk().unwrap())
        };
        let expected = DescError::Shader {
            what: "pShaderCode",
            error: error.unwrap_err(),
        };
        let line = look(code.as_ptr(), |_| ()).unwrap_err();
        assert!(line.contains(&expected.to_string()), "case {index}: {line}");
    }
}

/// What the header's length allows is read, but only `program` says whether it is one.
#[test]
fn code_that_is_broken_inside_is_refused_by_program() {
    let breaks: [fn(&mut [u32]); 5] = [
        |code| code[2] = 0,
        |code| code[4] = u32::MAX,
        |code| code[5] += 4096,
        |code| code[5] -= 1,
        |code| code[6] = 0,
    ];
    for (index, break_it) in breaks.into_iter().enumerate() {
        let mut code = program(COMPUTE);
        break_it(&mut code);
        let broken = look(code.as_ptr(), |code| {
            // A key is there all the same: it is of these bytes.
            (code.program().is_err(), key(code), format!("{code:?}"))
        });
        let (broken, broken_key, _) = broken.unwrap();
        assert!(broken, "case {index}");
        assert_ne!(Ok(broken_key), look(program(COMPUTE).as_ptr(), key));
    }
    // A container without a program.
    let mut code = words(COMPUTE);
    code[7] = 0;
    assert_eq!(
        look(code.as_ptr(), |code| code.program().is_err()),
        Ok(true)
    );
}
