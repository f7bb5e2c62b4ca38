"""A page of a program: it is translated and, where that can be, run on this CPU with its first blocks recorded."""

from __future__ import annotations

import dataclasses
import difflib
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from pathlib import Path
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import CompileError, Diagnostic
from accache.base.options import Options, command_words
from accache.base.text import SourceFile
from accache.cpu.build import Program
from accache.cpu.recording import Block, record
from accache.cpu.repeating import repeated
from accache.driver import Translation, translate
from accache.report.listings import copy_lines, rows_of
from accache.report.page import UNCACHED, Mend, Page, Recorded, make_page
from accache.report.text import Report
from accache.report.warps import BlockView, most_of_others, view_of
from accache.workflows.building import build_translation
from accache.workflows.fixes.offers import translated
from accache.workflows.fixes.places import with_fixes
from accache.workflows.machine_code import machine_code
from accache.workflows.sweeps import sweeps_of
from accache.workflows.without_directives import without_cache_directives

SEED = 0
"""The order of threads in which programs are recorded."""
SECONDS = 60.0
"""How long a program may run that is recorded."""
MOST_LINES = 40
"""Lines of a mend that are shown whole, with those between that stay as they are."""
_MAIN = re.compile(r"\bmain\s*\(")


class Running(Struct, frozen=True):
    """How a program is run for its page: with arguments, and for so many seconds; only if that is ``wanted``.

    What the program leaves of these seconds is there for another run, which learns what threads show its findings.

    ``with_ptx`` has nvcc compile it, too, and ``with_sweeps`` other methods and blocks tried.
    """

    wanted: bool = True
    arguments: tuple[str, ...] = ()
    seconds: float = SECONDS
    with_ptx: bool = False
    with_sweeps: bool = True


def page_of(
    source: SourceFile, options: Options, running: Running, command: str
) -> tuple[Page, tuple[Diagnostic, ...]]:
    """The page of a program, and what the translation tells.

    ``command`` is what makes the page. Raises CompileError if the program cannot be translated.
    """
    with_lines = replace(options, line=True)
    made = translated(source, with_lines)
    report = made.report
    with ThreadPoolExecutor(max_workers=1) as pool:
        sweeps = pool.submit(sweeps_of, source, options, report) if running.with_sweeps else None
        recorded = _recorded(
            source, made, with_lines, running, command=command
        )  # waits for g++ and the program most of the time
    mends = _mends(source, made.diagnostics)
    page = make_page(
        source,
        report,
        made.device,
        made.diagnostics,
        mends=mends,
        recorded=recorded,
        command=command,
        explained=shlex.join(("accache", "explain", "--json", *command_words(options), source.name)),
    )
    if sweeps is not None:
        page = replace(page, sweeps=sweeps.result())
    if running.with_ptx:
        page = replace(page, code=machine_code(made.device, page, options.arch))
    return page, made.diagnostics


def _mends(source: SourceFile, diagnostics: Sequence[Diagnostic]) -> dict[tuple[int, int], tuple[Mend, ...]]:
    """The fix-its by where they begin, and by where what they mend is told: one of them is where a subarray stands."""
    found: dict[tuple[int, int], list[Mend]] = {}
    for told in diagnostics:
        for fix in told.fixes:
            changed = _changed(source.text.splitlines(), with_fixes(source, (fix,)).splitlines())
            places = (fix.changes[0].start, *((told.location,) if told.location is not None else ()))
            for place in {(where.line, where.column) for where in places}:
                found.setdefault(place, []).append(
                    Mend(fix.title, changed, told.location.line if told.location is not None else 0)
                )
    return {place: tuple(mends) for place, mends in found.items()}


def _changed(before: Sequence[str], after: Sequence[str]) -> str:
    """The lines to copy: from the first that is another one to the last; those that change, where these lie apart."""
    first = _alike(before, after)
    last = len(after) - _alike(before[first:][::-1], after[first:][::-1])
    if last - first <= MOST_LINES:
        return "\n".join(after[first:last])
    return "\n".join(line[2:] for line in difflib.ndiff(before, after) if line.startswith("+ "))


