//! The walk over the bitcode: types, values, constants, metadata.

use std::ops::Range;

use super::Function;
use super::graph::{Graph, ItemKind};
use super::layout::Layout;
use crate::bitstream::{Cursor, Entry, Operand, Record};
use crate::constants::{Constant, Field, Scalar, Scope};
use crate::{BitstreamFault, Error};

// Ids of blocks and codes of records: `LLVMBitCodes.h` of LLVM 3.7.
const MODULE: u32 = 8;
const CONSTANTS: u32 = 11;
const FUNCTION: u32 = 12;
const SYMBOLS: u32 = 14;
const METADATA: u32 = 15;
const TYPES: u32 = 17;

const MODULE_DATA_LAYOUT: u32 = 3;
const MODULE_GLOBAL_VARIABLE: u32 = 7;
const MODULE_FUNCTION: u32 = 8;
const MODULE_ALIAS_OLD: u32 = 9;
const MODULE_ALIAS: u32 = 14;

const TYPE_COUNT: u32 = 1;
const TYPE_FLOAT: u32 = 3;
const TYPE_DOUBLE: u32 = 4;
const TYPE_INTEGER: u32 = 7;
const TYPE_POINTER: u32 = 8;
const TYPE_HALF: u32 = 10;
const TYPE_ARRAY: u32 = 11;
const TYPE_VECTOR: u32 = 12;
const TYPE_STRUCT: u32 = 18;
const TYPE_STRUCT_NAME: u32 = 19;
const TYPE_STRUCT_NAMED: u32 = 20;

const CONSTANT_SET_TYPE: u32 = 1;
const CONSTANT_NULL: u32 = 2;
const CONSTANT_INTEGER: u32 = 4;
const CONSTANT_FLOAT: u32 = 6;
const CONSTANT_AGGREGATE: u32 = 7;
const CONSTANT_DATA: u32 = 22;

const SYMBOL_ENTRY: u32 = 1;

const METADATA_STRING: u32 = 1;
const METADATA_VALUE: u32 = 2;
const METADATA_NODE: u32 = 3;
const METADATA_NAME: u32 = 4;
const METADATA_DISTINCT_NODE: u32 = 5;
const METADATA_KIND: u32 = 6;
const METADATA_NAMED_NODE: u32 = 10;
const METADATA_ATTACHMENT: u32 = 11;

/// How many records and operands a module may have for each byte. What DXC writes takes 4 bits and up;
/// operands of one bit, or of none, would be far longer in memory than in the bitcode.
const OPERANDS_PER_BYTE: usize = 2;

/// The address space of group-shared memory.
const GROUP_SHARED: u64 = 3;

/// A type, as far as constants, constant buffers and group-shared memory need it. Other types are named by their place. What a type
/// consists of is defined before it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Type {
    Scalar(Scalar),
    Array {
        count: u64,
        element: u64,
    },
    Vector {
        count: u64,
        element: u64,
    },
    /// Its fields stand in [`Walk::fields`].
    Struct {
        first: usize,
        count: usize,
        /// Whether a field at any depth is an array.
        has_array: bool,
        /// The length, if all that it has is one array of scalars.
        scalars: Option<u64>,
    },
    Pointer {
        to: u64,
        space: u64,
    },
    #[default]
    Other,
}

/// How the names of structures begin in which DXC writes matrices as arrays of vectors.
const WITH_MATRICES: [&str; 2] = ["hostlayout.", "class.matrix."];

/// The most columns or rows of a matrix.
const MATRIX: u64 = 4;

/// A value that the whole module knows.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Function(usize),
    /// Zero of any type.
    Null,
    /// A constant, by its place.
    Scalar(usize),
    /// The elements of an array or vector.
    Sequence(Range<usize>),
    /// Values by id, which stand in [`Walk::members`].
    Aggregate(Range<usize>),
    Other,
}

#[derive(Debug, Default)]
pub(super) struct Walk {
    types: Vec<Type>,
    /// The types of the fields of structures.
    fields: Vec<u64>,
    layout: Layout,
    /// The types of variables in group-shared memory.
    group_shared: Vec<u64>,
    /// Whether the structure that follows has matrices.
    has_matrices: bool,
    pub(super) values: Vec<Value>,
    members: Vec<u64>,
    pub(super) functions: Vec<Function>,
    pub(super) constants: Vec<Constant>,
    pub(super) graph: Graph,
    /// The name of the named node that follows.
    name: Range<usize>,
    /// The type of the constants that follow.
    current: Type,
    /// From which function on the next body is to be looked for.
    next_body: usize,
    /// The values that metadata was found to refer to.
    seen: Vec<bool>,
}

