//! Errors of configurations.

use document::units::DurationError;
use std::io;
use std::path::PathBuf;

/// The reason that a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read or written.
    #[error("cannot {verb} the config file `{}`: {source}", path.display())]
    Unreadable {
        /// `read` or `write`.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not a configuration. The line itself is never printed, as it may contain a password.
    #[error("{place}: {message}")]
    Malformed {
        /// `file:line:column`.
        place: String,
        /// The message, without the file's name.
        message: String,
    },
    /// There is no file, but the command needs one.
    #[error("there is no config file")]
    NoFile,
    /// No key of the file is read.
    #[error("the config file `{}` has neither `contexts` nor an address", path.display())]
    NoSettings {
        /// The file.
        path: PathBuf,
        /// A key that is not read, and the one that was probably meant.
        near: Option<(String, &'static str)>,
    },
    /// No context is chosen.
    #[error("no context is selected in `{}`", path.display())]
    NoContext {
        /// The file.
        path: PathBuf,
    },
    /// The file has no such context.
    #[error("there is no context `{name}` in {place}")]
    UnknownContext {
        /// The requested name.
        name: String,
        /// The file, for messages.
        place: String,
        /// The most similar name.
        near: Option<String>,
        /// All names in the file.
        known: Vec<String>,
    },
    /// An edit of the file would change more than `currentContext`.
    #[error("cannot change `currentContext` in `{}` alone", path.display())]
    NotEditable {
        /// The file.
        path: PathBuf,
    },
    /// The address is Armada's gRPC address, which has no REST API.
    #[error("`{address}`, {origin}, is a gRPC address; this tool needs the REST address")]
    NoRestAddress {
        /// The address.
        address: String,
        /// The source of the address.
        origin: String,
        /// The source of the next usable address, which this one overrides.
        next: Option<String>,
    },
    /// The context has no address.
    #[error("the context `{name}` has no address")]
    NoAddress {
        /// The context.
        name: String,
    },
    /// The text is not an address.
    #[error("`{address}`, {origin}, is not a REST address: {why}")]
    BadAddress {
        /// The text, without possible secrets.
        address: String,
        /// The source of the address.
        origin: String,
        /// The message about its value.
        why: &'static str,
    },
    /// The authentication block is incomplete.
    #[error("{place}: `{block}` {problem}")]
    BadAuth {
        /// `file:line:column`.
        place: String,
        /// The key of the block.
        block: String,
        /// The message about its value.
        problem: String,
    },
    /// `--request-timeout` is not a duration.
    #[error("`--request-timeout`: {0}")]
    BadTimeout(DurationError),
    /// `--request-timeout` is not positive.
    #[error("`--request-timeout` has to be more than zero")]
    NoTime,
}

impl ConfigError {
    /// The correction to try.
    pub fn help(&self) -> Option<String> {
        let usual = "`http://HOST:8080`, or `https://HOST/api` behind Armada's ingress";
        let example =
            r#"{currentContext: main, contexts: {main: {armadaRestUrl: "https://HOST/api"}}}"#;
        Some(match self {
            Self::NoSettings { near: Some((key, near)), .. } => {
                format!("`{key}` is not read; did you mean `{near}`?")
            }
            Self::NoSettings { near: None, .. } => format!("write it as `{example}`"),
            Self::NoFile => {
                format!(
                    "write `~/.armadactl.yaml`, such as `{example}`, or give another with `--config`"
                )
            }
            Self::NoContext { .. } => {
                "choose one with `armadactl config use-context NAME` or `--context NAME`".to_owned()
            }
            Self::UnknownContext { near: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::UnknownContext { known, .. } if known.is_empty() => return None,
            Self::UnknownContext { known, .. } => format!("there are {}", known.join(", ")),
            Self::NotEditable { .. } => "change `currentContext` with an editor".to_owned(),
            Self::NoRestAddress { next, origin, .. } => {
                let help = format!(
                    "set `armadaRestUrl` in the context, or give `--armada-rest-url`: {usual}"
                );
                match (next, origin.strip_prefix("given as ")) {
                    (Some(next), Some(this)) => {
                        format!(
                            "{help}. Without {this}, the address is {}",
                            next.trim_start_matches("given as ")
                        )
                    }
                    _ => help,
                }
            }
            Self::NoAddress { .. } => format!("add `armadaRestUrl` to it: {usual}"),
            Self::BadAddress { .. } => format!("write {usual}"),
            Self::BadTimeout(error) => error.help(),
            Self::NoTime => "write a Go duration, such as `30s`".to_owned(),
            Self::Unreadable { .. } | Self::Malformed { .. } | Self::BadAuth { .. } => return None,
        })
    }

    /// Whether the error is in the command line or in a choice made there. Otherwise it is in the file.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoRestAddress { .. }
                | Self::NoAddress { .. }
                | Self::BadAddress { .. }
                | Self::BadTimeout(_)
                | Self::NoTime
        )
    }
}
