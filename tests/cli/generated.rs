//! What is generated and checked in: completions, schemas, seeds of the fuzz targets.
//! `UPDATE_GENERATED=1 cargo test` writes it anew.
//!
//! Holds cli.md Output.

mod test_map;

use armadactl::internals::commands::completion_script;
use armadactl::internals::report::schemas;
use clap_complete::Shell;
use document::diag::Code;
use std::path::Path;
use systems::release::{Model, Program, Release, differences};

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
         `--fix` removes what has no effect, and no comment: where a comment is inside of what would be removed, the finding stays. Before it\n\
         writes, each changed RetryPolicy is compared with what it was, as [`compare`](../compare.md) does, by itself and before other policies\n\
         in the list of a queue, for every `globalMaxRetries`, with the default backoff of `--scheduler-config`. The note on the corrections has\n\
         the result: `proved: every failure is decided as before`. RP119 is an exception, which the note names: it assumes that no executor\n\
         gives failed runs the category of expired leases. Any other difference is an error of armadactl: nothing is written, exit code 6.\n\
         Documents of other systems are not compared.\n"
    );
    held("docs/lints/README.md", &text);
}

#[test]
fn the_page_of_releases_is_the_table_of_the_code() {
    let defaults =
        Program::ALL.map(|program| format!("{} {}", program.title(), program.default_release()));
    let mut text = format!(
        "# By release\n\nWhat a retry policy does otherwise in which release of its program: a row for each difference, the first version that has it, \
         and `until` the first that does not have it any more. Written from `crates/systems/src/release`; the source of each row is in\n\
         `armadactl explain releases -o wide`.\n\n\
         \u{20}   armadactl explain releases -f examples/releases/jobset.yaml\n\
         \u{20}   armadactl validate -f examples/releases/jobset.yaml --release jobset-0.9\n\
         \u{20}   armadactl simulate -f examples/releases/jobset.yaml --variant jobset-0.9 --history examples/releases/failures.jsonl\n\
         \u{20}   armadactl explain releases -f examples/policies\n\n\
         - Commands assume {}. The form of Armada's documents names the engine instead: `v1beta1` is what landed, `v1` is the\n\
         \u{20} design. A `RetryProfile` of Airflow names its release by `profile`.\n\
         - `--release kubernetes-1.34` (`jobset-0.9`, `airflow-3.0`; repeatable) reads policies as that release does: a field that it drops\n\
         \u{20} is left out with a warning (RP040), and one that it refuses is an error (RP032). A minor version is its newest\n\
         \u{20} patch in the table below, which reports print: `Airflow 3.1 (3.1.8)`. A later patch, and a second release of one program, are\n\
         \u{20} errors. A release of Airflow that is not that of the `profile` is an error.\n\
         - A report of `simulate` has the releases that decided, in its last lines and in `releases` of the JSON, of each variant too: the\n\
         \u{20} program, the version, and its origin: `default`, `option` or `profile`.\n\
         - `explain releases -f FILES` compares neighbouring releases on failures that reach the rules and limits of a policy, and prints the\n\
         \u{20} rows that decide one of them otherwise. The decisions are those of the two releases as a whole; a row is named if switching it\n\
         \u{20} alone exchanges them. Rows that no engine has but that concern a field of the policy follow, with the reason; of Armada's\n\
         \u{20} policies these are all, as their form names the engine. `--from` and `--to` bound it.\n\
         - `simulate --variant jobset-0.9` is a column of the policies of `-f` under that release.\n\n\
         Rows that say `decision` change which failure is retried, how often or after which wait; `validation` what is accepted or dropped; a\n\
         `note` changes no decision. The engines replay the rows that say so; those that say\n\
         `compared` are in `explain releases -f` alone: histories do not have the exits that restart a container in place.\n",
        defaults.join(", ")
    );
    for program in Program::ALL {
        let releases = program.releases().iter().map(|version| {
            Release { program, version: *version }.title().replace(program.title(), "")
        });
        let releases = releases.collect::<Vec<_>>().join(",");
        text += &format!("\n## {}\n\nReleases:{releases}.\n\n", program.title());
        for row in differences().filter(|row| row.program == program) {
            let until = row.until.map(|until| format!(" until {until}")).unwrap_or_default();
            let replayed = match row.model {
                Model::Engine(_) => ", replayed",
                Model::InPlace(_) => ", compared",
                Model::NotModelled(_) => "",
            };
            let (id, kind, sentence) = (row.id, row.kind.as_str(), row.sentence);
            text += &format!("- {}{until}, `{id}` ({kind}{replayed}): {sentence}\n", row.from);
        }
    }
    held("docs/releases.md", &text);
}
