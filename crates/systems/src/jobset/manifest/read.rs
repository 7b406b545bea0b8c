//! Reads a JobSet manifest with the defaults that the webhook fills in.

use super::nodes::{job_policy, rule_name};
use super::shape::JOBSET;
use super::{
    Action, FailurePolicy, FeatureGates, JobSet, MessagePattern, ReplicatedJob, RestartStrategy,
    Rule, SuccessPolicy,
};
use crate::job::{self};
use crate::jobset::validate::{self, jobs};
use document::diag::{Code, Diagnostic, Findings};
use document::pattern::Pattern;
use document::{Document, FieldValue, KeyCase, Node, check, check_for_go};

/// Reads a document of `kind: JobSet` as a server with these gates would. Every error is reported in one
/// pass; `None` if there is an error.
pub fn read(document: &Document, gates: FeatureGates, findings: &mut Findings) -> Option<JobSet> {
    let root = &document.root;
    let rules = root.at(&["spec", "failurePolicy", "rules"]).map(Node::items).unwrap_or_default();
    let mut own = Findings::new();
    check(&document.source, root, &JOBSET, KeyCase::Exact, &mut own);
    check_for_go(&document.source, root, &JOBSET, &mut own);
    let mut own = validate::replace_unreleased(document, rules, own);
    jobs::check(document, &mut own);
    validate::check(document, gates, &mut own);
    let jobs = root.at(&["spec", "replicatedJobs"]).map(Node::items).unwrap_or_default();
    for spec in jobs.iter().filter_map(|job| job.at(&["template", "spec"])) {
        job::admit(document, spec, job::Creator::JobSet, &mut own);
    }
    for rule in rules {
        for node in patterns(rule) {
            pattern_warning(document, node, &mut own);
        }
    }
    let sound = !own.has_errors();
    findings.extend(own);
    if sound { meaning(root) } else { None }
}

/// Reads a manifest, whether or not a server would accept it. `None` if it is incomplete: for example, a rule
/// has no action.
pub fn meaning(root: &Node) -> Option<JobSet> {
    let metadata = root.get("metadata")?;
    let name = metadata.get("name").or_else(|| metadata.get("generateName"))?.text()?;
    // The custom resource's schema does not require a `spec`.
    let spec = root.get("spec");
    // An empty mapping is a policy; null is absent.
    let policy = spec.and_then(|spec| spec.get("failurePolicy")).map(failure_policy);
    let jobs = root.at(&["spec", "replicatedJobs"]).map(Node::items).unwrap_or_default();
    Some(JobSet {
        name: name.into(),
        namespace: metadata.get("namespace").and_then(Node::text).unwrap_or_default().into(),
        failure_policy: policy.map_or(Some(None), |policy| policy.map(Some))?,
        success_policy: spec
            .and_then(|spec| SuccessPolicy::from_field(spec, "successPolicy"))
            .unwrap_or_default(),
        replicated_jobs: jobs.iter().map(replicated_job).collect::<Option<_>>()?,
    })
}

fn failure_policy(node: &Node) -> Option<FailurePolicy> {
    let whole = |node: &Node| node.integer().and_then(|value| i32::try_from(value).ok());
    let strategy = node.get("restartStrategy").and_then(Node::text);
    let rules = node.get("rules").map(Node::items).unwrap_or_default();
    Some(FailurePolicy {
        max_restarts: node.get("maxRestarts").and_then(whole).unwrap_or(0),
        restart_strategy: strategy.and_then(RestartStrategy::from_name).unwrap_or_default(),
        rules: rules.iter().enumerate().map(rule).collect::<Option<_>>()?,
    })
}

fn rule((index, node): (usize, &Node)) -> Option<Rule> {
    let texts = |key| -> Vec<Box<str>> {
        let items = node.get(key).map(Node::items).unwrap_or_default();
        items.iter().filter_map(|item| item.text().map(Into::into)).collect()
    };
    Some(Rule {
        name: rule_name(index, node).into(),
        action: Action::from_name(node.get("action")?.text()?)?,
        reasons: texts("onJobFailureReasons"),
        patterns: patterns(node).iter().filter_map(Node::text).map(MessagePattern::new).collect(),
        targets: texts("targetReplicatedJobs"),
    })
}

fn replicated_job(node: &Node) -> Option<ReplicatedJob> {
    let replicas = node.get("replicas").map_or(Some(1), Node::integer)?;
    Some(ReplicatedJob {
        name: node.get("name")?.text()?.into(),
        replicas: u32::try_from(replicas).ok()?,
        job: job_policy(node.at(&["template", "spec"])),
    })
}

fn patterns(rule: &Node) -> &[Node] {
    rule.get("onJobFailureMessagePatterns").map(Node::items).unwrap_or_default()
}

/// Warns of patterns that Go cannot compile: admission does not check them, and the controller logs them and
/// tries the next one.
fn pattern_warning(document: &Document, node: &Node, findings: &mut Findings) {
    let (Some(scalar), Some(text)) = (node.scalar(), node.text()) else { return };
    let source = document.source.text();
    let (span, what, help) = match Pattern::parse(text) {
        Err(error) => {
            let span = scalar.locate(source, node.span, error.span.clone());
            (span, format!("Go refuses the pattern: {error}"), error.kind.help().to_owned())
        }
        Ok(pattern) => match pattern.regex() {
            Err(error) => (node.span, error.to_string(), "write a smaller one".to_owned()),
            Ok(_) => return,
        },
    };
    let message = format!("{what}; JobSet accepts it, but it matches nothing");
    let place = document.place(span.first_line(source));
    findings.push(Diagnostic::warning(Code::BadPattern, place, message).help(help));
}
