"""Random programs with and without cache directives, which compute with integers: results must be equal bit by bit.

An iteration writes only elements of its own, computes in unsigned, and reads what no other iteration writes.
"""

from __future__ import annotations

from matrix.builder import Program

from fuzz.choices import Choices
from fuzz.counts import Counts
from fuzz.levels import Levels
from fuzz.nests import Nests
from fuzz.places import MARGIN, Dimension, Subarray
from fuzz.writer import Writer

STEPS = (1, 1, 1, 2, -1, 3, -2, 7)
RATES = (1, 1, 2, -1, 3, 0, -2)
WRITTEN_RATES = (1, 2, 3, -1, -2)
FIRSTS = (0, 1, 2, -6)
INDICES = ("int", "int", "long", "unsigned", "size_t")


def program(name: str, choices: Choices) -> Program:
    """A random program of some shape."""
    return choices.one_of((_Flat, _Flat, _Plane, _Rows, _Box, Levels, Nests, Counts))(name, choices).program()


class _Flat(Writer):
    """One parallel loop over arrays of one dimension; its first iteration may lie ``below_zero``."""

    below_zero = 0

    def construct(self) -> tuple[list[str], list[str]]:
        choices = self.choices
        step, first = choices.one_of(STEPS), choices.one_of(FIRSTS)
        self.below_zero = max(0, -first)
        top = f"{first} + {abs(step)}*(n - 1)" if first else f"{abs(step)}*(n - 1)"
        self.note("step", "up" if step > 0 else "down")
        self.note("stride", "1" if abs(step) == 1 else "more")
        self.note("first", "below zero" if self.below_zero else "0 or more")
        self.add("out", f"{top} + {1 + self.below_zero}", written=True, element="unsigned")
        self.own = f"out[i + {self.below_zero}]" if self.below_zero else "out[i]"
        before = [f"const int top = {top};"]
        for number in range(1 + choices.below(2)):
            self.read_array(f"a{number}", step, top, first)
        if choices.percent(45):
            self.written_array("w", step, top, first)
        ahead = {1: "++i", -1: "--i"}.get(step, f"i {'+' if step > 0 else '-'}= {abs(step)}")
        index = choices.one_of(INDICES if step > 0 and first >= 0 else INDICES[:3])
        self.note("index", index)
        begin, test = (str(first), "i <= top") if step > 0 else ("top", f"i >= {first}")
        head = f"for ({index} i = {begin}; {test}; {ahead})"
        self.edges = (("i", f"({first})", "(top + 1)"),) if index in INDICES[:3] else ()
        directive = choices.one_of(
            ("parallel loop", "parallel loop gang vector", "kernels loop independent", "parallel loop gang",
             "parallel loop gang vector vector_length(64)", "parallel loop gang worker vector num_workers(2)")
        )  # fmt: skip
        return before, [f"#pragma acc {directive} CLAUSES", head, "{", *self.body(), "}"]

    def place(self, rate: int) -> tuple[str, int]:
        """Where an iteration's elements begin, and a margin before them."""
        offset = MARGIN + self.choices.below(3) + max(rate, 0) * self.below_zero
        if rate == 0:
            return str(offset), offset
        factor = "" if abs(rate) == 1 else f"{abs(rate)}*"
        if rate > 0:
            return f"{factor}i + {offset}", offset
        return f"{factor}top + {offset} - {factor}i", offset

    def read_array(self, name: str, step: int, top: str, first: int) -> None:
        """An array whose elements several iterations may use."""
        rate = self.choices.one_of(RATES)
        base, offset = self.place(rate)
        self.note("rate", "negative" if rate < 0 else "zero" if rate == 0 else "positive")
        self.add(name, f"{abs(rate)}*({top}) + {offset + MARGIN + 1 + abs(rate) * self.below_zero}")
        item = Subarray(name, (self.dimension(base, (-MARGIN, MARGIN)),))
        if rate:
            distance = abs(rate * step)
            length = item.dimensions[0].length
            self.note("sharing", "overlap" if length > distance else "gap" if length < distance else "touching")
        self.subarrays.append(item)

    def written_array(self, name: str, step: int, top: str, first: int) -> None:
        """An array of which each iteration has elements of its own."""
        rate = self.choices.one_of(WRITTEN_RATES)
        base, offset = self.place(rate)
        distance = min(abs(rate * step), 5)
        self.add(name, f"{abs(rate)}*({top}) + {offset + MARGIN + 1 + abs(rate) * self.below_zero}", written=True)
        self.subarrays.append(Subarray(name, (self.dimension(base, (0, distance - 1)),), written=True))


