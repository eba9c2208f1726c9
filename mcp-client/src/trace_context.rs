//! The trace that a call belongs to, as it is told to the server in `_meta`.

mod baggage;
mod fault;
mod state;

use std::fmt;

use mcp_types::RawJson;

pub use self::fault::TraceContextFault;
use crate::error::{InvalidCall, InvalidKind};

/// The key of the position in the trace.
pub(crate) const TRACEPARENT: &str = "traceparent";
/// The key of what tracing systems add to it.
pub(crate) const TRACESTATE: &str = "tracestate";
/// The key of the application's own entries.
pub(crate) const BAGGAGE: &str = "baggage";

/// The longest `baggage`, in bytes: what everybody must pass on (W3C Baggage, limits).
pub const MAX_BAGGAGE_BYTES: usize = 8_192;
/// The most entries of a `baggage`.
pub const MAX_BAGGAGE_ENTRIES: usize = 64;
/// The most entries of a `tracestate` (W3C Trace Context).
pub const MAX_TRACESTATE_ENTRIES: usize = 32;

/// The trace that a call belongs to: `traceparent` and `tracestate` ([W3C Trace Context]) and `baggage` ([W3C Baggage]).
///
/// What is in it is well-formed: it cannot be made otherwise. The client sends it in the `_meta` of a request, under these
/// three keys, which the protocol reserves for them ([basic], `_meta`). Give it to one request with
/// [`trace_context`](crate::RequestBuilder::trace_context), or to all with
/// [`trace_context_from`](crate::ClientBuilder::trace_context_from).
///
/// [W3C Trace Context]: https://www.w3.org/TR/trace-context/
/// [W3C Baggage]: https://www.w3.org/TR/baggage/
/// [basic]: https://modelcontextprotocol.io/specification/2026-07-28/basic
///
/// # Examples
///
/// ```
/// use mcp_client::TraceContext;
///
/// let incoming = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/// let context = TraceContext::parse(incoming)?.with_baggage_entry("tenant", "Søndre & Co")?;
/// assert_eq!(context.traceparent().as_deref(), Some(incoming));
/// assert_eq!(context.baggage(), Some("tenant=S%C3%B8ndre%20&%20Co"));
///
/// assert!(TraceContext::parse("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01").is_err());
/// # Ok::<(), mcp_client::TraceContextFault>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TraceContext {
    parent: Option<Parent>,
    state: Option<String>,
    baggage: Option<String>,
    /// What was left out, and why.
    faults: Vec<TraceContextFault>,
}

/// The position in a trace.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Parent {
    trace: [u8; 16],
    span: [u8; 8],
    flags: u8,
}

/// The flags that are defined: sampled, and (level 2) a random trace id. Others are sent as zero.
const KNOWN_FLAGS: u8 = 0b11;
const SAMPLED: u8 = 0b01;

impl TraceContext {
    /// The context of a span with these ids.
    ///
    /// # Errors
    ///
    /// [`TraceContextFault`] when one of them is all zeros, which means that there is none.
    pub fn new(trace_id: [u8; 16], span_id: [u8; 8], sampled: bool) -> Result<Self, TraceContextFault> {
        let parent = Parent { trace: trace_id, span: span_id, flags: if sampled { SAMPLED } else { 0 } };
        Ok(Self { parent: Some(parent.checked()?), ..Self::default() })
    }

    /// Reads a `traceparent`. Of a version later than 00, what version 00 knows is read, and sent as version 00.
    ///
    /// # Errors
    ///
    /// [`TraceContextFault`] when it is malformed.
    pub fn parse(traceparent: &str) -> Result<Self, TraceContextFault> {
        Ok(Self { parent: Some(Parent::parse(traceparent)?), ..Self::default() })
    }

    /// Reads what a propagator wrote: the entries of these three names, others are passed over. One that is malformed is
    /// left out, and a `tracestate` without its `traceparent` too; [`faults`](Self::faults) says why, and the record of the
    /// call notes it. Names are compared without regard to case.
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use mcp_client::TraceContext;
    ///
    /// let carrier = HashMap::from([("traceparent", "not one"), ("baggage", "tenant=7")]);
    /// let context = TraceContext::from_entries(carrier);
    /// assert_eq!((context.traceparent(), context.baggage()), (None, Some("tenant=7")));
    /// assert_eq!(context.faults()[0].key(), "traceparent");
    /// ```
    pub fn from_entries<N: AsRef<str>, V: AsRef<str>>(entries: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut context = Self::default();
        for (name, value) in entries {
            let known = [TRACEPARENT, TRACESTATE, BAGGAGE];
            let key = known.into_iter().find(|key| key.eq_ignore_ascii_case(name.as_ref()));
            if let Some(Err(fault)) = key.map(|key| context.set(key, value.as_ref())) {
                context.faults.push(fault);
            }
        }
        if context.parent.is_none() && context.state.take().is_some() {
            context.faults.push(TraceContextFault::new(TRACESTATE, fault::ALONE));
        }
        context
    }

    /// Sets the `tracestate`.
    ///
    /// # Errors
    ///
    /// [`TraceContextFault`] when it is malformed, or there is no `traceparent` that it could belong to.
    pub fn with_tracestate(mut self, tracestate: &str) -> Result<Self, TraceContextFault> {
        if self.parent.is_none() {
            return Err(TraceContextFault::new(TRACESTATE, fault::ALONE));
        }
        self.set(TRACESTATE, tracestate)?;
        Ok(self)
    }

