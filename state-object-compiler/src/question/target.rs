//! The target of a compilation.

use compiler_runtime::{Factory, TargetDesc};
use serde::{Deserialize, Serialize};
use shader_db::psdb::{Application, Target};

use super::Question;
use crate::plugin::to_desc;
use crate::report::one_line;
use crate::serial::{ApplicationFields, TargetFields};
use crate::{Error, Result};

/// The target of a compilation, as far as the command line and the files name it.
#[derive(Clone, Serialize, Deserialize)]
pub struct TargetQuestion {
    /// By name or by index; not needed if the plugin has only one.
    pub adapter_family: Option<String>,
    /// 0 is the newest.
    pub abi: u64,
    #[serde(with = "ApplicationFields")]
    pub application: Application,
}

/// The target that the plugin has for the question.
#[derive(Serialize, Deserialize)]
pub struct Answer {
    pub family_index: u32,
    #[serde(with = "TargetFields")]
    pub target: Target,
    /// The ABI versions of the family.
    pub abi_versions: Vec<u64>,
}

impl Question for TargetQuestion {
    type Answer = Answer;

    fn ask(&self, factory: &Factory) -> Result<Answer> {
        let family_index = self.family(factory)?;
        let target = TargetDesc {
            adapter_family_index: family_index,
            abi_version: self.abi,
        };
        let application = to_desc(&self.application)?;
        Ok(Answer {
            family_index,
            abi_versions: factory.abi_versions(family_index)?,
            target: Target {
                family: factory.adapter_family(family_index)?,
                abi: factory.target(target)?.abi_version(),
                compiler_version: factory.compiler_version(family_index)?,
                profile_version: factory.application_profile_version(target, &application)?,
            },
        })
    }
}

impl TargetQuestion {
    /// The index of the family that has this exact name, or else this number.
    fn family(&self, factory: &Factory) -> Result<u32> {
        let wanted = self.adapter_family.as_deref();
        if let Some(wanted) = wanted {
            if let Some(index) = factory.find_adapter_family(wanted)? {
                return Ok(index);
            }
            if let Ok(index) = wanted.parse() {
                match factory.adapter_family(index) {
                    Ok(_) => return Ok(index),
                    Err(compiler_runtime::Error::NoSuchFamily { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        let families = factory.adapter_families()?;
        let mut good = (0..).zip(&families).filter(|(_, family)| family.is_ok());
        if wanted.is_none()
            && let (Some((index, _)), None) = (good.next(), good.next())
        {
            return Ok(index);
        }
        if families.is_empty() {
            return Err(Error::Usage("the plugin has no adapter family".into()));
        }
        let problem = match wanted {
            Some(wanted) => format!("the plugin has no adapter family {wanted:?}"),
            None => "the plugin does not have exactly one adapter family, so give --adapter-family"
                .into(),
        };
        let list: Vec<String> = families
            .iter()
            .enumerate()
            .map(|(place, family)| match family {
                Ok(name) => format!("{place} ({})", one_line(name)),
                Err(error) => format!("{place} (unusable: {})", one_line(&error.to_string())),
            })
            .collect();
        Err(Error::Usage(format!(
            "{problem}; its adapter families are {}",
            list.join(", ")
        )))
    }
}
