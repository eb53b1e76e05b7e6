//! The user-mode driver of Fabrikam, the fake vendor whose compiler plugin is `sample-plugin`: a library
//! that a D3D12 runtime loads without hardware, by `OpenAdapter12`.
//!
//! It creates every object, records every command, and executes none. A pipeline is real: its object code
//! comes from the host's shader cache by the keys of the sample plugin, or is compiled by it. What is not
//! simulated has a defined answer; docs/spec-notes.md, "The user-mode driver", has the choices.
//!
//! | builds | what the host sees |
//! |---|---|
//! | 109 to 115 | the tables of that build, in full, and no later function |
//! | from 111 on | objects at given virtual addresses |
//! | from 113 on | application-specific driver state |
//! | from 114 on | command lists that take the application's objects; the shader cache functions |
//!
//! # No call is undefined
//! A handle is looked up, never followed: one that is null, of a destroyed object, of another kind or of
//! another device gets E_INVALIDARG, or a call of `pfnSetErrorCb` or `pfnSetCommandListErrorCb`. Null,
//! misaligned and overlong arguments likewise. What a host must keep is what no driver can check: pointers that are not
//! null point to what the DDI says, and an object of the application begins with its header.
//!
//! # Limits
//! A command list records the values of all that its calls lead to, but not the render targets of a render
//! pass, whose structures are not public, and no records with a stride of 0, whose size only the graph knows.
//! A descriptor is a number of its device: that of another device is not told apart. Nothing is shared between
//! processes, no tile is mapped, no fence is waited for, everything is resident. A texture is as large as if
//! each texel had 16 bytes.
//!
//! # What was called
//! [`inspect`] has it for hosts in Rust. For others there are exports, which `headers/d3d12_mock_umd.h`
//! declares, whose text is JSON in the caller's buffer (null asks for the size):
//!
//! | export | what |
//! |---|---|
//! | [`MockUmdStatistics`] | calls and failures of each slot, and the last failure in words |
//! | [`MockUmdCommandList`] | what a list has recorded since its last reset |
//! | [`MockUmdCommandCount`] | how many commands that are |
//! | [`MockUmdSet`] | sets a switch |
//!
//! # Switches
//! Environment variables, read when the library is first used; [`MockUmdSet`] and [`inspect::set`] change them
//! later. A value that a switch cannot have, or a variable that begins with `MOCK_UMD_` and is no switch, fails
//! `OpenAdapter12`, which names it on the standard error and in the trace.
//!
//! | variable | value | effect |
//! |---|---|---|
//! | `MOCK_UMD_ADAPTER` | 0 Aurora, 1 Borealis or 2 Cirrus | the adapter family that the adapter is of |
//! | `MOCK_UMD_BUILD` | a DDI build from 109 to 115 | the newest DDI build that the driver shows |
//! | `MOCK_UMD_SLOW` | milliseconds, a decimal number | the creation of each object of a device takes so long more; a resource with a heap of its own is two objects, a view and the device are none |
//! | `MOCK_UMD_FAIL` | SLOT:HRESULT or SLOT:HRESULT:NTH, several with commas, such as pfnCreateHeapAndResource:E_OUTOFMEMORY:3; HRESULT is a name or 0x and hexadecimal digits, NTH a decimal number from 1 on | these slots fail without doing anything: each call, or the NTH alone |
//! | `MOCK_UMD_MEMORY` | bytes, a decimal number | so much GPU memory there is; a heap that goes beyond it gets E_OUTOFMEMORY |
//! | `MOCK_UMD_REMOVED` | a decimal number from 1 on | this ExecuteCommandLists call of a device removes it: DXGI_ERROR_DEVICE_REMOVED |
//! | `MOCK_UMD_WORKAROUNDS` | 32 bits, one a workaround, as a decimal number or 0x and hexadecimal digits | what the driver does for the application: its application-specific state |
//! | `MOCK_UMD_TRACE` | the name of a file | each call but those that a list records is written behind what is there, a JSON object a line |
//! | `MOCK_UMD_FAMILY` | a name of at most 127 UTF-16 units | the adapter family that the driver says it is of |
//! | `MOCK_UMD_ABI` | a 64-bit decimal number, or two to four 16-bit parts with points | the one ABI version that the driver reads |
//! | `MOCK_UMD_COMPILER` | two to four 16-bit parts with points, such as 4.2.118.0, or a 64-bit decimal number | the version of the driver's compiler |
//! | `MOCK_UMD_PROFILE` | two to four 16-bit parts with points, such as 1.3.0.0, or a 64-bit decimal number | the version of the driver's profile of every application |
//! | `MOCK_UMD_CAPS` | CAP:WORD, more words with colons, several caps with commas, such as D3D12DDICAPS_TYPE_OPTIONS_0109:0; a WORD is a decimal number or 0x and hexadecimal digits | the answers of these capabilities begin with these 32-bit words |

mod abi_support;
mod adapter;
mod address_space;
mod boundary;
mod cache;
mod caps;
mod command_list;
mod copies;
mod descriptors;
mod device;
mod driver_state;
mod exports;
mod features;
mod handles;
pub mod inspect;
mod memory;
mod meta_command;
mod objects;
mod pipeline;
mod sample;
mod switches;
mod tables;

mod trace;
mod values;
mod version;

pub use adapter::OpenAdapter12;
pub use exports::{MockUmdCommandCount, MockUmdCommandList, MockUmdSet, MockUmdStatistics};
