//! Markdown of `simulate`, `validate`, `lint` and `test` in one file, `-o csv`, and `simulate --base`.
//!
//! Holds cli.md Output.

use super::sandbox::{Run, Sandbox, snapshot};
use serde_json::Value;
use std::collections::HashSet;
use std::fs::read_to_string;

const POLICIES: &str = "-f policies --queue-policies infra,ml-training";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_examples();
    sandbox.examples(&["fleet.jsonl", "broken/typo.yaml"]);
    sandbox
}

fn text(sandbox: &Sandbox, name: &str) -> String {
    read_to_string(sandbox.path().join(name)).expect("a file")
}

#[test]
fn several_commands_write_one_file() {
    let sandbox = sandbox();
    let report = "--report markdown=out.md";
    sandbox.run(&format!("validate -f broken policies {report}")).exits(3);
    sandbox.run(&format!("lint -f policies {report}")).exits(0);
    let line = format!("simulate {POLICIES} --history fleet.jsonl {report}");
    let run = sandbox.run(&line).exits(0);
    assert!(run.stdout.contains("on record"), "{run}");
    let first = text(&sandbox, "out.md");
    let places: Vec<usize> = ["simulate", "lint", "validate"]
        .iter()
        .map(|name| first.find(&format!("<!-- armadactl:{name} -->\n")).expect("a section"))
        .collect();
    assert!(places.is_sorted(), "{first}");
    // The same inputs give the same bytes, for any number of threads and of runs.
    for flags in ["--threads 1", "--threads 2 -q", "--threads 8 -o json"] {
        sandbox.run(&format!("{line} {flags}")).exits(0);
        assert_eq!(text(&sandbox, "out.md"), first, "{flags}");
    }
    let root = sandbox.path().to_str().expect("UTF-8");
    assert!(!first.contains(root), "{first}");
    insta::with_settings!({
        omit_expression => true,
        filters => vec![(env!("CARGO_PKG_VERSION").replace('.', r"\.").as_str(), "VERSION")],
    }, { insta::assert_snapshot!("comment_of_several_commands", first) });
}

#[test]
fn a_comparison_is_a_comment() {
    let sandbox = sandbox();
    sandbox.examples(&["ml-training.yaml"]);
    let infra = text(&sandbox, "policies/infra.yaml");
    sandbox.file("new/infra.yaml", infra.replace("action: Retry", "action: Fail"));
    let line = "simulate --variant base=policies --variant pr=new --queue-policies infra --history fleet.jsonl \
                --assert pr:outcomes.Failed<1 --report markdown=-";
    snapshot!("comment_of_a_comparison", sandbox.run(line).exits(1));
}

/// A file that a section cannot be put into is refused before anything is replayed.
#[test]
fn a_file_with_a_section_without_end_is_refused() {
    let sandbox = sandbox();
    sandbox.file("out.md", "mine\n<!-- armadactl:lint -->\n");
    let run = sandbox.run("lint -f policies --report markdown=out.md").exits(3);
    assert!(run.stderr.contains("the section that begins in line 2 has no end"), "{run}");
    assert_eq!(run.stdout, "", "{run}");
    assert_eq!(text(&sandbox, "out.md"), "mine\n<!-- armadactl:lint -->\n");
    sandbox.file("out.md", [0xff]);
    let run = sandbox.run("lint -f policies --report markdown=out.md").exits(3);
    assert!(run.stderr.contains("cannot read `out.md`"), "{run}");
}

