"""Programs of the machine as C: a routine for each function, in which every block stands twice.

The first text of a block is for a warp whose lanes are all here, the second for some of them.
"""

from __future__ import annotations

from accache.ptx.machine.c_steps import LOOP, step
from accache.ptx.machine.c_values import holds, read, write
from accache.ptx.machine.program import (
    ENDS,
    MEETINGS,
    Barrier,
    Branch,
    Call,
    Choose,
    Compute,
    Exit,
    External,
    Guard,
    Match,
    Pack,
    Program,
    Reduce,
    Return,
    Routine,
    Shuffle,
    Step,
    Trap,
    Unpack,
    Vote,
    WarpBarrier,
)
from accache.ptx.rules.types import TYPES

_U8, _U32, _U64 = TYPES["u8"], TYPES["u32"], TYPES["u64"]
_FULL = "for (u32 l = 0; l < LANES; l++)"
_SOME = "for (u32 l = 0; l < LANES; l++) if (m >> l & 1)"
_RECURSIVE_DEPTH = 512
_RECURSIVE_BYTES = 1 << 16


def to_c(program: Program, functions: str, machine: str) -> str:
    """The C of a program, between two texts of runtime/: ``machine`` needs its tables."""
    parts = [functions, _tables(program), machine]
    for number, routine in enumerate(program.routines):
        parts.append(_frame(routine, number))
    for number, routine in enumerate(program.routines):
        parts.append(_Routine(program, routine, number).text())
    names = ", ".join(f"routine_{number}" for number in range(len(program.routines)))
    parts.append(f"static Routine *const RUN[ROUTINES] = {{ {names} }};\n")
    return "\n".join(parts)


def _frame(routine: Routine, number: int) -> str:
    registers = "".join(
        f"    u{8 * type_.bytes} r{index}[LANES] __attribute__((aligned(64)));\n"
        for index, type_ in enumerate(routine.registers)
    )
    return (
        f"typedef struct {{\n{registers}    u8 arguments[LANES][{max(16, routine.argument_bytes)}] "
        f"__attribute__((aligned(64)));\n}} Frame_{number};\n"
        f"static Routine routine_{number};\n"
    )


