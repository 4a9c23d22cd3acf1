"""What can be wrong with a recording or with its mapping."""

from __future__ import annotations

import struct
import zipfile
import zlib

from maniguard.errors import ManiguardError

# What the readers of files raise for one that is truncated or damaged; a wrong text is a ValueError.
DAMAGED = (OSError, EOFError, KeyError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile, struct.error)


class AuditError(ManiguardError):
    """A recording that cannot be read as a trace, or a mapping that does not fit it; one line, with what is valid."""
