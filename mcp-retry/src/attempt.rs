//! What a policy is shown.

use std::time::Duration;

use crate::{AttemptRecord, Evidence, Failure, Safety};

/// The call that is being made: what it is, never what it carries.
///
/// ```
/// use mcp_retry::{Call, Evidence, Repeat, Source};
///
/// // Nobody vouches for a tool call until somebody does; reads are vouched for by the protocol.
/// let call = Call::new("tools/call").on("https://bank.example/mcp").named("pay");
/// assert!(!call.evidence().repeat().is_safe());
/// assert!(Call::new("resources/read").evidence().repeat().is_safe());
///
/// let call = call.with_evidence(Evidence::new(Repeat::Keyed, Source::Call));
/// assert_eq!((call.evidence().repeat(), call.evidence().source()), (Repeat::Keyed, Source::Call));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    server: &'a str,
    method: &'a str,
    name: Option<&'a str>,
    evidence: Evidence,
    timeout: Option<Duration>,
}

impl<'a> Call<'a> {
    /// A call of a method. Without further word, only what the protocol says of the method is evidence.
    pub fn new(method: &'a str) -> Self {
        Self { server: "", method, name: None, evidence: Evidence::of_method(method), timeout: None }
    }

    /// Names the server, as policies and registries know it.
    #[must_use]
    pub fn on(mut self, server: &'a str) -> Self {
        self.server = server;
        self
    }

    /// Names the tool, prompt or resource.
    #[must_use]
    pub fn named(mut self, name: &'a str) -> Self {
        self.name = Some(name);
        self
    }

    /// Adds what somebody says about repeating it; the stronger word holds.
    #[must_use]
    pub fn with_evidence(mut self, evidence: Evidence) -> Self {
        self.evidence = evidence.or(self.evidence);
        self
    }

    /// Says what repeating it does, instead of all that was said before but what the protocol says of the method.
    #[cfg(feature = "tokio")]
    #[must_use]
    pub(crate) fn with_only(self, evidence: Evidence) -> Self {
        Self { evidence: Evidence::of_method(self.method), ..self }.with_evidence(evidence)
    }

    /// Sets how long the whole call may take, all attempts and waits included (default: without limit).
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The server.
    pub fn server(&self) -> &'a str {
        self.server
    }
    /// The method, such as `tools/call`.
    pub fn method(&self) -> &'a str {
        self.method
    }
    /// The tool, prompt or resource.
    pub fn name(&self) -> Option<&'a str> {
        self.name
    }
    /// What is known about repeating it.
    pub fn evidence(&self) -> Evidence {
        self.evidence
    }
    /// How long the whole call may take.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }
}

/// One failed attempt, as a policy sees it: facts and durations, no clocks.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) failure: &'a Failure<'a>,
    pub(crate) number: u32,
    pub(crate) elapsed: Duration,
    pub(crate) remaining: Option<Duration>,
    pub(crate) safety: Safety,
    pub(crate) history: &'a [AttemptRecord],
}

impl<'a> Attempt<'a> {
    /// An attempt as a test of a policy needs it: the first, just now, with all the time in the world.
    pub fn new(call: &'a Call<'a>, failure: &'a Failure<'a>) -> Self {
        let safety = Safety::of(failure, call.evidence);
        Self { call, failure, number: 1, elapsed: Duration::ZERO, remaining: None, safety, history: &[] }
    }

    /// The same, as the attempt of that number.
    #[must_use]
    pub fn with_number(mut self, number: u32) -> Self {
        self.number = number;
        self
    }

    /// The same, with so much time left.
    #[must_use]
    pub fn with_remaining(mut self, remaining: Duration) -> Self {
        self.remaining = Some(remaining);
        self
    }

    /// The call.
    pub fn call(&self) -> &'a Call<'a> {
        self.call
    }
    /// How it failed.
    pub fn failure(&self) -> &'a Failure<'a> {
        self.failure
    }
    /// Which attempt it was, counted from 1.
    pub fn number(&self) -> u32 {
        self.number
    }
    /// How long the call has taken so far.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }
    /// How much time the call has left; `None` without a limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.remaining
    }
    /// Whether the gate would let a repetition through.
    pub fn safety(&self) -> Safety {
        self.safety
    }
    /// All attempts so far, this one included.
    pub fn history(&self) -> &'a [AttemptRecord] {
        self.history
    }
}
