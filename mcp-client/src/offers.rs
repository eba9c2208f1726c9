//! What a server said that it offers, and to whom.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{PoisonError, RwLock},
};

use mcp_types::{PromptsCapability, RawMap, ResourcesCapability, ServerCapabilities, ToolsCapability};

use crate::{cache::Authorization, whose::Whose};

/// For how many contexts it is remembered; then the one that was told the longest ago is forgotten, and nothing is refused to it.
const MAX_CONTEXTS: usize = 1_024;

/// What was said in public holds for all, the rest for those with the same credentials; of both, the latest.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    told: RwLock<Told>,
}

#[derive(Debug, Default)]
struct Told {
    /// The last one, in full, whoever asked.
    last: Option<ServerCapabilities>,
    shared: Option<Offered>,
    own: HashMap<Authorization, Offered>,
    /// The contexts by when they were told.
    order: BTreeMap<u64, Authorization>,
    clock: u64,
}

/// Which features are offered, and nothing more of them: servers may write as much as they like about each.
#[derive(Clone, Debug)]
struct Offered {
    told: u64,
    features: ServerCapabilities,
}

impl Offers {
    pub(crate) fn learn(&self, capabilities: &ServerCapabilities, whose: Whose) {
        let mut guard = self.told.write().unwrap_or_else(PoisonError::into_inner);
        let told = &mut *guard;
        told.clock += 1;
        told.last = Some(capabilities.clone());
        let offered = Offered { told: told.clock, features: features(capabilities) };
        let Some(context) = whose.0 else {
            told.shared = Some(offered);
            return;
        };
        if let Some(before) = told.own.insert(context, offered) {
            told.order.remove(&before.told);
        }
        told.order.insert(told.clock, context);
        if told.own.len() > MAX_CONTEXTS {
            if let Some((_, oldest)) = told.order.pop_first() {
                told.own.remove(&oldest);
            }
        }
    }

    /// What was said last, whoever asked.
    pub(crate) fn last(&self) -> Option<ServerCapabilities> {
        self.told.read().unwrap_or_else(PoisonError::into_inner).last.clone()
    }

    /// Whether the server offers something to a context, as far as that is known; the context is only worked out where it counts.
    pub(crate) fn allow(
        &self,
        context: impl FnOnce() -> Authorization,
        is_offered: impl FnOnce(&ServerCapabilities) -> bool,
    ) -> bool {
        let told = self.told.read().unwrap_or_else(PoisonError::into_inner);
        let own = if told.own.is_empty() { None } else { told.own.get(&context()) };
        let latest = own.into_iter().chain(&told.shared).max_by_key(|offered| offered.told);
        latest.is_none_or(|offered| is_offered(&offered.features))
    }
}

fn features(of: &ServerCapabilities) -> ServerCapabilities {
    let mut features = ServerCapabilities::default();
    features.tools = of.tools.as_ref().map(|_| ToolsCapability::default());
    features.prompts = of.prompts.as_ref().map(|_| PromptsCapability::default());
    features.resources = of.resources.as_ref().map(|_| ResourcesCapability::default());
    features.completions = of.completions.as_ref().map(|_| RawMap::default());
    features
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;
    use crate::cache::Principal;

    fn context(token: usize) -> Authorization {
        Authorization::of("s", &HeaderMap::new(), Some(&token.to_string()), &Principal::Visible)
    }

    fn with_tools(tools: bool) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::default();
        capabilities.tools = tools.then(Default::default);
        capabilities
    }

    fn tools(offers: &Offers, token: usize) -> bool {
        offers.allow(|| context(token), |capabilities| capabilities.tools.is_some())
    }

    #[test]
    fn each_context_has_its_own_and_the_latest_word_holds() {
        let offers = Offers::default();
        assert!(tools(&offers, 1), "nobody was asked");
        offers.learn(&with_tools(false), Whose(Some(context(1))));
        assert_eq!([tools(&offers, 1), tools(&offers, 2)], [false, true]);
        offers.learn(&with_tools(true), Whose::EVERYBODYS);
        assert_eq!([tools(&offers, 1), tools(&offers, 2)], [true, true]);
        offers.learn(&with_tools(false), Whose::EVERYBODYS);
        assert_eq!([tools(&offers, 1), tools(&offers, 2)], [false, false]);
        offers.learn(&with_tools(true), Whose(Some(context(1))));
        assert_eq!([tools(&offers, 1), tools(&offers, 2)], [true, false]);
        assert_eq!(offers.last(), Some(with_tools(true)));
    }

    #[test]
    fn who_knows_no_context_is_not_asked_for_one() {
        let offers = Offers::default();
        offers.learn(&with_tools(false), Whose::EVERYBODYS);
        assert!(!offers.allow(|| panic!("not needed"), |capabilities| capabilities.tools.is_some()));
    }

    #[test]
    fn the_contexts_are_bounded() {
        let offers = Offers::default();
        for token in 0..=MAX_CONTEXTS {
            offers.learn(&with_tools(false), Whose(Some(context(token))));
            // Told again and again, it is never the oldest.
            offers.learn(&with_tools(false), Whose(Some(context(0))));
        }
        let told = offers.told.read().unwrap();
        assert_eq!((told.own.len(), told.order.len()), (MAX_CONTEXTS, MAX_CONTEXTS));
        drop(told);
        assert_eq!([tools(&offers, 0), tools(&offers, 1), tools(&offers, 2)], [false, true, false]);
    }
}
