//! The classifier of Armada's executor, answered by Armada's own code.

use super::{debug, meet};
use armada_retry::engine::{Evaluator, JobState, Scratch, V1BETA1};
use armada_retry::engine::{JobFields, Outcome};
use armada_retry::policy::{self, SchedulerSettings};
use document::diag::Source;
use document::pattern::Pattern;
use replay::history::{ArmadaRun, DescribedPod, Job, RunRecord, described_pods};
use serde_json::{Value, json};
use std::sync::Arc;
use systems::armada::classifier::config::{
    CategoryConfig, ExecutorConfig, ReadConfig, RuleConfig, Stage, category_faults,
    failed_check_faults, read,
};
use systems::armada::classifier::{
    Classification, Classifier, ClassifierMemory, Emission, EmittedAs, Executor, Executors,
    FailedPod, FailedPodChecks, PassInput, Situation,
};

/// The files of cases, without their endings, the name of each kind, and what runs a case of it.
pub const KINDS: [(&str, &str, super::Runner); 5] = [
    ("classify", "classify", classify),
    ("validate", "validate", validate),
    ("failedpodchecks", "failedpodchecks", failed_pod_checks),
    ("regex", "regex", regex),
    ("debug", "debug", debug::run),
];

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The configuration of a file.
fn read_text(text: impl Into<Arc<str>>) -> ReadConfig {
    read(&[Source::new("executor.yaml", text)])
}

/// A case's pod and its events, which name the pod only by their order.
pub fn pod(case: &Value) -> Result<DescribedPod, String> {
    let metadata = &case["pod"]["metadata"];
    let mut items = vec![case["pod"].clone()];
    for event in case["events"].as_array().into_iter().flatten() {
        let mut event = event.clone();
        event["kind"] = json!("Event");
        event["involvedObject"] =
            json!({"name": metadata["name"], "namespace": metadata["namespace"]});
        items.push(event);
    }
    let list = json!({"kind": "List", "items": items});
    let (mut pods, findings) = described_pods(&Source::new("pod.json", list.to_string()));
    if findings.has_errors() || pods.len() != 1 {
        return Err(format!("the pod cannot be read: {:?}", findings.sorted()));
    }
    Ok(pods.remove(0))
}

/// Classifies a pod in both passes, reports it as the executor does, and lets the policy decide.
fn classify(case: &Value) -> Result<(), String> {
    let ReadConfig { config, stop, findings, .. } = read_text(case["executor"].to_string());
    let Some(config) = config.filter(|_| stop.is_none()) else {
        return Err(format!("the configuration is not valid: {:?}", findings.sorted()));
    };
    let pod = pod(case)?;
    let failed = FailedPod::new(&pod.pod, &pod.events);
    let mut memory = ClassifierMemory::default();
    let classifier = Classifier::new(&config.categories);
    let expect = &case["expect"];
    let found = classifier.classify(&failed, PassInput::new(""), &mut memory);
    meet("container", &classification(&found), &expect["container"])?;
    let input = PassInput { events: &pod.events, ..PassInput::new(text(&case["podError"])) };
    let found = classifier.classify(&failed, input, &mut memory);
    meet("podError", &classification(&found), &expect["podError"])?;
    report(case, &config, &pod)
}

fn classification(found: &Classification<'_>) -> Value {
    json!({
        "category": found.category,
        "subcategory": found.subcategory,
        "action": if found.deletes_pod { "Delete" } else { "Retain" },
        "hint": found.hint,
    })
}

fn report(case: &Value, config: &ExecutorConfig, pod: &DescribedPod) -> Result<(), String> {
    let situation =
        if case["situation"] == "deleted" { Situation::Deleted } else { Situation::Reported };
    let executor = Executor::new(config);
    let mut memory = ClassifierMemory::default();
    let report = executor.report(&pod.pod, &pod.events, situation, &mut memory);
    let emitted: Vec<Value> = report.emission.iter().map(emission).collect();
    let path = &case["expect"]["path"];
    meet("emitted", &json!(emitted), &path["emitted"])?;
    meet("podDeleted", &json!(report.deletes_pod), &path["podDeleted"])?;
    if let Some(run) = pod.run.clone().filter(|_| situation == Situation::Reported) {
        amend(Executor::new(config), run, pod, &path["emitted"][0])?;
    }
    debug::classify(case, config, &path["emitted"][0])?;
    decide(case, report.emission.as_ref())
}

