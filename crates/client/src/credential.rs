//! Credentials, as a header that cannot be printed.

use super::http::check_encrypted;
use super::program::{self, ProgramError};
use super::sign_in::{ServiceAccount, SignIn, token};
use super::{ClientError, ClientErrorKind, Effect};
use crate::config::{Auth, Connection, ExecCommand, Renewal};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::Timestamp;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The user of credentials, by their own word: the server may know it by another name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// The user's name; `None` if the credentials do not tell.
    pub user: Option<String>,
    /// The time at which the token expires; `None` if it does not, or if that is unknown.
    pub expires: Option<Timestamp>,
    /// Whether the token is renewed without a person.
    pub is_renewable: bool,
}

impl Identity {
    /// The identity in a header's value.
    fn read(header: &str) -> Self {
        let (scheme, text) = header.split_once(' ').unwrap_or_default();
        // The claims are only shown, so that neither signature nor expiry is verified; the server does that.
        let claims = match scheme {
            "Basic" => {
                let pair = STANDARD.decode(text).ok().and_then(|pair| String::from_utf8(pair).ok());
                let user = pair.and_then(|pair| Some(pair.split_once(':')?.0.to_owned()));
                return Self { user, ..Self::default() };
            }
            KUBERNETES_SCHEME => {
                let body = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
                let body: Value = serde_json::from_slice(&body).unwrap_or_default();
                token::claims(body["token"].as_str().unwrap_or_default())
            }
            _ => token::claims(text),
        };
        let expires = token::seconds(&claims["exp"]).and_then(|at| Timestamp::from_second(at).ok());
        let is_renewable = scheme == KUBERNETES_SCHEME;
        Self { user: token::subject(&claims), expires, is_renewable }
    }
}

/// The source of the credentials of requests. `Debug` does not print them.
#[derive(Debug)]
pub(super) enum Credential {
    /// The same for each request; `None` for anonymous ones.
    Fixed(Option<HeaderValue>),
    /// Tokens of an OpenID Connect provider.
    SignIn(Box<SignIn>),
    /// Tokens of a service account.
    ServiceAccount(ServiceAccount),
}

/// Armada's scheme for tokens of Kubernetes. Its servers tell upper from lower case here.
const KUBERNETES_SCHEME: &str = "KubernetesAuth";

/// The maximum time of a program that is not interactive. It may send requests of its own for the token.
const PROGRAM_TIMEOUT: Duration = Duration::from_mins(1);

impl Credential {
    /// The source of the credentials of a context; runs its program if it has one. If the credentials would be sent
    /// unencrypted, the program is not run.
    pub fn new(connection: &Connection, log: Option<fn(&str)>) -> Result<Self, ClientError> {
        let auth = &connection.auth;
        // Before the program of `execAuth` runs: a token that cannot be sent should not be issued.
        if !matches!(auth, Auth::Anonymous) {
            check_encrypted(&connection.base, connection.insecure_auth)?;
        }
        Ok(match auth {
            Auth::Anonymous => Self::Fixed(None),
            Auth::Basic { username, password } => {
                let pair = SecretString::from(format!("{username}:{}", password.expose_secret()));
                let encoded = STANDARD.encode(pair.expose_secret()).into();
                Self::Fixed(Some(header("Basic", &encoded)?))
            }
            Auth::Exec(command) => {
                Self::Fixed(Some(header("Bearer", &run_for_token(command, PROGRAM_TIMEOUT)?)?))
            }
            Auth::Kubernetes { .. } if connection.renewal == Renewal::Never => {
                let message = "no token is asked for now";
                return Err(ClientError::new(ClientErrorKind::Denied, message));
            }
            Auth::Kubernetes { expiry } => {
                Self::ServiceAccount(ServiceAccount::new(connection, *expiry, log))
            }
            Auth::OpenId(auth) => Self::SignIn(Box::new(SignIn::new(connection, auth, log)?)),
        })
    }

    /// The user of the credentials, by their own word.
    pub async fn identity(&self) -> Result<Identity, ClientError> {
        // A signed-in user has claims in the identity token too, which the header does not carry.
        if let Self::SignIn(sign_in) = self {
            let token = sign_in.token().await?;
            let is_renewable = sign_in.is_renewable(&token);
            return Ok(Identity { user: token.user, expires: Some(token.expires), is_renewable });
        }
        let header = self.authorization().await?;
        let text = header.as_ref().and_then(|header| header.to_str().ok()).unwrap_or_default();
        Ok(Identity::read(text))
    }

    /// The header of the next request. A token is renewed or asked for, if necessary.
    pub async fn authorization(&self) -> Result<Option<HeaderValue>, ClientError> {
        // The errors are those of other requests, which change nothing on the server.
        self.find_authorization().await.map_err(|error| error.effect(Effect::None))
    }

