//! Mutants of the corpus, each signed anew: what `Container::check` says of them, beside the recorded
//! answers of the validator of DXC, dxil.dll 1.9.2602.17.
//!
//! `mutants.txt` has a line for each part: container, part, which bits of a byte are flipped, and for
//! each byte whether dxil.dll refuses the mutant, as runs (`x12 .3`: twelve are refused, three are
//! not; `!` crashes it). Of programs, these are the 24 bytes of the header. A line that begins with
//! `structure` is a mutant of [`structures`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use dxil::{
    Container, ContainerBuilder, DescriptorRange, DescriptorRangeFlags, DescriptorRangeType, Error,
    ErrorKind as E, FourCc, RootDescriptor, RootParameterKindDesc, RootSignatureDesc,
    RootSignatureFlags, ShaderVisibility, Signing,
};

const RECORDED: &str = include_str!("mutants.txt");

/// The page that says what is checked.
const PAGE: &str = include_str!("../../../docs/dxil-verify.md");

fn shader(name: &str) -> Vec<u8> {
    std::fs::read(crate::path(&format!("dxil/{name}.dxil"))).unwrap()
}

/// Our answer, after the reader's: each mutant is signed, so only the parts are at fault.
fn refusal(mut bytes: Vec<u8>) -> Option<Error> {
    dxil::sign(&mut bytes, Signing::Hash).ok();
    let container = Container::parse(&bytes);
    container.and_then(|container| container.check()).err()
}

/// Answers to the mutants of a part: both refuse, only dxil.dll, only this crate, neither.
type Counts = [usize; 4];

/// What an error is about, if it is one of the comparison.
fn subject(error: &Error) -> Option<(FourCc, String)> {
    let about = match error.kind {
        E::Disagreement { record, field, .. } | E::OtherDisagreement { record, field } => {
            format!("{}: {field}", record.name)
        }
        E::Unused { what } => format!("{what} without use"),
        E::ProgramVersionMismatch { what, .. } => format!("header: {what}"),
        E::ProfileMismatch { .. } | E::ProgramKindMismatch { .. } => "header: kind".to_owned(),
        _ => return None,
    };
    Some((error.part?, about))
}

/// What a record is compared with.
fn source(part: &str, record: &str) -> &'static str {
    match (part, record) {
        ("ISG1", _) => "inputs in `!dx.entryPoints`",
        ("OSG1", _) => "outputs in `!dx.entryPoints`",
        ("PSG1", _) => "patch constants or primitives in `!dx.entryPoints`",
        ("SFI0", _) => "shader flags",
        (_, "header") => "`!dx.shaderModel`, `!dx.version`",
        ("PSV0", "runtime info") => "entry point, shader flags, validator version",
        ("PSV0" | "RDAT", "resource" | "resources") => "`!dx.resources`",
        ("PSV0", record) if record.contains("depend") => "`!dx.viewIdState`",
        ("PSV0", "input" | "output" | "patch constant" | "primitive output") => {
            "signature of the entry point"
        }
        ("RDAT", record) if record.contains("function") || record.contains("node") => {
            "functions, `!dx.entryPoints`, shader flags"
        }
        _ => "the part itself",
    }
}

