"""Random loop nests in kernels regions: which loops are parallel is for the translator to find out.

Whatever C defines is allowed: iterations may depend on each other, scalars carry values from one to another and
out of the region, and loops end early. All arithmetic is unsigned, and every index lies in its array.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fuzz.places import Dimension, Subarray
from fuzz.writer import UPDATES, Writer

BASE = 300
COUNT = 2400
"""Elements of each array: indices are BASE and up to three counters of at most 48, each at most twice, or a row."""

WIDTH = 43
"""More than the counters of most loops reach."""

RATES = (1, 1, 2, -1, 0, -2)
SCALARS = ("s0", "s1", "s2")
DEEPEST_LOOP = 3
DIRECTIVES = ("", "", "", "#pragma acc loop", "#pragma acc loop auto", "#pragma acc loop seq")


@dataclass(frozen=True)
class _Counter:
    """A counter in scope: what may be asked of it and done to it."""

    name: str
    is_signed: bool
    may_be_negative: bool = False
    may_skip: bool = False
    may_leave: bool = False


class Nests(Writer):
    """Kernels regions of one to three nests: wild ones, and calm ones that write one array at places of their own."""

    def construct(self) -> tuple[list[str], list[str]]:
        """See Writer."""
        self.small = True
        self.counters: list[_Counter] = []
        self.kept: list[str] = []
        for number in range(2 + self.choices.below(2)):
            self.add(f"a{number}", str(COUNT), written=True)
        self.note("shape", "kernels")
        nests = [line for _ in range(1 + self.choices.below(3)) for line in self.nest()]
        before = ["unsigned s0 = 3u, s1 = (unsigned)n, s2 = 7u;"]
        before += [f"int {name} = 0;" for name in self.kept]
        self.read_behind = [*(name for name in SCALARS if self.choices.percent(50)), *self.kept]
        return before, ["#pragma acc kernels CLAUSES", "{", *nests, "}"]

    def with_data(self, lines: list[str]) -> list[str]:
        """See Writer; behind the region the host notes what became of the scalars."""
        noted = [f"a0[{k}] ^= (unsigned){name};" for k, name in enumerate(self.read_behind)]
        return [*super().with_data(lines), *noted]

    # loops

    def nest(self) -> list[str]:
        """A loop, with a scalar set before it or not."""
        names = [item.name for item in self.arrays]
        self.target = "" if self.choices.percent(35) else self.choices.one_of(names)
        self.note("shape", "calm nest" if self.target else "wild nest")
        first = self.choices.percent(20)
        return [*([f"{self.choices.one_of(SCALARS)} = {self.expression()};"] if first else []), *self.loop(0)]

    def loop(self, depth: int) -> list[str]:
        """A counted loop, from one level further in a loop that is left early or skips."""
        choices = self.choices
        self.names += 1
        name = f"i{self.names}"
        directive = choices.one_of(DIRECTIVES)
        is_plain = not directive or directive.endswith("seq")
        if choices.percent(8):
            return self.counted_while(name)
        kind = choices.one_of(("int", "int", "long", "unsigned", "size_t", "short"))
        is_signed = kind not in ("unsigned", "size_t")
        is_down = is_signed and choices.percent(20)
        step = choices.one_of((1, 1, 1, 2, 3))
        first, is_negative = self.first(is_signed, is_down)
        limit = self.limit(is_signed, is_plain)
        self.note("control", "loop")
        self.note("step", "down" if is_down else "up")
        kept = not directive and kind == "int" and choices.percent(15)
        self.kept += [name] if kept else []
        begin, declared = (limit if is_down else first), "" if kept else f"{kind} "
        test = f"{name} >= {first}" if is_down else f"{name} {'<=' if choices.percent(15) else '<'} {limit}"
        ahead = f"{name} {'-' if is_down else '+'}= {step}" if step > 1 else f"{'--' if is_down else '++'}{name}"
        counter = _Counter(name, is_signed, is_negative or is_down, is_plain and not is_down, not directive)
        head = f"for ({declared}{name} = {begin}; {test}; {ahead}) {{"
        return [*([directive] if directive else []), head, *self.inside(counter, depth), "}"]

    def counted_while(self, name: str) -> list[str]:
        """A while loop of a few rounds."""
        self.note("control", "while")
        counter = _Counter(name, is_signed=True)
        return ["{", f"int {name} = 0;", f"while ({name} < 3) {{", *self.inside(counter, DEEPEST_LOOP), f"++{name};",
                "}", "}"]  # fmt: skip

    def first(self, is_signed: bool, is_down: bool) -> tuple[str, bool]:
        """Where a loop starts, or ends if it ``is_down``, and whether that may be below zero."""
        places = ["0", "1", "2"]
        fitting = [item for item in self.counters if is_signed or not item.may_be_negative]
        places += [item.name for item in fitting if item.is_signed or not is_down]
        places += ["-3"] if is_signed else []
        place = self.choices.one_of(places)
        by_name = {item.name: item.may_be_negative for item in self.counters}
        return place, place == "-3" or by_name.get(place, False)

    def limit(self, is_signed: bool, is_plain: bool) -> str:
        """A limit of at most 42."""
        limits = ["n", "m", "7"]
        limits += [f"{item.name} + 1" for item in self.counters if is_signed or not item.may_be_negative]
        if is_signed:
            limits += [f"n - {item.name}" for item in self.counters if item.is_signed and not item.may_be_negative]
        if is_plain:
            limits += [f"(int)({self.choices.one_of(SCALARS)} & 7u)"]
        return self.choices.one_of(limits)

    def inside(self, counter: _Counter, depth: int) -> list[str]:
        """The body of a loop."""
        self.counters.append(counter)
        known = len(self.locals)
        lines = self.cache() if self.choices.percent(20) else []
        for _ in range(self.choices.below(2) if self.target else 1 + self.choices.below(3)):
            lines += self.one_statement(depth + 1)
        if not self.target or not any(line.startswith("for") for line in lines):
            lines.append(self.element_changed())
        del self.locals[known:]
        self.counters.pop()
        return lines

    # statements

    def one_statement(self, depth: int) -> list[str]:
        """A statement of a loop's body."""
        kinds: list[Callable[[int], list[str]]] = [self.change, self.declaration, self.conditional, self.pointer]
        kinds += [self.carried] if not self.target or self.choices.percent(30) else []
        kinds += [self.early] if self.counters[-1].may_leave or self.counters[-1].may_skip else []
        kinds += [self.loop, self.loop, self.loop] if depth < DEEPEST_LOOP else []
        return self.choices.one_of(kinds)(depth)

    def change(self, depth: int) -> list[str]:
        """An element gets a value."""
        return [self.element_changed()]

    def element_changed(self) -> str:
        """The same, as one line."""
        place = f"{self.target}[{self.own_place()}]" if self.target else self.element()
        return f"{place} {self.choices.one_of(UPDATES)} {self.expression()};"

    def own_place(self) -> str:
        """An index that is another one in each iteration of the two innermost loops, nearly always."""
        *outer, inner = (item.name for item in self.counters[-2:])
        if not outer:
            return f"{BASE} + {self.choices.one_of((inner, f'2*{inner}', f'{WIDTH}*{inner}'))}"
        one, other = (inner, outer[0]) if self.choices.percent(20) else (outer[0], inner)
        return f"{BASE} + {self.choices.one_of((f'{WIDTH}*{one}', f'{one}*m', f'{one}*n'))} + {other}"

    def carried(self, depth: int) -> list[str]:
        """A scalar gets a value, or is one of the usual reductions."""
        name, way = self.choices.one_of(SCALARS), self.choices.below(4)
        value = self.expression()
        self.note("write", "scalar")
        if way == 0:
            return [f"{name} += {value};"]
        if way == 1:
            return [f"{name} = {value};"]
        if way == 2:
            return [f"if ({value} > {name})", f"    {name} = {value};"]
        return [f"{name} ^= {value};"]

    def declaration(self, depth: int) -> list[str]:
        """See Writer; a loop that only counts changes some element."""
        self.own = f"{self.target}[{self.own_place()}]" if self.target else self.element()
        return super().declaration(depth)

    def pointer(self, depth: int) -> list[str]:
        """See Writer; a calm nest changes nothing by it. What it is computed from may change behind it."""
        array, place = self.choices.one_of([item.name for item in self.arrays]), self.place()
        address = self.choices.one_of((f"{array} + {place}", f"&{array}[{place}]"))
        return self.pointer_to(array, address, range(-2, 3), is_written=not self.target)

    def conditional(self, depth: int) -> list[str]:
        """Something under a condition."""
        self.note("control", "divergent")
        known = len(self.locals)
        lines = [f"if ({self.condition()}) {{", *self.one_statement(DEEPEST_LOOP), "}"]
        del self.locals[known:]
        if self.choices.percent(30):
            lines += ["else {", *self.one_statement(DEEPEST_LOOP), "}"]
            del self.locals[known:]
        return lines

    def early(self, depth: int) -> list[str]:
        """An iteration or the loop ends early, or the next iteration is left out."""
        counter = self.counters[-1]
        ways = ["continue;"]
        ways += ["break;"] if counter.may_leave else []
        ways += [f"++{counter.name};"] if counter.may_skip and counter.may_leave else []
        self.note("control", "early")
        return [f"if ({self.condition()})", f"    {self.choices.one_of(ways)}"]

    # expressions

    def leaf(self, counter: str = "") -> str:
        """See Writer."""
        kind = self.choices.below(8)
        if kind <= 3 and self.counters:
            return f"(unsigned){self.element()}"
        if kind == 4 and (not self.target or self.choices.percent(30)):
            return self.choices.one_of(SCALARS)
        if kind == 5 and self.locals:
            return self.choices.one_of(self.locals)
        if kind == 6 and self.counters:
            return f"(unsigned){self.choices.one_of(self.counters).name}"
        return f"{self.choices.below(100)}u"

    def element(self) -> str:
        """An element of any array."""
        names = [item.name for item in self.arrays]
        if self.target and self.choices.percent(85):
            names.remove(self.target)
        array = self.choices.one_of(names)
        if array == self.target and self.choices.percent(70):
            return f"{array}[{self.own_place()}]"
        kind = self.choices.below(8)
        inner = self.choices.one_of(self.counters).name
        if kind == 5 and len(self.counters) > 1:
            return f"{array}[{BASE} + {self.counters[0].name}*m + {inner}]"
        if kind == 6:
            return f"{array}[{BASE} + {self.choices.one_of((f'{inner} % 4', f'{inner}/2', f'({inner} & 3)'))}]"
        if kind == 7:
            return f"{array}[{BASE} + ({self.choices.one_of(SCALARS)} & 15u)]"
        return f"{array}[{self.place()}]"

    def place(self) -> str:
        """An index: a sum of some counters, never below zero on its way from left to right."""
        text = str(BASE + self.choices.below(3) - 1)
        for item in self.counters[-3:]:
            rate = self.choices.one_of(RATES)
            if rate:
                text += f" {'+' if rate > 0 else '-'} {'' if abs(rate) == 1 else f'{abs(rate)}*'}{item.name}"
        return text

    def cache(self) -> list[str]:
        """A directive for some part of an array, which references may or may not lie in."""
        array = self.choices.one_of([item.name for item in self.arrays])
        low = self.choices.below(3)
        base = self.place()
        part = Subarray(array, (Dimension(base, -low, 1 + low + self.choices.below(3), (-2, 2)),))
        self.note("cached", "written")
        self.outside = True
        return [f"#pragma acc cache({part.text})"]
