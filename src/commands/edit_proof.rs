//! The proof that rewritten files decide every failure as before, for `fmt` and `lint --fix`.

use super::compare::{Version, compare_engines};
use super::fix;
use crate::analysis::lint;
use crate::cli::{Exit, Refusal};
use crate::project::{PolicyScope, Project};
use anyhow::Result;
use armada_retry::engine::compare::{Difference, DifferenceKind, Group};
use armada_retry::engine::{Outcome, RuleId};
use armada_retry::policy::{
    Action, Backoff, Documents, Form, OtherKinds, PolicyDocument, Rule, SchedulerSettings,
};
use document::diag::{Findings, Source};
use document::units::GoDuration;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use systems::SystemName;
use systems::armada::Armada;

/// The comparison of the RetryPolicy documents of files before and after they are rewritten.
#[derive(Default)]
pub(super) struct EditProof {
    /// The number of policies.
    count: usize,
    /// The failures that are decided otherwise, each with its policy.
    differences: Vec<String>,
    /// The reason why something is not known.
    unknown: Option<String>,
    /// Whether the files have policies of other systems too, which are not compared.
    has_others: bool,
    /// Whether a failed run that an executor gave the category of expired leases is decided otherwise.
    differs_for_expired_leases: bool,
}

impl EditProof {
    /// Compares the files whose text changes, under these settings and every `globalMaxRetries`.
    pub(super) fn new(
        old: &[Arc<Source>],
        new: &[Arc<Source>],
        settings: &SchedulerSettings,
    ) -> Result<Self> {
        let changed = fix::changed(old, new).map(|(old, new)| (Arc::clone(old), Arc::clone(new)));
        let (old, new): (Vec<_>, Vec<_>) = changed.unzip();
        let scope = PolicyScope::AllSystems(OtherKinds::Skip);
        let [old, new] =
            [old, new].map(|texts| Project::from_sources(&texts, scope, Findings::new()).documents);
        // A limit of all retries can only hide a difference: sides that agree under none agree under each.
        let settings = SchedulerSettings {
            enabled: true,
            global_max_retries: Some(u32::MAX),
            ..settings.clone()
        };
        let has_others = old.others.iter().any(|it| SystemName::from_document(it).is_some());
        let mut proof = Self { has_others, ..Self::default() };
        proof.compare(&old, &new, &settings)?;
        Ok(proof)
    }

    /// Refuses texts that change decisions, before anything is written.
    pub(super) fn refuse_changes(&self) -> Result<()> {
        let Some(first) = self.differences.first() else { return Ok(()) };
        let more = match self.differences.len() {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let message = format!("the new text would change decisions: {first}{more}");
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::input(message) };
        let help = "this is an error of armadactl: nothing was written; report it with the file";
        Err(refusal.help(help).into())
    }

    /// The result in a few words; `None` without a RetryPolicy.
    pub(super) fn text(&self) -> Option<String> {
        if self.count == 0 {
            return None;
        }
        if let Some(unknown) = &self.unknown {
            return Some(format!("not proved that decisions stay: {unknown}"));
        }
        let owner = if self.has_others { "of the RetryPolicy documents " } else { "" };
        let but = if self.differs_for_expired_leases { EXPIRED_LEASES } else { "" };
        Some(format!("proved: every failure {owner}is decided as before{but}"))
    }

    /// Compares each valid policy and queue with that of the same name in the same file.
    fn compare(
        &mut self,
        old: &Documents,
        new: &Documents,
        settings: &SchedulerSettings,
    ) -> Result<()> {
        let key = |found: &PolicyDocument| {
            (found.document.source.name().to_owned(), found.policy.name.to_string())
        };
        let after: HashMap<_, _> = new.policies.iter().map(|found| (key(found), found)).collect();
        for before in &old.policies {
            self.count += 1;
            match after.get(&key(before)) {
                Some(after) => self.compare_policy([before, after], settings)?,
                None => self.differences.push(format!("policy `{}` is gone", before.policy.name)),
            }
        }
        let lists = |documents: &Documents| -> Vec<(String, Vec<String>)> {
            let queues = documents.queues.iter().map(|found| &found.queue);
            queues.map(|queue| (queue.name.clone(), queue.retry_policies.clone())).collect()
        };
        let (old, new) = (lists(old), lists(new));
        let others = old.iter().filter(|one| !new.contains(one));
        self.differences
            .extend(others.map(|(name, _)| format!("queue `{name}` has other policies")));
        Ok(())
    }

    /// Compares a policy by itself, then before other policies in the list of a queue.
    fn compare_policy(
        &mut self,
        documents: [&PolicyDocument; 2],
        settings: &SchedulerSettings,
    ) -> Result<()> {
        let [old, new] = documents.map(|found| &found.policy);
        if old == new {
            return Ok(());
        }
        let is_same = self.compare_documents(documents.map(Clone::clone), settings)?;
        // Of a list, v1beta1 evaluates the first policy alone.
        if is_same && [old, new].iter().any(|policy| policy.form == Form::V1) {
            self.compare_documents(documents.map(before_others), settings)?;
        }
        Ok(())
    }

