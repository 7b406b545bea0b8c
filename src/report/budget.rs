//! Budgets of layers as `explain budget` prints them: the product first, then the layers.

use super::documents::API_VERSION;
use super::durations::wait;
use super::figures::{count, separated};
use super::layout::{Layout, prose};
use super::table::{Table, columns};
use document::diag::printable;
use document::units::GoDuration;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use systems::{Layer, LayerBudget};

/// A budget, and the document that it is of.
#[derive(Debug)]
pub struct BudgetInput {
    /// The document, such as "JobSet `net`".
    pub document: String,
    /// The number of the document among those of its system.
    pub number: usize,
    /// Whether it is of a pod.
    pub is_pod: bool,
    /// The budget.
    pub budget: LayerBudget,
}

/// How often one failing pod runs in all, by the layers that retry it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BudgetExplanation {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `BudgetExplanation`.
    kind: &'static str,
    /// The budget with the most attempts, in one sentence.
    answer: String,
    /// The budgets, that with the most attempts first.
    budgets: Vec<BudgetItem>,
}

/// The budget of the failures that the documents decide in the same way.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BudgetItem {
    /// The document.
    document: String,
    #[serde(skip)]
    is_pod: bool,
    /// The part of the document: a replicated Job of a JobSet, a template of a workflow, the name of a profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<String>,
    /// The failures; empty if it is the budget of those that cost most.
    failures: Vec<String>,
    /// The attempts of all layers, multiplied; null without a limit.
    attempts: Option<u64>,
    /// The waits in all, in seconds; those that are not known are left out. Null without a limit.
    wait_seconds: Option<f64>,
    /// The layers whose waits are not known.
    unknown_waits: Vec<String>,
    /// The time that all attempts run, in hours, if the time of one is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    run_hours: Option<f64>,
    /// The core-hours of that time, by the requests of the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    core_hours: Option<f64>,
    /// The GPU-hours of that time, by the requests of the pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu_hours: Option<f64>,
    /// The layer that ends it; null if none does.
    ended_by: Option<String>,
    /// The reason with which that layer gives up.
    end_reason: Option<String>,
    /// The layers, the innermost first.
    layers: Vec<LayerItem>,
}

/// A layer of retries.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LayerItem {
    /// The layer.
    layer: String,
    /// Its attempts at each attempt of the layers outside of it; null without a limit.
    attempts: Option<u64>,
    /// Their limit, or the reason that there is none.
    limit: String,
    /// The waits between them in all, in seconds; null if they are not known.
    wait_seconds: Option<f64>,
    /// The reason with which it gives up; null if it does not.
    end_reason: Option<String>,
}

impl BudgetExplanation {
    /// Orders budgets by their attempts. `runtime` is the time of one attempt.
    pub fn new(inputs: Vec<BudgetInput>, runtime: Option<GoDuration>) -> Self {
        let mut budgets: Vec<BudgetItem> =
            inputs.into_iter().map(|input| BudgetItem::new(input, runtime)).collect();
        budgets.sort_by_key(|item| std::cmp::Reverse(item.attempts.unwrap_or(u64::MAX)));
        let answer =
            budgets.first().map_or_else(|| "No pod is retried.".to_owned(), BudgetItem::sentence);
        Self { api_version: API_VERSION, kind: "BudgetExplanation", answer, budgets }
    }
}

impl BudgetItem {
    fn new(
        BudgetInput { document, is_pod, budget, .. }: BudgetInput,
        runtime: Option<GoDuration>,
    ) -> Self {
        let attempts = budget.attempts();
        let run_hours =
            runtime.and_then(|runtime| budget.run_seconds(runtime)).map(|it| it / 3600.0);
        let of = |amount: f64| run_hours.map(|hours| hours * amount).filter(|hours| *hours > 0.0);
        Self {
            document,
            is_pod,
            part: budget.part.clone(),
            attempts,
            wait_seconds: budget.wait_seconds(),
            unknown_waits: budget.layers_of_unknown_wait().map(|it| it.name.clone()).collect(),
            run_hours,
            core_hours: of(budget.cores),
            gpu_hours: of(budget.gpus),
            ended_by: budget.last().map(|layer| layer.name.clone()),
            end_reason: budget.last().and_then(|layer| layer.end.clone()),
            layers: budget.layers.iter().map(LayerItem::from).collect(),
            failures: budget.failures,
        }
    }

