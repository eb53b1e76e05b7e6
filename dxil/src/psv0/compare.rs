//! Pipeline state validation data against the metadata.

use super::{
    ComponentMask, Dependencies, ELEMENT_COUNTS, ELEMENT_LEN, ENTRY_NAME, GROUP_SHARED, INFO,
    INFO_LEN, INPUT_VECTORS, MAX_VERTICES_OR_VECTORS, MESH_TOPOLOGY, NUM_THREADS, OUTPUT_VECTORS,
    PipelineStateValidation, RESOURCE_LEN, Records, ResourceFlags, STAGE, SemanticKind,
    USES_VIEW_ID, VECTOR_COUNTS, WAVE_LANES, word,
};
use crate::check::{
    Expected, Facts, Fields, Findings, is_packed, resource_type, resources, upper_bound, vectors,
};
use crate::module::{Resource, SignatureEntry, Stage};
use crate::rdat;
use crate::{ErrorKind, ResourceClass, ShaderKind};

/// The validator version 1.x that each revision came with.
const REVISIONS: [u32; INFO_LEN.len()] = [0, 1, 6, 8, 10];

/// The revision from which on resources have a kind and flags.
const RESOURCE_KINDS: usize = 2;
const RESOURCE_LEN_2: u32 = 24;

const RUNTIME_INFO: &str = "runtime info";

/// The fields of the runtime info that every kind of shader has.
const FIELDS: &Fields = &[
    ("minimum of wave lanes", 128, 32),
    ("maximum of wave lanes", 160, 32),
    ("shader stage", 192, 8),
    ("use of SV_ViewID", 200, 8),
    ("number of inputs", 224, 8),
    ("number of outputs", 232, 8),
    ("number of patch constants or primitives", 240, 8),
    ("input vectors", 248, 8),
    ("output vectors of stream 0", 256, 8),
    ("output vectors of stream 1", 264, 8),
    ("output vectors of stream 2", 272, 8),
    ("output vectors of stream 3", 280, 8),
    ("thread group size in x", 288, 32),
    ("thread group size in y", 320, 32),
    ("thread group size in z", 352, 32),
];

const VECTORS: (&str, usize, usize) = ("patch constant or primitive vectors", 208, 8);
const RESERVED: &str = "reserved bytes";

/// The fields of the first 16 bytes, and of two further on, which depend on the kind of shader.
fn stage_fields(kind: ShaderKind) -> &'static Fields {
    match kind {
        ShaderKind::Vertex => &[
            ("output of SV_Position", 0, 8),
            (RESERVED, 8, 56),
            (RESERVED, 64, 64),
            (RESERVED, 208, 16),
        ],
        ShaderKind::Hull => &[
            ("input control points", 0, 32),
            ("output control points", 32, 32),
            ("tessellator domain", 64, 32),
            ("tessellator output primitive", 96, 32),
            VECTORS,
            (RESERVED, 216, 8),
        ],
        ShaderKind::Domain => &[
            ("input control points", 0, 32),
            ("output of SV_Position", 32, 8),
            (RESERVED, 40, 24),
            ("tessellator domain", 64, 32),
            (RESERVED, 96, 32),
            VECTORS,
            (RESERVED, 216, 8),
        ],
        ShaderKind::Geometry => &[
            ("input primitive", 0, 32),
            ("output topology", 32, 32),
            ("output streams", 64, 32),
            ("output of SV_Position", 96, 8),
            (RESERVED, 104, 24),
            ("maximum of vertices", 208, 16),
        ],
        ShaderKind::Pixel => &[
            ("output of depth", 0, 8),
            ("sample frequency", 8, 8),
            (RESERVED, 16, 48),
            (RESERVED, 64, 64),
            (RESERVED, 208, 16),
        ],
        ShaderKind::Mesh => &[
            (GROUP_SHARED_BYTES, 0, 32),
            ("group-shared bytes that depend on SV_ViewID", 32, 32),
            ("payload size", 64, 32),
            ("maximum of vertices", 96, 16),
            ("maximum of primitives", 112, 16),
            VECTORS,
            ("output topology", 216, 8),
        ],
        ShaderKind::Amplification => &[
            ("payload size", 0, 32),
            (RESERVED, 32, 32),
            (RESERVED, 64, 64),
            (RESERVED, 208, 16),
        ],
        _ => &[(RESERVED, 0, 64), (RESERVED, 64, 64), (RESERVED, 208, 16)],
    }
}

