//! A classification of a failed pod by 50 rules. `classifier` takes pods and rules of `testdata/vectors/classifier`,
//! which Armada's own classifier answered too: most pods match one of the first rules. `classifier-no-match` takes a pod
//! with long texts, and patterns that people write, of which none matches.

#[expect(dead_code, reason = "other benchmarks draw in more ways")]
#[path = "../support/draw.rs"]
mod draw;
#[path = "../support/patterns.rs"]
mod patterns;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use document::diag::Source;
use draw::Draw;
use flate2::read::GzDecoder;
use patterns::PATTERNS;
use replay::history::{DescribedPod, described_pods};
use serde_json::{Value, json};
use std::fs::File;
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;
use systems::armada::classifier::config::{ExecutorConfig, read};
use systems::armada::classifier::{ClassifierMemory, Executor, FailedPod};

/// The rules of a configuration.
const RULES: u32 = 50;
/// Configurations, of different rules.
const CONFIGS: u64 = 8;

/// The cases of Armada's classifier.
fn cases() -> Vec<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors/classifier/classify.jsonl.gz");
    let mut text = String::new();
    let file = File::open(path).expect("the cases");
    GzDecoder::new(file).read_to_string(&mut text).expect("the cases are text");
    text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect()
}

/// The failed pods with their events.
fn pods(cases: &[Value]) -> Vec<DescribedPod> {
    let failed = cases.iter().filter(|case| {
        case["situation"] == "reported" && case["pod"]["status"]["phase"] == "Failed"
    });
    failed.map(|case| described(&case["pod"], &case["events"])).collect()
}

/// A pod and its events, read as the output of `kubectl get pods,events`.
fn described(pod: &Value, events: &Value) -> DescribedPod {
    let metadata = &pod["metadata"];
    let mut items = vec![pod.clone()];
    for event in events.as_array().into_iter().flatten() {
        let mut event = event.clone();
        event["kind"] = json!("Event");
        event["involvedObject"] =
            json!({"name": metadata["name"], "namespace": metadata["namespace"]});
        items.push(event);
    }
    let list = json!({"kind": "List", "items": items}).to_string();
    described_pods(&Source::new("pod.json", list)).0.remove(0)
}

/// All rules of the cases, in their order.
fn rules(cases: &[Value]) -> Vec<Value> {
    let categories = cases.iter().filter_map(|case| {
        case["executor"]["application"]["errorCategories"]["categories"].as_array()
    });
    let rules = categories.flatten().filter_map(|category| category["rules"].as_array());
    rules.flatten().cloned().collect()
}

/// Some of the rules.
fn sample(rules: &[Value], seed: u64) -> Vec<Value> {
    let mut draw = Draw::new(seed);
    let count = u32::try_from(rules.len()).expect("few rules");
    (0..RULES).map(|_| rules[draw.below(count) as usize].clone()).collect()
}

/// A configuration: categories of five rules, of which half delete the pod.
fn config(rules: &[Value]) -> ExecutorConfig {
    let categories = rules.chunks(5).enumerate().map(|(number, rules)| {
        let action = if number % 2 == 0 { "Delete" } else { "Retain" };
        json!({"name": format!("c{number}"), "action": action, "rules": rules})
    });
    let categories: Vec<Value> = categories.collect();
    let block = json!({"enabled": true, "defaultCategory": "other", "categories": categories});
    let file = json!({"application": {"errorCategories": block}});
    let read = read(&[Source::new("executor.yaml", file.to_string())]);
    assert!(read.stop.is_none(), "{:?}", read.findings.sorted());
    read.config.expect("a configuration")
}

/// A pod with three containers, whose messages have 220 bytes, and five events.
fn long_pod() -> DescribedPod {
    let line =
        "Traceback (most recent call last): step 1874 of 20000, batch 17, worker exited early. ";
    let message = line.repeat(3)[..220].to_owned();
    let statuses: Vec<Value> = ["main", "sidecar", "logs"]
        .iter()
        .map(|name| {
            let terminated = json!({"exitCode": 1, "reason": "Error", "message": message});
            json!({"name": name, "state": {"terminated": terminated}})
        })
        .collect();
    let metadata = json!({"name": "pod", "namespace": "ml"});
    let status = json!({"phase": "Failed", "containerStatuses": statuses});
    let event =
        json!({"type": "Warning", "reason": "BackOff", "message": "Back-off restarting container"});
    let pod = json!({"kind": "Pod", "metadata": metadata, "status": status});
    described(&pod, &json!(vec![event; 5]))
}

/// Rules of each kind in turn that match no pod here.
fn rules_without_match() -> Vec<Value> {
    let mut patterns = PATTERNS.iter().cycle();
    let mut pattern = || patterns.next().expect("patterns go on");
    let rules = (0..RULES).map(|number| match number % 5 {
        0 => json!({"onConditions": ["OOMKilled", "Evicted"]}),
        1 => json!({"onExitCodes": {"operator": "In", "values": [2 + number, 130 + number]}}),
        2 => json!({"onTerminationMessage": {"pattern": pattern()}}),
        3 => json!({"onPodError": {"pattern": pattern()}}),
        _ => json!({"onPodEvents": {"regexp": pattern(), "type": "Warning"}}),
    });
    rules.collect()
}

/// Times both passes over a pod, with the collection of its failed containers.
fn classifications(
    criterion: &mut Criterion,
    name: &str,
    configs: &[ExecutorConfig],
    pods: &[DescribedPod],
) {
    let mut executors: Vec<(Executor, ClassifierMemory)> =
        configs.iter().map(|config| (Executor::new(config), ClassifierMemory::default())).collect();
    print_mix(&mut executors, pods);
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements((configs.len() * pods.len()) as u64));
    group.bench_function("armadactl", |bencher| {
        bencher.iter(|| {
            for (executor, memory) in &mut executors {
                for pod in pods {
                    let failed = FailedPod::new(&pod.pod, &pod.events);
                    black_box(executor.classify_failed(&failed, memory));
                }
            }
        });
    });
    group.finish();
}

/// Which rules decide, in shares of all pods: what a figure was measured on.
#[expect(clippy::print_stderr, reason = "a benchmark reports")]
fn print_mix(executors: &mut [(Executor, ClassifierMemory)], pods: &[DescribedPod]) {
    let mut fifths = [0_usize; 6];
    for (executor, memory) in executors {
        for pod in pods {
            let failed = FailedPod::new(&pod.pod, &pod.events);
            let (_, found) = executor.classify_failed(&failed, memory);
            fifths[found.rule.map_or(5, |rule| rule * 5 / RULES as usize)] += 1;
        }
    }
    let all: usize = fifths.iter().sum();
    let shares = fifths.map(|count| format!("{}%", (count * 100 + all / 2) / all));
    let (default, rules) = shares.split_last().expect("six");
    let rules = rules.join(" ");
    eprintln!(
        "{RULES} rules, {} pods: each fifth of the rules takes {rules}, the default {default}",
        pods.len()
    );
}

fn classifier(criterion: &mut Criterion) {
    let cases = cases();
    let (pods, rules) = (pods(&cases), rules(&cases));
    let configs: Vec<_> = (0..CONFIGS).map(|seed| config(&sample(&rules, seed))).collect();
    classifications(criterion, "classifier", &configs, &pods);
    let configs = [config(&rules_without_match())];
    classifications(criterion, "classifier-no-match", &configs, &[long_pod()]);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = classifier
}
criterion_main!(benches);
