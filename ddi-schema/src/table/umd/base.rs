//! Structures of `ddi-sys/src/umd/base.rs`.

use ddi_sys::*;

structures! {
    RECT { left: signed, top: signed, right: signed, bottom: signed }
    GUID { Data1, Data2, Data3, Data4 }
}
