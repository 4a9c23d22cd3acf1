"""Checks an installed maniguard from outside its checkout: `python installed.py CHECKOUT`.

Not a pytest module: it runs in an environment that has nothing but the wheel and its dependencies.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.resources
import pkgutil
import subprocess
import sys
from pathlib import Path

HEAVY = ("torch", "ray", "jax", "tensorflow")
# Modules that somebody else's program imports, and the package of theirs without which they say what is missing.
OF_AN_EXTRA = {"maniguard.integrations.vla_eval": "vla_eval"}
LEAF_FORBIDDEN = ("mujoco", "h5py", "scipy", "pyarrow", "av", *HEAVY)


def loaded_after(statement: str) -> set[str]:
    """Top-level modules in a fresh interpreter after one statement."""
    code = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


def main(checkout: Path) -> None:
    package = importlib.import_module("maniguard")
    assert package.__file__ is not None
    home = Path(package.__file__).resolve().parent
    assert not home.is_relative_to(checkout.resolve()), f"imported from the checkout: {home}"

    modules = [
        m.name for m in pkgutil.walk_packages([str(home)], prefix="maniguard.") if not m.name.endswith("__main__")
    ]
    assert len(modules) > 20, modules
    for name in modules:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != OF_AN_EXTRA.get(name) or "pip install 'maniguard[" not in str(error):
                raise
    heavy = sorted(set(HEAVY) & {name.partition(".")[0] for name in sys.modules})
    assert not heavy, f"imported by the core: {heavy}"

    leaf = sorted(loaded_after("import maniguard.ltlf") & set(LEAF_FORBIDDEN))
    assert not leaf, f"imported by maniguard.ltlf: {leaf}"

    files = {str(p) for p in importlib.metadata.files("maniguard") or []}
    for wanted in ("maniguard/py.typed", "licenses/LICENSE", "licenses/NOTICE"):
        assert any(name.endswith(wanted) for name in files), f"not in the wheel: {wanted}"
    strays = sorted(name for name in files if name.startswith(("tests/", "docs/", "benchmarks/")))
    assert not strays, f"in the wheel by mistake: {strays[:5]}"

    version = importlib.metadata.version("maniguard")
    print(f"maniguard {version} on Python {sys.version.split()[0]}: {len(modules)} modules import")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
