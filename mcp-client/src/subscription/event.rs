//! What a notification is to a subscription. Sans-IO.

use std::collections::HashSet;

use mcp_types::{
    CancelledNotificationParams, NotificationMethod, RawJson, RequestId, ResourceUpdatedNotificationParams,
    SubscriptionFilter, SubscriptionsAcknowledgedNotificationParams, method,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Something changed at the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SubscriptionEvent {
    /// The list of tools changed.
    ToolsChanged,
    /// The list of prompts changed.
    PromptsChanged,
    /// The list of resources, or of their templates, changed.
    ResourcesChanged,
    /// A resource changed. It may be part of one that was asked for.
    ResourceUpdated {
        /// Which one.
        uri: String,
    },
    /// A notification of an extension that the filter asks for.
    Other {
        /// Its method.
        method: String,
        /// Its parameters.
        params: Option<RawJson>,
    },
    /// The subscription broke off and was opened again: anything may have changed meanwhile. What the cache kept of the
    /// server is forgotten.
    Relistened,
}

impl SubscriptionEvent {
    /// How many bytes of the server's it keeps.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::ResourceUpdated { uri } => uri.len(),
            Self::Other { method, params } => {
                method.len() + params.as_ref().map_or(0, |params| params.get().len())
            }
            _ => 0,
        }
    }
}

/// How long an acknowledgement may be besides what it acknowledges: 64 KiB.
const MAX_ACKNOWLEDGEMENT_BESIDES: usize = 64 << 10;

/// What a notification does.
#[derive(Debug, PartialEq)]
pub(super) enum Told {
    Event(SubscriptionEvent),
    /// The server ends the subscription.
    Cancelled(Option<String>),
    /// Of another subscription, not asked for, malformed: it changes nothing.
    Nothing,
}

/// How a subscription begins.
#[derive(Debug, PartialEq)]
pub(crate) enum Begun {
    /// The server tells of these things.
    Acknowledged(SubscriptionFilter),
    /// The server cancelled it, maybe for this reason.
    Cancelled(Option<String>),
}

/// What a notification is to the subscription that is being opened with that id; `None` when it says nothing of it. `asked`
/// is how long the text of the filter was.
pub(crate) fn begun(method: &str, params: Option<&RawValue>, id: &RequestId, asked: usize) -> Option<Begun> {
    if method == method::SubscriptionsAcknowledged::NAME && is_of(params, id) {
        return Some(Begun::Acknowledged(acknowledged(params, asked)));
    }
    match cancelled(method, params, id) {
        Some(Told::Cancelled(reason)) => Some(Begun::Cancelled(reason)),
        _ => None,
    }
}

/// What an acknowledgement acknowledges. A malformed one acknowledges nothing, and the subscription is open all the same. So
/// does one that is far longer than a part of what was asked for can be, even with every character escaped.
fn acknowledged(params: Option<&RawValue>, asked: usize) -> SubscriptionFilter {
    let limit = asked.saturating_mul(6).saturating_add(MAX_ACKNOWLEDGEMENT_BESIDES);
    let read = params.filter(|params| params.get().len() <= limit).and_then(|params| {
        serde_json::from_str::<SubscriptionsAcknowledgedNotificationParams>(params.get()).ok()
    });
    read.map(|read| read.notifications).unwrap_or_default()
}

/// Whether this cancels the subscription of that id; `None` when it is no cancellation at all.
fn cancelled(method: &str, params: Option<&RawValue>, id: &RequestId) -> Option<Told> {
    if method != method::Cancelled::NAME {
        return None;
    }
    let read =
        params.and_then(|params| serde_json::from_str::<CancelledNotificationParams>(params.get()).ok());
    Some(match read {
        Some(cancelled) if cancelled.request_id == *id => Told::Cancelled(cancelled.reason),
        _ => Told::Nothing,
    })
}

/// Whether a notification belongs to the subscription of that id. Ids are compared with their JSON type; where there is none,
/// the stream that it came on says it.
fn is_of(params: Option<&RawValue>, id: &RequestId) -> bool {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "_meta")]
        meta: Option<mcp_types::RawMap>,
    }
    let meta = params.and_then(|params| serde_json::from_str::<Params>(params.get()).ok()?.meta);
    match meta.as_ref().and_then(|meta| meta.get(mcp_types::meta::key::SUBSCRIPTION_ID)) {
        Some(seen) => seen.parse::<RequestId>().is_ok_and(|seen| seen == *id),
        None => true,
    }
}

