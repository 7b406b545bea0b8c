//! A job as the evaluator reads it.

use document::units::Quantity;
use std::collections::BTreeMap;

/// The gang of a job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Gang {
    /// Its id, unique within a queue and job set.
    pub id: String,
    /// The number of its jobs.
    pub cardinality: u32,
}

/// The annotation that turns retries off for a job.
pub const FAIL_FAST: &str = "armadaproject.io/failFast";
/// The annotation that adds policies to a job.
pub const RETRY_POLICY: &str = "armadaproject.io/retry-policy";
/// The annotation with a job's gang.
pub const GANG_ID: &str = "armadaproject.io/gangId";
/// The annotation with the number of jobs in the gang.
pub const GANG_CARDINALITY: &str = "armadaproject.io/gangCardinality";

/// The annotations that are read.
pub const ANNOTATIONS: [&str; 4] = [FAIL_FAST, RETRY_POLICY, GANG_ID, GANG_CARDINALITY];

/// The fields of a job that decisions depend on, beyond its queue. An absent field is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct JobFields {
    pub job_set: Option<String>,
    pub annotations: Option<BTreeMap<String, String>>,
    /// The resources that it requests.
    pub resources: Option<Resources>,
    /// Its gang, if the record names one outside of the annotations.
    pub gang: Option<Gang>,
}

impl JobFields {
    /// An annotation's value.
    pub fn annotation(&self, name: &str) -> Option<&str> {
        self.annotations.as_ref()?.get(name).map(String::as_str)
    }

    /// The job set; empty if it is unknown.
    pub fn job_set(&self) -> &str {
        self.job_set.as_deref().unwrap_or_default()
    }

    /// The resources; all unknown if no record has them.
    pub fn resources(&self) -> Resources {
        self.resources.unwrap_or_default()
    }

    /// The job's gang, from its record or its annotations; one of cardinality 1 is none (semantics.md,
    /// section 9).
    pub fn gang(&self) -> Option<Gang> {
        let annotated = || {
            let id = self.annotation(GANG_ID).filter(|id| !id.is_empty())?;
            let cardinality = self.annotation(GANG_CARDINALITY)?.trim().parse().ok()?;
            Some(Gang { id: id.to_owned(), cardinality })
        };
        self.gang.clone().or_else(annotated).filter(|gang| gang.cardinality >= 2)
    }

    /// Whether the job opts out of retries.
    pub fn fail_fast(&self) -> bool {
        self.annotation(FAIL_FAST) == Some("true")
    }
}

/// Resources that a job or a pod requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Resources {
    /// Cores.
    pub cpu: Option<Quantity>,
    /// Bytes of memory.
    pub memory: Option<Quantity>,
    /// Devices.
    pub gpu: Option<Quantity>,
}
