"""A design: one named object of the catalogue, with every number that a scene file needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from maniguard.errors import alternatives
from maniguard.sim.articulation import JointSpec
from maniguard.sim.assets.asset import Asset, AssetError, Value
from maniguard.sim.assets.build import build, nominal_mass_kg
from maniguard.sim.assets.categories import CATEGORIES, Category
from maniguard.sim.assets.materials import PALETTES
from maniguard.sim.scene import AssetSpec, Grasp, ObjectSpec
from maniguard.trace.scene import Pose, Vector3


@dataclass(frozen=True)
class Design:
    """One object of the catalogue.

    `noun` is how a prompt calls it, without a colour. `recolours` names the appearance key of its main colour.
    """

    name: str
    category: str
    noun: str
    spec: AssetSpec
    appearance: Mapping[str, Value] = field(default_factory=dict)
    extra_properties: tuple[str, ...] = ()
    recolours: str = "color"
    palette_name: str = ""

    def __post_init__(self) -> None:
        if self.category not in CATEGORIES:
            raise AssetError(
                f"design {self.name!r}: category {self.category!r} is not known; valid are {alternatives(CATEGORIES)}"
            )

    @property
    def kind_of(self) -> Category:
        """The category's entry."""
        return CATEGORIES[self.category]

    @cached_property
    def mass_kg(self) -> float:
        """Mass from the densities of materials and contents, to the gram."""
        return nominal_mass_kg(self.spec)

    @property
    def friction(self) -> Vector3:
        """Friction of the surface (sliding, torsional in m, rolling in m)."""
        return self.kind_of.friction

    @property
    def properties(self) -> tuple[str, ...]:
        """Semantic properties, sorted."""
        return tuple(sorted({*self.kind_of.properties, *self.extra_properties}))

    @property
    def palette(self) -> tuple[str, ...]:
        """Colours that a recoloured one may be given: plausible for the material, never its own."""
        own = self.appearance.get(self.recolours)
        return tuple(c for c in PALETTES[self.palette_name or self.kind_of.palette] if c != own)

    def recoloured(self, colour: str) -> Mapping[str, Value]:
        """Return its appearance in another main colour."""
        changed = {**self.appearance, self.recolours: colour}
        if self.recolours == "color" and changed.get("finish") == "glass":
            # A tint that thin would not be seen.
            changed["finish"] = "coloured-glass"
        return changed

    def asset(self, appearance: Mapping[str, Value] | None = None) -> Asset:
        """Build it, in its own looks or in others."""
        return build(self.spec, self.appearance if appearance is None else appearance, self.mass_kg, self.friction)

    @property
    def grasps(self) -> tuple[Grasp, ...]:
        """Its stored grasps, best first."""
        return self.asset().grasps

    @property
    def carriable(self) -> bool:
        """Whether a stored grasp holds it well enough for it to be a carried target."""
        # The catalogue is made of designs, so it can only be asked afterwards.
        from maniguard.sim.assets.catalogue.carriable import NOT_CARRIABLE

        asset = self.asset()
        return self.name not in NOT_CARRIABLE and bool(asset.grasps) and not asset.anchored

    @property
    def best_grasp(self) -> Grasp:
        """The stored grasp that holds it best, the first unless the catalogue names another; AssetError without any."""
        from maniguard.sim.assets.catalogue.carriable import BEST_GRASP

        grasps = self.grasps
        if not grasps:
            raise AssetError(f"design {self.name!r} has no stored grasp")
        return next(g for g in grasps if g.name == BEST_GRASP.get(self.name, grasps[0].name))

    def object_spec(
        self, name: str, role: str, world_T_object: Pose, *, appearance: Mapping[str, Value] | None = None
    ) -> ObjectSpec:
        """Return the entry of a scene file that puts it somewhere, with all its numbers."""
        asset = self.asset()
        return ObjectSpec(
            name=name,
            category=self.category,
            role=role,
            asset=self.spec,
            mass_kg=self.mass_kg,
            friction=self.friction,
            world_T_object=world_T_object,
            properties=self.properties,
            appearance=self.appearance if appearance is None else appearance,
            grasps=asset.grasps,
            joints=tuple(
                JointSpec(j.name, j.kind, j.lower, j.upper, j.start, j.frictionloss, j.damping) for j in asset.joints
            ),
        )
