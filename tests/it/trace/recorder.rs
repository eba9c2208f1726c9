//! A subscriber that keeps what it is told.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};

pub(crate) type Fields = BTreeMap<String, String>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Arc<State>);

#[derive(Debug, Default)]
struct State {
    last: AtomicU64,
    spans: Mutex<Vec<SpanData>>,
    events: Mutex<Vec<EventData>>,
    entered: Mutex<Vec<u64>>,
}

#[derive(Clone, Debug)]
pub(crate) struct SpanData {
    id: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) fields: Fields,
    pub(crate) closed: bool,
}

impl SpanData {
    pub(crate) fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct EventData {
    pub(crate) level: Level,
    /// The number of the span that it stands in.
    pub(crate) span: Option<u64>,
    pub(crate) fields: Fields,
}

impl EventData {
    pub(crate) fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }
}

impl Recorder {
    /// Records what this thread does from now on.
    pub(crate) fn start() -> (Self, DefaultGuard) {
        let recorder = Self::default();
        let guard = tracing::subscriber::set_default(recorder.clone());
        (recorder, guard)
    }

    pub(crate) fn spans(&self) -> Vec<SpanData> {
        self.0.spans.lock().unwrap().clone()
    }

    pub(crate) fn events(&self) -> Vec<EventData> {
        self.0.events.lock().unwrap().clone()
    }

    /// The one event with that message.
    #[track_caller]
    pub(crate) fn event(&self, message: &str) -> EventData {
        let events = self.events();
        let mut found = events.iter().filter(|event| event.get("message") == Some(message));
        let event = found.next().unwrap_or_else(|| panic!("no `{message}` in {events:?}"));
        assert!(found.next().is_none(), "{events:?}");
        event.clone()
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be absent")]
    pub(crate) fn number(span: &SpanData) -> Option<u64> {
        Some(span.id)
    }

    fn current(&self) -> Option<u64> {
        self.0.entered.lock().unwrap().last().copied()
    }
}

struct Into<'a>(&'a mut Fields);

impl Visit for Into<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "mcp_client"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.0.last.fetch_add(1, Ordering::SeqCst) + 1;
        let mut fields = Fields::new();
        span.record(&mut Into(&mut fields));
        fields.insert("name".to_owned(), span.metadata().name().to_owned());
        let parent = span.parent().map(Id::into_u64).or_else(|| self.current());
        self.0.spans.lock().unwrap().push(SpanData { id, parent, fields, closed: false });
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let mut spans = self.0.spans.lock().unwrap();
        let span = spans.iter_mut().find(|span| span.id == id.into_u64()).unwrap();
        values.record(&mut Into(&mut span.fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Into(&mut fields));
        let level = *event.metadata().level();
        self.0.events.lock().unwrap().push(EventData { level, span: self.current(), fields });
    }

    fn enter(&self, id: &Id) {
        self.0.entered.lock().unwrap().push(id.into_u64());
    }

    fn exit(&self, id: &Id) {
        let mut entered = self.0.entered.lock().unwrap();
        let at = entered.iter().rposition(|entered| *entered == id.into_u64()).unwrap();
        entered.remove(at);
    }

    fn try_close(&self, id: Id) -> bool {
        let mut spans = self.0.spans.lock().unwrap();
        if let Some(span) = spans.iter_mut().find(|span| span.id == id.into_u64()) {
            span.closed = true;
        }
        true
    }
}