def _frame_sizes(routine: Routine) -> tuple[int, int]:
    """Where the argument area of a frame begins, and the size of a frame: as the C compiler lays them out."""
    offset = 0
    for type_ in routine.registers:
        offset = -(-offset // 64) * 64 + 32 * type_.bytes
    offset = -(-offset // 64) * 64
    return offset, -(-(offset + 32 * max(16, routine.argument_bytes)) // 64) * 64


def _tables(program: Program) -> str:
    routines = program.routines
    sites, ranges, site_of = _sites(program)
    parameters = [routine.parameters + routine.results for routine in routines]
    starts = [sum(map(len, parameters[:number])) for number in range(len(routines))]
    depth = _RECURSIVE_DEPTH if _calls(program) else 1
    barriers = [int(isinstance(found.action, WarpBarrier)) for found in program.steps]
    return "\n".join(
        (
            f"#define ROUTINES {len(routines)}",
            f"#define MAX_DEPTH {depth}",
            f"#define LOCAL_BYTES {local_bytes(program)}",
            "typedef struct { u32 offset, bytes; } Bytes;",
            "typedef struct { u32 arguments, argument_count, results, result_count; } Site;",
            _array("u32", "FIRST_PC", [routine.first_pc for routine in routines]),
            _array("u32", "LAST_PC", [routine.first_pc + len(routine.steps) for routine in routines]),
            _array("u32", "LOCAL_FRAME", [routine.frame_bytes for routine in routines]),
            _array("u32", "ARGUMENT_BYTES", [max(16, routine.argument_bytes) for routine in routines]),
            _array("u32", "ARGUMENTS_AT", [_frame_sizes(routine)[0] for routine in routines]),
            _array("u32", "FRAME_BYTES", [_frame_sizes(routine)[1] for routine in routines]),
            _array("u32", "PARAMETER_COUNT", [len(routine.parameters) for routine in routines]),
            _array("u32", "PARAMETERS_AT", starts),
            _array("Bytes", "PARAMETERS", [_pair(found) for found in sum(parameters, ())]),
            _array("Bytes", "CALL_RANGES", [_pair(found) for found in ranges]),
            _array("Site", "SITES", sites),
            _array("u32", "SITE_OF", site_of),
            _array("u8", "WARP_BARRIER", barriers),
        )
    )


def _calls(program: Program) -> bool:
    return any(isinstance(found.action, Call) for found in program.steps)


def local_bytes(program: Program) -> int:
    """How much local memory a thread has: what the kernel needs, or much where functions may call each other."""
    return _RECURSIVE_BYTES if _calls(program) else max(16, program.kernel.frame_bytes)


def _pair(found: tuple[int, int]) -> str:
    return f"{{{found[0]}, {found[1]}}}"


def _array(type_: str, name: str, values: list[int] | list[str]) -> str:
    text = ", ".join(map(str, values)) or ("{0}" if type_ in ("Bytes", "Site") else "0")
    return f"static const {type_} {name}[] = {{ {text} }};"


def _sites(program: Program) -> tuple[list[str], list[tuple[int, int]], list[int]]:
    """The table of calls, the ranges of their arguments and results, and each step's place in the table."""
    sites: list[str] = []
    ranges: list[tuple[int, int]] = []
    site_of = []
    for found in program.steps:
        site_of.append(len(sites))
        if isinstance(found.action, Call):
            arguments, results = found.action.arguments, found.action.results
            first = len(ranges)
            sites.append(f"{{{first}, {len(arguments)}, {first + len(arguments)}, {len(results)}}}")
            ranges += [*arguments, *results]
    return sites, ranges, site_of


def block_leaders(routine: Routine) -> list[int]:
    """The indices of steps of a routine with which a block begins, in order."""
    steps = routine.steps
    found = {0}
    for index, here in enumerate(steps):
        action = here.action
        if isinstance(action, Branch):
            found.add(action.target)
        elif isinstance(action, Choose):
            found.update(action.targets)
        if isinstance(action, ENDS):
            found.add(index + 1)
        if isinstance(action, (*MEETINGS, Barrier)):
            found.add(index)
    return sorted(index for index in found if index < len(steps))


class _Routine:
    """Writes the C of one routine."""

    def __init__(self, program: Program, routine: Routine, number: int) -> None:
        self.program = program
        self.routine = routine
        self.number = number
        self.first = routine.first_pc
        self.end = routine.first_pc + len(routine.steps)
        self.leaders = block_leaders(routine)
        self.bodies: list[str] = []

    def text(self) -> str:
        """The whole function."""
        first, end = self.first, self.end
        cases = " ".join(f"case {first + index}: goto B{first + index};" for index in self.leaders)
        blocks = [
            self._block(start, stop) for start, stop in zip(self.leaders, [*self.leaders[1:], end - first], strict=True)
        ]
        return "".join(self.bodies) + (
            f"static int routine_{self.number}(Context *c, Warp *w, u32 depth)\n{{\n"
            f"    Frame_{self.number} *f = frame_of(w, depth, {self.number});\n    u32 M, pc;\nDISPATCH:\n"
            f"    if (!(M = choose(w, depth, {first}, {end}, &pc))) return 0;\n"
            f"    switch (pc) {{ {cases} }}\n    return fail(c, w, BAD_CALL, pc, 0, 0, 0);\n"
            + "".join(blocks)
            + f"B{end}: return fail(c, w, BAD_CALL, {end - 1}, 0, 0, 0);\n}}\n"
        )

    def _block(self, start: int, stop: int) -> str:
        steps = self.routine.steps[start:stop]
        last = steps[-1]
        ends = isinstance(last.action, ENDS)
        body = steps[:-1] if ends else steps
        texts = [self._step(found, self.first + start + index) for index, found in enumerate(body)]
        count = f"c->report->instructions += {len(steps)}u * __builtin_popcount(M);"
        lines = [
            f"B{self.first + start}:",
            self._meeting(steps[0], self.first + start),
            f"    {count} c->report->warp_instructions += {len(steps)}; c->report->arrivals[{self.first + start}]++;",
        ]
        texts = [text for text in texts if text]
        if texts:
            pc = self.first + start
            self.bodies.append(self._body(pc, "full", "", texts, loop=_FULL))
            self.bodies.append(self._body(pc, "some", ", const u32 m", texts, loop=_SOME))
            lines.append(f"    if (M == ALL ? full_{pc}(c, w, f) : some_{pc}(c, w, f, M)) return 1;")
        lines.append(
            "    "
            + (
                self._end(last, self.first + stop - 1)
                if ends
                else self._onward(self.first + stop, self.first + stop - 1)
            )
        )
        return "\n".join(line for line in lines if line) + "\n"

    def _body(self, pc: int, name: str, parameter: str, texts: list[str], *, loop: str) -> str:
        """The steps of a block as a function of its own, which compiles in less time than one large function."""
        mask = "    const u32 m = ALL; (void)m;\n" if not parameter else ""
        lines = "".join(f"    {text.replace(LOOP, loop)}\n" for text in texts)
        return (
            f"RARE int {name}_{pc}(Context *c, Warp *w, Frame_{self.number} *restrict f{parameter})\n{{\n"
            f"{mask}{lines}    return 0;\n}}\n"
        )

    def _step(self, found: Step, pc: int) -> str:
        text = step(found.action, self.routine, pc)
        if not text:
            return ""
        if found.guard is None:
            return f"{{ {text} }}"
        condition = holds(found.guard)
        if isinstance(found.action, (Compute, Pack, Unpack)):
            return text.replace(LOOP, f"{LOOP} if ({condition})")
        take = self._taking_part(found.guard, "m")
        return f"{{ {take} if (t) {{ const u32 m = t; {text.replace(LOOP, _SOME)} }} }}"

    def _taking_part(self, guard: Guard | None, mask: str = "M") -> str:
        """Code for ``t``: those lanes of a mask that take part."""
        if guard is None:
            return f"const u32 t = {mask};"
        lanes = f"true_lanes(f->r{guard.register.number})"
        return f"const u32 t = {mask} & {'~' if guard.is_negated else ''}{lanes};"

    def _meeting(self, found: Step, pc: int) -> str:
        """Wait for the other lanes of a mask."""
        action = found.action
        members = getattr(action, "members", None)
        if not isinstance(action, (WarpBarrier, Shuffle, Vote, Match, Reduce)) or members is None:
            return ""
        return (
            f"    {{ {self._taking_part(found.guard)} u32 members[LANES]; "
            f"{_FULL} members[l] = {read(members, _U32)}; "
            f"if (t && must_wait(w, t, members)) {{ go_to(w, t, {pc}); go_to(w, M & ~t, {pc + 1}); goto DISPATCH; }} "
            "w->parked &= ~M; }"
        )

    def _onward(self, target: int, pc: int) -> str:
        """All lanes of the block go to one step."""
        return f"{self._together(target, pc)} goto B{target}; go_to(w, M, {target}); goto DISPATCH;"

    def _together(self, target: int, pc: int) -> str:
        """Whether the lanes of the block need not be chosen; who goes back often lets others have a turn."""
        turn = " && ++w->turns % TURNS_OF_A_LOOP" if target <= pc else ""
        return f"if (M == here(w, depth){turn})"

    def _end(self, found: Step, pc: int) -> str:
        action, guard = found.action, found.guard
        take = self._taking_part(guard)
        skip = f"go_to(w, M & ~t, {pc + 1});"
        if isinstance(action, Branch):
            return self._branch(action, guard, pc)
        if isinstance(action, (Return, Exit)):
            gone = f"leave(w, t, {self.number});" if isinstance(action, Return) else "w->alive &= ~t;"
            return f"{{ {take} {skip} {gone} }} {self._after()}"
        if isinstance(action, Trap):
            stop = f"if (t) return fail(c, w, TRAPPED, {pc}, __builtin_ctz(t), 0, 0);"
            return f"{{ {take} {stop} }} {self._onward(pc + 1, pc)}"
        if isinstance(action, External):
            body = step(action, self.routine, pc).replace(LOOP, _SOME)
            return f"{{ {take} const u32 m = t; (void)m; {body} }} {self._onward(pc + 1, pc)}"
        if isinstance(action, WarpBarrier):
            return self._onward(pc + 1, pc)
        if isinstance(action, Barrier):
            return f"{{ {take} {skip} {self._barrier(action, pc)} }} goto DISPATCH;"
        if isinstance(action, Choose):
            return f"{{ {take} {skip} {self._choice(action, pc)} }} goto DISPATCH;"
        assert isinstance(action, Call)
        return f"{{ {take} {skip} {self._call(action, pc)} }} return 0;"

    def _after(self) -> str:
        """Where to go on when lanes have left: with others of the function if it is the kernel."""
        return "goto DISPATCH;" if self.number == 0 else "return 0;"

    def _branch(self, action: Branch, guard: Guard | None, pc: int) -> str:
        target = self.first + action.target
        if guard is None:
            return self._onward(target, pc)
        return (
            f"{{ {self._taking_part(guard)} {self._together(target, pc)} {{ if (t == M) goto B{target}; "
            f"if (!t) goto B{pc + 1}; }} go_to(w, t, {target}); go_to(w, M & ~t, {pc + 1}); goto DISPATCH; }}"
        )

    def _barrier(self, action: Barrier, pc: int) -> str:
        number = read(action.number, _U32)
        threads = read(action.threads, _U32) if action.threads is not None else "0"
        first = "const u32 l = __builtin_ctz(m); "
        if not action.reduction:
            return (
                f"const u32 m = t; if (m) {{ {first}arrive(c, w, m, {number}, {threads}, {int(action.waits)}); "
                f"go_to(w, m, {pc + 1}); }}"
            )
        assert action.predicate is not None
        found = {"popc": "w->vote[l]", "and": "w->vote[l] == w->expected[l]", "or": "w->vote[l] != 0"}
        type_ = _U32 if action.reduction == "popc" else _U8
        result = "" if action.result is None else write(action.result, type_, found[action.reduction])
        vote = f"{_SOME} w->vote[l] = {read(action.predicate, _U8)} != 0;"
        return (
            f"{{ const u32 m = t & w->released; {_SOME} {{ {result} }} w->released &= ~m; go_to(w, m, {pc + 1}); "
            f"const u32 rest = t & ~m; {{ const u32 m = rest; if (m) {{ {first}{vote} w->voting |= m; "
            f"arrive(c, w, m, {number}, {threads}, 1); go_to(w, m, {pc}); }} }} }}"
        )

    def _choice(self, action: Choose, pc: int) -> str:
        targets = ", ".join(str(self.first + target) for target in action.targets)
        return (
            f"static const u32 targets[] = {{ {targets} }}; const u32 m = t; {_SOME} {{ "
            f"const u32 i = {read(action.index, _U32)}; "
            f"if (i >= {len(action.targets)}) return fail(c, w, BAD_CALL, {pc}, l, i, 0); w->pc[l] = targets[i]; }}"
        )

    def _call(self, action: Call, pc: int) -> str:
        if isinstance(action.target, int):
            return f"const u32 m = t; {_SOME} if (enter(c, w, {pc}, l, {action.target})) return 1;"
        cases = " ".join(f"case {address:#x}ull: k = {number}; break;" for address, number in self.program.entries)
        return (
            f"const u32 m = t; {_SOME} {{ u32 k; const u64 a = {read(action.target, _U64)}; "
            f"switch (a) {{ {cases} default: return fail(c, w, BAD_CALL, {pc}, l, a, 0); }} "
            f"if (enter(c, w, {pc}, l, k)) return 1; }}"
        )
