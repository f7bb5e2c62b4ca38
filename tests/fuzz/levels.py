"""Random programs whose gangs do something between their worker and vector loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fuzz.places import Dimension, Subarray
from fuzz.writer import UPDATES, Writer

WORKERS = 4
CELLS = 8
DEEPEST_LEVEL = 2


@dataclass(frozen=True)
class _Level:
    """Where statements stand: in the gang loop, or in a worker loop of it.

    ``result`` is an element of its own; of its ``row``, a place in two arrays, it may read and write everything.
    """

    result: str
    row: str
    is_worker: bool = False


class Levels(Writer):
    """A gang for each row, with code of its own, worker loops or none, and vector loops."""

    def construct(self) -> tuple[list[str], list[str]]:
        """See Writer."""
        self.small = True
        self.has_workers = self.choices.percent(50)
        self.cells: list[str] = []
        self.note("shape", "gang, worker, vector" if self.has_workers else "gang, vector")
        self.note("step", "up")
        rows = f"{WORKERS}*(n + 8)" if self.has_workers else "(n + 8)"
        for name in ("out", "other"):
            self.add(name, f"{rows}*(m + 8)", written=True, element="unsigned")
        self.add("results", rows, written=True, element="unsigned")
        self.add("a0", "(n + 8)*(m + 8)")
        factor = f"{WORKERS}*" if self.has_workers else ""
        gang = _Level(f"results[{factor}i]", f"{factor}i*(m + 8)")
        self.subarrays = [Subarray("a0", (Dimension("i*(m + 8)", 0, CELLS, (0, CELLS - 1)),))]
        self.index, self.own, self.result = "i", gang.result, gang.result
        directive = self.cache() if self.choices.percent(50) else []
        clauses = "num_workers(4) vector_length(32) " if self.has_workers else ""
        body = [*directive, *self.items(gang, 0)]
        return [], [f"#pragma acc parallel loop gang {clauses}CLAUSES", "for (int i = 0; i < n; ++i) {", *body, "}"]

    def leaf(self, counter: str = "") -> str:
        """A local array's cell, the level's result, or what all programs have."""
        if self.choices.percent(8):
            return self.result
        if self.cells and self.choices.percent(20):
            return f"{self.choices.one_of(self.cells)}[{super().leaf(counter)} & {CELLS - 1}]"
        return super().leaf(counter)

    def items(self, level: _Level, depth: int) -> list[str]:
        """Some statements of a level."""
        lines: list[str] = []
        locals_before, cells_before = len(self.locals), len(self.cells)
        for _ in range(2 + self.choices.below(3)):
            lines += self.item(level, depth)
        lines.append(f"{level.result} {self.choices.one_of(UPDATES)} {self.expression()};")
        del self.locals[locals_before:]
        del self.cells[cells_before:]
        return lines

    def item(self, level: _Level, depth: int) -> list[str]:
        """A statement of a level, or a loop that spreads over threads."""
        kinds: list[Callable[[_Level, int], list[str]]] = [self.scalar, self.change, self.element, self.vector]
        kinds += [self.array, self.choice, self.repeated] if depth < DEEPEST_LEVEL else []
        kinds += 2 * [self.workers] if self.has_workers and not level.is_worker else []
        return self.choices.one_of(kinds)(level, depth)

    def scalar(self, level: _Level, depth: int) -> list[str]:
        """A variable of the level's own."""
        return self.declaration(depth)

    def change(self, level: _Level, depth: int) -> list[str]:
        """A new value for a variable, or for the level's result."""
        mine = [name for name in self.locals if name.startswith("w") == level.is_worker]
        target = self.choices.one_of([level.result, *mine])
        return [f"{target} {self.choices.one_of(UPDATES)} {self.expression()};"]

    def declaration(self, depth: int) -> list[str]:
        """A variable, named after the level that may change it."""
        value = self.expression()
        self.names += 1
        self.locals.append(f"{'w' if self.own.startswith('results[4*i + ') else 't'}{self.names}")
        return [f"unsigned {self.locals[-1]} = {value};"]

    def element(self, level: _Level, depth: int) -> list[str]:
        """One element of the level's row, written by one thread from another one."""
        target, source = self.choices.one_of((("out", "other"), ("other", "out"), ("out", "out")))
        at = self.choices.below(CELLS)
        value = f"({source}[{level.row} + {self.choices.below(CELLS)}] + {self.expression()})"
        self.note("write", "between loops")
        return [f"{target}[{level.row} + {at}] {self.choices.one_of(UPDATES)} {value};"]

    def array(self, level: _Level, depth: int) -> list[str]:
        """A local array, filled by one thread or by many."""
        self.names += 1
        name, counter = f"c{self.names}", f"k{self.names}"
        many = ["#pragma acc loop vector"] if self.choices.percent(50) else []
        value = self.expression(counter=counter)
        self.cells.append(name)
        return [
            f"unsigned {name}[{CELLS}];", *many,
            f"for (int {counter} = 0; {counter} < {CELLS}; ++{counter})",
            f"    {name}[{counter}] = {value} + {counter};",
        ]  # fmt: skip

    def choice(self, level: _Level, depth: int) -> list[str]:
        """A condition, the same for all threads that run the level's code."""
        self.note("control", "of a worker" if level.is_worker else "uniform")
        lines = [f"if ({self.condition()}) {{", *self.items(level, depth + 1), "}"]
        return [*lines, "else {", *self.items(level, depth + 1), "}"] if self.choices.percent(40) else lines

    def repeated(self, level: _Level, depth: int) -> list[str]:
        """A sequential loop around statements of the level, of which workers may have different numbers of rounds."""
        self.names += 1
        counter = f"k{self.names}"
        self.note("control", "loop")
        rounds = "1 + (i + v) % 3" if level.is_worker and self.choices.percent(50) else f"{2 + self.choices.below(2)}"
        lines = self.items(level, depth + 1)
        if self.choices.percent(30):
            lines.append(f"if ({self.condition()}) {self.choices.one_of(('break', 'continue'))};")
            lines += self.items(level, depth + 1)
        return [f"for (int {counter} = 0; {counter} < {rounds}; ++{counter}) {{", *lines, "}"]

    def workers(self, level: _Level, depth: int) -> list[str]:
        """A worker loop, in which each worker has rows of its own."""
        self.note("shape", "worker loop")
        worker = _Level("results[4*i + v]", "(4*i + v)*(m + 8)", is_worker=True)
        before = self.own, self.result, self.index
        self.own, self.result, self.index = worker.result, worker.result, "v"
        lines = self.items(worker, depth + 1)
        self.own, self.result, self.index = before
        return ["#pragma acc loop worker", f"for (int v = 0; v < {WORKERS}; ++v) {{", *lines, "}"]

    def vector(self, level: _Level, depth: int) -> list[str]:
        """A vector loop: elements of one array of the level's row from those of the other, and a sum perhaps."""
        target, source = self.choices.one_of((("out", "other"), ("other", "out")))
        index, own = self.index, self.own
        self.index = "j"
        place, mirrored = f"{target}[{level.row} + j]", f"{source}[{level.row} + m - 1 - j]"
        self.own = place
        lines = [f"{place} {self.choices.one_of(UPDATES)} ({mirrored} ^ {self.expression()});"]
        if self.choices.percent(40):
            lines += [f"if ({self.condition()})", f"    {place} += {self.expression()};"]
        mine = [name for name in self.locals if name.startswith("w") == level.is_worker]
        reduced = ""
        if mine and self.choices.percent(40):
            total = self.choices.one_of(mine)
            free = [name for name in self.locals if name != total]
            known, self.locals = self.locals, free
            lines = [f"{place} {self.choices.one_of(UPDATES)} ({mirrored} ^ {self.expression()});"]
            lines.append(f"{total} += {place} + {self.expression()};")
            self.locals = known
            is_unnamed = self.choices.percent(30)
            reduced = "" if is_unnamed else f" reduction(+: {total})"
            self.note("write", "unnamed reduction" if is_unnamed else "reduction")
        self.index, self.own = index, own
        self.note("write", "vector loop")
        return [f"#pragma acc loop vector{reduced}", "for (int j = 0; j < m; ++j) {", *lines, "}"]
