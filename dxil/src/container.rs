//! The container: header, part table, parts.

use std::fmt;

use crate::hash::{HASH, HASHED_FROM};
use crate::read::word_at;
use crate::{
    Error, ErrorKind, Foreign, FourCc, Program, RootSignature, Signature, StoredHash,
    container_hash,
};

pub(crate) const HEADER_LEN: usize = 32;
pub(crate) const PART_HEADER_LEN: usize = 8;

// Where the header's fields are.
pub(crate) const VERSION: usize = 0x14;
pub(crate) const SIZE: usize = 0x18;
pub(crate) const COUNT: usize = 0x1c;

/// A DXBC container: the form in which the API takes shaders and root signatures.
///
/// Parsing checks the header, the part table and the bounds of every part, so that nothing here can
/// fail later. It is as tolerant as a careful consumer has to be: parts may come in any order, at
/// any alignment (DXC before validator version 1.7 does not align them), with gaps between them and
/// under unknown names, and bytes may follow the container. It refuses parts that leave the
/// container, overlap each other or the table, share a name, or have a name that is not printable
/// ASCII, which means that the part table does not point at parts. What is inside the parts is not
/// read: [`check`](Self::check) does, and the methods that return it.
#[derive(Clone, PartialEq, Eq)]
pub struct Container<'a> {
    bytes: &'a [u8],
    trailing: &'a [u8],
    parts: Vec<Part<'a>>,
}

impl<'a> Container<'a> {
    /// The largest container size that the format allows, in bytes (`DxilContainerMaxSize` of
    /// DirectXShaderCompiler).
    pub const MAX_LEN: u32 = 0x8000_0000;

    /// How many bytes the container claims to have that starts with `header`.
    ///
    /// For shader code that comes as a pointer without a length: the caller must know that the 32
    /// bytes are readable, and takes the word of whoever wrote them for the rest.
    ///
    /// # Errors
    ///
    /// `header` does not start a container of version 1.x with a possible size.
    pub fn declared_len(header: &[u8; HEADER_LEN]) -> Result<usize, Error> {
        check_magic(header)?;
        let [major, minor] =
            [VERSION, VERSION + 2].map(|at| u16::from_le_bytes([header[at], header[at + 1]]));
        if major != 1 {
            return Err(ErrorKind::ContainerVersion { major, minor }.at(VERSION));
        }
        let size = word_at(header, SIZE);
        if (size as usize) < HEADER_LEN {
            return Err(ErrorKind::ContainerSizeBelowHeader { size }.at(SIZE));
        }
        if size > Self::MAX_LEN {
            return Err(ErrorKind::ContainerSizeAboveLimit { size }.at(SIZE));
        }
        Ok(size as usize)
    }

