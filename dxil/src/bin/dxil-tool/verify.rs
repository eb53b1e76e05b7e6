//! `verify`: prints what is wrong with a file, and where.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use dxil::rdat::SubobjectKind;
use dxil::{
    Container, Error, Form, FourCc, Module, Part, PartContent, Program, RootSignature,
    RootSignatureDesc, StoredHash,
};

use crate::failure::{Failure, exit_code};
use crate::file;
use crate::text::{BAD, GOOD, ODD, printable};

pub fn command(files: &[PathBuf], out: &mut impl Write) -> Result<u8, Failure> {
    file::check_standard_input(files.iter().map(PathBuf::as_path))?;
    let mut code = exit_code::DONE;
    for path in files {
        let bytes = match file::read(path) {
            Ok(bytes) => bytes,
            Err(failure) => {
                failure.report();
                code = exit_code::TROUBLE;
                continue;
            }
        };
        let found = findings(&bytes);
        let name = printable(&path.to_string_lossy());
        for (style, word, texts) in [
            (BAD, "error", &found.errors),
            (ODD, "warning", &found.warnings),
        ] {
            for text in texts {
                writeln!(out, "{name}: {style}{word}{style:#}: {}", printable(text))?;
            }
        }
        if found.errors.is_empty() {
            writeln!(out, "{name}: {GOOD}ok{GOOD:#}")?;
        } else {
            code = code.max(exit_code::NO);
        }
    }
    Ok(code)
}

#[derive(Default)]
struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Findings {
    fn check<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| self.errors.push(error.to_string()))
            .ok()
    }
}

fn findings(bytes: &[u8]) -> Findings {
    let mut found = Findings::default();
    let first = bytes.first_chunk().copied().unwrap_or_default();
    let behind = match Form::sniff(first) {
        Form::Container => {
            let Some(container) = found.check(Container::parse(bytes)) else {
                return found;
            };
            check_container(&container, &mut found);
            container.trailing().len()
        }
        Form::Program => {
            let Some(program) = found.check(Program::parse(bytes)) else {
                return found;
            };
            let check = program.check_bitcode();
            found.check(check.and_then(|()| Module::parse(&program)));
            bytes.len() - program.bytes().len()
        }
    };
    if behind > 0 {
        let text = format!(
            "byte {:#x}: {behind} bytes after the end of the container",
            bytes.len() - behind
        );
        found.warnings.push(text);
    }
    found
}

fn check_container(container: &Container<'_>, found: &mut Findings) {
    match container.hash() {
        StoredHash::Unsigned => {
            let text = "byte 0x4: not signed: the runtime refuses it";
            found.errors.push(text.to_owned());
        }
        StoredHash::Hash(_) => {
            found.check(container.verify());
        }
        StoredHash::Bypass | StoredHash::PreviewBypass => {
            let name = match container.hash() {
                StoredHash::Bypass => "BYPASS",
                _ => "PREVIEW_BYPASS",
            };
            let text =
                format!("byte 0x4: {name} in place of a hash: the runtime will not verify it");
            found.warnings.push(text);
        }
    }
    let mut can_be_read = true;
    for part in container.parts() {
        let before = found.errors.len();
        let is_sound = found.check(part.check()).is_some();
        if is_sound {
            check_inside(part, container, found);
        }
        let is_program = part.fourcc() == FourCc::DXIL;
        can_be_read &= is_sound && !(is_program && found.errors.len() > before);
    }
    // Otherwise it would report the same fault again.
    if can_be_read && let Some(disagreements) = found.check(container.disagreements()) {
        found
            .errors
            .extend(disagreements.iter().map(Error::to_string));
    }
}

/// Checks the content of a part that can be read.
fn check_inside(part: &Part<'_>, container: &Container<'_>, found: &mut Findings) {
    let payload = part.offset() + 8;
    match part.content() {
        Ok(PartContent::Program(program)) => {
            let module = Module::parse(&program).map_err(|error| Error {
                part: Some(part.fourcc()),
                offset: payload + error.offset,
                ..error
            });
            found.check(module);
        }
        Ok(PartContent::RootSignature(root_signature)) => {
            check_root_signature(&root_signature, part, "", found);
        }
        Ok(PartContent::RuntimeData(data)) => {
            // Subobjects may share a root signature.
            let mut seen = BTreeSet::new();
            for subobject in data.subobjects() {
                let (SubobjectKind::GlobalRootSignature(bytes)
                | SubobjectKind::LocalRootSignature(bytes)) = subobject.kind
                else {
                    continue;
                };
                let is_new = seen.insert((bytes.as_ptr(), bytes.len()));
                if let (true, Ok(root_signature)) = (is_new, RootSignature::parse(bytes)) {
                    let name = format!("{}, ", subobject.name);
                    check_root_signature(&root_signature, part, &name, found);
                }
            }
        }
        Ok(PartContent::ShaderHash(hash)) => {
            if let Ok(Some(computed)) = container.computed_shader_hash()
                && computed != hash
            {
                let name = FourCc::HASH;
                let text =
                    format!("part {name}, byte {payload:#x}: the hash is of another program");
                found.warnings.push(text);
            }
        }
        _ => {}
    }
}

/// Reports what the API would refuse; `subobject` says which one.
fn check_root_signature(
    root_signature: &RootSignature<'_>,
    part: &Part<'_>,
    subobject: &str,
    found: &mut Findings,
) {
    let name = part.fourcc();
    let payload = part.offset() + 8;
    let refused = match RootSignatureDesc::try_from(root_signature) {
        Ok(desc) => desc.validate().err().map(|error| error.to_string()),
        Err(error) => Some(error.kind.to_string()),
    };
    if let Some(refused) = refused {
        let text = format!("part {name}, byte {payload:#x}: {subobject}{refused}");
        found.errors.push(text);
    }
}
