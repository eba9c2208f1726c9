//! Images and sound.

use crate::base64_text;
use crate::open_struct::open_struct;
use crate::{Annotations, Base64Error, Meta};

open_struct! {
    /// An image.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ImageContent {
        @"type" = "image";
        /// The image in Base64; see [`bytes`](Self::bytes).
        required "data" => data: String;
        /// Its media type.
        required "mimeType" => mime_type: String;
        /// How to use it.
        hint "annotations" => annotations: Annotations;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

open_struct! {
    /// Sound.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AudioContent {
        @"type" = "audio";
        /// The sound in Base64; see [`bytes`](Self::bytes).
        required "data" => data: String;
        /// Its media type.
        required "mimeType" => mime_type: String;
        /// How to use it.
        hint "annotations" => annotations: Annotations;
        /// More about it.
        hint "_meta" => meta: Meta;
    }
}

macro_rules! media {
    ($($Name:ident),*) => { $(
        impl $Name {
            /// Encodes bytes.
            pub fn from_bytes(bytes: &[u8], mime_type: impl Into<String>) -> Self {
                Self::new(base64_text::encode(bytes), mime_type)
            }

            /// The decoded bytes.
            ///
            /// # Errors
            ///
            /// When `data` is not Base64.
            pub fn bytes(&self) -> Result<Vec<u8>, Base64Error> {
                base64_text::decode(&self.data)
            }
        }
    )* };
}

media!(ImageContent, AudioContent);