    /// Reads the container at the start of `bytes`.
    ///
    /// # Errors
    ///
    /// The header, the part table or a part header is wrong; [`ErrorKind`] lists how. The hash is
    /// not verified: see [`verify`](Self::verify).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let (bytes, trailing) = Self::split(bytes)?;
        let (header, rest) = bytes.split_at(HEADER_LEN);
        let count = header[COUNT..]
            .first_chunk()
            .map_or(0, |&count| u32::from_le_bytes(count));
        if count == 0 {
            return Err(ErrorKind::NoParts.at(COUNT));
        }
        let (rest_as_words, _) = rest.as_chunks();
        let Some(table) = rest_as_words.get(..count as usize) else {
            return Err(ErrorKind::TablePastEnd {
                count,
                container: bytes.len(),
            }
            .at(COUNT));
        };
        let table_end = HEADER_LEN + size_of_val(table);
        let parts = table
            .iter()
            .enumerate()
            .map(|(index, &start)| Part::parse(bytes, table_end, index, u32::from_le_bytes(start)))
            .collect::<Result<Vec<_>, _>>()?;
        check_disjoint(&parts)?;
        Ok(Self {
            bytes,
            trailing,
            parts,
        })
    }

    /// The container at the start of `bytes`, as long as its header says, and what follows it.
    pub(crate) fn split(bytes: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), Error> {
        if let Some(what) = foreign(bytes) {
            return Err(ErrorKind::Foreign { what }.at(0));
        }
        let Some(header) = bytes.first_chunk() else {
            check_magic(bytes)?;
            return Err(ErrorKind::HeaderCut {
                available: bytes.len(),
            }
            .at(0));
        };
        let len = Self::declared_len(header)?;
        bytes.split_at_checked(len).ok_or_else(|| {
            let kind = ErrorKind::ContainerCut {
                size: word_at(header, SIZE),
                available: bytes.len(),
            };
            kind.at(SIZE)
        })
    }

    /// The container's own bytes, from the magic up to the container size.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// What follows the container in the bytes that were parsed; not covered by the hash, and
    /// ignored by DXC.
    pub fn trailing(&self) -> &'a [u8] {
        self.trailing
    }

    /// The parts, in the order of the part table; at least one.
    pub fn parts(&self) -> &[Part<'a>] {
        &self.parts
    }

    /// The part of that name.
    pub fn part(&self, fourcc: FourCc) -> Option<Part<'a>> {
        self.parts
            .iter()
            .copied()
            .find(|part| part.fourcc == fourcc)
    }

    /// The program in the `DXIL` part.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoDxilPart`] where there is none, as in a root signature;
    /// [`ErrorKind::NotDxil`] where a program of shader model 4 or 5 is in its place; else what
    /// [`Program::parse`] says.
    pub fn program(&self) -> Result<Program<'a>, Error> {
        if let Some(part) = self.part(FourCc::DXIL) {
            return part.program();
        }
        match [FourCc::SHEX, FourCc::SHDR]
            .into_iter()
            .find_map(|token_stream| self.part(token_stream))
        {
            Some(part) => Err(ErrorKind::NotDxil.at(0).in_part(part.fourcc, part.offset)),
            None => Err(ErrorKind::NoDxilPart.at(COUNT)),
        }
    }

    /// The signature in the part of that name, `ISG1`, `OSG1` or `PSG1`; `None` where there is no
    /// such part.
    ///
    /// # Errors
    ///
    /// Those of [`Signature::parse`]; [`ErrorKind::NotASignature`] where the part is another.
    pub fn signature(&self, fourcc: FourCc) -> Result<Option<Signature<'a>>, Error> {
        let read = |part: Part<'a>| match fourcc {
            FourCc::ISG1 | FourCc::OSG1 | FourCc::PSG1 => part.read(Signature::parse),
            _ => Err(ErrorKind::NotASignature.at(0).in_part(fourcc, part.offset)),
        };
        self.part(fourcc).map(read).transpose()
    }

    /// The root signature in the `RTS0` part; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Those of [`RootSignature::parse`].
    pub fn root_signature(&self) -> Result<Option<RootSignature<'a>>, Error> {
        let part = self.part(FourCc::RTS0);
        part.map(|part| part.read(RootSignature::parse)).transpose()
    }

    /// What the hash field says.
    pub fn hash(&self) -> StoredHash {
        let mut hash = [0; 16];
        hash.copy_from_slice(&self.bytes[HASH..HASHED_FROM]);
        StoredHash::from_bytes(hash)
    }

    /// The hash that the container should have.
    pub fn computed_hash(&self) -> [u8; 16] {
        container_hash(&self.bytes[HASHED_FROM..])
    }

    /// Checks that the container carries the hash of its own bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::HashMismatch`], or [`ErrorKind::NoHash`] where one of the reserved values of
    /// [`StoredHash`] stands in place of a hash.
    pub fn verify(&self) -> Result<(), Error> {
        let stored = self.hash();
        let StoredHash::Hash(stored) = stored else {
            return Err(ErrorKind::NoHash { stored }.at(HASH));
        };
        let computed = self.computed_hash();
        if stored != computed {
            return Err(ErrorKind::HashMismatch { stored, computed }.at(HASH));
        }
        Ok(())
    }
}

impl fmt::Debug for Container<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Container")
            .field("len", &self.bytes.len())
            .field("trailing", &self.trailing.len())
            .field("hash", &self.hash())
            .field("parts", &self.parts)
            .finish()
    }
}

/// A part of a container: a name and a payload.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    fourcc: FourCc,
    offset: usize,
    bytes: &'a [u8],
}

impl<'a> Part<'a> {
    fn parse(
        container: &'a [u8],
        table_end: usize,
        index: usize,
        start: u32,
    ) -> Result<Self, Error> {
        let entry = HEADER_LEN + 4 * index;
        let offset = start as usize;
        if offset < table_end {
            return Err(ErrorKind::PartInTable {
                index,
                start,
                table_end,
            }
            .at(entry));
        }
        let from_start = container.get(offset..).unwrap_or_default();
        let Some((header, rest)) = from_start.split_first_chunk::<PART_HEADER_LEN>() else {
            let kind = ErrorKind::PartHeaderPastEnd {
                index,
                start,
                container: container.len(),
            };
            return Err(kind.at(entry));
        };
        let [a, b, c, d, ..] = *header;
        let fourcc = FourCc([a, b, c, d]);
        if !fourcc.is_printable() {
            return Err(ErrorKind::PartName {
                index,
                found: fourcc,
            }
            .at(offset));
        }
        let size = word_at(header, 4);
        let Some(bytes) = rest.get(..size as usize) else {
            let kind = ErrorKind::PartPastEnd {
                index,
                size,
                available: rest.len(),
            };
            return Err(kind.at(4).in_part(fourcc, offset));
        };
        Ok(Self {
            fourcc,
            offset,
            bytes,
        })
    }

