//! A server that answers each request by a function of it, and a log of what it was asked.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcp_client::{Client, ClientBuilder};
use serde_json::{Map, Value};
use wiremock::{Mock, MockServer, Request, matchers::any};

use crate::stage::Canned;

/// One request, as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// How many came before.
    pub(crate) number: usize,
    pub(crate) method: String,
    /// Without `_meta`.
    pub(crate) params: Map<String, Value>,
    pub(crate) meta: Value,
    post: Request,
}

impl Asked {
    fn of(number: usize, post: &Request) -> Self {
        let body: Value = serde_json::from_slice(&post.body).expect("a message is JSON");
        let mut params = body["params"].as_object().expect("params are an object").clone();
        let meta = params.remove("_meta").expect("every request has `_meta`");
        let method = body["method"].as_str().expect("a method").to_owned();
        Self { number, method, params, meta, post: post.clone() }
    }

    pub(crate) fn cursor(&self) -> Option<String> {
        self.params.get("cursor").map(|cursor| cursor.as_str().expect("a cursor is a string").to_owned())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.post.headers.get(name).map(|value| value.to_str().expect("text"))
    }

    pub(crate) fn id(&self) -> Value {
        serde_json::from_slice::<Value>(&self.post.body).expect("JSON")["id"].clone()
    }
}

/// The server.
pub(crate) struct Desk {
    server: MockServer,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl Desk {
    pub(crate) async fn new(answer: impl Fn(&Asked) -> Canned + Send + Sync + 'static) -> Self {
        let server = MockServer::start().await;
        let log: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let seen = Arc::clone(&log);
        let respond = move |request: &Request| {
            assert_eq!(request.method, "POST", "only POSTs are ever sent");
            let asked = {
                let mut seen = seen.lock().unwrap();
                let asked = Asked::of(seen.len(), request);
                seen.push(asked.clone());
                asked
            };
            answer(&asked).template(&asked.id().to_string())
        };
        Mock::given(any()).respond_with(respond).mount(&server).await;
        Self { server, log }
    }

    /// One that gives these answers, the last one from then on.
    pub(crate) async fn script(answers: impl Into<Vec<Canned>>) -> Self {
        let answers = answers.into();
        Self::new(move |asked| answers.get(asked.number).or(answers.last()).expect("an answer").clone()).await
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.server.uri())
    }

    /// A builder of clients that make each call once.
    pub(crate) fn builder(&self) -> ClientBuilder {
        crate::support::once(&self.url()).timeout(Duration::from_secs(20))
    }

    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    /// All requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.log.lock().unwrap().clone()
    }

    /// How many requests there were so far.
    pub(crate) fn count(&self) -> usize {
        self.log.lock().unwrap().len()
    }
}
