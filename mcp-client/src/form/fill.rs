//! Answers to a form.

use std::collections::HashSet;

use mcp_types::{ElicitResult, RawJson, RawMap};
use serde::Serialize;

use super::{ElicitForm, FieldError, FieldFault, FieldKind, FormErrors};

impl ElicitForm {
    /// Checks answers as they would be sent, and finds everything that is wrong with them. The time is linear in both.
    ///
    /// # Errors
    ///
    /// [`FormErrors`]: the fields that are missing, or whose values do not [fit](super::FormField::check), and those that the
    /// form does not have.
    pub fn validate(&self, answers: &RawMap) -> Result<(), FormErrors> {
        let mut faults = Faults::of(self);
        for (name, value) in answers {
            match self.0.index.get(name) {
                Some(at) => {
                    let fault = self.0.fields.get(*at).and_then(|field| field.check(value).err());
                    faults.found(*at, fault);
                }
                None => faults.found_unlisted(name, None),
            }
        }
        faults.into_result()
    }

    /// The person accepts, with these answers: a struct, map or JSON object with a member for each field. Members that are
    /// `null` are left out, except in fields of a kind that is not known.
    ///
    /// # Errors
    ///
    /// [`FormErrors`], as [`validate`](Self::validate) finds them; with [`FieldFault::NotAnObject`] where the answers are none.
    ///
    /// # Examples
    ///
    /// ```
    /// # use mcp_client::{ElicitForm, types::ElicitFormParams};
    /// # let asked: ElicitFormParams = serde_json::from_str(
    /// #     r#"{
    /// #         "message": "?",
    /// #         "requestedSchema": {
    /// #             "type": "object",
    /// #             "properties": { "size": { "type": "number" }, "note": { "type": "string" } }
    /// #         }
    /// #     }"#,
    /// # )?;
    /// #[derive(serde::Serialize)]
    /// struct Answers {
    ///     size: f64,
    ///     note: Option<String>,
    /// }
    ///
    /// let answer = ElicitForm::new(&asked).fill(Answers { size: 1.5, note: None })?;
    /// assert_eq!(serde_json::to_string(&answer)?, r#"{"action":"accept","content":{"size":1.5}}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill(&self, answers: impl Serialize) -> Result<ElicitResult, FormErrors> {
        let raw = RawJson::from_serialize(&answers).map_err(|_| FormErrors::not_an_object())?;
        let answers: RawMap = raw.parse().map_err(|_| FormErrors::not_an_object())?;
        let left_out = |name: &str, value: &RawJson| {
            let known = self.field(name).is_some_and(|field| !matches!(field.kind, FieldKind::Unknown(_)));
            known && value.is_null()
        };
        let answers: RawMap = answers.into_iter().filter(|(name, value)| !left_out(name, value)).collect();
        self.validate(&answers)?;
        Ok(accept(answers))
    }

    /// The person accepts, with what a terminal or an HTML form sends: names and texts, read as [`FormField::parse`] says.
    /// Repeated names are the choices of one field. Leave out what is not of the form, such as a button's name.
    ///
    /// # Errors
    ///
    /// [`FormErrors`]: every field whose text cannot be its value, or that is missing, and the names that the form does not have.
    ///
    /// [`FormField::parse`]: super::FormField::parse
    pub fn fill_text<K: AsRef<str>, V: AsRef<str>>(
        &self,
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Result<ElicitResult, FormErrors> {
        let entries: Vec<(K, V)> = entries.into_iter().collect();
        let mut faults = Faults::of(self);
        let mut texts: Vec<Vec<&str>> = vec![Vec::new(); self.0.fields.len()];
        for (name, text) in &entries {
            match self.0.index.get(name.as_ref()).and_then(|at| texts.get_mut(*at)) {
                Some(texts) => texts.push(text.as_ref()),
                None => faults.found_unlisted(name.as_ref(), Some(FieldFault::Unsupported)),
            }
        }
        let mut content = Vec::new();
        for (at, (field, texts)) in self.0.fields.iter().zip(&texts).enumerate() {
            match field.parse(texts) {
                Ok(value) => {
                    content.extend(value.map(|value| (field.name.clone(), value)));
                    faults.found(at, None);
                }
                Err(fault) => faults.found(at, Some(fault)),
            }
        }
        faults.into_result()?;
        Ok(accept(content.into_iter().collect()))
    }

    /// The person accepts the defaults as they are.
    ///
    /// # Errors
    ///
    /// [`FormErrors`]: the required fields that have none.
    pub fn fill_defaults(&self) -> Result<ElicitResult, FormErrors> {
        self.fill(self.defaults())
    }
}

fn accept(content: RawMap) -> ElicitResult {
    let mut answer = ElicitResult::accept_empty();
    answer.content = Some(content);
    answer
}

/// What is found of each field in one pass over the answers.
struct Faults<'a> {
    form: &'a ElicitForm,
    /// For each field of the form: whether it was found, and its fault.
    fields: Vec<(bool, Option<FieldFault>)>,
    /// Required fields that are not in the form, and were not found.
    missing: HashSet<&'a str>,
    unlisted: Vec<FieldError>,
    seen: HashSet<String>,
}

impl<'a> Faults<'a> {
    fn of(form: &'a ElicitForm) -> Self {
        Self {
            form,
            fields: vec![(false, None); form.0.fields.len()],
            missing: form.0.unlisted.iter().map(String::as_str).collect(),
            unlisted: Vec::new(),
            seen: HashSet::new(),
        }
    }

    fn found(&mut self, at: usize, fault: Option<FieldFault>) {
        if let Some(slot) = self.fields.get_mut(at) {
            *slot = (true, fault);
        }
    }

    /// A field that the form does not have: one that it requires all the same has the fault given.
    fn found_unlisted(&mut self, name: &str, fault: Option<FieldFault>) {
        if !self.seen.insert(name.to_owned()) {
            return;
        }
        let fault = if self.missing.remove(name) { fault } else { Some(FieldFault::UnknownField) };
        self.unlisted.extend(fault.map(|fault| FieldError::new(name, fault)));
    }

    fn into_result(self) -> Result<(), FormErrors> {
        let mut errors = Vec::new();
        for (field, (found, fault)) in self.form.0.fields.iter().zip(self.fields) {
            let missing = (!found && field.required).then_some(FieldFault::Missing);
            errors.extend(fault.or(missing).map(|fault| FieldError::new(&field.name, fault)));
        }
        let is_missing = |name: &&String| self.missing.contains(name.as_str());
        let missing = self.form.0.unlisted.iter().filter(is_missing);
        errors.extend(missing.map(|name| FieldError::new(name, FieldFault::Missing)));
        errors.extend(self.unlisted);
        FormErrors::check(errors)
    }
}
