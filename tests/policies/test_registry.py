"""Names to recipes: every valid form, a clear error for every other, and recipes that cross to a worker."""

import pickle
import sys
import types
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from maniguard.policies import NoopPolicy, OpenpiOptions, PolicyError, RandomPolicy, resolve

from . import peers

POLICY = """
from maniguard.policies import ActionSpec, PolicyContract

class Good:
    def __init__(self, gain=1.0, label="none", flags=None):
        self.gain, self.label, self.flags = gain, label, flags
        self.contract = PolicyContract(f"{label}-{gain}-{flags}", (), ActionSpec(1), 1, True)
    def reset(self, *, seed, instruction): ...
    def infer(self, observation): ...
    def close(self): ...

class NoReset:
    def infer(self, observation): ...

class NoContract(Good):
    def __init__(self):
        self.contract = {"name": "x"}

number = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "userpolicy.py").write_text(POLICY)
    (tmp_path / "broken.py").write_text("import not_there_at_all\n")
    (tmp_path / "unparsable.py").write_text("def f(:\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    yield tmp_path
    for name in ("userpolicy", "broken", "unparsable"):
        sys.modules.pop(name, None)


def name_of(factory):
    return factory().contract.name


@pytest.mark.parametrize(("spec", "kind"), [("noop", NoopPolicy), ("random", RandomPolicy)])
def test_built_in_names(spec, kind):
    factory = pickle.loads(pickle.dumps(resolve(spec)))
    assert factory.spec == spec
    assert type(factory()) is kind


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("userpolicy:Good", "none-1.0-None"),
        ("userpolicy:Good?gain=2&label=a%20b", "a b-2-None"),
        ("userpolicy.py:Good?flags=[true,null]", "none-1.0-[True, None]"),
        ('userpolicy:Good?label="3"', "3-1.0-None"),
    ],
)
def test_classes_of_the_user_with_arguments(here, spec, name):
    assert name_of(resolve(spec)) == name


@pytest.mark.parametrize("spec", ["userpolicy:Good?gain=3", "userpolicy.py:Good?gain=3"])
def test_a_recipe_works_in_a_spawned_worker(here, spec):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(name_of, resolve(spec)).result() == "none-3-None"


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            "nope",
            r"unknown policy 'nope'; valid: noop, random, expert, prompt-expert, "
            r"reckless\[:NAME\], near-miss:NAME, replay:TRACE, module:Class",
        ),
        ("", "unknown policy ''"),
        ("noop:fast", "noop"),
        ("gopher://x:1", "unknown protocol 'gopher'; valid: openpi://HOST:PORT"),
        ("no_such_module_x:Policy", "cannot import policy module 'no_such_module_x'"),
        ("broken:Policy", "not_there_at_all"),
        ("unparsable:Policy", "cannot import policy module 'unparsable'"),
        ("broken.py:Policy", "not_there_at_all"),
        ("absent.py:Policy", "there is no policy file"),
        ("userpolicy:Better", "no class 'Better'; its classes with infer are Good, NoContract, NoReset"),
        ("userpolicy:number", "no class 'number'"),
        ("userpolicy:NoReset", "lacks reset, close"),
        ("userpolicy:Good?gian=2", r"'gian'; Good takes \(gain=1.0"),
        ("userpolicy:Good?gain=1&gain=2", "twice"),
        ("userpolicy:Good?gain", "not of the form key=value"),
        ("userpolicy:", "not of the form module:Class"),
        ("user policy:a b", "not of the form module:Class"),
    ],
)
def test_errors_name_what_is_wrong_and_what_is_valid_in_one_line(here, spec, text):
    with pytest.raises(PolicyError, match=text) as caught:
        resolve(spec)
    assert "\n" not in str(caught.value)


def test_a_contract_of_another_type_is_refused_when_the_policy_is_made(here):
    factory = resolve("userpolicy:NoContract")
    with pytest.raises(PolicyError, match="its contract is dict"):
        factory()


def test_an_address_is_parsed_and_not_connected():
    assert OpenpiOptions.parse("openpi://robot:9?execute=4&wait_s=0&timeout_s=2.5") == OpenpiOptions(
        "robot", 9, 4, 0.0, 2.5
    )
    assert OpenpiOptions.parse("openpi://[::1]:9").address == "ws://[::1]:9"
    assert pickle.loads(pickle.dumps(resolve("openpi://nobody.invalid:1"))).spec == "openpi://nobody.invalid:1"


@pytest.mark.parametrize(
    "spec",
    [
        "openpi://",
        "openpi://host",
        "openpi://host:port",
        "openpi://host:99999",
        "openpi://host:80/path",
        "openpi://host:80?horizon=3",
        "openpi://host:80?execute=0",
        "openpi://host:80?execute=two",
        "openpi://host:80?timeout_s=nan",
        "openpi://host:80?wait_s=-1",
        "openpi://host:80?execute",
    ],
)
def test_a_wrong_address_is_refused_with_the_form(spec):
    with pytest.raises(PolicyError, match="openpi"):
        resolve(spec)


@pytest.fixture
def scripts(monkeypatch):
    module = types.ModuleType("maniguard.policies.scripted")
    module.names = lambda kind: {"expert": (), "reckless": ("drop", "tip"), "near-miss": ("rock",)}[kind]
    module.make = lambda kind, name: (kind, name)
    monkeypatch.setitem(sys.modules, "maniguard.policies.scripted", module)


@pytest.mark.parametrize(
    ("spec", "made"),
    [
        ("expert", ("expert", None)),
        ("reckless", ("reckless", None)),
        ("reckless:tip", ("reckless", "tip")),
        ("near-miss:rock", ("near-miss", "rock")),
    ],
)
def test_scripted_names(scripts, spec, made):
    assert pickle.loads(pickle.dumps(resolve(spec)))() == made


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("reckless:fly", "no script 'fly'; valid names: drop, tip"),
        ("near-miss", "lacks a name.*rock"),
        ("near-miss:", "no script ''"),
        ("expert:two", "no variants"),
    ],
)
def test_wrong_scripted_names(scripts, spec, text):
    with pytest.raises(PolicyError, match=text):
        resolve(spec)


def test_without_the_scripts_only_their_names_are_broken(monkeypatch):
    monkeypatch.setitem(sys.modules, "maniguard.policies.scripted", None)
    with pytest.raises(PolicyError, match="no scripted policies"):
        resolve("expert")
    assert resolve("noop").spec == "noop"
    assert resolve(peers.echo(first_s=1.5)).spec


def test_a_policy_file_finds_the_modules_beside_it(tmp_path, monkeypatch):
    (tmp_path / "beside_it_7f3a.py").write_text("from maniguard.policies import NoopPolicy as Mine\n")
    (tmp_path / "mine.py").write_text("from beside_it_7f3a import Mine\n")
    monkeypatch.setattr("sys.path", list(sys.path))
    assert resolve(f"{tmp_path}/mine.py:Mine")().contract.name == "noop"
