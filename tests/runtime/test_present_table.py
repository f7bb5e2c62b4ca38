"""Random directive sequences, run by machine.c, against a model of the present table in OpenACC's own terms."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accache.base.resources import templates
from accache.cpu import build as cpu

HERE = Path(__file__).parent
LENGTH = 12
ELEMENT = 4


class Action(IntEnum):
    CREATE = 0
    COPYIN = 1
    COPYOUT = 2
    COPY = 3
    PRESENT = 4
    NO_CREATE = 5
    DELETE = 6


@dataclass(frozen=True)
class Command:
    verb: str
    start: int = 0
    length: int = 1
    action: Action = Action.CREATE
    flag: int = 0  # finalize or if_present

    def __str__(self) -> str:
        return f"{self.verb} {self.start} {self.length} {int(self.action)} {self.flag}"


class ProgramError(Exception):
    """What the standard calls a run-time error."""


@dataclass
class Block:
    """Present data; None is a value nobody wrote."""

    start: int
    values: list[int | None]
    structured: int = 0
    dynamic: int = 0

    @property
    def end(self) -> int:
        return self.start + len(self.values)


@dataclass
class Model:
    host: list[int | None] = field(default_factory=lambda: [100 + i for i in range(LENGTH)])
    blocks: list[Block] = field(default_factory=list)
    regions: list[list[tuple[Command, Block]]] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    def look_up(self, c: Command) -> Block | None:
        touching = [b for b in self.blocks if c.start < b.end and b.start < c.start + c.length]
        if not touching:
            return None
        if len(touching) == 1 and touching[0].start <= c.start and c.start + c.length <= touching[0].end:
            return touching[0]
        raise ProgramError("only partly present")

    def tell(self, what: str, length: int) -> None:
        self.events.append(f"{what} a {length * ELEMENT}")

    def upload(self, c: Command, b: Block) -> None:
        b.values[c.start - b.start : c.start - b.start + c.length] = self.host[c.start : c.start + c.length]
        self.tell("upload", c.length)

    def download(self, c: Command, b: Block) -> None:
        self.host[c.start : c.start + c.length] = b.values[c.start - b.start : c.start - b.start + c.length]
        self.tell("download", c.length)

    def find_or_create(self, c: Command) -> Block:
        b = self.look_up(c)
        if b is None:
            b = Block(c.start, [None] * c.length)
            self.blocks.append(b)
            self.tell("create", c.length)
            if c.action in (Action.COPY, Action.COPYIN):
                self.upload(c, b)
        return b

    def delete(self, b: Block) -> None:
        self.blocks.remove(b)
        self.tell("delete", len(b.values))

    def begin(self, _: Command) -> None:
        self.regions.append([])

    def map(self, c: Command) -> str:
        if not self.regions:
            raise ProgramError("outside every data region")
        if c.length == 0:
            return "null"
        b = self.look_up(c)
        if b is None and c.action is Action.PRESENT:
            raise ProgramError("present: a is not present")
        if b is None and c.action is Action.NO_CREATE:
            return "host"
        b = self.find_or_create(c)
        b.structured += 1
        self.regions[-1].append((c, b))
        return f"{b.start - c.start} {b.end - c.start}"

    def end(self, _: Command) -> None:
        if not self.regions:
            raise ProgramError("never entered")
        region = self.regions.pop()
        for _, b in region:
            b.structured -= 1
        for c, b in region:
            if b.structured + b.dynamic == 0 and c.action in (Action.COPY, Action.COPYOUT):
                self.download(c, b)
        for b in sorted(self.blocks, key=lambda b: b.start):
            if b.structured + b.dynamic == 0:
                self.delete(b)

    def enter(self, c: Command) -> None:
        if c.length:
            self.find_or_create(c).dynamic += 1

    def exit(self, c: Command) -> None:
        b = self.look_up(c) if c.length else None
        if b is None or b.dynamic == 0:
            return
        b.dynamic = 0 if c.flag else b.dynamic - 1
        if b.structured + b.dynamic == 0:
            if c.action is Action.COPYOUT:
                self.download(c, b)
            self.delete(b)

    def to_device(self, c: Command) -> None:
        self._update(c, self.upload)

    def to_host(self, c: Command) -> None:
        self._update(c, self.download)

    def _update(self, c: Command, transfer: Callable[[Command, Block], None]) -> None:
        if c.length == 0:
            return
        b = self.look_up(c)
        if b is None and not c.flag:
            raise ProgramError("is not present on the device")
        if b is not None:
            transfer(c, b)

    def host_add(self, c: Command) -> None:
        value = self.host[c.start]
        self.host[c.start] = None if value is None else value + 1000

    def device_add(self, c: Command) -> None:
        b = self.look_up(Command("", c.start, 1))
        if b is None:
            raise ProgramError("is not present")
        value = b.values[c.start - b.start]
        b.values[c.start - b.start] = None if value is None else value + 1000000


def sections(verb: str, actions: list[Action], shortest: int = 0) -> st.SearchStrategy[Command]:
    return st.integers(0, LENGTH - 1).flatmap(
        lambda start: st.builds(
            Command,
            st.just(verb),
            st.just(start),
            st.integers(shortest, LENGTH - start),
            st.sampled_from(actions),
            st.sampled_from([0, 0, 1]) if verb == "exit" else st.sampled_from([1, 1, 1, 0]),
        )
    )


def reuse(commands: list[Command], choices: list[int]) -> list[Command]:
    """Give most commands the section of an earlier one, so that data is found again instead of being partly present."""
    first = [(0, 5), (5, 3), (8, 4), (1, 2)]
    return [
        Command(c.verb, *first[choice % 4], c.action, c.flag) if choice < 28 else c
        for c, choice in zip(commands, choices, strict=True)
    ]


COMMANDS = st.one_of(
    st.just(Command("begin")),
    sections("map", [a for a in Action if a is not Action.DELETE]),
    sections("map", [Action.COPY, Action.COPYOUT, Action.CREATE, Action.NO_CREATE]),
    st.just(Command("end")),
    sections("enter", [Action.CREATE, Action.COPYIN]),
    sections("exit", [Action.COPYOUT, Action.DELETE]),
    sections("to_device", [Action.CREATE]),
    sections("to_host", [Action.CREATE]),
    sections("host_add", [Action.CREATE], shortest=1),
    sections("device_add", [Action.CREATE], shortest=1),
)


@st.composite
def programs(draw: st.DrawFn) -> list[Command]:
    """Command lists of which only the last may be an error: the program would not live to see what follows it."""
    commands = draw(st.lists(COMMANDS, min_size=8, max_size=60))
    commands = reuse(commands, draw(st.lists(st.integers(0, 31), min_size=len(commands), max_size=len(commands))))
    stop_at_error = draw(st.integers(0, 9)) == 0
    model, kept = Model(), [Command("begin")]
    model.begin(kept[0])
    for c in commands:
        try:
            getattr(model, c.verb)(c)
        except ProgramError:
            if stop_at_error:
                return [*kept, c]
            continue
        kept.append(c)
    return kept


@pytest.fixture(scope="module", params=["mock", "cpu"])
def machine(
    request: pytest.FixtureRequest,
    objects: dict[str, Path],
    compile_c: Callable[[Path, Path], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """machine.c on the mock CUDA runtime, and on the one that runs emitted programs on a CPU."""
    folder = tmp_path_factory.mktemp("machine")
    if request.param == "mock":
        program = folder / "machine"
        main = compile_c(HERE / "machine.c", folder / "machine.o")
        subprocess.run(["g++", main, objects["probe"], "-o", program], check=True)
        return program
    return cpu.build(
        (HERE / "probe.cu").read_text(),
        (HERE / "machine.c").read_text(),
        folder,
        optimise="-O0",
        device_flags=["-DACCACHE_CPU"],
        include=[HERE, templates() / "runtime"],
    ).executable


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_random_programs_agree_with_the_model(machine: Path, program: list[Command]) -> None:
    result = subprocess.run(
        [machine],
        input="".join(f"{c}\n" for c in program),
        env={**os.environ, "ACCACHE_NOTIFY": "2"},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    model, error = Model(), ""
    lines = iter(result.stdout.splitlines())
    for c in program:
        try:
            shown = getattr(model, c.verb)(c) or ""
        except ProgramError as e:
            error = str(e)
            break
        words = next(lines).split()
        assert " ".join(words[:-LENGTH]) == shown, c
        for seen, expected in zip(words[-LENGTH:], model.host, strict=True):
            assert expected is None or int(seen) == expected, c
    # Of memory that no kernel has written, since there are none, a plain run warns.
    messages = [line for line in result.stderr.splitlines() if not line.startswith("accache-cpu: warning:")]
    assert result.returncode == (1 if error else 0)
    if error:
        assert error in messages.pop()
    assert [message.removeprefix("accache: ").split(" bytes")[0] for message in messages] == model.events
