"""What notebooks show of results; loaded when one of them does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accache.base.diagnostics import Diagnostic
from accache.report.html import Table, View, report_tables
from accache.workflows.suggest.records import RULES
from accache.workflows.suggest.report import decision_of

if TYPE_CHECKING:
    from accache.cpu.findings import Finding
    from accache.library.modelling import Model
    from accache.library.running import Run
    from accache.library.suggesting import Suggestions
    from accache.library.translating import Translation

_CLASSES = ("hits", "compulsory", "capacity", "associativity", "latency", "mshr", "sector")


def of_translation(translation: Translation) -> str:
    """The directives, and both texts."""
    joins = "C and CUDA C, which can be one .cu" if translation.joined is not None else "C and CUDA C, in two files"
    report = translation.report
    texts = (("CUDA", translation.cuda), ("Host C", translation.host), ("The whole report", str(report)))
    return View(f"accache translate {translation.source.name}", joins, report_tables(report), texts).html()


def of_run(run: Run) -> str:
    """How it ended, what was found and what it printed."""
    ended = f"signal {-run.status} ended it" if run.status < 0 else f"exit status {run.status}"
    found = f"{len(run.findings)} findings" if run.findings else "nothing was found"
    heads = ("kernel", "launches", "global loads", "global stores", "shared loads", "shared stores")
    rows = tuple(
        (
            kernel.kernel,
            kernel.launches,
            kernel.total.global_loads,
            kernel.total.global_stores,
            kernel.total.shared_loads,
            kernel.total.shared_stores,
        )
        for kernel in run.counts
    )
    tables = (
        Table("Findings", ("kind", "line", "what", "times"), tuple(map(_finding, run.findings))),
        _messages(run.diagnostics),
        Table("Accesses", heads, rows),
    )
    checked = f"{ended}, {found}" if run.counts or run.findings else ended
    return View(
        f"accache run {run.source.name}",
        checked,
        tables,
        (("Standard output", run.stdout), ("Standard error", run.stderr)),
    ).html()


def of_model(model: Model) -> str:
    """Hits, and misses by their causes."""
    record, total = model.record, max(1, model.requests)
    rows = tuple((name, record[name], f"{100 * record[name] / total:.2f} %") for name in _CLASSES)
    tables = (Table("Requests to L1", ("class", "requests", "share"), rows), _messages(model.diagnostics))
    summary = f"L1 of {record['gpu']}, {model.requests:,} requests, {100 * model.miss_rate:.2f} % miss"
    return View(f"accache model {model.name}", summary, tables, (("All tables", str(model)),)).html()


def of_suggestions(found: Suggestions) -> str:
    """Each array with its decision."""
    heads = ("array", "kernel", "decision", "threads an element", "shared bytes a block", "bytes saved")
    rows = tuple(
        (
            item.array,
            kernel.kernel,
            f"{decision_of(item)}: {RULES[item.rule]}" if item.rule else "copy",
            round(item.density.density, 2),
            item.shared,
            item.saved,
        )
        for kernel in found.kernels
        for item in kernel.suggestions
    )
    copies = sum(item.is_chosen for kernel in found.kernels for item in kernel.suggestions)
    summary = f"{copies} of {len(rows)} arrays are worth a copy in shared memory on {found.gpu}"
    tables = (Table("Arrays", heads, rows), _messages(found.diagnostics))
    return View(f"accache suggest {found.program}", summary, tables, (("All tables", str(found)),)).html()


def _finding(found: Finding) -> tuple[str | int, ...]:
    place = found.party.location
    return found.kind, str(place.line) if place else "", str(found).partition(": ")[2], found.times


def _messages(diagnostics: tuple[Diagnostic, ...]) -> Table:
    """All but findings, which have a table of their own."""
    kept = (found for found in diagnostics if found.code != "ACC701")
    rows = tuple(
        (found.code, found.severity.value, str(found.location.line) if found.location else "", found.message)
        for found in kept
    )
    return Table("Messages", ("code", "severity", "line", "message"), rows)
