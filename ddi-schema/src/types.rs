//! What a description of a type says.

use std::fmt;

/// A type: a structure, or a single value such as a UINT.
#[derive(Debug)]
pub struct Type {
    /// Its C name. A structure that is read in several ways has one for each.
    pub name: &'static str,
    /// In bytes.
    pub size: usize,
    /// In bytes.
    pub align: usize,
    /// In the order of the declaration. A single value is one field without a name.
    pub fields: &'static [Field],
}

/// A member of a structure.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its C name.
    pub name: &'static str,
    /// In bytes.
    pub offset: usize,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number.
    Number(Number),
    /// An object that only who made it knows the inside of. The handle's C type.
    Handle(&'static str),
    /// A function.
    Function,
    /// A structure by value.
    Structure(&'static Type),
    /// So many of a type by value.
    Array(&'static Type, usize),
    /// One of several: the first whose conditions hold.
    Union(&'static [Arm]),
    /// A pointer.
    Pointer(Target),
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// In bytes.
    pub size: usize,
    /// How it reads.
    pub meaning: Meaning,
}

/// How a number reads.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// Without a sign.
    Unsigned,
    /// With a sign.
    Signed,
    /// A BOOL.
    Bool,
    /// A FLOAT.
    Float,
    /// Four numbers of 16 bits each.
    Version,
    /// One of these.
    Enumeration(Enumerators),
    /// Any of these bits.
    Flags(Enumerators),
}

/// The enumerators of an enumeration, by their place in its declaration.
pub type Enumerators = fn(usize) -> Option<(i32, &'static str)>;

/// One of the things that a union may be, or a pointer without a type may lead to.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    /// Its C name; empty where C has one name for all.
    pub name: &'static str,
    /// It is this one if all of them hold.
    pub when: &'static [When],
    /// What it is.
    pub kind: Kind,
}

/// A condition.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// What decides: a field beside the union, or behind pointers from there.
    pub path: &'static [&'static str],
    /// What holds of it.
    pub test: Test,
}

/// What a field must be.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// This.
    Is(i32),
    /// With these bits.
    Has(i32),
    /// Zero, or a null pointer.
    IsNull,
}

/// Where a pointer leads.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// What is there.
    pub item: Item,
    /// How many.
    pub count: Count,
    /// The field that says how far apart they are, where they do not follow each other.
    pub stride: Option<&'static str>,
    /// Who writes there.
    pub way: Way,
    /// What the pointer is to others.
    pub role: Role,
    /// Whether it is null only where there is nothing.
    pub is_required: bool,
}

/// What a pointer leads to.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// Values of a type. By a function, as types lead to each other in circles.
    Of(fn() -> &'static Type),
    /// UTF-16 up to a NUL.
    Text,
    /// A DXIL program or container, which says itself how long it is.
    Code,
    /// Bytes without a type.
    Bytes,
}

/// How many there are where a pointer leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many.
    Is(usize),
    /// As many as another field says.
    Says(&'static str),
    /// As many as the number says that another field points at.
    SaysAt(&'static str),
    /// As many as two other fields say, multiplied.
    Product(&'static str, &'static str),
}

/// Who writes where a pointer leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Nobody.
    In,
    /// Whoever is called.
    Out,
    /// Both.
    InOut,
}

/// What a pointer is to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A pointer.
    Pointer,
    /// A handle of this C type. It leads to create-arguments in the plugin DDI, and is the driver's own in the usermode DDI
    /// (docs/spec-notes.md, "Handles inside create arguments").
    Handle(&'static str),
    /// A pointer into an array of this object, or of another one, whose description the plugin DDI keeps alive.
    Element,
}

impl Type {
    /// What a value of it is.
    pub fn kind(&'static self) -> Kind {
        match self.fields {
            [field] if field.name.is_empty() => field.kind,
            _ => Kind::Structure(self),
        }
    }

    /// The field of this name, and its place.
    pub fn field(&self, name: &str) -> Option<(usize, &'static Field)> {
        let mut fields = self.fields.iter().enumerate();
        fields.find(|(_, field)| field.name == name)
    }
}

/// A type has one name, and may have several places in memory.
impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Type {}

impl Field {
    /// Whether C code names its arms without naming it.
    pub fn is_anonymous(&self) -> bool {
        self.name.starts_with("Anonymous")
    }
}

