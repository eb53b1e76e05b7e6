//! The targets that a plugin can compile for.

use compiler_runtime::{ApplicationDesc, Factory, TargetDesc};
use serde::{Deserialize, Serialize};
use shader_db::psdb::Application;

use super::Question;
use crate::plugin::to_desc;
use crate::serial::ApplicationFields;
use crate::{Dotted, Result};

/// The adapter families of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Families {
    pub(crate) adapter_families: Vec<Family>,
    /// The families that the plugin cannot describe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
}

impl Families {
    /// The index of the family with this name.
    fn named(&self, name: &str) -> Option<u32> {
        let mut families = self.adapter_families.iter();
        families
            .find(|family| family.name == name)
            .map(|family| family.index)
    }
}

/// An adapter family that the plugin describes wrongly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub(crate) index: u32,
    pub(crate) problem: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Family {
    pub(crate) index: u32,
    pub(crate) name: String,
    pub(crate) compiler_version: Dotted,
    /// The newest first.
    pub(crate) abi_versions: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) application_profile_version: Option<Dotted>,
}

/// Asks for the families and, with an application, for the version of its profile at the newest ABI.
#[derive(Clone, Serialize, Deserialize)]
pub struct FamiliesQuestion(Option<Named>);

impl FamiliesQuestion {
    pub fn new(application: Option<Application>) -> Self {
        Self(application.map(Named))
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Named(#[serde(with = "ApplicationFields")] Application);

impl Question for FamiliesQuestion {
    type Answer = Families;

    fn ask(&self, factory: &Factory) -> Result<Families> {
        let application = self
            .0
            .as_ref()
            .map(|Named(application)| to_desc(application));
        let application = application.transpose()?;
        let mut families = Families {
            adapter_families: Vec::new(),
            failures: Vec::new(),
        };
        for (index, name) in (0..).zip(factory.adapter_families()?) {
            let family = name.and_then(|name| family(factory, index, name, application.as_ref()));
            let problem = match family {
                Err(error) => error.to_string(),
                Ok(Family {
                    name, abi_versions, ..
                }) if abi_versions.is_empty() => format!("{name} has no ABI version"),
                Ok(family) => match families.named(&family.name) {
                    None => {
                        families.adapter_families.push(family);
                        continue;
                    }
                    Some(first) => format!("{} is the name of family {first} too", family.name),
                },
            };
            families.failures.push(Failure { index, problem });
        }
        Ok(families)
    }
}

fn family(
    factory: &Factory,
    index: u32,
    name: String,
    application: Option<&ApplicationDesc>,
) -> Result<Family, compiler_runtime::Error> {
    let newest = TargetDesc {
        adapter_family_index: index,
        abi_version: 0,
    };
    let profile =
        application.map(|application| factory.application_profile_version(newest, application));
    Ok(Family {
        index,
        name,
        compiler_version: Dotted(factory.compiler_version(index)?),
        abi_versions: factory.abi_versions(index)?,
        application_profile_version: profile.transpose()?.map(Dotted),
    })
}
