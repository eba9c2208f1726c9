//! A call under way: what is known of it, and its record at the end, whatever that is.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use http::HeaderValue;
use mcp_retry::{AttemptLog, Call, Classify as _, Delivery, Ended, Failure, FailureKind, Layer, Running};
use mcp_types::{Method, ProtocolVersion, RequestId, ResultType, method::CallTool};
use tokio::time::Instant;

use super::{
    Spec,
    bounds::Deadline,
    inner::InnerPosts,
    repair::{self, Repaired},
};
use crate::{
    cache::Freshness,
    cancel::CancelHandle,
    client::Client,
    decode::Decoded,
    error::{CallError, Fates, InvalidCall, InvalidKind, TransportError, TransportErrorKind},
    method::Answer,
    record::{CallRecord, CloseCause, Note, OutcomeKind, SseRecord, cut_message},
    spans::{self, CallSpan},
    token::{BearerToken, TokenError},
    tool_book::KnownTool,
    trace_context::TraceContext,
    transport::{EVENT_STREAM, ExchangeContext},
};

/// Everything that is known of a call until it ends.
pub(super) struct Flight<'a> {
    client: &'a Client,
    spec: &'a Spec,
    deadline: &'a Deadline,
    started: Instant,
    /// How much of its time was over before its first attempt.
    lead: Duration,
    request_id: Option<RequestId>,
    running: Running<'a>,
    pub(super) exchange: ExchangeContext,
    pub(super) sse: Option<SseRecord>,
    /// The result as it came, where the cache keeps it.
    pub(super) kept: Option<Bytes>,
    /// How long the text of the result was.
    pub(super) result_bytes: usize,
    /// What was mended so far, each thing once.
    pub(super) repaired: Repaired,
    /// The token that the source gave for the last attempt.
    pub(super) token: Option<BearerToken>,
    /// The one that it gave for the next, after that was refused.
    pub(super) renewed: Option<BearerToken>,
    span: CallSpan,
    /// The tool that is called, as far as it is known.
    pub(super) tool: Option<Arc<KnownTool>>,
    /// `None` between attempts.
    under_way: Option<UnderWay>,
    /// The POSTs of what is done to mend an attempt.
    inner: Option<InnerPosts>,
    /// What is known of the attempts that have ended.
    ended: Fates,
    finished: bool,
}

/// The attempt under way.
#[derive(Clone, Copy)]
struct UnderWay {
    /// How many POSTs there were before it.
    before: usize,
    /// How it ended, where it was refused for what is being mended.
    refused: Option<Refused>,
}

#[derive(Clone, Copy)]
struct Refused {
    outcome: OutcomeKind,
    status: Option<u16>,
}

impl UnderWay {
    /// What it ends in when the call is given up.
    fn cancelled(self) -> OutcomeKind {
        self.refused.map_or(OutcomeKind::Cancelled, |refused| refused.outcome)
    }
}

impl<'a> Flight<'a> {
    pub(super) fn new(
        client: &'a Client,
        spec: &'a Spec,
        deadline: &'a Deadline,
        note: Option<Cow<'static, str>>,
        span: CallSpan,
    ) -> Self {
        let lead = spec.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        // Of whoever has the token, more is known once the token is.
        let has_token_source = client.has_token_source(spec);
        let tool = if has_token_source { spec.tool.clone() } else { client.known_tool(spec, None) };
        let call = Call::new(spec.method)
            .on(client.identity())
            .named(&spec.target)
            .with_evidence(client.evidence(spec, tool.as_deref()))
            .with_timeout(deadline.allowed().saturating_sub(lead));
        let mut running = spec.retry.as_ref().unwrap_or(&client.config().retry).begin(call);
        if let Some((log, origin)) = &spec.continues {
            running = running.continuing(log.clone(), *origin);
        }
        if let Some(note) = note {
            running = running.with_note(note);
        }
        Self {
            running,
            client,
            spec,
            deadline,
            // Earlier rounds have records of their own.
            started: deadline.started() + spec.spent,
            lead,
            request_id: None,
            exchange: ExchangeContext::default(),
            sse: None,
            kept: None,
            result_bytes: 0,
            repaired: Repaired::default(),
            token: None,
            renewed: None,
            span,
            tool,
            under_way: None,
            inner: None,
            ended: Fates::default(),
            finished: false,
        }
    }

