"""model, sweep and suggest as functions: what the commands print, and what is refused."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import accache as command

import accache

ROOT = Path(__file__).parents[2]
NAIVE = ROOT / "samples" / "cuda" / "naive"
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A launch of two warps that read a few lines, some of them again."""
    path = tmp_path / "launch.trace"
    rows = [f"{thread} 0 {128 * line} 4" for thread in (0, 32) for line in (0, 1, 2, 0, 40, 1)]
    path.write_text("\n".join(("blocksize: 64 1 1", *rows, "")))
    return path


def printed(*words: object) -> str:
    done = command(*words, folder=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_model_is_what_the_command_prints(trace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked = accache.model(trace=trace, gpu="a100", traffic=True, distances=True, without=["latency"])
    assert capfd.readouterr() == ("", "")
    words = ("model", "--trace", trace, "--gpu", "a100", "--traffic", "--distances", "--without", "latency")
    assert f"{asked}\n" == printed(*words)
    assert asked.to_dict() == json.loads(printed(*words, "--json"))
    assert (asked.requests, asked.hits + asked.misses) == (12, 12)
    assert 0 < asked.miss_rate < 1


def test_a_sweep_is_what_the_command_prints(trace: Path) -> None:
    found = accache.sweep(None, {"ways": (1, 2), "size": (8192, 16384)}, trace=trace)
    words = ("--sweep", "ways=1,2", "--sweep", "size=8k,16k")
    assert [model.to_dict() for model in found] == json.loads(printed("model", "--trace", trace, "--json", *words))


def test_threads_model_at_the_same_time(trace: Path) -> None:
    alone = accache.model(trace=trace, gpu="v100").to_dict()
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: accache.model(trace=trace, gpu="v100").to_dict(), range(6)))
    assert found == 6 * [alone]


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"gpu": "h300"}, "gpu"),
        ({"mode": "x"}, "mode"),
        ({"seed": -1}, "seed"),
        ({"seed": 1 << 70}, "seed"),
        ({"without": "latency"}, "without"),
        ({"without": ["luck"]}, "without"),
        ({"shared": 5, "gpu": "v100"}, "shared"),
        ({"shared": 0}, "shared"),
        ({"shared": "8k"}, "shared"),
        ({"shared_per_block": 1 << 20, "gpu": "v100"}, "shared_per_block"),
        ({"registers": 0, "gpu": "v100"}, "registers"),
        ({"registers": 32}, "registers"),
        ({"writes": "never"}, "writes"),
        ({"policies": [("a", "ca")]}, "policies"),
        ({"policies": {"a": "cb"}}, "policies"),
        ({"traffic": 1}, "traffic"),
        ({"by": "file"}, "by"),
        ({"tiles": [("a", 1)]}, "tiles"),
        ({"tiles": [("a", -1, 4)]}, "tiles"),
        ({"tiles": 3}, "tiles"),
        ({"kernel": "k"}, "kernel"),
        ({"arguments": ["7"]}, "arguments"),
        ({"compiling": ["-O3"]}, "compiling"),
        ({"directives": True}, "directives"),
        ({"method": "lru"}, "method"),
        ({"gup": "v100"}, "gup"),
        ({"program": "a.c"}, "trace"),
        ({"program": "a.txt", "trace": None}, "program"),
        ({"program": "a.ptx", "trace": None}, "trace"),
        ({"trace": None}, "program"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], option: str, trace: Path) -> None:
    with pytest.raises(accache.OptionError) as caught:
        accache.model(**{"trace": trace, **options})  # type: ignore[arg-type]
    assert caught.value.option == option


@pytest.mark.parametrize("over", [{"luck": [1]}, {"ways": []}, {"ways": ["x"]}, {"ways": 3}, {"ways": [1, 1]}, [1]])
def test_wrong_sweeps_are_refused(over: object, trace: Path) -> None:
    with pytest.raises(accache.OptionError) as caught:
        accache.sweep(None, over, trace=trace)  # type: ignore[arg-type]
    assert caught.value.option == "over"


def test_what_cannot_be_read_is_a_compile_error(trace: Path) -> None:
    with pytest.raises(accache.CompileError, match="ACC101"):
        accache.model(trace="nowhere")
    with pytest.raises(accache.CompileError, match="ACC810"):
        accache.model(trace=trace, by="array")
    with pytest.raises(accache.CompileError, match="ACC101"):
        accache.suggest("nowhere.cu")


def test_a_block_that_the_gpu_cannot_hold_is_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "large.trace"
    path.write_text("blocksize: 4096 1 1\n0 0 0 4\n")
    with pytest.raises(accache.Error):
        accache.model(trace=path)


@needs_nvcc
def test_suggestions_are_what_the_command_prints(capfd: pytest.CaptureFixture[str]) -> None:
    program = NAIVE / "gemm.cu"
    words = (program, "--gpu", "kepler", "--args", "32")
    found = accache.suggest(program, gpu="kepler", arguments=["32"], compiling=["-O3"])
    assert capfd.readouterr() == ("", "")
    assert f"{found}\n" == printed("suggest", *words, "--", "-O3")
    assert found.to_dict() == json.loads(printed("suggest", *words, "--json", "--", "-O3"))


@needs_nvcc
def test_directives_of_a_sample() -> None:
    found = accache.model(ROOT / "samples" / "jacobi.c", gpu="a100", directives=True, method="rbi")
    assert found.record["directives"][0]["method"] == "rbi"
    assert "cache directives of jacobi" in str(found)


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"gpu": "fermi-16k"}, "gpu"),
        ({"density": -1}, "density"),
        ({"density": "2"}, "density"),
        ({"kernel": None}, "kernel"),
        ({"arguments": "7"}, "arguments"),
        ({"compiling": [7]}, "compiling"),
    ],
)
def test_wrong_options_of_suggest_are_refused(options: dict[str, object], option: str) -> None:
    with pytest.raises(accache.OptionError) as caught:
        accache.suggest("a.cu", **options)  # type: ignore[arg-type]
    assert caught.value.option == option
