//! The tool and its library, on plugins, runtimes and drivers that are good, broken or worse.

#[path = "../support/mod.rs"]
mod support;

mod c_api;
mod cli;
mod corpus;
mod cpp_sdk;
mod faults;
mod journal;
mod package;
mod paths;
mod reports;
mod rules_page;
mod runner;
mod selftest;
mod trace;
mod upgrade_check;
