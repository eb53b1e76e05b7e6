//! Reads the DXIL libraries of a state object: what they export, and under which names (Raytracing.md,
//! "D3D12_DXIL_LIBRARY_DESC", "D3D12_EXPORT_DESC"; WorkGraphs.md, "Generic programs" for shaders that are not libraries).

use std::collections::HashSet;
use std::sync::Arc;

use api_desc::Export;
use dxil::rdat::{self, NodeIoAttribute, RuntimeData, Subobject, SubobjectKind};
use dxil::{Container, Program, ResourceClass, ShaderKind, Version};

use super::function::Function;
use crate::desc::registers::constant_buffers_with_arrays;
use crate::desc::{Invalid, root_signature, shader};

/// The name that stands for the only export of a library.
const THE_ONLY_ONE: &str = "*";

/// The first byte of a name with parameter types.
const MANGLED: char = '\u{1}';

/// The oldest library that a state object takes.
const OLDEST: Version = Version { major: 6, minor: 3 };

/// A library, or a shader in the place of one.
pub(super) struct Library<'a> {
    pub(super) program: Program<'a>,
    pub(super) exports: Vec<LibraryExport>,
    /// The exported subobjects.
    pub(super) subobjects: Vec<Subobject<'a>>,
    /// The content of `RTS0`, if this is a shader that is not a library.
    pub(super) root_signature: Option<&'a [u8]>,
    /// The DDI's export descriptions: empty if everything is exported, and without subobjects and `*`.
    pub(super) descs: Vec<Export>,
    /// The names of its functions and hit groups that are not exported.
    pub(super) hidden: HashSet<String>,
}

/// A function that a library exports.
#[derive(Clone, Debug)]
pub(super) struct LibraryExport {
    /// The name that the state object exports.
    pub(super) name: String,
    /// The name with its parameter types, if it has any.
    pub(super) mangled: String,
    /// The name in the library.
    pub(super) internal_name: String,
    pub(super) function: Arc<Function>,
}

impl<'a> Library<'a> {
    /// Reads a library and lists its exports; everything if `descs` is empty.
    pub(super) fn read(bytes: &'a [u8], descs: &[Export]) -> Result<Self, Invalid> {
        let container = shader::container(bytes)?;
        let unreadable = |error: dxil::Error| Invalid::other(error.to_string());
        let program = container.program().map_err(unreadable)?;
        let library = match program.kind() {
            ShaderKind::Library => Self::of_library(&container, program, descs),
            _ => Self::of_shader(&container, program, descs),
        }?;
        for desc in &library.descs {
            let names = [Some(&desc.name), desc.export_to_rename.as_ref()];
            if names.into_iter().flatten().any(String::is_empty) {
                return refuse("an export has an empty name".to_owned());
            }
        }
        Ok(library)
    }

    fn of_library(
        container: &Container<'a>,
        program: Program<'a>,
        descs: &[Export],
    ) -> Result<Self, Invalid> {
        if program.shader_model() < OLDEST {
            return refuse(format!(
                "the library is of shader model {}, state objects take {OLDEST} and newer",
                program.shader_model()
            ));
        }
        let data = container
            .runtime_data()
            .map_err(|error| Invalid::other(error.to_string()))?;
        let Some(data) = data else {
            return refuse("the library has no runtime data (no part RDAT)".to_owned());
        };
        check_size(&data)?;
        let mut library = Self {
            program,
            exports: Vec::new(),
            subobjects: Vec::new(),
            root_signature: None,
            descs: Vec::new(),
            hidden: HashSet::new(),
        };
        let with_arrays = if data.resources().any(|r| r.class == ResourceClass::CBV) {
            constant_buffers_with_arrays(container)
        } else {
            Vec::new()
        };
        let model = program.shader_model();
        let read = |function: &_| Arc::new(Function::of_library(function, model, &with_arrays));
        if descs.is_empty() {
            for function in data.functions() {
                library.exports.push(LibraryExport {
                    name: function.unmangled_name.to_owned(),
                    mangled: function.name.to_owned(),
                    internal_name: function.unmangled_name.to_owned(),
                    function: read(&function),
                });
            }
            library.subobjects = data.subobjects().collect();
            return Ok(library);
        }
        let mut subobjects = HashSet::new();
        for desc in descs {
            library.add(&data, &read, desc, &mut subobjects)?;
        }
        let exported: HashSet<&str> = (library.exports.iter().map(|e| &*e.internal_name))
            .chain(library.subobjects.iter().map(|s| s.name))
            .collect();
        let hit_groups = data
            .subobjects()
            .filter(|s| matches!(s.kind, SubobjectKind::HitGroup { .. }));
        let all = data
            .functions()
            .map(|f| f.unmangled_name)
            .chain(hit_groups.map(|s| s.name));
        library.hidden = all
            .filter(|name| !exported.contains(name))
            .map(str::to_owned)
            .collect();
        Ok(library)
    }

