"""Programs with their cache directives deleted, and the options to translate them with."""

from __future__ import annotations

import re
from dataclasses import replace

from accache.base.options import Options
from accache.driver import translate
from accache.workflows.without_directives import without_cache_directives
from matrix.builder import Program
from matrix.harness import Case

OPTIONS = (
    Options(auto_cache=True, tune="off", coarsen="off"),
    Options(auto_cache=True),
    Options(auto_cache=True, method="rbc", coarsen="off"),
)
"""Every tile that saves loads; what pays; every candidate, with comparisons."""
SUFFIX = "bare"


def bare(program: Program) -> Program:
    """The program under another name and without its cache directives."""
    name = program.name + SUFFIX
    text = re.sub(rf"\b{program.name}(?![0-9A-Za-z])", name, without_cache_directives(program.text))
    return replace(program, name=name, text=text, cached=False)


def kernels(path: str, options: Options) -> list[tuple[list[str], str]]:
    """The parameters and the body of each kernel, without what depends on lines and on the first use of names."""
    text = re.sub(r"_L\d+", "", translate(path, options).device)
    found = re.findall(r"^[^\n]*__global__[^\n]*\n.*?^}", text, re.M | re.S)
    parts = (kernel.split("\n", 1) for kernel in found)
    return [(sorted(re.split(r"[(),] *", head)), body) for head, body in parts]


def bare_cases(program: Program) -> list[Case]:
    """The program without its directives, by all ways to translate it."""
    return [Case(bare(program), options) for options in OPTIONS]
