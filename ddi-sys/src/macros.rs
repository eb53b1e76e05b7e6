//! Open enumerations: a C enum is a 32-bit int that can hold any value.

/// Declares a C enum as a newtype over `INT` and one constant for each enumerator.
macro_rules! ddi_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$vmeta:meta])* $variant:ident = $value:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(
            Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, bytemuck::Pod, bytemuck::Zeroable,
        )]
        pub struct $name(pub $crate::INT);

        $($(#[$vmeta])* pub const $variant: $name = $name($value);)*

        impl $name {
            /// Every enumerator and its C name, in the order of the header.
            pub const ENUMERATORS: &'static [(Self, &'static str)] =
                &[$(($variant, stringify!($variant))),*];

            /// The enumerator's C name; `None` for a value that has none.
            pub const fn name(self) -> Option<&'static str> {
                let mut i = 0;
                while i < Self::ENUMERATORS.len() {
                    if Self::ENUMERATORS[i].0.0 == self.0 {
                        return Some(Self::ENUMERATORS[i].1);
                    }
                    i += 1;
                }
                None
            }
        }

        impl $crate::Enumeration for $name {
            fn value(self) -> $crate::INT {
                self.0
            }

            fn name(self) -> Option<&'static str> {
                Self::name(self)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, concat!(stringify!($name), "({})"), self.0),
                }
            }
        }
    };
}

/// Declares a C enum of flags: [`ddi_enum`] and the bit operators.
macro_rules! ddi_flags {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$vmeta:meta])* $variant:ident = $value:literal,)*
        }
    ) => {
        ddi_enum! {
            $(#[$meta])*
            pub enum $name {
                $($(#[$vmeta])* $variant = $value,)*
            }
        }

        impl $name {
            /// The bits that have a name.
            pub const KNOWN: Self = Self(0 $(| $value)*);

            /// Whether every bit of `other` is set.
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl $crate::Flags for $name {
            const KNOWN: $crate::INT = Self::KNOWN.0;
        }

        impl core::ops::BitOr for $name {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl core::ops::BitAnd for $name {
            type Output = Self;
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl core::ops::Not for $name {
            type Output = Self;
            fn not(self) -> Self {
                Self(!self.0)
            }
        }
    };
}
