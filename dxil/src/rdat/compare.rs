//! Runtime data against the metadata, and whether all of it is in use.

use std::ops::Range;

use super::parse::{RECORDS, Reference, offsets, references};
use super::{
    FUNCTION_KIND, FUNCTION_NODE, FUNCTIONS, Fault, INDICES, NODE_ATTRIBUTES, NODE_IDS,
    NODE_IO_ATTRIBUTES, NODE_IOS, NODES, NONE, Node, NodeAttribute, NodeIoAttribute, NodeIoFlags,
    RAW_BYTES, RESOURCES, Record, RuntimeData, STRINGS, SUBOBJECTS, Table,
};
use crate::check::{Expected, Fields, Findings, features, is_before, resources, upper_bound};
use crate::module::{self, EntryPoint, NodeAttributes, Resource};
use crate::read::Numbers;
use crate::{ErrorKind, FeatureFlags, Module, ResourceClass, ShaderKind, Version};

const RESOURCE_FIELDS: &Fields = &[
    ("class", 0, 32),
    ("kind", 32, 32),
    ("number", 64, 32),
    ("register space", 96, 32),
    ("first register", 128, 32),
    ("last register", 160, 32),
    ("flags", 224, 32),
];
const RESOURCE_NAME: usize = 24;
const RESOURCE_LEN: usize = 32;

/// Those that follow from the metadata. Which resources a function uses, what it calls, which
/// features it needs, from which stages it can be called, and the shader model that it needs, are in
/// the instructions.
const FUNCTION_FIELDS: &Fields = &[
    ("kind", 128, 32),
    ("payload size", 160, 32),
    ("attribute size", 192, 32),
    ("kind in the minimum target", 336, 16),
    ("minimum of wave lanes", 352, 8),
    ("maximum of wave lanes", 360, 8),
    ("shader flags", 368, 16),
    ("reference to what its kind has", 384, 32),
];
const UNMANGLED_NAME: usize = 4;
const FUNCTION_FEATURES: usize = 28;
const FUNCTION_LEN: usize = 52;
/// Before validator version 1.8.
const FUNCTION_LEN_1: usize = 44;

/// The order of the tables.
const ORDER: [usize; 11] = [
    STRINGS,
    RESOURCES,
    FUNCTIONS,
    INDICES,
    RAW_BYTES,
    SUBOBJECTS,
    NODE_IDS,
    NODE_ATTRIBUTES,
    NODE_IO_ATTRIBUTES,
    NODE_IOS,
    NODES,
];

