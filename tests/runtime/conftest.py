"""Builds C programs against the emitted run-time library. Device memory is of its own: a forgotten copy shows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RUNTIME = HERE.parents[1] / "templates" / "runtime"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror")

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Build = Callable[..., Path]
Compile = Callable[..., Path]


def _compile_cuda(source: Path, output: Path, *flags: str) -> Path:
    """Compile a .cu file as C++ against the CUDA runtime in mock/; any warning is an error."""
    include = [f"-I{path}" for path in (HERE / "mock", RUNTIME, HERE)]
    command = ["g++", "-std=c++17", *WARNINGS, *flags, *include, "-x", "c++"]
    subprocess.run([*command, "-c", source, "-o", output], check=True)
    return output


@pytest.fixture(scope="session")
def compile_cuda() -> Compile:
    """Compile a .cu file against the mock, with further flags."""
    return _compile_cuda


@pytest.fixture(scope="session")
def compile_c() -> Compile:
    """Compile C99 host code; any warning is an error."""

    def compile_c(source: Path, output: Path) -> Path:
        subprocess.run(
            ["gcc", "-std=c99", *WARNINGS, f"-I{RUNTIME}", f"-I{HERE}", "-c", source, "-o", output], check=True
        )
        return output

    return compile_c


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two object files that both carry the run-time library, and the library on its own."""
    folder = tmp_path_factory.mktemp("runtime")
    sources = [HERE / "probe.cu", HERE / "other.cu", RUNTIME / "accache_runtime.cu"]
    return {source.stem: _compile_cuda(source, folder / f"{source.stem}.o") for source in sources}


@pytest.fixture
def build(objects: dict[str, Path], compile_c: Compile, tmp_path: Path) -> Build:
    """Make a program from the statements of its main function, linked in the given order."""

    def build(statements: str, order: tuple[str, ...] = ("main", "probe", "other")) -> Path:
        source = tmp_path / "main.c"
        source.write_text(f'#include <stdio.h>\n#include "probe.h"\nint main(void)\n{{\n{statements}\nreturn 0;\n}}\n')
        parts = {**objects, "main": compile_c(source, tmp_path / "main.o")}
        program = tmp_path / "program"
        subprocess.run(["g++", *(parts[name] for name in order), "-o", program], check=True)
        return program

    return build


@pytest.fixture
def run(build: Build) -> Run:
    """Build and run statements; environment variables as keywords."""

    def run(
        statements: str, order: tuple[str, ...] = ("main", "probe", "other"), **environment: str
    ) -> subprocess.CompletedProcess[str]:
        program = build(statements, order)
        return subprocess.run(
            [program], env={**os.environ, **environment}, capture_output=True, text=True, timeout=20, check=False
        )

    return run
