//! The `config` commands, and how a config file, flags and the environment come together.
//!
//! Holds cli.md Commands, Global flags.

use super::sandbox::{Run, Sandbox, snapshot};

const FILE: &str = "\
# Ours.
currentContext: Prod # for now
contexts:
  prod:
    armadaUrl: armada.example.com:443
    armadaRestUrl: https://armada.example.com/api
    basicAuth: {username: me, password: hush}  # rotate
  dev:
    armadaUrl: localhost:50051
    execAuth: {cmd: token, args: [--secret=hush, 'curl -H hush'], env: [{name: A, value: hush}]}
  bare: {}
ours: {kept: 1.0}
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file(".armadactl.yaml", FILE);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = sandbox.path().join(".armadactl.yaml");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    sandbox
}

fn text(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.path().join(".armadactl.yaml")).unwrap()
}

fn run(line: &str) -> Run {
    sandbox().run(line)
}

#[test]
fn contexts_are_listed() {
    snapshot!("config_contexts", run("config get-contexts").exits(0));
    snapshot!("config_contexts_json", run("config get-contexts -o json").exits(0));
    assert_eq!(run("config get-contexts -o name").exits(0).stdout, "prod\ndev\nbare\n");
    let flagged = run("config get-contexts -c DEV --no-headers").exits(0);
    assert!(flagged.stdout.lines().nth(1).unwrap().starts_with("*  dev"), "{flagged}");
    assert_eq!(run("config get-contexts -c nosuch -o name").exits(0).stdout, "prod\ndev\nbare\n");
}

#[test]
fn the_context_in_use_is_flag_then_environment_then_file() {
    let with = |line: &str, variables: &[(&str, &str)]| {
        let run = sandbox().run_with(line, |command| _ = command.envs(variables.iter().copied()));
        run.exits(0).stdout
    };
    let line = "config current-context";
    assert_eq!(with(line, &[]), "prod\n");
    assert_eq!(with(line, &[("CURRENTCONTEXT", "dev")]), "dev\n");
    let both = [("CURRENTCONTEXT", "dev"), ("ARMADACTL_CONTEXT", "bare")];
    assert_eq!(with(line, &both), "bare\n");
    assert_eq!(with("config current-context -c PROD", &both), "prod\n");
    assert_eq!(with(line, &[("CURRENTCONTEXT", "")]), "prod\n");
    assert!(with("config current-context -o json", &[]).contains("\"CurrentContext\""));
    snapshot!(
        "config_unknown_context",
        run("config current-context -c pord --config .armadactl.yaml").exits(3)
    );
}

#[test]
fn nothing_secret_is_shown() {
    for output in ["", "-o json", "-o yaml"] {
        let shown = run(&format!("config view {output}")).exits(0);
        assert!(!shown.stdout.contains("hush"), "{shown}");
    }
    snapshot!("config_view", run("config view").exits(0));
    let json = run("config view -o json").exits(0).json();
    assert_eq!(json["kind"], "ConfigView");
    assert_eq!(json["config"]["contexts"]["prod"]["basicAuth"]["password"], "REDACTED");
}

#[test]
fn an_address_is_shown_without_its_secrets() {
    let sandbox = sandbox();
    let address = "https://me:hush@armada.example.com:1/api?access_token=hush";
    let file = format!("currentContext: a\ncontexts: {{a: {{armadaRestUrl: '{address}'}}}}\n");
    sandbox.file("addresses.yaml", file);
    let shown = "https://REDACTED@armada.example.com:1/api?REDACTED";
    for (line, code) in [("config view", 0), ("config get-contexts", 0), ("version --server", 2)] {
        let run = sandbox.run(&format!("{line} --config addresses.yaml")).exits(code);
        assert!(run.to_string().contains(shown) && !run.to_string().contains("hush"), "{run}");
    }
}

#[test]
fn another_context_changes_one_value() {
    let sandbox = sandbox();
    let run = sandbox.run("config use-context DEV").exits(0);
    assert_eq!(run.stdout, "switched to context `dev`\n");
    assert_eq!(text(&sandbox), FILE.replace("Prod #", "dev #"));
    assert_eq!(sandbox.run("config current-context").exits(0).stdout, "dev\n");
    let note = sandbox.run("config use-context prod -c bare").exits(0);
    assert!(note.stderr.contains("still selects `bare`"), "{note}");
    let before = text(&sandbox);
    let unknown = sandbox.run("config use-context prd --config .armadactl.yaml");
    snapshot!("config_use_unknown", unknown.exits(3));
    assert_eq!(text(&sandbox), before);
}