    async fn find_authorization(&self) -> Result<Option<HeaderValue>, ClientError> {
        match self {
            Self::Fixed(header) => Ok(header.clone()),
            Self::SignIn(sign_in) => header("Bearer", &sign_in.token().await?.access).map(Some),
            Self::ServiceAccount(account) => {
                header(KUBERNETES_SCHEME, &account.credentials(None).await?).map(Some)
            }
        }
    }

    /// Replaces a header that the server has refused; `None` if the credentials have no other.
    pub async fn replace(
        &self,
        refused: Option<&HeaderValue>,
    ) -> Result<Option<HeaderValue>, ClientError> {
        let Some(text) = refused.and_then(|refused| refused.to_str().ok()) else { return Ok(None) };
        // Caches compare tokens, not headers.
        let text = SecretString::from(text.split_once(' ').map_or(text, |(_, token)| token));
        let other = match self {
            Self::Fixed(_) => return Ok(None),
            Self::SignIn(sign_in) => {
                // The server's refusal says more than that a person has to sign in.
                let Ok(token) = sign_in.replace(&text).await else { return Ok(None) };
                header("Bearer", &token.access)?
            }
            Self::ServiceAccount(account) => {
                let Ok(other) = account.credentials(Some(&text)).await else { return Ok(None) };
                header(KUBERNETES_SCHEME, &other)?
            }
        };
        Ok(Some(other))
    }
}

/// A header value, marked as sensitive so that it is not logged.
fn header(scheme: &str, token: &SecretString) -> Result<HeaderValue, ClientError> {
    let mut value =
        HeaderValue::try_from(format!("{scheme} {}", token.expose_secret())).map_err(|_| {
            ClientError::new(ClientErrorKind::Input, "the credentials do not fit into a header")
        })?;
    value.set_sensitive(true);
    Ok(value)
}

/// Runs the program by Armada's protocol: its trimmed output is the token.
fn run_for_token(command: &ExecCommand, timeout: Duration) -> Result<SecretString, ClientError> {
    let failed = |why: &str| {
        let message = format!("`execAuth`: `{}` {why}", command.program);
        ClientError::new(ClientErrorKind::Input, message)
    };
    // Interactive programs have no timeout: the user may take any time, and can end the program.
    let bound = (!command.interactive).then_some(timeout);
    let output = program::run(build_command(command), bound).map_err(|error| match error {
        ProgramError::Late => {
            let seconds = timeout.as_secs_f64();
            failed(&format!(
                "did not exit within {seconds} s, including the processes that it started"
            ))
            .help("a program that prompts on the terminal needs `interactive: true`")
        }
        error => failed(&error.to_string()),
    })?;
    if !output.status.success() {
        return Err(failed(&format!("failed: {}", output.status)));
    }
    let text = String::from_utf8(output.stdout).unwrap_or_default();
    match text.trim() {
        "" => Err(failed("did not return a token")),
        run_for_token
            // One line of visible characters is all that a header can carry; anything else would fail later with a
            // worse message.
            if run_for_token.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') =>
        {
            Ok(SecretString::from(run_for_token))
        }
        _ => Err(failed("printed more than one line, or text that is not a token")),
    }
}

