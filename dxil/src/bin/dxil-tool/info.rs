//! `info`: the content of a file as one JSON object, which the text is made from.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use dxil::module::{EntryPoint, NodeAttributes, NodeId, NodeIo, SignatureEntry, Stage, WaveSize};
use dxil::psv0::SemanticKind;
use dxil::rdat::{
    Function, NodeAttribute, NodeIoAttribute, ResourceFlags, RuntimeData, SubobjectKind,
};
use dxil::{
    Container, Error, FeatureFlags, Form, FourCc, Module, Part, PartContent, Program,
    ResourceClass, ResourceKind, RootSignature, ShaderHashFlags, ShaderKind, StoredHash,
    SystemValue,
};
use serde_json::{Map, Value, json};

use crate::failure::{Failure, exit_code};
use crate::limit::Limit;
use crate::{Format, file, names, text};

pub fn command(files: &[PathBuf], format: Format, out: &mut impl Write) -> Result<u8, Failure> {
    file::check_standard_input(files.iter().map(PathBuf::as_path))?;
    let mut code = exit_code::DONE;
    let mut all = Vec::new();
    for (index, path) in files.iter().enumerate() {
        let info = match file::read(path) {
            Ok(bytes) => info(path, &bytes),
            Err(failure) => {
                failure.report();
                code = exit_code::TROUBLE;
                continue;
            }
        };
        if info["problems"] != json!([]) {
            code = code.max(exit_code::NO);
        }
        match format {
            Format::Text => {
                if index > 0 {
                    writeln!(out)?;
                }
                text::write_info(&info, out)?;
            }
            Format::Json => all.push(info),
        }
    }
    if format == Format::Json {
        writeln!(out, "{:#}", Value::Array(all))?;
    }
    Ok(code)
}

/// What a file's bytes say; `problems` says why something is missing.
pub fn info(path: &Path, bytes: &[u8]) -> Value {
    let mut info = Info {
        limit: Limit::new(),
        fields: Map::new(),
        problems: Vec::new(),
    };
    info.set("file", json!(path.to_string_lossy()));
    if let Err(error) = info.read(bytes) {
        info.problems.push(error.to_string());
    }
    info.finish()
}

/// The fields that every object has, even if they are empty.
const SINGLE: [&str; 10] = [
    "form",
    "container",
    "program",
    "features",
    "shader_hash",
    "debug_name",
    "compiler",
    "root_signature",
    "runtime_data",
    "pipeline_state",
];
const LISTS: [&str; 7] = [
    "parts",
    "entry_points",
    "inputs",
    "outputs",
    "patch_constants_or_primitives",
    "resources",
    "problems",
];

struct Info {
    limit: Limit,
    fields: Map<String, Value>,
    problems: Vec<String>,
}

impl Info {
    fn set(&mut self, field: &str, value: Value) {
        self.fields.insert(field.to_owned(), value);
    }

    fn finish(mut self) -> Value {
        self.problems
            .extend(self.limit.problem().map(str::to_owned));
        let problems = std::mem::take(&mut self.problems);
        self.set("problems", json!(problems));
        for field in SINGLE {
            self.fields.entry(field).or_insert(Value::Null);
        }
        for field in LISTS {
            self.fields.entry(field).or_insert_with(|| json!([]));
        }
        Value::Object(self.fields)
    }

