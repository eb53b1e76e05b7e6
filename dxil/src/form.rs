//! The two forms in which shader code is handed around.

use crate::FourCc;

/// What shader code is: a container, or a program without one.
///
/// The API takes containers. The DDI passes `pShaderCode` without a length, and its reference pages
/// do not say in which of the two forms: read either. Both say how long they are.
///
/// ```
/// use dxil::{Container, Error, Form, Program};
///
/// /// The length of the shader code that starts with `first`, where that many bytes are readable.
/// fn declared_len(first: &[u8; 32]) -> Result<usize, Error> {
///     match Form::sniff(*first.first_chunk().unwrap()) {
///         Form::Container => Container::declared_len(first),
///         Form::Program => Program::declared_len(first.first_chunk().unwrap()),
///     }
/// }
///
/// let shader = include_bytes!("../corpus/dxil/raw_copy_cs.dxil");
/// assert_eq!(declared_len(shader.first_chunk().unwrap())?, shader.len());
/// let program = Container::parse(shader)?.program()?.bytes();
/// assert_eq!(declared_len(program.first_chunk().unwrap())?, program.len());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// A [`Container`](crate::Container).
    Container,
    /// A [`Program`](crate::Program).
    Program,
}

impl Form {
    /// Tells the form from the first four bytes.
    ///
    /// Only a container has a magic there, so anything else is taken for a program: reading it as
    /// one tells whether it is.
    pub fn sniff(first_word: [u8; 4]) -> Self {
        if FourCc(first_word) == FourCc::DXBC {
            Self::Container
        } else {
            Self::Program
        }
    }
}
