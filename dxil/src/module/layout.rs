//! How many bytes values of a type take: the sizes of LLVM's types, by the data layout of the module.

use std::collections::BTreeMap;

use super::walk::Type;
use crate::constants::Scalar;

/// The data layout of a module, as far as types that can be group-shared need it.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The bits that numbers are aligned to, by their own: of integers, and of floating point.
    integers: BTreeMap<u32, u32>,
    floats: BTreeMap<u32, u32>,
}

/// Size and alignment in bytes; `None` of a type that cannot be measured.
type Size = Option<(u64, u64)>;

impl Layout {
    /// Reads a data layout such as `e-m:e-p:32:32-i1:32-i8:8-i16:32-f16:32`.
    pub(super) fn parse(text: &str) -> Self {
        let mut layout = Self::default();
        for rule in text.split('-') {
            let numbers = match rule.split_at_checked(1) {
                Some(("i", numbers)) => (&mut layout.integers, numbers),
                Some(("f", numbers)) => (&mut layout.floats, numbers),
                _ => continue,
            };
            let mut fields = numbers.1.split(':').map(str::parse::<u32>);
            if let (Some(Ok(bits)), Some(Ok(aligned))) = (fields.next(), fields.next()) {
                numbers.0.insert(bits, aligned);
            }
        }
        layout
    }

    /// The sizes of all types. LLVM writes a type behind those that it consists of.
    pub(super) fn sizes(&self, types: &[Type], fields: &[u64]) -> Vec<Size> {
        let mut sizes: Vec<Size> = Vec::with_capacity(types.len());
        for ty in types {
            let of = |index: u64| {
                let index = usize::try_from(index).ok()?;
                sizes.get(index).copied().flatten()
            };
            sizes.push(match ty {
                Type::Scalar(scalar) => Some(self.scalar(*scalar)),
                Type::Array { count, element } => of(*element)
                    .and_then(|(size, alignment)| Some((size.checked_mul(*count)?, alignment))),
                Type::Vector { count, element } => of(*element).and_then(|(size, _)| {
                    let size = size.checked_mul(*count)?.checked_next_power_of_two()?;
                    Some((size, size))
                }),
                Type::Struct { first, count, .. } => {
                    let fields = fields.get(*first..).and_then(|fields| fields.get(..*count));
                    fields.and_then(|fields| {
                        let (mut end, mut aligned) = (0_u64, 1);
                        for &field in fields {
                            let (size, alignment) = of(field)?;
                            end = end.checked_next_multiple_of(alignment)?.checked_add(size)?;
                            aligned = aligned.max(alignment);
                        }
                        Some((end.checked_next_multiple_of(aligned)?, aligned))
                    })
                }
                Type::Pointer { .. } | Type::Other => None,
            });
        }
        sizes
    }

    fn scalar(&self, scalar: Scalar) -> (u64, u64) {
        let (rules, bits) = match scalar {
            Scalar::Integer(bits) => (&self.integers, bits),
            Scalar::Half => (&self.floats, 16),
            Scalar::Float => (&self.floats, 32),
            Scalar::Double => (&self.floats, 64),
        };
        let rule = rules.get(&bits).copied();
        let aligned = rule.unwrap_or(bits.next_power_of_two());
        let aligned = u64::from(aligned.div_ceil(8).max(1));
        let size = u64::from(bits.div_ceil(8));
        (size.next_multiple_of(aligned), aligned)
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::constants::Scalar;
    use crate::module::walk::Type;

    const OLD: &str =
        "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64";
    const NATIVE: &str =
        "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64";

    #[test]
    fn sizes_follow_the_data_layout() {
        let types = [
            Type::Scalar(Scalar::Half),
            Type::Scalar(Scalar::Double),
            Type::Array {
                count: 3,
                element: 0,
            },
            Type::Struct {
                first: 0,
                count: 3,
                has_array: true,
                scalars: None,
            },
            Type::Array {
                count: u64::MAX,
                element: 3,
            },
            Type::Struct {
                first: 2,
                count: 2,
                has_array: true,
                scalars: None,
            },
        ];
        let sizes = |layout| Layout::parse(layout).sizes(&types, &[0, 1, 2]);
        let [old, native] = [OLD, NATIVE].map(sizes);
        let expected = [
            Some((4, 4)),
            Some((8, 8)),
            Some((12, 4)),
            Some((32, 8)),
            None,
            None,
        ];
        assert_eq!(old, expected);
        let expected = [
            Some((2, 2)),
            Some((8, 8)),
            Some((6, 2)),
            Some((24, 8)),
            None,
            None,
        ];
        assert_eq!(native, expected);
    }
}
