"""The value of a report's formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping

LANGUAGE = {"ceil": math.ceil, "max": max, "min": min, "sum": sum, "range": range}


def evaluate(formula: str, values: Mapping[str, int]) -> int:
    """The value of a formula of a report, which is a Python expression; the formula is one of a whole number."""
    found = eval(formula, {"__builtins__": {}, **LANGUAGE, **values})
    assert found == int(found)
    return int(found)
