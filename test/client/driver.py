"""Tells the clients for Python what cases say, and gives back what they gave. driver.ts does the same for TypeScript.

usage: driver.py sync|async     Each line of standard input is a case, {"url", "does"}; each line of the output is its outcome.
"""
import asyncio
import json
import sys

from reprise import AsyncReprise, NotCompleted, Reprise, RepriseError, text_of


def shown(error):
    parents = [each.__name__ for each in type(error).__mro__[1:] if issubclass(each, RepriseError)]
    fields = ("message", "status", "code", "hint", "docs", "data", "problems", "request_id")
    return {"class": type(error).__name__, "parents": parents, **{name: getattr(error, name) for name in fields}}


class Store:
    def __init__(self, kept):
        self.kept, self.stored = kept, []

    def get(self):
        return self.kept

    def set(self, position):
        self.stored.append(position)


def written(value):
    return json.dumps(value, separators=(",", ":"))


async def drive(made, does, settle, each, begin, interrupt):
    """`settle` waits for a value, `each` iterates, and `begin` asks for a result beside the rest, as the client does. `interrupt`
    does what a user does who ends a wait."""
    warnings, called = [], []
    outcome = {"called": called, "warnings": warnings}
    patience = does.get("patience", 10)
    client = made(patience=patience, strict=does.get("strict", False), on_warning=warnings.append)

    def tool(name, spec):
        def run(arguments):
            called.append(f"{name} {written(arguments)}")
            if spec.get("interrupted") and len(called) == 1:
                return interrupt()
            if "raises" in spec:
                raise ValueError(spec["raises"])
            return spec["returns"]

        return run

    def approve(call):
        called.append(f"approve {call['name']} {written(call['arguments'])}")
        return does["approve"]

    async def runs(run, leave=None, and_then=None, beside=False):
        frames, deltas, asked = [], [], None
        outcome.update(frames=frames, deltas=deltas)
        try:
            async for frame in each(run):
                if beside and asked is None:
                    asked = begin(run.result)
                    await asyncio.sleep(0)
                frames.append(frame["sequence_number"])
                if frame["type"] == "task.text.delta":
                    deltas.append(frame["delta"])
                if len(frames) == leave and and_then is None:
                    return
                if len(frames) == leave:
                    break
        except (RepriseError, KeyboardInterrupt, asyncio.CancelledError):
            if and_then is None:
                raise
        task = await settle(run.result())
        outcome.update(status=task["status"], text=text_of(task), beside=asked and (await asked)["status"])
        if await settle(run.text()) != outcome["text"]:
            raise NotCompleted(task)

    try:
        tools = {name: tool(name, spec) for name, spec in does.get("tools", {}).items()}
        if "run" in does:
            run = client.run(does["run"], tools=tools, approve=approve if "approve" in does else None)
            await runs(run, does.get("leave"), does.get("and_then"), does.get("beside"))
        elif "follow" in does:
            after, until_end = does.get("after"), does.get("until_end", False)
            await runs(client.tasks.follow(does["follow"], after=after, until_end=until_end, tools=tools))
        elif "call" in does:
            group, method = does["call"].split(".")
            for _ in range(2 if does.get("again") else 1):
                outcome["value"] = await settle(getattr(getattr(client, group), method)(*does["args"]))
        elif "request" in does:
            outcome["value"] = await settle(client.request(**does["request"]))
        elif "list" in does:
            group, method = does["list"].split(".")
            found = getattr(getattr(client, group), method)(**does["query"])
            outcome["ids"] = [entry.get("id", entry.get("session_id")) async for entry in each(found)]
        else:
            store = Store(does["store"]["kept"]) if "store" in does else None
            positions = outcome["positions"] = []
            async for event in each(client.events(**does["events"], store=store)):
                positions.append(event["position"])
                if len(positions) == does["take"]:
                    break
            outcome["stored"] = store.stored if store else []
    except RepriseError as error:
        outcome["error"] = shown(error)
    return outcome


async def at_once(value):
    return value


class OneByOne:
    """An iteration that leaves its values when somebody leaves it."""

    def __init__(self, values):
        self.values = iter(values)

    def __aiter__(self):
        return self

    async def __anext__(self):
        for value in self.values:
            return value
        raise StopAsyncIteration


async def awaited(value):
    return await value


def by_keyboard():
    raise KeyboardInterrupt


def by_cancel(task):
    async def cancel():
        task.cancel()
        await asyncio.Event().wait()

    return cancel


async def main():
    is_async = sys.argv[1] == "async"
    client, settle, each = (AsyncReprise, awaited, lambda values: values) if is_async else (Reprise, at_once, OneByOne)
    interrupt = by_cancel(asyncio.current_task()) if is_async else by_keyboard
    loop = asyncio.get_running_loop()

    def begin(result):
        return asyncio.ensure_future(result()) if is_async else loop.run_in_executor(None, result)

    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)  # meanwhile the loop ends what was left
        if not line:
            return
        case = json.loads(line)

        token = case["does"].get("token", "secret")

        def made(url=case["url"], token=token, **options):
            return client(f"{url}/v1/", token, **options)

        print(json.dumps(await drive(made, case["does"], settle, each, begin, interrupt)), flush=True)


asyncio.run(main())
