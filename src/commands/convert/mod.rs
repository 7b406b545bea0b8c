//! `convert`: a policy in another form, and what gets lost.

mod given;
mod pair;

use super::{Context, load};
use crate::cli::{Exit, Output, Refusal};
use crate::diag::{Diagnostic, Findings, Place, Severity};
use crate::document::{Document, Node};
use crate::policy::convert::{self, Consequence, Treatment};
use crate::policy::{self, Form, PolicyDocument, RetryPolicy};
use crate::report;
use crate::systems::conversion::{self, Conversion, Note};
use crate::systems::{airflow, backendai, iris, job, jobset};
use anyhow::Result;
use clap::Args;
use given::{Given, Manifest};
pub use pair::FormName;
use pair::Target;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What to convert, and to what.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Read policies, manifests or profiles from these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write them in this form
    #[arg(long, value_enum, value_name = "FORM")]
    to: Target,
    /// Exit 1 if something is lost or approximated
    #[arg(long)]
    strict: bool,
    /// Write a policy that is left without rules or retries too
    ///
    /// Without this flag such a policy is refused (exit 6), and nothing is written.
    #[arg(long)]
    accept_no_retries: bool,
}

/// What has been converted so far.
#[derive(Default)]
struct Converted {
    values: Vec<Value>,
    /// Whether policies of which no retry, or no rule, is left are written.
    accepts_no_retries: bool,
    /// How many policies those are.
    ineffective: usize,
    findings: Findings,
    /// What is kept, and where.
    kept: Vec<(Place, String)>,
    /// What no conversion between these forms can keep.
    whatever: Option<&'static str>,
}

/// Converts the policies of files.
pub fn run(context: &mut Context<'_>, args: &ConvertArgs) -> Result<Exit> {
    let output = context.globals.output("convert", &[Output::Yaml, Output::Json])?;
    load::one_stdin(&args.files)?;
    let given = Given::read(context.ui, &args.files)?;
    for pair in given.pairs(args.to) {
        pair.refuse()?;
    }
    let accepts_no_retries = args.accept_no_retries;
    let mut converted = Converted { accepts_no_retries, ..Converted::default() };
    for document in &given.documents.policies {
        converted.policy(document, args.to);
    }
    for manifest in &given.manifests {
        converted.manifest(manifest);
    }
    let losses = converted.findings.sorted();
    if converted.ineffective > 0 && !accepts_no_retries {
        return Err(refusal(converted.ineffective, losses).into());
    }
    for (place, what) in &converted.kept {
        context.ui.note_at(place, "kept", what)?;
    }
    context.ui.diagnostics(&losses)?;
    for queue in &given.documents.queues {
        let place = queue.document.place(queue.document.root.span);
        let why =
            if args.to.form().is_some() { "either form fits it" } else { "it is Armada's own" };
        context.ui.note_at(&place, "passed over", &format!("a Queue: {why}"))?;
    }
    if let Some(whatever) = converted.whatever {
        context.ui.note(&format!("note: {whatever}"))?;
    }
    context.ui.data(&text(converted.values, output)?)?;
    Ok(if args.strict && !losses.is_empty() { Exit::No } else { Exit::Done })
}

impl Converted {
    fn policy(&mut self, document: &PolicyDocument, to: Target) {
        let policy = &document.policy;
        let made = self.values.len();
        match to {
            Target::Job => self.noted(&document.document, job::convert::from_v1(policy)),
            Target::Jobset => self.noted(&document.document, jobset::convert::from_v1(policy)),
            Target::Iris => self.noted(&document.document, iris::convert::from_v1(policy)),
            Target::Backendai => {
                self.noted(&document.document, backendai::convert::from_v1(policy));
            }
            Target::Airflow => self.noted(&document.document, airflow::convert::from_v1(policy)),
            _ => return self.form(document, to.form().unwrap_or(policy.form)),
        }
        let cannot = |value: &Value| Manifest::of_value(value).is_some_and(|m| !m.can_retry());
        if policy.can_retry() && self.values.iter().skip(made).all(cannot) {
            self.ineffective(Consequence::NoRetries, &document.document, policy.name.as_str());
        }
    }

