//! Numbers and flags of the format that have names.
//!
//! They are newtypes and not enumerations: a reader has to keep values that are newer than it.

/// Declares a number of which some values have names.
macro_rules! number {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $number:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            $($(#[$doc])* pub const $value: Self = Self($number);)+
        }

        /// The name, or the number where there is none.
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match *self {
                    $(Self::$value => f.write_str(stringify!($value)),)+
                    Self(other) => write!(f, "{}({other:#x})", stringify!($name)),
                }
            }
        }
    };
}

/// Declares a set of flags of which some have names.
macro_rules! flags {
    ($(#[$about:meta])* $name:ident: $bits:ident {
        $($(#[$doc:meta])* $flag:ident = $bit:literal,)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $bits);

        impl $name {
            /// No flag.
            pub const NONE: Self = Self(0);
            $($(#[$doc])* pub const $flag: Self = Self($bit);)+

            /// Whether all flags of `flags` are set.
            pub fn contains(self, flags: Self) -> bool {
                self.0 & flags.0 == flags.0
            }

            /// The names of the flags that are set and have one. Where the bits of two flags together
            /// are a third, only that one is named.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                let named = [$((Self::$flag, stringify!($flag)),)+];
                let is_part = move |flag: Self| {
                    let mut set = named.iter().filter(move |(other, _)| self.contains(*other));
                    set.any(|&(other, _)| other != flag && other.contains(flag))
                };
                let set = named.into_iter().filter(move |&(flag, _)| self.contains(flag));
                set.filter(move |&(flag, _)| !is_part(flag)).map(|(_, name)| name)
            }

            /// The bits that are set and have no name.
            pub fn unnamed(self) -> $bits {
                self.0 & !($(Self::$flag.0)|+)
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        /// The names, and as a number what has none.
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut list = f.debug_set();
                for name in self.names() {
                    list.entry(&format_args!("{name}"));
                }
                if self.unnamed() != 0 {
                    list.entry(&format_args!("{:#x}", self.unnamed()));
                }
                list.finish()
            }
        }
    };
}

pub(crate) use {flags, number};

#[cfg(test)]
mod tests {
    number! {
        /// For the test.
        Colour {
            /// 1.
            RED = 1,
            /// 2.
            GREEN = 2,
        }
    }

    flags! {
        /// For the test.
        Sides: u32 {
            /// 1.
            LEFT = 1,
            /// 0x10.
            RIGHT = 0x10,
            /// Two bits of which others are flags as well.
            TOP = 0x200,
            /// The same.
            BOTTOM = 0x400,
            /// Both together mean something else.
            AROUND = 0x600,
        }
    }

    #[test]
    fn unknown_values_are_kept_and_shown() {
        assert_eq!(
            format!("{:?} {:?}", Colour(2), Colour(0x30)),
            "GREEN Colour(0x30)"
        );
        let sides = Sides::LEFT | Sides(0x60) | Sides::RIGHT;
        assert_eq!(
            format!("{sides:?} {:?}", Sides::NONE),
            "{LEFT, RIGHT, 0x60} {}"
        );
        assert!(sides.contains(Sides::RIGHT | Sides::LEFT));
        assert!(!sides.contains(Sides(0x80) | Sides::LEFT));
        for (bits, text) in [
            (0x200, "{TOP}"),
            (0x400, "{BOTTOM}"),
            (0x601, "{LEFT, AROUND}"),
        ] {
            assert_eq!(format!("{:?}", Sides(bits)), text);
        }
    }
}
