"""Names of variables as a program spells them, from the names that they have in PTX."""

from __future__ import annotations

import re

_LOCAL = re.compile(r"_ZZ.*E(?P<length>\d+)(?P<rest>.*)", re.S)


def variable_name(symbol: str) -> str:
    """The name of a variable without the function that declares it; other names stay.

    >>> [variable_name(name) for name in ("a", "_ZZ6kernelPfE1W", "_ZZ6kernelPfE5table_0", "_ZN2ns1aE")]
    ['a', 'W', 'table', '_ZN2ns1aE']
    """
    found = _LOCAL.fullmatch(symbol)
    name = found["rest"][: int(found["length"])] if found is not None else ""
    return name if found is not None and len(name) == int(found["length"]) else symbol
