//! The content that a file's digests cover. Each is an XXH3 of 128 bits, stored with its most significant byte first.

use twox_hash::{XxHash3_64, XxHash3_128};

use super::{Application, Target};

/// The digest of a value: the seed depends on key and type, so that a value under another key or type does not verify.
pub fn value(key: &[u8], kind: u8, value: &[u8]) -> u128 {
    XxHash3_128::oneshot_with_seed(XxHash3_64::oneshot_with_seed(u64::from(kind), key), value)
}

/// The digest of a group: the seed depends on key and version; [`push_key`] makes `list`.
pub fn group(key: &[u8], version: u32, list: &[u8]) -> u128 {
    XxHash3_128::oneshot_with_seed(XxHash3_64::oneshot_with_seed(u64::from(version), key), list)
}

/// Whether a digest is the stored one. A row without one came from another program: it is used as it is.
pub fn matches(stored: Option<&[u8]>, digest: u128) -> bool {
    stored.is_none_or(|stored| *stored == digest.to_be_bytes())
}

/// Appends a value key to a group's list: its size in four bytes, the least significant first, and its bytes.
pub fn push_key(list: &mut Vec<u8>, key: &[u8]) {
    let size = u32::try_from(key.len()).expect("keys are far below 4 GiB");
    list.extend_from_slice(&size.to_le_bytes());
    list.extend_from_slice(key);
}

/// The keys of a list that [`push_key`] made; of any other bytes, the keys before the first that exceeds the end.
pub fn keys_of(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let (size, after) = rest.split_first_chunk::<4>()?;
        let (key, after) = after.split_at_checked(u32::from_le_bytes(*size) as usize)?;
        rest = after;
        Some(key)
    })
}

/// The digest of target and application: numbers in eight bytes, strings after their size.
pub fn metadata(target: &Target, application: &Application) -> u128 {
    let mut bytes = Vec::new();
    let number = |bytes: &mut Vec<u8>, number: u64| bytes.extend_from_slice(&number.to_le_bytes());
    let text = |bytes: &mut Vec<u8>, text: &str| push_key(bytes, text.as_bytes());
    number(&mut bytes, target.abi);
    number(&mut bytes, target.compiler_version);
    text(&mut bytes, &target.family);
    number(&mut bytes, target.profile_version);
    text(&mut bytes, &application.exe);
    text(&mut bytes, &application.name);
    number(&mut bytes, application.version);
    number(&mut bytes, application.engine_version);
    // Absent differs from empty: nothing follows.
    if let Some(engine) = &application.engine_name {
        text(&mut bytes, engine);
    }
    XxHash3_128::oneshot(&bytes)
}
