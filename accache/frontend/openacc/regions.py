"""Compute and data constructs from their directives and the statements after them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from accache.base.diagnostics import Reporter
from accache.base.text import SourceFile, Span
from accache.frontend.c.expressions import ExpressionBuilder
from accache.frontend.c.scope import Scope
from accache.frontend.openacc.clauses import ClauseBuilder
from accache.frontend.openacc.gotos import without_gotos
from accache.frontend.openacc.merge_clauses import united
from accache.frontend.openacc.statements import StatementBuilder
from accache.frontend.openacc.variables import implicit_copies
from accache.frontend.source.constructs import PragmaSite, documented, enclosing_definition, is_controlled
from accache.frontend.source.groups import kept_lines
from accache.ir.openacc.directives import Directive
from accache.ir.openacc.regions import (
    CONSTRUCT_KINDS,
    DEFAULT_WORDS,
    ConstructText,
    DataClause,
    DataConstruct,
    DefaultWord,
    Execution,
    Region,
)
from accache.ir.tree import Block

_KINDS = {name: kind for kind in CONSTRUCT_KINDS for name in (kind, f"{kind} loop")}


class ConstructBuilder(Struct, frozen=True):
    """Builds constructs of a file; ``inner_directive`` finds the directive of a pragma under one."""

    source: SourceFile
    inactive: tuple[Span, ...]
    expressions: ExpressionBuilder
    clauses: ClauseBuilder
    inner_directive: Callable[[Any], Directive | None]
    reporter: Reporter

    def data(self, site: PragmaSite, directive: Directive, statement: Span | None, scope: Scope) -> DataConstruct:
        """A data directive, with the statement that it is for if it has one."""
        return DataConstruct(
            kind=directive.name,
            location=directive.location,
            data=self.clauses.data(directive, scope),
            span=site.span,
            statement=statement,
            definition=self._definition(site),
            condition=self.clauses.condition(directive, scope),
            finalize=directive.has("finalize"),
            if_present=directive.has("if_present"),
            is_controlled=is_controlled(self.source, site.span.start, self.inactive),
            queue=self.clauses.queue(directive, scope),
            waits=self.clauses.waits(directive, scope),
            device_types=self.clauses.device_types(directive),
            device=self.clauses.value(directive, "device_num", scope),
        )

    def region(
        self,
        function: str,
        site: PragmaSite,
        directive: Directive,
        statement: Span,
        *,
        nodes: Sequence[Any],
        position: int,
        scope: Scope,
        enclosing_data: tuple[DataClause, ...],
    ) -> tuple[Region, int]:
        """A compute construct around the statement at a position, and the position behind; no variables yet."""
        builder = StatementBuilder(self.expressions, self.clauses, self.reporter, self.inner_directive)
        combined = directive.name.endswith(" loop")
        if combined:
            body, end = builder.loop(directive, nodes, position, scope)
        else:
            end = next((k for k in range(position, len(nodes)) if not isinstance(nodes[k], c_ast.Pragma)), position) + 1
            items = builder.items(nodes[position:end], scope.enter())
            body = items[0] if len(items) == 1 else Block(directive.location, tuple(items))
        sizes = self.clauses.sizes(directive, scope)
        execution = Execution(
            self.clauses.condition(directive, scope),
            self.clauses.queue(directive, scope),
            self.clauses.waits(directive, scope),
        )
        clauses = self.clauses.data(directive, scope)
        region = Region(
            kind=_KINDS[directive.name],
            function=function,
            location=directive.location,
            body=without_gotos(body),
            data=united([clause for clause in clauses if clause.action != "attach"]),
            attached=tuple(clause for clause in clauses if clause.action == "attach"),
            variables=(),
            text=ConstructText(
                Span(site.span.start, statement.end),
                statement,
                self._definition(site),
                kept_lines(self.source, statement),
            ),
            directive=directive,
            execution=execution,
            sizes=sizes,
            private=() if combined else self.clauses.private(directive, "private", scope),
            firstprivate=self.clauses.private(directive, "firstprivate", scope),
            reductions=() if combined else self.clauses.reductions(directive, scope),
            enclosing_data=enclosing_data,
            default=default_of(directive),
        )
        return replace(region, data=(*region.data, *implicit_copies(region))), end

    def _definition(self, site: PragmaSite) -> Span:
        """The function around a directive, its comment included."""
        return documented(self.source, enclosing_definition(self.source, site.span.start, self.inactive).span)


def default_of(directive: Directive) -> DefaultWord:
    """The word of the default clause: none or present; '' without one."""
    words = [argument.value.text for clause in directive.clauses_named("default") for argument in clause.arguments]
    return next((known for known in DEFAULT_WORDS if known in words), "")
