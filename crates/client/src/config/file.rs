//! The config file: its location and its content.

use super::small_file::SmallFile;
use super::{Auth, ConfigError, auth, fields};
use document::diag::{Severity, Source, did_you_mean, misspelling_of};
use document::{Document, Limits, Node, NodeKind, parse};
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// The possible locations of the config file.
#[derive(Debug, Clone, Default)]
pub struct ConfigLocations {
    /// `--config`: the file must exist.
    pub explicit: Option<PathBuf>,
    /// The home directory, with the file `.armadactl.yaml`.
    pub home: Option<PathBuf>,
    /// The directory of the binary, with the file `armadactl-defaults.yaml`.
    pub next_to_binary: Option<PathBuf>,
}

/// Extensions of the file in the home directory, in the order in which Armada tries them.
const ENDINGS: [&str; 3] = ["json", "yaml", "yml"];

impl ConfigLocations {
    /// The file to read. An explicit file, or one in the home directory, replaces the defaults, as in
    /// Armada's own tool: nothing is merged.
    fn find(&self) -> Option<PathBuf> {
        if let Some(path) = &self.explicit {
            return Some(path.clone());
        }
        let home = self.home.iter().flat_map(|home| {
            ENDINGS.iter().map(|ending| home.join(format!(".armadactl.{ending}")))
        });
        let next_to_binary =
            self.next_to_binary.iter().map(|folder| folder.join("armadactl-defaults.yaml"));
        home.chain(next_to_binary).find(|path| path.is_file())
    }
}

/// A config file. It may have passwords, so its `Debug` does not print the content.
pub struct ConfigFile {
    path: PathBuf,
    document: Option<Document>,
    shared: bool,
    /// Whether it was named with `--config`.
    is_explicit: bool,
}

impl fmt::Debug for ConfigFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl ConfigFile {
    /// Finds the file and reads it; `None` if there is none.
    pub fn load(places: &ConfigLocations) -> Result<Option<Self>, ConfigError> {
        let Some(path) = places.find() else { return Ok(None) };
        let (text, shared) = read(&path).map_err(|source| ConfigError::Unreadable {
            verb: "read",
            path: path.clone(),
            source,
        })?;
        let file = Self::parse(path, &text, shared)?;
        Ok(Some(Self { is_explicit: places.explicit.is_some(), ..file }))
    }

    /// Reads the file, which must exist.
    pub fn require(places: &ConfigLocations) -> Result<Self, ConfigError> {
        Self::load(places)?.ok_or(ConfigError::NoFile)
    }

    pub(super) fn parse(path: PathBuf, text: &str, shared: bool) -> Result<Self, ConfigError> {
        let source = Source::new(path.display().to_string(), text);
        let (documents, findings) = parse(&source, Limits::POLICY);
        let malformed = |place: String, message: &str| {
            Err(ConfigError::Malformed { place, message: message.to_owned() })
        };
        let mut errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        if let Some(error) = errors.next() {
            let place =
                error.place.as_ref().map_or_else(|| source.name().to_owned(), ToString::to_string);
            return malformed(place, &error.message);
        }
        let mut documents = documents.into_iter().filter(|document| !document.root.is_null());
        let document = documents.next();
        let extra = documents.next();
        if let Some(document) = extra.or_else(|| {
            document.clone().filter(|document| !matches!(document.root.kind, NodeKind::Map(_)))
        }) {
            let place = document.place(document.root.span).to_string();
            return malformed(place, "a config file must be one mapping");
        }
        let file = Self { path, document, shared, is_explicit: false };
        file.check_contexts()?;
        file.check_duplicate_keys()?;
        Ok(file)
    }

    /// Refuses contexts that are not a mapping: no context could be found in them.
    fn check_contexts(&self) -> Result<(), ConfigError> {
        let (Some(document), Some(contexts)) = (&self.document, self.entry("contexts")) else {
            return Ok(());
        };
        if contexts.is_null() || matches!(contexts.kind, NodeKind::Map(_)) {
            return Ok(());
        }
        Err(ConfigError::Malformed {
            place: document.place(contexts.span).to_string(),
            message: format!("`contexts` is {}; it must be a mapping by name", contexts.describe()),
        })
    }

    /// Refuses keys that differ only in case, as they would be ambiguous.
    fn check_duplicate_keys(&self) -> Result<(), ConfigError> {
        let Some(document) = &self.document else { return Ok(()) };
        let contexts = self.entry("contexts").map(|node| (node, "context"));
        for (node, what) in contexts.into_iter().chain([(&document.root, "key")]) {
            let mut keys = HashSet::new();
            for entry in node.entries() {
                if !keys.insert(fold(&entry.key)) {
                    return Err(ConfigError::Malformed {
                        place: document.place(entry.key_span).to_string(),
                        message: format!(
                            "duplicate {what} `{}` (names are not case-sensitive)",
                            entry.key
                        ),
                    });
                }
            }
        }
        Ok(())
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    fn entry(&self, key: &str) -> Option<&Node> {
        Some(&self.document.as_ref()?.root.entry_in_any_case(key)?.value)
    }

    /// The current context of the file.
    pub fn current(&self) -> Option<String> {
        fields::scalar(self.entry("currentContext")?).filter(|name| !name.is_empty())
    }

    /// All contexts, in the order of the file.
    pub fn contexts(&self) -> Vec<Context<'_>> {
        let (Some(document), Some(contexts)) = (&self.document, self.entry("contexts")) else {
            return Vec::new();
        };
        let entries = contexts.entries().iter();
        entries.map(|entry| Context::new(document, &entry.value, Some(&entry.key))).collect()
    }

