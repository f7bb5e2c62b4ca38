"""What the front end makes of directives: typed clauses, compute regions, and the places they came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from accache.base.text import Location, Span
from accache.ir.constants import constant
from accache.ir.openacc.directives import Directive
from accache.ir.tree import Declare, Expr, Stmt, Variable
from accache.ir.types import Array, CType, is_number, is_volatile, resolve

if TYPE_CHECKING:
    from accache.ir.openacc.lifetimes import Lifetime
    from accache.ir.openacc.routines import Constant, Resident, Routine

LEVELS = ("gang", "worker", "vector")
GANGS = ("gang", "gang2", "gang3")
"""The dimensions of the gangs: ``gang(dim: 2)`` is the level gang2."""


class Dimension(Struct, frozen=True):
    """One ``[lower:length]``; length None means to the end of the dimension, an element has length 1."""

    lower: Expr | None
    length: Expr | None
    is_element: bool = False


class Subarray(Struct, frozen=True):
    """A var-list item: the variable (or member) it names and its sections, outermost dimension first.

    One of a cache directive that nobody wrote has the thread ``density`` for which it was proposed.
    """

    base: Expr
    name: str
    dimensions: tuple[Dimension, ...]
    location: Location
    text: str = ""
    readonly: bool = False
    density: float = 0.0

    @property
    def variable(self) -> str:
        """The variable's unique name; '' where the item is a member of a structure. ``name`` is how it is spelled."""
        return self.base.name if isinstance(self.base, Variable) else ""


class Copied:
    """A variable with copies of its own for gangs or threads; ``type`` is a copy's, ``subarray`` the copied part."""

    type: CType
    subarray: Subarray | None
    __struct_fields__: ClassVar[tuple[str, ...]]

    @property
    def is_array(self) -> bool:
        """Whether a copy is an array."""
        return isinstance(resolve(self.type), Array)

    @property
    def lower(self) -> Expr | None:
        """The first element of the part that is copied; None for the array's first."""
        dimensions = self.subarray.dimensions if self.subarray is not None else ()
        return dimensions[0].lower if dimensions else None

    def _key(self) -> tuple[object, ...]:
        """What tells items apart: not how and where a part was written."""
        return tuple(getattr(self, name) for name in self.__struct_fields__ if name != "subarray")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Copied) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class Private(Copied, Struct, frozen=True):
    """An item of a private or firstprivate clause: a variable, or a part of an array.

    ``type`` is that of the copy: an array of the part's length.
    """

    name: str
    type: CType
    location: Location
    subarray: Subarray | None = None


class Reduction(Copied, Struct, frozen=True):
    """``reduction(operator: variable)``; ``operator`` is one of ``+ * min max & | ^ && ||``.

    ``type`` is an array type where each element of an array, or of its part ``subarray``, is reduced. ``origin`` is
    the host's array of which ``variable`` is a copy. A ``fresh`` copy starts from the identity in every thread. What
    is ``of_one_gang`` each gang reduces for itself, and the host gets what one of them has.
    """

    operator: str
    variable: str
    type: CType
    subarray: Subarray | None = None
    origin: str = ""
    fresh: bool = False
    of_one_gang: bool = False

    @property
    def target(self) -> str:
        """The variable that gets the result."""
        return self.origin or self.variable


