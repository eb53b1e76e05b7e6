//! `sign` and `strip`.

use std::path::Path;

use dxil::{Container, ContainerBuilder, FourCc, Signing};

use crate::failure::{Failure, exit_code};
use crate::file;

pub fn sign(input: &Path, output: &Path) -> Result<u8, Failure> {
    let mut bytes = file::read(input)?;
    let damaged = |error| Failure::Damaged {
        file: input.to_owned(),
        error,
    };
    Container::parse(&bytes).map_err(damaged)?;
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
    let check = Container::parse(&stripped).and_then(|container| container.check());
    check.map_err(remains)?;
    file::write(output, &stripped)?;
    Ok(exit_code::DONE)
}
