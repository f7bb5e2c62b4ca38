"""Model the L1 cache for a launch: one cache, or several of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict

from msgspec import Struct, structs

from accache.base.choices import MethodChoice
from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.options import OptionError, refuse_other
from accache.base.plain import plain
from accache.l1.carving import MAX_FETCHED, Tile
from accache.l1.gpus import GPUS, Gpu, gpu_named, with_blocks_of, with_registers, with_shared
from accache.l1.latencies import MAX_SEED
from accache.l1.modes import MODES
from accache.l1.policies import POLICIES, WRITES
from accache.l1.report import as_text
from accache.l1.setups import ABLATIONS
from accache.l1.study import Question, Record, answers
from accache.l1.sweeps import OF_TRAFFIC, SWEPT, Point, Sweep, parse_sweep, points
from accache.l1.tables import GROUPINGS, with_policies
from accache.l1.tools import PLAIN, Tools, compiled_tools
from accache.l1.trace import Trace
from accache.library.inputs import expect, expect_name, expect_number, known_options, path_of, words_of
from accache.library.launches import Launch, Wanted, check, read

if TYPE_CHECKING:
    from typing_extensions import Unpack

Ask = Callable[[Trace, Sequence[Gpu], Question], list[Record]]
_WORDS = ("arguments", "compiling", "without")


class ModelOptions(TypedDict, total=False):
    """What is modelled, and what is told of it (docs/api.md)."""

    gpu: str
    mode: str
    seed: int
    without: Sequence[str]
    shared: int | None
    shared_per_block: int | None
    multiprocessors: int | None
    registers: int | None
    writes: str | None
    policies: Mapping[str, str]
    traffic: bool
    by: str | None
    distances: bool
    tiles: Sequence[tuple[str, int, int]]
    kernel: str
    arguments: Sequence[str]
    compiling: Sequence[str]
    directives: bool
    method: MethodChoice


class Model(Struct, frozen=True):
    """What the L1 caches of multiprocessors do with a launch: requests, each a hit or a miss of a class.

    ``record`` holds all of it by the names that ``accache model --json`` prints.
    """

    name: str
    record: Mapping[str, Any]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def requests(self) -> int:
        """Requests for lines, after coalescing."""
        return int(self.record["requests"])

    @property
    def hits(self) -> int:
        """Requests that the cache serves."""
        return int(self.record["hits"])

    @property
    def misses(self) -> int:
        """Requests that it does not serve."""
        return int(self.record["misses"])

    @property
    def miss_rate(self) -> float:
        """The share of requests that miss, as the mode counts them."""
        return float(self.record["miss_rate"])

    def to_dict(self) -> dict[str, Any]:
        """What ``accache model --json`` prints; ``accache.schema("model")`` describes it."""
        record: dict[str, Any] = plain(self.record)
        return record

    def __str__(self) -> str:
        return as_text(self.record).rstrip("\n")

    def _repr_html_(self) -> str:
        """For notebooks."""
        return str(import_module("accache.library.html").of_model(self))


class Study(Struct, frozen=True):
    """The caches to model, the trace of a launch for each of them, and what is asked.

    Caches have one trace, unless they differ in the number of multiprocessors that blocks are dealt out to.
    """

    traces: tuple[Trace, ...]
    points: tuple[Point, ...]
    gpus: tuple[Gpu, ...]
    question: Question
    diagnostics: tuple[Diagnostic, ...]
    tools: Tools

    def records(self, ask: Ask | None = None) -> list[Record]:
        """The answer for each cache; raises CompileError if the trace does not tell what is asked for.

        ``ask`` finds it for all caches of one trace; else all cores of this machine do.
        """
        found: dict[int, Record] = {}
        for trace in {id(trace): trace for trace in self.traces}.values():
            own = [place for place, known in enumerate(self.traces) if known is trace]
            gpus = [self.gpus[place] for place in own]
            records = ask(trace, gpus, self.question) if ask else answers(trace, gpus, self.question, self.tools)
            found |= zip(own, records, strict=True)
        return [found[place] for place in range(len(self.gpus))]


def model(
    program: str | PathLike[str] | None = None,
    *,
    trace: str | PathLike[str] | None = None,
    **options: Unpack[ModelOptions],
) -> Model:
    """Predict what the L1 cache of a GPU does with a launch, as ``accache model`` does.

    ``program`` is the path of a file: CUDA (.cu) or C with OpenACC (.c), which is run on this CPU, or PTX (.ptx), which
    names the loads of a ``trace``, the path of a memory trace.

    Raises:
        CompileError: a file cannot be read, the program cannot be compiled or run, or the trace does not tell enough.
        OptionError: there is no such option, or it has no such value.
    """
    (found,) = sweep(program, {}, trace=trace, **options)
    return found


def sweep(
    program: str | PathLike[str] | None,
    over: Mapping[str, Sequence[int | str]],
    *,
    trace: str | PathLike[str] | None = None,
    **options: Unpack[ModelOptions],
) -> tuple[Model, ...]:
    """``model`` for every combination of other values of parameters, by the names that ``sweeps.SWEPT`` has.

    The program is run once, or once for each number of ``multiprocessors``. Raises what ``model`` does.
    """
    expect("over", over, isinstance(over, Mapping), "values by names")
    try:
        sweeps = tuple(parse_sweep(f"{name}={','.join(map(str, values))}") for name, values in over.items())
    except (TypeError, ValueError) as error:
        raise OptionError(str(error), "over", SWEPT) from error
    made = study(program, trace, sweeps, options)
    return tuple(Model(made.question.name, record, made.diagnostics) for record in made.records())


def study(
    program: str | PathLike[str] | None,
    trace: str | PathLike[str] | None,
    sweeps: Sequence[Sweep],
    options: Mapping[str, Any],
) -> Study:
    """Read or make the launch, and find the caches; ``sweeps`` are as for ``sweeps.points``. Raises as ``model``."""
    values = {**_DEFAULTS, **known_options(options, ModelOptions.__annotations__)}
    values |= {name: words_of(name, values[name]) for name in _WORDS}
    _check(values)
    names = (None if program is None else path_of(program), None if trace is None else path_of(trace))
    wanted = Wanted(*names, *(values[name] for name in _LAUNCH))
    check(wanted)
    swept = _points(values, sweeps)
    tools, reporter = compiled_tools(), Reporter()
    if tools is None:
        reporter.report("ACC808")
    launches = _launches(wanted, swept, tools, is_dealt="multiprocessors" in dict(sweeps))
    told = [*reporter.diagnostics, *(each for launch in launches.values() for each in launch.diagnostics)]
    tiles, tiled = tuple(Tile(*tile) for tile in values["tiles"]), next(iter(launches.values())).tiled
    question = Question(wanted.name, **{name: values[name] for name in _ASKED}, tiles=tiles, tiled=tiled)
    policies = tuple(values["policies"].items())
    dealt = {number: with_policies(launch.trace, policies, wanted.name) for number, launch in launches.items()}
    traces = tuple(dealt[point.gpu.multiprocessors] for point in swept)
    registers = values["registers"] or next(iter(launches.values())).registers
    gpus = tuple(point.gpu for point in swept)
    gpus = _with_registers(gpus, registers, traces[0].block_threads) if registers else gpus
    gpus = _with_blocks(gpus, values["shared_per_block"], traces[0].block_threads)
    return Study(traces, swept, gpus, question, tuple(dict.fromkeys(told)), tools or PLAIN)


def _launches(wanted: Wanted, swept: Sequence[Point], tools: Tools | None, *, is_dealt: bool) -> dict[int, Launch]:
    """The launch for each number of multiprocessors; ``is_dealt``: these were asked for."""
    found: dict[int, Launch] = {}
    for gpu in (point.gpu for point in swept):
        if gpu.multiprocessors not in found:
            asked = structs.replace(wanted, multiprocessors=gpu.multiprocessors) if is_dealt else wanted
            check(asked)
            found[gpu.multiprocessors] = read(asked, tools, gpu)
    return found


_DEFAULTS: Mapping[str, Any] = {
    "gpu": GPUS[0].name,
    "mode": "paper",
    "seed": 1,
    "without": (),
    "shared": None,
    "shared_per_block": None,
    "multiprocessors": None,
    "registers": None,
    "writes": None,
    "policies": {},
    "traffic": False,
    "by": None,
    "distances": False,
    "tiles": (),
    "kernel": "",
    "arguments": (),
    "compiling": (),
    "directives": False,
    "method": "auto",
}
_ASKED = ("mode", "seed", "without", "traffic", "by", "distances")
_LAUNCH = ("kernel", "arguments", "compiling", "directives", "method", "multiprocessors")


def _check(values: Mapping[str, Any]) -> None:
    """Raise OptionError for values that no launch could have."""
    refuse_other("gpu", values["gpu"], tuple(gpu.name for gpu in GPUS))
    refuse_other("mode", values["mode"], tuple(MODES))
    for part in values["without"]:
        refuse_other("without", part, ABLATIONS)
    for name, known in (("writes", WRITES), ("by", GROUPINGS)):
        if values[name] is not None:
            refuse_other(name, values[name], known)
    for name in ("traffic", "distances", "directives"):
        expect(name, values[name], isinstance(values[name], bool), "True, False")
    for name in ("shared", "shared_per_block"):
        if values[name] is not None:
            expect_number(name, values[name], 0)
    for name in ("multiprocessors", "registers"):
        if values[name] is not None:
            expect_number(name, values[name], 1)
    expect_number("seed", values["seed"], 0)
    expect("seed", values["seed"], values["seed"] <= MAX_SEED, f"a number up to {MAX_SEED}")
    expect_name("kernel", values["kernel"])
    policies = values["policies"]
    expect("policies", policies, isinstance(policies, Mapping), "policies by loads")
    for load, policy in policies.items():
        expect_name("policies", load)
        refuse_other("policies", policy, POLICIES)
    expect("tiles", values["tiles"], isinstance(values["tiles"], Sequence), "a list of tuples")
    for tile in values["tiles"]:
        _check_tile(tile)


def _check_tile(tile: object) -> None:
    known = "tuples of an array, the bytes fetched and those of shared memory a block"
    expect("tiles", tile, isinstance(tile, tuple) and len(tile) == 3, known)
    assert isinstance(tile, tuple)
    expect("tiles", tile, isinstance(tile[0], str), known)
    for number in tile[1:]:
        expect_number("tiles", number, 0)
        expect("tiles", number, number <= MAX_FETCHED, f"a number up to {MAX_FETCHED}")


def _points(values: Mapping[str, Any], sweeps: Sequence[Sweep]) -> tuple[Point, ...]:
    """The caches to model; raises OptionError for impossible ones."""
    gpu = gpu_named(values["gpu"])
    for name, _ in sweeps:
        if values.get(name) is not None:
            raise OptionError(f"{name} is swept, and given as well", name)
        if name in OF_TRAFFIC and not (values["traffic"] or values["by"]):
            raise OptionError(f"{name} changes nothing but the bytes that move, and these are not asked for", "traffic")
    if values["writes"] is not None:
        gpu = replace(gpu, writes=values["writes"])
    if values["multiprocessors"] is not None:
        gpu = replace(gpu, multiprocessors=values["multiprocessors"])
    try:
        return points(gpu if values["shared"] is None else with_shared(gpu, values["shared"]), sweeps)
    except ValueError as error:
        raise OptionError(str(error), "over" if sweeps else "shared") from error


def _with_blocks(gpus: Sequence[Gpu], shared: int | None, block_threads: int) -> tuple[Gpu, ...]:
    """The caches that are left by blocks which need some shared memory each; too much of it is an OptionError."""
    try:
        return tuple(gpus if shared is None else [with_blocks_of(gpu, shared, block_threads) for gpu in gpus])
    except ValueError as error:
        raise OptionError(str(error), "shared_per_block") from error


def _with_registers(gpus: Sequence[Gpu], registers: int, block_threads: int) -> tuple[Gpu, ...]:
    """The caches for blocks whose threads have so many registers; too many of them are an OptionError."""
    try:
        return tuple(with_registers(gpu, block_threads, registers) for gpu in gpus)
    except ValueError as error:
        raise OptionError(str(error), "registers") from error