/// The program with its arguments and variables.
fn build_command(command: &ExecCommand) -> Command {
    let mut build_command = Command::new(&command.program);
    build_command
        .args(command.args.iter().map(ExposeSecret::expose_secret))
        .envs(command.env.iter().map(|(name, value)| (name, value.expose_secret())))
        .stdin(if command.interactive { Stdio::inherit() } else { Stdio::null() })
        .stderr(Stdio::inherit());
    build_command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{BaseUrl, InsecureAuth};

    fn sh(script: &str) -> ExecCommand {
        ExecCommand {
            program: "sh".to_owned(),
            args: vec!["-c".into(), script.into()],
            env: vec![("OURS".to_owned(), "hush".into())],
            interactive: false,
        }
    }

    fn run(command: &ExecCommand) -> Result<SecretString, ClientError> {
        run_for_token(command, PROGRAM_TIMEOUT)
    }

    fn base(url: &str) -> BaseUrl {
        BaseUrl::parse(url, "in a test").unwrap()
    }

    fn basic() -> Auth {
        Auth::Basic { username: "me".to_owned(), password: "hush".into() }
    }

    fn credential(
        auth: Auth,
        base: BaseUrl,
        insecure_auth: InsecureAuth,
    ) -> Result<Credential, ClientError> {
        let connection = Connection {
            base,
            auth,
            context: None,
            timeout: PROGRAM_TIMEOUT,
            ca_file: None,
            insecure_auth,
            cache_directory: None,
            renewal: Renewal::Allowed,
            warnings: Vec::new(),
        };
        Credential::new(&connection, None)
    }

    fn is_sent(credential: &Credential) -> bool {
        matches!(credential, Credential::Fixed(Some(_)))
    }

    #[cfg(unix)]
    #[test]
    fn what_a_program_prints_is_the_token() {
        assert_eq!(run(&sh("echo; echo \" t-$OURS \"")).unwrap().expose_secret(), "t-hush");
        let stdin = run(&sh("if read x; then echo open; else echo closed; fi"));
        assert_eq!(stdin.unwrap().expose_secret(), "closed");
        for (script, part) in [
            ("true", "did not return a token"),
            ("echo hush; exit 3", "failed: exit status: 3"),
            ("echo hush; echo hush", "more than one line"),
            ("exec yes hush", "printed more than 64 KiB"),
            ("head -c 65537 /dev/zero | tr '\\0' t", "printed more than 64 KiB"),
        ] {
            let error = run(&sh(script)).unwrap_err();
            assert!(error.message.contains(part), "{error}");
            assert!(!format!("{error:?}").contains("hush"), "{error:?}");
            assert_eq!(error.kind, ClientErrorKind::Input);
        }
        let longest = run(&sh("head -c 65536 /dev/zero | tr '\\0' t")).unwrap();
        assert_eq!(longest.expose_secret().len(), 65_536);
        let talks = ExecCommand { interactive: true, ..sh("exec yes hush") };
        assert!(run(&talks).unwrap_err().message.contains("printed more than 64 KiB"));
        let missing = ExecCommand { program: "no-such-program".to_owned(), ..sh("") };
        assert!(run(&missing).unwrap_err().message.contains("cannot be run"));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_ends_in_time_with_all_that_it_started() {
        let folder = tempfile::TempDir::new().unwrap();
        for (name, script) in [
            ("silent", "exec sleep 1000"),
            ("closed", "echo t; exec >&-; sleep 1000; true"),
            ("behind", "echo t; sleep 1000 &"),
            ("deaf", "trap '' TERM INT HUP; echo t; sleep 1000 & wait"),
        ] {
            let held = folder.path().join(name);
            assert!(Command::new("mkfifo").arg(&held).status().unwrap().success());
            let script = format!("exec 9>{}; {script}", held.display());
            // The pipe ends when every program that has it open has ended.
            let (sender, receiver) = std::sync::mpsc::channel();
            std::thread::spawn(move || _ = sender.send(std::fs::read(held).is_ok()));
            let error = run_for_token(&sh(&script), Duration::from_millis(500)).unwrap_err();
            assert!(error.message.contains("did not exit within 0.5 s"), "{name}: {error}");
            assert_eq!(receiver.recv_timeout(PROGRAM_TIMEOUT), Ok(true), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_talks_to_a_person_has_time() {
        let slow = ExecCommand { interactive: true, ..sh("sleep 0.3; echo t") };
        let run_for_token = run_for_token(&slow, Duration::from_millis(1)).unwrap();
        assert_eq!(run_for_token.expose_secret(), "t");
    }

    #[test]
    fn credentials_go_out_unencrypted_only_on_this_machine_or_if_allowed() {
        let of = |url: &str, insecure| credential(basic(), base(url), insecure);
        for url in ["https://h", "http://localhost:1", "http://127.0.0.1", "http://[::1]"] {
            assert!(is_sent(&of(url, InsecureAuth::Refused).unwrap()), "{url}");
        }
        let error = of("http://h", InsecureAuth::Refused).unwrap_err();
        assert_eq!(error.kind, ClientErrorKind::Insecure);
        assert!(error.help.unwrap().contains("--allow-insecure-auth"));
        assert!(is_sent(&of("http://h", InsecureAuth::Allowed).unwrap()));
        let open = credential(Auth::Anonymous, base("http://h"), InsecureAuth::Refused);
        assert!(matches!(open, Ok(Credential::Fixed(None))));
        // The program is not run.
        let exec = Auth::Exec(sh("echo t"));
        assert!(credential(exec, base("http://h"), InsecureAuth::Refused).is_err());
    }

    #[test]
    fn nothing_that_is_secret_can_be_printed() {
        let auth = [basic(), Auth::Exec(sh("hush"))];
        assert!(!format!("{auth:?}").contains("hush"));
        let held = credential(basic(), base("https://h"), InsecureAuth::Refused).unwrap();
        assert!(!format!("{held:?}").contains("hush"));
        assert!(!format!("{held:?}").contains("bWU6"));
    }
}
