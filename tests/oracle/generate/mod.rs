//! Questions from seeds: small worlds in which limits are hit, rules overlap and times collide.
//!
//! A seed gives the same question for ever. Only valid questions come out: a draw that is not is drawn again.

mod clock;
mod draw;
mod gangs;
mod jobs;
mod moments;
mod policies;
mod runs;
mod world;

pub use draw::Draw;

use super::Input;
use super::valid::problems;

/// The question of a seed.
pub fn case(seed: u64) -> Input {
    let mut draw = Draw::new(seed);
    loop {
        let input = world::input(&mut draw);
        if problems(&input).is_empty() {
            return input;
        }
    }
}
