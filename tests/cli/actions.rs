//! The GitHub Action and the pre-commit hooks, in repositories of git.

use super::reports::{check_junit, check_sarif};
use super::sandbox::{Sandbox, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The commands of the Action and of the hooks that this version has. The others are declared only.
const COMMANDS: [&str; 2] = ["validate", "lint"];

const BAD: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: bad}\nspec:\n  \
                   retryLimits: 3\n  rules: [{action: Retry, onConditions: [Evicted]}]\n";

/// Whether a program is there; the tests need bash and git.
pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A repository of git with good policies, or `None` where bash or git are missing.
pub fn repository() -> Option<Sandbox> {
    if !has("bash") || !has("git") {
        return None;
    }
    let sandbox = Sandbox::with_examples();
    run(&mut in_repository(&sandbox, "git", &["init", "-q"]), 0);
    Some(sandbox)
}

/// A program in the repository, with the binary on PATH.
pub fn in_repository(sandbox: &Sandbox, program: &str, arguments: &[&str]) -> Command {
    let binary = PathBuf::from(sandbox.command().get_program());
    let mut path = binary.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = Command::new(program);
    command.args(arguments).env_clear().current_dir(sandbox.path()).env("PATH", path);
    command.env("HOME", sandbox.path()).env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "a")
            .env(format!("GIT_{role}_EMAIL"), "a@example.com");
    }
    command
}

#[track_caller]
pub fn run(command: &mut Command, code: i32) -> String {
    let Output { status, stdout, stderr } = command.output().expect("the program runs");
    let text = String::from_utf8_lossy(&stdout).into_owned();
    assert_eq!(status.code(), Some(code), "{text}\n{}", String::from_utf8_lossy(&stderr));
    text
}

fn yaml(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join(name)).expect("a file");
    serde_yaml::from_str(&text).expect("YAML")
}

/// Runs the Action's script; returns its stdout, its outputs and the summary.
#[track_caller]
pub fn action(sandbox: &Sandbox, inputs: &[(&str, &str)], code: i32) -> (String, String, String) {
    action_on(sandbox, inputs, &[], code)
}

/// Runs the Action's script with these variables of GitHub too.
#[track_caller]
pub fn action_on(
    sandbox: &Sandbox,
    inputs: &[(&str, &str)],
    github: &[(&str, &str)],
    code: i32,
) -> (String, String, String) {
    let script = root().join(".github/action/run");
    let mut command = in_repository(sandbox, "bash", &[script.to_str().unwrap()]);
    let file = |name: &str| sandbox.path().join(".git").join(name);
    for (variable, name) in [("GITHUB_OUTPUT", "output"), ("GITHUB_STEP_SUMMARY", "summary")] {
        let _ = std::fs::remove_file(file(name));
        command.env(variable, file(name));
    }
    command.env("RUNNER_TEMP", sandbox.path().join(".git"));
    for (name, value) in inputs {
        command.env(format!("INPUT_{name}"), value);
    }
    command.envs(github.iter().copied());
    let printed = run(&mut command, code);
    let read = |name: &str| std::fs::read_to_string(file(name)).unwrap_or_default();
    (printed, read("output"), read("summary"))
}

pub fn output(outputs: &str, name: &str) -> String {
    let found = outputs.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
    found.expect("an output").to_owned()
}

