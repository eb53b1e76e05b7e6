//! The targets that a plugin has in the place of those of files.

use compiler_runtime::{Factory, TargetDesc};
use serde::{Deserialize, Serialize};
use shader_db::psdb::{Application, Target};

use super::Question;
use crate::Result;
use crate::plugin::to_desc;
use crate::serial::{ApplicationFields, TargetFields};

/// Asks a plugin for the targets that it offers in the place of those of files.
#[derive(Clone, Serialize, Deserialize)]
pub struct OffersQuestion(pub Vec<Wanted>);

#[derive(Clone, Serialize, Deserialize)]
pub struct Wanted {
    #[serde(with = "TargetFields")]
    pub target: Target,
    #[serde(with = "ApplicationFields")]
    pub application: Application,
}

#[derive(Serialize, Deserialize)]
pub enum Offer {
    Target(Compiles),
    NoFamily,
    /// The versions that it has.
    OtherAbis(Vec<u64>),
}

#[derive(Serialize, Deserialize)]
pub struct Compiles(#[serde(with = "TargetFields")] pub Target);

impl Question for OffersQuestion {
    type Answer = Vec<Offer>;

    fn ask(&self, factory: &Factory) -> Result<Vec<Offer>> {
        self.0.iter().map(|wanted| wanted.offer(factory)).collect()
    }
}

impl Wanted {
    fn offer(&self, factory: &Factory) -> Result<Offer> {
        let Target { family, abi, .. } = &self.target;
        let Some(index) = factory.find_adapter_family(family)? else {
            return Ok(Offer::NoFamily);
        };
        let abis = factory.abi_versions(index)?;
        if !abis.contains(abi) {
            return Ok(Offer::OtherAbis(abis));
        }
        let desc = TargetDesc {
            adapter_family_index: index,
            abi_version: *abi,
        };
        let application = to_desc(&self.application)?;
        Ok(Offer::Target(Compiles(Target {
            family: family.clone(),
            abi: *abi,
            compiler_version: factory.compiler_version(index)?,
            profile_version: factory.application_profile_version(desc, &application)?,
        })))
    }
}
