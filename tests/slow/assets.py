"""Every design of the catalogue passes all that the fast suite asks of a sample: shape, mass, looks, rest, grasps."""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from _evidence import ROOT, record

from maniguard.sim.assets import CATALOGUE

with tempfile.TemporaryDirectory() as folder:
    report = Path(folder) / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "tests/sim/assets", "tests/sim/room", f"--junit-xml={report}"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "MANIGUARD_ASSETS": "all"}, check=False)
    cases = ElementTree.parse(report).getroot().findall(".//testcase")

failed = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
skipped = [case.get("name") for case in cases if case.find("skipped") is not None]
counts = {
    "designs": len(CATALOGUE),
    "categories": len({design.category for design in CATALOGUE.values()}),
    "carriable": sum(design.asset().carriable for design in CATALOGUE.values()),
    "checked": len(cases),
    "failed": len(failed),
    "skipped": len(skipped),
}
print(counts)
record("assets", counts=counts, details={"failed": failed, "skipped": skipped})
sys.exit(1 if failed or skipped or len(cases) < len(CATALOGUE) else 0)
