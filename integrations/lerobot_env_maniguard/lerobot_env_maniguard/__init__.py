"""Registers maniguard's benchmark with LeRobot, which imports this package because of its name."""

from lerobot_env_maniguard.config import ManiguardEnvConfig

__all__ = ["ManiguardEnvConfig"]
