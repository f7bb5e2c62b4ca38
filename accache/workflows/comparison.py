"""Hold a translated program against the sequential one: what `accache run --compare` tells."""

from __future__ import annotations

from collections.abc import Sequence

from accache.base.diagnostics import Diagnostic, Reporter
from accache.cpu.build import Program
from accache.cpu.compare import Beside, Compared, Difference, Parting, compare
from accache.cpu.run import RunResult
from accache.emit.host.sequential import Named, Sequential

DIFFERENCES = ("ACC702", "ACC703", "ACC704")
"""The codes of what it finds."""


def run_beside(
    program: Program,
    sequential: Sequential,
    bound: float,
    arguments: Sequence[str],
    *,
    seed: int | None,
    capture: bool,
    stdin: str | None,
    timeout: float | None,
) -> tuple[RunResult, tuple[Diagnostic, ...]]:
    """Run both programs; how the translated one ended, and how it differs (ACC702, ACC703, ACC704).

    Raises subprocess.TimeoutExpired.
    """
    beside = Beside(layout_rows(sequential), bound)
    done = compare(program, beside, arguments, seed=seed, capture=capture, stdin=stdin, timeout=timeout)
    return done.result, tuple(_told(done, sequential))


def layout_rows(sequential: Sequential) -> str:
    """What elements hold, as the runtime reads it; line 0 stands for all lines that name nothing else."""
    rows: dict[tuple[int, str, int], str] = {}
    for item in sequential.elements:
        values = _values(item, sequential.elements)
        for line in (item.line, 0):
            rows.setdefault((line, item.name, item.layout.size), values)
    known = [f"{line}\t{name}\t{size}\t{values}\n" for (line, name, size), values in rows.items()]
    return "".join([*known, *(f"{line}\t{name}\tout\t\n" for line, name in sequential.fetched)])


def _values(item: Named, elements: Sequence[Named]) -> str:
    """What an element holds; in capitals what may as well be a pointer."""
    kinds = {other.layout.values[0].kind for other in elements if _are_alike(other, item)}
    is_doubtful = "p" in kinds and len(kinds) > 1
    values = (
        next(other for other in elements if _are_alike(other, item) and other.layout.values[0].kind != "p")
        if is_doubtful
        else item
    )
    found = ((value.kind.upper() if is_doubtful else value.kind, value) for value in values.layout.values)
    return " ".join(f"{value.offset}:{kind}{value.bytes}" for kind, value in found)


def _are_alike(one: Named, other: Named) -> bool:
    """Whether a name stands for both, in one line, and their bytes do not tell which it is: a pointer, or a number."""
    are_single = len(one.layout.values) == len(other.layout.values) == 1
    return are_single and (one.line, one.name, one.layout.size) == (other.line, other.name, other.layout.size)


def _told(done: Compared, sequential: Sequential) -> list[Diagnostic]:
    reporter = Reporter()
    found = done.found
    if isinstance(found, Difference):
        reporter.report(
            "ACC702",
            found.location,
            place=_place(found, sequential),
            own=found.own,
            sequential=found.sequential,
            writer=f", since the construct at {found.writer}" if found.writer is not None else "",
            others=f" ({found.count} of {found.elements} elements differ)" if found.count > 1 else "",
        )
    elif isinstance(found, Parting):
        here, there = (side or ("nothing more", None) for side in (found.own, found.sequential))
        where = f" at {there[1]}" if there[1] else ""
        reporter.report("ACC703", here[1] or there[1], own=here[0], sequential=there[0], where=where)
    if found is None and done.status != done.result.returncode:
        reporter.report("ACC704", own=_ended(done.result.returncode), sequential=_ended(done.status))
    return list(reporter.diagnostics)


def _ended(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"


def _place(found: Difference, sequential: Sequential) -> str:
    """The element that differs, as C would name it."""
    if found.result:
        names = {item.line: item.names for item in sequential.results}.get(found.location.line, ())
        index = f"[{found.element}]" if found.elements > 1 else ""
        return f"'{names[0]}{index}'" if len(names) == 1 else f"the result of reduction({', '.join(names)})"
    fitting = [item for item in sequential.elements if item.name == found.name]
    here = [item for item in fitting if item.line == found.location.line] or fitting
    known = next((item for item in here if any(value.offset == found.member for value in item.layout.values)), None)
    if known is None:
        return f"'{found.name}[{found.element}]'"
    path = next(value.path for value in known.layout.values if value.offset == found.member)
    is_single = found.elements == 1 and found.element == 0 and not known.lengths
    return f"'{found.name}{'' if is_single else _index(found.element, known.lengths)}{path}'"


def _index(element: int, lengths: Sequence[int]) -> str:
    """An element's number as subscripts of an array with these inner lengths.

    >>> _index(21, (8,))
    '[2][5]'
    """
    subscripts: list[int] = []
    for length in reversed(lengths):
        subscripts.append(element % length if length else 0)
        element //= length or 1
    return "".join(f"[{number}]" for number in (element, *reversed(subscripts)))
