//! P-TBL: the function tables.

use conformance_catalogue::rules;
use conformance_catalogue::verdict::{Outcome, broken, ensure, failure};
use ddi_sys::{
    D3D12DDI_COMPILER_CAPABILITIES_FUNCS, D3D12DDI_COMPILER_FUNCS, D3D12DDI_COMPILER_TABLE_TYPE,
    D3D12DDI_COMPILER_TABLE_TYPE_MAX, E_INVALIDARG,
};

use super::Tests;
use crate::plugin::function_table::FilledTable;
use crate::plugin::recorder::callbacks;
use crate::plugin::subject::{Open, Subject};
use crate::watch::fault::{Watch, watched, within};
use crate::watch::memory::{Guarded, Place};

/// The test of each rule.
pub(super) const TESTS: Tests = &[
    (rules::P_TBL_01, p_tbl_01_fills_capabilities),
    (rules::P_TBL_02, p_tbl_02_fills_compiler),
    (rules::P_TBL_03, p_tbl_03_refuses_unknown_types),
    (rules::P_TBL_04, p_tbl_04_stays_within_the_size),
    (rules::P_TBL_05, p_tbl_05_accepts_a_larger_size),
    (rules::P_TBL_06, p_tbl_06_refuses_null),
    (rules::P_TBL_07, p_tbl_07_fills_the_same_twice),
];

type CapabilitiesTable = D3D12DDI_COMPILER_CAPABILITIES_FUNCS;
type CompilerTable = D3D12DDI_COMPILER_FUNCS;

fn p_tbl_01_fills_capabilities(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, version| fills::<CapabilitiesTable>(subject, open, version))
}

fn p_tbl_02_fills_compiler(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, version| fills::<CompilerTable>(subject, open, version))
}

/// Fills over zeros and over something else: an entry that is left out is null in the one, and what
/// was there before in the other.
fn fills<T: FilledTable>(subject: &Subject, open: Open, version: &str) -> Outcome {
    const JUNK: u8 = 0x5A;
    let (word, name, size) = (T::WORD, T::NAME, size_of::<T>());
    for fill in [0, JUNK] {
        let memory = Guarded::new(size, align_of::<T>(), Place::Roomy, fill)?;
        subject.at(format!("pfnFillDDITable({word})"));
        let result = open.fill_ddi_table(T::TYPE, Some(&memory), size);
        ensure!(
            result.is_ok(),
            call: "pfnFillDDITable({word}, size {size}) with DDI version {version}",
            expected: "success and a filled {name}",
            got: "returned {result}",
        );
        let blank = usize::from_ne_bytes([fill; size_of::<usize>()]);
        for (entry, address) in memory.get::<T>().entries() {
            ensure!(
                address != 0,
                call: "pfnFillDDITable({word}, size {size}) with DDI version {version}",
                expected: "no entry of {name} null",
                got: "{entry} is null",
            );
            ensure!(
                address != blank,
                call: "pfnFillDDITable({word}, size {size}) with DDI version {version}",
                expected: "every entry of {name} written",
                got: "{entry} is what it was before",
            );
        }
    }
    Ok(())
}

fn p_tbl_03_refuses_unknown_types(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, version| unknown_types(subject, open, version))
}

fn unknown_types(subject: &Subject, open: Open, version: &str) -> Outcome {
    const SIZE: usize = 256;
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
                call: "pfnFillDDITable(table type {number}, size {size}) with DDI version {version}",
                expected: "a failure, as there is no such table",
                got: "returned {result}",
            );
            if let Some(at) = memory.bytes().iter().position(|byte| *byte != fill) {
                broken!(
                    call: "pfnFillDDITable(table type {number}, size {size}) with DDI version {version}",
                    expected: "nothing written, as there is no such table",
                    got: "returned {result}, but byte {at} was written",
                );
            }
        }
    }
    Ok(())
}

fn p_tbl_04_stays_within_the_size(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, version| {
        stays_within::<CapabilitiesTable>(subject, open, version)?;
        stays_within::<CompilerTable>(subject, open, version)
    })
}

