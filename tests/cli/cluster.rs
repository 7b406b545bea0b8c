//! `simulate --cluster`: its report, its variants and seeds, its assertions, and what it refuses.
//!
//! Holds cluster.md 1, 7.

use super::sandbox::{Run, Sandbox, root, snapshot};
use ::cluster::events::{
    Event, LoopOptions, Observer, PoolRound, SettledRun, Simulation, unschedulable,
};
use ::cluster::read::{Profile, read_cluster, read_scheduling, read_workload};
use ::cluster::report::{ClusterReport, Collector, Runs, cluster_answer, combine_runs};
use ::cluster::round::Refusal;
use armadactl::internals::findings::Style;
use armadactl::internals::report::cluster::Section;
use armadactl::internals::report::{Layout, cluster, schemas};
use document::diag::Source;
use replay::simulate::AnswerColumn;
use serde_json::Value;

/// The files of a simulation, by the names that `SIMULATE` has.
pub const SIMULATE: &str = "simulate --cluster cluster.yaml --workload workload.yaml";

/// A directory with the files of a study.
pub fn sandbox(study: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = root().join("examples/cluster").join(study);
    for entry in folder.read_dir().expect("a study").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        sandbox.file(&name, std::fs::read(entry.path()).expect("a file"));
    }
    sandbox
}

/// Runs the study of two teams.
fn teams(flags: &str) -> Run {
    sandbox("two-teams").run(&format!("{SIMULATE} {flags}"))
}

fn valid(run: &Run) -> Value {
    let report = run.json();
    let schema = schemas::all().into_iter().find(|(name, _)| *name == "cluster-report.json");
    let validator = jsonschema::validator_for(&schema.expect("a schema").1).expect("a schema");
    let errors: Vec<String> =
        validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    report
}

#[test]
fn the_tables_of_a_run() {
    snapshot!("cluster_table", teams("").exits(0));
    snapshot!("cluster_wide", teams("-o wide").exits(0));
    snapshot!("cluster_no_headers", teams("--no-headers").exits(0));
}

#[test]
fn the_tables_of_variants() {
    let variants = "--scheduler-config protected-1.0.yaml --variant more=protected-1.5.yaml";
    snapshot!("cluster_variants", teams(variants).exits(0));
    snapshot!("cluster_variants_wide", teams(&format!("{variants} -o wide")).exits(0));
    snapshot!("cluster_variants_seeds", teams(&format!("{variants} --seeds 3")).exits(0));
    snapshot!("cluster_seeds", teams("--seeds 3").exits(0));
}

#[test]
fn the_tables_of_a_run_with_retries() {
    let run = |study: &str, flags: &str| sandbox(study).run(&format!("{SIMULATE} {flags}"));
    snapshot!("cluster_retries", run("bad-nodes", "-f anywhere.yaml").exits(0));
    snapshot!("cluster_retries_wide", run("bad-nodes", "-f anywhere.yaml -o wide").exits(0));
    let sweep = "-f strict.yaml --sweep strict.rules[0].retryLimit=0..1 --variant no-retries";
    snapshot!("cluster_retries_sweep", run("retry-storm", sweep).exits(0));
    let variants = "-f lax.yaml --variant strict=strict.yaml -o wide";
    snapshot!("cluster_retries_variants_wide", run("retry-storm", variants).exits(0));
    let many = sandbox("retry-storm");
    let lax = std::fs::read_to_string(many.path().join("lax.yaml")).expect("a policy");
    many.file("lax.yaml", lax.replace("retryLimit: 20", "retryLimit: 30"));
    let config = "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 30}}\n";
    many.file("config.yaml", config);
    let flags = "-f lax.yaml --scheduler-config config.yaml -o wide";
    let many = many.run(&format!("{SIMULATE} {flags}")).exits(0);
    // The last row of the table of retries is the sum of those after the twentieth.
    assert!(many.stdout.lines().any(|line| line.starts_with("21-30 ")), "{many}");
    let report = valid(&run("bad-nodes", "-f anywhere.yaml -o json").exits(0));
    let variant = &report["variants"][0];
    assert_eq!(variant["engine"], "v1");
    assert_eq!(variant["ends"][0]["findings"][0]["kind"], "sameNode");
    assert_eq!(variant["ends"][0]["findings"][0]["rule"], "gpu.rules[0]");
    for (code, flags) in [
        (0, "--assert retries.1.granted>60 --assert rule.gpu.rules[0].failed>60"),
        (0, "--assert retries.9.granted==0 --assert jobs.failedBy.fail_rule==0"),
        (1, "--assert jobs.recovered>40"),
        (1, "--exit-code"),
        (2, "--assert rule.gpu.rules[7].failed==0"),
        (2, "--assert retries.9.grantd==0"),
        (2, "--assert retries.none.granted==0"),
        (2, "--assert jobs.failedBy.fail_rules==0"),
    ] {
        run("bad-nodes", &format!("-f anywhere.yaml {flags}")).exits(code);
    }
}

