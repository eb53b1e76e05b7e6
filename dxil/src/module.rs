//! What a program says of itself: entry points, resources, constants.

mod graph;
mod interface;
mod layout;
mod walk;

use crate::constants::{Constant, Scalar};
use crate::{Error, Program, Version};

pub use interface::{
    ElementType, EntryPoint, NodeAttributes, NodeId, NodeIo, RaySizes, Resource, SignatureEntry,
    Stage, WaveSize,
};

/// The module in the bitcode of a program, as far as a consumer needs it without LLVM.
///
/// Drivers are given a program without the parts around it. All that PSV0, RDAT and the signature
/// parts say comes from here: entry points with their signatures and properties, and resources.
/// [`constants`](Self::constants) are what can be patched.
///
/// Nothing is borrowed. Time and memory are linear in the length of the bitcode; metadata whose
/// pieces are shared so much that reading it would take more is refused.
///
/// ```
/// use dxil::module::Stage;
/// use dxil::{Container, Module, ResourceClass, ShaderKind};
///
/// let shader = include_bytes!("../corpus/dxil/raw_copy_cs.dxil");
/// let module = Module::parse(&Container::parse(shader)?.program()?)?;
/// let [entry] = module.entry_points() else { panic!() };
/// assert_eq!((entry.name.as_str(), entry.kind), ("main", ShaderKind::Compute));
/// assert_eq!(entry.thread_group, Some([128, 1, 1]));
/// assert_eq!(entry.stage, Stage::Other);
/// for resource in module.resources() {
///     println!("{:?} {} space{}", resource.class, resource.lower_bound, resource.space);
/// }
/// assert!(module.resources().iter().any(|resource| resource.class == ResourceClass::UAV));
/// # Ok::<(), dxil::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    profile: Option<(String, Version)>,
    dxil_version: Option<Version>,
    validator_version: Option<Version>,
    flags: u64,
    view_id_state: Vec<u32>,
    group_shared_bytes: Option<u32>,
    entry_points: Vec<EntryPoint>,
    resources: Vec<Resource>,
    functions: Vec<Function>,
    constants: Vec<Constant>,
}

/// A function of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The name in the module; mangled names start with the byte 1. Empty where there is none.
    pub name: String,
    /// Whether the function has a body; without one, it is an intrinsic (`dx.op.`) or is linked in.
    pub is_defined: bool,
}

impl Module {
    /// Reads the bitcode of `program`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Bitstream`](crate::ErrorKind::Bitstream) where the bitcode is damaged or has no
    /// module, [`ErrorKind::Metadata`](crate::ErrorKind::Metadata) where `!dx.` metadata is not as
    /// DXIL wants it. Offsets are in bytes from the start of the program.
    pub fn parse(program: &Program<'_>) -> Result<Self, Error> {
        Self::read(program).map_err(|error| Error {
            offset: program.bitcode_offset() + error.offset,
            ..error
        })
    }

    fn read(program: &Program<'_>) -> Result<Self, Error> {
        let walk = walk::Walk::over(program.bitcode())?;
        let interface = interface::Interface::read(&walk, program)?;
        Ok(Self {
            profile: interface.profile,
            dxil_version: interface.dxil_version,
            validator_version: interface.validator_version,
            flags: interface.flags,
            view_id_state: interface.view_id_state,
            group_shared_bytes: walk.group_shared_bytes(),
            entry_points: interface.entry_points,
            resources: interface.resources,
            functions: walk.functions,
            constants: walk.constants,
        })
    }

    /// `!dx.shaderModel`: the short name of the profile, such as `cs` or `lib`, and the shader
    /// model.
    pub fn profile(&self) -> Option<(&str, Version)> {
        let (name, version) = self.profile.as_ref()?;
        Some((name, *version))
    }

    /// `!dx.version`: the version of DXIL.
    pub fn dxil_version(&self) -> Option<Version> {
        self.dxil_version
    }

    /// `!dx.valver`: the version of the validator that the program was made for.
    pub fn validator_version(&self) -> Option<Version> {
        self.validator_version
    }

    /// The shader flags of the whole module: those of its one entry point, or of the library
    /// (`DXIL.rst` of DirectXShaderCompiler, "Shader Flags").
    pub fn flags(&self) -> u64 {
        self.flags
    }

    /// `!dx.viewIdState`: which outputs depend on which inputs and on `SV_ViewID`, in the form of
    /// `DxilViewIdState` of DirectXShaderCompiler; empty where nothing depends on anything. `PSV0`
    /// has the same as tables.
    pub fn view_id_state(&self) -> &[u32] {
        &self.view_id_state
    }

    /// Bytes of the variables in group-shared memory; `None` where a variable has a type that a
    /// shader cannot have there. Which function of a library uses which is in the instructions only.
    pub fn group_shared_bytes(&self) -> Option<u32> {
        self.group_shared_bytes
    }

    /// `!dx.entryPoints`: one, or in a library any number.
    pub fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    /// `!dx.resources`: all that the program binds, in the order SRVs, UAVs, CBVs, samplers.
    /// Resources from the heap (`ResourceDescriptorHeap`) are not listed. Which function of a
    /// library uses which is in the instructions only.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// All functions, in the order of the module.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// All numeric constants, in the order of the bitcode.
    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// The constants of that type and value: in each function that uses it one, and more where it
    /// is also an element of an array or in the module's scope.
    pub fn find(&self, ty: Scalar, bits: u64) -> impl Iterator<Item = &Constant> {
        let wanted = move |constant: &&Constant| (constant.ty, constant.bits) == (ty, bits);
        self.constants.iter().filter(wanted)
    }
}

#[cfg(test)]
mod tests;
