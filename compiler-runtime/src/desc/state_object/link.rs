//! Finds what exports lack: functions that they call, registers that no root signature defines, raytracing configs.

use std::collections::{BTreeSet, HashMap};

use ddi_sys::{
    D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_ASSOCIATIONS,
    D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_FUNCTIONS,
    D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_RESOURCE_BINDINGS, D3D12DDI_EXPORT_SUMMARY_FLAGS,
};
use dxil::ShaderVisibility;

use super::association::{Kind, Scope, Target};
use super::model::Model;
use super::object::Collection;
use super::record::{Export, What};
use crate::desc::Invalid;
use crate::desc::registers::{self, Fault, Registers};
use crate::desc::root_signature::{self, HEAP_INDEXING, Scope as RootSignatureScope};
use crate::desc::shader::Stage;

fn refuse<T>(text: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}

/// Finds what each export lacks. Refuses an object that is closed and lacks something.
pub(super) fn find_lacks(model: &mut Model<'_>) -> Result<(), Invalid> {
    let linker = Linker::new(model);
    let mut lacks = vec![D3D12DDI_EXPORT_SUMMARY_FLAGS(0); model.exports.len()];
    for (place, export) in model.exports.iter().enumerate() {
        if !export.is_entry() {
            continue;
        }
        for (flag, why) in linker.lacks_of(place)? {
            if model.is_closed() {
                let hint = if model.is_collection() {
                    "; or set ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS"
                } else {
                    ""
                };
                return refuse(format!("export {}: {why}{hint}", export.name));
            }
            lacks[place].0 |= flag;
        }
    }
    let flag = D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_ASSOCIATIONS.0;
    let unresolved = model
        .pending
        .iter()
        .filter(|p| matches!(p.target, Target::Named(_)));
    for association in unresolved {
        for (export, lacks) in model.exports.iter().zip(&mut lacks) {
            let is_meant =
                association.exports.is_empty() || association.exports.contains(&export.name);
            if export.is_entry() && is_meant {
                lacks.0 |= flag;
            }
        }
    }
    // A hit group also lacks what its shaders lack.
    for place in 0..model.exports.len() {
        if let What::HitGroup { shaders, .. } = &model.exports[place].what {
            for &shader in shaders.iter().flatten() {
                lacks[place].0 |= lacks[shader].0;
            }
        }
    }
    for (export, lacks) in model.exports.iter_mut().zip(lacks) {
        export.lacks = lacks;
    }
    Ok(())
}

/// Follows calls from export to export.
struct Linker<'m, 'a> {
    model: &'m Model<'a>,
    /// The functions that exports can call, by mangled name.
    functions: HashMap<&'m str, Vec<usize>>,
    /// The functions of collections, by their mangled name in the collection.
    internal: HashMap<(Scope, &'m str), usize>,
    registers: HashMap<usize, Registers>,
}

impl<'m, 'a> Linker<'m, 'a> {
    fn new(model: &'m Model<'a>) -> Self {
        let mut functions: HashMap<_, Vec<_>> = HashMap::new();
        let mut internal = HashMap::new();
        for (place, export) in model.exports.iter().enumerate() {
            if export.is_entry() {
                continue;
            }
            if !export.is_hidden {
                functions.entry(&*export.mangled).or_default().push(place);
            }
            if matches!(export.scope, Scope::Collection(_)) {
                let name = (export.scope, &*export.internal_mangled);
                internal.entry(name).or_insert(place);
            }
        }
        let mut registers = HashMap::new();
        for (place, declared) in model.subobjects.iter().enumerate() {
            let scope = match declared.subobject.kind {
                Kind::GlobalRootSignature => RootSignatureScope::Global,
                Kind::LocalRootSignature => RootSignatureScope::Local,
                _ => continue,
            };
            if let Ok(read) = root_signature::read(&declared.subobject.content, scope) {
                registers.insert(place, Registers::of(&read));
            }
        }
        Self {
            model,
            functions,
            internal,
            registers,
        }
    }

    /// The function that an export calls. For an export of a collection this is the collection's function of that name, if it
    /// has one.
    fn callee(&self, caller: usize, mangled: &str) -> Option<usize> {
        let exports = &self.model.exports;
        let from = exports[caller].scope;
        if let Some(&place) = self.internal.get(&(from, mangled)) {
            return Some(place);
        }
        let visible = |place: &&usize| match exports[**place].scope {
            Scope::Collection(index) if exports[**place].scope != from => self
                .model
                .collections
                .get(&index)
                .is_some_and(Collection::is_open),
            _ => true,
        };
        self.functions.get(mangled)?.iter().find(visible).copied()
    }

