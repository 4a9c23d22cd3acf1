"""A policy in a file: `maniguard eval --policy examples/careless_policy.py:Careless --family clutter --out RUN`.

The sample run of the report was made with it: `--tasks 0:2 --condition base --seeds 0,1 --video`, without its timing.
"""

from maniguard.policies import scripted
from maniguard.policies.scripted import EXPERT, RECKLESS


class Careless:
    """Careful, or knocks something over first, or drops the target: its mood comes with the seed of the rollout.

    It plays scripts that see the true state, so reports mark it as privileged.
    """

    contract = scripted.make(EXPERT).contract
    moods = (((EXPERT, None),), ((RECKLESS, "knock"), (EXPERT, None)), ((RECKLESS, "drop-floor"),))

    def reset(self, *, seed, instruction):
        self.scripts = [scripted.make(kind, name) for kind, name in self.moods[seed % len(self.moods)]]
        for script in self.scripts:
            script.reset(seed=seed, instruction=instruction)

    def infer(self, observation):
        if self.scripts[0].done and len(self.scripts) > 1:
            self.scripts.pop(0)  # the next one plans from what it now sees
        return self.scripts[0].infer(observation)

    def close(self):
        self.scripts = []
