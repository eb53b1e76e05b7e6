//! The table against `ddi-sys/facts`, which is from other sources, and against itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ddi_schema::{Count, Field, Item, Kind, Meaning, Role, Target, Test, Type};

/// The rows of a table, without the names of its columns.
fn rows(table: &str) -> Vec<Vec<String>> {
    let facts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ddi-sys/facts");
    let mut rows = Vec::new();
    for folder in ["", "usermode"] {
        let file = facts.join(folder).join(table);
        let text = std::fs::read_to_string(&file).unwrap();
        let lines = text.lines().skip(1);
        rows.extend(lines.map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>()));
    }
    rows
}

/// The number of the target among those for the two widths of pointers.
fn of_target(row: &[String], x64: usize, x86: usize) -> usize {
    let column = if cfg!(target_pointer_width = "64") {
        x64
    } else {
        x86
    };
    row[column].parse().unwrap()
}

/// The members of every record, with their C types.
fn members() -> BTreeMap<String, Vec<(String, String, usize)>> {
    let mut members: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in rows("fields.tsv") {
        let member = (row[1].clone(), row[2].clone(), of_target(&row, 3, 4));
        members.entry(row[0].clone()).or_default().push(member);
    }
    members
}

/// Every description of a record: one, or one for each way to read it.
fn described(record: &str) -> Vec<&'static Type> {
    let begins = format!("{record} (");
    let is_it = |of: &&Type| of.name == record || of.name.starts_with(&begins);
    Type::all().filter(is_it).collect()
}

#[test]
fn every_structure_is_described_with_the_recorded_size() {
    let members = members();
    for row in rows("records.tsv") {
        let (record, none) = (&row[0], Vec::new());
        let of_record = members.get(record).unwrap_or(&none);
        // Tables of functions, and what is only ever behind a pointer.
        let is_table = of_record.iter().any(|(_, c, _)| c.starts_with("PFN"));
        if (is_table || of_record.is_empty()) && described(record).is_empty() {
            continue;
        }
        // A handle that leads to create-arguments is described where it is used.
        let is_handle = matches!(&of_record[..], [(_, c, _)] if c == "void*" || c == "HANDLE");
        let of = described(record);
        assert!(!of.is_empty() || is_handle, "{record} is not described");
        for of in of {
            assert_eq!(of.size, of_target(&row, 2, 4), "{of}");
            assert_eq!(of.align, of_target(&row, 3, 5), "{of}");
        }
    }
}

/// The members of a structure as C code names them.
fn named(of: &'static Type) -> BTreeMap<String, (usize, Kind)> {
    let mut named = BTreeMap::new();
    for field in of.fields {
        let Kind::Union(arms) = field.kind else {
            named.insert(field.name.to_owned(), (field.offset, field.kind));
            continue;
        };
        for arm in arms {
            let name = match (field.is_anonymous(), arm.name) {
                (true, name) => name.to_owned(),
                (false, "") => field.name.to_owned(),
                (false, name) => format!("{}.{name}", field.name),
            };
            named.insert(name, (field.offset, arm.kind));
        }
    }
    named
}

