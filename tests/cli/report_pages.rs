//! The pages and pictures of `--report html=FILE` and `--report svg=FOLDER`: well-formed, bounded, and their numbers and
//! coordinates those of the JSON.
//!
//! Holds cli.md Output; answer.md 7.

use super::sandbox::Sandbox;
use super::xml::{Element, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::Write;
use std::fs::read_to_string;
use std::path::Path;

/// The most bytes of a page, whatever its history is.
const MOST: usize = 200_000;

/// The commands of pages over the examples, without the reports.
const COMMANDS: [&str; 8] = [
    "simulate --history month.jsonl",
    "simulate -f fleet.yaml --history month.jsonl",
    "simulate -f fleet.yaml --variant strict=strict.yaml --history month.jsonl",
    "simulate -f fleet.yaml --variant strict=strict.yaml --sweep globalMaxRetries=0..4 --history month.jsonl",
    "simulate -f fleet.yaml --sweep globalMaxRetries=0..4 --history month.jsonl",
    "simulate -f policies --queue-policies infra,ml-training --history ml-training.yaml",
    "simulate -f jobset/restart-jobset.yaml --history jobset/restart-jobset.history.yaml",
    "simulate --cluster cluster/retry-storm/cluster.yaml --workload cluster/retry-storm/workload.yaml \
     -f cluster/retry-storm/lax.yaml --variant strict=cluster/retry-storm/strict.yaml --variant no-retries \
     --seeds 2 --until 4h",
];

const FLEET: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: fleet}
spec:
  retryLimit: 3
  rules:
  - {action: Retry, onConditions: [Preempted], retryLimit: 8}
  - {action: Retry, onConditions: [OOMKilled]}
  - {action: Retry, onFailureCategory: [network]}
";