    /// Sets the whole `baggage`, as it stands in a header.
    ///
    /// # Errors
    ///
    /// [`TraceContextFault`] when it is malformed, or longer than 8,192 bytes or 64 entries.
    pub fn with_baggage(mut self, baggage: &str) -> Result<Self, TraceContextFault> {
        self.set(BAGGAGE, baggage)?;
        Ok(self)
    }

    /// Adds an entry to the `baggage`; what its value may not hold as it is gets percent-encoded.
    ///
    /// The server sees it, and may pass it on: no secrets.
    ///
    /// # Errors
    ///
    /// [`TraceContextFault`] when the name is no token (RFC 9110 §5.6.2), or there is no room for the entry.
    pub fn with_baggage_entry(mut self, name: &str, value: &str) -> Result<Self, TraceContextFault> {
        self.baggage = Some(baggage::with_entry(self.baggage.as_deref(), name, value)?);
        Ok(self)
    }

    /// The `traceparent`, of version 00.
    pub fn traceparent(&self) -> Option<String> {
        self.parent.map(|parent| parent.to_string())
    }

    /// The `tracestate`.
    pub fn tracestate(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// The `baggage`.
    pub fn baggage(&self) -> Option<&str> {
        self.baggage.as_deref()
    }

    /// Whether the caller may have recorded the trace.
    pub fn is_sampled(&self) -> bool {
        self.parent.is_some_and(|parent| parent.flags & SAMPLED != 0)
    }

    /// What [`from_entries`](Self::from_entries) left out.
    pub fn faults(&self) -> &[TraceContextFault] {
        &self.faults
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.parent.is_none() && self.state.is_none() && self.baggage.is_none()
    }

    /// Sets one of the three. That a `tracestate` is not alone is looked at when all are known.
    fn set(&mut self, key: &str, value: &str) -> Result<(), TraceContextFault> {
        match key {
            TRACEPARENT => self.parent = Some(Parent::parse(value)?),
            TRACESTATE => {
                state::check(value)?;
                self.state = Some(value.to_owned());
            }
            _ => {
                baggage::check(value)?;
                self.baggage = Some(value.to_owned());
            }
        }
        Ok(())
    }

    /// Sets one of the three from a `_meta` entry of the caller's.
    pub(crate) fn set_meta(&mut self, key: &str, value: &RawJson) -> Result<(), InvalidCall> {
        let fault = match value.parse::<String>() {
            Ok(value) => match self.set(key, &value) {
                Ok(()) => return Ok(()),
                Err(fault) => fault,
            },
            Err(_) => TraceContextFault::of(key, fault::NO_STRING),
        };
        Err(fault.into())
    }

    /// Whether it can be sent as it is: a `tracestate` means nothing without its `traceparent`.
    pub(crate) fn check(&self) -> Result<(), InvalidCall> {
        if self.state.is_some() && self.parent.is_none() {
            return Err(TraceContextFault::new(TRACESTATE, fault::ALONE).into());
        }
        Ok(())
    }

    /// The entries as they are sent.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'static str, std::borrow::Cow<'_, str>)> {
        let parent = self.parent.map(|parent| (TRACEPARENT, parent.to_string().into()));
        let state = self.state.as_deref().map(|state| (TRACESTATE, state.into()));
        let baggage = self.baggage.as_deref().map(|baggage| (BAGGAGE, baggage.into()));
        [parent, state, baggage].into_iter().flatten()
    }
}

/// Whether a `_meta` key is one of the three that are reserved for this.
pub(crate) fn is_key(key: &str) -> bool {
    matches!(key, TRACEPARENT | TRACESTATE | BAGGAGE)
}

impl Parent {
    /// `version-trace_id-parent_id-flags`, in lower-case hexadecimal digits.
    fn parse(text: &str) -> Result<Self, TraceContextFault> {
        let malformed = || TraceContextFault::new(TRACEPARENT, fault::GRAMMAR);
        let mut parts = text.split('-');
        let version: [u8; 1] = parts.next().and_then(hex).ok_or_else(malformed)?;
        let trace = parts.next().and_then(hex).ok_or_else(malformed)?;
        let span = parts.next().and_then(hex).ok_or_else(malformed)?;
        let [flags] = parts.next().and_then(hex).ok_or_else(malformed)?;
        // Later versions may add parts at the end; ff is none.
        if version == [0xff] || (version == [0] && parts.next().is_some()) {
            return Err(malformed());
        }
        Self { trace, span, flags: flags & KNOWN_FLAGS }.checked()
    }

    fn checked(self) -> Result<Self, TraceContextFault> {
        if self.trace == [0; 16] || self.span == [0; 8] {
            return Err(TraceContextFault::new(TRACEPARENT, fault::ZERO));
        }
        Ok(self)
    }
}

impl fmt::Display for Parent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace, span) = (u128::from_be_bytes(self.trace), u64::from_be_bytes(self.span));
        write!(f, "00-{trace:032x}-{span:016x}-{:02x}", self.flags)
    }
}

/// Exactly so many bytes in lower-case hexadecimal digits.
fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    fn digit(byte: u8) -> Option<u8> {
        match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        }
    }
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

impl fmt::Debug for TraceContext {
    /// Of the `tracestate` and the `baggage` only the sizes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |text: &Option<String>| text.as_ref().map(|text| format!("{} bytes", text.len()));
        f.debug_struct("TraceContext")
            .field("traceparent", &self.traceparent())
            .field("tracestate", &size(&self.state))
            .field("baggage", &size(&self.baggage))
            .field("faults", &self.faults)
            .finish_non_exhaustive()
    }
}

impl From<TraceContextFault> for InvalidCall {
    fn from(fault: TraceContextFault) -> Self {
        Self::new(InvalidKind::TraceContext, fault.to_string())
    }
}

#[cfg(test)]
mod tests;
