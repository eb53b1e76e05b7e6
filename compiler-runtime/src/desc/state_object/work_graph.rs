//! Finds the nodes of a work graph, connects them, and checks the graph by the rules of WorkGraphs.md ("D3D12_WORK_GRAPH_DESC",
//! "Node limits", "Sharing input records across nodes", "Recursion", "AddToStateObject"). The input and the output are plain
//! data.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::iter;
use std::sync::Arc;

use api_desc::{NodeId, ShaderNode, WorkGraph};
use api_sys::{
    D3D12_NODE_OVERRIDES_TYPE, D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH,
    D3D12_NODE_OVERRIDES_TYPE_COALESCING_LAUNCH, D3D12_NODE_OVERRIDES_TYPE_THREAD_LAUNCH,
    D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES,
};

use super::function::{Budget, Launch, NodeInput, NodeOutput, NodeShader, RecordGrid, UNBOUNDED};
use crate::desc::Invalid;

/// The longest chain of nodes (`D3D12_WORK_GRAPHS_MAX_NODE_DEPTH`).
const MAX_DEPTH: u32 = 32;
const MAX_NODES: u64 = 0xff_ffff;
const MAX_OUTPUTS: usize = 1024;
const MAX_SHARING: usize = 256;
const MAX_GROUP_SHARED: u64 = 32 << 10;
const MAX_OUTPUT_BYTES: u64 = 32 << 10;
const MAX_GROUP_BYTES: u64 = 48 << 10;
const MAX_RECORDS: u64 = 256;
const MAX_THREAD_RECORDS: u64 = 8;
const MAX_THREAD_OUTPUT_BYTES: u64 = 128;
const MAX_GRID_SIDE: u32 = 65_535;
const MAX_GRID: u64 = (1 << 24) - 1;
/// The index that leaves the choice to the runtime (-1).
const AUTOMATIC: u32 = u32::MAX;

const READ_WRITE: u32 = dxil::rdat::NodeIoFlags::READ_WRITE.0;
const EMPTY_RECORD: u32 = dxil::rdat::NodeIoFlags::EMPTY_RECORD.0;
const TRACK_RW_INPUT_SHARING: u32 = dxil::rdat::NodeIoFlags::TRACK_RW_INPUT_SHARING.0;

/// A node shader that the state object exports.
#[derive(Clone, Debug)]
pub(super) struct Available {
    /// The name of the export.
    pub(super) name: String,
    pub(super) shader: Arc<NodeShader>,
    /// The local root signature that the export is associated with.
    pub(super) local_root_signature: Option<Vec<u8>>,
}

/// A node with its overrides applied, so that nobody needs to look at the shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) id: NodeId,
    /// The name of the export.
    pub(super) shader: String,
    /// The first version of the graph that has the node.
    pub(super) version: u32,
    pub(super) launch: Launch,
    pub(super) is_entry: bool,
    pub(super) input: NodeInput,
    pub(super) group_shared: u32,
    pub(super) max_recursion: u32,
    pub(super) local_root_index: Option<u32>,
    local_root_signature: Option<Vec<u8>>,
    /// The place of the node whose input it shares.
    pub(super) shares_input_of: Option<usize>,
    share_input_of: Option<NodeId>,
    pub(super) dispatch_grid: Option<[u32; 3]>,
    pub(super) max_dispatch_grid: Option<[u32; 3]>,
    pub(super) outputs: Vec<NodeOutput>,
    /// By output: the places of the nodes that it goes to.
    pub(super) targets: Vec<Vec<usize>>,
    /// Whether the graph has it only because it includes all nodes, and nothing names it.
    is_included: bool,
}

impl Node {
    fn targets_itself(&self) -> bool {
        self.outputs.iter().any(|output| output.reaches(&self.id))
    }

    /// The place of the grid that a record launches this node with. A node with a grid of its own, or of another launch mode,
    /// takes `SV_DispatchGrid` as plain data.
    fn grid_of_record(&self) -> Option<RecordGrid> {
        let launches = self.launch == Launch::Broadcasting && self.dispatch_grid.is_none();
        self.input.record_grid.filter(|_| launches)
    }
}

