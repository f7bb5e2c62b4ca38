"""How writes are tracked, whether anything is fetched, and why: small regions, one statement each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accache.report.records import SubarrayReport
from accache.report.text import Report

Explain = Callable[..., Report]

# subarray, body, tracking, whether something is fetched, what the reason says
CASES = (
    ("w[i:1]", "w[i] = c[i];", "owner", False, "asked for"),
    ("w[i:1]", "w[i] += c[i];", "owner", True, ""),
    ("w[i:1]", "w[i] = c[i]; w[i] *= 2;", "owner", False, "no old value is read"),
    ("w[i:1]", "for (int k = 0; k < m; ++k) w[i] += c[i];", "flag", True, ""),
    ("w[i:1]", "w[i] = c[i]; if (c[i] > 0) w[i] = 2;", "owner", False, ""),
    ("w[4*i:4]", "for (int k = 0; k < 4; ++k) w[4*i + k] = c[i];", "whole", False, "asked for"),
    ("w[4*i:4]", "for (int k = 4*i; k <= 4*i + 3; ++k) w[k] = c[i];", "whole", False, ""),
    ("w[4*i:4]", "for (int k = 3; k >= 0; --k) w[4*i + k] = c[i] + w[4*i];", "whole", True, ""),
    ("w[2*i:2]", "if (c[i] > 0) { w[2*i] = 1; w[2*i+1] = 2; } else w[2*i] = w[2*i+1] = 3;", "whole", False, ""),
    ("w[4*i:4]", "for (int k = 0; k < m; ++k) w[4*i + k] = c[i];", "mask", False, "not every element is certain"),
    ("w[4*i:4]", "for (int k = 0; k < 3; ++k) w[4*i + k] = c[i];", "mask", False, "not every element is certain"),
    ("w[4*i:4]", "for (int k = 0; k < 4; ++k) { if (k > m) break; w[4*i + k] = 1; }", "mask", False, "certain"),
    ("w[4*i:4]", "for (int k = 0; k < 4; ++k) { if (k == m) continue; w[4*i + k] = 1; }", "mask", False, "certain"),
    ("w[4*i:2]", "w[4*i] = 1; w[4*i + 1] = 2;", "mask", False, "gaps lie between the subarrays"),
    ("w[2*i:3]", "w[2*i] = w[2*i+1] = w[2*i+2] = 2;", "mask", False, "neighbours share elements"),
    ("w[0:4]", "for (int k = 0; k < 4; ++k) w[k] = m;", "mask", False, "threads share elements"),
    ("w[2*i:2]", "w[2*i] = m; w[2*i+1] = w[2*i];", "whole", False, "no old value is read"),
    ("w[2*i:2]", "w[2*i] = w[2*i+1]; w[2*i+1] = m;", "whole", True, ""),
    ("w[2*i:2]", "int p = 2*i; int q = p + 1; w[q] = m; w[p] = w[q];", "whole", False, ""),
)


def subarray(explain: Explain, text: str, body: str, **options: object) -> SubarrayReport:
    """The report of one subarray of w."""
    report = explain(
        f"""
void f(float *restrict w, const float *restrict c, int n, int m)
{{
#pragma acc parallel loop independent copy(w[0:4*n]) copyin(c[0:n])
    for (int i = 0; i < n; ++i) {{
#pragma acc cache({text})
        {{ {body} }}
    }}
}}
""",
        method="rbi",
        **options,
    )
    return report.kernels[0].subarrays[0]


@pytest.mark.parametrize(("text", "body", "tracking", "fetched", "reason"), CASES)
def test_tracking_and_fetch(text: str, body: str, tracking: str, fetched: bool, reason: str, explain: Explain) -> None:
    found = subarray(explain, text, body, write="back")
    assert (found.policy, found.tracking) == ("back", tracking)
    assert found.loads is not None
    assert (found.loads.after.formula != "0") == fetched
    assert reason in found.policy_reason
    assert (tracking == "mask") == (", but " in found.policy_reason)


@pytest.mark.parametrize(
    ("text", "body", "policy", "tracking"),
    [
        ("w[4*i:4]", "for (int k = 0; k < 4; ++k) w[4*i + k] = c[i] + k;", "back", "whole"),
        ("w[i:1]", "w[i] += 1; if (c[i] > 0) w[i] += 2;", "back", "owner"),
        ("w[2*i:2]", "w[2*i] = w[2*i+1] = 1; if (c[i] > 0) w[2*i] = 2;", "back", "whole"),
        ("w[2*i:2]", "w[2*i] += 1; if (c[i] > 0) w[2*i + 1] += 2;", "through", ""),
        ("w[i:1]", "if (c[i] > 0) w[i] += 2;", "through", ""),
    ],
)
def test_auto_writes_back_what_surely_changes(
    text: str, body: str, policy: str, tracking: str, explain: Explain
) -> None:
    found = subarray(explain, text, body)
    assert (found.policy, found.tracking) == (policy, tracking)


def test_without_sharing_a_thread_may_write_back_what_overlaps(explain: Explain) -> None:
    body = "w[2*i] = w[2*i+1] = w[2*i+2] = 2;"
    assert subarray(explain, "w[2*i:3]", body, write="back", sharing=False).tracking == "whole"


def test_a_gang_writes_its_whole_row(explain: Explain) -> None:
    report = explain("""
void f(float *restrict w, const float *restrict c, int n)
{
#pragma acc parallel loop gang vector_length(64) copy(w[0:100*n]) copyin(c[0:100])
    for (int g = 0; g < n; ++g) {
#pragma acc cache(w[100*g:100])
        {
#pragma acc loop vector
            for (int k = 0; k < 100; ++k)
                w[100*g + k] = c[k];
#pragma acc loop vector
            for (int k = 0; k < 50; ++k)
                w[100*g + k] += w[100*g + 99 - k];
        }
    }
}
""")
    found = report.kernels[0].subarrays[0]
    assert (found.scope, found.policy, found.tracking) == ("block", "back", "whole")
    assert "no old value is read" in found.policy_reason


def test_two_dimensions_are_filled(explain: Explain) -> None:
    report = explain(
        """
void f(float w[40][96])
{
#pragma acc parallel loop collapse(2) copy(w[0:40])
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 32; ++j) {
#pragma acc cache(w[2*i:2][3*j:3])
            for (int p = 0; p < 2; ++p)
                for (int q = 0; q < 3; ++q)
                    w[2*i + p][3*j + q] = p + q;
        }
}
""",
        method="rbi",
    )
    found = report.kernels[0].subarrays[0]
    assert (found.method, found.tracking) == ("rbi", "whole"), found.reason