    /// The value; adds an error to the problems.
    fn ok<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| self.problems.push(error.to_string()))
            .ok()
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let pdb = file::in_pdb(bytes)?;
        let form = if pdb.is_some() { "pdb" } else { "container" };
        let bytes = pdb.as_deref().unwrap_or(bytes);
        let first = bytes.first_chunk().copied().unwrap_or_default();
        match Form::sniff(first) {
            Form::Container => {
                let container = Container::parse(bytes)?;
                self.set("form", json!(form));
                self.container(&container);
            }
            Form::Program => {
                let program = Program::parse(bytes)?;
                self.set("form", json!("program"));
                let module = Module::parse(&program);
                let module = self.ok(module);
                self.program(&program, 0, module.as_ref());
                if let Some(module) = &module {
                    self.module(module, None);
                }
            }
        }
        Ok(())
    }

    fn container(&mut self, container: &Container<'_>) {
        let version = |at: usize| {
            let bytes = container.bytes().get(at..at + 2);
            bytes.map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
        };
        let (state, stored) = match container.hash() {
            StoredHash::Unsigned => ("unsigned", None),
            StoredHash::Bypass => ("bypass", None),
            StoredHash::PreviewBypass => ("preview bypass", None),
            StoredHash::Hash(hash) if hash == container.computed_hash() => ("signed", Some(hash)),
            StoredHash::Hash(hash) => ("wrong", Some(hash)),
        };
        self.set(
            "container",
            json!({
                "version": format!("{}.{}", version(0x14), version(0x16)),
                "size": container.bytes().len(),
                "trailing": container.trailing().len(),
                "hash": state,
                "stored_hash": stored.map(hex::encode),
                "computed_hash": hex::encode(container.computed_hash()),
            }),
        );
        let parts = self.limit.list(container.parts(), |part| {
            json!({
                "part": part.fourcc().to_string(),
                "offset": part.offset(),
                "size": part.bytes().len(),
                "about": names::part(part.fourcc()),
            })
        });
        self.set("parts", parts);

        let module = |part: Part<'_>| {
            let program = part.program()?;
            Module::parse(&program).map_err(|error| Error {
                part: Some(part.fourcc()),
                offset: part.offset() + 8 + error.offset,
                ..error
            })
        };
        let reflection = container.part(FourCc::STAT);
        let reflection = reflection.and_then(|part| module(part).ok());
        // A PDB has the program with debug information only.
        let mut program = [FourCc::DXIL, FourCc::ILDB].into_iter();
        let program = program.find_map(|name| container.part(name));
        let module = program.and_then(|part| {
            let module = part.program().is_ok().then(|| module(part))?;
            self.ok(module)
        });
        if let (Some(part), Some(Ok(program))) = (program, program.map(|part| part.program())) {
            self.program(&program, part.offset() + 8, module.as_ref());
        }
        for part in container.parts() {
            if let Some(content) = self.ok(part.content()) {
                self.part(part, &content, container, module.as_ref());
            }
        }
        if let Some(module) = &module {
            self.module(module, reflection.as_ref());
        }
    }

    fn program(&mut self, program: &Program<'_>, at: usize, module: Option<&Module>) {
        let model = program.shader_model();
        let validator = module.and_then(Module::validator_version);
        let profile = names::profile(program.kind());
        self.set(
            "program",
            json!({
                "kind": program.kind().to_string(),
                "profile": format!("{profile}_{}_{}", model.major, model.minor),
                "shader_model": model.to_string(),
                "dxil_version": program.dxil_version().to_string(),
                "validator_version": validator.map(|version| version.to_string()),
                "shader_flags": module.map(|module| format!("{:#x}", module.flags())),
                "bitcode_offset": at + program.bitcode_offset(),
                "bitcode_size": program.bitcode().len(),
            }),
        );
    }

    /// What one part says in addition to the program.
    fn part(
        &mut self,
        part: &Part<'_>,
        content: &PartContent<'_>,
        container: &Container<'_>,
        module: Option<&Module>,
    ) {
        match content {
            PartContent::Signature(signature) => {
                let (field, which) = match part.fourcc() {
                    FourCc::ISG1 => ("inputs", 0),
                    FourCc::OSG1 => ("outputs", 1),
                    _ => ("patch_constants_or_primitives", 2),
                };
                let entry = module.and_then(|module| module.entry_points().first());
                let entries = entry.map_or(&[][..], |entry| match which {
                    0 => &entry.inputs,
                    1 => &entry.outputs,
                    _ => &entry.patch_or_primitive,
                });
                let interpolations: BTreeMap<(&str, u32), _> = entries
                    .iter()
                    .flat_map(|entry| {
                        let key =
                            |&index: &u32| ((entry.name.as_str(), index), entry.interpolation);
                        entry.indices.iter().map(key)
                    })
                    .collect();
                let rows = self.limit.list(signature.elements(), |element| {
                    let name = self.limit.text(String::from_utf8_lossy(element.name()));
                    let index = element.semantic_index();
                    let interpolation = interpolations.get(&(name.as_str(), index));
                    let system_value = element.system_value();
                    let has_meaning = system_value != SystemValue::UNDEFINED;
                    json!({
                        "name": name,
                        "index": index,
                        "system_value": has_meaning.then(|| names::lower(system_value)),
                        "type": names::component(element.component_type()),
                        "min_precision": names::lower(element.min_precision()),
                        "register": element.register(),
                        "mask": mask(element.mask().into()),
                        "rw_mask": mask(element.rw_mask().into()),
                        "interpolation": interpolation.map(names::lower),
                        "stream": element.stream(),
                    })
                });
                self.set(field, rows);
            }
            PartContent::RootSignature(root_signature) => {
                let value = root_signature_value(&self.limit, root_signature);
                self.set("root_signature", value);
            }
            PartContent::PipelineStateValidation(psv0) => {
                self.set(
                    "pipeline_state",
                    json!({
                        "revision": psv0.revision,
                        "entry_name": psv0.entry_name.map(|name| self.limit.text(name)),
                        "min_wave_lanes": psv0.minimum_expected_wave_lane_count,
                        "max_wave_lanes": end(psv0.maximum_expected_wave_lane_count),
                        "uses_view_id": psv0.uses_view_id,
                        "group_shared_bytes": psv0.num_bytes_group_shared_memory,
                    }),
                );
                // Only if the program is not readable; otherwise the program says more.
                let resources = self.limit.list(psv0.resources(), |resource| {
                    json!({
                        "class": names::lower(resource.resource_type),
                        "name": "",
                        "type": resource.kind.map(names::lower),
                        "register": assigned(resource.lower_bound),
                        "count": count(resource.lower_bound, resource.upper_bound),
                        "space": assigned(resource.space),
                    })
                });
                self.set("resources", resources);
            }
            PartContent::RuntimeData(data) => {
                let value = runtime_data(&self.limit, data);
                self.set("runtime_data", value);
            }
            PartContent::FeatureFlags(flags) => self.set("features", feature_names(*flags)),
            PartContent::ShaderHash(hash) => {
                let computed = container.computed_shader_hash().ok().flatten();
                self.set(
                    "shader_hash",
                    json!({
                        "digest": hex::encode(hash.digest),
                        "includes_source": hash.flags.contains(ShaderHashFlags::INCLUDES_SOURCE),
                        "is_of_program": computed.map(|computed| computed.digest == hash.digest),
                    }),
                );
            }
            PartContent::DebugName(name) => self.set("debug_name", json!(name.name)),
            PartContent::CompilerVersion(version) => self.set(
                "compiler",
                json!({
                    "version": version.version.to_string(),
                    "file_version": version.custom_version,
                    "commit": version.commit,
                    "commit_count": version.commit_count,
                    "flags": version.flags.names().collect::<Vec<_>>(),
                }),
            ),
            PartContent::Program(_) | PartContent::Other(_) => {}
        }
    }

    /// What the program itself says. Takes names from the reflection part if the compiler left them there.
    fn module(&mut self, module: &Module, reflection: Option<&Module>) {
        let entry_points = self.limit.list(module.entry_points(), |entry| {
            self.entry_point(entry, module)
        });
        self.set("entry_points", entry_points);
        if let [entry] = module.entry_points() {
            let signatures = [
                ("inputs", &entry.inputs),
                ("outputs", &entry.outputs),
                ("patch_constants_or_primitives", &entry.patch_or_primitive),
            ];
            for (field, entries) in signatures {
                // The runtime reads the container's part.
                if !self.fields.contains_key(field) {
                    let rows = self.signature(entries);
                    self.set(field, rows);
                }
            }
        }
        let named = reflection.map_or(&[][..], Module::resources).iter();
        let named = named.map(|resource| ((resource.class, resource.id), resource.name.as_str()));
        let named: BTreeMap<_, _> = named.collect();
        let resources = self.limit.list(module.resources(), |resource| {
            let name = match resource.name.as_str() {
                "" => named.get(&(resource.class, resource.id)).copied(),
                name => Some(name),
            };
            let is_ordered = resource
                .flags
                .contains(ResourceFlags::UAV_RASTERIZER_ORDERED_VIEW);
            let element = resource.element.filter(|_| {
                // The metadata has one for acceleration structures, too.
                resource.kind != ResourceKind::ACCELERATION_STRUCTURE
            });
            let is_cbv = resource.class == ResourceClass::CBV;
            let is_sampler = resource.class == ResourceClass::SAMPLER;
            json!({
                "class": names::lower(resource.class),
                "name": self.limit.text(name.unwrap_or_default()),
                "type": names::shape(resource.class, resource.kind, is_ordered),
                "element": element.map(names::element),
                "stride": resource.stride,
                "size": is_cbv.then_some(resource.size),
                "samples": Some(resource.samples).filter(|&samples| samples > 0),
                "sampler": is_sampler.then(|| names::numbered(names::SAMPLERS, resource.sampler)),
                "register": assigned(resource.lower_bound),
                "count": end(resource.range_size),
                "space": assigned(resource.space),
                "flags": resource_flags(resource.flags),
            })
        });
        self.set("resources", resources);
    }

    fn signature(&self, entries: &[SignatureEntry]) -> Value {
        let rows = entries.iter().flat_map(|entry| {
            let rows = entry.indices.iter().zip(0..);
            rows.map(move |(index, row): (_, u32)| (entry, index, row))
        });
        self.limit.list(rows, |(entry, index, row)| {
            let is_packed = entry.start_row != u32::MAX;
            let start = if is_packed { entry.start_column } else { 0 };
            let components = (1_u32 << entry.columns.min(4)) - 1;
            let has_meaning = entry.semantic != SemanticKind::ARBITRARY;
            json!({
                "name": self.limit.text(&entry.name),
                "index": index,
                "system_value": has_meaning.then(|| names::lower(entry.semantic)),
                "type": names::element(entry.ty),
                "min_precision": null,
                "register": is_packed.then(|| entry.start_row.saturating_add(row)),
                "mask": mask(components << start.min(3)),
                "rw_mask": null,
                "interpolation": names::lower(entry.interpolation),
                "stream": entry.stream,
            })
        })
    }

    fn entry_point(&self, entry: &EntryPoint, module: &Module) -> Value {
        let wave_size = |size: WaveSize| {
            let WaveSize {
                min,
                max,
                preferred,
            } = size;
            json!({ "min": min, "max": max, "preferred": Some(preferred).filter(|&it| it > 0) })
        };
        json!({
            "name": self.limit.text(&entry.name),
            "kind": entry.kind.to_string(),
            "thread_group": entry.thread_group,
            "wave_size": entry.wave_size.map(wave_size),
            "stage": self.stage(entry.stage, module),
            "payload_size": entry.ray.map(|ray| ray.payload),
            "attribute_size": entry.ray.map(|ray| ray.attributes),
            "node": entry.node.as_deref().map(|node| self.node(node)),
        })
    }

    fn stage(&self, stage: Stage, module: &Module) -> Value {
        use names::numbered;
        match stage {
            Stage::Geometry {
                input_primitive,
                max_vertices,
                streams,
                topology,
                instances,
            } => json!({
                "input_primitive": numbered(names::PRIMITIVES, input_primitive),
                "topology": numbered(names::TOPOLOGIES, topology),
                "max_vertices": max_vertices,
                "streams": streams,
                "instances": instances,
            }),
            Stage::Domain {
                domain,
                input_points,
            } => json!({
                "domain": numbered(names::DOMAINS, domain),
                "input_points": input_points,
            }),
            Stage::Hull {
                patch_function,
                input_points,
                output_points,
                domain,
                partitioning,
                output_primitive,
                max_factor,
            } => {
                let function = patch_function.and_then(|place| module.functions().get(place));
                json!({
                    "domain": numbered(names::DOMAINS, domain),
                    "partitioning": numbered(names::PARTITIONINGS, partitioning),
                    "output_primitive": numbered(names::TESSELLATOR_OUTPUTS, output_primitive),
                    "input_points": input_points,
                    "output_points": output_points,
                    "max_factor": max_factor,
                    "patch_function": function.map(|function| self.limit.text(&function.name)),
                })
            }
            Stage::Mesh {
                max_vertices,
                max_primitives,
                topology,
                payload,
            } => json!({
                "topology": numbered(names::MESH_TOPOLOGIES, topology),
                "max_vertices": max_vertices,
                "max_primitives": max_primitives,
                "payload_size": payload,
            }),
            Stage::Amplification { payload } => json!({ "payload_size": payload }),
            Stage::Other => Value::Null,
        }
    }

    fn node(&self, node: &NodeAttributes) -> Value {
        let id = |id: &NodeId| self.node_id(&id.name, id.index);
        let io = |io: &NodeIo| {
            json!({
                "flags": flag_names(io.flags.names(), io.flags.unnamed().into()),
                "node": io.node.as_ref().map(id),
                "record_size": io.record_size,
                "record_alignment": Some(io.record_alignment).filter(|&it| it > 0),
                "max_records": io.max_records,
                "shares_records_with": io.shares_records_with,
                "array_size": Some(io.array_size).filter(|&it| it > 0).map(end),
                "allows_sparse": io.allows_sparse,
            })
        };
        json!({
            "launch": names::lower(node.launch),
            "is_program_entry": node.is_program_entry,
            "id": node.id.as_ref().map(id),
            "local_root_arguments": Some(node.local_root_arguments).filter(|&it| it != u32::MAX),
            "shares_input_of": node.shares_input_of.as_ref().map(id),
            "dispatch_grid": node.dispatch_grid,
            "max_dispatch_grid": node.max_dispatch_grid,
            "max_recursion": node.max_recursion,
            "inputs": self.limit.list(&node.inputs, io),
            "outputs": self.limit.list(&node.outputs, io),
        })
    }

    fn node_id(&self, name: &str, index: u32) -> Value {
        json!({ "name": self.limit.text(name), "index": index })
    }
}

