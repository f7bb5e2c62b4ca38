"""The schemas that follow from records. As a program, it writes those that are shipped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

import accache.library.schemas
from accache.base.diagnostic_formats import DiagnosticRecord
from accache.library.running import RunRecord
from accache.report.records import ReportData
from accache.workflows.preload.report import PreloadRecord

FOLDER = Path(accache.library.schemas.__file__).parent
RECORDS: dict[str, tuple[str, object]] = {
    "diagnostics": ("accache --diagnostics json", Sequence[DiagnosticRecord]),
    "explain": ("accache explain --json", ReportData),
    "preload": ("accache preload --json", PreloadRecord),
    "run": ("accache.run(...).to_dict()", RunRecord),
}
OPEN = ("SubarrayReport",)
"""The records whose words the schemas do not list: another cache method is another word."""


def made(schema: str) -> dict[str, Any]:
    """A schema as the types of a record have it; it knows no other fields."""
    title, record = RECORDS[schema]
    found = msgspec.json.schema(record)
    for name, definition in found["$defs"].items():
        if definition.get("type") == "object":
            definition["additionalProperties"] = False
            definition["required"] = list(definition["properties"])  # defaults are written, too
            for field in definition["properties"].values():
                field.pop("default", None)
                if name in OPEN and field.pop("enum", None):
                    field["type"] = "string"
        if "description" in definition:
            definition["description"] = " ".join(definition["description"].replace("``", "'").split())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **found}


if __name__ == "__main__":
    for each in RECORDS:
        (FOLDER / f"{each}.schema.json").write_text(json.dumps(made(each), indent=2) + "\n")
