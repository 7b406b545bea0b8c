//! Numbers from a seed (splitmix64), so that a seed means the same on every machine.

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
    pub fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end)).expect("smaller than a u32")
    }

    /// True in `percent` of a hundred draws.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.place(from.len())].clone()
    }

    /// The same things in some order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for end in (1..things.len()).rev() {
            things.swap(end, self.place(end + 1));
        }
    }

    fn place(&mut self, end: usize) -> usize {
        self.below(u32::try_from(end).expect("a short list")) as usize
    }
}
