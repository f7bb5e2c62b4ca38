"""Whatever a caller gives: a result or an exception of the library's own, and no other one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import accache
from accache.l1.sweeps import SWEPT
from accache.library.inputs import RunOptions, TranslationOptions
from accache.library.modelling import ModelOptions

PROGRAM = "void f(void)\n{\n}\n"
SAMPLES = ("", "rbi", "-DN=3", "-I", "a\0", "\ud800", "\udcff", "'", "h100", "64", "a\nb", "none")
TEXTS = st.sampled_from(SAMPLES) | st.text()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner, inner, inner) | st.dictionaries(TEXTS, inner, max_size=2)
    ),
    max_leaves=4,
)
TRACE = "blocksize: 64 1 1\n0 0 0 4\n0 0 8192 4\n"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trace") / "launch.trace"
    path.write_text(TRACE)
    return path


@pytest.mark.parametrize("option", ["name", *TranslationOptions.__annotations__])
@settings(max_examples=25)
@given(value=VALUES)
def test_translate(option: str, value: object) -> None:
    assume(option != "cc" or not isinstance(value, str) or value in SAMPLES)  # a text of cc is a command, which is run
    with suppress(accache.Error):
        accache.translate(PROGRAM, **{option: value})  # type: ignore[arg-type]


@settings(max_examples=100)
@given(program=VALUES)
def test_programs(program: object) -> None:
    with suppress(accache.Error):
        accache.translate(program)  # type: ignore[arg-type]


WRONG = ("check", "seed", "stdin", "timeout", "arguments", *RunOptions.__annotations__)


@pytest.mark.parametrize("option", WRONG)
@settings(max_examples=25)
@given(value=VALUES)
def test_run(option: str, value: object) -> None:
    """The program is none, so that nothing is compiled."""
    with pytest.raises(accache.Error):
        accache.run("nowhere.cu", **{option: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("option", [*ModelOptions.__annotations__, "program"])
@settings(max_examples=25)
@given(value=VALUES)
def test_model(option: str, value: object, trace: Path) -> None:
    with suppress(accache.Error):
        accache.model(**{"trace": trace, option: value})  # type: ignore[arg-type]


@settings(max_examples=50)
@given(over=VALUES | st.dictionaries(st.sampled_from(SWEPT), VALUES))
def test_sweep(over: object, trace: Path) -> None:
    with suppress(accache.Error):
        accache.sweep(None, over, trace=trace)  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["kernel", "arguments", "compiling", "gpu", "density"])
@settings(max_examples=25)
@given(value=VALUES)
def test_suggest(option: str, value: object) -> None:
    with pytest.raises(accache.Error):
        accache.suggest("nowhere.cu", **{option: value})  # type: ignore[arg-type]


@given(name=VALUES)
def test_schema_and_render(name: object) -> None:
    for function in (accache.schema, lambda form: accache.render((), form)):
        with suppress(accache.Error):
            function(name)  # type: ignore[arg-type, operator]