#[test]
fn the_action_annotates_and_reports() {
    let Some(sandbox) = repository() else { return };
    sandbox.file("policies/bad.yaml", BAD);
    for command in COMMANDS {
        let inputs = [("COMMANDS", command), ("FILES", "policies"), ("TESTS", "policies")];
        let (printed, outputs, summary) = action(&sandbox, &inputs, 3);
        let annotation =
            "::error file=policies/bad.yaml,line=5,col=3,endLine=5,endColumn=14,title=RP005::";
        assert!(printed.contains(annotation), "{printed}");
        assert_eq!(output(&outputs, "exit-code"), "3");
        let sarif = format!("{}/armadactl-{command}.sarif", output(&outputs, "sarif"));
        let log = check_sarif(&std::fs::read_to_string(sarif).expect("a report"));
        assert_eq!(log["runs"][0]["results"][0]["ruleId"], "RP005");
        let junit = format!("{}/armadactl-{command}.xml", output(&outputs, "junit"));
        let junit = check_junit(&std::fs::read_to_string(junit).expect("a report"));
        assert_eq!(junit.all("failure").len(), 1);
        let row = "| error | RP005 | policies/bad.yaml:5 | <code>spec</code> has no field <code>retryLimits</code><br>help: did you mean <code>retryLimit</code>? |";
        assert!(summary.contains(row), "{summary}");
        let heading = format!("<!-- armadactl:{command} -->\n### armadactl {command}: 1 error, ");
        assert!(summary.starts_with(&heading), "{summary}");
    }
}

#[test]
fn the_action_passes_a_good_repository() {
    let Some(sandbox) = repository() else { return };
    sandbox
        .file("drafts/bad.yaml", BAD)
        .file("deploy/map.yaml", "apiVersion: v1\nkind: ConfigMap\n");
    for command in COMMANDS {
        let inputs = [("COMMANDS", command), ("EXCLUDE", "  drafts/\r\n\n"), ("TESTS", "policies")];
        let (printed, outputs, summary) = action(&sandbox, &inputs, 0);
        assert!(!printed.contains("::error"), "{printed}");
        assert_eq!(output(&outputs, "exit-code"), "0");
        // The example retries OOM kills with the same memory.
        let infos = if command == "lint" { "1 info" } else { "0 infos" };
        let heading =
            format!("\n### armadactl {command}: 0 errors, 0 warnings, {infos} in 4 files\n");
        assert!(summary.contains(&heading), "{summary}");
    }
    let named = [("COMMANDS", "validate"), ("FILES", "policies/infra.yaml\ndeploy/map.yaml")];
    action(&sandbox, &named, 3);
    action(&sandbox, &[&named[..], &[("IGNORE_OTHER_KINDS", "true")]].concat(), 0);
}

/// Each line of an input is one name; the shell expands nothing, and commands of the workflow are no data.
#[test]
fn inputs_of_the_action_are_data() {
    let Some(sandbox) = repository() else { return };
    sandbox.file("a b.yaml", BAD).file("$(touch x).yaml", BAD.replace("bad", "b"));
    sandbox
        .file("*|<b>%0A.yaml", BAD.replace("bad", "c").replace("retryLimits", "\"%0A::error::x\""));
    let files = "a b.yaml\n$(touch x).yaml\n*|<b>%0A.yaml";
    let inputs = [("COMMANDS", "validate"), ("FILES", files), ("VALIDATE_FLAGS", "-q  -o\nname *")];
    // `validate` prints no names, so the flags reach it.
    let (_, _, summary) = action(&sandbox, &inputs, 2);
    let begin = "<!-- armadactl:validate -->\n### armadactl validate: failed with exit code 2\n\n```text\nerror: `validate` \
                 cannot print `name`\n";
    assert!(summary.starts_with(begin), "{summary}");
    let (printed, outputs, summary) = action(&sandbox, &inputs[..2], 3);
    assert!(!sandbox.path().join("x").exists());
    let annotations = printed.lines().filter(|line| line.starts_with("::error ")).count();
    assert_eq!(annotations, 3, "{printed}");
    assert_eq!(printed.lines().filter(|line| line.starts_with("::")).count(), 5, "{printed}");
    assert_eq!(output(&outputs, "exit-code"), "3");
    assert!(summary.contains("| error | RP005 | &#42;&#124;&#60;b&#62;&#37;<!-- -->0A.yaml:5 | <code>spec</code> has no field <code>&#37;<!-- -->0A::error::x</code>"), "{summary}");
    for (inputs, message) in [
        ([("COMMANDS", "validate rm"), ("FILES", ".")], "not rm"),
        ([("COMMANDS", "test"), ("FILES", ".")], "the command test needs the input tests"),
        ([("IGNORE_OTHER_KINDS", "yes"), ("FILES", ".")], "not yes"),
    ] {
        let (printed, ..) = action(&sandbox, &inputs, 2);
        assert!(printed.contains("::error::") && printed.contains(message), "{printed}");
    }
}

