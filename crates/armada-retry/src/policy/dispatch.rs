//! Detection of a document's kind and form from its `apiVersion` and `kind`.

use super::Form;
use super::documents::{OtherDocument, OtherKinds, WITHOUT_KIND};
use super::file::Reader;
use super::group::GROUP;
use super::head::Head;
use super::lists::scalar_entry;
use document::diag::{Code, Diagnostic, Findings, Source, Span, did_you_mean, misspelling_of};
use document::{Document, Neighbour, Node, NodeKind, TWO_IN_ONE, refuse_bytes, template_mark};

/// The kinds of Armada's documents.
const KINDS: [&str; 4] = ["RetryPolicy", "Queue", "FailureHistory", "RetryPolicyTest"];
/// The API versions of Armada's documents.
const VERSIONS: [&str; 2] = ["armadaproject.io/v1", "armadaproject.io/v1beta1"];

/// The keys that identify a document.
const HEAD: [&str; 2] = ["apiVersion", "kind"];
/// Fields of policies and queues: a document with one of them and neither `apiVersion` nor `kind` is a policy
/// or queue whose head is missing.
const OWN_FIELDS: [&str; 6] =
    ["rules", "retryLimit", "defaultAction", "retryPolicies", "priorityFactor", "failurePolicy"];

fn has_any(node: &Node, keys: &[&str]) -> bool {
    keys.iter().any(|key| node.entry_in_any_case(key).is_some())
}

/// The finding that one mapping contains two documents, because the line `---` between them is missing.
fn two_in_one(document: &Document) -> Option<Diagnostic> {
    let entries = document.root.entries();
    let entries_of = |key: &'static str| entries.iter().filter(move |entry| entry.key == key);
    let second = |key| entries_of(key).nth(1);
    let (version, kind) = (second("apiVersion")?, second("kind")?);
    let (repeated, key) = if version.key_span.start < kind.key_span.start {
        (version, "apiVersion")
    } else {
        (kind, "kind")
    };
    let first = entries_of(key).next()?;
    let (message, help) = TWO_IN_ONE;
    Some(
        Diagnostic::error(Code::DuplicateKey, document.place(repeated.key_span), message)
            .labelled("second document")
            .also(document.place(first.key_span), "first document")
            .help(help),
    )
}

/// The finding that a key follows `---` on its line: YAML reads both as one key.
fn separator_in_key(document: &Document) -> Option<Diagnostic> {
    let is_separator =
        |key: &str| key.strip_prefix("---").is_some_and(|key| HEAD.contains(&key.trim()));
    let entry = document.root.entries().iter().find(|entry| is_separator(&entry.key))?;
    let message = "`---` begins a document only on a separate line";
    Some(
        Diagnostic::error(Code::Syntax, document.place(entry.key_span), message)
            .help("break the line after `---`"),
    )
}

impl Reader {
    /// Returns the document's kind and form, or reports why they cannot be read.
    ///
    /// If only the version is wrong or absent, the document gets the most likely one, so that the rest can be checked.
    pub(super) fn dispatch(&mut self, document: &mut Document) -> Option<Head> {
        let head = document.root.span.first_line(document.source.text());
        if let Some(kind) = self.unread_kind(document) {
            let place = document.place(head);
            let mut other =
                Self { foreign: self.foreign, other_kinds: self.other_kinds, ..Self::default() };
            other.kind_of_mapping(document, head);
            self.unread_documents.push((kind, place, other.findings));
            return None;
        }
        if self.may_skip(&document.source) {
            refuse_bytes(document, &mut self.findings);
        }
        self.kind_of_mapping(document, head)
    }

    /// Returns the kind and form of a mapping, or reports that the document is not a valid one.
    fn kind_of_mapping(&mut self, document: &mut Document, head: Span) -> Option<Head> {
        let root = &document.root;
        if !matches!(root.kind, NodeKind::Map(_)) {
            let message = format!(
                "expected a mapping with `apiVersion` and `kind`, found {}",
                root.describe()
            );
            self.findings.push(
                Diagnostic::error(Code::WrongType, document.place(head), message)
                    .help("begin with `apiVersion: armadaproject.io/v1`"),
            );
            return None;
        }
        if let Some(finding) = two_in_one(document).or_else(|| separator_in_key(document)) {
            self.findings.push(finding);
            return None;
        }
        self.kind_and_form(document, head)
    }

