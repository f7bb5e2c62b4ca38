"""The directive grammar: what is read, where it stands, and what is said about mistakes."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accache.base.diagnostics import Reporter
from accache.base.text import SourceFile, Span
from accache.frontend.grammar import CLAUSES, DIRECTIVES
from accache.frontend.openacc.pragmas import parse_directive
from accache.frontend.source.constructs import PragmaSite, find_pragmas
from accache.frontend.source.preprocess import PreprocessOptions, preprocess
from accache.ir.openacc.directives import Clause, Directive

PREFIX = "#pragma acc"


def parse(text: str, reporter: Reporter | None = None, expanded: str = "") -> Directive | None:
    """The directive of ``#pragma acc`` + text, without running a preprocessor."""
    source = SourceFile("a.c", PREFIX + text)
    body = Span(len(PREFIX), len(source.text))
    site = PragmaSite(Span(0, body.end), 1, text.strip(), (expanded or text).replace("\\\n", " ").strip(), body)
    return parse_directive(site, source, reporter or Reporter())


def shown(clause: Clause) -> str:
    """A clause in one canonical spelling."""
    items = [reference.text for reference in clause.variables]
    items += [f"{argument.label}:" * bool(argument.label) + argument.value.text for argument in clause.arguments]
    modifier = f"{clause.modifier}:" if clause.modifier else ""
    return f"{clause.name}({modifier}{','.join(items)})" if items else clause.name


@pytest.mark.parametrize(
    ("text", "name", "clauses"),
    [
        (" parallel", "parallel", ""),
        (" parallel loop gang vector(128)", "parallel loop", "gang vector(128)"),
        (" kernels loop, independent , copy(a)", "kernels loop", "independent copy(a)"),
        (" serial loop seq", "serial loop", "seq"),
        (
            " loop gang(num: 8, static:*) worker(num:4) vector(length: n*2)",
            "loop",
            "gang(num:8,static:*) worker(num:4) vector(length:n*2)",
        ),
        (" loop collapse(force: 2) tile(*, 4)", "loop", "collapse(force:2) tile(*,4)"),
        (
            " loop reduction(+:a,b) reduction( && : c ) reduction(max:d)",
            "loop",
            "reduction(+:a,b) reduction(&&:c) reduction(max:d)",
        ),
        (
            " data pcopy(a) present_or_copyin(b) copyin(readonly:c,d[0:n]) copyout(zero: e)",
            "data",
            "copy(a) copyin(b) copyin(readonly:c,d[0:n]) copyout(zero:e)",
        ),
        (" data copyin(always, readonly: a)", "data", "copyin(always readonly:a)"),
        (" enter data create(a[:n]) async", "enter data", "create(a[:n]) async"),
        (
            " exit data delete(a) finalize wait(devnum: 1: queues: 2, 3)",
            "exit data",
            "delete(a) finalize wait(devnum:1,2,3)",
        ),
        (" host_data use_device(p) if_present", "host_data", "use_device(p) if_present"),
        (" atomic", "atomic update", ""),
        (" atomic capture", "atomic capture", ""),
        (" declare device_resident(a) link(b)", "declare", "device_resident(a) link(b)"),
        (" set device_num(0) default_async(q)", "set", "device_num(0) default_async(q)"),
        (" init device_type(nvidia, host) if(x)", "init", "device_type(nvidia,host) if(x)"),
        (" update self(a) host(b[1:2]) device(c) if_present", "update", "self(a) self(b[1:2]) device(c) if_present"),
        (" parallel self(n > 1) default(none) if(a ? b : c)", "parallel", "self(n > 1) default(none) if(a ? b : c)"),
        (
            " parallel num_gangs(1, 2, 3) dtype(*) num_gangs(4)",
            "parallel",
            "num_gangs(1,2,3) device_type(*) num_gangs(4)",
        ),
        (' routine seq bind("f") nohost', "routine", 'seq bind("f") nohost'),
        (" routine(f) worker", "routine", "worker"),
        (" wait", "wait", ""),
        (" wait(1, 2) async(3)", "wait", "async(3)"),
        ("\tparallel copyin ( a [ 0 : n ] )", "parallel", "copyin(a [ 0 : n ])"),
        (" parallel private(s->p[0:n], t.u[i].v)", "parallel", "private(s->p[0:n],t.u[i].v)"),
        (" parallel if((a, b))", "parallel", "if((a, b))"),
    ],
)
def test_directives(text: str, name: str, clauses: str) -> None:
    reporter = Reporter()
    directive = parse(text, reporter)
    assert reporter.diagnostics == []
    assert directive is not None
    assert directive.name == name
    assert " ".join(map(shown, directive.clauses)) == clauses
    assert directive.text == text.strip()


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        (" cache(a)", "cache(a)"),
        (" cache (readonly: a[i-1:3], b[i][j+1:2])", "cache(readonly:a[i-1:3],b[i][j+1:2])"),
        (" wait(devnum:1:2)", "wait(devnum:1,2)"),
        (" routine(f) seq", "routine(f)"),
        (" wait async", ""),
    ],
)
def test_subjects(text: str, subject: str) -> None:
    directive = parse(text)
    assert directive is not None
    assert (shown(directive.subject) if directive.subject else "") == subject


