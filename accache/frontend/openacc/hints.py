"""What to write where a directive does not follow the grammar: the nearest text that does.

And a warning of pragmas that are meant for OpenACC and spell its name in another way: compilers pass over these.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from accache.base.diagnostics import Reporter
from accache.base.spelling import similar
from accache.base.text import SourceFile, Span
from accache.frontend.grammar import ALIASES, CLAUSES, DIRECTIVES, REDUCTION_OPERATORS, SUBJECTS, ClauseRule, Shape
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.tokens import (
    CLOSING,
    DIRECTIVE,
    IDENTIFIER,
    NUMBER,
    OPENING,
    PUNCTUATOR,
    STRING,
    Token,
    matching,
    tokenise,
)

_NAMES = ("acc", "openacc")
_FIRST_WORDS = frozenset(name.split()[0] for name in DIRECTIVES)
_OPENERS = {close: opening for opening, close in OPENING.items()}
_OPERANDS = frozenset((IDENTIFIER, NUMBER, STRING))
_TYPES = frozenset(("char", "short", "int", "long", "signed", "unsigned", "float", "double", "size_t", "const"))
_OTHER_DIRECTIVES = {
    "end": "take it out: in C a construct ends with its statement",
    "barrier": "take it out: threads wait for each other at the end of a loop",
    "for": "did you mean 'loop'?",
    "do": "did you mean 'loop'?",
    "simd": "did you mean 'loop vector'?",
    "target": "did you mean 'parallel'?",
    "critical": "did you mean 'atomic'?",
    "gang": "did you mean 'loop gang'?",
    "worker": "did you mean 'loop worker'?",
    "vector": "did you mean 'loop vector'?",
    "copy": "did you mean 'data copy'?",
    "copyin": "did you mean 'data copyin'?",
    "copyout": "did you mean 'data copyout'?",
    "create": "did you mean 'data create'?",
}
_OTHER_CLAUSES = {
    **dict.fromkeys(("copyinout", "inout", "tofrom", "map"), "copy"),
    **dict.fromkeys(("in", "input", "to"), "copyin"),
    **dict.fromkeys(("out", "output", "from"), "copyout"),
    **dict.fromkeys(("num_threads", "threads", "thread_limit", "blocksize"), "vector_length"),
    **dict.fromkeys(("num_teams", "num_blocks", "blocks"), "num_gangs"),
    "simd": "vector",
    "alloc": "create",
    "reduce": "reduction",
}
"""What others call things: OpenMP, Fortran, CUDA, and those who guess."""
_EXAMPLES = {
    "cache": "a[i-1:3]",
    "default": "present",
    "device_type": "nvidia",
    "bind": "f",
    "tile": "16,16",
    "if": "n > 1000",
}
_OF_SHAPE = {Shape.VALUES: "2", Shape.VARIABLES: "a[0:n]", Shape.REDUCTION: "+:sum", Shape.WORDS: "f", Shape.WAIT: "1"}
"""What may stand in the parentheses of a clause, where a user has written nothing that could."""


class Mend(Struct, frozen=True):
    """What to write, in words and as ``text`` in the place of the tokens [first, last)."""

    hint: str
    first: int
    last: int
    text: str


def expected_hint(tokens: Sequence[Token], index: int, expected: str, rule: ClauseRule | None) -> str:
    """What to write where a token is not what is ``expected``; '' where no text is near.

    ``rule`` is that of the clause whose parentheses the token stands in.
    """
    texts = [token.text for token in tokens]
    found = texts[index] if index < len(texts) else ""
    before = texts[index - 1] if index else ""
    match expected:
        case "a directive name":
            return "write the directive behind 'acc', as in '#pragma acc parallel loop'"
        case "'data'":
            return f"write 'acc {before} data'"
        case "a clause":
            return _in_place_of_clause(tokens, index)
        case "'('":
            made = parenthesised(tokens, index, rule)
            return made.hint if made is not None else ""
        case "',' or ')'":
            return _in_list(tokens, index, rule)
        case "':'":
            return _in_place_of_colon(before, found, rule)
        case "']'":
            return _in_brackets(texts, index)
        case "a variable":
            return _in_place_of_variable(tokens, index)
        case "a member":
            return f"write the member's name behind '{before}'"
        case "a name" if rule is not None:
            return f"choose from: {', '.join(rule.words)}" if rule.words else f"write {_example(rule)}"
        case "an expression":
            return _in_place_of_expression(before, found)
    return ""


def directive_hint(word: str) -> str:
    """What to write in the place of a directive that OpenACC does not have."""
    return _OTHER_DIRECTIVES.get(word, "") or similar(word, {name.split()[0] for name in DIRECTIVES})


def clause_hint(word: str, directive: str) -> str:
    """What to write in the place of a clause that OpenACC does not have."""
    swapped = f"{directive} loop" if word in ("for", "do") else f"{word} {directive}"
    if swapped in DIRECTIVES:
        return f"did you mean 'acc {swapped}'?"
    if word in ("for", "do"):
        return "take it out; where it begins the loop, take out the '\\' at the end of the line above"
    if word in DIRECTIVES:
        return f"'acc {word}' is a directive of its own, and has a line of its own"
    allowed = DIRECTIVES[directive]
    meant = _OTHER_CLAUSES.get(word.lower(), "")
    return f"did you mean '{meant}'?" if meant in allowed else similar(word, allowed)


def in_place_of_loop(node: object) -> str:
    """What to do about a statement of the tree, None for the end of a block, where a for loop is expected."""
    match type(node).__name__:
        case "NoneType":
            return "move it in front of the loop"
        case "Compound":
            return "take out the brace in front of the loop"
        case "While" | "DoWhile":
            return "write the loop with for: how often it runs must be known before it runs"
    return "move it to the line in front of for"


def inside_hint(directive: str) -> str:
    """What to do about a directive that stands in a compute construct, where it cannot."""
    if directive.split()[0] in ("parallel", "kernels", "serial"):
        return "write 'acc loop' for a loop inside of a construct"
    return "a kernel cannot do that: move it in front of the construct, or behind it"


def outside_hint(directive: str) -> str:
    """What to do about a directive that stands in no compute construct."""
    if directive == "loop":
        return "write '#pragma acc parallel loop' in front of the loop it is for"
    return "move it into a loop with '#pragma acc parallel loop'"


def _in_place_of_clause(tokens: Sequence[Token], index: int) -> str:
    found = tokens[index].text if index < len(tokens) else ""
    before = tokens[index - 1].text
    if before in CLAUSES and CLAUSES[before].optional and tokens[index:] and tokens[index].kind in _OPERANDS:
        return f"write {before}({found})"
    if not found:
        return "take the comma in front out"
    if found == "{":
        return "write the brace in the next line: a directive ends with its line"
    if found == ";":
        return "take it out: a directive ends with its line"
    if found in CLOSING:
        return f"take it out: no '{_OPENERS[found]}' is open here"
    return "write a clause's name in front of it" if found in OPENING else "take it out"


def _in_list(tokens: Sequence[Token], index: int, rule: ClauseRule | None) -> str:
    """What to write where a list in parentheses neither goes on nor ends."""
    token, before = tokens[index], tokens[index - 1].text
    if rule is not None and rule.shape is not Shape.WORDS and before in rule.words:
        return f"write '{before}:', with a colon"
    if before in _TYPES:
        return "name the variable without its type"
    if token.kind in _OPERANDS:
        return "write a comma in front of it"
    if token.text in (";", ":"):
        return "write a comma in its place"
    if rule is not None and rule.shape in (Shape.VARIABLES, Shape.REDUCTION):
        return "an expression cannot stand here: give its value a name"
    return f"'{rule.name}' takes one" if rule is not None and token.text == "," else ""


def _in_place_of_colon(before: str, found: str, rule: ClauseRule | None) -> str:
    if found == ",":
        return "write a colon in its place"
    if rule is None or found != ")":
        return "write a colon in front of it"
    return f"write {rule.name}({before}:sum)" if rule.shape is Shape.REDUCTION else "write wait(devnum:1:2)"


def _in_brackets(texts: Sequence[str], index: int) -> str:
    if texts[index] == ",":
        return "each dimension has brackets of its own: write [i][j]"
    return "a subarray is [first:length], and has no stride" if texts[index] == ":" else ""


def _in_place_of_variable(tokens: Sequence[Token], index: int) -> str:
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if following is not None and following.kind == IDENTIFIER and tokens[index].text == "*":
        return f"write {following.text}[0:n] for n elements that '{following.text}' leads to"
    if following is not None and following.kind == IDENTIFIER and tokens[index].text == "&":
        return f"write {following.text}, whose value is meant"
    if index < len(tokens) and tokens[index].text in (",", ")"):
        return "take the comma out" if "," in (tokens[index].text, tokens[index - 1].text) else "name a variable"
    return "name a variable, or a part of an array as in a[0:n]"


def _in_place_of_expression(before: str, found: str) -> str:
    if (before, found) == ("[", "]"):
        return "write [0:n] for n elements from the first one on"
    return "take the comma out" if "," in (before, found) else "write a value in front of it"


def _example(rule: ClauseRule) -> str:
    inside = _EXAMPLES.get(rule.name) or _OF_SHAPE[rule.shape]
    return f"{rule.name}({inside})"


def parenthesised(tokens: Sequence[Token], index: int, rule: ClauseRule | None = None) -> Mend | None:
    """Parentheses behind a clause's name, which end in front of a token; None where that needs none.

    Before: ``collapse 2``, ``num_gangs=4``, ``cache a[0:4]``. After: ``collapse(2)``, ``cache(a[0:4])``.
    """
    name = tokens[index - 1].text if index else ""
    rule = rule or CLAUSES.get(ALIASES.get(name, name)) or SUBJECTS.get(name)
    if rule is None or (index < len(tokens) and tokens[index].text == "("):
        return None
    start = index + (index < len(tokens) and tokens[index].text in ("=", ":"))
    end = _end_of_argument(tokens, start)
    inside = "".join(token.text for token in tokens[start:end])
    if not inside or tokens[start].text in CLAUSES or _imbalance(tokens[start:end]):
        return Mend(f"write {_example(rule)}", index, index, "")
    if tokens[start].text in ("[", "{") and matching(tokens, start) == end - 1:
        inside = inside[1:-1]
    text = f"{name}({inside})"
    return Mend(f"write {text}", index - 1, end, text)


def _end_of_argument(tokens: Sequence[Token], start: int) -> int:
    """Where one operand follows another without an operator between them, or the text ends."""
    depth = 0
    for index in range(start, len(tokens)):
        token = tokens[index]
        before = tokens[index - 1] if index > start else None
        is_behind_operand = before is not None and (before.kind in _OPERANDS or before.text in CLOSING)
        if not depth and is_behind_operand and token.kind in _OPERANDS:
            return index
        if before is not None and before.text == "," and _begins_clause(tokens[index : index + 2]):
            return index - 1
        depth += (token.text in OPENING) - (token.text in CLOSING)
    return len(tokens)


def _begins_clause(tokens: Sequence[Token]) -> bool:
    return tokens[0].text in CLAUSES and [token.text for token in tokens[1:]] == ["("]


def operator_hint(tokens: Sequence[Token], index: int) -> str:
    """What to write where the first word of a reduction is no operator."""
    word, *behind = [token.text for token in tokens[index : index + 3]]
    if behind[:1] in ([":"], [","]) and behind[1:] and behind[1] in REDUCTION_OPERATORS:
        return f"the operator comes first: write reduction({behind[1]}:{word})"
    if behind[:1] in ([","], [")"]) and tokens[index].kind == IDENTIFIER:
        return f"write the operator in front of it, as in reduction(+:{word})"
    return f"operators are {' '.join(REDUCTION_OPERATORS)}"


def closed(tokens: Sequence[Token], place: int) -> Mend:
    """What makes brackets pair, where the one at ``place`` is the innermost without a partner.

    Before: ``copy(a[0:n]``, ``copy(a[0:n)``. After: ``copy(a[0:n])``.
    """
    wanted = OPENING[tokens[place].text]
    wrong = _first_wrong(tokens, place)
    if wrong is None:
        end = _end_of_argument(tokens, place + 1)
        behind = "".join(token.text for token in tokens[place:end])
        return Mend(f"write '{wanted}' behind '{behind}'", end, end, wanted)
    text = tokens[wrong].text
    other_opening = Mend(f"write '{_OPENERS[text]}' in its place", place, place + 1, _OPENERS[text])
    other_closing = Mend(f"write '{wanted}' in the place of '{text}'", wrong, wrong + 1, wanted)
    is_brace = wanted == "}"  # directives hardly ever have one
    others = (other_opening, other_closing) if is_brace else (other_closing, other_opening)
    for mend in (Mend(f"take '{text}' out", wrong, wrong + 1, ""), *others):
        if not _imbalance(_changed(tokens, mend)):
            return mend
    return Mend(f"write '{wanted}' in front of '{text}'", wrong, wrong, wanted)


def unclosed_hint(tokens: Sequence[Token], place: int) -> str:
    """What to write for the bracket at ``place``, the innermost without a partner."""
    mend = closed(tokens, place)
    is_last = mend.first == len(tokens)
    return mend.hint + "; a directive goes on in the next line only behind a '\\'" * is_last


def _changed(tokens: Sequence[Token], mend: Mend) -> list[Token]:
    """The tokens after a mend; the spans of new ones mean nothing."""
    added = [Token(PUNCTUATOR, mend.text, tokens[0].span)] if mend.text else []
    return [*tokens[: mend.first], *added, *tokens[mend.last :]]


def _first_wrong(tokens: Sequence[Token], place: int) -> int | None:
    """The first bracket behind ``place`` that closes another kind than is open; None if there is none."""
    opened: list[str] = []
    for index in range(place, len(tokens)):
        text = tokens[index].text
        if tokens[index].kind == PUNCTUATOR and text in OPENING:
            opened.append(OPENING[text])
        elif tokens[index].kind == PUNCTUATOR and text in CLOSING and opened.pop() != text:
            return index
    return None


def _imbalance(tokens: Sequence[Token]) -> bool:
    """Whether some bracket has no partner."""
    opened: list[str] = []
    for token in tokens:
        if token.kind == PUNCTUATOR and token.text in OPENING:
            opened.append(OPENING[token.text])
        elif token.kind == PUNCTUATOR and token.text in CLOSING and (not opened or opened.pop() != token.text):
            return True
    return bool(opened)


def warn_of_misspelt(source: SourceFile, inactive: tuple[Span, ...], reporter: Reporter) -> None:
    """Warn of ``#pragma ac parallel``, ``#pragma parallel loop`` and their like (ACC255)."""
    for token in active_tokens(source, inactive):
        if token.kind != DIRECTIVE:
            continue
        words = tokenise(source, token.span.start + 1, token.span.end)[:3]
        if len(words) < 3 or words[0].text != "pragma" or words[1].text == "acc":
            continue
        name, directive = words[1].text, words[2].text
        if directive in _FIRST_WORDS and similar(name.lower(), _NAMES):
            reporter.report("ACC255", source.locate(words[1].span), written=f"{name} {directive}", meant=directive)
        elif f"{name} {directive}" in DIRECTIVES or (name, directive) == ("cache", "("):
            meant = "cache(...)" if directive == "(" else f"{name} {directive}"
            reporter.report("ACC255", source.locate(words[1].span), written=meant, meant=meant)
