"""The mapping file `maniguard-mapping/1`, read without guessing."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from maniguard.audit.errors import AuditError
from maniguard.audit.fields import Node
from maniguard.audit.mapping import (
    ColumnRef,
    ContactRef,
    EntityMap,
    GripperRef,
    JointRef,
    Mapping,
    PoseRef,
    RobotMap,
    Shape,
    SuccessRef,
)
from maniguard.trace import Box, Pose, Region
from maniguard.trace.scene import EntityKind, Quaternion, Vector3

FORMAT = "maniguard-mapping/1"
KINDS = ("object", "articulated", "fixture", "support", "robot")
ORDERS = ("wxyz", "xyzw")
SHAPES = ("box", "cylinder", "sphere", "hull")

_TOP = (
    "format", "dataset", "ontology", "instruction", "rate_hz", "time", "success", "robot", "entities", "ignore",
    "goal", "contact", "contact_force", "contacts", "wrench",
)  # fmt: skip
_ENTITY = (
    "kind", "category", "role", "properties", "mass_kg", "rest_axis", "movable", "shapes", "pose", "joint", "interior",
)  # fmt: skip
_ROBOT = ("name", "bodies", "fingers", "tcp_site", "joints", "gripper", "tcp", "hand", "base")


class _Loader(yaml.SafeLoader):
    """YAML in which no key may stand twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            if str(key_node.value) in seen:
                message = f"key {key_node.value!r} stands twice"
                raise yaml.constructor.ConstructorError(None, None, message, key_node.start_mark)
            seen.add(str(key_node.value))
        return super().construct_mapping(node, deep)


def load_mapping(path: str | Path) -> Mapping:
    """Read a mapping file; AuditError names the place, what is wrong there and what is valid."""
    where = Path(path)
    try:
        content = where.read_bytes()
        data = yaml.load(content.decode("utf-8-sig"), _Loader)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise AuditError(f"{where}: cannot be read: {reason}") from error
    except yaml.YAMLError as error:
        raise AuditError(f"{where}: not YAML: {' '.join(str(error).split())}") from error
    return read_mapping(data, str(where), hashlib.sha256(content).hexdigest())


def read_mapping(data: object, where: str, digest: str) -> Mapping:
    """Read the values of a mapping file."""
    top = Node(data, where).keys(*_TOP)
    if top.value.get("format") != FORMAT:
        raise top.refuse(f"format is {top.value.get('format')!r}; this version reads {FORMAT!r}")
    entities = tuple(_entity(name, node) for name, node in top.at("entities").items()) if top.has("entities") else ()
    contact, force = top.get("contact"), top.get("contact_force")
    contacts = top.get("contacts")
    if contact is not None:
        contact.keys("surrogate", "max").at("surrogate").text(("distance",))
    if force is not None:
        force.keys("surrogate", "force").at("surrogate").text(("nominal",))
        if contact is None:
            raise force.refuse("a nominal force needs the surrogate 'contact: {surrogate: distance, max: …}' beside it")
    rate = None if top.get("rate_hz") is None else top.at("rate_hz").number()
    if rate is not None and not rate > 0:
        raise top.at("rate_hz").refuse("must be positive")
    listed = () if contacts is None else _list(contacts)
    return Mapping(
        path=where,
        digest=digest,
        dataset=_text(top, "dataset"),
        ontology=_text(top, "ontology"),
        instruction=_text(top, "instruction"),
        rate_hz=rate,
        time=_column(top, "time", "time"),
        success=None if top.get("success") is None else _success(top.at("success")),
        robot=None if top.get("robot") is None else _robot(top.at("robot")),
        entities=entities,
        ignore=top.at("ignore").texts() if top.has("ignore") else (),
        goal=_goal(top.at("goal")) if top.has("goal") else None,
        contact_max_m=None if contact is None else contact.at("max").quantity("length"),
        contact_force_n=None if force is None else force.at("force").quantity("force"),
        contacts=tuple(_contact(node) for node in listed),
        wrench=_column(top, "wrench", "force"),
    )


def _list(node: Node) -> tuple[Node, ...]:
    if not isinstance(node.value, list):
        raise node.refuse(f"expected a list, found {node.value!r}")
    return tuple(Node(item, f"{node.where}[{index}]") for index, item in enumerate(node.value))


