//! The tokens of a user's providers on disk, one file each, which only the user can read.
//!
//! A file is used only if it is for exactly the provider, client, grant, user and scopes that are asked for, and if
//! nobody else can read it. Writers replace it as a whole and hold a lock.

use super::token::Token;
use crate::config::{Grant, OpenIdAuth, SmallFile};
use crate::{ClientError, ClientErrorKind};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The maximum size of a file; tokens with many groups have some KiB.
const MAX_BYTES: usize = 256 << 10;
/// The pause between attempts to get the lock.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// The use of a token. A token of another key is never sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    provider: String,
    client: String,
    grant: String,
    user: Option<String>,
    scopes: Vec<String>,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(flatten)]
    key: Key,
    access_token: String,
    refresh_token: Option<String>,
    /// RFC 3339.
    expires: String,
    subject: Option<String>,
}

/// The file of one way to sign in.
#[derive(Debug)]
pub(super) struct Cache {
    directory: PathBuf,
    path: PathBuf,
    key: Key,
    keeps_refresh_token: bool,
}

/// The lock of the cache, which ends with this value.
#[derive(Debug)]
pub(super) struct Locked {
    _file: File,
}

impl Cache {
    /// The cache for these settings, below the user's cache directory. Nothing is read or created.
    pub fn new(directory: &Path, auth: &OpenIdAuth) -> Self {
        let user = match &auth.grant {
            Grant::Password { username, .. } => Some(username.clone()),
            _ => None,
        };
        let key = Key {
            provider: auth.provider.to_string(),
            client: auth.client.clone(),
            grant: auth.grant.block().to_owned(),
            user,
            scopes: auth.scopes.clone(),
        };
        let text = serde_json::to_string(&key).unwrap_or_default();
        let digest = Sha256::digest(text.as_bytes());
        let name = URL_SAFE_NO_PAD.encode(&digest[..16]);
        let directory = directory.join("tokens");
        let path = directory.join(format!("{name}.json"));
        Self { directory, path, key, keeps_refresh_token: auth.keeps_refresh_token }
    }

    /// The token in the file. A file that is missing, broken, of another key or readable by others has none: the user
    /// signs in again.
    pub fn read(&self) -> Option<Token> {
        let file = SmallFile::read(&self.path, MAX_BYTES).ok()?;
        if !is_private(&file.metadata) {
            return None;
        }
        let entry: Entry = serde_json::from_slice(&file.bytes).ok()?;
        let expires: Timestamp = entry.expires.parse().ok()?;
        (entry.key == self.key).then(|| Token {
            access: entry.access_token.into(),
            refresh: entry.refresh_token.map(SecretString::from),
            expires,
            user: entry.subject,
        })
    }

    /// Waits for the lock of the cache, at most for this time.
    pub async fn lock(&self, limit: Duration) -> Result<Locked, ClientError> {
        let file = self.lock_file().map_err(|error| self.error("lock", &error))?;
        let locked = tokio::time::timeout(limit, async {
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(()),
                    Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_PAUSE).await,
                    Err(TryLockError::Error(error)) => return Err(error),
                }
            }
        });
        match locked.await {
            Ok(Ok(())) => Ok(Locked { _file: file }),
            Ok(Err(error)) => Err(self.error("lock", &error)),
            Err(_) => {
                let error = self.error("lock", &io::Error::other("another process is signing in"));
                Err(ClientError { kind: ClientErrorKind::TimedOut, ..error })
            }
        }
    }

    fn lock_file(&self) -> io::Result<File> {
        create_private_directory(&self.directory)?;
        private_options().create(true).truncate(false).open(self.directory.join("lock"))
    }

    /// Writes a token; the caller holds the lock.
    pub fn write(&self, token: &Token, _: &Locked) -> Result<(), ClientError> {
        let refresh = token.refresh.as_ref().filter(|_| self.keeps_refresh_token);
        let entry = Entry {
            key: self.key.clone(),
            access_token: token.access.expose_secret().to_owned(),
            refresh_token: refresh.map(|refresh| refresh.expose_secret().to_owned()),
            expires: token.expires.to_string(),
            subject: token.user.clone(),
        };
        let text = serde_json::to_vec(&entry).map_err(io::Error::from);
        text.and_then(|text| self.replace(&text)).map_err(|error| self.error("write", &error))
    }

    /// Replaces the file as a whole.
    fn replace(&self, text: &[u8]) -> io::Result<()> {
        let temporary = self.path.with_extension("tmp");
        // A killed process may have left one; no other writes now.
        remove(&temporary)?;
        let mut file = private_options().create_new(true).open(&temporary)?;
        file.write_all(text)?;
        file.sync_all()?;
        fs::rename(temporary, &self.path)
    }

    /// Removes the token. Returns whether there was a file.
    pub fn remove(&self, _: &Locked) -> Result<bool, ClientError> {
        remove(&self.path.with_extension("tmp"))
            .and_then(|_| remove(&self.path))
            .map_err(|error| self.error("remove", &error))
    }

    fn error(&self, verb: &str, error: &io::Error) -> ClientError {
        let path = self.path.display();
        ClientError::new(
            ClientErrorKind::Input,
            format!("cannot {verb} the token in `{path}`: {error}"),
        )
        .help(
            "tokens are kept in the user's cache directory, which `XDG_CACHE_HOME` names on Linux",
        )
    }
}

/// Removes a file. Returns whether there was one.
fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Options of a file that only its owner can read.
fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Whether only the owner of a file, who is this user, can read and write it.
#[cfg(unix)]
fn is_private(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    const OTHERS: u32 = 0o077;
    metadata.permissions().mode() & OTHERS == 0
        && metadata.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_private(_: &fs::Metadata) -> bool {
    true
}
