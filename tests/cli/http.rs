//! A server on a free port, and a client that sends exactly what a test says.

use super::sandbox::Sandbox;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// A running `armadactl serve`. It is killed when it goes.
pub struct Serving {
    pub child: Child,
    pub address: SocketAddr,
    log: std::path::PathBuf,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Serving {
    /// One that keeps everything in memory.
    pub fn start(sandbox: &Sandbox, flags: &str) -> Self {
        Self::with_db(sandbox, ":memory:", flags)
    }

    /// One that keeps everything in a file of the sandbox.
    pub fn with_db(sandbox: &Sandbox, db: &str, flags: &str) -> Self {
        let log = sandbox.path().join("serve.log");
        let mut command = sandbox.command();
        command.args(["serve", "--listen", "127.0.0.1:0", "--db", db]);
        command.args(flags.split_whitespace()).stderr(File::create(&log).unwrap());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").map(str::parse);
        let Some(Ok(address)) = address else {
            panic!("{line}{}", std::fs::read_to_string(&log).unwrap());
        };
        Self { child, address, log }
    }

    /// What it wrote to stderr.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// A connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends a request and gives its answer.
    pub fn call(&self, method: &str, path: &str, body: &str) -> Answer {
        self.call_with(method, path, &[], body)
    }

    /// Sends a request with these headers too.
    pub fn call_with(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        self.try_call(method, path, headers, body).unwrap()
    }

    /// The same, where the connection may break.
    pub fn try_call(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: impl AsRef<[u8]>,
    ) -> std::io::Result<Answer> {
        let body = body.as_ref();
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let lines: String = headers.iter().flat_map(|line| [line, "\r\n"]).collect();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n{lines}\r\n",
            body.len()
        );
        stream.write_all(&[request.as_bytes(), body].concat())?;
        Answer::read(&mut stream)
    }

    /// A GET.
    pub fn get(&self, path: &str) -> Answer {
        self.call("GET", path, "")
    }

    /// Sends a signal and waits for the end.
    pub fn signal(&mut self, name: &str) -> ExitStatus {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    /// Reads an answer to its connection's end.
    pub fn read(stream: &mut TcpStream) -> std::io::Result<Self> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let text = String::from_utf8(bytes).expect("answers are UTF-8");
        let broken = || std::io::Error::other(format!("no answer: {text:?}"));
        let (head, body) = text.split_once("\r\n\r\n").ok_or_else(broken)?;
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut answer =
            Self { status: status.ok_or_else(broken)?, headers, body: body.to_owned() };
        if answer.header("transfer-encoding") == "chunked" {
            answer.body = unchunked(body);
        }
        Ok(answer)
    }

    /// A header; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The body, which has to be JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Expects a status and a body.
    #[track_caller]
    pub fn is(&self, status: u16, body: &str) -> &Self {
        assert_eq!((self.status, self.body.as_str()), (status, body), "{self:?}");
        self
    }

    /// Expects an error in Armada's form.
    #[track_caller]
    pub fn fails(&self, status: u16, code: u32, message: &str) {
        let body = serde_json::json!({"error": message, "code": code, "message": message});
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.json(), body);
        assert_eq!(self.header("content-type"), "application/json");
    }
}

fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).expect("the length of a chunk");
        if length == 0 {
            break;
        }
        body += &after[..length];
        rest = &after[length + 2..];
    }
    body
}
