//! What the fuzz targets do with bytes of the fuzzer's choice, and what they start from.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::sync::LazyLock;

use conformance_runner::package::{self, DefectCounts, Sources, Tool};
use conformance_runner::{Filter, Tested, plan};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The name of the journal, and that of the manifest.
pub const FILES: [&str; 2] = ["journals/001.jsonl", "package.json"];

/// A good package, and its files.
pub static GOOD: LazyLock<(Vec<u8>, BTreeMap<String, Vec<u8>>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let [journal, output] = ["run.jsonl", "run.zip"].map(|name| folder.path().join(name));
    let of = plan(&Tested::Plugin(None), &Filter::all());
    let tool = Tool::this();
    let run = json!({"run": {
        "version": tool.version, "rule_set": tool.rule_set, "tested": {"plugin": null},
        "env": [["A", "b"]], "settings": {"set": "full", "seed": 0, "fault_plan": null, "corpus": null},
        "plan": ["P-OPEN-01", "P-OPEN-02"], "rules_in_all": of.len(),
    }});
    let machine = json!({"machine": {
        "os": "an OS", "kernel": null, "wine": null, "arch": "x86_64", "cpus": 2, "tool_sha256": null,
    }});
    let pass = json!({"rule": {"id": "P-OPEN-01", "verdict": "pass", "notes": ["a note"], "milliseconds": 1}});
    let fail = json!({"rule": {
        "id": "P-OPEN-02", "verdict": "fail", "call": "f()", "expected": "S_OK", "got": "E_FAIL", "notes": [],
        "output": "printed", "calls": ["pfnGetCaps"], "milliseconds": 2,
    }});
    let end = json!({"end": {"milliseconds": 3}});
    let lines = [run, machine, pass, fail, end].map(|line| format!("{line}\n"));
    fs::write(&journal, lines.concat()).expect("a journal");
    let sources = Sources {
        journals: vec![journal],
        ..Sources::default()
    };
    package::create(&sources, &DefectCounts::new(), &output).expect("a package");
    let bytes = fs::read(output).expect("a package");
    let mut archive = ZipArchive::new(Cursor::new(&bytes)).expect("an archive");
    let files = (0..archive.len()).map(|index| {
        let mut file = archive.by_index(index).expect("a file");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("its content");
        (file.name().expect("its name").into_owned(), bytes)
    });
    let files = files.collect();
    (bytes, files)
});

/// Verifies a package, and writes the result in both forms.
pub fn verify(bytes: &[u8]) {
    let result = package::verify(bytes, None, &DefectCounts::new());
    result.write_text(&mut Vec::new()).expect("a text");
    assert_eq!(result.to_json()["exit_code"], result.exit_code());
}

/// The two files that the input has.
pub fn parts(input: &[u8]) -> (&[u8], &[u8]) {
    let middle = input.iter().position(|byte| *byte == 0);
    let middle = middle.unwrap_or(input.len());
    (
        &input[..middle],
        input.get(middle + 1..).unwrap_or_default(),
    )
}

/// The good package with another journal and another manifest, which has the hash of the journal.
pub fn package(journal: &[u8], manifest: &[u8]) -> Vec<u8> {
    let mut files = GOOD.1.clone();
    let mut manifest = manifest.to_vec();
    if let Ok(Value::Object(mut fields)) = serde_json::from_slice(&manifest) {
        let facts = json!({"size": journal.len(), "sha256": hex::encode(Sha256::digest(journal))});
        if let Some(Value::Object(listed)) = fields.get_mut("files") {
            listed.insert(FILES[0].into(), facts);
        }
        manifest = Value::Object(fields).to_string().into_bytes();
    }
    files.insert(FILES[0].into(), journal.to_vec());
    files.insert(FILES[1].into(), manifest);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in &files {
        zip.start_file(name.as_str(), options).expect("a file");
        zip.write_all(bytes).expect("its content");
    }
    zip.finish().expect("an archive").into_inner()
}
