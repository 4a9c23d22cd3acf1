from dataclasses import dataclass


@dataclass(frozen=True)
class DimSpec:
    name: str
    dims: int
    format: str
    range: tuple[float, float] | None = None
    accepts: frozenset[str] | None = None
    description: str = ""


IMAGE_RGB = DimSpec("image", 0, "rgb_hwc_uint8")
LANGUAGE = DimSpec("language", 0, "language")
