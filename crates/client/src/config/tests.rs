//! The precedence of config file, flags and environment, and errors in the file.

use super::*;
use secrecy::ExposeSecret;
use std::path::Path;
use tempfile::TempDir;

/// A home directory with a config file.
fn home(text: &str) -> (TempDir, ConfigLocations) {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join(".armadactl.yaml"), text).unwrap();
    let places =
        ConfigLocations { home: Some(folder.path().to_owned()), ..ConfigLocations::default() };
    (folder, places)
}

fn resolved(text: &str, overrides: &Overrides) -> Result<Connection, ConfigError> {
    let (_folder, places) = home(text);
    resolve(overrides, &places)
}

fn base(text: &str, overrides: &Overrides) -> String {
    resolved(text, overrides).unwrap().base.to_string()
}

#[expect(clippy::unnecessary_wraps, reason = "that is what it is for")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

const TWO: &str = "
currentContext: one
contexts:
  one: {armadaUrl: 'http://one:1/grpc', armadaRestUrl: 'http://one:2'}
  Two: {ArmadaRestURL: 'https://two/api/'}
";

#[test]
fn keys_and_names_of_contexts_know_no_case() {
    let text = "CURRENTCONTEXT: PROD\nContexts: {prod: {ARMADARESTURL: 'http://h', BasicAuth: {UserName: me, PASSWORD: 5}}}";
    let connection = resolved(text, &Overrides::default()).unwrap();
    assert_eq!(connection.context.as_deref(), Some("prod"));
    let Auth::Basic { username, password } = connection.auth else { panic!("basic") };
    assert_eq!((username.as_str(), password.expose_secret()), ("me", "5"));
}

#[test]
fn flag_then_environment_then_file() {
    let mut overrides = Overrides::default();
    assert_eq!(base(TWO, &overrides), "http://one:2");
    overrides.armadas_context = some("two");
    assert_eq!(base(TWO, &overrides), "https://two/api");
    overrides.context = some("ONE");
    assert_eq!(base(TWO, &overrides), "http://one:2");
    overrides.addresses.rest_flag = some("h:3/x");
    assert_eq!(base(TWO, &overrides), "http://h:3/x");
    overrides.addresses.rest_flag = some("");
    assert_eq!(base(TWO, &overrides), "http://one:2", "an empty text does not count");
}

/// The value of one source of an address: absent, an HTTP address, a gRPC address, and the context's own
/// `armadaUrl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Absent,
    Http,
    Grpc,
    Own,
}

/// The address of a source, which contains its name.
fn address_of(source: &str, form: Form) -> Option<String> {
    match form {
        Form::Absent => None,
        Form::Http => Some(format!("http://{source}:1")),
        Form::Grpc => Some(format!("{source}:50051")),
        Form::Own => some(" own:50051"),
    }
}

/// The address that a request has to be sent to, by the order of `docs/servers.md` alone; an error for `None`.
fn expected_base(sources: &[(&str, Form)], has_own_grpc: bool) -> Option<String> {
    for (source, form) in sources {
        match form {
            Form::Absent => {}
            Form::Own if has_own_grpc => {}
            Form::Http => return address_of(source, *form),
            Form::Grpc | Form::Own => return None,
        }
    }
    None
}

/// All forms of all five sources in the command line and the environment, with each kind of context.
#[test]
fn the_first_address_counts_and_never_gives_way() {
    use Form::{Absent, Grpc, Http, Own};
    let contexts = [
        (Absent, Absent),
        (Http, Absent),
        (Absent, Own),
        (Http, Own),
        (Absent, Http),
        (Http, Http),
    ];
    let mut count = 0;
    for (rest, armada) in contexts {
        let line = |key: &str, source: &str, form| {
            address_of(source, form).map(|url| format!("{key}: '{}', ", url.trim()))
        };
        let keys = line("armadaRestUrl", "context-rest", rest).unwrap_or_default()
            + &line("armadaUrl", "context-armada", armada).unwrap_or_default();
        let text = format!("currentContext: a\ncontexts: {{a: {{{keys}}}}}");
        let (_folder, places) = home(&text);
        for index in 0..2 * 4 * 2 * 4 * 4 {
            let rests = [Absent, Http];
            let all = [Absent, Http, Grpc, Own];
            let sources = [
                ("flag-rest", rests[index % 2]),
                ("flag-armada", all[index / 2 % 4]),
                ("env-rest", rests[index / 8 % 2]),
                ("env-armada", all[index / 16 % 4]),
                ("env-armadas", all[index / 64]),
                ("context-rest", rest),
                ("context-armada", armada),
            ];
            let at = |source: usize| address_of(sources[source].0, sources[source].1);
            let addresses = AddressOverrides {
                rest_flag: at(0),
                armada_flag: at(1),
                rest_variable: at(2),
                armada_variable: at(3),
                armadas_variable: at(4),
            };
            let overrides = Overrides { addresses, ..Overrides::default() };
            let got = resolve(&overrides, &places);
            let expected = expected_base(&sources, armada == Own);
            match (&got, expected) {
                (Ok(connection), Some(url)) => {
                    assert_eq!(connection.base.to_string(), url, "{sources:?}");
                }
                (Err(error), None) => {
                    assert!(error.is_usage(), "{error}");
                    let help = error.help().unwrap();
                    for part in ["armadaRestUrl", "http://HOST:8080", "https://HOST/api"] {
                        assert!(help.contains(part), "{help}");
                    }
                }
                (got, expected) => panic!("{sources:?}: {got:?}, expected {expected:?}"),
            }
            count += 1;
        }
    }
    assert_eq!(count, 6 * 256);
}

