"""Where the commands print tables: a console that survives its reader."""

from __future__ import annotations

from rich.console import Console

from maniguard.cli.streams import silence


class Output(Console):
    """Rich's console on stdout or stderr, without colouring of numbers.

    A reader who has seen enough (`| head`) must not end what the command was doing, nor change its status: the rest is
    printed nowhere.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False)

    def on_broken_pipe(self) -> None:
        """Print nothing from now on."""
        self.quiet = True
        silence(2 if self.stderr else 1)