    /// Whether documents of other kinds in a text are skipped even if there are no manifests.
    pub(super) fn may_skip(&self, source: &Source) -> bool {
        source.is_in_walk() || self.other_kinds == OtherKinds::Skip
    }

    /// The kind of a document that no module reads, if it may be skipped: one next to manifests of
    /// other systems, in a file that was found in a directory, or in any file if these are skipped.
    fn unread_kind(&self, document: &Document) -> Option<String> {
        let (root, may_skip) = (&document.root, self.may_skip(&document.source));
        let text = |key| root.entry_in_any_case(key).and_then(|entry| entry.value.text());
        let (kind, version) = (text("kind"), text("apiVersion"));
        // The kind of a template that is not rendered is unknown.
        if [kind, version].into_iter().flatten().any(|text| template_mark(text).is_some()) {
            return None;
        }
        if let Some(neighbour) = self.neighbour(root) {
            let is_left_out = may_skip || !self.foreign.is_empty();
            return is_left_out.then(|| neighbour.document_name(Some(root)));
        }
        let is_ours = version.is_some_and(|version| version.split('/').next() == Some(GROUP));
        let is_headless =
            !has_any(root, &HEAD) && !root.items().iter().any(|item| has_any(item, &HEAD));
        let is_own = has_any(root, &OWN_FIELDS)
            || root.items().iter().any(|item| has_any(item, &OWN_FIELDS));
        let is_other_version =
            version.is_some_and(|version| !is_ours && !self.is_near_version(version));
        let has_no_kind = root.entry_in_any_case("kind").is_none();
        if may_skip && !is_own && (is_headless || has_no_kind && is_other_version) {
            return Some(WITHOUT_KIND.to_owned());
        }
        let kind = kind.filter(|_| version.is_some())?;
        // `Workload` of another API is not a misspelling of Argo's `Workflow`.
        let foreign = self.named_kinds().filter(|_| !is_other_version);
        let known = KINDS.into_iter().chain(foreign);
        let near = did_you_mean(kind, known).is_some() || kind.ends_with("List") && !may_skip;
        ((may_skip || !self.foreign.is_empty()) && !near && !is_ours).then(|| kind.to_owned())
    }

