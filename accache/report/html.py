"""Results as HTML for notebooks: tables and texts, which one template lays out."""

from __future__ import annotations

from msgspec import Struct

from accache.emit.templates import render_html
from accache.report.records import Change, DiagnosticReport, KernelReport, ReportData, SubarrayReport


class Table(Struct, frozen=True):
    """A table: the first cell of a row is its head, counts are aligned. One without rows is left out."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]


class View(Struct, frozen=True):
    """What is shown of a result; ``texts`` with their labels are folded away, empty ones left out."""

    title: str
    summary: str
    tables: tuple[Table, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()

    def html(self) -> str:
        """A section without scripts, without colours of its own, and without anything from elsewhere."""
        return render_html("html/result.html.jinja", view=self).encode("utf-8", "replace").decode()


def report_view(report: ReportData, text: str) -> View:
    """What became of each cache directive; ``text`` is the long form."""
    count = len(report.kernels)
    kernels = "1 kernel" if count == 1 else f"{count} kernels"
    return View(
        f"accache explain {report.file}",
        f"{kernels} for {report.arch}",
        report_tables(report),
        (("The whole report", text),),
    )


def report_tables(report: ReportData) -> tuple[Table, ...]:
    """The kernels of a translation, its cache directives and its messages."""
    return (
        Table(
            "Kernels",
            ("kernel", "line", "threads a block", "shared bytes a block", "occupancy at most", "loads a launch"),
            tuple(map(_kernel, report.kernels)),
        ),
        Table(
            "Cache directives",
            ("directive", "line", "kernel", "kept as", "why", "shared bytes", "loads a block"),
            tuple(_subarray(kernel, item) for kernel in report.kernels for item in kernel.subarrays),
        ),
        Table("Messages", ("code", "severity", "line", "message"), tuple(map(_message, report.diagnostics))),
    )


def _kernel(kernel: KernelReport) -> tuple[str | int, ...]:
    occupancy = f"{kernel.occupancy.percent} %"
    return kernel.name, str(kernel.line), kernel.threads, kernel.shared_bytes, occupancy, _change(kernel.launch_loads)


def _subarray(kernel: KernelReport, item: SubarrayReport) -> tuple[str | int, ...]:
    loads = _change(item.loads) if item.loads else ""
    why = item.obstacle or item.reason
    return f"cache({item.written})", str(item.line), kernel.name, item.method, why, item.shared_bytes, loads


def _change(change: Change) -> str:
    before, after = str(change.before), str(change.after)
    return before if before == after else f"{before} without cache, {after} with it"


def _message(found: DiagnosticReport) -> tuple[str | int, ...]:
    return found.code, found.severity, "" if found.line is None else str(found.line), found.message
