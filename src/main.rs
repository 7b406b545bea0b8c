//! `armadactl`: parse the command line, run the command, exit with its code.
#![forbid(unsafe_code)]

fn main() -> armadactl::Exit {
    armadactl::run(std::env::args_os())
}
