//! Application-specific driver state: what a capture tool takes out of one device and puts into another
//! (Application_Specific_Driver_State.md).
//!
//! A blob is a driver-matching identifier, and then what this driver makes of it:
//!
//! | offset | size | content |
//! |---|---|---|
//! | 0 | 16 | [`DRIVER`], Fabrikam's GUID for its drivers |
//! | 16 | 4 | version of the layout, [`LAYOUT`] |
//! | 20 | 4 | type of the data that the identifier is for: 1 |
//! | 24 | 8 | zero |
//! | 32 | 4 | 1 for the dummy blob of conformance tests, else 0 |
//! | 36 | 4 | workarounds, one a bit |
//! | 40 | 8 | version of the application's profile; 0 for none |
//! | 48 | 8 | version of the application |
//! | 56 | 8 | version of its engine |
//! | 64 | 12 | how many UTF-16 units its executable, its name and its engine have; 0xFFFFFFFF for no engine |
//! | 76 | | these three texts, without terminators |
//!
//! with little-endian numbers. The application is there because the compiler chooses the profile by it: the process
//! that replays is another one.

use ddi_sys::{D3DDDIERR_NOTAVAILABLE, E_INVALIDARG, E_NOT_SUFFICIENT_BUFFER, HRESULT};
use plugin_host::{ApplicationDesc, Engine};
use widestring::{U16CStr, U16CString};

/// Identifies Fabrikam's drivers in driver-matching identifiers. Our own choice.
///
/// `6F1D8A52-3C4E-4B7A-9E21-5D0C84B317F6`, as it is in memory.
pub const DRIVER: [u8; 16] = [
    0x52, 0x8a, 0x1d, 0x6f, 0x4e, 0x3c, 0x7a, 0x4b, 0x9e, 0x21, 0x5d, 0x0c, 0x84, 0xb3, 0x17, 0xf6,
];

/// Version of the blob's layout, in the identifier.
pub(crate) const LAYOUT: u32 = 2;
/// D3D12DDI_SERIALIZED_DATA_RAYTRACING_ACCELERATION_STRUCTURE.
const ACCELERATION_STRUCTURE: i32 = 0;
/// D3D12DDI_SERIALIZED_DATA_APPLICATION_SPECIFIC_DRIVER_STATE.
const DRIVER_STATE: i32 = 1;

/// Bytes of an identifier.
pub(crate) const IDENTIFIER_SIZE: usize = 32;
/// Bytes of a blob without its texts.
const HEAD_SIZE: usize = 76;
/// Bytes of the first buffer for the host's blob: most blobs of this driver fit.
const FIRST_BUFFER: usize = 256;
/// The length of the name of an engine that there is not.
const NO_ENGINE: u32 = u32::MAX;
/// No driver writes a larger blob; a host that claims one is wrong.
const LARGEST_BLOB: usize = 1 << 20;

/// A driver-matching identifier, as it is in memory.
pub(crate) type Identifier = [u8; IDENTIFIER_SIZE];

/// What this driver knows about the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DriverState {
    /// It stands for nothing: conformance tests pass it around.
    pub(crate) dummy: bool,
    /// What is done for the application, one a bit.
    pub(crate) workarounds: u32,
    /// The version of the application's profile.
    pub(crate) profile: u64,
    pub(crate) application: ApplicationDesc,
}

/// What the driver-matching check says of an identifier: D3D12DDI_DRIVER_MATCHING_IDENTIFIER_STATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Compatible = 0,
    UnsupportedType = 1,
    Unrecognized = 2,
    IncompatibleVersion = 3,
    IncompatibleType = 4,
}

/// What became of the blob that was set for the device: D3D12DDI_APPLICATION_SPECIFIC_DRIVER_BLOB_STATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlobStatus {
    Unknown = 1,
    Used = 2,
    Ignored = 3,
    NotSpecified = 4,
}

fn identifier(data_type: i32) -> Identifier {
    let mut bytes = [0; IDENTIFIER_SIZE];
    bytes[..16].copy_from_slice(&DRIVER);
    bytes[16..20].copy_from_slice(&LAYOUT.to_le_bytes());
    bytes[20..24].copy_from_slice(&data_type.to_le_bytes());
    bytes
}

/// Whether data with this identifier is this driver's, and of this type.
pub(crate) fn check(data_type: i32, given: &Identifier) -> Match {
    if ![ACCELERATION_STRUCTURE, DRIVER_STATE].contains(&data_type) {
        return Match::UnsupportedType;
    }
    let own = identifier(data_type);
    if *given == own {
        Match::Compatible
    } else if given[..16] != own[..16] {
        Match::Unrecognized
    } else if given[16..20] == own[16..20] && given[20..24] != own[20..24] {
        Match::IncompatibleType
    } else {
        Match::IncompatibleVersion
    }
}