#[test]
fn variants_without_a_difference_in_effect_are_equal() {
    let sandbox = sandbox("bad-nodes");
    let text = std::fs::read_to_string(sandbox.path().join("elsewhere.yaml")).expect("a policy");
    // Rules that match nothing, and a limit that is never reached.
    let same = text.replace("  rules:\n", "  retryLimit: 90\n  rules:\n  - {action: Fail, onExitCodes: {operator: In, values: [9]}}\n");
    assert_ne!(text, same);
    sandbox.file("same.yaml", same);
    let events = |policy: &str, threads: u32| {
        let line =
            format!("{SIMULATE} -f {policy}.yaml --threads {threads} --events e.jsonl -o json");
        let mut report = sandbox.run(&line).exits(0).json();
        report["variants"][0]["rules"].take();
        report["answer"]["columns"].take();
        report["variants"][0]["ends"][0]["findings"].take();
        let events = std::fs::read_to_string(sandbox.path().join("e.jsonl")).expect("events");
        (report, events)
    };
    let first = events("elsewhere", 1);
    assert!(first.1.contains("Requeued"));
    assert_eq!(first, events("elsewhere", 2));
    assert_eq!(first, events("same", 1));
}

#[test]
fn the_tables_of_a_run_with_failures() {
    let run = |flags: &str| sandbox("failures").run(&format!("{SIMULATE} {flags}"));
    snapshot!("cluster_failures", run("").exits(0));
    snapshot!("cluster_failures_wide", run("-o wide").exits(0));
    snapshot!("cluster_failures_seeds", run("--seeds 3").exits(0));
    let report = valid(&run("-o json").exits(0));
    assert_eq!(report["variants"][0]["causes"]["active-deadline"]["attempts"], 0);
    for (code, flags) in [
        (0, "--assert cause.oom.attempts<=30 --assert causes.node-failure.lost.core>0"),
        (0, "--assert pool.default.nodes.up>=90% --assert jobs.failed>0"),
        (1, "--assert cause.spot.failed==0"),
    ] {
        run(flags).exits(code);
    }
    let unknown = run("--assert cause.omo.attempts==0").exits(2);
    assert!(unknown.stderr.contains("did you mean `oom`?"), "{unknown}");
    let of_threads = |threads: u32| run(&format!("--seeds 3 -o json --threads {threads}")).stdout;
    assert_eq!(of_threads(1), of_threads(2));
}

#[test]
fn reports_are_as_their_schema_describes_them() {
    let report = valid(&teams("-o json").exits(0));
    assert_eq!(report["kind"], "ClusterReport");
    assert_eq!((&report["seed"], &report["seeds"]), (&1.into(), &1.into()));
    assert_eq!(report["variants"][0]["total"]["jobs"]["succeeded"], 184);
    let flags = "-o json --variant more=protected-1.5.yaml --seeds 2 --assert waste<1";
    let report = valid(&teams(flags).exits(0));
    let names: Vec<&Value> =
        report["variants"].as_array().expect("variants").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["given", "more"]);
    assert_eq!(report["assertions"][0]["holds"], true);
    valid(&sandbox("gangs").run(&format!("{SIMULATE} -o json --until 1h")).exits(0));
    let yaml = teams("-o yaml").exits(0);
    let yaml: Value = serde_yaml::from_str(&yaml.stdout).unwrap();
    assert_eq!(yaml["variants"], teams("-o json").json()["variants"]);
}

