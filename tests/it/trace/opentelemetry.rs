//! The context of OpenTelemetry, as the documentation of `trace_context_from` has it.

use std::collections::HashMap;

use ::opentelemetry::{
    Context, KeyValue,
    baggage::BaggageExt as _,
    global,
    propagation::TextMapCompositePropagator,
    trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState},
};
use opentelemetry_sdk::propagation::{BaggagePropagator, TraceContextPropagator};

use super::*;

#[tokio::test]
async fn trc_01_the_current_context_of_opentelemetry_reaches_the_server() {
    global::set_text_map_propagator(TextMapCompositePropagator::new(vec![
        Box::new(TraceContextPropagator::new()),
        Box::new(BaggagePropagator::new()),
    ]));
    let server = FaultServer::start([good()]).await.unwrap();
    let client = once(&server.url())
        .trace_context_from(|| {
            let mut carrier = HashMap::<String, String>::new();
            global::get_text_map_propagator(|propagator| propagator.inject(&mut carrier));
            Some(TraceContext::from_entries(carrier))
        })
        .build()
        .unwrap();
    // Without a span there is nothing to tell.
    let ended = in_time(client.call_tool("x").send()).await;
    assert_good(&"no span", &ended);
    {
        let span = SpanContext::new(
            TraceId::from(0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c_u128),
            SpanId::from(0xb7ad_6b71_6920_3331_u64),
            TraceFlags::SAMPLED,
            true,
            TraceState::from_key_value([("rojo", "1")]).unwrap(),
        );
        let context = Context::new()
            .with_remote_span_context(span)
            .with_baggage(vec![KeyValue::new("tenant", "Søndre & Co")]);
        let _attached = context.attach();
        assert_good(&"span", &in_time(client.call_tool("x").send()).await);
    }
    let metas = metas(&server);
    assert_eq!(metas[0].get("traceparent"), None);
    assert_eq!(metas[1]["traceparent"], PARENT);
    assert_eq!(metas[1]["tracestate"], "rojo=1");
    assert!(metas[1]["baggage"].as_str().unwrap().starts_with("tenant=S%C3%B8ndre"), "{}", metas[1]);
}