/// The content of the `RDAT` part of a library.
fn runtime_data(limit: &Limit, data: &RuntimeData<'_>) -> Value {
    let exports = limit.list(data.functions(), |function| export(limit, &function));
    let subobjects = limit.list(data.subobjects(), |subobject| {
        json!({
            "name": limit.text(subobject.name),
            "subobject": self::subobject(limit, subobject.kind),
        })
    });
    json!({ "exports": exports, "subobjects": subobjects })
}

fn export(limit: &Limit, function: &Function<'_>) -> Value {
    let stages = ShaderKind::ALL.iter().zip(0..);
    let stages = stages.filter(|&(_, bit)| function.stages >> bit & 1 != 0);
    let stages: Vec<String> = stages.map(|(stage, _)| stage.to_string()).collect();
    let [wave_min, wave_max] = function.wave_sizes.unwrap_or_default();
    let has_wave_size = wave_min != 0;
    let attributes = |node: dxil::rdat::Node<'_>| {
        let io = |io: dxil::rdat::NodeIo<'_>| {
            json!({
                "flags": flag_names(io.flags.names(), io.flags.unnamed().into()),
                "attributes": limit.list(io.attributes.iter(), |attribute| {
                    node_io_attribute(limit, attribute)
                }),
            })
        };
        json!({
            "launch": names::lower(node.launch),
            "group_shared_bytes": node.group_shared_bytes,
            "attributes": limit.list(node.attributes.iter(), |attribute| {
                node_attribute(limit, attribute)
            }),
            "inputs": limit.list(node.inputs.iter(), io),
            "outputs": limit.list(node.outputs.iter(), io),
        })
    };
    json!({
        "name": limit.text(function.unmangled_name),
        "mangled_name": limit.text(function.name),
        "kind": function.kind.to_string(),
        "payload_size": function.payload_size_in_bytes,
        "attribute_size": function.attribute_size_in_bytes,
        "features": feature_names(function.features),
        "callable_from": stages,
        "min_shader_model": function.min_shader_model.to_string(),
        "wave_size": has_wave_size.then(|| json!({ "min": wave_min, "max": wave_max })),
        "resources": limit.list(function.resources.iter(), |resource| {
            let is_ordered = resource.flags.contains(ResourceFlags::UAV_RASTERIZER_ORDERED_VIEW);
            json!({
                "class": names::lower(resource.class),
                "name": limit.text(resource.name),
                "type": names::shape(resource.class, resource.kind, is_ordered),
                "register": assigned(resource.lower_bound),
                "count": count(resource.lower_bound, resource.upper_bound),
                "space": assigned(resource.space),
                "flags": resource_flags(resource.flags),
            })
        }),
        "dependencies": limit.list(function.dependencies.iter(), |name| json!(limit.text(name))),
        "is_program_entry": function.is_program_entry,
        "node": function.node.map(attributes),
    })
}

