"""Programs as they would be if nobody had written a cache directive."""

from __future__ import annotations

import re

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+acc[ \t]+cache\b(?:[^\n]*\\\r?\n)*[^\n]*$", re.M)


def without_cache_directives(text: str) -> str:
    r"""C with nothing in the place of its cache directives; all else keeps its line.

    >>> without_cache_directives("a\n#pragma acc cache(b[0:1], \\\n c[0:1])\nd\n")
    'a\n\n\nd\n'
    """
    return _DIRECTIVE.sub(lambda found: "\n" * found[0].count("\n"), text)
