//! Advice: every proposal is what a replay by hand says.
//!
//! Holds answer.md 4.

use super::numbers::Numbers;
use super::sandbox::Sandbox;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The random histories and policies; `ADVICE_CASES` sets another number.
const CASES: u64 = 6;

/// A history of some hundred jobs. Retries after each kind of failure succeed with a share of their own.
fn history(numbers: &mut Numbers) -> String {
    let kinds = [
        r#""outcome":"Failed","containers":[{"name":"main","exitCode":1}]"#,
        r#""outcome":"Failed","containers":[{"name":"main","exitCode":139}]"#,
        r#""outcome":"Failed","containers":[{"name":"main","exitCode":137,"reason":"OOMKilled"}]"#,
        r#""outcome":"Failed","category":"network","subcategory":"dns""#,
        r#""outcome":"Failed","category":"user-error""#,
        r#""outcome":"Failed","containers":[{"name":"main","exitCode":2,"message":"CUDA error 700: illegal access"}]"#,
        r#""outcome":"Preempted""#,
        r#""outcome":"LeaseExpired""#,
    ];
    let shares: Vec<u64> = kinds.iter().map(|_| numbers.below(100)).collect();
    let mut text = String::new();
    let at = |minute: u64| {
        let (day, hour, minute) = (1 + minute / 1440, minute / 60 % 24, minute % 60);
        format!("2026-10-{day:02}T{hour:02}:{minute:02}:00Z")
    };
    for job in 0..200 + numbers.below(200) {
        let kind = usize::try_from(numbers.below(kinds.len() as u64)).unwrap();
        let (gpus, mut start) = (1 << numbers.below(4), numbers.below(20_000));
        for run in 0..=numbers.below(6) {
            let end = start + 1 + numbers.below(300);
            let share = if run == 0 { 40 } else { shares[kind] };
            let has_succeeded = numbers.below(100) < share;
            let outcome = if has_succeeded { r#""outcome":"Succeeded""# } else { kinds[kind] };
            let _ = writeln!(
                text,
                r#"{{"jobId":"j{job}","queue":"q","runIndex":{run},"startedAt":"{}","finishedAt":"{}","resources":{{"nvidia.com/gpu":{gpus}}},{outcome}}}"#,
                at(start),
                at(end),
            );
            if has_succeeded {
                break;
            }
            start = end;
        }
    }
    text
}

/// A policy of `v1` or `v1beta1` with some rules.
fn policy(numbers: &mut Numbers) -> Value {
    let is_v1 = numbers.below(3) > 0;
    let matchers: &[Value] = if is_v1 {
        &[
            json!({"onExitCodes": {"operator": "In", "values": [1, 2]}}),
            json!({"onConditions": ["OOMKilled"]}),
            json!({"onConditions": ["Preempted", "Evicted"]}),
            json!({"onFailureCategory": ["network", "user-error"]}),
        ]
    } else {
        &[json!({"onCategory": "network"}), json!({"onCategory": "user-error"})]
    };
    let mut rules = Vec::new();
    for matcher in matchers.iter().filter(|_| numbers.below(2) == 0).collect::<Vec<_>>() {
        let mut rule = matcher.clone();
        rule["action"] = json!(numbers.pick(&["Retry", "Fail"]));
        if is_v1 && rule["action"] == "Retry" && numbers.below(2) == 0 {
            rule["retryLimit"] = json!(1 + numbers.below(3));
        }
        rules.push(rule);
    }
    let action = numbers.pick(&["Retry", "Fail"]);
    let spec = json!({"retryLimit": 1 + numbers.below(4), "defaultAction": action, "rules": rules});
    if is_v1 {
        return json!({
            "apiVersion": "armadaproject.io/v1",
            "kind": "RetryPolicy",
            "metadata": {"name": "p"},
            "spec": spec,
        });
    }
    let mut policy = spec;
    policy["apiVersion"] = json!("armadaproject.io/v1beta1");
    policy["kind"] = json!("RetryPolicy");
    policy["name"] = json!("p");
    policy
}

/// The document of a policy with a proposal.
fn changed(policy: &Value, proposal: &Value) -> Value {
    let mut changed = policy.clone();
    let path = proposal["path"].as_str().unwrap();
    let value: Value = serde_yaml::from_str(proposal["value"].as_str().unwrap()).unwrap();
    let (path, spec) = match path.strip_prefix("spec.") {
        Some(path) => (path, &mut changed["spec"]),
        None => (path, &mut changed),
    };
    let Some((index, field)) = path.strip_prefix("rules[").and_then(|it| it.split_once(']')) else {
        spec[path] = value;
        return changed;
    };
    let (index, rules) = (index.parse().unwrap(), spec["rules"].as_array_mut().unwrap());
    let _: () = match (proposal["change"].as_str().unwrap(), field.strip_prefix('.')) {
        ("remove", None) => _ = rules.remove(index),
        ("insert", None) => rules.insert(index, value),
        ("replace", None) => rules[index] = value,
        ("set", Some(field)) => rules[index][field] = value,
        (change, field) => panic!("{change} of {field:?}"),
    };
    changed
}

/// How often `lint` finds what.
fn findings(sandbox: &Sandbox, file: &str) -> BTreeMap<String, usize> {
    let run = sandbox.run(&format!("lint -f {file} -o json"));
    let mut codes = BTreeMap::new();
    // The replay of a proposal measures what these are about.
    let is_measured = |id: &str| ["RP130", "RP132"].contains(&id);
    for finding in run.json()["items"].as_array().unwrap() {
        if is_measured(finding["id"].as_str().unwrap()) {
            continue;
        }
        *codes.entry(finding["id"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    codes
}

/// A proposal is a change of some decision; its figures are those of `--variant` with the changed policy, and `lint`
/// finds nothing in it that it does not find today.
#[test]
fn a_proposal_is_what_its_replay_says() {
    let cases = std::env::var("ADVICE_CASES").ok().and_then(|cases| cases.parse().ok());
    let mut proposed = 0;
    for seed in 0..cases.unwrap_or(CASES) {
        let mut numbers = Numbers(seed);
        let sandbox = Sandbox::new();
        let policy = policy(&mut numbers);
        sandbox.file("h.jsonl", history(&mut numbers)).file("p.yaml", policy.to_string());
        let line = "simulate -f p.yaml --history h.jsonl -o json";
        let report = sandbox.run(line).exits(0).json();
        let advice = report["answer"]["advice"].as_array().unwrap().iter();
        for proposal in advice.filter(|advice| advice["advice"] == "proposal") {
            proposed += 1;
            sandbox.file("new.yaml", changed(&policy, proposal).to_string());
            let compared = sandbox.run(&format!("{line} --variant new=new.yaml")).exits(0).json();
            let rows = compared["answer"]["rows"].as_array().unwrap();
            let mut has_changed = false;
            for row in [
                "jobsSucceeded",
                "jobsUnresolved",
                "retries",
                "failedRetryHours",
                "succeededRetryHours",
            ] {
                let found = rows.iter().find(|it| it["id"] == row).unwrap();
                let difference = &found["differences"][2];
                has_changed |= difference.as_f64() != Some(0.0);
                assert_eq!(&proposal[row], difference, "seed {seed}, {row}: {proposal}");
            }
            assert!(has_changed, "seed {seed}: {proposal}");
            let before = findings(&sandbox, "p.yaml");
            for (code, number) in findings(&sandbox, "new.yaml") {
                let own = before.get(&code).copied().unwrap_or_default();
                assert!(number <= own, "seed {seed}: {code} of {proposal}");
            }
        }
    }
    assert!(proposed > 0, "no case has a proposal");
    println!("{proposed} proposals replayed");
}

/// The command that the report of a failed job names explains the same decision.
#[test]
fn a_job_that_failed_has_the_command_that_explains_it() {
    let mut explained = 0;
    for seed in 0..4 {
        let mut numbers = Numbers(seed);
        let sandbox = Sandbox::new();
        sandbox.file("p.yaml", policy(&mut numbers).to_string());
        sandbox.file("h.jsonl", history(&mut numbers));
        let limit = 1 + seed;
        let scheduler =
            format!("scheduling: {{retryPolicy: {{enabled: true, globalMaxRetries: {limit}}}}}");
        sandbox.file("s.yaml", scheduler);
        let flags = "-f p.yaml --history h.jsonl --scheduler-config s.yaml";
        for job in 0..12 {
            let line = format!("simulate {flags} --job j{job} -o json");
            let report = sandbox.run(&line).exits(0).json();
            let job = &report["jobs"][0];
            let Some(command) = job["explain"].as_str() else {
                assert_ne!(job["outcome"], "Failed", "{job}");
                continue;
            };
            explained += 1;
            let arguments = command.strip_prefix("armadactl ").unwrap();
            let mut shell = std::process::Command::new("sh");
            let words =
                shell.args(["-c", &format!("printf '%s\\n' {arguments}")]).output().unwrap();
            let words = String::from_utf8(words.stdout).unwrap();
            let run = sandbox.run_with("", |run| _ = run.args(words.lines()).args(["-o", "json"]));
            let (own, last) =
                (&run.exits(0).json()["decision"], job["decisions"].as_array().unwrap());
            for field in
                ["decision", "action", "policy", "ruleIndex", "count", "limit", "containers"]
            {
                assert_eq!(own[field], last.last().unwrap()[field], "{field}: {command}\n{job}");
            }
        }
    }
    assert!(explained > 10, "{explained}");
}

/// Under the default Fail an explicit Fail would change nothing else, and `lint` says so: the rule is removed.
#[test]
fn a_rule_that_only_wastes_is_removed() {
    let sandbox = Sandbox::new();
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  \
                  defaultAction: Fail\n  rules: [{action: Retry, retryLimit: 1, onExitCodes: {operator: In, values: [1]}}]\n";
    sandbox.file("p.yaml", policy);
    let run = |job: usize, hour: usize| {
        let (start, end) =
            (format!("2026-10-01T{hour:02}:00:00Z"), format!("2026-10-01T{hour:02}:30:00Z"));
        json!({"jobId": format!("j{job}"), "queue": "q", "startedAt": start, "finishedAt": end,
               "outcome": "Failed", "containers": [{"name": "main", "exitCode": 1}]})
    };
    let runs = (0..12).flat_map(|job| [run(job, 1), run(job, 2)]);
    let lines: Vec<String> = runs.map(|run| run.to_string()).collect();
    sandbox.file("h.jsonl", lines.join("\n"));
    let shown = sandbox.run("simulate -f p.yaml --history h.jsonl").exits(0).stdout;
    assert!(
        shown.contains("\nProposal: remove p[0]\n  replayed: as many jobs succeed; 6"),
        "{shown}"
    );
}

/// The knee that the headline of a sweep names is a piece of advice.
#[test]
fn the_knee_of_a_sweep_is_advice() {
    let sandbox = Sandbox::new();
    let mut numbers = Numbers(0);
    sandbox.file("h.jsonl", history(&mut numbers));
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec: {defaultAction: Retry, rules: []}\n";
    sandbox.file("p.yaml", policy);
    let line = "simulate -f p.yaml --history h.jsonl --sweep p.retryLimit=0..6";
    let report = sandbox.run(&format!("{line} -o json")).exits(0).json();
    let advice = report["answer"]["advice"].as_array().unwrap();
    let knee = advice.iter().find(|it| it["advice"] == "knee").expect("a knee");
    let headline = format!("{} {} recovers ", knee["path"].as_str().unwrap(), knee["value"]);
    let shown = sandbox.run(line).exits(0).stdout;
    assert!(shown.starts_with(&headline), "{headline}\n{shown}");
}

#[test]
fn nothing_is_proposed_without_a_second_pass() {
    let sandbox = Sandbox::new();
    let mut numbers = Numbers(0);
    let text = history(&mut numbers);
    sandbox.file("h.jsonl", &text);
    let policy = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec: {rules: []}\n";
    sandbox.file("p.yaml", policy);
    let shown = sandbox.run("simulate -f p.yaml --history h.jsonl").exits(0);
    assert!(shown.stdout.contains("\nProposal: "), "{shown}");
    for threads in ["1", "2", "8"] {
        let line = format!("simulate -f p.yaml --history h.jsonl --threads {threads}");
        assert_eq!(sandbox.run(&line).exits(0).stdout, shown.stdout);
    }
    let line = "simulate -f p.yaml --history h.jsonl --advice none";
    let without = sandbox.run(line).exits(0);
    assert!(!without.stdout.contains("Proposal"), "{without}");
    let stdin = sandbox.run_on("simulate -f p.yaml --history -", text).exits(0);
    let note = "no change of a policy is proposed: the histories cannot be read a second time";
    assert!(stdin.stdout.contains(note), "{stdin}");
    let variant = "simulate -f p.yaml --history h.jsonl --variant other=p.yaml";
    assert!(!sandbox.run(variant).exits(0).stdout.contains("Proposal"));
}

/// Runs of jobs that fail first and are run again: `retried` gives the exit code of each job and whether its retry
/// succeeded.
fn retried(jobs: impl Iterator<Item = (u32, bool)>) -> String {
    let mut text = String::new();
    for (job, (code, has_succeeded)) in jobs.enumerate() {
        let failed =
            format!(r#""outcome":"Failed","containers":[{{"name":"main","exitCode":{code}}}]"#);
        let second =
            if has_succeeded { r#""outcome":"Succeeded""#.to_owned() } else { failed.clone() };
        for (run, hour, outcome) in [(0, 1, failed), (1, 2, second)] {
            let _ = writeln!(
                text,
                r#"{{"jobId":"j{job}","queue":"q","runIndex":{run},"startedAt":"2026-10-01T0{hour}:00:00Z","finishedAt":"2026-10-01T0{hour}:30:00Z",{outcome}}}"#,
            );
        }
    }
    text
}

/// The values of the proposals.
fn proposed(history: &str, spec: &str) -> Vec<String> {
    let sandbox = Sandbox::new();
    let head = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec: ";
    sandbox.file("h.jsonl", history).file("p.yaml", format!("{head}{spec}\n"));
    let report = sandbox.run("simulate -f p.yaml --history h.jsonl -o json").exits(0).json();
    let advice = report["answer"]["advice"].as_array().unwrap().iter();
    let proposals = advice.filter(|advice| advice["advice"] == "proposal");
    proposals.map(|proposal| proposal["value"].as_str().unwrap().to_owned()).collect()
}

/// A kind of failure whose retries all succeed is proposed although no other retries are worse, and one whose retries
/// succeed half of the time is not proposed to fail if no others can be compared with it.
#[test]
fn kinds_that_are_alone_are_judged_by_their_own_retries() {
    let good = retried((0..40).map(|job| (1 + job % 2, true)));
    let retry = "{action: Retry, onExitCodes: {operator: In, values: [1, 2]}}";
    assert_eq!(proposed(&good, "{rules: []}"), [retry]);
    let rules = "{rules: [{action: Retry, onExitCodes: {operator: In, values: [1]}}]}";
    let half = retried((0..24).map(|job| (1, job % 2 == 0)));
    assert_eq!(proposed(&half, rules), [""; 0]);
    let bad = retried((0..24).map(|_| (1, false)));
    let fail = "{action: Fail, onExitCodes: {operator: In, values: [1]}}";
    let by_default = "{defaultAction: Retry, retryLimit: 3, rules: []}";
    assert_eq!(proposed(&bad, by_default), [fail]);
    assert_eq!(proposed(&half, by_default), [""; 0]);
}
