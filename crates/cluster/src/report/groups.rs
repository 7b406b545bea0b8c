//! The figures of groups of jobs, from the counts of their templates.

use super::counts::TemplateCounts;
use super::waits::{Waits, seconds};
use super::{
    CauseFigures, FairnessFigures, Figure, Group, HourFigures, Hours, JobFigures, LostHours,
    PreemptionFigures, RetryFigures, RuleFigures,
};
use crate::events::IdleSums;
use crate::resources::{CPU, GPU, MEMORY, ResourceTypes};
use std::collections::BTreeMap;

/// The run that the figures are of.
pub(super) struct Groups<'g> {
    pub(super) resources: &'g ResourceTypes,
    /// The sums of the capacity of all pools over time, in nanoseconds, by resource.
    pub(super) capacity: &'g [i128],
}

fn sum(templates: &[&TemplateCounts], of: fn(&TemplateCounts) -> u64) -> Figure {
    Figure::from(templates.iter().copied().map(of).sum::<u64>())
}

fn job_figures(templates: &[&TemplateCounts]) -> JobFigures {
    let sum = |of| sum(templates, of);
    let mut failed_by: BTreeMap<String, Figure> = BTreeMap::new();
    for (code, jobs) in templates.iter().flat_map(|counts| &counts.failed_by) {
        failed_by.entry((*code).to_owned()).or_default().0 += Figure::from(*jobs).0;
    }
    JobFigures {
        succeeded: sum(|counts| counts.succeeded),
        failed: sum(|counts| counts.failed),
        failed_by,
        recovered: sum(|counts| counts.recovered),
        unfinished: sum(|counts| counts.submitted - counts.succeeded - counts.failed),
        never_submitted: sum(|counts| counts.jobs - counts.submitted - counts.unschedulable),
        unschedulable: sum(|counts| counts.unschedulable),
    }
}