/// Classifies the pod as a run of a history, which may not be a failure to Armada's reader of pods.
fn amend(
    executor: Executor,
    mut own: ArmadaRun,
    pod: &DescribedPod,
    emitted: &Value,
) -> Result<(), String> {
    if own.outcome != Outcome::Failed {
        return Ok(());
    }
    if let Some(observed) = &mut own.observed {
        observed.events.clone_from(&pod.events);
    }
    let mut run = RunRecord { own, ..RunRecord::default() };
    let is_run = Executors::new(vec![(None, executor)]).amend(&mut run);
    meet("a run", &json!(is_run), &json!(!emitted.is_null()))?;
    meet("the run's category", &json!(run.own.category.as_str()), &emitted["category"])?;
    meet("the run's subcategory", &json!(run.own.subcategory.as_str()), &emitted["subcategory"])?;
    let outcome = if emitted["reason"] == "PodLeaseReturned" { "LeaseReturned" } else { "Failed" };
    meet("the run's outcome", &json!(run.own.outcome.as_str()), &json!(outcome))
}

fn emission(emission: &Emission<'_>) -> Value {
    let mut value = json!({
        "category": emission.classification.category,
        "subcategory": emission.classification.subcategory,
        "message": emission.message,
    });
    match emission.kind {
        EmittedAs::PodError => {
            value["reason"] = json!("PodError");
            value["kubernetesReason"] = json!(emission.reason);
        }
        EmittedAs::LeaseReturned { attempted } => {
            value["reason"] = json!("PodLeaseReturned");
            value["runAttempted"] = json!(attempted);
        }
    }
    value
}

/// Lets the case's policy decide about what is reported.
fn decide(case: &Value, emission: Option<&Emission<'_>>) -> Result<(), String> {
    let expect = &case["expect"]["policy"];
    let emission = emission.filter(|emission| emission.kind == EmittedAs::PodError);
    meet("decided", &json!(emission.is_some()), &expect["decided"])?;
    let Some(emission) = emission else { return Ok(()) };
    let mut document = case["retryPolicy"].clone();
    document["apiVersion"] = json!("armadaproject.io/v1beta1");
    document["kind"] = json!("RetryPolicy");
    let (documents, _) = policy::read(&[Source::new("policy.json", document.to_string())]);
    let policies = documents.policies.into_iter().map(|it| it.policy).collect();
    let number = |key: &str| case[key].as_u64().and_then(|it| u32::try_from(it).ok());
    let limit = number("globalMaxRetries");
    let settings = SchedulerSettings { global_max_retries: limit, ..SchedulerSettings::default() };
    let evaluator = Evaluator::new(&V1BETA1, policies, settings, &[]);
    let used = number("failures").unwrap_or_default().saturating_sub(1);
    let job = Job::new("", JobFields::default());
    let mut state = JobState::new(&job.unit_fields, evaluator.route(&[0])).with_used(used, None);
    let own = ArmadaRun {
        category: emission.classification.category.into(),
        subcategory: emission.classification.subcategory.into(),
        ..ArmadaRun::new(Outcome::Failed)
    };
    let run = RunRecord { own, ..RunRecord::default() };
    let decision = evaluator.decide(&mut state, run.ended(), None, &mut Scratch::default());
    meet("decision", &json!(decision.code.as_str()), &expect["decision"])?;
    meet("shouldRetry", &json!(decision.code.retries()), &expect["shouldRetry"])
}

/// Reads an operator's file over the executor's own.
fn validate(case: &Value) -> Result<(), String> {
    let read = read_text(text(&case["yaml"]));
    let expect = &case["expect"];
    let stage = match read.stop.as_ref().map(|(stage, _)| *stage) {
        None => "",
        Some(Stage::Yaml) => "yaml",
        Some(Stage::Decode) => "decode",
        Some(Stage::PendingPodChecks) => "pendingPodChecks",
        Some(Stage::FailedPodChecks) => "failedPodChecks",
        Some(Stage::ErrorCategories) => "errorCategories",
    };
    meet("stage", &json!(stage), &expect["stage"])?;
    meet("startupOk", &json!(read.stop.is_none()), &expect["startupOk"])?;
    // An error of ours stops no executor that starts.
    let has_errors = read.findings.has_errors();
    meet("findings with errors", &json!(has_errors), &json!(read.stop.is_some()))?;
    if stage == "yaml" || stage == "decode" {
        return Ok(());
    }
    let words = read.stop.map_or(String::new(), |(_, words)| words);
    meet("startupError", &json!(words), &expect["startupError"])?;
    meet("unusedKeys", &json!(read.unused), &expect["unusedKeys"])?;
    let config = read.config.ok_or("there is no configuration")?;
    meet("decoded", &decoded(&config), &without_empty_conditions(&expect["decoded"]))?;
    let faults = category_faults(&config.categories);
    let first = faults.first().map_or("", |fault| &fault.message);
    meet("classifierError", &json!(first), &expect["classifierError"])
}

