"""The official conformance suite: installed, asked what it has, and run for one scenario at a time."""

import json
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Tuple

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
PROGRAM = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
OLDEST_NODE = 22
# How much longer than the client the suite may take, in seconds: to start, to notice a time-out, and to stop its servers.
SLACK = 30


class Missing(Exception):
    """What is needed to run the suite is not on this machine."""


@dataclass
class Played:
    """What came of one scenario."""

    checks: Optional[List[dict]]  # none when the suite did not get as far
    suite_code: Optional[int]  # none when it had to be stopped
    client_code: Optional[int]  # none when the client was not started, or not waited for
    said: str  # by the client where there was one, or else by the suite

    def ids(self, status: str) -> List[str]:
        """The checks that ended so, one entry each time."""
        return [check["id"] for check in self.checks or [] if check["status"] == status]


class Suite:
    """The suite as `package-lock.json` pins it."""

    def __init__(self) -> None:
        self._install()
        self._node = self._find_node()

    @staticmethod
    def _install() -> None:
        """Installs what the lock says, unless it is here already."""
        lock, installed = HERE / "package-lock.json", MODULES / ".lock-as-installed"
        if installed.exists() and installed.read_bytes() == lock.read_bytes():
            return
        if shutil.which("npm") is None:
            raise Missing("npm is not installed")
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=HERE, check=True)
        shutil.copyfile(lock, installed)

    @staticmethod
    def _find_node() -> str:
        """The pinned Node where there is one for this platform, or else the machine's own."""
        pinned = MODULES / ".bin" / "node"
        if pinned.exists():
            return str(pinned)
        node = shutil.which("node")
        if node is None:
            raise Missing("node is not installed")
        version = subprocess.run([node, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
            raise Missing(f"node {version} is too old: {OLDEST_NODE} is needed")
        return node

    def _list(self, *arguments: str) -> List[str]:
        """What the suite says it has: asked once, since it stays the same until `npm ci` makes the folder anew."""
        kept = MODULES / f".listed{''.join(arguments)}"
        if not kept.exists():
            command = [self._node, str(PROGRAM), "list", *arguments]
            kept.write_bytes(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        return kept.read_text().splitlines()

    def sets(self, revision: str) -> Tuple[List[str], List[str]]:
        """The scenarios for clients in a revision's set of requirements: scored, and run without being scored."""
        scored: List[str] = []
        unscored: List[str] = []
        heading = ""
        for line in self._list("--requirements", revision):
            if line and not line.startswith(" "):
                heading = line
            elif heading.startswith("Client scenarios") and line.startswith("  - "):
                scored.append(line[4:])
            elif line.startswith("    - ") and line.endswith(" [client]"):
                unscored.append(line[6 : -len(" [client]")])
        return scored, unscored

    def all(self) -> Dict[str, List[str]]:
        """All scenarios for clients, each with the revisions that it was made for, or `extension`."""
        found = (re.fullmatch(r"  - (\S+) \[(\S+)\]", line) for line in self._list("--client"))
        return {match[1]: match[2].split(",") for match in found if match}

    def play(self, revision: str, scenario: str, client: Path, seconds: int, folder: Path) -> Played:
        """Runs one scenario with a client that has so many seconds; all that is known of it is kept in the folder."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        exit_code, log = folder / "exit-code", folder / "log"
        command = [
            self._node, str(PROGRAM), "client",
            "--scenario", scenario, "--spec-version", revision, "--force",  # without it, extensions are skipped
            "--command", "./watch",  # relative: it is split at blanks
            "--timeout", str((seconds + 2) * 1000), "-o", str(folder / "checks"),
        ]
        environment = {
            **os.environ,
            "CONFORMANCE_CLIENT": str(client),
            "CONFORMANCE_SECONDS": str(seconds),
            "CONFORMANCE_EXIT_CODE": str(exit_code),
            # All servers are on this machine, whatever its proxy.
            "NO_PROXY": "localhost",
            "no_proxy": "localhost",
        }
        with open(log, "wb") as output:
            suite = subprocess.Popen(
                command, cwd=HERE, env=environment, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )
            try:
                suite_code: Optional[int] = suite.wait(seconds + SLACK)
            except subprocess.TimeoutExpired:
                # With all that it started: it waits for whoever still holds the client's output.
                os.killpg(suite.pid, signal.SIGKILL)
                suite.wait()
                suite_code = None
        checks = next((folder / "checks").rglob("checks.json"), None)
        said = checks.with_name("stderr.txt") if checks else log
        return Played(
            checks=json.loads(checks.read_text()) if checks else None,
            suite_code=suite_code,
            client_code=int(exit_code.read_text()) if exit_code.exists() else None,
            said=said.read_text(errors="replace").strip(),
        )
