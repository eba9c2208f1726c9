//! Elicitation: a server asks the user something, in a form or on a web page.

mod answer;
mod enum_schema;
mod primitive_schema;
mod request;

pub use answer::*;
pub use enum_schema::*;
pub use primitive_schema::*;
pub use request::*;
