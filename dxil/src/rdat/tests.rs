use super::{
    FUNCTIONS, Fault, INDICES, NODE_ATTRIBUTES, NODE_IDS, NODE_IO_ATTRIBUTES, NODE_IOS, NODES,
    NodeAttribute, NodeIoAttribute, RAW_BYTES, RESOURCES, RuntimeData, STRINGS, SUBOBJECTS,
    SubobjectKind,
};
use crate::{Error, ErrorKind};

const NONE: u32 = u32::MAX;

/// Words of a table of records.
fn records(stride: u32, rows: &[&[u32]]) -> Vec<u32> {
    let mut words = vec![u32::try_from(rows.len()).unwrap(), stride];
    for row in rows {
        words.extend(*row);
        words.resize(words.len() + stride as usize / 4 - row.len(), 0);
    }
    words
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().copied().flat_map(u32::to_le_bytes).collect()
}

/// A part of these tables, in this order.
fn part(tables: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut at = 8 + 4 * tables.len();
    let mut header = vec![0x10, u32::try_from(tables.len()).unwrap()];
    let mut body = Vec::new();
    for (table, content) in tables {
        header.push(u32::try_from(at).unwrap());
        body.extend(bytes(&[
            u32::try_from(*table).unwrap(),
            u32::try_from(content.len()).unwrap(),
        ]));
        body.extend(content);
        at += 8 + content.len();
    }
    [bytes(&header), body].concat()
}

/// The strings of [`library`], by place.
const TEXT: &str = "\0one\0two\0";
const ONE: u32 = 1;
const TWO: u32 = 5;

/// A node and a plain function, with records of an unknown length, and one of everything that they
/// refer to. `change` changes the words of a table.
fn library(change: impl Fn(usize, &mut Vec<u32>)) -> Vec<u8> {
    let resource: &[u32] = &[1, 11, 7, 2, 3, 4, TWO, 0x24];
    let node: &[u32] = &[
        ONE,
        TWO,
        0,
        NONE,
        15,
        0,
        0,
        1,
        2,
        1 << 15,
        0xf_0068,
        0x0001_4020,
        0,
    ];
    let plain: &[u32] = &[TWO, TWO, NONE, 2, 6, 0, 0, 0, 0, 0xffff, 0x6_0063, 0, NONE];
    let indices = vec![1, 0, 1, ONE, 3, 8, 4, 1, 2, 0, 1];
    let tables = [
        (RESOURCES, records(32, &[resource])),
        (FUNCTIONS, records(56, &[node, plain])),
        (INDICES, indices),
        (
            SUBOBJECTS,
            records(
                24,
                &[
                    &[0, ONE, 5],
                    &[1, ONE, 0, 4],
                    &[2, ONE, 4, 0],
                    &[8, TWO, ONE, NONE],
                    &[9, ONE, 6, 7],
                    &[11, ONE, 1, 0, ONE, TWO],
                    &[12, ONE, 8, 9],
                    &[99, TWO],
                ],
            ),
        ),
        (NODE_IDS, records(8, &[&[ONE, 3]])),
        (NODE_ATTRIBUTES, records(8, &[&[1, 0], &[2, 4], &[77, 78]])),
        (
            NODE_IO_ATTRIBUTES,
            records(8, &[&[1, 0], &[5, 0x0016_0008]]),
        ),
        (NODE_IOS, records(8, &[&[2, 8], &[1, NONE]])),
        (NODES, records(20, &[&[2, 96, 8, 0, NONE]])),
        (400, vec![1]),
    ];
    let tables = tables.map(|(table, mut words)| {
        change(table, &mut words);
        (table, bytes(&words))
    });
    let others = [
        (STRINGS, TEXT.as_bytes().to_vec()),
        (RAW_BYTES, b"raw!".to_vec()),
    ];
    part(&[&others[..], &tables[..]].concat())
}