#[test]
fn the_error_of_a_grpc_address_names_what_it_overrides() {
    let addresses =
        AddressOverrides { armadas_variable: some("h:443"), ..AddressOverrides::default() };
    let overrides = Overrides { addresses, ..Overrides::default() };
    let error = resolved(TWO, &overrides).unwrap_err();
    assert!(error.to_string().starts_with("`h:443`, given as `ARMADAURL`, is a gRPC"), "{error}");
    let help = error.help().unwrap();
    let end = "Without `ARMADAURL`, the address is the `armadaRestUrl` of the context `one`";
    assert!(help.ends_with(end), "{help}");
}

#[test]
fn a_context_never_falls_back_to_localhost() {
    let none = Overrides::default();
    assert_eq!(base("", &none), "http://localhost:8080");
    assert_eq!(base("basicAuth: {username: a, password: b}", &none), "http://localhost:8080");
    let lacking = resolved("currentContext: a\ncontexts: {a: {}}", &none).unwrap_err();
    assert!(matches!(lacking, ConfigError::NoAddress { .. }), "{lacking}");
    for text in ["currentContext: a\ncontexts: {a: {armadaUrl: 'h:50051'}}", "armadaUrl: h:50051"] {
        let error = resolved(text, &none).unwrap_err();
        assert!(matches!(error, ConfigError::NoRestAddress { .. }), "{error}");
        let help = error.help().unwrap();
        for part in ["armadaRestUrl", "http://HOST:8080", "https://HOST/api"] {
            assert!(help.contains(part), "{help}");
        }
        assert!(error.is_usage());
    }
}

#[test]
fn contexts_of_which_none_is_chosen_are_not_used_and_that_is_said() {
    let connection = resolved("contexts: {a: {armadaRestUrl: 'http://a'}}", &Overrides::default());
    let connection = connection.unwrap();
    assert_eq!(connection.base.to_string(), "http://localhost:8080");
    assert!(connection.warnings[0].contains("no context is selected"), "{:?}", connection.warnings);
}

#[test]
fn the_old_form_has_everything_at_the_top() {
    let text = "armadaRestUrl: http://old:8080\nexecAuth: {cmd: token, args: [a, 1], env: [{name: A, value: b}], interactive: true}";
    let connection = resolved(text, &Overrides::default()).unwrap();
    assert_eq!(connection.base.to_string(), "http://old:8080");
    assert_eq!(connection.context, None);
    let Auth::Exec(exec) = connection.auth else { panic!("exec") };
    assert_eq!((exec.program.as_str(), exec.args.len(), exec.interactive), ("token", 2, true));
    assert_eq!(exec.args[1].expose_secret(), "1");
    assert_eq!((exec.env[0].0.as_str(), exec.env[0].1.expose_secret()), ("A", "b"));
}

#[test]
fn an_unknown_context_has_a_neighbour() {
    let overrides = Overrides { context: some("tow"), ..Overrides::default() };
    let error = resolved(TWO, &overrides).unwrap_err();
    assert!(error.help().unwrap().contains("`Two`"), "{error}");
    assert!(!error.is_usage());
    let alone = resolve(&overrides, &ConfigLocations::default()).unwrap_err();
    assert!(alone.to_string().contains("there is none"), "{alone}");
}

