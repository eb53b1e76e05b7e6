//! The container in a PDB, where compilers put debug information and sources.

use crate::read::{Numbers, table, word_at};
use crate::{Error, ErrorKind};

const MAGIC: &[u8; 32] = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0";

const HEADER_LEN: usize = 56;

// Where the header's fields are.
const BLOCK_SIZE: usize = 32;
const DIRECTORY_LEN: usize = 44;
const BLOCK_MAP: usize = 52;

/// The stream in which DXC puts the container.
const STREAM: usize = 5;

/// The length of a stream that was deleted.
const DELETED: u32 = u32::MAX;

/// Takes the container out of a PDB (MSF 7.00): its parts have the debug information, `ILDB`, the
/// sources, `SRCI`, and in the PDBs of other compilers `PDBI`. It has the `HASH` of the shader, by
/// which the two find each other, and is not signed.
///
/// A PDB stores it in pieces, so it is copied; that takes no more memory than the PDB has.
///
/// ```
/// use dxil::{Container, FourCc, pdb_container};
///
/// let shader = Container::parse(include_bytes!("../corpus/dxil/dbg_zi_pdb_ps.dxil"))?;
/// let pdb = pdb_container(include_bytes!("../corpus/pdb/dbg_zi_pdb_ps.pdb"))?;
/// let pdb = Container::parse(&pdb)?;
/// assert_eq!(pdb.shader_hash()?, shader.shader_hash()?);
/// assert!(pdb.part(FourCc::SRCI).is_some() && pdb.part(FourCc::ILDB).is_some());
/// # Ok::<(), dxil::Error>(())
/// ```
///
/// # Errors
///
/// `pdb` is no PDB, or has no such stream, or says that something is where it cannot be.
pub fn pdb_container(pdb: &[u8]) -> Result<Vec<u8>, Error> {
    let header = pdb.first_chunk::<HEADER_LEN>();
    let Some(header) = header.filter(|header| header.starts_with(MAGIC)) else {
        return Err(ErrorKind::NotAPdb.at(0));
    };
    let [block_size, directory_len, block_map] =
        [BLOCK_SIZE, DIRECTORY_LEN, BLOCK_MAP].map(|at| word_at(header, at));
    if block_size == 0 {
        return Err(ErrorKind::PdbBlockSize.at(BLOCK_SIZE));
    }
    let file = Blocks { pdb, block_size };
    let numbers = block_map
        .checked_mul(block_size)
        .and_then(|at| table(pdb, at, directory_len.div_ceil(block_size), 1));
    let directory = numbers.ok_or(ErrorKind::PdbDirectory.at(BLOCK_MAP))?;
    let directory = file.read(Numbers(directory), directory_len, DIRECTORY_LEN)?;
    file.stream(directory.as_chunks().0, STREAM)
}

/// A file of blocks.
struct Blocks<'a> {
    pdb: &'a [u8],
    block_size: u32,
}

