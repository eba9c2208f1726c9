//! Tables of catalogue points: each is proven by a test, or belongs to an issue that is still to come.

/// Where a point is proven.
#[derive(Debug)]
pub(crate) enum Where {
    /// By the test of that name, in that file of `tests/it`.
    Test(&'static str, &'static str),
    /// Not yet: the issue that takes it, and why.
    Issue(&'static str, &'static str),
}

/// Points by their ids.
pub(crate) type Table = [(&'static str, &'static [Where])];

/// Checks that every point from 1 to `count` stands in the table once, and that the tests exist.
pub(crate) fn check(prefix: &str, count: usize, table: &Table) {
    let ids: Vec<_> = table.iter().map(|(id, _)| (*id).to_owned()).collect();
    let expected: Vec<_> = (1..=count).map(|number| format!("{prefix}-{number:02}")).collect();
    assert_eq!(ids, expected);
    for (id, places) in table {
        assert!(!places.is_empty(), "{id}");
        for place in *places {
            match place {
                Where::Test(file, name) => {
                    let path = format!("{}/it/{file}", env!("CARGO_MANIFEST_DIR"));
                    let text = std::fs::read_to_string(&path)
                        .unwrap_or_else(|error| panic!("{id}: {path}: {error}"));
                    assert!(text.contains(&format!("fn {name}(")), "{id}: {file} has no test {name}");
                    assert!(!text.contains("#[ignore"), "{id}: {file} ignores tests");
                }
                Where::Issue(issue, why) => assert!(!issue.is_empty() && !why.is_empty(), "{id}"),
            }
        }
    }
}
