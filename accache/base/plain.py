"""Records as the types of JSON."""

from __future__ import annotations

import json
from typing import Any

from msgspec import to_builtins


def plain(value: object) -> Any:
    """Structs and dataclasses as dictionaries, tuples as lists: what a reader of their JSON gets.

    >>> plain(((1, 2), {"a": ()}))
    [[1, 2], {'a': []}]
    """
    return json.loads(json.dumps(to_builtins(value)))