    /// The context of a name, in any case, as in Armada's own tool.
    pub fn context(&self, name: &str) -> Result<Context<'_>, ConfigError> {
        let contexts = self.contexts();
        let found =
            contexts.iter().find(|context| context.name().is_some_and(|n| eq_folded(n, name)));
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = contexts.iter().filter_map(Context::name).collect();
            ConfigError::UnknownContext {
                name: name.to_owned(),
                place: format!("`{}`", self.path.display()),
                near: did_you_mean(name, known.iter().copied()).map(str::to_owned),
                known: known.into_iter().map(str::to_owned).collect(),
            }
        })
    }

    /// The top level of a file of the old form, which has no contexts.
    pub fn legacy_context(&self) -> Option<Context<'_>> {
        let document = self.document.as_ref().filter(|_| self.entry("contexts").is_none())?;
        Some(Context::new(document, &document.root, None))
    }

    /// Refuses a file that names no server and is probably not meant to: one that was named with `--config`, or one
    /// with a misspelt key, if no key of it is read.
    pub(super) fn refuse_without_settings(&self) -> Result<(), ConfigError> {
        let entries = self.document.as_ref().map(|document| document.root.entries());
        let entries = entries.unwrap_or_default();
        let is_read = |key: &str| known_keys().any(|known| eq_folded(known, key));
        if entries.iter().any(|entry| is_read(&entry.key)) {
            return Ok(());
        }
        let near = entries
            .iter()
            .find_map(|entry| Some((entry.key.clone(), misspelling_of(&entry.key, known_keys())?)));
        if near.is_none() && !self.is_explicit {
            return Ok(());
        }
        Err(ConfigError::NoSettings { path: self.path.clone(), near })
    }

    /// Whether the file has a password or secret.
    fn has_secret(&self) -> bool {
        fn any(node: &Node) -> bool {
            let secret = |key: &str| eq_folded(key, "password") || eq_folded(key, "clientSecret");
            let full = |node: &Node| fields::scalar(node).is_some_and(|text| !text.is_empty());
            node.entries().iter().any(|e| (secret(&e.key) && full(&e.value)) || any(&e.value))
        }
        self.document.as_ref().is_some_and(|document| any(&document.root))
    }

    /// The warning that other users can read a file with a password.
    pub fn warning(&self) -> Option<String> {
        (self.shared && self.has_secret()).then(|| {
            let path = self.path.display();
            format!("warning: others can read `{path}`, which holds a password: `chmod 600 {path}`")
        })
    }
}

/// One context, or the top level of a file of the old form, which has no contexts.
#[derive(Clone, Copy)]
pub struct Context<'f> {
    pub(super) document: &'f Document,
    pub(super) node: &'f Node,
    name: Option<&'f str>,
}

impl<'f> Context<'f> {
    pub(super) fn new(document: &'f Document, node: &'f Node, name: Option<&'f str>) -> Self {
        Self { document, node, name }
    }

    /// The name in the file's spelling; `None` for the old form.
    pub fn name(&self) -> Option<&'f str> {
        self.name
    }

    /// Armada's gRPC address.
    pub fn armada_url(&self) -> Option<String> {
        fields::text(self.node, "armadaUrl").filter(|url| !url.is_empty())
    }

    /// The REST address.
    pub fn armada_rest_url(&self) -> Option<String> {
        fields::text(self.node, "armadaRestUrl").filter(|url| !url.is_empty())
    }

    /// The authentication of the context.
    pub fn auth(&self) -> Result<Auth, ConfigError> {
        Auth::read(self.document, self.node)
    }
}

/// The keys that the top level of a config file may have.
fn known_keys() -> impl Iterator<Item = &'static str> {
    let own = ["contexts", "currentContext", "armadaUrl", "armadaRestUrl"];
    own.into_iter().chain(auth::BLOCKS)
}

/// Compares keys and names of contexts without case.
pub(super) fn eq_folded(a: &str, b: &str) -> bool {
    fold(a) == fold(b)
}

/// The form of a key or name in which it is compared.
fn fold(key: &str) -> String {
    key.to_lowercase()
}

/// Reads a file. Returns its text, and whether users other than its owner can read it.
fn read(path: &Path) -> std::io::Result<(String, bool)> {
    let file = SmallFile::read(path, Limits::POLICY.bytes)?;
    let shared = others_can_read(&file.metadata);
    Ok((file.text()?, shared))
}

#[cfg(unix)]
fn others_can_read(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o044 != 0
}

#[cfg(not(unix))]
fn others_can_read(_: &std::fs::Metadata) -> bool {
    false
}
