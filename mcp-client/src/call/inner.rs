//! Requests that are made on behalf of a call.

use std::sync::{Arc, Mutex, PoisonError};

/// Their POSTs: the record of the call counts them, also when it is given up meanwhile.
#[derive(Clone, Debug, Default)]
pub(crate) struct InnerPosts(Arc<Mutex<Vec<Option<u16>>>>);

impl InnerPosts {
    /// Counts the POSTs of a request that has ended.
    pub(super) fn add(&self, posts: &[Option<u16>]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(posts);
    }

    /// What has not been counted yet.
    pub(super) fn take(&self) -> Vec<Option<u16>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
