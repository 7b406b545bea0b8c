//! The classifier of Armada's executor against a naive one that was written from what the executor does.

use super::evaluator::cases;
use super::oracle::classifier::{Case, Pass as OraclePass, Question, Report, Winner, case};
use armada_retry::engine::Outcome;
use document::diag::Source;
use flate2::read::GzDecoder;
use replay::history::{DescribedPod, RunRecord, described_pods};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use systems::armada::classifier::config::{ReadConfig, read};
use systems::armada::classifier::{
    Classification, Classifier, ClassifierMemory, EmittedAs, Executor, Executors, FailedPod, Pass,
    PassInput, RuleTrace, Situation,
};

/// The executor of a configuration, and its classifier whether it is enabled or not.
fn executor(config: &Value) -> (Executor, Classifier) {
    let ReadConfig { config: read, stop, findings, .. } =
        read(&[Source::new("executor.yaml", config.to_string())]);
    assert!(stop.is_none(), "{config:#}\n{:?}", findings.sorted());
    let read = read.expect("a configuration");
    (Executor::new(&read), Classifier::new(&read.categories))
}

/// A pod and its events, read as the output of `kubectl get pods,events`.
fn described(pod: &Value, events: &Value) -> DescribedPod {
    let metadata = &pod["metadata"];
    let events = events.as_array().into_iter().flatten().map(|event| {
        let mut event = event.clone();
        event["kind"] = json!("Event");
        event["involvedObject"] =
            json!({"name": metadata["name"], "namespace": metadata["namespace"]});
        event
    });
    let items: Vec<Value> = std::iter::once(pod.clone()).chain(events).collect();
    let list = json!({"kind": "List", "items": items});
    let (mut pods, findings) = described_pods(&Source::new("pods.json", list.to_string()));
    assert!(!findings.has_errors() && pods.len() == 1, "{:?}", findings.sorted());
    pods.remove(0)
}

/// What the executor reports, in the oracle's words, and the pass that found it.
fn report(
    executor: &Executor,
    pod: &DescribedPod,
    memory: &mut ClassifierMemory,
) -> (Report, Pass) {
    let report = executor.report(&pod.pod, &pod.events, Situation::Reported, memory);
    let emission = report.emission.expect("a failed pod is reported");
    let failed = FailedPod::new(&pod.pod, &pod.events);
    let trace = executor.trace(&failed, &emission, memory);
    assert_eq!(emission.classification.rule, rule_of(&trace, emission.pass), "{trace:?}");
    let kind = match emission.kind {
        EmittedAs::PodError => "PodError",
        EmittedAs::LeaseReturned { .. } => "PodLeaseReturned",
    };
    let found = Report {
        kind,
        category: emission.classification.category.to_owned(),
        subcategory: emission.classification.subcategory.to_owned(),
        message: emission.message,
        is_pod_deleted: report.deletes_pod,
    };
    (found, emission.pass)
}

/// The first rule that matches in the answers of a pass.
fn rule_of(trace: &[RuleTrace<'_>], pass: Pass) -> Option<usize> {
    let matches = |rule: &RuleTrace<'_>| {
        rule.answers.iter().any(|answer| answer.pass == pass && answer.mismatch.is_none())
    };
    trace.iter().position(matches)
}

/// A classification in the oracle's words; `categories` are those of the configuration.
fn winner(found: &Classification<'_>, classifier: &Classifier, categories: &Value) -> Winner {
    let rule = found.rule.map(|number| {
        let rule = &classifier.rules()[number];
        let mut names = categories.as_array().into_iter().flatten();
        let category = names.position(|category| category["name"] == rule.category.as_str());
        (category.expect("a category of the configuration"), rule.number)
    });
    Winner {
        category: found.category.to_owned(),
        subcategory: found.subcategory.to_owned(),
        is_delete: found.deletes_pod,
        hint: found.hint.to_owned(),
        rule,
    }
}

