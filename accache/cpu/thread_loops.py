"""Run the threads of a block in loops from barrier to barrier, where a kernel's text allows it.

A fiber for each thread costs a switch of stacks at each barrier. What accache emits has barriers that all threads
reach, so its kernels can be cut at them: each part becomes a loop over the threads. The kernel is called once a block.

    const int i = 256*blockIdx.x + threadIdx.x;       block_.each([&](const uint3 threadIdx, unsigned thread_) {
    tile[threadIdx.x] = a[i];                   ->        const int i = 256*blockIdx.x + threadIdx.x;
    __syncthreads();                                      tile[threadIdx.x] = a[i]; });
    b[i] = tile[255 - threadIdx.x];                   block_.each([&](const uint3 threadIdx, unsigned thread_) {
                                                          const int i = 256*blockIdx.x + threadIdx.x;
                                                          b[i] = tile[255 - threadIdx.x]; });

Variables that several parts use are kept for each thread, unless all threads have one value or can compute theirs
anew. All threads are asked conditions around barriers and must agree. Kernels of another form stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from accache.base.text import Edit, SourceFile, Span, splice
from accache.cpu.definitions import angles_end, separated
from accache.cpu.inlining import inline_meetings
from accache.cpu.routines import MEETING, Function, Functions, find_functions, may_wait_in_loops, of_thread, told
from accache.cpu.statements import (
    BARRIER,
    EXCHANGE,
    Declarator,
    Statement,
    Unsupported,
    declarators,
    jumps_out,
    parse_statement,
    statement_tokens,
)
from accache.cpu.tokens import Token
from accache.cpu.variables import Scopes, Variable, is_set_first, parameters_of

_BOUNDS = re.compile(r"__launch_bounds__\(\s*(\d+)\s*\)")
_JUMPS = ("return", "goto", "asm", "__asm__")
_LARGEST_BLOCK = 1024
_WARP = 32


class ThreadLoops(Struct, frozen=True):
    """A .cu text, and the names of its kernels that are called once a block."""

    text: str
    kernels: frozenset[str]


def with_thread_loops(text: str) -> ThreadLoops:
    """The text with loops over threads in all kernels that allow it."""
    functions = find_functions(text)
    edits: list[Edit] = []
    names: set[str] = set()
    shared: set[str] = set()
    for function in functions.known.values():
        if not function.is_kernel:
            continue
        try:
            kernel, declared = _kernel(text, function, functions)
        except Unsupported:
            continue
        names.add(function.name)
        prefix = "".join(words + " " for place, words in declared if place not in shared)
        shared |= {place for place, _ in declared}
        edits.append(_edit(text, functions, function, prefix + kernel))
    if not names:
        return ThreadLoops(text, frozenset())
    for function in functions.known.values():
        if function.asks and not function.meets and not function.is_kernel:
            edits.append(_copy(text, functions, function))
    return ThreadLoops(splice(SourceFile("", text), tuple(sorted(edits, key=lambda e: e.span.start))), frozenset(names))


def _edit(text: str, functions: Functions, function: Function, replaced: str) -> Edit:
    """The edit that replaces a function; what follows it keeps its lines."""
    start, end = functions.tokens[function.first].start, functions.tokens[function.end - 1].end
    return Edit(Span(start, end), replaced + _line_mark(text, end))


def _copy(text: str, functions: Functions, function: Function) -> Edit:
    """The edit that puts behind a function the copy that is told its thread."""
    end = functions.tokens[function.end - 1].end
    return Edit(Span(end, end), f"\n{of_thread(text, function, functions)}{_line_mark(text, end)}")


def _line_mark(text: str, end: int) -> str:
    """The line of what follows a position, where the text does not tell so itself."""
    at_end = text[end : end + 1] == "\n"
    mark = f"\n#line {text.count(chr(10), 0, end) + 1 + at_end}"
    return "" if "#line" in text else mark if at_end else f"{mark}\n"


def _kernel(text: str, function: Function, functions: Functions) -> tuple[str, list[tuple[str, str]]]:
    """The text of a kernel that is called once a block, and shared variables by the names of their places."""
    tokens = functions.tokens
    own = tokens[function.body : function.end]
    if any(MEETING.fullmatch(token.text) for token in own):
        raise Unsupported("warps")
    head = text[tokens[function.first].start : tokens[function.close].end]
    inlined = inline_meetings(text[own[0].start : own[-1].end], functions)
    body = told(inlined.body, functions)
    if may_wait_in_loops(statement_tokens(body)):
        raise Unsupported("a loop that may wait for another thread")
    parameters = tokens[function.name_at + 2 : function.close]
    bounds = _BOUNDS.search(head)
    threads = int(bounds[1]) if bounds else _LARGEST_BLOCK
    loops = _Loops(body, parameters_of(parameters), threads)
    return f"{head} {loops.kernel()}", list(inlined.shared.items())


class _Loops:
    """Writes one kernel's body with loops over threads."""

    def __init__(self, body: str, parameters: Sequence[Declarator], threads: int) -> None:
        self.body = body
        self.tokens = (*statement_tokens(body), Token("mark_", "", len(body), len(body)))
        self.threads = threads
        self.parameters = [parameter.name for parameter in parameters]
        self.scopes = Scopes(self.tokens, parameters, len(self.tokens))
        self.kept: dict[int, Variable] = {}
        self.given: set[int] = set()  # parameters whose values as arguments nobody uses
        if any(token.text in ("#", "goto", "asm", "__asm__") for token in self.tokens):
            raise Unsupported("a directive or jump")

    def kernel(self) -> str:
        """The body of the kernel."""
        tree = parse_statement(self.tokens, 0)
        begin = "::accache_cpu::Block &block_ = ::accache_cpu::this_block();"
        if not self._waits(tree):
            changed = [v.name for v in self.scopes.variables if v.role != "uniform"]
            return f"{{ {begin} {self._each(changed, self.body)} }}"
        if any(token.text in _JUMPS for token in self.tokens):
            raise Unsupported("return")
        parts = self._statements(tree.parts, tree.first, tree.end)
        first = [v for v in self.kept.values() if v.place is None and v.number not in self.given]
        copied = "".join(f"f_.{v.slot}[thread_] = {v.name};" for v in first)
        start = self._each([], f"{{ {copied} }}") if copied else ""
        return f"{{ {begin} {self._frame()} {start} {parts} }}"

    def _waits(self, statement: Statement) -> bool:
        """Whether a statement is one of those that all threads of the block execute together."""
        own = self.tokens[statement.first : statement.end]
        has_barrier = any(token.text == BARRIER or EXCHANGE.fullmatch(token.text) for token in own)
        return has_barrier or jumps_out(self.tokens, statement)

    def _each(self, copied: Sequence[str], body: str, below: str = "") -> str:
        """The call that runs a block statement for all threads; it may change its own copies of some variables.

        ``below`` is a limit of threadIdx.x from which on it does nothing.
        """
        captures = ", ".join(("&", *copied))
        mutable = " mutable" if copied else ""
        call = f"each_below({below}, " if below else "each("
        return f"block_.{call}[{captures}](const uint3 threadIdx, const unsigned thread_){mutable} {body});"

    def _frame(self) -> str:
        """The memory for what threads keep from part to part."""
        if not self.kept:
            return ""
        members = "".join(
            f"{variable.declared.type} {variable.slot}[{self.threads}]{variable.declared.dimensions};"
            for variable in self.kept.values()
        )
        return f"struct Frame_ {{ {members} }}; Frame_ &f_ = block_.memory<Frame_>({self.threads});"

    def _statements(self, statements: Sequence[Statement], first: int, end: int) -> str:
        """The statements of one scope around barriers, which lie between the tokens ``first`` and ``end - 1``."""
        variables: dict[int, tuple[Variable, ...]] = {}
        for statement in statements:
            if statement.kind == "plain":
                variables[statement.first] = self.scopes.declare(statement, end)
        written: list[str] = []
        run: list[Statement] = []
        last = first + 1
        for statement in statements:
            if statement.kind != "shared" and not self._waits(statement):
                run.append(statement)
                continue
            written += [self._run(run, variables, end), self._gap(run[-1].end if run else last, statement.first)]
            run, last = [], statement.end
            written.append(self._around_barrier(statement))
        written += [self._run(run, variables, end), self._gap(run[-1].end if run else last, end - 1)]
        return "".join(written)

    def _gap(self, before: int, first: int) -> str:
        return self.body[self.tokens[before - 1].end : self.tokens[first].start]

    def _text(self, first: int, end: int) -> str:
        return self.body[self.tokens[first].start : self.tokens[end - 1].end] if end > first else ""

    def _around_barrier(self, statement: Statement) -> str:
        """A statement with a barrier in it."""
        if statement.kind == "barrier":
            return ";"
        if statement.kind == "exchange":
            return self._exchange(statement)
        if statement.kind == "shared":
            return self._text(statement.first, statement.end)
        if statement.kind == "block":
            return f"{{{self._statements(statement.parts, statement.first, statement.end)}}}"
        if statement.kind == "for":
            return self._for(statement)
        if statement.kind == "do":
            return f"do {self._scope(statement.parts[0])} while ({self._condition(statement, *statement.header[0])});"
        if statement.kind in ("while", "if"):
            parts = " else ".join(self._scope(part) for part in statement.parts)
            return f"{statement.kind} ({self._condition(statement, *statement.header[0])}) {parts}"
        if statement.kind == "plain" and statement.end == statement.first + 2:  # break, continue
            return self._text(statement.first, statement.end)
        raise Unsupported(statement.kind)

    def _exchange(self, statement: Statement) -> str:
        """``accache_cpu_reduce<...>(value);``: the values of all threads are combined at once."""
        place = statement.end - 3
        variable = self.scopes.seen(self.tokens[place].text, place)
        if variable is None or variable.role != "kept":
            raise Unsupported("a reduction")
        self._keep(variable)
        routine = self.tokens[statement.first].text.removeprefix("accache_cpu_")
        arguments = self._text(statement.first + 1, place - 1)
        return f"::accache_cpu::{routine}{arguments}(f_.{variable.slot});"

    def _is_among_lanes(self, place: int) -> bool:
        """Whether ``accache_cpu_reduce_x<Combine, 32, 4>`` stands at a place: each row of the block is a warp's."""
        if self.tokens[place].text != "accache_cpu_reduce_x":
            return False
        _, lanes, *rows = separated(self.tokens, place + 2, angles_end(self.tokens, place + 1))
        return self._text(*lanes) == str(_WARP) and any(self._text(*extent) != "1" for extent in rows)

    def _scope(self, statement: Statement) -> str:
        """What a loop or a condition commands, as a block."""
        if statement.kind == "block":
            return self._around_barrier(statement)
        return f"{{ {self._statements((statement,), statement.first - 1, statement.end + 1)} }}"

    def _for(self, loop: Statement) -> str:
        variables, is_uniform = self.scopes.declare_header(loop)
        start, condition, step = loop.header
        if is_uniform:
            written = "; ".join(self._text(*part) for part in loop.header)
            return f"for ({written}) {self._scope(loop.parts[0])}"
        for variable in variables:
            self._keep(variable)
        saved = "".join(f" f_.{variable.slot}[thread_] = {variable.name};" for variable in variables)
        begin = self._part(*start, f"{self._text(*start)};{saved}", variables)
        asked = self._condition(loop, *condition) if condition[1] > condition[0] else ""
        again = self._part(*step, f"{self._text(*step)};", ())[:-1] if step[1] > step[0] else ""
        return f"{{ {begin} for (; {asked}; {again}) {self._scope(loop.parts[0])} }}"

    def _condition(self, statement: Statement, first: int, end: int) -> str:
        """The condition of a statement with barriers in it, about which all threads agree.

        Warps that only combine the values of their own lanes may go ways of their own, which loops over threads cannot.
        """
        changes = self.scopes.uses.changes
        if any(self.scopes.uses.changed_in(name, first, end) for name in changes):
            raise Unsupported("a condition that changes variables")
        if self.scopes.is_uniform(first, end):
            return self._text(first, end)
        if any(self._is_among_lanes(place) for place in range(statement.first, statement.end)):
            raise Unsupported("warps that need not agree")
        bound = self._bindings(first, end, ())
        line = "block_.agree([&](const uint3 threadIdx, const unsigned thread_)"
        return f"{line} {{ {bound} return bool({self._text(first, end)}); }})"

    def _run(self, run: Sequence[Statement], variables: dict[int, tuple[Variable, ...]], scope_end: int) -> str:
        """Statements without barriers, as a loop over the threads; what is the same for all stands before it."""
        if not run:
            return ""
        first, end = run[0].first, run[-1].end
        self.given |= {v.number for v in self._seen(first, end) if v.place is None and self._gives(run, v, scope_end)}
        before: list[str] = []
        body: list[str] = []
        saved: list[Variable] = []
        last = first
        for statement in run:
            body.append(self._gap(last, statement.first) if last > first else "")
            last = statement.end
            declared = variables.get(statement.first, ())
            if declared and all(variable.role == "uniform" for variable in declared):
                before.append(self._text(statement.first, statement.end))
                continue
            kept = [v for v in declared if v.role == "kept" and self._is_used_outside(v, first, end)]
            saved += [variable for variable in kept if not variable.by_reference]
            for variable in kept:
                self._keep(variable)
            body.append(self._declaration(statement, kept))
        known = tuple(variable for found in variables.values() for variable in found)
        written = "".join(body) + "".join(f" f_.{v.slot}[thread_] = {v.name};" for v in saved)
        loop = self._part(first, end, written, known, run=run) if written.strip() else ""
        return f"{' '.join(before)} {loop}"

    def _declaration(self, statement: Statement, kept: Sequence[Variable]) -> str:
        """A statement; a declaration of variables with an address makes references to what the thread keeps."""
        if not any(variable.by_reference for variable in kept):
            return self._text(statement.first, statement.end)
        found = declarators(self.tokens, statement.first, statement.end - 1)
        if len(found) != len(kept):
            raise Unsupported("a declaration of several kinds")
        written: list[str] = []
        for variable in kept:
            value = self._text(*variable.declared.value)
            declared, name = variable.declared, variable.name
            written.append(f"auto &{name} = f_.{variable.slot}[thread_];")
            if "[]" in declared.dimensions:
                raise Unsupported("an array without a length")
            if value and declared.dimensions:
                copied = f"__builtin_memcpy(&{name}, values_, sizeof values_);"
                written.append(f"{{ {declared.type} values_{declared.dimensions} = {value}; {copied} }}")
            elif value:
                written.append(f"{name} = {value};")
        return " ".join(written)

    def _is_used_outside(self, variable: Variable, first: int, end: int, but: int | None = None) -> bool:
        """Whether a variable is used outside of a half-open range of tokens and of its declaration at ``but``."""
        declaration = parse_statement(self.tokens, but) if but is not None and not first <= but < end else None
        uses = self.scopes.uses
        own = (declaration.first, declaration.end) if declaration else (first, first)
        places = uses.places.get(variable.name, ())
        scope = variable.scope
        return any(
            scope[0] <= place < scope[1] and not first <= place < end and not own[0] <= place < own[1]
            for place in places
        )

    def _part(
        self, first: int, end: int, written: str, known: Sequence[Variable], *, run: Sequence[Statement] = ()
    ) -> str:
        """A loop over the threads that does what is written in a half-open range of tokens, the statements ``run``."""
        declared = {v.number for v in known if v.is_header or (v.place is not None and first <= v.place < end)}
        own = [v for v in self._seen(first, end) if v.number not in declared and self._is_own(v, run)]
        declared |= {variable.number for variable in own}
        bound = "".join(f"{v.declared.type} {v.name}; " for v in own) + self._bindings(first, end, declared)
        changed = "".join(
            f" f_.{v.slot}[thread_] = {v.name};"
            for v in self._seen(first, end)
            if v.number in self.kept and v.number not in declared and not v.by_reference
            if self.scopes.uses.changed_in(v.name, first, end)
        )
        return self._each((), f"{{ {bound}{written}{changed} }}", self._limit(run))

    def _limit(self, run: Sequence[Statement]) -> str:
        """``half`` of a part that is ``if (lane < half) ...`` where ``lane`` is threadIdx.x; else empty."""
        if len(run) != 1 or run[0].kind != "if" or len(run[0].parts) > 1:
            return ""
        first, end = run[0].header[0]
        lane, limit = (self.scopes.seen(self.tokens[place].text, place) for place in (first, end - 1))
        if end != first + 3 or self.tokens[first + 1].text != "<" or lane is None or limit is None:
            return ""
        is_lane = lane.role == "again" and self._text(*lane.declared.value) == "threadIdx.x"
        is_limit = limit.role == "uniform" and lane.declared.type == limit.declared.type == "int"
        return limit.name if is_lane and is_limit else ""

    def _gives(self, run: Sequence[Statement], parameter: Variable, scope_end: int) -> bool:
        """Whether a part gives a parameter a value before any other use, all of which follow in its scope."""
        places = self.scopes.uses.places[parameter.name]
        in_scope = run[0].first <= places[0] and places[-1] < scope_end
        return in_scope and not parameter.by_reference and is_set_first(self.tokens, run, parameter.name)

    def _is_own(self, variable: Variable, run: Sequence[Statement]) -> bool:
        """Whether no value of a variable comes to this part, or leaves it."""
        is_value = variable.role == "kept" and not variable.by_reference and bool(variable.declared.base)
        if not is_value or variable.is_header or not run:
            return False
        if self._is_used_outside(variable, run[0].first, run[-1].end, but=variable.place):
            return False
        first, end = variable.declared.value
        return first == end and is_set_first(self.tokens, run, variable.name)

    def _seen(self, first: int, end: int) -> list[Variable]:
        """The variables of statements around barriers that a half-open range of tokens uses, in their order."""
        found: dict[int, Variable] = {}
        for name, places in self.scopes.uses.places.items():
            for place in places:
                variable = self.scopes.seen(name, place) if first <= place < end else None
                if variable:
                    found[variable.number] = variable
        return [found[number] for number in sorted(found)]

    def _bindings(self, first: int, end: int, declared: Sequence[int] | set[int]) -> str:
        """Declarations of the variables from other parts that a half-open range of tokens uses."""
        needed = {variable.number: variable for variable in self._seen(first, end) if variable.number not in declared}
        waiting = [variable for variable in needed.values() if variable.role == "again"]
        while waiting:
            for variable in self._seen(*waiting.pop().declared.value):
                if variable.number not in needed and variable.number not in declared:
                    needed[variable.number] = variable
                    waiting += [variable] if variable.role == "again" else []
        return "".join(self._binding(needed[number]) for number in sorted(needed))

    def _binding(self, variable: Variable) -> str:
        if variable.role == "uniform":
            return ""
        if variable.role == "again":
            return f"const {variable.declared.type} {variable.name} = {self._text(*variable.declared.value)}; "
        self._keep(variable)
        kind = "auto &" if variable.by_reference else f"{variable.declared.type} "
        return f"{kind}{variable.name} = f_.{variable.slot}[thread_]; "

    def _keep(self, variable: Variable) -> None:
        if not variable.declared.base:
            raise Unsupported("a parameter that changes")
        self.kept[variable.number] = variable
