//! Names, kinds, types and order as the source declares them, against what is recorded.

use syn::Type;

use crate::check::Finding;
use crate::ctype;
use crate::ddi::{Ddi, Member};
use crate::facts::{Bits, Facts};

/// Everything that the source declares otherwise than recorded.
pub fn compare(ddi: &Ddi, facts: &Facts) -> Vec<Finding> {
    let mut differences = Differences(Vec::new());
    differences.in_names(ddi, facts);
    differences.in_records(ddi, facts);
    differences.in_functions(ddi, facts);
    differences.in_the_rest(ddi, facts);
    differences.0
}

struct Differences(Vec<Finding>);

impl Differences {
    fn add(&mut self, owner: &str, item: &str, message: String) {
        self.0.push(Finding {
            owner: owner.into(),
            item: item.into(),
            target: "source".into(),
            message,
        });
    }

    /// Every name of either side is one of the other.
    fn in_names(&mut self, ddi: &Ddi, facts: &Facts) {
        macro_rules! compare {
            ($declared:expr, $recorded:expr) => {
                let declared: Vec<_> = $declared.map(|item| &item.name).collect();
                let recorded: Vec<_> = $recorded.map(|item| &item.name).collect();
                for name in declared.iter().filter(|name| !recorded.contains(name)) {
                    self.add(name, name, "declared, but not recorded".into());
                }
                for name in recorded.iter().filter(|name| !declared.contains(name)) {
                    self.add(name, name, "recorded, but not declared".into());
                }
            };
        }
        compare!(ddi.base_types.iter(), facts.base_types.iter());
        compare!(ddi.named_records(), facts.records.iter());
        compare!(ddi.enums.iter(), facts.enums.iter());
        compare!(ddi.functions.iter(), facts.functions.iter());
        compare!(ddi.constants.iter(), facts.constants.iter());
        compare!(ddi.aliases.iter(), facts.aliases.iter());
    }

    fn in_records(&mut self, ddi: &Ddi, facts: &Facts) {
        for record in &ddi.records {
            let name = &record.name;
            if record.repr != "C" {
                self.add(name, name, format!("repr({}), not repr(C)", record.repr));
            }
            let Some(fact) = facts.records.iter().find(|fact| fact.name == *name) else {
                continue;
            };
            if record.is_union != fact.is_union {
                self.add(name, name, "a structure here and a union there".into());
            }
            let members = ddi.members(record);
            let declared = members
                .iter()
                .map(|member| (member.c.clone(), c_type(member.ty)));
            let recorded = fact
                .fields
                .iter()
                .map(|field| (field.name.clone(), field.ty.clone()));
            self.in_members(
                name,
                &declared.collect::<Vec<_>>(),
                &recorded.collect::<Vec<_>>(),
            );
            for (member, field) in members.iter().zip(&fact.fields) {
                let documented = documented_offset(member);
                if documented.is_some_and(|offset| offset != field.offset) {
                    let message =
                        format!("documented at {documented:?}, recorded {:?}", field.offset);
                    self.add(name, &format!("{name}.{}", member.c), message);
                }
            }
        }
    }

    fn in_functions(&mut self, ddi: &Ddi, facts: &Facts) {
        for function in &ddi.functions {
            let name = &function.name;
            let Some(fact) = facts.functions.iter().find(|fact| fact.name == *name) else {
                continue;
            };
            if function.abi != "system" {
                let message = format!("convention {:?}, not \"system\"", function.abi);
                self.add(name, name, message);
            }
            let result = function.result.as_ref().map_or("void".into(), c_type);
            if result != fact.result {
                self.add(
                    name,
                    name,
                    format!("returns {result}, recorded {}", fact.result),
                );
            }
            let declared = function
                .parameters
                .iter()
                .map(|(name, ty)| (name.clone(), c_type(ty)));
            let recorded = fact
                .parameters
                .iter()
                .map(|(ty, name)| (name.clone(), ty.clone()));
            self.in_members(
                name,
                &declared.collect::<Vec<_>>(),
                &recorded.collect::<Vec<_>>(),
            );
        }
    }

    fn in_the_rest(&mut self, ddi: &Ddi, facts: &Facts) {
        for item in &ddi.enums {
            let fact = facts.enums.iter().find(|fact| fact.name == item.name);
            let recorded = fact.into_iter().flat_map(|fact| &fact.enumerators);
            let recorded: Vec<_> = recorded.map(|enumerator| &enumerator.name).collect();
            let declared: Vec<_> = item.enumerators.iter().map(|own| &own.name).collect();
            if declared != recorded {
                self.add(
                    &item.name,
                    &item.name,
                    format!("{declared:?}, recorded {recorded:?}"),
                );
            }
        }
        for alias in &ddi.aliases {
            let fact = facts.aliases.iter().find(|fact| fact.name == alias.name);
            let ty = c_type(&alias.ty);
            if let Some(fact) = fact.filter(|fact| fact.ty != ty) {
                self.add(
                    &alias.name,
                    &alias.name,
                    format!("{ty}, recorded {}", fact.ty),
                );
            }
        }
        for constant in &ddi.constants {
            let fact = facts
                .constants
                .iter()
                .find(|fact| fact.name == constant.name);
            if let Some(fact) = fact.filter(|fact| fact.ty != constant.ty) {
                let message = format!("{}, recorded {}", constant.ty, fact.ty);
                self.add(&constant.name, &constant.name, message);
            }
        }
    }

    /// Names and types of members or parameters, in order.
    fn in_members(
        &mut self,
        owner: &str,
        declared: &[(String, String)],
        recorded: &[(String, String)],
    ) {
        let spelt = |member: Option<&(String, String)>| {
            member.map_or("nothing".into(), |(name, ty)| format!("{ty} {name}"))
        };
        for index in 0..declared.len().max(recorded.len()) {
            let (own, fact) = (declared.get(index), recorded.get(index));
            if own != fact {
                let name = fact.or(own).map_or("", |(name, _)| name);
                let message = format!("{}, recorded {}", spelt(own), spelt(fact));
                self.add(owner, &format!("{owner}.{name}"), message);
            }
        }
    }
}

fn c_type(ty: &Type) -> String {
    ctype::to_c(ty).unwrap_or_else(|| "a type without a C form".into())
}

/// The offsets that a member's documentation ends with: `x64 offset 8, x86 offset 4.`
fn documented_offset(member: &Member<'_>) -> Option<Bits> {
    let docs = member.docs.join(" ");
    let (_, offsets) = docs.split_once("x64 offset ")?;
    let (x64, x86) = offsets.trim_end_matches('.').split_once(", x86 offset ")?;
    Some((x64.parse().ok()?, x86.parse().ok()?))
}