#[test]
fn a_report_does_not_depend_on_threads() {
    let flags = "--variant half=protected-0.5.yaml --seeds 3 -o json --threads";
    let first = teams(&format!("{flags} 1")).exits(0).stdout;
    for threads in [1, 2, 7] {
        assert_eq!(teams(&format!("{flags} {threads}")).stdout, first, "{threads}");
    }
}

#[test]
fn seeds_differ_and_means_are_theirs() {
    let of = |flags: &str| valid(&teams(&format!("-o json {flags}")).exits(0));
    let makespan = |report: &Value| report["variants"][0]["total"]["makespan"].as_f64().unwrap();
    let each: Vec<f64> = (5..8).map(|seed| makespan(&of(&format!("--seed {seed}")))).collect();
    assert!((each[0] - each[1]).abs() > 1.0 && (each[1] - each[2]).abs() > 1.0, "{each:?}");
    let all = of("--seed 5 --seeds 3");
    let mean = each.iter().sum::<f64>() / 3.0;
    assert!((makespan(&all) - mean).abs() < 1e-6);
    let deviation = each.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 2.0;
    let half = all["variants"][0]["intervals"]["total"]["makespan"].as_f64().unwrap();
    // The 97.5th percentile of Student's distribution with two degrees of freedom.
    assert!((half - 4.302_65 * (deviation / 3.0).sqrt()).abs() < 1.0, "{half}");
    let sandbox = sandbox("two-teams");
    let workload = std::fs::read_to_string(sandbox.path().join("workload.yaml")).unwrap();
    sandbox.file("workload.yaml", format!("randomSeed: 5\n{workload}"));
    let of_workload = sandbox.run(&format!("{SIMULATE} -o json")).exits(0).json();
    assert_eq!(of_workload["seed"], 5);
    assert!((makespan(&of_workload) - each[0]).abs() < 1e-6);
}

#[test]
fn a_run_that_ends_early_has_a_reason_and_exits_0() {
    snapshot!("cluster_until", teams("--until 90m").exits(0));
    let sandbox = sandbox("seed-example");
    sandbox.file("workload.yaml", HALVES).file("config.yaml", HALF);
    let run = sandbox.run(&format!("{SIMULATE} --scheduler-config config.yaml"));
    snapshot!("cluster_stall", run.exits(0));
    let flags = "--scheduler-config config.yaml -o json";
    let report = valid(&sandbox.run(&format!("{SIMULATE} {flags}")).exits(0));
    let end = &report["variants"][0]["ends"][0];
    assert_eq!((&end["reason"], &end["open"][0]["queued"]), (&"stalled".into(), &2.into()));
}

/// A gang of more than the limit of its class.
const HALVES: &str = "queues:
- name: a
  weight: 1
  jobTemplates:
  - id: pair
    number: 2
    gangCardinality: 2
    requirements: {resourceRequirements: {requests: {cpu: 24}}}
    runtimeDistribution: {minimum: 1h}
";

const HALF: &str = "scheduling:
  priorityClasses:
    armada-default: {priority: 1000, maximumResourceFractionPerQueue: {cpu: 0.5}}
";

#[test]
fn jobs_that_fit_no_node_are_a_warning_and_are_counted() {
    let sandbox = sandbox("seed-example");
    sandbox.file("workload.yaml", HUGE);
    snapshot!("cluster_unschedulable", sandbox.run(SIMULATE).exits(0));
    let report = valid(&sandbox.run(&format!("{SIMULATE} -o json")).exits(0));
    let jobs = &report["variants"][0]["total"]["jobs"];
    assert_eq!((&jobs["unschedulable"], &jobs["neverSubmitted"]), (&3.into(), &2.into()));
    assert_eq!(jobs["succeeded"], 2);
}

