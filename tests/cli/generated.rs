//! What is generated and checked in: completions, schemas, seeds of the fuzz targets.
//! `UPDATE_GENERATED=1 cargo test` writes it anew.

use armadactl::internals::commands::completion_script;
use armadactl::internals::report::schemas;
use clap_complete::Shell;
use document::diag::Code;
use std::path::Path;

#[path = "../../fuzz/bodies/heads.rs"]
mod heads;

fn held(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        std::fs::write(&path, text).expect("it can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} is stale: run UPDATE_GENERATED=1 cargo test", path.display());
}

#[test]
fn completions_are_those_of_the_command_line() {
    for (shell, file) in [
        (Shell::Bash, "armadactl.bash"),
        (Shell::Zsh, "_armadactl"),
        (Shell::Fish, "armadactl.fish"),
        (Shell::PowerShell, "armadactl.ps1"),
        (Shell::Elvish, "armadactl.elv"),
    ] {
        held(&format!("completions/{file}"), &completion_script(shell));
    }
}

#[test]
fn schemas_are_those_of_the_code() {
    for (file, schema) in schemas::all() {
        let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
        held(&format!("schemas/{file}"), &text);
    }
}

#[test]
fn seeds_of_the_policy_target_are_those_of_the_generator() {
    let seeds = heads::heads();
    assert!(seeds.iter().any(|(_, text)| text.contains("---\nkind: Job\nname: x\n---\n")));
    for (name, text) in seeds {
        held(&format!("fuzz/corpus/policy/{name}"), &text);
    }
}

#[test]
fn the_tables_of_findings_are_those_of_the_code() {
    let table = |is_about_documents: bool| {
        let codes = Code::ALL.iter().filter(|code| code.is_about_documents() == is_about_documents);
        let rows = codes.map(|code| format!("| [{0}]({0}.md) | {1} |\n", code.id(), code.title()));
        "| id | finding |\n|---|---|\n".to_owned() + &rows.collect::<String>()
    };
    let text = format!(
        "# Findings about documents\n\n`armadactl validate` and other commands report these findings about the documents that they read.\n\
         `armadactl explain ID` prints a page offline.\n\n{}",
        table(true)
    );
    held("docs/diagnostics/README.md", &text);
    let rows = table(false);
    let text = format!(
        "# Lints\n\n`armadactl lint` reports these findings about policies that are valid, beside those of `validate`\n\
         ([docs/diagnostics](../diagnostics/README.md)). `armadactl explain ID` prints a page offline.\n\n{rows}\n\
         Infos are counted, a line for each id; `--select ID` prints those of an id, and `-q` none. Formats for programs have all.\n\n\
         `--fix` removes what has no effect, and no comment: where a comment is inside of what would be removed, the finding stays.\n"
    );
    held("docs/lints/README.md", &text);
}