    /// Whether its time was over before its first attempt: nothing is sent then.
    pub(super) fn is_over(&self) -> bool {
        self.spec.begun.is_some() && self.lead >= self.deadline.allowed()
    }

    /// A tool whose headers break the rules is not called: servers would refuse it, or others read it wrongly.
    pub(super) fn refusal(&self) -> Option<InvalidCall> {
        let fault = self.tool.as_ref()?.header_params.as_ref().err()?;
        let carries = self.client.transport().carries_headers();
        carries.then(|| InvalidCall::new(InvalidKind::Tool, fault.to_string()))
    }

    pub(super) fn begin_attempt(&mut self, id: &RequestId) {
        self.request_id = Some(id.clone());
        self.sse = None;
        self.exchange.content_type = None;
        self.under_way = Some(UnderWay { before: self.exchange.posts.len(), refused: None });
        self.exchange.begin_attempt();
        self.running.attempt();
    }

    /// The `Authorization` of the attempt, where a source gives tokens. Until it has one, nothing was sent.
    pub(super) async fn authorization<M: Answer>(&mut self) -> Result<Option<HeaderValue>, CallError> {
        if !self.client.has_token_source(self.spec) {
            return Ok(None);
        }
        self.exchange.hold_back();
        self.token = match self.renewed.take() {
            Some(token) => Some(token),
            None => self.client.token(self.spec).await.map_err(TokenError::before_the_call)?,
        };
        let header = self.token.as_ref().map(BearerToken::header).transpose();
        let header = header.map_err(TokenError::before_the_call)?;
        self.recall::<M>()?;
        self.exchange.go_on();
        Ok(header)
    }

    /// What the server said before to whoever has the token of this attempt.
    fn recall<M: Answer>(&mut self) -> Result<(), InvalidCall> {
        self.client.check_offered::<M>(self.spec, self.token.as_ref())?;
        // What was listed for this very call stays.
        if M::NAME == CallTool::NAME && !self.repaired.has_listed() {
            self.tool = self.client.known_tool(self.spec, self.token.as_ref());
            self.running.set_evidence(self.client.evidence(self.spec, self.tool.as_deref()));
        }
        self.refusal().map_or(Ok(()), Err)
    }

    pub(super) fn has_token_source(&self) -> bool {
        self.client.has_token_source(self.spec)
    }

