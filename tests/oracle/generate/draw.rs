//! A small generator of numbers (splitmix64), so that a seed means the same everywhere.

/// A stream of draws.
pub struct Draw {
    state: u64,
}

impl Draw {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number under `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a length fits");
        usize::try_from(self.next() % end).expect("smaller than a length")
    }

    /// True in `percent` of a hundred draws.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// Each of several with the same chance, in their order.
    pub fn some<T: Clone>(&mut self, from: &[T], percent: usize) -> Vec<T> {
        from.iter().filter(|_| self.chance(percent)).cloned().collect()
    }

    /// The same things in some order.
    pub fn shuffled<T>(&mut self, mut things: Vec<T>) -> Vec<T> {
        for end in (1..things.len()).rev() {
            let other = self.below(end + 1);
            things.swap(end, other);
        }
        things
    }

    /// `make`'s result in `percent` of a hundred draws.
    pub fn maybe<T>(&mut self, percent: usize, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.chance(percent) { Some(make(self)) } else { None }
    }
}