/// A month of 600 jobs in 14 queues: of each kind of failure another share of the next runs succeeds.
fn month() -> String {
    let mut out = String::new();
    for job in 0_u32..600 {
        let runs = match job % 6 {
            0 | 1 => 1,
            2 => 2,
            3 => 3 + job % 4,
            4 => 2 + job % 2,
            _ => 1 + job % 3,
        };
        for run in 0..runs {
            let ends = run + 1 == runs && job % 6 != 3;
            let (outcome, more) = match job % 6 {
                _ if ends => ("Succeeded", String::new()),
                2 => ("Preempted", String::new()),
                3 => (
                    "Failed",
                    r#","containers":[{"name":"a","exitCode":137,"reason":"OOMKilled"}]"#
                        .to_owned(),
                ),
                4 => (
                    "Failed",
                    r#","category":"network","containers":[{"name":"a","exitCode":75}]"#.to_owned(),
                ),
                _ => (
                    "Failed",
                    format!(r#","containers":[{{"name":"a","exitCode":1,"message":"x{job}"}}]"#),
                ),
            };
            let (day, hour, minute) = (1 + (job * 7) % 30, run * 2, job % 60);
            let _ = writeln!(
                out,
                r#"{{"jobId":"j{job}","queue":"q{}","runIndex":{run},"node":"n{}","startedAt":"2026-10-{day:02}T{hour:02}:{minute:02}:00Z","finishedAt":"2026-10-{day:02}T{:02}:{minute:02}:30Z","resources":{{"nvidia.com/gpu":"{}"}},"outcome":"{outcome}"{more}}}"#,
                job % 14,
                job % 40,
                hour + 1,
                1 + job % 4,
            );
        }
    }
    out
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_examples();
    sandbox.examples(&[
        "ml-training.yaml",
        "jobset/restart-jobset.yaml",
        "jobset/restart-jobset.history.yaml",
        "cluster/retry-storm/cluster.yaml",
        "cluster/retry-storm/workload.yaml",
        "cluster/retry-storm/lax.yaml",
        "cluster/retry-storm/strict.yaml",
        "broken/typo.yaml",
    ]);
    sandbox.file("month.jsonl", month());
    sandbox.file("fleet.yaml", FLEET);
    let strict = FLEET.replace(
        "action: Retry, onConditions: [OOMKilled]",
        "action: Fail, onConditions: [OOMKilled]",
    );
    sandbox.file("strict.yaml", strict.replace("name: fleet", "name: strict"));
    sandbox
}

/// The page of a command, and its JSON.
fn page(sandbox: &Sandbox, line: &str) -> (String, Value) {
    let run = sandbox.run(&format!("{line} --report html=page.html --report svg=pictures -o json"));
    let text = read_to_string(sandbox.path().join("page.html")).unwrap_or_else(|_| panic!("{run}"));
    (text, serde_json::from_str(&run.stdout).expect("JSON"))
}

/// Reads a page as XML, and checks what holds for every page.
#[track_caller]
fn read(text: &str) -> Element {
    assert!(text.len() <= MOST, "{} bytes", text.len());
    let document = text.strip_prefix("<!DOCTYPE html>\n").expect("HTML");
    let root = parse(document).unwrap_or_else(|error| panic!("{error}"));
    let (mut ids, mut references) = (HashSet::new(), Vec::new());
    check(&root, &mut ids, &mut references);
    for id in references {
        assert!(ids.contains(&id), "no id `{id}`");
    }
    root
}

fn check(element: &Element, ids: &mut HashSet<String>, references: &mut Vec<String>) {
    for (name, value) in &element.attributes {
        assert!(!value.contains("http"), "{name}={value}");
        let is_link = ["href", "src", "action", "onclick", "onload"].contains(&name.as_str());
        assert!(!is_link, "{name}={value}");
        match name.as_str() {
            "id" => assert!(ids.insert(value.clone()), "`{value}` twice"),
            "aria-labelledby" => references.extend(value.split(' ').map(str::to_owned)),
            "fill" => references.extend(
                value.strip_prefix("url(#").and_then(|id| id.strip_suffix(')')).map(str::to_owned),
            ),
            _ => {}
        }
    }
    let scripts = [
        "iframe",
        "object",
        "embed",
        "link",
        "image",
        "img",
        "foreignObject",
        "use",
        "base",
        "form",
    ];
    assert!(!scripts.contains(&element.name.as_str()), "<{}>", element.name);
    element.children.iter().for_each(|child| check(child, ids, references));
}

/// All text in an element.
fn whole_text(element: &Element) -> String {
    let inner = element.children.iter().map(whole_text);
    element.text.clone() + &inner.collect::<String>()
}

/// The cells of the rows of a table, by its caption; marks have no text.
fn table(root: &Element, caption: &str) -> Vec<Vec<String>> {
    let has_caption = |table: &&Element| {
        table.children.iter().any(|child| child.name == "caption" && whole_text(child) == caption)
    };
    let tables = root.all("table");
    let table =
        tables.into_iter().find(has_caption).unwrap_or_else(|| panic!("no table `{caption}`"));
    let body = table.children.iter().find(|child| child.name == "tbody").expect("rows");
    let cells = |row: &Element| row.children.iter().map(first_text).collect();
    body.children.iter().map(cells).collect()
}

/// The text of a cell without a difference and without words about a name.
fn first_text(cell: &Element) -> String {
    let is_more = |child: &&Element| child.name != "span" && child.name != "svg";
    let inner = cell.children.iter().filter(is_more).map(whole_text);
    cell.text.clone() + &inner.collect::<String>()
}

/// The number that a cell shows.
fn shown(cell: &str) -> Option<f64> {
    let digits: String = cell.chars().filter(|c| c.is_ascii_digit() || ".-".contains(*c)).collect();
    digits.parse().ok()
}

/// Checks a cell against a figure: it is rounded to its last digit.
#[track_caller]
fn is_shown(cell: &str, figure: Option<f64>) {
    match (shown(cell.split(" (").next().unwrap_or_default()), figure) {
        (Some(shown), Some(figure)) => {
            let figure = if cell.contains('%') { figure * 100.0 } else { figure };
            let is_whole = !cell.split(" (").next().unwrap_or_default().contains('.');
            let half = if is_whole { 0.5 } else { 0.05 };
            assert!((shown - figure).abs() <= half + 1e-9, "`{cell}` is not {figure}");
        }
        (None, None) => {}
        (_, figure) => panic!("`{cell}` is not {figure:?}"),
    }
}

#[test]
fn pages_are_well_formed_and_the_same_for_any_number_of_threads() {
    let sandbox = sandbox();
    for line in COMMANDS {
        let (text, _) = page(&sandbox, &format!("{line} --threads 1"));
        read(&text);
        assert!(!text.contains(sandbox.path().to_str().expect("UTF-8")), "{line}");
        let (other, _) = page(&sandbox, &format!("{line} --threads 4"));
        assert_eq!(text, other, "{line}");
        for file in std::fs::read_dir(sandbox.path().join("pictures")).expect("a folder") {
            let path = file.expect("a file").path();
            let picture = read_to_string(&path).expect("a picture");
            let root =
                parse(&picture).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(root.get("role"), Some("img"));
            assert!(root.all("title").iter().any(|title| !title.text.is_empty()));
        }
        std::fs::remove_dir_all(sandbox.path().join("pictures")).expect("a folder");
    }
    for line in ["lint broken policies", "validate -f broken policies"] {
        sandbox.run(&format!("{line} --report html=page.html"));
        let text = read_to_string(sandbox.path().join("page.html")).expect("a page");
        let root = read(&text);
        assert!(
            whole_text(&root).contains("did you mean `retryLimit`") || text.contains("RP005"),
            "{text}"
        );
    }
}

/// The comment of each kind of page: the sentences and the tables, without pictures.
#[test]
fn comments_have_the_sentences_and_tables_of_pages() {
    let sandbox = sandbox();
    let cluster = COMMANDS[7].split(" -f ").next().expect("a command");
    let sweep = format!(
        "{cluster} -f cluster/retry-storm/lax.yaml --sweep globalMaxRetries=0..2 --seeds 2 --until 8h"
    );
    for (name, line) in [
        ("record", COMMANDS[0]),
        ("sweep", COMMANDS[4]),
        ("job", COMMANDS[5]),
        ("set", COMMANDS[6]),
        ("cluster", COMMANDS[7]),
        ("cluster_sweep", &sweep),
    ] {
        let run = sandbox.run(&format!("{line} --report markdown=-"));
        insta::with_settings!({
            omit_expression => true,
            filters => vec![(env!("CARGO_PKG_VERSION").replace('.', r"\.").as_str(), "VERSION")],
        }, { insta::assert_snapshot!(format!("comment_{name}"), run.stdout) });
    }
}

/// A job's comment names the explaining command without a directory of the machine; the runs of the other timeline that are
/// not reached are marked.
#[test]
fn both_timelines_mark_runs_that_are_not_reached() {
    let sandbox = sandbox();
    let root = sandbox.path().to_str().expect("UTF-8").to_owned();
    let line = format!(
        "simulate -f {root}/fleet.yaml --variant strict={root}/strict.yaml --history month.jsonl --job j3"
    );
    let (text, json) = page(&sandbox, &line);
    read(&text);
    assert!(!text.contains(&root), "{text}");
    let runs = &json["variants"][1]["example"]["other"]["runs"];
    assert_eq!(runs[0]["reached"], "reached", "{runs}");
    assert_eq!(runs[1]["reached"], "notReached", "{runs}");
    assert!(runs[1]["failure"] == "OOMKilled", "{runs}");
    let comment = sandbox.run(&format!("{line} --report markdown=-"));
    assert!(!comment.stdout.contains(&root), "{comment}");
}

/// Names that take much room do not make a page of timelines large.
#[test]
fn timelines_of_long_names_stay_small() {
    let sandbox = sandbox();
    let mut history = String::new();
    for job in 0..20 {
        for run in 0..5 {
            let node = format!("{}{run}", "\\\"".repeat(150));
            let _ = writeln!(
                history,
                r#"{{"jobId":"{}{job}","queue":"q","runIndex":{run},"node":"{node}","startedAt":"2026-10-01T0{run}:00:00Z","finishedAt":"2026-10-01T0{run}:30:00Z","outcome":"Failed","containers":[{{"name":"a","exitCode":137,"reason":"OOMKilled","message":"{node}"}}]}}"#,
                "<".repeat(200)
            );
        }
    }
    sandbox.file("long.jsonl", history);
    let (text, _) = page(&sandbox, "simulate -f fleet.yaml --timelines all --history long.jsonl");
    read(&text);
    assert!(text.contains("8 more jobs: <code>--job ID</code>"), "{text}");
}

const ONE_NODE: &str = "clusters:
- name: c
  pool: default
  nodeTemplates:
  - {number: 1, totalResources: {resources: {cpu: 2, memory: 8Gi}}}
";

/// A job that fails whenever it runs, and one that is submitted after its first run.
const TWO_JOBS: &str = "queues:
- name: a
  weight: 1
  jobTemplates:
  - id: fails
    number: 1
    requirements: {resourceRequirements: {requests: {cpu: 2, memory: 4Gi}}}
    runtimeDistribution: {minimum: 5m}
    failures:
    - {name: always, perAttempt: 1, at: {fixed: 4m}, exitCode: 2}
- name: b
  weight: 1
  jobTemplates:
  - id: good
    number: 1
    earliestSubmitTime: 10m
    requirements: {resourceRequirements: {requests: {cpu: 2, memory: 4Gi}}}
    runtimeDistribution: {minimum: 1m}
";

/// The answers about a cluster name what is not clear, not known and not different.
#[test]
fn answers_about_clusters_claim_no_more_than_the_runs_show() {
    let sandbox = sandbox();
    sandbox.file("one.yaml", ONE_NODE).file("two.yaml", TWO_JOBS);
    let storm = COMMANDS[7].split(" -f ").next().expect("a command");
    let lax = "cluster/retry-storm/lax.yaml";
    for (line, answers) in [
        (
            format!("simulate --cluster one.yaml --workload two.yaml --variant lax={lax}"),
            [
                "Under lax others wait, and under given they do not. 95 % of the jobs without a failure or preemption \
                 start at once under given, and within 1 h 14 min under lax.",
                "Keep given: no other costs less, and under none do more jobs succeed.",
            ],
        ),
        (
            format!("{storm} --variant lax={lax}"),
            [
                "Under lax others wait 3.2 times as long.",
                "if a job that succeeds is worth less than",
            ],
        ),
        (
            format!("{storm} -f {lax} --variant same={lax} --seeds 2 --until 4h"),
            [
                "Unknown: the simulation ended before all jobs were over.",
                "None differs from given.",
            ],
        ),
        (
            format!("{storm} -f {lax} --variant no-retries --seeds 2 --until 6h"),
            [
                "Unknown: the simulation ended before all jobs were over.",
                "None differs clearly from lax: simulate more seeds (--seeds).",
            ],
        ),
    ] {
        let comment = sandbox.run(&format!("{line} --report markdown=-")).stdout;
        let all = comment.replace("<code>", "").replace("</code>", "");
        for answer in answers {
            assert!(all.contains(answer), "{line}: {answer}: {all}");
        }
    }
}

/// The page of `test` has failed tests, the coverage, and covered and other rules at their lines.
#[test]
fn the_page_of_tests_has_their_coverage() {
    let sandbox = sandbox();
    let policy = FLEET.replace("retryLimit: 3\n", "retryLimit: 3\n  # <b>&\"'\n");
    sandbox.file("<fleet>.yaml", policy);
    sandbox.file(
        "tests/a.yaml",
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicyTest\nspec:\n  policies: ['../<fleet>.yaml']\n  tests:\n  - name: '<i>&\"]]>'\n    \
         failures: [{conditions: [Preempted]}]\n    expect: [{attempt: 1, action: Retry, ruleIndex: 0}]\n  \
         - name: wrong\n    failures: [{exitCode: 137, reason: OOMKilled}]\n    \
         expect: [{attempt: 1, action: Fail}]\n",
    );
    let run = sandbox.run("test tests/a.yaml --report html=page.html -o json").exits(1);
    let text = read_to_string(sandbox.path().join("page.html")).expect("a page");
    let root = read(&text);
    let coverage = &run.json()["coverage"];
    let share = coverage["percent"].as_f64().expect("a share");
    let sentence = format!(
        "The tests check {} of {} rules, defaults and limits ({share:.1} %), marked at their lines.",
        coverage["covered"], coverage["total"]
    );
    assert!(whole_text(&root).contains(&sentence), "{sentence}: {text}");
    assert_eq!(table(&root, "Failed tests").len(), 1, "{run}");
    let spans = root.all("span");
    let lines_of = |class: &str| {
        let is_of = |line: &&&Element| line.get("class") == Some(class);
        spans.iter().filter(is_of).map(|line| whole_text(line)).collect::<String>()
    };
    assert!(lines_of("yes").contains("Preempted"), "{text}");
    assert!(!lines_of("yes").contains("network"), "{text}");
}

/// Checks the table of the answer against the JSON.
#[track_caller]
fn check_answer(root: &Element, json: &Value) {
    let rows: Vec<&Value> = json["answer"]["rows"].as_array().expect("rows").iter().collect();
    for cells in table(root, "Figures of the answer") {
        let label = cells[0].split(" (").next().expect("a label");
        let row =
            rows.iter().find(|row| row["label"] == label).unwrap_or_else(|| panic!("{cells:?}"));
        for (cell, value) in cells[1..].iter().zip(row["values"].as_array().expect("values")) {
            is_shown(cell, value.as_f64());
        }
    }
}

#[test]
fn numbers_of_tables_are_those_of_the_json() {
    let sandbox = sandbox();
    let (text, json) = page(&sandbox, COMMANDS[1]);
    let root = read(&text);
    check_answer(&root, &json);
    let rules = json["summary"]["byRule"].as_array().expect("rules");
    for cells in table(&root, "Rules") {
        let [name, failures, _, retries, _, share, _, _, cost, price, jobs] = cells.as_slice()
        else {
            panic!("{cells:?}")
        };
        let is_of = |rule: &&Value| {
            let index = rule["ruleIndex"].as_u64().map(|index| format!("[{index}]"));
            *name == format!("fleet{}", index.unwrap_or_else(|| " default".to_owned()))
        };
        let sum =
            |path: &str| rules.iter().filter_map(|rule| rule.pointer(path)?.as_f64()).sum::<f64>();
        let of = |path: &str| {
            let rule = rules.iter().find(is_of);
            rule.map_or_else(|| Some(sum(path)), |rule| rule.pointer(path).and_then(Value::as_f64))
        };
        is_shown(failures, of("/matched"));
        is_shown(retries, of("/granted"));
        let is_recorded = of("/recorded").is_some_and(|runs| runs > 0.0);
        let (lost, recovered) = (of("/lostHours/gpuHours"), of("/recoveredJobs"));
        is_shown(cost, lost.or(Some(0.0)).filter(|_| is_recorded));
        is_shown(jobs, recovered.filter(|_| is_recorded));
        if rules.iter().any(|rule| is_of(&rule)) {
            is_shown(share, of("/successRate/share"));
        }
        let each = lost.or(Some(0.0)).zip(recovered).filter(|(_, jobs)| *jobs > 0.0 && is_recorded);
        is_shown(price, each.map(|(lost, jobs)| lost / jobs));
    }
    let queues = json["summary"]["byQueue"].as_array().expect("queues");
    let shown = table(&root, "Queues, the most failures first");
    assert_eq!(shown.len(), 12);
    for (cells, queue) in shown.iter().zip(queues) {
        assert_eq!(cells[0], queue["queue"].as_str().expect("a queue"));
        for (at, path) in [(2, "/failures"), (3, "/retries"), (4, "/failedJobs"), (5, "/recovered")]
        {
            is_shown(&cells[at], queue.pointer(path).and_then(Value::as_f64));
        }
    }
    assert!(text.contains("2 more queues"), "{text}");
    for (cells, day) in table(&root, "Failures by day")
        .iter()
        .zip(json["summary"]["byDay"].as_array().expect("days"))
    {
        let (failures, retries) =
            (day["failures"].as_f64().expect("a count"), day["retries"].as_f64().expect("a count"));
        is_shown(&cells[1], Some(retries));
        is_shown(&cells[2], Some(failures - retries));
    }
    let reasons = json["answer"]["reasons"].as_array().expect("reasons");
    for (cells, reason) in
        table(&root, "Jobs that fail here, by kind of failure and by what decided")
            .iter()
            .zip(reasons)
    {
        for (at, path) in [
            (2, "/failedJobs"),
            (3, "/jobs"),
            (4, "/retries"),
            (5, "/succeeded"),
            (7, "/savedHours"),
            (9, "/lostWorkHours"),
        ] {
            is_shown(&cells[at], reason.pointer(path).and_then(Value::as_f64));
        }
    }
}

#[test]
fn numbers_of_sweeps_and_clusters_are_those_of_the_json() {
    let sandbox = sandbox();
    let (text, json) = page(&sandbox, COMMANDS[4]);
    let root = read(&text);
    let rows = json["answer"]["rows"].as_array().expect("rows");
    let value = |id: &str, column: usize| {
        rows.iter().find(|row| row["id"] == id).and_then(|row| row["values"][column].as_f64())
    };
    for (column, cells) in
        table(&root, "What each further globalMaxRetries brings").iter().enumerate()
    {
        is_shown(&cells[1], value("retries", column + 2));
        is_shown(&cells[3], value("jobsRecovered", column + 2));
        is_shown(&cells[5], value("failedRetryHours", column + 2));
    }
    let (text, json) = page(&sandbox, COMMANDS[7]);
    let root = read(&text);
    let rows = json["answer"]["rows"].as_array().expect("rows");
    for cells in table(&root, "Figures of each variant") {
        let row = rows
            .iter()
            .find(|row| row["label"] == cells[0].as_str())
            .unwrap_or_else(|| panic!("{cells:?}"));
        if row["unit"] == "seconds" {
            continue;
        }
        for (cell, value) in cells[1..].iter().zip(row["values"].as_array().expect("values")) {
            is_shown(cell.split(" ±").next().expect("a value"), value.as_f64());
        }
    }
    // The means of the picture's table are those of the first seed.
    for cells in table(&root, "Mean cores of each queue") {
        let columns = json["answer"]["columns"].as_array().expect("columns");
        let column =
            columns.iter().position(|it| it["label"] == cells[0].as_str()).expect("a label");
        let end = &json["variants"][column]["ends"][0];
        let time = end["time"].as_f64().expect("a time");
        is_shown(&cells[2], Some(sum_over_time(end, &cells[1]) / time));
    }
}

/// The sum of a queue's cores over the time of a run, in core-seconds.
fn sum_over_time(end: &Value, queue: &str) -> f64 {
    let series = &end["series"];
    let (bin, time) = (series["binSeconds"].as_f64().expect("s"), end["time"].as_f64().expect("s"));
    let means = series["queues"][queue]["cores"].as_array().into_iter().flatten();
    let mut from = 0.0;
    let mut sum = 0.0;
    for mean in means {
        sum += mean.as_f64().expect("a mean") * f64::min(bin, time - from);
        from += bin;
    }
    sum
}

/// A picture's file, and the scales that its labels make: from coordinates to values.
struct Picture {
    root: Element,
}

impl Picture {
    fn read(sandbox: &Sandbox, name: &str) -> Self {
        let path = Path::new("pictures").join(name);
        let text = read_to_string(sandbox.path().join(&path))
            .unwrap_or_else(|_| panic!("{}", path.display()));
        Self { root: parse(&text).expect("XML") }
    }

    /// The texts of ticks: their values and coordinates.
    fn ticks(&self, is_y: bool) -> Vec<(f64, f64)> {
        let texts =
            self.root.all("text").into_iter().filter(|text| {
                text.get("class").is_some_and(|class| class.starts_with("s t-mute"))
            });
        let at = |text: &Element| {
            let (x, y) = (percent(text.get("x")?)?, text.get("y")?.parse::<f64>().ok()?);
            let value = tick_value(&text.text)?;
            // Values of the y axis begin at the left edge, 4 pixels above their line.
            if is_y { (x == 0.0).then_some((value, y + 4.0)) } else { Some((value, x)) }
        };
        texts.filter_map(at).collect()
    }

    /// The values of coordinates on an axis: linear through its two outermost ticks.
    fn scale(&self, is_y: bool, zero: f64) -> impl Fn(f64) -> f64 + use<> {
        let ticks = self.ticks(is_y);
        let (value, at) =
            *ticks.iter().max_by(|one, other| one.0.total_cmp(&other.0)).expect("ticks");
        move |coordinate| (coordinate - zero) / (at - zero) * value
    }
}

fn percent(text: &str) -> Option<f64> {
    text.strip_suffix('%')?.parse::<f64>().ok().map(|percent| percent / 100.0).or(Some(0.0))
}

/// The value of `2.5 k jobs recovered`.
fn tick_value(text: &str) -> Option<f64> {
    let mut words = text.split(' ');
    let value: f64 = words.next()?.parse().ok()?;
    Some(match words.next() {
        Some("k") => value * 1e3,
        Some("M") => value * 1e6,
        _ => value,
    })
}

impl Picture {
    /// The y of the axis.
    fn bottom(&self) -> f64 {
        let lines = self.root.all("line");
        let axis = lines.into_iter().find(|line| line.get("class") == Some("s-axis"));
        number(axis.expect("an axis"), "y1")
    }

    /// The bars whose tip begins with a text.
    fn bars(&self, tip: &str) -> Vec<&Element> {
        let is_of = |bar: &&Element| bar.children.iter().any(|it| it.text.starts_with(tip));
        self.root.all("rect").into_iter().filter(is_of).collect()
    }
}

/// The number of an attribute; of percent the share.
fn number(element: &Element, attribute: &str) -> f64 {
    let text = element.get(attribute).unwrap_or_else(|| panic!("no {attribute}"));
    let (text, unit) = text.strip_suffix('%').map_or((text, 1.0), |text| (text, 100.0));
    text.parse::<f64>().unwrap_or_else(|_| panic!("{attribute}={text}")) / unit
}

#[test]
fn the_curve_of_rules_read_back_is_the_sum_of_the_json() {
    let sandbox = sandbox();
    let (_, json) = page(&sandbox, COMMANDS[1]);
    let rules = Picture::read(&sandbox, "rules.svg");
    let bottom = rules.bottom();
    let (x, y) = (rules.scale(false, 0.1), rules.scale(true, bottom));
    let dots = rules.root.all("circle").into_iter();
    let dots = dots.map(|dot| (number(dot, "cx"), number(dot, "cy")));
    let end = dots.max_by(|one, other| one.0.total_cmp(&other.0)).expect("dots");
    let of_rules = json["summary"]["byRule"].as_array().expect("rules");
    let sum = |path: &str| {
        let values = of_rules.iter().filter_map(|rule| rule.pointer(path)?.as_f64());
        values.sum::<f64>()
    };
    let (cost, jobs) = (sum("/lostHours/gpuHours"), sum("/recoveredJobs"));
    // A pixel of the picture, which is 640 wide.
    let (in_x, in_y) = (x(0.1 + 1.0 / 640.0), y(bottom - 1.0));
    assert!((x(end.0) - cost).abs() <= in_x, "{} is not {cost}", x(end.0));
    assert!((y(end.1) - jobs).abs() <= in_y, "{} is not {jobs}", y(end.1));
}

#[test]
fn the_points_of_policies_read_back_are_those_of_the_json() {
    let sandbox = sandbox();
    let (_, json) = page(&sandbox, COMMANDS[3]);
    let picture = Picture::read(&sandbox, "tradeoff.svg");
    let bottom = picture.bottom();
    let (x, y) = (picture.scale(false, 0.1), picture.scale(true, bottom));
    let rows = json["answer"]["rows"].as_array().expect("rows");
    let value = |id: &str, column: usize| {
        let row = rows.iter().find(|row| row["id"] == id).expect("a row");
        row["values"][column].as_f64().expect("a value")
    };
    let columns = json["answer"]["columns"].as_array().expect("columns");
    let mut found = 0;
    for dot in picture.root.all("circle") {
        let tip = dot.children.iter().map(whole_text).collect::<String>();
        let name = tip.split(':').next().expect("a name");
        let is_of = |label: &str| label == name || label == format!("globalMaxRetries={name}");
        let column = columns.iter().position(|it| is_of(it["label"].as_str().expect("a label")));
        let column = column.unwrap_or_else(|| panic!("{tip}"));
        let (cost, jobs) = (value("failedRetryHours", column), value("jobsRecovered", column));
        let (in_x, in_y) = (x(0.1 + 1.0 / 640.0), y(bottom - 1.0));
        assert!((x(number(dot, "cx")) - cost).abs() <= in_x, "{tip}");
        assert!((y(number(dot, "cy")) - jobs).abs() <= in_y, "{tip}");
        found += 1;
    }
    // The record, two sets of policies and five limits.
    assert_eq!(found, 8);
}

#[test]
fn the_bars_of_days_read_back_are_their_failures() {
    let sandbox = sandbox();
    let (_, json) = page(&sandbox, COMMANDS[1]);
    let days = Picture::read(&sandbox, "days.svg");
    let bottom = days.bottom();
    let y = days.scale(true, bottom);
    for day in json["summary"]["byDay"].as_array().expect("days") {
        let name = day["day"].as_str().expect("a day");
        let height: f64 = days.bars(name).into_iter().map(|bar| number(bar, "height")).sum();
        let (drawn, failures) = (y(bottom - height), day["failures"].as_f64().expect("a count"));
        assert!((drawn - failures).abs() <= y(bottom - 1.0), "{name}: {drawn} is not {failures}");
    }
}

#[test]
fn the_bars_of_runs_read_back_are_their_times() {
    let sandbox = sandbox();
    let (_, json) = page(&sandbox, COMMANDS[5]);
    let picture = Picture::read(&sandbox, "runs.svg");
    let seconds = |time: &Value| {
        let time: jiff::Timestamp = time.as_str()?.parse().ok()?;
        Some(time.as_duration().as_secs_f64())
    };
    let runs = json["jobs"][0]["runs"].as_array().expect("runs");
    let spans =
        runs.iter().filter_map(|it| seconds(&it["startedAt"]).zip(seconds(&it["finishedAt"])));
    let spans: Vec<(f64, f64)> = spans.collect();
    let from = spans.iter().map(|it| it.0).fold(f64::INFINITY, f64::min);
    let all = spans.iter().map(|it| it.1).fold(0.0, f64::max) - from;
    assert_eq!(spans.len(), 9);
    for (run, (start, end)) in runs.iter().zip(&spans) {
        let name = format!("run {} on", run["runIndex"]);
        let bars = picture.bars(&name);
        let bar = bars.first().unwrap_or_else(|| panic!("{name}"));
        // The picture is 860 pixels wide, and 1 % of them are after the last end.
        let pixel = all / 860.0;
        let (x, width) = (number(bar, "x") / 0.99 * all, number(bar, "width") / 0.99 * all);
        assert!((x - (start - from)).abs() <= pixel, "{name}");
        assert!((width - (end - start)).abs() <= 3.0 * pixel, "{name}");
    }
}

#[test]
fn the_areas_of_a_cluster_read_back_are_its_core_hours() {
    let sandbox = sandbox();
    let (_, json) = page(&sandbox, COMMANDS[7]);
    let end = &json["variants"][0]["ends"][0];
    let share = Picture::read(&sandbox, "share-lax.svg");
    let paths = share.root.all("path").into_iter();
    let areas = paths.filter(|it| it.get("class").is_some_and(|class| class.starts_with("f-")));
    let areas: f64 = areas.map(|path| area(path.get("d").expect("a path"))).sum();
    let queues = end["series"]["queues"].as_object().expect("queues");
    let core_seconds: f64 = queues.keys().map(|queue| sum_over_time(end, queue)).sum();
    let variants = json["variants"].as_array().expect("variants");
    let ends = variants.iter().map(|it| it["ends"][0]["time"].as_f64().expect("a time"));
    let latest = ends.fold(0.0, f64::max);
    let capacity = end["series"]["cores"].as_f64().expect("cores");
    // The plane is 112 pixels high, and 1,000 units wide: the end of the latest run.
    let drawn = areas / 1000.0 / 112.0 * latest * capacity;
    assert!((drawn - core_seconds).abs() <= core_seconds / 112.0, "{drawn} is not {core_seconds}");
    let hours = &json["variants"][0]["total"]["hours"]["core"];
    assert!(hours["useful"].as_f64().is_some_and(|useful| useful > 0.0));
}

/// The area of a path of `M`, `H`, `V`, `L` and `Z`.
fn area(path: &str) -> f64 {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut rest = path;
    while let Some(command) = rest.chars().next() {
        let end = rest[1..].find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |at| at + 1);
        let numbers: Vec<f64> =
            rest[1..end].split(' ').filter_map(|number| number.parse().ok()).collect();
        let last = points.last().copied().unwrap_or_default();
        match (command, numbers.as_slice()) {
            ('M' | 'L', [x, y]) => points.push((*x, *y)),
            ('H', [x]) => points.push((*x, last.1)),
            ('V', [y]) => points.push((last.0, *y)),
            _ => {}
        }
        rest = &rest[end..];
    }
    let next = points.iter().skip(1).chain(points.first());
    let sum: f64 =
        points.iter().zip(next).map(|(one, other)| one.0 * other.1 - other.0 * one.1).sum();
    (sum / 2.0).abs()
}