impl RuntimeData<'_> {
    /// Compares the data with the library that it is made from.
    pub(crate) fn compare(&self, module: &Module, findings: &mut Findings<'_, '_>) {
        self.compare_resources(module, findings);
        self.compare_functions(module, findings);
        self.compare_features(module, findings);
        self.compare_subobjects(findings);
        self.compare_layout(module, findings);
        self.compare_use(findings);
    }

    fn compare_resources(&self, module: &Module, findings: &mut Findings<'_, '_>) {
        let expected = resources(module);
        let table = self.tables[RESOURCES];
        let counts = [table.count as usize, expected.len()];
        if !findings.count("resources", counts, table.at) {
            return;
        }
        for (row, expected) in (0..table.count).zip(expected) {
            let record = ("resource", Some(row as usize));
            let at = table.at + row as usize * table.stride;
            let found = self.record(RESOURCES, row).0.as_flattened();
            let len = found.len().min(RESOURCE_LEN);
            findings.record(
                record,
                RESOURCE_FIELDS,
                [&found[..len], &resource(expected).0],
                at,
            );
            let name = self.string_from(self.record(RESOURCES, row).word(RESOURCE_NAME / 4));
            findings.text(record, "name", (name, &expected.name), at + RESOURCE_NAME);
        }
    }

    /// The bytes from the start of a string on.
    fn string_from(&self, offset: u32) -> &[u8] {
        let strings = self.strings.as_bytes();
        strings.get(offset as usize..).unwrap_or_default()
    }

    fn compare_functions(&self, module: &Module, findings: &mut Findings<'_, '_>) {
        let table = self.tables[FUNCTIONS];
        let expected = module.functions().iter().enumerate();
        let expected: Vec<_> = expected
            .filter(|(_, function)| function.is_defined)
            .collect();
        let counts = [table.count as usize, expected.len()];
        if !findings.count("functions", counts, table.at) {
            return;
        }
        let mut entries = vec![None; module.functions().len()];
        for entry in module.entry_points() {
            if let Some(place) = entry.function.and_then(|place| entries.get_mut(place)) {
                *place = Some(entry);
            }
        }
        for (row, (place, function)) in (0..table.count).zip(expected) {
            let index = row as usize;
            let at = table.at + index * table.stride;
            let record = ("function", Some(index));
            let words = self.record(FUNCTIONS, row);
            let name = self.string_from(words.word(0));
            findings.text(record, "name", (name, &function.name), at);
            let name = self.string_from(words.word(UNMANGLED_NAME / 4));
            let names = (name, unmangled(&function.name));
            findings.text(record, "unmangled name", names, at + UNMANGLED_NAME);

            let found = words.0.as_flattened();
            let len = found.len().min(FUNCTION_LEN);
            let entry = entries[place];
            let mut expected = function_record(entry);
            let node = words.get(FUNCTION_NODE).filter(|&row| row != NONE);
            let is_node = entry.is_some_and(|entry| entry.kind == ShaderKind::Node);
            if is_node || self.has_unknown_tables {
                // Compared below, or a row of a table that this crate does not read.
                expected.word(4 * FUNCTION_NODE, node.unwrap_or(NONE));
            }
            if self.has_unknown_tables {
                // Flags of kinds other than nodes belong to those tables.
                expected.half(46, words.get(11).unwrap_or(0) >> 16);
            }
            let records = [&found[..len], &expected.0[..len]];
            findings.record(record, FUNCTION_FIELDS, records, at);
            if let (Some(entry), Some(node), true) = (entry, node, is_node) {
                self.compare_node(record, entry, node, findings);
            }
            compare_requirements(record, words, entry, module, at, findings);
        }
    }

    /// Compares what a function is in a work graph.
    fn compare_node(
        &self,
        record: (&'static str, Option<usize>),
        entry: &EntryPoint,
        row: u32,
        findings: &mut Findings<'_, '_>,
    ) {
        let default = NodeAttributes::default();
        let expected = entry.node.as_deref().unwrap_or(&default);
        let words = self.record(NODES, row);
        let at = self.tables[NODES].at + row as usize * self.tables[NODES].stride;
        let launch = [words.word(0), expected.launch.0].map(u64::from);
        findings.number(record, "launch of the node", launch, at);
        let node = Node::read(self, row);
        let found = node.attributes.iter().map(Said::of_node);
        let attributes = node_attributes(entry, expected);
        compare_said(
            record,
            "list of node attributes",
            found,
            &attributes,
            at + 8,
            findings,
        );
        let lists = [
            (OUTPUTS, node.outputs, &expected.outputs, at + 12),
            (INPUTS, node.inputs, &expected.inputs, at + 16),
        ];
        for (name, found, expected, at) in lists {
            if !findings.count(name, [found.iter().len(), expected.len()], at) {
                continue;
            }
            for (found, expected) in found.iter().zip(expected) {
                let flags = [found.flags.0, expected.flags.0].map(u64::from);
                findings.number(record, name, flags, at);
                let found = found.attributes.iter().map(Said::of_io);
                let attributes = io_attributes(expected);
                compare_said(
                    record,
                    "list of attributes of inputs or outputs",
                    found,
                    &attributes,
                    at,
                    findings,
                );
            }
        }
    }

    /// What the library needs is what its functions need, except for that which its resources need
    /// and that which depends on the stage in the end.
    fn compare_features(&self, module: &Module, findings: &mut Findings<'_, '_>) {
        let elsewhere = FeatureFlags::UAVS_AT_EVERY_STAGE
            | FeatureFlags::UAVS_64
            | FeatureFlags::ROVS
            | FeatureFlags::COMPUTE_SHADERS_PLUS_RAW_AND_STRUCTURED_BUFFERS
            | FeatureFlags::DERIVATIVES_IN_MESH_AND_AMPLIFICATION_SHADERS
            | FeatureFlags::OPT_USES_DERIVATIVES
            | FeatureFlags::OPT_REQUIRES_GROUP;
        let of_library = features(module.flags()).0 & !elsewhere.0;
        let mut of_functions = 0;
        let Table { at, stride, .. } = self.tables[FUNCTIONS];
        for (index, function) in self.functions().enumerate() {
            let needs = function.features.0 & !elsewhere.0;
            of_functions |= needs;
            let allowed = [needs, needs & of_library];
            let at = at + index * stride + FUNCTION_FEATURES;
            findings.number(("function", Some(index)), "features", allowed, at);
        }
        if self.tables[FUNCTIONS].count > 0 {
            let needs = [of_functions & of_library, of_library];
            findings.number(("functions", None), "features of all", needs, at);
        }
    }

    /// The words of a subobject that its kind does not have are 0.
    fn compare_subobjects(&self, findings: &mut Findings<'_, '_>) {
        let Table { at, count, stride } = self.tables[SUBOBJECTS];
        for row in 0..count {
            let record = self.record(SUBOBJECTS, row);
            let words = match record.word(0) {
                0 | 10 => 3,
                1 | 2 | 8 | 9 | 12 => 4,
                _ => 6,
            };
            if let Some(word) = (words..6).find(|&word| record.word(word) != 0) {
                let at = at + row as usize * stride + 4 * word;
                findings.add(ErrorKind::Unused { what: "a word" }, at);
            }
        }
    }

    /// Finds tables that are not one behind the other, in DXC's order, and what nothing refers to.
    fn compare_layout(&self, module: &Module, findings: &mut Findings<'_, '_>) {
        let offsets: Vec<u32> = offsets(self.bytes).iter().collect();
        let mut end = 8 + 4 * offsets.len();
        let mut last = None;
        for (index, &offset) in offsets.iter().enumerate() {
            let at = 8 + 4 * index;
            let record = ("table", Some(index));
            let starts = [offset as usize, end].map(|start| start as u64);
            if !findings.number(record, "offset", starts, at) {
                return;
            }
            let [table, size] = [0, 4].map(|at| self.word_at(end + at));
            let aligned = [size, size.next_multiple_of(4)].map(u64::from);
            findings.number(record, "size", aligned, end + 4);
            end += 8 + size as usize;
            let place = ORDER.iter().position(|&known| known == table as usize);
            if place.is_some() && place < last {
                let kind = ErrorKind::RuntimeData(Fault::TableOrder { table });
                findings.add(kind, offset as usize);
            }
            last = place.max(last);
        }
        if end < self.bytes.len() {
            findings.add(ErrorKind::Unused { what: "bytes" }, end);
        }
        let function_len = if is_before(module, 8) {
            FUNCTION_LEN_1
        } else {
            FUNCTION_LEN
        };
        for (table, len) in RECORDS {
            let Table { at, count, stride } = self.tables[table];
            let len = if table == FUNCTIONS {
                function_len
            } else {
                len as usize
            };
            if count > 0 {
                let record = ("records of table", Some(table));
                let strides = [stride, len].map(|len| len as u64);
                findings.number(record, "length", strides, at - 4);
                let size = self.word_at(at - 12);
                let sizes = [u64::from(size), 8 + u64::from(count) * stride as u64];
                findings.number(("table", Some(table)), "size", sizes, at - 12);
            }
        }
    }

    /// Finds strings, arrays, rows and raw bytes that nothing refers to.
    fn compare_use(&self, findings: &mut Findings<'_, '_>) {
        let mut used = Used::default();
        for (table, _) in RECORDS {
            for row in 0..self.tables[table].count {
                used.add(self, table, self.record(table, row));
            }
        }
        used.add_elements(self);
        let unused = |what| ErrorKind::Unused { what };
        for table in [
            NODE_IDS,
            NODE_IO_ATTRIBUTES,
            NODE_ATTRIBUTES,
            NODE_IOS,
            NODES,
        ] {
            let Table { at, count, stride } = self.tables[table];
            let rows = &mut used.rows[table];
            rows.sort_unstable();
            rows.dedup();
            if rows.len() < count as usize {
                let mut rows = (0..count).zip(rows.iter().map(Some).chain(std::iter::repeat(None)));
                let missing = rows.find(|(row, used)| *used != Some(row));
                let row = missing.map_or(0, |(row, _)| row as usize);
                findings.add(unused("a record"), at + row * stride);
            }
        }
        if self.has_unknown_tables {
            return;
        }
        used.strings.sort_unstable();
        used.strings.dedup();
        let end = self.strings.trim_end_matches('\0').len() + 1;
        let (mut start, mut starts) = (0, 0);
        for string in self.strings.split_inclusive('\0') {
            let offset = u32::try_from(start).unwrap_or(u32::MAX);
            let is_padding = start >= end && self.strings.len() - start < 4;
            let is_used = used.strings.binary_search(&offset).is_ok();
            starts += usize::from(is_used);
            if start > 0 && !is_padding && !is_used {
                findings.add(unused("a string"), self.strings_at + start);
            }
            start += string.len();
        }
        if starts < used.strings.len() {
            findings.differs(("strings", None), "end of a string", self.strings_at);
        }
        if let Some(index) = gap(used.words, self.indices.len()) {
            findings.add(unused("an array"), self.indices_at + 4 * index);
        }
        if let Some(at) = gap(used.raw, self.raw_bytes.len())
            && (self.raw_bytes.len() - at >= 4 || self.raw_bytes[at..].iter().any(|&it| it != 0))
        {
            findings.add(unused("raw bytes"), self.raw_bytes_at + at);
        }
    }

    fn word_at(&self, at: usize) -> u32 {
        let word = self.bytes.get(at..).and_then(<[u8]>::first_chunk);
        u32::from_le_bytes(word.copied().unwrap_or_default())
    }
}

