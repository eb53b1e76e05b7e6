//! `dxil-tool` over the corpus: what it prints, what it writes, how it exits.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use assert_cmd::Command;
use dxil::constants::Constant;
use dxil::patch::{PatchTable, Pattern};
use dxil::{Container, ContainerBuilder, FourCc, Module, StoredHash};
use dxil_test_support::plan;
use serde_json::Value;
use tempfile::TempDir;

const DONE: i32 = 0;
const NO: i32 = 1;
const TROUBLE: i32 = 2;

const COMMANDS: [&str; 7] = [
    "info",
    "verify",
    "sign",
    "strip",
    "constants",
    "patch",
    "diff",
];

fn corpus(file: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    folder.join(file)
}

/// In the folder of the corpus, so that names are short.
fn tool<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dxil-tool"));
    command
        .args(args)
        .current_dir(corpus(""))
        .env_remove("CLICOLOR_FORCE");
    command
}

/// Runs it and gives what it prints, and what it complains of.
#[track_caller]
fn run<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>, code: i32) -> [String; 2] {
    let output = tool(args).output().unwrap();
    let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(code), "{texts:#?}");
    assert!(!texts[1].contains("panicked"), "{}", texts[1]);
    texts
}

/// The bytes that a command writes to standard output.
#[track_caller]
fn written(args: &[&str]) -> Vec<u8> {
    let output = tool(args.iter().chain(&["-o", "-"])).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(DONE), "{args:?}: {errors}");
    output.stdout
}

