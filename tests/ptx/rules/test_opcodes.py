"""Each instruction that computes in a lane, on edge cases and random values, against Python's numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from engines import both, kernel, launch, needs_compiler
from numpy.typing import NDArray
from opcode_cases import FLOAT_CASES, INTEGER_CASES, Case

from accache.ptx.rules.opcodes import RULES

THREADS = 48
_NUMPY = {"f16": "f2", "f32": "f4", "f64": "f8", "pred": "u1", "shift": "u4"}
_HELD = {1: "h", 2: "h", 4: "r", 8: "rd"}
_COLUMNS = 4  # different inputs of a type, for a, b, c and d


def dtype(type_: str) -> np.dtype[Any]:
    return np.dtype(_NUMPY.get(type_) or f"{'i' if type_[0] == 's' else 'u'}{int(type_[1:]) // 8}")


def inputs(type_: str, column: int) -> NDArray[Any]:
    """Values for the threads: all pairs of edge cases early, then random ones."""
    rng = np.random.default_rng([ord(letter) for letter in type_] + [column])
    kind = dtype(type_)
    if type_ == "pred":
        return rng.integers(0, 2, THREADS).astype(kind)
    if type_ == "shift":
        edges = [0, 1, 31, 32, 33, 63, 64, 65, 255, 16, 8]
        return (
            np.array((edges * 5)[column : column + THREADS], kind)
            if column % 2
            else rng.integers(0, 70, THREADS).astype(kind)
        )
    if kind.kind == "f":
        tiny = float(np.finfo(kind).tiny)
        edges = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.5,
            2.5,
            -2.5,
            math.inf,
            -math.inf,
            math.nan,
            tiny,
            tiny / 4,
            3e9,
            -7e4,
            0.3,
            3.7,
        ]
        values = rng.normal(0, 1, THREADS) * 2.0 ** rng.integers(-10, 11, THREADS)
        values[:32] = np.roll(np.repeat(edges, 2) if column % 2 else edges * 2, 3 * column)
        with np.errstate(over="ignore"):  # halves have no such numbers
            return values.astype(kind)
    limits = np.iinfo(kind)
    numbers = [0, 1, 2, int(limits.max), int(limits.min), int(limits.max) - 1, 5, 127, 100, 3, int(limits.max) // 2, 7]
    edges = np.array(numbers, kind)
    raw = rng.integers(limits.min, limits.max, THREADS, dtype=kind, endpoint=True)
    raw[:24] = np.roll(np.repeat(edges, 2) if column % 2 else np.tile(edges, 2), column)
    return raw


def register(type_: str, number: int) -> str:
    if type_ == "pred":
        return f"%p{number}"
    return f"%{_HELD[dtype(type_).itemsize]}{number}"


class Layout:
    """Where inputs and results of all cases lie in the one array of a kernel."""

    def __init__(self, cases: list[Case]) -> None:
        self.pieces: list[NDArray[Any]] = []
        self.places: dict[tuple[str, int], int] = {}
        self.end = 0
        for case in cases:
            for column, type_ in enumerate(case.operands):
                if (type_, column) not in self.places:
                    self.places[type_, column] = self._add(inputs(type_, column))
        self.results = [self._add(np.zeros(THREADS, dtype(case.result))) for case in cases]

    def _add(self, values: NDArray[Any]) -> int:
        place = self.end
        padded = np.zeros(-(-values.nbytes // 8) * 8, np.uint8)
        padded[: values.nbytes] = values.view(np.uint8)
        self.pieces.append(padded)
        self.end += len(padded)
        return place


def instruction(case: Case, layout: Layout, number: int) -> str:
    """Load operands, compute, store the result."""
    lines = []
    for column, type_ in enumerate(case.operands):
        size = dtype(type_).itemsize
        target = register("u8" if type_ == "pred" else type_, column + 5)
        lines.append(f"ld.global.u{8 * size} {target}, [%rd{40 + size}+{layout.places[type_, column]}];")
        if type_ == "pred":
            lines.append(f"setp.ne.b16 %p{column + 5}, {target}, 0;")
    names = {
        letter: register(type_, column + 5)
        for column, (letter, type_) in enumerate(zip("abcd", case.operands, strict=False))
    }
    result = register(case.result, 2)
    plain = f"{case.name} {result}, {', '.join(names.values())};"
    lines.append(case.text.format(r=result, **names) if case.text else plain)
    size = dtype(case.result).itemsize
    if case.result == "pred":
        lines.append(f"selp.u16 %h2, 1, 0, {result};")
        result = "%h2"
    lines.append(f"st.global.u{8 * size} [%rd{40 + size}+{layout.results[number]}], {result};")
    return "\n".join(lines)


def check(case: Case, memory: bytes, layout: Layout, number: int) -> None:
    kind = dtype(case.result)
    found = np.frombuffer(memory, kind, THREADS, layout.results[number])
    columns = [inputs(type_, column) for column, type_ in enumerate(case.operands)]
    known = 0
    for lane in range(THREADS):
        operands = [column[lane].item() for column in columns]
        expected = case.truth(*operands)
        if expected is None:
            continue
        known += 1
        got = found[lane].item()
        if kind.kind == "f":
            assert_close(got, float(expected), kind, case, operands)
        else:
            assert (got - int(expected)) % (1 << 8 * kind.itemsize) == 0, (case.name, operands, got)
    assert known >= THREADS // 4, case.name


def assert_close(got: float, expected: float, kind: np.dtype[Any], case: Case, operands: list[Any]) -> None:
    if math.isnan(expected):
        assert math.isnan(got), (case.name, operands, got)
        return
    tolerance = case.ulps * float(np.spacing(kind.type(abs(expected)))) if math.isfinite(expected) else 0
    same = got == expected and math.copysign(1, got) == math.copysign(1, expected)
    assert same or (case.ulps and abs(got - expected) <= tolerance), (case.name, operands, got, expected)


@needs_compiler
@pytest.mark.parametrize("cases", [INTEGER_CASES, FLOAT_CASES], ids=["integers", "floats"])
def test_instructions_give_what_they_should(cases: list[Case]) -> None:
    layout = Layout(cases)
    addresses = "\n".join(
        f"mul.wide.u32 %rd{40 + size}, %r0, {size};\nadd.u64 %rd{40 + size}, %rd{40 + size}, %rd0;"
        for size in (1, 2, 4, 8)
    )
    text = kernel(addresses + "\n" + "\n".join(instruction(case, layout, number) for number, case in enumerate(cases)))
    (memory,), _, _ = both(text, launch([np.concatenate(layout.pieces)], block=(THREADS, 1, 1)))
    for number, case in enumerate(cases):
        check(case, memory, layout, number)


def test_every_opcode_of_the_table_is_tested() -> None:
    texts = " ".join(f"{case.name} {case.text}" for case in INTEGER_CASES + FLOAT_CASES)
    tested = {word.split(".")[0] for word in texts.split() if "." in word}
    assert set(RULES) - tested == set()
