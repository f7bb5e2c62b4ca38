"""What is told of a file that the preprocessor cannot read: how to go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.driver import translate
from accache.frontend.source.complaints import remedy


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("#include <mth.h>", "did you mean 'math.h'?"),
        ('#include "helpr.h"', "did you mean 'helper.h'?"),
        ('#include "cuda/tables.h"', "-I DIR names the folder of 'cuda/tables.h'"),
        ("#inclde <math.h>", "did you mean 'include'?"),
        ("#include math.h", 'write #include <stdio.h> for a header of the system, #include "name.h" for one of yours'),
        ('#error "set N"', "-D NAME=VALUE defines a macro, as for your compiler"),
        ("#if 1", "write #endif where the group ends"),
    ],
)
def test_a_complaint_comes_with_a_remedy(line: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "helper.h").write_text("")
    (tmp_path / "a.c").write_text(f"{line}\nint a;\n")
    with pytest.raises(CompileError) as told:
        translate(str(tmp_path / "a.c"), Options())
    assert [(found.code, found.hint) for found in told.value.diagnostics] == [("ACC103", hint)]


@pytest.mark.parametrize("reason", ["'mth.h' file not found", "fatal error: mth.h: No such file or directory"])
def test_other_compilers_words(reason: str, tmp_path: Path) -> None:
    assert remedy(reason, str(tmp_path / "a.c")) == "did you mean 'math.h'?"


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int a;\n")
    with pytest.raises(CompileError) as told:
        translate(str(tmp_path / "a.c"), Options(cc="no-such-compiler"))
    assert told.value.diagnostics[0].hint == "install a C compiler, or name yours with --cpp or in CC"
