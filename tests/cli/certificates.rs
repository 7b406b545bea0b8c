//! Servers that speak TLS, and addresses that name the wrong port. The certificates are those of
//! `testdata/tls/make`.
//!
//! Holds cli.md Global flags.

use super::client::END;
use super::quirks::{Fake, Piece, answer};
use super::sandbox::{Run, Sandbox, at_once, root};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

fn file(name: &str) -> PathBuf {
    root().join("testdata/tls").join(name)
}

/// A server with a certificate of `testdata/tls`, whose answers are a list of queues without any.
fn tls_server(name: &str) -> SocketAddr {
    let certificate = CertificateDer::from_pem_file(file(&format!("{name}.pem"))).unwrap();
    let key = PrivateKeyDer::from_pem_file(file(&format!("{name}.key"))).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let mut tls = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = Stream::new(&mut tls, &mut socket);
            let mut request = [0; 4096];
            if stream.read(&mut request).is_ok() {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
                let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{END}", END.len());
                let _ = stream.write_all(answer.as_bytes());
                tls.send_close_notify();
                let _ = tls.complete_io(&mut socket);
            }
        }
    });
    address
}

fn get(url: &str, flags: &str) -> Run {
    Sandbox::new().run(&format!("get queues --armada-rest-url {url} {flags}"))
}

/// The certificate of the server, the file that is given, and what a person reads; nothing if it works.
#[test]
fn certificates_are_trusted_or_refused_with_a_way_out() {
    let cases = [
        // A certificate of `openssl req -x509` that is itself in the file.
        ("self", "localhost", Some("self.pem"), &[][..]),
        ("self", "127.0.0.1", Some("self.pem"), &[]),
        ("leaf", "localhost", Some("authority.pem"), &[]),
        ("leaf", "localhost", Some("leaf.pem"), &[]),
        (
            "self",
            "localhost",
            None,
            &["signed by itself", "give the certificate itself with `--ca-file`"],
        ),
        (
            "self",
            "localhost",
            Some("other.pem"),
            &["signed by itself", "lacks the certificate itself: add it"],
        ),
        (
            "leaf",
            "localhost",
            None,
            &[
                "an authority that this machine does not know",
                "give the certificate of that authority with `--ca-file`",
            ],
        ),
        (
            "leaf",
            "localhost",
            Some("self.pem"),
            &[
                "an authority that this machine does not know",
                "lacks the certificate of that authority",
            ],
        ),
        // In the file, but for another host or past its time.
        (
            "other",
            "localhost",
            Some("other.pem"),
            &[
                "its certificate is for other.example, not for localhost",
                "check the host in the address",
            ],
        ),
        (
            "self",
            "127.0.0.2",
            Some("self.pem"),
            &["its certificate is for localhost, 127.0.0.1, not for 127.0.0.2"],
        ),
        ("nameless", "localhost", Some("nameless.pem"), &["it names no host (subjectAltName)"]),
        (
            "expired",
            "localhost",
            Some("expired.pem"),
            &["its certificate has expired", "renew the certificate"],
        ),
    ];
    at_once(cases, |(server, host, given, parts)| {
        let port = tls_server(server).port();
        let flags = given.map(|name| format!("--ca-file {}", file(name).display()));
        let flags = flags.unwrap_or_default();
        let run = get(&format!("https://{host}:{port}"), &flags);
        if parts.is_empty() {
            assert_eq!(run.code, 0, "{server} {given:?} {run}");
            return;
        }
        if host == "127.0.0.2" && run.stderr.contains("refused") {
            return; // Not every system has more than one loopback address.
        }
        assert_eq!(run.code, 7, "{server} {given:?} {run}");
        for part in parts {
            assert!(run.stderr.contains(part), "{server} {given:?} {part}: {run}");
        }
        for debug in ["OtherError", "CaUsed", "InvalidCertificate", "DnsName", "Context"] {
            assert!(!run.stderr.contains(debug), "{server} {given:?} {run}");
        }
    });
}

#[test]
fn an_http_port_that_is_addressed_as_https_is_named() {
    let sandbox = Sandbox::new();
    let server = super::http::Serving::start(&sandbox, "");
    let go = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n400 Bad Request";
    let words = Fake::listening(vec![Piece::Bytes(go.into())]);
    let closing = Fake::listening(Vec::new());
    let cases = [
        (server.address, "http"),
        (words, "speaks http, not https"),
        (closing, "closed the connection before it was secure"),
    ];
    at_once(cases, |(address, part)| {
        for flags in [String::new(), format!("--ca-file {}", file("self.pem").display())] {
            let run = get(&format!("https://{address}"), &flags).exits(7);
            assert!(run.stderr.contains(part), "{run}");
            assert!(run.stderr.contains(&format!("`http://{address}`")), "{run}");
            assert!(!run.stderr.contains("--ca-file"), "{run}");
        }
    });
}

/// The first bytes of a gRPC server are HTTP/2's SETTINGS; it closes the connection after a request of HTTP/1.1.
#[test]
fn the_grpc_port_is_named() {
    let settings = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0x40, 0];
    for script in [vec![Piece::Bytes(settings.to_vec())], Vec::new()] {
        let address = Fake::listening(script);
        let run = get(&format!("http://{address}"), "").exits(7);
        assert!(run.stderr.contains("it may be Armada's gRPC port (`armadaUrl`)"), "{run}");
    }
    // Where a request was answered before, the port is right.
    let answers = std::sync::atomic::AtomicUsize::new(0);
    let fake =
        Fake::routed(move |_| match answers.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => answer(200, &["Content-Type: application/json"], "{}"),
            _ => Vec::new(),
        });
    let run = Sandbox::new().run(&format!("version --server --armada-rest-url {}", fake.url()));
    assert!(run.exits(7).stderr.contains("try again; a proxy may have cut the connection\n"));
}
