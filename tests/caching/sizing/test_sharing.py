"""What a block shares; rate, offset and extent come from sympy, once, and only for cache directives."""

import os
import subprocess
import sys

import pytest
from plans import dimension_text, each_decision, plans

SOURCE = """
void smooth(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop copyin(b[0:n]) copyout(a[0:n])
    for (int i = 2; i < n - 2; ++i) {
        %s
        a[i] = b[i - 2] + b[i] + b[i + 2];
    }
}
"""
TRANSLATE = """
import sys
from accache.cli.main import main
try:
    main(["translate", "-q", "--tune", "off", "-o", sys.argv[1], sys.argv[2]])
except SystemExit as ended:
    assert not ended.code, ended.code
print("sympy" in sys.modules)
"""


@pytest.fixture
def translate(tmp_path):
    """Translate a file in a process of its own: whether that imported sympy, and the files it made."""

    def run(directive):
        (tmp_path / "smooth.c").write_text(SOURCE % directive)
        out = tmp_path / "out.cu"
        command = [sys.executable, "-c", TRANSLATE, out, tmp_path / "smooth.c"]
        environment = {**os.environ, "ACCACHE_CACHE_DIR": str(tmp_path / "cache")}
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return found.stdout.split()[-1] == "True", out.read_text()

    return run


def test_a_directives_algebra_is_kept(translate):
    first, second = translate("#pragma acc cache(b[i - 2:5])"), translate("#pragma acc cache(b[i - 2:5])")
    assert (first[0], second[0]) == (True, False)
    assert first[1] == second[1]
    assert "b_tile[260]" in first[1]  # 5 + 255


def test_a_file_without_directives_never_asks(translate):
    assert not translate("")[0]


def sharing(kernel, number):
    """Each dimension of a tile, and what keeps the block from sharing it."""
    decision = kernel.decisions[number]
    if decision.tile is None:
        return [f"no tile: {decision.reason}"]
    obstacle = f", since {decision.share_obstacle}" if decision.share_obstacle else ""
    return [f"one for the {decision.tile.scope}{obstacle}", *map(dimension_text, decision.tile.range.dimensions)]


@pytest.mark.parametrize("case", plans(__file__, "sharing"), ids=str)
def test_what_a_block_shares(case, update_golden):
    case.holds(each_decision(case, sharing), update_golden)
