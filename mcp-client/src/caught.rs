//! Futures of others, whose panics end here.

use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};

/// What the future comes to; `None` where it panicked, be it while it was made.
pub(crate) async fn caught<T, F: Future<Output = T>>(work: impl FnOnce() -> F) -> Option<T> {
    // Called within the future: implementations by hand may panic before they return theirs.
    let mut work = pin!(async { work().await });
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
        Err(_) => Poll::Ready(None),
    })
    .await
}
