//! Patched shaders are, byte for byte, those that the DirectX Shader Compiler (DXC) confirmed.
//!
//! `scripts/dxil-patch-proof` shows them to DXC and records what it says in
//! `patch_proof/recorded.json`. Here the same patches are made again.

use dxil_test_support::plan::{self, Set, Variant};
use serde::Deserialize;

#[derive(Deserialize)]
struct Recorded {
    variants: Vec<Confirmed>,
}

/// A variant and what DXC says of it.
#[derive(Deserialize)]
struct Confirmed {
    #[serde(flatten)]
    variant: Variant,
    /// The lines of the disassembly that patching changed, before and after.
    changed: Vec<[String; 2]>,
    /// Whether DXC's validator, which found nothing wrong, signed it with the same hash.
    signed_as_here: bool,
    /// The function before and after patching, each as DXC optimizes it.
    optimized: Option<[Vec<String>; 2]>,
}

fn recorded() -> Vec<Confirmed> {
    let recorded = include_str!("patch_proof/recorded.json");
    serde_json::from_str::<Recorded>(recorded).unwrap().variants
}

#[test]
fn patches_are_those_that_dxc_confirmed() {
    let recorded = recorded();
    let variants = plan::variants();
    assert_eq!(recorded.len(), variants.len());
    for (recorded, (variant, ..)) in recorded.iter().zip(variants) {
        assert_eq!(recorded.variant, variant);
        assert!(recorded.signed_as_here, "{}", variant.shader);
    }
}

/// Whether the disassembler writes the value of `set` like this.
fn is_value(word: &str, set: &Set) -> bool {
    let bits = u64::from_str_radix(&set.bits[2..], 16).unwrap();
    // Of float and double, numbers that are not short are written as the bits of a double.
    let number = || match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(f64::from_bits),
        None => word.parse().ok(),
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is one of 32 bits"
    )]
    match set.ty.as_str() {
        "half" => word == format!("0xH{bits:04X}"),
        "float" => number().is_some_and(|it| u64::from((it as f32).to_bits()) == bits),
        "double" => number().is_some_and(|it| it.to_bits() == bits),
        integer => {
            let width: u32 = integer[1..].parse().unwrap();
            let value: Option<i128> = word.parse().ok();
            value.is_some_and(|it| it.rem_euclid(1 << width) == i128::from(bits))
        }
    }
}

/// Every constant is shown with its new value, and nothing else in any line is changed.
#[test]
fn the_disassembly_shows_the_new_values_and_nothing_else() {
    let mut shown = 0;
    for Confirmed {
        variant, changed, ..
    } in recorded()
    {
        let name = format!("{} {:?}", variant.shader, variant.set);
        let mut missing: Vec<&Set> = variant.set.iter().collect();
        for [before, after] in &changed {
            let words = |line| str::split(line, [' ', ',', '(', ')', '[', ']']);
            assert_eq!(words(before).count(), words(after).count(), "{name}");
            let new = words(before).zip(words(after)).filter(|(a, b)| a != b);
            let new: Vec<&str> = new.map(|(_, word)| word).collect();
            let is_new = |set: &Set| new.iter().any(|word| is_value(word, set));
            for word in &new {
                let is_set = variant.set.iter().any(|set| is_value(word, set));
                assert!(is_set, "{name}: {word} in {after}");
            }
            assert!(!new.is_empty(), "{name}: {after}");
            missing.retain(|set| !is_new(set));
            shown += 1;
        }
        assert!(missing.is_empty(), "{name}: {missing:?}");
    }
    assert!(shown > 1000, "{shown}");
}

/// The branch that a constant decides is gone when the constant says so. What else there is stays.
#[test]
fn dxc_folds_a_patched_branch() {
    let mut gone = 0;
    for Confirmed {
        variant, optimized, ..
    } in recorded()
    {
        assert_eq!(optimized.is_some(), variant.shader == "spec_branch_cs");
        let Some([before, after]) = optimized else {
            continue;
        };
        let has = |lines: &[String], word| lines.iter().any(|line| line.contains(word));
        assert!(has(&before, "br i1") && has(&before, "@dx.op.unary"));
        // Without the condition, the branch is not taken; without the factor, nothing is needed of it.
        let is_off = variant.set.iter().any(|set| set.bits == "0x0");
        for word in ["br ", "icmp", "@dx.op.unary", "phi"] {
            assert_eq!(has(&after, word), !is_off, "{variant:?}: {after:#?}");
        }
        assert!(has(&after, "@dx.op.bufferStore"));
        let condition = variant.set.iter().find(|set| set.ty == "i32").unwrap();
        if condition.bits == "0x0" {
            assert!(has(&after, "@dx.op.bufferLoad"), "{after:#?}");
            gone += 1;
        }
    }
    assert_eq!(gone, 1);
}