/// Texts that are markup, or no text at all.
const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "a\"b'c&amp;d",
    "]]>",
    "-->",
    "\u{202e}evil\u{2066}",
    "`code",
    "\u{1b}[31m",
    "</title></svg>",
];

/// Reads a page with hostile names.
#[track_caller]
fn read_hostile(text: &str) -> Element {
    let root = read(text);
    for other in ["alert(1)</script>", "\u{202e}", "\u{1b}"] {
        assert!(!text.contains(other), "{other}");
    }
    assert_eq!(root.all("script").len(), 1);
    root
}

/// Names of files and records are text, however they look; and no list grows with them.
#[test]
fn hostile_names_are_text_and_pages_stay_small() {
    let sandbox = sandbox();
    let mut history = String::new();
    for job in 0..3_000_u32 {
        let name = HOSTILE[job as usize % HOSTILE.len()];
        let long = "very-long-name-".repeat(12);
        let queue = serde_json::to_string(&format!("{name}{}{long}", job % 500)).expect("JSON");
        let node = serde_json::to_string(&format!("{name}n{}", job % 700)).expect("JSON");
        let message = serde_json::to_string(&format!("{name} {} {}", "m".repeat(300), job % 90))
            .expect("JSON");
        for run in 0..2 {
            // A third of the jobs has no times.
            let times = if job % 3 == 0 {
                String::new()
            } else {
                format!(
                    r#""startedAt":"2026-{:02}-01T0{run}:00:00Z","finishedAt":"2026-{:02}-01T0{run}:30:00Z","#,
                    1 + job % 12,
                    1 + job % 12
                )
            };
            let outcome = if run == 1 && job % 5 == 0 { "Succeeded" } else { "Failed" };
            let _ = writeln!(
                history,
                r#"{{"jobId":"{job}","queue":{queue},"runIndex":{run},"node":{node},{times}"outcome":"{outcome}","containers":[{{"name":"a","exitCode":{},"message":{message}}}]}}"#,
                1 + job % 60
            );
        }
    }
    sandbox.file("hostile.jsonl", history);
    let mut policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: many}\nspec:\n  rules:\n".to_owned();
    for code in 1..=50 {
        let _ = writeln!(
            policy,
            "  - {{action: Retry, onExitCodes: {{operator: In, values: [{code}]}}}}"
        );
    }
    sandbox.file("many.yaml", policy);
    sandbox.file("none.yaml", "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: none}\nspec: {rules: []}\n");
    for line in [
        "simulate --history hostile.jsonl",
        "simulate -f many.yaml --history hostile.jsonl",
        "simulate -f none.yaml --history hostile.jsonl",
        "simulate -f many.yaml --variant none=none.yaml --history hostile.jsonl --advice none",
    ] {
        let (text, _) = page(&sandbox, line);
        read_hostile(&text);
    }
    // Without runs, and without failures.
    sandbox.file("empty.jsonl", "");
    sandbox.file("good.jsonl", "{\"jobId\":\"a\",\"outcome\":\"Succeeded\"}\n");
    for line in [
        "simulate --history empty.jsonl --allow-empty",
        "simulate -f fleet.yaml --history good.jsonl",
        "simulate --history good.jsonl",
    ] {
        let (text, _) = page(&sandbox, line);
        read(&text);
    }
}