    /// The trace that the attempt belongs to.
    pub(super) fn trace(&mut self) -> Option<Cow<'a, TraceContext>> {
        let trace = self.client.trace_context(self.spec)?;
        for fault in trace.faults() {
            self.exchange.notes.add(Note::DroppedTraceContext(fault.key()));
        }
        Some(trace)
    }

    /// Time ran out. Our own timer proves nothing about the request, once it was handed over.
    pub(super) fn timed_out(&self, after: Duration) -> CallError {
        let unsent = self.exchange.is_proven_unsent();
        super::timed_out(after, if unsent { Delivery::NotSent } else { Delivery::Unknown })
    }

    /// The status of the last POST of the attempt under way.
    fn last_status(&self) -> Option<u16> {
        let UnderWay { before, refused } = self.under_way?;
        match refused {
            Some(refused) => refused.status,
            None => self.exchange.posts.get(before..)?.last().copied().flatten(),
        }
    }

    /// The attempt was refused, and what was wrong with it is being mended: whatever happens meanwhile, it did not run.
    pub(super) fn refused(&mut self, error: &CallError) {
        let refused = Refused { outcome: error.outcome(), status: self.last_status() };
        if let Some(under_way) = &mut self.under_way {
            under_way.refused = Some(refused);
        }
    }

    /// Where the POSTs are counted that are made to mend an attempt.
    pub(super) fn inner_posts(&mut self) -> InnerPosts {
        self.inner.get_or_insert_default().clone()
    }

    /// Counts them.
    pub(super) fn count_inner(&mut self) {
        if let Some(inner) = &self.inner {
            self.exchange.add_posts(inner.take());
        }
    }

    /// Ends an attempt that was refused for a reason that has been mended. True when there is time for another one.
    pub(super) fn end_repaired(&mut self, error: &CallError, note: &'static str) -> bool {
        self.ended.add(Delivery::Refused, self.last_status());
        self.under_way = None;
        let failed = Some(error.outcome().as_str().into());
        self.running.set_timeout(self.deadline.allowed().saturating_sub(self.lead));
        let again = self.running.repaired(Ended { request_id: self.request_id.clone(), failed }, note);
        if again {
            spans::mended(note);
        }
        again
    }

    /// Ends an attempt: completes the facts on an error. True when, after the wait that has passed by then, another one
    /// is to be made.
    pub(super) async fn end_attempt<M: Answer>(
        &mut self,
        result: &mut Result<Decoded<M::Result>, CallError>,
    ) -> bool {
        if let Err(CallError::Transport(error)) = result {
            self.complete(error);
        }
        let status = self.last_status();
        self.under_way = None;
        self.ended.add(result.as_ref().map_or_else(CallError::delivery, |_| Delivery::Answered), status);
        let (failure, failed) = match &*result {
            Ok(Decoded::Complete(result)) if M::outcome(result) == OutcomeKind::ToolError => {
                // An answer, and policies of the application may have an opinion on it.
                let failure = Failure::new(Layer::Application, Delivery::Answered, FailureKind::ToolError);
                let failure = M::message(result).map_or(failure, |said| failure.with_message(said));
                (Some(failure), Some(OutcomeKind::ToolError))
            }
            Ok(_) => (None, None),
            Err(error) => {
                let seen = self.sse.is_some_and(|sse| sse.notifications > 0);
                (error.failure().map(|failure| failure.with_progress_seen(seen)), Some(error.outcome()))
            }
        };
        let ended = Ended {
            request_id: self.request_id.clone(),
            failed: failed.map(|outcome| outcome.as_str().into()),
        };
        let failure = failure.map(|failure| failure.with_status(failure.status().or(status)));
        // Not the longest that progress could earn it: until the next attempt none comes.
        self.running.set_timeout(self.deadline.allowed().saturating_sub(self.lead));
        let again = self.running.ended(failure, ended).await;
        if again {
            spans::repeated(failed, status, self.running.log().attempts().len());
        }
        again
    }

    /// Ends the call because the caller gave up, whatever it was doing: an attempt, or the wait for the next one.
    pub(super) fn give_up(&mut self) -> CallError {
        let delivery = match self.under_way {
            // A transport that reports nothing has proven nothing.
            Some(UnderWay { refused: None, .. }) if !self.exchange.is_proven_unsent() => Delivery::Unknown,
            _ if self.exchange.posts.is_empty() => Delivery::NotSent,
            _ => Delivery::Refused,
        };
        let mut error = TransportError::new(TransportErrorKind::Cancelled, delivery);
        if let Some(under_way) = self.under_way {
            if under_way.refused.is_none() {
                self.complete(&mut error);
            }
            self.ended.add(delivery, self.last_status());
            self.under_way = None;
            let failed = Some(under_way.cancelled().as_str().into());
            self.running.abandon(Ended { request_id: self.request_id.clone(), failed });
        }
        error.into()
    }

    /// Ends the call: completes the facts on an error, writes the record, tells the observer.
    pub(super) fn finish<M: Answer>(
        mut self,
        mut result: Result<Decoded<M::Result>, CallError>,
    ) -> Result<Finished<M::Result>, CallError> {
        self.finished = true;
        if let Err(error) = &mut result {
            error.context_mut().fates = self.ended;
            if let Some(mismatch) = repair::mismatch::<M>(self.client, self.spec, self.tool.as_deref(), error)
            {
                error.set_mismatch(mismatch);
            }
        }
        let record = Box::new(match &result {
            Ok(Decoded::Complete(result)) => {
                self.answered(M::outcome(result), Layer::Application, ResultType::Complete)
            }
            // There is no result yet, and so it says nothing of itself.
            Ok(Decoded::Opened(_)) => {
                self.record(OutcomeKind::ToolSuccess, Layer::Application, Delivery::Answered)
            }
            Ok(Decoded::InputRequired(_)) => {
                self.answered(OutcomeKind::InputRequired, Layer::Interaction, ResultType::InputRequired)
            }
            Err(error) => self.failed(error),
        });
        self.span.ended(&record);
        match &self.spec.inner {
            Some(outer) => outer.add(&record.posts),
            // Whoever has another answer tells of both.
            None if self.spec.fallback && result.as_ref().is_err_and(CallError::is_unavailable) => {}
            None => self.client.observe(&record),
        }
        match result {
            Ok(decoded) => Ok(Finished {
                decoded,
                record,
                kept: self.kept.take(),
                bytes: self.result_bytes,
                tool: self.tool.take(),
                token: self.token.take(),
            }),
            Err(mut error) => {
                error.context_mut().record = Some(record);
                Err(error)
            }
        }
    }

    /// What only the call knows about a stream that broke off.
    fn complete(&mut self, error: &mut TransportError) {
        if self.exchange.content_type.as_deref() == Some(EVENT_STREAM) {
            // The head came, and not one event.
            self.sse.get_or_insert_default();
        }
        if let Some(sse) = &mut self.sse {
            if sse.close_cause.is_none() {
                sse.close_cause = Some(match error.kind() {
                    TransportErrorKind::Timeout { .. } => CloseCause::Timeout,
                    TransportErrorKind::Cancelled => CloseCause::Cancelled,
                    _ => CloseCause::Broken,
                });
            }
            error.close_cause = sse.close_cause;
            error.sse_events = Some(sse.events);
            error.sse_skipped = sse.skipped;
        }
    }

    fn answered(&mut self, outcome: OutcomeKind, layer: Layer, result_type: ResultType) -> CallRecord {
        let mut record = self.record(outcome, layer, Delivery::Answered);
        record.result_type = Some(result_type);
        record
    }

    fn failed(&mut self, error: &CallError) -> CallRecord {
        let mut record = self.record(error.outcome(), error.layer(), error.delivery());
        record.error_code = error.rpc_code();
        record.error_message =
            Some(error.rpc_message().map_or_else(|| cut_message(&error.to_string()), cut_message));
        record.error_data = error.rpc_data().and_then(|data| self.client.redact(data));
        let why = self.spec.cancel.as_ref().filter(|_| record.outcome == OutcomeKind::Cancelled);
        if let Some(why) = why.and_then(CancelHandle::reason) {
            spans::cancelled(why);
            record.error_message = Some(cut_message(why));
        }
        record
    }

    fn record(&mut self, outcome: OutcomeKind, layer: Layer, delivery: Delivery) -> CallRecord {
        let took = self.started.elapsed();
        self.count_inner();
        CallRecord {
            posts: std::mem::take(&mut self.exchange.posts),
            request_id: self.request_id.take(),
            content_type: self.exchange.content_type.take(),
            sse: self.sse.take(),
            duration: took,
            attempts: self.running.take_log(),
            notes: self.exchange.notes.take(),
            ..blank(Some(self.client), Some(self.spec), outcome, layer, delivery)
        }
    }
}

