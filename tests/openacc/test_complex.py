"""Complex numbers in kernels: the cache's methods, nvcc, and what is refused. The programs run with the others."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from families import some
from workshop import Workshop

from accache.base.options import Options
from accache.driver import translate

PROGRAMS = Path(__file__).parent / "programs"
CACHED = PROGRAMS / "complex_cached.c"
KERNEL = """#include <complex.h>
#include <math.h>
struct pair {{ double _Complex z; int n; }};
void f(double _Complex *a, float _Complex *b, double *d, int n)
{{
#pragma acc parallel loop copy(a[0:n], b[0:n], d[0:n])
    for (int i = 0; i < n; ++i) {{
        {body}
    }}
}}
"""


def translated(tmp_path: Path, body: str) -> tuple[str, list[str]]:
    """The kernels of a loop with a body, and why they cannot be joined with their host code."""
    source = tmp_path / "program.c"
    source.write_text(KERNEL.format(body=body))
    done = translate(str(source), Options())
    return done.device, [str(refusal) for refusal in done.refusals]


@pytest.mark.parametrize(("write", "method"), some([*product(["back", "through"], ["rbi", "rbc", "ehc"])], 2))
def test_tiles_hold_complex_numbers(method: str, write: str, workshop: Workshop) -> None:
    options = Options(method=method, write=write)
    kernels = workshop.translation(CACHED, options).device
    assert re.search(r"__shared__ (__align__\(16\) )?accache_complex<float> ", kernels)
    assert "__shared__ accache_complex<double> " in kernels
    workshop.same(CACHED, options, ("300",), seed=3)


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("name", ["complex_cached", "complex_edges", "complex_numbers"])
def test_nvcc_compiles_them(name: str, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "program.cu"
    source.write_text(workshop.translation(PROGRAMS / f"{name}.c", Options()).device)
    command = ["nvcc", "-arch=sm_90", "-c", source, "-o", tmp_path / "program.o"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("body", "printed"),
    [
        ("a[i] = 2.0 * I;", "a[i] = 2.0*accache_complex<double>{0, 1.0F};"),
        ("b[i] = 1.0if;", "b[i] = accache_complex<float>{0, 1.0f};"),
        ("a[i] = 1;", "a[i] = 1;"),
        ("double _Complex z = i; a[i] = z;", "accache_complex<double> z = accache_complex<double>{(double)i, 0};"),
        ("d[i] = a[i] * 2;", "d[i] = (a[i]*2).re;"),
        ("b[i] *= d[i];", "b[i] = (accache_complex<float>)((accache_complex<double>)b[i]*d[i]);"),
        ("b[i] = a[i] + b[i];", "b[i] = a[i] + (accache_complex<double>)b[i];"),
        ("d[i] = sin(a[i]) + cimag(b[i]);", "d[i] = sin(a[i].re) + accache_cimag((accache_complex<double>)b[i]);"),
        ("d[i] = (_Bool)a[i] + (int)b[i];", "d[i] = (bool)a[i] + (int)b[i].re;"),
        ("a[i] = i ? a[i] : 0;", "a[i] = i ? a[i] : accache_complex<double>{0, 0};"),
        ("a[i] = CMPLX(1, d[i]);", "a[i] = accache_complex<double>{(double)1, (double)d[i]};"),
    ],
)
def test_expressions(body: str, printed: str, tmp_path: Path) -> None:
    assert printed in translated(tmp_path, body)[0]


def test_what_is_joined_has_no_complex_numbers(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(
        "typedef double _Complex number;\nvoid f(number *a, int n)\n{\n"
        "#pragma acc parallel loop copy(a[0:n])\n    for (int i = 0; i < n; ++i)\n        a[i] *= a[i];\n}\n"
    )
    done = translate(str(source), Options())
    assert done.joined is None
    assert [found.code for found in done.refusals] == ["ACC512"]
    assert "typedef accache_complex<double> number;" in done.device


def test_other_programs_do_not_carry_them(tmp_path: Path) -> None:
    device, _ = translated(tmp_path, "")
    assert "accache_complex" in device
    source = tmp_path / "real.c"
    source.write_text("void f(float *a)\n{\n#pragma acc serial copy(a[0:1])\n    a[0] = 1;\n}\n")
    assert "accache_complex" not in translate(str(source), Options()).device


def test_scalars_are_passed_by_address(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(
        "void f(double _Complex *a, double _Complex z, int n)\n{\n"
        "#pragma acc parallel loop copy(a[0:n])\n    for (int i = 0; i < n; ++i)\n        a[i] *= z;\n}\n"
    )
    done = translate(str(source), Options())
    assert "void f_L3(int n, double _Complex *a, double _Complex *z);" in done.host
    assert "f_L3(n, a, &z);" in done.host
    assert "f_L3(int n, accache_complex<double> *a, accache_complex<double> *z)" in done.device


def test_a_conversion_to_float_rounds_without_the_checker(workshop: Workshop) -> None:
    source = workshop.folder / "rounded.c"
    source.write_text(
        "#include <complex.h>\n#include <stdio.h>\nint main(int argc, char **argv)\n{\n"
        "    double _Complex r, z = argc / 3.0 + argc / 7.0 * I;\n"
        "#pragma acc serial copyout(r)\n    {\n        float _Complex small = z;\n        r = small;\n    }\n"
        '    printf("%a %a\\n", creal(r), cimag(r));\n    return 0;\n}\n'
    )
    assert workshop.run(source, Options(), check=False).stdout == workshop.sequential(source)


def test_a_header_may_define_a_function_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("static inline int conj(int x) { return x + 1; }\n")
    source = tmp_path / "program.c"
    source.write_text(
        '#include "own.h"\nvoid f(int *a)\n{\n#pragma acc serial copy(a[0:1])\n    a[0] = conj(a[0]);\n}\n'
    )
    assert "a[0] = conj_device(a[0]);" in translate(str(source), Options()).device
