//! Subscriptions: a request that stays open and brings notifications.

use crate::open_struct::open_struct;
use crate::{NotificationMeta, RequestMeta, ResultType, SubscriptionsListenResultMeta};

open_struct! {
    /// What to be told about. Extensions add members, which go to `extra`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct SubscriptionFilter {
        /// The list of tools changed; absent means no.
        hint "toolsListChanged" => tools_list_changed: bool;
        /// The list of prompts changed; absent means no.
        hint "promptsListChanged" => prompts_list_changed: bool;
        /// The list of resources changed; absent means no.
        hint "resourcesListChanged" => resources_list_changed: bool;
        /// These resources changed.
        hint "resourceSubscriptions" => resource_subscriptions: Vec<String>;
    }
}

impl SubscriptionFilter {
    /// Asks for changes of the list of tools.
    #[must_use]
    pub fn with_tools(mut self) -> Self {
        self.tools_list_changed = Some(true);
        self
    }

    /// Asks for changes of the list of prompts.
    #[must_use]
    pub fn with_prompts(mut self) -> Self {
        self.prompts_list_changed = Some(true);
        self
    }

    /// Asks for changes of the list of resources.
    #[must_use]
    pub fn with_resources(mut self) -> Self {
        self.resources_list_changed = Some(true);
        self
    }

    /// Asks for changes of one resource.
    #[must_use]
    pub fn with_resource(mut self, uri: impl Into<String>) -> Self {
        self.resource_subscriptions.get_or_insert_default().push(uri.into());
        self
    }
}

open_struct! {
    /// Parameters of `subscriptions/listen`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SubscriptionsListenParams {
        /// Who asks, in which version, with which capabilities.
        required "_meta" => meta: RequestMeta;
        /// What to be told about.
        required "notifications" => notifications: SubscriptionFilter;
    }
}

/// The schema's name for [`SubscriptionsListenParams`].
pub type SubscriptionsListenRequestParams = SubscriptionsListenParams;

open_struct! {
    /// The end of a subscription.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SubscriptionsListenResult {
        /// Facts about the result, the id of the subscription among them.
        required "_meta" => meta: SubscriptionsListenResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
    }
}

open_struct! {
    /// Parameters of `notifications/subscriptions/acknowledged`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SubscriptionsAcknowledgedNotificationParams {
        /// Facts about the notification, the id of the subscription among them.
        hint "_meta" => meta: NotificationMeta;
        /// What the server will tell about; it may be less than asked for.
        required "notifications" => notifications: SubscriptionFilter;
    }
}

open_struct! {
    /// Parameters of a notification that has none but `_meta`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct NotificationParams {
        /// Facts about the notification.
        hint "_meta" => meta: NotificationMeta;
    }
}