/// Jobs larger than a node, and jobs that depend on them.
const HUGE: &str = "queues:
- name: a
  weight: 1
  jobTemplates:
  - id: fits
    number: 2
    requirements: {resourceRequirements: {requests: {cpu: 1}}}
    runtimeDistribution: {minimum: 1h}
  - id: huge
    number: 3
    requirements: {resourceRequirements: {requests: {cpu: 64}}}
    runtimeDistribution: {minimum: 1h}
  - id: after
    number: 2
    dependencies: [huge]
    requirements: {resourceRequirements: {requests: {cpu: 1}}}
    runtimeDistribution: {minimum: 1h}
";

#[test]
fn a_queue_starves_beside_retries_if_they_are_most_of_what_runs() {
    let findings = |failing: &str| {
        let sandbox = sandbox("retry-storm");
        let text = std::fs::read_to_string(sandbox.path().join("not-preemptible.yaml"));
        sandbox.file("workload.yaml", text.expect("a workload").replace("perAttempt: 1", failing));
        let report = valid(&sandbox.run(&format!("{SIMULATE} -f strict.yaml -o json")).exits(0));
        let findings = report["variants"][0]["ends"][0]["findings"].as_array().cloned();
        findings.unwrap_or_default()
    };
    let [starvation] = findings("perAttempt: 1").try_into().expect("one finding");
    assert_eq!(starvation["kind"], "starvation");
    assert_eq!(starvation["queue"], "online");
    assert_eq!(starvation["rule"], "strict.rules[0]");
    assert_eq!((&starvation["from"], &starvation["to"]), (&10_800.into(), &14_700.into()));
    // The queue starves as long beside runs of which one in twenty is a retry.
    assert_eq!(findings("perAttempt: 0.05"), Vec::<Value>::new());
}

#[test]
fn assertions_decide_the_exit_code() {
    let variant = "--variant more=protected-1.5.yaml";
    for (code, flags) in [
        (0, "--assert jobs.succeeded==184"),
        (0, "--assert total.jobs.succeeded>=184 --assert waste<=10%"),
        (0, "--assert queue.biology.wait.p95<2h"),
        (0, "--assert templates.day.wait.max<100m --assert pools.default.jain>0.9"),
        (1, "--assert jobs.succeeded!=184"),
        (1, "--assert jobs.succeeded==184 --assert queue.biology.wait.p95<1s"),
        (1, "--assert retryWait.p95<0"),
    ] {
        let run = teams(&format!("{flags} {variant}")).exits(code);
        assert_eq!(run.stdout.contains("fails: "), code == 1, "{run}");
    }
    let run = teams(&format!("{variant} --assert more:queue.physics.preemptions.fairShare==0"));
    assert!(run.exits(0).stdout.contains("holds: more:"));
    teams(&format!("{variant} --assert more:wait.mean>BASE")).exits(0);
    teams(&format!("{variant} --assert more:wait.mean<=BASE*1.001")).exits(1);
}

#[test]
fn assertions_of_unknown_names_are_refused_with_the_nearest() {
    for (flags, expected) in [
        ("--assert queue.biologie.wait.p95<1h", "did you mean `biology`?"),
        ("--assert queue.biology.wait.pp95<1h", "did you mean `p95`?"),
        ("--assert wastes<1", "did you mean `waste`?"),
        ("--assert rule.p.rules[0].failed<1", "the report has none"),
        ("--assert templates.dai.wait.p95<1h", "did you mean `day`?"),
        ("--assert pool.defautl.jain>0", "did you mean `default`?"),
        ("--assert gven:waste<1", "did you mean `given`?"),
        ("--assert wait<1h", "mean"),
        ("--assert refusals.cosmic-rays==0", "unknown reason `cosmic-rays`"),
        ("--assert waste<many", "`many` is not a number"),
        ("--assert waste", "write PATH OP VALUE"),
        ("--assert <1", "write PATH OP VALUE"),
    ] {
        let run = teams(flags).exits(2);
        assert!(run.stderr.contains(expected), "{run}");
    }
    for reason in ["queue cordoned", "no nodes with uniformity label zone"] {
        let assertion = format!("refusals.{reason}==0");
        let sandbox = sandbox("two-teams");
        sandbox.run_with(SIMULATE, |command| _ = command.args(["--assert", &assertion])).exits(0);
    }
}

