"""The exercises of the playground: a program with something wrong, and what tells that a learner has mended it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.caching.choice import IN_RANGE
from accache.driver import Translation, translate, with_deep_stack
from accache.frontend.source.tokens import DIRECTIVE, tokenise
from accache.ir.openacc.regions import Region
from accache.reading import read_program
from accache.report.records import SubarrayReport
from accache.serve.carried_out import Carried, carried_out, difference, start_of
from accache.serve.expressions import UnfollowedError
from accache.serve.memory import FaultError
from accache.serve.statements import TooLongError


class Attempt(Struct, frozen=True):
    """An answer to an exercise: its text, what is told of that, and its translation if there is one.

    ``carried`` is what became of its construct when that was carried out.
    """

    source: SourceFile
    diagnostics: tuple[Diagnostic, ...]
    translation: Translation | None
    carried: Carried | None = None


Check = Callable[[Attempt], str]
"""What is still wrong, in words; '' if nothing is."""
_TILES = Options(tune="off", coarsen="off")


def attempted(source: SourceFile, options: Options) -> Attempt:
    """Translate an answer."""
    try:
        made = translate(source, options)
    except CompileError as error:
        return Attempt(source, error.diagnostics, None)
    return Attempt(source, made.diagnostics, made)


class Exercise(Struct, frozen=True):
    """A program, what to do with it, one way to do that, and the checks; tiles are taken even if they do not pay.

    An answer must compute what the solution does, where parameters have these ``values``, without a finding. Where
    ``keeps_code`` is set, only directives may change, else only what stands in the construct.
    """

    title: str
    task: str
    start: str
    solution: str
    checks: tuple[Check, ...]
    values: Mapping[str, int]
    keeps_code: bool = True
    options: Options = _TILES

    def judge(self, found: Attempt) -> str:
        """What is still wrong with an answer; '' if it is solved."""
        if found.translation is None:
            return f"The program cannot be translated: {found.diagnostics[0].message}."
        if self.keeps_code and _code(found.source.text) != _code(self.start):
            return "Only directives may change here; the rest of the program must stay."
        return with_deep_stack(lambda: self._carried_out(found), found.source.name)

    def _carried_out(self, found: Attempt) -> str:
        """What is wrong with an answer that can be translated; its construct is carried out for that."""
        wanted, own = _region(SourceFile("", self.solution), self.options), _region(found.source, self.options)
        assert wanted is not None
        assert found.translation is not None
        if own is None or not all(kernel.loops for kernel in found.translation.report.kernels):
            return "The device must still run the loop in parallel: the directive for that stays."
        if _around(found.source.text, own) != _around(self.solution, wanted):
            return "Only the loop and its directives may change here; what stands around it must stay."
        start = start_of(wanted, self.values)
        try:
            carried = carried_out(own, start)
        except FaultError as fault:
            return f"A run of this has a finding. {str(fault)[:1].upper()}{str(fault)[1:]}."
        except UnfollowedError as unknown:
            return f"Write it more simply, with loops over numbers and arrays; this is not followed here: {unknown}."
        except TooLongError:
            return "The loops have too many turns."
        found = replace(found, carried=carried)
        wrong = difference(carried, carried_out(wanted, start))
        words = (f"The loop computes something else than it did: {wrong}." * bool(wrong), *self._checked(found))
        return next((told for told in words if told), "")

    def _checked(self, found: Attempt) -> Iterator[str]:
        return (check(found) for check in self.checks)


def _region(source: SourceFile, options: Options) -> Region | None:
    """The compute construct of a program; None if it has none, or several."""
    regions = read_program(source, options, Reporter()).program.regions
    return regions[0] if len(regions) == 1 else None


def _around(text: str, region: Region) -> tuple[list[str], list[str]]:
    """The words in front of a construct and behind it."""
    return _code(text[: region.text.statement.start]), _code(text[region.text.statement.end :])


def _code(text: str) -> list[str]:
    """The words of a program without its directives."""
    return [token.text for token in tokenise(SourceFile("", text)) if token.kind != DIRECTIVE]


def _subarrays(found: Attempt) -> Sequence[SubarrayReport]:
    assert found.translation is not None
    return [item for kernel in found.translation.report.kernels for item in kernel.subarrays]


def _first_words(reason: str) -> str:
    """A reason without what is told of other ways to keep the data."""
    return reason.partition("; ")[0]


def _has_tile(array: str) -> Check:
    """One tile for the block, which all references to an array use."""

    def check(found: Attempt) -> str:
        of_array = [item for item in _subarrays(found) if re.match(rf"{array}\b", item.text)]
        if not of_array:
            return f"No cache directive names {array}."
        item = of_array[0]
        if not item.tile:
            return f"{array} has no tile yet: {_first_words(item.reason)}."
        if item.reason != IN_RANGE:
            return f"The tile of {array} does not serve all references as it could: {item.reason}."
        return item.obstacle and f"Threads do not share the tile: {item.obstacle}."

    return check


def _saves(array: str, part: float) -> Check:
    """The tile leaves at most a part of the loads of a block."""

    def check(found: Attempt) -> str:
        for item in _subarrays(found):
            if re.match(rf"{array}\b", item.text) and item.loads is not None:
                before, after = item.loads.before.value, item.loads.after.value
                if before and after is not None and after > part * before:
                    return f"A block still makes {after} loads where it made {before} without the tile."
        return ""

    return check


def _told_of_none(*codes: str) -> Check:
    def check(found: Attempt) -> str:
        told = next((f"{each.message} [{each.code}]." for each in found.diagnostics if each.code in codes), "")
        return told[:1].upper() + told[1:]

    return check


def _no_directive(found: Attempt) -> str:
    return "" if not _subarrays(found) else "There is still a cache directive."


def _is_atomic(found: Attempt) -> str:
    assert found.translation is not None
    is_there = "atomicAdd" in found.translation.device.partition("// ---- Messages ----")[0]
    return "" if is_there else "Two iterations may still add to one count at the same time: make the update atomic."


def _no_conflicts(found: Attempt) -> str:
    assert found.carried is not None
    turns = found.carried.degree
    if turns is None or not any(item.is_gang_local for item in _subarrays(found)):
        return "Threads no longer pass anything on in shared memory."
    return "" if turns == 1 else f"A warp still takes {turns} turns for its words."


def _names_all(array: str) -> Check:
    """A subarray has all elements that its region uses."""

    def check(found: Attempt) -> str:
        assert found.carried is not None
        for text, missed in found.carried.missed.items():
            if re.match(rf"{array}\b", text):
                return f"{text} does not name all that the loop uses: {missed}."
        return ""

    return check


def _names_no_more(array: str) -> Check:
    """No element of a subarray is idle in all turns of its region."""

    def check(found: Attempt) -> str:
        assert found.carried is not None
        for text, ends in found.carried.idle.items():
            below, above = (sum(column) for column in zip(*ends, strict=True))
            if re.match(rf"{array}\b", text) and (below or above):
                return f"{text} names more than the loop uses: {_elements(below, above)}. Name no more than it does."
        return ""

    return check


def _elements(below: int, above: int) -> str:
    """How many elements of a subarray are idle, in words."""
    parts = [(count, end) for count, end in ((below, "beginning"), (above, "end")) if count]
    noun = f"element{'s' * (parts[0][0] != 1)}"
    told = [f"{count}{'' if number else f' {noun}'} at its {end}" for number, (count, end) in enumerate(parts)]
    return f"nothing uses {' and '.join(told)}"


_MISREAD = _told_of_none("ACC412", "ACC413")
_HEAD = "void f(int n, const float *restrict a, float *restrict b)\n{\n"
_LOOP = "#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])\n"


def _stencil(directive: str, body: str, before: str = "", loop: str = _LOOP) -> str:
    cache = f"#pragma acc cache({directive})\n" if directive else ""
    return f"{_HEAD}{before}{loop}    for (int i = 4; i < n - 4; i++) {{\n{cache}        b[i] = {body};\n    }}\n}}\n"


_NINE = "a[i - 4] + a[i - 2] + a[i] + a[i + 2] + a[i + 4]"
_FOUR = "a[i] + a[i + 1] + a[i + 2] + a[i + 3]"
_THREE = "a[i - 1] + a[i] + a[i + 1]"
_ROWS = """void f(const float b[restrict 128][128], float a[restrict 128][128])
{
#pragma acc parallel loop collapse(2) copyin(b[0:128]) copyout(a[0:128])
    for (int i = 1; i < 127; i++)
        for (int j = 1; j < 127; j++) {
#pragma acc cache(DIRECTIVE)
            a[i][j] = b[i - 1][j] + b[i][j - 1] + b[i][j] + b[i][j + 1] + b[i + 1][j];
        }
}
"""
_LARGE = """#define N 60000
void f(int n, const float a[restrict N], float *restrict b)
{
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:n])
    for (int i = 0; i < n; i++) {
        float sum = 0;
#pragma acc cache(a[0:N])
        for (int k = 0; k < N; k++)
            sum += a[k] * (i + k);
        b[i] = sum;
    }
}
"""
_CHUNKS = _LARGE.replace(
    """#pragma acc cache(a[0:N])
        for (int k = 0; k < N; k++)
            sum += a[k] * (i + k);
