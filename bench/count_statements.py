"""Count the statements of the samples, as Table 2 of the paper does: OpenACC, OpenACC + cache, CUDA.

What is counted: the function named like the sample in samples/NAME.c, and all of
samples/cuda/NAME.cu, which replaces that function. Input, checking and printing, equal in both,
do not count. One statement is one declaration, expression, return or other statement that ends
in a semicolon, one head of if, for, while or switch, or one directive. "OpenACC" is the same
function with its cache directives taken out.

usage: python bench/count_statements.py
"""

from __future__ import annotations

import re
from pathlib import Path

from accache.workflows.without_directives import without_cache_directives

SAMPLES = ("gemm", "nbody", "jacobi", "stencil")
FOLDER = Path(__file__).resolve().parents[1] / "samples"

COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+acc\b.*$", re.MULTILINE)
PREPROCESSOR = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
HEAD = re.compile(r"\b(?:if|for|while|switch)\b")


def statements(text: str) -> int:
    """How many statements a piece of C or CUDA holds; directives count, other # lines do not.

    >>> statements("for (i = 0; i < n; ++i) { a[i] = 0; }")
    2
    """
    code = COMMENT_OR_STRING.sub(" ", text.replace("\\\n", " "))
    directives = len(DIRECTIVE.findall(code))
    code = PREPROCESSOR.sub("", code)
    depth = ends = 0
    for character in code:
        depth += (character == "(") - (character == ")")
        ends += character == ";" and depth == 0
    return directives + ends + len(HEAD.findall(code))


def function(name: str, text: str) -> str:
    """The definition of a function whose first line starts in column 1 and whose last line is a brace there."""
    found = re.search(rf"^\w[^\n;]*\b{name}\(.*?^}}", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"no function {name}")
    return found.group()


def main() -> None:
    """Print the table."""
    print(f"{'':10}{'OpenACC':>10}{'OpenACC + cache':>18}{'CUDA':>8}")
    for name in SAMPLES:
        openacc = function(name, (FOLDER / f"{name}.c").read_text())
        cuda = (FOLDER / "cuda" / f"{name}.cu").read_text()
        counts = statements(without_cache_directives(openacc)), statements(openacc), statements(cuda)
        print(f"{name:10}{counts[0]:>10}{counts[1]:>18}{counts[2]:>8}")


if __name__ == "__main__":
    main()