#[cfg(unix)]
#[test]
fn others_that_can_read_a_password_are_warned_about() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    let path = sandbox.path().join(".armadactl.yaml");
    assert_eq!(sandbox.run("config view").exits(0).stderr, "");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    for line in ["config view", "config use-context dev"] {
        let run = sandbox.run(line).exits(0);
        assert!(run.stderr.starts_with("warning: others can read"), "{run}");
    }
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn a_file_that_is_not_there() {
    let nowhere = Sandbox::new();
    snapshot!("config_none", nowhere.run("config current-context").exits(3));
    let given = nowhere.run("config view --config missing.yaml").exits(3);
    assert!(given.stderr.contains("cannot read the config file `missing.yaml`"), "{given}");
    nowhere.file("other.yaml", "contexts: {x: {}}");
    let none = nowhere.run("config current-context --config other.yaml").exits(3);
    assert!(none.stderr.contains("no context is selected in `other.yaml`"), "{none}");
}

#[test]
fn an_address_that_is_no_rest_address() {
    snapshot!("config_grpc_address", run("version --server -c dev").exits(2));
    let bare = run("version --server -c bare").exits(2);
    assert!(bare.stderr.contains("the context `bare` has no address"), "{bare}");
    let unknown = run("version --server -c nosuch").exits(3);
    assert!(unknown.stderr.contains("there is no context `nosuch`"), "{unknown}");
}

#[test]
fn what_is_printed_as_json_fits_its_schema() {
    use super::quirks::{Fake, answer};
    let fake = Fake::new(vec![answer(200, &[], super::client::END)]);
    let version = format!("version --server --armada-rest-url {}", fake.url());
    for (line, schema) in [
        ("config get-contexts", "context-list.json"),
        ("config current-context", "current-context.json"),
        ("config use-context dev", "current-context.json"),
        ("config view", "config-view.json"),
        (version.as_str(), "version.json"),
        ("version", "version.json"),
    ] {
        let printed = run(&format!("{line} -o json")).exits(0).json();
        let mut all = armadactl::internals::report::schemas::all().into_iter();
        let (_, schema) = all.find(|(name, _)| *name == schema).expect("a schema of this name");
        assert!(jsonschema::is_valid(&schema, &printed), "{line}: {printed:#}");
    }
}

