//! P-TBL: the function tables.

use crate::fault::{Watch, watched};
use crate::function_table::FilledTable;
use crate::memory::{Guarded, Place};
use crate::subject::{Open, Subject};
use crate::verdict::{Outcome, Stop, broken, ensure, failure};
use ddi_sys::{
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_TABLE_TYPE,
    D3D12DDI_COMPILER_TABLE_TYPE_MAX, E_INVALIDARG,
};

type CapabilitiesTable = D3D12DDI_COMPILER_CAPABILITIES_FUNCS;
type CompilerTable = D3D12DDI_COMPILER_FUNCS;

/// An open with a selected version.
fn selected(subject: &Subject) -> Result<Open, Stop> {
    let open = subject.open()?;
    open.select()?;
    Ok(open)
}

pub(crate) fn fills_capabilities(subject: &Subject) -> Outcome {
    fills::<CapabilitiesTable>(subject)
}

pub(crate) fn fills_compiler(subject: &Subject) -> Outcome {
    fills::<CompilerTable>(subject)
}

/// Fills over zeros and over something else: an entry that is left out is null in the one, and what
/// was there before in the other.
fn fills<T: FilledTable>(subject: &Subject) -> Outcome {
    const JUNK: u8 = 0x5A;
    let (word, name, size) = (T::WORD, T::NAME, size_of::<T>());
    let open = selected(subject)?;
    for fill in [0, JUNK] {
        let memory = Guarded::new(size, align_of::<T>(), Place::Roomy, fill)?;
        subject.at(format!("pfnFillDDITable({word})"));
        let result = open.fill_ddi_table(T::TYPE, Some(&memory), size);
        ensure!(
            result.is_ok(),
            call: "pfnFillDDITable({word}, size {size})",
            expected: "success and a filled {name}",
            got: "returned {result}",
        );
        let blank = usize::from_ne_bytes([fill; size_of::<usize>()]);
        for (entry, address) in memory.get::<T>().entries() {
            ensure!(
                address != 0,
                call: "pfnFillDDITable({word}, size {size})",
                expected: "no entry of {name} null",
                got: "{entry} is null",
            );
            ensure!(
                address != blank,
                call: "pfnFillDDITable({word}, size {size})",
                expected: "every entry of {name} written",
                got: "{entry} is what it was before",
            );
        }
    }
    Ok(())
}

pub(crate) fn refuses_unknown_types(subject: &Subject) -> Outcome {
    const SIZE: usize = 256;
    let open = selected(subject)?;
    let sizes = [
        SIZE,
        size_of::<CapabilitiesTable>(),
        size_of::<CompilerTable>(),
    ];
    for number in [
        D3D12DDI_COMPILER_TABLE_TYPE_MAX.0,
        3,
        i32::MAX,
        i32::MIN,
        -1,
    ] {
        // A size that suits a real table must not make an unknown type one; and clearing the memory
        // is writing, too.
        for (size, fill) in sizes
            .into_iter()
            .flat_map(|size| [(size, 0x00), (size, 0x5A)])
        {
            let memory = Guarded::new(SIZE, align_of::<CompilerTable>(), Place::Roomy, fill)?;
            subject.at(format!("pfnFillDDITable({number})"));
            let unknown = D3D12DDI_COMPILER_TABLE_TYPE(number);
            let result = open.fill_ddi_table(unknown, Some(&memory), size);
            ensure!(
                !result.is_ok(),
                call: "pfnFillDDITable(table type {number}, size {size})",
                expected: "a failure, as there is no such table",
                got: "returned {result}",
            );
            if let Some(at) = memory.bytes().iter().position(|byte| *byte != fill) {
                broken!(
                    call: "pfnFillDDITable(table type {number}, size {size})",
                    expected: "nothing written, as there is no such table",
                    got: "returned {result}, but byte {at} was written",
                );
            }
        }
    }
    Ok(())
}

pub(crate) fn stays_within_the_size(subject: &Subject) -> Outcome {
    stays_within::<CapabilitiesTable>(subject)?;
    stays_within::<CompilerTable>(subject)
}

