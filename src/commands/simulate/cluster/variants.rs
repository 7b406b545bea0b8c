//! The variants that are simulated: a scheduler configuration, and what follows the ends of runs.

use crate::commands::simulate::columns::only_policy;
use cluster::events::{LoopOptions, Retries, Simulation};
use cluster::retry::{Decider, EngineDecider, NoRetries, Requeue};
use cluster::run_record::Records;
use cluster::scheduling::Scheduling;
use cluster::spec::{ClusterSpec, Workload};
use replay::simulate::ReportTexts;
use systems::armada::Armada;

/// A scheduler configuration, the cluster and workload read with it, and what decides about ended runs.
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) scheduling: Scheduling,
    pub(super) clusters: ClusterSpec,
    pub(super) workload: Workload,
    pub(super) requeue: Requeue,
    pub(super) deciding: Deciding,
}

/// The engine that judges ended runs.
pub(super) enum Deciding {
    /// Nothing: a failed job fails, and a preempted one is submitted again, as in Armada's simulator.
    Nothing,
    /// Every job whose run does not succeed fails.
    NoRetries,
    Policies(Box<Armada>),
}

impl Variant {
    /// The simulation of a run, before its first event.
    pub(super) fn simulation(&self, options: LoopOptions) -> Simulation<'_> {
        let Self { scheduling, clusters, workload, requeue, .. } = self;
        let simulation = Simulation::new(scheduling, clusters, workload, options);
        let decider: Box<dyn Decider> = match &self.deciding {
            Deciding::Nothing => return simulation,
            Deciding::NoRetries => Box::new(NoRetries),
            Deciding::Policies(engine) => {
                let records = Records::new(&scheduling.settings().resources, clusters, workload);
                Box::new(EngineDecider::new(&**engine, records))
            }
        };
        simulation.with_retries(Retries { decider, requeue: *requeue })
    }

    /// The name of the engine, if there are policies.
    pub(super) fn engine_name(&self) -> Option<String> {
        self.policies().map(|engine| engine.name().to_owned())
    }

    /// The name of its policy, if it has one alone.
    pub(super) fn only_policy(&self) -> Option<String> {
        self.policies().and_then(only_policy)
    }

    /// The names of the rules, in the order of their numbers.
    pub(super) fn rule_names(&self) -> Vec<String> {
        let rules = self.policies().map(ReportTexts::rules).unwrap_or_default().into_iter();
        let name = rules.map(|rule| match rule.index {
            Some(index) => format!("{}.rules[{index}]", rule.policy),
            None => format!("{}.defaultAction", rule.policy),
        });
        name.collect()
    }

    fn policies(&self) -> Option<&Armada> {
        match &self.deciding {
            Deciding::Policies(engine) => Some(engine),
            Deciding::Nothing | Deciding::NoRetries => None,
        }
    }
}
