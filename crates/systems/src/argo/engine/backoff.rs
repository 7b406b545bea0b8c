//! The waits of a backoff.

use crate::argo::manifest::Backoff;
use document::units::GoDuration;

impl Backoff {
    /// Returns the wait after this number of attempts: `duration`, times `factor` from wait to wait, at most `cap`. As in
    /// Argo, a power that exceeds Go's durations is the longest of them.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as Argo")]
    pub fn wait(&self, attempts: u32) -> GoDuration {
        let base = self.duration.as_nanos();
        let mut wait = base;
        if let Some(factor) = self.factor.filter(|factor| *factor > 0) {
            let growth = f64::from(factor).powf(f64::from(attempts.saturating_sub(1)));
            // A quotient, since the product would overflow before it could be compared.
            wait = if growth > i64::MAX as f64 / base as f64 {
                i64::MAX
            } else {
                // Wraps only where the quotient rounded to the limit; Go's multiplication wraps too.
                base.wrapping_mul(growth as i64)
            };
        }
        let wait = GoDuration::from_nanos(wait);
        self.cap.map_or(wait, |cap| wait.min(cap))
    }
}
