//! `docs/guides/ci.md`: its commands run one after the other, in the example's directory and with a server.

use super::consoles::check_page;
use super::get::on;
use super::http::Serving;
use super::sandbox::Sandbox;

/// The workflow of the page is that of the example.
#[test]
fn the_workflow_is_the_example() {
    let read =
        |name: &str| std::fs::read_to_string(super::sandbox::root().join(name)).expect("a file");
    let workflow = read("examples/ci/.github/workflows/policies.yaml");
    assert!(read("docs/guides/ci.md").contains(&format!("```yaml\n{workflow}```\n")));
}

#[test]
fn the_page_shows_what_is_printed() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["draft/training.yaml"]);
    for name in ["policies/infra.yaml", "policies/training.yaml", "queues.yaml", "scheduler.yaml"] {
        let path = super::sandbox::root().join("examples/ci").join(name);
        sandbox.file(name, std::fs::read(path).expect("an example"));
    }
    let server = Serving::start(&sandbox, "");
    check_page("docs/guides/ci.md", 10, |command| match command.split_once(' ') {
        // The settings are written after the first draft was linted.
        Some(("cat", file)) => {
            let folder = if file.starts_with("draft/") { "examples" } else { "examples/ci" };
            let path = super::sandbox::root().join(folder).join(file);
            let text = std::fs::read_to_string(path).expect("a file");
            sandbox.file(file, &text);
            text
        }
        Some(("armadactl", line)) => on(&sandbox, &server, line).stdout,
        _ => panic!("{command}"),
    });
}
