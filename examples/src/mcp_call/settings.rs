//! What is set on every request, whatever its method.

use std::time::Duration;

use mcp_client::{CancelHandle, types::LoggingLevel};

use super::{Args, Usage, watch::Watch};

/// The least level of the log messages that are shown.
pub(super) const LOG_LEVEL: LoggingLevel = LoggingLevel::Info;

/// Cancelled how, bounded how, and watched by whom.
pub(super) struct Settings {
    pub(super) stop: CancelHandle,
    pub(super) max_timeout: Option<Duration>,
    pub(super) watch: Option<Watch>,
    /// The label of the records.
    pub(super) label: Option<String>,
}

impl Settings {
    pub(super) fn new(args: &Args, stop: CancelHandle) -> Result<Self, Usage> {
        let max_timeout = args.max_timeout.map(Duration::try_from_secs_f64).transpose()?;
        Ok(Self { stop, max_timeout, watch: args.progress.then(Watch::new), label: args.scenario.clone() })
    }
}

/// Puts the settings on a request or on a call that is resumed: these have the same methods, and no trait in common.
macro_rules! steer {
    ($request:expr, $settings:expr) => {{
        let settings: &$crate::mcp_call::settings::Settings = $settings;
        let mut request = $request.cancel_with(&settings.stop);
        if let Some(max) = settings.max_timeout {
            request = request.max_timeout(max);
        }
        if let Some(watch) = &settings.watch {
            let (progress, log) = (watch.clone(), watch.clone());
            request = request
                .progress(move |update| progress.progress(&update))
                .log($crate::mcp_call::settings::LOG_LEVEL, move |message| log.log(&message))
                .timeout_from_last_progress();
        }
        request
    }};
}

/// The same for a request that is new, with its label.
macro_rules! set {
    ($request:expr, $settings:expr) => {{
        let request = $crate::mcp_call::settings::steer!($request, $settings);
        match &$settings.label {
            Some(label) => request.scenario(label),
            None => request,
        }
    }};
}

pub(super) use {set, steer};