#[test]
fn combinations_without_a_meaning_are_refused() {
    for (flags, expected) in [
        ("--history h.jsonl", "cannot be used with"),
        ("--timelines all", "cannot be used with"),
        ("--requeue back", "--requeue has no effect without policies"),
        ("--queue-policies a", "--queue-policies has no effect without policies"),
        ("--sweep globalMaxRetries=0..2", "--sweep needs the policies of -f"),
        ("--variant no-retries=protected-0.yaml", "takes no files"),
        (
            "--variant a=protected-0.yaml,protected-1.0.yaml",
            "is a scheduler configuration, and there are other files",
        ),
        ("--events e.jsonl --seeds 2", "need exactly one variant and one seed"),
        ("--seed 18446744073709551615 --seeds 2", "the last seed is above 18446744073709551615"),
        ("--events e.jsonl --variant a=protected-0.yaml", "need exactly one variant and one seed"),
        ("--variant given=protected-0.yaml", "the name `given` is already used"),
        ("--events x --series ./x", "`./x` is used by another flag"),
        ("--events ./cluster.yaml", "`./cluster.yaml` is used by another flag"),
        ("--until 0s", "write more than 0s"),
        ("--seeds 0", "invalid value"),
    ] {
        let run = teams(flags).exits(2);
        assert!(run.stderr.contains(expected), "{run}");
    }
    let sandbox = sandbox("two-teams");
    sandbox.run("simulate --cluster cluster.yaml").exits(2);
    sandbox.run("simulate --workload workload.yaml").exits(2);
    sandbox.run("simulate --cluster - --workload -").exits(2);
    sandbox.run("simulate --seeds 2 --history x").exits(2);
    let run = sandbox.run("simulate -f p.yaml --history h --workload workload.yaml").exits(2);
    assert!(run.stderr.contains("'--workload <FILE>'"), "{run}");
}

#[test]
fn files_that_cannot_be_used_exit_3() {
    let sandbox = sandbox("two-teams");
    sandbox.file("broken.yaml", "queues: [{name: a, wait: 3}]");
    for line in [
        "simulate --cluster nowhere.yaml --workload workload.yaml",
        "simulate --cluster cluster.yaml --workload nowhere.yaml",
        "simulate --cluster cluster.yaml --workload broken.yaml",
        "simulate --cluster workload.yaml --workload cluster.yaml",
        "simulate --cluster cluster.yaml --workload workload.yaml --scheduler-config nowhere.yaml",
        "simulate --cluster cluster.yaml --workload workload.yaml --variant a=nowhere.yaml",
        "simulate --cluster cluster.yaml --workload workload.yaml --events no/where.jsonl",
    ] {
        let run = sandbox.run(line).exits(3);
        assert!(run.stdout.is_empty(), "{run}");
    }
}

#[test]
fn one_file_can_be_standard_input() {
    let sandbox = sandbox("two-teams");
    let workload = std::fs::read(sandbox.path().join("workload.yaml")).unwrap();
    let line = SIMULATE.replace("workload.yaml", "-");
    let run = sandbox.run_on(&line, workload).exits(0);
    assert_eq!(run.stdout, sandbox.run(SIMULATE).stdout);
}

#[test]
fn no_terminal_is_too_narrow() {
    let one = report(&["protected-1.0.yaml"], 1);
    let several = report(&["protected-1.0.yaml", "protected-1.5.yaml", "protected-0.yaml"], 1);
    let sections = Section::ALL.map(|(_, section)| section);
    for width in [40, 60, 80, 120, 200] {
        let layout = Layout { wide: false, headers: true, width: Some(width), style: Style::Plain };
        for report in [&one, &several] {
            let text = cluster::answer(report, &sections, &layout);
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(width), "{width}\n{text}");
            assert!(text.contains("19") && text.contains("12h33m9s"), "{width}\n{text}");
        }
    }
}

