//! Findings about rules of a `podFailurePolicy` that decide nothing because containers restart in place: the Job
//! controller looks at a pod once it has ended, and a container that is restarted does not end it (KEP-5307, "Job
//! `PodFailurePolicy`").

use super::subject::Subject;
use crate::job::manifest::containers::{Container, RestartedBy};
use crate::job::manifest::{ExitCodes, JobPolicy, Operator, PodRule, Requirement};
use document::diag::{Code, Diagnostic, Findings};
use replay::disruption::exit_codes;
use std::collections::BTreeSet;

/// A code that no list contains: lists hold 32-bit numbers.
const OTHER_CODE: i64 = i32::MAX as i64 + 1;

/// Adds the findings about a Job's spec.
pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) {
    let &Subject { document, policy, .. } = subject;
    for (number, rule, node) in subject.rules() {
        let Some(reach) = Reach::find(policy, rule) else { continue };
        let values = node.at(&["onExitCodes", "values"]).unwrap_or(node);
        let item = |code: &i64| {
            values.items().iter().find(|item| item.integer() == Some(i128::from(*code)))
        };
        let (span, subject) = if reach.remaining.is_empty() {
            (node.span, format!("rule {number} decides nothing"))
        } else {
            let Some(item) = reach.restarted.iter().find_map(item) else { continue };
            (item.span, format!("rule {number} decides nothing about {}", list(&reach.restarted)))
        };
        let message = format!(
            "{subject}: container `{}` restarts in place{}, so that the pod does not fail",
            reach.container.name,
            if reach.remaining.is_empty() { reach.on_codes() } else { String::new() },
        );
        let place = document.place(span.first_line(document.source.text()));
        let finding = Diagnostic::warning(Code::RestartsInPlace, place, message);
        findings.push(finding.help(reach.help()));
    }
}

/// The exit codes of a rule, divided by whether a pod can fail with them.
struct Reach<'p> {
    /// The first container whose restarts take codes away.
    container: &'p Container,
    by: RestartedBy,
    /// The codes on which every container that the rule reads restarts in place.
    restarted: Vec<i64>,
    /// The codes with which a pod can fail.
    remaining: Vec<i64>,
}

impl<'p> Reach<'p> {
    /// Returns the reach of a rule; `None` if no restart takes a code away.
    fn find(policy: &'p JobPolicy, rule: &PodRule) -> Option<Self> {
        let Requirement::ExitCodes(codes) = &rule.requirement else { return None };
        rule.action?;
        let is_read = |container: &&Container| {
            codes.container.as_deref().is_none_or(|name| *name == *container.name)
        };
        let containers: Vec<&Container> = policy.containers.iter().filter(is_read).collect();
        let first = *containers.first()?;
        // A sidecar gets SIGTERM after the other containers, and may end with any code.
        if containers.iter().any(|container| container.is_sidecar()) {
            return None;
        }
        let restarts = |code: &i64| {
            // A pod that is deleted ends with the codes of signals, whatever the rules of its containers.
            let is_of_signal = exit_codes().any(|signal| i64::from(signal) == *code);
            let restarted =
                containers.iter().all(|it| it.restarted_by(policy.restart_policy, *code).is_some());
            !is_of_signal && restarted
        };
        let (restarted, remaining): (Vec<i64>, Vec<i64>) =
            choices(codes, &containers).into_iter().partition(restarts);
        let code = restarted.first()?;
        let by = first.restarted_by(policy.restart_policy, *code)?;
        (by != RestartedBy::Pod).then_some(Self { container: first, by, restarted, remaining })
    }

    fn on_codes(&self) -> String {
        if self.restarted.contains(&OTHER_CODE) {
            return " on all of its codes".to_owned();
        }
        format!(" on {}", list(&self.restarted))
    }

    fn help(&self) -> String {
        let remedy = match self.by {
            RestartedBy::Rule(rule) => {
                format!("remove the codes from rule {rule} of `restartPolicyRules`")
            }
            RestartedBy::Container | RestartedBy::Pod => {
                "write `restartPolicy: Never` in the container".to_owned()
            }
        };
        format!(
            "such restarts have no limit and do not count towards `backoffLimit`; {remedy} if this rule is to decide"
        )
    }
}

