"""Environments with our own methods, asynchronous or not."""

import asyncio


class Own:
    """Counts."""

    recovery = "snapshot"
    parameters = {"type": "object", "properties": {"from": {"type": "integer", "default": 2}}}

    def __init__(self, kwargs, given):
        self.start = kwargs.get("from", 2)
        self.given = given
        self.count = None

    def reset(self, seed, options, context):
        self.count = self.start
        self.begun = [seed, context.random(), context.now()]

    async def step(self, tool, args, context):
        await asyncio.sleep(0)
        self.count += args.get("by", 1)
        context.emit(f"now {self.count}")
        if args.get("wait"):
            context.signal.wait()
        return {
            "content": f"{tool} {self.count}",
            "info": {"random": [context.random() for _ in range(6)], "now": context.now()},
            "truncated": self.count > 9,
            "observation": None,
        }

    def observe(self):
        return {"count": self.count, "begun": self.begun, "dir": self.given["dir"]}

    def tools(self):
        return [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]

    def snapshot(self):
        return {"count": self.count, "begun": self.begun}

    def restore(self, data):
        self.__dict__.update(data)


class _Hidden(Own):
    pass


class Bad(Own):
    recovery = "magic"