/// The same on the pages of sets, clusters and findings.
#[test]
fn hostile_names_of_members_queues_and_files_are_text() {
    let sandbox = sandbox();
    let read_file = |name: &str| read_to_string(sandbox.path().join(name)).expect("a file");
    let history = read_file("jobset/restart-jobset.history.yaml");
    let workload = read_file("cluster/retry-storm/workload.yaml");
    for name in HOSTILE {
        let quoted = serde_json::to_string(name).expect("JSON");
        sandbox.file("set.yaml", history.replace("queue: research", &format!("queue: {quoted}")));
        sandbox.file("work.yaml", workload.replace("name: nightly", &format!("name: {quoted}")));
        for line in [
            "simulate -f jobset/restart-jobset.yaml --history set.yaml",
            "simulate --cluster cluster/retry-storm/cluster.yaml --workload work.yaml --until 3h \
             -f cluster/retry-storm/lax.yaml --sweep globalMaxRetries=0..1",
        ] {
            let (text, _) = page(&sandbox, line);
            read_hostile(&text);
        }
        let policy = FLEET.replace("retryLimit: 3", &format!("retryLimit: {quoted}"));
        let file = format!("{}.yaml", name.replace('/', "_"));
        sandbox.file(&format!("files/{file}"), policy);
    }
    sandbox.run("validate -f files --report html=page.html").exits(3);
    let text = read_to_string(sandbox.path().join("page.html")).expect("a page");
    let root = read_hostile(&text);
    assert_eq!(root.all("pre").len(), HOSTILE.len(), "{text}");
}

