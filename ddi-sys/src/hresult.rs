//! Result codes: the public winerror.h and DXGI headers.

use core::fmt;

/// The result of a DDI call; negative values are failures.
#[must_use]
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HRESULT(pub i32);

impl HRESULT {
    /// Whether the call succeeded: S_OK, S_FALSE and every other value that is not negative.
    pub const fn is_ok(self) -> bool {
        self.0 >= 0
    }

    /// The constant's name, when it is one of this module's.
    pub const fn name(self) -> Option<&'static str> {
        let mut i = 0;
        while i < NAMED.len() {
            if NAMED[i].0.0 == self.0 {
                return Some(NAMED[i].1);
            }
            i += 1;
        }
        None
    }

    /// The constant of this module with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMED
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(result, _)| *result)
    }
}

/// Name and number: `DXGI_ERROR_NOT_FOUND (0x887A0002)`.
impl fmt::Display for HRESULT {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({:#010X})", self.0),
            None => write!(f, "{:#010X}", self.0),
        }
    }
}

impl fmt::Debug for HRESULT {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! hresults {
    ($($(#[$doc:meta])* pub const $name:ident: HRESULT = $value:literal;)*) => {
        $($(#[$doc])* pub const $name: HRESULT = HRESULT(u32::cast_signed($value));)*
        const NAMED: &[(HRESULT, &str)] = &[$(($name, stringify!($name))),*];
    };
}

hresults! {
    /// Success.
    pub const S_OK: HRESULT = 0;
    /// Success, with a negative answer.
    pub const S_FALSE: HRESULT = 1;
    /// Not implemented.
    pub const E_NOTIMPL: HRESULT = 0x8000_4001;
    /// No such interface.
    pub const E_NOINTERFACE: HRESULT = 0x8000_4002;
    /// Invalid pointer.
    pub const E_POINTER: HRESULT = 0x8000_4003;
    /// Aborted.
    pub const E_ABORT: HRESULT = 0x8000_4004;
    /// Unspecified failure.
    pub const E_FAIL: HRESULT = 0x8000_4005;
    /// The data needed is not available yet.
    pub const E_PENDING: HRESULT = 0x8000_000A;
    /// Unexpected failure.
    pub const E_UNEXPECTED: HRESULT = 0x8000_FFFF;
    /// Access denied.
    pub const E_ACCESSDENIED: HRESULT = 0x8007_0005;
    /// Out of memory.
    pub const E_OUTOFMEMORY: HRESULT = 0x8007_000E;
    /// An argument is invalid.
    pub const E_INVALIDARG: HRESULT = 0x8007_0057;
    /// The buffer is too small: HRESULT_FROM_WIN32(ERROR_INSUFFICIENT_BUFFER).
    pub const E_NOT_SUFFICIENT_BUFFER: HRESULT = 0x8007_007A;
    /// The call is not valid in this state.
    pub const DXGI_ERROR_INVALID_CALL: HRESULT = 0x887A_0001;
    /// Not found.
    pub const DXGI_ERROR_NOT_FOUND: HRESULT = 0x887A_0002;
    /// The buffer is too small for all of the data.
    pub const DXGI_ERROR_MORE_DATA: HRESULT = 0x887A_0003;
    /// Not supported.
    pub const DXGI_ERROR_UNSUPPORTED: HRESULT = 0x887A_0004;
    /// The device is gone.
    pub const DXGI_ERROR_DEVICE_REMOVED: HRESULT = 0x887A_0005;
    /// The device hangs.
    pub const DXGI_ERROR_DEVICE_HUNG: HRESULT = 0x887A_0006;
    /// The driver met a problem of its own.
    pub const DXGI_ERROR_DRIVER_INTERNAL_ERROR: HRESULT = 0x887A_0020;
    /// Not available now, perhaps later.
    pub const DXGI_ERROR_NOT_CURRENTLY_AVAILABLE: HRESULT = 0x887A_0022;
    /// The cache is corrupt.
    pub const DXGI_ERROR_CACHE_CORRUPT: HRESULT = 0x887A_0033;
    /// The cache is full.
    pub const DXGI_ERROR_CACHE_FULL: HRESULT = 0x887A_0034;
    /// Two keys of the cache share a hash.
    pub const DXGI_ERROR_CACHE_HASH_COLLISION: HRESULT = 0x887A_0035;
    /// Exists already.
    pub const DXGI_ERROR_ALREADY_EXISTS: HRESULT = 0x887A_0036;
    /// Not available: D3DERR_NOTAVAILABLE of the public d3d9.h, taken to be the DDI's number too.
    pub const D3DDDIERR_NOTAVAILABLE: HRESULT = 0x8876_086A;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        extern crate std;
        use std::string::ToString;
        assert_eq!(
            DXGI_ERROR_NOT_FOUND.to_string(),
            "DXGI_ERROR_NOT_FOUND (0x887A0002)"
        );
        assert_eq!(HRESULT(0x1234).to_string(), "0x00001234");
        assert!(S_FALSE.is_ok() && !E_FAIL.is_ok());
    }
}