def _text(node: Node, key: str) -> str | None:
    found = node.get(key)
    return None if found is None else found.text()


def _column(node: Node, key: str, dimension: str) -> ColumnRef | None:
    return _column_ref(node.at(key), dimension) if node.has(key) else None


def _column_ref(node: Node, dimension: str, *extra: str) -> ColumnRef:
    node.keys("column", "columns", "index", "unit", *extra)
    if node.has("column") == node.has("columns"):
        raise node.refuse("give either 'column' or 'columns'")
    names = (node.at("column").text(),) if node.has("column") else node.at("columns").texts()
    span = None
    if node.has("index"):
        if len(names) != 1:
            raise node.refuse("'index' cuts one column; it cannot stand beside 'columns'")
        index = node.at("index")
        if isinstance(index.value, int) and not isinstance(index.value, bool):
            span = (index.value, index.value + 1)
        else:
            low, high = index.numbers(2)
            span = (int(low), int(high))
        if not 0 <= span[0] < span[1]:
            raise index.refuse(f"{index.value!r} is empty or negative; write N, or [FIRST, LAST + 1]")
    if dimension != "none" and not node.has("unit"):
        raise node.refuse("'unit' is missing: nothing is guessed about units")
    scale = node.at("unit").unit(dimension) if node.has("unit") else 1.0
    return ColumnRef(names, span, scale, node.where)


def _pose(node: Node) -> PoseRef:
    node.keys("position", "orientation", "fixed")
    if node.has("fixed"):
        if node.has("position") or node.has("orientation"):
            raise node.refuse("'fixed' is a pose that never changes; it cannot stand beside columns")
        return PoseRef(None, None, "wxyz", _fixed(node.at("fixed")), node.where)
    position = _column_ref(node.at("position"), "length")
    orientation, order = None, "wxyz"
    if node.has("orientation"):
        turn = node.at("orientation")
        orientation = _column_ref(turn, "none", "order")
        # Both orders are common and a wrong one is a valid rotation: it must be said.
        order = turn.at("order").text(ORDERS)
    return PoseRef(position, orientation, cast(Literal["wxyz", "xyzw"], order), None, node.where)


def _fixed(node: Node) -> Pose:
    node.keys("position_m", "quat_wxyz")
    return Pose(cast(Vector3, node.at("position_m").numbers(3)), _quat(node))


def _quat(node: Node) -> Quaternion:
    if not node.has("quat_wxyz"):
        return (1.0, 0.0, 0.0, 0.0)
    values = node.at("quat_wxyz").numbers(4)
    if abs(sum(v * v for v in values) - 1.0) > 1e-3:
        raise node.at("quat_wxyz").refuse(f"must have unit length, found {list(values)}")
    return cast(Quaternion, values)


def _shape(node: Node) -> Shape:
    node.keys(*SHAPES, "center_m", "quat_wxyz")
    kinds = [kind for kind in SHAPES if node.has(kind)]
    if len(kinds) != 1:
        raise node.refuse(f"give exactly one of {', '.join(SHAPES)}")
    body = node.at(kinds[0])
    center = cast(Vector3, node.at("center_m").numbers(3)) if node.has("center_m") else (0.0, 0.0, 0.0)
    quat = _quat(node)
    vertices: tuple[Vector3, ...] = ()
    size: tuple[float, ...] = ()
    if kinds[0] == "box":
        size = tuple(v / 2 for v in body.keys("size_m").at("size_m").numbers(3))
    elif kinds[0] == "cylinder":
        body.keys("radius_m", "height_m")
        size = (body.at("radius_m").number(), body.at("height_m").number() / 2)
    elif kinds[0] == "sphere":
        size = (body.keys("radius_m").at("radius_m").number(),)
    else:
        vertices = tuple(cast(Vector3, item.numbers(3)) for item in _list(body.keys("vertices_m").at("vertices_m")))
        if len(vertices) < 4:
            raise body.refuse("a hull needs at least 4 vertices")
    if any(not v > 0 for v in size):
        raise body.refuse("sizes must be positive")
    return Shape(cast(Any, kinds[0]), size, center, quat, vertices)


