//! The suites that `test --init` generates: one for each list of policies that a queue has, then one for each policy that
//! is in no list.

use super::args::TestArgs;
use super::armada::{job_id, policy_args, settings_fields, targets};
use super::cases;
use super::relative_path::relative;
use crate::analysis::unit_test::{
    Case, CaseRuns, Recorded, Scaffolding, armada_examples, scaffold,
};
use crate::cli::{Context, Refusal};
use crate::commands::policy_set::{EngineName, PolicySet, unknown_policies};
use crate::project;
use crate::report::test_yaml::TestFileHead;
use anyhow::Result;
use armada_retry::engine::JobFields;
use armada_retry::policy::{Documents, Form, QueueDocument, SchedulerSettings};
use document::diag::{Code, Diagnostic, Findings, Source};
use document::{Document, Limits, Node, parse};
use replay::history::{ArmadaRun, GraceBounds, Job};
use serde_json::json;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use systems::armada::Armada;

/// Policies that are tested together.
struct Suite {
    /// Their names, in order.
    names: Vec<String>,
    /// The queues that have this list.
    queues: Vec<String>,
}

/// Generates the suites of Armada's policies.
pub(super) fn write_armada_tests(
    context: &mut Context<'_>,
    args: &TestArgs,
    paths: &[PathBuf],
    documents: &Documents,
) -> Result<Vec<(TestFileHead, Scaffolding)>> {
    if documents.policies.is_empty() {
        return Err(Refusal::input("the files contain no policies").into());
    }
    let known = documents.policies.iter().map(|found| found.policy.name.as_str());
    let names = args.queue_policies.as_deref().unwrap_or_default();
    let unknown = unknown_policies(names, &known.collect::<Vec<_>>());
    if !unknown.is_empty() {
        return Err(Refusal::findings(unknown).into());
    }
    let settings = project::scheduler_settings(args.scheduler_config.as_deref())?;
    context.ui.diagnostics(&settings.1)?;
    let (suites, findings) = plan(documents, args);
    context.ui.diagnostics(&findings.sorted())?;
    let files = PoliciesOfFiles::new(documents);
    let is_only = suites.len() == 1;
    let generate = |suite: &Suite| {
        let known = suite.names.iter().filter_map(|name| files.by_name.get(name.as_str()));
        let numbers: BTreeSet<usize> = known.copied().collect();
        // The only suite has all policies that were given; one of several needs those of its files alone.
        let (paths, others) =
            if is_only { (paths.to_vec(), documents.policies.len()) } else { files.of(&numbers) };
        let mut head = TestFileHead {
            comments: suite.comment().into_iter().collect(),
            policies: relative(&paths, args.save.as_deref()),
            ..TestFileHead::default()
        };
        if others > 1 || args.queue_policies.is_some() {
            head.settings.insert("queuePolicies".to_owned(), json!(suite.names));
        }
        let policies = numbers.iter().map(|number| documents.policies[*number].clone()).collect();
        let own = Documents { policies, ..Documents::default() };
        let scaffolding =
            suite_scaffolding(&suite.names, own, settings.clone(), args.engine, &mut head)?;
        Ok((head, scaffolding))
    };
    suites.iter().map(generate).collect()
}

impl Suite {
    /// A line about the queues that have the list.
    fn comment(&self) -> Option<String> {
        match self.queues.as_slice() {
            [] => None,
            [one] => Some(format!("The policies of queue {one}")),
            all => Some(format!("The policies of the queues {}", all.join(", "))),
        }
    }
}

