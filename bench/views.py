"""Of how many kernels in a folder of CUDA programs there is a view, and why there is none of the others.

python bench/views.py FOLDER [-I... -D...]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from accache.base.deep_stack import DEEP_STACK
from accache.base.text import read_source_file
from accache.cuda.instances import launched_arguments
from accache.cuda.text import NoViewError, read_cuda
from accache.cuda.view import view
from accache.frontend.source.preprocess import PreprocessOptions


def main() -> None:
    """Count, and print."""
    folder, *flags = sys.argv[1:]
    options = PreprocessOptions(("cc",), tuple(flags))
    folders = tuple(Path(flag[2:]) for flag in flags if flag.startswith("-I"))
    kernels = views = 0
    reasons: Counter[str] = Counter()
    for path in sorted(Path(folder).rglob("*.cu")):
        cuda = read_cuda(read_source_file(str(path)), folders)
        for kernel in cuda.kernels:
            kernels += 1
            try:
                view(cuda, kernel, launched_arguments(cuda, kernel), options)
                views += 1
            except NoViewError as error:
                reasons[error.reason] += 1
    print(f"{views} of {kernels} kernels have a view")
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")


DEEP_STACK.run(main)
