//! Command lines that are refused, and what they suggest; the words for a kind of resource; the form
//! that the environment names.
//!
//! Holds cli.md Commands.

use super::get::{on, serving};
use super::sandbox::{Run, Sandbox};

fn run(line: &str) -> Run {
    Sandbox::new().run(line)
}

#[test]
fn a_tip_names_what_is_a_few_letters_away() {
    for (line, tip) in [
        ("simulte -f x", "subcommand exists: 'simulate'"),
        ("create retrypolcy -f x", "subcommand exists: 'retrypolicy'"),
        ("simulate --histroy h", "argument exists: '--history'"),
        ("get rp --no-header", "argument exists: '--no-headers'"),
        ("--exit-code simulate -f x", "write `--exit-code` after `simulate`"),
        ("simulate -f p --history h --assume fial", "value exists: 'fail'"),
        ("simulate --file x", "write `-f FILE` or `--filename FILE`"),
        ("simulate --policies p --history h", "write `-f FILE` or `--filename FILE`"),
        ("create queue q --policy a", "write `--retry-policy POLICY,..`"),
        ("lint x --record h", "write `--against HISTORY`"),
        ("get rp --output-format json", "write `-o FORMAT` or `--output FORMAT`"),
        ("get rp -n team", "in no namespace"),
        ("get rp --json", "write `-o json`"),
        ("simulate p.yaml --history h", "write `-f p.yaml`"),
        ("simulate p.yaml -f q.yaml", "write `--history p.yaml`"),
        ("simulate p.yaml", "write `-f p.yaml` for policies, `--history p.yaml` for a history"),
        ("simulate -f p.yaml h.jsonl", "write `--history h.jsonl`"),
        ("explain decision p.yaml --failure exitCode=1", "write `-f p.yaml`"),
        ("create p.yaml", "for a file write `-f p.yaml`"),
        ("update ./p", "for a file write `-f ./p`"),
        ("delete p.json", "for a file write `-f p.json`"),
        ("convert p.yaml", "`--to` is one of v1, v1beta1, job"),
        ("fmt --write p.yaml", "leave it out: `fmt` writes unless"),
        ("serve --port 9000", "write `--listen HOST:PORT`"),
        (
            "simulate -f p --history h --queue-policies a b",
            "write several values with `,`: `--queue-policies a,b`",
        ),
        ("simulate -f p --history h --exit-code 1", "`--exit-code` takes no value"),
        ("create rp infra", "policies are read from files: write `-f FILE`"),
        ("edit infra", "write the kind first: `edit retrypolicy infra`"),
        ("delete infra", "`delete retrypolicy infra` or `delete queue infra`"),
        ("init", "`armadactl explain retrypolicy --recursive`"),
        ("plan p.yaml", "`diff FILE`"),
        ("describe rp a", "`get retrypolicy`"),
        ("explain decision --fil p", "argument exists: '--filename'"),
        ("lint --fil p", "argument exists: '--filename'"),
        ("valid p", "subcommand exists: 'validate'"),
        ("explain desicion -f p", "did you mean `armadactl explain decision`?"),
        ("create queue -f q.yaml", "write `armadactl create -f FILE`, without `queue`"),
        ("update queue q --filename q.yaml", "write `armadactl update --filename FILE`, without"),
    ] {
        let refused = run(line).exits(2);
        assert!(refused.stderr.contains(tip), "{refused}");
    }
    for line in [
        "delete --all",
        "delete rp --all",
        "get rp --nme",
        "drop x",
        "validate --strict -f x",
        "completion tcsh",
    ] {
        let refused = run(line).exits(2);
        assert!(!refused.stderr.contains("tip:"), "{refused}");
        assert!(!refused.stderr.contains("--allow-insecure-auth"), "{refused}");
    }
}

#[test]
fn files_may_be_arguments_of_every_command_whose_arguments_are_no_names() {
    let sandbox = Sandbox::new();
    let policy = |name: &str| {
        format!(
            "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: {name}\nretryLimit: 1\n\
             defaultAction: Fail\nrules:\n- action: Retry\n  onCategory: a\n"
        )
    };
    sandbox.file("a.yaml", policy("a"));
    sandbox.file("more/b.yaml", policy("b"));
    let server = serving(&sandbox);
    let same = |command: &str, rest: &str| {
        let by_flag = on(&sandbox, &server, &format!("{command} -f a.yaml -f more {rest}"));
        for files in ["a.yaml more", "a.yaml -f more", "-f a.yaml more", "-- a.yaml more"] {
            let line = match files.strip_prefix("-- ") {
                Some(files) => format!("{command} {rest} -- {files}"),
                None => format!("{command} {files} {rest}"),
            };
            let run = on(&sandbox, &server, &line);
            assert_eq!((run.code, &run.stdout), (by_flag.code, &by_flag.stdout), "{line}: {run}");
        }
    };
    same("validate", "");
    same("lint", "");
    same("fmt", "--check");
    same("convert", "--to v1");
    same("diff", "");
    same("apply", "--dry-run server");
    same("test", "");
    same("test", "--init");
    let stdin = sandbox.run_on("validate -", policy("c")).exits(0);
    assert!(stdin.stdout.contains("1 document in 1 file"), "{stdin}");
}