/// A name of a record: hostile, any characters, or a usual one.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        select(&HOSTILE[..]).prop_map(str::to_owned),
        any::<String>(),
        select(vec!["a", "b", "gpu-1"]).prop_map(str::to_owned),
    ]
}

/// A run: its outcome, its times in minutes after the run before, texts, an exit code.
fn run_of_job() -> impl Strategy<Value = Value> {
    let outcome =
        select(vec!["Failed", "Failed", "Succeeded", "Preempted", "LeaseExpired", "Cancelled"]);
    let times = proptest::option::of((0_i64..9_000, 0_i64..3_000));
    let texts = (name(), name(), proptest::option::of(name()));
    let numbers = (0_u32..256, proptest::option::of(1_u32..9));
    (outcome, times, texts, numbers).prop_map(
        |(outcome, times, (node, message, category), (code, gpu))| {
            let mut run = serde_json::json!({"outcome": outcome, "node": node});
            if let Some((wait, minutes)) = times {
                run["times"] = serde_json::json!([wait, minutes]);
            }
            if outcome == "Failed" {
                let reason = if code == 137 { "OOMKilled" } else { "Error" };
                let container = serde_json::json!({"name": "a", "exitCode": code.max(1), "reason": reason,
                    "message": message});
                run["containers"] = Value::Array(vec![container]);
            }
            if let Some(category) = category {
                run["category"] = category.into();
            }
            if let Some(gpu) = gpu {
                run["resources"] = serde_json::json!({"nvidia.com/gpu": gpu.to_string()});
            }
            run
        },
    )
}

