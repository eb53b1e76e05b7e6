//! What a part holds by its name, and whether the parts of a container fit together.

use crate::hash::md5;
use crate::psv0::PipelineStateValidation;
use crate::rdat::RuntimeData;
use crate::{
    CompilerVersion, Container, DebugName, Error, ErrorKind, FeatureFlags, FourCc, Part, Program,
    RootSignature, ShaderHash, ShaderHashFlags, ShaderKind, Signature,
};

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

impl<'a> Container<'a> {
    /// Reads every part to its end, the bitcode of programs included, and checks that the parts
    /// agree: what describes a program has one to describe, and `PSV0`, `RDAT`, `ILDB` and `STAT`
    /// are of the kind of program that `DXIL` is. Takes time linear in the length of the container.
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
        let program = match self.program() {
            Ok(program) => program,
            Err(Error {
                kind: ErrorKind::NoDxilPart,
                ..
            }) if !DESCRIPTIONS.iter().any(|&name| self.part(name).is_some()) => return Ok(()),
            Err(error) => return Err(error),
        };
        let program_at = self.part(FourCc::DXIL);
        for part in self.parts() {
            let described = match part.content()? {
                PartContent::Program(program) => Some(program.kind()),
                PartContent::PipelineStateValidation(psv0) => psv0.stage,
                PartContent::RuntimeData(_) => Some(ShaderKind::Library),
                _ => None,
            };
            let (Some(described), Some(program_at)) = (described, program_at) else {
                continue;
            };
            if described != program.kind() {
                let kind = ErrorKind::ProgramKindMismatch {
                    program: program.kind(),
                    part: part.fourcc(),
                    described,
                };
                return program_at.read(|_| Err(kind.at(0)));
            }
        }
        Ok(())
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
