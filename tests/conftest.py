"""The OpenGL back end is chosen before any test imports mujoco, as the package does for its users."""

import maniguard.sim  # noqa: F401
