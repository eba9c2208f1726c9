//! Sampling. Deprecated since 2026-07-28.

use mcp_client::{AnswerFault, SamplingFault, types::StopReason};

use super::*;

fn sample(params: &Value) -> String {
    json!({ "method": "sampling/createMessage", "params": params }).to_string()
}

/// Keeps what it was asked.
struct Model {
    kinds: InputKinds,
    requests: Mutex<Vec<CreateMessageRequestParams>>,
    says: Value,
}

impl Model {
    fn new(kinds: InputKinds, says: Value) -> Self {
        Self { kinds, requests: Mutex::default(), says }
    }
}

#[async_trait]
impl InputHandler for Model {
    fn kinds(&self) -> InputKinds {
        self.kinds
    }

    async fn sample(
        &self,
        request: CreateMessageRequestParams,
        _: &InputContext,
    ) -> Result<CreateMessageResult, InputError> {
        self.requests.lock().unwrap().push(request);
        Ok(serde_json::from_value(self.says.clone())?)
    }
}

fn text(text: &str) -> Value {
    json!({ "role": "assistant", "content": { "type": "text", "text": text }, "model": "m" })
}

#[tokio::test]
async fn smp_01_smp_18_sampling_is_declared_with_each_request_and_only_where_there_is_a_model() {
    for (kinds, expected) in [
        (InputKinds::NONE, json!({})),
        (InputKinds::SAMPLING, json!({ "sampling": {} })),
        (InputKinds::SAMPLING_TOOLS, json!({ "sampling": { "tools": {} } })),
        (InputKinds::SAMPLING_CONTEXT, json!({ "sampling": { "context": {} } })),
    ] {
        let state_only = asks(&[], Some("\"s\""));
        let desk = Desk::script([state_only, done()]).await;
        let model = Model::new(kinds, text("a"));
        desk.client().call_tool("t").drive(&model).await.unwrap().into_success().unwrap();
        for asked in desk.asked() {
            assert_eq!(asked.meta["io.modelcontextprotocol/clientCapabilities"], expected);
        }
    }
}

/// There is no error that could be sent: the call stops here.
#[tokio::test]
async fn smp_02_tools_for_the_model_are_refused_where_they_were_not_declared() {
    let tool = json!({ "name": "weather", "inputSchema": { "type": "object" } });
    for extra in [
        json!({ "tools": [tool] }),
        json!({ "tools": [] }),
        json!({ "toolChoice": { "mode": "auto" } }),
        json!({ "tools": [tool], "toolChoice": {} }),
    ] {
        let mut params = json!({ "messages": [], "maxTokens": 5 });
        params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let desk = Desk::script([asks(&[("s", &sample(&params))], Some("\"s\"")), done()]).await;
        let model = Model::new(InputKinds::SAMPLING, text("a"));
        let (mut asked, stop) = stopped(desk.client().call_tool("t").drive(&model).await);
        assert!(matches!(&stop, DriveStop::Undeclared { key } if key == "s"), "{stop:?}");
        assert!(!asked.is_declared("s"));
        let error = asked.answer("s", CreateMessageResult::text("m", "a")).unwrap_err();
        assert_eq!(error.fault(), AnswerFault::Undeclared);
        assert_eq!((model.requests.lock().unwrap().len(), desk.count()), (0, 1), "{params}");

        let desk = Desk::script([asks(&[("s", &sample(&params))], Some("\"s\"")), done()]).await;
        let model = Model::new(InputKinds::SAMPLING_TOOLS, text("a"));
        desk.client().call_tool("t").drive(&model).await.unwrap().into_success().unwrap();
        assert_eq!(desk.count(), 2, "{params}");
    }
}

