//! What a part holds by its name, and whether the parts of a container fit together.

mod bindings;
mod facts;
mod findings;

use crate::container::{COUNT, HEADER_LEN, SIZE};
use crate::hash::md5;
use crate::program::DXIL_VERSION;
use crate::psv0::PipelineStateValidation;
use crate::rdat::RuntimeData;
use crate::{
    CompilerVersion, Container, DebugName, Error, ErrorKind, FeatureFlags, FourCc, Module, Part,
    Program, RootSignature, ShaderHash, ShaderHashFlags, ShaderKind, Signature, Version,
};

pub(crate) use facts::{
    Facts, features, is_before, is_packed, resource_type, resources, upper_bound, vectors,
};
pub(crate) use findings::{Expected, Fields, Findings};

/// A part as its reader reads it.
#[derive(Debug, Clone)]
pub enum PartContent<'a> {
    /// `DXIL`, `ILDB` and `STAT`.
    Program(Program<'a>),
    /// `ISG1`, `OSG1` and `PSG1`.
    Signature(Signature<'a>),
    /// `RTS0`.
    RootSignature(RootSignature<'a>),
    /// `PSV0`.
    PipelineStateValidation(PipelineStateValidation<'a>),
    /// `RDAT`.
    RuntimeData(RuntimeData<'a>),
    /// `SFI0`.
    FeatureFlags(FeatureFlags),
    /// `HASH`.
    ShaderHash(ShaderHash),
    /// `ILDN`.
    DebugName(DebugName<'a>),
    /// `VERS`.
    CompilerVersion(CompilerVersion<'a>),
    /// Bytes that this crate does not read: `PRIV`, `SRCI`, `PDBI`, the parts of shader models 4 and
    /// 5, and unknown ones.
    Other(&'a [u8]),
}

impl<'a> Part<'a> {
    /// Reads the payload as that which a part of its name holds.
    ///
    /// # Errors
    ///
    /// Those of the reader, located in the part.
    pub fn content(&self) -> Result<PartContent<'a>, Error> {
        use PartContent as C;
        match self.fourcc() {
            FourCc::DXIL | FourCc::ILDB | FourCc::STAT => self.program().map(C::Program),
            FourCc::ISG1 | FourCc::OSG1 | FourCc::PSG1 => {
                self.read(Signature::parse).map(C::Signature)
            }
            FourCc::RTS0 => self.read(RootSignature::parse).map(C::RootSignature),
            FourCc::PSV0 => {
                let read = self.read(PipelineStateValidation::parse);
                read.map(C::PipelineStateValidation)
            }
            FourCc::RDAT => self.read(RuntimeData::parse).map(C::RuntimeData),
            FourCc::SFI0 => self.read(FeatureFlags::parse).map(C::FeatureFlags),
            FourCc::HASH => self.read(ShaderHash::parse).map(C::ShaderHash),
            FourCc::ILDN => self.read(DebugName::parse).map(C::DebugName),
            FourCc::VERS => self.read(CompilerVersion::parse).map(C::CompilerVersion),
            _ => Ok(C::Other(self.bytes())),
        }
    }

    /// Reads all of the part, as far as its reader goes: the bitcode of programs and the root
    /// signatures of `RDAT` included. Whether it fits the other parts is for
    /// [`Container::check`] to tell.
    ///
    /// # Errors
    ///
    /// Those of the readers, located in the part.
    pub fn check(&self) -> Result<(), Error> {
        match self.content()? {
            PartContent::Program(program) => self.read(|_| program.check_bitcode()),
            PartContent::RuntimeData(data) => self.read(|_| {
                for (offset, bytes) in data.root_signatures()? {
                    RootSignature::parse(bytes).map_err(|error| Error {
                        offset: offset + error.offset,
                        ..error
                    })?;
                }
                Ok(())
            }),
            _ => Ok(()),
        }
    }
}

/// The parts that say something of a program.
const DESCRIPTIONS: [FourCc; 6] = [
    FourCc::SFI0,
    FourCc::ISG1,
    FourCc::OSG1,
    FourCc::PSG1,
    FourCc::PSV0,
    FourCc::RDAT,
];

/// Which programs have a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Allowed,
    Forbidden,
}

/// Whether a program has the part of that name, as the validator of DXC wants it. `PSG1` is there for
/// signatures that have elements.
fn presence(part: FourCc, kind: ShaderKind, has_third_elements: bool) -> Presence {
    use Presence::{Allowed, Forbidden, Required};
    use ShaderKind::{Domain, Hull, Library, Mesh};
    let is_library = kind == Library;
    match part {
        FourCc::SFI0 | FourCc::ISG1 | FourCc::OSG1 | FourCc::PSV0 if !is_library => Required,
        FourCc::PSG1 if matches!(kind, Hull | Domain | Mesh) => {
            if has_third_elements {
                Required
            } else {
                Allowed
            }
        }
        FourCc::RDAT if is_library => Required,
        FourCc::SFI0 | FourCc::VERS if is_library => Allowed,
        FourCc::RTS0 if !is_library => Allowed,
        FourCc::DXIL
        | FourCc::STAT
        | FourCc::ILDB
        | FourCc::ILDN
        | FourCc::HASH
        | FourCc::PRIV
        | FourCc::RDEF => Allowed,
        _ => Forbidden,
    }
}

/// The parts that some programs must have.
const REQUIRED: [FourCc; 6] = [
    FourCc::SFI0,
    FourCc::ISG1,
    FourCc::OSG1,
    FourCc::PSG1,
    FourCc::PSV0,
    FourCc::RDAT,
];

impl<'a> Container<'a> {
    /// Reads every part to its end, the bitcode of programs included, and checks that the parts
    /// agree with the program: see [`disagreements`](Self::disagreements).
    ///
    /// Neither hash is checked: see [`verify`](Self::verify) and
    /// [`computed_shader_hash`](Self::computed_shader_hash).
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, in the order of the part table.
    pub fn check(&self) -> Result<(), Error> {
        for part in self.parts() {
            part.check()?;
        }
        let disagreements = self.disagreements()?;
        disagreements.first().map_or(Ok(()), |&error| Err(error))
    }

    /// What the parts say otherwise than the program in `DXIL`, or leave out, in the order of the
    /// part table: each field of the signatures, of `PSV0`, `SFI0` and `RDAT` that follows from the
    /// metadata of the program, the program headers, the resources that `RTS0` must bind, the parts
    /// that a program of its kind has, and their order. The validator of DXC refuses nearly all of
    /// these. Nothing is found where there is no program, as in a root signature or a PDB.
    ///
    /// Some fields follow from the instructions, which this crate does not read, and are not
    /// compared: of the functions in `RDAT` the features, the resources, what they call, and more
    /// than the limits of stages and shader model; subobjects, which are in `RDAT` alone; and the
    /// contents of `HASH`, `ILDN`, `VERS` and `PRIV`, and of the programs in `ILDB` and `STAT`.
    ///
    /// Takes time linear in the length of the container, or a logarithm more.
    ///
    /// # Errors
    ///
    /// A part that is compared, or the program, cannot be read; or there is no program for the parts
    /// that describe one.
    pub fn disagreements(&self) -> Result<Vec<Error>, Error> {
        let program = match self.program() {
            Ok(program) => program,
            Err(Error {
                kind: ErrorKind::NoDxilPart,
                ..
            }) if !DESCRIPTIONS.iter().any(|&name| self.part(name).is_some()) => {
                return Ok(Vec::new());
            }
            Err(error) => return Err(error),
        };
        let Some(dxil) = self.part(FourCc::DXIL) else {
            return Ok(Vec::new());
        };
        let module = dxil.read(|_| Module::parse(&program))?;
        let mut errors = Vec::new();
        let kind = program.kind();
        let entry = match module.entry_points() {
            _ if kind == ShaderKind::Library => None,
            [entry] => Some(entry),
            entries => {
                let count = entries.len();
                return dxil.read(|_| Err(ErrorKind::EntryPointCount { count }.at(0)));
            }
        };
        let facts = entry.map(|entry| Facts {
            kind,
            module: &module,
            entry,
        });
        self.compare_layout(&mut errors);
        let has_third = entry.is_some_and(|entry| !entry.patch_or_primitive.is_empty());
        for part in self.parts() {
            let mut findings = Findings::new(part, &mut errors);
            if presence(part.fourcc(), kind, has_third) == Presence::Forbidden {
                findings.add(ErrorKind::SurplusPart { program: kind }, 0);
                continue;
            }
            match (part.content()?, &facts) {
                (PartContent::Program(of_part), _) => {
                    compare_program(&of_part, kind, &module, &mut findings);
                }
                (PartContent::Signature(signature), Some(facts)) => {
                    let [inputs, outputs, third] = facts.signatures();
                    let (entries, is_input) = match part.fourcc() {
                        FourCc::ISG1 => (inputs, true),
                        FourCc::OSG1 => (outputs, false),
                        _ => (third, kind == ShaderKind::Domain),
                    };
                    signature.compare(facts, entries, is_input, &mut findings);
                }
                (PartContent::PipelineStateValidation(psv0), Some(facts)) => {
                    psv0.compare(facts, &mut findings);
                }
                (PartContent::RuntimeData(data), _) => data.compare(&module, &mut findings),
                (PartContent::FeatureFlags(flags), _) => {
                    let numbers = [flags.0, features(module.flags()).0];
                    findings.number(("feature flags", None), "value", numbers, 0);
                }
                (PartContent::RootSignature(root_signature), Some(facts)) => {
                    bindings::compare(&root_signature, facts, &mut findings);
                }
                (PartContent::CompilerVersion(_), _) => CompilerVersion::compare(&mut findings),
                _ => {}
            }
        }
        for part in REQUIRED {
            let is_required = presence(part, kind, has_third) == Presence::Required;
            if is_required && self.part(part).is_none() {
                let program = kind;
                errors.push(ErrorKind::MissingPart { part, program }.at(COUNT));
            }
        }
        Ok(errors)
    }

    /// The parts are in the order of the part table, one behind the other, and nothing else is there.
    fn compare_layout(&self, errors: &mut Vec<Error>) {
        let mut end = HEADER_LEN + 4 * self.parts().len();
        for part in self.parts() {
            let start = part.offset();
            if start != end {
                let error = ErrorKind::PartNotAdjacent { start, end }.at(0);
                errors.push(error.in_part(part.fourcc(), start));
                return;
            }
            end = part.end();
        }
        let container = self.bytes().len();
        if end != container {
            errors.push(ErrorKind::ContainerPastParts { end, container }.at(SIZE));
        }
    }

    /// The hash that the `HASH` part should have: MD5 of the bitcode in `DXIL`, or in `ILDB` if its
    /// flags say so. `None` where there is no `HASH` part, or not the bitcode that it is made from.
    ///
    /// Compilers write it, and nobody checks it: after a change to the program it no longer fits.
    ///
    /// # Errors
    ///
    /// The `HASH` part, or the program, is not readable.
    pub fn computed_shader_hash(&self) -> Result<Option<ShaderHash>, Error> {
        let Some(ShaderHash { flags, .. }) = self.shader_hash()? else {
            return Ok(None);
        };
        let from = if flags.contains(ShaderHashFlags::INCLUDES_SOURCE) {
            FourCc::ILDB
        } else {
            FourCc::DXIL
        };
        let Some(part) = self.part(from) else {
            return Ok(None);
        };
        let digest = md5(part.program()?.bitcode());
        Ok(Some(ShaderHash { flags, digest }))
    }

    fn read_part<T>(
        &self,
        name: FourCc,
        parse: impl FnOnce(&'a [u8]) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.part(name).map(|part| part.read(parse)).transpose()
    }

    /// The pipeline state validation data in the `PSV0` part; `None` where there is none, as in
    /// libraries.
    ///
    /// # Errors
    ///
    /// Those of [`PipelineStateValidation::parse`].
    pub fn pipeline_state_validation(&self) -> Result<Option<PipelineStateValidation<'a>>, Error> {
        self.read_part(FourCc::PSV0, PipelineStateValidation::parse)
    }

    /// The runtime data in the `RDAT` part; `None` where there is none, as in all that is not a
    /// library.
    ///
    /// # Errors
    ///
    /// Those of [`RuntimeData::parse`].
    pub fn runtime_data(&self) -> Result<Option<RuntimeData<'a>>, Error> {
        self.read_part(FourCc::RDAT, RuntimeData::parse)
    }

    /// The feature flags in the `SFI0` part; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Those of [`FeatureFlags::parse`].
    pub fn feature_flags(&self) -> Result<Option<FeatureFlags>, Error> {
        self.read_part(FourCc::SFI0, FeatureFlags::parse)
    }

    /// The hash in the `HASH` part; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Those of [`ShaderHash::parse`].
    pub fn shader_hash(&self) -> Result<Option<ShaderHash>, Error> {
        self.read_part(FourCc::HASH, ShaderHash::parse)
    }

    /// The name of the PDB in the `ILDN` part; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Those of [`DebugName::parse`].
    pub fn debug_name(&self) -> Result<Option<DebugName<'a>>, Error> {
        self.read_part(FourCc::ILDN, DebugName::parse)
    }

    /// The version of the compiler in the `VERS` part; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Those of [`CompilerVersion::parse`].
    pub fn compiler_version(&self) -> Result<Option<CompilerVersion<'a>>, Error> {
        self.read_part(FourCc::VERS, CompilerVersion::parse)
    }
}

/// The short names of profiles, in the order of the shader kinds.
const PROFILES: [&str; 16] = [
    "ps", "vs", "gs", "hs", "ds", "cs", "lib", "", "", "", "", "", "", "ms", "as", "",
];

/// Compares the header of a program with the module in `DXIL`.
fn compare_program(
    program: &Program<'_>,
    kind: ShaderKind,
    module: &Module,
    findings: &mut Findings<'_, '_>,
) {
    if program.kind() != kind {
        let kind = ErrorKind::ProgramKindMismatch {
            program: kind,
            part: findings.part.fourcc(),
            described: program.kind(),
        };
        findings.add(kind, 0);
    }
    let Some((name, model)) = module.profile() else {
        return;
    };
    let header = program.kind();
    if name != PROFILES[header as usize] {
        findings.add(ErrorKind::ProfileMismatch { header }, 0);
    }
    let dxil_version = module.dxil_version().unwrap_or(program.dxil_version());
    let versions: [(&str, Version, Version, usize); 2] = [
        ("shader model", program.shader_model(), model, 0),
        (
            "DXIL version",
            program.dxil_version(),
            dxil_version,
            DXIL_VERSION,
        ),
    ];
    for (what, header, module, at) in versions {
        if header != module {
            let kind = ErrorKind::ProgramVersionMismatch {
                what,
                header,
                module,
            };
            findings.add(kind, at);
        }
    }
}
