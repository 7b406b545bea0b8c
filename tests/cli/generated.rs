//! What is generated and checked in: completions, schemas, seeds of the fuzz targets.
//! `UPDATE_GENERATED=1 cargo test` writes it anew.

use armadactl::internals::commands::completion_script;
use armadactl::internals::diag::Code;
use armadactl::internals::report::schemas;
use clap_complete::Shell;
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
fn the_table_of_lints_is_that_of_the_code() {
    let mut rows = String::new();
    for code in Code::ALL.iter().filter(|code| !code.is_about_documents()) {
        let page = code.page();
        rows += &format!("| [{}]({}.md) | {} |\n", page.id, page.id, page.title);
    }
    let text = format!(
        "# Lints\n\n`armadactl lint` reports these findings about policies that are valid, beside those of `validate`\n\
         ([docs/diagnostics](../diagnostics)). `armadactl explain ID` prints a page offline.\n\n| id | finding |\n|---|---|\n{rows}\n\
         Infos are counted, a line for each id; `--select ID` prints those of an id, and `-q` none. Formats for programs have all.\n\n\
         `--fix` removes what has no effect, and no comment: where a comment is inside of what would be removed, the finding stays.\n"
    );
    held("docs/lints/README.md", &text);
}
