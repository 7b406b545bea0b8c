//! No byte of any output steers a terminal, whatever a file, a server or a command line holds, and what
//! is printed as JSON or YAML means what it meant.
//!
//! Holds cli.md Output.

use super::quirks::{Fake, answer};
use super::sandbox::{Run, Sandbox};
use serde_json::{Value, json};

/// A character of each set, and the ends of ranges, as JSON and YAML write them between quotes.
const HOSTILE: &str = r"\u001b]2J\u0000\u0007\u001f\u007f\u0080\u0085\u009b\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069";

fn hostile() -> String {
    serde_json::from_str(&format!("\"{HOSTILE}\"")).unwrap()
}

#[track_caller]
fn is_harmless(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let found = text.chars().find(|c| {
            (c.is_control() && *c != '\n')
                || "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}".contains(*c)
                || ('\u{202a}'..='\u{202e}').contains(c)
                || ('\u{2066}'..='\u{2069}').contains(c)
        });
        assert!(found.is_none(), "{found:?} in {}: {text:?}", run.code);
    }
}

fn policy(name: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: {name}}}\nspec:\n  retryLimit: 1\n  defaultAction: Fail\n  \
         rules:\n  - action: Retry\n    containerName: main\n    onFailureCategory: [\"x{HOSTILE}\"]\n    onTerminationMessage: {{pattern: \"a{HOSTILE}\\\\d\"}}\n"
    )
}

#[test]
fn findings_in_every_form() {
    let sandbox = Sandbox::new();
    let text = policy("p").replace("retryLimit", &format!("\"retry{HOSTILE}Limit\""));
    sandbox.file("p.yaml", text.replace("action: Retry", &format!("action: \"{HOSTILE}\"")));
    for flags in [
        "",
        "-o json",
        "-o yaml",
        "--error-format short",
        "--error-format json",
        "--error-format github",
        "--color always",
    ] {
        let run = sandbox.run(&format!("validate -f p.yaml {flags}")).exits(3);
        assert!(run.stdout.contains("RP005"), "{run}");
        if flags == "--color always" {
            continue;
        }
        is_harmless(&run);
    }
    let lines = sandbox.run("validate -f p.yaml --error-format json").stdout;
    let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let messages: Vec<String> =
        lines.filter_map(|item| Some(item["message"].as_str()?.to_owned())).collect();
    assert!(messages.iter().any(|message| message.contains(&hostile())), "{messages:?}");
}

#[test]
fn converted_policies_keep_their_meaning() {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", policy("p"));
    let category = |value: &Value| value["spec"]["rules"][0]["onFailureCategory"][0].clone();
    for to in ["v1", "v1beta1", "job"] {
        for output in ["", "-o yaml", "-o json"] {
            for format in ["human", "short", "json", "github"] {
                // Neither `v1beta1` nor Jobs can match the policy's patterns.
                let line = format!(
                    "convert -f p.yaml --to {to} --accept-no-retries {output} --error-format {format}"
                );
                is_harmless(&sandbox.run(&line).exits(0));
            }
        }
    }
    let yaml = sandbox.run("convert -f p.yaml --to v1").exits(0).stdout;
    let json = sandbox.run("convert -f p.yaml --to v1 -o json").exits(0).json();
    assert_eq!(category(&json), format!("x{}", hostile()));
    assert_eq!(serde_yaml::from_str::<Value>(&yaml).unwrap(), json);
    let again = sandbox.run_on("convert -f - --to v1", &yaml).exits(0);
    assert_eq!(again.stdout, yaml);
    sandbox.run_on("validate -f -", &yaml).exits(0);
}

#[test]
fn reports_in_every_form() {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", policy("p"));
    let run = format!(
        r#"{{"jobId":"j{HOSTILE}","queue":"q{HOSTILE}","jobSet":"{HOSTILE}","outcome":"Failed","node":"n{HOSTILE}","cluster":"c{HOSTILE}","startedAt":"2026-10-01T10:00:00Z","finishedAt":"2026-10-01T11:00:00Z","category":"x{HOSTILE}","containers":[{{"name":"main","exitCode":1,"message":"m{HOSTILE}"}}]}}"#
    );
    sandbox.file("h.jsonl", format!("{run}\n"));
    for output in ["table", "wide", "json", "yaml"] {
        let line = "simulate -f p.yaml --history h.jsonl --queue-policies p --timelines all -o";
        is_harmless(&sandbox.run(&format!("{line} {output}")).exits(0));
        let run = sandbox.run_with(
            &format!("explain decision -f p.yaml --queue-policies p -o {output} --failure"),
            |command| _ = command.arg(format!("message={}", hostile().replace('\0', ""))),
        );
        is_harmless(&run.exits(0));
    }
    let line = "simulate -f p.yaml --history h.jsonl --queue-policies p --timelines all";
    let yaml = sandbox.run(&format!("{line} -o yaml")).exits(0).stdout;
    let json = sandbox.run(&format!("{line} -o json")).exits(0).json();
    assert_eq!(serde_yaml::from_str::<Value>(&yaml).unwrap(), json);
    assert_eq!(json["jobs"][0]["jobId"], format!("j{}", hostile()));
}

#[test]
fn words_of_a_server_in_every_form() {
    let sandbox = Sandbox::new();
    let body = json!({"code": 3, "message": format!("no{}", hostile())}).to_string();
    let refusing = Fake::new(vec![answer(400, &["Content-Type: application/json"], &body)]);
    let held = json!({"name": "p", "rules": [{"action": "Retry", "onCategory": hostile()}]});
    let holding = Fake::new(vec![answer(200, &[], &held.to_string())]);
    for format in ["human", "short", "json", "github"] {
        let url = refusing.url();
        let line = format!("get rp p --armada-rest-url {url} --error-format {format}");
        let run = sandbox.run(&line);
        assert!(run.code != 0 && run.stderr.contains(": no"), "{run}");
        is_harmless(&run);
        is_harmless(&sandbox.run(&format!("{line} -v -o json")));
    }
    for output in ["table", "wide", "json", "yaml", "name"] {
        let url = holding.url();
        is_harmless(&sandbox.run(&format!("get rp p --armada-rest-url {url} -o {output}")));
    }
}
