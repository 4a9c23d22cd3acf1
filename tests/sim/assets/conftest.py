"""The package chooses how MuJoCo draws before MuJoCo is imported, whichever test comes first."""

import maniguard.sim  # noqa: F401