fn manifest(folder: &str) -> Vec<Value> {
    let text = fs::read_to_string(corpus(folder).join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["files"].as_array().unwrap().clone()
}

fn files(manifest: &[Value]) -> impl Iterator<Item = &str> {
    manifest.iter().map(|entry| entry["file"].as_str().unwrap())
}

fn info_json<A: AsRef<OsStr>>(files: impl IntoIterator<Item = A>, code: i32) -> Vec<Value> {
    let mut args = vec!["info".into(), "--format=json".into()];
    args.extend(files.into_iter().map(|file| file.as_ref().to_owned()));
    let [text, _] = run(args, code);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn info_knows_every_container_of_the_corpus() {
    let manifest = manifest("");
    let infos = info_json(files(&manifest), DONE);
    assert_eq!(infos.len(), manifest.len());
    let fields: Vec<&String> = infos[0].as_object().unwrap().keys().collect();
    let readme = include_str!("../README.md");
    for field in &fields {
        assert!(readme.contains(&format!("`{field}`")), "{field}");
    }
    for (info, entry) in infos.iter().zip(&manifest) {
        let name = entry["name"].as_str().unwrap();
        assert_eq!(info["file"], entry["file"]);
        assert_eq!(info["problems"], serde_json::json!([]), "{name}");
        // The shape is the same whatever the file holds.
        assert!(
            info.as_object().unwrap().keys().eq(fields.iter().copied()),
            "{name}"
        );
        assert_eq!(info["container"]["size"], entry["size"], "{name}");
        let hash = match entry["hash"].as_str().unwrap() {
            "valid" => "signed",
            "all zero (unsigned)" => "unsigned",
            "BYPASS" => "bypass",
            "PREVIEW_BYPASS" => "preview bypass",
            other => panic!("{other}"),
        };
        assert_eq!(info["container"]["hash"], hash, "{name}");
        let parts = info["parts"].as_array().unwrap();
        let expected = entry["parts"].as_array().unwrap();
        assert_eq!(parts.len(), expected.len(), "{name}");
        for (part, expected) in parts.iter().zip(expected) {
            assert_eq!(part["part"], expected["fourcc"], "{name}");
            assert_eq!(part["offset"], expected["offset"], "{name}");
            assert_eq!(part["size"], expected["size"], "{name}");
        }
        let profile = entry["profile"].as_str().unwrap();
        if profile.starts_with("rootsig") {
            assert!(info["root_signature"]["text"].is_string(), "{name}");
            assert_eq!(info["program"], Value::Null, "{name}");
            continue;
        }
        assert_eq!(info["program"]["profile"], profile, "{name}");
        let entries = info["entry_points"].as_array().unwrap();
        if !profile.starts_with("lib") {
            assert_eq!(entries[0]["name"], entry["entry"], "{name}");
            continue;
        }
        // Every export is an entry point or a plain function.
        let exports = info["runtime_data"]["exports"].as_array().unwrap();
        for export in exports.iter().filter(|export| export["kind"] != "library") {
            let is_it = |entry: &&Value| entry["name"] == export["mangled_name"];
            let entry = entries
                .iter()
                .find(is_it)
                .unwrap_or_else(|| panic!("{name}: {export}"));
            assert_eq!(entry["kind"], export["kind"], "{name}");
        }
    }
}

#[test]
fn info_in_text_names_every_part() {
    let manifest = manifest("");
    let [text, errors] = run(["info"].into_iter().chain(files(&manifest)), DONE);
    assert_eq!(errors, "");
    assert!(!text.contains('\x1b'), "colours are for terminals");
    for entry in &manifest {
        let file = entry["file"].as_str().unwrap();
        let start = text
            .find(&format!("{file}\n"))
            .unwrap_or_else(|| panic!("{file}"));
        let of_file = text[start..].split("\ndxil/").next().unwrap();
        for part in entry["parts"].as_array().unwrap() {
            let line = format!("  {} ", part["fourcc"].as_str().unwrap());
            assert!(of_file.contains(&line), "{file}: {line}");
        }
    }
}

/// As in `tests/tool`; after a change that is wanted, made anew with
/// `cd corpus && dxil-tool info FILE > ../tests/tool/NAME.txt`.
#[test]
fn info_in_text() {
    for file in [
        "dxil/raw_copy_cs.dxil",
        "dxil/meshlet_ms.dxil",
        "dxil/rt_subobjects_lib65.dxil",
        "dxil/wg_arrays_lib68.dxil",
        "dxil/rs_volatility_1_1.dxil",
        "pdb/dbg_zi_pdb_ps.pdb",
        "malformed/raw_program.dxil",
    ] {
        let [text, _] = run(["info", file], DONE);
        let name = Path::new(file).with_extension("txt");
        let expected = corpus("../tests/tool").join(name.file_name().unwrap());
        let expected = fs::read_to_string(expected).unwrap().replace('\r', "");
        assert_eq!(text, expected, "{file}");
    }
}

/// A program says without its container what the container says of it.
#[test]
fn info_reads_bare_programs() {
    let bytes = fs::read(corpus("dxil/forward_lit_ps.dxil")).unwrap();
    let program = Container::parse(&bytes).unwrap().program().unwrap();
    let output = tool(["info", "--format", "json", "-"])
        .write_stdin(program.bytes())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(DONE));
    let bare: Value = serde_json::from_slice(&output.stdout).unwrap();
    let whole = &info_json(["dxil/forward_lit_ps.dxil"], DONE)[0];
    assert_eq!(
        (&bare[0]["file"], &bare[0]["form"]),
        (&"-".into(), &"program".into())
    );
    for field in ["inputs", "outputs"] {
        let [bare, whole] = [&bare[0], whole].map(|info| info[field].as_array().unwrap());
        assert!(!bare.is_empty() && bare.len() == whole.len(), "{field}");
        for (bare, whole) in bare.iter().zip(whole) {
            for said in ["name", "index", "type", "register", "mask", "interpolation"] {
                assert_eq!(bare[said], whole[said], "{field}");
            }
        }
    }
    // Names of resources are in another part, the reflection.
    let resources = |info: &Value| {
        let mut resources = info["resources"].as_array().unwrap().clone();
        for resource in &mut resources {
            resource["name"] = "".into();
        }
        resources
    };
    assert!(!resources(whole).is_empty());
    assert_eq!(resources(&bare[0]), resources(whole));
}

/// The verdicts on the corpus are those of its manifests.
#[test]
fn verify_agrees_with_the_manifests() {
    for folder in ["", "malformed"] {
        for entry in manifest(folder) {
            let file = entry["file"].as_str().unwrap();
            let is_good = match entry["expect"].as_str().unwrap() {
                "valid" | "bypass" | "preview-bypass" => true,
                "unsigned" | "reject" | "reject-hash" | "incomplete" => false,
                // The reader takes them. The validator of DXC takes only one of them.
                "tolerate" => file == "malformed/trailing_bytes.dxil",
                // Not a container, but a program that is in order.
                "unsupported" => file == "malformed/raw_program.dxil",
                other => panic!("{other}"),
            };
            let [text, _] = run(["verify", file], if is_good { DONE } else { NO });
            assert_eq!(text.contains(&format!("{file}: ok\n")), is_good, "{text}");
            assert_eq!(text.contains("error: "), !is_good, "{text}");
        }
    }
}

#[test]
fn verify_says_everything_that_is_wrong_and_where() {
    let bytes = fs::read(corpus("dxil/raw_copy_cs.dxil")).unwrap();
    let container = Container::parse(&bytes).unwrap();
    let mut broken = bytes.clone();
    for part in [FourCc::PSV0, FourCc::RTS0].map(|name| container.part(name).unwrap()) {
        broken[part.offset() + 8] = 0xff;
    }
    let output = tool(["verify", "-"]).write_stdin(broken).output().unwrap();
    assert_eq!(output.status.code(), Some(NO));
    let text = String::from_utf8(output.stdout).unwrap();
    let errors: Vec<&str> = text.lines().collect();
    assert_eq!(errors.len(), 3, "{text}");
    assert!(
        errors[0].starts_with("-: error: byte 0x4: stored hash "),
        "{text}"
    );
    for (error, name) in errors[1..].iter().zip([FourCc::PSV0, FourCc::RTS0]) {
        let payload = container.part(name).unwrap().offset() + 8;
        let start = format!("-: error: part {name}, byte {payload:#x}: ");
        assert!(error.starts_with(&start), "{text}");
    }
}

/// Each part can be read, and one does not fit the program; another is none that the API takes.
#[test]
fn verify_looks_at_each_part_and_at_all_of_them() {
    let bytes = fs::read(corpus("dxil/raw_copy_cs.dxil")).unwrap();
    let container = Container::parse(&bytes).unwrap();
    let mut builder = ContainerBuilder::from(&container);
    let part = |name| container.part(name).unwrap().bytes().to_vec();
    let mut psv0 = part(FourCc::PSV0);
    // The stage: an amplification shader.
    psv0[4 + 24] = 14;
    builder.set(FourCc::PSV0, psv0);
    let mut rts0 = part(FourCc::RTS0);
    rts0[28] = 9;
    builder.set(FourCc::RTS0, rts0);
    let bytes = builder.build().unwrap();
    let output = tool(["verify", "-"]).write_stdin(bytes).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // A visibility that does not exist is not that of the program either.
    assert_eq!(text.lines().count(), 3, "{text}");
    for error in [
        "part RTS0, byte 0x118: root parameter 0: ",
        "part PSV0, ",
        "does not bind CBV 0 ",
    ] {
        assert!(text.contains(error), "{text}");
    }
}

/// A root signature can be read and be none that the API takes.
#[test]
fn verify_knows_what_a_root_signature_may_be() {
    let bytes = fs::read(corpus("dxil/rs_constants_1_1.dxil")).unwrap();
    let container = Container::parse(&bytes).unwrap();
    let part = container.part(FourCc::RTS0).unwrap();
    let mut payload = part.bytes().to_vec();
    // The visibility of the first parameter.
    payload[28] = 9;
    let mut builder = ContainerBuilder::from(&container);
    builder.set(FourCc::RTS0, payload);
    let bytes = builder.build().unwrap();
    let output = tool(["verify", "-"]).write_stdin(bytes).output().unwrap();
    assert_eq!(output.status.code(), Some(NO));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("-: error: part RTS0, byte 0x2c: root parameter 0: "),
        "{text}"
    );
}