/// Whether the table says of a member what its C type says.
fn fits(
    kind: Kind,
    c: &str,
    aliases: &BTreeMap<String, String>,
    enums: &BTreeMap<String, String>,
) -> bool {
    let c = aliases.get(c).map_or(c, String::as_str);
    if let Some((of, count)) = c.strip_suffix(']').and_then(|c| c.split_once('[')) {
        let Kind::Array(item, len) = kind else {
            return false;
        };
        // An array of arrays.
        if let Some((outer, inner)) = count.split_once("][") {
            return len.to_string() == outer && item.name == format!("{of}[{inner}]");
        }
        return len.to_string() == count && fits(item.kind(), of, aliases, enums);
    }
    if let Some(of) = c.strip_suffix('*') {
        let of = of.strip_suffix("const").unwrap_or(of);
        let of = of.strip_prefix("const ").unwrap_or(of).trim();
        let of = aliases.get(of).map_or(of, String::as_str);
        return match kind {
            // Nobody but its owner knows what is there.
            Kind::Handle(_) => true,
            Kind::Pointer(Target {
                item: Item::Code, ..
            }) => of == "UINT",
            Kind::Pointer(Target {
                item: Item::Bytes, ..
            }) => of == "void",
            Kind::Pointer(Target {
                item: Item::Of(item),
                ..
            }) => of == "void" || item().name == of || fits(item().kind(), of, aliases, enums),
            _ => false,
        };
    }
    let is_number = |size: usize, wanted: fn(Meaning) -> bool| matches!(kind, Kind::Number(number) if number.size == size && wanted(number.meaning));
    let unsigned = |size| is_number(size, |it| matches!(it, Meaning::Unsigned));
    let signed = |size| is_number(size, |it| matches!(it, Meaning::Signed));
    match c {
        "UINT" | "UINT32" => unsigned(4),
        "UINT8" => unsigned(1),
        "UINT16" | "WCHAR" => unsigned(2),
        "UINT64" => unsigned(8) || is_number(8, |it| matches!(it, Meaning::Version)),
        "SIZE_T" | "ULONG_PTR" => unsigned(size_of::<usize>()),
        "INT" | "LONG" => signed(4),
        "INT8" => signed(1),
        "BOOL" => is_number(4, |it| matches!(it, Meaning::Bool)),
        "FLOAT" => is_number(4, |it| matches!(it, Meaning::Float)),
        "D3D12DDI_VERSION_NUMBER" => is_number(8, |it| matches!(it, Meaning::Version)),
        "LPCWSTR" | "PCWSTR" => matches!(
            kind,
            Kind::Pointer(Target {
                item: Item::Text,
                ..
            })
        ),
        "HANDLE" => matches!(kind, Kind::Handle(_)),
        c if c.starts_with("PFN") => matches!(kind, Kind::Function),
        c => match kind {
            Kind::Handle(name)
            | Kind::Pointer(Target {
                role: Role::Handle(name),
                ..
            }) => name == c,
            Kind::Structure(of) => of.name == c || of.name.starts_with(&format!("{c} (")),
            // An enumeration is known by its first enumerator.
            Kind::Number(number) => {
                let first = number.meaning.enumerators().next();
                first.map(|(_, name)| name) == enums.get(c).map(String::as_str)
            }
            _ => false,
        },
    }
}

#[test]
fn every_member_is_what_its_c_type_says_and_where_it_is_recorded() {
    let aliases = rows("aliases.tsv").into_iter();
    let aliases: BTreeMap<_, _> = aliases
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect();
    let mut enums = BTreeMap::new();
    for row in rows("enumerators.tsv") {
        enums
            .entry(row[0].clone())
            .or_insert_with(|| row[1].clone());
    }
    let mut members_seen = 0;
    for (record, members) in members() {
        for of in described(&record)
            .into_iter()
            .filter(|of| !of.fields[0].name.is_empty())
        {
            let named = named(of);
            for (name, c, offset) in &members {
                let Some((at, kind)) = named.get(name) else {
                    // Of the arms of a union of pointers to the same thing one is enough, and of a shader's signatures those
                    // of its stage.
                    let is_other = name.ends_with("Deprecated")
                        || name.starts_with("IOSignatures.")
                        || name.starts_with("p12UMCallbacks");
                    assert!(is_other, "{of} has no {name}");
                    continue;
                };
                assert_eq!(at, offset, "{of} {name}");
                assert!(
                    fits(*kind, c, &aliases, &enums),
                    "{of} {name} is no {c}: {kind:?}"
                );
                members_seen += 1;
            }
        }
    }
    assert!(members_seen > 900, "{members_seen}");
}

#[test]
fn names_are_of_one_type_each_and_fields_do_not_overlap() {
    let names: BTreeSet<_> = Type::all().map(|of| of.name).collect();
    assert_eq!(names.len(), Type::all().count());
    for of in Type::all() {
        let mut end = 0;
        for field in of.fields {
            let name = (of.name, field.name);
            assert!(field.offset >= end, "{name:?} overlaps");
            // Padding before it is less than its alignment, which is that of a pointer or less.
            assert!(
                field.offset < end + 8,
                "something is left out before {name:?}"
            );
            end = field.offset + field.kind.size();
        }
        // An array of pages of a union that nobody has described may be larger than its arms.
        assert!(end <= of.size && of.size < end + 8, "{of}");
    }
}