fn node_attribute(limit: &Limit, attribute: NodeAttribute<'_>) -> Value {
    let grid = |numbers: dxil::Numbers<'_>| limit.list(numbers.iter(), |number| json!(number));
    let id = |id: dxil::rdat::NodeId<'_>| json!({ "name": limit.text(id.name), "index": id.index });
    match attribute {
        NodeAttribute::Id(node) => json!({ "id": id(node) }),
        NodeAttribute::NumThreads(numbers) => json!({ "num_threads": grid(numbers) }),
        NodeAttribute::ShareInputOf(node) => json!({ "shares_input_of": id(node) }),
        NodeAttribute::DispatchGrid(numbers) => json!({ "dispatch_grid": grid(numbers) }),
        NodeAttribute::MaxRecursionDepth(depth) => json!({ "max_recursion": depth }),
        NodeAttribute::LocalRootArgumentsTableIndex(index) => {
            json!({ "local_root_arguments": index })
        }
        NodeAttribute::MaxDispatchGrid(numbers) => json!({ "max_dispatch_grid": grid(numbers) }),
        other => json!({ "other": format!("{other:?}") }),
    }
}

fn node_io_attribute(limit: &Limit, attribute: NodeIoAttribute<'_>) -> Value {
    match attribute {
        NodeIoAttribute::OutputId(id) => {
            json!({ "node": { "name": limit.text(id.name), "index": id.index } })
        }
        NodeIoAttribute::MaxRecords(records) => json!({ "max_records": records }),
        NodeIoAttribute::MaxRecordsSharedWith(output) => json!({ "shares_records_with": output }),
        NodeIoAttribute::RecordSizeInBytes(size) => json!({ "record_size": size }),
        NodeIoAttribute::RecordDispatchGrid {
            byte_offset,
            component_count,
            component_type,
        } => json!({
            "dispatch_grid": {
                "offset": byte_offset,
                "components": component_count,
                "type": names::element(dxil::module::ElementType(component_type.into())),
            }
        }),
        NodeIoAttribute::OutputArraySize(size) => json!({ "array_size": end(size) }),
        NodeIoAttribute::AllowSparseNodes(allows) => json!({ "allows_sparse": allows }),
        NodeIoAttribute::RecordAlignmentInBytes(bytes) => json!({ "record_alignment": bytes }),
        other => json!({ "other": format!("{other:?}") }),
    }
}

