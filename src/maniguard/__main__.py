"""`python -m maniguard` is the command `maniguard`."""

import sys

from maniguard.cli import main

sys.exit(main())
