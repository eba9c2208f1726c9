//! Results that are read as the schema has them, on the way from the message to their type.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor, value::BorrowedStrDeserializer},
    forward_to_deserialize_any,
};

use super::{Complete, MAX_USUAL_MEMBERS};
use crate::{
    decode::{MAX_ENTRIES, Scan, Shape, envelope::Key},
    method::Answer,
};

/// Reads a result. Its type does the work; what is added here are the checks that look at the members from outside.
pub(crate) fn whole<M: Answer>(scan: &mut Scan<'_>) -> Option<Complete<M::Result>> {
    scan.value::<Whole<M>>().map(|Whole(complete)| complete)
}

struct Whole<M: Answer>(Complete<M::Result>);

impl<'de, M: Answer> Deserialize<'de> for Whole<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut has_type = false;
        let result = Deserialize::deserialize(Usual {
            inner: deserializer,
            has_type: &mut has_type,
            method: PhantomData::<M>,
        })?;
        Ok(Self(Complete { result, has_type }))
    }
}

/// Passes an object on if no name comes twice, the result is complete, and lists are not too long.
struct Usual<'t, M, D> {
    inner: D,
    has_type: &'t mut bool,
    method: PhantomData<M>,
}

impl<'de, M: Answer, D: Deserializer<'de>> Deserializer<'de> for Usual<'_, M, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let Self { inner, has_type, method } = self;
        inner.deserialize_map(Usual { inner: visitor, has_type, method })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, M: Answer, V: Visitor<'de>> Visitor<'de> for Usual<'_, M, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(UsualMembers {
            map,
            names: [""; MAX_USUAL_MEMBERS],
            count: 0,
            has_type: self.has_type,
            needed: M::NEEDED,
        })
    }
}

struct UsualMembers<'de, 't, A> {
    map: A,
    /// Those that were read.
    names: [&'de str; MAX_USUAL_MEMBERS],
    count: usize,
    has_type: &'t mut bool,
    needed: &'static [(&'static str, Shape)],
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for UsualMembers<'de, '_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let name = match self.map.next_key()? {
            Some(Key(Cow::Borrowed(name))) => name,
            Some(Key(Cow::Owned(_))) => return Err(unusual()),
            None => return Ok(None),
        };
        if self.names.iter().take(self.count).any(|known| *known == name) {
            return Err(unusual());
        }
        *self.names.get_mut(self.count).ok_or_else(unusual)? = name;
        self.count += 1;
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let name =
            self.count.checked_sub(1).and_then(|last| self.names.get(last)).copied().unwrap_or_default();
        if name == "resultType" {
            let Key(value) = self.map.next_value()?;
            if value != "complete" {
                return Err(unusual());
            }
            *self.has_type = true;
            return seed.deserialize(BorrowedStrDeserializer::new("complete"));
        }
        if self.needed.iter().any(|(needed, shape)| *needed == name && matches!(shape, Shape::List)) {
            return self.map.next_value_seed(Bounded(seed));
        }
        self.map.next_value_seed(seed)
    }
}

/// A list with no more entries than are read.
struct Bounded<T>(T);

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Bounded<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Bounded(deserializer))
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Bounded<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_seq(Bounded(visitor))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Bounded<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Entries { seq, count: 0 })
    }
}

struct Entries<A> {
    seq: A,
    count: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Entries<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        let entry = self.seq.next_element_seed(seed)?;
        self.count += usize::from(entry.is_some());
        if self.count > MAX_ENTRIES { Err(unusual()) } else { Ok(entry) }
    }
}

/// The careful way says what is wrong.
fn unusual<E: serde::de::Error>() -> E {
    E::custom("not of the usual form")
}