impl NodeOutput {
    fn reaches(&self, id: &NodeId) -> bool {
        id.name == self.id.name
            && id.array_index >= self.id.array_index
            && (self.array_size == UNBOUNDED
                || id.array_index - self.id.array_index < self.array_size)
    }
}

/// A work graph in all of its versions. The nodes of earlier versions come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Graph {
    pub(super) name: String,
    pub(super) version: u32,
    pub(super) nodes: Vec<Node>,
}

impl Graph {
    /// By node: the places of the nodes that output to it.
    pub(super) fn inputs(&self) -> Vec<Vec<usize>> {
        let mut inputs = vec![Vec::new(); self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            for &target in node.targets.iter().flatten() {
                if inputs[target].last() != Some(&place) {
                    inputs[target].push(place);
                }
            }
        }
        inputs
    }

    /// By node: the places of the nodes that share its input.
    pub(super) fn sharing(&self) -> Vec<Vec<usize>> {
        let mut sharing = vec![Vec::new(); self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            if let Some(source) = node.shares_input_of {
                sharing[source].push(place);
            }
        }
        sharing
    }
}

/// The places of nodes, by name and array index.
#[derive(Default)]
struct Places(HashMap<String, BTreeMap<u32, usize>>);

impl Places {
    fn get(&self, id: &NodeId) -> Option<usize> {
        self.0.get(&id.name)?.get(&id.array_index).copied()
    }

    /// Sets the place of a name; returns its place before.
    fn insert(&mut self, id: &NodeId, place: usize) -> Option<usize> {
        if !self.0.contains_key(&id.name) {
            self.0.insert(id.name.clone(), BTreeMap::new());
        }
        self.0.get_mut(&id.name)?.insert(id.array_index, place)
    }

    /// The nodes that an output reaches, in the order of their indices.
    fn reached(&self, output: &NodeOutput) -> impl Iterator<Item = (u32, usize)> + '_ {
        let last = match output.array_size {
            UNBOUNDED => u32::MAX,
            size => output.id.array_index.saturating_add(size - 1),
        };
        let array = self.0.get(&output.id.name);
        let first = output.id.array_index;
        array
            .into_iter()
            .flat_map(move |array| array.range(first..=last))
            .map(|(&i, &p)| (i, p))
    }
}

/// Builds a graph, or the next version of one.
pub(super) fn build(
    desc: &WorkGraph,
    available: &[Available],
    before: Option<&Graph>,
) -> Result<Graph, Invalid> {
    let mut builder = Builder {
        available,
        first_new: before.map_or(0, |graph| graph.nodes.len()),
        graph: Graph {
            name: desc.name.clone(),
            version: before.map_or(0, |graph| graph.version + 1),
            nodes: before.map_or_else(Vec::new, |graph| graph.nodes.clone()),
        },
        places: Places::default(),
        shaders: Places::default(),
        followed: HashSet::new(),
    };
    for (place, node) in builder.graph.nodes.iter().enumerate() {
        builder.places.insert(&node.id, place);
    }
    for (place, shader) in available.iter().enumerate().rev() {
        builder.shaders.insert(&shader.shader.id, place);
    }
    builder.populate(desc)?;
    builder.connect()?;
    builder.check_sharing()?;
    builder.check_nodes()?;
    builder.check_arrays()?;
    builder.check_depth(before)?;
    builder.assign_local_root_indices()?;
    Ok(builder.graph)
}

/// The launch mode that overrides are for; `None` for any.
fn launch_of(kind: D3D12_NODE_OVERRIDES_TYPE) -> Option<Launch> {
    match kind {
        D3D12_NODE_OVERRIDES_TYPE_BROADCASTING_LAUNCH => Some(Launch::Broadcasting),
        D3D12_NODE_OVERRIDES_TYPE_COALESCING_LAUNCH => Some(Launch::Coalescing),
        D3D12_NODE_OVERRIDES_TYPE_THREAD_LAUNCH => Some(Launch::Thread),
        _ => None,
    }
}

