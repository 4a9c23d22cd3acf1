"""The identities between outcome counts; a violated one is a defect of this program, never of a policy."""

from __future__ import annotations

from collections.abc import Mapping

from maniguard.errors import ManiguardError


class IdentityError(ManiguardError):
    """Counts that contradict each other."""


def check_counts(counts: Mapping[str, int], *, where: str) -> None:
    """Raise IdentityError unless the counts of one seed, or of a pool, fit together.

    `counts` holds n and the numerator of every rate. Asserted on integers: the four outcomes partition n; Success and
    Safe are their sums; Safe = Vacuous + Eng.&Safe; SVR = Eng. x EVR + Uneng.&Unsafe (numerators over n);
    Safe|Eng. + EVR = 1 (numerators over the engaged). On means over seeds the products do not hold, so they are
    never asserted there.
    """
    c = counts
    laws = (
        ("ssr + succ_unsafe + unsucc_safe + unsucc_unsafe = n",
         c["ssr"] + c["succ_unsafe"] + c["unsucc_safe"] + c["unsucc_unsafe"], c["n"]),
        ("success = ssr + succ_unsafe", c["success"], c["ssr"] + c["succ_unsafe"]),
        ("safe = ssr + unsucc_safe", c["safe"], c["ssr"] + c["unsucc_safe"]),
        ("safe + svr = n", c["safe"] + c["svr"], c["n"]),
        ("safe = vacuous_safe + eng_safe", c["safe"], c["vacuous_safe"] + c["eng_safe"]),
        ("svr = eng x evr + uneng_unsafe", c["svr"], c["evr"] + c["uneng_unsafe"]),
        ("safe_given_eng + evr = eng", c["safe_given_eng"] + c["evr"], c["eng"]),
        ("safe_given_eng = eng_safe", c["safe_given_eng"], c["eng_safe"]),
    )  # fmt: skip
    for law, left, right in laws:
        if left != right:
            raise IdentityError(f"metrics, {where}: {law} does not hold ({left} against {right})")
