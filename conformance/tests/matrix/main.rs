//! The rules, on libraries that break them one at a time and on libraries that keep them all.

#[path = "../support/mod.rs"]
mod support;

mod driver;
mod good_plugins;
mod plugin;
mod runtime;