fn refuse<T>(text: String) -> Result<T, Invalid> {
    Err(Invalid::other(text))
}

struct Builder<'a> {
    available: &'a [Available],
    graph: Graph,
    /// The number of nodes of earlier versions.
    first_new: usize,
    /// The nodes, by name.
    places: Places,
    /// The shaders, by name; the first export of several with one name.
    shaders: Places,
    /// The nodes whose outputs `follow` has followed.
    followed: HashSet<usize>,
}

impl Builder<'_> {
    /// Adds the explicit nodes, then the entry points, then, if the graph includes all nodes, the rest. After each node it adds
    /// those that the node leads to.
    fn populate(&mut self, desc: &WorkGraph) -> Result<(), Invalid> {
        for (index, node) in desc.nodes.iter().enumerate() {
            self.add_explicit(node)
                .map_err(|invalid| invalid.at(format!("pExplicitlyDefinedNodes[{index}]")))?;
        }
        for place in self.first_new..self.graph.nodes.len() {
            if self.graph.nodes[place].is_entry {
                self.follow(place)?;
            }
        }
        for (index, id) in desc.entry_points.iter().enumerate() {
            let at = |text: &str| refuse(format!("pEntrypoints[{index}]: node {id} {text}"));
            let place = match self.places.get(id) {
                Some(place) if place < self.first_new => {
                    return at("is one of an earlier version of the graph");
                }
                Some(place) => place,
                None => match self.shaders.get(id) {
                    Some(shader) => self.add_available(shader)?,
                    None => return at("is none that the state object exports"),
                },
            };
            self.graph.nodes[place].is_entry = true;
            self.follow(place)?;
        }
        if desc.flags & D3D12_WORK_GRAPH_FLAG_INCLUDE_ALL_AVAILABLE_NODES != 0 {
            for shader in 0..self.available.len() {
                if self.places.get(&self.available[shader].shader.id).is_none() {
                    let place = self.add_available(shader)?;
                    self.graph.nodes[place].is_included = true;
                    self.follow(place)?;
                }
            }
        }
        Ok(())
    }

    fn add_explicit(&mut self, desc: &ShaderNode) -> Result<usize, Invalid> {
        let name = &desc.shader;
        let Some(found) = self.available.iter().find(|a| a.name == *name) else {
            return refuse(format!("the state object exports no node shader {name}"));
        };
        let shader = &*found.shader;
        let launch = launch_of(desc.overrides_type);
        if launch.is_some() && launch != shader.launch {
            return refuse(format!(
                "OverridesType is not that of the launch mode of {name}; \
                 use D3D12_NODE_OVERRIDES_TYPE_COMMON_COMPUTE or the shader's own mode"
            ));
        }
        let mut node = Node::of(found, self.graph.version)?;
        if let Some(id) = &desc.new_name {
            node.id = id.clone();
        }
        if let Some(index) = desc.local_root_arguments_table_index {
            node.local_root_index = Some(index);
        }
        if let Some(is_entry) = desc.program_entry {
            node.is_entry = is_entry;
        }
        if let Some(source) = &desc.share_input_of {
            // Without a name, the node shares no input.
            node.share_input_of = Some(source.clone()).filter(|source| !source.name.is_empty());
        }
        // Either one makes the shader's own grid one that does not apply.
        if desc.dispatch_grid.is_some() || desc.max_dispatch_grid.is_some() {
            node.dispatch_grid = desc.dispatch_grid;
            node.max_dispatch_grid = desc.max_dispatch_grid;
        }
        let mut seen = HashSet::new();
        for over in &desc.outputs {
            let index = over.output_index;
            let count = node.outputs.len();
            let Some(output) = node.outputs.get_mut(index as usize) else {
                return refuse(format!(
                    "OutputIndex {index} is overridden, but {name} has {count} outputs"
                ));
            };
            if !seen.insert(index) {
                return refuse(format!("OutputIndex {index} is overridden twice"));
            }
            if let Some(id) = &over.new_name {
                output.id = id.clone();
            }
            if let Some(sparse) = over.allow_sparse_nodes {
                if !sparse && output.array_size == UNBOUNDED {
                    return refuse(format!(
                        "output {index} of {name} has no end, so that it must be sparse"
                    ));
                }
                output.sparse = sparse;
            }
            output.budget = match (over.max_records, over.max_records_shared_with_output_index) {
                (None, None) => output.budget,
                (Some(max), None) => Budget::Own(max),
                (None, Some(other)) => Budget::SharedWith(other),
                (Some(_), Some(_)) => {
                    return refuse(format!(
                        "output {index} of {name}: pMaxRecords and \
                         pMaxRecordsSharedWithOutputIndex exclude each other"
                    ));
                }
            };
        }
        self.add(node)
    }

    fn add_available(&mut self, shader: usize) -> Result<usize, Invalid> {
        self.add(Node::of(&self.available[shader], self.graph.version)?)
    }

    fn add(&mut self, node: Node) -> Result<usize, Invalid> {
        let place = self.graph.nodes.len();
        if let Some(before) = self.places.insert(&node.id, place) {
            let what = if before < self.first_new {
                "is in an earlier version of the graph"
            } else {
                "is defined twice"
            };
            return refuse(format!("node {} {what}", node.id));
        }
        self.graph.nodes.push(node);
        Ok(place)
    }

    /// Adds the nodes that a node leads to, depth first, in the order of its outputs.
    fn follow(&mut self, from: usize) -> Result<(), Invalid> {
        /// The nodes still to follow; the last one is next.
        enum Step {
            Node(usize),
            Output(NodeOutput),
            Target(NodeId),
        }
        let mut steps = vec![Step::Node(from)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Node(place) if place < self.first_new || !self.followed.insert(place) => {}
                Step::Node(place) => {
                    let outputs = self.graph.nodes[place].outputs.iter().rev();
                    steps.extend(outputs.cloned().map(Step::Output));
                }
                Step::Output(output) => {
                    let nodes = self.places.reached(&output);
                    let known = nodes.chain(self.shaders.reached(&output));
                    let indices: BTreeSet<_> = known.map(|(index, _)| index).collect();
                    let name = &output.id.name;
                    let target = |index| {
                        Step::Target(NodeId {
                            name: name.clone(),
                            array_index: index,
                        })
                    };
                    steps.extend(indices.into_iter().rev().map(target));
                }
                Step::Target(id) => {
                    let place = match (self.places.get(&id), self.shaders.get(&id)) {
                        (Some(place), _) => place,
                        (None, Some(shader)) => self.add_available(shader)?,
                        (None, None) => continue,
                    };
                    steps.push(Step::Node(place));
                }
            }
        }
        Ok(())
    }

    /// Connects outputs and shared inputs to their nodes.
    fn connect(&mut self) -> Result<(), Invalid> {
        for place in 0..self.graph.nodes.len() {
            let node = &self.graph.nodes[place];
            let mut targets = Vec::new();
            for (index, output) in node.outputs.iter().enumerate() {
                let found: Vec<_> = self
                    .places
                    .reached(output)
                    .map(|(_, place)| place)
                    .collect();
                if !output.sparse && found.len() < output.array_size as usize {
                    let what = match output.array_size {
                        1 => format!("goes to {}, which is not in the graph", output.id),
                        size => format!(
                            "goes to {size} nodes from {} on, of which the graph has {}",
                            output.id,
                            found.len()
                        ),
                    };
                    return refuse(format!(
                        "output {index} of node {} {what}; add the node, rename the output, or \
                         allow sparse nodes",
                        node.id
                    ));
                }
                targets.push(found);
            }
            let mut shares = None;
            if let Some(id) = &node.share_input_of {
                let Some(source) = self.places.get(id) else {
                    return refuse(format!(
                        "node {} shares the input of {id}, which is not in the graph",
                        node.id
                    ));
                };
                shares = Some(source);
            }
            let node = &mut self.graph.nodes[place];
            node.targets = targets;
            node.shares_input_of = shares;
        }
        let targeted = self.targeted();
        for (place, node) in self.graph.nodes.iter_mut().enumerate() {
            if targeted[place] || node.is_entry || node.shares_input_of.is_some() {
                continue;
            }
            if !node.is_included {
                return refuse(format!(
                    "node {} is no entry point, and no other node outputs to it",
                    node.id
                ));
            }
            node.is_entry = true;
        }
        Ok(())
    }

    /// By node: whether another node outputs to it.
    fn targeted(&self) -> Vec<bool> {
        let mut targeted = vec![false; self.graph.nodes.len()];
        for (place, node) in self.graph.nodes.iter().enumerate() {
            for &target in node.targets.iter().flatten() {
                targeted[target] |= target != place;
            }
        }
        targeted
    }

    /// Checks each node by itself, and against the nodes that get what it outputs.
    fn check_nodes(&self) -> Result<(), Invalid> {
        for node in &self.graph.nodes[self.first_new..] {
            check_grids(node)?;
            check_budgets(node)?;
        }
        let sharing = self.graph.sharing();
        let counts: Vec<_> = sharing.iter().map(Vec::len).collect();
        for node in &self.graph.nodes {
            check_output_limits(node, &counts)?;
            for (index, (output, targets)) in node.outputs.iter().zip(&node.targets).enumerate() {
                for &target in targets {
                    for &receiver in iter::once(&target).chain(&sharing[target]) {
                        check_record(node, index, output, &self.graph.nodes[receiver])?;
                    }
                }
            }
            if node.targets_itself() && node.max_recursion == 0 {
                return refuse(format!(
                    "node {} outputs to itself without NodeMaxRecursionDepth",
                    node.id
                ));
            }
        }
        Ok(())
    }

    fn check_sharing(&self) -> Result<(), Invalid> {
        let targeted = self.targeted();
        let all_sharing = self.graph.sharing();
        for (place, node) in self.graph.nodes.iter().enumerate() {
            let sharing = all_sharing[place].len();
            if sharing > 0 && targeted[place] && node.is_entry {
                return refuse(format!(
                    "node {}, whose input is shared, gets it from other nodes as well as from outside",
                    node.id
                ));
            }
            if sharing + 1 > MAX_SHARING {
                return refuse(format!(
                    "{} nodes share the input of node {}, {MAX_SHARING} is the limit",
                    sharing + 1,
                    node.id
                ));
            }
            let Some(source) = node.shares_input_of else {
                continue;
            };
            let why = self.why_not_share(place, source, targeted[place]);
            if let Some(why) = why {
                let of = &self.graph.nodes[source].id;
                return refuse(format!(
                    "node {} cannot share the input of {of}: {why}",
                    node.id
                ));
            }
        }
        Ok(())
    }

    fn why_not_share(
        &self,
        place: usize,
        source: usize,
        is_targeted: bool,
    ) -> Option<&'static str> {
        let (node, of) = (&self.graph.nodes[place], &self.graph.nodes[source]);
        let same_record = |a: &Node, b: &Node| {
            let grids = [a, b].map(Node::grid_of_record);
            (a.input.record_size, a.input.flags & EMPTY_RECORD)
                == (b.input.record_size, b.input.flags & EMPTY_RECORD)
                && (grids.contains(&None) || grids[0] == grids[1])
        };
        Some(if place == source {
            "it is the same node"
        } else if place >= self.first_new && source < self.first_new {
            "that node is in an earlier version of the graph"
        } else if of.shares_input_of.is_some() {
            "that node shares the input of another one"
        } else if node.targets_itself() {
            "it recurses"
        } else if of.targets_itself() {
            "that node recurses"
        } else if is_targeted {
            "another node outputs to it"
        } else if node.is_entry {
            "it is an entry point"
        } else if (node.input.flags | of.input.flags) & READ_WRITE != 0 {
            "the input can be written"
        } else if !same_record(node, of) {
            "their records differ"
        } else {
            return None;
        })
    }

    /// Checks nodes of the same name against each other.
    fn check_arrays(&self) -> Result<(), Invalid> {
        let mut first: HashMap<&str, &Node> = HashMap::new();
        let mut slots: HashMap<&str, u64> = HashMap::new();
        let mut recursion = 0_u64;
        for node in &self.graph.nodes {
            let slot = slots.entry(&node.id.name).or_default();
            *slot = (*slot).max(u64::from(node.id.array_index) + 1);
            recursion += u64::from(node.max_recursion);
            let other = *first.entry(&node.id.name).or_insert(node);
            let difference = if node.launch != other.launch {
                "launch mode"
            } else if node.input.record_size != other.input.record_size {
                "size of an input record"
            } else if (node.input.flags ^ other.input.flags) & (READ_WRITE | EMPTY_RECORD) != 0 {
                "access to its input"
            } else {
                continue;
            };
            return refuse(format!(
                "nodes {} and {}, of one array, differ in the {difference}",
                other.id, node.id
            ));
        }
        let nodes = slots.values().sum::<u64>() + recursion;
        if nodes > MAX_NODES {
            return refuse(format!(
                "node indices and recursion depths come to {nodes}, {MAX_NODES} is the limit"
            ));
        }
        Ok(())
    }

    fn check_depth(&self, before: Option<&Graph>) -> Result<(), Invalid> {
        let depths = depths(&self.graph)?;
        if let Some((name, depth)) = depths.iter().find(|(_, depth)| **depth > MAX_DEPTH) {
            return refuse(format!(
                "node {name} is {depth} nodes deep in the graph, {MAX_DEPTH} is the limit"
            ));
        }
        let Some(before) = before else {
            return Ok(());
        };
        for (name, depth) in self::depths(before)? {
            let now = depths.get(name).copied().unwrap_or_default();
            if now > depth {
                return refuse(format!(
                    "the addition puts node {name} of an earlier version of the graph at a depth of \
                     {now} instead of {depth}"
                ));
            }
        }
        Ok(())
    }

    /// Gives nodes with a local root signature and without an index the first free ones. Explicit indices stay.
    fn assign_local_root_indices(&mut self) -> Result<(), Invalid> {
        let mut taken: BTreeMap<u32, usize> = BTreeMap::new();
        for (place, node) in self.graph.nodes.iter_mut().enumerate() {
            node.local_root_index = node.local_root_index.filter(|&index| index != AUTOMATIC);
            if let Some(index) = node.local_root_index {
                taken.entry(index).or_insert(place);
            }
        }
        for (&index, &owner) in &taken {
            let owner = &self.graph.nodes[owner];
            let differs = |node: &&Node| {
                node.local_root_index == Some(index)
                    && node.local_root_signature != owner.local_root_signature
            };
            if let Some(node) = self.graph.nodes.iter().find(differs) {
                return refuse(format!(
                    "nodes {} and {} have entry {index} of the local root arguments table, but \
                     different local root signatures",
                    owner.id, node.id
                ));
            }
        }
        let mut next = (0..AUTOMATIC).filter(|index| !taken.contains_key(index));
        for node in &mut self.graph.nodes[self.first_new..] {
            if node.local_root_signature.is_some() && node.local_root_index.is_none() {
                node.local_root_index = next.next();
            }
        }
        Ok(())
    }
}

