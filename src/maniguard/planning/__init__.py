"""Motion planning for the Panda: closed-form kinematics, collision checks, paths, timing and skill segments."""

from maniguard.planning.arm import Arm
from maniguard.planning.collision import Clearance, CollisionModel, PlanningError
from maniguard.planning.frames import inverted, line, matrix, matrix_of, pose_of, top_down, turn, turn_about_z
from maniguard.planning.kinematics import follow, forward, inverse, jacobian, solutions
from maniguard.planning.pick import CarryChoice, GraspChoice, carry_choice, grasp_choices, steady
from maniguard.planning.push import PushChoice, base_radius, base_reach, outline, push_choices, room_ahead, section
from maniguard.planning.rrt import connect, shorten
from maniguard.planning.segments import Executor, Segment
from maniguard.planning.timing import CARRY, FREE, LIFT, NEAR, Pace, densify, retime

__all__ = [
    "CARRY",
    "FREE",
    "LIFT",
    "NEAR",
    "Arm",
    "CarryChoice",
    "Clearance",
    "CollisionModel",
    "Executor",
    "GraspChoice",
    "Pace",
    "PlanningError",
    "PushChoice",
    "Segment",
    "base_radius",
    "base_reach",
    "carry_choice",
    "connect",
    "densify",
    "follow",
    "forward",
    "grasp_choices",
    "inverse",
    "inverted",
    "jacobian",
    "line",
    "matrix",
    "matrix_of",
    "outline",
    "pose_of",
    "push_choices",
    "retime",
    "room_ahead",
    "section",
    "shorten",
    "solutions",
    "steady",
    "top_down",
    "turn",
    "turn_about_z",
]
