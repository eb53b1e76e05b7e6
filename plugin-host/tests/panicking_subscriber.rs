//! A log subscriber that panics takes nothing from the plugin: what was made is destroyed.
//!
//! One test in a process of its own: where other threads log without a subscriber, the log may be
//! taken for unwanted on all threads.

#![allow(
    clippy::wildcard_imports,
    reason = "the DDI's names are C's, with their prefix"
)]

use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Zeroable;
use ddi_sys::*;
use plugin_host::session::{MemoryCache, SessionScope, callbacks};
use plugin_host::{CallError, Open, Plugin};
use plugin_host_test_support::{self as scripted, Script, application, take_log, target};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

const TYPES: D3D12DDI_COMPILER_VALUE_TYPE_FLAGS =
    D3D12DDI_COMPILER_CACHE_VALUE_TYPE_FLAG_OBJECT_CODE;

/// Panics when it first hears of the call: a second panic while the first unwinds would be an abort.
struct PanicsAt {
    call: &'static str,
    armed: AtomicBool,
}

/// The call that an event is about.
#[derive(Default)]
struct Call(String);

impl Visit for Call {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "call" {
            write!(self.0, "{value:?}").unwrap();
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "call" {
            self.0.push_str(value);
        }
    }
}

impl Subscriber for PanicsAt {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut call = Call::default();
        event.record(&mut call);
        if call.0 == self.call {
            let armed = self.armed.swap(false, Ordering::Relaxed);
            assert!(!armed, "as the test wants it");
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn panics_at<T>(call: &'static str, body: impl FnOnce() -> T) {
    let armed = AtomicBool::new(true);
    let result = tracing::subscriber::with_default(PanicsAt { call, armed }, || {
        catch_unwind(AssertUnwindSafe(body)).map(drop)
    });
    assert!(result.is_err(), "nobody hears of {call}");
}

/// Opens, compiles, adds, and drops everything.
fn everything() -> Result<(), CallError> {
    let plugin = Plugin::open(&scripted::library(Script::default())).unwrap();
    let compiler = plugin.create_compiler(target(&plugin), &application())?;
    let scope = || SessionScope::new(Arc::new(MemoryCache::default()));
    let arg = Zeroable::zeroed();
    // SAFETY: no subobjects, and the scripted plugin does not keep the argument.
    let (object, _) = unsafe { compiler.create_state_object(scope(), TYPES, &arg) }?;
    // SAFETY: `object` lives; `arg` has no subobjects, and the scripted plugin does not keep it.
    unsafe { object.add_to(scope(), TYPES, &arg) }.map(drop)
}

#[test]
fn a_panicking_subscriber_takes_nothing_from_the_plugin() {
    what_was_made_is_destroyed();
    the_callbacks_that_the_plugin_has_stay();
}

fn what_was_made_is_destroyed() {
    for (call, destroyed) in [
        ("D3D12OpenCompilerDDI", 1),
        ("pfnSetCallbackDDITable(CACHE)", 1),
        ("pfnCreateCompiler", 2),
        ("pfnCompileCreateStateObject", 3),
        ("pfnCompileAddToStateObject", 4),
        ("pfnDestroyStateObject", 4),
        ("pfnDestroyCopiler", 4),
        ("pfnDestroyCompilerDDI", 4),
    ] {
        panics_at(call, everything);
        let log = take_log();
        let count = log.iter().filter(|call| call.contains("Destroy")).count();
        assert_eq!(count, destroyed, "{call}: {log:?}");
    }
}

fn the_callbacks_that_the_plugin_has_stay() {
    let library = scripted::library(Script::default());
    let mut open = Open::new(&library).unwrap();
    panics_at("pfnSetCallbackDDITable(CACHE)", || {
        // SAFETY: the host's functions; the scripted plugin stands any order.
        unsafe { open.set_cache_callbacks(callbacks()) }
    });
    // Were the table freed, these would take its place.
    let zeros: Vec<Box<[usize; 5]>> = (0..64).map(|_| Box::new([0; 5])).collect();
    // SAFETY: `open` keeps the table.
    let kept = unsafe { scripted::callbacks() };
    assert!(kept.pfnCompilerCacheFindValue.is_some());
    drop((zeros, open));
}
