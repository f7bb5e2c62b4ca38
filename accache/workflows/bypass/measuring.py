"""Traffic measured on a GPU: programs for all subsets of up to two loads, and decisions by their counters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

from accache.base.choices import BypassMode
from accache.base.diagnostics import Reporter
from accache.base.nsight import sums
from accache.base.output import write_files
from accache.bypass.decisions import How, Load, decide
from accache.bypass.report import Left
from accache.bypass.weights import byte_graph
from accache.ptx.loads.embedding import rebuild
from accache.ptx.loads.loads import LoadGroup, Place, load_groups
from accache.ptx.loads.rewriting import bypassing
from accache.ptx.text.syntax import Module
from accache.workflows.bypass.chain import Advice
from accache.workflows.bypass.commands import PURPOSE, read_compiled, read_input, write_compiled
from accache.workflows.bypass.deciding import Choice, Decide, Result, kernel_named

BYTES = "l1tex__m_xbar2l1tex_read_bytes_mem_lg_op_ld.sum"
SECTOR_HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
METRICS = (BYTES, SECTOR_HITS, SECTORS)
"""Bytes that L1 got from L2 for loads; sectors that global loads asked for, and those of them that L1 had."""

SCRIPT = "measure.sh"
_SCRIPT = """\
#!/bin/sh
# Measures each of these programs with Nsight Compute: sh {script} [arguments of the program]
folder=$(dirname "$0")
for variant in {variants}; do
    ncu --csv --page raw --print-units base --kernel-name-base mangled --kernel-name {kernel} \\
        --metrics {metrics} \\
        --log-file "$folder/$variant.csv" "$folder/$variant" "$@" || exit
done
"""


def write_variants(name: str, kernel: str, folder: Path, mode: BypassMode, *, arguments: Sequence[str]) -> int:
    """Compile a program once for each subset of up to two loads of a kernel, with all its other loads bypassing.

    The folder gets ``cached-none``, ``cached-0``, ``cached-0-1`` and so on, where loads that may bypass are counted in
    the order of the program, and a script that measures them. Returns how many programs there are.

    Raises:
        CompileError: the file cannot be read, nvcc is not there or rejects it, or there is no such kernel.
        OSError: the folder cannot be made.
    """
    read_input(name, Reporter())
    folder.mkdir(parents=True, exist_ok=True)
    known: list[tuple[str, tuple[Place, ...]]] = []  # the kernel in PTX, and where its loads are that may bypass

    def write(cached: frozenset[int]) -> None:
        def edit(path: Path) -> None:
            module = read_compiled(path, name)
            if not known:
                function = kernel_named(module, kernel, Reporter())
                groups = _deciding(load_groups(module, function))
                known.append((function.name, tuple(group.place for group in groups)))
            places = [place for number, place in enumerate(known[0][1]) if number not in cached]
            write_compiled(path, bypassing(module, places, mode))

        rebuild([name, *arguments], folder / variant(cached), edit, PURPOSE)

    write(frozenset())
    function, places = known[0]
    chosen = subsets(len(places))
    for cached in chosen[1:]:
        write(cached)
    names = " ".join(map(variant, chosen))
    text = _SCRIPT.format(script=SCRIPT, variants=names, kernel=function, metrics=",".join(METRICS))
    write_files(((str(folder / SCRIPT), text),))
    return len(chosen)


def by_measurements(folder: Path, kernel: str, choice: Choice) -> Decide:
    """What decides on a kernel by measurements in a folder that ``write_variants`` filled.

    There is one file for each program in it, of the same name with .csv behind it.
    """

    def decided(module: Module, reporter: Reporter) -> Result:
        function = kernel_named(module, kernel, reporter)
        groups = load_groups(module, function)
        advice = advise_measured(groups, folder, function.name, How(choice.solver, choice.seconds, tried=False))
        return Result(module.source.name, function.name, advice, choice.mode, choice.weights, str(folder))

    return decided


def advise_measured(groups: Sequence[LoadGroup], folder: Path, kernel: str, how: How) -> Advice:
    """Decide on those groups that may bypass; traffic of more than two loads is predicted from that of pairs.

    Raises:
        CompileError: a file is missing or no measurement, or the solver cannot be used.
    """
    deciding = _deciding(groups)
    names = tuple(str(group.place) for group in deciding)

    @cache
    def measured(cached: frozenset[int]) -> Measurement:
        return _read(folder / f"{variant(cached)}.csv", kernel)

    graph = byte_graph(names, lambda cached: measured(cached).bytes)
    none = measured(frozenset()).bytes
    loads = tuple(
        Load(name, None, measured(frozenset({number})).sector_hits, None) for number, name in enumerate(names)
    )
    outcome = decide(loads, graph, lambda cached: none - round(graph.value(cached)), how)
    left = tuple(Left(str(group.place), group.kept) for group in groups if group.kept)
    pairs = zip(deciding, outcome.decisions, strict=True)
    return Advice(outcome, left, frozenset(group.place for group, decision in pairs if not decision.cached))


def variant(cached: Iterable[int]) -> str:
    """The name of the program with these loads cached.

    >>> variant({1, 0}), variant(())
    ('cached-0-1', 'cached-none')
    """
    return "-".join(("cached", *(map(str, sorted(cached)) if cached else ("none",))))


def subsets(count: int) -> list[frozenset[int]]:
    """All subsets of up to two of so many loads, the empty one first."""
    return [frozenset(found) for size in range(3) for found in combinations(range(count), size)]


def _deciding(groups: Sequence[LoadGroup]) -> tuple[LoadGroup, ...]:
    return tuple(group for group in groups if not group.kept)


def _read(path: Path, kernel: str) -> Measurement:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Reporter().fail("ACC101", name=str(path), reason=error.strerror or error) from error
    return read_measurement(text, str(path), kernel)


@dataclass(frozen=True)
class Measurement:
    """Sums over the launches of a kernel in one file: bytes from L2 to L1, sectors asked for, and those that hit."""

    bytes: int
    sectors: int
    sector_hits: int


def read_measurement(text: str, name: str, kernel: str) -> Measurement:
    """The measurement of a kernel in a file of that name, in either form.

    The forms are those of ``base.nsight``.
    ``kernel`` is the kernel's name in PTX or in CUDA.

    Raises:
        CompileError: there is no such table, or it lacks the kernel or one of METRICS.
    """
    found = sums(text, name, kernel, METRICS)
    for metric in METRICS:
        if metric not in found:
            raise Reporter().fail("ACC970", name=name, reason=f"it has no {metric} of the kernel '{kernel}'")
    return Measurement(*(found[metric] for metric in (BYTES, SECTORS, SECTOR_HITS)))
