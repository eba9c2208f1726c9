//! A limit on repetitions that many calls share.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use async_trait::async_trait;

/// Limits how many repetitions all calls of a server together make. First attempts are never limited.
///
/// A `withdraw` that panics counts as an empty budget, and a panic in `record_success` is ignored.
#[async_trait]
pub trait Budget: Send + Sync + fmt::Debug {
    /// Takes the cost of one repetition; false when there is not enough left: the call stops at once then.
    ///
    /// It is asked under the call's deadline.
    async fn withdraw(&self) -> bool;

    /// Gives back what was just withdrawn: the repetition is not made after all (default: does nothing).
    fn refund(&self) {}

    /// A call succeeded, at its first attempt or at a repetition.
    fn record_success(&self, was_retry: bool);
}

#[async_trait]
impl<B: Budget + ?Sized> Budget for Arc<B> {
    async fn withdraw(&self) -> bool {
        (**self).withdraw().await
    }

    fn refund(&self) {
        (**self).refund();
    }

    fn record_success(&self, was_retry: bool) {
        (**self).record_success(was_retry);
    }
}

/// A budget of tokens: a repetition costs one, a success at the first attempt gives a tenth back, and one at a repetition
/// gives its cost back. It starts full, with 10 tokens, and has no clock in it.
///
/// Share it by `Arc` among the clients of one server.
#[derive(Debug)]
pub struct Tokens {
    /// In tenths.
    left: AtomicU32,
    full: u32,
}

/// The default number of [`Tokens`]: 10.
pub const DEFAULT_TOKENS: u32 = 10;

impl Default for Tokens {
    fn default() -> Self {
        Self::new(DEFAULT_TOKENS)
    }
}

impl Tokens {
    /// Tenths of a token that one repetition costs.
    const COST: u32 = 10;

    /// A full budget of so many tokens.
    pub fn new(tokens: u32) -> Self {
        let full = tokens.saturating_mul(Self::COST);
        Self { left: AtomicU32::new(full), full }
    }

    /// How many whole tokens are left.
    pub fn left(&self) -> u32 {
        self.left.load(Ordering::Relaxed) / Self::COST
    }
}

#[async_trait]
impl Budget for Tokens {
    async fn withdraw(&self) -> bool {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(Self::COST))
            .is_ok()
    }

    fn refund(&self) {
        self.record_success(true);
    }

    fn record_success(&self, was_retry: bool) {
        let back = if was_retry { Self::COST } else { 1 };
        let refill = |left: u32| Some(left.saturating_add(back).min(self.full));
        // The closure never refuses.
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, refill);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tokens_are_spent_and_earned() {
        let budget = Tokens::new(2);
        assert!(budget.withdraw().await && budget.withdraw().await && !budget.withdraw().await);
        budget.record_success(true);
        assert!(budget.withdraw().await && !budget.withdraw().await);
        for _ in 0..9 {
            budget.record_success(false);
        }
        assert!(!budget.withdraw().await, "nine tenths are no token");
        budget.record_success(false);
        assert!(budget.withdraw().await);
        for _ in 0..100 {
            budget.record_success(true);
        }
        assert_eq!(budget.left(), 2, "never more than full");
        assert_eq!(Tokens::default().left(), 10);
        assert!(!Tokens::new(0).withdraw().await);
    }

    #[test]
    fn threads_never_overdraw() {
        let budget = Arc::new(Tokens::new(100));
        let spent: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    let budget = Arc::clone(&budget);
                    scope.spawn(move || {
                        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                        (0..50).filter(|_| runtime.block_on(budget.withdraw())).count()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((spent, budget.left()), (100, 0));
    }
}
