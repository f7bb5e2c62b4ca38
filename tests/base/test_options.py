"""Options refuse what they do not know, and list what they do."""

from __future__ import annotations

import pickle

import pytest

from accache.base.options import METHODS, OptionError, Options, default_compiler


@pytest.mark.parametrize(
    ("values", "option", "message"),
    [
        ({"method": "rcb"}, "method", f"'rcb' is not a value of method: {', '.join(METHODS)}"),
        ({"write": "never"}, "write", "'never' is not a value of write: auto, back, through"),
        ({"width": ""}, "width", "'' is not a value of width: auto, kernel-args, sync, fixed"),
        ({"scope": None}, "scope", "None is not a value of scope: auto, private, communicating"),
        ({"tune": "on"}, "tune", "'on' is not a value of tune: model, off"),
        ({"coarsen": 2}, "coarsen", "2 is not a value of coarsen: auto, off, 2,"),
        ({"arch": "sm_banana"}, "arch", "'sm_banana' is not a known architecture: sm_70, "),
        ({"ehc_entries": 0}, "ehc_entries", "0 is not a value of ehc_entries: a number from 1 on"),
        ({"ehc_ways": True}, "ehc_ways", "True is not a value of ehc_ways: a number from 1 on"),
        ({"ehc_ways": "2"}, "ehc_ways", "'2' is not a value of ehc_ways: a number from 1 on"),
        ({"density": "2"}, "density", "'2' is not a value of density: a number from 0 on"),
        ({"sharing": "off"}, "sharing", "'off' is not a value of sharing: True, False"),
        ({"preprocessor": "-DN=3"}, "preprocessor", "'-DN=3' is not a value of preprocessor: a tuple of words"),
        ({"libraries": (1,)}, "libraries", "(1,) is not a value of libraries: a tuple of words"),
        ({"arch": 90}, "arch", "'90' is not a known architecture"),
        ({"cc": "gcc 'x"}, "cc", "is no command for the C compiler"),
        ({"cc": " "}, "cc", "' ' is no command for the C compiler"),
    ],
)
def test_other_values_are_refused(values: dict[str, object], option: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        Options(**values)  # type: ignore[arg-type]
    assert caught.value.option == option
    assert message in str(caught.value)


def test_the_known_values_are_told_to_programs() -> None:
    with pytest.raises(ValueError, match="rcb") as caught:
        Options(method="rcb")
    assert isinstance(caught.value, OptionError)
    assert caught.value.known == METHODS
    with pytest.raises(OptionError) as caught_arch:
        Options(arch="sm_banana")
    assert "sm_90" in caught_arch.value.known


def test_the_error_comes_out_of_another_process_as_it_went_in() -> None:
    error = OptionError("no", "method", METHODS)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.option, copy.known) == ("no", "method", METHODS)


def test_architectures_with_suffixes_are_known() -> None:
    assert Options(arch="sm_90a").arch == "sm_90a"


def test_the_compiler_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "clang -m64")
    assert default_compiler() == "clang -m64"
    monkeypatch.delenv("CC")
    assert default_compiler() == "cc"
