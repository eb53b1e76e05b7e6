//! `sign` and `strip`.

use std::path::Path;

use dxil::{Container, ContainerBuilder, Error, ErrorKind, FourCc, Signing};

use crate::failure::{Failure, exit_code};
use crate::file;

pub fn sign(input: &Path, output: &Path) -> Result<u8, Failure> {
    let mut bytes = file::read(input)?;
    let damaged = |error| Failure::Damaged {
        file: input.to_owned(),
        error,
    };
    let container = Container::parse(&bytes).map_err(damaged)?;
    check(&container).map_err(|error| Failure::Remains {
        file: input.to_owned(),
        error,
    })?;
    dxil::sign(&mut bytes, Signing::Hash).map_err(damaged)?;
    file::write(output, &bytes)?;
    Ok(exit_code::DONE)
}

pub fn strip(input: &Path, output: &Path, parts: &[FourCc]) -> Result<u8, Failure> {
    let bytes = file::read(input)?;
    let damaged = |error| Failure::Damaged {
        file: input.to_owned(),
        error,
    };
    let remains = |error| Failure::Remains {
        file: input.to_owned(),
        error,
    };
    let container = Container::parse(&bytes).map_err(damaged)?;
    let mut builder = ContainerBuilder::from(&container);
    for &part in parts {
        builder.remove(part);
    }
    let stripped = builder.build().map_err(remains)?;
    let checked = Container::parse(&stripped).and_then(|container| check(&container));
    checked.map_err(remains)?;
    file::write(output, &stripped)?;
    Ok(exit_code::DONE)
}

/// Checks what is to be written. Containers of shader models 4 and 5 are only parts and a hash.
fn check(container: &Container<'_>) -> Result<(), Error> {
    match container.check() {
        Err(error) if error.kind == ErrorKind::NotDxil => Ok(()),
        checked => checked,
    }
}
