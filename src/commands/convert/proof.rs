//! The proof that a policy in Armada's other form decides every failure as before, except for what the conversion names.
//! Conversions between systems are not compared.

use crate::commands::compare::{Version, compare_engines};
use crate::report;
use anyhow::Result;
use armada_retry::engine::RuleId;
use armada_retry::engine::compare::{Cause, DifferenceKind, Group};
use armada_retry::policy::convert::Difference as Loss;
use armada_retry::policy::{self, Documents, Form, PolicyDocument, SchedulerSettings};
use document::diag::{Code, Diagnostic, Findings, Source};
use serde_json::Value;

/// The comparison of policies with those that they are converted to.
#[derive(Default)]
pub(super) struct FormProof {
    /// The number of policies.
    count: usize,
    /// The policies of which something is not known, each with the reason.
    unknown: Vec<String>,
    has_other_differences: bool,
}

impl FormProof {
    /// Compares a policy with the document that it is converted to. Returns a finding for each difference that no loss of the
    /// conversion explains.
    pub(super) fn add(
        &mut self,
        document: &PolicyDocument,
        converted: &Value,
        losses: &[Loss],
    ) -> Result<Findings> {
        let mut findings = Findings::new();
        let name = document.policy.name.to_string();
        self.count += 1;
        let source = Source::new("converted", report::yaml(converted)?);
        let (documents, _) = policy::read(&[source]);
        if documents.policies.is_empty() {
            self.unknown.push(format!("policy `{name}`: the converted document is not valid"));
            return Ok(findings);
        }
        // The limits of a fleet have other defaults in each form, which the conversion names; here they are equal.
        let settings = SchedulerSettings {
            global_max_retries: Some(MOST_RETRIES),
            ..SchedulerSettings::default()
        };
        let own = Documents { policies: vec![document.clone()], ..Documents::default() };
        let versions = [own, documents].map(|it| Version::new(it, settings.clone()));
        let engines = versions.each_ref().map(|version| version.policy_engine(&name));
        let is_from_v1 = document.policy.form == Form::V1;
        let is_named = |group: &Group, [old, new]: [Option<RuleId>; 2]| {
            let (v1, v1beta1, engine) =
                if is_from_v1 { (old, new, &engines[0]) } else { (new, old, &engines[1]) };
            // Only preempted runs have no rule of `v1beta1`. The note on the engines has these three.
            let is_of_engine = v1beta1.is_none()
                || group.cause == Cause::PreemptedPods
                || group.kind == DifferenceKind::PodNames;
            let rule = v1.and_then(|id| engine.evaluator().rule(id).index);
            is_of_engine || is_explained(group.kind, rule, losses)
        };
        let is_other = |group: &Group| !group.pairs.iter().all(|it| is_named(group, *it));
        let item =
            compare_engines(versions.each_ref(), &engines, ("policy", name.clone(), ""), is_other)?;
        self.unknown.extend(item.reason_if_unknown().map(|why| format!("policy `{name}`: {why}")));
        let root = &document.document.root;
        let head = root.span.first_line(document.document.source.text());
        for text in item.texts() {
            self.has_other_differences = true;
            let place = document.document.place(head);
            let message = format!("converted, the policy `{name}` decides otherwise: {text}");
            let help = "`armadactl compare` prints the history of this difference";
            findings.push(Diagnostic::warning(Code::NoCounterpart, place, message).help(help));
        }
        Ok(findings)
    }

    /// The results, in sentences that follow the losses and the differences between the engines.
    pub(super) fn notes(&self, has_losses: bool) -> Vec<String> {
        if self.count == 0 || self.has_other_differences {
            return Vec::new();
        }
        if !self.unknown.is_empty() {
            let note = |why: &String| format!("it is not proved that nothing else differs: {why}");
            return self.unknown.iter().map(note).collect();
        }
        let but =
            if has_losses { "these differences and the warnings" } else { "these differences" };
        vec![format!("proved: apart from {but}, every failure is decided as before")]
    }
}

/// The limit of a job's retries: above those of policies, and low enough that the waits before all of them are compared.
const MOST_RETRIES: u32 = 1_000;

/// Whether a loss of the conversion explains a difference about a rule of `v1`, or about its default.
fn is_explained(kind: DifferenceKind, rule: Option<usize>, losses: &[Loss]) -> bool {
    use DifferenceKind::{FewerRetries, MoreRetries, NoLongerRetried, Nodes, NowRetried, Wait};
    let explains = |loss: &&Loss| match loss.field {
        _ if loss.drops_rule => true,
        "backoff" => kind == Wait,
        "antiAffinity" | "mutate" | "defaultAction" => kind == Nodes,
        "rules" => matches!(kind, FewerRetries | MoreRetries),
        "retryLimit" => {
            matches!(kind, NoLongerRetried | NowRetried | FewerRetries | MoreRetries)
        }
        _ => false,
    };
    let mut of_rule = losses.iter().filter(|loss| loss.rule.is_none() || loss.rule == rule);
    of_rule.any(|loss| explains(&loss))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::testing::{documents, policy, v1beta1_policy};
    use armada_retry::policy::convert::convert;
    use armada_retry::policy::to_value;
    use proptest::prelude::*;

    /// The findings about a conversion whose losses are these, and what is not known.
    fn findings(
        document: &PolicyDocument,
        converted: &Value,
        losses: &[Loss],
    ) -> (Findings, Vec<String>) {
        let mut proof = FormProof::default();
        let findings = proof.add(document, converted, losses).unwrap();
        (findings, proof.unknown)
    }

    proptest! {
        /// The losses that a conversion names are all that there are.
        #[test]
        fn conversions_name_all_that_differs(text in prop_oneof![policy("p"), v1beta1_policy()]) {
            let documents = documents(text);
            let document = &documents.policies[0];
            let to = if document.policy.form == Form::V1 { Form::V1beta1 } else { Form::V1 };
            let conversion = convert(&document.policy, to);
            let value = to_value(&conversion.policy);
            let (found, unknown) = findings(document, &value, &conversion.differences);
            prop_assert!(found.is_empty() && unknown.is_empty(), "{:?} {:?}", found, unknown);
        }
    }

    #[test]
    fn what_no_loss_explains_is_found() {
        let rules = "rules: [{action: Retry, onFailureCategory: [x]}, {action: Fail, onFailureCategory: [y]}]";
        let documents = documents(format!(
            "{{apiVersion: armadaproject.io/v1, kind: RetryPolicy, metadata: {{name: p}}, spec: {{retryLimit: 2, {rules}}}}}"
        ));
        let document = &documents.policies[0];
        let conversion = convert(&document.policy, Form::V1beta1);
        let right = to_value(&conversion.policy);
        assert!(findings(document, &right, &conversion.differences).0.is_empty());
        for (key, wrong) in [
            ("retryLimit", serde_json::json!(3)),
            ("defaultAction", "Retry".into()),
            ("rules", right["rules"][1].clone()),
        ] {
            let mut value = right.clone();
            value[key] = if key == "rules" { serde_json::json!([wrong]) } else { wrong };
            let (found, _) = findings(document, &value, &conversion.differences);
            assert!(!found.is_empty(), "{value}");
        }
    }
}
