"""Closed forms and comparisons are asked of sympy once, and only for programs with cache directives."""

import os
import subprocess
import sys

import pytest

SOURCE = """
void rows(float *restrict a, const float *restrict b, int n, int times)
{
#pragma acc parallel loop copyin(b[0:n]) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < times; ++k) {
            %s
            for (int j = 0; j <= k; ++j)
                a[i] += b[j] * b[k];
        }
    }
}
"""
EXPLAIN = """
import sys
from accache.cli.main import main
try:
    main(["explain", "-q", "--tune", "off", sys.argv[1]])
except SystemExit as ended:
    assert not ended.code, ended.code
print("sympy" in sys.modules)
"""


@pytest.fixture
def explain(tmp_path):
    """Explain a program in a process of its own: whether that imported sympy, and what it said."""

    def run(directive):
        (tmp_path / "rows.c").write_text(SOURCE % directive)
        environment = {**os.environ, "ACCACHE_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-c", EXPLAIN, tmp_path / "rows.c"]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        *text, asked = found.stdout.splitlines()
        return asked == "True", text

    return run


def test_answers_are_kept(explain):
    (first, text), (second, again) = explain("#pragma acc cache(b[0:64])"), explain("#pragma acc cache(b[0:64])")
    assert (first, second) == (True, False)
    assert text == again
    assert "  loads       n*times*(times + 2) global loads" in "\n".join(text)


def test_a_file_without_directives_never_asks(explain):
    asked, text = explain("")
    assert not asked
    assert "for k in range(0, times)" in "\n".join(text)