/// What records refer to.
#[derive(Default)]
struct Used {
    strings: Vec<u32>,
    rows: [Vec<u32>; NODES + 1],
    /// Words of the table of indices, with what the elements are.
    arrays: Vec<(Reference, Range<usize>)>,
    words: Vec<Range<usize>>,
    raw: Vec<Range<usize>>,
}

impl Used {
    fn add(&mut self, data: &RuntimeData<'_>, table: usize, record: Record<'_>) {
        for &(word, reference) in references(table, record) {
            let value = record.word(word);
            match reference {
                Reference::String => self.strings.push(value),
                Reference::Row(table) => self.rows[table].push(value),
                Reference::RawBytes => {
                    let start = value as usize;
                    self.raw.push(start..start + record.word(word + 1) as usize);
                }
                Reference::Numbers | Reference::Strings | Reference::Rows(_) => {
                    if value != NONE {
                        let start = value as usize;
                        let end = start + 1 + data.array(value).iter().len();
                        self.arrays.push((reference, start + 1..end));
                        self.words.push(start..end);
                    }
                }
            }
        }
    }

    /// Adds what the arrays refer to. They may share elements, and each is looked at once.
    fn add_elements(&mut self, data: &RuntimeData<'_>) {
        self.arrays
            .sort_unstable_by_key(|(of, elements)| (*of, elements.start));
        let mut done = (Reference::Numbers, 0);
        for (of, elements) in std::mem::take(&mut self.arrays) {
            let from = if done.0 == of { done.1 } else { 0 };
            let new = elements.start.max(from)..elements.end.max(from);
            let values = data.indices.get(new.clone()).unwrap_or_default();
            match of {
                Reference::Strings => self.strings.extend(Numbers(values).iter()),
                Reference::Rows(table) => self.rows[table].extend(Numbers(values).iter()),
                _ => {}
            }
            done = (of, new.end);
        }
    }
}

