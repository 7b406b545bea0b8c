//! A budget and its layers.

use crate::lint::WorstCase;
use document::units::GoDuration;

/// The inputs of a budget that no manifest has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetOptions {
    /// The options of all manifests.
    pub options: crate::Options,
    /// The time that an attempt runs before it fails.
    pub runtime: GoDuration,
}

/// A layer that retries what the layers inside of it have given up.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// The layer: `Job`, `JobSet`, `container main`.
    pub name: String,
    /// The attempts that it makes, the first included; absent if nothing limits them.
    pub attempts: Option<u64>,
    /// The limit of the attempts, or the field that retries without one: `backoffLimit 6`, `rule 0 (Ignore)`.
    pub limit: String,
    /// The waits between its attempts in all, in seconds; absent if they are unlimited or unknown.
    pub wait_seconds: Option<f64>,
    /// The time that its attempts run in all, in seconds, if a deadline cuts the last one off.
    pub run_seconds: Option<f64>,
    /// Whether it is that of the failures that cost most, whatever failure is given.
    pub is_worst_case: bool,
    /// The reason with which it gives up; absent if it does not.
    pub end: Option<String>,
}

/// The layers around one pod for some failures.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerBudget {
    /// The part of the manifest that retries: a replicated Job, a template, a profile.
    pub part: Option<String>,
    /// The failures that have this budget: `exit code 42`; none if it is that of the failures that cost most.
    pub failures: Vec<String>,
    /// The layers, the innermost first; a layer outside of one that never gives up is left out.
    pub layers: Vec<Layer>,
    /// The cores that the pod requests.
    pub cores: f64,
    /// The GPUs that the pod requests.
    pub gpus: f64,
}

impl Layer {
    /// Creates a layer of one attempt, which gives up with a reason.
    pub(crate) fn once(name: &str, limit: impl Into<String>, end: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            attempts: Some(1),
            limit: limit.into(),
            wait_seconds: Some(0.0),
            run_seconds: None,
            is_worst_case: false,
            end: Some(end.into()),
        }
    }

    /// Creates the layer of a program that submits the work again, this number of times.
    pub fn resubmission(resubmits: u32) -> Self {
        let limit = format!("--resubmits {resubmits}");
        let end = Some("no resubmission is left".to_owned());
        Self {
            name: "resubmission".to_owned(),
            attempts: Some(u64::from(resubmits) + 1),
            limit,
            wait_seconds: None,
            run_seconds: None,
            is_worst_case: false,
            end,
        }
    }
}

impl LayerBudget {
    /// Creates the budget of a part in a system of one layer, of the failures that cost most. Without a worst case nothing limits
    /// its retries.
    pub(crate) fn single(
        (part, layer): (&str, &str),
        limit: String,
        worst: Option<WorstCase>,
    ) -> Self {
        let layer = Layer {
            name: layer.to_owned(),
            attempts: worst.map(|worst| worst.attempts).filter(|attempts| *attempts < u64::MAX),
            limit,
            wait_seconds: worst.map(|worst| worst.wait),
            run_seconds: None,
            is_worst_case: true,
            end: worst.map(|_| "its retries are used up".to_owned()),
        };
        Self {
            part: Some(part.to_owned()),
            failures: Vec::new(),
            layers: vec![layer],
            cores: 0.0,
            gpus: 0.0,
        }
    }

    /// Returns the attempts of all layers, multiplied; absent if a layer has no limit.
    pub fn attempts(&self) -> Option<u64> {
        self.layers
            .iter()
            .try_fold(1_u64, |product, layer| Some(product.saturating_mul(layer.attempts?)))
    }

    /// Returns the known waits of all layers in seconds: those of a layer occur at each attempt of the layers outside of it.
    /// Absent if a layer has no limit.
    pub fn wait_seconds(&self) -> Option<f64> {
        self.attempts()?;
        let add = |inner: f64, layer: &Layer| {
            let attempts = layer.attempts.unwrap_or(1);
            #[expect(clippy::cast_precision_loss, reason = "a time for reports")]
            let repeated = inner * attempts as f64;
            repeated + layer.wait_seconds.unwrap_or_default()
        };
        Some(self.layers.iter().fold(0.0, add))
    }

    /// Returns the time that all attempts run, in seconds, if each runs for this long; absent if a layer has no limit.
    pub fn run_seconds(&self, runtime: GoDuration) -> Option<f64> {
        self.attempts()?;
        let run = |inner: f64, layer: &Layer| {
            #[expect(clippy::cast_precision_loss, reason = "a time for reports")]
            let repeated = inner * layer.attempts.unwrap_or(1) as f64;
            layer.run_seconds.unwrap_or(repeated)
        };
        Some(self.layers.iter().fold(runtime.as_secs_f64(), run))
    }

    /// Returns the layers whose waits are not known though they retry.
    pub fn layers_of_unknown_wait(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().filter(|layer| {
            layer.wait_seconds.is_none() && layer.attempts.is_some_and(|attempts| attempts > 1)
        })
    }

    /// Returns the layer that ends it: the outermost one, if it gives up.
    pub fn last(&self) -> Option<&Layer> {
        self.layers.last().filter(|layer| layer.end.is_some())
    }

    /// Adds a layer around the others, unless one of them never gives up.
    pub fn push(&mut self, layer: Layer) {
        if self.layers.last().is_none_or(|last| last.end.is_some()) {
            self.layers.push(layer);
        }
    }

    /// Joins budgets that differ in their failures alone, in the order of the first.
    pub fn join(budgets: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut joined: Vec<Self> = Vec::new();
        for budget in budgets {
            let same = joined
                .iter_mut()
                .find(|other| other.part == budget.part && other.layers == budget.layers);
            match same {
                Some(same) => same.failures.extend(budget.failures),
                None => joined.push(budget),
            }
        }
        joined
    }
}
