//! Which versions a server speaks and what it offers.

use crate::cache_hint::cacheable;
use crate::open_struct::open_struct;
use crate::{CacheScope, Implementation, ProtocolVersion, ResultMeta, ResultType, ServerCapabilities};

open_struct! {
    /// The result of `server/discover`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct DiscoverResult {
        /// Facts about the result, the server's name among them.
        hint "_meta" => meta: ResultMeta;
        /// What kind of result this is; absent means complete.
        result_type "resultType" => result_type: ResultType;
        /// The versions that the server speaks.
        required "supportedVersions" => supported_versions: Vec<ProtocolVersion>;
        /// What the server offers.
        required "capabilities" => capabilities: ServerCapabilities;
        /// How to use the server, for language models.
        hint "instructions" => instructions: String;
        /// How long the result may be kept, in milliseconds.
        hint "ttlMs" => ttl_ms: i64;
        /// Who may be given the kept result.
        hint "cacheScope" => cache_scope: CacheScope;
    }
}

cacheable!(DiscoverResult);

impl DiscoverResult {
    /// Who answers, as it says itself.
    pub fn server_info(&self) -> Option<&Implementation> {
        self.meta.as_ref()?.server_info.as_ref()
    }
}