/// What a killed `use-context` leaves, which may hold a password, is gone after the next one. A file
/// that is in the way is not written through, wherever it leads.
#[cfg(unix)]
#[test]
fn no_copy_of_the_file_stays() {
    let sandbox = Sandbox::new();
    let text =
        "currentContext: a\ncontexts:\n  a: {basicAuth: {username: me, password: hush}}\n  b: {}\n";
    sandbox.file(".armadactl.yaml", text);
    let left = sandbox.path().join(".armadactl.yaml.armadactl-tmp");
    let files = || {
        let entries = std::fs::read_dir(sandbox.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    std::fs::write(&left, text).unwrap();
    sandbox.run("config use-context b").exits(0);
    assert_eq!(files(), [".armadactl.yaml"]);
    sandbox.file("victim", "");
    for target in ["victim", "nowhere"] {
        std::os::unix::fs::symlink(sandbox.path().join(target), &left).unwrap();
        sandbox.run("config use-context a").exits(0);
        assert!(!left.exists() && !left.is_symlink());
    }
    assert_eq!(std::fs::read_to_string(sandbox.path().join("victim")).unwrap(), "");
    assert!(!sandbox.path().join("nowhere").exists());
    // A process that writes holds a lock: the other waits for a while, and gives up.
    let held = std::fs::File::create(&left).unwrap();
    held.lock().unwrap();
    let run = sandbox.run("config use-context b").exits(3);
    assert!(run.stderr.contains("other programs keep changing it"), "{run}");
    drop(held);
    sandbox.run("config use-context b").exits(0);
}

/// The lines of so many contexts: c0, c1..
fn contexts(count: u32) -> String {
    let lines: Vec<String> =
        (0..count).map(|n| format!("  c{n}: {{armadaRestUrl: 'http://h'}}\n")).collect();
    lines.concat()
}

/// A signal at any moment leaves one file, which is as it was or as it should be.
#[cfg(unix)]
#[test]
fn a_signal_leaves_one_whole_file() {
    let sandbox = Sandbox::new();
    let contexts = contexts(300);
    sandbox.file(".armadactl.yaml", format!("currentContext: c0\ncontexts:\n{contexts}"));
    for round in 0..60_u64 {
        let mut command = sandbox.command();
        let mut child =
            command.args(["config", "use-context", &format!("c{round}")]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(round * 500));
        let _ = std::process::Command::new("kill").arg(child.id().to_string()).output();
        child.wait().unwrap();
        assert_eq!(std::fs::read_dir(sandbox.path()).unwrap().count(), 1, "round {round}");
        let text = std::fs::read_to_string(sandbox.path().join(".armadactl.yaml")).unwrap();
        assert!(text.ends_with(&contexts), "round {round}");
    }
}

/// Writers at the same time do not mix: each of them is done or refused, and the file is whole.
#[test]
fn contexts_that_are_chosen_at_the_same_time_leave_a_whole_file() {
    let sandbox = Sandbox::new();
    let contexts = contexts(20);
    sandbox.file(".armadactl.yaml", format!("currentContext: c0\ncontexts:\n{contexts}"));
    let children: Vec<_> = (0..20)
        .map(|n| {
            sandbox.command().args(["config", "use-context", &format!("c{n}")]).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    let text = std::fs::read_to_string(sandbox.path().join(".armadactl.yaml")).unwrap();
    assert!(text.starts_with("currentContext: c") && text.ends_with(&contexts), "{text}");
    assert_eq!(std::fs::read_dir(sandbox.path()).unwrap().count(), 1);
}

/// As many contexts as a large organisation has are read, and one that is there twice is found.
#[test]
fn many_contexts_are_read() {
    let sandbox = Sandbox::new();
    let contexts = contexts(20_000);
    let text = format!("currentContext: c19999\ncontexts:\n{contexts}");
    sandbox.file(".armadactl.yaml", &text);
    assert_eq!(sandbox.run("config current-context").exits(0).stdout, "c19999\n");
    sandbox.file(".armadactl.yaml", format!("{text}  C0: {{}}\n"));
    let run = sandbox.run("config current-context").exits(3);
    assert!(run.stderr.contains("duplicate context `C0`"), "{run}");
}

#[test]
fn contexts_in_a_list_are_refused() {
    for (contexts, what) in [("[{name: a}]", "a list"), ("a", "the string `a`")] {
        let sandbox = Sandbox::new();
        sandbox.file(".armadactl.yaml", format!("currentContext: a\ncontexts: {contexts}\n"));
        for line in ["config get-contexts", "get queue", "config use-context a"] {
            let run = sandbox.run(line).exits(3);
            let words = format!("`contexts` is {what}; it must be a mapping by name");
            assert!(run.stderr.contains(&words), "{run}");
        }
    }
}

#[test]
fn a_given_file_that_names_no_server_is_refused() {
    let sandbox = Sandbox::new();
    let misspelt = "`context` is not read; did you mean `contexts`?";
    for (text, help) in [
        ("context: {prod: {armadaRestUrl: 'http://h:1'}}", misspelt),
        (
            "current-context: prod\ncontext: {prod: {armadaRestUrl: 'http://h:1'}}",
            "`current-context` is not read",
        ),
        ("", "write it as `{currentContext"),
        (
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nspec: {}",
            "write it as `{currentContext",
        ),
    ] {
        sandbox.file("cfg.yaml", text).file("p.yaml", "queue: q");
        for line in ["version --server", "create queue q"] {
            let run = sandbox.run(&format!("{line} --config cfg.yaml")).exits(3);
            let message = "the config file `cfg.yaml` has neither `contexts` nor an address";
            assert!(run.stderr.contains(message) && run.stderr.contains(help), "{run}");
        }
    }
    sandbox.file(".armadactl.yaml", "context: {prod: {armadaRestUrl: 'http://h:1'}}");
    let run = sandbox.run("version --server").exits(3);
    assert!(run.stderr.contains(misspelt), "{run}");
}
