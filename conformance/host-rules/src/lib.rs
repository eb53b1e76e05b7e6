//! What the checking plugin and the suite share: the [`Rule`] type, the rules of [`host`]s, and the
//! [`record`] that the plugin writes and the suite reads.
//!
//! The rules of hosts are here and not beside their tests, as the plugin, which names the rule that its
//! host broke, cannot have the suite linked in.

pub mod host;
pub mod record;
mod rule;

pub use rule::{Level, Party, Rule, Text};
