#!/usr/bin/env python3
"""Checks the table of requirements in tests/requirements.

Each entry names the tests that show a requirement, or says why it cannot bind a client. With the catalogue and the field
cases as arguments every row of the areas that are listed in tests/requirements/areas.toml must have an entry; without them only
the tests are looked up.

    .ci/requirements.py [client-requirements.md field-cases.md]
"""

import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ROOT / "tests" / "requirements"
faults: list[str] = []


def entries(folder: pathlib.Path) -> dict[str, dict]:
    found: dict[str, dict] = {}
    for path in sorted(folder.glob("*.toml")):
        if path.name == "areas.toml":
            continue
        for name, entry in tomllib.loads(path.read_text()).items():
            where = f"{path.relative_to(ROOT)}: {name}"
            if name in found:
                faults.append(f"{where} stands twice")
            found[name] = entry
            check(where, entry)
    return found


def check(where: str, entry: dict) -> None:
    unknown = set(entry) - {"tests", "shows", "not"}
    if unknown:
        faults.append(f"{where}: unknown members {sorted(unknown)}")
    if "not" in entry:
        if "tests" in entry or not entry["not"].strip():
            faults.append(f"{where}: either tests or a reason")
        return
    if not entry.get("tests") or not entry.get("shows", "").strip():
        faults.append(f"{where}: it needs tests, and what they show")
    for test in entry.get("tests", []):
        path, _, function = test.partition("::")
        source = ROOT / path
        if not source.is_file():
            faults.append(f"{where}: there is no file {path}")
        elif not re.search(rf"#\[(tokio::)?test[^\]]*\]\s*(#\[[^\]]*\]\s*)*(async )?fn {re.escape(function)}\(", source.read_text()):
            faults.append(f"{where}: {path} has no test {function}")


def rows(catalogue: pathlib.Path) -> dict[str, str]:
    """The ids of the catalogue, and whom each binds."""
    found = {}
    for line in catalogue.read_text().splitlines():
        match = re.match(r"\| ([A-Z]+-\d+) \|.*\| (\w+) \|$", line)
        if match:
            found[match[1]] = match[2]
    return found


def main() -> None:
    areas = tomllib.loads((TABLES / "areas.toml").read_text())
    requirements = entries(TABLES)
    field_cases = entries(TABLES / "field-cases")
    if len(sys.argv) == 3:
        catalogue = rows(pathlib.Path(sys.argv[1]))
        wanted = {name: who for name, who in catalogue.items() if name.split("-")[0] in areas["requirements"]}
        for name, who in wanted.items():
            if who == "sdk" and name not in requirements:
                faults.append(f"{name} has no entry")
        for name in requirements:
            if name not in catalogue:
                faults.append(f"{name} is no row of the catalogue")
        cases = re.findall(r"^### ([A-Z0-9]+-\d+) ", pathlib.Path(sys.argv[2]).read_text(), re.M)
        for name in cases:
            if name.split("-")[0] in areas["field-cases"] and name not in field_cases:
                faults.append(f"field case {name} has no entry")
        for name in field_cases:
            if name not in cases:
                faults.append(f"{name} is no field case")
        print(f"{len(wanted)} rows in {len(areas['requirements'])} areas, of which {sum(who == 'sdk' for who in wanted.values())} bind an SDK")
    else:
        print("the catalogue is not here: only the tests are looked up")
    if faults:
        print(*faults, sep="\n")
        sys.exit(f"{len(faults)} faults in the table of requirements")
    shown = sum("tests" in entry for entry in requirements.values())
    print(f"{len(requirements)} requirements: {shown} with tests, {len(requirements) - shown} with a reason; {len(field_cases)} field cases")


main()
