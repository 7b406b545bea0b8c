//! Argo's controller as an [`Engine`](replay::simulate::Engine): units are retry nodes, runs are their attempts.

pub(super) mod backoff;
pub(super) mod decision;
mod interface;
pub(super) mod transient;

use super::manifest::{ArgoManifest, RetryStrategy, TemplateStrategy};
use super::record::AttemptFields;
use crate::Identity;
use decision::{Attempt, Chain, Decision, decide};
use document::units::Time;
use replay::history::{Member, Run};

/// The engine over some workflows.
#[derive(Debug, Clone)]
pub struct ArgoEngine {
    pub(super) manifests: Vec<ArgoManifest>,
}

/// The state of a retry node.
#[derive(Debug, Clone, Default)]
pub struct RetryUnit {
    /// The workflow and the template that apply; `None` if none does.
    pub(super) template: Option<(usize, usize)>,
    /// The number of the template among those with a strategy, of all workflows.
    pub(super) rule: Option<usize>,
    pub(super) chain: Chain,
    /// The nodes of the attempts that failed.
    pub(super) failed_nodes: Vec<String>,
    /// The phase that the last decision ended it in.
    pub(super) phase: Option<&'static str>,
}

impl ArgoEngine {
    /// Creates an engine over workflows. That of the name in a unit applies, else the first.
    pub fn new(manifests: Vec<ArgoManifest>) -> Self {
        Self { manifests }
    }

    /// Returns the number of the workflow that applies to a unit, and that of the template of a run. Documents of several
    /// kinds may have the name of the workflow: the first that has the template applies.
    pub(super) fn template_of(&self, unit: &str, run: &AttemptFields) -> Option<(usize, usize)> {
        let identity = workflow_of(unit);
        let numbers = || 0..self.manifests.len();
        let known = |number: usize| self.manifests[number].identity();
        let same = numbers().filter(|number| known(*number) == identity);
        let fitting = numbers().filter(|number| identity.fits(known(*number)));
        let mut named = same.chain(fitting).peekable();
        // Without a workflow of that name, the first one applies to all units.
        let first = named.peek().is_none().then_some(0);
        named.chain(first).find_map(|number| {
            let template = self.manifests.get(number)?.template(run.template.as_deref())?;
            Some((number, template))
        })
    }

    /// Returns the template of a unit.
    pub(super) fn template(&self, unit: &RetryUnit) -> Option<&TemplateStrategy> {
        let (workflow, template) = unit.template?;
        self.manifests.get(workflow)?.templates.get(template)
    }

    /// Returns the strategy of a unit.
    pub(super) fn strategy(&self, unit: &RetryUnit) -> Option<&RetryStrategy> {
        self.template(unit)?.strategy.as_ref()
    }

    /// Returns the number of a template among those with a strategy, if it has one.
    pub(super) fn rule_number(&self, (workflow, template): (usize, usize)) -> Option<usize> {
        let own = self.manifests.get(workflow)?;
        own.templates.get(template)?.strategy.as_ref()?;
        let count = |templates: &[TemplateStrategy]| {
            templates.iter().filter(|it| it.strategy.is_some()).count()
        };
        let before = self.manifests[..workflow].iter().map(|manifest| count(&manifest.templates));
        Some(before.sum::<usize>() + count(&own.templates[..template]))
    }

    /// Returns the state of a unit before its first run.
    pub(super) fn unit(&self, members: &[&Member<AttemptFields>]) -> RetryUnit {
        let first = members.first();
        let template = first.and_then(|member| {
            let run = member.runs.first()?;
            self.template_of(&member.unit, &run.own)
        });
        let rule = template.and_then(|template| self.rule_number(template));
        RetryUnit { template, rule, ..RetryUnit::default() }
    }

    /// Decides about an attempt that failed, and counts it.
    pub(super) fn decide(&self, unit: &mut RetryUnit, run: &Run<AttemptFields>) -> Decision {
        unit.chain.add(run.started_at);
        if let Some(node) = run.node.as_deref()
            && !unit.failed_nodes.iter().any(|known| known == node)
        {
            unit.failed_nodes.push(node.to_owned());
        }
        let attempt = attempt(run);
        let decision =
            Decision { rule: unit.rule, ..decide(self.strategy(unit), unit.chain, &attempt) };
        unit.chain.retried += u32::from(decision.verdict.retries());
        unit.phase = Some(decision.phase());
        decision
    }
}

/// Returns the facts of an attempt.
pub(super) fn attempt(run: &Run<AttemptFields>) -> Attempt<'_> {
    Attempt {
        outcome: run.own.outcome,
        exit_code: run.own.exit_code,
        message: run.own.message.as_deref(),
        transient: run.own.transient,
        started: run.started_at,
        ended: run.time(),
    }
}

/// Returns the workflow of a retry node: the node's name begins with that of the workflow, up to a dot or a bracket.
pub(super) fn workflow_of(unit: &str) -> Identity<'_> {
    // A name behind it may have slashes: of an item of a loop.
    Identity::from_unit(unit.split(['.', '[', '(']).next().unwrap_or(unit))
}

impl ArgoManifest {
    /// Returns the namespace and name of the workflow.
    pub fn identity(&self) -> Identity<'_> {
        Identity { namespace: &self.namespace, name: &self.name }
    }
}

impl Chain {
    /// Counts an attempt that began at a time.
    fn add(&mut self, started: Option<Time>) {
        if self.attempts == 0 {
            self.first_start = started;
        }
        self.attempts = self.attempts.saturating_add(1);
    }
}