@pytest.mark.parametrize(
    ("item", "name", "sections"),
    [
        ("a", "a", []),
        ("a[i]", "a", [("i", None, True)]),
        ("a[i-1:3]", "a", [("i-1", "3", False)]),
        ("a[:n]", "a", [(None, "n", False)]),
        ("a[n:]", "a", [("n", None, False)]),
        ("a[:][m]", "a", [(None, None, False), ("m", None, True)]),
        ("a[x ? 1 : 2 : n*(m+1)]", "a", [("x ? 1 : 2", "n*(m+1)", False)]),
        ("nn[idx[k]:8]", "nn", [("idx[k]", "8", False)]),
        ("img->data[j*c + max(0,i-r) : w]", "img->data", [("j*c + max(0,i-r)", "w", False)]),
        ("s[2].t[0:n]", "s[2].t", [("0", "n", False)]),
    ],
)
def test_sections(item: str, name: str, sections: list[tuple[str | None, str | None, bool]]) -> None:
    directive = parse(f" cache({item})")
    assert directive is not None
    assert directive.subject is not None
    (reference,) = directive.subject.variables
    found = [
        (part.lower and part.lower.text, part.length and part.length.text, part.is_element)
        for part in reference.sections
    ]
    assert (reference.name, found, reference.text) == (name, sections, item)


