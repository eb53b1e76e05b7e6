//! Names, kinds, types and order as the source declares them, against what is recorded.

use crate::check::Finding;
use crate::facts::{Bits, Facts};
use crate::names::{Named, find};
use crate::source::{Declarations, Member};

/// Everything that the source declares otherwise than recorded.
pub fn compare(ddi: &Declarations, facts: &Facts) -> Vec<Finding> {
    let mut differences = Differences(Vec::new());
    let records: Vec<_> = ddi.named_records().collect();
    differences.in_names(&ddi.base_types, &facts.base_types);
    differences.in_names(&records, &facts.records);
    differences.in_names(&ddi.enums, &facts.enums);
    differences.in_names(&ddi.functions, &facts.functions);
    differences.in_names(&ddi.constants, &facts.constants);
    differences.in_names(&ddi.aliases, &facts.aliases);
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
    fn in_names(&mut self, declared: &[impl Named], recorded: &[impl Named]) {
        for name in declared.iter().map(Named::name) {
            if find(recorded, name).is_none() {
                self.add(name, name, "declared, but not recorded".into());
            }
        }
        for name in recorded.iter().map(Named::name) {
            if find(declared, name).is_none() {
                self.add(name, name, "recorded, but not declared".into());
            }
        }
    }

    fn in_records(&mut self, ddi: &Declarations, facts: &Facts) {
        for record in &ddi.records {
            let name = &record.name;
            if record.repr != "C" {
                self.add(name, name, format!("repr({}), not repr(C)", record.repr));
            }
            let Some(fact) = find(&facts.records, name) else {
                continue;
            };
            if record.is_union != fact.is_union {
                self.add(name, name, "a structure here and a union there".into());
            }
            let members = ddi.members(record);
            let declared = members.iter();
            let declared = declared.map(|member| (member.c.clone(), member.ty.to_owned()));
            let recorded = fact.fields.iter();
            let recorded = recorded.map(|field| (field.name.clone(), field.ty.clone()));
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

    fn in_functions(&mut self, ddi: &Declarations, facts: &Facts) {
        for function in &ddi.functions {
            let name = &function.name;
            let Some(fact) = find(&facts.functions, name) else {
                continue;
            };
            if function.abi != "system" {
                let message = format!("convention {:?}, not \"system\"", function.abi);
                self.add(name, name, message);
            }
            let (declared, recorded) = (&function.signature, &fact.signature);
            self.in_texts(name, &declared.result, &recorded.result);
            self.in_members(name, &declared.parameters, &recorded.parameters);
        }
    }

    fn in_the_rest(&mut self, ddi: &Declarations, facts: &Facts) {
        for item in &ddi.enums {
            let fact = find(&facts.enums, &item.name);
            let recorded = fact.into_iter().flat_map(|fact| &fact.enumerators);
            let recorded: Vec<_> = recorded.map(|enumerator| &enumerator.name).collect();
            let declared: Vec<_> = item.enumerators.iter().map(|own| &own.name).collect();
            self.in_texts(
                &item.name,
                &format!("{declared:?}"),
                &format!("{recorded:?}"),
            );
        }
        for alias in &ddi.aliases {
            if let Some(fact) = find(&facts.aliases, &alias.name) {
                self.in_texts(&alias.name, &alias.ty, &fact.ty);
            }
        }
        for constant in &ddi.constants {
            if let Some(fact) = find(&facts.constants, &constant.name) {
                self.in_texts(&constant.name, &constant.ty, &fact.ty);
            }
        }
    }

    /// One text about a name: its type, its result, its enumerators.
    fn in_texts(&mut self, name: &str, declared: &str, recorded: &str) {
        if declared != recorded {
            self.add(name, name, format!("{declared}, recorded {recorded}"));
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

/// The offsets that a member's documentation ends with: `x64 offset 8, x86 offset 4.`
fn documented_offset(member: &Member<'_>) -> Option<Bits> {
    let docs = member.docs.join(" ");
    let (_, offsets) = docs.split_once("x64 offset ")?;
    let (x64, x86) = offsets.trim_end_matches('.').split_once(", x86 offset ")?;
    Some((x64.parse().ok()?, x86.parse().ok()?))
}
