//! A tiny HTTP server with the quirks of real ones: it answers what it was told to, byte for
//! byte, and remembers what it was asked. The client's own tests use it too.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A piece of an answer.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Bytes.
    Bytes(Vec<u8>),
    /// Silence for so many milliseconds.
    Silence(u64),
}

/// A whole answer; the connection is closed behind it.
pub type Script = Vec<Piece>;

/// The server. Its thread ends with the test process.
pub struct Fake {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// A server that gives these answers, one a connection; the last one again and again.
    pub fn new(scripts: Vec<Script>) -> Self {
        let scripts = Mutex::new(VecDeque::from(scripts));
        Self::routed(move |_| {
            let mut scripts = scripts.lock().unwrap();
            let last = scripts.len() < 2;
            if last { scripts[0].clone() } else { scripts.pop_front().unwrap() }
        })
    }

    /// A server whose answers depend on the request: its head and body.
    pub fn routed(route: impl Fn(&str) -> Script + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, route) = (Arc::clone(&requests), Arc::new(route));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let route = Arc::clone(&route);
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || serve(&stream, &*route, &seen));
            }
        });
        Self { address, requests }
    }

    /// The address of a port that sends this as soon as it reads anything, HTTP or not, and closes.
    pub fn listening(script: Script) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4096]);
                for piece in &script {
                    if let Piece::Bytes(bytes) = piece {
                        let _ = stream.write_all(bytes);
                    }
                }
            }
        });
        address
    }

    /// Its base address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far: head and body of each.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// An answer with a body of a known length.
pub fn answer(status: u16, headers: &[&str], body: &str) -> Script {
    let mut head = format!("HTTP/1.1 {status} X\r\nConnection: close\r\n");
    for header in headers {
        head += &format!("{header}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n", body.len());
    vec![Piece::Bytes(head.into()), Piece::Bytes(body.into())]
}

/// An answer in chunks, with its end if it is `whole`.
pub fn chunked(chunks: &[&str], whole: bool) -> Script {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let mut script = vec![Piece::Bytes(head.into())];
    for chunk in chunks {
        script.push(Piece::Bytes(format!("{:x}\r\n{chunk}\r\n", chunk.len()).into()));
    }
    if whole {
        script.push(Piece::Bytes(b"0\r\n\r\n".into()));
    }
    script
}

fn serve(mut stream: &TcpStream, route: &dyn Fn(&str) -> Script, seen: &Mutex<Vec<String>>) {
    let Some(request) = read(stream) else { return };
    let script = route(&request);
    seen.lock().unwrap().push(request);
    for piece in &script {
        let sent = match piece {
            Piece::Bytes(bytes) => stream.write_all(bytes).and_then(|()| stream.flush()),
            Piece::Silence(millis) => {
                std::thread::sleep(Duration::from_millis(*millis));
                Ok(())
            }
        };
        // Whoever does not listen any more has heard enough.
        if sent.is_err() {
            return;
        }
    }
}

fn read(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut text = String::new();
    loop {
        let before = text.len();
        reader.read_line(&mut text).ok()?;
        match &text[before..] {
            "" => return None,
            "\r\n" => break,
            _ => {}
        }
    }
    let lower = text.to_ascii_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.trim().parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some(text + &String::from_utf8_lossy(&body))
}
