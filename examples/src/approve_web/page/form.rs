//! A form of a server as a form of the page.

use std::borrow::Cow;

use maud::{Markup, html};
use mcp_client::{Choice, ElicitForm, FieldKind, FormField};

use super::{
    super::{
        control::{Control, offset_name},
        filled::{self, Wrong},
        sent::Sent,
    },
    text,
};

/// What is in the form, and what is wrong with that.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    /// What was sent; the defaults are shown where nothing was.
    pub(super) sent: Option<&'a Sent>,
    pub(super) wrong: Option<&'a Wrong>,
}

/// The controls of a form. `prefix` makes the ids unique on the page.
pub(super) fn fields(form: &ElicitForm, prefix: &str, state: State<'_>) -> Markup {
    html! {
        @if form.is_supported() {
            @for (index, field) in form.fields().iter().enumerate() {
                (Shown::new(field, index, prefix, state).markup())
            }
        } @else {
            (raw(form, prefix, state))
        }
    }
}

/// What is wrong, each with a link to its control, in front of the page.
pub(super) fn summary(form: &ElicitForm, prefix: &str, wrong: &Wrong) -> Markup {
    let place = |name: &str| form.fields().iter().position(|field| field.name() == name);
    html! {
        // The page begins to be read here.
        div .summary role="alert" tabindex="-1" autofocus aria-labelledby="summary-title" {
            h2 #summary-title { "Nothing was sent yet" }
            ul {
                @match wrong {
                    Wrong::Whole(why) => li { a href={ "#" (prefix) "-raw" } { "The answer " (why) } },
                    Wrong::Fields(errors) => {
                        @for error in errors {
                            li {
                                @match place(error.field()) {
                                    Some(index) => a href={ "#" (id(prefix, index)) } {
                                        @if let Some(field) = form.fields().get(index) { (text(&called(field, index))) }
                                        " " (error.fault())
                                    },
                                    None => (error),
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn id(prefix: &str, index: usize) -> String {
    format!("{prefix}-{}", filled::name(index))
}

/// A form that has no controls: what is asked, as it came, and room for the answer.
fn raw(form: &ElicitForm, prefix: &str, state: State<'_>) -> Markup {
    let id = format!("{prefix}-raw");
    let fault = match state.wrong {
        Some(Wrong::Whole(why)) => Some(why),
        _ => None,
    };
    let kept = state.sent.and_then(|sent| sent.one(filled::RAW)).unwrap_or("{}");
    html! {
        @if let Some(why) = form.unsupported() {
            p { "This form cannot be shown with controls: " (why) ". This is how the server describes it:" }
        }
        pre tabindex="0" role="region" aria-label="The form's schema" dir="ltr" { (form.schema().get()) }
        div .field {
            label for=(id) { "Answer, as a JSON object" }
            @if let Some(why) = fault { (error(&id, &format!("The answer {why}"))) }
            textarea #(id) name=(filled::RAW) rows="8" spellcheck="false" dir="ltr"
                aria-invalid=[fault.map(|_| "true")] aria-describedby=[fault.map(|_| error_id(&id))] {
                "\n" (kept)
            }
        }
    }
}

fn error_id(id: &str) -> String {
    format!("{id}-error")
}

fn error(id: &str, text: &str) -> Markup {
    html! { p .error #(error_id(id)) { span .unseen { "Error: " } (text) } }
}

/// What a field is called: one without a word for it has its place.
fn called(field: &FormField, index: usize) -> Cow<'_, str> {
    match field.label().trim() {
        "" => format!("Field {}", index + 1).into(),
        label => label.into(),
    }
}

/// One field as it is shown.
struct Shown<'a> {
    field: &'a FormField,
    called: Cow<'a, str>,
    control: Control<'a>,
    name: String,
    id: String,
    values: Vec<String>,
    hint: Option<String>,
    fault: Option<String>,
}

impl<'a> Shown<'a> {
    fn new(field: &'a FormField, index: usize, prefix: &str, state: State<'_>) -> Self {
        let control = Control::of(field);
        let name = filled::name(index);
        let fault = match state.wrong {
            Some(Wrong::Fields(errors)) => errors.for_field(field.name()).map(ToString::to_string),
            _ => None,
        };
        Self {
            values: control.shown(field, &name, state.sent),
            id: id(prefix, index),
            hint: hint(field.kind()),
            called: called(field, index),
            field,
            control,
            name,
            fault,
        }
    }

    fn value(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }

    /// What is read out with the control: the description, the rules, and what is wrong.
    fn described_by(&self) -> Option<String> {
        let parts = [
            (self.field.description().is_some(), "about"),
            (self.hint.is_some(), "hint"),
            (self.fault.is_some(), "error"),
        ];
        let ids: Vec<String> =
            parts.iter().filter(|(there, _)| *there).map(|(_, part)| format!("{}-{part}", self.id)).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    fn invalid(&self) -> Option<&'static str> {
        self.fault.as_ref().map(|_| "true")
    }

    fn required(&self) -> bool {
        self.field.is_required()
    }

    fn markup(&self) -> Markup {
        let class = if self.fault.is_some() { "field wrong" } else { "field" };
        html! {
            @if self.control.is_group() {
                // Of a group the first input is where its error leads; the group is what the error is about.
                @let radios = matches!(self.control, Control::YesNo);
                fieldset class=(class) aria-describedby=[self.described_by()] role=[radios.then_some("radiogroup")]
                    aria-required=[(radios && self.required()).then_some("true")]
                    aria-invalid=[self.invalid().filter(|_| radios)] {
                    legend { (self.label()) }
                    (self.about())
                    (self.control())
                }
            } @else if matches!(self.control, Control::Tick) {
                div class=(class) {
                    div .choice {
                        (self.control())
                        label for=(self.id) { (self.label()) }
                    }
                    (self.about())
                }
            } @else {
                div class=(class) {
                    label for=(self.id) { (self.label()) }
                    (self.about())
                    (self.control())
                }
            }
        }
    }

    fn label(&self) -> Markup {
        // A box that can be left unticked needs no word on it.
        let optional = !self.required() && !matches!(self.control, Control::Tick);
        html! { (text(&self.called)) @if optional { span .optional { " (optional)" } } }
    }

    fn about(&self) -> Markup {
        html! {
            @if let Some(about) = self.field.description() {
                p .about #{ (self.id) "-about" } dir="auto" { (about) }
            }
            @if let Some(hint) = &self.hint { p .hint #{ (self.id) "-hint" } { (hint) } }
            @if let Some(fault) = &self.fault {
                (error(&self.id, &format!("{} {fault}", self.called)))
            }
        }
    }

    fn control(&self) -> Markup {
        match self.control {
            Control::Line(kind) => self.line(kind),
            Control::Area => html! {
                textarea #(self.id) name=(self.name) rows="4" required[self.required()] dir="auto"
                    aria-invalid=[self.invalid()] aria-describedby=[self.described_by()] {
                    // A browser drops the first line break.
                    "\n" (self.value())
                }
            },
            Control::Number { whole } => self.number(whole),
            Control::Moment => self.moment(),
            Control::Tick => html! {
                input #(self.id) type="checkbox" name=(self.name) checked[!self.values.is_empty()]
                    aria-invalid=[self.invalid()] aria-describedby=[self.described_by()];
            },
            Control::YesNo => self.yes_no(),
            Control::One(choices) => self.select(choices),
            Control::Many(choices) => html! {
                @for (number, choice) in choices.iter().enumerate() {
                    (self.choice("checkbox", number, &number.to_string(), choice.title()))
                }
            },
            // Such a form is answered as a whole.
            Control::Raw => html! {},
        }
    }

    fn line(&self, kind: &str) -> Markup {
        let least = match self.field.kind() {
            FieldKind::Text { min_length, .. } => *min_length,
            _ => None,
        };
        // No `maxlength`: browsers cut what is pasted without a word, and count otherwise than JSON Schema does.
        html! {
            input #(self.id) type=(kind) name=(self.name) value=(self.value()) required[self.required()]
                minlength=[least] dir="auto" autocomplete="off"
                aria-invalid=[self.invalid()] aria-describedby=[self.described_by()];
        }
    }

    fn number(&self, whole: bool) -> Markup {
        let (least, most) = match self.field.kind() {
            FieldKind::Number { minimum, maximum } | FieldKind::Integer { minimum, maximum } => {
                (minimum.as_ref(), maximum.as_ref())
            }
            _ => (None, None),
        };
        // A control for numbers shows nothing where the value is none of a browser's numbers, and what was entered would be lost.
        let value = self.value();
        let fits = value.is_empty() || value.parse::<f64>().is_ok_and(f64::is_finite);
        html! {
            input #(self.id) type=(if fits { "number" } else { "text" }) inputmode=(if whole { "numeric" } else { "decimal" })
                name=(self.name) value=(value) step=(if whole { "1" } else { "any" }) min=[least] max=[most]
                required[self.required()] autocomplete="off"
                aria-invalid=[self.invalid()] aria-describedby=[self.described_by()];
        }
    }

    fn moment(&self) -> Markup {
        let offset = self.values.get(1).map_or("Z", String::as_str);
        let offset_id = format!("{}-offset", self.id);
        html! {
            div .pair {
                div {
                    label for=(self.id) { "Date and time" }
                    input #(self.id) type="datetime-local" name=(self.name) value=(self.value()) step="1"
                        required[self.required()] aria-invalid=[self.invalid()];
                }
                div {
                    label for=(offset_id) { "Offset from UTC, such as +02:00; Z is UTC itself" }
                    input #(offset_id) type="text" name=(offset_name(&self.name)) value=(offset)
                        size="6" autocomplete="off" aria-invalid=[self.invalid()];
                }
            }
        }
    }

    fn yes_no(&self) -> Markup {
        html! {
            (self.choice("radio", 0, "true", "Yes"))
            (self.choice("radio", 1, "false", "No"))
            @if !self.required() { (self.choice("radio", 2, "", "No answer")) }
        }
    }

    fn choice(&self, kind: &str, number: usize, value: &str, title: &str) -> Markup {
        let id = if number == 0 { self.id.clone() } else { format!("{}-{number}", self.id) };
        let chosen = self.values.iter().any(|chosen| chosen == value);
        html! {
            div .choice {
                input #(id) type=(kind) name=(self.name) value=(value) checked[chosen]
                    aria-invalid=[self.invalid().filter(|_| kind == "checkbox")];
                label for=(id) { (text(title)) }
            }
        }
    }

    fn select(&self, choices: &[Choice]) -> Markup {
        let nothing = if self.required() { "Please choose" } else { "No answer" };
        html! {
            select #(self.id) name=(self.name) required[self.required()]
                aria-invalid=[self.invalid()] aria-describedby=[self.described_by()] {
                option value="" { (nothing) }
                @for (number, choice) in choices.iter().enumerate() {
                    option value=(number) selected[self.value() == number.to_string()] dir="auto" { (choice.title()) }
                }
            }
        }
    }
}

/// The rules of a field in words.
fn hint(kind: &FieldKind) -> Option<String> {
    match kind {
        FieldKind::Text { min_length, max_length, .. } => {
            range("characters", min_length.filter(|least| *least > 0), *max_length)
        }
        FieldKind::Number { minimum, maximum } => range("", minimum.as_ref(), maximum.as_ref()),
        FieldKind::Integer { minimum, maximum } => Some(
            range("", minimum.as_ref(), maximum.as_ref())
                .map_or_else(|| "A whole number".to_owned(), |range| format!("A whole number. {range}")),
        ),
        FieldKind::MultiSelect { min_items, max_items, .. } => {
            range("choices", min_items.filter(|least| *least > 0), *max_items)
        }
        _ => None,
    }
}

fn range<N: std::fmt::Display>(unit: &str, least: Option<N>, most: Option<N>) -> Option<String> {
    let range = match (least, most) {
        (Some(least), Some(most)) => format!("From {least} to {most} {unit}"),
        (Some(least), None) => format!("At least {least} {unit}"),
        (None, Some(most)) => format!("At most {most} {unit}"),
        (None, None) => return None,
    };
    Some(range.trim_end().to_owned())
}