/// A file that is no shader is named by what it is, whatever is to be done with it.
#[test]
fn every_command_says_what_a_foreign_file_is() {
    let shader = fs::read(corpus("dxil/raw_copy_cs.dxil")).unwrap();
    let program = Container::parse(&shader).unwrap().program().unwrap();
    let read = |file| fs::read(corpus(file)).unwrap();
    let files: [(&str, Vec<u8>); 9] = [
        ("there are no bytes", Vec::new()),
        (
            "LLVM bitcode without the header",
            program.bitcode().to_vec(),
        ),
        ("this is a PDB", read("pdb/dbg_zi_pdb_ps.pdb")),
        (
            "perhaps the disassembly of a program",
            b";\n; Input signature:\n;\n".to_vec(),
        ),
        ("perhaps the source of a shader", read("hlsl/raw_copy.hlsl")),
        (
            "this is a gzip file",
            [&b"\x1f\x8b\x08"[..], &[0; 40]].concat(),
        ),
        (
            "this is a ZIP archive",
            [&b"PK\x03\x04"[..], &[0; 40]].concat(),
        ),
        (
            "this is a SPIR-V module",
            [&b"\x03\x02\x23\x07"[..], &[0; 40]].concat(),
        ),
        ("this is an ELF file", [&b"\x7fELF"[..], &[0; 60]].concat()),
    ];
    let folder = TempDir::new().unwrap();
    let [file, out] = ["file", "out"].map(|name| folder.path().join(name));
    let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
    let commands: [&[&str]; 7] = [
        &["verify", file],
        &["info", file],
        &["constants", file],
        &["diff", file, "dxil/raw_copy_cs.dxil"],
        &["patch", file, "--set", "0=1", "-o", out],
        &["sign", file, "-o", out],
        &["strip", file, "-o", out],
    ];
    for (what, bytes) in files {
        fs::write(file, &bytes).unwrap();
        for args in commands {
            if what.contains("PDB") && ["info", "diff"].contains(&args[0]) {
                continue;
            }
            let output = tool(args).output().unwrap();
            assert_ne!(output.status.code(), Some(DONE), "{args:?} {what}");
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains(what), "{args:?}: {text}");
        }
    }
}

/// A library may leave its registers to who links it.
#[test]
fn info_shows_registers_that_are_not_assigned() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/tool/unassigned_lib63.dxil"
    );
    let [text, _] = run(["info", file], DONE);
    assert!(text.contains("unassigned"), "{text}");
    assert!(!text.contains("4294967295"), "{text}");
    let info = &info_json([file], DONE)[0];
    for resource in info["resources"].as_array().unwrap() {
        let binding = [&resource["register"], &resource["space"]];
        assert_eq!(binding, ["unassigned"; 2], "{resource}");
    }
    run(["verify", file], DONE);
}

/// Whatever is read, every command ends in one of its three ways.
#[test]
fn no_file_makes_it_fall_over() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let mut refused = 0;
    for entry in manifest("malformed") {
        let file = entry["file"].as_str().unwrap();
        let runs: [&[&str]; 8] = [
            &["info", file],
            &["info", "--format=json", file],
            &["sign", file, "-o", out],
            &["strip", file, "-o", out],
            &["constants", file],
            &["patch", file, "--set", "1=1", "-o", out],
            &["diff", file, "dxil/raw_copy_cs.dxil"],
            &["diff", "dxil/raw_copy_cs.dxil", file],
        ];
        for args in runs {
            let output = tool(args).output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            assert!(matches!(code, Some(DONE..=TROUBLE)), "{args:?}: {errors}");
            assert!(!errors.contains("panicked"), "{args:?}: {errors}");
            let is_refused = code != Some(DONE) && !errors.is_empty();
            refused += usize::from(is_refused);
            if args[0] == "patch" {
                assert_eq!(code, Some(NO), "{args:?}");
            }
        }
    }
    assert!(refused > 200, "{refused}");
}

/// A short file can stand for a long text; as much of it is shown as anyone could want.
#[test]
fn what_is_shared_is_not_shown_forever() {
    let count = 20_000_u32;
    let mut signature = [count, 8].map(u32::to_le_bytes).concat();
    for _ in 0..count {
        let element = [0, 8 + 32 * count, 0, 0, 0, 0, 0, 0].map(u32::to_le_bytes);
        signature.extend(element.concat());
    }
    signature.resize(signature.len() + 640_000, b'A');
    signature.extend([0; 4]);
    let mut builder = ContainerBuilder::new();
    builder.set(FourCc::ISG1, signature);
    let bytes = builder.build().unwrap();
    let output = tool(["info", "-"]).write_stdin(bytes).output().unwrap();
    assert_eq!(output.status.code(), Some(NO));
    assert!(output.stdout.len() < 50 << 20, "{}", output.stdout.len());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("too often to show"));
}

#[test]
fn what_a_terminal_would_obey_is_escaped() {
    let bytes = fs::read(corpus("dxil/dbg_zi_embed_ps.dxil")).unwrap();
    let mut builder = ContainerBuilder::from(&Container::parse(&bytes).unwrap());
    builder.set(FourCc::ILDN, b"\0\0\x06\0\x1b[31m\n\0\0".to_vec());
    let bytes = builder.build().unwrap();
    let output = tool(["info", "-"]).write_stdin(bytes).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(r"\x1b[31m\x0a"), "{text}");
    assert!(!text.contains('\x1b'));
}

#[test]
fn sign_puts_in_the_hash() {
    let right = fs::read(corpus("dxil/raw_copy_cs.dxil")).unwrap();
    assert_eq!(written(&["sign", "malformed/hash_flip.dxil"]), right);
    assert_eq!(written(&["sign", "dxil/raw_copy_cs.dxil"]), right);
    for file in ["dxil/raw_copy_cs_linux.dxil", "dxil/hash_bypass_cs.dxil"] {
        let signed = written(&["sign", file]);
        assert_eq!(signed[20..], fs::read(corpus(file)).unwrap()[20..]);
        Container::parse(&signed).unwrap().verify().unwrap();
    }
    let args = ["sign", "malformed/raw_program.dxil", "-o", "-"];
    let [_, error] = run(args, NO);
    assert!(error.contains("raw_program.dxil: byte 0x0: "), "{error}");
}