    /// The answer: the product, its factors, the waits and the end.
    fn sentence(&self) -> String {
        let number = match self.attempts {
            Some(1) => "once".to_owned(),
            Some(attempts) => format!("at most {} times", count(attempts)),
            None => "without a limit".to_owned(),
        };
        let mut out = format!("{} runs {number}", self.subject());
        let _ = match self.failures.as_slice() {
            [] => write!(out, " in the worst case"),
            failures => write!(out, " if it ends with {}", failures.join(" or ")),
        };
        let is_factor = |layer: &&LayerItem| layer.attempts != Some(1);
        let factors: Vec<String> =
            self.layers.iter().filter(is_factor).map(LayerItem::factor).collect();
        if !factors.is_empty() {
            let _ = write!(out, ": {}", factors.join(" × "));
        }
        let known = self.wait_seconds.filter(|seconds| *seconds > 0.0).map(wait);
        let unknown = self.unknown_waits.join(" and the ");
        let _ = match (known, unknown.is_empty()) {
            (None, true) => Ok(()),
            (Some(known), true) => write!(out, "; waits {known}"),
            (None, false) => write!(out, "; the waits of the {unknown} are not known"),
            (Some(known), false) => {
                write!(out, "; waits {known} and those of the {unknown}, which are not known")
            }
        };
        if let Some(hours) = self.run_hours {
            let _ = write!(out, "; runs {}", hours_text(hours, "h"));
        }
        for (hours, unit) in [(self.core_hours, "core-hours"), (self.gpu_hours, "GPU-hours")] {
            if let Some(hours) = hours {
                let _ = write!(out, ", {}", hours_text(hours, unit));
            }
        }
        let _ = match (&self.ended_by, &self.end_reason) {
            (Some(layer), Some(reason)) => write!(out, "; the {layer} ends it ({reason})"),
            _ => write!(out, "; nothing ends it"),
        };
        out + "."
    }

    /// The document and its part.
    fn subject(&self) -> String {
        let Self { document, part, .. } = self;
        match (self.is_pod, part) {
            (true, Some(part)) => format!("A pod of `{part}` in {document}"),
            (true, None) => format!("A pod of {document}"),
            (false, Some(part)) => format!("Work under `{part}` ({document})"),
            (false, None) => format!("Work under {document}"),
        }
    }
}

impl From<&Layer> for LayerItem {
    fn from(layer: &Layer) -> Self {
        Self {
            layer: layer.name.clone(),
            attempts: layer.attempts,
            limit: layer.limit.clone(),
            wait_seconds: layer.wait_seconds,
            end_reason: layer.end.clone(),
        }
    }
}

impl LayerItem {
    fn factor(&self) -> String {
        match self.attempts {
            Some(attempts) => format!("{} by the {}'s {}", count(attempts), self.layer, self.limit),
            None => format!("by the {}'s {}", self.layer, self.limit),
        }
    }
}

/// The hours, with two digits or more of small ones.
fn hours_text(hours: f64, unit: &str) -> String {
    let digits = match hours {
        ..0.1 => 4,
        ..10.0 => 2,
        _ => 1,
    };
    format!("{} {unit}", separated(&format!("{hours:.digits$}")))
}

/// Renders the answer, then the layers of each budget.
pub fn table(explanation: &BudgetExplanation, layout: &Layout) -> String {
    let mut out = format!("{}\n", prose(&printable(&explanation.answer), layout));
    let columns = columns![layer in &LayerItem;
        "LAYER" => layer.layer.clone(),
        "ATTEMPTS" => layer.attempts.map_or_else(|| "unlimited".to_owned(), count),
        "LIMIT" => layer.limit.clone(),
        "WAITS" => match (layer.attempts, layer.wait_seconds) {
                (None, _) => "unlimited".to_owned(),
                (_, None) => "unknown".to_owned(),
                (_, Some(seconds)) => wait(seconds),
                },
        "ENDS BY" => layer.end_reason.clone().unwrap_or_else(|| "nothing".to_owned()),
    ];
    for (number, budget) in explanation.budgets.iter().enumerate() {
        out.push('\n');
        if number > 0 {
            let _ = writeln!(out, "{}", prose(&printable(&budget.sentence()), layout));
        }
        out += &Table::new(&budget.layers, &columns).render(layout);
    }
    out
}