/// The lines of the runs of jobs, each with its queue.
fn history_of(jobs: Vec<(String, Vec<Value>)>) -> String {
    let mut history = String::new();
    for (job, (queue, runs)) in jobs.into_iter().enumerate() {
        let mut now: jiff::Timestamp = "2026-10-01T00:00:00Z".parse().expect("a time");
        for (index, mut run) in runs.into_iter().enumerate() {
            let times = run.as_object_mut().and_then(|run| run.remove("times"));
            let times = times.as_ref().and_then(Value::as_array).into_iter().flatten();
            for (name, minutes) in ["startedAt", "finishedAt"].into_iter().zip(times) {
                now += jiff::SignedDuration::from_mins(minutes.as_i64().expect("minutes"));
                run[name] = now.to_string().into();
            }
            run["jobId"] = format!("{job}{queue}").into();
            run["queue"] = queue.clone().into();
            run["runIndex"] = index.into();
            let _ = writeln!(history, "{run}");
        }
    }
    history
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// The page of any history is well-formed and small, and its figures are those of the JSON.
    #[test]
    fn pages_of_any_history_are_well_formed(
        jobs in vec((name(), vec(run_of_job(), 1..7)), 0..14),
        rules in vec((select(vec!["Retry", "Fail"]), 1_u32..256), 0..50),
        form in 0_usize..6,
    ) {
        let sandbox = sandbox();
        sandbox.file("any.jsonl", history_of(jobs));
        let mut policy = FLEET.to_owned();
        for (action, code) in rules {
            let _ = writeln!(policy, "  - {{action: {action}, onExitCodes: {{operator: In, values: [{code}]}}}}");
        }
        sandbox.file("any.yaml", policy);
        let flags = [
            "",
            "-f any.yaml",
            "-f any.yaml --timelines all",
            "-f any.yaml --variant strict=strict.yaml --variant two=any.yaml",
            "-f any.yaml --sweep globalMaxRetries=0..3",
            "-f any.yaml --variant strict=strict.yaml --sweep globalMaxRetries=0..2",
        ][form];
        let (text, json) = page(&sandbox, &format!("simulate --history any.jsonl --allow-empty {flags}"));
        let root = read_hostile(&text);
        // A job alone has a page of its runs.
        let is_job = form > 0 && json["jobs"].as_array().is_some_and(|jobs| jobs.len() == 1);
        if json["answer"]["runs"] != 0 && !is_job {
            check_answer(&root, &json);
        }
    }
}

