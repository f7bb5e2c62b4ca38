"""A program's launch as a memory trace: what ``accache model`` models of a program."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from accache.bypassing.commands import read_compiled, read_input
from accache.bypassing.running import Invocation, first_launch, plain_name
from accache.bypassing.tracing import trace_launch
from accache.bypassing.translating import translated
from accache.diagnostics import Diagnostic, Reporter
from accache.l1.trace import Trace
from accache.ptx.embedding import compile_to_ptx
from accache.ptx.replay import in_module

PURPOSE = "accache model of programs"


def trace_of_program(invocation: Invocation, kernel: str) -> tuple[Trace, tuple[Diagnostic, ...]]:
    """What the first launch of a kernel, of any if it has no name, does to global memory; and what there is to say.

    The program is CUDA (.cu) or C with OpenACC (.c). It runs on this CPU, and the launch on the PTX machine.

    Raises:
        CompileError: the program cannot be read, translated, compiled, run or executed, or launches no such kernel.
    """
    reporter = Reporter()
    name = invocation.name
    read_input(name, reporter)
    told: tuple[Diagnostic, ...] = ()
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        if name.endswith(".c"):
            path, flags, told = translated(name, Path(folder), invocation.flags, invocation.flags)
            invocation = replace(invocation, name=str(path), flags=flags)
        compiled = Path(folder, "program.ptx")
        compile_to_ptx([invocation.name, *invocation.flags], compiled, PURPOSE)
        module = read_compiled(compiled, name)
        captured = in_module(first_launch(invocation, plain_name(kernel), reporter), module)
        return trace_launch(module, captured.launch), (*told, *reporter.diagnostics)
