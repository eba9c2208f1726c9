//! A lock that a panicking test cannot poison for the server.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whether or not another thread panicked while it held the lock.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
