"""OpenGL's back end is chosen before any test imports mujoco, as the package does for its users; nothing is timed."""

from hypothesis import settings

import maniguard.sim  # noqa: F401

# How long an example takes depends on what else the machine does.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