/// To the executor an empty list of conditions is the same as none.
fn without_empty_conditions(decoded: &Value) -> Value {
    let mut decoded = decoded.clone();
    let categories = decoded["categories"].as_array_mut().into_iter().flatten();
    for rule in categories.filter_map(|category| category["rules"].as_array_mut()).flatten() {
        if rule["onConditions"] == json!([])
            && let Some(rule) = rule.as_object_mut()
        {
            rule.remove("onConditions");
        }
    }
    decoded
}

fn decoded(config: &ExecutorConfig) -> Value {
    let categories = &config.categories;
    let of_category = |category: &CategoryConfig| {
        json!({
            "name": category.name.text,
            "action": category.action.text,
            "rules": category.rules.iter().map(decoded_rule).collect::<Vec<_>>(),
        })
    };
    json!({
        "enabled": categories.enabled,
        "defaultCategory": categories.default_category.text,
        "defaultSubcategory": categories.default_subcategory.text,
        "categories": categories.categories.iter().map(of_category).collect::<Vec<_>>(),
    })
}

/// A rule without the matchers that it lacks.
fn decoded_rule(rule: &RuleConfig) -> Value {
    let mut value = json!({
        "containerName": rule.container_name.text,
        "subcategory": rule.subcategory.text,
        "hint": rule.hint.text,
    });
    if let Some(codes) = &rule.exit_codes {
        value["onExitCodes"] = json!({"operator": codes.operator.text, "values": codes.values});
    }
    if let Some(pattern) = &rule.termination_message {
        value["onTerminationMessage"] = json!({"pattern": pattern.text});
    }
    if let Some(pattern) = &rule.pod_error {
        value["onPodError"] = json!({"pattern": pattern.text});
    }
    if let Some(event) = &rule.pod_events {
        value["onPodEvents"] = json!({
            "regexp": event.regexp.text,
            "reason": event.reason.text,
            "type": event.event_type.text,
        });
    }
    if !rule.conditions.is_empty() {
        let conditions: Vec<&str> = rule.conditions.iter().map(|it| it.text.as_str()).collect();
        value["onConditions"] = json!(conditions);
    }
    value
}

/// Checks a failed pod.
fn failed_pod_checks(case: &Value) -> Result<(), String> {
    let file = json!({"kubernetes": {"failedPodChecks": case["failedPodChecks"]}});
    let config = read_text(file.to_string()).config.ok_or("the checks cannot be read")?;
    let expect = &case["expect"];
    let faults = failed_check_faults(&config.failed_checks);
    let first = faults.first().map_or("", |fault| &fault.message);
    meet("configError", &json!(first), &json!(text(&expect["configError"])))?;
    if !faults.is_empty() {
        return Ok(());
    }
    let pod = pod(case)?;
    let failed = FailedPod::new(&pod.pod, &pod.events);
    let found = FailedPodChecks::new(&config.failed_checks).retryable(&failed);
    meet("retryable", &json!(found.is_some()), &expect["retryable"])?;
    meet("message", &json!(found.unwrap_or_default()), &expect["message"])
}

/// Compiles a pattern, and searches texts for it.
fn regex(case: &Value) -> Result<(), String> {
    let pattern = text(&case["pattern"]);
    let parsed = Pattern::parse(pattern);
    meet("ok", &json!(parsed.is_ok()), &case["ok"])?;
    let pattern = match parsed {
        Ok(pattern) => pattern,
        Err(error) => return meet("error", &json!(error.go_text(pattern)), &case["error"]),
    };
    let regex = pattern.regex().map_err(|error| error.to_string())?;
    for (list, expected) in [("match", true), ("noMatch", false)] {
        for text in case[list].as_array().into_iter().flatten().map(text) {
            if regex.is_match(text) != expected {
                return Err(format!("{text:?} is in {list}"));
            }
        }
    }
    Ok(())
}