/// The inputs that action.yml declares are those that its steps pass on and its scripts read.
#[test]
fn the_action_declares_what_its_scripts_read() {
    let action = yaml("action.yml");
    let declared: BTreeSet<String> =
        action["inputs"].as_object().unwrap().keys().cloned().collect();
    let variable = |name: &str| format!("INPUT_{}", name.to_uppercase().replace('-', "_"));
    let steps = action["runs"]["steps"].as_array().unwrap();
    let mut passed = BTreeSet::new();
    for step in steps {
        let script = step["run"].as_str().unwrap().trim_matches('"');
        let script = script.strip_prefix("$GITHUB_ACTION_PATH/").expect("a script");
        let text = std::fs::read_to_string(root().join(script)).expect("the script");
        for (name, value) in step["env"].as_object().unwrap() {
            let value = value.as_str().unwrap();
            assert!(text.contains(&format!("${{{name}")), "{script} does not read {name}");
            let value = value.strip_prefix("${{ ").unwrap().strip_suffix(" }}").unwrap();
            match value.split_once('.').unwrap() {
                ("inputs", input) => {
                    assert_eq!(*name, variable(input));
                    passed.insert(input.to_owned());
                }
                (_, output) => {
                    let output = output.strip_prefix("run.outputs.").unwrap();
                    assert_eq!(*name, variable(output));
                    assert!(action["outputs"].get(output).is_some(), "{output}");
                }
            }
        }
        let variables = text.match_indices("${INPUT_").map(|(at, _)| {
            let rest = &text[at + 2..];
            rest.split(|c: char| !c.is_ascii_uppercase() && c != '_').next().unwrap().to_owned()
        });
        for variable in variables {
            assert!(step["env"].get(&variable).is_some(), "{script} reads {variable}");
        }
    }
    assert_eq!(passed, declared);
    for (name, output) in action["outputs"].as_object().unwrap() {
        assert_eq!(output["value"], format!("${{{{ steps.run.outputs.{name} }}}}"));
    }
}

#[test]
fn the_installed_version_is_used() {
    let Some(sandbox) = repository() else { return };
    let script = root().join(".github/action/install");
    let install = |version: &str| {
        let mut command = in_repository(&sandbox, "bash", &[script.to_str().unwrap()]);
        // Without this directory on PATH there is no cargo, which would install another version.
        command.env("INPUT_VERSION", version).env("RUNNER_TEMP", sandbox.path());
        command
    };
    let version = env!("CARGO_PKG_VERSION");
    for wanted in ["", version, &format!("v{version}")] {
        let printed = run(&mut install(wanted), 0);
        assert_eq!(printed, format!("armadactl {version} is installed\n"));
    }
    let log = sandbox.path().join("cargo.log");
    sandbox.file("bin/cargo", "#!/bin/sh\necho \"$@\" > \"$LOG\"\n");
    run(Command::new("chmod").arg("+x").arg(sandbox.path().join("bin/cargo")), 0);
    let mut other = install("9.8.7");
    let path = std::env::var("PATH").unwrap_or_default();
    other.env("PATH", format!("{}/bin:{path}", sandbox.path().display())).env("LOG", &log);
    other.env("GITHUB_PATH", sandbox.path().join("path"));
    run(&mut other, 0);
    let installed = std::fs::read_to_string(&log).expect("cargo ran");
    assert_eq!(
        installed,
        format!(
            "install --locked --root {0}/armadactl armadactl@9.8.7\n",
            sandbox.path().display()
        )
    );
    let added = std::fs::read_to_string(sandbox.path().join("path")).expect("a path");
    assert_eq!(added, format!("{}/armadactl/bin\n", sandbox.path().display()));
}

