"""The runner of suites whose files say in their names what is wrong with them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import check_runner
import pytest
from check_runner import Row, has_main, judge, kinds_of, words_of

from accache.base.diagnostics import CompileError, Reporter


@pytest.mark.parametrize(
    ("name", "kinds", "expected"),
    [
        ("race_block", ["race"], Row("race_block.cu", "right", "race")),
        ("race_block", [], Row("race_block.cu", "missed")),
        ("norace_block", ["race"], Row("norace_block.cu", "false alarm", "race")),
        ("push_cond", [], Row("push_cond.cu", "right")),
        ("push_boundsBug", ["index", "out-of-bounds"], Row("push_boundsBug.cu", "right", "index out-of-bounds")),
    ],
)
def test_a_verdict(name: str, kinds: list[str], expected: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_runner, "build_cuda", lambda *_, **__: SimpleNamespace(program=None))
    found = SimpleNamespace(findings=[SimpleNamespace(kind=kind) for kind in kinds])
    monkeypatch.setattr(check_runner, "run", lambda *_, **__: found)
    assert judge(tmp_path / f"{name}.cu", tmp_path, (), [[]], 2) == expected


def test_the_table_and_the_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(path: str, *_: object, **__: object) -> SimpleNamespace:
        if "texture" in path:
            raise CompileError(Reporter().fail("ACC950", what="textures", name="tex2D").diagnostics)
        return SimpleNamespace(program=None)

    for name in ("race_a", "norace_a", "norace_texture"):
        (tmp_path / f"{name}.cu").write_text("int main() {}\n")
    (tmp_path / "kernels.cu").write_text("void part();\n")
    monkeypatch.setattr(check_runner, "build_cuda", build)
    monkeypatch.setattr(check_runner, "run", lambda *_, **__: SimpleNamespace(findings=[]))
    monkeypatch.setattr(sys, "argv", ["check_runner.py", str(tmp_path), f"--table={tmp_path / 'table.txt'}"])
    assert check_runner.main() == 1
    printed = capsys.readouterr().out
    assert "with a fault: 1 missed\nwithout one: 1 right, 1 refused\n" in printed
    assert [line.split("\t")[:2] for line in (tmp_path / "table.txt").read_text().splitlines()] == [
        ["norace_a.cu", "right"], ["norace_texture.cu", "refused"], ["race_a.cu", "missed"],
    ]  # fmt: skip


def test_main_may_stand_in_a_header(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "host.h").write_text('#pragma once\n#include "main.h"\n')
    (tmp_path / "include" / "main.h").write_text('#include "host.h"\nint main() {}\n')
    (tmp_path / "kernel.cu").write_text("#include <cstdio>\n  # include <host.h>\n")
    (tmp_path / "part.cu").write_text('#include "other.h"\n')
    assert has_main(tmp_path / "kernel.cu", [tmp_path / "include"])
    assert not has_main(tmp_path / "kernel.cu", [])
    assert not has_main(tmp_path / "part.cu", [tmp_path / "include"])


def test_headers_that_include_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "one.cu").write_text('#include "two.h"\n')
    (tmp_path / "two.h").write_text('#include "one.cu"\n')
    assert not has_main(tmp_path / "one.cu", [])


def test_each_way_to_call_a_program_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "graph.egr").touch()
    monkeypatch.chdir(tmp_path)
    ways = [words_of("graph.egr 2 'a b'"), words_of("")]
    assert ways == [[str(tmp_path / "graph.egr"), "2", "a b"], []]
    tried: list[tuple[list[str], int, Path]] = []

    def run(_: object, arguments: list[str], seed: int, directory: Path, **__: object) -> SimpleNamespace:
        tried.append((arguments, seed, directory))
        return SimpleNamespace(findings=[SimpleNamespace(kind=f"race{len(tried)}")])

    monkeypatch.setattr(check_runner, "run", run)
    program: Any = None
    assert kinds_of(program, ways, 2, tmp_path) == ["race1", "race2", "race3", "race4"]
    assert tried == [(arguments, seed, tmp_path) for arguments in ways for seed in range(2)]