impl Drop for Flight<'_> {
    /// The caller dropped the future: nobody is left to be told but the observers.
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        let mut may_have_run = self.ended.may_have_run;
        // Otherwise the next attempt was still waited for.
        if let Some(under_way) = self.under_way {
            // A transport that reports nothing has proven nothing.
            may_have_run |= under_way.refused.is_none() && !self.exchange.is_proven_unsent();
            self.running.abandon(Ended {
                request_id: self.request_id.clone(),
                failed: Some(under_way.cancelled().as_str().into()),
            });
        }
        if let Some(outer) = &self.spec.inner {
            outer.add(&self.exchange.posts);
        }
        let is_observed = self.spec.inner.is_none() && self.client.is_observed();
        if !is_observed && !self.span.is_recorded() {
            return;
        }
        let delivery = match may_have_run {
            true => Delivery::Unknown,
            false if self.exchange.posts.is_empty() => Delivery::NotSent,
            false => Delivery::Refused,
        };
        if let Some(sse) = &mut self.sse {
            sse.close_cause.get_or_insert(CloseCause::Cancelled);
        }
        let record = self.record(OutcomeKind::Cancelled, Layer::Local, delivery);
        self.span.ended(&record);
        if is_observed {
            self.client.observe(&record);
        }
    }
}

