"""What the tests of the compiler driver share: a kernel, and how a call ended."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

KERNEL = """\
#include <stdio.h>
static int scaled(const int *from, int *to, int n, int factor)
{
#pragma acc parallel loop copyin(from[0:n]) copyout(to[0:n])
    for (int i = 0; i < n; ++i)
        to[i] = factor*from[i];
    return to[n - 1];
}
"""
"""A function whose kernel gives ``factor`` times the last element; every file may have its own."""


@dataclass(frozen=True)
class Done:
    """How a call ended and what it printed."""

    status: int
    output: str
    errors: str


Compiler = Callable[..., Done]


def run(*command: str, **environment: str) -> str:
    """The output of a program that ends well."""
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