#[test]
fn what_the_official_validator_refuses_is_refused() {
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut subjects: BTreeMap<(FourCc, String), usize> = BTreeMap::new();
    for line in RECORDED
        .lines()
        .filter(|line| !line.starts_with("structure"))
    {
        let mut words = line.split(' ');
        let [name, part, bits] = [(); 3].map(|()| words.next().unwrap());
        let bits = u8::from_str_radix(bits, 16).unwrap();
        let bytes = shader(name);
        let container = Container::parse(&bytes).unwrap();
        let mut parts = container.parts().iter();
        let start = parts
            .find(|it| it.fourcc().to_string() == part)
            .unwrap()
            .offset()
            + 8;
        let answers = words.flat_map(|run| {
            let (answer, count) = run.split_at(1);
            std::iter::repeat_n(answer, count.parse().unwrap())
        });
        for (place, answer) in answers.enumerate() {
            let mut mutant = bytes.clone();
            mutant[start + place] ^= bits;
            let ours = refusal(mutant);
            if let Some(subject) = ours.as_ref().and_then(subject) {
                *subjects.entry(subject).or_default() += 1;
            }
            let kind = match (answer, ours.is_some()) {
                ("x", true) => 0,
                ("x", false) => 1,
                (".", true) => 2,
                (".", false) => 3,
                _ => continue,
            };
            counts.entry(part).or_default()[kind] += 1;
            // What follows from instructions is in RDAT alone.
            assert!(kind != 1 || part == "RDAT", "{name}: {part} {place:#x}");
        }
    }
    let mut page = String::new();
    for (part, [both, theirs, ours, neither]) in counts {
        writeln!(
            page,
            "| `{part}` | {both} | {theirs} | {ours} | {neither} |"
        )
        .unwrap();
    }
    for ((part, about), count) in subjects {
        let part = part.to_string();
        let source = source(&part, about.split(':').next().unwrap());
        writeln!(page, "| `{part}` | {about} | {source} | {count} |").unwrap();
    }
    let missing: Vec<&str> = page.lines().filter(|line| !PAGE.contains(line)).collect();
    assert!(
        missing.is_empty(),
        "docs/dxil-verify.md lacks\n{}",
        missing.join("\n")
    );
    // Those end in a number.
    let is_row =
        |line: &&str| line.starts_with("| `") && line.ends_with(|it: char| it.is_ascii_digit());
    let listed = PAGE
        .lines()
        .map(|line| line.trim_end_matches(" |"))
        .filter(is_row)
        .count();
    assert_eq!(
        listed,
        page.lines().count(),
        "docs/dxil-verify.md has other rows"
    );
}

/// Parts that are not there, or too much, or those of another shader, and other layouts.
fn structures() -> Vec<(String, Vec<u8>)> {
    let mut mutants = Vec::new();
    let files = [
        "raw_copy_cs",
        "forward_lit_ps",
        "tess_tri_hs",
        "meshlet_prim_ms",
        "rt_pipeline_lib68",
        "dbg_zi_embed_ps",
    ];
    let other = shader("forward_full_vs");
    let other = Container::parse(&other).unwrap();
    let library = shader("functions_lib66");
    let library = Container::parse(&library).unwrap();
    for name in files {
        let bytes = shader(name);
        let container = Container::parse(&bytes).unwrap();
        let mut add = |what: String, builder: &ContainerBuilder<'_>| {
            mutants.push((format!("{name} {what}"), builder.build().unwrap()));
        };
        for part in container.parts() {
            let mut builder = ContainerBuilder::from(&container);
            builder.remove(part.fourcc());
            add(format!("without {}", part.fourcc()), &builder);
            let mut builder = ContainerBuilder::from(&container);
            builder.set(part.fourcc(), [part.bytes(), &[0; 4]].concat());
            add(format!("longer {}", part.fourcc()), &builder);
        }
        for from in [&other, &library] {
            let kind = from.program().unwrap().kind();
            for part in from.parts() {
                let mut builder = ContainerBuilder::from(&container);
                builder.set(part.fourcc(), part.bytes());
                add(format!("{} of a {kind}", part.fourcc()), &builder);
            }
        }
        for surplus in [
            "PSG1", "SRCI", "PDBI", "SHEX", "ISGN", "ZZZZ", "PRIV", "RDEF",
        ] {
            let mut builder = ContainerBuilder::from(&container);
            builder.set(FourCc(surplus.as_bytes().try_into().unwrap()), vec![0; 8]);
            add(format!("with {surplus}"), &builder);
        }
        let order: Vec<FourCc> = container
            .parts()
            .iter()
            .rev()
            .map(dxil::Part::fourcc)
            .collect();
        let mut builder = ContainerBuilder::new();
        for part in order {
            builder.set(part, container.part(part).unwrap().bytes());
        }
        add("reversed".to_owned(), &builder);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let mut swapped = bytes.clone();
        swapped.copy_within(36..40, 32);
        swapped[36..40].copy_from_slice(&bytes[32..36]);
        mutants.push((format!("{name} offsets swapped"), swapped));
        let mut gap = bytes.clone();
        let last = 32 + 4 * (container.parts().len() - 1);
        let start = word(last) as usize;
        gap.splice(start..start, [0; 4]);
        gap[last..last + 4].copy_from_slice(&(word(last) + 4).to_le_bytes());
        gap[24..28].copy_from_slice(&(word(24) + 4).to_le_bytes());
        mutants.push((format!("{name} gap"), gap));
        let mut end = bytes.clone();
        end.extend([0; 4]);
        mutants.push((format!("{name} trailing"), end.clone()));
        end[24..28].copy_from_slice(&(word(24) + 4).to_le_bytes());
        mutants.push((format!("{name} longer"), end));
    }
    mutants
}