/// A command that fails leaves no figures of an earlier run, and the sections of the others.
#[test]
fn a_failure_replaces_the_section() {
    let sandbox = sandbox();
    let report = "--report markdown=out.md";
    let replay = format!("simulate {POLICIES} --history fleet.jsonl {report}");
    sandbox.run(&replay).exits(0);
    sandbox.run(&format!("lint -f policies {report}")).exits(0);
    let (infra, before) = (text(&sandbox, "policies/infra.yaml"), text(&sandbox, "out.md"));
    // An error that comes after the report is not a failure of it.
    sandbox.run(&format!("{replay} --assert outcomes.None<1")).exits(2);
    let foot = |text: &str| text.lines().filter(|it| !it.starts_with("<sub>")).collect::<String>();
    assert_eq!(foot(&text(&sandbox, "out.md")), foot(&before));
    sandbox.file("policies/infra.yaml", infra.replace("action: Retry", "action: Retri"));
    let directory = sandbox.path().to_str().expect("UTF-8");
    sandbox.run(&replay.replace("-f policies", &format!("-f {directory}/policies"))).exits(3);
    let failed = text(&sandbox, "out.md");
    assert!(!failed.contains(directory), "{failed}");
    insta::with_settings!({
        omit_expression => true,
        filters => vec![(env!("CARGO_PKG_VERSION").replace('.', r"\.").as_str(), "VERSION")],
    }, { insta::assert_snapshot!("comment_of_a_failure", failed) });
    sandbox.file("policies/infra.yaml", infra);
    let failures = [
        (
            "simulate -f policies --queue-policies infra --history none.jsonl",
            3,
            "cannot read `none.jsonl`",
        ),
        ("simulate --base nowhere", 3, "error: --base: `nowhere` is not a directory"),
        ("lint -f policies --lint-config none.yaml", 3, "cannot read `none.yaml`"),
        ("lint -f policies -o csv", 2, "`lint` cannot print `csv`"),
        ("test tests --run (", 2, "error: `--run (` is not a pattern"),
        ("validate -f - -", 2, "`-` is given twice"),
    ];
    for (line, code, message) in failures {
        let run = sandbox.run(&format!("{line} {report}")).exits(code);
        assert!(run.stderr.contains(message.trim_start_matches("error: ")), "{run}");
        let text = text(&sandbox, "out.md");
        let command = line.split(' ').next().expect("a word");
        let begin = format!(
            "<!-- armadactl:{command} -->\n### armadactl {command}: failed with exit code {code}\n\n```text\n"
        );
        let section = text.split_once(&begin).expect("a section").1;
        assert!(section.split("```").next().is_some_and(|it| it.contains(message)), "{text}");
        assert!(section.contains(&format!("Command: <code>armadactl {command} ")), "{text}");
    }
    assert!(!text(&sandbox, "out.md").contains("on record"));
    sandbox.run(&replay).exits(0);
    assert!(text(&sandbox, "out.md").contains("on record"));
}

/// The error of a command has no end of its block, and no mark of a section.
#[test]
fn the_text_of_a_failure_is_no_markup() {
    let sandbox = sandbox();
    let mark = "<!-- /armadactl:simulate -->";
    let infra = text(&sandbox, "policies/infra.yaml");
    let hostile = format!(r#"action: "a````\n````\n{mark}\n<script>\u202e@all""#);
    sandbox.file("policies/infra.yaml", infra.replace("action: Retry", &hostile));
    let line = format!("simulate {POLICIES} --history fleet.jsonl --report markdown=out.md");
    sandbox.run(&line).exits(3);
    let first = text(&sandbox, "out.md");
    let lines: Vec<&str> = first.lines().collect();
    let fences: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with("```")).collect();
    assert_eq!(fences.len(), 2, "{first}");
    assert_eq!((lines[fences[0]], lines[fences[1]]), ("`````text", "`````"), "{first}");
    assert_eq!(lines.iter().filter(|line| **line == mark).count(), 1, "{first}");
    assert!(!first.contains('\u{202e}'), "{first}");
    // A second failure replaces the first.
    sandbox.run(&line).exits(3);
    assert_eq!(text(&sandbox, "out.md"), first);
}