    /// What an entry point lacks: the flag of the export summary, and the reason.
    fn lacks_of(&self, place: usize) -> Result<Vec<(i32, String)>, Invalid> {
        let mut lacks = Vec::new();
        let export = &self.model.exports[place];
        let function = match &export.what {
            What::Function(function) => function,
            What::HitGroup { desc, shaders, .. } => {
                let mut imports = desc.imports().into_iter().zip(shaders);
                let missing = imports.find_map(|(name, shader)| name.filter(|_| shader.is_none()));
                let flag = D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_FUNCTIONS.0;
                let why = |name: &str| format!("there is no shader {name} for the hit group");
                lacks.extend(missing.map(|name| (flag, why(name))));
                return Ok(lacks);
            }
        };
        if self.model.needs_raytracing_config(export) {
            for kind in [Kind::RaytracingShaderConfig, Kind::RaytracingPipelineConfig] {
                if export.associated.get(kind).is_none() {
                    let flag = D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_ASSOCIATIONS.0;
                    let why = format!("a {} shader needs a {kind}", function.kind);
                    lacks.push((flag, why));
                }
            }
        }
        let empty = Registers::default();
        let registers = |kind| {
            let place = export.associated.get(kind);
            place
                .and_then(|place| self.registers.get(&place))
                .unwrap_or(&empty)
        };
        let global = registers(Kind::GlobalRootSignature);
        let local = registers(Kind::LocalRootSignature);
        let root_flags = global.flags();
        let stage = Stage::of(function.kind).map_or(ShaderVisibility::ALL, Stage::visibility);
        let mut seen = BTreeSet::from([place]);
        let mut waiting = vec![place];
        while let Some(caller) = waiting.pop() {
            let Some(function) = self.model.exports[caller].function() else {
                continue;
            };
            if caller != place {
                self.check_callee(export, caller)?;
            }
            for (feature, flag, name) in HEAP_INDEXING {
                if function.features.contains(feature) && !root_flags.contains(flag) {
                    let flag = D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_RESOURCE_BINDINGS.0;
                    let why = format!(
                        "it indexes a descriptor heap, but the global root signature lacks {name}"
                    );
                    lacks.push((flag, why));
                }
            }
            for binding in &function.bindings {
                let Err(fault) = registers::check(binding, global, local, stage) else {
                    continue;
                };
                let why = format!("it binds {binding}, {fault}");
                if fault == Fault::Twice {
                    return refuse(format!("export {}: {why}", export.name));
                }
                let flag = D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_RESOURCE_BINDINGS.0;
                lacks.push((flag, why));
            }
            for name in &function.dependencies {
                let Some(callee) = self.callee(caller, name) else {
                    let flag = D3D12DDI_EXPORT_SUMMARY_FLAG_UNRESOLVED_FUNCTIONS.0;
                    let name = name.trim_start_matches('\u{1}');
                    lacks.push((flag, format!("it calls {name}, which is not there")));
                    continue;
                };
                if seen.insert(callee) {
                    waiting.push(callee);
                }
            }
        }
        Ok(lacks)
    }