/// What DXC makes with `-Qstrip_debug` and `-Qstrip_reflect`, of the same shader without.
#[test]
fn strip_does_what_dxc_does() {
    let stripped = fs::read(corpus("dxil/dbg_zi_stripdebug_ps.dxil")).unwrap();
    for more in [&[][..], &["--debug"], &["--part=ILDB"]] {
        let args = [&["strip", "dxil/dbg_zi_embed_ps.dxil"], more].concat();
        assert_eq!(written(&args), stripped, "{more:?}");
    }
    let without_reflection = fs::read(corpus("dxil/dbg_nostat_ps.dxil")).unwrap();
    let args = ["strip", "dxil/forward_lit_tex_ps.dxil", "--reflection"];
    assert_eq!(written(&args), without_reflection);

    let without = |args: &[&str]| {
        let bytes = written(args);
        let container = Container::parse(&bytes).unwrap();
        container.check().unwrap();
        container.verify().unwrap();
        let names = container
            .parts()
            .iter()
            .map(|part| part.fourcc().to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    let file = "dxil/raw_copy_cs.dxil";
    let names = "SFI0 ISG1 OSG1 PSV0 RTS0 STAT HASH DXIL";
    assert_eq!(without(&["strip", file]), names);
    assert_eq!(
        without(&["strip", file, "--reflection"]),
        names.replace("STAT ", "")
    );
    assert_eq!(
        without(&["strip", file, "--root-signature"]),
        names.replace("RTS0 ", "")
    );
    assert_eq!(
        without(&[
            "strip",
            file,
            "--reflection",
            "--part",
            "HASH",
            "--part=RTS0"
        ]),
        "SFI0 ISG1 OSG1 PSV0 DXIL"
    );
    let private = "dxil/parts_private_cs.dxil";
    assert!(without(&["strip", private]).contains("PRIV"));
    assert!(!without(&["strip", private, "--private"]).contains("PRIV"));
    // What remains is signed as it was.
    for file in ["dxil/raw_copy_cs_linux.dxil", "dxil/hash_bypass_cs.dxil"] {
        let before = fs::read(corpus(file)).unwrap();
        let after = written(&["strip", file, "--reflection"]);
        let [before, after] = [&before, &after].map(|it| Container::parse(it).unwrap().hash());
        assert_eq!(before, after);
        assert!(!matches!(after, StoredHash::Hash(_)));
    }
    // What describes a program needs one, and a program what describes it.
    for part in ["DXIL", "SFI0", "ISG1", "OSG1", "PSV0"] {
        let part = format!("--part={part}");
        let [_, error] = run(["strip", file, &part, "-o", "-"], NO);
        assert!(error.contains("the result would be invalid"), "{error}");
    }
}

/// A right hash does not make a container right whose parts disagree.
#[test]
fn sign_and_verify_refuse_what_does_not_agree() {
    let bytes = fs::read(corpus("dxil/raw_copy_cs.dxil")).unwrap();
    let container = Container::parse(&bytes).unwrap();
    let mut builder = ContainerBuilder::from(&container);
    let mut psv0 = container.part(FourCc::PSV0).unwrap().bytes().to_vec();
    // The size of the thread group in x and y.
    psv0[4 + 0x24] += 1;
    psv0[4 + 0x28] += 1;
    builder.set(FourCc::PSV0, psv0);
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, builder.build().unwrap()).unwrap();
    let file = file.to_str().unwrap();
    let [text, _] = run(["verify", file], NO);
    for axis in [
        "x is 129, by the program it is 128",
        "y is 2, by the program it is 1",
    ] {
        let error = format!("runtime info: thread group size in {axis}");
        assert!(text.contains(&error), "{text}");
    }
    assert_eq!(text.lines().count(), 2, "{text}");
    for command in ["sign", "strip"] {
        let [_, error] = run([command, file, "-o", "-"], NO);
        assert!(error.contains("thread group size in x"), "{error}");
    }
    let [help, _] = run(["verify", "--help"], DONE);
    assert!(help.contains("does not read instructions"), "{help}");
}

fn find(shader: &[u8]) -> PatchTable {
    let id = |constant: &Constant| Pattern::id(&Pattern::DEFAULT, constant);
    PatchTable::find(shader, id).unwrap()
}

/// The bits of a constant of `table` in a shader that was patched.
fn bits_of(table: &PatchTable, place: usize, shader: &[u8]) -> u64 {
    let site = &table.constants()[place].sites[0];
    let container = Container::parse(shader).unwrap();
    let part = container.part(site.part.unwrap()).unwrap();
    let program = part.program().unwrap();
    let bitcode = 8 * (part.offset() + 8 + program.bitcode_offset()) as u64;
    let module = Module::parse(&program).unwrap();
    let is_it = |constant: &&Constant| bitcode + constant.field.bit == site.field.bit;
    module.constants().iter().find(is_it).unwrap().bits
}

/// Shaders that were planted with the usual sentinels become, byte for byte, those that DXC
/// confirmed.
#[test]
fn patch_makes_what_dxc_confirmed() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.dxil");
    let output = folder.path().join("out.dxil");
    let mut made = 0;
    for (variant, original, patched) in plan::variants() {
        let table = find(&original);
        let planted = variant.set.len() + variant.refused.len();
        if table.constants().len() != planted || !variant.refused.is_empty() {
            continue;
        }
        fs::write(&input, &original).unwrap();
        let mut command = tool([OsStr::new("patch"), input.as_os_str(), OsStr::new("-o")]);
        command.arg(&output);
        for (place, constant) in table.constants().iter().enumerate() {
            let bits = bits_of(&table, place, &patched);
            command.arg("--set");
            command.arg(format!("{}=bits:{bits:#x}", constant.id));
        }
        command.assert().code(DONE);
        assert!(fs::read(&output).unwrap() == patched, "{variant:?}");
        made += 1;
    }
    assert!(made >= 60, "{made}");
}

