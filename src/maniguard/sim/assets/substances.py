"""Densities that masses come from, in kg/m³."""

from __future__ import annotations

from types import MappingProxyType

from maniguard.errors import alternatives
from maniguard.sim.assets.asset import AssetError

# Solid materials: middle of the ranges in common engineering tables. Goods: bulk densities of the packed product, air
# included, from net weight and outer size of ordinary packages.
DENSITY_KG_M3 = MappingProxyType(
    {
        "stoneware": 2250.0,  # fired clay with some porosity, 2000–2400
        "porcelain": 2400.0,  # 2300–2500
        "earthenware": 1900.0,  # 1700–2100
        "glass": 2500.0,  # soda-lime glass
        "steel": 7850.0,  # carbon and stainless steel, 7700–8000
        "aluminium": 2700.0,
        "enamelled steel": 7600.0,  # steel with a glass coat
        "wood": 690.0,  # beech and oak, air dry, 650–750
        "bamboo": 700.0,
        "cork": 200.0,
        "plastic": 950.0,  # polyethylene and polypropylene, 900–970
        "melamine": 1500.0,
        "wax": 900.0,  # paraffin 880–920
        "paper": 800.0,  # bound paper, 700–900
        "water": 1000.0,  # also milk, juice, soup and wine to within 5 %
        "oil": 920.0,
        "preserve": 1150.0,  # jam, tomato paste, 1050–1350
        "beans": 1020.0,  # cooked, in brine
        "cereal": 130.0,  # 375 g in 190 × 65 × 290 mm is 105; flakes to clusters 90–200
        "tea": 190.0,  # 20 bags, 40 g with box, in 125 × 65 × 75 mm… loose-leaf packets reach 300
        "biscuits": 330.0,
        "rice": 780.0,
        "sugar": 850.0,
        "coffee": 400.0,
        "detergent": 1030.0,
        "pepper": 520.0,
        "earth": 1100.0,  # moist potting soil with a plant's roots
        "bristle": 250.0,  # tufts of nylon with air between
        "rubber": 1150.0,
        "soft rubber": 600.0,  # hollow or foamed
        "sponge": 45.0,  # open polyurethane foam, dry, 25–60
        "stone": 2600.0,
        "leather": 900.0,
        "textile": 250.0,  # loosely wound or folded
        "tissue": 160.0,  # rolls of tissue with the air in them
        "soap": 1050.0,
        "electronics": 750.0,  # plastic case, board, battery and air
        "fruit": 950.0,
        "citrus": 900.0,
        "vegetable": 1000.0,
        "egg": 1080.0,
        "bread": 280.0,
        "cake": 450.0,
        "cheese": 1080.0,
        "butter": 920.0,
        "chocolate": 1280.0,
        "meat": 1050.0,
        "candy": 700.0,
    }
)


def density_kg_m3(substance: str) -> float:
    """Return a density; AssetError lists the substances."""
    if substance not in DENSITY_KG_M3:
        raise AssetError(f"substance {substance!r} is not known; valid are {alternatives(DENSITY_KG_M3)}")
    return DENSITY_KG_M3[substance]
