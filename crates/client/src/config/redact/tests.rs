//! Secrets in every position of a config file, and the values that are still printed.

use super::*;

/// A config file in which each `hush` is a secret, and no other value is.
const PLANTED: &str = "
currentContext: a
contexts:
  a:
    armadaUrl: me:hush01@host:443
    armadaRestUrl: https://me:hush02@host:1/x?access_token=hush03#hush04
    passwrd: hush05
    token: hush06
    note: hush07
    number: 7777708
    deep: {er: [hush09, {k: hush10}]}
    basicAuth: {username: me, Password: hush11, passwrd: hush12, pass: {w: hush13}}
    execAuth:
      cmd: /usr/bin/prog
      args: [--token=hush14, --password, hush15, -phush16, hush17, 7777718, [hush19]]
      env:
        - {name: A_1, value: hush20}
        - {name: B=hush21, value: x}
        - C=hush22
        - {name: D, secret: hush23}
      interactive: true
      apiKey: hush24
  b:
    armadaUrl: https://host/?sig=hush25
    openIdAuth: {providerUrl: 'https://u:hush26@idp/realm?k=hush27', clientId: id, localPort: 8085, scopes: [openid, 'api://x/.default'], secret: hush28}
    openIdPasswordAuth: {providerUrl: 'https://idp', clientId: 'api://hush29@id', username: 'me:hush30', password: hush31}
    openIdClientCredentialsAuth: {clientId: id, clientSecret: hush32, scopes: 'x?hush33'}
    kubernetesNativeAuth: {enabled: true, expiry: 3600, token: hush34}
    executorClusters: {c: 'https://u:hush35@c:2/x'}
    bearerAuth: hush36
    forceNoTls: hush37
    grpcKeepAliveTime: hush38
    cacheRefreshToken: true
  c:
    execAuth: {cmd: 'prog --key=hush39', args: hush40, env: hush41}
    openIdAuth: hush42
    openIdDeviceAuth: {localPort: hush43, scopes: [a=hush44], providerUrl: hush45 hush46}
    kubernetesNativeAuth: [hush47]
  d: hush48
  e: {armadaUrl: {x: hush49}, basicAuth: [{username: hush50}]}
armadaUrl: https://h/x
basicAuth: {username: top, password: hush51}
extra: {kept: hush52}
# hush53
";

fn shown(text: &str) -> Value {
    redact(&ConfigFile::parse("x".into(), text, false).unwrap())
}

#[test]
fn no_secret_is_shown() {
    let text = shown(PLANTED).to_string();
    for number in 1..=53 {
        let planted = [format!("hush{number:02}"), format!("77777{number:02}")];
        assert!(planted.iter().any(|secret| PLANTED.contains(secret)), "{number} is not planted");
        assert!(!planted.iter().any(|secret| text.contains(secret)), "{number}: {text}");
    }
    assert!(!text.contains("hush"), "{text}");
}

#[test]
fn everything_known_to_be_harmless_is_shown() {
    let shown = shown(PLANTED);
    for (path, value) in [
        ("/currentContext", "\"a\""),
        ("/contexts/a/armadaUrl", "\"REDACTED@host:443\""),
        ("/contexts/a/armadaRestUrl", "\"https://REDACTED@host:1/x?REDACTED\""),
        ("/contexts/a/basicAuth/username", "\"me\""),
        ("/contexts/a/execAuth/cmd", "\"/usr/bin/prog\""),
        ("/contexts/a/execAuth/env/0/name", "\"A_1\""),
        ("/contexts/a/execAuth/env/0/value", "\"REDACTED\""),
        ("/contexts/a/execAuth/interactive", "true"),
        ("/contexts/b/openIdAuth/providerUrl", "\"https://REDACTED@idp/realm?REDACTED\""),
        ("/contexts/b/openIdAuth/clientId", "\"id\""),
        ("/contexts/b/openIdAuth/localPort", "8085"),
        ("/contexts/b/openIdAuth/scopes", "[\"openid\",\"api://x/.default\"]"),
        ("/contexts/b/kubernetesNativeAuth/enabled", "true"),
        ("/contexts/b/kubernetesNativeAuth/expiry", "3600"),
        ("/contexts/b/executorClusters/c", "\"https://REDACTED@c:2/x\""),
        ("/contexts/b/cacheRefreshToken", "true"),
        ("/armadaUrl", "\"https://h/x\""),
        ("/basicAuth/username", "\"top\""),
    ] {
        let found = shown.pointer(path).map(Value::to_string);
        assert_eq!(found.as_deref(), Some(value), "{path} in {shown:#}");
    }
    assert_eq!(shown["contexts"]["a"]["execAuth"]["args"].as_array().map(Vec::len), Some(7));
}

#[test]
fn what_is_empty_is_shown_as_empty() {
    let shown = shown("contexts: {a: {basicAuth: {password: ''}, x: , y: [], z: {}}, b: }");
    let context = &shown["contexts"]["a"];
    assert_eq!(context.to_string(), r#"{"basicAuth":{"password":""},"x":null,"y":[],"z":{}}"#);
    assert!(shown["contexts"]["b"].is_null());
}