    /// Compares two policies; returns whether they are the same.
    fn compare_documents(
        &mut self,
        documents: [PolicyDocument; 2],
        settings: &SchedulerSettings,
    ) -> Result<bool> {
        let name = documents[0].policy.name.to_string();
        let [old, new] = documents.map(|found| {
            let documents = Documents { policies: vec![found], ..Documents::default() };
            Version::new(documents, settings.clone())
        });
        let engines = [old.policy_engine(&name), new.policy_engine(&name)];
        let differs_for_expired_leases = Cell::new(self.differs_for_expired_leases);
        let keeps = |group: &Group| {
            let is_expected = is_of_expired_leases(&engines[0], group);
            differs_for_expired_leases.set(differs_for_expired_leases.get() || is_expected);
            !is_expected
        };
        let subject = ("policy", name.clone(), "");
        let item = compare_engines([&old, &new], &engines, subject, keeps)?;
        self.differs_for_expired_leases = differs_for_expired_leases.get();
        if let Some(reason) = item.reason_if_unknown() {
            self.unknown = Some(reason.to_owned());
        }
        self.differences.extend(item.texts().map(|text| format!("policy `{name}`: {text}")));
        Ok(item.is_same())
    }
}

/// The failures that RP119 leaves out: it removes changes to jobs of rules on the category that Armada gives to expired leases,
/// which no executor is expected to assign.
const EXPIRED_LEASES: &str = ", unless an executor assigns the category of expired leases (RP119)";

/// Whether differences are about failed runs with the category of expired leases, which the rules before take alone.
fn is_of_expired_leases(engine: &Armada, group: &Group) -> bool {
    let is_expected = |[old, _]: &[Option<RuleId>; 2]| {
        let rule = old.and_then(|id| engine.evaluator().rule_body(id));
        rule.is_some_and(lint::is_of_expired_leases)
    };
    let is_failed = |witness: &Difference| {
        witness.failures.last().is_some_and(|it| it.outcome == Outcome::Failed)
    };
    matches!(group.kind, DifferenceKind::Memory | DifferenceKind::Nodes)
        && group.pairs.iter().all(is_expected)
        && group.witnesses().all(is_failed)
}

/// The policy before a rule that takes all failures that its rules leave to the next policy of a list. The retries of that rule
/// wait for a negative time, which those of no document do, so that none of its decisions is that of another rule.
fn before_others(found: &PolicyDocument) -> PolicyDocument {
    let backoff = Backoff { initial_delay: Some(GoDuration::from_nanos(-1)), ..Backoff::BUILT_IN };
    let other = Rule { backoff, retry_limit: Some(u32::MAX), ..Rule::new(Action::Retry) };
    let mut policy = (*found.policy).clone();
    policy.rules.push(other);
    PolicyDocument { policy: Arc::new(policy), ..found.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result for a policy of `v1` with these rules before and after.
    fn proof(old: &str, new: &str) -> EditProof {
        let [old, new] = [old, new].map(|rules| {
            let head =
                "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n";
            vec![Source::new("p.yaml", format!("{head}  retryLimit: 9\n  rules:\n{rules}"))]
        });
        EditProof::new(&old, &new, &SchedulerSettings::default()).unwrap()
    }

    const PROVED: Option<&str> = Some("proved: every failure is decided as before");
    const RETRY: &str = "  - {action: Retry, onExitCodes: {operator: In, values: [1, 2]}}\n";

    #[test]
    fn fields_and_rules_without_effect_can_go() {
        let fail = "  - {action: Fail, onConditions: [Evicted]}\n";
        for (old, new) in [
            (fail.replace('{', "{retryLimit: 2, "), fail.to_owned()),
            (format!("{fail}{RETRY}{fail}"), format!("{fail}{RETRY}")),
            (RETRY.replace("[1, 2]", "[1, 2, 1]"), RETRY.to_owned()),
            (format!("# A comment\n{RETRY}"), RETRY.to_owned()),
        ] {
            assert_eq!(proof(&old, &new).text().as_deref(), PROVED, "{old}");
        }
    }

    #[test]
    fn a_change_is_found_under_any_limit_and_in_any_list() {
        let fail = "  - {action: Fail, onConditions: [Evicted]}\n";
        for (old, new) in [
            (RETRY.to_owned(), RETRY.replace("[1, 2]", "[1]")),
            // 30 retries are more than the default of globalMaxRetries.
            (RETRY.replace("{a", "{retryLimit: 30, a"), RETRY.replace("{a", "{retryLimit: 31, a")),
            // The default of the policy fails the job too, but the next policy of a list may retry it.
            (format!("{fail}{RETRY}"), RETRY.to_owned()),
        ] {
            let found = proof(&old, &new);
            assert!(!found.differences.is_empty() && found.refuse_changes().is_err(), "{old}");
        }
    }
}