/// A failure is written to no file that may be an input.
#[test]
fn a_failure_overwrites_no_input() {
    let sandbox = sandbox();
    let history = text(&sandbox, "fleet.jsonl");
    let line = "simulate --history fleet.jsonl --report markdown=fleet.jsonl";
    sandbox.run(line).exits(2);
    sandbox.run(&format!("{line} -o csv")).exits(2);
    assert_eq!(text(&sandbox, "fleet.jsonl"), history);
    sandbox.run("validate -f policies --report markdown=policies/new.yaml").exits(2);
    assert!(!sandbox.path().join("policies/new.yaml").exists());
    // A section without an end stays as it is, and so does the error of the command.
    let run =
        sandbox.run("simulate -f none.yaml --history fleet.jsonl --report markdown=no/out.md");
    assert!(run.exits(3).stderr.contains("cannot read `none.yaml`"));
}

/// Files outside of the repository have no directory of the machine in their names.
#[test]
fn files_outside_have_short_names() {
    let sandbox = sandbox();
    let outside = Sandbox::new();
    let typo = text(&sandbox, "broken/typo.yaml");
    outside.file("one/a.yaml", &typo).file("two/a.yaml", &typo).file("two/b.yaml", &typo);
    let directory = outside.path().to_str().expect("UTF-8");
    let here = sandbox.path().join("broken/typo.yaml");
    for command in ["lint", "validate"] {
        let line = format!(
            "{command} -f {directory}/one {directory}/two {directory}/none.yaml {} --report markdown=-",
            here.display()
        );
        let run = sandbox.run(&line).exits(3);
        for place in ["one/a.yaml:6", "two/a.yaml:6", "b.yaml:6", "broken/typo.yaml:6"] {
            assert!(run.stdout.contains(&format!(" | {place} | ")), "{place}: {run}");
        }
        assert!(run.stdout.contains(" | none.yaml | cannot read <code>none.yaml</code>"), "{run}");
        assert!(!run.stdout.contains(directory), "{run}");
    }
    let test = "kind: RetryPolicyTest\nspec: {policies: [b.yaml], tests: []}\n";
    outside.file("two/test.yaml", test);
    let run = sandbox.run(&format!("test {directory}/two/test.yaml --report markdown=-")).exits(3);
    assert!(run.stdout.contains(" | b.yaml:6 | "), "{run}");
    assert!(!run.stdout.contains(directory), "{run}");
}