#[test]
fn patch_reads_values_of_every_type() {
    // i32 1 to 4, half 5, i16 6, i64 7, double 8.
    let file = "dxil/spec_stages_cs.dxil";
    let original = fs::read(corpus(file)).unwrap();
    let table = find(&original);
    let cases = [
        ("1=true", 1),
        ("1=false", 0),
        ("0x2=-4", 0xffff_fffc),
        ("2=0xfffffffc", 0xffff_fffc),
        ("2=-0x4", 0xffff_fffc),
        ("2=+4", 4),
        ("4=float:0.1", 0x3dcc_cccd),
        ("4=bits:0x3dcccccd", 0x3dcc_cccd),
        ("4=float:-inf", 0xff80_0000),
        ("5=0.5", 0x3800),
        ("5=-2", 0xc000),
        ("5=+2", 0x4000),
        (
            "8=100000000000000000000000000000000000000000",
            0x4872_5dfa_371a_19e7,
        ),
        ("5=half:0.1", 0x2e66),
        ("6=half:0.1", 0x2e66),
        ("6=-32768", 0x8000),
        ("6=65535", 0xffff),
        ("7=18446744073709551615", u64::MAX),
        ("7=-9223372036854775808", 1 << 63),
        ("7=double:1", 1_f64.to_bits()),
        ("8=1", 1_f64.to_bits()),
        ("8=1e-300", 1e-300_f64.to_bits()),
        ("8=-0.0", (-0.0_f64).to_bits()),
    ];
    for (set, bits) in cases {
        let patched = written(&["patch", file, "--set", set]);
        Container::parse(&patched).unwrap().verify().unwrap();
        let (id, _) = set.split_once('=').unwrap();
        let id: u32 = id.trim_start_matches("0x").parse().unwrap();
        let place = table.constants().iter().position(|it| it.id == id).unwrap();
        assert_eq!(bits_of(&table, place, &patched), bits, "{set}");
    }
}