def _alike(first: Sequence[str], second: Sequence[str]) -> int:
    """How many lines are the same from the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _recorded(source: SourceFile, made: Translation, options: Options, running: Running, *, command: str) -> Recorded:
    """What the program does in its first blocks; or why that is not known."""
    if not running.wanted:
        return Recorded(reason="The program was not run: --no-run.")
    if not _MAIN.search(source.text):
        return Recorded(reason="The file has no main function, so it was not run.")
    if not made.report.kernels:
        return Recorded(reason="The program launches no kernel.")
    chosen, settings, extra = made, options, ""
    subarrays = [item for each in made.report.kernels for item in each.subarrays]
    if any(item.is_refused or item.stays_in_registers for item in subarrays):
        settings = replace(options, tune="off", coarsen="off")
        chosen, extra = translate(source, settings), " --tune off --coarsen off"
    has_directives = any(each.subarrays for each in chosen.report.kernels)
    try:
        with tempfile.TemporaryDirectory(prefix="accache-") as folder, ThreadPoolExecutor(max_workers=1) as pool:
            plain = pool.submit(_plain_blocks, source, settings, running) if has_directives else None
            built = build_translation(chosen, settings, Path(folder), check=True)
            began = monotonic()
            result, blocks = record(built.program, running.arguments, Path(folder), seed=SEED, timeout=running.seconds)
            seconds = monotonic() - began
            left = max(0.0, running.seconds - seconds)
            arguments, found = running.arguments, result.findings
            found = repeated(built.program, arguments, found, SEED, seconds=seconds, stdin="", limit=left)
            lined = _with_lines(built.program, running, blocks, chosen.report, folder=Path(folder))
    except subprocess.TimeoutExpired:
        return Recorded(reason=f"The program took longer than {running.seconds:g} seconds and was ended.")
    except CompileError as error:
        return Recorded(reason=f"The program could not be built: {error.diagnostics[0].message}.")
    again = ("accache", "run", "--check", "--seed", str(SEED), *command_words(settings), source.name)
    check = shlex.join((*again, *(("--", *running.arguments) if running.arguments else ())))
    if not blocks:
        reason = f"The run ended with status {result.returncode} and launched no kernel."
        return Recorded(reason=reason, findings=found, check=check)
    blocks = tuple(_at_home(lined.get(block.kernel, block), source) for block in blocks)
    names = {event.array for block in blocks for event in block.events if event.memory == "shared"}
    rows = rows_of(chosen.device, names)
    copies = copy_lines(source, chosen.report)
    most = most_of_others(blocks)
    views = tuple(view_of(block, rows, copies, most) for block in blocks)
    plain_views = plain.result() if plain is not None else ()
    return Recorded(
        views,
        plain_views,
        report=chosen.report,
        command=f"{command}{extra}",
        findings=found,
        check=check,
        lined=tuple(block.kernel for block in lined.values()),
    )


def _with_lines(
    program: Program, running: Running, blocks: Sequence[Block], report: Report, *, folder: Path
) -> dict[str, Block]:
    """The blocks of kernels that have lines, by the names of those that went without: for them these did not pay."""
    wanted = [kernel.name for kernel in report.kernels if any(item.line_bytes for item in kernel.subarrays)]
    names = {f"{name}_{UNCACHED}": name for name in wanted}
    if not any(block.kernel in names for block in blocks):
        return {}
    try:
        _, again = record(program, running.arguments, folder, seed=SEED, with_lines=True, timeout=running.seconds)
    except subprocess.TimeoutExpired:
        return {}
    of_names = {block.kernel: block for block in again}
    return {other: of_names[name] for other, name in names.items() if name in of_names}


def _at_home(block: Block, source: SourceFile) -> Block:
    """A block whose accesses in other files are at no line of the program."""
    home = Path(source.name).absolute()
    files = {event.file: Path(event.file).absolute() == home for event in block.events}
    return dataclasses.replace(
        block, events=tuple(event if files[event.file] else event._replace(line=0) for event in block.events)
    )


def _plain_blocks(source: SourceFile, options: Options, running: Running) -> tuple[BlockView, ...]:
    """What the program does in its first blocks without its cache directives; nothing if it does not run so."""
    text = without_cache_directives(source.text)
    try:
        with tempfile.TemporaryDirectory(prefix="accache-") as folder:
            plain = translate(SourceFile(source.name, text), options)
            built = build_translation(plain, options, Path(folder), check=True)
            arguments, limit = running.arguments, running.seconds
            _, blocks = record(built.program, arguments, Path(folder), seed=SEED, all_warps=False, timeout=limit)
    except (subprocess.TimeoutExpired, CompileError):
        return ()
    return tuple(view_of(block, ()) for block in blocks)
