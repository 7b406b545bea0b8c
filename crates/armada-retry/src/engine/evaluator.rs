//! Policies and settings, compiled once for all decisions.

use super::backoff::Schedule;
use super::decision::{LimitSource, RuleId};
use super::failure::{Failure, Listed};
use super::index::{RuleIndex, Scratch};
use super::profile::Profile;
use super::run::{EndedRun, Outcome};
use super::settings::{Reload, Settings};
use crate::policy::{Action, AntiAffinity, MemoryBump, RetryPolicy, Rule, SchedulerSettings};
use document::pattern::Searcher;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of evaluators made in this process.
// An evaluator takes its number from it, so that working memory used with another evaluator is detected. No decision
// depends on it.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Retry policies under a scheduler's settings, compiled for decisions.
///
/// All threads share one evaluator. Patterns are compiled at their first use.
#[derive(Debug)]
pub struct Evaluator {
    /// Identifies the evaluator in this process.
    number: u64,
    pub(super) profile: &'static Profile,
    pub(super) settings: Settings,
    policies: Vec<Arc<RetryPolicy>>,
    /// By [`RuleId`]: the rules of each policy in order, followed by its default action.
    pub(super) rules: Vec<CompiledRule>,
    pub(super) listed: Listed,
    routes: Mutex<Routes>,
}

/// The routes and pattern automata made so far. A fleet has few distinct lists of policies.
#[derive(Debug, Default)]
struct Routes {
    known: HashMap<Vec<usize>, Arc<Route>>,
    searchers: HashMap<Box<str>, Arc<Searcher>>,
}

/// The consequence of a rule or default.
#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) policy: usize,
    /// The index of the rule in its policy; `None` for the default action.
    pub(super) index: Option<usize>,
    pub(super) action: Action,
    /// The limit and its level; `None` means `globalMaxRetries`.
    pub(super) limit: Option<(u32, LimitSource)>,
    pub(super) backoff: Schedule,
    pub(super) avoids: Avoids,
    pub(super) memory: Option<MemoryBump>,
}

/// The runs after which a rule's retry avoids nodes (semantics.md, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Avoids {
    Never,
    /// After every run that the engine retries (`antiAffinity`).
    AnyRun,
    /// After Failed runs, not after expired leases (`mutate.affinity`).
    FailedRuns,
}

impl Avoids {
    /// Whether a retry after a run with this outcome avoids nodes.
    pub(super) fn applies(self, outcome: Outcome) -> bool {
        match self {
            Self::Never => false,
            Self::AnyRun => true,
            Self::FailedRuns => outcome == Outcome::Failed,
        }
    }
}

/// The rules of the policies that apply to a job, concatenated (semantics.md, section 4).
#[derive(Debug)]
pub struct Route {
    /// Its number among the routes of the evaluator.
    #[doc(hidden)]
    pub number: u32,
    pub(super) policies: Vec<usize>,
    pub(super) rules: Vec<RuleId>,
    pub(super) index: RuleIndex,
    /// The default action of the first policy; `None` without a policy.
    pub(super) default: Option<RuleId>,
    /// Whether any rule's retry avoids nodes.
    pub(super) avoids_nodes: bool,
}

/// The name of a rule: its policy and its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleName<'a> {
    pub policy: &'a str,
    /// The index from 0; `None` for the default action.
    pub index: Option<usize>,
}

impl Evaluator {
    /// Compiles policies, whose names must be unique.
    pub fn new(
        profile: &'static Profile,
        policies: Vec<Arc<RetryPolicy>>,
        settings: SchedulerSettings,
        reloads: &[Reload],
    ) -> Self {
        let mut listed = Listed::default();
        let mut rules = Vec::new();
        for (number, policy) in policies.iter().enumerate() {
            policy.rules.iter().for_each(|rule| listed.add(rule));
            let indexed = policy.rules.iter().enumerate();
            rules.extend(
                indexed.map(|(index, rule)| compile_rule(number, policy, index, rule, &settings)),
            );
            rules.push(compile_default(number, policy, &settings));
        }
        let settings = Settings::new(settings, profile, reloads);
        let routes = Mutex::default();
        let number = MADE.fetch_add(1, Ordering::Relaxed) + 1;
        Self { number, profile, settings, policies, rules, listed, routes }
    }

