"""Suggestions as one record and as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.text import Location
from accache.workflows.suggest.records import PROOFS, RULES, Directive, KernelSuggestions, OwnLines, Suggestion

VERSION = 1
_HEADS = ("TD", "reuse", "fill", "sectors", "with L1", "copied", "shared", "saves")


def as_record(name: str, gpu: str, threshold: float, kernels: Sequence[KernelSuggestions]) -> dict[str, Any]:
    """What ``accache suggest --json`` prints; its schema is in accache/library/schemas."""
    return {
        "version": VERSION,
        "program": name,
        "gpu": gpu,
        "threshold": threshold,
        "kernels": [_kernel(kernel) for kernel in kernels],
        "unproved": list(PROOFS),
    }


def _kernel(kernel: KernelSuggestions) -> dict[str, Any]:
    return {
        "name": kernel.kernel,
        "block": list(kernel.block),
        "threads": kernel.threads,
        "registers": kernel.registers or None,
        "resident_blocks": kernel.blocks,
        "room": kernel.room,
        "shared": kernel.shared,
        "saved": kernel.saved,
        "arrays": [_array(found) for found in kernel.suggestions],
        "own_lines": _own_lines(kernel.own_lines),
        "directives": [_directive(found) for found in kernel.directives],
    }


def _directive(found: Directive) -> dict[str, Any]:
    return {
        "line": found.line,
        "text": found.text,
        "array": found.array,
        "written": found.is_written,
        "kept": found.is_kept,
        "method": found.method,
        "reason": found.reason,
        "shared": found.shared,
        "clocks": found.clocks or None,
        "clocks_without": found.clocks_without or None,
        "better": found.better or None,
        "clocks_then": found.clocks_then or None,
    }


def _own_lines(found: OwnLines | None) -> dict[str, Any] | None:
    return None if found is None else {**asdict(found), "arrays": list(found.arrays), "pays": found.pays}


def _array(found: Suggestion) -> dict[str, Any]:
    density = found.density
    return {
        "name": found.array,
        "lines": list(found.lines),
        "decision": decision_of(found),
        "rule": found.rule or None,
        "density": density.density,
        "reuse": density.reuse,
        "fill": density.fill,
        "sector_fill": density.sector_fill,
        "chunk": density.chunk,
        "box": {"rows": density.largest_rows, "columns": density.largest // density.largest_rows},
        "element_bytes": density.element_bytes,
        "sectors": {"without_l1": found.asked, "with_l1": found.with_l1, "with_copy": found.with_copy},
        "shared": found.shared,
        "saved": found.saved,
    }


def decision_of(found: Suggestion) -> str:
    """Copy, as bytes are saved; keep, as a directive does, for its clocks; or leave."""
    return "copy" if found.is_chosen else "keep" if found.directive is not None else "leave"


def notes(name: str, kernels: Sequence[KernelSuggestions]) -> tuple[Diagnostic, ...]:
    """A note at each line that loads an array, as far as the trace tells lines, that says what was decided."""
    reporter = Reporter()
    for kernel in kernels:
        for found in kernel.suggestions:
            decision = (
                f"{_decision(found).strip()}; thread density {found.density.density:.2f}, saves {found.saved:,} bytes"
            )
            for place in tuple(Location(name, line) for line in found.lines) or (None,):
                reporter.report("ACC989", place, array=found.array, kernel=kernel.kernel, decision=decision)
    return tuple(reporter.diagnostics)


def as_text(name: str, gpu: str, kernels: Sequence[KernelSuggestions]) -> str:
    """A table for each kernel, and below it what each array's decision is and why."""
    lines = [f"suggestions for {name} on {gpu}"]
    for kernel in kernels:
        lines += _table(kernel)
    if any(found.is_chosen for kernel in kernels for found in kernel.suggestions):
        lines += ["to be proved of the source, since no trace tells it:", *(f"  {proof}" for proof in PROOFS)]
    return "\n".join(lines) + "\n"


def _table(kernel: KernelSuggestions) -> list[str]:
    shape = " x ".join(map(str, kernel.block))
    registers = f"{kernel.registers} registers" if kernel.registers else "an unknown number of registers"
    at_most = "" if kernel.registers else "at most "
    lines = [
        f"kernel {kernel.kernel}: blocks of {shape} threads, {kernel.threads:,} threads traced",
        f"  {at_most}{kernel.blocks} blocks are resident, with {registers} a thread and up to {kernel.room:,} bytes "
        "of shared memory more",
    ]
    width = max(len("array"), *(len(found.array) for found in kernel.suggestions))
    lines.append(f"  {'array':<{width}}" + "".join(f"{head:>12}" for head in _HEADS) + "  decision")
    for found in kernel.suggestions:
        lines.append(f"  {found.array:<{width}}" + "".join(f"{text:>12}" for text in _cells(found)) + _decision(found))
    if kernel.shared:
        lines.append(f"  all copies: {kernel.shared:,} bytes of shared memory a block save {kernel.saved:,} bytes")
    lines += [_left_out(found) for found in kernel.directives if not found.is_kept]
    return [*lines, *_private(kernel.own_lines)]


def _kept(found: Directive) -> str:
    """A directive, where it keeps its array, and what that is estimated to save."""
    is_estimated = found.clocks and found.clocks_without
    clocks = f": a warp takes an estimated {found.clocks}, {found.clocks_without} without it" if is_estimated else ""
    whose = f", line {found.line}" if found.is_written else ", which --auto-cache writes"
    return f"cache({found.text}){whose} ({found.method}){clocks}"


def _left_out(found: Directive) -> str:
    return f"  cache({found.text}), line {found.line}, is not kept: {found.reason}"


def _private(found: OwnLines | None) -> list[str]:
    """What lines of each thread's own would do."""
    if found is None:
        return []
    names = ", ".join(found.arrays)
    where = f"{found.resident:,} threads of a multiprocessor are in {found.filled // 1024} KB of lines of L1"
    moves = f"they move {found.moved_then:,} bytes instead of {found.moved:,}"
    head = f"  {found.line_bytes}-byte lines of each thread's own for {names}"
    if found.pays:
        return [f"{head} pay: {where}, which has {found.l1_bytes // 1024}; {moves}"]
    return [f"{head} do not pay: {where}, which has {found.l1_bytes // 1024}; {moves}, and cost instructions"]


def _cells(found: Suggestion) -> tuple[str, ...]:
    density = found.density
    numbers = (found.asked, found.with_l1, found.with_copy, found.shared, found.saved)
    ratios = (density.density, density.reuse, density.fill)
    return (*(f"{ratio:.2f}" for ratio in ratios), *(f"{number:,}" for number in numbers))


def _decision(found: Suggestion) -> str:
    if found.directive is not None:
        return f"  keep {_kept(found.directive)}; bytes: {RULES[found.rule]}"
    if not found.is_chosen:
        return f"  leave: {RULES[found.rule]}"
    rows, columns = found.density.largest_rows, found.density.largest // found.density.largest_rows
    box = f"{rows} x {columns}" if rows > 1 else str(columns)
    where = f", line{'s' * (len(found.lines) > 1)} {', '.join(map(str, found.lines))}" if found.lines else ""
    chunk, is_one = found.density.chunk, found.density.largest == 1
    return f"  copy {box} element{'s' * (not is_one)} for {chunk} load{'s' * (chunk > 1)} of each thread{where}"