const GROUP_SHARED_BYTES: &str = "group-shared bytes";

const RESOURCE_FIELDS: &Fields = &[
    ("type", 0, 32),
    ("register space", 32, 32),
    ("first register", 64, 32),
    ("last register", 96, 32),
    ("kind", 128, 32),
    ("flags", 160, 32),
];

const ELEMENT_FIELDS: &Fields = &[
    ("number of rows", 64, 8),
    ("first row", 72, 8),
    ("number of columns", 80, 4),
    ("first column", 84, 2),
    ("whether it is in a register", 86, 2),
    ("semantic kind", 88, 8),
    ("component type", 96, 8),
    ("interpolation", 104, 8),
    ("dynamically indexed components", 112, 4),
    ("stream", 116, 4),
    (RESERVED, 120, 8),
];

const INPUT: &str = "input";
const OUTPUT: &str = "output";

impl PipelineStateValidation<'_> {
    /// Compares the data with the program that it is made from.
    pub(crate) fn compare(&self, facts: &Facts<'_>, findings: &mut Findings<'_, '_>) {
        if let Some(described) = self.stage.filter(|&stage| stage != facts.kind) {
            let kind = ErrorKind::ProgramKindMismatch {
                program: facts.kind,
                part: findings.part.fourcc(),
                described,
            };
            findings.add(kind, INFO + STAGE);
            return;
        }
        if !self.compare_revision(facts, findings) {
            return;
        }
        self.compare_info(facts, findings);
        self.compare_resources(facts, findings);
        if self.revision >= 1 {
            let before = findings.len();
            let names = match facts.kind {
                ShaderKind::Mesh => [INPUT, OUTPUT, "primitive output"],
                _ => [INPUT, OUTPUT, "patch constant"],
            };
            for (which, entries) in facts.signatures().into_iter().enumerate() {
                self.compare_elements((which, names[which]), facts, entries, findings);
            }
            if findings.len() == before {
                self.compare_dependencies(facts, findings);
                self.compare_tables(findings);
            }
        }
        if self.entry_name.is_some() {
            let at = INFO + ENTRY_NAME;
            let found = self.strings_from(word(self.info, ENTRY_NAME));
            let names = (found, facts.entry.name.as_str());
            findings.text((RUNTIME_INFO, None), "name of the entry point", names, at);
        }
    }

    /// The validator version decides the revision, and that the length of each record.
    fn compare_revision(&self, facts: &Facts<'_>, findings: &mut Findings<'_, '_>) -> bool {
        let info_len = self.info.len() as u64;
        let is_known = facts
            .module
            .validator_version()
            .is_none_or(|it| it.major != 0);
        let expected = REVISIONS
            .iter()
            .filter(|&&minor| !facts.is_before(minor))
            .count()
            - 1;
        let newest = INFO_LEN.len() - 1;
        let is_newer = expected == newest && info_len > u64::from(INFO_LEN[newest]);
        let mut is_same = true;
        if is_known && !is_newer {
            let lengths = [info_len, INFO_LEN[expected].into()];
            is_same &= findings.number((RUNTIME_INFO, None), "length", lengths, 0);
        }
        let resource_len = if self.revision < RESOURCE_KINDS {
            RESOURCE_LEN
        } else {
            RESOURCE_LEN_2
        };
        let elements = self.elements.iter().find(|it| !it.bytes.is_empty());
        let records = [
            ("resources", Some(&self.resources), resource_len),
            ("signature elements", elements, ELEMENT_LEN),
        ];
        for (name, records, len) in records {
            if let Some(Records { stride, at, bytes }) = records
                && !bytes.is_empty()
            {
                let lengths = [*stride as u64, len.into()];
                is_same &= findings.number((name, None), "their length", lengths, at - 4);
            }
        }
        is_same
    }

    fn compare_info(&self, facts: &Facts<'_>, findings: &mut Findings<'_, '_>) {
        let mut expected = info(facts);
        let Some(group_shared) = facts.module.group_shared_bytes() else {
            // Types that this crate cannot measure: whatever the part says is taken.
            if facts.kind == ShaderKind::Mesh {
                expected.word(0, word(self.info, 0));
            }
            return self.compare_info_with(&expected.0[..GROUP_SHARED], facts, findings);
        };
        if facts.kind == ShaderKind::Mesh {
            expected.word(0, group_shared);
        }
        if facts.has_groups() {
            expected.word(GROUP_SHARED, group_shared);
        }
        self.compare_info_with(&expected.0, facts, findings);
    }

    fn compare_info_with(
        &self,
        expected: &[u8],
        facts: &Facts<'_>,
        findings: &mut Findings<'_, '_>,
    ) {
        // The revision may be newer than this crate, or older.
        let len = self.info.len().min(expected.len());
        let records = [&self.info[..len], &expected[..len]];
        for fields in [stage_fields(facts.kind), FIELDS] {
            findings.record((RUNTIME_INFO, None), fields, records, INFO);
        }
    }

    fn compare_resources(&self, facts: &Facts<'_>, findings: &mut Findings<'_, '_>) {
        let expected = resources(facts.module);
        let found = self.resources.iter();
        let count_at = INFO + self.info.len();
        if !findings.count("resources", [found.len(), expected.len()], count_at) {
            return;
        }
        for ((index, found), expected) in found.enumerate().zip(expected) {
            let expected = resource(expected);
            let len = found.len().min(expected.0.len());
            let records = [&found[..len], &expected.0[..len]];
            let at = self.resources.at + index * self.resources.stride;
            findings.record(("resource", Some(index)), RESOURCE_FIELDS, records, at);
        }
    }

    fn compare_elements(
        &self,
        (which, name): (usize, &'static str),
        facts: &Facts<'_>,
        entries: &[SignatureEntry],
        findings: &mut Findings<'_, '_>,
    ) {
        let elements = &self.elements[which];
        // The runtime info has the counts, and they were compared there.
        if elements.iter().len() != entries.len() {
            return;
        }
        for ((index, found), entry) in elements.iter().enumerate().zip(entries) {
            let at = elements.at + index * elements.stride;
            let record = (name, Some(index));
            findings.record(
                record,
                ELEMENT_FIELDS,
                [found, &element(facts, entry).0],
                at,
            );
            if entry.semantic == SemanticKind::ARBITRARY {
                let text = self.strings_from(word(found, 0));
                findings.text(record, "semantic name", (text, &entry.name), at);
            }
            let indices = self.semantic_indices(found).map(|indices| indices.iter());
            let indices = indices.into_iter().flatten().zip(&entry.indices);
            for (found, &expected) in indices {
                let numbers = [found, expected].map(u64::from);
                findings.number(record, "semantic index", numbers, at + 4);
            }
        }
    }

    fn strings_from(&self, offset: u32) -> &[u8] {
        let strings = self.strings.as_bytes();
        strings.get(offset as usize..).unwrap_or_default()
    }

    fn compare_dependencies(&self, facts: &Facts<'_>, findings: &mut Findings<'_, '_>) {
        const INPUTS: &str = "outputs that depend on input component";
        const VIEW_ID: &str = "outputs that depend on SV_ViewID in stream";
        const INPUTS_OF_THIRD: &str = "patch constants that depend on input component";
        let mut state = State(facts.module.view_id_state().iter());
        let uses_view_id = facts.uses_view_id();
        let streams = if facts.kind == ShaderKind::Geometry {
            4
        } else {
            1
        };
        let inputs = state.count();
        let mut outputs = [0; 4];
        for (stream, outputs) in outputs.iter_mut().enumerate().take(streams) {
            *outputs = state.count();
            if uses_view_id {
                let expected = state.mask(*outputs);
                let found = self.view_id_outputs[stream];
                compare_mask((VIEW_ID, stream), found, &expected, findings);
            }
            let found = self.input_outputs[stream];
            let size = [inputs, *outputs];
            compare_table(INPUTS, found, &mut state, size, findings);
        }
        if !facts.has_third_signature() {
            return;
        }
        let third = state.count();
        if facts.kind == ShaderKind::Domain {
            const NAME: &str = "outputs that depend on patch constant component";
            let size = [third, outputs[0]];
            compare_table(
                NAME,
                self.patch_constant_outputs,
                &mut state,
                size,
                findings,
            );
            return;
        }
        if uses_view_id {
            const NAME: &str = "patch constants or primitives that depend on SV_ViewID";
            let expected = state.mask(third);
            compare_mask((NAME, 0), self.view_id_patch_constants, &expected, findings);
        }
        let size = [inputs, third];
        compare_table(
            INPUTS_OF_THIRD,
            self.input_patch_constants,
            &mut state,
            size,
            findings,
        );
    }

    /// Every string and every semantic index is there for something.
    fn compare_tables(&self, findings: &mut Findings<'_, '_>) {
        let elements = || self.elements.iter().flat_map(Records::iter);
        let mut used: Vec<u32> = elements().map(|element| word(element, 0)).collect();
        if self.entry_name.is_some() {
            used.push(word(self.info, ENTRY_NAME));
        }
        used.sort_unstable();
        let padded = self.strings.trim_end_matches('\0').len() + 1;
        let mut start = 0;
        for string in self.strings.split_inclusive('\0') {
            let is_padding = start >= padded && self.strings.len() - start < 4;
            let is_used =
                u32::try_from(start).is_ok_and(|start| used.binary_search(&start).is_ok());
            let is_empty_first = start == 0 && string == "\0";
            if !(is_used || is_padding || is_empty_first) {
                let what = "a string";
                findings.add(ErrorKind::Unused { what }, self.strings_at + start);
            }
            start += string.len();
        }
        if !self.strings.len().is_multiple_of(4) {
            let lengths = [self.strings.len(), self.strings.len().next_multiple_of(4)];
            let lengths = lengths.map(|len| len as u64);
            findings.number(
                ("strings", None),
                "their length",
                lengths,
                self.strings_at - 4,
            );
        }
        let mut used = vec![false; self.indices.len()];
        for element in elements() {
            let start = word(element, 4) as usize;
            let end = start + usize::from(element[8]);
            if let Some(used) = used.get_mut(start..end) {
                used.fill(true);
            }
        }
        if let Some(index) = used.iter().position(|is_used| !is_used) {
            let what = "a semantic index";
            let at = self.strings_at + self.strings.len() + 4 + 4 * index;
            findings.add(ErrorKind::Unused { what }, at);
        }
    }
}

