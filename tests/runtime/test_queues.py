"""Random programs whose constructs go to queues, with the waits they need, against what they do one after the other.

The mock does the work of a queue as late as CUDA may; it ends the program where work meets memory that is gone.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
ARRAYS, LENGTH = 3, 4
SYNC, NOVAL, ALL = -2, -1, -3
DEFAULT = 0  # the queue of async without an argument

Execute = Callable[[list[str]], str]


@dataclass
class Model:
    """What the commands do when each is finished before the next; ``text`` are the commands with their waits."""

    patient: bool = True
    host: list[list[int]] = field(
        default_factory=lambda: [[100 + LENGTH * a + i for i in range(LENGTH)] for a in range(ARRAYS)]
    )
    device: dict[int, list[int]] = field(default_factory=dict)
    regions: list[tuple[int, int]] = field(default_factory=list)
    total: int = 0
    last: dict[object, int] = field(default_factory=dict)  # the queue that worked last with an array or the total
    text: list[str] = field(default_factory=list)

    def after(self, queue: int, *things: object) -> None:
        """Let a queue wait for those that worked with something last."""
        queue = DEFAULT if queue == NOVAL else queue
        for other in {self.last.get(thing, SYNC) for thing in things} - {SYNC, queue}:
            if self.patient:
                self.text.append(f"w {other} {queue} 0")
        self.last |= dict.fromkeys(things, queue)

    def enter(self, queue: int, a: int, _: int) -> None:
        if a not in self.device:
            self.after(queue, a)
            self.device[a] = list(self.host[a])
            self.text.append(f"n {queue} {a} 0")

    def exit(self, queue: int, a: int, _: int) -> None:
        if a in self.device and a not in [mapped for _, mapped in self.regions]:
            self.after(queue, a)
            self.host[a] = self.device.pop(a)
            self.text.append(f"x {queue} {a} 0")

    def upload(self, queue: int, a: int, _: int) -> None:
        if a in self.device:
            self.after(queue, a)
            self.device[a] = list(self.host[a])
            self.text.append(f"u {queue} {a} 0")

    def download(self, queue: int, a: int, _: int) -> None:
        if a in self.device:
            self.after(queue, a)
            self.host[a] = list(self.device[a])
            self.text.append(f"d {queue} {a} 0")

    def kernel(self, queue: int, a: int, b: int) -> None:
        if a in self.device and b in self.device:
            self.after(queue, a, b)
            self.device[a] = [(3 * x + y + 1) % 1000003 for x, y in zip(self.device[a], self.device[b], strict=True)]
            self.text.append(f"k {queue} {a} {b}")

    def sum(self, queue: int, a: int, _: int) -> None:
        if a in self.device:
            self.after(queue, a, "total")
            for value in self.device[a]:
                self.total = (self.total + value) % 1000003
            self.text.append(f"s {queue} {a} 0")

    def begin(self, queue: int, a: int, _: int) -> None:
        if a not in self.device:
            self.after(queue, a)
            self.regions.append((queue, a))
            self.device[a] = list(self.host[a])
            self.text.append(f"r {queue} {a} 0")

    def end(self, *_: int) -> None:
        if self.regions:
            queue, a = self.regions.pop()
            self.after(queue, a)
            self.host[a] = self.device.pop(a)
            self.text.append("e 0 0 0")

    def add(self, _: int, a: int, value: int) -> None:
        self.after(SYNC, a)
        self.host[a][value] += 7
        self.text.append(f"h {a} {value} 7")

    def finish(self) -> str:
        """Close what is open; the output of the program."""
        while self.regions:
            self.end()
        return " ".join(str(value) for row in self.host for value in row) + f" {self.total}"


ACTIONS = ("enter", "exit", "upload", "download", "kernel", "kernel", "kernel", "sum", "begin", "end", "add")
STEPS = st.tuples(
    st.sampled_from(ACTIONS),
    st.sampled_from([SYNC, NOVAL, 0, 1, 1, 2, 2, 7]),
    st.integers(0, ARRAYS - 1),
    st.integers(0, ARRAYS - 1),
)


@pytest.fixture(scope="module")
def execute(compile_cuda: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Execute:
    """Run commands; device memory that queues hold is checked by the mock, all other by the address sanitizer."""
    folder = tmp_path_factory.mktemp("queues")
    compiled = compile_cuda(HERE / "queues.cu", folder / "queues.o", "-fsanitize=address,undefined", "-g")
    subprocess.run(["g++", "-fsanitize=address,undefined", compiled, "-o", folder / "queues"], check=True)

    def execute(commands: list[str]) -> str:
        text = "".join(f"{command}\n" for command in commands)
        quiet = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # programs leave data behind
        program = folder / "queues"
        done = subprocess.run([program], input=text, env=quiet, capture_output=True, text=True, timeout=20, check=False)
        return done.stdout if done.returncode == 0 else f"{done.returncode}: {done.stderr}"

    return execute


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=5, max_size=50))
def test_waits_keep_the_order(execute: Execute, steps: list[tuple[str, int, int, int]]) -> None:
    model = Model()
    for action, queue, first, second in steps:
        getattr(model, action)(queue, first, second)
    expected = model.finish()
    assert execute(model.text) == expected, model.text


def test_without_waits_the_order_is_lost(execute: Execute) -> None:
    patient, hasty = Model(), Model(patient=False)
    for model in (patient, hasty):
        model.begin(7, 0, 0)
        model.enter(7, 1, 0)
        model.kernel(7, 0, 1)
        model.kernel(2, 1, 0)
        model.sum(1, 1, 0)
    assert execute(patient.text) != execute(hasty.text)


def test_memory_lives_until_its_queue_has_come_so_far(execute: Execute) -> None:
    # a region's end frees what a kernel in the same queue uses, and in another queue it would be an error
    assert execute(["r 1 0 0", "k 1 0 0", "e 0 0 0", "w 1 -2 0"]).endswith(" 0")
    assert "not allocated" in execute(["r 1 0 0", "k 2 0 0", "e 0 0 0", "w 1 -2 0", "w 2 -2 0"])
