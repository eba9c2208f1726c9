//! How many steps checking takes at most, counted before it starts.
//!
//! The validator has no limit of its own, and schemas of a few hundred bytes can keep it busy for years: each `allOf` of
//! two references to the next one doubles the work. So the way that it would take is walked first, with every branch, and
//! with what it does more than once: a choice is tried and then explained, `unevaluated…` tries what stands beside it
//! again. Such a walk costs less than what it counts, and ends where its budget does.

use serde_json::Value;

use super::plan::{InPlace, Plan, bytes, length, size};
use super::{SchemaFault, SchemaFaultKind};

/// How many steps checking one value may take.
pub(super) const MAX_STEPS: u64 = 4_000_000;

/// How many steps listing the violations of one value may take. Such a step may copy a part of the value, which is counted.
pub(super) const MAX_LISTING: u64 = 100_000;

/// How many subschemas may be entered within each other: the validator recurses, and the stack is the caller's.
pub(super) const MAX_PATH: usize = 256;

/// How many ways through the schema `unevaluated…` may have to look at; they are compiled one by one.
const MAX_UNEVALUATED: u64 = 1_000;

/// What the walk is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Yes or no.
    Check,
    /// Which members or elements have been evaluated.
    Mark,
    /// All violations.
    List,
}

/// What is checked: a value, or a name as a string.
#[derive(Clone, Copy)]
enum Instance<'v> {
    Value(&'v Value),
    Name(&'v str),
}

impl Instance<'_> {
    fn address(&self) -> usize {
        match self {
            Self::Value(value) => std::ptr::from_ref(*value).addr(),
            Self::Name(name) => name.as_ptr().addr(),
        }
    }
}

/// Whether checking a value stays within the bounds.
pub(super) fn check(plan: &Plan, value: &Value) -> Result<(), SchemaFault> {
    Walk::new(plan, MAX_STEPS).visit(0, Instance::Value(value), Mode::Check, 0)
}

/// Whether listing the violations of a value stays within the bounds.
pub(super) fn list(plan: &Plan, value: &Value) -> Result<(), SchemaFault> {
    Walk::new(plan, MAX_LISTING).visit(0, Instance::Value(value), Mode::List, 0)
}

struct Walk<'p> {
    plan: &'p Plan,
    left: u64,
    /// For each subschema the address of what it was last entered on by reference; 0 while it is not entered. The one
    /// before needs no look: it is on what encloses the value at hand.
    entered: Vec<usize>,
}

impl<'p> Walk<'p> {
    fn new(plan: &'p Plan, left: u64) -> Self {
        Self { plan, left, entered: vec![0; plan.nodes.len()] }
    }

    fn spend(&mut self, steps: u64) -> Result<(), SchemaFault> {
        match self.left.checked_sub(steps) {
            Some(left) => self.left = left,
            None => return Err(SchemaFault::new(SchemaFaultKind::TooMuchWork)),
        }
        Ok(())
    }

    fn visit(&mut self, place: usize, on: Instance<'_>, mode: Mode, depth: usize) -> Result<(), SchemaFault> {
        let plan = self.plan;
        let Some(node) = plan.nodes.get(place) else { return Ok(()) };
        if depth > MAX_PATH {
            return Err(SchemaFault::with(SchemaFaultKind::TooMuchWork, "it goes too deep"));
        }
        self.spend(node.weight)?;
        if mode == Mode::List {
            // Each violation may keep a copy of what it is about.
            self.spend(match on {
                Instance::Value(value) => size(value),
                Instance::Name(name) => length(name) + 1,
            })?;
        }
        for &(next, how) in &node.in_place {
            self.in_place((next, how), on, mode, depth + 1)?;
        }
        if node.unevaluated && mode != Mode::Mark {
            self.visit(place, on, Mode::Mark, depth + 1)?;
        }
        // Marking tries what it finds below, it does not mark there.
        let below = if mode == Mode::Mark { Mode::Check } else { mode };
        match on {
            Instance::Name(name) => self.text(name, node.pattern),
            Instance::Value(Value::String(text)) => self.text(text, node.pattern),
            Instance::Value(value @ Value::Array(items)) => {
                if node.unique {
                    self.spend(size(value).saturating_mul(8))?;
                }
                let (prefix, each) = (&node.prefix, &node.each_item);
                self.spend(u64::try_from(items.len()).unwrap_or(u64::MAX))?;
                for (index, item) in items.iter().enumerate() {
                    for next in prefix.get(index).into_iter().chain(each) {
                        self.visit(*next, Instance::Value(item), below, depth + 1)?;
                    }
                }
                Ok(())
            }
            Instance::Value(Value::Object(members)) => {
                for (name, value) in members {
                    // A name is matched once for its schema, and once for whether it is additional.
                    self.text(name, node.name_patterns.saturating_mul(2))?;
                    for next in node.properties.get(name).into_iter().chain(&node.each_property) {
                        self.visit(*next, Instance::Value(value), below, depth + 1)?;
                    }
                    for next in &node.names {
                        self.visit(*next, Instance::Name(name), Mode::Check, depth + 1)?;
                        self.visit(*next, Instance::Name(name), below, depth + 1)?;
                    }
                }
                Ok(())
            }
            Instance::Value(_) => Ok(()),
        }
    }

