//! `lint`: the findings of `validate`, and findings about policies that are valid and probably not what was intended.

mod against;
mod args;
mod baseline;
mod filter;
mod settings;

use super::check::{check, print_findings};
use super::edit_proof::EditProof;
use super::policy_set::{MissingName, PolicySetArgs, unknown_policies};
use super::report_files::Reports;
use super::simulate::PoliciesOfHistories;
use super::system_args::SystemArgs;
use super::{fix, simulate, validate};
use crate::analysis::lint::{LintInput, SchedulerConfig, lint};
use crate::analysis::suppression::{self, SuppressedFinding};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::findings::{DiagnosticCounts, DiagnosticItem};
use crate::project::{self, CheckFiles, CheckInputs};
use crate::report::{self, CiReport, LintReport, LintSummary, SuppressedItem};
use crate::ui::ErrorFormat;
use anyhow::Result;
pub use args::LintArgs;
use armada_retry::policy::Documents;
use baseline::{BaselineFile, Linted, is_document_error};
use document::diag::{Code, Diagnostic, Findings, Severity, Source, plural};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use replay::simulate::{NoteKind, NoteReport, SimulationReport, SummaryReport};
use settings::Settings;
use std::collections::BTreeMap;
use std::sync::Arc;
use systems::SystemName;

/// Lints the files, writes the reports and prints the findings; with `--diff`, prints corrections.
pub fn run(context: &mut Context<'_>, args: &LintArgs) -> Result<Exit> {
    args.reports.begin("lint").run(context, |context, reports| run_lints(context, args, reports))
}

fn run_lints(context: &mut Context<'_>, args: &LintArgs, reports: &Reports) -> Result<Exit> {
    let output = output(context, args)?;
    let settings = Settings::read(context, args)?;
    let inputs = CheckInputs {
        files: &settings.files,
        executors: &settings.executors,
        scheduler: settings.scheduler.as_ref(),
        selection: &settings.selection,
        others: args.against.iter().chain(&args.disruptions.disruptions).collect(),
    };
    inputs.refuse_second_stdin()?;
    if !args.against.is_empty() {
        inputs.refuse_stdin_configuration()?;
    }
    let baseline = read_baseline(context, args, &settings)?;
    if args.fix {
        fix::refuse_stdin(&args.files, "--fix")?;
    }
    reports.refuse_inputs(|file| inputs.reads(file))?;
    let mut findings = Findings::new();
    let texts = inputs.read(&mut findings)?;
    let mut run = LintRun { args, settings: &settings, inputs: &inputs, findings, texts };
    if args.diff {
        return run.print_fixes(context);
    }
    if args.fix {
        run.write_fixes(context)?;
    }
    let (mut linted, notes) = run.lint_with_history(context)?;
    if let Some(baseline) = &baseline {
        let is_active = |code| settings.filter.is_active(code);
        let scope = baseline.scope(&run.texts.names, &is_active);
        if args.write_baseline {
            return baseline.write(context, linted, &scope);
        }
        baseline.apply(context, &mut linted, &scope)?;
    }
    run.print(context, output, reports, (&linted, notes))
}

/// The form of output. A diff of corrections and a baseline have no other than text.
fn output(context: &Context<'_>, args: &LintArgs) -> Result<Output, Refusal> {
    let all = [Output::Table, Output::Json, Output::Yaml];
    let (command, possible) = if args.diff {
        ("lint --diff", &all[..1])
    } else if args.write_baseline {
        ("lint --write-baseline", &all[..1])
    } else {
        ("lint", &all[..])
    };
    context.globals.output(command, possible)
}

/// Reads the baseline, if there is one. `--write-baseline` may make it.
fn read_baseline(
    context: &mut Context<'_>,
    args: &LintArgs,
    settings: &Settings,
) -> Result<Option<BaselineFile>> {
    let Some(path) = &settings.baseline else {
        if args.write_baseline {
            let help = "name the file: --baseline .armadactl-baseline.yaml";
            return Err(Refusal::usage("--write-baseline needs --baseline").help(help).into());
        }
        return Ok(None);
    };
    BaselineFile::read(context, path, args.write_baseline).map(Some)
}

fn suppressed_item(suppressed: &SuppressedFinding) -> SuppressedItem {
    SuppressedItem {
        item: DiagnosticItem::from(&suppressed.finding),
        reason: suppressed.reason.clone(),
        comment_line: suppressed.comment.start().line,
    }
}

/// The policies to lint, and the settings of the lints.
struct LintRun<'a> {
    args: &'a LintArgs,
    settings: &'a Settings,
    inputs: &'a CheckInputs<'a>,
    /// The findings of reading the files.
    findings: Findings,
    texts: CheckFiles,
}