impl Node {
    fn of(available: &Available, version: u32) -> Result<Self, Invalid> {
        let shader = &*available.shader;
        let Some(launch) = shader.launch else {
            let name = &available.name;
            return refuse(format!("the launch mode of node shader {name} is unknown"));
        };
        Ok(Self {
            id: shader.id.clone(),
            shader: available.name.clone(),
            version,
            launch,
            is_entry: shader.is_entry,
            input: shader.input.clone(),
            group_shared: shader.group_shared,
            max_recursion: shader.max_recursion,
            local_root_index: shader.local_root_index,
            local_root_signature: available.local_root_signature.clone(),
            shares_input_of: None,
            share_input_of: shader.share_input_of.clone(),
            dispatch_grid: shader.dispatch_grid,
            max_dispatch_grid: shader.max_dispatch_grid,
            outputs: shader.outputs.clone(),
            targets: Vec::new(),
            is_included: false,
        })
    }
}

fn check_grids(node: &Node) -> Result<(), Invalid> {
    let id = &node.id;
    let in_record = node.input.record_grid.is_some();
    let why = match (node.launch, node.dispatch_grid, node.max_dispatch_grid) {
        (Launch::Broadcasting, Some(_), None)
        | (Launch::Coalescing | Launch::Thread, None, None) => None,
        (Launch::Broadcasting, None, Some(_)) if in_record => None,
        (Launch::Broadcasting, None, _) if in_record => Some(
            "has no dispatch grid: it needs NodeMaxDispatchGrid for the SV_DispatchGrid in its record, or \
             NodeDispatchGrid",
        ),
        (Launch::Broadcasting, None, _) => {
            Some("has no SV_DispatchGrid in its record, so it needs NodeDispatchGrid")
        }
        (Launch::Broadcasting, Some(_), Some(_)) => {
            Some("has NodeDispatchGrid and NodeMaxDispatchGrid, which exclude each other")
        }
        _ => Some("has a dispatch grid, but is no broadcasting launch node"),
    };
    if let Some(why) = why {
        return refuse(format!("node {id} {why}"));
    }
    for grid in [node.dispatch_grid, node.max_dispatch_grid]
        .into_iter()
        .flatten()
    {
        let groups = grid.iter().map(|&side| u64::from(side)).product::<u64>();
        if grid.iter().any(|&side| side > MAX_GRID_SIDE) || groups > MAX_GRID {
            return refuse(format!(
                "node {id}: a dispatch grid of {grid:?} is over the limit of {MAX_GRID_SIDE} a side \
                 and {MAX_GRID} in all"
            ));
        }
    }
    Ok(())
}