    fn in_place(
        &mut self,
        (next, how): (usize, InPlace),
        on: Instance<'_>,
        mode: Mode,
        depth: usize,
    ) -> Result<(), SchemaFault> {
        let before = if how == InPlace::Reference {
            let Some(entered) = self.entered.get_mut(next) else { return Ok(()) };
            if *entered == on.address() {
                return self.spend(1);
            }
            Some(std::mem::replace(entered, on.address()))
        } else {
            None
        };
        let tries = match (mode, how) {
            (Mode::Check, _) | (Mode::List, InPlace::All | InPlace::Reference) => 0,
            (Mode::Mark, _) => 1,
            (Mode::List, InPlace::Choice) => 2,
        };
        for _ in 0..tries {
            self.visit(next, on, Mode::Check, depth)?;
        }
        self.visit(next, on, mode, depth)?;
        if let (Some(before), Some(entered)) = (before, self.entered.get_mut(next)) {
            *entered = before;
        }
        Ok(())
    }

    /// Matching takes a step a byte, and more with patterns that may be in many states at once.
    fn text(&mut self, text: &str, pattern: u64) -> Result<(), SchemaFault> {
        let matching = if pattern == 0 { 0 } else { (bytes(text) + 16).saturating_mul(1 + pattern / 16) / 4 };
        self.spend(1 + length(text) + matching)
    }
}

/// What checking any value takes at most, for a schema that neither recurses nor asks what was evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flat {
    weight: u64,
    pattern: u64,
}

impl Flat {
    /// Whether a value of this size is within the bounds, whatever is in it.
    pub(super) fn allows(self, size: u64, bytes: u64) -> bool {
        let parts = self.weight.saturating_mul(size.saturating_mul(8));
        let matching = self.pattern.saturating_mul(bytes.saturating_add(size.saturating_mul(16)));
        parts.saturating_add(matching) <= MAX_STEPS
    }
}

/// The sum over all ways through the schema; `None` where it recurses, is deep or asks what was evaluated.
pub(super) fn flat(plan: &Plan) -> Option<Flat> {
    let mut known = vec![Seen::No; plan.nodes.len()];
    flat_from(plan, 0, 0, &mut known).map(|(flat, _)| flat)
}

/// What is known of a subschema.
#[derive(Clone, Copy)]
enum Seen {
    No,
    Open,
    /// The sum, and how many subschemas there are below each other.
    Done(Flat, usize),
}

fn flat_from(plan: &Plan, place: usize, depth: usize, known: &mut [Seen]) -> Option<(Flat, usize)> {
    if depth > MAX_PATH {
        return None;
    }
    match *known.get(place)? {
        Seen::No => {}
        // The schema recurses.
        Seen::Open => return None,
        Seen::Done(flat, height) => return (depth + height <= MAX_PATH).then_some((flat, height)),
    }
    let node = plan.nodes.get(place)?;
    if node.unevaluated {
        return None;
    }
    *known.get_mut(place)? = Seen::Open;
    let mut flat = Flat { weight: node.weight, pattern: node.pattern / 16 + node.name_patterns / 8 };
    if node.pattern + node.name_patterns > 0 {
        flat.pattern += 1;
    }
    let mut height = 0;
    for next in node.next() {
        let (below, its_height) = flat_from(plan, next, depth + 1, known)?;
        flat.weight = flat.weight.saturating_add(below.weight);
        flat.pattern = flat.pattern.saturating_add(below.pattern);
        height = height.max(its_height + 1);
    }
    // Names are checked beside the values that they belong to.
    if !node.names.is_empty() {
        flat.weight = flat.weight.saturating_mul(2);
        flat.pattern = flat.pattern.saturating_mul(2);
    }
    *known.get_mut(place)? = Seen::Done(flat, height);
    Some((flat, height))
}

/// Whether `unevaluated…` can be compiled: the validator follows every way through what stands beside it.
pub(super) fn compilable(plan: &Plan) -> Result<(), SchemaFault> {
    let mut left = MAX_UNEVALUATED;
    let mut path = Vec::new();
    for (place, _) in plan.nodes.iter().enumerate().filter(|(_, node)| node.unevaluated) {
        ways(plan, place, &mut path, &mut left)?;
    }
    Ok(())
}

fn ways(plan: &Plan, place: usize, path: &mut Vec<usize>, left: &mut u64) -> Result<(), SchemaFault> {
    let complex = || SchemaFault::with(SchemaFaultKind::TooComplex, "too many ways to what is evaluated");
    *left = left.checked_sub(1).ok_or_else(complex)?;
    if path.len() > MAX_PATH {
        return Err(complex());
    }
    let Some(node) = plan.nodes.get(place).filter(|_| !path.contains(&place)) else { return Ok(()) };
    path.push(place);
    for (next, _) in &node.in_place {
        ways(plan, *next, path, left)?;
    }
    path.pop();
    Ok(())
}
