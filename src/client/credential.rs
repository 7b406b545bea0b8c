//! Credentials: who asks, as a header that cannot be printed.

use super::{ClientError, Trouble};
use crate::config::{Auth, BaseUrl, ExecCommand, InsecureAuth};
use secrecy::{ExposeSecret, SecretString};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Credentials ready to be sent. Debug shows nothing of them.
#[derive(Debug, Clone)]
pub(super) enum Credential {
    Basic { username: String, password: SecretString },
    Bearer(SecretString),
}

/// The longest a program may take to print a token, unless it talks to a person.
const PATIENCE: Duration = Duration::from_mins(1);
/// The longest token. A header of more is refused everywhere.
const LONGEST: u64 = 64 << 10;

impl Credential {
    /// The credentials of a context, if it has any: a program is run for them, once. Nothing is
    /// run or sent if it would go out unencrypted.
    pub fn of(
        auth: &Auth,
        base: &BaseUrl,
        insecure: InsecureAuth,
    ) -> Result<Option<Self>, ClientError> {
        if !matches!(auth, Auth::Anonymous | Auth::Unsupported { .. }) {
            encrypted(base, insecure)?;
        }
        match auth {
            Auth::Anonymous => Ok(None),
            Auth::Basic { username, password } => {
                Ok(Some(Self::Basic { username: username.clone(), password: password.clone() }))
            }
            Auth::Exec(command) => token(command).map(|token| Some(Self::Bearer(token))),
            Auth::Unsupported { block } => {
                let message = format!("`{block}` is not supported yet");
                let help = "`basicAuth` and `execAuth` are; nothing was sent without credentials";
                Err(ClientError::new(Trouble::Unsupported, message).help(help))
            }
        }
    }

    /// Puts the credentials into a request, marked so that nobody logs them.
    pub fn sign(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match self {
            Self::Basic { username, password } => {
                request.basic_auth(username, Some(password.expose_secret()))
            }
            Self::Bearer(token) => request.bearer_auth(token.expose_secret()),
        }
    }
}

fn encrypted(base: &BaseUrl, insecure: InsecureAuth) -> Result<(), ClientError> {
    if base.is_https() || base.is_loopback() || insecure == InsecureAuth::Allowed {
        return Ok(());
    }
    let message = format!("the credentials would go to `{base}` unencrypted");
    let help = "use its https:// address, or allow it with `--allow-insecure-auth`";
    Err(ClientError::new(Trouble::Insecure, message).help(help))
}

/// Runs the program by Armada's protocol: what it prints, trimmed, is the token.
fn token(command: &ExecCommand) -> Result<SecretString, ClientError> {
    let failed = |why: &str| {
        let message = format!("`execAuth`: `{}` {why}", command.program);
        ClientError::new(Trouble::Input, message)
    };
    let mut child = Command::new(&command.program)
        .args(command.args.iter().map(ExposeSecret::expose_secret))
        .envs(command.env.iter().map(|(name, value)| (name, value.expose_secret())))
        .stdin(if command.interactive { Stdio::inherit() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| failed(&format!("cannot be run: {error}")))?;
    let output = child.stdout.take().ok_or_else(|| failed("has no output"))?;
    let Some(printed) = read(output, if command.interactive { None } else { Some(PATIENCE) })
    else {
        // It is of no use any more; whether it can be ended changes nothing.
        let _ = child.kill();
        return Err(failed("printed no token in 60 s"));
    };
    let printed = printed.map_err(|error| failed(&format!("cannot be read: {error}")))?;
    let status = child.wait().map_err(|error| failed(&format!("cannot be waited for: {error}")))?;
    if !status.success() {
        return Err(failed(&format!("failed: {status}")));
    }
    let text = String::from_utf8(printed).unwrap_or_default();
    match text.trim() {
        "" => Err(failed("did not return a token")),
        token if token.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') => {
            Ok(SecretString::from(token))
        }
        _ => Err(failed("printed more than one line, or something that is no token")),
    }
}

/// All that is printed, if it ends in time.
fn read(
    output: impl Read + Send + 'static,
    patience: Option<Duration>,
) -> Option<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(LONGEST).read_to_end(&mut bytes);
        // Nobody waits for it any more if it took too long.
        let _ = sender.send(read.map(|_| bytes));
    });
    match patience {
        None => receiver.recv().ok(),
        Some(patience) => receiver.recv_timeout(patience).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> ExecCommand {
        ExecCommand {
            program: "sh".to_owned(),
            args: vec!["-c".into(), script.into()],
            env: vec![("OURS".to_owned(), "hush".into())],
            interactive: false,
        }
    }

    fn base(url: &str) -> BaseUrl {
        BaseUrl::parse(url, "in a test").unwrap()
    }

    fn basic() -> Auth {
        Auth::Basic { username: "me".to_owned(), password: "hush".into() }
    }

    #[cfg(unix)]
    #[test]
    fn what_a_program_prints_is_the_token() {
        assert_eq!(token(&sh("echo; echo \" t-$OURS \"")).unwrap().expose_secret(), "t-hush");
        let stdin = token(&sh("if read x; then echo open; else echo closed; fi"));
        assert_eq!(stdin.unwrap().expose_secret(), "closed");
        for (script, part) in [
            ("true", "did not return a token"),
            ("echo hush; exit 3", "failed: exit status: 3"),
            ("echo hush; echo hush", "more than one line"),
        ] {
            let error = token(&sh(script)).unwrap_err();
            assert!(error.message.contains(part), "{error}");
            assert!(!format!("{error:?}").contains("hush"), "{error:?}");
            assert_eq!(error.trouble, Trouble::Input);
        }
        let missing = ExecCommand { program: "no-such-program".to_owned(), ..sh("") };
        assert!(token(&missing).unwrap_err().message.contains("cannot be run"));
    }

    #[test]
    fn credentials_go_out_unencrypted_only_on_this_machine_or_if_allowed() {
        let of = |url: &str, insecure| Credential::of(&basic(), &base(url), insecure);
        for url in ["https://h", "http://localhost:1", "http://127.0.0.1", "http://[::1]"] {
            assert!(of(url, InsecureAuth::Refused).unwrap().is_some(), "{url}");
        }
        let error = of("http://h", InsecureAuth::Refused).unwrap_err();
        assert_eq!(error.trouble, Trouble::Insecure);
        assert!(error.help.unwrap().contains("--allow-insecure-auth"));
        assert!(of("http://h", InsecureAuth::Allowed).unwrap().is_some());
        let open = Credential::of(&Auth::Anonymous, &base("http://h"), InsecureAuth::Refused);
        assert!(open.unwrap().is_none());
        // A program is not even run.
        let exec = Auth::Exec(sh("echo t"));
        assert!(Credential::of(&exec, &base("http://h"), InsecureAuth::Refused).is_err());
    }

    #[test]
    fn nothing_that_is_secret_can_be_printed() {
        let auth = [basic(), Auth::Exec(sh("hush"))];
        assert!(!format!("{auth:?}").contains("hush"));
        let held = Credential::of(&basic(), &base("https://h"), InsecureAuth::Refused).unwrap();
        assert!(!format!("{held:?}").contains("hush"));
    }
}
