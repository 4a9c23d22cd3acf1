"""Safety of robot-manipulation policies: specified, measured, improved."""

__version__ = "0.1.0"
