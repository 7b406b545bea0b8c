//! `convert --to error-categories`: the checks of failed pods of an executor, as categories.

use super::args::ConvertArgs;
use crate::cli::{Context, Exit, Output, Refusal};
use crate::project::{self, ExecutorFiles};
use crate::report;
use anyhow::Result;
use document::diag::{Diagnostic, Findings};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use systems::armada::classifier::config::{ExecutorConfig, category_faults};
use systems::armada::classifier::{CategoryConversion, CheckNote, to_categories};

/// The differences that no conversion can avoid.
const RETRIES_DIFFER: &str = "a policy has to retry the new categories; such a retry counts against its limits, and \
                              gangs and jobs without a policy get none, whereas a check returns the lease";

/// The retries of a policy that correspond to the three attempts that Armada's `scheduling.maxRetries` allows by
/// default.
const RETRY_LIMIT: u32 = 2;

/// Converts the checks of one executor and prints its sections that change.
pub(super) fn run(context: &mut Context<'_>, args: &ConvertArgs, output: Output) -> Result<Exit> {
    let files = executor_files(&args.files)?;
    project::refuse_second_stdin(&files.files)?;
    let config = read(context, &files)?;
    let conversion = to_categories(&config);
    let CategoryConversion { categories, retried, notes } = &conversion;
    let faults = category_faults(categories).into_iter().map(|fault| fault.finding);
    let mut findings = Findings::new();
    findings.extend(faults);
    refuse_errors(context, findings)?;
    let mut findings = Findings::new();
    findings.extend(notes.iter().filter_map(CheckNote::finding));
    let losses = findings.sorted();
    if retried.is_empty() && !args.accept_no_retries {
        return Err(refusal(losses).into());
    }
    for note in notes.iter().filter(|note| note.loss.is_none()) {
        context.ui.note_at(&note.place, "kept", &note.text())?;
    }
    context.ui.diagnostics(&losses)?;
    context.ui.note(&format!("note: {RETRIES_DIFFER}"))?;
    let value = conversion.to_value(&config.failed_checks);
    let text = match output {
        Output::Json => report::json(&value),
        _ => commented_policy(retried)? + &report::yaml(&value)?,
    };
    context.ui.data(&text)?;
    Ok(if args.strict && !losses.is_empty() { Exit::No } else { Exit::Done })
}

/// The files of the executor: the parts of the only value between commas.
fn executor_files(values: &[PathBuf]) -> Result<ExecutorFiles> {
    let [value] = values else {
        let message = format!("{} files, but one executor is converted", values.len());
        let help = "name the files of one executor with commas: `-f base.yaml,cluster.yaml`";
        return Err(Refusal::usage(message).help(help).into());
    };
    let files = match value.to_str() {
        Some(text) => text.split(',').map(PathBuf::from).collect(),
        None => vec![value.clone()],
    };
    Ok(ExecutorFiles { cluster: None, files })
}

/// Reads the configuration. It must have checks to convert.
fn read(context: &mut Context<'_>, files: &ExecutorFiles) -> Result<ExecutorConfig> {
    let mut findings = Findings::new();
    let config = files.read_to_convert(&mut findings);
    refuse_errors(context, findings)?;
    config.filter(|config| !config.failed_checks.is_empty()).ok_or_else(|| {
        let message = "the configuration has no `kubernetes.failedPodChecks`";
        Refusal::input(message).help("there is nothing to convert").into()
    })
}

fn refuse_errors(context: &mut Context<'_>, findings: Findings) -> Result<()> {
    project::refuse_errors(context.ui, findings)
        .map_err(|error| Refusal::add_count_to(error, "nothing was written"))
}

/// The error of checks none of which becomes a rule; the losses are the reasons.
fn refusal(losses: Vec<Diagnostic>) -> Refusal {
    let message = "no check becomes a category; nothing was written".to_owned();
    let refusal = Refusal { exit: Exit::Refused, ..Refusal::findings(losses) };
    Refusal { message, is_summary: true, ..refusal }
        .help("use `--accept-no-retries` to write the configuration without the checks")
}

/// A policy that retries the categories, as a comment. The executor reads no second document of a file.
fn commented_policy(retried: &[String]) -> Result<String> {
    if retried.is_empty() {
        return Ok(String::new());
    }
    let rule = |name: &String| json!({"action": "Retry", "onCategory": name, "mutate": {"affinity": {"avoidSameNode": true}}});
    let rules: Vec<Value> = retried.iter().map(rule).collect();
    let policy = json!({
        "apiVersion": "armadaproject.io/v1beta1",
        "kind": "RetryPolicy",
        "name": "failed-pod-checks",
        "retryLimit": RETRY_LIMIT,
        "defaultAction": "Fail",
        "rules": rules,
    });
    let mut text = "# Retry the new categories with a policy, such as\n#\n".to_owned();
    for line in report::yaml(&policy)?.lines() {
        let _ = writeln!(text, "# {line}");
    }
    Ok(text + "\n")
}
