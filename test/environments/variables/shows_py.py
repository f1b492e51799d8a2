"""Shows the variables that a step is given. Used by tests only."""

import json


class Shows:
    def __init__(self, kwargs, given):
        pass

    def reset(self, seed, options):
        return {}

    def step(self, tool, args, context):
        return {"content": json.dumps(context.env_vars)}

    def observe(self):
        return {}

    def tools(self):
        return [{"type": "function", "function": {"name": "show", "parameters": {"type": "object", "properties": {}}}}]
