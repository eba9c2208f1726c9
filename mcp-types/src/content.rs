//! What tools, prompts and messages are made of.

mod annotations;
mod block;
mod media;
mod resource_contents;
mod text;

pub use annotations::*;
pub use block::*;
pub use media::*;
pub use resource_contents::*;
pub use text::*;

#[cfg(test)]
mod tests;