    /// The name.
    pub fn fourcc(&self) -> FourCc {
        self.fourcc
    }

    /// Where the part header starts, in bytes from the start of the container. The payload follows
    /// 8 bytes later.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The payload.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The payload as a program: for `DXIL`, `ILDB` and `STAT`.
    ///
    /// # Errors
    ///
    /// Those of [`Program::parse`], located in this part.
    pub fn program(&self) -> Result<Program<'a>, Error> {
        self.read(Program::parse)
    }

    /// The payload as `parse` reads it, errors located in the part.
    pub(crate) fn read<T>(
        &self,
        parse: impl FnOnce(&'a [u8]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        parse(self.bytes).map_err(|error| error.in_part(self.fourcc, self.payload()))
    }

    pub(crate) fn payload(&self) -> usize {
        self.offset + PART_HEADER_LEN
    }

    pub(crate) fn end(&self) -> usize {
        self.payload() + self.bytes.len()
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at {:#x}, {} bytes",
            self.fourcc,
            self.offset,
            self.bytes.len()
        )
    }
}

/// No part overlaps another or has another's name. Sorts, because the part count comes from the
/// input: comparing each with each would let a crafted container take hours.
fn check_disjoint(parts: &[Part<'_>]) -> Result<(), Error> {
    let mut sorted: Vec<&Part<'_>> = parts.iter().collect();
    sorted.sort_by_key(|part| part.offset);
    for pair in sorted.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        if a.end() > b.offset {
            let kind = ErrorKind::PartOverlap {
                other: a.fourcc,
                other_start: a.offset,
                other_end: a.end(),
            };
            return Err(kind.at(0).in_part(b.fourcc, b.offset));
        }
    }
    sorted.sort_by_key(|part| part.fourcc);
    for pair in sorted.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        if a.fourcc == b.fourcc {
            return Err(ErrorKind::DuplicatePart { first: a.offset }
                .at(0)
                .in_part(b.fourcc, b.offset));
        }
    }
    Ok(())
}

/// What the bytes are, if they are a file of another kind.
fn foreign(bytes: &[u8]) -> Option<Foreign> {
    Foreign::sniff(bytes).filter(|&what| what != Foreign::Container)
}

