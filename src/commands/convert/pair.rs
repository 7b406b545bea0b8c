//! Which forms are converted into which, and why others are not.

use crate::cli::{Exit, Refusal};
use crate::policy::Form;
use clap::ValueEnum;

/// The name of a form of Armada's policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormName {
    /// The design: `armadaproject.io/v1`
    #[value(name = "v1")]
    V1,
    /// What Armada servers take today: `armadaproject.io/v1beta1`
    #[value(name = "v1beta1")]
    V1beta1,
}

impl From<FormName> for Form {
    fn from(name: FormName) -> Self {
        match name {
            FormName::V1 => Self::V1,
            FormName::V1beta1 => Self::V1beta1,
        }
    }
}

/// A form that policies are converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// The design: `armadaproject.io/v1`
    #[value(name = "v1")]
    V1,
    /// What Armada servers take today: `armadaproject.io/v1beta1`
    #[value(name = "v1beta1")]
    V1beta1,
    /// A Kubernetes Job: `batch/v1`
    Job,
    /// A JobSet: `jobset.x-k8s.io/v1alpha2`
    Jobset,
    /// A RetryProfile of Iris, as its code has it
    Iris,
    /// A RetryProfile of the BEP-1053 draft for Backend.AI
    Backendai,
    /// A RetryProfile of Airflow, as its newest release has it
    Airflow,
}

impl Target {
    /// The form of Armada's, if it is one.
    pub(super) fn form(self) -> Option<Form> {
        match self {
            Self::V1 => Some(Form::V1),
            Self::V1beta1 => Some(Form::V1beta1),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1beta1 => "v1beta1",
            Self::Job => "Job",
            Self::Jobset => "JobSet",
            Self::Iris => "Iris",
            Self::Backendai => "the BEP-1053 draft",
            Self::Airflow => "Airflow",
        }
    }
}

/// From what to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    /// A document's form, or its kind.
    pub(super) from: &'static str,
    /// The form that is wanted.
    pub(super) to: Target,
}

const TWICE: &str = "convert goes through v1: run it twice, `--to v1` and then on what comes out, and read the \
                     notes of both steps";

const ALREADY: &str = "it is one already";
const AS_IT_IS: &str =
    "a Job's spec stands in a JobSet as it is, as spec.replicatedJobs[].template.spec";

const IRIS: &str = "Iris";
const DRAFT: &str = "the BEP-1053 draft";
const AIRFLOW: &str = "Airflow";

impl Pair {
    /// Refuses a pair that is not done.
    pub(super) fn refuse(self) -> Result<(), Refusal> {
        let Some(why) = self.why_not() else { return Ok(()) };
        let Self { from, to } = self;
        let message = format!("convert does not make {from} into {}: {why}", to.as_str());
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::usage(message) };
        let alone = why == ALREADY || why == AS_IT_IS;
        Err(if alone { refusal } else { refusal.help(TWICE) })
    }

    /// Why a pair is not done; `None` if it is.
    fn why_not(self) -> Option<&'static str> {
        match (self.from, self.to) {
            ("v1" | "v1beta1", Target::V1 | Target::V1beta1)
            | ("v1", _)
            | ("Job" | "JobSet" | IRIS | DRAFT | AIRFLOW, Target::V1) => None,
            ("v1beta1", Target::Job | Target::Jobset) => {
                Some("its rules match failure categories alone, which pods have not")
            }
            ("v1beta1", _) => {
                Some("its rules match failure categories alone, for which no other system asks")
            }
            ("Job" | "JobSet", Target::V1beta1) => {
                Some("v1beta1 rules match failure categories alone, which pods have not")
            }
            (_, Target::V1beta1) => {
                Some("v1beta1 never waits, and never retries what is preempted")
            }
            ("Job", Target::Jobset) => Some(AS_IT_IS),
            ("JobSet", Target::Job) => Some("a JobSet has failures of Jobs, and a Job has none"),
            ("Job", Target::Job)
            | ("JobSet", Target::Jobset)
            | (IRIS, Target::Iris)
            | (DRAFT, Target::Backendai)
            | (AIRFLOW, Target::Airflow) => Some(ALREADY),
            _ => Some("there is no way from one to the other but through v1"),
        }
    }
}
