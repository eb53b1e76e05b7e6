//! The structures of both DDIs, described once: the compiler plugin DDI, and the usermode DDI around it.
//!
//! The table says of every structure of `ddi-sys` what its members are: numbers and what they mean, handles, pointers and how
//! much they lead to, unions and what decides them. On it stand:
//!
//! | | |
//! |---|---|
//! | [`Copier`] | copies a description from memory, which may be anything, with all that it leads to |
//! | [`Graph`] | the description, owned: [`set`](Graph::set), [`put`](Graph::put), [`make`](Graph::make) build and change it, part by part |
//! | [`Graph::place`] | lays it out in memory, by a [`Layout`] |
//! | [`Graph::difference`] | compares it with another one |
//! | [`Graph::lines`], [`to_json`] | print it |
//! | [`Graph::flaws`] | what no description can have |
//! | [`Graph::parts`], [`Graph::changes`] | its parts, and every change of one of them |
//!
//! ```
//! use ddi_schema::{Counts, Graph, Layout, Described};
//! use ddi_sys::*;
//!
//! let mut graph = Graph::zeroed(D3D12DDIARG_CREATE_PIPELINE_STATE_0099::TYPE);
//! graph.make("hBlendState").unwrap();
//! graph.set("hBlendState.RenderTarget[3].BlendOp", D3D12DDI_BLEND_OP_MAX.0).unwrap();
//! let placed = graph.place(&Layout::HEAP).unwrap();
//! // SAFETY: a description that lives.
//! let desc = unsafe { &*placed.ptr::<D3D12DDIARG_CREATE_PIPELINE_STATE_0099>() };
//! assert_eq!(Graph::copy(desc).difference(&graph, Counts::Content), None);
//! ```

mod array;
mod change;
mod compare;
mod copy;
mod edit;
mod flaw;
mod graph;
pub mod guard;
pub mod memory;
mod path;
mod place;
mod print;
mod settle;
mod table;
mod types;

pub use change::{Change, NumberRole, Part, PartKind};
pub use compare::{Counts, Difference};
pub use copy::Copier;
pub use edit::{EditError, New};
pub use flaw::{Flaw, What};
pub use graph::{Block, Content, Graph, Pointer, Reading, Value};
pub use path::{Path, Step};
pub use place::{Image, Layout, Order, Pages, Piece, Placed};
pub use print::{from_json, named, to_json};
pub use table::{Described, Member, shader};
pub use types::{
    Arm, Count, Enumerators, Field, Item, Kind, Meaning, Number, Role, Target, Test, Type, Way,
    When,
};