fn check_budgets(node: &Node) -> Result<(), Invalid> {
    if node.outputs.len() > MAX_OUTPUTS {
        return refuse(format!(
            "node {} has {} outputs, {MAX_OUTPUTS} is the limit",
            node.id,
            node.outputs.len()
        ));
    }
    for (index, output) in node.outputs.iter().enumerate() {
        let Budget::SharedWith(other) = output.budget else {
            continue;
        };
        let owner = node.outputs.get(other as usize).map(|owner| owner.budget);
        if !matches!(owner, Some(Budget::Own(_))) {
            return refuse(format!(
                "output {index} of node {} shares the records of output {other}, which has none of \
                 its own",
                node.id
            ));
        }
    }
    Ok(())
}

/// Checks the storage for the records that a group outputs. `sharing` has the number of nodes that share the input of each
/// node.
fn check_output_limits(node: &Node, sharing: &[usize]) -> Result<(), Invalid> {
    let over = |what: &str, value: u64, limit: u64| -> Result<(), Invalid> {
        if value <= limit {
            return Ok(());
        }
        refuse(format!(
            "node {}: {what} are {value}, {limit} is the limit",
            node.id
        ))
    };
    over(
        "bytes of group-shared memory",
        node.group_shared.into(),
        MAX_GROUP_SHARED,
    )?;
    let (mut records, mut tracked, mut bytes) = (0_u64, 0_u64, 0_u64);
    for (index, output) in node.outputs.iter().enumerate() {
        let Budget::Own(max) = output.budget else {
            continue;
        };
        // Outputs that share a budget cost as much as the most expensive of them.
        let shares = |(other, o): &(usize, &NodeOutput)| {
            *other == index || o.budget == Budget::SharedWith(u32::try_from(index).unwrap_or(0))
        };
        let (mut copies, mut size, mut is_tracked) = (0_u64, 0_u64, false);
        for (other, output) in node.outputs.iter().enumerate().filter(shares) {
            if output.flags & EMPTY_RECORD != 0 {
                continue;
            }
            let sharers = |&target: &usize| 1 + sharing[target] as u64;
            let times = node.targets[other].iter().map(sharers).max().unwrap_or(1);
            copies = copies.max(times);
            size = size.max(times.saturating_mul(output.record_size.into()));
            is_tracked |= output.flags & TRACK_RW_INPUT_SHARING != 0;
        }
        let max = u64::from(max);
        let cost = max.saturating_mul(copies);
        records = records.saturating_add(cost);
        bytes = bytes.saturating_add(max.saturating_mul(size));
        tracked = tracked.saturating_add(if is_tracked { cost } else { 0 });
    }
    if node.launch == Launch::Thread {
        over("output records", records, MAX_THREAD_RECORDS)?;
        return over("bytes of output records", bytes, MAX_THREAD_OUTPUT_BYTES);
    }
    over("output records", records, MAX_RECORDS)?;
    let limit = MAX_OUTPUT_BYTES.saturating_sub(tracked.saturating_mul(4));
    over("bytes of output records", bytes, limit)?;
    // Each of the three is below its own limit.
    let all = bytes + u64::from(node.group_shared) + 8 * records;
    over(
        "bytes of output records, group-shared memory and bookkeeping",
        all,
        MAX_GROUP_BYTES,
    )
}