    /// The system of a document that no module reads.
    fn neighbour(&self, root: &Node) -> Option<&'static Neighbour> {
        let text = |key| root.entry_in_any_case(key).and_then(|entry| entry.value.text());
        let group_of = |version: &'_ str| version.split('/').next().map(str::to_owned);
        let (kind, group) = (text("kind"), text("apiVersion").and_then(group_of));
        let is_read = self.foreign.iter().any(|one| {
            Some(one.kind) == kind && one.versions.iter().any(|version| group_of(version) == group)
        });
        Neighbour::find(root).filter(|_| !is_read)
    }

    /// The finding that a document is one of another system.
    fn neighbour_error(&self, document: &Document, head: Span) -> Option<Diagnostic> {
        let root = &document.root;
        let version = root.entry_in_any_case("apiVersion").map_or(head, |entry| entry.value.span);
        let neighbour = self.neighbour(root)?;
        Some(neighbour.error(Some(root), document.place(version)))
    }

    /// Whether a version belongs to a known kind, or is a misspelling of such a version.
    fn is_near_version(&self, version: &str) -> bool {
        let foreign = self.foreign.iter().flat_map(|one| one.versions).copied();
        let known = VERSIONS.into_iter().chain(foreign);
        known.clone().any(|one| one == version) || did_you_mean(version, known).is_some()
    }

    /// Skips unread documents next to manifests of other systems, since they are applied together, and in
    /// directories that also contain Armada's documents. Reports the findings about all others.
    pub(super) fn settle_unread(&mut self) {
        let foreign = self.foreign;
        let is_foreign = |other: &OtherDocument| foreign.iter().any(|one| one.kind == other.kind);
        let has_foreign = self.documents.others.iter().any(is_foreign);
        let has_own = self.documents.document_count > self.unread_documents.len();
        for (kind, place, findings) in std::mem::take(&mut self.unread_documents) {
            let is_skipped = self.other_kinds == OtherKinds::Skip;
            if is_skipped || has_foreign || has_own && place.source.is_in_walk() {
                self.documents.unread.push((kind, place));
            } else {
                self.findings.extend(findings);
            }
        }
    }

    /// The finding that a document is an object of an API that is not read, though its kind may have the name of
    /// one that is: Volcano has a `Job` and a `Queue` too. Another `apiVersion` would make it another object.
    fn other_api(&self, document: &Document) -> Option<Diagnostic> {
        let root = &document.root;
        let node = |key| root.entry_in_any_case(key).map(|entry| &entry.value);
        let (kind, version) = (node("kind")?.text()?, node("apiVersion")?);
        let (group, _) = version.text()?.split_once('/')?;
        let group_of = |version: &'static str| version.split('/').next();
        let foreign = self.foreign.iter().flat_map(|one| one.versions).copied();
        let is_read =
            VERSIONS.into_iter().chain(foreign).filter_map(group_of).any(|known| known == group);
        let known = KINDS.into_iter().chain(self.named_kinds());
        let is_shared = ["Job", "Queue"].contains(&kind);
        // `unknown_help` has better advice for these.
        let has_advice = kind == "Kustomization" || kind.ends_with("List");
        if is_read
            || has_advice
            || self.is_near_version(version.text()?)
            || !is_shared && misspelling_of(kind, known).is_some()
        {
            return None;
        }
        if self.foreign.is_empty() && ["batch", "jobset.x-k8s.io"].contains(&group) {
            let message = format!("a server of Armada has retry policies and queues, no `{kind}`");
            let help = "`armadactl convert --to v1beta1` makes a RetryPolicy of a Job or JobSet";
            let place = document.place(version.span);
            return Some(Diagnostic::error(Code::UnknownDocument, place, message).help(help));
        }
        let message = format!("`{kind}` of the API group `{group}` is not read");
        let help = "if its controller creates Jobs or JobSets, check those (`kubectl get jobs,jobsets \
                    -o yaml`); skip objects of other APIs with --ignore-other-kinds";
        Some(
            Diagnostic::error(Code::UnknownDocument, document.place(version.span), message)
                .help(help),
        )
    }

    fn kind_and_form(&mut self, document: &mut Document, head: Span) -> Option<Head> {
        let neighbour = self.neighbour_error(document, head);
        if let Some(finding) = neighbour.or_else(|| self.other_api(document)) {
            self.findings.push(finding);
            return None;
        }
        let foreign = self.foreign;
        let kinds: Vec<_> = KINDS.into_iter().chain(self.named_kinds()).collect();
        let kind = known_value(document, ("kind", None), &kinds, head);
        let kind = kind.map_err(|findings| self.findings.extend(findings)).ok();
        let of_kind = foreign.iter().find(|one| Some(one.kind) == kind);
        let versions = match (kind, of_kind) {
            (_, Some(foreign)) => foreign.versions.to_vec(),
            (Some(_), None) => VERSIONS.to_vec(),
            // The kind is unknown, so the version is checked against those of all kinds.
            (None, None) => {
                let mut versions = VERSIONS.to_vec();
                for version in foreign.iter().flat_map(|one| one.versions) {
                    // Kinds of one API share its version.
                    if !versions.contains(version) {
                        versions.push(version);
                    }
                }
                versions
            }
        };
        let likely = kind.and_then(|kind| likely_version(document, kind, &versions));
        let version = known_value(document, ("apiVersion", likely), &versions, head);
        let version = version.map_err(|findings| {
            let is_rest_unchecked = kind.is_some() && likely.is_none();
            self.findings.extend(findings.into_iter().map(|finding| match finding.help.clone() {
                Some(help) if is_rest_unchecked => {
                    finding.help(format!("{help}; nothing else in the document was checked"))
                }
                _ => finding,
            }));
        });
        let version = version.ok();
        if version.is_none() {
            set_version(&mut document.root, likely?, head);
        }
        let form = if version.or(likely)? == VERSIONS[0] { Form::V1 } else { Form::V1beta1 };
        Some(Head { kind: kind?, form, is_valid: version.is_some() })
    }
}