    /// The profile of the decisions.
    pub fn profile(&self) -> &'static Profile {
        self.profile
    }

    /// The scheduler's settings over time.
    #[doc(hidden)]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The policies, in the order of the input.
    pub fn policies(&self) -> &[Arc<RetryPolicy>] {
        &self.policies
    }

    /// The number of the policy with this name.
    pub fn policy_number(&self, name: &str) -> Option<usize> {
        self.policies.iter().position(|policy| policy.name.as_str() == name)
    }

    /// All rules and defaults of all policies, in order.
    pub fn rule_ids(&self) -> impl Iterator<Item = RuleId> + use<> {
        (0..u32::try_from(self.rules.len()).unwrap_or(u32::MAX)).map(RuleId)
    }

    /// The name of a rule or default.
    pub fn rule(&self, id: RuleId) -> RuleName<'_> {
        let rule = &self.rules[id.index()];
        RuleName { policy: self.policies[rule.policy].name.as_str(), index: rule.index }
    }

    /// The rule; `None` for a default action.
    pub fn rule_body(&self, id: RuleId) -> Option<&Rule> {
        let rule = &self.rules[id.index()];
        rule.index.map(|index| &self.policies[rule.policy].rules[index])
    }

    /// The policy of a rule or default.
    pub(super) fn policy_of(&self, id: RuleId) -> Option<&RetryPolicy> {
        self.policies.get(self.rules[id.index()].policy).map(Arc::as_ref)
    }

    /// The route of a job to which these policies apply, in this order. Routes are cached: equal lists share
    /// one.
    pub fn route(&self, policies: &[usize]) -> Arc<Route> {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = routes.known.get(policies) {
            return Arc::clone(known);
        }
        let route = Arc::new(self.new_route(policies, &mut routes));
        routes.known.insert(policies.to_vec(), Arc::clone(&route));
        route
    }

    fn new_route(&self, policies: &[usize], routes: &mut Routes) -> Route {
        let belongs = |number: usize, default: bool| {
            let all = self.rules.iter().zip(self.rule_ids());
            all.filter(move |(rule, _)| rule.policy == number && rule.index.is_none() == default)
        };
        let rules: Vec<RuleId> =
            policies.iter().flat_map(|number| belongs(*number, false)).map(|(_, id)| id).collect();
        let bodies: Vec<&Rule> = rules.iter().filter_map(|id| self.rule_body(*id)).collect();
        let searchers = &mut routes.searchers;
        let mut searcher = |pattern: &document::pattern::Pattern| {
            let next = searchers.len();
            let entry = searchers.entry(pattern.as_str().into());
            Arc::clone(entry.or_insert_with(|| Arc::new(Searcher::new(next, pattern.clone()))))
        };
        // Section 5, step 7: the default of the first policy only, as a job's annotation must not turn the
        // queue's Fail into Retry.
        let default =
            policies.first().and_then(|first| belongs(*first, true).next()).map(|(_, id)| id);
        let deciding = rules.iter().chain(&default);
        Route {
            number: u32::try_from(routes.known.len()).unwrap_or(u32::MAX),
            avoids_nodes: deciding
                .into_iter()
                .any(|id| self.rules[id.index()].avoids != Avoids::Never),
            index: RuleIndex::new(self.number, &bodies, &self.listed, &mut searcher),
            default,
            policies: policies.to_vec(),
            rules,
        }
    }

    /// Whether any rule's retry avoids nodes.
    #[doc(hidden)]
    pub fn avoids_nodes(&self) -> bool {
        self.rules.iter().any(|rule| rule.avoids != Avoids::Never)
    }

    /// Prepares a failed run for matching.
    pub fn failure<'r>(&self, run: EndedRun<'r>) -> Failure<'r> {
        Failure::new(run, &self.listed)
    }
}

impl Route {
    /// The first rule that matches a failure; `None` if the default decides.
    pub(super) fn first_match(
        &self,
        failure: &Failure<'_>,
        scratch: &mut Scratch,
    ) -> Option<RuleId> {
        self.index.first_match(failure, scratch).map(|rule| self.rules[rule])
    }

    /// The number of the first rule that matches a failure, or of the default; none without a policy.
    #[doc(hidden)]
    pub fn matched(&self, failure: &Failure<'_>, scratch: &mut Scratch) -> Option<u32> {
        let default = self.default?;
        Some(self.first_match(failure, scratch).unwrap_or(default).0)
    }

    /// Whether a number is that of the default.
    #[doc(hidden)]
    pub fn is_default(&self, rule: u32) -> bool {
        self.default == Some(RuleId(rule))
    }

    /// The numbers of the policies.
    pub fn policies(&self) -> &[usize] {
        &self.policies
    }
}

/// Compiles a rule. A limit or backoff that the rule does not set is that of its policy, then of the
/// scheduler (semantics.md, section 5, step 9, and section 6).
fn compile_rule(
    number: usize,
    policy: &RetryPolicy,
    index: usize,
    rule: &Rule,
    settings: &SchedulerSettings,
) -> CompiledRule {
    let own = rule.retry_limit.map(|limit| (limit, LimitSource::Rule));
    CompiledRule {
        policy: number,
        index: Some(index),
        action: rule.action,
        limit: own.or_else(|| policy.limit().map(|limit| (limit, LimitSource::Policy))),
        backoff: Schedule::resolve(rule.backoff, policy.backoff, settings.default_backoff),
        avoids: match rule.anti_affinity.or(policy.anti_affinity) {
            Some(AntiAffinity::Node) => Avoids::AnyRun,
            _ if rule.avoid_same_node => Avoids::FailedRuns,
            _ => Avoids::Never,
        },
        memory: rule.memory,
    }
}

/// Compiles the default action of a policy. It has the policy's limit, backoff and anti-affinity
/// (semantics.md, section 5, step 9).
fn compile_default(
    number: usize,
    policy: &RetryPolicy,
    settings: &SchedulerSettings,
) -> CompiledRule {
    CompiledRule {
        policy: number,
        index: None,
        action: policy.default_action(),
        limit: policy.limit().map(|limit| (limit, LimitSource::Policy)),
        backoff: Schedule::resolve(policy.backoff, policy.backoff, settings.default_backoff),
        avoids: match policy.anti_affinity {
            Some(AntiAffinity::Node) => Avoids::AnyRun,
            _ => Avoids::Never,
        },
        memory: None,
    }
}