impl DriverState {
    /// The blob; none when there is nothing to say of the application.
    pub(crate) fn blob(&self) -> Option<Vec<u8>> {
        if !self.dummy && self.workarounds == 0 && self.profile == 0 {
            return None;
        }
        let application = &self.application;
        let (engine, engine_version) = application
            .engine
            .as_ref()
            .map_or((None, 0), |engine| (Some(&engine.name), engine.version));
        let length = |text: &U16CStr| u32::try_from(text.len()).unwrap_or(NO_ENGINE);
        let mut bytes = identifier(DRIVER_STATE).to_vec();
        bytes.extend(u32::from(self.dummy).to_le_bytes());
        bytes.extend(self.workarounds.to_le_bytes());
        bytes.extend(self.profile.to_le_bytes());
        bytes.extend(application.version.to_le_bytes());
        bytes.extend(engine_version.to_le_bytes());
        bytes.extend(length(&application.exe_filename).to_le_bytes());
        bytes.extend(length(&application.name).to_le_bytes());
        bytes.extend(engine.map_or(NO_ENGINE, |name| length(name)).to_le_bytes());
        let texts = [
            Some(&application.exe_filename),
            Some(&application.name),
            engine,
        ];
        for text in texts.into_iter().flatten() {
            bytes.extend(text.as_slice().iter().flat_map(|unit| unit.to_le_bytes()));
        }
        Some(bytes)
    }

    /// What a blob says; nothing when it is not one that this driver writes.
    pub(crate) fn read(blob: &[u8]) -> Option<Self> {
        let (head, mut rest) = blob.split_first_chunk::<HEAD_SIZE>()?;
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let long = |at: usize| u64::from(word(at + 4)) << 32 | u64::from(word(at));
        let mut text = |length: u32| {
            let size = usize::try_from(length).ok()?.checked_mul(2)?;
            let (text, after) = rest.split_at_checked(size)?;
            rest = after;
            let (units, _) = text.as_chunks::<2>();
            let units: Vec<_> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
            U16CString::from_vec(units).ok()
        };
        let state = Self {
            dummy: word(32) == 1,
            workarounds: word(36),
            profile: long(40),
            application: ApplicationDesc {
                exe_filename: text(word(64))?,
                name: text(word(68))?,
                version: long(48),
                engine: match word(72) {
                    NO_ENGINE => None,
                    length => Some(Engine {
                        name: text(length)?,
                        version: long(56),
                    }),
                },
            },
        };
        (state.blob().as_deref() == Some(blob)).then_some(state)
    }
}

/// What the runtime has for this adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fetched {
    /// No blob, or a runtime that knows none.
    Nothing,
    /// This one.
    Blob(Vec<u8>),
    /// The answers make no sense, or are another failure.
    Failed,
}

/// Asks the runtime for the blob: `query` fills a buffer, and gives the result and the size that the
/// runtime has put in the place of the buffer's.
pub(crate) fn fetch(mut query: impl FnMut(&mut [u8]) -> (HRESULT, usize)) -> Fetched {
    let mut buffer = vec![0; FIRST_BUFFER];
    // One retry is enough for a runtime that keeps its word.
    for _ in 0..2 {
        let (result, size) = query(&mut buffer);
        match result {
            E_INVALIDARG | D3DDDIERR_NOTAVAILABLE => return Fetched::Nothing,
            E_NOT_SUFFICIENT_BUFFER if (buffer.len() + 1..=LARGEST_BLOB).contains(&size) => {
                buffer = vec![0; size];
            }
            result if result.is_ok() && size <= buffer.len() => {
                buffer.truncate(size);
                return Fetched::Blob(buffer);
            }
            _ => return Fetched::Failed,
        }
    }
    Fetched::Failed
}

