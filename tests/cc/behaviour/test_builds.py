"""The projects in samples/make and samples/cmake, and projects like them, built by make and by CMake."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PRINTED = "sum 1.000, highest 0.049\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the samples, with the commands accache and accache-cc on the path."""
    commands = tmp_path / "bin"
    commands.mkdir()
    tools = {
        f"accache-gcc-{name}": f'-c "from accache.cc.binutils import {name}; {name}()"' for name in ("ar", "ranlib")
    }
    for name, words in {"accache": "-m accache", "accache-cc": "-m accache cc", **tools}.items():
        script = commands / name
        script.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} {words} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    for variable in ("CC", "CFLAGS", "ACCACHE_CC", "ACCACHE_TARGET", "MAKEFLAGS"):
        monkeypatch.delenv(variable, raising=False)
    for folder in ("make", "cmake"):
        shutil.copytree(ROOT / "samples" / folder, tmp_path / folder)
    return tmp_path


def need(*tools: str) -> None:
    for tool in tools:
        if not shutil.which(tool):
            pytest.skip(f"needs {tool}")


def run(*command: str | Path, at: Path) -> str:
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_make_builds_and_builds_again_what_changed(project: Path) -> None:
    need("make", "g++")
    folder = project / "make"
    assert "warning" not in run("make", "-j2", at=folder).replace("warning: 'from[i-1:3]' is not cached", "")
    assert run("./smooth", at=folder) == PRINTED
    assert "up to date" in run("make", at=folder)
    header = folder / "smooth.h"
    header.write_text(header.read_text() + "enum { NEW = 1 };\n")
    again = run("make", at=folder)
    assert again.count("accache-cc") == 3
    run("make", "clean", at=folder)
    assert sorted(path.name for path in folder.iterdir()) == ["Makefile", "main.c", "nvcc.mk", "smooth.c", "smooth.h"]


@pytest.mark.nvcc
def test_make_translates_for_nvcc(project: Path) -> None:
    need("make", "nvcc")
    folder = project / "make"
    run("make", "-f", "nvcc.mk", at=folder)
    assert (folder / "smooth-cuda").exists()
    assert "up to date" in run("make", "-f", "nvcc.mk", at=folder)


def test_cmake_with_accache_as_the_compiler(project: Path) -> None:
    need("cmake", "make", "g++")
    folder = project / "cmake"
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={folder / 'accache-toolchain.cmake'}"
    run("cmake", "-G", "Unix Makefiles", "-B", "build", toolchain, at=folder)
    built = run("cmake", "--build", "build", "--verbose", at=folder)
    assert "accache-cc" in built
    assert run("build/smooth", at=folder) == PRINTED


def test_cmake_optimises_at_link_time(project: Path) -> None:
    need("cmake", "make", "g++", "gcc-ar")
    folder = project / "cmake"
    options = ("-DCMAKE_C_COMPILER=accache-cc", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON")
    lists = folder / "CMakeLists.txt"
    checked = "include(CheckIPOSupported)\ncheck_ipo_supported(LANGUAGES C)\nset(sources "
    lists.write_text(lists.read_text().replace("set(sources ", checked, 1))
    run("cmake", "-G", "Unix Makefiles", "-B", "build", *options, at=folder)
    assert "-flto" in run("cmake", "--build", "build", "--verbose", at=folder)
    assert run("build/smooth", at=folder) == PRINTED


def test_cmake_with_accache_for_one_target(project: Path) -> None:
    need("cmake", "make", "g++")
    folder = project / "cmake"
    run("cmake", "-G", "Unix Makefiles", "-B", "build", at=folder)
    built = run("cmake", "--build", "build", "--verbose", at=folder)
    assert "--accache-launch" in built
    assert run("build/smooth", at=folder) == PRINTED