#[test]
fn patch_refuses_what_it_cannot_do_and_writes_nothing() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.dxil");
    let cases = [
        (&["99=1"][..], NO, "no constant 99"),
        (&["2=0.5"], NO, "constant 2 is of type i32"),
        (
            &["2=4294967296"],
            NO,
            "4294967296 is out of range, which is -2147483648 to 4294967295",
        ),
        (
            &["7=18446744073709551616"],
            NO,
            "which is -9223372036854775808 to 18446744073709551615",
        ),
        (&["1=bits:0x100000000"], NO, "which is 0x0 to 0xffffffff"),
        (&["5=65536"], NO, "which is -65504.0 to 65504.0"),
        (&["5=99999999999999999999"], NO, "1e20 is out of range"),
        (&["5=true"], NO, "constant 5 is of type half"),
        (&["5=0x3800"], NO, "constant 5 is of type half"),
        (&["6=float:1"], NO, "i16, which is not as wide as float"),
        (&["1=1", "1=2"], NO, "constant 1 is given two values"),
        (&["1=1", "2=0.5"], NO, "constant 2 is of type i32"),
        (&["1"], TROUBLE, "ID=VALUE"),
        (&["x=1"], TROUBLE, "the id is a number"),
        (&["1=one"], TROUBLE, "`one` is not a number"),
        (&["1=int:1"], TROUBLE, "`int` is not a type"),
        (&["4=float:1e39"], TROUBLE, "-3.4028235e38 to 3.4028235e38"),
        (&["6=half:1e400"], TROUBLE, "-65504.0 to 65504.0"),
        (&["8=1e400"], TROUBLE, "`1e400` is out of range"),
        (&["1=bits:-1"], TROUBLE, "`-1` is not bits"),
        (&["1=0x+1"], TROUBLE, "`0x+1` is not a number"),
        (&["1=-+1"], TROUBLE, "`-+1` is not a number"),
        (&[], TROUBLE, "--set"),
    ];
    for (sets, code, what) in cases {
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let args = ["patch", "dxil/spec_stages_cs.dxil", "-o"].map(OsStr::new);
        let args = args.into_iter().chain([out.as_os_str()]);
        let [_, error] = run(args.chain(sets.map(OsStr::new)), code);
        assert!(error.contains(what), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn constants_are_listed_as_the_library_finds_them() {
    for file in ["dxil/spec_stages_lib.dxil", "dxil/spec_stages_ps.dxil"] {
        let bytes = fs::read(corpus(file)).unwrap();
        let table = find(&bytes);
        let [text, _] = run(["constants", file, "--format=json"], DONE);
        let json: Value = serde_json::from_str(&text).unwrap();
        let listed = json["constants"].as_array().unwrap();
        assert_eq!(
            (&json["file"], listed.len()),
            (&file.into(), table.constants().len())
        );
        let [text, _] = run(["constants", file], DONE);
        let sites: usize = table.constants().iter().map(|it| it.sites.len()).sum();
        assert_eq!(text.lines().count(), 2 + sites, "{text}");
        for (listed, constant) in listed.iter().zip(table.constants()) {
            assert_eq!(listed["id"], constant.id);
            assert_eq!(listed["type"], constant.ty.to_string());
            assert_eq!(listed["value_bits"], format!("{:#x}", constant.bits));
            let sites = listed["sites"].as_array().unwrap();
            assert_eq!(sites.len(), constant.sites.len());
            for (listed, site) in sites.iter().zip(&constant.sites) {
                assert_eq!(listed["bit"], site.field.bit);
                assert_eq!(listed["bits"], site.field.len);
                assert_eq!(listed["part"], "DXIL");
                assert_eq!(listed["obstacle"], Value::Null);
            }
        }
    }
    let [text, _] = run(["constants", "dxil/raw_copy_cs.dxil"], DONE);
    assert!(text.contains("no specialization constants"), "{text}");
    run(["constants", "dxil/rs_empty_1_1.dxil"], NO);
}

/// Ids and places that `constants` lists.
fn listed(file: &Path, options: &[&str]) -> Vec<(u64, Value)> {
    let mut args = vec![OsStr::new("constants"), file.as_os_str()];
    args.extend(options.iter().map(OsStr::new));
    args.push(OsStr::new("--format=json"));
    let json: Value = serde_json::from_str(&run(args, DONE)[0]).unwrap();
    let constants = json["constants"].as_array().unwrap().iter();
    let bits = |it: &Value| {
        let sites = it["sites"].as_array().unwrap().iter();
        sites.map(|site| site["bit"].clone()).collect::<Value>()
    };
    constants
        .map(|it| (it["id"].as_u64().unwrap(), bits(it)))
        .collect()
}

/// Sentinels of any form are found: the shader that was compiled with another magic, and one with
/// those that the Godot engine plants.
#[test]
fn sentinels_of_other_authors_are_found() {
    let [usual, other] =
        ["spec_hidden_cs", "spec_hidden_cs_magic"].map(|name| corpus(&format!("dxil/{name}.dxil")));
    let expected = listed(&usual, &[]);
    assert_eq!(expected.len(), 13);
    assert_eq!(listed(&other, &[]), []);
    for sentinel in ["0x7bcd0000", "2077032448", "0x7bcd0000:0xffff0000"] {
        assert_eq!(listed(&other, &["--sentinel", sentinel]), expected);
    }
    // A smaller id; and 8 to 13 beside it, as 0 to 5.
    let small = ["--sentinel", "0x7bcd0000:0xfffffffc"];
    assert_eq!(listed(&other, &small), expected[..3]);
    let both = [&small[..], &["--sentinel=0x7bcd0008:0xfffffff8"]].concat();
    let both = listed(&other, &both);
    assert!(both.iter().map(|(id, _)| *id).eq(0..=5), "{both:?}");
    let both = ["--sentinel=0x7bcd0000", "--sentinel=0x11110000"];
    assert_eq!(listed(&other, &both), expected);

    let sets: Vec<String> = (1..=13)
        .map(|id| format!("--set={id}=bits:{:#x}", 0x4567_0000 + id))
        .collect();
    let mut args = vec![
        "patch",
        "dxil/spec_hidden_cs_magic.dxil",
        "--sentinel=0x7bcd0000",
    ];
    args.extend(sets.iter().map(String::as_str));
    let patched = written(&args);
    let program = |bytes: &[u8]| {
        Container::parse(bytes)
            .unwrap()
            .program()
            .unwrap()
            .bytes()
            .to_vec()
    };
    assert!(program(&patched) == program(&fs::read(&usual).unwrap()));

    let folder = TempDir::new().unwrap();
    let godots = folder.path().join("godots.dxil");
    let ids = [1, 2, 3, 4];
    let sets = ids.map(|id| format!("--set={id}=bits:{:#x}", 0x4567_8900 + id));
    let mut args = vec!["patch", "dxil/spec_stages_cs.dxil"];
    args.extend(sets.iter().map(String::as_str));
    fs::write(&godots, written(&args)).unwrap();
    let expected = listed(&corpus("dxil/spec_stages_cs.dxil"), &[]);
    for sentinel in [
        "0x45678900",
        "0x45678900:0xffffff00",
        "0x45678900:0xffffffffffffff00",
    ] {
        assert_eq!(listed(&godots, &["--sentinel", sentinel]), expected[..4]);
    }
    for (sentinel, what) in [
        ("0x45678901:0xffffff00", "BASE has bits of the id, 0x1"),
        (
            "0x45678900:0xfffffff",
            "the id 0xf0000000 that MASK leaves is not at the end",
        ),
        ("0x45678900:0x0", "BASE has bits of the id"),
        ("0x4560000000000000:0xfff0000000000000", "more than 32 bits"),
        ("0", "BASE is 0"),
        ("-1", "`-1` is not a number"),
        ("0x45678900:", "`` is not a number"),
        ("0x123456789abcdef00", "is not a number of up to 64 bits"),
    ] {
        let sentinel = format!("--sentinel={sentinel}");
        let [_, error] = run(
            ["constants", "dxil/spec_stages_cs.dxil", &sentinel],
            TROUBLE,
        );
        assert!(error.contains(what), "{error}");
    }
}

/// A shader of the corpus with its usual sentinels, and two values for each that can be patched.
fn patchable_shaders() -> Vec<(String, Vec<u8>, [Vec<String>; 2])> {
    let mut shaders = Vec::new();
    for entry in manifest("") {
        let file = entry["file"].as_str().unwrap();
        let container = fs::read(corpus(file)).unwrap();
        let Ok(program) = Container::parse(&container).unwrap().program() else {
            continue;
        };
        let program = program.bytes().to_vec();
        for (name, bytes) in [
            (file.to_owned(), container),
            (format!("{file}, bare"), program),
        ] {
            let table = find(&bytes);
            let values = [1, 0].map(|value| {
                let ids = table.constants().iter().map(|it| it.id);
                let sets = ids.filter(|id| {
                    let set = [(*id, dxil::patch::Value::Bits(value))];
                    table.patch(&mut bytes.clone(), &set).is_ok()
                });
                sets.map(|id| format!("--set={id}=bits:{value}")).collect()
            });
            if !table.constants().is_empty() {
                shaders.push((name, bytes, values));
            }
        }
    }
    shaders
}

/// With a table that was saved, a shader that is patched already is patched again: to what the
/// shader that never was would have become.
#[test]
fn a_saved_table_patches_again() {
    let folder = TempDir::new().unwrap();
    let [input, table, output] =
        ["in.dxil", "table.json", "out.dxil"].map(|it| folder.path().join(it));
    let patch = |from: &Path, options: &[&OsStr], sets: &[String]| {
        let mut args = vec![OsStr::new("patch"), from.as_os_str(), OsStr::new("-o")];
        args.push(output.as_os_str());
        args.extend(options);
        args.extend(sets.iter().map(OsStr::new));
        run(args, DONE);
        fs::read(&output).unwrap()
    };
    let with_table = [OsStr::new("--table"), table.as_os_str()];
    let shaders = patchable_shaders();
    assert!(shaders.len() >= 30, "{}", shaders.len());
    for (name, bytes, [first, second]) in shaders {
        fs::write(&input, &bytes).unwrap();
        let save = ["constants", "--save"].map(OsStr::new);
        let save = save
            .into_iter()
            .chain([table.as_os_str(), input.as_os_str()]);
        run(save, DONE);
        let by_sentinel = [&first, &second].map(|sets| patch(&input, &[], sets));
        let by_table = [&first, &second].map(|sets| patch(&input, &with_table, sets));
        assert!(by_sentinel == by_table, "{name}");
        fs::write(&input, &by_sentinel[0]).unwrap();
        assert!(
            patch(&input, &with_table, &second) == by_sentinel[1],
            "{name}"
        );
        assert!(
            patch(&input, &with_table, &first) == by_sentinel[0],
            "{name}"
        );
    }
}

#[test]
fn a_table_is_of_one_shader() {
    let folder = TempDir::new().unwrap();
    let [table, changed] = ["table.json", "changed.json"].map(|it| folder.path().join(it));
    let file = "dxil/spec_stages_cs.dxil";
    let saved = run(["constants", file, "--save", "-"], DONE)[0].clone();
    fs::write(&table, &saved).unwrap();
    let json: Value = serde_json::from_str(&saved).unwrap();
    let readme = include_str!("../README.md");
    let mut fields: Vec<&String> = json.as_object().unwrap().keys().collect();
    fields.extend(json["constants"][0].as_object().unwrap().keys());
    fields.extend(json["constants"][0]["sites"][0].as_object().unwrap().keys());
    for field in fields {
        assert!(readme.contains(&format!("`{field}`")), "{field}");
    }

    let refused = |file: &str, table: &Path, code| {
        let args = ["patch", file, "--set=1=1", "-o", "-", "--table"].map(OsStr::new);
        let [_, error] = run(args.into_iter().chain([table.as_os_str()]), code);
        error
    };
    for other in [
        "dxil/spec_stages_ps.dxil",
        "dxil/spec_hidden_cs.dxil",
        "dxil/raw_copy_cs.dxil",
        "malformed/manifest.json",
    ] {
        let error = refused(other, &table, NO);
        assert!(error.contains("neither the shader that"), "{error}");
    }
    // Not even one of the same length with numbers at the same places.
    let mut bytes = fs::read(corpus(file)).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let other = folder.path().join("other.dxil");
    fs::write(&other, bytes).unwrap();
    let error = refused(other.to_str().unwrap(), &table, NO);
    assert!(error.contains("neither the shader that"), "{error}");

    let site = "/constants/0/sites/0";
    for (pointer, value, what) in [
        ("/version", 2.into(), "a table of version 2"),
        ("/version", "1".into(), "not a table"),
        ("/shader_size", 100.into(), "no number of the shader"),
        ("/template_hash", "0".into(), "neither the shader that"),
        (
            "/constants/0/type",
            "i65".into(),
            "i65, which programs do not have",
        ),
        ("/constants/0/type", "int".into(), "`int` is not a type"),
        ("/constants/0/id", (-1).into(), "not a table"),
        ("/constants/0/value_bits", "7".into(), "`7` is not bits"),
        (
            &format!("{site}/bit"),
            u64::MAX.into(),
            "no number of the shader",
        ),
        (
            &format!("{site}/bits"),
            41.into(),
            "no number of the shader",
        ),
        (
            &format!("{site}/encoding"),
            "vbr".into(),
            "`vbr` is not an encoding",
        ),
        (
            &format!("{site}/encoding"),
            "vbr64".into(),
            "no number of the shader",
        ),
        (
            &format!("{site}/part"),
            "DXILS".into(),
            "`DXILS` is not the name of a part",
        ),
        (
            &format!("{site}/bit"),
            json["constants"][1]["sites"][0]["bit"].clone(),
            "same place",
        ),
        (
            &format!("{site}/bit"),
            800.into(),
            "neither the shader that",
        ),
    ] as [(&str, Value, &str); 15]
    {
        let mut json = json.clone();
        *json.pointer_mut(pointer).unwrap() = value;
        fs::write(&changed, json.to_string()).unwrap();
        let error = refused(file, &changed, NO);
        assert!(error.contains(what), "{pointer}: {error}");
    }
    for text in ["", "{}", "[]", &saved[..saved.len() / 2]] {
        fs::write(&changed, text).unwrap();
        let error = refused(file, &changed, NO);
        assert!(error.contains("changed.json: not a table"), "{error}");
    }
    let missing = refused(file, &folder.path().join("missing.json"), TROUBLE);
    assert!(missing.contains("cannot read"), "{missing}");
    let [_, twice] = run(["patch", "-", "--set=1=1", "-o", "-", "--table=-"], TROUBLE);
    assert!(twice.contains("only once"), "{twice}");
    let both = [
        "patch",
        file,
        "--set=1=1",
        "-o",
        "-",
        "--table=-",
        "--sentinel=0x100",
    ];
    let [_, both] = run(both, TROUBLE);
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn diff_tells_what_differs() {
    let a = "dxil/dbg_zi_embed_ps.dxil";
    assert_eq!(run(["diff", a, a], DONE)[0], "");
    let [text, _] = run(["diff", a, "dxil/dbg_zi_stripdebug_ps.dxil"], NO);
    assert!(
        text.contains("  ILDB") && text.contains("only in A"),
        "{text}"
    );
    assert!(
        !text.contains("  DXIL") && !text.contains("program."),
        "{text}"
    );

    let [text, _] = run(
        [
            "diff",
            "dxil/functions_lib63.dxil",
            "dxil/functions_lib66.dxil",
        ],
        NO,
    );
    let line = text
        .lines()
        .find(|line| line.contains("program.shader_model"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(words, ["program.shader_model", "6.3", "6.6"]);

    let [text, _] = run(
        ["diff", "dxil/raw_copy_cs.dxil", "malformed/hash_flip.dxil"],
        NO,
    );
    assert!(
        text.contains("container.hash") && text.contains("wrong"),
        "{text}"
    );

    // The first byte that is another.
    let before = fs::read(corpus("dxil/raw_copy_cs.dxil")).unwrap();
    let mut after = before.clone();
    let part = Container::parse(&before)
        .unwrap()
        .part(FourCc::HASH)
        .unwrap();
    after[part.offset() + 8 + 5] ^= 1;
    let output = tool(["diff", "dxil/raw_copy_cs.dxil", "-"])
        .write_stdin(after)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(NO));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.contains("  HASH")).unwrap();
    assert!(line.ends_with("from its byte 0x5 on"), "{text}");

    // The container of a PDB has other parts, of the same program.
    let [text, _] = run(
        ["diff", "dxil/dbg_zi_pdb_ps.dxil", "pdb/dbg_zi_pdb_ps.pdb"],
        NO,
    );
    let line = text.lines().find(|line| line.contains("  SRCI")).unwrap();
    assert!(line.ends_with("only in B"), "{text}");
    assert!(
        !text.contains("  HASH") && !text.contains("entry_points"),
        "{text}"
    );

    for other in ["malformed/half.dxil", "no such file"] {
        run(["diff", a, other], TROUBLE);
        run(["diff", other, a], TROUBLE);
    }
}

#[test]
fn output_is_complete_or_not_there() {
    let folder = TempDir::new().unwrap();
    let names = |folder: &TempDir| fs::read_dir(folder.path()).unwrap().count();
    let file = folder.path().join("shader.dxil");
    let unsigned = fs::read(corpus("dxil/raw_copy_cs_linux.dxil")).unwrap();
    fs::write(&file, &unsigned).unwrap();
    // In place, because it was asked for.
    let sign = |input: &Path, output: &Path| {
        let mut command = tool(["sign"]);
        command.arg(input).arg("-o").arg(output);
        command
    };
    sign(&file, &file).assert().code(DONE);
    let signed = fs::read(&file).unwrap();
    Container::parse(&signed).unwrap().verify().unwrap();
    assert_eq!(names(&folder), 1);
    // Nothing can be read, nothing is written.
    sign(&corpus("malformed/half.dxil"), &file)
        .assert()
        .code(NO);
    sign(Path::new("no such file"), &file)
        .assert()
        .code(TROUBLE);
    assert_eq!(fs::read(&file).unwrap(), signed);
    let nowhere = folder.path().join("no such folder").join("out");
    sign(&file, &nowhere).assert().code(TROUBLE);
    sign(&file, folder.path()).assert().code(TROUBLE);
    assert_eq!(names(&folder), 1);
    // There is no output without a name for it.
    tool([OsStr::new("sign"), file.as_os_str()])
        .assert()
        .code(TROUBLE);
}

#[cfg(unix)]
#[test]
fn output_is_as_accessible_as_files_are() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let [plain, new, old] = ["plain", "new", "old"].map(|name| folder.path().join(name));
    fs::write(&plain, "").unwrap();
    fs::write(&old, "").unwrap();
    fs::set_permissions(&old, PermissionsExt::from_mode(0o640)).unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&old, &link).unwrap();
    for output in [&new, &link] {
        let mut command = tool(["sign", "dxil/raw_copy_cs.dxil", "-o"]);
        command.arg(output).assert().code(DONE);
    }
    let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&new), mode(&plain));
    assert_eq!(mode(&old), 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::metadata(&old).unwrap().len() > 0);
    // A device stays one.
    run(["sign", "dxil/raw_copy_cs.dxil", "-o", "/dev/null"], DONE);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

