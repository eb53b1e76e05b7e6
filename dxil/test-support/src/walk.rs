//! Reads everything that can be read of some bytes, whatever they are, and checks that what was
//! read lies in them. The fuzz targets do the same.

use dxil::bitstream::{Cursor, Entry};
use dxil::psv0::{Dependencies, PipelineStateValidation};
use dxil::rdat::{Node, RuntimeData, SubobjectKind};
use dxil::{
    CompilerVersion, Container, ContainerBuilder, DebugName, Error, FeatureFlags, Form, FourCc,
    Part, PartContent, Program, RootSignature, RootSignatureDesc, ShaderHash, Signature,
    StoredHash,
};

/// How much is read of lists in lists: records may share lists, so that all of them can be too much.
const MANY: usize = 64;

/// `slice` is a slice of `bytes`, not merely equal to one.
fn inside(bytes: &[u8], slice: &[u8]) -> bool {
    let [outer, inner] = [bytes, slice].map(<[u8]>::as_ptr_range);
    outer.start <= inner.start && inner.end <= outer.end
}

/// Reads `bytes` as shader code: a container or a program.
pub fn all(bytes: &[u8]) {
    if let Some(&first) = bytes.first_chunk() {
        let _ = Form::sniff(first);
    }
    let container = Container::parse(bytes);
    if let Some(header) = bytes.first_chunk() {
        let declared = Container::declared_len(header);
        if let Ok(container) = &container {
            assert_eq!(declared, Ok(container.bytes().len()));
        }
    }
    match container {
        Ok(container) => read_container(bytes, &container),
        Err(error) => read_error(bytes, error),
    }
    match Program::parse(bytes) {
        Ok(program) => {
            read_program(bytes, &program);
            assert_eq!(
                Program::declared_len(bytes.first_chunk().unwrap()),
                Ok(program.bytes().len())
            );
        }
        Err(error) => read_error(bytes, error),
    }
}

fn read_container(bytes: &[u8], container: &Container<'_>) {
    assert!(inside(bytes, container.bytes()) && inside(bytes, container.trailing()));
    assert_eq!(
        container.bytes().len() + container.trailing().len(),
        bytes.len()
    );
    let _ = format!("{container:?}");
    let verified = container.verify();
    if let Err(error) = verified {
        read_error(bytes, error);
    }
    if verified == Ok(()) || !matches!(container.hash(), StoredHash::Hash(_)) {
        let written = ContainerBuilder::from(container).build().unwrap();
        assert!(written == container.bytes());
    }
    let mut all_read = true;
    for part in container.parts() {
        assert_eq!(part.bytes().as_ptr(), bytes[part.offset() + 8..].as_ptr());
        assert!(inside(container.bytes(), part.bytes()));
        assert_eq!(bytes[part.offset()..][..4], part.fourcc().0);
        assert_eq!(container.part(part.fourcc()), Some(*part));
        match part.content() {
            Ok(content) => read_content(part, content),
            Err(error) => {
                all_read = false;
                assert_eq!(error.part, Some(part.fourcc()));
                read_error(bytes, error);
            }
        }
    }
    match container.check() {
        Ok(()) => assert!(all_read),
        Err(error) => read_error(bytes, error),
    }
    for error in container.disagreements().into_iter().flatten() {
        read_error(bytes, error);
    }
    let errors = [
        container.program().err(),
        container.root_signature().err(),
        container.pipeline_state_validation().err(),
        container.runtime_data().err(),
        container.computed_shader_hash().err(),
    ];
    for error in errors.into_iter().flatten() {
        read_error(bytes, error);
    }
}

