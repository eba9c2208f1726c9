//! Who answers what servers ask for, and calls that go on by themselves.

mod context;
mod drive;
mod round;
mod stop;

use std::{error::Error, fmt, sync::Arc};

use async_trait::async_trait;
use mcp_types::{CreateMessageRequestParams, CreateMessageResult, ElicitResult, ListRootsResult};

pub use self::{
    context::InputContext,
    drive::{DEFAULT_MAX_ROUNDS, Drive},
    stop::DriveStop,
};
use crate::{form::ElicitForm, input_kinds::InputKinds, link::ElicitLink};

/// Answers what servers ask for during a call: see [`drive`](crate::RequestBuilder::drive) and
/// [`ClientBuilder::input_handler`](crate::ClientBuilder::input_handler).
///
/// Each kind of request has a method. Write those of the kinds that you declare; the others are never called. Nothing is ever
/// answered in your place: what has no answer stops the call, and hands it back.
///
/// The methods run on the task of the call, several at once where a server asks for several things. They must not block; a panic
/// in one is not caught, and is a panic of the call. They are dropped when the call is dropped or cancelled, or another request
/// of the same round stops it; the [context](InputContext::cancellation) tells those who cannot just be dropped.
///
/// What servers say is untrusted: show who asks, show it as plain text, and let the person refuse.
///
/// # Examples
///
/// ```
/// use mcp_client::{ElicitAnswer, ElicitForm, ElicitLink, InputContext, InputError, InputHandler, InputKinds, async_trait};
///
/// struct Terminal;
///
/// #[async_trait]
/// impl InputHandler for Terminal {
///     fn kinds(&self) -> InputKinds {
///         InputKinds::FORM | InputKinds::URL
///     }
///
///     async fn form(&self, form: ElicitForm, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
///         println!("`{}` of {} asks: {}", cx.target(), cx.server(), form.message());
///         let answers: Vec<(String, String)> = ask(&form).await?;
///         Ok(form.fill_text(answers)?)
///     }
///
///     async fn url(&self, link: ElicitLink, cx: &InputContext) -> Result<ElicitAnswer, InputError> {
///         println!("`{}` of {} wants you to open {} ({})", cx.target(), cx.server(), link.as_str(), link.host());
///         Ok(ElicitAnswer::decline())
///     }
/// }
///
/// async fn ask(form: &ElicitForm) -> std::io::Result<Vec<(String, String)>> {
///     // …
/// #   Ok(Vec::new())
/// }
/// ```
#[async_trait]
pub trait InputHandler: Send + Sync {
    /// The kinds that it answers: they are declared to the server with each call, and no others.
    fn kinds(&self) -> InputKinds;

    /// Fills a form in. One that [cannot be shown as a form](ElicitForm::is_supported) comes here, too.
    ///
    /// # Errors
    ///
    /// [`InputError`]: why there is no answer. To decline is one: [`ElicitAnswer::decline`](ElicitResult::decline).
    async fn form(&self, form: ElicitForm, cx: &InputContext) -> Result<ElicitResult, InputError> {
        let _ = (form, cx);
        Err(InputError::NotHandled)
    }

    /// Asks whether a link may be opened, and opens it. Links that must not be opened never come here.
    ///
    /// # Errors
    ///
    /// [`InputError`]: why there is no answer. To decline is one: [`ElicitAnswer::decline`](ElicitResult::decline).
    async fn url(&self, link: ElicitLink, cx: &InputContext) -> Result<ElicitResult, InputError> {
        let _ = (link, cx);
        Err(InputError::NotHandled)
    }

    /// Asks a language model. Deprecated since 2026-07-28.
    ///
    /// The messages have been checked: roles, Base64, media types, and that tool uses and tool results match. Let a person see
    /// the request before it goes to the model, and the answer before it goes to the server; keep `maxTokens`. Each request
    /// stands alone: keep nothing of it for another. Where [`InputKinds::SAMPLING_CONTEXT`] was not declared, `includeContext`
    /// has been taken out.
    ///
    /// # Errors
    ///
    /// [`InputError`]: why there is no answer; [`Declined`](InputError::Declined) where the person refuses.
    async fn sample(
        &self,
        request: CreateMessageRequestParams,
        cx: &InputContext,
    ) -> Result<CreateMessageResult, InputError> {
        let _ = (request, cx);
        Err(InputError::NotHandled)
    }

    /// Lists the roots, those only that this server may know of: `file:` URIs. Deprecated since 2026-07-28.
    ///
    /// # Errors
    ///
    /// [`InputError`]: why there is no answer; [`Declined`](InputError::Declined) where the person refuses.
    async fn roots(&self, cx: &InputContext) -> Result<ListRootsResult, InputError> {
        let _ = cx;
        Err(InputError::NotHandled)
    }
}

/// A handler that is shared, or borrowed, is one.
macro_rules! handlers {
    ($([$($of:tt)*] $Handler:ty;)*) => { $(
        #[async_trait]
        impl<$($of)* T: InputHandler + ?Sized> InputHandler for $Handler {
            fn kinds(&self) -> InputKinds {
                (**self).kinds()
            }

            async fn form(&self, form: ElicitForm, cx: &InputContext) -> Result<ElicitResult, InputError> {
                (**self).form(form, cx).await
            }

            async fn url(&self, link: ElicitLink, cx: &InputContext) -> Result<ElicitResult, InputError> {
                (**self).url(link, cx).await
            }

            async fn sample(
                &self,
                request: CreateMessageRequestParams,
                cx: &InputContext,
            ) -> Result<CreateMessageResult, InputError> {
                (**self).sample(request, cx).await
            }

            async fn roots(&self, cx: &InputContext) -> Result<ListRootsResult, InputError> {
                (**self).roots(cx).await
            }
        }
    )* };
}

handlers! {
    ['h,] &'h T;
    [] Box<T>;
    [] Arc<T>;
}

/// Why a handler has no answer. The call stops then, and is handed back with the answers that there are.
///
/// Made of every error by `?`. It is no error itself, and never a server's.
#[derive(Debug)]
#[non_exhaustive]
pub enum InputError {
    /// The handler does not answer this kind, or this server.
    NotHandled,
    /// The person refuses, and nothing is sent. Forms and links can be declined in words the server understands
    /// ([`ElicitAnswer::decline`](ElicitResult::decline)); for sampling and roots there are none.
    Declined,
    /// Not now: the call is handed back, to be suspended.
    Later,
    /// The handler failed.
    Failed(Box<dyn Error + Send + Sync>),
}

impl<E: Error + Send + Sync + 'static> From<E> for InputError {
    fn from(error: E) -> Self {
        Self::Failed(Box::new(error))
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHandled => "this is not answered here",
            Self::Declined => "the person refuses",
            Self::Later => "not now",
            Self::Failed(_) => "the handler failed",
        })
    }
}
