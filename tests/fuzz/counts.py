"""Random programs that update arrays atomically, or reduce them: histograms, and elements of an iteration's own."""

from __future__ import annotations

from fuzz.choices import Choices
from fuzz.places import Dimension, Subarray
from fuzz.writer import Writer

LENGTHS = (64, 16, 37, 100, 2000)
"""Elements of the counted arrays."""
KINDS = ("+", "+", "-", "|", "^", "&", "max")
"""Operators of updates: those of one array give the same in any order."""
COUNTED = ("unsigned", "int", "long", "short")
SPREADS = (
    ("parallel loop",),
    ("parallel loop collapse(2)",),
    ("parallel loop", "loop vector"),
    ("parallel loop gang", "loop vector"),
    ("parallel loop gang vector vector_length(64)",),
    ("kernels loop independent",),
)
"""Directives of the outer loop, and of one in it."""
WAYS = (("update", "value"), ("update", "capture"), ("update",), ("update", "capture", "read", "value"))
"""What a program does with elements of an iteration's own; a value is what another atomic update adds."""
ATOMIC = "#pragma acc atomic"


class Counts(Writer):
    """A loop, or two, over counted arrays that all iterations update.

    ``own`` has an element for each iteration, and a constant length, so that it could be taken for a counted one.
    """

    def __init__(self, name: str, choices: Choices) -> None:
        """See Writer."""
        super().__init__(name, choices)
        self.operators: dict[str, str] = {}
        self.lengths: dict[str, int] = {}
        self.reduced = ""
        self.ways = choices.one_of(WAYS)

    def construct(self) -> tuple[list[str], list[str]]:
        """See Writer."""
        choices = self.choices
        spread = choices.one_of(SPREADS)
        is_deep = len(spread) == 2 or "collapse" in spread[0]
        self.small = is_deep
        self.note("shape", "counts")
        for number in range(1 + choices.below(3)):
            self.counted(f"c{number}")
        places = "(n + 8)*(m + 8)" if is_deep else "(n + 8)"
        self.index, self.place = ("j", "(i*(m + 8) + j)") if is_deep else ("i", "i")
        self.add("own", "48*48" if is_deep else "608", written=True, element=choices.one_of(COUNTED[:3]))
        self.add("out", places, written=True, element="unsigned")
        self.own = f"out[{self.place}]"
        self.add("x", f"{places} + {8}")
        self.subarrays = [Subarray("x", (Dimension(self.place, 0, 3, (0, 4)),))]
        clause = ""
        if not spread[0].startswith("kernels") and len(spread) == 1 and choices.percent(25):
            self.reduced = "c0"
            clause = f" reduction({self.operators['c0'].replace('-', '+')}:c0[0:{self.lengths['c0']}])"
        head = [
            f"#pragma acc {spread[0]}{clause} CLAUSES",
            f"for (int i = 0; i < n; {choices.one_of(('++i', 'i += 1'))})",
        ]
        if is_deep:
            inner = [f"#pragma acc {spread[1]}"] if len(spread) == 2 else []
            first = choices.one_of(("0", "2", "i")) if inner else choices.one_of(("0", "2"))
            head = [*head, *inner, f"for (int j = {first}; j < m; ++j)"]
        directive = [self.cache_of_counted()] if choices.percent(20) else []
        return [], [*head, "{", *directive, *self.updates(), "}"]

    def counted(self, name: str) -> None:
        """An array that is counted in, and what its updates do."""
        length = self.choices.one_of(LENGTHS)
        self.add(name, str(length), written=True, element=self.choices.one_of(COUNTED))
        self.operators[name], self.lengths[name] = self.choices.one_of(KINDS), length

    def cache_of_counted(self) -> str:
        """A directive for a whole counted array, or for elements that are only read."""
        self.note("cached", "written")
        name = self.choices.one_of([*self.operators, "x"])
        return (
            f"#pragma acc cache({name}[0:{self.lengths[name]}])"
            if name != "x"
            else f"#pragma acc cache({self.subarrays[0].text})"
        )

    def updates(self) -> list[str]:
        """Statements of an iteration."""
        lines: list[str] = []
        for _ in range(1 + self.choices.below(4)):
            lines += self.choices.one_of(
                (self.count, self.own_element, self.own_element, self.result, self.skip, self.several)
            )()
        return [*lines, *self.count()]

    def count(self) -> list[str]:
        """An update of any element of a counted array."""
        self.note("write", "atomic")
        name = self.choices.one_of(list(self.operators))
        element = f"{name}[{self.anywhere(self.lengths[name])}]"
        atomic = [] if name == self.reduced else [ATOMIC]
        return [*atomic, self.updated(element, self.operators[name], self.expression())]

    def anywhere(self, length: int) -> str:
        """An index below a length."""
        value = self.expression()
        if length & (length - 1) == 0 and self.choices.percent(40):
            return f"({value}) & {length - 1}u"
        return f"({value}) % {length}u"

    def updated(self, element: str, operator: str, value: str) -> str:
        """An update; the value is of the array's type, or C would compute in another."""
        if operator == "max":
            return f"{element} = {element} < (int)({value} & 1023u) ? (int)({value} & 1023u) : {element};"
        narrow = f"(int)({value} & 1023u)"
        if operator in "+-":
            return self.choices.one_of(
                (
                    f"{element} {operator}= {narrow};",
                    f"{element} = {element} {operator} {narrow};",
                    f"{element}{operator}{operator};",
                )
            )
        return f"{element} {operator}= {narrow};"

    def own_element(self) -> list[str]:
        """The iteration's own element, by any name it has, is updated, captured, or read."""
        way = self.choices.one_of(self.ways)
        is_named = way == "update" or self.choices.percent(50)
        place = f"own[{self.place}]" if is_named else f"*(own + {self.place})"
        self.note("write", "own")
        if way == "update":
            return [ATOMIC, self.updated(f"({place})", "+", self.expression())]
        if way == "capture":
            self.names += 1
            name = f"t{self.names}"
            self.locals.append(f"(unsigned){name}")
            return [f"long {name};", f"{ATOMIC} capture", f"{name} = ({place})++;"]
        if way == "read":
            return [f"{self.own} += (unsigned){place};"]
        name = self.choices.one_of(list(self.operators))
        if self.operators[name] not in "+-" or name == self.reduced:
            return [f"{place} ^= 5;"]
        return [ATOMIC, f"{name}[{self.anywhere(self.lengths[name])}] {self.operators[name]}= {place};"]

    def result(self) -> list[str]:
        """A plain result of the iteration."""
        return [f"{self.own} ^= {self.expression()};"]

    def skip(self) -> list[str]:
        """The rest of the iteration is left out, or something is done under a condition."""
        self.note("control", "divergent")
        if self.choices.percent(40):
            return [f"if ({self.condition()})", "    continue;"]
        return [f"if ({self.condition()}) {{", *self.count(), "}"]

    def several(self) -> list[str]:
        """A sequential loop of updates."""
        self.note("control", "loop")
        self.names += 1
        counter = f"k{self.names}"
        return [
            f"for (int {counter} = 0; {counter} < {self.choices.one_of((3, 2, 17))}; ++{counter}) {{",
            *self.count(),
            "}",
        ]