/// A commit with each hook, as pre-commit runs it: the entry and its arguments, then the files of the commit.
#[test]
fn hooks_refuse_a_commit_with_a_bad_policy() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hooks = hooks.as_array().unwrap();
    let ids: Vec<&str> = hooks.iter().map(|hook| hook["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["armadactl-validate", "armadactl-lint", "armadactl-fmt", "armadactl-test"]);
    for hook in hooks {
        let entry = hook["entry"].as_str().unwrap();
        let command = entry.split(' ').nth(1).unwrap();
        assert_eq!(hook["id"], format!("armadactl-{command}"));
        if !COMMANDS.contains(&command) {
            continue;
        }
        let Some(sandbox) = repository() else { return };
        let arguments: Vec<&str> = hook["args"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|argument| argument.as_str().unwrap())
            .collect();
        let files = if hook["pass_filenames"] == false { "" } else { "\"$@\"" };
        let script = format!(
            "#!/usr/bin/env bash\nset -f -- $(git diff --cached --name-only -- '*.yaml' '*.yml' '*.json')\n\
             [ $# = 0 ] || exec {entry} {} {files}\n",
            arguments.join(" "),
        );
        sandbox.file(".git/hooks/pre-commit", script);
        run(Command::new("chmod").arg("+x").arg(sandbox.path().join(".git/hooks/pre-commit")), 0);
        let git =
            |arguments: &[&str], code| run(&mut in_repository(&sandbox, "git", arguments), code);
        // Files of other kinds in one commit with policies.
        sandbox
            .file("deploy/web.yaml", "apiVersion: v1\nkind: Service\n")
            .file("values.yaml", "a: 1\n");
        git(&["add", "."], 0);
        git(&["commit", "-q", "-m", "good"], 0);
        sandbox.file("policies/bad.yaml", BAD);
        git(&["add", "."], 0);
        git(&["commit", "-q", "-m", "bad"], 1);
        sandbox.file("policies/bad.yaml", BAD.replace("retryLimits", "retryLimit"));
        git(&["add", "."], 0);
        git(&["commit", "-q", "-m", "mended"], 0);
        sandbox.file("values.yaml", "a: 2\n");
        git(&["commit", "-q", "-a", "-m", "no policy"], 0);
        let subjects = git(&["log", "--format=%s"], 0);
        assert_eq!(subjects, "no policy\nmended\ngood\n");
    }
}

#[test]
fn the_action_runs_all_commands() {
    let Some(sandbox) = repository() else { return };
    let text = "apiVersion: armadaproject.io/v1\nkind: RetryPolicyTest\nspec:\n  policies: [../policies/infra.yaml]\n  tests:\n  - name: evicted\n    failures: [{conditions: [Evicted]}]\n    expect: [{attempt: 1, action: ACTION, policy: infra, ruleIndex: 0}]\n";
    sandbox.file("tests/infra.yaml", text.replace("ACTION", "Retry"));
    let inputs = [
        ("COMMANDS", "lint fmt test"),
        ("FILES", "policies"),
        ("TESTS", "tests"),
        ("IGNORE_OTHER_KINDS", "true"),
    ];
    let (_, _, summary) = action(&sandbox, &inputs, 0);
    for heading in ["lint: 0 errors", "fmt: passed", "test: 1 passed, 0 failed in 1 file"] {
        assert!(summary.contains(&format!("### armadactl {heading}")), "{summary}");
    }
    sandbox.file("tests/infra.yaml", text.replace("ACTION", "Fail"));
    let (printed, outputs, summary) = action(&sandbox, &inputs, 1);
    assert!(
        printed.contains("::error file=tests/infra.yaml,line=6,title=evicted::line 8"),
        "{printed}"
    );
    assert!(summary.contains("### armadactl test: 0 passed, 1 failed"), "{summary}");
    let junit = format!("{}/armadactl-test.xml", output(&outputs, "junit"));
    let junit = check_junit(&std::fs::read_to_string(junit).expect("a report"));
    assert_eq!(junit.all("failure").len(), 1);
    let sarif = format!("{}/armadactl-test.sarif", output(&outputs, "sarif"));
    check_sarif(&std::fs::read_to_string(sarif).expect("a report"));
}