impl Walk {
    pub(super) fn over(bitcode: &[u8]) -> Result<Self, Error> {
        let mut walk = Self::default();
        let mut open = Vec::new();
        let mut found = false;
        // The function that is open, and how much metadata there was before it.
        let (mut body, mut before) = (0, 0);
        let limit = OPERANDS_PER_BYTE * bitcode.len();
        let mut left = limit;
        let mut cursor = Cursor::new(bitcode)?;
        while let Some(entry) = cursor.next().transpose()? {
            match entry {
                Entry::SubBlock { id } => {
                    open.push(id);
                    match open[..] {
                        [MODULE] if found => {
                            return Err(BitstreamFault::SecondModule.at(cursor.position()));
                        }
                        [MODULE] => found = true,
                        [MODULE, FUNCTION] => {
                            let no_function = BitstreamFault::BodyWithoutFunction;
                            body = walk.body().ok_or(no_function.at(cursor.position()))?;
                            before = walk.graph.len();
                        }
                        [MODULE, CONSTANTS] | [MODULE, FUNCTION, CONSTANTS] => {
                            walk.current = Type::Scalar(Scalar::Integer(32));
                        }
                        _ => {}
                    }
                }
                Entry::EndBlock => {
                    if open[..] == [MODULE, FUNCTION] {
                        walk.mark(before);
                        walk.graph.truncate(before);
                    }
                    open.pop();
                }
                Entry::Record(record) => {
                    let too_dense = BitstreamFault::TooDense { limit };
                    left = left
                        .checked_sub(1 + record.operands().len())
                        .ok_or(too_dense.at(record.bit()))?;
                    match open[..] {
                        [MODULE] => walk.module(&record),
                        [MODULE, TYPES] => walk.define_type(&record),
                        [MODULE, CONSTANTS] => {
                            let value = walk.constant(&record, Scope::Module);
                            walk.values.extend(value);
                        }
                        [MODULE, FUNCTION, CONSTANTS] => {
                            walk.constant(&record, Scope::Function(body));
                        }
                        [MODULE, SYMBOLS] => walk.symbol(&record),
                        [MODULE, METADATA] | [MODULE, FUNCTION, METADATA] => {
                            walk.metadata(&record);
                        }
                        _ => {}
                    }
                }
            }
        }
        if !found {
            return Err(BitstreamFault::NoModule.at(0));
        }
        walk.mark(0);
        Ok(walk)
    }

    /// The function whose body comes next: bodies have the order of the functions.
    fn body(&mut self) -> Option<usize> {
        let defined = |&function: &usize| self.functions[function].is_defined;
        let body = (self.next_body..self.functions.len()).find(defined);
        self.next_body = body.map_or(self.functions.len(), |body| body + 1);
        body
    }

    fn module(&mut self, record: &Record<'_>) {
        match record.code() {
            MODULE_FUNCTION => {
                self.values.push(Value::Function(self.functions.len()));
                self.functions.push(Function {
                    name: String::new(),
                    // Type, calling convention, whether it is a declaration.
                    is_defined: operand(record, 2) == Some(0),
                });
            }
            MODULE_DATA_LAYOUT => self.layout = Layout::parse(&text(record.operands())),
            MODULE_GLOBAL_VARIABLE => {
                self.global_variable(record);
                self.values.push(Value::Other);
            }
            MODULE_ALIAS_OLD | MODULE_ALIAS => self.values.push(Value::Other),
            _ => {}
        }
    }

    fn global_variable(&mut self, record: &Record<'_>) {
        let (Some(ty), Some(flags)) = (operand(record, 0), operand(record, 1)) else {
            return;
        };
        // Bit 1: the type is that of the value, and the address space follows.
        let (ty, space) = match self.ty(ty) {
            _ if flags & 2 != 0 => (ty, flags >> 2),
            Some(Type::Pointer { to, space }) => (to, space),
            _ => return,
        };
        if space == GROUP_SHARED {
            self.group_shared.push(ty);
        }
    }

