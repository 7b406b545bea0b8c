//! The conversions that are supported, and why the others are not.

use crate::cli::{Exit, Refusal};
use armada_retry::policy::Form;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::sync::LazyLock;
use systems::{Obstacle, SystemName};

/// The target of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// Policies.
    Policies(Target),
    /// The categories of an executor.
    ErrorCategories,
}

impl ValueEnum for Destination {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Destination>> = LazyLock::new(|| {
            let targets = Target::all().map(Destination::Policies);
            targets.chain([Destination::ErrorCategories]).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Policies(target) => target.to_possible_value(),
            Self::ErrorCategories => {
                let help =
                    "The categories of Armada's executor, from its `kubernetes.failedPodChecks`";
                Some(PossibleValue::new("error-categories").help(help))
            }
        }
    }
}

/// A form of policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The design: `armadaproject.io/v1`.
    V1,
    /// The form of deployed servers: `armadaproject.io/v1beta1`.
    V1beta1,
    /// Another system's.
    System(SystemName),
}

impl Target {
    /// All forms to which policies can be converted.
    fn all() -> impl Iterator<Item = Self> {
        let systems = SystemName::all();
        let others = systems.filter(|system| system.description().conversions.is_some());
        [Self::V1, Self::V1beta1].into_iter().chain(others.map(Self::System))
    }

    /// Its name on the command line, with its help.
    fn to_possible_value(self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::V1 => ("v1", "The design: `armadaproject.io/v1`"),
            Self::V1beta1 => {
                ("v1beta1", "The form of today's Armada servers: `armadaproject.io/v1beta1`")
            }
            Self::System(system) => {
                let conversions = system.description().conversions.as_ref()?;
                (conversions.target, conversions.help)
            }
        };
        Some(PossibleValue::new(name).help(help))
    }

    /// The form of Armada, if it is one.
    pub(super) fn form(self) -> Option<Form> {
        match self {
            Self::V1 => Some(Form::V1),
            Self::V1beta1 => Some(Form::V1beta1),
            Self::System(_) => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1beta1 => "v1beta1",
            Self::System(system) => system.description().name,
        }
    }
}

/// A conversion from one form to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    /// The form of a document.
    pub(super) from: Target,
    /// The form of the result.
    pub(super) to: Target,
}

const RUN_TWICE: &str = "convert in two steps: run it with `--to v1`, then on the output, and read the notes of \
                     both";

const SAME_SYSTEM: Obstacle = Obstacle::Unneeded("the input already has this form");
const THROUGH_V1: Obstacle =
    Obstacle::Difference("there is no direct conversion, only one through v1");

impl Route {
    /// Refuses a conversion that is not supported.
    pub(super) fn refuse_unsupported(self) -> Result<(), Refusal> {
        let Some(obstacle) = self.obstacle() else { return Ok(()) };
        let (Obstacle::Unneeded(why) | Obstacle::Difference(why)) = obstacle;
        let (from, to) = (self.from.as_str(), self.to.as_str());
        let message = format!("cannot convert {from} into {to}: {why}");
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::usage(message) };
        Err(match obstacle {
            Obstacle::Unneeded(_) => refusal,
            Obstacle::Difference(_) => refusal.help(RUN_TWICE),
        })
    }

    /// Why a conversion is not supported; `None` if it is.
    fn obstacle(self) -> Option<Obstacle> {
        let conversions = |system: SystemName| system.description().conversions.as_ref();
        match (self.from, self.to) {
            (Target::V1 | Target::V1beta1, Target::V1 | Target::V1beta1)
            | (Target::V1, Target::System(_))
            | (Target::System(_), Target::V1) => None,
            (Target::V1beta1, Target::System(to)) => {
                conversions(to).map(|to| Obstacle::Difference(to.from_v1beta1))
            }
            (Target::System(from), Target::V1beta1) => {
                conversions(from).map(|from| Obstacle::Difference(from.to_v1beta1))
            }
            (Target::System(from), Target::System(to)) if from == to => Some(SAME_SYSTEM),
            (Target::System(from), Target::System(to)) => {
                let (from, to) = conversions(from).zip(conversions(to))?;
                let mut others = from.to_others.iter();
                let obstacle = others.find(|(target, _)| *target == to.target);
                Some(obstacle.map_or(THROUGH_V1, |(_, obstacle)| *obstacle))
            }
        }
    }
}