/// The first place below `len` that is in none of the ranges.
fn gap(mut ranges: Vec<Range<usize>>, len: usize) -> Option<usize> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut end = 0;
    for range in ranges {
        if range.start > end {
            break;
        }
        end = end.max(range.end);
    }
    (end < len).then_some(end)
}

/// Compares what the instructions decide with its limits. A shader can be called from its own stage
/// only. The shader model is no newer than that of the library, and no older than the kind of shader.
fn compare_requirements(
    record: (&'static str, Option<usize>),
    words: Record<'_>,
    entry: Option<&EntryPoint>,
    module: &Module,
    at: usize,
    findings: &mut Findings<'_, '_>,
) {
    if let Some(entry) = entry {
        let stages = [words.word(9), 1 << entry.kind as u32].map(u64::from);
        findings.number(record, "stages", stages, at + 36);
    }
    let target = words.word(10) & 0xffff;
    let encoded = |version: Version| version.major << 4 | version.minor;
    let least = match entry.map(|entry| entry.kind) {
        _ if is_before(module, 8) => 0x60,
        Some(ShaderKind::Mesh | ShaderKind::Amplification) => 0x65,
        Some(ShaderKind::Node) => 0x68,
        Some(kind) if (ShaderKind::RayGeneration..=ShaderKind::Callable).contains(&kind) => 0x63,
        _ => 0x60,
    };
    let newest = module
        .profile()
        .map_or(target, |(_, version)| encoded(version));
    let limits = target.clamp(least.min(newest), newest.max(least));
    let targets = [target, limits].map(u64::from);
    findings.number(record, "minimum target", targets, at + 40);
}

const OUTPUTS: &str = "outputs of the node";
const INPUTS: &str = "inputs of the node";

/// An attribute: its number in the part, and what it says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said<'a> {
    number: u32,
    name: &'a str,
    values: Vec<u32>,
}

