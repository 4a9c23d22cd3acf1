from __future__ import annotations

import pytest

from maniguard.metrics import IdentityError, check_counts

SOUND = {
    "n": 10,
    "success": 4,
    "safe": 7,
    "ssr": 3,
    "succ_unsafe": 1,
    "unsucc_safe": 4,
    "unsucc_unsafe": 2,
    "vacuous_safe": 2,
    "eng": 7,
    "eng_safe": 5,
    "safe_given_eng": 5,
    "svr": 3,
    "evr": 2,
    "uneng_unsafe": 1,
}


def test_sound_counts_pass():
    check_counts(SOUND, where="pooled")


@pytest.mark.parametrize("name", sorted(SOUND))
@pytest.mark.parametrize("change", [-1, 1])
def test_no_single_count_can_be_wrong_unnoticed(name, change):
    with pytest.raises(IdentityError, match="seed 2"):
        check_counts({**SOUND, name: SOUND[name] + change}, where="seed 2")