#[test]
fn tables_are_shown_by_name() {
    let run = |study: &str, flags: &str| sandbox(study).run(&format!("{SIMULATE} {flags}"));
    let plain = run("bad-nodes", "-f anywhere.yaml").exits(0).stdout;
    for (name, text) in [
        ("figures", "makespan"),
        ("comparison", "undisturbed wait, p95"),
        ("queues", "WAIT MAX"),
        ("templates", "TEMPLATE"),
        ("waits", "retries, from retryAfter"),
        ("failures", "CAUSE"),
        ("rules", "gpu.rules[0]  196"),
        ("retries", "GRANTED"),
        ("fairness", "LONGEST BELOW HALF SHARE"),
        ("refusals", "Jobs refused at least once"),
    ] {
        let run = run("bad-nodes", &format!("-f anywhere.yaml --show {name}")).exits(0);
        assert!(run.stdout.contains(text) && !plain.contains(text), "{name}: {run}");
    }
    let nodes = run("failures", "--show nodes").exits(0);
    assert!(nodes.stdout.contains("\nNodes: 24 failed"), "{nodes}");
    let variants = "-f anywhere.yaml --variant no-retries --show rules,queues,findings";
    snapshot!("cluster_show_variants", run("bad-nodes", variants).exits(0));
    for flags in ["--show days", "--show waits,record", "--show table"] {
        let run = run("bad-nodes", &format!("-f anywhere.yaml {flags}")).exits(2);
        assert!(run.stderr.contains("figures") && run.stderr.contains("waits"), "{run}");
    }
    let run = Sandbox::new().run("simulate --history x.jsonl --show waits").exits(2);
    assert!(run.stderr.contains("the report of a replay has no such table"), "{run}");
}

#[test]
fn the_answer_is_short_and_the_same_for_any_number_of_threads() {
    let run = |flags: &str| {
        let flags = format!("{SIMULATE} -f anywhere.yaml --variant no-retries --seeds 3 {flags}");
        sandbox("bad-nodes").run(&flags).exits(0).stdout
    };
    let first = run("--threads 1");
    assert!(first.lines().count() <= 20, "{first}");
    assert!(["2", "8"].iter().all(|threads| run(&format!("--threads {threads}")) == first));
    let quiet = run("-q");
    assert!(quiet.lines().count() == 1 && first.starts_with(&quiet), "{quiet}");
    let [json, again] = ["1", "8"].map(|it| run(&format!("-o json --threads {it}")));
    assert_eq!(json, again);
}

/// The answer is the same data as the other figures of the report.
#[test]
fn the_answer_has_the_figures_of_the_variants() {
    let flags = "-f lax.yaml --variant strict=strict.yaml --variant no-retries --seeds 2 -o json";
    let report = valid(&sandbox("retry-storm").run(&format!("{SIMULATE} {flags}")).exits(0));
    let answer = &report["answer"];
    let labels = answer["columns"].as_array().expect("columns").iter();
    let labels: Vec<&str> = labels.filter_map(|column| column["label"].as_str()).collect();
    assert_eq!(labels, ["lax", "strict", "no-retries"]);
    for (id, path) in [
        ("jobsSucceeded", "/jobs/succeeded"),
        ("jobsRecovered", "/jobs/recovered"),
        ("usefulHours", "/hours/core/useful"),
        ("lostHours", "/hours/core/lost"),
        ("makespan", "/makespan"),
        ("waitMean", "/wait/mean"),
        ("waitP95", "/wait/p95"),
    ] {
        let rows = answer["rows"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["id"] == id).expect("a row");
        for (at, variant) in report["variants"].as_array().expect("variants").iter().enumerate() {
            for (values, group) in [
                ("values", &variant["total"]),
                ("differences", &variant["differences"]["total"]),
                ("intervals", &variant["intervals"]["total"]),
                ("differenceIntervals", &variant["differenceIntervals"]["total"]),
            ] {
                let [one, other] = [&row[values][at], group.pointer(path).unwrap_or(&Value::Null)];
                assert_eq!(one.as_f64(), other.as_f64(), "{id} {values} {at}");
            }
            assert_eq!(row["bySeed"][at].as_array().map(Vec::len), Some(2));
        }
    }
}

