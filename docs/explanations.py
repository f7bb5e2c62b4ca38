"""Write templates/diagnostics.json: the first paragraph on each code in docs/diagnostics.md, the help in SARIF logs.

python docs/explanations.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "templates" / "diagnostics.json"


def explanations(document: str) -> dict[str, str]:
    """The first paragraph of each entry behind the message that it quotes, without marks."""
    entries = re.split(r"^### (?=ACC\d+$)", document, flags=re.MULTILINE)[1:]
    return {entry[:6]: _plain(_paragraph(entry)) for entry in entries}


def _paragraph(entry: str) -> str:
    paragraphs = re.sub(r"^```.*?^```$", "", entry, flags=re.DOTALL | re.MULTILINE).split("\n\n")[1:]
    told = (part.strip() for part in paragraphs)
    return next(part for part in told if part and not re.match(r"`(error|warning|note): ", part))


def _plain(paragraph: str) -> str:
    linked = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
    return " ".join(linked.replace("`", "").split())


if __name__ == "__main__":
    found = explanations((ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8"))
    TARGET.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
