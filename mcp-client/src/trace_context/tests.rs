use proptest::prelude::*;

use super::*;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn entries(context: &TraceContext) -> Vec<(&'static str, String)> {
    context.entries().map(|(key, value)| (key, value.into_owned())).collect()
}

#[test]
fn trc_01_a_traceparent_is_read_as_w3c_has_it() {
    let context = TraceContext::parse(PARENT).unwrap();
    assert_eq!(context.traceparent().as_deref(), Some(PARENT));
    assert!(context.is_sampled());
    for (text, sent) in [
        // Later versions are read as far as they are known.
        ("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more", "00"),
        ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03", "03"),
        // Flags that are not defined are sent as zero.
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff", "03"),
    ] {
        let sent = format!("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-{sent}");
        assert_eq!(TraceContext::parse(text).unwrap().traceparent(), Some(sent), "{text}");
    }
    for text in [
        "",
        "00",
        "00-1-2-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 ",
        " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
        "00-0af7651916cd43dd8448eb211c8031é-b7ad6b7169203331-01",
        "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ] {
        assert_eq!(TraceContext::parse(text).unwrap_err().key(), TRACEPARENT, "{text}");
    }
    let built = TraceContext::new([0xab; 16], [0xcd; 8], false).unwrap();
    let expected = format!("00-{}-{}-00", "ab".repeat(16), "cd".repeat(8));
    assert_eq!((built.traceparent(), built.is_sampled()), (Some(expected), false));
    assert!(TraceContext::new([0; 16], [1; 8], true).is_err());
    assert!(TraceContext::new([1; 16], [0; 8], true).is_err());
}

#[test]
fn trc_01_a_tracestate_is_read_as_w3c_has_it() {
    let with = |state: &str| TraceContext::parse(PARENT).unwrap().with_tracestate(state);
    let long_key = "k".repeat(256);
    let many = |count: usize| (0..count).map(|i| format!("k{i}=v")).collect::<Vec<_>>().join(",");
    for state in [
        "rojo=00f067aa0ba902b7",
        "rojo=1,congo=t61rcWkgMzE",
        "rojo=1 , ,\tcongo=2,",
        "fw529a3039@dt=FfL a!~",
        "0a@b=1",
        "a_-*/9=x",
        &format!("{long_key}=1"),
        &format!("a={}", "v".repeat(256)),
        &many(32),
    ] {
        assert_eq!(with(state).unwrap().tracestate(), Some(state), "{state}");
    }
    for state in [
        "",
        " ",
        ",",
        "a",
        "a=",
        "=1",
        "A=1",
        "1a=1",
        "a@=1",
        "@b=1",
        "a@1=1",
        "a@b@c=1",
        "a b=1",
        "a=b=c",
        "a=é",
        "a=\u{7}",
        "a=1\r\nx: y",
        "a=1,a=2",
        &format!("{long_key}k=1"),
        &format!("a@{}=1", "s".repeat(15)),
        &format!("a={}", "v".repeat(257)),
        &many(33),
    ] {
        assert_eq!(with(state).unwrap_err().key(), TRACESTATE, "{state}");
    }
    assert!(TraceContext::default().with_tracestate("a=1").is_err(), "it means nothing alone");
}

#[test]
fn trc_01_a_baggage_is_read_as_w3c_has_it() {
    let with = |baggage: &str| TraceContext::default().with_baggage(baggage);
    let many = |count: usize| vec!["a=1"; count].join(",");
    for baggage in [
        "a=1",
        "a=",
        "a = 1 ; p ; q = 2 , b=x%20y",
        "userId=alice,serverNode=DF%2028,isProduction=false",
        "a=b=c",
        "!#$%&'*+-.^_`|~=1",
        &many(64),
        &format!("a={}", "v".repeat(8_190)),
    ] {
        assert_eq!(with(baggage).unwrap().baggage(), Some(baggage), "{baggage}");
    }
    for baggage in [
        "",
        ",",
        "a",
        "=1",
        "a b=1",
        "a=1 2",
        "a=\"1\"",
        "a=\\",
        "a=1;",
        "a=1;b c",
        "a=1,",
        "é=1",
        "a=é",
        "a=1\r\nx: y",
        &many(65),
        &format!("a={}", "v".repeat(8_191)),
    ] {
        assert_eq!(with(baggage).unwrap_err().key(), BAGGAGE, "{baggage}");
    }
    let one = TraceContext::default().with_baggage_entry("a", "x, y;\"%\"").unwrap();
    let two = one.with_baggage_entry("b", "ø").unwrap();
    assert_eq!(two.baggage(), Some("a=x%2C%20y%3B%22%25%22,b=%C3%B8"));
    assert!(two.clone().with_baggage_entry("no token", "1").is_err());
    assert!(two.with_baggage_entry("a", &"x".repeat(8_200)).is_err());
}

#[test]
fn what_a_propagator_wrote_wrongly_is_left_out_with_its_reason() {
    let context = TraceContext::from_entries([
        ("TraceParent", PARENT),
        ("tracestate", "A=1"),
        ("x-b3-traceid", "1"),
        ("baggage", "secret value"),
    ]);
    assert_eq!(entries(&context), [("traceparent", PARENT.to_owned())]);
    let keys: Vec<_> = context.faults().iter().map(TraceContextFault::key).collect();
    assert_eq!(keys, ["tracestate", "baggage"]);
    assert!(!format!("{context:?} {}", context.faults()[1]).contains("secret"));

    let context = TraceContext::from_entries([("tracestate", "a=1"), ("traceparent", "x")]);
    assert!(context.is_empty());
    let said: Vec<_> = context.faults().iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "the `traceparent` of the trace context breaks the grammar",
            "the `tracestate` of the trace context stands without a `traceparent`",
        ]
    );
    assert!(TraceContext::from_entries([("", "")]).is_empty());
}

#[test]
fn baggage_stays_out_of_debug() {
    let context = TraceContext::parse(PARENT).unwrap().with_baggage("user=alice").unwrap();
    let shown = format!("{context:?}");
    assert!(shown.contains("10 bytes") && !shown.contains("alice"), "{shown}");
}

proptest! {
    #[test]
    fn whatever_is_accepted_is_accepted_again(parent in ".{0,60}", state in ".{0,40}", baggage in ".{0,40}") {
        let all = [(TRACEPARENT, &parent), (TRACESTATE, &state), (BAGGAGE, &baggage)];
        let context = TraceContext::from_entries(all);
        let again = TraceContext::from_entries(context.entries());
        prop_assert!(again.faults().is_empty());
        prop_assert_eq!(entries(&context), entries(&again));
    }

    #[test]
    fn every_baggage_value_can_be_sent(value in "\\PC{0,200}") {
        let context = TraceContext::default().with_baggage_entry("k", &value).unwrap();
        prop_assert!(TraceContext::default().with_baggage(context.baggage().unwrap()).is_ok());
    }
}