#[test]
fn fields() {
    let part = library(|_, _| ());
    let data = RuntimeData::parse(&part).unwrap();
    let [node, plain] = data.functions().collect::<Vec<_>>()[..] else {
        panic!("{data:?}")
    };
    assert_eq!([node.name, node.unmangled_name], ["one", "two"]);
    assert_eq!((node.features.0, node.stages), (0x2_0000_0001, 1 << 15));
    assert_eq!(node.min_shader_model.to_string(), "6.8");
    assert_eq!(node.wave_sizes, Some([0x20, 0x40]));
    assert!(node.is_program_entry && !plain.is_program_entry);
    assert!(plain.node.is_none() && plain.resources.iter().len() == 0);
    assert!(plain.dependencies.iter().eq(["one"]));
    let resource = node.resources.iter().next().unwrap();
    assert_eq!(Some(resource), data.resources().next());
    assert_eq!(
        format!("{resource:?}"),
        "Resource { class: UAV, kind: RAW_BUFFER, id: 7, space: 2, lower_bound: 3, upper_bound: \
         4, name: \"two\", flags: {UAV_RASTERIZER_ORDERED_VIEW, UAV_REORDER_COHERENT} }"
    );
    assert_eq!(
        format!("{:?}", node.node.unwrap()),
        "Node { launch: COALESCING, group_shared_bytes: 96, attributes: [Id(NodeId { name: \
         \"one\", index: 3 }), NumThreads([8, 4, 1])], outputs: [NodeIo { flags: {OUTPUT}, \
         attributes: [OutputId(NodeId { name: \"one\", index: 3 }), RecordDispatchGrid { \
         byte_offset: 8, component_count: 2, component_type: 5 }] }], inputs: [] }"
    );
    assert_eq!(
        format!(
            "{:?}",
            data.subobjects().map(|it| it.kind).collect::<Vec<_>>()
        ),
        "[StateObjectConfig { flags: 5 }, GlobalRootSignature([114, 97, 119, 33]), \
         LocalRootSignature([]), SubobjectToExportsAssociation { subobject: \"one\", exports: [] \
         }, RaytracingShaderConfig { max_payload_size_in_bytes: 6, max_attribute_size_in_bytes: 7 \
         }, HitGroup { hit_group_type: PROCEDURAL_PRIMITIVE, any_hit: \"\", closest_hit: \"one\", \
         intersection: \"two\" }, RaytracingPipelineConfig1 { max_trace_recursion_depth: 8, flags: \
         9 }, Other { number: 99 }]"
    );
    assert_eq!(
        NodeAttribute::read(&data, 2),
        NodeAttribute::Other {
            number: 77,
            value: 78
        }
    );
    assert!(matches!(
        NodeIoAttribute::read(&data, 0),
        NodeIoAttribute::OutputId(id) if id.index == 3
    ));
    assert!(matches!(
        data.subobjects().nth(1).unwrap().kind,
        SubobjectKind::GlobalRootSignature(b"raw!")
    ));
}

/// Compilers before validator version 1.8 write no wave sizes and no nodes.
#[test]
fn records_may_be_shorter() {
    let function = [ONE, TWO, NONE, NONE, 15, 0, 0, 0, 0, 0, 0];
    let tables = [
        (FUNCTIONS, bytes(&records(44, &[&function]))),
        (STRINGS, TEXT.as_bytes().to_vec()),
    ];
    let part = part(&tables);
    let data = RuntimeData::parse(&part).unwrap();
    let function = data.functions().next().unwrap();
    assert_eq!(function.wave_sizes, None);
    assert!(function.node.is_none() && !function.is_program_entry);
    assert_eq!(data.resources().len() + data.subobjects().len(), 0);
}