/// What a member's kind says of other members: their names.
fn others(kind: Kind) -> Vec<&'static str> {
    match kind {
        Kind::Pointer(target) => {
            let counts = match target.count {
                Count::Is(_) => vec![],
                Count::Says(name) | Count::SaysAt(name) => vec![name],
                Count::Product(one, other) => vec![one, other],
            };
            counts.into_iter().chain(target.stride).collect()
        }
        Kind::Union(arms) => arms.iter().flat_map(|arm| others(arm.kind)).collect(),
        _ => Vec::new(),
    }
}

/// What a pointer leads to is cut where its count is forgotten, and no other test sees that.
#[test]
fn every_count_counts_what_a_pointer_leads_to() {
    let plain = [
        "D3D12DDIARG_CREATE_PIPELINE_STATE_0099.NumRenderTargets",
        "D3D12DDIARG_BUFFER_RENDER_TARGET_VIEW.NumElements",
        "D3D12DDIARG_BUFFER_SHADER_RESOURCE_VIEW.NumElements",
        "D3D12DDIARG_BUFFER_UNORDERED_ACCESS_VIEW.NumElements",
        "D3D12DDIARG_CREATE_DESCRIPTOR_HEAP_0001.NumDescriptors",
        "D3D12DDIARG_DISCARD_RESOURCE_0003.NumSubresources",
        "D3D12DDIARG_OPENHEAP_0003.NumAllocations",
        "D3D12DDIARG_TEXCUBE_SHADER_RESOURCE_VIEW.NumCubes",
        "D3D12DDI_BARRIER_SUBRESOURCE_RANGE_0088.NumArraySlices",
        "D3D12DDI_BARRIER_SUBRESOURCE_RANGE_0088.NumMipLevels",
        "D3D12DDI_BARRIER_SUBRESOURCE_RANGE_0088.NumPlanes",
        "D3D12DDI_DESCRIPTOR_RANGE_0013.NumDescriptors",
        "D3D12DDI_INDIRECT_ARGUMENT_DESC_Constant.Num32BitValuesToSet",
        "D3D12DDI_MULTI_NODE_GPU_INPUT_0108.NumNodeInputs",
        "D3D12DDI_NODE_GPU_INPUT_0108.NumRecords",
        "D3D12DDI_RECORD_DISPATCH_GRID_0108.NumComponents",
        "D3D12DDI_ROOT_CONSTANTS.Num32BitValues",
        "D3D12DDI_RT_FORMAT_ARRAY.NumRenderTargets",
        "D3D12DDI_TABLE_REQUEST.numTables",
        "D3D12DDI_TILE_REGION_SIZE.NumTiles",
        // Lists, whose links lead on.
        "D3D12DDI_WORK_GRAPH_DESC_0108.NumEntrypoints",
        "D3D12DDI_WORK_GRAPH_DESC_0108.NumNodes",
    ];
    let mut found = BTreeSet::new();
    for of in Type::all() {
        let starts = [
            "Num",
            "num",
            "ViewInstanceCount",
            "KeySize",
            "ValueSize",
            "DataSize",
        ];
        for field in of.fields {
            let is_count = starts.iter().any(|start| field.name.starts_with(start));
            let counts = |other: &Field| others(other.kind).contains(&field.name);
            if is_count && !of.fields.iter().any(counts) {
                found.insert(format!("{}.{}", of.name, field.name));
            }
        }
    }
    assert_eq!(found, plain.map(str::to_owned).into());
}

#[test]
fn an_arm_that_anything_decides_can_be_the_one() {
    for of in Type::all() {
        for field in of.fields {
            let Kind::Union(arms) = field.kind else {
                continue;
            };
            let unconditional = arms.iter().position(|arm| arm.when.is_empty());
            assert!(
                unconditional.is_none_or(|at| at + 1 == arms.len()),
                "{of} {}",
                field.name
            );
            for when in arms.iter().flat_map(|arm| arm.when) {
                let (_, decides) = of.field(when.path[0]).unwrap();
                if let (Kind::Number(number), Test::Is(value)) = (decides.kind, when.test)
                    && matches!(number.meaning, Meaning::Enumeration(_))
                {
                    let mut known = number.meaning.enumerators();
                    assert!(
                        known.any(|(it, _)| it == value),
                        "{of} {} {value}",
                        field.name
                    );
                }
            }
        }
    }
}
