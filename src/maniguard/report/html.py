"""The HTML report: an index and one page per rollout, each complete in itself."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2

from maniguard.errors import ManiguardError
from maniguard.files import write_atomic
from maniguard.metrics import to_json
from maniguard.report.detail import RolloutDetail
from maniguard.report.view import RolloutView, RunView

_COMMON = ("common",)
_INDEX = ("list", "index")
_ROLLOUT = ("clock", "replay", "timeline", "rollout")
# A browser keeps a single file in memory as a whole, several times over.
SINGLE_FILE_LIMIT_BYTES = 200_000_000

Details = Callable[[RolloutView], RolloutDetail]


class ReportError(ManiguardError):
    """A report that cannot be written as it was asked for."""


def write_pages(view: RunView, out: Path, details: Details, *, single_file: bool = False) -> Path:
    """Write the report of `view` into the folder `out` and return the path of its index.html.

    `details` gives the page of one rollout; it is called once per rollout, so that no two traces are in memory
    together. Beside index.html: metrics.json and rollouts/ID.html; with `single_file` everything, videos included, is
    in index.html alone. Videos inside the run folder are linked to, others are copied into videos/. Raises ReportError
    when a single file would grow beyond 200 MB.
    """
    out.mkdir(parents=True, exist_ok=True)
    index = out / "index.html"
    title = f"{view.policy} · maniguard report"
    if single_file:
        data: list[tuple[str, Any]] = [("run", view.to_dict())]
        data += [(f"rollout:{rollout.rollout_id}", details(rollout).to_dict()) for rollout in view.rollouts]
        data += [(f"video:{r.rollout_id}", _data_uri(r.video)) for r in view.rollouts if r.video is not None]
        whole = page(title, "single", data, (*_COMMON, *_INDEX, *_ROLLOUT, "boot"))
        if len(whole) > SINGLE_FILE_LIMIT_BYTES:
            raise ReportError(
                f"a single file would hold {len(whole) / 1e6:.0f} MB, more than {SINGLE_FILE_LIMIT_BYTES / 1e6:.0f}; "
                "write the report without --single-file"
            )
        write_atomic(index, whole)
        return index
    pages = out / "rollouts"
    pages.mkdir(exist_ok=True)
    for position, rollout in enumerate(view.rollouts):
        place = _place(view, position, _video_link(rollout, out))
        content = [("rollout", details(rollout).to_dict()), ("place", place)]
        text = page(f"{rollout.rollout_id} · {title}", "rollout", content, (*_COMMON, *_ROLLOUT, "boot"))
        write_atomic(pages / f"{rollout.rollout_id}.html", text)
    write_atomic(out / "metrics.json", to_json(view.summary()).encode())
    write_atomic(index, page(title, "index", [("run", view.to_dict())], (*_COMMON, *_INDEX, "boot")))
    return index


def _place(view: RunView, position: int, video: str | None) -> dict[str, Any]:
    """What a rollout's page knows of its surroundings."""
    ids = [r.rollout_id for r in view.rollouts]
    return {
        "index": "../index.html#rollouts",
        "before": f"{ids[position - 1]}.html" if position > 0 else None,
        "after": f"{ids[position + 1]}.html" if position + 1 < len(ids) else None,
        "policy": view.policy,
        "privileged": view.privileged,
        "protocol": view.protocol,
        "video": video,
    }


def _video_link(rollout: RolloutView, out: Path) -> str | None:
    """The address of the video as seen from the rollout's page."""
    if rollout.video is None:
        return None
    run_folder = rollout.video.resolve().parent.parent
    if out.resolve().is_relative_to(run_folder):
        return Path(os.path.relpath(rollout.video.resolve(), out.resolve() / "rollouts")).as_posix()
    copies = out / "videos"
    copies.mkdir(exist_ok=True)
    shutil.copyfile(rollout.video, copies / rollout.video.name)
    return f"../videos/{rollout.video.name}"


def _data_uri(video: Path) -> str:
    return "data:video/mp4;base64," + base64.b64encode(video.read_bytes()).decode("ascii")


def page(
    title: str, mode: str, data: Sequence[tuple[str, Any]], scripts: Sequence[str], *, connect: str = "'none'"
) -> bytes:
    """Return a page that draws itself from JSON values inlined in it.

    `scripts` are names of files in `static`; `connect` is what the page may send requests to, in the words of a content
    security policy.
    """
    text = _template().render(
        connect=connect,
        title=title,
        mode=mode,
        style=_static("report.css"),
        script="\n".join(_static(f"{name}.js") for name in scripts),
        data=[(name, _inline_json(value)) for name, value in data],
    )
    return text.encode()


@cache
def _template() -> jinja2.Template:
    loader = jinja2.PackageLoader("maniguard.report")
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("page.html.j2")


@cache
def _static(name: str) -> str:
    return resources.files("maniguard.report").joinpath("static", name).read_text(encoding="utf-8")


def _inline_json(value: Any) -> str:
    """JSON that cannot end the element it stands in, whatever its strings hold."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
