//! Why a configuration cannot be used.

use crate::units::DurationError;
use std::io;
use std::path::PathBuf;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read or written.
    #[error("cannot {verb} the config file `{}`: {source}", path.display())]
    Unreadable {
        /// `read` or `write`.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is no configuration. The line itself is never shown: it may hold a password.
    #[error("{place}: {message}")]
    Malformed {
        /// `file:line:column`.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// There is no file where one is needed.
    #[error("there is no config file")]
    NoFile,
    /// Nothing says which context is meant.
    #[error("no context is chosen in `{}`", path.display())]
    NoContext {
        /// The file.
        path: PathBuf,
    },
    /// A context that the file does not have.
    #[error("there is no context `{name}` in {place}")]
    UnknownContext {
        /// The name that was asked for.
        name: String,
        /// The file, in words.
        place: String,
        /// The name that was probably meant.
        near: Option<String>,
        /// All names there are.
        known: Vec<String>,
    },
    /// The file cannot be changed without changing more than was asked for.
    #[error("cannot change `currentContext` in `{}` alone", path.display())]
    NotEditable {
        /// The file.
        path: PathBuf,
    },
    /// An address that is Armada's gRPC address, which speaks no REST.
    #[error("`{address}`, {origin}, is a gRPC address; this tool needs the REST address")]
    NoRestAddress {
        /// The address.
        address: String,
        /// Where it was found.
        origin: String,
    },
    /// A context without any address.
    #[error("the context `{name}` has no address")]
    NoAddress {
        /// The context.
        name: String,
    },
    /// A text that is no address.
    #[error("`{address}`, {origin}, is no REST address: {why}")]
    BadAddress {
        /// The text, without what might be secret in it.
        address: String,
        /// Where it was found.
        origin: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An authentication block that lacks what it needs.
    #[error("{place}: `{block}` {problem}")]
    BadAuth {
        /// `file:line:column`.
        place: String,
        /// The key of the block.
        block: String,
        /// What is wrong with it.
        problem: String,
    },
    /// `--request-timeout` is no duration.
    #[error("`--request-timeout`: {0}")]
    BadTimeout(DurationError),
    /// `--request-timeout` leaves no time.
    #[error("`--request-timeout` has to be more than zero")]
    NoTime,
}

impl ConfigError {
    /// The way out.
    pub fn help(&self) -> Option<String> {
        let usual = "`http://HOST:8080`, or `https://HOST/api` behind Armada's ingress";
        Some(match self {
            Self::NoFile => "write `~/.armadactl.yaml`, or give another with `--config`".to_owned(),
            Self::NoContext { .. } => {
                "choose one with `armadactl config use-context NAME` or `--context NAME`".to_owned()
            }
            Self::UnknownContext { near: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::UnknownContext { known, .. } if known.is_empty() => return None,
            Self::UnknownContext { known, .. } => format!("there are {}", known.join(", ")),
            Self::NotEditable { .. } => "change `currentContext` with an editor".to_owned(),
            Self::NoRestAddress { .. } => {
                format!("set `armadaRestUrl` in the context, or give `--armada-rest-url`: {usual}")
            }
            Self::NoAddress { .. } => format!("add `armadaRestUrl` to it: {usual}"),
            Self::BadAddress { .. } => format!("write {usual}"),
            Self::BadTimeout(error) => error.help(),
            Self::NoTime => "write a Go duration, such as `30s`".to_owned(),
            Self::Unreadable { .. } | Self::Malformed { .. } | Self::BadAuth { .. } => return None,
        })
    }

    /// Whether the command line is at fault, or what it chose; otherwise the file is.
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