    /// A policy of Armada's in the other of its forms.
    fn form(&mut self, document: &PolicyDocument, to: Form) {
        let conversion = convert::convert(&document.policy, to);
        let findings = convert::findings(document, &conversion.differences, Treatment::Written);
        self.findings.extend(findings);
        if let Some(consequence) = Consequence::of(&document.policy, &conversion.policy) {
            self.ineffective(consequence, &document.document, document.policy.name.as_str());
        }
        self.values.push(policy::to_value(&conversion.policy));
        if document.policy.form != to {
            self.whatever = Some(convert::ENGINES_DIFFER);
        }
    }

    /// The policies that a manifest comes to; none only where no name can be made of its own, which
    /// has been refused by then.
    fn manifest(&mut self, manifest: &Manifest) {
        let one = |done: Option<Conversion<RetryPolicy>>| {
            done.map(|done| Conversion { result: vec![done.result], notes: done.notes })
        };
        let done = match manifest {
            Manifest::Job(document, job) => one(job::convert::to_v1(&document.root, job)),
            Manifest::JobSet(document, set) => jobset::convert::to_v1(&document.root, set),
            Manifest::Iris(_, profile) => one(iris::convert::to_v1(profile)),
            Manifest::BackendAi(document, profile) => {
                one(backendai::convert::to_v1(&document.root, profile))
            }
            Manifest::Airflow(_, task) => one(airflow::convert::to_v1(task)),
        };
        let Some(Conversion { result, notes }) = done else { return };
        let document = manifest.document();
        if manifest.can_retry() && !result.iter().any(RetryPolicy::can_retry) {
            let name = document.root.at(&["metadata", "name"]).and_then(Node::text);
            self.ineffective(Consequence::NoRetries, document, name.unwrap_or_default());
        }
        self.values.extend(result.iter().map(policy::to_value));
        self.notes(document, &notes);
    }

    /// Adds a policy of which no retry, or no rule, is left.
    fn ineffective(&mut self, consequence: Consequence, document: &Document, name: &str) {
        let severity = if self.accepts_no_retries { Severity::Warning } else { Severity::Error };
        self.findings.push(consequence.finding(document, name, severity));
        self.ineffective += 1;
    }

    fn noted(&mut self, document: &Document, conversion: Conversion<Value>) {
        self.values.push(conversion.result);
        self.notes(document, &conversion.notes);
    }

    fn notes(&mut self, document: &Document, notes: &[Note]) {
        self.findings.extend(conversion::findings(document, notes));
        self.kept.extend(conversion::carried(document, notes));
        self.whatever = Some(conversion::SYSTEMS_DIFFER);
    }
}

/// Refuses policies that are left without effect; the losses are the reasons.
fn refusal(ineffective: usize, losses: Vec<Diagnostic>) -> Refusal {
    let policies = if ineffective == 1 { "policy" } else { "policies" };
    let message = format!("{ineffective} {policies} without retries or rules; nothing was written");
    let refusal = Refusal { exit: Exit::Refused, ..Refusal::findings(losses) };
    Refusal { message, is_summary: true, ..refusal }
        .help("`--accept-no-retries` writes such a policy all the same")
}

/// A YAML document each; in JSON a list, unless there is one.
fn text(mut converted: Vec<Value>, output: Output) -> Result<String> {
    if output == Output::Json {
        let policies = converted.iter().all(|value| value["kind"] == "RetryPolicy");
        let (version, kind) =
            if policies { ("armadaproject.io/v1", "RetryPolicyList") } else { ("v1", "List") };
        return Ok(match converted.len() {
            1 => report::json(&converted.remove(0)),
            _ => report::json(&json!({"apiVersion": version, "kind": kind, "items": converted})),
        });
    }
    let documents: Result<Vec<String>, _> = converted.iter().map(report::yaml).collect();
    Ok(documents?.join("---\n"))
}