@pytest.mark.parametrize(
    ("text", "code", "caret", "hint"),
    [
        (" paralel loop", "ACC201", "paralel", "did you mean 'parallel'?"),
        (" loop copyin(a)", "ACC202", "copyin", "it belongs on 'acc parallel' or 'acc serial' or 'acc kernels'"),
        (" data gang", "ACC202", "gang", "it belongs on 'acc loop' or 'acc parallel loop' or 'acc serial loop'"),
        (" loop independant", "ACC212", "independant", "did you mean 'independent'?"),
        (" loop parallel", "ACC212", "parallel", "did you mean 'acc parallel loop'?"),
        (" loop frobnicate(a(b)) gang", "ACC212", "frobnicate", ""),
        ("", "ACC203", "", "write the directive behind 'acc', as in '#pragma acc parallel loop'"),
        (" enter create(a)", "ACC203", "create", "write 'acc enter data'"),
        (" cache", "ACC203", "", "write cache(a[i-1:3])"),
        (" cache a", "ACC203", "a", "write cache(a)"),
        (" cache readonly: a[0:4], b", "ACC203", "readonly", "write cache(readonly:a[0:4],b)"),
        (" cache[a[0:4]]", "ACC203", "[a", "write cache(a[0:4])"),
        (" parallel num_gangs=4 vector_length(128)", "ACC203", "=", "write num_gangs(4)"),
        (" parallel copyin a[0:n] copyout(b[0:n])", "ACC203", "a", "write copyin(a[0:n])"),
        (" parallel loop collapse gang", "ACC203", "gang", "write collapse(2)"),
        (" parallel if n > 3", "ACC203", "n", "write if(n>3)"),
        (" parallel default none", "ACC203", "none", "write default(none)"),
        (" update self", "ACC203", "", "write self(a[0:n])"),
        (" parallel copyin a", "ACC203", "a", "write copyin(a)"),
        (" parallel copyin(3)", "ACC203", "3", "name a variable, or a part of an array as in a[0:n]"),
        (" parallel copyin(*a)", "ACC203", "*", "write a[0:n] for n elements that 'a' leads to"),
        (" parallel copyin(&a)", "ACC203", "&", "write a, whose value is meant"),
        (" parallel copyin(s->)", "ACC203", ")", "write the member's name behind '->'"),
        (" parallel copyin(a[0:n]*2)", "ACC203", "*", "an expression cannot stand here: give its value a name"),
        (" parallel copyin(readonly a)", "ACC203", "a", "write 'readonly:', with a colon"),
        (" loop private(int k)", "ACC203", "k", "name the variable without its type"),
        (" parallel copyin(a;b)", "ACC203", ";", "write a comma in its place"),
        (" parallel default(none, present)", "ACC203", ",", "'default' takes one"),
        (" parallel default(1)", "ACC203", "1", "choose from: none, present"),
        (" routine(3)", "ACC203", "3", "write routine(f)"),
        (" parallel copyin(a b)", "ACC203", "b", "write a comma in front of it"),
        (" parallel copyin(a,)", "ACC203", ")", "take the comma out"),
        (" parallel copyin(a[])", "ACC203", "]", "write [0:n] for n elements from the first one on"),
        (" parallel copyin(a[1 2:3:4])", "ACC203", ":4", "a subarray is [first:length], and has no stride"),
        (" parallel copyin(a[i,j])", "ACC203", ",", "each dimension has brackets of its own: write [i][j]"),
        (" wait(1,)", "ACC203", ")", "take the comma out"),
        (" loop gang(static:)", "ACC203", ")", "write a value in front of it"),
        (" wait(devnum:1)", "ACC203", ")", "write wait(devnum:1:2)"),
        (" loop reduction(+ a)", "ACC203", "a", "write a colon in front of it"),
        (" loop reduction(+, a)", "ACC203", ",", "write a colon in its place"),
        (" loop reduction(+)", "ACC203", ")", "write reduction(+:sum)"),
        (" parallel + gang", "ACC203", "+", "take it out"),
        (" parallel copy(a))", "ACC203", ")", "take it out: no '(' is open here"),
        (" parallel copy(a),", "ACC203", "", "take the comma in front out"),
        (" parallel copy(a);", "ACC203", ";", "take it out: a directive ends with its line"),
        (" parallel {", "ACC203", "{", "write the brace in the next line: a directive ends with its line"),
        (" parallel (4)", "ACC203", "(", "write a clause's name in front of it"),
        (" parallel async 3", "ACC203", "3", "write async(3)"),
        (" parallel for", "ACC212", "for", "did you mean 'acc parallel loop'?"),
        (" parallel gang)", "ACC202", "gang", "it belongs on 'acc loop' or 'acc parallel loop' or 'acc serial loop'"),
        (" cache()", "ACC213", "cache", ""),
        (" loop collapse()", "ACC213", "collapse", ""),
        (" parallel if(a) if(b)", "ACC214", "if(b)", "keep one of them"),
        (" loop seq(1)", "ACC215", "(1", ""),
        (" loop reduction(/:a)", "ACC216", "/", "operators are + * max min & | ^ && ||"),
        (" loop reduction(a)", "ACC216", "a", "write the operator in front of it, as in reduction(+:a)"),
        (" loop reduction(a:max)", "ACC216", "a", "the operator comes first: write reduction(max:a)"),
        (" parallel copyin(readnly: a)", "ACC216", "readnly", "did you mean 'readonly'?"),
        (" parallel private(zero: a)", "ACC216", "zero", ""),
        (" parallel default(shared)", "ACC216", "shared", "choose from: none, present"),
        (" loop gang(static: 2, size: 4)", "ACC216", "size", "choose from: num, dim, static"),
        (" update async", "ACC217", "update", ""),
        (" enter data if(x)", "ACC217", "enter", ""),
        (" loop seq gang", "ACC218", "gang", "keep one of them"),
        (" routine gang worker", "ACC218", "worker", "keep one of them"),
        (" parallel copyin(a[0:n)", "ACC219", "[", "write ']' in front of ')'"),
        (" parallel copyin(a[0:n]])", "ACC219", "(", "take ']' out"),
        (" parallel copyin(a[0:n))", "ACC219", "[", "write ']' in the place of ')'"),
        (" parallel copyin[a(0:n)]", "ACC203", "[", "write copyin(a(0:n))"),
        (" parallel copyin(a[0:n] collapse(2)", "ACC219", "(", "write ')' behind '(a[0:n]'"),
        (" parallel copy(a[0:n], copyin(b[0:n])", "ACC219", "(", "write ')' behind '(a[0:n]'"),
        (
            " parallel copyin(a",
            "ACC219",
            "(",
            "write ')' behind '(a'; a directive goes on in the next line only behind a '\\'",
        ),
        (" loop collapse(2, 3)", "ACC220", "2", ""),
        (" parallel num_gangs(1,2,3,4)", "ACC220", "1", ""),
    ],
)
def test_mistakes(text: str, code: str, caret: str, hint: str) -> None:
    reporter = Reporter()
    parse(text, reporter)
    found = reporter.diagnostics[0]
    assert (found.code, found.hint) == (code, hint)
    assert found.location is not None
    column = found.location.column - 1
    assert (PREFIX + text)[column:].startswith(caret)
    if not caret:
        assert column == len(PREFIX + text)