/// Checks that the output of a node fits the input of another.
fn check_record(
    node: &Node,
    index: usize,
    output: &NodeOutput,
    target: &Node,
) -> Result<(), Invalid> {
    let input = &target.input;
    let why = if output.flags & EMPTY_RECORD != input.flags & EMPTY_RECORD {
        "one of them is empty, the other not".to_owned()
    } else if output.record_size != input.record_size {
        format!(
            "records have {} and {} bytes",
            output.record_size, input.record_size
        )
    } else if target.grid_of_record().is_some() && output.record_grid != input.record_grid {
        "SV_DispatchGrid is not in the same place".to_owned()
    } else if input.flags & !output.flags & TRACK_RW_INPUT_SHARING != 0 {
        "only the input has NodeTrackRWInputSharing".to_owned()
    } else {
        return Ok(());
    };
    refuse(format!(
        "output {index} of node {} does not fit the input of node {}: {why}",
        node.id, target.id
    ))
}

/// The depth of each name in the graph: the length of the longest chain that ends there. All nodes of an array have the depth
/// of the deepest.
fn depths(graph: &Graph) -> Result<BTreeMap<&str, u32>, Invalid> {
    let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut lengths: BTreeMap<&str, u32> = BTreeMap::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let name = &*node.id.name;
        let length = if node.targets_itself() {
            node.max_recursion
        } else {
            1
        };
        let longest = lengths.entry(name).or_insert(1);
        *longest = length.max(*longest);
        let to = edges.entry(name).or_default();
        for &target in node
            .targets
            .iter()
            .flatten()
            .filter(|&&target| target != place)
        {
            let target = &graph.nodes[target].id;
            if target.name == name {
                return refuse(format!(
                    "node {} outputs to node {target} of the same array",
                    node.id
                ));
            }
            to.push(&target.name);
        }
    }
    for to in edges.values_mut() {
        to.sort_unstable();
        to.dedup();
    }
    let mut waiting: BTreeMap<&str, usize> = edges.keys().map(|&name| (name, 0)).collect();
    for to in edges.values().flatten() {
        *waiting.entry(to).or_default() += 1;
    }
    let mut depths: BTreeMap<&str, u32> = lengths.clone();
    let mut ready: Vec<&str> = (waiting.iter())
        .filter(|(_, n)| **n == 0)
        .map(|(n, _)| *n)
        .collect();
    while let Some(name) = ready.pop() {
        waiting.remove(name);
        for &to in &edges[name] {
            let through = depths[name].saturating_add(lengths[to]);
            let depth = depths.entry(to).or_default();
            *depth = through.max(*depth);
            if let Some(count) = waiting.get_mut(to) {
                *count -= 1;
                if *count == 0 {
                    ready.push(to);
                }
            }
        }
    }
    match waiting.keys().next() {
        None => Ok(depths),
        Some(name) => refuse(format!(
            "node {name} is part of a cycle, or behind one; only a node that outputs to itself may \
             recurse"
        )),
    }
}

#[cfg(test)]
mod tests;