/// Fails if the first word is there and is not the magic.
fn check_magic(bytes: &[u8]) -> Result<(), Error> {
    match bytes.first_chunk() {
        Some(&found) if FourCc(found) != FourCc::DXBC => Err(ErrorKind::NotAContainer {
            found: FourCc(found),
        }
        .at(0)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Container, HEADER_LEN};
    use crate::{Error, ErrorKind, FourCc};

    /// An unsigned container with these parts, one behind the other.
    fn container(parts: &[(FourCc, &[u8])]) -> Vec<u8> {
        let mut start = HEADER_LEN + 4 * parts.len();
        let mut table = Vec::new();
        let mut body = Vec::new();
        for (fourcc, payload) in parts {
            table.extend(u32::try_from(start).unwrap().to_le_bytes());
            body.extend(fourcc.0);
            body.extend(u32::try_from(payload.len()).unwrap().to_le_bytes());
            body.extend(*payload);
            start += 8 + payload.len();
        }
        let mut bytes = b"DXBC".to_vec();
        bytes.extend([0; 16]);
        for word in [1, start, parts.len()] {
            bytes.extend(u32::try_from(word).unwrap().to_le_bytes());
        }
        bytes.extend(table);
        bytes.extend(body);
        bytes
    }

    fn set(bytes: &mut [u8], at: usize, value: u32) {
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Two parts: A at 40 with 3 bytes, B at 51 with 5 bytes; 64 bytes in all.
    fn two() -> Vec<u8> {
        container(&[(FourCc(*b"A   "), b"aaa"), (FourCc(*b"B   "), b"bbbbb")])
    }

    #[test]
    fn parts_need_no_alignment() {
        let bytes = two();
        let container = Container::parse(&bytes).unwrap();
        let [a, b] = container.parts() else {
            panic!("{container:?}")
        };
        assert_eq!(
            (a.fourcc(), a.offset(), a.bytes()),
            (FourCc(*b"A   "), 40, &b"aaa"[..])
        );
        assert_eq!(
            (b.fourcc(), b.offset(), b.bytes()),
            (FourCc(*b"B   "), 51, &b"bbbbb"[..])
        );
        assert_eq!(container.part(b.fourcc()), Some(*b));
        assert_eq!(container.part(FourCc::DXIL), None);
        assert!(container.trailing().is_empty());
    }

    #[test]
    fn empty_parts_and_a_later_minor_version_are_fine() {
        let mut bytes = container(&[(FourCc(*b"A   "), b""), (FourCc(*b"B   "), b"")]);
        bytes[0x16] = 7;
        assert_eq!(Container::parse(&bytes).unwrap().parts().len(), 2);
    }

    /// One field wrong at a time, at the edge of what is allowed.
    #[test]
    fn each_field_is_checked() {
        use ErrorKind as E;
        let [a, b] = [*b"A   ", *b"B   "].map(FourCc);
        let cut_b = E::PartPastEnd {
            index: 1,
            size: 6,
            available: 5,
        };
        let overlap = E::PartOverlap {
            other: a,
            other_start: 40,
            other_end: 52,
        };
        let found = FourCc(*b"A\0  ");
        let cases: [(usize, u32, E, Option<FourCc>, usize); 13] = [
            (
                0x14,
                0x0000_0000,
                E::ContainerVersion { major: 0, minor: 0 },
                None,
                0x14,
            ),
            (
                0x18,
                31,
                E::ContainerSizeBelowHeader { size: 31 },
                None,
                0x18,
            ),
            (
                0x18,
                65,
                E::ContainerCut {
                    size: 65,
                    available: 64,
                },
                None,
                0x18,
            ),
            (
                0x18,
                0x8000_0000,
                E::ContainerCut {
                    size: 0x8000_0000,
                    available: 64,
                },
                None,
                0x18,
            ),
            (
                0x18,
                0x8000_0001,
                E::ContainerSizeAboveLimit { size: 0x8000_0001 },
                None,
                0x18,
            ),
            (
                0x18,
                39,
                E::TablePastEnd {
                    count: 2,
                    container: 39,
                },
                None,
                0x1c,
            ),
            (0x1c, 0, E::NoParts, None, 0x1c),
            (
                0x1c,
                9,
                E::TablePastEnd {
                    count: 9,
                    container: 64,
                },
                None,
                0x1c,
            ),
            (
                0x20,
                39,
                E::PartInTable {
                    index: 0,
                    start: 39,
                    table_end: 40,
                },
                None,
                0x20,
            ),
            (
                0x24,
                57,
                E::PartHeaderPastEnd {
                    index: 1,
                    start: 57,
                    container: 64,
                },
                None,
                0x24,
            ),
            (40, 0x2020_0041, E::PartName { index: 0, found }, None, 40),
            (55, 6, cut_b, Some(b), 55),
            (44, 4, overlap, Some(b), 51),
        ];
        for (at, value, kind, part, offset) in cases {
            let mut bytes = two();
            set(&mut bytes, at, value);
            assert_eq!(
                Container::parse(&bytes),
                Err(Error { kind, part, offset }),
                "{value:#x} at {at:#x}"
            );
        }
    }

    #[test]
    fn a_name_is_used_once_known_or_not() {
        let [a, b] = [*b"A   ", *b"B   "].map(FourCc);
        let bytes = container(&[(b, b"1"), (a, b""), (b, b"2")]);
        let expected = Error {
            kind: ErrorKind::DuplicatePart { first: 44 },
            part: Some(b),
            offset: 61,
        };
        assert_eq!(Container::parse(&bytes), Err(expected));
    }

    #[test]
    fn declared_len_trusts_the_size_field_only() {
        let mut header = *two().first_chunk().unwrap();
        assert_eq!(Container::declared_len(&header), Ok(64));
        set(&mut header, 0x18, Container::MAX_LEN);
        assert_eq!(Container::declared_len(&header), Ok(0x8000_0000));
        set(&mut header, 0x18, Container::MAX_LEN + 1);
        Container::declared_len(&header).unwrap_err();
        set(&mut header, 0x18, 64);
        header[0] = b'd';
        Container::declared_len(&header).unwrap_err();
    }

    /// A crafted part table must not make parsing slower than its length warrants. Comparing each
    /// part with each would take minutes here.
    #[test]
    fn many_parts_parse_in_reasonable_time() {
        let name = |n: u32| FourCc([0, 6, 12, 18].map(|shift| b'0' + (n >> shift & 63) as u8));
        let parts: Vec<(FourCc, &[u8])> = (0..200_000).map(|n| (name(n), &[][..])).collect();
        assert_eq!(
            Container::parse(&container(&parts)).unwrap().parts().len(),
            parts.len()
        );
    }

    #[test]
    fn errors_say_where() {
        let mut bytes = two();
        set(&mut bytes, 44, 4);
        let error = Container::parse(&bytes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "part B   , byte 0x33: overlaps with part A   , which lies at 0x28..0x34"
        );
        let error = Container::parse(&bytes[..3]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "byte 0x0: the input ends after 3 bytes, inside the 32-byte container header"
        );
    }
}
