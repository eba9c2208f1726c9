//! Lists: pages, walks, what is left out.
