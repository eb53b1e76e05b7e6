//! What declarations and facts have in common.

/// Parameters and result of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Names and C types of the parameters.
    pub parameters: Vec<(String, String)>,
    /// C type of the result.
    pub result: String,
}

/// What has a C name.
pub trait Named {
    /// The name.
    fn name(&self) -> &str;
}

impl<T: Named> Named for &T {
    fn name(&self) -> &str {
        (*self).name()
    }
}

/// The item of this name.
pub fn find<'a, T: Named>(items: &'a [T], name: &str) -> Option<&'a T> {
    items.iter().find(|item| item.name() == name)
}

macro_rules! named {
    ($($ty:ty),*) => {
        $(impl $crate::names::Named for $ty {
            fn name(&self) -> &str {
                &self.name
            }
        })*
    };
}
pub(crate) use named;
