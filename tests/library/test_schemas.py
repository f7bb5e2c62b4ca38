"""The schemas that are shipped describe what is printed and returned: no field is missing, and none is unknown."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from families import some
from schemas import RECORDS, made

import accache
from accache.library.schemas import SCHEMAS

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples").glob("*.c"))
CODES = sorted((ROOT / "tests" / "bad_input" / "codes").glob("*.c"))
RACE = """
int main(void)
{
    int sum[2] = {0, 0};
#pragma acc parallel loop copy(sum)
    for (int i = 0; i < 8; ++i)
        sum[i / 4] += i;
    return 0;
}
"""


def check(name: str, record: object) -> None:
    """Validate a record that has been through JSON."""
    jsonschema.Draft202012Validator(accache.schema(name)).validate(json.loads(json.dumps(record)))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "launch.trace"
    path.write_text("blocksize: 64 1 1\n" + "".join(f"0 0 {128 * line} 4\n" for line in (0, 1, 2, 0, 40, 1)))
    return path


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(accache.schema(name))


def test_every_file_has_a_name() -> None:
    folder = ROOT / "accache" / "library" / "schemas"
    assert {path.name for path in folder.glob("*.json")} == {f"{name}.schema.json" for name in SCHEMAS}


@pytest.mark.parametrize("name", RECORDS)
def test_schemas_follow_their_records(name: str) -> None:
    assert accache.schema(name) == made(name), "write them: python tests/library/schemas.py"


def test_other_schemas_are_refused() -> None:
    with pytest.raises(accache.OptionError, match="diagnostics, explain, model, preload, run, suggest"):
        accache.schema("sarif")


@pytest.mark.parametrize("path", some(SAMPLES, 4), ids=lambda path: path.stem)
@pytest.mark.parametrize("method", ["auto", "rbi"])
def test_explain(path: Path, method: str) -> None:
    record = accache.explain(path, method=method).to_dict()
    check("explain", record)
    assert record["kernels"]


def test_diagnostics() -> None:
    told = []
    for path in CODES[::3]:  # each in its turn is translated by tests/bad_input
        try:
            told += accache.translate(path).diagnostics
        except accache.CompileError as error:
            told += error.diagnostics
    records = json.loads(accache.render(told, "json"))
    check("diagnostics", records)
    assert len({record["code"] for record in records}) > 50


def test_runs() -> None:
    record = accache.run(RACE).to_dict()
    assert record["findings"]
    check("run", record)
    check("run", accache.run(RACE, check=False).to_dict())


def test_models_of_traces(trace: Path) -> None:
    more: dict[str, Any] = {"traffic": True, "distances": True, "without": ["latency"], "mode": "reference"}
    for gpu in ("fermi-16k", "h100"):
        check("model", accache.model(trace=trace, gpu=gpu).to_dict())
        check("model", accache.model(trace=trace, gpu=gpu, **more).to_dict())


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
@pytest.mark.parametrize("by", some(["load", "array", "line"], 3))
def test_models_of_programs(by: str) -> None:
    tiles = [("b", 4096, 1024)]
    found = accache.model(ROOT / "samples" / "jacobi.c", gpu="a100", directives=True, method="rbi", by=by, tiles=tiles)
    check("model", found.to_dict())
    assert {"directives", "kernel", f"by_{by}", "tiles"} <= set(found.to_dict())


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_suggestions() -> None:
    check("suggest", accache.suggest(ROOT / "samples" / "gemm.c").to_dict())


def test_results_come_out_of_other_processes(trace: Path) -> None:
    for result in (accache.explain(RACE), accache.run(RACE), accache.model(trace=trace)):
        assert pickle.loads(pickle.dumps(result)) == result


def changed(record: Any) -> Iterator[Any]:
    """The record with something wrong at each of its fields, whatever their depth, the first of each list."""
    if isinstance(record, dict):
        for name in record:
            without = {key: value for key, value in record.items() if key != name}
            yield without
            yield {**without, f"{name}_": record[name]}
            for part in changed(record[name]):
                yield {**record, name: part}
        return
    if isinstance(record, list):
        for part in changed(record[0]) if record else ():
            yield [part, *record[1:]]
    yield {"not": "this"}


def test_a_wrong_report_is_not_valid() -> None:
    """What is not as it is, is not valid: each field is needed, has a type, and there is no other one."""
    record = accache.explain(ROOT / "samples" / "gemm.c", method="rbi").to_dict()
    validator = jsonschema.Draft202012Validator(accache.schema("explain"))
    wrong = list(changed(copy.deepcopy(record)))
    assert len(wrong) > 100
    assert [part for part in wrong if validator.is_valid(part)] == []