impl LintRun<'_> {
    /// The findings, also those by the replay of `--against`, and its notes. Policies with errors are not replayed.
    fn lint_with_history(&self, context: &mut Context<'_>) -> Result<(Linted, Vec<NoteReport>)> {
        let linted = self.lint(None)?;
        if self.args.against.is_empty() || linted.has_errors() {
            return Ok((linted, Vec::new()));
        }
        let report = self.replay(context, &linted)?;
        let linted = self.lint(Some(&report.summary))?;
        let mut notes = report.notes;
        notes.retain(|note| is_about_history(note.kind));
        Ok((linted, notes))
    }

    /// All findings about the texts, without those that are filtered or suppressed.
    fn lint(&self, history: Option<&SummaryReport>) -> Result<Linted> {
        let mut findings = self.findings.clone();
        let settings = (&self.args.systems, &self.settings.bounds);
        let checked = check(self.inputs, &self.texts, settings, &mut findings)?;
        // A policy whose document has an error would be missing.
        if let Some(names) = self.args.queue_policies.as_deref().filter(|_| !findings.has_errors())
        {
            let policies = checked.documents.policies.iter();
            let known: Vec<&str> = policies.map(|found| found.policy.name.as_str()).collect();
            findings.extend(unknown_policies(names, &known));
        }
        let is_active = |code| self.settings.filter.is_active(code);
        findings.extend(lint(&self.input(&checked.documents, history), is_active));
        if let Some(summary) = history {
            let options = self.args.systems.options()?;
            findings.extend(against::lint(&checked, &options, summary)?);
        }
        findings.extend(checked.manifest_lints.clone());
        let items = self.settings.filter.apply(project::name_templates(findings).sorted());
        let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
        let applied = suppression::apply(&self.sources(), items, today, is_active);
        let mut findings = Findings::new();
        findings.order_files(self.findings.files());
        findings.extend(applied.findings);
        Ok(Linted {
            checked,
            items: findings.sorted(),
            suppressed: applied.suppressed,
            in_baseline: 0,
        })
    }

    /// The input of the lints of Armada's policies.
    fn input<'d>(
        &'d self,
        documents: &'d Documents,
        history: Option<&'d SummaryReport>,
    ) -> LintInput<'d> {
        let has_executors = !self.settings.executors.is_empty();
        let scheduler = self.texts.scheduler.as_ref();
        let queues = self.settings.queues.iter();
        LintInput {
            documents,
            scheduler: scheduler.map(|(settings, document)| SchedulerConfig { settings, document }),
            executors: has_executors.then_some(&*self.texts.clusters),
            queue_policies: self.args.queue_policies.as_deref(),
            history,
            bounds: self.settings.bounds,
            partial_queues: queues.map(|it| it.display().to_string()).collect(),
            knows_all_policies: self.settings.has_own_scheduler,
        }
    }

    /// All texts, whose comments may suppress findings.
    fn sources(&self) -> Vec<Arc<Source>> {
        let scheduler = self.texts.scheduler.as_ref();
        let config = scheduler.map(|(_, document)| &document.source);
        let texts = self.texts.sources.iter().chain(&self.texts.executor_sources).chain(config);
        texts.cloned().collect()
    }

    /// Writes the reports, and prints the findings with what decides how to read them.
    fn print(
        &self,
        context: &mut Context<'_>,
        output: Output,
        reports: &Reports,
        (linted, notes): (&Linted, Vec<NoteReport>),
    ) -> Result<Exit> {
        for note in &notes {
            context.ui.note(&format!("{}: {}", note.severity.as_str(), note.message))?;
        }
        project::note_ignored_documents(context.ui, &linted.checked.documents.unread)?;
        let counts = DiagnosticCounts::of(&linted.items);
        let checked = linted.checked.summary(counts);
        let suppressed: Vec<SuppressedItem> =
            linted.suppressed.iter().map(suppressed_item).collect();
        let summary = LintSummary {
            checked,
            infos: counts.infos,
            suppressed: suppressed.len(),
            in_baseline: linted.in_baseline,
        };
        let items = linted.items.iter().map(DiagnosticItem::from).collect();
        let report = LintReport::new(items, suppressed, notes, summary);
        let reported = CiReport {
            command: "lint",
            findings: &linted.items,
            tests: &[],
            covered: &[],
            coverage: None,
            comparison: None,
            files: &self.texts.names,
            json: report::json(&report),
            fail_on: self.settings.fail_on,
        };
        if let Some(path) = &self.settings.path {
            context.ui.note(&format!("note: settings of {}", path.display()))?;
        }
        let format = context.globals.error_format.unwrap_or_default();
        let (printed, lines) = self.printed_findings(&linted.items, format, context.globals.quiet);
        let reported = (&reported, &report, &summary);
        print_findings(context, output, reports, reported, (&printed, &lines))?;
        validate::note_limits(context.ui, linted.checked.manifests)?;
        Ok(linted.exit(self.settings.fail_on))
    }

    /// The findings that are printed as text, and a line for each id of infos, which are often many and alike. Infos that
    /// are selected by id or that the exit code depends on are printed as the others are; `--quiet` omits the rest.
    fn printed_findings(
        &self,
        items: &[Diagnostic],
        format: ErrorFormat,
        is_quiet: bool,
    ) -> (Vec<Diagnostic>, String) {
        let is_for_people = matches!(format, ErrorFormat::Human | ErrorFormat::Short);
        let is_counted = |item: &&Diagnostic| {
            let is_selected = self.args.select.iter().any(|prefix| prefix.matches(item.code));
            item.severity == Severity::Info
                && self.settings.fail_on != Severity::Info
                && (is_quiet && is_for_people || format == ErrorFormat::Human && !is_selected)
        };
        let (counted, printed): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
            items.iter().partition(is_counted);
        let mut counts: BTreeMap<&str, (Code, usize)> = BTreeMap::new();
        for item in counted.iter().filter(|_| !is_quiet) {
            counts.entry(item.code.id()).or_insert((item.code, 0)).1 += 1;
        }
        let line = |(id, (code, count)): (&&str, &(Code, usize))| {
            let title = code.title();
            format!("info[{id}] x{count}: {title} (--select {id} shows them)\n")
        };
        let mut lines: String = counts.iter().map(line).collect();
        if !lines.is_empty() {
            lines.push('\n');
        }
        (printed.into_iter().cloned().collect(), lines)
    }

    /// Applies the corrections of the findings; returns the texts before, and the number of corrections.
    fn fix(&mut self) -> Result<(Vec<Arc<Source>>, usize)> {
        let before = self.texts.sources.clone();
        let mut failed = Ok(());
        let fixed = fix::fix_all(&before, |sources| {
            self.texts.sources = sources.to_vec();
            match self.lint(None) {
                Ok(linted) => linted.items,
                Err(error) => {
                    failed = Err(error);
                    Vec::new()
                }
            }
        });
        failed?;
        self.texts.sources = fixed.sources;
        Ok((before, fixed.applied))
    }

    /// Prints the corrections as a diff. The exit code is 1 if there are any.
    ///
    /// # Errors
    ///
    /// If a document has an error: its policy would have no corrections, as one that needs none.
    fn print_fixes(mut self, context: &mut Context<'_>) -> Result<Exit> {
        let (before, applied) = self.fix()?;
        let linted = self.lint(None)?;
        if linted.has_errors() {
            let errors = linted.items.into_iter().filter(is_document_error).collect();
            return Err(Refusal::findings(errors).into());
        }
        let proof = self.proof(&before)?;
        fix::print_diff(context.ui, &before, &self.texts.sources)?;
        let files = fix::changed(&before, &self.texts.sources).count();
        note_fixes(context, (applied, files), "possible", proof)?;
        Ok(if applied > 0 { Exit::No } else { Exit::Done })
    }

    /// Writes the corrected files.
    fn write_fixes(&mut self, context: &mut Context<'_>) -> Result<()> {
        let (before, applied) = self.fix()?;
        let proof = self.proof(&before)?;
        let files = fix::write(&before, &self.texts.sources)?;
        note_fixes(context, (applied, files), "written", proof)
    }

    /// The result of comparing the policies before the corrections with those after them, in a few words.
    ///
    /// # Errors
    ///
    /// If a failure is decided otherwise: corrections remove only what has no effect.
    fn proof(&self, before: &[Arc<Source>]) -> Result<Option<String>> {
        let settings = self.texts.scheduler.as_ref().map(|(settings, _)| settings.clone());
        let proof = EditProof::new(before, &self.texts.sources, &settings.unwrap_or_default())?;
        proof.refuse_changes()?;
        Ok(proof.text())
    }

    /// The replay of `--against`.
    fn replay(&self, context: &mut Context<'_>, linted: &Linted) -> Result<SimulationReport> {
        let documents = &linted.checked.documents;
        let system = against::system(documents)?;
        let is_armada = system == SystemName::Armada;
        let queue_policies = self.args.queue_policies.clone().filter(|_| is_armada);
        let policies = PolicySetArgs {
            files: self.settings.files.clone(),
            queue_policies,
            scheduler_config: self.settings.scheduler.clone().filter(|_| is_armada),
            engine: None,
            missing_policy: MissingName::Error,
        };
        let executors = Some(self.settings.executors.clone()).filter(|_| is_armada);
        let of = PoliciesOfHistories {
            policies,
            systems: if is_armada { SystemArgs::default() } else { self.args.systems.clone() },
            executor_config: executors.unwrap_or_default(),
            disruptions: self.args.disruptions.clone(),
            history: self.args.against.clone(),
        };
        simulate::replay_histories(context, of, (system, documents.clone()))
    }
}

fn note_fixes(
    context: &mut Context<'_>,
    (count, files): (usize, usize),
    what: &str,
    proof: Option<String>,
) -> Result<()> {
    context.ui.flush()?;
    let corrections = plural(count, "correction", "corrections");
    let files = plural(files, "file", "files");
    let proof = proof.map(|text| format!("; {text}")).unwrap_or_default();
    Ok(context.ui.note(&format!("note: {corrections} in {files} {what}{proof}"))?)
}

/// Whether a note of a replay is about what the history lacks: then few rules match it, whatever they are.
fn is_about_history(kind: NoteKind) -> bool {
    matches!(
        kind,
        NoteKind::MissingParts
            | NoteKind::EmptyHistory
            | NoteKind::UnreadKeys
            | NoteKind::AbsentParts
    )
}