#[tokio::test]
async fn smp_03_smp_04_the_model_is_asked_for_what_the_server_wants() {
    let params = json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": "Hi" } }],
        "modelPreferences": { "hints": [{ "name": "small" }, { "name": "large" }], "costPriority": 0.25 },
        "systemPrompt": "Be brief.",
        "includeContext": "thisServer",
        "temperature": 0.5,
        "maxTokens": 100,
        "stopSequences": ["END"],
        "metadata": { "k": [1.0] },
        "tools": [{ "name": "weather", "inputSchema": { "type": "object" } }],
        "toolChoice": { "mode": "required" },
        "vendor": true,
    });
    let desk = Desk::script([asks(&[("s", &sample(&params))], None), done()]).await;
    let model = Model::new(InputKinds::SAMPLING_TOOLS | InputKinds::SAMPLING_CONTEXT, text("a"));
    desk.client().call_tool("t").drive(&model).await.unwrap().into_success().unwrap();
    let request = model.requests.lock().unwrap()[0].clone();
    assert_eq!(request.max_tokens, 100, "the upper bound is the handler's to keep");
    assert_eq!(serde_json::to_value(&request).unwrap(), params, "all that it says, to the model's keeper");
    // Absent is absent.
    let bare: CreateMessageRequestParams = serde_json::from_str(r#"{"messages":[],"maxTokens":1}"#).unwrap();
    assert!(bare.include_context.is_none() && bare.tool_choice.is_none());
}

#[tokio::test]
async fn smp_08_smp_11_smp_13_answers_of_one_block_or_several_go_out_as_they_are() {
    let uses =
        json!({ "type": "tool_use", "id": "1", "name": "weather", "input": { "n": 1 }, "_meta": { "k": 1 } });
    let params = json!({
        "messages": [
            { "role": "user", "content": [{ "type": "text", "text": "Hi" }] },
            { "role": "assistant", "content": uses },
            { "role": "user", "content": { "type": "tool_result", "toolUseId": "1", "content": [], "_meta": { "r": 2 } } },
        ],
        "maxTokens": 5,
        "tools": [{ "name": "weather", "inputSchema": { "type": "object" } }],
    });
    for says in [
        json!({ "role": "assistant", "content": { "type": "text", "text": "a" }, "model": "m" }),
        json!({ "role": "assistant", "content": [{ "type": "text", "text": "a" }, uses], "model": "m", "stopReason": "toolUse" }),
        json!({ "role": "assistant", "content": [uses], "model": "m", "stopReason": "vendor.limit" }),
    ] {
        let desk = Desk::script([asks(&[("s", &sample(&params))], None), done()]).await;
        let model = Model::new(InputKinds::SAMPLING_TOOLS, says.clone());
        desk.client().call_tool("t").drive(&model).await.unwrap().into_success().unwrap();
        assert_eq!(each(&desk, "inputResponses")[1], json!({ "s": says }), "bare, `_meta` included");
        assert_eq!(serde_json::to_value(&model.requests.lock().unwrap()[0]).unwrap(), params);
    }
    let stop: StopReason = serde_json::from_str("\"vendor.limit\"").unwrap();
    assert_eq!(stop.as_str(), "vendor.limit");
}

#[tokio::test]
async fn smp_09_smp_10_smp_19_messages_that_break_the_rules_reach_no_model() {
    let uses = json!({ "role": "assistant", "content": { "type": "tool_use", "id": "1", "name": "n", "input": {} } });
    let result = json!({ "type": "tool_result", "toolUseId": "1", "content": [] });
    let hi = json!({ "type": "text", "text": "Hi" });
    let image = json!({ "type": "image", "data": "?", "mimeType": "image/png" });
    for (messages, fault) in [
        (
            json!([uses, { "role": "user", "content": [result, hi] }]),
            SamplingFault::MixedResults { message: 1 },
        ),
        (json!([uses, { "role": "user", "content": hi }]), SamplingFault::Unbalanced { message: 0 }),
        (json!([{ "role": "system", "content": hi }]), SamplingFault::Role { message: Some(0) }),
        (json!([{ "role": "user", "content": image }]), SamplingFault::Base64 { message: Some(0) }),
    ] {
        let params = json!({ "messages": messages, "maxTokens": 5 });
        let desk = Desk::script([asks(&[("good", FORM), ("s", &sample(&params))], Some("\"s\""))]).await;
        let model = Willing::new(all());
        let (mut asked, stop) = stopped(desk.client().call_tool("t").drive(&model).await);
        assert!(
            matches!(&stop, DriveStop::Sampling { key, fault: found } if key == "s" && *found == fault),
            "{stop:?}"
        );
        // Nor is it answered by hand.
        let error = asked.answer("s", CreateMessageResult::text("m", "a")).unwrap_err();
        assert_eq!(error.fault(), AnswerFault::Sampling(fault));
        let raw = mcp_client::types::RawJson::empty_object();
        assert_eq!(asked.answer("s", raw).unwrap_err().fault(), AnswerFault::Sampling(fault));
        assert_eq!((model.keys().len(), desk.count()), (0, 1));
    }
}