#[test]
fn a_file_in_place_of_a_name_is_named_before_any_request() {
    for line in [
        "get p.yaml",
        "get rp p.yaml",
        "delete rp p.yaml",
        "attach rp p.yaml --queue q",
        "detach rp p.yaml --queue q",
        "edit rp p.yaml",
    ] {
        let refused = run(&format!("{line} --armada-rest-url http://127.0.0.1:1")).exits(2);
        assert!(refused.stderr.contains("file") && refused.stderr.contains("help:"), "{refused}");
    }
}

#[test]
fn values_that_are_refused_have_a_way_out() {
    for (line, told) in [
        ("simulate -f p --history h --threads 0", "write a whole number from 1 to "),
        ("simulate -f p --history h --threads many", "write a whole number from 1 to "),
        ("help exitcodes", "did you mean `exit-codes`?"),
        ("help nosuch", ", version, help; topics: exit-codes, global\n"),
        ("help config nosuch", "use-context, view\n"),
        ("man globl", "did you mean `global`?"),
        ("update queue q", "such as `--priority-factor 2`"),
        ("simulate -f p --history h --variant none=no-retries", "write `--variant no-retries`"),
        ("explain job x", "`armadactl explain job.x`"),
        ("explain RP101 RP102", "`armadactl explain RP101`"),
        ("test x --coverage-threshold 0.8", "`80` for 0.8"),
        ("explain decision -f p --failure 137", "such as `exitCode=137`"),
        ("get rp a,b", "write several names with blanks: `a b`"),
        ("attach infra --queue q", "write `armadactl attach retrypolicy infra`"),
        ("cordon q", "write `armadactl cordon queue q`"),
    ] {
        let refused = run(line).exits(2);
        assert!(refused.stderr.contains(told), "{refused}");
    }
}

/// Flags of whole numbers, each after a line that takes it, with the least and the greatest number.
const NUMBERS: [(&str, &str, u64, u64); 8] = [
    ("explain decision -f p", "--retries-used", 0, u32::MAX as u64),
    ("explain decision -f p", "--rule-retries", 0, u32::MAX as u64),
    ("explain decision -f p", "--seed", 0, u64::MAX),
    ("simulate -f p --history h", "--seed", 0, u64::MAX),
    ("simulate -f p --history h", "--threads", 1, usize::MAX as u64),
    ("simulate -f p --history h --variant a=q", "--samples", 0, u8::MAX as u64),
    ("simulate --cluster c --workload w", "--seeds", 1, 10_000),
    ("serve", "--max-connections", 1, u16::MAX as u64),
];

#[test]
fn numbers_that_do_not_fit_get_the_range() {
    for (line, flag, min, max) in NUMBERS {
        let above = (u128::from(max) + 1).to_string();
        for value in ["x", "-1", "1.5", "99999999999999999999", &above] {
            let refused = run(&format!("{line} {flag} {value}")).exits(2);
            let told = format!("'{flag} <N>': write a whole number from {min} to {max}\n");
            assert!(refused.stderr.contains(&told), "{refused}");
        }
    }
    for line in ["test t --coverage-threshold -5", "create queue q --priority-factor -5"] {
        assert!(run(line).exits(2).stderr.contains(": write a number "));
    }
}

#[test]
fn every_flag_of_a_number_is_among_them() {
    let simulate = run("simulate --help").exits(0).stdout;
    let explain = run("explain decision --help").exits(0).stdout;
    let serve = run("serve --help").exits(0).stdout;
    let count = |help: &str| help.matches(" <N>").count();
    assert_eq!(count(&simulate) + count(&explain) + count(&serve), NUMBERS.len());
}

#[test]
fn addresses_and_short_ids_have_a_way_out() {
    for (line, told) in [
        ("validate https://h/p.yaml", "`curl -sSfL https://h/p.yaml |`"),
        ("explain RP16", "did you mean `RP016`?"),
        ("explain RP999", "ids are RP001 to "),
        ("explain desicion", "did you mean `armadactl explain decision`?"),
        ("explain disruption", "did you mean `armadactl explain disruptions`?"),
        ("explain onexitcodes", "did you mean `retrypolicy.rules.onExitCodes`?"),
        ("explain retryLimit", "`retrypolicy.retryLimit`, `retrypolicy.rules.retryLimit`?"),
        ("explain exitcodes", "did you mean `armadactl help exit-codes`?"),
        ("explain zzz", "or one of budget, category, decision, disruptions, releases, round"),
        ("config view", "contexts: {main: {armadaRestUrl: "),
    ] {
        let refused = run(line).exits(3);
        assert!((refused.stdout.clone() + &refused.stderr).contains(told), "{refused}");
    }
    let indexed = run("explain retrypolicy.rules[0].action").exits(0).stdout;
    assert_eq!(indexed, run("explain retrypolicy/rules/action").exits(0).stdout);
}

