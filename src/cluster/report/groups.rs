//! The figures of groups of jobs, from the counts of their templates.

use super::tally::Tally;
use super::waits::{Waits, seconds};
use super::{FairnessFigures, Figure, Group, HourFigures, Hours, JobFigures, PreemptionFigures};
use crate::cluster::resources::{Amounts, ResourceTypes};
use crate::cluster::spec::Nanoseconds;
use std::collections::BTreeMap;

/// The run that the figures are of.
pub(super) struct Groups<'g> {
    pub(super) resources: &'g ResourceTypes,
    /// The capacity of all pools.
    pub(super) capacity: &'g Amounts,
    pub(super) end: Nanoseconds,
}

impl Groups<'_> {
    /// The figures of some templates, without shares.
    pub(super) fn of(&self, templates: &[&Tally]) -> Group {
        let sum =
            |of: fn(&Tally) -> u64| Figure::from(templates.iter().copied().map(of).sum::<u64>());
        let mut refusals: BTreeMap<String, Figure> = BTreeMap::new();
        for (name, jobs) in templates.iter().flat_map(|tally| tally.refusals.values()) {
            refusals.entry(name.clone()).or_default().0 += Figure::from(*jobs).0;
        }
        let hours = HourFigures {
            core: self.hours(templates, "cpu"),
            gpu: self.hours(templates, "nvidia.com/gpu"),
        };
        let known = hours.core.useful.0 + hours.core.lost.0;
        let last = templates.iter().filter_map(|tally| tally.last_success).max();
        Group {
            jobs: JobFigures {
                succeeded: sum(|tally| tally.succeeded),
                failed: Figure::default(),
                unfinished: sum(|tally| tally.submitted - tally.succeeded),
                never_submitted: sum(|tally| tally.jobs - tally.submitted - tally.unschedulable),
                unschedulable: sum(|tally| tally.unschedulable),
            },
            attempts: sum(|tally| tally.attempts),
            hours,
            waste: (known > 0.0).then(|| Figure(hours.core.lost.0 / known)),
            makespan: last.map(|time| Figure(seconds(time.into()))),
            wait: Waits::of(templates.iter().map(|tally| tally.waits.as_slice())),
            retry_wait: Waits::of(templates.iter().map(|tally| tally.retry_waits.as_slice())),
            recovery_wait: Waits::of(templates.iter().map(|tally| tally.recovery_waits.as_slice())),
            preemptions: PreemptionFigures {
                fair_share: sum(|tally| tally.preempted[0]),
                urgency: sum(|tally| tally.preempted[1]),
                other: sum(|tally| tally.preempted[2]),
            },
            refusals,
            utilisation: self.utilisation(templates),
            fairness: FairnessFigures::default(),
        }
    }

    fn hours(&self, templates: &[&Tally], resource: &str) -> Hours {
        let Some(position) = self.resources.position(resource) else { return Hours::default() };
        let sum = |of: fn(&Tally) -> i128| {
            let used = used(templates, position, of);
            Figure(seconds(used) * self.resources.base_unit(position) / 3600.0)
        };
        Hours {
            useful: sum(|tally| tally.useful),
            lost: sum(|tally| tally.lost),
            overhead: sum(|tally| tally.overhead),
            unfinished: sum(|tally| tally.unfinished),
        }
    }

    fn utilisation(&self, templates: &[&Tally]) -> BTreeMap<String, Figure> {
        let all = |tally: &Tally| tally.useful + tally.lost + tally.overhead + tally.unfinished;
        let names = self.resources.names().iter().enumerate();
        let parts = names.filter_map(|(position, name)| {
            let capacity = i128::from(self.capacity.as_slice()[position]) * i128::from(self.end);
            let part = seconds(used(templates, position, all)) / seconds(capacity);
            (capacity > 0).then(|| (name.clone(), Figure(part)))
        });
        parts.collect()
    }
}

/// An amount that jobs request, times the time that they hold it.
fn used(templates: &[&Tally], position: usize, time: impl Fn(&Tally) -> i128) -> i128 {
    let of = |tally: &&Tally| {
        let request = tally.request.as_slice().get(position).copied().unwrap_or_default();
        time(tally).saturating_mul(request.into())
    };
    templates.iter().map(of).fold(0, i128::saturating_add)
}
