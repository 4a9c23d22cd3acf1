"""The command line: `maniguard`. Thin: it reads arguments, calls the packages below and prints."""

from maniguard.cli.main import main

__all__ = ["main"]