    /// Adds the exports that an export description names.
    fn add(
        &mut self,
        data: &RuntimeData<'a>,
        read: &impl Fn(&rdat::Function<'a>) -> Arc<Function>,
        desc: &Export,
        subobjects: &mut HashSet<String>,
    ) -> Result<(), Invalid> {
        let new_name = desc.export_to_rename.as_ref().map(|_| &*desc.name);
        if let Some(new_name) = new_name.filter(|name| is_mangled(name)) {
            return refuse(format!(
                "Name {} is the new name of an export, so it may not be mangled",
                display(new_name)
            ));
        }
        let mut source = desc.export_to_rename.as_deref().unwrap_or(&desc.name);
        if source == THE_ONLY_ONE {
            source = match &data.functions().collect::<Vec<_>>()[..] {
                [function] => function.unmangled_name,
                functions => {
                    return refuse(format!(
                        "\"*\" stands for the only export, but the library has {}",
                        functions.len()
                    ));
                }
            };
        }
        let mut found = false;
        for function in data.functions() {
            let by_mangled = same_mangled(function.name, source);
            if function.unmangled_name != source && !by_mangled {
                continue;
            }
            found = true;
            let name = new_name.unwrap_or(function.unmangled_name);
            self.exports.push(LibraryExport {
                name: name.to_owned(),
                mangled: renamed(function.name, function.unmangled_name, name),
                internal_name: function.unmangled_name.to_owned(),
                function: read(&function),
            });
        }
        if found {
            self.descs.push(Export {
                name: new_name.unwrap_or(source).to_owned(),
                export_to_rename: new_name.map(|_| source.to_owned()),
                flags: 0,
            });
            return Ok(());
        }
        let Some(subobject) = data.subobjects().find(|subobject| subobject.name == source) else {
            return refuse(format!(
                "the library exports no function and no subobject {}",
                display(source)
            ));
        };
        if new_name.is_some() {
            return refuse(format!(
                "subobject {source} cannot be renamed: the library refers to it by its name"
            ));
        }
        if !subobjects.insert(source.to_owned()) {
            return refuse(format!("subobject {source} is exported twice"));
        }
        self.subobjects.push(subobject);
        Ok(())
    }

    fn of_shader(
        container: &Container<'a>,
        program: Program<'a>,
        descs: &[Export],
    ) -> Result<Self, Invalid> {
        let function = Arc::new(Function::of_shader(container)?);
        let validation = container.pipeline_state_validation();
        let validation = validation.map_err(|error| Invalid::other(error.to_string()))?;
        let own_name = validation
            .and_then(|v| v.entry_name)
            .filter(|name| !name.is_empty());
        root_signature::embedded(container)?;
        let everything = [Export {
            name: THE_ONLY_ONE.to_owned(),
            export_to_rename: None,
            flags: 0,
        }];
        let mut exports = Vec::new();
        for desc in if descs.is_empty() { &everything } else { descs } {
            let source = desc.export_to_rename.as_ref().unwrap_or(&desc.name);
            if source != THE_ONLY_ONE && own_name != Some(source) {
                return refuse(match own_name {
                    Some(own) => {
                        format!("the {} shader exports {own}, not {source}", program.kind())
                    }
                    None => format!(
                        "the {} shader was compiled before compilers wrote down the name of the entry \
                         point, so {source} is not found; rename it: \"*\" is its ExportToRename",
                        program.kind()
                    ),
                });
            }
            let new_name = desc.export_to_rename.as_ref().map(|_| &*desc.name);
            let Some(name) = new_name.or(own_name) else {
                return refuse(format!(
                    "the {} shader was compiled before compilers wrote down the name of the entry \
                     point; give it one: an export description with ExportToRename \"*\"",
                    program.kind()
                ));
            };
            exports.push(LibraryExport {
                name: name.to_owned(),
                mangled: name.to_owned(),
                internal_name: own_name.unwrap_or(name).to_owned(),
                function: function.clone(),
            });
        }
        // The driver always gets this name, and ignores the one in the program.
        let desc = |export: &LibraryExport| Export {
            name: export.name.clone(),
            export_to_rename: None,
            flags: 0,
        };
        Ok(Self {
            program,
            descs: exports.iter().map(desc).collect(),
            exports,
            subobjects: Vec::new(),
            root_signature: container.part(dxil::FourCc::RTS0).map(|part| part.bytes()),
            hidden: HashSet::new(),
        })
    }
}

/// The most memory, in bytes, that a copy of the content of runtime data may take.
const MOST_CONTENT: usize = 1 << 26;

/// Checks that the content of runtime data fits into [`MOST_CONTENT`]. Functions may share lists, and names may overlap, so the
/// content of a short part can exceed all memory.
fn check_size(data: &RuntimeData<'_>) -> Result<(), Invalid> {
    /// An upper bound for an element of a list that is kept, and for one that is only read.
    const ELEMENT: usize = 128;
    const SMALL: usize = 8;
    let mut left = MOST_CONTENT;
    let mut take = |bytes: usize| {
        let rest = left.checked_sub(bytes);
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    let mut fits = true;
    for function in data.functions() {
        fits = fits && take(ELEMENT + function.name.len() + function.unmangled_name.len());
        fits = fits && take(ELEMENT.saturating_mul(function.resources.iter().len()));
        let mut names = function.dependencies.iter();
        fits = fits && names.all(|name| take(ELEMENT + name.len()));
        if let Some(node) = &function.node {
            fits = fits && take(SMALL.saturating_mul(node.attributes.iter().len()));
            for io in node.outputs.iter().chain(node.inputs.iter()) {
                fits = fits && take(ELEMENT + SMALL.saturating_mul(io.attributes.iter().len()));
                fits = fits
                    && io
                        .attributes
                        .iter()
                        .all(|attribute| take(name_len(attribute)));
                if !fits {
                    break;
                }
            }
        }
    }
    for subobject in data.subobjects() {
        fits = fits && take(ELEMENT + subobject.name.len());
        match subobject.kind {
            SubobjectKind::GlobalRootSignature(bytes)
            | SubobjectKind::LocalRootSignature(bytes) => fits = fits && take(bytes.len()),
            SubobjectKind::SubobjectToExportsAssociation { subobject, exports } => {
                let mut names = exports.iter();
                fits = fits && take(subobject.len());
                fits = fits && names.all(|name| take(ELEMENT + name.len()));
            }
            SubobjectKind::HitGroup {
                any_hit,
                closest_hit,
                intersection,
                ..
            } => fits = fits && take(any_hit.len() + closest_hit.len() + intersection.len()),
            _ => {}
        }
    }
    if fits {
        return Ok(());
    }
    refuse(format!(
        "the runtime data (RDAT) comes to more than {} MiB",
        MOST_CONTENT >> 20
    ))
}

/// The length of the name in an attribute.
fn name_len(attribute: NodeIoAttribute<'_>) -> usize {
    match attribute {
        NodeIoAttribute::OutputId(id) => id.name.len(),
        _ => 0,
    }
}

fn refuse<T>(text: String) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}

fn is_mangled(name: &str) -> bool {
    name.starts_with([MANGLED, '?'])
}

/// A name without the unprintable byte that mangled names start with.
fn display(name: &str) -> &str {
    name.trim_start_matches(MANGLED)
}

/// Whether `given` is the mangled name of a function, with or without its first byte.
fn same_mangled(name: &str, given: &str) -> bool {
    is_mangled(name) && display(name) == display(given)
}

/// Replaces the name in a mangled name, which starts with `?name@@`.
pub(super) fn renamed(mangled: &str, old: &str, new: &str) -> String {
    let start = format!("{MANGLED}?{old}@@");
    match mangled.strip_prefix(&*start) {
        Some(types) => format!("{MANGLED}?{new}@@{types}"),
        None if mangled == old => new.to_owned(),
        None => mangled.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use dxil::{ContainerBuilder, FourCc};

    use super::*;

    const RAYTRACING: &[u8] =
        include_bytes!("../../../../dxil/corpus/dxil/rt_subobjects_lib63.dxil");
    const FUNCTIONS: &[u8] = include_bytes!("../../../../dxil/corpus/dxil/functions_lib63.dxil");
    const VERTEX: &[u8] = include_bytes!("../../../../dxil/corpus/dxil/forward_plain_vs.dxil");
    const OLD_VERTEX: &[u8] =
        include_bytes!("../../../../dxil/corpus/dxil/forward_lit_vs_old.dxil");
    const ROOT_SIGNATURE: &[u8] = include_bytes!("../../../../dxil/corpus/dxil/fullscreen_ps.dxil");

    fn desc(name: &str, export_to_rename: Option<&str>) -> Export {
        Export {
            name: name.to_owned(),
            export_to_rename: export_to_rename.map(str::to_owned),
            flags: 0,
        }
    }

    /// Exports as `name=mangled`.
    fn exports(library: &Library<'_>) -> Vec<String> {
        let line = |export: &LibraryExport| format!("{}={}", export.name, display(&export.mangled));
        library.exports.iter().map(line).collect()
    }

    #[track_caller]
    fn fails(bytes: &[u8], descs: &[Export], text: &str) {
        let error = Library::read(bytes, descs)
            .err()
            .expect("the exports are refused");
        assert_eq!(error.text, text);
    }

    #[test]
    fn everything_without_a_list() {
        let library = Library::read(RAYTRACING, &[]).unwrap();
        let names: Vec<_> = library.exports.iter().map(|export| &*export.name).collect();
        assert_eq!(names, ["gen", "miss", "closest", "any", "any_box", "box"]);
        assert_eq!(library.subobjects.len(), 11);
        assert_eq!(library.descs, []);
        let closest = &library.exports[2];
        assert_eq!(
            display(&closest.mangled),
            "?closest@@YAXUPayload@@UAttr@@@Z"
        );
        assert_eq!(closest.function.kind, ShaderKind::ClosestHit);
        assert_eq!(closest.function.bindings.len(), 2);
        assert_eq!(closest.function.payload_size, 28);
    }

    #[test]
    fn a_list_names_functions_and_subobjects() {
        let list = [
            desc("closest", None),
            desc("again", Some("closest")),
            desc("tri_group", None),
        ];
        let library = Library::read(RAYTRACING, &list).unwrap();
        assert_eq!(
            exports(&library),
            [
                "closest=?closest@@YAXUPayload@@UAttr@@@Z",
                "again=?again@@YAXUPayload@@UAttr@@@Z",
            ]
        );
        assert_eq!(library.subobjects[0].name, "tri_group");
        // The DDI's export descriptions leave out the library's subobjects.
        assert_eq!(library.descs, list[..2]);
    }

    #[test]
    fn overloads_are_exported_together_or_by_their_mangled_names() {
        let library = Library::read(FUNCTIONS, &[desc("falloff", None)]).unwrap();
        assert_eq!(library.exports.len(), 2);
        for mangled in ["\u{1}?falloff@@YAMMM@Z", "?falloff@@YAMMM@Z"] {
            let library = Library::read(FUNCTIONS, &[desc("new", Some(mangled))]).unwrap();
            assert_eq!(exports(&library), ["new=?new@@YAMMM@Z"]);
            assert_eq!(library.exports[0].function.dependencies.len(), 1);
        }
        fails(
            FUNCTIONS,
            &[desc("?new@@YAMMM@Z", Some("falloff"))],
            "Name ?new@@YAMMM@Z is the new name of an export, so it may not be mangled",
        );
    }

    #[test]
    fn what_a_list_cannot_name() {
        fails(
            RAYTRACING,
            &[desc("gone", None)],
            "the library exports no function and no subobject gone",
        );
        fails(
            RAYTRACING,
            &[desc("new", Some("local_rs"))],
            "subobject local_rs cannot be renamed: the library refers to it by its name",
        );
        fails(
            RAYTRACING,
            &[desc("local_rs", None), desc("local_rs", None)],
            "subobject local_rs is exported twice",
        );
        fails(
            RAYTRACING,
            &[desc("*", None)],
            "\"*\" stands for the only export, but the library has 6",
        );
        fails(
            RAYTRACING,
            &[desc("", Some("gen"))],
            "an export has an empty name",
        );
    }

    #[test]
    fn libraries_that_are_too_old_or_have_no_runtime_data() {
        let container = Container::parse(RAYTRACING).unwrap();
        let mut builder = ContainerBuilder::from(&container);
        builder.remove(FourCc::RDAT);
        fails(
            &builder.build().unwrap(),
            &[],
            "the library has no runtime data (no part RDAT)",
        );
        let mut builder = ContainerBuilder::from(&container);
        let mut program = container.program().unwrap().bytes().to_vec();
        program[0] = 0x61;
        builder.set(FourCc::DXIL, program);
        fails(
            &builder.build().unwrap(),
            &[],
            "the library is of shader model 6.1, state objects take 6.3 and newer",
        );
    }

    #[test]
    fn a_shader_has_one_export() {
        for (list, name) in [
            (vec![], "vs_main"),
            (vec![desc("vs_main", None)], "vs_main"),
            (vec![desc("*", None)], "vs_main"),
            (vec![desc("new", Some("*"))], "new"),
            (vec![desc("new", Some("vs_main"))], "new"),
        ] {
            let library = Library::read(VERTEX, &list).unwrap();
            assert_eq!(exports(&library), [format!("{name}={name}")]);
            assert_eq!(library.descs, [desc(name, None)]);
            assert_eq!(library.exports[0].function.kind, ShaderKind::Vertex);
            assert!(library.root_signature.is_none());
        }
        fails(
            VERTEX,
            &[desc("gone", None)],
            "the vertex shader exports vs_main, not gone",
        );
        assert!(
            Library::read(ROOT_SIGNATURE, &[])
                .unwrap()
                .root_signature
                .is_some()
        );
    }

    #[test]
    fn a_shader_of_an_old_compiler_is_renamed() {
        let library = Library::read(OLD_VERTEX, &[desc("new", Some("*"))]).unwrap();
        assert_eq!(exports(&library), ["new=new"]);
        for list in [vec![], vec![desc("*", None)]] {
            fails(
                OLD_VERTEX,
                &list,
                "the vertex shader was compiled before compilers wrote down the name of the entry \
                 point; give it one: an export description with ExportToRename \"*\"",
            );
        }
        fails(
            OLD_VERTEX,
            &[desc("vs_main", None)],
            "the vertex shader was compiled before compilers wrote down the name of the entry point, \
             so vs_main is not found; rename it: \"*\" is its ExportToRename",
        );
    }

    #[test]
    fn a_new_name_goes_into_the_mangled_one() {
        assert_eq!(renamed("\u{1}?f@@YAMM@Z", "f", "g"), "\u{1}?g@@YAMM@Z");
        assert_eq!(renamed("node", "node", "other"), "other");
    }
}