fn subobject(limit: &Limit, kind: SubobjectKind<'_>) -> Value {
    let root_signature = |bytes| match RootSignature::parse(bytes) {
        Ok(root_signature) => root_signature_value(limit, &root_signature),
        Err(error) => json!({ "error": error.to_string() }),
    };
    match kind {
        SubobjectKind::StateObjectConfig { flags } => {
            json!({ "kind": "StateObjectConfig", "flags": flags })
        }
        SubobjectKind::GlobalRootSignature(bytes) => {
            json!({ "kind": "GlobalRootSignature", "root_signature": root_signature(bytes) })
        }
        SubobjectKind::LocalRootSignature(bytes) => {
            json!({ "kind": "LocalRootSignature", "root_signature": root_signature(bytes) })
        }
        SubobjectKind::SubobjectToExportsAssociation { subobject, exports } => json!({
            "kind": "SubobjectToExportsAssociation",
            "subobject": limit.text(subobject),
            "exports": limit.list(exports.iter(), |name| json!(limit.text(name))),
        }),
        SubobjectKind::RaytracingShaderConfig {
            max_payload_size_in_bytes,
            max_attribute_size_in_bytes,
        } => json!({
            "kind": "RaytracingShaderConfig",
            "max_payload_size": max_payload_size_in_bytes,
            "max_attribute_size": max_attribute_size_in_bytes,
        }),
        SubobjectKind::RaytracingPipelineConfig {
            max_trace_recursion_depth,
        } => json!({
            "kind": "RaytracingPipelineConfig",
            "max_trace_recursion_depth": max_trace_recursion_depth,
        }),
        SubobjectKind::HitGroup {
            hit_group_type,
            any_hit,
            closest_hit,
            intersection,
        } => json!({
            "kind": "HitGroup",
            "type": names::lower(hit_group_type),
            "any_hit": limit.text(any_hit),
            "closest_hit": limit.text(closest_hit),
            "intersection": limit.text(intersection),
        }),
        SubobjectKind::RaytracingPipelineConfig1 {
            max_trace_recursion_depth,
            flags,
        } => json!({
            "kind": "RaytracingPipelineConfig1",
            "max_trace_recursion_depth": max_trace_recursion_depth,
            "flags": flags,
        }),
        other => json!({ "kind": format!("{other:?}") }),
    }
}

