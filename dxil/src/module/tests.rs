use std::iter::once;

use super::{Module, Stage};
use crate::bitstream::Encoding;
use crate::bitstream::tests::{Op, Writer};
use crate::constants::Scalar::{Double, Float, Half, Integer};
use crate::constants::Scope;
use crate::{BitstreamFault, Error, ErrorKind, Program, ShaderKind};

// Blocks.
const MODULE: u64 = 8;
const CONSTANTS: u64 = 11;
const FUNCTION: u64 = 12;
const SYMBOLS: u64 = 14;
const METADATA: u64 = 15;
const TYPES: u64 = 17;

/// A program of that kind with this bitcode.
fn program(kind: u32, bitcode: &[u8]) -> Vec<u8> {
    let len = u32::try_from(bitcode.len()).unwrap();
    let words = [kind << 16 | 0x60, 6 + len / 4, 0x4c49_5844, 0x100, 16, len];
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(bitcode);
    bytes
}

fn parse(kind: u32, writer: &Writer) -> Result<Module, Error> {
    Module::parse(&Program::parse(&program(kind, &writer.bytes)).unwrap())
}

/// Metadata by id, with nodes that name others by id.
enum Md<'a> {
    String(&'a str),
    Value(u64),
    Node(&'a [Option<u64>]),
    Named(&'a str, &'a [u64]),
}

/// A module with one function `f`, value 0, the constants 1, 2, 3, 4, 20 as values 1 to 5 and
/// this metadata.
fn with_metadata(kind: u32, metadata: &[Md<'_>]) -> Result<Module, Error> {
    let mut writer = Writer::new();
    writer.enter(MODULE, 3);
    writer.enter(TYPES, 3).record(7, &[32]).leave();
    writer.record(8, &[0, 0, 0]);
    writer.enter(CONSTANTS, 3).record(1, &[0]);
    for number in [1, 2, 3, 4, 20] {
        writer.record(4, &[number << 1]);
    }
    writer.leave().enter(METADATA, 3);
    let chars = |text: &str| -> Vec<u64> { text.bytes().map(u64::from).collect() };
    for item in metadata {
        match item {
            Md::String(text) => writer.record(1, &chars(text)),
            Md::Value(id) => writer.record(2, &[0, *id]),
            Md::Node(ids) => {
                let ids: Vec<u64> = ids.iter().map(|id| id.map_or(0, |id| id + 1)).collect();
                writer.record(3, &ids)
            }
            Md::Named(name, ids) => writer.record(4, &chars(name)).record(10, ids),
        };
    }
    writer.leave();
    let symbol: Vec<u64> = once(0).chain(chars("f")).collect();
    writer.enter(SYMBOLS, 3).record(1, &symbol).leave();
    writer.enter(FUNCTION, 3).leave().leave();
    parse(kind, &writer)
}

const COMPUTE: u32 = 5;
const LIBRARY: u32 = 6;

#[test]
fn constants_have_a_type_and_a_scope() {
    let mut writer = Writer::new();
    writer.enter(MODULE, 3).enter(TYPES, 3);
    writer.record(1, &[9]); // how many: not a type
    writer
        .record(7, &[32])
        .record(10, &[])
        .record(3, &[])
        .record(4, &[]); // 0..=3
    writer.record(11, &[2, 0]).record(12, &[2, 2]); // 4: i32 array, 5: float vector
    writer
        .record(19, &[b'S'.into()])
        .record(20, &[0, 0])
        .record(7, &[64])
        .leave(); // 6: struct, 7: i64
    // A variable, a declaration, two definitions.
    writer
        .record(7, &[0])
        .record(8, &[0, 0, 1])
        .record(8, &[0, 0, 0])
        .record(8, &[0, 0, 0]);
    writer.enter(CONSTANTS, 3);
    writer.record(4, &[9]); // before any type: i32 -4
    writer.record(1, &[1]).record(6, &[0x3c00]); // half
    writer.record(1, &[4]).record(22, &[7, 8]).record(2, &[]); // array, zero
    writer
        .record(1, &[6])
        .record(4, &[2])
        .record(1, &[99])
        .record(4, &[2]); // not numbers
    writer.leave();
    writer.enter(FUNCTION, 3).enter(CONSTANTS, 3);
    writer.record(1, &[7]).record(4, &[1]).leave().leave();
    writer.enter(FUNCTION, 3).enter(CONSTANTS, 3);
    writer.record(1, &[3]).record(6, &[1 << 62]);
    writer
        .record(1, &[5])
        .record(22, &[0, 0x4000_0000])
        .leave()
        .leave();
    writer.leave();
    let module = parse(COMPUTE, &writer).unwrap();
    let found: Vec<_> = module
        .constants()
        .iter()
        .map(|it| (it.ty, it.bits, it.scope, it.element, it.field.signed))
        .collect();
    assert_eq!(
        found,
        [
            (Integer(32), 0xffff_fffc, Scope::Module, None, true),
            (Half, 0x3c00, Scope::Module, None, false),
            (Integer(32), 7, Scope::Module, Some(0), false),
            (Integer(32), 8, Scope::Module, Some(1), false),
            (Integer(64), 1 << 63, Scope::Function(1), None, true),
            (Double, 1 << 62, Scope::Function(2), None, false),
            (Float, 0, Scope::Function(2), Some(0), false),
            (Float, 0x4000_0000, Scope::Function(2), Some(1), false),
        ]
    );
    assert_eq!(module.find(Integer(32), 8).count(), 1);
    assert_eq!(module.entry_points(), []);
}

/// Values are marked that a node refers to; a value of which metadata only knows is not.
#[test]
fn constants_that_metadata_uses_are_marked() {
    let module = with_metadata(
        COMPUTE,
        &[
            Md::Value(1),
            Md::Value(2),
            Md::Node(&[Some(1), Some(3)]),
            Md::Value(4),
        ],
    )
    .unwrap();
    let marks: Vec<_> = module.constants().iter().map(|it| it.in_metadata).collect();
    assert_eq!(marks, [false, true, false, true, false]);
}

#[test]
fn aggregates_are_marked_to_their_end() {
    let mut writer = Writer::new();
    writer.enter(MODULE, 3);
    writer.enter(TYPES, 3).record(7, &[32]).leave();
    writer.enter(CONSTANTS, 3);
    // Values 0 and 1; 2 has itself, both and one that is not there.
    writer
        .record(4, &[2])
        .record(4, &[4])
        .record(7, &[2, 0, 1, 99]);
    writer.leave().enter(METADATA, 3);
    writer
        .record(2, &[0, 2])
        .record(3, &[1, 77])
        .leave()
        .leave();
    let module = parse(COMPUTE, &writer).unwrap();
    assert!(module.constants().iter().all(|it| it.in_metadata));
    assert_eq!(module.constants().len(), 2);
}

#[test]
fn an_entry_point() {
    let module = with_metadata(
        COMPUTE,
        &[
            Md::Value(0),
            Md::String("main"),
            Md::Value(4),
            Md::Value(1),
            Md::Node(&[Some(2), Some(3), Some(3)]),
            Md::Node(&[Some(2), Some(4)]), // tag 4, thread group
            Md::Node(&[Some(0), Some(1), None, None, Some(5)]),
            Md::Named("dx.entryPoints", &[6]),
        ],
    )
    .unwrap();
    let [entry] = module.entry_points() else {
        panic!("{module:?}")
    };
    assert_eq!(
        (entry.name.as_str(), entry.kind),
        ("main", ShaderKind::Compute)
    );
    assert_eq!(entry.thread_group, Some([4, 1, 1]));
    assert_eq!(entry.stage, Stage::Other);
    assert_eq!(module.functions()[entry.function.unwrap()].name, "f");
}

/// Which components are indexed and which are used stands in tags, 2 and 3.
#[test]
fn an_element_of_a_signature() {
    let [function, name, one, two, three] = [0, 1, 2, 3, 4].map(Some);
    let module = with_metadata(
        COMPUTE,
        &[
            Md::Value(0),
            Md::String("COLOR"),
            Md::Value(1),
            Md::Value(2),
            Md::Value(3),
            Md::Node(&[three]), // 5
            Md::Node(&[two, one, three, two]),
            Md::Node(&[
                one,
                name,
                three,
                one,
                Some(5),
                two,
                one,
                three,
                one,
                one,
                Some(6),
            ]),
            Md::Node(&[Some(7)]),
            Md::Node(&[Some(8), None, None]),
            Md::Node(&[function, name, Some(9), None, None]),
            Md::Named("dx.entryPoints", &[10]),
        ],
    )
    .unwrap();
    let [element] = &module.entry_points()[0].inputs[..] else {
        panic!("{module:?}")
    };
    assert_eq!(
        (element.name.as_str(), &element.indices[..]),
        ("COLOR", &[3][..])
    );
    assert_eq!((element.rows, element.columns), (1, 3));
    assert_eq!((element.dynamic_index_mask, element.usage_mask), (1, 2));
}

/// Metadata that is not what it should be: what was expected of which.
/// Whether a constant buffer with one member, an array of so many floats, contains an array.
fn floats_are_an_array(length: u64, name: &str, size: u64) -> bool {
    let chars = |text: &str| -> Vec<u64> { text.bytes().map(u64::from).collect() };
    let mut writer = Writer::new();
    writer.enter(MODULE, 3).enter(TYPES, 3);
    writer.record(7, &[32]).record(3, &[]); // 0: i32, 1: float
    writer.record(11, &[length, 1]); // 2: the array
    writer.record(19, &chars(name)).record(20, &[0, 2]); // 3: the structure
    writer.record(8, &[3, 0]).leave(); // 4: a pointer to it
    writer.enter(CONSTANTS, 3).record(1, &[0]).record(2, &[]); // 0: zero
    writer.record(4, &[2]).record(4, &[size << 1]); // 1: one, 2: the size
    writer.record(1, &[4]).record(3, &[]).leave(); // 3: undef
    writer.enter(METADATA, 3);
    writer
        .record(2, &[0, 0])
        .record(2, &[0, 1])
        .record(2, &[0, 2]); // 0: zero, 1: one, 2: the size
    writer.record(2, &[4, 3]).record(1, &[]); // 3: undef, 4: no name
    writer.record(3, &[1, 4, 5, 1, 1, 2, 3, 0]); // 5: the buffer
    writer.record(3, &[6]).record(3, &[0, 0, 7, 0]); // 6: the list, 7: the lists
    writer.record(4, &chars("dx.resources")).record(10, &[7]);
    writer.leave().leave();
    let module = parse(COMPUTE, &writer).unwrap();
    let [buffer] = module.resources() else {
        panic!("{module:?}");
    };
    assert_eq!(u64::from(buffer.size), size);
    buffer.has_array
}

#[test]
fn a_buffer_of_words_is_no_array() {
    // In HLSL all elements but the last take 16 bytes.
    assert!(floats_are_an_array(12, "cb", 11 * 16 + 4));
    assert!(floats_are_an_array(2, "hostlayout.cb", 20));
    // Mesa's description of 12 words, whatever they are.
    assert!(!floats_are_an_array(12, "cb", 12 * 4));
}

#[test]
fn metadata_is_checked() {
    let error = |kind, metadata: &[Md<'_>]| match with_metadata(kind, metadata).unwrap_err().kind {
        ErrorKind::Metadata { node, expected } => (node, expected),
        other => panic!("{other}"),
    };
    let named = |id| with_metadata(COMPUTE, &[Md::Node(&[]), Md::Named("dx.version", &[id])]);
    assert_eq!(
        named(7).unwrap_err().to_string(),
        "byte 0x18: metadata 7: a node is missing or something else"
    );
    let error_0 = named(0).unwrap_err();
    assert!(error_0.offset > 24, "{error_0}");
    let version = [
        Md::String("1"),
        Md::Node(&[Some(0)]),
        Md::Named("dx.version", &[1]),
    ];
    assert_eq!(error(COMPUTE, &version), (1, "a major version"));
    let list = [
        Md::Value(1),
        Md::Node(&[Some(0)]),
        Md::Named("dx.resources", &[1]),
    ];
    assert_eq!(error(COMPUTE, &list), (1, "a list of resources"));
    let itself = [Md::Node(&[Some(0)]), Md::Named("dx.resources", &[0])];
    assert_eq!(error(COMPUTE, &itself), (0, "a number of a resource"));
    let nameless = [Md::Node(&[None, None]), Md::Named("dx.entryPoints", &[0])];
    assert_eq!(error(COMPUTE, &nameless), (0, "a name"));
    // In a library, the entry without a function is the library itself.
    assert_eq!(
        with_metadata(LIBRARY, &nameless).unwrap().entry_points(),
        []
    );
}

/// A few nodes can say much, by being used often. What they say is no longer than the bitcode is,
/// give or take a factor.
#[test]
fn sharing_is_limited() {
    let name = "a".repeat(1000);
    let ids: Vec<u64> = vec![3; 1000];
    let error = with_metadata(
        LIBRARY,
        &[
            Md::Value(0),
            Md::String(&name),
            Md::Node(&[]),
            Md::Node(&[Some(0), Some(1), None, None, Some(2)]),
            Md::Named("dx.entryPoints", &ids),
        ],
    )
    .unwrap_err();
    assert!(
        matches!(error.kind, ErrorKind::MetadataTooLong { .. }),
        "{error}"
    );
    let few = with_metadata(
        LIBRARY,
        &[
            Md::Value(0),
            Md::String(&name),
            Md::Node(&[Some(0), Some(1), None, None, None]),
            Md::Named("dx.entryPoints", &[2; 10]),
        ],
    );
    assert_eq!(few.unwrap().entry_points().len(), 10);
}

/// Lists, properties and nodes without operands are counted wherever they are used, so that neither time
/// nor memory is a product of two lengths.
#[test]
fn shared_lists_are_limited() {
    const MANY: usize = 20_000;
    let [value, name, empty] = [0, 1, 2].map(Some);
    let [nulls, ints, empties] = [None, value, empty].map(|item| vec![item; MANY]);
    let entries = vec![8; MANY];
    let read = |list: &[Option<u64>], entry: &[Option<u64>]| {
        with_metadata(
            LIBRARY,
            &[
                Md::Value(1),
                Md::String(""),
                Md::Node(&[]),
                Md::Node(list),
                Md::Node(&[Some(3)]), // 4: signatures
                Md::Value(5),
                Md::Node(&[Some(5), Some(3)]), // 6: tag 20, inputs of a node
                Md::String("f"),
                Md::Node(entry),
                Md::Named("dx.entryPoints", &entries),
            ],
        )
    };
    for (list, entry) in [
        (&ints, [None, name, None, None, Some(3)]),
        (&nulls, [value, name, Some(4), None, None]),
        (&empties, [value, name, None, None, Some(6)]),
    ] {
        let error = read(list, &entry).unwrap_err();
        assert!(
            matches!(error.kind, ErrorKind::MetadataTooLong { .. }),
            "{error}"
        );
    }
    let resources = with_metadata(
        LIBRARY,
        &[
            Md::Value(1),
            Md::String(""),
            Md::Node(&[value, None, name, value, value, value, value]),
            Md::Node(&vec![Some(2); MANY]),
            Md::Node(&[None, None, Some(3), Some(3)]),
            Md::Named("dx.resources", &[4]),
        ],
    );
    let error = resources.unwrap_err();
    assert!(
        matches!(error.kind, ErrorKind::MetadataTooLong { .. }),
        "{error}"
    );
}

/// Operands that are literals of an abbreviation, and array elements of one bit, take next to nothing.
#[test]
fn operands_take_some_room() {
    let records = |operands: &[Op], count: usize| {
        let mut writer = Writer::new();
        writer.enter(MODULE, 3);
        writer.enter(TYPES, 3);
        writer.record(7, &[32]).record(11, &[0, 0]).leave();
        writer.enter(CONSTANTS, 3);
        writer.record(1, &[1]).define(operands);
        for _ in 0..count {
            writer.id(4);
        }
        writer.leave().leave();
        parse(COMPUTE, &writer)
    };
    let mut literals = vec![Op::Scalar(Encoding::Literal(22))];
    literals.extend([Op::Scalar(Encoding::Literal(1)); 60]);
    let error = records(&literals, 1000).unwrap_err();
    let ErrorKind::Bitstream { fault, .. } = error.kind else {
        panic!("{error}")
    };
    assert!(matches!(fault, BitstreamFault::TooDense { .. }), "{fault}");
    assert_eq!(records(&literals, 1).unwrap().constants().len(), 60);
}

#[test]
fn one_module_with_a_function_for_each_body() {
    let fault = |writer: &Writer| match parse(COMPUTE, writer).unwrap_err().kind {
        ErrorKind::Bitstream { fault, .. } => fault,
        other => panic!("{other}"),
    };
    let mut none = Writer::new();
    none.enter(9, 3).leave();
    assert_eq!(fault(&none), BitstreamFault::NoModule);
    let mut two = Writer::new();
    two.enter(MODULE, 3).leave().enter(MODULE, 3).leave();
    assert_eq!(fault(&two), BitstreamFault::SecondModule);
    let mut body = Writer::new();
    body.enter(MODULE, 3)
        .record(8, &[0, 0, 1])
        .enter(FUNCTION, 3)
        .leave()
        .leave();
    assert_eq!(fault(&body), BitstreamFault::BodyWithoutFunction);
}