/// Names of jobs, queues, policies and files that are markup stay text.
#[test]
fn hostile_names_are_text() {
    let sandbox = Sandbox::new();
    let name = "<!-- /armadactl:simulate -->|`@all`\\u202e\\n<script>";
    let kind = format!("{name}{}", "x".repeat(200));
    let run = |index: u32, rest: &str| {
        format!(
            r#"{{"jobId":"{name}","queue":"{name}","runIndex":{index},"started":"2026-10-01T0{index}:00:00Z","finished":"2026-10-01T0{index}:30:00Z",{rest}}}"#
        )
    };
    let failed = format!(r#""outcome":"Failed","category":"{kind}""#);
    let history = format!("{}\n{}\n", run(0, &failed), run(1, r#""outcome":"Succeeded""#));
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: a}\nspec: {rules: [{action: Fail, onExitCodes: {operator: In, values: [1]}}]}\n";
    sandbox.file("h.jsonl", history).file("a|b `c` @d <e>.yaml", policy);
    let mut command = sandbox.command();
    command.args(["simulate", "-f", "a|b `c` @d <e>.yaml", "--history", "h.jsonl"]);
    let output = command.args(["--report", "markdown=-"]).output().expect("the binary runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.matches("<!-- /armadactl:simulate -->").count(), 1, "{text}");
    for markup in ["<script", "`", "@all", "@d", "\u{202e}", "<e>"] {
        assert!(!text.contains(markup), "{markup}: {text}");
    }
    assert!(text.contains("script"), "the names are there: {text}");
    check_tables(&text);
}

/// Checks that each row of a table has as many cells as its header.
#[track_caller]
fn check_tables(markdown: &str) {
    let mut cells = None;
    for line in markdown.lines() {
        if !line.starts_with('|') {
            cells = None;
            continue;
        }
        let count = line.matches('|').count();
        assert_eq!(*cells.get_or_insert(count), count, "{line}");
    }
    for (open, close) in [("<details>", "</details>"), ("<sub>", "</sub>"), ("<code>", "</code>")] {
        assert_eq!(markdown.matches(open).count(), markdown.matches(close).count(), "{open}");
    }
}

/// Files with long names do not cut off the command, the sources, or the end of their list.
#[test]
fn the_foot_keeps_the_command_and_its_ends() {
    let sandbox = sandbox();
    let infra = text(&sandbox, "policies/infra.yaml");
    for folder in ["base", "new"] {
        for number in 0..14 {
            let name = format!(
                "{folder}/production_clusters/retry_policies_of_the_research_gpu_training_team_{number}.yaml"
            );
            sandbox.file(&name, infra.replace("name: infra", &format!("name: infra-{number}")));
        }
    }
    let line = "simulate --variant base=base --variant pr=new --queue-policies infra-1 --history fleet.jsonl \
                --report markdown=out.md";
    sandbox.run(line).exits(0);
    sandbox.run("lint -f policies --report markdown=out.md").exits(0);
    let text = text(&sandbox, "out.md");
    check_tables(&text);
    assert!(text.contains("<sub>Command: <code>armadactl simulate --variant base=base "), "{text}");
    assert!(text.contains("Seed: 0"), "{text}");
    assert_eq!(text.matches("_Shortened: ").count(), 1, "{text}");
}

#[test]
fn reports_that_a_replay_does_not_have_are_refused() {
    let sandbox = sandbox();
    let line = format!("simulate {POLICIES} --history fleet.jsonl");
    for (flags, message) in [
        ("--report junit=a", "unknown format `junit`; it is one of html, svg, markdown"),
        ("--report markdown", "write markdown=FILE, or markdown=- for stdout"),
        ("--report markdown=fleet.jsonl", "`fleet.jsonl` is also an input"),
        ("--report markdown=- --report markdown=-", "two reports go to standard output"),
    ] {
        let run = sandbox.run(&format!("{line} {flags}")).exits(2);
        assert!(run.stderr.contains(message), "{run}");
    }
    for (flags, message) in [
        ("--report markdown=cluster/retry-storm/lax.yaml", "is also an input"),
        ("--report markdown=a --events ./a", "would be an input of the next run"),
        ("-o csv", "--show names none"),
    ] {
        let run = cluster_sandbox().run(&format!("{CLUSTER} {flags}")).exits(2);
        assert!(run.stderr.contains(message), "{run}");
    }
}

/// Two sets of policies on a simulated cluster.
const CLUSTER: &str = "simulate --cluster cluster/retry-storm/cluster.yaml --workload cluster/retry-storm/workload.yaml \
                       --variant lax=cluster/retry-storm/lax.yaml --variant strict=cluster/retry-storm/strict.yaml";

fn cluster_sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let files = ["cluster", "workload", "lax", "strict"];
    let files = files.map(|name| format!("cluster/retry-storm/{name}.yaml"));
    sandbox.examples(&files.each_ref().map(String::as_str));
    sandbox
}

#[test]
fn a_simulated_cluster_is_a_comment() {
    let sandbox = cluster_sandbox();
    let line = format!("{CLUSTER} --report markdown=-");
    snapshot!("comment_of_a_cluster", sandbox.run(&line).exits(0));
    let line = format!("{line} --until 6h --seeds 2");
    let seeds = sandbox.run(&format!("{line} --threads 1")).exits(0);
    assert_eq!(seeds.stdout, sandbox.run(&format!("{line} --threads 2")).exits(0).stdout);
}

/// The maps in the figures of a group of jobs.
const MAPS: [&str; 6] = [
    "failedBy.",
    "retries.",
    "refusals.",
    "utilisation.",
    "usefulUtilisation.",
    "idleWhileBackingOff.",
];

/// The tables of a cluster hold the figures of the JSON.
#[test]
fn each_table_of_a_cluster_is_csv() {
    let sandbox = cluster_sandbox();
    let line = "simulate --cluster cluster/retry-storm/cluster.yaml --workload cluster/retry-storm/workload.yaml \
                -f cluster/retry-storm/strict.yaml --variant no-retries --until 6h --seeds 2";
    let json = sandbox.run(&format!("{line} -o json")).exits(0).json();
    let variants = json["variants"].as_array().expect("variants");
    let statistics = [
        ("value", ""),
        ("interval", "/intervals"),
        ("difference", "/differences"),
        ("differenceInterval", "/differenceIntervals"),
    ];
    for (name, list) in [
        ("queues", "/queues"),
        ("templates", "/templates"),
        ("failures", "/causes"),
        ("rules", "/rules"),
        ("retries", "/total/retries"),
    ] {
        let run = sandbox.run(&format!("{line} -o csv --show {name}")).exits(0);
        let mut rows = run.stdout.lines().map(cells);
        let headers = rows.next().expect("headers");
        let mut count = 0;
        for row in rows {
            let variant = variants.iter().find(|it| it["name"] == row[0]).expect("a variant");
            let (_, figures) = statistics.iter().find(|it| it.0 == row[1]).expect("a statistic");
            let all = variant.pointer(&format!("{figures}{list}")).expect("figures");
            let own = &all[&row[2]];
            for path in values(own) {
                let header = path.replace("lostHours", "failedRetryHours");
                let column = headers.iter().position(|it| *it == header);
                let wanted = own.pointer(&format!("/{}", path.replace('.', "/")));
                let wanted = wanted.expect("a figure");
                // Figures of a map, such as refusals by reason, are in tables of their own.
                let is_of_map = MAPS.iter().any(|map| path.contains(map));
                assert_eq!(column.is_none(), is_of_map, "{name} {path}: {headers:?}");
                if let Some(column) = column {
                    assert_eq!(row[column], wanted.to_string(), "{name} {path}");
                    count += 1;
                }
            }
        }
        assert!(count > 0, "{name}: {run}");
    }
    for name in ["figures", "comparison", "waits", "fairness", "nodes", "refusals", "findings"] {
        let run = sandbox.run(&format!("{line} -o csv --show {name}")).exits(0);
        let rows: Vec<Vec<String>> = run.stdout.lines().map(cells).collect();
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{name}: {run}");
        assert_eq!(rows[0].iter().collect::<HashSet<_>>().len(), rows[0].len(), "{name}: {run}");
    }
}

/// The cells of a line of CSV (RFC 4180).
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut().expect("a cell");
        match letter {
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            letter => cell.push(letter),
        }
    }
    cells
}