/// Exit codes that a requirement matches: one for each way in which restart rules distinguish them.
fn choices(codes: &ExitCodes, containers: &[&Container]) -> Vec<i64> {
    let rules = containers.iter().flat_map(|container| &container.restart_rules);
    let listed = rules.flat_map(|rule| &rule.values).chain(&codes.values);
    let listed: BTreeSet<i64> = listed.copied().chain(exit_codes()).map(i64::from).collect();
    let matches = |code: &i64| {
        let is_listed = codes.values.iter().any(|value| i64::from(*value) == *code);
        *code != 0
            && match codes.operator {
                Some(Operator::In) => is_listed,
                Some(Operator::NotIn) => !is_listed,
                None => false,
            }
    };
    listed.into_iter().chain([OTHER_CODE]).filter(matches).collect()
}

/// A list of codes in a message.
fn list(codes: &[i64]) -> String {
    /// Limit of codes in a message.
    const MAX_CODES: usize = 4;
    let texts: Vec<String> = codes
        .iter()
        .filter(|code| **code != OTHER_CODE)
        .take(MAX_CODES)
        .map(ToString::to_string)
        .collect();
    let more = codes.len() - texts.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Creator, FeatureGates, Pod, PodContainer, first_match, read};
    use document::diag::Source;
    use document::{Limits, parse};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{select, subsequence};

    const CODES: [i32; 4] = [1, 2, 42, 137];

    fn codes() -> impl Strategy<Value = String> {
        let values = subsequence(&CODES[..], 1..=3);
        (select(vec!["In", "NotIn"]), values)
            .prop_map(|(operator, values)| format!("{{operator: {operator}, values: {values:?}}}"))
    }

    fn rule() -> impl Strategy<Value = String> {
        let container = select(vec!["", "containerName: a, ", "containerName: b, "]);
        let action = select(vec!["FailJob", "Ignore", "Count"]);
        (action, container, codes()).prop_map(|(action, container, codes)| {
            let codes = codes.replacen('{', &format!("{{{container}"), 1);
            format!("{{action: {action}, onExitCodes: {codes}}}")
        })
    }

    fn container(name: &'static str) -> impl Strategy<Value = String> {
        let rule = (select(vec!["Restart", "RestartAllContainers"]), codes())
            .prop_map(|(action, codes)| format!("{{action: {action}, exitCodes: {codes}}}"));
        let own = select(vec!["", "restartPolicy: Never, ", "restartPolicy: OnFailure, "]);
        (own, vec(rule, 0..3)).prop_map(move |(own, rules)| {
            let rules = if own.is_empty() { Vec::new() } else { rules };
            format!("{{{own}name: {name}, restartPolicyRules: [{}]}}", rules.join(", "))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

        /// A rule decides nothing exactly if it takes no pod that fails: the kubelet leaves a container ended only with a code on
        /// which it does not restart it, and the engine compares the rule with that pod.
        #[test]
        fn a_rule_decides_nothing_if_no_failed_pod_reaches_it(
            rules in vec(rule(), 1..4), a in container("a"), b in container("b"),
        ) {
            let spec = format!(
                "spec: {{podFailurePolicy: {{rules: [{}]}}, template: {{spec: {{restartPolicy: Never, \
                 containers: [{a}, {b}]}}}}}}", rules.join(", "));
            let (documents, _) = parse(&Source::new("j", spec.clone()), Limits::POLICY);
            let node = documents[0].root.get("spec").unwrap();
            let policy = read(node, Creator::Manifest, FeatureGates::default());
            let mut findings = Findings::new();
            let subject = Subject { document: &documents[0], spec: node, policy: &policy, set: None };
            check(&subject, &mut findings);
            let texts: Vec<String> = findings.sorted().into_iter().map(|it| it.message).collect();
            for (number, rule) in policy.rules().iter().enumerate() {
                let mut is_reached = false;
                for container in &policy.containers {
                    for code in (1..=200).chain([i32::MAX]) {
                        let is_killed = code == 137 || code == 143;
                        let stays = container.restarted_by(policy.restart_policy, code.into()).is_none();
                        let name = (&*container.name).into();
                        let ended = [PodContainer { name, exit_code: Some(code), ..PodContainer::default() }];
                        let pod = Pod { containers: &ended, ..Pod::default() };
                        let matches = first_match(std::slice::from_ref(rule), &pod).is_some();
                        is_reached |= matches && (stays || is_killed);
                    }
                }
                let message = format!("rule {number} decides nothing:");
                let is_found = texts.iter().any(|text| text.starts_with(&message));
                prop_assert_eq!(is_found, !is_reached, "{}: {}\n{:?}", number, spec, texts);
            }
        }
    }
}