#[test]
fn a_failure_without_properties_is_noted() {
    let sandbox = Sandbox::with_examples();
    let run =
        |flags: &str| sandbox.run(&format!("explain decision -f policies/infra.yaml {flags}"));
    let noted = run("").exits(0);
    assert!(noted.stdout.starts_with("warning: no --failure is given"), "{noted}");
    assert_eq!(noted.stderr, "");
    let not_noted = run("--failure exitCode=1").exits(0);
    assert!(!not_noted.stdout.contains("no --failure"), "{not_noted}");
}

#[test]
fn help_before_a_file_is_no_history() {
    let refused = run("simulate -f p.yaml -h h.jsonl").exits(2);
    assert!(refused.stderr.contains("write `--history h.jsonl`"), "{refused}");
    let refused = run("lint p.yaml -h h.jsonl -o json").exits(2);
    assert_eq!(refused.json()["help"], "write `--against h.jsonl`");
    for line in ["simulate -h", "simulate -f p -h --live", "validate -h x", "-h simulate x"] {
        run(line).exits(0);
    }
}

#[test]
fn refused_lines_have_the_form_of_other_errors() {
    let json = run("--error-format json simulate --histroy x").exits(2);
    let value: serde_json::Value = serde_json::from_str(&json.stderr).unwrap();
    assert_eq!(value["message"], "unexpected argument '--histroy' found");
    assert_eq!(value["help"], "a similar argument exists: '--history'");
    let short = run("simulate --histroy x --error-format=short").exits(2);
    assert!(short.stderr.starts_with("error: unexpected argument"), "{short}");
    assert_eq!(short.stderr.lines().count(), 1);
    let hostile = Sandbox::new()
        .run_with("version", |command| _ = command.env("ARMADACTL_COLOR", "\u{1b}[2J\u{202e}"))
        .exits(2);
    assert!(hostile.stderr.contains("invalid value '\\u{1b}[2J\\u{202e}'"), "{hostile}");
    let hostile = Sandbox::new()
        .run_with("version", |command| _ = command.arg("--n\u{9b}2J\u{2066}"))
        .exits(2);
    assert!(hostile.stderr.contains("'--n\\u{9b}2J\\u{2066}' found"), "{hostile}");
}

#[test]
fn every_word_for_a_kind_works_with_every_command() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    sandbox.file(
        "p.yaml",
        "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: new\nretryLimit: 1\ndefaultAction: Fail\nrules: [{action: Retry, onCategory: a}]\n",
    );
    let on = |line: &str| on(&sandbox, &server, line).exits(0);
    for word in ["retrypolicy", "retry-policy", "retrypolicies", "retry-policies", "rp"] {
        on(&format!("create {word} -f p.yaml --dry-run client"));
        on(&format!("get {word} infra"));
        on(&format!("attach {word} infra --queue test --dry-run server"));
        on(&format!("detach {word} infra --queue ml --dry-run server"));
        on(&format!("delete {word} infra --detach --dry-run server"));
        on(&format!("create {word} -f p.yaml"));
        on(&format!("update {word} -f p.yaml"));
        on(&format!("delete {word} new"));
        let edit = sandbox.run(&format!("edit {word} infra --armada-rest-url http://127.0.0.1:1"));
        assert!(!edit.stderr.contains("kind of resource"), "{edit}");
    }
    for word in ["queue", "queues"] {
        on(&format!("create {word} new"));
        on(&format!("update {word} new --priority-factor 2"));
        on(&format!("get {word} new"));
        on(&format!("cordon {word} new"));
        on(&format!("delete {word} new"));
    }
}

#[test]
fn a_form_from_the_environment_is_a_wish_and_a_flag_is_an_order() {
    let sandbox = Sandbox::with_examples();
    let wishing = |form: &str, line: &str| {
        sandbox.run_with(line, |command| _ = command.env("ARMADACTL_OUTPUT", form))
    };
    let table = sandbox.run("explain queue").exits(0).stdout;
    assert_eq!(wishing("wide", "explain queue").exits(0).stdout, table);
    let version = sandbox.run("version").exits(0).stdout;
    assert_eq!(wishing("wide", "version").exits(0).stdout, version);
    let script = sandbox.run("completion bash").exits(0).stdout;
    assert_eq!(wishing("yaml", "completion bash").exits(0).stdout, script);
    let policy = "convert -f policies/infra.yaml --to v1";
    let yaml = sandbox.run(policy).exits(0).stdout;
    assert_eq!(wishing("table", policy).exits(0).stdout, yaml);
    assert_eq!(wishing("json", "version").exits(0).json()["kind"], "Version");
    // Both set: the flag counts, and an impossible one is refused.
    for line in
        ["version -o wide", "explain queue -o wide", "-o json completion bash", "man -oyaml"]
    {
        let refused = wishing("table", line).exits(2);
        assert!(refused.stderr.contains("cannot print"), "{refused}");
    }
    // A word that is no form of any command is a mistake, wherever it comes from.
    wishing("html", "version").exits(2);
}