fn read_content(part: &Part<'_>, content: PartContent<'_>) {
    let bytes = part.bytes();
    match content {
        PartContent::Program(program) => read_program(bytes, &program),
        PartContent::Signature(signature) => read_signature(bytes, &signature),
        PartContent::RootSignature(read) => read_root_signature(&read),
        PartContent::PipelineStateValidation(psv0) => read_psv0(bytes, &psv0),
        PartContent::RuntimeData(data) => read_rdat(bytes, &data),
        PartContent::DebugName(name) => assert!(inside(bytes, name.name.as_bytes())),
        PartContent::CompilerVersion(version) => {
            assert!(inside(bytes, version.commit.as_bytes()));
            assert!(inside(bytes, version.custom_version.as_bytes()));
        }
        PartContent::FeatureFlags(flags) => _ = format!("{flags:?}"),
        PartContent::ShaderHash(hash) => _ = format!("{hash:?}"),
        PartContent::Other(rest) => assert!(inside(bytes, rest)),
    }
    let is_program = [FourCc::DXIL, FourCc::ILDB, FourCc::STAT].contains(&part.fourcc());
    assert!(part.program().is_ok() || !is_program);
}

fn read_signature(bytes: &[u8], signature: &Signature<'_>) {
    for element in signature.elements() {
        assert!(inside(bytes, element.name()));
        assert_eq!(bytes_after(bytes, element.name()).first(), Some(&0));
    }
    let _ = format!("{signature:?}");
}

