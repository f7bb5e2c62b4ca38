"""Variables of PTX by the names that a program gives them."""

from __future__ import annotations

import pytest

from accache.ptx.text.names import variable_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("a", "a"),
        ("_ZZ6kernelPfE1W", "W"),
        ("_ZZ14main_L7_kernelPfPKfE5table_0", "table"),
        ("_ZZN2ns6kernelEPfE1W", "W"),
        ("_ZN2ns1aE", "_ZN2ns1aE"),
        ("_ZZ6kernelPfE9W", "_ZZ6kernelPfE9W"),
    ],
)
def test_a_local_variable_loses_its_function(symbol: str, name: str) -> None:
    assert variable_name(symbol) == name
