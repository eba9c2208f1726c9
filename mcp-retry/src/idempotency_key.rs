//! Idempotency keys: the protocol has none, so a key lives where the tool says.

use std::{borrow::Cow, fmt};

/// A key by which a server recognises a repetition of the same call.
///
/// It is made once for a logical call, stays the same bytes on every attempt, and is never derived from the arguments.
///
/// ```
/// use mcp_retry::IdempotencyKey;
///
/// let order = IdempotencyKey::in_argument("/request_id").value("order-4711");
/// assert_eq!(order.value(), "order-4711");
/// let random = IdempotencyKey::in_meta("com.example/idempotencyKey").generate();
/// assert_eq!(random.value().len(), 36);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    place: KeyPlace,
    value: Cow<'static, str>,
}

/// Where a key is put.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyPlace {
    /// Into the arguments, at a JSON pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) such as `/request_id`.
    Argument(String),
    /// Into `_meta`, under a key such as `com.example/idempotencyKey`.
    Meta(String),
}

/// A place for a key that still needs its value.
#[derive(Clone, Debug)]
#[must_use = "say where the value comes from: `generate()` or `value(…)`"]
pub struct KeyAt(KeyPlace);

impl IdempotencyKey {
    /// A key in the arguments, at a JSON pointer.
    pub fn in_argument(pointer: impl Into<String>) -> KeyAt {
        KeyAt(KeyPlace::Argument(pointer.into()))
    }

    /// A key in `_meta`. Reserved prefixes are refused when the call is made.
    pub fn in_meta(key: impl Into<String>) -> KeyAt {
        KeyAt(KeyPlace::Meta(key.into()))
    }

    /// Where the key is put.
    pub fn place(&self) -> &KeyPlace {
        &self.place
    }

    /// The key itself.
    pub fn value(&self) -> &str {
        &self.value
    }
}

impl KeyAt {
    /// A random key (UUID, version 4).
    pub fn generate(self) -> IdempotencyKey {
        IdempotencyKey { place: self.0, value: uuid::Uuid::new_v4().to_string().into() }
    }

    /// A key of the caller's, such as the number of the order.
    pub fn value(self, value: impl Into<Cow<'static, str>>) -> IdempotencyKey {
        IdempotencyKey { place: self.0, value: value.into() }
    }
}

impl fmt::Debug for IdempotencyKey {
    /// The value is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdempotencyKey").field("place", &self.place).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_random_or_given_and_never_shown() {
        let key = IdempotencyKey::in_argument("/id").generate();
        assert_ne!(key, IdempotencyKey::in_argument("/id").generate());
        assert_eq!(key.value().len(), 36);
        assert!(!format!("{key:?}").contains(key.value()));
        let key = IdempotencyKey::in_meta("com.example/key").value("order 7");
        assert_eq!((key.place(), key.value()), (&KeyPlace::Meta("com.example/key".into()), "order 7"));
    }
}
