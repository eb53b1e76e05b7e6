//! The container hash, also called validator hash or signature.
//!
//! It is MD5 with another ending, published in the appendix of proposal INF-0004 of hlsl-specs. The
//! same function is the checksum of containers of shader models 4 and 5.

use md5::block_api::compress;
use md5::{Digest, Md5};

use crate::{Container, Error};

/// Where the hash is in a container.
pub(crate) const HASH: usize = 0x04;
/// Where that starts which the hash covers.
pub(crate) const HASHED_FROM: usize = 0x14;

const BLOCK: usize = 64;

/// What MD5 starts from (RFC 1321, section 3.3).
const INITIAL_STATE: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// Computes the hash that belongs at byte 4 of a container, from `hashed`: everything behind the
/// hash field, that is the bytes from 0x14 up to the container size.
///
/// The input is read in place, once. [`Container::computed_hash`](crate::Container::computed_hash)
/// does this for a parsed container, and [`sign`] for bytes that were changed.
pub fn container_hash(hashed: &[u8]) -> [u8; 16] {
    let mut state = INITIAL_STATE;
    let (blocks, tail) = hashed.as_chunks::<BLOCK>();
    compress(&mut state, blocks);

    // MD5 proper ends with the 64-bit length in bits. Here its low word stands at the start of the
    // last block, and a word made of twice the length in bytes at the end.
    let length = hashed.len() as u64;
    let [first, last] = [length << 3, (length << 1) | 1].map(u64::to_le_bytes);
    let mut end = [0; 2 * BLOCK];
    let (tail_at, used) = if tail.len() < 56 {
        (4, BLOCK)
    } else {
        (0, 2 * BLOCK)
    };
    end[used - BLOCK..][..4].copy_from_slice(&first[..4]);
    end[used - 4..used].copy_from_slice(&last[..4]);
    end[tail_at..][..tail.len()].copy_from_slice(tail);
    end[tail_at + tail.len()] = 0x80;
    compress(&mut state, end[..used].as_chunks().0);

    let mut hash = [0; 16];
    for (bytes, word) in hash.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    hash
}

/// Computes the MD5 of `bytes`: the hash in a `HASH` part, which is another than the container's.
pub(crate) fn md5(bytes: &[u8]) -> [u8; 16] {
    Md5::digest(bytes).into()
}

/// What [`sign`] puts into the hash field of a container: see [`StoredHash`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signing {
    /// Nothing: sixteen bytes of 0.
    Unsigned,
    /// Sixteen bytes of 1 in place of a hash.
    Bypass,
    /// Sixteen bytes of 2 in place of a hash.
    PreviewBypass,
    /// The [`container_hash`].
    Hash,
}

/// Signs the container at the start of `bytes`, in place. Only its header is read; bytes behind it
/// are left alone.
///
/// ```
/// use dxil::{Container, Signing, sign};
///
/// let mut bytes = include_bytes!("../corpus/malformed/hash_stale.dxil").to_vec();
/// sign(&mut bytes, Signing::Hash)?;
/// Container::parse(&bytes)?.verify()?;
/// # Ok::<(), dxil::Error>(())
/// ```
///
/// # Errors
///
/// There is no container, or not all of one.
pub fn sign(bytes: &mut [u8], signing: Signing) -> Result<(), Error> {
    let (container, _) = Container::split(bytes)?;
    let hash = match signing {
        Signing::Unsigned => [0; 16],
        Signing::Bypass => [1; 16],
        Signing::PreviewBypass => [2; 16],
        Signing::Hash => container_hash(&container[HASHED_FROM..]),
    };
    bytes[HASH..HASHED_FROM].copy_from_slice(&hash);
    Ok(())
}

/// What the hash field of a container holds.
///
/// The three reserved values and what the runtime does with them are those of proposal INF-0004 of
/// hlsl-specs (Agility SDK 1.615 on; older runtimes know the hash only).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoredHash {
    /// Sixteen bytes of 0: not signed. The runtime refuses the shader.
    Unsigned,
    /// Sixteen bytes of 1: the runtime accepts the shader unverified, if its shader model is a
    /// released one.
    Bypass,
    /// Sixteen bytes of 2: the runtime accepts the shader unverified, in developer mode with
    /// experimental shader models.
    PreviewBypass,
    /// Any other value: must be the [`container_hash`].
    Hash([u8; 16]),
}

impl StoredHash {
    /// What [`sign`] is to be asked for so that a container is signed in the same way.
    pub fn signing(self) -> Signing {
        match self {
            Self::Unsigned => Signing::Unsigned,
            Self::Bypass => Signing::Bypass,
            Self::PreviewBypass => Signing::PreviewBypass,
            Self::Hash(_) => Signing::Hash,
        }
    }

    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        [
            (0, Self::Unsigned),
            (1, Self::Bypass),
            (2, Self::PreviewBypass),
        ]
        .into_iter()
        .find(|&(byte, _)| bytes == [byte; 16])
        .map_or(Self::Hash(bytes), |(_, reserved)| reserved)
    }
}

#[cfg(test)]
mod tests {
    use super::{StoredHash, container_hash};

    /// (length, hash) of messages made by [`message`], computed by another implementation;
    /// signatures that DXC's validator wrote are checked in the corpus tests.
    const VECTORS: [(u8, u128); 5] = [
        (12, 0x2c63_2773_9117_aab4_fc8b_62ad_8938_7552),
        (55, 0x0873_81c8_df24_6820_4cb4_8e17_2cbd_05e5),
        (56, 0x9c4a_9d23_1411_aa84_73f8_872f_20a2_43b5),
        (63, 0x536f_c32a_5bb6_e1e5_3223_f6c4_9453_bb67),
        (64, 0xcc45_f8b8_6899_ab0e_2e1f_c02c_188c_febe),
    ];

    /// Bytes 7i + 3, with the size field of a container of that length in place.
    fn message(length: u8) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..length)
            .map(|i| i.wrapping_mul(7).wrapping_add(3))
            .collect();
        bytes[4..8].copy_from_slice(&(u32::from(length) + 20).to_le_bytes());
        bytes
    }

    #[test]
    fn vectors() {
        for (length, expected) in VECTORS {
            let hash = u128::from_be_bytes(container_hash(&message(length)));
            assert_eq!(hash, expected, "length {length}: {hash:032x}");
        }
    }

    #[test]
    fn reserved_values_need_all_sixteen_bytes() {
        assert_eq!(StoredHash::from_bytes([0; 16]), StoredHash::Unsigned);
        assert_eq!(StoredHash::from_bytes([1; 16]), StoredHash::Bypass);
        assert_eq!(StoredHash::from_bytes([2; 16]), StoredHash::PreviewBypass);
        assert_eq!(StoredHash::from_bytes([3; 16]), StoredHash::Hash([3; 16]));
        for byte in 0..3 {
            let mut bytes = [byte; 16];
            bytes[15] = 3;
            assert_eq!(StoredHash::from_bytes(bytes), StoredHash::Hash(bytes));
        }
    }
}
