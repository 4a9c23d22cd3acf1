"""Household objects made by code: a parametric description becomes meshes, convex pieces, mass, looks, grasps."""

from maniguard.sim.assets.asset import Asset, AssetError, PartJoint, RigidPart
from maniguard.sim.assets.build import build, default_appearance, nominal_mass_kg
from maniguard.sim.assets.catalogue import CATALOGUE, design, of_category
from maniguard.sim.assets.categories import CATEGORIES, Category
from maniguard.sim.assets.design import Design
from maniguard.sim.assets.elements import CollisionGeom, add_asset, add_material, add_visual
from maniguard.sim.assets.materials import PALETTES, AppearanceError, Material, Texture
from maniguard.sim.assets.sheet import contact_sheet, save_sheet

__all__ = [
    "CATALOGUE",
    "CATEGORIES",
    "PALETTES",
    "AppearanceError",
    "Asset",
    "AssetError",
    "Category",
    "CollisionGeom",
    "Design",
    "Material",
    "PartJoint",
    "RigidPart",
    "Texture",
    "add_asset",
    "add_material",
    "add_visual",
    "build",
    "contact_sheet",
    "default_appearance",
    "design",
    "nominal_mass_kg",
    "of_category",
    "save_sheet",
]