def test_errors_of_one_directive_are_collected() -> None:
    reporter = Reporter()
    parse(" loop foo(1) seq bar", reporter)
    assert [found.code for found in reporter.diagnostics] == ["ACC212", "ACC212"]


def test_places_across_continuations_and_macros() -> None:
    text = (
        "#define N (n * 2)\n#define MINE copyin(q)\nvoid f() {\n"
        "#pragma acc parallel \\\n   copy(a[1:N], b) MINE \\\n  private(c)\n;}\n"
    )
    source, reporter = SourceFile("a.c", text), Reporter()
    (site,) = find_pragmas(source, preprocess(source, PreprocessOptions(), reporter), reporter)
    directive = parse_directive(site, source, reporter)
    assert directive is not None
    assert directive.text == "parallel copy(a[1:N], b) MINE private(c)"
    copy, copyin, private = directive.clauses
    length = copy.variables[0].sections[0].length
    assert length is not None
    assert length.text == "(n * 2)"
    assert (length.location.line, length.location.column) == (5, 13)
    assert (copy.variables[1].location.line, copy.variables[1].location.column) == (5, 17)
    assert (copyin.location.line, copyin.location.column) == (5, 20)
    assert (copyin.variables[0].name, copyin.variables[0].location.column) == ("q", 20)
    assert (private.variables[0].location.line, private.variables[0].location.column) == (6, 11)


def test_places_in_an_operator_and_in_a_macros_argument() -> None:
    text = '#define P(x) _Pragma(#x)\n  _Pragma("acc loop gang")\nP(acc loop vector) ;\n'
    source, reporter = SourceFile("a.c", text), Reporter()
    sites = find_pragmas(source, preprocess(source, PreprocessOptions(), reporter), reporter)
    places = []
    for site in sites:
        directive = parse_directive(site, source, reporter)
        assert directive is not None
        places.append(
            (directive.clauses[0].name, directive.clauses[0].location.line, directive.clauses[0].location.column)
        )
    assert places == [("gang", 2, 21), ("vector", 3, 12)]


def test_every_clause_has_a_rule() -> None:
    assert {clause for allowed in DIRECTIVES.values() for clause in allowed} <= set(CLAUSES)


WORDS = ("parallel", "loop", "copyin", "wait", "cache", "readonly", "gang", "a", "1", *"()[]:,+*?")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no failure
@given(st.lists(st.sampled_from(WORDS)))
def test_no_text_crashes(words: list[str]) -> None:
    reporter = Reporter()
    directive = parse(" " + " ".join(words), reporter)
    assert directive is not None or reporter.has_errors
