"""Text tests: C in, what one module makes of it out. The cases stand in ``plans/MODULE.txt`` beside the tests.

A case begins with ``[its name]``, perhaps with options of ``accache translate`` behind it; the C comes next, and behind
``[plan]`` what is expected. ``pytest --update-golden`` writes that anew: read the difference before you commit it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.caching.auto.decision import plan_construct
from accache.caching.cached import CachedKernel
from accache.driver import lowered_routines, map_source, preparing, translate
from accache.ir.kernels.tiles import TileDimension
from accache.mapping.mapped import MappedKernel

_HEAD = re.compile(r"^\[(?!plan\])(.+?)\](.*)$", re.MULTILINE)
_PLAN = "\n[plan]"


@dataclass(frozen=True)
class Plan:
    """One case of a file."""

    path: Path
    name: str
    flags: str
    source: str
    expected: str

    def __str__(self) -> str:
        return self.name

    @property
    def options(self) -> Options:
        """The options of the case, ``--width sync`` as ``width="sync"``; no estimate of cost decides."""
        words: dict[str, Any] = {key.replace("-", "_"): word for key, word in re.findall(r"--(\S+) (\S+)", self.flags)}
        if "sharing" in words:
            words["sharing"] = words["sharing"] == "on"
        return replace(Options(tune="off", coarsen="off"), **words)

    def holds(self, made: Iterable[str], update: bool) -> None:
        """Compare what a module made, or note it as what is expected from now on."""
        text = "\n".join(line.rstrip() for line in made)
        if update and text != self.expected:
            whole = self.path.read_text()
            head = f"[{self.name}]{self.flags}\n{self.source}{_PLAN}\n"
            assert head in whole
            self.path.write_text(whole.replace(head + self.expected, head + text))
            return
        difference = difflib.unified_diff(
            self.expected.splitlines(), text.splitlines(), f"{self.path.name}: {self.name}", "made now", lineterm=""
        )
        assert text == self.expected, "\n".join(difference)


def plans(test: str, module: str) -> list[Plan]:
    """The cases for a module of a test file (``__file__``)."""
    path = Path(test).parent / "plans" / f"{module}.txt"
    text = path.read_text()
    heads = [*_HEAD.finditer(text)]
    ends = [*(head.start() for head in heads[1:]), len(text)]
    found = []
    for head, end in zip(heads, ends, strict=True):
        source, _, expected = text[head.end() + 1 : end].partition(_PLAN)
        found.append(Plan(path, head[1], head[2], source, expected.strip("\n")))
    return found


def mapped(case: Plan) -> tuple[MappedKernel, ...]:
    """The kernels of a case, mapped."""
    stages = map_source(SourceFile("a.c", case.source), case.options, Reporter())
    return tuple(kernel for kernels in stages.mapped for kernel in kernels)


def cached(case: Plan) -> tuple[CachedKernel, ...]:
    """The kernels of a case, their cache directives planned."""
    reporter = Reporter()
    stages = map_source(SourceFile("a.c", case.source), case.options, reporter)
    prepare = preparing(lowered_routines(stages.program, case.options, reporter))
    pairs = zip(stages.program.regions, stages.mapped, strict=True)
    planned = (
        plan_construct(region, kernels, case.options, stages.program.names, prepare=prepare, reporter=reporter)
        for region, kernels in pairs
    )
    return tuple(kernel for kernels in planned for kernel in kernels)


def emitted(case: Plan) -> Iterable[str]:
    """The text of a case's kernels that have caches, from the first line of each body."""
    text = translate(SourceFile("a.c", case.source), case.options).device
    kernels = re.findall(r"^static __global__ [^\n]*?(\w+_kernel(?:_\d+)?)\([^\n]*\n\{\n(.*?)\n\}$", text, re.M | re.S)
    for name, body in kernels:
        yield f"{name}:"
        yield from body.splitlines()


def each_decision(case: Plan, line: Callable[[CachedKernel, int], Iterable[str]]) -> Iterable[str]:
    """What is said of each subarray of each kernel, behind its text."""
    for kernel in cached(case):
        for number, decision in enumerate(kernel.decisions):
            yield f"{decision.text}:"
            yield from (f"  {text}" for text in line(kernel, number))


def dimension_text(dimension: TileDimension) -> str:
    """A dimension of a tile: what one thread asks for, how that moves from thread to thread, what the block holds."""
    asked = f"[{dimension.lower.to_c()} : {dimension.length}]"
    if not dimension.axis:
        elsewhere = "" if dimension.start == dimension.lower else f" from {dimension.start.to_c()}"
        return f"{asked}, the same for all{elsewhere}"
    moves = f"rate {dimension.rate} in {dimension.variable} (step {dimension.step}) along {dimension.axis}"
    return f"{asked}, {moves}: {dimension.extent} from {dimension.start.to_c()}"
