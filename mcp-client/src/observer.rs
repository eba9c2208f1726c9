//! Who is told when a call has ended.

use std::fmt;

use crate::record::CallRecord;

/// Is told of every call that ends, also of those whose future the caller drops.
///
/// It is called on the task of the call, so it must be quick. A panic in it is caught, and changes nothing.
///
/// ```
/// use mcp_client::{CallRecord, Observer};
///
/// #[derive(Debug)]
/// struct Log;
///
/// impl Observer for Log {
///     fn call_ended(&self, record: &CallRecord) {
///         eprintln!("{}", record.to_json());
///     }
/// }
/// ```
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// A call has ended, in whatever way.
    fn call_ended(&self, record: &CallRecord);
}