#[test]
fn the_answer_at_three_widths() {
    let configs = ["protected-1.0.yaml", "protected-1.5.yaml"];
    let reports = [report(&configs[..1], 1), report(&configs, 1), report(&configs, 3)];
    let mut all = String::new();
    for (name, report) in ["one", "two", "two, three seeds"].iter().zip(&reports) {
        for width in [60, 80, 140] {
            let layout =
                Layout { wide: false, headers: true, width: Some(width), style: Style::Plain };
            let text = cluster::answer(report, &[], &layout);
            assert!(width < 80 || text.lines().count() <= 20, "{text}");
            all += &format!("---- {name}, {width} columns\n{text}");
        }
    }
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!("cluster_answer_widths", all);
    });
}

/// Counts, and nothing else.
struct Counts(Collector);

impl Observer for Counts {
    fn event(&mut self, event: Event) {
        self.0.event(event);
    }

    fn settled(&mut self, run: &SettledRun) {
        self.0.settled(run);
    }

    fn round(&mut self, round: PoolRound<'_>) {
        self.0.round(round);
    }

    fn refused(&mut self, template: usize, refusal: &Refusal) {
        self.0.refused(template, refusal);
    }
}

/// The report of the study of two teams, a variant a scheduler configuration.
fn report(configs: &[&str], seeds: u64) -> ClusterReport {
    let read = |name: &str| {
        let text = std::fs::read_to_string(root().join("examples/cluster/two-teams").join(name));
        Source::new(name, text.expect("a file"))
    };
    let runs = configs.iter().map(|config| {
        let scheduling = read_scheduling(&read(config), Profile::Landed).0.expect("a config");
        let clusters = read_cluster(&read("cluster.yaml"), Some(&scheduling)).0.expect("a cluster");
        let workload = read_workload(&read("workload.yaml"), Some(&scheduling)).0.expect("jobs");
        assert!(unschedulable(&scheduling, &clusters, &workload).is_empty());
        let until = 24 * 3600 * 1_000_000_000;
        let run = |seed| {
            let options = LoopOptions { seed, until, is_fast_forward: true };
            let mut simulation = Simulation::new(&scheduling, &clusters, &workload, options);
            let mut counts =
                Counts(Collector::new(&scheduling.settings().resources, &workload, &simulation));
            let end = simulation.run(&mut counts);
            let resources = &scheduling.settings().resources;
            counts.0.finish(resources, &workload, &simulation, end, seed)
        };
        let name = config.trim_end_matches(".yaml").to_owned();
        Runs { engine: None, name, results: (1..=seeds).map(run).collect() }
    });
    let runs: Vec<Runs> = runs.collect();
    let columns = runs.iter().map(|run| AnswerColumn {
        name: run.name.clone(),
        label: run.name.clone(),
        engine: None,
        sources: Vec::new(),
    });
    ClusterReport {
        api_version: "armadaproject.io/v1",
        kind: "ClusterReport",
        seed: 1,
        seeds: u32::try_from(seeds).expect("few seeds"),
        scheduler: "landed".to_owned(),
        notes: Vec::new(),
        answer: cluster_answer(&runs, columns.collect()),
        variants: combine_runs(runs),
        assertions: Vec::new(),
    }
}

#[test]
fn misspelt_keys_in_nested_objects_are_warned_of() {
    let sandbox = sandbox("two-teams");
    let text = "scheduling:
  defaultPriorityClassName: a
  priorityClasses:
    a: {priority: 1, preemptable: true, maximumResourceFractionPerQueu: {cpu: 0.5}}
  pools:
  - {name: default, protectedFractionOfFairShar: 1}
submission: {defaultActiveDeadlin: 1h}
";
    let run = sandbox.file("s.yaml", text).run(&format!("{SIMULATE} --scheduler-config s.yaml"));
    for (key, near) in [
        ("preemptable", "preemptible"),
        ("maximumResourceFractionPerQueu", "maximumResourceFractionPerQueue"),
        ("protectedFractionOfFairShar", "protectedFractionOfFairShare"),
        ("defaultActiveDeadlin", "defaultActiveDeadline"),
    ] {
        let at = run.stderr.find(&format!("`{key}` is not read"));
        let help = format!("did you mean `{near}`?");
        assert!(at.is_some_and(|at| run.stderr[at..].contains(&help)), "{key} {run}");
    }
}