/// The suites: the list of `--queue-policies`, else those of the Queue documents and the policies that are in none.
fn plan(documents: &Documents, args: &TestArgs) -> (Vec<Suite>, Findings) {
    let mut findings = Findings::new();
    if let Some(names) = &args.queue_policies {
        return (vec![Suite { names: names.clone(), queues: Vec::new() }], findings);
    }
    let forms: HashMap<&str, Form> = documents
        .policies
        .iter()
        .map(|found| (found.policy.name.as_str(), found.policy.form))
        .collect();
    let mut suites: Vec<Suite> = Vec::new();
    let mut numbers: HashMap<Vec<String>, usize> = HashMap::new();
    for queue in &documents.queues {
        let names = known_names(queue, &forms, &mut findings);
        let names = evaluated(names, &forms, args.engine);
        if names.is_empty() {
            continue;
        }
        let number = *numbers.entry(names.clone()).or_insert(suites.len());
        if number == suites.len() {
            suites.push(Suite { names, queues: Vec::new() });
        }
        suites[number].queues.push(queue.queue.name.clone());
    }
    let listed: HashSet<String> = suites.iter().flat_map(|suite| suite.names.clone()).collect();
    let all = documents.policies.iter().map(|found| found.policy.name.to_string());
    let others = all.filter(|name| !listed.contains(name));
    suites.extend(others.map(|name| Suite { names: vec![name], queues: Vec::new() }));
    (suites, findings)
}

