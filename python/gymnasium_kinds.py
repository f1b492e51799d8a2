"""The environments of Gymnasium's registry. Reprise runs this module as `gymnasium`, and its classes are named by ids.

Nothing is made, and the code of no environment is loaded, until an instance of one is made. So one process describes
all environments.
"""

import json
import sys

try:
    import gymnasium
    from gymnasium.envs.registration import load_env_creator
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    raise RuntimeError(
        f"Gymnasium is not installed for {sys.executable}, the python3 that runs environments: install it there (pip"
        " install gymnasium), or put the folder bin of a virtual environment first on the server's PATH. When environments"
        " have user ids of their own, this is the first python3 that other users may run"
    ) from None

# These entries wrap environments of the older package gym, which their arguments name.
WRAPPERS = ("GymV21Environment-v0", "GymV26Environment-v0")


class _Registered:
    """An environment that gymnasium.make makes, in the render mode `ansi` if it has one and no other is wanted."""

    entry = None

    def __init__(self, **kwargs):
        creator = self.entry.entry_point
        if isinstance(creator, str):
            creator = load_env_creator(creator)
        metadata = getattr(creator, "metadata", None)
        if isinstance(metadata, dict) and "ansi" in metadata.get("render_modes", ()):
            kwargs = {"render_mode": "ansi", **kwargs}
        self.env = gymnasium.make(self.entry.id, **kwargs)
        self.action_space = self.env.action_space
        self.observation_space = self.env.observation_space
        self.render_mode = self.env.render_mode

    def reset(self, **given):
        return self.env.reset(**given)

    def step(self, action):
        return self.env.step(action)

    def render(self):
        return self.env.render()

    def close(self):
        self.env.close()


def default_of(value):
    """The JSON Schema of an argument with this default; {} if there is none, or if it is no JSON."""
    try:
        return {} if value is None else {"default": json.loads(json.dumps(value, allow_nan=False))}
    except (TypeError, ValueError):
        return {}


def class_of(entry):
    properties = {name: default_of(value) for name, value in {"render_mode": None, **entry.kwargs}.items()}
    most = entry.max_episode_steps
    fields = {
        "entry": entry,
        "parameters": {"type": "object", "properties": properties},
        "description": f"Of Gymnasium {gymnasium.__version__}" + (f"; ends after {most} steps." if most else "."),
    }
    return type("Registered", (_Registered,), fields)


__all__ = [name for name in gymnasium.registry if name not in WRAPPERS]
globals().update({name: class_of(gymnasium.registry[name]) for name in __all__})