""",
    """        for (int first = 0; first < N; first += 256) {
#pragma acc cache(a[first:256])
            for (int k = first; k < first + 256 && k < N; k++)
                sum += a[k] * (i + k);
        }
""",
)
_COUNTS = """void f(int n, const unsigned char *restrict data, int *restrict count)
{
#pragma acc parallel loop independent copyin(data[0:n]) copy(count[0:256])
    for (int i = 0; i < n; i++) {
        count[data[i]]++;
    }
}
"""
_BANKS = """void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:n*256]) copyout(b[0:n*256])
    for (int g = 0; g < n; g++) {
        float part[2048];
#pragma acc cache(part)
#pragma acc loop vector
        for (int x = 0; x < 256; x++)
            part[8 * x] = a[g * 256 + x];
#pragma acc loop vector
        for (int x = 0; x < 256; x++)
            b[g * 256 + x] = part[8 * (255 - x)];
    }
}
"""
_WRITTEN = """void f(int n, int steps, float *restrict b)
{
#pragma acc parallel loop copy(b[0:n])
    for (int i = 0; i < n; i++) {
#pragma acc cache(readonly: b[i:1])
        for (int k = 0; k < steps; k++)
            b[i] = b[i] * 0.5f + 1;
    }
}
"""

EXERCISES: tuple[Exercise, ...] = (
    Exercise(
        "The first directive",
        "Neighbouring iterations read almost the same elements of a. Put a cache directive at the top of the loop's "
        "body that names what one iteration reads.",
        _stencil("", _NINE),
        _stencil("a[i-4:9]", _NINE),
        (_names_all("a"), _has_tile("a"), _saves("a", 0.3), _names_no_more("a")),
        {"n": 40},
    ),
    Exercise(
        "An end for a length",
        "In C the second number of a subarray counts elements. Mend the directive.",
        _stencil("a[i:i+4]", _FOUR),
        _stencil("a[i:4]", _FOUR),
        (_MISREAD, _names_all("a"), _has_tile("a"), _saves("a", 0.3), _names_no_more("a")),
        {"n": 40},
    ),
    Exercise(
        "Bounds as in Fortran",
        "This was translated from Fortran, where the bounds of a section are its first and its last element.",
        _stencil("a[i-1:i+1]", _THREE),
        _stencil("a[i-1:3]", _THREE),
        (_MISREAD, _names_all("a"), _has_tile("a"), _saves("a", 0.4), _names_no_more("a")),
        {"n": 40},
    ),
    Exercise(
        "The halo is missing",
        "The directive names only what lies in the middle. Name all that an iteration reads, and no more.",
        _stencil("a[i:1]", _THREE),
        _stencil("a[i-1:3]", _THREE),
        (_names_all("a"), _has_tile("a"), _saves("a", 0.4), _names_no_more("a")),
        {"n": 40},
    ),
    Exercise(
        "A halo in two dimensions",
        "Name what an iteration reads of b in both dimensions.",
        _ROWS.replace("DIRECTIVE", "b[i-1:3][j:1]"),
        _ROWS.replace("DIRECTIVE", "b[i-1:3][j-1:3]"),
        (_names_all("b"), _has_tile("b"), _saves("b", 0.4), _names_no_more("b")),
        {},
    ),
    Exercise(
        "The directive stands too early",
        "A cache directive belongs into the body of the loop that it is about. Move it there.",
        _stencil("", _THREE, before="#pragma acc cache(a[i-1:3])\n"),
        _stencil("a[i-1:3]", _THREE),
        (_told_of_none("ACC411"), _names_all("a"), _has_tile("a"), _names_no_more("a")),
        {"n": 40},
    ),
    Exercise(
        "Another language's words",
        "OpenMP has parallel for. What does OpenACC have?",
        _stencil("a[i-1:3]", _THREE, loop=_LOOP.replace("loop", "for")),
        _stencil("a[i-1:3]", _THREE),
        (_names_all("a"), _has_tile("a"), _names_no_more("a")),
        {"n": 40},
    ),
    Exercise(
        "Read only, and written",
        "The directive promises something that the loop does not keep. Mend the directive.",
        _WRITTEN,
        _WRITTEN.replace("readonly: ", ""),
        (_names_all("b"), _has_tile("b"), _names_no_more("b")),
        {"n": 40, "steps": 3},
    ),
    Exercise(
        "Too large for shared memory",
        "All threads walk along the whole of a, which does not fit. Let them take it in parts, and cache one "
        "part at a time.",
        _LARGE,
        _CHUNKS,
        (
            _told_of_none("ACC416"),
            _names_all("a"),
            _has_tile("a"),
            _saves("a", 0.1),
        ),
        {"n": 2},
        keeps_code=False,
    ),
    Exercise(
        "A race",
        "Two iterations may find the same value and add to the same count. Say in a directive that the "
        "update is atomic.",
        _COUNTS,
        _COUNTS.replace("        count", "#pragma acc atomic update\n        count"),
        (_is_atomic,),
        {"n": 500},
    ),
    Exercise(
        "Bank conflicts",
        "Neighbouring threads use words of part that lie eight words apart, so four banks serve all of a warp. Let "
        "them lie side by side.",
        _BANKS,
        _BANKS.replace("8 * x", "x").replace("8 * (255 - x)", "255 - x").replace("2048", "256"),
        (_no_conflicts,),
        {"n": 2},
        keeps_code=False,
    ),
    Exercise(
        "The directive does not pay",
        "Each element is read once, by one thread. Look at what accache estimates, and act on it.",
        _stencil("a[i:1]", "2 * a[i]"),
        _stencil("", "2 * a[i]"),
        (_no_directive,),
        {"n": 40},
        options=Options(),
    ),
)