#[test]
fn reports_that_cannot_be_written_are_refused() {
    let sandbox = sandbox();
    let line = "simulate -f fleet.yaml --history month.jsonl";
    for (report, message) in [
        ("svg=-", "write svg=FOLDER"),
        ("svg=", "write svg=FOLDER"),
        ("html=", "write html=FILE"),
        ("pdf=a", "unknown format `pdf`; it is one of html, svg, markdown"),
    ] {
        let run = sandbox.run(&format!("{line} --report {report}")).exits(2);
        assert!(run.stderr.contains(message), "{run}");
    }
    let run = sandbox.run(&format!("{line} --report svg=fleet.yaml")).exits(2);
    assert!(run.stderr.contains("is also an input"), "{run}");
    sandbox.file("a.txt", "x");
    let run = sandbox.run(&format!("{line} --report svg=a.txt")).exits(2);
    assert!(run.stderr.contains("`a.txt` is a file"), "{run}");
    let run = sandbox.run(&format!("{line} --open")).exits(2);
    assert!(run.stderr.contains("--report"), "{run}");
    // A page may go to standard output; without a terminal none is opened.
    let run = sandbox.run(&format!("{line} --report html=-")).exits(0);
    assert!(run.stdout.starts_with("<!DOCTYPE html>"), "{run}");
    let run = sandbox.run(&format!("{line} --report html=a.html --open")).exits(0);
    assert!(run.stderr.contains("no terminal"), "{run}");
}
