"""Writes a C program with every form of the atomic construct, for one type of number.

Each form has a place ``x[k]`` of its own and does the same in every iteration, so that neither what is left there
nor the sum of what was captured depends on the order.
"""

from __future__ import annotations

from dataclasses import dataclass

INTEGERS = ("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
            "unsigned long", "long long", "unsigned long long")  # fmt: skip
TYPES = ("_Bool", *INTEGERS, "float", "double")
CAPTURED = ("unsigned char", "int", "long", "double")


@dataclass(frozen=True)
class Form:
    """A construct: its clause, its statement with ``{x}`` and ``{v}``, the value before, and how many iterations."""

    clause: str
    statement: str
    start: str = "1"
    times: int = 90


def _updates(operator: str, value: str) -> tuple[str, ...]:
    forms = (f"{{x}} {operator}= {value}", f"{{x}} = {{x}} {operator} {value}")
    return forms if operator in ("<<", ">>") else (*forms, f"{{x}} = {value} {operator} {{x}}")


def _captures(update: str) -> tuple[str, ...]:
    return (f"{{v}} = {update};", f"{{ {{v}} = {{x}}; {update}; }}", f"{{ {update}; {{v}} = {{x}}; }}")


STEPS = ("{x}++", "++{x}", "{x}--", "--{x}")
CHOICES = (
    "{x} = {x} < e ? e : {x}",
    "{x} = {x} > e ? {x} : e",
    "{x} = e <= {x} ? e : {x}",
    "{x} = {x} <= e ? {x} : e",
)


def forms(ctype: str) -> tuple[Form, ...]:
    """The forms that make sense for a type; those that capture only for some types, as they are put together alike."""
    found = [Form("read", "{v} = {x};", "5"), Form("write", "{x} = e;"), Form("capture", "{{ {v} = {x}; {x} = e; }}")]
    found += [Form("", f"{choice};", start) for choice in CHOICES for start in ("1", "5")]
    if ctype in ("float", "double"):
        found += [Form("", f"{{x}} = {call};", "1") for call in ("fmax({x}, e)", "fmin(e, {x})", "fmaxf({x}, 7)")]
    operators = [("+", "e", "1", 20), ("-", "e", "1", 20), ("*", "e", "1", 3), ("/", "e", "54", 2)]
    if ctype not in ("float", "double"):
        operators += [("&", "e", "6", 90), ("|", "e", "8", 90), ("^", "e", "9", 91), ("<<", "1", "1", 5)]
        operators += [(">>", "1", "100", 4)]
    for operator, value, first, times in operators:
        for update in _updates(operator, value):
            start = "1" if update.startswith(f"{{x}} = {value} /") else first
            found.append(Form("update", f"{update};", start, times))
            if ctype in CAPTURED or operator == "+":
                found += [Form("capture", capture, start, times) for capture in _captures(update)]
    for step in STEPS if ctype != "_Bool" else STEPS[:2]:
        found.append(Form("", f"{step};", "60", 50))
        found += [Form("capture", capture, "60", 50) for capture in _captures(step)]
    return tuple(found)


def program(ctype: str, *, in_gang: bool = False) -> str:
    """A program that does all forms and prints, for each, the value left and the sum of the captured ones.

    With ``in_gang`` the places lie in an array of the gang's own.
    """
    chosen = forms(ctype)
    place = "own" if in_gang else "x"
    lines = []
    for k, form in enumerate(chosen):
        statement = form.statement.replace("{{", "{").replace("}}", "}")
        statement = statement.replace("{x}", f"{place}[{k}]").replace("{v}", f"v[{k} * N + i]")
        lines += [f"            if (i < {form.times}) {{", f"#pragma acc atomic {form.clause}".rstrip()]
        lines += [f"                {statement}", "            }"]
    starts = ", ".join(form.start for form in chosen)
    return (_IN_GANG if in_gang else _IN_MEMORY).format(
        type=ctype, count=len(chosen), starts=starts, body="\n".join(lines)
    )


_HEAD = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 100
#define FORMS {count}

int main(void)
{{
    {type} x[FORMS] = {{{starts}}};
    {type} *v = ({type} *)calloc(FORMS * N, sizeof *v);
    {type} e = 3;
"""
_TAIL = """
    for (int k = 0; k < FORMS; ++k) {{
        double sum = 0;
        for (int i = 0; i < N; ++i)
            sum += v[k * N + i];
        printf("%d: %.17g %.17g\\n", k, (double)x[k], sum);
    }}
    return 0;
}}
"""
_IN_MEMORY = (
    _HEAD
    + """
#pragma acc parallel loop vector_length(32) copy(x, v[0:FORMS*N])
    for (int i = 0; i < N; ++i) {{
{body}
    }}
"""
    + _TAIL
)
_IN_GANG = (
    _HEAD
    + """
#pragma acc parallel loop gang vector_length(64) copy(x, v[0:FORMS*N])
    for (int g = 0; g < 1; ++g) {{
        {type} own[FORMS];
#pragma acc loop vector
        for (int k = 0; k < FORMS; ++k)
            own[k] = x[k];
#pragma acc loop vector
        for (int i = 0; i < N; ++i) {{
{body}
        }}
#pragma acc loop vector
        for (int k = 0; k < FORMS; ++k)
            x[k] = own[k];
    }}
"""
    + _TAIL
)
