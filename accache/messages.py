"""Every message accache can print, once, under its code.

Codes: 1xx reading C, 2xx directives, 3xx loops and kernels, 4xx the cache directive,
5xx output, 6xx tools on this machine. docs/diagnostics.md explains each one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """A message template; ``text`` and ``hint`` hold str.format placeholders."""

    severity: str
    text: str
    hint: str = ""


MESSAGES: dict[str, Message] = {
    # 1xx: reading C
    "ACC101": Message("error", "cannot read '{name}': {reason}"),
    "ACC102": Message("error", "'{name}' is {language}; accache reads C", "translate the C parts of the program"),
    "ACC103": Message("error", "the preprocessor failed: {reason}"),
    "ACC104": Message("error", "{reason}"),
    # 2xx: directives
    "ACC201": Message("error", "unknown directive 'acc {name}'", "{hint}"),
    "ACC202": Message("error", "clause '{clause}' is not allowed on 'acc {directive}'", "{hint}"),
    "ACC203": Message("error", "expected {expected} before {found}"),
}
