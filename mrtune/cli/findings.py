"""Verdicts, a line each: what works, what is absent, what is broken."""

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Literal

from mrtune.cli import console
from mrtune.errors import BrokenEnvironment

MARKS = {"ok": "[green]✓[/]", "absent": "[dim]–[/]", "broken": "[red]✗[/]"}


@dataclass(frozen=True)
class Finding:
    """The verdict on one thing that mrtune needs, or could use."""

    check: str
    verdict: Literal["ok", "absent", "broken"]
    detail: str


def tell(findings: Iterable[Finding], as_json: bool) -> None:
    """Print findings as they come; what is broken is an error at the end."""
    seen = []
    with nullcontext() if as_json else console.stdout().status("looking around"):
        for finding in findings:
            seen.append(finding)
            if not as_json:
                detail = finding.detail.replace("[", r"\[")
                line = f"{MARKS[finding.verdict]} {finding.check:<15} {detail}"
                console.stdout().print(line, soft_wrap=True)
    broken = [finding.check for finding in seen if finding.verdict == "broken"]
    if as_json:
        console.print_json({"ok": not broken, "checks": [asdict(finding) for finding in seen]})
    if broken:
        raise BrokenEnvironment(f"not ready, broken: {', '.join(broken)}")
