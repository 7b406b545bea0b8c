//! Credentials, as a header that cannot be printed.

use super::program::{self, ProgramError};
use super::{ClientError, ClientErrorKind};
use crate::config::{Auth, BaseUrl, ExecCommand, InsecureAuth};
use secrecy::{ExposeSecret, SecretString};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Credentials in the form to be sent. `Debug` does not print them.
#[derive(Debug, Clone)]
pub(super) enum Credential {
    Basic { username: String, password: SecretString },
    Bearer(SecretString),
}

/// The maximum time of a program that is not interactive. It may send requests of its own for the token.
const PROGRAM_TIMEOUT: Duration = Duration::from_mins(1);

impl Credential {
    /// Returns the credentials of a context; runs its program if it has one. If the credentials would be sent
    /// unencrypted, the program is not run.
    pub fn of(
        auth: &Auth,
        base: &BaseUrl,
        insecure: InsecureAuth,
    ) -> Result<Option<Self>, ClientError> {
        if !matches!(auth, Auth::Anonymous | Auth::Unsupported { .. }) {
            check_encrypted(base, insecure)?;
        }
        match auth {
            Auth::Anonymous => Ok(None),
            Auth::Basic { username, password } => {
                Ok(Some(Self::Basic { username: username.clone(), password: password.clone() }))
            }
            Auth::Exec(command) => run_for_token(command, PROGRAM_TIMEOUT)
                .map(|run_for_token| Some(Self::Bearer(run_for_token))),
            Auth::Unsupported { block } => {
                let message = format!("`{block}` is not supported yet");
                let help = "`basicAuth` and `execAuth` are; nothing was sent without credentials";
                Err(ClientError::new(ClientErrorKind::Unsupported, message).help(help))
            }
        }
    }

    /// Adds the credentials to a request, marked as sensitive so that they are not logged.
    pub fn sign(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match self {
            Self::Basic { username, password } => {
                request.basic_auth(username, Some(password.expose_secret()))
            }
            Self::Bearer(run_for_token) => request.bearer_auth(run_for_token.expose_secret()),
        }
    }
}

fn check_encrypted(base: &BaseUrl, insecure: InsecureAuth) -> Result<(), ClientError> {
    if base.is_https() || base.is_loopback() || insecure == InsecureAuth::Allowed {
        return Ok(());
    }
    let message = format!("the credentials would go to `{base}` unencrypted");
    let help = "use its https:// address, or allow it with `--allow-insecure-auth`";
    Err(ClientError::new(ClientErrorKind::Insecure, message).help(help))
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
        ProgramError::Start(error) => failed(&format!("cannot be run: {error}")),
        ProgramError::Read(error) => failed(&format!("cannot be read: {error}")),
        ProgramError::TooLong => failed("printed more than 64 KiB"),
        ProgramError::Late => {
            let seconds = timeout.as_secs_f64();
            failed(&format!(
                "did not exit within {seconds} s, including the processes that it started"
            ))
            .help("a program that prompts on the terminal needs `interactive: true`")
        }
    })?;
    if !output.status.success() {
        return Err(failed(&format!("failed: {}", output.status)));
    }
    let text = String::from_utf8(output.stdout).unwrap_or_default();
    match text.trim() {
        "" => Err(failed("did not return a token")),
        run_for_token
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
        let of = |url: &str, insecure| Credential::of(&basic(), &base(url), insecure);
        for url in ["https://h", "http://localhost:1", "http://127.0.0.1", "http://[::1]"] {
            assert!(of(url, InsecureAuth::Refused).unwrap().is_some(), "{url}");
        }
        let error = of("http://h", InsecureAuth::Refused).unwrap_err();
        assert_eq!(error.kind, ClientErrorKind::Insecure);
        assert!(error.help.unwrap().contains("--allow-insecure-auth"));
        assert!(of("http://h", InsecureAuth::Allowed).unwrap().is_some());
        let open = Credential::of(&Auth::Anonymous, &base("http://h"), InsecureAuth::Refused);
        assert!(open.unwrap().is_none());
        // The program is not run.
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