class _Plane(Writer):
    """Two parallel loops over arrays of two dimensions."""

    def construct(self) -> tuple[list[str], list[str]]:
        self.small = True
        choices = self.choices
        self.index = choices.one_of(("j", "i"))
        self.add("out", "(size_t)(n + 8)*(m + 8)", "[m + 8]", written=True, element="unsigned")
        self.own = "out[i][j]"
        for number in range(1 + choices.below(2)):
            self.plane(f"a{number}")
        if choices.percent(40):
            self.plane("w", written=True)
        down = choices.percent(25)
        self.note("step", "down" if down else "up")
        way = choices.below(4)
        outer, inner = choices.one_of(INDICES), choices.one_of(INDICES)
        self.note("index", inner)
        rows = f"for ({outer} i = 3; i < n + 3; ++i)"
        columns = f"for ({inner} j = m + 2; j >= 3; --j)" if down else f"for ({inner} j = 3; j < m + 3; ++j)"
        self.edges = (("i", "3", "(n + 3)"), ("j", "3", "(m + 3)"))
        heads = {
            0: ["#pragma acc parallel loop collapse(2) CLAUSES", rows, columns],
            1: ["#pragma acc parallel loop gang CLAUSES", rows, "#pragma acc loop vector", columns],
            2: ["#pragma acc parallel loop gang worker num_workers(4) vector_length(32) CLAUSES", rows,
                "#pragma acc loop vector", columns],
            3: ["#pragma acc kernels loop independent collapse(2) CLAUSES", rows, columns],
        }  # fmt: skip
        return [], [*heads[way], "{", *self.body(), "}"]

    def plane(self, name: str, *, written: bool = False) -> None:
        """An array with an element for each pair of iterations, and a margin."""
        reach = (0, 0) if written else (-2, 2)
        dimensions = (self.dimension("i", reach, 3), self.dimension("j", reach, 4))
        if self.choices.percent(40):
            self.add(name, "(n + 8)*(m + 8)", written=written)
            self.subarrays.append(Subarray(name, dimensions, written, "(m + 8)"))
        else:
            self.add(name, "(size_t)(n + 8)*(m + 8)", "[m + 8]", written=written)
            self.subarrays.append(Subarray(name, dimensions, written))
        self.note("rate", "positive")
        if not written:
            lengths = [item.length for item in dimensions]
            self.note("sharing", "overlap" if max(lengths) > 1 else "touching")


class _Rows(Writer):
    """A gang for each row; its vector loops run over parts of the row, each with a tile of its own."""

    def construct(self) -> tuple[list[str], list[str]]:
        self.small = True
        self.index = "j"
        choices = self.choices
        self.add("out", "(n + 8)*(m + 8)", written=True, element="unsigned")
        self.own = "out[i*(m + 8) + j]"
        width = choices.one_of((16, 8, 32))
        for number in range(1 + choices.below(2)):
            self.add(f"a{number}", f"(n + 8)*(m + 8) + {width + 2 * MARGIN}")
        self.note("rate", "positive")
        self.note("step", "up")
        self.note("sharing", "touching")
        names = [array.name for array in self.arrays if array.name != "out"]
        chosen = names[: 1 + choices.below(len(names))]
        halo = choices.below(3)
        start = f"i*(m + 8) + t + {MARGIN - halo}" if halo < MARGIN else "i*(m + 8) + t"
        tiles = ", ".join(f"{name}[{start}:{width + 2 * halo}]" for name in chosen)
        base = f"i*(m + 8) + j + {MARGIN}"
        self.subarrays = [
            Subarray(name, (Dimension(base, -halo, 2 * halo + 1, (-halo - 2, halo + 2)),)) for name in names
        ]
        self.note("cached", "read")
        self.note("dimensions", 1)
        self.note("control", "uniform region")
        inner: list[str] = []
        for _ in range(1 + choices.below(2)):
            inner += ["#pragma acc loop vector", f"for (int j = t; j < (t + {width} < m ? t + {width} : m); ++j)"]
            inner += ["{", *self.statements(2), "}"]
        directive = choices.one_of(("parallel loop gang", "parallel loop gang vector_length(32)"))
        return [], [
            f"#pragma acc {directive} CLAUSES", "for (int i = 0; i < n; ++i) {",
            f"for (int t = 0; t < m; t += {width}) {{", f"#pragma acc cache({tiles})", *inner, "}", "}",
        ]  # fmt: skip


class _Box(Writer):
    """Three parallel loops, or two and a sequential one, over arrays of three dimensions."""

    def construct(self) -> tuple[list[str], list[str]]:
        self.small = True
        choices = self.choices
        is_parallel = choices.percent(50)
        self.add("out", "(n + 8)*(m + 8)" + "*8" * is_parallel, written=True, element="unsigned")
        self.own = "out[(i*(m + 8) + j)*8 + k]" if is_parallel else "out[i*(m + 8) + j]"
        self.index = "k" if is_parallel else "j"
        for number in range(1 + choices.below(2)):
            name = f"a{number}"
            self.add(name, "(size_t)(n + 8)*(m + 8)*8", "[m + 8][8]")
            dimensions = (
                self.dimension("i", (-1, 1), 2), self.dimension("j", (-2, 2), 3), self.dimension("k", (-1, 1), 3),
            )  # fmt: skip
            self.subarrays.append(Subarray(name, dimensions))
            self.note("sharing", "overlap" if dimensions[1].length > 1 else "touching")
        self.note("rate", "positive")
        self.note("step", "up")
        self.edges = (("i", "3", "(n + 3)"), ("j", "3", "(m + 3)"), ("k", "1", "7"))
        planes = "for (int i = 3; i < n + 3; ++i)"
        rows, last = "for (int j = 3; j < m + 3; ++j)", "for (int k = 1; k < 7; ++k) {"
        heads = (
            ["#pragma acc parallel loop collapse(2) CLAUSES", planes, rows],
            ["#pragma acc parallel loop gang CLAUSES", planes, "#pragma acc loop vector", rows],
        )
        spread = (
            ["#pragma acc parallel loop collapse(3) CLAUSES", planes, rows],
            [
                "#pragma acc parallel loop gang CLAUSES",
                planes,
                "#pragma acc loop worker",
                rows,
                "#pragma acc loop vector",
            ],
        )
        return [], [*choices.one_of(spread if is_parallel else heads), last, *self.body(), "}"]