/// A call that ended in an answer.
pub(crate) struct Finished<R> {
    pub(crate) decoded: Decoded<R>,
    pub(crate) record: Box<CallRecord>,
    /// The result as it came, where the cache keeps it.
    pub(crate) kept: Option<Bytes>,
    /// How long the text of the result is.
    pub(crate) bytes: usize,
    /// The tool that was called, as far as it is known.
    pub(crate) tool: Option<Arc<KnownTool>>,
    /// The token that a source gave for the attempt that was answered.
    pub(crate) token: Option<BearerToken>,
}

/// The record of a call that the cache answered: nothing was sent.
pub(crate) fn from_cache(client: &Client, spec: &Spec, freshness: Freshness) -> Box<CallRecord> {
    let mut record =
        blank(Some(client), Some(spec), OutcomeKind::ToolSuccess, Layer::Application, Delivery::NotSent);
    record.result_type = Some(ResultType::Complete);
    record.freshness = freshness;
    record.duration = since_begun(spec);
    client.observe(&record);
    Box::new(record)
}

/// Tells the observer of a call that was dropped while no attempt was under way; `record` is that of those before.
pub(crate) fn dropped(client: &Client, spec: &Spec, record: Option<Box<CallRecord>>) {
    if spec.inner.is_some() || !client.is_observed() {
        return;
    }
    let nothing_sent =
        || blank(Some(client), Some(spec), OutcomeKind::Cancelled, Layer::Local, Delivery::NotSent);
    let mut record = record.map_or_else(nothing_sent, |record| *record);
    record.outcome = OutcomeKind::Cancelled;
    record.layer = Layer::Local;
    record.duration = since_begun(spec);
    client.observe(&record);
}

fn since_begun(spec: &Spec) -> Duration {
    spec.begun.map_or(Duration::ZERO, |begun| begun.elapsed())
}

/// Ends a call that was refused here, with its record.
pub(crate) fn refuse(client: &Client, spec: &Spec, refusal: InvalidCall) -> CallError {
    let mut record =
        blank(Some(client), Some(spec), OutcomeKind::InvalidCall, Layer::Local, Delivery::NotSent);
    record.error_message = Some(cut_message(&refusal.to_string()));
    client.observe(&record);
    let mut error = CallError::from(refusal);
    error.context_mut().record = Some(Box::new(record));
    error
}

/// Stands in where no exchange has been made yet: a call that was restored.
pub(crate) fn no_record() -> &'static CallRecord {
    static NO_RECORD: OnceLock<CallRecord> = OnceLock::new();
    NO_RECORD
        .get_or_init(|| blank(None, None, OutcomeKind::InputRequired, Layer::Interaction, Delivery::Answered))
}

fn blank(
    client: Option<&Client>,
    spec: Option<&Spec>,
    outcome: OutcomeKind,
    layer: Layer,
    delivery: Delivery,
) -> CallRecord {
    let method = spec.map_or(CallTool::NAME, |spec| spec.method);
    CallRecord {
        client: client.map_or_else(|| "".into(), |client| client.config().name.clone()),
        protocol_version: ProtocolVersion::LATEST,
        scenario: spec.and_then(|spec| spec.scenario.clone()),
        method,
        tool: spec.filter(|_| method == CallTool::NAME).map(|spec| spec.target.clone()),
        posts: Vec::new(),
        request_id: None,
        error_code: None,
        result_type: None,
        outcome,
        layer,
        error_message: None,
        error_data: None,
        delivery,
        content_type: None,
        sse: None,
        duration: Duration::ZERO,
        attempts: AttemptLog::new(),
        notes: Vec::new(),
        freshness: Freshness::Fetched,
    }
}
