//! Copies of work graphs: nodes that point at each other.

use std::ptr;

use ddi_sys::{
    D3D12DDI_NODE_0108, D3D12DDI_NODE_ID_0108, D3D12DDI_NODE_LIST_ENTRY_0108,
    D3D12DDI_NODE_OUTPUT_0108, D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108,
    D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108, D3D12DDI_NODE_TYPE_SHADER_0108,
    D3D12DDI_SHADER_NODE_0108, D3D12DDI_WORK_GRAPH_DESC_0108, UINT,
};
use plugin_sdk::desc::{DescError, reading};

use super::Copier;
use crate::boundary::Result;

/// More entries than the lists of a graph can have, so that a list without an end ends.
const MAX_ENTRIES: usize = 1 << 20;

impl Copier {
    /// # Safety
    ///
    /// Everything that the graph points at is valid.
    pub(super) unsafe fn work_graph(
        &mut self,
        graph: &D3D12DDI_WORK_GRAPH_DESC_0108,
    ) -> Result<D3D12DDI_WORK_GRAPH_DESC_0108> {
        let mut copy = *graph;
        // SAFETY: name and lists are valid (`# Safety`).
        unsafe {
            copy.ProgramName = self.text("ProgramName", graph.ProgramName)?;
            copy.pNodes = self.nodes("pNodes", graph.pNodes)?;
            copy.pEntrypoints = self.nodes("pEntrypoints", graph.pEntrypoints)?;
            // One after the other: a graph may be deep.
            while let Some(node) = self.unfinished.pop() {
                self.finish(&mut *node)?;
            }
        }
        Ok(copy)
    }

    /// # Safety
    ///
    /// The list and its nodes are valid.
    unsafe fn nodes(
        &mut self,
        what: &'static str,
        mut entry: *mut D3D12DDI_NODE_LIST_ENTRY_0108,
    ) -> Result<*mut D3D12DDI_NODE_LIST_ENTRY_0108> {
        let mut nodes = Vec::new();
        // SAFETY: each entry and its node is valid (`# Safety`).
        unsafe {
            while let Some(current) = reading::optional(what, entry.cast_const())? {
                if self.entries == MAX_ENTRIES {
                    let count = 1 << 20;
                    return Err(DescError::EndlessList { what, count }.into());
                }
                self.entries += 1;
                reading::required("pNode", current.pNode.cast_const())?;
                nodes.push(self.node("pNode", current.pNode)?);
                entry = current.pNext;
            }
        }
        // From the last on: each copy points at the next.
        let mut next = ptr::null_mut();
        for &node in nodes.iter().rev() {
            next = self.arena.put(D3D12DDI_NODE_LIST_ENTRY_0108 {
                pNode: node,
                pNext: next,
            });
        }
        Ok(next)
    }

    /// The copy of a node, made now or before.
    ///
    /// # Safety
    ///
    /// The node is null or valid.
    unsafe fn node(
        &mut self,
        what: &'static str,
        node: *const D3D12DDI_NODE_0108,
    ) -> Result<*mut D3D12DDI_NODE_0108> {
        if let Some(copy) = self.nodes.get(&node.addr()) {
            return Ok(*copy);
        }
        // SAFETY: the node is null or valid (`# Safety`).
        let copy = unsafe { self.optional(what, node) }?;
        if !copy.is_null() {
            self.nodes.insert(node.addr(), copy);
            self.unfinished.push(copy);
        }
        Ok(copy)
    }