fn root_signature_value(limit: &Limit, root_signature: &RootSignature<'_>) -> Value {
    json!({
        "version": root_signature.version().to_string(),
        "text": limit.text(root_signature),
    })
}

fn feature_names(flags: FeatureFlags) -> Value {
    flag_names(flags.names(), flags.unnamed())
}

fn resource_flags(flags: ResourceFlags) -> Value {
    flag_names(flags.names(), flags.unnamed().into())
}

/// The names of flags, and the bits without a name as a number.
fn flag_names(names: impl Iterator<Item = &'static str>, unnamed: u64) -> Value {
    let rest = (unnamed != 0).then(|| format!("{unnamed:#x}"));
    names.map(str::to_owned).chain(rest).collect()
}

/// A number that can be unlimited.
fn end(number: u32) -> Value {
    match number {
        u32::MAX => json!("unbounded"),
        number => json!(number),
    }
}

/// A register or space. Resources of a library can be without.
fn assigned(number: u32) -> Value {
    match number {
        u32::MAX => json!("unassigned"),
        number => json!(number),
    }
}

/// The number of registers from the first to the last; `null` where the first is unassigned.
fn count(lower: u32, upper: u32) -> Value {
    match upper {
        _ if lower == u32::MAX => Value::Null,
        u32::MAX => json!("unbounded"),
        upper => json!(u64::from(upper).saturating_sub(lower.into()) + 1),
    }
}

/// The components of a mask.
fn mask(bits: u32) -> String {
    let components = "xyzw".chars().zip(0..);
    let set = components.filter(|&(_, bit)| bits >> bit & 1 != 0);
    set.map(|(component, _)| component).collect()
}
