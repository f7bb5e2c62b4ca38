"""What integer polynomials cost beside sympy, in products not computed before: ``python bench/algebra.py``."""

from __future__ import annotations

import time

from accache.analysis.linearity import algebra, to_sympy
from accache.ir.polynomial import Polynomial

COUNT = 1000


def main() -> None:
    """Print microseconds of CPU for one operation ``p*q - p``, by each."""
    expand = algebra().expand
    i, n, j = map(Polynomial.symbol, "inj")
    pairs = [(i * n + j * k - 1, i - n * k + 2) for k in range(COUNT)]
    theirs = [(to_sympy(p), to_sympy(q)) for p, q in pairs]
    began = time.process_time()
    ours = [p * q - p for p, q in pairs]
    middle = time.process_time()
    found = [expand(p * q - p) for p, q in theirs]
    ended = time.process_time()
    assert all(to_sympy(p) == q for p, q in zip(ours, found, strict=True))
    print(f"polynomials {(middle - began) / COUNT * 1e6:.0f} us, sympy {(ended - middle) / COUNT * 1e6:.0f} us")


if __name__ == "__main__":
    main()
