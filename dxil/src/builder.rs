//! Writing containers: parts taken out, replaced or added, and the hash.

use std::borrow::Cow;

use crate::container::{HEADER_LEN, PART_HEADER_LEN, VERSION};
use crate::{Container, Error, ErrorKind, FourCc, Part, Signing, sign};

/// Writes a container, mostly one that was read and is to be changed.
///
/// What is not touched stays as it was, byte for byte: the order of the part table and of the
/// payloads, gaps between them, parts of unknown names. The parts of a container are either all
/// aligned to 4 bytes, as DXC writes them from validator version 1.7 on, or they are not, as before;
/// only in an aligned one a payload that is put in is padded with zeros. `PRIV`, the data of the
/// application, is exempt where it comes last: it may have any length.
///
/// The validator of DXC compares `SFI0`, the signatures, `PSV0` and `RDAT` with the program. The
/// builder does not: it writes what it is given.
///
/// ```
/// use dxil::{Container, ContainerBuilder, FourCc};
///
/// let shader = include_bytes!("../corpus/dxil/dbg_zi_embed_ps.dxil");
/// let mut builder = ContainerBuilder::from(&Container::parse(shader)?);
/// assert_eq!(builder.build()?, shader);
///
/// for part in [FourCc::ILDB, FourCc::ILDN, FourCc::STAT] {
///     builder.remove(part);
/// }
/// builder.set(FourCc::PRIV, b"built by hand");
/// let stripped = builder.build()?;
/// assert!(stripped.len() < shader.len() / 3);
/// Container::parse(&stripped)?.verify()?;
/// # Ok::<(), dxil::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ContainerBuilder<'a> {
    /// The version field.
    version: [u8; 4],
    signing: Signing,
    is_aligned: bool,
    /// In the order of the part table.
    slots: Vec<Slot<'a>>,
    /// What follows the last part.
    end: &'a [u8],
}

/// A part to be written.
#[derive(Debug, Clone)]
struct Slot<'a> {
    fourcc: FourCc,
    payload: Cow<'a, [u8]>,
    /// Its place among the payloads, which need not be in the order of the part table.
    place: usize,
    /// What lies in front of it.
    gap: &'a [u8],
}

/// All parts of the container and its version. It will be signed in the way in which it is: with a
/// hash if it has one, right or wrong, else with the same reserved value.
impl<'a> From<&Container<'a>> for ContainerBuilder<'a> {
    fn from(container: &Container<'a>) -> Self {
        let bytes = container.bytes();
        let parts = container.parts();
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&index| parts[index].offset());
        let mut slots: Vec<Slot<'a>> = parts
            .iter()
            .map(|part| Slot {
                fourcc: part.fourcc(),
                payload: Cow::Borrowed(part.bytes()),
                place: 0,
                gap: &[],
            })
            .collect();
        let mut end = HEADER_LEN + 4 * parts.len();
        for (place, &index) in order.iter().enumerate() {
            slots[index].place = place;
            slots[index].gap = &bytes[end..parts[index].offset()];
            end = parts[index].end();
        }
        let is_last = |part: &Part<'_>| part.end() == end;
        let is_aligned = |part: &Part<'_>| {
            let any_length = part.fourcc() == FourCc::PRIV && is_last(part);
            part.offset().is_multiple_of(4) && (part.bytes().len().is_multiple_of(4) || any_length)
        };
        Self {
            version: bytes[VERSION..].first_chunk().copied().unwrap_or_default(),
            signing: container.hash().signing(),
            is_aligned: parts.iter().all(is_aligned),
            slots,
            end: &bytes[end..],
        }
    }
}

