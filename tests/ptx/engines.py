"""Kernels of PTX text, run by the reference machine and by machine code; both must leave the same memory."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from accache.base.diagnostics import CompileError
from accache.base.text import SourceFile
from accache.ptx.execute import run
from accache.ptx.machine.launch import Allocation, Launch
from accache.ptx.machine.trace import Records, Trace
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
BASE = 0x7F00_0000_0000
ENGINES = (True, False)
needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")


def kernel(body: str, parameters: str = ".param .u64 out", before: str = "") -> str:
    """A module with one kernel ``k``; ``%rd0`` is the first parameter, ``%r0`` the thread in x."""
    return (
        f"{HEAD}{before}\n.visible .entry k({parameters})\n{{\n"
        ".reg .pred %p<20>;\n.reg .b16 %h<40>;\n.reg .b32 %r<60>;\n.reg .b64 %rd<60>;\n.reg .f32 %f<40>;\n"
        ".reg .f64 %d<40>;\n"
        f"ld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n{body}\nret;\n}}\n"
    )


def module(text: str) -> Module:
    return parse(SourceFile("a.ptx", text))


def launch(
    arrays: Sequence[NDArray[Any]],
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (32, 1, 1),
    shared: int = 0,
    more: Sequence[bytes] = (),
) -> Launch:
    """A launch of ``k`` with pointers to arrays, which lie far from each other, and other arguments."""
    memory = tuple(Allocation(BASE + number * (1 << 24), array.tobytes()) for number, array in enumerate(arrays))
    arguments = (*(struct.pack("<Q", part.address) for part in memory), *more)
    return Launch("k", grid, block, shared, arguments, memory)


def both(text: str, launched: Launch) -> tuple[tuple[bytes, ...], bytes, Records]:
    """Memory, output and accesses after a launch, which must be the same from both machines."""
    found = []
    for interpreter in ENGINES:
        trace = Trace(shared=True)
        after, outcome = run(module(text), launched, interpreter=interpreter, trace=trace)
        assert trace.instructions == outcome.instructions
        found.append((tuple(part.data for part in after), outcome, trace.records()))
    (memory, one, records), (memory_c, other, records_c) = found
    output, output_c = one.output, other.output
    assert one.instructions == other.instructions
    assert output == output_c
    assert_same(records, records_c)
    assert memory == memory_c
    return memory, output, records


def assert_same(one: Records, other: Records) -> None:
    for name in ("pc", "mask", "block", "warp"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    lanes = one.taking_part()
    np.testing.assert_array_equal(one.addresses[lanes], other.addresses[lanes])


def outcomes(text: str, launched: Launch) -> list[tuple[str, int, str]]:
    """What both machines say of a launch that fails: code, line and message of each."""
    found = []
    for interpreter in ENGINES:
        with pytest.raises(CompileError) as error:
            run(module(text), launched, interpreter=interpreter)
        found += [
            (item.code, item.location.line if item.location else 0, item.message) for item in error.value.diagnostics
        ]
    return found
