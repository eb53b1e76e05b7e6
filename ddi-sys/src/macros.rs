//! Open enumerations: a C enum is a 32-bit int that can hold any value.

/// Declares a newtype over `INT` and one constant for each enumerator, without `Debug`.
macro_rules! ddi_enum_type {
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
    };
}

/// Declares a C enum.
macro_rules! ddi_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$vmeta:meta])* $variant:ident = $value:literal,)*
        }
    ) => {
        ddi_enum_type! {
            $(#[$meta])*
            pub enum $name {
                $($(#[$vmeta])* $variant = $value,)*
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

/// Declares a C enum of flags, with the methods and operators of `bitflags`. Every bit is kept, also one without a name.
macro_rules! ddi_flags {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$vmeta:ident $($vargs:tt)*])* $variant:ident = $value:literal,)*
        }
    ) => {
        ddi_enum_type! {
            $(#[$meta])*
            pub enum $name {
                $($(#[$vmeta $($vargs)*])* $variant = $value,)*
            }
        }

        bitflags::bitflags! {
            impl $name: $crate::INT {
                $($(#[$vmeta $($vargs)*])* const $variant = $value;)*
                const _ = !0;
            }
        }

        impl $name {
            /// The bits that have a name.
            pub const KNOWN: Self = Self(0 $(| $value)*);
        }

        impl $crate::Flags for $name {
            const KNOWN: $crate::INT = Self::KNOWN.0;
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None if self.0 == 0 => f.write_str("0"),
                    None => bitflags::parser::to_writer(self, f),
                }
            }
        }
    };
}
