//! Makes the calls of one process of a trace again.

use std::io;
use std::path::Path;

use conformance_protocol::Request;
use conformance_protocol::journal::Journal;
use ddi_trace::Trace;
use plugin_host::Library;

use crate::plugin::linked_in;

/// Makes the calls of a process of the request's trace, and answers each step.
pub(crate) fn replay(request: &Request, process: &str, journal: &Journal) -> io::Result<()> {
    let trace = request.trace.as_deref().unwrap_or(Path::new(""));
    let trace = Trace::read_process(trace, process).map_err(io::Error::other)?;
    let [process] = &trace.processes[..] else {
        return Err(io::Error::other("the trace has no such process"));
    };
    let entry = match &request.plugin {
        None => linked_in::entry_point(),
        Some(plugin) => {
            // SAFETY: what the library does when it is loaded it does in this process, which exists for it.
            let library = unsafe { Library::load(plugin) }.map_err(io::Error::other)?;
            let entry = library.entry_point();
            std::mem::forget(library);
            entry
        }
    };
    // SAFETY: a host that broke the DDI breaks it again, in this process, which exists for it.
    unsafe { ddi_trace::replay(process, entry, |step| journal.answer(&step)) };
    Ok(())
}