fn stays_within<T: FilledTable>(subject: &Subject, open: Open, version: &str) -> Outcome {
    let (word, full) = (T::WORD, size_of::<T>());
    // An older or a newer table, or another one, may have any of them.
    for size in (0..=full).rev() {
        // pTable may be read, so a table of no size lies where one byte can be.
        let places = if size == 0 {
            [Place::Roomy; 2]
        } else {
            Place::TIGHT
        };
        for place in places {
            let memory = Guarded::new(size, align_of::<T>(), place, 0)?;
            let past = failure!(
                call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes, with DDI version {version}",
                expected: "nothing written outside of the {size} bytes",
                got: "memory outside was touched",
            );
            subject.at(format!("pfnFillDDITable({word}, size {size})"));
            let result = within(&memory, "pTable", &past, || {
                open.fill_ddi_table(T::TYPE, Some(&memory), size)
            })?;
            ensure!(
                size == full || !result.is_ok(),
                call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes, with DDI version {version}",
                expected: "a failure, as the table does not fit",
                got: "returned {result}",
            );
        }
    }
    Ok(())
}

fn p_tbl_05_accepts_a_larger_size(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, version| {
        larger::<CapabilitiesTable>(subject, open, version)?;
        larger::<CompilerTable>(subject, open, version)
    })
}

fn larger<T: FilledTable>(subject: &Subject, open: Open, version: &str) -> Outcome {
    open.table::<T>()?;
    for more in [1, size_of::<usize>(), 64, 4096] {
        filled_in_larger::<T>(subject, open, version, size_of::<T>() + more)?;
    }
    Ok(())
}

fn filled_in_larger<T: FilledTable>(
    subject: &Subject,
    open: Open,
    version: &str,
    size: usize,
) -> Outcome {
    const FILL: u8 = 0x5A;
    let (word, full) = (T::WORD, size_of::<T>());
    let memory = Guarded::new(size, align_of::<T>(), Place::Roomy, FILL)?;
    subject.at(format!("pfnFillDDITable({word}, size {size})"));
    let result = open.fill_ddi_table(T::TYPE, Some(&memory), size);
    ensure!(
        result.is_ok(),
        call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes, with DDI version {version}",
        expected: "success",
        got: "returned {result}",
    );
    let blank = usize::from_ne_bytes([FILL; size_of::<usize>()]);
    for (entry, address) in memory.get::<T>().entries() {
        ensure!(
            address != 0 && address != blank,
            call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes, with DDI version {version}",
            expected: "every entry that a table of {full} bytes has",
            got: "no {entry}",
        );
    }
    if let Some(at) = memory.bytes()[full..].iter().position(|byte| *byte != FILL) {
        broken!(
            call: "pfnFillDDITable({word}, size {size}) of a table of {full} bytes, with DDI version {version}",
            expected: "nothing written behind the table",
            got: "byte {at} behind it was written",
        );
    }
    Ok(())
}

fn p_tbl_06_refuses_null(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, version| {
        null::<CapabilitiesTable>(subject, open, version)?;
        null::<CompilerTable>(subject, open, version)
    })
}

fn null<T: FilledTable>(subject: &Subject, open: Open, version: &str) -> Outcome {
    let word = T::WORD;
    for size in [size_of::<T>(), 0] {
        subject.at(format!("pfnFillDDITable({word}, null)"));
        let fault = Watch::null(failure!(
            call: "pfnFillDDITable({word}, null, size {size}) with DDI version {version}",
            expected: "E_INVALIDARG",
            got: "the null pointer was used",
        ));
        let result = watched(vec![fault], || open.fill_ddi_table(T::TYPE, None, size));
        ensure!(
            result == E_INVALIDARG,
            call: "pfnFillDDITable({word}, null, size {size}) with DDI version {version}",
            expected: "E_INVALIDARG",
            got: "returned {result}",
        );
    }
    Ok(())
}

fn p_tbl_07_fills_the_same_twice(subject: &Subject) -> Outcome {
    subject.for_each_version(|open, version| {
        same_twice::<CapabilitiesTable>(subject, open, version)?;
        same_twice::<CompilerTable>(subject, open, version)
    })
}

/// The second time directly, and then after all that a host does before it creates compilers.
fn same_twice<T: FilledTable>(subject: &Subject, open: Open, version: &str) -> Outcome {
    let word = T::WORD;
    let first = open.table::<T>()?.entries();
    for when in [
        "twice in one open",
        "before and after the callbacks are set",
    ] {
        subject.at(format!("pfnFillDDITable({word}), a second time"));
        let again = open.table::<T>()?.entries();
        if let Some(((entry, _), _)) = first.iter().zip(&again).find(|(a, b)| a != b) {
            broken!(
                call: "pfnFillDDITable({word}) with DDI version {version}, {when}",
                expected: "the same entries both times",
                got: "two different addresses for {entry}",
            );
        }
        open.set_callbacks(callbacks::<0>())?;
    }
    Ok(())
}