/// The paths of the numbers and texts of a row.
fn values(row: &Value) -> Vec<String> {
    let fields = row.as_object().into_iter().flatten();
    let paths = fields.flat_map(|(name, value)| match value {
        Value::Object(_) => values(value).iter().map(|path| format!("{name}.{path}")).collect(),
        Value::Null | Value::Array(_) => Vec::new(),
        _ => vec![name.clone()],
    });
    paths.collect()
}

#[test]
fn each_table_is_csv() {
    let sandbox = sandbox();
    let line = format!("simulate {POLICIES} --history fleet.jsonl");
    let json = sandbox.run(&format!("{line} -o json")).exits(0).json();
    let table = |name: &str| -> Vec<Vec<String>> {
        let run = sandbox.run(&format!("{line} -o csv --show {name}")).exits(0);
        run.stdout.lines().map(cells).collect()
    };
    for name in [
        "record",
        "rules",
        "decisions",
        "kinds",
        "retries",
        "nodes",
        "queues",
        "categories",
        "days",
        "hours",
        "disruptions",
        "changes",
        "contradictions",
    ] {
        let rows = table(name);
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{name}: {rows:?}");
    }
    for (name, list) in [
        ("rules", "/summary/byRule"),
        ("retries", "/summary/byRetry"),
        ("nodes", "/summary/nodes/worst"),
        ("queues", "/summary/byQueue"),
        ("categories", "/summary/byCategory"),
        ("days", "/summary/byDay"),
        ("kinds", "/answer/reasons"),
    ] {
        let headers = table(name).swap_remove(0);
        for path in
            json.pointer(list).expect("a list").as_array().into_iter().flatten().flat_map(values)
        {
            let path = path.replace("lostHours", "failedRetryHours");
            let path = path.replace("lostWorkHours", "goodWorkLostHours");
            assert!(headers.contains(&path), "{name}: {path} is not among {headers:?}");
        }
    }
    let rules = table("rules");
    let by_rule = json["summary"]["byRule"].as_array().expect("rules");
    assert_eq!(rules.len(), by_rule.len() + 1);
    let hours =
        rules[0].iter().position(|name| name == "failedRetryHours.hours").expect("a column");
    for (row, rule) in rules[1..].iter().zip(by_rule) {
        assert_eq!(row[1], rule["policy"]);
        assert_eq!(row[hours], rule["lostHours"]["hours"].to_string());
    }
    let record = table("record");
    assert_eq!(record[1], ["jobsSucceeded", "jobs", "on record", "1.0", ""]);
    for (flags, message) in [
        ("-o csv", "--show names none"),
        ("-o csv --show all", "--show names several"),
        ("-o csv --show rules,days", "--show names several"),
    ] {
        let run: Run = sandbox.run(&format!("{line} {flags}")).exits(2);
        assert!(run.stderr.contains(message), "{run}");
    }
    let run = sandbox.run("lint -f policies -o csv").exits(2);
    assert!(run.stderr.contains("`lint` cannot print `csv`"), "{run}");
}

