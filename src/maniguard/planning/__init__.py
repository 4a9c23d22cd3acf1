"""Motion planning for the Panda: closed-form kinematics, collision checks, paths, timing and skill segments."""
