"""Runs the program of its configuration: lists that begin with what to do. Cases and properties use it."""

import asyncio

from reprise_agent import CallError, agent


async def first_of(ctx, programs, ends_rest):
    tasks = [asyncio.create_task(run(ctx, one)) for one in programs]
    done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    if ends_rest:
        for task in rest:
            task.cancel()
        return [task.result() for task in done][0]
    return [await task for task in [*done, *rest]]


async def in_order_of_ends(ctx, programs):
    tasks = [asyncio.create_task(run(ctx, one)) for one in programs]
    return [await one for one in asyncio.as_completed(tasks)]


async def through_queue(ctx, programs):
    queue = asyncio.Queue()

    async def put(one):
        await queue.put(await tried(ctx, one))

    tasks = [asyncio.create_task(put(one)) for one in programs]
    given = []
    for _ in programs:
        given.append(await queue.get())
        ctx.say(f"got {given[-1]}")
    await asyncio.gather(*tasks)
    return given


async def tried(ctx, program):
    try:
        return await run(ctx, program)
    except CallError as error:
        told = {"class": type(error).__name__, "kind": error.kind, "message": error.message, "code": error.code}
        return {key: value for key, value in told.items() if value is not None}
    except asyncio.TimeoutError:
        return "too late"


def effect(given):
    def do():
        if isinstance(given, dict) and "throws" in given:
            raise ValueError(given["throws"])
        return given

    return do


def options_of(given):
    return given[0] if given else {}


async def run(ctx, program):
    what, *given = program
    if what == "seq":
        return [await run(ctx, one) for one in given]
    if what == "all":
        return list(await asyncio.gather(*(run(ctx, one) for one in given)))
    if what == "begin-all":
        return list(await asyncio.gather(*[begun(ctx, one) for one in given]))
    if what == "race":
        return await first_of(ctx, given, True)
    if what == "first":
        return await first_of(ctx, given, False)
    if what == "ends":
        return await in_order_of_ends(ctx, given)
    if what == "queue":
        return await through_queue(ctx, given)
    if what == "try":
        return await tried(ctx, given[0])
    if what == "limit":
        return await asyncio.wait_for(run(ctx, given[0]), given[1] / 1000)
    if what == "nap":
        await asyncio.sleep(given[0] / 1000)
        return ctx.now()
    if what == "return":
        return given[0]
    if what == "throw":
        raise ValueError(given[0])
    if what == "input":
        return ctx.input.text
    if what == "now":
        return ctx.now()
    if what == "random":
        return ctx.random()
    if what in ("say", "think"):
        getattr(ctx, what)(given[0])
        return None
    return await begun(ctx, program)


def begun(ctx, program):
    what, *given = program
    if what == "run":
        return ctx.run(given[0], effect(given[1]), **options_of(given[2:]))
    if what == "tool":
        return ctx.tool(given[0], given[1] if len(given) > 1 else {}, **options_of(given[2:]))
    if what == "model":
        return ctx.model(given[0], **options_of(given[1:]))
    if what == "agent":
        return ctx.agent(given[0], given[1], given[2] if len(given) > 2 else {}, **options_of(given[3:]))
    if what == "ask":
        return ctx.ask(given[0], given[1] if len(given) > 1 else {}, **options_of(given[2:]))
    if what == "message":
        return ctx.message(**options_of(given))
    if what == "sleep":
        return ctx.sleep(given[0])
    if what == "history":
        return ctx.history()
    if what == "env":
        return getattr(ctx.env, given[0])(*given[1:])
    raise ValueError(f"there is no {what}")


@agent
async def main(ctx):
    return await run(ctx, ctx.config["program"])