impl Groups<'_> {
    /// Returns the figures of some templates, without shares.
    pub(super) fn of(&self, templates: &[&TemplateCounts]) -> Group {
        let mut refusals: BTreeMap<String, Figure> = BTreeMap::new();
        for (name, jobs) in templates.iter().flat_map(|counts| counts.refusals.values()) {
            refusals.entry(name.clone()).or_default().0 += Figure::from(*jobs).0;
        }
        let hours =
            HourFigures { core: self.hours(templates, CPU), gpu: self.hours(templates, GPU) };
        // Without hours there is no share that is lost.
        let known = hours.core.useful.0 + hours.core.lost.0;
        let last = templates.iter().filter_map(|counts| counts.last_success).max();
        Group {
            jobs: job_figures(templates),
            attempts: sum(templates, |counts| counts.attempts),
            hours,
            waste: (known > 0.0).then(|| Figure(hours.core.lost.0 / known)),
            makespan: last.map(|time| Figure(seconds(time.into()))),
            wait: Waits::of(templates.iter().map(|counts| counts.waits.as_slice())),
            undisturbed_wait: Waits::of(
                templates.iter().map(|counts| counts.undisturbed_waits.as_slice()),
            ),
            retry_wait: Waits::of(templates.iter().map(|counts| counts.retry_waits.as_slice())),
            recovery_wait: Waits::of(
                templates.iter().map(|counts| counts.recovery_waits.as_slice()),
            ),
            preemptions: PreemptionFigures {
                fair_share: sum(templates, |counts| counts.preempted[0]),
                urgency: sum(templates, |counts| counts.preempted[1]),
                other: sum(templates, |counts| counts.preempted[2]),
                node_loss: sum(templates, |counts| counts.lost_with_node),
                for_retries: sum(templates, |counts| counts.preempted_for_retries),
            },
            retries: self.retries(templates),
            backed_off: sum(templates, |counts| counts.backed_off),
            refusals,
            utilisation: self.utilisation(templates),
            useful_utilisation: self.useful_utilisation(templates),
            idle_while_backing_off: None,
            fairness: FairnessFigures::default(),
        }
    }

    /// Returns the figures of the causes for which runs of some templates failed, by name.
    pub(super) fn causes(&self, templates: &[TemplateCounts]) -> BTreeMap<String, CauseFigures> {
        let mut causes: BTreeMap<String, CauseFigures> = BTreeMap::new();
        for template in templates {
            for cause in &template.causes {
                let figures = causes.entry(cause.name.clone()).or_default();
                figures.attempts.0 += Figure::from(cause.attempts).0;
                figures.stopped.0 += Figure::from(cause.stopped).0;
                figures.failed.0 += Figure::from(cause.failed).0;
                self.add_lost(&mut figures.lost, template, cause.lost);
            }
        }
        causes
    }

    fn retries(&self, templates: &[&TemplateCounts]) -> BTreeMap<u32, RetryFigures> {
        let mut retries: BTreeMap<u32, RetryFigures> = BTreeMap::new();
        for template in templates {
            for (number, counts) in &template.retries {
                let figures = retries.entry(*number).or_default();
                figures.granted.0 += Figure::from(counts.granted).0;
                figures.succeeded.0 += Figure::from(counts.succeeded).0;
                self.add_lost(&mut figures.lost, template, counts.lost);
            }
        }
        retries
    }

    /// Returns the figures of all rules, by name.
    pub(super) fn rules(
        &self,
        templates: &[TemplateCounts],
        names: &[String],
    ) -> BTreeMap<String, RuleFigures> {
        let mut rules = vec![RuleFigures::default(); names.len()];
        for template in templates {
            for (rule, counts) in &template.rules {
                let Some(figures) = rules.get_mut(*rule) else { continue };
                figures.granted.0 += Figure::from(counts.granted).0;
                figures.succeeded.0 += Figure::from(counts.succeeded).0;
                figures.failed.0 += Figure::from(counts.failed).0;
                self.add_lost(&mut figures.lost, template, counts.lost);
            }
        }
        names.iter().cloned().zip(rules).collect()
    }

    fn add_lost(&self, hours: &mut LostHours, template: &TemplateCounts, lost: i128) {
        hours.core.0 += self.resource_hours(template, CPU, lost);
        hours.gpu.0 += self.resource_hours(template, GPU, lost);
    }

    /// Returns the hours of a resource that jobs of a template hold in some time.
    fn resource_hours(&self, template: &TemplateCounts, resource: &str, time: i128) -> f64 {
        let Some(position) = self.resources.position(resource) else { return 0.0 };
        let used = used(&[template], position, |_| time);
        seconds(used) * self.resources.base_unit(position) / 3600.0
    }

    fn hours(&self, templates: &[&TemplateCounts], resource: &str) -> Hours {
        let Some(position) = self.resources.position(resource) else { return Hours::default() };
        let sum = |of: fn(&TemplateCounts) -> i128| {
            let used = used(templates, position, of);
            Figure(seconds(used) * self.resources.base_unit(position) / 3600.0)
        };
        Hours {
            useful: sum(|counts| counts.useful),
            lost: sum(|counts| counts.lost),
            overhead: sum(|counts| counts.overhead),
            unfinished: sum(|counts| counts.unfinished),
        }
    }

    fn utilisation(&self, templates: &[&TemplateCounts]) -> BTreeMap<String, Figure> {
        let all = |counts: &TemplateCounts| {
            counts.useful + counts.lost + counts.overhead + counts.unfinished
        };
        self.parts(templates, all, templates.iter().map(|counts| counts.more_memory).sum())
    }

    fn useful_utilisation(&self, templates: &[&TemplateCounts]) -> BTreeMap<String, Figure> {
        let more_memory = templates.iter().map(|counts| counts.useful_more_memory).sum();
        self.parts(templates, |counts| counts.useful, more_memory)
    }

    /// Returns the part of the capacity that jobs have in some time, by resource. `more_memory` is memory above their
    /// requests, times its time.
    fn parts(
        &self,
        templates: &[&TemplateCounts],
        time: impl Fn(&TemplateCounts) -> i128,
        more_memory: i128,
    ) -> BTreeMap<String, Figure> {
        let names = self.resources.names().iter().enumerate();
        let parts = names.filter_map(|(position, name)| {
            let capacity = self.capacity.get(position).copied().unwrap_or_default();
            let more = if name == MEMORY { more_memory } else { 0 };
            let used = used(templates, position, &time).saturating_add(more);
            let part = seconds(used) / seconds(capacity);
            // No share of nothing: the division would not be a number.
            (capacity > 0).then(|| (name.clone(), Figure(part)))
        });
        parts.collect()
    }

    /// Returns the part of the capacity that was idle, by resource; `None` without any capacity in that time.
    pub(super) fn idle(&self, sums: &[IdleSums]) -> Option<BTreeMap<String, Figure>> {
        let names = self.resources.names().iter().zip(sums).filter(|(_, it)| it.capacity > 0);
        let part = |sums: &IdleSums| Figure(seconds(sums.idle) / seconds(sums.capacity));
        let parts: BTreeMap<_, _> = names.map(|(name, it)| (name.clone(), part(it))).collect();
        (!parts.is_empty()).then_some(parts)
    }
}

/// Returns the sum over jobs of a requested amount, times the time that they hold it.
fn used(
    templates: &[&TemplateCounts],
    position: usize,
    time: impl Fn(&TemplateCounts) -> i128,
) -> i128 {
    let of = |counts: &&TemplateCounts| {
        let request = counts.request.as_slice().get(position).copied().unwrap_or_default();
        time(counts).saturating_mul(request.into())
    };
    templates.iter().map(of).fold(0, i128::saturating_add)
}