/// Reads a notification that came on the stream of a subscription.
pub(super) fn told(
    method: &str,
    params: Option<&RawValue>,
    id: &RequestId,
    requested: &SubscriptionFilter,
) -> Told {
    if let Some(told) = cancelled(method, params, id) {
        return told;
    }
    if !is_of(params, id) {
        return Told::Nothing;
    }
    let asked = |flag: Option<bool>, event| {
        if flag == Some(true) { Told::Event(event) } else { Told::Nothing }
    };
    match method {
        method::ToolListChanged::NAME => asked(requested.tools_list_changed, SubscriptionEvent::ToolsChanged),
        method::PromptListChanged::NAME => {
            asked(requested.prompts_list_changed, SubscriptionEvent::PromptsChanged)
        }
        method::ResourceListChanged::NAME => {
            asked(requested.resources_list_changed, SubscriptionEvent::ResourcesChanged)
        }
        method::ResourceUpdated::NAME => {
            let read = params.and_then(|params| {
                serde_json::from_str::<ResourceUpdatedNotificationParams>(params.get()).ok()
            });
            // Which of the resources asked for it is part of only the server knows.
            let asked = requested.resource_subscriptions.as_ref().is_some_and(|uris| !uris.is_empty());
            match read {
                Some(updated) if asked => {
                    Told::Event(SubscriptionEvent::ResourceUpdated { uri: updated.uri })
                }
                _ => Told::Nothing,
            }
        }
        method::Progress::NAME | method::LoggingMessage::NAME | method::SubscriptionsAcknowledged::NAME => {
            Told::Nothing
        }
        // Only who asks for something beyond the protocol is told of something beyond it.
        other if !requested.extra.is_empty() => Told::Event(SubscriptionEvent::Other {
            method: other.to_owned(),
            params: params.map(|params| RawJson::from_raw(params.to_owned())),
        }),
        _ => Told::Nothing,
    }
}