/// Names that are not ASCII, and on Unix not even UTF-8.
#[test]
fn any_name_of_a_file_will_do() {
    let folder = TempDir::new().unwrap();
    let names = [
        std::ffi::OsString::from("Schäder \u{1f4a1} тест.dxil"),
        #[cfg(target_os = "linux")]
        std::os::unix::ffi::OsStringExt::from_vec(b"\xff\xfe.dxil".to_vec()),
    ];
    for name in names {
        let file = folder.path().join(name);
        let mut command = tool(["sign", "dxil/raw_copy_cs.dxil", "-o"]);
        command.arg(&file).assert().code(DONE);
        for command in ["info", "verify"] {
            tool([OsStr::new(command), file.as_os_str()])
                .assert()
                .code(DONE);
        }
    }
}

#[test]
fn several_files_are_all_looked_at() {
    let files = [
        "dxil/raw_copy_cs.dxil",
        "no such file",
        "malformed/half.dxil",
    ];
    let [text, errors] = run(["verify"].into_iter().chain(files), TROUBLE);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(errors.contains("cannot read no such file: "), "{errors}");
    let infos = info_json(["malformed/half.dxil", "dxil/raw_copy_cs.dxil"], NO);
    assert_eq!(infos[0]["problems"].as_array().unwrap().len(), 1);
    assert_eq!(infos[1]["problems"].as_array().unwrap().len(), 0);
    let [_, errors] = run(["info", "-", "-"], TROUBLE);
    assert!(errors.contains("only once"), "{errors}");
}

