//! The tokens of a user's providers on disk, one file each, which only the user can read.
//!
//! A file is used only if it is for exactly the provider, client, grant, user and scopes that are asked for, and if
//! only this user can read it. A process that writes it holds its lock and replaces the whole file.

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
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The maximum size of a file; tokens with many groups have some KiB.
const MAX_BYTES: usize = 256 << 10;
/// The bytes that are written before a token is asked for, so that there is space for it.
const RESERVED_BYTES: usize = 32 << 10;
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

impl Entry {
    /// The token; `None` if its expiry is not a time.
    fn token(self) -> Option<Token> {
        Some(Token {
            access: self.access_token.into(),
            refresh: self.refresh_token.map(SecretString::from),
            expires: self.expires.parse::<Timestamp>().ok()?,
            user: self.subject,
        })
    }
}

/// The file of one way to sign in.
#[derive(Debug)]
pub(super) struct Cache {
    directory: PathBuf,
    path: PathBuf,
    key: Key,
    keeps_refresh_token: bool,
}

/// The lock of a file, with the space for its next content. Both end with this value.
#[derive(Debug)]
pub(super) struct Locked {
    _lock: File,
    temporary: File,
    temporary_path: PathBuf,
}

impl Drop for Locked {
    /// Removes the space, unless it has become the file.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.temporary_path);
    }
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
        // Half of the digest is enough to tell settings apart, and the full key is in the file.
        let name = URL_SAFE_NO_PAD.encode(&Sha256::digest(text.as_bytes())[..16]);
        let directory = directory.join("tokens");
        let path = directory.join(format!("{name}.json"));
        Self { directory, path, key, keeps_refresh_token: auth.keeps_refresh_token }
    }

    /// The token in the file. A file that is missing, broken, of another key or readable by others has none: the user
    /// signs in again.
    pub fn read(&self) -> Option<Token> {
        let file = SmallFile::read(&self.path, MAX_BYTES).ok()?;
        let entry: Entry = serde_json::from_slice(&file.bytes).ok()?;
        // The name of the file is a shortened hash, so that the key itself is compared too.
        (is_private(&file.metadata) && entry.key == self.key).then(|| entry.token())?
    }

    /// Waits for the lock of the file, at most for this time, and makes sure that a token can be written.
    pub async fn lock(&self, limit: Duration) -> Result<Locked, ClientError> {
        let lock = self.open_lock().map_err(|error| self.error("lock", &error))?;
        let locked = tokio::time::timeout(limit, async {
            loop {
                // Polled, since a blocking lock could not be given up at the limit.
                match lock.try_lock() {
                    Ok(()) => return Ok(()),
                    Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_PAUSE).await,
                    Err(TryLockError::Error(error)) => return Err(error),
                }
            }
        });
        match locked.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(self.error("lock", &error)),
            Err(_) => {
                let message = "another armadactl is asking the same provider for the same token";
                return Err(ClientError::new(ClientErrorKind::TimedOut, message).help("try again"));
            }
        }
        let temporary_path = self.path.with_extension("tmp");
        let temporary =
            create_temporary(&temporary_path).map_err(|error| self.error("write", &error))?;
        Ok(Locked { _lock: lock, temporary, temporary_path })
    }

    fn open_lock(&self) -> io::Result<File> {
        create_private_directory(&self.directory)?;
        private_options().create(true).truncate(false).open(self.path.with_extension("lock"))
    }

    pub fn write(&self, token: &Token, mut locked: Locked) -> Result<(), ClientError> {
        let refresh = token.refresh.as_ref().filter(|_| self.keeps_refresh_token);
        let entry = Entry {
            key: self.key.clone(),
            access_token: token.access.expose_secret().to_owned(),
            refresh_token: refresh.map(|refresh| refresh.expose_secret().to_owned()),
            expires: token.expires.to_string(),
            subject: token.user.clone(),
        };
        let text = serde_json::to_vec(&entry).map_err(io::Error::from);
        text.and_then(|text| self.replace(&text, &mut locked))
            .map_err(|error| self.error("write", &error))
    }

    /// Replaces the file as a whole.
    fn replace(&self, text: &[u8], locked: &mut Locked) -> io::Result<()> {
        let file = &mut locked.temporary;
        file.rewind()?;
        file.write_all(text)?;
        // The reserved bytes behind the token go.
        file.set_len(text.len() as u64)?;
        // Before the rename: after a crash the file has either the old content or the new one.
        file.sync_all()?;
        fs::rename(&locked.temporary_path, &self.path)
    }

    /// Whether no token was ever written: the directory does not exist.
    pub fn is_new(&self) -> bool {
        !self.directory.exists()
    }

    /// Removes the tokens of this provider and client, whatever their scopes. Returns them: others may have read some,
    /// which have to be revoked too.
    pub fn remove_all(&self, _: &Locked) -> Result<Vec<Token>, ClientError> {
        let mut removed = Vec::new();
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(removed),
            entries => entries.map_err(|error| self.error("remove", &error))?,
        };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            // A file that cannot be read is not one of this program's tokens, and others should still go.
            let Ok(file) = SmallFile::read(&path, MAX_BYTES) else { continue };
            let Ok(entry) = serde_json::from_slice::<Entry>(&file.bytes) else { continue };
            if entry.key.provider != self.key.provider || entry.key.client != self.key.client {
                continue;
            }
            remove(&path).map_err(|error| self.error("remove", &error))?;
            removed.extend(entry.token());
        }
        Ok(removed)
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

/// Creates the next content's file, with space for it.
fn create_temporary(path: &Path) -> io::Result<File> {
    // A killed process may have left one; no other writes now.
    remove(path)?;
    let file = private_options().create_new(true).open(path)?;
    // Checked before anything secret is written: some file systems ignore the mode.
    let reserved = if is_private(&file.metadata()?) {
        (&file).write_all(&vec![b' '; RESERVED_BYTES])
    } else {
        Err(io::Error::other("its file system does not keep files from other users"))
    };
    reserved.inspect_err(|_| _ = fs::remove_file(path))?;
    Ok(file)
}

/// Removes a file, if there is one.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
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
