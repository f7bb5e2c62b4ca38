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
    "ACC105": Message(
        "warning",
        "this directive stands in an included file and is not translated",
        "translate the file that holds the code, or move the code into this one",
    ),
    # 2xx: directives
    "ACC201": Message("error", "unknown directive 'acc {name}'", "{hint}"),
    "ACC202": Message("error", "clause '{clause}' is not allowed on 'acc {directive}'", "{hint}"),
    "ACC203": Message("error", "expected {expected} before {found}"),
    "ACC207": Message("error", "no statement follows here", "the directive applies to the statement after it"),
    "ACC208": Message(
        "error",
        "cannot tell where this statement ends: '{name}' hides a part of it in a macro",
        "write the statement out, or put braces around it",
    ),
    "ACC209": Message(
        "error",
        "this statement starts and ends in different #if groups",
        "repeat the whole statement in each group",
    ),
    "ACC210": Message(
        "error",
        "'acc {text}' comes from inside a macro that makes more than this directive",
        "write the directive with #pragma, or in a macro of its own",
    ),
    "ACC211": Message("error", "this directive stands outside of any function"),
    "ACC212": Message("error", "unknown clause '{clause}' on 'acc {directive}'", "{hint}"),
    "ACC213": Message("error", "'{name}' needs at least one {item} in its parentheses"),
    "ACC214": Message("error", "clause '{clause}' appears twice on 'acc {directive}'", "keep one of them"),
    "ACC215": Message("error", "clause '{clause}' takes no argument"),
    "ACC216": Message("error", "'{word}' is not a {role}", "{hint}"),
    "ACC217": Message("error", "'acc {directive}' needs at least one of the clauses {clauses}"),
    "ACC218": Message("error", "clauses '{first}' and '{second}' contradict each other", "keep one of them"),
    "ACC219": Message("error", "this '{bracket}' has no partner"),
    "ACC220": Message("error", "'{clause}' takes {expected}, not {count}"),
}
