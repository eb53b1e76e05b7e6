//! Reads the memory of this process: what may not be there, through the system, which says so instead of ending the process.

use std::ptr;

/// So large are the smallest pages of every system.
const PAGE: usize = 4096;

/// How memory is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    /// What cannot be read is told.
    Checked,
    /// Whoever chose this keeps what [`Copier::trusted`](crate::Copier::trusted) demands.
    Trusted,
}

impl Access {
    /// As many of `len` bytes from `address` on as can be read, without a gap.
    pub(crate) fn read(self, address: usize, len: usize) -> Vec<u8> {
        match self {
            Self::Checked => read(address, len),
            Self::Trusted => {
                let mut bytes = vec![0; len];
                let from = ptr::with_exposed_provenance::<u8>(address);
                // SAFETY: there are so many bytes, as `Copier::trusted` demands.
                unsafe { ptr::copy(from, bytes.as_mut_ptr(), len) };
                bytes
            }
        }
    }

    /// Exactly so many bytes; `None` where some cannot be read.
    pub(crate) fn read_all(self, address: usize, len: usize) -> Option<Vec<u8>> {
        let bytes = self.read(address, len);
        (bytes.len() == len).then_some(bytes)
    }

    /// The UTF-16 code units at `address` before a NUL; `None` where there is none among the first `limit`.
    pub(crate) fn read_text(self, address: usize, limit: usize) -> Option<Vec<u16>> {
        // Of what is there nothing behind the NUL is read, as that may be nobody's.
        let at_once = |from: usize| match self {
            Self::Checked => (PAGE - from % PAGE).max(2),
            Self::Trusted => 2,
        };
        let mut units = Vec::new();
        while units.len() < limit {
            let from = address.wrapping_add(2 * units.len());
            let bytes = self.read(from, at_once(from));
            let (pairs, _) = bytes.as_chunks::<2>();
            if pairs.is_empty() {
                return None;
            }
            for unit in pairs.iter().map(|pair| u16::from_le_bytes(*pair)) {
                if unit == 0 {
                    return Some(units);
                }
                if units.len() == limit {
                    return None;
                }
                units.push(unit);
            }
        }
        None
    }
}

/// Exactly so many bytes of this process; `None` where some cannot be read.
pub fn read_all(address: usize, len: usize) -> Option<Vec<u8>> {
    Access::Checked.read_all(address, len)
}

/// Whether the system lets a process read its memory in this way at all.
pub fn is_readable() -> bool {
    let word = 0x5A_u8;
    read_all((&raw const word).addr(), 1).as_deref() == Some(&[word])
}

/// An unsigned number of `size` bytes at the beginning of `bytes`.
pub fn number(bytes: &[u8], size: usize) -> Option<u64> {
    let mut whole = [0; 8];
    whole.get_mut(..size)?.copy_from_slice(bytes.get(..size)?);
    Some(u64::from_le_bytes(whole))
}

fn read(address: usize, len: usize) -> Vec<u8> {
    /// What somebody says that there is may be more than memory has.
    const AT_ONCE: usize = 1 << 20;
    let mut bytes = Vec::new();
    let mut is_whole = true;
    while is_whole && bytes.len() < len {
        let from = address.wrapping_add(bytes.len());
        let wanted = AT_ONCE.min(len - bytes.len());
        let part = read_part(from, wanted);
        is_whole = part.len() == wanted;
        bytes.extend(part);
    }
    bytes
}

fn read_part(address: usize, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    if transfer(address, &mut bytes) {
        return bytes;
    }
    let mut done = 0;
    while done < len {
        let from = address.wrapping_add(done);
        let part = (PAGE - from % PAGE).min(len - done);
        if !transfer(from, &mut bytes[done..done + part]) {
            break;
        }
        done += part;
    }
    bytes.truncate(done);
    bytes
}

#[cfg(unix)]
fn transfer(address: usize, to: &mut [u8]) -> bool {
    if to.is_empty() {
        return true;
    }
    let local = libc::iovec {
        iov_base: to.as_mut_ptr().cast(),
        iov_len: to.len(),
    };
    let remote = libc::iovec {
        iov_base: ptr::with_exposed_provenance_mut(address),
        iov_len: to.len(),
    };
    // SAFETY: process_vm_readv(2) writes to `to` alone, and fails where the other memory cannot be read.
    let read = unsafe {
        libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
    };
    usize::try_from(read) == Ok(to.len())
}

#[cfg(windows)]
fn transfer(address: usize, to: &mut [u8]) -> bool {
    use windows_sys::Win32::System::Diagnostics::Debug::ReadProcessMemory;
    use windows_sys::Win32::System::Threading::GetCurrentProcess;
    if to.is_empty() {
        return true;
    }
    let mut read = 0;
    let from = ptr::with_exposed_provenance(address);
    // SAFETY: ReadProcessMemory writes to `to` and `read` alone, and fails where the other memory cannot be read.
    let done = unsafe {
        ReadProcessMemory(
            GetCurrentProcess(),
            from,
            to.as_mut_ptr().cast(),
            to.len(),
            &raw mut read,
        )
    };
    done != 0 && read == to.len()
}

#[cfg(test)]
mod tests {
    use super::{Access, read, read_all};

    #[test]
    fn what_is_there_is_read_and_what_is_not_is_told() {
        let bytes: Vec<u8> = (0..=250).cycle().take(10_000).collect();
        let address = bytes.as_ptr().expose_provenance();
        assert_eq!(read(address, bytes.len()), bytes);
        assert_eq!(read_all(address + 1, 3).unwrap(), [1, 2, 3]);
        assert_eq!(read_all(8, 1), None);
        assert!(read(usize::MAX - 3, 16).is_empty());
        let text: Vec<u16> = "name\0more".encode_utf16().collect();
        let address = text.as_ptr().expose_provenance();
        for access in [Access::Checked, Access::Trusted] {
            assert_eq!(access.read_text(address, 9).unwrap(), text[..4]);
            assert_eq!(access.read_text(address, 3), None);
        }
        assert_eq!(Access::Checked.read_text(8, 9), None);
    }
}