impl Fetched {
    /// The state to begin with, if the blob has one, and what became of the blob.
    pub(crate) fn apply(&self) -> (Option<DriverState>, BlobStatus) {
        match self {
            Self::Nothing => (None, BlobStatus::NotSpecified),
            Self::Failed => (None, BlobStatus::Unknown),
            Self::Blob(blob) => match DriverState::read(blob) {
                Some(state) => (Some(state), BlobStatus::Used),
                None => (None, BlobStatus::Ignored),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ddi_sys::{E_FAIL, S_OK};
    use proptest::prelude::*;

    fn state() -> DriverState {
        DriverState {
            dummy: false,
            workarounds: 5,
            profile: 0x0001_0003_0000_0000,
            application: ApplicationDesc {
                exe_filename: U16CString::from_str("ContosoRally.exe").unwrap(),
                name: U16CString::from_str("Contoso Rally").unwrap(),
                version: 7,
                engine: Some(Engine {
                    name: U16CString::from_str("Engine").unwrap(),
                    version: 9,
                }),
            },
        }
    }

    fn unknown() -> DriverState {
        DriverState {
            dummy: false,
            workarounds: 0,
            profile: 0,
            application: crate::sample::any_application(),
        }
    }

    #[test]
    fn a_blob_begins_with_an_identifier_that_the_check_accepts_for_its_type_alone() {
        let blob = state().blob().unwrap();
        let own = blob[..IDENTIFIER_SIZE].try_into().unwrap();
        assert_eq!(check(1, &own), Match::Compatible);
        assert_eq!(check(0, &own), Match::IncompatibleType);
        assert_eq!(check(2, &own), Match::UnsupportedType);
        assert_eq!(check(-1, &own), Match::UnsupportedType);
        let mut foreign = own;
        foreign[15] ^= 1;
        assert_eq!(check(1, &foreign), Match::Unrecognized);
        let mut newer = own;
        newer[16] += 1;
        assert_eq!(check(1, &newer), Match::IncompatibleVersion);
        let mut other = own;
        other[31] = 1;
        assert_eq!(check(1, &other), Match::IncompatibleVersion);
        assert_eq!(check(1, &[0; 32]), Match::Unrecognized);
    }

    #[test]
    fn nothing_to_say_is_no_blob_and_all_else_is_read_back() {
        assert_eq!(unknown().blob(), None);
        let changes: [fn(&mut DriverState); 3] = [
            |state| state.dummy = true,
            |state| state.workarounds = 1,
            |state| state.profile = 1,
        ];
        for change in changes {
            for mut state in [unknown(), state()] {
                change(&mut state);
                assert_eq!(DriverState::read(&state.blob().unwrap()), Some(state));
            }
        }
    }

    #[test]
    fn every_damaged_byte_makes_a_blob_foreign_or_another_state() {
        let blob = state().blob().unwrap();
        assert_eq!(DriverState::read(&blob), Some(state()));
        for at in 0..blob.len() {
            let mut damaged = blob.clone();
            damaged[at] ^= 0x80;
            let read = DriverState::read(&damaged);
            // The workarounds, the versions, and the units of texts can be others.
            let is_state = (36..64).contains(&at) || at >= HEAD_SIZE;
            assert_eq!(read.is_some(), is_state, "byte {at}");
            assert_ne!(read, Some(state()));
        }
        for size in (0..blob.len()).chain([blob.len() + 1]) {
            let mut other = blob.clone();
            other.resize(size, 0);
            assert_eq!(DriverState::read(&other), None, "{size} bytes");
        }
    }

    /// A runtime with a blob, as the specification describes it.
    fn runtime(blob: &[u8]) -> impl FnMut(&mut [u8]) -> (HRESULT, usize) {
        |buffer| {
            if buffer.len() < blob.len() {
                return (E_NOT_SUFFICIENT_BUFFER, blob.len());
            }
            buffer[..blob.len()].copy_from_slice(blob);
            (S_OK, blob.len())
        }
    }

    #[test]
    fn the_runtimes_answers_become_statuses() {
        let blob = state().blob().unwrap();
        let long = [7; 300];
        let used = (Some(state()), BlobStatus::Used);
        let ignored = (None, BlobStatus::Ignored);
        assert_eq!(fetch(runtime(&blob)).apply(), used);
        assert_eq!(fetch(runtime(&long)), Fetched::Blob(long.into()));
        assert_eq!(fetch(runtime(&long)).apply(), ignored);
        assert_eq!(fetch(runtime(&[])).apply(), ignored);
        let answers = |result, size| fetch(|_| (result, size)).apply().1;
        assert_eq!(answers(E_INVALIDARG, 0), BlobStatus::NotSpecified);
        assert_eq!(answers(D3DDDIERR_NOTAVAILABLE, 9), BlobStatus::NotSpecified);
        assert_eq!(answers(E_FAIL, 0), BlobStatus::Unknown);
        // Lies: more than there is room for, a need that is no greater, one that no memory has, and one
        // that grows.
        assert_eq!(answers(S_OK, FIRST_BUFFER + 1), BlobStatus::Unknown);
        assert_eq!(
            answers(E_NOT_SUFFICIENT_BUFFER, FIRST_BUFFER),
            BlobStatus::Unknown
        );
        assert_eq!(
            answers(E_NOT_SUFFICIENT_BUFFER, usize::MAX),
            BlobStatus::Unknown
        );
        let mut calls = 0;
        let growing = fetch(|buffer| {
            calls += 1;
            (E_NOT_SUFFICIENT_BUFFER, buffer.len() + 1)
        });
        assert_eq!((growing, calls), (Fetched::Failed, 2));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            DriverState::read(&bytes);
            if let Ok(identifier) = bytes.try_into() {
                check(1, &identifier);
            }
        }
    }
}