impl Default for ContainerBuilder<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> ContainerBuilder<'a> {
    /// A container of version 1.0 without parts, aligned, to be signed with a hash.
    pub fn new() -> Self {
        Self {
            version: [1, 0, 0, 0],
            signing: Signing::Hash,
            is_aligned: true,
            slots: Vec::new(),
            end: &[],
        }
    }

    /// The names of the parts, in the order of the part table.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = FourCc> {
        self.slots.iter().map(|slot| slot.fourcc)
    }

    /// Takes the part of that name out; tells whether there was one.
    pub fn remove(&mut self, part: FourCc) -> bool {
        let before = self.slots.len();
        self.slots.retain(|slot| slot.fourcc != part);
        self.slots.len() < before
    }

    /// Gives the part of that name another payload, in its place. Where there is none it is added
    /// behind the others, in front of a `PRIV` that comes last.
    pub fn set(&mut self, part: FourCc, payload: impl Into<Cow<'a, [u8]>>) {
        let payload = payload.into();
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.fourcc == part) {
            slot.payload = payload;
            return;
        }
        let end = self.slots.iter().map(|slot| slot.place + 1).max();
        let mut slot = Slot {
            fourcc: part,
            payload,
            place: end.unwrap_or_default(),
            gap: &[],
        };
        let index = match self.slots.last_mut() {
            Some(last) if last.fourcc == FourCc::PRIV && Some(last.place + 1) == end => {
                std::mem::swap(&mut slot.place, &mut last.place);
                self.slots.len() - 1
            }
            _ => self.slots.len(),
        };
        self.slots.insert(index, slot);
    }

    /// Has the container signed in another way.
    pub fn sign(&mut self, signing: Signing) {
        self.signing = signing;
    }

    /// Writes the container, signed. Building again gives the same bytes.
    ///
    /// # Errors
    ///
    /// There are no parts, a part has a name that is not printable ASCII, or the container would be
    /// larger than [`Container::MAX_LEN`].
    pub fn build(&self) -> Result<Vec<u8>, Error> {
        if self.slots.is_empty() {
            return Err(ErrorKind::NoParts.at(0));
        }
        let mut order: Vec<usize> = (0..self.slots.len()).collect();
        order.sort_by_key(|&index| self.slots[index].place);
        let last = order.last().copied();
        let sizes: Vec<usize> = (0..self.slots.len())
            .map(|index| {
                let Slot {
                    fourcc, payload, ..
                } = &self.slots[index];
                let any_length = *fourcc == FourCc::PRIV && Some(index) == last;
                if self.is_aligned && !any_length {
                    payload.len().next_multiple_of(4)
                } else {
                    payload.len()
                }
            })
            .collect();

        // In 64 bits: payloads may be borrowed more than once, so that memory does not bound them.
        let mut at = (HEADER_LEN + 4 * self.slots.len()) as u64;
        let mut offsets = vec![0; self.slots.len()];
        for &index in &order {
            offsets[index] = at + self.slots[index].gap.len() as u64;
            at = offsets[index] + (PART_HEADER_LEN + sizes[index]) as u64;
        }
        let len = at + self.end.len() as u64;
        let size = u32::try_from(len)
            .ok()
            .filter(|&size| size <= Container::MAX_LEN)
            .ok_or_else(|| ErrorKind::ContainerTooLong { len }.at(0))?;
        // What lies inside of `size` fits into 32 bits as well.
        let word = |value: u64| u32::try_from(value).unwrap_or(size).to_le_bytes();

        let mut bytes = Vec::with_capacity(size as usize);
        bytes.extend(FourCc::DXBC.0);
        bytes.extend([0; 16]);
        bytes.extend(self.version);
        bytes.extend(size.to_le_bytes());
        bytes.extend(word(self.slots.len() as u64));
        for offset in offsets {
            bytes.extend(word(offset));
        }
        for index in order {
            let slot = &self.slots[index];
            if !slot.fourcc.is_printable() {
                let found = slot.fourcc;
                return Err(ErrorKind::PartName { index, found }.at(0));
            }
            bytes.extend(slot.gap);
            bytes.extend(slot.fourcc.0);
            bytes.extend(word(sizes[index] as u64));
            let end = bytes.len() + sizes[index];
            bytes.extend(&*slot.payload);
            bytes.resize(end, 0);
        }
        bytes.extend(self.end);
        sign(&mut bytes, self.signing)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::ContainerBuilder;
    use crate::{Container, ErrorKind, FourCc, Signing, StoredHash};

    const A: FourCc = FourCc(*b"AAAA");
    const B: FourCc = FourCc(*b"BBBB");

    fn parts(bytes: &[u8]) -> Vec<(String, usize, &[u8])> {
        let container = Container::parse(bytes).unwrap();
        let parts = container.parts().iter();
        parts
            .map(|part| (part.fourcc().to_string(), part.offset(), part.bytes()))
            .collect()
    }

    #[test]
    fn new_parts_are_padded_and_come_before_private_data() {
        let mut builder = ContainerBuilder::new();
        assert_eq!(builder.build(), Err(ErrorKind::NoParts.at(0)));
        builder.set(FourCc::PRIV, b"secret");
        builder.set(A, b"a");
        builder.set(B, b"");
        let bytes = builder.build().unwrap();
        assert_eq!(
            parts(&bytes),
            [
                ("AAAA".to_owned(), 44, &b"a\0\0\0"[..]),
                ("BBBB".to_owned(), 56, &b""[..]),
                ("PRIV".to_owned(), 64, &b"secret"[..]),
            ]
        );
        assert_eq!(Container::parse(&bytes).unwrap().verify(), Ok(()));

        assert!(builder.remove(FourCc::PRIV) && !builder.remove(FourCc::PRIV));
        builder.set(A, vec![1; 5]);
        assert_eq!(builder.parts().collect::<Vec<_>>(), [A, B]);
        assert_eq!(
            parts(&builder.build().unwrap())[0].2,
            [1, 1, 1, 1, 1, 0, 0, 0]
        );
    }

    /// The table in another order than the payloads, gaps, and lengths that are not aligned.
    #[test]
    fn layout_is_kept_as_it_was() {
        let mut builder = ContainerBuilder::new();
        builder.set(A, b"aaaa");
        builder.set(B, b"bbbb");
        builder.sign(Signing::Unsigned);
        let mut bytes = builder.build().unwrap();
        // Room in front, between and behind; B first in the table.
        bytes.splice(64..64, *b"END");
        bytes.splice(52..52, *b"GAP");
        bytes.splice(40..40, *b"G");
        bytes[0x18] = u8::try_from(bytes.len()).unwrap();
        bytes[0x20] = 52 + 4;
        bytes[0x24] = 41;
        let container = Container::parse(&bytes).unwrap();
        let mut builder = ContainerBuilder::from(&container);
        assert_eq!(builder.build().unwrap(), bytes);

        builder.set(A, b"a");
        let shorter = builder.build().unwrap();
        assert_eq!(shorter[40..], *b"GAAAA\x01\0\0\0aGAPBBBB\x04\0\0\0bbbbEND");
        assert_eq!(
            Container::parse(&shorter).unwrap().hash(),
            StoredHash::Unsigned
        );
        builder.remove(A);
        assert_eq!(builder.build().unwrap()[36..], *b"GAPBBBB\x04\0\0\0bbbbEND");
    }

    #[test]
    fn every_way_to_sign() {
        let mut builder = ContainerBuilder::new();
        builder.set(A, b"");
        for (signing, stored) in [
            (Signing::Unsigned, StoredHash::Unsigned),
            (Signing::Bypass, StoredHash::Bypass),
            (Signing::PreviewBypass, StoredHash::PreviewBypass),
        ] {
            builder.sign(signing);
            let bytes = builder.build().unwrap();
            let container = Container::parse(&bytes).unwrap();
            assert_eq!(container.hash(), stored);
            assert_eq!(ContainerBuilder::from(&container).build().unwrap(), bytes);
        }
        builder.sign(Signing::Hash);
        let bytes = builder.build().unwrap();
        assert_eq!(Container::parse(&bytes).unwrap().verify(), Ok(()));
    }

    #[test]
    fn what_no_reader_takes_is_not_written() {
        let mut builder = ContainerBuilder::new();
        let found = FourCc(*b"A\0  ");
        builder.set(found, b"");
        assert_eq!(
            builder.build(),
            Err(ErrorKind::PartName { index: 0, found }.at(0))
        );
        // Many parts with the same payload exceed the limit without exceeding memory.
        let payload = vec![0; 1 << 24];
        let mut builder = ContainerBuilder::new();
        for n in 0..128_u8 {
            builder.set(FourCc([b'A', b'A', b'A' + n / 16, b'A' + n % 16]), &payload);
        }
        let len = 32 + 128 * (4 + 8 + (1 << 24));
        assert_eq!(
            builder.build(),
            Err(ErrorKind::ContainerTooLong { len }.at(0))
        );
    }
}
