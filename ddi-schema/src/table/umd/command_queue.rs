//! Structures of `ddi-sys/src/umd/command_queue.rs`.

use ddi_sys::*;

structures! {
    D3D12DDI_TILED_RESOURCE_COORDINATE { X, Y, Z, Subresource }
    D3D12DDI_TILE_REGION_SIZE { NumTiles, UseBox, Width, Height, Depth }
}
