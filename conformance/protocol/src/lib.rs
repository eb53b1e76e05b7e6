//! What the processes of the conformance suite say to each other: a runner to the children that make the tests, a child by the
//! [`journal`] that it writes, and the checking plugin by its [`record`] of its host.

pub mod build;
pub mod calls;
pub mod corpus;
pub mod death;
pub mod debugger;
mod fault_plan;
pub mod journal;
pub mod layer;
mod path;
pub mod record;
mod request;
mod settings;

pub use fault_plan::{Answer, Fault, FaultPlan, FaultPlanError, On, Which};
pub use request::{ProcessChange, Request, Task};
pub use settings::{Set, Settings};
