//! `convert`: a policy in another form, and what gets lost.

mod given;
mod pair;

use super::{Context, load};
use crate::cli::{Exit, Output};
use crate::diag::{Findings, Place, Severity};
use crate::document::Document;
use crate::policy::{self, Form, PolicyDocument, RetryPolicy, convert};
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
}

/// What has been converted so far.
#[derive(Default)]
struct Converted {
    values: Vec<Value>,
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
    let mut converted = Converted::default();
    for document in &given.documents.policies {
        converted.policy(document, args.to);
    }
    for manifest in &given.manifests {
        converted.manifest(manifest);
    }
    for (place, what) in &converted.kept {
        context.ui.note_at(place, "kept", what)?;
    }
    let lossy = !converted.findings.is_empty();
    context.ui.diagnostics(&converted.findings.sorted())?;
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
    Ok(if lossy && args.strict { Exit::No } else { Exit::Done })
}

impl Converted {
    fn policy(&mut self, document: &PolicyDocument, to: Target) {
        let policy = &document.policy;
        match to {
            Target::Job => self.noted(&document.document, job::convert::from_v1(policy)),
            Target::Jobset => self.noted(&document.document, jobset::convert::from_v1(policy)),
            Target::Iris => self.noted(&document.document, iris::convert::from_v1(policy)),
            Target::Backendai => {
                self.noted(&document.document, backendai::convert::from_v1(policy));
            }
            Target::Airflow => self.noted(&document.document, airflow::convert::from_v1(policy)),
            _ => self.form(document, to.form().unwrap_or(policy.form)),
        }
    }

    /// A policy of Armada's in the other of its forms.
    fn form(&mut self, document: &PolicyDocument, to: Form) {
        let conversion = convert::convert(&document.policy, to);
        let findings = convert::findings(document, &conversion.differences, Severity::Warning);
        self.findings.extend(findings);
        self.values.push(policy::to_value(&conversion.policy));
        if document.policy.form != to {
            self.whatever = Some(convert::ENGINES_DIFFER);
        }
    }

    fn manifest(&mut self, manifest: &Manifest) {
        match manifest {
            Manifest::Job(document, job) => {
                self.one(document, job::convert::to_v1(&document.root, job));
            }
            Manifest::JobSet(document, set) => {
                if let Some(done) = jobset::convert::to_v1(&document.root, set) {
                    self.values.extend(done.result.iter().map(policy::to_value));
                    self.notes(document, &done.notes);
                }
            }
            Manifest::Iris(document, profile) => {
                self.one(document, iris::convert::to_v1(profile));
            }
            Manifest::BackendAi(document, profile) => {
                self.one(document, backendai::convert::to_v1(&document.root, profile));
            }
            Manifest::Airflow(document, task) => {
                self.one(document, airflow::convert::to_v1(task));
            }
        }
    }

    /// One policy of another system's manifest; none only where no name can be made of its own, which
    /// has been refused by then.
    fn one(&mut self, document: &Document, done: Option<Conversion<RetryPolicy>>) {
        if let Some(Conversion { result, notes }) = done {
            self.noted(document, Conversion { result: policy::to_value(&result), notes });
        }
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