#[test]
fn parts_that_are_missing_or_too_many_or_elsewhere_are_refused_as_officially() {
    let recorded: BTreeMap<&str, &str> = RECORDED
        .lines()
        .filter_map(|line| line.strip_prefix("structure ")?.rsplit_once(' '))
        .collect();
    let mut known = BTreeSet::new();
    let mut wrong = Vec::new();
    for (name, bytes) in structures() {
        // For who asks dxil.dll again.
        if let Some(folder) = std::env::var_os("DXIL_MUTANTS") {
            let file = std::path::Path::new(&folder).join(&name);
            std::fs::write(file, &bytes).unwrap();
            continue;
        }
        let ours = refusal(bytes);
        let answer = recorded.get(name.as_str()).unwrap_or(&"unknown");
        let is_same = match *answer {
            "x" => ours.is_some(),
            "." => ours.is_none() || STRICTER.iter().any(|it| name.contains(it)),
            _ => false,
        };
        if !is_same {
            wrong.push(format!("{name}: dxil.dll {answer}, here {ours:?}"));
        }
        known.insert(name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What dxil.dll does not look at and this crate does.
const STRICTER: [&str; 1] = ["STAT of a"];

/// A root signature that does not bind a resource, or as no view that it can be.
#[test]
fn root_signatures_must_bind_what_the_program_uses() {
    type Change = fn(&mut RootSignatureDesc);
    let bytes = shader("raw_copy_cs");
    let typed = shader("spec_types_cs");
    let changes: [(Change, bool); 8] = [
        (|_| {}, true),
        (
            |it| it.parameters[1].shader_visibility = ShaderVisibility::PIXEL,
            false,
        ),
        (|it| it.parameters.truncate(2), false),
        (|it| it.parameters.swap(0, 2), true),
        (|it| change_srv(it, |srv| srv.shader_register = 1), false),
        (|it| change_srv(it, |srv| srv.register_space = 1), false),
        (
            |it| it.flags = RootSignatureFlags::DENY_PIXEL_SHADER_ROOT_ACCESS,
            true,
        ),
        (
            |it| {
                let range = DescriptorRange {
                    range_type: DescriptorRangeType::SRV,
                    num_descriptors: DescriptorRange::UNBOUNDED,
                    base_shader_register: 0,
                    register_space: 0,
                    flags: Some(DescriptorRangeFlags::NONE),
                    offset_in_descriptors_from_table_start: 0,
                };
                it.parameters[1].kind = RootParameterKindDesc::DescriptorTable(vec![range]);
            },
            true,
        ),
    ];
    for (index, (change, is_bound)) in changes.into_iter().enumerate() {
        let container = Container::parse(&bytes).unwrap();
        let root_signature = container.root_signature().unwrap().unwrap();
        let mut desc = RootSignatureDesc::try_from(&root_signature).unwrap();
        change(&mut desc);
        let mut builder = ContainerBuilder::from(&container);
        builder.set(FourCc::RTS0, desc.serialize().unwrap());
        let error = refusal(builder.build().unwrap());
        assert_eq!(error.is_none(), is_bound, "{index}: {error:?}");
        if let Some(error) = error {
            assert!(matches!(error.kind, E::NotBound { .. }), "{index}: {error}");
        }
    }
    // Of another shader: no resource of this one is in it.
    let container = Container::parse(&typed).unwrap();
    let mut builder = ContainerBuilder::from(&container);
    let empty = shader("rs_empty_1_1");
    let empty = Container::parse(&empty).unwrap();
    builder.set(FourCc::RTS0, empty.part(FourCc::RTS0).unwrap().bytes());
    let error = refusal(builder.build().unwrap()).unwrap();
    assert!(matches!(error.kind, E::NotBound { .. }), "{error}");
}

fn change_srv(desc: &mut RootSignatureDesc, change: fn(&mut RootDescriptor)) {
    let RootParameterKindDesc::Srv(srv) = &mut desc.parameters[1].kind else {
        panic!("{desc:?}")
    };
    change(srv);
}