#[test]
fn several_sets_of_policies_are_rows_of_one_table() {
    let sandbox = sandbox();
    let line = "simulate --variant base=policies --variant pr=policies/infra.yaml --queue-policies infra \
                --history fleet.jsonl -o csv --show decisions";
    let run = sandbox.run(line).exits(0);
    let names: Vec<String> =
        run.stdout.lines().skip(1).map(|line| cells(line)[0].clone()).collect();
    assert_eq!(names, ["base", "base", "pr", "pr"], "{run}");
}

/// The settings of a repository whose policies are compared with those of `old`.
const SETTINGS: &str = "simulate:\n  policies: [policies]\n  history: [fleet.jsonl]\n  \
                        flags: [--queue-policies, infra]\n";

#[test]
fn the_policies_of_a_base_are_compared() {
    let sandbox = sandbox();
    sandbox.file(".armadactl-lint.yaml", SETTINGS).file("work/.keep", "");
    let infra = text(&sandbox, "policies/infra.yaml");
    sandbox.file("old/policies/infra.yaml", infra.replace("action: Retry", "action: Fail"));
    let run = sandbox.run("simulate --base old -o json").exits(0);
    let columns = run.json()["answer"]["columns"].clone();
    assert_eq!(columns[1]["name"], "base");
    assert_eq!(columns[1]["sources"][0], "old/policies");
    assert_eq!(columns[2]["name"], "pr");
    assert_eq!(columns[2]["sources"][0], "policies");
    // From a directory below, and with an absolute path, which is in no note.
    sandbox.file("old/policies/other.yaml", "apiVersion: v1\nkind: ConfigMap\n");
    let old = sandbox.path().join("old");
    let line = format!("simulate --base={} --report markdown=-", old.display());
    let run =
        sandbox.run_with(&line, |command| _ = command.current_dir(sandbox.path().join("work")));
    let command = "<code>armadactl simulate --variant base=old/policies --variant pr=../policies --history \
                   ../fleet.jsonl --queue-policies infra</code>";
    assert!(run.stdout.contains(command), "{run}");
    assert!(
        run.stdout.contains("- <code>infra</code>: old/policies/infra.yaml, SHA-256 "),
        "{run}"
    );
    assert!(run.stdout.contains("1 ConfigMap (in old/policies/other.yaml)"), "{run}");
    // A change that is the first with policies.
    sandbox.file("empty/.keep", "");
    let run = sandbox.run("simulate --base empty -o json").exits(0);
    assert_eq!(run.json()["answer"]["columns"].as_array().map(Vec::len), Some(2), "{run}");
    assert!(run.stdout.contains("the base has none of these policies"), "{run}");
    let run = sandbox.run("simulate --base empty --report markdown=-").exits(0);
    assert!(
        run.stdout.contains("<code>armadactl simulate --variant pr=policies --history "),
        "{run}"
    );
}