impl Kind {
    /// How many bytes it has.
    pub fn size(self) -> usize {
        match self {
            Self::Number(number) => number.size,
            Self::Structure(of) => of.size,
            Self::Array(of, count) => of.size * count,
            Self::Handle(_) | Self::Function | Self::Pointer(_) => size_of::<usize>(),
            Self::Union(arms) => {
                let sizes = arms.iter().map(|arm| arm.kind.size());
                sizes.max().unwrap_or_default()
            }
        }
    }

    /// Whether fields beside it say what it is.
    pub(crate) fn depends_on_others(self) -> bool {
        matches!(self, Self::Union(_) | Self::Pointer(_))
    }

    /// The same, that is written to.
    pub(crate) const fn written(self, way: Way) -> Self {
        match self {
            Self::Pointer(target) => Self::Pointer(Target { way, ..target }),
            other => other,
        }
    }

    /// The same, that is null only where there is nothing.
    pub(crate) const fn required(self) -> Self {
        match self {
            Self::Pointer(target) => Self::Pointer(Target {
                is_required: true,
                ..target
            }),
            other => other,
        }
    }
}

impl Target {
    /// An optional pointer to what nobody writes.
    pub const fn new(item: Item, count: Count) -> Self {
        Self {
            item,
            count,
            stride: None,
            way: Way::In,
            role: Role::Pointer,
            is_required: false,
        }
    }

    /// Whether there is one, and not an array of one.
    pub fn is_single(&self) -> bool {
        self.count == Count::Is(1)
    }

    /// Whether C code names what is there by an index: elements, and single values, which have no members.
    pub(crate) fn is_indexed(&self) -> bool {
        let is_value = |of: fn() -> &'static Type| !matches!(of().kind(), Kind::Structure(_));
        !self.is_single() || matches!(self.item, Item::Of(of) if is_value(of))
    }
}

impl Meaning {
    /// All enumerators.
    pub fn enumerators(self) -> impl Iterator<Item = (i32, &'static str)> {
        let enumerators = match self {
            Self::Enumeration(enumerators) | Self::Flags(enumerators) => Some(enumerators),
            _ => None,
        };
        (0..).map_while(move |index| enumerators?(index))
    }
}

impl Number {
    /// The largest bits that it has room for.
    pub fn most(self) -> u64 {
        u64::MAX >> (64 - 8 * u32::try_from(self.size).unwrap_or(8))
    }

    /// The number that these bits are.
    pub(crate) fn signed(self, bits: u64) -> i64 {
        let unused = 64 - 8 * u32::try_from(self.size).unwrap_or(8);
        (bits << unused).cast_signed() >> unused
    }

    /// These bits as text.
    pub fn shown(self, bits: u64) -> String {
        let word = || u32::try_from(bits).unwrap_or_default();
        match self.meaning {
            Meaning::Unsigned => bits.to_string(),
            Meaning::Signed => self.signed(bits).to_string(),
            Meaning::Bool => match bits {
                0 => "FALSE".into(),
                1 => "TRUE".into(),
                other => format!("TRUE ({other})"),
            },
            Meaning::Float => format!("{:?}", f32::from_bits(word())),
            Meaning::Version => ddi_sys::VersionNumber::from_bits(bits).to_string(),
            Meaning::Enumeration(_) => {
                let mut all = self.meaning.enumerators();
                let known = all.find(|(value, _)| *value == word().cast_signed());
                known.map_or_else(|| bits.to_string(), |(_, name)| name.to_owned())
            }
            Meaning::Flags(_) => flags(self.meaning, word()),
        }
    }
}

/// The name of all of the bits; else those of each of them, and the rest as a number.
fn flags(meaning: Meaning, bits: u32) -> String {
    let all = || {
        let all = meaning.enumerators();
        all.map(|(value, name)| (value.cast_unsigned(), name))
    };
    if let Some((_, name)) = all().find(|(value, _)| *value == bits) {
        return name.to_owned();
    }
    let (mut left, mut names) = (bits, Vec::new());
    for (value, name) in all() {
        if bits & value == value && left & value != 0 {
            left &= !value;
            names.push(name.to_owned());
        }
    }
    if left != 0 {
        names.push(format!("{left:#x}"));
    }
    if names.is_empty() {
        return "0".into();
    }
    names.join(" | ")
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