fn stays_within<T: FilledTable>(subject: &Subject) -> Outcome {
    let (word, full) = (T::WORD, size_of::<T>());
    let open = selected(subject)?;
    for size in [
        full,
        full - 1,
        full - size_of::<usize>(),
        size_of::<usize>(),
        1,
        0,
    ] {
        // pTable may be read, so a table of no size lies where one byte can be.
        let places = if size == 0 {
            [Place::Roomy; 2]
        } else {
            Place::TIGHT
        };
        for place in places {
            let memory = Guarded::new(size, align_of::<T>(), place, 0)?;
            let past = failure!(
                call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes",
                expected: "nothing written outside of the {size} bytes",
                got: "memory outside was touched",
            );
            subject.at(format!("pfnFillDDITable({word}, size {size})"));
            let watch = Watch::new(memory.all_addresses(), past.clone());
            let result = watched(vec![watch], || {
                open.fill_ddi_table(T::TYPE, Some(&memory), size)
            });
            if memory.stray().is_some() {
                return Err(Stop::Broken(past));
            }
            ensure!(
                size == full || !result.is_ok(),
                call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes",
                expected: "a failure, as the table does not fit",
                got: "returned {result}",
            );
        }
    }
    Ok(())
}

pub(crate) fn accepts_a_larger_size(subject: &Subject) -> Outcome {
    larger::<CapabilitiesTable>(subject)?;
    larger::<CompilerTable>(subject)
}

fn larger<T: FilledTable>(subject: &Subject) -> Outcome {
    const FILL: u8 = 0x5A;
    let open = selected(subject)?;
    open.table::<T>()?;
    let (word, full, size) = (T::WORD, size_of::<T>(), size_of::<T>() + 64);
    let memory = Guarded::new(size, align_of::<T>(), Place::Roomy, FILL)?;
    subject.at(format!("pfnFillDDITable({word}, size {size})"));
    let result = open.fill_ddi_table(T::TYPE, Some(&memory), size);
    ensure!(
        result.is_ok(),
        call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes",
        expected: "success",
        got: "returned {result}",
    );
    let blank = usize::from_ne_bytes([FILL; size_of::<usize>()]);
    for (entry, address) in memory.get::<T>().entries() {
        ensure!(
            address != 0 && address != blank,
            call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes",
            expected: "every entry that a table of {full} bytes has",
            got: "no {entry}",
        );
    }
    if let Some(at) = memory.bytes()[full..].iter().position(|byte| *byte != FILL) {
        broken!(
            call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes",
            expected: "nothing written behind the table",
            got: "byte {at} behind it was written",
        );
    }
    Ok(())
}

pub(crate) fn refuses_null(subject: &Subject) -> Outcome {
    let open = selected(subject)?;
    let tables = [
        (
            CapabilitiesTable::WORD,
            CapabilitiesTable::TYPE,
            size_of::<CapabilitiesTable>(),
        ),
        (
            CompilerTable::WORD,
            CompilerTable::TYPE,
            size_of::<CompilerTable>(),
        ),
    ];
    for (word, table_type, size) in tables {
        subject.at(format!("pfnFillDDITable({word}, null)"));
        let fault = Watch::null(failure!(
            call: "pfnFillDDITable({word}, null, size {size})",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || open.fill_ddi_table(table_type, None, size));
        ensure!(
            result == E_INVALIDARG,
            call: "pfnFillDDITable({word}, null, size {size})",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}

pub(crate) fn fills_the_same_twice(subject: &Subject) -> Outcome {
    same_twice::<CapabilitiesTable>(subject)?;
    same_twice::<CompilerTable>(subject)
}

fn same_twice<T: FilledTable>(subject: &Subject) -> Outcome {
    let word = T::WORD;
    let open = selected(subject)?;
    let first = open.table::<T>()?.entries();
    subject.at(format!("pfnFillDDITable({word}), a second time"));
    let second = open.table::<T>()?.entries();
    if let Some(((entry, _), _)) = first.iter().zip(&second).find(|(a, b)| a != b) {
        broken!(
            call: "pfnFillDDITable({word}), twice in one open",
            expected: "the same entries both times",
            got: "two different addresses for {entry}",
        );
    }
    Ok(())
}
