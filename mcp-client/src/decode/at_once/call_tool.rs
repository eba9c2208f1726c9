//! The usual result of `tools/call`.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

use mcp_types::{CallToolResult, ContentBlock, RawMap, ResultMeta, ResultType};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::MAX_USUAL_MEMBERS;
use super::{Complete, once};
use crate::decode::{MAX_BLOCKS, Scan};

/// Where structured content goes that the caller wants as a type of theirs.
pub trait Want: Send + Sync {
    /// Reads it. `None` where it does not fit.
    fn read(&self, scan: &mut Scan<'_>) -> Option<()>;

    /// Forgets what was read: it is not to be had.
    fn clear(&self);
}

/// A value that is wanted, once it was read.
pub(crate) struct Wanted<T>(Mutex<Option<T>>);

impl<T> Wanted<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(crate) fn take(&self) -> Option<T> {
        self.put(None)
    }

    fn put(&self, value: Option<T>) -> Option<T> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), value)
    }
}

impl<T: DeserializeOwned + Send> Want for Wanted<T> {
    fn read(&self, scan: &mut Scan<'_>) -> Option<()> {
        // A panic in the caller's own type must not lose the answer: read again where it was kept whole, it panics there.
        let value = catch_unwind(AssertUnwindSafe(|| scan.value())).ok()??;
        self.put(Some(value));
        Some(())
    }

    fn clear(&self) {
        self.put(None);
    }
}

/// Reads a result. Where a value of the caller's own type is wanted, that is all that is kept of a success: a result without
/// structured content, or with an error of the tool, is not the usual one then.
pub(crate) fn call_tool(scan: &mut Scan<'_>, want: Option<&dyn Want>) -> Option<Complete<CallToolResult>> {
    let mut has_type = None;
    let mut content = None;
    let mut structured = None;
    let mut is_error = None;
    let mut meta = None;
    let mut extra = RawMap::new();
    let mut count = 0;
    scan.object(|scan, name| {
        count += 1;
        match name {
            "resultType" => once(&mut has_type, (scan.name()? == "complete").then_some(())?),
            "content" => once(&mut content, blocks(scan, want.is_some())?),
            "structuredContent" => once(
                &mut structured,
                match want {
                    Some(want) => want.read(scan).map(|()| None)?,
                    None => Some(scan.raw()?),
                },
            ),
            "isError" => once(&mut is_error, scan.boolean()?),
            "_meta" => once(&mut meta, scan.value::<ResultMeta>()?),
            _ if count > MAX_USUAL_MEMBERS => None,
            _ => extra.insert(name, scan.raw()?).is_none().then_some(()),
        }
    })?;
    if want.is_some() && (structured.is_none() || is_error == Some(true)) {
        return None;
    }
    let mut result = CallToolResult::new(content?);
    result.meta = meta;
    result.result_type = has_type.map(|()| ResultType::Complete);
    result.structured_content = structured.flatten();
    result.is_error = is_error;
    result.extra = extra;
    Some(Complete { result, has_type: has_type.is_some() })
}

/// Reads content. Where nobody looks at it, text is only looked through.
fn blocks(scan: &mut Scan<'_>, is_unseen: bool) -> Option<Vec<ContentBlock>> {
    let mut blocks = Vec::new();
    let mut count = 0;
    scan.list(|scan| {
        count += 1;
        if count > MAX_BLOCKS {
            return None;
        }
        scan.peek()?;
        let start = scan.at();
        if let Some(text) = plain_text(scan, is_unseen) {
            if !is_unseen {
                blocks.push(ContentBlock::text(text));
            }
        } else {
            scan.rewind(start);
            blocks.push(ContentBlock::from_raw(scan.value::<&RawValue>()?));
        }
        Some(())
    })?;
    Some(blocks)
}

/// Reads a block that is text and says nothing else; where nobody looks at it, the text is empty.
fn plain_text(scan: &mut Scan<'_>, is_unseen: bool) -> Option<String> {
    let mut kind = None;
    let mut text = None;
    scan.object(|scan, name| match name {
        "type" => once(&mut kind, (scan.name()? == "text").then_some(())?),
        "text" if is_unseen => once(&mut text, scan.skip_string().map(|()| String::new())?),
        "text" => once(&mut text, scan.string()?),
        _ => None,
    })?;
    kind?;
    text
}