impl<'a> Said<'a> {
    fn new(number: u32, values: impl Into<Vec<u32>>) -> Self {
        Self {
            number,
            name: "",
            values: values.into(),
        }
    }

    fn named(number: u32, name: &'a str, index: u32) -> Self {
        Self {
            name,
            ..Self::new(number, [index])
        }
    }

    fn of_node(attribute: NodeAttribute<'a>) -> Self {
        // No group or grid has more than three numbers; one more tells that there are too many.
        let numbers = |numbers: Numbers<'_>| numbers.iter().take(4).collect::<Vec<_>>();
        match attribute {
            NodeAttribute::Id(id) => Self::named(1, id.name, id.index),
            NodeAttribute::NumThreads(threads) => Self::new(2, numbers(threads)),
            NodeAttribute::ShareInputOf(id) => Self::named(3, id.name, id.index),
            NodeAttribute::DispatchGrid(grid) => Self::new(4, numbers(grid)),
            NodeAttribute::MaxRecursionDepth(depth) => Self::new(5, [depth]),
            NodeAttribute::LocalRootArgumentsTableIndex(index) => Self::new(6, [index]),
            NodeAttribute::MaxDispatchGrid(grid) => Self::new(7, numbers(grid)),
            NodeAttribute::Other { number, value } => Self::new(number, [value]),
        }
    }

    fn of_io(attribute: NodeIoAttribute<'a>) -> Self {
        match attribute {
            NodeIoAttribute::OutputId(id) => Self::named(1, id.name, id.index),
            NodeIoAttribute::MaxRecords(records) => Self::new(2, [records]),
            NodeIoAttribute::MaxRecordsSharedWith(output) => Self::new(3, [output]),
            NodeIoAttribute::RecordSizeInBytes(size) => Self::new(4, [size]),
            NodeIoAttribute::RecordDispatchGrid {
                byte_offset,
                component_count,
                component_type,
            } => {
                let grid = [byte_offset, component_count.into(), component_type];
                Self::new(5, grid.map(u32::from))
            }
            NodeIoAttribute::OutputArraySize(size) => Self::new(6, [size]),
            NodeIoAttribute::AllowSparseNodes(allows) => Self::new(7, [allows.into()]),
            NodeIoAttribute::RecordAlignmentInBytes(bytes) => Self::new(8, [bytes]),
            NodeIoAttribute::Other { number, value } => Self::new(number, [value]),
        }
    }
}

