"""What random programs of all shapes have: arrays, data clauses, expressions, statements, cache directives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from matrix.builder import Array, Program, c_program

from fuzz.choices import Choices
from fuzz.places import Dimension, Subarray

ELEMENTS = ("unsigned", "int", "short", "char", "long")
OPERATORS = ("+", "-", "*", "^", "&", "|")
UPDATES = ("+=", "^=", "-=", "=", "|=")
SIZES = (1, 2, 31, 127, 128, 129, 255, 256, 257, 300, 600)
SMALL_SIZES = (1, 2, 3, 15, 16, 17, 31, 32, 33, 40)
DATA = ("copies", "data region", "enter data", "create and update")
DEEPEST = 3


@dataclass
class Writer(ABC):
    """Writes one program; a subclass has the loops."""

    name: str
    choices: Choices
    features: set[tuple[str, str]] = field(default_factory=set)
    arrays: list[Array] = field(default_factory=list)
    subarrays: list[Subarray] = field(default_factory=list)
    locals: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    names: int = 0
    outside: bool = False
    uniform: bool = True
    own: str = ""
    index: str = "i"
    edges: tuple[tuple[str, str, str], ...] = ()
    """Variables of signed loops, what they begin with and the number that they do not reach."""
    small: bool = False

    def note(self, kind: str, value: object) -> None:
        """Remember that the program has something."""
        self.features.add((kind, str(value)))

    def program(self) -> Program:
        """The whole program."""
        before, lines = self.construct()
        body = "\n".join([*self.constants, *before, *self.with_data(lines)])
        sizes = SMALL_SIZES if self.small else SIZES
        runs = tuple((self.choices.one_of(sizes), self.choices.one_of(SMALL_SIZES)) for _ in range(3))
        forms = {value for kind, value in self.features if kind == "write"}
        self.note("references", "outside" if self.outside else "in range")
        if not forms:
            self.note("write", "none")
        return Program(
            self.name,
            c_program(self.name, self.arrays, body, scalars="int flag = (n + m) % 3"),
            runs,
            tuple(sorted(self.features)),
            not self.outside,
            bool(forms),
            any(kind == "cached" for kind, _ in self.features),
        )

    @abstractmethod
    def construct(self) -> tuple[list[str], list[str]]:
        """What stands before the data directives, and the construct; CLAUSES stands for its data clauses."""

    # arrays and data

    def add(self, name: str, count: str, declarator: str = "", *, written: bool = False, element: str = "") -> None:
        """Declare an array of the function."""
        element = element or self.choices.one_of(ELEMENTS)
        const = "" if written else "const "
        restrict = "" if self.choices.percent(30) else "restrict "
        star = f"(*{restrict}{name}){declarator}" if declarator else f"*{restrict}{name}"
        self.arrays.append(Array(name, element, count, f"{const}{element} {star}"))

    def sections(self, keep: bool | None = None) -> str:
        """The arrays with their lengths as clauses want them; ``keep`` picks those that are (not) written."""
        parts = []
        for array in self.arrays:
            if keep is not None and keep == array.parameter.startswith("const"):
                continue
            rows = array.parameter.count("][") + array.parameter.count(")[")
            length = array.count.partition(")*")[0].removeprefix("(size_t)(") if rows else array.count
            parts.append(f"{array.name}[0:{length}]" + "[0:m + 8]" * bool(rows) + "[0:8]" * (rows > 1))
        return ", ".join(parts)

    def with_data(self, lines: list[str]) -> list[str]:
        """The construct in one of the ways to bring data to the device."""
        way = self.choices.one_of(DATA)
        self.note("data", way)
        read, written, every = self.sections(False), self.sections(True), self.sections()
        clauses = f"copyin({read}) copy({written})" if read else f"copy({written})"
        present = f"present({every})"

        def constructs(text: str) -> list[str]:
            return [line.replace("CLAUSES", text) for line in lines]

        if way == "data region":
            return [f"#pragma acc data {clauses}", "{", *constructs(present), "}"]
        if way == "enter data":
            end = f"#pragma acc exit data copyout({written})" + (f" delete({read})" if read else "")
            return [f"#pragma acc enter data copyin({every})", *constructs(present), end]
        if way == "create and update":
            update = [
                f"#pragma acc update device({every})",
                *constructs(present),
                f"#pragma acc update self({written})",
            ]
            return [f"#pragma acc data create({every})", "{", *update, "}"]
        return constructs(clauses)

    # expressions

    def expression(self, depth: int = 0, counter: str = "") -> str:
        """A value of type unsigned."""
        if depth >= 2 or not self.choices.percent(55):
            return self.leaf(counter)
        kind = self.choices.below(8)
        left, right = self.expression(depth + 1, counter), self.expression(depth + 1, counter)
        if kind < 6:
            return f"({left} {OPERATORS[kind]} {right})"
        if kind == 6:
            return f"({left} >> ({right} & 7))"
        return f"({self.condition(counter)} ? {left} : {right})"

    def leaf(self, counter: str = "") -> str:
        """A constant, a scalar or an element."""
        kind = self.choices.below(8)
        if kind >= 3 and self.subarrays:
            chosen = self.choices.one_of(self.subarrays)
            over = counter if counter and self.choices.percent(60) else ""
            self.outside |= (outside := not chosen.written and self.choices.percent(4))
            return f"(unsigned){chosen.reference(self.choices, outside=outside, counter=over)}"
        if kind == 2 and self.locals:
            return self.choices.one_of(self.locals)
        if kind == 1:
            return f"(unsigned){self.choices.one_of((self.index, 'n', 'flag', *([counter] if counter else [])))}"
        if self.choices.percent(30):
            return self.constant(counter)
        return f"{self.choices.below(100)}u"

    def constant(self, counter: str) -> str:
        """A const number, or an element of an array that nothing changes, or of one that the host does."""
        self.names += 1
        name, way = f"fixed{self.names}", self.choices.one_of(("number", "const", "static", "kept", "changed"))
        self.note("constant", way)
        if way == "number":
            self.constants.append(f"const int {name} = {self.choices.below(100)} - 50;")
            return f"(unsigned){name}"
        kind = {"const": "const unsigned", "static": "static short"}.get(way, "int")
        values = ", ".join(str(self.choices.below(100)) for _ in range(4))
        self.constants.append(f"{kind} {name}[4] = {{{values}}};" + f" {name}[1] += n;" * (way == "changed"))
        index = self.choices.one_of((self.index, counter or self.index))
        return f"(unsigned){name}[(unsigned){index} & 3]"

    def condition(self, counter: str = "") -> str:
        """Something an if may ask; of iterations near the edges of parallel loops, it is what they are told by."""
        if self.edges and self.choices.percent(35):
            return self.edge(counter)
        return f"{self.leaf(counter)} {self.choices.one_of(('<', '>', '==', '!=', '>='))} {self.leaf(counter)}"

    def edge(self, counter: str) -> str:
        """Whether an iteration is at an edge, or at none."""
        self.note("control", "edges")
        inside = self.choices.percent(60)
        asked = []
        for name, first, limit in self.edges:
            near, shift = self.choices.below(3), f" + {counter}" if counter and self.choices.percent(40) else ""
            lower = self.choices.one_of((f"> {first} + {near}", f">= {first} + {near}", f"!= {first}"))
            upper = self.choices.one_of((f"+ {near}{shift} < {limit}", f"!= {limit} - 1"))
            if not inside:
                lower = self.choices.one_of((f"< {first} + {near}", f"<= {first} + {near}", f"== {first}"))
                upper = self.choices.one_of((f"+ {near}{shift} >= {limit}", f"== {limit} - 1"))
            asked += [f"{name} {test}" for test in (lower, upper) if self.choices.percent(70)]
        text = (" && " if inside else " || ").join(asked) or "n > 1"
        return f"!({text})" if self.choices.percent(15) else text

    # statements

    def statements(self, depth: int) -> list[str]:
        """Some statements, one of which changes the result."""
        lines: list[str] = []
        known = len(self.locals)
        for _ in range(1 + self.choices.below(3)):
            lines += self.statement(depth)
        lines.append(f"{self.own} {self.choices.one_of(UPDATES)} {self.expression()};")
        del self.locals[known:]
        return lines

    def statement(self, depth: int) -> list[str]:
        """One statement of any kind."""
        kinds = [self.update, self.declaration]
        kinds += [self.write] if any(item.written for item in self.subarrays) else []
        kinds += [self.moved] if self.edges else []
        kinds += [self.pointer] if self.subarrays else []
        kinds += [self.branch, self.loop, self.region] if depth < DEEPEST else []
        kinds += [self.ending] if self.choices.percent(20) else []
        return self.choices.one_of(kinds)(depth)

    def update(self, depth: int) -> list[str]:
        """Change the result."""
        return [f"{self.own} {self.choices.one_of(UPDATES)} {self.expression()};"]

    def declaration(self, depth: int) -> list[str]:
        """A variable of the iteration's own."""
        value, other = self.expression(), self.leaf()
        self.names += 1
        name, way = f"t{self.names}", self.choices.below(8)
        if way == 7:
            self.note("local", "member")
            self.locals += [f"{name}.x", f"{name}.y"]
            return [f"struct {{ unsigned x, y; }} {name};", f"{name}.x = {value};", f"{name}.y = {other};"]
        if way == 6:
            self.note("local", "array")
            self.locals += [f"{name}[0]", f"{name}[1]"]
            return [f"unsigned {name}[2] = {{{value}, {other}}};"]
        if way == 5:
            self.note("local", "counter")
            self.locals.append(name)
            head = f"for ({name} = {other} & 1u; {name} < ({value} & 3u); ++{name})"
            return [f"unsigned {name};", head, f"    {self.own} += {name} + 1;"]
        self.note("local", "scalar")
        self.locals.append(name)
        return [f"unsigned {name} = {value};"]

    def moved(self, depth: int) -> list[str]:
        """An index that only edges move, and perhaps a window that they clip."""
        self.names += 1
        name = f"r{self.names}"
        self.locals.append(f"(unsigned){name}")
        over, first, limit = self.choices.one_of(self.edges)
        lower = (f"if ({name} < {first})\n    {name} = {first};", f"{name} = {name} >= {first} ? {name} : {first};")
        upper = (
            f"if ({name} > {limit} - 1) {name} = {limit} - 1;",
            f"{name} = {name} < {limit} ? {name} : {limit} - 1;",
        )
        moves = [self.choices.one_of(ways) for ways in (lower, upper) if self.choices.percent(80)]
        if self.choices.percent(20):
            moves.append(f"if ({self.condition()}) {name} += {self.choices.below(3)};")
        lines = [f"int {name} = {over} + {self.choices.below(5)} - 2;", *moves[:: self.choices.one_of((1, -1))]]
        self.note("control", "moved")
        if self.choices.percent(40):
            self.note("control", "window")
            counter = f"k{self.names}"
            last = f"({over} + 2 < {limit} ? {over} + 2 : {limit} - 1)"
            lines.append(f"for (int {counter} = {name}; {counter} <= {last}; ++{counter})")
            lines.append(f"    {self.own} {self.choices.one_of(UPDATES)} {self.leaf()} + {counter};")
        return lines

    def pointer(self, depth: int) -> list[str]:
        """A pointer of the iteration's own to elements that it may use, and perhaps change."""
        chosen = self.choices.one_of(self.subarrays)
        *outer, last = chosen.dimensions
        element = chosen.element([*(dimension.at(dimension.low) for dimension in outer), last.base])
        is_plain = not outer
        places = (f"&{element}", f"{chosen.array} + ({last.base})", f"{last.base} + {chosen.array}")
        address = self.choices.one_of(places) if is_plain else places[0]
        return self.pointer_to(
            chosen.array, address, range(last.low, last.low + last.length), is_written=chosen.written
        )

    def pointer_to(self, array: str, address: str, offsets: Sequence[int], *, is_written: bool) -> list[str]:
        """A pointer to an element of an array, or one that is based on it, and an element so far from it."""
        self.note("local", "pointer")
        self.names += 1
        name, ctype = f"p{self.names}", next(item.type for item in self.arrays if item.name == array)
        star = f"{'' if is_written else 'const '}{ctype} *"
        lines = [f"{star}{name} = {address};"]
        if self.choices.percent(30):
            shift = self.choices.below(3) - 1
            lines.append(f"{star}{name}q = {self.choices.one_of((f'{name} + ({shift})', f'&{name}[{shift}]'))};")
            name, offsets = f"{name}q", [offset - shift for offset in offsets]
        offset = self.choices.one_of(offsets)
        element = self.choices.one_of((f"{name}[{offset}]", f"*({name} + ({offset}))", f"({name} + {offset})[0]"))
        if is_written and self.choices.percent(50):
            self.note("write", "pointer")
            lines.append(f"{element} {self.choices.one_of(UPDATES)} {self.expression()};")
        self.locals.append(f"(unsigned){element}")
        return lines

    def write(self, depth: int) -> list[str]:
        """Change an element of the iteration's own."""
        chosen = self.choices.one_of([item for item in self.subarrays if item.written])
        place = chosen.reference(self.choices, outside=False)
        form = self.choices.one_of(("=", "compound", "step", "conditional", "loop"))
        self.note("write", form)
        value = self.expression()
        if form == "step":
            return [f"{self.choices.one_of(('++', '--'))}{place};"]
        if form == "compound":
            return [f"{place} {self.choices.one_of(('+=', '^=', '-='))} {value};"]
        if form == "conditional":
            return [f"if ({self.condition()})", f"    {place} = {value};"]
        if form == "loop":
            self.names += 1
            counter = f"k{self.names}"
            element = chosen.reference(self.choices, outside=False, counter=counter)
            length = chosen.dimensions[-1].length
            return [
                f"for (int {counter} = 0; {counter} < {length}; ++{counter})",
                f"    {element} = {value} + {counter};",
            ]
        return [f"{place} = {value};"]

    def branch(self, depth: int) -> list[str]:
        """An if, whose condition is the same for all threads or not."""
        uniform = self.uniform and self.choices.percent(40)
        asked = self.choices.one_of(("flag", "flag == 1", "n > 100")) if uniform else self.condition()
        self.note("control", "uniform" if uniform else "divergent")
        before, self.uniform = self.uniform, uniform
        lines = [f"if ({asked}) {{", *self.statements(depth + 1), "}"]
        if self.choices.percent(40):
            lines += ["else {", *self.statements(depth + 1), "}"]
        self.uniform = before
        return lines

    def loop(self, depth: int) -> list[str]:
        """A sequential loop."""
        self.names += 1
        counter = f"k{self.names}"
        lengths = [item.dimensions[-1].length for item in self.subarrays]
        count = self.choices.one_of([min(lengths), 2, 3] if lengths else [2, 3])
        self.note("control", "loop")
        inside = count if lengths and count <= min(lengths) else 0
        value = self.expression(counter=counter if inside else "")
        parts = [item for item in self.locals if item[-1] == "]" or item[-2:] in (".x", ".y")]
        kept = [item for item in parts if not item.startswith("(")]
        target = self.choices.one_of(kept) if kept and self.choices.percent(60) else self.own
        lines = [f"{target} {self.choices.one_of(UPDATES)} {value};"]
        if self.choices.percent(40):
            known = len(self.locals)
            lines += self.statement(depth + 1)
            del self.locals[known:]
        return [f"for (int {counter} = 0; {counter} < {count}; ++{counter}) {{", *lines, "}"]

    def ending(self, depth: int) -> list[str]:
        """A condition under which an iteration ends, perhaps with something to do before."""
        self.note("control", "continue")
        if self.choices.percent(40):
            return [f"if ({self.condition()})", "    continue;"]
        lines = [f"if ({self.condition()}) {{", *self.update(depth)]
        if self.choices.percent(30):
            return [*lines, "} else {", *self.update(depth), "    continue;", "}"]
        return [*lines, *[f"if ({self.condition()})"] * self.choices.percent(25), "    continue;", "}"]

    def region(self, depth: int) -> list[str]:
        """A block with a cache directive, which may name a pointer of the block's own."""
        flat = [item for item in self.subarrays if len(item.dimensions) == 1]
        directive = (
            self.cache_of_pointer(self.choices.one_of(flat)) if flat and self.choices.percent(25) else self.cache()
        )
        return ["{", *directive, *self.statements(depth + 1), "}"]

    def cache_of_pointer(self, chosen: Subarray) -> list[str]:
        """A pointer to where a subarray's base is, and a directive that names it."""
        self.note("cached", "pointer")
        self.names += 1
        (part,) = chosen.dimensions
        ctype = next(item.type for item in self.arrays if item.name == chosen.array)
        star = f"{'' if chosen.written else 'const '}{ctype} *"
        return [
            f"{star}p{self.names} = {chosen.array} + ({part.base});",
            f"#pragma acc cache(p{self.names}[{part.low}:{part.length}])",
        ]

    def cache(self) -> list[str]:
        """A directive that names some of the subarrays."""
        chosen = [self.choices.one_of(self.subarrays)]
        if len(self.subarrays) > 1 and self.choices.percent(35):
            other = self.choices.one_of(self.subarrays)
            chosen += [other] if other.array != chosen[0].array else []
        for item in chosen:
            self.note("cached", "written" if item.written else "read")
            self.note("dimensions", len(item.dimensions))
        if not self.uniform:
            self.note("control", "divergent region")
        readonly = "readonly: " if not any(item.written for item in chosen) and self.choices.percent(15) else ""
        return [f"#pragma acc cache({readonly}{', '.join(item.text for item in chosen)})"]

    def body(self) -> list[str]:
        """What one iteration does."""
        directive = self.cache() if self.choices.percent(75) else []
        if not directive:
            self.note("directive", "further inside or none")
        return [*directive, *self.statements(0)]

    def dimension(self, base: str, reach: tuple[int, int], longest: int = 5) -> Dimension:
        """A part of what references may reach."""
        length = 1 + self.choices.below(min(longest, reach[1] - reach[0] + 1))
        low = reach[0] + self.choices.below(reach[1] - reach[0] - length + 2)
        return Dimension(base, low, length, reach)