/// One word of a record wrong at a time, at the edge of what is allowed. The word counts from the
/// start of the records, or of the indices.
#[test]
fn each_reference_is_checked() {
    let strings = TEXT.len();
    let string = |offset| Fault::String { offset, strings };
    let row = |table, row, count| Fault::Row { table, row, count };
    let array = |index| Fault::Array { index, indices: 11 };
    let raw = |offset, size| Fault::RawBytes {
        offset,
        size,
        raw_bytes: 4,
    };
    let kind = Fault::FunctionKind { kind: 16 };
    let cases = [
        (RESOURCES, 6, 9, string(9)),
        (FUNCTIONS, 0, NONE, string(NONE)),
        (FUNCTIONS, 2, 11, array(11)),
        (FUNCTIONS, 2, 4, row(RESOURCES, 8, 1)),
        (FUNCTIONS, 4, 16, kind),
        (FUNCTIONS, 12, 1, row(NODES, 1, 1)),
        (FUNCTIONS, 14 + 3, NONE - 1, array(NONE - 1)),
        (INDICES, 1, 1, row(RESOURCES, 1, 1)),
        (INDICES, 3, 9, string(9)),
        (INDICES, 10, 3, row(NODE_IO_ATTRIBUTES, 3, 2)),
        (SUBOBJECTS, 1, 9, string(9)),
        (SUBOBJECTS, 8, 1, raw(1, 4)),
        (SUBOBJECTS, 15, 1, raw(4, 1)),
        (SUBOBJECTS, 14, NONE, raw(NONE, 0)),
        (SUBOBJECTS, 20, 10, string(10)),
        (SUBOBJECTS, 21, 5, array(5)),
        (SUBOBJECTS, 33, 99, string(99)),
        (SUBOBJECTS, 35, 99, string(99)),
        (NODE_IDS, 0, 9, string(9)),
        (NODE_ATTRIBUTES, 1, 1, row(NODE_IDS, 1, 1)),
        (NODE_ATTRIBUTES, 3, 5, array(5)),
        (NODE_IO_ATTRIBUTES, 1, 1, row(NODE_IDS, 1, 1)),
        (NODE_IOS, 1, 4, row(NODE_IO_ATTRIBUTES, 8, 2)),
        (NODES, 2, 99, array(99)),
        (NODES, 3, 99, array(99)),
        (NODES, 4, 99, array(99)),
    ];
    for (table, word, value, fault) in cases {
        let shown = format!("table {table}, word {word} = {value:#x}");
        let part = library(|it, words| {
            if it == table {
                let skip = if table == INDICES { 0 } else { 2 };
                words[skip + word] = value;
            }
        });
        let error = RuntimeData::parse(&part).unwrap_err();
        assert_eq!(error.kind, ErrorKind::RuntimeData(fault), "{shown}");
        let at = error.offset;
        let found = u32::from_le_bytes(*part[at..].first_chunk().unwrap());
        let is_there = match fault {
            Fault::RawBytes { offset, .. } => found == offset,
            Fault::Row { row, .. } => found == row,
            _ => found == value,
        };
        assert!(is_there, "{shown}: {error}");
    }
}

#[test]
fn strings_have_an_end_and_are_utf_8() {
    let name = |text: &[u8], offset: u32| {
        let id = bytes(&records(8, &[&[offset, 0]]));
        let part = part(&[(NODE_IDS, id), (STRINGS, text.to_vec())]);
        RuntimeData::parse(&part).map(|data| data.string(offset).to_owned())
    };
    assert_eq!(name(b"\0", 0).unwrap(), "");
    assert_eq!(name("\0ä\0".as_bytes(), 1).unwrap(), "ä");
    for (text, offset) in [
        (&b"\0ab"[..], 1),
        (b"", 0),
        ("\0ä\0".as_bytes(), 2),
        (b"\0", 1),
    ] {
        let strings = text.len();
        let fault = Fault::String { offset, strings };
        assert_eq!(
            name(text, offset).unwrap_err().kind,
            ErrorKind::RuntimeData(fault)
        );
    }
    // The table starts at byte 48.
    let not_utf_8 = ErrorKind::RuntimeData(Fault::StringsNotUtf8).at(49);
    assert_eq!(name(b"\0\xff\0", 1), Err(not_utf_8));
}

/// What is wrong with a part of the two tables of function 400, of 4 bytes, and of strings.
#[test]
fn tables_lie_in_the_part() {
    let good = || part(&[(400, vec![0; 4]), (STRINGS, TEXT.as_bytes().to_vec())]);
    let len = good().len();
    let read = |at: usize, value: u32| -> Result<(), Error> {
        let mut part = good();
        part[at..at + 4].copy_from_slice(&value.to_le_bytes());
        RuntimeData::parse(&part).map(drop)
    };
    assert_eq!(read(0, 0x10), Ok(()));
    let fault = |fault: Fault, at| Err(ErrorKind::RuntimeData(fault).at(at));
    assert_eq!(read(0, 0), fault(Fault::Version { version: 0 }, 0));
    for count in [u32::MAX, 0x4000_0000, 10] {
        let past_end = Fault::OffsetsPastEnd { count, part: len };
        assert_eq!(read(4, count), fault(past_end, 4));
    }
    for offset in [u32::MAX, 38, 45] {
        let table_offset = Fault::TableOffset {
            index: 1,
            offset,
            part: len,
        };
        assert_eq!(read(12, offset), fault(table_offset, 12), "{offset}");
    }
    for size in [14, u32::MAX] {
        let past_end = Fault::TablePastEnd {
            table: 400,
            size,
            available: len - 24,
        };
        let expected = if size == 14 {
            Ok(())
        } else {
            fault(past_end, 20)
        };
        assert_eq!(read(20, size), expected);
    }
    let twice = part(&[(STRINGS, vec![]), (STRINGS, vec![])]);
    let table = 1;
    assert_eq!(
        RuntimeData::parse(&twice).map(drop),
        fault(Fault::DuplicateTable { table }, 24)
    );
    let cut = ErrorKind::PartHeaderCut {
        header: 8,
        available: 7,
    };
    assert_eq!(RuntimeData::parse(&good()[..7]).map(drop), Err(cut.at(0)));
}

