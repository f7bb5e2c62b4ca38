"""Plant bugs in emitted kernels: one barrier, guard, mark, extent or start less or wrong in each mutant.

Works on the printed text, line by line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

FUNCTION = re.compile(r'(?:static )?(__device__|__global__|extern "C") .*?(\w+)\((?!\d+\))')
CONDITION = re.compile(r"^\s*(?:if \(|const bool \w+ = |return (?=.* \? ))")
ASSIGNMENT = re.compile(r"^(\s*)\w+(\[[^=]*\])* = .*;$")
CALL = re.compile(
    r"^\s*(?:(\w+) = \w+_kernel_\w+\(\1\)"
    r"|\w+_kernel_\w+_(?:fetch|write_back)\(.*\)"
    r"|cache\.(?:flush\(\)|bind<\d+>\(.*\)));$"
)
MARK = re.compile(r"\w+_dirty(?:\[[^,]*?\])* = true, ")
FLAG = re.compile(r"(bool \w+_dirty = )(?:0|false);")
BOUND = re.compile(r"((?:k|entry) < )(\d+);")
START = re.compile(r"^\s*(?:const (?:int|long long) )?(\w+_(?:start|row|column)\d* = [^;]*)(?=;)")
WIDTH = re.compile(r"(\w+_width = )(?:min\((.*?), .*\)|(__syncthreads_count\(.*\)));")
COUNT = re.compile(r"(?<=, )(?:\d\*)?\w+_width[^,)]*")
LEADER = re.compile(r"threadIdx\.[xyz] != 0")
LAUNCH = 'extern "C"'


@dataclass(frozen=True)
class Mutant:
    """One line changed.

    ``operator`` says how and ``change`` what, in the kernel or routine ``function``; ``copy`` counts
    where a function has the same change in several lines.
    """

    operator: str
    change: str
    after: str
    function: str = ""
    number: int = 0
    before: str = ""
    copy: int = 1

    @property
    def is_uncached(self) -> bool:
        """Whether it stands in a kernel that is launched only if arrays may overlap."""
        return self.function.endswith("_uncached")

    def __str__(self) -> str:
        return f"{self.operator} in {self.function}: {self.change}" + (f" #{self.copy}" if self.copy > 1 else "")

    def apply(self, kernels: str) -> str:
        """The text of all kernels with this change, and with a launch that uses the changed kernel."""
        lines = kernels.split("\n")
        assert lines[self.number] == self.before
        lines[self.number] = self.after
        text = "\n".join(lines)
        return skip_the_cache(text) if self.is_uncached else text


def skip_the_cache(kernels: str) -> str:
    """The kernels with launches that take the kernels without caches, as if arrays might overlap."""
    return re.sub(r"if \((?:lines > 0|accache_(?:disjoint|holds)\(.*)\) \{", "if (false) {", kernels)


def plant(kernels: str, *, launches: bool = False) -> tuple[Mutant, ...]:
    """All mutants of the kernels in a golden file; with ``launches`` also those of the launch stubs' conditions."""
    found: list[Mutant] = []
    copies: Counter[str] = Counter()
    function, kind = "", ""
    for number, line in enumerate(kernels.split("\n")):
        head = FUNCTION.match(line)
        if head:
            kind, function = head[1], head[2]
        elif line == "}":
            function = ""
        elif function and (kind != LAUNCH or launches):
            for mutant in _guards(line) if kind == LAUNCH else _changes(line, kind == "__global__"):
                placed = replace(mutant, function=function, number=number, before=line)
                copies[str(placed)] += 1
                if placed.after != line:
                    found.append(replace(placed, copy=copies[str(placed)]))
    return tuple(found)


def _changes(line: str, is_kernel: bool) -> Iterator[Mutant]:
    """Each change of a line in a kernel or a routine."""
    text = line.strip()
    blank = line[: len(line) - len(line.lstrip())] + ";"
    if text.startswith("__syncthreads();"):
        yield Mutant("barrier", "without it", blank)
    yield from _guards(line)
    if ASSIGNMENT.match(line) and not is_kernel:
        yield Mutant("statement", f"without {text}", blank)
    if CALL.match(line) and is_kernel:
        yield Mutant("call", f"without {text}", blank)
        for count in COUNT.finditer(line):
            less = f"{line[: count.start()]}{count[0]} - 1{line[count.end() :]}"
            yield Mutant("count", f"{count[0]} - 1 in {text.partition('(')[0]}", less)
    for mark in MARK.finditer(line):
        yield Mutant("mark", f"without {text}", line[: mark.start()] + line[mark.end() :])
    if FLAG.search(line):
        yield Mutant("mark", f"{text} but true", FLAG.sub(r"\1true;", line))
    bound = BOUND.search(line)
    if bound and not is_kernel:
        less = f"{bound[1]}{int(bound[2]) - 1}"
        yield Mutant("extent", less, line.replace(bound[0], f"{less};"))
    start = START.match(line)
    if start and is_kernel:
        for shift in ("+ 1", "- 1"):
            yield Mutant("start", f"{start[1]} {shift}", line.replace(start[1], f"{start[1]} {shift}"))
    width = WIDTH.search(line)
    if width:
        full = f"{width[1]}{width[2] or 256}"
        yield Mutant("width", full, line.replace(width[0], f"{full};"))


def _guards(line: str) -> Iterator[Mutant]:
    """Each part of a condition taken to be true; comparisons of tags and of leaders also false."""
    for start, end in _conjuncts(line):
        part = line[start:end]
        yield Mutant("guard", f"without {part}", f"{line[:start]}true{line[end:]}")
        if "_tags[" in part or LEADER.search(part):
            yield Mutant("guard", f"never {part}", f"{line[:start]}false{line[end:]}")


def _conjuncts(line: str) -> Iterator[tuple[int, int]]:
    """Where the parts of a condition stand that are joined by &&: of an if, a predicate or a ?: that is returned."""
    head = CONDITION.match(line)
    if not head:
        return
    start = position = head.end()
    depth = 0
    while position < len(line):
        character = line[position]
        depth += (character in "([") - (character in ")]")
        if depth < 0 or character == ";" or (depth == 0 and line.startswith((" && ", " ? "), position)):
            if line[start:position] != "true":
                yield start, position
            if not line.startswith(" && ", position):
                return
            position += 3
            start = position + 1
        position += 1