#[test]
fn a_file_at_home_replaces_the_defaults_beside_the_binary() {
    let (home, mut places) = home("armadaRestUrl: http://home");
    let next_to_binary = TempDir::new().unwrap();
    let defaults = "armadaRestUrl: http://beside\nbasicAuth: {username: u}";
    std::fs::write(next_to_binary.path().join("armadactl-defaults.yaml"), defaults).unwrap();
    places.next_to_binary = Some(next_to_binary.path().to_owned());
    let none = Overrides::default();
    let connection = resolve(&none, &places).unwrap();
    assert_eq!(connection.base.to_string(), "http://home");
    assert!(matches!(connection.auth, Auth::Anonymous), "nothing is merged");
    std::fs::remove_file(home.path().join(".armadactl.yaml")).unwrap();
    assert_eq!(resolve(&none, &places).unwrap().base.to_string(), "http://beside");
    places.explicit = Some(home.path().join("missing.yaml"));
    let error = resolve(&none, &places).unwrap_err();
    assert!(matches!(error, ConfigError::Unreadable { .. }), "{error}");
}

#[test]
fn every_block_of_armada_s_is_read() {
    let of = |block: &str, content: &str| {
        let text = format!("armadaRestUrl: http://h\n{block}: {content}");
        resolved(&text, &Overrides::default()).map(|connection| connection.auth)
    };
    let open_id = |block: &str, more: &str| {
        let fields = "PROVIDERURL: 'https://idp/', clientId: tool, scopes: 'a,b'";
        let auth = of(block, &format!("{{{fields}{more}}}")).unwrap();
        assert_eq!(auth.name(), Some(block));
        let Auth::OpenId(auth) = auth else { panic!("{auth:?}") };
        assert_eq!(auth.provider.to_string(), "https://idp");
        assert_eq!(
            (auth.client.as_str(), auth.scopes.as_slice()),
            ("tool", ["a", "b"].map(String::from).as_slice())
        );
        auth.grant
    };
    assert!(matches!(open_id("openIdAuth", ""), Grant::Code { port: None }));
    assert!(matches!(open_id("openIdAuth", ", localPort: 0"), Grant::Code { port: None }));
    assert!(matches!(open_id("openIdAuth", ", localPort: 9"), Grant::Code { port: Some(9) }));
    assert!(matches!(open_id("openIdDeviceAuth", ""), Grant::Device));
    assert!(matches!(open_id("openIdKubernetesAuth", ""), Grant::Kubernetes));
    let secret = open_id("openIdClientCredentialsAuth", ", clientSecret: 5");
    assert!(matches!(secret, Grant::ClientCredentials { secret } if secret.expose_secret() == "5"));
    let password = open_id("openIdPasswordAuth", ", username: me, password: hush");
    assert!(!format!("{password:?}").contains("hush"));
    for (fields, expected) in [("", 3_600), (", expiry: 0", 3_600), (", expiry: 700", 700)] {
        let auth = of("kubernetesNativeAuth", &format!("{{enabled: true{fields}}}"));
        assert!(matches!(auth, Ok(Auth::Kubernetes { expiry }) if expiry == expected), "{auth:?}");
    }
    let off = "armadaRestUrl: http://h\nkubernetesNativeAuth: {enabled: false}\nopenIdAuth:\nexecAuth: {}";
    assert!(matches!(resolved(off, &Overrides::default()).unwrap().auth, Auth::Anonymous));
}

#[test]
fn an_incomplete_block_is_an_error_without_its_secrets() {
    let provider = "providerUrl: 'https://idp', clientId: x";
    for (block, content, part) in [
        ("openIdAuth", "{clientId: hush}", "has no `providerUrl`"),
        ("openIdAuth", "{providerUrl: 'https://hush'}", "has no `clientId`"),
        ("openIdDeviceAuth", "{providerUrl: 'idp:hush@h', clientId: x}", "is not an address"),
        ("openIdDeviceAuth", "{providerUrl: 'ftp://hush', clientId: x}", "is not an address"),
        ("openIdAuth", &format!("{{{provider}, localPort: hush}}"), "is not a port"),
        ("openIdAuth", &format!("{{{provider}, localPort: 70000}}"), "is not a port"),
        ("openIdPasswordAuth", &format!("{{{provider}, password: hush}}"), "has no `username`"),
        ("openIdAuth", &format!("{{{provider}, scopes: {{hush: true}}}}"), "that are not a list"),
        ("openIdAuth", "[hush]", "has no `providerUrl`"),
        ("kubernetesNativeAuth", "{enabled: true, expiry: 599}", "that is not 600 seconds or more"),
        ("openIdPasswordAuth", &format!("{{{provider}, username: hush}}"), "has no `password`"),
        ("openIdClientCredentialsAuth", &format!("{{{provider}}}"), "has no `clientSecret`"),
        (
            "kubernetesNativeAuth",
            "{enabled: true, expiry: hush}",
            "that is not 600 seconds or more",
        ),
    ] {
        let text = format!("armadaRestUrl: http://h\n{block}: {content}");
        let error = resolved(&text, &Overrides::default()).unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains("hush"), "{error}");
    }
}

