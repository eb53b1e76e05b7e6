//! Questions to a plugin about its targets: what is asked, and how a process that has the plugin open answers.

pub mod families;
pub mod offers;
pub mod target;

use compiler_runtime::Factory;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Result;
use families::FamiliesQuestion;
use offers::OffersQuestion;
use target::TargetQuestion;

/// A question that this program can ask a plugin.
pub trait Question: Clone + Into<AnyQuestion> {
    type Answer: Serialize + DeserializeOwned;

    /// Asks the plugin in this process.
    fn ask(&self, factory: &Factory) -> Result<Self::Answer>;
}

/// A question in the form that a worker gets.
#[derive(Serialize, Deserialize)]
pub enum AnyQuestion {
    Target(TargetQuestion),
    Families(FamiliesQuestion),
    Offers(OffersQuestion),
}

impl AnyQuestion {
    /// Asks the plugin in this process; the answer is JSON.
    pub fn ask(&self, factory: &Factory) -> Result<String> {
        match self {
            Self::Target(question) => ask(question, factory),
            Self::Families(question) => ask(question, factory),
            Self::Offers(question) => ask(question, factory),
        }
    }
}

fn ask(question: &impl Question, factory: &Factory) -> Result<String> {
    let answer = question.ask(factory)?;
    Ok(serde_json::to_string(&answer).expect("texts and numbers"))
}

impl From<TargetQuestion> for AnyQuestion {
    fn from(question: TargetQuestion) -> Self {
        Self::Target(question)
    }
}

impl From<FamiliesQuestion> for AnyQuestion {
    fn from(question: FamiliesQuestion) -> Self {
        Self::Families(question)
    }
}

impl From<OffersQuestion> for AnyQuestion {
    fn from(question: OffersQuestion) -> Self {
        Self::Offers(question)
    }
}