#[test]
fn records_lie_in_their_table() {
    let read = |words: &[u32]| {
        let part = part(&[(NODE_IDS, bytes(words)), (STRINGS, vec![0])]);
        RuntimeData::parse(&part)
            .map(drop)
            .map_err(|error| (error.kind, error.offset))
    };
    let table = NODE_IDS;
    let fault = |fault: Fault, at| Err((ErrorKind::RuntimeData(fault), at));
    assert_eq!(read(&[1, 8, 0, 0]), Ok(()));
    assert_eq!(read(&[0, 8]), Ok(()));
    let available = 4;
    assert_eq!(read(&[0]), fault(Fault::TableCut { table, available }, 24));
    let (stride, least) = (7, 8);
    let too_short = Fault::Stride {
        table,
        stride,
        least,
    };
    assert_eq!(read(&[1, stride, 0, 0]), fault(too_short, 28));
    for (count, stride) in [(2, 8), (1, 12), (u32::MAX, u32::MAX), (0x2000_0000, 8)] {
        let past_end = Fault::RecordsPastEnd {
            table,
            count,
            stride,
        };
        assert_eq!(read(&[count, stride, 0, 0]), fault(past_end, 24));
    }
}

/// Functions may share an array. Checking its elements once for each would take minutes here.
#[test]
fn many_functions_with_one_long_array_parse_in_reasonable_time() {
    let count = 100_000_u32;
    let row: &[u32] = &[0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0];
    let mut functions = records(44, &vec![row; count as usize]);
    for (n, function) in functions[2..].chunks_mut(11).enumerate() {
        // Arrays that start at different places and end at the same.
        function[2] = u32::try_from(n).unwrap();
        function[3] = u32::try_from(n).unwrap();
    }
    let indices: Vec<u32> = (0..=count).rev().collect();
    // An array of n elements, the first of which is n - 1, and so on: rows that are there.
    let resources = records(32, &vec![&[0; 8][..]; count as usize]);
    let part = part(&[
        (FUNCTIONS, bytes(&functions)),
        (RESOURCES, bytes(&resources)),
        (INDICES, bytes(&indices)),
        (STRINGS, vec![0; count as usize]),
    ]);
    let data = RuntimeData::parse(&part).unwrap();
    assert_eq!(
        data.functions().next().unwrap().resources.iter().len(),
        100_000
    );
}

/// Records may share a string, but not a long one with very many.
#[test]
fn strings_are_not_used_without_limit() {
    let with = |len: usize| {
        let subobjects = records(24, &[&[0; 6][..]; 1000]);
        let mut strings = vec![b'a'; len];
        strings.push(0);
        let part = part(&[(SUBOBJECTS, bytes(&subobjects)), (STRINGS, strings)]);
        let limit = 64 * part.len();
        (RuntimeData::parse(&part).map(drop), limit)
    };
    assert_eq!(with(1000).0, Ok(()));
    let (result, limit) = with(3000);
    let fault = Fault::StringsTooLong { limit };
    assert_eq!(result.unwrap_err().kind, ErrorKind::RuntimeData(fault));
}

/// Subobjects may share a root signature, but not parts of one.
#[test]
fn root_signatures_do_not_overlap() {
    let read = |places: [[u32; 2]; 2]| {
        let part = library(|table, words| {
            if table == SUBOBJECTS {
                words[2 + 8..][..2].copy_from_slice(&places[0]);
                words[2 + 14..][..2].copy_from_slice(&places[1]);
            }
        });
        let data = RuntimeData::parse(&part).unwrap();
        let texts = data.root_signatures().map(|it| {
            it.map(|(at, bytes)| {
                assert_eq!(&part[at..][..bytes.len()], bytes);
                bytes.len()
            })
            .collect::<Vec<_>>()
        });
        texts.map_err(|error| error.kind)
    };
    assert_eq!(read([[0, 4], [0, 4]]), Ok(vec![4]));
    assert_eq!(read([[2, 2], [0, 2]]), Ok(vec![2, 2]));
    let overlap = |offset| {
        Err(ErrorKind::RuntimeData(Fault::RootSignaturesOverlap {
            offset,
        }))
    };
    assert_eq!(read([[0, 3], [2, 1]]), overlap(2));
    assert_eq!(read([[0, 3], [0, 2]]), overlap(0));
}