def _shapes(node: Node | None) -> tuple[Shape, ...]:
    return () if node is None else tuple(_shape(item) for item in _list(node))


def _entity(name: str, node: Node) -> EntityMap:
    node.keys(*_ENTITY)
    interior: Box | str | None = None
    if node.has("interior"):
        item = node.at("interior").keys("site", "box")
        if item.has("site") == item.has("box"):
            raise item.refuse("give either 'site' (of a model) or 'box'")
        if item.has("site"):
            interior = item.at("site").text()
        else:
            box = item.at("box").keys("size_m", "center_m", "quat_wxyz")
            half = cast(Vector3, tuple(v / 2 for v in box.at("size_m").numbers(3)))
            center = cast(Vector3, box.at("center_m").numbers(3)) if box.has("center_m") else (0.0, 0.0, 0.0)
            interior = Box(center, half, _quat(box))
    return EntityMap(
        name=name,
        where=node.where,
        kind=cast(EntityKind, node.at("kind").text(KINDS)) if node.has("kind") else None,
        category=_text(node, "category"),
        role=_text(node, "role"),
        properties=node.at("properties").texts() if "properties" in node.value else None,
        mass_kg=node.at("mass_kg").number() if node.has("mass_kg") else None,
        rest_axis=cast(Vector3, node.at("rest_axis").numbers(3)) if node.has("rest_axis") else None,
        movable=node.at("movable").truth() if node.has("movable") else None,
        shapes=_shapes(node.get("shapes")),
        pose=_pose(node.at("pose")) if node.has("pose") else None,
        joint=_joint(node.at("joint")) if node.has("joint") else None,
        interior=interior,
    )


def _joint(node: Node) -> JointRef:
    node.keys("name", "kind", "lower", "upper", "position")
    kind = node.at("kind").text(("hinge", "slide"))
    dimension = "angle" if kind == "hinge" else "length"
    return JointRef(
        name=_text(node, "name") or "joint",
        kind=cast(Literal["hinge", "slide"], kind),
        lower=node.at("lower").quantity(dimension),
        upper=node.at("upper").quantity(dimension),
        position=_column_ref(node.at("position"), dimension),
    )


def _robot(node: Node) -> RobotMap:
    node.keys(*_ROBOT)
    fingers: tuple[str, str] | None = None
    finger: tuple[Shape, ...] = ()
    if node.has("fingers"):
        item = node.at("fingers")
        if isinstance(item.value, list):
            names = item.texts()
            if len(names) != 2:
                raise item.refuse("give the bodies of the left and the right finger")
            fingers = (names[0], names[1])
        else:
            finger = _shapes(item.keys("shapes").at("shapes"))
    return RobotMap(
        name=_text(node, "name") or "robot",
        where=node.where,
        bodies=node.at("bodies").texts() if node.has("bodies") else (),
        fingers=fingers,
        tcp_site=_text(node, "tcp_site"),
        joints=_column(node, "joints", "angle"),
        gripper=GripperRef(_column_ref(node.at("gripper"), "length")) if node.has("gripper") else None,
        tcp=_pose(node.at("tcp")) if node.has("tcp") else None,
        hand=_shapes(node.get("hand")),
        finger=finger,
        base=_fixed(node.at("base")) if node.has("base") else Pose(),
    )


def _goal(node: Node) -> Region:
    sphere = node.keys("sphere").at("sphere").keys("center_m", "radius_m")
    radius = sphere.at("radius_m").number()
    if not radius > 0:
        raise sphere.at("radius_m").refuse("must be positive")
    return Region("sphere", (radius, radius, radius), Pose(cast(Vector3, sphere.at("center_m").numbers(3))))


def _contact(node: Node) -> ContactRef:
    node.keys("a", "b", "force")
    ends = []
    for key in ("a", "b"):
        entity, _, part = node.at(key).text().partition(".")
        ends.append((entity, part or "body"))
    return ContactRef(ends[0], ends[1], _column_ref(node.at("force"), "force"), node.where)


def _success(node: Node) -> SuccessRef:
    if isinstance(node.value, bool):
        return SuccessRef(None, node.value)
    return SuccessRef(_column_ref(node, "none"), None)
