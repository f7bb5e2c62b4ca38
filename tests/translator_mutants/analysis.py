"""Bugs in what is known of indices, values and references."""

from __future__ import annotations

from translator_mutants.mutant import Mutant, bugs

QUICK: tuple[list[Mutant], ...] = (
    bugs(
        "analysis/dependence",
        "tests/analysis/test_dependence.py",
        (
            "differences = [a - b.substitute(self.other) for a, b in pairs]",
            "differences = [a - b for a, b in pairs]",
            "test_one_dimension",
        ),
        ("for sign in (1,) if alike else (1, -1):", "for sign in (1,):", "test_one_dimension"),
        (
            "is_positive(difference, facts) or is_positive(-difference, facts)",
            "is_positive(difference, facts)",
            "test_one_dimension",
        ),
        (
            "return constant % divisor != 0 if divisor",
            "return constant % divisor == 0 if divisor",
            "test_one_dimension",
        ),
        ("Polynomial.symbol(DISTANCE) * self.step})", "Polynomial.symbol(DISTANCE)})", "test_strong_siv"),
        (
            "is_nonnegative(pitch - 1 - column, facts) and is_nonnegative(pitch - 1 + column, facts)",
            "is_nonnegative(pitch - 1 - column, facts)",
            "test_one_dimension",
        ),
        (
            "least = Polynomial.constant(abs(self.step))",
            "least = Polynomial.constant(1)",
            "test_no_step_proves_nothing",
        ),
        (
            "most = None if own.extent is None or changes else own.extent - 1",
            "most = None if own.extent is None else own.extent - 1",
            "test_a_limit_that_changes_inside_the_loop_bounds_no_distance",
        ),
        (
            "names = self.inner | {self.variable}",
            "names = {self.variable} | frozenset()",
            "test_a_separating_dimension_suffices",
        ),
        (
            "if not part.names & absent)",
            ")",
            "test_a_loop_that_may_be_empty_says_nothing_about_references_outside_of_it",
        ),
        (
            "elif name not in absent:",
            "else:",
            "test_a_loop_that_may_be_empty_says_nothing_about_references_outside_of_it",
        ),
        ("not (first.is_write or second.is_write)", "not (first.is_write and second.is_write)", "test_one_dimension"),
        (
            "(not first.order_class or first.order_class != second.order_class)",
            "first.order_class != second.order_class",
            "test_one_dimension",
        ),
        ("combinations_with_replacement(ordered, 2)", "combinations(ordered, 2)", "test_one_dimension"),
        ("own.extent - 1\n", "own.extent - 2\n", "test_one_dimension"),
    ),
    bugs(
        "analysis/must_write",
        "tests/analysis/test_must_write.py",
        (
            "return then & otherwise",
            "return then | otherwise",
            "test_what_is_certain_happens_in_every_execution",
        ),
        (
            "if stmt.otherwise else known",
            "if stmt.otherwise else then",
            "test_what_is_certain_happens_in_every_execution",
        ),
        (
            "values is None or any(leaving_jumps(stmt.body)):\n            self.repeated",
            "values is None:\n            self.repeated",
            "test_what_is_certain_happens_in_every_execution",
        ),
        (
            "            self.repeated(stmt, known, env)\n            return known",
            "            return self.statement(stmt.body, known, env)",
            "test_a_while_loop_may_not_run",
        ),
        (
            "values is None or stmt.grid or any",
            "values is None or any",
            "test_other_blocks_write_what_a_loop_over_blocks_writes",
        ),
        (
            'count = max(0, -(-(span + (loop.operator in ("<=", ">="))) // step))',
            "count = max(0, -(-span // step))",
            "test_a_loop_may_begin_anywhere",
        ),
        ("not (lazy and position))", "True)", "test_an_operand_that_may_be_skipped_is_not_certain"),
        (
            "if is_read and (element is None or element not in known):",
            "if is_read and element is not None and element not in known:",
            "test_an_index_that_changes_is_not_known",
        ),
        (
            "return index if all(part.names <= self.names for part in index) else None",
            "return index",
            "test_an_index_that_changes_is_not_known",
        ),
        (
            "if walked.visits > MAX_VISITS or any(leaving_jumps(stmt)):",
            "if walked.visits > MAX_VISITS:",
            "test_a_jump_out_leaves_no_write_certain",
        ),
        (
            "rounds = [self.statement(stmt.body, known, {**env, stmt.loop.variable: value}) for value in values]",
            "rounds = [known := self.statement(stmt.body, known, {**env, stmt.loop.variable: at}) for at in values]",
            "test_iterations_of_a_parallel_loop_do_not_see_each_other",
        ),
    ),
    bugs(
        "analysis/ranges",
        "tests/analysis/test_ranges.py",
        (
            "return is_nonnegative(polynomial - 1, facts)",
            "return is_nonnegative(polynomial, facts)",
            "test_positive_is_at_least_one",
        ),
        ("self.high - self.low + 1", "self.high - self.low", "test_extent"),
        (
            'limit - first if operator == "<=" else limit - first - 1)',
            "limit - first)",
            "test_loop_intervals_are_exact_for_constants",
        ),
        ("(whole + constant // step) * step)", "whole * step)", "test_loop_intervals_are_exact_for_constants"),
        (
            "for end, sign in ((interval.low, 1), (interval.high, -1)):",
            "for end, sign in ((interval.low, -1), (interval.high, 1)):",
            "test_bounds_of_a_window_do_not_mention_its_centre",
        ),
        (
            "if degree > 1 and (interval.low is None or not _shown(interval.low, rest, origin)):",
            "if False:",
            "test_powers_are_bounded_where_monotone",
        ),
        (
            "setdefault((monomial, coefficient > 0), []).append(part)",
            "setdefault((monomial, True), []).append(part)",
            "test_unknown_ends_and_signs_give_no_bound",
        ),
        (
            'mirrored = {">": "<", ">=": "<=", "<": ">", "<=": ">="}',
            'mirrored = {">": "<", ">=": "<", "<": ">", "<=": ">="}',
            "test_loop_intervals_are_exact_for_constants",
        ),
        ("        return constant >= 0\n    least", "        return constant > 0\n    least", "test_nonnegative"),
    ),
    bugs(
        "analysis/delinearise",
        "tests/analysis/test_delinearise.py",
        (
            "(2 * abs(value) + abs(unit) - 1) // (2 * abs(unit))",
            "abs(value) // abs(unit)",
            "test_halo_offsets_stay_with_their_row",
        ),
        ("if stride is None or stride.names & indices:", "if stride is None:", "test_find_pitch"),
        (
            "return strides is not None and all(_size(stride) < _size(pitch) for stride in strides)",
            "return True",
            "test_common_pitch",
        ),
        (
            "next((pitches for pitches, proved in views if proved), views[0][0] if views else None)",
            "views[0][0] if views else None",
            "test_a_proved_pitch_is_preferred",
        ),
        ("-stride if stride.terms[0][1] < 0 else stride", "stride", "test_find_pitch"),
        ("if _size(stride) > (0, 1)]", "]", "test_find_pitch"),
        ("or (pitch.constant_value or 1) <= 0", "", "test_delinearise"),
    ),
    bugs(
        "frontend/c/only_read",
        "tests/frontend/c/test_const_values.py",
        (
            "depth if is_read else 0",
            "depth",
            "test_other_arrays_are_handed_over",
        ),
        (
            "self.depths.get(name, dimensions) >= dimensions",
            "self.depths.get(name, dimensions) > 0",
            "test_other_arrays_are_handed_over",
        ),
        ("if not is_ours or _MAY_CHANGE.search(text):", "if not is_ours:", "test_other_arrays_are_handed_over"),
        ("STATEMENT_EXPRESSION not in self.depths and ", "", "test_other_arrays_are_handed_over"),
        (
            "if not is_ours or _MAY_CHANGE.search(text):",
            "if _MAY_CHANGE.search(text):",
            "test_other_arrays_are_handed_over",
        ),
    ),
    bugs(
        "frontend/c/const_values",
        "tests/frontend/c/test_const_values.py",
        ("first < value <= last or value == 0", "first < value", "test_what_is_not_known_is_handed_over"),
        ("and not is_volatile(ctype)", "", "test_what_is_not_known_is_handed_over"),
        ("not element.volatile and ", "", "test_other_arrays_are_handed_over"),
        ("and is_literal(init)", "", "test_other_arrays_are_handed_over"),
    ),
    bugs(
        "frontend/openacc/gotos",
        "tests/frontend/openacc/test_gotos.py",
        ("self.body(stmt.body, True)", "self.body(stmt.body, in_loop)", "test_what_a_goto_skips"),
        ("if in_loop and any(self.is_in(node)", "if False and any(self.is_in(node)", "test_what_a_goto_skips"),
        ("skipped += _given(item)", "pass", "test_what_a_goto_skips"),
        ('Unary(BOOL, where, "!", self.asked(where))', "self.asked(where)", "test_what_a_goto_skips"),
    ),
    bugs(
        "ptx/machine/decode",
        "tests/ptx/test_machine.py",
        ("Constant(int(operand.value != 0) if is_truth else", "Constant(", "test_any_number_but_zero_is_true"),
    ),
    bugs(
        "frontend/openacc/tables",
        "tests/frontend/c/test_const_values.py",
        ("if uses[name] == reads[name]", "if reads[name]", "test_other_arrays_are_handed_over"),
        ("children(node.operand)", "(node.operand,)", "test_other_arrays_are_handed_over"),
    ),
    bugs(
        "analysis/dependence",
        "tests/mapping/test_parallelism.py",
        (
            "difference in (Polynomial.symbol(DISTANCE), -Polynomial.symbol(DISTANCE))",
            "difference.names == {DISTANCE}",
            "test_unsigned_differences_count_where_they_cannot_wrap_or_part_iterations_all_the_same",
        ),
    ),
)
