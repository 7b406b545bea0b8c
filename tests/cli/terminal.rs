//! A terminal of a given width, for what a person sees.

use super::sandbox::Sandbox;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

/// The lines that a command prints on a terminal of a width, without colours.
pub fn screen(sandbox: &Sandbox, width: u16, line: &str) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("a terminal");
    unlockpt(&terminal).expect("a terminal");
    let size = Winsize { ws_row: 50, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).expect("the size of the terminal");
    let name = ptsname(&terminal, Vec::new()).expect("the name of the terminal");
    let name = std::ffi::OsStr::from_bytes(name.as_bytes());
    let end = File::options().read(true).write(true).open(name).expect("a terminal");
    let mut child = {
        let mut command = sandbox.command();
        command.args(line.split_whitespace()).env("TERM", "xterm").env("NO_COLOR", "1");
        command.stdout(end).stderr(Stdio::null());
        command.spawn().expect("the binary runs")
    };
    let (mut output, mut buffer) = (Vec::new(), [0; 4096]);
    // Linux reports the end of the last program on a terminal as an error.
    while let Ok(length @ 1..) = File::from(terminal.try_clone().expect("a copy")).read(&mut buffer)
    {
        output.extend_from_slice(&buffer[..length]);
    }
    child.wait().expect("the binary ends");
    String::from_utf8(output).expect("output is UTF-8").replace("\r\n", "\n")
}
