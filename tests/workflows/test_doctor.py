"""What accache doctor says, on machines that have the tools and on machines that do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.cli.main import main
from accache.workflows.doctor import Finding, as_text, examine, healthy


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty PATH to put tools in."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    return tmp_path


def finding(name: str, **how: str) -> Finding:
    return next(finding for finding in examine(**how) if finding.name == name)


def test_an_empty_machine_lacks_a_c_compiler(tools: Path) -> None:
    findings = examine()
    assert [found.name for found in findings if found.found][:1] == ["Python"]
    assert not healthy(findings)
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 1
    assert "'cc' not found: install gcc, or set CC" in result.output


def test_a_c_compiler_is_enough(tools: Path) -> None:
    script(tools / "cc", "echo 'cc (GCC) 13.2.0'; echo Copyright")
    assert finding("C compiler").detail == f"cc (GCC) 13.2.0 ({tools}/cc)"
    assert CliRunner().invoke(main, ["doctor"]).exit_code == 0


def test_cc_may_hold_flags(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tools / "my-cc", 'echo "$* 1.2"')
    assert finding("C compiler", cc="my-cc -m32").detail.startswith("-m32 --version 1.2 (")
    monkeypatch.setenv("CC", "my-cc -m32")
    assert CliRunner().invoke(main, ["doctor"]).exit_code == 0


def test_a_compiler_that_fails_is_not_there(tools: Path) -> None:
    script(tools / "g++", "exit 1")
    assert not finding("C++ compiler").found


def test_nvcc_tells_its_release(tools: Path) -> None:
    script(tools / "nvcc", "echo 'Built on Wed_Aug_20_01:58:59_PM_PDT_2025 1.0'; echo 'tools, release 13.0, V13.0.88'")
    assert finding("nvcc").detail == f"tools, release 13.0, V13.0.88 ({tools}/nvcc)"


def test_each_gpu_is_named(tools: Path) -> None:
    assert not finding("NVIDIA GPU").found
    script(tools / "nvidia-smi", "echo 'H200, 9.0'; echo 'H200, 9.0'")
    assert finding("NVIDIA GPU").detail == "H200, 9.0; H200, 9.0"


def test_text_has_two_lines_a_tool() -> None:
    findings = (Finding("g++", "run", True, "13"), Finding("longer", "see", False, "not found"))
    assert as_text(findings) == ("yes  g++     13\n             to run\n no  longer  not found\n             to see\n")


def test_json_has_an_object_a_tool(tools: Path) -> None:
    findings = json.loads(CliRunner().invoke(main, ["doctor", "--json"]).output)
    assert {"name", "enables", "found", "detail", "required"} == set(findings[0])
