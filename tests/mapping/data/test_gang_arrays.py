"""Nests whose levels accache chooses, around what each gang has one copy of."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
typedef struct {{ int number, value[20]; }} Row;
void f(int n, const int (*restrict a)[20], int (*restrict b)[20])
{{
    int own[20] = {{0}};
    Row r = {{0}};
#pragma acc parallel {clause} copyin(a[0:n]) copy(b[0:n])
    {{
        {before}
#pragma acc loop {outer}
        for (int i = 0; i < n; ++i) {{
#pragma acc loop {inner}
            for (int j = 0; j < 20; ++j) {{ {body} }}
        }}
        {after}
    }}
}}
"""
AFTER = """
#pragma acc loop
for (int i = 0; i < n; ++i) b[i][1] = r.value[1];
"""


def has_several_rows(folder: Path, body: str, **words: str) -> bool:
    source = folder / "a.c"
    parts = {"clause": "private(own, r)", "before": "", "outer": "", "inner": "", "after": ""} | words
    source.write_text(PROGRAM.format(body=body, **parts))
    return "threadIdx.y" in translate(str(source), Options(runtime=False)).device


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("own[j] = a[i][j]; b[i][j] = own[j];", {}),
        ("own[j] = a[i][j]; b[i][j] = own[j];", {"clause": "firstprivate(own)"}),
        ("int *p = &own[j]; *p = a[i][j]; b[i][j] = *p;", {}),
        ("row[j] = a[i][j]; b[i][j] = row[j];", {"before": "int *row = own;"}),
        ("mine[j] = a[i][j]; b[i][j] = mine[j];", {"before": "int mine[20];"}),
        ("r.value[j] = a[i][j]; b[i][j] = r.value[j];", {"after": AFTER}),
    ],
    ids=["private", "firstprivate", "address", "pointer", "declared", "structure"],
)
def test_a_block_has_one_row_where_a_gang_changes_its_own(body: str, words: dict[str, str], tmp_path: Path) -> None:
    assert not has_several_rows(tmp_path, body, **words)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("b[i][j] = own[j] + a[i][j];", {"clause": "firstprivate(own)"}),
        ("r.value[j] = a[i][j]; b[i][j] = r.value[j];", {}),
        ("int mine[20]; mine[j] = a[i][j]; b[i][j] = mine[j];", {}),
    ],
    ids=["read", "one loop's", "the iterations' own"],
)
def test_a_block_has_several_rows_otherwise(body: str, words: dict[str, str], tmp_path: Path) -> None:
    assert has_several_rows(tmp_path, body, **words)