/// The value of a key, which is one of those `known`; `likely` is the one that is most likely meant.
///
/// # Errors
///
/// The finding about any other value; none if another finding is about it.
fn known_value(
    document: &Document,
    (key, likely): (&str, Option<&'static str>),
    known: &[&'static str],
    head: Span,
) -> Result<&'static str, Findings> {
    let entry = document.root.entry_in_any_case(key);
    let Some(node) = entry.map(|e| &e.value).filter(|value| !value.is_null()) else {
        let is_broken = entry.is_some_and(|e| document.is_broken_alias(&e.value));
        let usual = likely.or(known.first().copied());
        let missing = || Findings::of(missing_head(document, key, usual, head));
        return Err(if is_broken { Findings::new() } else { missing() });
    };
    let place = document.place(node.span);
    let Some(scalar) = node.scalar() else {
        let message = format!("`{key}`: expected a string, found {}", node.describe());
        let help = likely.or(known.first().copied()).map(|value| format!("write `{key}: {value}`"));
        let finding = Diagnostic::error(Code::WrongType, place, message).maybe_help(help);
        return Err(Findings::of(finding));
    };
    let text = scalar.text.as_str();
    if let Some(found) = known.iter().find(|value| **value == text) {
        return Ok(found);
    }
    // A value of bytes has a finding of its own.
    if scalar.is_bytes() {
        return Err(Findings::new());
    }
    let help = unknown_help(document, text, (known, likely));
    let finding =
        Diagnostic::error(Code::UnknownDocument, place, format!("unknown {key} `{text}`"))
            .help(help);
    Err(Findings::of(finding))
}

/// The finding that a document lacks `apiVersion` or `kind`, which is likely to be this one.
fn missing_head(document: &Document, key: &str, likely: Option<&str>, head: Span) -> Diagnostic {
    let message = format!("the document has no `{key}`");
    let help = likely.map(|value| format!("add `{key}: {value}`"));
    Diagnostic::error(Code::MissingField, document.place(head), message).maybe_help(help)
}

/// The version that the author of a document of this kind probably meant: the only one, or that of the form whose
/// fields the document has.
fn likely_version(
    document: &Document,
    kind: &str,
    versions: &[&'static str],
) -> Option<&'static str> {
    if let [only] = versions {
        return Some(only);
    }
    if !["RetryPolicy", "Queue"].contains(&kind) {
        return None;
    }
    let root = &document.root;
    let is_flat = has_any(root, &["name"]) || has_any(root, &OWN_FIELDS);
    match (has_any(root, &["metadata", "spec"]), is_flat) {
        (true, false) => Some(VERSIONS[0]),
        (false, true) => Some(VERSIONS[1]),
        _ => {
            let text = root.entry_in_any_case("apiVersion").and_then(|entry| entry.value.text());
            did_you_mean(text?, VERSIONS)
        }
    }
}

/// Gives a document another version, in the place of its own.
fn set_version(root: &mut Node, version: &str, head: Span) {
    let NodeKind::Map(entries) = &mut root.kind else { return };
    let entry = scalar_entry("apiVersion", version, head);
    let own = entries.iter_mut().filter(|own| own.key.eq_ignore_ascii_case(&entry.key));
    let mut is_absent = true;
    for own in own {
        own.value.kind = entry.value.kind.clone();
        is_absent = false;
    }
    if is_absent {
        entries.insert(0, entry);
    }
}

/// Whether a document is the `Chart.yaml` of a Helm chart.
fn is_chart(document: &Document) -> bool {
    let root = &document.root;
    root.get("kind").is_none() && ["name", "version"].iter().all(|key| root.get(key).is_some())
}

/// The help for a kind or version that is none of `known`; `likely` is the one that is most likely meant.
fn unknown_help(
    document: &Document,
    text: &str,
    (known, likely): (&[&'static str], Option<&str>),
) -> String {
    let has_error = document.root.get("error").is_some();
    match did_you_mean(text, known.iter().copied()) {
        _ if text == "Kustomization" => {
            "build it first: `kustomize build DIRECTORY | armadactl validate -f - --ignore-other-kinds`"
                .to_owned()
        }
        _ if is_chart(document) => {
            "render the chart first: `helm template DIRECTORY | armadactl validate -f - --ignore-other-kinds`"
                .to_owned()
        }
        _ if text == "List" => "a List is read for its `items`; write them as a list".to_owned(),
        _ if has_error && ["RetryPolicyList", "QueueList"].contains(&text) => {
            "the list has an `error`: it is incomplete; get it again".to_owned()
        }
        _ if text.ends_with("List") => {
            "a list of this kind is not read; give each item as a separate \
                                        document, as `get NAME -o yaml` writes it"
                .to_owned()
        }
        Some(near) if likely.is_none_or(|likely| likely == near) => {
            format!("did you mean `{near}`?")
        }
        _ if let (Some(likely), true) = (likely, known.len() > 1) => {
            format!("write `{likely}`: the document has the fields of this form")
        }
        _ => {
            let listed: Vec<String> = known.iter().map(|value| format!("`{value}`")).collect();
            format!("it is one of {}", listed.join(", "))
        }
    }
}