#[tokio::test]
async fn smp_19_an_answer_that_breaks_the_rules_is_not_sent() {
    for (says, fault) in [
        (
            json!({ "role": "assistant", "content": { "type": "image", "data": "?", "mimeType": "image/png" }, "model": "m" }),
            SamplingFault::Base64 { message: None },
        ),
        (
            json!({ "role": "tool", "content": { "type": "text", "text": "a" }, "model": "m" }),
            SamplingFault::Role { message: None },
        ),
        (
            json!({ "role": "assistant", "content": { "type": "tool_use", "id": "1", "name": "n", "input": {} }, "model": "m" }),
            SamplingFault::Misplaced { message: None },
        ),
    ] {
        let desk = Desk::script([asks(&[("s", SAMPLE)], None)]).await;
        let model = Model::new(InputKinds::SAMPLING, says);
        let (_, stop) = stopped(desk.client().call_tool("t").drive(&model).await);
        let DriveStop::Answer(error) = &stop else { panic!("{stop:?}") };
        assert_eq!((error.key(), error.fault()), ("s", AnswerFault::Sampling(fault)));
        assert_eq!(desk.count(), 1);
    }
}

#[tokio::test]
async fn smp_14_where_the_person_refuses_or_the_model_fails_nothing_is_sent() {
    let desk = Desk::script([asks(&[("s", SAMPLE)], Some("\"s\""))]).await;
    let (_, stop) = stopped(desk.client().call_tool("t").drive(&Refusing(InputKinds::SAMPLING)).await);
    assert!(matches!(&stop, DriveStop::Declined { key } if key == "s"), "{stop:?}");
    assert_eq!(desk.count(), 1);
    // What is no answer is an error of the handler's own.
    let model = Model::new(InputKinds::SAMPLING, json!({ "model": "m" }));
    let (_, stop) = stopped(desk.client().call_tool("t").drive(&model).await);
    assert!(matches!(&stop, DriveStop::Handler { key, .. } if key == "s"), "{stop:?}");
    assert_eq!(desk.count(), 2, "the second call, and nothing after it");
}

/// Each request has its own messages, and no more.
#[tokio::test]
async fn smp_17_no_message_of_one_request_gets_into_another() {
    let ask = |word: &str| {
        sample(&json!({
            "messages": [{ "role": "user", "content": { "type": "text", "text": word } }], "maxTokens": 5
        }))
    };
    let (one, two, three) = (ask("one"), ask("two"), ask("three"));
    let desk =
        Desk::script([asks(&[("a", &one), ("b", &two)], None), asks(&[("a", &three)], None), done()]).await;
    let model = Model::new(InputKinds::SAMPLING, text("a"));
    desk.client().call_tool("t").drive(&model).await.unwrap().into_success().unwrap();
    let requests = model.requests.lock().unwrap();
    let messages: Vec<Value> =
        requests.iter().map(|asked| serde_json::to_value(&asked.messages).unwrap()).collect();
    let of = |word: &str| json!([{ "role": "user", "content": { "type": "text", "text": word } }]);
    assert_eq!(messages, [of("one"), of("two"), of("three")]);
}
