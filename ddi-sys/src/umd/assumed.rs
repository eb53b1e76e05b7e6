//! What no public text has, and this project had to choose (docs/spec-notes.md).

use crate::*;

/// The query for a `D3D12DDI_APPLICATION_DESC`. ShaderCompilerPlugin.md names it, and no public text has its number: this is
/// the next free one, which is an assumption.
pub const D3DDDI_QUERYADAPTERTYPE_APPLICATIONDESC: D3DDDI_QUERYADAPTERTYPE =
    D3DDDI_QUERYADAPTERTYPE(3);