    /// Checks that the root signatures of a called function, if it has any, are those of its entry point.
    fn check_callee(&self, entry: &Export, callee: usize) -> Result<(), Invalid> {
        let callee = &self.model.exports[callee];
        for kind in [Kind::GlobalRootSignature, Kind::LocalRootSignature] {
            let content = self.model.content(callee, kind);
            if content.is_some() && content != self.model.content(entry, kind) {
                return refuse(format!(
                    "export {}: it calls {}, whose {kind} is {}, but its own is {}",
                    entry.name,
                    callee.name,
                    self.model.label(callee, kind),
                    self.model.label(entry, kind)
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use ddi_sys::{D3D12DDI_EXPORT_SUMMARY_FLAGS, D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE};
    use dxil::{FeatureFlags, ResourceClass, ShaderKind, Version};

    use super::*;
    use crate::desc::registers::Binding;
    use crate::desc::state_object::association::{Associated, Subobject};
    use crate::desc::state_object::function::Function;
    use crate::desc::state_object::model::{Declared, Origin};

    fn export(name: &str, kind: ShaderKind, calls: &[&str]) -> Export {
        Export {
            name: name.to_owned(),
            mangled: name.to_owned(),
            internal_name: name.to_owned(),
            internal_mangled: name.to_owned(),
            is_hidden: false,
            scope: Scope::Library(0),
            what: What::Function(Arc::new(Function {
                kind,
                bindings: Vec::new(),
                dependencies: calls.iter().map(|&call| call.to_owned()).collect(),
                payload_size: 0,
                attribute_size: 0,
                shader_model: Version { major: 6, minor: 6 },
                features: FeatureFlags::default(),
                node: None,
                container: None,
            })),
            associated: Associated::default(),
            lacks: D3D12DDI_EXPORT_SUMMARY_FLAGS(0),
        }
    }

    fn change(export: &mut Export, change: impl FnOnce(&mut Function)) {
        let What::Function(function) = &mut export.what else {
            unreachable!("a function was made")
        };
        change(Arc::make_mut(function));
    }

    /// A node that calls f, which calls g and itself.
    fn model() -> Model<'static> {
        let root_signature = |kind, content: &[u8]| Declared {
            subobject: Subobject {
                kind,
                scope: Scope::Object,
                name: None,
                content: content.to_vec(),
                label: format!("{kind} {content:?}"),
            },
            origin: Origin::Library,
        };
        Model {
            kind: D3D12DDI_STATE_OBJECT_TYPE_EXECUTABLE,
            flags: 0,
            libraries: BTreeMap::new(),
            collections: BTreeMap::new(),
            subobjects: vec![
                root_signature(Kind::LocalRootSignature, &[1]),
                root_signature(Kind::LocalRootSignature, &[2]),
            ],
            exports: vec![
                export("node", ShaderKind::Node, &["f"]),
                export("f", ShaderKind::Library, &["g", "f"]),
                export("g", ShaderKind::Library, &[]),
            ],
            pending: Vec::new(),
        }
    }

    #[track_caller]
    fn lacks(model: &Model<'_>, expected: &[(i32, &str)]) {
        let lacks = Linker::new(model).lacks_of(0).unwrap();
        let lacks: Vec<_> = lacks.iter().map(|(flag, why)| (*flag, &**why)).collect();
        assert_eq!(lacks, expected);
    }

    #[test]
    fn calls_are_followed_through_functions() {
        lacks(&model(), &[]);
        let mut gone = model();
        gone.exports.pop();
        lacks(&gone, &[(2, "it calls g, which is not there")]);
        // The callers bind the resources of the functions that they call.
        let mut binds = model();
        change(&mut binds.exports[2], |function| {
            function.bindings.push(Binding {
                name: String::new(),
                class: ResourceClass::UAV,
                space: 3,
                first: 7,
                last: 7,
                is_addressable: true,
                has_array: false,
            });
            function.features = FeatureFlags::RESOURCE_DESCRIPTOR_HEAP_INDEXING;
        });
        lacks(
            &binds,
            &[
                (
                    1,
                    "it indexes a descriptor heap, but the global root signature lacks \
                     CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED",
                ),
                (
                    1,
                    "it binds u7 in space 3, which no root signature of the shader defines",
                ),
            ],
        );
        // A shader cannot be called as a function.
        let mut entry = model();
        entry.exports[2] = export("g", ShaderKind::Node, &[]);
        lacks(&entry, &[(2, "it calls g, which is not there")]);
    }

    #[test]
    fn functions_have_the_root_signatures_of_their_callers_or_none() {
        let with = |entry: Option<usize>, callee: Option<usize>| {
            let mut model = model();
            model.exports[0]
                .associated
                .set(Kind::LocalRootSignature, entry);
            model.exports[2]
                .associated
                .set(Kind::LocalRootSignature, callee);
            Linker::new(&model).lacks_of(0).map(|_| ())
        };
        assert_eq!(with(Some(0), None), Ok(()));
        assert_eq!(with(Some(0), Some(0)), Ok(()));
        assert_eq!(
            with(Some(0), Some(1)).unwrap_err().text,
            "export node: it calls g, whose LOCAL_ROOT_SIGNATURE is LOCAL_ROOT_SIGNATURE [2], but its \
             own is LOCAL_ROOT_SIGNATURE [1]"
        );
        assert!(with(None, Some(1)).is_err());
    }
}
