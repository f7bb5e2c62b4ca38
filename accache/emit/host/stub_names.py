"""What a launch stub is made of, and the names of what it declares."""

from __future__ import annotations

from msgspec import Struct

from accache.base.properties import cached_property
from accache.emit.expressions import ExpressionPrinter
from accache.emit.host.fetched import FetchingPrinter
from accache.emit.parameters import flat_type
from accache.emit.sections import quoted
from accache.ir.arrays import is_variable_length
from accache.ir.builtins import COMPLEX_NAMES
from accache.ir.kernels.launch_plan import LaunchPlan, Parameter, RegionPlan
from accache.ir.keywords import EMITTED
from accache.ir.names import free_name, user_name
from accache.ir.openacc.regions import Reduction, Region
from accache.ir.types import Array, Complex, CType, Enum, Pointer, Record, resolve, underlying

ARRAYS = ("array", "elements", "host")
QUEUE = "async_queue"


class Stub(Struct, frozen=True, dict=True):
    """The stub of one region."""

    plan: RegionPlan

    @property
    def region(self) -> Region:
        """The region."""
        return self.plan.region

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The variables that kernels need, or their launches."""
        return self.plan.parameters

    @property
    def passed(self) -> list[Parameter]:
        """The variables that the host passes."""
        own = {item.name for item in self.region.locals}
        return [item for item in self.parameters if item.name not in own]

    @property
    def launches(self) -> tuple[LaunchPlan, ...]:
        """The kernels that it launches."""
        return self.plan.launches

    @cached_property
    def printer(self) -> ExpressionPrinter:
        """Prints the stub's expressions; what comes back to the host is passed by address."""
        by_reference = frozenset(item.name for item in self.parameters if is_by_address(item))
        plain = {item.name: user_name(item.name) for item in self.parameters}
        taken = frozenset(plain.values())
        others = {
            unique: free_name(f"{name}_", taken.__contains__) for unique, name in plain.items() if name in EMITTED
        }
        return ExpressionPrinter(others, dereferenced=by_reference, calls=COMPLEX_NAMES)

    @cached_property
    def fetching(self) -> FetchingPrinter:
        """Prints the stub's expressions as the device would compute them."""
        mapped = frozenset(item.name for item in self.parameters if _is_mapped(item))
        names = self.printer.names | {name: self.address(name) for name in mapped}
        return FetchingPrinter(names, dereferenced=self.printer.dereferenced, calls=COMPLEX_NAMES, mapped=mapped)

    @property
    def file(self) -> str:
        """The user's file as a C string."""
        return quoted(self.region.location.file)

    def own(self, name: str) -> str:
        """A name of the stub's own, which no variable of the user's has."""
        while name in self.users_names:
            name += "_"
        return name

    @cached_property
    def users_names(self) -> frozenset[str]:
        """The variables that the stub gets."""
        return frozenset(self.printer.name(item.name) for item in self.parameters)

    def address(self, variable: str) -> str:
        """The name of a variable's device address."""
        return self.own(f"{self.printer.name(variable)}_device")

    def partials(self, reduction: Reduction, suffix: str) -> str:
        """The name of the blocks' parts of a reduction."""
        return self.own(f"{self.printer.name(reduction.target)}_partials{suffix}")

    @property
    def count_of_partials(self) -> int:
        """How many buffers the reductions need."""
        return sum(len(launch.partials) for launch in self.launches)

    @cached_property
    def in_memory(self) -> frozenset[str]:
        """The scalars and structures that are mapped."""
        return frozenset(item.name for item in self.parameters if item.role == "memory")

    def is_on_device(self, reduction: Reduction) -> bool:
        """Whether a variable is a pointer to device memory."""
        clauses = (item.clause for item in self.parameters if item.name == reduction.target)
        return any(clause is not None and clause.action == "deviceptr" for clause in clauses)

    def may_be_mapped(self, reduction: Reduction) -> bool:
        """Whether a variable may have a copy on the device."""
        variable = reduction.target
        if reduction.is_array:
            return True
        clauses = (*self.region.enclosing_data, *self.region.data)
        named = {clause.subarray.variable for clause in clauses}
        others = {item.name for item in self.region.variables if item.is_static or item.may_be_present}
        return variable in named | self.in_memory | others

    def host_type(self, parameter: Parameter) -> CType:
        """How the host passes a variable."""
        ctype = parameter.variable.type
        if is_by_address(parameter):
            return Pointer(ctype)
        if parameter.role not in ARRAYS:
            plain = resolve(ctype)
            return underlying(plain) if isinstance(plain, Enum) else ctype
        if is_variable_length(ctype):
            return flat_type(ctype, True, False)
        plain = resolve(ctype)
        return Pointer(plain.element) if isinstance(plain, Array) else ctype


def _is_mapped(parameter: Parameter) -> bool:
    """Whether a variable has a copy on the device that is not made from the host's for this construct alone."""
    is_apart = parameter.clause is not None and parameter.clause.action == "firstprivate"
    return parameter.role == "memory" or (parameter.role == "array" and not is_apart)


def is_by_address(parameter: Parameter) -> bool:
    """Whether the host passes a variable's address.

    It does so of complex numbers, which C and C++ pass differently, and of structures, whose types only the host's
    function may know.
    """
    large = isinstance(resolve(parameter.variable.type), (Complex, Record))
    return (parameter.role == "value" and large) or parameter.role in ("memory", "result")
