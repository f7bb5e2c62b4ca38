"""The JSON schemas of what results print and give, one file each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from accache.base.options import refuse_other

SCHEMAS = ("diagnostics", "explain", "model", "preload", "run", "suggest")


def schema(name: str) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of one of SCHEMAS.

    ``diagnostics`` is that of ``render(..., "json")``, ``preload`` that of ``accache preload --json``, the others
    are those of ``to_dict`` of the functions' results.

    Raises:
        OptionError: there is no such schema.
    """
    refuse_other("name", name, SCHEMAS)
    text = Path(__file__).with_name(f"{name}.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
