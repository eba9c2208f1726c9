//! The table, as Markdown.

use std::fmt;

use crate::{
    BASE, CLIENTS,
    measure::{Cell, Measured},
    plan::Plan,
};

/// Rows as they come.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<(String, &'static str, Vec<Cell>)>,
    last: Option<&'static str>,
}

impl Table {
    /// The title stands in the first row of its group.
    pub fn add(&mut self, plan: &Plan, measured: &Measured) {
        let title = if self.last == Some(plan.name) { "" } else { plan.title };
        self.last = Some(plan.name);
        self.rows.push((title.to_owned(), measured.unit, measured.cells.clone()));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = CLIENTS.map(|client| client.name).join(" | ");
        writeln!(f, "| workload | per call | {names} |\n|---|---|---:|---:|---:|---:|---:|")?;
        for (title, unit, cells) in &self.rows {
            write!(f, "| {title} | {unit} |")?;
            for (at, cell) in cells.iter().enumerate() {
                write!(f, " {} |", show(cell, at == BASE))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn show(cell: &Cell, is_base: bool) -> String {
    match cell {
        Cell::None(why) => why.clone(),
        Cell::Value { value, ratio, note } => {
            let ratio = match ratio {
                // Of calls that were not all answered, a ratio says nothing.
                Some(ratio) if !is_base && note.is_none() => format!(" ({ratio:.2})"),
                _ => String::new(),
            };
            let note = note.as_ref().map_or(String::new(), |note| format!(", {note}"));
            format!("{}{ratio}{note}", number(*value))
        }
    }
}

/// Three digits or more, with commas.
fn number(value: f64) -> String {
    let decimals = if value >= 100.0 || (value.fract() == 0.0 && value < 1e15) {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').map_or((&*text, ""), |(whole, fraction)| (whole, fraction));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if fraction.is_empty() { grouped } else { format!("{grouped}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_what_matters() {
        assert_eq!(
            ["3", "21.2", "4.51", "1,407", "12,345,678"],
            [number(3.0), number(21.23), number(4.507), number(1406.9), number(12_345_678.4)]
                .each_ref()
                .map(String::as_str)
        );
    }

    #[test]
    fn a_ratio_stands_beside_all_but_the_base() {
        let cell = Cell::Value { value: 42.0, ratio: Some(1.5), note: None };
        assert_eq!((show(&cell, false), show(&cell, true)), ("42 (1.50)".into(), "42".into()));
        let cell = Cell::Value { value: 42.0, ratio: Some(1.5), note: Some("48 answered in 10 s".into()) };
        assert_eq!(show(&cell, false), "42, 48 answered in 10 s");
    }
}
