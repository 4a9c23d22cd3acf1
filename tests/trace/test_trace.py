from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic_traces import RATE_HZ, calm_hand, clutter_scene, random_trace, record

from maniguard.trace import Channel, Contacts, Frame, TraceBuilder, TraceError, TraceMeta, simulation_channels


def frames_equal(left: Frame, right: Frame) -> bool:
    for item in fields(Frame):
        one, other = getattr(left, item.name), getattr(right, item.name)
        if item.name == "contacts":
            for column in fields(Contacts):
                if not same_bits(getattr(one, column.name), getattr(other, column.name)):
                    return False
        elif not same_bits(one, other):
            return False
    return True


def same_bits(one: object, other: object) -> bool:
    left, right = np.asarray(one), np.asarray(other)
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 12))
def test_frames_come_back_as_they_were_appended(seed: int, steps: int) -> None:
    source = random_trace(seed, steps)
    appended = [source.frame(step) for step in range(steps)]
    builder = TraceBuilder(source.scene, source.channels, TraceMeta(RATE_HZ))
    for frame in appended:
        builder.append(frame)
    trace = builder.build()
    assert len(trace) == steps
    assert all(frames_equal(a, b) for a, b in zip(appended, trace.frames(), strict=True))
    assert trace.digest() == source.digest()


def test_digest_sees_content_and_not_identity() -> None:
    trace = random_trace(1, 5)
    assert (
        replace(trace, meta=replace(trace.meta, seed=9, policy="other", identity={"mujoco": "x"})).digest()
        == trace.digest()
    )
    position = trace.column("position_m").copy()
    position[2, 3, 1] = np.nextafter(position[2, 3, 1], np.float32(np.inf))
    assert replace(trace, columns={**trace.columns, "position_m": position}).digest() != trace.digest()
    moved = replace(trace.scene.entities[0], role="elsewhere")
    assert (
        replace(trace, scene=replace(trace.scene, entities=(moved, *trace.scene.entities[1:]))).digest()
        != trace.digest()
    )
    absent = {**trace.channels, "wrench": Channel("measured", "instantaneous")}
    assert replace(trace, channels=absent).digest() != trace.digest()


def test_digest_is_the_same_for_whole_numbers_and_floats() -> None:
    trace = random_trace(1, 2)
    entities = trace.scene.entities
    whole = replace(entities[3], rest_axis=(0, 0, 1), mass_kg=1)
    floats = replace(entities[3], rest_axis=(0.0, 0.0, 1.0), mass_kg=1.0)
    digests = {
        replace(trace, scene=replace(trace.scene, entities=(*entities[:3], one, *entities[4:]))).digest()
        for one in (whole, floats)
    }
    assert len(digests) == 1


def test_builder_refuses_what_is_not_of_the_stored_type() -> None:
    scene = clutter_scene()
    good = calm_hand(scene).frame(0)
    builder = TraceBuilder(scene, simulation_channels(), TraceMeta(RATE_HZ))
    with pytest.raises(TraceError, match=r"position_m is float64"):
        builder.append(replace(good, position_m=good.position_m.astype(np.float64)))
    with pytest.raises(TraceError, match=r"quat_wxyz is float32\(5, 4\)"):
        builder.append(replace(good, quat_wxyz=good.quat_wxyz[:5]))
    with pytest.raises(TraceError, match="gripper_opening_m is float"):
        builder.append(replace(good, gripper_opening_m=0.08))
    builder.append(good)
    with pytest.raises(TraceError, match="does not come after"):
        builder.append(good)


def test_builder_needs_frames_and_every_channel() -> None:
    scene = clutter_scene()
    with pytest.raises(TraceError, match="no frames"):
        TraceBuilder(scene, simulation_channels(), TraceMeta(RATE_HZ)).build()
    channels = dict(simulation_channels())
    del channels["contact_force"]
    with pytest.raises(TraceError, match="contact_force"):
        TraceBuilder(scene, channels, TraceMeta(RATE_HZ))
    with pytest.raises(TraceError, match=r"control rate -1\.0 Hz"):
        TraceBuilder(scene, simulation_channels(), TraceMeta(-1.0))


def test_contacts_must_point_into_the_scene() -> None:
    trace = record(clutter_scene(), 2)
    beyond = trace.contacts.entity_b + np.int16(4)
    with pytest.raises(TraceError, match="points outside"):
        replace(trace, contacts=replace(trace.contacts, entity_b=beyond))


def test_events_keep_their_step() -> None:
    scene = clutter_scene()
    builder = TraceBuilder(scene, simulation_channels(), TraceMeta(RATE_HZ))
    builder.append(calm_hand(scene).frame(0))
    builder.append(calm_hand(scene).frame(1))
    builder.event(1, "policy-fault", "action has a NaN")
    builder.event(0, "note")
    assert [(e.step, e.kind) for e in builder.build().events] == [(1, "policy-fault"), (0, "note")]
