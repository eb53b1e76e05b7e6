//! Structures of `ddi-sys/src/dxgi.rs`.

use ddi_sys::*;

structures! {
    DXGI_SAMPLE_DESC { Count, Quality }
}