/// The words of `!dx.viewIdState`. Where it ends, nothing depends on anything.
struct State<'m>(std::slice::Iter<'m, u32>);

impl State<'_> {
    fn count(&mut self) -> u32 {
        self.0.next().copied().unwrap_or(0)
    }

    fn mask(&mut self, components: u32) -> Vec<u32> {
        let words = components.div_ceil(32) as usize;
        self.0.by_ref().take(words).copied().collect()
    }
}

fn compare_mask(
    (name, index): (&'static str, usize),
    found: ComponentMask<'_>,
    expected: &[u32],
    findings: &mut Findings<'_, '_>,
) {
    for (place, &found) in found.0.iter().enumerate() {
        let expected = expected.get(place).copied().unwrap_or(0);
        let numbers = [u32::from_le_bytes(found), expected].map(u64::from);
        findings.number((name, Some(index)), "mask", numbers, VECTOR_COUNTS);
    }
}

/// The state has rows for the components that there are, the part for all of their registers.
fn compare_table(
    name: &'static str,
    found: Dependencies<'_>,
    state: &mut State<'_>,
    [inputs, outputs]: [u32; 2],
    findings: &mut Findings<'_, '_>,
) {
    for (row, found) in found.iter().enumerate() {
        let expected = if row < inputs as usize {
            state.mask(outputs)
        } else {
            Vec::new()
        };
        compare_mask((name, row), found, &expected, findings);
    }
}

/// The runtime info but for group-shared memory and strings.
fn info(facts: &Facts<'_>) -> Expected<{ INFO_LEN[4] as usize }> {
    let mut info = Expected::new();
    let has_position = u32::from(facts.puts_out(&[SemanticKind::POSITION]));
    let [inputs, outputs, third] = facts.signatures();
    if facts.has_third_signature() {
        info.byte(MAX_VERTICES_OR_VECTORS, vectors(third, 0));
    }
    match facts.entry.stage {
        Stage::Geometry {
            input_primitive,
            max_vertices,
            streams,
            topology,
            ..
        } => {
            info.word(0, input_primitive);
            info.word(4, topology);
            info.word(8, streams.max(1));
            info.byte(12, has_position);
            info.half(MAX_VERTICES_OR_VECTORS, max_vertices);
        }
        Stage::Domain {
            domain,
            input_points,
        } => {
            info.word(0, input_points);
            info.byte(4, has_position);
            info.word(8, domain);
        }
        Stage::Hull {
            input_points,
            output_points,
            domain,
            output_primitive,
            ..
        } => {
            info.word(0, input_points);
            info.word(4, output_points);
            info.word(8, domain);
            info.word(12, output_primitive);
        }
        Stage::Mesh {
            max_vertices,
            max_primitives,
            topology,
            payload,
        } => {
            info.word(8, payload);
            info.half(12, max_vertices);
            info.half(14, max_primitives);
            info.byte(MESH_TOPOLOGY, topology);
        }
        Stage::Amplification { payload } => info.word(0, payload),
        Stage::Other if facts.kind == ShaderKind::Vertex => info.byte(0, has_position),
        Stage::Other if facts.kind == ShaderKind::Pixel => {
            let depth = [
                SemanticKind::DEPTH,
                SemanticKind::DEPTH_LESS_EQUAL,
                SemanticKind::DEPTH_GREATER_EQUAL,
            ];
            info.byte(0, facts.puts_out(&depth).into());
            info.byte(1, facts.runs_for_each_sample().into());
        }
        Stage::Other => {}
    }
    let of_compute = facts.entry.wave_size;
    let wave_size = of_compute.filter(|_| facts.kind == ShaderKind::Compute);
    info.word(WAVE_LANES, wave_size.map_or(0, |size| size.min));
    info.word(WAVE_LANES + 4, wave_size.map_or(u32::MAX, |size| size.max));
    info.byte(STAGE, facts.kind as u32);
    info.byte(USES_VIEW_ID, facts.uses_view_id().into());
    for (place, entries) in [inputs, outputs, third].into_iter().enumerate() {
        let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        info.byte(ELEMENT_COUNTS + place, count);
    }
    info.byte(INPUT_VECTORS, vectors(inputs, 0));
    for stream in 0..4_u8 {
        let at = OUTPUT_VECTORS + usize::from(stream);
        info.byte(at, vectors(outputs, stream.into()));
    }
    let threads = facts.entry.thread_group.filter(|_| facts.has_groups());
    for (axis, threads) in threads.into_iter().flatten().enumerate() {
        info.word(NUM_THREADS + 4 * axis, threads);
    }
    info
}

fn resource(resource: &Resource) -> Expected<{ RESOURCE_LEN_2 as usize }> {
    let is_uav = resource.class == ResourceClass::UAV;
    let uses_atomics = resource.flags.contains(rdat::ResourceFlags::ATOMICS_64_USE);
    let flags = if uses_atomics && is_uav {
        ResourceFlags::USED_BY_ATOMIC_64
    } else {
        ResourceFlags::NONE
    };
    let mut record = Expected::new();
    record.word(0, resource_type(resource).0);
    record.word(4, resource.space);
    record.word(8, resource.lower_bound);
    record.word(12, upper_bound(resource));
    record.word(16, resource.kind.0);
    record.word(20, flags.0);
    record
}

fn element(facts: &Facts<'_>, entry: &SignatureEntry) -> Expected<{ ELEMENT_LEN as usize }> {
    let mut record = Expected::new();
    record.byte(8, entry.rows);
    let mut columns = entry.columns & 0xf;
    if is_packed(entry) {
        record.byte(9, entry.start_row);
        columns |= 0x40 | entry.start_column << 4;
    }
    record.byte(10, columns);
    record.byte(11, entry.semantic.0);
    record.byte(12, facts.component_type(entry.ty).0);
    record.byte(13, entry.interpolation.0);
    record.byte(14, (entry.stream & 3) << 4 | entry.dynamic_index_mask & 0xf);
    record
}
