//! Keys as people write and read them.

use std::fmt;

use serde::Serialize;
use shader_db::short_hex;

use crate::{Error, Result};

/// Hexadecimal digits of a report as people get them: of many only the first, and the number of bytes.
pub(crate) fn short(digits: &str) -> String {
    const SHOWN: usize = 128;
    match digits.get(..SHOWN) {
        Some(first) if digits.len() > SHOWN => {
            format!("{first}... ({} bytes)", digits.len() / 2)
        }
        _ => digits.into(),
    }
}

/// A key for a message: hexadecimal digits and, where it is text, the text; of a long key the beginning.
pub(crate) fn shown(key: &[u8]) -> String {
    if key.is_empty() {
        return "without a key".into();
    }
    let text = key.strip_suffix(b"\0").unwrap_or(key);
    match str::from_utf8(text) {
        Ok(text) if !text.is_empty() && text.len() <= 64 && !text.contains(char::is_control) => {
            format!("{} ({text:?})", short_hex(key))
        }
        _ => short_hex(key),
    }
}

/// The form of a key on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The bytes of the text.
    Text,
    /// The bytes of the text and a NUL, as C programs store the size of an array.
    TextAndNul,
    /// Hexadecimal digits.
    Hex,
}

impl Form {
    /// The name of the form in a message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::TextAndNul => "text with a terminating NUL",
            Self::Hex => "hexadecimal digits",
        }
    }
}

/// A key of the command line that exists, and its form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FoundKey {
    /// In hexadecimal digits.
    key: String,
    taken_for: String,
}

impl From<(Form, &[u8])> for FoundKey {
    fn from((form, key): (Form, &[u8])) -> Self {
        Self {
            key: hex::encode(key),
            taken_for: form.name().into(),
        }
    }
}

impl fmt::Display for FoundKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, given as {}", short(&self.key), self.taken_for)
    }
}

/// A key on the command line: keys are bytes, and text is only one of their forms.
///
/// After `text:` the rest is text, after `hex:` hexadecimal digits. Without either all forms are possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyText {
    text: String,
    candidates: Vec<(Form, Vec<u8>)>,
}

impl KeyText {
    /// Reads a key.
    ///
    /// # Errors
    ///
    /// The fault of the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut candidates = Vec::new();
        if let Some(digits) = text.strip_prefix("hex:") {
            let key = bytes(digits).ok_or("`hex:` needs an even number of hexadecimal digits")?;
            candidates.push((Form::Hex, key));
        } else {
            let rest = text.strip_prefix("text:");
            let plain = rest.unwrap_or(text);
            if plain.is_empty() {
                return Err("a key has at least one byte".into());
            }
            candidates.push((Form::Text, plain.into()));
            candidates.push((Form::TextAndNul, [plain.as_bytes(), b"\0"].concat()));
            if rest.is_none()
                && let Some(key) = bytes(text)
            {
                candidates.push((Form::Hex, key));
            }
        }
        Ok(Self {
            text: text.into(),
            candidates,
        })
    }

    /// The key as the user gave it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The first form that exists.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if no form does, and the errors of `exists`.
    pub fn find(&self, mut exists: impl FnMut(&[u8]) -> Result<bool>) -> Result<(Form, &[u8])> {
        for (form, key) in &self.candidates {
            if exists(key)? {
                return Ok((*form, key));
            }
        }
        let forms: Vec<_> = self
            .candidates
            .iter()
            .map(|(form, _)| form.name())
            .collect();
        Err(Error::Usage(format!(
            "there is no key `{}`, taken as {}",
            short_text(&self.text),
            forms.join(" or as ")
        )))
    }
}

/// A text of the command line; of a long text the beginning.
fn short_text(text: &str) -> String {
    const SHOWN: usize = 128;
    if text.len() <= SHOWN {
        return text.into();
    }
    let first: String = text.chars().take(SHOWN).collect();
    format!("{first}... ({} bytes)", text.len())
}

/// The bytes of hexadecimal digits, which may begin with `0x`.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let pair = |pair: &[u8; 2]| {
        let pair = str::from_utf8(pair).expect("ASCII digits");
        u8::from_str_radix(pair, 16).expect("two digits")
    };
    rest.is_empty().then(|| pairs.iter().map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, key: &[u8]) -> Option<Form> {
        let text = KeyText::parse(text).unwrap();
        let found = text.find(|candidate| Ok(candidate == key));
        found.ok().map(|(form, _)| form)
    }

    #[test]
    fn a_key_is_found_in_every_form() {
        assert_eq!(found("abc", b"abc"), Some(Form::Text));
        assert_eq!(found("abc", b"abc\0"), Some(Form::TextAndNul));
        assert_eq!(found("DEADbeef", b"\xde\xad\xbe\xef"), Some(Form::Hex));
        assert_eq!(found("0x01", b"\x01"), Some(Form::Hex));
        assert_eq!(found("hex:01", b"\x01"), Some(Form::Hex));
        assert_eq!(found("hex:0x01", b"\x01"), Some(Form::Hex));
        assert_eq!(found("text:01", b"\x01"), None);
        assert_eq!(found("text:01", b"01\0"), Some(Form::TextAndNul));
        assert_eq!(found("hex:01", b"hex:01"), None);
        assert_eq!(found("text:hex:01", b"hex:01"), Some(Form::Text));
        assert_eq!(found("é", "é".as_bytes()), Some(Form::Text));
    }

    #[test]
    fn text_comes_before_digits() {
        let key = KeyText::parse("beef").unwrap();
        assert_eq!(key.find(|_| Ok(true)).unwrap(), (Form::Text, &b"beef"[..]));
    }

    #[test]
    fn of_a_long_key_the_beginning_is_shown() {
        let long = vec![b'a'; 2 << 20];
        for text in [
            shown(&long),
            short(&hex::encode(&long)),
            short_text(&"a".repeat(2 << 20)),
        ] {
            assert!(
                text.len() < 200 && text.ends_with("... (2097152 bytes)"),
                "{text}"
            );
        }
        assert_eq!(shown(b"abc\0"), "61626300 (\"abc\")");
        assert_eq!(short("0102"), "0102");
    }

    #[test]
    fn what_can_be_no_key_is_refused() {
        for text in [
            "", "text:", "hex:", "hex:1", "hex:zz", "hex:0x", "hex:0x1", "hex:+1",
        ] {
            assert!(KeyText::parse(text).is_err(), "{text}");
        }
    }
}
