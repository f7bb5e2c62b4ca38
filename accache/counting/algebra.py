"""Counts in sympy's algebra: closed forms, and proofs that one is less than another.

Names are integers, sizes positive ones. Importing this module does not import sympy: the first call does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from accache.analysis.linearity import algebra, symbol, to_sympy
from accache.base.properties import cached_property
from accache.counting.formulas import Atom, Ceil, Count, Extreme, Sum, is_size, plain
from accache.ir.polynomial import Polynomial

MOST_ADDED = 16
"""A sum without a closed form is written out up to this many rounds."""
MOST_FACTORS = 3
"""Up to this power a power is written as a product."""
MOST_PARTS = 6
"""Rounded quotients and extremes of which a proof considers all cases."""


class Algebra(Struct, frozen=True, dict=True):
    """Translates counts, in which sums bind the variables ``bound``.

    One object answers one question, since it remembers what stands in the sums that it met.
    """

    bound: frozenset[str]

    @cached_property
    def sums(self) -> dict[Any, frozenset[Any]]:
        """The free symbols of each sum that stays one, which is itself a symbol with its text for a name."""
        return {}

    def name(self, name: str) -> Any:
        """The symbol of a name."""
        is_positive = is_size(name) and name not in self.bound
        return algebra().Symbol(name, integer=True, positive=True) if is_positive else symbol(name)

    def polynomial(self, value: Polynomial) -> Any:
        """A polynomial over names."""
        return to_sympy(value).xreplace({symbol(name): self.name(name) for name in value.names})

    def count(self, count: Count) -> Any:
        """A count, its sums in closed form where there is one."""
        inner = {symbol(text): self.atom(atom) for text, atom in count.atoms}
        names = {symbol(name): self.name(name) for name in count.polynomial.names if symbol(name) not in inner}
        return algebra().expand(to_sympy(count.polynomial).xreplace({**names, **inner}))

    def atom(self, atom: Atom) -> Any:
        """What stands in a count besides names."""
        if isinstance(atom, Ceil):
            return self.quotient(self.count(atom.numerator), atom.divisor)
        if isinstance(atom, Extreme):
            kind = algebra().Min if atom.which == "min" else algebra().Max
            return kind(*map(self.count, atom.options))
        return self.sum(atom)

    def quotient(self, numerator: Any, divisor: int) -> Any:
        """``ceil(numerator/divisor)``; of a quotient rounded up before, that of both divisors."""
        inner = numerator.args[0] if isinstance(numerator, algebra().ceiling) else numerator
        return _ceiling()(inner / divisor)

    def sum(self, added: Sum) -> Any:
        """A sum term by term, over the rounds from 0 on."""
        sympy = algebra()
        variable, turn = self.name(added.variable), sympy.Dummy("k", integer=True, nonnegative=True)
        first, span = self.polynomial(added.first), self.count(added.span)
        times = self.quotient(span, abs(added.step)) if abs(added.step) != 1 else span
        body, found = self.count(added.body), sympy.Integer(0)
        for term in sympy.Add.make_args(body):
            inner = [each for each, names in self.sums.items() if variable in names]
            still, moving = term.as_independent(variable, *inner, as_Add=False)
            if moving == 1:
                found += still * times
                continue
            moved = sympy.expand(moving.xreplace({variable: first + added.step * turn}))
            closed = None if moving.has(*inner) else self.closed(moved, turn, times, span, step=abs(added.step))
            found += still * (self.opaque(added, moving, first, span) if closed is None else closed)
        return sympy.expand(found)

    def closed(self, moved: Any, turn: Any, times: Any, span: Any, *, step: int) -> Any:
        """The sum of a term for each ``turn`` below ``times``; None if it has no closed form that is found here."""
        sympy = algebra()
        if moved.is_polynomial(turn):
            end = sympy.Dummy("end", integer=True)
            return sympy.summation(moved, (turn, 0, end - 1)).xreplace({end: times})
        if isinstance(moved, sympy.Min) and set(moved.args) == {sympy.Integer(step), sympy.expand(span - step * turn)}:
            return span  # a loop in strips, the last of which has what is left
        if times.is_Integer and times <= MOST_ADDED:
            return sympy.Add(*(moved.xreplace({turn: sympy.Integer(number)}) for number in range(int(times))))
        return None

    def opaque(self, added: Sum, body: Any, first: Any, span: Any) -> Any:
        """A symbol for a sum that stays one."""
        sympy = algebra()
        end = sympy.expand(first + span if added.step > 0 else first - span)
        step = f", {added.step}" if added.step != 1 else ""
        ends = f"{text_of(first)}, {text_of(end)}{step}"
        found = sympy.Symbol(f"sum({text_of(body)} for {added.variable} in range({ends}))", integer=True)
        inside = (self.sums.get(each, frozenset((each,))) for part in (first, span, body) for each in part.free_symbols)
        self.sums[found] = frozenset[Any]().union(*inside) - {self.name(added.variable)}
        return found


@cache
def _ceiling() -> Any:
    """Sympy's ``ceiling``, but for how it finds terms that are integers: by their coefficients alone.

    Sympy 1.14 takes a sixth of any even integer for one, such as that of ``Min(0, -2*i)``.
    """
    sympy = algebra()

    def parted(cls: Any, value: Any) -> Any:
        terms = sympy.Add.make_args(sympy.expand(value))
        whole = sympy.Add(*(term for term in terms if term.as_coeff_Mul()[0].is_Integer))
        rest = sympy.expand(value) - whole
        return whole + (sympy.ceiling(rest) if rest.is_number else cls(rest, evaluate=False))

    return type("ceiling", (sympy.ceiling,), {"eval": classmethod(parted)})


def _bound(*counts: Count) -> frozenset[str]:
    """The variables of sums in some counts."""
    found: set[str] = set()
    for count in counts:
        for _, atom in count.atoms:
            if isinstance(atom, Sum):
                found |= {atom.variable} | _bound(atom.span, atom.body)
            else:
                found |= _bound(*((atom.numerator,) if isinstance(atom, Ceil) else atom.options))
    return frozenset(found)


def closed_form(count: Count) -> str:
    """A count as a person writes it, which is a Python expression too."""
    return plain(text_of(Algebra(_bound(count)).count(count)))


def never_less(first: Count, second: Count, facts: Iterable[Polynomial]) -> bool:
    """Whether it is proved that ``first >= second`` for all positive sizes for which all ``facts`` are positive."""
    known = Algebra(_bound(first, second))
    difference = known.count(first) - known.count(second)
    shifts = [*_shifts([known.polynomial(fact) for fact in facts])]
    return _is_nonnegative(algebra().expand(difference), shifts, MOST_PARTS)


def _shifts(facts: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """A replacement for a symbol of each fact, by which the fact is that a new symbol is not negative."""
    used: set[Any] = set()
    for fact in facts:
        for name in sorted(fact.free_symbols - used, key=str):
            rest = fact - name
            grows = _is_nonnegative_polynomial(-rest, [])
            if grows and name.is_positive and not rest.has(name) and not rest.free_symbols & used:
                used |= fact.free_symbols
                yield name, algebra().Dummy(nonnegative=True, integer=True) + 1 - rest
                break


def _is_nonnegative(expr: Any, shifts: list[tuple[Any, Any]], most: int) -> bool:
    """Whether an expanded expression is proved to be at least 0: rounding and extremes by all their cases."""
    sympy = algebra()
    parts = _outer(expr)
    if not parts:
        return _is_nonnegative_polynomial(expr, shifts)
    part, stand_in = parts[0], sympy.Dummy()
    slope = sympy.expand(expr.xreplace({part: stand_in})).coeff(stand_in, 1)
    if not most or sympy.expand(expr - slope * part).has(part):
        return False
    rises, falls = (_is_nonnegative(way, shifts, most - 1) for way in (slope, -slope))
    if not rises and not falls:
        return False
    if isinstance(part, sympy.ceiling):
        values, every = _ceiling_bounds(part, rises, shifts), False
    else:
        values, every = part.args, isinstance(part, sympy.Min) == rises
    proved = (_is_nonnegative(sympy.expand(expr.xreplace({part: value})), shifts, most - 1) for value in values)
    return all(proved) if every else any(proved)


def _outer(expr: Any) -> list[Any]:
    """The rounded quotients and extremes of an expression that stand in no other one."""
    sympy = algebra()
    parts = expr.atoms(sympy.ceiling, sympy.Min, sympy.Max)
    return sorted((part for part in parts if not any(other.has(part) for other in parts - {part})), key=str)


def _ceiling_bounds(part: Any, least: bool, shifts: list[tuple[Any, Any]]) -> tuple[Any, ...]:
    """What a rounded quotient of integers is at least, or at most."""
    sympy = algebra()
    numerator, divisor = sympy.together(part.args[0]).as_numer_denom()
    is_positive = not _outer(numerator) and _is_nonnegative_polynomial(numerator - 1, shifts)
    if least:
        return (part.args[0], sympy.Integer(1)) if is_positive else (part.args[0],)
    rounded_up = (numerator + divisor - 1) / divisor
    return (rounded_up, numerator) if is_positive else (rounded_up,)


def _is_nonnegative_polynomial(expr: Any, shifts: list[tuple[Any, Any]]) -> bool:
    """Whether no coefficient is negative, once each symbol is one that is not negative."""
    sympy = algebra()
    for name, value in shifts:
        expr = expr.subs(name, value)
    sizes = {name: name + 1 for name in expr.free_symbols if name.is_positive}
    expr = sympy.expand(expr.subs(sizes, simultaneous=True))
    if any(not name.is_nonnegative and name not in sizes for name in expr.free_symbols):
        return False
    return all(term.as_coeff_Mul()[0] >= 0 for term in sympy.Add.make_args(expr))


def text_of(expr: Any) -> str:
    """An expanded expression as a person writes it: a product where it is one, the polynomial part of a sum first."""
    sympy = algebra()
    parts = expr.atoms(sympy.ceiling, sympy.Min, sympy.Max)
    flat = expr.xreplace({part: sympy.Symbol(_call(part)) for part in parts})
    calls = [each for each in flat.free_symbols if "(" in each.name]
    product = sympy.factor(flat)
    factors = [factor for factor in sympy.Mul.make_args(product) if factor.free_symbols]
    if not calls or len(factors) > 1:
        return _spelled(product)
    groups: dict[Any, Any] = {}
    for term in sympy.Add.make_args(flat):
        number, call = term.as_independent(*calls, as_Add=False)
        groups[call] = groups.get(call, 0) + number
    texts = [
        _spelled(sympy.factor(groups[call]) * call) for call in sorted(groups, key=lambda call: (call != 1, str(call)))
    ]
    return "".join(texts[:1] + [f" - {text[1:]}" if text[0] == "-" else f" + {text}" for text in texts[1:]])


def _call(part: Any) -> str:
    """A rounded quotient or extreme."""
    sympy = algebra()
    if isinstance(part, sympy.ceiling):
        numerator, divisor = sympy.together(part.args[0]).as_numer_denom()
        text = text_of(sympy.expand(numerator))
        return f"ceil({text}/{divisor})" if numerator.is_Symbol else f"ceil(({text})/{divisor})"
    options = sorted(part.args, key=lambda option: (not option.is_Integer, str(option)))
    return f"{'min' if isinstance(part, sympy.Min) else 'max'}({', '.join(map(text_of, options))})"


@cache
def _printer() -> Any:
    """Sympy's printer, with small powers as products, and what is subtracted behind what is added."""
    printer = algebra().StrPrinter

    def power(self: Any, expr: Any, rational: bool = False) -> str:
        base, exponent = expr.as_base_exp()
        if not exponent.is_Integer or not 0 < exponent <= MOST_FACTORS:
            return str(printer._print_Pow(self, expr, rational))
        return "*".join([self.parenthesize(base, precedence_of_power)] * int(exponent))

    def terms(self: Any, expr: Any, order: str | None = None) -> list[Any]:
        ordered = printer._as_ordered_terms(self, expr, order)
        return sorted(ordered, key=lambda term: bool(term.could_extract_minus_sign()))

    precedence_of_power = import_module("sympy.printing.precedence").PRECEDENCE["Pow"]
    return type("Printer", (printer,), {"_print_Pow": power, "_as_ordered_terms": terms})()


def _spelled(expr: Any) -> str:
    return str(_printer().doprint(expr))