    /// Lets a copy point at copies.
    ///
    /// # Safety
    ///
    /// What it points at is valid.
    unsafe fn finish(&mut self, node: &mut D3D12DDI_NODE_0108) -> Result<()> {
        /// The members that the structures of all launch modes have.
        macro_rules! launch {
            ($shader:ident, $what:literal, $arm:ident $(, $copy:ident $rest:ident)*) => {{
                let mut p = *reading::required($what, $shader.Anonymous.$arm)?;
                self.id(&mut p.FinalName)?;
                p.pLocalRootArgumentsTableIndex = self.optional(
                    "pLocalRootArgumentsTableIndex",
                    p.pLocalRootArgumentsTableIndex,
                )?;
                p.pShareInputOfNode = self.node("pShareInputOfNode", p.pShareInputOfNode)?;
                p.pInputNodes = self.nodes("pInputNodes", p.pInputNodes)?;
                p.pNodesSharingInputWithThisNode = self.nodes(
                    "pNodesSharingInputWithThisNode",
                    p.pNodesSharingInputWithThisNode,
                )?;
                p.pOutputs = self.outputs(p.pOutputs, p.NumOutputs)?;
                $(p.$rest = self.$copy(stringify!($rest), p.$rest)?;)*
                $shader.Anonymous.$arm = self.arena.put(p);
            }};
        }
        if node.NodeType != D3D12DDI_NODE_TYPE_SHADER_0108 {
            return Ok(());
        }
        // SAFETY: `NodeType` says that the shader arm is set, `PropertiesType` which of its arms; what they
        // point at is valid (`# Safety`).
        unsafe {
            let shader: &mut D3D12DDI_SHADER_NODE_0108 = &mut node.Anonymous.Shader;
            shader.Shader = self.text("Shader", shader.Shader)?;
            match shader.PropertiesType {
                D3D12DDI_NODE_PROPERTIES_TYPE_BROADCASTING_LAUNCH_0108 => launch!(
                    shader,
                    "pBroadcastingLaunchNodeProperties",
                    pBroadcastingLaunchNodeProperties,
                    grid pDispatchGrid,
                    grid pMaxDispatchGrid,
                    optional pRecordDispatchGrid
                ),
                D3D12DDI_NODE_PROPERTIES_TYPE_COALESCING_LAUNCH_0108 => launch!(
                    shader,
                    "pCoalescingLaunchNodeProperties",
                    pCoalescingLaunchNodeProperties
                ),
                D3D12DDI_NODE_PROPERTIES_TYPE_THREAD_LAUNCH_0108 => launch!(
                    shader,
                    "pThreadLaunchNodeProperties",
                    pThreadLaunchNodeProperties
                ),
                // What a mode that the DDI does not define points at is unknown.
                _ => {
                    shader.Anonymous.pThreadLaunchNodeProperties = ptr::null();
                }
            }
        }
        Ok(())
    }

    /// # Safety
    ///
    /// The name is valid.
    unsafe fn id(&mut self, id: &mut D3D12DDI_NODE_ID_0108) -> Result<()> {
        // SAFETY: the name is null or ends with a NUL (`# Safety`).
        id.Name = unsafe { self.text("FinalName.Name", id.Name) }?;
        Ok(())
    }

    /// # Safety
    ///
    /// The pointer is null or to three numbers.
    unsafe fn grid(&mut self, what: &'static str, grid: *const UINT) -> Result<*const UINT> {
        // SAFETY: `grid` is null or to three numbers, as an array has them (`# Safety`).
        Ok(unsafe { self.optional(what, grid.cast::<[UINT; 3]>()) }?
            .cast_const()
            .cast())
    }

    /// # Safety
    ///
    /// The outputs, and what they point at, are valid.
    unsafe fn outputs(
        &mut self,
        outputs: *const D3D12DDI_NODE_OUTPUT_0108,
        count: UINT,
    ) -> Result<*const D3D12DDI_NODE_OUTPUT_0108> {
        // SAFETY: there are `count` outputs, valid with what they point at (`# Safety`).
        unsafe {
            let mut outputs = reading::array("pOutputs", outputs, count)?.to_vec();
            for output in &mut outputs {
                self.id(&mut output.FinalName)?;
                output.pRecordDispatchGrid =
                    self.optional("pRecordDispatchGrid", output.pRecordDispatchGrid)?;
                output.pMaxRecords = self.optional("pMaxRecords", output.pMaxRecords)?;
                output.pMaxRecordsSharedWithOutputIndex = self.optional(
                    "pMaxRecordsSharedWithOutputIndex",
                    output.pMaxRecordsSharedWithOutputIndex,
                )?;
                output.pOutputs = self.nodes("pOutputs", output.pOutputs)?;
            }
            Ok(self.arena.array(&outputs))
        }
    }
}