/// How often pods were reported in each way, by a rule of each kind.
type Coverage = BTreeMap<(&'static str, bool, String), usize>;

/// Compares the answers about all pods of a case.
fn compare(seed: u64, case: &Case, coverage: &mut Coverage) {
    let (executor, classifier) = executor(&case.executor);
    let categories = &case.executor["application"]["errorCategories"]["categories"];
    // As in a replay: one memory for many pods.
    let mut memory = ClassifierMemory::default();
    let mut own = ClassifierMemory::default();
    let executors = Executors::new(vec![(None, self::executor(&case.executor).0)]);
    for (pod, events) in &case.pods {
        let question = Question::new(&case.executor, pod, events);
        let place = || format!("seed {seed}\n{:#}\n{pod:#}\n{events:#}", case.executor);
        let described = described(pod, events);
        let failed = FailedPod::new(&described.pod, &described.events);
        for (pod_error, with_events) in [("", false), ("gpu lost", false), ("ab", true)] {
            let expected = question.classify(&OraclePass { pod_error, with_events });
            let events = if with_events { &described.events[..] } else { &[] };
            let input = PassInput { events, ..PassInput::new(pod_error) };
            let found = classifier.classify(&failed, input, &mut own);
            assert_eq!(winner(&found, &classifier, categories), expected, "{}", place());
        }
        let expected = question.report();
        let (found, pass) = report(&executor, &described, &mut memory);
        assert_eq!(found, expected, "{}", place());
        let rule = rule_kind(&executor, &failed, pass, &mut memory, categories);
        *coverage.entry((expected.kind, expected.is_pod_deleted, rule)).or_default() += 1;
        amend(&executors, &described, &expected, &place);
    }
}

/// The matcher of the rule that decides.
fn rule_kind(
    executor: &Executor,
    failed: &FailedPod<'_>,
    pass: Pass,
    memory: &mut ClassifierMemory,
    categories: &Value,
) -> String {
    let (found_by, found) = executor.classify_failed(failed, memory);
    assert_eq!(found_by, pass);
    let Some(classifier) = executor.classifier() else { return "disabled".to_owned() };
    let Some((category, rule)) = winner(&found, classifier, categories).rule else {
        return "default".to_owned();
    };
    let rule = categories[category]["rules"][rule].as_object().expect("a rule");
    rule.keys().find(|key| key.starts_with("on")).expect("a matcher").clone()
}

/// Compares the record of the pod, as the run of a history.
fn amend(
    executors: &Executors,
    described: &DescribedPod,
    expected: &Report,
    place: &dyn Fn() -> String,
) {
    let own = described.run.clone().filter(|run| run.outcome == Outcome::Failed);
    let Some(mut own) = own else { return };
    if let Some(observed) = &mut own.observed {
        observed.events.clone_from(&described.events);
    }
    let mut run = RunRecord { own, ..RunRecord::default() };
    assert!(executors.amend(&mut run), "{}", place());
    let found = (run.own.category.as_str(), run.own.subcategory.as_str());
    assert_eq!(found, (&*expected.category, &*expected.subcategory), "{}", place());
    let is_returned = run.own.outcome == Outcome::LeaseReturned;
    assert_eq!(is_returned, expected.kind == "PodLeaseReturned", "{}", place());
}

#[test]
fn classifier_and_oracle_agree() {
    let mut coverage = Coverage::default();
    // Each case has four pods.
    for seed in 0..cases() / 4 {
        compare(seed, &case(seed), &mut coverage);
    }
    println!("{coverage:#?}");
    let kinds = ["onConditions", "onExitCodes", "onTerminationMessage", "default", "disabled"];
    let of_text = ["onPodError", "onPodEvents"];
    for kind in kinds.into_iter().chain(of_text) {
        let is_met = |report, deleted| coverage.contains_key(&(report, deleted, kind.to_owned()));
        let by_rule = kind.starts_with("on");
        // The containers alone decide where the pod is kept, and no check has events.
        assert_eq!(is_met("PodError", false), !of_text.contains(&kind), "{kind}, kept");
        assert_eq!(is_met("PodError", true), by_rule, "{kind}, deleted");
        assert_eq!(is_met("PodLeaseReturned", true), kind != "onPodEvents", "{kind}, returned");
    }
}

/// Patterns that mean the same to the oracle's regexps and to Go's.
fn is_of_both_dialects(config: &Value) -> bool {
    match config {
        Value::Object(fields) => fields.iter().all(|(key, value)| {
            let is_regexp = ["pattern", "regexp", "containerNameRegexp", "messageRegexp"]
                .contains(&key.as_str());
            let plain = |c: char| c.is_ascii_alphanumeric() || " ^$.*+|()/:_-\"',".contains(c);
            let is_plain = |text: &str| {
                let text = text.replace("\\.", "").replace("(?i)", "");
                !text.contains("**") && text.chars().all(plain)
            };
            if is_regexp {
                value.as_str().is_some_and(is_plain)
            } else {
                is_of_both_dialects(value)
            }
        }),
        Value::Array(items) => items.iter().all(is_of_both_dialects),
        _ => true,
    }
}

/// The oracle itself, against Armada's own answers (`testdata/vectors/README.md`).
#[test]
fn the_oracle_agrees_with_armadas_executor() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors/classifier/classify.jsonl.gz");
    let mut text = String::new();
    let file = File::open(path).expect("the cases");
    GzDecoder::new(file).read_to_string(&mut text).expect("the cases are text");
    let cases = text.lines().map(|line| serde_json::from_str(line).expect("a case"));
    let is_failed = |case: &Value| {
        case["situation"] == "reported" && case["pod"]["status"]["phase"] == "Failed"
    };
    let mut count = 0;
    for case in cases.filter(|case| is_failed(case) && is_of_both_dialects(&case["executor"])) {
        let question = Question::new(&case["executor"], &case["pod"], &case["events"]);
        let expect = &case["expect"];
        let by_containers = OraclePass { pod_error: "", with_events: false };
        let pod_error = case["podError"].as_str().unwrap_or_default();
        let by_all = OraclePass { pod_error, with_events: true };
        for (pass, expected) in [(by_containers, "container"), (by_all, "podError")] {
            let Winner { category, subcategory, is_delete, hint, .. } = question.classify(&pass);
            let action = if is_delete { "Delete" } else { "Retain" };
            let found = json!({"category": category, "subcategory": subcategory,
                "action": action, "hint": hint});
            assert_eq!(found, expect[expected], "{}", case["name"]);
        }
        let emitted = &expect["path"]["emitted"][0];
        let report = question.report();
        assert_eq!(report.kind, emitted["reason"], "{}", case["name"]);
        assert_eq!(report.category, emitted["category"], "{}", case["name"]);
        assert_eq!(report.subcategory, emitted["subcategory"], "{}", case["name"]);
        assert_eq!(report.message, emitted["message"], "{}", case["name"]);
        assert_eq!(report.is_pod_deleted, expect["path"]["podDeleted"], "{}", case["name"]);
        count += 1;
    }
    assert!(count >= 250, "only {count} cases have patterns of both dialects");
}
