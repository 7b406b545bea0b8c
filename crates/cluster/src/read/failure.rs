//! Reads the blocks that describe failures, of node templates and of job templates.

use super::super::failure::{
    Checkpoint, Distribution, DurationDistribution, FailureCause, FailureKind, FailureReport,
    JobFailures, Lemons, Lifetime, NodeFailures, Probability, Spot, Stickiness, Termination,
    Trigger,
};
use super::super::spec::Nanoseconds;
use super::located::{Reader, items, nanoseconds, text};
use document::Node;
use document::diag::{Code, Place};
use document::units::GoDuration;
use replay::history::GraceBounds;
use std::collections::HashMap;

/// The most losses of a node in an hour: nodes that are lost more often would do nothing but fail.
const MAX_LOSSES_PER_HOUR: f64 = 60.0;

impl Reader<'_> {
    /// Reads the `failure` block of a node template; `None` without one. `has_gpus` is whether its nodes have GPUs.
    pub(super) fn node_failures(
        &mut self,
        template: &Node,
        has_gpus: bool,
    ) -> Option<NodeFailures> {
        let node = template.get("failure")?;
        if let Some(mtbf) = node.get("gpuMtbf").filter(|_| !has_gpus) {
            let message = "`gpuMtbf` has no effect: the nodes have no `nvidia.com/gpu`".to_owned();
            self.warning(Code::Misleading, mtbf.span, message, "remove it".to_owned());
        }
        let lifetime = node.get("up").zip(node.get("repair")).map(|(up, repair)| Lifetime {
            up: self.duration_distribution(up),
            repair: self.duration_distribution(repair),
            lemons: node
                .get("lemons")
                .map(|lemons| self.lemons(lemons, number(template, "number"))),
        });
        Some(NodeFailures {
            lifetime,
            gpu_mtbf: node.get("gpuMtbf").map(|_| self.positive_duration(node, "gpuMtbf")),
            spot: node.get("spot").map(|spot| self.spot(spot)),
        })
    }

    /// Reads the `lemons` of a template with this number of nodes.
    fn lemons(&mut self, node: &Node, nodes: f64) -> Lemons {
        let (fraction, rate_share) = (number(node, "fraction"), number(node, "rateShare"));
        // Rounded as in the simulation, which has whole nodes.
        let lemons = (fraction * nodes).round();
        if lemons < 1.0 || lemons >= nodes {
            let all = if lemons < 1.0 { "none" } else { "all" };
            let message = format!(
                "`lemons` has no effect: a fraction of {fraction} of {nodes} nodes is {all} of them"
            );
            let help = "write a fraction for some of the nodes, or remove `lemons`".to_owned();
            self.warning(Code::Misleading, node.span, message, help);
        } else if rate_share < fraction {
            let message = "these lemons fail less often than the other nodes".to_owned();
            let help = format!("write a `rateShare` above the fraction, {fraction}");
            self.warning(Code::Misleading, node.span, message, help);
        }
        Lemons { fraction, rate_share }
    }

    fn spot(&mut self, node: &Node) -> Spot {
        let batch = node.get("batch");
        let p = batch.map_or(1.0, |batch| number(batch, "geometric"));
        if let Some(at) = batch.and_then(|batch| batch.get("geometric")).filter(|_| p > 1.0) {
            let message = format!("`geometric` is {p}; it is a probability, at most 1");
            self.error(Code::OutOfRange, at.span, message, "write 1 for single nodes".to_owned());
        }
        let per_hour = number(node, "hazardPerHour");
        if let Some(at) = node.get("hazardPerHour").filter(|_| per_hour > MAX_LOSSES_PER_HOUR) {
            let message = format!("`hazardPerHour` is {per_hour}");
            let help = format!("write at most {MAX_LOSSES_PER_HOUR}: one loss a minute");
            self.error(Code::TooMuch, at.span, message, help);
        }
        Spot {
            per_hour,
            warning: self.duration(node, "warning"),
            batch: p,
            replacement: node.get("replaceAfter").map(|it| self.duration_distribution(it)),
        }
    }

    /// Reads the blocks of a job template.
    pub(super) fn job_failures(&mut self, template: &Node, bounds: GraceBounds) -> JobFailures {
        let mut names = HashMap::new();
        let causes = items(template, "failures").iter();
        JobFailures {
            causes: causes.map(|node| self.cause(node, &mut names)).collect(),
            checkpoint: template.get("checkpoint").map(|node| Checkpoint {
                interval: self.positive_duration(node, "interval"),
                cost: self.duration(node, "cost"),
                restart: self.duration(node, "restart"),
            }),
            active_deadline: template
                .get("activeDeadline")
                .map(|_| self.positive_duration(template, "activeDeadline")),
            termination: self.termination(template, bounds),
        }
    }

    fn termination(&mut self, template: &Node, bounds: GraceBounds) -> Termination {
        const SECOND: Nanoseconds = 1_000_000_000;
        let grace = self.duration(template, "terminationGracePeriod");
        // The record of a run has whole seconds.
        let is_whole = grace % SECOND == 0;
        let fault = bounds.fault(Some(GoDuration::from_nanos(grace)));
        let fault = fault
            .or_else(|| (!is_whole).then(|| "the grace period has a part of a second".to_owned()));
        if let (Some(message), Some(at)) = (fault, template.get("terminationGracePeriod")) {
            let help = "write whole seconds within the bounds of the scheduler's `submission` section, by \
                        default at least 1s; 0s means the least"
                .to_owned();
            self.error(Code::OutOfRange, at.span, message, help);
        }
        let exit = template.get("exitAfterSignal").map(|node| self.duration_distribution(node));
        Termination { grace, exit }
    }

    fn cause(&mut self, node: &Node, names: &mut HashMap<String, Place>) -> FailureCause {
        let name = text(node, "name");
        if let Some(at) = node.get("name").filter(|_| !name.is_empty()) {
            if FailureKind::RESERVED.contains(&name) {
                let message = format!("the name `{name}` is reserved for another cause of failure");
                let help = format!("write another, such as `{name}-error`");
                self.error(Code::DuplicateDocument, at.span, message, help);
            }
            self.register_name(names, ("failure cause", name), at.span);
        }
        let stickiness = node.get("sticksToNode").map(|node| Stickiness {
            probability: number(node, "probability"),
            duration: self.duration(node, "for"),
            again: self.duration_distribution_at(node, "again"),
        });
        let text_of = |key| text(node, key).to_owned();
        let exit_code = node.get("exitCode").and_then(Node::integer);
        let report = FailureReport {
            exit_code: exit_code.and_then(|code| i64::try_from(code).ok()),
            reason: text_of("reason"),
            message: text_of("message"),
            category: text_of("category"),
            subcategory: text_of("subcategory"),
        };
        FailureCause { name: name.to_owned(), trigger: self.trigger(node), stickiness, report }
    }

    fn trigger(&mut self, node: &Node) -> Trigger {
        if let Some(hazard) = node.get("hazardPerHour") {
            let has_other = ["perAttempt", "need"].iter().any(|key| node.get(key).is_some());
            if let Some(at) = node.get("at").filter(|_| !has_other) {
                let message = "`at` has no effect with `hazardPerHour`".to_owned();
                self.warning(Code::Misleading, at.span, message, "remove it".to_owned());
            }
            return Trigger::Hazard { per_hour: hazard.number().unwrap_or_default() };
        }
        let at = self.duration_distribution_at(node, "at");
        if let Some(need) = node.at(&["need", "memory"]) {
            return Trigger::Memory { need: self.factor_distribution(need), at };
        }
        let probability = node.get("perAttempt").map_or(Probability::Fixed(0.0), probability);
        let first = node.get("firstAttempt").and_then(Node::number);
        Trigger::PerAttempt { probability, first, at }
    }

    fn duration_distribution_at(&mut self, node: &Node, key: &str) -> DurationDistribution {
        let zero = || DurationDistribution::from_milliseconds(Distribution::Fixed(0.0));
        node.get(key).map_or_else(zero, |node| self.duration_distribution(node))
    }

    /// Reads a distribution of durations, whose shape is checked.
    fn duration_distribution(&mut self, node: &Node) -> DurationDistribution {
        let milliseconds = if let Some(value) = node.get("exponential") {
            Distribution::Exponential { mean: self.positive_milliseconds(value, "mean") }
        } else if let Some(value) = node.get("weibull") {
            let scale = self.positive_milliseconds(value, "scale");
            Distribution::Weibull { shape: number(value, "shape"), scale }
        } else if let Some(value) = node.get("lognormal") {
            let median = self.positive_milliseconds(value, "median");
            Distribution::Lognormal { median, sigma: number(value, "sigma") }
        } else if let Some(value) = node.get("uniform") {
            let ends = [0, 1].map(|position| value.items().get(position));
            let [low, high] = ends.map(|end| end.map_or(0, |end| self.duration_of(end, "uniform")));
            self.uniform(value, milliseconds(low), milliseconds(high))
        } else {
            Distribution::Fixed(milliseconds(self.duration(node, "fixed")))
        };
        DurationDistribution::from_milliseconds(milliseconds)
    }

    /// Reads a distribution of factors, whose shape is checked.
    fn factor_distribution(&mut self, node: &Node) -> Distribution {
        if let Some(value) = node.get("lognormal") {
            let (median, sigma) = (number(value, "median"), number(value, "sigma"));
            return Distribution::Lognormal { median, sigma };
        }
        let Some(value) = node.get("uniform") else {
            return Distribution::Fixed(number(node, "fixed"));
        };
        let ends = [0, 1].map(|position| value.items().get(position).and_then(Node::number));
        let [low, high] = ends.map(Option::unwrap_or_default);
        self.uniform(value, low, high)
    }

    fn uniform(&mut self, node: &Node, low: f64, high: f64) -> Distribution {
        // A list of another length has a finding already.
        if low > high && node.items().len() == 2 {
            let message = "the first value of `uniform` is greater than the second".to_owned();
            let help = "write the lesser one first".to_owned();
            self.error(Code::OutOfRange, node.span, message, help);
        }
        Distribution::Uniform { low, high }
    }

    fn positive_milliseconds(&mut self, node: &Node, key: &str) -> f64 {
        milliseconds(self.positive_duration(node, key))
    }

    /// Reads a duration and refuses 0.
    fn positive_duration(&mut self, node: &Node, key: &str) -> Nanoseconds {
        if let Some(value) = node.get(key).filter(|value| nanoseconds(value) == Some(0)) {
            let message = format!("`{key}` is 0");
            self.error(Code::OutOfRange, value.span, message, "write more than 0".to_owned());
        }
        self.duration(node, key)
    }
}

fn number(node: &Node, key: &str) -> f64 {
    node.get(key).and_then(Node::number).unwrap_or_default()
}

fn probability(node: &Node) -> Probability {
    match node.get("beta").map(Node::items) {
        Some([a, b]) => Probability::Beta(a.number().unwrap_or(1.0), b.number().unwrap_or(1.0)),
        _ => Probability::Fixed(node.number().unwrap_or_default()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "100 years in milliseconds have 42 bits")]
fn milliseconds(duration: Nanoseconds) -> f64 {
    duration as f64 / 1e6
}
