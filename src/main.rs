//! `armadactl`: parse the command line, run the command, exit with its code.
#![forbid(unsafe_code)]

use armadactl::cli::Exit;

fn main() -> Exit {
    armadactl::commands::main(std::env::args_os())
}
