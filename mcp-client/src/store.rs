//! Places where calls wait for their answers, for days and across processes.

mod call;
mod memory;

use std::{error::Error, fmt};

use async_trait::async_trait;

pub use self::{
    call::StoredCall,
    memory::{DEFAULT_MAX_STORED_CALLS, MemoryStore},
};
use crate::continuation::{MAX_SUSPENDED_BYTES, RestoreError};

/// Where suspended calls are kept until they are answered: a file, a database, [memory](MemoryStore).
///
/// A call is taken by [`claim`](Self::claim), by one taker only. What stays in the store meanwhile is marked as taken and
/// [in doubt](crate::SuspendedCall::in_doubt): should the taker's process end before it says how the call ended, nobody sends it
/// again unasked. The taker resumes it, and then [removes](Self::remove) it, or [puts](Self::put) it back as it is by then.
///
/// A call holds arguments, the server's state and answers: what a store writes must be readable and writable by its
/// users only.
///
/// # Examples
///
/// ```
/// # use mcp_client::{Client, transport::MemoryTransport};
/// use mcp_client::{
///     ContinuationStore, MemoryStore, StoreFilter, StoredCall, ToolOutcome, types::method::CallTool,
/// };
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// # let transport = MemoryTransport::new(|request| {
/// #     let first = !String::from_utf8_lossy(&request.message).contains("requestState");
/// #     let result = if first { r#"{"resultType":"input_required","requestState":"s"}"# } else { r#"{"content":[]}"# };
/// #     let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.id);
/// #     async move { Ok(mcp_client::transport::Exchange::message(answer)) }
/// # });
/// # let client = Client::with_transport(transport).build()?;
/// let store = MemoryStore::new();
/// if let ToolOutcome::InputRequired(asked) = client.call_tool("close_ticket").send().await? {
///     store.put(StoredCall::new(&asked.suspend(), None)).await?;
/// }
///
/// // … later …
/// for waiting in store.list(&StoreFilter::new().target("close_ticket")).await? {
///     let Some(stored) = store.claim(waiting.id()).await? else { continue };
///     let asked = client.restore(stored.suspended::<CallTool>()?)?;
///     // … answer what is asked …
///     match asked.resume().await {
///         Ok(ToolOutcome::InputRequired(again)) => store.put(stored.with_call(&again.suspend())).await?,
///         Ok(outcome) => {
///             store.remove(stored.id()).await?;
/// #           assert!(outcome.into_success().is_ok());
///         }
///         Err(mut error) => {
///             if let Some(asked) = error.take_continuation() {
///                 store.put(stored.with_call(&asked.suspend())).await?;
///             }
///         }
///     }
/// }
/// # assert!(store.list(&StoreFilter::new()).await?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[async_trait]
pub trait ContinuationStore: fmt::Debug + Send + Sync + 'static {
    /// Keeps a call, free to be claimed, instead of one that has the same id.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: it is not kept then, and what was kept before is.
    async fn put(&self, call: StoredCall) -> Result<(), StoreError>;

    /// The calls that match, the oldest first, those included that somebody has claimed. Those that have expired are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    async fn list(&self, filter: &StoreFilter) -> Result<Vec<StoredCall>, StoreError>;

    /// The call of that id, to be looked at. Nothing if it has expired.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    async fn get(&self, id: &str) -> Result<Option<StoredCall>, StoreError>;

    /// Takes the call of that id to be resumed. Nothing if there is none, it has expired, or somebody has claimed it already.
    /// What stays is [as claimed](StoredCall::into_claimed); it must be so before the call is given out.
    ///
    /// What a process has left behind that ended can be put back as it is, and claimed then. It is in doubt: it goes on only
    /// where somebody [accepts duplicates](crate::Continuation::accepting_duplicates).
    ///
    /// # Errors
    ///
    /// [`StoreError`]: it may be claimed all the same.
    async fn claim(&self, id: &str) -> Result<Option<StoredCall>, StoreError>;

    /// Forgets the call of that id. False if there was none.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    async fn remove(&self, id: &str) -> Result<bool, StoreError>;
}

/// Which calls are to be listed: all, or those that have what is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreFilter {
    /// The identity of the server.
    pub server: Option<String>,
    /// The method of the call.
    pub method: Option<String>,
    /// The name of the tool or prompt, or the URI.
    pub target: Option<String>,
}

impl StoreFilter {
    /// All calls.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those of this server: see [`Client::identity`](crate::Client::identity).
    #[must_use]
    pub fn server(mut self, identity: impl Into<String>) -> Self {
        self.server = Some(identity.into());
        self
    }

    /// Those of this method.
    #[must_use]
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }

    /// Those of this tool, prompt or URI.
    #[must_use]
    pub fn target(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// Whether a call is one of them.
    pub fn matches(&self, call: &StoredCall) -> bool {
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        is(&self.server, call.server()) && is(&self.method, call.method()) && is(&self.target, call.target())
    }
}

/// Why a store did not do what it was asked to.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The call is longer than [`MAX_SUSPENDED_BYTES`], and would not be read again.
    TooLarge {
        /// How long it is.
        bytes: usize,
    },
    /// There are as many calls as the store may hold.
    Full {
        /// How many that are.
        max: usize,
    },
    /// What is stored cannot be read.
    Unreadable(RestoreError),
    /// The place cannot be reached, read or written.
    Failed(Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// The place cannot be reached, read or written, for this reason.
    pub fn failed(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(source.into())
    }
}

impl From<RestoreError> for StoreError {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::TooLarge { bytes } => Self::TooLarge { bytes },
            error => Self::Unreadable(error),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes } => {
                write!(f, "the suspended call is too large: {bytes} of {MAX_SUSPENDED_BYTES} bytes")
            }
            Self::Full { max } => write!(f, "the store is full: it holds {max} calls"),
            Self::Unreadable(_) => f.write_str("what is stored cannot be read"),
            Self::Failed(_) => f.write_str("the store failed"),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unreadable(source) => Some(source),
            Self::Failed(source) => Some(source.as_ref()),
            _ => None,
        }
    }
}
