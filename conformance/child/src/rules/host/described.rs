//! H-20 to H-22: what the plugin gets is what the application described.
//!
//! Each case is a description and what it has to become at the DDI: fields by their paths, as the checking
//! plugin records them. Fields that no case names, such as those of signatures, are not compared.

mod pipelines;

use api_sys::{
    D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS, D3D12_STATE_OBJECT_TYPE_COLLECTION,
    D3D12_STATE_OBJECT_TYPE_EXECUTABLE, D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
};
use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, Stop, broken, ensure};
use ddi_sys::{HRESULT, S_OK};
use dxil::{RootParameterKindDesc, RootSignatureDesc};
use sha2::{Digest, Sha256};

use self::pipelines::{Case, STAGES};
use crate::inputs::shaders::{self, Shader};
use crate::runtime::{Compiler, Pipeline, Record, Runtime, StateObjectDesc, returned};

/// Fields of the DDI: paths and values.
#[derive(Default)]
struct Expected(Vec<(String, String)>);

impl Expected {
    #[allow(clippy::needless_pass_by_value, reason = "most are literals")]
    fn is(&mut self, path: impl Into<String>, value: impl ToString) {
        self.0.push((path.into(), value.to_string()));
    }

    fn absent(&mut self, paths: &[&str]) {
        for path in paths {
            self.is(*path, "absent");
        }
    }

    fn program(&mut self, path: &str, shader: &Shader) -> Result<(), Stop> {
        self.is(path, hex::encode(Sha256::digest(shader.program()?)));
        Ok(())
    }

    fn root_signature(&mut self, path: &str, desc: &RootSignatureDesc) {
        self.is(format!("{path}.Flags"), desc.flags.0);
        self.is(format!("{path}.pRootParameters"), desc.parameters.len());
        for (index, parameter) in desc.parameters.iter().enumerate() {
            let path = format!("{path}.pRootParameters[{index}]");
            let visibility = parameter.shader_visibility.0;
            self.is(format!("{path}.ShaderVisibility"), visibility);
            match &parameter.kind {
                RootParameterKindDesc::DescriptorTable(ranges) => {
                    self.is(format!("{path}.ParameterType"), 0);
                    for (index, range) in ranges.iter().enumerate() {
                        let path = format!("{path}.pDescriptorRanges[{index}]");
                        self.is(format!("{path}.RangeType"), range.range_type.0);
                        self.is(format!("{path}.NumDescriptors"), range.num_descriptors);
                        let register = range.base_shader_register;
                        self.is(format!("{path}.BaseShaderRegister"), register);
                        self.is(format!("{path}.RegisterSpace"), range.register_space);
                        self.is(format!("{path}.Flags"), range.flags.map_or(0, |it| it.0));
                    }
                }
                RootParameterKindDesc::Constants(constants) => {
                    self.is(format!("{path}.ParameterType"), 1);
                    self.is(format!("{path}.ShaderRegister"), constants.shader_register);
                    self.is(format!("{path}.RegisterSpace"), constants.register_space);
                    let values = constants.num_32bit_values;
                    self.is(format!("{path}.Num32BitValues"), values);
                }
                // No case has a root descriptor.
                _ => {}
            }
        }
    }
}

/// What the plugin records while something is compiled, and what that returned.
fn recorded(compile: impl FnOnce() -> HRESULT) -> Result<(HRESULT, Vec<(String, String)>), Stop> {
    let before = Record::read()?.described()?.len();
    let returned = compile();
    let record = Record::read()?;
    Ok((returned, record.described()?[before..].to_vec()))
}

/// The values of a path, in order.
fn values<'f>(fields: &'f [(String, String)], path: &str) -> Vec<&'f str> {
    let of_path = fields.iter().filter(|(it, _)| it == path);
    of_path.map(|(_, value)| value.as_str()).collect()
}

/// Compares what a description had to become with what came.
fn compare(what: &str, expected: &Expected, got: &[(String, String)]) -> Outcome {
    for (path, _) in &expected.0 {
        let (expected, got) = (values(&expected.0, path), values(got, path));
        if expected != got {
            let (expected, got) = (expected.join(", "), got.join(", "));
            let got = if got.is_empty() {
                "no such field"
            } else {
                &got
            };
            broken!(
                call: "the compile call of the plugin for {what}",
                expected: "the plugin's description has {path} {expected}",
                got: "it has {got}",
            );
        }
    }
    Ok(())
}

/// Compiles each case, and gives what the plugin recorded of it.
fn compile_cases(
    runtime: &Runtime,
    mut see: impl FnMut(&Case, &[(String, String)]) -> Outcome,
) -> Outcome {
    let (_, _, compiler) = runtime.compiler()?;
    for mut case in pipelines::all()? {
        let pipeline = Pipeline::Stream(std::mem::take(&mut case.stream));
        let compile = || compiler.compile_pipeline(case.name.as_bytes(), 1, &pipeline);
        let (returned, fields) = recorded(compile)?;
        let name = case.name;
        if returned != S_OK && case.optional {
            runtime.note(format!("without what the runtime refuses: {name}"));
            continue;
        }
        if returned != S_OK {
            let got = format!("CompilePipelineState({name}) returned {returned}");
            return Err(Stop::needs_but_got(rules::R_CMP_04, got));
        }
        see(&case, &fields)?;
    }
    Ok(())
}