#[test]
fn who_stops_reading_has_seen_enough() {
    let all = manifest("");
    let damaged = manifest("malformed");
    let runs: [(&[&str], &[Value], i32); 4] = [
        (&["info"], &all, DONE),
        (&["info", "--format=json"], &all, DONE),
        (&["verify"], &damaged, NO),
        (&["diff", "dxil/raw_copy_cs.dxil"], &all[..1], NO),
    ];
    for (command, manifest, code) in runs {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_dxil-tool"))
            .args(command)
            .args(files(manifest))
            .current_dir(corpus(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(code), "{command:?}");
    }
}

#[test]
fn help_has_the_exit_codes() {
    let help = |args: &[&str]| {
        let [text, _] = run(args, DONE);
        assert!(text.contains("Exit codes:\n  0 "), "{text}");
        text
    };
    let text = help(&["--help"]);
    for command in COMMANDS {
        assert!(text.contains(&format!("\n  {command}")), "{text}");
        help(&[command, "--help"]);
        run([command], TROUBLE);
    }
    assert!(run(["--version"], DONE)[0].starts_with("dxil-tool "));
    run(["explode"], TROUBLE);
    run(
        ["info", "--format", "xml", "dxil/raw_copy_cs.dxil"],
        TROUBLE,
    );
    run(
        [
            "strip",
            "dxil/raw_copy_cs.dxil",
            "--part",
            "TOOLONG",
            "-o",
            "-",
        ],
        TROUBLE,
    );
}