    /// Bytes of group-shared memory; `None` if some of it cannot be measured.
    pub(super) fn group_shared_bytes(&self) -> Option<u32> {
        if self.group_shared.is_empty() {
            return Some(0);
        }
        let sizes = self.layout.sizes(&self.types, &self.fields);
        let mut total = 0_u64;
        for &ty in &self.group_shared {
            let (size, _) = sizes.get(usize::try_from(ty).ok()?).copied()??;
            total = total.checked_add(size)?;
        }
        u32::try_from(total).ok()
    }

    /// What a record of constants defines; `None` where it defines none.
    fn constant(&mut self, record: &Record<'_>, scope: Scope) -> Option<Value> {
        let mut operands = record.operands();
        let constant = |ty, operand: &Operand, signed, element| {
            let field = Field::new(operand, signed);
            Constant {
                ty,
                bits: field.decode(ty, operand.value),
                scope,
                element,
                in_metadata: false,
                field,
            }
        };
        let first = self.constants.len();
        Some(match (record.code(), self.current) {
            (CONSTANT_SET_TYPE, _) => {
                let ty = operands.next().and_then(|ty| self.ty(ty.value));
                self.current = ty.unwrap_or_default();
                return None;
            }
            (CONSTANT_NULL, _) => Value::Null,
            (CONSTANT_INTEGER, Type::Scalar(ty @ Scalar::Integer(_))) => {
                self.constants
                    .push(constant(ty, &operands.next()?, true, None));
                Value::Scalar(first)
            }
            (
                CONSTANT_FLOAT,
                Type::Scalar(ty @ (Scalar::Half | Scalar::Float | Scalar::Double)),
            ) => {
                self.constants
                    .push(constant(ty, &operands.next()?, false, None));
                Value::Scalar(first)
            }
            (CONSTANT_DATA, Type::Array { element, .. } | Type::Vector { element, .. }) => {
                let Some(Type::Scalar(ty)) = self.ty(element) else {
                    return Some(Value::Other);
                };
                let elements = (0..).zip(operands);
                let elements =
                    elements.map(|(index, element)| constant(ty, &element, false, Some(index)));
                self.constants.extend(elements);
                Value::Sequence(first..self.constants.len())
            }
            (CONSTANT_AGGREGATE, _) => {
                let start = self.members.len();
                self.members.extend(operands.map(|member| member.value));
                Value::Aggregate(start..self.members.len())
            }
            _ => Value::Other,
        })
    }

    /// Adds the type that a record of types defines, if it defines one.
    fn ty(&self, index: u64) -> Option<Type> {
        self.types.get(usize::try_from(index).ok()?).copied()
    }

    /// A record of types. Not every one defines a type.
    fn define_type(&mut self, record: &Record<'_>) {
        let number = |index| operand(record, index);
        let ty = match record.code() {
            TYPE_COUNT => return,
            TYPE_STRUCT_NAME => {
                let name = text(record.operands());
                self.has_matrices = WITH_MATRICES.iter().any(|start| name.starts_with(start));
                return;
            }
            TYPE_HALF => Type::Scalar(Scalar::Half),
            TYPE_FLOAT => Type::Scalar(Scalar::Float),
            TYPE_DOUBLE => Type::Scalar(Scalar::Double),
            TYPE_INTEGER => match number(0).map(u32::try_from) {
                Some(Ok(width @ 1..=64)) => Type::Scalar(Scalar::Integer(width)),
                _ => Type::Other,
            },
            code @ (TYPE_ARRAY | TYPE_VECTOR) => match (number(0), number(1)) {
                (Some(count), Some(element)) if code == TYPE_ARRAY => {
                    Type::Array { count, element }
                }
                (Some(count), Some(element)) => Type::Vector { count, element },
                _ => Type::Other,
            },
            TYPE_POINTER => number(0).map_or(Type::Other, |to| Type::Pointer {
                to,
                space: number(1).unwrap_or(0),
            }),
            TYPE_STRUCT | TYPE_STRUCT_NAMED => self.structure(record),
            _ => Type::Other,
        };
        self.types.push(ty);
    }