pub(super) fn h_20_describes_pipelines(runtime: &Runtime) -> Outcome {
    compile_cases(runtime, |case, fields| {
        let what = format!("a pipeline: {}", case.name);
        compare(&what, &case.expected, fields)
    })
}

pub(super) fn h_22_tells_programs_apart(runtime: &Runtime) -> Outcome {
    /// A program and its ShaderCodeHash.
    type Pair = (String, String);
    let mut known: Vec<Pair> = Vec::new();
    compile_cases(runtime, |case, fields| {
        for (_, handle) in STAGES {
            let program = values(fields, &format!("{handle}.pShaderCode"));
            let hash = values(fields, &format!("{handle}.ShaderCodeHash"));
            let (Some(program), Some(hash)) = (program.first(), hash.first()) else {
                continue;
            };
            for (other, of_other) in &known {
                let name = case.name;
                ensure!(
                    (other == program) == (of_other == hash),
                    call: "pfnCompilePipelineState for a pipeline: {name}",
                    expected: "one ShaderCodeHash for one program, and two for two",
                    got: "{handle} has {hash}, and an earlier program has {of_other}",
                );
            }
            known.push(((*program).to_owned(), (*hash).to_owned()));
        }
        Ok(())
    })
}

/// What the description of [`StateObjectDesc::new`] has to become.
fn state_object(export: &str) -> Result<Expected, Stop> {
    let mut expected = Expected::default();
    expected.is("Type", D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE);
    expected.is(
        "Config",
        D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS,
    );
    expected.program("DxilLibrary.pDXILLibrary", &shaders::rt_pipeline_lib63)?;
    expected.is("DxilLibrary.pExports", 1);
    expected.is("DxilLibrary.pExports[0].Name", export);
    expected.is("DxilLibrary.pExports[0].ExportToRename", "noise_a");
    expected.is("DxilLibrary.pExports[0].Flags", 0);
    expected.is("MaxPayloadSizeInBytes", 32);
    expected.is("MaxAttributeSizeInBytes", 16);
    expected.is("MaxTraceRecursionDepth", 2);
    Ok(expected)
}

fn work_graph() -> Result<Expected, Stop> {
    let mut expected = Expected::default();
    expected.is("Type", D3D12_STATE_OBJECT_TYPE_EXECUTABLE);
    expected.program("DxilLibrary.pDXILLibrary", &shaders::wg_nodes_lib68)?;
    expected.is("WorkGraph.ProgramName", "graph");
    let root = shaders::rs_volatility_1_1.container()?.root_signature();
    let unreadable = |error| shaders::rs_volatility_1_1.unreadable(&error);
    if let Some(root) = root.map_err(unreadable)? {
        let desc = RootSignatureDesc::try_from(&root).map_err(unreadable)?;
        expected.root_signature("GlobalRootSignature", &desc);
    }
    Ok(expected)
}

/// Fields without the place of their subobject, which a runtime may choose.
fn placeless(fields: Vec<(String, String)>) -> Vec<(String, String)> {
    let strip = |path: &str| {
        let rest = path.strip_prefix("pSubobjects[")?;
        Some(rest.split_once("].")?.1.to_owned())
    };
    let stripped = fields
        .into_iter()
        .map(|(path, value)| (strip(&path).unwrap_or(path), value));
    stripped.collect()
}

pub(super) fn h_21_describes_state_objects(runtime: &Runtime) -> Outcome {
    let (_, _, compiler) = runtime.compiler()?;
    let parent = compiler.state_object(b"parent", &StateObjectDesc::new("parent"))?;
    let object = |compiler: &Compiler, key: &str, desc: &StateObjectDesc| {
        returned(&compiler.compile_state_object(key.as_bytes(), 1, desc))
    };
    let mut collection = state_object("third")?;
    collection.0[0].1 = D3D12_STATE_OBJECT_TYPE_COLLECTION.to_string();
    let check = |name: &str, expected, compile: &dyn Fn() -> HRESULT| {
        let (returned, fields) = recorded(compile)?;
        if returned != S_OK {
            runtime.note(format!("without what the runtime refuses: {name}"));
            return Ok(false);
        }
        compare(name, &expected, &placeless(fields)).map(|()| true)
    };
    let first = StateObjectDesc::new("first");
    let compile = || object(&compiler, "first", &first);
    let what = "a raytracing pipeline";
    if !check(what, state_object("first")?, &compile)? {
        return Err(Stop::needs(rules::R_CMP_10));
    }
    let second = StateObjectDesc::new("second");
    let compile = || returned(&compiler.compile_addition(b"second", 1, &second, &parent));
    let what = "an addition to a raytracing pipeline";
    if !check(what, state_object("second")?, &compile)? {
        return Err(Stop::needs(rules::R_CMP_11));
    }
    let third = StateObjectDesc::new("third").into_collection();
    let compile = || object(&compiler, "third", &third);
    check("a collection", collection, &compile)?;
    let graph = StateObjectDesc::work_graph();
    let compile = || object(&compiler, "graph", &graph);
    check("a work graph", work_graph()?, &compile)?;
    Ok(())
}