fn compare_said<'a>(
    record: (&'static str, Option<usize>),
    field: &'static str,
    mut found: impl ExactSizeIterator<Item = Said<'a>>,
    expected: &[Said<'_>],
    at: usize,
    findings: &mut Findings<'_, '_>,
) {
    let is_same = found.len() == expected.len()
        && expected
            .iter()
            .all(|expected| found.next().as_ref() == Some(expected));
    if !is_same {
        findings.differs(record, field, at);
    }
}

/// The attributes of a node, in DXC's order.
fn node_attributes<'m>(entry: &'m EntryPoint, node: &'m NodeAttributes) -> Vec<Said<'m>> {
    let is_set = |numbers: &[u32; 3]| *numbers != [0; 3];
    let id = |number, id: &'m module::NodeId| Said::named(number, &id.name, id.index);
    let has_name = |id: &&module::NodeId| !id.name.is_empty();
    let mut said = Vec::new();
    said.extend(node.id.as_ref().filter(has_name).map(|it| id(1, it)));
    said.extend(entry.thread_group.filter(is_set).map(|it| Said::new(2, it)));
    let index = node.local_root_arguments;
    // No index, which is -1, has the highest bit.
    said.extend((index >> 31 == 0).then(|| Said::new(6, [index])));
    said.extend(
        node.shares_input_of
            .as_ref()
            .filter(has_name)
            .map(|it| id(3, it)),
    );
    said.extend(node.dispatch_grid.filter(is_set).map(|it| Said::new(4, it)));
    let depth = Some(node.max_recursion).filter(|&depth| depth > 0);
    said.extend(depth.map(|depth| Said::new(5, [depth])));
    said.extend(
        node.max_dispatch_grid
            .filter(is_set)
            .map(|it| Said::new(7, it)),
    );
    said
}

/// The attributes of an input or output, in DXC's order.
fn io_attributes(io: &module::NodeIo) -> Vec<Said<'_>> {
    let mut said = Vec::new();
    let records = Some(io.max_records).filter(|&records| records > 0);
    let records = records.map(|records| Said::new(2, [records]));
    if io.flags.contains(NodeIoFlags::OUTPUT) {
        let (name, index) = match &io.node {
            Some(id) => (id.name.as_str(), id.index),
            None => ("", 0),
        };
        said.push(Said::named(1, name, index));
        said.push(Said::new(6, [io.array_size]));
        let shared = io.shares_records_with.filter(|output| output >> 31 == 0);
        said.extend(records.or(shared.map(|output| Said::new(3, [output]))));
        said.extend(io.allows_sparse.then(|| Said::new(7, [1])));
    } else {
        said.extend(records);
    }
    if io.record_size > 0 {
        said.push(Said::new(4, [io.record_size]));
        said.extend(io.dispatch_grid.map(|(offset, ty, components)| {
            // As many bits as the part has.
            Said::new(5, [offset & 0xffff, components & 3, ty.0 & 0x3fff])
        }));
        let alignment = Some(io.record_alignment).filter(|&alignment| alignment > 0);
        said.extend(alignment.map(|alignment| Said::new(8, [alignment])));
    }
    said
}

fn resource(resource: &Resource) -> Expected<RESOURCE_LEN> {
    let flags = match resource.class {
        ResourceClass::UAV => resource.flags.0,
        _ => 0,
    };
    let mut record = Expected::new();
    record.word(0, resource.class.0);
    record.word(4, resource.kind.0);
    record.word(8, resource.id);
    record.word(12, resource.space);
    record.word(16, resource.lower_bound);
    record.word(20, upper_bound(resource));
    record.word(28, flags);
    record
}

fn function_record(entry: Option<&EntryPoint>) -> Expected<FUNCTION_LEN> {
    use ShaderKind as K;
    let kind = entry.map_or(K::Library, |entry| entry.kind);
    let ray = entry.and_then(|entry| entry.ray).unwrap_or_default();
    let [payload, attributes] = match kind {
        K::ClosestHit | K::AnyHit => [ray.payload, ray.attributes],
        K::Miss | K::Callable => [ray.payload, 0],
        _ => [0; 2],
    };
    let wave_size = entry.and_then(|entry| entry.wave_size);
    let node = entry.and_then(|entry| entry.node.as_ref());
    let is_program_entry = node.is_some_and(|node| node.is_program_entry);
    let mut record = Expected::new();
    record.word(4 * FUNCTION_KIND, kind as u32);
    record.word(20, payload);
    record.word(24, attributes);
    record.half(42, kind as u32);
    record.byte(44, wave_size.map_or(0, |size| size.min));
    record.byte(45, wave_size.map_or(0, |size| size.max));
    record.half(46, is_program_entry.into());
    record.word(4 * FUNCTION_NODE, NONE);
    record
}

/// The name in the source: DXC mangles as C++ does, and cuts what is behind the name.
fn unmangled(name: &str) -> &str {
    let rest = name.strip_prefix("\u{1}?");
    rest.and_then(|rest| Some(rest.split_once('@')?.0))
        .unwrap_or(name)
}