/// What was asked for and not acknowledged.
pub(super) fn missing(
    requested: &SubscriptionFilter,
    acknowledged: &SubscriptionFilter,
) -> SubscriptionFilter {
    let flag = |asked: Option<bool>, given: Option<bool>| {
        (asked == Some(true) && given != Some(true)).then_some(true)
    };
    let mut missing = SubscriptionFilter::default();
    missing.tools_list_changed = flag(requested.tools_list_changed, acknowledged.tools_list_changed);
    missing.prompts_list_changed = flag(requested.prompts_list_changed, acknowledged.prompts_list_changed);
    missing.resources_list_changed =
        flag(requested.resources_list_changed, acknowledged.resources_list_changed);
    // Either may be long.
    let given: HashSet<&String> = acknowledged.resource_subscriptions.iter().flatten().collect();
    let uris: Vec<String> = requested
        .resource_subscriptions
        .iter()
        .flatten()
        .filter(|uri| !given.contains(uri))
        .cloned()
        .collect();
    missing.resource_subscriptions = (!uris.is_empty()).then_some(uris);
    for (key, value) in &requested.extra {
        if !acknowledged.extra.contains_key(key) {
            missing.extra.insert(key, value.clone());
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: RequestId = RequestId::Number(7);

    fn told_of(method: &str, params: &str, requested: &SubscriptionFilter) -> Told {
        let params: Option<&RawValue> = (!params.is_empty()).then(|| serde_json::from_str(params).unwrap());
        told(method, params, &ID, requested)
    }

    fn everything() -> SubscriptionFilter {
        SubscriptionFilter::default().with_tools().with_prompts().with_resources().with_resource("file:///a")
    }

    #[test]
    fn sub_02_only_what_was_asked_for_is_told() {
        use SubscriptionEvent as E;
        let updated = r#"{"uri":"file:///a/b"}"#;
        for (method, params, event) in [
            ("notifications/tools/list_changed", "", E::ToolsChanged),
            ("notifications/prompts/list_changed", "{}", E::PromptsChanged),
            ("notifications/resources/list_changed", "{}", E::ResourcesChanged),
            ("notifications/resources/updated", updated, E::ResourceUpdated { uri: "file:///a/b".into() }),
        ] {
            assert_eq!(told_of(method, params, &everything()), Told::Event(event), "{method}");
            assert_eq!(told_of(method, params, &SubscriptionFilter::default()), Told::Nothing, "{method}");
        }
        for (method, params) in [
            ("notifications/resources/updated", "{}"),
            ("notifications/resources/updated", ""),
            ("notifications/progress", r#"{"progressToken":7,"progress":1}"#),
            ("notifications/message", r#"{"level":"info","data":1}"#),
            ("notifications/new", "{}"),
        ] {
            assert_eq!(told_of(method, params, &everything()), Told::Nothing, "{method}");
        }
        let mut more = SubscriptionFilter::default();
        more.extra.insert("taskIds", RawJson::from_serialize(&["t"]).unwrap());
        assert!(matches!(
            told_of("notifications/tasks", "{}", &more),
            Told::Event(E::Other { method, .. }) if method == "notifications/tasks"
        ));
    }

    #[test]
    fn sub_05_another_subscription_is_told_apart_by_value_and_type() {
        let of = |id: &str| format!(r#"{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}"#);
        let told = |id: &str| told_of("notifications/tools/list_changed", &of(id), &everything());
        assert_eq!(told("7"), Told::Event(SubscriptionEvent::ToolsChanged));
        for id in ["8", "\"7\"", "null", "[]"] {
            assert_eq!(told(id), Told::Nothing, "{id}");
        }
    }

    #[test]
    fn sub_10_can_07_a_cancellation_ends_only_the_subscription_that_it_names() {
        let told = |params: &str| told_of("notifications/cancelled", params, &everything());
        assert_eq!(told(r#"{"requestId":7,"reason":"bye"}"#), Told::Cancelled(Some("bye".into())));
        assert_eq!(told(r#"{"requestId":7,"reason":5}"#), Told::Cancelled(None));
        for params in [r#"{"requestId":"7"}"#, r#"{"requestId":8}"#, "{}", ""] {
            assert_eq!(told(params), Told::Nothing, "{params}");
        }
    }

    #[test]
    fn sub_04_what_is_not_acknowledged_is_named() {
        let mut requested = everything().with_resource("file:///b");
        requested.extra.insert("taskIds", RawJson::from_serialize(&["t"]).unwrap());
        let given = SubscriptionFilter::default().with_tools().with_resource("file:///b");
        let missing = missing(&requested, &given);
        assert_eq!(missing.tools_list_changed, None);
        assert_eq!(missing.prompts_list_changed, Some(true));
        assert_eq!(missing.resource_subscriptions, Some(vec!["file:///a".to_owned()]));
        assert!(missing.extra.contains_key("taskIds"));
        assert_eq!(super::missing(&requested, &requested), SubscriptionFilter::default());
    }

    #[test]
    fn a_malformed_acknowledgement_acknowledges_nothing_and_a_foreign_one_is_none() {
        let read = |params: &str| {
            let params: &RawValue = serde_json::from_str(params).unwrap();
            begun("notifications/subscriptions/acknowledged", Some(params), &ID, 100)
        };
        let acknowledged = |filter| Some(Begun::Acknowledged(filter));
        assert_eq!(
            read(r#"{"notifications":{"toolsListChanged":true}}"#),
            acknowledged(SubscriptionFilter::default().with_tools())
        );
        let nothing = acknowledged(SubscriptionFilter::default());
        for malformed in ["{}", "[]", "7", r#"{"notifications":[]}"#, r#"{"_meta":7}"#] {
            assert_eq!(read(malformed), nothing, "{malformed}");
        }
        assert_eq!(begun("notifications/subscriptions/acknowledged", None, &ID, 100), nothing);
        assert_eq!(
            read(r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":8},"notifications":{}}"#),
            None
        );
    }

    #[test]
    fn an_acknowledgement_that_is_far_longer_than_the_filter_acknowledges_nothing() {
        let of = |length: usize| {
            let start = r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":[""#;
            let end = r#""]}}"#;
            let params = format!("{start}{}{end}", "x".repeat(length - start.len() - end.len()));
            let params: &RawValue = serde_json::from_str(&params).unwrap();
            match begun("notifications/subscriptions/acknowledged", Some(params), &ID, 1_000) {
                Some(Begun::Acknowledged(filter)) => filter.tools_list_changed,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(of(6_000 + 65_536), Some(true));
        assert_eq!(of(6_000 + 65_537), None);
    }

    #[test]
    fn sub_10_a_subscription_can_be_cancelled_before_it_is_acknowledged() {
        let of =
            |method: &str, params: &str| begun(method, Some(serde_json::from_str(params).unwrap()), &ID, 0);
        let cancelled = |params: &str| of("notifications/cancelled", params);
        assert_eq!(
            cancelled(r#"{"requestId":7,"reason":"full"}"#),
            Some(Begun::Cancelled(Some("full".into())))
        );
        for params in [r#"{"requestId":"7"}"#, r#"{"requestId":8}"#, "{}"] {
            assert_eq!(cancelled(params), None, "{params}");
        }
        assert_eq!(of("notifications/tools/list_changed", "{}"), None);
    }
}
