"""Shows the arguments and settings that it got."""


class Echo:
    def __init__(self, kwargs, given):
        self.seen = {"kwargs": kwargs}

    def reset(self, seed, options, context):
        self.seen["options"] = options

    def step(self, tool, args, context):
        self.seen["args"] = args
        return {"content": f"{args.get('n')} is a {type(args.get('n')).__name__}"}

    def observe(self):
        return self.seen

    def tools(self):
        return [{"type": "function", "function": {"name": "show", "parameters": {"type": "object"}}}]