/// What is valid is written, and read again the same.
fn read_root_signature(read: &RootSignature<'_>) {
    let _ = format!("{read:?}");
    let Ok(desc) = RootSignatureDesc::try_from(read) else {
        return;
    };
    match desc.serialize() {
        Ok(bytes) => {
            let again = RootSignature::parse(&bytes).unwrap();
            assert_eq!(RootSignatureDesc::try_from(&again), Ok(desc));
            assert_eq!(again, *read);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// What follows `slice` in `bytes`, which it is inside of.
fn bytes_after<'a>(bytes: &'a [u8], slice: &[u8]) -> &'a [u8] {
    let end = slice.as_ptr_range().end as usize - bytes.as_ptr() as usize;
    &bytes[end..]
}

/// A string is followed by its NUL.
fn read_string(bytes: &[u8], text: &str) {
    assert!(inside(bytes, text.as_bytes()));
    assert_eq!(bytes_after(bytes, text.as_bytes()).first(), Some(&0));
}

/// Reads `bytes` as if they were the payload of each kind of part.
pub fn payload(bytes: &[u8]) {
    match Signature::parse(bytes) {
        Ok(signature) => read_signature(bytes, &signature),
        Err(error) => read_error(bytes, error),
    }
    rts0(bytes);
    psv0(bytes);
    rdat(bytes);
    let errors = [
        FeatureFlags::parse(bytes).err(),
        ShaderHash::parse(bytes).err(),
        DebugName::parse(bytes).err(),
        CompilerVersion::parse(bytes).err(),
    ];
    for error in errors.into_iter().flatten() {
        read_error(bytes, error);
    }
}

/// Reads `bytes` as if they were the payload of `RTS0`.
pub fn rts0(bytes: &[u8]) {
    match RootSignature::parse(bytes) {
        Ok(root_signature) => read_root_signature(&root_signature),
        Err(error) => read_error(bytes, error),
    }
}

/// Reads `bytes` as if they were the payload of `PSV0`.
pub fn psv0(bytes: &[u8]) {
    match PipelineStateValidation::parse(bytes) {
        Ok(psv0) => read_psv0(bytes, &psv0),
        Err(error) => read_error(bytes, error),
    }
}

fn read_psv0(bytes: &[u8], psv0: &PipelineStateValidation<'_>) {
    if let Some(name) = psv0.entry_name {
        read_string(bytes, name);
    }
    for resource in psv0.resources().take(MANY) {
        let _ = format!("{resource:?}");
    }
    let elements = psv0.inputs().chain(psv0.outputs());
    for element in elements.chain(psv0.patch_constants_or_primitives()) {
        read_string(bytes, element.semantic_name);
        let _ = format!("{element:?}");
    }
    let mut all: Vec<Dependencies<'_>> = (0..5).map(|stream| psv0.input_outputs(stream)).collect();
    all.extend([psv0.input_patch_constants(), psv0.patch_constant_outputs()]);
    for mask in all.iter().flat_map(Dependencies::iter) {
        assert!(mask.iter().all(|component| mask.contains(component)));
    }
    for stream in 0..5 {
        let _ = format!("{:?}", psv0.view_id_outputs(stream));
    }
}

/// Reads `bytes` as if they were the payload of `RDAT`.
pub fn rdat(bytes: &[u8]) {
    match RuntimeData::parse(bytes) {
        Ok(data) => read_rdat(bytes, &data),
        Err(error) => read_error(bytes, error),
    }
}

fn read_rdat(bytes: &[u8], data: &RuntimeData<'_>) {
    for function in data.functions().take(MANY) {
        read_string(bytes, function.name);
        read_string(bytes, function.unmangled_name);
        for resource in function.resources.iter().take(MANY) {
            read_string(bytes, resource.name);
        }
        for name in function.dependencies.iter().take(MANY) {
            read_string(bytes, name);
        }
        function.node.iter().for_each(read_node);
    }
    for resource in data.resources().take(MANY) {
        read_string(bytes, resource.name);
        let _ = format!("{resource:?}");
    }
    for subobject in data.subobjects().take(MANY) {
        read_string(bytes, subobject.name);
        match subobject.kind {
            SubobjectKind::GlobalRootSignature(blob) | SubobjectKind::LocalRootSignature(blob) => {
                assert!(inside(bytes, blob));
                rts0(blob);
            }
            SubobjectKind::SubobjectToExportsAssociation { subobject, exports } => {
                read_string(bytes, subobject);
                for export in exports.iter().take(MANY) {
                    read_string(bytes, export);
                }
            }
            other => _ = format!("{other:?}"),
        }
    }
}

fn read_node(node: &Node<'_>) {
    for attribute in node.attributes.iter().take(MANY) {
        let _ = format!("{attribute:?}");
    }
    for io in node.inputs.iter().chain(node.outputs.iter()).take(MANY) {
        for attribute in io.attributes.iter().take(MANY) {
            let _ = format!("{attribute:?}");
        }
    }
}

/// Reads `bytes` as if they were bitcode: all operands of all records.
pub fn bitcode(bytes: &[u8]) {
    let cursor = match Cursor::new(bytes) {
        Ok(cursor) => cursor,
        Err(error) => return read_error(bytes, error),
    };
    let mut depth = 0;
    let mut sound = true;
    for item in cursor {
        assert!(sound, "more after an error");
        match item {
            Ok(Entry::SubBlock { .. }) => depth += 1,
            Ok(Entry::EndBlock) => depth -= 1,
            Ok(Entry::Record(record)) => {
                let operands = record.operands();
                assert_eq!(operands.clone().count(), operands.len());
                if let Some(last) = operands.last() {
                    assert!(last.bit + last.len <= 8 * bytes.len() as u64);
                }
                assert!(record.blob().is_none_or(|blob| inside(bytes, blob)));
            }
            Err(error) => {
                sound = false;
                read_error(bytes, error);
            }
        }
    }
    assert!(depth == 0 || !sound);
}

fn read_program(bytes: &[u8], program: &Program<'_>) {
    assert!(inside(bytes, program.bytes()) && inside(program.bytes(), program.bitcode()));
    assert_eq!(program.size_in_words() * 4, program.bytes().len());
    assert!(program.bitcode().starts_with(b"BC\xc0\xde"));
    let _ = format!(
        "{program:?} {} {}",
        program.shader_model(),
        program.dxil_version()
    );
}

/// An error has a text and points into the input, or at its end.
fn read_error(bytes: &[u8], error: Error) {
    assert!(error.offset <= bytes.len(), "{error}");
    assert!(!error.to_string().is_empty());
}