class LoopSpec(Struct, frozen=True):
    """A loop directive: the levels it names, their sizes, and its other clauses.

    ``collapse`` counts the loops it is for, ``forced`` if there may be statements between them. ``tile``
    holds the sizes of its tiles, outermost loop first, None for one to be chosen. Neighbouring iterations of a loop
    that ``is_crosswise`` have lanes of a warp, and those of loops inside of it the warps of a block.
    """

    location: Location
    levels: frozenset[str] = frozenset()
    sizes: tuple[tuple[str, Expr], ...] = ()
    seq: bool = False
    auto: bool = False
    independent: bool = False
    collapse: int = 1
    private: tuple[Private, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    forced: bool = False
    tile: tuple[int | None, ...] = ()
    is_crosswise: bool = False

    def size(self, level: str) -> Expr | None:
        """The size the user wrote for a level (``vector(128)``), if any."""
        return dict(self.sizes).get(level)


class DataClause(Struct, frozen=True):
    """``copyin(a[0:n])`` and its kin. ``action`` is the clause name; scalars and whole arrays have no dimensions.

    A ``lasting`` clause of ``declare`` is for a static variable, whose device copy lives as long as the program.
    ``modifiers`` are words such as ``zero``.
    """

    action: str
    subarray: Subarray
    location: Location
    lasting: bool = False
    modifiers: tuple[str, ...] = ()


class Wait(Struct, frozen=True):
    """``wait(devnum: device: queues: ...)``, a clause or a directive; without queues it is for all of the device's."""

    queues: tuple[Expr, ...]
    device: Expr | None = None


class FreeVariable(Struct, frozen=True):
    """A variable a region uses and does not declare; a static one lives as long as the program.

    A derived one gets values that are computed from other variables: a pointer may be based on another.
    The address in one that is stored may lie in memory, or may have gone to other functions.
    Of one that ``is_live`` the function around may read the value that it has behind the region.
    One that ``may_be_present`` may have a copy on the device of which no clause here or around tells.
    One that ``keeps_its_type`` is no memory of another type, as C's rules say.
    The program has none of a ``value``, which is what the host passes for it.
    A counter of a loop around holds the ``least`` or more, if that is known.
    """

    name: str
    type: CType
    is_static: bool = False
    is_derived: bool = False
    is_stored: bool = False
    is_live: bool = False
    may_be_present: bool = False
    keeps_its_type: bool = True
    least: int | None = None
    value: Expr | None = None

    @property
    def may_be_read_behind(self) -> bool:
        """Whether anybody may read the value that it has behind the region."""
        return self.is_live or self.is_static or self.may_be_present

    @property
    def comes_back(self) -> bool:
        """Whether what no clause says of it is that its copy goes back to the host: a number only if anybody reads it.

        What kernels leave in a number's copy need not be what the sequential program leaves: loops that write it before
        they read it have one of their own.
        """
        return self.may_be_read_behind or not is_number(self.type) or is_volatile(self.type)


DefaultWord: TypeAlias = Literal["", "none", "present"]
"""The word of a default clause; '' without one."""
DEFAULT_WORDS: Final[tuple[DefaultWord, ...]] = get_args(DefaultWord)
ConstructKind: TypeAlias = Literal["parallel", "kernels", "serial"]
CONSTRUCT_KINDS: Final[tuple[ConstructKind, ...]] = get_args(ConstructKind)


class ConstructText(Struct, frozen=True):
    """Where a compute construct stands in the raw file.

    ``span`` covers pragma and statement; ``statement`` the statement alone. ``definition`` is the span of the
    file-scope function around it, its comment included. ``kept`` are the preprocessor's lines of the statement that
    stay when a call takes its place.
    """

    span: Span
    statement: Span
    definition: Span
    kept: tuple[str, ...] = ()


class Execution(Struct, frozen=True):
    """What the host asks before a compute construct runs on the device: the clauses if, async and wait."""

    condition: Expr | None = None
    queue: Expr | None = None
    waits: tuple[Wait, ...] = ()


class Region(Struct, frozen=True, dict=True):
    """One compute construct.

    ``kind`` is parallel, kernels or serial. ``body`` is the structured block or loop; a combined construct's loop
    carries its LoopSpec. ``variables`` are the free variables in order of first use, clauses included, except for the
    queues of ``execution``: these concern the host. ``number`` counts the constructs of one line. The ``tables`` are
    arrays of constants around the construct, which only reads elements of them; they are none of the ``variables``.
    Where variables ``are_apart``, no two of them are taken to lead to the same memory, of which the launch makes sure.
    ``locals`` are those of the variables that the construct itself declares, for several of its kernels.
    """

    kind: ConstructKind
    function: str
    location: Location
    body: Stmt
    data: tuple[DataClause, ...]
    variables: tuple[FreeVariable, ...]
    text: ConstructText
    directive: Directive
    execution: Execution = Execution()
    sizes: tuple[tuple[str, Expr], ...] = ()
    private: tuple[Private, ...] = ()
    firstprivate: tuple[Private, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    enclosing_data: tuple[DataClause, ...] = ()
    default: DefaultWord = ""
    attached: tuple[DataClause, ...] = ()
    number: int = 1
    tables: tuple[Declare, ...] = ()
    are_apart: bool = False
    locals: tuple[Declare, ...] = ()

    @property
    def types_tell_apart(self) -> bool:
        """Whether C's rules hold by which objects of different types are different memory (C17 6.5)."""
        return all(variable.keeps_its_type for variable in self.variables)

    def is_unproved(self, spec: LoopSpec) -> bool:
        """Whether nobody said that the loops of a directive are independent."""
        return not spec.independent and (spec.auto or self.kind == "kernels")

    def name(self, line: int) -> str:
        """What is called after a line of the construct begins like this."""
        return f"{self.function}_L{line}" + (f"_{self.number}" if self.number > 1 else "")

    def has_section_around(self, name: str) -> bool:
        """Whether a data construct around maps a section of a variable."""
        return any(
            clause.action not in ("deviceptr", "use_device") and clause.subarray.dimensions
            for clause in self.enclosing_data
            if isinstance(clause.subarray.base, Variable) and clause.subarray.base.name == name
        )

    def size(self, level: str) -> Expr | None:
        """``num_gangs``, ``num_workers`` or ``vector_length`` as written for a level, if any."""
        return dict(self.sizes).get(level)

    @property
    def gangs(self) -> tuple[Expr, ...]:
        """The sizes ``num_gangs`` gives, first dimension first."""
        sizes = dict(self.sizes)
        return tuple(sizes[level] for level in GANGS if level in sizes)


class DataConstruct(Struct, frozen=True):
    """A directive for the host: about data, ``wait``, or one of ``init``, ``shutdown`` and ``set``.

    ``statement`` is the structured block of ``data``; None for the executable directives. A
    controlled directive is the whole body of an if, else or loop; one outside of functions ``is_global``.
    ``queue`` is that of async or default_async, ``device_types`` are constants of openacc.h, ``device`` is
    device_num.
    """

    kind: str
    location: Location
    data: tuple[DataClause, ...]
    span: Span
    statement: Span | None
    definition: Span
    condition: Expr | None = None
    finalize: bool = False
    if_present: bool = False
    is_controlled: bool = False
    is_global: bool = False
    queue: Expr | None = None
    waits: tuple[Wait, ...] = ()
    device_types: tuple[str, ...] = ()
    device: Expr | None = None


class Program(Struct, frozen=True):
    """All that the later passes need to know of one translation unit.

    ``routines`` are the functions kernels call, callees before callers; ``bound`` says what the device calls in
    the place of others, ``constants`` what they use of the file, ``residents`` that of it which lives on
    the device. ``idle`` are directives without an effect on host code, ``unreferenced`` the places of functions that
    host code does not call any more. ``lifetimes`` are those of copies on the device that start without a value.
    """

    regions: tuple[Region, ...] = ()
    data: tuple[DataConstruct, ...] = ()
    idle: tuple[Span, ...] = ()
    names: frozenset[str] = field(default_factory=frozenset)
    routines: tuple[Routine, ...] = ()
    bound: tuple[tuple[str, str], ...] = ()
    constants: tuple[Constant, ...] = ()
    residents: tuple[Resident, ...] = ()
    unreferenced: tuple[int, ...] = ()
    lifetimes: tuple[Lifetime, ...] = ()

    @property
    def maps_parts(self) -> bool:
        """Whether a clause may put an array on the device without its first elements."""
        mapping = (item.data for item in self.data if item.kind not in ("update", "exit data", "host_data"))
        clauses = (clause for each in (*mapping, *(region.data for region in self.regions)) for clause in each)
        lowers = (part.lower for clause in clauses for part in clause.subarray.dimensions)
        return any(lower is not None and constant(lower) != 0 for lower in lowers)

    def without_type_rules(self) -> Program:
        """The program where memory of one type may be that of another."""

        def doubted(variables: tuple[FreeVariable, ...]) -> tuple[FreeVariable, ...]:
            return tuple(replace(variable, keeps_its_type=False) for variable in variables)

        regions = tuple(replace(item, variables=doubted(item.variables)) for item in self.regions)
        routines = tuple(replace(item, parameters=doubted(item.parameters)) for item in self.routines)
        return replace(self, regions=regions, routines=routines)