#[test]
fn other_keys_of_armada_s_are_no_slips() {
    let keys = ["executorClusters", "grpcKeepAliveTime", "grpcKeepAliveTimeout", "forceNoTls"];
    for key in keys.into_iter().chain(["cacheRefreshToken", "mine"]) {
        let text = format!("armadaRestUrl: http://h\n{key}: 1");
        assert!(matches!(resolved(&text, &Overrides::default()).unwrap().auth, Auth::Anonymous));
    }
}

#[test]
fn a_slip_in_a_block_never_means_anonymous() {
    for (block, part) in [
        ("basicauht: {username: a}", "did you mean `basicAuth`?"),
        ("tokenAuth: hush", "not an authentication method"),
        ("basikAuth: {username: a}", "did you mean `basicAuth`?"),
        ("basicAuth: {password: hush}", "no `username`"),
        ("basicAuth: {username: 'a:b'}", "colon"),
        ("basicAuth: me", "no `username`"),
        ("execAuth: {command: hush}", "`command` is not a field"),
    ] {
        let got = resolved(&format!("armadaRestUrl: http://h\n{block}"), &Overrides::default());
        let error = got.unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.to_string().contains(".armadactl.yaml:2:1"), "{error}");
        assert!(!error.to_string().contains("hush"), "{error}");
    }
}

#[test]
fn a_broken_file_is_refused_without_showing_its_lines() {
    for text in [
        "basicAuth: {password: hush",
        "- hush",
        "a: 1\n---\nb: hush",
        "contexts: {a: {}, A: {}}",
        "currentContext: a\ncurrentcontext: b",
        "contexts: {a: {basicAuth: {password: \"hush\nhush: [}}}",
    ] {
        let error = resolved(text, &Overrides::default()).unwrap_err();
        assert!(matches!(error, ConfigError::Malformed { .. }), "{error}");
        assert!(!format!("{error}{error:?}").contains("hush"), "{error:?}");
    }
}

#[test]
fn timeouts_are_go_durations() {
    let with = |text: &str| {
        let overrides = Overrides { request_timeout: some(text), ..Overrides::default() };
        resolved("", &overrides).map(|connection| connection.timeout.as_millis())
    };
    assert_eq!(with("1m30s").unwrap(), 90_000);
    assert_eq!(with("").unwrap(), 30_000);
    for text in ["5", "0s", "-1s", "soon"] {
        assert!(with(text).unwrap_err().is_usage(), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn others_that_can_read_a_password_are_warned_about() {
    use std::os::unix::fs::PermissionsExt;
    let warnings = |text: &str, mode: u32| {
        let (folder, places) = home(text);
        let path = folder.path().join(".armadactl.yaml");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        resolve(&Overrides::default(), &places).unwrap().warnings
    };
    let secret = "basicAuth: {username: a, password: hush}";
    assert!(warnings(secret, 0o644)[0].contains("chmod 600"));
    assert!(warnings(secret, 0o640)[0].contains("chmod 600"));
    assert_eq!(warnings(secret, 0o600), [""; 0]);
    assert_eq!(warnings("basicAuth: {username: a}", 0o644), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_changed_file_keeps_its_mode_and_its_link() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, mut places) = home("# mine\ncontexts: {a: {}, b: {}}\n");
    let target = folder.path().join("real.yaml");
    std::fs::rename(folder.path().join(".armadactl.yaml"), &target).unwrap();
    let link = folder.path().join("link.yaml");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
    places.explicit = Some(link.clone());
    let name = ConfigFile::require(&places).unwrap().use_context("B").unwrap();
    assert_eq!(name, "b");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    let text = std::fs::read_to_string(&target).unwrap();
    assert_eq!(text, "# mine\ncurrentContext: b\ncontexts: {a: {}, b: {}}\n");
    assert_eq!(names(folder.path()), ["link.yaml", "real.yaml"]);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_selected_context_never_falls_back_to_this_machine() {
    for text in
        ["currentContext: dev\ncontext: {dev: {armadaUrl: 'http://h'}}", "currentContext: dev"]
    {
        let error = resolved(text, &Overrides::default()).unwrap_err();
        assert!(error.to_string().contains("`dev`"), "{text}: {error}");
    }
}
