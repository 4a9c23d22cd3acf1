"""Errors of a user's code name the user's line."""

from __future__ import annotations

import pytest

from maniguard.policies import ActionSpec, PolicyContract, PolicyError
from maniguard.policies.contract import ContractError
from maniguard.policies.foreign import ForeignCode


def test_the_line_is_the_users_also_where_our_code_stumbled_over_it():
    said = r"^policy 'p' raised AttributeError in m: .*\(test_foreign\.py line \d+\)$"
    with pytest.raises(PolicyError, match=said), ForeignCode(PolicyError, "policy 'p'", "m"):
        PolicyContract("p", ("observation/state",), ActionSpec(1), 1, True)


def test_our_own_errors_pass_as_they_are():
    with pytest.raises(ContractError, match="executes 3 steps"), ForeignCode(PolicyError, "policy 'p'", "m"):
        PolicyContract("p", (), ActionSpec(1), 3, True)


def test_an_error_without_words_is_still_one_line():
    with pytest.raises(PolicyError) as caught, ForeignCode(PolicyError, "policy 'p'", "m"):
        raise ValueError("two\nlines")
    assert "two lines" in str(caught.value)
    assert "\n" not in str(caught.value)
