//! Giving up on calls from elsewhere.

use std::{
    borrow::Cow,
    fmt,
    future::pending,
    sync::{Arc, OnceLock},
};

use tokio::sync::Notify;

/// Reasons are cut at this many characters.
const MAX_REASON_CHARS: usize = 256;

/// Cancels the calls that it was given to, from wherever it is: a "stop" button, a shutdown.
///
/// Cheap to clone; all clones are one handle. A call that is cancelled ends at once with
/// [`TransportErrorKind::Cancelled`](crate::error::TransportErrorKind::Cancelled), whether it is being sent, answered or
/// waiting for its next attempt, and says whether it may have run. Over HTTP its stream is closed, which is how
/// 2026-07-28 cancels ([patterns/cancellation]). Calls that have ended are not touched, and calls that get a handle
/// which was used already are not sent.
///
/// [patterns/cancellation]: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
///
/// # Examples
///
/// ```no_run
/// # async fn f(client: mcp_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::{CancelHandle, OutcomeKind};
///
/// let stop = CancelHandle::new();
/// let button = stop.clone();
/// std::thread::spawn(move || button.cancel("the user pressed stop"));
///
/// match client.call_tool("index_everything").cancel_with(&stop).send().await {
///     Err(error) if error.outcome() == OutcomeKind::Cancelled => println!("stopped; it {:?}", error.delivery()),
///     other => println!("{:?}", other?),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct CancelHandle {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    reason: OnceLock<Cow<'static, str>>,
    waiting: Notify,
}

impl CancelHandle {
    /// A handle that nothing was given to yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the calls, for a reason that goes into their records (cut at 256 characters). The first reason counts.
    pub fn cancel(&self, reason: impl Into<Cow<'static, str>>) {
        let mut reason = reason.into();
        if reason.chars().count() > MAX_REASON_CHARS {
            reason = reason.chars().take(MAX_REASON_CHARS).collect::<String>().into();
        }
        let _ = self.inner.reason.set(reason);
        self.inner.waiting.notify_waiters();
    }

    /// Whether it was used.
    pub fn is_cancelled(&self) -> bool {
        self.inner.reason.get().is_some()
    }

    /// Why, once it was used.
    pub fn reason(&self) -> Option<&str> {
        self.inner.reason.get().map(AsRef::as_ref)
    }

    /// Ends once the handle is used; at once where it was used already.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn cancelled(&self) {
        let notified = self.inner.waiting.notified();
        let mut notified = std::pin::pin!(notified);
        // Listed as waiting before the look, so that a cancellation in between is not missed.
        notified.as_mut().enable();
        if !self.is_cancelled() {
            notified.await;
        }
    }
}

/// Ends once the handle is used; without one, never.
pub(crate) async fn cancelled(handle: Option<&CancelHandle>) {
    match handle {
        Some(handle) => handle.cancelled().await,
        None => pending().await,
    }
}

impl fmt::Debug for CancelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelHandle").field("reason", &self.reason()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_handle_cancels_those_who_wait_and_those_who_come_later() {
        let handle = CancelHandle::new();
        assert!(timeout(Duration::from_secs(1), cancelled(Some(&handle))).await.is_err());
        assert!(timeout(Duration::from_secs(1), cancelled(None)).await.is_err());
        let waiting = tokio::spawn({
            let handle = handle.clone();
            async move { handle.cancelled().await }
        });
        tokio::task::yield_now().await;
        handle.cancel("x".repeat(300));
        handle.cancel("too late");
        waiting.await.unwrap();
        handle.cancelled().await;
        assert_eq!(handle.reason().map(str::len), Some(MAX_REASON_CHARS));
    }
}