    fn structure(&mut self, record: &Record<'_>) -> Type {
        let has_matrices =
            std::mem::take(&mut self.has_matrices) && record.code() == TYPE_STRUCT_NAMED;
        // A packed one has another layout.
        if operand(record, 0) != Some(0) {
            return Type::Other;
        }
        let first = self.fields.len();
        self.fields
            .extend(record.operands().skip(1).map(|field| field.value));
        let fields = &self.fields[first..];
        let is_array = |field: &u64| match self.ty(*field) {
            // A matrix; an array of as many vectors looks the same.
            Some(Type::Array {
                count: ..=MATRIX,
                element,
            }) => !(has_matrices && matches!(self.ty(element), Some(Type::Vector { .. }))),
            Some(Type::Array { .. }) => true,
            Some(Type::Struct { has_array, .. }) => has_array,
            _ => false,
        };
        let scalars = match fields {
            [field] => match self.ty(*field) {
                Some(Type::Array { count, element })
                    if matches!(self.ty(element), Some(Type::Scalar(_))) =>
                {
                    Some(count)
                }
                _ => None,
            },
            _ => None,
        };
        Type::Struct {
            first,
            count: fields.len(),
            has_array: fields.iter().any(is_array),
            scalars,
        }
    }

    /// Whether a constant buffer of `size` bytes, to which a pointer of the type `pointer` points, contains an array.
    pub(super) fn has_array(&self, pointer: u64, size: u32) -> bool {
        let Some(Type::Pointer { to: mut buffer, .. }) = self.ty(pointer) else {
            return false;
        };
        // An array of constant buffers. A damaged type can consist of itself.
        while let Some(Type::Array { element, .. }) = self.ty(buffer)
            && element < buffer
        {
            buffer = element;
        }
        let Some(Type::Struct {
            has_array, scalars, ..
        }) = self.ty(buffer)
        else {
            return false;
        };
        // Mesa describes every buffer as one array of words without gaps. In HLSL each element of an array starts a row of 16
        // bytes.
        let is_packed = scalars.and_then(|length| length.checked_mul(4)) == Some(size.into());
        has_array && !is_packed
    }

    /// A record of the symbol table: value id, characters of the name.
    fn symbol(&mut self, record: &Record<'_>) {
        let value = operand(record, 0).and_then(|id| self.values.get(usize::try_from(id).ok()?));
        if let (SYMBOL_ENTRY, Some(&Value::Function(function))) = (record.code(), value) {
            self.functions[function].name = text(record.operands().skip(1));
        }
    }

    fn metadata(&mut self, record: &Record<'_>) {
        let operands = record.operands().map(|operand| operand.value);
        let kind = match record.code() {
            METADATA_NAME => {
                self.name = self.graph.keep_text(operands);
                return;
            }
            METADATA_NAMED_NODE => {
                let ids = self
                    .graph
                    .keep_operands(operands.map(|id| id.saturating_add(1)));
                self.graph.name(std::mem::take(&mut self.name), ids);
                return;
            }
            METADATA_KIND | METADATA_ATTACHMENT => return,
            METADATA_STRING => ItemKind::String(self.graph.keep_text(operands)),
            METADATA_NODE | METADATA_DISTINCT_NODE => {
                ItemKind::Node(self.graph.keep_operands(operands))
            }
            METADATA_VALUE => match (operand(record, 0), operand(record, 1)) {
                (Some(ty), Some(id)) => ItemKind::Value { ty, id },
                _ => ItemKind::Other,
            },
            _ => ItemKind::Other,
        };
        self.graph.push(record.bit(), kind);
    }

    /// Marks the constants that nodes from `first` on refer to.
    fn mark(&mut self, first: usize) {
        self.seen.resize(self.values.len(), false);
        let mut pending: Vec<u64> = self.graph.values_in_nodes(first).collect();
        while let Some(id) = pending.pop() {
            let id = usize::try_from(id).unwrap_or(usize::MAX);
            if self.seen.get(id) != Some(&false) {
                continue;
            }
            self.seen[id] = true;
            let constants = match &self.values[id] {
                &Value::Scalar(constant) => constant..constant + 1,
                Value::Sequence(elements) => elements.clone(),
                Value::Aggregate(members) => {
                    pending.extend(&self.members[members.clone()]);
                    continue;
                }
                Value::Function(_) | Value::Null | Value::Other => continue,
            };
            for constant in &mut self.constants[constants] {
                constant.in_metadata = true;
            }
        }
    }
}

fn operand(record: &Record<'_>, index: usize) -> Option<u64> {
    record.operands().nth(index).map(|operand| operand.value)
}

fn text(chars: impl Iterator<Item = Operand>) -> String {
    let bytes: Vec<u8> = chars
        .map(|char| u8::try_from(char.value).unwrap_or(b'?'))
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