/// A change that corrects the base has a report, which begins with the error of the base.
#[test]
fn a_base_with_an_error_is_left_out() {
    let sandbox = sandbox();
    sandbox.file(".armadactl-lint.yaml", SETTINGS);
    let infra = text(&sandbox, "policies/infra.yaml");
    let broken = infra.replace("action: Retry", "action: Retri");
    sandbox.file("old/policies/infra.yaml", &broken);
    let note = "the base cannot be read: nothing is compared: policies/infra.yaml:15:13: error[RP009]: `action`: \
                unknown action `Retri` (did you mean `Retry`?)";
    let run = sandbox.run("simulate --base old -o json").exits(0);
    let report = run.json();
    assert_eq!(report["notes"][0]["kind"], "unreadableBase", "{run}");
    assert_eq!(report["notes"][0]["message"], note, "{run}");
    assert_eq!(report["answer"]["columns"][1]["name"], "pr", "{run}");
    assert_eq!(report["answer"]["columns"].as_array().map(Vec::len), Some(2), "{run}");
    assert_eq!(run.stderr, "", "{run}");
    // The same without the directory of the copy, wherever that is.
    let old = sandbox.path().join("old");
    let run = sandbox.run(&format!("simulate --base {}/ -q", old.display())).exits(0);
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    assert!(words.join(" ").starts_with(&format!("warning: {note} ")), "{run}");
    let run = sandbox.run("simulate --base old --report markdown=-").exits(0);
    let place =
        "- warning: the base cannot be read: nothing is compared: policies/infra.yaml:15:13: error";
    assert!(run.stdout.contains(place), "{run}");
    // An error that the history brings to light: the base names no policy that there is.
    let other = infra.replace("name: infra", "name: other");
    sandbox.file("old/policies/infra.yaml", other);
    let run = sandbox.run("simulate --base old").exits(0);
    assert!(
        run.stdout.starts_with("warning: the base cannot be read: nothing is compared: "),
        "{run}"
    );
    // An error of the policies here stays one, also beside one of the base.
    sandbox.file("policies/infra.yaml", &broken).file("old/policies/infra.yaml", &broken);
    let run = sandbox.run("simulate --base old").exits(3);
    assert!(run.stderr.contains("--> policies/infra.yaml:15:13"), "{run}");
    sandbox.file("old/policies/infra.yaml", &infra);
    let run = sandbox.run("simulate --base old").exits(3);
    assert!(run.stderr.contains("--> policies/infra.yaml:15:13"), "{run}");
    assert_eq!(run.stdout, "", "{run}");
}

#[test]
fn a_base_needs_settings() {
    let sandbox = sandbox();
    let failed = |settings: Option<&str>, line: &str, code, message: &str| {
        if let Some(settings) = settings {
            sandbox.file(".armadactl-lint.yaml", settings);
        }
        let run = sandbox.run(line).exits(code);
        assert!(run.stderr.contains(message), "{run}");
    };
    failed(None, "simulate --base nowhere", 3, "`nowhere` is not a directory");
    failed(None, "simulate --base policies", 3, "no `.armadactl-lint.yaml` has `simulate`");
    failed(Some("queues: []\n"), "simulate --base policies", 3, "has `simulate`");
    let flags = "simulate: {policies: [policies], history: [fleet.jsonl], flags: [--no-such]}\n";
    failed(Some(flags), "simulate --base .", 3, "unexpected argument '--no-such' found");
    let again = flags.replace("--no-such", "--base, .");
    failed(Some(&again), "simulate --base .", 3, "has `--base`");
    failed(Some(SETTINGS), "simulate --base . -f policies", 2, "cannot be used with");
    let comma = SETTINGS.replace("[policies]", "['a,b']");
    failed(Some(&comma), "simulate --base .", 3, "has a comma");
}