/// The names of a queue's list that policies have. The others are reported, since tests of the list leave them out.
fn known_names(
    queue: &QueueDocument,
    forms: &HashMap<&str, Form>,
    findings: &mut Findings,
) -> Vec<String> {
    let root = &queue.document.root;
    let list = root.at(&["spec", "retryPolicies"]).or_else(|| root.get("retryPolicies"));
    let mut names: Vec<String> = Vec::new();
    for node in list.map(Node::items).unwrap_or_default() {
        let Some(name) = node.text() else { continue };
        if !forms.contains_key(name) {
            let message = format!(
                "the tests leave out policy `{name}` of queue `{}`, which is not in the files",
                queue.queue.name
            );
            let place = queue.document.place(node.span);
            let finding = Diagnostic::warning(Code::UnknownName, place, message);
            findings.push(finding.help("give its file too, with -f"));
        } else if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The policies of a list that are evaluated: under `v1beta1` the first (semantics.md, section 1).
fn evaluated(
    mut names: Vec<String>,
    forms: &HashMap<&str, Form>,
    engine: Option<EngineName>,
) -> Vec<String> {
    let is_v1beta1 = |name: &String| forms.get(name.as_str()) == Some(&Form::V1beta1);
    if engine == Some(EngineName::V1beta1) || names.iter().all(is_v1beta1) {
        names.truncate(1);
    }
    names
}

/// Which files have which policies.
struct PoliciesOfFiles<'d> {
    by_name: HashMap<&'d str, usize>,
    documents: &'d Documents,
    counts: HashMap<&'d str, usize>,
}

impl<'d> PoliciesOfFiles<'d> {
    fn new(documents: &'d Documents) -> Self {
        let (mut by_name, mut counts) = (HashMap::new(), HashMap::new());
        for (number, found) in documents.policies.iter().enumerate() {
            by_name.insert(found.policy.name.as_str(), number);
            *counts.entry(found.document.source.name()).or_insert(0) += 1;
        }
        Self { by_name, documents, counts }
    }

    /// The files of some policies, and how many policies these have.
    fn of(&self, numbers: &BTreeSet<usize>) -> (Vec<PathBuf>, usize) {
        let name = |number: &usize| self.documents.policies[*number].document.source.name();
        let files: BTreeSet<&str> = numbers.iter().map(name).collect();
        let count = files.iter().filter_map(|file| self.counts.get(file)).sum();
        (files.into_iter().map(PathBuf::from).collect(), count)
    }
}

/// Generates the tests of a list of policies.
fn suite_scaffolding(
    names: &[String],
    documents: Documents,
    settings: (SchedulerSettings, Vec<Diagnostic>),
    engine: Option<EngineName>,
    head: &mut TestFileHead,
) -> Result<Scaffolding> {
    let fields = settings_fields(&settings.0);
    if !fields.is_empty() {
        head.settings.insert("schedulerConfig".to_owned(), fields.into());
    }
    if let Some(engine) = engine {
        let name = if engine == EngineName::V1beta1 { "v1beta1" } else { "v1" };
        head.settings.insert("engine".to_owned(), json!(name));
    }
    let args = policy_args(Some(names.to_vec()), engine);
    let policies = PolicySet::with_settings(documents, settings, &args)?;
    let engine = policies.engine(&[]);
    let job = Job::new("", JobFields::default());
    let resolution = policies.resolve(engine.evaluator(), &[&job])?;
    policies.missing_findings(engine.evaluator(), &resolution.missing, None)?;
    let route =
        engine.bindings().effective(engine.evaluator(), &job.queue, &job.unit_fields).policies;
    let document = no_document()?;
    let targets = targets(&document, &engine, &policies, std::slice::from_ref(&route));
    let examples = armada_examples(engine.evaluator(), &route);
    let limits = GraceBounds::from(&policies.settings);
    Ok(scaffold::<Armada>(&engine, &targets, examples, &|document, case| {
        read_example(document, case, limits)
    }))
}

/// A document that places of settings without a file refer to.
fn no_document() -> Result<Document> {
    let source: Arc<Source> = Source::new("-", "spec: {}");
    let (documents, _) = parse(&source, Limits::POLICY);
    documents.into_iter().next().ok_or_else(|| Refusal::input("no document").into())
}

/// Reads the failures of a example.
pub(super) fn read_example(
    document: &Document,
    case: &Case<'_>,
    limits: GraceBounds,
) -> Option<Recorded<ArmadaRun>> {
    let CaseRuns::Failures(nodes) = &case.runs else { return None };
    let mut findings = Findings::new();
    let defaults = |_: &Node| Ok(job_id());
    let limits = Some(limits);
    let recorded =
        cases::record_failures::<Armada>(document, case, nodes, limits, &defaults, &mut findings);
    recorded.filter(|_| !findings.has_errors())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::testing;
    use armada_retry::engine::{Container, EndedRun, Evaluator, Scratch};
    use armada_retry::policy;
    use proptest::prelude::*;
    use proptest::sample::{select, subsequence};
    use systems::TargetKind;

    /// The failures that were decided for tests of a policy with rules of this text, by numbers from 1.
    fn steps(count: usize, rule: impl Fn(usize) -> String) -> usize {
        let head = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\n\
                    spec:\n  retryLimit: 3\n  rules:\n";
        let rules = (1..=count).map(|number| format!("  - {{action: Retry, {}}}\n", rule(number)));
        let source = Source::new("p.yaml", head.to_owned() + &rules.collect::<String>());
        let (documents, findings) = policy::read(&[source]);
        assert!(!findings.has_errors(), "{findings:?}");
        let settings = (SchedulerSettings::default(), Vec::new());
        let mut head = TestFileHead::default();
        let suite =
            suite_scaffolding(&["p".to_owned()], documents, settings, None, &mut head).unwrap();
        // A test for each rule and the default, and one for the common limit of 3 and that of the job.
        let tests = suite.tests.len();
        assert!((count + 1..=count + 2).contains(&tests) && suite.uncovered.is_empty(), "{tests}");
        suite.steps
    }

    #[test]
    fn twice_the_rules_take_twice_the_decisions() {
        let kinds: [&dyn Fn(usize) -> String; 5] = [
            &|it| {
                format!(
                    "containerName: k{it}, onExitCodes: {{operator: NotIn, values: [{}]}}",
                    it % 200 + 1
                )
            },
            &|it| format!("onExitCodes: {{operator: In, values: [{it}]}}"),
            &|it| format!("onFailureCategory: [c{it}]"),
            &|it| format!("onFailureCategory: [c], onFailureSubcategory: [s{it}]"),
            &|it| format!("onTerminationMessage: {{pattern: \"error {it}$\"}}"),
        ];
        for (number, rule) in kinds.into_iter().enumerate() {
            let (half, all) = (steps(100, rule), steps(200, rule));
            assert!(all <= half * 2 + 20, "kind {number}: {half}, {all}");
        }
    }

    /// The suite of policies in the order of the text.
    fn suite(text: String) -> Scaffolding {
        let documents = testing::documents(text);
        let names: Vec<String> =
            documents.policies.iter().map(|found| found.policy.name.to_string()).collect();
        let settings = (SchedulerSettings::default(), Vec::new());
        suite_scaffolding(&names, documents, settings, None, &mut TestFileHead::default()).unwrap()
    }

    /// A random failure: its containers, conditions, category and subcategory.
    type RandomFailure = (Vec<Container>, Vec<&'static str>, &'static str, &'static str);

    fn failure() -> impl Strategy<Value = RandomFailure> {
        let name = select(vec![("init", true), ("main", false), ("a", false), ("a", true)]);
        let code = select(vec![None, Some(1), Some(2), Some(3), Some(137)]);
        let message = select(vec!["", "a", "b", "c", "ab", "Ab", "cc", "ba"]);
        let reason = select(vec!["Error", "OOMKilled"]);
        let container =
            (name, code, message, reason).prop_map(|((name, init), exit_code, message, reason)| {
                Container {
                    name: name.into(),
                    init,
                    exit_code,
                    reason: reason.into(),
                    message: message.into(),
                }
            });
        let conditions = vec!["Evicted", "Preempted", "DeadlineExceeded"];
        (
            prop::collection::vec(container, 0..4),
            subsequence(conditions, 0..=3),
            select(vec!["", "x", "y", "z"]),
            select(vec!["", "s", "t", "u"]),
        )
    }

    /// The policy and the index of the rule, or of the default, that decides about a failure.
    fn matched(
        evaluator: &Evaluator,
        route: &[usize],
        (containers, conditions, category, subcategory): &RandomFailure,
    ) -> (String, Option<usize>) {
        let conditions: Vec<_> = conditions.iter().map(|name| (*name).into()).collect();
        let run = EndedRun {
            conditions: &conditions,
            containers,
            category,
            subcategory,
            ..EndedRun::default()
        };
        let route = evaluator.route(route);
        let number = route.matched(&evaluator.failure(run), &mut Scratch::default()).unwrap();
        let rule = evaluator.rule(evaluator.rule_ids().nth(number as usize).unwrap());
        (rule.policy.to_owned(), rule.index)
    }

    proptest! {
        /// Of two policies that are evaluated together, every rule that decides about one of many random failures has a test,
        /// and so has every rule that is not known to decide nothing.
        #[test]
        fn every_rule_that_a_failure_reaches_has_a_test(
            text in (testing::policy("p"), prop::option::of(testing::policy("q"))),
            failures in prop::collection::vec(failure(), 300),
        ) {
            let (first, second) = text;
            let text = second.map(|second| format!("{first}---\n{second}")).unwrap_or(first);
            let suite = suite(text.clone());
            let documents = testing::documents(text);
            let policies: Vec<_> =
                documents.policies.iter().map(|found| Arc::clone(&found.policy)).collect();
            let route: Vec<usize> = (0..policies.len()).collect();
            let profile = &armada_retry::engine::V1;
            let evaluator = Evaluator::new(profile, policies, SchedulerSettings::default(), &[]);
            let left = suite.uncovered.iter().chain(&suite.dead);
            let left: Vec<(String, Option<usize>)> = left
                .filter(|target| matches!(target.kind, TargetKind::Rule | TargetKind::Default))
                .map(|target| (target.policy.clone(), target.rule_index))
                .collect();
            for failure in &failures {
                let decider = matched(&evaluator, &route, failure);
                prop_assert!(!left.contains(&decider), "{:?}: {:?}", decider, failure);
            }
            let uncovered: Vec<_> =
                suite.uncovered.iter().filter(|target| target.kind == TargetKind::Rule).collect();
            prop_assert!(uncovered.is_empty(), "{:?}", uncovered);
        }
    }
}
