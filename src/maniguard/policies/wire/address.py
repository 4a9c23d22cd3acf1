"""How the address of a policy server is read: host, port and options, each with its kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from maniguard.errors import alternatives
from maniguard.policies.contract import IMAGE_SIZES_PX
from maniguard.policies.policy import PolicyError

# Rows of a chunk that are executed when neither server nor preset says: the usual choice for chunks of 10 to 50.
DEFAULT_EXECUTED_STEPS = 8

#: The longest that anything is waited for: beyond some weeks the system's own clocks overflow.
LONGEST_S = 7 * 86400.0

#: The options that every address takes; seconds and rows.
COMMON: Mapping[str, Callable[[str], Any]] = {"execute": int, "wait_s": float, "timeout_s": float}


def read_address(
    url: str, form: str, kinds: Mapping[str, Callable[[str], Any]], paths: tuple[str, ...] = ("", "/")
) -> tuple[str, int, dict[str, Any]]:
    """Return host, port and the options of `url`; PolicyError when it is not of `form`.

    `kinds` has what reads the text of each option. Numbers must be finite and above 0, `wait_s` may be 0;
    times are a week at most.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        # Names of hosts are looked up in this form, which raises for what can be none.
        (host or "").encode("idna")
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise PolicyError(f"policy {url!r}: {error}; valid: {form}") from error
    if not host or not port or parts.path not in paths or parts.fragment or parts.username is not None:
        raise PolicyError(f"policy {url!r} is not of the form {form}")
    values: dict[str, Any] = {}
    for key, text in pairs:
        if key not in kinds:
            raise PolicyError(f"policy {url!r}: unknown option {key!r}; valid: {alternatives(kinds)}")
        if key in values:
            raise PolicyError(f"policy {url!r}: option {key!r} stands there twice")
        try:
            value = kinds[key](text)
        except ValueError as error:
            raise PolicyError(f"policy {url!r}: {key}={text!r} is not a number") from error
        # Only what is no whole number can be infinite.
        if isinstance(value, int | float) and not (
            (isinstance(value, int) or math.isfinite(value)) and (value > 0 or (key == "wait_s" and not value))
        ):
            raise PolicyError(f"policy {url!r}: {key}={text} must be finite and positive")
        if key in ("wait_s", "timeout_s") and value > LONGEST_S:
            raise PolicyError(f"policy {url!r}: {key}={text} is longer than {LONGEST_S:g} s, a week")
        values[key] = value
    return host, port, values


def checked_size(url: str, size_px: int) -> int:
    """Return the edge length of images that an address asks for; PolicyError when nothing renders it."""
    low, high = IMAGE_SIZES_PX
    if not low <= size_px <= high:
        raise PolicyError(f"policy {url!r}: size_px={size_px} is outside {low} to {high}")
    return size_px


def bracketed(host: str) -> str:
    """Return a host as it stands in an address: an IPv6 number in brackets."""
    return f"[{host}]" if ":" in host else host