impl Blocks<'_> {
    /// The contents of a stream, by the words of the directory: number of streams, length of each,
    /// numbers of the blocks of each.
    fn stream(&self, directory: &[[u8; 4]], stream: usize) -> Result<Vec<u8>, Error> {
        // Where the directory itself is at fault, the place of its blocks is what there is to name.
        let cut = ErrorKind::PdbDirectory.at(BLOCK_MAP);
        let (count, words) = directory.split_first().ok_or(cut)?;
        let count = u32::from_le_bytes(*count) as usize;
        if count <= stream {
            return Err(ErrorKind::PdbNoContainer { streams: count }.at(BLOCK_MAP));
        }
        let (lens, blocks) = words.split_at_checked(count).ok_or(cut)?;
        let blocks_of = |len: u32| match len {
            DELETED => 0,
            len => len.div_ceil(self.block_size) as usize,
        };
        let lens: Vec<u32> = Numbers(&lens[..=stream]).iter().collect();
        let before = lens[..stream]
            .iter()
            .fold(0_usize, |sum, &len| sum.saturating_add(blocks_of(len)));
        let blocks = blocks.get(before..).ok_or(cut)?;
        let blocks = blocks.get(..blocks_of(lens[stream])).ok_or(cut)?;
        let len = if blocks.is_empty() { 0 } else { lens[stream] };
        self.read(Numbers(blocks), len, BLOCK_MAP)
    }

    /// What lies in these blocks, `len` bytes; `at` is where that comes from.
    fn read(&self, blocks: Numbers<'_>, len: u32, at: usize) -> Result<Vec<u8>, Error> {
        // No block is used twice, so nothing is longer than the file.
        if len as usize > self.pdb.len() {
            return Err(ErrorKind::PdbDirectory.at(at));
        }
        let size = self.block_size as usize;
        let mut bytes = Vec::with_capacity(len as usize);
        for block in blocks.iter() {
            let rest = (block as usize)
                .checked_mul(size)
                .and_then(|start| self.pdb.get(start..));
            let content = rest.and_then(|rest| rest.get(..size.min(len as usize - bytes.len())));
            bytes.extend(content.ok_or(ErrorKind::PdbBlock { block }.at(at))?);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK_MAP, BLOCK_SIZE, DIRECTORY_LEN, HEADER_LEN, MAGIC, pdb_container};
    use crate::{Error, ErrorKind as E};

    /// Blocks of 64 bytes: header, block map at 2, directory at 3, the stream in 5 and then 4.
    fn pdb() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let mut block = |at: usize, words: &[u32]| {
            bytes.resize(at, 0);
            bytes.extend(words.iter().copied().flat_map(u32::to_le_bytes));
        };
        block(32, &[64, 1, 6, 40, 0, 2]);
        block(128, &[3]);
        block(192, &[6, 0, 1, u32::MAX, 0, 0, 70, 9, 5, 4]);
        block(256, &[0x6464_6464; 2]);
        block(320, &[0x6363_6363; 16]);
        bytes
    }

    #[test]
    fn blocks_are_put_together() {
        let container = pdb_container(&pdb()).unwrap();
        assert_eq!(container, [[b'c'; 64].as_slice(), &[b'd'; 6]].concat());
    }

    /// One field wrong at a time.
    #[test]
    fn each_field_is_checked() {
        let read = |at: usize, value: u32| {
            let mut bytes = pdb();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            pdb_container(&bytes)
        };
        let map = |kind: E| -> Result<Vec<u8>, Error> { Err(kind.at(BLOCK_MAP)) };
        assert_eq!(read(0, 0), Err(E::NotAPdb.at(0)));
        assert_eq!(read(BLOCK_SIZE, 0), Err(E::PdbBlockSize.at(BLOCK_SIZE)));
        let max = u32::MAX;
        for (at, value) in [(BLOCK_SIZE, max), (DIRECTORY_LEN, max), (BLOCK_MAP, max)] {
            assert_eq!(read(at, value), map(E::PdbDirectory), "{at}");
        }
        assert_eq!(
            read(DIRECTORY_LEN, 400),
            Err(E::PdbDirectory.at(DIRECTORY_LEN))
        );
        let block = 6;
        assert_eq!(
            read(128, block),
            Err(E::PdbBlock { block }.at(DIRECTORY_LEN))
        );
        for streams in [0, 5] {
            let count = u32::try_from(streams).unwrap();
            assert_eq!(read(192, count), map(E::PdbNoContainer { streams }));
        }
        for (word, value) in [(0, 10), (0, max), (1, 200), (6, 200), (6, max - 1)] {
            assert_eq!(read(192 + 4 * word, value), map(E::PdbDirectory), "{word}");
        }
        let block = max;
        assert_eq!(read(192 + 4 * 8, block), map(E::PdbBlock { block }));
        assert_eq!(
            pdb_container(&pdb()[..HEADER_LEN - 1]),
            Err(E::NotAPdb.at(0))
        );
        assert_eq!(read(192 + 4 * 6, max), Ok(vec![]));
    }
}
